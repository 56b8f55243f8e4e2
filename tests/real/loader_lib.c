/* Template of every generated library: it can open others from inside itself. */
#define _GNU_SOURCE
#include <dlfcn.h>

void *tn_open(const char *name);
void *tn_open(const char *name)
{
    void *volatile h = dlopen(name, RTLD_NOW); /* no tail call: the caller's address tells whose run path counts */
    return h;
}
