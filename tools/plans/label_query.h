/* Label selectors as people type them after kubectl's -l: "zone=a,tier in (web, db),!spot". All
 * conditions must hold. */
#ifndef BERTH_TOOLS_LABEL_QUERY_H
#define BERTH_TOOLS_LABEL_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "berth/berth.h"

typedef enum label_test {
    LABEL_IN,     /* "k=v", "k==v", "k in (v, w)" */
    LABEL_NOT_IN, /* "k!=v", "k notin (v, w)": holds for nodes that lack the label, too */
    LABEL_EXISTS, /* "k" */
    LABEL_ABSENT, /* "!k" */
    LABEL_ABOVE,  /* "k>7" */
    LABEL_BELOW,  /* "k<7" */
} label_test;

typedef struct label_condition {
    label_test test;
    berth_str key;
    berth_str *values; /* LABEL_IN and LABEL_NOT_IN */
    size_t value_count;
    size_t value_capacity;
    int64_t bound; /* LABEL_ABOVE and LABEL_BELOW */
} label_condition;

/* Zeroed: no condition. Texts are borrowed from the parsed text. */
typedef struct label_query {
    label_condition *conditions;
    size_t count;
    size_t capacity;
} label_query;

enum { LABEL_PROBLEM_BYTES = 160 };

/* Parse a selector. If it is not valid, returns false and explains in `problem`. Free `q` in either
 * case. */
bool label_query_parse(label_query *q, const char *text, char problem[LABEL_PROBLEM_BYTES]);

/* Whether a node's labels meet all conditions. */
bool label_query_matches(const label_query *q, const berth_engine *engine, berth_node_id node);

void label_query_free(label_query *q);

#endif
