/* Macros over the elements of a list or the keys of a map; and variables. */
#include "cel/evaluate.h"

enum { UNIT = BERTH__CEL_COST_UNIT };

typedef struct folding {
    berth__cel_run *run;
    const berth__cel_node *node;
    berth__cel_value failure; /* the first failure in `all` or `exists` */
    int64_t hits;             /* in exists_one */
    berth__cel_value *items;  /* for lists one per iteration; for maps two */
    uint32_t count, capacity;
    berth__cel_value result;
    bool done;
} folding;

static uint32_t range_count(berth__cel_value range)
{
    return range.kind == BERTH__CEL_TYPE_LIST ? range.list->count : range.map->count;
}

static void set_variables(folding *f, berth__cel_value range, uint32_t i)
{
    berth__cel_value *slots = f->run->slots + f->node->slot + 1;
    if (range.kind == BERTH__CEL_TYPE_LIST) {
        slots[0] = f->node->two ? berth__cel_int(i) : range.list->items[i];
        if (f->node->two)
            slots[1] = range.list->items[i];
        return;
    }
    slots[0] = range.map->entries[i].key;
    if (f->node->two)
        slots[1] = range.map->entries[i].value;
}

static void finish(folding *f, berth__cel_value result)
{
    f->result = result;
    f->done = true;
}

/* `all` ends at the first false, `exists` at the first true. */
static void decide(folding *f, bool deciding)
{
    berth__cel_value value = berth__cel_node_value(f->run, f->node->args[1]);
    if (value.kind == BERTH__CEL_TYPE_BOOL) {
        if (value.flag == deciding)
            finish(f, value);
    } else if (!berth__cel_failed(f->failure)) {
        f->failure = berth__cel_failed(value) ? value : berth__cel_no_overload();
    }
}

/* Whether the element passes the filter. False also if the filter fails, which ends the loop. */
static bool is_meant(folding *f)
{
    berth__cel_value value = berth__cel_node_value(f->run, f->node->args[1]);
    if (value.kind != BERTH__CEL_TYPE_BOOL)
        finish(f, berth__cel_failed(value) ? value : berth__cel_no_overload());
    return berth__cel_is_true(value);
}

static bool push(folding *f, berth__cel_value value)
{
    if (f->count == f->capacity) {
        uint32_t more = f->capacity == 0 ? 8 : 2 * f->capacity;
        berth__cel_value *items = berth__cel_alloc(f->run, (size_t)more * sizeof(*items));
        if (items == NULL)
            return false;
        if (f->count > 0)
            memcpy(items, f->items, (size_t)f->count * sizeof(*items));
        f->items = items;
        f->capacity = more;
    }
    f->items[f->count++] = value;
    return true;
}

static berth__cel_value exists(berth__cel_run *run, berth__cel_value key)
{
    char text[BERTH__CEL_PRINT_MAX];
    berth_str shown = berth__cel_shown(key, text);
    return berth__cel_error(run, "insert failed: key %.*s already exists", (int)shown.len,
                            shown.data);
}

static bool insert(folding *f, berth__cel_value key, berth__cel_value value)
{
    for (uint32_t i = 0; i < f->count; i += 2) {
        if (berth__cel_is_true(berth__cel_equal(f->run, f->items[i], key))) {
            finish(f, exists(f->run, key));
            return false;
        }
    }
    return push(f, key) && push(f, value);
}

static void add(folding *f)
{
    const berth__cel_node *node = f->node;
    if (node->filters && !is_meant(f))
        return;
    berth__cel_value value = berth__cel_node_value(f->run, node->args[node->arg_count - 1]);
    if (berth__cel_failed(value)) {
        finish(f, value);
    } else if (node->fold == BERTH__CEL_FOLD_LIST) {
        push(f, value);
    } else if (node->fold == BERTH__CEL_FOLD_MAP) {
        insert(f, f->run->slots[node->slot + 1], value);
    } else if (value.kind != BERTH__CEL_TYPE_MAP) {
        finish(f, berth__cel_error(f->run, "no such overload: cel.@mapInsert(map, %s)",
                                   berth__cel_kind_name(value)));
    } else {
        for (uint32_t i = 0; i < value.map->count && !f->done; i++)
            insert(f, value.map->entries[i].key, value.map->entries[i].value);
    }
}

static void step(folding *f)
{
    switch (f->node->fold) {
    case BERTH__CEL_FOLD_ALL:
        decide(f, false);
        break;
    case BERTH__CEL_FOLD_EXISTS:
        decide(f, true);
        break;
    case BERTH__CEL_FOLD_EXISTS_ONE:
        f->hits += is_meant(f) ? 1 : 0;
        break;
    default:
        add(f);
        break;
    }
}

static berth__cel_value collected(folding *f)
{
    if (f->node->fold == BERTH__CEL_FOLD_LIST) {
        berth__cel_value list = berth__cel_list_make(f->run, f->count);
        if (!berth__cel_failed(list) && f->count > 0)
            memcpy(list.list->items, f->items, (size_t)f->count * sizeof(*f->items));
        return list;
    }
    berth__cel_value map = berth__cel_map_make(f->run, f->count / 2);
    for (uint32_t i = 0; !berth__cel_failed(map) && i < f->count / 2; i++)
        map.map->entries[i] = (berth__cel_entry){f->items[2 * i], f->items[2 * i + 1]};
    return map;
}

static berth__cel_value result_of(folding *f)
{
    if (f->done)
        return f->result;
    if (f->node->fold == BERTH__CEL_FOLD_EXISTS_ONE)
        return berth__cel_bool(f->hits == 1);
    if (f->node->fold == BERTH__CEL_FOLD_ALL || f->node->fold == BERTH__CEL_FOLD_EXISTS)
        return berth__cel_failed(f->failure)
                   ? f->failure
                   : berth__cel_bool(f->node->fold == BERTH__CEL_FOLD_ALL);
    return collected(f);
}

berth__cel_value berth__cel_fold_value(berth__cel_run *run, const berth__cel_node *node)
{
    folding f = {.run = run, .node = node, .failure = {.kind = BERTH__CEL_TYPE_NULL}};
    berth__cel_value range = berth__cel_node_value(run, node->args[0]);
    if (berth__cel_failed(range))
        return range;
    if (range.kind != BERTH__CEL_TYPE_LIST && range.kind != BERTH__CEL_TYPE_MAP)
        return berth__cel_error(run, "got '%s', expected iterable type", berth__cel_go_type(range));
    uint32_t count = range_count(range);
    for (uint32_t i = 0; i < count && !f.done; i++) {
        if (!berth__cel_charge(run, UNIT))
            return berth__cel_stopped(run);
        set_variables(&f, range, i);
        step(&f);
        if (run->stopped)
            return berth__cel_stopped(run);
    }
    return result_of(&f);
}

berth__cel_value berth__cel_bind_value(berth__cel_run *run, const berth__cel_node *node)
{
    berth__cel_value value = berth__cel_node_value(run, node->args[0]);
    if (run->stopped)
        return berth__cel_stopped(run);
    if (node->fold != BERTH__CEL_FOLD_BIND) {
        if (berth__cel_failed(value))
            return value;
        if (value.kind != BERTH__CEL_TYPE_OPTIONAL)
            return berth__cel_error(run, "no such overload: hasValue(%s)",
                                    berth__cel_kind_name(value));
        if (value.inner == NULL)
            return value;
        value = *value.inner;
    }
    run->slots[node->slot + 1] = value; /* an error counts only if the variable is used */
    berth__cel_value result = berth__cel_node_value(run, node->args[1]);
    if (node->fold != BERTH__CEL_FOLD_OPT_MAP || berth__cel_failed(result))
        return result;
    return berth__cel_optional(run, result);
}
