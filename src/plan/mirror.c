/* mirror.c - see steps.h: where the user's own settings take packages from. They are told, and never changed.
 *
 * conda: `-c conda-forge` is looked up in custom_channels, then below channel_alias, whatever --override-channels says,
 * which leaves out the list `channels` alone (conda, docs "Settings"; conda/models/channel.py). A mirror that stands in
 * `channels` as a whole URL is named as it stands there. The last row of a setting is the one that holds. */
#include <string.h>

#include "base/str.h"
#include "plan/steps.h"
#include "strings.gen.h"

static const struct tn_rec_config *setting(const struct tn_snap *s, const char *by, const char *key)
{
    const struct tn_rec_config *last = NULL;
    for (size_t i = 0; i < s->config.n; i++)
        if (tn_says(s->config.v[i].by, by) && tn_says(s->config.v[i].key, key) && tn_known(s->config.v[i].value))
            last = &s->config.v[i];
    return last;
}

/* "https://host/anaconda/cloud/conda-forge/" of `channels`; NULL. */
static const struct tn_rec_config *whole_url(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->config.n; i++) {
        const struct tn_rec_config *r = &s->config.v[i];
        if (!tn_says(r->by, "conda") || !tn_says(r->key, "channels") || !tn_known(r->value))
            continue;
        const char *v = r->value.v, *slash;
        size_t n = strlen(v);
        while (n && v[n - 1] == '/')
            n--;
        for (slash = v + n; slash > v && slash[-1] != '/';)
            slash--;
        if (tn_str_starts(v, "http") && n - (size_t)(slash - v) == strlen("conda-forge") &&
            strncmp(slash, "conda-forge", strlen("conda-forge")) == 0)
            return r;
    }
    return NULL;
}

/* What leads `-c conda-forge` elsewhere; NULL: nothing. */
static const struct tn_rec_config *leads(const struct tn_snap *s)
{
    const struct tn_rec_config *r = setting(s, "conda", "custom_channels.conda-forge");
    if (!r)
        r = setting(s, "conda", "channel_alias");
    return r;
}

const char *tn_plan_conda_channel(const struct tn_plan *p)
{
    const struct tn_rec_config *r = leads(p->machine.s) ? NULL : whole_url(p->machine.s);
    return r ? r->value.v : "conda-forge";
}

static void say(struct tn_arena *mem, const char *id, const struct tn_rec_config *r, struct tn_plan_says *ret)
{
    if (!r)
        return;
    struct tn_plan_say *s = tn_plan_says_add(ret, id);
    tn_plan_arg(mem, s, "url", "%s", r->value.v);
    tn_plan_arg(mem, s, "file", "%s", tn_known(r->path) ? r->path.v : tn_known(r->by) ? r->by.v : "");
}

void tn_plan_say_mirror(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_says *ret)
{
    const struct tn_snap *s = p->machine.s;
    bool conda = p->method == TN_METHOD_MIXED || p->method == TN_METHOD_CONDA;
    const struct tn_rec_config *channel = leads(s);
    if (conda)
        say(mem, TN_S_pl_why_channel, channel ? channel : whole_url(s), ret);
    if (p->method == TN_METHOD_UV)
        say(mem, TN_S_pl_why_index, setting(s, "uv", "index-url"), ret);
    else if (tn_plan_method_is_wheels(p->method) || p->method == TN_METHOD_MIXED)
        say(mem, TN_S_pl_why_index, setting(s, "pip", "index-url"), ret);
}
