/* Settings out of INI, TOML and YAML: as pip, uv and conda read them, and what hostile files do not do. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/conf.h"
#include "base/limits.h"

typedef void (*parse)(struct tn_span text, struct tn_arena *mem, struct tn_conf *ret);

/* "line section|key=value" of all, one a line. */
static void expect(parse fn, const char *text, const char *want, unsigned odd)
{
    struct tn_arena mem;
    struct tn_conf c;
    struct tn_buf b;
    tn_arena_init(&mem);
    tn_buf_init(&b);
    fn(tn_span_str(text), &mem, &c);
    for (size_t i = 0; i < c.n; i++)
        tn_buf_printf(&b, "%u %s|%s=%s\n", c.v[i].line, c.v[i].section, c.v[i].key, c.v[i].value);
    assert_string_equal(b.n ? b.p : "", want);
    assert_int_equal(c.odd, odd);
    tn_buf_deinit(&b);
    tn_arena_deinit(&mem);
}

/* Compared with Python 3.11: configparser.RawConfigParser().read_string(...). */
static void ini(void **state)
{
    (void)state;
    expect(
        tn_conf_ini,
        "\xEF\xBB\xBF[global]\r\nindex-url = https://a/simple\r\n# c\r\nExtra-Index-URL:\r\n    https://b\r\n\r\n"
        "    https://c\r\n[ Install ]\nx=1 ; stays\n",
        "2 global|index-url=https://a/simple\n4 global|extra-index-url=https://b\nhttps://c\n9 install|x=1 ; stays\n",
        0);
    expect(tn_conf_ini, "a=1\nnonsense\n b=2\n=x\n", "1 |a=1\n3 |b=2\n", 2);
    expect(tn_conf_ini, "[g]\n  k = 1\n  l = 2\n    3\n", "2 g|k=1\n3 g|l=2\n3\n", 0);
    expect(tn_conf_ini, "", "", 0);
}

static void toml(void **state)
{
    (void)state;
    expect(tn_conf_toml,
           "index-url = \"https://a\" # c\nextra-index-url = [\n  'https://b', # one\n  \"https://c\",\n]\n"
           "[[index]]\nname = \"t\"\nurl = \"https://d\"\ndefault = true\n[pip]\nn = 3\na.\"b c\".d = 'x'\n",
           "1 |index-url=https://a\n3 |extra-index-url=https://b\n4 |extra-index-url=https://c\n7 index|name=t\n"
           "8 index|url=https://d\n9 index|default=true\n11 pip|n=3\n12 pip|a.b c.d=x\n",
           0);
    expect(tn_conf_toml, "[tool.uv]\nindex = [{name = \"p\", url = \"https://d\"}, { url='e' }]\n",
           "2 tool.uv|index.name=p\n2 tool.uv|index.url=https://d\n2 tool.uv|index.url=e\n", 0);
    expect(tn_conf_toml, "a = \"\"\"\nx\\\n   y\"\"\"\nb = '''q'q'''\nc = \"\\u00e9\\\\\"\n",
           "1 |a=xy\n4 |b=q'q\n5 |c=\xC3\xA9\\\n", 0);
    expect(tn_conf_toml, "a = \nb = 1\nc == 2\nd = \"open\ne = 5\n", "2 |b=1\n5 |e=5\n", 1);
    expect(tn_conf_toml, "a = [[[[[[[[[[1]]]]]]]]]]\nb = 2\n", "2 |b=2\n", 1);
}

static void yaml(void **state)
{
    (void)state;
    expect(tn_conf_yaml,
           "channels:\n  - conda-forge # c\n  - 'https://a/b'\ndefault_channels:\n- https://m/main\nssl_verify: true\n"
           "custom_channels:\n  pytorch: https://t/cloud\nlist: [a, \"b\"]\nmap: {x: 1, y: '2'}\n",
           "2 |channels=conda-forge\n3 |channels=https://a/b\n5 |default_channels=https://m/main\n6 |ssl_verify=true\n"
           "8 |custom_channels.pytorch=https://t/cloud\n9 |list=a\n9 |list=b\n10 |map.x=1\n10 |map.y=2\n",
           0);
    expect(tn_conf_yaml, "a:\n  b:\n    - 1\n  c: 2\nd: &x 3\ne: |\n  text\nf: http://h:1/x#y\n",
           "3 |a.b=1\n4 |a.c=2\n8 |f=http://h:1/x#y\n", 5);
    expect(tn_conf_yaml, "- alone\n\tx: 1\n", "", 1);
}

/* More settings than anybody writes: counted out, not grown without end. */
static void bounded(void **state)
{
    static const parse all[] = {tn_conf_ini, tn_conf_toml, tn_conf_yaml};
    static const char *const one[] = {"a=1\n", "a=1\n", "a: 1\n"};
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        struct tn_arena mem;
        struct tn_conf c;
        struct tn_buf b;
        tn_arena_init(&mem);
        tn_buf_init(&b);
        for (unsigned i = 0; i < TN_MAX_CONF_ITEMS + 10; i++)
            tn_buf_str(&b, one[k]);
        all[k](tn_span_of(b.p, b.n), &mem, &c);
        assert_int_equal(c.n, TN_MAX_CONF_ITEMS);
        assert_int_equal(c.odd, TN_MAX_CONF_ITEMS + 1);
        tn_buf_deinit(&b);
        tn_arena_deinit(&mem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ini), cmocka_unit_test(toml), cmocka_unit_test(yaml),
                                       cmocka_unit_test(bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
