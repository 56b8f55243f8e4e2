/* finding_catalogue.c - texts, their holes, commands for the described machine, and quoting under torture. */
#include "check_machine.h"
#include "strings.gen.h"

static void fill(void **state)
{
    struct tn_buf b;
    static const struct tn_arg arg[] = {{"a", "{b}"}, {"b", "B"}, {"ab", "AB"}};
    (void)state;
    tn_buf_init(&b);
    tn_text_fill(&b, "{a} {b}{ab} {c} {", arg, 3);
    assert_string_equal(b.p, "{b} BAB {c} {"); /* an argument's own braces are text */
    tn_buf_deinit(&b);
}

static void catalogue(void **state)
{
    (void)state;
    for (unsigned i = 0; i < tn_n_causes; i++) {
        const struct tn_cause *c = &tn_causes[i];
        assert_ptr_equal(tn_cause_find(c->slug), c);
        for (unsigned k = 0; tn_cause_remedy(c, k); k++)
            assert_true(tn_remedy_find(tn_cause_remedy(c, k), &(struct tn_remedy_text){0}));
        for (unsigned k = 0; tn_cause_behind(c, k); k++)
            assert_string_not_equal(tn_cause_behind(c, k), c->slug);
    }
    for (unsigned i = 0; i < tn_n_strings; i++)
        assert_string_equal(tn_string(tn_string_pool + tn_strings[i].id, TN_EN),
                            tn_string_pool + tn_strings[i].text[TN_EN]);
    assert_null(tn_string("", TN_EN));
    assert_null(tn_string("zzz", TN_EN));
    assert_null(tn_cause_find("no-such-cause"));
    assert_false(tn_remedy_find(NULL, &(struct tn_remedy_text){0}));
    assert_string_equal(tn_cause_json_layer(tn_cause_find("arch-unsupported")), "framework");
    assert_string_equal(tn_cause_json_layer(tn_cause_find("cuda-runtime-missing")), "cuda");
}

/* Every check has its text, and every text of this slice its check. */
static void every_check(void **state)
{
    (void)state;
    for (unsigned i = 0; i < tn_n_checks; i++)
        if (tn_cause_find(tn_checks[i]->cause) == NULL)
            fail_msg("%s", tn_checks[i]->cause);
    assert_true(tn_check_matches(tn_checks[0], "*"));
}

struct quote {
    const char *word, *sh, *powershell, *cmd; /* NULL: refused */
};

static void quoting(void **state)
{
    static const struct quote q[] = {
        {"plain-1.2_x", "plain-1.2_x", "plain-1.2_x", "plain-1.2_x"},
        {"", "''", NULL, "\"\""},
        {"a b", "'a b'", "'a b'", "\"a b\""},
        {"numpy<2", "'numpy<2'", "'numpy<2'", "\"numpy<2\""},
        {"it's", "'it'\\''s'", "'it''s'", "\"it's\""},
        {"$HOME`id`$(id)", "'$HOME`id`$(id)'", "'$HOME`id`$(id)'", "\"$HOME`id`$(id)\""},
        {"$HOME", "'$HOME'", "'$HOME'", "\"$HOME\""},
        {"`id`", "'`id`'", "'`id`'", "\"`id`\""},
        {"a;b", "'a;b'", "'a;b'", "\"a;b\""},
        {"a&b", "'a&b'", "'a&b'", "\"a&b\""},
        {"a|b", "'a|b'", "'a|b'", "\"a|b\""},
        {"a\"b", "'a\"b'", NULL, NULL},
        {"%PATH%", "%PATH%", "'%PATH%'", NULL},
        {"a!b", "'a!b'", "'a!b'", NULL},
        {"C:\\x\\", "'C:\\x\\'", "C:\\x\\", "C:\\x\\"},
        {"C:\\x y\\", "'C:\\x y\\'", NULL, "\"C:\\x y\\\\\""},
        {"a&b|c^d>e", "'a&b|c^d>e'", "'a&b|c^d>e'", "\"a&b|c^d>e\""},
        {"-a.b", "-a.b", "'-a.b'", "-a.b"},
        {"=x", "'=x'", "=x", "\"=x\""},
        {"~root", "'~root'", "'~root'", "\"~root\""},
        {"*?[a]", "'*?[a]'", "'*?[a]'", "\"*?[a]\""},
        {"#x", "'#x'", "'#x'", "\"#x\""},
        {"\xe8\xb7\xaf\xe5\xbe\x84", "'\xe8\xb7\xaf\xe5\xbe\x84'", "'\xe8\xb7\xaf\xe5\xbe\x84'",
         "\"\xe8\xb7\xaf\xe5\xbe\x84\""},
        {"it\xe2\x80\x99s", "'it\xe2\x80\x99s'", "'it\xe2\x80\x99\xe2\x80\x99s'", "\"it\xe2\x80\x99s\""},
        {"a\nb", NULL, NULL, NULL},
        {"a\tb", NULL, NULL, NULL},
        {"a\rb", NULL, NULL, NULL},
        {"\x1b[31m", NULL, NULL, NULL},
        {"a\x7f", NULL, NULL, NULL},
        {"a\xc2\x9b", NULL, NULL, NULL},         /* U+009B, CSI */
        {"a\xe2\x80\xae", NULL, NULL, NULL},     /* U+202E */
        {"a\xe2\x81\xa6", NULL, NULL, NULL},     /* U+2066 */
        {"a\xd8\x9c", NULL, NULL, NULL},         /* U+061C */
        {"a\xe2\x80\x8b", NULL, NULL, NULL},     /* U+200B */
        {"a\xf3\xa0\x80\xa0", NULL, NULL, NULL}, /* U+E0020 */
        {"a\xff", NULL, NULL, NULL},             /* no UTF-8 */
        {"a\xed\xa0\x80", NULL, NULL, NULL},     /* a lone surrogate, WTF-8 */
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(q); i++)
        for (int shell = TN_SHELL_SH; shell <= TN_SHELL_CMD; shell++) {
            const char *want = shell == TN_SHELL_SH ? q[i].sh : shell == TN_SHELL_CMD ? q[i].cmd : q[i].powershell;
            struct tn_buf b;
            tn_buf_init(&b);
            bool ok = tn_shell_quote(&b, (enum tn_shell)shell, q[i].word);
            if (ok != (want != NULL) || (want && strcmp(b.p, want) != 0))
                fail_msg("%s in shell %d: %s", q[i].word, shell, ok ? b.p : "refused");
            tn_buf_deinit(&b);
        }
}

static const char *command(struct machine *m, const char *id, const char *variant, const char *python,
                           enum tn_shell shell)
{
    struct tn_finding f;
    struct tn_buf b;
    memset(&f, 0, sizeof f);
    tn_buf_init(&b);
    struct tn_remedy *r = tn_find_remedy(&m->out, &f, id, variant);
    if (python)
        tn_remedy_arg(&m->out, r, "python", "%s", python);
    const char *text = tn_remedy_command(&b, r, &m->s, shell) ? tn_arena_strdup(&m->mem, b.p) : NULL;
    tn_buf_deinit(&b);
    return text;
}

static void commands(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m, "linux");
    assert_string_equal(command(m, "pin-numpy", "pip", "/opt/my env/python", TN_SHELL_SH),
                        "'/opt/my env/python' -m pip install 'numpy<2'");
    assert_string_equal(command(m, "pin-numpy", "pip", "C:\\my env\\python.exe", TN_SHELL_POWERSHELL),
                        "& 'C:\\my env\\python.exe' -m pip install 'numpy<2'");
    assert_string_equal(command(m, "pin-numpy", "pip", "/tmp/$(id)/python", TN_SHELL_SH),
                        "'/tmp/$(id)/python' -m pip install 'numpy<2'");
    /* No argument, an argument that would be an option or an assignment, or one that cannot be shown. */
    assert_null(command(m, "pin-numpy", "pip", NULL, TN_SHELL_SH));
    assert_null(command(m, "pin-numpy", "pip", "", TN_SHELL_SH));
    assert_null(command(m, "pin-numpy", "pip", "-rf", TN_SHELL_SH));
    assert_null(command(m, "pin-numpy", "pip", "A=/x/python", TN_SHELL_SH));
    assert_null(command(m, "pin-numpy", "pip", "/x\n/python", TN_SHELL_SH));
    assert_null(command(m, "pin-numpy", "no-such-variant", "/python", TN_SHELL_SH));
    assert_null(command(m, "no-such-remedy", NULL, NULL, TN_SHELL_SH));
    /* By distribution, its parent, the system; none for what is unknown. */
    assert_string_equal(command(m, "install-driver", NULL, NULL, TN_SHELL_SH), "sudo ubuntu-drivers install");
    TN_THE(&m->s, host)->distro = T("linuxmint");
    assert_string_equal(command(m, "install-driver", NULL, NULL, TN_SHELL_SH), "sudo ubuntu-drivers install");
    TN_THE(&m->s, host)->distro = T("rocky");
    assert_non_null(strstr(command(m, "install-driver", NULL, NULL, TN_SHELL_SH), "dnf"));
    TN_THE(&m->s, host)->distro = T("gentoo");
    assert_null(command(m, "install-driver", NULL, NULL, TN_SHELL_SH));
    assert_string_equal(command(m, "see-card", NULL, NULL, TN_SHELL_SH), "lspci -nnk -d 10de:");
    assert_string_equal(command(m, "reload-module", NULL, NULL, TN_SHELL_SH),
                        "sudo modprobe -r nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe nvidia");
    /* Quotes, pipes, the user's name and globs of a template are the shell's; an argument never is. */
    assert_string_equal(command(m, "python-64-bit", NULL, NULL, TN_SHELL_SH),
                        "python3 -c 'import platform; print(platform.architecture())'");
    assert_string_equal(command(m, "drop-compat", NULL, NULL, TN_SHELL_SH), "ldconfig -p | grep libcuda.so");
    assert_string_equal(command(m, "hand-in-gpu", "lxc", NULL, TN_SHELL_SH), "ls -l /dev/nvidia*");
    assert_string_equal(command(m, "remove-linux-driver", "", NULL, TN_SHELL_SH), "find / -xdev -name 'libcuda.so*'");
    assert_string_equal(command(m, "pin-numpy", "pip", "|", TN_SHELL_SH), "'|' -m pip install 'numpy<2'");
    assert_string_equal(command(m, "pin-numpy", "pip", "/dev/*", TN_SHELL_SH), "'/dev/*' -m pip install 'numpy<2'");
    finish(m);
    start(m, "windows");
    assert_null(command(m, "reload-module", NULL, NULL, TN_SHELL_CMD));
    assert_string_equal(command(m, "use-wsl2", NULL, NULL, TN_SHELL_CMD), "wsl --install");
    /* PowerShell before 7 has no "&&". */
    assert_non_null(strstr(command(m, "use-tensorflow-2-10", NULL, NULL, TN_SHELL_POWERSHELL), "; conda run -n tf210"));
    assert_non_null(strstr(command(m, "use-tensorflow-2-10", NULL, NULL, TN_SHELL_CMD), " && conda run -n tf210"));
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill),    cmocka_unit_test(catalogue), cmocka_unit_test(every_check),
        cmocka_unit_test(quoting), cmocka_unit_test(commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
