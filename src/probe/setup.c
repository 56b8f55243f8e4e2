/* setup.c - what holds installers up on Windows: another installation at work, a restart that is due.
 *
 * Sources: Windows Installer SDK, "_MSIExecute Mutex" (one package at a time); MoveFileEx, MOVEFILE_DELAY_UNTIL_REBOOT
 * (files to be replaced stand in PendingFileRenameOperations); Microsoft, "Determine Pending Reboot Status" (keys of
 * component servicing and of Windows Update that are there until the restart). A restart that is due is no fault: no
 * check alarms, explain names it where a log says that an installation does not end. */
#include "base/str.h"
#include "probe/ask.h"
#include "probe/probe.h"

static void run(struct tn_probe_ctx *c)
{
    static const char *const keys[] = {
        "HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Component Based Servicing\\RebootPending",
        "HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\WindowsUpdate\\Auto Update\\RebootRequired"};
    static const char files[] = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager";
    struct tn_rec_host *h = TN_THE(c->s, host);
    if (!tn_probe_is_windows(c))
        return;
    struct tn_answer a = tn_world_sys(c->w, c->tmp, "installing");
    if (a.got == TN_KNOWN)
        h->installing = tn_fact_int(tn_probe_src(c->s, "sys", "installing", &a), tn_span_eq(a.data, "1"));
    for (unsigned i = 0; i <= TN_LEN(keys); i++) {
        bool last = i == TN_LEN(keys);
        a = last ? tn_world_reg(c->w, c->tmp, files, "PendingFileRenameOperations")
                 : tn_world_reg_list(c->w, c->tmp, keys[i]);
        uint32_t src = tn_probe_src(c->s, "reg", last ? files : keys[i], &a);
        if (a.got == TN_KNOWN) {
            h->restart_due = tn_fact_int(src, 1);
            return;
        }
        h->restart_due = a.got == TN_ABSENT ? tn_fact_int(src, 0) : tn_fact_noint(src, a.got);
        if (a.got != TN_ABSENT)
            return;
    }
}

TN_PROBE(setup, TN_PHASE_HOST, run, "what holds installers up on Windows: another installation, a restart that is due",
         .gives = TN_HAS(host), .reads = TN_HAS(host));
