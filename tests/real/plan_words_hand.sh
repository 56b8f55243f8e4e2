#!/usr/bin/env bash
# As plan_words.sh, for what is done by hand and in containers: the programs are stand-ins, the words that they get are the
# ones that were meant in every shell, nothing is made, and a name that cannot be quoted leaves no command.
. "$(dirname "$0")/lib.sh"
mkdir "$WORK/bin" "$WORK/at"
REAL=$(command -v dash || command -v sh)
cat >"$WORK/bin/words" <<S
#!$REAL
{ printf '%s\0' "\${0##*/}" "\$@"; printf '\0'; } >>"\$WORDS"
S
chmod +x "$WORK/bin/words"
for p in python3.10 curl sh mkdir tar cp rm ls sed tenon docker; do ln -s words "$WORK/bin/$p"; done
shells=$REAL
for s in bash busybox zsh; do
    if command -v "$s" >/dev/null; then shells="$shells,$(command -v "$s")"; fi
done
SHELLS=$shells BIN=$WORK/bin AT=$WORK/at python3 - <<'P' || fail "see above"
import json, os, random, subprocess, sys
random.seed(20261202)
tenon, at, bin_dir = os.environ["TENON"], os.environ["AT"], os.environ["BIN"]
words = os.path.join(os.path.dirname(bin_dir), "said")
made = ["plain", "a b", "-x", "--help", "$(touch hit)", "`touch hit`", "a;touch hit", "a&touch hit", "a|touch hit", "a'b", "'", "a\"b", "a\\",
        "$HOME", "${IFS}", "~x", "a*", "?", "[a]", "{a,b}", "!!", "#x", "=", "%PATH%", "环境", "a\nb", "a\u202eb", ">hit", ">>hit", "a)b", "/x y",
        "./x y", "*/../*", "&/x", "a/b&c"]
letters = list(" '\"\\$`;&|<>(){}[]*?!#%^@:,.-+_/\n\x1bab0é\u202e环")
for _ in range(60):
    made.append("".join(random.choice(letters) for _ in range(random.randint(1, 10))))
tails = ("", "/cuda", "/cuda/cudnn", "/cuda/cudnn/lib*/lib*", "/cuda/cudnn/include/*", "/cuda/lib64/", "/cuda/lib64", "/cuda/include/",
         "/bin/python", "/bin/activate")
n = refused = ran = 0
for name in made:
    for method in ("manual", "docker"):
        r = subprocess.run([tenon, "plan", "tensorflow==2.10", "--method", method, "--machine",
                            "os=linux,gpu=RTX 3060,driver=450.80.02,python=3.10", "--env=" + name, "--json"], cwd=at, capture_output=True)
        n += 1
        if r.returncode not in (0, 4):
            sys.exit(f"{name!r} {method}: exit {r.returncode}: {r.stderr.decode()[:300]}")
        commands = [s["command"] for s in json.loads(r.stdout)["steps"]]
        if r.returncode == 4:
            refused += 1
            if name.isprintable() or any(c and ("toolkitpath" in c or "docker" in c) for c in commands):
                sys.exit(f"{name!r}: {commands}")
            continue
        got = {}
        for shell in os.environ["SHELLS"].split(","):
            open(words, "w").close()
            start = [shell, "sh"] if shell.endswith("busybox") else [shell]
            for line in commands:
                env = {"PATH": bin_dir, "WORDS": words, "HOME": "/nowhere"}
                subprocess.run([*start, "-c", line], cwd=at, env=env, capture_output=True, stdin=subprocess.DEVNULL)
            ran += 1
            said = [x.decode().split("\0") for x in open(words, "rb").read().split(b"\0\0")[:-1]]
            if method == "docker":
                if [p[0] for p in said] != ["docker", "docker"] or said[0][1:3] != ["build", "-t"] or said[0][3] != said[1][-1]:
                    sys.exit(f"{shell}: {name!r}: {said}")
            else:
                for program in said:
                    for w in program[1:]:
                        for option in ("--toolkitpath=", "--defaultroot="):
                            if w.startswith(option):
                                w = w[len(option):]
                                w = w.removeprefix(at + "/")
                        if len(name) > 3 and name in w and w not in [p + name + t for p in ("", "./") for t in tails]:
                            sys.exit(f"{shell}: {name!r}: {program[0]} got {w!r}")
                started = [p[0] for p in said if p[0] != "busybox"]
                if not shell.endswith("busybox") and started[:7] != ["python3.10", "curl", "sh", "curl", "mkdir", "tar", "cp"]:
                    sys.exit(f"{shell}: {name!r}: {started}")
            got[shell] = said
        if os.listdir(at):
            sys.exit(f"{name!r}: made {os.listdir(at)}")
print(f"plan_words_hand: {n} plans, {refused} refused, {ran} runs in {os.environ['SHELLS']}")
P
