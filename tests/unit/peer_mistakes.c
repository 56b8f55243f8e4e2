/* peer_mistakes.c - what other diagnosing tools were seen to get wrong, one test for each (doc/peer_mistakes.md says
 * what the mistake is). The number in a test's name is the mistake's. */
#include "check_machine.h"

#include "explain/explain.h"
#include "facts/cuda.h"
#include "facts/gpu.h"
#include "probe/probe.h"
#include "snapshot/redact.h"
#include "snapshot/write.h"
#include "strings.gen.h"
#include "version/dotted.h"
#include "world/record.h"

/* One card and a torch build with everything it opens. */
static struct tn_rec_framework *start_torch(struct machine *m, const char *gpu, const char *capability,
                                            const char *driver, const char *version, const char *cuda)
{
    start(m, "linux");
    TN_THE(&m->s, host)->arch = T("x86_64");
    add_gpu(m, gpu, capability);
    set_driver(m, driver, "12.2");
    add_module(m, "6.8.0-45-generic", true);
    add_env(m, "env1", true);
    m->s.env.v[0].kind = T("venv");
    m->s.env.v[0].python = T("3.12.3");
    struct tn_rec_framework *f = add_framework(m, "env1", "torch", version, true);
    f->cuda = T(cuda);
    words(m, &f->asks, "libcudart.so.12 libcudnn.so.9");
    words(m, &f->sass, "50 60 70 75 80 86 90");
    words(m, &f->ptx, "");
    add_library(m, "libcudart", "libcudart.so.12", "12.4.127", "env1");
    add_cudnn(m, "9.28.0", "env1");
    return f;
}

/* Probes a record written as JSON. */
static void start_record(struct machine *m, const char *json)
{
    struct tn_record r;
    struct tn_world *w;
    struct tn_err err;
    struct tn_want want = {.env = NULL};
    memset(m, 0, sizeof *m);
    tn_snap_init(&m->s);
    tn_arena_init(&m->mem);
    if (tn_record_read(tn_span_str(json), &r, &err) != 0)
        fail_msg("%s: %s", err.place, err.text);
    assert_int_equal(tn_world_replay(&r, &w, &err), 0);
    tn_probe_all(w, &want, &m->s);
    tn_world_close(w);
    tn_record_deinit(&r);
}

static const char *report(struct machine *m, enum tn_lang lang, bool json)
{
    struct tn_report r = {.judge = &m->j, .findings = &m->out, .verdict = &m->v, .lang = lang, .verbose = true};
    struct tn_buf b;
    tn_buf_init(&b);
    if (json)
        tn_report_json(&r, "doctor", &b);
    else
        tn_report_text(&r, &b);
    const char *text = tn_arena_strdup(&m->mem, b.p);
    tn_buf_deinit(&b);
    return text;
}

static const char *command_of(struct machine *m, const struct tn_finding *f, unsigned i)
{
    struct tn_buf b;
    tn_buf_init(&b);
    assert_true(i < f->n_remedy && tn_remedy_command(&b, &f->remedy[i], &m->s, TN_SHELL_SH));
    const char *text = tn_arena_strdup(&m->mem, b.p);
    tn_buf_deinit(&b);
    return text;
}

static void mistake_1_minor_version_compatibility(void **state)
{
    static const char *const driver[] = {"535.183.01", "525.60.13"};
    (void)state;
    for (unsigned i = 0; i < TN_LEN(driver); i++) {
        struct machine mm, *m = &mm;
        start_torch(m, "NVIDIA A100-SXM4-40GB", "8.0", driver[i], "2.6.0+cu124", "12.4");
        expect_ok(m, 0);
        assert_int_equal(m->out.n, 0);
        finish(m);
    }
}

static void mistake_2_sm_86_code_on_8_9(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch(m, "NVIDIA GeForce RTX 4090", "8.9", "570.86.15", "2.6.0+cu124", "12.4");
    expect_ok(m, 0);
    assert_int_equal(m->out.n, 0);
    finish(m);
}

static void mistake_3_sm_100_code_on_10_3(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_torch(m, "NVIDIA B300", "10.3", "580.95.05", "2.9.1+cu128", "12.8");
    words(m, &f->sass, "75 80 86 90 100 120");
    expect_ok(m, 0);
    words(m, &f->sass, "75 80 86 90 100a 120");
    expect_problem(m, "arch-unsupported", "no-ptx");
    finish(m);
}

#define TOOLKIT_MACHINE                                                                                                \
    "{\"tenon_record\": 1, \"origin\": \"mistakes 5 and 29\", \"os\": \"linux\","                                      \
    " \"complete\": [\"files\", \"env\", \"sys\"],"                                                                    \
    " \"sys\": {\"release\": \"6.1.0-28-amd64\", \"arch\": \"x86_64\", \"root\": \"0\"},"                              \
    " \"env\": {\"PATH\": \"/usr/local/cuda/bin:/usr/bin\", \"HOME\": \"/home/ada\"}, \"files\": {"                    \
    " \"/usr/local/cuda\": {\"link\": \"cuda-13.0\"},"                                                                 \
    " \"/usr/local/cuda-13.0/version.json\": {\"text\": \"{\\\"cuda\\\": {\\\"name\\\": \\\"CUDA SDK\\\", "            \
    "\\\"version\\\": \\\"13.0.0\\\"}, \\\"cuda_nvcc\\\": {\\\"version\\\": \\\"13.0.88\\\"}}\"},"                     \
    " \"/usr/local/cuda-13.0/bin/nvcc\": {\"text\": \"x\", \"mode\": \"0755\"},"                                       \
    " \"/usr/local/cuda-13.0/lib64/libcudart.so.13\": {\"text\": \"x\"},"                                              \
    " \"/sys/bus/pci/devices\": {\"list\": {}}, \"/proc/version\": {\"text\": \"Linux version 6.1.0\\n\"}}}"

/* 610.43.02 and 13.3 are there, in other words than before. */
static void mistake_4_the_610_banner(void **state)
{
    struct tn_snap s;
    (void)state;
    tn_snap_init(&s);
    tn_explain_text(
        tn_span_str("| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |\n"),
        &s);
    assert_int_equal(s.observation.n, 2);
    assert_string_equal(s.observation.v[0].value.v, "610.43.02");
    assert_string_equal(s.observation.v[1].fact.v, "driver.cuda");
    assert_string_equal(s.observation.v[1].value.v, "13.3");
    tn_snap_deinit(&s);
}

/* One toolkit behind a link on PATH: found, its version read, on PATH. */
static void mistake_5_toolkit_behind_a_link(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_record(m, TOOLKIT_MACHINE);
    assert_int_equal(m->s.toolkit.n, 1);
    assert_string_equal(m->s.toolkit.v[0].version.v, "13.0.0");
    assert_true(tn_is(m->s.toolkit.v[0].on_path, 1));
    expect_sentence(expect_problem(m, "no-nvidia-gpu", "toolkit"), TN_EN,
                    "the CUDA 13.0 toolkit here can only compile");
    finish(m);
}

static void mistake_6_cudnn_numbers(void **state)
{
    char text[TN_DOTTED_TEXT];
    (void)state;
    assert_true(tn_version_cudnn_text(90100, text));
    assert_string_equal(text, "9.1.0");
    assert_true(tn_version_cudnn_text(8902, text));
    assert_string_equal(text, "8.9.2");
}

/* Unset is right where a build finds its libraries by itself; nor is it said in the text. */
static void mistake_7_unset_ld_library_path(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch(m, "NVIDIA A100-SXM4-40GB", "8.0", "535.183.01", "2.6.0+cu124", "12.4");
    m->s.variable.listed = TN_KNOWN;
    expect_ok(m, 0);
    assert_int_equal(m->out.n, 0);
    assert_null(strstr(report(m, TN_EN, false), "LD_LIBRARY_PATH"));
    finish(m);
    start_healthy(m);
    m->s.variable.listed = TN_KNOWN;
    expect_ok(m, 0);
    assert_null(strstr(report(m, TN_EN, false), "LD_LIBRARY_PATH"));
    finish(m);
}

static void mistake_8_cpu_build_on_a_gpu_machine(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_torch(m, "NVIDIA GeForce RTX 4090", "8.9", "570.86.15", "2.9.0+cpu", "12.4");
    f->gpu_build = N(0);
    f->cuda = tn_fact_nostr(0, TN_ABSENT);
    f->asks = f->sass = f->ptx = tn_fact_nolist(0, TN_ABSENT);
    expect_sentence(expect_problem(m, "cpu-only-build", NULL), TN_EN, "torch 2.9.0+cpu is a CPU build");
    assert_non_null(strstr(command_of(m, m->v.first, 0), "torch==2.9.0+cu1"));
    finish(m);
}

/* One verdict, whatever the form: the status that decides the exit status is in both. */
static void mistake_9_one_verdict_for_all_formats(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct machine mm, *m = &mm;
        struct tn_rec_framework *f = start_torch(m, "NVIDIA GeForce RTX 5090", "12.0", "570.86.15", "2.9.1", "12.8");
        words(m, &f->sass, i == 1 ? "90" : "120");
        if (i == 2)
            m->s.gpu.listed = TN_DENIED, m->s.gpu.n = 0, TN_THE(&m->s, driver)->loaded = N(0);
        judge(m, NULL);
        const char *json = report(m, TN_EN, true), *text = report(m, TN_EN, false);
        static const char *const word[] = {"OK: ", "PROBLEM: ", "UNCLEAR: "};
        assert_non_null(strstr(json, tn_arena_printf(&m->mem, "\"status\": \"%s\"", tn_verdict_word(m->v.status))));
        assert_true(tn_str_starts(text, word[m->v.status]));
        finish(m);
    }
}

static void mistake_9b_newer_toolkit_is_no_error(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch(m, "NVIDIA A100-SXM4-40GB", "8.0", "535.183.01", "2.6.0+cu124", "12.4");
    struct tn_rec_toolkit *t = TN_ADD(&m->s, toolkit);
    t->version = t->nvcc = T("13.0");
    t->on_path = N(1);
    expect_ok(m, 0);
    assert_int_equal(m->out.n, 0);
    finish(m);
}

/* PTX never runs on an older card; a build for CUDA 12.6 has code for it. */
static void mistake_10_ptx_on_an_older_card(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_torch(m, "NVIDIA GeForce GTX 1080", "6.1", "580.95.05", "2.11.0+cu128", "12.8");
    words(m, &f->sass, "75 80 86 90 100 120");
    words(m, &f->ptx, "120");
    const struct tn_finding *p = expect_problem(m, "arch-unsupported", "older");
    assert_non_null(strstr(command_of(m, p, 0), "https://download.pytorch.org/whl/cu126"));
    finish(m);
}

static void mistake_11_cuda_11_8_has_no_sm_120(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_torch(m, "NVIDIA GeForce RTX 5090", "12.0", "570.86.15", "2.5.1+cu118", "11.8");
    words(m, &f->asks, "");
    const struct tn_finding *p = expect_problem(m, "arch-unsupported", "no-ptx");
    const char *command = command_of(m, p, 0);
    if (strstr(command, "cu118") || !strstr(command, "+cu12"))
        fail_msg("%s", command);
    finish(m);
}

/* No device at all is never the architecture's doing. */
static void mistake_12_no_device_is_not_the_architecture(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch(m, "NVIDIA GeForce RTX 5090", "12.0", "570.86.15", "2.6.0+cu124", "12.4");
    TN_THE(&m->s, driver)->loaded = N(0);
    TN_THE(&m->s, driver)->version = tn_fact_nostr(0, TN_ABSENT);
    m->s.gpu.v[0].bound = tn_fact_nostr(0, TN_ABSENT);
    expect_problem(m, "driver-not-loaded", NULL);
    finish(m);
}

static void mistake_13_a_targets_serve_one_card(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_torch(m, "NVIDIA GeForce RTX 5090", "12.0", "570.86.15", "2.9.1+cu128", "12.8");
    words(m, &f->sass, "90a");
    words(m, &f->ptx, "90a");
    expect_problem(m, "arch-unsupported", NULL);
    finish(m);
}

static void mistake_14_each_card_for_itself(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_torch(m, "NVIDIA GeForce RTX 4090", "8.9", "580.95.05", "2.11.0+cu128", "12.8");
    words(m, &f->sass, "75 80 86 90");
    add_gpu(m, "NVIDIA GeForce GTX 1080", "6.1");
    expect_ok(m, 1);
    expect_sentence(found(m, "arch-unsupported"), TN_EN, "GTX 1080");
    assert_non_null(strstr(report(m, TN_EN, false), "RTX 4090 can be used"));
    assert_non_null(strstr(report(m, TN_EN, false), "RTX 4090 (8.9), NVIDIA GeForce GTX 1080 (6.1)"));
    finish(m);
}

static void mistake_15_a_broken_driver_is_not_a_missing_one(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch(m, "NVIDIA A100-SXM4-40GB", "8.0", "535.183.01", "2.6.0+cu124", "12.4");
    TN_THE(&m->s, driver)->library_version = T("535.216.01");
    expect_problem(m, "driver-library-mismatch", NULL);
    assert_null(found(m, "driver-missing"));
    TN_THE(&m->s, driver)->library_version = T("535.183.01");
    TN_THE(&m->s, driver)->version = tn_fact_nostr(0, TN_ABSENT);
    TN_THE(&m->s, driver)->loaded = N(0);
    expect_problem(m, "driver-not-loaded", NULL);
    assert_null(found(m, "driver-missing"));
    finish(m);
}

/* A program that never returns cannot hang what does not ask it: nvidia-smi is only noted. */
static void mistake_16_nvidia_smi_is_not_asked(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_record(m, "{\"tenon_record\": 1, \"origin\": \"mistake 16\", \"os\": \"linux\","
                    " \"complete\": [\"files\", \"env\", \"sys\"], \"env\": {\"PATH\": \"/usr/bin\"},"
                    " \"run\": {\"/usr/bin/nvidia-smi\": {\"error\": \"failed\", \"note\": \"no answer\"}},"
                    " \"sys\": {\"release\": \"6.1.0-28-amd64\", \"arch\": \"x86_64\", \"root\": \"0\"}, \"files\": {"
                    " \"/usr/bin/nvidia-smi\": {\"text\": \"#!/bin/sh\\nsleep 9999\\n\", \"mode\": \"0755\"},"
                    " \"/proc/driver/nvidia/version\": {\"text\": \"NVRM version: NVIDIA UNIX x86_64 Kernel Module"
                    "  535.183.01  Sun May 12 19:39:15 UTC 2024\\n\"},"
                    " \"/proc/modules\": {\"text\": \"nvidia 56819712 1 - Live 0x0000000000000000 (POE)\\n\"},"
                    " \"/sys/bus/pci/devices\": {\"list\": {}}}}");
    assert_string_equal(m->s.driver_rows.v[0].smi_path.v, "/usr/bin/nvidia-smi");
    assert_string_equal(m->s.driver_rows.v[0].version.v, "535.183.01");
    finish(m);
}

#define CUDNN_PART(name)                                                                                               \
    " \"/opt/cudnn/lib/lib" name ".so.9.1.0\": {\"text\": \"x\"},"                                                     \
    " \"/opt/cudnn/lib/lib" name ".so.9\": {\"link\": \"lib" name ".so.9.1.0\"},"

/* Eight files under two folders, one of them a link: one cuDNN, each file once. */
static void mistake_17_one_cudnn_of_eight_files(void **state)
{
    struct machine mm, *m = &mm;
    size_t whole = 0, parts = 0;
    (void)state;
    start_record(m, "{\"tenon_record\": 1, \"origin\": \"mistake 17\", \"os\": \"linux\","
                    " \"complete\": [\"files\", \"env\", \"sys\"],"
                    " \"env\": {\"PATH\": \"/usr/bin\", \"LD_LIBRARY_PATH\": \"/opt/cudnn/lib:/opt/cudnn/lib64\"},"
                    " \"sys\": {\"release\": \"6.1.0-28-amd64\", \"arch\": \"x86_64\", \"root\": \"0\"}, \"files\": {"
                    " \"/opt/cudnn/lib64\": {\"link\": \"lib\"}," CUDNN_PART("cudnn") CUDNN_PART("cudnn_adv")
                        CUDNN_PART("cudnn_cnn") CUDNN_PART("cudnn_ops") CUDNN_PART("cudnn_graph")
                            CUDNN_PART("cudnn_heuristic") CUDNN_PART("cudnn_engines_precompiled") CUDNN_PART(
                                "cudnn_engines_runtime_compiled") " \"/sys/bus/pci/devices\": {\"list\": {}}}}");
    for (size_t i = 0; i < m->s.library.n; i++) {
        const struct tn_rec_library *l = &m->s.library.v[i];
        parts += tn_known(l->stem) && tn_str_starts(l->stem.v, "libcudnn");
        whole += tn_says(l->stem, "libcudnn");
        assert_string_equal(l->version.v, "9.1.0");
    }
    assert_int_equal(whole, 1);
    assert_int_equal(parts, 8);
    finish(m);
}

static void mistake_18_all_three_parts_of_a_driver(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch(m, "NVIDIA A100-SXM4-40GB", "8.0", "535.183.01", "2.6.0+cu124", "12.4");
    judge(m, NULL);
    assert_non_null(strstr(report(m, TN_EN, false), "driver 535.183.01"));
    /* The third part decides. */
    set_driver(m, "525.60.11", "12.0");
    expect_sentence(expect_problem(m, "driver-too-old", NULL), TN_EN, "525.60.13");
    finish(m);
}

/* The document holds no name of host or user and no identity of a card unless a path does; a shared snapshot none. */
/* 19: what stands where a command stands is one. 35: what TensorFlow opens at run time (its ELF file names none of it)
 * is missed. */
static void mistake_19_and_35_libraries_opened_at_run_time(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch(m, "NVIDIA GeForce RTX 3090", "8.6", "580.95.05", "2.6.0+cu124", "12.4");
    m->s.framework.n = m->s.library.n = 0;
    struct tn_rec_framework *f = add_framework(m, "env1", "tensorflow", "2.17.0", true);
    f->cuda = T("12.3");
    f->cudnn = T("8");
    words(m, &f->asks, "libcudart.so.12 libcublas.so.12 libcudnn.so.8");
    const struct tn_finding *p = expect_problem(m, "cuda-runtime-missing", NULL);
    expect_sentence(p, TN_EN, "libcudart.so.12, libcublas.so.12");
    assert_string_equal(command_of(m, p, 0),
                        "/home/u/envs/tf/bin/python -m pip install 'tensorflow[and-cuda]==2.17.0'");
    finish(m);
}

static void mistake_21_no_identity_unasked(void **state)
{
    struct machine mm, *m = &mm;
    struct tn_snap shared;
    struct tn_redact_count count;
    struct tn_err err;
    struct tn_buf b;
    (void)state;
    start_torch(m, "NVIDIA A100-SXM4-40GB", "8.0", "535.183.01", "2.6.0+cu124", "12.4");
    TN_THE(&m->s, host)->name = T("canary-host");
    TN_THE(&m->s, host)->user = T("canaryuser");
    m->s.gpu.v[0].uuid = T("GPU-9221d5d1-b60b-a624-bf14-0a1819cfda3b");
    judge(m, NULL);
    const char *json = report(m, TN_EN, true);
    assert_true(json[0] == '{');
    assert_null(strstr(json, "canary"));
    assert_null(strstr(json, "9221d5d1"));
    tn_buf_init(&b);
    assert_int_equal(tn_snapshot_redact(&m->s, &shared, &count, &err), 0);
    tn_snapshot_write(&shared, &b);
    assert_null(strstr(b.p, "canary"));
    assert_null(strstr(b.p, "9221d5d1"));
    tn_snap_deinit(&shared);
    tn_buf_deinit(&b);
    finish(m);
}

/* What is installed runs: no table of Pythons speaks against it. */
static void mistake_22_python_by_the_wheel(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch(m, "NVIDIA A100-SXM4-40GB", "8.0", "535.183.01", "2.6.0+cu124", "12.4");
    m->s.env.v[0].python = T("3.13.1");
    expect_ok(m, 0);
    m->s.env.v[0].python = T("3.19.0");
    expect_ok(m, 0);
    /* The wheel's own word: made for another Python, or for this one. */
    struct tn_rec_dist *d = add_dist(m, "env1", "torch", "2.6.0");
    d->requires_python = T(">=3.9.0");
    words(m, &d->tags, "cp313-cp313-manylinux1_x86_64");
    expect_problem(m, "python-version-unsupported", "tag");
    m->s.env.v[0].python = T("3.13.1");
    expect_ok(m, 0);
    finish(m);
}

/* Without facts about the driver nothing is [ok]; with a mismatch it is one. */
static void mistake_24_nothing_known_is_not_ok(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m, "linux");
    m->s.gpu.listed = m->s.library.listed = m->s.module.listed = m->s.node.listed = TN_UNASKED;
    judge(m, NULL);
    assert_int_equal(m->v.status, TN_VERDICT_UNKNOWN);
    TN_THE(&m->s, driver)->loaded = tn_fact_noint(0, TN_FAILED);
    judge(m, NULL);
    assert_int_equal(m->v.status, TN_VERDICT_UNKNOWN);
    finish(m);
}

/* A folder named torch where one stands is no torch. */
static void mistake_25_a_folder_named_torch(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_record(m, "{\"tenon_record\": 1, \"origin\": \"mistake 25\", \"os\": \"linux\","
                    " \"complete\": [\"files\", \"env\", \"sys\"],"
                    " \"env\": {\"PATH\": \"/v/bin:/usr/bin\", \"VIRTUAL_ENV\": \"/v\", \"HOME\": \"/home/ada\"},"
                    " \"sys\": {\"release\": \"6.1.0-28-amd64\", \"arch\": \"x86_64\", \"root\": \"0\","
                    " \"cwd\": \"/home/ada\"}, \"files\": {"
                    " \"/v/pyvenv.cfg\": {\"text\": \"home = /usr/bin\\nversion = 3.11.2\\n\"},"
                    " \"/v/bin/python3\": {\"link\": \"/usr/bin/python3.11\"},"
                    " \"/usr/bin/python3.11\": {\"text\": \"x\", \"mode\": \"0755\"},"
                    " \"/v/lib/python3.11/site-packages\": {\"list\": {}},"
                    " \"/home/ada/torch/notes.txt\": {\"text\": \"x\"},"
                    " \"/sys/bus/pci/devices\": {\"list\": {}}}}");
    judge(m, NULL);
    assert_non_null(m->j.env);
    assert_int_equal(m->s.framework.n, 0);
    assert_string_equal(m->v.layer[6].say, TN_S_layer_framework_none);
    finish(m);
}

static void mistake_27_a_mismatch_needs_a_restart(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch(m, "NVIDIA A100-SXM4-40GB", "8.0", "535.183.01", "2.6.0+cu124", "12.4");
    TN_THE(&m->s, driver)->library_version = T("535.216.01");
    const struct tn_finding *f = expect_problem(m, "driver-library-mismatch", NULL);
    assert_string_equal(command_of(m, f, 0), "sudo systemctl reboot");
    assert_string_equal(f->remedy[1].id, "reload-module");
    assert_int_equal(f->n_remedy, 2);
    finish(m);
}

static void mistake_29_one_toolkit_with_two_names(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_record(m, TOOLKIT_MACHINE);
    assert_int_equal(m->s.toolkit.n, 1);
    assert_string_equal(m->s.toolkit.v[0].path.v, "/usr/local/cuda-13.0");
    assert_true(tn_list_has(m->s.toolkit.v[0].names, "/usr/local/cuda"));
    finish(m);
}

/* No driver, a fault of the driver, and a bus that could not be read are three things. */
static void mistake_30_no_driver_no_gpu_no_answer(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch(m, "NVIDIA A100-SXM4-40GB", "8.0", "535.183.01", "2.6.0+cu124", "12.4");
    struct tn_rec_driver *d = TN_THE(&m->s, driver), whole = *d;
    d->loaded = N(0);
    d->version = d->library_version = d->library_path = d->cuda = tn_fact_nostr(0, TN_ABSENT);
    m->s.module.n = 0;
    m->s.gpu.v[0].bound = tn_fact_nostr(0, TN_ABSENT);
    expect_problem(m, "driver-missing", NULL);
    m->s.gpu.n = 0;
    expect_problem(m, "no-nvidia-gpu", NULL);
    m->s.gpu.listed = TN_DENIED;
    judge(m, NULL);
    assert_int_equal(found(m, "no-nvidia-gpu")->status, TN_UNTESTABLE);
    *d = whole;
    d->library_version = T("535.216.01");
    expect_problem(m, "driver-library-mismatch", NULL);
    finish(m);
}

static void mistake_31_tables(void **state)
{
    static const char *const capability[] = {"10.3", "12.1"}, *const gpu[] = {"B300", "GB10", "GH200"};
    struct tn_facts_driver_need need;
    struct tn_facts_capability cc;
    struct tn_facts_gpu g;
    (void)state;
    assert_int_equal(tn_facts_cuda_driver("12.6.3", TN_PLATFORM_LINUX, &need), TN_ANSWER_YES);
    assert_string_equal(need.developed, "560.35.05");
    assert_string_equal(need.floor, "525.60.13");
    assert_int_equal(tn_facts_cuda_driver("12.7", TN_PLATFORM_LINUX, &need), TN_ANSWER_NO);
    assert_int_equal(tn_facts_cuda_driver("13.2", TN_PLATFORM_LINUX, &need), TN_ANSWER_YES);
    for (unsigned i = 0; i < TN_LEN(capability); i++)
        assert_int_equal(tn_facts_capability(capability[i], &cc), TN_ANSWER_YES);
    for (unsigned i = 0; i < TN_LEN(gpu); i++)
        if (tn_facts_gpu_by_name(gpu[i], &g) != TN_ANSWER_YES)
            fail_msg("%s", gpu[i]);
}

/* The cuDNN that the framework loads, with its version, not the system's; "no driver" apart from "could not look". */
static void mistake_33_the_cudnn_that_is_loaded(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch(m, "NVIDIA A100-SXM4-40GB", "8.0", "535.183.01", "2.6.0+cu124", "12.4");
    add_cudnn(m, "9.5.1", NULL);
    expect_ok(m, 0);
    assert_non_null(strstr(report(m, TN_EN, false), "cuDNN 9.28.0 in the environment (libcudnn.so.9)"));
    struct tn_rec_driver *d = TN_THE(&m->s, driver);
    d->loaded = tn_fact_noint(0, TN_FAILED);
    d->version = d->library_version = d->library_path = tn_fact_nostr(0, TN_FAILED);
    m->s.module.listed = TN_FAILED;
    judge(m, NULL);
    assert_int_equal(found(m, "driver-missing")->status, TN_UNTESTABLE);
    assert_int_equal(m->v.status, TN_VERDICT_UNKNOWN);
    finish(m);
}

/* A card is sent to builds that hold its code: Volta left with CUDA 13, Turing did not. */
static void mistake_34_builds_with_the_cards_code(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_torch(m, "Tesla V100-SXM2-16GB", "7.0", "580.95.05", "2.14.0+cu130", "13.0");
    words(m, &f->asks, "");
    words(m, &f->sass, "75 80 86 90 100 120");
    words(m, &f->ptx, "120");
    TN_THE(&m->s, driver)->cuda = T("13.0");
    const struct tn_finding *p = expect_problem(m, "arch-unsupported", "older");
    assert_non_null(strstr(command_of(m, p, 0), "https://download.pytorch.org/whl/cu126"));
    finish(m);
    f = start_torch(m, "NVIDIA GeForce GTX 1650", "7.5", "580.95.05", "2.14.0+cu130", "13.0");
    words(m, &f->asks, "");
    words(m, &f->sass, "75 80 86 90 100 120");
    words(m, &f->ptx, "120");
    TN_THE(&m->s, driver)->cuda = T("13.0");
    expect_ok(m, 0);
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistake_1_minor_version_compatibility),
        cmocka_unit_test(mistake_2_sm_86_code_on_8_9),
        cmocka_unit_test(mistake_3_sm_100_code_on_10_3),
        cmocka_unit_test(mistake_4_the_610_banner),
        cmocka_unit_test(mistake_5_toolkit_behind_a_link),
        cmocka_unit_test(mistake_6_cudnn_numbers),
        cmocka_unit_test(mistake_7_unset_ld_library_path),
        cmocka_unit_test(mistake_8_cpu_build_on_a_gpu_machine),
        cmocka_unit_test(mistake_9_one_verdict_for_all_formats),
        cmocka_unit_test(mistake_9b_newer_toolkit_is_no_error),
        cmocka_unit_test(mistake_10_ptx_on_an_older_card),
        cmocka_unit_test(mistake_11_cuda_11_8_has_no_sm_120),
        cmocka_unit_test(mistake_12_no_device_is_not_the_architecture),
        cmocka_unit_test(mistake_13_a_targets_serve_one_card),
        cmocka_unit_test(mistake_14_each_card_for_itself),
        cmocka_unit_test(mistake_15_a_broken_driver_is_not_a_missing_one),
        cmocka_unit_test(mistake_16_nvidia_smi_is_not_asked),
        cmocka_unit_test(mistake_17_one_cudnn_of_eight_files),
        cmocka_unit_test(mistake_18_all_three_parts_of_a_driver),
        cmocka_unit_test(mistake_19_and_35_libraries_opened_at_run_time),
        cmocka_unit_test(mistake_21_no_identity_unasked),
        cmocka_unit_test(mistake_22_python_by_the_wheel),
        cmocka_unit_test(mistake_24_nothing_known_is_not_ok),
        cmocka_unit_test(mistake_25_a_folder_named_torch),
        cmocka_unit_test(mistake_27_a_mismatch_needs_a_restart),
        cmocka_unit_test(mistake_29_one_toolkit_with_two_names),
        cmocka_unit_test(mistake_30_no_driver_no_gpu_no_answer),
        cmocka_unit_test(mistake_31_tables),
        cmocka_unit_test(mistake_33_the_cudnn_that_is_loaded),
        cmocka_unit_test(mistake_34_builds_with_the_cards_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
