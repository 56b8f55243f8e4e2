/* option.c - options that lost a dash, got a blank or a typing error, and the values that say where packages come from.
 *
 * Source: --help of pip 25, uv 0.9, conda 25, docker 28. Only names that are listed here are put right. */
#include <string.h>

#include "base/str.h"
#include "command/inner.h"

/* "=" at the end: a value follows. */
static const char *const pip_long[] = {"upgrade",
                                       "user",
                                       "pre",
                                       "no-deps",
                                       "force-reinstall",
                                       "no-cache-dir",
                                       "ignore-installed",
                                       "no-build-isolation",
                                       "no-binary=",
                                       "only-binary=",
                                       "index-url=",
                                       "extra-index-url=",
                                       "find-links=",
                                       "trusted-host=",
                                       "requirement=",
                                       "constraint=",
                                       "editable=",
                                       "target=",
                                       "prefix=",
                                       "root=",
                                       "proxy=",
                                       "timeout=",
                                       "default-timeout=",
                                       "retries=",
                                       "quiet",
                                       "verbose",
                                       "no-index",
                                       "platform=",
                                       "python-version=",
                                       "implementation=",
                                       "abi=",
                                       "break-system-packages",
                                       "use-pep517",
                                       "no-warn-script-location",
                                       "prefer-binary",
                                       "upgrade-strategy=",
                                       "yes",
                                       "cache-dir=",
                                       "disable-pip-version-check",
                                       "no-input",
                                       "cert=",
                                       "isolated",
                                       "dry-run",
                                       "ignore-requires-python",
                                       "progress-bar=",
                                       "system",
                                       "python=",
                                       "torch-backend=",
                                       "index=",
                                       "default-index=",
                                       "index-strategy=",
                                       "prerelease=",
                                       "dev",
                                       "group=",
                                       "extra=",
                                       "seed",
                                       "version",
                                       "help",
                                       NULL};
static const char *const conda_long[] = {"name=",
                                         "prefix=",
                                         "channel=",
                                         "override-channels",
                                         "yes",
                                         "file=",
                                         "force-reinstall",
                                         "update-all",
                                         "no-deps",
                                         "only-deps",
                                         "strict-channel-priority",
                                         "no-channel-priority",
                                         "dry-run",
                                         "json",
                                         "clone=",
                                         "offline",
                                         "solver=",
                                         "quiet",
                                         "verbose",
                                         "all",
                                         "no-pin",
                                         "freeze-installed",
                                         "update-deps",
                                         "copy",
                                         "no-default-packages",
                                         "revision=",
                                         "version",
                                         "help",
                                         NULL};
static const char *const docker_long[] = {
    "gpus=",    "rm",        "runtime=", "name=",       "volume=",     "env=",      "publish=",      "shm-size=",
    "network=", "ipc=",      "device=",  "privileged",  "interactive", "tty",       "detach",        "user=",
    "workdir=", "ulimit=",   "mount=",   "entrypoint=", "restart=",    "cap-add=",  "security-opt=", "memory=",
    "pid=",     "platform=", "tag=",     "file=",       "build-arg=",  "env-file=", "init",          "version",
    NULL};
static const char *const apt_long[] = {
    "no-install-recommends", "yes",   "fix-broken", "fix-missing", "purge", "reinstall", "install-recommends",
    "allow-downgrades",      "quiet", NULL};
static const char *const other_long[] = {"version", "help",     "query-gpu=", "format=", "list-gpus", "update",
                                         "install", "shutdown", "list",       "status",  NULL};

static const char *const *long_of(enum tn_tool tool)
{
    switch (tool) {
    case TN_TOOL_PIP:
    case TN_TOOL_UV: return pip_long;
    case TN_TOOL_CONDA: return conda_long;
    case TN_TOOL_APT: return apt_long;
    case TN_TOOL_DOCKER: return docker_long;
    case TN_TOOL_NONE:
    case TN_TOOL_OTHER: break;
    }
    return other_long;
}

/* Short options; small letters with a value first. */
static const char *short_value(enum tn_tool tool)
{
    switch (tool) {
    case TN_TOOL_PIP: return "rciftedb";
    case TN_TOOL_UV: return "rcipet";
    case TN_TOOL_CONDA: return "npcf";
    case TN_TOOL_DOCKER: return "vepuwhmtf";
    case TN_TOOL_APT: return "ot";
    case TN_TOOL_NONE:
    case TN_TOOL_OTHER: break;
    }
    return "";
}

static const char *short_any(enum tn_tool tool)
{
    switch (tool) {
    case TN_TOOL_PIP: return "rcifetdbUqvyIV";
    case TN_TOOL_UV: return "rcipetUqv";
    case TN_TOOL_CONDA: return "npcfyqvV";
    case TN_TOOL_DOCKER: return "vepuwhmitfd";
    case TN_TOOL_APT: return "oyfq";
    case TN_TOOL_NONE:
    case TN_TOOL_OTHER: break;
    }
    return "VLqlmc";
}

/* Row of a long option: name without dashes, up to n bytes. NULL: not one. */
static const char *long_row(enum tn_tool tool, const char *name, size_t n)
{
    const char *const *list = long_of(tool);
    for (unsigned i = 0; list[i]; i++) {
        size_t k = strlen(list[i]);
        k -= list[i][k - 1] == '=';
        if (k == n && strncmp(list[i], name, n) == 0)
            return list[i];
    }
    return NULL;
}

static bool is_long(enum tn_tool tool, const char *word, const char **row)
{
    size_t n = strcspn(word, "=");
    *row = n > 2 && word[0] == '-' && word[1] == '-' ? long_row(tool, word + 2, n - 2) : NULL;
    return *row != NULL;
}

unsigned tn_option_words(const struct tn_mending *m, unsigned i)
{
    const char *word = m->w->v[i].value, *row;
    enum tn_tool tool = m->part->tool;
    bool more = i + 1 < m->to && i + 1 < m->w->n && m->w->v[i + 1].kind == TN_WORD;
    if (word[0] != '-' || !word[1])
        return 0;
    if (is_long(tool, word, &row))
        return row[strlen(row) - 1] == '=' && !strchr(word, '=') && more ? 2 : 1;
    if (word[1] != '-' && word[2] == 0 && strchr(short_value(tool), word[1]) && more)
        return 2;
    return 1;
}

static unsigned end_of(const struct tn_mending *m)
{
    return m->to < m->w->n ? m->to : m->w->n;
}

/* "-- upgrade", "- -upgrade", "--index - url", "- c": the words that are one option. */
static void join(struct tn_mending *m, unsigned i)
{
    enum tn_tool tool = m->part->tool;
    char text[128];
    const char *row;
    if (m->w->v[i].value[0] != '-' || is_long(tool, m->w->v[i].value, &row))
        return;
    for (unsigned n = 4; n > 1; n--) {
        size_t size = 0;
        unsigned k = i;
        for (; k < i + n && k < end_of(m) && m->w->v[k].kind == TN_WORD && !m->w->v[k].quoted; k++) {
            size_t more = strlen(m->w->v[k].value);
            if (size + more >= sizeof text)
                break;
            memcpy(text + size, m->w->v[k].value, more);
            size += more;
        }
        text[size] = 0;
        bool one = n == 2 && size == 2 && strcmp(m->w->v[i].value, "-") == 0 && strchr(short_any(tool), text[1]);
        if (k == i + n && (one || is_long(tool, text, &row))) {
            tn_mend_word_is(m, i, n, tn_arena_strdup(m->mem, text), TN_MEND_EXTRA_BLANK);
            return;
        }
    }
}

/* "-index-url", "---upgrade", "index-url https://...", "--index_url", "--upgarde" */
static void dashes(struct tn_mending *m, unsigned i, bool first)
{
    static const char *const bare[] = {"index-url",       "extra-index-url", "find-links", "no-cache-dir",
                                       "force-reinstall", "trusted-host",    "no-deps",    NULL};
    enum tn_tool tool = m->part->tool;
    const char *word = m->w->v[i].value, *name = word + strspn(word, "-"), *row;
    size_t dash = (size_t)(name - word), n = strcspn(name, "=");
    bool listed = tool == TN_TOOL_PIP || tool == TN_TOOL_UV;
    if (m->w->v[i].magic || (dash == 0 && !listed) || n < 2 || is_long(tool, word, &row))
        return;
    bool lost = dash ? dash != 2 && n > 2
                     : (tn_str_in(name, bare) || (first && strcmp(name, "upgrade") == 0)) && i + 1 < end_of(m);
    if (tool == TN_TOOL_OTHER && !(m->c->damaged && dash)) /* nvcc has words of its own behind one dash */
        return;
    if (lost && long_row(tool, name, n)) {
        tn_mend_word_is(m, i, 1, tn_arena_printf(m->mem, "--%s", name), TN_MEND_LOST_DASH);
        return;
    }
    char plain[64];
    if (dash == 0 || tool == TN_TOOL_OTHER || n >= sizeof plain || n < 6)
        return;
    for (size_t k = 0; k < n; k++)
        plain[k] = name[k] == '_' ? '-' : name[k];
    plain[n] = 0;
    const char *const *list = long_of(tool);
    for (unsigned k = 0; dash == 2 && list[k]; k++) {
        char full[64];
        size_t size = strcspn(list[k], "=");
        memcpy(full, list[k], size);
        full[size] = 0;
        if (size >= 6 && tn_str_distance(plain, full, 1) <= 1) {
            tn_mend_word_is(m, i, 1, tn_arena_printf(m->mem, "--%s%s", full, name + n), TN_MEND_TYPO);
            return;
        }
    }
}

/* "https: //host/x", "https:/host/x", "host/x" where a URL must stand */
static void url(struct tn_mending *m, unsigned i, bool must)
{
    const char *word = m->w->v[i].value;
    if ((strcmp(word, "https:") == 0 || strcmp(word, "http:") == 0) && i + 1 < end_of(m) &&
        strncmp(m->w->v[i + 1].value, "//", 2) == 0) {
        tn_mend_word_is(m, i, 2, tn_arena_printf(m->mem, "%s%s", word, m->w->v[i + 1].value), TN_MEND_EXTRA_BLANK);
        return;
    }
    size_t scheme = strncmp(word, "https:/", 7) == 0 ? 7 : strncmp(word, "http:/", 6) == 0 ? 6 : 0;
    if (scheme && word[scheme] != '/')
        tn_mend_word_is(m, i, 1, tn_arena_printf(m->mem, "%.*s/%s", (int)scheme, word, word + scheme),
                        TN_MEND_LOST_SCHEME);
    else if (must && !scheme && tn_is_alpha(*word) && !strchr(word, ':') && strchr(word, '/') &&
             strcspn(word, ".") < strcspn(word, "/"))
        tn_mend_word_is(m, i, 1, tn_arena_printf(m->mem, "https://%s", word), TN_MEND_LOST_SCHEME);
}

static void remember(struct tn_mending *m, const char *name, const char *value)
{
    struct tn_part *p = m->part;
    bool conda = p->tool == TN_TOOL_CONDA;
    if (conda && (strcmp(name, "c") == 0 || strcmp(name, "channel=") == 0)) {
        if (p->n_channel < TN_LEN(p->channel))
            p->channel[p->n_channel++] = value;
    } else if (conda && (strcmp(name, "n") == 0 || strcmp(name, "p") == 0 || strcmp(name, "name=") == 0 ||
                         strcmp(name, "prefix=") == 0)) {
        p->env = value;
    } else if (strcmp(name, "i") == 0 || strcmp(name, "index-url=") == 0 || strcmp(name, "default-index=") == 0) {
        p->index = value;
    } else if (strcmp(name, "extra-index-url=") == 0 || strcmp(name, "index=") == 0) {
        p->extra_index = value;
    } else if (strcmp(name, "find-links=") == 0 || (!conda && strcmp(name, "f") == 0)) {
        p->find_links = value;
    } else if (strcmp(name, "r") == 0 || strcmp(name, "requirement=") == 0 || strcmp(name, "file=") == 0) {
        p->file = value;
    } else if (strcmp(name, "python=") == 0 || (p->tool == TN_TOOL_UV && strcmp(name, "p") == 0)) {
        p->python = value;
    }
}

static const char *name_at(const struct tn_mending *m, unsigned i)
{
    const char *word = m->w->v[i].value, *row;
    if (is_long(m->part->tool, word, &row))
        return row;
    return word[0] == '-' && word[1] && !word[2] ? word + 1 : "";
}

/* conda's "n tf_gpu", "c conda-forge": a single letter where a package must stand. */
static bool lost_letter(struct tn_mending *m, unsigned i)
{
    const char *word = m->w->v[i].value;
    if (m->part->tool != TN_TOOL_CONDA || word[0] == 0 || word[1] || !strchr("ncy", word[0]))
        return false;
    if (word[0] != 'y' && (i + 1 >= end_of(m) || m->w->v[i + 1].kind != TN_WORD || m->w->v[i + 1].value[0] == '-'))
        return false;
    tn_mend_word_is(m, i, 1, tn_arena_printf(m->mem, "-%c", word[0]), TN_MEND_LOST_DASH);
    return true;
}

void tn_mend_options(struct tn_mending *m, unsigned i)
{
    enum tn_tool tool = m->part->tool;
    unsigned first = i;
    for (unsigned n; i < end_of(m); i += n) {
        n = 1;
        if (m->w->v[i].kind == TN_WORD_REDIRECT) {
            n = 2;
            continue;
        }
        if (m->w->v[i].quoted || m->w->v[i].magic)
            continue;
        join(m, i);
        dashes(m, i, i == first);
        lost_letter(m, i);
        unsigned take = tn_option_words(m, i);
        if (tool == TN_TOOL_DOCKER && !take)
            return; /* the image; what follows is the container's own command */
        if (tool == TN_TOOL_OTHER)
            continue;
        const char *name = take ? name_at(m, i) : "", *inner = strchr(m->w->v[i].value, '=');
        bool is_index = strstr(name, "index-url") || strcmp(name, "default-index=") == 0 ||
                        (tool != TN_TOOL_CONDA && strcmp(name, "i") == 0);
        if (take == 2) {
            url(m, i + 1, is_index && (tool == TN_TOOL_PIP || tool == TN_TOOL_UV));
            remember(m, name, m->w->v[i + 1].value);
            n = 2;
        } else if (take == 1 && inner) {
            remember(m, name, inner + 1);
        } else if (!take) {
            url(m, i, false);
        }
    }
}
