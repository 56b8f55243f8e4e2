/* removal.h - what a package manager says it would do, and whether work on the driver may do that.
 *
 * Pure. Reads the answer of `apt-get -s` (LC_ALL=C): Inst, Remv, Purg and Conf lines, the heads above them and the
 * counts below them (apt-private/private-output.cc ShowGarbage..., apt-pkg/algorithms.cc pkgSimulate; apt-get(8), -s),
 * and those of `dnf --assumeno`, `zypper --dry-run` and pacman (removal_rpm.c, removal_pacman.c). Text is hostile:
 * sizes are capped, and what is not understood is refused, never passed over. */
#ifndef TN_PLAN_REMOVAL_H
#define TN_PLAN_REMOVAL_H

#include "base/arena.h"
#include "base/span.h"

#define TN_REMOVAL_MAX 4096u

struct tn_transaction_item {
    const char *name, *arch; /* "libnvidia-gl-535", "i386" or "" */
    const char *old, *now;   /* versions; "" where there is none */
    bool removed;            /* else it is installed, or installed anew */
    bool replaced;           /* removed by what comes: in no count */
};

enum tn_package_manager { TN_MANAGER_APT, TN_MANAGER_DNF, TN_MANAGER_ZYPPER, TN_MANAGER_PACMAN };

struct tn_transaction {
    enum tn_package_manager by;
    struct tn_transaction_item *v;
    unsigned n;
    bool counted;                    /* the line with the counts is there */
    unsigned changed, removed;       /* upgraded, newly installed, reinstalled, downgraded | to remove */
    bool essential, held, downgrade; /* what a head above the lists warns of */
    bool failed;                     /* an "E:" line */
    bool cut;                        /* more than TN_REMOVAL_MAX, or a line that is none of the package manager's */
};

const char *tn_removal_manager(const struct tn_transaction *t); /* "apt-get", "dnf", "zypper", "pacman" */
/* Never fails: what cannot be read makes it cut or uncounted. Texts are copied into mem. */
void tn_transaction_read(struct tn_arena *mem, struct tn_span text, struct tn_transaction *ret);

enum tn_removal {
    TN_REMOVAL_FINE,
    TN_REMOVAL_UNCLEAR, /* no whole answer: cut, another language, counts that do not agree */
    TN_REMOVAL_FAILED,  /* the package manager itself refuses */
    TN_REMOVAL_ESSENTIAL,
    TN_REMOVAL_HELD, /* a package that is held back would be changed */
    TN_REMOVAL_DOWNGRADE,
    TN_REMOVAL_KERNEL,     /* a kernel, its modules or headers would go */
    TN_REMOVAL_OTHER,      /* something that is no part of the driver would go */
    TN_REMOVAL_LAST,       /* the driver would go and none come in its place */
    TN_REMOVAL_NEW_KERNEL, /* a kernel of another flavour would come: the machine may start it */
    TN_REMOVAL_KINDS
};

struct tn_removal_answer {
    enum tn_removal kind;
    const char *package; /* the first one of that kind; "" */
    unsigned n;          /* packages of that kind */
};

/* What the work may do: besides the driver's own packages those that were named may go. held: packages that are held,
 * by the package manager's own status. */
struct tn_removal_bound {
    const char *const *named; /* ends with NULL, or NULL */
    const char *const *held;
    const char *running; /* kernel release that runs; NULL: not known */
    bool goes;           /* the driver is meant to be removed */
};
void tn_removal_judge(const struct tn_transaction *t, const struct tn_removal_bound *bound,
                      struct tn_removal_answer *ret);
const char *tn_removal_word(enum tn_removal kind); /* fine, unclear, failed, essential, held, downgrade ... */

/* Is a package of this name a part of the driver: not the toolkit, not the container tools. */
bool tn_removal_is_driver(const char *name);
/* Debian Policy 5.6.12: less than, equal to or greater than zero. */
int tn_removal_deb_cmp(const char *a, const char *b);

#endif
