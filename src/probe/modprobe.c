/* modprobe.c - what forbids or redirects the driver's module, or hands a card to virtual machines: modprobe.d and the
 * kernel's command line.
 *
 * Asked only where the module of a card's driver is not loaded, or another driver has a card (or a whole snapshot is
 * wanted). A file of an earlier
 * folder hides those of the same name in later ones (modprobe.d(5): /etc, /run, /usr/local/lib, /usr/lib, /lib). */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"
#include "probe/modprobe_text.h"

#define MAX_FILES 256u

static bool seen(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static void look_file(struct tn_probe_ctx *c, const char *path, const struct tn_answer *f)
{
    size_t rows = c->s->modprobe.n;
    tn_modprobe_read(c->s, path, f->data, tn_probe_src(c->s, "read", path, f));
    if (c->s->modprobe.n == rows)
        return;
    struct tn_answer st = tn_world_stat(c->w, path);
    if (st.got != TN_KNOWN || st.st.mtime <= 0)
        return;
    uint32_t src = tn_probe_src(c->s, "stat", path, &st);
    for (size_t i = rows; i < c->s->modprobe.n; i++)
        c->s->modprobe.v[i].changed_s = tn_fact_int(src, st.st.mtime);
}

static void look_files(struct tn_probe_ctx *c)
{
    static const char *const folders[] = {"/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d",
                                          "/usr/lib/modprobe.d", "/lib/modprobe.d"};
    const char *names[MAX_FILES];
    size_t n = 0;
    for (unsigned d = 0; d < TN_LEN(folders); d++) {
        struct tn_answer a = tn_world_list(c->w, c->tmp, folders[d]);
        if (d == 0) {
            c->s->modprobe.listed = a.got == TN_ABSENT ? TN_KNOWN : a.got;
            c->s->modprobe.src = tn_probe_src(c->s, "list", folders[d], &a);
        }
        for (size_t i = 0; i < a.n_entry && n < MAX_FILES; i++) {
            const char *name = a.entry[i].name;
            if (!tn_str_ends(name, ".conf") || a.entry[i].type == 'd' || seen(names, n, name))
                continue;
            names[n++] = name;
            const char *path = tn_path_join(c->tmp, TN_PATH_POSIX, folders[d], name);
            struct tn_answer f = tn_world_read(c->w, c->tmp, path, 1u << 20);
            if (f.got == TN_KNOWN) {
                look_file(c, path, &f);
            } else if (f.got != TN_ABSENT && c->s->modprobe.listed == TN_KNOWN) { /* it may forbid the module */
                c->s->modprobe.listed = f.got;
                c->s->modprobe.src = tn_probe_src(c->s, "read", path, &f);
            }
        }
    }
}

static void run(struct tn_probe_ctx *c)
{
    static const char cmdline[] = "/proc/cmdline";
    bool card = c->s->gpu.listed != TN_KNOWN, taken = false;
    for (size_t i = 0; i < c->s->gpu.n; i++) {
        const struct tn_rec_gpu *g = &c->s->gpu.v[i];
        card = card || tn_says(g->vendor, "nvidia");
        taken = taken || (tn_says(g->vendor, "nvidia") && tn_known(g->bound) && !tn_str_starts(g->bound.v, "nvidia"));
    }
    if (tn_probe_is_windows(c) || tn_probe_is_wsl(c) || !card)
        return;
    if (tn_is(TN_THE(c->s, driver)->loaded, 1) && !taken && c->want && c->want->plain)
        return;
    look_files(c);
    struct tn_answer a = tn_world_read(c->w, c->tmp, cmdline, 65536);
    if (a.got == TN_KNOWN)
        tn_modprobe_cmdline_read(c->s, cmdline, a.data, tn_probe_src(c->s, "read", cmdline, &a));
}

TN_PROBE(modprobe, TN_PHASE_DRIVER, run, "what forbids the driver's module; from modprobe.d and /proc/cmdline",
         .gives = TN_HAS(modprobe), .reads = TN_HAS(gpu) | TN_HAS(driver));
