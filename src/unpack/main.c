/* main.c - tenon-unpack: archives by libarchive, for tenon, which unpacks nothing itself.
 *
 * A request comes on standard input, lines with one blank between words, names last:
 *   root FD              the empty folder to fill; without it members are only listed
 *   archive FD SHA256|- NAME    an open file; its form goes by the ending of NAME
 *   signed KEY SIGNATURE GLOBAL COMMENT   the next archive, by minisign's rules; each in hexadecimal digits
 *   target posix|windows|macos  whose file systems the tree is for
 *   strip N              of the next archive: leading components to drop, the same for all members
 *   rename FROM TO       of the next archive: a first component, behind that
 *   max bytes|members|ratio N   less than the program's own bounds (judge.c)
 *   sync                 flush the file system at the end
 *   digest PATH          instead of archives: the digest of a file below root
 *   go
 * On standard output come "bounds privileges capabilities landlock filter" (those that hold here), "archive N SIZE
 * SHA256", "at BYTES" (packed ones, progress), for each entry "f MODE SIZE SHA256 ARCHIVE PATH", "d MODE - - ARCHIVE
 * PATH", "l - - - ARCHIVE PATH", each link's line followed by
 * "> TARGET", and "done FILES BYTES"; or one line "refused N MEMBER: words" (status 4) or "failed ERRNO PATH" (status
 * 5), and then nothing is left in the folder. Bytes of names that could end a line come as %XX, and % as %25.
 * Everything is judged before it is made (judge.c), made below the one folder (os/posix/beneath.c), in a process that
 * could not do otherwise (confine.c). */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/str.h"
#include "unpack/unpack.h"

void tn_unpack_say_name(const char *name)
{
    for (const unsigned char *p = (const unsigned char *)name; *p; p++)
        if (*p < 0x20 || *p == 0x7f || *p == '%')
            printf("%%%02X", *p);
        else
            putchar(*p);
}

int tn_unpack_refuse(struct tn_unpack *u, const char *member, const char *why)
{
    printf("refused %u ", u->judge.archive);
    tn_unpack_say_name(member);
    printf(": ");
    tn_unpack_say_name(why);
    putchar('\n');
    return TN_UNPACK_REFUSED;
}

int tn_unpack_fail(struct tn_unpack *u, const char *path, int e)
{
    (void)u;
    printf("failed %d ", e);
    tn_unpack_say_name(path);
    putchar('\n');
    return TN_UNPACK_FAILED;
}

/* --- the request --- */

static bool number(const char *word, uint64_t *ret)
{
    return tn_str_u64(word, strlen(word), 10, ret);
}

static bool fd_of(const char *word, int *ret)
{
    uint64_t n;
    if (!number(word, &n) || n < 3 || n > 1000 || fcntl((int)n, F_GETFD) < 0)
        return false;
    *ret = (int)n;
    return true;
}

static bool is_sha256(const char *s)
{
    return strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64;
}

/* Lowers a bound; nothing raises one. */
static bool bound(struct tn_unpack_caps *caps, const char *what, const char *word)
{
    uint64_t n, *cap = strcmp(what, "bytes") == 0     ? &caps->bytes
                       : strcmp(what, "members") == 0 ? &caps->members
                       : strcmp(what, "ratio") == 0   ? &caps->ratio
                                                      : NULL;
    if (!cap || !number(word, &n) || !n)
        return false;
    *cap = n < *cap ? n : *cap;
    return true;
}

static bool archive(struct tn_unpack *u, char *fd, char *sha256, const char *name)
{
    struct tn_unpack_archive *f = &u->archive[u->n_archive];
    if (u->n_archive == TN_UNPACK_ARCHIVES || !fd_of(fd, &f->fd) || (strcmp(sha256, "-") != 0 && !is_sha256(sha256)))
        return false;
    f->sha256 = *sha256 == '-' ? NULL : tn_arena_strdup(&u->mem, sha256);
    f->name = tn_arena_strdup(&u->mem, name);
    f->signature = u->signature;
    u->signature = NULL;
    f->strip = u->judge.strip;
    f->rename = u->judge.rename;
    f->n_rename = u->judge.n_rename;
    u->judge.strip = 0;
    u->judge.n_rename = 0;
    u->n_archive++;
    return true;
}

/* Exactly n bytes, or at most (*ret_n). */
static bool hex(const char *word, void *ret, size_t n, size_t *ret_n)
{
    size_t len = strlen(word) / 2;
    uint64_t byte = 0;
    bool ok = strlen(word) == 2 * len && (ret_n ? len <= n : len == n);
    for (size_t i = 0; ok && i < len; i++) {
        ok = tn_str_u64(word + 2 * i, 2, 16, &byte) && word[2 * i] != '+' && word[2 * i] != '-';
        ((unsigned char *)ret)[i] = (unsigned char)byte;
    }
    if (ret_n)
        *ret_n = len;
    return ok;
}

static bool signature(struct tn_unpack *u, const char *key, const char *sig, char *rest)
{
    struct tn_unpack_signature *x = tn_arena_alloc(&u->mem, sizeof *x);
    const char *global = strsep(&rest, " ");
    memset(x, 0, sizeof *x);
    u->signature = x;
    return rest && hex(key, x->key, 32, NULL) && hex(sig, x->signature, 64, NULL) && hex(global, x->global, 64, NULL) &&
           hex(rest, x->comment, sizeof x->comment, &x->n_comment);
}

static bool rename_rule(struct tn_unpack *u, const char *from, const char *to)
{
    struct tn_unpack_judge *j = &u->judge;
    struct tn_unpack_rename *r = tn_arena_array(&u->mem, j->n_rename + 1, sizeof *r);
    if (tn_unpack_bad_name(&j->caps, j->target, from, strlen(from)) ||
        tn_unpack_bad_name(&j->caps, j->target, to, strlen(to)) || j->n_rename == 64)
        return false;
    if (j->n_rename)
        memcpy(r, j->rename, j->n_rename * sizeof *r);
    r[j->n_rename].from = tn_arena_strdup(&u->mem, from);
    r[j->n_rename++].to = tn_arena_strdup(&u->mem, to);
    j->rename = r;
    return true;
}

static bool target(struct tn_unpack *u, const char *word)
{
    static const char *const names[] = {"posix", "windows", "macos"};
    for (unsigned i = 0; i < TN_LEN(names); i++)
        if (strcmp(word, names[i]) == 0) {
            u->judge.target = (enum tn_unpack_target)i;
            return true;
        }
    return false;
}

static bool line(struct tn_unpack *u, char *text)
{
    char *rest = text, *word[4] = {NULL, NULL, NULL, NULL};
    unsigned n = 0;
    uint64_t k;
    while (n < 3 && rest && *rest) /* the fourth is the rest */
        word[n++] = strsep(&rest, " ");
    if (rest)
        word[n++] = rest;
    if (n == 2 && strcmp(word[0], "root") == 0) {
        u->writes = true;
        return fd_of(word[1], &u->at.root);
    }
    if (n == 4 && strcmp(word[0], "archive") == 0)
        return archive(u, word[1], word[2], word[3]);
    if (n == 4 && strcmp(word[0], "signed") == 0)
        return signature(u, word[1], word[2], word[3]);
    if (n == 2 && strcmp(word[0], "target") == 0)
        return target(u, word[1]);
    if (n == 2 && strcmp(word[0], "strip") == 0 && number(word[1], &k) && k < 8) {
        u->judge.strip = (unsigned)k;
        return true;
    }
    if (n == 3 && strcmp(word[0], "rename") == 0)
        return rename_rule(u, word[1], word[2]);
    if (n == 3 && strcmp(word[0], "max") == 0)
        return bound(&u->judge.caps, word[1], word[2]);
    u->sync = u->sync || strcmp(text, "sync") == 0;
    return n == 1 && strcmp(text, "sync") == 0;
}

static bool request(struct tn_unpack *u)
{
    char *text = NULL;
    size_t cap = 0;
    bool good = true, go = false;
    for (ssize_t n; good && !go && (n = getline(&text, &cap, stdin)) > 0;) {
        good = text[n - 1] == '\n' && strlen(text) == (size_t)n && n < 8192;
        text[n - 1] = 0;
        go = strcmp(text, "go") == 0;
        if (good && !go && strncmp(text, "digest ", 7) == 0) {
            u->digest = tn_arena_grow(&u->mem, u->digest, u->n_digest, &u->digest_cap, sizeof(char *));
            u->digest[u->n_digest++] = tn_arena_strdup(&u->mem, text + 7);
        } else if (good && !go) {
            good = line(u, text);
        }
    }
    free(text);
    u->writes = u->writes && !u->n_digest;
    return good && go && (u->n_digest ? !u->n_archive && u->at.root >= 0 : u->n_archive > 0);
}

/* --- the work --- */

static void print_entries(const struct tn_unpack *u)
{
    uint64_t files = 0;
    for (size_t i = 0; i < u->judge.n_entry; i++) {
        const struct tn_unpack_entry *e = u->judge.entry[i];
        if (e->type == 'f')
            printf("f %04o %llu %s %u ", e->mode, (unsigned long long)e->size, e->sha256, e->archive);
        else if (e->type == 'd')
            printf("d 0755 - - %u ", e->archive);
        else
            printf("l - - - %u ", e->archive);
        tn_unpack_say_name(e->path);
        putchar('\n');
        if (e->type == 'l') {
            printf("> ");
            tn_unpack_say_name(e->target);
            putchar('\n');
        }
        files += e->type == 'f';
    }
    printf("done %llu %llu\n", (unsigned long long)files, (unsigned long long)u->unpacked);
}

/* A file that is none any more is told as such: the others still are what they are. */
static int digests(struct tn_unpack *u)
{
    for (size_t i = 0; i < u->n_digest; i++) {
        char sha256[65] = "";
        uint64_t size = 0;
        int fd = tn_beneath_open(&u->at, u->digest[i]), e = fd < 0 ? errno : 0;
        if (fd >= 0 && tn_unpack_digest(u, fd, &size, sha256))
            e = errno;
        if (fd >= 0)
            close(fd);
        if (e)
            printf("no %d ", e);
        else
            printf("f %llu %s ", (unsigned long long)size, sha256);
        tn_unpack_say_name(u->digest[i]);
        putchar('\n');
    }
    printf("done %zu 0\n", u->n_digest);
    return TN_UNPACK_DONE;
}

static int work(struct tn_unpack *u)
{
    int rc = TN_UNPACK_DONE;
    if (u->n_digest)
        return digests(u);
    for (unsigned i = 0; i < u->n_archive && !rc; i++)
        rc = tn_unpack_read(u, i);
    if (!rc)
        rc = tn_unpack_finish(u);
    if (!rc)
        print_entries(u);
    if (!rc && fflush(stdout))
        rc = TN_UNPACK_FAILED;
    if (rc && u->writes)
        tn_unpack_take_back(u);
    return rc;
}

static bool is_any_signed(const struct tn_unpack *u)
{
    for (unsigned i = 0; i < u->n_archive; i++)
        if (u->archive[i].signature)
            return true;
    return false;
}

int main(void)
{
    static struct tn_unpack u;
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        seed = (uint64_t)getpid();
    tn_arena_init(&u.mem);
    tn_unpack_judge_init(&u.judge, &u.mem, seed);
    u.at.root = -1;
    u.piece = tn_arena_alloc(&u.mem, TN_UNPACK_PIECE);
    if (!request(&u) || (u.at.root >= 0 && tn_beneath_init(&u.at, u.at.root))) {
        printf("failed 22 tenon-unpack: no request; tenon starts it\n");
        return TN_UNPACK_USAGE;
    }
    if (getenv("TENON_UNPACK_WALK"))
        u.at.walk = true;                /* as on a kernel without openat2 */
    if (!setlocale(LC_CTYPE, "C.UTF-8")) /* libarchive gives names in the locale's characters */
        setlocale(LC_CTYPE, "");
    if (!gcry_check_version(NULL) || gcry_control(GCRYCTL_DISABLE_SECMEM) ||
        gcry_control(GCRYCTL_INITIALIZATION_FINISHED) || gcry_md_open(&u.hash, GCRY_MD_SHA256, 0) ||
        (is_any_signed(&u) && gcry_md_enable(u.hash, GCRY_MD_BLAKE2B_512))) {
        printf("failed 38 libgcrypt\n");
        return TN_UNPACK_FAILED;
    }
    struct tn_unpack_bounds b;
    tn_unpack_confine(&u, &b);
    printf("bounds%s%s%s%s\n", b.no_new_privileges ? " privileges" : "", b.no_capabilities ? " capabilities" : "",
           b.landlock ? " landlock" : "", b.filter ? " filter" : "");
    int rc = work(&u);
    fflush(stdout);
    _exit(rc);
}
