# The catalogue: every cause of causes.tsv, those that doctor does not diagnose yet said so.
$ tenon causes
out driver-too-old
out NVIDIA driver too old for this CUDA
out driver-bug
out A fault of this NVIDIA driver release
out (not yet diagnosed by doctor)
out 78 causes

$ tenon causes --lang zh
out NVIDIA 驱动版本过低
out （doctor 暂不能诊断）
last 共 78 种原因

$ tenon causes driver-too-old
first driver-too-old: NVIDIA driver too old for this CUDA
out layer: driver
out minor-version compatibility
out update-driver
out no-nvidia-gpu, driver-missing
last CUDA release notes
not not yet

$ tenon causes driver-bug --lang zh
first driver-bug
not 暂不能诊断
out 换一个驱动版本即可

$ tenon causes driver-to-old
exit 2
quiet
err did you mean driver-too-old?

$ tenon causes zzzzzz --lang zh
exit 2
err 没有原因 zzzzzz

$ tenon causes --json
schema causes.schema.json
json length causes 78
json command "causes"
json causes[0].slug "no-nvidia-gpu"
json causes[0].diagnosed true

$ tenon causes driver-bug --json
schema causes.schema.json
json length causes 1
json causes[0].layer "driver"
json causes[0].diagnosed true
json causes[0].see "NVIDIA driver release notes, Fixed Issues"
json causes[0].remedies [{"id": "other-driver", "title": "Install another release of the NVIDIA driver, newer or older"}]
