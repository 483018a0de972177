/* Consistency check of the volumes in use: compares them with a recount. */
#include <string.h>

#include "base/error.h"
#include "columns/volume_use.h"

static bool driver_sound(const berth__node_volumes *volumes, const berth__driver_count *driver)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < volumes->attached_count; i++)
        count += berth__attachment_driver(volumes->attached[i].attachment) == driver->driver;
    return count == driver->count && count > 0;
}

static bool attached_sound(const berth__volume_use *use, const berth__node_volumes *volumes,
                           const berth__attached *entry)
{
    uint32_t refs = 0, listed = 0;
    for (uint32_t i = 0; i < volumes->ref_count; i++)
        for (uint32_t k = 0; k < 2; k++)
            refs += volumes->refs[i].counted.items[k] == entry->attachment;
    const berth__listed_attachment *item =
        volumes->record != NULL ? volumes->record->first_attachment : NULL;
    for (; item != NULL; item = item->next_of_node)
        listed += berth__storage_listed_attachment(use->storage, item) == entry->attachment;
    return refs == entry->refs && listed == entry->listed && refs + listed > 0;
}

/* The first difference between the attachments of a node and what its refs and the store say; NULL:
 * none. */
static const char *check_attached(const berth__volume_use *use, const berth__node_volumes *volumes)
{
    uint32_t disks = 0, driver_sum = 0;
    for (uint32_t i = 0; i < volumes->ref_count; i++) {
        const berth__volume_ref *ref = &volumes->refs[i];
        berth__attachments now = berth__volume_ref_attachments(use, volumes, ref->id);
        if (memcmp(&now, &ref->counted, sizeof(now)) != 0)
            return "what a volume counts as";
        disks += (ref->id & BERTH__DISK_BIT) != 0;
    }
    for (uint32_t i = 0; i < volumes->attached_count; i++)
        if (!attached_sound(use, volumes, &volumes->attached[i]))
            return "the number of users of an attachment";
    for (uint32_t i = 0; i < volumes->driver_count; i++) {
        if (!driver_sound(volumes, &volumes->drivers[i]))
            return "the number of attachments of a driver";
        driver_sum += volumes->drivers[i].count;
    }
    if (driver_sum != volumes->attached_count)
        return "the number of attachments";
    return disks != volumes->disk_count ? "the number of inline disks" : NULL;
}

static const char *check_fills(const berth__volume_use *use, uint32_t node_id)
{
    for (uint32_t i = 0; i < use->fill_count; i++)
        if (node_id < use->fills[i].capacity &&
            use->fills[i].nodes[node_id] !=
                berth__driver_fill_of(berth__volume_use_of(use, node_id), use->fills[i].driver))
            return "what a driver may still attach";
    return NULL;
}

/* Whether a slot has the entry of its node, and none exceeds `most` of its tile. */
static bool slot_sound(const berth__volume_use *use, const berth__layout *layout, uint32_t slot)
{
    bool sound = true;
    for (uint32_t i = 0; i < use->fill_count; i++) {
        const berth__driver_fill *fill = &use->fills[i];
        if (fill->order == layout->order_epoch)
            sound &= fill->slots[slot] == fill->nodes[layout->nodes[slot]] &&
                     fill->slots[slot] <= fill->most[slot / BERTH__TILE];
    }
    return sound;
}

static bool is_claim(const berth__pod_volume *volume)
{
    return volume->kind == BERTH_VOLUME_CLAIM || volume->kind == BERTH_VOLUME_EPHEMERAL;
}

/* How many volumes of a node's pods are `id`. `*total` receives the number of all their volumes. */
static uint32_t uses_on(const berth__volume_use *use, const berth__node_record *node,
                        const berth__pods *pods, uint32_t id, uint32_t *total)
{
    uint32_t uses = 0;
    *total = 0;
    for (uint32_t p = node->first_pod; p != BERTH_POD_INDEX_NONE;
         p = berth__pod_at(pods, p)->next) {
        const berth__volume_list *list = berth__pod_at(pods, p)->cls->volumes;
        for (uint32_t i = 0; list != NULL && i < list->count; i++) {
            const berth__pod_volume *volume = &list->items[i];
            uint32_t own =
                is_claim(volume)
                    ? berth__storage_claim(use->storage, list->namespace_name, volume->handle)->id
                    : berth__storage_disk_find(use->storage, volume)->id | BERTH__DISK_BIT;
            uses += own == id;
            ++*total;
        }
    }
    return uses;
}

/* The first difference between the refs of a node and its pods; NULL: none. */
static const char *check_refs(const berth__volume_use *use, const berth__node_volumes *volumes,
                              const berth__node_record *node, const berth__pods *pods)
{
    uint32_t kept = 0, total;
    for (uint32_t i = 0; volumes != NULL && i < volumes->ref_count; i++) {
        kept += volumes->refs[i].uses;
        if (uses_on(use, node, pods, volumes->refs[i].id, &total) != volumes->refs[i].uses)
            return "the number of users of a volume";
    }
    uses_on(use, node, pods, UINT32_MAX, &total);
    return kept != total ? "the number of volumes" : NULL;
}

static void count_claims(const berth__volume_use *use, const berth__node_record *node,
                         const berth__pods *pods, berth__claim_use *claims)
{
    for (uint32_t p = node->first_pod; p != BERTH_POD_INDEX_NONE;
         p = berth__pod_at(pods, p)->next) {
        const berth__volume_list *list = berth__pod_at(pods, p)->cls->volumes;
        for (uint32_t i = 0; list != NULL && i < list->count; i++) {
            const berth__pod_volume *volume = &list->items[i];
            if (!is_claim(volume))
                continue;
            berth__claim_use *entry =
                &claims[berth__storage_claim(use->storage, list->namespace_name, volume->handle)
                            ->id];
            entry->refs++;
            entry->pods += volume->kind == BERTH_VOLUME_CLAIM;
        }
    }
}

static berth_status differs(const berth__volume_use *use, berth__sym node, const char *what,
                            berth_error *error)
{
    berth_str name = berth__text(use->storage->model, node);
    berth__error_set(error, BERTH_E_INTERNAL, "%s is not that of a recount", what);
    berth__error_object(error, "Node %.*s", (int)name.len, name.data);
    return BERTH_E_INTERNAL;
}

/* Whether the pods of the node in a slot are counted. They are not if the node was removed, or was
 * skipped for lack of memory. */
static bool is_counted(const berth__node_record *node, uint32_t slot)
{
    return node->facts != NULL && node->slot == slot;
}

static berth_status check_claims(const berth__volume_use *use, const berth__layout *layout,
                                 const berth__cow_array *nodes, const berth__pods *pods,
                                 berth_error *error)
{
    size_t bytes = use->storage->claims.count * sizeof(berth__claim_use);
    berth__claim_use *claims = berth__alloc_zero(use->allocator, bytes, 64);
    if (claims == NULL)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    for (uint32_t slot = 0; slot < layout->count; slot++)
        if (is_counted(berth__node_at(nodes, layout->nodes[slot]), slot))
            count_claims(use, berth__node_at(nodes, layout->nodes[slot]), pods, claims);
    bool same = true;
    for (uint32_t i = 0; same && i < use->storage->claims.count; i++) {
        berth__claim_use kept = i < use->claim_capacity ? use->claims[i] : (berth__claim_use){0};
        same = kept.refs == claims[i].refs && kept.pods == claims[i].pods;
    }
    berth__free(use->allocator, claims, bytes);
    return same ? BERTH_OK
                : berth__error_set(error, BERTH_E_INTERNAL,
                                   "the number of users of a claim is not that of a recount");
}

/* Count the nodes of each volume again. */
static bool count_attached(const berth__volume_use *use, berth__attached_volumes *table)
{
    for (uint32_t id = 0; id < use->node_capacity; id++) {
        const berth__node_volumes *volumes = use->nodes[id];
        const uint32_t count = volumes != NULL ? volumes->attached_count : 0;
        if (!berth__attached_volumes_reserve(table, use->allocator, count))
            return false;
        for (uint32_t i = 0; i < count; i++)
            if (volumes->attached[i].refs > 0)
                berth__attached_volumes_add(table, volumes->attached[i].attachment);
    }
    return true;
}

static berth_status check_attached_volumes(const berth__volume_use *use, berth_error *error)
{
    berth__attached_volumes again = {0};
    const bool counted = count_attached(use, &again);
    bool same = counted && again.count == use->attached.count;
    for (uint32_t i = 0; same && i < again.capacity; i++)
        same = again.places[i].attachment == 0 ||
               berth__attached_volumes_nodes(&use->attached, again.places[i].attachment) ==
                   again.places[i].nodes;
    berth__attached_volumes_destroy(&again, use->allocator);
    if (!counted)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    return same ? BERTH_OK
                : berth__error_set(error, BERTH_E_INTERNAL,
                                   "the number of nodes of a volume is not that of a recount");
}

berth_status berth__volume_use_check(berth__volume_use *use, const berth__layout *layout,
                                     const berth__cow_array *nodes, const berth__pods *pods,
                                     berth_error *error)
{
    if (!berth__volume_use_refresh(use, layout, nodes))
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    for (uint32_t slot = 0; slot < layout->count; slot++) {
        const berth__node_record *node = berth__node_at(nodes, layout->nodes[slot]);
        if (!is_counted(node, slot))
            continue;
        const berth__node_volumes *volumes = berth__volume_use_of(use, layout->nodes[slot]);
        const char *what = check_refs(use, volumes, node, pods);
        if (what == NULL && volumes != NULL)
            what = check_attached(use, volumes);
        if (what == NULL)
            what = check_fills(use, layout->nodes[slot]);
        if (what == NULL && !slot_sound(use, layout, slot))
            what = "how full its slot or the fullest of its tile is";
        if (what != NULL)
            return differs(use, node->name, what, error);
    }
    BERTH_TRY(check_attached_volumes(use, error));
    return check_claims(use, layout, nodes, pods, error);
}
