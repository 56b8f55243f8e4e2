/* cpu.c - the processor and main memory.
 *
 * Invariant: flags holds only the instruction sets of the list below, in its order, so that two machines compare. */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"

#define HEAD 8192u /* bytes of /proc/cpuinfo */
#define CPU_KEY "HKLM\\HARDWARE\\DESCRIPTION\\System\\CentralProcessor"

/* What builds of the frameworks ask for, and what the x86-64-v2, -v3, -v4 levels hold (x86-64 psABI, table 3.1);
 * in byte order. */
static const char *const wanted[] = {
    "abm",         "amx_bf16",    "amx_int8",    "amx_tile", "asimd",    "asimddp",  "asimdhp", "avx",      "avx2",
    "avx512_bf16", "avx512_fp16", "avx512_vnni", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "avx_vnni",
    "bf16",        "bmi1",        "bmi2",        "cx16",     "f16c",     "fma",      "i8mm",    "lahf_lm",  "movbe",
    "pni",         "popcnt",      "sse4_1",      "sse4_2",   "ssse3",    "sve",      "sve2",    "xsave"};

static void look_flags(struct tn_probe_ctx *c, struct tn_rec_cpu *cpu, uint32_t src, struct tn_span text)
{
    const char *have[TN_LEN(wanted)];
    size_t n = 0;
    const char *padded = tn_arena_printf(c->tmp, " %.*s ", (int)text.n, (const char *)text.p);
    for (unsigned i = 0; i < TN_LEN(wanted); i++)
        if (strstr(padded, tn_arena_printf(c->tmp, " %s ", wanted[i])))
            have[n++] = wanted[i];
    cpu->flags = tn_fact_list(c->s, src, have, n);
}

static struct tn_str pair(struct tn_probe_ctx *c, uint32_t src, struct tn_span text, const char *name)
{
    struct tn_span v = tn_probe_pair(text, name, ':');
    return v.n ? tn_fact_strn(c->s, src, v.p, v.n) : tn_fact_nostr(src, TN_ABSENT);
}

/* "0-15,32": how many? 0 when malformed (Documentation/admin-guide/cputopology.rst). */
static int64_t count_ranges(const char *s)
{
    int64_t n = 0;
    while (*s) {
        uint64_t a, b;
        size_t len = strcspn(s, ","), dash = strcspn(s, "-,");
        if (!tn_str_u64(s, dash, 10, &a))
            return 0;
        b = a;
        if (dash < len && !tn_str_u64(s + dash + 1, len - dash - 1, 10, &b))
            return 0;
        if (b < a || b > 1u << 20)
            return 0;
        n += (int64_t)(b - a + 1);
        s += len + (s[len] == ',');
    }
    return n;
}

static void look_threads(struct tn_probe_ctx *c, struct tn_rec_cpu *cpu, uint32_t src, struct tn_span cpuinfo)
{
    struct tn_str online = tn_probe_line_fact(c, "/sys/devices/system/cpu/online");
    int64_t n = online.k == TN_KNOWN ? count_ranges(online.v) : 0;
    if (n) {
        cpu->threads = tn_fact_int(online.src, n);
        return;
    }
    struct tn_span line;
    if (cpuinfo.n >= HEAD) /* there may be more */
        return;
    while (tn_span_line(&cpuinfo, &line))
        n += tn_span_starts(line, "processor");
    if (n)
        cpu->threads = tn_fact_int(src, n);
}

static void look_memory(struct tn_probe_ctx *c, struct tn_rec_cpu *cpu)
{
    static const char path[] = "/proc/meminfo";
    struct tn_answer a = tn_world_read(c->w, c->tmp, path, 4096);
    if (a.got == TN_ABSENT && !tn_probe_running(c))
        return;
    uint32_t src = tn_probe_src(c->s, "read", path, &a);
    struct tn_span v = a.got == TN_KNOWN ? tn_probe_pair(tn_probe_whole(a.data), "MemTotal", ':') : a.data;
    uint64_t kib;
    size_t n = 0;
    while (n < v.n && tn_is_digit((char)v.p[n]))
        n++;
    if (a.got == TN_KNOWN && n && tn_str_u64((const char *)v.p, n, 10, &kib) && kib < INT64_MAX / 1024)
        cpu->memory_bytes = tn_fact_int(src, (int64_t)(kib * 1024));
    else
        cpu->memory_bytes = tn_fact_noint(src, a.got == TN_KNOWN ? TN_FAILED : a.got);
}

static void look_windows(struct tn_probe_ctx *c, struct tn_rec_cpu *cpu)
{
    cpu->vendor = tn_probe_reg_fact(c, CPU_KEY "\\0", "VendorIdentifier");
    cpu->model = tn_probe_reg_fact(c, CPU_KEY "\\0", "ProcessorNameString");
    struct tn_answer a = tn_world_reg_list(c->w, c->tmp, CPU_KEY);
    uint32_t src = tn_probe_src(c->s, "reg", CPU_KEY, &a);
    int64_t n = 0;
    for (size_t i = 0; i < a.n_entry; i++)
        n += a.entry[i].type == 'd';
    cpu->threads = a.got == TN_KNOWN ? tn_fact_int(src, n) : tn_fact_noint(src, a.got);
    a = tn_world_sys(c->w, c->tmp, "cpu");
    if (a.got == TN_KNOWN)
        look_flags(c, cpu, tn_probe_src(c->s, "sys", "cpu", &a), a.data);
}

/* /proc/cpuinfo repeats itself per processor, and the kernel works for each of them: the head is enough. */
static void look(struct tn_probe_ctx *c)
{
    static const char path[] = "/proc/cpuinfo";
    struct tn_rec_cpu *cpu = TN_THE(c->s, cpu);
    if (tn_probe_is_windows(c)) {
        look_windows(c, cpu);
        return;
    }
    look_memory(c, cpu);
    struct tn_answer a = tn_world_read(c->w, c->tmp, path, HEAD);
    if (a.got == TN_ABSENT && !tn_probe_running(c))
        return;
    uint32_t src = tn_probe_src(c->s, "read", path, &a);
    if (a.got != TN_KNOWN) {
        cpu->vendor = cpu->model = tn_fact_nostr(src, a.got);
        cpu->flags = tn_fact_nolist(src, a.got);
        look_threads(c, cpu, src, a.data);
        return;
    }
    cpu->vendor = pair(c, src, a.data, "vendor_id");
    if (cpu->vendor.k != TN_KNOWN) /* arm64 */
        cpu->vendor = pair(c, src, a.data, "CPU implementer");
    cpu->model = pair(c, src, a.data, "model name");
    struct tn_span flags = tn_probe_pair(a.data, "flags", ':');
    look_flags(c, cpu, src, flags.n ? flags : tn_probe_pair(a.data, "Features", ':'));
    look_threads(c, cpu, src, a.data);
}

TN_PROBE(cpu, TN_PHASE_HARDWARE, look, "processor, instruction sets, main memory; from /proc, the registry, CPUID",
         .gives = TN_HAS(cpu));
