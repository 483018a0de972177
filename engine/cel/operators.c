/* Operators: arithmetic, which fails on overflow; order, equality, membership. */
#include <math.h>

#include "cel/functions.h"

#define DEFINE(name)                                                                     \
    berth__cel_value berth__cel_##name(berth__cel_run *run, const berth__cel_node *node, \
                                       const berth__cel_value *args)
#define UNUSED (void)run, (void)node

static const char int_overflow[] = "integer overflow";
static const char uint_overflow[] = "unsigned integer overflow";

DEFINE(op_equal)
{
    (void)node;
    return berth__cel_equal(run, args[0], args[1]);
}

DEFINE(op_differ)
{
    (void)node;
    return berth__cel_bool(!berth__cel_is_true(berth__cel_equal(run, args[0], args[1])));
}

static berth__cel_value compared(berth__cel_run *run, const berth__cel_node *node,
                                 const berth__cel_value *args, bool less, bool equal, bool more)
{
    enum { INCOMPARABLE = 2, UNORDERED };
    berth_str a = args[0].text, b = args[1].text;
    bool texts = args[0].kind == BERTH__CEL_TYPE_STRING && args[1].kind == BERTH__CEL_TYPE_STRING;
    if (texts && !berth__cel_charge(run, a.len < b.len ? a.len : b.len))
        return berth__cel_stopped(run);
    int order = berth__cel_compare(args[0], args[1]);
    if (order == UNORDERED)
        return berth__cel_error(run, "NaN values cannot be ordered");
    if (order == INCOMPARABLE) {
        switch (args[0].kind) {
        case BERTH__CEL_TYPE_BOOL:
        case BERTH__CEL_TYPE_INT:
        case BERTH__CEL_TYPE_UINT:
        case BERTH__CEL_TYPE_DOUBLE:
        case BERTH__CEL_TYPE_STRING:
        case BERTH__CEL_TYPE_BYTES:
            return berth__cel_no_overload();
        default:
            return berth__cel_error(run, "no such overload: %s", node->function->name);
        }
    }
    return berth__cel_bool(order < 0 ? less : order > 0 ? more : equal);
}

DEFINE(op_less)
{
    return compared(run, node, args, true, false, false);
}

DEFINE(op_less_equal)
{
    return compared(run, node, args, true, true, false);
}

DEFINE(op_greater)
{
    return compared(run, node, args, false, false, true);
}

DEFINE(op_greater_equal)
{
    return compared(run, node, args, false, true, true);
}

/* ---- arithmetic ---- */

static berth__cel_value mixed(berth__cel_run *run, const berth__cel_node *node, berth__cel_value a,
                              bool known)
{
    return known || a.kind == BERTH__CEL_TYPE_STRING
               ? berth__cel_no_overload()
               : berth__cel_error(run, "no such overload: %s", node->function->name);
}

static berth__cel_value concatenate(berth__cel_run *run, berth__cel_value a, berth__cel_value b)
{
    uint32_t len = a.text.len + b.text.len;
    char *text = berth__cel_charge(run, len) ? berth__cel_alloc(run, len) : NULL;
    if (text == NULL)
        return berth__cel_stopped(run);
    if (a.text.len > 0)
        memcpy(text, a.text.data, a.text.len);
    if (b.text.len > 0)
        memcpy(text + a.text.len, b.text.data, b.text.len);
    return (berth__cel_value){.kind = a.kind, .text = {text, len}};
}

static berth__cel_value append(berth__cel_run *run, const berth__cel_list *a,
                               const berth__cel_list *b)
{
    berth__cel_value out = berth__cel_list_make(run, a->count + b->count);
    if (berth__cel_failed(out))
        return out;
    for (uint32_t i = 0; i < a->count; i++)
        out.list->items[i] = a->items[i];
    for (uint32_t i = 0; i < b->count; i++)
        out.list->items[a->count + i] = b->items[i];
    return out;
}

DEFINE(op_add)
{
    berth__cel_value a = args[0], b = args[1];
    int64_t integer;
    uint64_t natural;
    bool known = a.kind == BERTH__CEL_TYPE_INT || a.kind == BERTH__CEL_TYPE_UINT ||
                 a.kind == BERTH__CEL_TYPE_DOUBLE || a.kind == BERTH__CEL_TYPE_STRING ||
                 a.kind == BERTH__CEL_TYPE_BYTES || a.kind == BERTH__CEL_TYPE_LIST;
    if (a.kind != b.kind)
        return mixed(run, node, a, known);
    switch (a.kind) {
    case BERTH__CEL_TYPE_INT:
        return __builtin_add_overflow(a.integer, b.integer, &integer)
                   ? berth__cel_error(run, int_overflow)
                   : berth__cel_int(integer);
    case BERTH__CEL_TYPE_UINT:
        return __builtin_add_overflow(a.natural, b.natural, &natural)
                   ? berth__cel_error(run, uint_overflow)
                   : berth__cel_uint(natural);
    case BERTH__CEL_TYPE_DOUBLE:
        return berth__cel_double(a.real + b.real);
    case BERTH__CEL_TYPE_STRING:
    case BERTH__CEL_TYPE_BYTES:
        return concatenate(run, a, b);
    case BERTH__CEL_TYPE_LIST:
        return append(run, a.list, b.list);
    default:
        return mixed(run, node, a, false);
    }
}

static bool is_number(berth__cel_value a)
{
    return a.kind == BERTH__CEL_TYPE_INT || a.kind == BERTH__CEL_TYPE_UINT ||
           a.kind == BERTH__CEL_TYPE_DOUBLE;
}

DEFINE(op_subtract)
{
    berth__cel_value a = args[0], b = args[1];
    int64_t integer;
    if (a.kind != b.kind || !is_number(a))
        return mixed(run, node, a, is_number(a));
    if (a.kind == BERTH__CEL_TYPE_DOUBLE)
        return berth__cel_double(a.real - b.real);
    if (a.kind == BERTH__CEL_TYPE_UINT)
        return a.natural < b.natural ? berth__cel_error(run, uint_overflow)
                                     : berth__cel_uint(a.natural - b.natural);
    return __builtin_sub_overflow(a.integer, b.integer, &integer)
               ? berth__cel_error(run, int_overflow)
               : berth__cel_int(integer);
}

DEFINE(op_multiply)
{
    berth__cel_value a = args[0], b = args[1];
    int64_t integer;
    uint64_t natural;
    if (a.kind != b.kind || !is_number(a))
        return mixed(run, node, a, is_number(a));
    if (a.kind == BERTH__CEL_TYPE_DOUBLE)
        return berth__cel_double(a.real * b.real);
    if (a.kind == BERTH__CEL_TYPE_UINT)
        return __builtin_mul_overflow(a.natural, b.natural, &natural)
                   ? berth__cel_error(run, uint_overflow)
                   : berth__cel_uint(natural);
    return __builtin_mul_overflow(a.integer, b.integer, &integer)
               ? berth__cel_error(run, int_overflow)
               : berth__cel_int(integer);
}

DEFINE(op_divide)
{
    berth__cel_value a = args[0], b = args[1];
    if (a.kind != b.kind || !is_number(a))
        return mixed(run, node, a, is_number(a));
    if (a.kind == BERTH__CEL_TYPE_DOUBLE)
        return berth__cel_double(a.real / b.real);
    if (b.natural == 0)
        return berth__cel_error(run, "division by zero");
    if (a.kind == BERTH__CEL_TYPE_UINT)
        return berth__cel_uint(a.natural / b.natural);
    if (a.integer == INT64_MIN && b.integer == -1)
        return berth__cel_error(run, int_overflow);
    return berth__cel_int(a.integer / b.integer);
}

DEFINE(op_modulo)
{
    berth__cel_value a = args[0], b = args[1];
    bool known = a.kind == BERTH__CEL_TYPE_INT || a.kind == BERTH__CEL_TYPE_UINT;
    if (a.kind != b.kind || !known)
        return mixed(run, node, a, known);
    if (b.natural == 0)
        return berth__cel_error(run, "modulus by zero");
    if (a.kind == BERTH__CEL_TYPE_UINT)
        return berth__cel_uint(a.natural % b.natural);
    if (a.integer == INT64_MIN && b.integer == -1)
        return berth__cel_error(run, int_overflow);
    return berth__cel_int(a.integer % b.integer);
}

DEFINE(op_negate)
{
    UNUSED;
    if (args[0].kind == BERTH__CEL_TYPE_DOUBLE)
        return berth__cel_double(-args[0].real);
    if (args[0].kind != BERTH__CEL_TYPE_INT)
        return mixed(run, node, args[0], args[0].kind == BERTH__CEL_TYPE_BOOL);
    return args[0].integer == INT64_MIN ? berth__cel_error(run, int_overflow)
                                        : berth__cel_int(-args[0].integer);
}

DEFINE(op_not)
{
    UNUSED;
    return args[0].kind == BERTH__CEL_TYPE_BOOL ? berth__cel_bool(!args[0].flag)
                                                : berth__cel_no_overload();
}

/* Literals that cel-go turns into a table, unless one of them cannot be a key there. */
static bool is_table(const berth__cel_node *node)
{
    if (node->kind != BERTH__CEL_NODE_CONSTANT)
        return false;
    if (node->constant.kind == BERTH__CEL_TYPE_MAP)
        return node->constant.map->count > 0;
    if (node->constant.kind != BERTH__CEL_TYPE_LIST)
        return false;
    const berth__cel_list *list = node->constant.list;
    for (uint32_t i = 0; i < list->count; i++) {
        berth__cel_type_kind kind = list->items[i].kind;
        if (!is_number(list->items[i]) && kind != BERTH__CEL_TYPE_BOOL &&
            kind != BERTH__CEL_TYPE_STRING)
            return false;
    }
    return list->count > 0;
}

DEFINE(op_in)
{
    bool semver = args[0].kind == BERTH__CEL_TYPE_SEMVER;
    if ((semver || args[0].kind == BERTH__CEL_TYPE_BYTES) && is_table(node->args[1]))
        return berth__cel_error(run, "internal error: runtime error: hash of unhashable type %s",
                                semver ? "cel.Semver" : "types.Bytes");
    if (args[1].kind == BERTH__CEL_TYPE_MAP)
        return berth__cel_bool(berth__cel_find(run, args[1].map, args[0]) != NULL);
    if (args[1].kind != BERTH__CEL_TYPE_LIST)
        return berth__cel_no_overload();
    for (uint32_t i = 0; i < args[1].list->count; i++) {
        if (berth__cel_is_true(berth__cel_equal(run, args[0], args[1].list->items[i])))
            return berth__cel_bool(true);
    }
    return berth__cel_bool(false);
}
