/* fuzz_command.c - hostile text with commands: what was made right can be shown, says why, and reading it again mends
 * nothing; a line that nothing was mended in stays as it is. */
#include <stdlib.h>
#include <string.h>

#include "command/command.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void again(struct tn_arena *mem, const struct tn_command *c)
{
    struct tn_command *second = tn_command_read(mem, c->right);
    for (unsigned i = 0; second && i < second->n_repair; i++)
        if (second->repair[i].kind != TN_MEND_PIN)
            abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct tn_arena mem;
    struct tn_commands *all;
    tn_arena_init(&mem);
    all = tn_arena_array(&mem, 1, sizeof *all);
    tn_commands_find(&mem, tn_span_of(data, size), all);
    for (unsigned i = 0; i < all->n; i++) {
        const struct tn_command *c = all->v[i];
        if (!c->given || !c->n_part || !c->line || (!c->right && !c->refused))
            abort();
        for (unsigned k = 0; k < c->n_repair; k++)
            if (!*tn_mend_word(c->repair[k].kind) || !c->repair[k].was || !c->repair[k].now || !c->repair[k].because)
                abort();
        for (const char *p = c->right; p && *p; p++)
            if ((unsigned char)*p < 32)
                abort();
        if (c->right && c->whole && c->shell == TN_SHELL_SH)
            again(&mem, c);
    }
    tn_arena_deinit(&mem);
    return 0;
}
