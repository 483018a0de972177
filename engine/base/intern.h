/* Interning: byte strings to small ids that are equal exactly when the bytes are. */
#ifndef BERTH_BASE_INTERN_H
#define BERTH_BASE_INTERN_H

#include "base/arena.h"

/* An id; 0 stands for "absent" and is never given to a text, not even the empty one. */
typedef uint32_t berth__sym;

typedef struct berth__intern {
    berth__arena arena;
    berth_str *texts; /* by id; texts[0] is absent */
    uint32_t count;   /* ids in use, 0 included */
    uint32_t capacity;
    uint32_t *slots; /* open addressing: ids, 0 free */
    uint32_t slot_count; /* a power of two */
} berth__intern;

berth_status berth__intern_init(berth__intern *table, const berth_allocator *allocator);
void berth__intern_destroy(berth__intern *table);

/* The id of `text`, made if it is new; absent text gives 0. `*ok` turns false when out of memory. */
berth__sym berth__intern_add(berth__intern *table, berth_str text, bool *ok);

/* The id of `text`, or 0 if it was never added. */
berth__sym berth__intern_find(const berth__intern *table, berth_str text);

static inline berth_str berth__intern_text(const berth__intern *table, berth__sym id)
{
    return table->texts[id];
}

#endif
