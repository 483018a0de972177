/* Numbers devices by their contents, ignoring names and the nodes they are for. */
#include "devices/contents.h"

#include <string.h>

#include "base/hash.h"
#include "devices/catalog.h"

/* ---- hashing ---- */

static uint64_t hash_two(uint64_t hash, uint32_t high, uint32_t low)
{
    return berth__hash_word(hash ^ ((uint64_t)high << 32 | low));
}

static uint64_t hash_wide(uint64_t hash, __int128 value)
{
    hash = berth__hash_word(hash ^ (uint64_t)value);
    return berth__hash_word(hash ^ (uint64_t)((unsigned __int128)value >> 64));
}

static uint64_t hash_attribute(uint64_t hash, const berth__device_attribute *a)
{
    hash = hash_two(hash, a->name.domain, a->name.id);
    hash = hash_two(hash, a->kind, a->text);
    return berth__hash_word(hash ^ (uint64_t)a->number);
}

static uint64_t hash_consumed(uint64_t hash, const berth__counter_set *set)
{
    hash = hash_two(hash, set->name, set->count);
    for (uint32_t i = 0; i < set->count; i++)
        hash = hash_wide(hash_two(hash, 0, set->items[i].name), set->items[i].value);
    return hash;
}

/* Hash what distinguishes most devices. */
static uint64_t hash_of(const berth__offer *offer)
{
    const berth__device *device = offer->device;
    uint64_t hash = berth__hash_secret_word((uint64_t)offer->slice->facts->driver << 1 |
                                            (uint64_t)device->allow_multiple);
    for (uint32_t i = 0; i < device->attribute_count; i++)
        hash = hash_attribute(hash, &device->attributes[i]);
    for (uint32_t i = 0; i < device->capacity_count; i++) {
        const berth__device_capacity *c = &device->capacities[i];
        hash = hash_wide(hash_two(hash, c->name.domain, c->name.id), c->value);
    }
    for (uint32_t i = 0; i < device->taint_count; i++)
        hash = hash_two(hash, device->taints[i].key, device->taints[i].value);
    for (uint32_t i = 0; i < device->consume_count; i++)
        hash = hash_consumed(hash, &device->consumes[i]);
    return berth__hash_secret_word(hash);
}

/* ---- comparing ---- */

static bool same_name(berth__device_name a, berth__device_name b)
{
    return a.domain == b.domain && a.id == b.id;
}

static bool same_attributes(const berth__device *a, const berth__device *b)
{
    if (a->attribute_count != b->attribute_count)
        return false;
    for (uint32_t i = 0; i < a->attribute_count; i++) {
        const berth__device_attribute *x = &a->attributes[i];
        const berth__device_attribute *y = &b->attributes[i];
        if (!same_name(x->name, y->name) || x->kind != y->kind || x->text != y->text ||
            x->number != y->number)
            return false;
    }
    return true;
}

static bool same_policy(const berth__device_capacity *a, const berth__device_capacity *b)
{
    if (a->policy != b->policy || a->has_policy != b->has_policy ||
        a->has_default != b->has_default || a->has_min != b->has_min || a->has_max != b->has_max ||
        a->has_step != b->has_step || a->fallback != b->fallback || a->min != b->min ||
        a->max != b->max || a->step != b->step || a->value_count != b->value_count)
        return false;
    for (uint32_t i = 0; i < a->value_count; i++)
        if (a->values[i] != b->values[i])
            return false;
    return true;
}

static bool same_capacities(const berth__device *a, const berth__device *b)
{
    if (a->capacity_count != b->capacity_count)
        return false;
    for (uint32_t i = 0; i < a->capacity_count; i++) {
        const berth__device_capacity *x = &a->capacities[i];
        const berth__device_capacity *y = &b->capacities[i];
        if (!same_name(x->name, y->name) || x->value != y->value || !same_policy(x, y))
            return false;
    }
    return true;
}

static bool same_taints(const berth__device *a, const berth__device *b)
{
    if (a->taint_count != b->taint_count)
        return false;
    for (uint32_t i = 0; i < a->taint_count; i++)
        if (a->taints[i].key != b->taints[i].key || a->taints[i].value != b->taints[i].value ||
            a->taints[i].effect != b->taints[i].effect)
            return false;
    return true;
}

static bool same_set(const berth__counter_set *a, const berth__counter_set *b)
{
    if (a->name != b->name || a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->items[i].name != b->items[i].name || a->items[i].value != b->items[i].value)
            return false;
    return true;
}

static bool same_consumed(const berth__device *a, const berth__device *b)
{
    if (a->consume_count != b->consume_count)
        return false;
    for (uint32_t i = 0; i < a->consume_count; i++)
        if (!same_set(&a->consumes[i], &b->consumes[i]))
            return false;
    return true;
}

static bool same(const berth__offer *one, const berth__offer *other)
{
    const berth__device *a = one->device;
    const berth__device *b = other->device;
    return one->slice->facts->driver == other->slice->facts->driver &&
           a->allow_multiple == b->allow_multiple && same_attributes(a, b) &&
           same_capacities(a, b) && same_taints(a, b) && same_consumed(a, b);
}

/* ---- numbers ---- */

void berth__contents_destroy(berth__contents *contents)
{
    const berth_allocator *allocator = contents->allocator;
    berth__free(allocator, contents->items, contents->capacity * sizeof(*contents->items));
    berth__free(allocator, contents->buckets, contents->bucket_count * sizeof(*contents->buckets));
    *contents = (berth__contents){.allocator = allocator};
}

void berth__contents_clear(berth__contents *contents)
{
    if (contents->bucket_count > 0)
        memset(contents->buckets, 0, contents->bucket_count * sizeof(*contents->buckets));
    contents->count = contents->removed = 0;
}

static uint32_t *bucket_of(const berth__contents *contents, uint64_t hash)
{
    return &contents->buckets[hash & (contents->bucket_count - 1)];
}

static void put(berth__contents *contents, uint32_t number)
{
    uint32_t *bucket = bucket_of(contents, contents->items[number].hash);
    contents->items[number].next = *bucket;
    *bucket = number + 1;
}

/* Make room for one more content. */
static bool reserve(berth__contents *contents)
{
    enum { FIRST = 64 };
    const berth_allocator *allocator = contents->allocator;
    if (!berth__grow(allocator, &contents->items, &contents->capacity, contents->count + 1,
                     sizeof(*contents->items)))
        return false;
    if (contents->bucket_count > contents->count)
        return true;
    uint32_t count = contents->bucket_count == 0 ? FIRST : 2 * contents->bucket_count;
    uint32_t *buckets = berth__alloc_zero(allocator, count * sizeof(*buckets), 64);
    if (buckets == NULL)
        return false;
    berth__free(allocator, contents->buckets, contents->bucket_count * sizeof(*buckets));
    contents->buckets = buckets;
    contents->bucket_count = count;
    for (uint32_t i = 0; i < contents->count; i++)
        if (contents->items[i].first != NULL)
            put(contents, i);
    return true;
}

bool berth__contents_add(berth__contents *contents, berth__offer *offer)
{
    const uint64_t hash = hash_of(offer);
    uint32_t at = contents->bucket_count > 0 ? *bucket_of(contents, hash) : 0;
    for (; at != 0; at = contents->items[at - 1].next) {
        const berth__content *known = &contents->items[at - 1];
        if (known->hash == hash && same(known->first, offer)) {
            offer->content = at - 1;
            return true;
        }
    }
    if (!reserve(contents))
        return false;
    offer->content = contents->count++;
    contents->items[offer->content] = (berth__content){.first = offer, .hash = hash};
    put(contents, offer->content);
    return true;
}

void berth__contents_remove(berth__contents *contents, const berth__offer *offer)
{
    berth__content *content = &contents->items[offer->content];
    if (content->first != offer)
        return;
    uint32_t *at = bucket_of(contents, content->hash);
    while (*at != offer->content + 1)
        at = &contents->items[*at - 1].next;
    *at = content->next;
    content->first = NULL;
    contents->removed++;
}
