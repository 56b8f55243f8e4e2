# cuDNN before 9.0 does not run on cards that came after it.
$ tenon plan tensorflow==2.15 --machine os=ubuntu-24.04,gpu="RTX 5090",driver=580.95.05
out this cuDNN was made before GeForce RTX 5090 (compute capability 12.0)
exit 1
$ tenon plan tensorflow==2.15 --machine os=ubuntu-24.04,gpu="RTX 4090",driver=580.95.05
first cuDNN 8.9.4.25 (tested by its makers)
exit 0
$ tenon plan tensorflow==2.10 --method manual --machine os=ubuntu-22.04,gpu=H100,driver=535.183.01
out this cuDNN was made before H100 (compute capability 9.0)
exit 1
$ tenon plan tensorflow==2.10 --method manual --machine os=ubuntu-22.04,gpu="RTX 4090",driver=535.183.01
first cuDNN 8.1
exit 0

# Made before the card's generation: nobody tested it; conda's build knows the card.
$ tenon plan tensorflow --machine os=ubuntu-24.04,gpu="RTX 5090",driver=580.95.05
first (untested)
out CUDA_ERROR_INVALID_PTX
out by conda, whose build is made with a CUDA that knows the card: tensorflow 2.19.1
exit 0
$ tenon plan tensorflow --machine os=ubuntu-24.04,gpu=H100,driver=580.95.05
not CUDA_ERROR_INVALID_PTX
not by conda
exit 0
$ tenon plan jax==0.4.30 --machine os=ubuntu-24.04,gpu="RTX 5090",driver=580.95.05
first (untested)
out jax 0.4.30 is older than the card's generation: its makers could not test it there
exit 0

# CUDA 11 has no libraries for Blackwell, whatever is known of the code of ONNX Runtime.
$ tenon plan onnxruntime-gpu==1.16 --machine os=ubuntu-24.04,gpu="RTX 5090",driver=580.95.05
out is made for CUDA 11, whose libraries have no code for GeForce RTX 5090
exit 1
$ tenon plan torch==2.6 --machine os=ubuntu-24.04,gpu="RTX 5090",driver=580.95.05
out torch 2.6.0 has no code for GeForce RTX 5090 (compute capability 12.0)
exit 1

# aarch64: PyTorch has CUDA builds on the package index from 2.11 on, for fewer cards.
$ tenon plan torch --machine os=ubuntu-24.04,arch=aarch64,gpu=GB10,driver=580.95.05
first fits: torch 2.15.0+cu132
out torch==2.15.0
exit 0
$ tenon plan torch==2.10 --machine os=ubuntu-24.04,arch=aarch64,gpu=GB10,driver=580.95.05
out of torch 2.10.0 the tables know no build with CUDA for aarch64
exit 1
$ tenon plan torch --machine os=ubuntu-24.04,arch=aarch64,gpu=T4,driver=580.95.05
out has no code for Tesla T4 (compute capability 7.5); its newest has 8.0 9.0 10.0 11.0 12.0
exit 1
