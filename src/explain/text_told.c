/* text_told.c - a cause that is told in so many words, and no program said it: "the driver is too old", "没有装 cuDNN",
 * "the user is not in the video group"; and a library named in a sentence that says it is not found.
 *
 * Source of the words: table told_causes. What is told is only believed as possible (judge_told.c): who knows the cause
 * does not ask, and who guesses may be wrong. Sentences of advice and wish are left out by text_complaint.c, which
 * calls this. */
#include "explain/told.h"

#include <string.h>

#include "base/str.h"
#include "facts/table.h"

#define MAX_WORDS 500u

/* "libcudnn.so.8", "cudart64_110.dll": a library of NVIDIA's. */
static bool is_library(const char *name)
{
    static const char stem[][12] = {"cud",     "cublas", "cufft",     "curand", "cusolver", "cusparse",
                                    "nvinfer", "nvrtc",  "nvjitlink", "nccl",   "zlibwapi", "nvcuda"};
    const char *p = name + (tn_str_starts(name, "lib") ? 3 : 0);
    size_t n = strlen(name);
    bool ours = false;
    for (unsigned i = 0; i < TN_LEN(stem); i++)
        ours |= tn_str_starts(p, stem[i]);
    return ours && (strstr(name, ".so") || (n > 4 && strcmp(name + n - 4, ".dll") == 0));
}

void tn_told_libraries(struct tn_explain *e, const char *low, unsigned line)
{
    static const char missed[][16] = {"not found", "cannot",   "can't",  "could not", "couldn't",
                                      "unable",    "missing",  "fail",   "no such",   "doesn't exist",
                                      "not exist", "not load", "找不到", "缺少",      "没有",
                                      "无法",      "不存在",   "未找到", "加载失败"};
    char name[64];
    bool is = false;
    for (unsigned i = 0; i < TN_LEN(missed); i++)
        is |= strstr(low, missed[i]) != NULL;
    for (const char *p = low; is && *p;) {
        size_t n = 0;
        while (tn_is_alpha(p[n]) || tn_is_digit(p[n]) || (p[n] && strchr("._-", p[n])))
            n++;
        size_t end = n;
        while (end && p[end - 1] == '.')
            end--;
        if (end && end < sizeof name) {
            memcpy(name, p, end);
            name[end] = 0;
            if (is_library(name))
                tn_explain_say(e, "asked.library", name, line);
        }
        p += n ? n : 1;
    }
}

/* A cell's words, blanks as blanks. */
static const char *words(const struct tn_table *t, uint32_t row, const char *column, char *buf)
{
    const char *cell = tn_facts_get(t, row, column);
    size_t n = 0;
    for (; cell[n] && n < MAX_WORDS - 1; n++)
        buf[n] = cell[n] == '_' ? ' ' : cell[n];
    buf[n] = 0;
    return buf;
}

void tn_told_causes(struct tn_explain *e, const char *s, unsigned line, bool (*one_of)(const char *, const char *))
{
    static const char column[][8] = {"thing", "state", "beside"};
    const struct tn_table *t = tn_facts_find("told_causes");
    char buf[MAX_WORDS];
    if (one_of(s, " not too | isnt too | not outdated| is not the | isnt the | not because|不是因为|并不|不太"))
        return;
    for (uint32_t r = 0; t && r < t->nrows; r++) {
        bool is = true;
        for (unsigned i = 0; i < TN_LEN(column) && is; i++)
            is = !*words(t, r, column[i], buf) || one_of(s, buf);
        if (is)
            tn_explain_say(e, "complaint.cause", tn_facts_get(t, r, "cause"), line);
    }
}
