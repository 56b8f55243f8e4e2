/* fatbin.c - see fatbin.h.
 *
 * Rule: of linked device code the machine code is in .nv_fatbin, and its PTX in the pieces it was linked from
 * (__nv_relfatbin), which the driver links again for a card without machine code (fatbinary_section.h: a wrapper of
 * version 2 names both). A quarter: in torch 2.15 the most frequent extra is in 59 of 476 containers, in ONNX
 * Runtime 1.31 sm_75 is in 217 where sm_90a, which has kernels of its own, is in 600. */
#include "probe/fatbin.h"

#include <stdio.h>
#include <string.h>

struct words {
    const char **v;
    size_t n;
    unsigned isa;
};

static uint32_t most_of(const struct tn_fatbin_list *l)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < l->n; i++)
        n = l->v[i].n > n ? l->v[i].n : n;
    return n;
}

static void add(struct tn_arena *mem, const struct tn_fatbin_list *l, uint32_t whole, struct words *ret)
{
    for (unsigned i = 0; i < l->n; i++) {
        const struct tn_fatbin_arch *a = &l->v[i];
        char word[16];
        bool seen = a->n * UINT64_C(4) < whole;
        snprintf(word, sizeof word, "%u%.1s", a->number, a->mark ? &a->mark : "");
        for (size_t k = 0; k < ret->n && !seen; k++)
            seen = strcmp(ret->v[k], word) == 0;
        if (seen || ret->n == TN_FATBIN_ARCHS)
            continue;
        ret->v[ret->n++] = tn_arena_strdup(mem, word);
        ret->isa = a->isa_last > ret->isa ? a->isa_last : ret->isa;
    }
}

static void take(struct tn_arena *mem, const struct tn_fatbin *b, bool most, struct tn_probe_code *ret)
{
    struct words sass = {ret->sass, 0, 0}, ptx = {ret->ptx, 0, 0};
    uint32_t whole = most_of(&b->code[TN_FATBIN_SASS]), whole_ptx = most_of(&b->code[TN_FATBIN_PTX]);
    whole = !most ? 0 : whole > whole_ptx ? whole : whole_ptx;
    add(mem, &b->code[TN_FATBIN_SASS], whole, &sass);
    add(mem, &b->code[TN_FATBIN_PTX], whole, &ptx);
    if (b->containers)
        add(mem, &b->parts[TN_FATBIN_PTX], whole, &ptx);
    ret->n_sass = sass.n;
    ret->n_ptx = ptx.n;
    ret->isa = ptx.isa;
    ret->containers = b->containers;
}

uint32_t tn_probe_code_of(struct tn_world *w, struct tn_snap *s, struct tn_arena *mem, const char *path, bool most,
                          struct tn_probe_code *ret, enum tn_know *ret_got)
{
    struct tn_arena names, passing;
    struct tn_world_file file;
    struct tn_fatbin b;
    struct tn_err err;
    const char *why = NULL;
    memset(ret, 0, sizeof *ret);
    tn_arena_init(&names);
    tn_arena_init(&passing);
    int rc = tn_world_open(w, &names, path, &file, ret_got, &err);
    if (rc == 0) {
        file.passing = &passing;
        rc = tn_image_fatbin_read(&file.view, TN_FATBIN_SECTIONS, &b, &err);
        if (rc == TN_E_NOTFOUND)
            *ret_got = TN_UNASKED;
        else if (rc)
            *ret_got = tn_know_of_error(rc);
        else if (b.cut || b.damaged)
            *ret_got = TN_FAILED, why = "its GPU code is damaged or cut short";
        else
            take(mem, &b, most, ret);
    }
    uint32_t src = tn_snap_src(s, *ret_got, rc ? err.text : why, "read %s", path);
    tn_arena_deinit(&passing);
    tn_arena_deinit(&names);
    return src;
}
