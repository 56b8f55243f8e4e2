/* Start files of shells and the loader's configuration, without the folders that go: to the byte, or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "clean/setting.h"

static const char *const gone[] = {"/usr/local/cuda-11.6", "/usr/local/cuda"};

static void becomes(enum tn_setting_kind kind, const char *before, const char *after)
{
    struct tn_arena mem;
    struct tn_setting s;
    tn_arena_init(&mem);
    tn_setting_make(&mem, kind, tn_span_str(before), gone, TN_LEN(gone), &s);
    assert_string_equal(tn_arena_strndup(&mem, s.text, s.size), after);
    tn_arena_deinit(&mem);
}

static void shell(const char *before, const char *after)
{
    becomes(TN_SETTING_SHELL, before, after);
}

static void stays(const char *text)
{
    shell(text, text);
}

static void lists_lose_what_leads_there(void **state)
{
    (void)state;
    shell("export PATH=/usr/local/cuda-11.6/bin:$PATH\n", "");
    shell("export PATH=/usr/local/cuda-11.6/bin${PATH:+:${PATH}}\n", "");
    shell("export LD_LIBRARY_PATH=/usr/local/cuda-11.6/lib64:${LD_LIBRARY_PATH}", "");
    shell("a=1\nexport PATH=\"/opt/x/bin:/usr/local/cuda/bin:$PATH\"  # mine\nb=2",
          "a=1\nexport PATH=\"/opt/x/bin:$PATH\"  # mine\nb=2");
    shell("PATH=$PATH:/usr/local/cuda/bin; export PATH\n", "");
    shell("PATH=$PATH:/usr/local/cuda/bin:~/bin; export PATH\n", "PATH=$PATH:~/bin; export PATH\n");
    shell("export P=/opt/x/lib:/usr/local/cuda-11.6/lib64${P:+:${P}}\n", "export P=/opt/x/lib${P:+:${P}}\n");
    shell("PATH=\"/usr/bin:/usr/local/cuda-11.6/bin:/bin\"\n", "PATH=\"/usr/bin:/bin\"\n");
}

static void variables_and_what_uses_them(void **state)
{
    (void)state;
    shell("export CUDA_PATH_V11_6='/usr/local/cuda-11.6'\n", "");
    shell("CUDA_HOME=/usr/local/cuda-11.6\nexport PATH=${CUDA_HOME}/bin:$PATH\necho ok\n", "echo ok\n");
    stays("CUDA_HOME=/usr/local/cuda-11.6\nmake -C $CUDA_HOME/samples\n");
    stays("CUDA_HOME=/usr/local/cuda-11.6\nif x; then CUDA_HOME=/opt/other; fi\nexport PATH=$CUDA_HOME/bin:$PATH\n");
    shell("CUDA_HOME=/usr/local/cuda-11.6\nCUDA_HOME=/usr/local/cuda-11.2\nexport PATH=$CUDA_HOME/bin:$PATH\n",
          "CUDA_HOME=/usr/local/cuda-11.2\nexport PATH=$CUDA_HOME/bin:$PATH\n");
}

static void a_block_keeps_a_command(void **state)
{
    (void)state;
    shell("if [ -n \"$X\" ]; then\n    export PATH=/usr/local/cuda/bin:$PATH\nfi\n",
          "if [ -n \"$X\" ]; then\n    :\nfi\n");
    shell("if true; then\nPATH=/usr/local/cuda/bin:$PATH\nfi\n", "if true; then\n:\nfi\n");
}

static void what_is_not_understood_stays(void **state)
{
    (void)state;
    stays("export PATH=/usr/local/cuda-11.60/bin:$PATH\n");
    stays("export PATH=/home/a/usr/local/cuda/bin:$PATH\n");
    stays("# export PATH=/usr/local/cuda/bin:$PATH\n");
    stays("export PATH=/usr/local/cuda/bin:$(pwd):$PATH\n");
    stays("export PATH=/usr/local/cuda/../mine/bin:$PATH\n");
    stays("export PATH=/usr/local/cuda/bin:$PATH && echo\n");
    stays("[ -d /usr/local/cuda/bin ] && PATH=/usr/local/cuda/bin:$PATH\n");
    stays("[ -d /x ] &&\nPATH=/usr/local/cuda/bin:$PATH\n");
    stays("echo \\\nPATH=/usr/local/cuda/bin:$PATH\n");
    stays("PATH=/usr/local/cuda/bin:$PATH \\\n  make\n");
    stays("cat <<E\nPATH=/usr/local/cuda/bin:$PATH\nE\n");
    stays("x='\nPATH=/usr/local/cuda/bin:$PATH\n'\n");
    stays("x=$'it\\'s'\nPATH=/usr/local/cuda/bin:$PATH\n");
    stays("PATH='/usr/local/cuda/bin:$PATH'\n");
    stays("PATH=/usr/local/cuda/bin${PATH:+:${PATH}}:/b\n");
    stays("PATH=/usr/local/cuda/bin:$PATH\r\n");
    stays("alias n=/usr/local/cuda/bin/nvcc\n");
    stays("CUDA=/usr/local/cuda make\n");
}

static void a_line_that_stays_is_told(void **state)
{
    struct tn_arena mem;
    struct tn_setting s;
    (void)state;
    tn_arena_init(&mem);
    tn_setting_make(&mem, TN_SETTING_SHELL,
                    tn_span_str("#/usr/local/cuda\nx /usr/local/cuda/bin\nPATH=/usr/local/cuda/bin:$PATH:/a\n"), gone,
                    TN_LEN(gone), &s);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.n_changed, 1);
    assert_true(s.line[0].stays);
    assert_int_equal(s.line[0].number, 2);
    assert_string_equal(s.line[1].after, "PATH=$PATH:/a");
    assert_false(s.empty);
    tn_setting_make(&mem, TN_SETTING_SHELL, tn_span_str("\nexport CUDA_HOME=/usr/local/cuda\n"), gone, TN_LEN(gone),
                    &s);
    assert_true(s.empty);
    tn_arena_deinit(&mem);
}

static void the_loaders_folders(void **state)
{
    (void)state;
    becomes(TN_SETTING_LOADER, "/usr/local/cuda-11.6/lib64\n/opt/x\n", "/opt/x\n");
    becomes(TN_SETTING_LOADER, "  /usr/local/cuda/targets/x86_64-linux/lib  \n", "");
    becomes(TN_SETTING_LOADER, "/usr/local/cuda/lib64 /opt/x\n", "/usr/local/cuda/lib64 /opt/x\n");
    becomes(TN_SETTING_LOADER, "include /usr/local/cuda/*.conf\n", "include /usr/local/cuda/*.conf\n");
    becomes(TN_SETTING_LOADER, "/usr/local/cuda-11.60/lib64\n", "/usr/local/cuda-11.60/lib64\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_lose_what_leads_there), cmocka_unit_test(variables_and_what_uses_them),
        cmocka_unit_test(a_block_keeps_a_command),     cmocka_unit_test(what_is_not_understood_stays),
        cmocka_unit_test(a_line_that_stays_is_told),   cmocka_unit_test(the_loaders_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
