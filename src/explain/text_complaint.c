/* text_complaint.c - what a person complains of in a sentence, without any message: "my 4080 is there, and only the CPU
 * is used", "容器里识别不到显卡", "it fails after the laptop slept".
 *
 * A sentence holds ideas (the card, the CPU, not, to see, to use, only ...), each of which many words name in English
 * and Chinese; a complaint is a set of ideas in one sentence. Each becomes an observation "complaint.KIND" with its
 * line; judge_told.c says what it may come from. Read of short texts only, and a sentence that tells what one should
 * do, needs or wonders about is none. No idea is more than its words: what a complaint can prove is little, and the
 * judge keeps it below every message that a program printed. */
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "explain/explain.h"
#include "explain/sentence.h"
#include "explain/told.h"

enum {
    GPU = 1 << 0,
    CPU = 1 << 1, /* the work is done on it */
    NOT = 1 << 2,
    SEE = 1 << 3,
    USE = 1 << 4,
    ZERO = 1 << 5,
    DRIVER = 1 << 6,
    LOAD = 1 << 7,
    SLEEP = 1 << 8,
    REBOOT = 1 << 9,
    HELPS = 1 << 10,
    SECURE = 1 << 11,
    DIFFER = 1 << 12,
    WHEEL = 1 << 13,
    CONTAINER = 1 << 14,
    UPDATE = 1 << 15,
    EMPTY = 1 << 16,
    LISTING = 1 << 17,
    FAILS = 1 << 18,
    CUDNN = 1 << 19,
    WISH = 1 << 20,
    BOARD = 1 << 21,
    OTHERS = 1 << 22,
    HOLD = 1 << 23,
    MEMORY = 1 << 24,
    LATER = 1 << 25,
    SEVERAL = 1 << 26,
    HANGS = 1 << 27,
    PLACE = 1 << 28,
    SMI = 1 << 29,
    NEWEST = 1 << 30 /* a card of the newest generation */
};

/* Does one of the words, by bars, stand in the sentence? It has a blank at both ends, so " gpu" is the beginning of a
 * word and " no " a whole one. */
static bool one_of(const char *s, const char *words)
{
    char word[48];
    while (*words) {
        size_t n = strcspn(words, "|");
        if (n && n < sizeof word) {
            memcpy(word, words, n);
            word[n] = 0;
            if (strstr(s, word))
                return true;
        }
        words += n + (words[n] == '|');
    }
    return false;
}

static uint32_t ideas_of_things(const char *s)
{
    uint32_t is = 0;
    if (one_of(
            s,
            " gpu| cuda | graphics card| graphic card| video card| nvidia card| rtx| gtx| dgpu|显卡|独显|顯示卡| n 卡"))
        is |= GPU;
    if (one_of(s, " on cpu| on the cpu| on my cpu| to cpu | to the cpu| only cpu| only the cpu| just the cpu| just cpu|"
                  " cpu only| uses cpu| uses the cpu| using cpu| using the cpu| cpu instead| cpu mode| by cpu|"
                  " via cpu| through the cpu|用 cpu|在 cpu|跑 cpu|有 cpu|走 cpu|是 cpu| cpu 在跑| cpu 跑|"
                  " cpu 运行| cpu 上运行| cpu 推理|占用 cpu|到 cpu|使用 cpu"))
        is |= CPU;
    if (one_of(s, " driver|驱动|驅動"))
        is |= DRIVER;
    if (one_of(s, " cudnn"))
        is |= CUDNN;
    if (one_of(s, " container| docker| pod | kubernetes| k8s| podman|容器|镜像"))
        is |= CONTAINER;
    if (one_of(s, " wheel| whl| prebuilt| binary|安装包"))
        is |= WHEEL;
    if (one_of(s, " jetson| aarch64| arm64| raspberry| orin |树莓派"))
        is |= BOARD;
    if (one_of(s, " secure boot| secureboot| uefi| mok |安全启动"))
        is |= SECURE;
    if (one_of(s, " process| someone| somebody| other user| other people| another user| another "
                  "program|进程|别人|其他人|其他任务|别的任务|其他程序|"
                  "其他用户|别的程序"))
        is |= OTHERS;
    if (one_of(s, " memory| vram| gpu|显存|内存|顯存"))
        is |= MEMORY;
    if (one_of(s, " two gpu| 2 gpus| several gpu| multiple gpu| multi gpu| both gpus| more gpus| dataparallel| ddp |"
                  " mirroredstrategy|多卡|双卡|两张卡|多张| 多 gpu"))
        is |= SEVERAL;
    if (one_of(s,
               " vscode| vs code| pycharm| jupyter| notebook| spyder| terminal| anaconda prompt| ipython|终端|命令行"))
        is |= PLACE;
    if (one_of(s, " nvidia smi "))
        is |= SMI;
    if (one_of(s, " 5050| 5060| 5070| 5080| 5090| rtx5050| rtx5060| rtx5070| rtx5080| rtx5090| 50xx| rtx50| 50 series|"
                  " 50series| blackwell | sm 120|50 系| 5000 series"))
        is |= NEWEST;
    if (one_of(s, " list physical devices| physical devices| local devices| devices | gpus | device count|设备列表"))
        is |= LISTING;
    return is;
}

static uint32_t ideas_of_happenings(const char *s)
{
    uint32_t is = 0;
    if (one_of(s, " not | cant | cannot | doesnt | dont | didnt | isnt | wasnt | arent | wont | couldnt | havent |"
                  " unable | unavailable | no | never | fail| nothing | none | without |不|没|無|无|沒|失败"))
        is |= NOT;
    if (one_of(s, " detect| recogni| see | sees | seen | saw | find | finds | found | visible| identif| pick up |"
                  " picked up | show up| shows up| notice|检测|识别|找到|找不|看到|看不|发现|認|认不|偵測"))
        is |= SEE;
    if (one_of(s, " use | uses | using | used | utili| usage | run on | runs on | running on | leverag| work |"
                  " works | working | accelerat|使用|用到|用上|用不|调用|占用|利用|生效|启用|没动|不动|没反应|加速"))
        is |= USE;
    if (one_of(s, " 0% | 0 % | idle | unused |空闲|閒置|使用率 0|使用率为 0|占用 0|占用率 0|占用率为 0|占用为 "
                  "0|没有占用|没占用"))
        is |= ZERO;
    if (one_of(s, " load| 加载|加载|挂载"))
        is |= LOAD;
    if (one_of(s, " suspend| sleep| hibernat| wake| woke | standby| lid |休眠|睡眠|待机|唤醒|合盖|挂起"))
        is |= SLEEP;
    if (one_of(s, " reboot| repoot| restart|重启|重新启动|重开机"))
        is |= REBOOT;
    if (one_of(s, " solve| fix| works | work | gone | helps| again |解决|好了|正常|恢复|就行"))
        is |= HELPS;
    if (one_of(s, " mismatch| not match| doesnt match| dont match| incompatib| conflict| differ|不匹配|不一致|对不上|"
                  "不符|冲突|不兼容| but |但"))
        is |= DIFFER;
    if (one_of(s, " occup| holds | holding | hogg| taking | takes up| uses up| using all| uses all|占满|占用|占了|吃了|"
                  "吃掉|吃满|吃光|全吃|用光|占着"))
        is |= HOLD;
    if (one_of(s, " after a few| after few| after some| after a while| few days| few hours| several days| hours later|"
                  " days later|几天|几小时|一段时间|过一会|过几"))
        is |= LATER;
    if (one_of(s, " hang| freez| stuck| deadlock| nan | garbage |卡住|卡死|死锁|挂住"))
        is |= HANGS;
    if (one_of(s, " updat| upgrad|更新|升级"))
        is |= UPDATE;
    if (one_of(s, " empty |空列表|空数组|返回空|为空|是空"))
        is |= EMPTY;
    if (one_of(s, " error| fail| crash| broken| cant | cannot | not |报错|错误|失败|崩溃|无法|不能|不"))
        is |= FAILS;
    if (one_of(
            s,
            " want to | i want | dont want | just want | rather use | how can i use | how to use | how can i run | how "
            "to run | how to train | force cpu|"
            " switch to cpu| switching to cpu| switched to cpu|更换 cpu|换成 cpu|改用 cpu|改成 cpu|采用 cpu|切换到 cpu|"
            "允许|添加|新增") &&
        !one_of(s, " but |但|却|可是"))
        is |= WISH;
    if (one_of(s, " want to use my cpu| want to use the cpu| dont want to use the gpu| should | whether | please | in "
                  "order to | if you | required | requires | need to | needs | "
                  "recommend| would like | would be | handy | feature | it possible | can you add | could you add | "
                  "please add |"
                  " to avoid | no need| without gpu| without a gpu| no gpu required| dont have a gpu| have no gpu|"
                  "如果|需要|建议|要求|推荐|是否|以免|避免|想用|没有显卡|没有 gpu|无需|希望|能否|可否"))
        is |= WISH;
    return is;
}

/* Small letters, blanks between words, none beside a wide character but where a word of letters meets it. */
static void normal(const char *low, char *s, size_t size)
{
    size_t n = 0;
    s[n++] = ' ';
    for (const char *p = low; *p && n + 3 < size; p++) {
        unsigned char c = (unsigned char)*p, last = (unsigned char)s[n - 1];
        if (c == '\'') /* doesn't */
            continue;
        bool word = tn_is_alpha((char)c) || tn_is_digit((char)c) || c == '%' ||
                    (c == '.' && (tn_is_alpha(p[1]) || tn_is_digit(p[1]))); /* 11.2, and no end of a sentence */
        if (c < 0x80 && !word) {
            if (last != ' ')
                s[n++] = ' ';
            continue;
        }
        if (last != ' ' && (c >= 0x80) != (last >= 0x80))
            s[n++] = ' ';
        s[n++] = (char)c;
    }
    if (s[n - 1] != ' ')
        s[n++] = ' ';
    s[n] = 0;
}

struct complaints {
    struct tn_explain *e;
    unsigned batch;  /* the line that names a batch system */
    unsigned given;  /* the line that tells that no card was given */
    unsigned path;   /* the line that last named LD_LIBRARY_PATH */
    bool unseen;     /* no card is seen */
    bool asked;      /* a message names the library that is not found */
    bool nvidia;     /* a card of NVIDIA's is named somewhere */
    unsigned other;  /* the line that names one of another maker */
    unsigned worked; /* the line that tells that all was well before */
    bool changed;    /* something was updated meanwhile */
    uint32_t before; /* ideas of the sentence before: "I have a GPU. It is not used." */
};

static void say(struct complaints *c, const char *kind, unsigned line)
{
    tn_explain_say(c->e, kind, "yes", line);
}

static void unseen(struct complaints *c, unsigned line)
{
    c->unseen = true;
    say(c, "complaint.unseen", line);
}

/* "cuDNN is not found", "找不到 cuda 和 cudnn": the libraries are missed, not the card. */
static bool names_library(const char *s)
{
    return one_of(s, " cudnn| cuda toolkit| libcud| cuda librar| cudart| cublas| cuda 库| cuda lib");
}

/* What a change of LD_LIBRARY_PATH did: "works after removing it", "solved by adding the folder to it". */
static void search_path(struct complaints *c, const char *s, uint32_t is, unsigned line)
{
    bool now = one_of(s, " ld library path "), near = now || (c->path && line - c->path <= 3);
    if (now)
        c->path = line;
    if (near && ((is & HELPS) || strstr(s, " after ")) &&
        one_of(s, " unset| reset| remov| without | delet| clear|删|去掉|取消|清空"))
        say(c, "complaint.path-in-the-way", line);
    else if (now && (is & HELPS) && one_of(s, " add| set | setting | export|添加|加上|加入|设置|配置"))
        say(c, "complaint.path-missing", line);
}

/* Slurm and its like: no card where none was asked for. */
static void batch(struct complaints *c, const char *s, uint32_t is, unsigned line)
{
    if (!c->batch && one_of(s, " slurm| sbatch | srun | salloc | gres | qsub | pbs | htcondor "))
        c->batch = line;
    if (!c->given && (is & GPU) && (is & NOT) && one_of(s, " get | gets | got | allocat| assign| given |分配|申请"))
        c->given = line;
}

/* An address is no sentence, and what stands beside it may be one. */
static void without_addresses(char *low)
{
    for (char *at; (at = strstr(low, "://"));) {
        char *from = at;
        while (from > low && from[-1] != ' ')
            from--;
        memset(from, ' ', (size_t)(at - from) + strcspn(at, " "));
    }
}

static void cards_named(struct complaints *c, const char *s, unsigned line)
{
    if (one_of(s, " rtx| gtx| geforce| tesla| quadro| my nvidia| titan | a100 | h100 | v100 "))
        c->nvidia = true;
    if (!c->other && one_of(s, " amd card | amd gfx| amd gpu| gpu amd | amd graphics| amd 显卡| amd 的显卡| amd "
                               "radeon| radeon rx| radeon vii"
                               "| radeon pro| rx570| rx580| rx470| rx480| rx5| rx6| rx7| rx 4| rx 5| rx 6| rx 7|"
                               " intel gpu| integrated intel| iris xe| intel arc | intel graphics "))
        c->other = line;
}

/* "| 0%   35C    P8 ... |  0%      Default |": a panel says what is, it does not complain. */
static bool row_of_a_table(const char *low, size_t n)
{
    const char *from = low + strspn(low, " \t");
    while (n && (low[n - 1] == ' ' || low[n - 1] == '\t' || low[n - 1] == '\r'))
        n--;
    return n > 3 &&
           ((*from == '|' && low[n - 1] == '|') || (tn_str_starts(from, "│") && memcmp(low + n - 3, "│", 3) == 0));
}

static void on_sentence(void *ctx, char *low, unsigned line)
{
    struct complaints *c = ctx;
    char s[2 * TN_SENTENCE_ROW];
    size_t n = strlen(low);
    if (!c->asked)
        tn_told_libraries(c->e, low, line);
    if (n < 6 || strstr(low, "site-packages") || strstr(low, ".cc:") || row_of_a_table(low, n))
        return;
    without_addresses(low);
    normal(low, s, sizeof s);
    cards_named(c, s, line);
    uint32_t is = ideas_of_things(s) | ideas_of_happenings(s), had = c->before;
    c->before = is;
    if (one_of(s, " cuda version") && one_of(s, " n a ")) /* libcuda did not answer nvidia-smi */
        say(c, "complaint.no-libcuda", line);
    if (is & WISH)
        return;
    tn_told_causes(c->e, s, line, one_of);
    bool not = is & NOT, gpu = is & GPU;
    search_path(c, s, is, line);
    batch(c, s, is, line);
    if (not &&(is & SEE) && names_library(s))
        say(c, "complaint.library", line);
    else if (gpu && not &&(is & SEE) && !(is & DRIVER))
        unseen(c, line);
    else if ((is & EMPTY) && ((is | had) & (LISTING | GPU)))
        unseen(c, line);
    else if (one_of(s, " gcc| nvcc| compil|编译")) /* a build that fails, whatever it says of use */
        is &= ~(uint32_t)(CPU | USE);
    else if ((is & CPU) || (gpu && ((not &&(is & USE)) || (is & ZERO))) || ((had & GPU) && (is & ZERO)))
        say(c, "complaint.cpu", line);
    if ((is & SLEEP) && !strstr(s, "time.sleep"))
        say(c, "complaint.sleep", line);
    if ((is & REBOOT) && (is & HELPS))
        say(c, "complaint.reboot", line);
    if ((is & DRIVER) && not &&(is & LOAD))
        say(c, "complaint.unloaded", line);
    if ((is & SECURE) && (is & (DRIVER | LOAD)))
        say(c, "complaint.secure", line);
    if (one_of(s, " cuda ") && (is & FAILS))
        say(c, "complaint.cuda", line);
    if (one_of(s, " was working| worked before| worked fine| used to work| went fine| worked yesterday|"
                  " suddenly | until yesterday|突然|之前可以|之前能|以前可以|以前能|昨天还"))
        c->worked = c->worked ? c->worked : line;
    c->changed |= (is & UPDATE) != 0;
    if ((is & CONTAINER) && (is & REBOOT) && one_of(s, " solution | solve| fix| helps|解决|恢复|好了"))
        say(c, "complaint.lost", line);
    if ((is & NEWEST) && (is & FAILS))
        say(c, "complaint.newest", line);
    if ((is & WHEEL) && not &&(is & BOARD))
        say(c, "complaint.board", line);
    if ((is & CONTAINER) && ((not &&(is & (SEE | USE))) || one_of(s, "镜像构建|镜像启动|容器里|容器内|容器中")))
        say(c, "complaint.container", line);
    if ((is & OTHERS) && (is & HOLD) && (is & MEMORY) && !not )
        say(c, "complaint.crowd", line);
    if ((is & CONTAINER) && (is & LATER) && (not || one_of(s, " lose| lost |丢失")))
        say(c, "complaint.lost", line);
    if ((is & SEVERAL) && (is & HANGS))
        say(c, "complaint.hangs", line);
    if ((is & PLACE) && one_of(s, " env | environment| interpreter| kernel |环境|解释器") &&
        (not || one_of(s, " wrong | instead | other | another |却|另")))
        say(c, "complaint.place", line);
    if ((is & SMI) && not &&one_of(s, " communicat| talk to| work| running |通信"))
        say(c, "complaint.unloaded", line);
    if ((is & UPDATE) && one_of(s, " kernel |内核"))
        say(c, "complaint.kernel", line);
    if ((is & DIFFER) && (is & CUDNN))
        say(c, "complaint.cudnn", line);
    if ((is & DIFFER) && one_of(s, " cuda | nvcc "))
        say(c, "complaint.differ", line);
    if (one_of(s, " cuda ") && one_of(s, " torch| pytorch| tensorflow| tf | paddle| jax| onnxruntime") &&
        one_of(s, " mismatch| not match| doesnt match| dont match| incompatib|不匹配|不一致|对不上|不兼容"))
        say(c, "complaint.misfit", line);
}

bool tn_explain_complaints(struct tn_span clean, struct tn_snap *s)
{
    struct tn_explain e = {.s = s};
    struct complaints c = {.e = &e};
    for (size_t i = 0; i < s->observation.n; i++) {
        const struct tn_rec_observation *o = &s->observation.v[i];
        c.asked |= tn_says(o->fact, "asked.library") && tn_known(o->value) &&
                   (strstr(o->value.v, ".so") || strstr(o->value.v, ".dll"));
    }
    size_t before = s->observation.n;
    tn_arena_init(&e.mem);
    tn_sentences(clean, on_sentence, &c);
    if (c.worked && !c.changed)
        say(&c, "complaint.worked", c.worked);
    if (c.batch && (c.unseen || c.given))
        say(&c, "complaint.batch", c.given ? c.given : c.batch);
    if (c.other && !c.nvidia)
        say(&c, "complaint.other-card", c.other);
    tn_arena_deinit(&e.mem);
    return s->observation.n > before;
}
