/* String interning by open addressing with linear probing. Texts lie in an arena, removed texts in
 * lists of free blocks. */
#include "base/intern.h"

#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/text.h"

enum { SLOTS_MIN = 64, BLOCK_STEP = 8, SPINS = 256 };

/* The mark of a removed text in its slot: id 0 under a hash that differs from the empty text's. (Id
 * 0 reads as an empty text, so under that hash a search would take the slot for a match.) */
static uint64_t gone(void)
{
    return (uint64_t)((uint32_t)berth__hash_secret("", 0, 0) ^ 1) << 32 | UINT64_C(0);
}

/* ---- blocks ---- */

static size_t block_bytes(uint32_t len)
{
    return ((size_t)len + 1 + BLOCK_STEP - 1) / BLOCK_STEP * BLOCK_STEP;
}

static bool is_large(size_t bytes)
{
    return bytes / BLOCK_STEP >= BERTH__INTERN_SIZES;
}

static const char *copy_text(berth__intern *table, berth_str text)
{
    size_t bytes = block_bytes(text.len);
    char **first = is_large(bytes) ? NULL : &table->free_blocks[bytes / BLOCK_STEP];
    char *copy;
    if (first == NULL) {
        copy = berth__alloc(table->arena.allocator, bytes, BLOCK_STEP);
    } else if (*first != NULL) {
        copy = *first;
        memcpy(first, copy, sizeof(*first));
    } else {
        copy = berth__arena_alloc(&table->arena, bytes, 1);
    }
    if (copy == NULL)
        return NULL;
    if (text.len > 0)
        memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    return copy;
}

static void free_text(berth__intern *table, const berth__interned *text)
{
    size_t bytes = block_bytes(text->len);
    char *block;
    memcpy(&block, &text->data, sizeof(block)); /* the owner casts the const away */
    if (is_large(bytes)) {
        berth__free(table->arena.allocator, block, bytes);
        return;
    }
    char **first = &table->free_blocks[bytes / BLOCK_STEP];
    memcpy(block, first, sizeof(*first));
    *first = block;
}

/* ---- slots ---- */

static size_t slots_bytes(uint32_t count)
{
    return sizeof(berth__intern_slots) + (size_t)count * sizeof(atomic_ullong);
}

static berth__intern_slots *slots_create(const berth_allocator *allocator, uint32_t count)
{
    berth__intern_slots *slots = berth__alloc_zero(allocator, slots_bytes(count), 64);
    if (slots != NULL)
        slots->count = count;
    return slots;
}

static void slots_destroy(const berth_allocator *allocator, berth__intern_slots *slots)
{
    for (berth__intern_slots *older; slots != NULL; slots = older) {
        older = slots->older;
        berth__free(allocator, slots, slots_bytes(slots->count));
    }
}

/* ---- create and destroy ---- */

static size_t segment_bytes(uint32_t segment, size_t item)
{
    return (item << BERTH__INTERN_SHIFT) << segment;
}

static bool reserve_born(berth__intern *table, uint32_t segment)
{
    if (!table->shared || table->born[segment] != NULL)
        return true;
    table->born[segment] =
        berth__alloc_zero(table->arena.allocator, segment_bytes(segment, sizeof(uint64_t)), 64);
    return table->born[segment] != NULL;
}

/* Make room for the next id that was never used. Returns false when out of memory. */
static bool reserve_id(berth__intern *table)
{
    uint64_t at;
    uint32_t segment = berth__intern_segment(table->count, &at);
    if (table->segments[segment] == NULL)
        table->segments[segment] = berth__alloc(
            table->arena.allocator, segment_bytes(segment, sizeof(berth__interned)), 64);
    return table->segments[segment] != NULL && reserve_born(table, segment);
}

berth_status berth__intern_init(berth__intern *table, const berth_allocator *allocator)
{
    *table = (berth__intern){0};
    berth__arena_init(&table->arena, allocator);
    berth__intern_slots *slots = slots_create(allocator, SLOTS_MIN);
    atomic_init(&table->slots, slots);
    if (slots == NULL || !reserve_id(table)) {
        berth__intern_destroy(table);
        return BERTH_E_NOMEM;
    }
    *berth__intern_place(table, 0) = (berth__interned){0};
    table->count = 1;
    return BERTH_OK;
}

static void free_large_texts(berth__intern *table)
{
    for (uint32_t id = 1; id < table->count; id++) {
        const berth__interned *text = berth__intern_place(table, id);
        if (text->data != NULL && is_large(block_bytes(text->len)))
            free_text(table, text);
    }
}

void berth__intern_destroy(berth__intern *table)
{
    const berth_allocator *allocator = table->arena.allocator;
    if (allocator == NULL)
        return;
    free_large_texts(table);
    /* Relaxed: nobody else uses the table any more. */
    slots_destroy(allocator, atomic_load_explicit(&table->slots, memory_order_relaxed));
    slots_destroy(allocator, table->old_slots);
    for (uint32_t i = 0; i < BERTH__INTERN_SEGMENTS; i++) {
        berth__free(allocator, table->segments[i], segment_bytes(i, sizeof(berth__interned)));
        berth__free(allocator, table->born[i], segment_bytes(i, sizeof(uint64_t)));
    }
    berth__free(allocator, table->limbo, table->limbo_capacity * sizeof(*table->limbo));
    berth__free(allocator, table->stripes, BERTH__INTERN_STRIPES * sizeof(*table->stripes));
    berth__arena_destroy(&table->arena);
    *table = (berth__intern){0};
}

berth_status berth__intern_share(berth__intern *table)
{
    if (table->shared)
        return BERTH_OK;
    bool ok = true;
    if (table->stripes == NULL)
        table->stripes = berth__alloc_zero(table->arena.allocator,
                                           BERTH__INTERN_STRIPES * sizeof(*table->stripes), 64);
    table->shared = true; /* no other thread knows the table yet */
    for (uint32_t i = 0; i < BERTH__INTERN_SEGMENTS && ok; i++)
        ok = table->segments[i] == NULL || reserve_born(table, i);
    table->shared = ok && table->stripes != NULL;
    return table->shared ? BERTH_OK : BERTH_E_NOMEM;
}

/* ---- adding and finding ---- */

static uint32_t hash_of(berth_str text)
{
    return (uint32_t)berth__hash_secret(text.data, text.len, 0);
}

static uint64_t slot_of(uint32_t hash, uint32_t id)
{
    return (uint64_t)hash << 32 | id;
}

/* The slot that holds `text`, or the free slot for it. `*id` receives the id in the slot. Texts are
 * compared only if their hashes are equal. */
static uint32_t probe(const berth__intern *table, const berth__intern_slots *slots, berth_str text,
                      uint32_t hash, uint32_t *id)
{
    uint32_t mask = slots->count - 1;
    for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
        /* INTERN-1, INTERN-3 */
        uint64_t held = atomic_load_explicit(&slots->slots[at], memory_order_seq_cst);
        *id = (uint32_t)held;
        if (held == 0 ||
            (held >> 32 == hash && berth__str_eq(berth__intern_text(table, *id), text)))
            return at;
    }
}

/* Build a table of the existing texts with room for more. All operations but the last are relaxed:
 * the old slots were written by this thread or by an adder before it, and other threads do not know
 * the new table before it is stored. */
static bool rehash(berth__intern *table)
{
    const berth_allocator *allocator = table->arena.allocator;
    /* relaxed: see above */
    berth__intern_slots *old = atomic_load_explicit(&table->slots, memory_order_relaxed);
    uint32_t count = SLOTS_MIN;
    while (count / 2 < table->in_use + table->in_use / 4 + 1)
        count *= 2;
    berth__intern_slots *slots = slots_create(allocator, count);
    if (slots == NULL)
        return false;
    table->used_slots = 0;
    for (uint32_t from = 0; from < old->count; from++) {
        /* relaxed: see above */
        uint64_t held = atomic_load_explicit(&old->slots[from], memory_order_relaxed);
        if ((uint32_t)held == 0)
            continue;
        uint32_t at = (uint32_t)(held >> 32) & (slots->count - 1);
        /* relaxed: see above */
        while (atomic_load_explicit(&slots->slots[at], memory_order_relaxed) != 0)
            at = (at + 1) & (slots->count - 1);
        /* relaxed: the store of the table releases it */
        atomic_store_explicit(&slots->slots[at], held, memory_order_relaxed);
        table->used_slots++;
    }
    atomic_store_explicit(&table->slots, slots, memory_order_seq_cst); /* INTERN-2, INTERN-3 */
    if (table->shared) {
        old->older = table->old_slots;
        table->old_slots = old;
        berth__intern_settle(table);
    } else {
        slots_destroy(allocator, old);
    }
    return true;
}

/* Its address distinguishes threads. */
static _Thread_local char own_mark;

void berth__intern_claim(berth__intern *table, bool adds)
{
    berth__intern_seen_from(table, 0, true);
    /* Relaxed: a thread can read its own mark only if it wrote the mark. */
    atomic_store_explicit(&table->adder, adds ? (uintptr_t)&own_mark : 0, memory_order_relaxed);
}

/* An adder has found a text again: it may be in use, so clear what was decided about it. */
static void touch(berth__intern *table, uint32_t id)
{
    berth__intern_place(table, id)->verdict = 0;
    if (table->lowers && *berth__intern_born(table, id) > table->seen_from)
        *berth__intern_born(table, id) = table->seen_from;
}

/* A new id for a text that finders do not see yet. 0 when out of memory. */
static uint32_t make_id(berth__intern *table, berth_str text)
{
    bool fresh = table->first_free == 0;
    if (fresh && !reserve_id(table))
        return 0;
    const char *copy = copy_text(table, text);
    if (copy == NULL)
        return 0;
    uint32_t id = fresh ? table->count++ : table->first_free;
    berth__interned *place = berth__intern_place(table, id);
    if (!fresh)
        table->first_free = place->len;
    *place = (berth__interned){copy, text.len, 0};
    if (table->shared)
        *berth__intern_born(table, id) = table->seen_from;
    table->in_use++;
    return id;
}

berth__sym berth__intern_add(berth__intern *table, berth_str text, bool *ok)
{
    /* relaxed: as in berth__intern_claim */
    BERTH_DASSERT(!table->shared || atomic_load_explicit(&table->adder, memory_order_relaxed) ==
                                        (uintptr_t)&own_mark);
    if (text.data == NULL)
        return 0;
    /* relaxed: written by this thread, or by an adder before it */
    berth__intern_slots *slots = atomic_load_explicit(&table->slots, memory_order_relaxed);
    uint32_t id, hash = hash_of(text), at = probe(table, slots, text, hash, &id);
    if (BERTH_LIKELY(id != 0)) {
        if (BERTH_UNLIKELY(table->shared))
            touch(table, id);
        return id;
    }
    if (table->used_slots + 1 > slots->count / 2) {
        if (!rehash(table)) {
            *ok = false;
            return 0;
        }
        slots = atomic_load_explicit(&table->slots, memory_order_relaxed); /* relaxed: its own */
        at = probe(table, slots, text, hash, &id);
    }
    id = make_id(table, text);
    if (id == 0) {
        *ok = false;
        return 0;
    }
    table->used_slots++;
    atomic_store_explicit(&slots->slots[at], slot_of(hash, id),
                          memory_order_release); /* INTERN-1 */
    return id;
}

static berth__intern_stripe *own_stripe(const berth__intern *table)
{
    uint64_t mixed = ((uintptr_t)&own_mark >> 6) * UINT64_C(0x9e3779b97f4a7c15);
    return &table->stripes[mixed >> 32 & (BERTH__INTERN_STRIPES - 1)];
}

berth__sym berth__intern_find(const berth__intern *table, berth_str text)
{
    uint32_t id = 0;
    if (text.data == NULL)
        return 0;
    berth__intern_stripe *stripe = table->shared ? own_stripe(table) : NULL;
    if (stripe != NULL)
        atomic_fetch_add_explicit(&stripe->finders, 1, memory_order_seq_cst); /* INTERN-3 */
    /* INTERN-2, INTERN-3 */
    probe(table, atomic_load_explicit(&table->slots, memory_order_seq_cst), text, hash_of(text),
          &id);
    if (stripe != NULL)
        atomic_fetch_sub_explicit(&stripe->finders, 1, memory_order_seq_cst); /* INTERN-3 */
    return id;
}

/* ---- removal ---- */

bool berth__intern_reserve_removal(berth__intern *table, uint32_t count)
{
    return berth__grow(table->arena.allocator, &table->limbo, &table->limbo_capacity,
                       table->limbo_count + count, sizeof(*table->limbo));
}

void berth__intern_remove(berth__intern *table, berth__sym id)
{
    BERTH_ASSERT(table->limbo_count < table->limbo_capacity);
    berth_str text = berth__intern_text(table, id);
    /* relaxed: written by this thread, or by an adder before it */
    berth__intern_slots *slots = atomic_load_explicit(&table->slots, memory_order_relaxed);
    uint32_t found, at = probe(table, slots, text, hash_of(text), &found);
    BERTH_ASSERT(found == id);
    atomic_store_explicit(&slots->slots[at], gone(), memory_order_seq_cst); /* INTERN-3 */
    table->limbo[table->limbo_count++] = id;
    table->in_use--;
}

/* Whether each stripe has been seen at 0 since the removal. Finders finish quickly, so a few reads
 * suffice; otherwise a later call tries again. */
static bool is_unseen(const berth__intern *table)
{
    for (uint32_t i = 0; table->shared && i < BERTH__INTERN_STRIPES; i++) {
        uint32_t spins = 0;
        /* INTERN-3 */
        while (atomic_load_explicit(&table->stripes[i].finders, memory_order_seq_cst) != 0)
            if (++spins == SPINS)
                return false;
    }
    return true;
}

void berth__intern_settle(berth__intern *table)
{
    if ((table->limbo_count == 0 && table->old_slots == NULL) || !is_unseen(table))
        return;
    slots_destroy(table->arena.allocator, table->old_slots);
    table->old_slots = NULL;
    while (table->limbo_count > 0) {
        uint32_t id = table->limbo[--table->limbo_count];
        berth__interned *place = berth__intern_place(table, id);
        free_text(table, place);
        *place = (berth__interned){NULL, table->first_free, 0};
        table->first_free = id;
    }
}
