/* Static types of expressions, and how type parameters are bound. */
#ifndef BERTH_CEL_TYPES_H
#define BERTH_CEL_TYPES_H

#include "base/arena.h"

typedef enum berth__cel_type_kind {
    BERTH__CEL_TYPE_ERROR,
    BERTH__CEL_TYPE_DYN,
    BERTH__CEL_TYPE_ANY,
    BERTH__CEL_TYPE_BOOL,
    BERTH__CEL_TYPE_INT,
    BERTH__CEL_TYPE_UINT,
    BERTH__CEL_TYPE_DOUBLE,
    BERTH__CEL_TYPE_STRING,
    BERTH__CEL_TYPE_BYTES,
    BERTH__CEL_TYPE_NULL,
    BERTH__CEL_TYPE_QUANTITY,
    BERTH__CEL_TYPE_SEMVER,
    BERTH__CEL_TYPE_IP,
    BERTH__CEL_TYPE_CIDR,
    BERTH__CEL_TYPE_DEVICE,
    BERTH__CEL_TYPE_LIST,     /* of `first` */
    BERTH__CEL_TYPE_MAP,      /* from `first` to `second` */
    BERTH__CEL_TYPE_OPTIONAL, /* of `first` */
    BERTH__CEL_TYPE_TYPE,     /* of `first` */
    BERTH__CEL_TYPE_PARAM,    /* a type parameter, by number */
} berth__cel_type_kind;

typedef struct berth__cel_type berth__cel_type;
struct berth__cel_type {
    berth__cel_type_kind kind;
    uint32_t param;
    bool open; /* contains a parameter */
    const berth__cel_type *first, *second;
};

/* A parameter bound so far. `changes` lists bound parameters, so that a failed attempt can be
 * undone. */
typedef struct berth__cel_binding {
    uint32_t param;
    const berth__cel_type *was;
} berth__cel_binding;

typedef struct berth__cel_types {
    const berth_allocator *allocator;
    berth__arena *arena;
    const berth__cel_type **bound;
    uint32_t param_count, bound_capacity;
    berth__cel_binding *changes;
    uint32_t change_count, change_capacity;
    uint32_t steps; /* left; limited because types can be larger than the texts that make them */
    bool no_memory;
} berth__cel_types;

void berth__cel_types_init(berth__cel_types *types, const berth_allocator *allocator,
                           berth__arena *arena);
void berth__cel_types_destroy(berth__cel_types *types);

/* Types without parts, shared. */
const berth__cel_type *berth__cel_type_of(berth__cel_type_kind kind);

/* A list, map, optional or type. When out of memory, the error type is returned and `no_memory` is
 * set; the same holds for all functions that make types. */
const berth__cel_type *berth__cel_type_make(berth__cel_types *types, berth__cel_type_kind kind,
                                            const berth__cel_type *first,
                                            const berth__cel_type *second);
const berth__cel_type *berth__cel_type_fresh(berth__cel_types *types);

static inline bool berth__cel_type_is_dyn(const berth__cel_type *type)
{
    return type->kind == BERTH__CEL_TYPE_DYN || type->kind == BERTH__CEL_TYPE_ANY;
}

static inline bool berth__cel_type_is_loose(const berth__cel_type *type)
{
    return type->kind == BERTH__CEL_TYPE_ERROR || berth__cel_type_is_dyn(type);
}

bool berth__cel_type_same(berth__cel_types *types, const berth__cel_type *a,
                          const berth__cel_type *b);

/* Whether a value of type `a` may stand where `b` is expected. Binds parameters if so; otherwise
 * binds nothing. */
bool berth__cel_type_assignable(berth__cel_types *types, const berth__cel_type *a,
                                const berth__cel_type *b);
bool berth__cel_types_assignable(berth__cel_types *types, const berth__cel_type *const *a,
                                 const berth__cel_type *const *b, uint32_t count);

/* The type with all bound parameters replaced. With `to_dyn`, the other parameters are replaced by
 * dyn. */
const berth__cel_type *berth__cel_type_resolve(berth__cel_types *types, const berth__cel_type *type,
                                               bool to_dyn);

/* The more general of two types that are assignable. */
const berth__cel_type *berth__cel_type_general(berth__cel_types *types, const berth__cel_type *a,
                                               const berth__cel_type *b);

/* The name of a type without parts: as the checker writes it, or as the type of a value. */
const char *berth__cel_type_name(berth__cel_type_kind kind, bool runtime);

#endif
