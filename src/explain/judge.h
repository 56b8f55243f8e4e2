/* judge.h - what needs arithmetic and not only words: rules over signs and stated facts that add weight to causes.
 *
 * Private to rank.c and judge_*.c. A judge reads; it adds weight with the observations that it rests on. */
#ifndef TN_EXPLAIN_JUDGE_H
#define TN_EXPLAIN_JUDGE_H

#include "explain/signs.h"

struct tn_weigh {
    const struct tn_signs *signs;
    const struct tn_snap *s;
    void *tallies;
};

/* evidence: a row of observation, or SIZE_MAX for none. */
void tn_weigh_add(const struct tn_weigh *w, const char *cause, int weight, size_t evidence);

/* The last statement of a fact: its row, or SIZE_MAX. */
size_t tn_weigh_told(const struct tn_weigh *w, const char *fact);
const char *tn_weigh_value(const struct tn_weigh *w, size_t row);
/* The most that speaks for any cause so far, harmless ones left out. */
int tn_weigh_most(const struct tn_weigh *w);
int tn_weigh_of(const struct tn_weigh *w, const char *cause);
/* Does the text speak of this system, or of this part? As the conditions os: and part: of data/messages. */
bool tn_weigh_os(const struct tn_weigh *w, const char *os);
bool tn_weigh_part(const struct tn_weigh *w, const char *part);

/* fixes.c: adds the remedies that data/messages has for the finding's cause and this text. */
void tn_explain_fixes(struct tn_sink *out, struct tn_finding *f, const struct tn_signs *signs, const struct tn_snap *s);

/* judge_library.c: a library that was asked for and not found, against the releases that the text states. */
void tn_judge_asked_library(const struct tn_weigh *w);
/* judge_versions.c: releases that the text states and that do not fit each other. */
void tn_judge_versions(const struct tn_weigh *w);

/* judge_memory.c: the figures of torch's out-of-memory text: who holds the memory. */
void tn_judge_memory(const struct tn_weigh *w);

/* judge_platform.c: no GPU listed where no build of that release has one. */
void tn_judge_platform(const struct tn_weigh *w);
/* Whether the text looks for a GPU at all. */
bool tn_judge_platform_asked(const struct tn_weigh *w);

/* judge_generation.c: a card newer or older than every build of the stated release, or than a CUDA image. */
void tn_judge_generation(const struct tn_weigh *w);

/* judge_companion.c: torch beside torchvision or torchaudio of another release, by their numbers. */
void tn_judge_companion(const struct tn_weigh *w);

/* judge_told.c: what a person complains of, without a message. */
void tn_judge_told(const struct tn_weigh *w);

/* judge_xid.c: Xids that no form knows, by the table. */
void tn_judge_xid(const struct tn_weigh *w);

#endif
