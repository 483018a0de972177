/* Groups nodes by the text of what they lack. */
#include "explain/node_sets.h"

#include <stdlib.h>

#include "cli/heap.h"
#include "cli/words.h"

void node_sets_make(node_sets *sets, const shortfalls *from)
{
    word_table lacks = {0};
    *sets = (node_sets){0};
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t at = word_table_add(&lacks, words_of(from->nodes[i].lack));
        if (at == sets->count) {
            sets->items =
                heap_grow(sets->items, &sets->capacity, (size_t)at + 1, sizeof(*sets->items));
            sets->items[sets->count++] = (node_set){0};
        }
        node_set *set = &sets->items[at];
        set->nodes =
            heap_grow(set->nodes, &set->capacity, (size_t)set->count + 1, sizeof(*set->nodes));
        set->nodes[set->count++] = i;
    }
    word_table_free(&lacks);
}

void node_sets_free(node_sets *sets)
{
    for (uint32_t i = 0; i < sets->count; i++)
        free(sets->items[i].nodes);
    free(sets->items);
    *sets = (node_sets){0};
}
