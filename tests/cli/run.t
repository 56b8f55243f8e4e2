# run: a program untouched, and a word about it only where there is one to say.
$ tenon run -- sh -c 'echo out; echo err >&2; exit 7'
exit 7
out out
err err
noterr tenon

$ tenon run sh -c 'echo "$0 $1"' --help --lang
out --help --lang

$ printf 'a\000b\377\r\n' | tenon run -- cat | od -An -c
out a  \0   b 377  \r  \n

$ tenon run -- there-is-no-such-program
exit 127
quiet
err no-such-program

$ : >plain; chmod 600 plain; tenon run -- ./plain
exit 126
quiet

$ tenon run -- sh -c 'kill -TERM $$'; echo "status $?"
out status 143

$ tenon run -- sh -c 'kill -KILL $$'; echo "status $?"
out status 137

# A reader that has seen enough ends the program, as it does without us.
$ { tenon run -- sh -c 'trap "" TERM; yes'; echo "status $?" >&2; } | sed -n 1q
err status 141

$ tenon run -- sh -c 'echo x' >&-; echo "status $?"
out status

$ tenon run -- sh -c 'printf "%s" "$0" >&3' three 3>got; cat got
out three

$ tenon run -- sh -c '[ -e /proc/$$/fd/0 ] || echo closed' <&-
out closed

# A file is the program's own: it may seek and cut.
$ tenon run -- python3 -c 'import sys; print("x" * 100); sys.stdout.flush(); sys.stdout.truncate(3)' >got; wc -c <got
out 3

# What it leaves running keeps its output, and nobody waits for that.
$ tenon run -- sh -c '(while [ ! -e go ]; do sleep 0.05; done; echo late) & echo early' | { read -r a; : >go; cat; echo "$a"; }
out early
out late

# It failed for a cause of ours: named on standard error, and nothing on standard output.
$ tenon run --no-join -- python3 -c 'raise RuntimeError("The NVIDIA driver on your system is too old (found version 10010).")'
exit 1
quiet
err python3 ended with status 1
err confirmed: NVIDIA driver too old for this CUDA [driver-too-old]

$ tenon run --no-join --lang zh -- python3 -c 'raise RuntimeError("The NVIDIA driver on your system is too old (found version 10010).")'
exit 1
quiet
err 已确认：NVIDIA 驱动版本过低

# What was written into a file is read there.
$ tenon run --no-join -- python3 -c 'raise RuntimeError("The NVIDIA driver on your system is too old (found version 10010).")' 2>got || tail -c +1 got
out [driver-too-old]

# It failed for another reason: what was printed before its traceback is not what it failed of.
$ tenon run --no-join -- python3 -c 'import sys; print("The NVIDIA driver on your system is too old (found version 10010)."); sys.stdout.flush(); {}["x"]'
exit 1
noterr tenon

# It is content with the CPU, or was ended by its user.
$ tenon run -- python3 -c 'print("Could not find cuda drivers on your machine, GPU will not be used.")'
noterr tenon

$ tenon run --no-join -- sh -c 'echo "The NVIDIA driver on your system is too old (found version 10010)."; kill -TERM $$'; echo "status $?"
out status 143
noterr tenon

# It asked for a GPU and got the CPU.
$ tenon run --machine os=linux,gpu=8.6,driver=535.183.01 -- python3 -c 'print("[W:onnxruntime:Default] Failed to create CUDAExecutionProvider. Require cuDNN 9.* and CUDA 12.*.")'
err onnxruntime

# The log: private, added to, without the secrets of URLs; nobody else's file.
$ umask 0; tenon run --log l -- sh -c 'echo one; echo "get https://me:geheim@host.example/simple?token=abc"'; tenon run --log l -- sh -c 'echo two >&2'; stat -c %a l; cat l >&2
out 600
out me:geheim
err one
err https://host.example/simple
err two
noterr geheim
noterr token

$ : >open; chmod 644 open; tenon run --log open -- echo started
exit 4
quiet
err open

$ ln -s /etc/passwd l; tenon run --log l -- echo started
exit 3
quiet

# "-" is no name that anyone means: the output is on the terminal already.
$ tenon run --log - -- echo started
exit 2
quiet
err --log
$ test ! -e ./-

$ tenon run --help
out tenon run [--] PROGRAM [ARGUMENT...]
out standard error, after the program has ended

$ tenon run --help --lang zh
out 退出状态就是程序的状态

$ tenon run
exit 2
err PROGRAM
