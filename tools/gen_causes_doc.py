#!/usr/bin/env python3
"""Writes doc/causes.md and doc/causes.zh.md: every cause with what it means, why it is so, what shows it, what helps and
where its rule is from, out of data/causes, data/remedies and data/messages. --check: are they as they would be written?
(the phase style of tools/check.py)"""
import argparse
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAX_WORDINGS = 5
LABEL = {
    'en': {'title': '# Causes', 'intro': 'Every cause that tenon names. Made by `tools/gen_causes_doc.py` from `data/causes`, '
           '`data/remedies` and `data/messages`; `tenon causes SLUG` shows one. A word in angle brackets is filled in by a finding.',
           'why': 'Why', 'shown': 'Shown by', 'doctor': '`tenon doctor` on the machine',
           'explain': '`tenon explain` in a text', 'log': 'What a log says', 'behind': 'Explained by', 'helps': 'What helps',
           'see': 'Rule from', 'comma': ', ', 'none': 'no remedy that holds for all'},
    'zh': {'title': '# 原因目录', 'intro': 'tenon 能给出的全部原因。由 `tools/gen_causes_doc.py` 根据 `data/causes`、`data/remedies` 和 '
           '`data/messages` 生成；`tenon causes SLUG` 显示其中一条。尖括号中的词由具体诊断填入。',
           'why': '为什么', 'shown': '由谁发现', 'doctor': '`tenon doctor`（在本机检查）',
           'explain': '`tenon explain`（在文本中识别）', 'log': '日志中的表现', 'behind': '可能的根源', 'helps': '怎么办',
           'see': '规则依据', 'comma': '、', 'none': '没有普遍适用的办法'},
}


def keyed(path):
    """The "key: value" lines of a file; a line that begins with two blanks goes on (of a command: is the next one)."""
    out, key = {}, None
    with open(path, encoding='utf-8') as f:
        for line in f.read().split('\n'):
            m = re.match(r'([a-z]+(?:@[a-z0-9-]+)?(?:\.[a-z]+)?): (.*)\Z', line)
            if m:
                key = m.group(1)
                out[key] = (out[key] + '\n' if key in out else '') + m.group(2)
            elif line.startswith('  ') and key:
                out[key] += ('\n' if key.startswith('command') else ' ') + line.strip()
    return out


def table(name):
    with open(os.path.join(ROOT, 'data', name), encoding='utf-8') as f:
        return [line.rstrip('\n').split('\t') for line in f if line.strip()][1:]


def open_text(text):
    return re.sub(r'\{([^{}]*)\}', r'<\1>', text).replace('<', '&lt;').replace('>', '&gt;')


def wordings():
    """Slug -> the first wordings of the forms that prove it, or speak strongly for it, as programs print them."""
    out = {}
    for path in sorted(glob.glob(os.path.join(ROOT, 'data/messages/*'))):
        own, forms = os.path.basename(path), []
        with open(path, encoding='utf-8') as f:
            for line in f.read().split('\n'):
                if line.startswith('form: '):
                    forms.append(([], []))
                elif line.startswith('text: '):
                    forms[-1][0].append(line[6:])
                elif line.startswith('means: '):
                    forms[-1][1].append(line[7:].split(' ')[:2])
                elif line.startswith('says: '):
                    forms[-1][1].append(['', ''])
        for texts, means in forms:
            for slug, weight in means or [[own, 'proves']]:
                if weight in ('proves', 'strong') and not own.startswith('_'):
                    out.setdefault(slug, []).append(texts[0])
    return out


def page(lang):
    say, words = LABEL[lang], wordings()
    chinese = dict((r[0], r[1]) for r in table('causes-zh.tsv'))
    checked = set()
    for path in glob.glob(os.path.join(ROOT, 'src/check/*.c')):
        with open(path, encoding='utf-8') as f:
            checked |= set(re.findall(r'TN_CHECK\(\w+,\s*"([a-z0-9-]+)"', f.read()))
    out, layer = [say['title'], '', say['intro'], ''], None
    for slug, of, definition in table('causes.tsv'):
        path = os.path.join(ROOT, 'data/causes', slug)
        cause = keyed(path) if os.path.exists(path) else {}
        if not cause:
            continue
        if of != layer:
            out += ['## ' + of, '']
            layer = of
        out += ['### %s: %s' % (slug, open_text(cause['title.' + lang])), '', chinese[slug] if lang == 'zh' else definition, '']
        if cause.get('why.' + lang):
            out += ['**%s** %s' % (say['why'], open_text(cause['why.' + lang])), '']
        by = [say[x] for x, yes in (('doctor', slug in checked), ('explain', slug in words)) if yes]
        if by:
            out += ['**%s** %s' % (say['shown'], say['comma'].join(by)), '']
        seen = list(dict.fromkeys(words.get(slug, [])))[:MAX_WORDINGS]
        if seen:
            out += ['**%s**' % say['log'], ''] + ['- `%s`' % re.sub(r'\{([a-z_0-9]+)(:[a-z]+)?\}', '...', t.replace('`', "'"))
                                                 for t in seen] + ['']
        if cause.get('behind'):
            out += ['**%s** %s' % (say['behind'], say['comma'].join('`%s`' % b for b in cause['behind'].split())), '']
        out += ['**%s**' % say['helps'], '']
        remedies = cause.get('remedy', '').split()
        for r in remedies:
            remedy = keyed(os.path.join(ROOT, 'data/remedies', r))
            out.append('- %s' % open_text(remedy['title.' + lang]))
            for key in sorted(k for k in remedy if k.split('@')[0] == 'command'):
                out += ['  - `%s`' % re.sub(r'\{([^{}]*)\}', r'<\1>', c) for c in remedy[key].split('\n')]
        out += ([] if remedies else [say['none']]) + ['']
        if cause.get('see'):
            out += ['**%s** %s' % (say['see'], open_text(cause['see'])), '']
    return '\n'.join(out).rstrip('\n') + '\n'


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--check', action='store_true')
    a = p.parse_args()
    stale = []
    for lang, name in (('en', 'doc/causes.md'), ('zh', 'doc/causes.zh.md')):
        path, text = os.path.join(ROOT, name), page(lang)
        if not a.check:
            with open(path, 'w', encoding='utf-8', newline='\n') as f:
                f.write(text)
        elif not os.path.exists(path) or open(path, encoding='utf-8').read() != text:
            stale.append(name)
    if stale:
        sys.exit('%s: not as the data say: run tools/gen_causes_doc.py' % ', '.join(stale))


if __name__ == '__main__':
    main()
