#!/usr/bin/env python3
"""Compiles data/messages/* into messages.gen.c: what a text must say to prove, suggest or speak against a cause.

doc/messages.md describes the files. Each form has a sample that it matches and a near sample that it does not; the test
tests/unit/test_messages.c runs both through the real matcher. What is wrong here fails the build with file:line.
"""
import argparse
import os
import re
import sys

KINDS = ('word', 'num', 'ver', 'path', 'any', 'rest', 'hex')
WEIGHTS = {'proves': 90, 'strong': 60, 'suggests': 35, 'hints': 15, 'against': -30, 'excludes': -300}
COND = re.compile(r'(!?)(os|part|seen|told|says|hole):(\S+)\Z')
SLUG = re.compile(r'[a-z][a-z0-9]*(-[a-z0-9]+)*\Z')
HOLE = re.compile(r'\{([a-z][a-z0-9_]*)(?::([a-z]+))?\}')
MAX_TOKENS, MAX_TEXT, GRAM = 12, 200, 4
# How common a letter is in logs, most common first: the four bytes that a form is found by should be rare.
ORDINARY = {}  # four bytes -> how often they stand in logs without a fault
COMMON = ' etaoinsrlcdupmhgfbyvw._-/:0123456789kxjqz'


def learn_ordinary(root):
    """Logs without a fault, as they stand in the tests: what is common there is a poor anchor. Without them only speed
    is lost."""
    folder = os.path.join(root, 'tests/explain')
    names = [os.path.join(folder, 'healthy.jsonl')]
    if os.path.isdir(os.path.join(folder, 'healthy')):
        names += sorted(os.path.join(folder, 'healthy', n) for n in os.listdir(os.path.join(folder, 'healthy')))
    for name in names:
        if os.path.exists(name):
            with open(name, 'rb') as f:
                text = bytes(b | 32 for b in f.read())
            for i in range(len(text) - GRAM + 1):
                g = text[i:i + GRAM]
                ORDINARY[g] = ORDINARY.get(g, 0) + 1


class Problem(Exception):
    def __init__(self, path, line, text):
        super().__init__('%s:%d: error: %s' % (path, line, text))


class Form:
    def __init__(self, path, line, name):
        self.path, self.line, self.name = path, line, name
        self.texts, self.sources, self.samples, self.nears, self.means, self.says = [], [], [], [], [], []


def fold(text):
    return bytes(b + 32 if 65 <= b <= 90 else b for b in text.encode('utf-8'))


def tokens(text, path, line):
    """[('lit', bytes) or ('hole', kind, name)]; a form begins with a literal or with one hole before it."""
    out, at = [], 0
    for m in HOLE.finditer(text):
        if m.start() > at:
            out.append(('lit', text[at:m.start()]))
        kind = m.group(2) or 'word'
        if kind not in KINDS:
            raise Problem(path, line, 'no such kind of hole: %s' % kind)
        out.append(('hole', kind, m.group(1)))
        at = m.end()
    if at < len(text):
        out.append(('lit', text[at:]))
    rest = ''.join(t[1] for t in out if t[0] == 'lit')
    if '{' in rest and '{{' not in rest:
        raise Problem(path, line, 'a brace that is no {hole}')
    if len(out) > MAX_TOKENS or len(text.encode()) > MAX_TEXT:
        raise Problem(path, line, 'at most %d parts and %d bytes' % (MAX_TOKENS, MAX_TEXT))
    first = 0 if out[0][0] == 'lit' else 1
    if len(out) <= first or out[first][0] != 'lit':
        raise Problem(path, line, 'one literal text stands first, or second behind one hole')
    if first == 1 and out[0][1] in ('any', 'rest'):
        raise Problem(path, line, 'a form does not begin with {any}')
    if out[-1][0] == 'hole' and out[-1][1] == 'any':
        raise Problem(path, line, 'a form does not end with {any}: {rest} goes to the end of the line')
    if any(a[0] == 'hole' and b[0] == 'hole' for a, b in zip(out, out[1:])):
        raise Problem(path, line, 'two holes without a text between them')
    return [('lit', re.sub(r'[ \t]+', ' ', t[1].replace('{{', '{'))) if t[0] == 'lit' else t for t in out], first


def anchor(literal, path, line):
    """Offset of the four bytes without a blank, the rarest."""
    b = fold(literal)
    best = None
    for i in range(len(b) - GRAM + 1):
        g = b[i:i + GRAM]
        if b' ' in g:
            continue
        # a quotation mark may stand there in another shape (form.c)
        score = 1000000 * sum(c in b'\'"' for c in g)
        score += 40 * ORDINARY.get(bytes(c | 32 for c in g), 0)
        score += sum(100 - COMMON.index(chr(c)) if c < 128 and chr(c) in COMMON else 0 for c in g)
        if best is None or score < best[0]:
            best = (score, i)
    if best is None:
        raise Problem(path, line, 'its first literal text has no four bytes without a blank')
    return best[1]


def read_file(path, causes):
    name = os.path.basename(path)
    own = name if name in causes else None
    if own is None and not name.startswith('_'):
        raise Problem(path, 1, '"%s" is no cause; files of no cause begin with _' % name)
    forms, fixes, form = [], [], None
    with open(path, encoding='utf-8', newline='') as f:
        text = f.read()
    if '\r' in text or not text.endswith('\n'):
        raise Problem(path, 1, 'lines end with one \\n, the last one too')
    for n, line in enumerate(text[:-1].split('\n'), 1):
        if not line.strip() or line.startswith('#'):
            continue
        m = re.match(r'([a-z]+): (.*)\Z', line)
        if not m:
            raise Problem(path, n, 'not of the form "key: value"')
        key, value = m.groups()
        if key == 'form':
            if not SLUG.match(value):
                raise Problem(path, n, 'a form has a name of small letters, digits and dashes')
            form = Form(path, n, value)
            forms.append(form)
        elif key == 'fix':
            fixes.append((n, value))
        elif form is None:
            raise Problem(path, n, '"%s" before the first form' % key)
        elif key == 'text':
            form.texts.append((n, value))
        elif key == 'from':
            form.sources.append(value)
        elif key == 'sample':
            form.samples.append((n, value))
        elif key == 'near':
            form.nears.append((n, value))
        elif key == 'means':
            form.means.append((n, value))
        elif key == 'says':
            form.says.append((n, value))
        else:
            raise Problem(path, n, 'unknown key "%s"' % key)
    for f in forms:
        for what, have in (('text', f.texts), ('from', f.sources), ('sample', f.samples), ('near', f.nears)):
            if not have:
                raise Problem(path, f.line, 'form %s has no "%s"' % (f.name, what))
        if not f.means and own and not f.says:
            f.means.append((f.line, '%s proves' % own))
    return forms, [(own, n, v, path) for n, v in fixes]


class Pool:
    def __init__(self):
        self.at, self.bytes = {}, bytearray()

    def add(self, data):
        if isinstance(data, str):
            data = data.encode('utf-8')
        if data not in self.at:
            self.at[data] = len(self.bytes)
            self.bytes += data + b'\0'
        return self.at[data]


def conds(words, form, n, names, out, pool):
    first = len(out)
    for w in words:
        m = COND.match(w)
        if not m:
            raise Problem(form.path, n, '"%s" is no condition' % w)
        no, kind, value = m.groups()
        if kind == 'seen':
            if value not in names:
                raise Problem(form.path, n, 'there is no form "%s"' % value)
            at = names[value]
        else:
            at = pool.add(value)
        out.append((kind, bool(no), at))
    return first, len(out) - first


def compile_all(forms, fixes, causes):
    pool = Pool()
    pool.add('')
    names = {}
    for i, f in enumerate(forms):
        if f.name in names:
            raise Problem(f.path, f.line, 'form "%s" is there twice' % f.name)
        names[f.name] = i
    toks, texts, means, cond, says, sources, rows, fix = [], [], [], [], [], [], [], []
    for i, f in enumerate(forms):
        row = {'name': pool.add(f.name), 'mean': len(means), 'say': len(says), 'source': len(sources)}
        for n, t in f.texts:
            parts, lead = tokens(t, f.path, n)
            texts.append((i, len(toks), len(parts), lead, anchor(parts[lead][1], f.path, n),
                          fold(parts[lead][1])[anchor(parts[lead][1], f.path, n):][:GRAM]))
            for p in parts:
                toks.append(('lit', pool.add(fold(p[1])), len(fold(p[1]))) if p[0] == 'lit'
                            else (p[1], pool.add(p[2]), 0))
        for n, v in f.means:
            m = re.match(r'(\S+) (\S+)(?: if (.+))?\Z', v)
            if not m or m.group(1) not in causes or m.group(2) not in WEIGHTS:
                raise Problem(f.path, n, 'means: CAUSE %s [if CONDITION ...]' % '|'.join(WEIGHTS))
            first, count = conds((m.group(3) or '').split(), f, n, names, cond, pool)
            means.append((pool.add(m.group(1)), WEIGHTS[m.group(2)], first, count))
        for n, v in f.says:
            m = re.match(r'([a-z_.*-]+) = (.+)\Z', v)
            if not m:
                raise Problem(f.path, n, 'says: FACT = TEXT with {holes}')
            says.append((pool.add(m.group(1)), pool.add(m.group(2))))
        for s in f.sources:
            sources.append(pool.add(s))
        row.update(n_mean=len(means) - row['mean'], n_say=len(says) - row['say'], n_source=len(sources) - row['source'])
        rows.append(row)
    for own, n, v, path in fixes:
        m = re.match(r'([a-z0-9-]+(?:@[a-z]+)?)(?: if (.+))?\Z', v)
        if not m or own is None:
            raise Problem(path, n, 'fix: REMEDY[@VARIANT] [if CONDITION ...], in the file of a cause')
        holder = Form(path, n, '')
        first, count = conds((m.group(2) or '').split(), holder, n, names, cond, pool)
        fix.append((pool.add(own), pool.add(m.group(1)), first, count))
    return pool, toks, texts, means, cond, says, sources, rows, fix


def emit(path, forms, parts, causes):
    pool, toks, texts, means, cond, says, sources, rows, fix = parts
    texts.sort(key=lambda t: (hash_of(t[5]), t[0]))
    with open(path, 'w', encoding='utf-8', newline='\n') as f:
        f.write('/* Made by tools/gen_messages.py from data/messages. */\n#include "explain/form.h"\n\n')
        f.write('const char tn_form_pool[] =\n')
        for i in range(0, len(pool.bytes), 100):
            f.write('    "%s"\n' % ''.join('\\%03o' % b if b < 32 or b > 126 or b in b'"\\?' else chr(b)
                                           for b in pool.bytes[i:i + 100]))
        f.write('    "";\n')

        def table(kind, name, items):
            f.write('const struct tn_form_%s tn_form_%ss[] = {\n    %s};\nconst unsigned tn_n_form_%ss = %d;\n' % (
                kind, name, ',\n    '.join(items) or '{0}', name, len(items)))
        table('token', 'token', ['{TN_HOLE_%s, %d, %d}' % (t[0].upper(), t[1], t[2]) for t in toks])
        table('text', 'text', ['{%d, %d, %d, %d, %d, 0x%xu}' % (t[:5] + (int.from_bytes(t[5], 'little') | 0x20202020,)) for t in texts])
        table('mean', 'mean', ['{%d, %d, %d, %d}' % m for m in means])
        table('cond', 'cond', ['{TN_COND_%s, %s, %d}' % (k.upper(), 'true' if no else 'false', at) for k, no, at in cond])
        table('say', 'say', ['{%d, %d}' % s for s in says])
        table('source', 'source', ['{%d}' % s for s in sources])
        table('fix', 'fix', ['{%d, %d, %d, %d}' % x for x in fix])
        f.write('const struct tn_form tn_forms[] = {\n    %s};\nconst unsigned tn_n_forms = %d;\n' % (
            ',\n    '.join('{%(name)d, %(mean)d, %(n_mean)d, %(say)d, %(n_say)d, %(source)d, %(n_source)d}' % r
                           for r in rows) or '{0}', len(rows)))
        # Hash of four bytes -> first text; and one bit for each of a finer hash, which most places of a log do not have.
        first, bits = [0] * (HASHES + 1), bytearray(FINER * HASHES // 8)
        at = 0
        for h in range(HASHES):
            first[h] = at
            while at < len(texts) and hash_of(texts[at][5]) == h:
                fine = hash_of(texts[at][5], 32 - FINE_BITS)
                bits[fine >> 3] |= 1 << (fine & 7)
                at += 1
        first[HASHES] = at
        f.write('const unsigned char tn_form_bits[] = {%s};\n' % ','.join(str(b) for b in bits))
        f.write('const unsigned short tn_form_first[] = {%s};\n' % ','.join(str(x) for x in first))


def emit_samples(path, forms):
    """For the test alone: every sample and near sample."""
    with open(path, 'w', encoding='utf-8', newline='\n') as f:
        f.write('/* Made by tools/gen_messages.py. */\n'
                'static const struct {\n    unsigned form, yes;\n    const char *text;\n} samples[] = {\n')
        for i, form in enumerate(forms):
            for yes, lines in ((1, form.samples), (0, form.nears)):
                for _, text in lines:
                    f.write('    {%d, %d, "%s"},\n' % (i, yes, ''.join(
                        '\\%03o' % b if b < 32 or b > 126 or b in b'"\\?' else chr(b) for b in text.encode('utf-8'))))
        f.write('};\n')


HASHES = 1 << 16
FINE_BITS = 18
FINER = 1 << (FINE_BITS - 16)


def hash_of(gram, shift=16):
    """As form.c: bit 5 set in each byte, multiplied, the upper bits."""
    v = int.from_bytes(gram, 'little') | 0x20202020
    return ((v * 0x9E3779B1) & 0xFFFFFFFF) >> shift


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--source', required=True)
    p.add_argument('--out', required=True)
    a = p.parse_args()
    learn_ordinary(a.source)
    folder = os.path.join(a.source, 'data/messages')
    with open(os.path.join(a.source, 'data/causes.tsv'), encoding='utf-8') as f:
        causes = {line.split('\t')[0] for line in f} - {'slug'}
    try:
        forms, fixes = [], []
        for name in sorted(os.listdir(folder)):
            if not name.startswith('.'):
                more, fix = read_file(os.path.join(folder, name), causes)
                forms += more
                fixes += fix
        remedies = set(os.listdir(os.path.join(a.source, 'data/remedies')))
        for own, n, v, path in fixes:
            remedy = re.split('[ @]', v)[0]
            if remedy not in remedies:
                raise Problem(path, n, 'there is no remedy "%s"' % remedy)
        emit(os.path.join(a.out, 'messages.gen.c'), forms, compile_all(forms, fixes, causes), causes)
        emit_samples(os.path.join(a.out, 'messages_samples.gen.h'), forms)
    except Problem as e:
        sys.exit(str(e))


if __name__ == '__main__':
    main()
