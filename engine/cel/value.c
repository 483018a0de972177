/* Values: makes and compares them, and charges for their work and memory. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "cel/net.h"
#include "cel/value.h"

enum { BYTES_PER_TENTH = 8 }; /* memory charged as work, so an evaluation holds at most 80 MB */

berth__cel_value berth__cel_stopped(berth__cel_run *run)
{
    run->stopped = true;
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_ERROR,
                              .text = BERTH_STR("operation cancelled: actual cost limit exceeded")};
}

bool berth__cel_charge(berth__cel_run *run, uint64_t tenths)
{
    run->cost += tenths;
    if (run->cost > BERTH__CEL_COST_MAX)
        run->stopped = true;
    return !run->stopped;
}

void *berth__cel_alloc(berth__cel_run *run, size_t bytes)
{
    if (bytes > (size_t)BERTH__CEL_COST_MAX * BYTES_PER_TENTH ||
        !berth__cel_charge(run, bytes / BYTES_PER_TENTH / BERTH__CEL_COST_UNIT)) {
        run->stopped = true;
        return NULL;
    }
    void *memory = berth__arena_alloc(run->arena, bytes > 0 ? bytes : 1, 16);
    if (memory == NULL)
        run->no_memory = run->stopped = true;
    return memory;
}

berth__cel_value berth__cel_error(berth__cel_run *run, const char *format, ...)
{
    enum { ERROR_MAX = 1024 };
    va_list args;
    va_start(args, format);
    char text[ERROR_MAX];
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    uint32_t kept = len < ERROR_MAX ? (uint32_t)len : ERROR_MAX - 1;
    char *copy = berth__cel_alloc(run, kept + 1);
    if (copy == NULL)
        return berth__cel_stopped(run);
    memcpy(copy, text, kept + 1);
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_ERROR, .text = {copy, kept}};
}

berth__cel_value berth__cel_no_overload(void)
{
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_ERROR, .text = BERTH_STR("no such overload")};
}

berth__cel_value berth__cel_none(void)
{
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_OPTIONAL, .inner = NULL};
}

berth__cel_value berth__cel_optional(berth__cel_run *run, berth__cel_value inner)
{
    berth__cel_value *copy = berth__cel_alloc(run, sizeof(*copy));
    if (copy == NULL)
        return berth__cel_stopped(run);
    *copy = inner;
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_OPTIONAL, .inner = copy};
}

berth__cel_value berth__cel_quantity(berth__cel_run *run, __int128 nanos, bool integer)
{
    berth__cel_amount *copy = berth__cel_alloc(run, sizeof(*copy));
    if (copy == NULL)
        return berth__cel_stopped(run);
    *copy = (berth__cel_amount){.nanos = nanos, .integer = integer};
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_QUANTITY, .amount = copy};
}

berth__cel_value berth__cel_list_make(berth__cel_run *run, uint32_t count)
{
    berth__cel_list *list = berth__cel_alloc(run, sizeof(*list));
    berth__cel_value *items = berth__cel_alloc(run, (size_t)count * sizeof(*items));
    if (list == NULL || items == NULL)
        return berth__cel_stopped(run);
    *list = (berth__cel_list){count, items};
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_LIST, .list = list};
}

berth__cel_value berth__cel_map_make(berth__cel_run *run, uint32_t count)
{
    berth__cel_map *map = berth__cel_alloc(run, sizeof(*map));
    berth__cel_entry *entries = berth__cel_alloc(run, (size_t)count * sizeof(*entries));
    if (map == NULL || entries == NULL)
        return berth__cel_stopped(run);
    *map = (berth__cel_map){count, false, entries};
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_MAP, .map = map};
}

const char *berth__cel_kind_name(berth__cel_value value)
{
    return berth__cel_type_name(value.kind, true);
}

const char *berth__cel_go_type(berth__cel_value value)
{
    static const char *const names[BERTH__CEL_TYPE_PARAM] = {
        [BERTH__CEL_TYPE_BOOL] = "types.Bool",     [BERTH__CEL_TYPE_INT] = "types.Int",
        [BERTH__CEL_TYPE_UINT] = "types.Uint",     [BERTH__CEL_TYPE_DOUBLE] = "types.Double",
        [BERTH__CEL_TYPE_STRING] = "types.String", [BERTH__CEL_TYPE_BYTES] = "types.Bytes",
        [BERTH__CEL_TYPE_NULL] = "types.Null",     [BERTH__CEL_TYPE_QUANTITY] = "cel.Quantity",
        [BERTH__CEL_TYPE_SEMVER] = "cel.Semver",   [BERTH__CEL_TYPE_IP] = "cel.IP",
        [BERTH__CEL_TYPE_CIDR] = "cel.CIDR",       [BERTH__CEL_TYPE_LIST] = "*types.baseList",
        [BERTH__CEL_TYPE_MAP] = "*types.baseMap",  [BERTH__CEL_TYPE_OPTIONAL] = "*types.Optional",
        [BERTH__CEL_TYPE_TYPE] = "*types.Type",
    };
    return names[value.kind];
}

/* ---- order ---- */

static bool is_number(berth__cel_value value)
{
    return value.kind == BERTH__CEL_TYPE_INT || value.kind == BERTH__CEL_TYPE_UINT ||
           value.kind == BERTH__CEL_TYPE_DOUBLE;
}

static int order(bool less, bool more)
{
    return less ? -1 : more ? 1 : 0;
}

/* Compares a double and a whole number as cel-go's common/types/compare.go does. */
static int compare_double_int(double a, int64_t b)
{
    if (a < -9223372036854775808.0)
        return -1;
    if (a > 9223372036854775807.0)
        return 1;
    double real = (double)b;
    return order(a<real, a> real);
}

static int compare_double_uint(double a, uint64_t b)
{
    if (a < 0)
        return -1;
    if (a > 18446744073709551615.0)
        return 1;
    double real = (double)b;
    return order(a<real, a> real);
}

static int compare_numbers(berth__cel_value a, berth__cel_value b)
{
    if (a.kind == b.kind) {
        if (a.kind == BERTH__CEL_TYPE_INT)
            return order(a.integer<b.integer, a.integer> b.integer);
        if (a.kind == BERTH__CEL_TYPE_UINT)
            return order(a.natural<b.natural, a.natural> b.natural);
        return order(a.real<b.real, a.real> b.real);
    }
    if (a.kind == BERTH__CEL_TYPE_DOUBLE)
        return b.kind == BERTH__CEL_TYPE_INT ? compare_double_int(a.real, b.integer)
                                             : compare_double_uint(a.real, b.natural);
    if (b.kind == BERTH__CEL_TYPE_DOUBLE)
        return -compare_numbers(b, a);
    if (a.kind == BERTH__CEL_TYPE_INT)
        return a.integer < 0 ? -1
                             : order((uint64_t)a.integer<b.natural, (uint64_t)a.integer> b.natural);
    return -compare_numbers(b, a);
}

int berth__cel_compare(berth__cel_value a, berth__cel_value b)
{
    if (a.kind == BERTH__CEL_TYPE_DOUBLE && isnan(a.real))
        return 3;
    if (is_number(a) && is_number(b))
        return b.kind == BERTH__CEL_TYPE_DOUBLE && isnan(b.real) ? 3 : compare_numbers(a, b);
    if (a.kind != b.kind)
        return 2;
    if (a.kind == BERTH__CEL_TYPE_STRING || a.kind == BERTH__CEL_TYPE_BYTES) {
        int result = berth__str_cmp(a.text, b.text);
        return order(result<0, result> 0);
    }
    return a.kind == BERTH__CEL_TYPE_BOOL ? order(a.flag<b.flag, a.flag> b.flag) : 2;
}

/* ---- equality ---- */

static bool texts_equal(berth__cel_run *run, berth_str a, berth_str b)
{
    berth__cel_charge(run, a.len == b.len ? a.len : 0);
    return !run->stopped && berth__str_eq(a, b);
}

static berth__cel_value lists_equal(berth__cel_run *run, const berth__cel_list *a,
                                    const berth__cel_list *b)
{
    bool equal = a->count == b->count;
    for (uint32_t i = 0; equal && i < a->count; i++)
        equal = berth__cel_is_true(berth__cel_equal(run, a->items[i], b->items[i]));
    return berth__cel_bool(equal);
}

static berth__cel_value maps_equal(berth__cel_run *run, const berth__cel_map *a,
                                   const berth__cel_map *b)
{
    bool equal = a->count == b->count;
    for (uint32_t i = 0; equal && i < a->count; i++) {
        const berth__cel_entry *other = berth__cel_find(run, b, a->entries[i].key);
        equal = other != NULL &&
                berth__cel_is_true(berth__cel_equal(run, a->entries[i].value, other->value));
    }
    return berth__cel_bool(equal);
}

static berth__cel_value optionals_equal(berth__cel_run *run, const berth__cel_value *a,
                                        const berth__cel_value *b)
{
    if (a == NULL || b == NULL)
        return berth__cel_bool(a == b);
    return berth__cel_equal(run, *a, *b);
}

berth__cel_value berth__cel_equal(berth__cel_run *run, berth__cel_value a, berth__cel_value b)
{
    if (!berth__cel_charge(run, 1))
        return berth__cel_stopped(run);
    if (is_number(a) && is_number(b))
        return berth__cel_bool(berth__cel_compare(a, b) == 0);
    if (a.kind != b.kind) {
        bool strict = a.kind == BERTH__CEL_TYPE_QUANTITY || a.kind == BERTH__CEL_TYPE_SEMVER ||
                      a.kind == BERTH__CEL_TYPE_IP || a.kind == BERTH__CEL_TYPE_CIDR;
        return strict && b.kind != BERTH__CEL_TYPE_NULL ? berth__cel_no_overload()
                                                        : berth__cel_bool(false);
    }
    switch (a.kind) {
    case BERTH__CEL_TYPE_NULL:
        return berth__cel_bool(true);
    case BERTH__CEL_TYPE_BOOL:
        return berth__cel_bool(a.flag == b.flag);
    case BERTH__CEL_TYPE_STRING:
    case BERTH__CEL_TYPE_BYTES:
        return berth__cel_bool(texts_equal(run, a.text, b.text));
    case BERTH__CEL_TYPE_LIST:
        return lists_equal(run, a.list, b.list);
    case BERTH__CEL_TYPE_MAP:
        return maps_equal(run, a.map, b.map);
    case BERTH__CEL_TYPE_OPTIONAL:
        return optionals_equal(run, a.inner, b.inner);
    case BERTH__CEL_TYPE_TYPE:
        return berth__cel_bool(a.type->kind == b.type->kind);
    case BERTH__CEL_TYPE_QUANTITY:
        return b.amount->computed ? berth__cel_no_overload()
                                  : berth__cel_bool(a.amount->nanos == b.amount->nanos);
    case BERTH__CEL_TYPE_SEMVER:
        return berth__cel_bool(berth__cel_semver_compare(a.semver, b.semver) == 0);
    case BERTH__CEL_TYPE_IP:
    case BERTH__CEL_TYPE_CIDR:
        return berth__cel_bool(berth__cel_net_equal(a, b));
    default:
        return berth__cel_no_overload();
    }
}

const berth__cel_entry *berth__cel_find(berth__cel_run *run, const berth__cel_map *map,
                                        berth__cel_value key)
{
    for (uint32_t i = 0; i < map->count; i++) {
        if (berth__cel_is_true(berth__cel_equal(run, map->entries[i].key, key)))
            return &map->entries[i];
    }
    return NULL;
}
