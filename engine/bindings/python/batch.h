/* What the Python package does in C: many calls of the library for one of Python, their results in
 * columns that Python's arrays hold. Private to the extension.
 *
 * Owner: arrays are the caller's, of as many entries as the call is given pods or nodes; a list
 * (berth_py_ids, berth_py_text) is begun with zeros, grows by malloc and is freed by its _free.
 * Threads: those of the engine, snapshot or scheduler that is handed in; none touches Python.
 * Errors: those of the calls of the library that are made; what was done before stays. */
#ifndef BERTH_BINDINGS_BATCH_H
#define BERTH_BINDINGS_BATCH_H

#include <berth/berth.h>

/* Ids in order of arrival. */
typedef struct berth_py_ids {
    uint64_t *items;
    uint64_t count, capacity;
} berth_py_ids;

void berth_py_ids_free(berth_py_ids *ids);

/* Copy ids that are nodes' into an array of their own width. */
void berth_py_narrow(const berth_py_ids *ids, uint32_t *out);

/* Texts one behind the other, each with a zero behind it. */
typedef struct berth_py_text {
    char *data;
    uint64_t bytes, capacity;
} berth_py_text;

void berth_py_text_free(berth_py_text *text);

/* ---- decisions ---- */

/* A column for each part of a placement. */
typedef struct berth_py_columns {
    uint8_t *verdicts;
    uint32_t *nodes;
    uint32_t *feasible;
    uint32_t *best;
    int64_t *totals;
} berth_py_columns;

typedef enum berth_py_decision {
    BERTH_PY_DECIDE = 0, /* decide alone */
    BERTH_PY_SCHEDULE,   /* and bind what is placed */
} berth_py_decision;

/* Decide on pods one after the other. `*done` receives how many were before the one that failed,
 * all if none did; `*placed` how many of them were placed. */
berth_status berth_py_decide(berth_engine *engine, berth_py_decision what, const uint64_t *pods,
                             uint64_t count, const berth_py_columns *out, uint64_t *done,
                             uint64_t *placed, berth_error *error);

/* berth_engine_schedule_group with its placements in columns; those behind the first that did not
 * fit are on no node, BERTH_VERDICT_UNSCHEDULABLE. */
berth_status berth_py_schedule_group(berth_engine *engine, const uint64_t *pods, uint32_t count,
                                     const berth_py_columns *out, uint32_t *placed,
                                     berth_error *error);

/* berth_engine_schedule_pods likewise; those that were not tried are on no node. */
berth_status berth_py_schedule_pods(berth_engine *engine, const uint64_t *pods, uint32_t count,
                                    uint32_t flags, uint32_t minimum, const berth_py_columns *out,
                                    uint32_t *fitted, berth_error *error);

/* Bind pods to nodes, or take them off theirs (`nodes` NULL). `*done` as above. */
berth_status berth_py_bind(berth_engine *engine, const uint64_t *pods, const uint32_t *nodes,
                           uint64_t count, uint64_t *done, berth_error *error);

/* Add pods like `like`, named by `names`: `count` texts, each with a zero behind it. */
berth_status berth_py_add_like(berth_engine *engine, berth_pod_id like, const char *names,
                               uint64_t count, uint64_t *pods, uint64_t *done, berth_error *error);

/* Remove pods by their ids. */
berth_status berth_py_remove_pods(berth_engine *engine, const uint64_t *pods, uint64_t count,
                                  uint64_t *done, berth_error *error);

/* ---- looking ---- */

/* An engine or a snapshot, the other one NULL. */
typedef struct berth_py_source {
    const berth_engine *engine;
    const berth_snapshot *snapshot;
} berth_py_source;

/* Names of nodes, and of pods ("namespace/name"), "" for what is unknown. */
berth_status berth_py_node_names(const berth_py_source *source, const uint32_t *nodes,
                                 uint64_t count, berth_py_text *out, berth_error *error);
berth_status berth_py_pod_names(const berth_py_source *source, const uint64_t *pods, uint64_t count,
                                berth_py_text *out, berth_error *error);

/* A label of each node; `has` tells absent from empty. */
berth_status berth_py_node_labels(const berth_py_source *source, const uint32_t *nodes,
                                  uint64_t count, berth_str key, uint8_t *has, berth_py_text *out,
                                  berth_error *error);

/* The node of each pod. */
void berth_py_pod_nodes(const berth_py_source *source, const uint64_t *pods, uint64_t count,
                        uint32_t *nodes);

/* One resource of each node. */
berth_status berth_py_node_resources(const berth_py_source *source, const uint32_t *nodes,
                                     uint64_t count, berth_str resource, int64_t *allocatable,
                                     int64_t *requested, berth_error *error);

/* The nodes of a snapshot in order of their ids, and its pods: those of a node, or the pending ones
 * with BERTH_NODE_NONE. */
berth_status berth_py_snapshot_nodes(const berth_snapshot *snapshot, berth_py_ids *out,
                                     berth_error *error);
berth_status berth_py_snapshot_pods(const berth_snapshot *snapshot, uint32_t node,
                                    berth_py_ids *out, berth_error *error);

/* An explanation in columns: `nodes` that fit with their `totals`; `scores`, as many for each
 * plugin as there are nodes, plugin after plugin; the refusals with the index of their plugin's and
 * their reasons' text in `texts`: reasons of refusal i are reasons[reason_ends[i - 1]] and on.
 * Freed by berth_py_explained_free. */
typedef struct berth_py_explained {
    uint32_t feasible_count, score_count, refusal_count, reason_count, text_count, victim_count;
    uint32_t *nodes;
    int64_t *totals;
    int64_t *scores;
    int64_t *raws; /* as `scores`; INT64_MIN where a plugin had no say */
    int64_t *weights;
    uint32_t *refused;
    uint32_t *plugins;
    uint8_t *codes;
    uint32_t *reason_ends;
    uint32_t *reasons;
    uint64_t *victims;
    berth_py_text texts;         /* of refusals, each once */
    berth_py_text score_plugins; /* names */
} berth_py_explained;

berth_status berth_py_explain(const berth_explanation *explanation, berth_py_explained *out,
                              berth_error *error);
void berth_py_explained_free(berth_py_explained *explained);

/* ---- objects in ---- */

typedef enum berth_py_change {
    BERTH_PY_ADD = 0,
    BERTH_PY_UPDATE,
    BERTH_PY_APPLY, /* update, or add what is not there */
    BERTH_PY_POST_ADD,
    BERTH_PY_POST_UPDATE,
    BERTH_PY_COPY, /* keep a copy: what a template of nodes is made of */
} berth_py_change;

/* Where objects go that a reader hands out, and what became of them. */
typedef struct berth_py_sink {
    berth_engine *engine;
    berth_scheduler *scheduler; /* NULL: to the engine itself */
    int64_t now_ns;
    berth_py_change change;
    uint64_t objects;
    berth_py_ids nodes, pods; /* added */
    berth_object **copies;
    uint64_t copy_count, copy_capacity;
} berth_py_sink;

void berth_py_sink_free(berth_py_sink *sink);

/* berth_reader_file, _text and _finish into a sink. */
berth_status berth_py_read_file(berth_reader *reader, const char *path, berth_py_sink *sink,
                                berth_error *error);
berth_status berth_py_read_text(berth_reader *reader, const char *text, uint64_t bytes,
                                const char *source, berth_py_sink *sink, berth_error *error);
berth_status berth_py_read_finish(berth_reader *reader, berth_py_sink *sink, berth_error *error);

/* berth_engine_add_nodes, the template made of the copies in a sink: one Node, its pods, and a
 * CSINode if there is one. */
berth_status berth_py_add_nodes(berth_engine *engine, const berth_py_sink *sink, uint32_t count,
                                uint32_t *nodes, berth_error *error);

/* ---- objects out ---- */

/* Append what berth_engine_dump writes, or the object of a pod, or of a node with
 * BERTH_POD_NONE. */
berth_status berth_py_dump(berth_engine *engine, berth_py_text *out, berth_error *error);
berth_status berth_py_object(const berth_engine *engine, uint64_t pod, uint32_t node,
                             berth_py_text *out, berth_error *error);

/* ---- the loop ---- */

/* A column for each part of a step. */
typedef struct berth_py_steps {
    uint8_t *kinds;
    uint64_t *pods;
    uint32_t *nodes;
    uint32_t *attempts;
    uint64_t *bindings;
} berth_py_steps;

/* Steps at one time until no pod is active, at most `count`; `*done` receives how many. It ends
 * early, once `*stop` is set by a callback. */
berth_status berth_py_run(berth_scheduler *scheduler, int64_t now_ns, uint64_t count,
                          const volatile uint8_t *stop, const berth_py_steps *out, uint64_t *done,
                          berth_error *error);

#endif
