#!/bin/sh
# explain.sh - `tenon explain` on a log of a gigabyte beside ripgrep with the same literals, and a doubling series.
# Two logs: one of ordinary lines (the texts without a cause of tests/explain), one of documents and sources, which speak
# of GPUs (this project's own). Prints figures; judges nothing.
#
# usage: [TENON=build/tenon] [RG=rg] [SIZE=1000] [KEEP=FOLDER] sh bench/explain.sh
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
TENON=$(realpath "${TENON:-$root/build/tenon}")
RG=${RG:-$(command -v rg || true)}
SIZE=${SIZE:-1000}
work=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work" || exit 2
cc -O2 -o "$work/time" "$here/time.c" || exit 2
export LANG=C.UTF-8

python3 - "$root" "$work" "$SIZE" <<'P' || exit 2
import glob, json, os, re, sys
root, work, size = sys.argv[1], sys.argv[2], int(sys.argv[3]) * 1000000
texts = [json.loads(l)['text'] for l in open(root + '/tests/explain/healthy.jsonl', encoding='utf-8')]
texts += [open(n, encoding='utf-8', errors='replace').read() for n in sorted(glob.glob(root + '/tests/explain/healthy/*.txt'))]
lines = [x for t in texts for x in t.split('\n') if x.strip()]
lines += ['2026-12-02 07:%02d:%02d,%03d INFO  worker-%d step=%d loss=%.4f lr=0.001 throughput=%.1f it/s'
          % (i % 60, i * 7 % 60, i % 1000, i % 8, i, 1 / (i + 1), 12 + i % 9) for i in range(3000)]
lines += ['10.0.%d.%d - - [02/Dec/2026:07:12:45 +0000] "GET /api/v1/items/%d HTTP/1.1" 200 %d "-" "Mozilla/5.0 (X11; Linux x86_64)"'
          % (i % 255, i % 250, i, i * 7) for i in range(3000)]
words = []
for folder, _, names in sorted(os.walk(root)):
    if '/build' not in folder and '/.git' not in folder:
        words += [os.path.join(folder, n) for n in sorted(names) if n.endswith(('.c', '.h', '.py', '.md', '.tsv'))]
for name, text in (('ordinary.log', '\n'.join(lines)), ('words.log', '\n'.join(open(n, encoding='utf-8', errors='replace').read() for n in words))):
    block, n = (text + '\n').encode(), 0
    with open(os.path.join(work, name), 'wb') as f:
        while n < size:
            n += f.write(block)
literals = set()
for name in glob.glob(root + '/data/messages/*'):
    for line in open(name, encoding='utf-8'):
        if line.startswith('text: '):
            parts = [p.strip() for p in re.split(r'\{[a-z_0-9:]+\}', line[6:].rstrip('\n').replace('{{', '{'))]
            literals |= {max(parts, key=len)} if max(map(len, parts)) >= 4 else set()
open(os.path.join(work, 'literals'), 'w', encoding='utf-8').write('\n'.join(sorted(literals)) + '\n')
P

figures() {
    label=$1 file=$2; shift 2
    "$@" >/dev/null 2>&1
    line=$("$work/time" 3 "$@") || { echo "$label: did not run"; return; }
    printf '%-44s %s\n' "$label" "$(echo "$line" | awk -v n="$(wc -c <"$file")" '{printf "%7.2f s  %7.2f s CPU  %6.2f GB/s by CPU  %7.1f MiB", $1, $2, n / $2 / 1e9, $3}')"
}

for log in ordinary words; do
    echo "== $log.log, $(wc -c <"$work/$log.log") bytes"
    figures 'tenon explain' "$work/$log.log" sh -c "\"$TENON\" explain --no-join \"$work/$log.log\" || test \$? = 1"
    [ -n "$RG" ] && figures 'rg -c -i -F -f literals' "$work/$log.log" "$RG" -j1 -c -i -F -f "$work/literals" "$work/$log.log"
    [ -n "$RG" ] && figures 'rg -c -F -f literals (case as it is)' "$work/$log.log" "$RG" -j1 -c -F -f "$work/literals" "$work/$log.log"
done
echo '== doubling'
for part in 8 4 2 1; do
    head -c $((SIZE * 1000000 / part)) "$work/ordinary.log" >"$work/part.log"
    figures "tenon explain, 1/$part" "$work/part.log" sh -c "\"$TENON\" explain --no-join \"$work/part.log\" || test \$? = 1"
done
