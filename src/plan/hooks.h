/* hooks.h - what an environment's own activation does so that the loader finds a run time that lies in it; lines of sh,
 * csh and fish without a single quote in them. */
#ifndef TN_PLAN_HOOKS_H
#define TN_PLAN_HOOKS_H

/* conda's own run time, in lib. Its scripts: "Managing environments", Saving environment variables. */
#define TN_HOOK_LIB_ENTER                                                                                              \
    "export _TENON_LD=\"${LD_LIBRARY_PATH-}\"; "                                                                       \
    "export LD_LIBRARY_PATH=\"$CONDA_PREFIX/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\""
#define TN_HOOK_LIB_LEAVE                                                                                              \
    "export LD_LIBRARY_PATH=\"${_TENON_LD-}\"; unset _TENON_LD; [ -n \"$LD_LIBRARY_PATH\" ] || unset LD_LIBRARY_PATH"

/* The activation puts the folder before what is there, the deactivation puts that back (venv's own does so for PATH).
 */
#define TN_HOOK_CUDA_LEAVE                                                                                             \
    "if [ -n \"${_TENON_LD+x}\" ]; then LD_LIBRARY_PATH=\"$_TENON_LD\"; export LD_LIBRARY_PATH; unset _TENON_LD; "     \
    "[ -n \"$LD_LIBRARY_PATH\" ] || unset LD_LIBRARY_PATH; fi"
#define TN_HOOK_CUDA_ENTER(prefix)                                                                                     \
    "_TENON_LD=\"${LD_LIBRARY_PATH-}\"; LD_LIBRARY_PATH=\"$" prefix "/cuda/lib64:$" prefix "/cuda/extras/CUPTI/lib64"  \
    "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"; export LD_LIBRARY_PATH; PATH=\"$" prefix "/cuda/bin:$PATH\""
/* A toolkit in the environment's folder "cuda": what is in front of PATH goes from there. */
#define TN_HOOK_CUDA_PATH_BACK "PATH=\"${PATH#\"$CONDA_PREFIX/cuda/bin:\"}\""

/* The same in csh, where leaving is the beginning of an alias, and in fish, where leaving stands in a function. */
#define TN_HOOK_CUDA_FOLDERS(prefix) "$" prefix "/cuda/lib64:$" prefix "/cuda/extras/CUPTI/lib64"
#define TN_HOOK_CUDA_LEAVE_CSH                                                                                         \
    "test $?_TENON_LD != 0 && setenv LD_LIBRARY_PATH \"$_TENON_LD\" && unset _TENON_LD && "                            \
    "test \"x$LD_LIBRARY_PATH\" = x && unsetenv LD_LIBRARY_PATH; "
#define TN_HOOK_CUDA_ENTER_CSH(prefix)                                                                                 \
    "set _TENON_LD=\"\"\n"                                                                                             \
    "if ($?LD_LIBRARY_PATH) then\n"                                                                                    \
    "    set _TENON_LD=\"$LD_LIBRARY_PATH\"\n"                                                                         \
    "endif\n"                                                                                                          \
    "setenv LD_LIBRARY_PATH \"" TN_HOOK_CUDA_FOLDERS(                                                                  \
        prefix) "\"\n"                                                                                                 \
                "if (\"x$_TENON_LD\" != \"x\") setenv LD_LIBRARY_PATH \"${LD_LIBRARY_PATH}:$_TENON_LD\"\n"             \
                "setenv PATH \"$" prefix "/cuda/bin:$PATH\"\n"
#define TN_HOOK_CUDA_LEAVE_FISH                                                                                        \
    "    if set -q _TENON_LD\n"                                                                                        \
    "        set -e LD_LIBRARY_PATH\n"                                                                                 \
    "        test -n \"$_TENON_LD\"; and set -gx LD_LIBRARY_PATH \"$_TENON_LD\"\n"                                     \
    "        set -e _TENON_LD\n"                                                                                       \
    "    end\n"
#define TN_HOOK_CUDA_ENTER_FISH(prefix)                                                                                \
    "set -g _TENON_LD \"$LD_LIBRARY_PATH\"\n"                                                                          \
    "set -gx LD_LIBRARY_PATH \"" TN_HOOK_CUDA_FOLDERS(                                                                 \
        prefix) "\"\n"                                                                                                 \
                "test -n \"$_TENON_LD\"; and set -gx LD_LIBRARY_PATH \"$LD_LIBRARY_PATH:$_TENON_LD\"\n"                \
                "set -gx PATH \"$" prefix "/cuda/bin\" $PATH\n"
#define TN_HOOK_CUDA_PATH_BACK_FISH "set -gx PATH (string match -v -- \"$CONDA_PREFIX/cuda/bin\" $PATH)\n"

#define TN_HOOK_CONDA_FILE "tenon-cuda.sh" /* in etc/conda/activate.d and deactivate.d */

#endif
