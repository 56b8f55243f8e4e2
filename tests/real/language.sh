#!/usr/bin/env bash
# Languages and terminals: Chinese by LANG alone, with no such locale installed; narrow terminals; no escape where none belongs.
. "$(dirname "$0")/lib.sh"
unset LANG LANGUAGE LC_ALL LC_MESSAGES LC_CTYPE TENON_LANG NO_COLOR VIRTUAL_ENV CONDA_PREFIX
M=$TENON_SOURCE/tests/machines
han() { grep -qP '\p{Han}' "$1"; }
export -f han
say() { env "$@" "$TENON" doctor >"$WORK/out" 2>"$WORK/err" </dev/null || [ $? -le 3 ] || fail "$* ended oddly"; iconv -f UTF-8 -t UTF-8 "$WORK/out" >/dev/null || fail "$*: not UTF-8"; }
chinese() { say "$@"; LC_ALL=C.UTF-8 han "$WORK/out" || fail "$* is to speak Chinese: $(head -1 "$WORK/out")"; }
english() { say "$@"; if LC_ALL=C.UTF-8 han "$WORK/out"; then fail "$* is to speak English: $(head -1 "$WORK/out")"; fi; }
for l in zh_CN.UTF-8 zh_TW.UTF-8 zh_HK.utf8 zh_CN zh_SG.UTF-8; do
    chinese LANG=$l
    chinese LC_ALL=$l LANG=en_US.UTF-8
    chinese LC_MESSAGES=$l LANG=en_US.UTF-8
    english LC_ALL=C LANG=$l
    chinese TENON_LANG=zh LC_ALL=C
done
# A terminal of another character set gets the same words in it; documents stay UTF-8; no module of GCONV_PATH is loaded.
say LANG=zh_CN.UTF-8; cp "$WORK/out" "$WORK/utf8"
for v in LANG LC_ALL; do
    for set in GBK GB18030; do
        env $v=zh_CN.$set GCONV_PATH="$WORK" "$TENON" doctor >"$WORK/out" 2>/dev/null </dev/null || [ $? -le 3 ] || fail "$set ended oddly"
        iconv -f $set -t UTF-8 "$WORK/out" | cmp - "$WORK/utf8" || fail "$v=zh_CN.$set: not the same text in $set"
        env $v=zh_CN.$set "$TENON" doctor --json >"$WORK/out" 2>/dev/null </dev/null || [ $? -le 3 ] || fail "$set ended oddly"
        json "$WORK/out" "d['command']" >/dev/null || fail "--json under $set is no document"
    done
done
english LANG=zh_TW.Big5
english LANG=C
english LANG=
english LANG=de_DE.UTF-8
english LANG=zh_CN.UTF-8 TENON_LANG=en

# On a terminal of 100 columns and of 60: every line fits, by the width of what is shown (East Asian wide characters count
# two), but for single words and for commands, which one copies whole.
cat >"$WORK/term.py" <<'X'
"""term.py WIDTH PROGRAM ARGUMENTS... : runs it on a terminal of that width. term.py PROGRAM FOLDER : all machines of a folder."""
import fcntl, glob, json, os, pty, re, struct, subprocess, sys, termios, unicodedata
def run(width, argv):
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        os.execv(argv[0], argv)
    out = b""
    while True:
        try:
            part = os.read(fd, 65536)
        except OSError:
            break
        if not part:
            break
        out += part
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), out.replace(b"\r\n", b"\n")
def too_wide(text, width, commands):
    for line in re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n"):
        shown = sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
        longest = len(max(re.split(r"\s+|[\u2e80-\uffff]", line), key=len))
        if shown > width and line.strip() not in commands and longest + len(line) - len(line.lstrip()) < width - 6: # and its punctuation
            yield f"{shown} columns: {line}"
if sys.argv[1].isdigit():
    status, out = run(int(sys.argv[1]), sys.argv[2:])
    sys.stdout.buffer.write(out)
    sys.exit(status)
os.chdir(sys.argv[2])
machines, bad = sorted(glob.glob("*.json")), []
for m in machines:
    for lang in "en", "zh":
        doc = json.loads(subprocess.run([sys.argv[1], "doctor", "--from", m, "--lang", lang, "--json"], stdout=subprocess.PIPE).stdout.decode("utf-8"))
        commands = {x.strip() for f in doc["findings"] for r in f["remedies"] for x in (r["command"] or "").split("\n")}
        commands |= {f"tenon plan --fix {f['cause']} --from {m}" for f in doc["findings"]} # where a remedy has several lines
        for width in 100, 60:
            status, out = run(width, [sys.argv[1], "doctor", "--from", m, "--lang", lang])
            text = out.decode("utf-8")
            if not text or not 0 <= status <= 3 or bool(re.search("[\u4e00-\u9fff]", text)) != (lang == "zh"):
                bad.append(f"{m} in {lang}: exit {status}, {text[:80]!r}")
            bad += [f"{m} in {lang}: {x}" for x in too_wide(text, width, commands)]
print("\n".join(bad[:10]))
sys.exit(1 if bad or not machines else 0)
X
TERM=xterm-256color LANG=C.UTF-8 python3 "$WORK/term.py" "$TENON" "$M" || fail "lines of the verdict"

terminal() { # WIDTH LANG ARGUMENTS... -> $WORK/out
    local w=$1 l=$2
    shift 2
    TERM=xterm-256color LANG=C.UTF-8 python3 "$WORK/term.py" "$w" "$TENON" "$@" --lang "$l" >"$WORK/out" || [ $? -le 3 ] || fail "$* on a terminal ended oddly"
}
escape=$(printf '\033')
first=$(ls "$M"/*.json | sed -n 1p)
terminal 100 en doctor --from "$first"
grep -q "$escape" "$WORK/out" || fail "a terminal is to have colour"
sed "s/$escape\[[0-9;]*m//g" "$WORK/out" >"$WORK/without"
for how in plain no-color dumb pipe; do
    case $how in
    plain) terminal 100 en doctor --from "$first" --plain ;;
    no-color) NO_COLOR=1 terminal 100 en doctor --from "$first" ;;
    dumb) TERM=dumb python3 "$WORK/term.py" 100 "$TENON" doctor --from "$first" --lang en >"$WORK/out" || [ $? -le 3 ] ;;
    pipe) LANG=C.UTF-8 TERM=xterm "$TENON" doctor --from "$first" --lang en >"$WORK/out" || [ $? -le 3 ] ;;
    esac
    if grep -q "$escape" "$WORK/out"; then fail "$how: an escape sequence"; fi
    [ $how = pipe ] || cmp -s "$WORK/out" "$WORK/without" || fail "$how says other words than colour does"
done
# Help and messages speak the language, too.
LANG=zh_CN.UTF-8 "$TENON" --help >"$WORK/out"; LC_ALL=C.UTF-8 han "$WORK/out" || fail "help in Chinese"
LANG=zh_CN.UTF-8 "$TENON" nosuchcommand 2>"$WORK/out" && fail "no such command, yet it ran"
LC_ALL=C.UTF-8 han "$WORK/out" || fail "messages in Chinese"
