/* no_nvidia_gpu.c - no NVIDIA GPU is in this machine, or fewer than were asked for.
 *
 * Only a complete list of the bus can say so: a failing driver, NVML or nvidia-smi proves nothing about hardware. In
 * WSL 2 the bus shows nothing; there the device node /dev/dxg is what Windows hands in (microsoft/WSL
 * documentation, "GPU support"). */
#include "base/buf.h"
#include "base/str.h"
#include "check/look.h"
#include "version/dotted.h"

/* A loaded driver that serves something outweighs a bus that shows nothing: virtual machines, Jetson. */
static bool works_anyway(const struct tn_snap *s)
{
    return tn_judge_node(s, "/dev/nvidia0") ||
           (tn_is(TN_THE(s, driver)->loaded, 1) && tn_known(TN_THE(s, driver)->cuda));
}

static void in_wsl(const struct tn_snap *s, struct tn_sink *out)
{
    if (!tn_is(TN_THE(s, host)->wsl, 2) || tn_judge_node(s, "/dev/dxg"))
        return;
    /* A description that says "no GPU" says it of WSL, too; a probed bus says nothing there. */
    bool described = s->node.listed == TN_UNASKED && s->gpu.listed == TN_KNOWN;
    if (s->node.listed != TN_KNOWN && !described) {
        tn_untestable(out, TN_REF_REC(node));
        return;
    }
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, described ? TN_REF_REC(gpu) : TN_REF_REC(node));
    f->variant = described ? NULL : "wsl";
    tn_find_evidence(f, described ? TN_REF_REC(gpu) : TN_REF_REC(node));
    tn_find_evidence(f, TN_REF(host, 0, wsl));
    tn_find_remedy(out, f, "update-wsl", NULL);
}

/* What a device without a name is called: its maker (pci.ids). */
static const char *maker(struct tn_sink *out, const struct tn_rec_gpu *g)
{
    static const char *const known[][2] = {{"amd", "AMD"},           {"intel", "Intel"},    {"0x1af4", "virtio"},
                                           {"0x1234", "QEMU"},       {"0x1b36", "QEMU"},    {"0x15ad", "VMware"},
                                           {"0x80ee", "VirtualBox"}, {"0x1414", "Hyper-V"}, {"0x1013", "Cirrus Logic"},
                                           {"0x1a03", "ASPEED"},     {"0x102b", "Matrox"}};
    for (unsigned i = 0; i < TN_LEN(known); i++)
        if (tn_says(g->vendor, known[i][0]))
            return tn_known(g->device_id) ? tn_arena_printf(out->mem, "%s %s", known[i][1], g->device_id.v)
                                          : known[i][1];
    return tn_look_text(g->vendor, "?");
}

/* Cards of other makers are named: "the GPU is an AMD one" is the answer to many questions. */
static void name_others(const struct tn_snap *s, struct tn_sink *out, struct tn_finding *f)
{
    struct tn_buf names;
    tn_buf_init(&names);
    for (size_t i = 0; i < s->gpu.n; i++) {
        tn_buf_str(&names, names.n ? ", " : "");
        tn_buf_str(&names, tn_look_text(s->gpu.v[i].name, maker(out, &s->gpu.v[i])));
        tn_find_evidence(f, TN_REF(gpu, i, vendor));
    }
    f->variant = "other";
    tn_find_arg(out, f, "others", "%s", names.p);
    tn_buf_deinit(&names);
}

static void fewer(const struct tn_judge *j, struct tn_sink *out, size_t count)
{
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF_REC(gpu));
    f->variant = "fewer";
    tn_find_arg(out, f, "expected", "%u", j->gpus);
    tn_find_arg(out, f, "count", "%zu", count);
    tn_find_evidence(f, TN_REF_REC(gpu));
    tn_find_remedy(out, f, "list-gpus", NULL);
}

/* Cards that are on the bus, but that a working NVML does not list or cannot reach: which slot is silent. */
static size_t silent(const struct tn_judge *j, struct tn_arena *mem, const char **ret_buses)
{
    struct tn_buf buses;
    size_t row = 0, n = 0;
    tn_buf_init(&buses);
    for (const struct tn_rec_gpu *g;
         tn_says(TN_THE(j->s, driver)->nvml, "NVML_SUCCESS") && (g = tn_judge_gpu(j, &row));)
        if (g->nvml.k == TN_ABSENT || (tn_known(g->nvml) && !tn_says(g->nvml, "NVML_SUCCESS"))) {
            tn_buf_printf(&buses, "%s%s", n++ ? ", " : "", tn_look_text(g->bus, "?"));
        }
    *ret_buses = tn_arena_strdup(mem, buses.n ? buses.p : "");
    tn_buf_deinit(&buses);
    return n;
}

static void fewer_answer(const struct tn_judge *j, struct tn_sink *out, size_t count)
{
    const char *buses;
    size_t n = silent(j, out->mem, &buses);
    if (!n || count - n >= j->gpus)
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(driver, 0, nvml));
    f->variant = "silent";
    tn_find_arg(out, f, "expected", "%u", j->gpus);
    tn_find_arg(out, f, "count", "%zu", count - n);
    tn_find_arg(out, f, "buses", "%s", buses);
    tn_find_evidence(f, TN_REF(driver, 0, nvml));
    tn_find_evidence(f, TN_REF_REC(gpu));
    tn_find_remedy(out, f, "see-kernel-log", NULL);
}

/* A toolkit is of use without a card: it compiles. The newest is named. */
static void name_toolkit(const struct tn_snap *s, struct tn_sink *out, struct tn_finding *f)
{
    size_t best = s->toolkit.n;
    char text[TN_DOTTED_TEXT];
    for (size_t i = 0; i < s->toolkit.n; i++)
        if (tn_known(s->toolkit.v[i].version) && tn_known(s->toolkit.v[i].nvcc) &&
            (best == s->toolkit.n ||
             tn_version_dotted_cmp(s->toolkit.v[i].version.v, s->toolkit.v[best].version.v) > 0))
            best = i;
    if (best == s->toolkit.n || !tn_version_dotted_head(s->toolkit.v[best].version.v, 2, text, sizeof text))
        return;
    f->variant = f->variant ? "other-toolkit" : "toolkit";
    tn_find_arg(out, f, "toolkit", "%s", text);
    tn_find_evidence(f, TN_REF(toolkit, best, version));
}

/* A container sees the bus of its host: no other way of starting it would help. Only the owner knows what is meant. */
static void remedies(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f)
{
    size_t row = 0;
    const struct tn_rec_framework *fw;
    tn_find_remedy(out, f, "expect-cpu", NULL); /* changes nothing: GPU builds run on the CPU as well */
    while ((fw = tn_judge_framework(j, &row)))
        if (tn_is(fw->gpu_build, 1)) {
            tn_look_remedy_cpu_build(j, out, f, fw);
            break;
        }
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    size_t row = 0, count = 0;
    while (tn_judge_gpu(j, &row))
        count++;
    if (count > 0 || works_anyway(s)) {
        if (j->gpus > count && s->gpu.listed == TN_KNOWN)
            fewer(j, out, count);
        else if (j->gpus)
            fewer_answer(j, out, count);
        return;
    }
    if (tn_look_wsl(s)) {
        in_wsl(s, out);
        return;
    }
    if (s->gpu.listed != TN_KNOWN) {
        tn_untestable(out, TN_REF_REC(gpu));
        return;
    }
    for (size_t i = 0; i < s->gpu.n; i++)
        if (!tn_known(s->gpu.v[i].vendor)) { /* it may be the one */
            tn_untestable(out, TN_REF(gpu, i, vendor));
            return;
        }
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF_REC(gpu));
    tn_find_evidence(f, TN_REF_REC(gpu));
    if (s->gpu.n)
        name_others(s, out, f);
    name_toolkit(s, out, f);
    remedies(j, out, f);
}

TN_CHECK(no_nvidia_gpu, "no-nvidia-gpu", run,
         .needs = TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(node) | TN_HAS(toolkit) | TN_NEEDS_EXPECT);
