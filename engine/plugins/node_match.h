/* Matches node selectors with label columns, a tile at a time.
 * Used by NodeAffinity, PodTopologySpread (node inclusion) and MatchNodeSelector. */
#ifndef BERTH_PLUGINS_NODE_MATCH_H
#define BERTH_PLUGINS_NODE_MATCH_H

#include "plugins/plugin.h"

/* A requirement and the column of its key. */
typedef struct berth__column_match {
    const berth__interned_requirement *requirement;
    const berth__sym *column;
    /* The slots of each value by tile, or of no value for Exists and DoesNotExist. NULL: compare
     * the column. */
    const berth__mask *const *masks;
} berth__column_match;

typedef struct berth__term_match {
    const berth__node_term *term;
    const berth__column_match *expressions;
} berth__term_match;

/* A nodeSelector map and a required node affinity, both optional. */
typedef struct berth__node_match {
    berth__labels pairs;
    const berth__sym *const *pair_columns;
    const berth__mask *const *pair_masks; /* if this or an entry is NULL: compare the column */
    bool has_terms;
    const berth__term_match *terms;
    uint32_t term_count;
    /* The slots that match, by tile, if the only condition is one value of one label (the zone of a
     * volume). NULL: there are other conditions. */
    const berth__mask *only;
} berth__node_match;

/* Whether the node names to which a class's required node affinity restricts the search
 * (kube-scheduler: PreFilterResult) include this one. A term without metadata.name allows every
 * name. */
bool berth__affinity_leaves(const berth__model *model, const berth__class *cls, berth__sym name);

/* Prepare a term or a whole match for the view's layout; memory comes from `arena`. Return false
 * when out of memory. Valid until the layout changes. */
bool berth__term_match_make(berth__view *view, berth__arena *arena, const berth__node_term *term,
                            berth__term_match *out);
bool berth__node_match_make(berth__view *view, berth__arena *arena, berth__labels pairs,
                            const berth__interned_node_selector *required, berth__node_match *out);

/* Add everything that decides which slots match to a key (plugin.h, verdict_key). Returns false if
 * node facts and masks of the layout do not decide it, or some values have no masks. */
bool berth__node_match_key(const berth__node_match *match, berth__verdict_key *key);

/* Clear the slots of `mask` that do not match. */
void berth__term_match_tile(const berth__view *view, const berth__term_match *match, uint32_t tile,
                            berth__mask *mask);
void berth__node_match_tile(const berth__view *view, const berth__node_match *match, uint32_t tile,
                            berth__mask *mask);

#endif
