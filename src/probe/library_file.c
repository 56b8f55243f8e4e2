/* library_file.c - what one file is: real or not, what it is asked for by, its true version.
 *
 * Invariant: a few kilobytes of a file are read, whatever its size. What the name or a package states is taken before
 * the content is searched; kinds are decided by content: of libcuda always. */
#include "probe/library.h"

#include <string.h>

#include "base/str.h"
#include "image/elf_version.h"
#include "image/pe.h"
#include "version/dotted.h"

#define HEAD 4096u

/* Whether the loader could map the file: header and program headers, as glibc's first read takes them. */
struct head {
    bool elf, is64, cut;
    enum tn_know got; /* of reading it */
};

/* Why bytes could not be read. What a record does not hold was not asked, not lost. */
static enum tn_know state_of(int rc)
{
    enum tn_know k = tn_know_of_error(rc);
    return k == TN_ABSENT ? TN_UNASKED : k;
}

static struct head look_head(struct tn_world_file *f, struct tn_err *err)
{
    struct head h = {false, false, false, TN_KNOWN};
    struct tn_span s;
    uint64_t size = f->view.size, end = 0;
    int rc = size < 64 ? 0 : tn_view_at(&f->view, 0, size < HEAD ? (size_t)size : HEAD, &s, err);
    if (rc)
        h.got = state_of(rc);
    if (rc || size < 64 || !tn_span_starts(s, "\177ELF"))
        return h;
    h.elf = true;
    h.is64 = s.p[4] == 2;
    bool big = s.p[5] == 2;
    uint64_t phoff = 0;
    uint32_t off32 = 0;
    uint16_t entsize = 0, num = 0;
    if (h.is64)
        tn_span_u64(s, 32, big, &phoff);
    else if (tn_span_u32(s, 28, big, &off32))
        phoff = off32;
    tn_span_u16(s, h.is64 ? 54 : 42, big, &entsize);
    tn_span_u16(s, h.is64 ? 56 : 44, big, &num);
    for (uint64_t i = 0; i < num && entsize; i++) {
        uint64_t at = phoff + i * entsize, off = 0, n = 0;
        uint32_t type, o32, n32;
        if (!tn_span_u32(s, at, big, &type))
            break;
        if (h.is64 ? !tn_span_u64(s, at + 8, big, &off) || !tn_span_u64(s, at + 32, big, &n)
                   : !tn_span_u32(s, at + 4, big, &o32) || !tn_span_u32(s, at + 16, big, &n32))
            break;
        if (!h.is64)
            off = o32, n = n32;
        if (type == 1 && off + n > end) /* PT_LOAD */
            end = off + n;
    }
    h.cut = end > size;
    return h;
}

/* "535.309.01", "470.256.02", "390.157" */
static bool is_driver_version(const char *v)
{
    unsigned n = tn_version_dotted_count(v);
    uint64_t major = tn_version_dotted_major(v);
    return tn_version_dotted_ok(v) && (n == 2 || n == 3) && major >= 100 && major < 10000;
}

/* Of the names that lead to the file the one that programs ask for: with a version, but not the whole one; "libX.so" is
 * the compiler's. NULL when none has that form. */
static const char *soname_of_names(const struct tn_lib_file *f, bool win)
{
    const char *best = NULL;
    unsigned best_parts = 0;
    for (unsigned i = 0; i < f->n_name; i++) {
        struct tn_soname n;
        if (win)
            return f->name[i].name;
        if (tn_version_soname_parse(f->name[i].name, &n, NULL) || !*n.version)
            continue;
        unsigned parts = tn_version_dotted_count(n.version);
        if (parts <= 2 && !is_driver_version(n.version) && (!best || parts < best_parts))
            best = f->name[i].name, best_parts = parts;
    }
    return best;
}

/* The suffix of the file's own name: NVIDIA and packagers write the whole version there. */
static const char *version_of_name(struct tn_lib *l, const struct tn_lib_file *f)
{
    struct tn_soname n;
    if (l->win || tn_version_soname_parse(tn_path_base(TN_PATH_POSIX, f->path), &n, NULL) || !*n.version)
        return NULL;
    if (tn_lib_is_driver(f->stem) ? is_driver_version(n.version)
                                  : tn_version_dotted_ok(n.version) && tn_version_dotted_count(n.version) >= 3)
        return tn_arena_strdup(l->c->tmp, n.version);
    return NULL;
}

static const char *kind_word(const struct tn_lib *l, const struct tn_lib_file *f, const struct tn_elf *e,
                             const struct tn_view *v)
{
    const struct tn_lib_folder *d = &l->folder[f->folder];
    if (e && tn_str_eq(f->stem, "libcuda"))
        switch (tn_image_elf_cuda_lib(e, v)) {
        case TN_CUDA_LIB_STUB: return "stub";
        case TN_CUDA_LIB_COMPAT: return "compat";
        default: break;
        }
    if (d->stubs && !tn_str_eq(f->stem, "libcuda"))
        return "stub";
    return d->compat && tn_lib_is_driver(f->stem) ? "compat" : "real";
}

static void look_elf(struct tn_lib *l, struct tn_lib_file *f, struct tn_rec_library *r, struct tn_world_file *file,
                     uint32_t src)
{
    struct tn_probe_ctx *c = l->c;
    struct tn_elf e;
    struct tn_err err;
    struct head h = look_head(file, &err);
    if (h.got != TN_KNOWN) {
        r->kind = tn_fact_nostr(tn_snap_src(c->s, h.got, err.text, "read %s", f->path), h.got);
        return;
    }
    if (!h.elf || h.cut) {
        uint32_t why = tn_snap_src(c->s, TN_KNOWN, h.elf ? "cut short" : "no ELF file", "read %s", f->path);
        r->kind = h.elf || file->view.size < 64 ? tn_fact_str(c->s, why, "empty") : tn_fact_nostr(why, TN_FAILED);
        return;
    }
    r->bits = tn_fact_int(src, h.is64 ? 64 : 32);
    bool deep = tn_str_eq(f->stem, "libcuda") || !f->soname || (!tn_known(r->version) && !l->folder[f->folder].stubs);
    int rc = deep ? tn_image_elf_open(&file->view, c->tmp, &e, &err) : 0;
    if (rc) {
        r->kind = tn_fact_nostr(tn_snap_src(c->s, state_of(rc), err.text, "read %s", f->path), state_of(rc));
        return;
    }
    r->kind = tn_fact_str(c->s, src, kind_word(l, f, deep ? &e : NULL, &file->view));
    if (!f->soname && e.soname)
        f->soname = e.soname;
    if (tn_says(r->kind, "stub")) {
        r->version = tn_fact_nostr(src, TN_ABSENT); /* it stands for any */
        return;
    }
    if (!deep || tn_known(r->version))
        return;
    const char *version, *how;
    rc = tn_image_elf_product_version(&e, &file->view, f->stem, c->tmp, &version, &how, &err);
    if (!rc)
        r->version = tn_fact_str(c->s, tn_snap_src(c->s, TN_KNOWN, how, "read %s", f->path), version);
    else if (rc != TN_E_NOTFOUND)
        r->version = tn_fact_nostr(tn_snap_src(c->s, TN_FAILED, err.text, "read %s", f->path), TN_FAILED);
}

/* The file's description ends with its version ("NVIDIA NVRTC Library, Version 12.9.86"; CUDA 11.8 and 12.9), while
 * most say 6.14.11.9000 for FileVersion; cudart's last part there is CUDART_VERSION, the driver's is "31.0.15.4601". */
static bool pe_version(struct tn_lib *l, const struct tn_lib_file *f, const struct tn_pe *pe, char text[TN_DOTTED_TEXT])
{
    const char *v = pe->has_fixed ? tn_image_pe_version_text(pe->file_version, l->c->tmp) : "0.0.0.0";
    const char *said = pe->description ? strstr(pe->description, ", Version ") : NULL;
    if (tn_lib_is_driver(f->stem))
        return tn_version_windows_driver(v, text);
    if (said && tn_version_dotted_ok(said + 10) &&
        tn_version_dotted_head(said + 10, tn_version_dotted_count(said + 10), text, TN_DOTTED_TEXT))
        return true;
    if (tn_str_ieq(f->stem, "cudart"))
        return tn_version_windows_cudart(v, text);
    return !tn_str_starts(v, "6.14.11.") && !tn_str_eq(v, "0.0.0.0") &&
           tn_version_dotted_head(v, tn_version_dotted_count(v), text, TN_DOTTED_TEXT);
}

static void look_pe(struct tn_lib *l, struct tn_lib_file *f, struct tn_rec_library *r, struct tn_world_file *file,
                    uint32_t src)
{
    struct tn_probe_ctx *c = l->c;
    struct tn_pe pe;
    struct tn_err err;
    char text[TN_DOTTED_TEXT];
    int rc = tn_image_pe_open(&file->view, c->tmp, &pe, &err);
    if (rc) {
        r->kind = tn_fact_nostr(tn_snap_src(c->s, state_of(rc), err.text, "read %s", f->path), state_of(rc));
        return;
    }
    r->bits = tn_fact_int(src, pe.plus ? 64 : 32);
    r->kind = tn_fact_str(c->s, src, pe.file_end > file->view.size ? "empty" : "real");
    if (!tn_known(r->version) && pe_version(l, f, &pe, text))
        r->version = tn_fact_str(c->s, src, text);
}

void tn_lib_look(struct tn_lib *l, struct tn_lib_file *f, struct tn_rec_library *r)
{
    struct tn_probe_ctx *c = l->c;
    struct tn_world_file file;
    enum tn_know got;
    struct tn_err err;
    int rc = tn_world_open(c->w, c->tmp, f->path, &file, &got, &err);
    uint32_t src = tn_snap_src(c->s, got, rc ? err.text : NULL, "read %s", f->path);
    f->soname = soname_of_names(f, l->win);
    const char *v = version_of_name(l, f);
    if (v)
        r->version = tn_fact_str(c->s, src, v);
    else
        r->version = tn_lib_packaged(l, f);
    if (rc) {
        r->kind = tn_fact_nostr(src, got);
    } else {
        r->bytes = tn_fact_int(src, (int64_t)file.view.size);
        if (file.view.size == 0)
            r->kind = tn_fact_str(c->s, src, "empty");
        else if (l->win)
            look_pe(l, f, r, &file, src);
        else
            look_elf(l, f, r, &file, src);
    }
    if (!f->soname)
        f->soname = tn_path_base(c->w->style, f->path);
    r->soname = tn_fact_str(c->s, src, f->soname);
}
