/* Branch engines: made from a snapshot, dropped, kept for the next branch. */
#include "versions/branch.h"

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "columns/pod_counts.h"
#include "versions/follow.h"
#include "versions/snapshot_state.h"

/* This bit distinguishes stamps of branches; those of engines count snapshots. */
#define BRANCH_STAMP (UINT64_C(1) << 63)

static berth_engine *engine_of(berth__cluster *cluster)
{
    return (berth_engine *)(void *)((char *)cluster - offsetof(berth_engine, cluster));
}

/* ---- the counters ---- */

/* Discard everything that is kept by class, layout or journal. Errors: BERTH_E_NOMEM; it is kept
 * then, because decisions cannot do without these caches. */
static berth_status forget_decisions(berth_engine *branch)
{
    berth__decider *decider = &branch->decider;
    berth__prepared_cache prepared;
    berth__index_cache indexes;
    if (berth__prepared_cache_init(&prepared, branch->allocator) != BERTH_OK)
        return BERTH_E_NOMEM;
    if (berth__index_cache_init(&indexes, branch->allocator) != BERTH_OK) {
        berth__prepared_cache_destroy(&prepared);
        return BERTH_E_NOMEM;
    }
    prepared.without_notes = true;
    indexes.counts = decider->indexes.counts;
    berth__index_cache_destroy(&decider->indexes);
    berth__prepared_cache_destroy(&decider->prepared);
    decider->indexes = indexes;
    decider->prepared = prepared;
    return BERTH_OK;
}

static void drop_counters(berth_engine *branch)
{
    berth__pod_counts_destroy(branch->branch->counts);
    branch->branch->counts = NULL;
    berth__snapshot_let_go(branch->branch->followed);
    branch->branch->followed = NULL;
}

static berth_status start_counters(berth_engine *branch)
{
    berth__cluster *cluster = &branch->cluster;
    BERTH_TRY(berth__pod_counts_create(cluster->model, &branch->branch->counts));
    cluster->view.counts = branch->branch->counts;
    return berth__cluster_recount(cluster) ? forget_decisions(branch) : BERTH_E_NOMEM;
}

/* Bring existing counters from another state to the cluster's; false: they are unusable. */
static bool follow(berth_engine *branch, const berth__cluster *former)
{
    berth__cluster *cluster = &branch->cluster;
    cluster->view.counts = branch->branch->counts;
    berth__followed followed = berth__cluster_follow(cluster, former);
    return followed == BERTH__FOLLOWED ||
           (followed == BERTH__FOLLOWED_AWAY && forget_decisions(branch) == BERTH_OK);
}

/* berth__cluster.catch_up of a rooted branch. */
static berth_status catch_up(berth__cluster *cluster)
{
    berth_engine *branch = engine_of(cluster);
    berth__branch *state = branch->branch;
    berth_status status = berth__cluster_make_disruption_writable(cluster);
    if (status != BERTH_OK)
        return status;
    if (state->counts != NULL && !follow(branch, &state->followed->cluster))
        drop_counters(branch);
    if (state->counts == NULL)
        status = start_counters(branch);
    if (status != BERTH_OK) {
        cluster->view.counts = NULL;
        drop_counters(branch);
        return status;
    }
    berth__snapshot_let_go(state->followed);
    state->followed = NULL;
    cluster->catch_up = NULL;
    return BERTH_OK;
}

/* berth__cluster.catch_up_volumes of a branch whose volumes are not in step. */
static berth_status catch_up_volumes(berth__cluster *cluster)
{
    berth_engine *branch = engine_of(cluster);
    berth__branch *state = branch->branch;
    if (state->volumes.gone)
        BERTH_TRY(forget_decisions(branch));
    state->volumes.gone = false;
    berth_status status = berth__branch_volumes_catch_up(&state->volumes, cluster, state->base);
    if (status == BERTH_OK)
        cluster->catch_up_volumes = NULL;
    return status;
}

/* ---- roots ---- */

/* The cluster becomes the snapshot's, all of it shared; the view has no counters. */
static void take_roots(berth__cluster *cluster, const berth_snapshot *snapshot)
{
    const berth__cluster *from = &snapshot->cluster;
    cluster->node_count = from->node_count;
    cluster->free_node = from->free_node;
    cluster->present_count = from->present_count;
    cluster->tree = from->tree;
    cluster->pods = from->pods;
    cluster->pods.cow = &cluster->cow;
    cluster->running_count = from->running_count;
    cluster->orphan_count = from->orphan_count;
    cluster->disruption = from->disruption;
    cluster->unplaced_count = from->unplaced_count;
    cluster->lost_volumes = from->lost_volumes;
    berth__view *view = &cluster->view;
    view->counts = NULL;
    view->related = from->view.related;
    view->nodes = from->view.nodes;
    view->node_of_name = from->view.node_of_name;
    view->images = from->view.images;
    view->images.cow = &cluster->cow;
    view->freed_ports = from->view.freed_ports;
    view->layout = from->view.layout;
    view->tiles = from->view.tiles;
    view->tiles_stamp = from->view.tiles_stamp;
    view->resource_count = from->view.resource_count;
    view->names_epoch = from->view.names_epoch;
    view->wide = from->view.wide;
}

static berth_status take_nominations(berth__cluster *cluster, const berth_snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->nominated_count; i++) {
        const berth__nominated *one = &snapshot->nominated[i];
        BERTH_TRY(berth__nominations_reserve(&cluster->nominations, one->node));
        berth__nominations_set(&cluster->nominations, &cluster->pods, one->pod, one->node,
                               one->from_object);
    }
    return BERTH_OK;
}

/* End all nominations, and note their slots for followers of the journal. */
static void clear_nominations(berth__cluster *cluster)
{
    berth__nominations *nominations = &cluster->nominations;
    for (uint32_t i = 0; i < nominations->by_pod.bucket_count; i++)
        while (nominations->by_pod.buckets[i] != NULL)
            berth__nominations_drop(nominations,
                                    ((berth__nomination *)nominations->by_pod.buckets[i])->pod);
}

static void open_owner(berth__cluster *cluster, const berth_snapshot *snapshot)
{
    berth__cow_owner_init(&cluster->cow, cluster->model->allocator, cluster->model);
    cluster->cow.branch = cluster->cow.shared = true;
    cluster->cow.rooted = snapshot->head.number;
    cluster->cow.stamp = BRANCH_STAMP | berth__model_next_epoch(cluster->model);
}

/* ---- branch engines ---- */

static void destroy(berth_engine *branch)
{
    const berth_allocator *allocator = branch->allocator;
    berth__branch *state = branch->branch;
    berth__cluster *cluster = &branch->cluster;
    drop_counters(branch);
    berth__branch_volumes_destroy(&state->volumes);
    berth__transactions_destroy(&branch->transactions);
    berth__decider_destroy(&branch->decider);
    berth__workers_destroy(branch->workers);
    berth__nominations_destroy(&cluster->nominations);
    berth__undo_log_destroy(&cluster->undo);
    berth__view_journal_destroy(allocator, cluster->view.journal);
    berth__free(allocator, state->placed, state->placed_capacity * sizeof(*state->placed));
    berth__free(allocator, state, sizeof(*state));
    berth__free(allocator, branch, sizeof(*branch));
}

static berth_status make_parts(berth_engine *branch, const berth_engine *parent)
{
    berth__cluster *cluster = &branch->cluster;
    const berth_allocator *allocator = branch->allocator;
    cluster->view.journal = berth__view_journal_create(allocator);
    if (cluster->view.journal == NULL)
        return BERTH_E_NOMEM;
    BERTH_TRY(berth__nominations_init(&cluster->nominations, allocator, &cluster->view));
    cluster->nominations.undo = &cluster->undo;
    BERTH_TRY(berth__workers_create(allocator, parent->machine, 1, false, &branch->workers));
    const berth__decider_setup setup = {.profiles = parent->profiles,
                                        .profile_count = parent->profile_count,
                                        .extenders = parent->decider.extenders,
                                        .workers = branch->workers,
                                        .path = parent->decider.path};
    BERTH_TRY(berth__decider_init(&branch->decider, cluster, &setup));
    branch->decider.prepared.without_notes = true;
    berth__transactions_init(&branch->transactions, &branch->decider);
    return BERTH_OK;
}

/* Make an idle branch engine, without a branch. Its decider receives the budgets when it is
 * created. */
static berth_engine *make(berth_engine *parent, const berth_snapshot *snapshot)
{
    const berth_allocator *allocator = parent->allocator;
    berth_engine *branch = berth__alloc_zero(allocator, sizeof(*branch), 64);
    if (branch == NULL)
        return NULL;
    branch->allocator = allocator;
    branch->profiles = parent->profiles;
    branch->profile_count = parent->profile_count;
    branch->branch = berth__alloc_zero(allocator, sizeof(*branch->branch), 8);
    if (branch->branch == NULL) {
        berth__free(allocator, branch, sizeof(*branch));
        return NULL;
    }
    branch->branch->parent = parent;
    branch->cluster.model = parent->cluster.model;
    branch->cluster.view.model = parent->cluster.model;
    branch->cluster.view.cow = &branch->cluster.cow;
    branch->cluster.view.kernels = snapshot->cluster.view.kernels;
    branch->cluster.disruption = snapshot->cluster.disruption;
    berth__undo_log_init(&branch->cluster.undo, allocator);
    if (make_parts(branch, parent) == BERTH_OK)
        return branch;
    destroy(branch);
    return NULL;
}

/* ---- the pool ---- */

berth_status berth__branches_init(berth_engine *engine)
{
    if (engine->branches != NULL)
        return BERTH_OK;
    berth__branches *branches =
        berth__alloc_zero(engine->allocator, sizeof(*branches), _Alignof(berth__branches));
    if (branches == NULL)
        return BERTH_E_NOMEM;
    pthread_mutex_init(&branches->lock, NULL);
    engine->branches = branches;
    return BERTH_OK;
}

void berth__branches_destroy(berth_engine *engine)
{
    if (engine->branches == NULL)
        return;
    berth_engine_trim(engine);
    pthread_mutex_destroy(&engine->branches->lock);
    berth__free(engine->allocator, engine->branches, sizeof(*engine->branches));
    engine->branches = NULL;
}

static berth_engine *take_idle(berth__branches *branches)
{
    pthread_mutex_lock(&branches->lock);
    berth_engine *branch = branches->idle;
    if (branch != NULL) {
        branches->idle = branch->branch->next;
        branches->idle_count--;
    }
    pthread_mutex_unlock(&branches->lock);
    return branch;
}

static void give_back(berth_engine *branch)
{
    berth__branches *branches = branch->branch->parent->branches;
    pthread_mutex_lock(&branches->lock);
    bool room = branches->idle_count < BERTH__BRANCHES_IDLE;
    if (room) {
        branch->branch->next = branches->idle;
        branches->idle = branch;
        branches->idle_count++;
    }
    pthread_mutex_unlock(&branches->lock);
    if (!room)
        destroy(branch);
}

void berth_engine_trim(berth_engine *engine)
{
    berth_engine *branch;
    while (engine != NULL && engine->branches != NULL &&
           (branch = take_idle(engine->branches)) != NULL)
        destroy(branch);
}

static bool is_aged(const berth_snapshot *followed, uint64_t number)
{
    return followed != NULL && followed->head.number + BERTH__BRANCHES_AGE < number;
}

/* Remove idle engines that have fallen behind from the list; removes none if another thread has the
 * lock. */
static berth_engine *take_aged(berth__branches *branches, uint64_t number)
{
    berth_engine *aged = NULL;
    if (pthread_mutex_trylock(&branches->lock) != 0)
        return NULL;
    for (berth_engine **link = &branches->idle; *link != NULL;) {
        berth_engine *branch = *link;
        const berth__branch *state = branch->branch;
        if (!is_aged(state->followed, number) && !is_aged(state->volumes.followed, number)) {
            link = &branch->branch->next;
            continue;
        }
        *link = branch->branch->next;
        branches->idle_count--;
        branch->branch->next = aged;
        aged = branch;
    }
    pthread_mutex_unlock(&branches->lock);
    return aged;
}

void berth__branches_age(berth_engine *engine)
{
    berth_engine *aged = take_aged(engine->branches, engine->history.number);
    while (aged != NULL) {
        berth_engine *next = aged->branch->next;
        destroy(aged);
        aged = next;
    }
}

/* ---- branches ---- */

berth_status berth_branch_create(berth_snapshot *snapshot, berth_engine **out, berth_error *error)
{
    BERTH_TRY(berth__need(out, "out", error));
    *out = NULL;
    if (snapshot == NULL)
        return berth__no_snapshot(error);
    berth_engine *parent = snapshot->engine, *branch = take_idle(parent->branches);
    if (branch == NULL)
        branch = make(parent, snapshot);
    if (branch == NULL)
        return berth__error_set(error, BERTH_E_NOMEM, "no memory for a branch");
    branch->branch->base = berth__snapshot_hold(snapshot);
    open_owner(&branch->cluster, snapshot);
    take_roots(&branch->cluster, snapshot);
    branch->cluster.layouts = 0;
    branch->cluster.catch_up = catch_up;
    branch->cluster.catch_up_volumes = catch_up_volumes;
    branch->decider.rotation = snapshot->rotation;
    branch->decider.round_robin = snapshot->round_robin;
    branch->decider.random = snapshot->random;
    berth__use_open(&branch->decider.use);
    branch->decider.counts = (berth__decision_counts){.decisions = 0};
    berth__refusals_reset(&branch->decider.refusals);
    branch->decider.indexes.counts = (berth__tree_counts){.built = 0};
    if (take_nominations(&branch->cluster, snapshot) != BERTH_OK) {
        berth_branch_drop(branch);
        return berth__error_set(error, BERTH_E_NOMEM, "no memory for a branch");
    }
    *out = branch;
    return BERTH_OK;
}

static void return_counters(berth_engine *branch, const berth__cluster *former)
{
    berth__branch *state = branch->branch;
    if (follow(branch, former))
        state->followed = berth__snapshot_hold(state->base);
    else
        drop_counters(branch);
    branch->cluster.view.counts = NULL;
}

/* Bring the parts that are in step back to the branch's base. */
static void return_to_base(berth_engine *branch)
{
    berth__branch *state = branch->branch;
    berth__cluster *cluster = &branch->cluster;
    const berth__cluster former = *cluster;
    if (former.catch_up != NULL && former.catch_up_volumes != NULL)
        return;
    take_roots(cluster, state->base);
    if (former.catch_up == NULL)
        return_counters(branch, &former);
    if (former.catch_up_volumes == NULL)
        berth__branch_volumes_return(&state->volumes, cluster, &former, state->base);
}

void berth_branch_drop(berth_engine *branch)
{
    if (branch == NULL)
        return;
    berth__branch *state = branch->branch;
    berth__cluster *cluster = &branch->cluster;
    berth__use_close(&branch->decider.use, "a branch was dropped");
    while (branch->transactions.depth > 0)
        berth__transaction_commit(&branch->transactions);
    clear_nominations(cluster);
    return_to_base(branch);
    cluster->catch_up = cluster->catch_up_volumes = NULL;
    berth__cow_owner_destroy(&cluster->cow);
    berth__snapshot_let_go(state->base);
    state->base = NULL;
    state->placed_count = 0;
    give_back(branch);
}

bool berth__branch_reserve(berth_engine *branch)
{
    berth__branch *state = branch->branch;
    return state == NULL || berth__grow(branch->allocator, &state->placed, &state->placed_capacity,
                                        state->placed_count + 1, sizeof(*state->placed));
}

void berth__branch_note(berth_engine *branch, uint32_t pod)
{
    berth__branch *state = branch->branch;
    if (state != NULL)
        state->placed[state->placed_count++] = pod;
}
