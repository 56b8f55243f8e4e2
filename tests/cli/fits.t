# Story 10: requirements.txt, whatever an index has: the stub is never what is installed. Story 27: placeholders.
$ printf 'tensorflow-gpu==2.6.0  # withdrawn\nnumpy \\\n  >=1.19 --hash=sha256:abc\n--index-url http://localhost:1/simple\n' >r.txt; tenon plan -r r.txt --machine os=linux,gpu="RTX 3090",driver=535.54.03
first fits: tensorflow 2.6.0
out tensorflow-gpu==2.6.0: asked for as tensorflow==2.6.0 instead
out tensorflow==2.6.0 nvidia-
not tensorflow-gpu==2.6.0 nvidia-
exit 0
$ printf 'nvidia-cublas-cu110\n' >r.txt; tenon plan -r r.txt --machine os=linux
first refused
out the packages for CUDA 11 end in -cu11
exit 1
$ printf 'torch\nnvidia-cublas-cu13\n' >r.txt; tenon plan -r r.txt --machine os=linux,gpu="RTX 3090",driver=580.65.06
out nvidia-cublas-cu13: asked for as nvidia-cublas instead
exit 0
$ printf 'torch; sys_platform == "win32"\ntensorflow\n' >r.txt; tenon plan -r r.txt --machine os=linux,gpu="RTX 3090",driver=580.65.06
not torch
exit 0
$ printf 'tensorflow==\n' >r.txt; tenon plan -r r.txt --machine os=linux
err r.txt:1: tensorflow==:
exit 2
$ printf 'numpy\n' >r.txt; tenon plan -r r.txt --machine os=linux
err names no framework
exit 2
$ tenon plan -r gone.txt --machine os=linux
err gone.txt
exit 3
