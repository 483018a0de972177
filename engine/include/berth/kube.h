/* Kubernetes text: objects read from JSON and YAML and written back, quantities, durations, and
 * scheduler configurations. The only part of the library that knows JSON and YAML; it translates
 * into objects.h and profile.h. */
#ifndef BERTH_KUBE_H
#define BERTH_KUBE_H

#include "berth/engine.h"
#include "berth/kube_sized.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parse a quantity ("1500m", "1.5Gi", "1e3"). Threads: any.
 * Errors: BERTH_E_PARSE, BERTH_E_RANGE (2^63 or more in magnitude; with binary suffixes the value
 * is capped instead). Source: apimachinery v0.32, api/resource/quantity.go. */
BERTH_API berth_status berth_quantity_parse(berth_str text, berth_quantity *out,
                                            berth_error *error);

/* Write the canonical text of an amount ("1500m", "2Gi"), terminated and truncated to `size`.
 * `binary` chooses Ki, Mi, ... where Kubernetes would. Returns the length of the whole text.
 * Threads: any. */
BERTH_API size_t berth_quantity_format(berth_quantity amount, bool binary, char *out, size_t size);

/* Parse a duration in Go's form ("15s", "1m30s", "-1.5h", "0") into nanoseconds. Threads: any.
 * Errors: BERTH_E_PARSE, BERTH_E_RANGE (beyond 63 bits). Source: Go 1.26, time.ParseDuration. */
BERTH_API berth_status berth_duration_parse(berth_str text, int64_t *out_ns, berth_error *error);

/* ---- objects ---- */

/* Called for each object. The object and everything it points to live until the call returns. It
 * has at least the size that the creator of the reader was compiled with. `origin` says where the
 * object is (source, line and object are set), for reports of a refusal. Return BERTH_OK to
 * continue; anything else ends the reading with that status and with `error`, which is never NULL
 * and which the function must fill. */
typedef berth_status (*berth_object_fn)(void *context, const berth_object *object,
                                        const berth_error *origin, berth_error *error);

/* The kinds of remarks that a reader makes about an input that it nevertheless reads. */
typedef enum berth_note_kind {
    /* No scheduling rule uses objects of this kind. `suggestion`: the kind that is probably
     * meant. */
    BERTH_NOTE_PASSED_OVER = 0,
    /* Kubernetes has no field `word` at this place (place->field). `suggestion`: a similar field
     * that it has. */
    BERTH_NOTE_UNKNOWN_FIELD,
    /* No API server of the versions that Berth knows serves the kind under this apiVersion.
     * `suggestion`: the apiVersion that it is served under. */
    BERTH_NOTE_API_VERSION,
    /* An API server has seen this workload, so its pods are expected in the input, too. Not
     * reported for workloads that want no pods or have none by their status. `workload` has its
     * kind, name and number of replicas (-1: not applicable). */
    BERTH_NOTE_NOT_EXPANDED,
    /* The RuntimeClass `word` of a pod is not in the input, so what it adds to the pod is
     * missing. */
    BERTH_NOTE_RUNTIME_CLASS_MISSING,
    /* A RuntimeClass has been applied to a pod. */
    BERTH_NOTE_RUNTIME_CLASS,
    /* The ResourceClaimTemplate `word` of a pod is not in the input, so the claim is missing. */
    BERTH_NOTE_CLAIM_TEMPLATE_MISSING,
    /* With `changes`: no API server has seen this workload. Its pods follow; those of a DaemonSet
     * follow at the end. `workload` compares it with the one that the cluster has. */
    BERTH_NOTE_WORKLOAD,
    /* The key `word` appears more than once in a map (place->field). */
    BERTH_NOTE_DUPLICATE_KEY,
    /* The PriorityClass `word` of a pod is not in the input; the pod's priority is taken as 0. */
    BERTH_NOTE_PRIORITY_CLASS_MISSING,
    /* A workload's selector does not match the labels of its own template. */
    BERTH_NOTE_SELECTOR,
    /* No node admits pods of this DaemonSet, so it has none. */
    BERTH_NOTE_NO_DAEMONS,
    /* In a scheduler configuration: pluginConfig names a plugin `word` that kube-scheduler does not
     * have and that the profile does not enable. kube-scheduler ignores its arguments.
     * `suggestion`: a similar plugin. */
    BERTH_NOTE_UNKNOWN_PLUGIN,
    /* With `changes`: this workload replaces an earlier one of the same kind, namespace and name,
     * as with `kubectl apply`. `word`: the place of the earlier one, FILE:LINE. */
    BERTH_NOTE_REPLACES,
    /* With `many_replicas`: the workload wants more pods than the nodes take. `workload` has
     * its kind and name, how many it wants and how many were made. */
    BERTH_NOTE_REPLICAS,
    /* In a scheduler configuration: a profile enables a plugin `word` that kube-scheduler of that
     * version does not have. It is one of your own plugins, or a mistake. `suggestion`: a similar
     * plugin. */
    BERTH_NOTE_FOREIGN_PLUGIN,
    /* In a scheduler configuration: a profile enables a plugin `word` that kube-scheduler has only
     * with the feature gate `suggestion`, and would refuse without it. The lists leave it out: the
     * engine's own feature gate decides. */
    BERTH_NOTE_GATED_PLUGIN,
} berth_note_kind;

/* How new pods replace old ones. */
typedef enum berth_rollout {
    BERTH_ROLLOUT_ROLLING = 0, /* a few at a time; also for workloads without a strategy */
    BERTH_ROLLOUT_RECREATE,    /* all old pods are deleted first */
    BERTH_ROLLOUT_ON_DELETE,   /* old pods stay until somebody deletes them */
} berth_rollout;

/* A workload, compared with what the cluster has. */
typedef struct berth_workload_note {
    uint32_t size; /* of the struct in this library; later versions append members */
    /* The input has a workload of the same kind, namespace and name that an API server has seen. */
    bool is_there;
    /* The pod template equals that of the existing workload, apart from defaults of the API
     * server. */
    bool same_template;
    /* Wanted pods; if the manifest does not say, those of the existing workload. -1: as many as
     * nodes admit. */
    int64_t wanted;
    /* The controller of the pods: the workload itself, or its ReplicaSet or Job. */
    berth_str owner_kind, owner_name;
    /* For BERTH_NOTE_WORKLOAD: spec.strategy or spec.updateStrategy, with defaults applied. */
    berth_rollout rollout;
    berth_count_or_percent max_surge, max_unavailable;
    int32_t partition; /* pods of a StatefulSet with a lower number are not updated */
    int64_t made;      /* for BERTH_NOTE_REPLICAS: this many pods follow */
} berth_workload_note;

/* A remark about the input. Owner: everything in it lives until the note function returns. */
typedef struct berth_note {
    uint32_t size; /* of the struct in this library; later versions append members */
    berth_note_kind what;
    const berth_error *place; /* source, line, object and field; no code and no message */
    berth_str kind;
    berth_str api_version;
    berth_str namespace_name; /* the reader's, if the object names none */
    berth_str name;
    berth_str word;
    berth_str suggestion; /* absent: nothing is similar */
    berth_str
        text; /* of a PASSED_OVER kind in berth_read_options.whole_kinds: the object as JSON */
    const berth_workload_note *workload; /* for WORKLOAD, NOT_EXPANDED and REPLICAS; else NULL */
    bool seen;                           /* the object comes from an API server: it has a uid */
} berth_note;

typedef void (*berth_note_fn)(void *context, const berth_note *note);

typedef struct berth_reader berth_reader;

/* How a reader reads. Owner: borrowed until berth_reader_create returns; the allocator and the
 * contexts of `progress` and `note` must outlive the reader. */
typedef struct berth_read_options {
    uint32_t size; /* set by berth_read_options_init */
    /* Apply the API server's defaults: requests from limits, hostNetwork ports, values of priority
     * classes, what a RuntimeClass adds (default tolerations are not added). Leave it off for
     * objects that come from an API server. */
    bool apply_defaults;
    /* The kind of objects that have none, as inside decision vectors; NULL: an error. */
    const char *default_kind;
    /* Return one pod for each workload, regardless of its number of replicas: a sample of its pods.
     * The sample of a DaemonSet is pinned to no node. The origin of the pod then names the
     * workload. */
    bool templates;
    /* Called from time to time with the bytes read so far and the total (0: unknown). May be
     * NULL. */
    void (*progress)(void *context, uint64_t done_bytes, uint64_t total_bytes);
    void *progress_context;
    /* Threads that read, including the calling thread. 1: all work is done on the calling thread. 2
     * or more: one helper thread reads, parses and partly decodes a JSON file or text ahead of the
     * caller, who still receives every callback in order on its own thread; results and errors are
     * the same. The helper runs only during the call and blocks all signals. It is not started for
     * small inputs, YAML, pipes and terminals, and there is never more than one. 0: 2 if the
     * process may use more than one core, else 1. */
    uint32_t threads;
    const berth_allocator *allocator; /* must outlive the reader; NULL: malloc */
    /* Called on the calling thread, between objects, with remarks about the input. Fields and
     * versions are checked only in objects that no API server has seen, and once for pods whose
     * texts differ only in name, uid and node. NULL: no checks. */
    berth_note_fn note;
    void *note_context;
    const char *whole_kinds; /* "LimitRange,ResourceQuota"; NULL: none. See berth_note.text */
    /* Make pods also from workloads that an API server has seen (they have a uid). For inputs that
     * contain workloads but not their pods. */
    bool expand;
    /* Another reader, which must outlive this one and whose PriorityClasses, RuntimeClasses and
         * ResourceClaimTemplates this reader uses, too. NULL: none. */
    const berth_reader *known;
    /* Treat workloads that no API server has seen as changes of those that the cluster has: they
     * wait for berth_reader_finish, and BERTH_NOTE_WORKLOAD reports each. A workload that names no
     * number of replicas keeps that of the existing one. */
    bool changes;
    /* The namespace of objects that name none, as in `kubectl apply -n`; NULL: "default". */
    const char *namespace_name;
    /* Limits the pods made for a workload that wants more pods than this. Such a workload waits for
     * berth_reader_finish, which makes at least this many pods, and one more than the allocatable
     * pods of all nodes of its engine: further pods would be refused like the last one.
     * BERTH_NOTE_REPLICAS reports it. 0: no limit. */
    uint32_t many_replicas;
    /* NULL, or ends the call before its next object with BERTH_E_CANCELLED (engine.h); the error
     * names the input. The objects before it were returned. Afterwards only destroy the reader. The
     * number must live as long as the reader. */
    berth_cancel_flag cancel;
} berth_read_options;

/* Fill `options` with the defaults, which are zero: an initialiser that only sets `size` to
 * sizeof(berth_read_options) does the same. Threads: any. */
#define berth_read_options_init(options) \
    berth_read_options_init_sized((options), sizeof(*(options)))

/* Create and destroy a reader. A reader keeps its buffers and the objects that later documents may
 * refer to (PriorityClasses, RuntimeClasses, ResourceClaimTemplates). NULL `options` mean the
 * defaults.
 * Owner: `options` is borrowed until the call returns; the reader is the caller's; destroy accepts
 * NULL. Errors: BERTH_E_ARG (the options' size), BERTH_E_NOMEM. Threads: any. */
BERTH_API void berth_reader_destroy(berth_reader *reader);

static inline berth_status berth_reader_create(const berth_read_options *options,
                                               berth_reader **out, berth_error *error)
{
    return berth_reader_create_sized(options, berth_object_sizes(), out, error);
}

/* Read a file: JSON or YAML, gzip or not; "-" is standard input. Text that begins with a bracket is
 * JSON, unless the first key of its first object has no double quotes, which makes it YAML in flow
 * style (`{kind: Pod}`). All other text is YAML. Lists are opened. Deployments, ReplicaSets,
 * StatefulSets, DaemonSets, Jobs and CronJobs become their pods, and the object itself is returned,
 * too, if a plugin reads it. With the API server's defaults applied, pods that no API server has
 * seen get the ResourceClaims of their templates, each returned before its pod. Kinds that no rule
 * uses are ignored. A Status that reports a failure, as an API server returns it in place of the
 * requested objects, is an error. Line numbers are those of the object or, in YAML, of the field
 * that an error names.
 * Threads: one at a time. Errors: BERTH_E_IO, BERTH_E_PARSE, BERTH_E_INVALID, BERTH_E_RANGE,
 * BERTH_E_NOMEM, BERTH_E_CANCELLED, or the callback's. Cost: linear in the text. */
BERTH_API berth_status berth_reader_file(berth_reader *reader, const char *path,
                                         berth_object_fn each, void *context, berth_error *error);

/* Read text in memory; `source` names it in errors. Otherwise as berth_reader_file. */
BERTH_API berth_status berth_reader_text(berth_reader *reader, berth_str text, const char *source,
                                         berth_object_fn each, void *context, berth_error *error);

/* Return the objects that had to wait for the end of the input: pods whose PriorityClass,
 * RuntimeClass or ResourceClaimTemplate came late, claims of StatefulSets, and the pods of
 * DaemonSets. A DaemonSet gets a pod for each node of `engine` that its template's nodeName,
 * nodeSelector, required node affinity and tolerations admit, pinned by a node affinity on
 * metadata.name as the DaemonSet controller does. Call it once, after the last file. Threads: the
 * reader's and the engine's.
 * Errors: as berth_reader_file. Cost: linear in the objects that waited, and in DaemonSets times
 * nodes. */
BERTH_API berth_status berth_reader_finish(berth_reader *reader, berth_engine *engine,
                                           berth_object_fn each, void *context, berth_error *error);

/* Read a file, or text in memory, into an engine: berth_reader_file (or _text) and
 * berth_reader_finish with a callback that adds each object. NULL `options` mean the defaults of
 * berth_read_options_init with the API server's defaults applied, which suits manifests and dumps.
 * `*objects` (may be NULL) receives how many objects were added, including finished pods; it is
 * left alone on failure, except for BERTH_E_CANCELLED (options->cancel): then it receives how many
 * were added before.
 *
 * Each call is complete in itself: DaemonSets get pods for the nodes that exist at its end, and
 * PriorityClasses of other calls are unknown. Put objects that belong together into one text, or
 * use a reader of your own.
 *
 * Errors: those of the reader and of berth_engine_add; the error names source, line, object and
 * field as far as they are known. Objects before the failed one stay; a transaction around the call
 * takes them back. Threads: the engine's. Cost: linear in the text. */
BERTH_API berth_status berth_engine_load_file(berth_engine *engine, const char *path,
                                              const berth_read_options *options, uint64_t *objects,
                                              berth_error *error);
BERTH_API berth_status berth_engine_load_text(berth_engine *engine, berth_str text,
                                              const char *source, const berth_read_options *options,
                                              uint64_t *objects, berth_error *error);

/* ---- text out ---- */

/* Called with the next piece of a text, which lives until the call returns. Return BERTH_OK to
 * continue; anything else ends the writing with that status and with `error`, which is never NULL
 * and which the function must fill. */
typedef berth_status (*berth_text_fn)(void *context, berth_str piece, berth_error *error);

/* Write an object as one line of JSON without a line break: the fields of objects.h that are set,
 * in the form that a reader reads. Owner: `object` is borrowed until the call returns. Threads:
 * any.
 * Errors: BERTH_E_ARG (no object, an unknown kind, no function), BERTH_E_NOMEM, and the function's.
 * Cost: linear in the object. */
static inline berth_status berth_object_write(const berth_object *object, berth_text_fn write,
                                              void *context, berth_error *error)
{
    return berth_object_write_sized(object, berth_object_sizes(), write, context, error);
}

/* Write all objects of an engine (see berth_engine_objects in read.h) as a v1 List in JSON, one
 * object per line; the second form writes a file, replacing it. Loaded into an engine of the same
 * configuration, the text results in an engine that writes the same text, byte for byte, and that
 * decides in the same way, except for what read.h lists as not included. (Load it without the API
 * server's defaults, see berth_read_options: they would change objects that never had them.)
 *
 * The text lacks: annotations that no rule reads; creation times of pods, and uids that no claim
 * refers to; and fields that no rule reads, such as commands of containers. It is meant for
 * engines, simulators and bug reports, and must not be applied to a cluster. Times that the engine
 * only knows to be set (deletionTimestamp, times of disruptedPods) appear as the beginning of 1970.
 * Controllers want 0 replicas, because their pods are in the text themselves.
 *
 * Threads: the engine's. Errors: BERTH_E_ARG (no engine, function or path), those of
 * berth_engine_objects, the function's, BERTH_E_IO. The file is an output file (output.h): if the
 * call fails, the old file stays. Cost: linear in the text, which is written in pieces of some 64
 * KiB. */
BERTH_API berth_status berth_engine_dump(berth_engine *engine, berth_text_fn write, void *context,
                                         berth_error *error);
BERTH_API berth_status berth_engine_dump_file(berth_engine *engine, const char *path,
                                              berth_error *error);

/* ---- configuration ---- */

typedef struct berth_scheduler_config berth_scheduler_config;

/* Read a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1, v1beta3, or v1alpha1 with the
 * Policy that it names, relative to the file or, for text, to the current folder), or a Policy by
 * itself. JSON or YAML, recognized as in berth_reader_file. Fields that are not set have the
 * defaults of Kubernetes 1.`kubernetes` (32 to 37; 0: the newest).
 * Errors: BERTH_E_IO, BERTH_E_PARSE, BERTH_E_INVALID (naming the field), BERTH_E_UNSUPPORTED
 * (another version or kind, extenders, a Policy in a ConfigMap), BERTH_E_NOMEM. Owner: the
 * configuration is the caller's, freed by destroy, which accepts NULL; it owns its profiles.
 * Threads: any. Cost: linear in the text. */
BERTH_API berth_status berth_scheduler_config_file(const char *path, uint32_t kubernetes,
                                                   berth_scheduler_config **out,
                                                   berth_error *error);
BERTH_API berth_status berth_scheduler_config_text(berth_str text, const char *source,
                                                   uint32_t kubernetes,
                                                   berth_scheduler_config **out,
                                                   berth_error *error);
BERTH_API void berth_scheduler_config_destroy(berth_scheduler_config *config);

/* Call `note` for each remark about a configuration that was nevertheless read
 * (BERTH_NOTE_UNKNOWN_PLUGIN, BERTH_NOTE_FOREIGN_PLUGIN). Owner: see berth_note. Threads: any.
 * Cost: linear in the remarks. */
BERTH_API void berth_scheduler_config_notes(const berth_scheduler_config *config,
                                            berth_note_fn note, void *context);

/* The profiles of a configuration, with percentageOfNodesToScore resolved; borrowed until the
 * configuration is destroyed. Threads: any. */
BERTH_API const berth_profile *berth_scheduler_config_profiles(const berth_scheduler_config *config,
                                                               uint32_t *count);

/* How long a pod that fits nowhere waits for its next attempt: `initial_seconds`, doubled each time
 * up to `max_seconds`. */
typedef struct berth_backoff {
    int64_t initial_seconds;
    int64_t max_seconds;
} berth_backoff;

/* The backoff of a configuration; kube-scheduler's default is 1 and 10 seconds. Threads: any. */
static inline berth_backoff berth_scheduler_config_backoff(const berth_scheduler_config *config)
{
    berth_backoff out;
    berth_scheduler_config_backoff_sized(config, &out, sizeof(out));
    return out;
}

/* An HTTP extender of a configuration, as kube-scheduler's Extender. Verbs are empty if the
 * extender does not take part there. Owner: texts are borrowed until the configuration is
 * destroyed. */
typedef struct berth_extender_config {
    berth_str url_prefix;
    berth_str filter_verb, prioritize_verb, preempt_verb, bind_verb;
    int64_t weight;
    int64_t timeout_ns; /* above 0 */
    bool enable_https;  /* without a CA, certificates are not verified */
    bool node_cache_capable;
    bool ignorable;
    berth_strs managed_resources;
    uint32_t ignored_count; /* NodeResourcesFit ignores this many of these, from the first on */
    struct {
        bool insecure;
        berth_str server_name, certificate_file, key_file, ca_file;
        berth_str certificate_base64, key_base64, ca_base64;
    } tls;
} berth_extender_config;

/* As berth_scheduler_config_file, for a caller that calls the configuration's extenders itself
 * (extender.h): they are read instead of refused, except those of v1alpha1 and Policy. Resources
 * that an extender manages with ignoredByScheduler replace the ignoredResources of NodeResourcesFit
 * in every profile. */
BERTH_API berth_status berth_scheduler_config_file_with_extenders(const char *path,
                                                                  uint32_t kubernetes,
                                                                  berth_scheduler_config **out,
                                                                  berth_error *error);

/* The number of extenders of a configuration, and one of them (zeroed beyond the last). Threads:
 * any. */
BERTH_API uint32_t berth_scheduler_config_extender_count(const berth_scheduler_config *config);
static inline void berth_scheduler_config_extender(const berth_scheduler_config *config, uint32_t i,
                                                   berth_extender_config *out)
{
    berth_scheduler_config_extender_sized(config, i, out, sizeof(*out));
}

#ifdef __cplusplus
}
#endif

#endif
