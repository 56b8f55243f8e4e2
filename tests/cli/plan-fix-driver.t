# The distribution's own package that serves the card and what is needed, by its exact name and version.
$ tenon plan --fix --from $SHARED_MACHINES/tf210-driver410.json
out Install driver 535.261.03, which this system has as the package nvidia-driver
out sudo apt install nvidia-driver
out tenon doctor would find no problem afterwards
out --dkms
exit 0
$ tenon plan --fix driver-missing --json --machine os=ubuntu-22.04,gpu="GTX 1080",driver=none
json fix.simulated "mends"
json steps[0].id "distro-driver"
json steps[0].command "sudo apt update\nsudo apt install nvidia-driver-580"
exit 0
$ tenon plan --fix driver-missing --machine os=ubuntu-22.04,gpu="Tesla K80",driver=none
out sudo apt install nvidia-driver-470
exit 0
$ tenon plan --fix driver-missing --machine os=ubuntu-24.04,gpu="RTX 5090",driver=none
out runs with the open kernel module alone
out sudo apt install nvidia-driver-595-open
exit 0
# Two cards: the older one decides the branch.
$ tenon plan --fix driver-missing --machine os=ubuntu-24.04,gpu="RTX 3060",gpu="GTX 1080",driver=none
out sudo apt install nvidia-driver-580
not nvidia-driver-580-open
exit 0
# None of its own serves: said, and NVIDIA's repository, pinned where a card ends with a branch.
$ tenon plan --fix driver-missing --machine os=debian-12,gpu="RTX 5090",driver=none
out none of the drivers that debian 12 has in its own repository (the newest is 535.261.03) serves these cards
out repos/debian12/x86_64/cuda-keyring_1.1-1_all.deb
out sudo apt install nvidia-open
exit 0
$ tenon plan --fix driver-missing --machine os=ubuntu-26.04,gpu="Tesla K80",driver=none
out tenon table driver_branches
not sudo apt
exit 0
# Repositories are steps: NVIDIA's for RHEL and its kin with the stream of the branch, RPM Fusion for Fedora.
$ tenon plan --fix driver-missing --machine os=rhel-9,gpu="GTX 1080",driver=none
out sudo dnf module enable nvidia-driver:580-dkms
out sudo dnf install cuda-drivers
exit 0
$ tenon plan --fix driver-missing --lang zh --machine os=fedora-41,gpu="RTX 3060",driver=none
out rpmfusion-nonfree-release-41.noarch.rpm
out tenon 的表中没有本系统软件包的驱动版本
exit 0
# Windows: which driver, and what would be well with it.
$ tenon plan --fix --from $SHARED_MACHINES/win-tf210-driver451.json
out Studio and Game Ready serve CUDA alike
out would find no problem afterwards
not reboot
exit 0
$ tenon table distro_drivers --format json
out nvidia-driver-595-open
exit 0
# Secure Boot: the key, then the screen after the restart.
$ tenon plan --fix --from $SHARED_MACHINES/secure-boot.json
out 1. Sign the module and enrol the key
out 2. Restart; on the blue screen
out never does it without a flag of its own
exit 0
$ tenon plan --fix --from $SHARED_MACHINES/amd-only.json
out tenon doctor --from
out --expect cpu
not See whether it helped
exit 0
