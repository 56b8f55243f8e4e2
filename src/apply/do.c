/* do.c - see do.h: the steps that tenon does itself, in the folder where the environment is built. */
#include "apply/do.h"

#include <string.h>

#include "apply/archives.h"
#include "apply/here.h"
#include "apply/installer.h"
#include "apply/settings.h"
#include "base/limits.h"
#include "base/str.h"
#include "strings.gen.h"
#include "version/dotted.h"

#define USERS_OWN "PYTHONNOUSERSITE=" /* virtualenv itself may lie in ~/.local; what it makes does not look there */
#define SILENT_MS (30u * 60 * 1000)   /* resolvers think for minutes; half an hour without a word is a hang */

const char *tn_apply_refuses(const struct tn_plan_step *s)
{
    if (s->tool == TN_STEP_BY_UV && tn_here_is_windows()) /* the end of its launchers holds the place and its length */
        return TN_S_ap_not_uv_windows;
    switch (s->kind) {
    case TN_STEP_VENV:
    case TN_STEP_PYTHON:
    case TN_STEP_LINK:
    case TN_STEP_CHECK: return NULL;
    case TN_STEP_PACKAGES:
    case TN_STEP_CONDA_ENV: return s->tool == TN_STEP_BY_CONDA && !tn_conda_is_known(s) ? TN_S_ap_not_conda : NULL;
    case TN_STEP_SEARCH:
    case TN_STEP_TOOLKIT:
    case TN_STEP_CUDNN:
        if (tn_os_path_style() != TN_PATH_POSIX && !tn_str_eq(s->into, "lib"))
            return TN_S_ap_not_manual;
        return s->tool == TN_STEP_BY_CONDA && !tn_conda_is_known(s) ? TN_S_ap_not_conda : NULL;
    case TN_STEP_UV: return TN_S_ap_not_uv;
    default: return TN_S_ap_not_printed;
    }
}

/* --- the installer's surroundings --- */

static const char *system_path(struct tn_arena *mem)
{
    const char *root = tn_here_is_windows() ? tn_os_env(mem, "SystemRoot") : NULL;
    return !tn_here_is_windows()
               ? "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
               : tn_arena_printf(mem, "PATH=%s\\System32;%s", root ? root : "C:\\Windows", root ? root : "C:\\Windows");
}

const char *const *tn_apply_environment(struct tn_arena *mem, const char *stage, const char *extra)
{
    const char **env = tn_arena_array(mem, TN_SETTINGS_MAX + 16, sizeof *env);
    unsigned n = tn_settings_of(mem, TN_SETTINGS_INSTALL, env);
    if (extra) /* the first of a name is the one that counts */
        env[n++] = extra;
    env[n++] = system_path(mem);
    env[n++] = "TERM=dumb";
    env[n++] = "NO_COLOR=1";
    env[n++] = "PYTHONNOUSERSITE=1"; /* ~/.local must not count as installed */
    env[n++] = "PIP_DISABLE_PIP_VERSION_CHECK=1";
    env[n++] = "CONDA_REGISTER_ENVS=false";        /* the stage is no environment of anybody's list */
    env[n++] = "VIRTUALENV_CONFIG_FILE=/dev/null"; /* of its settings for every environment none is asked for */
    env[n++] = "VIRTUALENV_VENV_REDIRECT=0";       /* no file beside the environment */
    const char *temporary = tn_here_join(mem, stage, ".tenon-tmp"); /* what a killed one leaves goes with the stage */
    static const char *const names[] = {"TMPDIR", "TEMP", "TMP"};
    for (unsigned i = 0; i < (tn_here_is_windows() ? 3u : 1u); i++)
        env[n++] = tn_arena_printf(mem, "%s=%s", names[i], temporary);
    env[n] = NULL;
    return env;
}

const char *tn_apply_program(struct tn_arena *mem, const char *name)
{
    const char *path = tn_os_env(mem, "PATH");
    bool windows = tn_here_is_windows();
    if (windows)
        name = tn_arena_printf(mem, "%s.exe", name);
    while (path && *path) {
        size_t n = strcspn(path, windows ? ";" : ":");
        const char *file = tn_here_join(mem, tn_arena_strndup(mem, path, n), name);
        struct tn_os_stat st;
        struct tn_err err;
        if (n && tn_here_is_abs(file) && tn_os_stat(NULL, file, true, &st, &err) == 0 && st.type == 'f' &&
            (windows || st.mode & 0111) && tn_os_dl_trusted(file))
            return file;
        path += n + (path[n] != 0);
    }
    return NULL;
}

/* --- running --- */

#define TAIL 4096u
#define MAX_LOG (4u << 20)

static void said(void *ctx, const char *line, size_t n)
{
    struct tn_apply *a = ctx;
    tn_buf_add(&a->tail, line, n);
    tn_buf_ch(&a->tail, '\n');
    if (a->tail.n > 2 * TAIL) {
        memmove(a->tail.p, a->tail.p + a->tail.n - TAIL, TAIL);
        a->tail.n = TAIL;
        a->tail.p[TAIL] = 0;
    }
    if (a->log.n < MAX_LOG) {
        tn_buf_add(&a->log, line, n);
        tn_buf_ch(&a->log, '\n');
    }
    if (a->watch.said)
        a->watch.said(a->watch.ctx, line, n);
}

static void tick(void *ctx)
{
    struct tn_apply *a = ctx;
    if (a->watch.tick)
        a->watch.tick(a->watch.ctx);
}

int tn_installer_run(struct tn_apply *a, const char *const *argv, const char *extra, int *ret_status,
                     struct tn_err *err)
{
    struct tn_os_install how = {.argv = argv,
                                .env = tn_apply_environment(a->mem, a->stage, extra),
                                .cwd = tn_here_dir(a->mem, a->stage),
                                .lock = tn_tx_lock(a->tx),
                                .idle_ms = SILENT_MS,
                                .said = said,
                                .tick = tick,
                                .ctx = a};
    tn_buf_clear(&a->tail);
    tn_buf_clear(&a->log);
    int rc = tn_os_install(&how, ret_status, err);
    tn_os_dir_append(tn_tx_folder(a->tx), "log", a->log.p ? a->log.p : "", a->log.n, NULL); /* for people only */
    return rc;
}

void tn_installer_word(struct tn_words *w, const char *text)
{
    if (w->n + 1 < TN_LEN(w->v))
        w->v[w->n++] = text;
    w->v[w->n] = NULL;
}

static bool serves(const struct tn_rec_env *e, const char *minor)
{
    bool made = tn_says(e->kind, "venv") || tn_says(e->kind, "conda");
    return !made && tn_known(e->python) && tn_known(e->interpreter) &&
           tn_version_dotted_cmp_parts(e->python.v, minor, 2) == 0 && tn_os_dl_trusted(e->interpreter.v);
}

/* The interpreter that the plan means: the judged one, the system's, any other of that release. */
const char *tn_apply_interpreter(const struct tn_snap *s, const char *minor)
{
    const struct tn_rec_env *best = NULL;
    unsigned best_rank = 9;
    for (size_t i = 0; i < s->env.n; i++) {
        const struct tn_rec_env *e = &s->env.v[i];
        unsigned rank = tn_is(e->judged, true) ? 0 : tn_says(e->kind, "system") ? 1 : 2;
        if (serves(e, minor) && rank < best_rank) {
            best = e;
            best_rank = rank;
        }
    }
    return best ? best->interpreter.v : NULL;
}

int tn_installer_missing(struct tn_err *err, const char *name)
{
    return tn_err_set(err, TN_E_NOTFOUND, name, "no such program on PATH");
}

static int need_uv(struct tn_apply *a, struct tn_words *w, struct tn_err *err)
{
    const char *uv = tn_apply_program(a->mem, "uv");
    if (!uv)
        return tn_installer_missing(err, "uv");
    tn_installer_word(w, uv);
    return 0;
}

/* Its cache lies in the stage, what it carries in itself is not looked for in newer form. */
static int virtualenv(struct tn_apply *a, struct tn_words *w, struct tn_err *err)
{
    const char *program = tn_apply_program(a->mem, "virtualenv");
    const char *const words[] = {program,
                                 "--python",
                                 a->python,
                                 "--no-periodic-update",
                                 "--no-download",
                                 "--app-data",
                                 tn_here_join(a->mem, a->stage, ".tenon-tmp/virtualenv"),
                                 "--prompt",
                                 tn_here_base(a->final),
                                 "--"};
    if (!program)
        return tn_installer_missing(err, "virtualenv");
    for (unsigned i = 0; i < TN_LEN(words); i++)
        tn_installer_word(w, words[i]);
    return 0;
}

static int venv(struct tn_apply *a, const struct tn_plan_step *s, struct tn_words *w, struct tn_err *err)
{
    int rc = 0;
    if (s->tool == TN_STEP_BY_UV) {
        rc = need_uv(a, w, err);
        tn_installer_word(w, "venv");
        tn_installer_word(w, "--python");
        tn_installer_word(w,
                          a->python ? a->python : s->python); /* it looks on PATH, which is the system's alone here */
        tn_installer_word(w, "--prompt");
        tn_installer_word(w, tn_here_base(a->final));
        tn_installer_word(w, "--allow-existing");
        tn_installer_word(w, "--");
    } else if (!a->python) {
        return tn_installer_missing(err, tn_arena_printf(a->mem, "python%s", s->python));
    } else if (s->tool == TN_STEP_BY_VIRTUALENV) {
        rc = virtualenv(a, w, err);
    } else {
        tn_installer_word(w, a->python);
        tn_installer_word(w, "-I"); /* nothing of the folder we stand in, of PYTHON* or of ~/.local */
        tn_installer_word(w, "-m");
        tn_installer_word(w, "venv");
        if (tn_version_dotted_cmp_parts(s->python, "3.6", 2) >= 0) {
            tn_installer_word(w, "--prompt");
            tn_installer_word(w, tn_here_base(a->final));
        }
    }
    tn_installer_word(w, a->stage);
    return rc;
}

/* Where packages come from. */
static void sources(const struct tn_apply *a, const struct tn_plan_step *s, struct tn_words *w)
{
    if (a->offline) {
        tn_installer_word(w, "--no-index");
        tn_installer_word(w, "--find-links");
        tn_installer_word(w, a->wheels);
        return;
    }
    if (*s->index) {
        tn_installer_word(w, "--extra-index-url");
        tn_installer_word(w, s->index);
    }
    if (*s->index && s->tool == TN_STEP_BY_UV) {
        tn_installer_word(w, "--index-strategy");
        tn_installer_word(w, "unsafe-best-match");
    }
    if (*s->find_links) {
        tn_installer_word(w, "--find-links");
        tn_installer_word(w, s->find_links);
    }
}

static void pip(const struct tn_apply *a, const char *command, struct tn_words *w)
{
    static const char *const rest[] = {"--no-input", "--progress-bar", "off", "--only-binary", ":all:"};
    tn_installer_word(w, tn_here_python(a->mem, a->stage, a->conda));
    tn_installer_word(w, "-I");
    tn_installer_word(w, "-m");
    tn_installer_word(w, "pip");
    tn_installer_word(w, command);
    for (unsigned i = 0; i < TN_LEN(rest); i++)
        tn_installer_word(w, rest[i]);
}

/* again: over what is there, and nothing else. */
static int packages(struct tn_apply *a, const struct tn_plan_step *s, bool again, struct tn_words *w,
                    struct tn_err *err)
{
    int rc = 0;
    if (s->tool == TN_STEP_BY_UV) {
        rc = need_uv(a, w, err);
        tn_installer_word(w, "pip");
        tn_installer_word(w, "install");
        tn_installer_word(w, "--python");
        tn_installer_word(w, tn_here_python(a->mem, a->stage, a->conda));
        tn_installer_word(w, "--no-build");
    } else {
        pip(a, "install", w);
    }
    if (again) {
        tn_installer_word(w, s->tool == TN_STEP_BY_UV ? "--reinstall" : "--force-reinstall");
        tn_installer_word(w, "--no-deps");
    }
    sources(a, s, w);
    tn_installer_word(w, "--");
    for (unsigned i = 0; i < s->n_package; i++)
        tn_installer_word(w, s->package[i]);
    return rc;
}

/* --- TensorFlow's links --- */

static int enter(struct tn_apply *a, const char *below, bool make, struct tn_os_dir **ret, struct tn_err *err)
{
    struct tn_os_dir *d, *in;
    int rc = tn_os_dir_open(a->stage, &d, err);
    while (!rc && *below) {
        size_t n = strcspn(below, "/");
        const char *name = tn_arena_strndup(a->mem, below, n);
        if (make && (rc = tn_os_dir_make(d, name, 0755, err)) == TN_E_EXISTS)
            rc = 0;
        if (!rc)
            rc = tn_os_dir_enter(d, name, &in, err);
        tn_os_dir_close(d);
        d = rc ? NULL : in;
        below += n + (below[n] == '/');
    }
    if (!rc)
        *ret = d;
    return rc;
}

int tn_installer_write(struct tn_apply *a, const char *below, const char *name, const char *text, struct tn_err *err)
{
    struct tn_os_dir *d;
    int rc = enter(a, below, true, &d, err);
    if (rc)
        return rc;
    rc = tn_os_dir_replace(d, name, text, strlen(text), 0644, err);
    tn_os_dir_close(d);
    return rc;
}

/* In the folder that the framework searches, for each lib*.so* of a wheel: "libcudnn.so.8 ->
 * ../nvidia/cudnn/lib/libcudnn.so.8"; up: the way to nvidia from there. */
static int link_one(struct tn_apply *a, struct tn_os_dir *into, const char *up, struct tn_os_dir *nvidia,
                    const char *part, struct tn_err *err)
{
    struct tn_os_dir *d = NULL, *lib = NULL;
    struct tn_os_entry *e = NULL;
    size_t n = 0;
    if (tn_os_dir_enter(nvidia, part, &d, NULL))
        return 0;
    int rc = tn_os_dir_enter(d, "lib", &lib, NULL) ? 1 : tn_os_dir_list(lib, a->mem, &e, &n, err);
    for (size_t i = 0; i < n && !rc; i++) {
        struct tn_os_stat st;
        if (!tn_str_starts(e[i].name, "lib") || !strstr(e[i].name, ".so"))
            continue;
        if (tn_os_dir_stat(into, e[i].name, &st, NULL) == 0 && st.type != 'l')
            continue; /* one of that name is there */
        tn_os_tree_remove(into, e[i].name, NULL);
        rc = tn_os_dir_symlink(into, e[i].name, tn_arena_printf(a->mem, "%s/%s/lib/%s", up, part, e[i].name), err);
    }
    tn_os_dir_close(lib);
    tn_os_dir_close(d);
    return rc == 1 ? 0 : rc;
}

static int link_libraries(struct tn_apply *a, const struct tn_plan_step *s, struct tn_err *err)
{
    struct tn_os_dir *into = NULL, *nvidia = NULL;
    struct tn_os_entry *e = NULL;
    size_t n = 0;
    const char *site = tn_arena_printf(a->mem, "lib/python%s/site-packages", s->python);
    int rc = enter(a, tn_arena_printf(a->mem, "%s/%s", site, s->into), false, &into, err);
    if (!rc)
        rc = enter(a, tn_arena_printf(a->mem, "%s/nvidia", site), false, &nvidia, err);
    if (!rc)
        rc = tn_os_dir_list(nvidia, a->mem, &e, &n, err);
    bool among = tn_str_starts(s->into, "nvidia/");
    for (size_t i = 0; i < n && !rc; i++)
        if (!among || !tn_str_starts(s->into + strlen("nvidia/"), tn_arena_printf(a->mem, "%s/", e[i].name)))
            rc = link_one(a, into, among ? "../.." : "../nvidia", nvidia, e[i].name, err);
    tn_os_dir_close(into);
    tn_os_dir_close(nvidia);
    return rc;
}

int tn_installer_temporary(struct tn_apply *a, bool make, struct tn_err *err)
{
    struct tn_os_dir *d;
    int rc = tn_os_dir_open(a->stage, &d, err);
    if (rc)
        return rc;
    rc = make ? tn_os_dir_make(d, ".tenon-tmp", 0700, err) : tn_os_tree_remove(d, ".tenon-tmp", err);
    tn_os_dir_close(d);
    return rc == TN_E_EXISTS ? 0 : rc;
}

int tn_apply_step(struct tn_apply *a, const struct tn_plan_step *s, int *ret_status, struct tn_err *err)
{
    struct tn_words *w = tn_arena_alloc(a->mem, sizeof *w);
    int rc = 0;
    bool whole = false;
    memset(w, 0, sizeof *w);
    w->mem = a->mem;
    *ret_status = 0;
    switch (s->kind) {
    case TN_STEP_PYTHON:
        rc = need_uv(a, w, err);
        tn_installer_word(w, "python");
        tn_installer_word(w, "install");
        tn_installer_word(w, s->python);
        break;
    case TN_STEP_CONDA_ENV: return tn_conda_create(a, s, ret_status, err);
    case TN_STEP_VENV:
        rc = a->changes ? tn_mend_begin(a, s, &whole, err) : 0;
        if (!rc && !whole)
            rc = venv(a, s, w, err);
        break;
    case TN_STEP_PACKAGES: rc = packages(a, s, false, w, err); break;
    case TN_STEP_LINK: return link_libraries(a, s, err);
    case TN_STEP_TOOLKIT:
    case TN_STEP_CUDNN: return tn_archives_place(a, s, err);
    case TN_STEP_SEARCH: return tn_str_eq(s->into, "lib") ? tn_conda_search(a, err) : tn_activate_cuda(a, s, err);
    default: return 0;
    }
    if (rc || !w->n)
        return rc;
    rc = tn_installer_temporary(a, true, err);
    if (!rc)
        rc = tn_installer_run(a, w->v, s->tool == TN_STEP_BY_VIRTUALENV ? USERS_OWN : NULL, ret_status, err);
    if (rc || *ret_status)
        return rc;
    return tn_installer_temporary(a, false, err);
}

int tn_apply_reinstall(struct tn_apply *a, const char *requirement, int *ret_status, struct tn_err *err)
{
    struct tn_words *w = tn_arena_alloc(a->mem, sizeof *w);
    const struct tn_plan_step *of = NULL;
    memset(w, 0, sizeof *w);
    for (unsigned i = 0; i < a->steps->n && !of; i++)
        if (a->steps->v[i].kind == TN_STEP_PACKAGES)
            of = &a->steps->v[i];
    if (!of)
        return tn_err_set(err, TN_E_NOTFOUND, requirement, "no step installs packages");
    struct tn_plan_step s = *of;
    s.package[0] = requirement;
    s.n_package = 1;
    int rc = packages(a, &s, true, w, err);
    if (!rc)
        rc = tn_installer_temporary(a, true, err);
    if (!rc)
        rc = tn_installer_run(a, w->v, NULL, ret_status, err);
    return rc || *ret_status ? rc : tn_installer_temporary(a, false, err);
}

int tn_apply_python(struct tn_apply *a, const char *script, const char *const *word_of, int *ret_status,
                    struct tn_err *err)
{
    const char *const head[] = {tn_here_python(a->mem, a->stage, a->conda), "-I", "-B", "-c", script};
    unsigned n = 0;
    while (word_of && word_of[n])
        n++;
    const char **argv = tn_arena_array(a->mem, TN_LEN(head) + n + 1, sizeof *argv);
    memcpy((void *)argv, (const void *)head, sizeof head);
    for (unsigned i = 0; i < n; i++)
        argv[TN_LEN(head) + i] = word_of[i];
    const char *extra = a->library_path ? tn_arena_printf(a->mem, "LD_LIBRARY_PATH=%s", a->library_path) : NULL;
    return tn_installer_run(a, argv, extra, ret_status, err);
}

int tn_apply_download(struct tn_apply *a, const struct tn_plan_step *s, const char *folder, int *ret_status,
                      struct tn_err *err)
{
    struct tn_words *w = tn_arena_alloc(a->mem, sizeof *w);
    memset(w, 0, sizeof *w);
    pip(a, "download", w);
    tn_installer_word(w, "--dest");
    tn_installer_word(w, folder);
    sources(a, s, w);
    tn_installer_word(w, "--");
    for (unsigned i = 0; i < s->n_package; i++)
        tn_installer_word(w, s->package[i]);
    int rc = tn_installer_temporary(a, true, err);
    if (!rc)
        rc = tn_installer_run(a, w->v, NULL, ret_status, err);
    return rc || *ret_status ? rc : tn_installer_temporary(a, false, err);
}
