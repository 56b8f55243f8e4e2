/* fuzz_python.c - hostile content in every file that the Python side reads beside METADATA: pyvenv.cfg, lists and
 * configuration of conda, kernels, editors, records, start files of shells, the head of an interpreter. The first byte
 * chooses the file, the rest is its content; all others are as on a plain machine. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "probe/probe.h"
#include "world/record.h"

#define SITE "/v/lib/python3.11/site-packages"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
    const char *path, *text;
} files[] = {
    {"/v/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = true\nversion = 3.11.2\nuv = 0.5\n"},
    {"/v/bin/python3", "\177ELF\2\1\1"},
    {"/v/pipx_metadata.json", "{}"},
    {"/v/share/jupyter/kernels/python3/kernel.json", "{\"argv\": [\"/v/bin/python3\"], \"language\": \"python\"}"},
    {"/root/.local/share/jupyter/kernels/tf/kernel.json", "{\"argv\": [\"/gone/bin/python\", \"-m\"]}"},
    {"/w/.vscode/settings.json", "{\n // mine\n \"python.defaultInterpreterPath\": \"${workspaceFolder}/.venv\",\n}"},
    {"/root/.config/Code/User/settings.json", "{\"python.pythonPath\": \"/usr/bin/python3\" /* x */}"},
    {"/w/.idea/misc.xml", "<component name=\"ProjectRootManager\" project-jdk-name=\"Python 3.11 (tf)\" />"},
    {"/w/.pdm-python", "/v/bin/python3\n"},
    {"/w/.python-version", "3.11\n"},
    {"/root/.pyenv/version", "3.11.7\n"},
    {"/root/.condarc", "channels:\n  - defaults\nenvs_dirs:\n  - /e\n  - \"~/f\"\n"},
    {"/root/.conda/environments.txt", "/c\n"},
    {"/c/conda-meta/history", "==> 2024 <==\n# cmd: /opt/mamba create -n c\n"},
    {"/c/conda-meta/numpy-1.26.4-py_0.json", "{\"depends\": [], \"channel\": \"x\"}"},
    {SITE "/numpy-1.26.4.dist-info/METADATA", "Name: numpy\nVersion: 1.26.4\n"},
    {SITE "/numpy-1.26.4.dist-info/INSTALLER", "pip\n"},
    {SITE "/numpy-1.26.4.dist-info/RECORD", "numpy/__init__.py,sha256=x,1\nnumpy/a.so,sha256=x,4\n"},
    {SITE "/numpy-1.26.4.dist-info/direct_url.json", "{\"url\": \"file:///x\"}"},
    {SITE "/numpy/__init__.py", "x"},
    {SITE "/x.pth", "/w\nimport os\n"},
    {SITE "/~orch", "x"},
    {"/root/.bashrc", "# >>> conda initialize >>>\n# <<< conda initialize <<<\n"},
    {"/v/bin/pip", "#!/v/bin/python3\n"},
    {"/w/torch.py", "x"},
};

static void lay(struct tn_record *r, const char *path, const void *p, size_t n)
{
    struct tn_node *node = tn_tree_make(&r->files, path);
    node->type = 'f';
    node->whole = true;
    node->has_stat = true;
    node->st.mode = 0755;
    node->st.size = n;
    node->n_part = 0;
    tn_tree_add_part(&r->files, node, 0, tn_span_of(p, n));
}

static void note(struct tn_record *r, enum tn_question_kind kind, const char *name, const char *text)
{
    struct tn_note *n = tn_record_add(r, kind, name);
    n->a.got = TN_KNOWN;
    n->a.data = tn_span_str(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_record r;
    struct tn_world *w;
    struct tn_snap s;
    struct tn_err err;
    struct tn_want want = {.env = size > 1 && data[0] >= 128 ? "c" : NULL};
    if (size < 1)
        return 0;
    tn_record_init(&r, "linux");
    r.files.complete = r.env_complete = r.sys_complete = true;
    note(&r, TN_Q_SYS, "cwd", "/w");
    note(&r, TN_Q_ENV, "VIRTUAL_ENV", "/v");
    note(&r, TN_Q_ENV, "PATH", "/v/bin:/usr/bin");
    note(&r, TN_Q_ENV, "PYTHONPATH", "/w");
    note(&r, TN_Q_ENV, "SHELL", "/bin/bash");
    note(&r, TN_Q_ENV, "HOME", "/root");
    for (size_t i = 0; i < TN_LEN(files); i++)
        lay(&r, files[i].path, files[i].text, strlen(files[i].text));
    lay(&r, files[data[0] % TN_LEN(files)].path, data + 1, size - 1);
    tn_snap_init(&s);
    tn_world_replay(&r, &w, &err);
    tn_probe_all(w, &want, &s);
    tn_world_close(w);
    tn_snap_deinit(&s);
    tn_record_deinit(&r);
    return 0;
}
