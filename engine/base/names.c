/* Finds texts of a caller's list by open addressing. */
#include "base/names.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"

enum { FEW = 32 };

static berth_str text_at(const berth__names *names, uint32_t i)
{
    berth_str text;
    memcpy(&text, names->items + i * names->stride, sizeof(text));
    return text;
}

/* The slot that holds the text, or the free slot for it. */
static uint32_t *probe(const berth__names *names, berth_str text)
{
    uint32_t at = (uint32_t)berth__hash_secret(text.data, text.len, 0) & names->mask;
    while (names->slots[at] != 0 && !berth__str_eq(text_at(names, names->slots[at] - 1), text))
        at = (at + 1) & names->mask;
    return &names->slots[at];
}

void berth__names_put(berth__names *names)
{
    uint32_t i = names->count++;
    if (names->slots != NULL)
        *probe(names, text_at(names, i)) = i + 1;
}

bool berth__names_make(berth__arena *arena, const void *items, size_t stride, uint32_t count,
                       uint32_t room, berth__names *out)
{
    *out = (berth__names){.count = count};
    return berth__names_follow(arena, out, items, stride, room);
}

bool berth__names_follow(berth__arena *arena, berth__names *names, const void *items, size_t stride,
                         uint32_t room)
{
    names->items = items;
    names->stride = stride;
    if (room <= FEW || (names->slots != NULL && room <= names->mask / 2))
        return true;
    uint32_t slots = FEW * 2;
    while (slots / 2 <= room)
        slots *= 2;
    uint32_t *made = berth__arena_alloc_zero(arena, slots * sizeof(*made), sizeof(*made));
    if (made == NULL)
        return false;
    names->slots = made;
    names->mask = slots - 1;
    uint32_t count = names->count;
    names->count = 0;
    while (names->count < count)
        berth__names_put(names);
    return true;
}

uint32_t berth__names_find(const berth__names *names, berth_str text)
{
    if (names->slots != NULL)
        return *probe(names, text) - 1;
    for (uint32_t i = names->count; i-- > 0;)
        if (berth__str_eq(text_at(names, i), text))
            return i;
    return BERTH__NAMES_NONE;
}
