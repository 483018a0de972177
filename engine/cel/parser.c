/* Expressions to trees: precedence climbing, so that only brackets and `? :` recurse. */
#include "base/assert.h"
#include "cel/syntax.h"

#define EXPRESSION_BEGINS                                                          \
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, " \
    "NUM_UINT, STRING, BYTES, IDENTIFIER}"

/* Any two pending nodes have an operator or a punctuation mark between them, so even the longest
 * text has no more of them. */
enum { NESTED_MAX = 250, HELD_MAX = BERTH__CEL_TEXT_MAX / 2 + 1 };

typedef struct parser {
    berth__cel_source *source;
    berth__cel_token token; /* the next token */
    uint32_t at;            /* the byte after it */
    uint32_t nested;
    bool broken;                        /* after this fault nothing sensible can follow */
    berth__cel_node *pending[HELD_MAX]; /* elements of the open lists */
    uint32_t pending_count;
} parser;

static berth__cel_node *expression(parser *p);

static void advance(parser *p)
{
    p->token = berth__cel_lex(p->source, &p->at);
}

static bool at_sign(const parser *p, const char *sign)
{
    return p->token.kind == BERTH__CEL_SIGN && berth__str_is(p->token.text, sign);
}

static bool take(parser *p, const char *sign)
{
    if (!at_sign(p, sign))
        return false;
    advance(p);
    return true;
}

static berth_str shown(const parser *p)
{
    return p->token.kind == BERTH__CEL_END ? BERTH_STR("<EOF>") : p->token.text;
}

static void *unexpected(parser *p, const char *expected)
{
    berth_str text = shown(p);
    if (!p->broken && !p->source->no_memory)
        berth__cel_fault_add(p->source, p->token.at,
                             "Syntax error: mismatched input '%.*s' expecting %s", (int)text.len,
                             text.data, expected);
    p->broken = true;
    return NULL;
}

/* Expect a punctuation mark, such as a closing bracket. */
static bool expect(parser *p, const char *sign, const char *others)
{
    if (p->broken)
        return false;
    if (take(p, sign))
        return true;
    berth_str text = shown(p);
    if (others != NULL)
        unexpected(p, others);
    else
        berth__cel_fault_add(p->source, p->token.at, "Syntax error: missing '%s' at '%.*s'", sign,
                             (int)text.len, text.data);
    p->broken = true;
    return false;
}

berth__cel_node *berth__cel_node_make(berth__cel_source *source, berth__cel_node_kind kind,
                                      uint32_t at, uint32_t arg_count)
{
    berth__cel_node *node =
        berth__arena_alloc_zero(source->arena, sizeof(*node), _Alignof(berth__cel_node));
    berth__cel_node **args =
        berth__arena_alloc_zero(source->arena, (arg_count + 1) * sizeof(*args), sizeof(*args));
    if (node == NULL || args == NULL) {
        source->no_memory = true;
        return NULL;
    }
    node->kind = kind;
    node->at = at;
    node->args = args;
    node->arg_count = arg_count;
    node->depth = 1;
    return node;
}

/* Set the depth of a node from its parts. Returns false if it is too deep. */
static bool measure(parser *p, berth__cel_node *node)
{
    for (uint32_t i = 0; i < node->arg_count; i++) {
        if (node->depth <= node->args[i]->depth)
            node->depth = (uint16_t)(node->args[i]->depth + 1);
    }
    if (node->depth <= BERTH__CEL_DEPTH_MAX)
        return true;
    berth__cel_fault_add(p->source, node->at, "expression is nested more than %d deep",
                         BERTH__CEL_DEPTH_MAX);
    p->broken = true;
    return false;
}

static bool hold(parser *p, berth__cel_node *node)
{
    if (node == NULL)
        return false;
    BERTH_ASSERT(p->pending_count < HELD_MAX);
    p->pending[p->pending_count++] = node;
    return true;
}

/* Make a node of all pending nodes since `first`. */
static berth__cel_node *gather(parser *p, berth__cel_node_kind kind, uint32_t at, uint32_t first)
{
    uint32_t count = p->pending_count - first;
    berth__cel_node *node = p->broken ? NULL : berth__cel_node_make(p->source, kind, at, count);
    if (node != NULL && count > 0)
        memcpy(node->args, p->pending + first, count * sizeof(*node->args));
    p->pending_count = first;
    return node != NULL && measure(p, node) ? node : NULL;
}

static berth__cel_node *constant(parser *p, berth__cel_value value, uint32_t at)
{
    berth__cel_node *node = berth__cel_node_make(p->source, BERTH__CEL_NODE_CONSTANT, at, 0);
    if (node != NULL)
        node->constant = value;
    return node;
}

/* Make a call of the function `name` on the nodes pending since `first`, or expand the macro of
 * that name. */
static berth__cel_node *call(parser *p, berth_str name, uint32_t at, uint32_t first, bool member)
{
    berth__cel_node *node = gather(p, BERTH__CEL_NODE_CALL, at, first);
    if (node == NULL)
        return NULL;
    node->name = name;
    node->member = member;
    node = berth__cel_expand(p->source, node);
    return node;
}

static berth__cel_node *operation(parser *p, const char *name, uint32_t at, berth__cel_node *a,
                                  berth__cel_node *b)
{
    uint32_t first = p->pending_count;
    if (!hold(p, a) || (b != NULL && !hold(p, b))) {
        p->pending_count = first;
        return NULL;
    }
    return call(p, berth__text_of(name), at, first, false);
}

/* Read elements up to a closing bracket. Each may be marked optional. */
static bool elements(parser *p, const char *close, bool optional, bool trailing)
{
    if (take(p, close))
        return true;
    if (trailing && take(p, ",")) /* [,] is an empty list */
        return expect(p, close, NULL);
    do {
        if (trailing && take(p, close))
            return true;
        bool marked = optional && take(p, "?");
        berth__cel_node *node = expression(p);
        if (!hold(p, node))
            return false;
        node->mapped = marked;
    } while (take(p, ","));
    return expect(p, close, *close == ']' ? "{']', ','}" : "{')', ','}");
}

static berth__cel_node *list(parser *p)
{
    uint32_t at = p->token.at, first = p->pending_count;
    advance(p);
    if (!elements(p, "]", true, true)) {
        p->pending_count = first;
        return NULL;
    }
    return gather(p, BERTH__CEL_NODE_LIST, at, first);
}

static bool pair(parser *p)
{
    bool marked = take(p, "?");
    berth__cel_node *key = expression(p);
    if (!hold(p, key) || !expect(p, ":", "':'"))
        return false;
    berth__cel_node *value = expression(p);
    if (!hold(p, value))
        return false;
    value->mapped = marked;
    return true;
}

static berth__cel_node *map(parser *p)
{
    uint32_t at = p->token.at, first = p->pending_count;
    advance(p);
    bool empty = take(p, ","), fine = !empty || expect(p, "}", NULL); /* {,} is an empty map */
    bool done = empty || take(p, "}");
    while (!done && fine) {
        fine = pair(p);
        if (fine && !take(p, ",")) {
            fine = expect(p, "}", "{'}', ','}");
            break;
        }
        done = fine && take(p, "}");
    }
    if (!fine) {
        p->pending_count = first;
        return NULL;
    }
    return gather(p, BERTH__CEL_NODE_MAP, at, first);
}

static bool is_reserved(berth_str name)
{
    static const char *const reserved[] = {
        "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
        "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};
    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
        if (berth__str_is(name, reserved[i]))
            return true;
    }
    return false;
}

static bool is_keyword(berth_str name)
{
    return berth__str_is(name, "true") || berth__str_is(name, "false") ||
           berth__str_is(name, "null");
}

static berth__cel_node *named(parser *p)
{
    bool rooted = take(p, ".");
    berth__cel_token token = p->token;
    if (token.kind != BERTH__CEL_WORD || (rooted && is_keyword(token.text)))
        return unexpected(p, "IDENTIFIER");
    advance(p);
    if (berth__str_is(token.text, "true"))
        return constant(p, berth__cel_bool(true), token.at);
    if (berth__str_is(token.text, "false"))
        return constant(p, berth__cel_bool(false), token.at);
    if (berth__str_is(token.text, "null"))
        return constant(p, (berth__cel_value){.kind = BERTH__CEL_TYPE_NULL}, token.at);
    if (is_reserved(token.text))
        berth__cel_fault_add(p->source, token.at, "reserved identifier: %.*s", (int)token.text.len,
                             token.text.data);
    uint32_t at = p->token.at, first = p->pending_count;
    if (take(p, "(")) {
        if (!elements(p, ")", false, false)) {
            p->pending_count = first;
            return NULL;
        }
        return call(p, token.text, at, first, false);
    }
    berth__cel_node *node = berth__cel_node_make(p->source, BERTH__CEL_NODE_NAME, token.at, 0);
    if (node != NULL)
        node->name = token.text;
    return node;
}

static berth__cel_node *literal(parser *p)
{
    berth__cel_token token = p->token;
    if (token.bad != NULL)
        berth__cel_fault_add(p->source, token.at, "%s", token.bad);
    advance(p);
    return p->source->no_memory ? NULL : constant(p, token.value, token.at);
}

static berth__cel_node *primary(parser *p)
{
    switch (p->token.kind) {
    case BERTH__CEL_NUMBER:
    case BERTH__CEL_TEXT:
        return literal(p);
    case BERTH__CEL_WORD:
        return named(p);
    default:
        break;
    }
    if (at_sign(p, "."))
        return named(p);
    if (at_sign(p, "["))
        return list(p);
    if (at_sign(p, "{"))
        return map(p);
    if (take(p, "(")) {
        berth__cel_node *inner = expression(p);
        return inner != NULL && expect(p, ")", NULL) ? inner : NULL;
    }
    return unexpected(p, EXPRESSION_BEGINS);
}

/* After a dot: a field, or a call of a member. */
static berth__cel_node *member(parser *p, berth__cel_node *target, uint32_t dot)
{
    bool optional = take(p, "?");
    berth__cel_token name = p->token;
    berth_str text = shown(p);
    if (name.kind != BERTH__CEL_WORD) {
        berth__cel_fault_add(p->source, name.at,
                             "Syntax error: no viable alternative at input '.%.*s'", (int)text.len,
                             text.data);
        p->broken = true;
        return NULL;
    }
    if (is_keyword(name.text))
        return unexpected(p, "IDENTIFIER");
    advance(p);
    uint32_t at = p->token.at, first = p->pending_count;
    if (!optional && take(p, "(")) {
        if (!hold(p, target) || !elements(p, ")", false, false)) {
            p->pending_count = first;
            return NULL;
        }
        return call(p, name.text, at, first, true);
    }
    if (!hold(p, target))
        return NULL;
    berth__cel_node *node = gather(p, BERTH__CEL_NODE_SELECT, dot, first);
    if (node != NULL) {
        node->name = name.text;
        node->optional = optional;
    }
    return node;
}

static berth__cel_node *postfix(parser *p)
{
    berth__cel_node *node = primary(p);
    while (node != NULL && !p->broken) {
        uint32_t at = p->token.at;
        if (take(p, ".")) {
            node = member(p, node, at);
        } else if (take(p, "[")) {
            bool optional = take(p, "?");
            berth__cel_node *index = expression(p);
            if (index == NULL || !expect(p, "]", NULL))
                return NULL;
            node = operation(p, optional ? "_[?_]" : "_[_]", at, node, index);
        } else {
            break;
        }
    }
    return node;
}

/* A number with a minus sign in front of it, which is at `sign`. */
static berth__cel_node *negative(parser *p, uint32_t sign)
{
    berth__cel_value *value = &p->token.value;
    if (value->kind == BERTH__CEL_TYPE_DOUBLE) {
        value->real = -value->real;
    } else if (p->token.bad != NULL && berth__str_is(p->token.text, "9223372036854775808")) {
        p->token.bad = NULL;
        value->integer = INT64_MIN;
    } else {
        value->integer = (int64_t)(0 - (uint64_t)value->integer);
    }
    p->token.at = sign;
    return postfix(p);
}

static berth__cel_node *unary(parser *p)
{
    uint32_t at = p->token.at, count = 0, last = at;
    const char *sign = at_sign(p, "!") ? "!" : "-";
    while (at_sign(p, sign)) {
        last = p->token.at;
        advance(p);
        count++;
    }
    bool number = p->token.kind == BERTH__CEL_NUMBER && *sign == '-' &&
                  p->token.value.kind != BERTH__CEL_TYPE_UINT;
    if (count == 1 && number)
        return negative(p, last);
    if (count > 0 && *sign == '!' && at_sign(p, "-")) { /* only a number may follow */
        last = p->token.at;
        advance(p);
        if (p->token.kind != BERTH__CEL_NUMBER)
            return unexpected(p, "{NUM_FLOAT, NUM_INT}");
        berth__cel_node *node = negative(p, last);
        return node == NULL || count % 2 == 0 ? node : operation(p, "!_", at, node, NULL);
    }
    berth__cel_node *node = postfix(p);
    if (node == NULL || count % 2 == 0)
        return node;
    return operation(p, *sign == '!' ? "!_" : "-_", at, node, NULL);
}

typedef struct infix {
    const char *sign, *name;
    int binds;
} infix;

static const infix infixes[] = {
    {"==", "_==_", 1}, {"!=", "_!=_", 1}, {"<", "_<_", 1},  {"<=", "_<=_", 1},
    {">", "_>_", 1},   {">=", "_>=_", 1}, {"in", "@in", 1}, {"+", "_+_", 2},
    {"-", "_-_", 2},   {"*", "_*_", 3},   {"/", "_/_", 3},  {"%", "_%_", 3},
};

static const infix *infix_at(const parser *p)
{
    for (size_t i = 0; i < sizeof(infixes) / sizeof(infixes[0]); i++) {
        if (at_sign(p, infixes[i].sign))
            return &infixes[i];
    }
    return NULL;
}

/* Parse operators that bind at least as tightly as `least`. */
static berth__cel_node *binary(parser *p, int least)
{
    berth__cel_node *left = unary(p);
    for (;;) {
        const infix *op = left != NULL && !p->broken ? infix_at(p) : NULL;
        if (op == NULL || op->binds < least)
            return left;
        uint32_t at = p->token.at;
        advance(p);
        berth__cel_node *right = binary(p, op->binds + 1);
        left = right == NULL ? NULL : operation(p, op->name, at, left, right);
    }
}

/* Parse operands that are joined by `sign`. All of them become the arguments of one call. */
static berth__cel_node *joined(parser *p, berth__cel_node *(*operand)(parser *), const char *sign,
                               berth_str name)
{
    berth__cel_node *node = operand(p);
    uint32_t first = p->pending_count, at = p->token.at;
    if (node == NULL || !at_sign(p, sign))
        return node;
    while (hold(p, node) && take(p, sign))
        node = operand(p);
    if (node == NULL)
        p->pending_count = first;
    return node == NULL ? NULL : call(p, name, at, first, false);
}

static berth__cel_node *relation(parser *p)
{
    return binary(p, 1);
}

static berth__cel_node *all_of(parser *p)
{
    return joined(p, relation, "&&", BERTH_STR("_&&_"));
}

static berth__cel_node *any_of(parser *p)
{
    return joined(p, all_of, "||", BERTH_STR("_||_"));
}

static berth__cel_node *choice(parser *p)
{
    berth__cel_node *node = any_of(p);
    uint32_t first = p->pending_count, at = p->token.at;
    if (node == NULL || !take(p, "?"))
        return node;
    bool fine =
        hold(p, node) && hold(p, any_of(p)) && expect(p, ":", "':'") && hold(p, expression(p));
    if (!fine) {
        p->pending_count = first;
        return NULL;
    }
    return call(p, BERTH_STR("_?_:_"), at, first, false);
}

static berth__cel_node *expression(parser *p)
{
    if (p->nested == NESTED_MAX) {
        if (!p->broken)
            berth__cel_fault_add(p->source, p->token.at, "expression recursion limit exceeded: %d",
                                 NESTED_MAX);
        p->broken = true;
        return NULL;
    }
    p->nested++;
    berth__cel_node *node = choice(p);
    p->nested--;
    return node;
}

berth__cel_node *berth__cel_parse(berth__cel_source *source)
{
    parser *p = berth__arena_alloc(source->arena, sizeof(*p), _Alignof(parser));
    if (p == NULL) {
        source->no_memory = true;
        return NULL;
    }
    memset(p, 0, sizeof(*p));
    p->source = source;
    advance(p);
    berth__cel_node *node = expression(p);
    if (node != NULL && !p->broken && p->token.kind != BERTH__CEL_END) {
        berth_str text = shown(p);
        berth__cel_fault_add(source, p->token.at,
                             "Syntax error: extraneous input '%.*s' expecting <EOF>", (int)text.len,
                             text.data);
    }
    return source->fault_count > 0 || source->no_memory ? NULL : node;
}
