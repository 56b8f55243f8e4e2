/* check_machine.h - small machines for tests of checks and verdicts: a healthy one, of which a test breaks one thing.
 *
 * judge() runs everything and holds every finding to the rules that all share: evidence, full texts in both languages,
 * commands without holes. */
#ifndef TN_TEST_CHECK_MACHINE_H
#define TN_TEST_CHECK_MACHINE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "check/check.h"
#include "finding/catalogue.h"
#include "report/report.h"

struct machine {
    struct tn_snap s;
    struct tn_arena mem;
    struct tn_judge j;
    struct tn_sink out;
    struct tn_verdict v;
};

#define T(text) tn_fact_str(&m->s, 0, (text))
#define N(number) tn_fact_int(0, (number))

static inline void list_all(struct machine *m)
{
    m->s.gpu.listed = m->s.module.listed = m->s.node.listed = m->s.library.listed = TN_KNOWN;
    m->s.env.listed = m->s.dist.listed = m->s.framework.listed = m->s.toolkit.listed = TN_KNOWN;
}

static inline void add_gpu(struct machine *m, const char *name, const char *capability)
{
    struct tn_rec_gpu *g = TN_ADD(&m->s, gpu);
    g->vendor = T("nvidia");
    g->name = T(name);
    g->bound = T("nvidia");
    if (capability)
        g->capability = T(capability);
}

static inline void add_module(struct machine *m, const char *kernel, bool running)
{
    struct tn_rec_module *r = TN_ADD(&m->s, module);
    r->name = T("nvidia");
    r->kernel = T(kernel);
    r->running = N(running);
    r->has_signature = N(0);
}

/* env: NULL outside environments. */
static inline struct tn_rec_library *add_library(struct machine *m, const char *stem, const char *soname,
                                                 const char *version, const char *env)
{
    struct tn_rec_library *l = TN_ADD(&m->s, library);
    l->stem = T(stem);
    l->soname = T(soname);
    l->version = T(version);
    l->kind = T("real");
    l->place = T(env ? "env" : "system");
    l->env = env ? T(env) : tn_fact_nostr(0, TN_ABSENT);
    l->reachable = N(env == NULL);
    l->bits = N(64);
    return l;
}

static inline void add_env(struct machine *m, const char *id, bool judged)
{
    bool windows = tn_says(TN_THE(&m->s, host)->os, "windows");
    struct tn_rec_env *e = TN_ADD(&m->s, env);
    e->id = T(id);
    e->judged = N(judged);
    e->kind = T("conda");
    e->python = T("3.9.19");
    e->path = T(windows ? "C:\\Users\\u\\envs\\tf" : "/home/u/envs/tf");
    e->interpreter = T(windows ? "C:\\Users\\u\\envs\\tf\\python.exe" : "/home/u/envs/tf/bin/python");
}

static inline struct tn_rec_dist *add_dist(struct machine *m, const char *env, const char *name, const char *version)
{
    struct tn_rec_dist *d = TN_ADD(&m->s, dist);
    d->env = T(env);
    d->name = T(name);
    d->version = T(version);
    d->installer = T("pip");
    return d;
}

static inline struct tn_rec_framework *add_framework(struct machine *m, const char *env, const char *name,
                                                     const char *version, bool gpu_build)
{
    struct tn_rec_framework *f = TN_ADD(&m->s, framework);
    f->env = T(env);
    f->name = T(name);
    f->package = T(name);
    f->version = T(version);
    f->gpu_build = N(gpu_build);
    return f;
}

static inline void words(struct machine *m, struct tn_list *ret, const char *text)
{
    const char *v[32];
    char *copy = tn_arena_strdup(&m->mem, text);
    size_t n = 0;
    for (char *p = strtok(copy, " "); p; p = strtok(NULL, " "))
        v[n++] = p;
    *ret = tn_fact_list(&m->s, 0, v, n);
}

static inline void set_driver(struct machine *m, const char *version, const char *cuda)
{
    struct tn_rec_driver *d = TN_THE(&m->s, driver);
    d->loaded = N(1);
    d->version = T(version);
    d->library_version = T(version);
    d->library_path = T("/usr/lib/x86_64-linux-gnu/libcuda.so.1");
    d->cuda = T(cuda);
}

static inline void start(struct machine *m, const char *os)
{
    memset(m, 0, sizeof *m);
    tn_snap_init(&m->s);
    tn_arena_init(&m->mem);
    tn_sink_init(&m->out, &m->mem);
    list_all(m);
    TN_THE(&m->s, host)->os = T(os);
    TN_THE(&m->s, host)->wsl = N(0);
    TN_THE(&m->s, host)->modules = N(1);
    TN_THE(&m->s, host)->kernel = T(strcmp(os, "linux") == 0 ? "6.8.0-45-generic" : "10.0.19045");
    TN_THE(&m->s, host)->distro = T(strcmp(os, "linux") == 0 ? "ubuntu" : "Professional");
    TN_THE(&m->s, container)->kind = tn_fact_nostr(0, TN_ABSENT);
}

/* A whole cuDNN; the main library's row comes last. */
static inline struct tn_rec_library *add_cudnn(struct machine *m, const char *version, const char *env)
{
    static const char *const part8[] = {"ops_infer", "ops_train", "cnn_infer", "cnn_train", "adv_infer", "adv_train"};
    static const char *const part9[] = {"graph",
                                        "ops",
                                        "cnn",
                                        "adv",
                                        "heuristic",
                                        "engines_precompiled",
                                        "engines_runtime_compiled",
                                        "ext",
                                        "engines_tensor_ir"};
    bool nine = version[0] == '9';
    for (size_t i = 0; i < (nine ? TN_LEN(part9) : TN_LEN(part8)); i++) {
        const char *stem = tn_arena_printf(&m->mem, "libcudnn_%s", nine ? part9[i] : part8[i]);
        add_library(m, stem, tn_arena_printf(&m->mem, "%s.so.%c", stem, version[0]), version, env);
    }
    return add_library(m, "libcudnn", nine ? "libcudnn.so.9" : "libcudnn.so.8", version, env);
}

#define CUDA11_SO                                                                                                      \
    "libcudart.so.11.0 libcublas.so.11 libcublasLt.so.11 libcufft.so.10 libcurand.so.10 libcusolver.so.11 "            \
    "libcusparse.so.11 libcudnn.so.8"

static inline void add_cuda11(struct machine *m, const char *version, const char *cudnn, const char *env)
{
    static const char *const name[][2] = {
        {"libcudart", "libcudart.so.11.0"},   {"libcublas", "libcublas.so.11"}, {"libcublasLt", "libcublasLt.so.11"},
        {"libcufft", "libcufft.so.10"},       {"libcurand", "libcurand.so.10"}, {"libcusolver", "libcusolver.so.11"},
        {"libcusparse", "libcusparse.so.11"},
    };
    for (size_t i = 0; i < TN_LEN(name); i++)
        add_library(m, name[i][0], name[i][1], version, env);
    if (cudnn)
        add_cudnn(m, cudnn, env);
}

/* Linux, RTX 3060, driver 535, TensorFlow 2.10 without its libraries. */
static inline struct tn_rec_framework *start_linux(struct machine *m)
{
    start(m, "linux");
    add_gpu(m, "NVIDIA GeForce RTX 3060", "8.6");
    set_driver(m, "535.183.01", "12.2");
    add_module(m, "6.8.0-45-generic", true);
    add_env(m, "env1", true);
    add_dist(m, "env1", "numpy", "1.26.4");
    struct tn_rec_framework *f = add_framework(m, "env1", "tensorflow", "2.10.1", true);
    f->cuda = T("11.2");
    f->cudnn = T("8");
    words(m, &f->asks, CUDA11_SO);
    return f;
}

/* The same with everything it asks for. */
static inline struct tn_rec_framework *start_healthy(struct machine *m)
{
    struct tn_rec_framework *f = start_linux(m);
    add_cuda11(m, "11.2.152", "8.1.1", "env1");
    return f;
}

#define CUDA11_DLL                                                                                                     \
    "cudart64_110.dll cublas64_11.dll cublasLt64_11.dll cufft64_10.dll curand64_10.dll cusolver64_11.dll "             \
    "cusparse64_11.dll cudnn64_8.dll"

/* Windows 10, GTX 1660, driver 472.12, TensorFlow 2.6.0, no CUDA at all (story 1). */
static inline struct tn_rec_framework *start_windows(struct machine *m, const char *tf)
{
    start(m, "windows");
    add_gpu(m, "NVIDIA GeForce GTX 1660", "7.5");
    set_driver(m, "472.12", "11.4");
    TN_THE(&m->s, driver)->library_path = T("C:\\Windows\\System32\\nvcuda.dll");
    add_library(m, "msvcp140", "msvcp140.dll", "14.29.30139", NULL);
    add_library(m, "msvcp140", "msvcp140_1.dll", "14.29.30139", NULL);
    add_env(m, "env1", true);
    add_dist(m, "env1", "numpy", "1.19.5");
    struct tn_rec_framework *f = add_framework(m, "env1", "tensorflow", tf, true);
    f->cuda = T("11.2");
    f->cudnn = T("8");
    words(m, &f->asks, CUDA11_DLL);
    return f;
}

static inline void is_whole(const char *what, const struct tn_buf *b)
{
    if (b->n == 0 || strchr(b->p, '{') || strchr(b->p, '}') || !tn_utf8_valid(b->p, b->n))
        fail_msg("%s: \"%s\"", what, b->p);
}

static inline void check_texts(const struct machine *m, const struct tn_finding *f)
{
    struct tn_buf b;
    tn_buf_init(&b);
    if (f->n_evidence == 0 || tn_cause_find(f->cause) == NULL)
        fail_msg("%s: no evidence, or not in the catalogue", f->cause);
    for (int lang = 0; lang < TN_LANGS; lang++) {
        tn_buf_clear(&b);
        tn_finding_say(&b, f, (enum tn_lang)lang);
        is_whole(f->cause, &b);
        for (unsigned i = 0; i < f->n_remedy; i++) {
            assert_true(tn_remedy_find(f->remedy[i].id, &(struct tn_remedy_text){0}));
            tn_buf_clear(&b);
            tn_remedy_say(&b, &f->remedy[i], (enum tn_lang)lang);
            is_whole(f->remedy[i].id, &b);
        }
    }
    for (unsigned i = 0; i < f->n_remedy; i++)
        for (int shell = TN_SHELL_SH; shell <= TN_SHELL_CMD; shell++) {
            tn_buf_clear(&b);
            if (tn_remedy_command(&b, &f->remedy[i], &m->s, (enum tn_shell)shell))
                is_whole(f->remedy[i].id, &b);
        }
    /* A variant that the catalogue lacks would silently say something else. */
    const struct tn_cause *c = tn_cause_find(f->cause);
    bool there = f->variant == NULL;
    for (unsigned i = 0; i < c->n_say; i++)
        there |= f->variant && strcmp(tn_string_pool + tn_say_rows[c->say + i].variant, f->variant) == 0;
    if (!there)
        fail_msg("%s has no variant %s", f->cause, f->variant);
    tn_buf_deinit(&b);
}

static inline void check_layers(const struct machine *m)
{
    struct tn_buf b;
    tn_buf_init(&b);
    for (unsigned i = 0; i < TN_LAYERS; i++) {
        const struct tn_layer *l = &m->v.layer[i];
        assert_true((l->say == NULL) == (l->finding != NULL));
        for (int lang = 0; l->say && lang < TN_LANGS; lang++) {
            const char *text = tn_string(l->say, (enum tn_lang)lang);
            assert_non_null(text);
            tn_buf_clear(&b);
            tn_text_fill(&b, text, l->arg, l->n_arg);
            is_whole(l->name, &b);
        }
    }
    tn_buf_deinit(&b);
}

/* No line is longer than the width unless its one word is, and none ends with a blank. */
static inline void check_lines(const char *text, unsigned width)
{
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, "\n");
        char line[2048];
        snprintf(line, sizeof line, "%.*s", (int)n, p);
        const char *word = line + strspn(line, " ");
        bool command = word == line + 2; /* is never broken */
        if (width && tn_utf8_width(line) > width && strchr(word, ' ') && !command)
            fail_msg("wider than %u: %s", width, line);
        if (n && line[strlen(line) - 1] == ' ')
            fail_msg("a blank at the end: %s", line);
        p += n + (p[n] == '\n');
    }
}

/* The first line says the one thing, the last one is a command unless all is well; in each shell, language and width.
 */
static inline void check_report(const struct machine *m)
{
    static const unsigned widths[] = {0, 60, 72, 80, 100, 120};
    struct tn_report r = {.judge = &m->j, .findings = &m->out, .verdict = &m->v};
    struct tn_buf b;
    tn_buf_init(&b);
    for (unsigned i = 0; i < 2 * TN_LEN(widths) * 3; i++) {
        r.lang = i % 2 ? TN_ZH : TN_EN;
        r.shell = (enum tn_shell)(i / 2 % 3);
        r.width = widths[i / 6];
        r.verbose = i % 5 == 0;
        r.quiet = i % 7 == 0;
        tn_buf_clear(&b);
        tn_report_text(&r, &b);
        is_whole("report", &b);
        check_lines(b.p, r.width);
        b.p[--b.n] = '\0';
        const char *last = strrchr(b.p, '\n');
        bool command = last && strncmp(last, "\n  ", 3) == 0 && last[3] != ' ';
        if (m->v.status != TN_VERDICT_OK && !command)
            fail_msg("no command at the end: %s", b.p);
        if (r.quiet && m->v.status == TN_VERDICT_OK && r.width == 0)
            assert_null(last);
    }
    tn_buf_deinit(&b);
}

static inline void judge(struct machine *m, const char *expect)
{
    tn_sink_init(&m->out, &m->mem);
    memset(&m->v, 0, sizeof m->v);
    assert_int_equal(tn_judge_init(&m->j, &m->s, expect, NULL), 0);
    assert_non_null(tn_string(m->j.why, TN_ZH));
    assert_true(tn_check_run(&m->j, NULL, NULL, &m->out) == tn_n_checks);
    tn_findings_merge(&m->out);
    tn_check_others(&m->j, &m->v);
    tn_verdict_make(&m->j, &m->out, &m->v);
    for (size_t i = 0; i < m->out.n; i++)
        check_texts(m, &m->out.v[i]);
    check_layers(m);
    check_report(m);
}

static inline void finish(struct machine *m)
{
    tn_arena_deinit(&m->mem);
    tn_snap_deinit(&m->s);
}

static inline const struct tn_finding *found(const struct machine *m, const char *cause)
{
    for (size_t i = 0; i < m->out.n; i++)
        if (strcmp(m->out.v[i].cause, cause) == 0)
            return &m->out.v[i];
    return NULL;
}

static inline size_t count(const struct machine *m, const char *cause)
{
    size_t n = 0;
    for (size_t i = 0; i < m->out.n; i++)
        n += strcmp(m->out.v[i].cause, cause) == 0;
    return n;
}

/* The first cause is this one, in this variant, and the verdict is a problem. */
static inline const struct tn_finding *expect_problem(struct machine *m, const char *cause, const char *variant)
{
    judge(m, NULL);
    if (m->v.status != TN_VERDICT_PROBLEM || strcmp(m->v.first->cause, cause) != 0)
        fail_msg("not %s: %s", cause, m->v.first ? m->v.first->cause : tn_verdict_word(m->v.status));
    assert_ptr_equal(m->v.first, &m->out.v[0]);
    if (!tn_str_eq(m->v.first->variant, variant))
        fail_msg("%s: variant %s", cause, m->v.first->variant ? m->v.first->variant : "none");
    return m->v.first;
}

static inline void expect_ok(struct machine *m, unsigned warnings)
{
    judge(m, NULL);
    if (m->v.status != TN_VERDICT_OK)
        fail_msg("%s: %s", tn_verdict_word(m->v.status), m->out.n ? m->out.v[0].cause : "");
    assert_int_equal(m->v.warnings, warnings);
}

static inline void expect_sentence(const struct tn_finding *f, enum tn_lang lang, const char *part)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_finding_say(&b, f, lang);
    if (strstr(b.p, part) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", b.p, part);
    tn_buf_deinit(&b);
}

#endif
