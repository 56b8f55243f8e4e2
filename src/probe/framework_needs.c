/* framework_needs.c - what a build asks of the machine below it: C library, instruction sets, the machine itself.
 *
 * Sources: a wheel's platform tags (PyPA "Platform compatibility tags": of several tags one that fits is enough, so the
 * oldest glibc counts; PEP 600), conda's dependency "__glibc >=2.17" (conda "Managing virtual packages"), and of the
 * object that opens the CUDA libraries its machine and the symbol versions of libc.so.6 that it needs. A tag speaks of
 * all objects of a wheel, symbol versions of one: the newer of the two is what the build needs. */
#include <string.h>

#include "base/str.h"
#include "facts/needs.h"
#include "probe/framework.h"
#include "version/dotted.h"
#include "version/wheeltag.h"

/* "linux_x86_64", "manylinux_2_17_aarch64", "win_amd64", "macosx_11_0_arm64": the machine as uname -m has it. */
static const char *machine_of_tag(struct tn_span platform)
{
    static const struct {
        const char *tail, *machine;
    } known[] = {{"_x86_64", "x86_64"}, {"_amd64", "x86_64"},   {"_aarch64", "aarch64"}, {"_arm64", "aarch64"},
                 {"_i686", "i386"},     {"win32", "i386"},      {"_armv7l", "armv7l"},   {"_ppc64le", "ppc64le"},
                 {"_universal2", NULL}, {"_riscv64", "riscv64"}};
    for (unsigned i = 0; i < TN_LEN(known); i++) {
        size_t n = strlen(known[i].tail);
        if (platform.n >= n && memcmp(platform.p + platform.n - n, known[i].tail, n) == 0)
            return known[i].machine;
    }
    return NULL;
}

/* The third part of "cp311-cp311-manylinux_2_17_x86_64". */
static struct tn_span platform_of(const char *tag)
{
    const char *dash = strrchr(tag, '-');
    return tn_span_str(dash ? dash + 1 : tag);
}

/* version: "2.17,<3.0": what follows the number is not looked at. */
static void raise_glibc(struct tn_pyfw *f, const char *version, uint32_t src)
{
    struct tn_rec_framework *r = tn_pyfw_row(f);
    char text[TN_DOTTED_TEXT];
    if (tn_version_dotted_head(version, 2, text, sizeof text) &&
        (r->glibc.k != TN_KNOWN || tn_version_dotted_cmp(text, r->glibc.v) > 0))
        r->glibc = tn_fact_str(f->p->s, src, text);
}

static void of_tags(struct tn_pyfw *f, const struct tn_rec_dist *d)
{
    struct tn_platform_libc v, least = {TN_LIBC_NONE, 0, 0, {NULL, 0}};
    const char *machine = NULL;
    for (uint32_t i = 0; d->tags.k == TN_KNOWN && i < d->tags.n; i++) {
        struct tn_span platform = platform_of(d->tags.v[i]);
        machine = machine ? machine : machine_of_tag(platform);
        if (tn_version_platform_libc(platform, &v) && v.kind == TN_LIBC_GLIBC &&
            (least.kind == TN_LIBC_NONE || v.major < least.major || (v.major == least.major && v.minor < least.minor)))
            least = v;
    }
    if (least.kind == TN_LIBC_GLIBC)
        raise_glibc(f, tn_arena_printf(f->p->mem, "%u.%u", least.major, least.minor), d->tags.src);
    if (machine && tn_pyfw_row(f)->machine.k != TN_KNOWN)
        tn_pyfw_row(f)->machine = tn_fact_str(f->p->s, d->tags.src, machine);
}

/* "__glibc >=2.17,<3.0.a0" */
static void of_conda(struct tn_pyfw *f, const struct tn_rec_dist *d)
{
    static const char head[] = "__glibc >=";
    for (uint32_t i = 0; d->requires.k == TN_KNOWN && i < d->requires.n; i++)
        if (tn_str_starts(d->requires.v[i], head))
            raise_glibc(f, d->requires.v[i] + sizeof head - 1, d->requires.src);
}

static void cpu_of_table(struct tn_pyfw *f, const struct tn_rec_dist *d)
{
    struct tn_rec_framework *r = tn_pyfw_row(f);
    struct tn_facts_needs needs;
    const char *word[8];
    char one[32];
    size_t n = 0;
    if (r->cpu.k == TN_KNOWN || r->machine.k != TN_KNOWN || d->name.k != TN_KNOWN || d->version.k != TN_KNOWN ||
        tn_facts_cpu_needs(d->name.v, d->version.v, r->machine.v, &needs) != TN_ANSWER_YES)
        return;
    for (const char *list = needs.needs; n < TN_LEN(word) && tn_facts_list_next(&list, one, sizeof one);)
        word[n++] = tn_arena_strdup(f->p->mem, one);
    uint32_t src = tn_snap_src(f->p->s, TN_KNOWN, NULL, "table cpu_needs");
    tn_pyfw_row(f)->cpu = tn_fact_list(f->p->s, src, word, n);
}

void tn_pyfw_needs_of_elf(struct tn_pyfw *f, const struct tn_elf *e, uint32_t src)
{
    const char *machine = e->machine == TN_EM_X86_64 ? "x86_64" : tn_image_elf_machine(e->machine);
    static const char head[] = "GLIBC_";
    if (machine) /* as uname -m has it */
        tn_pyfw_row(f)->machine = tn_fact_str(f->p->s, src, machine);
    for (size_t i = 0; i < e->n_needs; i++)
        for (size_t k = 0; k < e->needs[i].n; k++)
            if (!e->needs[i].versions[k].weak && tn_str_starts(e->needs[i].versions[k].name, head))
                raise_glibc(f, e->needs[i].versions[k].name + sizeof head - 1, src);
}

void tn_pyfw_needs(struct tn_pyfw *f, const struct tn_rec_dist *d, bool conda)
{
    of_tags(f, d);
    of_conda(f, d);
    if (!conda)
        cpu_of_table(f, d);
}
