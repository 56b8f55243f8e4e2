# Mistakes of other tools (doc/peer_mistakes.md), those that only a whole run shows. The number is the mistake's.

# 16, 26, 28: an nvidia-smi that hangs, on PATH: nobody waits for it, nobody even runs it.
$ printf '#!/bin/sh\ntouch '$PWD'/ran\nsleep 60\n' > nvidia-smi; chmod +x nvidia-smi; PATH=$PWD:$PATH timeout 20 tenon doctor --json > out; echo "exit $?"; PATH=$PWD:$PATH timeout 20 tenon versions > /dev/null; PATH=$PWD:$PATH timeout 20 tenon envs > /dev/null; ls ran 2>/dev/null || echo "never run"
out never run
not exit 124

# 20, 25: the verdict does not depend on where one stands, be it among a thousand sources and a folder named torch.
$ mkdir -p here/torch empty; for i in $(seq 1000); do echo 'import langchain' > here/torch/m$i.py; done; (cd empty; tenon doctor --json --debug ../a.json > ../a; cd ../here; tenon doctor --json --debug ../b.json > ../b; cd ..; python3 -c "import json; a,b=(json.load(open(f)) for f in 'ab'); print('same' if (a['verdict'],a['findings'])==(b['verdict'],b['findings']) else 'differs')"; grep -c m17.py b.json)
exit 1
out same
not differs
last 0

# 24, 26, 27: what nvidia-smi says of a fault is never "ok" and never "no driver".
$ printf 'Failed to initialize NVML: Driver/library version mismatch\n' | tenon doctor --from -
exit 1
first [driver-library-mismatch]
not einstall the driver

$ printf "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n" | tenon doctor --from -
exit 1
first [driver-not-loaded]

$ printf '' | tenon doctor --from -
exit 3

# 32: 303 is the stub's answer: libcuda.so.1 was not found.
$ printf 'E0000 cuda_driver.cc:266] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: UNKNOWN ERROR (303)\n[]\n' | tenon explain --no-join -
exit 1
out driver-missing

# 36: folders that an index leaves out are looked into.
$ mkdir -p r/tmp/a r/var/spool/b; cp $SRC/tests/cli/peers.t r/tmp/a/libcudnn.so.9; cp $SRC/tests/cli/peers.t r/var/spool/b/libcudnn.so.9; tenon find libcudnn.so.9 --root r
out /tmp/a/libcudnn.so.9
out /var/spool/b/libcudnn.so.9
