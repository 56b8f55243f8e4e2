/* fits_wheel.c - see wheel.h: can this machine run a wheel?
 *
 * Rules: the tags of PEP 425, 600 and 656; facts/arch.h for machine code and PTX; a driver reads PTX up to its own ISA
 * (facts/cuda.h), and runs a CUDA major from that major's floor on. */
#include <string.h>

#include "base/str.h"
#include "facts/arch.h"
#include "facts/cuda.h"
#include "plan/inner.h"
#include "plan/wheel.h"
#include "strings.gen.h"
#include "version/dotted.h"

static struct tn_plan_say *add(struct tn_arena *mem, struct tn_fits *f, enum tn_fits_status status, const char *id,
                               const char *need, const char *have)
{
    struct tn_fits_row *r = tn_fits_add_row(mem, f, NULL, status, id);
    tn_plan_arg(mem, &r->say, "need", "%s", need);
    tn_plan_arg(mem, &r->say, "have", "%s", have);
    return &r->say;
}

static void conclude(struct tn_fits *f, enum tn_fits_status status, const struct tn_plan_say *say)
{
    if (status != TN_FITS_YES)
        *tn_fits_add(f, status, say->id) = *say;
}

/* --- where it may be installed --- */

static bool tag_is_for(const struct tn_plan_machine *m, struct tn_span tag)
{
    struct tn_platform_libc libc;
    const char *arch = m->arch;
    if (tn_span_eq(tag, "any"))
        return true;
    if (m->windows)
        return tn_span_eq(tag, tn_str_eq(arch, "x86_64") ? "win_amd64" : "win_arm64");
    if (m->macos)
        return tn_span_starts(tag, "macosx_");
    if (tn_version_platform_libc(tag, &libc))
        return tn_span_eq(libc.arch, arch);
    return tn_span_starts(tag, "linux_") && tn_span_eq(tn_span_from(tag, 6), arch);
}

static void judge_platform(struct tn_arena *mem, struct tn_fits *f, const struct tn_wheel_file *w,
                           const struct tn_plan_machine *m)
{
    const char *rest = w->tag.platform;
    struct tn_span tag;
    struct tn_platform_libc need;
    bool any = false;
    while (tn_version_tag_next(&rest, &tag))
        any = any || tag_is_for(m, tag);
    const char *system = m->windows ? "Windows" : m->macos ? "macOS" : "Linux";
    if (!any) {
        conclude(f, TN_FITS_NO,
                 add(mem, f, TN_FITS_NO, TN_S_ft_wheel_system, w->tag.platform,
                     tn_arena_printf(mem, "%s %s", system, m->arch)));
        return;
    }
    bool glibc = tn_version_wheel_libc(w->tag.platform, TN_LIBC_GLIBC, &need);
    if (m->musl && glibc) {
        struct tn_platform_libc musl;
        if (!tn_version_wheel_libc(w->tag.platform, TN_LIBC_MUSL, &musl))
            conclude(f, TN_FITS_NO, add(mem, f, TN_FITS_NO, TN_S_ft_wheel_libc, "glibc", "musl"));
    } else if (glibc && *m->glibc) {
        const char *least = tn_arena_printf(mem, "%u.%u", need.major, need.minor);
        if (tn_version_dotted_cmp_parts(m->glibc, least, 2) < 0)
            conclude(f, TN_FITS_NO, add(mem, f, TN_FITS_NO, TN_S_ft_wheel_glibc, least, m->glibc));
    }
}

/* Does Python 3.minor take this tag? */
static bool python_takes(const struct tn_wheel *t, unsigned minor)
{
    const char *rest = t->python;
    struct tn_span tag;
    while (tn_version_tag_next(&rest, &tag)) {
        unsigned n = 0;
        if (tn_span_eq(tag, "py3") || tn_span_eq(tag, "py2.py3"))
            return true;
        for (size_t i = 3; i < tag.n && tn_is_digit((char)tag.p[i]) && n < 100; i++)
            n = n * 10 + (unsigned)(tag.p[i] - '0');
        bool newer = strstr(t->abi, "abi3") || tn_span_starts(tag, "py3");
        if ((tn_span_starts(tag, "cp3") || tn_span_starts(tag, "py3")) && (n == minor || (newer && n <= minor)))
            return true;
    }
    return false;
}

static void judge_python(struct tn_arena *mem, struct tn_fits *f, const struct tn_wheel_file *w, const char *python)
{
    const char *need = tn_arena_printf(mem, "%s-%s", w->tag.python, w->tag.abi);
    char minor[TN_DOTTED_TEXT];
    if (!*python) {
        add(mem, f, TN_FITS_YES, TN_S_ft_wheel_takes, need, "");
        return;
    }
    bool takes = tn_version_dotted_major(python) == 3 && tn_version_dotted_head(python, 2, minor, sizeof minor) &&
                 python_takes(&w->tag, (unsigned)tn_version_dotted_major(minor + 2));
    if (takes && *w->requires_python && !tn_plan_meets(python, w->requires_python)) {
        takes = false;
        need = w->requires_python;
    }
    enum tn_fits_status status = takes ? TN_FITS_YES : TN_FITS_NO;
    conclude(f, status, add(mem, f, status, takes ? TN_S_ft_wheel_takes : TN_S_ft_wheel_python, need, python));
}

/* --- what it runs on --- */

static void judge_driver(struct tn_arena *mem, struct tn_fits *f, const char *cuda, const struct tn_plan_machine *m)
{
    struct tn_facts_driver_need need;
    enum tn_found found = tn_facts_cuda_driver(cuda, m->driver_platform, &need);
    if ((found != TN_ANSWER_YES && found != TN_ANSWER_NEWER) || !*need.floor)
        return;
    enum tn_fits_status status = *m->driver
                                     ? tn_version_dotted_cmp(m->driver, need.floor) < 0 ? TN_FITS_NO : TN_FITS_YES
                                 : m->no_driver ? TN_FITS_NO
                                                : TN_FITS_UNKNOWN;
    const char *id = *m->driver ? TN_S_ft_wheel_driver : TN_S_ft_wheel_no_driver;
    struct tn_plan_say *say = add(mem, f, status, id, need.floor, m->driver);
    tn_plan_arg(mem, say, "cuda", "%s", cuda);
    say->cite = need.cite;
    conclude(f, status, say);
}

/* The CUDA release whose PTX the driver is too old to read; NULL if it reads it, or nobody knows. */
static const char *unread_ptx(const struct tn_wheel_file *w, const struct tn_plan_machine *m)
{
    const char *reads, *first;
    if (!*w->isa || !*m->ceiling || tn_facts_cuda_ptx_isa(m->ceiling, &reads) != TN_ANSWER_YES ||
        tn_version_dotted_cmp(w->isa, reads) <= 0)
        return NULL;
    return tn_facts_cuda_of_ptx_isa(w->isa, &first) == TN_ANSWER_YES ? first : "?";
}

static void judge_card(struct tn_arena *mem, struct tn_fits *f, const struct tn_wheel_file *w,
                       const struct tn_plan_machine *m, const struct tn_plan_card *c)
{
    struct tn_facts_code code;
    enum tn_fits_status status = TN_FITS_YES;
    const char *id, *too_new = unread_ptx(w, m);
    if (!*c->capability || tn_facts_arch_code(c->capability, w->sass, w->ptx, &code) != TN_ANSWER_YES) {
        status = TN_FITS_UNKNOWN;
        id = TN_S_ft_wheel_card_unknown;
    } else if (code.how == TN_CODE_NATIVE) {
        id = TN_S_ft_wheel_native;
    } else if (code.how == TN_CODE_JIT && too_new) {
        status = TN_FITS_NO;
        id = TN_S_ft_wheel_ptx_new;
    } else if (code.how == TN_CODE_JIT) {
        id = TN_S_ft_wheel_jit;
    } else {
        status = TN_FITS_NO;
        id = code.older ? TN_S_ft_wheel_older : TN_S_ft_wheel_none;
    }
    struct tn_plan_say *say = add(mem, f, status, id, too_new ? too_new : "", m->ceiling);
    tn_plan_arg(mem, say, "gpu", "%s", c->name);
    tn_plan_arg(mem, say, "capability", "%s", c->capability);
    tn_plan_arg(mem, say, "code", "%s", *w->sass ? w->sass : "-");
    tn_plan_arg(mem, say, "ptx", "%s", *w->ptx ? w->ptx : "-");
    tn_plan_arg(mem, say, "library", "%s", w->code_of);
    tn_plan_arg(mem, say, "entry", "%s", status == TN_FITS_UNKNOWN ? "" : code.entry);
    conclude(f, status, say);
}

void tn_wheel_judge(struct tn_arena *mem, const struct tn_wheel_file *w, const struct tn_snap *s, const char *python,
                    struct tn_fits *f)
{
    struct tn_plan_machine *m = tn_arena_alloc(mem, sizeof *m);
    tn_plan_machine_of(mem, s, m);
    judge_platform(mem, f, w, m);
    judge_python(mem, f, w, python);
    if (*w->cuda) {
        judge_driver(mem, f, w->cuda, m);
    } else if (*w->code_of && !*m->driver && !*m->ceiling) {
        enum tn_fits_status status = m->no_driver ? TN_FITS_NO : TN_FITS_UNKNOWN;
        conclude(f, status, add(mem, f, status, TN_S_ft_wheel_any_driver, "", ""));
    }
    if (!*w->code_of) {
        if (w->unread && !f->plan)
            conclude(f, TN_FITS_UNKNOWN, add(mem, f, TN_FITS_UNKNOWN, TN_S_ft_wheel_unread, "", ""));
        else if (!w->unread)
            add(mem, f, TN_FITS_YES, TN_S_ft_wheel_no_code, "", "");
        return;
    }
    for (unsigned i = 0; i < m->n_card; i++)
        judge_card(mem, f, w, m, &m->card[i]);
    if (!m->n_card) {
        enum tn_fits_status status = m->cards_known ? TN_FITS_NO : TN_FITS_UNKNOWN;
        struct tn_plan_say *say =
            add(mem, f, status, m->cards_known ? TN_S_ft_wheel_no_card : TN_S_ft_wheel_card_unknown, "", "");
        tn_plan_arg(mem, say, "code", "%s", w->sass);
        tn_plan_arg(mem, say, "ptx", "%s", *w->ptx ? w->ptx : "-");
        tn_plan_arg(mem, say, "gpu", "GPU");
        conclude(f, status, say);
    }
}
