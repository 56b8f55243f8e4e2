/* judge_companion.c - torch beside torchvision or torchaudio of another release, where only the versions are stated.
 *
 * An installed pair is judged by its own metadata (check companion-mismatch); a text has none. The series go together:
 * torchvision 0.(M+15) with torch 2.M, 0.(M+1) with torch 1.M from 1.4 on; torchaudio 2.M with torch 2.M, 0.M with
 * torch 1.M from 1.5 on. Sources: pytorch/vision README.md, table of versions; pytorch/audio docs, compatibility
 * matrix. */
#include "base/str.h"
#include "explain/judge.h"

/* "2.4.1+cu121": 2 and 4. */
static bool series(const char *text, int *major, int *minor)
{
    *major = *minor = 0;
    if (!tn_is_digit(*text))
        return false;
    for (; tn_is_digit(*text) && *major < 1000; text++)
        *major = 10 * *major + (*text - '0');
    if (*text != '.' || !tn_is_digit(text[1]))
        return false;
    for (text++; tn_is_digit(*text) && *minor < 1000; text++)
        *minor = 10 * *minor + (*text - '0');
    return true;
}

static void pair(const struct tn_weigh *w, size_t torch, const char *package, bool vision)
{
    size_t row = tn_weigh_told(w, package);
    int major, minor, m, n;
    if (row == SIZE_MAX || !series(tn_weigh_value(w, torch), &major, &minor) || !series(tn_weigh_value(w, row), &m, &n))
        return;
    bool known = (major == 2 && minor <= 9) || (major == 1 && minor >= (vision ? 4 : 5) && minor <= 13);
    int want = vision ? minor + (major == 2 ? 15 : 1) : minor;
    if (!known || (m == (vision || major == 1 ? 0 : 2) && n == want))
        return;
    tn_weigh_add(w, "companion-mismatch", 78, row);
    tn_weigh_add(w, "companion-mismatch", 78, torch);
}

void tn_judge_companion(const struct tn_weigh *w)
{
    size_t torch = tn_weigh_told(w, "package.torch");
    if (torch == SIZE_MAX)
        return;
    pair(w, torch, "package.torchvision", true);
    pair(w, torch, "package.torchaudio", false);
}
