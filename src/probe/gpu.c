/* gpu.c - graphics and compute devices: what is on the bus, whoever made it.
 *
 * Invariant: a sleeping card is left asleep. /proc/driver/nvidia/gpus/X/information takes a power reference
 * (nv-procfs.c, rm_ref_dynamic_power), sysfs does not: sysfs first, the other only when the card is not suspended.
 * Display controllers (PCI base class 03) alone: nothing else of the machine is written down. */
#include <string.h>

#include "base/str.h"
#include "probe/acs.h"
#include "probe/ask.h"
#include "probe/tables.h"

#define BUS "/sys/bus/pci/devices"
#define CLASS_KEY "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Class\\"
#define ENUM_KEY "HKLM\\SYSTEM\\CurrentControlSet\\Enum\\PCI"
#define DISPLAY_GUID "{4d36e968-e325-11ce-bfc1-08002be10318}"
#define MAX_PCI_IDS (4u << 20)

/* PCI vendor ids as pci.ids has them. */
static const struct {
    unsigned id;
    const char *name;
} vendors[] = {{0x10de, "nvidia"}, {0x1002, "amd"}, {0x8086, "intel"}};

static const char *vendor_word(struct tn_probe_ctx *c, unsigned id)
{
    for (unsigned i = 0; i < TN_LEN(vendors); i++)
        if (vendors[i].id == id)
            return vendors[i].name;
    return tn_arena_printf(c->tmp, "0x%04x", id);
}

static bool hex(const char *text, unsigned *ret)
{
    uint64_t v;
    if (!text || !tn_str_u64(text, strlen(text), 16, &v) || v > 0xffffff)
        return false;
    *ret = (unsigned)v;
    return true;
}

/* "vvvv  Vendor" begins a line, "\tdddd  Device" follows below it (pci.ids(5)). Asked only for a device that the
 * tables lack. */
static void name_from_pci_ids(struct tn_probe_ctx *c, struct tn_rec_gpu *g, unsigned vendor, unsigned device)
{
    static const char *const paths[] = {"/usr/share/hwdata/pci.ids", "/usr/share/misc/pci.ids"};
    for (unsigned i = 0; i < TN_LEN(paths); i++) {
        struct tn_answer a = tn_world_read(c->w, c->tmp, paths[i], MAX_PCI_IDS);
        if (a.got != TN_KNOWN)
            continue;
        const char *head = tn_arena_printf(c->tmp, "\n%04x  ", vendor);
        size_t at = tn_span_find(a.data, 0, head, strlen(head));
        struct tn_span rest = at == SIZE_MAX ? (struct tn_span){NULL, 0} : tn_span_from(a.data, at + 1), line;
        const char *want = tn_arena_printf(c->tmp, "\t%04x  ", device);
        for (bool first = true; tn_span_line(&rest, &line); first = false) {
            if (!first && line.n && line.p[0] != '\t' && line.p[0] != '#')
                break;
            if (!tn_span_starts(line, want))
                continue;
            uint32_t src = tn_probe_src(c->s, "read", paths[i], &a);
            g->name = tn_fact_strn(c->s, src, line.p + 7, line.n - 7);
            return;
        }
        return;
    }
}

/* "Model: \t\t NVIDIA H100 80GB HBM3" (nv-procfs.c). A card that was never initialised says Unknown and "?". */
static struct tn_str info_value(struct tn_probe_ctx *c, uint32_t src, struct tn_span text, const char *name)
{
    struct tn_span v = tn_probe_pair(text, name, ':');
    struct tn_str none = {0};
    if (!v.n)
        return tn_fact_nostr(src, TN_ABSENT);
    if (memchr(v.p, '?', v.n) || tn_span_eq(v, "Unknown"))
        return none;
    return tn_span_eq(v, "N/A") ? tn_fact_nostr(src, TN_ABSENT) : tn_fact_strn(c->s, src, v.p, v.n);
}

static void look_information(struct tn_probe_ctx *c, struct tn_rec_gpu *g)
{
    bool asleep = tn_known(g->power) && tn_str_starts(g->power.v, "suspend");
    if (asleep || (g->power.k != TN_KNOWN && g->power.k != TN_ABSENT))
        return;
    const char *path = tn_arena_printf(c->tmp, "/proc/driver/nvidia/gpus/%s/information", g->bus.v);
    struct tn_answer a = tn_world_read(c->w, c->tmp, path, 4096);
    if (a.got == TN_ABSENT || a.got == TN_UNASKED) /* no NVIDIA driver holds it */
        return;
    uint32_t src = tn_probe_src(c->s, "read", path, &a);
    if (a.got != TN_KNOWN) {
        g->uuid = g->firmware = tn_fact_nostr(src, a.got);
        return;
    }
    a.data = tn_probe_whole(a.data);
    struct tn_str model = info_value(c, src, a.data, "Model");
    if (tn_known(model))
        g->name = model;
    g->uuid = info_value(c, src, a.data, "GPU UUID");
    g->firmware = info_value(c, src, a.data, "GPU Firmware");
}

static void look_link(struct tn_probe_ctx *c, struct tn_rec_gpu *g, const char *dir)
{
    const char *path = tn_arena_printf(c->tmp, "%s/driver", dir);
    struct tn_answer a = tn_world_link(c->w, c->tmp, path);
    uint32_t src = tn_probe_src(c->s, "link", path, &a);
    g->bound = a.got == TN_KNOWN ? tn_fact_str(c->s, src, tn_path_base(TN_PATH_POSIX, (const char *)a.data.p))
                                 : tn_fact_nostr(src, a.got);
}

/* "(null)" is written there when nobody has set one (drivers/pci/pci-sysfs.c). Asked of cards that another driver than
 * NVIDIA's has; how the IOMMU translates only for a whole snapshot (Documentation/ABI, sysfs-kernel-iommu_groups). */
static void look_captor(struct tn_probe_ctx *c, struct tn_rec_gpu *g, const char *dir)
{
    bool others = tn_known(g->bound) && !tn_str_starts(g->bound.v, "nvidia") && !tn_str_eq(g->bound.v, "nouveau");
    bool plain = c->want && c->want->plain;
    if (others || !plain) {
        struct tn_str v = tn_probe_line_fact(c, tn_arena_printf(c->tmp, "%s/driver_override", dir));
        g->override = tn_says(v, "(null)") ? tn_fact_nostr(v.src, TN_ABSENT) : v;
    }
    if (plain)
        return;
    g->iommu = tn_probe_line_fact(c, tn_arena_printf(c->tmp, "%s/iommu_group/type", dir));
    tn_probe_acs(c, g, dir);
}

static void look_device(struct tn_probe_ctx *c, const char *bus, uint32_t src)
{
    struct tn_rec_gpu *g = TN_ADD(c->s, gpu);
    const char *dir = tn_arena_printf(c->tmp, BUS "/%s", bus);
    unsigned vendor = 0, device = 0;
    g->bus = tn_fact_str(c->s, src, bus);
    struct tn_str v = tn_probe_line_fact(c, tn_arena_printf(c->tmp, "%s/vendor", dir));
    bool have_vendor = tn_known(v) && hex(v.v, &vendor);
    g->vendor = have_vendor ? tn_fact_str(c->s, v.src, vendor_word(c, vendor)) : v;
    g->device_id = tn_probe_line_fact(c, tn_arena_printf(c->tmp, "%s/device", dir));
    look_link(c, g, dir);
    g->power = tn_probe_line_fact(c, tn_arena_printf(c->tmp, "%s/power/runtime_status", dir));
    if (vendor == 0x10de) {
        look_captor(c, g, dir);
        look_information(c, g);
    }
    if (!tn_known(g->device_id) || !have_vendor || !hex(g->device_id.v, &device))
        return;
    if (vendor == 0x10de && tn_probe_gpu_of_table(c->s, g, device) && tn_known(g->name))
        return;
    if (!tn_known(g->name))
        name_from_pci_ids(c, g, vendor, device);
}

/* Jetson and other boards whose GPU is part of the chip (device tree bindings, nvidia,tegra.yaml; the capability
 * follows from the chip, table gpus). */
static enum tn_know look_device_tree(struct tn_probe_ctx *c)
{
    static const char path[] = "/proc/device-tree/compatible";
    static const struct {
        const char *soc, *chip;
    } chips[] = {{"nvidia,tegra124", "GK20A"}, {"nvidia,tegra210", "GM20B"}, {"nvidia,tegra186", "GP10B"},
                 {"nvidia,tegra194", "GV11B"}, {"nvidia,tegra234", "GA10B"}, {"nvidia,tegra264", "GB10B"}};
    struct tn_answer a = tn_world_read(c->w, c->tmp, path, 1024);
    if (a.got != TN_KNOWN)
        return a.got;
    for (unsigned i = 0; i < TN_LEN(chips); i++) {
        if (tn_span_find(a.data, 0, chips[i].soc, strlen(chips[i].soc)) == SIZE_MAX)
            continue;
        struct tn_rec_gpu *g = TN_ADD(c->s, gpu);
        uint32_t src = tn_probe_src(c->s, "read", path, &a);
        g->bus = tn_fact_str(c->s, src, "platform");
        g->vendor = tn_fact_str(c->s, src, "nvidia");
        g->chip = tn_fact_str(c->s, src, chips[i].chip);
        tn_probe_gpu_of_chip(c->s, g, chips[i].chip);
        break;
    }
    return TN_KNOWN;
}

static bool is_nvidia(struct tn_probe_ctx *c, const char *bus)
{
    struct tn_answer ignored;
    unsigned vendor;
    return hex(tn_probe_line(c, tn_arena_printf(c->tmp, BUS "/%s/vendor", bus), &ignored), &vendor) && vendor == 0x10de;
}

static void look_linux(struct tn_probe_ctx *c)
{
    struct tn_answer a = tn_world_list(c->w, c->tmp, BUS);
    uint32_t src = tn_probe_src(c->s, "list", BUS, &a);
    int64_t switches = 0;
    enum tn_know hidden = a.got; /* a device that cannot be looked at may be a card */
    for (size_t i = 0; i < a.n_entry; i++) {
        struct tn_answer one;
        unsigned class;
        const char *path = tn_arena_printf(c->tmp, BUS "/%s/class", a.entry[i].name);
        bool known = hex(tn_probe_line(c, path, &one), &class);
        if (one.got == TN_DENIED || one.got == TN_FAILED)
            hidden = one.got;
        if (!known)
            continue;
        if (class >> 16 == 0x03)
            look_device(c, a.entry[i].name, src);
        else if (class >> 8 == 0x0680 && is_nvidia(c, a.entry[i].name)) /* "other bridge": NVSwitch */
            switches++;
    }
    if (a.got == TN_KNOWN)
        TN_THE(c->s, host)->nvswitches = tn_fact_int(src, switches);
    enum tn_know tree = c->s->gpu.n == 0 ? look_device_tree(c) : TN_KNOWN;
    if (tree == TN_DENIED || tree == TN_FAILED)
        hidden = tree;
    /* Below WSL the cards are the host's: the bus here cannot list them. A folder without sysfs shows no bus. */
    c->s->gpu.src = src;
    if (tn_probe_is_wsl(c) || (a.got == TN_ABSENT && !tn_world_is_dir(c->w, "/sys/bus")))
        c->s->gpu.listed = TN_UNASKED;
    else
        c->s->gpu.listed = hidden;
}

/* "@oem12.inf,%nvidia_dev.2204%;NVIDIA GeForce RTX 3090" -> the text behind the last ';' */
static const char *behind(const char *text, char sep)
{
    const char *at = text ? strrchr(text, sep) : NULL;
    return at ? at + 1 : text;
}

/* "PCI bus %1, device %2, function %3;(1,0,0)" -> 0000:01:00.0 */
static const char *windows_bus(struct tn_probe_ctx *c, const char *location, const char *instance)
{
    const char *at = location ? strrchr(location, '(') : NULL;
    uint64_t v[3];
    for (unsigned i = 0; at && i < 3; i++) {
        size_t n = strcspn(++at, ",)");
        if (!tn_str_u64(at, n, 10, &v[i]) || v[i] > 0xffff)
            at = NULL;
        else
            at += n;
    }
    return at ? tn_arena_printf(c->tmp, "%04x:%02x:%02x.%x", (unsigned)(v[0] >> 8), (unsigned)(v[0] & 0xff),
                                (unsigned)v[1], (unsigned)v[2])
              : instance;
}

/* The problem code of Device Manager. False: the device is not in the machine any more. */
static bool look_problem(struct tn_probe_ctx *c, struct tn_int *ret, const char *key)
{
    uint64_t n;
    const char *instance = key + strlen(ENUM_KEY) - strlen("PCI");
    struct tn_answer a = tn_world_sys(c->w, c->tmp, tn_arena_printf(c->tmp, "device %s", instance));
    if (a.got != TN_KNOWN) /* records that do not say, and other systems' stand-ins for Windows */
        return true;
    if (tn_span_eq(a.data, "gone"))
        return false;
    if (tn_str_u64((const char *)a.data.p, a.data.n, 10, &n) && n < 1000)
        *ret = tn_fact_int(tn_probe_src(c->s, "device", instance, &a), (int64_t)n);
    return true;
}

/* KNOWN: a card or none. */
static enum tn_know look_instance(struct tn_probe_ctx *c, const char *key, const char *instance, unsigned vendor,
                                  unsigned device)
{
    struct tn_str class = tn_probe_reg_fact(c, key, "ClassGUID");
    if (!tn_known(class) || !tn_str_ieq(class.v, DISPLAY_GUID))
        return class.k == TN_DENIED || class.k == TN_FAILED ? class.k : TN_KNOWN;
    struct tn_int problem = {0};
    if (!look_problem(c, &problem, key))
        return TN_KNOWN;
    struct tn_rec_gpu *g = TN_ADD(c->s, gpu);
    uint32_t src = tn_snap_src(c->s, TN_KNOWN, NULL, "reg %s", key);
    g->problem = problem;
    g->bus = tn_fact_str(c->s, src, windows_bus(c, tn_probe_reg(c, key, "LocationInformation"), instance));
    g->vendor = tn_fact_str(c->s, src, vendor_word(c, vendor));
    g->device_id = tn_fact_str(c->s, src, tn_arena_printf(c->tmp, "0x%04x", device));
    g->bound = tn_probe_reg_fact(c, key, "Service");
    const char *driver = tn_probe_reg(c, key, "Driver"); /* "{guid}\0000" below Class */
    const char *name = behind(tn_probe_reg(c, key, "DeviceDesc"), ';');
    if (driver) {
        const char *k = tn_arena_printf(c->tmp, CLASS_KEY "%s", driver);
        const char *desc = tn_probe_reg(c, k, "DriverDesc"), *bytes;
        uint64_t n;
        if (desc)
            name = desc;
        bytes = tn_probe_reg(c, k, "HardwareInformation.qwMemorySize");
        if (bytes && tn_str_u64(bytes, strlen(bytes), 10, &n) && n < INT64_MAX)
            g->memory_bytes = tn_fact_int(tn_snap_src(c->s, TN_KNOWN, NULL, "reg %s", k), (int64_t)n);
    }
    if (name && !strstr(name, "Basic Display"))
        g->name = tn_fact_str(c->s, src, name);
    if (vendor == 0x10de)
        tn_probe_gpu_of_table(c->s, g, device);
    return TN_KNOWN;
}

/* Keys as Windows writes them: Enum\PCI\VEN_10DE&DEV_2204&SUBSYS_...&REV_A1\<instance>. Devices that were taken out
 * stay in the registry: the Plug and Play manager tells them. */
static void look_windows(struct tn_probe_ctx *c)
{
    struct tn_answer a = tn_world_reg_list(c->w, c->tmp, ENUM_KEY);
    enum tn_know hidden = a.got;
    for (size_t i = 0; i < a.n_entry; i++) {
        const char *name = a.entry[i].name;
        uint64_t vendor, device;
        if (a.entry[i].type != 'd' || strlen(name) < 17 || !tn_str_starts(name, "VEN_") ||
            !tn_str_u64(name + 4, 4, 16, &vendor) || !tn_str_starts(name + 8, "&DEV_") ||
            !tn_str_u64(name + 13, 4, 16, &device))
            continue;
        const char *key = tn_arena_printf(c->tmp, ENUM_KEY "\\%s", name);
        struct tn_answer in = tn_world_reg_list(c->w, c->tmp, key);
        if (in.got == TN_DENIED || in.got == TN_FAILED)
            hidden = in.got;
        for (size_t k = 0; k < in.n_entry; k++) {
            const char *one = in.entry[k].name;
            if (in.entry[k].type == 'd')
                in.got = look_instance(c, tn_arena_printf(c->tmp, "%s\\%s", key, one), one, (unsigned)vendor,
                                       (unsigned)device);
            hidden = in.got == TN_KNOWN ? hidden : in.got;
        }
    }
    c->s->gpu.listed = hidden;
    c->s->gpu.src = tn_probe_src(c->s, "reg", ENUM_KEY, &a);
}

static void look(struct tn_probe_ctx *c)
{
    if (tn_probe_is_windows(c))
        look_windows(c);
    else
        look_linux(c);
}

TN_PROBE(gpu, TN_PHASE_HARDWARE, look, "GPUs on the PCI bus; from sysfs, the registry, table gpus, pci.ids",
         .gives = TN_HAS(gpu));
