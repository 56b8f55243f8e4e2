/* host.c - the machine and its system: what it runs, on which C library, and who looks.
 *
 * Invariant: in another root folder only what its files say; the running machine is never mixed in. */
#include <string.h>

#include "base/str.h"
#include "image/elf.h"
#include "probe/ask.h"
#include "version/dotted.h"

#define NT "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion"
#define SECURE_BOOT "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define APK_DB "/lib/apk/db/installed"

/* "5.15.153.1-microsoft-standard-WSL2", "4.4.0-19041-Microsoft". WSL 1 writes the capital and has no Linux kernel
 * below it; WSL 2 is a kernel of its own (kernel sources of microsoft/WSL2-Linux-Kernel; WSL documentation). */
static void look_wsl(struct tn_probe_ctx *c, struct tn_rec_host *h)
{
    uint32_t src = h->kernel.src;
    const char *dxg = "/dev/dxg";
    if (h->kernel.k != TN_KNOWN)
        return;
    const char *r = h->kernel.v;
    if (strstr(r, "WSL2") || strstr(r, "microsoft-standard")) {
        h->wsl = tn_fact_int(src, 2);
    } else if (tn_str_ends(r, "-Microsoft")) {
        uint64_t build;
        const char *dash = strchr(r, '-');
        h->wsl = tn_fact_int(src, 1);
        if (tn_str_u64(dash + 1, strcspn(dash + 1, "-"), 10, &build))
            h->os_build = tn_fact_int(src, (int64_t)build);
    } else { /* a kernel that its user built has any name */
        struct tn_answer a = tn_world_stat(c->w, dxg);
        bool wsl2 = a.got == TN_KNOWN && tn_world_is_dir(c->w, "/usr/lib/wsl/lib");
        h->wsl = tn_fact_int(a.got == TN_KNOWN ? tn_probe_src(c->s, "stat", dxg, &a) : src, wsl2 ? 2 : 0);
    }
}

/* The release that the kernel states; in a root folder that of the only kernel that is installed. */
static void look_kernel(struct tn_probe_ctx *c, struct tn_rec_host *h)
{
    static const char modules[] = "/lib/modules";
    h->kernel = tn_probe_sys_fact(c, "release");
    if (h->kernel.k == TN_UNASKED) {
        struct tn_str f = tn_probe_line_fact(c, "/proc/sys/kernel/osrelease");
        if (f.k == TN_KNOWN)
            h->kernel = f;
    }
    if (h->kernel.k == TN_UNASKED) {
        struct tn_answer a = tn_world_list(c->w, c->tmp, modules);
        if (a.got == TN_KNOWN && a.n_entry == 1)
            h->kernel = tn_fact_str(c->s, tn_probe_src(c->s, "list", modules, &a), a.entry[0].name);
    }
}

static struct tn_str unquoted(struct tn_probe_ctx *c, uint32_t src, struct tn_span v)
{
    if (v.n >= 2 && (v.p[0] == '"' || v.p[0] == '\'') && v.p[v.n - 1] == v.p[0])
        v = tn_span_of(v.p + 1, v.n - 2);
    return v.n ? tn_fact_strn(c->s, src, v.p, v.n) : tn_fact_nostr(src, TN_ABSENT);
}

/* os-release(5): /etc first, then /usr/lib. */
static void look_distro(struct tn_probe_ctx *c, struct tn_rec_host *h)
{
    const char *path = "/etc/os-release";
    struct tn_answer a = tn_world_read(c->w, c->tmp, path, 16384);
    if (a.got == TN_ABSENT) {
        path = "/usr/lib/os-release";
        a = tn_world_read(c->w, c->tmp, path, 16384);
    }
    uint32_t src = tn_probe_src(c->s, "read", path, &a);
    if (a.got == TN_KNOWN) {
        h->distro = unquoted(c, src, tn_probe_pair(a.data, "ID", '='));
        h->distro_version = unquoted(c, src, tn_probe_pair(a.data, "VERSION_ID", '='));
    } else {
        h->distro = tn_fact_nostr(src, a.got);
        h->distro_version = tn_fact_nostr(src, a.got);
    }
}

/* What the programs of a root folder were built for. */
static void look_arch(struct tn_probe_ctx *c, struct tn_rec_host *h)
{
    static const char *const programs[] = {"/bin/sh", "/usr/bin/env", "/sbin/ldconfig", "/bin/busybox"};
    h->arch = tn_probe_sys_fact(c, "arch");
    for (unsigned i = 0; i < TN_LEN(programs) && h->arch.k == TN_UNASKED; i++) {
        uint8_t cls, data;
        uint16_t machine;
        struct tn_answer a = tn_world_part(c->w, c->tmp, programs[i], 0, 64);
        if (a.got != TN_KNOWN || !tn_span_starts(a.data, "\177ELF") || !tn_span_u8(a.data, 4, &cls) ||
            !tn_span_u8(a.data, 5, &data) || !tn_span_u16(a.data, 18, data == 2, &machine))
            continue;
        const char *name = machine == TN_EM_X86_64    ? "x86_64"
                           : machine == TN_EM_AARCH64 ? "aarch64"
                           : machine == TN_EM_386     ? "i686"
                           : machine == TN_EM_ARM     ? "armv7l"
                           : machine == TN_EM_PPC64   ? (data == 2 ? "ppc64" : "ppc64le")
                                                      : NULL;
        if (name)
            h->arch = tn_fact_str(c->s, tn_probe_src(c->s, "read", programs[i], &a), name);
    }
}

/* The newest GLIBC_x.y that the library defines is its release: glibc adds one node a release since 2.0, and
 * distributions do not backport nodes (glibc, "Versions" files). The file name said it up to 2.33: libc-2.31.so. */
static struct tn_str glibc_version(struct tn_probe_ctx *c, const char *path)
{
    struct tn_world_file f;
    struct tn_elf e;
    struct tn_err err;
    enum tn_know got;
    const char *best = NULL;
    struct tn_str none = {0};
    if (tn_world_open(c->w, c->tmp, path, &f, &got, &err))
        return tn_fact_nostr(tn_snap_src(c->s, got, err.text, "read %s", path), got);
    if (tn_image_elf_open(&f.view, c->tmp, &e, &err))
        return tn_fact_nostr(tn_snap_src(c->s, TN_FAILED, err.text, "read %s", path), TN_FAILED);
    for (size_t i = 0; i < e.n_defines; i++) {
        const char *v = e.defines[i];
        if (tn_str_starts(v, "GLIBC_") && tn_is_digit(v[6]) && (!best || tn_version_dotted_cmp(v + 6, best) > 0))
            best = v + 6;
    }
    return best ? tn_fact_str(c->s, tn_snap_src(c->s, TN_KNOWN, NULL, "read %s", path), best) : none;
}

/* musl carries no version node; Alpine's package database names it. */
static struct tn_str musl_version(struct tn_probe_ctx *c)
{
    struct tn_str none = {0};
    struct tn_answer a = tn_world_read(c->w, c->tmp, APK_DB, 8u << 20);
    size_t at = a.got == TN_KNOWN ? tn_span_find(a.data, 0, "\nP:musl\n", 8) : SIZE_MAX;
    if (at == SIZE_MAX)
        return none;
    struct tn_span rest = tn_span_from(a.data, at + 1), line;
    while (tn_span_line(&rest, &line) && line.n)
        if (tn_span_starts(line, "V:"))
            return tn_fact_strn(c->s, tn_probe_src(c->s, "read", APK_DB, &a), line.p + 2, line.n - 2);
    return none;
}

static void look_libc(struct tn_probe_ctx *c, struct tn_rec_host *h)
{
    const char *arch = tn_known(h->arch) ? h->arch.v : "x86_64";
    const char *paths[] = {tn_arena_printf(c->tmp, "/lib/%s-linux-gnu/libc.so.6", arch), "/lib64/libc.so.6",
                           "/lib/libc.so.6", "/usr/lib64/libc.so.6", "/usr/lib/libc.so.6"};
    for (unsigned i = 0; i < TN_LEN(paths); i++) {
        struct tn_answer a = tn_world_stat(c->w, paths[i]);
        if (a.got == TN_ABSENT || a.got == TN_UNASKED)
            continue;
        uint32_t src = tn_probe_src(c->s, "stat", paths[i], &a);
        h->libc = a.got == TN_KNOWN ? tn_fact_str(c->s, src, "glibc") : tn_fact_nostr(src, a.got);
        h->libc_version = a.got == TN_KNOWN ? glibc_version(c, paths[i]) : tn_fact_nostr(src, a.got);
        return;
    }
    const char *musl = tn_arena_printf(c->tmp, "/lib/ld-musl-%s.so.1", arch);
    struct tn_answer a = tn_world_stat(c->w, musl);
    uint32_t src = tn_probe_src(c->s, "stat", musl, &a);
    h->libc = a.got == TN_KNOWN ? tn_fact_str(c->s, src, "musl") : tn_fact_nostr(src, a.got);
    if (a.got == TN_KNOWN)
        h->libc_version = musl_version(c);
}

/* No /proc/modules where /proc is there: a kernel built without CONFIG_MODULES (kernel/module/procfs.c). */
static void look_modules(struct tn_probe_ctx *c, struct tn_rec_host *h)
{
    static const char path[] = "/proc/modules";
    struct tn_answer a = tn_world_stat(c->w, path);
    if (a.got == TN_ABSENT && !tn_probe_running(c))
        return;
    uint32_t src = tn_probe_src(c->s, "stat", path, &a);
    h->modules =
        a.got == TN_KNOWN || a.got == TN_ABSENT ? tn_fact_int(src, a.got == TN_KNOWN) : tn_fact_noint(src, a.got);
}

/* Four bytes of attributes, then 1 when on (UEFI specification, "Globally Defined Variables"; efivarfs). Containers
 * mask /sys/firmware with an empty folder: there nothing was looked at. */
static void look_secure_boot(struct tn_probe_ctx *c, struct tn_rec_host *h)
{
    struct tn_answer a = tn_world_read(c->w, c->tmp, SECURE_BOOT, 16);
    uint32_t src;
    uint8_t on;
    if (a.got == TN_ABSENT) {
        struct tn_answer fw = tn_world_list(c->w, c->tmp, "/sys/firmware");
        bool efi = tn_world_is_dir(c->w, "/sys/firmware/efi");
        if (fw.got != TN_KNOWN || fw.n_entry == 0)
            return;
        if (efi) {
            struct tn_answer vars = tn_world_list(c->w, c->tmp, "/sys/firmware/efi/efivars");
            if (vars.got != TN_KNOWN || vars.n_entry == 0) /* not mounted */
                return;
        }
    }
    src = tn_probe_src(c->s, "read", SECURE_BOOT, &a);
    if (a.got != TN_KNOWN)
        h->secure_boot = tn_fact_noint(src, a.got);
    else if (tn_span_u8(a.data, 4, &on))
        h->secure_boot = tn_fact_int(src, on == 1);
    else
        h->secure_boot = tn_fact_noint(src, TN_FAILED);
}

/* Key names as Windows has them since 8: CurrentBuildNumber is text, the Secure Boot state a number. */
static void look_windows(struct tn_probe_ctx *c, struct tn_rec_host *h)
{
    static const char sb[] = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\SecureBoot\\State";
    uint64_t n;
    h->kernel = tn_probe_sys_fact(c, "release");
    struct tn_str build = tn_probe_reg_fact(c, NT, "CurrentBuildNumber");
    if (build.k == TN_KNOWN && tn_str_u64(build.v, strlen(build.v), 10, &n)) {
        h->os_build = tn_fact_int(build.src, (int64_t)n);
        if (h->kernel.k != TN_KNOWN)
            h->kernel = tn_fact_str(c->s, build.src, tn_arena_printf(c->tmp, "10.0.%u", (unsigned)n));
    } else if (tn_known(h->kernel)) {
        const char *dot = strrchr(h->kernel.v, '.');
        if (dot && tn_str_u64(dot + 1, strlen(dot + 1), 10, &n))
            h->os_build = tn_fact_int(h->kernel.src, (int64_t)n);
    }
    h->distro = tn_probe_reg_fact(c, NT, "EditionID");
    h->distro_version = tn_probe_reg_fact(c, NT, "DisplayVersion");
    h->arch = tn_probe_sys_fact(c, "arch");
    h->wsl = tn_fact_int(h->os.src, 0);
    struct tn_str on = tn_probe_reg_fact(c, sb, "UEFISecureBootEnabled");
    h->secure_boot = on.k == TN_KNOWN ? tn_fact_int(on.src, tn_str_eq(on.v, "1")) : tn_fact_noint(on.src, on.k);
}

static void look(struct tn_probe_ctx *c)
{
    struct tn_rec_host *h = TN_THE(c->s, host);
    bool win = tn_probe_is_windows(c);
    h->os = tn_probe_sys_fact(c, "os");
    if (h->os.k != TN_KNOWN)
        h->os = tn_fact_str(c->s, h->os.src, c->w->os);
    h->name = tn_probe_sys_fact(c, "node");
    if (h->name.k == TN_UNASKED && !win)
        h->name = tn_probe_line_fact(c, "/etc/hostname");
    struct tn_str root = tn_probe_sys_fact(c, "root");
    h->root = root.k == TN_KNOWN ? tn_fact_int(root.src, tn_str_eq(root.v, "1")) : tn_fact_noint(root.src, root.k);
    h->user = tn_probe_env_fact(c, win ? "USERNAME" : "USER");
    if (h->user.k == TN_ABSENT && !win)
        h->user = tn_probe_env_fact(c, "LOGNAME");
    h->home = tn_probe_env_fact(c, win ? "USERPROFILE" : "HOME");
    if (win) {
        look_windows(c, h);
        return;
    }
    look_kernel(c, h);
    look_wsl(c, h);
    look_distro(c, h);
    look_arch(c, h);
    look_libc(c, h);
    look_modules(c, h);
    look_secure_boot(c, h);
}

TN_PROBE(host, TN_PHASE_HOST, look, "system, kernel, C library, rights; from /etc/os-release, /proc, the registry",
         .gives = TN_HAS(host));
