/* harness.c - what `tenon verify` does to a machine, with the files handed in: for machines that are not there.
 * usage: harness LEVEL DEADLINE_MS LIBCUDA LAYER=FILE...   LEVEL: quick, full, of every card; quick:1: of that. Prints
 * the document; the status is verify's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/verify.h"
#include "probe/measured.h"
#include "report/verify.h"

static bool add(char *word, struct tn_verify_library *ret)
{
    char *eq = strchr(word, '=');
    if (!eq)
        return false;
    *eq = 0;
    for (unsigned i = 0; i < TN_VERIFY_LAYERS; i++)
        if (strcmp(word, tn_verify_layers[i].name) == 0) {
            *ret = (struct tn_verify_library){.layer = i, .file = eq + 1};
            return true;
        }
    return false;
}

int main(int argc, char **argv)
{
    static const int status[] = {[TN_VERIFY_OK] = 0, [TN_VERIFY_FAILED] = 1, [TN_VERIFY_PARTLY] = 3};
    struct tn_verify_library libs[TN_VERIFY_LAYERS];
    struct tn_verify v = {.library = libs};
    struct tn_snap s;
    struct tn_buf told, out;
    struct tn_arena mem;
    if (argc < 4)
        return 2;
    v.gpu = strchr(argv[1], ':') ? (int)strtol(strchr(argv[1], ':') + 1, NULL, 10) : -1;
    v.full = strncmp(argv[1], "full", 4) == 0;
    v.deadline_ms = (unsigned)strtoul(argv[2], NULL, 10);
    v.cuda = argv[3];
    for (int i = 4; i < argc && v.n_library < TN_VERIFY_LAYERS; i++)
        if (!add(argv[i], &libs[v.n_library++]))
            return 2;
    tn_buf_init(&told);
    tn_buf_init(&out);
    tn_arena_init(&mem);
    tn_snap_init(&s);
    tn_verify_run(&v, &told);
    tn_probe_measured(&s, tn_span_of(told.p, told.n), tn_snap_src(&s, TN_KNOWN, NULL, "verify"));
    const struct tn_verify_report r = {.s = &s, .mem = &mem, .lang = TN_EN};
    tn_verify_json(&r, &out);
    fwrite(out.p, 1, out.n, stdout);
    int rc = status[tn_verify_outcome(&s)];
    tn_snap_deinit(&s);
    tn_arena_deinit(&mem);
    tn_buf_deinit(&out);
    tn_buf_deinit(&told);
    return rc;
}
