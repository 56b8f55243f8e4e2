/* license.c - which licence a guest with a vGPU asks for, and where it would get it: /etc/nvidia/gridd.conf.
 *
 * Only in a whole snapshot: whether the licence is there the driver says (gpu.license). NVIDIA vGPU software, "Client
 * Licensing User Guide": FeatureType 0 to 4; tokens (*.tok) in ClientConfigTokenPath, else
 * /etc/nvidia/ClientConfigToken; ServerAddress of the licence servers before tokens. The server's name is not kept. */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"

#define SETTINGS "/etc/nvidia/gridd.conf"
#define TOKENS "/etc/nvidia/ClientConfigToken"

static struct tn_span value(struct tn_span text, const char *key)
{
    struct tn_span v = tn_probe_pair(text, key, '=');
    if (v.n >= 2 && v.p[0] == '"' && v.p[v.n - 1] == '"')
        v = tn_span_of(v.p + 1, v.n - 2);
    return v;
}

static const char *feature_of(struct tn_span v)
{
    static const char *const words[] = {"none", "vgpu", "vws", NULL, "compute"};
    unsigned n = v.n == 1 && tn_is_digit((char)v.p[0]) ? (unsigned)(v.p[0] - '0') : TN_LEN(words);
    return n < TN_LEN(words) ? words[n] : NULL;
}

static void look_source(struct tn_probe_ctx *c, struct tn_rec_driver *d, struct tn_span text, uint32_t src)
{
    struct tn_span named = value(text, "ClientConfigTokenPath");
    const char *dir = named.n ? tn_arena_strndup(c->tmp, (const char *)named.p, named.n) : TOKENS;
    if (!tn_path_is_abs(c->w->style, dir))
        dir = TOKENS;
    struct tn_answer a = tn_world_list(c->w, c->tmp, dir);
    for (size_t i = 0; i < a.n_entry; i++)
        if (tn_str_ends(a.entry[i].name, ".tok")) {
            d->license_from = tn_fact_str(c->s, tn_probe_src(c->s, "list", dir, &a), "token");
            return;
        }
    if (value(text, "ServerAddress").n)
        d->license_from = tn_fact_str(c->s, src, "server");
    else
        d->license_from = tn_fact_nostr(tn_probe_src(c->s, "list", dir, &a), a.got == TN_KNOWN ? TN_ABSENT : a.got);
}

static void look(struct tn_probe_ctx *c)
{
    struct tn_rec_driver *d = TN_THE(c->s, driver);
    if (tn_probe_is_windows(c) || (c->want && c->want->plain))
        return;
    struct tn_answer a = tn_world_read(c->w, c->tmp, SETTINGS, 65536);
    if (a.got == TN_UNASKED)
        return;
    uint32_t src = tn_probe_src(c->s, "read", SETTINGS, &a);
    struct tn_span text = a.data.n < 65536 ? a.data : tn_probe_whole(a.data), feature = value(text, "FeatureType");
    if (a.got != TN_KNOWN) {
        d->license_feature = d->license_from = tn_fact_nostr(src, a.got);
        return;
    }
    const char *word = feature_of(feature);
    d->license_feature = word ? tn_fact_str(c->s, src, word) : tn_fact_nostr(src, feature.n ? TN_FAILED : TN_ABSENT);
    look_source(c, d, text, src);
}

TN_PROBE(license, TN_PHASE_DRIVER, look, "which licence a vGPU asks for; from gridd.conf", .gives = TN_HAS(driver));
