# Scheme C: the toolkit part into the environment, a full cuDNN into that same folder, the environment's own activation.
$ tenon plan tensorflow==2.10 --method manual --machine os=linux,gpu="RTX 3090",driver=535.54.03,python=3.10
first fits: tensorflow 2.10.0, Python 3.10, CUDA 11.2, cuDNN 8.1.1.33 (tested by its makers)
out /compute/cuda/11.2.2/local_installers/cuda_11.2.2_460.32.03_linux.run
out sh cuda_11.2.2_460.32.03_linux.run --silent --toolkit --override --no-man-page --toolkitpath="$PWD"/tf-2.10/cuda
out /compute/redist/cudnn/v8.1.1/cudnn-11.2-linux-x64-v8.1.1.33.tgz
out ls libcudnn.so.8 libcudnn_ops_infer.so.8 libcudnn_ops_train.so.8 libcudnn_cnn_infer.so.8 libcudnn_cnn_train.so.8 libcudnn_adv_infer.so.8 libcudnn_adv_train.so.8
last (. tf-2.10/bin/activate && tenon doctor --env tf-2.10)
not --driver
not nvidia-cudnn
not sudo
exit 0
$ tenon plan tensorflow==2.15 --method manual --machine os=linux,gpu="RTX 3090",driver=535.54.03,python=3.10 --env /srv/x
out --toolkitpath=/srv/x/cuda --defaultroot=/srv/x/cuda
out cudnn-linux-x86_64-8.9.7.29_cuda12-archive.tar.xz
out pip install tensorflow==2.15.0.post1
exit 0
$ tenon plan tensorflow-gpu==1.15 --method manual --machine os=linux,gpu="GTX 1080",driver=535.54.03,python=3.7
out https://developer.nvidia.com/compute/cuda/10.0/Prod/local_installers/cuda_10.0.130_410.48_linux
not --defaultroot
exit 0

# Windows: subpackages of the silent installer; without a list, or with Display.Driver, it would bring the driver.
$ tenon plan tensorflow==2.10 --method manual --machine os=windows,gpu="RTX 3060",driver=537.13,python=3.10
out -FilePath .\cuda_11.2.2_461.33_win10.exe -ArgumentList '-s',nvcc_11.2,cudart_11.2,nvrtc_11.2,cupti_11.2,cublas_11.2,cufft_11.2,curand_11.2,cusolver_11.2,cusparse_11.2
out cudnn-11.2-windows-x64-v8.1.1.33.zip
out Get-Item -ErrorAction Stop -Path cudnn64_8.dll, cudnn_ops_infer64_8.dll
out Add-Content -LiteralPath tf-2.10\Scripts\activate.ps1 -Value '','$Env:PATH = "C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v11.2\bin;
last & { . tf-2.10\Scripts\activate.ps1; tenon doctor --env tf-2.10 }
not Display.Driver
not zlibwapi
not setx
exit 0
$ tenon plan onnxruntime-gpu==1.17.1 --method manual --machine os=windows,gpu="RTX 3060",driver=537.13,python=3.10
out cuDNN 8.9.7.29 for Windows loads zlibwapi.dll (x64)
out _windows.exe
exit 0
$ tenon plan tensorflow==2.10 --method manual --machine os=windows,gpu="RTX 3060",driver=537.13,python=3.10 --lang zh
out 不含驱动
out 需要管理员权限
exit 0

# PyTorch brings its own; a CPU build needs nothing by hand.
$ tenon plan torch --method manual --machine os=linux,gpu="RTX 3060",driver=550.54.14
not cuda_1
exit 0
$ tenon plan tensorflow --cpu --method manual --machine os=linux
not cuda
exit 0

# Exports: a script, and no half of one elsewhere.
$ tenon plan tensorflow==2.10 --method manual --machine os=linux,gpu="RTX 3090",driver=535.54.03,python=3.10 --env "a b'c" --export sh > s && sh -n s && cat s
out --toolkitpath="$PWD"/'a b'\''c/cuda'
last if command -v tenon >/dev/null; then (. 'a b'\''c/bin/activate' && tenon doctor --env 'a b'\''c'); fi
exit 0
$ tenon plan tensorflow==2.10 --method manual --machine os=linux,gpu="RTX 3090",driver=535.54.03,python=3.10 --export dockerfile
quiet
exit 4
$ tenon plan tensorflow==2.10 --method manual --machine os=linux,gpu="RTX 3090",driver=535.54.03,python=3.10 --env "$(printf 'a\nb')"
out (no command:
not --toolkitpath
exit 4
$ tenon plan tensorflow==2.10 --method manual --machine os=linux,gpu="RTX 3090",driver=535.54.03,python=3.10 --env=-x
out --toolkitpath="$PWD"/-x/cuda
out cp -P ./-x/cuda/cudnn/lib*/lib* ./-x/cuda/lib64/
exit 0

# The installer's folder holds that CUDA already: no second installation, cuDNN in full.
$ tenon plan tensorflow==2.10 --method manual --from $SHARED_MACHINES/cudnn-mixed.json
not cuda_11.2
out -Destination 'C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v11.2'
exit 0
