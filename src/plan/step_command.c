/* step_command.c - the command line of a step, for one shell. */
#include "plan/hooks.h"
#include "plan/step_line.h"

#include <stdarg.h>
#include <string.h>

#include "base/str.h"
#include "strings.gen.h"

void tn_line_word(struct tn_line *l, const char *w)
{
    size_t n = l->b->n;
    bool program = l->first, ok;
    if (!l->first)
        tn_buf_ch(l->b, ' ');
    l->first = false;
    ok = tn_shell_quote(l->b, l->shell, w);
    if (!ok && !l->refused)
        l->refused = w;
    l->ok = l->ok && ok;
    if (ok && program && l->shell == TN_SHELL_POWERSHELL && l->b->p[n] == '\'') { /* there a quoted word is a value */
        l->b->n = n;
        tn_buf_str(l->b, "& ");
        tn_shell_quote(l->b, l->shell, w);
    }
}

void tn_line_glue(struct tn_line *l, const char *word)
{
    bool ok = tn_shell_quote(l->b, l->shell, word);
    if (!ok && !l->refused)
        l->refused = word;
    l->ok = l->ok && ok;
}

void tn_line_words(struct tn_line *l, ...)
{
    va_list ap;
    va_start(ap, l);
    for (const char *w; (w = va_arg(ap, const char *));)
        tn_line_word(l, w);
    va_end(ap);
}

static void end(struct tn_line *l)
{
    tn_buf_ch(l->b, '\n');
    l->first = true;
}

static const char *below(struct tn_arena *mem, const struct tn_plan_steps *all, const char *env, const char *unix_path,
                         const char *windows_path)
{
    const char *head = env[0] == '-' ? (all->windows ? ".\\" : "./") : "";
    return all->windows ? tn_arena_printf(mem, "%s%s\\%s", head, env, windows_path)
                        : tn_arena_printf(mem, "%s%s/%s", head, env, unix_path);
}

const char *tn_plan_step_python(struct tn_arena *mem, const struct tn_plan_steps *all, const struct tn_plan_step *s)
{
    return below(mem, all, s->env, "bin/python", "Scripts\\python.exe");
}

static void venv(struct tn_line *l, const struct tn_plan_steps *all, const struct tn_plan_step *s, struct tn_arena *mem)
{
    if (s->tool == TN_STEP_BY_UV)
        tn_line_words(l, "uv", "venv", "--python", s->python, NULL);
    else if (s->tool == TN_STEP_BY_VIRTUALENV)
        tn_line_words(l, "virtualenv", "--python", s->python, NULL);
    else if (all->windows)
        tn_line_words(l, "py", tn_arena_printf(mem, "-%s", s->python), "-m", "venv", NULL);
    else
        tn_line_words(l, tn_arena_printf(mem, "python%s", s->python), "-m", "venv", NULL);
    if (s->env[0] == '-')
        tn_line_word(l, "--");
    tn_line_word(l, s->env);
}

/* What conda takes for no name (conda/base/constants.py, PREFIX_NAME_DISALLOWED_CHARS) is a folder here; a word that
 * would be taken for an option is one word with its own. */
static const char *conda_folder(struct tn_arena *mem, const struct tn_plan_steps *all, const struct tn_plan_step *s)
{
    if (s->named && !strpbrk(s->env, " :#") && s->env[0] != '-')
        return NULL;
    return s->named || s->env[0] == '-' ? tn_arena_printf(mem, "%s%s", all->windows ? ".\\" : "./", s->env) : s->env;
}

/* A pixi workspace is a folder ("pixi init", "pixi add", "pixi run": CLI reference); __cuda is what its file says. */
static const char *pixi_folder(struct tn_arena *mem, const struct tn_plan_steps *all, const struct tn_plan_step *s)
{
    const char *folder = conda_folder(mem, all, s);
    return folder ? folder : s->env;
}

/* The program by its name, or by its path where PATH does not lead to it. */
static void conda_word(struct tn_line *l, const struct tn_plan_step *s)
{
    tn_line_word(l, *s->exe ? s->exe : s->program);
}

static void pixi_manifest(struct tn_line *l, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                          struct tn_arena *mem)
{
    tn_line_words(l, "--manifest-path",
                  tn_arena_printf(mem, "%s%s", pixi_folder(mem, all, s), all->windows ? "\\pixi.toml" : "/pixi.toml"),
                  NULL);
}

/* Lines of ours behind what stands in the workspace's file. */
static void pixi_append(struct tn_line *l, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                        struct tn_arena *mem, const char *const *lines, unsigned n)
{
    bool ps = l->shell == TN_SHELL_POWERSHELL;
    const char *file =
        tn_arena_printf(mem, "%s%s", pixi_folder(mem, all, s), all->windows ? "\\pixi.toml" : "/pixi.toml");
    tn_buf_str(l->b, ps ? "Add-Content -LiteralPath " : "printf '%s\\n'");
    if (ps) {
        tn_line_glue(l, file);
        tn_buf_str(l->b, " -Value ");
    }
    for (unsigned i = 0; i < n; i++) {
        tn_buf_str(l->b, !ps ? " " : i ? "," : "");
        if (ps || !*lines[i]) /* lines of ours: a cmdlet takes the quotes in them, which a program would not get */
            tn_buf_printf(l->b, "'%s'", lines[i]);
        else
            tn_line_glue(l, lines[i]);
    }
    if (!ps) {
        tn_buf_str(l->b, " >> ");
        tn_line_glue(l, file);
    }
    end(l);
}

static void pixi_env(struct tn_line *l, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                     struct tn_arena *mem)
{
    conda_word(l, s);
    tn_line_word(l, "init");
    for (unsigned i = 0; i < s->n_channel; i++)
        tn_line_words(l, "-c", s->channel[i], NULL);
    tn_line_word(l, pixi_folder(mem, all, s));
    end(l);
    if (*s->version) {
        const char *lines[] = {"", "[system-requirements]", tn_arena_printf(mem, "cuda = \"%s\"", s->version)};
        pixi_append(l, all, s, mem, lines, TN_LEN(lines));
    }
    conda_word(l, s);
    tn_line_word(l, "add");
    pixi_manifest(l, all, s, mem);
    for (unsigned i = 0; i < s->n_package; i++)
        tn_line_word(l, s->package[i]);
}

/* Wheels are kept in the lock by pixi's own resolver; further indexes stand in its file ("pixi.toml", pypi-options). */
static void pixi_packages(struct tn_line *l, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                          struct tn_arena *mem)
{
    const char *lines[5] = {"", "[pypi-options]"};
    unsigned n = 2;
    if (*s->index) {
        lines[n++] = tn_arena_printf(mem, "extra-index-urls = [\"%s\"]", s->index);
        lines[n++] = "index-strategy = \"unsafe-best-match\"";
    }
    if (*s->find_links)
        lines[n++] = tn_arena_printf(mem, "find-links = [{ url = \"%s\" }]", s->find_links);
    if (n > 2)
        pixi_append(l, all, s, mem, lines, n);
    conda_word(l, s);
    tn_line_word(l, "add");
    pixi_manifest(l, all, s, mem);
    tn_line_word(l, "--pypi");
    for (unsigned i = 0; i < s->n_package; i++)
        tn_line_word(l, s->package[i]);
}

static void conda_target(struct tn_line *l, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                         struct tn_arena *mem)
{
    const char *folder = conda_folder(mem, all, s);
    if (tn_str_eq(s->program, "pixi")) {
        pixi_manifest(l, all, s, mem);
        return;
    }
    tn_line_words(l, folder ? "-p" : "-n", folder ? folder : s->env, NULL);
}

static void conda_env(struct tn_line *l, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                      struct tn_arena *mem)
{
    if (tn_str_eq(s->program, "pixi")) {
        pixi_env(l, all, s, mem);
        return;
    }
    bool ps = l->shell == TN_SHELL_POWERSHELL;
    if (*s->override) /* a number of ours */
        tn_buf_printf(l->b, ps ? "$env:CONDA_OVERRIDE_CUDA = '%s'; " : "CONDA_OVERRIDE_CUDA=%s ", s->override);
    conda_word(l, s);
    tn_line_words(l, "create", "-y", NULL);
    conda_target(l, all, s, mem);
    tn_line_words(l, "--override-channels", "--strict-channel-priority", NULL);
    for (unsigned i = 0; i < s->n_channel; i++)
        tn_line_words(l, "-c", s->channel[i], NULL);
    for (unsigned i = 0; i < s->n_package; i++)
        tn_line_word(l, s->package[i]);
}

/* The environment's own scripts ("Managing environments", Saving environment variables). */
static void conda_search(struct tn_line *l, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                         struct tn_arena *mem)
{
    const char *folder = conda_folder(mem, all, s);
    if (all->windows || l->shell != TN_SHELL_SH) {
        l->ok = false;
        return;
    }
    if (folder && !tn_str_eq(s->program, "pixi")) {
        tn_buf_str(l->b, "(cd ");
        tn_line_glue(l, folder);
    } else {
        tn_buf_str(l->b, "(p=$(");
        l->first = true;
        conda_word(l, s);
        tn_line_word(l, "run");
        conda_target(l, all, s, mem);
        tn_line_words(l, "printenv", "CONDA_PREFIX", NULL);
        tn_buf_str(l->b, ") && [ -n \"$p\" ] && cd \"$p\"");
    }
    tn_buf_str(l->b, " && mkdir -p etc/conda/activate.d etc/conda/deactivate.d && printf '%s\\n' '" TN_HOOK_LIB_ENTER
                     "' > etc/conda/activate.d/tenon-cuda.sh && printf '%s\\n' '" TN_HOOK_LIB_LEAVE
                     "' > etc/conda/deactivate.d/tenon-cuda.sh)");
    l->first = false;
}

static void packages(struct tn_line *l, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                     struct tn_arena *mem)
{
    if (s->tool == TN_STEP_BY_CONDA && tn_str_eq(s->program, "pixi")) {
        pixi_packages(l, all, s, mem);
        return;
    }
    if (s->tool == TN_STEP_BY_UV)
        tn_line_words(l, "uv", "pip", "install", "--python", tn_plan_step_python(mem, all, s), NULL);
    else if (s->tool == TN_STEP_BY_CONDA) {
        conda_word(l, s);
        tn_line_word(l, "run");
        conda_target(l, all, s, mem);
        tn_line_words(l, "python", "-m", "pip", "install", NULL);
    } else
        tn_line_words(l, tn_plan_step_python(mem, all, s), "-m", "pip", "install", NULL);
    if (*s->index)
        tn_line_words(l, "--extra-index-url", s->index, NULL);
    /* The torch index has other packages too, old ones; uv would take each from the first index that has its name. */
    if (*s->index && s->tool == TN_STEP_BY_UV)
        tn_line_words(l, "--index-strategy", "unsafe-best-match", NULL);
    if (*s->find_links)
        tn_line_words(l, "--find-links", s->find_links, NULL);
    for (unsigned i = 0; i < s->n_package; i++)
        tn_line_word(l, s->package[i]);
}

/* Relative links, so that the environment may be moved. Among NVIDIA's own folders one links what is not in it;
 * their names need no quotes, which not every file that this goes into would carry. */
const char *tn_plan_link_command(const char *into)
{
    return tn_str_starts(into, "nvidia/") ? "for f in ../../*/lib/lib*.so*; do [ -e ${f##*/} ] || ln -s $f .; done"
                                          : "ln -sf ../nvidia/*/lib/lib*.so* .";
}

static void link_libraries(struct tn_line *l, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                           struct tn_arena *mem)
{
    const char *into =
        below(mem, all, s->env, tn_arena_printf(mem, "lib/python%s/site-packages/%s", s->python, s->into), "");
    if (all->windows || l->shell != TN_SHELL_SH) {
        l->ok = false;
        return;
    }
    tn_buf_str(l->b, "(cd ");
    tn_line_word(l, into);
    tn_buf_printf(l->b, " && %s)", tn_plan_link_command(s->into));
    l->first = false;
}

#define IN_IMAGE_LINK "cd /usr/local/lib/python%s/site-packages/%s && %s"

unsigned tn_plan_image_commands(struct tn_arena *mem, const struct tn_plan_step *s,
                                const char *ret[TN_IMAGE_MAX_COMMANDS], const char **ret_refused)
{
    unsigned n = 0;
    struct tn_buf b;
    tn_buf_init(&b);
    struct tn_line in = {.b = &b, .shell = TN_SHELL_SH, .ok = true};
    tn_buf_str(&b, "python -m pip install --no-cache-dir");
    if (*s->index)
        tn_line_words(&in, "--extra-index-url", s->index, NULL);
    if (*s->find_links)
        tn_line_words(&in, "--find-links", s->find_links, NULL);
    for (unsigned i = 0; i < s->n_package; i++)
        tn_line_word(&in, s->package[i]);
    if (s->n_package)
        ret[n++] = tn_arena_strdup(mem, b.p);
    if (*s->python)
        ret[n++] = tn_arena_printf(mem, IN_IMAGE_LINK, s->python, s->link, tn_plan_link_command(s->link));
    *ret_refused = in.refused;
    tn_buf_deinit(&b);
    return n;
}

/* "printf '%s\n' 'FROM python:3.12' 'RUN pip install ...' | docker build -t NAME -": a Dockerfile from standard input
 * has no other files (docker build reference). */
static void build_image(struct tn_line *l, const struct tn_plan_step *s, struct tn_arena *mem)
{
    const char *run[TN_IMAGE_MAX_COMMANDS], *refused;
    unsigned n = tn_plan_image_commands(mem, s, run, &refused);
    if (refused && !l->refused)
        l->refused = refused;
    l->ok = l->ok && !refused;
    if (l->shell != TN_SHELL_POWERSHELL)
        tn_line_words(l, "printf", "%s\\n", NULL);
    for (unsigned i = 0; i <= n; i++) {
        tn_buf_str(l->b, l->shell != TN_SHELL_POWERSHELL ? " " : i ? "," : "");
        tn_line_glue(l, i ? tn_arena_printf(mem, "RUN %s", run[i - 1]) : tn_arena_printf(mem, "FROM %s", s->image));
    }
    tn_buf_str(l->b, " |");
    l->first = false;
    tn_line_words(l, s->program, "build", "-t", s->into, "-", NULL);
}

/* NVIDIA Container Toolkit, User Guide: --gpus for Docker, CDI names for Podman. The folder that one stands in is there
 * under /work. */
static void image(struct tn_line *l, const struct tn_plan_step *s, struct tn_arena *mem)
{
    if (*s->into) {
        build_image(l, s, mem);
        return;
    }
    tn_line_words(l, s->program, "run", "--rm", "-it", NULL);
    if (s->gpu && tn_str_eq(s->program, "podman"))
        tn_line_words(l, "--device", "nvidia.com/gpu=all", NULL);
    else if (s->gpu)
        tn_line_words(l, "--gpus", "all", NULL);
    tn_line_words(l, "-v", ".:/work", "-w", "/work", s->image, NULL);
}

/* As `doctor` finds it again. */
static const char *check_env(struct tn_arena *mem, const struct tn_plan_steps *all, const struct tn_plan_step *s)
{
    const char *folder = s->tool == TN_STEP_BY_CONDA ? conda_folder(mem, all, s) : NULL;
    if (s->tool == TN_STEP_BY_CONDA && tn_str_eq(s->program, "pixi")) /* "Environments": the default one */
        return tn_arena_printf(mem, "%s%s", pixi_folder(mem, all, s),
                               all->windows ? "\\.pixi\\envs\\default" : "/.pixi/envs/default");
    if (folder)
        return folder;
    return s->env[0] == '-' ? tn_arena_printf(mem, "%s%s", all->windows ? ".\\" : "./", s->env) : s->env;
}

/* Where the activation leads to the run time, in a shell that is activated for it. */
static void check(struct tn_arena *mem, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                  struct tn_line *l)
{
    bool ps = l->shell == TN_SHELL_POWERSHELL, search = *s->into && ps == all->windows;
    if (search && s->tool == TN_STEP_BY_CONDA) {
        conda_word(l, s);
        tn_line_word(l, "run");
        conda_target(l, all, s, mem);
        search = false;
    }
    if (search) {
        tn_buf_str(l->b, ps ? "& { . " : "(. ");
        tn_line_glue(l, below(mem, all, s->env, "bin/activate", "Scripts\\activate.ps1"));
        tn_buf_str(l->b, ps ? ";" : " &&");
        l->first = false;
    }
    tn_line_words(l, "tenon", "doctor", "--env", check_env(mem, all, s), NULL);
    if (search)
        tn_buf_str(l->b, ps ? " }" : ")");
}

static bool command(struct tn_arena *mem, const struct tn_plan_steps *steps, const struct tn_plan_step *s,
                    struct tn_line *l)
{
    size_t n = l->b->n;
    const struct tn_plan_steps *all = steps;
    if (s->inside) { /* WSL's own shell */
        struct tn_plan_steps *linux_ones = tn_arena_memdup(mem, steps, sizeof *steps);
        linux_ones->windows = false;
        all = linux_ones;
        l->shell = TN_SHELL_SH;
    }
    switch (s->kind) {
    case TN_STEP_PYTHON: tn_line_words(l, "uv", "python", "install", s->python, NULL); break;
    case TN_STEP_VENV: venv(l, all, s, mem); break;
    case TN_STEP_CONDA_ENV: conda_env(l, all, s, mem); break;
    case TN_STEP_PACKAGES: packages(l, all, s, mem); break;
    case TN_STEP_LINK: link_libraries(l, all, s, mem); break;
    case TN_STEP_IMAGE: image(l, s, mem); break;
    case TN_STEP_UV:
        tn_buf_str(l->b, "curl -LsSf https://astral.sh/uv/install.sh | sh && . \"$HOME/.local/bin/env\"");
        break;
    case TN_STEP_WSL: tn_line_words(l, "wsl", "--install", NULL); break;
    case TN_STEP_CHECK: check(mem, all, s, l); break;
    case TN_STEP_TOOLKIT:
    case TN_STEP_CUDNN:
    case TN_STEP_SEARCH:
        if (s->tool == TN_STEP_BY_CONDA && tn_str_eq(s->into, "lib")) { /* conda's own run time, not one laid beside */
            conda_search(l, all, s, mem);
            break;
        }
        l->ok = tn_plan_step_by_hand(mem, all, s, l) && l->ok;
        break;
    default: l->ok = false; break;
    }
    if (l->ok)
        end(l);
    else
        l->b->n = n;
    if (!l->ok && l->b->p)
        l->b->p[n] = 0;
    return l->ok;
}

bool tn_plan_step_start(struct tn_arena *mem, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                        enum tn_shell shell, struct tn_buf *ret)
{
    struct tn_line l = {.b = ret, .shell = shell, .ok = true, .first = true};
    if (s->tool == TN_STEP_BY_CONDA) {
        conda_word(&l, s);
        tn_line_word(&l, "run");
        conda_target(&l, all, s, mem);
        if (tn_str_eq(s->program, "conda")) /* else what is printed comes at the end */
            tn_line_word(&l, "--no-capture-output");
        tn_line_word(&l, "python");
    } else {
        tn_line_word(&l, tn_plan_step_python(mem, all, s));
    }
    return l.ok;
}

bool tn_plan_step_command(struct tn_arena *mem, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                          enum tn_shell shell, struct tn_buf *ret)
{
    struct tn_line l = {.b = ret, .shell = shell, .ok = true, .first = true};
    return command(mem, all, s, &l);
}

const char *tn_plan_step_refused(struct tn_arena *mem, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                                 enum tn_shell shell)
{
    struct tn_buf b;
    tn_buf_init(&b);
    struct tn_line l = {.b = &b, .shell = shell, .ok = true, .first = true};
    command(mem, all, s, &l);
    tn_buf_deinit(&b);
    return l.refused;
}

const char *tn_plan_steps_refused(struct tn_arena *mem, const struct tn_plan_steps *all, enum tn_shell shell)
{
    const char *word = NULL;
    for (unsigned i = 0; i < all->n && !word; i++)
        word = tn_plan_step_refused(mem, all, &all->v[i], shell);
    return word;
}

static const struct {
    const char *what, *changes, *undo;
} texts[TN_STEP_KINDS] = {
    [TN_STEP_PYTHON] = {"pl_step_python", "pl_changes_python", "pl_undo_python"},
    [TN_STEP_VENV] = {"pl_step_venv", "pl_changes_venv", "pl_undo_venv"},
    [TN_STEP_CONDA_ENV] = {"pl_step_conda", "pl_changes_venv", "pl_undo_conda"},
    [TN_STEP_PACKAGES] = {"pl_step_packages", "pl_changes_inside", "pl_undo_venv"},
    [TN_STEP_LINK] = {"pl_step_link", "pl_changes_inside", "pl_undo_venv"},
    [TN_STEP_TOOLKIT] = {"pl_step_toolkit", "pl_changes_folder", "pl_undo_folder"},
    [TN_STEP_CUDNN] = {"pl_step_cudnn", "pl_changes_folder", "pl_undo_folder"},
    [TN_STEP_SEARCH] = {"pl_step_search", "pl_changes_inside", "pl_undo_venv"},
    [TN_STEP_IMAGE] = {"pl_step_image", "pl_changes_image", "pl_undo_image"},
    [TN_STEP_UV] = {"pl_step_uv", "pl_changes_uv", "pl_undo_uv"},
    [TN_STEP_WSL] = {"pl_step_wsl", "pl_changes_wsl", "pl_undo_wsl"},
    [TN_STEP_DRIVER] = {"pl_step_driver", "pl_changes_driver", "pl_undo_driver"},
    [TN_STEP_CHECK] = {"pl_step_check", "pl_changes_nothing", "pl_undo_nothing"},
};

/* Of a step by conda and its like: what is made, and whether a name or a folder goes away again. */
static void conda_says(const struct tn_plan_step *s, const char **ids)
{
    bool pixi = tn_str_eq(s->program, "pixi"), env = s->kind == TN_STEP_CONDA_ENV;
    if (env)
        ids[0] = tn_str_eq(s->into, "cuda")  ? "pl_step_conda"
                 : tn_str_eq(s->into, "all") ? "pl_step_conda_all"
                                             : "pl_step_venv";
    if (env && s->named && !pixi)
        ids[1] = "pl_changes_conda";
    if (env || s->kind == TN_STEP_PACKAGES)
        ids[2] = pixi || !s->named ? "pl_undo_venv" : "pl_undo_conda";
    if (s->kind == TN_STEP_SEARCH && tn_str_eq(s->into, "lib")) {
        ids[0] = "pl_step_search_conda";
        ids[2] = "pl_undo_search_conda";
    }
}

void tn_plan_step_says(struct tn_arena *mem, const struct tn_plan_step *s, struct tn_plan_say *ret_what,
                       struct tn_plan_say *ret_changes, struct tn_plan_say *ret_undo)
{
    struct tn_plan_say *all[] = {ret_what, ret_changes, ret_undo};
    bool made = s->kind == TN_STEP_IMAGE && *s->into;
    const char *ids[] = {made ? "pl_step_build" : texts[s->kind].what, texts[s->kind].changes, texts[s->kind].undo};
    if (s->tool == TN_STEP_BY_CONDA)
        conda_says(s, ids);
    for (unsigned i = 0; i < TN_LEN(all); i++) {
        *all[i] = (struct tn_plan_say){.id = ids[i], .cite = s->cite};
        tn_plan_arg(mem, all[i], "env", "%s", s->env);
        tn_plan_arg(mem, all[i], "python", "%s", s->python);
        tn_plan_arg(mem, all[i], "version", "%s", s->version);
        tn_plan_arg(mem, all[i], "into", "%s", s->into);
        tn_plan_arg(mem, all[i], "image", "%s", s->image);
        tn_plan_arg(mem, all[i], "mb", "%u", s->mb);
        tn_plan_arg(mem, all[i], "program", "%s", s->program);
    }
}
