/* tree.h - what a record knows of a file system: a tree of nodes, each with what was learnt of it.
 *
 * Recorder and replay share it. A node that is not there means "nobody asked", unless its folder was listed or the
 * record is complete: then it means "absent". */
#ifndef TN_WORLD_TREE_H
#define TN_WORLD_TREE_H

#include "world/world.h"

struct tn_part {
    uint64_t off;
    struct tn_span bytes;
    size_t room; /* bytes that its memory can hold: large files come in many pieces */
};

struct tn_node {
    const char *name;
    char type;   /* as in tn_stat; '?' not known; '-' absent */
    bool listed; /* child[] holds all entries */
    bool whole;  /* the parts reach the end of the file */
    bool has_stat;
    enum tn_know error; /* TN_DENIED or TN_FAILED when looking into it went wrong; else TN_UNASKED */
    const char *note, *from, *link;
    struct tn_stat st;
    struct tn_part *part; /* sorted by off, not touching */
    size_t n_part, cap_part;
    struct tn_node **child; /* sorted by name (Windows: by lower case) */
    size_t n_child, cap_child;
    uint32_t id;
};

struct tn_tree {
    struct tn_arena *mem;
    enum tn_path_style style;
    bool complete; /* what is not in it is not there */
    struct tn_node root;
    uint32_t n_node;
    const char *why; /* the note of the last walk that was denied or failed */
    /* Called for a node whose type is not known, with the path that leads to it without links; may fill it. NULL:
     * never. */
    void (*learn)(void *ctx, struct tn_node *n, const char *path);
    void *ctx;
};

void tn_tree_init(struct tn_tree *t, struct tn_arena *mem, enum tn_path_style style);
struct tn_node *tn_tree_child(const struct tn_tree *t, const struct tn_node *dir, const char *name, size_t n);
struct tn_node *tn_tree_add_child(struct tn_tree *t, struct tn_node *dir, const char *name, size_t n);
/* The node at path, taken literally (no links), made with all its folders when it is not there. */
struct tn_node *tn_tree_make(struct tn_tree *t, const char *path);
/* The node at path with links resolved (the last one only if follow). *ret_got: known, or why there is none. */
struct tn_node *tn_tree_walk(struct tn_tree *t, const char *path, bool follow, enum tn_know *ret_got);
/* Adds bytes to a node, joined with what overlaps or touches. */
void tn_tree_add_part(struct tn_tree *t, struct tn_node *n, uint64_t off, struct tn_span bytes);

/* Answers STAT, LINK, LIST and READ from the tree alone. */
void tn_tree_answer(struct tn_tree *t, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret);

#endif
