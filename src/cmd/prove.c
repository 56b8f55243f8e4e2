/* prove.c - see prove.h. */
#include "cmd/prove.h"

#include <string.h>

#include "apply/here.h"
#include "base/str.h"
#include "check/check.h"
#include "finding/verdict.h"
#include "strings.gen.h"

static bool is_environments(const char *layer)
{
    static const char *const below[] = {"hardware", "driver", "container", "platform", NULL};
    return !tn_str_in(layer, below);
}

/* As in a shell that is activated for it. */
static int look(struct tn_cmd_ctx *c, const char *library_path, struct tn_snap *ret, struct tn_err *err)
{
    const char *was = tn_os_env(c->mem, "LD_LIBRARY_PATH");
    if (!library_path)
        return tn_cmd_subject(c, ret, err);
    tn_os_env_set("LD_LIBRARY_PATH", was && *was ? tn_arena_printf(c->mem, "%s:%s", library_path, was) : library_path);
    int rc = tn_cmd_subject(c, ret, err);
    tn_os_env_set("LD_LIBRARY_PATH", was);
    return rc;
}

static const char *arg_of(const struct tn_remedy *r, const char *key)
{
    for (unsigned i = 0; i < r->n_arg; i++)
        if (tn_str_eq(r->arg[i].key, key))
            return r->arg[i].value;
    return "";
}

/* A version that an index has by this name alone: not one of a maker's own index ("variant" torch, any). */
static const char *damaged(struct tn_arena *mem, const struct tn_finding *f)
{
    const struct tn_remedy *r = f->n_remedy ? &f->remedy[0] : NULL;
    if (!r || !tn_str_eq(r->id, "reinstall-files") || !tn_str_eq(r->variant, "pip") || !*arg_of(r, "version"))
        return "";
    return tn_arena_printf(mem, "%s==%s", arg_of(r, "package"), arg_of(r, "version"));
}

static void tell(struct tn_cmd_ctx *c, const struct tn_snap *s, const struct tn_finding *f,
                 struct tn_prove_verdict *ret)
{
    struct tn_buf b;
    const struct tn_cause *cause = tn_cause_find(f->cause);
    tn_buf_init(&b);
    ret->cause = tn_arena_strdup(c->mem, f->cause);
    ret->title = cause ? tn_arena_strdup(c->mem, tn_cause_title(cause, c->lang)) : ret->cause;
    ret->in_environment = cause && is_environments(tn_cause_json_layer(cause));
    tn_finding_say(&b, f, c->lang);
    ret->says = tn_arena_strdup(c->mem, b.n ? b.p : ret->title);
    for (unsigned i = 0; i < f->n_remedy && !*ret->command; i++) {
        tn_buf_clear(&b);
        if (!tn_remedy_command(&b, &f->remedy[i], s, tn_here_is_windows() ? TN_SHELL_POWERSHELL : TN_SHELL_SH) || !b.n)
            continue;
        ret->command = tn_arena_strdup(c->mem, b.p);
        tn_buf_clear(&b);
        tn_remedy_say(&b, &f->remedy[i], c->lang);
        ret->help = tn_arena_strdup(c->mem, b.n ? b.p : "");
    }
    ret->damaged = damaged(c->mem, f);
    tn_buf_deinit(&b);
}

int tn_prove_doctor(struct tn_cmd_ctx *c, const char *env, const char *library_path, const char *expect,
                    struct tn_prove_verdict *ret, struct tn_err *err)
{
    struct tn_cmd_ctx *own = tn_arena_memdup(c->mem, c, sizeof *c);
    struct tn_snap s;
    struct tn_judge j;
    struct tn_sink found;
    struct tn_verdict v = {0};
    memset(own->opt, 0, sizeof own->opt);
    own->opt[TN_OPT_ENV] = (struct tn_given){.v = {env}, .n = 1};
    own->records = 0;
    own->makes_env = false;
    *ret = (struct tn_prove_verdict){.help = "", .command = "", .damaged = ""};
    int rc = look(own, library_path, &s, err);
    if (rc)
        return rc;
    rc = tn_judge_init(&j, &s, expect, err);
    if (!rc) {
        tn_judge_narrow(&j, c->mem);
        tn_sink_init(&found, c->mem);
        tn_check_run(&j, NULL, NULL, &found);
        tn_findings_merge(&found);
        tn_verdict_make(&j, &found, &v);
        if (v.status == TN_VERDICT_PROBLEM && v.first)
            tell(c, &s, v.first, ret);
    }
    tn_snap_deinit(&s);
    return rc;
}

/* Product of a matrix with itself, whatever the release: before TensorFlow 2 in a session. */
#define TENSORFLOW                                                                                                     \
    "import tensorflow as tf\n"                                                                                        \
    "m = tf.matmul([[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]])\n"                                              \
    "m = m.numpy() if hasattr(m, 'numpy') else tf.compat.v1.Session().run(m)\n"                                        \
    "assert m.tolist() == [[7.0, 10.0], [15.0, 22.0]], m\n"                                                            \
    "print('tensorflow', tf.__version__, 'computes')\n"
#define TORCH                                                                                                          \
    "import torch\n"                                                                                                   \
    "m = torch.tensor([[1.0, 2.0], [3.0, 4.0]])\n"                                                                     \
    "assert (m @ m).tolist() == [[7.0, 10.0], [15.0, 22.0]]\n"                                                         \
    "print('torch', torch.__version__, 'computes')\n"
#define JAX                                                                                                            \
    "import jax, jax.numpy as jnp\n"                                                                                   \
    "m = jnp.array([[1.0, 2.0], [3.0, 4.0]])\n"                                                                        \
    "assert (m @ m).tolist() == [[7.0, 10.0], [15.0, 22.0]]\n"                                                         \
    "print('jax', jax.__version__, 'computes')\n"
#define ORT                                                                                                            \
    "import onnxruntime\n"                                                                                             \
    "print('onnxruntime', onnxruntime.__version__, onnxruntime.get_available_providers())\n"

/* What was placed in the environment's "cuda", as the activation leads there: the real loader takes every library that
 * frameworks ask for, and from nowhere else. */
#define PLACED                                                                                                         \
    "import ctypes, os, re\n"                                                                                          \
    "lib = os.path.join(sys.prefix, 'cuda', 'lib64')\n"                                                                \
    "names = [n for n in sorted(os.listdir(lib)) if re.match(\n"                                                       \
    "    r'lib(cudart|cublas|cublasLt|cufft|curand|cusolver|cusparse|cudnn[a-z_]*)\\.so\\.[0-9]+(\\.0)?$', n)]\n"      \
    "for n in names:\n"                                                                                                \
    "    ctypes.CDLL(n)\n"                                                                                             \
    "maps = open('/proc/self/maps').read()\n"                                                                          \
    "for n in names:\n"                                                                                                \
    "    assert os.path.realpath(os.path.join(lib, n)) in maps, n + ' comes from elsewhere'\n"                         \
    "print(len(names), 'libraries of cuda and cudnn load')\n"

static bool is_packages(enum tn_step_kind kind)
{
    return kind == TN_STEP_PACKAGES || kind == TN_STEP_CONDA_ENV;
}

static bool asks_for(const struct tn_plan_steps *all, const char *const *names)
{
    for (unsigned i = 0; i < all->n; i++)
        for (unsigned k = 0; is_packages(all->v[i].kind) && k < all->v[i].n_package; k++) {
            const char *p = all->v[i].package[k];
            size_t n = strcspn(p, "[=<>!~; ");
            for (const char *const *name = names; *name; name++)
                if (strlen(*name) == n && memcmp(*name, p, n) == 0)
                    return true;
        }
    return false;
}

int tn_prove_run(struct tn_apply *a, int *ret_status, struct tn_err *err)
{
    static const struct {
        const char *names[4], *script;
    } all[] = {{{"tensorflow", "tensorflow-cpu", "tensorflow-gpu", NULL}, TENSORFLOW},
               {{"torch", "pytorch", NULL}, TORCH},
               {{"jax", NULL}, JAX},
               {{"onnxruntime", "onnxruntime-gpu", NULL}, ORT}};
    struct tn_buf script;
    tn_buf_init(&script);
    tn_buf_str(&script, "import sys\n");
    for (unsigned i = 0; i < a->steps->n; i++)
        if (a->steps->v[i].kind == TN_STEP_TOOLKIT)
            tn_buf_str(&script, PLACED);
    for (unsigned i = 0; i < TN_LEN(all); i++)
        if (asks_for(a->steps, all[i].names))
            tn_buf_str(&script, all[i].script);
    int rc = tn_apply_python(a, script.p, NULL, ret_status, err);
    tn_buf_deinit(&script);
    return rc;
}
