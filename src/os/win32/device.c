/* device.c - devices as the Plug and Play manager knows them: in the machine or not, and the problem code that Device
 * Manager shows. Source: Microsoft, "Device Manager Error Messages"; cfgmgr32.h. */
#include "os/win32/win32.h"

#include <cfgmgr32.h>
#include <string.h>

typedef CONFIGRET(WINAPI *locate_fn)(DEVINST *, DEVINSTID_W, ULONG);
typedef CONFIGRET(WINAPI *status_fn)(ULONG *, ULONG *, DEVINST, ULONG);

int tn_os_device(const char *instance, unsigned *ret_problem, struct tn_err *err)
{
    struct tn_arena mem;
    DEVINST node;
    ULONG status = 0, problem = 0;
    locate_fn locate;
    status_fn state;
    HMODULE m = LoadLibraryExW(L"cfgmgr32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    FARPROC f = m ? GetProcAddress(m, "CM_Locate_DevNodeW") : NULL,
            g = m ? GetProcAddress(m, "CM_Get_DevNode_Status") : NULL;
    if (!f || !g)
        return tn_err_set(err, TN_E_UNSUPPORTED, instance, "no Plug and Play manager");
    memcpy(&locate, &f, sizeof locate);
    memcpy(&state, &g, sizeof state);
    tn_arena_init(&mem);
    CONFIGRET rc = locate(&node, tn_win32_wide(&mem, instance), CM_LOCATE_DEVNODE_NORMAL);
    tn_arena_deinit(&mem);
    if (rc == CR_SUCCESS)
        rc = state(&status, &problem, node, 0);
    if (rc == CR_NO_SUCH_DEVNODE || rc == CR_NO_SUCH_DEVINST)
        return tn_err_set(err, TN_E_NOTFOUND, instance, "not in this machine");
    if (rc != CR_SUCCESS)
        return tn_err_set(err, TN_E_UNSUPPORTED, instance, "the Plug and Play manager answers %lu", (unsigned long)rc);
    *ret_problem = status & DN_HAS_PROBLEM ? (unsigned)problem : 0;
    return 0;
}
