#!/usr/bin/env python3
"""Redaction cannot change a verdict: checks read only facts that survive it.

Reads the privacy class of every field from src/snapshot/schema.def and every member that the judging code reads
(src/check/*.c, src/finding/judge.c, layers.c, verdict.c). A field survives when it is public, a package name, a
version of kernel text, or env.id and what refers to it. Any other read must stand in SHOWN below, with the reason why
no verdict hangs on it; an entry that nothing needs any more is an error too. Where the record of a member cannot be
told, every record that has a field of this name counts.

lint_redaction.py [ROOT]     exit 0 clean, 1 with "file:line: error: ..." for each read that does not survive
"""
import glob
import os
import re
import sys

# (file below src, record.field): why it may be read although strangers see something else
SHOWN = {
    ('check/cuda_not_on_loader_path.c', 'library.path'): 'argument dir: shown to the person, never compared',
    ('check/driver_library_mismatch.c', 'driver.library_path'): 'evidence, shown',
    ('check/driver_missing.c', 'driver.library_path'): 'only whether it is known, which redaction keeps',
    ('check/libs.c', 'driver.library_path'): 'compared with library.path: equal paths stay equal',
    ('check/libs.c', 'library.path'): 'compared with driver.library_path: equal paths stay equal',
    ('check/look.c', 'env.interpreter'): 'argument of a command, shown',
    ('check/look.c', 'env.path'): 'argument of a command, shown',
    ('check/nvidia_wheels_missing.c', 'framework.path'): 'what lies below it: a path below another stays below it',
    ('check/nvidia_wheels_missing.c', 'library.path'): 'compared with the table below site-packages/nvidia, which is shown',
    ('check/reach.c', 'env.path'): 'compared with library.path: a path below another stays below it',
    ('check/reach.c', 'framework.path'): 'compared with library.path: a path below another stays below it',
    ('check/reach.c', 'library.path'): 'the folders below site-packages/nvidia are shown; argument value',
    ('check/reach.c', 'variable.value'): 'argument value: shown, never compared',
    ('check/stub_libcuda_loaded.c', 'library.path'): 'argument path, shown',
    ('check/stub_libcuda_loaded.c', 'variable.value'): 'chooses the remedy alone',
    ('finding/judge.c', 'env.base'): 'compared with env.path: equal paths stay equal',
    ('finding/judge.c', 'env.path'): 'compared with env.base: equal paths stay equal',
    ('finding/layers.c', 'library.path'): 'argument dir, shown',
}

DECLARED = re.compile(r'struct tn_rec_(\w+) (\**(?:const )?\w(?:(?!struct )[^;){])*)')
ONE = re.compile(r'TN_(?:ONE|MANY)\((\w+),')
FIELD = re.compile(r'TN_FIELD\((\w+), (\w+), (\w+), (\w+), (\w+),')
MEMBER = re.compile(r'(?:->|\.)([a-z_]\w*)\b(?!\s*\()')
INDEX = r'\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]'
# what may stand before ->name or .name
THE = re.compile(r'TN_THE\([^,()]+, (\w+)\)$')
ROWS = re.compile(r'(?:->|\.)(\w+)\.v' + INDEX + '$')
ROW_OF_MEMBER = re.compile(r'(?:->|\.)(\w+)(?:' + INDEX + ')?$')
VARIABLE = re.compile(r'(?<![\w.>])(\w+)(?:' + INDEX + ')?$')


def schema(root):
    fields, records = {}, []
    with open(os.path.join(root, 'src/snapshot/schema.def'), encoding='utf-8') as f:
        for line in f:
            if (m := ONE.match(line)):
                records.append(m[1])
            elif (m := FIELD.match(line)):
                fields[(m[1], m[3])] = (m[2], m[4])
    return records, fields


def survives(record, field, kind, privacy):
    if privacy in ('PUBLIC', 'PACKAGE'):
        return True
    if privacy == 'KERNEL':
        return kind == 'VER'
    return privacy == 'PSEUDONYM' and (field == 'env' or (record, field) == ('env', 'id'))


# Files that compare rows whole and judge none of their facts: equal rows stay equal or are judged apart, either way alike.
COMPARES = {'check/alike.c'}


def without_comments(text):
    """Comments and strings emptied, lines kept."""
    def blank(m):
        return m[0][0] + '\n' * m[0].count('\n') + m[0][0] if m[0][0] == '"' else '\n' * m[0].count('\n')
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"', blank, text, flags=re.S)


def functions(text):
    """(first line number, text) of each top-level piece: variables of one do not reach into another."""
    start, piece = 1, []
    for number, line in enumerate(text.split('\n'), 1):
        piece.append(line)
        if line.startswith('}'):
            yield start, '\n'.join(piece)
            start, piece = number + 1, []
    yield start, '\n'.join(piece)


def declared(piece):
    """Variables that point to rows: name -> records. "*a = x, *b" declares two."""
    variables = {}
    for m in DECLARED.finditer(piece):
        for name in re.findall(r'(?:^|,)\s*\**(?:const )?(\w+)', m[2]):
            variables.setdefault(name, set()).add(m[1])
    return variables


def possible_records(before, variables, others, records):
    """Whose member is it? An empty set: of something that is no row."""
    if (m := THE.search(before)):
        return {m[1]}
    if (m := ROWS.search(before)) and m[1] in records:
        return {m[1]}
    if (m := ROW_OF_MEMBER.search(before)):  # j->env->path; f->arg[0].value is no row
        return {m[1]} if m[1] in records else set(records) if m[1] == 'v' else set()
    if (m := VARIABLE.search(before)):
        return variables[m[1]] if m[1] in variables else set() if m[1] in others else set(records)
    return set(records)


def reads(text, records, fields):
    """Yields (line, record, field) of each member that may be a fact."""
    names = {f for _, f in fields}
    for start, piece in functions(without_comments(text)):
        variables = declared(piece)
        others = set(re.findall(r'(?:struct|enum) tn_(?!rec_)\w+ \**(?:const )?(\w+)', piece)) - set(variables)
        for m in MEMBER.finditer(piece):
            if m[1] not in names:
                continue
            line = start + piece.count('\n', 0, m.start(1))
            before = piece[max(0, m.start() - 200):m.start()]
            for record in sorted(possible_records(before, variables, others, records)):
                if (record, m[1]) in fields:
                    yield line, record, m[1]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
    records, fields = schema(root)
    if len(fields) < 50:
        sys.exit('lint_redaction: schema.def was not understood')
    files = sorted(glob.glob(os.path.join(root, 'src/check/*.c')))
    files += [os.path.join(root, 'src/finding', n) for n in ('judge.c', 'layers.c', 'verdict.c')]
    errors, used, count = 0, set(), 0
    for path in files:
        if not os.path.exists(path):
            continue
        short = os.path.relpath(path, os.path.join(root, 'src')).replace(os.sep, '/')
        with open(path, encoding='utf-8') as f:
            text = f.read()
        if short in COMPARES:
            continue
        for name in re.findall(r'\btn_(?:schema|field_text|field_know|snap_row)\b', without_comments(text)):
            print('src/%s: error: reads facts through the schema (%s): this lint cannot see which' % (short, name))
            errors += 1
        for line, record, field in reads(text, records, fields):
            count += 1
            kind, privacy = fields[(record, field)]
            if survives(record, field, kind, privacy):
                continue
            key = (short, '%s.%s' % (record, field))
            if key in SHOWN:
                used.add(key)
                continue
            print('src/%s:%d: error: %s.%s is %s: it does not survive redaction' %
                  (short, line, record, field, privacy.lower()))
            errors += 1
    for key in sorted(set(SHOWN) - used):
        print('tools/lint_redaction.py: error: nothing reads %s in src/%s any more' % (key[1], key[0]))
        errors += 1
    print('lint_redaction: %d reads in %d files, %d errors' % (count, len(files), errors))
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
