/* clean.h - what could go, as text and as JSON (json_contract.md, command clean). Pure. */
#ifndef TN_REPORT_CLEAN_H
#define TN_REPORT_CLEAN_H

#include "base/buf.h"
#include "clean/clean.h"
#include "clean/package.h"
#include "clean/setting.h"

/* What was moved aside, and changed. */
struct tn_clean_done {
    const char **path, **aside; /* what it was called, and is now */
    const bool *edited;         /* it is still there, with another content; aside is what it was */
    size_t n, n_value;          /* n_value: values of the registry that were changed */
    unsigned id;                /* of the change, for undo */
};

/* What leads to what goes, and goes with it. */
struct tn_clean_settings {
    struct tn_setting_file *file;
    size_t n;
    const char **link; /* to what goes, in one step */
    size_t n_link;
};

struct tn_clean_report {
    struct tn_arena *mem;
    const struct tn_clean *clean;
    enum tn_lang lang;
    unsigned width;                           /* 0: do not wrap */
    bool asked;                               /* words of the command line chose */
    const char *command;                      /* that would do it; NULL: none */
    const struct tn_clean_settings *settings; /* NULL: they were not looked at */
    struct tn_clean_package *package;         /* what a package manager was asked about */
    size_t n_package;
    const char *root;                 /* --root DIR, without links; "" */
    const struct tn_clean_done *done; /* --yes; NULL: a survey */
};

void tn_clean_text(const struct tn_clean_report *r, struct tn_buf *ret);
void tn_clean_json(const struct tn_clean_report *r, struct tn_buf *ret);
/* clean_settings.c: the part about settings. */
void tn_clean_settings_text(const struct tn_clean_report *r, struct tn_buf *ret);
/* clean_packages.c: the part about packages. */
void tn_clean_packages_text(const struct tn_clean_report *r, struct tn_buf *ret);
/* "sudo ldconfig", where the loader's cache has to be made anew; NULL: no setting of the loader is changed. */
const char *tn_clean_ldconfig(const struct tn_clean_report *r);
/* "CUDA toolkit 11.6", and why it stays: one sentence each, in r->mem. */
const char *tn_clean_name(const struct tn_clean_report *r, const struct tn_clean_item *i);
const char *tn_clean_reason(const struct tn_clean_report *r, const struct tn_clean_item *i);

#endif
