# A pasted command: what the way here did to it, and what should be typed.
# Story 6: the lost equal sign.
$ tenon explain --no-join "conda create -n tf_gpu python3.9 -y"
exit 0
first line 1: this command was damaged on its way here
out     conda create -n tf_gpu python=3.9 -y
out "python3.9" is "python=3.9"

$ tenon explain --no-join --lang zh "conda create -n tf_gpu python3.9 -y"
exit 0
first 第 1 行：这条命令在复制过程中被破坏，应为：
out     conda create -n tf_gpu python=3.9 -y
out 名称与版本之间的等号丢失

# Story 10: a withdrawn name, and what that release needs.
$ tenon explain --no-join "pip install tensorflow-gpu==2.6.0"
exit 0
out     pip install tensorflow==2.6.0 'keras==2.6.*' 'protobuf<4' 'numpy<1.24'
out "tensorflow-gpu==2.6.0" is not the package to install
out needs keras==2.6.*
out needs protobuf<4
out needs numpy<1.24

# Story 27: placeholders.
$ tenon explain --no-join "pip install nvidia-cublas-cu112"
exit 1
first line 1: do not type this command

$ tenon explain --no-join --json "pip install nvidia-cublas-cu13"
exit 0
json commands[0].right "pip install nvidia-cublas"
json commands[0].repairs[0].id "name"

# The article's own lines, as scraped.
$ printf 'conda install -c conda-forge cudatoolkit11.2 cudnn8.1.0\npip install “tensorflow＝＝2.10”\n' | tenon explain --no-join --json -
exit 0
json commands[0].right "conda install -c conda-forge cudatoolkit=11.2 cudnn=8.1.0"
json commands[0].damaged true
json commands[1].line 2
json commands[1].repairs[0].id "quote"
json commands[1].repairs[1].id "wide"

# Beside an error: the cause first, then the command.
$ printf '$ pip install tensorflow=2.10\nERROR: Invalid requirement: tensorflow=2.10\nCould not load dynamic library cudart64_110.dll; dlerror: cudart64_110.dll not found\n' | tenon explain --no-join -
exit 1
first cuda-runtime-missing
out     pip install tensorflow==2.10

# A transcript's prompts are no damage.
$ printf '$ pip install torch\n$ nvidia-smi\n' | tenon explain --no-join -
exit 0
first No known cause

# Nothing of a hostile line reaches the terminal raw.
$ printf 'pip install torch=2.4 \033]0;x\007 --index-url https://x.org/\342\200\256gpj\n' | tenon explain --no-join -
exit 0
out https://x.org/gpj
