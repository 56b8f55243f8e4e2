/* text_driver.c - versions out of what NVIDIA's own programs print.
 *
 * Forms, each seen in public copies of the programs' output:
 *   nvidia-smi up to 595  "| NVIDIA-SMI 516.94   Driver Version: 516.94   CUDA Version: 11.7 |" (before 410 mostly
 * without the last); from 610 on "KMD Version: ... CUDA UMD Version: ..." nvidia-smi -q, --version  "Driver Version :
 * 535.129.03", "DRIVER version : ...", "CUDA Version : 12.2" nvcc --version        "Cuda compilation tools,
 * release 11.8, V11.8.89" version.txt of a toolkit  "CUDA Version 10.1.243" control panel "NVCUDA64.DLL  30.0.14.7141
 * NVIDIA CUDA 11.4.94 driver" /proc/driver/nvidia/version  "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.309.01
 * Wed ..." (driver source, nvidia/nv-procfs.c) deviceQuery           "CUDA Driver Version / Runtime
 * Version          12.2 / 11.8" "CUDA Version" alone says nothing: it is the ceiling only beside a driver version. */
#include "explain/explain.h"

#include <string.h>

#include "base/str.h"
#include "facts/cuda.h"
#include "version/dotted.h"

#define NEAR 4u /* lines between "Driver Version" and "CUDA Version" of nvidia-smi -q and --version */

static bool word_char(char c)
{
    return tn_is_alpha(c) || tn_is_digit(c) || c == '_' || (c & 0x80);
}

/* Behind the phrase, in any case and with any blanks between its words; NULL if it is not there. at: where it begins.
 */
static const char *phrase(const char *text, const char *words, const char **ret_at)
{
    for (const char *p = text; *p; p++) {
        const char *a = p, *w = words;
        if (tn_lower(*p) != tn_lower(*words)) /* most places, in a long log */
            continue;
        if (p > text && word_char(p[-1]) && word_char(*words))
            continue;
        while (*w && *a) {
            if (*w == ' ') {
                if (*a != ' ' && *a != '\t')
                    break;
                a += strspn(a, " \t");
                w++;
            } else if (tn_lower(*a) == tn_lower(*w)) {
                a++;
                w++;
            } else {
                break;
            }
        }
        if (!*w && !(word_char(*a) && word_char(w[-1]))) {
            if (ret_at)
                *ret_at = p;
            return a;
        }
    }
    return NULL;
}

/* The dotted number at p, of at least so many parts; "" if there is none. Returns the byte behind it. */
static const char *number(const char *p, unsigned parts, char *buf, size_t size)
{
    size_t n = 0;
    unsigned dots = 0;
    while (tn_is_digit(p[n]) || (p[n] == '.' && n && p[n - 1] != '.' && tn_is_digit(p[n + 1]))) {
        dots += p[n] == '.';
        n++;
    }
    buf[0] = 0;
    if (n == 0 || n >= size || dots + 1 < parts || word_char(p[n]))
        return p;
    memcpy(buf, p, n);
    buf[n] = 0;
    return p + n;
}

/* What stands behind a colon: a number into buf, or false; *ret_none when the program says that there is none. */
static bool after_colon(const char *p, unsigned parts, char *buf, size_t size, bool *ret_none)
{
    p += strspn(p, " \t");
    *ret_none = false;
    if (*p != ':')
        return false;
    p += 1 + strspn(p + 1, " \t");
    number(p, parts, buf, size);
    *ret_none = strncmp(p, "N/A", 3) == 0 || strncmp(p, "ERR!", 4) == 0 || strncmp(p, "Not Found", 9) == 0;
    return *buf || *ret_none;
}

/* A driver number of which the branch exists on Windows alone, or of three parts, which Windows never has. */
static void system_of(struct tn_explain *e, const char *driver, unsigned line)
{
    struct tn_facts_branch b;
    if (tn_version_dotted_count(driver) == 3)
        tn_explain_system(e, "linux", line);
    else if (tn_facts_driver_branch(driver, &b) == TN_ANSWER_YES && !tn_facts_version_within(driver, b.branch))
        tn_explain_system(e, "windows", line);
}

static uint32_t line_source(struct tn_explain *e, unsigned line)
{
    return tn_snap_src(e->s, TN_KNOWN, NULL, "line %u of the text", line);
}

/* Stated twice, the last one is what the machine has. */
void tn_explain_driver(struct tn_explain *e, const char *version, unsigned line)
{
    tn_explain_say(e, "driver.version", version, line);
    TN_THE(e->s, driver)->version = tn_fact_str(e->s, line_source(e, line), version);
    system_of(e, version, line);
    e->driver_line = line;
}

void tn_explain_cuda(struct tn_explain *e, const char *value, unsigned line)
{
    char head[TN_DOTTED_TEXT];
    if (value && tn_version_dotted_head(value, 2, head, sizeof head))
        value = head;
    tn_explain_say(e, "driver.cuda", value, line);
    if (value)
        TN_THE(e->s, driver)->cuda = tn_fact_str(e->s, line_source(e, line), value);
}

void tn_explain_answered(struct tn_explain *e, unsigned line)
{
    struct tn_rec_driver *d = TN_THE(e->s, driver);
    uint32_t src = line_source(e, line);
    d->loaded = tn_fact_int(src, 1);
    d->nvml = tn_fact_str(e->s, src, "NVML_SUCCESS");
}

/* The banner: the driver answered. A tool with a version of Linux's form over a driver of Windows is that of WSL. */
static void banner(struct tn_explain *e, const struct tn_explain_line *l, const char *driver)
{
    char tool[64];
    struct tn_facts_branch b;
    const char *p = phrase(l->text, "NVIDIA-SMI", NULL);
    tn_explain_answered(e, l->number);
    number(p + strspn(p, " \t"), 3, tool, sizeof tool);
    if (tn_version_dotted_count(tool) == 3 && tn_version_dotted_count(driver) == 2 &&
        tn_facts_driver_branch(driver, &b) == TN_ANSWER_YES && !tn_facts_version_within(driver, b.branch))
        e->wsl = l->number;
}

/* nvidia-smi in all its forms. */
static void smi(struct tn_explain *e, const struct tn_explain_line *l)
{
    static const char *const driver_words[] = {"KMD Version", "Driver Version"};
    static const char *const cuda_words[] = {"CUDA UMD Version", "CUDA Version"};
    char v[64];
    bool none;
    for (unsigned i = 0; i < 2; i++) {
        const char *at, *p = phrase(l->text, driver_words[i], &at);
        if (!p || (at >= l->text + 5 && tn_lower(at[-5]) == 'c' && phrase(at - 5, "CUDA Driver Version", NULL)))
            continue; /* that of deviceQuery is another number */
        if (!after_colon(p, 2, v, sizeof v, &none) || none)
            continue;
        tn_explain_driver(e, v, l->number);
        if (phrase(l->text, "NVIDIA-SMI", NULL)) /* the banner: the driver answered */
            banner(e, l, v);
    }
    const char *p = phrase(l->text, "NVML library version", NULL);
    if (p && after_colon(p, 2, v, sizeof v, &none) && !none) {
        tn_explain_say(e, "driver.nvml_version", v, l->number);
        TN_THE(e->s, driver)->nvml_version = tn_fact_str(e->s, line_source(e, l->number), v);
    }
    bool near = e->driver_line && l->number - e->driver_line <= NEAR;
    for (unsigned i = 0; i < 2; i++) {
        const char *at;
        p = phrase(l->text, cuda_words[i], &at);
        if (!p || !after_colon(p, 2, v, sizeof v, &none) || !(near || phrase(l->text, "NVIDIA-SMI", NULL) || i == 0))
            continue;
        tn_explain_cuda(e, none ? NULL : v, l->number);
    }
    if (phrase(l->text, "TCC/WDDM", NULL) || phrase(l->text, "Driver-Model", NULL))
        tn_explain_system(e, "windows", l->number);
    else if (phrase(l->text, "Persistence-M", NULL))
        tn_explain_system(e, "linux", l->number);
}

static void toolkit(struct tn_explain *e, const struct tn_explain_line *l)
{
    char v[64], full[64] = "";
    const char *p = phrase(l->text, "Cuda compilation tools, release", NULL);
    if (p) {
        p = number(p + strspn(p, " \t"), 2, v, sizeof v);
        p += strspn(p, ", \t");
        if (*p == 'V')
            number(p + 1, 3, full, sizeof full);
        if (*v || *full)
            tn_explain_say(e, "toolkit.nvcc", *full ? full : v, l->number);
        return;
    }
    p = l->text + strspn(l->text, " \t");
    if (tn_str_starts(p, "CUDA Version ") && *number(p + 13, 2, v, sizeof v) == 0 && *v)
        tn_explain_say(e, "toolkit.version", v, l->number);
}

/* Help > System information > Components: file, file version, product name. */
static void control_panel(struct tn_explain *e, const struct tn_explain_line *l)
{
    char v[64], driver[TN_DOTTED_TEXT];
    const char *p = phrase(l->text, "NVIDIA CUDA", NULL), *end;
    bool dll = phrase(l->text, "NVCUDA64.DLL", NULL) || phrase(l->text, "NVCUDA.DLL", NULL);
    if (!p)
        return;
    end = number(p + strspn(p, " \t"), 2, v, sizeof v);
    if (!*v || !(dll || phrase(end, "driver", NULL)))
        return;
    tn_explain_cuda(e, v, l->number);
    tn_explain_system(e, "windows", l->number);
    for (p = l->text; *p; p = *end ? end + 1 : end) {
        end = number(p, 4, v, sizeof v);
        if (*v && tn_version_windows_driver(v, driver)) {
            tn_explain_driver(e, driver, l->number);
            return;
        }
        while (*end && *end != ' ' && *end != '\t' && *end != '|' && *end != ',')
            end++;
    }
}

static void kernel_module(struct tn_explain *e, const struct tn_explain_line *l)
{
    char v[64] = "";
    const char *p = phrase(l->text, "NVRM version", NULL);
    p = p ? phrase(p, "Module", NULL) : NULL;
    for (; p && *p && !*v; p += strcspn(p, " \t")) {
        p += strspn(p, " \t");
        number(p, 2, v, sizeof v);
    }
    if (!*v)
        return;
    tn_explain_system(e, "linux", l->number);
    tn_explain_driver(e, v, l->number);
    TN_THE(e->s, driver)->loaded = tn_fact_int(line_source(e, l->number), 1);
}

static void device_query(struct tn_explain *e, const struct tn_explain_line *l)
{
    char driver[64], runtime[64];
    const char *p = phrase(l->text, "CUDA Driver Version / Runtime Version", NULL);
    if (!p)
        return;
    p = number(p + strspn(p, " \t"), 2, driver, sizeof driver);
    p += strspn(p, " \t/");
    number(p, 2, runtime, sizeof runtime);
    if (*driver)
        tn_explain_cuda(e, driver, l->number);
    if (*runtime)
        tn_explain_say(e, "library.version", runtime, l->number);
}

void tn_explain_driver_line(struct tn_explain *e, const struct tn_explain_line *line)
{
    if (!strpbrk(line->text, "vV")) /* every form says version, driver or nvcuda */
        return;
    smi(e, line);
    toolkit(e, line);
    control_panel(e, line);
    kernel_module(e, line);
    device_query(e, line);
}
