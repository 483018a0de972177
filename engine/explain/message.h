/* kube-scheduler's failure message: a histogram of reasons in one line. */
#ifndef BERTH_EXPLAIN_MESSAGE_H
#define BERTH_EXPLAIN_MESSAGE_H

#include "base/arena.h"

typedef struct berth__histogram_entry {
    berth_str reason;
    uint32_t count;
} berth__histogram_entry;

typedef struct berth__histogram {
    berth__arena *arena;
    berth__histogram_entry *items;
    uint32_t count;
    uint32_t capacity;
} berth__histogram;

/* Memory comes from `arena`; reasons are borrowed. */
void berth__histogram_init(berth__histogram *histogram, berth__arena *arena);
bool berth__histogram_add(berth__histogram *histogram, berth_str reason, uint32_t count);

/* The reasons joined by ", "; absent when out of memory. */
berth_str berth__message_join(berth__arena *arena, const berth_str *reasons, uint32_t count);

/* Several joined errors, in brackets. The data is NULL when out of memory. */
berth_str berth__message_in_brackets(berth__arena *arena, berth_str words);

/* Insert a plugin into a reason that ends with a sorted list of plugins, "... [A C]", unless it is
 * there already. Absent when out of memory. */
berth_str berth__message_add_plugin(berth__arena *arena, berth_str reason, berth_str plugin);

/* "0/N nodes are available: ..." with the text `for_all` for all nodes or, if it is absent, the
 * histogram's entries "COUNT REASON" in byte order. Absent when out of memory. */
berth_str berth__message_unschedulable(berth__arena *arena, uint32_t node_count, berth_str for_all,
                                       const berth__histogram *histogram);

/* "preemption: " and the text. Absent when out of memory. */
berth_str berth__message_of_preemption(berth__arena *arena, berth_str words);

/* `first`, a space, and the parts joined by ", ". Absent when out of memory. */
berth_str berth__message_with_parts(berth__arena *arena, berth_str first, const berth_str *parts,
                                    uint32_t count);

#endif
