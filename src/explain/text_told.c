/* text_told.c - a cause that is told in so many words, and no program said it: "the driver is too old", "没有装 cuDNN",
 * "the user is not in the video group"; and a library named in a sentence that says it is not found.
 *
 * A row holds words for a thing and words for what is wrong with it, both in one sentence. What is told is only
 * believed as possible (judge_told.c): who knows the cause does not ask, and who guesses may be wrong. Sentences of
 * advice and wish are left out by text_complaint.c, which calls this. */
#include "explain/told.h"

#include <string.h>

#include "base/str.h"

#define VERSION_IS_WRONG                                                                                               \
    " too new| too old| too high| too low| wrong version| "                                                            \
    "outdated|版本太高|版本太低|版本过高|版本过低|版本不对|版本错|太旧|过旧"
#define DO_NOT_MATCH                                                                                                   \
    " mismatch| not match| doesnt match| dont match| incompatib| not compatible|不匹配|不兼容|不一致|对不上"
#define IS_NOT_THERE                                                                                                   \
    " not installed| isnt installed| wasnt installed| not been installed| didnt install| havent installed| forgot to " \
    "install|没装|没有装|没有安装|未安装|忘记安装|忘了装"
#define IS_NO_MATCH_FOR                                                                                                \
    " not support| unsupported| doesnt support| didnt support| no longer support| dropped support|不支持|不再支持"

static const struct {
    const char *thing, *state, *cause;
} rows[] = {
    {" driver|驱动", " too old| outdated| out of date| old driver|太旧|太老|过旧|过低|太低|版本低", "driver-too-old"},
    {" driver|驱动", IS_NOT_THERE, "driver-missing"},
    {" cu130 | cu13 | cuda 13", " error| crash| fail| broke| not start| not launch|报错|失败",
     "driver-too-old"}, /* >= 580 */
    {" black screen|黑屏", " nvidia| driver|驱动| secure boot| secureboot", "driver-not-loaded"},
    {" nouveau ", " conflict|冲突|没有禁用|未禁用|没禁用", "driver-not-loaded"},
    {" avx| avx2| sse4| instruction set|指令集", IS_NO_MATCH_FOR "| missing| lack| without |缺少|没有",
     "cpu-instruction-missing"},
    {" cuda version| cuda toolkit| cuda 1| cuda 9|cuda 版本|cuda 的版本", VERSION_IS_WRONG, "cuda-version-mismatch"},
    {" cuda | cuda toolkit", IS_NOT_THERE, "cuda-runtime-missing"},
    {" cudnn", VERSION_IS_WRONG, "cudnn-version-mismatch"},
    {" cudnn", IS_NOT_THERE "| missing |缺少", "cudnn-missing"},
    {" python 3| python version|python 版本|python 的版本", VERSION_IS_WRONG "|" IS_NO_MATCH_FOR,
     "python-version-unsupported"},
    {" torchvision| torchaudio| xformers| jaxlib| tensorflow text| tf keras ", DO_NOT_MATCH, "companion-mismatch"},
    {" numpy 2", DO_NOT_MATCH "| fail| error| break|报错", "numpy-abi"},
    {" protobuf", VERSION_IS_WRONG "|" DO_NOT_MATCH, "protobuf-mismatch"},
    {" glibc| libstdc| glibcxx ", VERSION_IS_WRONG, "glibc-too-old"},
    {" compute capability| cuda capability| sm |算力", IS_NO_MATCH_FOR "| too low| too old|太低|过低|太老",
     "arch-unsupported"},
    {" cpu version| cpu build| cpu only version| cpu only build|cpu 版",
     " torch| pytorch| onnxruntime| tensorflow| jax| paddle", "cpu-only-build"},
    {" dev nvidia| video group| render group", " permission| denied| not in |权限|没有权限", "device-permission"},
    {" nvidia container toolkit| nvidia docker| nvidia container runtime", IS_NOT_THERE, "container-toolkit-missing"},
    {" gpus all| gpus flag| gpus option| runtime nvidia",
     " forgot| without | missing| did not| didnt |忘|没加|没有加|少了", "container-gpu-not-requested"},
    {" wrong environment| wrong env | other environment| another environment| different environment| wrong "
     "kernel|另一个环境|别的环境|错误的环境|环境不对",
     "", "wrong-environment"},
    {" cuda | cudnn", " two version| both version| multiple version| two copies| several version|两个版本|多个版本",
     "library-shadowed"},
    {" cuda | cudnn ",
     " path not set| path is not set| not in path| not on path| not in the path| environment variable is not| "
     "environment variables are "
     "not|没有加环境变量|没加环境变量|环境变量没|没配环境变量|未配置环境变量|没有配置环境变量",
     "cuda-not-on-loader-path"},
    {"中文路径|路径有中文|路径中有中文|路径含中文|中文用户名|用户名是中文| chinese characters in| non ascii path| non "
     "ascii char",
     "", "non-ascii-path"},
    {" page file| pagefile| paging file|虚拟内存|分页文件|页面文件", " too small|太小|不足|不够", "pagefile-too-small"},
    {" shm | dev shm| shared memory|共享内存", " too small| not enough| insufficient|太小|不足|不够",
     "shared-memory-too-small"},
    {" kill| terminat| ctrl c| stopped|杀|中断|退出|结束",
     " not release| not freed| not free | isnt freed| isnt released| still hold| still occup| still "
     "used|不释放|没释放|没有释放|还占|仍然占|未释放",
     "gpu-busy"},
    {" 32 bit python| python 32 bit|32 位 python|32 位的 python", "", "cpu-architecture-unsupported"},
    {" virtual machine| vmware| virtualbox|虚拟机",
     " no gpu| cannot see| cant see| not see| not detect| no nvidia|没有显卡|识别不到|检测不到|找不到",
     "no-nvidia-gpu"},
};

/* "libcudnn.so.8", "cudart64_110.dll": a library of NVIDIA's. */
static bool is_library(const char *name)
{
    static const char *const stem[] = {"cud",     "cublas", "cufft",     "curand", "cusolver", "cusparse",
                                       "nvinfer", "nvrtc",  "nvjitlink", "nccl",   "zlibwapi", "nvcuda"};
    const char *p = name + (tn_str_starts(name, "lib") ? 3 : 0);
    size_t n = strlen(name);
    bool ours = false;
    for (unsigned i = 0; i < TN_LEN(stem); i++)
        ours |= tn_str_starts(p, stem[i]);
    return ours && (strstr(name, ".so") || (n > 4 && strcmp(name + n - 4, ".dll") == 0));
}

void tn_told_libraries(struct tn_explain *e, const char *low, unsigned line)
{
    static const char *const missed[] = {"not found", "cannot",   "can't",  "could not", "couldn't",
                                         "unable",    "missing",  "fail",   "no such",   "doesn't exist",
                                         "not exist", "not load", "找不到", "缺少",      "没有",
                                         "无法",      "不存在",   "未找到", "加载失败"};
    char name[64];
    bool is = false;
    for (unsigned i = 0; i < TN_LEN(missed); i++)
        is |= strstr(low, missed[i]) != NULL;
    for (const char *p = low; is && *p;) {
        size_t n = 0;
        while (tn_is_alpha(p[n]) || tn_is_digit(p[n]) || (p[n] && strchr("._-", p[n])))
            n++;
        size_t end = n;
        while (end && p[end - 1] == '.')
            end--;
        if (end && end < sizeof name) {
            memcpy(name, p, end);
            name[end] = 0;
            if (is_library(name))
                tn_explain_say(e, "asked.library", name, line);
        }
        p += n ? n : 1;
    }
}

void tn_told_causes(struct tn_explain *e, const char *s, unsigned line, bool (*one_of)(const char *, const char *))
{
    if (one_of(s, " not too | isnt too | not outdated| is not the | isnt the | not because|不是因为|并不|不太"))
        return;
    for (unsigned i = 0; i < TN_LEN(rows); i++)
        if (one_of(s, rows[i].thing) && (!*rows[i].state || one_of(s, rows[i].state)))
            tn_explain_say(e, "complaint.cause", rows[i].cause, line);
}
