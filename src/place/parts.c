/* parts.c - which archives of a list make a full set; see redist.h.
 *
 * A toolkit: what TensorFlow's and ONNX Runtime's wheels load (table cuda_libs, and the wheels' own NEEDED), what those
 * load in turn (libnvjitlink, from CUDA 12 on), and the compiler that XLA starts, which CUDA 13 has in three parts
 * (cuda_nvcc, libnvvm, cuda_crt). */
#include "base/str.h"
#include "place/redist.h"

static const struct {
    const char *component;
    bool always; /* else where the list has it: of another generation it is part of something else, or not needed */
} parts[] = {{"cuda_cudart", true}, {"cuda_cupti", true},    {"cuda_nvcc", true}, {"cuda_nvrtc", true},
             {"libcublas", true},   {"libcufft", true},      {"libcurand", true}, {"libcusolver", true},
             {"libcusparse", true}, {"libnvjitlink", false}, {"libnvvm", false},  {"cuda_crt", false}};

_Static_assert(TN_LEN(parts) <= TN_REDIST_PARTS, "more parts than room");

static const struct tn_redist *find(const struct tn_redist_list *l, const char *component, const char *platform,
                                    const char *cuda)
{
    for (size_t i = 0; i < l->n; i++)
        if (tn_str_eq(l->v[i].component, component) && tn_str_eq(l->v[i].platform, platform) &&
            (!*l->v[i].cuda || tn_str_eq(l->v[i].cuda, cuda)))
            return &l->v[i];
    return NULL;
}

int tn_redist_toolkit(const struct tn_redist_list *l, const char *platform, const struct tn_redist **ret,
                      unsigned *ret_n, struct tn_err *err)
{
    *ret_n = 0;
    for (unsigned i = 0; i < TN_LEN(parts); i++) {
        const struct tn_redist *e = find(l, parts[i].component, platform, "");
        if (!e && parts[i].always)
            return tn_err_set(err, TN_E_REFUSED, parts[i].component, "the list has no archive of it for %s", platform);
        if (e)
            ret[(*ret_n)++] = e;
    }
    return 0;
}

int tn_redist_cudnn(const struct tn_redist_list *l, const char *platform, const char *cuda,
                    const struct tn_redist **ret, struct tn_err *err)
{
    *ret = find(l, "cudnn", platform, cuda);
    return *ret ? 0
                : tn_err_set(err, TN_E_REFUSED, "cudnn", "the list has no archive of it for %s and CUDA %s", platform,
                             cuda);
}
