/* fits.h - whether a file fits, as text and as JSON (json_contract.md, command fits). Pure. */
#ifndef TN_REPORT_FITS_H
#define TN_REPORT_FITS_H

#include "plan/fits.h"
#include "report/plan.h"
#include "report/report.h"

struct tn_report_fits {
    const struct tn_fits *fits;
    const struct tn_wish_file *file;
    const char *name;                      /* as it was given */
    const struct tn_report_online *online; /* NULL: only the tables were asked */
    enum tn_lang lang;
    bool verbose;
    unsigned width;
};

void tn_report_fits_text(const struct tn_report_fits *r, struct tn_buf *ret);
void tn_report_fits_json(const struct tn_report_fits *r, struct tn_buf *ret);

#endif
