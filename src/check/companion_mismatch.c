/* companion_mismatch.c - a package that is built for one release of a framework lies beside another.
 *
 * Which packages, and what then happens, is table companions; the bound itself mostly is the package's own metadata.
 * Beside that:
 *  - jaxlib and a plug-in of another number: "is installed, but it is not compatible with the installed jaxlib version
 *    ..., so it will not be used": JAX runs on the CPU (jaxlib/plugin_support.py in jaxlib 0.5.3; 0.4.34 has no such
 *    file);
 *  - torchvision refuses a torch of another CUDA major (torchvision/extension.py in 0.16.2 to 0.24.1), before that and
 *    in torchaudio of another minor, too (0.15.2; torchaudio/_extension/utils.py in 2.5.1). The flavour is the wheel's
 *    local version: 0.20.1+cu124;
 *  - flash-attn names its torch in the local version: 2.7.0+cu12torch2.5cxx11abifalse. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "check/needs.h"
#include "facts/companion.h"
#include "version/dotted.h"

static struct tn_finding *report(const struct tn_judge *j, struct tn_sink *out, size_t who, const char *name,
                                 size_t have, const char *want, const char *breaks)
{
    bool part = strcmp(breaks, "part") == 0;
    struct tn_finding *f = tn_find(out, part ? TN_POSSIBLE : TN_LIKELY,
                                   have < j->s->dist.n ? TN_REF(dist, have, version) : TN_REF(dist, who, version));
    f->variant = have == j->s->dist.n ? "absent" : breaks;
    if (part)
        f->severity = TN_WARNING;
    tn_needs_say(out, f, j, who, name, have, want);
    return f;
}

/* Lets pip choose the companion's release for the framework that is there: from the index that this came from, since
 * "2.9.1+cu126" is of PyTorch's own index for CUDA 12.6, and the package index has builds for one CUDA only. */
static void remedy_companion(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f, const char *companion,
                             const char *on, size_t have)
{
    const char *local = have < j->s->dist.n ? tn_look_text(j->s->dist.v[have].build, "") : "";
    bool torch = strcmp(on, "torch") == 0 && (tn_str_starts(local, "cu") || strcmp(local, "cpu") == 0);
    const char *by = tn_look_installer(j, companion);
    struct tn_remedy *r = tn_find_remedy(out, f, "fitting-companion", torch && strcmp(by, "conda") != 0 ? "torch" : by);
    tn_remedy_arg(out, r, "companion", "%s", companion);
    if (torch)
        tn_remedy_arg(out, r, "flavour", "%s", local);
    tn_remedy_arg(out, r, "want", "%s==%s", on, tn_needs_version(j, have));
    tn_look_env_args(out, r, j);
}

/* What the framework is called here. */
static size_t framework_row(const struct tn_judge *j, const char *on)
{
    static const char *const tf[] = {"tensorflow",       "tensorflow-gpu", "tensorflow-cpu",
                                     "tensorflow-intel", "tf-nightly",     NULL};
    size_t row = tn_needs_have(j, on);
    for (const char *const *n = tf; row == j->s->dist.n && strcmp(on, "tensorflow") == 0 && *n; n++)
        row = tn_needs_have(j, *n);
    return row;
}

static void judge_rule(const struct tn_judge *j, struct tn_sink *out, size_t who, const struct tn_facts_companion *c)
{
    size_t have = framework_row(j, c->on), missing = j->s->dist.n;
    const char *version = tn_needs_version(j, have), *name = j->s->dist.v[who].name.v;
    if (have == missing) {
        /* tf_keras is not in the metadata, so that its absence is an accident; a framework's is a choice. */
        size_t tf = framework_row(j, "tensorflow");
        if (strcmp(c->on, "tf-keras") == 0 && tf < missing &&
            tn_version_dotted_cmp(tn_needs_version(j, tf), "2.16") >= 0)
            tn_needs_remedy(out, report(j, out, who, c->on, have, c->spec, c->breaks), j, c->on, c->spec);
    } else if (*version && !tn_needs_meets(version, c->spec)) {
        const char *on = j->s->dist.v[have].name.v;
        remedy_companion(j, out, report(j, out, who, on, have, c->spec, c->breaks), name, on, have);
    }
}

static void judge_metadata(const struct tn_judge *j, struct tn_sink *out, size_t who,
                           const struct tn_facts_companion *c)
{
    struct tn_need n;
    const char *name = j->s->dist.v[who].name.v;
    for (struct tn_needs it = tn_needs_of(j, who, ""); tn_needs_next(&it, &n);) {
        size_t have = framework_row(j, n.q.name);
        const char *version = tn_needs_version(j, have);
        bool same =
            strcmp(n.q.name, c->on) == 0 || (strcmp(c->on, "tensorflow") == 0 && tn_needs_is_tensorflow(n.q.name));
        if (!same || !*version || tn_needs_meets(version, n.want) ||
            (tn_needs_by_conda(j, who) && tn_needs_by_conda(j, have)))
            continue;
        bool near = c->digits && *n.floor && !tn_needs_differ(version, n.floor, c->digits);
        struct tn_finding *f = report(j, out, who, n.q.name, have, n.want, near ? "part" : c->breaks);
        if (near)
            f->variant = "near";
        if (strcmp(name, "jax") == 0 || strcmp(name, "torch") == 0 || strcmp(c->breaks, "gpu") == 0)
            tn_needs_remedy(out, f, j, n.q.name, n.want);
        else
            remedy_companion(j, out, f, name, n.q.name, have);
    }
}

/* jaxlib, and a plug-in which it will not use. */
static void judge_plugin(const struct tn_judge *j, struct tn_sink *out, size_t who)
{
    size_t jaxlib = tn_needs_have(j, "jaxlib");
    const char *a = tn_needs_version(j, jaxlib), *b = tn_needs_version(j, who);
    if (!*a || !*b || tn_version_dotted_cmp(a, "0.5") < 0 || tn_version_dotted_cmp(a, b) == 0)
        return;
    char want[64];
    const char *name = j->s->dist.v[who].name.v;
    snprintf(want, sizeof want, "==%s", a);
    struct tn_finding *f = report(j, out, who, "jaxlib", jaxlib, want, "gpu");
    f->variant = "plugin";
    f->status = TN_CONFIRMED;
    tn_needs_remedy(out, f, j, name, want);
}

/* "cu124" -> "12.4"; false for what is no flavour of CUDA. */
static bool cuda_of(const char *local, char *buf, size_t size)
{
    size_t n = tn_str_starts(local, "cu") ? strspn(local + 2, "0123456789") : 0;
    if (n < 2 || n > 3 || local[2 + n] != '\0')
        return false;
    snprintf(buf, size, "%.*s.%c", (int)(n - 1), local + 2, local[1 + n]);
    return true;
}

static const struct tn_rec_framework *torch_row(const struct tn_judge *j, size_t *ret)
{
    size_t row = 0;
    for (const struct tn_rec_framework *fw; (fw = tn_judge_framework(j, &row));)
        if (tn_says(fw->name, "torch")) {
            *ret = row - 1;
            return fw;
        }
    return NULL;
}

static void judge_flavour(const struct tn_judge *j, struct tn_sink *out, size_t who)
{
    char own[16];
    size_t row = 0;
    const struct tn_rec_dist *d = &j->s->dist.v[who];
    const struct tn_rec_framework *torch = torch_row(j, &row);
    bool vision = tn_says(d->name, "torchvision");
    unsigned parts = vision && tn_known(d->version) && tn_version_dotted_cmp(d->version.v, "0.16") >= 0 ? 1 : 2;
    if (!torch || !tn_known(torch->cuda) || !tn_known(d->build) || !cuda_of(d->build.v, own, sizeof own) ||
        !tn_needs_differ(own, torch->cuda.v, parts))
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(dist, who, build));
    f->variant = "flavour";
    tn_find_arg(out, f, "package", "%s", d->name.v);
    tn_find_arg(out, f, "version", "%s", d->version.v);
    tn_find_arg(out, f, "have", "%s", torch->cuda.v);
    tn_find_arg(out, f, "want", "%s", own);
    tn_find_evidence(f, TN_REF(dist, who, build));
    tn_find_evidence(f, TN_REF(framework, row, cuda));
    char flavour[32], head[TN_DOTTED_TEXT];
    unsigned n = 2;
    for (const char *p = tn_version_dotted_head(torch->cuda.v, 2, head, sizeof head) ? head : ""; *p; p++)
        if (*p != '.' && n + 1 < sizeof flavour)
            flavour[n++] = *p;
    flavour[0] = 'c';
    flavour[1] = 'u';
    flavour[n] = '\0';
    struct tn_remedy *r = tn_find_remedy(out, f, "companion-flavour", NULL);
    snprintf(own, sizeof own, "%s", d->build.v);
    char *release = tn_arena_strndup(out->mem, d->version.v, strcspn(d->version.v, "+"));
    tn_remedy_arg(out, r, "want", "%s==%s+%s", d->name.v, release, flavour);
    tn_remedy_arg(out, r, "flavour", "%s", flavour);
    tn_look_env_args(out, r, j);
}

static void judge_flash(const struct tn_judge *j, struct tn_sink *out, size_t who)
{
    const struct tn_rec_dist *d = &j->s->dist.v[who];
    size_t torch = tn_needs_have(j, "torch");
    const char *at = tn_known(d->build) ? strstr(d->build.v, "torch") : NULL, *version = tn_needs_version(j, torch);
    if (!at || !tn_is_digit(at[5]) || !*version || !tn_needs_differ(at + 5, version, 2))
        return;
    char want[TN_DOTTED_TEXT + 8], head[TN_DOTTED_TEXT];
    if (!tn_version_dotted_head(at + 5, 2, head, sizeof head))
        return;
    snprintf(want, sizeof want, "==%s.*", head);
    struct tn_finding *f = report(j, out, who, "torch", torch, want, "import");
    tn_find_evidence(f, TN_REF(dist, who, build));
    remedy_companion(j, out, f, "flash-attn", "torch", torch);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    for (const struct tn_rec_dist *d; (d = tn_needs_dist(j, &row));) {
        struct tn_facts_companion c;
        size_t who = row - 1;
        for (uint32_t at = 0; tn_known(d->version) && tn_facts_companion_next(d->name.v, d->version.v, &at, &c);)
            if (*c.spec)
                judge_rule(j, out, who, &c);
            else
                judge_metadata(j, out, who, &c);
        if (tn_str_starts(d->name.v, "jax-cuda") && tn_str_ends(d->name.v, "-plugin"))
            judge_plugin(j, out, who);
        if (strcmp(d->name.v, "torchvision") == 0 || strcmp(d->name.v, "torchaudio") == 0)
            judge_flavour(j, out, who);
        if (strcmp(d->name.v, "flash-attn") == 0)
            judge_flash(j, out, who);
    }
}

TN_CHECK(companion_mismatch, "companion-mismatch", run, .needs = TN_NEEDS_FRAMEWORK);
