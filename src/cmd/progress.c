/* progress.c - on a terminal alone, and only when it takes long: how many folders have been searched. */
#include <string.h>

#include "cmd/cmd.h"
#include "os/os.h"
#include "strings.gen.h"

void tn_cmd_progress_start(struct tn_cmd_progress *p, const struct tn_cmd_ctx *c)
{
    *p = (struct tn_cmd_progress){c, tn_os_monotonic_us(), 0};
}

void tn_cmd_progress_tick(void *ctx, uint64_t folders)
{
    struct tn_cmd_progress *p = ctx;
    uint64_t now = tn_os_monotonic_us();
    if (now - p->since < 1000000 || (p->shown && now - p->shown < 200000) || !tn_os_is_tty(2))
        return;
    char n[32];
    struct tn_buf b;
    struct tn_arg a[] = {{"n", n}};
    tn_buf_init(&b);
    tn_buf_printf(&b, "%llu", (unsigned long long)folders);
    memcpy(n, b.p, b.n + 1);
    tn_buf_clear(&b);
    tn_buf_ch(&b, '\r');
    tn_text_fill(&b, tn_s(p->c, TN_S_find_progress), a, 1);
    tn_os_print_text(2, b.p, b.n);
    tn_buf_deinit(&b);
    p->shown = now;
}

void tn_cmd_progress_clear(const struct tn_cmd_progress *p)
{
    if (p->shown)
        tn_os_print(2, "\r                                        \r", 42);
}
