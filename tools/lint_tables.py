#!/usr/bin/env python3
"""Lint of data/tables: everything that gen_tables.py demands, and what would only look wrong to a reader.

Prints file:line: error: text and exits 1. Needs no build; --today exists for tests.
"""
import argparse
import datetime
import os
import re
import sys

import gen_tables
from tablefile import version_key

BOOL_LIKE = {'Yes', 'No', 'YES', 'NO', 'true', 'false', 'True', 'False', 'y', 'n', 'Y', 'N'}
LOCAL = re.compile(r'/work/|/home/|/root/|/tmp/|/usr/local/|localhost|127\.0\.0\.1|\.local\b|\.internal\b|\.lan\b')
RANGES = [('python_min', 'python_max'), ('min_gcc', 'max_gcc'), ('min_clang', 'max_clang'), ('min_cc', 'max_cc'),
          ('tf_from', 'tf_to'), ('version_from', 'version_to')]


def numbers(text):
    return [int(n) for n in re.findall(r'\d+', text)]


def above(low, high):
    """Is low above high, as far as high goes?"""
    n = len(numbers(high))
    return numbers(low)[:n] > numbers(high)


def check_cells(t, number, row, today):
    source, date = row['source'], row['date']
    if len(source) <= 8:
        yield number, 'source "%s" names nothing' % source
    if date > today[:len(date)]:
        yield number, 'date %s lies in the future' % date
    if row['rank'] != '1' and not row['notes']:
        yield number, 'a rival row without its reason in notes'
    for column, cell in row.items():
        if cell in BOOL_LIKE:
            yield number, '"%s" in "%s": a truth value is spelled yes or no' % (cell, column)
        if column in ('source', 'notes') and LOCAL.search(cell):
            yield number, 'a word of one machine in "%s": %s' % (column, LOCAL.search(cell).group(0))
        if '  ' in cell:
            yield number, 'two blanks in "%s"' % column
    for low, high in RANGES:
        if row.get(low) and row.get(high) and above(row[low], row[high]):
            yield number, '%s %s is above %s %s' % (low, row[low], high, row[high])


def check_versions(t, number, row):
    """A column named like a version holds one, even if its head forgot to say so."""
    for column, cell in row.items():
        kind = t.types.get(column, 'text')
        if kind == 'text' and cell and re.search(r'(^|_)(version|release|driver)$', column):
            yield number, '"%s" is named like a version but has type text' % column
        if kind == 'ver' and any(len(p) > 1 and p[0] == '0' and len(p) > 2 for p in cell.split('.')):
            yield number, '"%s" in "%s" is no version number' % (cell, column)


def check_blocks(t):
    """src/facts/wheels.c and requires.c read each package's rows as one block, requires.c newest run first."""
    if t.name not in ('wheels', 'requires'):
        return
    if t.name == 'requires':
        to, package = t.columns.index('version_to'), t.columns.index('package')
        for (_, above), (number, below) in zip(t.rows, t.rows[1:]):
            if above[package] == below[package] and version_key(below[to]) > version_key(above[to]):
                yield number, 'a newer run of "%s" below an older one' % below[package]
    seen, last = set(), None
    for number, cells in t.rows:
        if cells[0] != last and cells[0] in seen:
            yield number, 'rows of "%s" stand apart' % cells[0]
        last = cells[0]
        seen.add(last)


def lint(root, today):
    problems = []
    folder = os.path.join(root, 'data', 'tables')
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not name.endswith('.tsv'):
            problems.append('%s:1: error: only .tsv files live here' % path)
            continue
        try:
            t = gen_tables.Table(path).read()
        except (gen_tables.Problem, UnicodeDecodeError) as e:
            problems.append(str(e) if isinstance(e, gen_tables.Problem) else '%s:1: error: not UTF-8' % path)
            continue
        problems += ['%s:%d: error: %s' % (path, at, text) for at, text in check_blocks(t)]
        for number, cells in t.rows:
            row = dict(zip(t.columns, cells))
            for at, text in list(check_cells(t, number, row, today)) + list(check_versions(t, number, row)):
                problems.append('%s:%d: error: %s' % (path, at, text))
    return problems


def main():
    ap = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    ap.add_argument('--source', default=os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    ap.add_argument('--today', default=datetime.date.today().isoformat())
    args = ap.parse_args()
    problems = lint(args.source, args.today)
    for p in problems:
        print(p, file=sys.stderr)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
