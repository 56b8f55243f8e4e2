# tenon envs: every environment, whether it would see the GPU, and the first reason why not.

$ tenon envs --from $SHARED_MACHINES/home-local-beside-venv.json --lang en
first 2 Python environments on
out 1 GPU-ready, 1 not, 0 unclear, 0 without a framework
out ready  3.11.2  tensorflow 2.15.1
out cpu-only-build: tensorflow-cpu 2.15.1 is a CPU build
out the one that tenon judges

$ tenon envs --from $SHARED_MACHINES/home-local-beside-venv.json --lang zh
out 1 个 GPU 可用，1 个不可用
out tenon 默认判断的环境
out cpu-only-build：

$ tenon envs --from $SHARED_MACHINES/home-local-beside-venv.json --json
json command "envs"
json length environments 2
json machine_reason null
json environments[0].gpu_ready true
json environments[0].reason null
json environments[0].judged true
json environments[0].frameworks[0].name "tensorflow"
json environments[1].gpu_ready false
json environments[1].reason "cpu-only-build"
json environments[1].reason_of "environment"
json environments[1].path "/usr"

# What stops all is told once; an environment with a fault of its own is told by that.
$ tenon envs --from $SHARED_MACHINES/driver-missing.json --lang en
out None of them can use a GPU now: driver-missing:
$ tenon envs --from $SHARED_MACHINES/driver-missing.json --json
json machine_reason "driver-missing"
json environments[0].gpu_ready false
json environments[0].reason_of "machine"

# Words filter; an order is chosen.
$ tenon envs cpu-only-build --from $SHARED_MACHINES/home-local-beside-venv.json --json
json length environments 1
json environments[0].path "/usr"
$ tenon envs --filter READY --from $SHARED_MACHINES/home-local-beside-venv.json --json
json length environments 1
json environments[0].gpu_ready true
$ tenon envs --sort gpu --from $SHARED_MACHINES/home-local-beside-venv.json --json
json environments[0].gpu_ready true
$ tenon envs --sort path --from $SHARED_MACHINES/home-local-beside-venv.json --json
json environments[0].path "/home/ada/tf"
$ tenon envs jax --from $SHARED_MACHINES/home-local-beside-venv.json --lang en
exit 1
out No row matches the filter.
$ tenon envs --sort size --from $SHARED_MACHINES/home-local-beside-venv.json --json
json environments[0].bytes null
json bytes null
$ tenon envs --sort colour
exit 2
err --sort takes path
$ tenon evns
exit 2
err did you mean envs?
$ tenon envs --help --lang en
out tenon envs [WORD...]
out those without a framework too

# Those without a framework are counted, and shown when asked for.
$ tenon envs --from $SHARED_MACHINES/lab-server.json --lang en
out 1 without a framework are not shown (--all shows them).
$ tenon envs --all --from $SHARED_MACHINES/lab-server.json --lang en
not are not shown
