/* arch.c - the compatibility rule of machine code and PTX.
 *
 * Invariant: of several entries that serve, the one the driver takes is named: the highest. */
#include "facts/arch.h"

#include <string.h>

#include "base/str.h"

bool tn_facts_arch_parse(const char *text, struct tn_arch *ret)
{
    if (tn_str_starts(text, "sm_"))
        text += 3;
    else if (tn_str_starts(text, "compute_"))
        text += 8;
    unsigned digits[4], n = 0, dot = 0;
    for (; tn_is_digit(*text) || (*text == '.' && !dot && n > 0); text++) {
        if (*text == '.') {
            dot = n;
            continue;
        }
        if (n == 3)
            return false;
        digits[n++] = (unsigned)(*text - '0');
    }
    char suffix = *text == 'a' || *text == 'f' ? *text++ : 0;
    /* The last digit is the minor number, with or without a dot. */
    if (*text || n < 2 || (dot && dot != n - 1) || digits[0] == 0)
        return false;
    ret->major = n == 2 ? digits[0] : digits[0] * 10 + digits[1];
    ret->minor = digits[n - 1];
    ret->suffix = suffix;
    return true;
}

static unsigned order(const struct tn_arch *a)
{
    return a->major * 10 + a->minor;
}

/* Same major and not older; in major 10 only 10.0 and 10.3 form a family (10.1 is Thor, later named 11.0). */
static bool in_family(const struct tn_arch *code, const struct tn_arch *device)
{
    if (code->major != device->major || code->minor > device->minor)
        return false;
    if (code->major != 10 || code->minor == device->minor)
        return true;
    return code->minor == 0 && device->minor == 3;
}

static bool is_tegra(const struct tn_arch *a)
{
    static const unsigned all[] = {32, 53, 62, 72, 87, 101, 110};
    for (unsigned i = 0; i < TN_LEN(all); i++)
        if (order(a) == all[i])
            return true;
    return false;
}

static bool desktop_sass_runs(const struct tn_arch *code, const struct tn_arch *device)
{
    if (code->suffix == 'a')
        return order(code) == order(device);
    if (code->suffix == 'f')
        return in_family(code, device);
    return code->major == device->major && code->minor <= device->minor;
}

static bool sass_runs(const struct tn_arch *code, const struct tn_arch *device)
{
    bool tegra = is_tegra(code) || is_tegra(device);
    return tegra ? order(code) == order(device) : desktop_sass_runs(code, device);
}

static bool ptx_runs(const struct tn_arch *code, const struct tn_arch *device)
{
    if (code->suffix == 'a')
        return order(code) == order(device);
    if (code->suffix == 'f')
        return in_family(code, device);
    return order(code) <= order(device);
}

static bool next_word(const char **list, char *word, size_t size)
{
    for (;;) {
        const char *s = *list + strspn(*list, " ,;");
        size_t n = strcspn(s, " ,;");
        *list = s + n;
        if (n == 0)
            return false;
        if (n >= size)
            continue;
        memcpy(word, s, n);
        word[n] = '\0';
        return true;
    }
}

struct seen {
    unsigned low, high; /* 0 while nothing was seen */
};

/* Finds the highest entry that serves; entry stays as it is if none does. */
static bool best_of(const char *list, const struct tn_arch *device,
                    bool (*runs)(const struct tn_arch *, const struct tn_arch *), char *entry, size_t size,
                    struct seen *seen)
{
    char word[16];
    unsigned best = 0;
    while (next_word(&list, word, sizeof word)) {
        struct tn_arch a;
        if (!tn_facts_arch_parse(word, &a))
            continue;
        unsigned at = order(&a);
        if (seen->low == 0 || at < seen->low)
            seen->low = at;
        if (at > seen->high)
            seen->high = at;
        if (runs(&a, device) && at > best && strlen(word) < size) {
            best = at;
            memcpy(entry, word, strlen(word) + 1);
        }
    }
    return best > 0;
}

enum tn_found tn_facts_arch_code(const char *capability, const char *sass, const char *ptx, struct tn_facts_code *ret)
{
    struct tn_arch device;
    if (!tn_facts_arch_parse(capability, &device) || device.suffix)
        return TN_ANSWER_BAD;
    struct tn_facts_code code = {TN_CODE_NONE, "", false, false, false};
    struct seen in_sass = {0, 0}, in_ptx = {0, 0};
    if (best_of(sass, &device, sass_runs, code.entry, sizeof code.entry, &in_sass))
        code.how = TN_CODE_NATIVE;
    else if (best_of(ptx, &device, ptx_runs, code.entry, sizeof code.entry, &in_ptx))
        code.how = TN_CODE_JIT;
    unsigned at = order(&device);
    char entry[16];
    struct seen none = {0, 0};
    code.tegra = code.how != TN_CODE_NATIVE && best_of(sass, &device, desktop_sass_runs, entry, sizeof entry, &none);
    if (code.how != TN_CODE_NATIVE)
        code.newer = in_sass.high > 0 && at > in_sass.high;
    if (code.how == TN_CODE_NONE)
        code.older = (in_sass.low > 0 || in_ptx.low > 0) && (in_sass.low == 0 || at < in_sass.low) &&
                     (in_ptx.low == 0 || at < in_ptx.low);
    *ret = code;
    return TN_ANSWER_YES;
}
