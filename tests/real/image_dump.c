/* image_dump.c - prints what src/image reads, one fact a line, for image_oracle.sh to compare with readelf and
 * ldconfig: "image_dump elf FILE...", "image_dump ldcache FILE", "image_dump version FILE...". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "image/elf.h"
#include "image/ldcache.h"
#ifdef TN_WITH_VERSION
#include "image/elf_version.h"
#include "version/soname.h"
#endif

struct file {
    FILE *f;
    struct tn_arena *a;
    size_t bytes, reads;
};

static int file_at(void *ctx, uint64_t off, size_t n, struct tn_span *ret, struct tn_err *err)
{
    struct file *f = ctx;
    void *p = tn_arena_alloc(f->a, n);
    f->bytes += n;
    f->reads++;
    if (fseek(f->f, (long)off, SEEK_SET) || fread(p, 1, n, f->f) != n)
        return tn_err_set(err, TN_E_IO, NULL, "cannot read");
    *ret = tn_span_of(p, n);
    return 0;
}

static void dump_elf(const char *path, const struct tn_elf *e)
{
    printf("file %s\n", path);
    printf("class %d %s\n", e->is64 ? 64 : 32, e->big ? "big" : "little");
    if (e->soname)
        printf("SONAME %s\n", e->soname);
    for (size_t i = 0; i < e->n_needed; i++)
        printf("NEEDED %s\n", e->needed[i]);
    if (e->rpath)
        printf("RPATH %s\n", e->rpath);
    if (e->runpath)
        printf("RUNPATH %s\n", e->runpath);
    for (size_t i = 0; i < e->n_needs; i++)
        for (size_t k = 0; k < e->needs[i].n; k++)
            printf("need %s %s%s\n", e->needs[i].file, e->needs[i].versions[k].name,
                   e->needs[i].versions[k].weak ? " weak" : "");
    if (e->defines_base)
        printf("base %s\n", e->defines_base);
    for (size_t i = 0; i < e->n_defines; i++)
        printf("define %s\n", e->defines[i]);
}

static int one_elf(const char *path, bool version)
{
    struct tn_arena a;
    struct tn_elf e;
    struct tn_err err;
    tn_arena_init(&a);
    struct file f = {fopen(path, "rb"), &a, 0, 0};
    if (!f.f || fseek(f.f, 0, SEEK_END)) {
        perror(path);
        return 1;
    }
    struct tn_view v = {(uint64_t)ftell(f.f), file_at, &f};
    int r = tn_image_elf_open(&v, &a, &e, &err);
    if (r) {
        printf("file %s\nerror %s\n", path, err.text);
    } else if (!version) {
        dump_elf(path, &e);
        if (e.file_end > v.size)
            printf("cut %llu\n", (unsigned long long)e.file_end);
    }
#ifdef TN_WITH_VERSION
    else {
        const char *text = "-", *how = "", *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        struct tn_soname name;
        if (tn_version_soname_parse(base, &name, NULL))
            snprintf(name.stem, sizeof name.stem, "%s", base);
        if (tn_image_elf_product_version(&e, &v, name.stem, &a, &text, &how, &err))
            how = err.text;
        printf("%-42s %-12s %s; %zu reads, %zu bytes\n", base, text, how, f.reads, f.bytes);
    }
#endif
    fclose(f.f);
    tn_arena_deinit(&a);
    return r != 0;
}

static int ldcache(const char *path)
{
    struct tn_ldcache c;
    struct tn_arena a;
    struct tn_err err;
    tn_arena_init(&a);
    FILE *f = fopen(path, "rb");
    size_t cap = 64u << 20;
    unsigned char *p = malloc(cap);
    if (!f || !p)
        return 1;
    struct tn_span s = tn_span_of(p, fread(p, 1, cap, f));
    fclose(f);
    int r = tn_image_ldcache_parse(s, &a, &c, &err);
    if (r)
        printf("error %s\n", err.text);
    for (size_t i = 0; r == 0 && i < c.n; i++)
        printf("%s %s %s %04x\n", c.entries[i].soname, c.entries[i].path, c.entries[i].hwcap ? c.entries[i].hwcap : "-",
               c.entries[i].flags);
    if (r == 0 && c.generator)
        printf("generator %s\n", c.generator);
    tn_arena_deinit(&a);
    free(p);
    return r != 0;
}

int main(int argc, char **argv)
{
    int bad = 0;
    if (argc < 3)
        return 2;
    if (strcmp(argv[1], "ldcache") == 0)
        return ldcache(argv[2]);
    for (int i = 2; i < argc; i++)
        bad += one_elf(argv[i], strcmp(argv[1], "version") == 0);
    return bad ? 1 : 0;
}
