/* value.c - see tx.h: values of the Windows registry as part of a transaction.
 *
 * Each is set only where it is what it was seen to be, and taken back only where it still is what we made of it: bytes
 * and type. What others have made of one since then wins. */
#include <string.h>

#include "apply/inner.h"

static bool same(const struct tn_os_reg_raw *a, const struct tn_os_reg_raw *b)
{
    return a->there == b->there &&
           (!a->there || (a->type == b->type && a->n == b->n && (!a->n || memcmp(a->p, b->p, a->n) == 0)));
}

static const char *named(struct tn_tx *t, const struct tn_tx_value *v)
{
    return tn_arena_printf(t->state->mem, "%s\\%s", v->key, v->name);
}

int tn_tx_value(struct tn_tx *t, const struct tn_tx_value *v, struct tn_err *err)
{
    struct tn_tx_record *r = &t->record;
    if (r->n_value == TN_TX_MAX_VALUES)
        return tn_err_set(err, TN_E_LIMIT, v->name, "more than %u values at once", TN_TX_MAX_VALUES);
    int rc = tn_tx_write(t, tn_journal_value(v), err);
    if (!rc)
        r->value[r->n_value++] = *v;
    t->failed = t->failed || rc;
    return rc;
}

int tn_tx_values_check(struct tn_tx *t, struct tn_err *err)
{
    int rc = 0;
    for (unsigned i = 0; i < t->record.n_value && !rc; i++) {
        const struct tn_tx_value *v = &t->record.value[i];
        struct tn_os_reg_raw now;
        rc = tn_os_reg_get(v->key, v->name, t->state->mem, &now, err);
        if (!rc && !same(&now, &v->before))
            rc = tn_err_set(err, TN_E_EXISTS, named(t, v), "it was changed meanwhile");
    }
    return rc;
}

int tn_tx_values_set(struct tn_tx *t, bool back, const char **ret_left, struct tn_err *err)
{
    int rc = 0;
    for (unsigned i = 0; i < t->record.n_value && !rc; i++) {
        const struct tn_tx_value *v = &t->record.value[i];
        const struct tn_os_reg_raw *from = back ? &v->after : &v->before, *to = back ? &v->before : &v->after;
        struct tn_os_reg_raw now;
        rc = tn_os_reg_get(v->key, v->name, t->state->mem, &now, err);
        if (rc || same(&now, to))
            continue;
        if (same(&now, from))
            rc = tn_os_reg_set(v->key, v->name, to, err);
        else
            *ret_left = named(t, v);
    }
    if (t->record.n_value)
        tn_os_reg_announce();
    return rc;
}
