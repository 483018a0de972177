/* A replay's records of each pod in the cluster, and of each node, past or present. */
#ifndef BERTH_TOOLS_REPLAY_RECORDS_H
#define BERTH_TOOLS_REPLAY_RECORDS_H

#include <stdbool.h>

#include "berth/berth.h"
#include "berth/scheduler.h"
#include "traces/id_table.h"

#define RECORD_NONE UINT32_MAX

/* The final outcomes of pods. Each pod has exactly one. */
#define REPLAY_OUTCOME_LIST(X)                                                      \
    X(finished, "ran as long as it was to run")                                     \
    X(removed, "removed by the trace while on a node")                              \
    X(running, "on a node at the end")                                              \
    X(withdrawn, "left, or was removed by the trace, while it waited")              \
    X(waiting, "in the queue at the end")                                           \
    X(gated, "held by its scheduling gates at the end")                             \
    X(lost, "went with its node, and was not started again")                        \
    X(evicted, "made room for a pod of higher priority, and was not started again") \
    X(passed_over, "its schedulerName belongs to no profile")                       \
    X(terminating, "was being deleted, and on no node")

typedef enum replay_outcome {
#define X(name, text) OUTCOME_##name,
    REPLAY_OUTCOME_LIST(X)
#undef X
        OUTCOME_COUNT
} replay_outcome;

extern const char *const replay_outcome_names[OUTCOME_COUNT];
extern const char *const replay_outcome_texts[OUTCOME_COUNT];

typedef struct pod_record {
    berth_pod_id id;         /* of the present incarnation */
    berth_node_id node;      /* BERTH_NODE_NONE: waiting */
    uint32_t next, previous; /* list of the node, or of free records */
    uint32_t generation;     /* changes with each pod that uses the record */
    uint32_t run;            /* changes with each placement */
    bool live;
    bool on_way;         /* the binding is not confirmed yet */
    bool finish_pending; /* future events */
    bool leave_pending;
    uint32_t restarts;
    uint32_t attempts;    /* of earlier incarnations */
    int64_t submitted_ns; /* first submission */
    int64_t queued_ns;    /* submission of this incarnation */
    int64_t placed_ns;    /* last placement; TRACE_NEVER: never */
    int64_t duration_ns;
    berth_binding_id binding;    /* while on_way */
    berth_object *copy;          /* its own copy for another start, */
    const berth_object *made_of; /* or one that differs only in names */
} pod_record;

typedef enum node_state { NODE_UNKNOWN, NODE_PRESENT, NODE_FAILED, NODE_REMOVED } node_state;

typedef struct node_record {
    node_state state;
    uint32_t first_pod;
    uint32_t stamp; /* changes with each failure or return */
    uint32_t failures;
    bool return_pending;
    berth_object *copy; /* copy for its return */
} node_record;

/* Starts zeroed, except for first_free. */
typedef struct replay_records {
    pod_record *pods;
    size_t pod_count, pod_capacity; /* records that were ever used */
    uint32_t first_free;
    uint64_t live_count;
    id_table by_id;
    int64_t *amounts; /* rows of `width` */
    size_t amount_capacity;
    uint32_t width;
    node_record *nodes; /* by node id */
    size_t node_count, node_capacity;
} replay_records;

void replay_records_init(replay_records *records);
void replay_records_free(replay_records *records);

/* Make a record for a pod; returns its number. */
uint32_t replay_records_add_pod(replay_records *records, berth_pod_id id);
void replay_records_drop_pod(replay_records *records, uint32_t pod);
/* Record that the pod came back under another id. */
void replay_records_renew_pod(replay_records *records, uint32_t pod, berth_pod_id id);
/* The record of an id, or RECORD_NONE. */
static inline uint32_t replay_records_find(const replay_records *records, berth_pod_id id)
{
    return id_table_find(&records->by_id, id);
}

/* Put a record on the list of a node, or take it off. */
void replay_records_attach(replay_records *records, uint32_t pod, berth_node_id node);
void replay_records_detach(replay_records *records, uint32_t pod);

/* The record of a node, created if necessary. */
node_record *replay_records_node(replay_records *records, berth_node_id node);

/* A pod's row of amounts; `width` never shrinks. */
int64_t *replay_records_amounts(replay_records *records, uint32_t pod);
void replay_records_widen(replay_records *records, uint32_t width);

#endif
