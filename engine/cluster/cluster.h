/* The cluster that an engine keeps: nodes by name, pods, the node tree and the view decisions read.
 * Objects come and go here; the layout follows when the next decision begins.
 *
 * A copy of the struct is a snapshot of the cluster, as long as the blocks that it leads to are
 * kept: see base/cow_owner.h for who changes what, and versions/branch.h for what a branch has of
 * its own. */
#ifndef BERTH_CLUSTER_CLUSTER_H
#define BERTH_CLUSTER_CLUSTER_H

#include "base/undo_log.h"
#include "berth/engine.h"
#include "cluster/changes.h"
#include "cluster/nominated.h"
#include "columns/node_tree.h"
#include "columns/view.h"
#include "model/disruption.h"
#include "store/storage_rows.h"

/* Who is told of pods that come to nodes and leave them (pod_moves.h). NULL: nobody. */
typedef struct berth__pod_listener {
    void *context;
    void (*moved)(void *context, uint32_t pod, berth__class *cls, uint32_t node, bool came);
} berth__pod_listener;
enum { BERTH__NODE_SWEEP_MIN = 256 }; /* ids of nodes before free ones are looked for */

typedef struct berth__cluster {
    berth__model *model; /* shared with snapshots and branches */
    berth__cow_owner cow;
    uint32_t node_count;           /* ids below have a record in view.nodes, free or not */
    uint32_t free_node;            /* first of the free ids, or BERTH_NODE_NONE */
    uint32_t node_sweep_at;        /* without a free id, so many ids call for a sweep */
    berth__cow_array node_of_name; /* by name's sym: id + 1, 0: none */
    uint32_t present_count;
    berth__node_tree *tree;
    berth__pods pods;
    uint64_t running_count;
    uint64_t orphan_count;
    berth__nominations nominations;
    berth__disruption *disruption;
    berth__stored_rows stored; /* what was last shown of view.storage, which is an engine's alone */
    berth__view view;
    uint32_t unplaced_count; /* present nodes that the layout does not have yet */
    berth__undo_log undo;    /* of everything above, see cluster_undo.h */
    bool lost_volumes;       /* an update took a pod its volumes: it may hold reservations yet */
    bool amounts_are_facts;  /* plugins keep what they read of allocatable amounts, as of labels */
    /* Of a branch whose counters are those of another state: brings them here. NULL: there is
     * nothing to do. */
    berth_status (*catch_up)(struct berth__cluster *cluster);
    berth_status (*catch_up_volumes)(struct berth__cluster *cluster); /* the same: its volumes */
    berth__pod_listener pod_moves;                                    /* an engine's alone */
    berth__watcher *watcher; /* hears of every change of an object; NULL: nobody does */
} berth__cluster;

berth_status berth__cluster_init(berth__cluster *cluster, const berth_allocator *allocator,
                                 const berth__behaviours *behaviours);
/* Nothing is published or branched any more. */
void berth__cluster_destroy(berth__cluster *cluster);

/* Facts leave the state for good. */
void berth__cluster_drop_facts(berth__cluster *cluster, berth__node_facts *facts);

static inline berth__node_record *berth__cluster_node(const berth__cluster *cluster, uint32_t id)
{
    return berth__node_at(&cluster->view.nodes, id);
}

/* Make counters and journal those of this state; decisions and transactions do. Errors: E_NOMEM. */
static inline berth_status berth__cluster_catch_up(berth__cluster *cluster)
{
    return BERTH_LIKELY(cluster->catch_up == NULL) ? BERTH_OK : cluster->catch_up(cluster);
}

/* The same for the store of volumes: before anything is done to a pod that has some. */
static inline berth_status berth__cluster_catch_up_volumes(berth__cluster *cluster)
{
    return BERTH_LIKELY(cluster->catch_up_volumes == NULL) ? BERTH_OK
                                                           : cluster->catch_up_volumes(cluster);
}

/* Bring the layout up to date, as kube-scheduler's snapshot does at the start of a cycle. */
berth_status berth__cluster_sync(berth__cluster *cluster);

/* Objects; see berth_engine_add, _update, _remove. */
berth_status berth__cluster_add(berth__cluster *cluster, const berth_object *object, uint64_t *id,
                                berth_error *error);
berth_status berth__cluster_add_like(berth__cluster *cluster, uint32_t pod, berth_str name,
                                     uint64_t *id, berth_error *error);
berth_status berth__cluster_update(berth__cluster *cluster, const berth_object *object,
                                   berth_error *error);
berth_status berth__cluster_remove(berth__cluster *cluster, berth_kind kind,
                                   berth_str namespace_name, berth_str name, berth_error *error);

/* Set spec.unschedulable of a present node. Errors: E_NOMEM. */
berth_status berth__cluster_cordon(berth__cluster *cluster, uint32_t node, bool unschedulable);

/* Let a present node take no pod at all, or again those that fit. Ends with the node's removal.
 * Errors: E_NOMEM (only while `undo` records). */
berth_status berth__cluster_close(berth__cluster *cluster, uint32_t node, bool closed);

/* Own the budgets, which evictions in thought write to: an engine always does, a branch before it
 * decides. Errors: E_NOMEM. */
berth_status berth__cluster_make_disruption_writable(berth__cluster *cluster);

/* Node id of a name, or BERTH_NODE_NONE if no node or pod ever named it. */
uint32_t berth__cluster_find_node(const berth__cluster *cluster, berth_str name);

/* Move a pending pod onto a node, and back. The index is valid and the pod in the right state.
 * Records in `undo` take their room in bind, and for unbind have it from
 * berth__cluster_reserve_undo. Errors: E_NOMEM; nothing has changed then. Unbinding needs memory
 * only where something has been published since the pod was bound; own_unbind takes it
 * beforehand. */
berth_status berth__cluster_bind(berth__cluster *cluster, uint32_t pod, uint32_t node);
berth_status berth__cluster_prepare_unbind(berth__cluster *cluster, uint32_t pod);
berth_status berth__cluster_unbind(berth__cluster *cluster, uint32_t pod);

/* Take beforehand what removing the pod needs: until something is published it will not
 * fail. Errors:
 * E_NOMEM. */
berth_status berth__cluster_prepare_removal(berth__cluster *cluster, uint32_t pod);

/* The pod behind a public id, or BERTH_POD_INDEX_NONE. */
uint32_t berth__cluster_pod(const berth__cluster *cluster, berth_pod_id id);
berth_pod_id berth__cluster_pod_id(const berth__cluster *cluster, uint32_t index);

/* Compare the state with a recount from the pods. Errors: E_INTERNAL naming what differs. */
berth_status berth__cluster_check(berth__cluster *cluster, berth_error *error);
/* Nodes and pods alone, which can be done on a snapshot. */
berth_status berth__cluster_check_sums(const berth__cluster *cluster, berth_error *error);

static inline bool berth__node_present(const berth__node_record *node)
{
    return node->facts != NULL;
}

/* Take the model's lock, saying who may see what is interned meanwhile. */
void berth__cluster_lock(const berth__cluster *cluster);

#endif
