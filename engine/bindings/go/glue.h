/* The C functions that package berth calls: whole jobs in one crossing. Their results are in C
 * memory that belongs to one handle, so a call needs neither Go memory nor a pointer into a Go
 * stack. */
#ifndef BERTH_GO_GLUE_H
#define BERTH_GO_GLUE_H

#include <berth/berth.h>

/* Equal to package berth's Placement, field by field. */
typedef struct bg_placement {
    uint32_t verdict;
    uint32_t node;
    uint32_t feasible_count;
    uint32_t best_count;
    int64_t total;
    uint32_t path;
    uint32_t status; /* in a batch: the status of this decision */
} bg_placement;

/* Equal to package berth's Step. */
typedef struct bg_step {
    uint64_t pod;
    bg_placement placement;
    uint64_t binding;
    int64_t waited_ns;
    uint32_t kind;
    uint32_t nominated;
    uint32_t victim_count;
    uint32_t attempt;
} bg_step;

/* One engine or branch, with room for the results of its calls. */
typedef struct bg_box {
    berth_engine *engine;
    berth_scheduler *scheduler;
    berth_explanation *explanation; /* made at the first request */
    bg_placement placement;
    bg_step step;
    uint64_t pod;
    uint32_t node;
    uint32_t done; /* completed entries of a batch */
    int64_t amounts[2];
    berth_str texts[2];
    berth_counts counts;
    berth_memory memory;
    berth_pod_status status;
    berth_scheduler_counters counters;
    berth_backoff backoff; /* from the scheduler configuration; zeros: none */
    bool callback_broke;   /* a callback panicked: take no more steps in this batch */
    berth_fit fit;
    berth_statistics statistics;
    struct bg_flat *flat;
    int32_t cancel; /* not 0: end the present call; written by other threads, atomically */
    berth_error error;
} bg_box;

/* A refusal of a flattened explanation; its texts are indices into the table of bg_flat. */
typedef struct bg_refusal {
    uint32_t node;
    uint32_t plugin;
    uint32_t code;
    uint32_t first_reason;
    uint32_t reason_count;
} bg_refusal;

/* The raw score where a plugin did not score a node. */
#define BG_NO_RAW_SCORE INT64_MIN

/* An explanation as arrays. */
typedef struct bg_flat {
    uint32_t feasible_count, score_count, refusal_count, reason_count, text_count, victim_count;
    uint32_t *feasible;
    int64_t *totals;
    int64_t *scores, *raws; /* score_count rows of feasible_count; BG_NO_RAW_SCORE */
    int64_t *weights;
    uint32_t *score_plugins;
    bg_refusal *refusals;
    uint32_t *reasons;
    uint64_t *victims;
    berth_str *texts;
    berth_str pre_filter, message;
    uint32_t nominated;
    void *memory; /* the one allocation that holds the arrays */
} bg_flat;

/* The configuration of an engine. */
typedef struct bg_open {
    uint32_t threads, path, huge_pages, kubernetes, attached_volumes_max;
    uint64_t seed, memory_limit_bytes;
    bool bind_workers, keep_objects, check_plugins;
    berth_strs annotation_keys;
    berth_str feature_gates;
    berth_str configuration;        /* a KubeSchedulerConfiguration; absent: none */
    const char *configuration_file; /* or a file with one; NULL: none */
    const berth_plugin *const *plugins;
    uint32_t plugin_count;
} bg_open;

int bg_engine_open(const bg_open *open, bg_box **out, berth_error *error);
/* The filters of each profile of a configuration: lines of words, the scheduler's name first. The
 * caller frees the text. */
int bg_config_filters(const bg_open *open, char **out, berth_error *error);
bg_box *bg_box_new(berth_engine *engine);
void bg_box_free(bg_box *box);

/* ---- objects ---- */

int bg_add(bg_box *box, uint32_t kind, const void *object);
int bg_update(bg_box *box, uint32_t kind, const void *object);
int bg_remove(bg_box *box, uint32_t kind, berth_str namespace_name, berth_str name);
int bg_add_pods(bg_box *box, const berth_pod *pods, uint32_t count, uint64_t *ids);
int bg_add_nodes(bg_box *box, const berth_node *nodes, uint32_t count, uint32_t *ids);
int bg_add_like(bg_box *box, uint64_t like, const char *prefix, uint32_t len, uint32_t count,
                uint64_t first, uint64_t *ids);

/* Options for reading objects from a text or a file. */
typedef struct bg_load {
    const char *path;
    const char *source; /* the name of the text in errors */
    berth_str text;
    const char *namespace_name; /* for objects without one; NULL: "default" */
    bool apply_defaults, templates;
    uint32_t threads;
    bool hears;  /* keep the reader's notes */
    char *notes; /* freed by the caller: BG_NOTE_TEXTS texts for each, see BG_NOTE_TEXTS */
    uint64_t notes_bytes, notes_capacity;
    uint32_t note_count;
} bg_load;

/* Texts of a note, each followed by a zero byte: number of its kind, source, line, column, object,
 * field, kind, apiVersion, namespace, name, word, suggestion. */
enum { BG_NOTE_TEXTS = 12 };

int bg_load_objects(bg_box *box, bg_load *load);

uint64_t bg_find_pod(const bg_box *box, const char *space, uint32_t space_len, const char *name,
                     uint32_t name_len);
uint32_t bg_find_node(const bg_box *box, const char *name, uint32_t len);
void bg_node_names(const bg_box *box, const uint32_t *nodes, uint32_t count, berth_str *out);
void bg_pod_names(const bg_box *box, const uint64_t *pods, uint32_t count, berth_str *out);
void bg_pod_nodes(const bg_box *box, const uint64_t *pods, uint32_t count, uint32_t *out);
int bg_node_resources(bg_box *box, berth_str resource, const uint32_t *nodes, uint32_t count,
                      int64_t *allocatable, int64_t *requested);
int bg_pod_resource(bg_box *box, uint64_t pod, berth_str resource);

/* ---- decisions ---- */

int bg_schedule(bg_box *box, uint64_t pod);
int bg_decide(bg_box *box, uint64_t pod, uint32_t flags, bool explain);
int bg_schedule_many(bg_box *box, const uint64_t *pods, uint32_t count, bg_placement *out);
int bg_decide_many(bg_box *box, const uint64_t *pods, uint32_t count, uint32_t flags,
                   bg_placement *out);
int bg_schedule_group(bg_box *box, const uint64_t *pods, uint32_t count, bg_placement *out);
int bg_fit_count(bg_box *box, uint64_t like, uint32_t limit, uint32_t *nodes, bool explain);
int bg_bind_many(bg_box *box, const uint64_t *pods, const uint32_t *nodes, uint32_t count);
int bg_unbind_many(bg_box *box, const uint64_t *pods, uint32_t count);
int bg_flatten(bg_box *box);
void bg_flat_drop(bg_box *box);

/* Decide on and bind `count` pods as bg_schedule does, one call for each and no Go between them:
 * the baseline for the loop of single decisions. Returns the number of pods placed. */
uint32_t bg_c_loop(bg_box *box, const uint64_t *pods, uint32_t count);

int bg_fits(bg_box *box, uint64_t pod, uint32_t node, uint32_t flags);
int bg_feasible(bg_box *box, uint64_t pod, uint32_t *nodes, int64_t *totals, uint32_t capacity);

/* The evictions for a group; zeroed at first, freed by bg_evictions_free. */
typedef struct bg_eviction {
    uint64_t victim;
    uint32_t node, preemptor;
} bg_eviction;
typedef struct bg_evictions {
    bg_eviction *items;
    uint32_t count, capacity;
    bool failed; /* no memory for one */
} bg_evictions;

int bg_schedule_pods(bg_box *box, const uint64_t *pods, uint32_t count, uint32_t flags,
                     uint32_t minimum, bg_placement *out, bg_evictions *evictions);
void bg_evictions_free(bg_evictions *evictions);
int bg_add_group(bg_box *box, const berth_node *node, const berth_pod *pods, uint32_t pod_count,
                 const berth_csi_node *csi_node, uint32_t count, uint32_t *nodes);

/* ---- objects out ---- */

/* Pass objects as text, piece by piece, to bgGoPiece with the handle: bg_dump passes a List;
 * bg_objects passes a line for each object, with a letter for its kind (from 'A') and its JSON.
 * Errors: BERTH_E_STATE if bgGoPiece stops it. */
int bg_dump(bg_box *box, uintptr_t handle);
int bg_objects(bg_box *box, uintptr_t handle);

/* The object of one node or pod as JSON; bg_text_free frees the text. */
int bg_node_object(bg_box *box, uint32_t node, berth_str *out);
int bg_pod_object(bg_box *box, uint64_t pod, berth_str *out);
void bg_text_free(berth_str text);

/* A kind of refusal and its count. */
typedef struct bg_refused {
    berth_str plugin, reason;
    uint64_t count;
    uint32_t code;
} bg_refused;

void bg_refusals(const bg_box *box, bg_refused *out, uint32_t count);

/* ---- snapshots ---- */

void bg_snapshot_names(const berth_snapshot *snapshot, const uint32_t *nodes, uint32_t count,
                       berth_str *out);
void bg_snapshot_pod_names(const berth_snapshot *snapshot, const uint64_t *pods, uint32_t count,
                           berth_str *out);
uint32_t bg_snapshot_nodes(const berth_snapshot *snapshot, uint32_t *out, uint32_t capacity);
uint32_t bg_snapshot_pods(const berth_snapshot *snapshot, uint32_t node, uint64_t *out,
                          uint32_t capacity);
int bg_snapshot_resources(const berth_snapshot *snapshot, berth_str resource, const uint32_t *nodes,
                          uint32_t count, int64_t *allocatable, int64_t *requested,
                          berth_error *error);

/* ---- reading back ----
 *
 * From an engine or a snapshot; the other one is NULL. */

int bg_pod_info(const berth_engine *engine, const berth_snapshot *snapshot, uint64_t pod,
                berth_pod_info *out, berth_error *error);
void bg_pod_parts(const berth_engine *engine, const berth_snapshot *snapshot, uint64_t pod,
                  berth_key_value *labels, uint32_t label_count, berth_amount *requests,
                  uint32_t resource_count);
int bg_node_info(const berth_engine *engine, const berth_snapshot *snapshot, uint32_t node,
                 berth_node_info *out, berth_error *error);
void bg_node_parts(const berth_engine *engine, const berth_snapshot *snapshot, uint32_t node,
                   berth_key_value *labels, uint32_t label_count, berth_taint *taints,
                   uint32_t taint_count, berth_amount *amounts, uint32_t resource_count);
uint32_t bg_resource_names(const berth_engine *engine, const berth_snapshot *snapshot,
                           berth_str *out, uint32_t capacity);

/* ---- schedulers ---- */

/* Durations as in berth_scheduler_options; below 0: the default. */
typedef struct bg_scheduler_open {
    int64_t backoff_initial_ns, backoff_max_ns, unschedulable_max_ns, bind_timeout_ns, now_ns;
    uintptr_t handle;
    bool pace_evictions;
    bool has_bind, has_unbind, has_evict, has_report, has_notify;
} bg_scheduler_open;

int bg_scheduler_make(bg_box *box, const bg_scheduler_open *open);
int bg_scheduler_change(bg_box *box, int64_t now_ns, uint32_t kind, const void *object,
                        bool update);
int bg_scheduler_add_pods(bg_box *box, int64_t now_ns, const berth_pod *pods, uint32_t count,
                          uint64_t *ids);
int bg_scheduler_steps(bg_box *box, int64_t now_ns, bg_step *out, uint32_t capacity);
int bg_post(berth_scheduler *scheduler, uint32_t kind, const void *object, bool update,
            berth_error *error);

/* ---- plugins ---- */

/* A plugin whose functions are in Go, and the facts that it reads. Lives as long as its engine. */
typedef struct bg_plugin {
    berth_plugin table;
    uintptr_t handle;
    bool has_configure, has_prepare, has_reserve, has_unreserve;
    berth_str reason;
    uint32_t resource_count, node_label_count, pod_label_count;
    uint32_t node_annotation_count, pod_annotation_count;
    bool node_names, node_pods;
    bool reads_id; /* reads the pod and its priority */
    const berth_str *resources;
    const berth_str *node_labels;
    const berth_str *pod_labels;
    const berth_str *node_annotations;
    const berth_str *pod_annotations;
} bg_plugin;

/* The facts of a pod that a plugin reads. */
typedef struct bg_pod_facts {
    berth_str namespace_name;
    const int64_t *requests;
    const berth_str *labels;
    const berth_str *annotations;
    berth_str owner_uid, owner_kind, owner_name;
    uint64_t id; /* BERTH_POD_NONE: not read */
    int32_t priority;
} bg_pod_facts;

/* A pod on a node of a slice. The labels and annotations that the plugin reads of pods are in
 * pod_texts of bg_slice. */
typedef struct bg_node_pod {
    uint64_t id;
    berth_str namespace_name;
    int32_t priority;
} bg_node_pod;

/* One slice of nodes, laid out for one crossing. */
typedef struct bg_slice {
    uint32_t count;
    const uint32_t *nodes;
    uint64_t *mask;
    int64_t *values; /* NULL: a filter */
    const bg_pod_facts *pod;
    const int64_t *const *allocatable; /* a column for each resource; NULL: no node has it */
    const int64_t *const *requested;
    const berth_str *labels;      /* node_label_count rows of BERTH_SLICE */
    const berth_str *annotations; /* node_annotation_count rows */
    const berth_str *names;
    const uint32_t *domains; /* domain_count rows: the pods of each selection */
    uint32_t domain_count;
    const bg_node_pod *pods;    /* the pods of node i end at pod_ends[i] */
    const uint32_t *pod_ends;   /* NULL: not read, or no memory */
    const berth_str *pod_texts; /* for each pod in turn: labels, then annotations */
} bg_slice;

/* Request counts of pods by topology domain; Go calls this while it prepares a decision. Returns
 * false if there is no memory. */
bool bg_plugin_count(void *preparation, const berth_pod_selection *selections, uint32_t count);

/* Copies the first object of a text; NULL if there is none. */
int bg_read_one(berth_str json, berth_object **out, berth_error *error);

void bg_plugin_fill(bg_plugin *plugin, bool filters, bool scores);

#endif
