/* judge_xid.c - an Xid that no message form weighs by its number: whose fault the table says it mostly is.
 *
 * The class names the likeliest first ("application or hardware"); what was handled or is only to be watched is a hint.
 * Source: table xid (NVIDIA's Xid catalogue). */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "explain/judge.h"
#include "facts/error.h"

static const char *cause_of(const char *word)
{
    static const struct {
        const char *word, *cause;
    } of[] = {{"application", "illegal-access"}, {"hardware", "gpu-hardware-fault"}, {"bus", "gpu-hardware-fault"},
              {"link", "gpu-hardware-fault"},    {"power", "gpu-hardware-fault"},    {"driver", "driver-bug"}};
    for (unsigned i = 0; i < TN_LEN(of); i++)
        if (tn_str_starts(word, of[i].word))
            return of[i].cause;
    return NULL;
}

static void weigh(const struct tn_weigh *w, const char *class, size_t row)
{
    bool mild = strstr(class, "handled") || strstr(class, "watch") || strstr(class, "follow-up");
    int weight = mild ? 35 : 60;
    for (const char *p = class; *p; p++) {
        const char *cause = p == class || p[-1] == ' ' || p[-1] == '/' ? cause_of(p) : NULL;
        if (!cause)
            continue;
        tn_weigh_add(w, cause, weight, row);
        weight = weight > 40 ? 40 : 20;
    }
}

void tn_judge_xid(const struct tn_weigh *w)
{
    struct tn_facts_xid x;
    for (size_t i = 0; i < w->s->observation.n; i++) {
        const struct tn_rec_observation *o = &w->s->observation.v[i];
        if (tn_says(o->fact, "xid.code") && tn_known(o->value) &&
            tn_facts_xid((int)strtol(o->value.v, NULL, 10), &x) == TN_ANSWER_YES)
            weigh(w, x.cause_class, i);
    }
}
