/* loader_search.c - the rules of glibc's search, one by one, over hand-made files. The real loader is the judge in
 * tests/real/loader_oracle.sh; here each rule can be seen to fail alone. */
#include "loader_disk.h"

/* LD_LIBRARY_PATH comes behind DT_RPATH and before DT_RUNPATH; the cache behind both; the folders last. */
static void order(void **state)
{
    static const char *const gone[] = {"/r", "/e", "/u", "/c"};
    (void)state;
    for (unsigned n = 0; n < 5; n++) {
        struct machine m;
        m_init(&m);
        m.p.library_path = "/e";
        m_program(&m, "", NULL, NULL);
        m_lib(&m, "/app/libold.so", NULL, "", "/r", NULL);
        m_lib(&m, "/app/libnew.so", NULL, "", NULL, "/u");
        m_cache(&m, "libx.so.1", "/c/libx.so.1", NULL);
        for (unsigned k = 0; k < 4; k++)
            if (k >= n)
                m_lib(&m, tn_arena_printf(&m.mem, "%s/libx.so.1", gone[k]), NULL, "", NULL, NULL);
        m_lib(&m, "/lib/libx.so.1", NULL, "", NULL, NULL);
        assert_true(m_start(&m, 0));
        assert_string_equal(m_open(&m, TN_PROGRAM, "/app/libold.so"), "/app/libold.so");
        assert_string_equal(m_open(&m, TN_PROGRAM, "/app/libnew.so"), "/app/libnew.so");
        const struct tn_search *s = tn_loader_probe(&m.l, m_object(&m, "/app/libold.so"), "libx.so.1");
        static const char *const with_rpath[] = {"/r/libx.so.1", "/e/libx.so.1", "/c/libx.so.1", "/c/libx.so.1",
                                                 "/lib/libx.so.1"};
        assert_string_equal(s->path, with_rpath[n]);
        s = tn_loader_probe(&m.l, m_object(&m, "/app/libnew.so"), "libx.so.1");
        static const char *const with_runpath[] = {"/e/libx.so.1", "/e/libx.so.1", "/u/libx.so.1", "/c/libx.so.1",
                                                   "/lib/libx.so.1"};
        assert_string_equal(s->path, with_runpath[n]);
        m_deinit(&m);
    }
}

/* DT_RPATH reaches the needs of needs, DT_RUNPATH does not; who has DT_RUNPATH hears no DT_RPATH. */
static void inheritance(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        struct machine m;
        m_init(&m);
        m_program(&m, "", NULL, NULL);
        m_lib(&m, "/app/a.so", NULL, "libb.so.1", n == 1 ? NULL : "/p", n == 1 ? "/p" : NULL);
        m_lib(&m, "/p/libb.so.1", "libb.so.1", "libc1.so.1", NULL, n == 2 ? "/none" : NULL);
        m_lib(&m, "/p/libc1.so.1", "libc1.so.1", "", NULL, NULL);
        assert_true(m_start(&m, 0));
        assert_string_equal(m_open(&m, TN_PROGRAM, "/app/a.so"), n == 0 ? "/app/a.so" : "stops");
        if (n) {
            const struct tn_search *s = &m.l.search[m.l.n_search - 1];
            assert_string_equal(s->error, "libc1.so.1: cannot open shared object file: No such file or directory");
            assert_int_equal(m.l.n_object, 2); /* what it had loaded is gone */
        }
        m_deinit(&m);
    }
}

/* Of who calls dlopen both tags count for the file, neither for its needs; of the program DT_RPATH does. */
static void opener(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        struct machine m;
        m_init(&m);
        m_program(&m, "", n == 2 ? "/p" : NULL, NULL);
        m_lib(&m, "/app/a.so", NULL, "", n == 0 ? "/p" : NULL, n == 1 ? "/p" : NULL);
        m_lib(&m, "/p/libb.so.1", NULL, "libc1.so.1", NULL, NULL);
        m_lib(&m, "/p/libc1.so.1", NULL, "", NULL, NULL);
        assert_true(m_start(&m, 0));
        m_open(&m, TN_PROGRAM, "/app/a.so");
        assert_string_equal(m_open(&m, m_object(&m, "/app/a.so"), "libb.so.1"), n == 2 ? "/p/libb.so.1" : "stops");
        m_deinit(&m);
    }
}

/* A name that was asked for, a DT_SONAME, the same file: served by what is loaded. */
static void loaded(void **state)
{
    struct machine m;
    (void)state;
    m_init(&m);
    m_program(&m, "", NULL, NULL);
    m_lib(&m, "/odd/place/renamed.so", "libcudnn.so.9", "", NULL, NULL);
    m_lib(&m, "/lib/libcudnn.so.9", "libcudnn.so.9", "", NULL, NULL);
    m_lib(&m, "/app/user.so", NULL, "libcudnn.so.9", NULL, NULL);
    m_lib(&m, "/lib/libalias.so", NULL, "", NULL, NULL);
    m_last(&m)->id = tn_fact_str(&m.s, 0, "/odd/place/renamed.so");
    assert_true(m_start(&m, 0));
    m_open(&m, TN_PROGRAM, "/odd/place/renamed.so");
    assert_string_equal(m_open(&m, TN_PROGRAM, "/app/user.so"), "/app/user.so");
    assert_int_equal(m_object(&m, "/lib/libcudnn.so.9"), TN_NO_OBJECT);
    assert_string_equal(m_open(&m, TN_PROGRAM, "libalias.so"), "/odd/place/renamed.so");
    assert_int_equal(tn_loader_loaded(&m.l, "libalias.so"), m_object(&m, "/odd/place/renamed.so"));
    assert_string_equal(m_open(&m, TN_PROGRAM, "/lib/libcudnn.so.9"), "/lib/libcudnn.so.9"); /* by path: another file */
    m_deinit(&m);
}

/* A run path that could not be read (longer than any real one), or whose $ORIGIN nobody knows: what is not found
 * elsewhere is not known, never missing; nor is what only comes after it certain. */
static void run_path_unknown(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        struct machine m;
        m_init(&m);
        m.p.cwd = n == 3 ? "/app" : NULL;
        m.p.library_path = n == 1 ? "/e" : "";
        m_program(&m, "", NULL, NULL);
        m_lib(&m, n < 2 ? "/app/a.so" : "sub/a.so", NULL, "", NULL, n < 2 ? NULL : "$ORIGIN");
        if (n < 2)
            m_last(&m)->rpath = m_last(&m)->runpath = tn_fact_nolist(0, TN_FAILED);
        m_lib(&m, n == 1 ? "/e/libx.so" : "/none/libx.so", NULL, "", NULL, NULL);
        assert_true(m_start(&m, 0));
        m_open(&m, TN_PROGRAM, n < 2 ? "/app/a.so" : "sub/a.so");
        const struct tn_search *s = tn_loader_open(&m.l, m_object(&m, n < 2 ? "/app/a.so" : "sub/a.so"), "libx.so");
        assert_int_equal(s->outcome, n == 3 ? TN_OUTCOME_MISSING : TN_OUTCOME_UNKNOWN);
        m_deinit(&m);
    }
}

/* Another class, another machine, no right to read: passed over. What is no library: the end. */
static void candidates(void **state)
{
    static const struct {
        const char *seen, *damage, *error;
        int bits, osabi;
        const char *machine;
    } rows[] = {
        {"none", NULL, NULL, 64, 0, "x86_64"},
        {"denied", NULL, NULL, 64, 0, "x86_64"},
        {"file", NULL, NULL, 32, 0, "x86_64"},
        {"file", NULL, NULL, 64, 0, "aarch64"},
        {"file", "type", NULL, 64, 0, "aarch64"}, /* the machine is asked first */
        {"folder", NULL, "cannot read file data: Is a directory", 64, 0, "x86_64"},
        {"file", "short", "file too short", 64, 0, "x86_64"},
        {"file", "not-elf", "invalid ELF header", 64, 0, "x86_64"},
        {"file", "encoding", "ELF file data encoding not little-endian", 64, 0, "x86_64"},
        {"file", NULL, "ELF file OS ABI invalid", 64, 9, "x86_64"},
        {"file", NULL, "ELF file ABI version invalid", 64, 3 + 256 * 9, "x86_64"},
        {"file", "type", "only ET_DYN and ET_EXEC can be loaded", 64, 0, "x86_64"},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct machine m;
        m_init(&m);
        m_program(&m, "", NULL, "/first:/second");
        m_lib(&m, "/first/libx.so", NULL, "", NULL, NULL);
        struct tn_rec_image *r = m_last(&m);
        r->seen = tn_fact_str(&m.s, 0, rows[i].seen);
        r->damage = tn_fact_str(&m.s, 0, rows[i].damage);
        r->bits = tn_fact_int(0, rows[i].bits);
        r->osabi = tn_fact_int(0, rows[i].osabi);
        r->machine = tn_fact_str(&m.s, 0, rows[i].machine);
        m_lib(&m, "/second/libx.so", NULL, "", NULL, NULL);
        assert_true(m_start(&m, 0));
        const struct tn_search *s = tn_loader_open(&m.l, TN_PROGRAM, "libx.so");
        if (!rows[i].error) {
            assert_int_equal(s->outcome, TN_OUTCOME_FOUND);
            assert_string_equal(s->path, "/second/libx.so");
        } else {
            assert_int_equal(s->outcome, TN_OUTCOME_STOPS);
            assert_string_equal(s->error, tn_arena_printf(&m.mem, "/first/libx.so: %s", rows[i].error));
        }
        m_deinit(&m);
    }
}

static void only_other_class(void **state)
{
    struct machine m;
    (void)state;
    m_init(&m);
    m_program(&m, "", NULL, NULL);
    m_lib(&m, "/lib/libx.so", NULL, "", NULL, NULL);
    m_last(&m)->bits = tn_fact_int(0, 32);
    m_start(&m, 0);
    const struct tn_search *s = tn_loader_open(&m.l, TN_PROGRAM, "libx.so");
    assert_int_equal(s->outcome, TN_OUTCOME_MISSING);
    assert_string_equal(s->error, "libx.so: wrong ELF class: ELFCLASS32");
    m_deinit(&m);
}

/* Tokens: both spellings, longest names, those of the object as it was opened; the program's links are resolved. */
static void tokens(void **state)
{
    static const struct {
        const char *entry, *folder; /* NULL: leads nowhere */
    } rows[] = {{"$ORIGIN", "/app"},
                {"${ORIGIN}/../x", "/app/../x"},
                {"$ORIGIN/$LIB", "/app/lib/x86_64-linux-gnu"},
                {"/p/${PLATFORM}", "/p/haswell"},
                {"$ORIGINAL/x", "$ORIGINAL/x"},
                {"$LIBX", "$LIBX"},
                {"/a//", "/a"},
                {"", ""}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct machine m;
        m_init(&m);
        m_program(&m, "", NULL, NULL);
        m_lib(&m, "/app/a.so", NULL, "", NULL, tn_arena_printf(&m.mem, "/none:%s", rows[i].entry));
        m_start(&m, 0);
        m_open(&m, TN_PROGRAM, "/app/a.so");
        const struct tn_search *s = tn_loader_probe(&m.l, m_object(&m, "/app/a.so"), "libx.so");
        size_t run = 0;
        for (size_t k = 0; k < s->n_step; k++)
            if (s->step[k].rule == TN_RULE_RUNPATH && run++)
                assert_string_equal(s->step[k].folder, rows[i].folder);
        assert_int_equal(run, 2);
        m_deinit(&m);
    }
}

static void program_origin(void **state)
{
    struct machine m;
    (void)state;
    m_init(&m);
    m.p.program = "/venv/bin/python";
    m_program(&m, "libpython.so.1", "$ORIGIN/../lib", NULL);
    m_last(&m)->real = tn_fact_str(&m.s, 0, "/opt/py/bin/python3.11");
    m_lib(&m, "/opt/py/bin/../lib/libpython.so.1", NULL, "", NULL, NULL);
    m_lib(&m, "/opt/py/lib/libpython.so.1", NULL, "", NULL, NULL);
    assert_true(m_start(&m, 0));
    assert_int_not_equal(m_object(&m, "/opt/py/bin/../lib/libpython.so.1"), TN_NO_OBJECT);
    m_deinit(&m);
}

static void hardware(void **state)
{
    struct machine m;
    (void)state;
    m_init(&m);
    m_program(&m, "", NULL, "/p");
    m_lib(&m, "/p/libx.so", NULL, "", NULL, NULL);
    m_lib(&m, "/p/glibc-hwcaps/x86-64-v2/libx.so", NULL, "", NULL, NULL);
    m_lib(&m, "/p/glibc-hwcaps/x86-64-v4/libx.so", NULL, "", NULL, NULL); /* the processor is not that new */
    m_cache(&m, "liby.so", "/c/v4/liby.so", "x86-64-v4");
    m_cache(&m, "liby.so", "/c/v2/liby.so", "x86-64-v2");
    m_cache(&m, "liby.so", "/c/v3/liby.so", "x86-64-v3");
    m_cache(&m, "liby.so", "/c/liby.so", NULL);
    for (unsigned i = 0; i < 4; i++) {
        static const char *const at[] = {"/c/v4/liby.so", "/c/v3/liby.so", "/c/v2/liby.so", "/c/liby.so"};
        m_lib(&m, at[i], NULL, "", NULL, NULL);
    }
    m_start(&m, 0);
    assert_string_equal(m_open(&m, TN_PROGRAM, "libx.so"), "/p/glibc-hwcaps/x86-64-v2/libx.so");
    assert_string_equal(m_open(&m, TN_PROGRAM, "liby.so"), "/c/v3/liby.so");
    m_deinit(&m);
}

static void nodeflib(void **state)
{
    struct machine m;
    (void)state;
    m_init(&m);
    m_program(&m, "", NULL, NULL);
    m_lib(&m, "/app/a.so", NULL, "", NULL, NULL);
    m_last(&m)->flags = m_list(&m, "nodeflib", ',');
    m_cache(&m, "libx.so", "/usr/lib/libx.so", NULL);
    m_cache(&m, "liby.so", "/usr/local/lib/liby.so", NULL);
    m_lib(&m, "/usr/lib/libx.so", NULL, "", NULL, NULL);
    m_lib(&m, "/usr/local/lib/liby.so", NULL, "", NULL, NULL);
    m_start(&m, 0);
    m_open(&m, TN_PROGRAM, "/app/a.so");
    assert_string_equal(m_open(&m, m_object(&m, "/app/a.so"), "libx.so"), "missing");
    assert_string_equal(m_open(&m, m_object(&m, "/app/a.so"), "liby.so"), "/usr/local/lib/liby.so");
    assert_string_equal(m_open(&m, TN_PROGRAM, "libx.so"), "/usr/lib/libx.so");
    m_deinit(&m);
}

/* LD_LIBRARY_PATH: both separators, empty elements are the working folder, ignored for setuid programs. */
static void environment(void **state)
{
    (void)state;
    for (unsigned secure = 0; secure < 2; secure++) {
        struct machine m;
        m_init(&m);
        m.p.secure = secure;
        m.p.library_path = "/none;/e:";
        m.p.preload = "libhook.so /e/libother.so libgone.so";
        m_program(&m, "", NULL, NULL);
        m_lib(&m, "/e/libx.so", NULL, "", NULL, NULL);
        m_lib(&m, "libcwd.so", NULL, "", NULL, NULL);
        m_lib(&m, "/usr/lib/libhook.so", NULL, "", NULL, NULL);
        m_lib(&m, "/e/libother.so", NULL, "", NULL, NULL);
        assert_true(m_start(&m, 0));
        assert_string_equal(m_open(&m, TN_PROGRAM, "libx.so"), secure ? "missing" : "/e/libx.so");
        assert_string_equal(m_open(&m, TN_PROGRAM, "libcwd.so"), secure ? "missing" : "libcwd.so");
        assert_int_not_equal(m_object(&m, "/usr/lib/libhook.so"), TN_NO_OBJECT);
        assert_int_equal(m_object(&m, "/e/libother.so") == TN_NO_OBJECT, secure);
        m_deinit(&m);
    }
}

/* What /etc/ld.so.preload names comes after LD_PRELOAD, in setuid programs too; what is missing is left out. */
static void preload_file(void **state)
{
    (void)state;
    for (unsigned secure = 0; secure < 2; secure++) {
        struct machine m;
        m_init(&m);
        m.p.secure = secure;
        m.p.preload = "libfirst.so";
        m.p.preload_file = m_list(&m, "/opt/libhook.so,libgone.so", ',');
        m_program(&m, "", NULL, NULL);
        m_lib(&m, "/usr/lib/libfirst.so", NULL, "", NULL, NULL);
        m_lib(&m, "/opt/libhook.so", NULL, "", NULL, NULL);
        assert_true(m_start(&m, 0));
        assert_int_equal(m_object(&m, "/usr/lib/libfirst.so"), 2);
        assert_int_equal(m_object(&m, "/opt/libhook.so"), 3);
        assert_int_equal(m.l.n_object, 4);
        m_deinit(&m);
    }
}

/* A search that tried nothing tells the reason of the one before the needs were mapped: as a rule that there is no
 * /etc/ld.so.preload. Without such a reason it tells none. */
static void old_reason(void **state)
{
    (void)state;
    for (unsigned file = 0; file < 2; file++) {
        struct machine m;
        m_init(&m);
        m.p.preload_file = m_list(&m, file ? "" : NULL, ',');
        m_program(&m, "libb.so", "/app", NULL);
        m_lib(&m, "/app/libb.so", "libb.so", "", NULL, "");
        m_last(&m)->flags = m_list(&m, "nodeflib", ',');
        assert_true(m_start(&m, 0));
        assert_string_equal(m_open(&m, m_object(&m, "/app/libb.so"), "libx.so"), "missing");
        assert_string_equal(m.l.search[m.l.n_search - 1].error,
                            file ? "libx.so: cannot open shared object file"
                                 : "libx.so: cannot open shared object file: No such file or directory");
        m_deinit(&m);
    }
}

/* A folder that is a loop of links is passed over, not the end of its list. */
static void folder_of_loops(void **state)
{
    struct machine m;
    (void)state;
    m_init(&m);
    m_program(&m, "", "/loop:/p", NULL);
    struct tn_rec_dir *d = TN_ADD(&m.s, dir);
    d->path = tn_fact_str(&m.s, 0, "/loop");
    d->exists = tn_fact_noint(0, TN_FAILED);
    m_lib(&m, "/p/libx.so", NULL, "", NULL, NULL);
    struct tn_rec_image *i = TN_ADD(&m.s, image);
    i->path = tn_fact_str(&m.s, 0, "/loop/libx.so");
    i->seen = tn_fact_str(&m.s, 0, "loop");
    assert_true(m_start(&m, 0));
    assert_string_equal(m_open(&m, TN_PROGRAM, "libx.so"), "/p/libx.so");
    m_deinit(&m);
}

static void versions(void **state)
{
    struct machine m;
    (void)state;
    m_init(&m);
    m_program(&m, "libstdc++.so.6", NULL, NULL);
    m_lib(&m, "/lib/libstdc++.so.6", "libstdc++.so.6", "", NULL, NULL);
    m_last(&m)->provides = m_list(&m, "GLIBCXX_3.4,GLIBCXX_3.4.29", ',');
    m_lib(&m, "/app/new.so", NULL, "libstdc++.so.6", NULL, NULL);
    m_last(&m)->requires = m_list(&m, "libstdc++.so.6:GLIBCXX_3.4,libstdc++.so.6:GLIBCXX_3.4.30", ',');
    m_lib(&m, "/app/weak.so", NULL, "libstdc++.so.6", NULL, NULL);
    m_last(&m)->requires = m_list(&m, "libstdc++.so.6:GLIBCXX_3.4.30?", ',');
    m_lib(&m, "/lib/libplain.so", "libplain.so", "", NULL, NULL);
    m_lib(&m, "/app/plain.so", NULL, "libplain.so", NULL, NULL);
    m_last(&m)->requires = m_list(&m, "libplain.so:PLAIN_1", ',');
    assert_true(m_start(&m, 0));
    const struct tn_search *s = tn_loader_open(&m.l, TN_PROGRAM, "/app/new.so");
    assert_int_equal(s->outcome, TN_OUTCOME_STOPS);
    assert_string_equal(s->error, "/lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by /app/new.so)");
    assert_string_equal(m_open(&m, TN_PROGRAM, "/app/weak.so"), "/app/weak.so");
    assert_string_equal(m_open(&m, TN_PROGRAM, "/app/plain.so"), "/app/plain.so");
    assert_int_equal(m.l.n_lack, 3);
    assert_true(m.l.lack[0].fatal && !m.l.lack[1].fatal && !m.l.lack[2].fatal);
    m_deinit(&m);
}

static void refused(void **state)
{
    static const struct {
        const char *flag, *version, *error;
    } rows[] = {
        {"exec", "2.36", "cannot dynamically load executable"},
        {"pie", "2.36", "cannot dynamically load position-independent executable"},
        {"no-dynamic", "2.36", "object file has no dynamic section"},
        {"noopen", "2.36", "shared object cannot be dlopen()ed"},
        {"exec-stack", "2.40", NULL},
        {"exec-stack", "2.41", "cannot enable executable stack as shared object requires: Invalid argument"},
        {"no-stack-header", "2.41", "cannot enable executable stack as shared object requires: Invalid argument"}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct machine m;
        m_init(&m);
        m.p.version = rows[i].version;
        m_program(&m, "", NULL, NULL);
        m_lib(&m, "/lib/libx.so", NULL, "", NULL, NULL);
        m_last(&m)->flags = m_list(&m, rows[i].flag, ',');
        m_start(&m, 0);
        const struct tn_search *s = tn_loader_open(&m.l, TN_PROGRAM, "libx.so");
        assert_int_equal(s->outcome, rows[i].error ? TN_OUTCOME_STOPS : TN_OUTCOME_FOUND);
        if (rows[i].error)
            assert_string_equal(s->error, tn_arena_printf(&m.mem, "libx.so: %s", rows[i].error));
        m_deinit(&m);
    }
}

/* What nobody looked at: not "missing". */
static void unknown(void **state)
{
    struct machine m;
    (void)state;
    m_init(&m);
    m.silent = true;
    m_program(&m, "", NULL, "/p");
    m_lib(&m, "/usr/lib/libx.so", NULL, "", NULL, NULL);
    m_lib(&m, "/q/libz.so", NULL, "liby.so", NULL, NULL);
    assert_true(m_start(&m, 0));
    const struct tn_search *s = tn_loader_open(&m.l, TN_PROGRAM, "libx.so");
    assert_int_equal(s->outcome, TN_OUTCOME_UNKNOWN);
    assert_null(s->error);
    assert_string_equal(m_open(&m, TN_PROGRAM, "/q/libz.so"), "unknown");
    m_deinit(&m);
}

static void shadowed(void **state)
{
    struct machine m;
    (void)state;
    m_init(&m);
    m.p.library_path = "/e";
    m_program(&m, "", NULL, "/p");
    m_lib(&m, "/e/libx.so", NULL, "", NULL, NULL);
    m_lib(&m, "/p/libx.so", NULL, "", NULL, NULL);
    m_lib(&m, "/lib/libx.so", NULL, "", NULL, NULL);
    m_last(&m)->id = tn_fact_str(&m.s, 0, "/e/libx.so"); /* the same file */
    m_start(&m, TN_LOADER_SHADOWS);
    const struct tn_search *s = tn_loader_open(&m.l, TN_PROGRAM, "libx.so");
    assert_string_equal(s->path, "/e/libx.so");
    assert_int_equal(s->n_shadowed, 1);
    assert_string_equal(s->shadowed[0], "/p/libx.so");
    m_deinit(&m);
}

/* As ldd: one stand-in for what is missing, then on. */
static void trace(void **state)
{
    struct machine m;
    (void)state;
    m_init(&m);
    m_program(&m, "libgone.so,libx.so", NULL, NULL);
    m_lib(&m, "/lib/libx.so", NULL, "libgone.so,libalso.so", NULL, NULL);
    assert_true(m_start(&m, TN_LOADER_TRACE));
    assert_int_equal(m.l.n_object, 5);
    assert_true(m.l.object[2].faked && !m.l.object[3].faked && m.l.object[4].faked);
    assert_false(m_start(&m, 0));
    assert_string_equal(tn_loader_start_error(&m.l)->error,
                        "libgone.so: cannot open shared object file: No such file or directory");
    m_deinit(&m);
}

/* Circles, thousands of needs, a run path of thousands of folders: an end, and no verdict beyond it. */
static void bounded(void **state)
{
    struct machine m;
    (void)state;
    m_init(&m);
    m_program(&m, "", NULL, NULL);
    m_lib(&m, "/lib/liba.so", "liba.so", "libb.so", NULL, NULL);
    m_lib(&m, "/lib/libb.so", "libb.so", "liba.so", NULL, NULL);
    enum { MANY = 3000 };
    const char **names = tn_arena_array(&m.mem, MANY, sizeof *names);
    for (unsigned i = 0; i < MANY; i++)
        names[i] = tn_arena_printf(&m.mem, "/lib/very/many/folders/%u", i);
    m_lib(&m, "/lib/libmany.so", "libmany.so", "", NULL, NULL);
    m_last(&m)->needed = tn_fact_list(&m.s, 0, names, MANY);
    m_last(&m)->runpath = tn_fact_list(&m.s, 0, names, MANY);
    for (unsigned i = 0; i < MANY; i++)
        names[i] = tn_arena_printf(&m.mem, "lib%u.so", i);
    m_lib(&m, "/lib/libgone.so", "libgone.so", "", NULL, NULL);
    for (unsigned i = 0; i < 2; i++) { /* a name of the greatest length */
        char *name = tn_arena_alloc(&m.mem, 4097);
        memset(name, 'x', 4096);
        names[i] = name;
    }
    m_last(&m)->needed = tn_fact_list(&m.s, 0, names, MANY);
    m_last(&m)->runpath = m.s.image.v[m.s.image.n - 2].runpath;
    assert_true(m_start(&m, TN_LOADER_TRACE));
    assert_string_equal(m_open(&m, TN_PROGRAM, "liba.so"), "/lib/liba.so");
    assert_string_equal(m_open(&m, TN_PROGRAM, "libmany.so"), "/lib/libmany.so");
    assert_string_equal(m_open(&m, TN_PROGRAM, "libgone.so"), "unknown");
    assert_true(m.l.limited);
    assert_string_equal(m_open(&m, TN_PROGRAM, "liba.so"), "unknown");
    m_deinit(&m);
}

/* musl: the environment first, run paths of all who brought it, a bare name of dlopen by the program's; no sonames. */
static void musl(void **state)
{
    static const char *const folder[] = {"/lib", "/usr/local/lib", "/usr/lib"};
    struct machine m;
    (void)state;
    m_init(&m);
    m.p.kind = TN_PROCESS_MUSL;
    m.p.defaults = folder;
    m.p.n_defaults = 3;
    m.p.n_hwcaps = 0;
    m.p.self = "/lib/ld-musl-x86_64.so.1";
    m.p.library_path = "/e";
    m_program(&m, "libc.musl-x86_64.so.1,liba.so", NULL, "/r");
    m_lib(&m, "/r/liba.so", "liba.so", "libb.so", NULL, NULL);
    m_lib(&m, "/r/libb.so", "libb.so", "", NULL, "/own");
    m_lib(&m, "/e/libx.so", NULL, "", NULL, NULL);
    m_lib(&m, "/r/libx.so", NULL, "", NULL, NULL);
    m_lib(&m, "/own/liby.so", NULL, "", NULL, NULL);
    m_lib(&m, "/opt/renamed.so", "libs.so", "", NULL, NULL);
    m_lib(&m, "/usr/lib/libs.so", "libs.so", "", NULL, NULL);
    assert_true(m_start(&m, 0));
    assert_int_not_equal(m_object(&m, "/r/libb.so"), TN_NO_OBJECT);
    assert_string_equal(m_open(&m, TN_PROGRAM, "libx.so"), "/e/libx.so");
    const struct tn_search *s = tn_loader_open(&m.l, m_object(&m, "/r/libb.so"), "liby.so");
    assert_int_equal(s->outcome, TN_OUTCOME_MISSING);
    m_open(&m, TN_PROGRAM, "/opt/renamed.so");
    assert_string_equal(m_open(&m, TN_PROGRAM, "libs.so"), "/usr/lib/libs.so");
    assert_string_equal(m_open(&m, TN_PROGRAM, "libpthread.so.0"), "/lib/ld-musl-x86_64.so.1");
    m_deinit(&m);
}

/* What musl alone does: a preload has no run path, a found file answers to its own name, tokens by their first letters,
 * paths beyond its buffer are passed over, a loop of links ends all. */
static void musl_alone(void **state)
{
    static const char *const folder[] = {"/lib"};
    struct machine m;
    char deep[520];
    (void)state;
    memset(deep, 'd', sizeof deep - 1);
    deep[0] = '/';
    deep[sizeof deep - 1] = 0;
    m_init(&m);
    m.p.kind = TN_PROCESS_MUSL;
    m.p.defaults = folder;
    m.p.n_defaults = 1;
    m.p.n_hwcaps = 0;
    m.p.self = "/lib/ld-musl-x86_64.so.1";
    m.p.preload = "libpre.so\tlibsys.so";
    m_program(&m, "", NULL, tn_arena_printf(&m.mem, "%s:/r", deep));
    m_lib(&m, "/r/libpre.so", NULL, "", NULL, NULL);
    m_lib(&m, "/lib/libsys.so", NULL, "liby.so", NULL, NULL);
    m_lib(&m, "/lib/liby.so", NULL, "", NULL, NULL);
    m_lib(&m, tn_arena_printf(&m.mem, "%s/libx.so", deep), NULL, "", NULL, NULL);
    m_lib(&m, "/r/libx.so", NULL, "", NULL, NULL);
    m_lib(&m, "/r/libo.so", NULL, "libz.so", NULL, "$ORIGINAL");
    m_lib(&m, "/rAL/libz.so", NULL, "", NULL, NULL);
    m_lib(&m, "/r/libbad.so", NULL, "libz.so", NULL, "/rAL:$LIB");
    assert_true(m_start(&m, 0));
    assert_int_equal(m_object(&m, "/r/libpre.so"), TN_NO_OBJECT); /* nobody's run path leads there */
    assert_int_not_equal(m_object(&m, "/lib/libsys.so"), TN_NO_OBJECT);
    assert_string_equal(m_open(&m, TN_PROGRAM, "libx.so"), "/r/libx.so");
    assert_string_equal(m_open(&m, TN_PROGRAM, "libbad.so"), "stops"); /* one bad token spoils all */
    assert_string_equal(m_open(&m, TN_PROGRAM, "libo.so"), "/r/libo.so");
    assert_int_not_equal(m_object(&m, "/rAL/libz.so"), TN_NO_OBJECT);
    m_deinit(&m);
}

/* A process as a snapshot tells of it. */
static void process(void **state)
{
    struct tn_snap s;
    struct tn_arena mem;
    struct tn_process p;
    (void)state;
    tn_snap_init(&s);
    tn_arena_init(&mem);
    struct tn_rec_host *h = TN_THE(&s, host);
    h->os = tn_fact_str(&s, 0, "linux");
    h->arch = tn_fact_str(&s, 0, "x86_64");
    h->libc = tn_fact_str(&s, 0, "glibc");
    h->libc_version = tn_fact_str(&s, 0, "2.36");
    static const char *const flags[] = {"abm",     "avx",   "avx2", "bmi1",   "bmi2",   "cx16",   "f16c",  "fma",
                                        "lahf_lm", "movbe", "pni",  "popcnt", "sse4_1", "sse4_2", "ssse3", "xsave"};
    TN_THE(&s, cpu)->flags = tn_fact_list(&s, 0, flags, TN_LEN(flags));
    TN_THE(&s, cpu)->vendor = tn_fact_str(&s, 0, "GenuineIntel");
    for (int64_t i = 0; i < 2; i++) {
        struct tn_rec_search *r = TN_ADD(&s, search);
        r->by = tn_fact_str(&s, 0, "default");
        r->rank = tn_fact_int(0, 1 - i);
        r->path = tn_fact_str(&s, 0, i ? "/lib/x86_64-linux-gnu" : "/usr/lib/x86_64-linux-gnu");
    }
    struct tn_rec_env *e = TN_ADD(&s, env);
    e->interpreter = tn_fact_str(&s, 0, "/venv/bin/python");
    e->machine = tn_fact_str(&s, 0, "x86_64");
    e->loader = tn_fact_str(&s, 0, "/lib64/ld-linux-x86-64.so.2");
    assert_true(tn_process_of(&s, e, &mem, &p));
    assert_int_equal(p.kind, TN_PROCESS_GLIBC);
    assert_string_equal(p.lib, "lib/x86_64-linux-gnu");
    assert_string_equal(p.platform, "haswell");
    assert_string_equal(p.hwcaps[0], "glibc-hwcaps/x86-64-v3");
    assert_string_equal(p.hwcaps[2], "tls/haswell/x86_64");
    assert_string_equal(p.hwcaps[p.n_hwcaps - 1], "x86_64");
    assert_string_equal(p.defaults[0], "/lib/x86_64-linux-gnu");
    h->libc_version = tn_fact_str(&s, 0, "2.37");
    assert_true(tn_process_of(&s, e, &mem, &p));
    assert_int_equal(p.n_hwcaps, 2);
    assert_false(p.foreign);
    e = &s.env.v[0];
    e->loader = tn_fact_str(&s, 0, "/nix/store/x-glibc-2.38/lib/ld-linux-x86-64.so.2");
    assert_true(tn_process_of(&s, e, &mem, &p));
    assert_true(p.foreign);
    e->loader = tn_fact_str(&s, 0, "/lib/ld-musl-x86_64.so.1");
    assert_true(tn_process_of(&s, e, &mem, &p));
    assert_int_equal(p.kind, TN_PROCESS_MUSL);
    h->os = tn_fact_str(&s, 0, "windows");
    assert_true(tn_process_of(&s, e, &mem, &p));
    assert_int_equal(p.kind, TN_PROCESS_WINDOWS);
    h->os = tn_fact_str(&s, 0, "macos");
    assert_false(tn_process_of(&s, e, &mem, &p));
    tn_snap_deinit(&s);
    tn_arena_deinit(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order),
        cmocka_unit_test(inheritance),
        cmocka_unit_test(opener),
        cmocka_unit_test(loaded),
        cmocka_unit_test(run_path_unknown),
        cmocka_unit_test(candidates),
        cmocka_unit_test(only_other_class),
        cmocka_unit_test(tokens),
        cmocka_unit_test(program_origin),
        cmocka_unit_test(hardware),
        cmocka_unit_test(nodeflib),
        cmocka_unit_test(environment),
        cmocka_unit_test(versions),
        cmocka_unit_test(refused),
        cmocka_unit_test(unknown),
        cmocka_unit_test(shadowed),
        cmocka_unit_test(trace),
        cmocka_unit_test(bounded),
        cmocka_unit_test(musl),
        cmocka_unit_test(musl_alone),
        cmocka_unit_test(process),
        cmocka_unit_test(preload_file),
        cmocka_unit_test(old_reason),
        cmocka_unit_test(folder_of_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
