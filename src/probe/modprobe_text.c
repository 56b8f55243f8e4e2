/* modprobe_text.c - lines of modprobe.d(5): blacklist NAME, alias NAME off, install NAME COMMAND, options NAME ...;
 * '-' and '_' are the same in names; '\' at the end goes on; '#' begins a comment line. On the kernel's command line
 * modprobe.blacklist=a,b (modprobe), rd.driver.blacklist= (dracut), module_blacklist= (the kernel itself refuses). */
#include "probe/modprobe_text.h"

#include <string.h>

#include "base/str.h"

#define MAX_WORD 64u
#define MAX_VALUE 200u

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
