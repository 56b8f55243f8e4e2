/* device_rules.c - the list of allowed devices of our own control group.
 *
 * Version 1 shows it: devices.list says "a *:* rwm" where all is allowed that is not excepted (exceptions are not
 * shown), else one line for each device that is allowed, so what such a list lacks is forbidden (kernel,
 * security/device_cgroup.c, devcgroup_seq_show). Version 2 has a BPF program in its place, which nobody can read
 * (cgroup-v2.rst, "Device controller"). Where our group lies: cgroups(7), /proc/PID/cgroup; proc(5), mountinfo. */
#include "probe/device_rules.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"

/* The text up to the next separator; the rest begins behind it. */
static struct tn_span upto(struct tn_span *rest, char sep)
{
    size_t n = 0;
    while (n < rest->n && rest->p[n] != (unsigned char)sep)
        n++;
    struct tn_span head = tn_span_of(rest->p, n);
    *rest = tn_span_from(*rest, n < rest->n ? n + 1 : n);
    return head;
}

static bool lists_devices(struct tn_span words)
{
    while (words.n)
        if (tn_span_eq(upto(&words, ','), "devices"))
            return true;
    return false;
}

/* "7:devices:/docker/ID" of /proc/self/cgroup: the path. */
static bool own_group(struct tn_span text, struct tn_span *ret)
{
    struct tn_span line;
    while (tn_span_line(&text, &line)) {
        upto(&line, ':');
        if (!lists_devices(upto(&line, ':')))
            continue;
        *ret = line;
        return line.n > 0 && line.p[0] == '/';
    }
    return false;
}

/* Where a mount of that hierarchy shows the group: its root is a folder above, or the group itself. */
static const char *list_path(struct tn_arena *mem, struct tn_span mounts, struct tn_span group)
{
    struct tn_span line;
    while (tn_span_line(&mounts, &line)) {
        size_t dash = tn_span_find(line, 0, " - cgroup ", 10);
        if (dash == SIZE_MAX)
            continue;
        struct tn_span tail = tn_span_from(line, dash + 10);
        upto(&tail, ' ');
        if (!lists_devices(tail))
            continue;
        for (unsigned i = 0; i < 3; i++)
            upto(&line, ' ');
        struct tn_span root = upto(&line, ' '), at = upto(&line, ' ');
        if (root.n == 1)
            root.n = 0; /* "/" lies above all */
        if (root.n > group.n || (root.n && memcmp(root.p, group.p, root.n) != 0))
            continue;
        struct tn_span below = tn_span_from(group, root.n);
        if (below.n && below.p[0] != '/')
            continue;
        return tn_arena_printf(mem, "%.*s%.*s/devices.list", (int)at.n, (const char *)at.p,
                               below.n == 1 ? 0 : (int)below.n, (const char *)below.p);
    }
    return NULL;
}

void tn_probe_device_rules(struct tn_probe_ctx *c, struct tn_device_rules *ret)
{
    struct tn_span group;
    struct tn_answer a = tn_world_read(c->w, c->tmp, "/proc/self/cgroup", TN_MAX_SMALL_FILE), m;
    memset(ret, 0, sizeof *ret);
    if (a.got == TN_UNASKED)
        return;
    ret->src = tn_probe_src(c->s, "read", "/proc/self/cgroup", &a);
    ret->got = a.got == TN_KNOWN ? TN_ABSENT : a.got;
    if (a.got != TN_KNOWN || !own_group(a.data, &group))
        return;
    m = tn_world_read(c->w, c->tmp, "/proc/self/mountinfo", TN_MAX_SMALL_FILE);
    const char *path = m.got == TN_KNOWN ? list_path(c->tmp, m.data, group) : NULL;
    if (!path)
        return;
    a = tn_world_read(c->w, c->tmp, path, TN_MAX_SMALL_FILE);
    ret->src = tn_probe_src(c->s, "read", path, &a);
    bool cut = a.data.n && a.data.p[a.data.n - 1] != '\n'; /* what is missing would be forbidden */
    ret->got = a.got == TN_KNOWN && cut ? TN_FAILED : a.got;
    ret->text = a.data;
}

static bool number_is(struct tn_span text, uint32_t wanted)
{
    uint64_t v;
    return tn_span_eq(text, "*") || (tn_str_u64((const char *)text.p, text.n, 10, &v) && v == wanted);
}

static bool has_letter(struct tn_span text, char letter)
{
    return text.n && memchr(text.p, letter, text.n) != NULL;
}

bool tn_device_rules_allow(struct tn_span list, uint32_t major, uint32_t minor)
{
    struct tn_span line;
    while (tn_span_line(&list, &line)) { /* "c 195:255 rw" */
        struct tn_span type = upto(&line, ' '), ma = upto(&line, ':'), mi = upto(&line, ' ');
        if ((tn_span_eq(type, "a") || tn_span_eq(type, "c")) && number_is(ma, major) && number_is(mi, minor) &&
            has_letter(line, 'r') && has_letter(line, 'w'))
            return true;
    }
    return false;
}
