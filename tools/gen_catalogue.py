#!/usr/bin/env python3
"""Compiles data/causes/*, data/remedies/* and data/strings.tsv into catalogue.gen.c and strings.gen.h.

A cause or remedy is a file of "key: value" lines; a line that begins with blanks continues the one before; "#" begins
a comment. A text that lacks one language, a placeholder that only one language has, or a name that names nothing
fails the build with file:line. data/causes.tsv is the closed list of causes with their layers and definitions,
data/causes-zh.tsv has the definitions in Chinese.
"""
import argparse
import os
import re
import sys

LANGS = ('en', 'zh')
LAYERS = {'hardware': 'hardware', 'driver': 'driver', 'wsl': 'driver', 'runtime': 'driver', 'container': 'container',
          'platform': 'platform', 'framework': 'framework', 'gpu-code': 'framework', 'cuda': 'cuda', 'build': 'cuda',
          'cudnn': 'cudnn', 'python': 'python', 'benign': 'benign', 'unknown': 'unknown'}
SEVERITIES = {'error': 'TN_ERROR', 'warning': 'TN_WARNING', 'note': 'TN_NOTE'}
NEEDS = ('root', 'reboot', 'relogin', 'network', 'download', 'disk')
CAUSE_KEYS = ('cause', 'layer', 'scope', 'severity', 'behind', 'title', 'say', 'why', 'remedy', 'see')
REMEDY_KEYS = ('remedy', 'title', 'changes', 'undo', 'needs', 'size', 'source', 'command')
TEXTS = ('title', 'say', 'why', 'changes', 'undo')
VARIANTS = ('say', 'command')
SLUG = re.compile(r'[a-z][a-z0-9]*(-[a-z0-9]+)*\Z')
STRING_ID = re.compile(r'[a-z][a-z0-9_]*\Z')
LINE = re.compile(r'([a-z]+)(?:@([a-z0-9_-]+))?(?:\.(en|zh))?:(?: (.*))?\Z')
SIZE = re.compile(r'([0-9.]+(-[0-9.]+)? (kB|MB|GB))?\Z')
HOLE = re.compile(r'\{([a-z][a-z0-9_]*)\}')
HAN = re.compile(u'[\u4e00-\u9fff]')
NAMES = ('CUDA', 'cuDNN', 'Python')  # written alike in both languages
CHUNK = 4000  # bytes of one string literal: C11 asks for 4095


class Problem(Exception):
    def __init__(self, path, line, text):
        super().__init__('%s:%d: error: %s' % (path, line, text))


def holes(text, path, line):
    rest = HOLE.sub('', text)
    if '{' in rest or '}' in rest:
        raise Problem(path, line, 'a brace that is no {placeholder}')
    return set(HOLE.findall(text))


def check_pair(path, line, what, texts):
    """texts: {'en': .., 'zh': ..}; both there, not empty, and with the same placeholders."""
    for lang in LANGS:
        if not texts.get(lang):
            raise Problem(path, line, '%s has no %s text' % (what, lang))
        if re.search(r'[\x00-\x1f\x7f]', texts[lang]):
            raise Problem(path, line, '%s holds a control character' % what)
    if not HAN.search(texts['zh']) and texts['zh'] not in NAMES:
        raise Problem(path, line, '%s.zh is not Chinese' % what)
    en, zh = (holes(texts[lang], path, line) for lang in LANGS)
    if en != zh:
        raise Problem(path, line, '%s: placeholders differ between en and zh: %s'
                      % (what, ' '.join(sorted(en ^ zh))))


def has_no_blank(a, b):
    """Chinese characters follow each other without a blank, Latin ones do not, nor one upon the other; Chinese punctuation
    has its own room."""
    wide = [ord(c) > 0x2fff for c in (a, b)]
    punctuation = any(w and not 0x3400 <= ord(c) <= 0x9fff for w, c in zip(wide, (a, b)))
    return all(wide) or punctuation


class Entry:
    """One file: values[(key, variant, lang)] = (line number, text)."""

    def __init__(self, path, keys):
        self.path, self.keys, self.values = path, keys, {}
        self.name = os.path.basename(path)
        self.read()

    def problem(self, line, text):
        return Problem(self.path, line, text)

    def read(self):
        with open(self.path, encoding='utf-8', newline='') as f:
            text = f.read()
        if '\r' in text or '\t' in text or not text.endswith('\n'):
            raise self.problem(1, 'no tabs; lines end with one \\n, the last one too')
        last = None
        for number, line in enumerate(text[:-1].split('\n'), 1):
            if line.startswith('#') or not line:
                last = None
            elif line[0] == ' ':
                if last is None:
                    raise self.problem(number, 'this line continues nothing')
                self.go_on(last, line.strip())
            else:
                last = self.line(number, line)

    def go_on(self, key, more):
        number, text = self.values[key]
        if key[0] == 'command':
            joint = '\n'  # one command a line
        else:
            joint = '' if text and has_no_blank(text[-1], more[0]) else ' '
        self.values[key] = (number, text + joint + more if text else more)

    def line(self, number, line):
        m = LINE.match(line)
        if m is None:
            raise self.problem(number, 'not of the form "key: value"')
        key = m.group(1, 2, 3)
        if key[0] not in self.keys:
            raise self.problem(number, 'unknown key "%s"' % key[0])
        if (key[0] in TEXTS) != (key[2] is not None):
            raise self.problem(number, '"%s" %s' % (key[0], 'needs .en or .zh' if key[0] in TEXTS else 'has no language'))
        if key[1] is not None and key[0] not in VARIANTS:
            raise self.problem(number, '"%s" has no variants' % key[0])
        if key in self.values:
            raise self.problem(number, '"%s" is given twice' % line.split(':')[0])
        self.values[key] = (number, (m.group(4) or '').strip())
        return key

    def get(self, key, need=True, variant=None, lang=None):
        number, text = self.values.get((key, variant, lang), (1, ''))
        if need and not text:
            raise self.problem(number, '"%s" is missing or empty' % key)
        return text

    def at(self, key, variant=None, lang=None):
        return self.values.get((key, variant, lang), (1, ''))[0]

    def pair(self, key, variant=None):
        texts = {lang: self.get(key, False, variant, lang) for lang in LANGS}
        name = key if variant is None else '%s@%s' % (key, variant)
        check_pair(self.path, self.at(key, variant, 'en'), name, texts)
        return [texts[lang] for lang in LANGS]

    def variants(self, key):
        """Variants in the order of the file, the plain one first."""
        found = {k[1] for k in self.values if k[0] == key}
        order = sorted((v for v in found if v is not None),
                       key=lambda v: min(n for k, (n, _) in self.values.items() if k[:2] == (key, v)))
        return ([None] if None in found else []) + order


def read_list(path):
    layers = {}
    with open(path, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            cells = line.rstrip('\n').split('\t')
            if number == 1 and cells == ['slug', 'layer', 'definition']:
                continue
            if len(cells) != 3 or not SLUG.match(cells[0]) or cells[0] in layers:
                raise Problem(path, number, 'slug, layer, definition; each slug once')
            if cells[1] not in LAYERS:
                raise Problem(path, number, 'unknown layer "%s"' % cells[1])
            layers[cells[0]] = cells[1]
    return layers


def read_definitions(path, zh_path):
    """slug -> [layer, English, Chinese], in the order of causes.tsv."""
    with open(path, encoding='utf-8') as f:
        rows = {c[0]: c[1:] for c in (line.rstrip('\n').split('\t') for line in f) if c[0] != 'slug'}
    with open(zh_path, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            cells = line.rstrip('\n').split('\t')
            if number == 1 and cells == ['slug', 'definition']:
                continue
            if len(cells) != 2 or len(rows.get(cells[0], ())) != 2:
                raise Problem(zh_path, number, 'slug of causes.tsv and definition; each slug once')
            check_pair(zh_path, number, cells[0], {'en': rows[cells[0]][1], 'zh': cells[1]})
            rows[cells[0]].append(cells[1])
    for slug, row in rows.items():
        if len(row) != 3:
            raise Problem(zh_path, 1, 'no definition of "%s"' % slug)
    return rows


def read_folder(path, keys, first):
    entries = []
    for name in sorted(os.listdir(path)):
        if name.startswith('.'):
            continue
        e = Entry(os.path.join(path, name), keys)
        if not SLUG.match(name) or e.get(first) != name:
            raise e.problem(e.at(first), '"%s" is not the name of the file' % e.get(first))
        entries.append(e)
    return entries


def check_cause(e, layers, remedies):
    slug = e.name
    if slug not in layers:
        raise e.problem(e.at('cause'), '"%s" is not in causes.tsv' % slug)
    if e.get('layer') != layers[slug]:
        raise e.problem(e.at('layer'), 'causes.tsv says "%s"' % layers[slug])
    if e.get('scope') not in ('machine', 'env'):
        raise e.problem(e.at('scope'), 'scope is machine or env')
    if e.get('severity') not in SEVERITIES:
        raise e.problem(e.at('severity'), 'severity is error, warning or note')
    for root in e.get('behind', False).split():
        if root not in layers or root == slug:
            raise e.problem(e.at('behind'), '"%s" is no other cause' % root)
    for r in e.get('remedy', False).split():
        if r not in remedies:
            raise e.problem(e.at('remedy'), 'there is no remedy "%s"' % r)
    if e.variants('say')[:1] != [None]:
        raise e.problem(1, 'the plain "say" is missing')
    e.get('see')


def check_remedy(e):
    for word in e.get('needs', False).split():
        if word not in NEEDS:
            raise e.problem(e.at('needs'), '"%s" is none of: %s' % (word, ' '.join(NEEDS)))
    if not SIZE.match(e.get('size', False)):
        raise e.problem(e.at('size'), 'a size is read in every language: "2-5 GB"')
    if e.get('source', False) and not re.match(r'[\x20-\x7e]+\Z', e.get('source')):
        raise e.problem(e.at('source'), 'a source is an address or the name of an index')
    for v in e.variants('command'):
        holes(e.get('command', True, v), e.path, e.at('command', v))


def read_strings(data):
    """Every data/strings*.tsv: one file per part of the program, ids unique over all of them."""
    rows, date = {}, ''
    for name in sorted(n for n in os.listdir(data) if n.startswith('strings') and n.endswith('.tsv')):
        path = os.path.join(data, name)
        with open(path, encoding='utf-8', newline='') as f:
            lines = f.read().rstrip('\n').split('\n')
        for number, line in enumerate(lines, 1):
            m = re.match(r'#date: (20\d\d-\d\d-\d\d)\Z', line)
            if m:
                date = max(date, m.group(1))
            if line.startswith('#') or line == 'id\ten\tzh':
                continue
            cells = line.split('\t')
            if len(cells) != 3 or not STRING_ID.match(cells[0]):
                raise Problem(path, number, 'id, en, zh with one tab between')
            if cells[0] in rows:
                raise Problem(path, number, '"%s" is there twice' % cells[0])
            check_pair(path, number, cells[0], dict(zip(LANGS, cells[1:])))
            rows[cells[0]] = cells[1:]
    if not date:
        raise Problem(data, 1, 'no "#date: YYYY-MM-DD" in strings.tsv')
    return rows, date


def quote(text):
    out = []
    for ch in text:
        if ch in '"\\':
            out.append('\\' + ch)
        elif ch == '\n':
            out.append('\\n')
        elif ch == '?':
            out.append('\\?')
        else:
            out.append(ch)
    return '"%s"' % ''.join(out)


class Pool:
    def __init__(self):
        self.at, self.bytes = {}, bytearray()

    def add(self, text):
        if text not in self.at:
            self.at[text] = len(self.bytes)
            self.bytes += text.encode('utf-8') + b'\0'
        return self.at[text]

    def write(self, f):
        f.write('const char tn_string_pool[] =\n')
        for i in range(0, len(self.bytes), CHUNK // 40):
            f.write('    "%s"\n' % ''.join('\\%03o' % b if b < 32 or b > 126 or b in b'"\\?' else chr(b)
                                           for b in self.bytes[i:i + CHUNK // 40]))
        f.write('    "";\n')


def write_c(path, causes, remedies, definitions, strings, date):
    with open(path, 'w', encoding='utf-8', newline='\n') as f:
        f.write('/* Made by tools/gen_catalogue.py from data/. */\n#include "finding/catalogue.h"\n\n')
        pool, says, words = Pool(), [], []
        f.write('const struct tn_cause tn_causes[] = {\n')
        for e in causes:
            f.write('    {%s, %s, %s, %s, %d, %d, {%d, %d}, {%d, %d}, %d, ' % (
                quote(e.name), quote(e.get('layer')), quote(e.get('scope')), SEVERITIES[e.get('severity')], len(says),
                len(e.variants('say')), *map(pool.add, e.pair('title') + e.pair('why') + [e.get('see')])))
            for key in ('behind', 'remedy'):
                more = e.get(key, False).split()
                f.write('%d, %d%s' % (len(words), len(more), ', ' if key == 'behind' else '},\n'))
                words += map(pool.add, more)
            says += ['{%d, {%d, %d}}' % (pool.add(v or ''), *(pool.add(t) for t in e.pair('say', v))) for v in e.variants('say')]
        f.write('};\nconst unsigned tn_n_causes = %d;\n\n' % len(causes))
        f.write('const unsigned tn_cause_words[] = {%s};\n' % ', '.join(map(str, words)))
        f.write('const struct tn_say_row tn_say_rows[] = {\n    %s};\n' % ',\n    '.join(says))
        commands, rows = [], []
        for e in remedies:
            variants = e.variants('command')
            pairs = ['{%d, %d}' % tuple(pool.add(t) for t in e.pair(key)) for key in ('title', 'changes', 'undo')]
            rows.append('{%d, %s, %d, %d, %d, %d, %d}' % (
                pool.add(e.name), ', '.join(pairs), pool.add(e.get('size', False)), pool.add(e.get('source', False)),
                pool.add(e.get('needs', False)), len(commands), len(variants)))
            commands += ['{%d, %d}' % (pool.add(v or ''), pool.add(e.get('command', True, v))) for v in variants]
        f.write('const struct tn_remedy_row tn_remedy_rows[] = {\n    %s};\n' % ',\n    '.join(rows))
        f.write('const unsigned tn_n_remedies = %d;\n' % len(rows))
        f.write('const struct tn_command_row tn_command_rows[] = {\n    %s};\n' % ',\n    '.join(commands))
        ids = sorted(strings)
        rows = ['{%d, {%d, %d}}' % (pool.add(i), pool.add(strings[i][0]), pool.add(strings[i][1])) for i in ids]
        defs = ['{%d, %d, {%d, %d}}' % tuple(pool.add(t) for t in (slug, layer, en, zh))
                for slug, (layer, en, zh) in definitions.items()]
        pool.write(f)
        f.write('const struct tn_string_row tn_strings[] = {\n    %s};\n' % ',\n    '.join(rows))
        f.write('const struct tn_cause_def_row tn_cause_def_rows[] = {\n    %s};\n' % ',\n    '.join(defs))
        f.write('const unsigned tn_n_cause_defs = %d;\n' % len(defs))
        f.write('const unsigned tn_n_strings = %d;\nconst char tn_catalogue_date[] = %s;\n' % (len(ids), quote(date)))


def write_h(path, strings):
    with open(path, 'w', encoding='utf-8', newline='\n') as f:
        f.write('/* Made by tools/gen_catalogue.py: the ids of data/strings.tsv. */\n'
                '#ifndef TN_STRINGS_GEN_H\n#define TN_STRINGS_GEN_H\n\n')
        for i in sorted(strings):
            f.write('#define TN_S_%s "%s"\n' % (i, i))
        f.write('\n#endif\n')


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--source', required=True)
    p.add_argument('--out', required=True)
    a = p.parse_args()
    data = os.path.join(a.source, 'data')
    try:
        layers = read_list(os.path.join(data, 'causes.tsv'))
        remedies = read_folder(os.path.join(data, 'remedies'), REMEDY_KEYS, 'remedy')
        causes = read_folder(os.path.join(data, 'causes'), CAUSE_KEYS, 'cause')
        for e in causes:
            check_cause(e, layers, {r.name for r in remedies})
        for e in remedies:
            check_remedy(e)
        strings, date = read_strings(data)
        definitions = read_definitions(os.path.join(data, 'causes.tsv'), os.path.join(data, 'causes-zh.tsv'))
        os.makedirs(a.out, exist_ok=True)
        write_c(os.path.join(a.out, 'catalogue.gen.c'), causes, remedies, definitions, strings, date)
        write_h(os.path.join(a.out, 'strings.gen.h'), strings)
    except Problem as e:
        sys.exit(str(e))


if __name__ == '__main__':
    main()
