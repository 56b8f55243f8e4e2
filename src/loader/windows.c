/* windows.c - the search of Windows for one DLL: which folders, in which order, and what a file found there comes to.
 *
 * Sources: Microsoft Learn, "Dynamic-link library search order", "LoadLibraryExW function", "AddDllDirectory function",
 * "SetDllDirectoryW function", "Windows API sets"; wine dlls/ntdll/loader.c (get_dll_load_path,
 * get_dll_load_path_search_flags, find_dll_file, search_dll_file), against which tests/windows compares every choice.
 *
 * A bare name is served by, in this order:
 *   1  API sets: "api-ms-..." and "ext-ms-..." are no files
 *   2  side by side manifests: of what Python programs need those name the C run times 8.0 and 9.0 alone; not followed
 *   3  a loaded module of this name, whatever its folder        4  KnownDLLs: System32's
 *   5  the folders of the open that this belongs to; what a DLL imports is searched in the same ones:
 *      plain                          program, (SetDllDirectory), System32, System, Windows, working folder, PATH
 *      LOAD_WITH_ALTERED_SEARCH_PATH  the same with the opened file's folder in place of the program's, if it has one
 *      LOAD_LIBRARY_SEARCH_...        opened file's folder, program, AddDllDirectory, System32: those that are flagged
 *      a packaged program (Store)     its own folder, System32
 * The order among folders of AddDllDirectory is not defined: where two hold different files, it is not known which one
 * is taken. A file for another processor is passed over; a file that is none of PE stops the search. DLL redirection
 * (python.exe.local) is off for programs with a manifest, as python.exe is. */
#include <string.h>

#include "base/str.h"
#include "loader/inner.h"

#define NOT_FOUND "[WinError 126] The specified module could not be found"
#define NOT_PE "[WinError 193] %1 is not a valid Win32 application"
#define NO_ACCESS "[WinError 5] Access is denied"
#define BAD_FLAGS "[WinError 87] The parameter is incorrect"

enum { SEARCH_FLAGS = TN_LOAD_DLL_DIR | TN_LOAD_APPLICATION | TN_LOAD_USER | TN_LOAD_SYSTEM | TN_LOAD_DEFAULT };

bool tn_windows_is_path(const char *name)
{
    return strpbrk(name, "\\/") || (name[0] && name[1] == ':');
}

/* With the ending that LoadLibrary adds. */
static const char *with_ending(struct tn_loader *l, const char *name)
{
    const char *base = tn_path_base(TN_PATH_WINDOWS, name);
    return strchr(base, '.') ? name : tn_arena_printf(l->mem, "%s.dll", name);
}

const char *tn_windows_key(struct tn_loader *l, const char *name)
{
    const char *base = tn_path_base(TN_PATH_WINDOWS, with_ending(l, name));
    char *key = tn_arena_strdup(l->mem, base);
    for (char *p = key; *p; p++)
        *p = tn_lower(*p);
    return key;
}

static void add(struct tn_loader *l, struct tn_places *p, enum tn_rule rule, const char *folder)
{
    if (!folder || p->n >= TN_MAX_LIST)
        return;
    p->v = tn_arena_grow(l->mem, p->v, p->n, &p->cap, sizeof *p->v);
    p->v[p->n++] = (struct tn_place){rule, folder};
}

static void add_added(struct tn_loader *l, struct tn_places *p)
{
    const struct tn_windows *w = l->process->windows;
    const struct tn_places *a = &l->in->added;
    size_t n = w->n_added + a->n;
    for (size_t i = 0; i < n; i++) {
        size_t k = w->newest_first ? n - 1 - i : i;
        add(l, p, TN_RULE_ADDED, k < w->n_added ? w->added[k] : a->v[k - w->n_added].folder);
    }
}

static void standard(struct tn_loader *l, struct tn_places *p, const char *first, enum tn_rule rule)
{
    const struct tn_windows *w = l->process->windows;
    const char *cwd = l->process->cwd ? l->process->cwd : "";
    add(l, p, rule, first);
    if (w->packaged) {
        add(l, p, TN_RULE_SYSTEM, w->system);
        return;
    }
    if (l->in->set && *l->in->set)
        add(l, p, TN_RULE_SET, l->in->set);
    if (!l->in->set && w->unsafe)
        add(l, p, TN_RULE_CWD, cwd);
    add(l, p, TN_RULE_SYSTEM, w->system);
    if (w->folder) {
        add(l, p, TN_RULE_WINDOWS, tn_path_join(l->mem, TN_PATH_WINDOWS, w->folder, "System"));
        add(l, p, TN_RULE_WINDOWS, w->folder);
    }
    if (!l->in->set && !w->unsafe)
        add(l, p, TN_RULE_CWD, cwd);
    for (size_t i = l->in->first.n; i-- > 0;)
        add(l, p, TN_RULE_PATHS, l->in->first.v[i].folder);
    for (size_t i = 0; i < w->n_path; i++)
        add(l, p, TN_RULE_PATHS, w->path[i]);
}

void tn_windows_places(struct tn_loader *l, const char *name, unsigned flags)
{
    const struct tn_windows *w = l->process->windows;
    struct tn_places *p = &l->in->places;
    bool whole = tn_path_is_abs(TN_PATH_WINDOWS, name);
    const char *own = tn_windows_is_path(name) ? tn_path_dir(l->mem, TN_PATH_WINDOWS, name) : NULL;
    memset(p, 0, sizeof *p);
    if ((flags & TN_LOAD_ALTERED && flags & SEARCH_FLAGS) || (flags & TN_LOAD_DLL_DIR && !whole)) {
        p->refused = true;
        return;
    }
    if (!(flags & SEARCH_FLAGS)) {
        bool altered = flags & TN_LOAD_ALTERED && own;
        standard(l, p, altered ? own : w->application, altered ? TN_RULE_DLL_DIR : TN_RULE_APP);
        return;
    }
    if (flags & TN_LOAD_DEFAULT)
        flags |= TN_LOAD_APPLICATION | TN_LOAD_USER | TN_LOAD_SYSTEM;
    if (flags & TN_LOAD_DLL_DIR)
        add(l, p, TN_RULE_DLL_DIR, own);
    if (flags & TN_LOAD_APPLICATION)
        add(l, p, TN_RULE_APP, w->application);
    if (flags & TN_LOAD_USER) {
        add_added(l, p);
        if (l->in->set && *l->in->set)
            add(l, p, TN_RULE_SET, l->in->set);
    }
    if (flags & TN_LOAD_SYSTEM)
        add(l, p, TN_RULE_SYSTEM, w->system);
}

static bool is_windows(const struct tn_loader *l)
{
    return l->process->kind == TN_PROCESS_WINDOWS;
}

void tn_loader_add_folder(struct tn_loader *l, const char *folder)
{
    if (is_windows(l))
        add(l, &l->in->added, TN_RULE_ADDED, tn_arena_strdup(l->mem, folder));
}

void tn_loader_set_folder(struct tn_loader *l, const char *folder)
{
    if (is_windows(l))
        l->in->set = folder ? tn_arena_strdup(l->mem, folder) : NULL;
}

void tn_loader_path_first(struct tn_loader *l, const char *folder)
{
    if (is_windows(l))
        add(l, &l->in->first, TN_RULE_PATHS, tn_arena_strdup(l->mem, folder));
}

/* Parts of every Windows that TensorFlow and its kin run on: never missing, and their needs are Windows' own matter.
 * KnownDLLs of Windows 10 first (HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\KnownDLLs). */
static const char *const known[] = {"advapi32.dll", "clbcatq.dll",    "combase.dll",  "comdlg32.dll", "coml2.dll",
                                    "difxapi.dll",  "gdi32.dll",      "gdiplus.dll",  "imagehlp.dll", "imm32.dll",
                                    "kernel32.dll", "kernelbase.dll", "msctf.dll",    "msvcrt.dll",   "normaliz.dll",
                                    "nsi.dll",      "ntdll.dll",      "ole32.dll",    "oleaut32.dll", "psapi.dll",
                                    "rpcrt4.dll",   "sechost.dll",    "setupapi.dll", "shcore.dll",   "shell32.dll",
                                    "shlwapi.dll",  "user32.dll",     "wldap32.dll",  "ws2_32.dll",   NULL};
static const char *const parts[] = {"avrt.dll",
                                    "bcrypt.dll",
                                    "bcryptprimitives.dll",
                                    "cfgmgr32.dll",
                                    "comctl32.dll",
                                    "crypt32.dll",
                                    "cryptbase.dll",
                                    "d3d11.dll",
                                    "d3d12.dll",
                                    "d3d9.dll",
                                    "dbghelp.dll",
                                    "dnsapi.dll",
                                    "dwmapi.dll",
                                    "dxcore.dll",
                                    "dxgi.dll",
                                    "gdi32full.dll",
                                    "hid.dll",
                                    "iphlpapi.dll",
                                    "mpr.dll",
                                    "msvcp_win.dll",
                                    "mswsock.dll",
                                    "ncrypt.dll",
                                    "netapi32.dll",
                                    "opengl32.dll",
                                    "pdh.dll",
                                    "powrprof.dll",
                                    "profapi.dll",
                                    "propsys.dll",
                                    "secur32.dll",
                                    "sspicli.dll",
                                    "ucrtbase.dll",
                                    "urlmon.dll",
                                    "userenv.dll",
                                    "uxtheme.dll",
                                    "version.dll",
                                    "win32u.dll",
                                    "winhttp.dll",
                                    "wininet.dll",
                                    "winmm.dll",
                                    "winspool.drv",
                                    "wintrust.dll",
                                    "wsock32.dll",
                                    "wtsapi32.dll",
                                    NULL};

bool tn_windows_is_part(const char *name)
{
    static const char *const set[] = {"api-ms-", "ext-ms-", NULL};
    char low[32];
    size_t n = 0;
    for (; name[n] && n < sizeof low - 1; n++)
        low[n] = tn_lower(name[n]);
    low[n] = 0;
    for (size_t i = 0; set[i]; i++)
        if (tn_str_starts(low, set[i]))
            return true;
    return !name[n] && (tn_str_in(low, known) || tn_str_in(low, parts));
}

bool tn_windows_is_own(const struct tn_loader *l, const char *path)
{
    const char *base = tn_path_base(TN_PATH_WINDOWS, path), *system = l->process->windows->system;
    return system && tn_path_under(TN_PATH_WINDOWS, path, system) && tn_windows_is_part(base);
}

static enum tn_step_end examine(struct tn_hunt *h, const char *path, struct tn_rec_image *i, const char **error)
{
    const struct tn_process *p = h->l->process;
    memset(i, 0, sizeof *i);
    if (!h->l->disk->image(h->l->disk->ctx, path, i) || i->seen.k != TN_KNOWN)
        return TN_STEP_UNKNOWN;
    if (tn_says(i->seen, "none") || tn_says(i->seen, "loop") || tn_says(i->seen, "long"))
        return TN_STEP_ABSENT;
    if (tn_says(i->seen, "denied") || tn_says(i->seen, "folder") || tn_says(i->seen, "other")) {
        *error = NO_ACCESS;
        return TN_STEP_DENIED;
    }
    if (!tn_says(i->seen, "file")) {
        *error = NOT_PE;
        return TN_STEP_FAILED;
    }
    if (tn_known(i->damage)) {
        *error = NOT_PE;
        return TN_STEP_DAMAGED;
    }
    if (i->bits.k == TN_KNOWN && i->bits.v != p->bits)
        return TN_STEP_CLASS;
    return tn_known(i->machine) && strcmp(i->machine.v, p->machine) != 0 ? TN_STEP_MACHINE : TN_STEP_TAKEN;
}

/* A part of Windows in System32: taken without a look, its needs are not followed. */
static void take_part(struct tn_hunt *h, enum tn_rule rule, const char *folder, const char *path)
{
    static const struct tn_list none = {.k = TN_ABSENT};
    tn_hunt_step(h, rule, TN_STEP_TAKEN, TN_NO_OBJECT, folder, path);
    memset(&h->image, 0, sizeof h->image);
    h->image.needed = none;
    h->path = path;
    h->outcome = TN_OUTCOME_FOUND;
}

static enum tn_try try_file(struct tn_hunt *h, enum tn_rule rule, const char *folder, const char *path)
{
    struct tn_rec_image i;
    const char *error = NULL;
    if (++h->l->in->steps > TN_MAX_LOADER_STEPS) {
        h->l->limited = h->unknown = true;
        return TN_TRY_STOPS;
    }
    if (!h->taken && tn_windows_is_own(h->l, path)) {
        take_part(h, rule, folder, path);
        return TN_TRY_TAKEN;
    }
    enum tn_step_end end = examine(h, path, &i, &error);
    tn_hunt_step(h, rule, end, TN_NO_OBJECT, folder, path);
    if (h->taken) {
        if (end == TN_STEP_TAKEN)
            tn_hunt_shadow(h, path, &i);
        return TN_TRY_NEXT;
    }
    switch (end) {
    case TN_STEP_TAKEN:
        h->image = i;
        h->path = path;
        h->outcome = TN_OUTCOME_FOUND;
        return TN_TRY_TAKEN;
    case TN_STEP_CLASS:
    case TN_STEP_MACHINE: h->other_class = true; return TN_TRY_NEXT;
    case TN_STEP_DENIED:
    case TN_STEP_DAMAGED:
    case TN_STEP_FAILED:
        h->path = path;
        h->outcome = TN_OUTCOME_STOPS;
        h->error = error;
        return TN_TRY_STOPS;
    default: return TN_TRY_NEXT;
    }
}

/* Is a folder certainly not there? One step then, instead of one for each name. */
static bool no_folder(struct tn_hunt *h, const struct tn_place *p)
{
    if (p->rule == TN_RULE_SYSTEM) /* every Windows has it */
        return false;
    enum tn_know k = *p->folder ? h->l->disk->folder(h->l->disk->ctx, p->folder) : TN_UNASKED;
    if (k != TN_ABSENT)
        return false;
    tn_hunt_step(h, p->rule, TN_STEP_NO_FOLDER, TN_NO_OBJECT, p->folder, NULL);
    return ++h->l->in->steps <= TN_MAX_LOADER_STEPS;
}

/* Another file of this name in another folder of AddDllDirectory: which one is taken is not defined. */
static void look_for_rival(struct tn_hunt *h, const char *name, size_t from)
{
    const struct tn_places *p = &h->l->in->places;
    size_t before = h->n_shadowed;
    h->taken = true;
    for (size_t i = from + 1; i < p->n && p->v[i].rule == TN_RULE_ADDED; i++)
        try_file(h, TN_RULE_ADDED, p->v[i].folder, tn_path_join(h->l->mem, TN_PATH_WINDOWS, p->v[i].folder, name));
    h->taken = false;
    if (h->n_shadowed > before)
        tn_hunt_step(h, TN_RULE_ADDED, TN_STEP_UNKNOWN, TN_NO_OBJECT, NULL, h->shadowed[before]);
    h->n_shadowed = before;
}

/* The folders of the open, for a name that may hold folders of its own. */
static void by_places(struct tn_hunt *h, const char *name)
{
    struct tn_loader *l = h->l;
    const struct tn_places *p = &l->in->places;
    bool path_unknown = !l->process->windows->path_known && !l->process->windows->packaged;
    for (size_t i = 0; i < p->n; i++) {
        if (no_folder(h, &p->v[i]))
            continue;
        const char *at = *p->v[i].folder ? tn_path_join(l->mem, TN_PATH_WINDOWS, p->v[i].folder, name) : name;
        if (!*p->v[i].folder && !h->taken) { /* the working folder of a process that does not run */
            continue;
        }
        enum tn_try t = try_file(h, p->v[i].rule, p->v[i].folder, at);
        if (t == TN_TRY_STOPS)
            return;
        if (t != TN_TRY_TAKEN)
            continue;
        if (p->v[i].rule == TN_RULE_ADDED && !l->process->windows->newest_first)
            look_for_rival(h, name, i);
        if (!(l->flags & TN_LOADER_SHADOWS) || h->unknown || tn_windows_is_own(l, at))
            return;
        h->taken = true;
    }
    if (h->taken)
        return;
    bool standard_order = p->n && p->v[p->n - 1].rule != TN_RULE_SYSTEM && p->v[p->n - 1].rule != TN_RULE_ADDED;
    if (path_unknown && standard_order)
        tn_hunt_step(h, TN_RULE_PATHS, TN_STEP_UNKNOWN, TN_NO_OBJECT, NULL, NULL);
    if (!l->process->windows->application && !l->process->windows->packaged && l->process->program)
        tn_hunt_step(h, TN_RULE_APP, TN_STEP_UNKNOWN, TN_NO_OBJECT, NULL, NULL);
}

static bool is_side_by_side(const char *key)
{
    static const char *const of[] = {"msvcr80.dll", "msvcp80.dll", "msvcm80.dll", "msvcr90.dll",
                                     "msvcp90.dll", "msvcm90.dll", NULL};
    return tn_str_in(key, of);
}

static void by_name(struct tn_hunt *h, const char *name)
{
    struct tn_loader *l = h->l;
    const char *key = tn_windows_key(l, name), *system = l->process->windows->system;
    if (tn_str_starts(key, "api-ms-") || tn_str_starts(key, "ext-ms-")) {
        tn_hunt_step(h, TN_RULE_API_SET, TN_STEP_TAKEN, TN_NO_OBJECT, NULL, NULL);
        h->outcome = TN_OUTCOME_FOUND;
        return;
    }
    if (tn_str_in(key, known)) {
        take_part(h, TN_RULE_KNOWN, NULL, system ? tn_path_join(l->mem, TN_PATH_WINDOWS, system, name) : NULL);
        return;
    }
    by_places(h, name);
    if (h->outcome == TN_OUTCOME_MISSING && is_side_by_side(key))
        tn_hunt_step(h, TN_RULE_SXS, TN_STEP_UNKNOWN, TN_NO_OBJECT, NULL, NULL);
}

void tn_hunt_windows(struct tn_hunt *h)
{
    struct tn_loader *l = h->l;
    const char *name = with_ending(l, h->name);
    if (l->in->places.refused) {
        h->outcome = TN_OUTCOME_STOPS;
        h->error = BAD_FLAGS;
        return;
    }
    if (!tn_windows_is_path(name))
        by_name(h, name);
    else if (tn_path_is_abs(TN_PATH_WINDOWS, name))
        try_file(h, TN_RULE_PATH, NULL, name);
    else
        by_places(h, name);
    if (h->outcome == TN_OUTCOME_MISSING)
        h->error = h->other_class ? NOT_PE : NOT_FOUND;
}
