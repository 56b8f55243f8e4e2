/* judge.c - see judge.h. */
#include "unpack/judge.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"

/* The largest real ones: 3 GB and 5,000 files (TensorFlow, cuDNN), 10 GB (a whole toolkit); ratios stay below 10. */
const struct tn_unpack_caps tn_unpack_caps = {
    .bytes = (uint64_t)32 << 30, .ratio = 200, .members = 200000, .depth = 48, .name = TN_MAX_NAME_BYTES, .path = 1024};

struct tn_unpack_slot {
    struct tn_unpack_slot *next;
    uint64_t hash;
    struct tn_unpack_entry *entry;
};

void tn_unpack_judge_init(struct tn_unpack_judge *j, struct tn_arena *mem, uint64_t seed)
{
    memset(j, 0, sizeof *j);
    j->mem = mem;
    j->caps = tn_unpack_caps;
    j->seed = seed;
    j->n_slot = 4096;
    j->slot = tn_arena_array(mem, j->n_slot, sizeof(struct tn_unpack_slot *));
}

void tn_unpack_judge_next(struct tn_unpack_judge *j)
{
    j->archive++;
    j->top = NULL;
}

/* --- the tree so far --- */

/* As a file system without case sees them; beyond ASCII the Latin, Greek and Cyrillic letters that lie in pairs. */
static uint32_t fold(uint32_t c)
{
    if (c < 0x80)
        return (uint32_t)(unsigned char)tn_lower((char)c);
    if ((c >= 0xc0 && c <= 0xde && c != 0xd7) || (c >= 0x391 && c <= 0x3ab) || (c >= 0x410 && c <= 0x42f))
        return c + 32;
    if (c >= 0x400 && c <= 0x40f)
        return c + 80;
    if ((c >= 0x100 && c <= 0x137) || (c >= 0x14a && c <= 0x177) || (c >= 0x460 && c <= 0x481) ||
        (c >= 0x1e00 && c <= 0x1eff))
        return c | 1;
    if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e))
        return c % 2 ? c + 1 : c;
    return c == 0x178 ? 0xff : c == 0x3c2 ? 0x3c3 : c == 0x17f ? 's' : c == 0x212a ? 'k' : c;
}

static uint64_t hash_of(const struct tn_unpack_judge *j, const char *path, size_t n)
{
    uint64_t h = 14695981039346656037u ^ j->seed;
    for (size_t i = 0; i < n;) {
        uint32_t c;
        i += tn_utf8_next(path + i, n - i, &c);
        h = (h ^ (j->target == TN_UNPACK_POSIX ? c : fold(c))) * 1099511628211u;
        h ^= h >> 29;
    }
    return h;
}

static bool same_name(const struct tn_unpack_judge *j, const char *a, const char *b, size_t nb)
{
    size_t na = strlen(a), x = 0, y = 0;
    if (j->target == TN_UNPACK_POSIX)
        return na == nb && memcmp(a, b, na) == 0;
    while (x < na && y < nb) {
        uint32_t c, d;
        x += tn_utf8_next(a + x, na - x, &c);
        y += tn_utf8_next(b + y, nb - y, &d);
        if (fold(c) != fold(d))
            return false;
    }
    return x == na && y == nb;
}

static struct tn_unpack_entry *find(const struct tn_unpack_judge *j, const char *path, size_t n)
{
    uint64_t h = hash_of(j, path, n);
    for (struct tn_unpack_slot *s = j->slot[h % j->n_slot]; s; s = s->next)
        if (s->hash == h && same_name(j, s->entry->path, path, n))
            return s->entry;
    return NULL;
}

const struct tn_unpack_entry *tn_unpack_judge_find(const struct tn_unpack_judge *j, const char *path)
{
    return find(j, path, strlen(path));
}

static void more_slots(struct tn_unpack_judge *j)
{
    size_t n = 4 * j->n_slot;
    struct tn_unpack_slot **all = tn_arena_array(j->mem, n, sizeof(struct tn_unpack_slot *));
    for (size_t i = 0; i < j->n_slot; i++)
        for (struct tn_unpack_slot *s = j->slot[i], *next; s; s = next) {
            next = s->next;
            s->next = all[s->hash % n];
            all[s->hash % n] = s;
        }
    j->slot = all;
    j->n_slot = n;
}

static struct tn_unpack_entry *add(struct tn_unpack_judge *j, const char *path, size_t n, char type)
{
    struct tn_unpack_entry *e = tn_arena_alloc(j->mem, sizeof *e);
    struct tn_unpack_slot *s = tn_arena_alloc(j->mem, sizeof *s);
    if (j->n_entry > 2 * j->n_slot)
        more_slots(j);
    *e = (struct tn_unpack_entry){.path = tn_arena_strndup(j->mem, path, n), .type = type, .archive = j->archive};
    s->hash = hash_of(j, path, n);
    s->entry = e;
    s->next = j->slot[s->hash % j->n_slot];
    j->slot[s->hash % j->n_slot] = s;
    j->entry = tn_arena_grow(j->mem, j->entry, j->n_entry, &j->entry_cap, sizeof(struct tn_unpack_entry *));
    j->entry[j->n_entry++] = e;
    return e;
}

/* --- names --- */

/* Into the path below the folder: "" for the stripped folder itself. */
static const char *place(struct tn_unpack_judge *j, const char *name, const char **ret)
{
    size_t len = strlen(name), n = 0;
    char *path = tn_arena_alloc(j->mem, len + 2);
    unsigned part = 0;
    if (len > 2 * (size_t)j->caps.path)
        return "too long a path";
    if (*name == '/')
        return "an absolute path";
    if (tn_is_alpha(name[0]) && name[1] == ':' && j->target == TN_UNPACK_WINDOWS)
        return "a path with a drive";
    for (const char *p = name, *end; *p; p = end + (*end == '/')) {
        size_t k = strcspn(p, "/");
        end = p + k;
        if (!k || (k == 1 && *p == '.'))
            continue;
        const char *why = tn_unpack_bad_name(&j->caps, j->target, p, k);
        if (why)
            return why;
        if (part++ < j->strip) {
            const char *top = tn_arena_strndup(j->mem, p, k);
            if (part == 1 && j->top && !tn_str_eq(j->top, top))
                return "outside the one folder that the archive has";
            j->top = part == 1 ? top : j->top;
            continue;
        }
        if (n)
            path[n++] = '/';
        memcpy(path + n, p, k);
        n += k;
    }
    path[n] = 0;
    for (size_t i = 0, k = strcspn(path, "/"); i < j->n_rename; i++)
        if (k == strlen(j->rename[i].from) && memcmp(path, j->rename[i].from, k) == 0) {
            path = tn_arena_printf(j->mem, "%s%s", j->rename[i].to, path + k);
            break;
        }
    if (strlen(path) > j->caps.path)
        return "too long a path";
    *ret = path;
    return NULL;
}

static unsigned depth(const char *path)
{
    unsigned n = 0;
    for (; *path; path++)
        n += *path == '/';
    return n;
}

/* ".." only in front, and no more of them than there are folders above: the folders of an entry's path are real ones,
 * so these steps lead where they say; what follows goes down, through other links that stay in as well. A ".." behind a
 * name could climb out of a link's far end. */
static const char *bad_link(const struct tn_unpack_judge *j, const char *path, const char *target)
{
    unsigned up = 0, down = 0;
    if (!target || !*target)
        return "a link to nothing";
    if (*target == '/')
        return "a link to an absolute path";
    if (strlen(target) > j->caps.path)
        return "too long a link";
    for (const char *p = target, *end; *p; p = end + (*end == '/')) {
        size_t k = strcspn(p, "/");
        end = p + k;
        if (!k || (k == 1 && *p == '.'))
            continue;
        if (k == 2 && p[0] == '.' && p[1] == '.') {
            if (down)
                return "a link with '..' behind a name";
            up++;
            continue;
        }
        const char *why = tn_unpack_bad_name(&j->caps, j->target, p, k);
        if (why)
            return "a link to a name that is none";
        down++;
    }
    return up > depth(path) ? "a link that leads out of the folder" : NULL;
}

/* Folders on the way; a link or a file among them is the trick of writing through it. */
static const char *way(struct tn_unpack_judge *j, const char *path)
{
    for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
        size_t n = (size_t)(p - path);
        struct tn_unpack_entry *e = find(j, path, n);
        if (!e)
            e = add(j, path, n, 'd');
        if (strncmp(e->path, path, n) != 0 || e->path[n])
            return "two spellings of one folder";
        if (e->type == 'l')
            return "a path through a link of the archive";
        if (e->type != 'd')
            return "a path through a file of the archive";
    }
    return NULL;
}

static const char *kind(const struct tn_unpack_judge *j, const struct tn_unpack_member *m)
{
    switch (m->type) {
    case 'f':
    case 'd': break;
    case 'l':
    case 'h':
        if (j->no_links || j->target == TN_UNPACK_WINDOWS)
            return "a link, where there are none";
        break;
    case 'c':
    case 'b': return "a device";
    case 'p': return "a FIFO";
    case 's': return "a socket";
    default: return "neither file, folder nor link";
    }
    if (m->mode & 07000 && m->type != 'l')
        return m->mode & 04000 ? "setuid" : m->mode & 02000 ? "setgid" : "the sticky bit";
    return m->size > j->caps.bytes ? "more bytes than allowed" : NULL;
}

static const char *again(struct tn_unpack_judge *j, const struct tn_unpack_member *m, const char *path,
                         struct tn_unpack_entry *old, bool *ret_again)
{
    if (!tn_str_eq(old->path, path))
        return "two spellings of one name";
    if (m->type == 'd' && old->type == 'd') {
        old->made = true;
        return NULL;
    }
    if (m->type == 'd' || old->type == 'd')
        return "a folder and a file of one name";
    if (old->archive == j->archive)
        return "named twice";
    if (m->type == 'l' && old->type == 'l' && tn_str_eq(m->target, old->target))
        return NULL;
    *ret_again = true;
    return m->type == 'f' && old->type == 'f' ? NULL : "named by two archives";
}

const char *tn_unpack_judge(struct tn_unpack_judge *j, const struct tn_unpack_member *m, struct tn_unpack_entry **ret,
                            bool *ret_again)
{
    const char *path = "", *target = m->target, *why = kind(j, m);
    *ret = NULL;
    *ret_again = false;
    if (!why && ++j->members > j->caps.members)
        why = "more members than allowed";
    if (!why)
        why = place(j, m->name, &path);
    if (!why && !*path)
        return m->type == 'd' ? NULL : "no name of its own";
    if (!why && depth(path) > j->caps.depth)
        why = "too many folders in each other";
    if (!why && m->type == 'l')
        why = bad_link(j, path, m->target);
    if (!why && m->type == 'h') {
        why = place(j, m->target ? m->target : "", &target);
        const struct tn_unpack_entry *file = why || !*target ? NULL : find(j, target, strlen(target));
        if (!why && (!file || file->type != 'f' || file->archive != j->archive || m->size))
            why = "a hard link to what is no file of the archive before it";
    }
    if (!why)
        why = way(j, path);
    struct tn_unpack_entry *old = why ? NULL : find(j, path, strlen(path));
    if (old) {
        why = again(j, m, path, old, ret_again);
        *ret = why ? NULL : old;
        return why;
    }
    if (why)
        return why;
    struct tn_unpack_entry *e = add(j, path, strlen(path), m->type == 'h' ? 'f' : m->type);
    e->target = m->type == 'l' || m->type == 'h' ? tn_arena_strdup(j->mem, target) : NULL;
    e->mode = m->type == 'd' || m->mode & 0111 ? 0755 : 0644;
    e->made = m->type == 'd';
    *ret = e;
    return NULL;
}

const char *tn_unpack_judge_bytes(const struct tn_unpack_judge *j, uint64_t unpacked, uint64_t packed)
{
    if (unpacked > j->caps.bytes)
        return "more bytes than allowed";
    if (unpacked > TN_UNPACK_FREE && unpacked / j->caps.ratio > packed)
        return "it grows more than any real archive";
    return NULL;
}
