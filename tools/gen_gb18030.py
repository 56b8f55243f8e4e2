#!/usr/bin/env python3
"""GB 18030 as C: the characters of two bytes, and the runs of those of four. usage: gen_gb18030.py OUTPUT"""
import sys


def two():
    for lead in range(0x81, 0xFF):
        for trail in list(range(0x40, 0x7F)) + list(range(0x80, 0xFF)):
            text = bytes([lead, trail]).decode('gb18030', 'replace')
            yield ord(text) if len(text) == 1 and text != '\ufffd' else 0


def runs():
    last = None
    for n in range(39420):
        code = bytes([0x81 + n // 12600, 0x30 + n // 1260 % 10, 0x81 + n // 10 % 126, 0x30 + n % 10])
        text = code.decode('gb18030', 'replace')
        c = ord(text) if len(text) == 1 and text != '\ufffd' else 0
        if last is None or (c - n != last if c and last else bool(c) != bool(last)):
            yield n, c
            last = c - n if c else 0
    yield 39420, 0


def main():
    out = ['#include "explain/encoding.h"', 'const unsigned short tn_gb_two[126 * 190] = {']
    cells = list(two())
    out += [','.join('0x%X' % c for c in cells[i:i + 19]) + ',' for i in range(0, len(cells), 19)]
    out.append('};\nconst struct tn_gb_run tn_gb_runs[] = {')
    rows = list(runs())
    out += ['{%d,0x%X},' % r for r in rows]
    out.append('};\nconst unsigned tn_n_gb_runs = %d;' % len(rows))
    with open(sys.argv[1], 'w', encoding='ascii') as f:
        f.write('\n'.join(out) + '\n')


if __name__ == '__main__':
    main()
