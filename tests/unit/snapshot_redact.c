/* snapshot_redact.c - what may be shared: rules one by one, canaries over random snapshots, the second net. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/base64.h"
#include "snapshot/packages.h"
#include "snapshot/read.h"
#include "snapshot/redact.h"
#include "snapshot/redact_rules.h"
#include "snapshot/write.h"
#include "snapshot_random.h"

/* Names of people, machines and firms, secrets, addresses: none may ever be seen. */
static const char *const canaries[] = {"quasarina",
                                       "root2",
                                       "annabel-li",
                                       "jdoe42",
                                       "\xE7\x8E\x8B\xE5\xB0\x8F\xE6\x98\x8E",
                                       "\xE2\x80\xAE_evilname",
                                       "host-10-43-136-14",
                                       "node7.corp.example",
                                       "gpu-box-17",
                                       "fe80::1ff:fe23:4567:890a",
                                       "10.43.136.14",
                                       "52:54:00:ab:cd:ef",
                                       "1324519045678",
                                       "4c4c4544-0042-3510-8051",
                                       "acme-internal",
                                       "projectzeus",
                                       "zeus_training",
                                       "hunter2!",
                                       "s3cr3tpassw0rd",
                                       "ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789",
                                       "hf_AbCdEfGhIjKlMnOpQrStUvWxYz012345",
                                       "AKIAIOSFODNN7EXAMPLE",
                                       "glpat-aaaabbbbccccddddeeee",
                                       "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
                                       "ann.li@corp.example",
                                       "caf\xC3\xA9-maria",
                                       "m\xC3\xBCller",
                                       "o'hara",
                                       "joe bloggs",
                                       "weird\"quote",
                                       "back\\slash",
                                       "tab\there",
                                       "new\nline",
                                       "\x1b[31mcolour",
                                       "not\xFFutf8\xFE",
                                       "UPPERCASE",
                                       "MiXeD_CaSe",
                                       "with.dot.inside",
                                       "percent%41",
                                       "plus+sign",
                                       "tilde~name",
                                       "semi;colon1",
                                       "hash#tag",
                                       "dollar$HOME1",
                                       "star*name",
                                       "question?mark",
                                       "ampersand&x",
                                       "(parens)",
                                       "[brackets]",
                                       "{braces}",
                                       "equals=sign",
                                       "comma,name",
                                       "colon:name",
                                       "slurmjob99871",
                                       "partition_hopper",
                                       "cluster-orion9",
                                       "customer-fjord",
                                       "serial0F3A99",
                                       "labmouse",
                                       "pharma_x",
                                       "unicorn7",
                                       "zxcvbnm1",
                                       "kerberos_tgt",
                                       "cookie=deadbeef",
                                       "svc-deploy",
                                       "bastion01",
                                       "backup_of_thesis"};
#define N_CANARIES TN_LEN(canaries)

static const char *canary(void)
{
    return canaries[random_below((unsigned)N_CANARIES)];
}

static const char *around(struct tn_snap *s, const char *const *form, unsigned n)
{
    return tn_arena_printf(&s->mem, form[random_below(n)], canary());
}

/* A text of the field's class with a canary inside, or for public fields a text that must survive. */
#define FORM(...)                                                                                                      \
    do {                                                                                                               \
        static const char *const form[] = {__VA_ARGS__};                                                               \
        return around(s, form, (unsigned)TN_LEN(form));                                                                \
    } while (0)

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static const char *planted(struct tn_snap *s, const struct tn_field_desc *f)
{
    static const char *const public[] = {"535.183.01",
                                         "12.4.1.0",
                                         "NVIDIA GeForce RTX 3090",
                                         "libcudart.so.11.0",
                                         "0000:01:00.0",
                                         "x86_64",
                                         "8.6",
                                         "debian",
                                         "2.10.0+cu118",
                                         "py310h1234_0"};
    switch (f->privacy) {
    case TN_CLASS_PUBLIC: return public[random_below(TN_LEN(public))];
    case TN_CLASS_PATH:
        FORM("/home/%s", "/home/%s/venv/lib/python3.10/site-packages/nvidia/cudnn/lib/libcudnn.so.8", "/data/%s/x",
             "C:\\Users\\%s\\AppData\\Local\\Programs\\Python", "/mnt/c/Users/%s/anaconda3", "/opt/%s/bin",
             "/usr/local/%s/lib", "/media/%s", "%s/relative", "/nfs/envs/%s/lib/libcudart.so.12", "\\\\%s\\share\\x",
             "/srv/%s", "/var/lib/%s/x", "/proc/12/root/%s", "/home/", "/usr/home/%s/x", "%s", "$ORIGIN/../%s",
             "/home/a/wheels/%s-1.0.whl", "/opt/conda/envs/%s", "/opt/conda/envs/%s/lib/python3.9/site-packages/torch",
             "D:/%s/CUDA/v11.8", "/dev/mapper/%s", "/tmp/%s.sock", "//%s//x");
    case TN_CLASS_PACKAGE: FORM("%s", "private-%s", "tensorflow @ https://u:%s@x.example/tf.whl");
    case TN_CLASS_URL:
        FORM("https://user:%s@pypi.org/simple", "https://%s.example/simple", "https://conda.anaconda.org/t/%s/channel",
             "https://pypi.org/simple?token=%s", "https://pypi.org/simple#%s", "%s", "conda-forge,%s,defaults",
             "/home/%s/wheels", "http://a:b/%s@host.example/x", "%s://pypi.org/simple", "https://pypi.org/%s/simple",
             "[\"%s\"]", "file:///home/%s/x");
    case TN_CLASS_KERNEL: FORM("5.15.0-91-%s", "6.1.0+%s", "NVRM: Xid (PCI:0000:01:00): 79, pid=4, name=%s", "%s");
    case TN_CLASS_ENVIRONMENT:
        FORM("/usr/lib:/home/%s/lib:/opt/cuda/lib64", "%s", "0,%s", "--xla_dump_to=/home/%s/x",
             "/usr/lib:http://u:%s@h/x", "C:\\Users\\%s\\bin;C:\\Windows\\System32", "a=%s b", ":%s::", "cu118:%s");
    default: return canary();
    }
}

static void plant(struct tn_snap *s, unsigned rec, void *row, const struct tn_field_desc *f)
{
    static const char *const variables[] = {"PATH",       "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES",
                                            "XLA_FLAGS",  "LD_PRELOAD",      "CONDA_DEFAULT_ENV",
                                            "NCCL_DEBUG", "WSL_DISTRO_NAME"};
    enum tn_know k = random_below(4) ? TN_KNOWN : (enum tn_know)random_below(5);
    static const char *const asked[] = {"read /home/%s/x",
                                        "list /data/%s",
                                        "env %s",
                                        "run /usr/bin/pip --token %s",
                                        "get https://u:%s@pypi.org/x",
                                        "table %s",
                                        "%s",
                                        "sys %s",
                                        "reg HKLM\\SOFTWARE\\%s"};
    static const char *const tags[] = {"/home/%s/lib", "/data/%s", "%s/relative", "$ORIGIN%s", "/opt/%s/$LIB"};
    uint32_t src = 0;
    if (random_below(2))
        src = tn_snap_src(s, k, random_below(2) ? canary() : NULL, "%s", around(s, asked, (unsigned)TN_LEN(asked)));
    char *p = (char *)row + f->offset;
    const char *one =
        rec == TN_REC_variable && strcmp(f->name, "name") == 0
            ? (random_below(9) ? variables[random_below(TN_LEN(variables))] : canary())
        : rec == TN_REC_image && f->privacy == TN_CLASS_PATH && (f->kind == TN_KIND_PATHS || f->kind == TN_KIND_LIST)
            ? around(s, tags, (unsigned)TN_LEN(tags)) /* the folder of the file is as public as the file */
        : strcmp(f->name, "package") == 0 || (rec == TN_REC_dist && strcmp(f->name, "name") == 0)
            ? (random_below(2) ? "tensorflow" : planted(s, f))
            : planted(s, f);
    const char *list[3] = {one, rec == TN_REC_image ? one : planted(s, f), rec == TN_REC_image ? one : planted(s, f)};
    if (f->kind == TN_KIND_INT || f->kind == TN_KIND_BOOL)
        *(struct tn_int *)(void *)p =
            k == TN_KNOWN ? tn_fact_int(src, f->privacy == TN_CLASS_PUBLIC ? 1 : 41943017) : tn_fact_noint(src, k);
    else if (f->kind == TN_KIND_LIST || f->kind == TN_KIND_PATHS)
        *(struct tn_list *)(void *)p =
            k == TN_KNOWN ? tn_fact_list(s, src, list, random_below(4)) : tn_fact_nolist(src, k);
    else
        *(struct tn_str *)(void *)p = k == TN_KNOWN ? tn_fact_str(s, src, one) : tn_fact_nostr(src, k);
}

static void planted_snap(struct tn_snap *s)
{
    tn_snap_init(s);
    for (unsigned rec = 0; rec < TN_REC_COUNT; rec++) {
        const struct tn_rec_desc *d = &tn_schema[rec];
        for (unsigned i = d->one ? 0 : random_below(4); i; i--)
            tn_snap_add(s, (enum tn_rec_id)rec);
        for (size_t i = 0; i < tn_snap_rows(s, rec)->n; i++)
            for (unsigned k = 0; k < d->n_field; k++)
                plant(s, rec, tn_snap_row(s, rec, i), &d->field[k]);
    }
    static const char *const os[] = {"linux", "windows", "macos"};
    TN_THE(s, host)->os = tn_fact_str(s, 0, os[random_below(3)]);
    s->extra = tn_arena_printf(&s->mem, "{\"later\": \"%s\"}", "acme-internal");
}

/* The needle in any case; base64 of it at 3 offsets and hexadecimal as well. */
static const char *seen(struct tn_span text, const char *needle)
{
    static char folded[1 << 20];
    char small[256], padded[160] = {0};
    size_t n = strlen(needle);
    struct tn_buf b;
    const char *how = NULL;
    assert_true(text.n < sizeof folded);
    for (size_t i = 0; i < text.n; i++)
        folded[i] = tn_lower((char)text.p[i]);
    for (size_t i = 0; i < n; i++)
        small[i] = tn_lower(needle[i]);
    if (tn_span_find(tn_span_of(folded, text.n), 0, small, n) != SIZE_MAX)
        how = "as it is";
    tn_buf_init(&b);
    for (size_t off = 0; off < 3 && !how; off++) {
        memset(padded, 0, sizeof padded);
        memcpy(padded + off, needle, n);
        tn_buf_clear(&b);
        tn_base64_encode(&b, tn_span_of(padded, (n + off) / 3 * 3));
        size_t from = off ? off + 1 : 0;
        if (b.n > from + 6 && tn_span_find(text, 0, b.p + from, b.n - from) != SIZE_MAX)
            how = "base64";
    }
    tn_buf_clear(&b);
    for (size_t i = 0; i < n; i++)
        tn_buf_printf(&b, "%02x", (unsigned char)needle[i]);
    if (!how && tn_span_find(tn_span_of(folded, text.n), 0, b.p, b.n) != SIZE_MAX)
        how = "hexadecimal";
    tn_buf_deinit(&b);
    return how;
}

static bool hidden(const struct tn_snap *s, unsigned rec, size_t i)
{
    if (rec == TN_REC_dist)
        return tn_known(s->dist.v[i].name) &&
               (strchr(s->dist.v[i].name.v, ' ') || !tn_package_is_public(s->dist.v[i].name.v));
    if (rec == TN_REC_variable)
        return !tn_known(s->variable.v[i].name) ||
               tn_redact_variable_kind(s->variable.v[i].name.v) == TN_REDACT_UNLISTED;
    return false;
}

/* Every public fact of the original stands in the copy, and every state but those of never. */
static void public_kept(const struct tn_snap *s, const struct tn_snap *t, unsigned seed)
{
    struct tn_buf a, b;
    tn_buf_init(&a);
    tn_buf_init(&b);
    for (unsigned rec = 0; rec < TN_REC_COUNT; rec++) {
        size_t at = 0;
        assert_int_equal(tn_snap_rows(s, rec)->listed, tn_snap_rows(t, rec)->listed);
        for (size_t i = 0; i < tn_snap_rows(s, rec)->n; i++) {
            if (hidden(s, rec, i))
                continue;
            for (unsigned k = 0; k < tn_schema[rec].n_field; k++) {
                const struct tn_field_desc *f = &tn_schema[rec].field[k];
                const void *x = tn_snap_row(s, rec, i), *y = tn_snap_row(t, rec, at);
                if (f->privacy != TN_CLASS_PUBLIC)
                    continue;
                tn_field_text(x, f, &a);
                tn_field_text(y, f, &b);
                if (tn_field_know(x, f, NULL) != tn_field_know(y, f, NULL) || strcmp(a.p, b.p) != 0)
                    fail_msg("seed %u: %s.%s: %s became %s", seed, tn_schema[rec].name, f->name, a.p, b.p);
            }
            at++;
        }
        assert_int_equal(at, tn_snap_rows(t, rec)->n);
    }
    tn_buf_deinit(&a);
    tn_buf_deinit(&b);
}

static void no_canary(void **state)
{
    unsigned leaks = 0;
    (void)state;
    for (unsigned i = 0; i < random_count(500); i++) {
        struct tn_snap s, t, u;
        struct tn_buf b;
        struct tn_err err;
        struct tn_redact_count count;
        random_seed(i + 1000);
        planted_snap(&s);
        tn_buf_init(&b);
        if (tn_snapshot_redact(&s, &t, &count, &err))
            fail_msg("seed %u: %s: %s", i + 1000, err.place, err.text);
        tn_snapshot_write(&t, &b);
        for (size_t k = 0; k < N_CANARIES; k++) {
            const char *how = seen(tn_span_of(b.p, b.n), canaries[k]);
            if (how)
                print_error("seed %u: %s seen %s\n", i + 1000, canaries[k], how), leaks++;
        }
        assert_null(strstr(b.p, "41943017"));
        assert_true(t.redacted);
        assert_int_equal(count.unknown, 1);
        public_kept(&s, &t, i + 1000);
        assert_int_equal(tn_snapshot_read(tn_span_of(b.p, b.n), &u, &err), 0);
        tn_snap_deinit(&s);
        tn_snap_deinit(&t);
        tn_snap_deinit(&u);
        tn_buf_deinit(&b);
        if (leaks)
            fail();
    }
}

static void rule(struct tn_redactor *r, void (*fn)(struct tn_redactor *, const char *, struct tn_buf *), const char *in,
                 const char *out)
{
    struct tn_buf b;
    tn_buf_init(&b);
    fn(r, in, &b);
    if (strcmp(b.p, out) != 0)
        fail_msg("%s became %s, not %s", in, b.p, out);
    tn_buf_deinit(&b);
}

static void add_env(struct tn_snap *s, const char *id, const char *path)
{
    struct tn_rec_env *e = TN_ADD(s, env);
    e->id = tn_fact_str(s, 0, id);
    e->path = tn_fact_str(s, 0, path);
}

static void paths(void **state)
{
    static const char *const rows[][2] = {
        {"/home/ann/x.txt", "~/dir1"},
        {"/home/ann", "~"},
        {"/home/annabel/work", "/home/user2/dir2"},
        {"/home/ann/.local/lib/python3.10/site-packages/nvidia/cudnn/lib/libcudnn.so.8",
         "~/.local/lib/python3.10/site-packages/nvidia/cudnn/lib/libcudnn.so.8"},
        {"/home/ann/venv/bin/python", "ENV1/bin/python"},
        {"/home/ann/venv2/bin/python", "~/dir3/bin/python"},
        {"/data/envs/tf/lib/python3.10/site-packages/nvidia_cudnn_cu12-9.1.0.70.dist-info",
         "ENV2/lib/python3.10/site-packages/nvidia_cudnn_cu12-9.1.0.70.dist-info"},
        {"/data/envs/tf/lib/python3.10/site-packages/secret_sauce/x.so", "ENV2/lib/python3.10/site-packages/dir4/dir5"},
        {"/home/linuxbrew/.linuxbrew/lib", "/home/linuxbrew/.linuxbrew/lib"},
        {"/gnu/store/lib", "/gnu/store/lib"},
        {"/usr", "/usr"},
        {"/usr/lib/x86_64-linux-gnu/libcuda.so.535.183.01", "/usr/lib/x86_64-linux-gnu/libcuda.so.535.183.01"},
        {"/usr/local/cuda-11.8/targets/x86_64-linux/lib/libwhatever.so",
         "/usr/local/cuda-11.8/targets/x86_64-linux/lib/libwhatever.so"},
        {"/usr/local/cuda/lib64/stubs", "/usr/local/cuda/lib64/stubs"},
        {"/usr/local/acme/bin", "/usr/local/dir6/bin"},
        {"/opt/cuda/lib64/anything", "/opt/cuda/lib64/anything"},
        {"/opt/conda/lib", "/opt/conda/lib"},
        {"/opt/acme/lib/libcudart.so.12", "/opt/dir6/lib/libcudart.so.12"},
        {"/usr/lib/wsl/lib/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"},
        {"/mnt/c/Users/Ann Li/AppData/Local", "/mnt/c/Users/user3/AppData/Local"},
        {"/mnt/c/Windows/System32", "/mnt/c/Windows/System32"},
        {"C:\\Users\\ann\\miniconda3\\envs\\x", "C:\\Users\\user1\\miniconda3\\envs\\dir7"},
        {"C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.8\\bin",
         "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.8\\bin"},
        {"/dev/nvidia0", "/dev/nvidia0"},
        {"/proc/driver/nvidia/version", "/proc/driver/nvidia/version"},
        {"/proc/4711/maps", "/proc/dir8/dir9"},
        {"/scratch/ann/x", "/dir10/user1/dir7"},
        {"$ORIGIN/../../nvidia/cudnn/lib", "$ORIGIN/../../nvidia/cudnn/lib"},
        {"", ""},
        {"/", "/"},
    };
    struct tn_snap s;
    struct tn_redactor r;
    (void)state;
    tn_snap_init(&s);
    TN_THE(&s, host)->os = tn_fact_str(&s, 0, "linux");
    TN_THE(&s, host)->user = tn_fact_str(&s, 0, "ann");
    TN_THE(&s, host)->home = tn_fact_str(&s, 0, "/home/ann/");
    add_env(&s, "env1", "/home/ann/venv");
    add_env(&s, "env7", "/data//envs/tf/");
    add_env(&s, "env8", "/usr");
    tn_redactor_init(&r, &s);
    for (size_t i = 0; i < TN_LEN(rows); i++)
        rule(&r, tn_redact_path, rows[i][0], rows[i][1]);
    tn_redactor_deinit(&r);
    tn_snap_deinit(&s);
}

static void values(void **state)
{
    static const char *const urls[][2] = {
        {"https://pypi.org/simple", "https://pypi.org/simple"},
        {"https://ann:pw@pypi.org:443/simple?x=1#y", "https://pypi.org/simple"},
        {"https://download.pytorch.org/whl/cu118", "https://download.pytorch.org/whl/cu118"},
        {"https://nexus.acme.example/repository/pypi/simple", "index1"},
        {"http://u:p/w@nexus.acme.example/x", "index1"},
        {"https://conda.anaconda.org/t/abc-123/chan", "https://conda.anaconda.org/dir1/dir2/dir3"},
        {"conda-forge, defaults,acme", "conda-forge, defaults,index2"},
        {"true", "true"},
    };
    static const char *const sources[][2] = {
        {"read /etc/os-release", "read /etc/os-release"},
        {"described", "described"},
        {"table gpus", "table gpus"},
        {"env LD_LIBRARY_PATH", "env LD_LIBRARY_PATH"},
        {"env AWS_SECRET", "env"},
        {"run /usr/bin/pip --token x", "run /usr/bin/pip"},
        {"read /home/joe/x", "read /home/user1/dir4"},
        {"joe says", "looked"},
        {"sys release", "sys release"},
        {"", ""},
    };
    static const char *const variables[][3] = {
        {"CUDA_VISIBLE_DEVICES", "0,1", "0,1"},
        {"CUDA_VISIBLE_DEVICES", "-1", "-1"},
        {"CUDA_VISIBLE_DEVICES", "", ""},
        {"CUDA_VISIBLE_DEVICES", "GPU-8f4e7a12-aaaa-bbbb-cccc-0123456789ab,1", "gpu1,1"},
        {"CUDA_VISIBLE_DEVICES", "hunter2", "other"},
        {"TF_GPU_ALLOCATOR", "cuda_malloc_async", "cuda_malloc_async"},
        {"XLA_FLAGS", "--xla_gpu_cuda_data_dir=/home/joe/cuda --xla_x=true",
         "--xla_gpu_cuda_data_dir=/home/user1/cuda --xla_x=true"},
        {"LD_LIBRARY_PATH", "/usr/local/cuda/lib64::/home/joe/l", "/usr/local/cuda/lib64::/home/user1/dir5"},
        {"NVIDIA_REQUIRE_CUDA", "cuda>=11.7 brand=tesla,driver>=450,driver<451",
         "cuda>=11.7 brand=tesla,driver>=450,driver<451"},
        {"NVIDIA_DRIVER_CAPABILITIES", "compute,utility", "compute,utility"},
        {"TORCH_CUDA_ARCH_LIST", "8.0;8.6+PTX", "8.0;8.6+PTX"},
        {"CONDA_DEFAULT_ENV", "thesis", "name1"},
        {"CONDA_DEFAULT_ENV", "base", "base"},
        {"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True,max_split_size_mb:512",
         "expandable_segments:True,max_split_size_mb:512"},
    };
    static const char *const kernels[][2] = {{"5.15.0-91-generic", "5.15.0-91"},
                                             {"6.1.0-acme", "6.1.0"},
                                             {"10.0.19045", "10.0.19045"},
                                             {"4.18.0-305.el8.x86_64", "4.18.0-305"},
                                             {"5.15.153.1-microsoft-standard-WSL2", "5.15.153.1"},
                                             {"NVRM: Xid", ""},
                                             {"", ""}};
    struct tn_snap s;
    struct tn_redactor r;
    struct tn_buf b;
    (void)state;
    tn_snap_init(&s);
    tn_redactor_init(&r, &s);
    tn_buf_init(&b);
    for (size_t i = 0; i < TN_LEN(urls); i++)
        rule(&r, tn_redact_url, urls[i][0], urls[i][1]);
    for (size_t i = 0; i < TN_LEN(sources); i++)
        rule(&r, tn_redact_source, sources[i][0], sources[i][1]);
    for (size_t i = 0; i < TN_LEN(variables); i++) {
        tn_buf_clear(&b);
        tn_redact_variable(&r, variables[i][0], variables[i][1], &b);
        assert_string_equal(b.n ? b.p : "", variables[i][2]);
    }
    for (size_t i = 0; i < TN_LEN(kernels); i++) {
        tn_buf_clear(&b);
        assert_int_equal(tn_redact_kernel(kernels[i][0], &b), *kernels[i][1] != 0);
        assert_string_equal(b.n ? b.p : "", kernels[i][1]);
    }
    tn_buf_clear(&b);
    tn_redact_credentials("https://ann:p@w:x@nexus.acme.example:8080/simple/?t=1", &b);
    assert_string_equal(b.p, "https://nexus.acme.example:8080/simple/");
    tn_buf_deinit(&b);
    tn_redactor_deinit(&r);
    tn_snap_deinit(&s);
}

/* The same name is the same everywhere, and env ids stay those of the order of env. */
static void consistent(void **state)
{
    struct tn_snap s, t;
    struct tn_err err;
    (void)state;
    tn_snap_init(&s);
    TN_THE(&s, host)->user = tn_fact_str(&s, 0, "marlene");
    add_env(&s, "alpha", "/data/alpha");
    add_env(&s, "beta", "/data/beta");
    TN_ADD(&s, library)->env = tn_fact_str(&s, 0, "beta");
    s.library.v[0].path = tn_fact_str(&s, 0, "/data/beta/lib/libcudnn.so.8");
    TN_ADD(&s, framework)->env = tn_fact_str(&s, 0, "alpha");
    TN_ADD(&s, process)->user = tn_fact_str(&s, 0, "marlene");
    s.process.v[0].pid = tn_fact_int(0, 4711);
    s.process.v[0].name = tn_fact_str(&s, 0, "train.py");
    TN_THE(&s, container)->gpus = tn_fact_str(&s, 0, "GPU-8f4e7a12-aaaa-bbbb-cccc-0123456789ab");
    TN_ADD(&s, gpu)->uuid = tn_fact_str(&s, 0, "GPU-8f4e7a12-aaaa-bbbb-cccc-0123456789ab");
    TN_ADD(&s, modprobe)->value = tn_fact_str(&s, 0, "off"); /* "alias nvidia off" forbids the module */
    TN_ADD(&s, modprobe)->value = tn_fact_str(&s, 0, "/home/marlene/start");
    assert_int_equal(tn_snapshot_redact(&s, &t, NULL, &err), 0);
    assert_true(tn_says(t.modprobe.v[0].value, "off"));
    assert_int_equal(t.modprobe.v[1].value.k, TN_UNASKED);
    assert_true(tn_says(TN_THE(&t, host)->user, "user1"));
    assert_true(tn_says(t.process.v[0].user, "user1"));
    assert_true(tn_is(t.process.v[0].pid, 1));
    assert_int_equal(t.process.v[0].name.k, TN_UNASKED);
    assert_true(tn_says(t.env.v[1].id, "env2"));
    assert_true(tn_says(t.library.v[0].env, "env2"));
    assert_true(tn_says(t.library.v[0].path, "ENV2/lib/libcudnn.so.8"));
    assert_true(tn_says(t.framework.v[0].env, "env1"));
    assert_true(tn_says(t.gpu.v[0].uuid, "gpu1"));
    assert_true(tn_says(TN_THE(&t, container)->gpus, "gpu1"));
    struct tn_snap u;
    struct tn_buf a, b;
    tn_buf_init(&a);
    tn_buf_init(&b);
    assert_int_equal(tn_snapshot_redact(&t, &u, NULL, &err), 0); /* twice is once */
    tn_snapshot_write(&t, &a);
    tn_snapshot_write(&u, &b);
    assert_string_equal(a.p, b.p);
    tn_buf_deinit(&a);
    tn_buf_deinit(&b);
    tn_snap_deinit(&s);
    tn_snap_deinit(&t);
    tn_snap_deinit(&u);
}

static void second_net(void **state)
{
    static const char *const caught[] = {"x marlene-k y",
                                         "MARLENE-K",
                                         "bWFybGVuZS1r",
                                         "eG1hcmxlbmUta3h4",
                                         "eHhtYXJsZW5lLWt4",
                                         "6d61726c656e652d6b",
                                         "6D61726C656E652D6B",
                                         "NODE7",
                                         "node7.corp.example",
                                         "corp.example",
                                         "/home/marlene-k/x",
                                         "%2Fhome%2Fmarlene-k",
                                         "w\\u00fcrfel",
                                         "w%c3%bcrfel",
                                         "-----BEGIN RSA PRIVATE KEY-----",
                                         "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
                                         "ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789",
                                         "hf_AbCdEfGhIjKlMnOpQrStUvWxYz012345",
                                         "AKIAIOSFODNN7EXAMPLE",
                                         "https://ann:pw@pypi.org/simple"};
    static const char *const passed[] = {"",
                                         "abc",
                                         "linux",
                                         "https://pypi.org/simple",
                                         "12.4.1.0",
                                         "xhf_AbCdEfGhIjKlMnOpQrStUvWxYz012345",
                                         "marlene",
                                         "https://pypi.org:443/a@b",
                                         "ghp_short",
                                         "xannax",
                                         "/usr/lib/annuity"};
    struct tn_snap s, t;
    struct tn_err err;
    (void)state;
    tn_snap_init(&s);
    TN_THE(&s, host)->user = tn_fact_str(&s, 0, "marlene-k");
    TN_THE(&s, host)->name = tn_fact_str(&s, 0, "node7.corp.example");
    TN_THE(&s, host)->home = tn_fact_str(&s, 0, "/home/marlene-k");
    TN_ADD(&s, env)->name = tn_fact_str(&s, 0, "w\xC3\xBCrfel");
    TN_ADD(&s, env)->name = tn_fact_str(&s, 0, "anna");
    TN_ADD(&s, env)->name = tn_fact_str(&s, 0, "tensorflow"); /* says nothing */
    for (size_t i = 0; i < TN_LEN(caught); i++)
        if (tn_redact_search(&s, tn_span_str(caught[i]), &err) != TN_E_REFUSED)
            fail_msg("%s went through", caught[i]);
    for (size_t i = 0; i < TN_LEN(passed); i++)
        if (tn_redact_search(&s, tn_span_str(passed[i]), &err))
            fail_msg("%s: %s", passed[i], err.text);
    /* A public field that tells the name is refused, with the field. */
    struct tn_rec_toolkit *k = TN_ADD(&s, toolkit);
    k->owner = tn_fact_str(&s, 0, "cuda-of-marlene-k");
    memset(&t, 0xA5, sizeof t);
    assert_int_equal(tn_snapshot_redact(&s, &t, NULL, &err), TN_E_REFUSED);
    assert_string_equal(err.place, "toolkit[0].owner");
    assert_null(strstr(err.text, "marlene"));
    assert_int_equal(((unsigned char *)&t)[0], 0xA5);
    tn_snap_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths),      cmocka_unit_test(values),    cmocka_unit_test(consistent),
        cmocka_unit_test(second_net), cmocka_unit_test(no_canary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
