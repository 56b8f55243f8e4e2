/* file_wheel.c - see wheel.h: what is in a wheel.
 *
 * Sources: PyPA "Binary distribution format" and "Core metadata"; which GPU code is in a library: image/fatbin.h. Of
 * several libraries the one with most GPU code speaks for the wheel. */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "image/fatbin.h"
#include "image/zip.h"
#include "plan/wheel.h"
#include "version/dotted.h"

static bool is_library(const char *name)
{
    return tn_str_ends(name, ".so") || strstr(name, ".so.") || tn_str_ends(name, ".pyd") || tn_str_ends(name, ".dll");
}

/* --- METADATA --- */

static struct tn_span value_of(struct tn_span line, const char *key)
{
    if (!tn_span_starts(line, key))
        return tn_span_of(NULL, 0);
    return tn_span_trim(tn_span_from(line, strlen(key)));
}

/* Of "nvidia-cuda-runtime-cu12==12.1.105" or "cuda-toolkit[cudart]==13.0.2": the CUDA release. */
static const char *runtime_of(struct tn_arena *mem, const char *spec)
{
    bool runtime = tn_str_starts(spec, "nvidia-cuda-runtime") || tn_str_starts(spec, "cuda-toolkit");
    const char *eq = strstr(spec, "==");
    char minor[TN_DOTTED_TEXT];
    if (runtime && eq && tn_version_dotted_head(eq + 2, 2, minor, sizeof minor))
        return tn_arena_strdup(mem, minor);
    if (tn_str_starts(spec, "nvidia-cuda-runtime-cu") && tn_is_digit(spec[22]))
        return tn_arena_strndup(mem, spec + 22, strspn(spec + 22, "0123456789"));
    return "";
}

static void read_metadata(const struct tn_wish_reader *r, struct tn_span text, struct tn_wheel_file *ret,
                          struct tn_wish_file *lines)
{
    struct tn_span line;
    for (unsigned number = 1; tn_span_line(&text, &line) && line.n; number++) {
        struct tn_span v = value_of(line, "Requires-Python:");
        if (v.n && v.n < 256)
            ret->requires_python = tn_arena_strndup(r->mem, (const char *)v.p, v.n);
        v = value_of(line, "Requires-Dist:");
        size_t before = lines->n;
        if (v.n && v.n < TN_MAX_WISH_LINE)
            tn_wish_line_requirement(r, lines, TN_LINE_WANT, number, v, v);
        if (lines->n > before && lines->v[before].marker != TN_MARKER_NO && !*ret->cuda)
            ret->cuda = runtime_of(r->mem, lines->v[before].spec);
    }
}

/* --- code --- */

struct words {
    const char *text;
    unsigned isa;
};

/* What less than a quarter of the containers has are extras of some kernels (probe/fatbin.c). */
static void add(struct tn_arena *mem, const struct tn_fatbin_list *l, uint32_t most, struct words *ret)
{
    for (unsigned i = 0; i < l->n; i++) {
        const struct tn_fatbin_arch *a = &l->v[i];
        if (a->n * UINT64_C(4) < most)
            continue;
        ret->text =
            tn_arena_printf(mem, "%s%s%u%.1s", ret->text, *ret->text ? " " : "", a->number, a->mark ? &a->mark : "");
        ret->isa = a->isa_last > ret->isa ? a->isa_last : ret->isa;
    }
}

static void take(struct tn_arena *mem, const char *name, const struct tn_fatbin *b, struct tn_wheel_file *ret)
{
    struct words sass = {"", 0}, ptx = {"", 0};
    uint32_t most = 0;
    for (unsigned k = TN_FATBIN_SASS; k <= TN_FATBIN_PTX; k++)
        for (unsigned i = 0; i < b->code[k].n; i++)
            most = b->code[k].v[i].n > most ? b->code[k].v[i].n : most;
    add(mem, &b->code[TN_FATBIN_SASS], most, &sass);
    add(mem, &b->code[TN_FATBIN_PTX], most, &ptx);
    ret->code_of = name;
    ret->sass = sass.text;
    ret->ptx = ptx.text;
    ret->isa = ptx.isa ? tn_arena_printf(mem, "%u.%u", ptx.isa / 100, ptx.isa % 100) : "";
}

/* An ELF or PE file, or a fatbin by itself? What only has the name of one is not unpacked. */
static bool begins_well(const struct tn_view *v, const struct tn_zip_member *m)
{
    struct tn_buf b;
    struct tn_err err;
    tn_buf_init(&b);
    bool ok = tn_image_zip_head(v, m, 4, &b, &err) == 0 && b.n == 4 &&
              (memcmp(b.p,
                      "\x7f"
                      "ELF",
                      4) == 0 ||
               memcmp(b.p, "MZ", 2) == 0 || memcmp(b.p, "\x50\xed\x55\xba", 4) == 0);
    tn_buf_deinit(&b);
    return ok;
}

static void read_code(const struct tn_wish_reader *r, const struct tn_view *v, const struct tn_zip *z,
                      struct tn_wheel_file *ret)
{
    uint64_t left = TN_MAX_WHEEL_BYTES;
    uint32_t best = 0;
    for (size_t i = 0; i < z->n; i++) {
        const struct tn_zip_member *m = &z->v[i];
        struct tn_fatbin b;
        struct tn_err err;
        struct tn_buf bytes;
        if (!is_library(m->name) || !begins_well(v, m))
            continue;
        if (m->size > left || m->size > TN_MAX_WHEEL_LIBRARY) {
            ret->unread = true;
            continue;
        }
        left -= m->size;
        tn_buf_init(&bytes);
        tn_buf_room(&bytes, (size_t)m->size + 1);
        if (tn_image_zip_read(v, m, m->size, &bytes, &err) == 0) {
            struct tn_span s = tn_span_of(bytes.p, bytes.n);
            struct tn_view inner = tn_view_of_span(&s);
            if (tn_image_fatbin_read(&inner, TN_FATBIN_SECTIONS, &b, &err) == 0 && b.containers > best) {
                best = b.containers;
                take(r->mem, m->name, &b, ret);
            }
        } else {
            ret->unread = true;
        }
        tn_buf_deinit(&bytes);
    }
}

/* --- all of it --- */

static const char *python_of(struct tn_arena *mem, const struct tn_wheel *t)
{
    unsigned minor;
    if (!tn_str_starts(t->python, "cp3") || strchr(t->python, '.') || strstr(t->abi, "abi3"))
        return "";
    minor = 0;
    for (const char *p = t->python + 3; tn_is_digit(*p) && minor < 100; p++)
        minor = minor * 10 + (unsigned)(*p - '0');
    return tn_arena_printf(mem, "3.%u", minor);
}

/* A framework's own wheel is a wish: the tables know what its code runs on. */
static void add_itself(const struct tn_wish_reader *r, const char *base, struct tn_wheel_file *ret,
                       struct tn_wish_file *lines)
{
    const char *self = tn_arena_printf(r->mem, "%s==%s", ret->tag.name, ret->tag.version);
    struct tn_plan_wishes *one = tn_arena_alloc(r->mem, sizeof *one);
    struct tn_err err;
    tn_plan_wishes_init(one);
    if (tn_plan_wish(r->mem, one, ret->tag.name, &err) == 0 && one->n)
        tn_wish_line_requirement(r, lines, TN_LINE_WANT, 0, tn_span_str(base), tn_span_str(self));
    if (*ret->python)
        tn_wish_line_add(r, lines, TN_LINE_PYTHON, 0, tn_span_str(base))->spec = ret->python;
}

static const char *base_of(const char *name)
{
    const char *slash = strrchr(name, '/'), *back = strrchr(name, '\\');
    const char *at = slash > back ? slash : back;
    return at ? at + 1 : name;
}

int tn_wheel_file_read(const struct tn_wish_reader *r, const struct tn_view *v, struct tn_wheel_file *ret,
                       struct tn_wish_file *ret_lines, struct tn_err *err)
{
    struct tn_zip z;
    struct tn_buf text;
    const struct tn_zip_member *meta = NULL;
    const char *base = base_of(r->name);
    memset(ret_lines, 0, sizeof *ret_lines);
    ret_lines->kind = TN_FILE_WHEEL;
    *ret = (struct tn_wheel_file){
        .requires_python = "", .python = "", .cuda = "", .code_of = "", .sass = "", .ptx = "", .isa = ""};
    int rc = tn_version_wheel_parse(base, r->mem, &ret->tag, err);
    if (!rc)
        rc = tn_image_zip_open(v, r->mem, &z, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < z.n && !meta; i++)
        if (tn_str_ends(z.v[i].name, ".dist-info/METADATA"))
            meta = &z.v[i];
    if (!meta)
        return tn_err_set(err, TN_E_FORMAT, r->name, "no wheel: it has no METADATA");
    tn_buf_init(&text);
    rc = tn_image_zip_read(v, meta, TN_MAX_SMALL_FILE, &text, err);
    ret->python = python_of(r->mem, &ret->tag);
    if (!rc) {
        add_itself(r, base, ret, ret_lines);
        read_metadata(r, tn_span_of(text.p, text.n), ret, ret_lines);
        read_code(r, v, &z, ret);
    }
    tn_buf_deinit(&text);
    return rc;
}
