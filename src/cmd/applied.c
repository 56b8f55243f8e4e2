/* applied.c - see applied.h. */
#include "cmd/applied.h"

#include <string.h>

#include "base/str.h"
#include "cmd/unreached.h"
#include "report/escape.h"
#include "strings.gen.h"

static void fill(const struct tn_cmd_ctx *c, struct tn_buf *b, const char *id, va_list ap)
{
    struct tn_arg a[TN_MAX_ARGS];
    unsigned n = 0;
    for (const char *key; n < TN_MAX_ARGS && (key = va_arg(ap, const char *)); n++)
        a[n] = (struct tn_arg){key, va_arg(ap, const char *)};
    tn_text_fill(b, tn_s(c, id), a, n);
}

void tn_applied_tell(const struct tn_cmd_ctx *c, const char *id, ...)
{
    struct tn_buf b;
    va_list ap;
    tn_buf_init(&b);
    va_start(ap, id);
    fill(c, &b, id, ap);
    va_end(ap);
    tn_cmd_say(c, "%s", b.p);
    tn_buf_deinit(&b);
}

void tn_applied_add(const struct tn_cmd_ctx *c, struct tn_buf *ret, const char *id, ...)
{
    struct tn_buf b;
    va_list ap;
    tn_buf_init(&b);
    va_start(ap, id);
    fill(c, &b, id, ap);
    va_end(ap);
    tn_escape_terminal(ret, b.p);
    tn_buf_deinit(&b);
}

int tn_applied_fail(const struct tn_cmd_ctx *c, const struct tn_err *err)
{
    tn_cmd_fail(c, err);
    switch (err->code) {
    case TN_E_USAGE: return TN_EXIT_USAGE;
    case TN_E_DENIED:
    case TN_E_REFUSED: return TN_EXIT_REFUSED;
    case TN_E_INTERRUPTED: return TN_EXIT_INTERRUPTED;
    default: return TN_EXIT_UNFINISHED;
    }
}

static void mended(void *ctx, unsigned id, const struct tn_tx_record *t, const struct tn_err *why)
{
    struct tn_cmd_ctx *c = ctx;
    const char *number = tn_arena_printf(c->mem, "%u", id);
    bool back = t->state == TN_TX_CANCELLED || t->state == TN_TX_UNDONE;
    if (why)
        tn_applied_tell(c, TN_S_ap_mended_not, "id", number, "goal", t->goal, "why",
                        tn_arena_printf(c->mem, "%s%s%s", why->place, *why->place ? ": " : "", why->text), NULL);
    else
        tn_applied_tell(c, back ? TN_S_ap_mended_back : TN_S_ap_mended_on, "id", number, "goal", t->goal, NULL);
}

/* As root: code of others that runs in us already could do anything with what we make (promise 16). */
static bool preloaded(struct tn_cmd_ctx *c)
{
    struct tn_os_sys sys;
    const char *files = tn_os_preloaded(c->mem);
    tn_os_sys(c->mem, &sys);
    if (!files || !sys.root)
        return false;
    tn_applied_tell(c, TN_S_ap_preloaded, "files", files, NULL);
    return true;
}

int tn_applied_open(struct tn_cmd_ctx *c, struct tn_state **ret)
{
    struct tn_err err;
    if (preloaded(c))
        return TN_EXIT_REFUSED;
    long holder = 0;
    const char *folder = tn_state_folder(c->mem, &err);
    int rc = folder ? tn_state_open(c->mem, folder, mended, c, ret, &holder, &err) : err.code;
    if (rc == TN_E_TIMEOUT) {
        tn_applied_tell(c, holder ? TN_S_ap_busy : TN_S_ap_busy_unknown, "pid", tn_arena_printf(c->mem, "%ld", holder),
                        NULL);
        return TN_EXIT_UNFINISHED;
    }
    return rc ? tn_applied_fail(c, &err) : 0;
}

int tn_applied_look(struct tn_cmd_ctx *c, struct tn_state **ret)
{
    struct tn_err err;
    const char *folder = tn_state_folder(c->mem, &err);
    *ret = NULL;
    if (!folder) /* where it would be is not known: that is not "nothing" */
        return tn_cmd_fail(c, &err);
    int rc = tn_state_look(c->mem, folder, ret, &err);
    return !rc || rc == TN_E_NOTFOUND ? 0 : tn_cmd_fail(c, &err);
}

bool tn_applied_agreed(struct tn_cmd_ctx *c, const char *question, int *ret_status)
{
    char answer[8] = "";
    size_t n;
    if (tn_opt_on(c, TN_OPT_YES))
        return true;
    if (!tn_os_is_tty(0) || !tn_os_is_tty(2)) {
        tn_applied_tell(c, TN_S_ap_say_yes, NULL);
        *ret_status = TN_EXIT_REFUSED;
        return false;
    }
    tn_os_print_text(2, question, strlen(question));
    if (tn_os_stdin_some(answer, sizeof answer - 1, &n, NULL) == 0 && n && (answer[0] == 'y' || answer[0] == 'Y'))
        return true;
    tn_applied_tell(c, TN_S_ap_no, NULL);
    *ret_status = TN_EXIT_REFUSED;
    return false;
}

const char *tn_applied_time(struct tn_arena *mem, int64_t t)
{
    int64_t days = t / 86400, left = t % 86400;
    /* civil date of a day number (proleptic Gregorian calendar, eras of 400 years) */
    int64_t z = days + 719468, era = z / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153, day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
    return tn_arena_printf(mem, "%04d-%02d-%02d %02d:%02d", (int)(yoe + era * 400 + (month <= 2)), (int)month, (int)day,
                           (int)(left / 3600), (int)(left % 3600 / 60));
}

#define TAIL_LINES 12u

void tn_applied_tail(struct tn_cmd_ctx *c, const struct tn_buf *tail)
{
    struct tn_buf b;
    struct tn_span rest = tn_span_of(tail->p, tail->n), line, last[TAIL_LINES];
    unsigned n = 0;
    while (tn_span_line(&rest, &line))
        if (line.n)
            last[n++ % TAIL_LINES] = line;
    if (!n)
        return;
    tn_cmd_say(c, "%s", tn_s(c, TN_S_ap_said));
    tn_buf_init(&b);
    for (unsigned i = n > TAIL_LINES ? n - TAIL_LINES : 0; i < n; i++) {
        tn_buf_str(&b, "    ");
        line = last[i % TAIL_LINES];
        tn_escape_terminal(&b, tn_arena_strndup(c->mem, (const char *)line.p, line.n));
        tn_buf_ch(&b, '\n');
    }
    tn_os_print_text(2, b.p, b.n);
    tn_buf_deinit(&b);
    tn_unreached_say(c, tn_span_of(tail->p, tail->n));
}
