/* installer_too_old.c - this pip does not see the wheels that the Python could have, and went back to an older release.
 *
 * pip takes a wheel only if it knows its platform tag: manylinux2010 since 19.0, 2014 since 19.3, manylinux_X_Y since
 * 20.3 (PEP 571, 599, 600; table wheels, from the tags on the index). A framework that is the very newest one that this
 * pip sees, while this Python and C library take a newer minor release, was chosen by pip's age. An older one on
 * purpose is none of this, nor is a pip that sees all there is. */
#include <string.h>

#include "check/needs.h"
#include "facts/wheels.h"
#include "version/dotted.h"

static const char *known(struct tn_str f)
{
    return tn_known(f) ? f.v : NULL;
}

/* pip: its row. */
static void judge(const struct tn_judge *j, struct tn_sink *out, const char *package, size_t pip)
{
    const struct tn_rec_host *h = TN_THE(j->s, host);
    struct tn_facts_wheel seen, could;
    size_t row = tn_needs_have(j, package);
    const char *version = tn_needs_version(j, row), *old = tn_needs_version(j, pip);
    const char *python = known(j->env->python), *glibc = known(h->libc_version);
    enum tn_platform os = tn_look_platform(j->s);
    if (!*version || !python || !tn_known(h->arch) || tn_needs_by_conda(j, row) || strchr(version, '+') ||
        tn_facts_wheel_newest(package, os, h->arch.v, python, glibc, old, &seen) != TN_ANSWER_YES ||
        tn_facts_wheel_newest(package, os, h->arch.v, python, glibc, NULL, &could) != TN_ANSWER_YES)
        return;
    if (tn_version_dotted_cmp(version, seen.version) != 0 || !tn_needs_differ(seen.version, could.version, 2) ||
        !*could.pip_min)
        return;
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(dist, pip, version));
    f->severity = TN_WARNING;
    tn_find_arg(out, f, "package", "%s", package);
    tn_find_arg(out, f, "version", "%s", version);
    tn_find_arg(out, f, "pip", "%s", old);
    tn_find_arg(out, f, "newest", "%s", could.version);
    tn_find_arg(out, f, "pip_min", "%s", could.pip_min);
    tn_find_evidence(f, TN_REF(dist, pip, version));
    tn_find_evidence(f, TN_REF(dist, row, version));
    tn_find_evidence(f, TN_REF(env, j->env_row, python));
    struct tn_remedy *r = tn_find_remedy(out, f, "upgrade-pip", NULL);
    tn_remedy_arg(out, r, "package", "%s", package);
    tn_look_env_args(out, r, j);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    static const char *const packages[] = {"tensorflow", "torch", "jaxlib", "onnxruntime-gpu", NULL};
    size_t pip = tn_needs_have(j, "pip");
    const char *version = tn_needs_version(j, pip);
    if (!j->env || !*version || tn_version_dotted_cmp(version, "20.3") >= 0)
        return; /* knows all tags that there are */
    for (const char *const *p = packages; *p; p++)
        judge(j, out, *p, pip);
}

TN_CHECK(installer_too_old, "installer-too-old", run, .needs = TN_NEEDS_FRAMEWORK);
