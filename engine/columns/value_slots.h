/* The slots that have a value of a label, found without reading the label's whole column: a table
 * by value, for labels of which most values belong to a few nodes (host names).
 *
 * Memory: 12 to 20 bytes per slot, once a label was asked about several times since the labels or
 * the order of nodes changed. Threads: the deciding thread only. */
#ifndef BERTH_COLUMNS_VALUE_SLOTS_H
#define BERTH_COLUMNS_VALUE_SLOTS_H

#include "columns/layout.h"

typedef struct berth__value_slots {
    const berth_allocator *allocator;
    berth__sym label;
    uint64_t epoch;  /* label epoch of the table or, without one, of the look-ups */
    uint32_t missed; /* look-ups without a table in this epoch */
    bool made;
    uint32_t bits;   /* of the table's index */
    uint32_t *first; /* by index: the first slot in a chain, plus 1; 0: none */
    uint32_t *next;  /* by slot: the next one, plus 1 */
    uint32_t first_capacity, next_capacity;
} berth__value_slots;

void berth__value_slots_destroy(berth__value_slots *table);

/* List the slots whose value of the label is `value`, which is not 0, at most `room`. `column`: the
 * label's (layout.h). Returns their number, or `room` + 1 if there are more. Cost: without a table,
 * reads the column. */
uint32_t berth__value_slots_find(berth__value_slots *table, const berth__layout *layout,
                                 berth__sym label, const berth__sym *column, berth__sym value,
                                 uint32_t *slots, uint32_t room);

#endif
