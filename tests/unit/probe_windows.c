/* Probes on a composed Windows machine: the registry's keys as Windows and NVIDIA's installer write them. */
#include "probe_world.h"

#define CLASS "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}"
#define DEVICE "HKLM\\SYSTEM\\CurrentControlSet\\Enum\\PCI\\VEN_10DE&DEV_2204&SUBSYS_147D10DE&REV_A1\\4&1d81e16&0&0008"
#define AUDIO "HKLM\\SYSTEM\\CurrentControlSet\\Enum\\PCI\\VEN_10DE&DEV_1AEF&SUBSYS_147D10DE&REV_A1\\4&1d81e16&0&0108"
#define NT "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion"
#define TOOLKIT "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.2"

static void put_windows(struct machine *m)
{
    put_note(m, TN_Q_SYS, "release", "10.0.19045");
    put_note(m, TN_Q_SYS, "arch", "x86_64");
    put_note(m, TN_Q_ENV, "SystemRoot", "C:\\Windows");
    put_reg(m, NT, "CurrentBuildNumber", "19045");
    put_reg(m, NT, "EditionID", "Professional");
    put_reg(m, DEVICE, "ClassGUID", "{4d36e968-e325-11ce-bfc1-08002be10318}");
    put_reg(m, DEVICE, "Driver", "{4d36e968-e325-11ce-bfc1-08002be10318}\\0000");
    put_reg(m, DEVICE, "DeviceDesc", "@oem12.inf,%nvidia_dev.2204%;NVIDIA GeForce RTX 3090");
    put_reg(m, DEVICE, "LocationInformation",
            "@System32\\drivers\\pci.sys,#65536;PCI bus %1, device %2, function %3;(1,0,0)");
    put_reg(m, DEVICE, "Service", "nvlddmkm");
    put_reg(m, AUDIO, "ClassGUID", "{4d36e96c-e325-11ce-bfc1-08002be10318}");
    put_reg(m, CLASS "\\0000", "ProviderName", "NVIDIA");
    put_reg(m, CLASS "\\0000", "DriverDesc", "NVIDIA GeForce RTX 3090");
    put_reg(m, CLASS "\\0000", "DriverVersion", "31.0.15.4601");
    put_reg(m, CLASS "\\0000", "HardwareInformation.qwMemorySize", "25769803776");
}

static void host_card_and_driver(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "windows");
    put_windows(&m);
    run_probes(&m);
    const struct tn_rec_host *h = TN_THE(&m.s, host);
    assert_fact(h->os, "windows");
    assert_number(h->os_build, 19045);
    assert_fact(h->distro, "Professional");
    assert_number(h->wsl, 0);
    assert_int_equal(m.s.gpu.n, 1);
    const struct tn_rec_gpu *g = m.s.gpu.v;
    assert_fact(g->bus, "0000:01:00.0");
    assert_fact(g->device_id, "0x2204");
    assert_fact(g->name, "NVIDIA GeForce RTX 3090");
    assert_fact(g->capability, "8.6");
    assert_number(g->memory_bytes, 25769803776);
    assert_fact(TN_THE(&m.s, driver)->version, "546.01");
    assert_number(TN_THE(&m.s, driver)->loaded, 1);
    assert_state(TN_THE(&m.s, driver)->library_version, TN_ABSENT);
    close_machine(&m);
}

/* Visual C++ run times: both views, the newest counts; one that is not installed any more, or whose version is none. */
static void redistributables(void **state)
{
#define VC(view) "HKLM\\SOFTWARE\\" view "Microsoft\\VisualStudio\\14.0\\VC\\Runtimes\\"
    struct machine m;
    (void)state;
    open_machine(&m, "windows");
    put_windows(&m);
    put_reg(&m, VC("") "X64", "Installed", "1");
    put_reg(&m, VC("") "X64", "Version", "v14.0.24215.01");
    put_reg(&m, VC("Wow6432Node\\") "X64", "Installed", "1");
    put_reg(&m, VC("Wow6432Node\\") "X64", "Version", "v14.29.30139.00");
    put_reg(&m, VC("Wow6432Node\\") "x86", "Installed", "0");
    put_reg(&m, VC("Wow6432Node\\") "x86", "Version", "v14.38.33130.00");
    put_reg(&m, VC("") "ARM64", "Installed", "1");
    put_reg(&m, VC("") "ARM64", "Version", "\xE4\xB8\xAD");
    run_probes(&m);
    assert_int_equal(m.s.redistributable.n, 2);
    assert_fact(m.s.redistributable.v[0].arch, "x64");
    assert_fact(m.s.redistributable.v[0].version, "14.29.30139.00");
    assert_fact(m.s.redistributable.v[1].arch, "arm64");
    assert_state(m.s.redistributable.v[1].version, TN_FAILED);
    close_machine(&m);
#undef VC
}

/* Distributions of WSL as its own keys hold them; one that is being removed is none. */
static void wsl(void **state)
{
#define LXSS "HKCU\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Lxss"
#define FIRST "{7a6ef6ab-2a0f-4b0b-8b0a-54c3a1c4c001}"
#define OTHER "{7a6ef6ab-2a0f-4b0b-8b0a-54c3a1c4c002}"
    struct machine m;
    (void)state;
    open_machine(&m, "windows");
    put_windows(&m);
    put_reg(&m, LXSS, "DefaultDistribution", FIRST);
    put_reg(&m, LXSS "\\" FIRST, "DistributionName", "Ubuntu");
    put_reg(&m, LXSS "\\" FIRST, "State", "1");
    put_reg(&m, LXSS "\\" FIRST, "Version", "2");
    put_reg(&m, LXSS "\\" OTHER, "DistributionName", "Old");
    put_reg(&m, LXSS "\\" OTHER, "State", "4");
    run_probes(&m);
    assert_int_equal(m.s.wsl.listed, TN_KNOWN);
    assert_int_equal(m.s.wsl.n, 1);
    assert_fact(m.s.wsl.v[0].distribution, "Ubuntu");
    assert_number(m.s.wsl.v[0].version, 2);
    assert_number(m.s.wsl.v[0].first, 1);
    close_machine(&m);
}

/* What Device Manager says of the card; one that was taken out is not there, whatever the registry keeps. */
static void device_state(void **state)
{
    static const char id[] = "device PCI\\VEN_10DE&DEV_2204&SUBSYS_147D10DE&REV_A1\\4&1d81e16&0&0008";
    struct machine m;
    (void)state;
    open_machine(&m, "windows");
    put_windows(&m);
    put_note(&m, TN_Q_SYS, id, "43");
    run_probes(&m);
    assert_int_equal(m.s.gpu.n, 1);
    assert_number(m.s.gpu.v[0].problem, 43);
    assert_number(TN_THE(&m.s, driver)->loaded, 0);
    close_machine(&m);
    open_machine(&m, "windows");
    put_windows(&m);
    put_note(&m, TN_Q_SYS, id, "gone");
    run_probes(&m);
    assert_int_equal(m.s.gpu.n, 0);
    assert_int_equal(m.s.gpu.listed, TN_KNOWN);
    close_machine(&m);
}

/* What the registry gives to new terminals: %NAME% of this terminal or of the same key, quotes, both hives. */
static void new_terminals(void **state)
{
    static const char machine[] = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment";
    static const char *const want[][2] = {{"machine PATH", "C:\\Windows\\system32"},
                                          {"machine PATH", TOOLKIT "\\bin"},
                                          {"machine PATH", "%NOWHERE%\\x"},
                                          {"user PATH", "C:\\my tools"}};
    struct machine m;
    unsigned seen = 0;
    (void)state;
    open_machine(&m, "windows");
    put_windows(&m);
    put_reg(&m, machine, "CUDA_PATH", TOOLKIT);
    put_reg(&m, machine, "Path", "%SystemRoot%\\system32;;%CUDA_PATH%\\bin;%NOWHERE%\\x");
    put_reg(&m, "HKCU\\Environment", "Path", "\"C:\\my tools\";");
    run_probes(&m);
    for (size_t i = 0; i < m.s.search.n; i++) {
        const struct tn_rec_search *r = &m.s.search.v[i];
        if (!tn_known(r->by) || !strstr(r->by.v, " PATH"))
            continue;
        assert_in_range(seen, 0, TN_LEN(want) - 1);
        assert_fact(r->by, want[seen][0]);
        assert_fact(r->path, want[seen][1]);
        seen++;
    }
    assert_int_equal(seen, TN_LEN(want));
    close_machine(&m);
}

static void toolkit_and_search(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "windows");
    put_windows(&m);
    put_note(&m, TN_Q_ENV, "PATH", "\"" TOOLKIT "\\bin\";C:\\Windows\\System32;;C:\\tools");
    put_note(&m, TN_Q_ENV, "CUDA_PATH", TOOLKIT);
    put(&m, TOOLKIT "\\version.json",
        "{\"cuda\": {\"name\": \"CUDA SDK\", \"version\": \"11.2.20210128\"}, \"cuda_nvcc\": {\"version\": "
        "\"11.2.142\"}}");
    put(&m, TOOLKIT "\\bin\\nvcc.exe", "MZ");
    put(&m, TOOLKIT "\\bin\\cudart64_110.dll", "MZ");
    put(&m, "C:\\tools\\cudart64_110.dll", "MZ");
    put(&m, "C:\\Windows\\System32\\nvcuda.dll", "MZ");
    put(&m, "C:\\Windows\\System32\\nvidia-smi.exe", "MZ");
    run_probes(&m);
    assert_int_equal(m.s.toolkit.n, 1);
    assert_fact(m.s.toolkit.v[0].version, "11.2");
    assert_fact(m.s.toolkit.v[0].nvcc, "11.2.142");
    assert_number(m.s.toolkit.v[0].on_path, 1);
    assert_fact(TN_THE(&m.s, driver)->smi_path, "C:\\Windows\\System32\\nvidia-smi.exe");
    unsigned path = 0;
    for (size_t i = 0; i < m.s.search.n; i++)
        path += tn_says(m.s.search.v[i].by, "PATH");
    assert_int_equal(path, 3);
    unsigned seen = 0;
    for (size_t i = 0; i < m.s.library.n; i++) {
        const struct tn_rec_library *l = &m.s.library.v[i];
        if (!tn_says(l->soname, "cudart64_110.dll"))
            continue;
        seen++;
        assert_fact(l->stem, "cudart");
        assert_number(l->rank, tn_str_starts(l->path.v, "C:\\tools") ? 1 : 0);
    }
    assert_int_equal(seen, 2);
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(host_card_and_driver), cmocka_unit_test(device_state),
                                       cmocka_unit_test(redistributables),     cmocka_unit_test(wsl),
                                       cmocka_unit_test(new_terminals),        cmocka_unit_test(toolkit_and_search)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
