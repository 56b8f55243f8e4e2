/* dl.c - libraries opened at run time. */
#include "os/os.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void *tn_os_dl_open(const char *path, const char **ret_why)
{
    void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!h && ret_why)
        *ret_why = dlerror();
    return h;
}

void *tn_os_dl_open_shared(const char *path, const char **ret_why)
{
    void *h = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!h && ret_why)
        *ret_why = dlerror();
    return h;
}

void *tn_os_dl_find(void *library, const char *name)
{
    return dlsym(library, name);
}

const char *tn_os_dl_device(const char *path)
{
    static const struct {
        int number;
        const char *name;
    } known[] = {{EPERM, "EPERM"}, {EACCES, "EACCES"}, {ENXIO, "ENXIO"}, {ENODEV, "ENODEV"},
                 {EIO, "EIO"},     {ENOENT, "ENOENT"}, {EBUSY, "EBUSY"}, {EROFS, "EROFS"}};
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK), e = errno;
    if (fd >= 0) {
        close(fd);
        return "ok";
    }
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == e)
            return known[i].name;
    return "error";
}
