/* build_text.c - the error that matters in a build log of thousands of lines.
 *
 * make only repeats that something failed ("*** [...] Error 1"); the first line with an error of the compiler, the
 * linker or NVIDIA's own sanity checks says what. Sources: dkms (log head; "Your kernel headers ... cannot be found");
 * NVIDIA kernel-open/conftest.sh (compiler check, PREEMPT_RT); Linux Makefile and scripts/mod/modpost.c; gcc and clang
 * ("error: "); nvidia-installer user-interface.c (ERROR and wrapped lines). Words as in posted logs of drivers 340 to
 * 575. */
#include "probe/build_text.h"

#include <string.h>

#include "base/str.h"

#define MAX_LINE 300u
#define MAX_LINES 400000u

static bool has(struct tn_span line, const char *text)
{
    return tn_span_find(line, 0, text, strlen(text)) != SIZE_MAX;
}

/* Words that tell the kind, the telling ones first. only_error: counts only in a line of a compiler's error. */
static const struct {
    const char *text, *kind;
    bool only_error;
} words[] = {{"No space left on device", "space", false},
             {"Killed signal terminated program", "memory", false},
             {"out of memory allocating", "memory", false},
             {"cannot allocate memory", "memory", false},
             {"Your kernel headers for kernel", "headers", false},
             {"Unable to find the kernel source tree", "headers", false},
             {"ERROR: Kernel configuration is invalid", "headers", false},
             {"/build: No such file or directory", "headers", false},
             {"Failed CC version check. Bailing out", "compiler", false},
             {"cc_version_check] Error", "compiler", false},
             {"The kernel you are installing for is a PREEMPT_RT kernel", "rt", false},
             {"not signed by a key that is trusted by the kernel", "key", false},
             {"Key was rejected by service", "key", false},
             {"Required key not available", "key", false},
             {"GPL-incompatible module", "kernel", false},
             {"ERROR: modpost:", "kernel", false},
             {"unrecognized command-line option", "compiler", true},
             {"unrecognized command line option", "compiler", true},
             {"unknown argument:", "compiler", true},
             {"implicit declaration of function", "kernel", true},
             {"undeclared function", "kernel", true},
             {"has no member named", "kernel", true},
             {"no member named", "kernel", true},
             {"too few arguments", "kernel", true},
             {"too many arguments", "kernel", true},
             {"incompatible pointer type", "kernel", true},
             {"incompatible function pointer", "kernel", true},
             {"conflicting types for", "kernel", true},
             {"undeclared", "kernel", true},
             {"unknown type name", "kernel", true},
             {"incomplete type", "kernel", true},
             {"No such file or directory", "kernel", true},
             {"error: ", "other", false},
             {": not found", "other", false}};

/* /bin/sh: 1: gcc-12: not found; make[2]: gcc-12: No such file or directory */
static bool no_compiler(struct tn_span line)
{
    return (has(line, "gcc") || has(line, "clang")) &&
           (tn_span_starts(line, "/bin/sh:") || tn_span_starts(line, "make")) &&
           (has(line, ": not found") || has(line, ": No such file or directory"));
}

static const char *kind_of(struct tn_span line)
{
    bool error = has(line, "error: ");
    if (no_compiler(line))
        return "compiler";
    for (size_t i = 0; i < TN_LEN(words); i++)
        if ((!words[i].only_error || error) && has(line, words[i].text))
            return tn_str_eq(words[i].text, ": not found") && !tn_span_starts(line, "/bin/sh:") ? NULL : words[i].kind;
    return NULL;
}

static const char *kept(struct tn_arena *mem, struct tn_span line)
{
    line = tn_span_trim(line);
    return tn_arena_strndup(mem, (const char *)line.p, line.n < MAX_LINE ? line.n : MAX_LINE);
}

/* "gcc version 7.3.0 (Ubuntu ...)", "x86_64-linux-gnu-gcc-12 (Ubuntu 12.3.0-1ubuntu1) 12.3.0": the first word that is a
 * number of three parts alone. */
static const char *version_in(struct tn_arena *mem, struct tn_span line)
{
    for (size_t i = 0; i < line.n;) {
        size_t n = 0;
        unsigned dots = 0;
        while (i + n < line.n && (tn_is_digit((char)line.p[i + n]) || line.p[i + n] == '.'))
            dots += line.p[i + n++] == '.';
        bool ends = i + n == line.n || line.p[i + n] == ' ' || line.p[i + n] == ',';
        if (n >= 5 && n < 16 && dots == 2 && ends && (i == 0 || line.p[i - 1] == ' '))
            return tn_arena_strndup(mem, (const char *)line.p + i, n);
        i += n ? n : 1;
    }
    return NULL;
}

/* "DKMS make.log for nvidia-535.98 for kernel 6.4.6-76060406-generic (x86_64)" */
static void read_head(struct tn_span line, struct tn_arena *mem, struct tn_build_log *ret)
{
    static const char mark[] = " for kernel ";
    size_t at = tn_span_starts(line, "DKMS") ? tn_span_find(line, 0, mark, sizeof mark - 1) : SIZE_MAX;
    if (at == SIZE_MAX)
        return;
    struct tn_span rest = tn_span_from(line, at + sizeof mark - 1);
    size_t n = 0;
    while (n < rest.n && n < 128 && rest.p[n] > ' ')
        n++;
    if (n)
        ret->kernel = tn_arena_strndup(mem, (const char *)rest.p, n);
}

/* The kernel's compiler: behind "The kernel was built by:", or the paragraph below "compile the kernel:". */
static void read_compiler(struct tn_span line, bool *below, struct tn_arena *mem, struct tn_build_log *ret)
{
    if (ret->compiler)
        return;
    if (has(line, "The kernel was built by:") || (*below && tn_span_trim(line).n)) {
        ret->compiler = version_in(mem, tn_span_trim(line));
        *below = false;
    } else if (has(line, "compile the kernel:"))
        *below = true;
}

/* "2024/05/11 06:40:43 akmodsbuild: gcc ..." without what akmods puts in front. */
static struct tn_span plain(struct tn_span line)
{
    static const char mark[] = " akmodsbuild: ";
    size_t at = tn_span_find(line, 0, mark, sizeof mark - 1);
    return at < 24 ? tn_span_from(line, at + sizeof mark - 1) : line;
}

void tn_build_log_read(struct tn_span text, struct tn_arena *mem, struct tn_build_log *ret)
{
    struct tn_span rest = text, line, last = {NULL, 0};
    bool below = false;
    memset(ret, 0, sizeof *ret);
    for (unsigned i = 0; i < MAX_LINES && tn_span_line(&rest, &line); i++) {
        line = plain(line);
        if (i == 0)
            read_head(line, mem, ret);
        read_compiler(line, &below, mem, ret);
        const char *kind = ret->error ? NULL : kind_of(line);
        if (kind) {
            ret->kind = kind;
            ret->error = kept(mem, line);
        }
        if (!last.n && tn_span_starts(line, "make") && has(line, "*** "))
            last = line;
    }
    if (!ret->error && last.n) { /* nothing better than what make says */
        ret->kind = "other";
        ret->error = kept(mem, last);
    }
}

/* "ERROR: Unable to find the kernel source tree ...\n       source files for your kernel ..." as one line. */
static const char *wrapped(struct tn_arena *mem, struct tn_span first, struct tn_span rest)
{
    char text[MAX_LINE + 1];
    size_t n = 0;
    struct tn_span line = first;
    do {
        line = tn_span_trim(line);
        if (n && n < MAX_LINE)
            text[n++] = ' ';
        for (size_t i = 0; i < line.n && n < MAX_LINE; i++)
            text[n++] = (char)line.p[i];
    } while (n < MAX_LINE && tn_span_line(&rest, &line) && line.n && line.p[0] == ' ');
    return tn_arena_strndup(mem, text, n);
}

void tn_build_installer_read(struct tn_span text, struct tn_arena *mem, struct tn_build_log *ret)
{
    static const char kernel[] = "Kernel source path: '/lib/modules/";
    struct tn_span rest = text, line;
    const char *failed = NULL;
    bool below = false;
    memset(ret, 0, sizeof *ret);
    for (unsigned i = 0; i < MAX_LINES && tn_span_line(&rest, &line); i++) {
        size_t at = tn_span_find(line, 0, kernel, sizeof kernel - 1);
        read_compiler(line, &below, mem, ret);
        if (tn_span_starts(line, "installer version:"))
            ret->version = kept(mem, tn_span_from(line, 18));
        else if (at != SIZE_MAX) {
            struct tn_span name = tn_span_from(line, at + sizeof kernel - 1);
            size_t n = 0;
            while (n < name.n && n < 128 && name.p[n] > ' ' && name.p[n] != '/' && name.p[n] != '\'')
                n++;
            ret->kernel = tn_arena_strndup(mem, (const char *)name.p, n);
        } else if (has(line, "is now complete"))
            ret->finished = true;
        else if (tn_span_starts(line, "ERROR: ")) {
            const char *all = wrapped(mem, tn_span_from(line, 7), rest), *kind = kind_of(tn_span_str(all));
            if (!strstr(all, "Installation has failed"))
                failed = all;
            if (kind && !tn_str_eq(kind, "other") && !ret->error) {
                ret->kind = kind;
                ret->error = all;
            }
        } else if (!ret->error && kind_of(line) && !tn_span_starts(line, "WARNING")) {
            ret->kind = kind_of(line);
            ret->error = kept(mem, line);
        }
    }
    if (!failed || ret->finished) {
        ret->error = ret->kind = NULL;
    } else if (!ret->error) {
        ret->kind = "other";
        ret->error = failed;
    }
}
