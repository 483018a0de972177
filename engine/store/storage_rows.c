/* The store of volumes as rows of a copy-on-write array: written for a snapshot, and followed by
 * the store of a branch. */
#include "store/storage_rows.h"

#include <string.h>

#include "base/assert.h"

void berth__stored_rows_init(berth__stored_rows *rows)
{
    *rows = (berth__stored_rows){0};
    berth__cow_array_init(&rows->table, sizeof(berth__stored_row), BERTH__ROW_PAGE_SHIFT);
}

static berth__stored_row *row_at(const berth__stored_rows *rows, uint32_t index)
{
    return berth__cow_array_item(&rows->table, index, sizeof(berth__stored_row),
                                 BERTH__ROW_PAGE_SHIFT);
}

/* ---- showing ---- */

/* Make the record's own row writable. */
static bool make_row_writable(berth__stored_rows *rows, berth__cow_owner *cow,
                              berth__stored *record)
{
    if (record->row == 0 && rows->first_free != 0) {
        uint32_t free = rows->first_free - 1;
        if (!berth__cow_array_make_writable(&rows->table, cow, free))
            return false;
        rows->first_free = row_at(rows, free)->reserved;
        *row_at(rows, free) = (berth__stored_row){0};
        record->row = free + 1;
    }
    if (record->row != 0)
        return berth__cow_array_make_writable(&rows->table, cow, record->row - 1);
    if (!berth__cow_array_add(&rows->table, cow, rows->count))
        return false;
    record->row = ++rows->count;
    return true;
}

/* A claim with a reservation has changed at least once, so it has a row. */
static void write_row(const berth__stored_rows *rows, berth__stored *record)
{
    const uint64_t *arrival = berth__storage_arrival(record);
    berth__held held = berth__storage_held(record);
    *row_at(rows, record->row - 1) = (berth__stored_row){
        .facts = berth__storage_facts(record),
        .arrival = arrival != NULL ? *arrival : 0,
        .reservation = held.serial,
        .holder = held.holder,
        .reserved = held.reserved != NULL ? held.reserved->record.row : 0,
        .assumed_node = held.assumed_node,
        .chosen = held.chosen,
        .namespace_name = record->key.namespace_name,
        .name = record->key.name,
        .kind = record->kind,
    };
}

static void clear_changed(berth__storage *storage)
{
    for (berth__stored *record = storage->changed; record != NULL; record = record->next_changed)
        record->changed = false;
    storage->changed = NULL;
}

/* Free the rows of removed records. */
static bool clear_gone(berth__storage *storage, berth__stored_rows *rows, berth__cow_owner *cow)
{
    for (; storage->gone_count > 0; storage->gone_count--) {
        uint32_t row = storage->gone[storage->gone_count - 1];
        if (!berth__cow_array_make_writable(&rows->table, cow, row))
            return false;
        *row_at(rows, row) = (berth__stored_row){.reserved = rows->first_free};
        rows->first_free = row + 1;
    }
    return true;
}

bool berth__storage_show(berth__storage *storage, berth__stored_rows *rows, berth__cow_owner *cow)
{
    berth__stored *record;
    if (!clear_gone(storage, rows, cow))
        return false;
    for (record = storage->changed; record != NULL; record = record->next_changed)
        if (!make_row_writable(rows, cow, record))
            return false;
    for (record = storage->changed; record != NULL; record = record->next_changed)
        write_row(rows, record);
    clear_changed(storage);
    rows->reservation_serial = storage->reservation_serial;
    return true;
}

/* ---- following ---- */

typedef struct following {
    berth__storage *storage;
    bool ok;
} following;

/* The record that a row describes, made if it does not exist; NULL when out of memory. */
static berth__stored *record_of(berth__storage *storage, const berth__stored_row *row)
{
    return berth__storage_named(storage, (berth_kind)row->kind, row->namespace_name, row->name);
}

/* A row of the page, or an empty one. */
static berth__stored_row row_in(const berth__stored_row *page, uint32_t i)
{
    return page != NULL && page[i].kind != 0 ? page[i] : (berth__stored_row){0};
}

static bool same_name(const berth__stored_row *a, const berth__stored_row *b)
{
    return a->kind == b->kind && a->namespace_name == b->namespace_name && a->name == b->name;
}

/* Mark the record of a row as changed. Returns NULL when out of memory. */
static berth__stored *touch_row(following *own, const berth__stored_row *row)
{
    berth__stored *record = own->ok ? record_of(own->storage, row) : NULL;
    own->ok = record != NULL;
    if (own->ok)
        berth__storage_touch(own->storage, record);
    return record;
}

/* Touch the records whose rows differ. A row may have passed from one record to another. */
static void touch_page(void *context, uint32_t page, void *first, void *second)
{
    following *own = context;
    for (uint32_t i = 0; i < 1u << BERTH__ROW_PAGE_SHIFT && own->ok; i++) {
        const berth__stored_row was = row_in(first, i), is = row_in(second, i);
        uint32_t row = (page << BERTH__ROW_PAGE_SHIFT) + i + 1;
        if (memcmp(&was, &is, sizeof(was)) == 0) /* no padding */
            continue;
        if (was.kind != 0 && !same_name(&was, &is)) {
            berth__stored *record = touch_row(own, &was);
            if (record != NULL && record->row == row)
                record->row = 0;
        }
        berth__stored *record = is.kind != 0 ? touch_row(own, &is) : NULL;
        if (record != NULL)
            record->row = row;
    }
}

/* The row of a record; empty if it has none there. */
static berth__stored_row row_of(const berth__stored_rows *rows, const berth__stored *record)
{
    const berth__stored_row *row =
        record->row != 0 ? berth__cow_array_find(&rows->table, record->row - 1) : NULL;
    return row != NULL ? *row : (berth__stored_row){0};
}

/* Set the record's place in the order of arrival. Facts are shelved by it, so remove outdated facts
 * before it changes. */
static void drop_facts(berth__storage *storage, berth__stored *record, const berth__stored_row *row)
{
    uint64_t *arrival = berth__storage_arrival(record);
    bool stays =
        berth__storage_facts(record) == row->facts && (arrival == NULL || *arrival == row->arrival);
    bool gone = stays || berth__storage_borrow(storage, record, NULL);
    BERTH_ASSERT(gone);
    (void)gone;
    if (arrival != NULL)
        *arrival = row->arrival;
}

/* Add new facts once all places in the order of arrival are set, because facts refer to each
 * other's records. */
static bool take_facts(berth__storage *storage, berth__stored *record, const berth__stored_row *row)
{
    return berth__storage_facts(record) == row->facts ||
           berth__storage_borrow(storage, record, row->facts);
}

static bool take_reservation(berth__storage *storage, const berth__stored_rows *rows,
                             berth__stored *record, const berth__stored_row *row)
{
    berth__held held = {.serial = row->reservation,
                        .holder = row->holder,
                        .assumed_node = row->assumed_node,
                        .chosen = row->chosen};
    if (row->reserved != 0) {
        held.reserved = (berth__claim *)record_of(storage, row_at(rows, row->reserved - 1));
        if (held.reserved == NULL)
            return false;
    }
    return berth__storage_adopt(storage, record, &held);
}

/* End old reservations and remove old facts before adding any: both concern several records. A
 * reserved volume is taken off its shelf right after it was put there, so the search for it finds
 * it first. */
static bool take_rows(berth__storage *storage, const berth__stored_rows *rows)
{
    berth__stored *record, *first = storage->changed;
    for (record = first; record != NULL; record = record->next_changed)
        berth__storage_disown(storage, record);
    for (record = first; record != NULL; record = record->next_changed) {
        const berth__stored_row row = row_of(rows, record);
        drop_facts(storage, record, &row);
    }
    for (record = first; record != NULL; record = record->next_changed) {
        const berth__stored_row row = row_of(rows, record);
        if (!take_facts(storage, record, &row) ||
            (row.reservation != 0 && !take_reservation(storage, rows, record, &row)))
            return false;
    }
    return true;
}

berth_status berth__storage_follow(berth__storage *storage, const berth__stored_rows *from,
                                   const berth__stored_rows *to)
{
    following own = {storage, true};
    BERTH_ASSERT(storage->cow == NULL);
    berth__storage_drop_idle(storage);
    berth__cow_array_compare(&from->table, &to->table, touch_page, &own);
    if (!own.ok || !take_rows(storage, to))
        return BERTH_E_NOMEM;
    clear_changed(storage);
    storage->reservation_serial = to->reservation_serial;
    return BERTH_OK;
}
