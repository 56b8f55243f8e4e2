# Real work where there is no GPU: what was not tried is said, and it is no "ok".
$ tenon verify --level some
exit 2
err quick or full

$ tenon verify --gpu first
exit 2
err number

$ tenon verify --help
out --level quick|full
out --placement
out --gpu N

$ tenon table gpus --gpu "RTX 3090"
out RTX 3090

$ tenon doctor --verify --root /
exit 2
err --verify works on this machine alone

$ tenon doctor --help
out --verify
