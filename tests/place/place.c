/* place.c - what src/place does, by hand: for tests/place/run.py.
 * usage: place archives FOLDER LISTFILE [WORD=VALUE]... ARCHIVE...   words: cudnn cuda list parts lib
 *        place members ARCHIVE SHA256|-
 *        place check FOLDER LISTFILE
 * Prints what was placed; ends with 4 for what is refused, 5 for what could not be. LISTFILE: what tn_placed_write
 * says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "place/place.h"

static struct tn_arena mem;
static const char *helper;

static int ended(int rc, const struct tn_err *err)
{
    if (!rc)
        return 0;
    printf("%s: %s\n", err->place, err->text);
    return rc == TN_E_REFUSED || rc == TN_E_FORMAT || rc == TN_E_LIMIT ? 4 : rc == TN_E_USAGE ? 2 : 5;
}

static void save(const struct tn_placed *p, const char *path)
{
    struct tn_buf b;
    struct tn_err err;
    tn_buf_init(&b);
    tn_placed_write(p, &b);
    if (tn_os_write_file(path, b.p, b.n, false, &err))
        abort();
    fwrite(b.p, 1, b.n, stdout);
    tn_buf_deinit(&b);
}

static int archives(int argc, char **argv)
{
    const char *list[16], *file[80];
    struct tn_place how = {.list = list, .archive = file, .helper = helper};
    struct tn_placed placed;
    struct tn_place_part *part = tn_arena_array(&mem, 80, sizeof *part);
    struct tn_os_dir *into;
    struct tn_err err = {0};
    for (int i = 2; i < argc; i++) {
        const char *eq = strchr(argv[i], '='), *value = eq ? eq + 1 : "";
        if (tn_str_starts(argv[i], "cudnn="))
            how.cudnn = value;
        else if (tn_str_starts(argv[i], "cuda="))
            how.cuda = value;
        else if (tn_str_starts(argv[i], "lib="))
            how.lib = value;
        else if (tn_str_starts(argv[i], "list="))
            list[how.n_list++] = value;
        else if (tn_str_starts(argv[i], "parts="))
            how.part = tn_place_toolkit;
        else
            file[how.n_archive++] = argv[i];
    }
    int rc = tn_os_dir_open(argv[0], &into, &err);
    if (rc)
        return ended(rc, &err);
    how.into = into;
    rc = tn_place_archives(&mem, &how, &placed, part, &err);
    tn_os_dir_close(into);
    for (size_t i = 0; !rc && i < how.n_archive; i++)
        printf("part %s %s %s cuda%s %s\n", part[i].is.component, part[i].is.version, part[i].is.platform,
               part[i].is.cuda, part[i].listed ? "listed" : "unlisted");
    if (!rc)
        save(&placed, argv[1]);
    return ended(rc, &err);
}

static int members(char **argv)
{
    struct tn_placed placed;
    struct tn_buf b;
    struct tn_err err = {0};
    char sha256[65];
    int rc = tn_place_members(&mem, argv[0], argv[1][0] == '-' ? "" : argv[1], helper, &placed, sha256, &err);
    if (rc)
        return ended(rc, &err);
    tn_buf_init(&b);
    tn_placed_write(&placed, &b);
    printf("%s\n%s", sha256, b.p);
    tn_buf_deinit(&b);
    return 0;
}

static int check(char **argv)
{
    static const char *const words[] = {"same", "changed", "gone"};
    struct tn_placed placed;
    struct tn_buf b;
    struct tn_os_dir *d;
    struct tn_err err = {0};
    tn_buf_init(&b);
    int rc = tn_os_read(NULL, argv[1], 0, 64u << 20, &b, NULL, &err);
    if (!rc)
        rc = tn_placed_read(&mem, tn_span_of(b.p, b.n), &placed, &err);
    if (!rc)
        rc = tn_os_dir_open(tn_path_dir(&mem, TN_PATH_POSIX, argv[0]), &d, &err);
    tn_buf_deinit(&b);
    if (rc)
        return ended(rc, &err);
    enum tn_placed_state *state = tn_arena_array(&mem, placed.n, sizeof *state);
    rc = tn_placed_check(&mem, &placed, d, tn_path_base(TN_PATH_POSIX, argv[0]), helper, state, &err);
    for (size_t i = 0; !rc && i < placed.n; i++)
        printf("%s %s\n", words[state[i]], placed.v[i].path);
    tn_os_dir_close(d);
    return ended(rc, &err);
}

int main(int argc, char **argv)
{
    int rc = 2;
    helper = getenv("TENON_UNPACK");
    tn_arena_init(&mem);
    if (argc > 4 && strcmp(argv[1], "archives") == 0)
        rc = archives(argc - 2, argv + 2);
    else if (argc == 4 && strcmp(argv[1], "members") == 0)
        rc = members(argv + 2);
    else if (argc == 4 && strcmp(argv[1], "check") == 0)
        rc = check(argv + 2);
    tn_arena_deinit(&mem);
    return rc;
}
