#!/usr/bin/env python3
"""Every cause of the layers below the framework has a check, a test that it finds and a near miss that it leaves alone.

Reads data/causes.tsv, the checks (src/check/*.c, TN_CHECK), the unit tests (tests/unit/*.c) and the verdicts of the
recorded machines (tests/machines/*.want). A hit is a unit test that expects the cause, or a verdict that names it; a near
miss is a unit test that says it is not found (assert_null(found(..)), is_no) or that holds a hit and a healthy machine
(expect_ok) in one. A helper that looks for one cause counts where a test calls it. A cause without a check needs a reason
in TEXT_ONLY; a reason that is not needed any more is an error too.

lint_checks.py [ROOT] [--table]     exit 0 clean, 1 with "error: ..." lines; --table prints where each is seen
"""
import glob
import os
import re
import sys

LAYERS = ('hardware', 'driver', 'wsl', 'container')

# cause: why no fact of a machine can name it
TEXT_ONLY = {}

FUNCTION = re.compile(r'^(?:static )?(?:inline )?[\w *]*?\b(\w+)\(([^;{]*?)\)\n\{\n(.*?)^\}', re.S | re.M)


def functions(root):
    """(file, name, body) of every function of the unit tests."""
    for path in sorted(glob.glob(os.path.join(root, 'tests/unit/*.[ch]'))):
        with open(path, encoding='utf-8') as f:
            for m in FUNCTION.finditer(f.read()):
                yield os.path.basename(path), m.group(1), 'void **state' in m.group(2), m.group(3)


def finders(slug, all_functions):
    """What looks for the cause: found(m, "slug"), and helpers that do nothing but that."""
    ways = [r'found\(\w+, "%s"\)' % slug]
    for path, name, is_test, body in all_functions:
        if not is_test and re.search(r'"%s"' % slug, body) and len(body.split('\n')) < 16:
            ways.append(r'\b%s\([^;]*?\)' % name)
    return '(?:%s)' % '|'.join(ways)


def seen(slug, all_functions):
    """The names of a test that hits, and of one that holds a near miss."""
    find = finders(slug, all_functions)
    hit = near = None
    for path, name, is_test, body in all_functions:
        if not is_test or not path.startswith(('check_', 'peer_')):
            continue
        hits = re.search(r'expect_problem\(\w+, "%s"' % slug, body) or re.search(find + '->', body) or \
            re.search(r'(?:assert_non_null|expect_sentence|assert_int_equal)\(%s' % find, body)
        misses = re.search(r'assert_null\(%s\)' % find, body) or re.search(r'is_no\(\w+, "%s"\)' % slug, body) or \
            (hits and 'expect_ok(' in body)
        hit = hit or (hits and '%s %s' % (path, name))
        near = near or (misses and '%s %s' % (path, name))
    return hit, near


def main():
    root = ([a for a in sys.argv[1:] if not a.startswith('-')] or [os.path.join(os.path.dirname(__file__), '..')])[0]
    all_functions = list(functions(root))
    checks, wants, bad = {}, {}, 0
    for path in sorted(glob.glob(os.path.join(root, 'src/check/*.c'))):
        with open(path, encoding='utf-8') as f:
            for slug in re.findall(r'^TN_CHECK\(\w+, "([^"]+)"', f.read(), re.M):
                checks.setdefault(slug, os.path.basename(path))
    for path in sorted(glob.glob(os.path.join(root, 'tests/machines/*.want'))):
        with open(path, encoding='utf-8') as f:
            for slug in re.findall(r'\[([a-z0-9-]+)\]', f.read()):
                wants.setdefault(slug, os.path.basename(path))
    with open(os.path.join(root, 'data/causes.tsv'), encoding='utf-8') as f:
        rows = [line.split('\t') for line in f.read().split('\n')[1:] if line]
    for slug, layer in ((r[0], r[1]) for r in rows if r[1] in LAYERS):
        hit, near = seen(slug, all_functions)
        hit = hit or wants.get(slug)
        faults = []
        if slug in TEXT_ONLY:
            if slug in checks:
                faults.append('has a check now: take it out of TEXT_ONLY')
        else:
            faults += [text for text, there in (('no check', slug in checks), ('no test that it is found', hit),
                                                ('no near miss', near)) if not there]
        for fault in faults:
            print('error: %s (%s): %s' % (slug, layer, fault))
        bad += len(faults)
        if '--table' in sys.argv:
            print('\t'.join((slug, layer, checks.get(slug, '- ' + TEXT_ONLY.get(slug, '')), hit or '-', near or '-')))
    for slug in TEXT_ONLY:
        if slug not in [r[0] for r in rows]:
            print('error: %s of TEXT_ONLY is no cause' % slug)
            bad += 1
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
