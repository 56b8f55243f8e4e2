# What somebody may type or have in a file, and what must not happen: silence, a hang, an answer to another question.

# PyTorch's variants, as its own pages write them; a variant that is in no table.
$ tenon plan torch==2.0.1+cu118 --machine os=ubuntu-22.04,gpu="RTX 3090",driver=535.54.03
first fits: torch 2.0.1+cu118
exit 0
$ tenon plan torch==2.0.1+cpu --machine os=ubuntu-22.04,gpu="RTX 3090",driver=535.54.03
first fits: torch 2.0.1+cpu
exit 0
$ tenon plan torch==2.0.1+rocm5.4 --machine os=ubuntu-22.04,gpu="RTX 3090",driver=535.54.03
out the tables know no torch==2.0.1+rocm5.4
exit 1
$ tenon plan torch==2.0.1+cu118 --cuda 12 --machine os=ubuntu-22.04,gpu="RTX 3090",driver=535.54.03
out you asked for CUDA 12
exit 1

# Extras: of one CUDA, of none that is known, of two, of something else.
$ tenon plan "jax[cuda11]==0.4.30" --machine os=ubuntu-22.04,gpu="RTX 3090",driver=535.54.03
out the tables know no jax[cuda11]==0.4.30
exit 1
$ tenon plan "jax[cuda99]" --machine os=ubuntu-22.04,gpu="RTX 3090",driver=535.54.03
out the tables know no jax[cuda99]
exit 1
$ tenon plan "jax[cuda12,cuda13]" --machine os=ubuntu-22.04
err several variants at once
exit 2
$ tenon plan "tensorflow[nosuch]" --machine os=ubuntu-22.04,gpu="RTX 3090",driver=535.54.03
out the extra [nosuch] of tensorflow
exit 0

# The name as it was asked for.
$ tenon plan onnxruntime-gpu==99 --machine os=ubuntu-22.04,gpu="RTX 3090",driver=535.54.03
out onnxruntime-gpu
exit 1
$ tenon plan onnxruntime-gpu==1.20.1 --python 3.6 --machine os=ubuntu-22.04,gpu="RTX 3090",driver=535.54.03
out you asked for onnxruntime-gpu==1.20.1
exit 1

# A marker, an address, a letter that looks like another.
$ tenon plan "tensorflow; sys_platform == 'win32'" --machine os=ubuntu-22.04
err markers (behind ';') are read in files
exit 2
$ tenon plan "tensorflow @ https://example.org/x.whl" --machine os=ubuntu-22.04
err what lies at an address is not looked at
exit 2
$ tenon plan "$(printf 't\320\265nsorflow')" --machine os=ubuntu-22.04
err U+0435
exit 2

# Contradictions and nonsense.
$ tenon plan tensorflow --cpu --cuda 11 --machine os=ubuntu-22.04
err --cpu and CUDA 11 at once
exit 2
$ tenon plan torch "jax[cuda12]" --cpu --machine os=ubuntu-22.04
err --cpu and jax[cuda12]
exit 2
$ tenon plan tensorflow --cuda 11,12 --machine os=ubuntu-22.04
err --cuda is a version
exit 2
$ tenon plan tensorflow --date 2022-13 --machine os=ubuntu-22.04
err --date is a year
exit 2
$ tenon plan tensorflow --date 2022-02-30 --machine os=ubuntu-22.04
err --date is a year
exit 2
$ tenon plan --side-by-side "" --machine os=ubuntu-22.04
err --side-by-side is one to eight
exit 2
$ tenon plan --side-by-side 2.1,2.2,2.3,2.4,2.5,2.6,2.7,2.8,2.9 --machine os=ubuntu-22.04
err --side-by-side is one to eight
exit 2
$ tenon plan torch --side-by-side 1.15,2.10 --machine os=ubuntu-22.04
err without other wishes
exit 2

# Files: what a file names and nobody can read is no plan; what is passed over is said.
$ printf -- '-r gone.txt\ntensorflow\n' >r.txt; tenon plan -r r.txt --machine os=ubuntu-22.04
err r.txt:1: -r gone.txt: not read
exit 3
$ printf -- '-r https://example.org/r.txt\ntensorflow\n' >r.txt; tenon plan -r r.txt --machine os=ubuntu-22.04
err an address: not read
exit 3
$ printf -- '-r r.txt\n-e .\ntensorflow\n' >r.txt; tenon plan -r r.txt --machine os=ubuntu-22.04,gpu="RTX 3090",driver=535.54.03
out r.txt, line 1: -r r.txt: the files name each other in a circle
out r.txt, line 2: -e .: a project: what it asks for is not read
exit 0
$ printf 'tensorflow; ((python_version < "3.8"\n' >r.txt; tenon plan -r r.txt --machine os=ubuntu-22.04
err is no marker
exit 2
$ printf 'tensorflow==2.10\rnumpy<2\r' >r.txt; tenon plan -r r.txt --machine os=ubuntu-22.04,gpu="RTX 3090",driver=535.54.03
first fits: tensorflow 2.10.0
exit 0
$ yes 'tensorflow>=2.0' | head -200000 >r.txt; tenon plan -r r.txt --machine os=ubuntu-22.04
err the file has more lines than are read
exit 3
$ seq -f 'tensorflow!=2.0.%g' 16000 >r.txt; tenon plan -r r.txt --machine os=ubuntu-22.04
err more conditions than are read
exit 2

# Lines for some Pythons: the plan is for one of them, which is said.
$ printf 'tensorflow==2.10; python_version < "3.11"\ntensorflow==2.15; python_version >= "3.11"\n' >r.txt; tenon plan -r r.txt --machine os=ubuntu-22.04,gpu="RTX 3090",driver=535.54.03
first fits: tensorflow 2.15
out this plan is for Python 3.11
out --python 3.11
exit 0
$ printf 'tensorflow==2.10; python_version < "3.11"\ntensorflow==2.15; python_version >= "3.11"\n' >r.txt; tenon plan -r r.txt --python 3.9 --machine os=ubuntu-22.04,gpu="RTX 3090",driver=535.54.03
first fits: tensorflow 2.10
exit 0

# What is asked for beside a framework binds, too: a clash, a release that goes with it, one that no table knows.
$ tenon plan tensorflow==2.16.2 keras==2.15 --machine os=ubuntu-22.04,gpu="RTX 3090",driver=550.54.14
first nothing fits
out tensorflow 2.16.2 needs keras>=3.0.0
out you asked for keras==2.15
out without keras==2.15: tensorflow 2.16.2
exit 1
$ tenon plan tensorflow==2.10 numpy==2.0 --lang zh --machine os=ubuntu-22.04,gpu="RTX 3090",driver=550.54.14
out 您要求 numpy==2.0
out 去掉 numpy==2.0
exit 1
$ tenon plan tensorflow numpy==1.24.3 --machine os=ubuntu-22.04,gpu="RTX 3090",driver=550.54.14
first fits: tensorflow 2.17.1, Python 3.11
exit 0
$ tenon plan tensorflow==2.10 numpy==1.23.77 --machine os=ubuntu-22.04,gpu="RTX 3090",driver=550.54.14
first fits: tensorflow 2.10.0
exit 0

# Two generations of CUDA in one environment are said.
$ tenon plan tensorflow torch --method mixed --machine os=ubuntu-22.04,gpu="RTX 3090",driver=550.54.14
out torch 2.0.1 brings CUDA 11.8 inside, beside CUDA 12.5 of the others
exit 0
