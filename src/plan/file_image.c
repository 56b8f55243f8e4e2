/* file_image.c - an image's configuration: what `docker inspect IMAGE` prints, or the configuration of an OCI image.
 *
 * Sources: OCI image specification, config.md (architecture, os, config.Env, config.Labels); Docker Engine API,
 * ImageInspect (Architecture, Config.Env); NVIDIA's CUDA images, Dockerfiles (CUDA_VERSION, NV_CUDNN_VERSION,
 * NVIDIA_REQUIRE_CUDA) and those of its frameworks (NVIDIA_TENSORFLOW_VERSION, NVIDIA_PYTORCH_VERSION). */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "plan/file.h"
#include "snapshot/json.h"

#define MAX_VALUE 8192u /* of a variable; CUDA's longest NVIDIA_REQUIRE_CUDA has some 1,000 bytes */

static const json_t *member(const json_t *j, const char *a, const char *b)
{
    const json_t *v = json_object_get(j, a);
    return v ? v : json_object_get(j, b);
}

static void require(const struct tn_wish_reader *r, struct tn_wish_file *f, const char *name, const char *value)
{
    const char *s = tn_arena_printf(r->mem, "%s=%s", name, value);
    tn_wish_line_add(r, f, TN_LINE_REQUIRE, 0, tn_span_str(s))->spec = s;
}

static void env(const struct tn_wish_reader *r, struct tn_wish_file *f, const char *s)
{
    static const char *const asked[] = {"NVIDIA_REQUIRE_CUDA=",  "NVIDIA_REQUIRE_DRIVER=",  "NVIDIA_REQUIRE_ARCH=",
                                        "NVIDIA_REQUIRE_BRAND=", "NVIDIA_DISABLE_REQUIRE=", "CUDA_VERSION=",
                                        "NV_CUDNN_VERSION=",     "CUDNN_VERSION=",          NULL};
    for (unsigned i = 0; asked[i]; i++)
        if (tn_str_starts(s, asked[i]) && strlen(s) >= MAX_VALUE)
            tn_wish_line_broken(r, f, 0, tn_span_of(s, TN_MAX_WISH_TEXT), "too long");
        else if (tn_str_starts(s, asked[i]))
            tn_wish_line_add(r, f, TN_LINE_REQUIRE, 0, tn_span_str(s))->spec = tn_arena_strdup(r->mem, s);
    if (tn_str_starts(s, "PYTHON_VERSION=") && tn_is_digit(s[15]))
        tn_wish_line_add(r, f, TN_LINE_PYTHON, 0, tn_span_str(s))->spec = tn_arena_strdup(r->mem, s + 15);
}

int tn_file_image(const struct tn_wish_reader *r, struct tn_span text, struct tn_wish_file *ret, struct tn_err *err)
{
    json_t *j = tn_json_load(text, err);
    if (!j)
        return TN_E_FORMAT;
    const json_t *image = json_is_array(j) ? json_array_get(j, 0) : j;
    const json_t *config = member(image, "Config", "config"), *list = member(config, "Env", "env"), *item;
    const char *arch = json_string_value(member(image, "Architecture", "architecture"));
    const json_t *labels = member(config, "Labels", "labels");
    const char *maker = json_string_value(json_object_get(labels, "maintainer"));
    bool is_config = json_is_object(config);
    size_t i;
    if (arch)
        require(r, ret, "architecture", arch);
    bool odd = list && !json_is_array(list) && !json_is_null(list);
    json_array_foreach(list, i, item)
    {
        odd = odd || !json_is_string(item);
        if (json_is_string(item))
            env(r, ret, json_string_value(item));
    }
    if (odd)
        tn_wish_line_broken(r, ret, 0, tn_span_str("Env"), "no list of settings");
    if (maker && tn_str_starts(maker, "NVIDIA"))
        require(r, ret, "maintainer", maker);
    json_decref(j);
    return is_config ? 0 : tn_err_set(err, TN_E_FORMAT, r->name, "no configuration of an image: it has no Config");
}
