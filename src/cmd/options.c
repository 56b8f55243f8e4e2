/* options.c - the command line: one table of options, from which parsing, help and suggestions derive. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cmd/cmd.h"
#include "report/report.h"
#include "strings.gen.h"

enum opt_kind { FLAG, VALUE, REPEAT };

static const struct opt {
    const char *name;
    char letter;
    enum opt_kind kind;
    const char *meta;
    const char *about; /* id of an interface string */
} opts[TN_OPT_COUNT] = {
    [TN_OPT_HELP] = {"help", 'h', FLAG, NULL, TN_S_opt_help},
    [TN_OPT_VERSION] = {"version", 'V', FLAG, NULL, TN_S_opt_version},
    [TN_OPT_JSON] = {"json", 0, FLAG, NULL, TN_S_opt_json},
    [TN_OPT_LANG] = {"lang", 0, VALUE, "en|zh", TN_S_opt_lang},
    [TN_OPT_PLAIN] = {"plain", 0, FLAG, NULL, TN_S_opt_plain},
    [TN_OPT_QUIET] = {"quiet", 'q', FLAG, NULL, TN_S_opt_quiet},
    [TN_OPT_VERBOSE] = {"verbose", 'v', FLAG, NULL, TN_S_opt_verbose},
    [TN_OPT_DEBUG] = {"debug", 0, VALUE, "FILE", TN_S_opt_debug},
    [TN_OPT_ENV] = {"env", 'e', VALUE, "PATH|NAME", TN_S_opt_env},
    [TN_OPT_ROOT] = {"root", 0, VALUE, "DIR", TN_S_opt_root},
    [TN_OPT_FROM] = {"from", 0, VALUE, "FILE", TN_S_opt_from},
    [TN_OPT_MACHINE] = {"machine", 0, VALUE, "K=V,...", TN_S_opt_machine},
    [TN_OPT_EXPECT] = {"expect", 0, VALUE, "gpu|cpu|N", TN_S_opt_expect},
    [TN_OPT_DEADLINE] = {"deadline", 0, VALUE, "SECONDS", TN_S_opt_deadline},
    [TN_OPT_STRICT] = {"strict", 0, FLAG, NULL, TN_S_opt_strict},
    [TN_OPT_LIST] = {"list", 0, FLAG, NULL, TN_S_opt_list},
    [TN_OPT_ONLY] = {"only", 0, REPEAT, "GLOB", TN_S_opt_only},
    [TN_OPT_SKIP] = {"skip", 0, REPEAT, "GLOB", TN_S_opt_skip},
    [TN_OPT_RAW] = {"raw", 0, FLAG, NULL, TN_S_opt_raw},
    [TN_OPT_OUTPUT] = {"output", 'o', VALUE, "FILE", TN_S_opt_output},
    [TN_OPT_SCHEMA] = {"schema", 0, FLAG, NULL, TN_S_opt_schema},
    [TN_OPT_INCLUDE_IDS] = {"include-identifiers", 0, FLAG, NULL, TN_S_opt_include_ids},
    [TN_OPT_FORMAT] = {"format", 0, VALUE, "text|json|csv|markdown", TN_S_opt_format},
    [TN_OPT_FULL] = {"full", 0, FLAG, NULL, TN_S_opt_full},
    [TN_OPT_OS] = {"os", 0, VALUE, "linux|windows", TN_S_opt_os},
    [TN_OPT_TF] = {"tf", 0, VALUE, "VERSION,...", TN_S_opt_filter},
    [TN_OPT_TORCH] = {"torch", 0, VALUE, "VERSION,...", TN_S_opt_filter},
    [TN_OPT_JAX] = {"jax", 0, VALUE, "VERSION,...", TN_S_opt_filter},
    [TN_OPT_CUDA] = {"cuda", 0, VALUE, "VERSION,...", TN_S_opt_filter},
    [TN_OPT_CUDNN] = {"cudnn", 0, VALUE, "VERSION,...", TN_S_opt_filter},
    [TN_OPT_DRIVER] = {"driver", 0, VALUE, "VERSION,...", TN_S_opt_filter},
    [TN_OPT_GPU] = {"gpu", 0, VALUE, "NAME", TN_S_opt_filter},
    [TN_OPT_PYTHON] = {"python", 0, VALUE, "VERSION", TN_S_opt_filter},
    [TN_OPT_ALL] = {"all", 'a', FLAG, NULL, TN_S_opt_all},
    [TN_OPT_SORT] = {"sort", 0, VALUE, "KEY", TN_S_opt_sort},
    [TN_OPT_FILTER] = {"filter", 0, REPEAT, "WORD", TN_S_opt_filter_envs},
    [TN_OPT_FOR] = {"for", 0, VALUE, "FRAMEWORK|FILE", TN_S_opt_for},
    [TN_OPT_DOT] = {"dot", 0, FLAG, NULL, TN_S_opt_dot},
    [TN_OPT_NO_JOIN] = {"no-join", 0, FLAG, NULL, TN_S_opt_no_join},
    [TN_OPT_LOG] = {"log", 0, VALUE, "FILE", TN_S_opt_log},
    [TN_OPT_METHOD] = {"method", 0, VALUE, "auto|pip|uv|virtualenv|mixed|conda|manual|docker|wsl", TN_S_opt_method},
    [TN_OPT_DATE] = {"date", 0, VALUE, "YYYY[-MM[-DD]]", TN_S_opt_date},
    [TN_OPT_CPU] = {"cpu", 0, FLAG, NULL, TN_S_opt_cpu},
    [TN_OPT_REQUIREMENT] = {"requirement", 'r', REPEAT, "FILE", TN_S_opt_requirement},
    [TN_OPT_SIDE_BY_SIDE] = {"side-by-side", 0, VALUE, "VERSION,...", TN_S_opt_side_by_side},
    [TN_OPT_EXPORT] = {"export", 0, VALUE, "FORM", TN_S_opt_export},
    [TN_OPT_FIX] = {"fix", 0, FLAG, NULL, TN_S_opt_fix},
    [TN_OPT_BUNDLE] = {"bundle", 0, VALUE, "FILE", TN_S_opt_bundle},
    [TN_OPT_KEY] = {"key", 0, VALUE, "KEY|FILE", TN_S_opt_key},
    [TN_OPT_INTO] = {"into", 0, VALUE, "DIR", TN_S_opt_into},
    [TN_OPT_ARCHIVES] = {"archives", 0, REPEAT, "DIR|URL", TN_S_opt_archives},
    [TN_OPT_REMOVE_DRIVER] = {"remove-driver", 0, FLAG, NULL, TN_S_opt_remove_driver},
    [TN_OPT_VERIFY] = {"verify", 0, FLAG, NULL, TN_S_opt_verify},
    [TN_OPT_LEVEL] = {"level", 0, VALUE, "quick|full", TN_S_opt_level},
    [TN_OPT_PLACEMENT] = {"placement", 0, FLAG, NULL, TN_S_opt_placement},
    [TN_OPT_GPU_NUMBER] = {"gpu", 0, VALUE, "N", TN_S_opt_gpu_number},
    [TN_OPT_YES] = {"yes", 'y', FLAG, NULL, TN_S_opt_yes},
    [TN_OPT_ONLINE] = {"online", 0, FLAG, NULL, TN_S_opt_online},
    [TN_OPT_SIMULATED] = {"simulated", 0, VALUE, "FILE", TN_S_opt_simulated},
    [TN_OPT_N] = {"n", 'n', VALUE, "N,...", TN_S_opt_n},
    [TN_OPT_DEVICE] = {"device", 0, VALUE, "cpu|gpu", TN_S_opt_device},
    [TN_OPT_PRECISION] = {"precision", 0, VALUE, "fp32|fp64", TN_S_opt_precision},
    [TN_OPT_RUNS] = {"runs", 0, VALUE, "N", TN_S_opt_runs},
    [TN_OPT_THREADS] = {"threads", 0, VALUE, "N", TN_S_opt_threads},
    [TN_OPT_BLAS] = {"blas", 0, VALUE, "FILE", TN_S_opt_blas},
    [TN_OPT_LIBCUDA] = {"libcuda", 0, VALUE, "FILE", TN_S_opt_libcuda},
    [TN_OPT_CUBLAS] = {"cublas", 0, VALUE, "FILE", TN_S_opt_cublas},
    [TN_OPT_LIBCUDNN] = {"libcudnn", 0, VALUE, "FILE", TN_S_opt_libcudnn},
    [TN_OPT_WORK] = {"work", 0, VALUE, "WORK,...", TN_S_opt_work},
    [TN_OPT_BATCH] = {"batch", 0, VALUE, "N", TN_S_opt_batch},
    [TN_OPT_REPLAY] = {"replay", 0, REPEAT, "\"TIME / RUNS\"", TN_S_opt_replay},
    [TN_OPT_CSV] = {"csv", 0, FLAG, NULL, TN_S_opt_csv},
    [TN_OPT_HTML] = {"html", 0, FLAG, NULL, TN_S_opt_html},
    [TN_OPT_SAVE] = {"save", 0, VALUE, "FILE", TN_S_opt_save},
    [TN_OPT_COMPARE] = {"compare", 0, FLAG, NULL, TN_S_opt_compare},
    [TN_OPT_FORGET] = {"forget", 0, VALUE, "SOURCE", TN_S_opt_forget},
};

static const enum tn_opt_id common[] = {TN_OPT_HELP, TN_OPT_VERSION, TN_OPT_LANG, TN_OPT_PLAIN, TN_OPT_DEBUG};

static bool takes(const struct tn_cmd *cmd, enum tn_opt_id o)
{
    for (unsigned i = 0; i < TN_LEN(common); i++)
        if (common[i] == o)
            return true;
    for (unsigned i = 0; cmd->opt[i] != TN_OPT_COUNT; i++)
        if (cmd->opt[i] == o)
            return true;
    return false;
}

const char *tn_opt_value(const struct tn_cmd_ctx *c, enum tn_opt_id o)
{
    return c->opt[o].n ? c->opt[o].v[c->opt[o].n - 1] : NULL;
}

bool tn_opt_on(const struct tn_cmd_ctx *c, enum tn_opt_id o)
{
    return c->opt[o].n != 0;
}

const char *tn_cmd_near(const char *word, const char *const *known, unsigned n)
{
    size_t len = strlen(word);
    unsigned max = len < 4 ? 1 : 2, best = max + 1;
    const char *hit = NULL;
    for (unsigned i = 0; i < n; i++) {
        unsigned d = tn_str_distance(word, known[i], max);
        if (d < best)
            best = d, hit = known[i];
        else if (!hit && len >= 3 && tn_str_starts(known[i], word))
            hit = known[i];
    }
    return hit;
}

static int unknown(struct tn_cmd_ctx *c, const char *given, const char *name, struct tn_buf *msg)
{
    const char *known[TN_OPT_COUNT];
    unsigned n = 0;
    for (unsigned i = 0; i < TN_OPT_COUNT; i++)
        if (takes(c->cmd, (enum tn_opt_id)i))
            known[n++] = opts[i].name;
    const char *near = tn_cmd_near(name, known, n);
    struct tn_arg a[] = {{"option", given}, {"near", near ? near : ""}, {"command", c->cmd->name}};
    tn_text_fill(msg, tn_s(c, near ? TN_S_usage_unknown_option_near : TN_S_usage_unknown_option), a, 3);
    return TN_E_USAGE;
}

static int store(struct tn_cmd_ctx *c, enum tn_opt_id o, const char *value, struct tn_buf *msg)
{
    struct tn_given *g = &c->opt[o];
    struct tn_arg a[] = {{"option", opts[o].name}};
    if (g->n == TN_MAX_REPEAT) {
        tn_text_fill(msg, tn_s(c, TN_S_usage_too_often), a, 1);
        return TN_E_USAGE;
    }
    if (opts[o].kind == VALUE && g->n)
        g->n = 0; /* the last one counts */
    g->v[g->n++] = value;
    return 0;
}

/* One option at argv[*i]; moves *i past its value. */
static int option(struct tn_cmd_ctx *c, int argc, char **argv, int *i, struct tn_buf *msg)
{
    const char *word = argv[*i], *value = NULL;
    bool is_long = word[1] == '-';
    const char *name = word + (is_long ? 2 : 1), *equals = is_long ? strchr(name, '=') : NULL;
    size_t n = equals ? (size_t)(equals - name) : strlen(name);
    enum tn_opt_id hit = TN_OPT_COUNT;
    for (unsigned k = 0; k < TN_OPT_COUNT; k++) {
        bool named = is_long ? strlen(opts[k].name) == n && memcmp(opts[k].name, name, n) == 0
                             : opts[k].letter && opts[k].letter == name[0] && n == 1;
        if (named && (hit == TN_OPT_COUNT || takes(c->cmd, (enum tn_opt_id)k))) /* --gpu is two options */
            hit = (enum tn_opt_id)k;
    }
    if (hit == TN_OPT_COUNT || !takes(c->cmd, hit))
        return unknown(c, word, tn_arena_strndup(c->mem, name, n), msg);
    struct tn_arg a[] = {{"option", opts[hit].name}, {"meta", opts[hit].meta ? opts[hit].meta : ""}};
    if (opts[hit].kind == FLAG) {
        if (equals) {
            tn_text_fill(msg, tn_s(c, TN_S_usage_no_value), a, 2);
            return TN_E_USAGE;
        }
        return store(c, hit, "", msg);
    }
    if (equals)
        value = equals + 1;
    else if (*i + 1 < argc)
        value = argv[++*i];
    if (!value) {
        tn_text_fill(msg, tn_s(c, TN_S_usage_want_value), a, 2);
        return TN_E_USAGE;
    }
    return store(c, hit, value, msg);
}

int tn_cmd_parse(struct tn_cmd_ctx *c, int argc, char **argv, struct tn_buf *msg)
{
    const char **args = tn_arena_array(c->mem, (size_t)argc + 1, sizeof *args);
    bool only_args = false;
    c->n_arg = 0;
    for (int i = 0; i < argc; i++) {
        if (!only_args && strcmp(argv[i], "--") == 0) {
            only_args = true;
        } else if (only_args || argv[i][0] != '-' || argv[i][1] == 0) {
            args[c->n_arg++] = argv[i];
            only_args = c->cmd->how & TN_CMD_REST;
        } else {
            int rc = option(c, argc, argv, &i, msg);
            if (rc)
                return rc;
        }
    }
    c->arg = args;
    if (tn_opt_on(c, TN_OPT_HELP) || tn_opt_on(c, TN_OPT_VERSION))
        return 0;
    if (c->n_arg < c->cmd->min_arg || c->n_arg > c->cmd->max_arg) {
        struct tn_arg a[] = {{"command", c->cmd->name},
                             {"args", c->cmd->args},
                             {"given", c->n_arg > c->cmd->max_arg ? args[c->cmd->max_arg] : ""}};
        tn_text_fill(msg, tn_s(c, c->n_arg < c->cmd->min_arg ? TN_S_usage_too_few : TN_S_usage_too_many), a, 3);
        return TN_E_USAGE;
    }
    return 0;
}

static void pad_to(struct tn_buf *ret, const char *text, unsigned column)
{
    unsigned w = tn_utf8_width(text);
    tn_buf_str(ret, text);
    do
        tn_buf_ch(ret, ' ');
    while (++w < column);
}

/* What --all adds depends on what is listed. */
static const char *about_of(const struct tn_cmd *cmd, enum tn_opt_id o)
{
    if (o == TN_OPT_ALL && strcmp(cmd->name, "find") == 0)
        return TN_S_opt_all_disks;
    if (o == TN_OPT_ALL && strcmp(cmd->name, "envs") == 0)
        return TN_S_opt_all_envs;
    if (o == TN_OPT_VERBOSE && strcmp(cmd->name, "why") == 0)
        return TN_S_opt_verbose_why;
    return opts[o].about;
}

/* Further paragraphs of the help of a command. */
static void more_text(const struct tn_cmd_ctx *c, struct tn_buf *ret)
{
    static const struct {
        const char *cmd, *id[6];
    } more[] = {
        {"run", {TN_S_help_run_1, TN_S_help_run_2, TN_S_help_run_3, TN_S_help_run_4, TN_S_help_run_5, NULL}},
        {"explain", {TN_S_help_explain_1, TN_S_help_explain_2, TN_S_help_explain_3, NULL}},
        {"why", {TN_S_help_why_1, TN_S_help_why_2, TN_S_help_why_3, TN_S_help_why_4, NULL}},
        {"find", {TN_S_help_find_1, TN_S_help_find_2, TN_S_help_find_3, TN_S_help_find_4, NULL}},
        {"envs", {TN_S_help_envs_1, TN_S_help_envs_2, TN_S_help_envs_3, TN_S_help_envs_4, NULL}},
    };
    const struct tn_report r = {.width = 100};
    for (unsigned i = 0; i < TN_LEN(more); i++)
        for (unsigned k = 0; strcmp(more[i].cmd, c->cmd->name) == 0 && more[i].id[k]; k++) {
            tn_buf_ch(ret, '\n');
            tn_report_wrap(&r, ret, tn_s(c, more[i].id[k]), 0, 0);
            tn_buf_ch(ret, '\n');
        }
}

void tn_cmd_help_text(const struct tn_cmd_ctx *c, struct tn_buf *ret)
{
    bool doctor = strcmp(c->cmd->name, "doctor") == 0;
    tn_buf_printf(ret, "tenon %s%s%s%s [%s]\n\n%s\n\n", doctor ? "[doctor]" : c->cmd->name, *c->cmd->args ? " " : "",
                  c->cmd->args, "", tn_s(c, TN_S_help_options_word), tn_s(c, c->cmd->about));
    for (unsigned i = 0; i < TN_OPT_COUNT; i++) {
        if (!takes(c->cmd, (enum tn_opt_id)i))
            continue;
        const struct opt *o = &opts[i];
        const char *left =
            tn_arena_printf(c->mem, "  %c%c%s --%s%s%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
                            o->letter ? "," : " ", o->name, o->meta ? " " : "", o->meta ? o->meta : "");
        pad_to(ret, left, 32);
        tn_buf_printf(ret, "%s\n", tn_s(c, about_of(c->cmd, (enum tn_opt_id)i)));
    }
    tn_buf_printf(ret, "\n%s\n", tn_s(c, TN_S_help_examples));
    for (unsigned i = 0; c->cmd->example[i]; i++)
        tn_buf_printf(ret, "  %s\n", c->cmd->example[i]);
    more_text(c, ret);
    if (c->cmd->how & TN_CMD_REST) /* its status is the program's */
        return;
    tn_buf_printf(ret, "\n%s\n", tn_s(c, TN_S_help_exit));
}

void tn_cmd_overview(const struct tn_cmd_ctx *c, struct tn_buf *ret)
{
    tn_buf_printf(ret, "%s\n\n", tn_s(c, TN_S_help_usage));
    for (unsigned i = 0; i < tn_n_cmds; i++) {
        if (tn_cmds[i]->how & TN_CMD_HIDDEN)
            continue;
        pad_to(ret, tn_arena_printf(c->mem, "  %s %s", tn_cmds[i]->name, tn_cmds[i]->args), 28);
        tn_buf_printf(ret, "%s\n", tn_s(c, tn_cmds[i]->about));
    }
    tn_buf_printf(ret, "\n%s\n", tn_s(c, TN_S_help_more));
}
