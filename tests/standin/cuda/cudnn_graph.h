/* cudnn_graph.h - the graph interface of the libcudnn for tests, included by cudnn.c: descriptors are lists of
 * attributes, which are checked when they are made final. The first engine that is proposed fits no card. */
#define GRAPH_LAYER "cudnn-graph"
#define MAX_ATTRIBUTES 12
#define NODE_MAGIC 0x6e6f6465u

struct node {
    uint32_t magic;
    int kind;
    bool final;
    unsigned n;
    struct {
        int name;
        int64_t n, v[8];
    } at[MAX_ATTRIBUTES];
};

static bool is_node(const struct node *d)
{
    return d && d->magic == NODE_MAGIC;
}

static const int64_t *value(const struct node *d, int name, int64_t n)
{
    for (unsigned i = 0; is_node(d) && i < d->n; i++)
        if (d->at[i].name == name && d->at[i].n == n)
            return d->at[i].v;
    return NULL;
}

static struct node *link_of(const struct node *d, int name, int kind)
{
    const int64_t *v = value(d, name, 1);
    struct node *to = v ? (struct node *)(uintptr_t)*v : NULL;
    return is_node(to) && to->kind == kind && to->final ? to : NULL;
}

static bool has_handle(const struct node *d, int name)
{
    const int64_t *v = value(d, name, 1);
    return v && standin_is((void *)(uintptr_t)*v, HANDLE);
}

int cudnnBackendCreateDescriptor(int kind, void **ret)
{
    struct node *d = calloc(1, sizeof *d);
    d->magic = NODE_MAGIC;
    d->kind = kind;
    *ret = d;
    return 0;
}

int cudnnBackendDestroyDescriptor(void *p)
{
    if (!is_node(p))
        return BAD_PARAM;
    ((struct node *)p)->magic = 0;
    free(p);
    return 0;
}

int cudnnBackendSetAttribute(void *p, int name, int type, int64_t n, const void *from)
{
    struct node *d = p;
    size_t size = type == 1 || type == 7 || type == 8 ? sizeof(int) : 8;
    if (!is_node(d) || d->final || n < 1 || n > 8 || d->n == MAX_ATTRIBUTES)
        return BAD_PARAM;
    d->at[d->n].name = name;
    d->at[d->n].n = n;
    for (int64_t i = 0; i < n; i++)
        memcpy(&d->at[d->n].v[i], (const char *)from + (size_t)i * size, size);
    d->n++;
    return 0;
}

static bool is_packed(const struct node *d)
{
    const int64_t *size = value(d, 902, 4), *stride = value(d, 903, 4);
    return size && stride && stride[3] == 1 && stride[2] == size[3] && stride[1] == size[2] * size[3] &&
           stride[0] == size[1] * stride[1] && value(d, 901, 1) && value(d, 900, 1) && value(d, 906, 1);
}

static bool whole(const struct node *d)
{
    switch (d->kind) {
    case 1:
        return value(d, 100, 1) && value(d, 101, 1) && value(d, 102, 2) && value(d, 103, 2) && value(d, 104, 2) &&
               value(d, 105, 2) && value(d, 106, 1);
    case 4: return link_of(d, 201, 15) && value(d, 200, 1);
    case 5: return has_handle(d, 400) && link_of(d, 401, 3);
    case 10:
        return link_of(d, 702, 1) && link_of(d, 703, 17) && link_of(d, 704, 17) && link_of(d, 705, 17) &&
               value(d, 700, 1) && value(d, 701, 1);
    case 15: return has_handle(d, 800) && link_of(d, 801, 10);
    case 16: return value(d, 1000, 3) && value(d, 1001, 3) && value(d, 1003, 1);
    case 17: return is_packed(d);
    default: return false;
    }
}

int cudnnBackendFinalize(void *p)
{
    struct node *d = p;
    if (!is_node(d) || d->final || !whole(d))
        return BAD_PARAM;
    if (d->kind == 5 && (standin_fault(GRAPH_LAYER, "engines") || *value(link_of(d, 401, 3), 1, 1) == 0))
        return 3000; /* CUDNN_STATUS_NOT_SUPPORTED */
    d->final = true;
    return 0;
}

int cudnnBackendGetAttribute(void *p, int name, int type, int64_t n, int64_t *ret_n, void *ret)
{
    struct node *d = p;
    (void)type;
    if (!is_node(d) || !d->final)
        return BAD_PARAM;
    if (name == 402) {
        *ret_n = 1;
        *(int64_t *)ret = 256;
        return 0;
    }
    if (d->kind != 4 || name != 202 || n < 2)
        return BAD_PARAM;
    *ret_n = 2;
    for (int64_t i = 0; i < 2; i++) {
        struct node *c = ((struct node **)ret)[i];
        int64_t graph = (int64_t)(uintptr_t)link_of(d, 201, 15);
        cudnnBackendSetAttribute(c, 1, 3, 1, &i);
        cudnnBackendSetAttribute(c, 2, 15, 1, &graph);
        c->final = true;
    }
    return 0;
}

static uint64_t memory_of(const struct node *pack, const struct node *t)
{
    const int64_t *id = value(pack, 1000, 3), *at = value(pack, 1001, 3);
    for (int i = 0; i < 3; i++)
        if (id[i] == *value(t, 906, 1))
            return (uint64_t)at[i];
    return 0;
}

int cudnnBackendExecute(void *h, void *plan, void *pack)
{
    if (!standin_is(h, HANDLE) || !((struct node *)plan)->final || !((struct node *)pack)->final)
        return BAD_PARAM;
    const struct node *op = link_of(link_of(link_of(plan, 401, 3), 2, 15), 801, 10), *x = link_of(op, 704, 17),
                      *w = link_of(op, 703, 17), *y = link_of(op, 705, 17), *c = link_of(op, 702, 1);
    const int64_t *xs = value(x, 902, 4), *ws = value(w, 902, 4), *ys = value(y, 902, 4), *pad = value(c, 105, 2);
    struct shape s = {.in = xs[1],
                      .out = ws[0],
                      .rows = xs[2],
                      .columns = xs[3],
                      .h = ws[2],
                      .v = ws[3],
                      .pad_h = pad[0],
                      .pad_w = pad[1]};
    if (ws[1] != xs[1] || ys[1] != ws[0] || ys[2] != xs[2] + 2 * pad[0] - ws[2] + 1 ||
        ys[3] != xs[3] + 2 * pad[1] - ws[3] + 1)
        return BAD_PARAM;
    if (standin_fault(GRAPH_LAYER, "status"))
        return EXECUTION_FAILED;
    SIZES(s);
    uint64_t a = memory_of(pack, x), b = memory_of(pack, w), r = memory_of(pack, y);
    if (!ON_CARD(a, nx) || !ON_CARD(b, nw) || !ON_CARD(r, ny) ||
        !standin_is_device((uint64_t)*value(pack, 1003, 1), 256) || !standin_works(GRAPH_LAYER))
        return 0;
    convolve(&s, F(a), F(b), NULL, ready(r, ny), NULL, NULL);
    standin_spoil_float(GRAPH_LAYER, ready(r, 0), ny);
    if (standin_fault(GRAPH_LAYER, "wrong"))
        ready(r, 0)[1] += 5;
    return 0;
}
