/* name.c - names that pip must not be asked for: withdrawn ones, placeholders, one letter off; and what a release of
 * TensorFlow or JAX needs held back although nothing tells pip.
 *
 * Sources: tables package_names, never_install, tensorflow_python_pins, python_pins. */
#include <string.h>

#include "base/str.h"
#include "command/inner.h"
#include "facts/names.h"
#include "facts/pins.h"
#include "snapshot/packages.h"
#include "version/dotted.h"

/* Names that are typed often enough to be mistyped. */
static const char *const known[] = {"tensorflow",  "tensorflow-gpu",  "torchvision",  "torchaudio",
                                    "onnxruntime", "onnxruntime-gpu", "protobuf",     "pytorch",
                                    "numpy",       "jaxlib",          "transformers", "cudatoolkit",
                                    "keras",       "bitsandbytes",    "xformers",     NULL};

/* One letter too many, too few, another, or two swapped; a digit is no typing error. */
static const char *nearest(const char *name)
{
    size_t n = strlen(name);
    if (n < 5 || strpbrk(name, "0123456789") || tn_package_is_public(name))
        return NULL;
    for (unsigned i = 0; known[i]; i++)
        if (name[0] == known[i][0] && tn_str_distance(name, known[i], 1) == 1)
            return known[i];
    return NULL;
}

/* The version of "==2.6.0"; "" for anything else. */
static const char *exact(struct tn_mending *m, const char *spec)
{
    const char *v = strncmp(spec, "==", 2) == 0 ? spec + 2 : "";
    return tn_command_is_version(v) ? tn_arena_strdup(m->mem, v) : "";
}

static void rename_to(struct tn_mending *m, unsigned i, struct tn_want *want, const char *name, bool keep_spec,
                      enum tn_mend kind, const char *because)
{
    const char *spec = keep_spec ? want->spec : "";
    const char *text = *want->extras ? tn_arena_printf(m->mem, "%s[%s]%s", name, want->extras, spec)
                                     : tn_arena_printf(m->mem, "%s%s", name, spec);
    tn_mend_word_is(m, i, 1, text, kind);
    if (m->c->n_repair)
        m->c->repair[m->c->n_repair - 1].because = because;
    want->name = name;
    want->spec = spec;
}

/* An index of NVIDIA's own has the real packages. */
static bool has_own_index(const struct tn_mending *m)
{
    return strstr(m->part->index, "nvidia") || strstr(m->part->extra_index, "nvidia") ||
           strstr(m->part->find_links, "nvidia");
}

void tn_mend_name(struct tn_mending *m, unsigned i, struct tn_want *want)
{
    struct tn_facts_package p = {0};
    const char *near = m->prose ? NULL : nearest(want->name);
    if (near && !*want->extras)
        rename_to(m, i, want, near, true, TN_MEND_TYPO, "");
    bool asks = strcmp(m->part->action, "install") == 0 || strcmp(m->part->action, "add") == 0 ||
                strcmp(m->part->action, "download") == 0;
    const char *version = exact(m, want->spec);
    if (!asks || (strncmp(want->name, "nvidia-", 7) == 0 && has_own_index(m)))
        return;
    bool never = !*want->spec && tn_facts_never_install(want->name, &p);
    if (!never && *version && (!tn_facts_package_name(want->name, version, &p) || strcmp(p.kind, "helper") == 0))
        return;
    bool build = p.kind && strcmp(p.kind, "build") == 0;
    if (!p.kind || (build && !*p.instead) || (build && tn_version_dotted_cmp(version, "2.1") < 0))
        return;
    if (*p.instead && strcmp(p.instead, want->name) != 0)
        rename_to(m, i, want, p.instead, build || strcmp(p.kind, "withdrawn") == 0, TN_MEND_NAME, p.cite.notes);
    else if (!*p.instead) {
        tn_mend_note(m, TN_MEND_NEVER, want->name, "", p.cite.notes);
        m->c->refused = true;
    }
}

/* The number of the tightest upper bound: "<1.24" before "<2"; "==2.6.*" before all. */
static bool is_tighter(const char *a, const char *b)
{
    if (strncmp(a, "==", 2) == 0 || strncmp(b, "==", 2) == 0)
        return strncmp(a, "==", 2) == 0;
    const char *x = strrchr(a, '<'), *y = strrchr(b, '<');
    return x && (!y || tn_version_dotted_cmp(x + 1 + (x[1] == '='), y + 1 + (y[1] == '=')) < 0);
}

static bool is_asked(const struct tn_part *part, const char *name)
{
    for (unsigned i = 0; i < part->n_want; i++)
        if (strcmp(part->want[i].name, name) == 0 && *part->want[i].spec)
            return true;
    return false;
}

static void pin_one(struct tn_mending *m, const char *package, const char *version, const char *needs)
{
    struct tn_facts_pin p, best = {0};
    for (uint32_t row = 0; tn_facts_pin_next(package, version, &row, &p);)
        if (strcmp(p.needs, needs) == 0 && strcmp(p.breaks, "nothing") != 0 &&
            (!best.spec || is_tighter(p.spec, best.spec)))
            best = p;
    if (!best.spec || is_asked(m->part, needs))
        return;
    const char *text = tn_arena_printf(m->mem, "%s%s", needs, best.spec);
    unsigned at = m->to < m->w->n ? m->to : m->w->n;
    if (m->w->n == TN_MAX_COMMAND_WORDS || m->part->n_want == TN_MAX_COMMAND_WANTS)
        return;
    tn_mend_note(m, TN_MEND_PIN, "", text, best.cite.notes);
    tn_mend_insert(m, at, text);
    m->part->want[m->part->n_want++] = (struct tn_want){tn_arena_strdup(m->mem, needs), "", text + strlen(needs)};
}

void tn_mend_pins(struct tn_mending *m)
{
    static const char *const needs[] = {"keras", "protobuf", "numpy", "scipy", NULL};
    bool pip = m->part->tool == TN_TOOL_PIP || m->part->tool == TN_TOOL_UV;
    if (!pip || (strcmp(m->part->action, "install") != 0 && strcmp(m->part->action, "add") != 0))
        return;
    for (unsigned i = 0, n = m->part->n_want; i < n; i++) {
        const char *name = m->part->want[i].name, *version = exact(m, m->part->want[i].spec);
        bool known_one = strcmp(name, "tensorflow") == 0 || strcmp(name, "jax") == 0;
        for (unsigned k = 0; known_one && *version && needs[k] && !m->full; k++)
            pin_one(m, name, version, needs[k]);
    }
}
