/* Versions out of pasted texts. Each text is one that somebody published, or the driver's own format (named there). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "explain/explain.h"

static void expect_n(const char *text, size_t n, const char *want, const char *os)
{
    struct tn_snap s;
    struct tn_buf b;
    tn_snap_init(&s);
    tn_buf_init(&b);
    tn_explain_text(tn_span_of(text, n), &s);
    for (size_t i = 0; i < s.observation.n; i++) {
        const struct tn_rec_observation *o = &s.observation.v[i];
        tn_buf_printf(&b, "%s%d %s=%s", i ? "; " : "", (int)o->line.v, o->fact.v,
                      tn_known(o->value) ? o->value.v : "-");
        if (tn_known(o->rival))
            tn_buf_printf(&b, " (not %s)", o->rival.v);
    }
    assert_string_equal(b.n ? b.p : "", want);
    assert_string_equal(tn_known(TN_THE(&s, host)->os) ? TN_THE(&s, host)->os.v : "", os);
    assert_int_equal(s.observation.listed, TN_KNOWN);
    tn_buf_deinit(&b);
    tn_snap_deinit(&s);
}

static void expect(const char *text, const char *want, const char *os)
{
    expect_n(text, strlen(text), want, os);
}

static void smi_of_every_generation(void **state)
{
    (void)state;
    expect("Fri Sep 14 10:19:00 2018\n"
           "+-----------------------------------------------------------------------------+\n"
           "| NVIDIA-SMI 384.130                Driver Version: 384.130                   |\n"
           "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n",
           "3 driver.version=384.130", "linux");
    expect("| NVIDIA-SMI 384.183      Driver Version: 384.183      CUDA Version: 9.0      |\n",
           "1 driver.version=384.183; 1 driver.cuda=9.0", "");
    expect("| NVIDIA-SMI 470.161.03   Driver Version: 470.161.03   CUDA Version: 11.8     |\n",
           "1 driver.version=470.161.03; 1 driver.cuda=11.8", "linux");
    expect("| NVIDIA-SMI 516.94       Driver Version: 516.94       CUDA Version: 11.7     |\n"
           "| GPU  Name            TCC/WDDM | Bus-Id        Disp.A | Volatile Uncorr. ECC |\n",
           "1 driver.version=516.94; 1 driver.cuda=11.7", "windows");
    expect("| NVIDIA-SMI 535.183.01   Driver Version: 535.183.01   CUDA Version: 12.2     |\n",
           "1 driver.version=535.183.01; 1 driver.cuda=12.2", "linux");
    /* Peer mistake 4: the 610 series has other words. */
    expect("| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |\n",
           "1 driver.version=610.43.02; 1 driver.cuda=13.3", "linux");
    /* WSL: the tool is the Linux side's, the driver Windows'. */
    expect("| NVIDIA-SMI 510.60.02    Driver Version: 512.15       CUDA Version: 11.6     |\n",
           "1 driver.version=512.15; 1 driver.cuda=11.6", "windows");
    expect("| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: N/A      |\n",
           "1 driver.version=470.57.02; 1 driver.cuda=-", "linux");
    expect("NVIDIA-SMI version  : 580.82.07\nNVML version        : 580.95\nDRIVER version      : 581.42\n"
           "CUDA Version        : 13.0\n",
           "3 driver.version=581.42; 4 driver.cuda=13.0", "windows");
    expect("NVIDIA-SMI version  : 610.88\nKMD version         : 610.88\n"
           "DRIVER version      : Deprecated, see \"KMD version\" instead\nCUDA UMD version    : 13.3\n",
           "2 driver.version=610.88; 4 driver.cuda=13.3", "");
    expect("==============NVSMI LOG==============\n\nTimestamp                                 : Tue Feb  1\n"
           "Driver Version                            : 535.129.03\nCUDA Version                              : 12.2\n",
           "4 driver.version=535.129.03; 5 driver.cuda=12.2", "linux");
    expect("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 535.309\n",
           "1 driver.nvml=NVML_ERROR_LIB_RM_VERSION_MISMATCH; 2 driver.nvml_version=535.309", "");
}

static void other_programs(void **state)
{
    (void)state;
    expect("nvcc: NVIDIA (R) Cuda compiler driver\nCopyright (c) 2005-2022 NVIDIA Corporation\n"
           "Built on Wed_Sep_21_10:33:58_PDT_2022\nCuda compilation tools, release 11.8, V11.8.89\n"
           "Build cuda_11.8.r11.8/compiler.31833905_0\n",
           "4 toolkit.nvcc=11.8.89", "");
    expect("Cuda compilation tools, release 8.0, V8.0.61\n", "1 toolkit.nvcc=8.0.61", "");
    expect("CUDA Version 10.1.243\n", "1 toolkit.version=10.1.243", "");
    /* Story 18, and the same line as a Chinese Windows copies it. */
    expect("NVCUDA64.DLL 30.0.14.7141 NVIDIA CUDA 11.4.94 driver\n", "1 driver.cuda=11.4; 1 driver.version=471.41",
           "windows");
    expect("\xE6\x96\x87\xE4\xBB\xB6\xE5\x90\x8D\tNVCUDA64.DLL\t27.21.14.5671\tNVIDIA CUDA 11.1.114 "
           "driver\n",
           "1 driver.cuda=11.1; 1 driver.version=456.71", "windows");
    expect("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  555.58.02  Release Build  "
           "(dvs-builder@U16-I3-B03-4-3)  Tue Jun 25 01:26:03 UTC 2024\nGCC version:  gcc version 14.2.1 20240801\n",
           "1 driver.version=555.58.02", "linux");
    expect("NVRM version: NVIDIA UNIX x86_64 Kernel Module  384.81  Wed Aug 17 22:24:07 PDT 2016\n",
           "1 driver.version=384.81", "linux");
    expect("  CUDA Driver Version / Runtime Version          11.2 / 11.0\n",
           "1 driver.cuda=11.2; 1 library.version=11.0", "");
}

/* What does not say which version it speaks of is not read. */
static void silence(void **state)
{
    (void)state;
    expect("- CUDA Version: 11.7\n- cuDNN version: 8.5\n", "", "");
    expect("Driver Version: unknown\nThe driver version is 3\nCUDA Version: \n", "", "");
    expect("NVIDIA CUDA Toolkit 11.8 is installed\nI use NVIDIA CUDA 11.2 here\n", "", "");
    expect("CUDA Version: 12.2 is what I want; see also\n", "", "");
    expect("", "", "");
    expect("NVRM version: NVIDIA UNIX x86_64 Kernel Module\n", "", "");
}

/* Two banners: both are told, and that they differ. */
static void rivals(void **state)
{
    (void)state;
    expect("Driver Version: 535.183.01  CUDA Version: 12.2\nDriver Version: 550.54.14  CUDA Version: 12.4\n"
           "Driver Version: 535.183.01  CUDA Version: 12.2\n",
           "1 driver.version=535.183.01; 1 driver.cuda=12.2; 2 driver.version=550.54.14 (not 535.183.01); "
           "2 driver.cuda=12.4 (not 12.2)",
           "linux");
}

static void hostile(void **state)
{
    static const char utf16[] = "\xFF\xFE"
                                "D\0r\0i\0v\0e\0r\0 \0V\0e\0r\0s\0i\0o\0n\0:\0 \0"
                                "5\0"
                                "5\0"
                                "1\0.\0"
                                "7\0"
                                "8\0\r\0\n\0";
    static const char bare[] = "\0D\0r\0i\0v\0e\0r\0 \0V\0e\0r\0s\0i\0o\0n\0:\0 \0"
                               "5\0"
                               "5\0"
                               "1\0.\0"
                               "7\0"
                               "8";
    (void)state;
    expect("\033[0;32m| NVIDIA-SMI 516.94 \033]0;title\007 Driver\033[1m Version: \033[4m516.94  CUDA Version: "
           "11.7\033[0m\r\n",
           "1 driver.version=516.94; 1 driver.cuda=11.7", "windows");
    expect("waiting 10%\rwaiting 99%\rDriver Version: 535.183.01  CUDA Version: 12.2\r\r\nx\n",
           "1 driver.version=535.183.01; 1 driver.cuda=12.2", "linux");
    expect("x\rDriver Version: 535.183.01\rCUDA Version: 12.2\r", "2 driver.version=535.183.01; 3 driver.cuda=12.2",
           "linux"); /* line ends of an old Mac */
    expect("\xB0\xE6\xB1\xBE \xA9\xA6 Driver Version: 551.78   CUDA Version: 12.4 \xA9\xA6\n", /* GBK around it */
           "1 driver.version=551.78; 1 driver.cuda=12.4", "windows");
    expect_n(utf16, sizeof utf16 - 1, "1 driver.version=551.78", "windows");
    expect_n(bare, sizeof bare - 1, "1 driver.version=551.78", "windows");
    expect("Driver Version: 99999999999999999999999999999999999999999999999999999999999999999999.1\n", "", "");
    expect("Driver Version: 5..5\nDriver Version: 535.183.01rc\nDriver Version: .5\n", "", "");
    expect("\033[\033]\033", "", "");
    expect("Driver Version: 470.1\b\b82.03\n", "1 driver.version=47082.03", ""); /* as it would be seen */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(smi_of_every_generation), cmocka_unit_test(other_programs),
                                       cmocka_unit_test(silence), cmocka_unit_test(rivals), cmocka_unit_test(hostile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
