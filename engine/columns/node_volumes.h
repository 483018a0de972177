/* Volumes in use: on each node the claims and inline disks of its pods and what counts as
 * attached there, and in the cluster how many pods use a claim. Kept as pods come and go; what
 * changes in the store is taken over by a refresh before a decision.
 *
 * State is by node id, so a new layout does not touch it, and only nodes have any that have pods
 * with volumes or of which the store knows something. */
#ifndef BERTH_COLUMNS_NODE_VOLUMES_H
#define BERTH_COLUMNS_NODE_VOLUMES_H

#include "columns/layout.h"
#include "model/pod.h"
#include "store/storage.h"

/* A claim or a disk that pods of the node use. */
typedef struct berth__volume_ref {
    uint32_t id;                /* the claim's, or the disk's with bit 31 set */
    uint32_t uses;              /* by volumes of pods */
    berth__attachments counted; /* as it is counted in `attached` */
} berth__volume_ref;

#define BERTH__DISK_BIT (UINT32_C(1) << 31)

/* Something attached. It counts once, whoever says so. */
typedef struct berth__attached {
    berth__attachment attachment;
    uint32_t refs;   /* claims and disks that are this one */
    uint32_t listed; /* VolumeAttachments that are this one */
} berth__attached;

typedef struct berth__driver_count {
    berth__sym driver;
    uint32_t count; /* of its entries in `attached`; not 0 */
} berth__driver_count;

typedef struct berth__node_volumes {
    const berth__storage_node *record; /* what the store knows of the node, or NULL */
    bool synced;                       /* with the record */
    uint32_t disk_count;               /* refs that are disks */
    berth__volume_ref *refs;           /* by id */
    uint32_t ref_count, ref_capacity;
    berth__attached *attached; /* by attachment */
    uint32_t attached_count, attached_capacity;
    berth__driver_count *drivers; /* by driver */
    uint32_t driver_count, driver_capacity;
} berth__node_volumes;

/* How full nodes are of what a driver attaches: by node id, INT32_MAX less what may still come;
 * one more than INT32_MAX where there is too much. */
typedef struct berth__driver_fill {
    berth__sym driver;
    uint64_t epoch; /* of the layout whose nodes are all there */
    uint32_t *nodes;
    uint32_t capacity;
} berth__driver_fill;

enum { BERTH__DRIVER_FILLS_MAX = 8 };

/* Use of one claim in the whole cluster. */
typedef struct berth__claim_use {
    uint32_t refs; /* by volumes of any kind */
    uint32_t pods; /* by volumes that name the claim, those of generic ephemeral volumes left out */
    uint32_t node; /* the one node that uses it, or BERTH_NODE_NONE: there may be several */
} berth__claim_use;

typedef struct berth__volume_use {
    const berth_allocator *allocator;
    berth__storage *storage;
    berth__node_volumes **nodes; /* by node id; NULL: no state */
    uint32_t node_capacity;
    berth__claim_use *claims; /* by claim id */
    uint32_t claim_capacity;
    uint32_t *node_of_record; /* by storage node id: node id */
    uint32_t record_capacity;
    uint32_t record_count;  /* records that were looked up in the layout */
    uint64_t records_named; /* the store's then */
    uint64_t epoch;         /* of that layout */
    uint64_t seen;          /* of the store's journal */
    berth__driver_fill fills[BERTH__DRIVER_FILLS_MAX]; /* of the drivers asked for so far */
    uint32_t fill_count;
} berth__volume_use;

berth_status berth__volume_use_create(berth__storage *storage, berth__volume_use **out);
void berth__volume_use_destroy(berth__volume_use *use);

/* One more, or one fewer, pod with these volumes on a node. `add` fails only for want of memory
 * and then changes nothing. */
berth_status berth__volume_use_add(berth__volume_use *use, uint32_t node_id,
                                   const berth__volume_list *list);
void berth__volume_use_remove(berth__volume_use *use, uint32_t node_id,
                              const berth__volume_list *list);

/* For undoing: a pod's volumes, counted on the node before, are again. Needs no memory: what
 * there is no room for just now is left to the next refresh. */
void berth__volume_use_restore(berth__volume_use *use, uint32_t node_id,
                               const berth__volume_list *list);

/* The node's id is no longer given: no pod is on it, and it may be another node's next. */
void berth__volume_use_forget_node(berth__volume_use *use, uint32_t node_id);

/* Give up the store's records that neither it nor anything here speaks of (storage_sweep.c). */
void berth__volume_use_sweep(const berth__volume_use *use);

/* Take over what changed in the store and in the layout. Returns false when out of memory. */
bool berth__volume_use_refresh(berth__volume_use *use, const berth__layout *layout,
                               const berth__cow_array *nodes);

/* The state of a node; NULL: no volume is in use there and the store knows nothing of it. */
static inline const berth__node_volumes *berth__volume_use_of(const berth__volume_use *use,
                                                              uint32_t node_id)
{
    return node_id < use->node_capacity ? use->nodes[node_id] : NULL;
}

/* How many volumes of pods on present nodes name a claim. */
static inline uint32_t berth__volume_use_of_claim(const berth__volume_use *use,
                                                  const berth__claim *claim)
{
    return claim->id < use->claim_capacity ? use->claims[claim->id].pods : 0;
}

/* Whether some pod of the node has this attached; how many a driver has attached there in all. */
bool berth__volume_is_attached(const berth__node_volumes *volumes, berth__attachment attachment);
uint32_t berth__volumes_attached(const berth__node_volumes *volumes, berth__sym driver);

/* The column of a driver, after a refresh, valid until the next call; NULL: there are too many, or
 * memory is short, and who asks looks at nodes one by one. Cost: of a new driver or layout, a look
 * at all nodes. */
const berth__driver_fill *berth__driver_fill_get(berth__volume_use *use, berth__sym driver,
                                                 const berth__layout *layout);

/* What a column says of a node with these volumes. */
uint32_t berth__driver_fill_of(const berth__node_volumes *volumes, berth__sym driver);

/* Follow a change of a node's volumes, or of what the store knows of it (node_volumes.c). */
void berth__driver_fills_change(berth__volume_use *use, uint32_t node_id);
void berth__driver_fills_destroy(berth__volume_use *use);

/* Compare what is kept with a recount from the pods of the nodes in the layout and from the
 * store, after a refresh. Errors: E_INTERNAL naming what differs, E_NOMEM. */
berth_status berth__volume_use_check(berth__volume_use *use, const berth__layout *layout,
                                     const berth__cow_array *nodes, const berth__pods *pods,
                                     berth_error *error);

/* What a ref counts as on its node. */
berth__attachments berth__volume_ref_attachments(const berth__volume_use *use,
                                                 const berth__node_volumes *volumes, uint32_t id);

#endif
