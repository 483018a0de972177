/* Nodes of the cluster: adding, changing, closing and removing them. */
#include "cluster/cluster_parts.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cluster/cluster_undo.h"
#include "cluster/pod_moves.h"
#include "columns/freed_ports.h"
#include "columns/pod_counts.h"
#include "columns/volume_use.h"
#include "devices/devices.h"

/* ---- ids ---- */

uint32_t berth__cluster_find_node(const berth__cluster *cluster, berth_str name)
{
    berth__sym sym = berth__intern_find(&cluster->model->strings, name);
    return sym == 0 ? BERTH_NODE_NONE : berth__view_node_id(&cluster->view, sym);
}

/* The id of a name. A new name gets an id with an absent node. BERTH_NODE_NONE when out of
 * memory. */
uint32_t berth__cluster_node_id_make(berth__cluster *cluster, berth_str name)
{
    bool ok = true;
    berth__sym sym = berth__intern_add(&cluster->model->strings, name, &ok);
    if (!ok)
        return BERTH_NODE_NONE;
    uint32_t id = berth__view_node_id(&cluster->view, sym);
    if (id != BERTH_NODE_NONE)
        return id;
    bool fresh = cluster->free_node == BERTH_NODE_NONE;
    id = fresh ? cluster->node_count : cluster->free_node;
    if (!berth__cow_array_add(&cluster->view.node_of_name, &cluster->cow, sym) ||
        !berth__cow_array_add(&cluster->view.nodes, &cluster->cow, id))
        return BERTH_NODE_NONE;
    if (fresh)
        cluster->node_count++;
    else
        cluster->free_node = berth__cluster_node(cluster, id)->next_free;
    *berth__cluster_node(cluster, id) = (berth__node_record){.name = sym,
                                                             .slot = BERTH__SLOT_NONE,
                                                             .first_pod = BERTH_POD_INDEX_NONE,
                                                             .lowest_priority = INT32_MAX};
    uint32_t *place = berth__cow_array_find(&cluster->view.node_of_name, sym);
    BERTH_ASSERT(place != NULL);
    *place = id + 1;
    berth__note_node_id(cluster, id, fresh);
    return id;
}

/* ---- making writable ---- */

/* Operations make everything writable before they write (base/cow_owner.h). Each function names the
 * operation that it serves. */

berth_status berth__cluster_make_node_writable(berth__cluster *cluster, uint32_t node_id)
{
    return berth__cow_array_make_writable(&cluster->view.nodes, &cluster->cow, node_id)
               ? BERTH_OK
               : BERTH_E_NOMEM;
}

/* A pod leaves its node: the pod, its neighbours on the list, the node's record and its tile. */
static berth_status make_tree_writable(berth__cluster *cluster)
{
    berth__cow_owner *cow = &cluster->cow;
    if (!cow->shared || cluster->tree->stamp == cow->stamp)
        return BERTH_OK;
    berth__node_tree *tree =
        berth__cow_owner_reserve(cow, 1) ? berth__node_tree_copy(cluster->tree) : NULL;
    if (tree == NULL)
        return BERTH_E_NOMEM;
    tree->stamp = cow->stamp;
    berth__cow_owner_note_made(cow, berth__node_tree_release, tree, 0);
    berth__cow_owner_retire(cow, cluster->tree->stamp, berth__node_tree_release, cluster->tree, 0);
    cluster->tree = tree;
    return BERTH_OK;
}

/* Also shortens the past of images if it has become long. */
static berth_status make_images_writable(berth__cluster *cluster, const berth__node_facts *old,
                                         const berth__node_facts *fresh)
{
    berth__images *images = &cluster->view.images;
    if (berth__images_are_long(images) && !cluster->undo.recording)
        berth__images_rewrite(images, &cluster->view.nodes, cluster->node_count);
    return berth__images_make_writable(images, old, fresh) ? BERTH_OK : BERTH_E_NOMEM;
}

/* Make room in the layout for the taints of facts that come to one of its slots. */
static berth_status make_taints_fit(berth__cluster *cluster, uint32_t slot,
                                    const berth__node_facts *fresh)
{
    return slot == BERTH__SLOT_NONE || fresh == NULL ||
                   berth__layout_reserve_taints(cluster->view.layout, fresh->taints->id + 1)
               ? BERTH_OK
               : BERTH_E_NOMEM;
}

/* A node comes, changes or leaves: its record, the tree, images, and its slot's facts if it has a
 * slot. Finally reserves notes for the new and the old facts. */
static berth_status make_facts_writable(berth__cluster *cluster, uint32_t node_id,
                                        const berth__node_facts *fresh, bool outlasted)
{
    BERTH_TRY(make_images_writable(cluster, berth__cluster_node(cluster, node_id)->facts, fresh));
    uint32_t slot = berth__cluster_node(cluster, node_id)->slot;
    if (!cluster->cow.shared)
        return make_taints_fit(cluster, slot, fresh);
    BERTH_TRY(berth__cluster_make_node_writable(cluster, node_id));
    bool all = !outlasted || cluster->undo.recording; /* undoing restores all facts */
    if (all)
        BERTH_TRY(make_tree_writable(cluster));
    if (slot != BERTH__SLOT_NONE)
        BERTH_TRY(all ? berth__view_make_facts_writable(&cluster->view, slot)
                      : berth__view_make_writable(&cluster->view, slot));
    if (all)
        BERTH_TRY(make_taints_fit(cluster, slot, fresh));
    return berth__cow_owner_reserve(&cluster->cow, 2) ? BERTH_OK : BERTH_E_NOMEM;
}

/* ---- notification ---- */

/* Called under the model's lock. */
static void notify_node(const berth__cluster *cluster, uint32_t node_id,
                        const berth__node_facts *old_facts, const berth__node_facts *new_facts)
{
    berth__cluster_notify_locked(cluster, &(berth__change){.kind = BERTH_KIND_NODE,
                                                           .node = node_id,
                                                           .old_facts = old_facts,
                                                           .new_facts = new_facts});
}

/* ---- single nodes ---- */

/* Amounts are read with the state of slots; but an embedder's plugins may have kept them. */
uint32_t berth__cluster_facts_changes(const berth__cluster *cluster, const berth__node_facts *old,
                                      const berth__node_facts *facts, uint64_t images)
{
    uint32_t changes = images != 0 ? BERTH__FACTS_IMAGES : 0;
    if (!berth__labels_equal(berth__node_labels(old), berth__node_labels(facts)))
        changes |= BERTH__FACTS_LABELS;
    if (!berth__node_rules_alike(old, facts) ||
        (cluster->amounts_are_facts && !berth__node_amounts_equal(old, facts)))
        changes |= BERTH__FACTS_RULES;
    return changes;
}

/* The zone that decides the order of nodes. v1.15 knows only the beta labels. */
berth__sym berth__cluster_zone(const berth__cluster *cluster, const berth__node_facts *facts)
{
    return cluster->model->behaviours.beta_zones_alone ? facts->zone_legacy : facts->zone;
}

/* Facts become part of the state, or leave it. A note was reserved for each. */
static void put_facts(berth__cluster *cluster, berth__node_record *node, berth__node_facts *facts)
{
    facts->born = cluster->cow.stamp;
    node->facts = facts;
    node->refreshed = cluster->view.images.cycle;
    berth__cow_owner_note_made(&cluster->cow, berth__node_facts_release, facts, 0);
}

void berth__cluster_drop_facts(berth__cluster *cluster, berth__node_facts *facts)
{
    berth__cow_owner_retire(&cluster->cow, facts->born, berth__node_facts_release, facts, 0);
}

berth_status berth__cluster_add_node(berth__cluster *cluster, const berth_node *source,
                                     uint64_t *id, berth_error *error)
{
    uint32_t node_id = berth__cluster_node_id_make(cluster, source->meta.name);
    if (node_id == BERTH_NODE_NONE)
        return berth__error_no_memory(error);
    if (berth__node_present(berth__cluster_node(cluster, node_id)))
        return berth__error_set(error, BERTH_E_EXISTS, "a node of this name is already there");
    berth__node_facts *facts;
    BERTH_TRY(berth__node_facts_make(cluster->model, source, &facts, error));
    if (berth__cluster_widen(cluster) != BERTH_OK ||
        make_facts_writable(cluster, node_id, facts, false) != BERTH_OK ||
        !berth__note_node(cluster, node_id, facts))
        goto fail;
    if (!berth__node_tree_add(cluster->tree, berth__cluster_zone(cluster, facts), node_id))
        goto fail_record;
    berth__images_replace(&cluster->view.images, NULL, facts);
    berth__node_record *node = berth__cluster_node(cluster, node_id);
    put_facts(cluster, node, facts);
    if (node->slot != BERTH__SLOT_NONE)
        berth__view_set_node(&cluster->view, node->slot);
    if (node->slot != BERTH__SLOT_NONE &&
        berth__view_fill(&cluster->view, node->slot, &cluster->pods) != BERTH_OK) {
        node->facts = NULL;
        berth__node_tree_remove(cluster->tree, berth__cluster_zone(cluster, facts), node_id);
        berth__images_replace(&cluster->view.images, facts, NULL);
        berth__cancel_node(cluster);
        berth__cluster_drop_facts(cluster, facts);
        return berth__error_no_memory(error);
    }
    cluster->present_count++;
    cluster->unplaced_count += node->slot == BERTH__SLOT_NONE;
    cluster->orphan_count -= node->pod_count;
    cluster->running_count += node->pod_count;
    if (id != NULL)
        *id = node_id;
    berth__devices_meet_node(cluster->view.devices, &cluster->view, node->name);
    berth__node_moved(cluster, node_id, true);
    notify_node(cluster, node_id, NULL, facts);
    return BERTH_OK;
fail_record:
    berth__cancel_node(cluster);
fail:
    berth__node_facts_free(cluster->model->allocator, facts);
    return berth__error_no_memory(error);
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

/* Replace the facts of a present node and take over the new ones. Errors: BERTH_E_NOMEM; the new
 * facts then still belong to the caller. */
static berth_status replace_facts(berth__cluster *cluster, uint32_t node_id,
                                  berth__node_facts *facts)
{
    berth__node_facts *old = berth__cluster_node(cluster, node_id)->facts;
    const uint64_t images = berth__images_changed(&cluster->view.images, old, facts);
    const uint32_t changes = berth__cluster_facts_changes(cluster, old, facts, images);
    if (berth__cluster_widen(cluster) != BERTH_OK ||
        make_facts_writable(cluster, node_id, facts, changes == 0) != BERTH_OK ||
        !berth__note_node(cluster, node_id, facts))
        return BERTH_E_NOMEM;
    if (!move_zone(cluster, node_id, berth__cluster_zone(cluster, old),
                   berth__cluster_zone(cluster, facts))) {
        berth__cancel_node(cluster);
        return BERTH_E_NOMEM;
    }
    berth__images_replace(&cluster->view.images, old, facts);
    berth__node_record *node = berth__cluster_node(cluster, node_id);
    put_facts(cluster, node, facts);
    if (node->slot != BERTH__SLOT_NONE)
        berth__view_set_facts(&cluster->view, node->slot, changes, images);
    notify_node(cluster, node_id, old, facts);
    berth__free_facts(cluster, old);
    return BERTH_OK;
}

berth_status berth__cluster_update_node(berth__cluster *cluster, const berth_node *source,
                                        berth_error *error)
{
    uint32_t node_id = berth__cluster_find_node(cluster, source->meta.name);
    if (node_id == BERTH_NODE_NONE || !berth__node_present(berth__cluster_node(cluster, node_id)))
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no node of this name");
    berth__node_facts *facts;
    BERTH_TRY(berth__node_facts_make(cluster->model, source, &facts, error));
    if (replace_facts(cluster, node_id, facts) == BERTH_OK)
        return BERTH_OK;
    berth__node_facts_free(cluster->model->allocator, facts);
    return berth__error_no_memory(error);
}

static berth_status cordon(berth__cluster *cluster, uint32_t node_id, bool unschedulable)
{
    const berth__node_record *node = berth__cluster_node(cluster, node_id);
    if (node->facts->unschedulable == unschedulable)
        return BERTH_OK;
    berth__node_facts *facts = berth__node_facts_cordon(cluster->model, node->facts, unschedulable);
    if (facts == NULL)
        return BERTH_E_NOMEM;
    berth_status status = replace_facts(cluster, node_id, facts);
    if (status != BERTH_OK)
        berth__node_facts_free(cluster->model->allocator, facts);
    return status;
}

berth_status berth__cluster_cordon(berth__cluster *cluster, uint32_t node, bool unschedulable)
{
    if (!berth__cluster_reserve_undo(cluster, BERTH_POD_INDEX_NONE))
        return BERTH_E_NOMEM;
    berth__model_lock(cluster->model);
    berth_status status = cordon(cluster, node, unschedulable);
    berth__model_unlock(cluster->model);
    return status;
}

static berth_status make_writable_to_close(berth__cluster *cluster, uint32_t node_id)
{
    if (!cluster->cow.shared)
        return BERTH_OK;
    BERTH_TRY(berth__cluster_make_node_writable(cluster, node_id));
    uint32_t slot = berth__cluster_node(cluster, node_id)->slot;
    return slot != BERTH__SLOT_NONE ? berth__view_make_facts_writable(&cluster->view, slot)
                                    : BERTH_OK;
}

berth_status berth__cluster_close(berth__cluster *cluster, uint32_t node, bool closed)
{
    if (berth__cluster_node(cluster, node)->closed == closed)
        return BERTH_OK;
    BERTH_TRY(make_writable_to_close(cluster, node));
    if (!berth__cluster_reserve_undo(cluster, BERTH_POD_INDEX_NONE))
        return BERTH_E_NOMEM;
    berth__note_closed(cluster, node);
    berth__node_record *record = berth__cluster_node(cluster, node);
    record->closed = closed;
    if (record->slot != BERTH__SLOT_NONE)
        berth__view_close(&cluster->view, record->slot);
    if (!closed) /* to waiting pods, it is like a new node */
        berth__cluster_notify(
            cluster,
            &(berth__change){.kind = BERTH_KIND_NODE, .node = node, .new_facts = record->facts});
    return BERTH_OK;
}

/* Record the ports that count as free although the node's pods have them: the pods stay when the
 * node is removed, and so must these ports. Returns false when out of memory. */
static bool keep_freed_ports(berth__cluster *cluster, const berth__node_record *node, uint32_t id)
{
    berth__view *view = &cluster->view;
    uint32_t most = berth__freed_ports_most(view, id, &cluster->pods);
    if (node->slot == BERTH__SLOT_NONE || most + berth__freed_ports_count(view) == 0)
        return true;
    if (!berth__freed_ports_reserve(view, most) || !berth__note_freed(cluster, false))
        return false;
    berth__freed_ports_keep(view, node->slot, &cluster->pods);
    return true;
}

/* The node leaves the tree. Its slot stays until the next layout, and its pods become orphans. */
berth_status berth__cluster_remove_node(berth__cluster *cluster, berth_str name, berth_error *error)
{
    uint32_t node_id = berth__cluster_find_node(cluster, name);
    if (node_id == BERTH_NODE_NONE || !berth__node_present(berth__cluster_node(cluster, node_id)))
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no node of this name");
    if (make_facts_writable(cluster, node_id, NULL, false) != BERTH_OK ||
        !keep_freed_ports(cluster, berth__cluster_node(cluster, node_id), node_id) ||
        !berth__note_node(cluster, node_id, NULL))
        return berth__error_no_memory(error);
    berth__node_record *node = berth__cluster_node(cluster, node_id);
    berth__leave_tree(cluster, node_id, berth__cluster_zone(cluster, node->facts));
    berth__images_replace(&cluster->view.images, node->facts, NULL);
    if (node->slot != BERTH__SLOT_NONE)
        berth__view_vacate(&cluster->view, node->slot, &cluster->pods);
    berth__node_facts *old = node->facts;
    node->facts = NULL;
    node->closed = false;
    cluster->present_count--;
    cluster->unplaced_count -= node->slot == BERTH__SLOT_NONE;
    cluster->running_count -= node->pod_count;
    cluster->orphan_count += node->pod_count;
    berth__node_moved(cluster, node_id, false);
    notify_node(cluster, node_id, old, NULL);
    berth__free_facts(cluster, old);
    return BERTH_OK;
}
