/* unreached.c - see unreached.h.
 *
 * Forms: pip 20 to 25 with urllib3 ("ProxyError('Cannot connect to proxy.'", "Unable to connect to proxy"; "Tunnel
 * connection failed: 407"; "Failed to resolve", "Name or service not known"), uv 0.2 to 0.9 with hyper ("tunnel error:
 * failed to create underlying connection", "tunnel error: proxy authorization required"; "dns error"). The first one
 * that matches counts. */
#include "cmd/unreached.h"

#include <string.h>

#include "base/str.h"
#include "cmd/applied.h"
#include "cmd/asker.h"
#include "strings.gen.h"

enum unreached { DEAD, LOCKED, NAMELESS };

static const struct sign {
    const char *form, *by;
    enum unreached what;
} signs[] = {
    {"Tunnel connection failed: 407", "pip", LOCKED},
    {"Proxy Authentication Required", "pip", LOCKED},
    {"Cannot connect to proxy", "pip", DEAD},
    {"Unable to connect to proxy", "pip", DEAD},
    {"proxy authorization required", "uv", LOCKED},
    {"tunnel error", "uv", DEAD},
    {"Failed to resolve", "pip", NAMELESS},
    {"Name or service not known", "pip", NAMELESS},
    {"Temporary failure in name resolution", "pip", NAMELESS},
    {"dns error", "uv", NAMELESS},
};

static const struct sign *sign_of(struct tn_span said)
{
    for (size_t i = 0; i < TN_LEN(signs); i++)
        if (tn_span_find(said, 0, signs[i].form, strlen(signs[i].form)) < said.n)
            return &signs[i];
    return NULL;
}

/* The installer's own setting goes before the environment's. NULL: neither is known. */
static const char *proxy_of(struct tn_cmd_ctx *c, const char *by, const char **ret_name)
{
    static const char *const names[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
                                        "http_proxy",  "HTTP_PROXY",  NULL};
    struct tn_online online = {0};
    struct tn_asker a = {.c = c, .ret = &online, .by = by};
    struct tn_err err;
    const char *proxy = NULL;
    if (tn_asker_settings(&a, &err) == 0 && a.other.proxy) {
        *ret_name = tn_s(c, tn_str_eq(by, "uv") ? TN_S_ap_proxy_uv : TN_S_ap_proxy_pip);
        return a.other.proxy;
    }
    for (const char *const *n = names; *n && !proxy; n++) {
        proxy = tn_os_env(c->mem, *n);
        *ret_name = *n;
    }
    return proxy && *proxy ? proxy : NULL;
}

void tn_unreached_say(struct tn_cmd_ctx *c, struct tn_span said)
{
    const struct sign *s = sign_of(said);
    const char *name = NULL;
    if (!s)
        return;
    if (s->what == NAMELESS) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_ap_unreached_nameless));
        return;
    }
    const char *proxy = proxy_of(c, s->by, &name);
    if (proxy)
        tn_applied_tell(c, s->what == LOCKED ? TN_S_ap_unreached_locked : TN_S_ap_unreached_dead, "proxy",
                        tn_asker_hop(c->mem, proxy), "name", name, NULL);
    else
        tn_cmd_say(c, "%s", tn_s(c, TN_S_ap_unreached_unknown));
}
