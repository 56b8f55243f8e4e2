/* why.c - which file would be loaded for a library, and why no other; without a library: everything.
 *
 * The machine is looked at by the probe load; the answer is made from the snapshot alone, so --from gives the same. */
#include <string.h>

#include "base/str.h"
#include "cmd/cmd.h"
#include "finding/verdict.h"
#include "os/os.h"
#include "report/why.h"
#include "strings.gen.h"

struct why {
    struct tn_cmd_ctx *c;
    struct tn_why w;
    struct tn_disk disk;
    struct tn_asks asks[TN_MAX_WHY];
    struct tn_loads loads[TN_MAX_WHY];
};

static void say(struct tn_cmd_ctx *c, const char *id, const char *key, const char *value)
{
    struct tn_arg a[] = {{key, value}};
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, id), a, 1);
    tn_cmd_say(c, "%s", b.p);
    tn_buf_deinit(&b);
}

static bool is_path(const char *s)
{
    return s && strpbrk(s, "/\\");
}

/* From where the person stands, as the loader would take it; what is in a file or below another root stays as it is. */
static const char *whole(struct tn_cmd_ctx *c, const char *path)
{
    enum tn_path_style st = tn_os_path_style();
    if (!is_path(path) || tn_path_is_abs(st, path) || tn_opt_on(c, TN_OPT_FROM) || tn_opt_on(c, TN_OPT_ROOT))
        return path;
    return tn_path_norm(c->mem, st, tn_path_join(c->mem, st, tn_os_cwd(c->mem), path));
}

static void add(struct why *y, const char *name, const char *framework)
{
    y->w.v[y->w.n] = (struct tn_why_asker){name, framework, &y->loads[y->w.n]};
    y->w.n++;
}

static void add_framework(struct why *y, const struct tn_rec_framework *f, const char *call)
{
    unsigned n = y->w.n;
    const char *name = tn_known(f->version) ? tn_arena_printf(y->c->mem, "%s %s", f->name.v, f->version.v) : f->name.v;
    if (n == TN_MAX_WHY || !tn_asks_make_call(&y->asks[n], y->c->mem, y->w.s, f, call) ||
        !tn_loads_start(&y->loads[n], y->w.s, y->w.env, &y->disk, y->c->mem))
        return;
    tn_loads_make(&y->loads[n], &y->asks[n]);
    add(y, call ? tn_arena_printf(y->c->mem, "%s + %s()", name, call) : name, f->name.v);
}

/* The frameworks of the judged environment, or the one of --for. */
static void add_frameworks(struct why *y, const char *only)
{
    const struct tn_snap *s = y->w.s;
    for (size_t i = 0; y->w.env && i < s->framework.n && y->w.n < TN_MAX_WHY; i++) {
        const struct tn_rec_framework *f = &s->framework.v[i];
        if (!tn_known(y->w.env->id) || !tn_says(f->env, y->w.env->id.v) || (only && !tn_says(f->name, only)))
            continue;
        add_framework(y, f, NULL);
        add_framework(y, f, "preload_dlls");
    }
}

static bool any_asks(const struct why *y)
{
    for (unsigned i = 0; i < y->w.n; i++)
        if (tn_why_row(&y->w, &y->w.v[i]))
            return true;
    return false;
}

static bool add_file(struct why *y, const char *file)
{
    unsigned n = y->w.n;
    if (n == TN_MAX_WHY || !tn_loads_file(&y->loads[n], y->w.s, y->w.env, &y->disk, y->c->mem, file, y->w.lib))
        return false;
    add(y, file ? file : y->w.env && tn_known(y->w.env->interpreter) ? y->w.env->interpreter.v : "Python", NULL);
    return true;
}

/* A file that does not load opens nothing: what is known of the file itself is told instead. */
static int collect_file(struct why *y, const char *who)
{
    if (!add_file(y, who)) {
        tn_cmd_say(y->c, "%s", tn_s(y->c, TN_S_why_no_interpreter));
        return TN_EXIT_UNKNOWN;
    }
    if (y->w.lib && !any_asks(y)) {
        say(y->c, TN_S_why_not_opened, "name", who);
        y->w.lib = NULL;
    }
    return TN_EXIT_OK;
}

/* Fills the askers; an exit status when there is nothing to say. */
static int collect(struct why *y, const char *who)
{
    struct tn_cmd_ctx *c = y->c;
    if (is_path(who))
        return collect_file(y, who);
    add_frameworks(y, who);
    if (who && y->w.n == 0) {
        say(c, TN_S_why_no_framework, "name", who);
        return TN_EXIT_USAGE;
    }
    if (!y->w.lib && y->w.n == 0) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_why_nothing));
        return TN_EXIT_UNKNOWN;
    }
    if (y->w.lib && !any_asks(y)) {
        y->w.n = 0;
        if (!add_file(y, NULL)) {
            tn_cmd_say(c, "%s", tn_s(c, TN_S_why_no_interpreter));
            return TN_EXIT_UNKNOWN;
        }
        say(c, TN_S_why_nobody, "lib", y->w.lib);
    }
    return TN_EXIT_OK;
}

static int print(struct why *y)
{
    struct tn_cmd_ctx *c = y->c;
    struct tn_buf b;
    static const int status[] = {[TN_OUTCOME_FOUND] = TN_EXIT_OK,
                                 [TN_OUTCOME_MISSING] = TN_EXIT_PROBLEM,
                                 [TN_OUTCOME_STOPS] = TN_EXIT_PROBLEM,
                                 [TN_OUTCOME_UNKNOWN] = TN_EXIT_UNKNOWN};
    tn_buf_init(&b);
    c->document = tn_opt_on(c, TN_OPT_JSON) || tn_opt_on(c, TN_OPT_DOT);
    if (tn_opt_on(c, TN_OPT_JSON))
        tn_why_json(&y->w, &b);
    else if (tn_opt_on(c, TN_OPT_DOT))
        tn_why_dot(&y->w, &b);
    else
        tn_why_text(&y->w, &b);
    int rc = tn_cmd_print(c, &b, status[tn_why_outcome(&y->w)]);
    tn_buf_deinit(&b);
    return rc;
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_snap s;
    struct tn_err err;
    struct why *y = tn_arena_alloc(c->mem, sizeof *y);
    memset(y, 0, sizeof *y);
    const char *who = whole(c, tn_opt_value(c, TN_OPT_FOR));
    if (c->n_arg && !*c->arg[0]) {
        say(c, TN_S_find_bad_name, "name", "\"\"");
        return TN_EXIT_USAGE;
    }
    c->records = TN_HAS(load) | TN_HAS(image) | TN_HAS(dir) | TN_HAS(cached) | TN_HAS(library);
    c->load_name = c->n_arg ? c->arg[0] : NULL;
    c->load_file = is_path(who) ? who : NULL;
    int rc = tn_cmd_subject(c, &s, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    y->c = c;
    y->w = (struct tn_why){.mem = c->mem,
                           .lang = c->lang,
                           .width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0,
                           .verbose = tn_opt_on(c, TN_OPT_VERBOSE),
                           .s = &s,
                           .env = tn_snap_judged(&s),
                           .lib = c->load_name};
    tn_disk_snapshot(&y->disk, &s, c->mem);
    rc = collect(y, who);
    if (rc == TN_EXIT_OK)
        rc = print(y);
    tn_snap_deinit(&s);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_ENV, TN_OPT_FOR,     TN_OPT_FROM,     TN_OPT_ROOT, TN_OPT_JSON,
                                      TN_OPT_DOT, TN_OPT_VERBOSE, TN_OPT_DEADLINE, TN_OPT_COUNT};
static const char *const examples[] = {"tenon why libcudnn.so.9",
                                       "tenon why --env ~/venv --for tensorflow",
                                       "tenon why libcusolver.so.11 --from snapshot.json --json",
                                       "tenon why libcudart.so.12 --for ./my-program",
                                       "tenon why --dot | dot -Tsvg -o why.svg",
                                       NULL};

TN_CMD(why, "why", "[LIB]", opts, 0, 1, run, TN_S_cmd_why, examples, 0);
