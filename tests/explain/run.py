#!/usr/bin/env python3
"""Texts that were written before the forms were looked at: tests/explain/*.jsonl (text, cause, also_ok, from), each
file with the share of first answers it has reached (REACHED; third.jsonl: machine messages of public reports, of which
112 of 145 were answered right when they were first asked; fourth.jsonl: 52 of 79, fifth.jsonl: 54 of
71, sixth.jsonl: 20 of 30, seventh.jsonl: 45 of 72, eighth.jsonl: 29 of 48, ninth.jsonl: 25 of 43, tenth.jsonl: 40 of
51, eleventh.jsonl: 29 of 42, twelfth.jsonl: 17 of 19, thirteenth.jsonl: 41 of 54,
fourteenth.jsonl: 23 of 29, fifteenth.jsonl: 20 of 24); and healthy/*.txt and
healthy.jsonl, of which none may be given a cause above "possible". --misses prints each text that is answered otherwise."""
import concurrent.futures
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TENON = os.environ.get('TENON', os.path.join(HERE, '../../build/tenon'))
# of a hundred; a file that is not named here must reach DEFAULT
REACHED = {'upper.jsonl': 97, 'upper_second.jsonl': 97, 'lower.jsonl': 98, 'third.jsonl': 97, 'fourth.jsonl': 97, 'fifth.jsonl': 97,
           'sixth.jsonl': 93, 'literals.jsonl': 100, 'seventh.jsonl': 98,
           'eighth.jsonl': 98, 'ninth.jsonl': 90, 'tenth.jsonl': 96, 'eleventh.jsonl': 95, 'twelfth.jsonl': 95,
           'thirteenth.jsonl': 96, 'fourteenth.jsonl': 97, 'fifteenth.jsonl': 95}
DEFAULT = 80


def ask(text):
    r = subprocess.run([TENON, 'explain', '--json', '--no-join', '-'], input=text, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=60)
    if r.returncode not in (0, 1):
        sys.exit('explain: exit %d: %s' % (r.returncode, r.stderr.decode()[:200]))
    found = [f for f in json.loads(r.stdout)['findings'] if f['status'] not in ('ruled_out', 'untestable')]
    return r.returncode, [(f['cause'], f['status']) for f in found]


def score(path, pool):
    with open(path, encoding='utf-8') as f:
        rows = [json.loads(line) for line in f if line.strip()]
    first = third = 0
    for row, (_, got) in zip(rows, pool.map(lambda x: ask(x['text'].encode()), rows)):
        good = {row['cause'], *row['also_ok']}
        names = [c for c, _ in got] or ['unknown']
        first += names[0] in good
        third += bool(good & set(names[:3]))
        if names[0] not in good and '--misses' in sys.argv:
            print('  %s: wanted %s, got %s' % (row['text'].strip()[-90:].replace('\n', ' / '), row['cause'], got[:3]))
    name = os.path.basename(path)
    wanted = REACHED.get(name, DEFAULT)
    print('%s: first %d of %d, first three %d' % (name, first, len(rows), third))
    return 100 * first >= wanted * len(rows)


def healthy(pool):
    names = sorted(glob.glob(os.path.join(HERE, 'healthy', '*.txt')))
    texts = []
    for name in names:
        with open(name, 'rb') as f:
            texts.append(f.read())
    with open(os.path.join(HERE, 'healthy.jsonl'), encoding='utf-8') as f:
        for n, line in enumerate(f, 1):
            names.append('healthy.jsonl:%d' % n)
            texts.append(json.loads(line)['text'].encode())
    bad = 0
    for name, (rc, got) in zip(names, pool.map(ask, texts)):
        sure = [g for g in got if g[1] != 'possible']
        if rc or sure:
            bad += 1
            print('  false alarm: %s: exit %d, %s' % (os.path.basename(name), rc, sure))
    print('healthy: %d texts, %d false alarms' % (len(names), bad))
    return not bad


def main():
    ok = True
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for path in sorted(glob.glob(os.path.join(HERE, '*.jsonl'))):
            ok = (path.endswith('healthy.jsonl') or score(path, pool)) and ok
        ok = healthy(pool) and ok
    sys.exit(0 if ok else 1)


main()
