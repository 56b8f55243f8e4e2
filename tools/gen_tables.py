#!/usr/bin/env python3
"""Compiles data/tables/*.tsv into tables.gen.c: one deduplicated text pool and plain offsets.

No pointer is stored, so a position independent program pays nothing at start. A table that breaks a rule
fails the build with file:line. The head of each file declares its key, types and titles; every row has a
source and a date; a key may repeat only at another rank.
"""
import argparse
import os
import re
import sys

TYPES = {  # name in a table's head -> (pattern of a non-empty cell, type of table.h)
    'text': (r'[^\t]+', 'TN_COL_TEXT'),
    'ver': (r'\d+(\.\d+)*', 'TN_COL_VERSION'),
    'pep': (r'\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?', 'TN_COL_VERSION'),
    'spec': (r'(==|!=|>=|<=|<|>|~=)?\d+(\.\d+)*(\.\*)?(,(==|!=|>=|<=|<|>|~=)\d+(\.\d+)*(\.\*)?)*', 'TN_COL_SPEC'),
    'cc': (r'\d{1,2}\.\d', 'TN_COL_CC'),
    'ccs': (r'\d{1,2}\.\d[af]?( \d{1,2}\.\d[af]?)*', 'TN_COL_LIST'),
    'int': (r'\d{1,9}', 'TN_COL_INT'),
    'num': (r'\d+(\.\d+)?', 'TN_COL_NUM'),
    'nums': (r'\d+(\.\d+)?( \d+(\.\d+)?)*', 'TN_COL_LIST'),
    'list': (r'\S+( \S+)*', 'TN_COL_LIST'),
    'bool': (r'yes|no', 'TN_COL_BOOL'),
    'pci': (r'0x[0-9A-F]{4}', 'TN_COL_TEXT'),
    'date': (r'20\d\d-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?', 'TN_COL_DATE'),
}
FIXED = {'rank': 'int', 'notes': 'text', 'source': 'text', 'date': 'date'}
NAME = re.compile(r'[a-z][a-z0-9_]*\Z')
CHUNK = 4000  # bytes of one string literal: C11 asks for 4095


class Problem(Exception):
    def __init__(self, path, line, text):
        super().__init__('%s:%d: error: %s' % (path, line, text))


class Table:
    """One file. rows is a list of (line number, cells)."""

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)[:-4]
        self.key, self.types, self.title, self.about = [], {}, {}, []
        self.columns, self.rows = [], []

    def problem(self, line, text):
        return Problem(self.path, line, text)

    def read(self):
        with open(self.path, encoding='utf-8', newline='') as f:
            text = f.read()
        if not NAME.match(self.name):
            raise self.problem(1, 'a table name is lower case letters, digits and _')
        if '\r' in text or not text.endswith('\n'):
            raise self.problem(1, 'lines end with one \\n, the last one too')
        for number, line in enumerate(text[:-1].split('\n'), 1):
            if line.startswith('#'):
                if self.columns:
                    raise self.problem(number, 'comments belong above the column names')
                self.head(number, line)
            elif not self.columns:
                self.first(number, line.split('\t'))
            else:
                self.row(number, line.split('\t'))
        if not self.rows:
            raise self.problem(1, 'no rows')
        self.check_ranks()
        return self

    def head(self, number, line):
        m = re.match(r'#(key|types|title\.en|title\.zh): (.*\S)\Z', line)
        if m is None:
            if not line.startswith('# ') and line != '#':
                raise self.problem(number, 'neither "# text" nor #key, #types, #title.en, #title.zh')
            self.about.append(line[2:])
        elif m.group(1) == 'key':
            self.key = m.group(2).split(' ')
        elif m.group(1) == 'types':
            for item in m.group(2).split(' '):
                column, eq, kind = item.partition('=')
                if not eq or kind not in TYPES:
                    raise self.problem(number, 'unknown type in "%s"' % item)
                self.types[column] = kind
        else:
            self.title[m.group(1)[-2:]] = m.group(2)

    def first(self, number, columns):
        if len(set(columns)) != len(columns) or not all(NAME.match(c) for c in columns):
            raise self.problem(number, 'column names repeat or are not plain words')
        for column, kind in FIXED.items():
            if column not in columns:
                raise self.problem(number, 'missing column "%s"' % column)
            if self.types.setdefault(column, kind) != kind:
                raise self.problem(number, 'column "%s" is always of type %s' % (column, kind))
        for column in list(self.types) + self.key:
            if column not in columns:
                raise self.problem(number, 'unknown column "%s" in the head' % column)
        if not self.key or self.key[-1] != 'rank':
            raise self.problem(number, '#key is missing or does not end with rank')
        if sorted(self.title) != ['en', 'zh'] or not self.about:
            raise self.problem(number, 'head lacks #title.en, #title.zh or an explaining comment')
        self.columns = columns

    def row(self, number, cells):
        if len(cells) != len(self.columns):
            raise self.problem(number, '%d cells, %d columns' % (len(cells), len(self.columns)))
        for column, cell in zip(self.columns, cells):
            if cell != cell.strip():
                raise self.problem(number, 'blank at an end of "%s"' % column)
            if any(ord(c) < 32 or ord(c) == 127 for c in cell):
                raise self.problem(number, 'control character in "%s"' % column)
            if cell and not re.fullmatch(TYPES[self.types.get(column, 'text')][0], cell):
                raise self.problem(number, '"%s" is no %s for "%s"' % (cell, self.types.get(column), column))
            if not cell and column in ('rank', 'source', 'date'):
                raise self.problem(number, '"%s" is empty' % column)
        self.rows.append((number, cells))

    def check_ranks(self):
        columns = [self.columns.index(c) for c in self.key]
        seen = {}
        for number, cells in self.rows:
            key = tuple(cells[c] for c in columns)
            if key in seen:
                raise self.problem(number, 'key %s is already in line %d' % (' '.join(key), seen[key]))
            seen[key] = number
        for key, number in seen.items():
            if key[-1] != '1' and key[:-1] + (str(int(key[-1]) - 1),) not in seen:
                raise self.problem(number, 'rank %s of %s without the one before' % (key[-1], ' '.join(key[:-1])))


def load(root):
    """All tables below ROOT/data/tables, by name."""
    folder = os.path.join(root, 'data', 'tables')
    names = sorted(n for n in os.listdir(folder) if n.endswith('.tsv'))
    return [Table(os.path.join(folder, n)).read() for n in names]


class Pool:
    """Each text once; offset 0 is the empty text. Chunks end at a text's end."""

    def __init__(self):
        self.offsets, self.chunks, self.size = {}, [bytearray()], 0
        self.add('')

    def add(self, text):
        if text not in self.offsets:
            raw = text.encode('utf-8') + b'\0'
            if len(raw) > CHUNK:
                raise SystemExit('gen_tables: a cell is longer than %d bytes: %.60s' % (CHUNK, text))
            if len(self.chunks[-1]) + len(raw) > CHUNK:
                self.chunks.append(bytearray())
            self.offsets[text] = self.size
            self.chunks[-1] += raw
            self.size += len(raw)
        return self.offsets[text]


def literal(raw):
    """C literals, one line each text; the compiler adds the last NUL itself."""
    out = []
    for text in bytes(raw[:-1]).split(b'\0'):
        s = ''
        for b in text:
            c = chr(b)
            s += '\\' + c if c in '"\\?' else c if 32 <= b < 127 else '\\%03o' % b
        out.append(s)
    # "\000" not "\0": a digit may follow.
    return '\n    '.join('"%s\\000"' % s for s in out[:-1]) + ('\n    ' if len(out) > 1 else '') + '"%s"' % out[-1]


MAKER = {'nvidia', 'geforce', 'tesla', 'quadro'}
LONGEST = 63  # of a plain name: its words' beginnings are bits of 64


def plain_name(text):
    """A card's name without blanks, signs, case and maker's words, and where its words begin (gpu.c asks likewise)."""
    plain, starts = '', 0
    for word in re.findall('[0-9a-z]+', text.lower()):
        if word not in MAKER:
            starts |= 1 << len(plain)
            plain += word
    if len(plain) > LONGEST:
        raise SystemExit('gen_tables: a name of a card is longer than %d letters: %s' % (LONGEST, text))
    return plain, starts | 1 << len(plain)


def card_names(tables, pool):
    """Rows of the table gpus in the order of their plain names."""
    gpus = next(t for t in tables if t.name == 'gpus')
    at = gpus.columns.index('name')
    names = [plain_name(cells[at]) + (row,) for row, (_, cells) in enumerate(gpus.rows)]
    return ['{%d, %d, %d, %dULL}' % (pool.add(plain), row, len(plain), starts)
            for plain, starts, row in sorted(names, key=lambda n: (n[0], n[2]))]


def generate(tables):
    pool, cells, columns, heads, date = Pool(), [], [], [], ''
    for t in tables:
        first_cell, first_column = len(cells), len(columns)
        for c in t.columns:
            kind = TYPES[t.types.get(c, 'text')][1]
            columns.append('{%d, %s, %d}' % (pool.add(c), kind, c in t.key))
        at = t.columns.index('date')
        for _, row in t.rows:
            cells += [pool.add(c) for c in row]
            date = max(date, row[at])
        fixed = [t.columns.index(c) if c in t.columns else len(t.columns) for c in ('rank', 'source', 'date', 'notes')]
        heads.append('{%d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d}' % (
            pool.add(t.name), pool.add(t.title['en']), pool.add(t.title['zh']), pool.add(' '.join(t.about)),
            first_column, len(t.columns), first_cell, len(t.rows), *fixed))
    names = card_names(tables, pool)
    out = ['/* Made by tools/gen_tables.py from data/tables; do not edit. */', '#include "facts/table.h"', '',
           'static const struct {']
    out += ['    char p%d[%d];' % (i, len(c)) for i, c in enumerate(pool.chunks)]
    out += ['} pool = {']
    out += ['    %s,' % literal(c) for c in pool.chunks]
    out += ['};', '_Static_assert(sizeof(pool) == %d, "the pool has no padding");' % pool.size, '',
            'const char *tn_facts_text(uint32_t offset)', '{', '    return (const char *)&pool + offset;', '}', '',
            'const uint32_t tn_facts_cells[] = {']
    out += ['    ' + ', '.join(map(str, cells[i:i + 16])) + ',' for i in range(0, len(cells), 16)]
    out += ['};', '', 'const struct tn_column tn_facts_columns[] = {']
    out += ['    %s,' % c for c in columns]
    out += ['};', '', 'const struct tn_table tn_facts_tables[] = {']
    out += ['    %s,' % h for h in heads]
    out += ['};', '', 'const struct tn_card_name tn_facts_card_names[] = {']
    out += ['    %s,' % n for n in names]
    out += ['};', 'const uint32_t tn_facts_ncard_names = %d;' % len(names)]
    out += ['', 'const uint32_t tn_facts_ntables = %d;' % len(heads),
            'const char tn_facts_date[] = "%s";' % date, '']
    return '\n'.join(out)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    ap.add_argument('--source', required=True, help='root of the repository')
    ap.add_argument('--out', required=True, help='folder for tables.gen.c')
    args = ap.parse_args()
    try:
        text = generate(load(args.source))
    except Problem as e:
        print(e, file=sys.stderr)
        return 1
    with open(os.path.join(args.out, 'tables.gen.c'), 'w', encoding='ascii', newline='\n') as f:
        f.write(text)
    return 0


if __name__ == '__main__':
    sys.exit(main())
