/* glibc_too_old.c - a build that needs a newer C library than this system has, or glibc where there is none.
 *
 * A wheel says it in its platform tag (PEP 600: manylinux_2_28 runs on glibc 2.28 and later), a library in the symbol
 * versions that it needs; pip and conda look at them, a copied environment does not. No manylinux wheel runs on musl
 * (PEP 656). An interpreter of Nix, Guix or Homebrew brings a C library of its own: then the system's says nothing.
 * Where nothing is installed yet, table wheels tells whether anything would fit. */
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "facts/wheels.h"
#include "strings.gen.h"
#include "version/dotted.h"

static bool has_own_libc(const struct tn_judge *j)
{
    static const char *const usual[] = {"/lib/", "/lib64/", "/lib32/", "/usr/lib", "/libx32/"};
    if (j->env == NULL || !tn_known(j->env->loader))
        return false;
    for (unsigned i = 0; i < TN_LEN(usual); i++)
        if (tn_str_starts(j->env->loader.v, usual[i]))
            return false;
    return true;
}

static void container(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f, const char *variant)
{
    struct tn_remedy *r = tn_find_remedy(out, f, "newer-system-container", variant);
    char python[TN_DOTTED_TEXT];
    if (!j->env || !tn_version_dotted_head(tn_look_text(j->env->python, ""), 2, python, sizeof python))
        memcpy(python, "3", 2);
    tn_remedy_arg(out, r, "python", "%s", python);
}

static void report(const struct tn_judge *j, struct tn_sink *out, size_t row, bool musl)
{
    const struct tn_rec_framework *fw = &j->s->framework.v[row];
    const struct tn_rec_host *h = TN_THE(j->s, host);
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(framework, row, glibc));
    f->variant = musl ? "musl" : NULL;
    tn_look_name(out, f, j, row);
    tn_find_arg(out, f, "need", "%s", fw->glibc.v);
    tn_find_evidence(f, TN_REF(framework, row, glibc));
    tn_find_evidence(f, TN_REF(host, 0, libc));
    if (!musl) {
        tn_find_arg(out, f, "glibc", "%s", h->libc_version.v);
        tn_find_evidence(f, TN_REF(host, 0, libc_version));
        tn_look_remedy_pip_choice(j, out, f, fw);
    }
    container(j, out, f, tn_look_has_gpu_build(j) ? "gpu" : "");
}

/* Nothing is installed, a GPU is asked for: is there a wheel for this Python, but none for this glibc? */
static void judge_wish(const struct tn_judge *j, struct tn_sink *out)
{
    static const char *const packages[] = {"tensorflow", "torch", "jaxlib"};
    const struct tn_rec_host *h = TN_THE(j->s, host);
    const char *arch = tn_look_machine(j, NULL), *least = "";
    struct tn_facts_wheel w;
    for (unsigned i = 0; i < TN_LEN(packages); i++) {
        if (tn_facts_wheel_newest(packages[i], TN_PLATFORM_LINUX, arch, j->env->python.v, h->libc_version.v, NULL,
                                  &w) != TN_ANSWER_NO)
            return;
        if (tn_facts_wheel_newest(packages[i], TN_PLATFORM_LINUX, arch, j->env->python.v, NULL, NULL, &w) ==
                TN_ANSWER_YES &&
            *w.glibc_min && (!*least || tn_version_dotted_cmp(w.glibc_min, least) < 0))
            least = w.glibc_min;
    }
    if (!*least)
        return;
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(host, 0, libc_version));
    f->variant = "wish";
    tn_find_arg(out, f, "python", "%s", j->env->python.v);
    tn_find_arg(out, f, "need", "%s", least);
    tn_find_arg(out, f, "glibc", "%s", h->libc_version.v);
    tn_find_evidence(f, TN_REF(host, 0, libc_version));
    tn_find_evidence(f, TN_REF(env, j->env_row, python));
    container(j, out, f, "gpu");
}

static bool is_wish(const struct tn_judge *j)
{
    const struct tn_rec_host *h = TN_THE(j->s, host);
    return j->env && tn_known(j->env->python) && j->expect == TN_EXPECT_GPU &&
           strcmp(j->why, TN_S_expect_option) == 0 && tn_says(h->libc, "glibc") && tn_known(h->libc_version) &&
           *tn_look_machine(j, NULL) && !has_own_libc(j) &&
           (j->s->framework.listed == TN_KNOWN || j->s->framework.listed == TN_UNASKED);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_host *h = TN_THE(j->s, host);
    size_t row = 0, seen = 0;
    if (tn_known(h->os) && !tn_says(h->os, "linux"))
        return;
    for (const struct tn_rec_framework *fw; (fw = tn_judge_framework(j, &row)); seen++) {
        if (!tn_known(fw->glibc) || has_own_libc(j))
            continue;
        if (!tn_known(h->libc))
            tn_untestable(out, TN_REF(host, 0, libc));
        else if (tn_says(h->libc, "musl"))
            report(j, out, row - 1, true);
        else if (!tn_known(h->libc_version))
            tn_untestable(out, TN_REF(host, 0, libc_version));
        else if (tn_version_dotted_cmp_parts(h->libc_version.v, fw->glibc.v, 2) < 0)
            report(j, out, row - 1, false);
    }
    if (seen == 0 && is_wish(j))
        judge_wish(j, out);
}

TN_CHECK(glibc_too_old, "glibc-too-old", run, .needs = TN_NEEDS_EXPECT);
