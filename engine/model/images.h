/* The images that nodes have: size, how many nodes have each, and how many had it before.
 *
 * kube-scheduler copies a node when a cycle begins and the node, or a pod on it, has changed since
 * the last copy; with it, it copies how many nodes have each of its images. That number stays what
 * it was until the next copy, whatever happens to other nodes. So a node has the number of the last
 * cycle (`berth__node_record.refreshed`) that came before its last change, and an image has a past:
 * what its number was, and since which cycle. A node sees the newest number that is not of a later
 * cycle than its own.
 *
 * Invariants:
 *   1. Along the past of an image, from the image back, cycles fall, and neighbours have different
 *      counts.
 *   2. Every node that has the image finds a count there: it was given the image at its own cycle
 *      or before, and counted then.
 *   3. What is in `past` is not changed: snapshots and undo records lead to it by number. Only
 *      berth__images_rewrite gives other numbers.
 * Source: kube-scheduler v1.37, backend/cache/cache.go, addNodeImageStates and UpdateSnapshot;
 * framework/types.go, SnapshotConcrete. */
#ifndef BERTH_MODEL_IMAGES_H
#define BERTH_MODEL_IMAGES_H

#include "base/cow_array.h"
#include "model/node.h"

/* An image that some present node has, or has had. The size is that of the first node that brought
 * it. */
typedef struct berth__image_record {
    int64_t size_bytes;
    uint64_t cycle;      /* since when so many nodes have it */
    uint32_t node_count; /* 0: no node has it, the size is void */
    uint32_t past;       /* what it was before: place in berth__images.past + 1; 0: nobody knows */
} berth__image_record;

/* How many nodes had an image, and since when. */
typedef struct berth__image_past {
    uint64_t cycle;
    uint32_t node_count;
    uint32_t past; /* as of the record */
} berth__image_past;

/* Part of the state of a cluster. Records by name, and what they were. */
typedef struct berth__images {
    berth__cow_array table; /* of berth__image_record, by name */
    berth__cow_array past;  /* of berth__image_past */
    berth__cow_owner *cow;
    uint64_t cycle;      /* how many have begun */
    uint32_t past_count; /* in use */
    uint32_t rewrite_at; /* so many call for berth__images_rewrite */
} berth__images;

void berth__images_init(berth__images *images, berth__cow_owner *cow);
void berth__images_retire(berth__images *images);

/* A cycle has begun: nodes that change from now on, change after it. */
static inline void berth__images_begin_cycle(berth__images *images)
{
    images->cycle++;
}

/* The record of a name, or NULL if no present node has it. */
const berth__image_record *berth__image_find(const berth__images *images, berth__sym name);
/* What an image was before; NULL where nobody knows. */
const berth__image_past *berth__image_before(const berth__images *images, uint32_t past);

/* Make room for berth__images_replace. Returns false when out of memory. */
bool berth__images_make_writable(berth__images *images, const berth__node_facts *old,
                                 const berth__node_facts *fresh);

/* A node comes (`old` is NULL), changes or goes (`fresh` is NULL): count its images. What it alone
 * has takes the size that it says now. */
void berth__images_replace(berth__images *images, const berth__node_facts *old,
                           const berth__node_facts *fresh);

/* For undoing: the records of a node's images, in their order, out and back in. */
void berth__images_save(const berth__images *images, const berth__node_facts *facts,
                        berth__image_record *out);
void berth__images_restore(berth__images *images, const berth__node_facts *facts,
                           const berth__image_record *from);

/* Whether the past has become long, and making it short: `nodes` nodes, by id, are what may look at
 * it. Not while undo records lead to it. Without memory it stays as it is. Cost: the images of all
 * nodes. */
static inline bool berth__images_are_long(const berth__images *images)
{
    return images->past_count >= images->rewrite_at;
}
void berth__images_rewrite(berth__images *images, const berth__cow_array *nodes, uint32_t count);

#endif
