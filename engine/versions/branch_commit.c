/* Commits a branch: repeats its placements on its engine, or names the conflicts. */
#include "versions/branch.h"

#include <stdlib.h>

#include "base/cow_array.h"
#include "base/error.h"
#include "base/sized.h"
#include "cluster/cluster_read.h"
#include "decide/one_node.h"
#include "versions/snapshot_state.h"

/* A pod that the branch placed. */
typedef struct placement {
    uint32_t pod;
    uint32_t order;
    bool refused; /* it could not be taken off its former node */
} placement;

typedef struct commit_state {
    berth_engine *branch;
    berth_engine *engine;
    const berth__cluster *base;
    placement *placements; /* sorted by pod, later by order */
    uint32_t placement_count;
    berth_conflict *conflicts; /* the caller's array, and its size of an entry */
    size_t conflict_size;
    uint32_t capacity;
    uint32_t count;
    berth_status status;
    berth_error *error;
} commit_state;

static void conflict(commit_state *commit, uint32_t pod, uint32_t node, berth_conflict_kind kind)
{
    const berth_conflict own = {berth__cluster_pod_id(commit->base, pod), node, kind};
    if (commit->count < commit->capacity)
        berth__sized_give_at(commit->conflicts, commit->count, commit->conflict_size, &own,
                             sizeof(own));
    commit->count++;
}

/* ---- what the branch did ---- */

static const berth__pod_record *pod_of(const berth__cluster *cluster, uint32_t index)
{
    const berth__pod_record *pod =
        index < cluster->pods.record_count ? berth__pod_at(&cluster->pods, index) : NULL;
    return pod != NULL && pod->cls != NULL ? pod : NULL;
}

/* Whether a pod of the snapshot still exists on the branch. */
static bool is_known(const commit_state *commit, uint32_t index)
{
    const berth__pod_record *was = pod_of(commit->base, index),
                            *is = pod_of(&commit->branch->cluster, index);
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

static void each_known(commit_state *commit, uint32_t page,
                       void (*visit)(commit_state *commit, uint32_t pod))
{
    for (uint32_t i = 0; i < BERTH__PODS_A_PAGE; i++)
        if (is_known(commit, page << BERTH__POD_PAGE_SHIFT | i))
            visit(commit, page << BERTH__POD_PAGE_SHIFT | i);
}

/* Add a placement; while there is no room, only count it. */
static void list_placement(commit_state *commit, uint32_t pod)
{
    uint32_t node = pod_of(&commit->branch->cluster, pod)->node;
    if (node == BERTH_NODE_NONE || node == pod_of(commit->base, pod)->node)
        return;
    if (commit->placements != NULL)
        commit->placements[commit->placement_count] = (placement){pod, UINT32_MAX, false};
    commit->placement_count++;
}

static void list_page(void *context, uint32_t page, void *first, void *second)
{
    (void)first;
    (void)second;
    each_known(context, page, list_placement);
}

static placement *find_placement(const commit_state *commit, uint32_t pod)
{
    return bsearch(&pod, commit->placements, commit->placement_count, sizeof(*commit->placements),
                   find_by_pod);
}

static void compare_pods(commit_state *commit, berth__page_visit *visit)
{
    berth__cow_array_compare(&commit->base->pods.records, &commit->branch->cluster.pods.records,
                             visit, commit);
}

/* List placements of known pods, sorted by pod, each with the position of its last binding. Pods
 * that an update moved to their nodes are last. */
static void list_placements(commit_state *commit)
{
    const berth__branch *branch = commit->branch->branch;
    commit->placement_count = 0;
    compare_pods(commit, list_page);
    for (uint32_t i = 0; i < branch->placed_count && commit->placement_count > 0; i++) {
        placement *one = find_placement(commit, branch->placed[i]);
        if (one != NULL)
            one->order = i;
    }
}

/* ---- repeating on the engine ---- */

/* The pod on the engine, if it is on the same node as in the snapshot. */
static uint32_t find_pod(commit_state *commit, uint32_t index, uint32_t to)
{
    berth__cluster *cluster = &commit->engine->cluster;
    uint32_t pod = berth__cluster_pod(cluster, berth__cluster_pod_id(commit->base, index));
    if (pod == BERTH_POD_INDEX_NONE)
        conflict(commit, index, to, BERTH_CONFLICT_POD_GONE);
    else if (berth__pod_at(&cluster->pods, pod)->node != pod_of(commit->base, index)->node) {
        conflict(commit, index, to, BERTH_CONFLICT_POD_MOVED);
        pod = BERTH_POD_INDEX_NONE;
    }
    return pod;
}

/* Take a pod off its node if the branch did. If the pod no longer exists, there is nothing to
 * do. */
static void take_off(commit_state *commit, uint32_t index)
{
    const berth__pod_record *was = pod_of(commit->base, index),
                            *is = pod_of(&commit->branch->cluster, index);
    if (commit->status != BERTH_OK || was->node == BERTH_NODE_NONE || was->node == is->node)
        return;
    berth_pod_id id = berth__cluster_pod_id(commit->base, index);
    if (is->node == BERTH_NODE_NONE &&
        berth__cluster_pod(&commit->engine->cluster, id) == BERTH_POD_INDEX_NONE)
        return;
    uint32_t pod = find_pod(commit, index, is->node);
    if (pod != BERTH_POD_INDEX_NONE) {
        commit->status = berth__decider_unbind(&commit->engine->decider, pod);
        return;
    }
    placement *then = find_placement(commit, index);
    if (then != NULL)
        then->refused = true;
}

static void take_off_page(void *context, uint32_t page, void *first, void *second)
{
    (void)first;
    (void)second;
    each_known(context, page, take_off);
}

/* The engine's node with the name of the branch's node: usually the one with the same id. */
static uint32_t find_node(const commit_state *commit, uint32_t node)
{
    const berth__cluster *cluster = &commit->engine->cluster;
    const berth__node_record *same = berth__cluster_present(cluster, node);
    if (same != NULL && same->name == berth__cluster_node(&commit->branch->cluster, node)->name)
        return node;
    return berth__cluster_present_id(cluster,
                                     berth__cluster_node_name(&commit->branch->cluster, node));
}

/* The pod to place. If it was on a node in the snapshot, it has just been taken off and checked. */
static uint32_t pod_to_place(commit_state *commit, uint32_t index, uint32_t to)
{
    if (pod_of(commit->base, index)->node == BERTH_NODE_NONE)
        return find_pod(commit, index, to);
    return berth__cluster_pod(&commit->engine->cluster, berth__cluster_pod_id(commit->base, index));
}

static void place(commit_state *commit, uint32_t index)
{
    berth__decider *decider = &commit->engine->decider;
    uint32_t to = pod_of(&commit->branch->cluster, index)->node, node = find_node(commit, to);
    uint32_t pod = pod_to_place(commit, index, to);
    berth__node_verdict verdict;
    if (pod == BERTH_POD_INDEX_NONE)
        return;
    if (node == BERTH_NODE_NONE) {
        conflict(commit, index, to, BERTH_CONFLICT_NODE_GONE);
        return;
    }
    commit->status = berth__decider_fits(decider, pod, node, false, &verdict, commit->error);
    if (commit->status != BERTH_OK)
        return;
    if (verdict.verdict != BERTH_VERDICT_PLACED) {
        conflict(commit, index, to, BERTH_CONFLICT_NO_FIT);
        return;
    }
    berth_status bound = berth__decider_bind(decider, pod, node);
    if (bound == BERTH_E_NOMEM)
        commit->status = bound;
    else if (bound != BERTH_OK)
        conflict(commit, index, to, BERTH_CONFLICT_REFUSED);
}

static void hand_over(commit_state *commit)
{
    list_placements(commit);
    compare_pods(commit, take_off_page);
    qsort(commit->placements, commit->placement_count, sizeof(*commit->placements), by_order);
    for (uint32_t i = 0; i < commit->placement_count && commit->status == BERTH_OK; i++)
        if (!commit->placements[i].refused)
            place(commit, commit->placements[i].pod);
}

/* Repeat all moves or, if there is a conflict, none. */
static berth_status hand_over_whole(commit_state *commit)
{
    berth__transactions *transactions = &commit->engine->transactions;
    BERTH_TRY(berth__cluster_sync(&commit->engine->cluster)); /* not undone by the rollback */
    BERTH_TRY(berth__transaction_begin(transactions));
    hand_over(commit);
    if (commit->status == BERTH_OK && commit->count == 0)
        berth__transaction_commit(transactions);
    else
        berth__transaction_rollback(transactions);
    return commit->status;
}

static berth_status check_branch(const berth_engine *branch, berth_error *error)
{
    if (branch->branch == NULL)
        return berth__error_set(error, BERTH_E_ARG, "the engine is not a branch");
    if (branch->transactions.depth > 0)
        return berth__error_set(error, BERTH_E_STATE, "a transaction is open on the branch");
    return BERTH_OK;
}

static berth_status commit_entered(berth_engine *branch, berth_conflict *conflicts, size_t size,
                                   uint32_t capacity, uint32_t *count, berth_error *error)
{
    commit_state commit = {.branch = branch,
                           .engine = branch->branch->parent,
                           .base = &branch->branch->base->cluster,
                           .conflicts = conflicts,
                           .conflict_size = size,
                           .capacity = capacity,
                           .error = error};
    compare_pods(&commit, list_page);
    size_t bytes = commit.placement_count * sizeof(*commit.placements);
    commit.placements = berth__alloc(branch->allocator, bytes, _Alignof(placement));
    berth_status status = commit.placements != NULL ? hand_over_whole(&commit) : BERTH_E_NOMEM;
    berth__free(branch->allocator, commit.placements, bytes);
    if (status == BERTH_E_NOMEM)
        return berth__error_set(error, status, "out of memory");
    if (status == BERTH_OK)
        *count = commit.count;
    return status;
}

berth_status berth_branch_commit_sized(berth_engine *branch, berth_conflict *conflicts, size_t size,
                                       uint32_t capacity, uint32_t *count, berth_error *error)
{
    BERTH_TRY(berth__need(count, "count", error));
    *count = 0;
    BERTH_TRY(berth__engine_enter(branch, error));
    berth_status status = check_branch(branch, error);
    if (status == BERTH_OK)
        status = berth__engine_enter(branch->branch->parent, error);
    if (status == BERTH_OK)
        status =
            berth__engine_leave(branch->branch->parent,
                                commit_entered(branch, conflicts, size, capacity, count, error));
    return berth__engine_leave(branch, status);
}
