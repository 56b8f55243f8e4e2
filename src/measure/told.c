/* told.c - see told.h. */
#include "measure/told.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "os/os.h"

void tn_tell_failed(const char *what, const char *call, const char *error, const char *text)
{
    tn_tell("failed what=%s call=%s error=%s text=%s", what, call, error, text);
}

void tn_told_verdict(struct tn_buf *ret, const char *what, enum tn_precision p, const struct tn_ref_verdict *v,
                     const char *device, const char *placed)
{
    tn_buf_printf(
        ret, "result what=%s precision=%s device=%s status=%s worst=%.3g off=%.3g bound=%.3g wrong=%llu first=%llu",
        what, tn_precision_word(p), device, v->right ? "pass" : "fail", v->worst, v->off, v->bound,
        (unsigned long long)v->wrong, (unsigned long long)v->first);
    tn_buf_printf(ret, " text=%s", placed ? placed : "");
}

bool tn_tell_verdict(const char *what, enum tn_precision p, const struct tn_ref_verdict *v, const char *device,
                     const char *placed)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_told_verdict(&b, what, p, v, device, placed);
    tn_tell("%s", b.p);
    tn_buf_deinit(&b);
    return v->right;
}

bool tn_tell_matmul(const struct tn_ref_matmul *r, enum tn_precision asked, enum tn_precision or_else,
                    const void *result, const char *device, const char *placed)
{
    struct tn_ref_verdict v, looser;
    tn_ref_check_matmul(r, asked, result, &v);
    if (v.right || asked == or_else)
        return tn_tell_verdict("matmul", asked, &v, device, placed);
    tn_ref_check_matmul(r, or_else, result, &looser);
    return looser.right ? tn_tell_verdict("matmul", or_else, &looser, device, placed)
                        : tn_tell_verdict("matmul", asked, &v, device, placed);
}

bool tn_tell_conv(const struct tn_ref_conv *r, enum tn_precision asked, enum tn_precision or_else, const void *result,
                  const char *device, const char *placed)
{
    struct tn_ref_verdict v, looser;
    tn_ref_check_conv(r, asked, result, &v);
    if (v.right || asked == or_else)
        return tn_tell_verdict("convolution", asked, &v, device, placed);
    tn_ref_check_conv(r, or_else, result, &looser);
    return looser.right ? tn_tell_verdict("convolution", or_else, &looser, device, placed)
                        : tn_tell_verdict("convolution", asked, &v, device, placed);
}

/* Of CUDA, its driver and cuDNN, by the beginning of the file's name. */
static bool is_cuda(const char *path)
{
    static const char *const stems[] = {"libcuda.", "libcudart",   "libcublas",    "libcudnn",
                                        "libcufft", "libcusolver", "libcusparse",  "libcurand",
                                        "libnccl",  "libnvrtc",    "libnvJitLink", "libcupti"};
    const char *name = strrchr(path, '/');
    for (unsigned i = 0; name && i < TN_LEN(stems); i++)
        if (tn_str_starts(name + 1, stems[i]))
            return true;
    return false;
}

/* Source: proc(5), /proc/pid/maps: the path is the last column. */
void tn_tell_loaded(void)
{
    struct tn_buf b;
    uint64_t size;
    static char known[16384] = "\n"; /* one path a line: told already, by another layer in this process */
    size_t n_known = strlen(known);
    tn_buf_init(&b);
    if (tn_os_read(NULL, "/proc/self/maps", 0, TN_MAX_TEXT_FILE, &b, &size, NULL) == 0) {
        struct tn_span rest = tn_span_of(b.p, b.n), line;
        while (tn_span_line(&rest, &line)) {
            size_t at = tn_span_find(line, 0, "/", 1);
            char path[TN_MAX_PATH_BYTES + 2]; /* between line feeds */
            if (at == SIZE_MAX || line.n - at >= TN_MAX_PATH_BYTES)
                continue;
            int n = snprintf(path, sizeof path, "\n%.*s\n", (int)(line.n - at), line.p + at);
            if (!is_cuda(path) || strstr(known, path))
                continue;
            tn_tell("loaded text=%.*s", n - 2, path + 1);
            if (n_known + (size_t)n <= sizeof known) {
                memcpy(known + n_known, path + 1, (size_t)n);
                n_known += (size_t)n - 1;
            }
        }
    }
    tn_buf_deinit(&b);
}
