/* Parses a selector by recursive descent: one function per form of condition. Source of the forms
 * and of what they match: kubernetes v1.36 apimachinery/pkg/labels/selector.go. */
#include "plans/label_query.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "cli/words.h"

typedef struct label_parser {
    const char *at;
    char *problem;
} label_parser;

static void skip_space(label_parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool take(label_parser *p, const char *mark)
{
    skip_space(p);
    if (strncmp(p->at, mark, strlen(mark)) != 0)
        return false;
    p->at += strlen(mark);
    return true;
}

/* Reads a key or a value, which may be empty. */
static berth_str take_word(label_parser *p)
{
    skip_space(p);
    const char *start = p->at;
    while (isalnum((unsigned char)*p->at) || (*p->at != '\0' && strchr("-_./", *p->at) != NULL))
        p->at++;
    return (berth_str){start, (uint32_t)(p->at - start)};
}

static bool fail(label_parser *p, const char *wanted)
{
    skip_space(p);
    if (*p->at == '\0')
        snprintf(p->problem, LABEL_PROBLEM_BYTES, "%s is missing at its end", wanted);
    else
        snprintf(p->problem, LABEL_PROBLEM_BYTES, "%s is missing before '%.40s'", wanted, p->at);
    return false;
}

static void add_value(label_condition *c, berth_str value)
{
    c->values = heap_grow(c->values, &c->value_capacity, c->value_count + 1, sizeof(*c->values));
    c->values[c->value_count++] = value;
}

/* Reads "(v, w)". */
static bool take_set(label_parser *p, label_condition *c)
{
    if (!take(p, "("))
        return fail(p, "'('");
    do
        add_value(c, take_word(p));
    while (take(p, ","));
    return take(p, ")") || fail(p, "')'");
}

static bool read_number(berth_str text, int64_t *out)
{
    char copy[32];
    char *end;
    if (text.len == 0 || text.len >= sizeof(copy))
        return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    errno = 0;
    long long number = strtoll(copy, &end, 10);
    *out = number;
    return errno == 0 && *end == '\0';
}

/* Reads the part after the key. */
static bool take_test(label_parser *p, label_condition *c)
{
    if (take(p, "!=")) {
        c->test = LABEL_NOT_IN;
        add_value(c, take_word(p));
    } else if (take(p, "==") || take(p, "=")) {
        c->test = LABEL_IN;
        add_value(c, take_word(p));
    } else if (take(p, ">") || take(p, "<")) {
        c->test = p->at[-1] == '>' ? LABEL_ABOVE : LABEL_BELOW;
        return read_number(take_word(p), &c->bound) || fail(p, "a whole number");
    } else {
        berth_str op = take_word(p);
        c->test = words_equal(op, words_of("notin")) ? LABEL_NOT_IN : LABEL_IN;
        if (op.len == 0)
            c->test = LABEL_EXISTS;
        else if (c->test == LABEL_NOT_IN || words_equal(op, words_of("in")))
            return take_set(p, c);
        else
            p->at = op.data; /* a second word: the caller reports the missing comma */
    }
    return true;
}

static bool take_condition(label_parser *p, label_query *q)
{
    q->conditions = heap_grow(q->conditions, &q->capacity, q->count + 1, sizeof(*q->conditions));
    label_condition *c = &q->conditions[q->count++];
    *c = (label_condition){.test = LABEL_EXISTS};
    bool absent = take(p, "!");
    c->key = take_word(p);
    if (c->key.len == 0)
        return fail(p, "a label's name");
    if (!absent)
        return take_test(p, c);
    c->test = LABEL_ABSENT;
    return true;
}

bool label_query_parse(label_query *q, const char *text, char problem[LABEL_PROBLEM_BYTES])
{
    label_parser p = {.at = text, .problem = problem};
    do
        if (!take_condition(&p, q))
            return false;
    while (take(&p, ","));
    skip_space(&p);
    return *p.at == '\0' || fail(&p, "a comma");
}

/* ---- matching ---- */

static bool is_among(const label_condition *c, berth_str value)
{
    for (size_t i = 0; i < c->value_count; i++)
        if (words_equal(c->values[i], value))
            return true;
    return false;
}

static bool holds(const label_condition *c, berth_str label)
{
    bool there = label.data != NULL;
    int64_t number = 0;
    switch (c->test) {
    case LABEL_IN:
        return there && is_among(c, label);
    case LABEL_NOT_IN:
        return !there || !is_among(c, label);
    case LABEL_EXISTS:
        return there;
    case LABEL_ABSENT:
        return !there;
    case LABEL_ABOVE:
        return there && read_number(label, &number) && number > c->bound;
    case LABEL_BELOW:
        return there && read_number(label, &number) && number < c->bound;
    }
    return false;
}

bool label_query_matches(const label_query *q, const berth_engine *engine, berth_node_id node)
{
    for (size_t i = 0; i < q->count; i++)
        if (!holds(&q->conditions[i], berth_engine_node_label(engine, node, q->conditions[i].key)))
            return false;
    return true;
}

void label_query_free(label_query *q)
{
    for (size_t i = 0; i < q->count; i++)
        free(q->conditions[i].values);
    free(q->conditions);
    *q = (label_query){.count = 0};
}
