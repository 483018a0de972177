/* Volumes in use: for each node, the claims and inline disks of its pods and what counts as
 * attached there; for the cluster, how many pods use each claim. The counts follow pods as they
 * come and go. A refresh before a decision takes over changes of the store.
 *
 * State is by node id, so a new layout does not touch it. Only nodes that have pods with volumes,
 * or that the store knows, have state. */
#ifndef BERTH_COLUMNS_VOLUME_USE_H
#define BERTH_COLUMNS_VOLUME_USE_H

#include "base/arena.h"
#include "base/limit.h"
#include "columns/attached_volumes.h"
#include "columns/layout.h"
#include "columns/tile_kernels.h"
#include "columns/volume_offers.h"
#include "model/pod.h"
#include "store/storage.h"

/* A claim or a disk that pods of the node use. */
typedef struct berth__volume_ref {
    uint32_t id;                /* the claim's, or the disk's with bit 31 set */
    uint32_t uses;              /* by volumes of pods */
    berth__attachments counted; /* as counted in `attached` */
} berth__volume_ref;

#define BERTH__DISK_BIT (UINT32_C(1) << 31)

/* An attached volume. It counts once, however many refs and VolumeAttachments there are for it. */
typedef struct berth__attached {
    berth__attachment attachment;
    uint32_t refs;   /* claims and disks that stand for it */
    uint32_t listed; /* VolumeAttachments of it */
} berth__attached;

typedef struct berth__driver_count {
    berth__sym driver;
    uint32_t count; /* entries in `attached`; not 0 */
} berth__driver_count;

typedef struct berth__node_volumes {
    const berth__storage_node *record; /* the store's record of the node, or NULL */
    bool synced;                       /* up to date with the record */
    uint32_t disk_count;               /* refs to disks */
    berth__volume_ref *refs;           /* by id */
    uint32_t ref_count, ref_capacity;
    berth__attached *attached; /* by attachment */
    uint32_t attached_count, attached_capacity;
    berth__driver_count *drivers; /* by driver */
    uint32_t driver_count, driver_capacity;
} berth__node_volumes;

/* How full nodes are with a driver's volumes: INT32_MAX less the number that may still be attached;
 * INT32_MAX + 1 if there are too many. */
typedef struct berth__driver_fill {
    berth__sym driver;
    uint64_t order;  /* order epoch of the layout whose nodes are all included */
    uint32_t *nodes; /* by node id */
    uint32_t capacity;
    uint32_t *slots; /* the same by slot of that layout, in whole tiles */
    uint32_t slot_capacity;
    uint32_t *most;      /* by tile of that layout: no entry of its slots is above this */
    uint32_t tile_count; /* that `most` has room for, in runs of BERTH__TILE */
} berth__driver_fill;

enum { BERTH__DRIVER_FILLS_MAX = BERTH__LIMIT(8, 1) };

/* Use of one claim in the whole cluster. */
typedef struct berth__claim_use {
    uint32_t refs; /* by volumes of any kind */
    uint32_t pods; /* by volumes that name the claim, without those of generic ephemeral volumes */
    uint32_t node; /* the only node that uses it; BERTH_NODE_NONE: there may be several */
} berth__claim_use;

typedef struct berth__volume_use {
    const berth_allocator *allocator;
    berth__storage *storage;
    berth__arena states;         /* of nodes, kept for the next node that gets the id */
    berth__node_volumes **nodes; /* by node id; NULL: no state */
    uint32_t node_capacity;
    berth__claim_use *claims; /* by claim id */
    uint32_t claim_capacity;
    uint32_t *node_of_record; /* by storage node id: node id */
    uint32_t record_capacity;
    uint32_t record_count;  /* number of the store's records when nodes were last looked up */
    uint64_t records_named; /* the store's `nodes_named` at that time */
    uint64_t order;         /* order epoch of the layout at that time */
    uint64_t seen;          /* of the store's journal */
    uint32_t behind;        /* calls of keep_up since the last refresh */
    berth__attached_volumes attached;                  /* by pods of any node */
    berth__driver_fill fills[BERTH__DRIVER_FILLS_MAX]; /* of the drivers requested so far */
    uint32_t fill_count;
    uint32_t *slots; /* by node id, in the layout of the columns: slot + 1; 0: none */
    uint32_t slot_capacity;
    uint64_t slots_order; /* order epoch of that layout */
    berth__volume_offers offers;
} berth__volume_use;

berth_status berth__volume_use_create(berth__storage *storage, berth__volume_use **out);
void berth__volume_use_destroy(berth__volume_use *use);

/* Count one more, or one fewer, pod with these volumes on a node. `add` fails only when out of
 * memory; nothing has changed then. */
berth_status berth__volume_use_add(berth__volume_use *use, uint32_t node_id,
                                   const berth__volume_list *list);
void berth__volume_use_remove(berth__volume_use *use, uint32_t node_id,
                              const berth__volume_list *list);

/* For undoing: count again the volumes of a pod that were counted on the node before. Needs no
 * memory: the next refresh makes up for entries that lack room now. */
void berth__volume_use_restore(berth__volume_use *use, uint32_t node_id,
                               const berth__volume_list *list);

/* The node's id was freed: no pod is on the node, and another node may get the id. */
void berth__volume_use_forget_node(berth__volume_use *use, uint32_t node_id);

/* Remove records that neither the store nor anything here refers to (storage_sweep.c). */
void berth__volume_use_sweep(const berth__volume_use *use);

/* Take over changes of the store and of the layout. Returns false when out of memory. */
bool berth__volume_use_refresh(berth__volume_use *use, const berth__layout *layout,
                               const berth__cow_array *nodes);

/* Take them over while objects come, so that no decision has to count everything again. Call it for
 * each new object of the store and each pod with volumes, with the current layout; most calls do
 * nothing. What memory is too short for is left to the next refresh. */
void berth__volume_use_keep_up(berth__volume_use *use, const berth__layout *layout,
                               const berth__cow_array *nodes);

/* The state of a node. NULL: no volume is in use there, and the store does not know the node. */
static inline const berth__node_volumes *berth__volume_use_of(const berth__volume_use *use,
                                                              uint32_t node_id)
{
    return node_id < use->node_capacity ? use->nodes[node_id] : NULL;
}

/* The number of volumes of pods on present nodes that name a claim. */
static inline uint32_t berth__volume_use_of_claim(const berth__volume_use *use,
                                                  const berth__claim *claim)
{
    return claim->id < use->claim_capacity ? use->claims[claim->id].pods : 0;
}

/* Whether some pod of any node has this attached. */
static inline bool berth__volume_use_attaches(const berth__volume_use *use,
                                              berth__attachment attachment)
{
    return berth__attached_volumes_nodes(&use->attached, attachment) > 0;
}

/* Whether some pod of the node has this attached; the number of volumes that a driver has attached
 * there. */
bool berth__volume_is_attached(const berth__node_volumes *volumes, berth__attachment attachment);
uint32_t berth__volumes_attached(const berth__node_volumes *volumes, berth__sym driver);

/* The column of a driver, after a refresh; valid until the next call. NULL: there are too many
 * columns, or memory is short, so the caller must check nodes one by one. Cost: for a new driver or
 * layout, reads all nodes. */
const berth__driver_fill *berth__driver_fill_get(berth__volume_use *use, berth__sym driver,
                                                 const berth__layout *layout);

/* The slots of a tile whose nodes have room for `count` more volumes. */
berth__mask berth__driver_fill_room(const berth__driver_fill *fill, const berth__kernels *kernels,
                                    uint32_t tile, uint32_t count);

/* Set the bit of each tile where a node may lack room for `count` more volumes. */
void berth__driver_fill_busy(const berth__driver_fill *fill, const berth__layout *layout,
                             const berth__kernels *kernels, uint32_t count, uint64_t *tiles);

/* The column's entry for a node with these volumes. */
uint32_t berth__driver_fill_of(const berth__node_volumes *volumes, berth__sym driver);

/* Update the columns after a change of a node's volumes, or of the store's record of the node
 * (volume_use.c). */
void berth__driver_fills_change(berth__volume_use *use, uint32_t node_id);
void berth__driver_fills_destroy(berth__volume_use *use);

/* Compare the kept counts with a recount from the pods of the nodes in the layout and from the
 * store, after a refresh. Errors: BERTH_E_INTERNAL (names the difference), BERTH_E_NOMEM. */
berth_status berth__volume_use_check(berth__volume_use *use, const berth__layout *layout,
                                     const berth__cow_array *nodes, const berth__pods *pods,
                                     berth_error *error);

/* The attachments that a ref stands for on its node. */
berth__attachments berth__volume_ref_attachments(const berth__volume_use *use,
                                                 const berth__node_volumes *volumes, uint32_t id);

#endif
