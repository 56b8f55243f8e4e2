/* fuzz_explain.c - hostile pasted text: cleaning leaves no control character but line feeds and tabs, no line grows in
 * number, every observation names a line of the text, and what it states completes to rows. */
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "explain/failed.h"
#include "explain/script.h"
#include "explain/signs.h"
#include "probe/stated.h"
#include "snapshot/redact.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static size_t lines_of(struct tn_span s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == '\n';
    return n;
}

/* Signs, and what they come to: every cause has a status and evidence. */
static void rank(struct tn_span clean, struct tn_snap *s)
{
    struct tn_arena mem;
    tn_arena_init(&mem);
    struct tn_signs signs = {.mem = &mem};
    struct tn_sink out;
    struct tn_english *e = tn_arena_array(&mem, 1, sizeof *e);
    tn_sink_init(&out, &mem);
    tn_signs_scan(&signs, clean, 1, s);
    tn_buf_init(&e->text);
    if (tn_english_read(clean, e)) {
        if (lines_of(tn_span_of(e->text.p, e->text.n)) != lines_of(clean) || !e->n_changed)
            abort();
        tn_signs_scan_english(&signs, e, clean, 1, s);
    }
    tn_buf_deinit(&e->text);
    tn_signs_rank(&signs, s, NULL, NULL, &out);
    for (size_t i = 0; i < out.n; i++)
        if (out.v[i].status > TN_POSSIBLE || !out.v[i].n_evidence)
            abort();
    for (size_t i = 0; i < signs.n; i++)
        if (!signs.v[i].count || signs.v[i].first_line > signs.v[i].last_line)
            abort();
    tn_arena_deinit(&mem);
}

/* As a program's output, as its script, and as its log. */
static void ended(const unsigned char *data, size_t size, int64_t lines)
{
    struct tn_script script;
    struct tn_buf one, two;
    bool in_key = false, again = false;
    tn_buf_init(&one);
    tn_buf_init(&two);
    if (tn_failed_from(tn_span_of(data, size), 1) > lines + 1)
        abort();
    tn_script_read(tn_span_of(data, size), &script);
    if (script.summed > lines + 1 || script.data > lines + 1 || script.unsynced > lines + 1)
        abort();
    tn_redact_log(tn_span_of(data, size), &in_key, &one);
    tn_redact_log(tn_span_of(one.p ? one.p : "", one.n), &again, &two);
    tn_buf_deinit(&one);
    tn_buf_deinit(&two);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct tn_buf b;
    struct tn_snap s;
    int64_t lines = 1;
    tn_buf_init(&b);
    tn_explain_clean(tn_span_of(data, size), &b);
    for (size_t i = 0; i < b.n; i++) {
        unsigned char c = (unsigned char)b.p[i];
        if ((c < 32 && c != '\n' && c != '\t') || c == 127)
            abort();
        lines += c == '\n';
    }
    ended(data, size, (int64_t)size);
    tn_snap_init(&s);
    tn_explain_text(tn_span_of(data, size), &s);
    tn_explain_stated(tn_span_of(b.p ? b.p : "", b.n), &s);
    tn_explain_prose(tn_span_of(b.p ? b.p : "", b.n), &s);
    tn_probe_stated(&s);
    rank(tn_span_of(b.p ? b.p : "", b.n), &s);
    tn_buf_deinit(&b);
    for (size_t i = 0; i < s.observation.n; i++) {
        const struct tn_rec_observation *o = &s.observation.v[i];
        if (!tn_known(o->fact) || o->line.v < 1 || o->line.v > lines || (tn_known(o->value) && !*o->value.v))
            abort();
    }
    for (size_t i = 0; i < s.gpu.n; i++)
        if (!tn_says(s.gpu.v[i].vendor, "nvidia") || s.gpu.v[i].used_bytes.v < 0 || s.gpu.v[i].mig_devices.v < 0)
            abort();
    for (size_t i = 0; i < s.process.n; i++)
        if (s.process.v[i].pid.v <= 0)
            abort();
    if (s.gpu.n > 64 || s.process.n > 4096)
        abort();
    tn_snap_deinit(&s);
    return 0;
}
