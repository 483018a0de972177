/* The cluster that an engine keeps: nodes by name, pods, the node tree, and the view that decisions
 * read. Objects come and go here. The layout follows when the next decision begins.
 *
 * A copy of the struct is a snapshot of the cluster, as long as the blocks that it refers to are
 * kept. base/cow_owner.h says who changes what, and versions/branch.h what a branch owns.
 *
 * Invariants between two calls; berth__cluster_check verifies those marked with a star.
 *   CLUSTER-1  * every pod record in use is on one list: the list of its node if the pod is bound,
 *              whether or not that node exists, and the list of pending pods otherwise.
 *   CLUSTER-2  * running_count is the number of pods on present nodes, and orphan_count that of
 *              pods on missing ones; together they are all pods that are not pending.
 *   CLUSTER-3  * for a present node with a slot, the used amounts in its tile are the sums over the
 *              classes of its pods.
 *   CLUSTER-4  * no pod of a node has a lower priority than the node's lowest_priority, which is a
 *              bound: it is not raised when pods leave, only when the node becomes empty.
 *   CLUSTER-5  a present node has a slot, or it is one of unplaced_count nodes that the next layout
 *              gives one (berth__cluster_sync). A missing node has no slot.
 *   CLUSTER-6  * every counter of pods by selector and domain (view.counts), and every volume in
 *              use (view.volume_use), equals a recount over the pods on nodes with slots, unless a
 *              branch has yet to catch up (`catch_up`, `catch_up_volumes`).
 *   CLUSTER-7  while `undo` records, each change leaves a record that takes it back; and the view's
 *              journal has each slot whose columns changed, except during a dry run, which restores
 *              them itself. */
#ifndef BERTH_CLUSTER_CLUSTER_H
#define BERTH_CLUSTER_CLUSTER_H

#include "base/undo_log.h"
#include "berth/engine.h"
#include "cluster/changes.h"
#include "cluster/nominations.h"
#include "columns/node_tree.h"
#include "columns/view.h"
#include "model/disruption.h"
#include "store/storage_rows.h"

/* Called for pods that arrive on nodes or leave them (pod_moves.h). NULL: not called. */
typedef struct berth__pod_listener {
    void *context;
    void (*moved)(void *context, uint32_t pod, berth__class *cls, uint32_t node, bool came);
} berth__pod_listener;
enum { BERTH__NODE_SWEEP_MIN = 256 }; /* ids handed out before the first search for free ones */

typedef struct berth__cluster {
    berth__model *model; /* shared with snapshots and branches */
    berth__cow_owner cow;
    uint32_t node_count;    /* ids below have a record in view.nodes, in use or free */
    uint32_t free_node;     /* the first free id, or BERTH_NODE_NONE */
    uint32_t node_sweep_at; /* if no id is free and this many exist, sweep */
    uint32_t present_count;
    berth__node_tree *tree;
    berth__pods pods;
    uint64_t running_count;
    uint64_t orphan_count;
    berth__nominations nominations;
    berth__disruption *disruption;
    berth__stored_rows stored; /* view.storage as last published; only an engine has one */
    berth__view view;
    uint32_t unplaced_count; /* present nodes that the layout lacks */
    uint64_t layouts;        /* made since the engine or branch was created, not by rollbacks */
    berth__undo_log undo;    /* of everything above, see cluster_undo.h */
    bool lost_volumes;       /* an update removed a pod's volumes, but reservations may remain */
    bool amounts_are_facts;  /* plugins keep allocatable amounts, as they keep labels */
    /* For a branch whose counters belong to another state: brings them to this one. NULL: nothing
     * to do. */
    berth_status (*catch_up)(struct berth__cluster *cluster);
    berth_status (*catch_up_volumes)(struct berth__cluster *cluster); /* the same for volumes */
    berth__pod_listener pod_moves;                                    /* only an engine has one */
    berth__watcher *watcher; /* notified of every change of an object; NULL: none */
} berth__cluster;

berth_status berth__cluster_init(berth__cluster *cluster, const berth_allocator *allocator,
                                 const berth__behaviours *behaviours);
/* Nothing may be published or branched any more. */
void berth__cluster_destroy(berth__cluster *cluster);

/* Facts leave the state permanently. */
void berth__cluster_drop_facts(berth__cluster *cluster, berth__node_facts *facts);

static inline berth__node_record *berth__cluster_node(const berth__cluster *cluster, uint32_t id)
{
    return berth__node_at(&cluster->view.nodes, id);
}

/* Bring counters and journal to this state, as decisions and transactions require. Errors:
 * BERTH_E_NOMEM. */
static inline berth_status berth__cluster_catch_up(berth__cluster *cluster)
{
    return BERTH_LIKELY(cluster->catch_up == NULL) ? BERTH_OK : cluster->catch_up(cluster);
}

/* The same for the store of volumes, before any operation on a pod with volumes. */
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

/* Set spec.unschedulable of a present node. Errors: BERTH_E_NOMEM. */
berth_status berth__cluster_cordon(berth__cluster *cluster, uint32_t node, bool unschedulable);

/* Close a present node, so that it takes no pod, or open it again. Ends when the node is removed.
 * Errors: BERTH_E_NOMEM (only while `undo` records). */
berth_status berth__cluster_close(berth__cluster *cluster, uint32_t node, bool closed);

/* Make the budgets writable, because simulated evictions write to them. An engine always does this,
 * a branch before it decides. Errors: BERTH_E_NOMEM. */
berth_status berth__cluster_make_disruption_writable(berth__cluster *cluster);

/* The node id of a name. BERTH_NODE_NONE if no node has the name and no pod refers to it. */
uint32_t berth__cluster_find_node(const berth__cluster *cluster, berth_str name);

/* Move a pending pod to a node, and back. The index is valid and the pod is in the right state.
 * bind reserves room for its records in `undo`; for unbind, berth__cluster_reserve_undo does.
 * Errors: BERTH_E_NOMEM; nothing has changed then. Unbinding needs memory only if something was
 * published after the pod was bound; prepare_unbind reserves it. */
berth_status berth__cluster_bind(berth__cluster *cluster, uint32_t pod, uint32_t node);
berth_status berth__cluster_prepare_unbind(berth__cluster *cluster, uint32_t pod);
berth_status berth__cluster_unbind(berth__cluster *cluster, uint32_t pod);

/* What a bind changes and the pod's records do not tell afterwards. */
typedef struct berth__before_bind {
    uint32_t previous;  /* the pod before it on the list of pending pods */
    uint64_t refreshed; /* of the node */
} berth__before_bind;

/* `before_bind` reads this before a bind. `retract` takes the bind back, if nothing else has
 * changed since; it needs no memory. Only while `undo` does not record. */
berth__before_bind berth__cluster_before_bind(berth__cluster *cluster, uint32_t pod, uint32_t node);
void berth__cluster_retract(berth__cluster *cluster, uint32_t pod, berth__before_bind before);

/* Reserve what removing the pod needs. Until something is published, the removal cannot fail.
 * Errors: BERTH_E_NOMEM. */
berth_status berth__cluster_prepare_removal(berth__cluster *cluster, uint32_t pod);

/* The index of a public pod id, or BERTH_POD_INDEX_NONE. */
uint32_t berth__cluster_pod(const berth__cluster *cluster, berth_pod_id id);
berth_pod_id berth__cluster_pod_id(const berth__cluster *cluster, uint32_t index);

/* Compare the state with a recount from the pods. Errors: BERTH_E_INTERNAL (names the
 * difference). */
berth_status berth__cluster_check(berth__cluster *cluster, berth_error *error);
/* Only nodes and pods, which also works on a snapshot. */
berth_status berth__cluster_check_sums(const berth__cluster *cluster, berth_error *error);

static inline bool berth__node_present(const berth__node_record *node)
{
    return node->facts != NULL;
}

/* Take the model's lock, and say which snapshots may see what is interned meanwhile. */
void berth__cluster_lock(const berth__cluster *cluster);

#endif
