/* A layout: which node lies in which slot, and facts of nodes as columns by slot.
 *
 * Slots follow the zone-interleaved order, so a search walks over neighbouring memory. Facts change
 * only with Node objects; `epoch` shows a change to code that keeps derived data. A layout is
 * shared with snapshots as a whole, and copied at the first change after a publication. Memory:
 * about 13 bytes per node, and 4 more per column; 10 KiB for the last changes.
 * Ordering:
 *   COLUMN-1  A column is filled, then pushed (release) on the list of its hash, then on the list
 *             of all columns. A reader acquires the head of the list that it walks. No column is
 *             taken off a list. The same holds for the masks of a column. */
#ifndef BERTH_COLUMNS_LAYOUT_H
#define BERTH_COLUMNS_LAYOUT_H

#include "base/bits.h"
#include "base/limit.h"
#include "columns/tile.h"
#include "model/node.h"

/* A key that no label can have, used for the column of facts->zone_legacy. */
#define BERTH__KEY_LEGACY_ZONE UINT32_MAX

struct berth__image_column; /* columns/image_column.h: which nodes have an image */

enum { BERTH__COLUMN_LISTS = 256 };

/* The slots that have one value of a label. */
typedef struct berth__value_mask {
    struct berth__value_mask *next;
    berth__sym value;   /* 0: the node lacks the label */
    berth__mask *slots; /* by tile */
} berth__value_mask;

/* The number of values of a key that get masks. */
enum { BERTH__VALUE_MASKS_MAX = BERTH__LIMIT(64, 2) };

typedef struct berth__label_column {
    struct berth__label_column *next; /* in the list of all */
    struct berth__label_column *near; /* in the list of the same hash */
    berth__sym key;
    berth__sym *values; /* by slot, 0: the node lacks the label */
    /* Masks of the values requested so far. As with columns, any thread may add one. sync: atomic,
     * pair COLUMN-1. */
    _Atomic(berth__value_mask *) masks;
    _Atomic uint32_t mask_count; /* sync: atomic; only bounds the list */
} berth__label_column;

/* What changes of a node's facts besides allocatable amounts: bits. */
typedef enum berth__facts_change {
    BERTH__FACTS_IMAGES = 1 << 0,
    BERTH__FACTS_RULES = 1 << 1, /* anything else but labels */
    BERTH__FACTS_LABELS = 1 << 2,
    BERTH__FACTS_ANY = BERTH__FACTS_IMAGES | BERTH__FACTS_RULES | BERTH__FACTS_LABELS,
    BERTH__FACTS_VERDICTS = BERTH__FACTS_RULES | BERTH__FACTS_LABELS, /* what filters read */
    BERTH__FACTS_MOVED = 1 << 3, /* nothing: what pointed into the layout is invalid */
} berth__facts_change;

/* A change of a slot's facts, see columns/facts_news.h. */
typedef struct berth__facts_note {
    uint64_t epoch, rule_epoch, label_epoch; /* the layout's before it */
    uint64_t images; /* with BERTH__FACTS_IMAGES: the set that matters, see berth__image_bit */
    uint32_t slot;
    uint32_t changes; /* berth__facts_change */
} berth__facts_note;

enum { BERTH__FACTS_NOTES = BERTH__LIMIT(256, 3) };

typedef struct berth__layout {
    const berth_allocator *allocator;
    uint64_t stamp; /* of the copy-on-write owner that may change it; see base/cow_owner.h */
    uint32_t count; /* slots in use */
    uint32_t tile_count;
    uint64_t epoch; /* set at every change of facts to a value that is new to the engine */
    /* The values of `epoch` when nodes came, left or were ordered for the last time, or any fact
     * but images changed (rule_epoch), or a label (label_epoch): for data that depends on nothing
     * else. Two layouts that have the same label epoch have the same nodes with the same labels, in
     * the same order. */
    uint64_t rule_epoch, label_epoch;
    uint64_t order_epoch; /* when nodes came, left or were ordered for the last time */
    uint64_t tree_epoch;  /* of the node tree whose order this layout has */
    uint32_t *nodes;      /* node id by slot */
    uint32_t *taints;     /* taint list id by slot */
    /* The number of slots that have a list, by the list's id, except id 0, the empty list. A list
     * without slots may have been freed. */
    uint32_t *taint_users;
    uint32_t taint_capacity; /* ids below have room */
    uint32_t taint_end;      /* ids below are or were in use here; at least 1 */
    uint64_t *unschedulable; /* one bit per slot */
    uint32_t unschedulable_count;
    uint64_t *closed; /* one bit per slot; see berth__view_close */
    uint32_t closed_count;
    uint8_t *conditions; /* BERTH__NODE_* bits by slot */
    /* Columns of the keys requested so far. A column only repeats facts of the nodes, so any thread
     * that shares the layout may add one. sync: atomic, pair COLUMN-1. */
    _Atomic(berth__label_column *) columns;
    _Atomic(berth__label_column *) columns_by_hash[BERTH__COLUMN_LISTS];
    _Atomic(struct berth__image_column *) image_columns; /* see image_column.h */
    struct berth__image_place *image_places;             /* by tile: see image_table.h */
    /* The last changes of facts, in a ring: note i is at i % BERTH__FACTS_NOTES. Nothing is known
     * from before `note_begin`. */
    berth__facts_note notes[BERTH__FACTS_NOTES];
    uint64_t note_begin, note_end;
} berth__layout;

/* A layout of `count` slots without nodes. NULL when out of memory. */
berth__layout *berth__layout_create(const berth_allocator *allocator, uint32_t count);
void berth__layout_destroy(berth__layout *layout);

/* A copy with all columns, for a caller that is about to change facts. NULL when out of memory. */
berth__layout *berth__layout_copy(const berth__layout *layout);

/* Release a layout; see base/cow_owner.h. */
berth__release berth__layout_release;

/* Make room for taint list ids below `end`. Returns false when out of memory. */
bool berth__layout_reserve_taints(berth__layout *layout, uint32_t end);

/* Whether a node in the layout has that taint list. */
static inline bool berth__layout_has_taints(const berth__layout *layout, uint32_t list)
{
    return list > 0 && layout->taint_users[list] > 0;
}

/* Add a column without values for a key, to a layout that nobody shares and whose slots are about
 * to be set. Returns false when out of memory. */
bool berth__layout_expect(berth__layout *layout, berth__sym key);

/* The same for the keys of another layout's columns, the last requested first, at most `most`. */
bool berth__layout_expect_as(berth__layout *layout, const berth__layout *other, uint32_t most);

/* Begin another epoch, in which everything derived from the layout is out of date. */
static inline void berth__layout_begin(berth__layout *layout, uint64_t epoch)
{
    layout->epoch = layout->rule_epoch = layout->label_epoch = epoch;
    layout->order_epoch = epoch;
    layout->note_begin = layout->note_end;
}

/* Put a node's facts into its slot, label columns included. There must be room for its taints. */
void berth__layout_set(berth__layout *layout, uint32_t slot, uint32_t node_id,
                       const berth__node_record *node);

/* Take over facts from another layout, into one that is new and has no columns that the other one
 * lacks: in the first `tiles` tiles all, from then on slot s gets those of slot `slots[s]`, unless
 * that is BERTH__SLOT_NONE. This reads columns, not the objects of nodes, which lie scattered. */
void berth__layout_take(berth__layout *layout, const berth__layout *from, uint32_t tiles,
                        const uint32_t *slots);

/* Close or open the node in a slot; whether it is closed. */
void berth__layout_close(berth__layout *layout, uint32_t slot, bool closed);
static inline bool berth__layout_closed(const berth__layout *layout, uint32_t slot)
{
    return berth__bit_get(layout->closed, slot);
}

/* The number of label columns; free all of them. Nobody may share the layout or use a column in its
 * current epoch. */
uint32_t berth__layout_column_count(const berth__layout *layout);
void berth__layout_drop_columns(berth__layout *layout);

/* The values of a label key by slot, made at the first request. NULL when out of memory. Cost: the
 * first time, one look-up per node. */
const berth__sym *berth__layout_column(berth__layout *layout, const berth__cow_array *nodes,
                                       berth__sym key);

/* The slots whose value of a label key is `value` (0: that lack the label), as masks by tile, made
 * at the first request. NULL: too many values of the key were requested, or memory is short; then
 * compare the column. Cost: the first time, reads every slot. */
const berth__mask *berth__layout_value(berth__layout *layout, const berth__cow_array *nodes,
                                       berth__sym key, berth__sym value);

#endif
