/* fixes.c - the way out of a cause that only a text names: the "fix:" lines of data/messages, with what the text says.
 *
 * A remedy whose sentence or command would keep a hole is left out: the text did not say that, and what is offered must
 * be right to type. The interpreter is "python", which is the environment's own where one is active. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "explain/judge.h"
#include "finding/catalogue.h"

/* The framework that is stated last, else the one that the text is about; NULL if that is open. */
static const char *framework_of(const struct tn_signs *signs, const struct tn_snap *s)
{
    static const char *const name[] = {"torch", "tensorflow", "jax", "onnxruntime"};
    const struct tn_weigh w = {.signs = signs, .s = s};
    for (size_t i = s->framework.n; i-- > 0;)
        for (unsigned k = 0; k < TN_LEN(name); k++)
            if (tn_says(s->framework.v[i].name, name[k]))
                return name[k];
    for (unsigned k = 0; k < TN_LEN(name); k++)
        if (tn_weigh_part(&w, name[k]))
            return name[k];
    return NULL;
}

static void arguments(struct tn_sink *out, struct tn_remedy *r, const char *framework, const struct tn_signs *signs,
                      const struct tn_snap *s)
{
    const struct tn_weigh w = {.signs = signs, .s = s};
    bool windows = tn_weigh_os(&w, "windows") || (tn_weigh_told(&w, "names.windows") != SIZE_MAX &&
                                                  !tn_weigh_os(&w, "linux") && !tn_weigh_os(&w, "wsl2"));
    tn_remedy_arg(out, r, "python", "python");
    tn_remedy_arg(out, r, "conda", "conda");
    tn_remedy_arg(out, r, "shell", "%s", windows ? "powershell" : "bash");
    if (framework) {
        tn_remedy_arg(out, r, "framework", "%s", framework);
        tn_remedy_arg(out, r, "package", "%s", framework);
        tn_remedy_arg(out, r, "name", "%s", framework);
    }
    if (tn_known(TN_THE(s, driver)->version))
        tn_remedy_arg(out, r, "driver", "%s", TN_THE(s, driver)->version.v);
}

/* "{word}" that nothing filled. */
static bool has_hole(const char *text)
{
    for (; (text = strchr(text, '{')) != NULL; text++) {
        size_t n = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_");
        if (n && text[1 + n] == '}')
            return true;
    }
    return false;
}

/* Whole sentences, and a command where it has some for this system. */
static bool is_whole(const struct tn_remedy *r, const struct tn_snap *s)
{
    struct tn_remedy_text t;
    struct tn_buf b;
    bool ok = tn_remedy_find(r->id, &t);
    tn_buf_init(&b);
    for (unsigned lang = 0; ok && lang < TN_LANGS; lang++) {
        tn_text_fill(&b, t.title[lang], r->arg, r->n_arg);
        tn_text_fill(&b, t.changes[lang], r->arg, r->n_arg);
        tn_text_fill(&b, t.undo[lang], r->arg, r->n_arg);
    }
    ok = ok && !has_hole(b.n ? b.p : "");
    tn_buf_clear(&b);
    ok = ok && (!t.n_command || tn_remedy_command(&b, r, s, TN_SHELL_SH));
    tn_buf_deinit(&b);
    return ok;
}

void tn_explain_fixes(struct tn_sink *out, struct tn_finding *f, const struct tn_signs *signs, const struct tn_snap *s)
{
    const char *framework = framework_of(signs, s);
    for (unsigned i = 0; i < tn_n_form_fixs && f->n_remedy < TN_MAX_REMEDIES; i++) {
        const struct tn_form_fix *x = &tn_form_fixs[i];
        if (strcmp(tn_form_pool + x->cause, f->cause) != 0 || !tn_signs_hold(signs, s, NULL, x->cond, x->n_cond))
            continue;
        const char *id = tn_form_pool + x->remedy, *variant = strchr(id, '@');
        struct tn_remedy *r =
            tn_find_remedy(out, f, variant ? tn_arena_strndup(out->mem, id, (size_t)(variant - id)) : id,
                           variant ? variant + 1 : NULL);
        arguments(out, r, framework, signs, s);
        if (!is_whole(r, s))
            f->n_remedy--;
    }
}
