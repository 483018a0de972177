/* Kubernetes text in and out: objects from JSON and YAML and back, quantities, scheduler
 * configurations. The only part of the library that knows JSON or YAML; it translates into
 * objects.h and profile.h. */
#ifndef BERTH_KUBE_H
#define BERTH_KUBE_H

#include "berth/engine.h"
#include "berth/kube_sized.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parse a quantity ("1500m", "1.5Gi", "1e3"). Threads: any.
 * Errors: E_PARSE, E_RANGE (magnitude of 2^63 or more; binary suffixes are capped instead).
 * Source: apimachinery v0.32, api/resource/quantity.go. */
BERTH_API berth_status berth_quantity_parse(berth_str text, berth_quantity *out,
                                            berth_error *error);

/* Write the canonical text of an amount of units ("1500m", "2Gi"), terminated, cut to `size`.
 * `binary` chooses Ki, Mi, ... where Kubernetes would. Returns the whole length. Threads: any. */
BERTH_API size_t berth_quantity_format(berth_quantity amount, bool binary, char *out, size_t size);

/* ---- objects ---- */

/* Called for each object read. The object and all it points to live until the call returns; the
 * object is as long as the maker of the reader knows it, or longer.
 * `origin` says where it stands (source, line, and object are set), to report a refusal.
 * Return BERTH_OK to go on; anything else ends the reading with that status and with `error`,
 * which is never NULL and the function's to fill. */
typedef berth_status (*berth_object_fn)(void *context, const berth_object *object,
                                        const berth_error *origin, berth_error *error);

/* What a reader has to say of an input that it reads all the same. */
typedef enum berth_note_kind {
    /* The object is of a kind that no rule reads. `suggestion`: the kind that is probably meant. */
    BERTH_NOTE_PASSED_OVER = 0,
    /* Kubernetes has no field `word` there (place->field says where); `suggestion`: one it has. */
    BERTH_NOTE_UNKNOWN_FIELD,
    /* No API server of the versions that Berth knows takes the kind under this apiVersion;
     * `suggestion`: under which it does. */
    BERTH_NOTE_API_VERSION,
    /* A workload that an API server has seen: its pods are taken to be in the input themselves. Not
     * of one that wants no pods, or has none by its status. `workload` has its number of replicas
     * (-1: none) and its kind and name. */
    BERTH_NOTE_NOT_EXPANDED,
    /* A pod's RuntimeClass `word` is not in the input: what it adds to the pod is missing. */
    BERTH_NOTE_RUNTIME_CLASS_MISSING,
    /* A RuntimeClass has been applied to a pod. */
    BERTH_NOTE_RUNTIME_CLASS,
    /* A pod's ResourceClaimTemplate `word` is not in the input: no claim is made of it. */
    BERTH_NOTE_CLAIM_TEMPLATE_MISSING,
    /* With `changes`: a workload that no API server has seen, whose pods are handed out next; those
     * of a DaemonSet at the end. `workload` says what it is beside the one that is there. */
    BERTH_NOTE_WORKLOAD,
    /* The key `word` stands more than once in a map (place->field says where). */
    BERTH_NOTE_DUPLICATE_KEY,
    /* A pod's PriorityClass `word` is not in the input: its priority is taken as 0. */
    BERTH_NOTE_PRIORITY_CLASS_MISSING,
    /* A workload's selector does not match the labels of its own template. */
    BERTH_NOTE_SELECTOR,
    /* No node admits pods of this DaemonSet: none is made. */
    BERTH_NOTE_NO_DAEMONS,
    /* Of a scheduler configuration: pluginConfig names a plugin `word` that kube-scheduler does not
     * have and that the profile does not enable. kube-scheduler ignores such arguments.
     * `suggestion`: a plugin that it has. */
    BERTH_NOTE_UNKNOWN_PLUGIN,
    /* With `changes`: a workload replaces an earlier one of the same kind, namespace and name, as
     * with `kubectl apply`. `word`: where the earlier one is, FILE:LINE. */
    BERTH_NOTE_REPLACES,
} berth_note_kind;

/* How new pods take the place of old ones. */
typedef enum berth_rollout {
    BERTH_ROLLOUT_ROLLING = 0, /* a few at a time; of workloads without a strategy, too */
    BERTH_ROLLOUT_RECREATE,    /* all old ones go first */
    BERTH_ROLLOUT_ON_DELETE,   /* old ones stay until somebody deletes them */
} berth_rollout;

/* A workload. */
typedef struct berth_workload_note {
    uint32_t size; /* of the struct as the library knows it; later versions append */
    /* The input has one of its kind, namespace and name that an API server has seen. */
    bool is_there;
    /* Of one that is there: the template of its pods says the same, defaults of the API server
     * aside. */
    bool same_template;
    /* Pods; where the manifest leaves it open, of the one that is there; -1: as many as nodes
     * admit. */
    int64_t wanted;
    /* What the pods will belong to: the workload itself, or the ReplicaSet or Job made of it. */
    berth_str owner_kind, owner_name;
    /* Of BERTH_NOTE_WORKLOAD: spec.strategy or spec.updateStrategy, with Kubernetes' defaults. */
    berth_rollout rollout;
    berth_count_or_percent max_surge, max_unavailable;
    int32_t partition; /* pods of a StatefulSet with a lower number stay as they are */
} berth_workload_note;

/* Owner: all of it lives until the function that it is handed to returns. */
typedef struct berth_note {
    uint32_t size; /* of the struct as the library knows it; later versions append */
    berth_note_kind what;
    const berth_error *place; /* source, line, object and field; neither code nor message */
    berth_str kind;
    berth_str api_version;
    berth_str namespace_name; /* that of the reader where the object names none */
    berth_str name;
    berth_str word;
    berth_str suggestion; /* absent: nothing that is near */
    berth_str text; /* of a PASSED_OVER kind that berth_read_options.whole_kinds lists: as JSON */
    const berth_workload_note *workload; /* of BERTH_NOTE_WORKLOAD and NOT_EXPANDED; else NULL */
    bool seen;                           /* the object comes from an API server: it has a uid */
} berth_note;

typedef void (*berth_note_fn)(void *context, const berth_note *note);

typedef struct berth_reader berth_reader;

/* How a reader reads. Owner: borrowed until berth_reader_create returns; the allocator, and the
 * context of `progress`, outlive the reader, as does that of `note`. */
typedef struct berth_read_options {
    uint32_t size; /* set by berth_read_options_init */
    /* Apply the API server's defaults (requests from limits, hostNetwork ports, priority class
     * values, what a RuntimeClass adds; default tolerations are not added). Off for objects taken
     * from an API server. */
    bool apply_defaults;
    /* Kind of an object that carries none, as inside the decision vectors; NULL: an error. */
    const char *default_kind;
    /* Of each workload hand out one pod, whatever number it asks for: what its pods are like. That
     * of a DaemonSet is pinned to no node. The origin of the pod then names the workload. */
    bool templates;
    /* Called now and then with the bytes consumed and the total (0 if unknown). May be NULL. */
    void (*progress)(void *context, uint64_t done_bytes, uint64_t total_bytes);
    void *progress_context;
    /* Threads that read, the caller's included. 1: everything is done on the caller's thread. 2 or
     * more: one helper reads, parses and partly decodes a JSON file or text ahead of the caller,
     * who still gets every callback on its own thread and in order; results and errors are the
     * same. The helper runs only within the call, blocks all signals, and is not started for small
     * inputs, YAML, pipes and terminals; more than one is never used. 0: 2 where the process may
     * use more than one core, else 1. */
    uint32_t threads;
    const berth_allocator *allocator; /* outlives the reader; NULL: malloc */
    /* Called, on the caller's thread and between the objects, with what is odd about the input.
     * Fields and versions are looked at in objects that never met an API server alone, and of pods
     * whose texts differ in name, uid and node once. NULL: nobody asks, and nothing is looked
     * at. */
    berth_note_fn note;
    void *note_context;
    const char *whole_kinds; /* "LimitRange,ResourceQuota"; NULL: none. See berth_note.text */
    /* Workloads that an API server has seen (they have a uid) become their pods, too, as do those
     * that have not. For inputs that hold workloads without their pods. */
    bool expand;
    /* Another reader, which outlives this one: PriorityClasses, RuntimeClasses and
     * ResourceClaimTemplates that it has read are known to this one, too. NULL: none. */
    const berth_reader *known;
    /* Workloads that no API server has seen wait for berth_reader_finish, as changes of those that
     * are there: each is told of with BERTH_NOTE_WORKLOAD. One that names no replicas wants as many
     * as the one that is there. */
    bool changes;
    /* Of objects that name no namespace, as in `kubectl apply -n`; NULL: "default". */
    const char *namespace_name;
} berth_read_options;

/* Fill `options` with the defaults, which are zero: an initialiser that sets `size` to
 * sizeof(berth_read_options) does as well. Threads: any. */
#define berth_read_options_init(options) \
    berth_read_options_init_sized((options), sizeof(*(options)))

/* A reader keeps what later documents refer to (PriorityClasses, RuntimeClasses,
 * ResourceClaimTemplates) and its buffers. `options` NULL:
 * the defaults. Owner: borrows `options` until return; the reader is the caller's. Errors: E_ARG
 * (the options' size), E_NOMEM. Threads: any. Cost: constant. destroy accepts NULL. */
BERTH_API void berth_reader_destroy(berth_reader *reader);

static inline berth_status berth_reader_create(const berth_read_options *options,
                                               berth_reader **out, berth_error *error)
{
    return berth_reader_create_sized(options, berth_object_sizes(), out, error);
}

/* Read a file: JSON or YAML, gzip or not; "-" is standard input. A text that begins with a bracket
 * is JSON, unless the first key of its first object lacks its double quotes: that is YAML in flow
 * style, as `{kind: Pod}`. Everything else is YAML. Lists are opened; Deployments, ReplicaSets,
 * StatefulSets, DaemonSets, Jobs, CronJobs become their pods (and the object itself where a plugin
 * reads it). Where the API server's defaults are applied, pods that it has not seen get the
 * ResourceClaims that their templates make, each handed out before its pod. Kinds that no rule
 * reads are passed over. A Status that tells of a failure, as an API server answers in place of
 * what was asked for, is an error. Lines are those of the object, or of the field that an error
 * names (YAML). Threads: one at a time. Errors: E_IO, E_PARSE, E_INVALID, E_RANGE, E_NOMEM, or the
 * callback's. Cost: linear in the text. */
BERTH_API berth_status berth_reader_file(berth_reader *reader, const char *path,
                                         berth_object_fn each, void *context, berth_error *error);

/* Read text in memory; `source` names it in errors. Everything else as above. */
BERTH_API berth_status berth_reader_text(berth_reader *reader, berth_str text, const char *source,
                                         berth_object_fn each, void *context, berth_error *error);

/* Hand out what had to wait for the end of the input: pods whose PriorityClass, RuntimeClass or
 * ResourceClaimTemplate came late, claims that StatefulSets make, and the pods of DaemonSets: one
 * for each node of `engine` that the template's nodeName, nodeSelector, required node affinity and
 * tolerations admit, pinned to it by a node affinity on metadata.name, as the DaemonSet controller
 * does. Call once after the last file. Threads: the reader's and the engine's. Errors: as above.
 * Cost: linear in what waited, and DaemonSets times nodes. */
BERTH_API berth_status berth_reader_finish(berth_reader *reader, berth_engine *engine,
                                           berth_object_fn each, void *context, berth_error *error);

/* Read a file, or text in memory, into an engine: berth_reader_file (or _text) and
 * berth_reader_finish with a callback that adds each object. `options` NULL: those of
 * berth_read_options_init with the API server's defaults applied, which is right for manifests and
 * for what comes from an API server. `*objects` (NULL: not asked for) receives how many objects
 * were added, pods that are over included; it is left alone on failure.
 *
 * Each call is complete by itself: pods of DaemonSets are made for the nodes that are there at its
 * end, and PriorityClasses of other calls are unknown. What belongs together goes into one text, or
 * through a reader of one's own.
 *
 * Errors: those of the reader and of berth_engine_add; the error names source, line, object and
 * field, as far as there are such. Objects before the one that failed stay: a transaction around
 * the call takes them back. Threads: the engine's. Cost: linear in the text. */
BERTH_API berth_status berth_engine_load_file(berth_engine *engine, const char *path,
                                              const berth_read_options *options, uint64_t *objects,
                                              berth_error *error);
BERTH_API berth_status berth_engine_load_text(berth_engine *engine, berth_str text,
                                              const char *source, const berth_read_options *options,
                                              uint64_t *objects, berth_error *error);

/* ---- text out ---- */

/* Called with the next piece of a text, which lives until the call returns. Return BERTH_OK to go
 * on; anything else ends the writing with that status and with `error`, which is never NULL and the
 * function's to fill. */
typedef berth_status (*berth_text_fn)(void *context, berth_str piece, berth_error *error);

/* Write an object as JSON, on one line and without a line break: the fields of objects.h that say
 * something, as a reader would read them. Owner: borrows `object` until return. Threads: any.
 * Errors: E_ARG (no object, an unknown kind, no function), E_NOMEM, and the function's. Cost:
 * linear in the object. */
static inline berth_status berth_object_write(const berth_object *object, berth_text_fn write,
                                              void *context, berth_error *error)
{
    return berth_object_write_sized(object, berth_object_sizes(), write, context, error);
}

/* Write all objects that an engine holds (berth_engine_objects in read.h says what of an engine
 * they are) as a v1 List of JSON, an object a line; into a file, which is replaced. Loaded into an
 * engine of the same configuration it makes one that decides as this one, and of which the same
 * text is written, byte for byte. (Loaded without the API server's defaults, berth_read_options:
 * defaults change what never had them.)
 *
 * What objects of Kubernetes have and the text has not: of nodes other annotations than rules read;
 * of pods creation time and such annotations, and uid where no claim goes by it; fields that no
 * rule reads, containers' commands among them. So it is for engines, simulators and bug reports,
 * not to be applied to a cluster. Of what is only known to be set (deletionTimestamp, the times of
 * disruptedPods) the time is the beginning of
 * 1970. Controllers want 0 replicas: their pods are there themselves.
 *
 * Threads: the engine's. Errors: E_ARG (no engine, function or path), those of
 * berth_engine_objects, the function's, E_IO. The file is an output file (output.h): on a failure
 * the old file stays. Cost: linear in the text, pieces of some 64 KiB at a time. */
BERTH_API berth_status berth_engine_dump(berth_engine *engine, berth_text_fn write, void *context,
                                         berth_error *error);
BERTH_API berth_status berth_engine_dump_file(berth_engine *engine, const char *path,
                                              berth_error *error);

/* ---- configuration ---- */

typedef struct berth_scheduler_config berth_scheduler_config;

/* Read a KubeSchedulerConfiguration: kubescheduler.config.k8s.io/v1, v1beta3 or v1alpha1 (with the
 * Policy it names, relative to the file; from memory, relative to the current folder), or a Policy
 * that stands alone. JSON or YAML, told apart as above. What it leaves out is as in Kubernetes
 * 1.`kubernetes` (32 to 36; 0: the newest). Errors: E_IO, E_PARSE, E_INVALID (the field
 * is named), E_UNSUPPORTED (another version or kind, extenders, a Policy in a ConfigMap),
 * E_NOMEM. Owner: the configuration is the caller's, freed by destroy, which accepts NULL; it owns
 * its profiles. Threads: any. Cost: linear in the text. */
BERTH_API berth_status berth_scheduler_config_file(const char *path, uint32_t kubernetes,
                                                   berth_scheduler_config **out,
                                                   berth_error *error);
BERTH_API berth_status berth_scheduler_config_text(berth_str text, const char *source,
                                                   uint32_t kubernetes,
                                                   berth_scheduler_config **out,
                                                   berth_error *error);
BERTH_API void berth_scheduler_config_destroy(berth_scheduler_config *config);

/* Call `note` for everything odd in a configuration that was read all the same, in the order of the
 * text: BERTH_NOTE_UNKNOWN_PLUGIN. Owner: as berth_note says. Threads: any. Cost: linear in the
 * notes. */
BERTH_API void berth_scheduler_config_notes(const berth_scheduler_config *config,
                                            berth_note_fn note, void *context);

/* Its profiles, percentageOfNodesToScore already resolved; borrowed until the config is destroyed.
 * Threads: any. Cost: constant. */
BERTH_API const berth_profile *berth_scheduler_config_profiles(const berth_scheduler_config *config,
                                                               uint32_t *count);

/* How long a pod that fitted nowhere waits for its next attempt: `initial_seconds`, doubled each
 * time up to `max_seconds`. */
typedef struct berth_backoff {
    int64_t initial_seconds;
    int64_t max_seconds;
} berth_backoff;

/* What the configuration says of it, else kube-scheduler's 1 and 10 seconds. Threads: any. */
static inline berth_backoff berth_scheduler_config_backoff(const berth_scheduler_config *config)
{
    berth_backoff out;
    berth_scheduler_config_backoff_sized(config, &out, sizeof(out));
    return out;
}

#ifdef __cplusplus
}
#endif

#endif
