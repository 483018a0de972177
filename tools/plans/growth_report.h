/* The answer of a growth for people, as tables, and for programs, as JSON or YAML. */
#ifndef BERTH_TOOLS_GROWTH_REPORT_H
#define BERTH_TOOLS_GROWTH_REPORT_H

#include <stdio.h>

#include "cli/output.h"
#include "plans/growth.h"
#include "plans/shrink.h"

/* Pods that are left without a place for one reason. */
typedef struct growth_left {
    uint32_t reason; /* in `reasons` */
    berth_pod_id pod;
} growth_left;

/* A new node as the plan fills it, before pods of nodes that could go move to it. */
typedef struct growth_filled {
    uint32_t pods;
    double use[2]; /* shares of cpu and of memory that are requested */
} growth_filled;

typedef struct growth_answer {
    const growth *growth; /* carried out */
    const shrink *shrink; /* NULL: it was not asked */
    const prices *prices; /* of instance types; those of shapes are per hour where it has some */
    uint64_t pending;
    uint64_t passed_over; /* by any scheduler of the configuration */
    uint64_t fitted;      /* in the cluster as it is */
    uint64_t unfitted;
    growth_filled *filled;  /* by growth->added */
    berth_node_id *planned; /* by growth->pods: the node that the plan gives the pod, or none */
    growth_left *left;      /* pods that have no place in the end */
    size_t left_count;
    word_table reasons;
    double seconds;
} growth_answer;

/* Remember what the plan does, which has been carried out, and find which of the `count` pods that
 * the cluster had no room for have none now, and why. Call it before nodes are asked whether they
 * could go: that moves pods. Errors: those of the engine. */
berth_status growth_answer_pods(growth_answer *a, const berth_pod_id *pods, uint64_t count,
                                berth_error *error);
void growth_answer_free(growth_answer *a);

/* `summary_only` leaves out single nodes and pods. */
void growth_print(const growth_answer *a, FILE *file, bool summary_only);

/* One table alone, in the form that is settled: of the shapes, or, where none is given, of the
 * nodes and which of them could go. */
void growth_print_list(const growth_answer *a, FILE *file);
void growth_write(const growth_answer *a, FILE *file, output_format format, bool summary_only);

#endif
