/* modprobe_text.c - lines of modprobe.d(5): blacklist NAME, alias NAME off, install NAME COMMAND, options NAME ...;
 * '-' and '_' are the same in names; '\' at the end goes on; '#' begins a comment line. On the kernel's command line
 * modprobe.blacklist=a,b (modprobe), rd.driver.blacklist= (dracut), module_blacklist= (the kernel itself refuses).
 *
 * What hands cards to virtual machines (kernel: drivers/vfio/pci/vfio_pci.c and drivers/pci/pci-stub.c, parameter ids:
 * vendor:device[:...], ...; drivers/xen/xen-pciback/pci_stub.c, parameter hide: (dddd:bb:dd.f)(...)). */
#include "probe/modprobe_text.h"

#include <string.h>

#include "base/str.h"

#define MAX_WORD 64u
#define MAX_VALUE 200u
#define MAX_DEVICES 32u

/* "nvidia_drm" as "nvidia-drm"; false for a module of somebody else. */
static bool module_name(struct tn_span word, char ret[MAX_WORD])
{
    if (!word.n || word.n >= MAX_WORD)
        return false;
    for (size_t i = 0; i < word.n; i++)
        ret[i] = word.p[i] == '_' ? '-' : (char)word.p[i];
    ret[word.n] = 0;
    if (tn_str_starts(ret, "nvidiafb"))
        return false;
    return tn_str_starts(ret, "nvidia") || tn_str_eq(ret, "nouveau");
}

static void add(struct tn_snap *s, const char *file, const char *kind, const char *module, struct tn_span value,
                uint32_t src)
{
    if (s->modprobe.n >= TN_MAX_MODPROBE)
        return;
    struct tn_rec_modprobe *m = TN_ADD(s, modprobe);
    m->file = tn_fact_str(s, src, file);
    m->kind = tn_fact_str(s, src, kind);
    m->module = tn_fact_str(s, src, module);
    m->value = value.n ? tn_fact_strn(s, src, value.p, value.n < MAX_VALUE ? value.n : MAX_VALUE)
                       : tn_fact_nostr(src, TN_ABSENT);
}

static bool id_letter(unsigned char c)
{
    return tn_is_digit((char)c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
}

/* "10DE:2204:1043:87b3" to "10de:2204", "01:00.0" to "0000:01:00.0"; NULL for anything else. */
static const char *device_name(struct tn_snap *s, struct tn_span item)
{
    char text[32];
    size_t n = item.n < 12 ? item.n : 12;
    for (size_t i = 0; i < n; i++)
        text[i] = tn_lower((char)item.p[i]);
    text[n] = 0;
    if (n == 7 && text[2] == ':' && text[5] == '.')
        return tn_arena_printf(&s->mem, "0000:%s", text);
    if (n == 12 && text[4] == ':' && text[7] == ':' && text[10] == '.')
        return tn_arena_strdup(&s->mem, text);
    if (n < 9 || text[4] != ':' || (n > 9 && text[9] != ':'))
        return NULL;
    return tn_arena_strndup(&s->mem, text, 9);
}

static void capture(struct tn_snap *s, const char *file, const char *module, struct tn_span value, uint32_t src)
{
    const char *name[MAX_DEVICES];
    uint32_t n = 0;
    for (size_t at = 0, len; at < value.n && n < MAX_DEVICES; at += len + 1) {
        for (len = 0; at + len < value.n && id_letter(value.p[at + len]);)
            len++;
        const char *device = device_name(s, tn_span_of(value.p + at, len));
        if (device)
            name[n++] = device;
    }
    size_t rows = s->modprobe.n;
    if (n)
        add(s, file, "capture", module, value, src);
    if (s->modprobe.n > rows)
        s->modprobe.v[rows].devices = tn_fact_list(s, src, name, n);
}

static bool is_name(struct tn_span word, const char *name)
{
    if (word.n != strlen(name))
        return false;
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] != (unsigned char)name[i] && !(word.p[i] == '_' && name[i] == '-'))
            return false;
    return true;
}

static const struct {
    const char *module, *parameter;
} captors[] = {{"vfio-pci", "ids="}, {"pci-stub", "ids="}, {"xen-pciback", "hide="}};

static bool blank(unsigned char c)
{
    return c == ' ' || c == '\t';
}

static struct tn_span word(struct tn_span *rest)
{
    size_t i = 0, n = 0;
    while (i < rest->n && blank(rest->p[i]))
        i++;
    while (i + n < rest->n && !blank(rest->p[i + n]))
        n++;
    struct tn_span w = tn_span_of(rest->p + i, n);
    *rest = tn_span_from(*rest, i + n);
    return w;
}

/* What follows "options vfio-pci". */
static void capture_options(struct tn_snap *s, const char *file, struct tn_span module, struct tn_span rest,
                            uint32_t src)
{
    for (unsigned i = 0; i < TN_LEN(captors); i++)
        for (struct tn_span w, left = rest; is_name(module, captors[i].module) && (w = word(&left)).n;)
            if (tn_span_starts(w, captors[i].parameter))
                capture(s, file, captors[i].module, tn_span_from(w, strlen(captors[i].parameter)), src);
}

/* "vfio-pci.ids=10de:2204" of the command line. */
static void capture_argument(struct tn_snap *s, const char *file, struct tn_span w, uint32_t src)
{
    size_t dot = tn_span_find(w, 0, ".", 1);
    for (unsigned i = 0; i < TN_LEN(captors) && dot != SIZE_MAX; i++) {
        struct tn_span rest = tn_span_from(w, dot + 1);
        if (is_name(tn_span_of(w.p, dot), captors[i].module) && tn_span_starts(rest, captors[i].parameter))
            capture(s, file, captors[i].module, tn_span_from(rest, strlen(captors[i].parameter)), src);
    }
}

void tn_modprobe_read(struct tn_snap *s, const char *file, struct tn_span text, uint32_t src)
{
    static const char *const kinds[] = {"blacklist", "alias", "install", "options", "softdep"};
    struct tn_span rest = text, line;
    bool goes_on = false;
    while (tn_span_line(&rest, &line)) {
        bool skip = goes_on;
        goes_on = line.n && line.p[line.n - 1] == '\\';
        char name[MAX_WORD];
        struct tn_span verb = word(&line), module = word(&line);
        if (!skip && tn_span_eq(verb, "options"))
            capture_options(s, file, module, line, src);
        if (skip || !module_name(module, name)) /* the tail of a long line says nothing new of a name */
            continue;
        for (unsigned i = 0; i < TN_LEN(kinds); i++)
            if (tn_span_eq(verb, kinds[i]))
                add(s, file, kinds[i], name, tn_span_trim(line), src);
    }
}

void tn_modprobe_cmdline_read(struct tn_snap *s, const char *file, struct tn_span text, uint32_t src)
{
    static const char *const keys[] = {"modprobe.blacklist=", "rd.driver.blacklist=", "module_blacklist="};
    struct tn_span rest = text, w;
    char name[MAX_WORD];
    while ((w = word(&rest)).n) {
        w = tn_span_trim(w);
        capture_argument(s, file, w, src);
        for (unsigned k = 0; k < TN_LEN(keys); k++) {
            if (!tn_span_starts(w, keys[k]))
                continue;
            for (size_t at = strlen(keys[k]), end; at < w.n; at = end + 1) {
                for (end = at; end < w.n && w.p[end] != ',';)
                    end++;
                if (module_name(tn_span_of(w.p + at, end - at), name))
                    add(s, file, "blacklist", name, tn_span_of(w.p, strlen(keys[k]) - 1), src);
            }
        }
        if (tn_span_starts(w, "nvidia.") || tn_span_starts(w, "nvidia-drm.") || tn_span_starts(w, "nvidia_drm.")) {
            size_t dot = tn_span_find(w, 0, ".", 1);
            if (module_name(tn_span_of(w.p, dot), name))
                add(s, file, "options", name, tn_span_from(w, dot + 1), src);
        }
    }
}
