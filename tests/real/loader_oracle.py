#!/usr/bin/env python3
"""The simulated loader against the real ld.so: generated trees of libraries, and files that are here.

loader_oracle.py trees FOLDER RUN COUNT SEED [ONLY]   random trees below FOLDER (templates lib.so, prog, prog64 are there)
loader_oracle.py seeds FOLDER RUN FILE                trees that differed once: a seed a line, and what it was
loader_oracle.py files RUN < list                     every file of the list: the same list as `ld.so --list`

Trees: the program prints its link map and what each dlopen came to (tests/real/loader_prog.c); RUN prints the same of
the simulation (tests/real/loader_run.c), and both which files were tried. With TN_ORACLE_CACHE=FILE, a file mounted
over /etc/ld.so.cache, a third of the trees have a cache made by the real ldconfig, with TN_ORACLE_PRELOAD=FILE, which
nobody else sees as /etc/ld.so.preload, a fifth have such a file. Exit 1 at a difference; the seed of
the tree is printed: it runs alone with COUNT 1."""
import os
import random
import re
import shutil
import struct
import subprocess
import sys

MUSL = bool(os.environ.get('TN_ORACLE_MUSL'))
LD = '/lib/ld-musl-x86_64.so.1' if MUSL else '/lib64/ld-linux-x86-64.so.2'
NAMES = ['liba.so.1', 'libb.so.1', 'libc1.so.1', 'libd.so.2', 'libe.so.01', 'libe.so.1', 'libf.so', 'libz.so.1', 'libm.so.6']
DT_NULL, DT_NEEDED, DT_STRTAB, DT_SONAME, DT_RPATH, DT_FLAGS, DT_RUNPATH, DT_FLAGS_1 = 0, 1, 5, 14, 15, 30, 29, 0x6ffffffb
DT_VERNEED = 0x6ffffffe


def elf_hash(name):
    h = 0
    for c in name.encode():
        h = (h << 4) + c
        g = h & 0xf0000000
        h = (h ^ (g >> 24)) & ~g & 0xffffffff
    return h


class Template:
    """A linked file with spare tags and a long run path of X, in whose place new texts are written."""

    def __init__(self, path):
        self.raw = open(path, 'rb').read()
        self.loads, self.dyn = [], None
        phoff, = struct.unpack_from('<Q', self.raw, 32)
        n, = struct.unpack_from('<H', self.raw, 56)
        for i in range(n):
            at = phoff + 56 * i
            kind, _, off, vaddr, _, size = struct.unpack_from('<IIQQQQ', self.raw, at)
            if kind == 1:
                self.loads.append((vaddr, off, size))
            if kind == 2:
                self.dyn, self.dyn_ph = (off, size), at
        self.tags = [struct.unpack_from('<QQ', self.raw, self.dyn[0] + 16 * i) for i in range(self.dyn[1] // 16)]
        value = dict(self.tags)
        self.strtab = self.offset(value[DT_STRTAB])
        self.verneed = self.offset(value[DT_VERNEED]) if DT_VERNEED in value else None
        self.room = self.raw.index(b'X' * 4096)
        self.room_end = self.raw.index(b'\0', self.room)

    def offset(self, vaddr):
        for v, off, size in self.loads:
            if v <= vaddr < v + size:
                return off + vaddr - v
        raise ValueError

    def make(self, needed=(), soname=None, rpath=None, runpath=None, flags_1=0, patch=None, libc=True, version=None):
        b = bytearray(self.raw)
        at = self.room

        def text(s):
            nonlocal at
            s = s.encode() + b'\0'
            assert at + len(s) <= self.room_end
            b[at:at + len(s)] = s
            at += len(s)
            return at - len(s) - self.strtab
        new = [(DT_NEEDED, text(n)) for n in needed]
        if soname is not None:
            new.append((DT_SONAME, text(soname)))
        if rpath is not None:
            new.append((DT_RPATH, text(rpath)))
        if runpath is not None:
            new.append((DT_RUNPATH, text(runpath)))
        old_flags = 0
        for tag, v in self.tags:
            if tag == DT_FLAGS_1:
                old_flags = v
            elif tag not in (DT_NULL, DT_RUNPATH, DT_SONAME):
                new.append((tag, v))
        if old_flags | flags_1:
            new.append((DT_FLAGS_1, old_flags | flags_1))
        assert len(new) < len(self.tags), len(self.tags)
        new += [(0, 0)] * (len(self.tags) - len(new))
        for i, (tag, v) in enumerate(new):
            struct.pack_into('<QQ', b, self.dyn[0] + 16 * i, tag, v)
        if version:  # the first version of libc.so.6 that it requires becomes one that nobody has
            aux = self.verneed + struct.unpack_from('<I', b, self.verneed + 8)[0]
            struct.pack_into('<I', b, aux, elf_hash(version))
            struct.pack_into('<I', b, aux + 8, text(version))
        for where, fmt, v in patch or ():
            struct.pack_into(fmt, b, where, v)
        return bytes(b)


def pick(r, *pairs):
    """pick(r, (weight, value), ...)"""
    return r.choices([v for _, v in pairs], [w for w, _ in pairs])[0]


class Tree:
    def __init__(self, root, seed, lib, prog):
        self.r, self.root, self.lib, self.prog = random.Random(seed), root, lib, prog
        shutil.rmtree(root, ignore_errors=True)
        self.dirs = [f'{root}/{d}' for d in ('bin', 'a', 'b', 'b/c', 'd', 'lib/x86_64-linux-gnu', 'haswell', 'e')]
        for d in self.dirs:
            os.makedirs(d)
        if self.r.random() < .3:
            os.symlink('a', f'{root}/link')
            self.dirs.append(f'{root}/link')
        if self.r.random() < .15:
            os.makedirs(f'{root}/{"n" * 240}')
            self.dirs.append(f'{root}/{"n" * 240}')
        self.files = []
        for _ in range(self.r.randint(4, 22)):
            self.file()
        self.program()

    def place(self):
        d = self.r.choice(self.dirs)
        sub = pick(self.r, (14, ''), (1, '/glibc-hwcaps/x86-64-v2'), (1, '/glibc-hwcaps/x86-64-v3'),
                   (1, '/glibc-hwcaps/x86-64-v4'), (.5, '/glibc-hwcaps/x86-64-v9'), (.5, '/tls'), (.3, '/tls/x86_64'),
                   (.3, '/haswell'), (.3, '/x86_64'), (.3, '/avx512_1/x86_64'))
        os.makedirs(d + sub, exist_ok=True)
        return d + sub

    def folder(self):
        r = self.r
        base = os.path.basename(r.choice(self.dirs))
        return pick(r, (6, r.choice(self.dirs)), (4, '$ORIGIN/../' + base), (2, '$ORIGIN'), (1, '${ORIGIN}/../b/c'),
                    (1, '$ORIGIN/../$LIB'), (1, self.root + '/${LIB}'), (1, self.root + '/$PLATFORM'),
                    (1, self.root + '/none'), (.5, '$ORIGIN/../b/../b/c/'), (.5, self.root + '/a//'),
                    (.3, '$ORIGINAL/x'), (.3, '$FOO'), (.3, '../a'), (.3, 'b'), (.3, ''), (.2, self.root + '/a/liba.so.1'),
                    (.2, '/usr/lib' if MUSL else '/usr/lib/x86_64-linux-gnu'), (.2, '${ORIGIN'), (.1, '/'), (.1, '.'))

    def path_list(self):
        return ':'.join(self.folder() for _ in range(pick(self.r, (.3, 0), (5, 1), (5, 2), (3, 3), (1, 6))))

    def tags(self):
        r = self.r
        kind = pick(r, (4, ''), (4, 'run'), (3, 'r'), (.5, 'both'))
        return dict(runpath=self.path_list() if kind in ('run', 'both') else None,
                    rpath=self.path_list() if kind in ('r', 'both') else None)

    def name(self):
        r = self.r
        return pick(r, (30, r.choice(NAMES)), (1, '$ORIGIN/' + r.choice(NAMES)), (1, r.choice(self.dirs) + '/' + r.choice(NAMES)),
                    (.5, 'libnowhere.so.1'), (.3, '../a/liba.so.1'), (.3, 'x' * 300 + '.so'), (.3, 'libexpat.so.1'))

    def content(self, name):
        r = self.r
        # what musl does not look at crashes it, or fails for another reason, where only the header is another
        kinds = {'class', 'machine', 'data', 'phentsize', 'noload', 'exec', 'lacks'} if MUSL else ()
        kind = pick(r, (36, 'lib'), (2, 'class'), (2, 'machine'), (.6, 'osabi'), (.4, 'gnuabi'), (.3, 'abiversion'),
                    (.3, 'padding'), (.3, 'data'), (.3, 'version'), (.3, 'e_version'), (.4, 'type'), (.4, 'exec'),
                    (.3, 'phentsize'), (.3, 'phoff'), (.8, 'short'), (.5, 'empty'), (.8, 'text'), (.4, 'nodyn'),
                    (.5, 'pie'), (1, 'nodeflib'), (.5, 'noopen'), (.6, 'lacks'), (.3, 'noload'))
        kind = 'lib' if kind in kinds else kind
        patch = {'class': [(4, 'B', 1)], 'machine': [(18, '<H', 183)], 'osabi': [(7, 'B', 9)], 'gnuabi': [(7, 'B', 3)],
                 'abiversion': [(8, 'B', 7)], 'padding': [(12, 'B', 1)], 'data': [(5, 'B', 2)], 'version': [(6, 'B', 2)],
                 'e_version': [(20, '<I', 2)], 'type': [(16, '<H', r.choice([1, 4]))], 'exec': [(16, '<H', 2)],
                 'phentsize': [(54, '<H', 32)], 'phoff': [(32, '<Q', 1 << 30)],
                 'nodyn': [(self.lib.dyn_ph, '<I', 0)]}.get(kind)
        if kind == 'noload':
            patch = [(64 + 56 * i, '<I', 0) for i in range(20)
                     if 64 + 56 * i < len(self.lib.raw) and struct.unpack_from('<I', self.lib.raw, 64 + 56 * i)[0] == 1]
        if kind in ('short', 'empty', 'text'):
            return {'short': b'\177ELF' + b'\2' * 20, 'empty': b'', 'text': b'INPUT(-lfoo) ' * 9}[kind]
        flags = {'pie': 0x08000000, 'nodeflib': 0x800, 'noopen': 0x40}.get(kind, 0)
        soname = pick(r, (8, name), (2, r.choice(NAMES)), (2, None))
        needed = [self.name() for _ in range(pick(r, (6, 0), (6, 1), (3, 2), (1, 5)))]
        return self.lib.make(needed, soname, flags_1=flags, patch=patch, version='GLIBC_9.9' if kind == 'lacks' else None,
                             **self.tags())

    def file(self):
        r, name = self.r, self.r.choice(NAMES)
        path = f'{self.place()}/{name}'
        if os.path.lexists(path):
            return
        kind = pick(r, (20, 'file'), (2, 'link'), (1.5, 'hard'), (.5, 'folder'), (.3, 'loop'), (.3, 'dangling'), (.4, 'system'))
        kind = 'file' if kind == 'system' and MUSL else kind  # it needs glibc
        real = [f for f in self.files if os.path.isfile(f)]
        real = [f for f in real if kind == 'link' or os.path.realpath(f).startswith(self.root + '/')]
        if kind in ('link', 'hard') and real:
            to = r.choice(real)
            if kind == 'hard':
                os.link(os.path.realpath(to), path)
            else:
                os.symlink(to if r.random() < .5 else os.path.relpath(to, os.path.dirname(path)), path)
        elif kind == 'folder':
            os.mkdir(path)
        elif kind == 'loop':
            os.symlink(name, path)
        elif kind == 'dangling':
            os.symlink('nowhere', path)
        elif kind == 'system':
            os.symlink('/lib/x86_64-linux-gnu/libz.so.1', path)
        else:
            with open(path, 'wb') as f:
                f.write(self.content(name))
        self.files.append(path)

    def program(self):
        r = self.r
        self.program_path = f'{self.root}/bin/prog'
        flags = pick(r, (10, 0), (1, 0x800))
        with open(self.program_path, 'wb') as f:
            f.write(self.prog.make([self.name() for _ in range(pick(r, (4, 0), (4, 1), (3, 2), (2, 4)))], flags_1=flags,
                                   **self.tags()))
        os.chmod(self.program_path, 0o755)
        if r.random() < .3:
            os.symlink('../bin/prog', f'{self.root}/d/started')
            self.program_path = f'{self.root}/d/started'
        sep = [':', ':', ':', ';']
        self.llp = ''
        if r.random() < .5:
            for i in range(r.randint(1, 4)):
                self.llp += (r.choice(sep) if i else '') + self.folder()
        self.preload = r.choice([' ', ':']).join(self.name() for _ in range(pick(r, (8, 0), (2, 1), (1, 2))))
        self.cwd = r.choice(self.dirs)
        if 'x' * 300 in self.preload:
            self.preload = ''
        self.preload_file = None
        if r.random() < .2:
            self.preload_file = '# ' + self.name() + '\n' + r.choice([' ', ':', '\n', '\t']).join(
                self.name() for _ in range(r.randint(0, 3))) + r.choice(['', '\n', ' # ' + self.name()])
        if 'x' * 300 in (self.preload_file or ''):
            self.preload_file = None

    def cache(self, target):
        """Some folders in a cache by the real ldconfig, which may miss some that exist and name some that do not."""
        some = self.r.sample(self.dirs, self.r.randint(1, len(self.dirs)))
        if MUSL:
            with open(target, 'w') as f:
                f.write(self.r.choice(['\n', ':', ':\n']).join(some + self.r.sample(['/none', 'b', some[0] + '//'], 1)) + self.r.choice(['', '\n']))
            return
        conf = f'{self.root}/ld.so.conf'
        with open(conf, 'w') as f:
            f.write('\n'.join(some) + '\n')
        made = f'{self.root}/cache'
        subprocess.run(['ldconfig', '-X', '-f', conf, '-C', made], stderr=subprocess.DEVNULL, check=False)
        if not os.path.exists(made):
            return
        with open(target, 'wb') as f, open(made, 'rb') as g:
            f.write(g.read())
        for f in self.files:  # stale entries
            if self.r.random() < .1 and os.path.lexists(f) and not os.path.isdir(f):
                os.remove(f)


class Simulation:
    def __init__(self, run):
        self.p = subprocess.Popen([run], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, errors='surrogateescape')

    def ask(self, *lines):
        out = []
        for line in lines:
            self.p.stdin.write(line + '\n')
            self.p.stdin.flush()
            while True:
                got = self.p.stdout.readline()
                if not got:
                    sys.exit(f'the simulation died ({self.p.wait()}) of: {line}')
                if got == '.\n':
                    break
                out.append(got.rstrip('\n'))
        return out


def there_once(tries, cwd):
    """Of the files that a search tried those in folders that are there, and a file once: where the platform's name is
    that of an old hwcap folder too (x86_64 on AMD, glibc before 2.37), ld.so tries the folder twice, not always."""
    out = []
    for f in tries:
        twice = out[-1:] == [f] and os.path.basename(os.path.dirname(f)) == 'x86_64'
        if not twice and os.path.isdir(os.path.join(cwd, os.path.dirname(f) or '.')):
            out.append(f)
    return out


def real_tries(path, cwd):
    """The files that ld.so tried, search by search."""
    out, line = [], None
    names = [f for f in os.listdir(os.path.dirname(path)) if f.startswith(os.path.basename(path) + '.')]
    for name in names:
        full = os.path.join(os.path.dirname(path), name)
        for text in open(full, errors='surrogateescape'):
            text = text.rstrip('\n').split(':\t', 1)[-1]
            if text.startswith('find library='):
                line = []
                out.append(line)
            elif text.startswith('  trying file='):
                line.append(text[14:])
        os.remove(full)
    return ['tried ' + ' '.join(x) for x in (there_once(x, cwd) for x in out) if x]


def order(line):
    """The loader itself and libc stand somewhere in the link map: compared as a set beside the others."""
    head, _, rest = line.partition(' | ')
    if not rest:
        head, _, rest = line.partition(' ')
    files = [f for f in rest.split(' ') if f]
    return head, [f for f in files if f != LD], LD in files


def reason(line):
    for text in ('Not a directory', 'No error information', 'Filename too long', 'Permission denied', 'Not a tty', 'Symbolic link loop'):
        line = line.replace(': ' + text, ': No such file or directory')
    return line


def no_folder(line):
    """A file where a folder should be is nothing there for tenon (os/os.h), whose reason glibc words in its own way."""
    return re.sub(': (Error 20|Not a directory)$', ': No such file or directory', line)


def one(seed, root, sim, lib, prog, cache):
    t = Tree(root, seed, lib, prog)
    if cache:
        with_cache = t.r.random() < .34
        if with_cache:
            sim.ask('new')  # its own libraries are loaded
            t.cache(cache)
    preload_file = os.environ.get('TN_ORACLE_PRELOAD')
    if preload_file and t.preload_file is not None:
        with open(preload_file, 'w') as f:
            f.write(t.preload_file)
    sim.ask('new', f'env {t.llp}\t{t.preload}', f'cwd {t.cwd}')
    lines = sim.ask(f'start {t.program_path}')
    args, ours = [], [x for x in lines if not x.startswith('tried ')]
    tries = [x for x in lines if x.startswith('tried ')]
    started = ours[0].startswith('start')
    for _ in range(t.r.randint(1, 5) if started else 0):
        loaded = [f for f in ours[-1].split(' ')[1:] if os.path.realpath(f).startswith(root)]
        caller = t.r.choice(loaded) if loaded and t.r.random() < .6 else ''
        name = pick(t.r, (8, t.name()), (4, t.r.choice(t.files) if t.files else 'libz.so.1'))
        args += [caller, name]
        lines = sim.ask(f'open {caller}\t{name}')
        ours += [x for x in lines if not x.startswith('tried ')]
        tries += [x for x in lines if x.startswith('tried ')]
    env = {'LD_DEBUG': 'libs', 'LD_DEBUG_OUTPUT': f'{root}/debug', 'PATH': '/bin:/usr/bin'}
    if t.llp:
        env['LD_LIBRARY_PATH'] = t.llp
    if t.preload:
        env['LD_PRELOAD'] = t.preload
    if MUSL:
        tries = []
    p = subprocess.run([t.program_path] + args, env=env, cwd=t.cwd, capture_output=True, text=True, errors='surrogateescape')
    if preload_file and os.path.exists(preload_file):
        os.remove(preload_file)
    theirs = p.stdout.splitlines()
    if not started or p.returncode:
        said = [x for x in p.stderr.splitlines() if 'cannot be preloaded' not in x and 'no version information' not in x]
        text = (said or [f'status {p.returncode}'])[0]
        text = text.removeprefix(t.program_path + ': ').removeprefix('error while loading shared libraries: ')
        theirs = theirs + ['dies ' + text]
    theirs = [no_folder(x) for x in theirs]
    debug = [] if MUSL else real_tries(f'{root}/debug', t.cwd)
    if MUSL:  # %m of musl is the last error of anything, of the program's own calls, too
        ours, theirs = [[reason(x) for x in lines] for lines in (ours, theirs)]
    there = [there_once(x.split(' ')[1:], t.cwd) for x in tries]
    tries = ['tried ' + ' '.join(x) for x in there if x]
    names = sum(len(x.split(' ')) - 1 for x in ours)
    if [order(x) for x in ours] == [order(x) for x in theirs] and tries == debug:
        return names, ours, None
    said = [f'seed {seed}: differs', f'  program {t.program_path} cwd {t.cwd}', f'  LD_LIBRARY_PATH={t.llp}',
            f'  LD_PRELOAD={t.preload}', f'  opens {args}', f'  /etc/ld.so.preload={t.preload_file!r}']
    for a, b in zip(ours + [''] * len(theirs), theirs + [''] * len(ours)):
        if a or b:
            said += [('  = ' if order(a) == order(b) else '  ! ') + a] + ([] if order(a) == order(b) else ['  R ' + b])
    for a, b in zip(tries + [''] * len(debug), debug + [''] * len(tries)):
        if a != b:
            said += ['  ? ' + a, '  R ' + b]
            break
    return names, ours, '\n'.join(said)


def trees(folder, run, seeds, what):
    lib, prog = Template(f'{folder}/lib.so'), Template(f'{folder}/prog')
    cache = os.environ.get('TN_ORACLE_CACHE')
    names, ends, bad = 0, {}, 0
    for seed in seeds:
        if cache:
            shutil.copyfile(cache + '.system', cache)
        sim = Simulation(run)  # tenon looks once: a process that lives on knows folders that are gone
        n, ours, said = one(seed, f'{folder}/t', sim, lib, prog, cache)
        sim.p.stdin.close()
        sim.p.wait()
        names += n
        for line in ours:
            ends[line.split(' ')[0]] = ends.get(line.split(' ')[0], 0) + 1
        if said:
            bad += 1
            if bad <= 5:
                print(said.replace('x' * 300, 'LONG'))
    ended = ', '.join(f'{v} {k}' for k, v in sorted(ends.items()))
    print(f'{len(seeds)} trees {what}{", a third with a cache of their own" if cache else ""}: {names} libraries compared '
          f'({ended}), {bad} differences')
    return bad


def listed(path):
    p = subprocess.run([LD, '--list', path], capture_output=True, text=True, errors='surrogateescape',
                       env={'PATH': '/bin:/usr/bin'})
    out = []
    for line in p.stdout.splitlines():
        line = line.strip()
        if ' => ' in line:
            name, at = line.split(' => ', 1)
            out.append(f'{name}={"missing" if at.startswith("not found") else at.rsplit(" (0x", 1)[0]}')
        elif line.startswith('/') and not line.startswith(LD):
            at = line.rsplit(' (0x', 1)[0]
            out.append(f'{at}={at}')
    return p.returncode, out, p.stderr


def files(run):
    sim, n, libs, bad, refused = Simulation(run), 0, 0, 0, 0
    for path in sys.stdin.read().splitlines():
        rc, theirs, stderr = listed(path)
        ours = sim.ask(f'list {path}')[0].split(' ')
        if rc and not theirs:  # static, damaged, or for another machine: the list is no list
            refused += 1
            continue
        n += 1
        libs += len(theirs)
        if sorted(ours[1:]) != sorted(x for x in theirs if not x.startswith(LD)):
            bad += 1
            if bad <= 5:
                print(f'{path}: differs\n  ours   {sorted(set(ours[1:]) - set(theirs))}\n  theirs {sorted(set(theirs) - set(ours[1:]))} {stderr[:300]}')
    print(f'{n} files, {libs} libraries compared, {bad} differences ({refused} that ld.so --list refuses)')
    return bad


if __name__ == '__main__':
    a = sys.argv[1:]
    if a[0] == 'trees':
        bad = trees(a[1], a[2], range(int(a[4]), int(a[4]) + int(a[3])), f'from seed {a[4]}')
    elif a[0] == 'seeds':
        with open(a[3]) as f:
            bad = trees(a[1], a[2], [int(x.split()[0]) for x in f if x.strip() and x[0] != '#'], 'that differed once')
    else:
        bad = files(a[1])
    sys.exit(1 if bad else 0)
