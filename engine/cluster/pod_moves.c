/* Notifies plugins of pods that arrive on nodes or leave them, and of the opposite when the undo
 * log takes a move back. */
#include "cluster/pod_moves.h"

/* A pod that came or left; BERTH_POD_INDEX_NONE: all pods of the node. */
typedef struct pod_move {
    berth__class *cls;
    uint32_t pod;
    uint32_t node;
    bool came;
} pod_move;

/* Notify the plugin without the lock: it may wait for a thread that needs the lock. */
static void tell(berth__cluster *cluster, uint32_t pod, berth__class *cls, uint32_t node, bool came)
{
    berth__model_unlock(cluster->model);
    cluster->pod_moves.moved(cluster->pod_moves.context, pod, cls, node, came);
    berth__cluster_lock(cluster);
}

static void tell_of_all(berth__cluster *cluster, uint32_t node, bool came)
{
    const berth__pods *pods = &cluster->pods;
    for (uint32_t pod = berth__cluster_node(cluster, node)->first_pod; pod != BERTH_POD_INDEX_NONE;
         pod = berth__pod_at(pods, pod)->next)
        tell(cluster, pod, berth__pod_at(pods, pod)->cls, node, came);
}

/* Later moves have been undone already, but not the change itself. So the classes still exist, and
 * the node has the pods that it had. */
static void undo_move(void *owner, void *record)
{
    const pod_move *move = record;
    if (move->pod == BERTH_POD_INDEX_NONE)
        tell_of_all(owner, move->node, !move->came);
    else
        tell(owner, move->pod, move->cls, move->node, !move->came);
}

void berth__note_pod_moved(berth__cluster *cluster, uint32_t pod, berth__class *cls, uint32_t node,
                           bool came)
{
    static const berth__undo_kind moved = {undo_move, NULL};
    pod_move *move = berth__undo_push(&cluster->undo, &moved, cluster, sizeof(*move));
    if (move != NULL)
        *move = (pod_move){cls, pod, node, came};
}

void berth__pod_moved_heard(berth__cluster *cluster, uint32_t pod, berth__class *cls, uint32_t node,
                            bool came)
{
    if (node == BERTH_NODE_NONE || !berth__node_present(berth__cluster_node(cluster, node)))
        return;
    tell(cluster, pod, cls, node, came);
    berth__note_pod_moved(cluster, pod, cls, node, came);
}

void berth__node_moved(berth__cluster *cluster, uint32_t node, bool came)
{
    if (cluster->pod_moves.moved == NULL)
        return;
    tell_of_all(cluster, node, came);
    berth__note_pod_moved(cluster, BERTH_POD_INDEX_NONE, NULL, node, came);
}
