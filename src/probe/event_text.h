/* event_text.h - what the kernel's log says of GPUs, line by line, as event rows. Asks no world. */
#ifndef TN_PROBE_EVENT_TEXT_H
#define TN_PROBE_EVENT_TEXT_H

#include "base/span.h"
#include "snapshot/snapshot.h"

#define TN_MAX_EVENTS 256u

/* Seconds since the start of the machine, with the time that it slept (up) and without (awake); negative: not known. */
struct tn_event_now {
    double up, awake;
};

/* text: the log as dmesg prints it, with or without "<6>" and "[ 1.234567]" in front. Of equal events (kind, code,
 * card) only the newest is kept. */
void tn_event_read(struct tn_snap *s, struct tn_span text, struct tn_event_now now, uint32_t src);

/* text: events of Windows' System log as XML, one a line, in any order (event_windows.c). now: seconds since 1970;
 * negative: not known. Of equal events only the newest is kept, with how many there were. */
void tn_event_read_windows(struct tn_snap *s, struct tn_span text, int64_t now, uint32_t src);

/* The row for such an event, a new one or that of an earlier one like it, and how often it has been met now; NULL when
 * there are too many. code: negative for none; card: gpu.bus, "" for none. */
struct tn_rec_event *tn_event_row(struct tn_snap *s, const char *kind, long long code, const char *card, uint32_t src);

#endif
