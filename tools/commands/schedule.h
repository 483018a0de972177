/* berth schedule: its state, and how its answer is shown. */
#ifndef BERTH_TOOLS_SCHEDULE_H
#define BERTH_TOOLS_SCHEDULE_H

#include "cli/listing.h"
#include "cli/text_buffer.h"
#include "explain/reason_sets.h"
#include "loading/cluster_input.h"

/* The outcome for one pending pod. */
typedef struct outcome {
    berth_pod_id pod;
    berth_node_id node; /* BERTH_NODE_NONE: not placed */
    uint32_t message;   /* why not: index in `messages` or, if skipped, in the input's reasons */
    uint32_t brief;     /* the short form: index in `briefs` */
    bool skipped;       /* not tried */
    bool of_group;      /* placed with its PodGroup; no command explains a single pod of it */
    /* Preemption: the node, and the pods to evict there; BERTH_NODE_NONE: none. */
    berth_node_id nominated;
    uint32_t victim_count;
    size_t first_victim; /* index in `victims` */
} outcome;

/* The last pod that fitted nowhere, as long as no pod was placed after it: an equal pod is refused
 * for the same reasons, so that a workload of millions is explained once. */
typedef struct last_refused {
    bool valid;
    uint64_t kind; /* berth_pod_info.kind, and the priority */
    int32_t priority;
    uint32_t message, brief, set;
} last_refused;

typedef struct schedule {
    engine_setup setup;
    cluster_input input;
    listing list;
    bool summary_only;
    berth_engine *engine;
    berth_explanation *explanation;
    outcome *outcomes;
    uint64_t outcome_count;
    size_t outcome_capacity;
    uint64_t bound_count;
    uint64_t preempting_count;
    berth_pod_id *victims;
    size_t victim_count;
    size_t victim_capacity;
    reason_sets sets;
    word_table briefs;
    word_table messages;
    uint64_t *message_counts;
    size_t message_capacity;
    uint64_t *skip_counts; /* by reason */
    uint64_t skipped_count;
    uint64_t indexed_count; /* decisions that the index made */
    last_refused last;
    double seconds; /* spent deciding */
} schedule;

/* The words of --sort. */
extern const char *const schedule_sorts[];

/* Decide again, with an explanation, about a pod that was not placed, and record why. Errors: those
 * of berth_engine_decide. */
berth_status schedule_explain(schedule *s, outcome *result, berth_error *error);

/* Record why a pod was not placed. */
void schedule_note_refusal(schedule *s, outcome *result, berth_str message);

/* Writes "-> n1 by evicting default/low1". */
void schedule_tell_preemption(const schedule *s, const outcome *result, text_buffer *out);

/* Write the answer of the command `name`. Errors: BERTH_E_NOMEM. */
berth_status schedule_show(const schedule *s, const char *name, berth_error *error);

#endif
