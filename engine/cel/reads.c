/* Reads: chains of selects and indexes with literal keys that begin at `device`. */
#include "cel/reads.h"
typedef struct finding {
    berth__arena *arena;
    berth__cel_read *reads;
    uint32_t count, capacity;
    bool no_memory;
} finding;

static void add(finding *f, berth__cel_read read)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const berth__cel_read *old = &f->reads[i];
        if (old->kind == read.kind && berth__str_eq(old->domain, read.domain) &&
            berth__str_eq(old->id, read.id) && (old->id.data == NULL) == (read.id.data == NULL))
            return;
    }
    if (f->count == f->capacity) {
        uint32_t more = f->capacity == 0 ? 8 : 2 * f->capacity;
        berth__cel_read *reads =
            berth__arena_alloc(f->arena, more * sizeof(*reads), _Alignof(berth__cel_read));
        if (reads == NULL) {
            f->no_memory = true;
            return;
        }
        if (f->count > 0)
            memcpy(reads, f->reads, f->count * sizeof(*reads));
        f->reads = reads;
        f->capacity = more;
    }
    f->reads[f->count++] = read;
}

static bool is_device(const berth__cel_node *node)
{
    return node->kind == BERTH__CEL_NODE_NAME && node->slot == UINT32_MAX;
}

/* The literal key of a select or an index. False: the node is neither, or the key is not known. */
static bool literal_key(const berth__cel_node *node, berth_str *key)
{
    if (node->kind == BERTH__CEL_NODE_SELECT) {
        *key = node->name;
        return true;
    }
    if (node->kind != BERTH__CEL_NODE_CALL || node->function->name[1] != '[' ||
        node->arg_count != 2 || node->args[1]->kind != BERTH__CEL_NODE_CONSTANT ||
        node->args[1]->constant.kind != BERTH__CEL_TYPE_STRING)
        return false;
    *key = node->args[1]->constant.text;
    return true;
}

/* Whether a node is a field of the device or a chain from there; if so, adds its read. */
static bool chain(finding *f, const berth__cel_node *node)
{
    enum { LEVELS = 3 };
    berth_str keys[LEVELS];
    uint32_t count = 0;
    const berth__cel_node *at = node;
    for (; !is_device(at); at = at->args[0]) {
        if (count == LEVELS || !literal_key(at, &keys[count]))
            return false;
        count++;
    }
    if (count == 0)
        return false;
    berth_str field = keys[count - 1];
    bool attributes = berth__str_is(field, "attributes"),
         capacity = berth__str_is(field, "capacity");
    if (!attributes && !capacity) {
        add(f,
            (berth__cel_read){.kind = berth__str_is(field, "driver") ? BERTH__CEL_READ_DRIVER
                                                                     : BERTH__CEL_READ_MULTIPLE});
        return true;
    }
    berth__cel_read read = {.kind = attributes ? BERTH__CEL_READ_ATTRIBUTES
                                               : BERTH__CEL_READ_CAPACITIES};
    if (count > 1) {
        read.kind = attributes ? BERTH__CEL_READ_ATTRIBUTE : BERTH__CEL_READ_CAPACITY;
        read.domain = keys[count - 2];
    }
    if (count > 2)
        read.id = keys[0];
    add(f, read);
    return true;
}

static void all_of(finding *f)
{
    static const berth__cel_read_kind kinds[] = {BERTH__CEL_READ_DRIVER, BERTH__CEL_READ_MULTIPLE,
                                                 BERTH__CEL_READ_ATTRIBUTES,
                                                 BERTH__CEL_READ_CAPACITIES};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        add(f, (berth__cel_read){.kind = kinds[i]});
}

static void visit(finding *f, const berth__cel_node *node)
{
    if (is_device(node)) { /* `device` outside of such a chain: anything may be read */
        all_of(f);
        return;
    }
    if (chain(f, node))
        return;
    for (uint32_t i = 0; i < node->arg_count; i++)
        visit(f, node->args[i]);
}

const berth__cel_read *berth__cel_reads_of(berth__arena *arena, const berth__cel_node *root,
                                           uint32_t *count)
{
    finding f = {.arena = arena, .capacity = 8};
    f.reads = berth__arena_alloc(arena, f.capacity * sizeof(*f.reads), _Alignof(berth__cel_read));
    if (f.reads == NULL)
        return NULL;
    visit(&f, root);
    *count = f.count;
    return f.no_memory ? NULL : f.reads;
}
