/* signature.c - would the kernel trust the key that this machine signs its modules with?
 *
 * Asked only where Secure Boot is on, a card is there and its driver is not loaded (or a whole snapshot is wanted).
 * Sources: dkms script 3.0.10, prepare_signing (/var/lib/dkms/mok.pub; on Ubuntu shim's MOK.der); akmods
 * (/etc/pki/akmods/certs/public_key.der); shim (MokListRT, and MokListRT1 ... where the firmware allows
 * no longer variables: EFI signature lists that hold certificates as DER, behind
 * the four attribute bytes of efivarfs); UEFI specification (db). Certificates are compared byte by byte. */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"

#define VARS "/sys/firmware/efi/efivars"
#define MAX_LIST (1u << 20)
#define MIN_CERTIFICATE 128u

static const char *const keys[] = {"/var/lib/shim-signed/mok/MOK.der", "/var/lib/dkms/mok.pub",
                                   "/etc/pki/akmods/certs/public_key.der"};

/* Is it in this list? TN_KNOWN and *ret, or why that is not known. No such variable: nothing is enrolled there. */
static enum tn_know in_list(struct tn_probe_ctx *c, const char *path, struct tn_span key, bool *ret, uint32_t *ret_src)
{
    struct tn_answer a = tn_world_read(c->w, c->tmp, path, MAX_LIST);
    *ret = false;
    *ret_src = tn_probe_src(c->s, "read", path, &a);
    if (a.got == TN_ABSENT)
        return tn_world_is_dir(c->w, VARS) ? TN_KNOWN : TN_UNASKED;
    if (a.got == TN_KNOWN)
        *ret = tn_span_find(a.data, 4, key.p, key.n) != SIZE_MAX;
    return a.got;
}

static void look_key(struct tn_probe_ctx *c, struct tn_rec_host *h, const char *path, struct tn_span key, uint32_t src)
{
    static const char *const lists[] = {VARS "/MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23",
                                        VARS "/MokListRT1-605dab50-e046-4300-abb6-3dd810dd8b23", /* a long one */
                                        VARS "/MokListRT2-605dab50-e046-4300-abb6-3dd810dd8b23",
                                        VARS "/MokListRT3-605dab50-e046-4300-abb6-3dd810dd8b23",
                                        VARS "/db-d719b2cb-3d3a-4596-a3bc-dad00e67656f"};
    struct tn_int said = {0};
    for (unsigned i = 0; i < TN_LEN(lists); i++) {
        bool in;
        uint32_t at;
        enum tn_know got = in_list(c, lists[i], key, &in, &at);
        if (got == TN_KNOWN && in) {
            said = tn_fact_int(at, 1);
            break;
        }
        if (i == 0) /* whoever can read one can read the other */
            said = got == TN_KNOWN ? tn_fact_int(at, 0) : tn_fact_noint(at, got);
    }
    if (h->mok_enrolled.k == TN_KNOWN && (h->mok_enrolled.v == 1 || said.k != TN_KNOWN || said.v == 0))
        return; /* the first key counts, unless a later one is enrolled */
    h->mok_enrolled = said;
    h->mok_key = tn_fact_str(c->s, src, path);
}

static void look_keys(struct tn_probe_ctx *c, struct tn_rec_host *h)
{
    bool ubuntu = tn_says(h->distro, "ubuntu");
    for (unsigned i = 0; i < TN_LEN(keys); i++) {
        const char *path = keys[ubuntu ? i : (i + 1) % TN_LEN(keys)];
        struct tn_answer a = tn_world_read(c->w, c->tmp, path, 65536);
        if (a.got == TN_ABSENT || a.got == TN_UNASKED)
            continue;
        uint32_t src = tn_probe_src(c->s, "read", path, &a);
        if (a.got == TN_KNOWN && a.data.n >= MIN_CERTIFICATE && a.data.p[0] == 0x30) /* a DER sequence */
            look_key(c, h, path, a.data, src);
        else if (h->mok_enrolled.k == TN_UNASKED)
            h->mok_enrolled = tn_fact_noint(src, a.got == TN_KNOWN ? TN_FAILED : a.got);
    }
}

/* "none [integrity] confidentiality" (security/lockdown/lockdown.c) */
static void look_lockdown(struct tn_probe_ctx *c, struct tn_rec_host *h)
{
    static const char path[] = "/sys/kernel/security/lockdown";
    struct tn_answer a;
    const char *line = tn_probe_line(c, path, &a);
    const char *from = line ? strchr(line, '[') : NULL, *to = from ? strchr(from, ']') : NULL;
    if (a.got == TN_ABSENT || a.got == TN_UNASKED)
        return;
    uint32_t src = tn_probe_src(c->s, "read", path, &a);
    if (a.got != TN_KNOWN)
        h->lockdown = tn_fact_nostr(src, a.got);
    else
        h->lockdown = to ? tn_fact_strn(c->s, src, from + 1, (size_t)(to - from - 1)) : tn_fact_nostr(src, TN_FAILED);
}

static void run(struct tn_probe_ctx *c)
{
    struct tn_rec_host *h = TN_THE(c->s, host);
    bool card = false;
    for (size_t i = 0; i < c->s->gpu.n; i++)
        card = card || tn_says(c->s->gpu.v[i].vendor, "nvidia");
    if (tn_probe_is_windows(c) || tn_probe_is_wsl(c) || !card || !tn_probe_running(c))
        return;
    if (tn_is(TN_THE(c->s, driver)->loaded, 1) && c->want && c->want->plain)
        return;
    look_lockdown(c, h);
    if (tn_is(h->secure_boot, 1))
        look_keys(c, h);
}

TN_PROBE(signature, TN_PHASE_DRIVER, run, "is the key of the modules enrolled; from efivars, /var/lib/dkms",
         .gives = TN_HAS(module), .reads = TN_HAS(gpu) | TN_HAS(driver));
