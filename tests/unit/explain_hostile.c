/* Text of nvidia-smi as nobody printed it on purpose: cut at every length, mixed with other programs' errors, in other
 * languages around it, XML that is a bomb. What is read stays true of the whole text, or is not read. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "explain/explain.h"

/* influxdata/telegraf, tesla-t4.xml; sglang issue 27487; nvitop pull request 8; sysmon issue 12: shortened. */
static const char *const texts[] = {
    "+-----------------------------------------------------------------------------------------+\n"
    "| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |\n"
    "+-----------------------------------------+------------------------+----------------------+\n"
    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
    "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
    "|                                         |                        |               MIG M. |\n"
    "|=========================================+========================+======================|\n"
    "|   0  NVIDIA B200                    On  |   00000000:63:00.0 Off |                    0 |\n"
    "| N/A   26C    P0            139W / 1000W |     112MiB / 183359MiB |      0%      Default |\n"
    "|                                         |                        |             Disabled |\n"
    "+-----------------------------------------+------------------------+----------------------+\n"
    "|   1  NVIDIA B200                    On  |   00000000:68:00.0 Off |                   12 |\n"
    "| N/A   30C    P0            142W / 1000W |       0MiB / 183359MiB |      0%   E. Process |\n"
    "|                                         |                        |             Disabled |\n"
    "+-----------------------------------------+------------------------+----------------------+\n",
    "| NVIDIA-SMI 510.47.03    Driver Version: 510.47.03    CUDA Version: 11.6     |\n"
    "|   1  NVIDIA A100-PCI...  On   | 00000000:81:00.0 Off |                   On |\n"
    "|                               |                      |              Enabled |\n"
    "| MIG devices:                                                                |\n"
    "|  1    3   0   0  |  14366MiB / 19968MiB | 28      0 |  2   0    1    0    0 |\n"
    "| Processes:                                                                  |\n"
    "|    1    3    0      34965      C   python                          14195MiB |\n",
    "==============NVSMI LOG==============\n\n"
    "Driver Version                            : 450.66\n"
    "CUDA Version                              : 11.0\n\n"
    "Attached GPUs                             : 1\n"
    "GPU 00000000:01:00.0\n"
    "    Product Name                          : GeForce GTX 780\n"
    "    Persistence Mode                      : Disabled\n"
    "    FB Memory Usage\n"
    "        Total                             : 3016 MiB\n"
    "        Used                              : 51 MiB\n"
    "    Compute Mode                          : Exclusive_Process\n"
    "    ECC Errors\n"
    "        Volatile\n"
    "            DRAM Uncorrectable            : 24\n"
    "    Temperature\n"
    "        GPU Current Temp                  : 33 C\n"
    "    Processes\n"
    "        Process ID                        : 315406\n"
    "            Type                          : C\n"
    "            Name                          : /usr/bin/python\n"
    "            Used GPU Memory               : 31181 MiB\n"
    "\n",
    "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v11.dtd\">\n<nvidia_smi_log>\n"
    "\t<driver_version>535.58.03</driver_version>\n\t<cuda_version>12.2</cuda_version>\n"
    "\t<attached_gpus>1</attached_gpus>\n\t<gpu id=\"00000000:0C:00.0\">\n"
    "\t\t<product_name>Tesla T4</product_name>\n\t\t<persistence_mode>Enabled</persistence_mode>\n"
    "\t\t<fb_memory_usage>\n\t\t\t<total>15360 MiB</total>\n\t\t\t<used>2918 MiB</used>\n\t\t</fb_memory_usage>\n"
    "\t\t<compute_mode>Default</compute_mode>\n"
    "\t\t<ecc_errors>\n\t\t\t<volatile>\n\t\t\t\t<dram_uncorrectable>22</dram_uncorrectable>\n\t\t\t</volatile>\n"
    "\t\t</ecc_errors>\n\t\t<temperature>\n\t\t\t<gpu_temp>42 C</gpu_temp>\n\t\t</temperature>\n"
    "\t\t<processes>\n\t\t\t<process_info>\n\t\t\t\t<pid>5762</pid>\n\t\t\t\t<type>C</type>\n"
    "\t\t\t\t<used_memory>1005 MiB</used_memory>\n\t\t\t</process_info>\n\t\t</processes>\n\t</gpu>\n"
    "</nvidia_smi_log>\n"};

static void read_text(struct tn_snap *s, const char *text, size_t n)
{
    tn_snap_init(s);
    tn_explain_text(tn_span_of(text, n), s);
}

static const struct tn_rec_observation *same_in(const struct tn_snap *s, const struct tn_rec_observation *o)
{
    for (size_t i = 0; i < s->observation.n; i++) {
        const struct tn_rec_observation *w = &s->observation.v[i];
        if (tn_says(w->fact, o->fact.v) && w->line.v == o->line.v &&
            (tn_known(o->value) ? tn_says(w->value, o->value.v) : w->value.k == o->value.k))
            return w;
    }
    return NULL;
}

/* Each statement that ends before the cut is one of the whole text. In the line that is cut, a table and XML say a
 * value only with what closes it; a list of "key : value" cannot, so that there it begins as the whole one. */
static void cut_at_every_length(void **state)
{
    (void)state;
    for (size_t t = 0; t < TN_LEN(texts); t++) {
        struct tn_snap whole, s;
        size_t n = strlen(texts[t]), lines = 1, said = 0;
        bool list = strstr(texts[t], "NVSMI LOG") != NULL;
        read_text(&whole, texts[t], n);
        assert_true(whole.observation.n > 5);
        for (size_t cut = 0; cut <= n; cut++) {
            read_text(&s, texts[t], cut);
            for (size_t i = 0; i < s.observation.n; i++) {
                const struct tn_rec_observation *o = &s.observation.v[i];
                if (list && o->line.v == (int64_t)lines) /* the cut line */
                    continue;
                if (!same_in(&whole, o))
                    fail_msg("text %u cut at %u says %s = %s in line %d", (unsigned)t, (unsigned)cut, o->fact.v,
                             tn_known(o->value) ? o->value.v : "(absent)", (int)o->line.v);
                said++;
            }
            assert_true(s.gpu.n <= whole.gpu.n && s.process.n <= whole.process.n);
            assert_int_equal(s.gpu.listed, TN_UNASKED); /* more of them may follow */
            for (size_t i = 0; i < s.gpu.n; i++)
                assert_true(tn_known(s.gpu.v[i].bus) && tn_says(whole.gpu.v[i].bus, s.gpu.v[i].bus.v));
            tn_snap_deinit(&s);
            lines += cut < n && texts[t][cut] == '\n';
        }
        assert_true(said > n); /* they do say something */
        tn_snap_deinit(&whole);
    }
}

/* What else a terminal shows, in five languages; between any two lines. None of it speaks of a card. */
static const char *const noise[] = {
    "bash: /home/u/.bashrc: line 3: module: command not found\n",
    "bash: Warnung: setlocale: LC_ALL: Kann die Regionseinstellungen nicht ändern (de_DE.UTF-8)\n",
    "bash: 警告:setlocale: LC_ALL: 无法改变区域选项 (zh_CN.UTF-8)\n",
    "Sa 31. Mai 10:02:11 CEST 2025\n",
    "2025年 05月 31日 星期六 10:02:11 CST\n",
    "tail: 无法打开'/var/log/x' 读取数据: 权限不够\n",
    "ssh: connect to host node7 port 22: Connexion refusée\n",
    "Warning: infoROM is corrupted at gpu 0000:99:00.0\n", /* of a card that the text does not list */
    "garbage \x80\xff \x1b[31m | | | \r\n",
    "| | | | | | | | |\n",
    "<b>not an element of it</b>\n",
    "\n\n"};

static void mixed_with_errors(void **state)
{
    (void)state;
    for (size_t t = 0; t < 2; t++) /* tables: lines of an XML or of a list belong together */
        for (size_t k = 0; k < TN_LEN(noise); k++) {
            struct tn_snap whole, s;
            struct tn_buf b;
            struct tn_span rest = tn_span_str(texts[t]), line;
            read_text(&whole, texts[t], strlen(texts[t]));
            tn_buf_init(&b);
            while (tn_span_line(&rest, &line)) {
                tn_buf_str(&b, noise[k]);
                tn_buf_add(&b, line.p, line.n);
                tn_buf_ch(&b, '\n');
            }
            read_text(&s, b.p, b.n);
            assert_int_equal(s.gpu.n, whole.gpu.n);
            assert_int_equal(s.process.n, whole.process.n);
            for (size_t i = 0; i < s.gpu.n; i++) {
                const struct tn_rec_gpu *a = &s.gpu.v[i], *w = &whole.gpu.v[i];
                assert_string_equal(a->bus.v, w->bus.v);
                assert_string_equal(a->name.v, w->name.v);
                assert_int_equal(a->used_bytes.v, w->used_bytes.v);
                assert_int_equal(a->used_bytes.k, w->used_bytes.k);
                assert_int_equal(a->ecc_errors.v, w->ecc_errors.v);
                assert_int_equal(a->mig.v, w->mig.v);
                assert_int_equal(a->nvml.k, w->nvml.k);
            }
            assert_string_equal(TN_THE(&s, driver)->version.v, TN_THE(&whole, driver)->version.v);
            tn_buf_deinit(&b);
            tn_snap_deinit(&s);
            tn_snap_deinit(&whole);
        }
}

/* An error in the middle of a list: the last word counts, for that card. */
static void error_of_one_card(void **state)
{
    struct tn_snap s;
    static const char text[] =
        "Unable to determine the device handle for GPU 0000:68:00.0: Unknown Error\n"
        "|   0  NVIDIA B200                    On  |   00000000:63:00.0 Off |                    0 |\n"
        "| N/A   26C    P0            139W / 1000W |     112MiB / 183359MiB |      0%      Default |\n";
    (void)state;
    read_text(&s, text, sizeof text - 1);
    assert_int_equal(s.gpu.n, 2);
    assert_string_equal(s.gpu.v[0].nvml.v, "NVML_ERROR_UNKNOWN");
    assert_int_equal(s.gpu.v[1].nvml.k, TN_UNASKED);
    assert_int_equal(s.gpu.v[1].used_bytes.v, 112ll << 20);
    tn_snap_deinit(&s);
}

/* Entities are text: the billion laughs stay nine lines, quadratic ones are not even longer than they are. */
static void entity_bombs(void **state)
{
    struct tn_snap s;
    struct tn_buf b;
    (void)state;
    tn_buf_init(&b);
    tn_buf_str(&b, "<?xml version=\"1.0\"?>\n<!DOCTYPE nvidia_smi_log [\n<!ENTITY l0 \"535.1\">\n");
    for (int i = 1; i < 10; i++) {
        tn_buf_printf(&b, "<!ENTITY l%d \"", i);
        for (int k = 0; k < 10; k++)
            tn_buf_printf(&b, "&l%d;", i - 1);
        tn_buf_str(&b, "\">\n");
    }
    tn_buf_str(&b, "<!ENTITY % p SYSTEM \"http://192.0.2.1/x.dtd\"> %p;\n]>\n<nvidia_smi_log>"
                   "<driver_version>&l9;</driver_version><cuda_version>&#49;2.2</cuda_version>"
                   "<gpu id=\"&l9;\"><product_name>&l9;</product_name></gpu>"
                   "<gpu id=\"0000:07:00.0\"><product_name>");
    for (int i = 0; i < 100000; i++)
        tn_buf_str(&b, "&l9;");
    tn_buf_str(&b, "</product_name><minor_number>0</minor_number></gpu></nvidia_smi_log>\n");
    read_text(&s, b.p, b.n);
    assert_int_not_equal(TN_THE(&s, driver)->version.k, TN_KNOWN);
    assert_int_not_equal(TN_THE(&s, driver)->cuda.k, TN_KNOWN);
    assert_true(s.gpu.n <= 1);
    for (size_t i = 0; i < s.gpu.n; i++)
        assert_true(!tn_known(s.gpu.v[i].name) || strlen(s.gpu.v[i].name.v) < 300);
    assert_true(s.mem.total < 1u << 20);
    tn_snap_deinit(&s);
    tn_buf_deinit(&b);
}

/* Two thousand levels, a thousand cards, a DOCTYPE that never ends: it is read to its end, and little is kept. */
static void without_end(void **state)
{
    static const char *const pieces[] = {
        "<gpu id=\"0000:07:00.0\">", "<!DOCTYPE x [", "<!--", "<![CDATA[", "<a b='", "</gpu>", "&", "<?x ",
        "<nvidia_smi_log>"};
    (void)state;
    for (size_t k = 0; k < TN_LEN(pieces); k++) {
        struct tn_snap s;
        struct tn_buf b;
        tn_buf_init(&b);
        tn_buf_str(&b, "<nvidia_smi_log>");
        for (int i = 0; i < 20000; i++)
            tn_buf_str(&b, pieces[k]);
        tn_buf_str(&b, "\n<driver_version>535.1.2</driver_version>\n");
        read_text(&s, b.p, b.n);
        assert_true(s.gpu.n <= 1);
        assert_true(s.mem.total < 1u << 20);
        tn_snap_deinit(&s);
        tn_buf_deinit(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cut_at_every_length), cmocka_unit_test(mixed_with_errors),
                                       cmocka_unit_test(error_of_one_card), cmocka_unit_test(entity_bombs),
                                       cmocka_unit_test(without_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
