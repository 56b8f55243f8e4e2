/* script.c - see script.h. Sources: Python, timeit ("the time it takes to execute the main statement a number of
 * times"); TensorFlow guide "Use a GPU", torch.cuda "Asynchronous execution": calls return before the GPU is done. */
#include "explain/script.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define MAX_LINE 512u

static bool is_name(char c)
{
    return tn_is_alpha(c) || tn_is_digit(c) || c == '_';
}

static size_t indent(const char *s)
{
    return strspn(s, " \t");
}

static bool any(const char *s, const char *const *words)
{
    for (; *words; words++)
        if (strstr(s, *words))
            return true;
    return false;
}

/* A line without its comment, NUL-ended. */
static bool next(struct tn_span *rest, char *text)
{
    struct tn_span line;
    if (!tn_span_line(rest, &line))
        return false;
    size_t n = line.n < MAX_LINE ? line.n : MAX_LINE;
    memcpy(text, line.p, n);
    text[n] = 0;
    text[strcspn(text, "#")] = 0;
    return true;
}

/* The function that timeit(NAME, number=N) times; false: the line has no such call. */
static bool timed(const char *s, char *name, size_t size, unsigned *ret_number)
{
    const char *at = strstr(s, "timeit("), *number = strstr(s, "number");
    if (!at || strstr(s, "import"))
        return false;
    at += strlen("timeit(");
    at += strspn(at, " ");
    if (strncmp(at, "lambda:", 7) == 0)
        at += 7 + strspn(at + 7, " ");
    size_t n = 0;
    while (is_name(at[n]))
        n++;
    if (n == 0 || n >= size)
        return false;
    memcpy(name, at, n);
    name[n] = 0;
    *ret_number = 1000000; /* its default */
    if (number) {
        number += strlen("number");
        number += strspn(number, " =");
        *ret_number = (unsigned)strtoul(number, NULL, 10);
    }
    return true;
}

static bool defines(const char *s, const char *name)
{
    size_t n = strlen(name);
    s += indent(s);
    return strncmp(s, "def ", 4) == 0 && strncmp(s + 4, name, n) == 0 && !is_name(s[4 + n]);
}

static void body(struct tn_span source, const char *name, struct tn_script *r)
{
    static const char *const makes[] = {"tf.random.",  "tf.ones(",     "tf.zeros(",  "tf.fill(",      "torch.rand",
                                        "torch.ones(", "torch.zeros(", "np.random.", "numpy.random.", "jax.random.",
                                        NULL};
    static const char *const waits[] = {".numpy(", "synchronize(", "block_until_ready", ".item(",
                                        ".cpu(",   ".tolist(",     "sync_devices",      NULL};
    char text[MAX_LINE + 1];
    unsigned number = 0, from = 0, work = 0;
    size_t depth = 0;
    bool waited = false;
    while (next(&source, text)) {
        number++;
        bool blank = text[indent(text)] == 0;
        if (!from && defines(text, name)) {
            from = number;
            depth = indent(text);
            continue;
        }
        if (!from || blank)
            continue;
        if (indent(text) <= depth)
            break;
        if (!r->data && any(text, makes))
            r->data = number;
        if (!work && (strstr(text, "matmul") || strstr(text, "conv") || strstr(text, "tf.") || strstr(text, "torch.")))
            work = number;
        waited |= any(text, waits);
    }
    if (work && !waited)
        r->unsynced = from;
}

void tn_script_read(struct tn_span source, struct tn_script *ret)
{
    struct tn_span rest = source;
    char text[MAX_LINE + 1], name[64];
    unsigned number = 0;
    bool divided = false;
    memset(ret, 0, sizeof *ret);
    while (next(&rest, text)) {
        unsigned runs;
        number++;
        ret->lists_gpus |= strstr(text, "list_physical_devices") != NULL;
        if (!ret->summed && timed(text, name, sizeof name, &runs)) {
            ret->number = runs;
            ret->summed = number;
            body(source, name, ret);
        }
        if (ret->summed && strchr(text, '/') && !strstr(text, "//") && !strchr(text, '\''))
            divided = true;
        if (ret->summed && strstr(text, "/ ") && strstr(text, "{"))
            divided = true;
    }
    if (divided || ret->number < 2)
        ret->summed = 0;
}

bool tn_script_list_is_empty(struct tn_span output)
{
    struct tn_span line;
    while (tn_span_line(&output, &line)) {
        line = tn_span_trim(line);
        if (line.n >= 2 && memcmp(line.p + line.n - 2, "[]", 2) == 0)
            return true;
    }
    return false;
}
