/* Values of expressions, while one is evaluated. */
#ifndef BERTH_CEL_VALUE_H
#define BERTH_CEL_VALUE_H

#include "base/text.h"
#include "cel/types.h"

typedef struct berth__cel_list berth__cel_list;
typedef struct berth__cel_map berth__cel_map;
typedef struct berth__cel_semver berth__cel_semver;
typedef struct berth__cel_net berth__cel_net;
typedef struct berth__cel_value berth__cel_value;

/* Of a quantity. `integer`: Kubernetes holds it so that it can be taken as one. */
typedef struct berth__cel_amount {
    __int128 nanos;
    bool integer;
    bool computed; /* by add or sub: on the right of == it is an error, as it is there */
} berth__cel_amount;

/* The kinds are those of types: BERTH__CEL_TYPE_BOOL up to BERTH__CEL_TYPE_TYPE, and ERROR. */
struct berth__cel_value {
    berth__cel_type_kind kind;
    union {
        bool flag;
        int64_t integer;
        uint64_t natural;
        double real;
        berth_str text; /* of a string, of bytes, of an error */
        berth__cel_list *list;
        berth__cel_map *map;
        const berth__cel_value *inner; /* of an optional; NULL: none */
        const berth__cel_type *type;
        const berth__cel_amount *amount;
        const berth__cel_semver *semver;
        const berth__cel_net *net; /* of an address or a network */
    };
};

struct berth__cel_list {
    uint32_t count;
    berth__cel_value *items;
};

typedef struct berth__cel_entry {
    berth__cel_value key, value;
} berth__cel_entry;

struct berth__cel_map {
    uint32_t count;
    bool filled; /* a key that isn't there has an empty map, where it is selected */
    berth__cel_entry *entries;
};

struct berth__cel_semver {
    uint64_t parts[3]; /* major, minor, patch */
    berth_str pre;     /* without its hyphen */
};

/* What an evaluation works with. `stopped`: no memory or no work left; it ends, and nothing absorbs
 * the error. */
typedef struct berth__cel_run {
    berth__arena *arena;
    berth__cel_value *slots; /* variables, by number */
    uint64_t cost;           /* in tenths */
    bool no_memory;
    bool stopped;
} berth__cel_run;

enum { BERTH__CEL_COST_UNIT = 10, BERTH__CEL_COST_MAX = 1000000 * BERTH__CEL_COST_UNIT };

/* Take so much of the work that an evaluation may do. False: there isn't as much left, and the
 * run has stopped. */
bool berth__cel_charge(berth__cel_run *run, uint64_t tenths);

/* Memory of the run, charged for as well; NULL: the run has stopped. */
void *berth__cel_alloc(berth__cel_run *run, size_t bytes);

berth__cel_value berth__cel_error(berth__cel_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
berth__cel_value berth__cel_stopped(berth__cel_run *run); /* the error of a run that has stopped */
berth__cel_value berth__cel_no_overload(void);

static inline berth__cel_value berth__cel_bool(bool flag)
{
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_BOOL, .flag = flag};
}
static inline berth__cel_value berth__cel_int(int64_t integer)
{
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_INT, .integer = integer};
}
static inline berth__cel_value berth__cel_uint(uint64_t natural)
{
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_UINT, .natural = natural};
}
static inline berth__cel_value berth__cel_double(double real)
{
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_DOUBLE, .real = real};
}
static inline berth__cel_value berth__cel_string(berth_str text)
{
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_STRING, .text = text};
}
static inline bool berth__cel_failed(berth__cel_value value)
{
    return value.kind == BERTH__CEL_TYPE_ERROR;
}
static inline bool berth__cel_is(berth__cel_value value, berth__cel_type_kind kind)
{
    return value.kind == kind;
}
static inline bool berth__cel_is_true(berth__cel_value value)
{
    return value.kind == BERTH__CEL_TYPE_BOOL && value.flag;
}

berth__cel_value berth__cel_optional(berth__cel_run *run, berth__cel_value inner);
berth__cel_value berth__cel_none(void);
berth__cel_value berth__cel_quantity(berth__cel_run *run, __int128 nanos, bool integer);

/* Whether an amount is a whole number that fits 64 bits. */
bool berth__cel_is_whole(__int128 nanos);

/* A list or map of so many, to be filled; the run has stopped where it is an error. */
berth__cel_value berth__cel_list_make(berth__cel_run *run, uint32_t count);
berth__cel_value berth__cel_map_make(berth__cel_run *run, uint32_t count);

/* Whether two are equal: a bool, or an error of values that can't be compared. Charged. */
berth__cel_value berth__cel_equal(berth__cel_run *run, berth__cel_value a, berth__cel_value b);

/* -1, 0, 1; 2: not comparable; 3: unordered (NaN). Numbers of different kinds compare. */
int berth__cel_compare(berth__cel_value a, berth__cel_value b);

/* The entry of a key, NULL if there is none. */
const berth__cel_entry *berth__cel_find(berth__cel_run *run, const berth__cel_map *map,
                                        berth__cel_value key);

/* The name of a value's type: list, kubernetes.Quantity. */
const char *berth__cel_kind_name(berth__cel_value value);

/* Semantic versions. The error is that of blang/semver. */
berth__cel_value berth__cel_semver_parse(berth__cel_run *run, berth_str text);
int berth__cel_semver_compare(const berth__cel_semver *a, const berth__cel_semver *b);

#endif
