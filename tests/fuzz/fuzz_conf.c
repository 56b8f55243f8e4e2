/* fuzz_conf.c - hostile configuration files: the first byte chooses INI, TOML or YAML, the rest is its content. */
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "base/limits.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static void (*const parse[])(struct tn_span, struct tn_arena *, struct tn_conf *) = {tn_conf_ini, tn_conf_toml,
                                                                                         tn_conf_yaml};
    struct tn_arena mem;
    struct tn_conf c;
    if (size < 1)
        return 0;
    tn_arena_init(&mem);
    parse[data[0] % 3](tn_span_of(data + 1, size - 1), &mem, &c);
    if (c.n > TN_MAX_CONF_ITEMS)
        abort();
    for (size_t i = 0; i < c.n; i++)
        if (!c.v[i].section || !c.v[i].key || !c.v[i].value || c.v[i].line == 0 || c.v[i].line > size ||
            strlen(c.v[i].value) > 2 * TN_MAX_CONF_LINE)
            abort();
    tn_arena_deinit(&mem);
    return 0;
}
