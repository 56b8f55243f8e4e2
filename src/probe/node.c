/* node.c - device nodes of GPU drivers, and whether the user who looks may use them.
 *
 * Invariant: no node is opened; opening may load modules or wake a card. Access is worked out from mode, owner and
 * groups, and apart from that out of the device rules of the control group: lists of rights can still say otherwise. */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"
#include "probe/device_rules.h"

#define MAX_NODES 512u

struct looker {
    bool known, root, groups_known;
    uint64_t uid;
    struct tn_span groups; /* "Groups:" and "Gid:" of /proc/self/status */
    struct tn_span gid;
    uint32_t src;
    bool rules_asked;
    struct tn_device_rules rules;
};

static void look_self(struct tn_probe_ctx *c, struct looker *l)
{
    struct tn_answer uid = tn_world_sys(c->w, c->tmp, "uid"), a;
    memset(l, 0, sizeof *l);
    l->known = uid.got == TN_KNOWN && tn_str_u64((const char *)uid.data.p, uid.data.n, 10, &l->uid);
    l->src = tn_probe_src(c->s, "sys", "uid", &uid);
    l->root = l->known && l->uid == 0;
    if (!l->known || l->root)
        return;
    a = tn_world_read(c->w, c->tmp, "/proc/self/status", 8192);
    l->groups_known = a.got == TN_KNOWN;
    l->groups = tn_probe_pair(a.data, "Groups", ':');
    l->gid = tn_probe_pair(a.data, "Gid", ':');
}

static bool holds_id(struct tn_span list, uint32_t id)
{
    for (size_t i = 0, n; i < list.n; i += n + 1) {
        uint64_t v;
        for (n = 0; i + n < list.n && list.p[i + n] != ' ' && list.p[i + n] != '\t';)
            n++;
        if (n && tn_str_u64((const char *)list.p + i, n, 10, &v) && v == id)
            return true;
    }
    return false;
}

/* As the kernel decides: the owner's bits for the owner, the group's for its members, else the rest
 * (path_resolution(7)). Read and write: the driver's libraries open nodes with O_RDWR. */
static struct tn_int accessible(const struct looker *l, const struct tn_stat *st)
{
    struct tn_int none = {0};
    unsigned owner = st->mode >> 6 & 6, group = st->mode >> 3 & 6, other = st->mode & 6;
    if (!l->known)
        return none;
    if (l->root)
        return tn_fact_int(l->src, 1);
    if (l->uid == st->uid)
        return tn_fact_int(l->src, owner == 6);
    if (group == other)
        return tn_fact_int(l->src, other == 6);
    if (!l->groups_known)
        return none;
    bool member = holds_id(l->groups, st->gid) || holds_id(l->gid, st->gid);
    return tn_fact_int(l->src, (member ? group : other) == 6);
}

/* "video:x:44:ada" of /etc/group; asked only for a node that the looker may not use. */
static struct tn_str group_name(struct tn_probe_ctx *c, uint32_t gid)
{
    struct tn_str none = {0};
    struct tn_answer a = tn_world_read(c->w, c->tmp, "/etc/group", 1u << 20);
    struct tn_span text = a.data, line;
    const char *end = tn_arena_printf(c->tmp, ":%u:", gid);
    while (a.got == TN_KNOWN && tn_span_line(&text, &line)) {
        size_t name = tn_span_find(line, 0, ":", 1);
        size_t second = name == SIZE_MAX ? SIZE_MAX : tn_span_find(line, name + 1, ":", 1);
        if (second != SIZE_MAX && name > 0 && tn_span_starts(tn_span_from(line, second), end))
            return tn_fact_strn(c->s, tn_probe_src(c->s, "read", "/etc/group", &a), line.p, name);
    }
    return none;
}

/* Read once, and only where there is a node. */
static struct tn_int allowed(struct tn_probe_ctx *c, struct looker *l, const struct tn_stat *st)
{
    struct tn_int none = {0};
    if (!l->rules_asked)
        tn_probe_device_rules(c, &l->rules);
    l->rules_asked = true;
    if (l->rules.got == TN_KNOWN)
        return tn_fact_int(l->rules.src, tn_device_rules_allow(l->rules.text, st->major, st->minor));
    return l->rules.got == TN_UNASKED ? none : tn_fact_noint(l->rules.src, l->rules.got);
}

static void add(struct tn_probe_ctx *c, struct looker *l, const char *path)
{
    struct tn_answer a = tn_world_lstat(c->w, path), behind;
    if (a.got == TN_KNOWN && a.st.type == 'l') { /* a link to a device serves as well */
        behind = tn_world_stat(c->w, path);
        if (behind.got == TN_KNOWN && behind.st.type == 'c')
            a = behind;
    }
    if (c->s->node.n >= MAX_NODES)
        return;
    struct tn_rec_node *n = TN_ADD(c->s, node);
    uint32_t src = tn_probe_src(c->s, "stat", path, &a);
    n->path = tn_fact_str(c->s, src, path);
    if (a.got != TN_KNOWN) {
        n->type = tn_fact_nostr(src, a.got);
        n->mode = n->major = n->minor = tn_fact_noint(src, a.got);
        return;
    }
    n->type = tn_fact_str(c->s, src, tn_arena_printf(c->tmp, "%c", a.st.type == 'f' ? '-' : a.st.type));
    n->mode = tn_fact_int(src, a.st.mode);
    if (a.st.type == 'c') {
        n->major = tn_fact_int(src, a.st.major);
        n->minor = tn_fact_int(src, a.st.minor);
        n->allowed = allowed(c, l, &a.st);
    }
    n->accessible = accessible(l, &a.st);
    n->gid = tn_fact_int(src, a.st.gid);
    n->uid = tn_fact_int(src, a.st.uid);
    if (tn_is(n->accessible, 0))
        n->group = group_name(c, a.st.gid);
}

static bool is_node(const void *ctx, const char *name)
{
    (void)ctx;
    return tn_str_starts(name, "nvidia") || tn_str_eq(name, "dxg");
}

static void look(struct tn_probe_ctx *c)
{
    struct looker l;
    if (tn_probe_is_windows(c))
        return;
    struct tn_answer a = tn_world_list_some(c->w, c->tmp, "/dev", is_node, NULL);
    look_self(c, &l);
    for (size_t i = 0; i < a.n_entry; i++) {
        const char *name = a.entry[i].name;
        if (!is_node(NULL, name))
            continue;
        const char *path = tn_arena_printf(c->tmp, "/dev/%s", name);
        if (a.entry[i].type != 'd' || !tn_str_starts(name, "nvidia-caps")) {
            add(c, &l, path);
            continue;
        }
        struct tn_answer in = tn_world_list(c->w, c->tmp, path); /* nvidia-caps, nvidia-caps-imex-channels */
        for (size_t k = 0; k < in.n_entry; k++)
            add(c, &l, tn_arena_printf(c->tmp, "%s/%s", path, in.entry[k].name));
    }
    c->s->node.src = tn_probe_src(c->s, "list", "/dev", &a);
    /* A folder that nothing runs in has no nodes, which says nothing. */
    c->s->node.listed = a.got == TN_KNOWN && !tn_probe_running(c) ? TN_UNASKED : a.got;
}

TN_PROBE(node, TN_PHASE_DRIVER, look, "device nodes and rights; from /dev", .gives = TN_HAS(node));
