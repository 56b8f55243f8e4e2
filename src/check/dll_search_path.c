/* dll_search_path.c - the DLLs that a framework opens lie in folders of PATH, and its Python does not search PATH.
 *
 * A Python of the Microsoft Store is a packaged program: bare names are looked for in its package graph, beside the
 * program and in System32, never on PATH. Sources: Microsoft Learn, "Dynamic-link library search order", section
 * "Search order for packaged apps"; CPython documentation, "Using Python on Windows", 4.2.1 (Known issues of the
 * Microsoft Store package). */
#include "check/look.h"
#include "check/takes.h"
#include "version/dotted.h"

static void judge(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    const char *asks[TN_MAX_ASKS];
    const struct tn_rec_framework *fw = &j->s->framework.v[row];
    struct tn_finding *f = NULL;
    const char *names = "";
    unsigned n = tn_look_asks(j->s, fw, asks);
    for (unsigned i = 0; i < n; i++) {
        size_t at = tn_look_library(j, fw, asks[i]);
        struct tn_takes_answer a;
        if (at == j->s->library.n)
            continue;
        tn_check_takes(j, at, &a);
        if (!a.path_unused)
            continue;
        if (!f) {
            f = tn_find(out, TN_CONFIRMED, TN_REF(library, at, path));
            f->variant = "store";
            tn_look_name(out, f, j, row);
        }
        names = tn_arena_printf(out->mem, "%s%s%s", names, *names ? ", " : "", asks[i]);
        tn_find_evidence(f, TN_REF(library, at, path));
    }
    if (!f)
        return;
    tn_find_arg(out, f, "names", "%s", names);
    tn_find_evidence(f, TN_REF(env, j->env_row, kind));
    const char *python = tn_look_text(j->env->python, "3.10");
    char two[TN_DOTTED_TEXT];
    struct tn_remedy *r = tn_find_remedy(out, f, "python-org", NULL);
    tn_remedy_arg(out, r, "python", "%s", tn_version_dotted_head(python, 2, two, sizeof two) ? two : python);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    if (!tn_says(TN_THE(j->s, host)->os, "windows") || !tn_check_is_store(j))
        return;
    while (tn_judge_framework(j, &row)) {
        if (j->s->library.listed != TN_KNOWN || j->s->search.listed != TN_KNOWN)
            tn_untestable(out, j->s->library.listed != TN_KNOWN ? TN_REF_REC(library) : TN_REF_REC(search));
        else
            judge(j, out, row - 1);
    }
}

TN_CHECK(dll_search_path, "dll-search-path", run, .needs = TN_NEEDS_LIBRARY | TN_HAS(search));
