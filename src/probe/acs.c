/* acs.c - access control services (ACS) of the bridges above a card.
 *
 * A bridge that redirects requests or completions sends what one card writes to another through the root of the bus:
 * slower, and not at all where the root refuses it (NCCL User Guide, "Troubleshooting", "PCI Access Control Services").
 * Where: the configuration space of each bridge on the card's path; extended capabilities begin at 0x100, that of ACS
 * is 0x000d, its control register 6 bytes behind, bits 2 and 3 the redirections (Linux, pci_regs.h: PCI_EXT_CAP_ID_ACS,
 * PCI_ACS_CTRL, PCI_ACS_RR, PCI_ACS_CR). Without root the kernel shows 64 bytes: that is "denied". */
#include "probe/acs.h"

#include <string.h>

#include "base/str.h"

#define MAX_BRIDGES 16u
#define CONFIG_SIZE 4096u
#define EXTENDED 0x100u
#define ACS 0x000Du
#define REDIRECTS 0x000Cu

static unsigned word_at(struct tn_span s, size_t at)
{
    return at + 2 <= s.n ? s.p[at] | (unsigned)s.p[at + 1] << 8 : 0;
}

/* Where ACS stands in a configuration space; 0 without it. The list is bounded: a bridge may be broken. */
static size_t find_acs(struct tn_span config)
{
    size_t at = EXTENDED;
    for (unsigned i = 0; i < 64 && at >= EXTENDED && at + 8 <= config.n; i++) {
        if (word_at(config, at) == ACS)
            return at;
        at = word_at(config, at + 2) >> 4 & 0xFFC;
    }
    return 0;
}

/* "0000:3a:00.0" */
static bool is_address(const char *p, size_t n)
{
    return n == 12 && p[4] == ':' && p[7] == ':' && p[10] == '.';
}

void tn_probe_acs(struct tn_probe_ctx *c, struct tn_rec_gpu *g, const char *dir)
{
    struct tn_answer link = tn_world_link(c->w, c->tmp, dir);
    uint32_t src = tn_probe_src(c->s, "link", dir, &link), from = src;
    const char *word = NULL;
    enum tn_know worst = TN_ABSENT;
    if (link.got != TN_KNOWN) {
        g->acs = tn_fact_nostr(src, link.got);
        return;
    }
    /* "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0": the last is the card itself. */
    const char *p = (const char *)link.data.p, *slash;
    for (unsigned i = 0; i < MAX_BRIDGES && (slash = strchr(p, '/')); p = slash + 1) {
        if (!is_address(p, (size_t)(slash - p)))
            continue;
        i++;
        const char *path = tn_arena_printf(c->tmp, "/sys/bus/pci/devices/%.12s/config", p);
        struct tn_answer a = tn_world_part(c->w, c->tmp, path, 0, CONFIG_SIZE);
        uint32_t read = tn_probe_src(c->s, "read", path, &a);
        size_t at = a.got == TN_KNOWN ? find_acs(a.data) : 0;
        if (a.got == TN_KNOWN && a.data.n <= 64)
            a.got = TN_DENIED;
        if (at && (word_at(a.data, at + 6) & REDIRECTS)) {
            g->acs = tn_fact_str(c->s, read, "redirects");
            return;
        }
        if (at) {
            word = "direct";
            from = read;
        } else if (a.got != TN_KNOWN && a.got != TN_ABSENT) {
            worst = a.got;
            src = read;
        }
    }
    g->acs = word && worst == TN_ABSENT ? tn_fact_str(c->s, from, word) : tn_fact_nostr(src, worst);
}
