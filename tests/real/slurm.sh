#!/usr/bin/env bash
# A real Slurm (controller, one node, munge) on loopback, whose node has one GPU by gres.conf: doctor in a job that asked for
# none says scheduler-gave-no-gpu, in a job with --gres=gpu:1 it does not, with Slurm's own variables and nobody else's.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "Slurm needs root here"
PATH=$PATH:/usr/sbin
for tool in slurmctld slurmd srun sinfo munged unshare mknod; do
    command -v $tool >/dev/null || skip "$tool is not installed (slurmctld slurmd slurm-client munge)"
done
unshare -m -u true 2>/dev/null || skip "mount namespaces are not allowed here"

D=$WORK/cluster
host=$(hostname -s)
mkdir -m 755 "$D"
mkdir -m 711 "$D/munge" # munged refuses a folder of its socket that others cannot enter
mkdir "$D/state" "$D/spool" "$D/log" "$D/sys"
chmod 755 "$WORK"
head -c 1024 /dev/urandom >"$D/munge/key"
chmod 400 "$D/munge/key"
mknod "$D/nvidia0" c 1 3 || skip "device nodes cannot be made here" # File= wants a character device
cat >"$D/slurm.conf" <<C
ClusterName=tenon
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16917
AuthType=auth/munge
AuthInfo=socket=$D/munge/socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$D/state
SlurmdSpoolDir=$D/spool
SlurmctldPidFile=$D/slurmctld.pid
SlurmdPidFile=$D/slurmd.pid
SlurmctldLogFile=$D/log/slurmctld
SlurmdLogFile=$D/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1
CommunicationParameters=NoCtldInAddrAny
GresTypes=gpu
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=16918 CPUs=1 RealMemory=256 Gres=gpu:1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
C
echo "NodeName=n1 Name=gpu Count=1 File=$D/nvidia0" >"$D/gres.conf"
export SLURM_CONF=$D/slurm.conf
PIDS=()
stop() { # the node first, while the controller still hears it
    [ ! -d "$WORK" ] || timeout 5 scancel -u root 2>/dev/null || :
    local i p n
    for ((i = ${#PIDS[@]} - 1; i >= 0; i--)); do
        p=${PIDS[i]}
        kill "$p" 2>/dev/null || :
        for n in $(seq 60); do
            if [ ! -e "/proc/$p" ] || grep -q '^State:.Z' "/proc/$p/status" 2>/dev/null; then break; fi
            sleep .05
        done
        kill -9 "$p" 2>/dev/null || :
    done
    rm -rf "$WORK"
}
trap stop EXIT
munged -F --key-file="$D/munge/key" --socket="$D/munge/socket" --pid-file="$D/munge/pid" --log-file="$D/munge/log" \
    --seed-file="$D/munge/seed" >"$D/log/munged.out" 2>&1 </dev/null &
PIDS+=($!)
for _ in $(seq 250); do [ ! -S "$D/munge/socket" ] || break; sleep .02; done
[ -S "$D/munge/socket" ] || skip "munged does not start: $(tail -1 "$D/log/munged.out")"
slurmctld -D >"$D/log/slurmctld.out" 2>&1 </dev/null &
PIDS+=($!)
# The node's own view of the machine: a card on the bus and a loaded driver.
D=$D unshare -m sh -c '
    mount -t tmpfs none /proc/driver && mkdir -p /proc/driver/nvidia/gpus/0000:01:00.0 &&
    printf "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.309.01  Wed Mar 25 00:00:00 UTC 2026\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n" >/proc/driver/nvidia/version &&
    printf "Model: \t\t NVIDIA GeForce GTX 1080\n" >/proc/driver/nvidia/gpus/0000:01:00.0/information &&
    exec slurmd -D -N n1' >"$D/log/slurmd.out" 2>&1 </dev/null &
PIDS+=($!)
for _ in $(seq 200); do
    [ "$(sinfo -h -N -t idle -o %N 2>/dev/null)" != n1 ] || break
    sleep .05
done
[ "$(sinfo -h -N -t idle -o %N 2>/dev/null)" = n1 ] || skip "the node does not come up: $(tail -1 "$D/log/slurmd" 2>/dev/null)"

doctor() { # NAME ARGS OF SRUN...
    local name=$1 rc=0
    shift
    timeout 30 srun -Q "$@" "$TENON" doctor --json --expect gpu >"$WORK/$name.json" 2>"$WORK/$name.err" </dev/null || rc=$?
    [ -s "$WORK/$name.json" ] || fail "srun $*: $rc $(cat "$WORK/$name.err")"
}
status() { json "$WORK/$1.json" "next((f['status'] for f in d['findings'] if f['cause']=='scheduler-gave-no-gpu'), None)"; }
doctor without
case $(status without) in likely | confirmed) ;; *) fail "a job without GPUs: $(status without)" ;; esac
json "$WORK/without.json" "[f['remedies'][0]['command'] for f in d['findings'] if f['cause']=='scheduler-gave-no-gpu']" | has 'srun --gpus=1' ||
    fail "the remedy is not Slurm's"
doctor with --gres=gpu:1
same "$(status with)" None "a job with --gres=gpu:1"
doctor hidden env CUDA_VISIBLE_DEVICES=NoDevFiles
same "$(status hidden)" confirmed "hidden by Slurm's own word"
timeout 30 srun -Q --gres=gpu:1 "$TENON" snapshot >"$WORK/s.json" 2>/dev/null </dev/null
same "$(json "$WORK/s.json" "d['scheduler']['kind']['value']+' '+d['scheduler']['gpus']['value']")" "slurm 0" "facts of the job"
echo "jobs of $(srun --version) with and without a GPU told apart"
