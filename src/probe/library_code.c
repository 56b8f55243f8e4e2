/* library_code.c - machine code and PTX of the libraries themselves: cuBLAS, cuDNN, NCCL ...
 *
 * Read for people and for other machines, not for a verdict. A library without containers in the sections for
 * them, or with one, may keep its kernels elsewhere (CUPTI in .rodata; cuFFT in .ldata: the one is the device
 * linker's): of it nothing is claimed. */
#include "base/str.h"
#include "probe/fatbin.h"
#include "probe/library.h"

#define LEAST_BYTES (1 << 20)

static const char *judged_env(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->env.n; i++)
        if (tn_is(s->env.v[i].judged, 1) && tn_known(s->env.v[i].id))
            return s->env.v[i].id.v;
    return NULL;
}

void tn_lib_code(struct tn_lib *l)
{
    struct tn_snap *s = l->c->s;
    const char *env = judged_env(s);
    if (l->c->want && (l->c->want->plain || l->c->want->no_code))
        return;
    for (size_t i = 0; i < l->n_file; i++) {
        struct tn_rec_library *r = &s->library.v[i];
        struct tn_probe_code c;
        enum tn_know got;
        bool met = tn_is(r->rank, 0) || (env && tn_says(r->env, env));
        if (!met || !tn_says(r->kind, "real") || tn_lib_is_driver(l->file[i].stem) || r->bytes.k != TN_KNOWN ||
            r->bytes.v < LEAST_BYTES)
            continue;
        uint32_t src = tn_probe_code_of(l->c->w, s, l->c->tmp, l->file[i].path, false, &c, &got);
        if (got == TN_KNOWN && c.containers > 1) {
            r->sass = tn_fact_list(s, src, c.sass, c.n_sass);
            r->ptx = tn_fact_list(s, src, c.ptx, c.n_ptx);
        } else if (got != TN_KNOWN && got != TN_UNASKED) {
            r->sass = r->ptx = tn_fact_nolist(src, got);
        }
    }
}
