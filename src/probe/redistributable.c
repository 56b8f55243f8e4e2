/* redistributable.c - Windows: which Visual C++ redistributables are registered as installed.
 *
 * Source: Microsoft, "Redistributing Visual C++ files": SOFTWARE[\Wow6432Node]\Microsoft\VisualStudio\14.0\VC\Runtimes\
 * {x86|x64|ARM64}, values Installed (1) and Version ("v14.38.33130.00"). Packages write the one view or the other, most
 * of them both: the newest counts. What is registered need not be there: the files are rows of "library". */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"
#include "version/dotted.h"

#define RUNTIMES "Microsoft\\VisualStudio\\14.0\\VC\\Runtimes\\"

static const char *const views[] = {"HKLM\\SOFTWARE\\" RUNTIMES, "HKLM\\SOFTWARE\\Wow6432Node\\" RUNTIMES};

/* "v14.16.27033.00" as numbers; NULL for what is none. */
static const char *numbers(const char *version)
{
    version += *version == 'v' || *version == 'V';
    return tn_is_digit(*version) && strspn(version, "0123456789.") == strlen(version) ? version : NULL;
}

/* Known: ret holds what this view says of it, if anything. */
static enum tn_know look(struct tn_probe_ctx *c, const char *key, struct tn_str *ret)
{
    struct tn_answer there = tn_world_reg(c->w, c->tmp, key, "Installed");
    if (there.got != TN_KNOWN && there.got != TN_ABSENT)
        return there.got;
    if (there.got == TN_ABSENT || !tn_span_eq(there.data, "1"))
        return TN_KNOWN;
    struct tn_answer a = tn_world_reg(c->w, c->tmp, key, "Version");
    uint32_t src = tn_probe_src(c->s, "reg", key, &a);
    const char *version = a.got == TN_KNOWN ? numbers((const char *)a.data.p) : NULL;
    if (!version)
        *ret = ret->k == TN_KNOWN ? *ret : tn_fact_nostr(src, a.got == TN_KNOWN ? TN_FAILED : a.got);
    else if (!tn_known(*ret) || tn_version_dotted_cmp(version, ret->v) > 0)
        *ret = tn_fact_str(c->s, src, version);
    return TN_KNOWN;
}

static void run(struct tn_probe_ctx *c)
{
    static const char *const archs[] = {"x64", "x86", "arm64"};
    if (!tn_probe_is_windows(c))
        return;
    c->s->redistributable.listed = TN_KNOWN;
    for (unsigned i = 0; i < TN_LEN(archs); i++) {
        struct tn_str version = {0};
        for (unsigned v = 0; v < TN_LEN(views); v++) {
            enum tn_know got = look(c, tn_arena_printf(c->tmp, "%s%s", views[v], archs[i]), &version);
            if (got != TN_KNOWN)
                c->s->redistributable.listed = got;
        }
        if (version.k == TN_UNASKED)
            continue;
        struct tn_rec_redistributable *r = TN_ADD(c->s, redistributable);
        r->arch = tn_fact_str(c->s, version.src, archs[i]);
        r->version = version;
    }
}

TN_PROBE(redistributable, TN_PHASE_HOST, run, "Visual C++ redistributables that are registered as installed",
         .gives = TN_HAS(redistributable), .reads = TN_HAS(host));
