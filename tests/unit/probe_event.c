/* probe_event.c - lines of the kernel's log, as they were posted, as events. */
#include "probe_world.h"

#include "probe/event_text.h"

static const struct tn_rec_event *only(struct tn_snap *s, const char *log)
{
    tn_snap_init(s);
    tn_event_read(s, tn_span_str(log), (struct tn_event_now){1000, -1}, 0);
    assert_int_equal(s->event.n, 1);
    return &s->event.v[0];
}

static void test_kinds(void **state)
{
    static const struct {
        const char *log, *kind, *card;
        int code;
    } cases[] = {
        {"<3>[  900.500000] NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the "
         "bus.\n",
         "xid", "0000:01:00.0", 79},
        {"[ 12.5] NVRM: Xid (0000:0A:00): 13, 0003 00000000\n", "xid", "0000:0a:00.0", 13},
        {"<4>[1.0] NVRM: GPU 0000:41:00.0: GPU has fallen off the bus.\n", "lost", "0000:41:00.0", -1},
        {"[ 1157.046099] NVRM: The NVIDIA GPU 0000:af:00.0 (PCI ID: 10de:1db5)\n"
         "               NVRM: installed in this system is not supported by open\n"
         "               NVRM: nvidia.ko because it does not include the required GPU\n",
         "needs_closed", "0000:af:00.0", -1},
        {"[  652.483304] NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1050) installed\n"
         "[  652.483305] NVRM: in this system is not supported by the 280.13 NVIDIA Linux\n",
         "unsupported", "0000:01:00.0", -1},
        {"[  +0.000005] NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:25a0)\n"
         "              NVRM: installed in this system is not supported by the\n",
         "unsupported", "0000:01:00.0", -1},
        {"Apr 13 16:41:14 nixos kernel: NVRM: The NVIDIA NVIDIA GeForce GTX 1050 GPU installed in this system is\n"
         "                              NVRM:  supported through the NVIDIA 580.xx Legacy drivers. Please\n",
         "legacy", NULL, 580},
        {"NVRM: GPU 0000:04:00.0: RmInitAdapter failed! (0x63:0x0:1905)\n", "init_failed", "0000:04:00.0", -1},
        {"NVRM: API mismatch: the client has the version 535.183.01, but\n", "mismatch", NULL, -1},
        {"Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7\n", "rejected", NULL,
         -1},
        {"[5.0] Loading of module with unavailable key is rejected\n", "key_rejected", NULL, -1},
        {"[5.0] nvidia: loading of module with unavailable key is rejected\n", "key_rejected", NULL, -1},
        {"Dec 01 10:00:00 host kernel: Loading of unsigned module is rejected\n", "rejected", NULL, -1},
        {"[5.0] nvidia: loading of unsigned module is rejected\n[5.1] vboxdrv: loading of module with unavailable key "
         "is rejected\n",
         "rejected", NULL, -1},
        {"[7.1] NVRM: The NVIDIA vGPU 0000:02:00.0 (PCI ID: 10de:2235)\n"
         "[7.1] NVRM: installed in this system is not supported by open\n"
         "[7.1] NVRM: nvidia.ko.\n",
         "vgpu_guest", "0000:02:00.0", -1},
        {"[7.1] NVRM: The NVIDIA GPU 0000:02:00.0 (PCI ID: 10de:1db4)\n"
         "[7.1] NVRM: installed in this vGPU host system is not supported by\n"
         "[7.1] NVRM: open nvidia.ko.\n",
         "vgpu_host", "0000:02:00.0", -1},
        {"NVRM: The NVIDIA GPU 0000:81:00.0\nNVRM: (PCI ID: 10de:2330) installed in this system has\n"
         "NVRM: fallen off the bus and is not responding to commands.\n",
         "lost", "0000:81:00.0", -1},
        {"[17.2] nvidia 0000:18:00.0: Direct firmware load for nvidia/525.125.06/gsp_ga10x.bin failed with error -2\n",
         "firmware", NULL, -1},
        {"NVRM: RmFetchGspRmImages: No firmware image found\n", "firmware", NULL, -1},
        {"[100.0] PM: suspend entry (deep)\n[101.0] PM: suspend exit\n", "suspend", NULL, -1},
        {"[100.0] PM: hibernation: hibernation entry\n", "suspend", NULL, -1},
        {"[4.3] nvidia-uvm: Loaded the UVM driver in 8 mode, major device number 240\n", "uvm_loaded", NULL, -1},
        {"[64689.125237] nvidia-uvm: uvm_pmm_gpu.c:3176 devmem_alloc_pagemap[pid:92821] request_free_mem_region() err "
         "-34\n",
         "uvm_region", NULL, -1},
        {"[9.0] Out of memory: Killed process 4711 (python) total-vm:1kB\n", "oom", NULL, -1},
        {"pcieport 0000:00:01.0: PCIe Bus Error: severity=Uncorrectable (Fatal), type=Transaction Layer\n", "aer",
         "0000:00:01.0", -1}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        struct tn_snap s;
        const struct tn_rec_event *e = only(&s, cases[i].log);
        assert_true(tn_says(e->kind, cases[i].kind));
        if (cases[i].card)
            assert_true(tn_says(e->gpu, cases[i].card));
        else
            assert_int_equal(e->gpu.k, TN_ABSENT);
        if (cases[i].code >= 0)
            assert_true(tn_is(e->code, cases[i].code));
        else
            assert_int_equal(e->code.k, TN_ABSENT);
        tn_snap_deinit(&s);
    }
}

static void test_age_and_repeats(void **state)
{
    struct tn_snap s;
    (void)state;
    const struct tn_rec_event *e = only(&s, "<3>[100.5] NVRM: Xid (PCI:0000:01:00): 13, a\n"
                                            "<3>[900.5] NVRM: Xid (PCI:0000:01:00): 13, b\n");
    assert_true(tn_is(e->age_s, 99)); /* the newest of equal ones */
    tn_snap_deinit(&s);
    tn_snap_init(&s);
    for (int i = 1; i < 2000; i++) {
        char line[128];
        snprintf(line, sizeof line, "NVRM: Xid (PCI:0000:01:00): %d, x\n", i);
        tn_event_read(&s, tn_span_str(line), (struct tn_event_now){-1, -1}, 0);
    }
    assert_int_equal(s.event.n, TN_MAX_EVENTS);
    assert_int_equal(s.event.v[0].age_s.k, TN_UNASKED);
    tn_snap_deinit(&s);
}

static void test_nothing_of_it(void **state)
{
    static const char *const logs[] = {
        "",
        "\n\n",
        "<6>[1.0] nvidia-nvlink: Nvlink Core is being initialized\n",
        "NVRM: Xid (PCI:0000:01:00): x\n",
        "NVRM: Xid (",
        "<",
        "[",
        "<6",
        "[99999999999999999999",
        "nvidia: module verification failed: signature and/or required key missing - tainting kernel\n",
        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.183.01\n",
        "amdgpu: request_free_mem_region() err -34\n",
        "PCIe Bus Error: severity=Corrected, type=Physical Layer\n"};
    (void)state;
    for (size_t i = 0; i < TN_LEN(logs); i++) {
        struct tn_snap s;
        tn_snap_init(&s);
        tn_event_read(&s, tn_span_str(logs[i]), (struct tn_event_now){5, 5}, 0);
        assert_int_equal(s.event.n, 0);
        tn_snap_deinit(&s);
    }
}

#define XID "NVRM: Xid (PCI:0000:01:00): 79, x\n"

/* The log's clock does not count sleep: an honest age, or none (-1). */
static void test_ages_over_a_suspend(void **state)
{
    static const struct {
        const char *log;
        double up, awake;
        int age;
    } cases[] = {{"[900.0] " XID, 1000, 1000, 100}, /* never slept */
                 {"[900.0] " XID, 1000, 999, 99},
                 {"[900.0] " XID, 1000, -1, 100},  /* a record without that clock, and no suspend in its log */
                 {"[900.0] " XID, -1, 1000, -1},   /* did it sleep? */
                 {"[900.0] " XID, 9000, 1000, -1}, /* slept, and the log has lost when */
                 {"[950.0] PM: suspend entry (deep)\n[951.0] PM: suspend exit\n[960.0] " XID, 9000, 1000, 40},
                 {"[940.0] " XID "[950.0] PM: suspend entry (deep)\n[951.0] PM: suspend exit\n", 9000, 1000, -1},
                 {"[950.0] PM: suspend entry (deep)\n[950.5] " XID "[951.0] PM: suspend exit\n", 9000, 1000, -1},
                 {"[950.0] PM: suspend entry (deep)\n[960.0] " XID, 9000, 1000, -1}, /* its end is not told */
                 {"[950.0] PM: hibernation: hibernation entry\n[951.0] PM: hibernation: hibernation exit\n[960.0] " XID,
                  9000, 1000, 40},
                 {"[950.0] PM: suspend entry (s2idle)\n[951.0] PM: suspend exit\n[960.0] " XID, 9000, -1, -1},
                 {"[960.0] " XID, 500, 500, -1}, /* a clock of its own: a time namespace */
                 {XID, 1000, 1000, -1}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        struct tn_snap s;
        tn_snap_init(&s);
        tn_event_read(&s, tn_span_str(cases[i].log), (struct tn_event_now){cases[i].up, cases[i].awake}, 0);
        size_t row = 0;
        while (row < s.event.n && !tn_says(s.event.v[row].kind, "xid"))
            row++;
        assert_true(row < s.event.n);
        if (cases[i].age >= 0 ? !tn_is(s.event.v[row].age_s, cases[i].age) : s.event.v[row].age_s.k == TN_KNOWN)
            fail_msg("case %u: age %lld, known: %d", (unsigned)i, (long long)s.event.v[row].age_s.v,
                     s.event.v[row].age_s.k == TN_KNOWN);
        tn_snap_deinit(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_age_and_repeats),
                                       cmocka_unit_test(test_nothing_of_it),
                                       cmocka_unit_test(test_ages_over_a_suspend)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
