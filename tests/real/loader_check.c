/* loader_check.c - the real loader beside ours: opens files in order; of TensorFlow's framework library it calls
 * TensorFlow's own check of the CUDA libraries (tsl's DsoLoader::TryDlopenCUDALibraries), of cuDNN what makes it open
 * its parts.
 *
 * usage: loader_check FILE...    run under LD_DEBUG=libs; prints "check: ok", "check: fails" or "opened: FILE" */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void call_version_checks(void *h)
{
    static const char *const name[] = {"cudnnGetVersion", "cudnnOpsVersionCheck", "cudnnCnnVersionCheck",
                                       "cudnnAdvVersionCheck"};
    for (unsigned i = 0; i < sizeof name / sizeof name[0]; i++) {
        int (*f)(void);
        *(void **)&f = dlsym(h, name[i]);
        if (f)
            f();
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        void *h = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (!h) {
            printf("error: %s\n", dlerror());
            continue;
        }
        printf("opened: %s\n", argv[i]);
        void *(*check)(void *);
        *(void **)&check = dlsym(h, "_ZN3tsl8internal9DsoLoader22TryDlopenCUDALibrariesEv");
        if (check) {
            uintptr_t status[4] = {0}; /* absl::Status: 0 or 1 is OK, a pointer (older: to its state) is an error */
            check(status);
            printf("check: %s\n", status[0] <= 1 ? "ok" : "fails");
        }
        call_version_checks(h);
        fflush(stdout);
    }
    return 0;
}
