/* A growing buffer of JSON. Strings that need escapes are left to jansson. */
#include "live/writes/json_text.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "live/writes/write_json.h"

static void add(json_text *text, const char *bytes, size_t count)
{
    text->data = heap_grow(text->data, &text->capacity, text->len + count + 1, 1);
    if (count > 0)
        memcpy(text->data + text->len, bytes, count);
    text->len += count;
    text->data[text->len] = '\0';
}

void json_text_part(json_text *text, const char *part)
{
    add(text, part, strlen(part));
}

/* Whether a string is written as it is between quotes. */
static bool is_plain(berth_str value)
{
    bool plain = true;
    for (uint32_t i = 0; i < value.len; i++) {
        const unsigned char c = (unsigned char)value.data[i];
        plain &= c >= ' ' && c < 0x7f && c != '"' && c != '\\';
    }
    return plain;
}

void json_text_str(json_text *text, berth_str value)
{
    if (!is_plain(value)) {
        char *quoted = write_json_text(write_json_str(value));
        json_text_part(text, quoted);
        free(quoted);
        return;
    }
    add(text, "\"", 1);
    add(text, value.data, value.len);
    add(text, "\"", 1);
}

void json_text_pair(json_text *text, const char *part, berth_str value)
{
    json_text_part(text, part);
    json_text_str(text, value);
}
