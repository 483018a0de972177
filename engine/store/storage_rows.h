/* What snapshots show of the store of volumes, and stores that follow it.
 *
 * The store itself changes in place and is its engine's alone. For snapshots it keeps a table of
 * rows, one for each record, copied on write as the rest of the cluster is (base/cow_array.h): what
 * the object says, its place in the order of arrival, and what is reserved. Only publishing
 * writes rows, those of the records that changed since, so nobody pays who does not publish.
 *
 * A branch that has to do with volumes has a store of its own, which borrows the facts of the
 * rows and makes its records, links and shelves itself. Kept from one branch to the next, it
 * goes from snapshot to snapshot by the rows that differ, and takes back what a branch did by the
 * records that it touched. A row that is given up may have another name in a later snapshot.
 *
 * Facts live as long as a snapshot that shows them: whoever follows rows keeps their snapshot
 * pinned. */
#ifndef BERTH_STORE_STORAGE_ROWS_H
#define BERTH_STORE_STORAGE_ROWS_H

#include "base/cow_array.h"
#include "store/storage.h"

typedef struct berth__stored_row {
    berth__stored_facts *facts;                    /* NULL: no object of the name */
    const struct berth__device_allocation *chosen; /* reserved for a claim of devices */
    uint64_t arrival;
    uint64_t reservation; /* serial; 0: not reserved */
    uint32_t holder;
    uint32_t reserved; /* of a volume: row of the claim, + 1 */
    berth__sym assumed_node;
    berth__sym namespace_name, name;
    uint32_t kind; /* a berth_kind; 0: the row is free, and `reserved` the next such, + 1 */
} berth__stored_row;

enum { BERTH__ROW_PAGE_SHIFT = 6 };

/* Copying the struct gives the rows of a snapshot. All zero: none. */
typedef struct berth__stored_rows {
    berth__cow_array table;      /* of berth__stored_row */
    uint32_t count;              /* rows given so far, free ones included */
    uint32_t first_free;         /* of the rows of records given up, in a list; + 1, 0: none */
    uint64_t reservation_serial; /* of the store */
} berth__stored_rows;

void berth__stored_rows_init(berth__stored_rows *rows);

/* Bring the rows to what the store says. Returns false when out of memory; a later call goes on.
 * Cost: that of the records which changed since the last call. */
bool berth__storage_show(berth__storage *storage, berth__stored_rows *rows, berth__cow_owner *cow);

/* Bring a store without a cow, which said `from` but for the records that it changed itself
 * since, to what `to` says; no transaction is open on it. Errors: E_NOMEM: the store is of no
 * use any more. Cost: that of what differs. */
berth_status berth__storage_follow(berth__storage *storage, const berth__stored_rows *from,
                                   const berth__stored_rows *to);

#endif
