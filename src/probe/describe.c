/* describe.c - see describe.h. */
#include "probe/describe.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/span.h"
#include "base/str.h"
#include "facts/distro.h"
#include "facts/gpu.h"
#include "probe/tables.h"
#include "version/dotted.h"

struct describer {
    struct tn_snap s;
    struct tn_arena tmp;
    struct tn_err *err;
    uint32_t src;  /* "described" */
    unsigned seen; /* bits of keys */
    int ladder;    /* cpu: 1 + step that it has at most; 0 not said */
    const char *flags[64];
    size_t n_flags;
};

/* Text of a person for a message: short, without control characters. */
static const char *shown(struct describer *d, const char *text)
{
    char *t = tn_arena_strdup(&d->tmp, text);
    size_t n = 0;
    for (; t[n] && n < 60; n++)
        if ((unsigned char)t[n] < 0x20 || (unsigned char)t[n] >= 0x7F)
            t[n] = '?';
    t[n] = 0;
    return t;
}

static int wrong(struct describer *d, const char *key, const char *value, const char *near, const char *choice)
{
    if (near)
        return tn_err_set(d->err, TN_E_USAGE, key, "'%s' is not known; did you mean '%s'?", shown(d, value), near);
    return tn_err_set(d->err, TN_E_USAGE, key, "'%s' is not known; it may be %s", shown(d, value), choice);
}

/* The word of the list that differs least, or NULL. */
static const char *nearest(const char *word, const char *const *list)
{
    const char *best = NULL;
    unsigned least = strlen(word) > 4 ? 3 : 2;
    for (; *list; list++) {
        unsigned n = tn_str_distance(word, *list, least);
        if (n < least) {
            least = n;
            best = *list;
        }
    }
    return best;
}

static const char *join(struct describer *d, const char *const *list)
{
    const char *all = *list;
    while (*++list)
        all = tn_arena_printf(&d->tmp, "%s, %s", all, *list);
    return all;
}

static int not_listed(struct describer *d, const char *key, const char *value, const char *const *list)
{
    return wrong(d, key, value, nearest(value, list), join(d, list));
}

static struct tn_str said(struct describer *d, const char *v)
{
    return tn_fact_str(&d->s, d->src, v);
}

static int need_version(struct describer *d, const char *key, const char *v)
{
    if (tn_version_dotted_ok(v) && strlen(v) <= TN_MAX_VERSION_TEXT)
        return 0;
    return tn_err_set(d->err, TN_E_USAGE, key, "'%s' is no version", shown(d, v));
}

/* "ubuntu-22.04", "Ubuntu 22.04", "ubuntu22.04", "alpine": false for no distribution of the tables. */
static bool set_distro(struct describer *d, const char *v)
{
    struct tn_rec_host *h = TN_THE(&d->s, host);
    size_t n = strcspn(v, "0123456789"), name = n;
    while (name && (v[name - 1] == '-' || v[name - 1] == ' '))
        name--;
    const char *id = tn_facts_distro_of(v, name);
    if (!id || (v[n] && !tn_version_dotted_ok(v + n)))
        return false;
    h->os = said(d, "linux");
    h->wsl = tn_fact_int(d->src, 0);
    h->distro = said(d, id);
    if (v[n])
        h->distro_version = said(d, v + n);
    return true;
}

/* The release that carries the name of a person's Windows: 11 began with build 22000; 10 has many. */
static bool set_windows(struct describer *d, const char *v)
{
    struct tn_rec_host *h = TN_THE(&d->s, host);
    size_t n = tn_str_starts(v, "windows") ? 7 : tn_str_starts(v, "win") ? 3 : 0;
    const char *release = v + n + (n && (v[n] == '-' || v[n] == ' '));
    if (!n || (strcmp(release, "10") != 0 && strcmp(release, "11") != 0))
        return false;
    h->os = said(d, "windows");
    h->wsl = tn_fact_int(d->src, 0);
    if (release[1] == '1' && h->os_build.k != TN_KNOWN)
        h->os_build = tn_fact_int(d->src, 22000);
    return true;
}

static int set_os(struct describer *d, const char *key, const char *v)
{
    static const char *const words[] = {"linux", "windows", "wsl2", "macos", NULL};
    struct tn_rec_host *h = TN_THE(&d->s, host);
    if (!tn_str_in(v, words)) {
        if (tn_known(h->distro))
            return tn_err_set(d->err, TN_E_USAGE, key, "os and os_release contradict each other");
        if (set_windows(d, v) || set_distro(d, v))
            return 0;
        return wrong(d, key, v, nearest(v, words), "linux, windows, wsl2, macos, or a release such as ubuntu-22.04");
    }
    h->os = said(d, strcmp(v, "wsl2") == 0 ? "linux" : v);
    h->wsl = tn_fact_int(d->src, strcmp(v, "wsl2") == 0 ? 2 : 0);
    return 0;
}

static int set_os_build(struct describer *d, const char *key, const char *v)
{
    uint64_t n;
    if (!tn_str_u64(v, strlen(v), 10, &n) || n > 10000000)
        return tn_err_set(d->err, TN_E_USAGE, key, "'%s' is no Windows build number, such as 19045", shown(d, v));
    TN_THE(&d->s, host)->os_build = tn_fact_int(d->src, (int64_t)n);
    return 0;
}

/* ID and VERSION_ID of os-release(5): the ID in lower case letters, digits, '.', '_', '-'. */
static int set_os_release(struct describer *d, const char *key, const char *v)
{
    struct tn_rec_host *h = TN_THE(&d->s, host);
    const char *version = NULL;
    for (const char *p = v; *p; p++) {
        if (*p == '-' && tn_is_digit(p[1]) && !version)
            version = p + 1;
        if (!version && !tn_is_digit(*p) && !(*p >= 'a' && *p <= 'z') && !strchr("._-", *p))
            version = p; /* refused below */
    }
    size_t n = version ? (size_t)(version - v) - (version > v && version[-1] == '-') : strlen(v);
    if (n == 0 || n > 64 || (version && !tn_version_dotted_ok(version)))
        return tn_err_set(d->err, TN_E_USAGE, key, "'%s' is no distribution, such as ubuntu-22.04", shown(d, v));
    if (tn_known(h->distro))
        return tn_err_set(d->err, TN_E_USAGE, key, "os and os_release contradict each other");
    h->distro = tn_fact_strn(&d->s, d->src, v, n);
    if (version)
        h->distro_version = said(d, version);
    return 0;
}

static int set_kernel(struct describer *d, const char *key, const char *v)
{
    if (!tn_is_digit(*v) || strlen(v) > TN_MAX_VERSION_TEXT)
        return need_version(d, key, tn_is_digit(*v) ? "that" : v);
    TN_THE(&d->s, host)->kernel = said(d, v);
    return 0;
}

static int set_arch(struct describer *d, const char *key, const char *v)
{
    static const char *const words[] = {"x86_64", "aarch64", "amd64", "arm64",   "x86", "i686",
                                        "armv7l", "ppc64le", "s390x", "riscv64", NULL};
    if (!tn_str_in(v, words))
        return not_listed(d, key, v, words);
    TN_THE(&d->s, host)->arch = said(d, strcmp(v, "amd64") == 0 ? "x86_64" : strcmp(v, "arm64") == 0 ? "aarch64" : v);
    return 0;
}

static int set_libc(struct describer *d, const char *key, const char *v)
{
    static const char *const words[] = {"glibc", "musl", NULL};
    struct tn_rec_host *h = TN_THE(&d->s, host);
    if (!tn_str_in(v, words))
        return not_listed(d, key, v, words);
    if (tn_known(h->libc) && !tn_says(h->libc, v))
        return tn_err_set(d->err, TN_E_USAGE, key, "libc and glibc contradict each other");
    h->libc = said(d, v);
    return 0;
}

static int set_glibc(struct describer *d, const char *key, const char *v)
{
    int rc = need_version(d, key, v);
    if (rc || (rc = set_libc(d, key, "glibc")))
        return rc;
    TN_THE(&d->s, host)->libc_version = said(d, v);
    return 0;
}

static int set_driver(struct describer *d, const char *key, const char *v)
{
    struct tn_rec_driver *r = TN_THE(&d->s, driver);
    char text[TN_DOTTED_TEXT];
    if (strcmp(v, "none") == 0) {
        r->loaded = tn_fact_int(d->src, 0);
        r->version = tn_fact_nostr(d->src, TN_ABSENT);
        r->library_version = r->library_path = r->cuda = r->version; /* no part of it */
        return 0;
    }
    int rc = need_version(d, key, v);
    if (rc)
        return rc;
    if (tn_version_dotted_count(v) == 4 && tn_version_windows_driver(v, text)) /* 31.0.15.1694: 516.94 */
        v = text;
    r->loaded = tn_fact_int(d->src, 1);
    r->version = said(d, v);
    r->library_version = said(d, v); /* "driver 550.54.14" means the whole of it */
    r->cuda = tn_probe_cuda_of_driver(&d->s, v);
    return 0;
}

/* "10de:2204", "0x2204"; false for anything else. */
static bool parse_pci(const char *v, unsigned *ret_vendor, unsigned *ret_device)
{
    uint64_t vendor = 0x10de, device;
    size_t n = strlen(v);
    if (n == 9 && v[4] == ':') {
        if (!tn_str_u64(v, 4, 16, &vendor))
            return false;
        v += 5;
    } else if (n != 6 || v[0] != '0' || tn_lower(v[1]) != 'x') {
        return false;
    }
    if (!tn_str_u64(v, strlen(v), 16, &device))
        return false;
    *ret_vendor = (unsigned)vendor;
    *ret_device = (unsigned)device;
    return true;
}

static bool is_capability(const char *v)
{
    size_t n = strlen(v);
    return (n == 3 || n == 4) && v[n - 2] == '.' && tn_is_digit(v[n - 1]) && tn_is_digit(v[0]) && tn_is_digit(v[n - 3]);
}

static void put(struct describer *d, struct tn_str *f, uint32_t src, const char *v)
{
    if (v && *v)
        *f = tn_fact_str(&d->s, src, v);
}

static void gpu_by_pci(struct describer *d, struct tn_rec_gpu *g, unsigned vendor, unsigned device)
{
    g->vendor = said(d, vendor == 0x10de   ? "nvidia"
                        : vendor == 0x1002 ? "amd"
                        : vendor == 0x8086 ? "intel"
                                           : tn_arena_printf(&d->tmp, "0x%04x", vendor));
    g->device_id = said(d, tn_arena_printf(&d->tmp, "0x%04x", device));
    if (vendor == 0x10de)
        tn_probe_gpu_of_table(&d->s, g, device);
}

static void gpu_by_capability(struct describer *d, struct tn_rec_gpu *g, const char *v)
{
    struct tn_facts_capability c = {0};
    g->vendor = said(d, "nvidia");
    g->capability = said(d, v);
    if (tn_facts_capability(v, &c) == TN_ANSWER_YES)
        put(d, &g->architecture, tn_snap_src(&d->s, TN_KNOWN, NULL, "table cuda_arch"), c.architecture);
}

static void gpu_by_name(struct describer *d, struct tn_rec_gpu *g, const char *v, const struct tn_facts_gpu *t)
{
    uint32_t src = tn_snap_src(&d->s, TN_KNOWN, NULL, "table gpus");
    uint64_t device;
    const char *id = tn_facts_get(tn_facts_find("gpus"), t->row, "pci_device_id");
    g->vendor = said(d, "nvidia");
    g->name = said(d, v);
    put(d, &g->name, src, t->name);
    put(d, &g->chip, src, t->chip);
    put(d, &g->architecture, src, t->architecture);
    put(d, &g->capability, src, t->capability);
    if (t->rows == 1 && tn_str_u64(id, strlen(id), 16, &device)) {
        g->device_id = tn_fact_str(&d->s, src, tn_arena_printf(&d->tmp, "0x%04x", (unsigned)device));
        tn_probe_gpu_of_table(&d->s, g, (unsigned)device); /* memory */
    }
}

#define PLAIN 48

/* Lower case without the words that nobody types. */
static void plain(const char *name, char ret[PLAIN])
{
    static const char *const skip[] = {"nvidia ", "geforce ", "tesla ", "quadro "};
    char t[2 * PLAIN];
    const char *from = t;
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof t; n++)
        t[n] = tn_lower(name[n]);
    t[n] = 0;
    for (unsigned i = 0; i < TN_LEN(skip); i++)
        if (tn_str_starts(from, skip[i]))
            from += strlen(skip[i]);
    snprintf(ret, PLAIN, "%.*s", PLAIN - 1, from);
}

static int no_such_gpu(struct describer *d, const char *key, const char *v)
{
    const struct tn_table *t = tn_facts_find("gpus");
    int column = t ? tn_facts_column(t, "name") : -1;
    const char *best = NULL;
    char asked[PLAIN], name[PLAIN];
    unsigned least = 3;
    plain(v, asked);
    for (uint32_t i = 0; column >= 0 && i < t->nrows; i++) {
        plain(tn_facts_cell(t, i, (uint32_t)column), name);
        size_t n = strlen(name), m = strlen(asked);
        unsigned far = n > m + 2 || m > n + 2 ? least : tn_str_distance(asked, name, least);
        if (far < least) {
            least = far;
            best = tn_facts_cell(t, i, (uint32_t)column);
        }
    }
    return wrong(d, key, v, best, "a name of the table gpus, a PCI id (10de:2204), a compute capability (8.6) or none");
}

static int set_gpu(struct describer *d, const char *key, const char *v)
{
    bool none = strcmp(v, "none") == 0;
    struct tn_facts_gpu t = {0};
    unsigned vendor, device;
    if (d->s.gpu.listed == TN_KNOWN && (none || d->s.gpu.n == 0))
        return tn_err_set(d->err, TN_E_USAGE, key, "none, and yet one");
    enum tn_found found = none || is_capability(v) ? TN_ANSWER_NO : tn_facts_gpu_by_name(v, &t);
    bool pci = !none && parse_pci(v, &vendor, &device), named = found == TN_ANSWER_YES || found == TN_ANSWER_OPEN;
    if (!none && !pci && !is_capability(v) && !named)
        return no_such_gpu(d, key, v);
    d->s.gpu.listed = TN_KNOWN;
    d->s.gpu.src = d->src;
    if (none)
        return 0;
    struct tn_rec_gpu *g = TN_ADD(&d->s, gpu);
    if (pci)
        gpu_by_pci(d, g, vendor, device);
    else if (is_capability(v))
        gpu_by_capability(d, g, v);
    else
        gpu_by_name(d, g, v, &t);
    return 0;
}

/* Each step has all before it (x86-64 psABI, microarchitecture levels). */
static const char *const ladder[] = {"ssse3", "sse4_1", "sse4_2", "popcnt",  "avx",
                                     "f16c",  "fma",    "avx2",   "avx512f", NULL};
static const char *const other_flags[] = {
    "asimd",    "asimddp",  "bf16",     "i8mm",     "sve",      "sve2",     "avx512_vnni", "avx512bw",    "avx512cd",
    "avx512dq", "avx512vl", "avx_vnni", "amx_tile", "amx_bf16", "amx_int8", "avx512_bf16", "avx512_fp16", NULL};

static int step_of(const char *flag)
{
    for (int i = 0; ladder[i]; i++)
        if (strcmp(flag, ladder[i]) == 0)
            return i;
    return -1;
}

static int set_cpu(struct describer *d, const char *key, const char *v)
{
    bool lacks = tn_str_starts(v, "no");
    int step = step_of(lacks ? v + 2 : v);
    if (step < 0 && !lacks && tn_str_in(v, other_flags)) {
        for (size_t i = 0; i < d->n_flags; i++)
            if (strcmp(d->flags[i], v) == 0)
                return 0;
        for (const char *const *f = other_flags; *f; f++)
            if (strcmp(*f, v) == 0)
                d->flags[d->n_flags++] = *f;
        return 0;
    }
    if (step < 0) {
        const char *near = nearest(lacks ? v + 2 : v, ladder);
        if (near && lacks)
            near = tn_arena_printf(&d->tmp, "no%s", near);
        return wrong(d, key, v, near, join(d, ladder));
    }
    int level = 1 + (lacks ? step : step + 1);
    if (d->ladder && d->ladder != level)
        return tn_err_set(d->err, TN_E_USAGE, key, "one of avx, noavx, avx2 ... is enough: '%s' says another thing",
                          shown(d, v));
    d->ladder = level;
    return 0;
}

static void finish_cpu(struct describer *d)
{
    if (!d->ladder && !d->n_flags)
        return;
    for (int i = 0; i + 1 < d->ladder; i++)
        d->flags[d->n_flags++] = ladder[i];
    for (size_t i = 1; i < d->n_flags; i++) /* alphabetical, as the schema has it */
        for (size_t k = i; k && strcmp(d->flags[k - 1], d->flags[k]) > 0; k--) {
            const char *t = d->flags[k];
            d->flags[k] = d->flags[k - 1];
            d->flags[k - 1] = t;
        }
    TN_THE(&d->s, cpu)->flags = tn_fact_list(&d->s, d->src, d->flags, d->n_flags);
}

/* What a release's own C library is, unless that was said. */
static void finish_libc(struct describer *d)
{
    struct tn_rec_host *h = TN_THE(&d->s, host);
    struct tn_facts_libc c;
    if (!tn_known(h->distro) || tn_known(h->libc) ||
        tn_facts_libc_of(h->distro.v, tn_known(h->distro_version) ? h->distro_version.v : "", &c) != TN_ANSWER_YES)
        return;
    uint32_t src = tn_snap_src(&d->s, TN_KNOWN, NULL, "table distro_libc");
    h->libc = tn_fact_str(&d->s, src, c.libc);
    put(d, &h->libc_version, src, c.version);
}

static int set_python(struct describer *d, const char *key, const char *v)
{
    int rc = need_version(d, key, v);
    if (rc)
        return rc;
    struct tn_rec_env *e = TN_ADD(&d->s, env);
    e->id = said(d, "env1");
    e->python = said(d, v);
    e->judged = tn_fact_int(d->src, 1);
    e->chosen_by = said(d, "option");
    return 0;
}

static int set_container(struct describer *d, const char *key, const char *v)
{
    static const char *const words[] = {"docker", "podman", "kubernetes", "apptainer", "lxc", "other", "none", NULL};
    if (!tn_str_in(v, words))
        return not_listed(d, key, v, words);
    TN_THE(&d->s, container)->kind = strcmp(v, "none") == 0 ? tn_fact_nostr(d->src, TN_ABSENT) : said(d, v);
    return 0;
}

static const char *const names[] = {"os",     "os_build", "os_release", "kernel", "arch",      "libc", "glibc",
                                    "driver", "gpu",      "cpu",        "python", "container", NULL};
static int (*const setters[])(struct describer *, const char *, const char *) = {
    set_os,    set_os_build, set_os_release, set_kernel, set_arch,   set_libc,
    set_glibc, set_driver,   set_gpu,        set_cpu,    set_python, set_container};

const char *tn_describe_keys(void)
{
    return "os, os_build, os_release, kernel, arch, libc, glibc, driver, gpu, cpu, python, container";
}

static int set_item(struct describer *d, const char *key, const char *value)
{
    for (unsigned i = 0; names[i]; i++) {
        if (strcmp(names[i], key) != 0)
            continue;
        bool many = strcmp(key, "gpu") == 0 || strcmp(key, "cpu") == 0;
        if (!many && d->seen & 1u << i)
            return tn_err_set(d->err, TN_E_USAGE, key, "said twice");
        d->seen |= 1u << i;
        if (!*value)
            return tn_err_set(d->err, TN_E_USAGE, key, "without a value");
        return setters[i](d, names[i], value);
    }
    return wrong(d, NULL, key, nearest(key, names), tn_describe_keys());
}

/* Takes KEY=VALUE up to the next bare comma; a backslash takes the next character as it is. */
static int take_item(struct describer *d, const char **spec)
{
    const char *p = *spec;
    char *text = tn_arena_alloc(&d->tmp, strlen(p) + 1), *equals = NULL;
    size_t n = 0;
    for (; *p && *p != ','; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '=' && !equals)
            equals = text + n;
        text[n++] = *p;
    }
    *spec = p;
    if (!equals)
        return tn_err_set(d->err, TN_E_USAGE, NULL, "'%s' is not KEY=VALUE; keys are %s", shown(d, text),
                          tn_describe_keys());
    *equals = 0;
    struct tn_span key = tn_span_trim(tn_span_str(text)), value = tn_span_trim(tn_span_str(equals + 1));
    return set_item(d, tn_arena_strndup(&d->tmp, (const char *)key.p, key.n),
                    tn_arena_strndup(&d->tmp, (const char *)value.p, value.n));
}

static int take_all(struct describer *d, const char *spec)
{
    int rc = strlen(spec) > TN_MAX_SPEC_TEXT
                 ? tn_err_set(d->err, TN_E_LIMIT, NULL, "longer than %u bytes", TN_MAX_SPEC_TEXT)
                 : take_item(d, &spec);
    while (!rc && *spec) {
        spec++;
        rc = take_item(d, &spec);
    }
    if (!rc) {
        finish_cpu(d);
        finish_libc(d);
    }
    return rc;
}

int tn_describe(const char *spec, struct tn_snap *ret, struct tn_err *err)
{
    struct describer d;
    memset(&d, 0, sizeof d);
    d.err = err;
    tn_arena_init(&d.tmp);
    tn_snap_init(&d.s);
    d.src = tn_snap_src(&d.s, TN_KNOWN, NULL, "described");
    int rc = take_all(&d, spec);
    tn_arena_deinit(&d.tmp);
    if (rc)
        tn_snap_deinit(&d.s);
    else
        *ret = d.s;
    return rc;
}

static void forget(struct tn_snap *s)
{
    s->gpu.n = s->module.n = s->node.n = s->process.n = s->event.n = s->load.n = 0;
    s->gpu.listed = s->module.listed = s->node.listed = s->process.listed = s->event.listed = s->load.listed =
        TN_UNASKED;
    memset(TN_THE(s, driver), 0, sizeof *TN_THE(s, driver));
    memset(TN_THE(s, container), 0, sizeof *TN_THE(s, container));
}

int tn_describe_over(const char *spec, struct tn_snap *s, struct tn_err *err)
{
    struct describer d;
    memset(&d, 0, sizeof d);
    d.err = err;
    tn_arena_init(&d.tmp);
    d.s = *s;
    forget(&d.s);
    d.src = tn_snap_src(&d.s, TN_KNOWN, NULL, "described");
    int rc = take_all(&d, spec);
    *s = d.s;
    tn_arena_deinit(&d.tmp);
    return rc;
}
