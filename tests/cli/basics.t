# What a person types first, and what they mistype.
$ tenon --version
out tenon 0.1.0, tables of 20

$ tenon --help
out doctor
out snapshot
out table

$ tenon doctor --help
out --expect gpu|cpu|N
out Examples:
out --only

$ tenon doctor --help --lang zh
out 示例
out 退出状态

$ tenon docter
exit 2
err did you mean doctor?
quiet

$ tenon doctor --exepct gpu
exit 2
err did you mean --expect?

$ tenon doctor --nonsense-option
exit 2
err tenon doctor --help

$ tenon doctor --lang fr
exit 2
err en or zh

$ tenon doctor --expect maybe
exit 2
err --expect

$ tenon doctor --only no-such-check
exit 2
err tenon doctor --list

$ tenon doctor extra
exit 2
err extra

$ tenon doctor --machine os=linux --root /
exit 2

$ tenon doctor --deadline nan
exit 2

$ tenon doctor --list
out no-nvidia-gpu
out driver-too-old

$ tenon doctor --list --lang zh
out 驱动

# A reader that goes away is no crash.
$ tenon doctor --help | head -c 10 >/dev/null; echo ok
out ok

# A terminal of another character set: GBK gets GBK, Big5 gets English, documents stay UTF-8.
$ LANG=zh_CN.GBK tenon doctor --machine os=linux,gpu=none | iconv -f GBK -t UTF-8
first 问题：

$ LANG=zh_TW.Big5 tenon doctor --machine os=linux,gpu=none
exit 1
first PROBLEM:

$ LANG=zh_TW.UTF-8 tenon doctor --machine os=linux,gpu=none
exit 1
first 问题：

$ LANG=zh_CN.GBK tenon doctor --machine os=linux,gpu=none --json
exit 1
json verdict.cause "no-nvidia-gpu"

$ tenon help doctor
out --expect gpu|cpu|N

$ tenon help
out snapshot

$ tenon help doctr
exit 2
err did you mean doctor?

# A mistyped environment is not judged as an empty one.
$ tenon doctor --env /nonexistent/env
exit 3
quiet
err there is no environment /nonexistent/env

$ tenon doctor --env nosuchname --lang zh
exit 3
err 没有环境 nosuchname

$ tenon snapshot --include-identifiers --from $SHARED_MACHINES/cpu-only.json > s.json && tenon doctor --from s.json --env /home/ada/tf | head -1
first tensorflow-cpu

$ tenon snapshot --from $SHARED_MACHINES/cpu-only.json > s.json && tenon doctor --from s.json --env /nowhere
exit 3
err there is no environment

# What was loaded into tenon itself cannot be prevented; it is named.
$ LD_PRELOAD=libutil.so.1 tenon doctor --verbose --machine os=linux,gpu=8.6,driver=535.183.01
err libutil.so.1

# What every command takes may stand before its name.
$ tenon --lang zh --plain why --help
first tenon why [LIB]
out 示例

$ tenon --lang=en table --tf 2.99
exit 1
err Known: 1.0.0 -
