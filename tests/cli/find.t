# tenon find: every copy of a library, what it is, and who would load it.

# Story 14: the DLL is there and PATH is right, and a Python of the Microsoft Store does not use PATH.
$ tenon find cudart64_110.dll --from $SHARED_MACHINES/store-python-tf210.json --env 'C:\Users\ada\AppData\Local\Microsoft\WindowsApps\python.exe' --lang en
exit 1
first 2 copies of cudart64_110.dll:
out C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v11.2\bin\cudart64_110.dll
out 11.2.72, 514.5 KiB
out its folder is on PATH
out D:\backup\CUDA\v11.0\bin\cudart64_110.dll
out its folder is not on PATH
last is a Python of the Microsoft Store: Windows does not search PATH for its DLLs

$ tenon find cudart64_110.dll --from $SHARED_MACHINES/store-python-tf210.json --env 'C:\Users\ada\AppData\Local\Microsoft\WindowsApps\python.exe' --lang zh
exit 1
first cudart64_110.dll 共有 2 个副本：
out 所在目录在 PATH 中
out 所在目录不在 PATH 中
last 是 Microsoft Store 版 Python：Windows 不会为它在 PATH 中查找 DLL

$ tenon find CUDART64_110.DLL --from $SHARED_MACHINES/python-org-tf210.json --env 'C:\Users\ada\AppData\Local\Programs\Python\Python310' --lang en
exit 0
out loaded by C:\Users\ada\AppData\Local\Programs\Python\Python310 (tensorflow 2.10.0)
last would load C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v11.2\bin\cudart64_110.dll

$ tenon find cudart64_110.dll --from $SHARED_MACHINES/python-org-tf210.json --json
json command "find"
json length copies 2
json copies[0].version "11.2.72"
json copies[0].on_search_path true
json copies[0].loaded_by[0] "C:\\Users\\ada\\AppData\\Local\\Programs\\Python\\Python310"
json length copies[1].loaded_by 0
json environment.uses true
json environment.searches_path true
json searched[0].state "whole"

$ tenon find cudart64_110.dll --from $SHARED_MACHINES/store-python-tf210.json --json
json length copies[0].loaded_by 0
json environment.uses false
json environment.searches_path false

# A stem stands for every version, a pattern for names.
$ tenon find cudnn --from $SHARED_MACHINES/python-org-tf210.json
first One copy of cudnn:
out cudnn64_8.dll
$ tenon find 'cudnn*.dll' --from $SHARED_MACHINES/python-org-tf210.json
first 7 copies of cudnn*.dll:
$ tenon find cudart64_11.dll --from $SHARED_MACHINES/python-org-tf210.json
exit 1
first No file of the name cudart64_11.dll was found.

# Below a root, with links told as links and copies that nobody searches.
$ mkdir -p r/usr/lib r/opt/x && printf x > r/opt/x/libcudnn.so.8.9.7 && ln -s libcudnn.so.8.9.7 r/opt/x/libcudnn.so.8 && ln -s /opt/x r/loop && ln -s ../gone r/usr/lib/libcudnn.so.8 && mkdir r/libcudnn.so.8 && printf y > r/usr/lib/libcudnn.so.80 && printf z > 'r/opt/libcudnn-81a7ce31.so.8.1' && tenon find libcudnn.so.8 --root r
first 3 copies of libcudnn.so.8:
out   /opt/x/libcudnn.so.8.9.7
out also /opt/x/libcudnn.so.8
out   /opt/libcudnn-81a7ce31.so.8.1
out   /usr/lib/libcudnn.so.8
out a link that leads nowhere
not libcudnn.so.80

# A snapshot did not search the disks, and says so.
$ tenon snapshot --from $SHARED_MACHINES/python-org-tf210.json > s.json && tenon find cudnn --from s.json
out no disk was searched
$ tenon snapshot --from $SHARED_MACHINES/python-org-tf210.json > s.json && tenon find libnothing.so.1 --from s.json
exit 3
last no disk was searched

# What was found is in the raw record, and found again.
$ mkdir -p r/opt && printf x > r/opt/libcublas.so.12 && tenon find libcublas.so.12 --root r --debug d.json && tenon find libcublas.so.12 --from d.json
first One copy of libcublas.so.12:
out   /opt/libcublas.so.12

# Wrong use.
$ tenon find
exit 2
err find needs LIB|PATTERN
$ tenon find /usr/lib/libcudnn.so.8
exit 2
err is no file name
$ tenon fnd libcudnn.so.8
exit 2
err did you mean find?
$ tenon find --help
out tenon find LIB|PATTERN
out search the file systems of the network, too
out tenon find libcudnn.so.8
