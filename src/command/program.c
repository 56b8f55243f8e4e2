/* program.c - which program a command runs and what it is to do: "pip install", "python -m pip install", "conda
 * create".
 *
 * Sources: the parsers of pip, conda, uv, apt and docker (their --help). A name that fell apart or ran together is put
 * right where only one reading is there. */
#include <string.h>

#include "base/str.h"
#include "command/inner.h"
#include "snapshot/packages.h"

static const char *const pip_does[] = {"install", "uninstall", "download", "wheel", "list",  "show", "freeze",
                                       "check",   "config",    "cache",    "index", "debug", NULL};
static const char *const uv_does[] = {"pip",    "add",  "sync", "venv",   "run", "tool",
                                      "python", "lock", "init", "remove", NULL};
static const char *const conda_does[] = {"install",  "create",     "update", "upgrade", "remove", "uninstall",
                                         "activate", "deactivate", "list",   "env",     "info",   "search",
                                         "config",   "init",       "run",    "clean",   NULL};
static const char *const apt_does[] = {"install",    "update", "upgrade", "full-upgrade", "remove", "purge",
                                       "autoremove", "policy", "list",    "search",       NULL};
static const char *const docker_does[] = {"run", "pull", "build", "exec", "start", "compose", "info", NULL};
static const char *const none[] = {NULL};

static const struct program {
    const char *name;
    enum tn_tool tool;
    const char *const *does;
} programs[] = {{"pip", TN_TOOL_PIP, pip_does},
                {"pip3", TN_TOOL_PIP, pip_does},
                {"uv", TN_TOOL_UV, uv_does},
                {"conda", TN_TOOL_CONDA, conda_does},
                {"mamba", TN_TOOL_CONDA, conda_does},
                {"micromamba", TN_TOOL_CONDA, conda_does},
                {"apt", TN_TOOL_APT, apt_does},
                {"apt-get", TN_TOOL_APT, apt_does},
                {"docker", TN_TOOL_DOCKER, docker_does},
                {"podman", TN_TOOL_DOCKER, docker_does},
                {"nvidia-docker", TN_TOOL_DOCKER, docker_does},
                {"nvcc", TN_TOOL_OTHER, none},
                {"nvidia-smi", TN_TOOL_OTHER, none},
                {"wsl", TN_TOOL_OTHER, none},
                {"python", TN_TOOL_OTHER, none},
                {"python3", TN_TOOL_OTHER, none},
                {"py", TN_TOOL_OTHER, none}};

/* "/usr/bin/python3.10", "pip3.11", "conda.exe" -> the program's row. */
static const struct program *program_of(const char *word)
{
    char name[32];
    const char *base = word;
    for (const char *p = word; *p; p++)
        if (*p == '/' || *p == '\\')
            base = p + 1;
    size_t n = strlen(base);
    if (n > 4 && tn_str_ieq(base + n - 4, ".exe"))
        n -= 4;
    if (n == 0 || n >= sizeof name)
        return NULL;
    memcpy(name, base, n);
    name[n] = 0;
    if (strncmp(name, "pip3.", 5) == 0 || strncmp(name, "python3.", 8) == 0) {
        char *dot = strchr(name, '.');
        if (strspn(dot + 1, "0123456789") == strlen(dot + 1) && dot[1])
            *dot = 0;
    }
    for (size_t i = 0; i < TN_LEN(programs); i++)
        if (strcmp(programs[i].name, name) == 0)
            return &programs[i];
    return NULL;
}

static bool is_python(const struct program *p)
{
    return strncmp(p->name, "py", 2) == 0;
}

static unsigned end_of(const struct tn_mending *m)
{
    return m->to < m->w->n ? m->to : m->w->n;
}

/* The words i to i+n-1 as one, without blanks; "" when it does not fit. */
static const char *run(const struct tn_mending *m, unsigned i, unsigned n)
{
    char text[256];
    size_t size = 0;
    for (unsigned k = i; k < i + n; k++) {
        size_t more = k < end_of(m) && m->w->v[k].kind == TN_WORD ? strlen(m->w->v[k].value) : sizeof text;
        if (size + more >= sizeof text)
            return "";
        memcpy(text + size, m->w->v[k].value, more);
        size += more;
    }
    return tn_arena_strndup(m->mem, text, size);
}

/* "apt - get", "nvidia -smi", "nvidia_smi" */
static const struct program *torn(struct tn_mending *m, unsigned i)
{
    for (unsigned n = 3; n > 1; n--) {
        const char *whole = run(m, i, n);
        const struct program *p = strchr(whole, '-') ? program_of(whole) : NULL;
        if (p) {
            tn_mend_word_is(m, i, n, whole, TN_MEND_EXTRA_BLANK);
            return p;
        }
    }
    if (strcmp(m->w->v[i].value, "nvidia_smi") != 0)
        return NULL;
    tn_mend_word_is(m, i, 1, "nvidia-smi", TN_MEND_TYPO);
    return program_of("nvidia-smi");
}

/* Does the rest behind a glued action begin something that is asked for? */
static bool is_wanted(const char *rest)
{
    char name[64];
    size_t n = strcspn(rest, "=<>!~[");
    if (*rest == '-')
        return true;
    for (; n > 0; n--)
        if (tn_command_name(rest, n, name) && tn_package_is_public(name))
            return true;
    return false;
}

/* The word begins with an action, and more is glued to it: the length of the action. */
static size_t glued_action(const struct program *p, const char *word)
{
    for (unsigned i = 0; p->does[i]; i++) {
        size_t n = strlen(p->does[i]);
        if (n >= 6 && strncmp(word, p->does[i], n) == 0 && word[n] && !tn_str_in(word, p->does) &&
            (is_wanted(word + n) || strstr(p->does[i], "activate") == p->does[i]))
            return n;
    }
    return 0;
}

static void split(struct tn_mending *m, unsigned i, size_t at)
{
    const char *word = m->w->v[i].value;
    const char *head = tn_arena_strndup(m->mem, word, at);
    tn_mend_note(m, TN_MEND_LOST_BLANK, word, tn_arena_printf(m->mem, "%s %s", head, word + at), "");
    tn_mend_insert(m, i + 1, word + at);
    m->w->v[i].value = head;
    m->w->v[i].changed = true;
}

/* "pipinstall", "condacreate", "pip-install", "python-m" */
static const struct program *glued(struct tn_mending *m, unsigned i)
{
    const char *word = m->w->v[i].value;
    for (size_t k = TN_LEN(programs); k-- > 0;) {
        const struct program *p = &programs[k];
        size_t n = strlen(p->name);
        if (strncmp(word, p->name, n) != 0 || !word[n])
            continue;
        if (is_python(p) && strncmp(word + n, "-m", 2) == 0) {
            split(m, i, n);
            return p;
        }
        for (unsigned a = 0; p->does[a]; a++) {
            const char *does = p->does[a], *rest = word + n + (word[n] == '-');
            if (strlen(does) < 6 || strncmp(rest, does, strlen(does)) != 0)
                continue;
            if (rest[strlen(does)] && !is_wanted(rest + strlen(does)))
                continue;
            if (word[n] == '-')
                m->w->v[i].value = tn_arena_printf(m->mem, "%s%s", p->name, rest);
            split(m, i, n);
            return p;
        }
    }
    return NULL;
}

/* python -m pip: the module is the program. Returns its word, 0 without one. */
static unsigned module_of(struct tn_mending *m, unsigned i, const struct program **ret)
{
    if (i + 1 < end_of(m) && strcmp(m->w->v[i].value, "-") == 0 && strcmp(m->w->v[i + 1].value, "m") == 0)
        tn_mend_word_is(m, i, 2, "-m", TN_MEND_EXTRA_BLANK);
    if (i < end_of(m) && tn_is_digit(m->w->v[i].value[1]) && m->w->v[i].value[0] == '-') /* py -3.10 -m pip */
        i++;
    if (i < end_of(m) && strncmp(m->w->v[i].value, "-m", 2) == 0 && m->w->v[i].value[2]) {
        const struct program *p = program_of(m->w->v[i].value + 2);
        if (p && p->tool == TN_TOOL_PIP && !m->w->v[i].changed) { /* python takes -mpip */
            *ret = p;
            return i;
        }
        split(m, i, 2);
    }
    if (i + 1 >= end_of(m) || strcmp(m->w->v[i].value, "-m") != 0)
        return 0;
    const struct program *p = program_of(m->w->v[i + 1].value);
    if (!p && (p = glued(m, i + 1)) == NULL)
        return 0;
    *ret = p;
    return i + 1;
}

/* The action at i, put right where it is nearly one. False: none. */
static bool action(struct tn_mending *m, const struct program *p, unsigned i)
{
    const char *word = i < end_of(m) && m->w->v[i].kind == TN_WORD ? m->w->v[i].value : "";
    size_t n;
    if (tn_str_in(word, p->does))
        return true;
    if (m->prose)
        return false;
    if ((n = glued_action(p, word)) != 0) {
        split(m, i, n);
        return true;
    }
    for (unsigned k = 0; p->does[k] && i + 1 < end_of(m); k++)
        if (strlen(p->does[k]) >= 6 && tn_str_distance(word, p->does[k], 1) == 1) {
            tn_mend_word_is(m, i, 1, p->does[k], TN_MEND_TYPO);
            return true;
        }
    return false;
}

static unsigned skip_wrapper(struct tn_mending *m, unsigned i)
{
    if (i < end_of(m) && (strcmp(m->w->v[i].value, "sudo") == 0 || strcmp(m->w->v[i].value, "RUN") == 0)) {
        i++;
        while (i < end_of(m) && m->w->v[i].value[0] == '-')
            i++;
    }
    if (i < end_of(m) && strchr("!%", m->w->v[i].value[0]) && program_of(m->w->v[i].value + 1))
        return i; /* a notebook's !pip, %pip */
    return i;
}

/* What runs python, nvcc, nvidia-smi and wsl is known by an option. */
static bool is_run(const struct tn_mending *m, const struct program *p, unsigned i)
{
    const char *next = i < end_of(m) && m->w->v[i].kind == TN_WORD ? m->w->v[i].value : "";
    return *next == '-' || tn_str_ends(next, ".py") || tn_str_ends(next, ".cu") ||
           (!*next && i >= end_of(m) && strcmp(p->name, "nvidia-smi") == 0);
}

unsigned tn_mend_program(struct tn_mending *m)
{
    unsigned i = skip_wrapper(m, m->from), module;
    if (i >= end_of(m) || m->w->v[i].kind != TN_WORD)
        return 0;
    const char *word = m->w->v[i].value;
    const struct program *p = m->prose ? NULL : torn(m, i);
    if (!p)
        p = program_of(word + (*word && strchr("!%", *word) != NULL));
    if (!p && !m->prose)
        p = glued(m, i);
    if (!p)
        return 0;
    unsigned next = i + 1;
    if (is_python(p) && (module = module_of(m, next, &p)) != 0)
        next = module + 1;
    m->part->program = p->name;
    m->part->tool = p->tool;
    if (p->tool == TN_TOOL_OTHER)
        return is_run(m, p, next) ? next : 0;
    while (next < end_of(m) && m->w->v[next].value[0] == '-' && m->w->v[next].value[1]) /* pip --proxy ... install */
        next++;
    if (!action(m, p, next))
        return 0;
    m->part->action = m->w->v[next].value;
    if (p->tool == TN_TOOL_UV && strcmp(m->part->action, "pip") == 0) {
        static const struct program uv_pip = {"uv", TN_TOOL_UV, pip_does};
        if (!action(m, &uv_pip, ++next))
            return 0;
        m->part->action = m->w->v[next].value;
    }
    return next + 1;
}
