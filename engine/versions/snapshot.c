/* The public functions of snapshots: publishing and reading. A snapshot's head is a
 * berth__snapshot_head (base/history.h). Its body is a copy of the cluster's struct, whose blocks
 * the history keeps. */
#include <inttypes.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/sized.h"
#include "cluster/cluster_info.h"
#include "cluster/cluster_read.h"
#include "store/storage_rows.h"
#include "versions/branch.h"
#include "versions/snapshot_state.h"

/* ---- publishing ---- */

static void free_snapshot(const berth_allocator *allocator, berth_snapshot *snapshot)
{
    if (snapshot != NULL) {
        berth__free(allocator, snapshot->nominated,
                    snapshot->nominated_count * sizeof(*snapshot->nominated));
        berth__free(allocator, snapshot->resources,
                    snapshot->resource_count * sizeof(*snapshot->resources));
    }
    berth__free(allocator, snapshot, sizeof(*snapshot));
}

static void drop_snapshot(void *context, berth__snapshot_head *snapshot)
{
    const berth__model *model = context;
    free_snapshot(model->allocator, (berth_snapshot *)snapshot);
}

static void collect(void *context)
{
    berth__model_collect(context);
}

void berth__published_init(berth_engine *engine)
{
    berth__history_init(&engine->history, engine->allocator, engine->cluster.model, drop_snapshot,
                        collect);
}

/* From now on, readers and branches use the model's interned texts. */
static bool share(berth__model *model)
{
    if (!model->shared && berth__intern_share(&model->strings) == BERTH_OK)
        model->shared = true;
    return model->shared;
}

/* If the nomination is the first of its node's list, copy the list, last entry first; copy a
 * dormant nomination by itself. Making nominations in this order restores equal lists. Returns the
 * place for the next copy. */
static berth__nominated *copy_list(const berth__nomination *first, berth__nominated *to)
{
    const berth__nomination *one = first;
    if (first->awake && first->previous != NULL)
        return to;
    while (first->awake && one->next != NULL)
        one = one->next;
    for (; one != NULL; one = one == first ? NULL : one->previous)
        *to++ = (berth__nominated){one->pod, one->node, one->from_object};
    return to;
}

static bool copy_nominations(const berth__nominations *nominations, berth_snapshot *out)
{
    const berth__keymap *map = &nominations->by_pod;
    size_t count = map->count;
    if (count == 0)
        return true;
    out->nominated = berth__alloc(nominations->allocator, count * sizeof(*out->nominated), 8);
    if (out->nominated == NULL)
        return false;
    out->nominated_count = (uint32_t)count;
    berth__nominated *to = out->nominated;
    for (uint32_t i = 0; i < map->bucket_count; i++)
        for (const berth__keymap_entry *entry = map->buckets[i]; entry != NULL; entry = entry->next)
            to = copy_list((const berth__nomination *)entry, to);
    BERTH_ASSERT(to == out->nominated + count);
    return true;
}

static bool copy_resources(const berth__cluster *cluster, berth_snapshot *out)
{
    berth__sym names[BERTH__RESOURCES_MAX];
    uint32_t count = berth__cluster_resources(cluster, names);
    out->resources = berth__alloc(cluster->cow.allocator, count * sizeof(*names), 4);
    if (out->resources == NULL)
        return false;
    memcpy(out->resources, names, count * sizeof(*names));
    out->resource_count = count;
    return true;
}

static bool fill_snapshot(berth_engine *engine, berth_snapshot *snapshot)
{
    const berth__decider *decider = &engine->decider;
    berth__cluster *cluster = &engine->cluster;
    if (!berth__storage_show(cluster->view.storage, &cluster->stored, &cluster->cow))
        return false;
    snapshot->engine = engine;
    snapshot->cluster = *cluster;
    snapshot->rotation = decider->rotation;
    snapshot->round_robin = decider->round_robin;
    snapshot->random = decider->random;
    berth__cluster_counts(&engine->cluster, &snapshot->counts);
    return copy_resources(cluster, snapshot) &&
           copy_nominations(&engine->cluster.nominations, snapshot);
}

static berth_status publish(berth_engine *engine, berth_error *error)
{
    berth__cluster *cluster = &engine->cluster;
    if (cluster->cow.branch)
        return berth__error_set(error, BERTH_E_STATE, "a branch publishes nothing");
    if (engine->transactions.depth > 0)
        return berth__error_set(error, BERTH_E_STATE,
                                "a transaction is open: what it changes may still be taken back");
    /* Branches share this layout, so none of them has to make it. */
    bool ready = berth__cluster_sync(cluster) == BERTH_OK;
    berth_snapshot *snapshot =
        berth__alloc_zero(engine->allocator, sizeof(*snapshot), _Alignof(berth_snapshot));
    if (!ready || snapshot == NULL || berth__branches_init(engine) != BERTH_OK ||
        !fill_snapshot(engine, snapshot) ||
        berth__history_reserve(&engine->history, &snapshot->head) != BERTH_OK ||
        !share(cluster->model)) {
        free_snapshot(engine->allocator, snapshot);
        return berth__error_set(error, BERTH_E_NOMEM, "no memory for another snapshot");
    }
    BERTH_ASSERT(cluster->cow.stamp == engine->history.number + 1);
    berth__retired *retired = berth__cow_owner_publish(&cluster->cow, cluster->cow.stamp + 1);
    berth__history_publish(&engine->history, &snapshot->head, retired);
    berth__model_collect(cluster->model);
    berth__branches_age(engine);
    return BERTH_OK;
}

berth_status berth_engine_publish(berth_engine *engine, berth_error *error)
{
    BERTH_TRY(berth__engine_enter(engine, error));
    return berth__engine_leave(engine, publish(engine, error));
}

/* ---- pinning ---- */

/* Count a pin of a caller. */
static berth_snapshot *note_pin(berth_snapshot *snapshot)
{
    /* Relaxed: see caller_pins. */
    if (snapshot != NULL)
        atomic_fetch_add_explicit(&snapshot->caller_pins, 1, memory_order_relaxed);
    return snapshot;
}

berth_snapshot *berth_engine_pin(const berth_engine *engine)
{
    if (engine == NULL)
        return NULL;
    /* Pinning changes nothing that the caller can see, so `engine` is const; the decider has a
     * writable pointer. */
    char *cluster = (char *)engine->decider.cluster;
    berth_engine *holder = (berth_engine *)(void *)(cluster - offsetof(berth_engine, cluster));
    return note_pin((berth_snapshot *)berth__history_pin(&holder->history));
}

berth_snapshot *berth_snapshot_pin(berth_snapshot *snapshot)
{
    return note_pin(snapshot != NULL ? berth__snapshot_hold(snapshot) : NULL);
}

void berth_snapshot_unpin(berth_snapshot *snapshot)
{
    /* Relaxed: see caller_pins. */
    if (snapshot != NULL &&
        atomic_fetch_sub_explicit(&snapshot->caller_pins, 1, memory_order_relaxed) == 0)
        berth__stop(__FILE__, __LINE__, "a snapshot was unpinned more often than it was pinned");
    berth__snapshot_let_go(snapshot);
}

/* ---- reading ---- */

uint64_t berth_snapshot_number(const berth_snapshot *snapshot)
{
    if (snapshot == NULL)
        return 0;
    return snapshot->head.number;
}

void berth_snapshot_counts_sized(const berth_snapshot *snapshot, berth_counts *out, size_t size)
{
    static const berth_counts none;
    const berth_counts *counts = snapshot != NULL ? &snapshot->counts : &none;
    berth__sized_give(out, size, counts, sizeof(*counts));
}

berth_node_id berth_snapshot_find_node(const berth_snapshot *snapshot, berth_str name)
{
    if (snapshot == NULL)
        return BERTH_NODE_NONE;
    return berth__cluster_present_id(&snapshot->cluster, name);
}

berth_pod_id berth_snapshot_find_pod(const berth_snapshot *snapshot, berth_str namespace_name,
                                     berth_str name)
{
    if (snapshot == NULL)
        return BERTH_POD_NONE;
    return berth__cluster_find_pod(&snapshot->cluster, namespace_name, name);
}

berth_str berth_snapshot_node_name(const berth_snapshot *snapshot, berth_node_id node)
{
    if (snapshot == NULL)
        return (berth_str){0};
    return berth__cluster_node_name(&snapshot->cluster, node);
}

void berth_snapshot_pod_name(const berth_snapshot *snapshot, berth_pod_id pod,
                             berth_str *namespace_name, berth_str *name)
{
    if (snapshot == NULL) {
        *namespace_name = *name = (berth_str){0};
        return;
    }
    berth__cluster_pod_name(&snapshot->cluster, pod, namespace_name, name);
}

berth_node_id berth_snapshot_pod_node(const berth_snapshot *snapshot, berth_pod_id pod)
{
    if (snapshot == NULL)
        return BERTH_NODE_NONE;
    return berth__cluster_pod_node(&snapshot->cluster, pod);
}

berth_status berth_snapshot_node_resource(const berth_snapshot *snapshot, berth_node_id node,
                                          berth_str resource, int64_t *allocatable,
                                          int64_t *requested, berth_error *error)
{
    if (snapshot == NULL) {
        *allocatable = 0;
        *requested = 0;
        return berth__no_snapshot(error);
    }
    return berth__cluster_node_resource(&snapshot->cluster, node, resource, allocatable, requested,
                                        error);
}

berth_str berth_snapshot_node_label(const berth_snapshot *snapshot, berth_node_id node,
                                    berth_str key)
{
    if (snapshot == NULL)
        return (berth_str){0};
    return berth__cluster_node_label(&snapshot->cluster, node, key);
}

uint64_t berth_snapshot_digest(const berth_snapshot *snapshot)
{
    if (snapshot == NULL)
        return 0;
    return berth__cluster_digest(&snapshot->cluster);
}

berth_node_id berth_snapshot_node_limit(const berth_snapshot *snapshot)
{
    return snapshot != NULL ? snapshot->cluster.node_count : 0;
}

bool berth_snapshot_node_present(const berth_snapshot *snapshot, berth_node_id node)
{
    if (snapshot == NULL)
        return false;
    return berth__cluster_present(&snapshot->cluster, node) != NULL;
}

berth_pod_id berth_snapshot_next_pod(const berth_snapshot *snapshot, berth_node_id node,
                                     berth_pod_id after)
{
    if (snapshot == NULL)
        return BERTH_POD_NONE;
    return berth__cluster_next_pod(&snapshot->cluster, node, after);
}

/* ---- checking ---- */

/* Check that every pod of a list is found by its name, and records that list as its own. */
static berth_status check_list(const berth__cluster *cluster, uint32_t first, uint32_t node,
                               uint64_t *count, berth_error *error)
{
    const berth__pods *pods = &cluster->pods;
    uint32_t previous = BERTH_POD_INDEX_NONE;
    for (uint32_t i = first; i != BERTH_POD_INDEX_NONE;
         previous = i, i = berth__pod_at(pods, i)->next) {
        const berth__pod_record *pod = berth__pod_at(pods, i);
        if (pod->cls == NULL || pod->node != node || pod->previous != previous ||
            berth__pods_find(pods, pod->cls->identity->namespace_name, berth__pod_name(pod)) != i)
            return berth__error_set(error, BERTH_E_INTERNAL,
                                    "pod record %u is not where its list says", (unsigned)i);
        ++*count;
    }
    return BERTH_OK;
}

berth_status berth_snapshot_check(const berth_snapshot *snapshot, berth_error *error)
{
    if (snapshot == NULL)
        return berth__no_snapshot(error);
    const berth__cluster *cluster = &snapshot->cluster;
    uint64_t listed = 0;
    for (uint32_t id = 0; id < cluster->node_count; id++)
        BERTH_TRY(
            check_list(cluster, berth__cluster_node(cluster, id)->first_pod, id, &listed, error));
    BERTH_TRY(check_list(cluster, cluster->pods.first_pending, BERTH_NODE_NONE, &listed, error));
    if (listed != cluster->pods.count)
        return berth__error_set(error, BERTH_E_INTERNAL,
                                "%" PRIu64 " pods on lists, but %u records", listed,
                                (unsigned)cluster->pods.count);
    return berth__cluster_check_sums(cluster, error);
}
