# The first finding's remedy as steps, tried on the facts of the machine.
$ tenon plan --fix --from $SHARED_MACHINES/mismatch-535.json
first [driver-library-mismatch]
out tenon doctor would find no problem afterwards
out 1. Restart the machine
out      sudo systemctl reboot
out needs: administrator rights, a restart
out undo:
out Without a restart: end all GPU programs
exit 0
$ tenon plan --fix --lang zh --from $SHARED_MACHINES/mismatch-535.json
out 不会再发现问题
out 需要：管理员权限、重启
exit 0

# One that does not hold says so, and which one does.
$ tenon plan --fix cudnn-missing --from $SHARED_MACHINES/mismatch-535.json
first cudnn-missing does not hold here: there is nothing to mend.
last tenon plan --fix driver-library-mismatch --from
not Restart
exit 0
$ tenon plan --fix cudnn-missing --json --from $SHARED_MACHINES/mismatch-535.json
json status "fits"
json fix.holds false
json steps []
exit 0
$ tenon plan --fix --from $SHARED_MACHINES/a100-driver535-torch-cu124.json
first There is nothing to mend here.
exit 0
$ tenon plan --fix driver-to-old
err driver-too-old
exit 2
$ tenon plan --fix driver-too-old torch
exit 2
$ tenon plan --fix --export sh
exit 2

$ tenon plan --fix --json --from $SHARED_MACHINES/mismatch-535.json
json fix.cause "driver-library-mismatch"
json fix.simulated "mends"
json steps[0].id "reboot"
json steps[0].command "sudo systemctl reboot"
json steps[0].root true
json steps[0].reboot true
json stays null
exit 0

# Another build: planned as plan does it.
$ tenon plan --fix --from $SHARED_MACHINES/gtx1080-torch-cu130.json
first [arch-unsupported]
out fits: torch 2.11.0+cu126
out torch-2.11/bin/python -m pip install
out undo: delete torch-2.11
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/gtx1080-torch-cu130.json
json choice.torch "2.11.0"
json fix.cause "arch-unsupported"
json fix.simulated "mends"
exit 0

# What cannot be told beforehand is said, and why.
$ tenon plan --fix --from $SHARED_MACHINES/wsl2-no-dxg.json
out Done on another machine (a host, Windows, a cluster)
exit 0
$ tenon plan --fix --lang zh --json --from $SHARED_MACHINES/celeron-tf215.json
json fix.simulated "not_told"
json fix.not_told_because "anew"
exit 0

# What the remedies promise as facts is judged: a shell, an environment, the system, a container.
$ tenon plan --fix --json --from $SHARED_MACHINES/loads-tf2161.json
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/stub-libcuda.json
json fix.simulated "mends"
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/torch24-torchvision020.json
json fix.simulated "mends"
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/secure-boot.json
json fix.simulated "mends"
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/docker-without-gpus.json
json fix.simulated "mends"
exit 0
# What the finding had explained is mended by further steps.
$ tenon plan --fix --from $SHARED_MACHINES/torch-cpu-index.json
out pip config unset
out 2. Install PyTorch
out this problem would be gone
exit 0
$ tenon plan --fix --from $SHARED_MACHINES/tf210-cudnn80.json
out nvidia-cudnn-cu11==8.6.0.163
out export LD_LIBRARY_PATH=
out nvidia/cudnn/lib
exit 0

# doctor ends with one line: the command, or the plan of several.
$ tenon doctor --from $SHARED_MACHINES/mismatch-535.json
last   sudo systemctl reboot
exit 1
$ tenon doctor --from $SHARED_MACHINES/cpu-only.json
out one by one, with what each changes
last   tenon plan --fix cpu-only-build --from
exit 1

# Work on the driver: printed step by step, and bounded by what apt-get -s says.
$ tenon plan --fix driver-missing --machine os=ubuntu-22.04,gpu="GTX 1080",driver=none
out driver branch 580 is the last one for
out open kernel module does not run
out Restart the machine
out never does it without a flag of its own and a typed word
out apt-get -s
exit 0
$ tenon plan --fix driver-missing --machine os=ubuntu-22.04,gpu="RTX 5090",driver=none --json
json steps[1].id "reboot"
json fix.driver true
exit 0
$ tenon plan --fix --machine os=linux --simulated $SRC/tests/simulated/d-first-driver.apt
first stays within the driver
exit 0
$ tenon plan --fix --machine os=linux --simulated $SRC/tests/simulated/h-desktop-in-the-crowd.apt
first Refused: gnome-shell would be taken away
exit 4
$ tenon plan --fix --machine os=linux --simulated - < $SRC/tests/simulated/u-kernel-image-goes.apt
first Refused: linux-generic
exit 4
$ tenon plan --fix --machine os=linux --simulated /nonexistent
exit 3

# Story 26, the plan: it runs in a shell that cannot activate.
$ tenon plan tensorflow==2.10 --machine os=windows,gpu="RTX 3060",driver=537.13
out conda run -n tf-2.10 python -m pip install
not activate
exit 0
