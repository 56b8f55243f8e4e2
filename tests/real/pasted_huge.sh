#!/usr/bin/env bash
# 1 GB of pasted text: panels of nvidia-smi without end, one line, XML that only opens, zeros of a sparse file. By a pipe and as
# a file each is answered within a minute and 300 MB, and what begins with a card is still about that card. 1 GB of panels and
# of zeros; the other kinds are as long in the long check (TENON_LONG), 128 MB here.
. "$(dirname "$0")/lib.sh"
cat >"$WORK/huge.py" <<'P'
import json, os, subprocess, sys, threading, time
tenon, work = sys.argv[1:3]
SIZE = 1 << 30
SOME = SIZE if os.environ.get("TENON_LONG") else 128 << 20
HEAD = b"| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |\n"
ROW = (b"|   0  NVIDIA B200                    On  |   00000000:63:00.0 Off |                    0 |\n"
       b"| N/A   26C    P0            139W / 1000W |       0MiB / 183359MiB |      0%      Default |\n")
KINDS = {"panels": HEAD + ROW, "cards without end": ROW, "one line": b"A" * 1000, "bars": b"|", "XML that opens": b"<gpu id=\"00000000:0C:00.0\"><product_name>",
         "entities": b"<!ENTITY a \"&b;&b;&b;\">", "list": b"GPU 00000000:01:00.0\n    Product Name : GeForce GTX 780\n", "empty lines": b"\n", "escapes": b"\x1b[31m\x1b]0;"}
bad = 0
def measure(name, args, feed, size=SIZE):
    global bad
    begin = time.monotonic()
    p = subprocess.Popen([tenon, *args], stdin=subprocess.PIPE if feed else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = []
    t = threading.Thread(target=lambda: out.append(p.stdout.read()))
    t.start()
    if feed:
        block, sent = feed * ((1 << 20) // len(feed)), 0
        try:
            while sent < size:
                p.stdin.write(block)
                sent += len(block)
            p.stdin.close()
        except BrokenPipeError:
            pass # it has read enough
    t.join()
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = 0
    took, code = time.monotonic() - begin, os.waitstatus_to_exitcode(status)
    mb = usage.ru_maxrss >> 10
    try:
        found = [f["cause"] for f in json.loads(out[0]).get("findings", [])]
    except ValueError:
        found = None
    right = code in (0, 1, 2, 3) and took < 60 and mb < 300 and (found is not None or code == 2)
    bad += not right
    print(f"{name:34} {took:5.1f} s {mb:4} MB  exit {code} {found} {'' if right else 'WRONG'}")
    return out[0]
for name, text in KINDS.items():
    measure(name + ", pipe", ["explain", "--no-join", "--json", "-"], text, SIZE if name == "panels" else SOME)
# Each line of a list names a card: that is looked up, and costs no more than ten times a line that names none.
def seconds(line):
    text = b"".join(line % i for i in range((4 << 20) // len(line)))
    begin = os.times()
    subprocess.run([tenon, "explain", "--no-join", "--json", "-"], input=text, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return os.times().children_user - begin.children_user
card, plain = seconds(b"GPU 1: Tesla T4 (UUID: GPU-%08d-1111)\n"), seconds(b"log 1: lines in (step: of %08d-1111)\n")
bad += card > 10 * max(plain, 0.05)
print(f"4 MB of lines that name cards: {card:.2f} s, that name none: {plain:.2f} s {'WRONG' if card > 10 * max(plain, 0.05) else ''}")
said = measure("panels as a machine, pipe", ["doctor", "--json", "--from", "-"], HEAD + ROW)
if b"B200" not in said:
    print("WRONG: the card at its beginning is lost")
    bad += 1
sparse = work + "/sparse"
with open(sparse, "wb") as f:
    f.write(HEAD + ROW)
    f.truncate(SIZE)
measure("sparse file", ["explain", "--no-join", "--json", sparse], None)
measure("sparse file as a machine", ["doctor", "--json", "--from", sparse], None)
measure("sparse file, versions", ["versions", "--json", "--from", sparse], None)
sys.exit(1 if bad else 0)
P
python3 "$WORK/huge.py" "$TENON" "$WORK" || fail "see above"
