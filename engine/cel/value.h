/* Values of expressions during an evaluation. */
#ifndef BERTH_CEL_VALUE_H
#define BERTH_CEL_VALUE_H

#include "base/text.h"
#include "cel/cel.h"
#include "cel/types.h"

typedef struct berth__cel_list berth__cel_list;
typedef struct berth__cel_map berth__cel_map;
typedef struct berth__cel_semver berth__cel_semver;
typedef struct berth__cel_net berth__cel_net;
typedef struct berth__cel_value berth__cel_value;

/* The amount of a quantity. `integer`: Kubernetes stores it as an integer. */
typedef struct berth__cel_amount {
    __int128 nanos;
    bool integer;
    bool computed; /* made by add or sub: an error on the right of ==, as in kube-scheduler */
} berth__cel_amount;

/* The kinds are those of types, from BERTH__CEL_TYPE_BOOL to BERTH__CEL_TYPE_TYPE, and ERROR. */
struct berth__cel_value {
    berth__cel_type_kind kind;
    union {
        bool flag;
        int64_t integer;
        uint64_t natural;
        double real;
        berth_str text; /* for a string, bytes or an error */
        berth__cel_list *list;
        berth__cel_map *map;
        const berth__cel_value *inner; /* for an optional; NULL: empty */
        const berth__cel_type *type;
        const berth__cel_amount *amount;
        const berth__cel_semver *semver;
        const berth__cel_net *net; /* for an address or a network */
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
    bool filled; /* selecting a missing key returns an empty map */
    berth__cel_entry *entries;
};

struct berth__cel_semver {
    uint64_t parts[3]; /* major, minor, patch */
    berth_str pre;     /* without its hyphen */
};

/* The state of an evaluation. `stopped`: memory or work has run out; the evaluation ends, and
 * nothing absorbs the error. */
typedef struct berth__cel_run {
    berth__arena *arena;
    berth__cel_release release;
    berth__cel_value *slots; /* variables, by number */
    uint64_t cost;           /* in tenths */
    bool no_memory;
    bool stopped;
} berth__cel_run;

enum { BERTH__CEL_COST_UNIT = 10, BERTH__CEL_COST_MAX = 1000000 * BERTH__CEL_COST_UNIT };

/* Charge work to the evaluation. Returns false if not enough is left, and then the run has
 * stopped. */
bool berth__cel_charge(berth__cel_run *run, uint64_t tenths);

/* Allocate memory of the run, which is charged, too. NULL: the run has stopped. */
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

/* A list or map of `count` entries, for the caller to fill. If it is an error, the run has
 * stopped. */
berth__cel_value berth__cel_list_make(berth__cel_run *run, uint32_t count);
berth__cel_value berth__cel_map_make(berth__cel_run *run, uint32_t count);

/* Whether two values are equal: a bool, or an error if they cannot be compared. Charged. */
berth__cel_value berth__cel_equal(berth__cel_run *run, berth__cel_value a, berth__cel_value b);

/* -1, 0, 1; 2: not comparable; 3: unordered (NaN). Numbers of different kinds can be compared. */
int berth__cel_compare(berth__cel_value a, berth__cel_value b);

/* The entry of a key, or NULL. */
const berth__cel_entry *berth__cel_find(berth__cel_run *run, const berth__cel_map *map,
                                        berth__cel_value key);

/* Print an int, uint, double, bool or null as Go prints it. */
enum { BERTH__CEL_PRINT_MAX = 64 };
void berth__cel_print(berth__cel_value value, char out[BERTH__CEL_PRINT_MAX]);

/* A value in an error text: a string itself, else as above, or the name of its type. May use
 * `out`. */
berth_str berth__cel_shown(berth__cel_value value, char out[BERTH__CEL_PRINT_MAX]);

/* The name of the type of cel-go's Go value, such as types.Int: some error texts show it. */
const char *berth__cel_go_type(berth__cel_value value);

/* The name of a value's type, such as list or kubernetes.Quantity. */
const char *berth__cel_kind_name(berth__cel_value value);

/* Semantic versions. Errors are those of blang/semver. */
berth__cel_value berth__cel_semver_parse(berth__cel_run *run, berth_str text);
int berth__cel_semver_compare(const berth__cel_semver *a, const berth__cel_semver *b);

#endif
