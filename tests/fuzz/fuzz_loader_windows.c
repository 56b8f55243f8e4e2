/* fuzz_loader_windows.c - the simulated loader of Windows and what frameworks ask it for, over hostile rows: it ends,
 * within its limits, says the same when asked again, and never calls missing what nobody looked at.
 *
 * Input: bytes that pick from short tables, so that most inputs make DLLs that meet; a text at the end is one more
 * name, folder and value of a variable. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "loader/asks_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SITE "C:\\e\\Lib\\site-packages"

static const char *const names[] = {"a.dll",
                                    "B.DLL",
                                    "cudart64_12.dll",
                                    "cudnn64_9.dll",
                                    "cudnn_graph64_9.dll",
                                    "KERNEL32.dll",
                                    "api-ms-win-core-x.dll",
                                    "msvcr90.dll",
                                    "python310.dll",
                                    "c10.dll",
                                    "fbgemm.dll",
                                    "nvcuda.dll",
                                    "a",
                                    "",
                                    ".",
                                    "..\\a.dll",
                                    "C:\\d\\a.dll",
                                    "C:a.dll",
                                    "\\\\?\\C:\\d\\a.dll",
                                    "a.dll:s",
                                    "x/y.dll"};
static const char *const folders[] = {"C:\\d",
                                      "C:\\D\\",
                                      "C:\\Windows\\System32",
                                      "C:\\Windows",
                                      "C:\\e",
                                      "C:\\e\\Library\\bin",
                                      SITE "\\torch\\lib",
                                      SITE "\\torch",
                                      SITE "\\nvidia\\cu13\\bin\\x86_64",
                                      SITE "\\onnxruntime\\capi",
                                      SITE "\\tensorflow\\python",
                                      "",
                                      "C:",
                                      "\\\\s\\t",
                                      SITE "\\cupy_backends\\cuda\\libs"};
static const char *const words[] = {"file",   "file",   "file", "file", "none",
                                    "denied", "folder", "loop", "long", "other"};
static const char *const damages[] = {NULL, NULL, NULL, NULL, "cut", "not-pe", ""};

struct in {
    const uint8_t *p;
    size_t n;
    const char *text;
};

static unsigned next(struct in *i, unsigned below)
{
    if (!i->n)
        return 0;
    i->n--;
    return *i->p++ % below;
}

#define PICK(i, table) (table)[next(i, (unsigned)(sizeof(table) / sizeof *(table)))]

static const char *name(struct in *i)
{
    return next(i, 12) ? PICK(i, names) : i->text;
}

static const char *folder(struct in *i)
{
    return next(i, 12) ? PICK(i, folders) : i->text;
}

static struct tn_list list(struct tn_snap *s, struct in *i, const char *between)
{
    const char *v[8];
    unsigned k = 0, want = next(i, 9);
    if (want == 8)
        return tn_fact_nolist(0, (enum tn_know)next(i, 5));
    while (k < want) {
        const char *a = name(i);
        v[k++] = *between ? tn_arena_printf(&s->mem, "%s%s%s", a, between, name(i)) : a;
    }
    return tn_fact_list(s, 0, v, k);
}

static struct tn_str str(struct tn_snap *s, struct in *i, const char *v)
{
    return next(i, 9) ? tn_fact_str(s, 0, v) : tn_fact_nostr(0, (enum tn_know)next(i, 5));
}

static void file(struct tn_snap *s, struct in *i)
{
    struct tn_rec_image *r = TN_ADD(s, image);
    r->path = tn_fact_str(s, 0, tn_arena_printf(&s->mem, "%s\\%s", folder(i), name(i)));
    r->seen = str(s, i, PICK(i, words));
    r->damage = tn_fact_str(s, 0, PICK(i, damages));
    r->bits = tn_fact_int(0, next(i, 8) ? 64 : 32);
    r->machine = str(s, i, next(i, 8) ? "x86_64" : "aarch64");
    r->needed = list(s, i, "");
    r->delayed = list(s, i, "");
    r->forwards = list(s, i, "");
    r->takes = list(s, i, ":");
    if (!next(i, 3)) {
        struct tn_rec_library *l = TN_ADD(s, library);
        l->path = r->path;
        l->stem = tn_fact_str(s, 0, next(i, 2) ? "cudart" : "x");
    }
}

static void machine(struct tn_snap *s, struct in *i)
{
    static const char *const kinds[] = {"venv", "conda", "store", "standalone"};
    static const char *const pythons[] = {"3.10.11", "3.7.9", "3.12", "", "3", "3.8.99999999999999999999"};
    static const char *const variables[] = {"CONDA_DLL_SEARCH_MODIFICATION_ENABLE", "CUDA_PATH", "CUDA_PATH_V12_4",
                                            "PATH"};
    static const char *const by[] = {"PATH", "default", "x"};
    TN_THE(s, host)->os = tn_fact_str(s, 0, "windows");
    TN_THE(s, host)->arch = str(s, i, next(i, 4) ? "AMD64" : "i386");
    for (unsigned n = 0; n < 2; n++) {
        struct tn_rec_env *e = TN_ADD(s, env);
        e->id = tn_fact_str(s, 0, n ? "base" : "e");
        e->kind = str(s, i, PICK(i, kinds));
        e->path = str(s, i, n ? "C:\\base" : "C:\\e");
        e->base = str(s, i, next(i, 3) ? "C:\\base" : folder(i));
        e->interpreter = str(s, i, next(i, 4) ? "C:\\e\\python.exe" : name(i));
        e->machine = str(s, i, next(i, 6) ? "x86_64" : "aarch64");
        e->python = str(s, i, PICK(i, pythons));
    }
    for (unsigned n = next(i, 8), k = 0; k < n; k++) {
        struct tn_rec_search *r = TN_ADD(s, search);
        r->by = tn_fact_str(s, 0, PICK(i, by));
        r->rank = tn_fact_int(0, next(i, 5));
        r->path = str(s, i, folder(i));
    }
    for (unsigned n = next(i, 3); n; n--) {
        struct tn_rec_variable *v = TN_ADD(s, variable);
        v->name = tn_fact_str(s, 0, PICK(i, variables));
        v->value = str(s, i, next(i, 2) ? folder(i) : "1");
    }
    for (unsigned n = next(i, 4); n; n--) {
        struct tn_rec_dir *d = TN_ADD(s, dir);
        d->path = tn_fact_str(s, 0, folder(i));
        d->exists = next(i, 4) ? tn_fact_int(0, next(i, 3) != 0) : tn_fact_noint(0, (enum tn_know)next(i, 5));
    }
    s->search.listed = (enum tn_know)next(i, 5);
}

static uint64_t sum_of(const struct tn_loader *l)
{
    uint64_t sum = l->n_object;
    if (l->n_object > TN_MAX_LOADER_OBJECTS || l->n_search > TN_MAX_LOADER_SEARCHES)
        abort();
    for (size_t n = 0; n < l->n_search; n++) {
        const struct tn_search *f = &l->search[n];
        for (size_t k = 0; k < f->n_step; k++)
            if (f->outcome == TN_OUTCOME_MISSING && f->step[k].end == TN_STEP_UNKNOWN)
                abort();
        sum = sum * 31 + f->n_step + f->n_shadowed + (uint64_t)f->outcome;
    }
    return sum;
}

/* The loader by itself. */
static uint64_t open_some(struct tn_snap *s, struct in i, const struct tn_disk *disk, struct tn_arena *mem)
{
    static const unsigned flags[] = {0, 0x8, 0x1000, 0x1100, 0x100, 0x200, 0x400, 0x800, 0x108, 0xffffffff};
    struct tn_process p;
    struct tn_loader l;
    if (!tn_process_of(s, next(&i, 4) ? &s->env.v[0] : NULL, mem, &p))
        return 1;
    if (!tn_loader_start(&l, &p, disk, mem, next(&i, 4)))
        return 2;
    for (unsigned n = next(&i, 12); n; n--) {
        switch (next(&i, 6)) {
        case 0: tn_loader_add_folder(&l, folder(&i)); break;
        case 1: tn_loader_set_folder(&l, next(&i, 4) ? folder(&i) : NULL); break;
        case 2: tn_loader_path_first(&l, folder(&i)); break;
        default: {
            const struct tn_search *f = tn_loader_open_with(&l, TN_PROGRAM, name(&i), PICK(&i, flags));
            if (f->outcome == TN_OUTCOME_FOUND && f->object != TN_NO_OBJECT && f->object >= l.n_object)
                abort();
        }
        }
    }
    return sum_of(&l);
}

/* What a framework asks for. */
static uint64_t ask(struct tn_snap *s, struct in i, const struct tn_disk *disk, struct tn_arena *mem)
{
    static const char *const calls[] = {NULL, "preload_dlls"};
    struct tn_asks *a = tn_arena_alloc(mem, sizeof *a);
    struct tn_loads *l = tn_arena_alloc(mem, sizeof *l);
    uint64_t sum = 0;
    for (size_t f = 0; f < s->framework.n; f++) {
        if (!tn_asks_make_call(a, mem, s, &s->framework.v[f], PICK(&i, calls)) ||
            !tn_loads_start(l, s, &s->env.v[0], disk, mem))
            continue;
        tn_loads_make(l, a);
        if (l->n > TN_MAX_LOADS)
            abort();
        for (unsigned k = 0; k < l->n; k++)
            sum = sum * 31 + (uint64_t)l->v[k].outcome + l->v[k].n_shadowed;
        sum += sum_of(&l->l);
    }
    return sum;
}

static uint64_t run(struct tn_snap *s, struct in i, bool asks)
{
    struct tn_arena mem;
    struct tn_disk disk;
    tn_arena_init(&mem);
    tn_disk_snapshot(&disk, s, &mem);
    uint64_t sum = asks ? ask(s, i, &disk, &mem) : open_some(s, i, &disk, &mem);
    tn_arena_deinit(&mem);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const frameworks[] = {"torch", "tensorflow", "onnxruntime", "cupy"};
    static const char *const versions[] = {"2.4.0+cu124", "2.10.1", "1.31.1", "13.6.0",
                                           "1.4.0",       "14.0",   "",       "99999999999"};
    struct tn_snap s;
    struct in i = {data, size, "C:\\d"};
    if (size > 4096)
        return 0;
    tn_snap_init(&s);
    if (size > 40)
        i.text = tn_arena_strndup(&s.mem, (const char *)data + size - 20, 20);
    machine(&s, &i);
    for (unsigned n = next(&i, 24); n; n--)
        file(&s, &i);
    for (unsigned n = next(&i, 3); n; n--) {
        struct tn_rec_framework *f = TN_ADD(&s, framework);
        f->env = tn_fact_str(&s, 0, "e");
        f->name = tn_fact_str(&s, 0, PICK(&i, frameworks));
        f->version = str(&s, &i, PICK(&i, versions));
        f->gpu_build = tn_fact_int(0, 1);
        f->cuda = str(&s, &i, next(&i, 3) ? "12.4" : next(&i, 2) ? "13.0" : i.text);
        f->path = str(&s, &i, tn_arena_printf(&s.mem, SITE "\\%s", f->name.v));
        f->asks = list(&s, &i, "");
    }
    bool asks = s.framework.n > 0;
    if (run(&s, i, asks) != run(&s, i, asks))
        abort();
    tn_snap_deinit(&s);
    return 0;
}
