# What each package manager says that it would do, judged by one rule.
$ tenon plan --fix --machine os=linux --simulated $SRC/tests/simulated/a-real-open-dkms.pacman
first What pacman would do stays within the driver
exit 0
$ tenon plan --fix --machine os=linux --simulated $SRC/tests/simulated/f-desktop-goes.dnf
first Refused: gnome-shell would be taken away, which is no part of the driver (2 of that kind).
exit 4
$ tenon plan --fix --lang zh --machine os=linux --simulated $SRC/tests/simulated/z-kernel-goes.zypper
first 拒绝：会卸载内核的一部分 kernel-default
exit 4
$ tenon plan --fix --machine os=linux --simulated - < $SRC/tests/simulated/f-two-tongues.dnf
first Refused: this is no whole answer
exit 4
$ tenon plan --fix --machine os=linux --simulated $SRC/tests/simulated/f-protected.dnf
first Refused: dnf itself gives up.
exit 4
# The plan names what to ask on each system.
$ tenon plan --fix driver-missing --machine os=fedora-41,gpu="RTX 3060",driver=none
out LC_ALL=C dnf --assumeno with the same words
exit 0
$ tenon plan --fix driver-missing --machine os=opensuse-leap-15.6,gpu="RTX 3060",driver=none
out zypper --non-interactive install --dry-run
exit 0
