/* nvrtc.c - libnvrtc for tests: the one kernel that tenon compiles becomes PTX text with its name: standin.h. */
#include "standin.h"

#define LAYER "nvrtc"
AT_LOAD(LAYER)
#define PTX ".version 6.0\n.target sm_52\n.visible .entry twist(.param .u64 to, .param .u32 n)\n{ ret; }\n"
#define INVALID_PROGRAM 4

int nvrtcVersion(int *major, int *minor)
{
    *major = 12;
    *minor = 4;
    return 0;
}
int nvrtcCreateProgram(void **ret, const char *source, const char *name, int n, const char *const *h,
                       const char *const *i)
{
    (void)name, (void)n, (void)h, (void)i;
    standin_trouble(LAYER);
    if (!strstr(source, "void twist("))
        return 3;
    return standin_make(ret, 1);
}
int nvrtcDestroyProgram(void **p)
{
    return standin_destroy(*p, 1, INVALID_PROGRAM);
}
int nvrtcCompileProgram(void *p, int n, const char *const *option)
{
    (void)n, (void)option;
    return !standin_is(p, 1) ? INVALID_PROGRAM : standin_fault(LAYER, "status") ? 7 : 0;
}
int nvrtcGetPTXSize(void *p, size_t *ret)
{
    *ret = sizeof PTX;
    return standin_is(p, 1) ? 0 : INVALID_PROGRAM;
}
int nvrtcGetPTX(void *p, char *ret)
{
    memcpy(ret, standin_fault(LAYER, "nothing") ? "" : PTX, standin_fault(LAYER, "nothing") ? 1 : sizeof PTX);
    return standin_is(p, 1) ? 0 : INVALID_PROGRAM;
}
