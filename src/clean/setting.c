/* setting.c - see setting.h: a file line by line. */
#include "clean/setting.h"

#include <string.h>

#include "base/buf.h"
#include "base/path.h"
#include "base/str.h"

bool tn_setting_kind_of(const char *by, const char *file, enum tn_setting_kind *ret)
{
    static const char *const others[] = {".cshrc", ".tcshrc", "config.fish", ".pam_environment", NULL};
    if (tn_str_eq(by, "ld.so.conf"))
        *ret = TN_SETTING_LOADER;
    else if (tn_str_eq(by, "shell") && !tn_str_in(tn_path_base(TN_PATH_POSIX, file), others))
        *ret = TN_SETTING_SHELL;
    else
        return false;
    return true;
}

const char *tn_setting_left_word(enum tn_setting_left l)
{
    static const char words[][8] = {"", "unread", "link", "others", "unknown", "lines", "admin"};
    return (size_t)l < TN_LEN(words) ? words[l] : "";
}

struct making {
    struct tn_arena *mem;
    enum tn_setting_kind kind;
    const char *const *folder;
    size_t n;
    struct tn_setting *ret;
    size_t cap;
    struct tn_buf text;
    struct tn_setting_names names;
    struct tn_setting_lexer lexer;
    bool used; /* a line that stays needs a variable of one that goes */
};

static bool in_path(char c)
{
    return tn_is_alpha(c) || tn_is_digit(c) || strchr("._-+/", c) != NULL;
}

/* The folder that the line names; "/usr/local/cuda" is not named by "/usr/local/cuda-11.6". */
static const char *named(const struct making *m, struct tn_span line)
{
    for (size_t i = 0; i < m->n; i++) {
        size_t n = strlen(m->folder[i]);
        for (size_t at = tn_span_find(line, 0, m->folder[i], n); at != SIZE_MAX;
             at = tn_span_find(line, at + 1, m->folder[i], n)) {
            char next = at + n < line.n ? (char)line.p[at + n] : 0;
            if ((!at || !in_path((char)line.p[at - 1])) && (!next || next == '/' || !in_path(next)))
                return m->folder[i];
        }
    }
    return NULL;
}

static bool is_comment(struct tn_span line)
{
    struct tn_span t = tn_span_trim(line);
    return !t.n || t.p[0] == '#';
}

/* Of a person's start file what is commented out is content, too. */
static bool is_blank(const struct making *m, struct tn_span line)
{
    return m->kind == TN_SETTING_LOADER ? is_comment(line) : tn_span_trim(line).n == 0;
}

static enum tn_setting_found loader_line(const struct making *m, struct tn_span line)
{
    struct tn_span t = tn_span_trim(line);
    const char *path = tn_arena_strndup(m->mem, (const char *)t.p, t.n);
    if (strlen(path) != t.n || path[0] != '/' || strpbrk(path, " \t:,=#*?[") || strstr(path, ".."))
        return TN_SETTING_NOT;
    for (size_t i = 0; i < m->n; i++)
        if (tn_path_under(TN_PATH_POSIX, path, m->folder[i]))
            return TN_SETTING_GOES;
    return TN_SETTING_NOT;
}

/* Where a command must stand, a line that goes leaves ":". */
static bool needs_command(const struct tn_setting_lexer *above, struct tn_span line)
{
    static const char *const openers[] = {"then", "do", "else", "{", "(", NULL};
    return (line.n && (line.p[0] == ' ' || line.p[0] == '\t')) || tn_str_in(above->last, openers);
}

/* The line before ends in a way that makes this one its second half. */
static bool is_half(const struct tn_setting_lexer *above)
{
    return above->quote || above->goes_on || above->lost || tn_str_ends(above->last, "&") ||
           tn_str_ends(above->last, "|");
}

static struct tn_setting_line *add(struct making *m, unsigned number, struct tn_span line, const char *leads_to)
{
    struct tn_setting *r = m->ret;
    r->line = tn_arena_grow(m->mem, r->line, r->n, &m->cap, sizeof *r->line);
    struct tn_setting_line *l = &r->line[r->n++];
    memset(l, 0, sizeof *l);
    l->number = number;
    l->before = tn_arena_strndup(m->mem, (const char *)line.p, line.n);
    l->leads_to = leads_to;
    return l;
}

static enum tn_setting_found find(struct making *m, struct tn_span line, const char **ret_after)
{
    const struct tn_setting_lexer above = m->lexer;
    if (m->kind == TN_SETTING_LOADER)
        return loader_line(m, line);
    tn_setting_lex(&m->lexer, line);
    if (is_half(&above) || m->lexer.goes_on || m->lexer.lost)
        return TN_SETTING_NOT;
    enum tn_setting_found f = tn_setting_shell_line(m->mem, line, m->folder, m->n, &m->names, ret_after);
    if (f == TN_SETTING_GOES && needs_command(&above, line)) {
        size_t indent = 0;
        while (indent < line.n && (line.p[indent] == ' ' || line.p[indent] == '\t'))
            indent++;
        *ret_after = tn_arena_printf(m->mem, "%.*s:", (int)indent, (const char *)line.p);
        return TN_SETTING_CHANGES;
    }
    return f;
}

/* Variables of lines that went, in a line that stays. */
static void look_names(struct making *m, struct tn_span line)
{
    struct tn_setting_names *x = &m->names;
    for (size_t i = 0; i < x->n; i++) {
        enum tn_setting_use u = tn_setting_shell_use(line, x->name[i]);
        m->used = m->used || u == TN_SETTING_USED;
        if (u == TN_SETTING_SET_ANEW) {
            x->n--;
            x->name[i] = x->name[x->n];
            x->value[i] = x->value[x->n];
            i--;
        }
    }
}

static void one(struct making *m, unsigned number, struct tn_span line, bool feed)
{
    const char *after = NULL, *folder = is_comment(line) ? NULL : named(m, line);
    enum tn_setting_found f = is_comment(line) ? TN_SETTING_NOT : find(m, line, &after);
    if (f == TN_SETTING_NOT) {
        if (folder)
            add(m, number, line, folder)->stays = true;
        if (!is_comment(line))
            look_names(m, line);
        m->ret->empty = m->ret->empty && is_blank(m, line);
        tn_buf_add(&m->text, line.p, line.n);
    } else {
        add(m, number, line, folder)->after = after;
        m->ret->n_changed++;
        m->ret->empty = m->ret->empty && !after;
        tn_buf_str(&m->text, after ? after : "");
    }
    if (feed && (f != TN_SETTING_GOES))
        tn_buf_ch(&m->text, '\n');
}

/* Nothing is changed: what would is told as what stays. */
static void give_up(struct making *m, struct tn_span text)
{
    for (size_t i = 0; i < m->ret->n; i++) {
        m->ret->line[i].stays = true;
        m->ret->line[i].after = NULL;
    }
    m->ret->n_changed = 0;
    m->ret->empty = false;
    tn_buf_clear(&m->text);
    tn_buf_add(&m->text, text.p, text.n);
}

void tn_setting_make(struct tn_arena *mem, enum tn_setting_kind kind, struct tn_span text, const char *const *folder,
                     size_t n, struct tn_setting *ret)
{
    struct making m = {.mem = mem, .kind = kind, .folder = folder, .n = n, .ret = ret};
    unsigned number = 0;
    memset(ret, 0, sizeof *ret);
    ret->empty = true;
    tn_buf_init(&m.text);
    tn_buf_str(&m.text, "");
    for (size_t at = 0; at < text.n; number++) {
        const uint8_t *feed = memchr(text.p + at, '\n', text.n - at);
        size_t end = feed ? (size_t)(feed - text.p) : text.n;
        one(&m, number + 1, tn_span_of(text.p + at, end - at), feed != NULL);
        at = end + (feed != NULL);
    }
    if (m.used)
        give_up(&m, text);
    ret->text = tn_arena_memdup(mem, m.text.p, m.text.n);
    ret->size = m.text.n;
    tn_buf_deinit(&m.text);
}
