/* Index of selectors by one thing that they require of a label set. */
#include "model/label_index.h"

#include "base/assert.h"

/* No padding: it is hashed as bytes. */
typedef struct anchor_key {
    berth__sym namespace_name; /* 0: any */
    berth__sym key;            /* 0: any labels */
    berth__sym value;
} anchor_key;

typedef struct anchor {
    berth__keymap_entry entry;
    anchor_key key;
    void **items;
    uint32_t count;
    uint32_t capacity;
} anchor;

berth_status berth__label_index_init(berth__label_index *index, const berth_allocator *allocator)
{
    return berth__keymap_init(&index->anchors, allocator);
}

static void drop(berth__label_index *index, anchor *at)
{
    const berth_allocator *allocator = index->anchors.allocator;
    berth__free(allocator, at->items, at->capacity * sizeof(*at->items));
    berth__free(allocator, at, sizeof(*at));
}

void berth__label_index_destroy(berth__label_index *index)
{
    for (uint32_t i = 0; index->anchors.buckets != NULL && i < index->anchors.bucket_count; i++)
        for (berth__keymap_entry *entry = index->anchors.buckets[i], *next; entry != NULL;
             entry = next) {
            next = entry->next;
            drop(index, (anchor *)entry);
        }
    berth__keymap_destroy(&index->anchors);
}

static anchor *find(const berth__label_index *index, const anchor_key *key)
{
    return (anchor *)berth__keymap_find(&index->anchors, key, sizeof(*key));
}

static anchor *make(berth__label_index *index, const anchor_key *key)
{
    anchor *at = berth__alloc_zero(index->anchors.allocator, sizeof(*at), _Alignof(anchor));
    if (at == NULL)
        return NULL;
    at->key = *key;
    at->entry.key = &at->key;
    at->entry.key_bytes = sizeof(at->key);
    berth__keymap_add(&index->anchors, &at->entry);
    return at;
}

static bool enter(berth__label_index *index, const anchor_key *key, void *item)
{
    anchor *at = find(index, key);
    if (at == NULL && (at = make(index, key)) == NULL)
        return false;
    if (!berth__grow(index->anchors.allocator, &at->items, &at->capacity, at->count + 1,
                     sizeof(*at->items)))
        return false; /* an anchor without items does no harm */
    at->items[at->count++] = item;
    return true;
}

/* The place of a hidden item holds this value. Items are aligned, so their lowest bit is free. */
static void *lent(void *item)
{
    return (char *)item + 1;
}

static bool is_lent(const void *item)
{
    return ((uintptr_t)item & 1) != 0;
}

static void replace(berth__label_index *index, const anchor_key *key, const void *item, void *by)
{
    anchor *at = find(index, key);
    BERTH_ASSERT(at != NULL);
    uint32_t i = 0;
    while (at->items[i] != item) {
        i++;
        BERTH_ASSERT(i < at->count);
    }
    at->items[i] = by;
}

/* Look-ups keep the order of entering, so the gap is closed instead of filled with the last
 * item. */
static void leave(berth__label_index *index, const anchor_key *key, const void *item)
{
    anchor *at = find(index, key);
    BERTH_ASSERT(at != NULL && at->count > 0);
    uint32_t i = 0;
    while (at->items[i] != item)
        i++;
    for (at->count--; i < at->count; i++)
        at->items[i] = at->items[i + 1];
    if (at->count > 0)
        return;
    berth__keymap_remove(&index->anchors, &at->entry);
    drop(index, at);
}

static bool matches_nothing(const berth__selector *selector)
{
    return selector->kind == BERTH__SELECTOR_NOTHING || selector->kind == BERTH__SELECTOR_INVALID;
}

/* Anchor number `i` of a selector whose anchoring requirement is given (NULL: the selector has one
 * anchor). A value that is listed twice is one anchor. */
static bool nth_anchor(berth__sym namespace_name, const berth__interned_requirement *requirement,
                       uint32_t i, anchor_key *out)
{
    *out = (anchor_key){namespace_name, 0, 0};
    if (requirement == NULL)
        return i == 0;
    if (i >= requirement->value_count ||
        (i > 0 && requirement->values[i] == requirement->values[i - 1]))
        return false;
    out->key = requirement->key;
    out->value = requirement->values[i];
    return true;
}

static uint32_t anchor_count(const berth__interned_requirement *requirement)
{
    return requirement != NULL ? requirement->value_count : 1;
}

bool berth__label_index_add(berth__label_index *index, berth__sym namespace_name,
                            const berth__selector *selector, void *item)
{
    if (matches_nothing(selector))
        return true;
    const berth__interned_requirement *requirement = berth__selector_anchor(selector);
    anchor_key key;
    for (uint32_t i = 0; i < anchor_count(requirement); i++) {
        if (!nth_anchor(namespace_name, requirement, i, &key) || enter(index, &key, item))
            continue;
        while (i-- > 0)
            if (nth_anchor(namespace_name, requirement, i, &key))
                leave(index, &key, item);
        return false;
    }
    return true;
}

/* At all of the item's anchors, put `by` in its place, or take the item out if `by` is NULL. */
static void replace_all(berth__label_index *index, berth__sym namespace_name,
                        const berth__selector *selector, const void *item, void *by)
{
    if (matches_nothing(selector))
        return;
    const berth__interned_requirement *requirement = berth__selector_anchor(selector);
    anchor_key key;
    for (uint32_t i = 0; i < anchor_count(requirement); i++) {
        if (!nth_anchor(namespace_name, requirement, i, &key))
            continue;
        if (by != NULL)
            replace(index, &key, item, by);
        else
            leave(index, &key, item);
    }
}

void berth__label_index_remove(berth__label_index *index, berth__sym namespace_name,
                               const berth__selector *selector, void *item)
{
    replace_all(index, namespace_name, selector, item, NULL);
}

void berth__label_index_lend(berth__label_index *index, berth__sym namespace_name,
                             const berth__selector *selector, void *item)
{
    replace_all(index, namespace_name, selector, item, lent(item));
}

void berth__label_index_return(berth__label_index *index, berth__sym namespace_name,
                               const berth__selector *selector, void *item)
{
    replace_all(index, namespace_name, selector, lent(item), item);
}

void berth__label_index_give_up(berth__label_index *index, berth__sym namespace_name,
                                const berth__selector *selector, void *item)
{
    berth__label_index_remove(index, namespace_name, selector, lent(item));
}

uint32_t berth__label_index_rank(berth__sym namespace_name, const berth__selector *selector)
{
    return (berth__selector_anchor(selector) != NULL ? 2 : 0) + (namespace_name != 0);
}

typedef struct visit_call {
    bool (*visit)(void *context, void *item);
    void *context;
} visit_call;

static bool visit_anchor(const berth__label_index *index, const anchor_key *key,
                         const visit_call *call)
{
    const anchor *at = find(index, key);
    for (uint32_t i = 0; at != NULL && i < at->count; i++)
        if (!is_lent(at->items[i]) && !call->visit(call->context, at->items[i]))
            return false;
    return true;
}

void berth__label_index_visit(const berth__label_index *index, berth__sym namespace_name,
                              berth__labels labels, bool (*visit)(void *context, void *item),
                              void *context)
{
    const visit_call call = {visit, context};
    const berth__sym namespaces[2] = {0, namespace_name};
    if (index->anchors.count == 0)
        return;
    for (uint32_t n = 0; n < 2; n++) {
        anchor_key key = {namespaces[n], 0, 0};
        if (!visit_anchor(index, &key, &call))
            return;
        for (uint32_t i = 0; i < labels.count; i++) {
            key.key = labels.items[i].key;
            key.value = labels.items[i].value;
            if (!visit_anchor(index, &key, &call))
                return;
        }
    }
}
