/* Lists of words, used as keys. */
#include "devices/words.h"

#include <string.h>

static bool make_room(berth__words *words)
{
    enum { FIRST = 128 };
    if (words->count < words->capacity)
        return true;
    uint32_t capacity = words->capacity == 0 ? FIRST : 2 * words->capacity;
    uint32_t *items = berth__arena_alloc(words->arena, capacity * sizeof(*items), 8);
    if (items == NULL)
        return false;
    if (words->count > 0)
        memcpy(items, words->items, words->count * sizeof(*items));
    words->items = items;
    words->capacity = capacity;
    return true;
}

void berth__words_put(berth__words *words, uint32_t word)
{
    if (make_room(words))
        words->items[words->count++] = word;
    else
        words->no_memory = true;
}

void berth__words_put_wide(berth__words *words, __int128 value)
{
    for (int i = 0; i < 4; i++)
        berth__words_put(words, (uint32_t)((unsigned __int128)value >> (32 * i)));
}

void berth__words_put_name(berth__words *words, berth__device_name name)
{
    berth__words_put(words, name.domain);
    berth__words_put(words, name.id);
}

void berth__words_put_pool(berth__words *words, const berth__pool_view *view)
{
    berth__words_put(words, (uint32_t)view->incomplete | (uint32_t)view->invalid << 1);
    berth__words_put(words, view->counter_count);
    for (uint32_t i = 0; i < view->counter_count; i++) {
        berth__words_put(words, view->counters[i].set);
        berth__words_put(words, view->counters[i].name);
        berth__words_put_wide(words, view->counters[i].value);
    }
    berth__words_put(words, view->offer_count);
}
