# Story 3: the rows that the article prints, with Python right for 2.10.
$ tenon table --os windows --tf 2.4,2.6,2.10 --format csv
out 2.4.0,windows,yes
out 3.6,3.8,11.0,8.0
out 3.6,3.9,11.2,8.1
out 3.7,3.10,11.2,8.1

$ tenon table --tf 2.99
exit 1
err newer than my tables
err 2.21

$ tenon table --tf 2.21
out 12.5
out 12.3
out conflict

$ tenon table --json --tf 2.10 --os linux
json command "table"
json rows[0].cuda "11.2"
json rows[0].rank "1"

$ tenon table no_such_table
exit 2
err tenon table

$ tenon table tensorflow_build
exit 2
err did you mean tensorflow_builds?

$ tenon table driver_branches --driver 535.183.01
out 12.2

$ tenon table gpus --gpu "GTX 1660" --format markdown
out TU116

$ tenon table --tf 2.10 --gpu x
exit 2

# Words behind the name: cells of the key.
$ tenon table wheels tensorflow 2.10.1 linux x86_64 --format csv
out tensorflow,2.10.1,linux,x86_64,3.7,3.10,2.17,19.3,
not tensorflow-cpu
not windows

$ tenon table wheels torch --python 3.6 linux
out 1.10.2
not 1.11.0

$ tenon table wheels no-such-package
exit 1
err Known: cupy-cuda11x, cupy-cuda12x

$ tenon table wheels --lang zh keras 3.15.1
out 安装包

# A release within the run that a row stands for.
$ tenon table requires torch 2.5.1 nvidia-cudnn-cu12
out ==9.1.0.70
out 2.6.0

$ tenon table requires torch 2.6.1 nvidia-cudnn-cu12
exit 1

# Nothing matches: a document all the same, and the words beside it.
$ tenon table --tf 2.99 --json
exit 1
json length rows 0
json command "table"
err Known: 1.0.0
