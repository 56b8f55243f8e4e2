/* step_json.c - a step, and the machine that a plan is for, as data for `tenon apply`. */
#include "plan/step_json.h"

#include <string.h>

#include "base/str.h"
#include "snapshot/json.h"

static const char kinds[TN_STEP_KINDS][12] = {[TN_STEP_PYTHON] = "python",
                                              [TN_STEP_VENV] = "venv",
                                              [TN_STEP_CONDA_ENV] = "conda-env",
                                              [TN_STEP_PACKAGES] = "packages",
                                              [TN_STEP_LINK] = "link",
                                              [TN_STEP_TOOLKIT] = "toolkit",
                                              [TN_STEP_CUDNN] = "cudnn",
                                              [TN_STEP_SEARCH] = "search",
                                              [TN_STEP_IMAGE] = "image",
                                              [TN_STEP_UV] = "uv",
                                              [TN_STEP_WSL] = "wsl",
                                              [TN_STEP_DRIVER] = "driver",
                                              [TN_STEP_CHECK] = "check"};
static const char tools[][12] = {[TN_STEP_BY_PIP] = "pip",
                                 [TN_STEP_BY_UV] = "uv",
                                 [TN_STEP_BY_CONDA] = "conda",
                                 [TN_STEP_BY_VIRTUALENV] = "virtualenv"};

int tn_plan_step_kind_of(const char *word)
{
    for (int i = 0; i < TN_STEP_KINDS; i++)
        if (tn_str_eq(kinds[i], word))
            return i;
    return -1;
}

int tn_plan_step_tool_of(const char *word)
{
    for (unsigned i = 0; i < TN_LEN(tools); i++)
        if (tn_str_eq(tools[i], word))
            return (int)i;
    return -1;
}

static json_t *list(const char *const *v, unsigned n)
{
    json_t *j = tn_json_must(json_array());
    for (unsigned i = 0; i < n; i++)
        tn_json_append(j, tn_json_text(v[i]));
    return j;
}

json_t *tn_plan_step_json(const struct tn_plan_step *s)
{
    const struct {
        const char *key, *value;
    } texts[] = {{"program", s->program},  {"env", s->env},     {"python", s->python}, {"version", s->version},
                 {"into", s->into},        {"image", s->image}, {"index", s->index},   {"find_links", s->find_links},
                 {"override", s->override}};
    json_t *j = tn_json_must(json_object());
    tn_json_set(j, "kind", json_string(kinds[s->kind]));
    tn_json_set(j, "tool", json_string(tools[s->tool]));
    for (unsigned i = 0; i < TN_LEN(texts); i++)
        if (texts[i].value && *texts[i].value)
            tn_json_set(j, texts[i].key, tn_json_text(texts[i].value));
    if (s->named)
        tn_json_set(j, "named", json_true());
    if (s->gpu)
        tn_json_set(j, "gpu", json_true());
    if (s->n_channel)
        tn_json_set(j, "channels", list(s->channel, s->n_channel));
    if (s->n_package)
        tn_json_set(j, "packages", list(s->package, s->n_package));
    return j;
}

json_t *tn_plan_machine_json(const struct tn_plan_machine *m)
{
    json_t *j = tn_json_must(json_object()), *cards = tn_json_must(json_array());
    const char *os = m->windows ? "windows" : m->macos ? "macos" : m->wsl ? "wsl" : "linux";
    tn_json_set(j, "os", json_string(os));
    tn_json_set(j, "arch", json_string(m->arch));
    if (*m->glibc)
        tn_json_set(j, "glibc", tn_json_text(m->glibc));
    if (*m->driver)
        tn_json_set(j, "driver", tn_json_text(m->driver));
    for (unsigned i = 0; i < m->n_card; i++)
        tn_json_append(cards, tn_json_text(m->card[i].name));
    tn_json_set(j, "cards", cards);
    return j;
}
