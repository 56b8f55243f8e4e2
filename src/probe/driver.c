/* driver.c - the NVIDIA driver as the kernel states it (Windows: as its installer and the registry do).
 *
 * Invariant: "not loaded" is said only of a running kernel that was looked at; below WSL the driver is the host's,
 * and in another root folder nothing runs. Which libcuda a program would load: library.c. */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"
#include "probe/tables.h"
#include "version/dotted.h"

#define PROC "/proc/driver/nvidia/version"
#define DISPLAY_CLASS "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}"
#define UNINSTALL                                                                                                      \
    "HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\{B2FE1952-0186-46C3-BAEC-A80AA35AC5B8}_"           \
    "Display.Driver"

/* "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  555.58.02  Release Build ..." (nv-procfs.c): the first
 * word after Module that is a number of two or three parts; open when the line says Open. */
static bool parse_nvrm(struct tn_span text, struct tn_span *ret_version, bool *ret_open)
{
    struct tn_span line;
    if (!tn_span_line(&text, &line) || !tn_span_starts(line, "NVRM version:"))
        return false;
    size_t at = tn_span_find(line, 0, "Module", 6);
    if (at == SIZE_MAX)
        return false;
    *ret_open = tn_span_find(line, 0, " Open ", 6) < at;
    struct tn_span rest = tn_span_from(line, at + 6);
    for (size_t i = 0, n; i < rest.n; i += n) {
        while (i < rest.n && (rest.p[i] == ' ' || rest.p[i] == '\t'))
            i++;
        for (n = 0; i + n < rest.n && rest.p[i + n] != ' ' && rest.p[i + n] != '\t';)
            n++;
        unsigned dots = 0;
        bool number = n && tn_is_digit((char)rest.p[i]) && tn_is_digit((char)rest.p[i + n - 1]);
        for (size_t k = i; k < i + n; k++) {
            dots += rest.p[k] == '.';
            number = number && (tn_is_digit((char)rest.p[k]) || rest.p[k] == '.');
        }
        if (number && dots && dots <= 2) {
            *ret_version = tn_span_of(rest.p + i, n);
            return true;
        }
    }
    return false;
}

static void look_module(struct tn_probe_ctx *c, struct tn_rec_driver *d)
{
    struct tn_answer a = tn_world_read(c->w, c->tmp, PROC, 4096);
    uint32_t src = tn_probe_src(c->s, "read", PROC, &a);
    struct tn_span version;
    bool open;
    if (a.got == TN_KNOWN) {
        d->loaded = tn_fact_int(src, 1);
        if (parse_nvrm(tn_probe_whole(a.data), &version, &open)) {
            d->version = tn_fact_strn(c->s, src, version.p, version.n);
            d->flavour = tn_fact_str(c->s, src, open ? "open" : "proprietary");
        } else {
            d->version = d->flavour = tn_fact_nostr(src, TN_FAILED);
        }
    } else if (a.got != TN_ABSENT) {
        d->loaded = tn_fact_noint(src, a.got);
        d->version = d->flavour = tn_fact_nostr(src, a.got);
    }
    if (tn_known(d->version))
        return;
    /* Procfs may be hidden where sysfs is not. */
    struct tn_str state = tn_probe_line_fact(c, "/sys/module/nvidia/initstate");
    struct tn_str v = tn_probe_line_fact(c, "/sys/module/nvidia/version");
    if (tn_known(state) || tn_known(v)) {
        d->loaded = tn_fact_int(tn_known(state) ? state.src : v.src, !tn_known(state) || tn_str_eq(state.v, "live"));
        if (tn_known(v) && tn_version_dotted_ok(v.v))
            d->version = v;
    } else if (a.got == TN_ABSENT && state.k == TN_ABSENT && !tn_probe_is_wsl(c) && tn_probe_running(c)) {
        d->loaded = tn_fact_int(src, 0);
        d->version = d->flavour = tn_fact_nostr(src, TN_ABSENT);
    }
}

/* CUDA needs it beside nvidia; it is loaded on demand. */
static void look_uvm(struct tn_probe_ctx *c, struct tn_rec_driver *d)
{
    static const char path[] = "/sys/module/nvidia_uvm";
    if (!tn_is(d->loaded, 1))
        return;
    struct tn_answer a = tn_world_stat(c->w, path);
    uint32_t src = tn_probe_src(c->s, "stat", path, &a);
    if (a.got == TN_KNOWN || (a.got == TN_ABSENT && tn_world_is_dir(c->w, "/sys/module")))
        d->uvm = tn_fact_int(src, a.got == TN_KNOWN);
    else if (a.got != TN_ABSENT)
        d->uvm = tn_fact_noint(src, a.got);
}

/* The open module runs nothing without them; the kernel looks in these folders (firmware_class; a folder of its own
 * may be set, then nothing is said). */
static void look_firmware(struct tn_probe_ctx *c, struct tn_rec_driver *d)
{
    static const char own[] = "/sys/module/firmware_class/parameters/path";
    static const char *const folders[] = {"/lib/firmware/nvidia", "/lib/firmware/updates/nvidia"};
    struct tn_answer a;
    if (!tn_is(d->loaded, 1) || !tn_says(d->flavour, "open") || !tn_known(d->version) || tn_probe_line(c, own, &a))
        return;
    for (unsigned i = 0; i < TN_LEN(folders); i++) {
        const char *dir = tn_arena_printf(c->tmp, "%s/%s", folders[i], d->version.v);
        a = tn_world_list(c->w, c->tmp, dir);
        uint32_t src = tn_probe_src(c->s, "list", dir, &a);
        bool found = false;
        for (size_t k = 0; k < a.n_entry; k++)
            found = found || tn_str_starts(a.entry[k].name, "gsp");
        if (a.got != TN_KNOWN && a.got != TN_ABSENT)
            d->gsp_firmware = tn_fact_noint(src, a.got);
        else if (i == 0 || found)
            d->gsp_firmware = tn_fact_int(src, found);
        if (found)
            return;
    }
}

/* Other kernel drivers of the same cards. */
static void look_other(struct tn_probe_ctx *c, struct tn_rec_driver *d)
{
    static const char *const names[] = {"nouveau", "nova_core"};
    for (unsigned i = 0; i < TN_LEN(names); i++) {
        const char *path = tn_arena_printf(c->tmp, "/sys/module/%s", names[i]);
        struct tn_answer a = tn_world_stat(c->w, path);
        if (a.got == TN_ABSENT && (d->other.k != TN_UNASKED || !tn_probe_running(c)))
            continue;
        uint32_t src = tn_probe_src(c->s, "stat", path, &a);
        if (a.got == TN_KNOWN) {
            d->other = tn_fact_str(c->s, src, i ? "nova" : names[i]);
            return;
        }
        d->other = tn_fact_nostr(src, a.got);
    }
}

static bool take_file(struct tn_probe_ctx *c, struct tn_str *f, const char *path)
{
    struct tn_answer a = tn_world_stat(c->w, path);
    if (a.got == TN_KNOWN && a.st.type == 'f')
        *f = tn_fact_str(c->s, tn_probe_src(c->s, "stat", path, &a), path);
    return f->k == TN_KNOWN;
}

/* nvidia-smi: first as the shell finds it, then where packages, WSL, old Windows drivers and clouds put it. */
static void look_smi(struct tn_probe_ctx *c, struct tn_rec_driver *d)
{
    bool win = tn_probe_is_windows(c);
    const char *root = win ? tn_probe_env(c, "SystemRoot", NULL) : NULL;
    const char *fixed[] = {"/usr/bin/nvidia-smi",
                           "/usr/lib/wsl/lib/nvidia-smi",
                           "/usr/local/nvidia/bin/nvidia-smi",
                           "/opt/bin/nvidia-smi",
                           tn_arena_printf(c->tmp, "%s\\System32\\nvidia-smi.exe", root ? root : "C:\\Windows"),
                           "C:\\Program Files\\NVIDIA Corporation\\NVSMI\\nvidia-smi.exe"};
    uint32_t src;
    const char *path = tn_probe_env(c, "PATH", &src);
    for (unsigned i = 0; path && *path && i < 256; i++) {
        size_t n = strcspn(path, win ? ";" : ":");
        const char *dir = tn_arena_strndup(c->tmp, path, n);
        if (tn_path_is_abs(c->w->style, dir) &&
            take_file(c, &d->smi_path, tn_path_join(c->tmp, c->w->style, dir, win ? "nvidia-smi.exe" : "nvidia-smi")))
            return;
        path += n + (path[n] != 0);
    }
    for (unsigned i = win ? 4 : 0; i < (win ? 6u : 4u); i++)
        if (take_file(c, &d->smi_path, fixed[i]))
            return;
    struct tn_answer a = tn_world_stat(c->w, fixed[win ? 4 : 0]);
    d->smi_path = tn_fact_nostr(tn_probe_src(c->s, "stat", fixed[win ? 4 : 0], &a), a.got);
}

/* The installer's DisplayVersion "551.61", else DriverVersion "31.0.15.4601" of the class key of an NVIDIA adapter. */
static void look_windows(struct tn_probe_ctx *c, struct tn_rec_driver *d)
{
    char text[TN_DOTTED_TEXT];
    struct tn_answer a = tn_world_reg_list(c->w, c->tmp, DISPLAY_CLASS);
    uint32_t src = tn_probe_src(c->s, "reg", DISPLAY_CLASS, &a);
    for (size_t i = 0; i < a.n_entry && !tn_known(d->version); i++) {
        const char *key = tn_arena_printf(c->tmp, DISPLAY_CLASS "\\%s", a.entry[i].name);
        if (a.entry[i].type != 'd' || !tn_is_digit(a.entry[i].name[0]))
            continue;
        const char *who = tn_probe_reg(c, key, "ProviderName");
        const char *v = who && tn_str_starts(who, "NVIDIA") ? tn_probe_reg(c, key, "DriverVersion") : NULL;
        if (!v || !tn_version_windows_driver(v, text))
            continue;
        src = tn_snap_src(c->s, TN_KNOWN, NULL, "reg %s DriverVersion", key);
        d->version = tn_fact_str(c->s, src, text);
    }
    if (!tn_known(d->version)) {
        struct tn_str v = tn_probe_reg_fact(c, UNINSTALL, "DisplayVersion");
        if (tn_known(v))
            d->version = v;
        else
            d->version = tn_fact_nostr(src, a.got == TN_KNOWN ? TN_ABSENT : a.got);
    }
    for (size_t i = 0; i < c->s->gpu.n; i++) {
        const struct tn_rec_gpu *g = &c->s->gpu.v[i];
        bool stopped = g->problem.k == TN_KNOWN && g->problem.v != 0;
        if (tn_says(g->vendor, "nvidia") && tn_known(g->bound) && tn_known(d->version) && !tn_is(d->loaded, 1))
            d->loaded =
                tn_fact_int(stopped ? g->problem.src : g->bound.src, tn_str_ieq(g->bound.v, "nvlddmkm") && !stopped);
    }
}

static void look(struct tn_probe_ctx *c)
{
    struct tn_rec_driver *d = TN_THE(c->s, driver);
    if (tn_probe_is_windows(c)) {
        look_windows(c, d);
    } else {
        look_module(c, d);
        look_other(c, d);
        look_uvm(c, d);
        look_firmware(c, d);
    }
    look_smi(c, d);
    if (tn_known(d->version))
        d->cuda = tn_probe_cuda_of_driver(c->s, d->version.v);
}

TN_PROBE(driver, TN_PHASE_DRIVER, look, "driver version, flavour, ceiling; from /proc, /sys, the registry",
         .gives = TN_HAS(driver), .reads = TN_HAS(gpu));
