/* tenon.h - the public C interface of libtenon: why this machine does not see its GPU, and what fits it.
 *
 * All handles are opaque. Text is UTF-8 (names that are not valid UTF-8 are shown with \xNN) and belongs to the handle
 * it came from; it is valid until that handle is freed. Nothing prints, nothing exits, nothing on the machine is
 * changed. Functions that can fail return 0 or a negative TENON_E code; tenon_error() then says what and where. One
 * handle may be used by one thread at a time; different handles are independent.
 *
 *     struct tenon *t = tenon_new();
 *     if (tenon_look(t, TENON_LIVE, NULL) == 0 && tenon_diagnose(t, NULL) == 0)
 *         printf("%s\n", tenon_summary(t, "en"));
 *     tenon_free(t);
 */
#ifndef TENON_H
#define TENON_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TENON_API __attribute__((visibility("default")))
#else
#define TENON_API
#endif

struct tenon;

enum tenon_code {
    TENON_OK = 0,
    TENON_E_NOTFOUND = -1,
    TENON_E_DENIED = -2,
    TENON_E_IO = -3,
    TENON_E_FORMAT = -4,
    TENON_E_LIMIT = -5,
    TENON_E_TIMEOUT = -6,
    TENON_E_USAGE = -7,
    TENON_E_UNSUPPORTED = -8,
    TENON_E_REFUSED = -9,
    TENON_E_NOMEM = -10
};

/* What to look at: this machine; another root folder; a snapshot or raw record file's bytes; a description
 * "os=linux,...". */
enum tenon_subject { TENON_LIVE, TENON_ROOT, TENON_JSON, TENON_DESCRIPTION };

enum tenon_verdict { TENON_VERDICT_OK, TENON_VERDICT_PROBLEM, TENON_VERDICT_UNKNOWN };

/* Version of the library, and the date of its compatibility tables (ISO). */
TENON_API const char *tenon_version(void);
TENON_API const char *tenon_facts_date(void);

/* NULL when memory is out. */
TENON_API struct tenon *tenon_new(void);
TENON_API void tenon_free(struct tenon *t);
/* What the last failed call on t said. Never NULL. */
TENON_API const char *tenon_error(const struct tenon *t);

/* The environment to judge, a path or a name; NULL: the active one. Before tenon_look. */
TENON_API int tenon_set_environment(struct tenon *t, const char *path_or_name);

/* Gathers facts. arg: NULL, a folder, JSON text (NUL-ended) or a description. A second call replaces the first. */
TENON_API int tenon_look(struct tenon *t, enum tenon_subject subject, const char *arg);

/* Judges the facts. expect: NULL (by evidence), "gpu", "cpu" or a number of GPUs. */
TENON_API int tenon_diagnose(struct tenon *t, const char *expect);

/* After tenon_diagnose. lang: "en" or "zh". */
TENON_API enum tenon_verdict tenon_verdict(const struct tenon *t);
TENON_API const char *tenon_cause(const struct tenon *t); /* slug of the first cause; NULL when there is none */
TENON_API const char *tenon_summary(struct tenon *t, const char *lang);
TENON_API size_t tenon_finding_count(const struct tenon *t);
/* cause: slug. status: confirmed, likely, possible, ruled_out or untestable. NULL beyond the count. */
TENON_API const char *tenon_finding_cause(const struct tenon *t, size_t i);
TENON_API const char *tenon_finding_status(const struct tenon *t, size_t i);
TENON_API const char *tenon_finding_summary(struct tenon *t, size_t i, const char *lang);
/* The command that would help with finding i on the described machine; NULL when there is none. */
TENON_API const char *tenon_finding_command(struct tenon *t, size_t i);

/* JSON documents as the program's --json gives them. */
TENON_API const char *tenon_report_json(struct tenon *t, const char *lang);
TENON_API const char *tenon_snapshot_json(struct tenon *t, int redacted);

#ifdef __cplusplus
}
#endif

#endif
