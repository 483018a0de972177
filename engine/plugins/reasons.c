/* Reasons of a refusal or a failure: a list of texts that grows in an arena. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plugins/plugin.h"

/* Reasons live in the arena, their list included: a list that grows leaves its old one behind. */
static bool make_room(berth__reasons *reasons)
{
    if (reasons->count < reasons->capacity)
        return true;
    uint32_t capacity = reasons->capacity * 2 + 4;
    berth_str *items = berth__arena_alloc(reasons->arena, capacity * sizeof(*items), 8);
    if (items == NULL)
        return false;
    if (reasons->count > 0)
        memcpy(items, reasons->items, reasons->count * sizeof(*items));
    reasons->items = items;
    reasons->capacity = capacity;
    return true;
}

void berth__reason(berth__reasons *reasons, berth_code code, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (len < 0 || !make_room(reasons)) {
        reasons->ok = false;
        return;
    }
    uint32_t kept = len < (int)sizeof(text) ? (uint32_t)len : (uint32_t)sizeof(text) - 1;
    reasons->code = code;
    reasons->items[reasons->count++] =
        berth__arena_str(reasons->arena, (berth_str){text, kept}, &reasons->ok);
}
