/* Workloads of manifests beside those of the same kind, namespace and name that an API server has
 * seen: what a manifest changes. */
#ifndef BERTH_KUBE_WORKLOAD_CHANGE_H
#define BERTH_KUBE_WORKLOAD_CHANGE_H

#include "kube/workload.h"

/* A workload that an API server has seen; it lies in the arena of what is kept. */
typedef struct berth__seen_workload {
    berth__keymap_entry entry; /* by "KIND NAMESPACE/NAME" */
    bool has_replicas;
    int32_t replicas;
    const berth__json *template; /* of its pods; NULL: none */
} berth__seen_workload;

/* Keep what changes are held against. Errors: E_NOMEM. */
berth_status berth__workload_keep_seen(berth_reader *reader, const berth__workload_entry *entry,
                                       const berth__item *item);

/* Note a workload of a manifest, which the caller defers next. If an earlier manifest has one of
 * the same kind, namespace and name, the later one replaces it, and a note says so. Errors:
 * BERTH_E_NOMEM. */
berth_status berth__workload_note_change(berth_reader *reader, const berth__workload_entry *entry,
                                         const berth__item *item);

/* The one that an API server has seen of the same kind, namespace and name; NULL: none. Errors:
 * BERTH_E_NOMEM. */
berth_status berth__workload_find_seen(const berth__expansion *e, const berth__seen_workload **out);

/* Tell what the workload comes to, before its pods are handed out. Errors: BERTH_E_NOMEM. */
berth_status berth__workload_tell_change(const berth__expansion *e, int64_t wanted);

/* Tell of a workload that an API server has seen, whose pods are not made. */
void berth__workload_tell_seen(berth_reader *reader, const berth__item *item);

#endif
