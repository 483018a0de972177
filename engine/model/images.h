/* The images that nodes have: the size of each, how many nodes have it, and how many had it before.
 *
 * kube-scheduler copies a node when a cycle begins and the node, or a pod on it, has changed since
 * the last copy. The copy includes, for each image of the node, the number of nodes that have it.
 * That number stays the same until the next copy, whatever happens to other nodes. So each node
 * remembers the last cycle before its last change (`berth__node_record.refreshed`), and each image
 * keeps a past: its former counts, and the cycle in which each began. A node sees the newest count
 * that began in its own cycle or before.
 *
 * Invariants:
 *   1. Along the past of an image, from the newest count backwards, cycles fall, and neighbours
 *      have different counts.
 *   2. Every node that has the image finds a count there: it got the image in its own cycle or
 *      before, and was counted then.
 *   3. Items of `past` do not change: snapshots and undo records refer to them by number. Only
 *      berth__images_rewrite renumbers them.
 * Source: kube-scheduler v1.37, backend/cache/cache.go, addNodeImageStates and UpdateSnapshot;
 * framework/types.go, SnapshotConcrete. */
#ifndef BERTH_MODEL_IMAGES_H
#define BERTH_MODEL_IMAGES_H

#include "base/cow_array.h"
#include "model/node.h"
#include "model/pod_class.h"

/* An image that some node has or had. Its size is what the first node with the image reported. */
typedef struct berth__image_record {
    int64_t size_bytes;
    uint64_t cycle;      /* in which this node_count began */
    uint32_t node_count; /* 0: no node has it, and the size means nothing */
    uint32_t past;       /* the count before: place in berth__images.past + 1; 0: unknown */
} berth__image_record;

/* How many nodes had an image, and since which cycle. */
typedef struct berth__image_past {
    uint64_t cycle;
    uint32_t node_count;
    uint32_t past; /* the count before this one, as in the record */
} berth__image_past;

/* Part of a cluster's state: records by name, and their past. */
typedef struct berth__images {
    berth__cow_array table; /* of berth__image_record, by name */
    berth__cow_array past;  /* of berth__image_past */
    berth__cow_owner *cow;
    uint64_t cycle;      /* number of cycles begun */
    uint64_t counted;    /* the cycle in which a count that has a past began last */
    uint32_t past_count; /* in use */
    uint32_t rewrite_at; /* at this past_count, call berth__images_rewrite */
    /* Count every image as if no node had it. kube-scheduler loses the counts when it copies a copy
     * of a node, as preemption of a PodGroup does. Only searches without an index may run. */
    bool uncounted;
} berth__images;

void berth__images_init(berth__images *images, berth__cow_owner *cow);
void berth__images_retire(berth__images *images);

/* Begin a cycle: nodes that change from now on change after it. */
static inline void berth__images_begin_cycle(berth__images *images)
{
    images->cycle++;
}

/* Go back to a former cycle; nothing has changed since then. */
static inline void berth__images_return_to_cycle(berth__images *images, uint64_t cycle)
{
    images->cycle = cycle;
}

/* Whether a node that was refreshed in that cycle sees the newest counts, so that refreshing it now
 * changes nothing. */
static inline bool berth__images_are_seen(const berth__images *images, uint64_t refreshed)
{
    return images->counted <= refreshed;
}

/* Sets of images, as one bit of 64 for each: sets without a common bit have no common image. */
static inline uint64_t berth__image_bit(berth__sym name)
{
    return UINT64_C(1) << (name * UINT32_C(0x9e3779b1) >> 26);
}

#define BERTH__ALL_IMAGES UINT64_MAX

/* Whether pods of a class may have an image of the set. */
static inline bool berth__class_has_image(const berth__class *cls, uint64_t set)
{
    bool has = false;
    for (uint32_t i = 0; set != 0 && i < cls->images->count && !has; i++)
        has = (berth__image_bit(cls->images->names[i]) & set) != 0;
    return has;
}

/* The images that are worth something else after an update of a node: those that it gets or loses,
 * and those that it alone has with another size. */
uint64_t berth__images_changed(const berth__images *images, const berth__node_facts *old,
                               const berth__node_facts *fresh);

/* The record of a name, or NULL if no present node has it. */
const berth__image_record *berth__image_find(const berth__images *images, berth__sym name);
/* The count before, by its place; NULL if unknown. */
const berth__image_past *berth__image_before(const berth__images *images, uint32_t past);

/* Make room for berth__images_replace. Returns false when out of memory. */
bool berth__images_make_writable(berth__images *images, const berth__node_facts *old,
                                 const berth__node_facts *fresh);

/* Count the images of a node that is added (`old` is NULL), changed or removed (`fresh` is NULL).
 * An image that only this node has takes the size that the node reports now. */
void berth__images_replace(berth__images *images, const berth__node_facts *old,
                           const berth__node_facts *fresh);

/* For undoing: save the records of a node's images, in their order, and restore them. */
void berth__images_save(const berth__images *images, const berth__node_facts *facts,
                        berth__image_record *out);
void berth__images_restore(berth__images *images, const berth__node_facts *facts,
                           const berth__image_record *from);

/* Whether the past has become long; shorten it. `nodes` holds, by id, all nodes that may look at
 * the past. Not allowed while undo records refer to it. Without memory the past stays as it is.
 * Cost: the images of all nodes. */
static inline bool berth__images_are_long(const berth__images *images)
{
    return images->past_count >= images->rewrite_at;
}
void berth__images_rewrite(berth__images *images, const berth__cow_array *nodes, uint32_t count);

#endif
