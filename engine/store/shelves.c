/* Shelves: an index of objects that choose their nodes by labels. Chooses shelves for an object,
 * sorts, looks up. */
#include "store/shelves.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/search.h"

/* Up to this number, new items are inserted one by one; if there are more, they are sorted
 * together. */
enum { INSERT_MAX = 16 };

/* Tables from this size on don't fit in the nearer caches. */
enum { FETCH_FROM = BERTH__LIMIT(16384, 16), FETCH_MAX = 128 };

berth_status berth__shelves_init(berth__shelves *shelves, const berth_allocator *allocator)
{
    *shelves = (berth__shelves){.allocator = allocator};
    return berth__keymap_init(&shelves->sets, allocator);
}

static void free_shelf(const berth_allocator *allocator, berth__shelf *shelf)
{
    berth__free(allocator, shelf->items, shelf->capacity * sizeof(*shelf->items));
    berth__free(allocator, shelf, sizeof(*shelf));
}

static void set_destroy(berth__shelves *shelves, berth__shelf_set *set)
{
    const berth_allocator *allocator = shelves->allocator;
    for (uint32_t i = 0; i < set->shelf_capacity; i++) {
        berth__shelf *shelf = set->shelves[i].shelf;
        if (shelf == NULL)
            continue;
        free_shelf(allocator, shelf);
    }
    berth__free(allocator, set->shelves, set->shelf_capacity * sizeof(*set->shelves));
    berth__free(allocator, set->open.items, set->open.capacity * sizeof(*set->open.items));
    berth__free(allocator, set->labels, set->label_capacity * sizeof(*set->labels));
    berth__free(allocator, set, sizeof(*set));
}

void berth__shelves_destroy(berth__shelves *shelves)
{
    if (shelves->allocator == NULL)
        return;
    for (uint32_t b = 0; shelves->sets.buckets != NULL && b < shelves->sets.bucket_count; b++) {
        for (berth__keymap_entry *entry = shelves->sets.buckets[b], *next; entry != NULL;
             entry = next) {
            next = entry->next;
            set_destroy(shelves, (berth__shelf_set *)entry);
        }
    }
    berth__keymap_destroy(&shelves->sets);
    *shelves = (berth__shelves){0};
}

/* ---- making shelves ---- */

static berth__shelf_set *set_find(const berth__shelves *shelves, berth__sym owner)
{
    return (berth__shelf_set *)berth__keymap_find(&shelves->sets, &owner, sizeof(owner));
}

static berth__shelf_set *set_make(berth__shelves *shelves, berth__sym owner)
{
    berth__shelf_set *set = set_find(shelves, owner);
    if (set != NULL)
        return set;
    set = berth__alloc_zero(shelves->allocator, sizeof(*set), _Alignof(berth__shelf_set));
    if (set == NULL)
        return NULL;
    set->owner = owner;
    set->entry.key = &set->owner;
    set->entry.key_bytes = sizeof(set->owner);
    berth__keymap_add(&shelves->sets, &set->entry);
    return set;
}

static bool note_label(berth__shelves *shelves, berth__shelf_set *set, berth__sym label)
{
    for (uint32_t i = 0; i < set->label_count; i++)
        if (set->labels[i] == label)
            return true;
    if (!berth__grow(shelves->allocator, &set->labels, &set->label_capacity, set->label_count + 1,
                     sizeof(*set->labels)))
        return false;
    set->labels[set->label_count++] = label;
    return true;
}

static uint32_t shelf_place(berth__sym label, berth__sym value, uint32_t capacity)
{
    return (uint32_t)berth__hash_secret_word((uint64_t)label << 32 | value) & (capacity - 1);
}

static berth__shelf *shelf_find(const berth__shelf_set *set, berth__sym label, berth__sym value)
{
    if (set->shelf_capacity == 0)
        return NULL;
    uint32_t at = shelf_place(label, value, set->shelf_capacity);
    while (set->shelves[at].shelf != NULL &&
           (set->shelves[at].value != value || set->shelves[at].label != label))
        at = (at + 1) & (set->shelf_capacity - 1);
    return set->shelves[at].shelf;
}

static void put_shelf(berth__shelf_place *table, uint32_t capacity, berth__shelf *shelf)
{
    uint32_t at = shelf_place(shelf->label, shelf->value, capacity);
    while (table[at].shelf != NULL)
        at = (at + 1) & (capacity - 1);
    table[at] = (berth__shelf_place){shelf->label, shelf->value, shelf};
}

/* Reserve room for one more shelf, keeping half of the table free. */
static bool reserve_shelf(berth__shelves *shelves, berth__shelf_set *set)
{
    if (2 * (set->shelf_count + 1) <= set->shelf_capacity)
        return true;
    uint32_t capacity = set->shelf_capacity > 0 ? 2 * set->shelf_capacity : 16;
    berth__shelf_place *table =
        berth__alloc_zero(shelves->allocator, capacity * sizeof(*table), 64);
    if (table == NULL)
        return false;
    for (uint32_t i = 0; i < set->shelf_capacity; i++)
        if (set->shelves[i].shelf != NULL)
            put_shelf(table, capacity, set->shelves[i].shelf);
    berth__free(shelves->allocator, set->shelves, set->shelf_capacity * sizeof(*table));
    set->shelves = table;
    set->shelf_capacity = capacity;
    return true;
}

static berth__shelf *shelf_make(berth__shelves *shelves, berth__shelf_set *set, berth__sym label,
                                berth__sym value)
{
    if (label == 0)
        return &set->open;
    berth__shelf *shelf = shelf_find(set, label, value);
    if (shelf != NULL)
        return shelf;
    if (!note_label(shelves, set, label) || !reserve_shelf(shelves, set))
        return NULL;
    shelf = berth__alloc_zero(shelves->allocator, sizeof(*shelf), _Alignof(berth__shelf));
    if (shelf == NULL)
        return NULL;
    shelf->label = label;
    shelf->value = value;
    put_shelf(set->shelves, set->shelf_capacity, shelf);
    set->shelf_count++;
    return shelf;
}

/* ---- the shelves of one object ---- */

/* The In requirement of a term with the fewest values; NULL if it has none. */
static const berth__interned_requirement *narrowest(const berth__node_term *term)
{
    const berth__interned_requirement *best = NULL;
    for (uint32_t i = 0; i < term->expression_count; i++) {
        const berth__interned_requirement *expression = &term->expressions[i];
        if (expression->op == BERTH__OP_IN &&
            (best == NULL || expression->value_count < best->value_count))
            best = expression;
    }
    return best;
}

static bool can_match(const berth__node_term *term)
{
    return term->valid && !term->empty;
}

static bool on_open_shelf(const berth__interned_node_selector *chooses)
{
    if (chooses == NULL)
        return true;
    for (uint32_t t = 0; t < chooses->count; t++)
        if (can_match(&chooses->terms[t]) && narrowest(&chooses->terms[t]) == NULL)
            return true;
    return false;
}

/* Whether a node that reads a shelf of the object may still not be one that the object chooses. */
static bool is_demanding(const berth__interned_node_selector *chooses)
{
    if (chooses == NULL)
        return false;
    const berth__node_term *term = chooses->terms;
    return chooses->count != 1 || !can_match(term) || term->field_count > 0 ||
           term->expression_count != 1 || term->expressions[0].op != BERTH__OP_IN;
}

/* The item as its shelves show it. */
static berth__shelf_item shown(const berth__shelf_item *item,
                               const berth__interned_node_selector *chooses)
{
    berth__shelf_item made = *item;
    made.reached = !is_demanding(chooses);
    return made;
}

/* A walk over an object's shelves: (0, 0) for the open shelf, otherwise the label and value of
 * each. */
typedef struct walk {
    const berth__interned_node_selector *chooses;
    bool open;
    uint32_t term;
    uint32_t value;
} walk;

static walk walk_begin(const berth__interned_node_selector *chooses)
{
    return (walk){.chooses = chooses, .open = on_open_shelf(chooses)};
}

static bool walk_next(walk *at, berth__sym *label, berth__sym *value)
{
    if (at->open) {
        *label = *value = 0;
        at->open = false;
        at->chooses = NULL;
        return true;
    }
    while (at->chooses != NULL && at->term < at->chooses->count) {
        const berth__node_term *term = &at->chooses->terms[at->term];
        const berth__interned_requirement *anchor = can_match(term) ? narrowest(term) : NULL;
        if (anchor != NULL && at->value < anchor->value_count) {
            *label = anchor->key;
            *value = anchor->values[at->value++];
            return true;
        }
        at->term++;
        at->value = 0;
    }
    return false;
}

static uint32_t shelf_count(const berth__interned_node_selector *chooses)
{
    berth__sym label, value;
    uint32_t count = 0;
    for (walk at = walk_begin(chooses); walk_next(&at, &label, &value);)
        count++;
    return count;
}

/* ---- adding and removing ---- */

static int item_order(const void *first, const void *second)
{
    const berth__shelf_item *a = first, *b = second;
    if (a->amount != b->amount)
        return a->amount < b->amount ? -1 : 1;
    return (a->arrival > b->arrival) - (a->arrival < b->arrival);
}

static void note_change(berth__shelves *shelves, berth__sym owner, berth__sym label,
                        berth__sym value)
{
    shelves->changes[shelves->change_count++ % BERTH__SHELF_CHANGES] =
        (berth__shelf_change){owner, label, value};
}

/* Whether a new item comes behind all others, which are sorted. That of an object that is there
 * twice for a moment, because it changes, does not. */
static bool is_last(const berth__shelf *shelf, const berth__shelf_item *item)
{
    return shelf->sorted == shelf->count &&
           (shelf->count == 0 || item_order(&shelf->items[shelf->count - 1], item) < 0);
}

static void append(berth__shelves *shelves, berth__shelf *shelf, const berth__shelf_item *item)
{
    BERTH_ASSERT(shelf->count + shelf->lent < shelf->capacity);
    const bool sorted = is_last(shelf, item);
    shelf->items[shelf->count++] = *item;
    shelf->sorted += sorted;
    if (sorted || shelf->listed)
        return;
    shelf->listed = true;
    shelf->next_unsorted = shelves->unsorted;
    shelves->unsorted = shelf;
}

bool berth__shelves_add(berth__shelves *shelves, berth__sym owner,
                        const berth__interned_node_selector *chooses, const berth__shelf_item *item)
{
    berth__shelf_set *set = set_make(shelves, owner);
    if (set == NULL)
        return false;
    uint32_t more = shelf_count(chooses);
    berth__sym label, value;
    for (walk at = walk_begin(chooses); walk_next(&at, &label, &value);) {
        berth__shelf *shelf = shelf_make(shelves, set, label, value);
        if (shelf == NULL || !berth__grow(shelves->allocator, &shelf->items, &shelf->capacity,
                                          shelf->count + shelf->lent + more, sizeof(*item)))
            return false;
    }
    const berth__shelf_item made = shown(item, chooses);
    for (walk at = walk_begin(chooses); walk_next(&at, &label, &value);) {
        append(shelves, shelf_make(shelves, set, label, value), &made);
        note_change(shelves, owner, label, value);
    }
    set->demanding += !made.reached;
    return true;
}

/* The first place in the sorted part that is not before the item. */
static uint32_t sorted_place(const berth__shelf *shelf, const berth__shelf_item *item)
{
    uint32_t place;
    BERTH__SEARCH(place, shelf->sorted, i, item_order(&shelf->items[i], item) < 0);
    return place;
}

/* Whether the place shows this item. An object that changes is on its shelf twice for a moment, at
 * the same place in the order, but the items may say different things of it. */
static bool shows(const berth__shelf_item *at, const berth__shelf_item *item)
{
    return item_order(at, item) == 0 && at->traits == item->traits && at->reached == item->reached;
}

/* Items of an object that is there twice are told apart by what they say. */
static void take_out(berth__shelf *shelf, const berth__shelf_item *item)
{
    uint32_t at = sorted_place(shelf, item);
    if (at < shelf->sorted && shows(&shelf->items[at], item)) {
        memmove(&shelf->items[at], &shelf->items[at + 1],
                (shelf->count - at - 1) * sizeof(*shelf->items));
        shelf->sorted--;
        shelf->count--;
        return;
    }
    /* Search backwards, because the newest item is usually removed first when many come and go
     * between look-ups. */
    for (at = shelf->count; at > shelf->sorted && !shows(&shelf->items[at - 1], item);)
        at--;
    BERTH_ASSERT(at > shelf->sorted && shelf->items[at - 1].object == item->object);
    shelf->items[at - 1] = shelf->items[--shelf->count];
}

void berth__shelves_remove(berth__shelves *shelves, berth__sym owner,
                           const berth__interned_node_selector *chooses,
                           const berth__shelf_item *item)
{
    berth__shelves_lend(shelves, owner, chooses, item);
    berth__shelves_give_up(shelves, owner, chooses);
}

/* Change each of the object's shelves, which exist. Without an item, none of them shows it. Returns
 * their set. */
static berth__shelf_set *change_all(berth__shelves *shelves, berth__sym owner,
                                    const berth__interned_node_selector *chooses,
                                    const berth__shelf_item *item,
                                    void (*change)(berth__shelves *shelves, berth__shelf *shelf,
                                                   const berth__shelf_item *item))
{
    berth__shelf_set *set = set_find(shelves, owner);
    BERTH_ASSERT(set != NULL);
    berth__sym label, value;
    for (walk at = walk_begin(chooses); walk_next(&at, &label, &value);) {
        change(shelves, shelf_make(shelves, set, label, value), item);
        if (item != NULL)
            note_change(shelves, owner, label, value);
    }
    return set;
}

static void lend(berth__shelves *shelves, berth__shelf *shelf, const berth__shelf_item *item)
{
    (void)shelves;
    take_out(shelf, item);
    shelf->lent++;
}

/* Without an item, its place is given up. */
static void take_back(berth__shelves *shelves, berth__shelf *shelf, const berth__shelf_item *item)
{
    BERTH_ASSERT(shelf->lent > 0);
    shelf->lent--;
    if (item != NULL)
        append(shelves, shelf, item);
}

void berth__shelves_lend(berth__shelves *shelves, berth__sym owner,
                         const berth__interned_node_selector *chooses,
                         const berth__shelf_item *item)
{
    const berth__shelf_item made = shown(item, chooses);
    change_all(shelves, owner, chooses, &made, lend)->demanding -= !made.reached;
}

void berth__shelves_return(berth__shelves *shelves, berth__sym owner,
                           const berth__interned_node_selector *chooses,
                           const berth__shelf_item *item)
{
    const berth__shelf_item made = shown(item, chooses);
    change_all(shelves, owner, chooses, &made, take_back)->demanding += !made.reached;
}

void berth__shelves_give_up(berth__shelves *shelves, berth__sym owner,
                            const berth__interned_node_selector *chooses)
{
    (void)change_all(shelves, owner, chooses, NULL, take_back);
}

/* ---- looking up ---- */

static void sort_shelf(berth__shelf *shelf)
{
    if (shelf->count - shelf->sorted > INSERT_MAX) {
        qsort(shelf->items, shelf->count, sizeof(*shelf->items), item_order);
        shelf->sorted = shelf->count;
        return;
    }
    while (shelf->sorted < shelf->count) {
        berth__shelf_item item = shelf->items[shelf->sorted];
        uint32_t at = sorted_place(shelf, &item);
        memmove(&shelf->items[at + 1], &shelf->items[at],
                (shelf->sorted - at) * sizeof(*shelf->items));
        shelf->items[at] = item;
        shelf->sorted++;
    }
}

void berth__shelves_settle(berth__shelves *shelves)
{
    while (shelves->unsorted != NULL) {
        berth__shelf *shelf = shelves->unsorted;
        shelves->unsorted = shelf->next_unsorted;
        shelf->listed = false;
        sort_shelf(shelf);
    }
}

/* ---- freeing ---- */

static bool is_empty(const berth__shelf *shelf)
{
    return shelf->count + shelf->lent == 0;
}

static uint32_t count_filled(const berth__shelf_set *set)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->shelf_capacity; i++)
        count += set->shelves[i].shelf != NULL && !is_empty(set->shelves[i].shelf);
    return count;
}

/* Rebuild the table from the shelves that are not empty, and the list of their labels, which has
 * room because there were more. */
static void prune_set(berth__shelves *shelves, berth__shelf_set *set, uint32_t filled)
{
    uint32_t capacity = 16;
    while (capacity < 2 * filled)
        capacity *= 2;
    berth__shelf_place *table =
        berth__alloc_zero(shelves->allocator, capacity * sizeof(*table), 64);
    if (table == NULL)
        return;
    set->label_count = 0;
    for (uint32_t i = 0; i < set->shelf_capacity; i++) {
        berth__shelf *shelf = set->shelves[i].shelf;
        if (shelf == NULL)
            continue;
        if (is_empty(shelf)) {
            free_shelf(shelves->allocator, shelf);
            continue;
        }
        put_shelf(table, capacity, shelf);
        (void)note_label(shelves, set, shelf->label);
    }
    berth__free(shelves->allocator, set->shelves, set->shelf_capacity * sizeof(*table));
    set->shelves = table;
    set->shelf_capacity = capacity;
    set->shelf_count = filled;
}

void berth__shelves_prune(berth__shelves *shelves)
{
    berth__shelves_settle(shelves);
    for (uint32_t b = 0; b < shelves->sets.bucket_count; b++)
        for (berth__keymap_entry *at = shelves->sets.buckets[b], *next; at != NULL; at = next) {
            berth__shelf_set *set = (berth__shelf_set *)at;
            uint32_t filled = count_filled(set);
            next = at->next;
            if (filled == 0 && is_empty(&set->open)) {
                berth__keymap_remove(&shelves->sets, at);
                set_destroy(shelves, set);
            } else if (filled < set->shelf_count) {
                prune_set(shelves, set, filled);
            }
        }
}

const berth__shelf_set *berth__shelves_find(const berth__shelves *shelves, berth__sym owner)
{
    return set_find(shelves, owner);
}

const berth__shelf *berth__shelf_find(const berth__shelf_set *set, berth__sym label,
                                      berth__sym value)
{
    return shelf_find(set, label, value);
}

/* Each step reads what the one before had fetched. */
void berth__shelves_fetch(const berth__shelf_set *set, berth__sym label, const berth__sym *values,
                          uint32_t count)
{
    uint32_t places[FETCH_MAX];
    const berth__shelf *shelves[FETCH_MAX];
    if (set->shelf_capacity < FETCH_FROM)
        return;
    BERTH_ASSERT(count <= FETCH_MAX);
    for (uint32_t i = 0; i < count; i++) {
        places[i] = shelf_place(label, values[i], set->shelf_capacity);
        __builtin_prefetch(&set->shelves[places[i]]);
    }
    for (uint32_t i = 0; i < count; i++) {
        shelves[i] = set->shelves[places[i]].shelf;
        __builtin_prefetch(shelves[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        if (shelves[i] != NULL)
            __builtin_prefetch(shelves[i]->items);
}

uint32_t berth__shelf_from(const berth__shelf *shelf, __int128 amount)
{
    BERTH_DASSERT(shelf->sorted == shelf->count);
    uint32_t place;
    BERTH__SEARCH(place, shelf->count, i, shelf->items[i].amount < amount);
    return place;
}
