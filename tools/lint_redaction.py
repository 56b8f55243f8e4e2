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
    ('check/container_gpu_not_requested.c', 'library.path'): 'argument path, shown',
    ('check/container_toolkit_missing.c', 'cdi.path'): 'only whether it is known; argument path, shown',
    ('check/cuda_not_on_loader_path.c', 'library.path'): 'argument dir, shown; its folder is compared with search.path: equal folders stay equal',
    ('check/cuda_not_on_loader_path.c', 'search.path'): 'compared with the folder of library.path: equal folders stay equal, in any case',
    ('check/cuda_tools_missing.c', 'toolkit.names'): 'compared with the usual folders of the system, which are shown',
    ('check/cuda_tools_missing.c', 'toolkit.path'): 'compared with the usual folders of the system, which are shown; argument dir',
    ('check/cuda_tools_missing.c', 'variable.value'): 'a flag of XLA, which the path rules leave; compared with toolkit.path: masked alike in both',
    ('check/cuda_tools_missing.c', 'env.path'): 'compared with toolkit.path: masked alike in both',
    ('check/cudnn_missing.c', 'toolkit.path'): 'argument dir, shown',
    ('check/driver_install_failed.c', 'build.error'): 'argument line, shown; the kind of error is a fact of its own',
    ('check/driver_install_failed.c', 'build.log'): 'argument of a command, shown',
    ('check/driver_library_mismatch.c', 'driver.library_path'): 'evidence, shown',
    ('check/driver_library_mismatch.c', 'host.initrd'): 'argument image, shown',
    ('check/driver_library_mismatch.c', 'library.path'): 'arguments; folders of the loader are shown',
    ('check/driver_library_mismatch.c', 'search.path'): 'compared with the folder of library.path: system folders are shown',
    ('check/proved.c', 'measurement.file'): 'argument file, shown',
    ('check/takes.c', 'env.base'): 'compared with env.path: equal paths stay equal',
    ('check/takes.c', 'env.path'): 'compared with env.base: equal paths stay equal',
    ('check/takes.c', 'library.path'): 'its folder is compared with search.path: equal folders stay equal',
    ('check/takes.c', 'search.path'): 'compared with the folder of library.path: equal folders stay equal',
    ('check/driver_missing.c', 'driver.library_path'): 'only whether it is known, which redaction keeps',
    ('check/driver_missing.c', 'library.path'): 'argument path; folders of the system are shown',
    ('check/driver_not_loaded.c', 'host.initrd'): 'argument image, shown',
    ('check/driver_not_loaded.c', 'host.mok_key'): 'argument key, shown',
    ('check/driver_not_loaded.c', 'modprobe.file'): 'the folders and files of the system are shown; argument file',
    ('check/driver_not_loaded.c', 'modprobe.value'): 'true, false and off, which redaction leaves there (is_modprobe_word); argument line',
    ('check/driver_not_loaded.c', 'module.path'): 'the folders updates and extra below /lib/modules are shown',
    ('check/foreign_loader.c', 'env.loader'): 'roots of Homebrew, Nix and Guix are shown',
    ('check/foreign_loader.c', 'framework.path'): 'compared with env.loader by their roots, which are shown',
    ('check/foreign_loader.c', 'library.path'): 'its folder is looked for in a variable: masked alike in both',
    ('check/foreign_loader.c', 'variable.value'): 'compared with library.path: a folder is masked alike in both',
    ('check/forward_compat_unsupported.c', 'library.path'): 'argument path, shown',
    ('check/framework_corrupt.c', 'dist.damaged_path'): 'argument path, shown',
    ('check/framework_corrupt.c', 'dist.path'): 'argument path, shown',
    ('check/framework_corrupt.c', 'env.base'): 'argument base, shown',
    ('check/framework_corrupt.c', 'env.interpreter'): 'only whether it is absent, which redaction keeps',
    ('check/framework_corrupt.c', 'env.path'): 'argument prefix, shown',
    ('check/framework_package_conflict.c', 'dist.site'): 'two compared with each other: equal paths stay equal',
    ('check/framework_shadowed.c', 'dist.path'): 'argument dir, shown',
    ('check/framework_shadowed.c', 'dist.site'): 'argument dir, shown',
    ('check/framework_shadowed.c', 'shadow.path'): 'arguments path and new, shown',
    ('check/glibc_too_old.c', 'env.loader'): 'the usual folders of loaders are shown',
    ('check/gpu_hidden_by_env.c', 'gpu.uuid'): 'compared with an entry of the variable: a whole UUID is masked alike in both',
    ('check/gpu_hidden_by_env.c', 'variable.value'): 'numbers and words, which the path rules leave; UUIDs masked alike',
    ('check/gpu_busy.c', 'gpu.uuid'): 'argument of a command, shown',
    ('check/gpu_busy.c', 'process.container'): 'argument, shown; whether it is known, which redaction keeps',
    ('check/gpu_busy.c', 'process.cwd'): 'argument list, shown; whether it is known, which redaction keeps',
    ('check/gpu_busy.c', 'process.job'): 'argument, shown; whether it is known, which redaction keeps',
    ('check/gpu_busy.c', 'process.name'): 'argument program, shown to the person who looks',
    ('check/gpu_busy.c', 'process.pid'): 'argument, shown',
    ('check/gpu_busy.c', 'process.program'): 'argument list, shown to the person who looks',
    ('check/gpu_busy.c', 'process.uid'): 'argument user, shown; whether it is known, which redaction keeps',
    ('check/gpu_busy.c', 'process.user'): 'argument, shown',
    ('check/installed.c', 'driver.library_path'): 'only whether it is absent, which redaction keeps',
    ('check/libs.c', 'driver.library_path'): 'compared with library.path: equal paths stay equal',
    ('check/libs.c', 'library.path'): 'compared with driver.library_path: equal paths stay equal',
    ('check/library_damaged.c', 'load.error'): 'argument error, shown',
    ('check/library_damaged.c', 'load.path'): 'argument path, shown',
    ('check/library_shadowed.c', 'load.culprit_path'): 'argument path, shown',
    ('check/library_shadowed.c', 'load.own_path'): 'argument own, shown',
    ('check/library_shadowed.c', 'load.path'): 'argument path, shown',
    ('check/loads.c', 'library.path'): 'compared with load.real: equal paths stay equal',
    ('check/loads.c', 'load.path'): 'compared with library.path: equal paths stay equal',
    ('check/loads.c', 'load.real'): 'compared with library.path: equal paths stay equal',
    ('check/look.c', 'env.interpreter'): 'argument of a command, shown',
    ('check/look.c', 'env.path'): 'argument of a command, shown',
    ('check/machine.c', 'choice.name'): 'no fact: the name of a row of its own table',
    ('check/machine.c', 'env.name'): 'no fact: the name of a row of its own table',
    ('check/machine.c', 'host.name'): 'no fact: the name of a row of its own table',
    ('check/machine.c', 'process.name'): 'no fact: the name of a row of its own table',
    ('check/msvc_runtime_missing.c', 'env.base'): 'compared with the folder of library.path: masked alike in both',
    ('check/msvc_runtime_missing.c', 'env.path'): 'compared with the folder of library.path: masked alike in both',
    ('check/msvc_runtime_missing.c', 'library.path'): 'its folder is compared with env.path: masked alike in both',
    ('check/needs.c', 'dist.path'): 'the end of the name alone, which is kept',
    ('check/non_ascii_path.c', 'env.path'): 'argument folder, shown; what decides is env.path_ascii',
    ('check/nvidia_wheels_missing.c', 'framework.path'): 'what lies below it: a path below another stays below it',
    ('check/nvidia_wheels_missing.c', 'library.path'): 'compared with the table below site-packages/nvidia, which is shown',
    ('check/reach.c', 'env.path'): 'compared with library.path: a path below another stays below it',
    ('check/reach.c', 'framework.path'): 'compared with library.path: a path below another stays below it',
    ('check/reach.c', 'library.path'): 'the folders below site-packages/nvidia are shown; argument value',
    ('check/reach.c', 'variable.value'): 'argument value: shown, never compared',
    ('check/scheduler_gave_no_gpu.c', 'variable.value'): 'empty or a word of the batch system, which the path rules leave',
    ('check/shell_not_initialised.c', 'env.path'): 'chooses the argument conda alone, which is shown',
    ('check/shell_not_initialised.c', 'shell.file'): 'argument file, shown',
    ('check/stub_libcuda_loaded.c', 'library.path'): 'argument path, shown',
    ('check/stub_libcuda_loaded.c', 'variable.value'): 'chooses the remedy alone',
    ('check/wrong_environment.c', 'choice.file'): 'compared with env.path: a path below another stays below it',
    ('check/wrong_environment.c', 'choice.interpreter'): 'argument interpreter, shown',
    ('check/wrong_environment.c', 'choice.name'): 'argument kernel, shown',
    ('check/wrong_environment.c', 'env.base'): 'compared with a variable: masked alike in both',
    ('check/wrong_environment.c', 'env.path'): 'compared with a variable and choice.file: masked alike; argument prefix',
    ('check/wrong_environment.c', 'variable.value'): 'PATH and PYTHONHOME compared with env.path: masked alike in both',
    ('check/wrong_package_index.c', 'config.path'): 'argument file, shown',
    ('check/wrong_package_index.c', 'config.value'): 'the words whl and cpu of an index, which the URL rules leave; argument value',
    ('check/wrong_package_index.c', 'dist.origin'): 'argument channel, shown',
    ('check/wsl_driver.c', 'library.path'): 'the folder of WSL is shown',
    ('check/wsl_libcuda_not_found.c', 'library.path'): 'the folder of WSL is shown; argument path',
    ('check/wsl_linux_driver_installed.c', 'library.path'): 'the folder of WSL is shown; argument path',
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
