/* Macros: calls that stand for a loop over a range, a test of presence, or a variable. */
#include "cel/syntax.h"

typedef struct macro {
    const char *name;
    uint32_t args; /* not counting the range */
    berth__cel_fold fold;
    bool two, filters;
} macro;

static const macro macros[] = {
    {"all", 2, BERTH__CEL_FOLD_ALL, false, false},
    {"exists", 2, BERTH__CEL_FOLD_EXISTS, false, false},
    {"exists_one", 2, BERTH__CEL_FOLD_EXISTS_ONE, false, false},
    {"map", 2, BERTH__CEL_FOLD_LIST, false, false},
    {"map", 3, BERTH__CEL_FOLD_LIST, false, true},
    {"filter", 2, BERTH__CEL_FOLD_LIST, false, true},
    {"all", 3, BERTH__CEL_FOLD_ALL, true, false},
    {"exists", 3, BERTH__CEL_FOLD_EXISTS, true, false},
    {"exists_one", 3, BERTH__CEL_FOLD_EXISTS_ONE, true, false},
    {"existsOne", 3, BERTH__CEL_FOLD_EXISTS_ONE, true, false},
    {"transformList", 3, BERTH__CEL_FOLD_LIST, true, false},
    {"transformList", 4, BERTH__CEL_FOLD_LIST, true, true},
    {"transformMap", 3, BERTH__CEL_FOLD_MAP, true, false},
    {"transformMap", 4, BERTH__CEL_FOLD_MAP, true, true},
    {"transformMapEntry", 3, BERTH__CEL_FOLD_MAP_ENTRY, true, false},
    {"transformMapEntry", 4, BERTH__CEL_FOLD_MAP_ENTRY, true, true},
    {"optMap", 2, BERTH__CEL_FOLD_OPT_MAP, false, false},
    {"optFlatMap", 2, BERTH__CEL_FOLD_OPT_FLAT_MAP, false, false},
};

static bool is_name(const berth__cel_node *node)
{
    return node->kind == BERTH__CEL_NODE_NAME;
}

static berth__cel_node *has(berth__cel_source *source, berth__cel_node *call)
{
    berth__cel_node *of = call->args[0];
    if (of->kind != BERTH__CEL_NODE_SELECT || of->optional) {
        berth__cel_fault_add(source, of->at, "invalid argument to has() macro");
        return call;
    }
    of->test = true;
    of->at = call->at;
    return of;
}

static berth__cel_node *bind(berth__cel_source *source, berth__cel_node *call)
{
    berth__cel_node *name = call->args[1];
    if (!is_name(name)) {
        berth__cel_fault_add(source, name->at,
                             "cel.bind() variable names must be simple identifiers");
        return call;
    }
    call->kind = BERTH__CEL_NODE_BIND;
    call->fold = BERTH__CEL_FOLD_BIND;
    call->variables[0] = name->name;
    call->args++;
    call->args[0] = call->args[1];
    call->args[1] = call->args[2];
    call->arg_count = 2;
    return call;
}

static const macro *find(const berth__cel_node *call)
{
    for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++) {
        if (macros[i].args + 1 == call->arg_count && berth__str_is(call->name, macros[i].name))
            return &macros[i];
    }
    return NULL;
}

static const char *complaint(const macro *m)
{
    if (m->fold == BERTH__CEL_FOLD_OPT_MAP)
        return "optMap() variable name must be a simple identifier";
    if (m->fold == BERTH__CEL_FOLD_OPT_FLAT_MAP)
        return "optFlatMap() variable name must be a simple identifier";
    if (!m->two && m->fold == BERTH__CEL_FOLD_LIST)
        return "argument is not an identifier";
    return "argument must be a simple name";
}

static bool variables(berth__cel_source *source, berth__cel_node *call, const macro *m)
{
    uint32_t count = m->two ? 2 : 1;
    for (uint32_t i = 0; i < count; i++) {
        berth__cel_node *name = call->args[1 + i];
        if (!is_name(name)) {
            berth__cel_fault_add(source, name->at, "%s", complaint(m));
            return false;
        }
        call->variables[i] = name->name;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (berth__str_is(call->variables[i], "__result__")) {
            berth__cel_fault_add(source, call->args[1 + i]->at,
                                 "iteration variable overwrites accumulator variable");
            return false;
        }
    }
    if (m->two && berth__str_eq(call->variables[0], call->variables[1])) {
        berth__cel_fault_add(source, call->args[2]->at, "duplicate variable name: %.*s",
                             (int)call->variables[0].len, call->variables[0].data);
        return false;
    }
    return true;
}

static berth__cel_node *fold(berth__cel_source *source, berth__cel_node *call, const macro *m)
{
    if (!variables(source, call, m))
        return call;
    bool optional = m->fold == BERTH__CEL_FOLD_OPT_MAP || m->fold == BERTH__CEL_FOLD_OPT_FLAT_MAP;
    bool itself = berth__str_is(call->name, "filter");
    call->kind = optional ? BERTH__CEL_NODE_BIND : BERTH__CEL_NODE_FOLD;
    call->fold = m->fold;
    call->two = m->two;
    call->filters = m->filters;
    berth__cel_node *variable = call->args[1], *range = call->args[0];
    uint32_t skip = m->two ? 2 : 1;
    call->args += skip;
    call->args[0] = range;
    call->arg_count -= skip;
    if (itself) { /* filter(x, p) is map(x, p, x) */
        berth__cel_node *copy = berth__cel_node_make(source, BERTH__CEL_NODE_NAME, variable->at, 0);
        if (copy == NULL)
            return NULL;
        copy->name = variable->name;
        call->args[2] = copy;
        call->arg_count = 3;
    }
    return call;
}

berth__cel_node *berth__cel_expand(berth__cel_source *source, berth__cel_node *call)
{
    if (!call->member) {
        bool is_has = berth__str_is(call->name, "has") && call->arg_count == 1;
        return is_has ? has(source, call) : call;
    }
    const berth__cel_node *target = call->args[0];
    if (is_name(target) && berth__str_is(target->name, "cel") && call->arg_count == 4 &&
        berth__str_is(call->name, "bind"))
        return bind(source, call);
    const macro *m = find(call);
    return m == NULL ? call : fold(source, call, m);
}
