/* The value of a node. Recursion is as deep as the tree, which the parser limits. */
#include "cel/evaluate.h"

enum { UNIT = BERTH__CEL_COST_UNIT };

static berth__cel_value no_key(berth__cel_run *run, berth__cel_value key)
{
    char text[BERTH__CEL_PRINT_MAX];
    switch (key.kind) {
    case BERTH__CEL_TYPE_STRING:
        return berth__cel_error(run, "no such key: %.*s", (int)key.text.len, key.text.data);
    case BERTH__CEL_TYPE_INT:
    case BERTH__CEL_TYPE_UINT:
    case BERTH__CEL_TYPE_BOOL:
    case BERTH__CEL_TYPE_DOUBLE:
        berth__cel_print(key, text);
        return berth__cel_error(run, "no such key: %s", text);
    default:
        return berth__cel_error(run, "invalid qualifier type: %s", berth__cel_go_type(key));
    }
}

/* The index that a key stands for. False: a number that is none. */
static bool index_of(berth__cel_value key, int64_t *index)
{
    *index = key.integer;
    if (key.kind == BERTH__CEL_TYPE_UINT)
        return key.natural <= INT64_MAX;
    if (key.kind == BERTH__CEL_TYPE_INT)
        return true;
    if (!(key.real > -9223372036854775808.0 && key.real < 9223372036854775808.0))
        return false;
    *index = (int64_t)key.real;
    return (double)*index == key.real;
}

static berth__cel_value item(berth__cel_run *run, const berth__cel_list *list, berth__cel_value key,
                             bool *present)
{
    int64_t index;
    char text[BERTH__CEL_PRINT_MAX];
    if (key.kind != BERTH__CEL_TYPE_INT && key.kind != BERTH__CEL_TYPE_UINT &&
        key.kind != BERTH__CEL_TYPE_DOUBLE)
        return berth__cel_error(run, "unsupported index type '%s' in list",
                                berth__cel_kind_name(key));
    berth__cel_print(key, text);
    if (!index_of(key, &index))
        return berth__cel_error(run, "unsupported index value %s in list", text);
    bool there = index >= 0 && index < (int64_t)list->count;
    if (present != NULL)
        *present = there;
    if (there)
        return list->items[index];
    return present != NULL ? berth__cel_none()
                           : berth__cel_error(run, "index out of bounds: %s", text);
}

berth__cel_value berth__cel_member(berth__cel_run *run, berth__cel_value of, berth__cel_value key,
                                   bool *present)
{
    if (present != NULL)
        *present = false;
    if (of.kind == BERTH__CEL_TYPE_LIST)
        return item(run, of.list, key, present);
    if (of.kind == BERTH__CEL_TYPE_MAP) {
        const berth__cel_entry *entry = berth__cel_find(run, of.map, key);
        if (run->stopped)
            return berth__cel_stopped(run);
        if (present != NULL)
            *present = entry != NULL || of.map->filled;
        if (entry != NULL)
            return entry->value;
        if (of.map->filled)
            return berth__cel_map_make(run, 0);
        return present != NULL ? berth__cel_none() : no_key(run, key);
    }
    return present != NULL ? berth__cel_none() : no_key(run, key);
}

/* The value of a select or index that is optional, or applied to an optional. */
static berth__cel_value member_of(berth__cel_run *run, berth__cel_value of, berth__cel_value key,
                                  bool optional)
{
    if (!berth__cel_charge(run, UNIT))
        return berth__cel_stopped(run);
    if (of.kind == BERTH__CEL_TYPE_OPTIONAL) {
        if (of.inner == NULL)
            return berth__cel_none();
        of = *of.inner;
        optional = true;
    }
    if (!optional)
        return berth__cel_member(run, of, key, NULL);
    bool present;
    berth__cel_value value = berth__cel_member(run, of, key, &present);
    if (berth__cel_failed(value))
        return value;
    return present ? berth__cel_optional(run, value) : berth__cel_none();
}

static berth__cel_value select(berth__cel_run *run, const berth__cel_node *node)
{
    berth__cel_value of = berth__cel_node_value(run, node->args[0]);
    if (berth__cel_failed(of))
        return of;
    if (!node->test)
        return member_of(run, of, berth__cel_string(node->name), node->optional);
    if (of.kind == BERTH__CEL_TYPE_OPTIONAL) {
        if (of.inner == NULL)
            return berth__cel_bool(false);
        of = *of.inner;
    }
    bool present;
    berth__cel_value value = berth__cel_member(run, of, berth__cel_string(node->name), &present);
    return berth__cel_failed(value) ? value : berth__cel_bool(present);
}

static berth__cel_value name(berth__cel_run *run, const berth__cel_node *node)
{
    if (!berth__cel_charge(run, UNIT))
        return berth__cel_stopped(run);
    return run->slots[node->slot == UINT32_MAX ? 0 : node->slot + 1];
}

/* && and ||: an operand equal to `decides` is the result, even if the other one fails; otherwise
 * the first error is the result. */
static berth__cel_value logic(berth__cel_run *run, const berth__cel_node *node, bool decides)
{
    berth__cel_value failure = {.kind = BERTH__CEL_TYPE_NULL};
    for (uint32_t i = 0; i < node->arg_count; i++) {
        berth__cel_value value = berth__cel_node_value(run, node->args[i]);
        if (run->stopped)
            return berth__cel_stopped(run);
        if (value.kind == BERTH__CEL_TYPE_BOOL) {
            if (value.flag == decides)
                return value;
        } else if (!berth__cel_failed(failure)) {
            failure = berth__cel_failed(value) ? value : berth__cel_no_overload();
        }
    }
    return berth__cel_failed(failure) ? failure : berth__cel_bool(!decides);
}

static berth__cel_value choice(berth__cel_run *run, const berth__cel_node *node)
{
    berth__cel_value condition = berth__cel_node_value(run, node->args[0]);
    if (berth__cel_failed(condition))
        return condition;
    if (condition.kind != BERTH__CEL_TYPE_BOOL)
        return berth__cel_no_overload();
    return berth__cel_node_value(run, node->args[condition.flag ? 1 : 2]);
}

/* or and orValue: the argument is evaluated only if the optional is empty. */
static berth__cel_value alternative(berth__cel_run *run, const berth__cel_node *node, bool value)
{
    berth__cel_value first = berth__cel_node_value(run, node->args[0]);
    if (berth__cel_failed(first))
        return first;
    if (first.kind != BERTH__CEL_TYPE_OPTIONAL) /* as in cel-go */
        return value && run->release >= BERTH__CEL_1_37 ? berth__cel_no_overload() : first;
    if (first.inner != NULL)
        return value ? *first.inner : first;
    return berth__cel_node_value(run, node->args[1]);
}

static berth__cel_value not_taken(berth__cel_run *run, const berth__cel_function *function,
                                  const berth__cel_value *args, uint32_t count)
{
    enum { TEXT_MAX = 256 };
    char text[TEXT_MAX] = "";
    size_t len = 0;
    for (uint32_t i = 0; i < count && len < TEXT_MAX; i++) {
        const char *kind = berth__cel_kind_name(args[i]);
        size_t more = strlen(kind);
        if (len + more + 3 > TEXT_MAX)
            break;
        if (i > 0) {
            memcpy(text + len, ", ", 2);
            len += 2;
        }
        memcpy(text + len, kind, more + 1);
        len += more;
    }
    return berth__cel_error(run, "no such overload: %s(%s)", function->name, text);
}

static berth__cel_value call(berth__cel_run *run, const berth__cel_node *node)
{
    enum { ARGS_MAX = 8 };
    const berth__cel_function *function = node->function;
    if (function->call == NULL) { /* evaluates its arguments itself */
        if (function->name[0] == 'o')
            return alternative(run, node, function->name[2] != '\0');
        if (function->name[1] == '?')
            return choice(run, node);
        return logic(run, node, function->name[1] == '|');
    }
    berth__cel_value args[ARGS_MAX];
    for (uint32_t i = 0; i < node->arg_count; i++) {
        args[i] = berth__cel_node_value(run, node->args[i]);
        if (berth__cel_failed(args[i]))
            return args[i];
    }
    if (node->arg_count == 2 && function->name[1] == '[')
        return member_of(run, args[0], args[1], function->name[2] == '?');
    if (!berth__cel_charge(run, UNIT))
        return berth__cel_stopped(run);
    if (function->strict && !berth__cel_function_takes(function, args, node->arg_count))
        return node->pattern != NULL ? berth__cel_no_overload()
                                     : not_taken(run, function, args, node->arg_count);
    berth__cel_value value = function->call(run, node, args);
    return run->stopped ? berth__cel_stopped(run) : value;
}

static berth__cel_value list(berth__cel_run *run, const berth__cel_node *node)
{
    berth__cel_value out = berth__cel_list_make(run, node->arg_count);
    if (berth__cel_failed(out) || !berth__cel_charge(run, UNIT))
        return out;
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->arg_count; i++) {
        berth__cel_value value = berth__cel_node_value(run, node->args[i]);
        if (berth__cel_failed(value))
            return value;
        if (node->args[i]->mapped) {
            if (value.kind != BERTH__CEL_TYPE_OPTIONAL)
                return berth__cel_error(
                    run, "cannot initialize optional list element from non-optional value %s",
                    berth__cel_kind_name(value));
            if (value.inner == NULL)
                continue;
            value = *value.inner;
        }
        out.list->items[count++] = value;
    }
    out.list->count = count;
    return out;
}

static berth__cel_value map(berth__cel_run *run, const berth__cel_node *node)
{
    berth__cel_value out = berth__cel_map_make(run, node->arg_count / 2);
    if (berth__cel_failed(out) || !berth__cel_charge(run, (uint64_t)3 * UNIT))
        return out;
    berth__cel_map *map = out.map;
    map->count = 0;
    for (uint32_t i = 0; i + 1 < node->arg_count; i += 2) {
        berth__cel_value key = berth__cel_node_value(run, node->args[i]);
        if (berth__cel_failed(key))
            return key;
        berth__cel_value value = berth__cel_node_value(run, node->args[i + 1]);
        if (berth__cel_failed(value))
            return value;
        if (node->args[i + 1]->mapped) {
            if (value.kind != BERTH__CEL_TYPE_OPTIONAL)
                return berth__cel_error(run,
                                        "cannot initialize optional entry from non-optional value");
            if (value.inner == NULL)
                continue;
            value = *value.inner;
        }
        const berth__cel_entry *old = berth__cel_find(run, map, key);
        if (run->stopped)
            return berth__cel_stopped(run);
        if (old != NULL)
            map->entries[old - map->entries] = (berth__cel_entry){key, value};
        else
            map->entries[map->count++] = (berth__cel_entry){key, value};
    }
    return out;
}

berth__cel_value berth__cel_node_value(berth__cel_run *run, const berth__cel_node *node)
{
    switch (node->kind) {
    case BERTH__CEL_NODE_CONSTANT:
        return node->constant;
    case BERTH__CEL_NODE_NAME:
        return name(run, node);
    case BERTH__CEL_NODE_SELECT:
        return select(run, node);
    case BERTH__CEL_NODE_CALL:
        return call(run, node);
    case BERTH__CEL_NODE_LIST:
        return list(run, node);
    case BERTH__CEL_NODE_MAP:
        return map(run, node);
    case BERTH__CEL_NODE_FOLD:
        return berth__cel_fold_value(run, node);
    case BERTH__CEL_NODE_BIND:
        return berth__cel_bind_value(run, node);
    }
    return berth__cel_no_overload();
}
