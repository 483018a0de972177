/* Sweeping the store of volumes: marks the texts that its records and their facts hold. */
#include "model/sweep.h"
#include "store/storage.h"

static void mark_all(berth__sweep *sweep, const berth__sym *ids, uint32_t count)
{
    for (uint32_t i = 0; ids != NULL && i < count; i++)
        berth__sweep_mark(sweep, ids[i]);
}

/* Instead of a handle there may be a claim's id with bit 31 set, which is no valid text id. */
static void mark_attachment(berth__sweep *sweep, berth__attachment attachment)
{
    berth__sweep_mark(sweep, berth__attachment_driver(attachment));
    berth__sweep_mark(sweep, (berth__sym)attachment);
}

static void mark_claim(berth__sweep *sweep, const berth__claim *claim)
{
    const berth__claim_facts *facts = claim->facts;
    berth__sweep_mark(sweep, claim->assumed_node);
    if (facts == NULL)
        return;
    const berth__sym ids[] = {
        facts->uid,         facts->owner_uid,     facts->class_name,     facts->specified_class,
        facts->volume_name, facts->selected_node, facts->attributes.name};
    mark_all(sweep, ids, sizeof(ids) / sizeof(*ids));
    mark_all(sweep, facts->access_modes, facts->access_mode_count);
    berth__sweep_selector(sweep, &facts->selector);
}

static void mark_pv(berth__sweep *sweep, const berth__pv_facts *facts)
{
    if (facts == NULL)
        return;
    const berth__sym ids[] = {
        facts->class_name, facts->specified_class, facts->attributes.name, facts->claim_namespace,
        facts->claim_name, facts->claim_uid,       facts->handle};
    mark_all(sweep, ids, sizeof(ids) / sizeof(*ids));
    mark_all(sweep, facts->access_modes, facts->access_mode_count);
    berth__sweep_labels(sweep, facts->labels);
    for (uint32_t z = 0; z < BERTH__ZONE_LABELS; z++)
        mark_all(sweep, facts->zones[z].values, facts->zones[z].count);
    mark_attachment(sweep, facts->attachment);
    berth__sweep_node_selector(sweep, &facts->affinity);
    berth__sweep_node_selector(sweep, &facts->migrated_affinity);
}

static void mark_class(berth__sweep *sweep, const berth__storage_class_facts *facts)
{
    if (facts == NULL)
        return;
    berth__sweep_mark(sweep, facts->provisioner);
    berth__sweep_mark(sweep, facts->driver);
    berth__sweep_node_selector(sweep, &facts->topologies);
}

static void mark_csi_node(berth__sweep *sweep, const berth__csi_node_facts *facts)
{
    for (uint32_t i = 0; facts != NULL && i < facts->limit_count; i++)
        berth__sweep_mark(sweep, facts->limits[i].driver);
}

static void mark_capacity(berth__sweep *sweep, const berth__capacity_facts *facts)
{
    if (facts == NULL)
        return;
    berth__sweep_mark(sweep, facts->class_name);
    berth__sweep_node_term(sweep, &facts->term);
    berth__sweep_node_selector(sweep, &facts->chooses);
}

static void mark_listed(berth__sweep *sweep, const berth__attachment_facts *facts)
{
    if (facts == NULL)
        return;
    berth__sweep_mark(sweep, facts->attacher);
    berth__sweep_mark(sweep, facts->node_name);
    berth__sweep_mark(sweep, facts->volume_name);
}

static void mark_record(berth__sweep *sweep, const berth__stored *record)
{
    const void *any = record;
    berth__sweep_mark(sweep, record->key.namespace_name);
    berth__sweep_mark(sweep, record->key.name);
    switch ((berth_kind)record->kind) {
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        mark_claim(sweep, any);
        break;
    case BERTH_KIND_PERSISTENT_VOLUME:
        mark_pv(sweep, ((const berth__pv *)any)->facts);
        break;
    case BERTH_KIND_STORAGE_CLASS:
        mark_class(sweep, ((const berth__storage_class_record *)any)->facts);
        break;
    case BERTH_KIND_CSI_NODE:
        mark_csi_node(sweep, ((const berth__storage_node *)any)->facts);
        break;
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
        mark_capacity(sweep, ((const berth__capacity *)any)->facts);
        break;
    case BERTH_KIND_VOLUME_ATTACHMENT:
        mark_listed(sweep, ((const berth__listed_attachment *)any)->facts);
        break;
    case BERTH_KIND_RESOURCE_SLICE:
    case BERTH_KIND_DEVICE_CLASS:
    case BERTH_KIND_RESOURCE_CLAIM:
    case BERTH_KIND_DEVICE_TAINT_RULE:
        berth__sweep_devices(sweep, record);
        break;
    default: /* a CSIDriver has only a name */
        break;
    }
}

static void mark_disk(berth__sweep *sweep, const berth__disk *disk)
{
    berth__sweep_mark(sweep, disk->volume.handle);
    berth__sweep_mark(sweep, disk->volume.pool);
    berth__sweep_mark(sweep, disk->volume.uri);
    berth__sweep_mark(sweep, disk->volume.disk_kind);
    mark_all(sweep, disk->volume.monitors, disk->volume.monitor_count);
    mark_attachment(sweep, disk->attachment);
}

void berth__sweep_storage(berth__sweep *sweep, const berth__storage *storage)
{
    for (uint32_t kind = 0; kind < BERTH_KIND_COUNT; kind++) {
        const berth__keymap *table = &storage->tables[kind];
        for (uint32_t b = 0; table->buckets != NULL && b < table->bucket_count; b++)
            for (const berth__keymap_entry *at = table->buckets[b]; at != NULL; at = at->next)
                mark_record(sweep, (const berth__stored *)at);
    }
    for (uint32_t i = 0; i < storage->disk_count; i++)
        if (storage->disk_list[i] != NULL)
            mark_disk(sweep, storage->disk_list[i]);
}
