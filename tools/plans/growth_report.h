/* Shows the answer of a growth: to people as tables, to programs as JSON or YAML. */
#ifndef BERTH_TOOLS_GROWTH_REPORT_H
#define BERTH_TOOLS_GROWTH_REPORT_H

#include <stdio.h>

#include "cli/output.h"
#include "plans/growth.h"
#include "plans/shrink.h"

/* Pods that stay without a node for one reason. */
typedef struct growth_left {
    uint32_t reason; /* index in `reasons` */
    berth_pod_id pod;
} growth_left;

/* A new node as filled by the plan, before pods of removable nodes move to it. */
typedef struct growth_filled {
    uint32_t pods;
    double use[2]; /* requested shares of cpu and memory */
} growth_filled;

typedef struct growth_answer {
    const growth *growth; /* its plan has been carried out */
    const shrink *shrink; /* NULL: not requested */
    const prices *prices; /* prices of instance types; if set, prices of shapes are per hour */
    uint64_t pending;
    uint64_t passed_over; /* pods of no scheduler of the configuration */
    uint64_t fitted;      /* pods that fit the present cluster */
    uint64_t unfitted;
    growth_filled *filled;  /* indexed like growth->added */
    berth_node_id *planned; /* indexed like growth->pods: the pod's node in the plan, or none */
    growth_left *left;      /* pods without a node in the end */
    size_t left_count;
    word_table reasons;
    double seconds;
} growth_answer;

/* Record the result of the plan, which has been carried out. Find which of the `count` pods without
 * room in the cluster still have no node, and why. Call this before looking for removable nodes,
 * which moves pods. Errors: those of the engine. */
berth_status growth_answer_pods(growth_answer *a, const berth_pod_id *pods, uint64_t count,
                                berth_error *error);
void growth_answer_free(growth_answer *a);

/* `summary_only` omits single nodes and pods. */
void growth_print(const growth_answer *a, FILE *file, bool summary_only);

/* Print only one table, in the form of all tables: the shapes or, if none is given, the nodes and
 * which of them could be removed. */
void growth_print_list(const growth_answer *a, FILE *file);
void growth_write(const growth_answer *a, FILE *file, output_format format, bool summary_only);

#endif
