/* conda.c - see installer.h: an environment by conda, mamba or micromamba.
 *
 * They make one where nothing is yet (micromamba refuses a folder that is there), and write its place into its files.
 * So it is made inside the stage, its files are put right for the stage (settle.h), and it takes the stage's place:
 * from then on the stage is an environment that works where it lies, for pip and for the proof. At the end its files
 * are put right once more, for the final place. What conda keeps of environments elsewhere, a line in
 * ~/.conda/environments.txt
 * ("register_envs" in conda's configuration; older ones and mamba write it always), is taken out again: it would name
 * the stage. */
#include <jansson.h>
#include <string.h>

#include "apply/here.h"
#include "apply/installer.h"
#include "apply/settle.h"
#include "base/limits.h"
#include "base/str.h"
#include "plan/hooks.h"
#include "snapshot/json.h"

#define MADE ".tenon-env"
#define INFO_MS 60000u
#define MAX_INFO (1u << 20)

bool tn_conda_is_known(const struct tn_plan_step *s)
{
    static const char *const known[] = {"conda", "mamba", "micromamba", NULL};
    return s->tool == TN_STEP_BY_CONDA && tn_str_in(s->program, known);
}

static const char *program(struct tn_arena *mem, const struct tn_plan_step *s)
{
    const char *own = tn_here_is_abs(s->exe) && tn_os_dl_trusted(s->exe) ? s->exe : NULL;
    return own ? own : tn_apply_program(mem, s->program);
}

/* --- where a name leads to --- */

/* "envs_dirs" of conda and mamba 1, "envs directories" of micromamba and mamba 2 (`info --json`): the first that is
 * there, which is where they make it. */
static const char *first_folder(struct tn_arena *mem, struct tn_span text)
{
    struct tn_err err;
    const char *r = NULL;
    size_t i;
    tn_json_seed();
    json_t *j = tn_json_load(text, &err), *one;
    json_t *dirs = json_object_get(j, "envs_dirs");
    if (!dirs)
        dirs = json_object_get(j, "envs directories");
    json_array_foreach(dirs, i, one)
    {
        const char *path = json_string_value(one);
        struct tn_os_stat st;
        if (!r && path && tn_here_is_abs(path) && tn_os_stat(NULL, path, true, &st, NULL) == 0 && st.type == 'd')
            r = tn_arena_strdup(mem, path);
    }
    json_decref(j);
    return r;
}

int tn_apply_conda_place(struct tn_arena *mem, const struct tn_plan_step *s, const char **ret, struct tn_err *err)
{
    const char *exe = program(mem, s);
    const char *argv[] = {exe, "info", "--json", NULL};
    struct tn_os_run r = {0};
    if (!exe)
        return tn_installer_missing(err, s->program);
    int rc = tn_os_run(argv, tn_apply_environment(mem, "/tmp", "TMPDIR=/tmp"), INFO_MS, MAX_INFO, &r, err);
    if (rc)
        return rc;
    const char *folder = first_folder(mem, tn_span_of(r.out.p, r.out.n));
    tn_buf_deinit(&r.out);
    if (!folder)
        return tn_err_set(err, TN_E_NOTFOUND, s->program,
                          "its `info --json` names no folder for environments that is "
                          "there; name a folder with --env ./NAME");
    *ret = tn_arena_printf(mem, "%s/%s", folder, s->env);
    return 0;
}

/* --- made --- */

struct registered {
    const char *folder, *name;
    bool there; /* before */
};

static void look(struct tn_arena *mem, struct registered *r)
{
    const char *home = tn_os_env(mem, "HOME");
    struct tn_os_stat st;
    *r = (struct registered){tn_arena_printf(mem, "%s/.conda", home ? home : ""), "environments.txt", false};
    r->there = tn_os_stat(NULL, tn_arena_printf(mem, "%s/%s", r->folder, r->name), false, &st, NULL) == 0;
}

static void forget(const struct registered *r, const char *made)
{
    struct tn_os_dir *d;
    struct tn_os_stat st;
    struct tn_buf was, now;
    struct tn_span rest, line;
    if (tn_os_dir_open(r->folder, &d, NULL))
        return;
    tn_buf_init(&was);
    tn_buf_init(&now);
    if (tn_os_dir_stat(d, r->name, &st, NULL) == 0 && st.type == 'f' &&
        tn_os_dir_read(d, r->name, TN_MAX_SMALL_FILE, &was, NULL) == 0 && was.n < TN_MAX_SMALL_FILE) {
        rest = tn_span_of(was.p, was.n);
        while (tn_span_line(&rest, &line))
            if (!tn_span_eq(line, made)) {
                tn_buf_add(&now, line.p, line.n);
                tn_buf_ch(&now, '\n');
            }
        if (now.n < was.n && !now.n && !r->there)
            tn_os_tree_remove(d, r->name, NULL);
        else if (now.n + strlen(made) <= was.n)
            tn_os_dir_write(d, r->name, now.p, now.n, st.mode, NULL);
    }
    tn_buf_deinit(&was);
    tn_buf_deinit(&now);
    tn_os_dir_close(d);
}

static void create_words(struct tn_words *w, const struct tn_plan_step *s, const char *made)
{
    static const char *const how[] = {"create", "-y", "-p", NULL, "--override-channels", "--strict-channel-priority"};
    for (unsigned i = 0; i < TN_LEN(how); i++)
        tn_installer_word(w, how[i] ? how[i] : made);
    for (unsigned i = 0; i < s->n_channel; i++) {
        tn_installer_word(w, "-c");
        tn_installer_word(w, s->channel[i]);
    }
    for (unsigned i = 0; i < s->n_package; i++)
        tn_installer_word(w, s->package[i]);
}

/* The environment that lies in the stage becomes what the stage is. */
static int take_place(struct tn_apply *a, const char *made, struct tn_err *err)
{
    struct tn_os_dir *d;
    int rc = tn_os_dir_open(a->stage, &d, err);
    if (rc)
        return rc;
    rc = tn_os_tree_merge(d, MADE, err);
    tn_os_dir_close(d);
    return rc ? rc : tn_apply_settle_all(a->mem, a->stage, made, a->stage, err);
}

int tn_conda_create(struct tn_apply *a, const struct tn_plan_step *s, int *ret_status, struct tn_err *err)
{
    struct tn_words *w = tn_arena_alloc(a->mem, sizeof *w);
    const char *exe = program(a->mem, s), *made = tn_here_join(a->mem, a->stage, MADE);
    struct registered reg;
    if (!exe)
        return tn_installer_missing(err, s->program);
    memset(w, 0, sizeof *w);
    tn_installer_word(w, exe);
    create_words(w, s, made);
    look(a->mem, &reg);
    int rc = tn_installer_temporary(a, true, err);
    if (!rc)
        rc = tn_installer_run(a, w->v,
                              *s->override ? tn_arena_printf(a->mem, "CONDA_OVERRIDE_CUDA=%s", s->override) : NULL,
                              ret_status, err);
    forget(&reg, made);
    if (rc || *ret_status)
        return rc;
    rc = tn_installer_temporary(a, false, err);
    return rc ? rc : take_place(a, made, err);
}

int tn_conda_search(struct tn_apply *a, struct tn_err *err)
{
    int rc = tn_installer_write(a, "etc/conda/activate.d", TN_HOOK_CONDA_FILE, TN_HOOK_LIB_ENTER "\n", err);
    return rc ? rc : tn_installer_write(a, "etc/conda/deactivate.d", TN_HOOK_CONDA_FILE, TN_HOOK_LIB_LEAVE "\n", err);
}
