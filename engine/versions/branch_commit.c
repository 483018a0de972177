/* Commit of a branch: its placements handed to its engine, or the conflicts named. */
#include "versions/branch.h"

#include <stdlib.h>

#include "base/cow_array.h"
#include "base/error.h"
#include "cluster/cluster_read.h"
#include "versions/snapshot_state.h"

/* A pod that the branch placed. */
typedef struct placement {
    uint32_t pod;
    uint32_t order;
    bool refused; /* it could not be taken off its node */
} placement;

typedef struct handing {
    berth_engine *branch;
    berth_engine *engine;
    const berth__cluster *base;
    placement *placements; /* by pod, then in order */
    uint32_t placement_count;
    berth_conflict *conflicts;
    uint32_t capacity;
    uint32_t count;
    berth_status status;
    berth_error *error;
} handing;

static void conflict(handing *own, uint32_t pod, uint32_t node, berth_conflict_kind kind)
{
    if (own->count < own->capacity)
        own->conflicts[own->count] =
            (berth_conflict){berth__cluster_pod_id(own->base, pod), node, kind};
    own->count++;
}

/* ---- what the branch did ---- */

static const berth__pod_record *pod_of(const berth__cluster *cluster, uint32_t index)
{
    const berth__pod_record *pod =
        index < cluster->pods.record_count ? berth__pod_at(&cluster->pods, index) : NULL;
    return pod != NULL && pod->cls != NULL ? pod : NULL;
}

/* A pod of the version that the branch still has. */
static bool is_known(const handing *own, uint32_t index)
{
    const berth__pod_record *was = pod_of(own->base, index),
                            *is = pod_of(&own->branch->cluster, index);
    return was != NULL && is != NULL && was->generation == is->generation;
}

static int by_order(const void *a, const void *b)
{
    const placement *first = a, *second = b;
    if (first->order != second->order)
        return first->order < second->order ? -1 : 1;
    return (first->pod > second->pod) - (first->pod < second->pod);
}

static int find_by_pod(const void *key, const void *item)
{
    uint32_t pod = *(const uint32_t *)key, other = ((const placement *)item)->pod;
    return (pod > other) - (pod < other);
}

static void each_known(handing *own, uint32_t page, void (*visit)(handing *own, uint32_t pod))
{
    for (uint32_t i = 0; i < BERTH__PODS_A_PAGE; i++)
        if (is_known(own, page << BERTH__POD_PAGE_SHIFT | i))
            visit(own, page << BERTH__POD_PAGE_SHIFT | i);
}

/* Counts them while there is no room. */
static void list_placement(handing *own, uint32_t pod)
{
    uint32_t node = pod_of(&own->branch->cluster, pod)->node;
    if (node == BERTH_NODE_NONE || node == pod_of(own->base, pod)->node)
        return;
    if (own->placements != NULL)
        own->placements[own->placement_count] = (placement){pod, UINT32_MAX, false};
    own->placement_count++;
}

static void list_page(void *context, uint32_t page, void *first, void *second)
{
    (void)first;
    (void)second;
    each_known(context, page, list_placement);
}

static placement *find_placement(const handing *own, uint32_t pod)
{
    return bsearch(&pod, own->placements, own->placement_count, sizeof(*own->placements),
                   find_by_pod);
}

static void compare_pods(handing *own, berth__page_visit *visit)
{
    berth__cow_array_compare(&own->base->pods.records, &own->branch->cluster.pods.records, visit,
                             own);
}

/* Placements of known pods, by pod, each with its place in the order of bindings: the last. Pods
 * that came to their nodes by an update go last. */
static void list_placements(handing *own)
{
    const berth__branch *branch = own->branch->branch;
    own->placement_count = 0;
    compare_pods(own, list_page);
    for (uint32_t i = 0; i < branch->placed_count && own->placement_count > 0; i++) {
        placement *one = find_placement(own, branch->placed[i]);
        if (one != NULL)
            one->order = i;
    }
}

/* ---- doing the same ---- */

/* The pod on the engine, if it is where the version has it. */
static uint32_t find_pod(handing *own, uint32_t index, uint32_t to)
{
    berth__cluster *cluster = &own->engine->cluster;
    uint32_t pod = berth__cluster_pod(cluster, berth__cluster_pod_id(own->base, index));
    if (pod == BERTH_POD_INDEX_NONE)
        conflict(own, index, to, BERTH_CONFLICT_POD_GONE);
    else if (berth__pod_at(&cluster->pods, pod)->node != pod_of(own->base, index)->node) {
        conflict(own, index, to, BERTH_CONFLICT_POD_MOVED);
        pod = BERTH_POD_INDEX_NONE;
    }
    return pod;
}

/* A pod that the branch took off its node leaves it; one that is gone has left. */
static void take_off(handing *own, uint32_t index)
{
    const berth__pod_record *was = pod_of(own->base, index),
                            *is = pod_of(&own->branch->cluster, index);
    if (own->status != BERTH_OK || was->node == BERTH_NODE_NONE || was->node == is->node)
        return;
    berth_pod_id id = berth__cluster_pod_id(own->base, index);
    if (is->node == BERTH_NODE_NONE &&
        berth__cluster_pod(&own->engine->cluster, id) == BERTH_POD_INDEX_NONE)
        return;
    uint32_t pod = find_pod(own, index, is->node);
    if (pod != BERTH_POD_INDEX_NONE) {
        own->status = berth__decider_unbind(&own->engine->decider, pod);
        return;
    }
    placement *then = find_placement(own, index);
    if (then != NULL)
        then->refused = true;
}

static void take_off_page(void *context, uint32_t page, void *first, void *second)
{
    (void)first;
    (void)second;
    each_known(context, page, take_off);
}

/* Node ids of the version are the engine's; others belong to a name. */
static uint32_t find_node(const handing *own, uint32_t node)
{
    const berth__cluster *cluster = &own->engine->cluster;
    if (node < own->base->node_count)
        return berth__cluster_present(cluster, node) != NULL ? node : BERTH_NODE_NONE;
    return berth__cluster_present_id(cluster,
                                     berth__cluster_node_name(&own->branch->cluster, node));
}

/* A pod that was on a node has just been taken off, and its place looked at. */
static uint32_t pod_to_place(handing *own, uint32_t index, uint32_t to)
{
    if (pod_of(own->base, index)->node == BERTH_NODE_NONE)
        return find_pod(own, index, to);
    return berth__cluster_pod(&own->engine->cluster, berth__cluster_pod_id(own->base, index));
}

static void place(handing *own, uint32_t index)
{
    berth__decider *decider = &own->engine->decider;
    uint32_t to = pod_of(&own->branch->cluster, index)->node, node = find_node(own, to);
    uint32_t pod = pod_to_place(own, index, to);
    bool fits = false;
    if (pod == BERTH_POD_INDEX_NONE)
        return;
    if (node == BERTH_NODE_NONE) {
        conflict(own, index, to, BERTH_CONFLICT_NODE_GONE);
        return;
    }
    own->status = berth__decider_fits(decider, pod, node, &fits, own->error);
    if (own->status != BERTH_OK)
        return;
    if (!fits) {
        conflict(own, index, to, BERTH_CONFLICT_NO_FIT);
        return;
    }
    berth_status bound = berth__decider_bind(decider, pod, node);
    if (bound == BERTH_E_NOMEM)
        own->status = bound;
    else if (bound != BERTH_OK)
        conflict(own, index, to, BERTH_CONFLICT_REFUSED);
}

static void hand_over(handing *own)
{
    list_placements(own);
    compare_pods(own, take_off_page);
    qsort(own->placements, own->placement_count, sizeof(*own->placements), by_order);
    for (uint32_t i = 0; i < own->placement_count && own->status == BERTH_OK; i++)
        if (!own->placements[i].refused)
            place(own, own->placements[i].pod);
}

/* All of it or nothing. */
static berth_status hand_over_whole(handing *own)
{
    berth__transactions *transactions = &own->engine->transactions;
    BERTH_TRY(berth__transaction_begin(transactions));
    hand_over(own);
    if (own->status == BERTH_OK && own->count == 0)
        berth__transaction_commit(transactions);
    else
        berth__transaction_rollback(transactions);
    return own->status;
}

static berth_status check_branch(const berth_engine *branch, berth_error *error)
{
    if (branch->branch == NULL)
        return berth__error_set(error, BERTH_E_ARG, "the engine is not a branch");
    if (branch->transactions.depth > 0)
        return berth__error_set(error, BERTH_E_STATE, "a transaction is open on the branch");
    return BERTH_OK;
}

berth_status berth_branch_commit(berth_engine *branch, berth_conflict *conflicts, uint32_t capacity,
                                 uint32_t *count, berth_error *error)
{
    BERTH_TRY(check_branch(branch, error));
    BERTH_TRY(berth__may_change(branch->branch->parent->cluster.watcher, error));
    handing own = {.branch = branch,
                   .engine = branch->branch->parent,
                   .base = &branch->branch->base->cluster,
                   .conflicts = conflicts,
                   .capacity = capacity,
                   .error = error};
    compare_pods(&own, list_page);
    size_t bytes = own.placement_count * sizeof(*own.placements);
    own.placements = berth__alloc(branch->allocator, bytes, _Alignof(placement));
    berth_status status = own.placements != NULL ? hand_over_whole(&own) : BERTH_E_NOMEM;
    berth__free(branch->allocator, own.placements, bytes);
    if (status == BERTH_E_NOMEM)
        return berth__error_set(error, status, "out of memory");
    if (status == BERTH_OK)
        *count = own.count;
    return status;
}
