/* The C part of the Python package: one call from Python makes many calls of the library and
 * returns their results in columns that Python arrays hold. Private to the extension.
 *
 * Owner: arrays belong to the caller and have an entry for each pod or node passed in; a list
 * (berth_py_ids, berth_py_text) starts as zeros, grows by malloc and is freed by its _free.
 * Threads: those of the engine, snapshot or scheduler passed in; no function touches Python.
 * Errors: those of the library calls made; work done before an error stays. */
#ifndef BERTH_BINDINGS_BATCH_H
#define BERTH_BINDINGS_BATCH_H

#include <berth/berth.h>

/* ---- the early end of calls ---- */

/* One call that can end early, between two pods, objects or steps, with BERTH_E_CANCELLED. Any
 * thread may set `cancel` to 1 while the call runs. A call of the main thread also ends early if
 * SIGINT (Ctrl-C) arrives and the process has a handler for it: the handler runs, too, so the
 * interpreter raises KeyboardInterrupt once C has returned. */
typedef struct berth_py_call {
    int32_t cancel;
    bool watched; /* SIGINT sets `cancel` */
    struct berth_py_call *outer;
} berth_py_call;

/* Let SIGINT end a call, and end that; main thread only. begin returns before the call itself
 * starts, so that the interpreter notices a SIGINT that came earlier. end does nothing for a call
 * that is not watched. Calls nest: a callback of one can make another. */
void berth_py_call_begin(berth_py_call *call);
void berth_py_call_end(berth_py_call *call);

/* ---- lists ---- */

/* Ids in order of arrival. */
typedef struct berth_py_ids {
    uint64_t *items;
    uint64_t count, capacity;
} berth_py_ids;

void berth_py_ids_free(berth_py_ids *ids);

/* Copy node ids into an array of the width of node ids. */
void berth_py_narrow(const berth_py_ids *ids, uint32_t *out);

/* Texts one after the other, each followed by a zero byte. */
typedef struct berth_py_text {
    char *data;
    uint64_t bytes, capacity;
} berth_py_text;

void berth_py_text_free(berth_py_text *text);

/* ---- decisions ---- */

/* A column for each field of a placement. */
typedef struct berth_py_columns {
    uint8_t *verdicts;
    uint32_t *nodes;
    uint32_t *feasible;
    uint32_t *best;
    int64_t *totals;
} berth_py_columns;

typedef enum berth_py_decision {
    BERTH_PY_DECIDE = 0, /* only decide */
    BERTH_PY_SCHEDULE,   /* decide, and bind placed pods */
} berth_py_decision;

/* Decide on pods one after the other. `*done` receives the number of pods before the one that
 * failed, or all; `*placed` the number of these pods that were placed. */
berth_status berth_py_decide(berth_engine *engine, const berth_py_call *call,
                             berth_py_decision what, const uint64_t *pods, uint64_t count,
                             const berth_py_columns *out, uint64_t *done, uint64_t *placed,
                             berth_error *error);

/* The evictions for a group, by position of the preemptor. Zeroed at first; the caller frees the
 * items by berth_py_evictions_free. */
typedef struct berth_py_eviction {
    uint64_t victim;
    uint32_t node, preemptor;
} berth_py_eviction;

typedef struct berth_py_evictions {
    berth_py_eviction *items;
    uint32_t count, capacity;
    bool failed; /* no memory for one of them */
} berth_py_evictions;

void berth_py_evictions_free(berth_py_evictions *evictions);

/* berth_engine_schedule_pods with its placements in columns. Pods that were not tried have no node
 * and BERTH_VERDICT_UNSCHEDULABLE. */
berth_status berth_py_schedule_pods(berth_engine *engine, const berth_py_call *call,
                                    const uint64_t *pods, uint32_t count, uint32_t flags,
                                    uint32_t minimum, const berth_py_columns *out,
                                    berth_py_evictions *evictions, uint32_t *fitted,
                                    berth_error *error);

/* berth_engine_fit_count_with. */
berth_status berth_py_fit_count(berth_engine *engine, const berth_py_call *call, uint64_t like,
                                uint32_t limit, uint32_t *nodes, berth_explanation *explanation,
                                uint32_t *count, berth_error *error);

/* Bind pods to nodes, or unbind them (`nodes` NULL). `*done` as in berth_py_decide. */
berth_status berth_py_bind(berth_engine *engine, const berth_py_call *call, const uint64_t *pods,
                           const uint32_t *nodes, uint64_t count, uint64_t *done,
                           berth_error *error);

/* Add pods like `like`. `names` has `count` texts, each followed by a zero byte. */
berth_status berth_py_add_like(berth_engine *engine, const berth_py_call *call, berth_pod_id like,
                               const char *names, uint64_t count, uint64_t *pods, uint64_t *done,
                               berth_error *error);

/* Remove pods by their ids. */
berth_status berth_py_remove_pods(berth_engine *engine, const berth_py_call *call,
                                  const uint64_t *pods, uint64_t count, uint64_t *done,
                                  berth_error *error);

/* ---- looking ---- */

/* An engine or a snapshot; the other one is NULL. */
typedef struct berth_py_source {
    const berth_engine *engine;
    const berth_snapshot *snapshot;
} berth_py_source;

/* Names of nodes, and of pods ("namespace/name"); "" for unknown ids. */
berth_status berth_py_node_names(const berth_py_source *source, const uint32_t *nodes,
                                 uint64_t count, berth_py_text *out, berth_error *error);
berth_status berth_py_pod_names(const berth_py_source *source, const uint64_t *pods, uint64_t count,
                                berth_py_text *out, berth_error *error);

/* A label of each node; `has` distinguishes absent from empty. */
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

/* The nodes of a snapshot in order of their ids, and its pods: those on a node, or with
 * BERTH_NODE_NONE the pending ones. */
berth_status berth_py_snapshot_nodes(const berth_snapshot *snapshot, berth_py_ids *out,
                                     berth_error *error);
berth_status berth_py_snapshot_pods(const berth_snapshot *snapshot, uint32_t node,
                                    berth_py_ids *out, berth_error *error);

/* An explanation in columns: the feasible `nodes` with their `totals`; `scores`, plugin after
 * plugin, an entry for each feasible node; the refusals, whose plugin and reasons are indices into
 * `texts`. The reasons of refusal i are reasons[reason_ends[i - 1]] up to reasons[reason_ends[i]].
 * berth_py_explained_free frees it. */
typedef struct berth_py_explained {
    uint32_t feasible_count, score_count, refusal_count, reason_count, text_count, victim_count;
    uint32_t *nodes;
    int64_t *totals;
    int64_t *scores;
    int64_t *raws; /* laid out as `scores`; INT64_MIN: the plugin did not score the node */
    int64_t *weights;
    uint32_t *refused;
    uint32_t *plugins;
    uint8_t *codes;
    uint32_t *reason_ends;
    uint32_t *reasons;
    uint64_t *victims;
    berth_py_text texts;         /* texts of refusals, each once */
    berth_py_text score_plugins; /* names */
} berth_py_explained;

berth_status berth_py_explain(const berth_explanation *explanation, berth_py_explained *out,
                              berth_error *error);
void berth_py_explained_free(berth_py_explained *explained);

/* ---- objects in ---- */

typedef enum berth_py_change {
    BERTH_PY_ADD = 0,
    BERTH_PY_UPDATE,
    BERTH_PY_APPLY, /* update, or add what is absent */
    BERTH_PY_POST_ADD,
    BERTH_PY_POST_UPDATE,
    BERTH_PY_COPY, /* keep a copy, for a template of nodes */
} berth_py_change;

/* The destination of the objects from a reader, and the results. */
typedef struct berth_py_sink {
    berth_engine *engine;
    berth_scheduler *scheduler; /* NULL: use the engine itself */
    int64_t now_ns;
    berth_py_change change;
    uint64_t objects;
    berth_py_ids nodes, pods; /* added */
    berth_object **copies;
    uint64_t copy_count, copy_capacity;
    berth_py_text notes; /* of the reader: for each, the texts that berth_py_hear_notes lists */
    uint32_t note_count;
} berth_py_sink;

/* Let a reader with these options put its notes into the sink, at most 1,000 of them. Texts of a
 * note: number of its kind, source, line, column, object, field, kind, apiVersion, namespace, name,
 * word, suggestion. A note is dropped if there is no memory for it. */
void berth_py_hear_notes(berth_py_sink *sink, berth_read_options *options);

void berth_py_sink_free(berth_py_sink *sink);

/* Let a call, which must live as long as the readers with these options, end them early. */
void berth_py_hear_cancel(const berth_py_call *call, berth_read_options *options);

/* berth_reader_file, _text and _finish, with the objects passed to a sink. */
berth_status berth_py_read_file(berth_reader *reader, const char *path, berth_py_sink *sink,
                                berth_error *error);
berth_status berth_py_read_text(berth_reader *reader, const char *text, uint64_t bytes,
                                const char *source, berth_py_sink *sink, berth_error *error);
berth_status berth_py_read_finish(berth_reader *reader, berth_py_sink *sink, berth_error *error);

/* berth_engine_add_nodes with a template made from the copies in a sink: one Node, its pods, and at
 * most one CSINode. */
berth_status berth_py_add_nodes(berth_engine *engine, const berth_py_sink *sink, uint32_t count,
                                uint32_t *nodes, berth_error *error);

/* ---- objects out ---- */

/* Append the output of berth_engine_dump; or the object of a pod, or with BERTH_POD_NONE that of a
 * node. */
berth_status berth_py_dump(berth_engine *engine, berth_py_text *out, berth_error *error);
berth_status berth_py_object(const berth_engine *engine, uint64_t pod, uint32_t node,
                             berth_py_text *out, berth_error *error);

/* ---- the loop ---- */

/* A column for each field of a step. */
typedef struct berth_py_steps {
    uint8_t *kinds;
    uint64_t *pods;
    uint32_t *nodes;
    uint32_t *attempts;
    uint64_t *bindings;
} berth_py_steps;

/* Take at most `count` steps at one point in time, until no pod is active; `*done` receives their
 * number. Ends early if a callback sets `*stop`. */
berth_status berth_py_run(berth_scheduler *scheduler, const berth_py_call *call, int64_t now_ns,
                          uint64_t count, const volatile uint8_t *stop, const berth_py_steps *out,
                          uint64_t *done, berth_error *error);

#endif
