/* driver_install_failed.c - the kernel module is missing because building it failed: what its log says first.
 *
 * Only where the running kernel has no module of the driver: an old failure beside a module that is there is past.
 * DKMS builds nothing for a kernel without its headers ("Your kernel headers for kernel ... cannot be found", dkms
 * script); the kinds of errors are those of probe/build_text.c. A build for another kernel than the running one is no
 * reason.
 *
 * The open module cannot start a card without its firmware, which Debian packs apart (firmware-nvidia-gsp): said only
 * where the log has a card that failed to start, or NVML an error.
 *
 * A package that dpkg has not ended with (dpkg(1), "Package states") is the reason where the driver is at odds with
 * itself; where all parts fit each other it is nobody's trouble yet, and nobody looks. */
#include <string.h>

#include "base/str.h"
#include "check/installed.h"

static struct tn_finding *report(const struct tn_judge *j, struct tn_sink *out, size_t row, enum tn_status status,
                                 const char *variant)
{
    const struct tn_rec_build *b = &j->s->build.v[row];
    struct tn_finding *f = tn_find(out, status, TN_REF(build, row, state));
    f->variant = variant;
    tn_find_arg(out, f, "version", "%s", tn_look_text(b->version, "?"));
    tn_find_arg(out, f, "kernel", "%s", tn_look_text(TN_THE(j->s, host)->kernel, "?"));
    tn_find_evidence(f, TN_REF(build, row, state));
    return f;
}

/* "/var/lib/dkms/nvidia/465.31/build/nvidia/nv-caps.c:598:5: error: ..." without the folders. */
static const char *short_line(const char *line)
{
    const char *error = strstr(line, "error: "), *at = line;
    for (const char *p = line; error && p < error; p++)
        if (*p == '/')
            at = p + 1;
    return error ? at : line;
}

static void rebuild(struct tn_sink *out, struct tn_finding *f)
{
    tn_remedy_arg(out, tn_find_remedy(out, f, "rebuild-module", NULL), "kernel", "%s", f->arg[1].value);
}

static void remedies(struct tn_sink *out, struct tn_finding *f, const struct tn_rec_build *b)
{
    const char *kind = tn_look_text(b->kind, "other");
    if (tn_str_eq(kind, "headers")) {
        rebuild(out, f);
    } else if (tn_str_eq(kind, "compiler") && tn_known(b->compiler)) {
        struct tn_remedy *r = tn_find_remedy(out, f, "module-compiler", NULL);
        tn_remedy_arg(out, r, "major", "%.*s", (int)strcspn(b->compiler.v, "."), b->compiler.v);
    } else if (tn_str_eq(kind, "kernel") || tn_str_eq(kind, "rt")) {
        tn_find_remedy(out, f, "other-kernel", NULL);
    } else if (tn_str_eq(kind, "space")) {
        tn_find_remedy(out, f, "free-space-build", NULL);
    } else if (tn_str_eq(kind, "key")) {
        tn_find_remedy(out, f, "sign-module", NULL);
        tn_find_remedy(out, f, "see-secure-boot", NULL);
    }
    if (tn_known(b->log))
        tn_remedy_arg(out, tn_find_remedy(out, f, "see-build-log", NULL), "log", "%s", b->log.v);
}

static void failed(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    const struct tn_rec_build *b = &j->s->build.v[row];
    const char *kind = tn_look_text(b->kind, "other");
    bool installer = tn_says(b->by, "nvidia-installer");
    struct tn_finding *f =
        report(j, out, row, tn_is(b->running, 1) ? TN_CONFIRMED : TN_LIKELY, tn_str_eq(kind, "other") ? NULL : kind);
    tn_find_arg(out, f, "line", "%s", short_line(tn_look_text(b->error, "?")));
    if (tn_str_eq(kind, "other") && installer)
        f->variant = "installer";
    if (b->running.k == TN_KNOWN)
        tn_find_evidence(f, TN_REF(build, row, running));
    tn_find_evidence(f, TN_REF(build, row, kind));
    tn_find_evidence(f, TN_REF(build, row, error));
    remedies(out, f, b);
}

/* DKMS has the source, and nothing to build it with. */
static void no_headers(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    struct tn_finding *f = report(j, out, row, TN_LIKELY, "no-headers");
    tn_find_evidence(f, TN_REF(host, 0, headers));
    tn_find_evidence(f, TN_REF(host, 0, kernel));
    rebuild(out, f);
    tn_find_remedy(out, f, "see-dkms", NULL);
}

/* The build that tells why the running kernel has no module; build.n if none does. *ret_source: DKMS has a source. */
static size_t find(const struct tn_snap *s, size_t *ret_source)
{
    size_t found = s->build.n;
    *ret_source = s->build.n;
    for (size_t i = 0; i < s->build.n; i++) {
        const struct tn_rec_build *b = &s->build.v[i];
        bool installer = tn_says(b->by, "nvidia-installer");
        if (!installer)
            *ret_source = i;
        if (!tn_says(b->state, "failed") || tn_is(b->running, 0))
            continue;
        if (found == s->build.n || (tn_is(b->running, 1) && !installer))
            found = i;
    }
    return found;
}

/* Row of an event of this kind; event.n if there is none. */
static size_t event_of(const struct tn_snap *s, const char *kind)
{
    size_t i = 0;
    while (i < s->event.n && !tn_says(s->event.v[i].kind, kind))
        i++;
    return i;
}

static void no_firmware(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    size_t start = event_of(s, "init_failed"), file = event_of(s, "firmware");
    bool refused = tn_known(d->nvml) && !tn_says(d->nvml, "NVML_SUCCESS");
    bool missed = file < s->event.n && tn_says(d->flavour, "open"); /* the kernel's own word for it */
    if (tn_says(d->nvml, "NVML_SUCCESS") || (!refused && start == s->event.n))
        return;
    if (!tn_is(d->gsp_firmware, 0) && !missed)
        return;
    struct tn_finding *f = tn_find(out, missed ? TN_CONFIRMED : TN_LIKELY,
                                   missed ? TN_REF(event, file, kind) : TN_REF(driver, 0, gsp_firmware));
    const char *version = tn_look_text(d->version, "?");
    f->variant = missed && tn_is(d->gsp_firmware, 1) ? "firmware-image" : "firmware";
    tn_find_arg(out, f, "version", "%s", version);
    if (missed)
        tn_find_evidence(f, TN_REF(event, file, kind));
    tn_find_evidence(f, TN_REF(driver, 0, gsp_firmware));
    tn_find_evidence(f, TN_REF(driver, 0, flavour));
    tn_find_evidence(f, start < s->event.n ? TN_REF(event, start, text) : TN_REF(driver, 0, nvml));
    if (tn_str_eq(f->variant, "firmware-image")) {
        tn_find_remedy(out, f, "renew-image", NULL);
        return;
    }
    struct tn_remedy *r = tn_find_remedy(out, f, "gsp-firmware", NULL);
    tn_remedy_arg(out, r, "version", "%s", version);
    tn_remedy_arg(out, r, "branch", "%.*s", (int)strcspn(version, "."), version);
}

/* dpkg was stopped in between, and the parts of the driver do not fit each other. */
static bool halfway(const struct tn_judge *j, struct tn_sink *out, bool card)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    size_t half = tn_installed_half(s), row;
    if (half == s->package.n)
        return false;
    bool loaded = tn_is(d->loaded, 1),
         fits = loaded && tn_known(d->version) && tn_says(d->library_version, d->version.v);
    bool next = loaded && tn_known(d->version) && tn_installed_module(s, d->version.v, false, &row) == TN_DISK_LACKS;
    if (loaded ? fits && !next : !card || !tn_is(d->loaded, 0))
        return false;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(package, half, state));
    f->variant = "half";
    if (fits)
        f->severity = TN_WARNING;
    tn_find_arg(out, f, "package", "%s", tn_look_text(s->package.v[half].name, "?"));
    tn_find_arg(out, f, "version", "%s", tn_look_text(s->package.v[half].version, "?"));
    tn_find_arg(out, f, "state", "%s", s->package.v[half].state.v);
    tn_find_evidence(f, TN_REF(package, half, state));
    tn_find_evidence(f, TN_REF(driver, 0, loaded));
    if (loaded)
        tn_find_evidence(f, fits ? TN_REF(module, row, version) : TN_REF(driver, 0, library_version));
    tn_find_remedy(out, f, "finish-packages", NULL);
    return true;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    size_t row = 0, running, other, source;
    bool card = tn_judge_gpu(j, &row) != NULL;
    tn_look_modules(s, &running, &other);
    if (tn_look_wsl(s) || tn_known(TN_THE(s, container)->kind) || tn_is(TN_THE(s, host)->modules, 0))
        return;
    bool known_why = find(s, &source) < s->build.n && !tn_is(TN_THE(s, driver)->loaded, 1);
    if (!known_why && halfway(j, out, card))
        return;
    if (tn_is(TN_THE(s, driver)->loaded, 1))
        no_firmware(j, out);
    if (tn_is(TN_THE(s, driver)->loaded, 1) || running < s->module.n || (!card && s->gpu.listed == TN_KNOWN))
        return;
    size_t at = find(s, &source);
    if (at < s->build.n && s->module.listed != TN_KNOWN && s->module.listed != TN_ABSENT)
        tn_untestable(out, TN_REF(build, at, state));
    else if (at < s->build.n)
        failed(j, out, at);
    else if (source < s->build.n && tn_is(TN_THE(s, host)->headers, 0))
        no_headers(j, out, source);
}

TN_CHECK(driver_install_failed, "driver-install-failed", run,
         .needs = TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(module) | TN_HAS(build) | TN_HAS(container) | TN_HAS(event) |
                  TN_HAS(library) | TN_HAS(package));
