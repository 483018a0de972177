/* Nodes and pods in and out. */
#include "sched/cluster.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "model/related.h"
#include "model/storage.h"
#include "sched/cluster_undo.h"
#include "snapshot/counts.h"
#include "snapshot/node_volumes.h"

enum { NAME_SHIFT = 10 };

/* ---- life ---- */

static berth_status make_parts(berth__cluster *cluster)
{
    berth__keeper *keeper = &cluster->keeper;
    cluster->tree = berth__node_tree_create(keeper->allocator);
    if (cluster->tree == NULL)
        return BERTH_E_NOMEM;
    cluster->tree->stamp = keeper->stamp;
    berth__undo_log_init(&cluster->undo, keeper->allocator);
    BERTH_TRY(berth__pods_init(&cluster->pods, keeper));
    BERTH_TRY(berth__nominations_init(&cluster->nominations, keeper->allocator, &cluster->view));
    BERTH_TRY(berth__disruption_create(cluster->model, &cluster->disruption));
    cluster->disruption->stamp = keeper->stamp;
    BERTH_TRY(berth__view_init(&cluster->view, cluster->model, keeper));
    BERTH_TRY(berth__counts_create(cluster->model, &cluster->view.counts));
    BERTH_TRY(berth__related_create(cluster->model, &cluster->view.related));
    cluster->view.related->stamp = keeper->stamp;
    BERTH_TRY(berth__storage_create(cluster->model, &cluster->view.storage));
    cluster->nominations.undo = cluster->disruption->undo = &cluster->undo;
    cluster->view.related->undo = cluster->view.storage->undo = &cluster->undo;
    return berth__volume_use_create(cluster->view.storage, &cluster->view.volume_use);
}

berth_status berth__cluster_init(berth__cluster *cluster, const berth_allocator *allocator,
                                 berth_era era)
{
    memset(cluster, 0, sizeof(*cluster));
    berth__model *model = berth__alloc(allocator, sizeof(*model), _Alignof(berth__model));
    if (model == NULL || berth__model_init(model, allocator, era) != BERTH_OK) {
        berth__free(allocator, model, sizeof(*model));
        return BERTH_E_NOMEM;
    }
    cluster->model = model;
    berth__keeper_init(&cluster->keeper, allocator, model);
    berth__table_init(&cluster->node_of_name, sizeof(uint32_t), NAME_SHIFT);
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
    cluster->keeper.shared = false;
    berth__counts_destroy(cluster->view.counts);
    berth__related_destroy(cluster->view.related);
    berth__volume_use_destroy(cluster->view.volume_use);
    berth__storage_destroy(cluster->view.storage);
    for (uint32_t i = 0; i < cluster->node_count; i++)
        berth__node_facts_free(allocator, berth__cluster_node(cluster, i)->facts);
    berth__view_destroy(&cluster->view);
    berth__pods_destroy(&cluster->pods, model);
    berth__nominations_destroy(&cluster->nominations);
    berth__disruption_destroy(cluster->disruption);
    berth__node_tree_free(cluster->tree);
    berth__table_let_go(&cluster->node_of_name, &cluster->keeper);
    berth__keeper_destroy(&cluster->keeper);
    berth__model_destroy(model);
    berth__free(allocator, model, sizeof(*model));
    memset(cluster, 0, sizeof(*cluster));
}

static berth_status no_memory(berth_error *error)
{
    return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
}

static void name_object(berth_error *error, const char *kind, berth_str namespace_name,
                        berth_str name)
{
    if (error == NULL || error->object[0] != '\0')
        return;
    if (namespace_name.len > 0)
        berth__error_object(error, "%s %.*s/%.*s", kind, (int)namespace_name.len,
                            namespace_name.data, (int)name.len, name.data);
    else
        berth__error_object(error, "%s %.*s", kind, (int)name.len, name.data);
}

/* ---- layout ---- */

/* Room for every resource that the model knows. */
static berth_status widen_view(berth__cluster *cluster)
{
    return cluster->view.resource_count < cluster->model->resource_count
               ? berth__view_widen(&cluster->view)
               : BERTH_OK;
}

static berth_status relayout(berth__cluster *cluster)
{
    const berth_allocator *allocator = cluster->model->allocator;
    uint32_t count = cluster->tree->node_count;
    uint32_t *order = berth__alloc(allocator, count * sizeof(uint32_t), 64);
    berth__former_layout former = {.layout = NULL};
    if (order == NULL || !berth__cluster_reserve_undo(cluster, BERTH__POD_NONE)) {
        berth__free(allocator, order, count * sizeof(uint32_t));
        return BERTH_E_NOMEM;
    }
    berth__node_tree_list(cluster->tree, order);
    berth_status status = berth__view_relayout(&cluster->view, order, count, &cluster->pods,
                                               berth__model_tick(cluster->model),
                                               cluster->undo.recording ? &former : NULL);
    berth__free(allocator, order, count * sizeof(uint32_t));
    if (former.layout != NULL)
        berth__note_relayout(cluster, &former);
    return status;
}

berth_status berth__cluster_sync(berth__cluster *cluster)
{
    berth__view *view = &cluster->view;
    BERTH_TRY(berth__cluster_catch_up(cluster));
    if (cluster->unplaced_count > 0 || cluster->present_count < view->layout->count) {
        BERTH_TRY(relayout(cluster));
        cluster->unplaced_count = 0;
    }
    return widen_view(cluster);
}

/* ---- news ---- */

/* What a transaction does may be taken back: it is heard of when it is committed, as a whole. */
static void tell(const berth__cluster *cluster, const berth__change *change)
{
    if (cluster->watcher != NULL && !cluster->undo.recording)
        cluster->watcher->changed(cluster->watcher->context, change);
}

/* Memory for undoing the operation, and for whoever hears of it. */
static bool make_ready(berth__cluster *cluster, berth_kind kind)
{
    const berth__watcher *watcher = cluster->watcher;
    if (watcher != NULL && kind == BERTH_KIND_POD && !cluster->undo.recording &&
        watcher->reserve(watcher->context, cluster->pods.record_count + BERTH__PODS_A_PAGE) !=
            BERTH_OK)
        return false;
    return berth__cluster_reserve_undo(cluster, BERTH__POD_NONE);
}

static void tell_node(const berth__cluster *cluster, uint32_t node_id,
                      const berth__node_facts *old_facts, const berth__node_facts *new_facts)
{
    tell(cluster, &(berth__change){.kind = BERTH_KIND_NODE,
                                   .node = node_id,
                                   .old_facts = old_facts,
                                   .new_facts = new_facts});
}

static void tell_other(const berth__cluster *cluster, berth_kind kind, berth_str namespace_name,
                       berth_str name)
{
    if (kind != BERTH_KIND_NODE && kind != BERTH_KIND_POD)
        tell(cluster, &(berth__change){
                          .kind = kind, .namespace_name = namespace_name, .name = name});
}

/* What a pod is now, as the old side of a change. */
static berth__change change_of_pod(const berth__cluster *cluster, uint32_t index)
{
    const berth__pod *pod = berth__pod_at(&cluster->pods, index);
    const berth__nomination *nomination =
        berth__nominations_find(&cluster->nominations, index);
    return (berth__change){
        .kind = BERTH_KIND_POD,
        .pod = index,
        .old_class = pod->cls,
        .old_node = pod->node,
        .new_node = BERTH__NODE_NONE,
        .old_priority = pod->priority,
        .old_nominated = nomination != NULL && nomination->awake ? nomination->node
                                                                 : BERTH__NODE_NONE};
}

/* ---- nodes ---- */

static uint32_t node_id_of(const berth__cluster *cluster, berth__sym name)
{
    const uint32_t *id = berth__table_find(&cluster->node_of_name, name);
    return id != NULL ? *id - 1 : BERTH__NODE_NONE; /* 0 - 1: BERTH__NODE_NONE */
}

uint32_t berth__cluster_find_node(const berth__cluster *cluster, berth_str name)
{
    berth__sym sym = berth__intern_find(&cluster->model->strings, name);
    return sym == 0 ? BERTH__NODE_NONE : node_id_of(cluster, sym);
}

/* The id of a name, with an absent node behind it if it is new; BERTH__NODE_NONE when out of memory. */
static uint32_t node_id_make(berth__cluster *cluster, berth_str name)
{
    bool ok = true;
    berth__sym sym = berth__intern_add(&cluster->model->strings, name, &ok);
    if (!ok)
        return BERTH__NODE_NONE;
    uint32_t id = node_id_of(cluster, sym);
    if (id != BERTH__NODE_NONE)
        return id;
    if (!berth__table_add(&cluster->node_of_name, &cluster->keeper, sym) ||
        !berth__table_add(&cluster->view.nodes, &cluster->keeper, cluster->node_count))
        return BERTH__NODE_NONE;
    *berth__cluster_node(cluster, cluster->node_count) = (berth__node){
        .name = sym,
        .slot = BERTH__SLOT_NONE,
        .first_pod = BERTH__POD_NONE,
        .lowest_priority = INT32_MAX};
    uint32_t *place = berth__table_find(&cluster->node_of_name, sym);
    BERTH_ASSERT(place != NULL);
    *place = ++cluster->node_count;
    berth__note_node_id(cluster);
    return cluster->node_count - 1;
}

/* ---- owning ---- */

/* What operations write must be owned before: base/keeper.h. These say for what. */

static berth_status own_node(berth__cluster *cluster, uint32_t node_id)
{
    return berth__table_own(&cluster->view.nodes, &cluster->keeper, node_id) ? BERTH_OK
                                                                           : BERTH_E_NOMEM;
}

/* A pod leaves its node: itself, its neighbours on the list, the node's record and tile. */
static berth_status own_leaving(berth__cluster *cluster, uint32_t pod)
{
    if (!cluster->keeper.shared)
        return BERTH_OK;
    BERTH_TRY(berth__pods_own_linked(&cluster->pods, pod));
    uint32_t node_id = berth__pod_at(&cluster->pods, pod)->node;
    if (node_id == BERTH__NODE_NONE)
        return BERTH_OK;
    BERTH_TRY(own_node(cluster, node_id));
    uint32_t slot = berth__cluster_node(cluster, node_id)->slot;
    return slot != BERTH__SLOT_NONE ? berth__view_own(&cluster->view, slot) : BERTH_OK;
}

/* A pod comes to a node (its tile is owned when it is counted), or to the pending ones. */
static berth_status own_coming(berth__cluster *cluster, uint32_t node_id)
{
    if (!cluster->keeper.shared)
        return BERTH_OK;
    if (node_id == BERTH__NODE_NONE)
        return berth__pods_own(&cluster->pods, cluster->pods.last_pending);
    BERTH_TRY(own_node(cluster, node_id));
    return berth__pods_own(&cluster->pods, berth__cluster_node(cluster, node_id)->first_pod);
}

static berth_status own_tree(berth__cluster *cluster)
{
    berth__keeper *keeper = &cluster->keeper;
    if (!keeper->shared || cluster->tree->stamp == keeper->stamp)
        return BERTH_OK;
    berth__node_tree *tree =
        berth__keeper_reserve(keeper, 1) ? berth__node_tree_copy(cluster->tree) : NULL;
    if (tree == NULL)
        return BERTH_E_NOMEM;
    tree->stamp = keeper->stamp;
    berth__keeper_made(keeper, berth__node_tree_release, tree, 0);
    berth__keeper_let_go(keeper, cluster->tree->stamp, berth__node_tree_release, cluster->tree, 0);
    cluster->tree = tree;
    return BERTH_OK;
}

static berth_status own_images(berth__cluster *cluster, const berth__node_facts *facts)
{
    for (uint32_t i = 0; facts != NULL && i < facts->image_count; i++)
        if (!berth__image_own(&cluster->view.images, berth__node_images(facts)[i].name))
            return BERTH_E_NOMEM;
    return BERTH_OK;
}

/* A node comes, changes or goes: record, tree, images, and its slot's facts if it has a slot. At the end
 * there are notes for facts that come and facts that go. */
static berth_status own_facts(berth__cluster *cluster, uint32_t node_id,
                              const berth__node_facts *fresh, bool outlasted)
{
    BERTH_TRY(own_images(cluster, berth__cluster_node(cluster, node_id)->facts));
    BERTH_TRY(own_images(cluster, fresh));
    if (!cluster->keeper.shared)
        return BERTH_OK;
    BERTH_TRY(own_node(cluster, node_id));
    uint32_t slot = berth__cluster_node(cluster, node_id)->slot;
    bool all = !outlasted || cluster->undo.recording; /* undoing writes all facts back */
    if (all)
        BERTH_TRY(own_tree(cluster));
    if (slot != BERTH__SLOT_NONE)
        BERTH_TRY(all ? berth__view_own_facts(&cluster->view, slot)
                      : berth__view_own(&cluster->view, slot));
    return berth__keeper_reserve(&cluster->keeper, 2) ? BERTH_OK : BERTH_E_NOMEM;
}

static berth_status own_related(berth__cluster *cluster)
{
    berth__keeper *keeper = &cluster->keeper;
    berth__related *old = cluster->view.related;
    if (!keeper->shared || old->stamp == keeper->stamp)
        return BERTH_OK;
    berth__related *copy = berth__keeper_reserve(keeper, 1) ? berth__related_copy(old) : NULL;
    if (copy == NULL)
        return BERTH_E_NOMEM;
    copy->stamp = keeper->stamp;
    copy->undo = &cluster->undo;
    berth__keeper_let_go(keeper, old->stamp, berth__related_release, old, 0);
    cluster->view.related = copy;
    return BERTH_OK;
}

berth_status berth__cluster_own_disruption(berth__cluster *cluster)
{
    berth__keeper *keeper = &cluster->keeper;
    berth__disruption *old = cluster->disruption;
    if (!keeper->shared || old->stamp == keeper->stamp)
        return BERTH_OK;
    berth__disruption *copy =
        berth__keeper_reserve(keeper, 2) ? berth__disruption_copy(old) : NULL;
    if (copy == NULL)
        return BERTH_E_NOMEM;
    copy->stamp = keeper->stamp;
    if (!keeper->branch) /* the engine evicts in thought in what others read */
        copy->round = old->round;
    copy->undo = &cluster->undo;
    berth__keeper_made(keeper, berth__disruption_release, copy, 0);
    berth__keeper_let_go(keeper, old->stamp, berth__disruption_release, old, 0);
    cluster->disruption = copy;
    return BERTH_OK;
}

/* ---- images ---- */

static void count_images(berth__cluster *cluster, const berth__node_facts *facts)
{
    const berth__node_image *images = berth__node_images(facts);
    for (uint32_t i = 0; i < facts->image_count; i++)
        berth__image_add(&cluster->view.images, images[i].name, images[i].size_bytes);
}

static void uncount_images(berth__cluster *cluster, const berth__node_facts *facts)
{
    for (uint32_t i = 0; i < facts->image_count; i++)
        berth__image_remove(&cluster->view.images, berth__node_images(facts)[i].name);
}

/* ---- nodes, one at a time ---- */

/* Whether all that was worked out from facts outlasts an update: it says the same as before but for
 * allocatable amounts, which are read with the state of slots. Own plugins may have kept amounts. An image
 * that this node alone has may take another size from the very same object. */
static bool outlasts(const berth__cluster *cluster, const berth__node_facts *old,
                     const berth__node_facts *facts)
{
    bool alike = berth__node_facts_alike(old, facts) &&
                 (!cluster->amounts_are_facts || berth__node_amounts_equal(old, facts));
    for (uint32_t i = 0; i < facts->image_count && alike; i++)
        alike = berth__image_find(&cluster->view.images, berth__node_images(facts)[i].name)->size_bytes ==
                berth__node_images(facts)[i].size_bytes;
    return alike;
}

/* A node that the layout knows takes over its new facts in place; the view is wide enough. */
static void refresh_slot(berth__cluster *cluster, const berth__node *node, bool outlasted)
{
    if (node->slot != BERTH__SLOT_NONE)
        berth__view_set_facts(&cluster->view, node->slot,
                              outlasted ? cluster->view.layout->epoch
                                        : berth__model_tick(cluster->model));
}

/* The zone that the order of nodes goes by: v1.15 knows the beta labels alone. */
berth__sym berth__cluster_zone(const berth__cluster *cluster, const berth__node_facts *facts)
{
    return cluster->model->era == BERTH_ERA_V1ALPHA1 ? facts->zone_legacy : facts->zone;
}

/* Facts become part of the state, or leave it; there is a note for either. */
static void put_facts(berth__cluster *cluster, berth__node *node, berth__node_facts *facts)
{
    facts->born = cluster->keeper.stamp;
    node->facts = facts;
    berth__keeper_made(&cluster->keeper, berth__node_facts_release, facts, 0);
}

void berth__cluster_drop_facts(berth__cluster *cluster, berth__node_facts *facts)
{
    berth__keeper_let_go(&cluster->keeper, facts->born, berth__node_facts_release, facts, 0);
}

static berth_status add_node(berth__cluster *cluster, const berth_node *source, uint64_t *id,
                             berth_error *error)
{
    uint32_t node_id = node_id_make(cluster, source->meta.name);
    if (node_id == BERTH__NODE_NONE)
        return no_memory(error);
    if (berth__node_present(berth__cluster_node(cluster, node_id)))
        return berth__error_set(error, BERTH_E_EXISTS, "a node of this name is already there");
    berth__node_facts *facts;
    BERTH_TRY(berth__node_facts_make(cluster->model, source, &facts, error));
    if (widen_view(cluster) != BERTH_OK || own_facts(cluster, node_id, facts, false) != BERTH_OK ||
        !berth__note_node(cluster, node_id))
        goto fail;
    if (!berth__node_tree_add(cluster->tree, berth__cluster_zone(cluster, facts), node_id))
        goto fail_record;
    count_images(cluster, facts);
    berth__node *node = berth__cluster_node(cluster, node_id);
    put_facts(cluster, node, facts);
    refresh_slot(cluster, node, false);
    if (node->slot != BERTH__SLOT_NONE &&
        berth__view_fill(&cluster->view, node->slot, &cluster->pods) != BERTH_OK) {
        node->facts = NULL;
        berth__node_tree_remove(cluster->tree, berth__cluster_zone(cluster, facts), node_id);
        uncount_images(cluster, facts);
        berth__cancel_node(cluster);
        berth__cluster_drop_facts(cluster, facts);
        return no_memory(error);
    }
    cluster->present_count++;
    cluster->unplaced_count += node->slot == BERTH__SLOT_NONE;
    cluster->orphan_count -= node->pod_count;
    cluster->running_count += node->pod_count;
    if (id != NULL)
        *id = node_id;
    tell_node(cluster, node_id, NULL, facts);
    return BERTH_OK;
fail_record:
    berth__cancel_node(cluster);
fail:
    berth__node_facts_free(cluster->model->allocator, facts);
    return no_memory(error);
}

static bool move_zone(berth__cluster *cluster, uint32_t node_id, berth__sym from, berth__sym to)
{
    if (from == to)
        return true;
    if (!berth__node_tree_add(cluster->tree, to, node_id))
        return false;
    berth__leave_tree(cluster, node_id, from);
    return true;
}

/* Give a present node other facts, which it takes over. Errors: E_NOMEM; they are the caller's then. */
static berth_status replace_facts(berth__cluster *cluster, uint32_t node_id,
                                  berth__node_facts *facts)
{
    berth__node_facts *old = berth__cluster_node(cluster, node_id)->facts;
    bool outlasted = outlasts(cluster, old, facts);
    if (widen_view(cluster) != BERTH_OK ||
        own_facts(cluster, node_id, facts, outlasted) != BERTH_OK ||
        !berth__note_node(cluster, node_id))
        return BERTH_E_NOMEM;
    if (!move_zone(cluster, node_id, berth__cluster_zone(cluster, old),
                   berth__cluster_zone(cluster, facts))) {
        berth__cancel_node(cluster);
        return BERTH_E_NOMEM;
    }
    /* Old images go first: one that nobody else has takes its size from the new object. */
    uncount_images(cluster, old);
    count_images(cluster, facts);
    berth__node *node = berth__cluster_node(cluster, node_id);
    put_facts(cluster, node, facts);
    refresh_slot(cluster, node, outlasted);
    tell_node(cluster, node_id, old, facts);
    berth__free_facts(cluster, old);
    return BERTH_OK;
}

static berth_status update_node(berth__cluster *cluster, const berth_node *source,
                                berth_error *error)
{
    uint32_t node_id = berth__cluster_find_node(cluster, source->meta.name);
    if (node_id == BERTH__NODE_NONE || !berth__node_present(berth__cluster_node(cluster, node_id)))
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no node of this name");
    berth__node_facts *facts;
    BERTH_TRY(berth__node_facts_make(cluster->model, source, &facts, error));
    if (replace_facts(cluster, node_id, facts) == BERTH_OK)
        return BERTH_OK;
    berth__node_facts_free(cluster->model->allocator, facts);
    return no_memory(error);
}

static berth_status cordon(berth__cluster *cluster, uint32_t node_id, bool unschedulable)
{
    const berth__node *node = berth__cluster_node(cluster, node_id);
    if (node->facts->unschedulable == unschedulable)
        return BERTH_OK;
    berth__node_facts *facts =
        berth__node_facts_cordon(cluster->model, node->facts, unschedulable);
    if (facts == NULL)
        return BERTH_E_NOMEM;
    berth_status status = replace_facts(cluster, node_id, facts);
    if (status != BERTH_OK)
        berth__node_facts_free(cluster->model->allocator, facts);
    return status;
}

berth_status berth__cluster_cordon(berth__cluster *cluster, uint32_t node, bool unschedulable)
{
    return berth__cluster_reserve_undo(cluster, BERTH__POD_NONE)
               ? cordon(cluster, node, unschedulable)
               : BERTH_E_NOMEM;
}

static berth_status own_closing(berth__cluster *cluster, uint32_t node_id)
{
    if (!cluster->keeper.shared)
        return BERTH_OK;
    BERTH_TRY(own_node(cluster, node_id));
    uint32_t slot = berth__cluster_node(cluster, node_id)->slot;
    return slot != BERTH__SLOT_NONE ? berth__view_own_facts(&cluster->view, slot) : BERTH_OK;
}

berth_status berth__cluster_close(berth__cluster *cluster, uint32_t node, bool closed)
{
    if (berth__cluster_node(cluster, node)->closed == closed)
        return BERTH_OK;
    BERTH_TRY(own_closing(cluster, node));
    if (!berth__cluster_reserve_undo(cluster, BERTH__POD_NONE))
        return BERTH_E_NOMEM;
    berth__note_closed(cluster, node);
    berth__node *record = berth__cluster_node(cluster, node);
    record->closed = closed;
    if (record->slot != BERTH__SLOT_NONE)
        berth__view_close(&cluster->view, record->slot);
    if (!closed) /* to pods that wait it is a new node */
        tell_node(cluster, node, NULL, record->facts);
    return BERTH_OK;
}

/* The node leaves the tree; its slot stays until the layout is made anew, its pods become orphans. */
static berth_status remove_node(berth__cluster *cluster, berth_str name, berth_error *error)
{
    uint32_t node_id = berth__cluster_find_node(cluster, name);
    if (node_id == BERTH__NODE_NONE || !berth__node_present(berth__cluster_node(cluster, node_id)))
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no node of this name");
    if (own_facts(cluster, node_id, NULL, false) != BERTH_OK || !berth__note_node(cluster, node_id))
        return no_memory(error);
    berth__node *node = berth__cluster_node(cluster, node_id);
    berth__leave_tree(cluster, node_id, berth__cluster_zone(cluster, node->facts));
    uncount_images(cluster, node->facts);
    if (node->slot != BERTH__SLOT_NONE)
        berth__view_vacate(&cluster->view, node->slot, &cluster->pods);
    berth__node_facts *old = node->facts;
    node->facts = NULL;
    node->closed = false;
    cluster->present_count--;
    cluster->unplaced_count -= node->slot == BERTH__SLOT_NONE;
    cluster->running_count -= node->pod_count;
    cluster->orphan_count += node->pod_count;
    tell_node(cluster, node_id, old, NULL);
    berth__free_facts(cluster, old);
    return BERTH_OK;
}

/* ---- pods ---- */

berth_pod_id berth__cluster_pod_id(const berth__cluster *cluster, uint32_t index)
{
    return (uint64_t)berth__pod_at(&cluster->pods, index)->generation << 32 | index;
}

uint32_t berth__cluster_pod(const berth__cluster *cluster, berth_pod_id id)
{
    uint32_t index = (uint32_t)id;
    if (index >= cluster->pods.record_count)
        return BERTH__POD_NONE;
    const berth__pod *pod = berth__pod_at(&cluster->pods, index);
    return pod->cls != NULL && pod->generation == id >> 32 ? index : BERTH__POD_NONE;
}

static bool is_finished(const berth_pod *pod)
{
    return berth__str_is(pod->phase, "Succeeded") || berth__str_is(pod->phase, "Failed");
}

static bool is_disrupted(const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->condition_count; i++)
        if (berth__str_is(pod->conditions[i].type, "DisruptionTarget") &&
            berth__str_is(pod->conditions[i].status, "True") &&
            berth__str_is(pod->conditions[i].reason, "PreemptionByScheduler"))
            return true;
    return false;
}

/* Count a pod of a class on a node if the node is in the layout. The part of entering that can fail. */
static berth_status count_on(berth__cluster *cluster, const berth__class *cls, uint32_t node_id)
{
    const berth__node *node = berth__cluster_node(cluster, node_id);
    if (!berth__node_present(node) || node->slot == BERTH__SLOT_NONE)
        return BERTH_OK;
    BERTH_TRY(widen_view(cluster));
    BERTH_TRY(berth__view_own(&cluster->view, node->slot));
    if (!berth__note_count(cluster, node_id, cls, 1))
        return BERTH_E_NOMEM;
    berth_status status = berth__view_add_pod(&cluster->view, node->slot, cls);
    if (status != BERTH_OK)
        berth__undo_cancel(&cluster->undo);
    return status;
}

/* Put a pod that is counted there, and on no list, onto its node's list. */
static void attach(berth__cluster *cluster, uint32_t pod, uint32_t node_id)
{
    berth__node *node = berth__cluster_node(cluster, node_id);
    berth__pods_attach(&cluster->pods, node, node_id, pod);
    *(berth__node_present(node) ? &cluster->running_count : &cluster->orphan_count) += 1;
    berth__note_list(cluster, pod, BERTH__CAME_TO_NODE);
}

static void append_pending(berth__cluster *cluster, uint32_t pod)
{
    berth__pods_append_pending(&cluster->pods, pod);
    berth__note_list(cluster, pod, BERTH__CAME_TO_PENDING);
}

static void remove_pending(berth__cluster *cluster, uint32_t pod)
{
    berth__note_list(cluster, pod, BERTH__LEFT_PENDING);
    berth__pods_remove_pending(&cluster->pods, pod);
}

static berth_status enter(berth__cluster *cluster, uint32_t pod, uint32_t node_id)
{
    BERTH_TRY(count_on(cluster, berth__pod_at(&cluster->pods, pod)->cls, node_id));
    attach(cluster, pod, node_id);
    return BERTH_OK;
}

static void leave(berth__cluster *cluster, uint32_t pod)
{
    berth__pod *record = berth__pod_at(&cluster->pods, pod);
    berth__node *node = berth__cluster_node(cluster, record->node);
    if (berth__node_present(node) && node->slot != BERTH__SLOT_NONE) {
        (void)berth__note_count(cluster, record->node, record->cls, -1); /* room is there */
        berth__view_remove_pod(&cluster->view, node->slot, record->cls);
    }
    *(berth__node_present(node) ? &cluster->running_count : &cluster->orphan_count) -= 1;
    berth__note_list(cluster, pod, BERTH__LEFT_NODE);
    berth__pods_detach(&cluster->pods, node, pod);
}

/* A pending pod goes to a node; it can be taken back then. */
static berth_status own_binding(berth__cluster *cluster, uint32_t pod, uint32_t node)
{
    BERTH_TRY(berth__pods_own_linked(&cluster->pods, pod));
    BERTH_TRY(own_coming(cluster, node));
    return own_coming(cluster, BERTH__NODE_NONE);
}

berth_status berth__cluster_bind(berth__cluster *cluster, uint32_t pod, uint32_t node)
{
    if (cluster->keeper.shared)
        BERTH_TRY(own_binding(cluster, pod, node));
    if (!berth__cluster_reserve_undo(cluster, pod))
        return BERTH_E_NOMEM;
    BERTH_TRY(count_on(cluster, berth__pod_at(&cluster->pods, pod)->cls, node));
    remove_pending(cluster, pod);
    attach(cluster, pod, node);
    berth__nominations_wake(&cluster->nominations, pod, false);
    return BERTH_OK;
}

berth_status berth__cluster_own_unbind(berth__cluster *cluster, uint32_t pod)
{
    BERTH_TRY(own_leaving(cluster, pod));
    return own_coming(cluster, BERTH__NODE_NONE);
}

berth_status berth__cluster_unbind(berth__cluster *cluster, uint32_t pod)
{
    BERTH_TRY(berth__cluster_own_unbind(cluster, pod));
    leave(cluster, pod);
    append_pending(cluster, pod);
    berth__nominations_wake(&cluster->nominations, pod, true);
    return BERTH_OK;
}

/* The node that a pod's status nominates (BERTH__NODE_NONE: none), and memory for the nomination. */
static berth_status reserve_nomination(berth__cluster *cluster, const berth_pod *source,
                                       uint32_t *out)
{
    *out = BERTH__NODE_NONE;
    if (source->nominated_node_name.len == 0)
        return BERTH_OK;
    *out = node_id_make(cluster, source->nominated_node_name);
    return *out == BERTH__NODE_NONE ? BERTH_E_NOMEM
                                    : berth__nominations_reserve(&cluster->nominations, *out);
}

/* A nomination goes when the status that made it does; one that the engine's user made stays, as
 * kube-scheduler's does until the API server has heard of it. */
static void follow_nomination(berth__cluster *cluster, uint32_t pod, uint32_t node)
{
    const berth__nomination *old = berth__nominations_find(&cluster->nominations, pod);
    bool from_object = node != BERTH__NODE_NONE;
    if (!from_object && old != NULL && !old->from_object)
        node = old->node;
    if (node != BERTH__NODE_NONE)
        berth__nominations_set(&cluster->nominations, &cluster->pods, pod, node, from_object);
    else if (old != NULL)
        berth__nominations_drop(&cluster->nominations, pod);
}

static berth_str namespace_of(const berth_pod *pod)
{
    return pod->meta.namespace_name.len > 0 ? pod->meta.namespace_name : BERTH_LITERAL("default");
}

/* Put a pod whose class is known into the table and onto its list. Takes over the class's use. */
static berth_status insert_pod(berth__cluster *cluster, const berth_pod *source, berth__class *cls,
                               uint32_t *out)
{
    uint32_t node_id = BERTH__NODE_NONE, nominated;
    if (source->node_name.len > 0) {
        node_id = node_id_make(cluster, source->node_name);
        if (node_id == BERTH__NODE_NONE)
            return BERTH_E_NOMEM;
    }
    BERTH_TRY(reserve_nomination(cluster, source, &nominated));
    BERTH_TRY(own_coming(cluster, node_id));
    BERTH_TRY(berth__pods_add(&cluster->pods, cls, source->meta.name, out));
    berth__note_pod_added(cluster, *out);
    berth__pod *pod = berth__pod_at(&cluster->pods, *out);
    pod->priority = source->has_priority ? source->priority : 0;
    pod->start_time_ns = source->start_time_ns;
    pod->disrupted = is_disrupted(source);
    if (node_id == BERTH__NODE_NONE)
        append_pending(cluster, *out);
    berth_status status = node_id == BERTH__NODE_NONE ? BERTH_OK : enter(cluster, *out, node_id);
    if (status != BERTH_OK) {
        berth__undo_cancel(&cluster->undo);
        cls->users++; /* the caller gives its use back */
        berth__pods_unadd(&cluster->pods, cluster->model, *out);
        return status;
    }
    follow_nomination(cluster, *out, nominated);
    tell(cluster, &(berth__change){.kind = BERTH_KIND_POD,
                                   .pod = *out,
                                   .new_class = cls,
                                   .old_node = BERTH__NODE_NONE,
                                   .new_node = node_id,
                                   .old_nominated = BERTH__NODE_NONE});
    return BERTH_OK;
}

static berth_status add_pod(berth__cluster *cluster, const berth_pod *source, uint64_t *id,
                            berth_error *error)
{
    if (id != NULL)
        *id = BERTH_POD_NONE;
    berth__sym space = berth__intern_find(&cluster->model->strings, namespace_of(source));
    if (space != 0 &&
        berth__pods_find(&cluster->pods, space, source->meta.name) != BERTH__POD_NONE)
        return berth__error_set(error, BERTH_E_EXISTS, "a pod of this name is already there");
    if (is_finished(source))
        return BERTH_OK;
    berth__class *cls;
    BERTH_TRY(berth__class_of(cluster->model, source, &cls, error));
    uint32_t index;
    if (insert_pod(cluster, source, cls, &index) != BERTH_OK) {
        berth__class_release(cluster->model, cls);
        return no_memory(error);
    }
    if (id != NULL)
        *id = berth__cluster_pod_id(cluster, index);
    return BERTH_OK;
}

/* The record of a pending pod of that class, not yet counted anywhere. Takes over the class's use. */
static berth_status insert_like(berth__cluster *cluster, const berth__pod *like, berth_str name,
                                uint32_t *out)
{
    int32_t priority = like->priority;
    berth__class *cls = like->cls;
    if (!make_ready(cluster, BERTH_KIND_POD))
        return BERTH_E_NOMEM;
    BERTH_TRY(own_coming(cluster, BERTH__NODE_NONE));
    BERTH_TRY(berth__pods_add(&cluster->pods, cls, name, out));
    cls->users++;
    berth__note_pod_added(cluster, *out);
    berth__pod_at(&cluster->pods, *out)->priority = priority;
    append_pending(cluster, *out);
    return BERTH_OK;
}

berth_status berth__cluster_add_like(berth__cluster *cluster, uint32_t pod, berth_str name,
                                     uint64_t *id, berth_error *error)
{
    const berth__pod *like = berth__pod_at(&cluster->pods, pod);
    uint32_t index;
    *id = BERTH_POD_NONE;
    if (name.len == 0)
        return berth__error_set(error, BERTH_E_INVALID, "a pod needs a name");
    if (berth__pods_find(&cluster->pods, like->cls->identity->namespace_name, name) !=
        BERTH__POD_NONE)
        return berth__error_set(error, BERTH_E_EXISTS, "a pod of this name is already there");
    berth__model_lock(cluster->model); /* the class gets another use */
    berth_status status = insert_like(cluster, like, name, &index);
    berth__model_unlock(cluster->model);
    if (status != BERTH_OK)
        return no_memory(error);
    tell(cluster, &(berth__change){.kind = BERTH_KIND_POD,
                                   .pod = index,
                                   .new_class = berth__pod_at(&cluster->pods, index)->cls,
                                   .old_node = BERTH__NODE_NONE,
                                   .new_node = BERTH__NODE_NONE,
                                   .old_nominated = BERTH__NODE_NONE});
    *id = berth__cluster_pod_id(cluster, index);
    return BERTH_OK;
}

static uint32_t find_pod(const berth__cluster *cluster, berth_str namespace_name, berth_str name)
{
    if (namespace_name.len == 0)
        namespace_name = BERTH_LITERAL("default");
    berth__sym space = berth__intern_find(&cluster->model->strings, namespace_name);
    return space == 0 ? BERTH__POD_NONE : berth__pods_find(&cluster->pods, space, name);
}

static void take_off_lists(berth__cluster *cluster, uint32_t pod)
{
    if (berth__pod_at(&cluster->pods, pod)->node == BERTH__NODE_NONE)
        remove_pending(cluster, pod);
    else
        leave(cluster, pod);
}

berth_status berth__cluster_own_removal(berth__cluster *cluster, uint32_t pod)
{
    BERTH_TRY(own_leaving(cluster, pod));
    BERTH_TRY(berth__pods_own_removal(&cluster->pods, pod));
    return berth__cluster_reserve_undo(cluster, pod) ? BERTH_OK : BERTH_E_NOMEM;
}

static berth_status remove_pod(berth__cluster *cluster, berth_str namespace_name, berth_str name,
                               berth_error *error)
{
    uint32_t pod = find_pod(cluster, namespace_name, name);
    if (pod == BERTH__POD_NONE)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no pod of this name");
    if (berth__cluster_own_removal(cluster, pod) != BERTH_OK)
        return no_memory(error);
    const berth__change change = change_of_pod(cluster, pod);
    take_off_lists(cluster, pod);
    berth__nominations_drop(&cluster->nominations, pod);
    if (cluster->view.storage != NULL)
        berth__storage_forget(cluster->view.storage, pod);
    tell(cluster, &change);
    berth__drop_pod(cluster, pod);
    return BERTH_OK;
}

/* A pod may leave where it is and come to a node; it may also end up pending. The tile of the node it comes
 * to is owned, so that counting it there takes no note. */
static berth_status own_moving(berth__cluster *cluster, uint32_t pod, uint32_t node_id)
{
    if (!cluster->keeper.shared)
        return BERTH_OK;
    BERTH_TRY(widen_view(cluster));
    BERTH_TRY(own_leaving(cluster, pod));
    BERTH_TRY(own_coming(cluster, BERTH__NODE_NONE));
    if (node_id == BERTH__NODE_NONE)
        return BERTH_OK;
    BERTH_TRY(own_coming(cluster, node_id));
    uint32_t slot = berth__cluster_node(cluster, node_id)->slot;
    return slot != BERTH__SLOT_NONE ? berth__view_own(&cluster->view, slot) : BERTH_OK;
}

/* Give a pod another class and node (BERTH__NODE_NONE: none). A pending pod that stays pending keeps its
 * place in the queue. */
static berth_status move_pod(berth__cluster *cluster, uint32_t index, berth__class *cls,
                             uint32_t node_id)
{
    berth__pod *pod = berth__pod_at(&cluster->pods, index);
    berth__class *old_class = pod->cls;
    uint32_t old_node = pod->node;
    if (node_id == BERTH__NODE_NONE && old_node == BERTH__NODE_NONE) {
        pod->cls = cls;
        return BERTH_OK;
    }
    /* On the same node the old class goes first, since both may hold one host port. Its place is still
     * there then: counting it again needs no memory that it did not have. */
    if (node_id == old_node) {
        leave(cluster, index);
        pod->cls = cls;
        if (enter(cluster, index, node_id) == BERTH_OK)
            return BERTH_OK;
        pod->cls = old_class;
        if (cluster->undo.recording)
            return BERTH_E_NOMEM; /* the caller undoes it */
        if (enter(cluster, index, old_node) != BERTH_OK)
            append_pending(cluster, index);
        return BERTH_E_NOMEM;
    }
    if (node_id != BERTH__NODE_NONE)
        BERTH_TRY(count_on(cluster, cls, node_id));
    take_off_lists(cluster, index);
    pod->cls = cls;
    if (node_id != BERTH__NODE_NONE)
        attach(cluster, index, node_id);
    else
        append_pending(cluster, index);
    return BERTH_OK;
}

/* The record stays, and with it the pod's id; class and node change. */
static berth_status update_pod(berth__cluster *cluster, const berth_pod *source, berth_error *error)
{
    uint32_t index = find_pod(cluster, namespace_of(source), source->meta.name);
    if (index == BERTH__POD_NONE)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no pod of this name");
    if (is_finished(source))
        return remove_pod(cluster, namespace_of(source), source->meta.name, error);
    berth__class *cls;
    BERTH_TRY(berth__class_of(cluster->model, source, &cls, error));
    uint32_t node_id = BERTH__NODE_NONE, nominated;
    if (reserve_nomination(cluster, source, &nominated) != BERTH_OK)
        goto fail;
    if (source->node_name.len > 0 &&
        (node_id = node_id_make(cluster, source->node_name)) == BERTH__NODE_NONE)
        goto fail;
    char *name = NULL;
    if (own_moving(cluster, index, node_id) != BERTH_OK ||
        !berth__cluster_reserve_undo(cluster, index) ||
        berth__pods_reserve_class(&cluster->pods, index, &name) != BERTH_OK)
        goto fail;
    berth__pod *pod = berth__pod_at(&cluster->pods, index);
    berth__pod former = *pod;
    berth__change change = change_of_pod(cluster, index);
    if (!berth__note_pod(cluster, index, name != NULL)) {
        berth__pods_unreserve_class(&cluster->pods, index, name);
        goto fail;
    }
    uint32_t moves = cluster->undo.top;
    if (move_pod(cluster, index, cls, node_id) != BERTH_OK) {
        berth__undo_to(&cluster->undo, moves);
        berth__cancel_pod(cluster);
        berth__pods_unreserve_class(&cluster->pods, index, name);
        goto fail;
    }
    berth__pods_take_class(&cluster->pods, index, name);
    pod->priority = source->has_priority ? source->priority : 0;
    if (pod->node != BERTH__NODE_NONE)
        berth__pods_bound_priority(&cluster->pods, berth__cluster_node(cluster, pod->node), index);
    pod->start_time_ns = source->start_time_ns;
    pod->disrupted = is_disrupted(source);
    pod->evicting = false;
    follow_nomination(cluster, index, nominated);
    change.new_class = cls;
    change.new_node = node_id;
    tell(cluster, &change);
    if (!cluster->undo.recording)
        berth__pods_drop_class(&cluster->pods, cluster->model, &former, name != NULL);
    return BERTH_OK;
fail:
    berth__class_release(cluster->model, cls);
    return no_memory(error);
}

/* ---- dispatch ---- */

static const berth_metadata *metadata_of(const berth_object *object)
{
    return object->as.any; /* every object begins with its metadata */
}

static berth_status check_name(const berth_object *object, berth_error *error)
{
    if (metadata_of(object)->name.len > 0)
        return BERTH_OK;
    berth__error_set(error, BERTH_E_INVALID, "an object needs a name");
    berth__error_object(error, "%s", berth_kind_name(object->kind));
    berth__error_field(error, "metadata.name");
    return BERTH_E_INVALID;
}

/* A branch has nodes and pods of its own; everything else is its version's. */
static berth_status check_kind(const berth__cluster *cluster, berth_kind kind, berth_error *error)
{
    if (!cluster->keeper.branch || kind == BERTH_KIND_NODE || kind == BERTH_KIND_POD)
        return BERTH_OK;
    return berth__error_set(error, BERTH_E_STATE, "on a branch only nodes and pods can change");
}

static berth_status put_object(berth__cluster *cluster, const berth_object *object, bool replace,
                               uint64_t *id, berth_error *error)
{
    (void)id;
    switch (object->kind) {
    case BERTH_KIND_NODE:
        return replace ? update_node(cluster, object->as.node, error)
                       : add_node(cluster, object->as.node, id, error);
    case BERTH_KIND_POD:
        return replace ? update_pod(cluster, object->as.pod, error)
                       : add_pod(cluster, object->as.pod, id, error);
    case BERTH_KIND_SERVICE:
    case BERTH_KIND_REPLICATION_CONTROLLER:
    case BERTH_KIND_REPLICA_SET:
    case BERTH_KIND_STATEFUL_SET:
    case BERTH_KIND_NAMESPACE:
        return own_related(cluster) == BERTH_OK
                   ? berth__related_add(cluster->view.related, object, replace, error)
                   : no_memory(error);
    case BERTH_KIND_POD_DISRUPTION_BUDGET:
        return berth__cluster_own_disruption(cluster) == BERTH_OK
                   ? berth__disruption_add(cluster->disruption, object, replace, error)
                   : no_memory(error);
    case BERTH_KIND_STORAGE_CLASS:
    case BERTH_KIND_CSI_DRIVER:
    case BERTH_KIND_CSI_NODE:
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
    case BERTH_KIND_PERSISTENT_VOLUME:
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
    case BERTH_KIND_VOLUME_ATTACHMENT:
        return berth__storage_add(cluster->view.storage, object, replace, error);
    default:
        return berth__error_set(error, BERTH_E_ARG, "there is no kind number %d",
                                (int)object->kind);
    }
}

/* What a failed operation has left in the log is undone. */
static berth_status settle_operation(berth__cluster *cluster, uint32_t begin, berth_status status)
{
    if (status != BERTH_OK)
        berth__undo_to(&cluster->undo, begin);
    return status;
}

static berth_status put_named(berth__cluster *cluster, const berth_object *object, bool replace,
                              uint64_t *id, berth_error *error)
{
    BERTH_TRY(check_name(object, error));
    BERTH_TRY(check_kind(cluster, object->kind, error));
    berth_str namespace_name = metadata_of(object)->namespace_name;
    berth_str name = metadata_of(object)->name;
    berth__model_lock(cluster->model);
    uint32_t begin = cluster->undo.top;
    berth_status status = make_ready(cluster, object->kind)
                              ? put_object(cluster, object, replace, id, error)
                              : no_memory(error);
    status = settle_operation(cluster, begin, status);
    berth__model_unlock(cluster->model);
    if (status == BERTH_OK)
        tell_other(cluster, object->kind, namespace_name, name);
    else
        name_object(error, berth_kind_name(object->kind), namespace_name, name);
    return status;
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
    switch (kind) {
    case BERTH_KIND_NODE:
        return remove_node(cluster, name, error);
    case BERTH_KIND_POD:
        return remove_pod(cluster, namespace_name, name, error);
    case BERTH_KIND_SERVICE:
    case BERTH_KIND_REPLICATION_CONTROLLER:
    case BERTH_KIND_REPLICA_SET:
    case BERTH_KIND_STATEFUL_SET:
    case BERTH_KIND_NAMESPACE:
        return own_related(cluster) == BERTH_OK
                   ? berth__related_remove(cluster->view.related, kind, namespace_name, name,
                                           error)
                   : no_memory(error);
    case BERTH_KIND_POD_DISRUPTION_BUDGET:
        return berth__cluster_own_disruption(cluster) == BERTH_OK
                   ? berth__disruption_remove(cluster->disruption, kind, namespace_name, name,
                                              error)
                   : no_memory(error);
    case BERTH_KIND_STORAGE_CLASS:
    case BERTH_KIND_CSI_DRIVER:
    case BERTH_KIND_CSI_NODE:
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
    case BERTH_KIND_PERSISTENT_VOLUME:
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
    case BERTH_KIND_VOLUME_ATTACHMENT:
        return berth__storage_remove(cluster->view.storage, kind, namespace_name, name, error);
    default:
        return berth__error_set(error, BERTH_E_ARG, "there is no kind number %d", (int)kind);
    }
}

berth_status berth__cluster_remove(berth__cluster *cluster, berth_kind kind,
                                   berth_str namespace_name, berth_str name, berth_error *error)
{
    BERTH_TRY(check_kind(cluster, kind, error));
    berth__model_lock(cluster->model);
    uint32_t begin = cluster->undo.top;
    berth_status status = berth__cluster_reserve_undo(cluster, BERTH__POD_NONE)
                              ? remove_object(cluster, kind, namespace_name, name, error)
                              : no_memory(error);
    status = settle_operation(cluster, begin, status);
    berth__model_unlock(cluster->model);
    if (status == BERTH_OK)
        tell_other(cluster, kind, namespace_name, name);
    else
        name_object(error, berth_kind_name(kind), namespace_name, name);
    return status;
}

/* ---- checking ---- */

static berth_status differs(const berth__cluster *cluster, const berth__node *node,
                            berth_error *error, const char *what, int64_t kept, int64_t counted)
{
    berth_str name = berth__text(cluster->model, node->name);
    berth__error_set(error, BERTH_E_INTERNAL,
                     "%s is kept as %" PRId64 " but a recount gives %" PRId64, what, kept, counted);
    name_object(error, "Node", (berth_str){0}, name);
    return BERTH_E_INTERNAL;
}

static berth_status check_node(const berth__cluster *cluster, const berth__node *node, uint64_t *pods,
                               berth_error *error)
{
    int64_t sums[BERTH__SCALARS] = {0}, nonzero_cpu = 0, nonzero_memory = 0, count = 0;
    uint32_t index = node->first_pod;
    for (; index != BERTH__POD_NONE; index = berth__pod_at(&cluster->pods, index)->next) {
        const berth__request *request = berth__pod_at(&cluster->pods, index)->cls->request;
        for (uint32_t r = 0; r < BERTH__SCALARS; r++)
            sums[r] += request->use[r];
        nonzero_cpu += request->nonzero_cpu;
        nonzero_memory += request->nonzero_memory;
        count++;
        int32_t priority = berth__pod_at(&cluster->pods, index)->priority;
        if (priority < node->lowest_priority)
            return differs(cluster, node, error, "the lowest priority", node->lowest_priority,
                           priority);
    }
    *pods += (uint64_t)count;
    if (count != node->pod_count)
        return differs(cluster, node, error, "the number of pods", node->pod_count, count);
    if (!berth__node_present(node) || node->slot == BERTH__SLOT_NONE)
        return BERTH_OK;
    berth__tile *tile = cluster->view.tiles[node->slot / BERTH__TILE];
    uint32_t at = node->slot % BERTH__TILE;
    if (tile->pods_used[at] != count)
        return differs(cluster, node, error, "pods used", tile->pods_used[at], count);
    for (uint32_t r = 0; r < BERTH__SCALARS; r++)
        if (berth__tile_used(tile, r)[at] != sums[r])
            return differs(cluster, node, error,
                           berth__text(cluster->model, cluster->model->resource_names[r]).data,
                           berth__tile_used(tile, r)[at], sums[r]);
    if (tile->nonzero_cpu[at] != nonzero_cpu)
        return differs(cluster, node, error, "non-zero cpu", tile->nonzero_cpu[at], nonzero_cpu);
    if (tile->nonzero_memory[at] != nonzero_memory)
        return differs(cluster, node, error, "non-zero memory", tile->nonzero_memory[at],
                       nonzero_memory);
    return BERTH_OK;
}

berth_status berth__cluster_check_sums(const berth__cluster *cluster, berth_error *error)
{
    uint64_t pods = 0;
    for (uint32_t id = 0; id < cluster->node_count; id++)
        BERTH_TRY(check_node(cluster, berth__cluster_node(cluster, id), &pods, error));
    if (pods + cluster->pods.pending_count != cluster->pods.count)
        return berth__error_set(error, BERTH_E_INTERNAL,
                                "%" PRIu64 " pods on nodes and %" PRIu64
                                " pending, but %u records",
                                pods, cluster->pods.pending_count, (unsigned)cluster->pods.count);
    if (pods != cluster->running_count + cluster->orphan_count)
        return berth__error_set(error, BERTH_E_INTERNAL, "running and orphaned pods do not add up");
    return BERTH_OK;
}

berth_status berth__cluster_check(berth__cluster *cluster, berth_error *error)
{
    BERTH_TRY(berth__cluster_check_sums(cluster, error));
    if (berth__cluster_catch_up(cluster) != BERTH_OK)
        return no_memory(error);
    BERTH_TRY(berth__counts_check(&cluster->view, error));
    if (cluster->view.volume_use == NULL)
        return BERTH_OK;
    return berth__volume_use_check(cluster->view.volume_use, cluster->view.layout,
                                   &cluster->view.nodes,
                                   &cluster->pods, error);
}
