/* Follows the path in an error through a tree. */
#include <stdlib.h>

#include "base/text.h"
#include "text/json.h"

/* The next part of a path: ".name", "name", "[7]" or "[a.name/with.dots]". */
static const char *next_part(const char *path, berth_str *part, bool *in_brackets)
{
    *in_brackets = *path == '[';
    path += *path == '[' || *path == '.';
    size_t len = strcspn(path, *in_brackets ? "]" : ".[");
    *part = (berth_str){path, (uint32_t)len};
    path += len;
    return path + (*in_brackets && *path == ']');
}

static const berth__json *step(const berth__json *at, berth_str part, bool in_brackets)
{
    if (at->type == BERTH__JSON_OBJECT && part.len > 0)
        return berth__json_member_of(at, part.data, part.len);
    if (at->type != BERTH__JSON_ARRAY || !in_brackets)
        return NULL;
    unsigned long i = strtoul(part.data, NULL, 10);
    return i < at->count ? &at->as.items[i] : NULL;
}

uint32_t berth__json_line_of(const berth__json *value, const char *path)
{
    uint32_t line = value != NULL ? value->line : 0;
    while (value != NULL && *path != '\0') {
        berth_str part;
        bool in_brackets;
        path = next_part(path, &part, &in_brackets);
        value = step(value, part, in_brackets);
        if (value != NULL && value->line != 0)
            line = value->line;
    }
    return line;
}
