/* initrd.c - the start-up image of the running kernel: when it was made, and when the machine was started.
 *
 * It holds copies of modules and of modprobe.d's files (initramfs-tools(7), dracut(8), mkinitcpio(8)): one that is
 * older than those files starts the machine as they were. Asked where nouveau runs or the driver does; nothing is
 * opened. Names: Debian and Ubuntu initrd.img-KERNEL, Fedora initramfs-KERNEL.img, openSUSE initrd-KERNEL, Arch
 * initramfs-PACKAGE.img. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"

/* Arch names the image after the kernel's package: 6.10.3-arch1-1 is linux, 6.6.44-1-lts is linux-lts. */
static const char *arch_package(const char *kernel)
{
    static const char *const kinds[][2] = {
        {"-lts", "linux-lts"}, {"-zen", "linux-zen"}, {"-hardened", "linux-hardened"}, {"-arch", "linux"}};
    for (unsigned i = 0; i < TN_LEN(kinds); i++)
        if (strstr(kernel, kinds[i][0]))
            return kinds[i][1];
    return NULL;
}

static void look_image(struct tn_probe_ctx *c, struct tn_rec_host *h)
{
    const char *k = h->kernel.v, *package = arch_package(k);
    const char *names[] = {tn_arena_printf(c->tmp, "/boot/initrd.img-%s", k),
                           tn_arena_printf(c->tmp, "/boot/initramfs-%s.img", k),
                           tn_arena_printf(c->tmp, "/boot/initrd-%s", k),
                           package ? tn_arena_printf(c->tmp, "/boot/initramfs-%s.img", package) : NULL};
    for (unsigned i = 0; i < TN_LEN(names) && names[i]; i++) {
        struct tn_answer a = tn_world_stat(c->w, names[i]);
        if (a.got == TN_ABSENT || a.got == TN_UNASKED)
            continue;
        uint32_t src = tn_probe_src(c->s, "stat", names[i], &a);
        h->initrd = a.got == TN_KNOWN ? tn_fact_str(c->s, src, names[i]) : tn_fact_nostr(src, a.got);
        if (a.got != TN_KNOWN)
            h->initrd_s = tn_fact_noint(src, a.got);
        else if (a.st.mtime > 0) /* a record may hold a file without its time */
            h->initrd_s = tn_fact_int(src, a.st.mtime);
        return;
    }
}

/* A file of the future: the clock was set back since, and times of files tell no order. */
static void look_start(struct tn_probe_ctx *c, struct tn_rec_host *h)
{
    struct tn_answer a, clock = tn_world_sys(c->w, c->tmp, "clock");
    const char *uptime = tn_probe_line(c, "/proc/uptime", &a);
    double up = uptime ? strtod(uptime, NULL) : -1;
    uint64_t now;
    if (clock.got != TN_KNOWN || !tn_str_u64((const char *)clock.data.p, clock.data.n, 10, &now) ||
        !(up >= 0 && up < (double)now))
        return;
    uint32_t src = tn_probe_src(c->s, "read", "/proc/uptime", &a);
    bool back = (uint64_t)h->initrd_s.v > now;
    h->booted_s = back ? tn_fact_noint(src, TN_FAILED) : tn_fact_int(src, (int64_t)((double)now - up));
}

static void run(struct tn_probe_ctx *c)
{
    struct tn_rec_host *h = TN_THE(c->s, host);
    const struct tn_rec_driver *d = TN_THE(c->s, driver);
    bool card = false;
    for (size_t i = 0; i < c->s->gpu.n; i++)
        card = card || tn_says(c->s->gpu.v[i].vendor, "nvidia");
    if (tn_probe_is_windows(c) || tn_probe_is_wsl(c) || !card || tn_known(TN_THE(c->s, container)->kind) ||
        !tn_known(h->kernel) || !tn_probe_running(c) || !(tn_is(d->loaded, 1) || tn_known(d->other)))
        return;
    look_image(c, h);
    if (h->initrd_s.k == TN_KNOWN)
        look_start(c, h);
}

TN_PROBE(initrd, TN_PHASE_DRIVER, run, "when the start-up image was made; from /boot",
         .gives = TN_HAS(module) | TN_HAS(modprobe), .reads = TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(container));
