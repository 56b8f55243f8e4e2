/* journal.c - see journal.h. */
#include "apply/journal.h"

#include <string.h>
#include <zlib.h>

#include "apply/here.h"
#include "base/base64.h"
#include "base/str.h"
#include "snapshot/json.h"

static const char *const hows[] = {"put", "swap", "away", "edit"};
static const char *const states[] = {"open",    "committed", "done",       "cancelled",
                                     "undoing", "undone",    "forgetting", "forgotten"};

const char *tn_tx_state_word(enum tn_tx_state s)
{
    return states[s];
}

void tn_journal_line(struct tn_buf *ret, unsigned number, json_t *v)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_json_set(v, "n", json_integer(number));
    tn_json_dump(&b, v, 0);
    while (b.n && b.p[b.n - 1] == '\n')
        b.n--;
    tn_buf_printf(ret, "%08lx ", crc32(0, (const Bytef *)b.p, (uInt)b.n) & 0xFFFFFFFFul);
    tn_buf_add(ret, b.p, b.n);
    tn_buf_ch(ret, '\n');
    tn_buf_deinit(&b);
    json_decref(v);
}

static json_t *made(const char *what)
{
    json_t *j = tn_json_must(json_object());
    tn_json_set(j, "do", json_string(what));
    return j;
}

json_t *tn_journal_begin(const char *kind, const char *goal, int64_t time)
{
    json_t *j = made("begin");
    tn_json_set(j, "kind", json_string(kind));
    tn_json_set(j, "goal", tn_json_text(goal));
    tn_json_set(j, "time", json_integer(time));
    return j;
}

static json_t *id_json(struct tn_tx_id id)
{
    json_t *j = tn_json_must(json_array());
    tn_json_append(j, json_integer((json_int_t)id.ino));
    tn_json_append(j, json_integer((json_int_t)id.born));
    return j;
}

json_t *tn_journal_item(const struct tn_tx_item *i)
{
    json_t *j = made("item");
    tn_json_set(j, "how", json_string(hows[i->how]));
    tn_json_set(j, "folder", tn_json_text(i->folder));
    tn_json_set(j, "name", tn_json_text(i->name));
    tn_json_set(j, "twin", tn_json_text(i->twin));
    tn_json_set(j, "before", id_json(i->before));
    return j;
}

static json_t *raw_json(const struct tn_os_reg_raw *v)
{
    struct tn_buf b;
    if (!v->there)
        return json_null();
    tn_buf_init(&b);
    tn_buf_str(&b, "");
    tn_base64_encode(&b, tn_span_of(v->p, v->n));
    json_t *j = tn_json_must(json_pack("{s:I, s:s}", "type", (json_int_t)v->type, "data", b.p));
    tn_buf_deinit(&b);
    return j;
}

json_t *tn_journal_value(const struct tn_tx_value *v)
{
    json_t *j = made("value");
    tn_json_set(j, "key", tn_json_text(v->key));
    tn_json_set(j, "name", tn_json_text(v->name));
    tn_json_set(j, "before", raw_json(&v->before));
    tn_json_set(j, "after", raw_json(&v->after));
    return j;
}

json_t *tn_journal_step(const char *what, const char *outcome)
{
    json_t *j = made("step");
    tn_json_set(j, "what", tn_json_text(what));
    tn_json_set(j, "outcome", tn_json_text(outcome));
    return j;
}

json_t *tn_journal_commit(const struct tn_tx_record *t)
{
    json_t *j = made("commit"), *list = tn_json_must(json_array());
    for (unsigned i = 0; i < t->n_item; i++)
        tn_json_append(list, id_json(t->item[i].after));
    tn_json_set(j, "after", list);
    return j;
}

json_t *tn_journal_state(const char *word)
{
    return made(word);
}

/* --- reading --- */

static const char *text(struct tn_arena *mem, const json_t *j, const char *key)
{
    const char *why;
    return tn_json_untext(mem, json_object_get(j, key), &why);
}

static bool is_name(const char *s)
{
    return s && *s && !strchr(s, '/') && !tn_str_eq(s, ".") && !tn_str_eq(s, "..");
}

static bool read_id(const json_t *j, struct tn_tx_id *ret)
{
    const json_t *ino = json_array_get(j, 0), *born = json_array_get(j, 1);
    if (!json_is_integer(ino) || !json_is_integer(born))
        return false;
    *ret = (struct tn_tx_id){(uint64_t)json_integer_value(ino), (uint64_t)json_integer_value(born)};
    return true;
}

static bool read_item(struct tn_arena *mem, const json_t *j, struct tn_tx_record *t)
{
    const char *how = text(mem, j, "how");
    if (t->n_item == TN_TX_MAX_ITEMS || !how)
        return false;
    struct tn_tx_item *i = &t->item[t->n_item];
    memset(i, 0, sizeof *i);
    unsigned k = 0;
    while (k < TN_LEN(hows) && !tn_str_eq(hows[k], how))
        k++;
    if (k == TN_LEN(hows))
        return false;
    i->how = (enum tn_tx_how)k;
    i->folder = text(mem, j, "folder");
    i->name = text(mem, j, "name");
    i->twin = text(mem, j, "twin");
    if (!i->folder || !tn_here_is_abs(i->folder) || !is_name(i->name) || !is_name(i->twin) ||
        !read_id(json_object_get(j, "before"), &i->before))
        return false;
    t->n_item++;
    return true;
}

static bool read_raw(struct tn_arena *mem, const json_t *j, struct tn_os_reg_raw *ret)
{
    const char *data = json_string_value(json_object_get(j, "data"));
    const json_t *type = json_object_get(j, "type");
    struct tn_buf b;
    *ret = (struct tn_os_reg_raw){.there = false};
    if (!j || json_is_null(j))
        return j != NULL;
    tn_buf_init(&b);
    tn_buf_str(&b, "");
    bool ok = data && json_is_integer(type) && tn_base64_decode(&b, tn_span_of(data, strlen(data)), NULL) == 0;
    if (ok)
        *ret = (struct tn_os_reg_raw){.there = true,
                                      .type = (uint32_t)json_integer_value(type),
                                      .p = tn_arena_memdup(mem, b.p, b.n + 1),
                                      .n = b.n};
    tn_buf_deinit(&b);
    return ok;
}

static bool read_value(struct tn_arena *mem, const json_t *j, struct tn_tx_record *t)
{
    struct tn_tx_value v = {.key = text(mem, j, "key"), .name = text(mem, j, "name")};
    if (t->n_value == TN_TX_MAX_VALUES || !v.key || !v.name ||
        !read_raw(mem, json_object_get(j, "before"), &v.before) ||
        !read_raw(mem, json_object_get(j, "after"), &v.after))
        return false;
    t->value[t->n_value++] = v;
    return true;
}

static bool read_commit(const json_t *j, struct tn_tx_record *t)
{
    const json_t *list = json_object_get(j, "after");
    bool ok = json_array_size(list) == t->n_item;
    for (unsigned i = 0; ok && i < t->n_item; i++)
        ok = read_id(json_array_get(list, i), &t->item[i].after);
    return ok;
}

static bool read_begin(struct tn_arena *mem, const json_t *j, struct tn_tx_record *t)
{
    t->kind = text(mem, j, "kind");
    t->goal = text(mem, j, "goal");
    t->time = json_integer_value(json_object_get(j, "time"));
    return t->kind && t->goal && t->next == 0;
}

/* A step is written when it begins and when it has ended. */
static bool read_step(struct tn_arena *mem, const json_t *j, struct tn_tx_record *t)
{
    const char *what = text(mem, j, "what"), *outcome = text(mem, j, "outcome");
    if (!what || !outcome)
        return false;
    if (*outcome && t->n_step && tn_str_eq(t->step[t->n_step - 1].what, what) && !*t->step[t->n_step - 1].outcome)
        t->step[t->n_step - 1].outcome = outcome;
    else if (t->n_step < TN_TX_MAX_STEPS)
        t->step[t->n_step++] = (struct tn_tx_step){what, outcome};
    return true;
}

static bool go(struct tn_tx_record *t, enum tn_tx_state from, enum tn_tx_state to)
{
    if (t->state != from)
        return false;
    t->state = to;
    return true;
}

static bool take(struct tn_arena *mem, const json_t *j, struct tn_tx_record *t)
{
    const char *what = json_string_value(json_object_get(j, "do"));
    if (!what || (t->next == 0) != tn_str_eq(what, "begin"))
        return false;
    if (t->next == 0)
        return read_begin(mem, j, t);
    if (tn_str_eq(what, "item"))
        return t->state == TN_TX_OPEN && read_item(mem, j, t);
    if (tn_str_eq(what, "value"))
        return t->state == TN_TX_OPEN && read_value(mem, j, t);
    if (tn_str_eq(what, "step"))
        return read_step(mem, j, t);
    if (tn_str_eq(what, "commit"))
        return go(t, TN_TX_OPEN, TN_TX_COMMITTED) && read_commit(j, t);
    if (tn_str_eq(what, "done"))
        return go(t, TN_TX_COMMITTED, TN_TX_DONE);
    if (tn_str_eq(what, "cancelled"))
        return go(t, TN_TX_OPEN, TN_TX_CANCELLED);
    if (tn_str_eq(what, "undo"))
        return go(t, TN_TX_DONE, TN_TX_UNDOING);
    if (tn_str_eq(what, "kept"))
        return t->state == TN_TX_UNDOING && (t->kept = true);
    if (tn_str_eq(what, "undone"))
        return go(t, TN_TX_UNDOING, TN_TX_UNDONE);
    if (tn_str_eq(what, "forget"))
        return go(t, TN_TX_DONE, TN_TX_FORGETTING);
    if (tn_str_eq(what, "forgotten"))
        return go(t, TN_TX_FORGETTING, TN_TX_FORGOTTEN);
    return false; /* of a later version: nobody here knows what it did */
}

/* The object of a line whose sum is right; NULL: damaged. */
static json_t *line_of(struct tn_span line)
{
    uint64_t sum;
    struct tn_err err;
    if (line.n < 10 || line.p[8] != ' ' || !tn_str_u64((const char *)line.p, 8, 16, &sum))
        return NULL;
    struct tn_span rest = tn_span_from(line, 9);
    if (crc32(0, rest.p, (uInt)rest.n) != sum)
        return NULL;
    return tn_json_load(rest, &err);
}

int tn_journal_read(struct tn_arena *mem, struct tn_span all, struct tn_tx_record *ret, struct tn_err *err)
{
    struct tn_tx_record *t = tn_arena_alloc(mem, sizeof *t);
    struct tn_span line, rest = all;
    unsigned number = 0;
    memset(t, 0, sizeof *t);
    tn_json_seed();
    t->torn = all.n && all.p[all.n - 1] != '\n';
    while (tn_span_line(&rest, &line)) {
        number++;
        if (!line.n)
            continue;
        json_t *j = line_of(line);
        if (!j)
            continue; /* half a line: its number comes again, or it was the last */
        const json_t *n = json_object_get(j, "n");
        bool ok = json_is_integer(n) && json_integer_value(n) == (json_int_t)t->next && take(mem, j, t);
        json_decref(j);
        if (!ok)
            return tn_err_set(err, TN_E_FORMAT, NULL, "the journal is damaged at line %u", number);
        t->next++;
    }
    if (t->next == 0)
        return tn_err_set(err, TN_E_NOTFOUND, NULL, "the journal holds nothing");
    *ret = *t;
    return 0;
}
