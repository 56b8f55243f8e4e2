/* file_requirements.c - pip's requirements files.
 *
 * Source: pip, src/pip/_internal/req/req_file.py: lines are joined at a backslash, '#' begins a comment at the start or
 * behind a blank, options of a requirement stand behind it ("--hash=..."), options of the file begin its line; -r and
 * -c name files beside the one that names them. */
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/str.h"
#include "plan/file.h"

struct file {
    const struct tn_wish_reader *r; /* with the name of the file at hand */
    struct tn_wish_file *ret;
    const char *names[TN_MAX_WISH_DEPTH]; /* those that led here */
    unsigned depth;
    bool constraint;
};

static void read_text(const struct file *f, struct tn_span text);

static struct tn_span without_comment(struct tn_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '#' && (i == 0 || s.p[i - 1] == ' ' || s.p[i - 1] == '\t'))
            return tn_span_of(s.p, i);
    return s;
}

/* Is it this option? *ret: its value ("-r x", "-rx", "--requirement=x", "--requirement x"). */
static bool option(struct tn_span s, const char *name, struct tn_span *ret)
{
    size_t n = strlen(name);
    if (!tn_span_starts(s, name))
        return false;
    struct tn_span v = tn_span_from(s, n);
    if (n > 2 && v.n && v.p[0] != '=' && v.p[0] != ' ' && v.p[0] != '\t')
        return false;
    if (n > 2 && v.n && v.p[0] == '=')
        v = tn_span_from(v, 1);
    *ret = tn_span_trim(v);
    if (ret->n >= 2 && (ret->p[0] == '"' || ret->p[0] == '\'') && ret->p[ret->n - 1] == ret->p[0])
        *ret = tn_span_of(ret->p + 1, ret->n - 2);
    return true;
}

/* Without " --hash=..." and what else stands behind a requirement. */
static struct tn_span without_options(struct tn_span s)
{
    for (size_t i = 0; i + 2 < s.n; i++)
        if ((s.p[i] == ' ' || s.p[i] == '\t') && s.p[i + 1] == '-' && s.p[i + 2] == '-')
            return tn_span_of(s.p, i);
    return s;
}

static void include(const struct file *f, unsigned number, struct tn_span line, struct tn_span path, bool constraint)
{
    const struct tn_wish_reader *r = f->r;
    struct tn_span text;
    struct tn_err err = {0};
    const char *why = NULL;
    bool circle = false;
    const char *name = tn_arena_strndup(r->mem, (const char *)path.p, path.n);
    enum tn_path_style style = strchr(r->name, '\\') ? TN_PATH_WINDOWS : TN_PATH_POSIX;
    const char *full =
        tn_path_norm(r->mem, style, tn_path_join(r->mem, style, tn_path_dir(r->mem, style, r->name), name));
    struct tn_wish_reader inner = *r;
    struct file g = *f;
    inner.name = full;
    g.r = &inner;
    g.constraint = constraint;
    for (unsigned i = 0; i < f->depth && !why; i++)
        if ((circle = tn_str_eq(f->names[i], full)))
            why = "the files name each other in a circle";
    if (!why && strstr(name, "://"))
        why = "an address: not read";
    else if (!why && (path.n == 0 || path.n > TN_MAX_PATH_BYTES || memchr(path.p, 0, path.n)))
        why = "no name of a file";
    else if (!why &&
             (f->depth == TN_MAX_WISH_DEPTH || f->ret->n_read >= TN_MAX_WISH_FILES || f->ret->bytes > TN_MAX_TEXT_FILE))
        why = "too many files within each other";
    else if (!why && !r->read)
        why = "not read";
    if (!why) {
        f->ret->n_read++;
        if (r->read(r->ctx, full, &text, &err) != 0)
            why = tn_arena_printf(r->mem, "not read: %s", err.text);
        else if (text.n > TN_MAX_TEXT_FILE)
            why = "too large";
        f->ret->bytes += why ? 0 : text.n;
    }
    if (why) {
        struct tn_wish_line *l = tn_wish_line_add(r, f->ret, TN_LINE_FILE, number, line);
        l->spec = full;
        l->note = why;
        l->open = !circle;
        l->included = true;
        return;
    }
    g.names[g.depth++] = full;
    read_text(&g, text);
}

static void one_line(const struct file *f, unsigned number, struct tn_span line)
{
    struct tn_span v, s = tn_span_trim(line);
    struct tn_wish_line *l;
    static const char *const indexes[] = {"--index-url", "--extra-index-url", "--find-links", "-i", "-f", "--pypi-url",
                                          NULL};
    if (option(s, "--requirement", &v) || (option(s, "-r", &v) && !tn_span_starts(s, "--"))) {
        include(f, number, s, v, f->constraint);
        return;
    }
    if (option(s, "--constraint", &v) || (option(s, "-c", &v) && !tn_span_starts(s, "--"))) {
        include(f, number, s, v, true);
        return;
    }
    for (unsigned i = 0; indexes[i]; i++)
        if (option(s, indexes[i], &v)) {
            l = tn_wish_line_add(f->r, f->ret, TN_LINE_INDEX, number, s);
            l->spec = tn_arena_strndup(f->r->mem, (const char *)v.p, v.n);
            return;
        }
    if (option(s, "--editable", &v) || (option(s, "-e", &v) && !tn_span_starts(s, "--"))) {
        l = tn_wish_line_add(f->r, f->ret, TN_LINE_FILE, number, s);
        l->spec = tn_arena_strndup(f->r->mem, (const char *)v.p, v.n);
        l->note = "a project: what it asks for is not read";
        return;
    }
    if (s.p[0] == '-')
        return; /* other options ask for nothing */
    if (s.p[0] == '.' || s.p[0] == '/') {
        l = tn_wish_line_add(f->r, f->ret, TN_LINE_FILE, number, s);
        l->note = "a path: not read";
        return;
    }
    tn_wish_line_requirement(f->r, f->ret, f->constraint ? TN_LINE_CONSTRAINT : TN_LINE_WANT, number, s,
                             without_options(s));
}

/* As Python's splitlines: a lone carriage return ends a line, too. */
static bool take_line(struct tn_span *rest, struct tn_span *ret)
{
    if (!tn_span_line(rest, ret))
        return false;
    const unsigned char *cr = memchr(ret->p, '\r', ret->n);
    if (cr) {
        size_t n = (size_t)(cr - ret->p), more = (size_t)(rest->p - cr) - 1 + rest->n;
        *rest = tn_span_of(cr + 1, more);
        ret->n = n;
    }
    return true;
}

/* The next line with those that it goes on in, into *ret; *ret_at: number of the first one. */
static bool next_line(struct tn_span *rest, unsigned *number, struct tn_buf *ret, unsigned *ret_at, bool *ret_long)
{
    struct tn_span part;
    bool more = true;
    tn_buf_clear(ret);
    *ret_long = false;
    *ret_at = *number + 1;
    while (more && take_line(rest, &part)) {
        struct tn_span bare = tn_span_trim(part);
        bool comment = bare.n && bare.p[0] == '#';
        ++*number;
        more = part.n && part.p[part.n - 1] == '\\' && !comment;
        if (more)
            part = tn_span_of(part.p, part.n - 1);
        *ret_long = *ret_long || ret->n + part.n > TN_MAX_WISH_LINE;
        if (*ret_long)
            part = tn_span_of(part.p, ret->n || part.n < TN_MAX_WISH_TEXT ? 0 : TN_MAX_WISH_TEXT);
        if (!comment || *ret_at == *number)
            tn_buf_add(ret, part.p, part.n);
    }
    return *ret_at <= *number;
}

static void read_text(const struct file *f, struct tn_span text)
{
    struct tn_buf line;
    unsigned number = 0, at;
    bool is_long;
    if (tn_span_starts(text, "\xEF\xBB\xBF"))
        text = tn_span_from(text, 3);
    tn_buf_init(&line);
    while (!f->ret->cut && next_line(&text, &number, &line, &at, &is_long)) {
        struct tn_span s = tn_span_trim(without_comment(tn_span_of(line.p, line.n)));
        if (is_long)
            tn_wish_line_broken(f->r, f->ret, at, s, "too long");
        else if (s.n)
            one_line(f, at, s);
    }
    tn_buf_deinit(&line);
}

void tn_file_requirement_line(const struct tn_wish_reader *r, struct tn_wish_file *f, unsigned line,
                              struct tn_span text)
{
    struct file one = {.r = r, .ret = f};
    one.names[one.depth++] = tn_path_norm(r->mem, TN_PATH_POSIX, r->name);
    text = tn_span_trim(without_comment(text));
    if (text.n)
        one_line(&one, line, text);
}

int tn_file_requirements(const struct tn_wish_reader *r, struct tn_span text, struct tn_wish_file *ret,
                         struct tn_err *err)
{
    struct file f = {.r = r, .ret = ret};
    (void)err;
    f.names[f.depth++] = tn_path_norm(r->mem, TN_PATH_POSIX, r->name);
    read_text(&f, text);
    return 0;
}
