/* An index of selectors: which of many may match a given label set.
 *
 * Each selector is anchored at one thing that a label set must have to match it: a pair of an In
 * requirement (with the namespace, if the selector has only one), else the namespace, else nothing.
 * A look-up probes the anchors that a label set offers, so its cost depends on labels and hits, not
 * on the number of selectors. */
#ifndef BERTH_MODEL_LABEL_INDEX_H
#define BERTH_MODEL_LABEL_INDEX_H

#include "base/keymap.h"
#include "model/labels.h"

typedef struct berth__label_index {
    berth__keymap anchors;
} berth__label_index;

berth_status berth__label_index_init(berth__label_index *index, const berth_allocator *allocator);
void berth__label_index_destroy(berth__label_index *index);

/* Enter an item for `selector`; `namespace_name` 0: in any namespace. A selector that matches
 * nothing is not entered. Returns false, with nothing changed, when out of memory. */
bool berth__label_index_add(berth__label_index *index, berth__sym namespace_name,
                            const berth__selector *selector, void *item);

/* Remove the item that was entered with the same arguments. */
void berth__label_index_remove(berth__label_index *index, berth__sym namespace_name,
                               const berth__selector *selector, void *item);

/* How well a selector can be anchored; higher is better. */
uint32_t berth__label_index_rank(berth__sym namespace_name, const berth__selector *selector);

/* Call `visit` once for each item whose selector may match the labels in the namespace, until it
 * returns false. All items that do match are among them. */
void berth__label_index_visit(const berth__label_index *index, berth__sym namespace_name,
                              berth__labels labels, bool (*visit)(void *context, void *item),
                              void *context);

/* Hide an item that was added with the same arguments: look-ups do not find it, but its places are
 * kept. Afterwards, return it to its place or remove it permanently; neither needs memory. */
void berth__label_index_lend(berth__label_index *index, berth__sym namespace_name,
                             const berth__selector *selector, void *item);
void berth__label_index_return(berth__label_index *index, berth__sym namespace_name,
                               const berth__selector *selector, void *item);
void berth__label_index_give_up(berth__label_index *index, berth__sym namespace_name,
                                const berth__selector *selector, void *item);

#endif
