/* apply_progress.c - see apply_progress.h. */
#include "cmd/apply_progress.h"

#include <string.h>

#include "apply/here.h"
#include "base/str.h"
#include "cmd/applied.h"
#include "os/change.h"
#include "report/escape.h"
#include "strings.gen.h"

#define SECOND_US 1000000u
#define ON_TERMINAL_US (1 * SECOND_US)
#define ELSEWHERE_US (30 * SECOND_US)
#define WORTH_A_LINE 1000000u /* bytes */

void tn_apply_progress_begin(struct tn_apply_progress *t, struct tn_cmd_ctx *c, const char *stage, unsigned n,
                             unsigned all, const char *what)
{
    *t = (struct tn_apply_progress){
        .c = c, .stage = stage, .what = what, .n = n, .all = all, .since = tn_os_monotonic_us()};
}

static int add_bytes(void *ctx, const struct tn_os_tree_entry *e, struct tn_err *err)
{
    (void)err;
    if (e->st.type == 'f')
        *(uint64_t *)ctx += e->st.size;
    return 0;
}

/* Of the files in a folder; 0 where there is none. */
static uint64_t bytes_in(struct tn_arena *mem, const char *folder)
{
    struct tn_os_dir *up;
    uint64_t bytes = 0;
    if (tn_os_dir_open(tn_here_dir(mem, folder), &up, NULL))
        return 0;
    tn_os_tree_walk(up, tn_here_base(folder), add_bytes, &bytes, NULL);
    tn_os_dir_close(up);
    return bytes;
}

/* pip fetches into its temporary folder, which is in the stage (apply/do.c). */
static uint64_t fetched(struct tn_apply_progress *t, struct tn_arena *mem)
{
    uint64_t bytes = t->p.several ? 0 : bytes_in(mem, tn_here_join(mem, t->stage, ".tenon-tmp"));
    return bytes > t->before ? bytes - t->before : 0;
}

void tn_apply_progress_line(struct tn_apply_progress *t, const char *line, size_t n)
{
    struct tn_arena mem;
    if (!tn_progress_line(&t->p, tn_span_of(line, n)))
        return;
    tn_arena_init(&mem);
    t->before = 0;
    t->before = fetched(t, &mem);
    tn_arena_deinit(&mem);
}

void tn_apply_progress_told(struct tn_apply_progress *t, const char *file, uint64_t now, uint64_t of)
{
    tn_progress_told(&t->p, file, now, of);
}

static const char *number(struct tn_arena *mem, uint64_t v)
{
    return tn_arena_printf(mem, "%llu", (unsigned long long)v);
}

static const char *tenths(struct tn_arena *mem, uint64_t bytes)
{
    return tn_arena_printf(mem, "%llu.%u", (unsigned long long)(bytes / 1000000), (unsigned)(bytes / 100000 % 10));
}

/* What is fetched, then rate and time left, each where it is known. */
static void say_fetched(struct tn_apply_progress *t, struct tn_arena *mem, struct tn_buf *b)
{
    uint64_t rate = tn_progress_rate(&t->p), left = tn_progress_left(&t->p);
    struct tn_buf name;
    tn_buf_init(&name);
    tn_escape_terminal(&name, t->p.several ? number(mem, t->p.announced) : t->p.name);
    tn_applied_add(t->c, b, t->p.several ? TN_S_ap_fetch_all : TN_S_ap_fetch, "n", number(mem, t->n), "all",
                   number(mem, t->all), "what", name.n ? name.p : "", "now", tenths(mem, t->p.now), "of",
                   tenths(mem, t->p.of), NULL);
    tn_buf_deinit(&name);
    if (rate)
        tn_applied_add(t->c, b, TN_S_ap_fetch_rate, "rate", tenths(mem, rate), NULL);
    if (left)
        tn_applied_add(t->c, b, left < 90 ? TN_S_ap_fetch_seconds : TN_S_ap_fetch_minutes, "left",
                       number(mem, left < 90 ? left : (left + 59) / 60), NULL);
}

static void say(struct tn_apply_progress *t, struct tn_arena *mem, uint64_t now, bool terminal)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_buf_str(&b, terminal ? "\r\033[K" : "");
    if (t->p.of)
        say_fetched(t, mem, &b);
    else
        tn_applied_add(t->c, &b, TN_S_ap_progress, "n", number(mem, t->n), "all", number(mem, t->all), "what", t->what,
                       "mb", number(mem, bytes_in(mem, t->stage) >> 20), "seconds",
                       number(mem, (now - t->since) / SECOND_US), NULL);
    tn_buf_str(&b, terminal ? "" : "\n");
    tn_os_print_text(2, b.p, b.n);
    tn_buf_deinit(&b);
    t->shown = now;
    t->told = t->p.now;
}

void tn_apply_progress_tick(struct tn_apply_progress *t)
{
    bool terminal = tn_os_takes_escapes(2);
    uint64_t now = tn_os_monotonic_us(), wait = !terminal ? ELSEWHERE_US : ON_TERMINAL_US * (t->p.of ? 1 : 2);
    struct tn_arena mem;
    if (tn_opt_on(t->c, TN_OPT_QUIET) || tn_opt_on(t->c, TN_OPT_JSON) || now - t->since < ON_TERMINAL_US ||
        now - (t->p.n_sample ? t->p.sample[t->p.n_sample - 1].us : 0) < ON_TERMINAL_US)
        return;
    tn_arena_init(&mem);
    tn_progress_seen(&t->p, now, fetched(t, &mem));
    if (now - (t->shown ? t->shown : t->since) >= wait &&
        (terminal || (t->p.of >= WORTH_A_LINE && t->p.now != t->told)))
        say(t, &mem, now, terminal);
    tn_arena_deinit(&mem);
}

void tn_apply_progress_clear(const struct tn_apply_progress *t)
{
    if (t->shown && tn_os_takes_escapes(2))
        tn_os_print(2, "\r\033[K", 4);
}
