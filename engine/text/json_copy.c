/* Copies trees, member by member. */
#include "text/json_copy.h"

static bool copy_items(berth__arena *arena, const berth__json *from, berth__json *to)
{
    berth__json *items =
        berth__arena_alloc(arena, from->count * sizeof(*items), _Alignof(berth__json));
    bool ok = items != NULL;
    for (uint32_t i = 0; ok && i < from->count; i++)
        ok = berth__json_copy(arena, &from->as.items[i], &items[i]);
    to->as.items = items;
    return ok;
}

static bool copy_members(berth__arena *arena, const berth__json *from, berth__json *to)
{
    berth__json_member *members =
        berth__arena_alloc(arena, from->count * sizeof(*members), _Alignof(berth__json_member));
    bool ok = members != NULL;
    for (uint32_t i = 0; ok && i < from->count; i++) {
        members[i].key = berth__arena_str(arena, from->as.members[i].key, &ok);
        ok = ok && berth__json_copy(arena, &from->as.members[i].value, &members[i].value);
    }
    to->as.members = members;
    return ok;
}

bool berth__json_copy(berth__arena *arena, const berth__json *from, berth__json *to)
{
    bool ok = true;
    *to = *from;
    switch (from->type) {
    case BERTH__JSON_NUMBER:
    case BERTH__JSON_STRING:
        to->as.text = berth__arena_str(arena, from->as.text, &ok);
        return ok;
    case BERTH__JSON_ARRAY:
        return copy_items(arena, from, to);
    case BERTH__JSON_OBJECT:
        return copy_members(arena, from, to);
    default:
        return true;
    }
}
