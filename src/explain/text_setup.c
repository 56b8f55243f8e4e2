/* text_setup.c - logs of installers: NVIDIA's for Windows (CUDA and driver), the CUDA runfile, nvidia-installer, and
 * Windows' own SetupAPI log. Which component failed, with which code; or which one still runs at the end of the log.
 *
 * Sources of the formats: the log quoted in pytorch issue 34821 (lines of NVI2); cuda-installer.log as public guides
 * quote it; nvidia-installer log.c and install-from-cwd.c, commit 00aaa9f9; Microsoft, "SetupAPI Text Logs" (section
 * headers ">>>  [", errors "!!!", "<<<  [Exit status: "). Facts: setup.component, setup.code, setup.error, and
 * setup.state: failed or running. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "explain/explain.h"

static void say(struct tn_explain *e, const char *fact, const char *from, size_t n, unsigned line)
{
    char value[TN_SETUP_NAME];
    while (n && (from[n - 1] == ' ' || from[n - 1] == '.'))
        n--;
    if (n == 0)
        return;
    n = n < sizeof value - 1 ? n : sizeof value - 1;
    memcpy(value, from, n);
    value[n] = 0;
    tn_explain_say(e, fact, value, line);
}

static void failed(struct tn_explain *e, const char *component, unsigned line)
{
    say(e, "setup.component", component, strlen(component), line);
    tn_explain_say(e, "setup.state", "failed", line);
    e->setup.running = false;
}

/* "...\CUDAVisualStudioIntegration\NVIDIA_Nsight_Visual_Studio_Edition_Win64_2019.3.0.19200.msi command-line" */
static void begins(struct tn_explain *e, const char *path, unsigned line)
{
    const char *end = strstr(path, ".msi"), *base = path;
    size_t n = 0;
    if (!end)
        return;
    for (const char *p = path; p < end; p++)
        if (*p == '\\' || *p == '/')
            base = p + 1;
    for (; base + n < end && n < sizeof e->setup.component - 1; n++)
        e->setup.component[n] = base[n] == '_' ? ' ' : base[n];
    e->setup.component[n] = 0;
    e->setup.running = n > 0;
    e->setup.line = line;
}

/* "  174.056 |    DEBUG: [NVI2.NVMsiPhase] 802@CNVMsiPhase::InvokePhase : Running MSI install on ..." */
static void nvi2(struct tn_explain *e, const struct tn_explain_line *l)
{
    static const char run[] = "Running MSI install on ", thrown[] = "Exception {0x";
    const char *p = strstr(l->text, run);
    if (p) {
        begins(e, p + strlen(run), l->number);
        return;
    }
    p = strstr(l->text, thrown);
    if (p && strstr(l->text, "ERROR: [NVI2")) {
        p += strlen(thrown) - 2;
        say(e, "setup.code", p, strcspn(p, " ;}"), l->number);
        const char *why = strstr(p, " - ");
        if (why)
            say(e, "setup.error", why + 3, strcspn(why + 3, ";}"), l->number);
        if (*e->setup.component)
            failed(e, e->setup.component, l->number);
    } else if (strstr(l->text, "Exiting Checkpoint: Processing package phase")) {
        e->setup.running = false;
    }
}

/* "[ERROR]: Install of driver component failed." after "[INFO]: Finished with code: 256" */
static void runfile(struct tn_explain *e, const struct tn_explain_line *l)
{
    static const char code[] = "[INFO]: Finished with code: ", of[] = "[ERROR]: Install of ";
    const char *p = strstr(l->text, code);
    if (p && p[strlen(code)] != '0')
        snprintf(e->setup.code, sizeof e->setup.code, "%.*s", (int)strspn(p + strlen(code), "0123456789"),
                 p + strlen(code));
    p = strstr(l->text, of);
    const char *end = p ? strstr(p, " component failed") : NULL;
    if (!end)
        return;
    p += strlen(of);
    say(e, "setup.component", p, (size_t)(end - p), l->number);
    tn_explain_say(e, "setup.state", "failed", l->number);
    if (*e->setup.code)
        tn_explain_say(e, "setup.code", e->setup.code, l->number);
}

/* nvidia-installer.log: "installer version: 550.54", then the first "ERROR: " is the one that counts. */
static void installer(struct tn_explain *e, const struct tn_explain_line *l)
{
    static const char version[] = "installer version: ";
    if (strncmp(l->text, version, strlen(version)) == 0) {
        e->setup.line = l->number;
        e->setup.running = false; /* another installer's log begins */
        snprintf(e->setup.component, sizeof e->setup.component, "NVIDIA driver %.40s", l->text + strlen(version));
        e->setup.installer = true;
        return;
    }
    const char *p = l->text + (strncmp(l->text, "-> ", 3) == 0 ? 3 : 0);
    if (!e->setup.installer || strncmp(p, "ERROR: ", 7) != 0)
        return;
    say(e, "setup.error", p + 7, strlen(p + 7), l->number);
    failed(e, e->setup.component, l->number);
    e->setup.installer = false;
}

static bool has_nvidia(const char *text)
{
    char low[512];
    size_t n = 0;
    for (; text[n] && n < sizeof low - 1; n++)
        low[n] = tn_lower(text[n]);
    low[n] = 0;
    return strstr(low, "ven_10de") || strstr(low, "nvidia") || strstr(low, "\\nv_disp") || strstr(low, "\\nvlt") ||
           strstr(low, "\\nvac") || strstr(low, "\\nvmd");
}

static void setupapi(struct tn_explain *e, const struct tn_explain_line *l)
{
    static const char exit_of[] = "<<<  [Exit status: FAILURE(";
    if (strncmp(l->text, ">>>  [", 6) == 0) {
        e->setup.section = has_nvidia(l->text);
        e->setup.error_said = false;
    }
    if (!e->setup.section)
        return;
    if (strncmp(l->text, "!!!", 3) == 0 && !e->setup.error_said) {
        const char *p = l->text + 3 + strspn(l->text + 3, " ");
        const char *colon = strstr(p, ": ");
        p = colon && colon - p < 8 ? colon + 2 + strspn(colon + 2, " ") : p;
        say(e, "setup.error", p, strlen(p), l->number);
        e->setup.error_said = true;
    } else if (strncmp(l->text, exit_of, strlen(exit_of)) == 0) {
        const char *p = l->text + strlen(exit_of);
        say(e, "setup.code", p, strcspn(p, ")]"), l->number);
        failed(e, "NVIDIA display driver", l->number);
    }
}

void tn_explain_setup_line(struct tn_explain *e, const struct tn_explain_line *l)
{
    if (strstr(l->text, "[NVI2."))
        nvi2(e, l);
    else if (strstr(l->text, "[INFO]: ") || strstr(l->text, "[ERROR]: "))
        runfile(e, l);
    else
        installer(e, l);
    setupapi(e, l);
}

/* The log ends while a component is being installed: that is where it hangs. */
void tn_explain_setup_end(struct tn_explain *e)
{
    if (!e->setup.running)
        return;
    say(e, "setup.component", e->setup.component, strlen(e->setup.component), e->setup.line);
    tn_explain_say(e, "setup.state", "running", e->setup.line);
}
