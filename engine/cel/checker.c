/* The checker: finds a type for every node, a variable for every name, and a function for every
 * call. */
#include <stdio.h>

#include "cel/checker.h"
#include "cel/device_type.h"

typedef struct scope {
    const struct scope *outer;
    berth_str name;
    uint32_t slot;
    const berth__cel_type *type;
} scope;

typedef struct checker {
    berth__cel_source *source;
    berth__cel_types types;
    const scope *names;
    uint32_t slots; /* in use */
} checker;

static const berth__cel_type *check(checker *c, berth__cel_node *node);

/* ---- names of types ---- */

enum { NAME_MAX = 1024 };

typedef struct naming {
    char text[NAME_MAX];
    uint32_t len;
    bool runtime;
} naming;

static void name_put(naming *out, const char *text)
{
    for (; *text != '\0' && out->len + 1 < NAME_MAX; text++)
        out->text[out->len++] = *text;
    out->text[out->len] = '\0';
}

static void name_type(naming *out, const berth__cel_type *type)
{
    if (type == NULL || out->len + 1 >= NAME_MAX)
        return;
    if (type->kind == BERTH__CEL_TYPE_PARAM) {
        char text[32];
        snprintf(text, sizeof(text), "_var%u", type->param);
        name_put(out, text);
        return;
    }
    name_put(out, berth__cel_type_name(type->kind, out->runtime));
    if (type->first == NULL)
        return;
    name_put(out, "(");
    name_type(out, type->first);
    if (type->second != NULL) {
        name_put(out, ", ");
        name_type(out, type->second);
    }
    name_put(out, ")");
}

static void mismatch(checker *c, const berth__cel_node *node, const berth__cel_type *expected,
                     const berth__cel_type *found)
{
    naming a = {.len = 0}, b = {.len = 0};
    name_type(&a, expected);
    name_type(&b, found);
    berth__cel_fault_add(c->source, node->at, "expected type '%s' but found '%s'", a.text, b.text);
}

static const berth__cel_type *of(berth__cel_type_kind kind)
{
    return berth__cel_type_of(kind);
}

static const berth__cel_type *resolved(checker *c, const berth__cel_type *type)
{
    return berth__cel_type_resolve(&c->types, type, false);
}

static const berth__cel_type *wrap(checker *c, berth__cel_type_kind kind,
                                   const berth__cel_type *type)
{
    return berth__cel_type_make(&c->types, kind, type, NULL);
}

/* ---- signatures ---- */

typedef struct reading {
    checker *checker;
    const char *at;
    const berth__cel_type *params[3];
} reading;

static const berth__cel_type *read_type(reading *r)
{
    static const char letters[] = "biudsynQVIND";
    static const berth__cel_type_kind kinds[] = {
        BERTH__CEL_TYPE_BOOL,   BERTH__CEL_TYPE_INT,      BERTH__CEL_TYPE_UINT,
        BERTH__CEL_TYPE_DOUBLE, BERTH__CEL_TYPE_STRING,   BERTH__CEL_TYPE_BYTES,
        BERTH__CEL_TYPE_NULL,   BERTH__CEL_TYPE_QUANTITY, BERTH__CEL_TYPE_SEMVER,
        BERTH__CEL_TYPE_IP,     BERTH__CEL_TYPE_CIDR,     BERTH__CEL_TYPE_DYN,
    };
    char letter = *r->at++;
    const char *plain = strchr(letters, letter);
    if (plain != NULL)
        return of(kinds[plain - letters]);
    if (letter >= 'A' && letter <= 'C') {
        const berth__cel_type **param = &r->params[letter - 'A'];
        if (*param == NULL)
            *param = berth__cel_type_fresh(&r->checker->types);
        return *param;
    }
    const berth__cel_type *first = read_type(r);
    const berth__cel_type *second = letter == 'M' ? read_type(r) : NULL;
    berth__cel_type_kind kind = letter == 'L'   ? BERTH__CEL_TYPE_LIST
                                : letter == 'M' ? BERTH__CEL_TYPE_MAP
                                : letter == 'O' ? BERTH__CEL_TYPE_OPTIONAL
                                                : BERTH__CEL_TYPE_TYPE;
    return berth__cel_type_make(&r->checker->types, kind, first, second);
}

enum { SIGNATURE_MAX = 8 };

/* Whether the arguments fit the signature at `*at`, which moves past it. Sets `*result` if they
 * do. */
static bool fits(checker *c, const char **at, const berth__cel_type *const *args, uint32_t count,
                 bool member, const berth__cel_type **result)
{
    reading r = {.checker = c, .at = *at};
    const berth__cel_type *takes[SIGNATURE_MAX];
    uint32_t taken = 0;
    bool is_member = *r.at == '.';
    const char *end = strchr(r.at, ' ');
    *at = end != NULL ? end + 1 : r.at + strlen(r.at);
    if (is_member != member)
        return false;
    r.at += is_member ? 1 : 0;
    while (*r.at != '>')
        takes[taken++] = read_type(&r);
    if (taken != count)
        return false;
    r.at++;
    const berth__cel_type *type = read_type(&r);
    if (!berth__cel_types_assignable(&c->types, args, takes, count))
        return false;
    *result = resolved(c, type);
    return true;
}

static void no_overload(checker *c, const berth__cel_node *node, berth_str name,
                        const berth__cel_type *const *args, uint32_t count, bool member)
{
    naming out = {.len = 0};
    for (uint32_t i = 0; i < count; i++) {
        if (member ? i == 1 : i == 0)
            name_put(&out, "(");
        else if (i > 0)
            name_put(&out, ", ");
        name_type(&out, berth__cel_type_resolve(&c->types, args[i], true));
        if (member && i == 0)
            name_put(&out, ".");
    }
    if (count == (member ? 1 : 0))
        name_put(&out, "(");
    name_put(&out, ")");
    berth__cel_fault_add(c->source, node->at,
                         "found no matching overload for '%.*s' applied to '%s'", (int)name.len,
                         name.data, out.text);
}

/* The result type of a call with these arguments. */
static const berth__cel_type *apply(checker *c, const berth__cel_node *node,
                                    const berth__cel_function *function,
                                    const berth__cel_type *const *args, uint32_t count, bool member)
{
    const berth__cel_type *result = NULL, *one = NULL;
    for (const char *at = function->signatures; *at != '\0';) {
        if (!fits(c, &at, args, count, member, &one))
            continue;
        if (result == NULL)
            result = one;
        else if (!berth__cel_type_is_dyn(result) && !berth__cel_type_same(&c->types, result, one))
            result = of(BERTH__CEL_TYPE_DYN);
    }
    if (result != NULL)
        return result;
    no_overload(c, node, berth__text_of(function->name), args, count, member);
    return of(BERTH__CEL_TYPE_ERROR);
}

/* ---- nodes ---- */

static void undeclared(checker *c, const berth__cel_node *node, berth_str name)
{
    berth__cel_fault_add(c->source, node->at, "undeclared reference to '%.*s' (in container '')",
                         (int)name.len, name.data);
}

static const berth__cel_type *check_name(checker *c, berth__cel_node *node)
{
    for (const scope *at = c->names; at != NULL; at = at->outer) {
        if (berth__str_eq(at->name, node->name)) {
            node->slot = at->slot;
            return at->type;
        }
    }
    node->slot = UINT32_MAX;
    if (berth__str_is(node->name, "device"))
        return of(BERTH__CEL_TYPE_DEVICE);
    const berth__cel_type *type = berth__cel_named_type(&c->types, node->name);
    if (type == NULL) {
        undeclared(c, node, node->name);
        return of(BERTH__CEL_TYPE_ERROR);
    }
    node->kind = BERTH__CEL_NODE_CONSTANT;
    node->constant = (berth__cel_value){.kind = BERTH__CEL_TYPE_TYPE, .type = type->first};
    return type;
}

static const berth__cel_type *field_type(checker *c, berth__cel_node *node,
                                         const berth__cel_type *type)
{
    switch (type->kind) {
    case BERTH__CEL_TYPE_MAP:
        return type->second;
    case BERTH__CEL_TYPE_DEVICE: {
        const berth__cel_type *field =
            berth__cel_device_field(&c->types, c->source->release, node->name);
        if (field != NULL)
            return field;
        berth__cel_fault_add(c->source, node->at, "undefined field '%.*s'", (int)node->name.len,
                             node->name.data);
        return of(BERTH__CEL_TYPE_ERROR);
    }
    case BERTH__CEL_TYPE_QUANTITY:
    case BERTH__CEL_TYPE_SEMVER:
        berth__cel_fault_add(c->source, node->at, "unexpected failed resolution of '%s'",
                             berth__cel_type_name(type->kind, false));
        return of(BERTH__CEL_TYPE_ERROR);
    case BERTH__CEL_TYPE_PARAM:
        berth__cel_type_assignable(&c->types, of(BERTH__CEL_TYPE_DYN), type);
        return of(BERTH__CEL_TYPE_DYN);
    default:
        break;
    }
    if (!berth__cel_type_is_loose(type)) {
        naming name = {.len = 0};
        name_type(&name, type);
        berth__cel_fault_add(c->source, node->at, "type '%s' does not support field selection",
                             name.text);
    }
    return of(BERTH__CEL_TYPE_DYN);
}

static const berth__cel_type *check_select(checker *c, berth__cel_node *node)
{
    const berth__cel_type *type = resolved(c, check(c, node->args[0]));
    bool optional = type->kind == BERTH__CEL_TYPE_OPTIONAL;
    const berth__cel_type *field = field_type(c, node, optional ? type->first : type);
    if (node->test)
        return of(BERTH__CEL_TYPE_BOOL);
    if (optional || node->optional)
        field = wrap(c, BERTH__CEL_TYPE_OPTIONAL, field);
    return resolved(c, field);
}

static const berth__cel_type *check_logic(checker *c, berth__cel_node *node)
{
    bool fine = true;
    for (uint32_t i = 0; i < node->arg_count; i++)
        check(c, node->args[i]);
    for (uint32_t i = 0; i < node->arg_count; i++) {
        const berth__cel_type *type = node->args[i]->type;
        if (!berth__cel_type_assignable(&c->types, type, of(BERTH__CEL_TYPE_BOOL))) {
            mismatch(c, node->args[i], of(BERTH__CEL_TYPE_BOOL), type);
            fine = false;
        }
    }
    return of(fine ? BERTH__CEL_TYPE_BOOL : BERTH__CEL_TYPE_ERROR);
}

/* Whether a call that looks like a member call is in fact a call of a function with a dot in its
 * name, such as optional.of. */
static bool is_namespaced(const berth__cel_node *node, char *name, size_t size)
{
    const berth__cel_node *target = node->args[0];
    if (!node->member || target->kind != BERTH__CEL_NODE_NAME)
        return false;
    snprintf(name, size, "%.*s.%.*s", (int)target->name.len, target->name.data, (int)node->name.len,
             node->name.data);
    return berth__cel_function_find(berth__text_of(name)) != NULL;
}

static const berth__cel_type *check_call(checker *c, berth__cel_node *node)
{
    enum { SHORT_NAME_MAX = 64 };
    char qualified[SHORT_NAME_MAX];
    const berth__cel_type *types[SIGNATURE_MAX];
    berth_str name = node->name;
    if (berth__str_is(name, "_&&_") || berth__str_is(name, "_||_")) {
        node->function = berth__cel_function_find(name);
        return check_logic(c, node);
    }
    if (is_namespaced(node, qualified, sizeof(qualified))) {
        node->member = false;
        node->args++;
        node->arg_count--;
        name = berth__text_of(qualified);
    }
    for (uint32_t i = node->member ? 1 : 0; i < node->arg_count; i++)
        check(c, node->args[i]);
    if (node->member)
        check(c, node->args[0]);
    node->function = berth__cel_function_find(name);
    if (node->function == NULL) {
        undeclared(c, node, name);
        return of(BERTH__CEL_TYPE_ERROR);
    }
    if (node->arg_count > SIGNATURE_MAX) {
        berth__cel_fault_add(c->source, node->at, "found no matching overload for '%.*s'",
                             (int)name.len, name.data);
        return of(BERTH__CEL_TYPE_ERROR);
    }
    for (uint32_t i = 0; i < node->arg_count; i++)
        types[i] = node->args[i]->type;
    return apply(c, node, node->function, types, node->arg_count, node->member);
}

/* The common type of the elements so far and one more. */
static const berth__cel_type *join(checker *c, const berth__cel_type *so_far,
                                   const berth__cel_type *more)
{
    if (so_far == NULL)
        return more;
    if (berth__cel_type_assignable(&c->types, so_far, more))
        return berth__cel_type_general(&c->types, so_far, more);
    return of(BERTH__CEL_TYPE_DYN); /* check_uniform reports it if there is no other fault */
}

/* The type of an element or value. If it is marked optional, the type inside the optional. */
static const berth__cel_type *element(checker *c, berth__cel_node *node)
{
    const berth__cel_type *type = check(c, node);
    if (!node->mapped)
        return type;
    if (type->kind == BERTH__CEL_TYPE_OPTIONAL)
        return type->first;
    if (!berth__cel_type_is_dyn(type))
        mismatch(c, node, wrap(c, BERTH__CEL_TYPE_OPTIONAL, type), type);
    return type;
}

static const berth__cel_type *check_list(checker *c, berth__cel_node *node)
{
    const berth__cel_type *type = NULL;
    for (uint32_t i = 0; i < node->arg_count; i++)
        type = join(c, type, element(c, node->args[i]));
    if (type == NULL)
        type = berth__cel_type_fresh(&c->types);
    return wrap(c, BERTH__CEL_TYPE_LIST, type);
}

static const berth__cel_type *check_map(checker *c, berth__cel_node *node)
{
    const berth__cel_type *key = NULL, *value = NULL;
    for (uint32_t i = 0; i + 1 < node->arg_count; i += 2) {
        key = join(c, key, check(c, node->args[i]));
        value = join(c, value, element(c, node->args[i + 1]));
    }
    if (key == NULL) {
        key = berth__cel_type_fresh(&c->types);
        value = berth__cel_type_fresh(&c->types);
    }
    return berth__cel_type_make(&c->types, BERTH__CEL_TYPE_MAP, key, value);
}

/* The type of an element after all types are resolved. */
static const berth__cel_type *final_type(checker *c, const berth__cel_node *node)
{
    const berth__cel_type *type = berth__cel_type_resolve(&c->types, node->type, true);
    return node->mapped && type->kind == BERTH__CEL_TYPE_OPTIONAL ? type->first : type;
}

/* Check that the elements of a list, and the keys and the values of a map, have one type each. */
static void check_uniform(checker *c, const berth__cel_node *node)
{
    uint32_t stride = node->kind == BERTH__CEL_NODE_MAP ? 2 : 1;
    for (uint32_t i = 0; i < node->arg_count; i++)
        check_uniform(c, node->args[i]);
    if (node->kind != BERTH__CEL_NODE_LIST && node->kind != BERTH__CEL_NODE_MAP)
        return;
    for (uint32_t i = stride; i < node->arg_count; i++) {
        const berth__cel_type *first = final_type(c, node->args[i % stride]);
        const berth__cel_type *type = final_type(c, node->args[i]);
        if (berth__cel_type_same(&c->types, first, type))
            continue;
        mismatch(c, node->args[i], first, type);
        if (stride == 1)
            break;
    }
}

/* ---- variables ---- */

static uint32_t take_slot(checker *c)
{
    uint32_t slot = c->slots++;
    if (c->slots > c->source->slot_count)
        c->source->slot_count = c->slots;
    return slot;
}

/* The types of a loop's variables for the type of its range. */
static void range_types(checker *c, const berth__cel_node *range, const berth__cel_type *type,
                        bool two, const berth__cel_type *out[2])
{
    out[0] = out[1] = of(BERTH__CEL_TYPE_DYN);
    if (type->kind == BERTH__CEL_TYPE_LIST) {
        out[0] = two ? of(BERTH__CEL_TYPE_INT) : type->first;
        out[1] = type->first;
    } else if (type->kind == BERTH__CEL_TYPE_MAP) {
        out[0] = type->first;
        out[1] = type->second;
    } else if (type->kind == BERTH__CEL_TYPE_PARAM) {
        berth__cel_type_assignable(&c->types, of(BERTH__CEL_TYPE_DYN), type);
    } else if (type->kind != BERTH__CEL_TYPE_DYN && type->kind != BERTH__CEL_TYPE_ERROR) {
        naming name = {.len = 0};
        name_type(&name, type);
        berth__cel_fault_add(c->source, range->at,
                             "expression of type '%s' cannot be range of a comprehension (must be "
                             "list, map, or dynamic)",
                             name.text);
        out[0] = out[1] = of(BERTH__CEL_TYPE_ERROR);
    }
}

/* The type of `condition ? a : b` in the expansion of a macro. */
static const berth__cel_type *step_condition(checker *c, const berth__cel_node *node,
                                             const berth__cel_type *condition,
                                             const berth__cel_type *a, const berth__cel_type *b)
{
    const berth__cel_type *args[] = {condition, a, b};
    return apply(c, node, berth__cel_function_find(BERTH_STR("_?_:_")), args, 3, false);
}

static const berth__cel_type *check_step(checker *c, berth__cel_node *node,
                                         const berth__cel_type *key)
{
    const berth__cel_type *last = NULL, *built = of(BERTH__CEL_TYPE_BOOL);
    for (uint32_t i = 1; i < node->arg_count; i++)
        last = check(c, node->args[i]);
    const berth__cel_node *body = node->args[node->arg_count - 1];
    switch (node->fold) {
    case BERTH__CEL_FOLD_ALL:
    case BERTH__CEL_FOLD_EXISTS:
        if (!berth__cel_type_assignable(&c->types, last, built))
            mismatch(c, body, built, last);
        return built;
    case BERTH__CEL_FOLD_EXISTS_ONE:
        step_condition(c, node, last, of(BERTH__CEL_TYPE_INT), of(BERTH__CEL_TYPE_INT));
        return built;
    case BERTH__CEL_FOLD_LIST:
        built = wrap(c, BERTH__CEL_TYPE_LIST, last);
        break;
    case BERTH__CEL_FOLD_MAP:
        built = berth__cel_type_make(&c->types, BERTH__CEL_TYPE_MAP, key, last);
        break;
    default: {
        const berth__cel_type *map =
            berth__cel_type_make(&c->types, BERTH__CEL_TYPE_MAP, berth__cel_type_fresh(&c->types),
                                 berth__cel_type_fresh(&c->types));
        const berth__cel_type *args[] = {map, last};
        built =
            apply(c, node, berth__cel_function_find(BERTH_STR("cel.@mapInsert")), args, 2, false);
        break;
    }
    }
    built = resolved(c, built);
    if (node->filters)
        step_condition(c, node, node->args[1]->type, built, built);
    return built;
}

static const berth__cel_type *check_fold(checker *c, berth__cel_node *node)
{
    const berth__cel_type *variables[2];
    const berth__cel_type *range = resolved(c, check(c, node->args[0]));
    range_types(c, node->args[0], range, node->two, variables);
    const scope *outer = c->names;
    scope first = {outer, node->variables[0], take_slot(c), variables[0]};
    scope second = {&first, node->variables[1], 0, variables[1]};
    node->slot = first.slot;
    c->names = &first;
    if (node->two) {
        second.slot = take_slot(c);
        c->names = &second;
    }
    const berth__cel_type *type = check_step(c, node, variables[0]);
    c->names = outer;
    c->slots = node->slot;
    return resolved(c, type);
}

/* Check cel.bind, and optMap and optFlatMap, whose variable is the value in an optional. */
static const berth__cel_type *check_bind(checker *c, berth__cel_node *node)
{
    const berth__cel_type *type = check(c, node->args[0]);
    if (node->fold != BERTH__CEL_FOLD_BIND)
        type = apply(c, node, berth__cel_function_find(BERTH_STR("value")), &type, 1, true);
    const scope *outer = c->names;
    scope inner = {outer, node->variables[0], take_slot(c), type};
    node->slot = inner.slot;
    c->names = &inner;
    const berth__cel_type *result = check(c, node->args[1]);
    c->names = outer;
    c->slots = node->slot;
    if (node->fold == BERTH__CEL_FOLD_BIND)
        return resolved(c, result);
    if (node->fold == BERTH__CEL_FOLD_OPT_MAP)
        result = wrap(c, BERTH__CEL_TYPE_OPTIONAL, result);
    const berth__cel_type *none =
        wrap(c, BERTH__CEL_TYPE_OPTIONAL, berth__cel_type_fresh(&c->types));
    return step_condition(c, node, of(BERTH__CEL_TYPE_BOOL), resolved(c, result), none);
}

static const berth__cel_type *check(checker *c, berth__cel_node *node)
{
    static const berth__cel_type *(*const by_kind[])(checker *, berth__cel_node *) = {
        [BERTH__CEL_NODE_NAME] = check_name, [BERTH__CEL_NODE_SELECT] = check_select,
        [BERTH__CEL_NODE_CALL] = check_call, [BERTH__CEL_NODE_LIST] = check_list,
        [BERTH__CEL_NODE_MAP] = check_map,   [BERTH__CEL_NODE_FOLD] = check_fold,
        [BERTH__CEL_NODE_BIND] = check_bind,
    };
    node->type = node->kind == BERTH__CEL_NODE_CONSTANT ? of(node->constant.kind)
                                                        : by_kind[node->kind](c, node);
    return node->type;
}

static bool may_be_verdict(berth__cel_release release, berth__cel_type_kind kind)
{
    return kind == BERTH__CEL_TYPE_BOOL || kind == BERTH__CEL_TYPE_ANY ||
           (kind == BERTH__CEL_TYPE_DYN && release >= BERTH__CEL_1_37);
}

berth_str berth__cel_check(berth__cel_source *source, const berth_allocator *allocator,
                           berth__cel_node *root)
{
    checker c = {.source = source};
    berth_str problem = {0};
    berth__cel_types_init(&c.types, allocator, source->arena);
    const berth__cel_type *type = berth__cel_type_resolve(&c.types, check(&c, root), true);
    if (source->fault_count == 0)
        check_uniform(&c, root);
    if (c.types.steps == 0)
        berth__cel_fault_add(source, root->at, "its types are too large");
    if (source->fault_count == 0 && !may_be_verdict(source->release, type->kind)) {
        enum { TEXT_MAX = NAME_MAX + 64 };
        naming name = {.runtime = true};
        char text[TEXT_MAX];
        bool fine = true;
        name_type(&name, type);
        int len = snprintf(text, sizeof(text), "must evaluate to bool or the unknown type, not %s",
                           name.text);
        problem = berth__arena_str(source->arena, (berth_str){text, (uint32_t)len}, &fine);
        source->no_memory = source->no_memory || !fine;
    }
    source->no_memory = source->no_memory || c.types.no_memory;
    berth__cel_types_destroy(&c.types);
    return problem;
}
