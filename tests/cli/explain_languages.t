# Logs as systems in other languages write them, in the bytes of their code pages.
$ printf 'ImportError: libcublas.so.12: Kann die Shared-Object-Datei nicht \366ffnen: Datei oder Verzeichnis nicht gefunden\n' | tenon explain --no-join --json -
exit 1
json findings[0].cause "cuda-runtime-missing"

$ printf '\325\322\262\273\265\275\326\270\266\250\265\304\304\243\277\351: [WinError 126] c10.dll\n' | tenon explain --no-join --json -
exit 0
json findings[0].cause "msvc-runtime-missing"

# What is shown is the line as it was.
$ printf 'bash: nvidia-smi: Kommando nicht gefunden.\n' | tenon explain --no-join -
exit 1
first driver-missing
out line 1: bash: nvidia-smi: Kommando nicht gefunden.

$ python3 -c "import sys; sys.stdout.buffer.write('[WinError 1455] Файл подкачки слишком мал для завершения операции\n'.encode('cp1251'))" | tenon explain --no-join --json -
exit 1
json findings[0].cause "pagefile-too-small"

# A large log of UTF-16: a line in its middle, under its own number.
$ python3 -c "import sys; sys.stdout.buffer.write(('step\n'*1500000+'CUDA error: the launch timed out and was terminated\n'+'step\n'*1500000).encode('utf-16'))" | tenon explain --no-join --json -
exit 1
json findings[0].cause "kernel-timeout"
json findings[0].evidence[0].line 1500001
