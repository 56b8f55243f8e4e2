/* export_container.c - a plan as an image: Dockerfile, devcontainer.json, Apptainer definition. The image brings
 * Python, the host its driver (NVIDIA's container toolkit, apptainer --nv). */
#include <string.h>

#include "base/str.h"
#include "plan/export.h"

static bool is_conda(const struct tn_export *x)
{
    return tn_export_step(x, TN_STEP_CONDA_ENV) != NULL;
}

static const char *image(struct tn_export *x, const char *kind)
{
    return is_conda(x) ? "condaforge/miniforge3" : tn_arena_printf(x->mem, "python:%s%s", x->p->choice.python, kind);
}

static bool can(struct tn_export *x)
{
    return is_conda(x) || tn_export_is_wheels(x);
}

/* What the environment of the image says: conda solves without a card, TensorFlow finds conda's libraries. */
struct setting {
    const char *name, *value;
};

static unsigned settings(struct tn_export *x, struct setting *ret)
{
    unsigned n = 0;
    ret[n++] = (struct setting){"PIP_NO_CACHE_DIR", "1"};
    if (x->p->gpu) {
        ret[n++] = (struct setting){"NVIDIA_VISIBLE_DEVICES", "all"};
        ret[n++] = (struct setting){"NVIDIA_DRIVER_CAPABILITIES", "compute,utility"};
    }
    if (x->p->gpu && is_conda(x) && *x->p->choice.cuda) {
        ret[n++] = (struct setting){"CONDA_OVERRIDE_CUDA", x->p->choice.cuda};
        ret[n++] = (struct setting){"LD_LIBRARY_PATH", "/opt/env/lib"};
    }
    return n;
}
#define MAX_SETTINGS 8

static bool commands(struct tn_export *x, const char *head, const char *tail)
{
    struct tn_plan_steps *in = tn_arena_alloc(x->mem, sizeof *in);
    tn_export_inside(x, in);
    for (unsigned i = 0; i < in->n; i++)
        if (!tn_export_commands(x, in, &in->v[i], TN_SHELL_SH, head, tail))
            return false;
    return true;
}

/* --- the plan is an image already --- */

static const struct tn_plan_step *image_step(struct tn_export *x)
{
    return x->p->method == TN_METHOD_DOCKER ? tn_export_step(x, TN_STEP_IMAGE) : NULL;
}

/* Its commands, each between head and tail. */
static bool image_commands(struct tn_export *x, const struct tn_plan_step *s, const char *head, const char *between,
                           struct tn_buf *b)
{
    const char *run[TN_IMAGE_MAX_COMMANDS];
    unsigned n = *s->into ? tn_plan_image_commands(x->mem, s, run, &x->refused) : 0;
    for (unsigned i = 0; i < n; i++)
        tn_buf_printf(b, "%s%s%s", i && *between ? between : "", head, run[i]);
    return !x->refused;
}

static bool image_dockerfile(struct tn_export *x, const struct tn_plan_step *s)
{
    tn_export_title(x, "# ");
    tn_buf_printf(x->b, "FROM %s", s->image);
    bool ok = image_commands(x, s, "\nRUN ", "", x->b);
    tn_buf_ch(x->b, '\n');
    return ok;
}

static bool image_devcontainer(struct tn_export *x, const struct tn_plan_step *s)
{
    struct tn_buf b;
    tn_buf_init(&b);
    bool ok = image_commands(x, s, "", " && ", &b);
    tn_buf_printf(x->b, "{\n  \"name\": \"%s\",\n  \"image\": \"%s\"", tn_export_name(x), s->image);
    if (x->p->gpu)
        tn_buf_str(x->b, ",\n  \"runArgs\": [\"--gpus\", \"all\"],\n  \"hostRequirements\": {\"gpu\": true}");
    if (b.n) {
        tn_buf_str(x->b, ",\n  \"onCreateCommand\": ");
        tn_export_string(x, b.p);
    }
    tn_buf_str(x->b, "\n}\n");
    tn_buf_deinit(&b);
    return ok;
}

static bool image_apptainer(struct tn_export *x, const struct tn_plan_step *s)
{
    const char *name = tn_export_name(x);
    tn_buf_printf(x->b, "Bootstrap: docker\nFrom: %s\n", s->image);
    if (*s->into)
        tn_buf_str(x->b, "\n%post");
    bool ok = image_commands(x, s, "\n    ", "", x->b);
    tn_buf_str(x->b, *s->into ? "\n\n%runscript\n    exec python \"$@\"\n\n%help\n"
                              : "\n%runscript\n    exec python \"$@\"\n\n%help\n");
    tn_export_title(x, "    ");
    tn_buf_printf(x->b, "    apptainer build %s.sif THIS-FILE && apptainer run%s %s.sif SCRIPT.py\n", name,
                  x->p->gpu ? " --nv" : "", name);
    return ok;
}

/* docs.docker.com/reference/dockerfile. */
bool tn_export_dockerfile(struct tn_export *x)
{
    const struct tn_plan_step *in = image_step(x);
    if (in)
        return image_dockerfile(x, in);
    struct setting s[MAX_SETTINGS];
    if (!can(x))
        return false;
    char *name = tn_arena_printf(x->mem, "%s", tn_export_name(x)); /* of an image: no capitals */
    for (char *c = name; *c; c++)
        *c = tn_lower(*c);
    tn_export_title(x, "# ");
    tn_buf_printf(x->b, "# docker build -t %s . && docker run --rm -it%s %s\n", name, x->p->gpu ? " --gpus all" : "",
                  name);
    tn_buf_printf(x->b, "FROM %s\n", image(x, "-slim"));
    for (unsigned i = 0, n = settings(x, s); i < n; i++)
        tn_buf_printf(x->b, "ENV %s=%s\n", s[i].name, s[i].value);
    if (!commands(x, "RUN ", "\n"))
        return false;
    tn_buf_str(x->b, "ENV PATH=/opt/env/bin:$PATH\nCMD [\"python\"]\n");
    return true;
}

/* containers.dev/implementors/json_reference. */
bool tn_export_devcontainer(struct tn_export *x)
{
    const struct tn_plan_step *in = image_step(x);
    if (in)
        return image_devcontainer(x, in);
    struct setting s[MAX_SETTINGS];
    if (!can(x))
        return false;
    tn_buf_str(x->b, "{\n  \"name\": ");
    tn_export_string(x, tn_export_name(x));
    tn_buf_printf(x->b, ",\n  \"image\": \"%s\",\n", image(x, ""));
    if (x->p->gpu)
        tn_buf_str(x->b, "  \"runArgs\": [\"--gpus\", \"all\"],\n  \"hostRequirements\": {\"gpu\": true},\n");
    tn_buf_str(x->b, "  \"containerEnv\": {");
    for (unsigned i = 0, n = settings(x, s); i < n; i++)
        tn_buf_printf(x->b, "%s\"%s\": \"%s\"", i ? ", " : "", s[i].name, s[i].value);
    tn_buf_str(x->b,
               "},\n  \"remoteEnv\": {\"PATH\": \"/opt/env/bin:${containerEnv:PATH}\"},\n  \"onCreateCommand\": ");
    struct tn_buf all, *to = x->b;
    tn_buf_init(&all);
    x->b = &all;
    bool ok = commands(x, "", " && ");
    x->b = to;
    if (ok && all.n > 4) {
        all.p[all.n - 4] = 0;
        tn_export_string(x, all.p);
        tn_buf_str(x->b, "\n}\n");
    }
    tn_buf_deinit(&all);
    return ok;
}

/* apptainer.org/docs/user/latest/definition_files.html. */
bool tn_export_apptainer(struct tn_export *x)
{
    const struct tn_plan_step *in = image_step(x);
    if (in)
        return image_apptainer(x, in);
    struct setting s[MAX_SETTINGS];
    if (!can(x))
        return false;
    const char *name = tn_export_name(x);
    tn_buf_printf(x->b, "Bootstrap: docker\nFrom: %s\n\n%%post\n", image(x, "-slim"));
    unsigned n = settings(x, s);
    for (unsigned i = 0; i < n; i++)
        if (!tn_str_starts(s[i].name, "NVIDIA_") && !tn_str_eq(s[i].name, "LD_LIBRARY_PATH"))
            tn_buf_printf(x->b, "    export %s=%s\n", s[i].name, s[i].value);
    if (!commands(x, "    ", "\n"))
        return false;
    tn_buf_str(x->b, "\n%environment\n    export PATH=/opt/env/bin:$PATH\n");
    for (unsigned i = 0; i < n; i++)
        if (tn_str_eq(s[i].name, "LD_LIBRARY_PATH"))
            tn_buf_printf(x->b, "    export %s=%s${%s:+:$%s}\n", s[i].name, s[i].value, s[i].name, s[i].name);
    tn_buf_str(x->b, "\n%runscript\n    exec /opt/env/bin/python \"$@\"\n\n%help\n");
    tn_export_title(x, "    ");
    tn_buf_printf(x->b, "    apptainer build %s.sif THIS-FILE && apptainer run%s %s.sif SCRIPT.py\n", name,
                  x->p->gpu ? " --nv" : "", name);
    return true;
}
