/* text_stated.c - what a person or a bug-report form states: "OS: Ubuntu 20.04", "CUDA/cuDNN version: 11.2 / 8.1",
 * "显卡：RTX 3090", "tensorflow-gpu==2.4.1", a line of pip list or conda list, a container image's name.
 *
 * Statements become observations under fixed names: host.os, host.distro, host.distro_version, container.kind,
 * gpu.name, driver.version, python.version, toolkit.version, cudnn.version, installer, and package.NAME for every
 * package of the public list. A value that is no version, or is called wanted or another machine's, is not one. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "explain/explain.h"
#include "facts/gpu.h"
#include "snapshot/packages.h"
#include "version/dotted.h"

#define MAX_KEY 80u
#define MAX_ROW 300u
#define MAX_NAME 64u

enum what { OS, GPU, DRIVER, PYTHON, CUDA, CUDNN, CUDA_CUDNN, TF, TORCH, JAX, INSTALLER, PACKAGE, OTHER };

/* Keys in small letters without punctuation; longest first where one begins another. */
static const struct {
    const char *key;
    enum what what;
} keys[] = {{"os platform and distribution", OS},
            {"operating system", OS},
            {"os", OS},
            {"platform", OS},
            {"system", OS},
            {"操作系统", OS},
            {"系统", OS},
            {"环境", OTHER},
            {"gpu model and memory", GPU},
            {"gpu model", GPU},
            {"gpu type", GPU},
            {"gpu", GPU},
            {"graphics card", GPU},
            {"video card", GPU},
            {"显卡型号", GPU},
            {"显卡", GPU},
            {"nvidia driver version", DRIVER},
            {"nvidia driver", DRIVER},
            {"driver version", DRIVER},
            {"gpu driver", DRIVER},
            {"driver", DRIVER},
            {"驱动版本", DRIVER},
            {"显卡驱动", DRIVER},
            {"驱动", DRIVER},
            {"python version", PYTHON},
            {"python", PYTHON},
            {"cuda/cudnn version", CUDA_CUDNN},
            {"cuda / cudnn version", CUDA_CUDNN},
            {"cuda/cudnn", CUDA_CUDNN},
            {"cuda version", CUDA},
            {"cuda toolkit", CUDA},
            {"cuda runtime version", CUDA},
            {"cuda版本", CUDA},
            {"cuda", CUDA},
            {"cudnn version", CUDNN},
            {"cudnn版本", CUDNN},
            {"cudnn", CUDNN},
            {"tensorflow version (use command below)", TF},
            {"tensorflow version", TF},
            {"tensorflow installed from (source or binary)", INSTALLER},
            {"tensorflow", TF},
            {"tf version", TF},
            {"tf", TF},
            {"pytorch version", TORCH},
            {"pytorch", TORCH},
            {"torch version", TORCH},
            {"torch", TORCH},
            {"jax version", JAX},
            {"jax", JAX},
            {"installed with", INSTALLER},
            {"how you installed pytorch (conda, pip, source)", INSTALLER},
            {"how you installed pytorch", INSTALLER},
            {"installed using virtualenv? pip? conda?", INSTALLER},
            {"安装方式", INSTALLER},
            {"other", OTHER},
            {"其他", OTHER}};

static bool is_name(char c)
{
    return tn_is_alpha(c) || tn_is_digit(c) || c == '-' || c == '_' || c == '.';
}

static bool starts(const char *p, const char *word)
{
    for (; *word; word++, p++)
        if (tn_lower(*p) != *word)
            return false;
    return true;
}

static bool word_at(const char *text, const char *p, const char *word)
{
    size_t n = strlen(word);
    return starts(p, word) && (p == text || !(tn_is_alpha(p[-1]) || tn_is_digit(p[-1]))) && !tn_is_alpha(p[n]);
}

/* The word, whole and in any case; NULL if it is not there. */
static const char *has(const char *text, const char *word)
{
    for (const char *p = text; *p; p++)
        if (word_at(text, p, word))
            return p;
    return NULL;
}

/* The first version in the text: digits with at least `dots` dots in them, not part of a word. Returns the byte behind
 * it, NULL without one. Letters at its end ("2.0.0rc1", "2.1.0+cu118") belong to it. */
static const char *version_in(const char *text, unsigned dots, char *buf, size_t size)
{
    for (const char *p = text; *p; p++) {
        if (!tn_is_digit(*p) || (p > text && (tn_is_alpha(p[-1]) || tn_is_digit(p[-1]) || p[-1] == '.')))
            continue;
        size_t n = 0;
        unsigned have = 0;
        while (tn_is_digit(p[n]) || (p[n] == '.' && tn_is_digit(p[n + 1])))
            have += p[n++] == '.';
        size_t digits = n;
        if (have) /* rc1, .post1, .dev2025, +cu118 */
            while (is_name(p[n]) || p[n] == '+')
                n++;
        while (n > digits && strchr(".-_", p[n - 1]))
            n--;
        if (have < dots || n >= size || (!have && (tn_is_alpha(p[n]) || n > 4))) {
            p += n ? n - 1 : 0;
            continue;
        }
        memcpy(buf, p, n);
        buf[n] = 0;
        return p + n;
    }
    return NULL;
}

/* Not what is installed: "2.3.0 (wanted)", "works with 2.0", "~=1.15 wanted". */
static bool is_wish(const char *value)
{
    return has(value, "wanted") || strstr(value, "~=") || strstr(value, "想装");
}

static void say_os(struct tn_explain *e, const char *v, unsigned line)
{
    static const char *const distros[] = {"ubuntu", "debian",  "centos", "fedora", "rhel",  "rocky", "arch",
                                          "gentoo", "manjaro", "mint",   "pop_os", "nixos", "suse",  NULL};
    bool wsl = has(v, "wsl") || has(v, "wsl2");
    if (wsl)
        tn_explain_say(e, "host.os", "wsl2", line);
    for (unsigned i = 0; distros[i] && !has(v, "docker image"); i++) {
        const char *at = has(v, distros[i]);
        char version[40];
        if (!at)
            continue;
        tn_explain_say(e, "host.distro", distros[i], line);
        const char *behind = version_in(at, 0, version, sizeof version);
        if (behind && behind - at < 24)
            tn_explain_say(e, "host.distro_version", version, line);
        if (!wsl)
            tn_explain_say(e, "host.os", "linux", line);
        return;
    }
    if (wsl)
        return;
    if (has(v, "windows") || has(v, "win10") || has(v, "win11") || has(v, "win7"))
        tn_explain_say(e, "host.os", "windows", line);
    else if (has(v, "macos") || has(v, "mac") || has(v, "osx") || has(v, "darwin"))
        tn_explain_say(e, "host.os", "macos", line);
    else if (has(v, "linux") || has(v, "colab") || has(v, "jetson"))
        tn_explain_say(e, "host.os", "linux", line);
    if (has(v, "docker") || has(v, "container")) {
        tn_explain_say(e, "container.kind", "docker", line);
        tn_explain_say(e, "host.os", "linux", line);
    }
}

/* "2x RTX 3090, GTX 1080 Ti (11GB)": each name that the tables know. */
static void say_gpus(struct tn_explain *e, const char *v, unsigned line)
{
    char one[MAX_NAME];
    struct tn_facts_gpu g;
    while (*v) {
        size_t count = strspn(v, "0123456789"), n;
        if (count && (tn_lower(v[count]) == 'x' || v[count] == '*'))
            v += count + 1;
        v += strspn(v, " ");
        n = strcspn(v, ",;/+(");
        size_t end = n;
        while (end && v[end - 1] == ' ')
            end--;
        if (end && end < sizeof one) {
            memcpy(one, v, end);
            one[end] = 0;
            if (tn_facts_gpu_by_name(one, &g) == TN_ANSWER_YES)
                tn_explain_say(e, "gpu.name", one, line);
        }
        v += n + (v[n] != 0);
    }
}

static void say_package(struct tn_explain *e, const char *name, const char *version, unsigned line)
{
    char fact[MAX_NAME + 16];
    snprintf(fact, sizeof fact, "package.%s", name);
    tn_explain_say(e, fact, version, line);
}

/* Copies a distribution's name as PEP 503 writes it; false when it is not on the public list. */
static bool public_name(const char *p, size_t n, char *buf)
{
    if (n == 0 || n >= MAX_NAME)
        return false;
    for (size_t i = 0; i < n; i++)
        buf[i] = p[i] == '_' || p[i] == '.' ? '-' : tn_lower(p[i]);
    buf[n] = 0;
    return tn_package_is_public(buf) && strcmp(buf, "nvidia-smi") != 0;
}

/* A line of a lock file (pip-compile), whose hashes follow: what is wanted, for several systems at once. */
static bool is_continued(const char *text)
{
    size_t n = strlen(text);
    while (n && text[n - 1] == ' ')
        n--;
    return n && text[n - 1] == '\\';
}

static unsigned words_in(const char *p)
{
    unsigned n = 0;
    for (; *p; n++) {
        p += strspn(p, " \t|");
        if (!*p)
            break;
        p += strcspn(p, " \t|");
    }
    return n;
}

/* A pin or a row of a list: the package is named, where a release alone may be of either (stated.c asks). */
static void say_named(struct tn_explain *e, const char *name, const char *version, unsigned line)
{
    if (strcmp(name, "tensorflow") == 0)
        tn_explain_say(e, "named.tensorflow", version, line);
    say_package(e, name, version, line);
}

/* "name==1.2" anywhere, and a whole line "name 1.2 ..." or "name | 1.2" of pip list, conda list, uv. */
static void packages(struct tn_explain *e, const struct tn_explain_line *l)
{
    char name[MAX_NAME], version[64];
    for (const char *eq = strstr(l->text, "=="); eq; eq = strstr(eq + 2, "==")) {
        const char *from, *end = eq;
        while (end > l->text && (end[-1] == ' ' || end[-1] == ']' || end[-1] == '[' || end[-1] == ','))
            end--;
        from = end;
        while (from > l->text && is_name(from[-1]))
            from--;
        if (!public_name(from, (size_t)(end - from), name) || !tn_is_digit(eq[2]) || is_continued(l->text))
            continue;
        if (version_in(eq + 2, 0, version, sizeof version) && !strstr(l->text, "ERROR") && !has(l->text, "requires") &&
            !strstr(l->text, "No matching") && !strstr(l->text, "but you"))
            say_named(e, name, version, l->number);
    }
    const char *p = l->text + strspn(l->text, " \t-*|#");
    size_t n = 0;
    while (is_name(p[n]))
        n++;
    const char *v = p + n + strspn(p + n, " \t|");
    if (v == p + n || !tn_is_digit(*v) || !public_name(p, n, name))
        return;
    const char *end = version_in(v, 1, version, sizeof version);
    if (!end || v + strlen(version) != end || (*end && *end != ' ' && *end != '\t' && *end != '|'))
        return;
    if (v == p + n + 1 && *end && words_in(end) > 2) /* "PyTorch 1.0 has another way": a sentence, no row */
        return;
    say_named(e, v == p + n + 1 && strcmp(name, "pytorch") == 0 ? "torch" : name, version, l->number);
}

static void say_version(struct tn_explain *e, const char *fact, const char *v, unsigned dots, unsigned line)
{
    char version[64];
    if (!is_wish(v) && version_in(v, dots, version, sizeof version))
        tn_explain_say(e, fact, version, line);
}

static void say_package_version(struct tn_explain *e, const char *name, const char *v, unsigned line)
{
    char version[64];
    if (!is_wish(v) && version_in(v, 1, version, sizeof version))
        say_package(e, name, version, line);
}

static void say(struct tn_explain *e, enum what what, const char *v, unsigned line)
{
    char version[64];
    const char *rest;
    switch (what) {
    case OS: say_os(e, v, line); break;
    case GPU: say_gpus(e, v, line); break;
    case DRIVER:
        if (version_in(v, 0, version, sizeof version) && strlen(version) >= 3 && !has(v, "installer"))
            tn_explain_say(e, "driver.version", version, line);
        break;
    case PYTHON: say_version(e, "python.version", v, 1, line); break;
    case CUDA: say_version(e, has(v, "nvidia-smi") ? "driver.cuda" : "toolkit.version", v, 0, line); break;
    case CUDNN: say_version(e, "cudnn.version", v, 0, line); break;
    case CUDA_CUDNN:
        if ((rest = version_in(v, 0, version, sizeof version)) == NULL)
            break;
        tn_explain_say(e, "toolkit.version", version, line);
        say_version(e, "cudnn.version", rest, 0, line);
        break;
    case TF: say_package_version(e, has(v, "tensorflow-gpu") ? "tensorflow-gpu" : "tensorflow", v, line); break;
    case TORCH: say_package_version(e, "torch", v, line); break;
    case JAX: say_package_version(e, "jax", v, line); break;
    case INSTALLER:
        if (has(v, "conda") || has(v, "miniconda") || has(v, "anaconda") || has(v, "mamba"))
            tn_explain_say(e, "installer", "conda", line);
        else if (has(v, "docker") || has(v, "image"))
            tn_explain_say(e, "installer", "docker", line);
        else if (has(v, "pip") || has(v, "pip3"))
            tn_explain_say(e, "installer", "pip", line);
        if (has(v, "docker"))
            say_os(e, "docker", line);
        break;
    case PACKAGE: break;
    case OTHER:
        if (has(v, "wsl") || has(v, "docker") || has(v, "docker run") || has(v, "colab"))
            say_os(e, has(v, "wsl") ? "wsl2" : has(v, "docker") ? "docker" : "linux", line);
        break;
    }
}

/* The key of "- **GPU model and memory**: RTX 3090" without its decoration; where its value begins, or NULL. */
static const char *key_of(const char *text, char *key)
{
    const char *p = text + strspn(text, " \t-*#|>•");
    size_t n = 0;
    for (; *p && n < MAX_KEY - 1; p++) {
        if (*p == ':' || (unsigned char)*p == 0xEF) { /* U+FF1A */
            size_t wide = *p == ':' ? 1 : strncmp(p, "\xEF\xBC\x9A", 3) == 0 ? 3 : 0;
            if (wide) {
                while (n && (key[n - 1] == ' ' || key[n - 1] == '*'))
                    n--;
                key[n] = 0;
                p += wide;
                return p + strspn(p, " \t*");
            }
        }
        if (*p == '|' && n) { /* a row of a table */
            while (n && key[n - 1] == ' ')
                n--;
            key[n] = 0;
            return p + 1 + strspn(p + 1, " \t");
        }
        if (*p != '*' && *p != '`')
            key[n++] = tn_lower(*p);
    }
    return NULL;
}

/* "torch 2.3.1", "Windows 11", "显卡 RTX 5090" whole: what it states; OTHER if nothing. */
static enum what item_of(const char *item, const char **value)
{
    static const char *const brand[] = {"rtx ", "gtx ", "nvidia ", "geforce ", "tesla ", "quadro ", NULL};
    static const char *const system[] = {"windows 10", "windows 11", "win10", "win11", "ubuntu ", NULL};
    char version[64];
    struct tn_facts_gpu g;
    *value = item;
    for (unsigned i = 0; system[i]; i++)
        if (starts(item, system[i]) && strlen(item) < 24)
            return OS;
    for (size_t i = 0; i < TN_LEN(keys); i++) {
        size_t n = strlen(keys[i].key);
        const char *v = item + n;
        if (keys[i].what == OS || keys[i].what == OTHER || !starts(item, keys[i].key) || *v != ' ')
            continue;
        *value = v + 1;
        if (keys[i].what == GPU)
            return tn_facts_gpu_by_name(v + 1, &g) == TN_ANSWER_YES ? GPU : OTHER;
        const char *end = version_in(v + 1, 0, version, sizeof version);
        if (end && !*end && tn_is_digit(v[1]))
            return keys[i].what;
    }
    *value = item;
    size_t n = strcspn(item, " ");
    if (item[n] && tn_is_digit(item[n + 1]) && public_name(item, n, version)) {
        const char *end = version_in(item + n + 1, 1, version, sizeof version);
        if (end && !*end)
            return PACKAGE;
    }
    for (unsigned i = 0; brand[i]; i++)
        if (starts(item, brand[i]))
            return tn_facts_gpu_by_name(item, &g) == TN_ANSWER_YES ? GPU : OTHER;
    return OTHER;
}

/* "显卡 RTX 5090，pytorch 2.4.0，cuda 12.1": a row of statements between commas. One alone may be any sentence's, two
 * whole ones are a description of the machine. Returns how many there are; says them when asked to. */
static unsigned row_of_items(struct tn_explain *e, const struct tn_explain_line *l, bool speak)
{
    static const char *const stop[] = {",", ";", ":", "，", "；", "：", "、", "。", NULL};
    char item[64], name[MAX_NAME];
    unsigned have = 0;
    for (const char *p = l->text; *p;) {
        size_t n = 0, wide = 0;
        for (; p[n]; n++) {
            bool ascii = p[n] == ',' || p[n] == ';' || p[n] == ':';
            for (unsigned i = 0; (ascii || (unsigned char)p[n] >= 0x80) && stop[i] && !wide; i++)
                if (strncmp(p + n, stop[i], strlen(stop[i])) == 0)
                    wide = strlen(stop[i]);
            if (wide)
                break;
        }
        const char *value, *from = p + strspn(p, " \t-*");
        size_t size = from < p + n ? (size_t)(p + n - from) : 0;
        while (size && from[size - 1] == ' ')
            size--;
        p += n + wide;
        if (size == 0 || size >= sizeof item)
            continue;
        memcpy(item, from, size);
        item[size] = 0;
        enum what what = item_of(item, &value);
        have += what != OTHER;
        if (speak && what == PACKAGE && public_name(item, strcspn(item, " "), name))
            say_package_version(e, name, strchr(item, ' ') + 1, l->number);
        else if (speak && what != OTHER)
            say(e, what, value, l->number);
    }
    return have;
}

/* "### TensorFlow version" alone in its line, as forms of bug reports have it: what follows is the value. A word that
 * is a heading in any text ("System") is one only with the marks of a heading. */
static unsigned heading_of(const char *text)
{
    char key[MAX_KEY];
    size_t n = 0;
    const char *p = text + strspn(text, " \t*");
    bool marked = *p == '#';
    for (p += strspn(p, "# \t*"); *p && n < MAX_KEY - 1; p++)
        if (*p != '*' && *p != '`')
            key[n++] = tn_lower(*p);
    while (n && (key[n - 1] == ' ' || key[n - 1] == '?'))
        n--;
    key[n] = 0;
    for (unsigned i = 0; !*p && i < TN_LEN(keys); i++)
        if (strcmp(key, keys[i].key) == 0 && (marked || strchr(key, ' ')))
            return i + 1;
    return 0;
}

/* The value below a heading: the next line that holds something, if it is short. */
static bool below_heading(struct tn_explain *e, const struct tn_explain_line *l)
{
    if (l->text[strspn(l->text, " \t\r")] == 0)
        return e->heading != 0;
    unsigned of = e->heading;
    e->heading = heading_of(l->text);
    if (!of || e->heading || strlen(l->text) > MAX_KEY)
        return e->heading != 0;
    say(e, keys[of - 1].what, l->text, l->number);
    return true;
}

void tn_explain_stated_line(struct tn_explain *e, const struct tn_explain_line *l)
{
    char key[MAX_KEY], name[MAX_NAME];
    if (below_heading(e, l))
        return;
    const char *value = key_of(l->text, key);
    packages(e, l);
    if (strlen(l->text) < MAX_ROW && row_of_items(e, l, false) >= 2) {
        row_of_items(e, l, true);
        return;
    }
    if (!value || !*value)
        return;
    for (size_t i = 0; i < TN_LEN(keys); i++)
        if (strcmp(key, keys[i].key) == 0) {
            say(e, keys[i].what, value, l->number);
            return;
        }
    if (starts(key, "gpu ") && tn_is_digit(key[4]) && strlen(key) < 8) /* nvidia-smi -L, collect_env */
        say_gpus(e, value, l->number);
    if (public_name(key, strlen(key), name))
        say_package_version(e, name, value, l->number);
}
