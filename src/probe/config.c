/* config.c - what pip, uv, conda, Poetry and PDM are told by files and variables, and how the network is reached: read,
 * never changed, and without the secrets that stand in URLs.
 *
 * Invariant: rows of one installer stand in its own order of precedence, the last one wins; lists give one row an item.
 * Keys and sections come from closed lists, so that nothing else of a file is shown.
 * Sources: pip, src/pip/_internal/configuration.py (files of /etc, user, environment, PIP_CONFIG_FILE, which replaces
 * the user's) and utils/appdirs.py; uv, "Configuration files" (project over user over system; uv.toml over
 * pyproject.toml); conda, conda/base/constants.py, SEARCH_PATH; Poetry, "Configuration"; PDM, "Configuration". */
#include <string.h>

#include "base/conf.h"
#include "base/limits.h"
#include "base/str.h"
#include "probe/ask.h"
#include "probe/config.h"

#define MAX_PARENTS 32u
#define MAX_CONDARC_D 64u

enum form { INI, TOML, YAML };

struct config {
    struct tn_probe_ctx *c;
    enum tn_path_style st;
    const char *home, *xdg_home, *appdata, *programdata; /* NULL: not known */
    const char *judged;                                  /* prefix of the judged environment */
    bool windows, conda;                                 /* the judged one is conda's */
};

/* Settings that are shown, of each installer; a name ending in '.' stands for all below it. */
static const char *const pip_keys[] = {
    "cache-dir",   "cert",       "client-cert",   "constraint",   "extra-index-url",
    "find-links",  "index-url",  "no-binary",     "no-cache-dir", "no-index",
    "only-binary", "pre",        "prefer-binary", "proxy",        "retries",
    "target",      "timeout",    "platform",      "trusted-host", "require-virtualenv",
    "user",        "use-feature"};
static const char *const pip_sections[] = {"global", "install", "download", "wheel"};
static const char *const uv_keys[] = {"index-url",    "extra-index-url", "find-links",    "no-index",
                                      "cache-dir",    "index-strategy",  "native-tls",    "allow-insecure-host",
                                      "offline",      "prerelease",      "torch-backend", "python-preference",
                                      "url",          "default",         "explicit",      "index.url",
                                      "index.default"};
static const char *const uv_sections[] = {"", "pip", "index"};
static const char *const conda_keys[] = {"channels",
                                         "default_channels",
                                         "channel_alias",
                                         "channel_priority",
                                         "custom_channels.",
                                         "custom_multichannels.",
                                         "pkgs_dirs",
                                         "envs_dirs",
                                         "ssl_verify",
                                         "proxy_servers.",
                                         "offline",
                                         "subdir",
                                         "auto_activate",
                                         "solver",
                                         "auto_activate_base",
                                         "allow_softlinks",
                                         "always_copy",
                                         "mirrored_channels.",
                                         "remote_read_timeout_secs"};
static const char *const poetry_keys[] = {"cache-dir", "path", "in-project", "create", "url", "cert", "no-binary"};
static const char *const poetry_sections[] = {"", "virtualenvs", "repositories", "certificates", "installer"};
static const char *const pdm_keys[] = {"url",      "verify_ssl",          "ca_certs", "cache_dir", "in_project",
                                       "location", "ignore_stored_index", "json_api", "use_uv"};
static const char *const pdm_sections[] = {"", "pypi", "venv"};

static bool among(const char *s, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(s, list[i]) == 0)
            return true;
    return false;
}

/* The listed name that a key is or stands below, or NULL. */
static const char *listed_key(const char *key, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(list[i]);
        if (list[i][len - 1] == '.' ? strncmp(key, list[i], len) == 0 : strcmp(key, list[i]) == 0)
            return list[i];
    }
    return NULL;
}

static void row(struct config *g, uint32_t src, const char *path, const char *by, const char *section, const char *key,
                const char *value)
{
    struct tn_rec_config *r = TN_ADD(g->c->s, config);
    if (path)
        r->path = tn_fact_str(g->c->s, src, path);
    r->by = tn_fact_str(g->c->s, src, by);
    r->section = tn_fact_str(g->c->s, src, *section ? section : NULL);
    r->key = tn_fact_str(g->c->s, src, key);
    r->value = tn_fact_str(g->c->s, src, tn_config_without_secrets(g->c->tmp, value));
}

/* A list in one value: pip splits these at blanks, UV_INDEX and CONDA_CHANNELS at commas, too. */
static void rows(struct config *g, uint32_t src, const char *path, const char *by, const char *section, const char *key,
                 const char *value)
{
    static const char *const lists[] = {"extra-index-url", "find-links", "trusted-host",
                                        "index",           "channels",   "pkgs_dirs"};
    if (!among(key, lists, TN_LEN(lists))) {
        row(g, src, path, by, section, key, value);
        return;
    }
    const char *separators = strcmp(by, "pip") == 0 ? " \t\r\n" : " \t\r\n,";
    for (value += strspn(value, separators); *value; value += strspn(value, separators)) {
        size_t n = tn_config_word(value, separators);
        row(g, src, path, by, section, key, tn_arena_strndup(g->c->tmp, value, n));
        value += n;
    }
}

static void asked(struct config *g)
{
    g->c->s->config.listed = TN_KNOWN;
}

/* A file of settings; false when it is not there. One that may not be read is a row that says so. */
static bool read_conf(struct config *g, const char *path, const char *by, enum form form, struct tn_conf *ret,
                      uint32_t *ret_src)
{
    struct tn_answer a = tn_world_read(g->c->w, g->c->tmp, path, TN_MAX_SMALL_FILE);
    tn_conf_start(ret);
    if (a.got != TN_UNASKED)
        asked(g);
    if (a.got == TN_UNASKED || a.got == TN_ABSENT)
        return false;
    *ret_src = tn_probe_src(g->c->s, "read", path, &a);
    if (a.got != TN_KNOWN) {
        struct tn_rec_config *r = TN_ADD(g->c->s, config);
        r->path = tn_fact_str(g->c->s, *ret_src, path);
        r->by = tn_fact_str(g->c->s, *ret_src, by);
        r->key = tn_fact_nostr(*ret_src, a.got);
        r->value = tn_fact_nostr(*ret_src, a.got);
        return true;
    }
    (form == INI ? tn_conf_ini : form == TOML ? tn_conf_toml : tn_conf_yaml)(a.data, g->c->tmp, ret);
    return true;
}

static const char *join(struct config *g, const char *a, const char *b)
{
    const char *p = tn_path_join(g->c->tmp, g->st, a, b);
    if (g->st == TN_PATH_WINDOWS)
        for (char *q = (char *)(uintptr_t)p; *q; q++)
            *q = *q == '/' ? '\\' : *q;
    return p;
}

/* --- pip ------------------------------------------------------------------------------------------------------ */

/* pip's own spelling: "_" is "-", a leading "--" is dropped. */
static const char *pip_name(struct tn_arena *mem, const char *key)
{
    char *s = tn_arena_strdup(mem, key[0] == '-' && key[1] == '-' ? key + 2 : key);
    for (char *p = s; *p; p++)
        *p = *p == '_' ? '-' : *p;
    return s;
}

static void pip_file(struct config *g, const char *path)
{
    struct tn_conf conf;
    uint32_t src;
    if (!read_conf(g, path, "pip", INI, &conf, &src))
        return;
    for (size_t i = 0; i < conf.n; i++) {
        const char *key = pip_name(g->c->tmp, conf.v[i].key);
        if (among(conf.v[i].section, pip_sections, TN_LEN(pip_sections)) && among(key, pip_keys, TN_LEN(pip_keys)))
            rows(g, src, path, "pip", conf.v[i].section, key, conf.v[i].value);
    }
}

/* Each folder of a list variable, the first one with precedence: the last is read first. */
static void xdg_dirs(struct config *g, const char *tail, void (*fn)(struct config *g, const char *path))
{
    const char *dirs = tn_probe_env(g->c, "XDG_CONFIG_DIRS", NULL);
    const char *rest = dirs ? dirs : "/etc/xdg", *dir[16];
    unsigned n = 0;
    while (*rest && n < TN_LEN(dir)) {
        size_t len = strcspn(rest, ":");
        if (len)
            dir[n++] = tn_arena_strndup(g->c->tmp, rest, len);
        rest += len + (rest[len] == ':');
    }
    while (n)
        fn(g, join(g, dir[--n], tail));
}

static void pip(struct config *g)
{
    const char *name = g->windows ? "pip.ini" : "pip.conf", *file = tn_probe_env(g->c, "PIP_CONFIG_FILE", NULL);
    if (file && strcmp(file, g->windows ? "nul" : "/dev/null") == 0)
        return;
    if (g->windows && g->programdata) {
        pip_file(g, join(g, g->programdata, "pip/pip.ini"));
    } else if (!g->windows) {
        xdg_dirs(g, "pip/pip.conf", pip_file);
        pip_file(g, "/etc/pip.conf");
    }
    if (!(file && tn_world_exists(g->c->w, file))) {
        if (g->home)
            pip_file(g, join(g, g->home, g->windows ? "pip/pip.ini" : ".pip/pip.conf"));
        if (g->windows ? g->appdata : g->xdg_home)
            pip_file(g, join(g, g->windows ? g->appdata : g->xdg_home, g->windows ? "pip/pip.ini" : "pip/pip.conf"));
    }
    if (g->judged)
        pip_file(g, join(g, g->judged, name));
    if (file)
        pip_file(g, file);
}

/* --- uv ------------------------------------------------------------------------------------------------------- */

/* The table's name without "tool.uv."; NULL if it is another's. */
static const char *uv_section(const char *section, bool pyproject)
{
    if (!pyproject)
        return section;
    if (strcmp(section, "tool.uv") == 0)
        return "";
    return tn_str_starts(section, "tool.uv.") ? section + strlen("tool.uv.") : NULL;
}

/* False when the file holds no settings of uv. */
static bool uv_file_of(struct config *g, const char *path, bool pyproject)
{
    struct tn_conf conf;
    uint32_t src;
    bool any = !pyproject;
    if (!read_conf(g, path, "uv", TOML, &conf, &src))
        return false;
    for (size_t i = 0; i < conf.n; i++) {
        const char *section = uv_section(conf.v[i].section, pyproject);
        any = any || section;
        if (section && among(section, uv_sections, TN_LEN(uv_sections)) &&
            among(conf.v[i].key, uv_keys, TN_LEN(uv_keys)))
            row(g, src, path, "uv", section, conf.v[i].key, conf.v[i].value);
    }
    return any;
}

static void uv_file(struct config *g, const char *path)
{
    uv_file_of(g, path, false);
}

static void uv(struct config *g)
{
    const char *file = tn_probe_env(g->c, "UV_CONFIG_FILE", NULL);
    struct tn_answer cwd = tn_world_sys(g->c->w, g->c->tmp, "cwd");
    if (tn_probe_env(g->c, "UV_NO_CONFIG", NULL))
        return;
    if (file) {
        uv_file(g, file);
        return;
    }
    if (g->windows && g->programdata) {
        uv_file(g, join(g, g->programdata, "uv/uv.toml"));
    } else if (!g->windows) {
        uv_file(g, "/etc/uv/uv.toml");
        xdg_dirs(g, "uv/uv.toml", uv_file);
    }
    if (g->windows ? g->appdata : g->xdg_home)
        uv_file(g, join(g, g->windows ? g->appdata : g->xdg_home, "uv/uv.toml"));
    const char *dir = cwd.got == TN_KNOWN ? (const char *)cwd.data.p : NULL;
    for (unsigned i = 0; dir && i < MAX_PARENTS; i++) {
        if (uv_file_of(g, join(g, dir, "uv.toml"), false) || uv_file_of(g, join(g, dir, "pyproject.toml"), true))
            break;
        const char *up = tn_path_dir(g->c->tmp, g->st, dir);
        dir = strcmp(up, dir) == 0 || strcmp(up, ".") == 0 ? NULL : up;
    }
}

/* --- conda ---------------------------------------------------------------------------------------------------- */

static void conda_file(struct config *g, const char *path)
{
    struct tn_conf conf;
    uint32_t src;
    if (!read_conf(g, path, "conda", YAML, &conf, &src))
        return;
    for (size_t i = 0; i < conf.n; i++) {
        const char *hit = listed_key(conf.v[i].key, conda_keys, TN_LEN(conda_keys));
        if (!hit)
            continue;
        size_t n = strlen(hit);
        bool below =
            hit[n - 1] == '.'; /* the channel's own name may be nobody's business; conda-forge is everybody's */
        if (strcmp(conf.v[i].key, "custom_channels.conda-forge") == 0)
            row(g, src, path, "conda", "", conf.v[i].key, conf.v[i].value);
        else
            row(g, src, path, "conda", "", below ? tn_arena_strndup(g->c->tmp, hit, n - 1) : hit, conf.v[i].value);
    }
}

/* .condarc, condarc, and the .yml files of condarc.d of one folder. */
static void conda_folder(struct config *g, const char *dir)
{
    if (!dir)
        return;
    conda_file(g, join(g, dir, ".condarc"));
    conda_file(g, join(g, dir, "condarc"));
    struct tn_answer a = tn_world_list(g->c->w, g->c->tmp, join(g, dir, "condarc.d"));
    for (size_t i = 0; a.got == TN_KNOWN && i < a.n_entry && i < MAX_CONDARC_D; i++)
        if (tn_str_ends(a.entry[i].name, ".yml") || tn_str_ends(a.entry[i].name, ".yaml"))
            conda_file(g, join(g, join(g, dir, "condarc.d"), a.entry[i].name));
}

/* The folder of conda itself: CONDA_EXE is ROOT/bin/conda (Windows: ROOT\Scripts\conda.exe); environments are below
 * ROOT/envs. */
static const char *conda_root(struct config *g)
{
    const char *exe = tn_probe_env(g->c, "CONDA_EXE", NULL);
    if (exe)
        return tn_path_dir(g->c->tmp, g->st, tn_path_dir(g->c->tmp, g->st, exe));
    if (!g->conda)
        return NULL;
    const char *up = tn_path_dir(g->c->tmp, g->st, g->judged);
    return strcmp(tn_path_base(g->st, up), "envs") == 0 ? tn_path_dir(g->c->tmp, g->st, up) : g->judged;
}

static void conda(struct config *g)
{
    const char *root = conda_root(g), *prefix = tn_probe_env(g->c, "CONDA_PREFIX", NULL),
               *file = tn_probe_env(g->c, "CONDARC", NULL);
    if (g->windows) {
        conda_folder(g, g->programdata ? join(g, g->programdata, "conda") : NULL);
    } else {
        conda_folder(g, "/etc/conda");
        conda_folder(g, "/var/lib/conda");
    }
    conda_folder(g, root);
    if (g->xdg_home)
        conda_folder(g, join(g, g->xdg_home, "conda"));
    if (g->home) {
        conda_folder(g, join(g, g->home, ".conda"));
        conda_file(g, join(g, g->home, ".condarc"));
    }
    prefix = prefix ? prefix : g->conda ? g->judged : NULL;
    if (prefix && !(root && tn_path_same(g->st, prefix, root)))
        conda_folder(g, prefix);
    if (file)
        conda_file(g, file);
}

/* --- the others ----------------------------------------------------------------------------------------------- */

static void project_file(struct config *g, const char *path, const char *by, const char *const *section,
                         size_t n_section, const char *const *keys, size_t n_key)
{
    struct tn_conf conf;
    uint32_t src;
    if (!read_conf(g, path, by, TOML, &conf, &src))
        return;
    for (size_t i = 0; i < conf.n; i++) { /* [repositories.NAME]: the name is left out */
        size_t n = strcspn(conf.v[i].section, ".");
        const char *head = tn_arena_strndup(g->c->tmp, conf.v[i].section, n);
        const char *dot = strrchr(conf.v[i].key, '.'), *last = dot ? dot + 1 : conf.v[i].key;
        if (among(head, section, n_section) && among(last, keys, n_key))
            row(g, src, path, by, head, last, conf.v[i].value);
    }
}

static void others(struct config *g)
{
    struct tn_answer cwd = tn_world_sys(g->c->w, g->c->tmp, "cwd");
    const char *here = cwd.got == TN_KNOWN ? (const char *)cwd.data.p : NULL;
    const char *base = g->windows ? g->appdata : g->xdg_home, *poetry = tn_probe_env(g->c, "POETRY_CONFIG_DIR", NULL);
    poetry = poetry ? poetry : base ? join(g, base, "pypoetry") : NULL;
    const char *const poetry_file[] = {poetry ? join(g, poetry, "config.toml") : NULL,
                                       here ? join(g, here, "poetry.toml") : NULL};
    const char *const pdm_file[] = {base ? join(g, base, "pdm/config.toml") : NULL,
                                    here ? join(g, here, "pdm.toml") : NULL};
    for (unsigned i = 0; i < 2; i++) {
        if (poetry_file[i])
            project_file(g, poetry_file[i], "poetry", poetry_sections, TN_LEN(poetry_sections), poetry_keys,
                         TN_LEN(poetry_keys));
        if (pdm_file[i])
            project_file(g, pdm_file[i], "pdm", pdm_sections, TN_LEN(pdm_sections), pdm_keys, TN_LEN(pdm_keys));
    }
    const char *netrc = tn_probe_env(g->c, "NETRC", NULL); /* only that it is there: it is all secrets */
    netrc = netrc ? netrc : g->home ? join(g, g->home, g->windows ? "_netrc" : ".netrc") : NULL;
    struct tn_answer a = {.got = TN_ABSENT};
    if (netrc)
        a = tn_world_stat(g->c->w, netrc);
    if (a.got == TN_KNOWN)
        row(g, tn_probe_src(g->c->s, "stat", netrc, &a), netrc, "netrc", "", "file", "present");
}

/* --- variables ------------------------------------------------------------------------------------------------ */

static const struct {
    const char *name, *by, *key; /* key NULL: the name itself */
    bool lower;                  /* also in lower case */
} variables[] = {
    {"PIP_INDEX_URL", "pip", "index-url", false},
    {"PIP_EXTRA_INDEX_URL", "pip", "extra-index-url", false},
    {"PIP_FIND_LINKS", "pip", "find-links", false},
    {"PIP_NO_INDEX", "pip", "no-index", false},
    {"PIP_TRUSTED_HOST", "pip", "trusted-host", false},
    {"PIP_CERT", "pip", "cert", false},
    {"PIP_PROXY", "pip", "proxy", false},
    {"PIP_CACHE_DIR", "pip", "cache-dir", false},
    {"PIP_CONSTRAINT", "pip", "constraint", false},
    {"PIP_TARGET", "pip", "target", false},
    {"PIP_USER", "pip", "user", false},
    {"PIP_PRE", "pip", "pre", false},
    {"PIP_REQUIRE_VIRTUALENV", "pip", "require-virtualenv", false},
    {"UV_DEFAULT_INDEX", "uv", "default-index", false},
    {"UV_INDEX", "uv", "index", false},
    {"UV_INDEX_URL", "uv", "index-url", false},
    {"UV_EXTRA_INDEX_URL", "uv", "extra-index-url", false},
    {"UV_FIND_LINKS", "uv", "find-links", false},
    {"UV_INDEX_STRATEGY", "uv", "index-strategy", false},
    {"UV_TORCH_BACKEND", "uv", "torch-backend", false},
    {"UV_CACHE_DIR", "uv", "cache-dir", false},
    {"UV_OFFLINE", "uv", "offline", false},
    {"CONDA_CHANNELS", "conda", "channels", false},
    {"CONDA_CHANNEL_PRIORITY", "conda", "channel_priority", false},
    {"CONDA_SUBDIR", "conda", "subdir", false},
    {"CONDA_PKGS_DIRS", "conda", "pkgs_dirs", false},
    {"CONDA_OFFLINE", "conda", "offline", false},
    {"ALL_PROXY", "environment", NULL, true},
    {"HTTPS_PROXY", "environment", NULL, true},
    {"HTTP_PROXY", "environment", NULL, true},
    {"NO_PROXY", "environment", NULL, true},
    {"CURL_CA_BUNDLE", "environment", NULL, false},
    {"REQUESTS_CA_BUNDLE", "environment", NULL, false},
    {"SSL_CERT_DIR", "environment", NULL, false},
    {"SSL_CERT_FILE", "environment", NULL, false},
};

static void variable(struct config *g, const char *name, const char *by, const char *key)
{
    struct tn_answer a = tn_world_env(g->c->w, g->c->tmp, name);
    if (a.got != TN_UNASKED)
        asked(g);
    if (a.got == TN_KNOWN && a.data.n)
        rows(g, tn_probe_src(g->c->s, "env", name, &a), NULL, by, "environment", key ? key : name,
             (const char *)a.data.p);
}

static void variables_of(struct config *g, const char *by)
{
    for (unsigned i = 0; i < TN_LEN(variables); i++) {
        if (strcmp(variables[i].by, by) != 0)
            continue;
        variable(g, variables[i].name, by, variables[i].key);
        if (variables[i].lower && !g->windows) {
            char *name = tn_arena_strdup(g->c->tmp, variables[i].name);
            for (char *p = name; *p; p++)
                *p = tn_lower(*p);
            variable(g, name, by, name);
        }
    }
}

static void config_run(struct tn_probe_ctx *c)
{
    const struct tn_rec_env *e = tn_snap_judged(c->s);
    struct config g = {.c = c, .st = c->w->style, .windows = tn_probe_is_windows(c)};
    bool all = !(c->want && c->want->plain);
    g.home = tn_probe_env(c, g.windows ? "USERPROFILE" : "HOME", NULL);
    g.xdg_home = tn_probe_env(c, "XDG_CONFIG_HOME", NULL);
    if (!g.xdg_home && g.home)
        g.xdg_home = join(&g, g.home, ".config");
    if (g.windows) {
        g.appdata = tn_probe_env(c, "APPDATA", NULL);
        g.programdata = tn_probe_env(c, "ProgramData", NULL);
    }
    if (e && tn_known(e->path)) {
        g.judged = e->path.v;
        g.conda = tn_says(e->kind, "conda");
    }
    pip(&g);
    variables_of(&g, "pip");
    uv(&g);
    variables_of(&g, "uv");
    if (all || g.conda || (c->want && c->want->conda)) {
        conda(&g);
        variables_of(&g, "conda");
    }
    if (all) {
        others(&g);
        variables_of(&g, "environment");
    }
}

TN_PROBE(config, TN_PHASE_LIBRARY, config_run, "settings of pip, uv, conda, Poetry and PDM, proxies and certificates",
         .gives = TN_HAS(config), .reads = TN_HAS(env));
