/* Template of every generated program: prints its link map, then opens what its arguments say.
 * Arguments in pairs: path of the loaded object that opens ("" for the program itself), name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#ifdef __GLIBC__
static void list(void)
{
    for (struct link_map *m = _r_debug.r_map; m; m = m->l_next)
        if (*m->l_name && strcmp(m->l_name, "linux-vdso.so.1") != 0)
            printf(" %s", m->l_name);
    printf("\n");
}
#else /* musl: in the order of its list; the vDSO has no name */
static int name(struct dl_phdr_info *i, size_t size, void *first)
{
    (void)size;
    if (!*(int *)first && *i->dlpi_name)
        printf(" %s", i->dlpi_name);
    *(int *)first = 0; /* the program itself */
    return 0;
}

static void list(void)
{
    int first = 1;
    dl_iterate_phdr(name, &first);
    printf("\n");
}
#endif

int main(int argc, char **argv)
{
    printf("start");
    list();
    for (int i = 1; i + 1 < argc; i += 2) {
        void *h, *from = *argv[i] ? dlopen(argv[i], RTLD_NOW | RTLD_NOLOAD) : NULL;
        void *(*by)(const char *) = NULL;
        if (from)
            *(void **)&by = dlsym(from, "tn_open");
        if (*argv[i] && !by) {
            printf("no caller");
        } else if ((h = by ? by(argv[i + 1]) : dlopen(argv[i + 1], RTLD_NOW)) != NULL) {
            printf("found %s", ((struct link_map *)h)->l_name);
        } else {
            printf("failed %s", dlerror());
        }
        printf(" |");
        list();
    }
    fflush(stdout);
    return 0;
}
