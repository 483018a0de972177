/* Label sets, and the things that match them: requirements, label selectors, node selectors. Texts
 * are interned, so matching compares ids; only Gt and Lt read digits.
 * Source of the rules: apimachinery v0.32, labels/selector.go, apis/meta/v1/helpers.go;
 * component-helpers scheduling/corev1/nodeaffinity. */
#ifndef BERTH_MODEL_LABELS_H
#define BERTH_MODEL_LABELS_H

#include "base/intern.h"
#include "berth/objects.h"

/* Whether a text is a qualified name ([prefix/]name), or a legal label value.
 * Source: apimachinery v0.32, util/validation. */
bool berth__is_qualified_name(berth_str name);
bool berth__is_label_value(berth_str value);

typedef struct berth__label {
    berth__sym key;
    berth__sym value;
} berth__label;

/* Sorted by key id, each key once. */
typedef struct berth__labels {
    const berth__label *items;
    uint32_t count;
} berth__labels;

/* Intern a map into `arena`. The last of several equal keys wins. */
berth__labels berth__labels_make(berth__intern *strings, berth__arena *arena, berth_map map,
                                 bool *ok);

/* Make a set of labels in any order; sorts them in place. The last of several equal keys wins. */
berth__labels berth__labels_of(berth__arena *arena, berth__label *items, uint32_t count, bool *ok);

/* The annotations of `map` whose keys are among `keys`, as labels. */
berth__labels berth__annotations_make(berth__intern *strings, berth__arena *arena, berth_strs keys,
                                      berth_map map, bool *ok);

/* The value under `key`, or 0. */
berth__sym berth__labels_get(berth__labels labels, berth__sym key);

bool berth__labels_equal(berth__labels a, berth__labels b);

typedef enum berth__op {
    BERTH__OP_IN,
    BERTH__OP_NOT_IN,
    BERTH__OP_EXISTS,
    BERTH__OP_NOT_EXISTS,
    BERTH__OP_GREATER,
    BERTH__OP_LESS,
} berth__op;

typedef struct berth__interned_requirement {
    berth__sym key;
    berth__op op;
    const berth__sym *values; /* of In and NotIn, sorted */
    uint32_t value_count;
    int64_t number; /* of Gt and Lt */
} berth__interned_requirement;

/* Whether a label value (0: the key is absent) meets a requirement. */
bool berth__requirement_meets(const berth__intern *strings,
                              const berth__interned_requirement *requirement, berth__sym value);

/* A label selector. INVALID ones match nothing and carry kube-scheduler's error text. */
typedef enum berth__selector_kind {
    BERTH__SELECTOR_NOTHING,    /* nil */
    BERTH__SELECTOR_EVERYTHING, /* {} */
    BERTH__SELECTOR_REQUIREMENTS,
    BERTH__SELECTOR_INVALID,
} berth__selector_kind;

typedef struct berth__selector {
    berth__selector_kind kind;
    uint32_t count;
    const berth__interned_requirement *items;
    berth_str problem; /* of an INVALID one */
} berth__selector;

/* Compile a selector (NULL: nil) into `arena`. */
berth__selector berth__selector_make(berth__intern *strings, berth__arena *arena,
                                     const berth_label_selector *selector, bool *ok);

/* A copy that shares nothing with the selector. */
berth__selector berth__selector_copy(berth__arena *arena, const berth__selector *source, bool *ok);
berth__labels berth__labels_copy(berth__arena *arena, berth__labels labels, bool *ok);

/* The In requirement that finds what a selector matches with the fewest candidates, or NULL: the
 * one with the fewest values. Among equals, the one whose first value was interned last, because
 * few objects can have that label value yet: for a ReplicaSet, the hash of its template. */
const berth__interned_requirement *berth__selector_anchor(const berth__selector *selector);

bool berth__selector_matches(const berth__intern *strings, const berth__selector *selector,
                             berth__labels labels);

/* A copy of `selector` with the requirement key = value added (topology spread's
 * matchLabelKeys); nil stays nil. */
berth__selector berth__selector_and(berth__arena *arena, const berth__selector *selector,
                                    berth__sym key, berth__sym value, bool *ok);

/* One term of a node selector. */
typedef struct berth__node_term {
    bool valid;             /* false: matches nothing */
    bool expressions_valid; /* matchExpressions only; v1.15 scores by these */
    bool empty;             /* both lists are empty: matches nothing */
    const berth__interned_requirement *expressions;
    uint32_t expression_count;
    /* In or NotIn, one value; the key is metadata.name, or 0 for any other */
    const berth__interned_requirement *fields;
    uint32_t field_count;
} berth__node_term;

typedef struct berth__interned_node_selector {
    const berth__node_term *terms;
    uint32_t count;
} berth__interned_node_selector;

berth__node_term berth__node_term_make(berth__intern *strings, berth__arena *arena,
                                       const berth_node_selector_term *term, bool *ok);
berth__interned_node_selector berth__node_selector_make(berth__intern *strings, berth__arena *arena,
                                                        const berth_node_selector *selector,
                                                        bool *ok);

/* Whether a node of that name and those labels meets a term. */
bool berth__node_term_meets(const berth__intern *strings, const berth__node_term *term,
                            berth__sym name, berth__labels labels);

/* The same for terms joined by OR; a selector without terms matches nothing. */
bool berth__node_selector_meets(const berth__intern *strings,
                                const berth__interned_node_selector *selector, berth__sym name,
                                berth__labels labels);

#endif
