/* Compares several sides: which pods differ between them. */
#ifndef BERTH_TOOLS_SIDE_COMPARISON_H
#define BERTH_TOOLS_SIDE_COMPARISON_H

#include "plans/cluster_side.h"

enum { COMPARISON_SIDES_MAX = 8 };

typedef struct comparison_side {
    char title[16];            /* "A", "before" */
    const char *config;        /* "default", or a file */
    const char *kubernetes;    /* NULL: the newest */
    const char *feature_gates; /* NULL: none */
    const text_list *files;    /* files of this side alone; NULL: none */
    cluster_side side;
    /* compared with the first side */
    uint64_t moved;      /* on another node */
    uint64_t gained;     /* placed here, not there */
    uint64_t lost;       /* placed there, not here */
    uint64_t here_alone; /* pods that the first side lacks */
    uint64_t there_alone;
    uint64_t unhoused; /* bound to a node that is not in the input, but not so on the first side */
    uint64_t worse;    /* see comparison_is_worse */
} comparison_side;

/* The change of a pod over all sides: the first of these that applies to any side. */
typedef enum pod_change {
    CHANGE_LOST,
    CHANGE_UNHOUSED, /* it is bound to a node that is not in the input */
    CHANGE_GAINED,
    CHANGE_MOVED,
    CHANGE_PRESENCE,
} pod_change;

extern const char *const pod_change_names[];

/* A pod that is not on a node of the same name on every side, or that some side lacks. */
typedef struct changed_pod {
    const side_pod *on[COMPARISON_SIDES_MAX]; /* NULL: the side lacks the pod */
    char *reason;                             /* of a side that does not place it; or NULL */
    pod_change change;
} changed_pod;

typedef struct comparison {
    comparison_side sides[COMPARISON_SIDES_MAX];
    size_t side_count;
    changed_pod *pods; /* sorted by change, namespace and name */
    size_t pod_count;
    size_t pod_capacity;
} comparison;

/* Find the differences between the sides, which have been made. Errors: those of deciding. */
berth_status comparison_make(comparison *c, berth_error *error);
void comparison_release(comparison *c);

/* Whether some side leaves a pod worse off than the first side: a pod with a node there moves, no
 * longer fits, is bound to a node that is not in the input, or is missing; or a pod that the first
 * side lacks does not fit. */
bool comparison_is_worse(const comparison *c);

/* The name and the node ("-": none) of a changed pod; zeroed for a side that lacks the pod. */
const side_pod *comparison_pod(const comparison *c, const changed_pod *pod);
berth_str comparison_node(const comparison *c, const changed_pod *pod, size_t side);

#endif
