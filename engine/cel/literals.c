/* Prepares patterns and conversions of literals once, when the expression is compiled. */
#include "cel/literals.h"

#include <stdio.h>

#include "cel/regex.h"

typedef struct looking {
    berth__cel *cel;
    berth__cel_source *source;
    uint32_t capacity;
    berth_status status;
} looking;

static bool is_call(const berth__cel_node *node, const char *name)
{
    return node->kind == BERTH__CEL_NODE_CALL && strcmp(node->function->name, name) == 0;
}

static bool is_text(const berth__cel_node *node)
{
    return node->kind == BERTH__CEL_NODE_CONSTANT && node->constant.kind == BERTH__CEL_TYPE_STRING;
}

static bool keep(looking *l, berth__cel_pattern *pattern)
{
    berth__cel *cel = l->cel;
    if (cel->pattern_count == l->capacity) {
        uint32_t more = l->capacity == 0 ? 4 : 2 * l->capacity;
        berth__cel_pattern **patterns = berth__arena_alloc(
            &cel->arena, more * sizeof(berth__cel_pattern *), sizeof(berth__cel_pattern *));
        if (patterns == NULL) {
            berth__cel_pattern_destroy(pattern);
            l->status = BERTH_E_NOMEM;
            return false;
        }
        if (cel->pattern_count > 0)
            memcpy(patterns, cel->patterns, cel->pattern_count * sizeof(berth__cel_pattern *));
        cel->patterns = patterns;
        l->capacity = more;
    }
    cel->patterns[cel->pattern_count++] = pattern;
    return true;
}

static void problem(looking *l, berth_str why)
{
    enum { TEXT_MAX = 512 };
    char text[TEXT_MAX];
    bool fine = true;
    int len =
        snprintf(text, sizeof(text), "program instantiation failed: %.*s", (int)why.len, why.data);
    uint32_t kept = len < TEXT_MAX ? (uint32_t)len : TEXT_MAX - 1;
    if (l->cel->problem.len == 0)
        l->cel->problem = berth__arena_str(&l->cel->arena, (berth_str){text, kept}, &fine);
    if (!fine)
        l->status = BERTH_E_NOMEM;
}

static void pattern(looking *l, berth__cel_node *node)
{
    berth__cel_node *text = node->args[1];
    berth__cel_pattern *compiled = NULL;
    berth__cel_pattern_problem why;
    if (!berth__cel_pattern_known()) {
        berth__cel_fault_add(l->source, node->at,
                             "this library was built without regular expressions");
        return;
    }
    if (!is_text(text))
        return;
    switch (berth__cel_pattern_compile(text->constant.text, &compiled, &why)) {
    case BERTH_OK:
        if (keep(l, compiled))
            node->pattern = compiled;
        break;
    case BERTH_E_NOMEM:
        l->status = BERTH_E_NOMEM;
        break;
    default:
        if (is_call(node, "matches") && node->member)
            berth__cel_fault_add(l->source, text->at, "invalid matches argument");
        else
            problem(l, berth__text_of(why.text));
        break;
    }
}

static bool is_conversion(const berth__cel_node *node)
{
    static const char *const names[] = {"int", "uint", "double", "bool", "string", "bytes", "dyn"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (is_call(node, names[i]))
            return node->args[0]->kind == BERTH__CEL_NODE_CONSTANT;
    }
    return false;
}

static bool is_literal(const berth__cel_node *node)
{
    if (node->kind != BERTH__CEL_NODE_LIST && node->kind != BERTH__CEL_NODE_MAP)
        return false;
    for (uint32_t i = 0; i < node->arg_count; i++) {
        if (node->args[i]->kind != BERTH__CEL_NODE_CONSTANT || node->args[i]->mapped)
            return false;
    }
    return true;
}

/* int("12") becomes a literal itself, and int("abc") is known to fail. The same holds for lists of
 * literals. */
static void conversion(looking *l, berth__cel_node *node)
{
    berth__cel_run run = {.arena = &l->cel->arena, .release = l->cel->release};
    berth__cel_node copy = *node;
    berth__cel_value value = berth__cel_node_value(&run, &copy);
    if (run.no_memory) {
        l->status = BERTH_E_NOMEM;
    } else if (berth__cel_failed(value)) {
        problem(l, value.text);
    } else {
        node->kind = BERTH__CEL_NODE_CONSTANT;
        node->constant = value;
        node->arg_count = 0;
    }
}

/* Report a literal key whose type no key can have. */
static void key(looking *l, const berth__cel_node *node)
{
    enum { TEXT_MAX = 64 };
    char text[TEXT_MAX];
    const berth__cel_node *index = node->args[1];
    if (index->kind != BERTH__CEL_NODE_CONSTANT)
        return;
    switch (index->constant.kind) {
    case BERTH__CEL_TYPE_NULL:
    case BERTH__CEL_TYPE_BYTES:
    case BERTH__CEL_TYPE_LIST:
    case BERTH__CEL_TYPE_MAP:
    case BERTH__CEL_TYPE_TYPE:
        snprintf(text, sizeof(text), "invalid qualifier type: %s",
                 berth__cel_go_type(index->constant));
        problem(l, berth__text_of(text));
        break;
    default:
        break;
    }
}

static void look(looking *l, berth__cel_node *node)
{
    for (uint32_t i = 0; i < node->arg_count; i++)
        look(l, node->args[i]);
    if (is_call(node, "matches") || is_call(node, "find") || is_call(node, "findAll"))
        pattern(l, node);
    else if (is_call(node, "_[_]"))
        key(l, node);
    else if (is_literal(node) || (node->kind == BERTH__CEL_NODE_CALL && is_conversion(node)))
        conversion(l, node);
}

berth_status berth__cel_literals_prepare(berth__cel *cel, berth__cel_source *source,
                                         berth__cel_node *root)
{
    looking l = {.cel = cel, .source = source};
    look(&l, root);
    return l.status;
}
