/* Workloads of manifests, compared with those of the same kind, namespace and name that an API
 * server has seen: what a manifest changes. */
#ifndef BERTH_KUBE_WORKLOAD_CHANGE_H
#define BERTH_KUBE_WORKLOAD_CHANGE_H

#include "kube/workload.h"

/* A workload that an API server has seen; allocated in `kept`. */
typedef struct berth__seen_workload {
    berth__keymap_entry entry; /* by "KIND NAMESPACE/NAME" */
    bool has_replicas;
    int32_t replicas;
    const berth__json *template; /* of its pods; NULL: none */
} berth__seen_workload;

/* Keep what changes are compared with. Errors: BERTH_E_NOMEM. */
berth_status berth__workload_keep_seen(berth_reader *reader, const berth__workload_entry *entry,
                                       const berth__item *item);

/* Note a workload of a manifest that waits as a change. Errors: BERTH_E_NOMEM; BERTH_E_EXISTS if
 * there was one of its kind, namespace and name before. */
berth_status berth__workload_note_change(berth_reader *reader, const berth__workload_entry *entry,
                                         const berth__item *item);

/* The workload of the same kind, namespace and name that an API server has seen; NULL: none. */
const berth__seen_workload *berth__workload_find_seen(const berth__expansion *e);

/* Report what the workload changes, before its pods are handed out. */
void berth__workload_tell_change(const berth__expansion *e, int64_t wanted);

/* Report a workload that an API server has seen and whose pods are not made. */
void berth__workload_tell_seen(berth_reader *reader, const berth__item *item);

#endif
