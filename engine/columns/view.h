/* A view: one state of the cluster as decisions read it. Commits change the engine's own view in
 * place. Every change goes through berth__view_write, the only function that knows who else reads
 * the tile. */
#ifndef BERTH_COLUMNS_VIEW_H
#define BERTH_COLUMNS_VIEW_H

#include "base/limit.h"
#include "columns/layout.h"
#include "columns/tile_kernels.h"
#include "model/images.h"
#include "model/pod.h"

/* Amounts up to this are scored in double precision without loss: multiplied by 100 they stay below
 * 2^52. */
#define BERTH__SMALL_AMOUNT (INT64_C(1) << 45)

struct berth__pod_counts;  /* columns/pod_counts.h: pods by selector and topology domain */
struct berth__related;     /* model/related.h: services, controllers, namespaces */
struct berth__storage;     /* store/storage.h: volumes, claims, classes, drivers */
struct berth__freed_ports; /* columns/freed_ports.h: ports that are free though a pod has them */
struct berth__volume_use;  /* columns/volume_use.h: volumes in use by node */
struct berth__devices; /* devices/devices.h: devices offered and in use; kept with the storage */

/* Entries that the change journal keeps. A reader that lags further behind looks at every slot. */
enum { BERTH__JOURNAL = BERTH__LIMIT(1 << 16, 64) };

/* The same for the journal of lists. */
enum { BERTH__LIST_JOURNAL = BERTH__LIMIT(1 << 12, 16) };

typedef struct berth__view {
    berth__model *model;
    struct berth__pod_counts *counts;
    struct berth__related *related;
    struct berth__storage *storage;
    struct berth__volume_use *volume_use;
    struct berth__devices *devices;
    berth__cow_owner *cow;         /* the owner that changes the view */
    berth__cow_array nodes;        /* records by id; by slot through layout->nodes */
    berth__cow_array node_of_name; /* by name's sym: id + 1, 0: none */
    berth__images images;
    struct berth__freed_ports *freed_ports; /* NULL: there are none */
    berth__layout *layout;
    berth__tile **tiles;
    uint64_t tiles_stamp;    /* of the array; if a tile has this stamp, its array has it, too */
    uint32_t resource_count; /* columns in each tile */
    uint64_t names_epoch;    /* the model's, when the columns were made for its names */
    const berth__kernels *kernels;
    /* Slots changed, newest last, in a ring: entry i is at journal[i % BERTH__JOURNAL]. */
    uint32_t *journal;
    uint64_t journal_end; /* entries ever written */
    /* Slots whose pods changed in what only preemption reads: their order, when they started. Entry
     * i is at journal[BERTH__JOURNAL + i % BERTH__LIST_JOURNAL]. */
    uint64_t lists_end;
    bool wide; /* some amount is above BERTH__SMALL_AMOUNT */
} berth__view;

/* An empty view. */
berth_status berth__view_init(berth__view *view, berth__model *model, berth__cow_owner *cow);
/* Free everything. The copy-on-write owner must no longer be shared. */
void berth__view_destroy(berth__view *view);

/* The state of a view before a new node order, for undoing it. */
typedef struct berth__former_layout {
    berth__layout *layout;
    berth__tile **tiles;
    uint64_t tiles_stamp;
    uint32_t resource_count;
    uint64_t names_epoch;
    uint32_t kept_tiles; /* the first tiles, which the next layout shows, too; 0 if it is undone */
    uint32_t held;       /* notes of the copy-on-write owner */
    uint32_t slot_count; /* of `slots` */
    uint32_t *slots;     /* the slot of each of the layout's nodes, or BERTH__SLOT_NONE */
    uint32_t *back;      /* by slot of the next layout: scratch for undoing */
    uint32_t back_count;
} berth__former_layout;

/* Switch the view to a new node order: `order` lists `count` ids of present nodes. Nodes of the old
 * layout keep their state; the state of others is computed from the list of their pods. Sets the
 * slots of node records. Unless the former state is asked for, tiles before the first node that
 * moves are taken over as they are. Fails only when out of memory: then either the view is
 * unchanged, or new nodes whose pods could not be counted have no slot yet, and the next call makes
 * up for it. `former`, if not NULL, receives the former state. */
berth_status berth__view_relayout(berth__view *view, const uint32_t *order, uint32_t count,
                                  const berth__pods *pods, uint64_t epoch,
                                  berth__former_layout *former);

/* Undo berth__view_relayout in the state that it left. Needs no memory. */
void berth__view_relayout_back(berth__view *view, const berth__former_layout *former,
                               const berth__pods *pods, uint64_t epoch);
void berth__former_layout_free(const berth__view *view, berth__former_layout *former);

/* Make room for every resource that the model knows. Columns whose names have changed since are
 * filled again. */
berth_status berth__view_widen(berth__view *view);

/* Make everything writable that a change of a slot, or of its facts, writes: see base/cow_owner.h.
 * Errors: BERTH_E_NOMEM; nothing has changed then. */
berth_status berth__view_make_tile_writable(berth__view *view, uint32_t slot);
berth_status berth__view_make_facts_writable(berth__view *view, uint32_t slot);
static inline berth_status berth__view_make_writable(berth__view *view, uint32_t slot)
{
    return !view->cow->shared || view->tiles[slot >> BERTH__TILE_SHIFT]->stamp == view->cow->stamp
               ? BERTH_OK
               : berth__view_make_tile_writable(view, slot);
}

/* Add a slot to the journal. */
static inline void berth__view_note(berth__view *view, uint32_t slot)
{
    view->journal[view->journal_end++ % BERTH__JOURNAL] = slot;
}

/* Add a slot to the journal of lists. */
static inline void berth__view_note_list(berth__view *view, uint32_t slot)
{
    view->journal[BERTH__JOURNAL + view->lists_end++ % BERTH__LIST_JOURNAL] = slot;
}

/* Both journals, empty; NULL when out of memory. */
uint32_t *berth__view_journal_create(const berth_allocator *allocator);
void berth__view_journal_destroy(const berth_allocator *allocator, uint32_t *journal);

/* Invalidate the journals: their readers have missed changes. */
void berth__view_lose_journal(berth__view *view);

/* The tile of a slot, for writing. Adds the slot to the journal. */
static inline berth__tile *berth__view_write(berth__view *view, uint32_t slot)
{
    berth__view_note(view, slot);
    return view->tiles[slot >> BERTH__TILE_SHIFT];
}

/* Take over the facts of the node in `slot`: amounts, and what else has changed
 * (berth__facts_change; which images, see berth__facts_note). */
void berth__view_set_facts(berth__view *view, uint32_t slot, uint32_t changes, uint64_t images);

/* The same for a node that has come back to a slot that it had. */
void berth__view_set_node(berth__view *view, uint32_t slot);

/* Free the label columns if there are too many; those still in use will be made again. The layout
 * gets another epoch then. If memory runs out, the columns stay. */
void berth__view_trim_columns(berth__view *view);

/* Take over whether the present node in `slot` is closed. Data derived from facts stays valid:
 * filters that count pods refuse the node for lack of room, and searches leave it out. */
void berth__view_close(berth__view *view, uint32_t slot);

/* Count the node's pods into a slot that counts none, or out of a slot that counts them all. `fill`
 * fails only when out of memory; nothing has changed then. */
berth_status berth__view_fill(berth__view *view, uint32_t slot, const berth__pods *pods);
void berth__view_vacate(berth__view *view, uint32_t slot, const berth__pods *pods);

/* Count one more, or one fewer, pod of a class on a slot. `add` fails only when out of memory;
 * nothing has changed then. */
berth_status berth__view_add_pod(berth__view *view, uint32_t slot, const berth__class *cls);
void berth__view_remove_pod(berth__view *view, uint32_t slot, const berth__class *cls);

/* For undoing: count a pod as before, apart from its host ports. Needs no memory and does not fail.
 * Ports are restored from a copy: a set does not know who holds a port, so counting back is not
 * enough. */
void berth__view_restore_pod(berth__view *view, uint32_t slot, const berth__class *cls, int change);
uint32_t berth__view_ports(const berth__view *view, uint32_t slot, const berth__host_port **items);
void berth__view_set_ports(berth__view *view, uint32_t slot, const berth__host_port *items,
                           uint32_t count);

/* The same in a what-if (change 1: one more pod, -1: one fewer), which must undo it before anybody
 * else reads the view. The journal does not record it. */
berth_status berth__view_suppose(berth__view *view, uint32_t slot, const berth__class *cls,
                                 int change);
/* Make room for so many more host ports on a writable slot. Returns false when out of memory. */
bool berth__view_reserve_ports(berth__view *view, uint32_t slot, uint32_t more);
/* Take back a change of -1. Needs no memory, but room for the pod's ports: it returns with them,
 * even if they were free before, because another pod that had them had left. */
void berth__view_suppose_return(berth__view *view, uint32_t slot, const berth__class *cls);

/* Take the closed slots of a tile out of a mask. */
static inline void berth__layout_leave_closed(const berth__layout *layout, uint32_t tile,
                                              berth__mask *mask)
{
    for (uint32_t w = 0; layout->closed_count > 0 && w < BERTH__TILE_WORDS; w++)
        mask->words[w] &= ~layout->closed[(size_t)tile * BERTH__TILE_WORDS + w];
}

static inline berth__node_record *berth__view_node(const berth__view *view, uint32_t slot)
{
    return berth__node_at(&view->nodes, view->layout->nodes[slot]);
}

/* The id of a name. BERTH_NODE_NONE if no node has the name and no pod refers to it. */
static inline uint32_t berth__view_node_id(const berth__view *view, berth__sym name)
{
    const uint32_t *id = berth__cow_array_find(&view->node_of_name, name);
    return id != NULL ? *id - 1 : BERTH_NODE_NONE; /* 0 - 1: BERTH_NODE_NONE */
}

/* The slot of the node with a name. BERTH__SLOT_NONE if the layout has none. */
static inline uint32_t berth__view_slot_of(const berth__view *view, berth__sym name)
{
    uint32_t id = berth__view_node_id(view, name);
    return id != BERTH_NODE_NONE ? berth__node_at(&view->nodes, id)->slot : BERTH__SLOT_NONE;
}

#endif
