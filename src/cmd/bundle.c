/* bundle.c - everything that a plan needs in one archive, for a machine without network: the wheels that pip fetches by
 * the user's own settings, NVIDIA's archives of a plan by hand, the plan as data, and a list of digests. */
#include <string.h>

#include "apply/bundle.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/str.h"
#include "cmd/applied.h"
#include "cmd/planned.h"
#include "plan/step_json.h"
#include "snapshot/json.h"
#include "strings.gen.h"

/* The pip of the stage has Python's own zipfile beside it: stored, since wheels are packed already. What is in the
 * archive is listed with its digest, and nothing else is in it. */
static const char pack[] =
    "import hashlib, os, sys, zipfile\n"
    "root, out = sys.argv[1:3]\n"
    "files = [('plan.json', os.path.join(root, 'plan.json'))]\n"
    "files += [('wheels/' + n, os.path.join(root, 'wheels', n)) for n in sorted(os.listdir(os.path.join(root, "
    "'wheels')))]\n"
    "files += [('" TN_BUNDLE_ARCHIVES "/' + os.path.basename(n), n) for n in sorted(set(sys.argv[3:]))]\n"
    "sums = ''\n"
    "with zipfile.ZipFile(out, 'w', zipfile.ZIP_STORED) as z:\n"
    "    for n, path in files:\n"
    "        h = hashlib.sha256()\n"
    "        with open(path, 'rb') as f:\n"
    "            for c in iter(lambda: f.read(1 << 20), b''):\n"
    "                h.update(c)\n"
    "        sums += h.hexdigest() + '  ' + n + '\\n'\n"
    "        z.write(path, n)\n"
    "    z.writestr('SHA256SUMS', sums)\n";

struct bundling {
    struct tn_cmd_ctx *c;
    struct tn_plan_steps steps;
    struct tn_plan_machine machine;
    const char *python; /* the plan's: "3.11" */
    const char **archive;
    size_t n_archive, cap_archive;
    struct tn_apply a;
    const char *out, *stage, *twin; /* twin: what the stage is called, and so is the archive in it */
    uint64_t bytes;
    char sha256[TN_SHA256_HEX];
    struct tn_buf tail;
};

static int make_folder(const char *folder, const char *name, struct tn_err *err)
{
    struct tn_os_dir *d;
    int rc = tn_os_dir_open(folder, &d, err);
    if (rc)
        return rc;
    rc = tn_os_dir_make(d, name, 0755, err);
    tn_os_dir_close(d);
    return rc;
}

/* The plan for the other machine: by pip, which is in every environment that venv makes. */
static int write_plan(struct bundling *b, struct tn_err *err)
{
    struct tn_os_dir *d;
    struct tn_buf text;
    tn_json_seed();
    json_t *steps = tn_json_must(json_array()), *machine = tn_plan_machine_json(&b->machine);
    json_object_del(machine,
                    "driver"); /* the wheels are for a system; which card and driver it has, doctor says there */
    json_object_del(machine, "cards");
    json_object_del(machine, "glibc");
    for (unsigned i = 0; i < b->steps.n; i++)
        tn_json_append(steps, json_pack("{s:o}", "do", tn_plan_step_json(&b->steps.v[i])));
    json_t *j = json_pack("{s:i, s:s, s:s, s:o, s:o}", "schema_version", 1, "command", "plan", "status", "fits",
                          "machine", machine, "steps", steps);
    tn_buf_init(&text);
    tn_json_dump(&text, tn_json_must(j), 1);
    json_decref(j);
    int rc = tn_os_dir_open(b->stage, &d, err);
    if (!rc) {
        rc = tn_os_dir_write(d, "plan.json", text.p, text.n, 0644, err);
        tn_os_dir_close(d);
    }
    tn_buf_deinit(&text);
    return rc;
}

static void say_step(const struct bundling *b, const char *id, const char *what)
{
    struct tn_buf t;
    if (tn_opt_on(b->c, TN_OPT_QUIET) || tn_opt_on(b->c, TN_OPT_JSON))
        return;
    tn_buf_init(&t);
    tn_applied_add(b->c, &t, id, "what", what, NULL);
    tn_buf_ch(&t, '\n');
    tn_os_print_text(2, t.p, t.n);
    tn_buf_deinit(&t);
}

static bool is_archive(const struct tn_plan_step *s)
{
    return s->kind == TN_STEP_TOOLKIT || s->kind == TN_STEP_CUDNN;
}

static int take_archives(struct bundling *b, const struct tn_plan_step *s, struct tn_err *err)
{
    const char *const *all;
    unsigned n;
    if (s->kind == TN_STEP_TOOLKIT)
        b->a.cuda = s->version; /* which cuDNN is taken */
    int rc = tn_apply_get_archives(&b->a, s, &all, &n, err);
    for (unsigned i = 0; i < n && !rc; i++) {
        b->archive = tn_arena_grow(b->c->mem, (void *)b->archive, b->n_archive, &b->cap_archive, sizeof *b->archive);
        b->archive[b->n_archive++] = all[i];
    }
    return rc;
}

/* 0, or what went wrong is in err; *ret_status: of the program that failed. */
static int fetch(struct bundling *b, int *ret_status, struct tn_err *err)
{
    const char *wheels = tn_arena_printf(b->c->mem, "%s/wheels", b->stage);
    int rc = make_folder(b->stage, "env", err);
    if (!rc)
        rc = make_folder(b->stage, "wheels", err);
    b->a.stage = tn_arena_printf(b->c->mem, "%s/env", b->stage);
    for (unsigned i = 0; i < b->steps.n && !rc && !*ret_status; i++) {
        const struct tn_plan_step *s = &b->steps.v[i];
        if (s->kind == TN_STEP_VENV) {
            say_step(b, TN_S_bu_pip, s->python);
            rc = tn_apply_step(&b->a, s, ret_status, err);
        } else if (s->kind == TN_STEP_PACKAGES) {
            say_step(b, TN_S_bu_fetch, b->out);
            rc = tn_apply_download(&b->a, s, wheels, ret_status, err);
        } else if (is_archive(s)) {
            say_step(b, TN_S_bu_archives,
                     tn_arena_printf(b->c->mem, "%s %s", s->kind == TN_STEP_CUDNN ? "cuDNN" : "CUDA", s->version));
            rc = take_archives(b, s, err);
        }
    }
    if (!rc && !*ret_status)
        rc = write_plan(b, err);
    if (!rc && !*ret_status) {
        const char **words = tn_arena_array(b->c->mem, b->n_archive + 3, sizeof *words);
        words[0] = b->stage;
        words[1] = tn_arena_printf(b->c->mem, "%s/%s", b->stage, b->twin);
        for (size_t i = 0; i < b->n_archive; i++)
            words[i + 2] = b->archive[i];
        say_step(b, TN_S_bu_pack, b->out);
        rc = tn_apply_python(&b->a, pack, words, ret_status, err);
    }
    return rc;
}

static int digest(struct bundling *b, struct tn_err *err)
{
    struct tn_os_held *f;
    struct tn_sha256 s;
    uint64_t at = 0, size = 0;
    int rc = tn_os_hold(NULL, b->out, &f, err);
    if (rc)
        return rc;
    tn_sha256_start(&s);
    do {
        struct tn_buf piece;
        tn_buf_init(&piece);
        rc = tn_os_read_held(f, at, 1u << 20, &piece, &size, err);
        if (!rc)
            tn_sha256_add(&s, piece.p, piece.n);
        at += piece.n;
        if (!piece.n)
            size = at;
        tn_buf_deinit(&piece);
    } while (!rc && at < size);
    tn_os_release(f);
    tn_sha256_end_hex(&s, b->sha256);
    b->bytes = at;
    return rc;
}

static int say_done(struct bundling *b)
{
    struct tn_buf t;
    tn_buf_init(&t);
    if (tn_opt_on(b->c, TN_OPT_JSON)) {
        tn_json_seed();
        json_t *j = json_pack("{s:i, s:s, s:o, s:I, s:s, s:[s, s, s]}", "schema_version", 1, "command", "bundle",
                              "file", tn_json_text(b->out), "bytes", (json_int_t)b->bytes, "sha256", b->sha256,
                              "contents", "plan.json", "wheels", "SHA256SUMS");
        tn_json_dump(&t, tn_json_must(j), 1);
        json_decref(j);
        b->c->document = true;
    } else {
        tn_applied_add(b->c, &t, TN_S_bu_done, "path", b->out, "mb",
                       tn_arena_printf(b->c->mem, "%.1f", (double)b->bytes / (1 << 20)), NULL);
        tn_buf_printf(&t, "\nsha256  %s\n", b->sha256);
        tn_applied_add(b->c, &t, TN_S_bu_sign, "file", tn_path_base(TN_PATH_POSIX, b->out), NULL);
        tn_buf_ch(&t, '\n');
        tn_applied_add(b->c, &t, TN_S_bu_use, "file", tn_path_base(TN_PATH_POSIX, b->out), NULL);
        tn_buf_ch(&t, '\n');
    }
    int rc = tn_cmd_print(b->c, &t, TN_EXIT_OK);
    tn_buf_deinit(&t);
    return rc;
}

static int work(struct bundling *b, struct tn_state *s)
{
    struct tn_err err = {0};
    int status = 0;
    int rc = tn_tx_begin(s, "bundle", tn_arena_printf(b->c->mem, "bundle %s", b->out), &b->a.tx, &err);
    if (!rc)
        rc = tn_tx_put(b->a.tx, b->out, &b->stage, &err);
    if (!rc) {
        b->twin = tn_path_base(TN_PATH_POSIX, b->stage);
        rc = fetch(b, &status, &err);
    }
    if (!rc && !status)
        rc = tn_tx_flatten(b->a.tx, &err);
    if (!rc && !status)
        rc = tn_tx_commit(b->a.tx, &err);
    if (!rc && !status)
        rc = digest(b, &err);
    if (!rc && !status) {
        tn_apply_forget_archives(&b->a);
        return say_done(b);
    }
    if (err.code == TN_E_INTERRUPTED) {
        tn_tx_cancel(b->a.tx, NULL);
        tn_cmd_say(b->c, "%s", tn_s(b->c, TN_S_ap_interrupted));
        return TN_EXIT_INTERRUPTED;
    }
    tn_applied_tail(b->c, &b->a.tail);
    tn_applied_tell(b->c, TN_S_ap_failed, "why",
                    rc ? tn_arena_printf(b->c->mem, "%s%s%s", err.place, *err.place ? ": " : "", err.text)
                       : tn_s(b->c, TN_S_bu_no_packages),
                    NULL);
    return rc == TN_E_REFUSED || rc == TN_E_DENIED ? TN_EXIT_REFUSED : TN_EXIT_UNFINISHED;
}

/* Is this step one that can be done out of a folder of wheels and one of archives? */
static bool is_bundled(const struct tn_plan_step *s)
{
    switch (s->kind) {
    case TN_STEP_VENV:
    case TN_STEP_LINK:
    case TN_STEP_TOOLKIT:
    case TN_STEP_CUDNN:
    case TN_STEP_SEARCH:
    case TN_STEP_CHECK: return true;
    case TN_STEP_PACKAGES: return s->tool != TN_STEP_BY_CONDA;
    default: return false;
    }
}

/* What pip makes of it; a plan with other steps is none for a bundle. */
static bool by_pip(struct bundling *b)
{
    for (unsigned i = 0; i < b->steps.n; i++) {
        struct tn_plan_step *s = &b->steps.v[i];
        if (!is_bundled(s))
            return false;
        if (s->kind == TN_STEP_VENV || s->kind == TN_STEP_PACKAGES)
            s->tool = TN_STEP_BY_PIP;
    }
    return true;
}

static const char *python_of(const struct tn_plan_steps *all)
{
    for (unsigned i = 0; i < all->n; i++)
        if (all->v[i].kind == TN_STEP_VENV && *all->v[i].python)
            return all->v[i].python;
    return "";
}

static int ready(struct bundling *b, const struct tn_snap *s)
{
    struct tn_cmd_ctx *c = b->c;
    struct tn_state *state;
    const char *out = tn_opt_value(c, TN_OPT_OUTPUT);
    if (!by_pip(b)) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_bu_pip_only));
        return TN_EXIT_REFUSED;
    }
    b->python = python_of(&b->steps);
    b->a.python = tn_apply_interpreter(s, b->python);
    if (!b->a.python) {
        tn_applied_tell(c, TN_S_bu_no_python, "python", b->python, NULL);
        return TN_EXIT_REFUSED;
    }
    const char *cwd = tn_os_cwd(c->mem);
    b->out = out[0] == '/' ? out : tn_arena_printf(c->mem, "%s/%s", cwd ? cwd : "", out);
    tn_os_interrupts_hold();
    int rc = tn_applied_open(c, &state);
    if (rc)
        return rc;
    rc = work(b, state);
    tn_tx_end(b->a.tx);
    tn_state_close(state);
    return rc;
}

/* Out of a plan that was written down, or made here. *ret_status: all is said. */
static int steps_of(struct bundling *b, struct tn_snap *ret, int *ret_status, struct tn_err *err)
{
    struct tn_plan *p = tn_arena_alloc(b->c->mem, sizeof *p);
    struct tn_buf text;
    tn_buf_init(&text);
    bool file = tn_planned_is_file(b->c, &text);
    int rc = file ? tn_planned_file(b->c, tn_span_of(text.p, text.n), ret, &b->machine, &b->steps, err)
                  : tn_planned_ready(b->c, ret, p, &b->steps, err);
    tn_buf_deinit(&text);
    if (rc || file)
        return rc;
    b->machine = p->machine;
    if (p->end != TN_PLAN_FITS || p->wishes.refused) {
        tn_cmd_say(b->c, "%s", tn_s(b->c, TN_S_bu_no_plan));
        *ret_status = TN_EXIT_PROBLEM;
    }
    return 0;
}

static int run(struct tn_cmd_ctx *c)
{
    struct bundling *b = tn_arena_alloc(c->mem, sizeof *b);
    struct tn_snap s;
    struct tn_err err;
    int status = 0;
    memset(b, 0, sizeof *b);
    b->c = c;
    if (!tn_opt_on(c, TN_OPT_OUTPUT) || tn_str_eq(tn_opt_value(c, TN_OPT_OUTPUT), "-")) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_bu_output));
        return TN_EXIT_USAGE;
    }
    for (unsigned i = 0; i < c->n_arg; i++)
        if (tn_str_starts(c->arg[i], "cudnn:") || tn_str_starts(c->arg[i], "cuda:")) {
            tn_cmd_say(c, "%s", tn_s(c, TN_S_bu_place));
            return TN_EXIT_REFUSED;
        }
    int rc = steps_of(b, &s, &status, &err);
    if (rc)
        return tn_applied_fail(c, &err);
    b->a.mem = c->mem;
    b->a.steps = &b->steps;
    b->a.final = "bundle";
    tn_buf_init(&b->a.tail);
    tn_buf_init(&b->a.log);
    b->a.archives = c->opt[TN_OPT_ARCHIVES].v;
    b->a.n_archives = c->opt[TN_OPT_ARCHIVES].n;
    rc = status ? status : ready(b, &s);
    tn_buf_deinit(&b->a.tail);
    tn_buf_deinit(&b->a.log);
    tn_snap_deinit(&s);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_OUTPUT, TN_OPT_JSON,        TN_OPT_QUIET,    TN_OPT_PYTHON,
                                      TN_OPT_METHOD, TN_OPT_ENV,         TN_OPT_CUDA,     TN_OPT_DATE,
                                      TN_OPT_CPU,    TN_OPT_REQUIREMENT, TN_OPT_ARCHIVES, TN_OPT_COUNT};
static const char *const examples[] = {"tenon bundle tensorflow -o tf.zip", "tenon bundle plan.json -o demo.zip",
                                       "tenon apply --bundle tf.zip", NULL};

TN_CMD(bundle, "bundle", "[SPEC...|PLAN.json]", opts, 0, 64, run, TN_S_cmd_bundle, examples, 0);
