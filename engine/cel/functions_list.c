/* Functions of lists, sets and optionals. */
#include <inttypes.h>

#include "cel/functions.h"

#define DEFINE(name)                                                                     \
    berth__cel_value berth__cel_##name(berth__cel_run *run, const berth__cel_node *node, \
                                       const berth__cel_value *args)
#define NODE_UNUSED (void)node
#define BOTH_UNUSED (void)run, (void)node

enum { INCOMPARABLE = 2 };

static berth__cel_value copy_of(berth__cel_run *run, const berth__cel_value *items, uint32_t count)
{
    berth__cel_value out = berth__cel_list_make(run, count);
    if (!berth__cel_failed(out) && count > 0)
        memcpy(out.list->items, items, (size_t)count * sizeof(*items));
    return out;
}

/* Whether values of this kind have an order. Two of different kinds may still be incomparable:
 * functions of lists then take them as in order, as in Kubernetes. */
static bool is_ordered(berth__cel_value value)
{
    return berth__cel_compare(value, value) != INCOMPARABLE;
}

DEFINE(is_sorted)
{
    NODE_UNUSED;
    const berth__cel_list *list = args[0].list;
    for (uint32_t i = 0; i + 1 < list->count; i++) {
        if (!berth__cel_charge(run, 1) || !is_ordered(list->items[i + 1]))
            return berth__cel_no_overload();
        if (berth__cel_compare(list->items[i], list->items[i + 1]) == 1)
            return berth__cel_bool(false);
    }
    return berth__cel_bool(true);
}

DEFINE(sum)
{
    const berth__cel_list *list = args[0].list;
    berth__cel_value pair[2] = {berth__cel_int(0), {0}};
    berth__cel_type_kind kind = list->count > 0 ? list->items[0].kind : node->type->kind;
    if (kind == BERTH__CEL_TYPE_UINT)
        pair[0] = berth__cel_uint(0);
    if (kind == BERTH__CEL_TYPE_DOUBLE)
        pair[0] = berth__cel_double(0);
    for (uint32_t i = 0; i < list->count && berth__cel_charge(run, 1); i++) {
        pair[1] = list->items[i];
        pair[0] = berth__cel_op_add(run, node, pair);
        if (berth__cel_failed(pair[0]))
            return pair[0];
    }
    return pair[0];
}

static berth__cel_value extreme(berth__cel_run *run, const berth__cel_list *list, int better,
                                const char *name)
{
    if (list->count == 0)
        return berth__cel_error(run, "%s called on empty list", name);
    berth__cel_value best = list->items[0];
    for (uint32_t i = 1; i < list->count && berth__cel_charge(run, 1); i++) {
        if (!is_ordered(list->items[i]))
            return berth__cel_no_overload();
        if (berth__cel_compare(list->items[i], best) == better)
            best = list->items[i];
    }
    return best;
}

DEFINE(least)
{
    NODE_UNUSED;
    return extreme(run, args[0].list, -1, "min");
}

DEFINE(most)
{
    NODE_UNUSED;
    return extreme(run, args[0].list, 1, "max");
}

DEFINE(reverse)
{
    NODE_UNUSED;
    berth__cel_value out = copy_of(run, args[0].list->items, args[0].list->count);
    for (uint32_t i = 0; !berth__cel_failed(out) && i < out.list->count; i++)
        out.list->items[i] = args[0].list->items[out.list->count - 1 - i];
    return out;
}

static bool holds(berth__cel_run *run, const berth__cel_value *items, uint32_t count,
                  berth__cel_value value)
{
    for (uint32_t i = 0; i < count && !run->stopped; i++) {
        if (berth__cel_is_true(berth__cel_equal(run, items[i], value)))
            return true;
    }
    return false;
}

DEFINE(distinct)
{
    NODE_UNUSED;
    const berth__cel_list *list = args[0].list;
    berth__cel_value *items = berth__cel_alloc(run, (size_t)list->count * sizeof(*items));
    uint32_t count = 0;
    for (uint32_t i = 0; items != NULL && i < list->count; i++) {
        if (!holds(run, items, count, list->items[i]))
            items[count++] = list->items[i];
    }
    return run->stopped ? berth__cel_stopped(run) : copy_of(run, items, count);
}

DEFINE(slice)
{
    NODE_UNUSED;
    int64_t from = args[1].integer, to = args[2].integer, count = args[0].list->count;
    if (from < 0 || to < 0)
        return berth__cel_error(
            run, "cannot slice(%" PRId64 ", %" PRId64 "), negative indexes not supported", from,
            to);
    if (from > to)
        return berth__cel_error(run,
                                "cannot slice(%" PRId64 ", %" PRId64
                                "), start index must be less than or equal to end index",
                                from, to);
    if (count < to)
        return berth__cel_error(run,
                                "cannot slice(%" PRId64 ", %" PRId64 "), list is length %" PRId64,
                                from, to, count);
    return copy_of(run, args[0].list->items + from, (uint32_t)(to - from));
}

/* A stable merge sort. Both arrays have `count` entries. */
static void merge(berth__cel_run *run, berth__cel_value *items, berth__cel_value *spare,
                  uint32_t count)
{
    for (uint32_t width = 1; width < count && !run->stopped; width *= 2) {
        for (uint32_t from = 0; from < count; from += 2 * width) {
            uint32_t middle = from + width < count ? from + width : count;
            uint32_t end = from + 2 * width < count ? from + 2 * width : count;
            uint32_t a = from, b = middle;
            for (uint32_t i = from; i < end; i++) {
                bool left = a < middle && (b == end || berth__cel_compare(items[a], items[b]) != 1);
                spare[i] = left ? items[a++] : items[b++];
            }
        }
        berth__cel_charge(run, count);
        memcpy(items, spare, (size_t)count * sizeof(*items));
    }
}

DEFINE(sort)
{
    NODE_UNUSED;
    if (args[0].kind == BERTH__CEL_TYPE_STRING)
        return berth__cel_no_overload();
    if (args[0].kind != BERTH__CEL_TYPE_LIST)
        return berth__cel_error(run, "no such overload: sort");
    berth__cel_value out = copy_of(run, args[0].list->items, args[0].list->count);
    if (berth__cel_failed(out) || out.list->count == 0)
        return out;
    for (uint32_t i = 1; i < out.list->count; i++) {
        if (out.list->items[i].kind != out.list->items[0].kind)
            return berth__cel_error(run, "list elements must have the same type");
    }
    if (berth__cel_compare(out.list->items[0], out.list->items[0]) == INCOMPARABLE)
        return berth__cel_error(run, "list elements must be comparable");
    berth__cel_value spare = berth__cel_list_make(run, out.list->count);
    if (!berth__cel_failed(spare))
        merge(run, out.list->items, spare.list->items, out.list->count);
    return out;
}

DEFINE(range)
{
    NODE_UNUSED;
    enum { RANGE_MAX = 1000000 };
    int64_t count = args[0].integer;
    if (run->release >= BERTH__CEL_1_37 && count < 0)
        return berth__cel_error(run, "lists.range: size must be non-negative, got %" PRId64, count);
    if (run->release >= BERTH__CEL_1_37 && count > RANGE_MAX)
        return berth__cel_error(run, "lists.range: size %" PRId64 " exceeds maximum allowed (%d)",
                                count, RANGE_MAX);
    count = count < 0 ? 0 : count;
    if (count > BERTH__CEL_COST_MAX ||
        !berth__cel_charge(run, (uint64_t)count * BERTH__CEL_COST_UNIT))
        return berth__cel_stopped(run);
    berth__cel_value out = berth__cel_list_make(run, (uint32_t)count);
    for (uint32_t i = 0; !berth__cel_failed(out) && i < out.list->count; i++)
        out.list->items[i] = berth__cel_int(i);
    return out;
}

/* The number of elements after removing `levels` levels of nesting. Written to `items` unless it is
 * NULL. */
static uint32_t flat(berth__cel_run *run, const berth__cel_list *list, int64_t levels,
                     berth__cel_value *items)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count && berth__cel_charge(run, 1); i++) {
        berth__cel_value item = list->items[i];
        if (item.kind == BERTH__CEL_TYPE_LIST && levels > 0) {
            count += flat(run, item.list, levels - 1, items != NULL ? items + count : NULL);
        } else {
            if (items != NULL)
                items[count] = item;
            count++;
        }
    }
    return count;
}

DEFINE(flatten)
{
    bool given = node->arg_count > 1;
    if (args[0].kind != BERTH__CEL_TYPE_LIST)
        return berth__cel_error(run, "no such overload: %s.flatten(%s)",
                                berth__cel_kind_name(args[0]),
                                given ? berth__cel_kind_name(args[1]) : "");
    if (given && args[1].kind != BERTH__CEL_TYPE_INT)
        return berth__cel_error(
            run, "internal error: interface conversion: ref.Val is %s, not types.Int",
            berth__cel_go_type(args[1]));
    int64_t levels = given ? args[1].integer : 1;
    if (levels < 0)
        return berth__cel_error(run, "level must be non-negative");
    uint32_t count = flat(run, args[0].list, levels, NULL);
    berth__cel_value out =
        run->stopped ? berth__cel_stopped(run) : berth__cel_list_make(run, count);
    if (!berth__cel_failed(out))
        flat(run, args[0].list, levels, out.list->items);
    return out;
}

/* ---- sets ---- */

static bool covers(berth__cel_run *run, const berth__cel_list *a, const berth__cel_list *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        if (!holds(run, a->items, a->count, b->items[i]))
            return false;
    }
    return true;
}

DEFINE(sets_contain)
{
    NODE_UNUSED;
    return berth__cel_bool(covers(run, args[0].list, args[1].list));
}

DEFINE(sets_equivalent)
{
    NODE_UNUSED;
    return berth__cel_bool(covers(run, args[0].list, args[1].list) &&
                           covers(run, args[1].list, args[0].list));
}

DEFINE(sets_intersect)
{
    NODE_UNUSED;
    for (uint32_t i = 0; i < args[1].list->count; i++) {
        if (holds(run, args[0].list->items, args[0].list->count, args[1].list->items[i]))
            return berth__cel_bool(true);
    }
    return berth__cel_bool(false);
}

DEFINE(includes)
{
    enum { INCLUDES_MAX = 64 };
    NODE_UNUSED;
    if (args[0].kind != BERTH__CEL_TYPE_LIST)
        return berth__cel_bool(berth__cel_is_true(berth__cel_equal(run, args[0], args[1])));
    for (uint32_t i = 0; i < args[0].list->count; i++) {
        if (i == INCLUDES_MAX)
            return berth__cel_error(
                run, "'includes' function cannot be applied to lists longer than %d values",
                INCLUDES_MAX);
        if (berth__cel_is_true(berth__cel_equal(run, args[0].list->items[i], args[1])))
            return berth__cel_bool(true);
    }
    return berth__cel_bool(false);
}

/* ---- optionals ---- */

DEFINE(optional_of)
{
    NODE_UNUSED;
    return berth__cel_optional(run, args[0]);
}

static bool is_zero(berth__cel_value value)
{
    switch (value.kind) {
    case BERTH__CEL_TYPE_NULL:
        return true;
    case BERTH__CEL_TYPE_BOOL:
        return !value.flag;
    case BERTH__CEL_TYPE_INT:
        return value.integer == 0;
    case BERTH__CEL_TYPE_UINT:
        return value.natural == 0;
    case BERTH__CEL_TYPE_DOUBLE:
        return value.real == 0;
    case BERTH__CEL_TYPE_STRING:
    case BERTH__CEL_TYPE_BYTES:
        return value.text.len == 0;
    case BERTH__CEL_TYPE_LIST:
        return value.list->count == 0;
    case BERTH__CEL_TYPE_MAP:
        return value.map->count == 0;
    default:
        return false; /* not even optional.none() */
    }
}

DEFINE(optional_of_non_zero)
{
    NODE_UNUSED;
    return is_zero(args[0]) ? berth__cel_none() : berth__cel_optional(run, args[0]);
}

DEFINE(optional_none)
{
    BOTH_UNUSED;
    (void)args;
    return berth__cel_none();
}

DEFINE(optional_value)
{
    NODE_UNUSED;
    return args[0].inner == NULL ? berth__cel_error(run, "optional.none() dereference")
                                 : *args[0].inner;
}

DEFINE(optional_has_value)
{
    BOTH_UNUSED;
    return berth__cel_bool(args[0].inner != NULL);
}

DEFINE(optional_unwrap)
{
    NODE_UNUSED;
    const berth__cel_list *list = args[0].list;
    berth__cel_value out = berth__cel_list_make(run, list->count);
    if (berth__cel_failed(out))
        return out;
    uint32_t count = 0;
    char text[BERTH__CEL_PRINT_MAX];
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].kind != BERTH__CEL_TYPE_OPTIONAL) {
            berth_str shown = berth__cel_shown(list->items[i], text);
            return berth__cel_error(run, "value %.*s is not optional", (int)shown.len, shown.data);
        }
        if (list->items[i].inner != NULL)
            out.list->items[count++] = *list->items[i].inner;
    }
    return copy_of(run, out.list->items, count);
}

DEFINE(first)
{
    NODE_UNUSED;
    return args[0].list->count == 0 ? berth__cel_none()
                                    : berth__cel_optional(run, args[0].list->items[0]);
}

DEFINE(last)
{
    NODE_UNUSED;
    uint32_t count = args[0].list->count;
    return count == 0 ? berth__cel_none()
                      : berth__cel_optional(run, args[0].list->items[count - 1]);
}
