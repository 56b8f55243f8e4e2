/* verify.h - the rows of measurement that `verify` made, as text and as JSON. */
#ifndef TN_REPORT_VERIFY_H
#define TN_REPORT_VERIFY_H

#include "report/report.h"

struct tn_verify_report {
    const struct tn_snap *s;
    struct tn_arena *mem;
    enum tn_lang lang;
    bool placement;                 /* each result with the device where it ran */
    bool verbose;                   /* and which CUDA libraries were loaded */
    const struct tn_finding *cause; /* what doctor says of a machine where something failed; NULL: nothing */
};

enum tn_verify_outcome {
    TN_VERIFY_OK,     /* all was tried, on a GPU as well, and was right */
    TN_VERIFY_FAILED, /* something was tried and was wrong or did not end */
    TN_VERIFY_PARTLY  /* what was tried was right; the rest, the GPU as a rule, was not tried */
};
enum tn_verify_outcome tn_verify_outcome(const struct tn_snap *s);

/* Of one card: its first failure; NULL: all that was done on it is right. */
struct tn_verify_card {
    const char *device, *name; /* "gpu.0000:01:00.0", "NVIDIA ..." */
    const struct tn_rec_measurement *failed;
};
/* The cards on which something was done, in the driver's order. */
unsigned tn_verify_cards(const struct tn_snap *s, struct tn_verify_card *ret, unsigned max);
#define TN_VERIFY_CARDS 64

/* One line: the outcome. */
void tn_verify_headline(const struct tn_verify_report *r, struct tn_buf *ret);
void tn_verify_text(const struct tn_verify_report *r, struct tn_buf *ret);
void tn_verify_json(const struct tn_verify_report *r, struct tn_buf *ret);

#endif
