/* apply_place.c - `tenon apply cudnn:FILE... --into FOLDER`: archives of cuDNN or CUDA that somebody has fetched,
 * placed into a toolkit's folder as a full set, or not at all. No PATH, no registry, no other folder is touched. */
#include "cmd/apply_place.h"

#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "cmd/applied.h"
#include "place/place.h"
#include "snapshot/json.h"
#include "strings.gen.h"

#define MAX_ARCHIVES 64u

struct placing {
    struct tn_cmd_ctx *c;
    const char *archive[MAX_ARCHIVES];
    unsigned n;
    bool cudnn, cuda;
    const char *into, *stage, *goal;
    bool there;
    struct tn_tx *tx;
    struct tn_placed placed;
    struct tn_place_part part[MAX_ARCHIVES];
};

static const char *after_colon(const char *word, const char *head)
{
    return tn_str_starts(word, head) && word[strlen(head)] ? word + strlen(head) : NULL;
}

bool tn_apply_is_place(const struct tn_cmd_ctx *c)
{
    for (unsigned i = 0; i < c->n_arg; i++)
        if (after_colon(c->arg[i], "cudnn:") || after_colon(c->arg[i], "cuda:"))
            return true;
    return false;
}

static int read_words(struct placing *p)
{
    struct tn_cmd_ctx *c = p->c;
    const char *into = tn_opt_value(c, TN_OPT_INTO);
    for (unsigned i = 0; i < c->n_arg; i++) {
        const char *cudnn = after_colon(c->arg[i], "cudnn:"), *cuda = after_colon(c->arg[i], "cuda:");
        if ((!cudnn && !cuda) || p->n == MAX_ARCHIVES) {
            tn_cmd_say(c, "%s", tn_s(c, TN_S_ap_place_words));
            return TN_EXIT_USAGE;
        }
        p->cudnn = p->cudnn || cudnn;
        p->cuda = p->cuda || cuda;
        p->archive[p->n++] = cudnn ? cudnn : cuda;
    }
    if (!into) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_ap_place_into));
        return TN_EXIT_USAGE;
    }
    const char *cwd = into[0] == '/' ? "" : tn_os_cwd(c->mem);
    p->into = into[0] == '/' ? into : tn_arena_printf(c->mem, "%s/%s", cwd ? cwd : "", into);
    return 0;
}

/* Fills the stage: unpacked beside what is there, then moved among it. */
static int fill(struct placing *p, struct tn_err *err)
{
    static const char *const temporary = ".tenon-place";
    struct tn_os_dir *stage, *into;
    int rc = tn_os_dir_open(p->stage, &stage, err);
    if (rc)
        return rc;
    rc = tn_os_dir_ensure(stage, temporary, &into, err);
    if (!rc) {
        struct tn_place how = {.archive = p->archive,
                               .n_archive = p->n,
                               .cudnn = p->cudnn ? "" : NULL,
                               .cuda = "",
                               .part = NULL,
                               .into = into};
        rc = tn_place_archives(p->c->mem, &how, &p->placed, p->part, err);
        tn_os_dir_close(into);
    }
    if (!rc)
        rc = tn_os_tree_merge(stage, temporary, err);
    tn_os_dir_close(stage);
    return rc;
}

static int record(struct placing *p, struct tn_err *err)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_placed_write(&p->placed, &b);
    int rc = tn_os_dir_write(tn_tx_folder(p->tx), "placed", b.p, b.n, 0600, err);
    tn_buf_deinit(&b);
    return rc;
}

static int say_done(struct placing *p)
{
    struct tn_cmd_ctx *c = p->c;
    struct tn_buf b;
    tn_buf_init(&b);
    if (tn_opt_on(c, TN_OPT_JSON)) {
        tn_json_seed();
        json_t *list = tn_json_must(json_array());
        for (size_t i = 0; i < p->placed.n; i++)
            if (p->placed.v[i].type != 'd')
                tn_json_append(list, tn_json_text(tn_arena_printf(c->mem, "%s/%s", p->into, p->placed.v[i].path)));
        json_t *j = json_pack("{s:i, s:s, s:s, s:i, s:[], s:o}", "schema_version", 1, "command", "apply", "status",
                              "done", "id", (int)tn_tx_id_of(p->tx), "steps", "changed", list);
        tn_json_dump(&b, tn_json_must(j), 1);
        json_decref(j);
        c->document = true;
    } else {
        size_t files = 0;
        bool listed = true;
        for (size_t i = 0; i < p->placed.n; i++)
            files += p->placed.v[i].type != 'd';
        for (unsigned i = 0; i < p->n; i++)
            listed = listed && p->part[i].listed;
        tn_applied_add(c, &b, TN_S_ap_placed, "files", tn_arena_printf(c->mem, "%zu", files), "path", p->into, NULL);
        tn_buf_ch(&b, '\n');
        tn_applied_add(c, &b, listed ? TN_S_ap_placed_listed : TN_S_ap_placed_unlisted, NULL);
        tn_buf_ch(&b, '\n');
        tn_applied_add(c, &b, TN_S_ap_back, "command", tn_arena_printf(c->mem, "tenon undo %u", tn_tx_id_of(p->tx)),
                       NULL);
        tn_buf_ch(&b, '\n');
    }
    int rc = tn_cmd_print(c, &b, TN_EXIT_OK);
    tn_buf_deinit(&b);
    return rc;
}

static int work(struct placing *p, struct tn_state *s)
{
    struct tn_err err;
    int rc = tn_tx_begin(s, "apply", p->goal, &p->tx, &err);
    if (!rc)
        rc = p->there ? tn_tx_swap(p->tx, p->into, &p->stage, &err) : tn_tx_put(p->tx, p->into, &p->stage, &err);
    if (!rc)
        rc = fill(p, &err);
    if (!rc)
        rc = record(p, &err);
    if (!rc)
        rc = tn_tx_commit(p->tx, &err);
    if (!rc)
        return say_done(p);
    tn_applied_tell(p->c, TN_S_ap_failed, "why",
                    tn_arena_printf(p->c->mem, "%s%s%s", err.place, *err.place ? ": " : "", err.text), NULL);
    bool refused =
        err.code == TN_E_REFUSED || err.code == TN_E_FORMAT || err.code == TN_E_LIMIT || err.code == TN_E_DENIED;
    return refused ? TN_EXIT_REFUSED : TN_EXIT_UNFINISHED;
}

int tn_apply_place(struct tn_cmd_ctx *c)
{
    struct placing *p = tn_arena_alloc(c->mem, sizeof *p);
    struct tn_state *s;
    struct tn_os_stat st;
    struct tn_buf b;
    int status = 0;
    memset(p, 0, sizeof *p);
    p->c = c;
    int rc = read_words(p);
    if (rc)
        return rc;
    p->there = tn_os_stat(NULL, p->into, false, &st, NULL) == 0;
    tn_buf_init(&b);
    for (unsigned i = 0; i < p->n; i++)
        tn_buf_printf(&b, "%s%s", i ? " " : "", tn_path_base(TN_PATH_POSIX, p->archive[i]));
    p->goal = tn_arena_strdup(c->mem, b.p);
    tn_buf_clear(&b);
    tn_applied_add(c, &b, TN_S_ap_ask_place, "what", p->goal, "path", p->into, NULL);
    bool agreed = tn_applied_agreed(c, b.p, &status);
    tn_buf_deinit(&b);
    if (!agreed)
        return status;
    tn_os_interrupts_hold();
    rc = tn_applied_open(c, &s);
    if (rc)
        return rc;
    rc = work(p, s);
    tn_tx_end(p->tx);
    tn_state_close(s);
    return rc;
}
