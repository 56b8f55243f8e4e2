/* probe_world.h - small machines for tests of probes: a record composed by hand, replayed.
 *
 * What a test does not put in is not there ("complete"), unless it says otherwise. */
#ifndef TN_TEST_PROBE_WORLD_H
#define TN_TEST_PROBE_WORLD_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "probe/probe.h"
#include "world/record.h"

struct machine {
    struct tn_record r;
    struct tn_world *w;
    struct tn_snap s;
};

static inline void open_machine(struct machine *m, const char *os)
{
    tn_record_init(&m->r, os);
    m->r.style = strcmp(os, "windows") == 0 ? TN_PATH_WINDOWS : TN_PATH_POSIX;
    m->r.files.style = m->r.style;
    m->r.files.complete = m->r.reg.complete = m->r.env_complete = m->r.sys_complete = true;
    m->w = NULL;
    tn_snap_init(&m->s);
}

static inline void put_bytes(struct machine *m, const char *path, const void *p, size_t n)
{
    struct tn_node *f = tn_tree_make(&m->r.files, path);
    f->type = 'f';
    f->whole = true;
    f->has_stat = true;
    f->st = (struct tn_stat){.type = 'f', .mode = 0644, .size = n, .nlink = 1};
    if (n)
        tn_tree_add_part(&m->r.files, f, 0, tn_span_of(tn_arena_memdup(&m->r.mem, p, n), n));
}

static inline void put(struct machine *m, const char *path, const char *text)
{
    put_bytes(m, path, text, strlen(text));
}

static inline void put_link(struct machine *m, const char *path, const char *to)
{
    struct tn_node *f = tn_tree_make(&m->r.files, path);
    f->type = 'l';
    f->link = tn_arena_strdup(&m->r.mem, to);
    f->has_stat = true;
    f->st = (struct tn_stat){.type = 'l', .mode = 0777, .nlink = 1};
}

static inline void put_node(struct machine *m, const char *path, uint32_t mode, uint32_t gid, uint32_t major,
                            uint32_t minor)
{
    struct tn_node *f = tn_tree_make(&m->r.files, path);
    f->type = 'c';
    f->has_stat = true;
    f->st = (struct tn_stat){.type = 'c', .mode = mode, .gid = gid, .major = major, .minor = minor, .nlink = 1};
}

static inline void put_dir(struct machine *m, const char *path)
{
    tn_tree_make(&m->r.files, path)->type = 'd';
}

/* A place that may not be looked at. */
static inline void put_denied(struct machine *m, const char *path)
{
    struct tn_node *f = tn_tree_make(&m->r.files, path);
    f->type = 'f';
    f->error = TN_DENIED;
    f->note = "Permission denied";
    f->has_stat = true;
    f->st = (struct tn_stat){.type = 'f', .mode = 0600, .size = 4096, .nlink = 1};
}

static inline void put_reg(struct machine *m, const char *key, const char *value, const char *text)
{
    struct tn_node *k = tn_tree_make(&m->r.reg, key), *v;
    k->type = 'd';
    v = tn_tree_add_child(&m->r.reg, k, value, strlen(value));
    v->type = 'f';
    tn_tree_add_part(&m->r.reg, v, 0, tn_span_str(tn_arena_strdup(&m->r.mem, text)));
}

static inline void put_note(struct machine *m, enum tn_question_kind kind, const char *name, const char *text)
{
    struct tn_note *n = tn_record_add(&m->r, kind, name);
    n->a.got = TN_KNOWN;
    n->a.data = tn_span_str(tn_arena_strdup(&m->r.mem, text));
}

/* A running Linux of a plain user. */
static inline void put_linux(struct machine *m, const char *release)
{
    put_note(m, TN_Q_SYS, "release", release);
    put_note(m, TN_Q_SYS, "uid", "1000");
    put_note(m, TN_Q_SYS, "arch", "x86_64");
    put(m, "/proc/version", "Linux version");
    put_dir(m, "/sys/bus");
    put_dir(m, "/sys/module");
    put_dir(m, "/dev");
}

static inline void run_probes(struct machine *m)
{
    struct tn_want want = {.env = NULL};
    struct tn_err err;
    assert_int_equal(tn_world_replay(&m->r, &m->w, &err), 0);
    tn_probe_all(m->w, &want, &m->s);
}

static inline void close_machine(struct machine *m)
{
    tn_world_close(m->w);
    tn_record_deinit(&m->r);
    tn_snap_deinit(&m->s);
}

#define assert_fact(fact, text)                                                                                        \
    do {                                                                                                               \
        assert_int_equal((fact).k, TN_KNOWN);                                                                          \
        assert_string_equal((fact).v, (text));                                                                         \
    } while (0)
#define assert_number(fact, number)                                                                                    \
    do {                                                                                                               \
        assert_int_equal((fact).k, TN_KNOWN);                                                                          \
        assert_int_equal((fact).v, (number));                                                                          \
    } while (0)
#define assert_state(fact, state) assert_int_equal((fact).k, (state))

#endif
