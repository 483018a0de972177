/* Devices that an expression cannot tell apart. */
#include "base/hash.h"
#include "cel/compiled.h"

static bool is_meant(const berth__cel_read *read, berth_str domain, berth_str id, bool capacity)
{
    berth__cel_read_kind all = capacity ? BERTH__CEL_READ_CAPACITIES : BERTH__CEL_READ_ATTRIBUTES;
    berth__cel_read_kind one = capacity ? BERTH__CEL_READ_CAPACITY : BERTH__CEL_READ_ATTRIBUTE;
    if (read->kind == all)
        return true;
    return read->kind == one && berth__str_eq(read->domain, domain) &&
           (read->id.data == NULL || berth__str_eq(read->id, id));
}

static bool is_read(const berth__cel *cel, berth_str domain, berth_str id, bool capacity)
{
    for (uint32_t i = 0; i < cel->read_count; i++) {
        if (is_meant(&cel->reads[i], domain, id, capacity))
            return true;
    }
    return false;
}

static bool reads(const berth__cel *cel, berth__cel_read_kind kind)
{
    for (uint32_t i = 0; i < cel->read_count; i++) {
        if (cel->reads[i].kind == kind)
            return true;
    }
    return false;
}

/* Versions, and attributes that no selector can read, always count, because every expression fails
 * if one is invalid. */
static bool attribute_counts(const berth__cel *cel, const berth__cel_attribute *a)
{
    return a->kind == BERTH__CEL_VERSION || a->kind == BERTH__CEL_UNSUPPORTED ||
           is_read(cel, a->domain, a->id, false);
}

static bool attribute_in(const berth__cel_attribute *a, const berth__cel_device *device)
{
    for (uint32_t i = 0; i < device->attribute_count; i++) {
        const berth__cel_attribute *b = &device->attributes[i];
        if (!berth__str_eq(a->id, b->id) || !berth__str_eq(a->domain, b->domain))
            continue;
        bool text = a->kind == BERTH__CEL_STRING || a->kind == BERTH__CEL_VERSION;
        return a->kind == b->kind &&
               (text ? berth__str_eq(a->text, b->text)
                     : a->kind == BERTH__CEL_UNSUPPORTED || a->number == b->number);
    }
    return false;
}

static bool capacity_in(const berth__cel_capacity *a, const berth__cel_device *device)
{
    for (uint32_t i = 0; i < device->capacity_count; i++) {
        const berth__cel_capacity *b = &device->capacities[i];
        if (berth__str_eq(a->id, b->id) && berth__str_eq(a->domain, b->domain))
            return a->nanos == b->nanos;
    }
    return false;
}

/* Whether everything that the expression reads of `a` is the same in `b`. */
static bool covered(const berth__cel *cel, const berth__cel_device *a, const berth__cel_device *b)
{
    for (uint32_t i = 0; i < a->attribute_count; i++) {
        if (attribute_counts(cel, &a->attributes[i]) && !attribute_in(&a->attributes[i], b))
            return false;
    }
    for (uint32_t i = 0; i < a->capacity_count; i++) {
        const berth__cel_capacity *c = &a->capacities[i];
        if (is_read(cel, c->domain, c->id, true) && !capacity_in(c, b))
            return false;
    }
    return true;
}

bool berth__cel_alike(const berth__cel *cel, const berth__cel_device *a, const berth__cel_device *b)
{
    if (cel->problem.len > 0)
        return true;
    if (reads(cel, BERTH__CEL_READ_DRIVER) && !berth__str_eq(a->driver, b->driver))
        return false;
    if (reads(cel, BERTH__CEL_READ_MULTIPLE) && a->allow_multiple != b->allow_multiple)
        return false;
    return covered(cel, a, b) && covered(cel, b, a);
}

static uint64_t hash_text(berth_str text, uint64_t seed)
{
    return berth__hash_bytes(text.len > 0 ? text.data : "", text.len, seed);
}

static uint64_t hash_attribute(const berth__cel_attribute *a)
{
    uint64_t hash = hash_text(a->id, hash_text(a->domain, (uint64_t)a->kind + 1));
    if (a->kind == BERTH__CEL_UNSUPPORTED)
        return hash;
    bool text = a->kind == BERTH__CEL_STRING || a->kind == BERTH__CEL_VERSION;
    return text ? hash_text(a->text, hash) : berth__hash_word(hash ^ (uint64_t)a->number);
}

static uint64_t hash_capacity(const berth__cel_capacity *c)
{
    enum { SEED = 99 };
    uint64_t hash = hash_text(c->id, hash_text(c->domain, SEED));
    return berth__hash_word(berth__hash_word(hash ^ (uint64_t)c->nanos) ^
                            (uint64_t)((unsigned __int128)c->nanos >> 64));
}

uint64_t berth__cel_hash(const berth__cel *cel, const berth__cel_device *device)
{
    uint64_t hash = 0; /* a sum, so that the order of attributes does not matter */
    if (cel->problem.len > 0)
        return 0;
    if (reads(cel, BERTH__CEL_READ_DRIVER))
        hash += hash_text(device->driver, 1);
    if (reads(cel, BERTH__CEL_READ_MULTIPLE))
        hash += device->allow_multiple ? 1 : 0;
    for (uint32_t i = 0; i < device->attribute_count; i++) {
        if (attribute_counts(cel, &device->attributes[i]))
            hash += hash_attribute(&device->attributes[i]);
    }
    for (uint32_t i = 0; i < device->capacity_count; i++) {
        const berth__cel_capacity *c = &device->capacities[i];
        if (is_read(cel, c->domain, c->id, true))
            hash += hash_capacity(c);
    }
    return berth__hash_word(hash);
}
