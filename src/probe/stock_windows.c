/* stock_windows.c - see stock.h: CUDA toolkits on Windows, which NVIDIA's installer keeps part by part.
 *
 * Each part has an entry of its own among the installed programs, "{B2FE1952-...}_CUDARuntime_11.6", with the command
 * that removes it; the driver's ("_Display.Driver") is none of them. */
#include <string.h>

#include "base/str.h"
#include "probe/stock.h"

#define ENTRIES "HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall"
#define OF_NVIDIA "{B2FE1952-0186-46C3-BAEC-A80AA35AC5B8}_CUDA"

/* "_11.6" at the end of the key's name, of a toolkit 11.6 or 11.6.2. */
static bool is_of(const char *key, const char *version)
{
    const char *mark = strrchr(key, '_');
    size_t n = mark ? strlen(mark + 1) : 0;
    return n && strncmp(version, mark + 1, n) == 0 && (version[n] == 0 || version[n] == '.');
}

static void entries(struct tn_stock *k, struct tn_rec_stock *r)
{
    struct tn_arena *mem = k->c->tmp;
    struct tn_answer a = tn_world_reg_list(k->c->w, mem, ENTRIES);
    uint32_t src = tn_probe_src(k->c->s, "reg", ENTRIES, &a);
    const char **name = tn_arena_array(mem, a.n_entry + 1, sizeof *name);
    const char **command = tn_arena_array(mem, a.n_entry + 1, sizeof *command);
    size_t n = 0;
    for (size_t i = 0; tn_known(r->version) && i < a.n_entry; i++) {
        const char *key = tn_arena_printf(mem, ENTRIES "\\%s", a.entry[i].name);
        if (a.entry[i].type != 'd' || !tn_str_starts(a.entry[i].name, OF_NVIDIA) ||
            !is_of(a.entry[i].name, r->version.v))
            continue;
        const char *shown = tn_probe_reg(k->c, key, "DisplayName"), *run = tn_probe_reg(k->c, key, "UninstallString");
        if (!run)
            continue;
        name[n] = shown ? shown : a.entry[i].name;
        command[n++] = run;
    }
    r->by = a.got == TN_KNOWN || a.got == TN_ABSENT ? tn_fact_str(k->c->s, src, "nvidia") : tn_fact_nostr(src, a.got);
    r->packages = tn_fact_list(k->c->s, src, name, n);
    r->uninstall = tn_fact_list(k->c->s, src, command, n);
}

void tn_stock_windows(struct tn_stock *k)
{
    const struct tn_snap *s = k->c->s;
    for (size_t i = 0; i < s->toolkit.n; i++) {
        const struct tn_rec_toolkit t = s->toolkit.v[i];
        bool in_env = !tn_known(t.path) || tn_says(t.kind, "conda");
        for (size_t e = 0; !in_env && e < s->env.n; e++)
            in_env = tn_known(s->env.v[e].path) && tn_path_under(TN_PATH_WINDOWS, t.path.v, s->env.v[e].path.v);
        if (in_env)
            continue;
        struct tn_rec_stock *r = tn_stock_add(k, "toolkit", "cuda", t.path.v, t.path.src);
        r->version = t.version;
        tn_stock_measure(k, t.path.v);
        entries(k, r);
    }
}
