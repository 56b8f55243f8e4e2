# Story 8: native Windows ended with 2.10; inside WSL 2 it goes on, each precondition met or not.
$ tenon plan tensorflow==2.16 --method wsl --from $SHARED_MACHINES/win11-native.json
first fits: tensorflow 2.16.2, Python 3.12, CUDA 12.3
out Windows build 22631 is new enough for WSL 2 with a GPU (19044)
out the Windows driver 552.44 is new enough (528.33); none is installed inside WSL
out virtualization has to be on in the firmware
out wsl --install
out curl -LsSf https://astral.sh/uv/install.sh | sh
out uv pip install --python tf-2.16/bin/python 'tensorflow[and-cuda]==2.16.2'
last tenon doctor --env tf-2.16
not Scripts
exit 0
$ tenon plan tensorflow==2.16 --method wsl --from $SHARED_MACHINES/win11-native.json --lang zh
out Windows 版本号 22631 满足 WSL 2 使用 GPU 的要求（19044）
out 以下命令在 WSL 内执行
exit 0
$ tenon plan tensorflow==2.16 --method wsl --machine os=windows,gpu="RTX 3060"
out WSL 2 with a GPU needs Windows build 19044 (21H2) or newer; which one this is was not seen
out needs the Windows driver 528.33 or newer
exit 0
$ tenon plan tensorflow==2.16 --method wsl --machine os=windows,gpu="RTX 3060",driver=516.94
out needs driver 528.33 or newer; here it is 516.94
out with the Windows driver 528.33 or newer
exit 1

# A quote in a name is for WSL's shell, not for PowerShell.
$ tenon plan tensorflow==2.16 --method wsl --machine os=windows,gpu="RTX 3060",driver=537.13 --env "a'b"
out uv venv --python 3.12 'a'\''b'
exit 0

# WSL exists on Windows only, and not inside itself.
$ tenon plan tensorflow --method wsl --machine os=linux
first nothing fits
out WSL exists on Windows only
exit 1
$ tenon plan tensorflow --method wsl --from $SHARED_MACHINES/wsl2-ok.json
out this is WSL already
exit 1

# Exported is what is typed inside.
$ tenon plan tensorflow==2.16 --method wsl --machine os=windows,gpu="RTX 3060",driver=537.13 --export sh > s && sh -n s && cat s
out uv venv --python 3.12 tf-2.16
not wsl --install
exit 0
$ tenon plan tensorflow==2.16 --method wsl --machine os=windows,gpu="RTX 3060",driver=537.13 --export requirements
out tensorflow[and-cuda]==2.16.2
exit 0
$ tenon plan tensorflow==2.16 --method wsl --machine os=windows,gpu="RTX 3060",driver=537.13 --export ps1
quiet
err are for the shell inside WSL
exit 4

# A tilde that the shell did not replace names nobody's home.
$ tenon plan tensorflow --machine os=linux --env '~/x'
err begins with ~
exit 2
$ tenon plan tensorflow --machine os=linux --env '~/x' --lang zh
err 只有 shell 会展开它
exit 2
$ tenon plan tensorflow --machine os=linux --env 'x~'
out 'x~'
exit 0
