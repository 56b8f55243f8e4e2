/* advice.c - advice that a text repeats and that does harm: said so, with what to do instead.
 *
 * Which words are such advice is data/messages/_advice (fact "advice"). It is no cause and changes no status. */
#include "report/explain.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "snapshot/json.h"
#include "strings.gen.h"

static const struct {
    const char *id, *say;
} advice[] = {{"reinstall-driver", TN_S_ad_reinstall_driver},
              {"secure-boot-off", TN_S_ad_secure_boot_off},
              {"copy-library", TN_S_ad_copy_library},
              {"link-library", TN_S_ad_link_library},
              {"open-nodes", TN_S_ad_open_nodes},
              {"pip-as-root", TN_S_ad_pip_as_root}};

/* Where the driver itself is at fault, installing it anew may be the cure. */
static bool is_apt(const struct tn_report *r, const char *id)
{
    const struct tn_finding *f = r->verdict->first;
    const struct tn_cause *c = f ? tn_cause_find(f->cause) : NULL;
    return strcmp(id, "reinstall-driver") == 0 && c && strcmp(c->layer, "driver") == 0;
}

/* The sentence about the advice of a row; false: the row is none. */
static bool sentence(const struct tn_report *r, size_t row, struct tn_buf *b)
{
    const struct tn_rec_observation *o = &r->judge->s->observation.v[row];
    char number[24];
    if (!tn_says(o->fact, "advice") || !tn_known(o->value))
        return false;
    for (unsigned i = 0; i < TN_LEN(advice); i++) {
        if (strcmp(o->value.v, advice[i].id) != 0 || is_apt(r, advice[i].id))
            continue;
        snprintf(number, sizeof number, "%lld", (long long)(o->line.k == TN_KNOWN ? o->line.v : 0));
        struct tn_arg a[] = {{"line", number}};
        tn_buf_clear(b);
        tn_text_fill(b, tn_string(advice[i].say, r->lang), a, TN_LEN(a));
        return true;
    }
    return false;
}

void tn_report_advice(const struct tn_report *r, struct tn_buf *b)
{
    struct tn_buf line;
    tn_buf_init(&line);
    for (size_t i = 0; i < r->judge->s->observation.n; i++) {
        if (!sentence(r, i, &line))
            continue;
        tn_report_wrap(r, b, line.p, 0, 2);
        tn_buf_ch(b, '\n');
    }
    tn_buf_deinit(&line);
}

json_t *tn_report_advice_json(const struct tn_report *r)
{
    json_t *list = json_array();
    struct tn_buf line;
    tn_buf_init(&line);
    for (size_t i = 0; i < r->judge->s->observation.n; i++) {
        const struct tn_rec_observation *o = &r->judge->s->observation.v[i];
        if (!sentence(r, i, &line))
            continue;
        json_t *item = json_object();
        tn_json_set(item, "id", json_string(o->value.v));
        tn_json_set(item, "line", json_integer(o->line.k == TN_KNOWN ? o->line.v : 0));
        tn_json_set(item, "summary", tn_json_text(line.p));
        tn_json_append(list, item);
    }
    tn_buf_deinit(&line);
    return list;
}
