/* stock_mention.c - see stock.h: start files of shells, the loader's configuration, activation scripts and running
 * processes that name or hold a folder of the stock.
 *
 * Invariant: of a file only the place and the path that it names are kept, never the line; a comment names nothing. */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/stock.h"

#define MAX_FILES 512u
#define MAX_PROCESSES 4096u
#define MAX_ROWS_OF_ONE 16u

/* Where a path that leads to a row may be named: its own, and links to it. */
struct target {
    const char *text;
    size_t n, row;
};

struct names {
    struct tn_stock *k;
    struct target *v;
    size_t n, cap;
    unsigned files;
};

static void add_target(struct names *x, const char *text, size_t row)
{
    x->v = tn_arena_grow(x->k->c->tmp, x->v, x->n, &x->cap, sizeof *x->v);
    x->v[x->n++] = (struct target){text, strlen(text), row};
}

static void targets(struct names *x)
{
    const struct tn_snap *s = x->k->c->s;
    for (size_t i = 0; i < s->stock.n; i++) {
        const struct tn_rec_stock *r = &s->stock.v[i];
        if (!tn_known(r->path) || !(tn_says(r->kind, "toolkit") || tn_says(r->kind, "env")))
            continue;
        add_target(x, r->path.v, i);
        for (size_t t = 0; t < s->toolkit.n; t++)
            for (size_t n = 0; tn_says(s->toolkit.v[t].path, r->path.v) && s->toolkit.v[t].names.k == TN_KNOWN &&
                               n < s->toolkit.v[t].names.n;
                 n++)
                add_target(x, s->toolkit.v[t].names.v[n], i);
    }
}

/* A path goes on with these; "/usr/local/cuda" is not named by "/usr/local/cuda-11.6". */
static bool goes_on(char c)
{
    return tn_is_alpha(c) || tn_is_digit(c) || c == '.' || c == '_' || c == '-' || c == '+';
}

static bool in_path(char c)
{
    return goes_on(c) || c == '/';
}

static struct tn_rec_mention *add(struct names *x, const char *by, const char *file, uint32_t src, size_t row,
                                  const char *path)
{
    struct tn_snap *s = x->k->c->s;
    struct tn_rec_mention *m = TN_ADD(s, mention);
    m->by = tn_fact_str(s, src, by);
    m->file = tn_fact_str(s, src, file);
    m->path = tn_fact_str(s, src, path);
    m->leads_to = s->stock.v[row].path;
    return m;
}

static void match_line(struct names *x, const char *by, const char *file, uint32_t src, struct tn_span line,
                       int64_t number, unsigned *left)
{
    for (size_t i = 0; i < x->n && *left; i++) {
        const struct target *t = &x->v[i];
        size_t at = tn_span_find(line, 0, t->text, t->n);
        for (; at != SIZE_MAX && *left; at = tn_span_find(line, at + t->n, t->text, t->n)) {
            size_t end = at + t->n;
            if ((at && in_path((char)line.p[at - 1])) || (end < line.n && goes_on((char)line.p[end])))
                continue;
            while (end < line.n && in_path((char)line.p[end]))
                end++;
            add(x, by, file, src, t->row, tn_arena_strndup(x->k->c->tmp, (const char *)line.p + at, end - at))->line =
                tn_fact_int(src, number);
            --*left;
        }
    }
}

static void look_file(struct names *x, const char *by, const char *file)
{
    struct tn_arena mem;
    unsigned left = MAX_ROWS_OF_ONE;
    int64_t number = 0;
    if (x->files++ >= MAX_FILES)
        return;
    tn_arena_init(&mem);
    struct tn_answer a = tn_world_read(x->k->c->w, &mem, file, TN_MAX_SMALL_FILE);
    struct tn_span rest = a.data, line;
    uint32_t src = a.got == TN_KNOWN ? tn_probe_src(x->k->c->s, "read", file, &a) : 0;
    while (a.got == TN_KNOWN && left && tn_span_line(&rest, &line)) {
        struct tn_span t = tn_span_trim(line);
        number++;
        if (t.n && t.p[0] != '#' && memchr(t.p, '/', t.n))
            match_line(x, by, file, src, t, number, &left);
    }
    tn_arena_deinit(&mem);
}

static void look_folder(struct names *x, const char *by, const char *folder, const char *end)
{
    struct tn_answer a = tn_world_list(x->k->c->w, x->k->c->tmp, folder);
    for (size_t i = 0; a.got == TN_KNOWN && i < a.n_entry; i++)
        if (a.entry[i].type != 'd' && tn_str_ends(a.entry[i].name, end))
            look_file(x, by, tn_stock_join(x->k, folder, a.entry[i].name));
}

static void look_home(struct names *x, const char *home)
{
    static const char *const files[] = {".bashrc",          ".bash_profile",
                                        ".bash_login",      ".profile",
                                        ".zshrc",           ".zprofile",
                                        ".zshenv",          ".zlogin",
                                        ".cshrc",           ".tcshrc",
                                        ".xprofile",        ".config/fish/config.fish",
                                        ".pam_environment", NULL};
    for (unsigned i = 0; files[i]; i++)
        look_file(x, "shell", tn_stock_join(x->k, home, files[i]));
}

static void look_system(struct names *x)
{
    static const char *const files[] = {"/etc/profile",     "/etc/bash.bashrc",  "/etc/bashrc",
                                        "/etc/environment", "/etc/zshrc",        "/etc/zsh/zshrc",
                                        "/etc/zsh/zshenv",  "/etc/zsh/zprofile", NULL};
    for (unsigned i = 0; files[i]; i++)
        look_file(x, "shell", files[i]);
    look_folder(x, "shell", "/etc/profile.d", ".sh");
    look_file(x, "ld.so.conf", "/etc/ld.so.conf");
    look_folder(x, "ld.so.conf", "/etc/ld.so.conf.d", ".conf");
}

static void look_envs(struct names *x)
{
    const struct tn_snap *s = x->k->c->s;
    size_t n = s->env.n;
    for (size_t i = 0; i < n; i++) {
        const struct tn_rec_env *e = &s->env.v[i];
        if (!tn_known(e->path))
            continue;
        const char *path = e->path.v;
        if (tn_says(e->kind, "venv"))
            look_file(x, "activate", tn_stock_join(x->k, path, "bin/activate"));
        else if (tn_says(e->kind, "conda"))
            look_folder(x, "activate", tn_stock_join(x->k, path, "etc/conda/activate.d"), ".sh");
    }
}

/* proc_pid_maps(5): "START-END r-xp OFFSET DEV INODE    PATH". Those of other users are not readable. Each process once
 * for each row. */
static void look_process(struct names *x, const char *pid, const struct tn_answer *a, uint32_t src)
{
    struct tn_span rest = a->data, line;
    size_t first = x->k->c->s->mention.n;
    uint64_t number = 0;
    while (tn_span_line(&rest, &line)) {
        const unsigned char *slash = line.n ? memchr(line.p, '/', line.n) : NULL;
        if (!slash)
            continue;
        char path[TN_MAX_PATH_BYTES];
        size_t n = line.n - (size_t)(slash - line.p);
        if (n >= sizeof path)
            continue;
        memcpy(path, slash, n);
        path[n] = 0;
        const struct tn_snap *s = x->k->c->s;
        for (size_t i = 0; i < s->stock.n; i++) {
            const struct tn_rec_stock *r = &s->stock.v[i];
            bool in = tn_known(r->path) && tn_path_under(TN_PATH_POSIX, path, r->path.v), again = false;
            for (size_t p = 0; !in && r->pieces.k == TN_KNOWN && p < r->pieces.n; p++)
                in = strcmp(path, r->pieces.v[p]) == 0;
            for (size_t m = first; in && m < s->mention.n && !again; m++)
                again = tn_says(s->mention.v[m].leads_to, r->path.v);
            if (!in || again || !tn_str_u64(pid, strlen(pid), 10, &number))
                continue;
            const char *exe =
                tn_world_real(x->k->c->w, x->k->c->tmp, tn_arena_printf(x->k->c->tmp, "/proc/%s/exe", pid), NULL);
            add(x, "process", exe, src, i, path)->pid = tn_fact_int(src, (int64_t)number);
            break;
        }
    }
}

static void look_processes(struct names *x)
{
    struct tn_answer list = tn_world_list(x->k->c->w, x->k->c->tmp, "/proc");
    if (!tn_probe_running(x->k->c))
        return;
    unsigned left = MAX_PROCESSES;
    for (size_t i = 0; list.got == TN_KNOWN && i < list.n_entry && left; i++) {
        struct tn_arena mem;
        if (!tn_is_digit(list.entry[i].name[0]))
            continue;
        left--;
        tn_arena_init(&mem);
        const char *path = tn_arena_printf(&mem, "/proc/%s/maps", list.entry[i].name);
        struct tn_answer a = tn_world_read(x->k->c->w, &mem, path, TN_MAX_TEXT_FILE);
        if (a.got == TN_KNOWN)
            look_process(x, list.entry[i].name, &a, tn_snap_src(x->k->c->s, TN_KNOWN, NULL, "read /proc/PID/maps"));
        tn_arena_deinit(&mem);
    }
}

void tn_stock_mentions(struct tn_stock *k)
{
    struct names x = {.k = k};
    targets(&x);
    struct tn_answer env = tn_world_env(k->c->w, k->c->tmp, "HOME");
    const char *home = tn_probe_env(k->c, "HOME", NULL);
    if (home && tn_path_is_abs(TN_PATH_POSIX, home))
        look_home(&x, home);
    if (env.got == TN_UNASKED) { /* another root folder: everybody's */
        struct tn_answer a = tn_world_list(k->c->w, k->c->tmp, "/home");
        look_home(&x, "/root");
        for (size_t i = 0; a.got == TN_KNOWN && i < a.n_entry; i++)
            if (a.entry[i].type == 'd')
                look_home(&x, tn_stock_join(k, "/home", a.entry[i].name));
    }
    if (x.n) {
        look_system(&x);
        look_envs(&x);
    }
    if (k->c->s->stock.n)
        look_processes(&x);
}
