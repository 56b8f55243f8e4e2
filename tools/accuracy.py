#!/usr/bin/env python3
"""How often `tenon explain` names the right cause: accuracy.py [--cases FOLDER] [--misses] [--per-cause]

Puts the development cases (a folder with dev*.jsonl and healthy/) to the program as their own score.py does, prints
top-1 and top-3 as they are, and again leaving one source out: each case judged with the forms switched off that were
learnt from its report alone. That second figure is the one to quote. Then the texts without a cause: none may be given
one above "possible"."""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAMES = {'tf': 'TensorFlow version', 'torch': 'PyTorch version', 'jax': 'JAX version', 'python': 'Python version',
         'cuda': 'CUDA version', 'cudnn': 'cuDNN version', 'driver': 'NVIDIA driver version', 'gpu': 'GPU model',
         'install_method': 'Installed with', 'other': 'Other'}
DEAD = ('ruled_out', 'untestable')


def form(case):
    out = ['OS: ' + case['os']] if case.get('os') else []
    out += ['%s: %s' % (NAMES.get(k, k), v) for k, v in (case.get('facts') or {}).items() if v]
    return '\n'.join(out) + '\n\n' + case['evidence'] + '\n'


def ask(text, forget=None):
    words = [os.environ.get('TENON', os.path.join(ROOT, 'build/tenon')), 'explain', '--json', '--no-join']
    if forget:
        words += ['--forget', forget]
    r = subprocess.run(words + ['-'], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20)
    if r.returncode not in (0, 1):
        raise RuntimeError('exit %d: %s' % (r.returncode, r.stderr.decode()[:200]))
    return [(f['cause'], f['status']) for f in json.loads(r.stdout)['findings'] if f['status'] not in DEAD]


def judge(case, forget):
    got = [c for c, _ in ask(form(case), case['url'] if forget else None)] or ['unknown']
    good = {case['cause'], *case['also_ok']}
    return got[0] in good, bool(good & set(got[:3])), got[:3]


def score(cases, forget, pool):
    rows = list(pool.map(lambda c: judge(c, forget), cases))
    return sum(r[0] for r in rows), sum(r[1] for r in rows), rows


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--cases', default=os.path.join(ROOT, '../shared/cases'))
    p.add_argument('--misses', action='store_true')
    p.add_argument('--per-cause', action='store_true')
    p.add_argument('--causes', help='only cases of these causes, by commas')
    a = p.parse_args()
    if not os.path.isdir(a.cases):
        print('skipped: no folder %s' % a.cases)
        return
    cases = []
    for name in sorted(glob.glob(os.path.join(a.cases, 'dev*.jsonl'))):
        with open(name, encoding='utf-8') as f:
            cases += [json.loads(line) for line in f]
    if a.causes:
        cases = [c for c in cases if c['cause'] in a.causes.split(',')]
    if not cases:
        sys.exit('no cases in %s' % a.cases)
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    n, ends = len(cases), []
    for forget, what in ((False, 'as it is'), (True, 'leaving one source out')):
        one, three, rows = score(cases, forget, pool)
        print('%-24s top-1 %d/%d = %.1f %%, top-3 %d/%d = %.1f %%' % (what, one, n, 100 * one / n, three, n, 100 * three / n))
        ends.append(rows)
    unknown = sum(r[2] == ['unknown'] for r in ends[1])
    print('%-24s %d' % ('no cause named', unknown))
    if a.misses:
        for c, r in zip(cases, ends[1]):
            if not r[0]:
                print('%s\t%s\t%s\t%s' % ('top3' if r[1] else 'miss', c['id'], c['cause'], ' '.join(r[2])))
    if a.per_cause:
        per = collections.defaultdict(lambda: [0, 0])
        for c, r in zip(cases, ends[1]):
            per[c['cause']][0] += r[0]
            per[c['cause']][1] += 1
        for k, (x, y) in sorted(per.items()):
            print('  %-32s %d/%d' % (k, x, y))
    alarms = 0
    files = sorted(glob.glob(os.path.join(a.cases, 'healthy/*')))
    for name in files:
        with open(name, encoding='utf-8', errors='replace') as f:
            got = [c for c, s in ask(f.read()) if s != 'possible']
        if [c for c in got if c not in ('benign-warning', 'tensorrt-missing') or 'harmless-' not in name]:
            alarms += 1
            print('alarm\t%s\t%s' % (os.path.basename(name), ' '.join(got)))
    print('%-24s %d of %d' % ('false alarms', alarms, len(files)))
    sys.exit(0 if alarms == 0 and ends[1] and sum(r[0] for r in ends[1]) >= 0.85 * n else 1)


if __name__ == '__main__':
    main()
