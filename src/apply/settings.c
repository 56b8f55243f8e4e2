/* settings.c - see settings.h. */
#include "apply/settings.h"

#include "base/limits.h"
#include "base/str.h"
#include "os/os.h"

#define INSTALL TN_SETTINGS_INSTALL
#define ASK TN_SETTINGS_ASK
#define BOTH (INSTALL + ASK)

static const struct {
    char name[32]; /* in place: a pointer would be a relocation at every start */
    unsigned use;
} all[] = {
    {"HOME", BOTH},
    {"USER", BOTH},
    {"LOGNAME", BOTH},
    {"TZ", BOTH},
    /* Windows: whose folders these are, and where programs look for theirs */
    {"USERNAME", BOTH},
    {"USERPROFILE", BOTH},
    {"APPDATA", BOTH},
    {"LOCALAPPDATA", BOTH},
    {"ProgramData", BOTH},
    {"SystemDrive", BOTH},
    {"SystemRoot", BOTH},
    {"ComSpec", BOTH},
    {"PATHEXT", BOTH},
    {"LANG", INSTALL},
    {"LC_ALL", INSTALL},
    {"LC_CTYPE", INSTALL},
    {"PATH", ASK},
    {"TMPDIR", ASK},
    /* the network */
    {"http_proxy", BOTH},
    {"https_proxy", BOTH},
    {"all_proxy", BOTH},
    {"no_proxy", BOTH},
    {"HTTP_PROXY", BOTH},
    {"HTTPS_PROXY", BOTH},
    {"ALL_PROXY", BOTH},
    {"NO_PROXY", BOTH},
    {"SSL_CERT_FILE", BOTH},
    {"SSL_CERT_DIR", BOTH},
    {"REQUESTS_CA_BUNDLE", BOTH},
    {"CURL_CA_BUNDLE", BOTH},
    {"NETRC", BOTH},
    /* where settings and caches lie */
    {"XDG_CONFIG_HOME", BOTH},
    {"XDG_CONFIG_DIRS", BOTH},
    {"XDG_CACHE_HOME", INSTALL},
    {"XDG_DATA_HOME", INSTALL},
    /* pip */
    {"PIP_INDEX_URL", BOTH},
    {"PIP_EXTRA_INDEX_URL", BOTH},
    {"PIP_FIND_LINKS", BOTH},
    {"PIP_NO_INDEX", INSTALL},
    {"PIP_CONFIG_FILE", BOTH},
    {"PIP_CONSTRAINT", BOTH},
    {"PIP_CERT", BOTH},
    {"PIP_CLIENT_CERT", BOTH},
    {"PIP_PROXY", BOTH},
    {"PIP_TRUSTED_HOST", BOTH},
    {"PIP_TIMEOUT", INSTALL},
    {"PIP_DEFAULT_TIMEOUT", BOTH},
    {"PIP_RETRIES", BOTH},
    {"PIP_KEYRING_PROVIDER", BOTH},
    {"PIP_CACHE_DIR", INSTALL},
    {"PIP_NO_CACHE_DIR", INSTALL},
    /* uv */
    {"UV_INDEX_URL", BOTH},
    {"UV_DEFAULT_INDEX", BOTH},
    {"UV_INDEX", BOTH},
    {"UV_EXTRA_INDEX_URL", BOTH},
    {"UV_INDEX_STRATEGY", BOTH},
    {"UV_FIND_LINKS", BOTH},
    {"UV_NO_INDEX", INSTALL},
    {"UV_OFFLINE", INSTALL},
    {"UV_CONFIG_FILE", BOTH},
    {"UV_NO_CONFIG", BOTH},
    {"UV_NATIVE_TLS", BOTH},
    {"UV_SYSTEM_CERTS", BOTH},
    {"UV_INSECURE_HOST", BOTH},
    {"UV_KEYRING_PROVIDER", BOTH},
    {"UV_HTTP_TIMEOUT", BOTH},
    {"UV_CACHE_DIR", INSTALL},
    {"UV_LINK_MODE", INSTALL},
    {"UV_PYTHON_INSTALL_DIR", INSTALL},
    {"UV_PYTHON_INSTALL_MIRROR", INSTALL},
    /* conda and its kind */
    {"CONDARC", BOTH},
    {"MAMBARC", BOTH},
    {"CONDA_CHANNEL_ALIAS", BOTH},
    {"CONDA_SSL_VERIFY", BOTH},
    {"CONDA_EXE", ASK},
    {"CONDA_OFFLINE", INSTALL},
    {"CONDA_PKGS_DIRS", INSTALL},
    {"CONDA_ENVS_DIRS", INSTALL},
    {"CONDA_ENVS_PATH", INSTALL},
    {"MAMBA_ROOT_PREFIX", INSTALL},
};

unsigned tn_settings_of(struct tn_arena *mem, enum tn_settings_use use, const char **ret)
{
    unsigned n = 0;
    _Static_assert(TN_LEN(all) <= TN_SETTINGS_MAX, "a row too many");
    for (size_t i = 0; i < TN_LEN(all); i++) {
        const char *v = all[i].use & use ? tn_os_env(mem, all[i].name) : NULL;
        if (v)
            ret[n++] = tn_arena_printf(mem, "%s=%s", all[i].name, v);
    }
    return n;
}
