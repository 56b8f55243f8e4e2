/* fuzz_wishes.c - hostile files of wishes: the first byte says which kind; whatever comes, lines have their texts and
 * wishes stay within their bounds. A file that names others gets itself. A wheel is judged for a machine without facts.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/wheel.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static int itself(void *ctx, const char *path, struct tn_span *ret, struct tn_err *err)
{
    (void)err;
    if (strlen(path) > 64)
        return TN_E_NOTFOUND;
    *ret = *(struct tn_span *)ctx;
    return 0;
}

static int read_wheel(struct tn_wish_reader *r, struct tn_span text, struct tn_wish_file *ret, struct tn_err *err)
{
    struct tn_view v = tn_view_of_span(&text);
    struct tn_wheel_file w;
    struct tn_fits *f = tn_arena_alloc(r->mem, sizeof *f);
    struct tn_snap s;
    r->name = "dir/a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
    int rc = tn_wheel_file_read(r, &v, &w, ret, err);
    tn_snap_init(&s);
    if (rc == 0)
        tn_wheel_judge(r->mem, &w, &s, "3.11", f);
    tn_snap_deinit(&s);
    return rc;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct tn_arena mem;
    struct tn_wish_file f;
    struct tn_plan_wishes w;
    struct tn_err err;
    struct tn_span text = tn_span_of(data + (size > 0), size - (size > 0));
    if (size < 1)
        return 0;
    tn_arena_init(&mem);
    struct tn_wish_reader r = {.mem = &mem,
                               .name = "dir/file",
                               .extras = "gpu",
                               .read = itself,
                               .ctx = &text,
                               .env = {.python_version = "3.11", .sys_platform = "linux", .extra = ""}};
    enum tn_file_kind kind = data[0] % TN_FILE_KINDS;
    if ((kind == TN_FILE_WHEEL ? read_wheel(&r, text, &f, &err) : tn_wish_file_read(&r, kind, text, &f, &err)) == 0) {
        tn_plan_wishes_init(&w);
        tn_wish_file_wishes(&mem, &f, &w);
        for (size_t i = 0; i < f.n; i++)
            if (!f.v[i].text || !f.v[i].spec || !f.v[i].note || f.v[i].wish >= (int)w.n ||
                f.v[i].other >= (int)w.n_other || f.v[i].say >= (int)w.say.n)
                abort();
    }
    tn_wish_file_kind("-", text);
    tn_arena_deinit(&mem);
    return 0;
}
