/* toolkit_version.c - see toolkit.h.
 *
 * Sources: version.json from CUDA 11.1 on, version.txt up to 11.0, CUDA_VERSION in cuda.h; toolkits made of NVIDIA's
 * wheels carry their dist-info; nvcc holds the
 * line that nvcc --version prints. */
#include "probe/toolkit.h"

#include <jansson.h>
#include <string.h>

#include "base/str.h"
#include "image/elf.h"
#include "version/dotted.h"

#define HEADER_BYTES 49152u /* CUDA_VERSION stands at byte 14,325 of cuda.h 13.0 */
#define NVCC_SCAN (4u << 20)
#define NVCC_STEP (64u << 10)
#define NVCC_TEXT 96u /* the text lies whole in one of two steps */

bool tn_probe_define(struct tn_span text, const char *name, uint64_t *ret)
{
    struct tn_span line;
    size_t len = strlen(name);
    while (tn_span_line(&text, &line)) {
        line = tn_span_trim(line);
        if (!tn_span_starts(line, "#define"))
            continue;
        line = tn_span_trim(tn_span_from(line, 7));
        if (!tn_span_starts(line, name) || line.n <= len || (line.p[len] != ' ' && line.p[len] != '\t'))
            continue;
        line = tn_span_trim(tn_span_from(line, len));
        size_t n = 0;
        while (n < line.n && tn_is_digit((char)line.p[n]))
            n++;
        return n && tn_str_u64((const char *)line.p, n, 10, ret);
    }
    return false;
}

/* {"cuda": {"name": "CUDA SDK", "version": "12.4.1"}, "cuda_nvcc": {...}, ...}. Some releases write a date as the third
 * part ("11.4.20210728"): it is left out. */
static const char *json_version(json_t *root, const char *part, struct tn_arena *mem)
{
    const char *v = json_string_value(json_object_get(json_object_get(root, part), "version"));
    uint64_t third;
    if (!v || !tn_version_dotted_ok(v))
        return NULL;
    if (tn_version_dotted_part(v, 2, &third) && third > 9999)
        v = tn_arena_strndup(mem, v, (size_t)(strchr(strchr(v, '.') + 1, '.') - v));
    return tn_arena_strdup(mem, v);
}

static void from_json(struct tn_probe_ctx *c, const struct tn_probe_toolkit *t, struct tn_str *cuda,
                      struct tn_str *nvcc)
{
    const char *path = tn_path_join(c->tmp, c->w->style, t->root, "version.json");
    struct tn_answer a = tn_world_read(c->w, c->tmp, path, 65536);
    if (a.got != TN_KNOWN)
        return;
    uint32_t src = tn_probe_src(c->s, "read", path, &a);
    json_t *root = json_loadb((const char *)a.data.p, a.data.n, JSON_REJECT_DUPLICATES, NULL);
    const char *v = json_version(root, "cuda", c->tmp), *n = json_version(root, "cuda_nvcc", c->tmp);
    if (v)
        *cuda = tn_fact_str(c->s, src, v);
    if (n)
        *nvcc = tn_fact_str(c->s, src, n);
    json_decref(root);
}

/* "CUDA Version 10.1.243" */
static void from_txt(struct tn_probe_ctx *c, const struct tn_probe_toolkit *t, struct tn_str *cuda)
{
    struct tn_answer a;
    const char *path = tn_path_join(c->tmp, c->w->style, t->root, "version.txt");
    const char *line = tn_probe_line(c, path, &a);
    if (line && tn_str_starts(line, "CUDA Version ") && tn_version_dotted_ok(line + 13))
        *cuda = tn_fact_str(c->s, tn_probe_src(c->s, "read", path, &a), line + 13);
}

static void from_header(struct tn_probe_ctx *c, const struct tn_probe_toolkit *t, struct tn_str *cuda)
{
    char text[TN_DOTTED_TEXT];
    uint64_t code;
    const char *path = tn_path_join(c->tmp, c->w->style, t->include, "cuda.h");
    struct tn_answer a = tn_world_part(c->w, c->tmp, path, 0, HEADER_BYTES);
    if (a.got == TN_KNOWN && tn_probe_define(a.data, "CUDA_VERSION", &code) && code < INT64_MAX &&
        tn_version_cuda_text((int64_t)code, text))
        *cuda = tn_fact_str(c->s, tn_probe_src(c->s, "read", path, &a), text);
}

struct tn_str tn_probe_cudnn_header(struct tn_probe_ctx *c, const struct tn_probe_toolkit *t)
{
    static const char *const macro[] = {"CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"};
    uint64_t n[3];
    const char *path = tn_path_join(c->tmp, c->w->style, t->include, "cudnn_version.h");
    struct tn_answer a = tn_world_part(c->w, c->tmp, path, 0, HEADER_BYTES);
    if (a.got != TN_KNOWN)
        return tn_fact_nostr(tn_probe_src(c->s, "read", path, &a), a.got);
    uint32_t src = tn_probe_src(c->s, "read", path, &a);
    for (unsigned i = 0; i < 3; i++)
        if (!tn_probe_define(a.data, macro[i], &n[i]) || n[i] > 9999)
            return tn_fact_nostr(src, TN_FAILED);
    return tn_fact_str(c->s, src, tn_arena_printf(c->tmp, "%u.%u.%u", (unsigned)n[0], (unsigned)n[1], (unsigned)n[2]));
}

/* "nvidia_cuda_nvcc-13.0.88.dist-info": 13.0.88 for the compiler, whose first two parts are the release. */
static void from_dist_info(struct tn_probe_ctx *c, const struct tn_probe_toolkit *t, struct tn_str *cuda,
                           struct tn_str *nvcc)
{
    static const char *const heads[] = {"nvidia_cuda_nvcc-", "nvidia_cuda_nvcc_cu12-", "nvidia_cuda_runtime-",
                                        "nvidia_cuda_runtime_cu12-"};
    const char *dir = tn_path_join(c->tmp, c->w->style, t->root, "dist-info");
    struct tn_answer a = tn_world_list(c->w, c->tmp, dir);
    for (size_t i = 0; i < a.n_entry; i++)
        for (unsigned k = 0; k < TN_LEN(heads); k++) {
            char two[TN_DOTTED_TEXT];
            const char *v = a.entry[i].name + strlen(heads[k]);
            if (!tn_str_starts(a.entry[i].name, heads[k]) || !tn_str_ends(v, ".dist-info"))
                continue;
            v = tn_arena_strndup(c->tmp, v, strlen(v) - 10);
            uint32_t src = tn_probe_src(c->s, "list", dir, &a);
            if (k < 2 && nvcc->k != TN_KNOWN && tn_version_dotted_ok(v))
                *nvcc = tn_fact_str(c->s, src, v);
            if (cuda->k != TN_KNOWN && tn_version_dotted_head(v, 2, two, sizeof two))
                *cuda = tn_fact_str(c->s, src, two);
        }
}

/* "Cuda compilation tools, release 13.0, V13.0.88" in a piece of .rodata; NULL if it is not there. */
static const char *v_text(struct tn_span s, struct tn_arena *mem)
{
    static const char head[] = "Cuda compilation tools, release ";
    size_t at = tn_span_find(s, 0, head, sizeof head - 1);
    size_t v = at == SIZE_MAX ? at : tn_span_find(s, at, ", V", 3);
    if (v == SIZE_MAX || v - at > 64)
        return NULL;
    size_t n = 0;
    for (v += 3; v + n < s.n && n < TN_DOTTED_TEXT && (tn_is_digit((char)s.p[v + n]) || s.p[v + n] == '.');)
        n++;
    const char *text = tn_arena_strndup(mem, (const char *)s.p + v, n);
    return tn_version_dotted_ok(text) && tn_version_dotted_count(text) == 3 ? text : NULL;
}

struct tn_str tn_probe_tool_version(struct tn_probe_ctx *c, const char *file)
{
    struct tn_world_file f;
    struct tn_elf e;
    struct tn_elf_section r;
    struct tn_span part;
    struct tn_str none = {0};
    if (tn_world_open(c->w, c->tmp, file, &f, NULL, NULL) || tn_image_elf_open(&f.view, c->tmp, &e, NULL) ||
        tn_image_elf_section(&e, &f.view, ".rodata", &r, NULL))
        return none;
    for (uint64_t at = 0; at < r.size && at < NVCC_SCAN; at += NVCC_STEP - NVCC_TEXT) {
        uint64_t n = r.size - at < NVCC_STEP ? r.size - at : NVCC_STEP;
        if (tn_view_at(&f.view, r.off + at, (size_t)n, &part, NULL))
            return none;
        const char *v = v_text(part, c->tmp);
        if (v)
            return tn_fact_str(c->s, tn_snap_src(c->s, TN_KNOWN, NULL, "read %s", file), v);
    }
    return none;
}

void tn_probe_toolkit_versions(struct tn_probe_ctx *c, const struct tn_probe_toolkit *t, struct tn_str *ret_cuda,
                               struct tn_str *ret_nvcc, struct tn_str *ret_ptxas)
{
    struct tn_str cuda = {0}, nvcc = {0};
    char two[TN_DOTTED_TEXT];
    from_json(c, t, &cuda, &nvcc);
    if (!tn_known(cuda))
        from_txt(c, t, &cuda);
    if (!tn_known(cuda))
        from_header(c, t, &cuda);
    if (!tn_known(cuda) || (t->nvcc && !tn_known(nvcc)))
        from_dist_info(c, t, &cuda, &nvcc);
    if (t->nvcc && !tn_known(nvcc))
        nvcc = tn_probe_tool_version(c, t->nvcc);
    if (!tn_known(cuda) && tn_known(nvcc) && tn_version_dotted_head(nvcc.v, 2, two, sizeof two))
        cuda = tn_fact_str(c->s, nvcc.src, two);
    *ret_cuda = cuda;
    if (t->nvcc)
        *ret_nvcc = nvcc;
    /* One package brings both in every form of the toolkit: NVIDIA's cuda-nvcc, its wheel, Debian's. */
    if (t->ptxas)
        *ret_ptxas = nvcc;
}
