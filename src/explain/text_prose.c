/* text_prose.c - what a sentence states in passing: "on win10 with CUDA 10.2 and tf 2.1", "我用的是
 * pytorch2.0，cuda11.8".
 *
 * Weaker than a form that was filled in: said only of a short text in which something failed, only where nothing else
 * of the text states the fact, and only where all its sentences agree. A sentence that tells what is wanted, supported
 * or works elsewhere states nothing. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "explain/explain.h"
#include "explain/sentence.h"
#include "facts/gpu.h"

#define MAX_VALUE 40u

enum { CUDA, CUDNN, PYTHON, TF, TF_GPU, TORCH, JAX, ORT, ORT_GPU, DRIVER, GPU, OS, DISTRO, N_FACTS };

static const char *const fact_name[N_FACTS] = {[CUDA] = "toolkit.version",
                                               [CUDNN] = "cudnn.version",
                                               [PYTHON] = "python.version",
                                               [TF] = "package.tensorflow",
                                               [TF_GPU] = "package.tensorflow-gpu",
                                               [TORCH] = "package.torch",
                                               [JAX] = "package.jax",
                                               [ORT] = "package.onnxruntime",
                                               [ORT_GPU] = "package.onnxruntime-gpu",
                                               [DRIVER] = "driver.version",
                                               [GPU] = "gpu.name",
                                               [OS] = "host.os",
                                               [DISTRO] = "host.distro"};

/* A word before a number; the number's first part must lie between low and high. dots: how many the least. */
static const struct {
    const char *word;
    int fact, low, high, dots;
} key[] = {{"tensorflow-gpu", TF_GPU, 0, 3, 1},
           {"tensorflow", TF, 0, 3, 1},
           {"tf", TF, 0, 3, 1},
           {"pytorch", TORCH, 0, 3, 1},
           {"torch", TORCH, 0, 3, 1},
           {"jax", JAX, 0, 1, 1},
           {"onnxruntime-gpu", ORT_GPU, 1, 3, 1},
           {"onnxruntime", ORT, 1, 3, 1},
           {"cudnn", CUDNN, 5, 10, 0},
           {"cuda", CUDA, 7, 14, 0},
           {"python", PYTHON, 2, 4, 1},
           {"driver", DRIVER, 300, 999, 0},
           {"驱动", DRIVER, 300, 999, 0}};

/* Between word and number. */
static const char *const between[] = {" version", " ver ", " ver. ", " toolkit", " v",   "版本", "是",
                                      "为",       " is",   "安装了", "装了",     "装的", "用的", "：",
                                      " ",        "-",     "_",      ":",        "=",    "v",    NULL};

/* A line with one of these tells of something else than this machine, or is no sentence. */
static const char *const other[] = {"require",    "needs ",
                                    "need ",      "supports",
                                    "support ",   "compatible",
                                    "compiled",   "built",
                                    "instead",    "upgrade",
                                    "wanted",     "install ",
                                    "should",     "recommend",
                                    "or later",   "or newer",
                                    "or higher",  "newest",
                                    "latest",     "==",
                                    "://",        ">>>",
                                    ".cc:",       "site-packages",
                                    "nvidia-smi", "driver version: ",
                                    "downgrad",   "for cuda",
                                    "old env",    "previous",
                                    "需要",       "要求",
                                    "支持",       "建议",
                                    "以上",       "适配",
                                    "换成",       "降到",
                                    "升级",       "对应",
                                    NULL};

/* Where all is well; "not working" is none of these. */
static const char well[][16] = {"works", "worked", "working", "no problem", "正常", "没问题", "没有问题", "可以用"};
static const char denial[][12] = {"not ",    "n't ", "nt ", "never ", "stopped ", "no longer ",
                                  "cannot ", "fail", "不",  "没",     "无法"};

struct found {
    char value[MAX_VALUE];
    unsigned line;
    bool two; /* sentences disagree */
    bool now; /* told as what came of a change */
    char second[MAX_VALUE];
};

static bool is_word(char c)
{
    return tn_is_alpha(c) || tn_is_digit(c) || c == '_' || c == '-' || c == '.' || c == '/' || c == '\\';
}

static void keep(struct found *f, const char *v, size_t n, unsigned line)
{
    if (n == 0 || n >= MAX_VALUE || f->now)
        return;
    if (!f->line) {
        memcpy(f->value, v, n);
        f->value[n] = 0;
        f->line = line;
    } else if (strlen(f->value) != n || memcmp(f->value, v, n) != 0) {
        f->two = true;
        if (!*f->second) {
            memcpy(f->second, v, n);
            f->second[n] = 0;
        }
    }
}

/* The number at p: "11.2", "2.4.1"; its length, 0 without one or where it is part of a word. */
static size_t number_at(const char *p, int *ret_first, int *ret_dots)
{
    size_t n = 0;
    *ret_first = *ret_dots = 0;
    while (tn_is_digit(p[n]) || (n && p[n] == '.' && tn_is_digit(p[n + 1]))) {
        if (p[n] == '.')
            ++*ret_dots;
        else if (!*ret_dots && *ret_first < 100000)
            *ret_first = 10 * *ret_first + (p[n] - '0');
        n++;
    }
    bool wild = p[n] == '.' && (p[n + 1] == 'x' || p[n + 1] == '*');
    return tn_is_alpha(p[n]) || p[n] == '+' || p[n] == '%' || wild ? 0 : n;
}

/* cuDNN as its own function tells it: 8907 is 8.9.7, 90100 is 9.1.0. */
static void encoded_cudnn(struct found *found, int n, unsigned line)
{
    char v[MAX_VALUE];
    int major = n >= 90000 ? n / 10000 : n / 1000;
    int minor = n >= 90000 ? n / 100 % 100 : n / 100 % 10;
    if (n < 5000 || (n >= 10000 && n < 90000) || major > 10)
        return;
    int k = snprintf(v, sizeof v, "%d.%d.%d", major, minor, n % 100);
    keep(&found[CUDNN], v, (size_t)k, line);
}

/* "cuda from 10.2 to 11.0", "从 10.2 升级到 11.0": what is there now, behind the words at v; 0 without. */
static size_t changed(const char **v, int *ret_first, int *ret_dots)
{
    static const char *const from[] = {" from ", "从", " 从"}, *const to[] = {" to ", "升级到", "升到", "换到", "到"};
    for (unsigned i = 0; i < TN_LEN(from); i++) {
        const char *p = *v + strlen(from[i]);
        if (!tn_str_starts(*v, from[i]))
            continue;
        p += strspn(p, " v");
        p += number_at(p, ret_first, ret_dots);
        for (unsigned k = 0; k < TN_LEN(to); k++) {
            const char *q = *to[k] == ' ' ? p : p + strspn(p, " ");
            if (!tn_str_starts(q, to[k]))
                continue;
            q += strlen(to[k]);
            *v = q + strspn(q, " v");
            return number_at(*v, ret_first, ret_dots);
        }
    }
    return 0;
}

static void key_at(struct found *found, const char *low, const char *p, unsigned line, bool tells)
{
    for (unsigned i = 0; i < TN_LEN(key); i++) {
        const char *v = p + strlen(key[i].word);
        int first, dots;
        if (!tn_str_starts(p, key[i].word) || (p > low && (unsigned char)*p < 0x80 && is_word(p[-1])))
            continue;
        size_t n = changed(&v, &first, &dots);
        if (n && first >= key[i].low && first <= key[i].high && dots >= key[i].dots && dots <= 3) {
            struct found *f = &found[key[i].fact];
            *f = (struct found){.line = 0};
            keep(f, v, n, line);
            f->now = f->line;
            return;
        }
        if (!tells)
            return;
        for (unsigned more = 0, k = 0; more < 3 && between[k]; k++)
            if (tn_str_starts(v, between[k])) {
                v += strlen(between[k]);
                more++;
                k = (unsigned)-1;
            }
        n = number_at(v, &first, &dots);
        if (n && first >= key[i].low && first <= key[i].high && dots >= key[i].dots && dots <= 3)
            keep(&found[key[i].fact], v, n, line);
        else if (n && key[i].fact == CUDNN && dots == 0)
            encoded_cudnn(found, first, line);
        return;
    }
}

/* "RTX 3060 Ti", "gtx1080ti", "Tesla T4", "A100". */
static void card_at(struct found *found, const char *low, const char *p, unsigned line)
{
    static const char *const chip[] = {"a100", "h100", "h200", "h800",     "a800", "v100",
                                       "p100", "k80",  "l40s", "tesla t4", NULL};
    struct tn_facts_gpu g;
    char name[MAX_VALUE];
    size_t n = 0;
    if (p > low && is_word(p[-1]))
        return;
    if (tn_str_starts(p, "rtx") || tn_str_starts(p, "gtx")) {
        n = 3 + (p[3] == ' ');
        size_t digits = strspn(p + n, "0123456789");
        n = digits >= 3 && digits <= 4 ? n + digits : 0;
        size_t more = n + (n && p[n] == ' ');
        if (n && tn_str_starts(p + more, "ti") && !tn_is_alpha(p[more + 2]))
            n = more + 2;
        else if (n && tn_str_starts(p + more, "super") && !tn_is_alpha(p[more + 5]))
            n = more + 5;
    }
    for (unsigned i = 0; chip[i] && !n; i++)
        if (tn_str_starts(p, chip[i]) && !is_word(p[strlen(chip[i])]))
            n = strlen(chip[i]);
    if (n == 0 || n >= sizeof name || tn_is_alpha(p[n]) || tn_is_digit(p[n]))
        return;
    memcpy(name, p, n);
    name[n] = 0;
    if (tn_facts_gpu_by_name(name, &g) == TN_ANSWER_YES)
        keep(&found[GPU], name, n, line);
}

/* "5090显卡", "my 4070", "2080ti": a number that only its neighbours make a card. */
static void number_of_card(struct found *found, const char *low, const char *p, unsigned line)
{
    static const char *const series[] = {"10", "16", "20", "30", "40", "50"}, *const size[] = {"50", "60", "70", "80",
                                                                                               "90"};
    static const char *const behind[] = {"显卡", "卡", "系", "gpu", "card", "laptop"};
    static const char *const before[] = {" my ", " a ", " an ", "using ", "with ", "用", "用 ", "张", "块", "台"};
    struct tn_facts_gpu g;
    char name[MAX_VALUE];
    bool is = false, is_size = false;
    if (p > low && (is_word(p[-1]) || p[-1] == ':'))
        return;
    for (unsigned i = 0; i < TN_LEN(series); i++)
        is |= tn_str_starts(p, series[i]);
    for (unsigned i = 0; is && i < TN_LEN(size); i++)
        is_size |= tn_str_starts(p + 2, size[i]);
    if (!is_size)
        return;
    const char *end = p + 4;
    bool ti = tn_str_starts(end + (*end == ' '), "ti") && !tn_is_alpha(end[2 + (*end == ' ')]);
    if (ti)
        end += 2 + (*end == ' ');
    if ((unsigned char)*end < 0x80 && is_word(*end) && *end != '.')
        return;
    bool sure = ti;
    for (unsigned i = 0; i < TN_LEN(behind); i++)
        sure |= tn_str_starts(end + (*end == ' '), behind[i]);
    for (unsigned i = 0; i < TN_LEN(before); i++) {
        size_t n = strlen(before[i]);
        sure |= (size_t)(p - low) >= n && strncmp(p - n, before[i], n) == 0;
    }
    int n = snprintf(name, sizeof name, "%s %.4s%s", *p == '1' ? "gtx" : "rtx", p, ti ? " ti" : "");
    if (sure && tn_facts_gpu_by_name(name, &g) == TN_ANSWER_YES)
        keep(&found[GPU], name, (size_t)n, line);
}

static void system_at(struct found *found, const char *low, const char *p, unsigned line)
{
    static const struct {
        char word[16], os[12], distro[8]; /* in place: a pointer would be a relocation at every start; "": not told */
    } system[] = {{"wsl", "wsl2", ""},
                  {"windows 10", "windows", ""},
                  {"windows 11", "windows", ""},
                  {"windows 7", "windows", ""},
                  {"windows 8", "windows", ""},
                  {"windows10", "windows", ""},
                  {"windows11", "windows", ""},
                  {"windows server", "windows", ""},
                  {"win10", "windows", ""},
                  {"win11", "windows", ""},
                  {"win7", "windows", ""},
                  {"win 10", "windows", ""},
                  {"win 11", "windows", ""},
                  {"ubuntu", "linux", "ubuntu"},
                  {"centos", "linux", "centos"},
                  {"debian", "linux", "debian"},
                  {"fedora", "linux", "fedora"},
                  {"rocky linux", "linux", "rocky"},
                  {"arch linux", "linux", "arch"},
                  {"mac m1", "macos", ""},
                  {"mac m2", "macos", ""},
                  {"mac m3", "macos", ""},
                  {"mac m4", "macos", ""},
                  {"m1 mac", "macos", ""},
                  {"m1 pro", "macos", ""},
                  {"m1 max", "macos", ""},
                  {"m2 pro", "macos", ""},
                  {"m2 max", "macos", ""},
                  {"m3 pro", "macos", ""},
                  {"m3 max", "macos", ""},
                  {"m4 pro", "macos", ""},
                  {"m4 max", "macos", ""},
                  {"m5 pro", "macos", ""},
                  {"m5 max", "macos", ""},
                  {"m2 mac", "macos", ""},
                  {"on mac", "macos", ""},
                  {"osx", "macos", ""},
                  {"macbook", "macos", ""},
                  {"mac mini", "macos", ""},
                  {"apple silicon", "macos", ""}};
    for (unsigned i = 0; i < TN_LEN(system); i++) {
        bool beside = i == 0 && p > low && p[-1] == '/'; /* "Ubuntu 22.04/WSL2" */
        if (!tn_str_starts(p, system[i].word) || (p > low && is_word(p[-1]) && !beside) ||
            tn_is_alpha(p[strlen(system[i].word)]))
            continue;
        if (i == 0 && found[OS].line && strcmp(found[OS].value, "wsl2") != 0)
            found[OS].line = 0; /* Ubuntu and Windows are both part of WSL */
        if (i == 0)
            found[OS].two = false;
        if (i == 0 || !found[OS].line || strcmp(found[OS].value, "wsl2") != 0)
            keep(&found[OS], system[i].os, strlen(system[i].os), line);
        if (*system[i].distro)
            keep(&found[DISTRO], system[i].distro, strlen(system[i].distro), line);
        return;
    }
}

static bool denies(const char *from, const char *to)
{
    for (const char *p = from; p < to; p++)
        for (unsigned i = 0; i < TN_LEN(denial); i++)
            if (tn_str_starts(p, denial[i]))
                return true;
    return false;
}

static bool is_well(const char *low)
{
    for (unsigned i = 0; i < TN_LEN(well); i++)
        for (const char *p = strstr(low, well[i]); p; p = strstr(p + 1, well[i]))
            if (!denies(p - low > 14 ? p - 14 : low, p))
                return true;
    return false;
}

static bool tells_of_other(const char *low)
{
    for (unsigned i = 0; other[i]; i++)
        if (strstr(low, other[i]))
            return true;
    return is_well(low) || low[strspn(low, " \t")] == '|';
}

/* A change that is only recommended has not been made. */
static bool advises(const char *low)
{
    static const char *const word[] = {"should", "need", "must", "please", " if ", "recommend", "需要", "建议", "应该"};
    for (unsigned i = 0; i < TN_LEN(word); i++)
        if (strstr(low, word[i]))
            return true;
    return false;
}

/* "in wsl2", "wsl2里": where it happened, whatever else the line tells. */
static bool is_place(const char *low, const char *p)
{
    static const char *const before[] = {"in ", "on ", "inside ", "under ", "windows ", "my ", "at ", "within ", NULL};
    static const char *const behind[] = {"里", "中", "下", "上", NULL};
    const char *end = p;
    while (tn_is_alpha(*end) || tn_is_digit(*end) || *end == ' ')
        end++;
    for (unsigned i = 0; before[i]; i++) {
        size_t n = strlen(before[i]);
        if ((size_t)(p - low) >= n && strncmp(p - n, before[i], n) == 0)
            return true;
    }
    if (tn_str_starts(p, "wsl on windows") || tn_str_starts(p, "wsl2 on windows"))
        return true;
    for (unsigned i = 0; behind[i]; i++)
        if (tn_str_starts(end, behind[i]))
            return true;
    return false;
}

static void line_of_prose(struct found *found, const char *low, unsigned line)
{
    bool tells = !tells_of_other(low);
    for (const char *p = low; *p; p++) {
        bool begins = p == low || !tn_is_alpha(p[-1]);
        if (tells && tn_is_digit(*p))
            number_of_card(found, low, p, line);
        if ((unsigned char)*p < 0x80 && !(begins && tn_is_alpha(*p)))
            continue;
        if ((unsigned char)*p >= 0x80 && !tn_str_starts(p, "驱动"))
            continue;
        if (tells || !tn_str_starts(p, "wsl") || is_place(low, p))
            system_at(found, low, p, line);
        if (tells || !advises(low))
            key_at(found, low, p, line, tells);
        if (tells)
            card_at(found, low, p, line);
    }
}

/* "works in tf 2.15 but not in 2.16", "2.15可以，2.16不行": the release that fails is the one that is told. */
static void contrast(struct found *found, const char *low, unsigned line)
{
    static const char skip[][12] = {"in ", "with ", "on ", "for ", "tf", "tensorflow", "version ", "v", " ", "-"};
    static const char behind[][12] = {"不", "就不", "无法", "没", " 不", " 无法", " does not", " doesn't", " fails"};
    int first, dots;
    if (!strstr(low, "tf") && !strstr(low, "tensorflow"))
        return;
    for (const char *p = low; *p; p++) {
        bool begins = p == low || !(is_word(p[-1]));
        size_t n = begins && tn_is_digit(*p) ? number_at(p, &first, &dots) : 0;
        bool fails = false;
        for (unsigned i = 0; n && i < TN_LEN(behind); i++)
            fails |= tn_str_starts(p + n, behind[i]);
        const char *v = p;
        if (tn_str_starts(p, " not ")) {
            v = p + 5;
            for (unsigned i = 0; i < TN_LEN(skip); i++)
                v += tn_str_starts(v, skip[i]) ? strlen(skip[i]) : 0;
            n = number_at(v, &first, &dots);
            fails = n > 0;
        }
        if (fails && dots >= 1 && first >= 1 && first <= 2)
            keep(&found[TF], v, n, line);
    }
}

/* Of a sentence that also tells where all is well, the half that does not: "1.13 works, but torch 2.0 sees no GPU". */
static void halves(struct found *found, char *low, unsigned line)
{
    static const char joint[][12] = {" but ", " while ", " whereas ", " however ", "但", "而", "却", "，", ", "};
    char *from = low;
    for (char *p = low; *p; p++)
        for (unsigned i = 0; i < TN_LEN(joint); i++) {
            if (!tn_str_starts(p, joint[i]))
                continue;
            *p = 0;
            if (denies(from, p))
                line_of_prose(found, from, line);
            p += strlen(joint[i]) - 1;
            from = p + 1;
            break;
        }
    if (from != low && denies(from, from + strlen(from)))
        line_of_prose(found, from, line);
}

static void on_sentence(void *ctx, char *low, unsigned line)
{
    if (!is_well(low)) {
        line_of_prose(ctx, low, line);
        return;
    }
    contrast(ctx, low, line);
    line_of_prose(ctx, low, line); /* a change that was made is one wherever it stands */
    halves(ctx, low, line);
}

static bool is_stated(const struct tn_snap *s, const char *fact)
{
    for (size_t i = 0; i < s->observation.n; i++)
        if (tn_says(s->observation.v[i].fact, fact) && tn_known(s->observation.v[i].value))
            return true;
    return false;
}

/* The same release is stated more fully, or under another name of the package. */
static bool is_named(const struct tn_snap *s, int fact, const char *value)
{
    static const int twin[][2] = {{TF, TF_GPU}, {TF_GPU, TF}, {ORT, ORT_GPU}, {ORT_GPU, ORT}};
    if (is_stated(s, fact_name[fact])) /* a form's Windows or Ubuntu may be the one below or above WSL */
        return fact != OS || strcmp(value, "wsl2") != 0;
    for (unsigned i = 0; i < TN_LEN(twin); i++)
        if (twin[i][0] == fact && is_stated(s, fact_name[twin[i][1]]))
            return true;
    if (fact == CUDA && (is_stated(s, "toolkit.nvcc") || is_stated(s, "path.cuda")))
        return true;
    return fact == GPU && s->gpu.n;
}

void tn_explain_prose(struct tn_span clean, struct tn_snap *s)
{
    struct found found[N_FACTS];
    struct tn_explain e = {.s = s};
    memset(found, 0, sizeof found);
    tn_sentences(clean, on_sentence, found);
    tn_arena_init(&e.mem);
    for (int i = 0; i < N_FACTS; i++)
        if (found[i].line && !found[i].two && !is_named(s, i, found[i].value))
            tn_explain_say(&e, fact_name[i], found[i].value, found[i].line);
    if (found[CUDNN].two && !is_named(s, CUDNN, found[CUDNN].value)) { /* one is installed, another is loaded */
        tn_explain_say(&e, "cudnn.told", found[CUDNN].value, found[CUDNN].line);
        tn_explain_say(&e, "cudnn.told", found[CUDNN].second, found[CUDNN].line);
    }
    if (found[CUDA].two && !is_stated(s, "toolkit.nvcc"))
        tn_explain_say(&e, "toolkit.told", found[CUDA].second, found[CUDA].line);
    tn_arena_deinit(&e.mem);
}
