/* What snapshots show of the store of volumes, and stores that follow snapshots.
 *
 * The store itself changes in place and is used only by its engine. For snapshots it keeps a table
 * of rows, one for each record, copied on write like the rest of the cluster (base/cow_array.h). A
 * row holds the object's facts, its place in the order of arrival, and its reservation. Only
 * publishing writes rows, for the records that changed since, so engines that never publish pay
 * nothing.
 *
 * A branch that uses volumes has a store of its own. It borrows the facts of the rows and builds
 * its own records, links and shelves. The store is kept from one branch to the next: rows that
 * differ move it from snapshot to snapshot, and the records that a branch touched are reset. A
 * freed row may have another name in a later snapshot.
 *
 * Facts live as long as a snapshot that shows them, so a follower of rows keeps their snapshot
 * pinned. */
#ifndef BERTH_STORE_STORAGE_ROWS_H
#define BERTH_STORE_STORAGE_ROWS_H

#include "base/cow_array.h"
#include "store/storage.h"

typedef struct berth__stored_row {
    berth__stored_facts *facts;                    /* NULL: no object has the name */
    const struct berth__device_allocation *chosen; /* reserved for a claim of devices */
    uint64_t arrival;
    uint64_t reservation; /* serial; 0: not reserved */
    uint32_t holder;
    uint32_t reserved; /* of a volume: the claim's row, + 1 */
    berth__sym assumed_node;
    berth__sym namespace_name, name;
    uint32_t kind; /* a berth_kind; 0: the row is free, and `reserved` is the next free row, + 1 */
} berth__stored_row;

enum { BERTH__ROW_PAGE_SHIFT = 6 };

/* A copy of this struct is the rows of a snapshot. All zero: no rows. */
typedef struct berth__stored_rows {
    berth__cow_array table;      /* of berth__stored_row */
    uint32_t count;              /* rows in the table, free ones included */
    uint32_t first_free;         /* of the list of free rows; + 1, 0: none */
    uint64_t reservation_serial; /* of the store */
} berth__stored_rows;

void berth__stored_rows_init(berth__stored_rows *rows);

/* Update the rows from the store. Returns false when out of memory; a later call continues. Cost:
 * linear in the records that changed since the last call. */
bool berth__storage_show(berth__storage *storage, berth__stored_rows *rows, berth__cow_owner *cow);

/* Bring a branch's store (whose `cow` was NULL at its creation) from the rows `from`, plus its own
 * changes since, to the rows `to`. No transaction may be open on it. Errors: BERTH_E_NOMEM: the
 * store is unusable. Cost: linear in the differences. */
berth_status berth__storage_follow(berth__storage *storage, const berth__stored_rows *from,
                                   const berth__stored_rows *to);

#endif
