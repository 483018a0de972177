/* An index of selectors: which of many may match a given label set.
 *
 * Each selector is anchored at one thing that a label set must have to match it: a pair of an In
 * requirement, within one namespace where there is only one, else the namespace, else nothing. A
 * look-up probes the anchors that a label set offers, so it costs labels and hits, not selectors.
 */
#ifndef BERTH_MODEL_LABEL_INDEX_H
#define BERTH_MODEL_LABEL_INDEX_H

#include "base/keymap.h"
#include "model/labels.h"

typedef struct berth__label_index {
    berth__keymap anchors;
} berth__label_index;

berth_status berth__label_index_init(berth__label_index *index, const berth_allocator *allocator);
void berth__label_index_destroy(berth__label_index *index);

/* Enter an item that `selector` stands for; `namespace_name` 0: in any namespace. A selector that
 * matches nothing is not entered. Returns false, nothing changed, when out of memory. */
bool berth__label_index_add(berth__label_index *index, berth__sym namespace_name,
                            const berth__selector *selector, void *item);

/* Take back what the same arguments entered. */
void berth__label_index_remove(berth__label_index *index, berth__sym namespace_name,
                               const berth__selector *selector, void *item);

/* How well a selector can be anchored; higher is better. */
uint32_t berth__label_index_rank(berth__sym namespace_name, const berth__selector *selector);

/* Call `visit` once for each item whose selector may match the labels in the namespace (each that
 * does match is among them), until it returns false. */
void berth__label_index_visit(const berth__label_index *index, berth__sym namespace_name,
                              berth__labels labels, bool (*visit)(void *context, void *item),
                              void *context);

/* Take an item out for a while, added with the same arguments: look-ups do not find it, its
 * places are kept. Then it goes back to where it was, or for good; neither needs memory. */
void berth__label_index_lend(berth__label_index *index, berth__sym namespace_name,
                             const berth__selector *selector, void *item);
void berth__label_index_return(berth__label_index *index, berth__sym namespace_name,
                               const berth__selector *selector, void *item);
void berth__label_index_give_up(berth__label_index *index, berth__sym namespace_name,
                                const berth__selector *selector, void *item);

#endif
