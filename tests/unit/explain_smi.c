/* What nvidia-smi prints, pasted: cards, processes, failures. Each text names who published it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "explain/explain.h"

/* "index bus name used/total MiB C W mode mig/devices ecc/errors persistence nvml; ... | pid name kind MiB bus ..." */
static void show_int(struct tn_buf *b, const char *head, struct tn_int f, long long unit)
{
    if (f.k == TN_KNOWN)
        tn_buf_printf(b, " %s%lld", head, (long long)f.v / unit);
}

static void show_str(struct tn_buf *b, const char *head, struct tn_str f)
{
    if (tn_known(f))
        tn_buf_printf(b, " %s%s", head, f.v);
}

static void show(const struct tn_snap *s, struct tn_buf *b)
{
    tn_buf_printf(b, "driver");
    show_str(b, "", TN_THE(s, driver)->version);
    show_str(b, "cuda=", TN_THE(s, driver)->cuda);
    show_str(b, "nvml=", TN_THE(s, driver)->nvml);
    show_int(b, "loaded=", TN_THE(s, driver)->loaded, 1);
    for (size_t i = 0; i < s->gpu.n; i++) {
        const struct tn_rec_gpu *g = &s->gpu.v[i];
        tn_buf_printf(b, "; gpu");
        show_int(b, "", g->index, 1);
        show_str(b, "", g->bus);
        show_str(b, "", g->name);
        show_str(b, "id=", g->device_id);
        show_int(b, "mib=", g->used_bytes, 1 << 20);
        show_int(b, "of=", g->memory_bytes, 1 << 20);
        show_int(b, "c=", g->temperature_c, 1);
        show_int(b, "mw=", g->power_mw, 1);
        show_int(b, "max=", g->power_limit_mw, 1);
        show_str(b, "", g->compute_mode);
        show_int(b, "mig=", g->mig, 1);
        show_int(b, "devices=", g->mig_devices, 1);
        show_int(b, "ecc=", g->ecc, 1);
        show_int(b, "errors=", g->ecc_errors, 1);
        show_int(b, "rows=", g->rows_pending, 1);
        show_int(b, "persistence=", g->persistence, 1);
        show_str(b, "", g->driver_model);
        show_str(b, "nvml=", g->nvml);
        show_str(b, "virtual=", g->virtual);
        show_str(b, "license=", g->license);
        if (g->memory_bytes.k == TN_ABSENT)
            tn_buf_printf(b, " shared");
    }
    for (size_t i = 0; i < s->process.n; i++) {
        const struct tn_rec_process *p = &s->process.v[i];
        tn_buf_printf(b, "; process");
        show_int(b, "", p->pid, 1);
        show_str(b, "", p->name);
        show_str(b, "", p->kind);
        show_int(b, "mib=", p->memory_bytes, 1 << 20);
        show_str(b, "", p->gpu);
    }
}

static void expect(const char *text, const char *want)
{
    struct tn_snap s;
    struct tn_buf b;
    tn_snap_init(&s);
    tn_buf_init(&b);
    tn_explain_text(tn_span_of(text, strlen(text)), &s);
    show(&s, &b);
    assert_string_equal(b.p, want);
    assert_int_equal(s.gpu.listed, TN_UNASKED); /* a text may be cut */
    tn_buf_deinit(&b);
    tn_snap_deinit(&s);
}

/* NVIDIA/DIGITS issue 2005 (a bar of its heading is lost there, kept so). */
static const char k40[] = "| NVIDIA-SMI 375.26                 Driver Version: 375.26                    |\n"
                          "|-------------------------------+----------------------+----------------------+\n"
                          "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
                          "| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |\n"
                          "|===============================+======================+|\n"
                          "|   0  Tesla K40m          On   | 0000:04:00.0     Off |                    0 |\n"
                          "| N/A   35C    P0    63W / 235W |     74MiB / 11439MiB |      0%   E. Process |\n"
                          "+-------------------------------+----------------------+----------------------+\n";
/* AlexeyAB/darknet issue 86. */
static const char w840m[] = "| NVIDIA-SMI 369.30                 Driver Version: 369.30                    |\n"
                            "|-------------------------------+----------------------+----------------------+\n"
                            "| GPU  Name            TCC/WDDM | Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
                            "| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |\n"
                            "|===============================+======================+======================|\n"
                            "|   0  GeForce 840M       WDDM  | 0000:03:00.0     Off |                  N/A |\n"
                            "| N/A   37C    P8    N/A /  N/A |     52MiB /  2048MiB |      0%      Default |\n";
/* sgl-project/sglang issue 27487 (first two of its cards). */
static const char b200[] =
    "+-----------------------------------------------------------------------------------------+\n"
    "| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |\n"
    "+-----------------------------------------+------------------------+----------------------+\n"
    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
    "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
    "|                                         |                        |               MIG M. |\n"
    "|=========================================+========================+======================|\n"
    "|   0  NVIDIA B200                    On  |   00000000:63:00.0 Off |                    0 |\n"
    "| N/A   26C    P0            139W / 1000W |       0MiB / 183359MiB |      0%      Default |\n"
    "|                                         |                        |             Disabled |\n"
    "+-----------------------------------------+------------------------+----------------------+\n"
    "|   1  NVIDIA B200                    On  |   00000000:68:00.0 Off |                    0 |\n"
    "| N/A   30C    P0            142W / 1000W |       0MiB / 183359MiB |      0%      Default |\n"
    "|                                         |                        |             Disabled |\n"
    "+-----------------------------------------+------------------------+----------------------+\n";
static const char b200_facts[] =
    "driver 610.43.02 cuda=13.3 nvml=NVML_SUCCESS loaded=1"
    "; gpu 0 0000:63:00.0 NVIDIA B200 mib=0 of=183359 c=26 mw=139000 max=1000000 default mig=0 ecc=1 errors=0 "
    "persistence=1"
    "; gpu 1 0000:68:00.0 NVIDIA B200 mib=0 of=183359 c=30 mw=142000 max=1000000 default mig=0 ecc=1 errors=0 "
    "persistence=1";

static void tables(void **state)
{
    (void)state;
    expect(k40, "driver 375.26 nvml=NVML_SUCCESS loaded=1; gpu 0 0000:04:00.0 Tesla K40m mib=74 of=11439 c=35 mw=63000 "
                "max=235000 exclusive_process ecc=1 errors=0 persistence=1");
    expect(w840m, "driver 369.30 nvml=NVML_SUCCESS loaded=1; gpu 0 0000:03:00.0 GeForce 840M mib=52 of=2048 c=37 "
                  "default wddm");
    expect(b200, b200_facts);
}

/* Two processes that share a card through MPS, in the form of an answer that was posted (kind M+C). */
static void mps(void **state)
{
    (void)state;
    expect(
        "| NVIDIA-SMI 460.32.03    Driver Version: 460.32.03    CUDA Version: 11.2     |\n"
        "|   0  Tesla T4            On   | 00002C74:00:00.0 Off |                    0 |\n"
        "| N/A   36C    P8     9W /  70W |     28MiB / 15109MiB |      0%   E. Process |\n"
        "|                               |                      |                  N/A |\n"
        "+-------------------------------+----------------------+----------------------+\n"
        "| Processes:                                                                  |\n"
        "|  GPU   GI   CI        PID   Type   Process name                  GPU Memory |\n"
        "|        ID   ID                                                   Usage      |\n"
        "|=============================================================================|\n"
        "|    0   N/A  N/A    122792      C   nvidia-cuda-mps-server             25MiB |\n",
        "driver 460.32.03 cuda=11.2 nvml=NVML_SUCCESS loaded=1; gpu 0 2c74:00:00.0 Tesla T4 mib=28 of=15109 c=36 "
        "mw=9000 max=70000 exclusive_process ecc=1 errors=0 persistence=1; process 122792 nvidia-cuda-mps-server mps "
        "mib=25 2c74:00:00.0");
}

/* GPUs that share the machine's memory: NVIDIA/k8s-device-plugin issue 1482 (DGX Spark); a Jetson Orin, on no bus. */
static void integrated(void **state)
{
    (void)state;
    expect("| NVIDIA-SMI 580.95.05              Driver Version: 580.95.05      CUDA Version: 13.0     |\n"
           "|   0  NVIDIA GB10                    On  |   0000000F:01:00.0 Off |                  N/A |\n"
           "| N/A   40C    P8              4W /  N/A  | Not Supported          |      0%      Default |\n"
           "|                                         |                        |                  N/A |\n",
           "driver 580.95.05 cuda=13.0 nvml=NVML_SUCCESS loaded=1; gpu 0 000f:01:00.0 NVIDIA GB10 c=40 mw=4000 default "
           "persistence=1 shared");
    expect("| NVIDIA-SMI 540.4.0                Driver Version: 540.4.0      CUDA Version: 12.6     |\n"
           "|   0  Orin (nvgpu)                  N/A  | N/A              N/A |                  N/A |\n"
           "| N/A   N/A  N/A               N/A /  N/A | Not Supported        |     N/A          N/A |\n"
           "|                                         |                      |                  N/A |\n",
           "driver 540.4.0 cuda=12.6 nvml=NVML_SUCCESS loaded=1; gpu 0 Orin (nvgpu) shared");
    /* No card at all: a line of words. */
    expect("|   0  something                     N/A  | N/A              Off |                  N/A |\n", "driver");
}

/* The licence of a vGPU (nvidia-smi -q in three public copies: NVIDIA AI Enterprise, Virtual Compute Server, none yet).
 * On the host the same key stands below each of its vGPUs, and speaks of none of its cards. */
static void licence(void **state)
{
    static const char *const cases[][2] = {{"Licensed (Expiry: 2025-3-19 7:29:4 GMT)", " license=licensed"},
                                           {"Unlicensed (Unrestricted)", " license=unlicensed"},
                                           {"Unlicensed", " license=unlicensed"},
                                           {"N/A (Expiry: N/A)", ""},
                                           {"Licensed by nobody knows whom in the world", " license=licensed"}};
    char text[512], want[256];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text,
                 "Attached vGPUs                            : 1\nGPU 00000000:02:00.0\n"
                 "    GPU Virtualization Mode\n        Virtualization Mode               : VGPU\n"
                 "    vGPU Software Licensed Product\n        Product Name                      : NVIDIA vCS\n"
                 "        License Status                    : %s\n",
                 cases[i][0]);
        snprintf(want, sizeof want, "driver nvml=NVML_SUCCESS loaded=1; gpu 0 0000:02:00.0 virtual=vgpu%s",
                 cases[i][1]);
        expect(text, want);
    }
    expect("<nvidia_smi_log><gpu id=\"0000:07:00.0\"><gpu_virtualization_mode><virtualization_mode>Host VGPU"
           "</virtualization_mode></gpu_virtualization_mode><vgpu_software_licensed_product><license_status>Unlicensed "
           "(Restricted)</license_status></vgpu_software_licensed_product></gpu></nvidia_smi_log>",
           "driver nvml=NVML_SUCCESS loaded=1; gpu 0000:07:00.0 virtual=host_vgpu license=unlicensed");
}

/* A cloud provider's note on upgrades: a card that answers nothing. */
static void err(void **state)
{
    (void)state;
    expect("|   5  ERR!                On   | 00000000:91:00.0 Off |                 ERR! |\n"
           "|ERR!  ERR! ERR!    ERR! / ERR! |      0MiB / 81920MiB |    ERR!      Default |\n"
           "|                               |                      |                 ERR! |\n",
           "driver nvml=NVML_SUCCESS loaded=1; gpu 5 0000:91:00.0 mib=0 of=81920 default nvml=NVML_ERROR_UNKNOWN");
}

/* XuehaiPan/nvitop pull request 8 (its MIG and process blocks; the cards' rows are cut to what tells them apart). */
static const char mig[] = "| NVIDIA-SMI 510.47.03    Driver Version: 510.47.03    CUDA Version: 11.6     |\n"
                          "|   0  NVIDIA A100-PCI...  On   | 00000000:21:00.0 Off |                    0 |\n"
                          "|                               |                      |             Disabled |\n"
                          "|   1  NVIDIA A100-PCI...  On   | 00000000:81:00.0 Off |                   On |\n"
                          "|                               |                      |              Enabled |\n"
                          "|   2  NVIDIA A100-PCI...  On   | 00000000:E2:00.0 Off |                   On |\n"
                          "|                               |                      |              Enabled |\n"
                          "+-----------------------------------------------------------------------------+\n"
                          "| MIG devices:                                                                |\n"
                          "+------------------+----------------------+-----------+-----------------------+\n"
                          "| GPU  GI  CI  MIG |         Memory-Usage |        Vol|         Shared        |\n"
                          "|      ID  ID  Dev |           BAR1-Usage | SM     Unc| CE  ENC  DEC  OFA  JPG|\n"
                          "|                  |                      |        ECC|                       |\n"
                          "|==================+======================+===========+=======================|\n"
                          "|  1    3   0   0  |  14366MiB / 19968MiB | 28      0 |  2   0    1    0    0 |\n"
                          "|                  |      4MiB / 32767MiB |           |                       |\n"
                          "+------------------+----------------------+-----------+-----------------------+\n"
                          "|  1    5   0   1  |   9826MiB / 19968MiB | 28      0 |  2   0    1    0    0 |\n";
static const char mig_end[] = "| Processes:                                                                  |\n"
                              "|  GPU   GI   CI        PID   Type   Process name                  GPU Memory |\n"
                              "|    0   N/A  N/A     23824      C   python                          10725MiB |\n"
                              "|    1    3    0      34965      C   python                          14195MiB |\n"
                              "|    2    3    0       1200    M+C   trainer                              N/A |\n";

static void mig_devices(void **state)
{
    char text[4096];
    (void)state;
    /* Cut in the middle: whether card 2 has devices was not told. */
    expect(mig, "driver 510.47.03 cuda=11.6 nvml=NVML_SUCCESS loaded=1"
                "; gpu 0 0000:21:00.0 NVIDIA A100-PCI... mig=0 ecc=1 errors=0 persistence=1"
                "; gpu 1 0000:81:00.0 NVIDIA A100-PCI... mig=1 devices=2 ecc=1 persistence=1"
                "; gpu 2 0000:e2:00.0 NVIDIA A100-PCI... mig=1 ecc=1 persistence=1");
    snprintf(text, sizeof text, "%s%s", mig, mig_end);
    expect(text, "driver 510.47.03 cuda=11.6 nvml=NVML_SUCCESS loaded=1"
                 "; gpu 0 0000:21:00.0 NVIDIA A100-PCI... mig=0 ecc=1 errors=0 persistence=1"
                 "; gpu 1 0000:81:00.0 NVIDIA A100-PCI... mig=1 devices=2 ecc=1 persistence=1"
                 "; gpu 2 0000:e2:00.0 NVIDIA A100-PCI... mig=1 devices=0 ecc=1 persistence=1"
                 "; process 23824 python compute mib=10725 0000:21:00.0"
                 "; process 34965 python compute mib=14195 0000:81:00.0"
                 "; process 1200 trainer mps 0000:e2:00.0");
}

/* influxdata/telegraf, plugins/inputs/nvidia_smi/testdata: rtx-3080-v13.xml and tesla-t4.xml, shortened. */
static const char v13[] =
    "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v13.dtd\">\n<nvidia_smi_log>\n"
    "\t<driver_version>595.58.03</driver_version>\n\t<cuda_version>13.2</cuda_version>\n"
    "\t<attached_gpus>1</attached_gpus>\n\t<gpu id=\"00000000:0C:00.0\">\n"
    "\t\t<product_name>NVIDIA GeForce RTX 3080</product_name>\n\t\t<persistence_mode>Disabled</persistence_mode>\n"
    "\t\t<mig_mode>\n\t\t\t<current_mig>N/A</current_mig>\n\t\t</mig_mode>\n"
    "\t\t<mig_devices>\n\t\t\tNone\n\t\t</mig_devices>\n"
    "\t\t<pci>\n\t\t\t<pci_device_id>221610DE</pci_device_id>\n\t\t</pci>\n"
    "\t\t<fb_memory_usage>\n\t\t\t<total>10240 MiB</total>\n\t\t\t<used>9184 MiB</used>\n\t\t</fb_memory_usage>\n"
    "\t\t<bar1_memory_usage>\n\t\t\t<total>16384 MiB</total>\n\t\t</bar1_memory_usage>\n"
    "\t\t<compute_mode>Default</compute_mode>\n"
    "\t\t<ecc_errors>\n\t\t\t<volatile>\n\t\t\t\t<sram_uncorrectable_parity>1</sram_uncorrectable_parity>\n"
    "\t\t\t\t<dram_uncorrectable>2</dram_uncorrectable>\n\t\t\t</volatile>\n"
    "\t\t\t<aggregate>\n\t\t\t\t<dram_uncorrectable>7</dram_uncorrectable>\n\t\t\t</aggregate>\n\t\t</ecc_errors>\n"
    "\t\t<remapped_rows>\n\t\t\t<remapped_row_pending>No</remapped_row_pending>\n\t\t</remapped_rows>\n"
    "\t\t<temperature>\n\t\t\t<gpu_temp>42 C</gpu_temp>\n\t\t</temperature>\n"
    "\t\t<gpu_power_readings>\n\t\t\t<instant_power_draw>142.33 W</instant_power_draw>\n\t\t</gpu_power_readings>\n"
    "\t\t<processes>\n\t\t\t<process_info>\n\t\t\t\t<pid>5762</pid>\n\t\t\t\t<type>C</type>\n"
    "\t\t\t\t<process_name>python</process_name>\n\t\t\t\t<used_memory>1005 MiB</used_memory>\n"
    "\t\t\t</process_info>\n\t\t</processes>\n\t</gpu>\n</nvidia_smi_log>\n";
static const char v13_facts[] =
    "driver 595.58.03 cuda=13.2 nvml=NVML_SUCCESS loaded=1; gpu 0 0000:0c:00.0 NVIDIA GeForce RTX 3080 id=0x2216 "
    "mib=9184 of=10240 c=42 mw=142330 default errors=3 rows=0 persistence=0; process 5762 python compute mib=1005 "
    "0000:0c:00.0";

static void xml(void **state)
{
    (void)state;
    expect(v13, v13_facts);
    /* Nothing is replaced, nothing is fetched, and markup that is no element is no value. */
    expect("<!DOCTYPE nvidia_smi_log [ <!ENTITY a \"535.1\"> <!ENTITY b SYSTEM \"file:///etc/passwd\"> ]>\n"
           "<nvidia_smi_log><driver_version>&a;</driver_version><cuda_version>&b;</cuda_version>"
           "<!-- <driver_version>1.2</driver_version> --><![CDATA[<driver_version>1.3</driver_version>]]>"
           "<gpu id=\"00000000:0C:00.0\"><product_name>&b;</product_name><minor_number/></gpu></nvidia_smi_log>",
           "driver nvml=NVML_SUCCESS loaded=1; gpu 0000:0c:00.0 &b;");
    /* Cut, badly nested, deep. */
    expect("<nvidia_smi_log><gpu id=\"00000000:0C:00.0\"><product_name>Tesla T4</product_name><fb_memory_usa",
           "driver nvml=NVML_SUCCESS loaded=1; gpu 0000:0c:00.0 Tesla T4");
    expect("<nvidia_smi_log><a><b><c><d><e><f><g><h><i><j><k><l><m><n>1</n></m></l></k></j></i></h></g></f></e></d></c>"
           "</b></a></x></nvidia_smi_log><driver_version>535.54.03</driver_version>",
           "driver");
    /* MIG on and none made, as <mig_devices> says when it is whole. */
    expect("<nvidia_smi_log><gpu id=\"0000:07:00.0\"><mig_mode><current_mig>Enabled</current_mig></mig_mode>"
           "<mig_devices>None</mig_devices></gpu></nvidia_smi_log>",
           "driver nvml=NVML_SUCCESS loaded=1; gpu 0000:07:00.0 mig=1 devices=0");
}

/* The number of a card follows from its place only where all are listed. */
static void numbers(void **state)
{
    (void)state;
    expect("Attached GPUs                             : 2\nGPU 00000000:01:00.0\n    Minor Number : 1\n"
           "GPU 00000000:02:00.0\n    Minor Number : 0\n",
           "driver nvml=NVML_SUCCESS loaded=1; gpu 0 0000:01:00.0; gpu 1 0000:02:00.0");
    expect("Attached GPUs                             : 2\nGPU 00000000:02:00.0\n    Minor Number : 0\n",
           "driver nvml=NVML_SUCCESS loaded=1; gpu 0000:02:00.0");
    expect("<nvidia_smi_log><attached_gpus>2</attached_gpus><gpu id=\"0000:07:00.0\"/><gpu id=\"0000:08:00.0\"/>"
           "</nvidia_smi_log>",
           "driver nvml=NVML_SUCCESS loaded=1; gpu 0 0000:07:00.0; gpu 1 0000:08:00.0");
    expect("<nvidia_smi_log><gpu id=\"0000:07:00.0\"><product_name>GPU is lost</product_name></gpu></nvidia_smi_log>",
           "driver nvml=NVML_SUCCESS loaded=1; gpu 0000:07:00.0 nvml=NVML_ERROR_GPU_IS_LOST");
}

/* MatthiasSchinzel/sysmon issue 12; a page on nvidia-smi -q (processes). */
static void query(void **state)
{
    (void)state;
    expect("==============NVSMI LOG==============\n\n"
           "Timestamp                                 : Sat Oct 10 17:02:53 2020\n"
           "Driver Version                            : 450.66\n"
           "CUDA Version                              : 11.0\n\n"
           "Attached GPUs                             : 1\n"
           "GPU 00000000:01:00.0\n"
           "    Product Name                          : GeForce GTX 780\n"
           "    Persistence Mode                      : Disabled\n"
           "    MIG Mode\n"
           "        Current                           : N/A\n"
           "    FB Memory Usage\n"
           "        Total                             : 3016 MiB\n"
           "        Used                              : 5 MiB\n"
           "    BAR1 Memory Usage\n"
           "        Total                             : 128 MiB\n"
           "    Compute Mode                          : Exclusive_Process\n"
           "    ECC Errors\n"
           "        Volatile\n"
           "            SRAM Uncorrectable            : N/A\n"
           "            DRAM Uncorrectable            : 2\n"
           "        Aggregate\n"
           "            DRAM Uncorrectable            : 9\n"
           "    Temperature\n"
           "        GPU Current Temp                  : 33 C\n"
           "    Power Readings\n"
           "        Power Draw                        : 72.02 W\n"
           "    Processes\n"
           "        GPU instance ID                   : N/A\n"
           "        Compute instance ID               : N/A\n"
           "        Process ID                        : 315406\n"
           "            Type                          : C\n"
           "            Name                          : /usr/bin/python\n"
           "            Used GPU Memory               : 31181 MiB\n",
           "driver 450.66 cuda=11.0 nvml=NVML_SUCCESS loaded=1; gpu 0 0000:01:00.0 GeForce GTX 780 mib=5 of=3016 c=33 "
           "mw=72020 exclusive_process errors=2 persistence=0; process 315406 /usr/bin/python compute mib=31181 "
           "0000:01:00.0");
    expect("GPU 0: NVIDIA GeForce RTX 2080 Ti (UUID: GPU-67a571b1-79ee-1016-8ea3-c1fff3f1c1d2)\n", /* open-gpu-kernel
                                                                                               modules issue 387 */
           "driver nvml=NVML_SUCCESS loaded=1; gpu 0 NVIDIA GeForce RTX 2080 Ti");
}

/* Drivers 470, 525 and 535 without a module, without rights and with a foreign library; JosephKJ/OWOD issue 81 and
 * syno_nvidia_gpu_driver issue 22 for lost cards; darknet issue 86 for the broken line. */
static void failures(void **state)
{
    (void)state;
    expect("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
           "NVIDIA driver is installed and running.\n\n",
           "driver nvml=NVML_ERROR_DRIVER_NOT_LOADED");
    expect("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA Display "
           "Driver is properly installed and present in your system.\n",
           "driver nvml=NVML_ERROR_LIBRARY_NOT_FOUND");
    expect("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 535.309\n",
           "driver nvml=NVML_ERROR_LIB_RM_VERSION_MISMATCH loaded=1");
    expect("Failed to initialize NVML: Unknown Error\n", "driver nvml=NVML_ERROR_UNKNOWN");
    expect("Failed to initialize NVML: Insufficient Permissions\n", "driver nvml=NVML_ERROR_NO_PERMISSION");
    expect("Mismatch in versions between nvidia-smi and NVML.\nAre you sure you are using nvidia-smi provided with the "
           "driver?\n",
           "driver nvml=other");
    expect("No devices were found\n", "driver nvml=NVML_SUCCESS loaded=1");
    expect("Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost. Reboot the system to recover this "
           "GPU\n",
           "driver nvml=NVML_SUCCESS loaded=1; gpu 0000:02:00.0 nvml=NVML_ERROR_GPU_IS_LOST");
    expect("Unable to determine the device handle for GPU0000:07:00.0: Unknown Error\n",
           "driver nvml=NVML_SUCCESS loaded=1; gpu 0000:07:00.0 nvml=NVML_ERROR_UNKNOWN");
    expect("        Unable to determine the device handle for GPU 0000:03:00.0: GPU is lost.  Reboot\n"
           "         the system to recover this GPU\n",
           "driver nvml=NVML_SUCCESS loaded=1; gpu 0000:03:00.0 nvml=NVML_ERROR_GPU_IS_LOST");
    expect("Failed to initialize NVML: something new\n", "driver");
}

/* The same table broken at 80 columns, with and without the blanks at the break; twice (watch); cut anywhere. */
static void broken(void **state)
{
    char text[8192];
    size_t n = 0, column = 0;
    (void)state;
    for (int trim = 0; trim < 2; trim++) {
        n = column = 0;
        for (const char *p = b200; *p; p++) {
            if (column == 80 && *p != '\n') {
                while (trim && n && text[n - 1] == ' ')
                    n--;
                text[n++] = '\n';
                column = 0;
            }
            text[n++] = *p;
            column = *p == '\n' ? 0 : column + 1;
        }
        text[n] = 0;
        expect(text, b200_facts);
    }
    snprintf(text, sizeof text, "%s\033[H\033[JEvery 2.0s: nvidia-smi\n\n%s", k40, b200);
    expect(text, b200_facts);
    expect("> | NVIDIA-SMI 369.30                 Driver Version: 369.30                    |\n"
           "> |   0  GeForce 840M       WDDM  | 0000:03:00.0     Off |                  N/A |\n", /* quoted */
           "driver 369.30 nvml=NVML_SUCCESS loaded=1; gpu 0 0000:03:00.0 GeForce 840M wddm");
    for (size_t cut = 0; cut < sizeof v13; cut++) {
        struct tn_snap s;
        tn_snap_init(&s);
        tn_explain_text(tn_span_of(v13, cut), &s);
        for (size_t i = 0; i < s.gpu.n; i++)
            assert_true(s.gpu.v[i].mig_devices.k == TN_UNASKED && s.gpu.v[i].nvml.k == TN_UNASKED);
        tn_snap_deinit(&s);
    }
}

/* Each reading is an observation with its line; contradictions are kept; a serial number is not repeated. */
static void observations(void **state)
{
    struct tn_snap s;
    bool rival = false;
    (void)state;
    tn_snap_init(&s);
    static const char text[] = "GPU 00000000:01:00.0\n    GPU UUID                              : GPU-a230e637\n"
                               "    Compute Mode                          : Default\n"
                               "    Compute Mode                          : Prohibited\n";
    tn_explain_text(tn_span_of(text, sizeof text - 1), &s);
    assert_string_equal(s.gpu.v[0].uuid.v, "GPU-a230e637");
    assert_string_equal(s.gpu.v[0].compute_mode.v, "prohibited");
    for (size_t i = 0; i < s.observation.n; i++) {
        const struct tn_rec_observation *o = &s.observation.v[i];
        assert_null(strstr(o->fact.v, "uuid"));
        if (tn_known(o->rival)) {
            assert_string_equal(o->fact.v, "gpu[0].compute_mode");
            assert_string_equal(o->value.v, "prohibited");
            assert_string_equal(o->rival.v, "default");
            assert_int_equal(o->line.v, 4);
            rival = true;
        }
    }
    assert_true(rival);
    tn_snap_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),      cmocka_unit_test(mps),        cmocka_unit_test(err),
        cmocka_unit_test(mig_devices), cmocka_unit_test(integrated), cmocka_unit_test(licence),
        cmocka_unit_test(xml),         cmocka_unit_test(query),      cmocka_unit_test(numbers),
        cmocka_unit_test(failures),    cmocka_unit_test(broken),     cmocka_unit_test(observations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
