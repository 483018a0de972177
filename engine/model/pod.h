/* The pods of an engine: records in pages, found by namespace and name. */
#ifndef BERTH_MODEL_POD_H
#define BERTH_MODEL_POD_H

#include <assert.h>

#include "model/node.h"
#include "model/pod_class.h"

#define BERTH__NODE_NONE UINT32_MAX

/* One pod. Its index never moves; `generation` tells a reused index from its former owner. */
typedef struct berth__pod {
    berth__class *cls; /* NULL: the record is free */
    char *name;        /* zero-terminated */
    uint32_t name_len : 30;
    uint32_t disrupted : 1; /* condition DisruptionTarget by PreemptionByScheduler */
    uint32_t evicting : 1; /* the scheduler has asked for its deletion, which no object shows yet */
    uint32_t generation;
    uint32_t node; /* node id (present or not), or BERTH__NODE_NONE while pending */
    uint32_t next; /* on its node, among the pending, or among the free */
    uint32_t previous;
    int32_t priority;
    int64_t start_time_ns; /* 0: absent */
} berth__pod;

/* There are millions of them. */
static_assert(sizeof(berth__pod) <= 48, "a pod record has grown");

typedef struct berth__pods {
    const berth_allocator *allocator;
    berth__pod **pages;
    uint32_t page_capacity;
    uint32_t page_count;
    uint32_t first_free;
    uint32_t count;
    uint32_t *slots; /* open addressing: index + 1, 0 free */
    uint32_t slot_count;
    uint32_t first_pending, last_pending; /* in order of arrival */
    uint64_t pending_count;
} berth__pods;

enum { BERTH__PODS_A_PAGE = 4096 };

static inline berth__pod *berth__pod_at(const berth__pods *pods, uint32_t index)
{
    return &pods->pages[index / BERTH__PODS_A_PAGE][index % BERTH__PODS_A_PAGE];
}

static inline berth_str berth__pod_name(const berth__pod *pod)
{
    return (berth_str){pod->name, pod->name_len};
}

berth_status berth__pods_init(berth__pods *pods, const berth_allocator *allocator);
/* Free all records; classes are released through `model`. */
void berth__pods_destroy(berth__pods *pods, berth__model *model);

/* The index of a pod, or BERTH__POD_NONE. */
uint32_t berth__pods_find(const berth__pods *pods, berth__sym namespace_name, berth_str name);

/* Add a record that is not there yet; it takes over one use of `cls` and is on no list. Errors:
 * E_NOMEM, also for a name of 2 GiB, for which a record has no room. */
berth_status berth__pods_add(berth__pods *pods, berth__class *cls, berth_str name, uint32_t *out);

/* Remove a record that is on no list, and release its class. */
void berth__pods_remove(berth__pods *pods, berth__model *model, uint32_t index);

/* For undoing, newest first. The way back of an addition leaves no trace, not even in the record's
 * generation. A record that is taken away can be put back, which needs no memory, or be discarded
 * for good. */
void berth__pods_unadd(berth__pods *pods, berth__model *model, uint32_t index);
void berth__pods_take(berth__pods *pods, uint32_t index, berth__pod *out);
void berth__pods_put_back(berth__pods *pods, uint32_t index, const berth__pod *taken);
void berth__pods_discard(berth__pods *pods, berth__model *model, berth__pod *taken);

/* Back into a list, behind the pod that was before it (BERTH__POD_NONE: to the front). */
void berth__pods_insert_pending(berth__pods *pods, uint32_t index, uint32_t previous);
void berth__pods_insert_attached(berth__pods *pods, berth__node *node, uint32_t node_id,
                                 uint32_t index, uint32_t previous);

/* The list of pending pods, and the list of one node's pods. */
void berth__pods_append_pending(berth__pods *pods, uint32_t index);
void berth__pods_remove_pending(berth__pods *pods, uint32_t index);
void berth__pods_attach(berth__pods *pods, berth__node *node, uint32_t node_id, uint32_t index);
void berth__pods_detach(berth__pods *pods, berth__node *node, uint32_t index);

#endif
