/* clean_packages.c - see clean_packages.h.
 *
 * Invariant: the package manager is asked first and runs only where its own answer is within bounds (clean/package.h),
 * as root, by its full path, with an environment of ours. */
#include "cmd/clean_packages.h"

#include <string.h>

#include "base/str.h"
#include "clean/package.h"
#include "cmd/applied.h"
#include "os/change.h"
#include "strings.gen.h"

#define ASK_MS 60000u
#define MAX_ANSWER (4u << 20)

static const char *const env[] = {"LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/",
                                  "DEBIAN_FRONTEND=noninteractive", NULL};

static void ask(struct tn_cmd_ctx *c, const struct tn_snap *s, struct tn_clean_package *p)
{
    struct tn_os_run run;
    const char *const *argv = tn_clean_package_simulation(c->mem, p->item);
    p->kind = TN_REMOVAL_FAILED;
    p->package = "";
    if (tn_os_run(argv, env, ASK_MS, MAX_ANSWER, &run, NULL))
        return;
    if (run.timed_out || run.cut)
        p->kind = TN_REMOVAL_UNCLEAR;
    else
        tn_clean_package_judge(c->mem, s, tn_span_of(run.out.p, run.out.n), p);
    if (run.status && p->kind == TN_REMOVAL_FINE)
        p->kind = TN_REMOVAL_FAILED;
    tn_buf_deinit(&run.out);
}

void tn_clean_packages(struct tn_cmd_ctx *c, struct tn_clean_report *r)
{
    const struct tn_clean *k = r->clean;
    r->package = tn_arena_array(c->mem, k->n + 1, sizeof *r->package);
    r->n_package = 0;
    for (size_t i = 0; i < k->n; i++) {
        const struct tn_clean_item *it = &k->item[i];
        if (!tn_clean_goes(it) || !it->by_itself || !tn_clean_package_simulation(c->mem, it))
            continue;
        struct tn_clean_package *p = &r->package[r->n_package++];
        memset(p, 0, sizeof *p);
        p->item = it;
        ask(c, k->s, p);
    }
}

static void said(void *ctx, const char *line, size_t n)
{
    struct tn_buf b;
    (void)ctx;
    tn_buf_init(&b);
    tn_buf_add(&b, line, n);
    tn_buf_ch(&b, '\n');
    tn_os_print_text(2, b.p, b.n);
    tn_buf_deinit(&b);
}

static int run_one(struct tn_cmd_ctx *c, const char *const *argv, struct tn_err *err)
{
    struct tn_os_install how = {.argv = argv, .env = env, .cwd = "/", .said = said, .ctx = c};
    int status = 0;
    int rc = argv ? tn_os_install(&how, &status, err) : 0;
    return rc ? rc : status ? tn_err_set(err, TN_E_IO, argv[0], "it ended with %d", status) : 0;
}

int tn_clean_packages_do(struct tn_cmd_ctx *c, struct tn_clean_report *r)
{
    struct tn_os_sys sys;
    struct tn_err err;
    int rc = 0;
    tn_os_sys(c->mem, &sys);
    for (size_t i = 0; i < r->n_package && !rc; i++) {
        struct tn_clean_package *p = &r->package[i];
        if (p->kind != TN_REMOVAL_FINE)
            continue;
        if (!sys.root) {
            tn_applied_tell(c, TN_S_cl_pk_root, "command", p->item->command, NULL);
            return TN_EXIT_REFUSED;
        }
        tn_os_interrupts_hold();
        rc = run_one(c, tn_clean_package_mark(c->mem, r->clean->s), &err);
        if (!rc)
            rc = run_one(c, tn_clean_package_removal(c->mem, p->item), &err);
        p->done = !rc;
    }
    return rc ? tn_applied_fail(c, &err) : 0;
}
