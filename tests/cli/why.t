# Which file, why, and what it hides: from records alone.
$ tenon why libcudnn.so.9 --from $SHARED_MACHINES/loads-library-path.json
first libcudnn.so.9 for tensorflow 2.19.1: found
out /usr/local/cuda-13.0/lib64/libcudnn.so.9  this one
out It hides:
out /home/ada/tf/lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn.so.9  9.10.2.21

$ tenon why libcudnn --from $SHARED_MACHINES/loads-library-path.json --lang zh
first libcudnn.so.9（tensorflow 2.19.1）：找到
out 环境变量 LD_LIBRARY_PATH
out 它遮住了：

$ tenon why libcusolver.so.11 --from $SHARED_MACHINES/loads-tf2161.json
exit 1
first libcusolver.so.11 for tensorflow 2.16.1: not found
out libtensorflow_framework.so.2 opens it; without it no GPU is used
out RUNPATH of libtensorflow_framework.so.2
out Copies that this search does not reach:
out nvidia/cusolver/lib/libcusolver.so.11  11.7.5.82
last The loader says: libcusolver.so.11: cannot open shared object file: No such file or directory

$ tenon why libcusolver.so.11 --from $SHARED_MACHINES/loads-tf2161.json --json
exit 1
schema why.schema.json
json outcome "missing"
json asked "libcusolver.so.11"
json result.status "not_found"
json result.path null
json askers[0].loads[0].name "libcusolver.so.11"
json askers[0].loads[0].class "required"
json askers[0].loads[0].path null
json askers[0].loads[0].elsewhere[0].version "11.7.5.82"

# Everything, as a tree and as a picture; nothing is missing but what nobody needs.
$ tenon why --from $SHARED_MACHINES/loads-tf220.json
first tensorflow 2.20.0 in /home/ada/tf would load:
out found       libcusolver.so.11
not MISSING

$ tenon why --from $SHARED_MACHINES/loads-tf220.json --dot
first digraph why {
out "tensorflow 2.20.0" [style=bold];

# Of one library: it and who brings it, up to the framework.
$ tenon why libcudnn.so.9 --from $SHARED_MACHINES/loads-library-path.json --dot
out "tensorflow 2.19.1" -> "/home/ada/tf/lib/python3.11/site-packages/tensorflow/libtensorflow_framework.so.2"
out /libtensorflow_framework.so.2" -> "/usr/local/cuda-13.0/lib64/libcudnn.so.9" [label="LD_LIBRARY_PATH"];

$ tenon why --from $SHARED_MACHINES/loads-tf220.json --json
schema why.schema.json
json outcome "found"
json askers[0].starts "found"
json libraries[0].asker "tensorflow 2.20.0"
json libraries[0].result.status "loads"

# A library that no framework asks for is opened as Python would.
$ tenon why libnothing.so.1 --from $SHARED_MACHINES/loads-tf220.json
exit 1
first libnothing.so.1 for /home/ada/tf/bin/python3: not found
err no framework of this environment asks for libnothing.so.1

# Whoever does not know says so: nobody recorded this interpreter's own needs.
$ tenon why --from $SHARED_MACHINES/tf221-and-cuda.json
exit 3

$ tenon why --for nobody --from $SHARED_MACHINES/loads-tf220.json
exit 2
err nobody is no framework of this environment and no path

# Windows: nowhere; on PATH; on PATH, which a Python of the Store does not search.
$ tenon why cudart64_110.dll --from $SHARED_MACHINES/win10-tf26-nocuda.json --verbose
exit 1
first cudart64_110.dll for tensorflow 2.6.0: not found
out _pywrap_tensorflow_internal.pyd opens it; without it no GPU is used
out the program's own folder
out C:\Users\ada\miniconda3\envs\tf           not there
out the system folder, System32
out the variable PATH
out C:\Users\ada\miniconda3\envs\tf\Library\bin  not there
out C:\Users\ada\miniconda3\envs\tf\Library\mingw-w64\bin  no such folder
last The loader says: [WinError 126] The specified module could not be found

$ tenon why cudart --from $SHARED_MACHINES/python-org-tf210.json
first cudart64_110.dll for tensorflow 2.10.0: found
out CUDA\v11.2\bin\cudart64_110.dll  11.2.72
out the variable PATH
out CUDA\v11.2\bin\cudart64_110.dll  this one

$ tenon why CUDART64_110.DLL --from $SHARED_MACHINES/store-python-tf210.json --lang zh
exit 1
first cudart64_110.dll（tensorflow 2.10.0）：找不到
out 系统目录 System32
not 环境变量 PATH
out CUDA\v11.2\bin\cudart64_110.dll  11.2.72

$ tenon why cudart64_110.dll --from $SHARED_MACHINES/win-tf210-healthy.json --json
schema why.schema.json
json outcome "found"
json askers[0].loads[0].rule "PATH"
json askers[0].loads[0].version "11.2.72"

# An import that fails: the runtime of Visual C++ lacks a file, and what follows it is not opened.
$ tenon why --from $SHARED_MACHINES/win-tf210-no-msvcp1.json
exit 1
first tensorflow 2.10.0 in C:\Users\ada\miniconda3\envs\tf would load:
out FAILS       _pywrap_tensorflow_internal.pyd
out MISSING     VCRUNTIME140_1.dll
not cudart64_110.dll

$ tenon why -h
out tenon why [LIB]
out --for FRAMEWORK|FILE

# A file that does not load opens nothing; that is said, and what is known of it.
$ echo x > ./lib.so; tenon why libc.so.6 --for ./lib.so
exit 1
err nothing is opened from
out file too short

# More than is read of a file is said to be that, not just "unknown".
$ python3 -c "import struct; h=b'\177ELF\2\1\1'+bytes(9)+struct.pack('<HHIQQQIHHHHHH',3,62,1,0,64,0,0,64,56,2,64,0,0); d=b''.join(struct.pack('<QQ',1,1) for i in range(70000))+bytes(16); open('lib.so','wb').write(h+struct.pack('<IIQQQQQQ',1,4,0,0,0,176,176,4096)+struct.pack('<IIQQQQQQ',2,6,176,176,176,len(d),len(d),8)+d)"; tenon why --for ./lib.so
exit 3
out not judged: more than

$ tenon why libc.so.6 --for ./not-there
exit 1
err nothing is opened from
out MISSING
