/* machine.c - see plan.h: what of a snapshot decides which builds fit. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "facts/gpu.h"
#include "plan/inner.h"
#include "version/dotted.h"

static const char *text(struct tn_str f)
{
    return tn_known(f) ? f.v : "";
}

static bool is_entry_line(const char *name)
{
    static const char *const lines[] = {"GeForce MX", "GeForce GT ", "NVIDIA GeForce MX", "NVIDIA GeForce GT ", "MX"};
    for (unsigned i = 0; i < TN_LEN(lines); i++)
        if (tn_str_starts(name, lines[i]))
            return true;
    return false;
}

#define WEAK_TFLOPS 2.0

static bool is_weak(const struct tn_rec_gpu *g)
{
    struct tn_facts_gpu t;
    const char *name = text(g->name);
    if (!*name || is_entry_line(name))
        return *name != '\0';
    if (tn_facts_gpu_by_name(name, &t) != TN_ANSWER_YES)
        return false;
    const char *peak = tn_facts_get(tn_facts_find("gpus"), t.row, "fp32_tflops");
    return *peak && strtod(peak, NULL) < WEAK_TFLOPS;
}

/* Microseconds of the fastest measured matrix product; 0: none. */
static int64_t measured(const struct tn_snap *s, bool cpu)
{
    int64_t best = 0;
    for (size_t i = 0; i < s->measurement.n; i++) {
        const struct tn_rec_measurement *r = &s->measurement.v[i];
        if (tn_says(r->what, "matmul") && tn_says(r->status, "pass") && r->median_us.k == TN_KNOWN &&
            tn_known(r->device) && tn_says(r->device, "cpu") == cpu && (!best || r->median_us.v < best))
            best = r->median_us.v;
    }
    return best;
}

static void cards(struct tn_arena *mem, const struct tn_snap *s, struct tn_plan_machine *m)
{
    int64_t cpu = measured(s, true), gpu = measured(s, false);
    bool slower = cpu && gpu && gpu > cpu, faster = cpu && gpu && gpu <= cpu;
    m->cards_known = s->gpu.listed == TN_KNOWN;
    for (size_t i = 0; i < s->gpu.n && m->n_card < TN_PLAN_MAX_CARDS; i++) {
        const struct tn_rec_gpu *g = &s->gpu.v[i];
        m->cards_known = m->cards_known && tn_known(g->vendor);
        if (!tn_says(g->vendor, "nvidia") && !tn_says(g->vendor, "0x10de"))
            continue;
        struct tn_plan_card *c = &m->card[m->n_card++];
        struct tn_facts_gpu t;
        struct tn_facts_capability cap;
        char major[TN_DOTTED_TEXT];
        c->row = i;
        c->name = text(g->name);
        c->capability = text(g->capability);
        if (!*c->capability && *c->name && tn_facts_gpu_by_name(c->name, &t) == TN_ANSWER_YES)
            c->capability = t.capability;
        if (!*c->name)
            c->name = *c->capability ? tn_arena_printf(mem, "GPU (%s)", c->capability) : "GPU";
        c->weak = !faster && (slower || is_weak(g));
        c->last_branch = "";
        if (*c->capability && tn_facts_capability(c->capability, &cap) == TN_ANSWER_YES && !cap.driver_current)
            c->last_branch = cap.last_driver_branch;
        c->first_cuda = "";
        if (tn_version_dotted_head(c->capability, 1, major, sizeof major) &&
            tn_facts_capability(tn_arena_printf(mem, "%s.0", major), &cap) == TN_ANSWER_YES)
            c->first_cuda = cap.first_cuda;
    }
    m->weak = m->n_card > 0;
    for (unsigned i = 0; i < m->n_card; i++)
        m->weak = m->weak && m->card[i].weak;
}

/* lacks: it is known to have no ensurepip. */
static void add_python(struct tn_arena *mem, struct tn_plan_machine *m, const char *version, bool lacks)
{
    char minor[TN_DOTTED_TEXT];
    if (!tn_version_dotted_head(version, 2, minor, sizeof minor))
        return;
    unsigned at = 0;
    for (; at < m->n_python && tn_version_dotted_cmp(m->python[at], minor) > 0; at++)
        ;
    if (at < m->n_python && tn_str_eq(m->python[at], minor)) {
        m->no_venv[at] = m->no_venv[at] && lacks;
        return;
    }
    if (m->n_python == TN_LEN(m->python))
        return;
    memmove(m->python + at + 1, m->python + at, (m->n_python - at) * sizeof *m->python);
    memmove(m->no_venv + at + 1, m->no_venv + at, (m->n_python - at) * sizeof *m->no_venv);
    m->python[at] = tn_arena_strdup(mem, minor);
    m->no_venv[at] = lacks;
    m->n_python++;
}

static const char *const condas[] = {"conda", "mamba", "micromamba", "pixi", NULL};

/* The one that the shell starts by its name before one that only a variable or its place leads to. */
static unsigned reach(const struct tn_rec_installer *r)
{
    return !tn_known(r->by) || tn_says(r->by, "PATH") ? 0 : tn_says(r->by, "place") ? 2 : 1;
}

static void installers(const struct tn_snap *s, struct tn_plan_machine *m)
{
    const struct tn_rec_installer *best = NULL;
    for (size_t i = 0; i < s->installer.n; i++) {
        const struct tn_rec_installer *r = &s->installer.v[i];
        if (tn_says(r->name, "uv") && reach(r) == 0)
            m->uv = "uv";
        else if (tn_says(r->name, "virtualenv") && reach(r) == 0)
            m->virtualenv = "virtualenv";
        else if (tn_known(r->name) && tn_str_in(r->name.v, condas) && (!best || reach(r) < reach(best)))
            best = r;
    }
    if (!best)
        return;
    m->conda = best->name.v;
    if (reach(best))
        m->conda_exe = text(best->path);
}

/* Interpreters that a venv could be made of, and what makes environments. */
static void tools(struct tn_arena *mem, const struct tn_snap *s, struct tn_plan_machine *m)
{
    m->uv = m->virtualenv = m->conda = m->conda_exe = m->docker = "";
    m->tools_known = s->installer.listed == TN_KNOWN;
    installers(s, m);
    for (size_t i = 0; i < s->program.n; i++) {
        const struct tn_rec_program *p = &s->program.v[i];
        const char *name = text(p->name);
        if (tn_str_eq(name, "uv"))
            m->uv = "uv";
        else if (tn_str_in(name, condas) && !*m->conda)
            m->conda = name;
        else if (tn_str_eq(name, "docker"))
            m->docker = "docker";
        else if (tn_str_starts(name, "python") && tn_known(p->version))
            add_python(mem, m, p->version.v, false);
    }
    for (size_t i = 0; i < s->env.n; i++) {
        const struct tn_rec_env *e = &s->env.v[i];
        bool made = tn_says(e->kind, "venv") || tn_says(e->kind, "conda");
        if (tn_known(e->python) && !made)
            add_python(mem, m, e->python.v, tn_is(e->makes_venv, false));
        if (!m->tools_known && !*m->conda && tn_says(e->kind, "conda")) /* something made it */
            m->conda = tn_str_in(text(e->tool), condas) ? e->tool.v : "conda";
    }
}

void tn_plan_machine_of(struct tn_arena *mem, const struct tn_snap *s, struct tn_plan_machine *ret)
{
    const struct tn_rec_host *h = TN_THE(s, host);
    const struct tn_rec_driver *d = TN_THE(s, driver);
    memset(ret, 0, sizeof *ret);
    ret->s = s;
    ret->windows = tn_says(h->os, "windows");
    ret->macos = tn_says(h->os, "macos");
    ret->wsl = h->wsl.k == TN_KNOWN && h->wsl.v > 0;
    ret->wsl1 = tn_is(h->wsl, 1);
    ret->os_known = tn_known(h->os);
    ret->musl = tn_says(h->libc, "musl");
    ret->container = tn_known(TN_THE(s, container)->kind);
    ret->platform = ret->windows ? TN_PLATFORM_WINDOWS : TN_PLATFORM_LINUX;
    ret->driver_platform = ret->windows || ret->wsl ? TN_PLATFORM_WINDOWS : TN_PLATFORM_LINUX;
    ret->arch =
        tn_known(h->arch) ? tn_says(h->arch, "amd64") || tn_says(h->arch, "AMD64") ? "x86_64" : h->arch.v : "x86_64";
    ret->glibc = tn_says(h->libc, "musl") ? "" : text(h->libc_version);
    ret->driver = tn_known(d->library_version) ? d->library_version.v : text(d->version);
    ret->ceiling = text(d->cuda);
    ret->no_driver = d->version.k == TN_ABSENT && d->library_version.k != TN_KNOWN;
    ret->flags_known = TN_THE(s, cpu)->flags.k == TN_KNOWN;
    cards(mem, s, ret);
    tools(mem, s, ret);
}
