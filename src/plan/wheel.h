/* wheel.h - a wheel's file: its tags, what its METADATA asks for, and the GPU code in its libraries; and whether a
 * machine can run it. Pure: the file comes as a view, of which only the last span is used. */
#ifndef TN_PLAN_WHEEL_H
#define TN_PLAN_WHEEL_H

#include "base/view.h"
#include "plan/fits.h"
#include "version/wheeltag.h"

struct tn_wheel_file {
    struct tn_wheel tag;
    const char *requires_python; /* "" */
    const char *python;          /* "3.11" of cp311; "" for abi3 and py3 */
    const char *cuda;            /* whose run time it asks for; "" */
    const char *code_of;         /* the library with most GPU code; "": none was found */
    const char *sass, *ptx;      /* its architectures */
    const char *isa;             /* newest PTX: "8.3"; "" */
    bool unread;                 /* a library was too large to look into */
};

/* Also fills the lines of its requirements. TN_E_REFUSED: an archive that nobody makes by accident. */
int tn_wheel_file_read(const struct tn_wish_reader *r, const struct tn_view *v, struct tn_wheel_file *ret,
                       struct tn_wish_file *ret_lines, struct tn_err *err);

/* python: of --python, "" if not said. Adds to *f. */
void tn_wheel_judge(struct tn_arena *mem, const struct tn_wheel_file *w, const struct tn_snap *s, const char *python,
                    struct tn_fits *f);

#endif
