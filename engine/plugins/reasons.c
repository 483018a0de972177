/* Reasons for a refusal or a failure: a list of texts that grows in an arena. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plugins/plugin.h"

/* The list is in the arena, too. When it grows, its old copy is not freed. */
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

static void add(berth__reasons *reasons, berth_code code, const char *text, int len)
{
    if (len < 0 || text == NULL || !make_room(reasons)) {
        reasons->ok = false;
        return;
    }
    const berth_str own =
        berth__arena_str(reasons->arena, (berth_str){text, (uint32_t)len}, &reasons->ok);
    if (own.data == NULL)
        return;
    reasons->code = code;
    reasons->items[reasons->count++] = own;
}

void berth__reason(berth__reasons *reasons, berth_code code, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (len < (int)sizeof(text)) {
        add(reasons, code, text, len);
        return;
    }
    /* Few reasons are long: those about invalid selectors. */
    char *more = berth__arena_alloc(reasons->arena, (size_t)len + 1, 1);
    va_start(args, format);
    if (more != NULL)
        len = vsnprintf(more, (size_t)len + 1, format, args);
    va_end(args);
    add(reasons, code, more, len);
}

void berth__reason_error(berth__reasons *reasons, const char *point, berth_str plugin,
                         berth_str error)
{
    if (strcmp(point, "Filter") == 0)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "running \"%.*s\" filter plugin: %.*s",
                      (int)plugin.len, plugin.data, (int)error.len, error.data);
    else if (strcmp(point, "Score") == 0)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "running Score plugins: plugin \"%.*s\" failed with: %.*s", (int)plugin.len,
                      plugin.data, (int)error.len, error.data);
    else
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "running %s plugin \"%.*s\": %.*s", point,
                      (int)plugin.len, plugin.data, (int)error.len, error.data);
}

void berth__reason_missed(berth__reasons *reasons, const char *error)
{
    berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, BERTH__ERROR_PREFIX "%s", error);
    reasons->failed = true;
}
