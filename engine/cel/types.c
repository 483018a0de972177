/* Types: assignability and the binding of parameters, as in cel-go's checker/types.go. */
#include "cel/types.h"

enum { STEPS_MAX = 2000000 };

static const berth__cel_type plain[BERTH__CEL_TYPE_PARAM + 1] = {
#define PLAIN(kind_name) [BERTH__CEL_TYPE_##kind_name] = {.kind = BERTH__CEL_TYPE_##kind_name}
    PLAIN(ERROR),    PLAIN(DYN),    PLAIN(ANY),    PLAIN(BOOL),  PLAIN(INT),
    PLAIN(UINT),     PLAIN(DOUBLE), PLAIN(STRING), PLAIN(BYTES), PLAIN(NULL),
    PLAIN(QUANTITY), PLAIN(SEMVER), PLAIN(IP),     PLAIN(CIDR),  PLAIN(DEVICE),
#undef PLAIN
};

void berth__cel_types_init(berth__cel_types *types, const berth_allocator *allocator,
                           berth__arena *arena)
{
    *types = (berth__cel_types){.allocator = allocator, .arena = arena, .steps = STEPS_MAX};
}

void berth__cel_types_destroy(berth__cel_types *types)
{
    berth__free(types->allocator, types->bound, types->bound_capacity * sizeof(*types->bound));
    berth__free(types->allocator, types->changes, types->change_capacity * sizeof(*types->changes));
}

const berth__cel_type *berth__cel_type_of(berth__cel_type_kind kind)
{
    return &plain[kind];
}

const berth__cel_type *berth__cel_type_make(berth__cel_types *types, berth__cel_type_kind kind,
                                            const berth__cel_type *first,
                                            const berth__cel_type *second)
{
    berth__cel_type *type =
        berth__arena_alloc(types->arena, sizeof(*type), _Alignof(berth__cel_type));
    if (type == NULL) {
        types->no_memory = true;
        return &plain[BERTH__CEL_TYPE_ERROR];
    }
    bool open = (first != NULL && first->open) || (second != NULL && second->open);
    *type = (berth__cel_type){.kind = kind, .open = open, .first = first, .second = second};
    return type;
}

const berth__cel_type *berth__cel_type_fresh(berth__cel_types *types)
{
    berth__cel_type *type =
        berth__arena_alloc(types->arena, sizeof(*type), _Alignof(berth__cel_type));
    if (type == NULL || !berth__grow(types->allocator, &types->bound, &types->bound_capacity,
                                     types->param_count + 1, sizeof(*types->bound))) {
        types->no_memory = true;
        return &plain[BERTH__CEL_TYPE_ERROR];
    }
    types->bound[types->param_count] = NULL;
    *type = (berth__cel_type){
        .kind = BERTH__CEL_TYPE_PARAM, .param = types->param_count++, .open = true};
    return type;
}

/* Take a step of work. Once no work is left, every result is false. */
static bool step(berth__cel_types *types)
{
    if (types->steps == 0)
        return false;
    types->steps--;
    return true;
}

bool berth__cel_type_same(berth__cel_types *types, const berth__cel_type *a,
                          const berth__cel_type *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || !step(types))
        return false;
    if (a->kind == BERTH__CEL_TYPE_PARAM)
        return a->param == b->param;
    return (a->first == NULL || berth__cel_type_same(types, a->first, b->first)) &&
           (a->second == NULL || berth__cel_type_same(types, a->second, b->second));
}

static bool less_specific(berth__cel_types *types, const berth__cel_type *a,
                          const berth__cel_type *b)
{
    if (!step(types))
        return true;
    if (berth__cel_type_is_dyn(a) || a->kind == BERTH__CEL_TYPE_PARAM)
        return true;
    if (berth__cel_type_is_dyn(b) || b->kind == BERTH__CEL_TYPE_PARAM || a->kind != b->kind)
        return false;
    if (a->kind == BERTH__CEL_TYPE_TYPE)
        return true;
    return (a->first == NULL || less_specific(types, a->first, b->first)) &&
           (a->second == NULL || less_specific(types, a->second, b->second));
}

const berth__cel_type *berth__cel_type_general(berth__cel_types *types, const berth__cel_type *a,
                                               const berth__cel_type *b)
{
    return less_specific(types, a, b) ? a : b;
}

static const berth__cel_type *bound_to(const berth__cel_types *types, const berth__cel_type *type)
{
    return type->kind == BERTH__CEL_TYPE_PARAM ? types->bound[type->param] : NULL;
}

static void bind(berth__cel_types *types, const berth__cel_type *param, const berth__cel_type *type)
{
    if (!berth__grow(types->allocator, &types->changes, &types->change_capacity,
                     types->change_count + 1, sizeof(*types->changes))) {
        types->no_memory = true;
        return;
    }
    types->changes[types->change_count++] =
        (berth__cel_binding){param->param, types->bound[param->param]};
    types->bound[param->param] = type;
}

static void undo(berth__cel_types *types, uint32_t mark)
{
    while (types->change_count > mark) {
        berth__cel_binding change = types->changes[--types->change_count];
        types->bound[change.param] = change.was;
    }
}

/* Whether a parameter does not occur in a type, so that it may be bound to the type. */
static bool is_free_of(berth__cel_types *types, const berth__cel_type *param,
                       const berth__cel_type *within)
{
    if (!step(types))
        return false;
    if (within->kind == BERTH__CEL_TYPE_PARAM) {
        if (within->param == param->param)
            return false;
        const berth__cel_type *next = bound_to(types, within);
        return next == NULL || is_free_of(types, param, next);
    }
    return !within->open || ((within->first == NULL || is_free_of(types, param, within->first)) &&
                             (within->second == NULL || is_free_of(types, param, within->second)));
}

static bool assignable(berth__cel_types *types, const berth__cel_type *a, const berth__cel_type *b);

/* Whether the parameter `param` can stand for `type`. `*known` is set if it was bound already. */
static bool stands_for(berth__cel_types *types, const berth__cel_type *type,
                       const berth__cel_type *param, bool *known)
{
    *known = true;
    if (berth__cel_type_same(types, type, param))
        return true;
    const berth__cel_type *now = bound_to(types, param);
    if (now != NULL) {
        if (berth__cel_type_same(types, type, now))
            return true;
        if (!assignable(types, type, now))
            return false;
        const berth__cel_type *next = berth__cel_type_general(types, type, now);
        if (is_free_of(types, param, next))
            bind(types, param, next);
        return true;
    }
    *known = false;
    if (!is_free_of(types, param, type))
        return false;
    bind(types, param, type);
    return true;
}

static bool nullable(const berth__cel_type *type)
{
    switch (type->kind) {
    case BERTH__CEL_TYPE_NULL:
    case BERTH__CEL_TYPE_OPTIONAL:
    case BERTH__CEL_TYPE_QUANTITY:
    case BERTH__CEL_TYPE_SEMVER:
    case BERTH__CEL_TYPE_IP:
    case BERTH__CEL_TYPE_CIDR:
    case BERTH__CEL_TYPE_DEVICE:
        return true;
    default:
        return false;
    }
}

static bool assignable(berth__cel_types *types, const berth__cel_type *a, const berth__cel_type *b)
{
    bool known = false;
    if (a == b)
        return true;
    if (!step(types))
        return false;
    if (b->kind == BERTH__CEL_TYPE_PARAM) {
        if (stands_for(types, a, b, &known))
            return true;
        if (known)
            return false;
    }
    if (a->kind == BERTH__CEL_TYPE_PARAM)
        return stands_for(types, b, a, &known);
    if (berth__cel_type_is_loose(a) || berth__cel_type_is_loose(b))
        return true;
    if (a->kind == BERTH__CEL_TYPE_NULL)
        return nullable(b);
    if (b->kind == BERTH__CEL_TYPE_NULL)
        return nullable(a);
    if (a->kind != b->kind)
        return false;
    if (a->kind == BERTH__CEL_TYPE_TYPE)
        return true;
    return (a->first == NULL || assignable(types, a->first, b->first)) &&
           (a->second == NULL || assignable(types, a->second, b->second));
}

bool berth__cel_types_assignable(berth__cel_types *types, const berth__cel_type *const *a,
                                 const berth__cel_type *const *b, uint32_t count)
{
    uint32_t mark = types->change_count;
    for (uint32_t i = 0; i < count; i++) {
        if (!assignable(types, a[i], b[i])) {
            undo(types, mark);
            return false;
        }
    }
    types->change_count = mark; /* permanent: outer calls do not undo it */
    return true;
}

bool berth__cel_type_assignable(berth__cel_types *types, const berth__cel_type *a,
                                const berth__cel_type *b)
{
    return berth__cel_types_assignable(types, &a, &b, 1);
}

const berth__cel_type *berth__cel_type_resolve(berth__cel_types *types, const berth__cel_type *type,
                                               bool to_dyn)
{
    if (!type->open || !step(types))
        return type;
    if (type->kind == BERTH__CEL_TYPE_PARAM) {
        const berth__cel_type *now = bound_to(types, type);
        if (now != NULL)
            return berth__cel_type_resolve(types, now, to_dyn);
        return to_dyn ? &plain[BERTH__CEL_TYPE_DYN] : type;
    }
    const berth__cel_type *first =
        type->first != NULL ? berth__cel_type_resolve(types, type->first, to_dyn) : NULL;
    const berth__cel_type *second =
        type->second != NULL ? berth__cel_type_resolve(types, type->second, to_dyn) : NULL;
    if (first == type->first && second == type->second)
        return type;
    return berth__cel_type_make(types, type->kind, first, second);
}

const char *berth__cel_type_name(berth__cel_type_kind kind, bool runtime)
{
    switch (kind) {
    case BERTH__CEL_TYPE_ERROR:
        return runtime ? "error" : "!error!";
    case BERTH__CEL_TYPE_DYN:
    case BERTH__CEL_TYPE_PARAM:
        return "dyn";
    case BERTH__CEL_TYPE_ANY:
        return runtime ? "google.protobuf.Any" : "any";
    case BERTH__CEL_TYPE_BOOL:
        return "bool";
    case BERTH__CEL_TYPE_INT:
        return "int";
    case BERTH__CEL_TYPE_UINT:
        return "uint";
    case BERTH__CEL_TYPE_DOUBLE:
        return "double";
    case BERTH__CEL_TYPE_STRING:
        return "string";
    case BERTH__CEL_TYPE_BYTES:
        return "bytes";
    case BERTH__CEL_TYPE_NULL:
        return runtime ? "null_type" : "null";
    case BERTH__CEL_TYPE_QUANTITY:
        return "kubernetes.Quantity";
    case BERTH__CEL_TYPE_SEMVER:
        return "kubernetes.Semver";
    case BERTH__CEL_TYPE_IP:
        return "net.IP";
    case BERTH__CEL_TYPE_CIDR:
        return "net.CIDR";
    case BERTH__CEL_TYPE_DEVICE:
        return "kubernetes.DRADevice";
    case BERTH__CEL_TYPE_LIST:
        return "list";
    case BERTH__CEL_TYPE_MAP:
        return "map";
    case BERTH__CEL_TYPE_OPTIONAL:
        return "optional_type";
    case BERTH__CEL_TYPE_TYPE:
        return "type";
    }
    return "";
}
