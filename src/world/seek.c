/* seek.c - see seek.h. */
#include "world/seek.h"

#include <string.h>

#include "base/str.h"

#define MAX_DEPTH 256u

static void word(struct tn_buf *b, const char *s)
{
    tn_buf_ch(b, '\t');
    for (; *s; s++) {
        if (*s == '\\' || *s == '\t' || *s == '\n')
            tn_buf_ch(b, '\\');
        tn_buf_ch(b, *s == '\t' ? 't' : *s == '\n' ? 'n' : *s);
    }
}

void tn_seek_add_hit(struct tn_buf *b, const char *path, const char *target, uint64_t size, uint64_t links,
                     uint64_t dev, uint64_t ino)
{
    tn_buf_str(b, target ? "link" : "file");
    word(b, path);
    if (target)
        word(b, target);
    else
        tn_buf_printf(b, "\t%llu\t%llu\t%llu:%llu", (unsigned long long)size, (unsigned long long)links,
                      (unsigned long long)dev, (unsigned long long)ino);
    tn_buf_ch(b, '\n');
}

void tn_seek_add_tree(struct tn_buf *b, const char *path, const char *type, const char *state, uint64_t folders,
                      uint64_t unreadable)
{
    tn_buf_str(b, "tree");
    word(b, path);
    word(b, type);
    word(b, state);
    tn_buf_printf(b, "\t%llu\t%llu\n", (unsigned long long)folders, (unsigned long long)unreadable);
}

void tn_seek_add_size(struct tn_buf *b, const struct tn_seek_line *l)
{
    if (l->type == 'a') {
        tn_buf_printf(b, "all\t%llu\t%llu\n", (unsigned long long)l->size, (unsigned long long)l->doubled);
        return;
    }
    tn_buf_str(b, "size");
    word(b, l->path);
    word(b, l->state);
    tn_buf_printf(b, "\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\n", (unsigned long long)l->size,
                  (unsigned long long)l->freed, (unsigned long long)l->shared, (unsigned long long)l->doubled,
                  (unsigned long long)l->files, (unsigned long long)l->folders, (unsigned long long)l->unreadable,
                  (unsigned long long)l->youngest);
}

/* The next word of a line, its escapes undone; NULL at the end. */
static const char *next_word(struct tn_arena *mem, struct tn_span *line, bool *more)
{
    if (!*more)
        return NULL;
    size_t n = 0, k = 0;
    while (n < line->n && line->p[n] != '\t')
        n++;
    char *s = tn_arena_alloc(mem, n + 1);
    for (size_t i = 0; i < n; i++) {
        char c = (char)line->p[i];
        if (c == '\\' && i + 1 < n) {
            c = (char)line->p[++i];
            c = c == 't' ? '\t' : c == 'n' ? '\n' : c;
        }
        s[k++] = c;
    }
    *more = n < line->n;
    *line = tn_span_from(*line, *more ? n + 1 : n);
    return s;
}

static bool number(const char *s, uint64_t *ret)
{
    return s && tn_str_u64(s, strlen(s), 10, ret);
}

static bool parse(const char *const *w, unsigned n, struct tn_seek_line *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->path = n > 1 ? w[1] : NULL;
    ret->other = "";
    if (n == 3 && strcmp(w[0], "link") == 0) {
        ret->type = 'l';
        ret->other = w[2];
        return true;
    }
    if (n == 5 && strcmp(w[0], "file") == 0) {
        const char *colon = strchr(w[4], ':');
        ret->type = 'f';
        return number(w[2], &ret->size) && number(w[3], &ret->links) && colon &&
               tn_str_u64(w[4], (size_t)(colon - w[4]), 10, &ret->dev) && number(colon + 1, &ret->ino);
    }
    if (n == 6 && strcmp(w[0], "tree") == 0) {
        ret->type = 't';
        ret->other = w[2];
        ret->state = w[3];
        return number(w[4], &ret->folders) && number(w[5], &ret->unreadable);
    }
    if ((n == 10 || n == 11) && strcmp(w[0], "size") == 0) {
        uint64_t *to[] = {&ret->size,  &ret->freed,   &ret->shared,     &ret->doubled,
                          &ret->files, &ret->folders, &ret->unreadable, &ret->youngest};
        bool ok = true;
        ret->type = 's';
        ret->state = w[2];
        for (unsigned i = 0; i + 3 < n; i++)
            ok = ok && number(w[3 + i], to[i]) && *to[i] <= INT64_MAX;
        return ok;
    }
    if (n == 3 && strcmp(w[0], "all") == 0) {
        ret->type = 'a';
        return number(w[1], &ret->size) && number(w[2], &ret->doubled) && ret->size <= INT64_MAX &&
               ret->doubled <= INT64_MAX;
    }
    return false;
}

bool tn_seek_next(struct tn_arena *mem, struct tn_span *rest, struct tn_seek_line *ret)
{
    struct tn_span line;
    while (tn_span_line(rest, &line)) {
        const char *w[12];
        unsigned n = 0;
        bool more = true;
        while (n < TN_LEN(w) && (w[n] = next_word(mem, &line, &more)) != NULL)
            n++;
        if (parse(w, n, ret) && *ret->path)
            return true;
    }
    return false;
}

static void add_node(const struct tn_node *n, const char *path, struct tn_buf *b)
{
    if (n->type == 'l' && n->link)
        tn_seek_add_hit(b, path, n->link, 0, 0, 0, 0);
    else if (n->type == 'f')
        tn_seek_add_hit(b, path, NULL, n->st.size, n->st.nlink, n->st.dev, n->st.ino);
}

void tn_seek_tree(const struct tn_tree *t, bool (*keep)(const void *ctx, const char *name), const void *ctx,
                  struct tn_buf *b)
{
    struct {
        const struct tn_node *node;
        size_t next, path_n;
    } level[MAX_DEPTH];
    struct tn_buf path;
    unsigned depth = 1;
    uint64_t folders = 1;
    char sep = t->style == TN_PATH_WINDOWS ? '\\' : '/';
    tn_buf_init(&path);
    level[0].node = &t->root;
    level[0].next = level[0].path_n = 0;
    while (depth) {
        const struct tn_node *dir = level[depth - 1].node;
        if (level[depth - 1].next == dir->n_child) {
            depth--;
            continue;
        }
        const struct tn_node *n = dir->child[level[depth - 1].next++];
        path.n = level[depth - 1].path_n;
        if (t->style != TN_PATH_WINDOWS || depth > 1)
            tn_buf_ch(&path, sep);
        tn_buf_str(&path, n->name);
        if (n->n_child == 0 && keep(ctx, n->name))
            add_node(n, path.p, b);
        if (n->n_child && depth < MAX_DEPTH) {
            folders++;
            level[depth].node = n;
            level[depth].next = 0;
            level[depth++].path_n = path.n;
        }
    }
    tn_buf_deinit(&path);
    tn_seek_add_tree(b, sep == '/' ? "/" : "C:\\", "", t->complete ? "whole" : "record", folders, 0);
}
