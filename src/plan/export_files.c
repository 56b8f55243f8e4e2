/* export_files.c - a plan as a list of packages: requirements.txt (pip, uv), environment.yml (conda, mamba),
 * pyproject.toml (uv). What a list cannot say, the links into TensorFlow's folder, stands in a comment. */
#include <string.h>

#include "base/str.h"
#include "plan/export.h"

static bool packages_ok(struct tn_export *x, const struct tn_plan_step *s)
{
    for (unsigned i = 0; i < s->n_package; i++)
        if (!tn_export_package_ok(x, s->package[i]))
            return false;
    return true;
}

/* The links, for an environment that the tool makes in the folder env. */
static bool links(struct tn_export *x, const char *env)
{
    const struct tn_plan_step *s = tn_export_step(x, TN_STEP_LINK);
    if (!s)
        return true;
    struct tn_plan_step inside = *s;
    inside.env = env;
    tn_buf_str(x->b, "# afterwards, so that TensorFlow finds NVIDIA's libraries:\n");
    return tn_export_commands(x, x->steps, &inside, TN_SHELL_SH, "#   ", "\n");
}

/* pip's requirements file format. */
bool tn_export_requirements(struct tn_export *x)
{
    const struct tn_plan_step *s = tn_export_step(x, TN_STEP_PACKAGES);
    if (!tn_export_is_wheels(x) || !packages_ok(x, s))
        return false;
    tn_export_title(x, "# ");
    if (!links(x, s->env))
        return false;
    if (*s->index)
        tn_buf_printf(
            x->b, "# with uv: uv pip install --index-strategy unsafe-best-match -r THIS-FILE\n--extra-index-url %s\n",
            s->index);
    if (*s->find_links)
        tn_buf_printf(x->b, "--find-links %s\n", s->find_links);
    for (unsigned i = 0; i < s->n_package; i++)
        tn_buf_printf(x->b, "%s\n", s->package[i]);
    return true;
}

/* conda's "Creating an environment file manually"; nodefaults keeps the defaults channel out. */
bool tn_export_environment(struct tn_export *x)
{
    const struct tn_plan_step *s = tn_export_step(x, TN_STEP_PACKAGES), *conda = tn_export_step(x, TN_STEP_CONDA_ENV);
    if ((!conda && !tn_export_is_wheels(x)) || (s && !packages_ok(x, s)))
        return false;
    tn_export_title(x, "# ");
    const struct tn_plan_step *link = tn_export_step(x, TN_STEP_LINK);
    if (link)
        tn_buf_printf(x->b,
                      "# afterwards, in the activated environment, so that TensorFlow finds NVIDIA's libraries:\n"
                      "#   (cd \"$CONDA_PREFIX\"/lib/python%s/site-packages/%s && %s)\n",
                      link->python, link->into, tn_plan_link_command(link->into));
    tn_buf_str(x->b, "name: ");
    tn_export_string(x, tn_export_name(x));
    tn_buf_str(x->b, "\nchannels:\n");
    for (unsigned i = 0; conda && i < conda->n_channel; i++)
        tn_buf_printf(x->b, "  - %s\n", conda->channel[i]);
    tn_buf_printf(x->b, "%s  - nodefaults\ndependencies:\n", conda ? "" : "  - conda-forge\n");
    if (!conda)
        tn_buf_printf(x->b, "  - \"python=%s\"\n", x->p->choice.python);
    for (unsigned i = 0; conda && i < conda->n_package; i++) {
        if (!tn_export_package_ok(x, conda->package[i]))
            return false;
        tn_buf_str(x->b, "  - ");
        tn_export_string(x, conda->package[i]);
        tn_buf_ch(x->b, '\n');
    }
    if (!s)
        return true;
    tn_buf_str(x->b, "  - pip\n  - pip:\n");
    if (*s->index)
        tn_buf_printf(x->b, "      - \"--extra-index-url %s\"\n", s->index);
    if (*s->find_links)
        tn_buf_printf(x->b, "      - \"--find-links %s\"\n", s->find_links);
    for (unsigned i = 0; i < s->n_package; i++) {
        tn_buf_str(x->b, "      - ");
        tn_export_string(x, s->package[i]);
        tn_buf_ch(x->b, '\n');
    }
    return true;
}

/* "Using uv with PyTorch": the index is asked for torch alone (explicit). One system, so that uv locks for no other. */
bool tn_export_pyproject(struct tn_export *x)
{
    const struct tn_plan_step *s = tn_export_step(x, TN_STEP_PACKAGES);
    const struct tn_plan_machine *m = &x->p->machine;
    if (!tn_export_is_wheels(x) || !packages_ok(x, s))
        return false;
    tn_export_title(x, "# ");
    if (!links(x, ".venv"))
        return false;
    tn_buf_str(x->b, "[project]\nname = ");
    tn_export_string(x, tn_export_name(x));
    tn_buf_printf(x->b, "\nversion = \"0.1.0\"\nrequires-python = \"==%s.*\"\ndependencies = [\n", x->p->choice.python);
    for (unsigned i = 0; i < s->n_package; i++) {
        tn_buf_str(x->b, "    ");
        tn_export_string(x, s->package[i]);
        tn_buf_str(x->b, ",\n");
    }
    tn_buf_str(x->b, "]\n\n[tool.uv]\npackage = false\nenvironments = [");
    const char *cpu = m->macos || !*m->arch ? "" : m->windows && tn_str_eq(m->arch, "x86_64") ? "AMD64" : m->arch;
    tn_export_string(x, tn_arena_printf(x->mem, "sys_platform == '%s'%s%s%s",
                                        m->windows ? "win32"
                                        : m->macos ? "darwin"
                                                   : "linux",
                                        *cpu ? " and platform_machine == '" : "", cpu, *cpu ? "'" : ""));
    tn_buf_str(x->b, "]\n");
    if (*s->find_links)
        tn_buf_printf(x->b, "find-links = [\"%s\"]\n", s->find_links);
    if (*s->index) {
        const char *name = strrchr(s->index, '/');
        name = tn_arena_printf(x->mem, "pytorch-%s", name ? name + 1 : "index");
        tn_buf_printf(
            x->b, "\n[tool.uv.sources]\ntorch = { index = \"%s\" }\n\n[[tool.uv.index]]\nname = \"%s\"\nurl = ", name,
            name);
        tn_export_string(x, s->index);
        tn_buf_str(x->b, "\nexplicit = true\n");
    }
    return true;
}
