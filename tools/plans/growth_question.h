/* Answers a whole question about growth: places the pods that fit the present cluster, finds nodes
 * for the rest, and finds nodes that are not needed. */
#ifndef BERTH_TOOLS_GROWTH_QUESTION_H
#define BERTH_TOOLS_GROWTH_QUESTION_H

#include "loading/cluster_input.h"
#include "plans/growth_report.h"

enum { GROWTH_EFFORT = 1000 }; /* thousands of decisions, unless the caller says otherwise */

/* Zeroed: no question. */
typedef struct growth_question {
    berth_engine *engine; /* must keep objects; afterwards it is in the state after the plan */
    cluster_input *input; /* of the engine */
    const engine_setup *setup;
    text_list shape_texts;
    uint64_t effort;          /* thousands of decisions */
    bool keep;                /* do not look for nodes that could be removed */
    berth_cancel_flag cancel; /* NULL, or ends the search with BERTH_E_CANCELLED */
    growth_answer answer;
    /* while the question is answered */
    berth_node_id *nodes; /* the cluster's nodes */
    uint32_t node_count;
    node_shapes shapes;
    growth growth;
    shrink shrink;
} growth_question;

/* Fill the answer. Errors: those of the engine and of the shapes. */
berth_status growth_question_answer(growth_question *g, berth_error *error);
void growth_question_free(growth_question *g);

#endif
