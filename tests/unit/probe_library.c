/* Probes of toolkits, libraries, search orders and owners on composed machines. */
#include "probe_world.h"

#include "image/elf.h"

#define LIB "/usr/lib/x86_64-linux-gnu"

/* The least that the probe takes for an ELF library whose name tells its version: a header and one segment. */
static void put_elf(struct machine *m, const char *path, uint64_t segment, size_t size)
{
    unsigned char b[256] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    b[16] = TN_ET_DYN, b[18] = TN_EM_X86_64, b[20] = 1;
    b[32] = 64;            /* phoff */
    b[54] = 56, b[56] = 1; /* one program header */
    b[64] = 1;             /* PT_LOAD */
    for (unsigned i = 0; i < 8; i++)
        b[96 + i] = (unsigned char)(segment >> (8 * i));
    put_bytes(m, path, b, size);
}

static const struct tn_rec_library *library(struct machine *m, const char *path)
{
    for (size_t i = 0; i < m->s.library.n; i++)
        if (tn_says(m->s.library.v[i].path, path))
            return &m->s.library.v[i];
    fail_msg("no library row for %s", path);
    return NULL;
}

/* Debian's way: absolute links through alternatives, and dpkg's lists name the file behind them. */
static void one_row_behind_alternatives(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0");
    put_elf(&m, LIB "/nvidia/current/libcudart.so.11.8.89", 200, 256);
    put_link(&m, LIB "/nvidia/current/libcudart.so.11.0", "libcudart.so.11.8.89");
    put_link(&m, "/etc/alternatives/cudart", LIB "/nvidia/current/libcudart.so.11.0");
    put_link(&m, LIB "/libcudart.so.11.0", "/etc/alternatives/cudart");
    put_link(&m, LIB "/libcudart.so", "libcudart.so.11.0");
    put_link(&m, "/lib", "usr/lib");
    put(&m, "/var/lib/dpkg/status",
        "Package: bash\nStatus: install ok installed\nVersion: 5\n\nPackage: libcudart11.0\nStatus: install ok "
        "installed\n"
        "Architecture: amd64\nMulti-Arch: same\nVersion: 11.8.89~11.8.0-5\n\n");
    put(&m, "/var/lib/dpkg/info/libcudart11.0:amd64.list",
        "/.\n/lib/x86_64-linux-gnu/nvidia/current/libcudart.so.11.8.89\n");
    run_probes(&m);
    assert_int_equal(m.s.library.n, 1);
    const struct tn_rec_library *l = library(&m, LIB "/nvidia/current/libcudart.so.11.8.89");
    assert_fact(l->soname, "libcudart.so.11.0");
    assert_fact(l->version, "11.8.89");
    assert_fact(l->kind, "real");
    assert_fact(l->place, "system");
    assert_fact(l->owner, "libcudart11.0 11.8.89~11.8.0-5");
    assert_number(l->reachable, 1);
    assert_number(l->rank, 0);
    assert_number(l->bits, 64);
    close_machine(&m);
}

static void order_of_equal_names(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0");
    put_note(&m, TN_Q_ENV, "LD_LIBRARY_PATH", "/opt/none:/opt/mine;");
    put_elf(&m, LIB "/libnccl.so.2.18.5", 200, 256);
    put_link(&m, LIB "/libnccl.so.2", "libnccl.so.2.18.5");
    put_elf(&m, "/opt/mine/libnccl.so.2.20.3", 200, 256);
    put_link(&m, "/opt/mine/libnccl.so.2", "libnccl.so.2.20.3");
    put_elf(&m, "/usr/local/cuda-12.4/lib64/libnccl.so.2.19.1", 200, 256); /* nobody's folder, and no soname */
    put(&m, "/usr/local/cuda-12.4/version.txt", "CUDA Version 12.4.1\n");
    put(&m, "/usr/local/cuda-12.4/bin/nvcc", "#!/bin/sh\n");
    run_probes(&m);
    assert_number(library(&m, "/opt/mine/libnccl.so.2.20.3")->rank, 0);
    assert_fact(library(&m, "/opt/mine/libnccl.so.2.20.3")->place, "path");
    assert_number(library(&m, LIB "/libnccl.so.2.18.5")->rank, 1);
    assert_number(library(&m, "/usr/local/cuda-12.4/lib64/libnccl.so.2.19.1")->reachable, 0);
    assert_state(library(&m, "/usr/local/cuda-12.4/lib64/libnccl.so.2.19.1")->rank, TN_ABSENT);
    unsigned n = 0;
    for (size_t i = 0; i < m.s.search.n; i++)
        n += tn_says(m.s.search.v[i].by, "LD_LIBRARY_PATH");
    assert_int_equal(n, 3); /* the empty element at the end is the working folder */
    close_machine(&m);
}

static void a_folder_that_may_not_be_seen(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0");
    put_elf(&m, LIB "/libnccl.so.2.18.5", 200, 256);
    tn_tree_make(&m.r.files, "/usr/lib64/nvidia")->error = TN_DENIED;
    run_probes(&m);
    assert_int_equal(m.s.library.n, 1);
    assert_int_equal(m.s.library.listed, TN_DENIED);
    close_machine(&m);
}

/* A container that was committed with its driver: names without content. */
static void files_that_are_none(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0");
    put_bytes(&m, LIB "/libcuda.so.535.129.03", "", 0);
    put_link(&m, LIB "/libcuda.so.1", "libcuda.so.535.129.03");
    put_elf(&m, LIB "/libnccl.so.2.18.5", 100000, 256);
    put(&m, LIB "/libcudnn.so.8", "libcudnn.so.8.9.7");
    put(&m, LIB "/libcublas.so.12", "/* a linker script that is longer than the sixty-four bytes of a header */");
    put_link(&m, LIB "/libcufft.so.11", "nowhere");
    put_dir(&m, LIB "/libcurand.so.10");
    put_denied(&m, LIB "/libnvrtc.so.12");
    run_probes(&m);
    assert_fact(library(&m, LIB "/libcuda.so.535.129.03")->kind, "empty");
    assert_fact(library(&m, LIB "/libnccl.so.2.18.5")->kind, "empty");
    assert_fact(library(&m, LIB "/libcudnn.so.8")->kind, "empty");
    assert_state(library(&m, LIB "/libcublas.so.12")->kind, TN_FAILED);
    assert_state(library(&m, LIB "/libnvrtc.so.12")->kind, TN_DENIED);
    assert_int_equal(m.s.library.n, 5);
    assert_fact(TN_THE(&m.s, driver)->library_path, LIB "/libcuda.so.535.129.03");
    assert_state(TN_THE(&m.s, driver)->library_version, TN_FAILED);
    close_machine(&m);
}

static void one_toolkit_of_many_names(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0");
    put_note(&m, TN_Q_ENV, "CUDA_HOME", "/usr/local/cuda/");
    put_note(&m, TN_Q_ENV, "PATH", "/usr/local/bin:/usr/bin");
    put(&m, "/usr/local/cuda-13.0/bin/nvcc", "\177ELF");
    put(&m, "/usr/local/cuda-13.0/include/cuda.h", "/* x */\n#define CUDA_VERSION 13000\n");
    put_dir(&m, "/usr/local/cuda-13.0/dist-info/nvidia_cuda_nvcc-13.0.88.dist-info");
    put_dir(&m, "/usr/local/cuda-13.0/dist-info/nvidia_cudnn_cu13-9.19.0.56.dist-info");
    put_elf(&m, "/usr/local/cuda-13.0/lib/libcudnn_ops.so.9", 200, 256);
    put_link(&m, "/usr/local/cuda-13.0/lib64", "lib");
    put_link(&m, "/usr/local/cuda", "/etc/alternatives/cuda");
    put_link(&m, "/etc/alternatives/cuda", "/usr/local/cuda-13.0");
    put(&m, "/usr/local/bin/nvcc", "#!/bin/sh\nexec /usr/local/cuda-13.0/bin/nvcc \"$@\"\n");
    put_dir(&m, "/usr/local/cuda-12.2/compat"); /* cuda-compat alone is no toolkit */
    run_probes(&m);
    assert_int_equal(m.s.toolkit.n, 1);
    const struct tn_rec_toolkit *t = m.s.toolkit.v;
    assert_fact(t->path, "/usr/local/cuda-13.0");
    assert_int_equal(t->names.n, 1);
    assert_string_equal(t->names.v[0], "/usr/local/cuda");
    assert_fact(t->version, "13.0");
    assert_fact(t->nvcc, "13.0.88");
    assert_number(t->on_path, 1);
    const struct tn_rec_library *l = library(&m, "/usr/local/cuda-13.0/lib/libcudnn_ops.so.9");
    assert_fact(l->version, "9.19.0.56");
    assert_fact(l->place, "toolkit");
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_row_behind_alternatives),
                                       cmocka_unit_test(order_of_equal_names), cmocka_unit_test(files_that_are_none),
                                       cmocka_unit_test(one_toolkit_of_many_names),
                                       cmocka_unit_test(a_folder_that_may_not_be_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
