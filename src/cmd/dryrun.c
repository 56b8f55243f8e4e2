/* dryrun.c - see dryrun.h. uv where it is; else pip, which would fetch each wheel whole once it knows what to take: its
 * dry run is ended as soon as its resolver is done (pip, resolution/resolvelib/reporter.py: PIP_RESOLVER_DEBUG), and
 * until then it reads METADATA alone (--use-feature=fast-deps: ranges). conda for what the plan takes from channels: it
 * reads their lists, into a folder that goes afterwards.
 *
 * The child gets the settings of indexes, proxies and certificates, and nothing that leads an installer elsewhere
 * (PYTHONPATH, PIP_TARGET, UV_OFFLINE ...; apply/settings.c). */
#include "cmd/dryrun.h"

#include <string.h>

#include "apply/settings.h"
#include "base/span.h"
#include "base/str.h"
#include "os/os.h"
#include "plan/index.h"
#include "strings.gen.h"

#define DRY_MS 60000u
#define MAX_OUT (256u << 10)
#define MAX_QUOTED 400u

/* NULL: it is none, or other people may write it. */
static const char *program_at(const char *file)
{
    struct tn_os_stat st;
    bool ok = tn_os_stat(NULL, file, true, &st, NULL) == 0 && st.type == 'f' && st.mode & 0111;
    return ok && tn_os_dl_trusted(file) ? file : NULL;
}

static const char *on_path(struct tn_arena *mem, const char *name)
{
    const char *path = tn_os_env(mem, "PATH");
    struct tn_os_stat st;
    while (path && *path) {
        size_t n = strcspn(path, ":");
        const char *file = tn_arena_printf(mem, "%.*s/%s", (int)n, path, name);
        if (*path == '/' && tn_os_stat(NULL, file, true, &st, NULL) == 0 && st.type == 'f' && st.mode & 0111)
            return tn_os_dl_trusted(file) ? file : NULL;
        path += n + (path[n] == ':');
    }
    return NULL;
}

static const char *platform(struct tn_arena *mem, const struct tn_plan_machine *m)
{
    const char *arch = *m->arch ? m->arch : "x86_64";
    if (m->musl || m->windows || m->macos)
        return tn_arena_printf(mem, "%s-%s", arch,
                               m->windows ? "pc-windows-msvc"
                               : m->macos ? "apple-darwin"
                                          : "unknown-linux-musl");
    const char *minor = *m->glibc ? strchr(m->glibc, '.') : NULL;
    uint64_t n;
    if (!minor || !tn_str_u64(minor + 1, strlen(minor + 1), 10, &n) || n > 40)
        n = 35;
    return tn_arena_printf(mem, "%s-manylinux_2_%u", arch, n < 17 ? 17 : (unsigned)n);
}

/* From standard input, since uv would else leave a lock in some folder: a shell hands them on, each a word of its own.
 */
static const char uv_script[] =
    "u=$1 v=$2 p=$3 i=$4 f=$5; shift 5; "
    "printf '%s\\n' \"$@\" | \"$u\" pip compile --quiet --no-cache --no-header --no-annotate --no-progress "
    "--color never --only-binary :all: --python-version \"$v\" --python-platform \"$p\" "
    "${i:+--extra-index-url \"$i\" --index-strategy unsafe-best-match} ${f:+--find-links \"$f\"} -";

/* A folder that goes, and a time that ends before ours, so that it does. */
#define IN_A_FOLDER                                                                                                    \
    "d=$(mktemp -d) || exit 1; trap 'rm -rf \"$d\"' EXIT; t=; command -v timeout >/dev/null && t=\"timeout $s\"; "

static const char pip_script[] =
    "p=$1 s=$2 v=$3 i=$4 f=$5; shift 5; " IN_A_FOLDER
    "TMPDIR=$d PIP_RESOLVER_DEBUG=1 PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 "
    "sh -c 'echo $$; exec \"$@\"' sh $t \"$p\" install --dry-run --ignore-installed --no-input --no-color "
    "--progress-bar off --disable-pip-version-check --no-cache-dir --only-binary :all: --use-feature=fast-deps "
    "--target \"$d/t\" --python-version \"$v\" ${i:+--extra-index-url \"$i\"} ${f:+--find-links \"$f\"} \"$@\" 2>&1 | "
    "{ read -r pid; while IFS= read -r l; do case $l in *'Reporter.ending('*) kill \"$pid\"; echo 'resolved: '; break "
    ";; "
    "*'Reporter.'*) ;; *) printf '%s\\n' \"$l\" ;; esac; done; }";

static const char conda_script[] =
    "c=$1 s=$2 o=$3 u=$4; shift 4; " IN_A_FOLDER
    "case ${c##*/} in micromamba) export MAMBA_ROOT_PREFIX=\"$d/root\" ;; esac; "
    "TMPDIR=$d CONDA_PKGS_DIRS=$d/pkgs CONDA_SUBDIR=$u CONDA_OVERRIDE_CUDA=$o $t \"$c\" create --dry-run -y "
    "-p \"$d/env\" --override-channels --strict-channel-priority \"$@\" 2>&1 && echo 'resolved: '";

struct dry {
    struct tn_cmd_ctx *c;
    const struct tn_plan *p;
    const struct tn_plan_machine *m;
    const struct tn_plan_step *s;
    const struct tn_online *o;
    const char *by, *program;
    unsigned ms;
    const char *argv[TN_STEP_MAX_PACKAGES + 160];
    unsigned n;
};

static void word(struct dry *d, const char *w)
{
    if (d->n + 1 < TN_LEN(d->argv))
        d->argv[d->n++] = w;
    d->argv[d->n] = NULL;
}

static void start(struct dry *d, const char *script, const char *program)
{
    const char *head[] = {"/bin/sh", "-c", script, "sh", program};
    d->program = program;
    for (unsigned i = 0; i < TN_LEN(head); i++)
        word(d, head[i]);
}

static const char *seconds(struct dry *d)
{
    return tn_arena_printf(d->c->mem, "%u", d->ms > 4000 ? (d->ms - 2000) / 1000 : 1);
}

static void uv_words(struct dry *d, const char *uv)
{
    start(d, uv_script, uv);
    word(d, d->p->choice.python);
    word(d, platform(d->c->mem, d->m));
    word(d, d->s->index);
    word(d, d->s->find_links);
}

/* Every tag that this machine takes (PEP 600); pip does not derive the older ones from a newer. */
static void pip_words(struct dry *d, const char *pip)
{
    struct tn_arena *mem = d->c->mem;
    const char *arch = *d->m->arch ? d->m->arch : "x86_64";
    const char *minor = *d->m->glibc ? strchr(d->m->glibc, '.') : NULL;
    uint64_t n;
    start(d, pip_script, pip);
    word(d, seconds(d));
    word(d, d->p->choice.python);
    word(d, d->s->index);
    word(d, d->s->find_links);
    if (d->m->windows) {
        word(d, tn_str_eq(arch, "aarch64") ? "--platform=win_arm64" : "--platform=win_amd64");
        return;
    }
    if (!minor || !tn_str_u64(minor + 1, strlen(minor + 1), 10, &n) || n > 60)
        n = 35;
    for (; n >= 5 && !d->m->musl; n--)
        word(d, tn_arena_printf(mem, "--platform=manylinux_2_%u_%s", (unsigned)n, arch));
    for (unsigned i = 5; i && d->m->musl; i--)
        word(d, tn_arena_printf(mem, "--platform=musllinux_1_%u_%s", i, arch));
    static const char *const old[] = {"manylinux2014", "manylinux2010", "manylinux1", "linux"};
    for (unsigned i = d->m->musl ? TN_LEN(old) - 1 : 0; i < TN_LEN(old); i++)
        word(d, tn_arena_printf(mem, "--platform=%s_%s", old[i], arch));
}

static void conda_words(struct dry *d, const char *conda)
{
    const struct tn_plan_step *s = d->s;
    bool arm = tn_str_eq(d->m->arch, "aarch64");
    start(d, conda_script, conda);
    word(d, seconds(d));
    word(d, s->version);
    word(d, d->m->windows ? "win-64"
            : d->m->macos ? (arm ? "osx-arm64" : "osx-64")
            : arm         ? "linux-aarch64"
                          : "linux-64");
    for (unsigned i = 0; i < s->n_channel; i++) {
        word(d, "-c");
        word(d, s->channel[i]);
    }
}

/* Where the refusal itself begins, and where it ends: what stands around it is advice. */
static const char *refusal(const char *text, size_t *ret_n)
{
    static const struct {
        const char *from, *to;
    } all[] = {{"The repository located at ", NULL},                        /* pip: http without trusted-host */
               {"The conflict is caused by:", "To fix this you could try"}, /* pip */
               {"Because ", NULL},                                          /* uv */
               {"ERROR: Could not find a version", "\nERROR: No matching"},
               {"Could not solve for environment specs", NULL}, /* mamba, micromamba */
               {"Encountered problems while solving:", NULL},   /* conda with libmamba */
               {"PackagesNotFoundError:", "Current channels"},
               {"UnsatisfiableError:", NULL},
               {"ERROR: ", NULL},
               {"error:", NULL}};
    for (unsigned i = 0; i < TN_LEN(all); i++) {
        const char *from = strstr(text, all[i].from), *to = from && all[i].to ? strstr(from, all[i].to) : NULL;
        if (!from)
            continue;
        if (i == 1)
            from += strlen(all[i].from);
        *ret_n = to ? (size_t)(to - from) : strlen(from);
        return from;
    }
    *ret_n = strlen(text);
    return text;
}

/* One line, cut; the lines of a list parted by ";". */
static const char *quoted(struct tn_arena *mem, const struct tn_buf *out)
{
    size_t len = 0, n = 0;
    const char *from = refusal(out->n ? out->p : "", &len);
    bool list = from != (out->n ? out->p : "") && len > 0 && from[0] == '\n';
    char *s = tn_arena_alloc(mem, MAX_QUOTED + 4);
    for (size_t i = 0; i < len && n < MAX_QUOTED; i++) {
        char c = from[i];
        if (list && c == '\n' && n && s[n - 1] != ';' && s[n - 1] != ' ')
            s[n++] = ';';
        if ((unsigned char)c > ' ')
            s[n++] = c;
        else if (n && s[n - 1] != ' ')
            s[n++] = ' ';
    }
    while (n && (s[n - 1] == ' ' || s[n - 1] == ';' || ((unsigned char)s[n - 1] & 0xC0) == 0x80))
        n--;
    s[n] = 0;
    return s;
}

/* Those of the plan's packages that the refusal names. */
static const char *named(struct tn_arena *mem, const struct tn_plan_step *s, const char *text)
{
    const char *all = "";
    for (unsigned i = 0; i < s->n_package; i++) {
        const char *name = tn_arena_strndup(mem, s->package[i], strcspn(s->package[i], "[=<>!~ ;"));
        if (strstr(text, name))
            all = tn_arena_printf(mem, "%s%s%s", all, *all ? ", " : "", s->package[i]);
    }
    return all;
}

/* Of the lines "numpy==1.26.4". "" for none. */
static const char *count(struct tn_arena *mem, const struct tn_buf *out)
{
    struct tn_span rest = tn_span_of(out->p, out->n), line;
    unsigned n = 0;
    while (out->n && tn_span_line(&rest, &line))
        n += tn_span_find(line, 0, "==", 2) != SIZE_MAX;
    return n ? tn_arena_printf(mem, "%u", n) : "";
}

/* "No matching distribution" is also what pip says when it could not ask. */
static bool is_refusal(const char *text)
{
    static const char *const all[] = {"No solution found",
                                      "ResolutionImpossible",
                                      "Could not solve for environment specs",
                                      "Encountered problems while solving",
                                      "PackagesNotFoundError",
                                      "UnsatisfiableError"};
    for (unsigned i = 0; i < TN_LEN(all); i++)
        if (strstr(text, all[i]))
            return true;
    return strstr(text, "No matching distribution found") && !strstr(text, "Retrying (") &&
           !strstr(text, "connection error") && !strstr(text, "not a trusted or secure host");
}

static bool judge(struct dry *d, const struct tn_os_run *r, int rc, struct tn_report_online *ret)
{
    struct tn_arena *mem = d->c->mem;
    const char *text = rc || !r->out.n ? "" : r->out.p;
    const char *n = tn_str_eq(d->by, "uv") ? (rc ? "" : count(mem, &r->out)) : strstr(text, "resolved: ") ? "1" : "";
    bool met = !rc && r->status == 0 && *n, refused = !rc && !met && is_refusal(text);
    struct tn_plan_say *say = tn_plan_says_add(&ret->says, !met && refused          ? TN_S_pl_dry_refused
                                                           : !met                   ? TN_S_pl_dry_failed
                                                           : tn_str_eq(d->by, "uv") ? TN_S_pl_dry_met
                                                                                    : TN_S_pl_dry_met_by);
    tn_plan_arg(mem, say, "by", "%s", d->by);
    tn_plan_arg(mem, say, "n", "%s", n);
    tn_plan_arg(mem, say, "words", "%s", rc || r->timed_out ? "no answer in time" : quoted(mem, &r->out));
    tn_plan_arg(mem, say, "packages", "%s", refused ? named(mem, d->s, text) : "");
    return refused;
}

static bool run(struct dry *d, struct tn_report_online *ret)
{
    const char *env[TN_SETTINGS_MAX + TN_ONLINE_ENV + 2], *own[TN_SETTINGS_MAX];
    struct tn_os_run r;
    struct tn_err err;
    bool uv = tn_str_eq(d->by, "uv");
    unsigned n = 0;
    for (unsigned i = 0; uv && i < d->o->n_env; i++) /* the first of a name counts */
        env[n++] = d->o->env[i];
    unsigned n_own = tn_settings_of(d->c->mem, TN_SETTINGS_ASK, own);
    for (unsigned i = 0; i < n_own; i++) {
        bool other = uv && d->o->of_pip && tn_str_starts(own[i], "UV_"), there = false;
        size_t name = strcspn(own[i], "=") + 1;
        for (unsigned k = 0; uv && k < d->o->n_env; k++)
            there = there || strncmp(d->o->env[k], own[i], name) == 0;
        if (!other && !there)
            env[n++] = own[i];
    }
    env[n++] = "LC_ALL=C";
    env[n] = NULL;
    for (unsigned i = 0; i < d->s->n_package; i++)
        word(d, d->s->package[i]);
    memset(&r, 0, sizeof r);
    int rc = d->ms < 500 ? TN_E_TIMEOUT : tn_os_run(d->argv, env, d->ms, MAX_OUT, &r, &err);
    bool refused = judge(d, &r, rc, ret);
    if (!rc)
        tn_buf_deinit(&r.out);
    return refused;
}

static bool by_conda(struct dry *d, struct tn_report_online *ret)
{
    const char *program = *d->s->program ? d->s->program : "conda";
    const char *exe = tn_str_eq(program, "pixi") ? NULL : on_path(d->c->mem, program);
    d->by = program;
    if (!exe && *d->s->exe == '/' && !tn_str_eq(program, "pixi"))
        exe = program_at(d->s->exe);
    if (!exe) {
        tn_plan_arg(d->c->mem, tn_plan_says_add(&ret->says, TN_S_pl_dry_no_conda), "by", "%s", program);
        return false;
    }
    conda_words(d, exe);
    return run(d, ret);
}

static bool by_pip(struct dry *d, struct tn_report_online *ret)
{
    static const char *const names[] = {"uv", "pip", "pip3"};
    const char *exe = NULL;
    for (unsigned i = 0; i < TN_LEN(names) && !exe; i++) {
        exe = on_path(d->c->mem, names[i]);
        d->by = i ? "pip" : "uv";
    }
    if (!*d->p->choice.python)
        return false;
    if (!exe || (tn_str_eq(d->by, "pip") && !tn_online_has_ranges(d->o))) {
        tn_plan_says_add(&ret->says, exe ? TN_S_pl_dry_no_ranges : TN_S_pl_dry_no_uv);
        return false;
    }
    (tn_str_eq(d->by, "uv") ? uv_words : pip_words)(d, exe);
    return run(d, ret);
}

bool tn_dryrun(struct tn_cmd_ctx *c, const struct tn_plan *p, const struct tn_plan_steps *steps, struct tn_online *o)
{
    struct tn_plan_machine *m = tn_arena_alloc(c->mem, sizeof *m);
    uint64_t end = tn_os_monotonic_us() + (uint64_t)tn_online_left_ms(c, o) * 1000;
    bool refused = false, seen[2] = {false, false};
    tn_index_machine(p, m);
    for (unsigned i = 0; i < steps->n; i++) {
        bool conda = steps->v[i].kind == TN_STEP_CONDA_ENV;
        if ((!conda && steps->v[i].kind != TN_STEP_PACKAGES) || seen[conda])
            continue;
        seen[conda] = true;
        struct dry *d = tn_arena_alloc(c->mem, sizeof *d);
        memset(d, 0, sizeof *d);
        d->c = c;
        d->p = p;
        d->o = o;
        d->m = m;
        d->s = &steps->v[i];
        uint64_t now = tn_os_monotonic_us();
        d->ms = now < end ? (unsigned)((end - now) / 1000) : 1;
        d->ms = d->ms < DRY_MS ? d->ms : DRY_MS;
        refused = (conda ? by_conda(d, &o->said) : by_pip(d, &o->said)) || refused;
    }
    return refused;
}
