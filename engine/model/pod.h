/* The pods of an engine or a branch: records in pages, found by namespace and name. Snapshots share
 * the pages, so a record must be made writable before it is written (base/cow_owner.h). */
#ifndef BERTH_MODEL_POD_H
#define BERTH_MODEL_POD_H

#include <assert.h>

#include "model/node.h"
#include "model/pod_class.h"

/* One pod. Its index never moves; `generation` distinguishes successive users of an index. */
typedef struct berth__pod_record {
    berth__class *cls; /* NULL: the record is free */
    char *name;        /* zero-terminated */
    uint32_t name_len : 30;
    uint32_t disrupted : 1; /* condition DisruptionTarget by PreemptionByScheduler */
    uint32_t evicting : 1;  /* the scheduler requested its deletion; no object shows it yet */
    uint32_t generation;
    uint32_t node; /* node id (present or not), or BERTH_NODE_NONE while pending */
    uint32_t next; /* next pod on the node, or next pending pod, or next free record */
    uint32_t previous;
    int32_t priority;
    int64_t start_time_ns; /* 0: absent */
} berth__pod_record;

/* There are millions of pod records. */
static_assert(sizeof(berth__pod_record) <= 48, "a pod record has grown");

typedef struct berth__pods {
    berth__cow_owner *cow;
    berth__cow_array records;
    uint32_t record_count; /* indexes below have a record, free or not */
    uint32_t first_free;
    uint32_t count;
    berth__cow_array slots; /* open addressing: indexes and hashes */
    uint32_t slot_count;
    uint32_t first_pending, last_pending; /* in order of arrival */
    uint64_t pending_count;
} berth__pods;

enum { BERTH__POD_PAGE_SHIFT = 8, BERTH__PODS_A_PAGE = 1 << BERTH__POD_PAGE_SHIFT };

static inline berth__pod_record *berth__pod_at(const berth__pods *pods, uint32_t index)
{
    return berth__cow_array_item(&pods->records, index, sizeof(berth__pod_record),
                                 BERTH__POD_PAGE_SHIFT);
}

/* A pod's public id, and the index of an id; BERTH_POD_INDEX_NONE: there is no such pod. */
static inline berth_pod_id berth__pod_id(const berth__pods *pods, uint32_t index)
{
    return (uint64_t)berth__pod_at(pods, index)->generation << 32 | index;
}

static inline uint32_t berth__pod_of_id(const berth__pods *pods, berth_pod_id id)
{
    uint32_t index = (uint32_t)id;
    if (index >= pods->record_count)
        return BERTH_POD_INDEX_NONE;
    const berth__pod_record *pod = berth__pod_at(pods, index);
    return pod->cls != NULL && pod->generation == id >> 32 ? index : BERTH_POD_INDEX_NONE;
}

static inline berth_str berth__pod_name(const berth__pod_record *pod)
{
    return (berth_str){pod->name, pod->name_len};
}

berth_status berth__pods_init(berth__pods *pods, berth__cow_owner *cow);
/* Free all records and release their classes through `model`. No snapshot may share them any
 * more. */
void berth__pods_destroy(berth__pods *pods, berth__model *model);

/* The index of a pod, or BERTH_POD_INDEX_NONE. */
uint32_t berth__pods_find(const berth__pods *pods, berth__sym namespace_name, berth_str name);

/* Add a record for a new pod. It takes over one use of `cls` and is on no list. Errors:
 * BERTH_E_NOMEM, also for a name of 2 GiB, whose length does not fit into a record. */
berth_status berth__pods_add(berth__pods *pods, berth__class *cls, berth_str name, uint32_t *out);

/* Make writable: a record (BERTH_POD_INDEX_NONE: nothing to do); a record with its neighbours on
 * its list; everything that its removal writes. Errors: BERTH_E_NOMEM; nothing has changed then. */
berth_status berth__pods_make_writable(berth__pods *pods, uint32_t index);
berth_status berth__pods_make_linked_writable(berth__pods *pods, uint32_t index);
/* Make writable the pod that would fill a gap in the node's list, and its successor. */
berth_status berth__pods_make_last_writable(berth__pods *pods, const berth__node_record *node);
berth_status berth__pods_prepare_removal(berth__pods *pods, uint32_t index);

/* Prepare for assigning another class to a record, so that the assignment needs no memory: `*name`
 * is memory for it, or NULL. Errors: BERTH_E_NOMEM. */
berth_status berth__pods_reserve_class(berth__pods *pods, uint32_t index, char **name);
/* Call `take` after a writable record was assigned another class: it takes over one use of that
 * class, and the reserved memory. Then call `drop` to release the former class, and the former name
 * if memory was reserved (`renamed`); or call `return` to restore the record's former class and
 * name. */
void berth__pods_take_class(berth__pods *pods, uint32_t index, char *name);
void berth__pods_drop_class(berth__pods *pods, berth__model *model, const berth__pod_record *former,
                            bool renamed);
void berth__pods_return_class(berth__pods *pods, berth__model *model, uint32_t index,
                              const berth__pod_record *former);
void berth__pods_unreserve_class(berth__pods *pods, uint32_t index, char *name);

/* Remove a record that is on no list, and release its class. */
void berth__pods_remove(berth__pods *pods, berth__model *model, uint32_t index);

/* For undoing, newest first. Undoing an addition leaves no trace, not even in the record's
 * generation. A record that was taken out can be put back, which needs no memory, or be
 * discarded. */
void berth__pods_unadd(berth__pods *pods, berth__model *model, uint32_t index);
void berth__pods_take(berth__pods *pods, uint32_t index, berth__pod_record *out);
void berth__pods_put_back(berth__pods *pods, uint32_t index, const berth__pod_record *taken);
void berth__pods_discard(berth__pods *pods, berth__model *model, berth__pod_record *taken);

/* Undo a removal from a list: put the pod behind its former predecessor (BERTH_POD_INDEX_NONE: to
 * the front). `last` is the pod that was first on the node's list, and filled the gap. */
void berth__pods_insert_pending(berth__pods *pods, uint32_t index, uint32_t previous);
void berth__pods_insert_attached(berth__pods *pods, berth__node_record *node, uint32_t node_id,
                                 uint32_t index, uint32_t previous, uint32_t last);

/* The list of pending pods, and the list of one node's pods. A node's list has the reverse order of
 * kube-scheduler's NodeInfo.Pods: a new pod becomes the first, and the first pod fills the gap of a
 * removed one. Preemption uses this order among equal pods. Source: kube-scheduler v1.36,
 * framework/types.go, AddPodInfo and removeFromSlice. */
void berth__pods_append_pending(berth__pods *pods, uint32_t index);
void berth__pods_remove_pending(berth__pods *pods, uint32_t index);
void berth__pods_attach(berth__pods *pods, berth__node_record *node, uint32_t node_id,
                        uint32_t index);
void berth__pods_detach(berth__pods *pods, berth__node_record *node, uint32_t index);
/* Update the node's lowest_priority for a pod with a new priority. This bound is not raised when a
 * pod leaves, only when the last one has left. */
void berth__pods_bound_priority(const berth__pods *pods, berth__node_record *node, uint32_t index);

#endif
