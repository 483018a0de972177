/* What the makers of pods share: a workload as read, and the steps from its template to a pod. */
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

/* What is read of any workload. */
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

/* How workloads of a kind are read and made. */
typedef struct berth__workload_entry {
    const char *name;
    const char *group;
    berth__workload_kind kind;
    const berth__field *fields;
    const char *template_path[4]; /* members from the object down to the pod template */
    /* The controller that owns the pods, and how plugins know it (BERTH_KIND_COUNT: they do
     * not). */
    const char *owner_version;
    const char *owner_kind;
    berth_kind emitted;
} berth__workload_entry;

enum { BERTH__HASH_DIGITS = 8 };

/* The hash that names are made of, part by part, from the seed on. */
#define BERTH__NAME_HASH_SEED UINT32_C(2166136261)
uint32_t berth__name_hash(uint32_t hash, berth_str part);

/* One workload at work. It stays where it is: its path points into it. */
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

/* Read the item. Errors: E_INVALID and the decoder's; without the place (berth__reader_fault). */
berth_status berth__expansion_open(berth__expansion *e, berth_reader *reader,
                                   const berth__item *item);

/* Where the specification of the pods stands in the item. */
const berth__field_path *berth__expansion_spec_path(const berth__expansion *e);

/* Hand out the controller and its pods, deferring what has to wait. */
berth_status berth__expansion_run(berth__expansion *e);

/* A copy of the template's pod under its own name, its new parts in the arena of one pod.
 * `ordinal` is its number as text. False when out of memory. */
bool berth__expansion_pod(const berth__expansion *e, berth_str name, berth_str ordinal,
                          berth_pod *out);

/* Apply the defaults to a pod and hand it out. */
berth_status berth__expansion_emit(const berth__expansion *e, berth_pod *pod);

/* printf into an arena. Sets `*ok` to false, and never to true, when out of memory. */
berth_str berth__arena_print(berth__arena *arena, bool *ok, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
