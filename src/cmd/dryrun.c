/* dryrun.c - see dryrun.h. pip is not asked: where an index announces no metadata files it would fetch whole wheels to
 * answer (pip, "fast-deps" is no default), hundreds of megabytes; uv reads ranges.
 *
 * The child gets the settings of indexes, proxies and certificates, and nothing that leads an installer elsewhere
 * (PYTHONPATH, PIP_TARGET, UV_OFFLINE ...): what is not named in "handed" does not reach it. */
#include "cmd/dryrun.h"

#include <string.h>

#include "base/span.h"
#include "base/str.h"
#include "os/os.h"
#include "strings.gen.h"

#define DRY_MS 60000u
#define MAX_OUT (256u << 10)
#define MAX_QUOTED 400u

static const char *const handed[] = {"HOME",
                                     "PATH",
                                     "http_proxy",
                                     "https_proxy",
                                     "all_proxy",
                                     "no_proxy",
                                     "HTTP_PROXY",
                                     "HTTPS_PROXY",
                                     "ALL_PROXY",
                                     "NO_PROXY",
                                     "SSL_CERT_FILE",
                                     "SSL_CERT_DIR",
                                     "XDG_CONFIG_HOME",
                                     "XDG_CONFIG_DIRS",
                                     "UV_INDEX_URL",
                                     "UV_INDEX",
                                     "UV_CONFIG_FILE",
                                     "UV_EXTRA_INDEX_URL",
                                     "UV_DEFAULT_INDEX",
                                     "UV_INDEX_STRATEGY",
                                     "UV_NO_CONFIG",
                                     "UV_NATIVE_TLS",
                                     "UV_SYSTEM_CERTS",
                                     "UV_KEYRING_PROVIDER",
                                     "UV_INSECURE_HOST",
                                     "UV_FIND_LINKS",
                                     "NETRC",
                                     "TMPDIR",
                                     "UV_HTTP_TIMEOUT"};

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
static const char script[] =
    "u=$1 v=$2 p=$3 i=$4 f=$5; shift 5; "
    "printf '%s\\n' \"$@\" | \"$u\" pip compile --quiet --no-cache --no-header --no-annotate --no-progress "
    "--color never --only-binary :all: --python-version \"$v\" --python-platform \"$p\" "
    "${i:+--extra-index-url \"$i\" --index-strategy unsafe-best-match} ${f:+--find-links \"$f\"} -";

static void words(struct tn_arena *mem, const char *uv, const struct tn_plan *p, const struct tn_plan_step *s,
                  const char **argv)
{
    const char *head[] = {"/bin/sh", "-c",         script, "sh", uv, p->choice.python, platform(mem, &p->machine),
                          s->index,  s->find_links};
    unsigned n = 0;
    for (; n < TN_LEN(head); n++)
        argv[n] = head[n];
    for (unsigned i = 0; i < s->n_package; i++)
        argv[n++] = s->package[i];
    argv[n] = NULL;
}

/* One line, cut. */
static const char *quoted(struct tn_arena *mem, const struct tn_buf *out)
{
    const char *from = out->n ? strstr(out->p, "error:") : NULL, *cause = from ? strstr(from, "Because") : NULL;
    from = cause ? cause : from ? from : out->n ? out->p : "";
    char *s = tn_arena_strndup(mem, from, strnlen(from, MAX_QUOTED));
    size_t n = 0;
    for (const char *c = s; *c; c++) {
        bool blank = (unsigned char)*c <= ' ';
        if (!blank)
            s[n++] = *c;
        else if (n && s[n - 1] != ' ')
            s[n++] = ' ';
    }
    while (n && s[n - 1] == ' ')
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

static bool judge(struct tn_cmd_ctx *c, const struct tn_plan_step *s, const struct tn_os_run *r, int rc,
                  struct tn_report_online *ret)
{
    const char *n = rc ? "" : count(c->mem, &r->out);
    bool met = !rc && r->status == 0 && *n;
    bool refused = !rc && !r->timed_out && !met && strstr(r->out.n ? r->out.p : "", "No solution found") != NULL;
    struct tn_plan_say *say = tn_plan_says_add(&ret->says, met       ? TN_S_pl_dry_met
                                                           : refused ? TN_S_pl_dry_refused
                                                                     : TN_S_pl_dry_failed);
    const char *words_of_it = rc || r->timed_out ? "no answer in time" : quoted(c->mem, &r->out);
    tn_plan_arg(c->mem, say, "n", "%s", n);
    tn_plan_arg(c->mem, say, "words", "%s", words_of_it);
    tn_plan_arg(c->mem, say, "packages", "%s", refused ? named(c->mem, s, r->out.p) : "");
    return refused;
}

bool tn_dryrun(struct tn_cmd_ctx *c, const struct tn_plan *p, const struct tn_plan_steps *steps,
               struct tn_report_online *ret)
{
    const char *argv[TN_STEP_MAX_PACKAGES + 32], *env[TN_LEN(handed) + 2], *uv = on_path(c->mem, "uv");
    const struct tn_plan_step *s = NULL;
    unsigned n = 0;
    for (unsigned i = 0; i < steps->n && !s; i++)
        s = steps->v[i].kind == TN_STEP_PACKAGES ? &steps->v[i] : NULL;
    if (!s || !*p->choice.python)
        return false;
    if (!uv) {
        tn_plan_says_add(&ret->says, TN_S_pl_dry_no_uv);
        return false;
    }
    for (size_t i = 0; i < TN_LEN(handed); i++) {
        const char *v = tn_os_env(c->mem, handed[i]);
        if (v)
            env[n++] = tn_arena_printf(c->mem, "%s=%s", handed[i], v);
    }
    env[n++] = "LC_ALL=C";
    env[n] = NULL;
    words(c->mem, uv, p, s, argv);
    struct tn_os_run r;
    struct tn_err err;
    memset(&r, 0, sizeof r);
    int rc = tn_os_run(argv, env, DRY_MS, MAX_OUT, &r, &err);
    bool refused = judge(c, s, &r, rc, ret);
    if (!rc)
        tn_buf_deinit(&r.out);
    return refused;
}
