/* The cluster as a whole: creates and destroys it, keeps its layout, notifies the watcher, and
 * dispatches objects by kind. */
#include "cluster/cluster_parts.h"

#include "base/error.h"
#include "base/text.h"
#include "cluster/cluster_sweep.h"
#include "cluster/cluster_undo.h"
#include "columns/pod_counts.h"
#include "columns/volume_use.h"
#include "devices/devices.h"
#include "model/related.h"
#include "store/storage.h"

/* ---- create and destroy ---- */

static berth_status make_parts(berth__cluster *cluster)
{
    berth__cow_owner *cow = &cluster->cow;
    cluster->tree = berth__node_tree_create(cow->allocator);
    if (cluster->tree == NULL)
        return BERTH_E_NOMEM;
    cluster->tree->stamp = cow->stamp;
    berth__undo_log_init(&cluster->undo, cow->allocator);
    BERTH_TRY(berth__pods_init(&cluster->pods, cow));
    BERTH_TRY(berth__nominations_init(&cluster->nominations, cow->allocator, &cluster->view));
    BERTH_TRY(berth__disruption_create(cluster->model, &cluster->disruption));
    cluster->disruption->stamp = cow->stamp;
    BERTH_TRY(berth__view_init(&cluster->view, cluster->model, cow));
    BERTH_TRY(berth__pod_counts_create(cluster->model, &cluster->view.counts));
    BERTH_TRY(berth__related_create(cluster->model, &cluster->view.related));
    cluster->view.related->stamp = cow->stamp;
    BERTH_TRY(berth__storage_create(cluster->model, cow, &cluster->view.storage));
    cluster->nominations.undo = cluster->disruption->undo = &cluster->undo;
    cluster->view.related->undo = cluster->view.storage->undo = &cluster->undo;
    BERTH_TRY(berth__devices_create(cluster->view.storage, &cluster->view.devices));
    return berth__volume_use_create(cluster->view.storage, &cluster->view.volume_use);
}

berth_status berth__cluster_init(berth__cluster *cluster, const berth_allocator *allocator,
                                 const berth__behaviours *behaviours)
{
    memset(cluster, 0, sizeof(*cluster));
    berth__model *model = berth__alloc(allocator, sizeof(*model), _Alignof(berth__model));
    if (model == NULL || berth__model_init(model, allocator, behaviours) != BERTH_OK) {
        berth__free(allocator, model, sizeof(*model));
        return BERTH_E_NOMEM;
    }
    cluster->model = model;
    cluster->free_node = BERTH_NODE_NONE;
    cluster->node_sweep_at = BERTH__NODE_SWEEP_MIN;
    berth__cow_owner_init(&cluster->cow, allocator, model);
    berth__stored_rows_init(&cluster->stored);
    if (make_parts(cluster) == BERTH_OK)
        return BERTH_OK;
    berth__cluster_destroy(cluster);
    return BERTH_E_NOMEM;
}

void berth__cluster_destroy(berth__cluster *cluster)
{
    berth__model *model = cluster->model;
    if (model == NULL)
        return;
    const berth_allocator *allocator = model->allocator;
    berth__undo_log_destroy(&cluster->undo);
    cluster->cow.shared = false;
    berth__pod_counts_destroy(cluster->view.counts);
    berth__related_destroy(cluster->view.related);
    berth__devices_destroy(cluster->view.devices);
    berth__volume_use_destroy(cluster->view.volume_use);
    berth__storage_destroy(cluster->view.storage);
    for (uint32_t i = 0; i < cluster->node_count; i++)
        berth__node_facts_free(allocator, berth__cluster_node(cluster, i)->facts);
    berth__view_destroy(&cluster->view);
    berth__pods_destroy(&cluster->pods, model);
    berth__nominations_destroy(&cluster->nominations);
    berth__disruption_destroy(cluster->disruption);
    berth__node_tree_free(cluster->tree);
    berth__cow_array_retire(&cluster->stored.table, &cluster->cow);
    berth__cow_owner_destroy(&cluster->cow);
    berth__model_destroy(model);
    berth__free(allocator, model, sizeof(*model));
    memset(cluster, 0, sizeof(*cluster));
}

/* ---- layout ---- */

/* Make room for every resource that the model knows, and name the columns. */
berth_status berth__cluster_widen(berth__cluster *cluster)
{
    return cluster->view.names_epoch != berth__names_epoch(cluster->model)
               ? berth__view_widen(&cluster->view)
               : BERTH_OK;
}

static berth_status relayout(berth__cluster *cluster)
{
    const berth_allocator *allocator = cluster->model->allocator;
    uint32_t count = cluster->tree->node_count;
    uint32_t *order = berth__alloc(allocator, count * sizeof(uint32_t), 64);
    berth__former_layout former = {.layout = NULL};
    if (order == NULL || !berth__cluster_reserve_undo(cluster, BERTH_POD_INDEX_NONE)) {
        berth__free(allocator, order, count * sizeof(uint32_t));
        return BERTH_E_NOMEM;
    }
    berth__node_tree_list(cluster->tree, order);
    berth_status status = berth__view_relayout(&cluster->view, order, count, &cluster->pods,
                                               berth__model_next_epoch(cluster->model),
                                               cluster->undo.recording ? &former : NULL);
    berth__free(allocator, order, count * sizeof(uint32_t));
    if (status == BERTH_OK) {
        cluster->view.layout->tree_epoch = cluster->tree->epoch;
        cluster->layouts++;
    }
    if (former.layout != NULL)
        berth__note_relayout(cluster, &former);
    return status;
}

/* v1.32 keeps its list of nodes until a node appears that the list lacks, or their number drops.
 * v1.15 has no list and walks the tree itself. v1.15 also remembers how far each zone was walked,
 * so in a round in which nodes come and go it may visit one node twice and another not at all. Here
 * every search visits each node once, beginning at the rotation index. */
static bool layout_is_old(const berth__cluster *cluster)
{
    const berth__layout *layout = cluster->view.layout;
    return cluster->unplaced_count > 0 || cluster->present_count < layout->count ||
           (cluster->model->behaviours.order_follows_tree &&
            layout->tree_epoch != cluster->tree->epoch);
}

/* Find the CSINodes of new nodes now rather than when a pod with volumes comes. What memory is too
 * short for is found then. */
static void find_csi_nodes(berth__cluster *cluster)
{
    const berth__view *view = &cluster->view;
    if (view->volume_use != NULL && view->storage->nodes.count > 0)
        (void)berth__volume_use_refresh(view->volume_use, view->layout, &view->nodes);
}

berth_status berth__cluster_sync(berth__cluster *cluster)
{
    BERTH_TRY(berth__cluster_catch_up(cluster));
    if (layout_is_old(cluster)) {
        BERTH_TRY(relayout(cluster));
        cluster->unplaced_count = 0; /* CLUSTER-5 */
        find_csi_nodes(cluster);
    }
    return berth__cluster_widen(cluster);
}

void berth__cluster_lock(const berth__cluster *cluster)
{
    const berth__cow_owner *cow = &cluster->cow;
    berth__model_lock(cluster->model);
    if (cluster->model->shared)
        berth__intern_seen_from(&cluster->model->strings, cow->branch ? cow->rooted : cow->stamp,
                                cow->branch);
}

/* ---- notification ---- */

/* A transaction may be rolled back, so the watcher is notified only at the commit, and only that
 * there were changes. */
static bool is_heard(const berth__cluster *cluster)
{
    return cluster->watcher != NULL && !cluster->undo.recording;
}

void berth__cluster_notify(const berth__cluster *cluster, const berth__change *change)
{
    if (is_heard(cluster))
        cluster->watcher->changed(cluster->watcher->context, change);
}

void berth__cluster_notify_locked(const berth__cluster *cluster, const berth__change *change)
{
    if (!is_heard(cluster))
        return;
    berth__model_unlock(cluster->model);
    berth__cluster_notify(cluster, change);
    berth__cluster_lock(cluster);
}

/* Allocate memory for undoing the operation and for the watcher's notification. */
bool berth__cluster_make_ready(berth__cluster *cluster, berth_kind kind)
{
    const berth__watcher *watcher = cluster->watcher;
    const bool queues = kind == BERTH_KIND_POD || kind == BERTH_KIND_POD_GROUP ||
                        kind == BERTH_KIND_COMPOSITE_POD_GROUP;
    if (is_heard(cluster) && queues &&
        watcher->reserve(watcher->context, cluster->pods.record_count + BERTH__PODS_A_PAGE) !=
            BERTH_OK)
        return false;
    return berth__cluster_reserve_undo(cluster, BERTH_POD_INDEX_NONE);
}

static void notify_other(const berth__cluster *cluster, berth_kind kind, berth_str namespace_name,
                         berth_str name)
{
    if (kind != BERTH_KIND_NODE && kind != BERTH_KIND_POD)
        berth__cluster_notify(
            cluster,
            &(berth__change){.kind = kind, .namespace_name = namespace_name, .name = name});
}

/* ---- making writable ---- */

static berth_status make_related_writable(berth__cluster *cluster)
{
    berth__cow_owner *cow = &cluster->cow;
    berth__related *old = cluster->view.related;
    if (!cow->shared || old->stamp == cow->stamp)
        return BERTH_OK;
    berth__related *copy = berth__cow_owner_reserve(cow, 2) ? berth__related_copy(old) : NULL;
    if (copy == NULL)
        return BERTH_E_NOMEM;
    copy->stamp = cow->stamp;
    copy->undo = &cluster->undo;
    berth__cow_owner_note_made(cow, berth__related_release, copy, 0);
    berth__cow_owner_retire(cow, old->stamp, berth__related_release, old, 0);
    cluster->view.related = copy;
    return BERTH_OK;
}

berth_status berth__cluster_make_disruption_writable(berth__cluster *cluster)
{
    berth__cow_owner *cow = &cluster->cow;
    berth__disruption *old = cluster->disruption;
    if (!cow->shared || old->stamp == cow->stamp)
        return BERTH_OK;
    berth__disruption *copy = berth__cow_owner_reserve(cow, 2) ? berth__disruption_copy(old) : NULL;
    if (copy == NULL)
        return BERTH_E_NOMEM;
    copy->stamp = cow->stamp;
    if (!cow->branch) /* the engine simulates evictions on data that other threads read */
        copy->round = old->round;
    copy->undo = &cluster->undo;
    berth__cow_owner_note_made(cow, berth__disruption_release, copy, 0);
    berth__cow_owner_retire(cow, old->stamp, berth__disruption_release, old, 0);
    cluster->disruption = copy;
    return BERTH_OK;
}

/* ---- dispatch ---- */

static const berth_metadata *metadata_of(const berth_object *object)
{
    return object->as.any; /* every object begins with its metadata */
}

static berth_status no_array(berth_error *error, const char *count, const char *array)
{
    berth__error_set(error, BERTH_E_ARG, "%s is not 0, and %s is NULL", count, array);
    berth__error_field(error, "%s", array);
    return BERTH_E_ARG;
}

static berth_status check_pointers(const berth_object *object, berth_error *error)
{
    if (object->as.any == NULL)
        return berth__error_set(error, BERTH_E_ARG, "the %s is NULL",
                                berth_kind_name(object->kind));
    if (metadata_of(object)->labels.entries == NULL && metadata_of(object)->labels.count > 0)
        return no_array(error, "labels.count", "labels.entries");
    if (object->kind != BERTH_KIND_POD)
        return BERTH_OK;
    const berth_pod *pod = object->as.pod;
    if (pod->containers == NULL && pod->container_count > 0)
        return no_array(error, "container_count", "containers");
    if (pod->init_containers == NULL && pod->init_container_count > 0)
        return no_array(error, "init_container_count", "init_containers");
    return BERTH_OK;
}

static berth_status check_name(const berth_object *object, berth_error *error)
{
    BERTH_TRY(check_pointers(object, error));
    if (metadata_of(object)->name.len > 0)
        return BERTH_OK;
    berth__error_set(error, BERTH_E_INVALID, "an object needs a name");
    berth__error_object(error, "%s", berth_kind_name(object->kind));
    berth__error_field(error, "metadata.name");
    return BERTH_E_INVALID;
}

/* Before a branch's store of volumes changes, create it and bring it up to date. From then on it
 * holds facts of the branch's own. */
static berth_status make_storage_writable(berth__cluster *cluster)
{
    BERTH_TRY(berth__cluster_catch_up_volumes(cluster));
    if (cluster->cow.branch)
        cluster->view.storage->cow = &cluster->cow;
    return BERTH_OK;
}

static berth_status check_amount(berth_quantity amount, const char *field, berth_error *error)
{
    if (berth__amount_is_valid(amount))
        return BERTH_OK;
    berth__error_set(error, BERTH_E_INVALID, BERTH__AMOUNT_INVALID);
    berth__error_field(error, "%s", field);
    return BERTH_E_INVALID;
}

/* For volumes and similar kinds. Amounts of nodes and pods are checked where they are read. */
static berth_status check_amounts(const berth_object *object, berth_error *error)
{
    switch (object->kind) {
    case BERTH_KIND_PERSISTENT_VOLUME:
        return check_amount(object->as.persistent_volume->capacity, "spec.capacity.storage", error);
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        return check_amount(object->as.persistent_volume_claim->request,
                            "spec.resources.requests.storage", error);
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
        BERTH_TRY(check_amount(object->as.csi_storage_capacity->capacity, "capacity", error));
        return check_amount(object->as.csi_storage_capacity->maximum_volume_size,
                            "maximumVolumeSize", error);
    default:
        return BERTH_OK;
    }
}

/* What keeps the objects of a kind. */
typedef enum keeper {
    KEEPS_NODES,
    KEEPS_PODS,
    KEEPS_RELATED,
    KEEPS_BUDGETS,
    KEEPS_STORAGE,
    KEEPS_NOTHING, /* there is no such kind */
} keeper;

static keeper keeper_of(berth_kind kind)
{
    switch (kind) {
    case BERTH_KIND_NODE:
        return KEEPS_NODES;
    case BERTH_KIND_POD:
        return KEEPS_PODS;
    case BERTH_KIND_SERVICE:
    case BERTH_KIND_REPLICATION_CONTROLLER:
    case BERTH_KIND_REPLICA_SET:
    case BERTH_KIND_STATEFUL_SET:
    case BERTH_KIND_NAMESPACE:
    case BERTH_KIND_POD_GROUP:
    case BERTH_KIND_COMPOSITE_POD_GROUP:
        return KEEPS_RELATED;
    case BERTH_KIND_POD_DISRUPTION_BUDGET:
        return KEEPS_BUDGETS;
    case BERTH_KIND_STORAGE_CLASS:
    case BERTH_KIND_CSI_DRIVER:
    case BERTH_KIND_CSI_NODE:
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
    case BERTH_KIND_PERSISTENT_VOLUME:
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
    case BERTH_KIND_VOLUME_ATTACHMENT:
    case BERTH_KIND_RESOURCE_SLICE:
    case BERTH_KIND_DEVICE_CLASS:
    case BERTH_KIND_RESOURCE_CLAIM:
    case BERTH_KIND_DEVICE_TAINT_RULE:
        return KEEPS_STORAGE;
    default:
        return KEEPS_NOTHING;
    }
}

/* Make the cluster's own copy of what keeps the objects of a kind. Nodes and pods are copied where
 * they change. */
static berth_status make_writable(berth__cluster *cluster, berth_kind kind, berth_error *error)
{
    berth_status status = BERTH_OK;
    switch (keeper_of(kind)) {
    case KEEPS_RELATED:
        status = make_related_writable(cluster);
        break;
    case KEEPS_BUDGETS:
        status = berth__cluster_make_disruption_writable(cluster);
        break;
    case KEEPS_STORAGE:
        status = make_storage_writable(cluster);
        break;
    case KEEPS_NOTHING:
        return berth__error_set(error, BERTH_E_ARG, "there is no kind number %d", (int)kind);
    case KEEPS_NODES:
    case KEEPS_PODS:
        break;
    }
    return status == BERTH_OK ? BERTH_OK : berth__error_no_memory(error);
}

static berth_status put_related(berth__cluster *cluster, const berth_object *object, bool replace,
                                berth_error *error)
{
    const berth__related *related = cluster->view.related;
    berth_status status = berth__related_add(cluster->view.related, object, replace, error);
    if (status == BERTH_OK && related->service_count + related->controller_count > 0)
        berth__groups_foresee(&cluster->view);
    return status;
}

void berth__cluster_keep_up_volumes(berth__cluster *cluster)
{
    const berth__view *view = &cluster->view;
    if (view->volume_use != NULL && !layout_is_old(cluster))
        berth__volume_use_keep_up(view->volume_use, view->layout, &view->nodes);
}

static berth_status put_stored(berth__cluster *cluster, const berth_object *object, bool replace,
                               berth_error *error)
{
    berth_status status = berth__storage_add(cluster->view.storage, object, replace, error);
    if (status == BERTH_OK)
        berth__cluster_keep_up_volumes(cluster);
    if (status == BERTH_OK && cluster->view.devices != NULL)
        berth__devices_keep_up(cluster->view.devices, &cluster->view);
    return status;
}

static berth_status put_object(berth__cluster *cluster, const berth_object *object, bool replace,
                               uint64_t *id, berth_error *error)
{
    BERTH_TRY(make_writable(cluster, object->kind, error));
    switch (keeper_of(object->kind)) {
    case KEEPS_NODES:
        return replace ? berth__cluster_update_node(cluster, object->as.node, error)
                       : berth__cluster_add_node(cluster, object->as.node, id, error);
    case KEEPS_PODS:
        return replace ? berth__cluster_update_pod(cluster, object->as.pod, error)
                       : berth__cluster_add_pod(cluster, object->as.pod, id, error);
    case KEEPS_RELATED:
        return put_related(cluster, object, replace, error);
    case KEEPS_BUDGETS:
        return berth__disruption_add(cluster->disruption, object, replace, error);
    case KEEPS_STORAGE:
        return put_stored(cluster, object, replace, error);
    case KEEPS_NOTHING:
        break;
    }
    return BERTH_E_ARG;
}

/* Undo the steps that a failed operation has recorded in the log. */
static berth_status settle_operation(berth__cluster *cluster, uint32_t begin, berth_status status)
{
    if (status != BERTH_OK)
        berth__undo_to(&cluster->undo, begin);
    return status;
}

/* Sets `*full` if no column was left for the name of a resource. A sweep then looks for names that
 * are no longer needed. */
static berth_status put_once(berth__cluster *cluster, const berth_object *object, bool replace,
                             uint64_t *id, bool *full, berth_error *error)
{
    berth__model *model = cluster->model;
    berth_str namespace_name = metadata_of(object)->namespace_name;
    berth_str name = metadata_of(object)->name;
    uint32_t begin = cluster->undo.top;
    berth_status status =
        berth__cluster_make_ready(cluster, object->kind) ? BERTH_OK : berth__error_no_memory(error);
    if (status == BERTH_OK)
        status = check_amounts(object, error);
    berth__cluster_lock(cluster);
    if (status == BERTH_OK)
        status = put_object(cluster, object, replace, id, error);
    status = settle_operation(cluster, begin, status);
    *full = status == BERTH_E_NOMEM && model->resources_named == BERTH__RESOURCES_MAX;
    if (*full)
        model->sweep_at = 0;
    bool sweeps = berth__cluster_sweep_is_due(cluster);
    berth__model_unlock(model);
    if (status == BERTH_OK)
        notify_other(cluster, object->kind, namespace_name, name);
    else
        berth__error_named(error, berth_kind_name(object->kind), namespace_name, name);
    if (sweeps)
        berth__cluster_sweep(cluster);
    return status;
}

static bool has_columns(const berth__cluster *cluster)
{
    berth__cluster_lock(cluster);
    bool has = cluster->model->resources_named < BERTH__RESOURCES_MAX;
    berth__model_unlock(cluster->model);
    return has;
}

static berth_status put_named(berth__cluster *cluster, const berth_object *object, bool replace,
                              uint64_t *id, berth_error *error)
{
    bool full;
    BERTH_TRY(check_name(object, error));
    berth_status status = put_once(cluster, object, replace, id, &full, error);
    return full && has_columns(cluster) ? put_once(cluster, object, replace, id, &full, error)
                                        : status;
}

berth_status berth__cluster_add(berth__cluster *cluster, const berth_object *object, uint64_t *id,
                                berth_error *error)
{
    return put_named(cluster, object, false, id, error);
}

berth_status berth__cluster_update(berth__cluster *cluster, const berth_object *object,
                                   berth_error *error)
{
    return put_named(cluster, object, true, NULL, error);
}

static berth_status remove_object(berth__cluster *cluster, berth_kind kind,
                                  berth_str namespace_name, berth_str name, berth_error *error)
{
    BERTH_TRY(make_writable(cluster, kind, error));
    switch (keeper_of(kind)) {
    case KEEPS_NODES:
        return berth__cluster_remove_node(cluster, name, error);
    case KEEPS_PODS:
        return berth__cluster_remove_pod(cluster, namespace_name, name, error);
    case KEEPS_RELATED:
        return berth__related_remove(cluster->view.related, kind, namespace_name, name, error);
    case KEEPS_BUDGETS:
        return berth__disruption_remove(cluster->disruption, kind, namespace_name, name, error);
    case KEEPS_STORAGE:
        return berth__storage_remove(cluster->view.storage, kind, namespace_name, name, error);
    case KEEPS_NOTHING:
        break;
    }
    return BERTH_E_ARG;
}

berth_status berth__cluster_remove(berth__cluster *cluster, berth_kind kind,
                                   berth_str namespace_name, berth_str name, berth_error *error)
{
    berth__cluster_lock(cluster);
    uint32_t begin = cluster->undo.top;
    /* Removing a pod needs no memory of the queue. */
    const bool ready = kind == BERTH_KIND_POD
                           ? berth__cluster_reserve_undo(cluster, BERTH_POD_INDEX_NONE)
                           : berth__cluster_make_ready(cluster, kind);
    berth_status status = ready ? remove_object(cluster, kind, namespace_name, name, error)
                                : berth__error_no_memory(error);
    status = settle_operation(cluster, begin, status);
    bool sweeps = berth__cluster_sweep_is_due(cluster);
    berth__model_unlock(cluster->model);
    if (status == BERTH_OK)
        notify_other(cluster, kind, namespace_name, name);
    else
        berth__error_named(error, berth_kind_name(kind), namespace_name, name);
    if (sweeps)
        berth__cluster_sweep(cluster);
    return status;
}
