/* runfile.c - has NVIDIA's own installer (NVIDIA-Linux-*.run) put a driver on this machine, and which?
 *
 * It keeps a list of what it installed for the day when it takes that away again: /var/lib/nvidia/log, whose first line
 * is "1.0-53530901 (535.309.01)"; the folder is removed with the driver (nvidia-installer, backup.c: init_backup,
 * create_backwards_compatible_version_string, do_uninstall). Only root may read it. Others learn the version from
 * /var/log/nvidia-installer.log, and believe it only while nvidia-uninstall, a link to the installer, is there and that
 * log ends well. A folder of this name without the list is something else's (clouds keep their driver there). */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/ask.h"
#include "probe/build_text.h"
#include "probe/owner.h"
#include "version/dotted.h"

#define UNINSTALL "/usr/bin/nvidia-uninstall"
#define INSTALLER_LOG "/var/log/nvidia-installer.log"
#define HEAD 256u

const char *tn_runfile_version(struct tn_span text, struct tn_arena *mem)
{
    struct tn_span line;
    if (!tn_span_line(&text, &line) || !tn_span_starts(line, "1.0-"))
        return NULL;
    size_t open = tn_span_find(line, 0, "(", 1), close = tn_span_find(line, 0, ")", 1);
    if (open == SIZE_MAX || close == SIZE_MAX || close < open + 2 || close - open > TN_MAX_VERSION_TEXT)
        return NULL;
    const char *v = tn_arena_strndup(mem, (const char *)line.p + open + 1, close - open - 1);
    return tn_version_dotted_ok(v) ? v : NULL;
}

/* The list may not be read: is the installer there, and what did it say last? */
static struct tn_str by_uninstaller(struct tn_probe_ctx *c, uint32_t denied)
{
    struct tn_build_log log;
    struct tn_answer a = tn_world_stat(c->w, UNINSTALL);
    if (a.got != TN_KNOWN)
        return tn_fact_nostr(tn_probe_src(c->s, "stat", UNINSTALL, &a), a.got);
    a = tn_world_read(c->w, c->tmp, INSTALLER_LOG, 16u << 20);
    if (a.got != TN_KNOWN)
        return tn_fact_nostr(denied, TN_DENIED);
    tn_build_installer_read(a.data, c->tmp, &log);
    if (!log.finished || log.error || !log.version || !tn_version_dotted_ok(log.version))
        return tn_fact_nostr(denied, TN_DENIED);
    return tn_fact_str(c->s, tn_probe_src(c->s, "read", INSTALLER_LOG, &a), log.version);
}

static void look(struct tn_probe_ctx *c)
{
    struct tn_str *f = &TN_THE(c->s, driver)->runfile;
    if (tn_probe_is_windows(c) || tn_probe_is_wsl(c))
        return;
    struct tn_answer a = tn_world_part(c->w, c->tmp, TN_RUNFILE_LOG, 0, HEAD);
    uint32_t src = tn_probe_src(c->s, "read", TN_RUNFILE_LOG, &a);
    const char *version = a.got == TN_KNOWN ? tn_runfile_version(a.data, c->tmp) : NULL;
    if (version)
        *f = tn_fact_str(c->s, src, version);
    else if (a.got == TN_DENIED)
        *f = by_uninstaller(c, src);
    else
        *f = tn_fact_nostr(src, a.got == TN_KNOWN ? TN_FAILED : a.got);
}

TN_PROBE(runfile, TN_PHASE_DRIVER, look, "a driver by NVIDIA's own installer; from /var/lib/nvidia/log",
         .gives = TN_HAS(driver));
