/* compiler_unsupported.c - the nvcc that runs would refuse the host compiler that it takes, or torch would refuse nvcc.
 *
 * Only where somebody can build at all: nvcc is on PATH. nvcc takes -ccbin (also from NVCC_CCBIN and the flag
 * variables), else a gcc in its own folder, else gcc of PATH (NVCC manual, "Host compiler"; nvcc.profile). Its header
 * crt/host_config.h stops the build ("unsupported GNU version") above the bounds of table host_compilers; below them
 * nothing is refused. torch.utils.cpp_extension stops when the majors of nvcc and of the build differ
 * (_check_cuda_version). Nothing of this concerns programs that are only run: a note, unless a variable names the
 * compiler, which shows that somebody builds. */
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "version/dotted.h"

/* The program that runs under this name; program.n if none is known. */
static size_t program_by(const struct tn_snap *s, const char *name, const char *by)
{
    for (size_t i = 0; i < s->program.n; i++) {
        const struct tn_rec_program *p = &s->program.v[i];
        if ((!name || tn_says(p->name, name)) && tn_says(p->by, by) && (strcmp(by, "PATH") != 0 || tn_is(p->rank, 0)))
            return i;
    }
    return s->program.n;
}

/* The host compiler that nvcc takes; *named: somebody chose it. */
static size_t host_compiler(const struct tn_snap *s, bool *named)
{
    static const char *const by[] = {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "NVCC_CCBIN", "nvcc", "PATH"};
    for (unsigned i = 0; i < TN_LEN(by); i++) {
        size_t p = program_by(s, i < 3 ? NULL : "gcc", by[i]);
        *named = i < 3;
        if (p < s->program.n)
            return p;
    }
    return s->program.n;
}

/* The bound for this nvcc in table host_compilers: of the rows of its release the newest not above it; "" if none. */
static const char *bound(const char *nvcc, const char *column)
{
    const struct tn_table *t = tn_facts_find("host_compilers");
    const char *best = "", *max = "";
    for (uint32_t r = 0; t && r < t->nrows; r++) {
        const char *release = tn_facts_get(t, r, "cuda_release");
        if (tn_facts_rank(t, r) != 1 || tn_version_dotted_cmp_parts(release, nvcc, 2) != 0 ||
            (tn_version_dotted_count(release) > 2 && tn_version_dotted_cmp(release, nvcc) > 0))
            continue;
        if (!*best || tn_version_dotted_cmp(release, best) > 0)
            best = release, max = tn_facts_get(t, r, column);
    }
    return max;
}

static void judge_host(const struct tn_judge *j, struct tn_sink *out, size_t nvcc)
{
    const struct tn_snap *s = j->s;
    bool named;
    size_t host = host_compiler(s, &named);
    if (host == s->program.n || !tn_known(s->program.v[host].version))
        return; /* a wrapper, or none: nothing is known to be refused */
    const struct tn_rec_program *h = &s->program.v[host], *n = &s->program.v[nvcc];
    bool clang = tn_says(h->name, "clang");
    const char *max = bound(n->version.v, clang ? "max_clang" : "max_gcc");
    if (!*max || tn_says(h->name, "cl") || tn_version_dotted_cmp_parts(h->version.v, max, 1) <= 0)
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(program, host, version));
    f->severity = named ? TN_WARNING : TN_NOTE;
    tn_find_arg(out, f, "compiler", "%s", clang ? "clang" : "gcc");
    tn_find_arg(out, f, "have", "%s", h->version.v);
    tn_find_arg(out, f, "max", "%u", (unsigned)tn_version_dotted_major(max));
    tn_find_arg(out, f, "nvcc", "%s", n->version.v);
    tn_find_evidence(f, TN_REF(program, host, version));
    tn_find_evidence(f, TN_REF(program, nvcc, version));
    struct tn_remedy *r = tn_find_remedy(out, f, "older-host-compiler", NULL);
    tn_remedy_arg(out, r, "max", "%u", (unsigned)tn_version_dotted_major(max));
}

static void judge_torch(const struct tn_judge *j, struct tn_sink *out, size_t nvcc)
{
    size_t row = 0;
    const struct tn_rec_program *n = &j->s->program.v[nvcc];
    for (const struct tn_rec_framework *f; (f = tn_judge_framework(j, &row));) {
        const char *cuda = tn_look_cuda(j->s, f);
        if (!tn_says(f->name, "torch") || !*cuda || tn_version_dotted_cmp_parts(cuda, n->version.v, 1) == 0)
            continue;
        struct tn_finding *found = tn_find(out, TN_CONFIRMED, TN_REF(program, nvcc, version));
        found->severity = TN_NOTE;
        found->variant = "torch";
        tn_look_name(out, found, j, row - 1);
        tn_find_arg(out, found, "cuda", "%s", cuda);
        tn_find_arg(out, found, "nvcc", "%s", n->version.v);
        tn_find_evidence(found, TN_REF(program, nvcc, version));
        tn_find_evidence(found, TN_REF(framework, row - 1, cuda));
        return;
    }
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t nvcc = program_by(j->s, "nvcc", "PATH");
    if (nvcc == j->s->program.n || !tn_known(j->s->program.v[nvcc].version))
        return;
    judge_host(j, out, nvcc);
    judge_torch(j, out, nvcc);
}

TN_CHECK(compiler_unsupported, "compiler-unsupported", run, .needs = TN_NEEDS_FRAMEWORK | TN_HAS(program));
