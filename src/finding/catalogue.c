/* catalogue.c - see catalogue.h. Texts come from catalogue.gen.c, which the build makes from data/. */
#include "finding/catalogue.h"

#include <string.h>

#include "base/str.h"

const struct tn_cause *tn_cause_find(const char *slug)
{
    for (unsigned i = 0; slug && i < tn_n_causes; i++)
        if (strcmp(tn_causes[i].slug, slug) == 0)
            return &tn_causes[i];
    return NULL;
}

const char *tn_cause_title(const struct tn_cause *c, enum tn_lang lang)
{
    return tn_string_pool + c->title[lang];
}

const char *tn_cause_why(const struct tn_cause *c, enum tn_lang lang)
{
    return tn_string_pool + c->why[lang];
}

const char *tn_cause_see(const struct tn_cause *c)
{
    return tn_string_pool + c->see;
}

const char *tn_cause_behind(const struct tn_cause *c, unsigned i)
{
    return i < c->n_behind ? tn_string_pool + tn_cause_words[c->behind + i] : NULL;
}

const char *tn_cause_remedy(const struct tn_cause *c, unsigned i)
{
    return i < c->n_remedy ? tn_string_pool + tn_cause_words[c->remedy + i] : NULL;
}

struct tn_cause_def tn_cause_def_at(unsigned i)
{
    const char *pool = tn_string_pool;
    const struct tn_cause_def_row *r = &tn_cause_def_rows[i];
    return (struct tn_cause_def){pool + r->slug, pool + r->layer, {pool + r->text[TN_EN], pool + r->text[TN_ZH]}};
}

bool tn_remedy_find(const char *id, struct tn_remedy_text *ret)
{
    const char *pool = tn_string_pool;
    for (unsigned i = 0; id && i < tn_n_remedies; i++) {
        const struct tn_remedy_row *r = &tn_remedy_rows[i];
        if (strcmp(pool + r->id, id) != 0)
            continue;
        *ret = (struct tn_remedy_text){.id = pool + r->id,
                                       .title = {pool + r->title[TN_EN], pool + r->title[TN_ZH]},
                                       .changes = {pool + r->changes[TN_EN], pool + r->changes[TN_ZH]},
                                       .undo = {pool + r->undo[TN_EN], pool + r->undo[TN_ZH]},
                                       .size = pool + r->size,
                                       .source = pool + r->source,
                                       .needs = pool + r->needs,
                                       .command = r->command,
                                       .n_command = r->n_command};
        return true;
    }
    return false;
}

const char *tn_remedy_template(const struct tn_remedy_text *t, unsigned i, const char **ret_variant)
{
    const struct tn_command_row *c = &tn_command_rows[t->command + i];
    *ret_variant = tn_string_pool + c->variant;
    return tn_string_pool + c->text;
}

const char *tn_cause_json_layer(const struct tn_cause *c)
{
    static const char *const parent[][2] = {
        {"wsl", "driver"}, {"runtime", "driver"}, {"gpu-code", "framework"}, {"build", "cuda"}};
    for (unsigned i = 0; i < TN_LEN(parent); i++)
        if (strcmp(c->layer, parent[i][0]) == 0)
            return parent[i][1];
    return c->layer;
}

static const char *value_of(const struct tn_arg *arg, unsigned n, const char *key, size_t len)
{
    for (unsigned i = 0; i < n; i++)
        if (strlen(arg[i].key) == len && memcmp(arg[i].key, key, len) == 0)
            return arg[i].value;
    return NULL;
}

void tn_text_fill(struct tn_buf *ret, const char *text, const struct tn_arg *arg, unsigned n_arg)
{
    while (*text) {
        size_t plain = strcspn(text, "{");
        tn_buf_add(ret, text, plain);
        text += plain;
        const char *end = *text ? strchr(text, '}') : NULL;
        if (end == NULL) {
            tn_buf_str(ret, text);
            return;
        }
        const char *value = value_of(arg, n_arg, text + 1, (size_t)(end - text - 1));
        if (value)
            tn_buf_str(ret, value);
        else
            tn_buf_add(ret, text, (size_t)(end - text + 1));
        text = end + 1;
    }
}

static const struct tn_say_row *pick(const struct tn_cause *c, const char *variant)
{
    const struct tn_say_row *say = &tn_say_rows[c->say];
    for (unsigned i = 0; variant && i < c->n_say; i++)
        if (strcmp(tn_string_pool + say[i].variant, variant) == 0)
            return &say[i];
    return c->n_say ? &say[0] : NULL;
}

void tn_finding_say(struct tn_buf *ret, const struct tn_finding *f, enum tn_lang lang)
{
    const struct tn_cause *c = tn_cause_find(f->cause);
    if (c == NULL) {
        tn_buf_str(ret, f->cause);
        return;
    }
    const struct tn_say_row *say = pick(c, f->variant);
    /* What could not be looked at has no arguments to fill a sentence with: its name is all there is to say. The same
     * holds of a cause that a text alone names ("log"), unless a sentence was written for that. */
    bool unfilled =
        f->variant && strcmp(f->variant, "log") == 0 && say && strcmp(tn_string_pool + say->variant, "log") != 0;
    if (say == NULL || unfilled || f->status == TN_UNTESTABLE || f->status == TN_RULED_OUT)
        tn_buf_str(ret, tn_cause_title(c, lang));
    else
        tn_text_fill(ret, tn_string_pool + say->text[lang], f->arg, f->n_arg);
}

void tn_remedy_say(struct tn_buf *ret, const struct tn_remedy *r, enum tn_lang lang)
{
    struct tn_remedy_text t;
    tn_text_fill(ret, tn_remedy_find(r->id, &t) ? t.title[lang] : r->id, r->arg, r->n_arg);
}

const char *tn_string(const char *id, enum tn_lang lang)
{
    unsigned low = 0, high = tn_n_strings;
    while (low < high) {
        unsigned mid = low + (high - low) / 2;
        int c = strcmp(id, tn_string_pool + tn_strings[mid].id);
        if (c == 0)
            return tn_string_pool + tn_strings[mid].text[lang];
        if (c < 0)
            high = mid;
        else
            low = mid + 1;
    }
    return NULL;
}

const char *tn_string_date(void)
{
    return tn_catalogue_date;
}
