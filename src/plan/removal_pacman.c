/* removal_pacman.c - see removal.h: the answers of pacman.
 *
 * A transaction that is asked about: "Packages (41) bind-9.20.17-1  nvidia-580.105.08-4 [removal]  ..." over several
 * lines, to the first blank one (pacman/src/pacman/callback.c, util.c: _display_targets). With --print nothing is
 * asked: -S gives the address of each file, -R the names with versions (pacman(8), --print-format: %l and %n-%v); no
 * count ends these, so that each line has to be one. */
#include <string.h>

#include "base/str.h"
#include "plan/removal_inner.h"

/* "nvidia-open-dkms-590.48.01-1", "egl-wayland-4:1.1.21-1": the last two parts are the version's. */
static bool target(struct tn_arena *mem, struct tn_span w, bool removed, struct tn_transaction *ret)
{
    size_t cut = 0, end = w.n, marks = 0;
    for (size_t i = w.n; i > 0 && marks < 2; i--)
        if (w.p[i - 1] == '-') {
            cut = i - 1;
            marks++;
        }
    if (marks < 2 || cut == 0 || cut + 1 >= end || !tn_removal_made_of(tn_span_of(w.p, cut), "@._+-") ||
        !tn_removal_made_of(tn_span_from(w, cut + 1), ".+-_:~") || !tn_removal_has_digit(tn_span_from(w, cut + 1)))
        return false;
    if (ret->n == TN_REMOVAL_MAX)
        return false;
    struct tn_transaction_item *i = &ret->v[ret->n++];
    *i = (struct tn_transaction_item){
        .name = tn_arena_strndup(mem, (const char *)w.p, cut), .arch = "", .old = "", .now = ""};
    *(removed ? &i->old : &i->now) = tn_arena_strndup(mem, (const char *)w.p + cut + 1, end - cut - 1);
    i->removed = removed;
    return true;
}

static void targets(struct tn_arena *mem, struct tn_span line, struct tn_transaction *ret)
{
    for (struct tn_span w; (w = tn_removal_word_of(&line)).n;) {
        if (tn_span_eq(w, "[removal]")) {
            if (!ret->n || ret->v[ret->n - 1].removed) {
                ret->cut = true;
                continue;
            }
            struct tn_transaction_item *i = &ret->v[ret->n - 1];
            i->removed = true;
            i->old = i->now;
            i->now = "";
        } else if (!target(mem, w, false, ret)) {
            ret->cut = true;
        }
    }
}

static bool asked(struct tn_arena *mem, struct tn_span text, struct tn_transaction *ret)
{
    struct tn_span line;
    bool inside = false, any = false;
    unsigned count = 0;
    while (tn_span_line(&text, &line)) {
        while (line.n && (line.p[line.n - 1] == '\r' || line.p[line.n - 1] == ' '))
            line.n--;
        if (tn_span_starts(line, "Inst ") || tn_span_starts(line, "Remv ") || tn_span_starts(line, "Purg "))
            ret->cut = true;
        if (tn_span_starts(line, "error: "))
            ret->failed = true;
        if (tn_span_starts(line, "Packages (")) {
            ret->cut = ret->cut || any;
            any = inside = true;
            size_t i = strlen("Packages (");
            for (; i < line.n && tn_is_digit((char)line.p[i]) && count < 1000000; i++)
                count = count * 10 + (unsigned)(line.p[i] - '0');
            if (i >= line.n || line.p[i] != ')')
                ret->cut = true;
            else
                targets(mem, tn_span_from(line, i + 1 + (i + 1 < line.n && line.p[i + 1] == ':')), ret);
        } else if (inside && !line.n) {
            inside = false;
        } else if (inside) {
            targets(mem, line, ret);
        }
        if (tn_span_starts(line, " there is nothing to do")) {
            any = true;
            ret->counted = true;
        }
    }
    if (any && !ret->counted) {
        ret->counted = !inside; /* the list ended */
        for (unsigned i = 0; i < ret->n; i++)
            ret->removed += ret->v[i].removed;
        ret->changed = count >= ret->removed ? count - ret->removed : 0;
        ret->cut = ret->cut || count != ret->n;
    }
    return any;
}

/* "https://mirror/extra/os/x86_64/nvidia-utils-590.48.01-1-x86_64.pkg.tar.zst" */
static bool address(struct tn_arena *mem, struct tn_span line, struct tn_transaction *ret)
{
    size_t pkg = tn_span_find(line, 0, ".pkg.tar", 8), slash = 0;
    for (size_t i = 0; i < line.n && i < pkg; i++)
        if (line.p[i] == '/')
            slash = i + 1;
    size_t dash = pkg;
    while (pkg < line.n && dash > slash && line.p[dash - 1] != '-')
        dash--;
    return pkg < line.n && slash && dash > slash + 1 &&
           target(mem, tn_span_of(line.p + slash, dash - 1 - slash), false, ret);
}

static void printed(struct tn_arena *mem, struct tn_span text, struct tn_transaction *ret)
{
    struct tn_span line;
    bool whole = text.n && text.p[text.n - 1] == '\n';
    while (tn_span_line(&text, &line)) {
        while (line.n && (line.p[line.n - 1] == '\r' || line.p[line.n - 1] == ' '))
            line.n--;
        if (tn_span_starts(line, "error: "))
            ret->failed = true;
        else if (tn_span_starts(line, "warning: ") || !line.n || tn_span_starts(line, ":: ") ||
                 tn_span_starts(line, "resolving ") || tn_span_starts(line, "looking for ") ||
                 tn_span_starts(line, "checking "))
            continue;
        else if (!address(mem, line, ret) && !target(mem, line, true, ret))
            ret->cut = true;
    }
    for (unsigned i = 0; i < ret->n; i++)
        *(ret->v[i].removed ? &ret->removed : &ret->changed) += 1;
    ret->counted = whole && ret->n > 0;
}

void tn_transaction_read_pacman(struct tn_arena *mem, struct tn_span text, struct tn_transaction *ret)
{
    if (!asked(mem, text, ret))
        printed(mem, text, ret);
}
