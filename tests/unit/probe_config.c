/* The probe config: which files of which installer count, in which order, and that no secret is taken over. */
#include "probe_world.h"

#include "snapshot/redact.h"
#include "snapshot/write.h"

/* "by section key value" of all rows, one a line. */
static void expect_rows(struct machine *m, const char *want)
{
    struct tn_buf b;
    tn_buf_init(&b);
    for (size_t i = 0; i < m->s.config.n; i++) {
        const struct tn_rec_config *r = &m->s.config.v[i];
        tn_buf_printf(&b, "%s %s %s %s\n", r->by.v, tn_known(r->section) ? r->section.v : "-",
                      tn_known(r->key) ? r->key.v : tn_know_word(r->key.k),
                      tn_known(r->value) ? r->value.v : tn_know_word(r->value.k));
    }
    assert_string_equal(b.n ? b.p : "", want);
    tn_buf_deinit(&b);
}

static void put_user(struct machine *m)
{
    put_linux(m, "6.1.0-37-amd64");
    put_note(m, TN_Q_ENV, "HOME", "/home/ada");
    put_note(m, TN_Q_SYS, "cwd", "/home/ada/p/q");
}

static void pip_order(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_user(&m);
    put(&m, "/etc/xdg/pip/pip.conf", "[global]\nindex-url = https://one/simple\n");
    put(&m, "/etc/pip.conf", "[global]\nindex-url = https://two/simple\n[user]\nx = 1\n");
    put(&m, "/home/ada/.pip/pip.conf", "[global]\nindex_url = https://three/simple\n");
    put(&m, "/home/ada/.config/pip/pip.conf",
        "[install]\n--extra-index-url =\n  https://four/simple\n  https://five/simple\npassword = x\n");
    put(&m, "/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
    put(&m, "/v/bin/python3", "x");
    put(&m, "/v/pip.conf", "[global]\nno-index = true\n");
    put_note(&m, TN_Q_ENV, "VIRTUAL_ENV", "/v");
    put_note(&m, TN_Q_ENV, "PIP_INDEX_URL", "https://six/simple");
    run_probes(&m);
    expect_rows(&m, "pip global index-url https://one/simple\npip global index-url https://two/simple\n"
                    "pip global index-url https://three/simple\npip install extra-index-url https://four/simple\n"
                    "pip install extra-index-url https://five/simple\npip global no-index true\n"
                    "pip environment index-url https://six/simple\n");
    assert_fact(m.s.config.v[0].path, "/etc/xdg/pip/pip.conf");
    assert_int_equal(m.s.config.listed, TN_KNOWN);
    close_machine(&m);
}

/* PIP_CONFIG_FILE stands in for the user's files; /dev/null for all of them. */
static void pip_config_file(void **state)
{
    struct machine m;
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        open_machine(&m, "linux");
        put_user(&m);
        put(&m, "/etc/pip.conf", "[global]\nindex-url = https://two/simple\n");
        put(&m, "/home/ada/.config/pip/pip.conf", "[global]\nindex-url = https://four/simple\n");
        put(&m, "/x.conf", "[global]\nindex-url = https://x/simple\n");
        put_note(&m, TN_Q_ENV, "PIP_CONFIG_FILE", i ? "/dev/null" : "/x.conf");
        run_probes(&m);
        expect_rows(&m, i ? "" : "pip global index-url https://two/simple\npip global index-url https://x/simple\n");
        close_machine(&m);
    }
}

static void uv_of_the_project(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_user(&m);
    put(&m, "/etc/uv/uv.toml", "index-url = \"https://sys/simple\"\n");
    put(&m, "/home/ada/.config/uv/uv.toml", "[pip]\ntorch-backend = \"cu128\"\n");
    put(&m, "/home/ada/p/q/pyproject.toml", "[tool.black]\nline = 3\n");
    put(&m, "/home/ada/p/pyproject.toml",
        "[project]\nname='x'\n[[tool.uv.index]]\nname = \"t\"\nurl = \"https://t/whl/cu128\"\nexplicit = true\n");
    put(&m, "/home/ada/uv.toml", "index-url = \"https://too-far/simple\"\n");
    run_probes(&m);
    expect_rows(&m, "uv - index-url https://sys/simple\nuv pip torch-backend cu128\nuv index url https://t/whl/cu128\n"
                    "uv index explicit true\n");
    close_machine(&m);
}

static void condarc(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_user(&m);
    put(&m, "/home/ada/.condarc",
        "channels:\n  - defaults\ndefault_channels:\n  - https://mirrors.tuna.tsinghua.edu.cn/anaconda/pkgs/main\n"
        "custom_channels:\n  pytorch: https://mirrors.tuna.tsinghua.edu.cn/anaconda/cloud\n");
    put(&m, "/home/ada/miniconda3/.condarc", "channels: [conda-forge]\n");
    put(&m, "/home/ada/miniconda3/condarc.d/a.yml", "channel_priority: strict\n");
    put_note(&m, TN_Q_ENV, "CONDA_EXE", "/home/ada/miniconda3/bin/conda");
    run_probes(&m);
    expect_rows(&m, "conda - channels conda-forge\nconda - channel_priority strict\nconda - channels defaults\n"
                    "conda - default_channels https://mirrors.tuna.tsinghua.edu.cn/anaconda/pkgs/main\n"
                    "conda - custom_channels https://mirrors.tuna.tsinghua.edu.cn/anaconda/cloud\n");
    close_machine(&m);
}

static void windows(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "windows");
    put_note(&m, TN_Q_SYS, "release", "10.0.19045");
    put_note(&m, TN_Q_ENV, "USERPROFILE", "C:\\Users\\ada");
    put_note(&m, TN_Q_ENV, "APPDATA", "C:\\Users\\ada\\AppData\\Roaming");
    put_note(&m, TN_Q_ENV, "ProgramData", "C:\\ProgramData");
    put(&m, "C:\\ProgramData\\pip\\pip.ini", "[global]\r\nindex-url = https://a/simple\r\n");
    put(&m, "C:\\Users\\ada\\AppData\\Roaming\\pip\\pip.ini", "[global]\r\nindex-url = https://b/simple\r\n");
    put(&m, "C:\\Users\\ada\\.condarc", "channels:\r\n  - conda-forge\r\n");
    put(&m, "C:\\Users\\ada\\_netrc", "machine x login y password z\r\n");
    put_note(&m, TN_Q_ENV, "HTTPS_PROXY", "http://ada:pw@proxy:8080");
    run_probes(&m);
    expect_rows(&m, "pip global index-url https://a/simple\npip global index-url https://b/simple\n"
                    "conda - channels conda-forge\nnetrc - file present\n"
                    "environment environment HTTPS_PROXY http://proxy:8080\n");
    close_machine(&m);
}

static void others(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_user(&m);
    put(&m, "/home/ada/.config/pypoetry/config.toml",
        "cache-dir = \"/c\"\n[virtualenvs]\nin-project = true\n[repositories.mine]\nurl = \"https://u:p@r/simple\"\n");
    put(&m, "/home/ada/.config/pdm/config.toml", "[pypi]\nurl = \"https://r/simple\"\npassword = \"geheim\"\n");
    put_note(&m, TN_Q_ENV, "https_proxy", "ada:pw@proxy:8080");
    put_note(&m, TN_Q_ENV, "SSL_CERT_FILE", "/etc/ssl/corp.pem");
    put_denied(&m, "/etc/pip.conf");
    run_probes(&m);
    expect_rows(&m, "pip - denied denied\npoetry - cache-dir /c\npoetry virtualenvs in-project true\n"
                    "poetry repositories url https://r/simple\npdm pypi url https://r/simple\n"
                    "environment environment https_proxy proxy:8080\n"
                    "environment environment SSL_CERT_FILE /etc/ssl/corp.pem\n");
    close_machine(&m);
}

/* Shapes in which installers' own documentation writes secrets into URLs. */
static void secrets(void **state)
{
    static const char *const url[][2] = {
        {"https://ada:geheim@pypi.corp.example/simple", "https://pypi.corp.example/simple"},
        {"https://geheimtoken0123456789@pypi.fury.io/ada", "https://pypi.fury.io/ada"},
        {"https://ada:ge/heim@host/simple", "https://host/simple"},
        {"https://ada:ge%40heim@host:8443/simple", "https://host:8443/simple"},
        {"https://ada:ge,heim@comma/simple", "https://comma/simple"},
        {"https://ada:ge heim@blank/simple", "https://blank/simple"},
        {"https://host/simple?token=geheim", "https://host/simple"},
        {"https://host/simple#geheim", "https://host/simple"},
        {"https://conda.anaconda.org/t/ad-geheim/ch", "https://conda.anaconda.org/t/***/ch"},
        {"https://h/artifactory/AKCp8geheim0123456789abcdef/simple", "https://h/artifactory/***/simple"},
        {"git+https://ghp_geheim0123456789012345@github.com/a/b", "git+https://github.com/a/b"},
        {"https://download.pytorch.org/whl/cu128", "https://download.pytorch.org/whl/cu128"},
        {"https://h/api/v4/projects/12345678/packages/pypi/simple",
         "https://h/api/v4/projects/12345678/packages/pypi/simple"},
    };
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_user(&m);
    struct tn_buf conf, json;
    struct tn_snap shared;
    struct tn_err err;
    tn_buf_init(&conf);
    tn_buf_init(&json);
    tn_buf_str(&conf, "[global]\nextra-index-url =\n");
    for (size_t i = 0; i < TN_LEN(url); i++)
        tn_buf_printf(&conf, "    %s\n", url[i][0]);
    put(&m, "/etc/pip.conf", conf.p);
    put_note(&m, TN_Q_ENV, "UV_INDEX", "corp=https://ada:x,geheim@h/simple https://b/simple");
    run_probes(&m);
    assert_int_equal(m.s.config.n, TN_LEN(url) + 2);
    for (size_t i = 0; i < TN_LEN(url); i++)
        assert_fact(m.s.config.v[i].value, url[i][1]);
    assert_fact(m.s.config.v[TN_LEN(url)].value, "corp=https://h/simple");
    tn_snapshot_write(&m.s, &json);
    assert_null(strstr(json.p, "geheim"));
    assert_int_equal(tn_snapshot_redact(&m.s, &shared, NULL, &err), 0);
    tn_snap_deinit(&shared);
    tn_buf_deinit(&conf);
    tn_buf_deinit(&json);
    close_machine(&m);
}

/* A plain verdict asks for nothing that no check reads. */
static void plain(void **state)
{
    struct machine m;
    struct tn_want want = {.plain = true};
    struct tn_err err;
    (void)state;
    open_machine(&m, "linux");
    put_user(&m);
    put(&m, "/etc/pip.conf", "[global]\nindex-url = https://two/simple\n");
    put(&m, "/home/ada/.condarc", "channels: [x]\n");
    put_note(&m, TN_Q_ENV, "HTTP_PROXY", "http://p:1");
    assert_int_equal(tn_world_replay(&m.r, &m.w, &err), 0);
    tn_probe_all(m.w, &want, &m.s);
    expect_rows(&m, "pip global index-url https://two/simple\n");
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pip_order),         cmocka_unit_test(pip_config_file),
                                       cmocka_unit_test(uv_of_the_project), cmocka_unit_test(condarc),
                                       cmocka_unit_test(windows),           cmocka_unit_test(others),
                                       cmocka_unit_test(secrets),           cmocka_unit_test(plain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
