/* here.h - paths of the machine that is changed, in its own style, and where an environment keeps its programs. */
#ifndef TN_APPLY_HERE_H
#define TN_APPLY_HERE_H

#include "base/path.h"
#include "os/os.h"

static inline bool tn_here_is_windows(void)
{
    return tn_os_path_style() == TN_PATH_WINDOWS;
}

static inline bool tn_here_is_abs(const char *path)
{
    return tn_path_is_abs(tn_os_path_style(), path);
}

static inline char *tn_here_join(struct tn_arena *mem, const char *folder, const char *name)
{
    return tn_path_join(mem, tn_os_path_style(), folder, name);
}

static inline char *tn_here_dir(struct tn_arena *mem, const char *path)
{
    return tn_path_dir(mem, tn_os_path_style(), path);
}

static inline const char *tn_here_base(const char *path)
{
    return tn_path_base(tn_os_path_style(), path);
}

/* The interpreter of an environment: CPython's Lib/venv ("Scripts" on Windows); conda's lies at its top there. */
static inline char *tn_here_python(struct tn_arena *mem, const char *env, bool conda)
{
    return tn_here_join(mem, env, !tn_here_is_windows() ? "bin/python" : conda ? "python.exe" : "Scripts\\python.exe");
}

#endif
