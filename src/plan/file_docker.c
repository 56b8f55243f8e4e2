/* file_docker.c - a Dockerfile: the images that it stands on, and what its commands install.
 *
 * Source: docs.docker.com, Dockerfile reference: lines go on behind a backslash, comments between them are dropped; ARG
 * and ENV are put in for $NAME, ${NAME} and ${NAME:-default}; a stage stands on an image or on an earlier stage, and
 * what is built is the last one. Commands are read by src/command. */
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/str.h"
#include "command/command.h"
#include "plan/file.h"
#include "snapshot/json.h"
#include "version/dotted.h"

#define MAX_STAGES 64u
#define MAX_ARGS 128u
#define MAX_IMAGE 512u /* its name has 255 bytes at most, its tag 128 */

struct stage {
    const char *name;
    int base;            /* number of the stage that it stands on; -1: an image */
    uint64_t copies;     /* stages that it copies from */
    size_t first, after; /* its lines */
};

struct docker {
    const struct tn_wish_reader *r;
    struct tn_wish_file *f;
    struct {
        const char *name, *value;
    } arg[MAX_ARGS];
    unsigned n_arg;
    struct stage stage[MAX_STAGES];
    unsigned n_stage;
    unsigned line;
};

static const char *value_of(const struct docker *d, const char *name, size_t n)
{
    for (unsigned i = d->n_arg; i-- > 0;)
        if (strncmp(d->arg[i].name, name, n) == 0 && !d->arg[i].name[n])
            return d->arg[i].value;
    return NULL;
}

static void set(struct docker *d, const char *name, const char *value)
{
    if (d->n_arg == MAX_ARGS) { /* the oldest goes */
        memmove(d->arg, d->arg + 1, (MAX_ARGS - 1) * sizeof *d->arg);
        d->n_arg--;
    }
    d->arg[d->n_arg].name = name;
    d->arg[d->n_arg++].value = value;
}

static bool is_name(char c)
{
    return tn_is_alpha(c) || tn_is_digit(c) || c == '_';
}

/* $NAME, ${NAME}, ${NAME:-default}; others stay as they are. Once: a value is not looked into again. */
static const char *put_in(const struct docker *d, const char *s)
{
    struct tn_buf b;
    tn_buf_init(&b);
    while (*s && b.n < TN_MAX_WISH_LINE) {
        size_t n = strcspn(s, "$");
        tn_buf_add(&b, s, n);
        s += n;
        if (!*s)
            break;
        bool brace = s[1] == '{';
        const char *name = s + 1 + brace;
        for (n = 0; is_name(name[n]);)
            n++;
        const char *end = name + n, *other = NULL, *v = n ? value_of(d, name, n) : NULL;
        size_t other_n = 0;
        if (brace && (tn_str_starts(end, ":-") || tn_str_starts(end, "-"))) {
            other = end + (*end == ':') + 1;
            other_n = strcspn(other, "}");
            end = other + other_n;
        }
        if (n == 0 || (brace && *end != '}') || (!v && !other)) {
            tn_buf_ch(&b, *s++);
            continue;
        }
        if (v && (*v || !other))
            tn_buf_str(&b, v);
        else
            tn_buf_add(&b, other, other_n);
        s = end + brace;
    }
    const char *ret = tn_arena_strndup(d->r->mem, b.p ? b.p : "", b.n);
    tn_buf_deinit(&b);
    return ret;
}

/* The next word; "" at the end. */
static const char *word(struct tn_arena *mem, const char **s)
{
    *s += strspn(*s, " \t");
    size_t n = strcspn(*s, " \t");
    const char *w = tn_arena_strndup(mem, *s, n);
    *s += n;
    return w;
}

static const char *unquoted(struct tn_arena *mem, const char *v)
{
    size_t n = strlen(v);
    return n >= 2 && (*v == '"' || *v == '\'') && v[n - 1] == *v ? tn_arena_strndup(mem, v + 1, n - 2) : v;
}

/* ARG NAME[=VALUE] ..., ENV NAME=VALUE ... and ENV NAME VALUE. */
static void settings(struct docker *d, const char *s, bool env)
{
    struct tn_arena *mem = d->r->mem;
    for (const char *w; *(w = word(mem, &s));) {
        const char *eq = strchr(w, '=');
        if (eq)
            set(d, tn_arena_strndup(mem, w, (size_t)(eq - w)), unquoted(mem, put_in(d, eq + 1)));
        else if (env) {
            set(d, w, unquoted(mem, put_in(d, s + strspn(s, " \t"))));
            return;
        }
    }
}

/* --- images --- */

static struct tn_wish_line *add(struct docker *d, enum tn_line_what what, const char *text, const char *spec)
{
    struct tn_wish_line *l = tn_wish_line_add(d->r, d->f, what, d->line, tn_span_str(text));
    l->spec = spec;
    return l;
}

/* The number behind a word of a tag: "12.1" of "2.3.0-cuda12.1-cudnn8-runtime". */
static const char *behind(struct tn_arena *mem, const char *tag, const char *key)
{
    const char *p = strstr(tag, key);
    if (!p)
        return "";
    p += strlen(key);
    return tn_arena_strndup(mem, p, strspn(p, "0123456789."));
}

void tn_file_image_name(const struct tn_wish_reader *r, struct tn_wish_file *f, unsigned line, const char *image)
{
    struct docker d = {.r = r, .f = f, .line = line};
    struct tn_arena *mem = r->mem;
    char *name = tn_arena_strdup(mem, image);
    name[strcspn(name, "@")] = '\0';
    char *slash = strrchr(name, '/'), *colon = strchr(slash ? slash : name, ':');
    const char *tag = colon ? colon + 1 : "";
    if (colon)
        *colon = '\0';
    const char *number = tn_arena_strndup(mem, tag, strspn(tag, "0123456789."));
    bool nvcr = tn_str_starts(name, "nvcr.io/");
    add(&d, TN_LINE_IMAGE, image, image);
    if (tn_str_ends(name, "nvidia/cuda")) {
        if (tn_version_dotted_count(number) >= 2 && tn_version_dotted_ok(number)) {
            char minor[TN_DOTTED_TEXT];
            tn_version_dotted_head(number, 2, minor, sizeof minor);
            add(&d, TN_LINE_REQUIRE, image, tn_arena_printf(mem, "NVIDIA_REQUIRE_CUDA=cuda>=%s", minor))->note =
                "from the tag";
        }
    } else if (nvcr &&
               (tn_str_ends(name, "/tensorflow") || tn_str_ends(name, "/pytorch") || tn_str_ends(name, "/jax"))) {
        add(&d, TN_LINE_FILE, image, image)->note = "which CUDA it holds is in its configuration: docker inspect";
        d.f->v[d.f->n - 1].open = true;
    } else if (tn_str_ends(name, "tensorflow/tensorflow")) {
        bool gpu = strstr(tag, "gpu") != NULL;
        struct tn_wish_line *l =
            add(&d, TN_LINE_WANT, image, tn_arena_printf(mem, "tensorflow%s%s", *number ? "==" : "", number));
        l->gpu = gpu;
        l->cpu = !gpu;
    } else if (tn_str_ends(name, "pytorch/pytorch")) {
        const char *cuda = behind(mem, tag, "cuda");
        add(&d, TN_LINE_WANT, image, tn_arena_printf(mem, "torch%s%s", *number ? "==" : "", number))->gpu = *cuda;
        if (*cuda)
            add(&d, TN_LINE_CUDA, image, cuda);
    } else if ((tn_str_eq(name, "python") || tn_str_ends(name, "library/python")) && tn_version_dotted_ok(number) &&
               tn_version_dotted_count(number) >= 2) {
        add(&d, TN_LINE_PYTHON, image, number);
    }
}

static int stage_of(const struct docker *d, const char *name)
{
    for (unsigned i = d->n_stage; i-- > 0;)
        if (*d->stage[i].name && tn_str_ieq(d->stage[i].name, name))
            return (int)i;
    return -1;
}

static void from(struct docker *d, const char *s)
{
    struct tn_arena *mem = d->r->mem;
    const char *image = word(mem, &s);
    while (tn_str_starts(image, "--"))
        image = word(mem, &s);
    const char *as = word(mem, &s), *name = tn_str_ieq(as, "as") ? word(mem, &s) : "";
    image = unquoted(mem, put_in(d, image));
    if (d->n_stage == MAX_STAGES) {
        d->f->cut = true;
        return;
    }
    if (d->n_stage)
        d->stage[d->n_stage - 1].after = d->f->n;
    int base = stage_of(d, image);
    d->stage[d->n_stage++] = (struct stage){.name = name, .base = base, .first = d->f->n};
    if (strlen(image) > MAX_IMAGE)
        tn_wish_line_broken(d->r, d->f, d->line, tn_span_of(image, TN_MAX_WISH_TEXT), "too long for an image's name");
    else if (strchr(image, '$'))
        tn_wish_line_broken(d->r, d->f, d->line, tn_span_str(image), "an argument without a value");
    else if (base < 0 && !tn_str_eq(image, "scratch") && *image)
        tn_file_image_name(d->r, d->f, d->line, image);
}

static void copy(struct docker *d, const char *s)
{
    const char *p = strstr(s, "--from=");
    if (!p || !d->n_stage)
        return;
    p += 7;
    const char *name = put_in(d, tn_arena_strndup(d->r->mem, p, strcspn(p, " \t")));
    uint64_t number;
    int at = stage_of(d, name);
    if (at < 0 && tn_str_u64(name, strlen(name), 10, &number) && number + 1 < d->n_stage)
        at = (int)number;
    if (at >= 0)
        d->stage[d->n_stage - 1].copies |= (uint64_t)1 << at;
}

/* --- commands --- */

static void wants(struct docker *d, const struct tn_part *p)
{
    bool conda = p->tool == TN_TOOL_CONDA;
    if (p->tool != TN_TOOL_PIP && p->tool != TN_TOOL_UV && !conda)
        return;
    for (unsigned i = 0; i < p->n_want; i++) {
        const struct tn_want *w = &p->want[i];
        const char *e = *w->extras ? tn_arena_printf(d->r->mem, "[%s]", w->extras) : "";
        const char *s = tn_arena_printf(d->r->mem, "%s%s%s", w->name, e, w->spec);
        if (conda)
            tn_file_conda_line(d->r, d->f, d->line, s);
        else
            tn_file_requirement_line(d->r, d->f, d->line, tn_span_str(s));
    }
    if (*p->file && !conda) { /* what was copied into the image lies beside the Dockerfile, as a rule */
        const char *base = tn_path_base(TN_PATH_POSIX, p->file);
        tn_file_requirement_line(d->r, d->f, d->line, tn_span_str(tn_arena_printf(d->r->mem, "-r %s", base)));
    }
}

static bool installs(const char *action)
{
    return strstr(action, "uninstall") == NULL &&
           (strstr(action, "install") || strstr(action, "create") || strstr(action, "add") || strstr(action, "update"));
}

/* ["pip", "install", "x>=1"] as a shell line; of ["bash", "-c", "..."] the line within. NULL: no list of words. */
static const char *of_list(struct docker *d, const char *s)
{
    struct tn_err err;
    struct tn_arena *mem = d->r->mem;
    json_t *j = *s == '[' ? tn_json_load(tn_span_str(s), &err) : NULL;
    const char *ret = json_is_array(j) ? "" : NULL, *word = NULL;
    size_t n = json_array_size(j);
    for (size_t i = 0; ret && i < n; i++) {
        word = json_string_value(json_array_get(j, i));
        ret = word ? tn_arena_printf(mem, "%s%s'%s'", ret, *ret ? " " : "", word) : NULL;
    }
    bool shell = ret && n == 3 && tn_str_eq(json_string_value(json_array_get(j, 1)), "-c");
    ret = shell ? tn_arena_strdup(mem, word) : ret;
    json_decref(j);
    return ret;
}

/* A shell line, command by command. */
static void run(struct docker *d, const char *s)
{
    const char *list = s + strspn(s, " \t");
    while (tn_str_starts(list, "--")) { /* RUN --mount=... [...] */
        list += strcspn(list, " \t");
        list += strspn(list, " \t");
    }
    list = of_list(d, list);
    s = list ? list : put_in(d, s);
    while (*s) {
        size_t n = 0;
        for (char q = 0; s[n] && (q || (!strchr("&;|\n", s[n]))); n++)
            q = q ? (s[n] == q ? 0 : q) : (s[n] == '"' || s[n] == '\'') ? s[n] : 0;
        const char *one = tn_arena_strndup(d->r->mem, s, n);
        one += strspn(one, " \t(");
        while (tn_str_starts(one, "--")) { /* RUN --mount=... */
            one += strcspn(one, " \t");
            one += strspn(one, " \t");
        }
        struct tn_command *c =
            strlen(one) < TN_MAX_COMMAND_BYTES && !d->f->cut ? tn_command_read(d->r->mem, one) : NULL;
        for (unsigned i = 0; c && i < c->n_part; i++)
            if (installs(c->part[i].action))
                wants(d, &c->part[i]);
        s += n;
        s += strspn(s, "&;|\n");
    }
}

static void instruction(struct docker *d, const char *s)
{
    const char *w = word(d->r->mem, &s);
    if (tn_str_ieq(w, "FROM"))
        from(d, s);
    else if (tn_str_ieq(w, "ARG") || tn_str_ieq(w, "ENV"))
        settings(d, s, tn_str_ieq(w, "ENV"));
    else if (tn_str_ieq(w, "COPY"))
        copy(d, s);
    else if (tn_str_ieq(w, "RUN"))
        run(d, s);
}

/* Lines of stages that the last one neither stands on nor copies from do not count; of those that it copies from, what
 * their image asks of the machine does not. */
static void keep_last(struct docker *d)
{
    uint64_t below = 0, used = 0;
    if (!d->n_stage)
        return;
    d->stage[d->n_stage - 1].after = d->f->n;
    for (int at = (int)d->n_stage - 1; at >= 0; at = d->stage[at].base)
        below |= (uint64_t)1 << at;
    used = below;
    for (int i = (int)d->n_stage - 1; i >= 0; i--)
        if (used >> i & 1)
            used |= d->stage[i].copies | (d->stage[i].base >= 0 ? (uint64_t)1 << d->stage[i].base : 0);
    for (unsigned i = 0; i < d->n_stage; i++)
        for (size_t k = d->stage[i].first; k < d->stage[i].after && k < d->f->n; k++) {
            struct tn_wish_line *l = &d->f->v[k];
            bool machine = l->what == TN_LINE_REQUIRE || l->what == TN_LINE_IMAGE || l->what == TN_LINE_FILE;
            if (!(used >> i & 1) || (machine && !(below >> i & 1))) {
                l->marker = TN_MARKER_NO;
                l->note = "of a stage that is not in the image";
            }
        }
}

/* An instruction with the lines that it goes on in. A here-document belongs to it. */
static void next(struct tn_span *rest, unsigned *number, struct tn_buf *ret, bool *ret_cut)
{
    struct tn_span line;
    char end[64] = "";
    bool more = true;
    tn_buf_clear(ret);
    while (more && tn_span_line(rest, &line)) {
        struct tn_span s = tn_span_trim(line);
        ++*number;
        if (ret->n && s.n && s.p[0] == '#' && !*end)
            continue;
        if (*end && tn_span_eq(s, end))
            break;
        more = s.n && s.p[s.n - 1] == '\\';
        bool short_enough = ret->n + s.n < TN_MAX_WISH_LINE;
        *ret_cut = *ret_cut || !short_enough;
        if (short_enough) {
            tn_buf_add(ret, s.p, s.n - more);
            if (more || *end)
                tn_buf_ch(ret, *end && !more ? '\n' : ' ');
        }
        size_t here = *end || more || !short_enough ? SIZE_MAX : tn_span_find(s, 0, "<<", 2);
        if (here != SIZE_MAX) {
            struct tn_span w = tn_span_from(s, here + 2);
            while (w.n && strchr("-\"'", w.p[0]))
                w = tn_span_from(w, 1);
            size_t n = 0;
            while (n < w.n && is_name((char)w.p[n]) && n + 1 < sizeof end)
                n++;
            memcpy(end, w.p, n);
            end[n] = '\0';
            ret->n -= s.n - here;
            ret->p[ret->n] = '\0';
        }
        more = more || *end;
    }
}

int tn_file_docker(const struct tn_wish_reader *r, struct tn_span text, struct tn_wish_file *ret, struct tn_err *err)
{
    struct docker *d = tn_arena_alloc(r->mem, sizeof *d);
    struct tn_buf b;
    unsigned number = 0;
    memset(d, 0, sizeof *d);
    d->r = r;
    d->f = ret;
    tn_buf_init(&b);
    while (text.n && !ret->cut) {
        d->line = number + 1;
        bool cut = false;
        next(&text, &number, &b, &cut);
        if (cut)
            tn_wish_line_broken(r, ret, d->line, tn_span_of(b.p, b.n), "too long");
        if (b.n && b.p[0] != '#' && !memchr(b.p, 0, b.n))
            instruction(d, b.p);
    }
    tn_buf_deinit(&b);
    keep_last(d);
    return d->n_stage ? 0 : tn_err_set(err, TN_E_FORMAT, r->name, "no Dockerfile: it has no FROM");
}
