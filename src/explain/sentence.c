/* sentence.c - see sentence.h. */
#include "explain/sentence.h"

#include <string.h>

#include "base/str.h"

/* Each sentence of a line tells of its own. */
static void split(char *low, unsigned line, void (*on)(void *, char *, unsigned), void *ctx)
{
    char *from = low;
    for (char *p = low; *p; p++) {
        bool ends = strchr(".!?;", *p) && p[1] == ' ' && !(p - from >= 3 && strncmp(p - 3, "ver", 3) == 0);
        bool wide =
            tn_str_starts(p, "。") || tn_str_starts(p, "；") || tn_str_starts(p, "！") || tn_str_starts(p, "？");
        if (!ends && !wide)
            continue;
        *p = 0;
        on(ctx, from, line);
        p += wide ? 2 : 0;
        from = p + 1;
    }
    on(ctx, from, line);
}

void tn_sentences(struct tn_span clean, void (*on)(void *ctx, char *low, unsigned line), void *ctx)
{
    struct tn_span rest = clean, line;
    char low[TN_SENTENCE_ROW + 1];
    memset(low, 0, sizeof low);
    for (unsigned number = 1; tn_span_line(&rest, &line); number++) {
        if (line.n > TN_SENTENCE_ROW)
            continue;
        for (size_t i = 0; i < line.n; i++)
            low[i] = tn_lower((char)line.p[i]);
        low[line.n] = 0;
        split(low, number, on, ctx);
    }
}
