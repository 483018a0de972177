/* Shared by the makers of pods: a workload as read, and the steps from its template to a pod. */
#ifndef BERTH_KUBE_WORKLOAD_H
#define BERTH_KUBE_WORKLOAD_H

#include "kube/reader_state.h"

typedef enum berth__workload_kind {
    BERTH__WORKLOAD_DEPLOYMENT,
    BERTH__WORKLOAD_REPLICA_SET,
    BERTH__WORKLOAD_REPLICATION_CONTROLLER,
    BERTH__WORKLOAD_STATEFUL_SET,
    BERTH__WORKLOAD_DAEMON_SET,
    BERTH__WORKLOAD_JOB,
    BERTH__WORKLOAD_CRON_JOB,
} berth__workload_kind;

/* The fields that all workloads have in common. */
typedef struct berth__workload {
    berth_metadata meta;
    bool has_replicas;
    int32_t replicas;
    bool has_parallelism;
    int32_t parallelism;
    bool has_completions;
    int32_t completions;
    berth_str completion_mode;
    bool suspend;
    bool cron_suspend;
    int32_t first_ordinal;
    const berth_label_selector *selector;
    bool has_template;
    berth_pod pod;
    const berth_persistent_volume_claim *claims;
    uint32_t claim_count;
} berth__workload;

/* How workloads of a kind are read and expanded. */
typedef struct berth__workload_entry {
    const char *name;
    const char *group;
    berth__workload_kind kind;
    const berth__field *fields;
    const char *template_path[4]; /* members on the way from the object to its pod template */
    /* The controller that owns the pods, and its kind for plugins (BERTH_KIND_COUNT: they do not
     * know it). */
    const char *owner_version;
    const char *owner_kind;
    berth_kind emitted;
} berth__workload_entry;

enum { BERTH__HASH_DIGITS = 8 };

/* The hash in names, computed part by part from the seed. */
#define BERTH__NAME_HASH_SEED UINT32_C(2166136261)
uint32_t berth__name_hash(uint32_t hash, berth_str part);

/* One workload being expanded. It must not move: its path points into it. */
typedef struct berth__expansion {
    berth_reader *reader;
    const berth__item *item;
    const berth__workload_entry *entry;
    berth__workload w;
    berth_str namespace_name;
    char hash[BERTH__HASH_DIGITS + 1];
    berth_owner owner;
    berth__field_path path[5]; /* of the pod specification */
} berth__expansion;

/* Read the item. Errors: BERTH_E_INVALID and those of decoding, without the position
 * (berth__reader_fault). */
berth_status berth__expansion_open(berth__expansion *e, berth_reader *reader,
                                   const berth__item *item);

/* Read a deferred item, and hand out the objects that `emit` makes of it. */
berth_status berth__expansion_of(berth_reader *reader, const berth__item *item,
                                 berth_status (*emit)(berth__expansion *e));

/* The path of the pods' specification in the item. */
const berth__field_path *berth__expansion_spec_path(const berth__expansion *e);

/* Hand out the controller and its pods; defer what has to wait. */
berth_status berth__expansion_run(berth__expansion *e);

/* A copy of the template's pod with its own name; new parts are allocated in the arena of one pod.
 * `ordinal` is its number as text. False when out of memory. */
bool berth__expansion_pod(const berth__expansion *e, berth_str name, berth_str ordinal,
                          berth_pod *out);

/* Apply the defaults to a pod and hand it out. */
berth_status berth__expansion_emit(const berth__expansion *e, berth_pod *pod);

/* printf into an arena. Sets `*ok` to false, and never to true, when out of memory. */
berth_str berth__arena_print(berth__arena *arena, bool *ok, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
