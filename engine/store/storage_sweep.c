/* Frees records of the store of volumes, and inline disks, that nothing mentions any more.
 *
 * A record is needed if it has an object; if it is reserved or a pod's reservations mention it; if
 * another object names it (then its lists are not empty); or if a caller reported it, since
 * counters of volumes know records by their ids. Decisions treat a record without an object like a
 * missing one, so they do not depend on when a sweep happens. A freed record keeps its id, which is
 * used again for its next name. */
#include <string.h>

#include "base/assert.h"
#include "model/sweep.h"
#include "store/storage.h"

static bool is_linked(const berth__stored *record)
{
    const void *any = record;
    switch ((berth_kind)record->kind) {
    case BERTH_KIND_PERSISTENT_VOLUME: {
        const berth__pv *volume = any;
        return volume->first_claim != NULL || volume->first_attachment != NULL;
    }
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        return ((const berth__claim *)any)->first_pv != NULL;
    case BERTH_KIND_CSI_NODE:
        return ((const berth__storage_node *)any)->first_attachment != NULL;
    default:
        return false;
    }
}

static bool is_needed(const berth__stored *record)
{
    return record->kept || berth__storage_facts(record) != NULL || record->reservation != 0 ||
           is_linked(record);
}

/* ---- freeing ---- */

/* Note that the record's row must be cleared. A branch's store does not, because it follows rows
 * and never writes them. Returns false when out of memory. */
static bool note_gone(berth__storage *storage, const berth__stored *record)
{
    if (record->row == 0 || storage->cow == NULL)
        return true;
    if (!berth__grow(storage->model->allocator, &storage->gone, &storage->gone_capacity,
                     storage->gone_count + 1, sizeof(*storage->gone)))
        return false;
    storage->gone[storage->gone_count++] = record->row - 1;
    return true;
}

/* Free a record that is no longer in its table. */
static void free_record(berth__storage *storage, berth__stored *record)
{
    berth_kind kind = (berth_kind)record->kind;
    const uint32_t *number = berth__storage_number(record);
    uint32_t id = number != NULL ? *number : 0;
    memset(record, 0, berth__storage_record_bytes(kind));
    record->kind = (uint8_t)kind;
    if (number != NULL)
        *berth__storage_number(record) = id;
    record->next_changed = storage->free[kind];
    storage->free[kind] = record;
    storage->in_use--;
}

/* A branch's store has no rows of its own, but follows those of snapshots. A record that differs
 * from its row must not be freed until the store has followed the next snapshot. */
static bool may_go(const berth__storage *storage, const berth__stored *record)
{
    return !is_needed(record) && (storage->cow != NULL || !record->changed);
}

/* Take records that are being freed off the list of changed ones: they have no row to write. */
static void leave_changed(berth__storage *storage)
{
    berth__stored **link = &storage->changed;
    while (*link != NULL) {
        berth__stored *record = *link;
        if (is_needed(record) || storage->cow == NULL) {
            link = &record->next_changed;
            continue;
        }
        *link = record->next_changed;
        record->changed = false;
    }
}

static void sweep_table(berth__storage *storage, berth__keymap *table)
{
    for (uint32_t b = 0; table->buckets != NULL && b < table->bucket_count; b++)
        for (berth__keymap_entry *at = table->buckets[b], *next; at != NULL; at = next) {
            berth__stored *record = (berth__stored *)at;
            next = at->next;
            if (!may_go(storage, record)) {
                record->kept = false;
            } else if (!note_gone(storage, record)) {
                berth__storage_touch(storage, record);
            } else {
                berth__keymap_remove(table, at);
                free_record(storage, record);
            }
        }
}

static void sweep_disks(berth__storage *storage)
{
    for (uint32_t i = 0; i < storage->disk_count; i++) {
        berth__disk *disk = storage->disk_list[i];
        if (disk == NULL)
            continue;
        bool stays = disk->kept;
        disk->kept = false;
        if (stays)
            continue;
        berth__keymap_remove(&storage->disks, &disk->entry);
        storage->disk_list[i] = NULL;
        storage->free_disks[storage->free_disk_count++] = i;
        storage->in_use--;
        berth__storage_free_disk(storage, disk);
    }
}

void berth__storage_sweep(berth__storage *storage)
{
    BERTH_ASSERT(storage->undo == NULL || !storage->undo->recording);
    berth__storage_keep_reserved(storage);
    leave_changed(storage);
    for (uint32_t kind = 0; kind < BERTH_KIND_COUNT; kind++)
        sweep_table(storage, &storage->tables[kind]);
    sweep_disks(storage);
    berth__shelves_prune(&storage->free_volumes);
    berth__shelves_prune(&storage->capacities);
    uint32_t most = storage->in_use * 2;
    storage->sweep_at = most > BERTH__STORAGE_SWEEP_MIN ? most : BERTH__STORAGE_SWEEP_MIN;
    if (berth__sweep_always)
        storage->sweep_at = 0;
}
