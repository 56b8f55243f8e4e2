/* Commands as people paste them: what is mended, into what, for which reason; what is none; what stays as it is; for
 * which shell the words are quoted; hostile input in linear time. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "command/command.h"

static const struct {
    const char *given, *right, *why; /* why: words of the repairs, pins left out; right NULL: refused */
} mended[] = {
    {"conda create -n tf_gpu python3.9 -y", "conda create -n tf_gpu python=3.9 -y", "lost-equals"},
    {"conda create -n tf_gpu python 3.9 -y", "conda create -n tf_gpu python=3.9 -y", "lost-equals"},
    {"conda install -c conda-forge cudatoolkit 11.2 cudnn8.1.0",
     "conda install -c conda-forge cudatoolkit=11.2 cudnn=8.1.0", "lost-equals lost-equals"},
    {"conda install \xE2\x80\x93"
     "c conda-forge cudatoolkit=11.2",
     "conda install -c conda-forge cudatoolkit=11.2", "dash"},
    {"pip install torch=2.4", "pip install torch==2.4", "single-equals"},
    {"pip install torch 2.4.1", "pip install torch==2.4.1", "lost-equals"},
    {"pip install torch == 2.4.1", "pip install torch==2.4.1", "extra-blank"},
    {"pip install torch=>2.4", "pip install 'torch>=2.4'", "redirect operator"},
    {"pip install torch>=2.4,<2.6 torchvision", "pip install 'torch>=2.4,<2.6' torchvision", "redirect"},
    {"pip install numpy<2", "pip install 'numpy<2'", "redirect"},
    {"pip install \xE2\x80\x9Cnumpy<2\xE2\x80\x9D", "pip install \"numpy<2\"", "quote"},
    {"pip install torch\xEF\xBC\x9D\xEF\xBC\x9D"
     "2.4",
     "pip install torch==2.4", "wide"},
    {"pip install \xEF\xBC\x8D\xEF\xBC\x8Dupgrade pip", "pip install --upgrade pip", "wide"},
    {"pip install -- upgrade pip", "pip install --upgrade pip", "extra-blank"},
    {"pip install \xE2\x80\x94upgrade pip", "pip install --upgrade pip", "dash lost-dash"},
    {"pip\xC2\xA0install torch", "pip install torch", "blank-char"},
    {"pip install to\xE2\x80\x8Brch", "pip install torch", "unseen"},
    {"pipinstall torch", "pip install torch", "lost-blank"},
    {"python - m pip install torch", "python -m pip install torch", "extra-blank"},
    {"pip install torch index-url https://x.org/whl", "pip install torch --index-url https://x.org/whl", "lost-dash"},
    {"pip install torch --index-url x.org/whl", "pip install torch --index-url https://x.org/whl", "lost-scheme"},
    {"pip install torch --index_url https://x.org/whl", "pip install torch --index-url https://x.org/whl", "typo"},
    {"pip intall torch", "pip install torch", "typo"},
    {"pip install tensroflow", "pip install tensorflow", "typo"},
    {"pip install torch==2.4, torchvision", "pip install torch==2.4 torchvision", "trailing"},
    {"pip install \"torch>=2.4", "pip install 'torch>=2.4'", "open-quote"},
    {"conda create -n a python=3.9 &amp;&amp; conda activate a", "conda create -n a python=3.9 && conda activate a",
     "entity"},
    {"pip install \"numpy&amp;lt;2\"", "pip install \"numpy<2\"", "entity"},
    {"$ pip install torch=2.4", "pip install torch==2.4", "single-equals prompt"},
    {">>> pip install torch", "pip install torch", "python-prompt"},
    {"(base) C:\\Users\\a> pip install torch>=2.4", "pip install \"torch>=2.4\"", "redirect prompt"},
    {"PS C:\\> pip install torch>=2.4", "pip install 'torch>=2.4'", "redirect prompt"},
    {"nvidia - smi", "nvidia-smi", "extra-blank"},
    {"docker run \xE2\x80\x94gpus all a/b nvidia-smi", "docker run --gpus all a/b nvidia-smi", "dash lost-dash"},
    {"pip install pytorch", "pip install torch", "name"},
    {"pip install tensorflow-gpu", "pip install tensorflow", "name"},
    {"pip install tensorflow-gpu==2.6.0", "pip install tensorflow==2.6.0 'keras==2.6.*' 'protobuf<4' 'numpy<1.24'",
     "name"},
    {"pip install nvidia-cublas-cu13", "pip install nvidia-cublas", "name"},
    {"pip install nvidia-cublas-cu112", NULL, "never"},
    {"pip install nvidia-tensorflow", "pip install tensorflow", "name"},
};

static void test_mended(void **state)
{
    (void)state;
    for (size_t i = 0; i < TN_LEN(mended); i++) {
        struct tn_arena mem;
        char why[256] = "";
        tn_arena_init(&mem);
        struct tn_command *c = tn_command_read(&mem, mended[i].given);
        for (unsigned k = 0; c && k < c->n_repair; k++)
            if (c->repair[k].kind != TN_MEND_PIN)
                snprintf(why + strlen(why), sizeof why - strlen(why), "%s%s", *why ? " " : "",
                         tn_mend_word(c->repair[k].kind));
        if (!c || !tn_str_eq(c->right, mended[i].right) || strcmp(why, mended[i].why) != 0)
            fail_msg("%s\n gave %s (%s)", mended[i].given, c && c->right ? c->right : "nothing", why);
        assert_int_equal(c->refused, mended[i].right == NULL);
        tn_arena_deinit(&mem);
    }
}

/* Right as they are: nothing is said of them. */
static void test_left_alone(void **state)
{
    static const char *const good[] = {
        "pip install torch==2.4.1 torchvision --index-url https://download.pytorch.org/whl/cu124",
        "pip install -r requirements.txt",
        "pip install 'jax[cuda12]'",
        "pip install -U \"numpy<2\"",
        "pip install git+https://github.com/a/b@v1.0",
        "pip install ./dist/a-1.0-py3-none-any.whl",
        "pip install cupy-cuda12x",
        "pip install keras-core pytorch-lightning torchmetrics",
        "pip freeze > requirements.txt",
        "pip list 2>/dev/null | grep torch",
        "conda create -n a python=3.9 -y && conda activate a",
        "conda install -c conda-forge cudatoolkit=11.2 cudnn=8.1.0",
        "conda install tensorflow-gpu pytorch",
        "conda install -c nvidia/label/cuda-11.8.0 cuda-toolkit",
        "uv pip install torch --torch-backend=auto",
        "uv add torch",
        "sudo apt-get install -y nvidia-driver-535",
        "docker run --rm --gpus all nvidia/cuda:12.4.1-base-ubuntu22.04 nvidia-smi -q -d ECC",
        "python -c \"import torch; print(torch.__version__)\"",
        "nvcc -V",
        "nvidia-smi -q",
        "pip install nvidia-tensorflow --extra-index-url https://pypi.nvidia.com",
        NULL};
    (void)state;
    for (unsigned i = 0; good[i]; i++) {
        struct tn_arena mem;
        tn_arena_init(&mem);
        struct tn_command *c = tn_command_read(&mem, good[i]);
        if (!c || c->n_repair)
            fail_msg("%s: %s", good[i], c ? tn_mend_word(c->repair[0].kind) : "no command");
        assert_string_equal(c->right, good[i]);
        tn_arena_deinit(&mem);
    }
}

static unsigned said(struct tn_arena *mem, const char *text, struct tn_commands *all)
{
    unsigned n = 0;
    tn_commands_find(mem, tn_span_str(text), all);
    for (unsigned i = 0; i < all->n; i++)
        n += all->v[i]->n_repair > 0;
    return n;
}

static void test_sentences(void **state)
{
    static const struct {
        const char *text, *right; /* NULL: nothing is said */
    } at[] = {{"I ran pip install torch=2.4 and it failed.", "pip install torch==2.4"},
              {"I ran `pip install torch=2.4`, then", "pip install torch==2.4"},
              {"\xE6\x88\x91\xE7\x94\xA8 pip install torch=2.4\xEF\xBC\x8C\xE7\x84\xB6\xE5\x90\x8E",
               "pip install torch==2.4"},
              {"pip install torch 2.4 does not work", NULL},
              {"conda install is slow", NULL},
              {"pip is great", NULL},
              {"python 3.9 works", NULL},
              {"use the pipinstall script", NULL},
              {"pip install tensorflow is what I did", NULL},
              {"ERROR: Could not find a version that satisfies the requirement torch=2.4", NULL},
              {"2.4 > 2.3 and numpy < 2", NULL}};
    struct tn_commands *all;
    (void)state;
    for (unsigned i = 0; i < TN_LEN(at); i++) {
        struct tn_arena mem;
        tn_arena_init(&mem);
        all = tn_arena_array(&mem, 1, sizeof *all);
        unsigned n = said(&mem, at[i].text, all);
        if (n != (at[i].right != NULL) || (n && strcmp(all->v[0]->right, at[i].right) != 0))
            fail_msg("%s: %s", at[i].text, n ? all->v[0]->right : "nothing");
        assert_false(all->alone && n);
        tn_arena_deinit(&mem);
    }
}

static void test_lines(void **state)
{
    struct tn_arena mem;
    struct tn_commands *all;
    (void)state;
    tn_arena_init(&mem);
    all = tn_arena_array(&mem, 1, sizeof *all);
    assert_int_equal(
        said(&mem,
             "\n$ conda install -c conda-forge \\\n    cudatoolkit 11.2 \\\n    cudnn=8.1\n$ pip install torch=2.4\n",
             all),
        2);
    assert_int_equal(all->v[0]->line, 2);
    assert_string_equal(all->v[0]->right, "conda install -c conda-forge cudatoolkit=11.2 cudnn=8.1");
    assert_int_equal(all->v[1]->line, 5);
    assert_true(all->alone);
    assert_int_equal(said(&mem, "pip install torch --index-url\nhttps://x.org/whl\n", all), 1);
    assert_string_equal(all->v[0]->right, "pip install torch --index-url https://x.org/whl");
    assert_int_equal(said(&mem, "zsh: no matches found: jax[cuda12]\npip install jax[cuda12]\n", all), 1);
    assert_int_equal(all->v[0]->repair[0].kind, TN_MEND_BRACKETS);
    assert_false(all->alone);
    tn_arena_deinit(&mem);
}

/* What it asks for, as types: for plans. */
static void test_typed(void **state)
{
    struct tn_arena mem;
    (void)state;
    tn_arena_init(&mem);
    struct tn_command *c =
        tn_command_read(&mem, "conda create -n tf -c conda-forge python3.9 cudnn=8.1 && python -m pip install "
                              "'tensorflow[and-cuda]==2.15' --extra-index-url https://x.org/simple");
    assert_non_null(c);
    assert_int_equal(c->n_part, 2);
    assert_int_equal(c->part[0].tool, TN_TOOL_CONDA);
    assert_string_equal(c->part[0].action, "create");
    assert_string_equal(c->part[0].env, "tf");
    assert_string_equal(c->part[0].python, "3.9");
    assert_string_equal(c->part[0].channel[0], "conda-forge");
    assert_int_equal(c->part[0].n_want, 2);
    assert_string_equal(c->part[0].want[1].name, "cudnn");
    assert_string_equal(c->part[0].want[1].spec, "=8.1");
    assert_int_equal(c->part[1].tool, TN_TOOL_PIP);
    assert_string_equal(c->part[1].want[0].name, "tensorflow");
    assert_string_equal(c->part[1].want[0].extras, "and-cuda");
    assert_string_equal(c->part[1].want[0].spec, "==2.15");
    assert_string_equal(c->part[1].extra_index, "https://x.org/simple");
    assert_null(tn_command_read(&mem, "the sun shines"));
    assert_null(tn_command_read(&mem, ""));
    tn_arena_deinit(&mem);
}

static double seconds(size_t n)
{
    static char text[1 << 21];
    struct tn_arena mem;
    struct tn_commands *all;
    for (size_t i = 0; i < n; i++)
        text[i] = "pip install torch= \n(base) `>>> conda install -- u"[i % 50];
    tn_arena_init(&mem);
    all = tn_arena_array(&mem, 1, sizeof *all);
    clock_t from = clock();
    tn_commands_find(&mem, tn_span_of(text, n), all);
    double s = (double)(clock() - from) / CLOCKS_PER_SEC;
    tn_arena_deinit(&mem);
    return s;
}

static void test_linear(void **state)
{
    (void)state;
    double one = seconds(1 << 19), four = seconds(1 << 21);
    assert_true(four < 12 * one + 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mended),    cmocka_unit_test(test_left_alone),
                                       cmocka_unit_test(test_sentences), cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_typed),     cmocka_unit_test(test_linear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
