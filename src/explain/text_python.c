/* text_python.c - what an interpreter was asked for and answered: ">>> torch.__version__" and, below it,
 * "'2.1.0+cu118'"; python -c "import torch; print(torch.__version__, torch.version.cuda)".
 *
 * The value follows its question: in the next line that is neither empty nor a log's. Several questions of one line are
 * answered in their order, in one line or below each other. What is no version answers nothing, and ends the waiting.
 */
#include <string.h>

#include "base/str.h"
#include "explain/explain.h"

#define MAX_VERSION 40u

static const struct {
    char asked[28];
    char fact[24];
} question[] = {{"tensorflow.__version__", "package.tensorflow"},
                {"tf.__version__", "package.tensorflow"},
                {"tf.version.VERSION", "package.tensorflow"},
                {"torch.__version__", "package.torch"},
                {"torch.version.__version__", "package.torch"},
                {"torch.version.cuda", "torch.cuda"},
                {"jax.__version__", "package.jax"},
                {"jaxlib.__version__", "package.jaxlib"},
                {"torchvision.__version__", "package.torchvision"},
                {"torchaudio.__version__", "package.torchaudio"},
                {"keras.__version__", "package.keras"},
                {"numpy.__version__", "package.numpy"},
                {"np.__version__", "package.numpy"}};

static bool is_name(char c)
{
    return tn_is_alpha(c) || tn_is_digit(c) || c == '_' || c == '.';
}

/* Is the line typed into an interpreter or a shell, or a line of a program? Prose names the same words. */
static bool is_code(const char *text)
{
    static const char begins[][8] = {">>", "In [", "print", "$ ", "python", "import "};
    const char *p = text + strspn(text, " \t`");
    for (unsigned i = 0; i < TN_LEN(begins); i++)
        if (tn_str_starts(p, begins[i]))
            return true;
    if (!p[strcspn(p, " \t")]) /* the question alone */
        return true;
    return strstr(p, "python -c") || strstr(p, "python3 -c");
}

/* Puts the questions of the line into e->python, in their order; how many there are. */
static unsigned questions(struct tn_explain *e, const char *text)
{
    e->python.n = 0;
    for (const char *p = text; *p && is_code(text) && e->python.n < TN_LEN(e->python.asked); p++) {
        if (p > text && is_name(p[-1]))
            continue;
        for (unsigned i = 0; i < TN_LEN(question); i++) {
            size_t n = strlen(question[i].asked);
            if (tn_str_starts(p, question[i].asked) && !is_name(p[n])) {
                e->python.asked[e->python.n++] = (unsigned char)i;
                break;
            }
        }
    }
    return e->python.n;
}

/* A version and nothing else, between quotes perhaps; behind it, or NULL. */
static const char *version_at(const char *p, char *buf)
{
    char quote = *p == '\'' || *p == '"' ? *p++ : 0;
    size_t n = 0, dots = 0;
    for (; is_name(p[n]) || p[n] == '+' || p[n] == '-'; n++)
        dots += p[n] == '.';
    if (!n || n >= MAX_VERSION || !dots || !tn_is_digit(*p) || (quote && p[n] != quote))
        return NULL;
    memcpy(buf, p, n);
    buf[n] = 0;
    return p + n + (quote != 0);
}

/* How many versions the line holds, if it holds nothing else. speak: each answers the next question. */
static unsigned answers(struct tn_explain *e, const struct tn_explain_line *l, bool speak)
{
    char version[MAX_VERSION];
    const char *p = l->text + strspn(l->text, " \t`(");
    unsigned done = 0;
    if (tn_str_starts(p, "Out[") && strchr(p, ':'))
        p = strchr(p, ':') + 1;
    for (p += strspn(p, " \t,)`\r"); *p; p += strspn(p, " \t,)`\r")) {
        p = done < e->python.n ? version_at(p, version) : NULL;
        if (!p || !strchr(" \t,)`\r", *p)) /* the end of the line is among them */
            return 0;
        if (speak)
            tn_explain_say(e, question[e->python.asked[done]].fact, version, l->number);
        done++;
    }
    return done;
}

static void answer(struct tn_explain *e, const struct tn_explain_line *l)
{
    unsigned done = answers(e, l, false);
    if (done)
        answers(e, l, true);
    memmove(e->python.asked, e->python.asked + done, e->python.n - done);
    e->python.n = done ? e->python.n - done : 0;
}

void tn_explain_python_line(struct tn_explain *e, const struct tn_explain_line *l)
{
    unsigned waits = e->python.n;
    bool log = strstr(l->text, ".cc:") || strstr(l->text, "Warning") || tn_str_starts(l->text, "```");
    if (waits && (log || !l->text[strspn(l->text, " \t\r")]))
        return;
    unsigned char asked[TN_LEN(e->python.asked)];
    memcpy(asked, e->python.asked, sizeof asked);
    if (questions(e, l->text) || !waits)
        return;
    memcpy(e->python.asked, asked, sizeof asked);
    e->python.n = waits;
    answer(e, l);
}
