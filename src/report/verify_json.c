/* verify_json.c - see verify.h.
 *
 * {schema_version, command: "verify", status: ok|problem|partly, cause: slug|null, layers [{name, what, device,
 * precision, status: pass|fail|not_tried, call, error, why, library {path, version}, max_error, bound, placed,
 * message, peer}], devices [{layer, device, name}], loaded [path], cards [{device, name, status: pass|fail, layer,
 * what, error}]} */
#include <stdlib.h>
#include <string.h>

#include "report/verify.h"
#include "snapshot/json.h"
#include "snapshot/schema.h"

static json_t *fact(struct tn_str f)
{
    return tn_known(f) && strcmp(f.v, "-") != 0 ? tn_json_text(f.v) : json_null();
}

/* "1.2e-05" as a number; infinite and NaN are none in JSON. */
static json_t *number(struct tn_str f)
{
    char *end;
    double v = tn_known(f) ? strtod(f.v, &end) : 0;
    return tn_known(f) && v - v == 0 ? json_real(v) : json_null();
}

static json_t *layer(const struct tn_rec_measurement *m)
{
    json_t *o = json_object(), *library = json_object();
    bool fail = tn_says(m->status, "fail") && !tn_says(m->error, "wrong-result");
    tn_json_set(o, "name", fact(m->layer));
    tn_json_set(o, "what", fact(m->what));
    tn_json_set(o, "device", fact(m->device));
    tn_json_set(o, "peer", fact(m->peer));
    tn_json_set(o, "precision", fact(m->precision));
    tn_json_set(o, "status", fact(m->status));
    tn_json_set(o, "call", fact(m->call));
    tn_json_set(o, "error", fact(m->error));
    tn_json_set(o, "why", fact(m->why));
    tn_json_set(library, "path", fact(m->file));
    tn_json_set(library, "version", fact(m->version));
    tn_json_set(o, "library", library);
    tn_json_set(o, "max_error", number(m->off));
    tn_json_set(o, "bound", number(m->bound));
    tn_json_set(o, "placed", fail ? json_null() : fact(m->text));
    tn_json_set(o, "message", fail ? fact(m->text) : json_null());
    return o;
}

static json_t *cards(const struct tn_snap *s)
{
    struct tn_verify_card card[TN_VERIFY_CARDS];
    unsigned n = tn_verify_cards(s, card, TN_VERIFY_CARDS);
    json_t *list = json_array();
    for (unsigned i = 0; i < n; i++) {
        const struct tn_rec_measurement *m = card[i].failed;
        json_t *o = json_object();
        tn_json_set(o, "device", tn_json_text(card[i].device));
        tn_json_set(o, "name", tn_json_text(card[i].name));
        tn_json_set(o, "status", json_string(m ? "fail" : "pass"));
        tn_json_set(o, "layer", m ? fact(m->layer) : json_null());
        tn_json_set(o, "what", m ? fact(m->what) : json_null());
        tn_json_set(o, "error", m ? fact(m->error) : json_null());
        tn_json_append(list, o);
    }
    return list;
}

void tn_verify_json(const struct tn_verify_report *r, struct tn_buf *ret)
{
    static const char *const words[] = {
        [TN_VERIFY_OK] = "ok", [TN_VERIFY_FAILED] = "problem", [TN_VERIFY_PARTLY] = "partly"};
    tn_json_seed();
    json_t *root = json_object(), *layers = json_array(), *devices = json_array(), *loaded = json_array();
    for (size_t i = 0; i < r->s->measurement.n; i++) {
        const struct tn_rec_measurement *m = &r->s->measurement.v[i];
        if (tn_known(m->status)) {
            tn_json_append(layers, layer(m));
        } else if (tn_says(m->what, "loaded")) {
            tn_json_append(loaded, fact(m->file));
        } else if (tn_says(m->what, "device")) {
            json_t *o = json_object();
            tn_json_set(o, "layer", fact(m->layer));
            tn_json_set(o, "device", fact(m->device));
            tn_json_set(o, "name", fact(m->text));
            tn_json_append(devices, o);
        }
    }
    tn_json_set(root, "schema_version", json_integer(TN_SCHEMA_VERSION));
    tn_json_set(root, "command", json_string("verify"));
    tn_json_set(root, "status", json_string(words[tn_verify_outcome(r->s)]));
    tn_json_set(root, "cause", r->cause ? json_string(r->cause->cause) : json_null());
    tn_json_set(root, "layers", layers);
    tn_json_set(root, "devices", devices);
    tn_json_set(root, "loaded", loaded);
    tn_json_set(root, "cards", cards(r->s));
    tn_json_dump(ret, root, 2);
    json_decref(root);
}
