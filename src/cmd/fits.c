/* fits.c - can what a file asks for run on this machine, or on a described one, and why not? Looks and prints. */
#include "plan/fits.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "check/check.h"
#include "cmd/cmd.h"
#include "cmd/online.h"
#include "cmd/wheel_view.h"
#include "cmd/wishes.h"
#include "finding/verdict.h"
#include "os/os.h"
#include "plan/wheel.h"
#include "report/fits.h"
#include "strings.gen.h"
#include "version/dotted.h"

/* "pyproject.toml[gpu,dev]": groups that are wanted too. */
static const char *split_extras(struct tn_cmd_ctx *c, const char *arg, const char **ret_extras)
{
    size_t n = strlen(arg);
    const char *open = strrchr(arg, '[');
    *ret_extras = "";
    if (n < 3 || arg[n - 1] != ']' || !open || open == arg)
        return arg;
    *ret_extras = tn_arena_strndup(c->mem, open + 1, n - (size_t)(open - arg) - 2);
    return tn_arena_strndup(c->mem, arg, (size_t)(open - arg));
}

/* --- what an image demands --- */

/* The check's own reading of NVIDIA_REQUIRE_CUDA and its like, with the image's values in place of a container's. */
static bool unmet(struct tn_cmd_ctx *c, struct tn_snap *s, const char **ret_need)
{
    static const char *const only[] = {"container-cuda-requirement", NULL};
    struct tn_judge j;
    struct tn_sink found;
    struct tn_err err;
    if (tn_judge_init(&j, s, "gpu", &err) != 0)
        return false;
    tn_sink_init(&found, c->mem);
    tn_check_run(&j, only, NULL, &found);
    for (size_t i = 0; i < found.n; i++)
        for (unsigned k = 0; found.v[i].status == TN_CONFIRMED && k < found.v[i].n_arg; k++)
            if (tn_str_eq(found.v[i].arg[k].key, "need")) {
                *ret_need = found.v[i].arg[k].value;
                return true;
            }
    return false;
}

static bool all_players(const struct tn_plan_machine *m)
{
    for (unsigned i = 0; i < m->n_card; i++)
        if (!strstr(m->card[i].name, "GeForce"))
            return false;
    return m->n_card > 0;
}

static void demands(struct tn_cmd_ctx *c, const struct tn_wish_file *f, struct tn_snap *s, struct tn_fits *ret)
{
    struct tn_rec_container *box = TN_THE(s, container);
    const struct {
        const char *name;
        struct tn_str *at;
    } all[] = {{"NVIDIA_REQUIRE_CUDA=", &box->requires},
               {"NVIDIA_REQUIRE_DRIVER=", &box->requires_driver},
               {"NVIDIA_REQUIRE_ARCH=", &box->requires_arch},
               {"NVIDIA_REQUIRE_BRAND=", &box->requires_brand}};
    const struct tn_wish_line *line = NULL;
    uint32_t src = box->kind.src;
    bool off = false;
    for (unsigned k = 0; k < TN_LEN(all); k++)
        *all[k].at = (struct tn_str){0};
    for (size_t i = 0; i < f->n; i++) {
        const struct tn_wish_line *l = &f->v[i];
        if (l->what != TN_LINE_REQUIRE || l->marker == TN_MARKER_NO)
            continue;
        off =
            off || tn_str_eq(l->spec, "NVIDIA_DISABLE_REQUIRE=true") || tn_str_eq(l->spec, "NVIDIA_DISABLE_REQUIRE=1");
        for (unsigned k = 0; k < TN_LEN(all); k++)
            if (tn_str_starts(l->spec, all[k].name)) {
                *all[k].at = tn_fact_str(s, src, l->spec + strlen(all[k].name));
                line = l;
            }
    }
    if (!line || off)
        return;
    box->kind = tn_fact_str(s, src, "docker");
    box->requires_off = (struct tn_int){0};
    struct tn_plan_machine *m = tn_arena_alloc(c->mem, sizeof *m);
    tn_plan_machine_of(c->mem, s, m);
    const char *need = strchr(line->spec, '=') + 1, *id = TN_S_ft_require_met;
    enum tn_fits_status status = TN_FITS_YES;
    bool from_tag = *line->note;
    if (!*m->driver && !*m->ceiling && !m->no_driver)
        status = TN_FITS_UNKNOWN, id = TN_S_ft_require_unknown;
    else if (m->no_driver || unmet(c, s, &need))
        status = from_tag && !all_players(m) ? TN_FITS_UNKNOWN : TN_FITS_NO,
        id = status == TN_FITS_NO ? TN_S_ft_require : TN_S_ft_require_center;
    struct tn_fits_row *r = tn_fits_add_row(c->mem, ret, line, status, id);
    tn_plan_arg(c->mem, &r->say, "need", "%.200s", need);
    tn_plan_arg(c->mem, &r->say, "driver", "%s", *m->driver ? m->driver : "-");
    tn_plan_arg(c->mem, &r->say, "cuda", "%s", *m->ceiling ? m->ceiling : "-");
    if (status != TN_FITS_YES)
        *tn_fits_add(ret, status, id) = r->say;
}

/* In a container only the kernel, the driver and the cards are the machine's. */
static void inside(struct tn_snap *s)
{
    struct tn_rec_host *h = TN_THE(s, host);
    if (tn_says(h->os, "windows")) { /* Docker Desktop: WSL 2 */
        h->wsl = tn_fact_int(h->os.src, 2);
        h->os = tn_fact_str(s, h->os.src, "linux");
    }
    h->libc = h->libc_version = (struct tn_str){0};
    s->program.n = s->installer.n = s->env.n = 0;
}

/* --- the command --- */

static enum tn_plan_method method_of(const struct tn_wish_file *f)
{
    bool pip = false;
    for (size_t i = 0; i < f->n; i++)
        pip = pip || (f->v[i].wish >= 0 && !f->v[i].conda);
    switch (f->kind) {
    case TN_FILE_CONDA: return pip ? TN_METHOD_MIXED : TN_METHOD_CONDA;
    case TN_FILE_DOCKER:
    case TN_FILE_IMAGE: return TN_METHOD_MANUAL;
    default: return TN_METHOD_AUTO;
    }
}

/* --online: w is made to know what the index has; nonzero: said. */
static int look_up(struct tn_cmd_ctx *c, struct tn_plan_wishes *w, const struct tn_snap *s, struct tn_online **ret)
{
    struct tn_err err;
    *ret = NULL;
    if (!tn_opt_on(c, TN_OPT_ONLINE) || !w->n)
        return 0;
    *ret = tn_arena_alloc(c->mem, sizeof **ret);
    if (tn_online_ask(c, w, s, NULL, *ret, &err) == 0)
        return 0;
    tn_cmd_fail(c, &err);
    return TN_EXIT_UNFINISHED;
}

/* A line of the file that METADATA of a framework beside it does not take; pins of the plan's own are no line of it. */
static void take_refusals(struct tn_cmd_ctx *c, const struct tn_online *online, const struct tn_plan_wishes *w,
                          struct tn_fits *f)
{
    for (unsigned i = 0; online && i < online->said.says.n; i++) {
        const struct tn_plan_say *say = &online->said.says.v[i];
        bool of_file = false;
        for (unsigned k = 0; k < w->n_other && tn_str_eq(say->id, TN_S_pl_meta_pin); k++)
            for (unsigned a = 0; a < say->n_arg && !of_file; a++)
                of_file =
                    tn_str_eq(say->arg[a].key, "ours") &&
                    tn_str_eq(say->arg[a].value, tn_arena_printf(c->mem, "%s%s", w->other[k].name, w->other[k].spec));
        if (of_file)
            *tn_fits_add(f, TN_FITS_NO, say->id) = *say;
    }
}

static int print(struct tn_cmd_ctx *c, const struct tn_wish_file *file, const struct tn_fits *f,
                 const struct tn_online *online)
{
    static const int status[] = {TN_EXIT_OK, TN_EXIT_UNKNOWN, TN_EXIT_PROBLEM};
    struct tn_buf b;
    struct tn_report_fits r = {.fits = f,
                               .file = file,
                               .name = c->arg[0],
                               .online = online ? &online->said : NULL,
                               .lang = c->lang,
                               .verbose = tn_opt_on(c, TN_OPT_VERBOSE),
                               .width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0};
    tn_buf_init(&b);
    c->document = tn_opt_on(c, TN_OPT_JSON);
    if (c->document)
        tn_report_fits_json(&r, &b);
    else
        tn_report_fits_text(&r, &b);
    int rc = tn_cmd_print(c, &b, status[f->status]);
    tn_buf_deinit(&b);
    return rc;
}

static int judge_wheel(struct tn_cmd_ctx *c, const char *name, const char *extras, struct tn_snap *s,
                       struct tn_err *err)
{
    struct tn_fits *f = tn_arena_alloc(c->mem, sizeof *f);
    struct tn_plan_wishes *w = tn_arena_alloc(c->mem, sizeof *w);
    const char *python = tn_opt_value(c, TN_OPT_PYTHON) ? tn_opt_value(c, TN_OPT_PYTHON) : "";
    struct tn_wheel_view view;
    struct tn_wheel_file wheel;
    struct tn_wish_reader r;
    struct tn_wish_file file;
    int rc = tn_wheel_view_open(&view, name, err);
    if (rc)
        return rc;
    tn_plan_wishes_init(w);
    w->python = python;
    tn_cmd_wish_reader(c, name, s, python, &r);
    r.extras = extras;
    rc = tn_wheel_file_read(&r, &view.view, &wheel, &file, err);
    tn_wheel_view_close(&view);
    if (rc)
        return rc;
    tn_wish_file_wishes(c->mem, &file, w);
    struct tn_online *online;
    rc = look_up(c, w, s, &online);
    if (rc)
        return rc;
    tn_fits_make(c->mem, &file, w, s, f);
    take_refusals(c, online, w, f);
    tn_wheel_judge(c->mem, &wheel, s, python, f);
    return print(c, &file, f, online);
}

static int judge(struct tn_cmd_ctx *c, const char *name, const char *extras, struct tn_span text, struct tn_snap *s,
                 struct tn_err *err)
{
    struct tn_fits *f = tn_arena_alloc(c->mem, sizeof *f);
    struct tn_plan_wishes *w = tn_arena_alloc(c->mem, sizeof *w);
    struct tn_wish_reader r;
    struct tn_wish_file file;
    const char *python = tn_opt_value(c, TN_OPT_PYTHON);
    enum tn_file_kind kind = tn_wish_file_kind(name, text);
    if (kind == TN_FILE_DOCKER || kind == TN_FILE_IMAGE)
        inside(s);
    tn_plan_wishes_init(w);
    w->python = python ? python : "";
    tn_cmd_wish_reader(c, name, s, w->python, &r);
    r.extras = extras;
    int rc = tn_wish_file_read(&r, kind, text, &file, err);
    if (rc)
        return rc;
    tn_wish_file_wishes(c->mem, &file, w);
    w->method = method_of(&file);
    struct tn_online *online;
    rc = look_up(c, w, s, &online);
    if (rc)
        return rc;
    tn_fits_make(c->mem, &file, w, s, f);
    take_refusals(c, online, w, f);
    demands(c, &file, s, f);
    if (!f->reasons.n && f->status == TN_FITS_YES && !f->n_row)
        tn_fits_add(f, TN_FITS_YES, TN_S_ft_nothing);
    return print(c, &file, f, online);
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_snap s;
    struct tn_err err;
    struct tn_span text;
    const char *extras, *name = split_extras(c, c->arg[0], &extras);
    const char *python = tn_opt_value(c, TN_OPT_PYTHON);
    if (python && (!tn_version_dotted_ok(python) || tn_version_dotted_count(python) < 2)) {
        tn_err_set(&err, TN_E_USAGE, NULL, "%s", tn_s(c, TN_S_pl_usage_python));
        return tn_cmd_fail(c, &err);
    }
    bool wheel = tn_str_ends(name, ".whl");
    int rc = wheel ? 0 : tn_cmd_wish_text(c, name, &text, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    c->makes_env = true;
    c->records = TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(env) | TN_HAS(installer) | TN_HAS(program) | TN_HAS(container) |
                 TN_HAS(cpu);
    rc = tn_cmd_subject(c, &s, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    rc = wheel ? judge_wheel(c, name, extras, &s, &err) : judge(c, name, extras, text, &s, &err);
    if (rc < 0)
        rc = tn_cmd_fail(c, &err);
    tn_snap_deinit(&s);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON,    TN_OPT_VERBOSE,  TN_OPT_PYTHON, TN_OPT_FROM, TN_OPT_ROOT,
                                      TN_OPT_MACHINE, TN_OPT_DEADLINE, TN_OPT_ONLINE, TN_OPT_COUNT};
static const char *const examples[] = {"tenon fits requirements.txt",
                                       "tenon fits environment.yml --python 3.10",
                                       "tenon fits \"pyproject.toml[gpu]\" --machine gpu=\"RTX 3090\",driver=535.54.03",
                                       "docker inspect IMAGE | tenon fits -",
                                       "tenon fits requirements.txt --online",
                                       NULL};

TN_CMD(fits, "fits", "FILE", opts, 1, 1, run, TN_S_cmd_fits, examples, 0);
