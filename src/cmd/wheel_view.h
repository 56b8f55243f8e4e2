/* wheel_view.h - a local file as a view that keeps its last window alone. */
#ifndef TN_CMD_WHEEL_VIEW_H
#define TN_CMD_WHEEL_VIEW_H

#include "base/buf.h"
#include "base/view.h"
#include "os/os.h"

struct tn_wheel_view {
    struct tn_view view;
    struct tn_os_held *file;
    struct tn_buf last;
    const char *name;
};

int tn_wheel_view_open(struct tn_wheel_view *w, const char *name, struct tn_err *err);
void tn_wheel_view_close(struct tn_wheel_view *w);

#endif
