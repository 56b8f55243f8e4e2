#!/usr/bin/env bash
# Names of environments made of everything that shells, terminals and file systems know, in the commands of a plan, typed into
# the real sh, bash and busybox sh: each program is started with the very words that were meant, nothing else runs, nothing is
# made; a name that cannot be quoted leaves no command at all and exit status 4. The programs are stand-ins that write down
# their words.
. "$(dirname "$0")/lib.sh"
mkdir "$WORK/bin" "$WORK/at"
cat >"$WORK/bin/words" <<'S'
#!/bin/sh
{ printf '%s\0' "${0##*/}" "$@"; printf '\0'; } >>"$WORDS"
S
chmod +x "$WORK/bin/words"
for p in uv conda tenon python3.10 python3.11; do ln -s words "$WORK/bin/$p"; done
shells=
for s in dash bash "busybox sh" zsh; do
    if command -v "${s%% *}" >/dev/null; then shells="$shells${shells:+,}$s"; fi
done
SHELLS=$shells BIN=$WORK/bin AT=$WORK/at python3 - <<'P' || fail "see above"
import json, os, random, subprocess, sys
random.seed(20261202)
tenon, at, bin_dir = os.environ["TENON"], os.environ["AT"], os.environ["BIN"]
words = os.path.join(os.path.dirname(bin_dir), "said")
made = ["plain", "a b", "-x", "--help", "$(touch hit)", "`touch hit`", "a;touch hit", "a&touch hit", "a|touch hit", "a\ttouch", "a\ntouch hit",
        "a'b", "'", "''", "a\"b", "a\\", "\\", "$HOME", "${IFS}", "~x", "a*", "?", "[a]", "{a,b}", "!!", "#x", "a#b", "=", "a=b", "%PATH%",
        "a\rb", "\x1b[31m", "\x07", "a\x7f", "环境", "é", "a\u202eb", "a\u200bb", "\u2028", "a\u00a0b", "\ud800".encode("utf-8", "surrogatepass"),
        b"\xff\xfe", "x" * 300, ">hit", "<hit", ">>hit", "2>hit", "a)b", "(touch hit)", "\u2018x\u2019", "a:b", "./x y", "*/../*"]
letters = list(" \t'\"\\$`;&|<>(){}[]*?!#~=%^@:,.-+_/\n\r\x1b\x00ab0é\u202e\u200f\u2066\u00ad\ufeff环")
for _ in range(150):
    made.append("".join(random.choice(letters) for _ in range(random.randint(1, 12))).replace("\x00", "") or "x")
n = refused = ran = 0
for name in made:
    raw = name if isinstance(name, bytes) else name.encode()
    for what in (["--method", "uv"], ["--method", "pip", "--python", "3.11"], ["--method", "mixed", "--python", "3.10", "--os=linux"]):
        spec = ["onnxruntime", "--cpu"] if what[1] != "mixed" else ["tensorflow==2.10"]
        machine = "os=linux" + (",python=3.11" if what[1] == "pip" else ",gpu=RTX 3060,driver=535.54.03" if what[1] == "mixed" else "")
        what = [w for w in what if not w.startswith("--os")]
        r = subprocess.run([tenon, "plan", *spec, *what, "--machine", machine, b"--env=" + raw, "--json"], cwd=at, capture_output=True)
        n += 1
        if raw == b"~" or raw[:2] in (b"~/", b"~\\"): # somebody's home: refused before anything is planned
            if r.returncode != 2:
                sys.exit(f"{raw!r}: exit {r.returncode}")
            continue
        if r.returncode not in (0, 4):
            sys.exit(f"{raw!r} {what}: exit {r.returncode}: {r.stderr.decode()[:300]}")
        steps = json.loads(r.stdout)["steps"]
        commands = [s["command"] for s in steps]
        shown = isinstance(name, str) and name.isprintable() and "\u00a0" not in name
        if r.returncode == 4:
            refused += 1
            if shown and not any(c in name for c in "\u00ad"):
                sys.exit(f"{raw!r}: refused without need")
            if any(commands) or b"tenon: " not in r.stderr:
                sys.exit(f"{raw!r}: a command beside a refused word: {commands}")
            continue
        if not all(commands):
            sys.exit(f"{raw!r}: exit 0 and no command: {commands}")
        text = "\n".join(commands) + "\n"
        if any(ord(c) < 32 and c != "\n" or ord(c) == 127 for c in text):
            sys.exit(f"{raw!r}: control characters in {text!r}")
        got = {}
        for shell in os.environ["SHELLS"].split(","):
            open(words, "w").close()
            env = {"PATH": bin_dir + ":/usr/bin:/bin", "WORDS": words, "HOME": "/nowhere"}
            lines = [c for c in commands if not c.startswith("(cd ")]
            for line in lines: # as they are pasted, one after the other; a program below the new folder is not there
                subprocess.run([*shell.split(), "-c", line], cwd=at, env=env, capture_output=True, stdin=subprocess.DEVNULL)
            ran += 1
            said = [x.split(b"\0") for x in open(words, "rb").read().split(b"\0\0")[:-1]]
            want = len(lines) - (what[1] == "pip") # each line one program
            if len(said) != want:
                sys.exit(f"{shell}: {raw!r}: {len(said)} programs started, not {want}: {lines}")
            for program in said:
                hold = [w for w in program if raw in w]
                if not hold or any(w not in (raw, b"./" + raw, raw + b"/bin/python", b"./" + raw + b"/bin/python") for w in hold if len(raw) > 3):
                    sys.exit(f"{shell}: {raw!r}: the program got {program}")
            got[shell] = said
        if len({repr(v) for v in got.values()}) != 1:
            sys.exit(f"{raw!r}: shells differ: {got}")
        left = os.listdir(at)
        if left:
            sys.exit(f"{raw!r}: made {left}")
print(f"plan_words: {n} plans, {refused} refused, {ran} runs in {os.environ['SHELLS']}: every program got the words that were meant")
P
