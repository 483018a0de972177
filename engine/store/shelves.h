/* Shelves: an index of objects that choose their nodes by labels. So the objects that choose a node
 * are found without reading all objects.
 *
 * An object with a node selector is put on one shelf for each value of one In requirement of each
 * of its terms (a local volume: on the one shelf of its host name). An object that every node
 * reaches, or that has no such requirement, is on the open shelf. For a node, the open shelf and
 * the shelves of its own label values are read, and each object there is still checked with its
 * whole selector, unless that demands no more. A shelf is sorted by amount, then by order of
 * arrival. An item says so much of its object that most of them need not be read: on a large
 * cluster each of these reads would wait for memory. */
#ifndef BERTH_STORE_SHELVES_H
#define BERTH_STORE_SHELVES_H

#include "base/keymap.h"
#include "base/limit.h"
#include "model/labels.h"

typedef struct berth__shelf_item {
    __int128 amount;
    uint64_t arrival : 55; /* differs between objects */
    /* Set by the shelves: the object chooses every node that reads this shelf. */
    uint64_t reached : 1;
    uint64_t traits : 8; /* what the owner of the shelves says of the object */
    void *object;
} berth__shelf_item;

typedef struct berth__shelf {
    berth__sym label; /* 0: the open shelf */
    berth__sym value;
    berth__shelf_item *items;
    uint32_t count;
    uint32_t sorted;   /* number of sorted items, from the first; later ones are new */
    uint32_t lent;     /* hidden items whose places are kept */
    uint32_t capacity; /* at least count + lent */
    struct berth__shelf *next_unsorted;
    bool listed; /* on the list of unsorted shelves */
} berth__shelf;

/* A place of a table, with the key of the shelf there; shelf NULL: free. */
typedef struct berth__shelf_place {
    berth__sym label, value;
    berth__shelf *shelf;
} berth__shelf_place;

/* The shelves of one owner (a storage class). */
typedef struct berth__shelf_set {
    berth__keymap_entry entry;
    berth__sym owner;
    berth__shelf_place *shelves; /* by label and value, open addressing; without the open shelf */
    uint32_t shelf_count;
    uint32_t shelf_capacity; /* 0 or a power of two */
    berth__shelf open;
    /* The objects on the shelves whose selector demands more than that a node reads their shelf. */
    uint32_t demanding;
    berth__sym *labels; /* the labels that shelves are for */
    uint32_t label_count;
    uint32_t label_capacity;
} berth__shelf_set;

/* A shelf that got or lost an item. */
typedef struct berth__shelf_change {
    berth__sym owner, label, value;
} berth__shelf_change;

enum { BERTH__SHELF_CHANGES = BERTH__LIMIT(64, 2) }; /* the last ones, which are kept */

typedef struct berth__shelves {
    const berth_allocator *allocator;
    berth__keymap sets;
    berth__shelf *unsorted;
    uint64_t change_count; /* change i is at changes[i % BERTH__SHELF_CHANGES] */
    berth__shelf_change changes[BERTH__SHELF_CHANGES];
} berth__shelves;

berth_status berth__shelves_init(berth__shelves *shelves, const berth_allocator *allocator);
void berth__shelves_destroy(berth__shelves *shelves);

/* Put an object on its shelves. `chooses` NULL: every node reaches it. Returns false, with nothing
 * changed, when out of memory. */
bool berth__shelves_add(berth__shelves *shelves, berth__sym owner,
                        const berth__interned_node_selector *chooses,
                        const berth__shelf_item *item);

/* Remove an object from its shelves. The arguments must be those with which it was put there. */
void berth__shelves_remove(berth__shelves *shelves, berth__sym owner,
                           const berth__interned_node_selector *chooses,
                           const berth__shelf_item *item);

/* Hide the object for a while. Returning it, or giving up its places, needs no memory then. */
void berth__shelves_lend(berth__shelves *shelves, berth__sym owner,
                         const berth__interned_node_selector *chooses,
                         const berth__shelf_item *item);
void berth__shelves_return(berth__shelves *shelves, berth__sym owner,
                           const berth__interned_node_selector *chooses,
                           const berth__shelf_item *item);
void berth__shelves_give_up(berth__shelves *shelves, berth__sym owner,
                            const berth__interned_node_selector *chooses);

/* Sort new items. Required before look-ups. */
void berth__shelves_settle(berth__shelves *shelves);

/* Free empty shelves, and sets that have only empty shelves; sort new items. Some stay if memory is
 * too short to rebuild the tables. */
void berth__shelves_prune(berth__shelves *shelves);

/* The shelves of an owner, or NULL; one of them by label, or NULL. */
const berth__shelf_set *berth__shelves_find(const berth__shelves *shelves, berth__sym owner);
const berth__shelf *berth__shelf_find(const berth__shelf_set *set, berth__sym label,
                                      berth__sym value);

/* Have the shelves of one label fetched from memory, all at once, for up to 128 nodes with these
 * values; without use where the tables are small enough for a cache. */
void berth__shelves_fetch(const berth__shelf_set *set, berth__sym label, const berth__sym *values,
                          uint32_t count);

/* The first item with at least that amount. */
uint32_t berth__shelf_from(const berth__shelf *shelf, __int128 amount);

#endif
