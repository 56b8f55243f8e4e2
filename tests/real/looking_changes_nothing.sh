#!/usr/bin/env bash
# Every looking command under strace, in a read-only root: nothing is opened for writing, no socket but AF_UNIX, nothing is
# run, no node is made, no file of any kind changes (design 6.11, promise 9). Every command: looking.txt.
. "$(dirname "$0")/lib.sh"
command -v strace >/dev/null || skip "strace is not installed"
[ "$(id -u)" = 0 ] || skip "a read-only root needs root"
unshare -m true 2>/dev/null || skip "mount namespaces are not allowed here"
looking_about
looking "${about[@]}" >"$WORK/all"
cat >"$WORK/in.sh" <<X
set -e
mount --make-rprivate /
mount --bind $WORK $WORK
mount -o remount,bind,ro /
while read -r args; do
    n=\$((n + 1))
    strace -f -y -qq -o $WORK/trace.\$n -e trace=%file,%network,%process,openat,openat2,write,fchmod,fchown,ftruncate,mount,ioctl,setxattr \
        $TENON \$args >$WORK/out.\$n 2>$WORK/err.\$n <${about[2]} || case \$? in 1 | 3) ;; *) echo "tenon \$args ended with \$?"; cat $WORK/err.\$n; exit 1 ;; esac
    echo "\$args" >$WORK/args.\$n
done <$WORK/all
X
unshare -m bash "$WORK/in.sh" || fail "a looking command did not end well in a read-only root"
python3 - "$WORK" <<'X'
import glob, re, sys
bad, seen = [], 0
for trace in sorted(glob.glob(sys.argv[1] + "/trace.*")):
    args = open(trace.replace("trace.", "args.")).read().strip()
    execs = 0
    for line in open(trace, errors="replace"):
        call = re.sub(r"^\d+\s+", "", line)
        name = call.split("(")[0]
        if name in ("open", "openat", "openat2", "creat") and re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)", call):
            bad.append((args, line))
        elif name in ("socket", "connect", "bind", "sendto", "sendmsg") and "AF_UNIX" not in call:
            bad.append((args, line))
        elif name in ("mknod", "mknodat", "unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "rmdir", "symlink", "symlinkat",
                      "link", "linkat", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "truncate", "ftruncate", "mount", "umount2",
                      "utimensat", "setxattr", "lsetxattr", "fsetxattr", "fork", "vfork"):
            bad.append((args, line))
        elif name in ("clone", "clone3"): # copies of tenon look, where disks are searched or measured; threads never do
            if ("--deadline" not in args and args.split(" ")[0] not in ("find", "envs", "clean")) or "CLONE_VM" in call:
                bad.append((args, line))
        elif name == "write" and not re.match(r"write\(((1|2)<|\d+<pipe:)", call): # a pipe is its own: between copies of it
            bad.append((args, line))
        elif name == "execve":
            execs += 1
    if execs != 1:
        bad.append((args, f"{execs} programs were run\n"))
    seen += 1
for args, line in bad[:20]:
    print("tenon", args, ":", line.rstrip())
print(f"{seen} ways of looking")
sys.exit(1 if bad or seen < 30 else 0)
X
