/* A scanner that follows brackets and strings and finds the array "items" of the outermost
 * object. */
#include "live/watch/stream_cut.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

static bool append(stream_cut *cut, const char *bytes, size_t count)
{
    if (count > STREAM_PIECE_MAX - cut->count)
        return false;
    cut->bytes = heap_grow(cut->bytes, &cut->capacity, cut->count + count + 1, 1);
    memcpy(cut->bytes + cut->count, bytes, count);
    cut->count += count;
    return true;
}

bool stream_cut_lines(stream_cut *cut, const char *bytes, size_t count)
{
    while (count > 0) {
        const char *end = memchr(bytes, '\n', count);
        size_t length = end != NULL ? (size_t)(end - bytes) : count;
        if (end != NULL && cut->count == 0) { /* most lines arrive whole */
            if (length > 0 && !cut->piece(cut->context, bytes, length))
                return false;
        } else {
            if (!append(cut, bytes, length))
                return false;
            if (end != NULL) {
                size_t whole = cut->count;
                cut->count = 0;
                if (whole > 0 && !cut->piece(cut->context, cut->bytes, whole))
                    return false;
            }
        }
        length += end != NULL;
        bytes += length;
        count -= length;
    }
    return true;
}

/* ---- lists ---- */

/* Returns how many bytes of a string precede the next quote or backslash. */
static size_t plain_bytes(const char *bytes, size_t count)
{
    size_t i = 0;
    while (i < count && bytes[i] != '"' && bytes[i] != '\\')
        i++;
    return i;
}

static void end_string(stream_cut *cut)
{
    static const char items[] = "items\"";
    size_t length = cut->count - cut->string_at;
    cut->in_string = false;
    if (cut->depth == 1 && cut->item_at == SIZE_MAX)
        cut->key_is_items =
            length == sizeof(items) - 1 && memcmp(cut->bytes + cut->string_at, items, length) == 0;
}

/* Handles one byte outside of strings, which is already appended. */
static bool take_mark(stream_cut *cut, char byte)
{
    switch (byte) {
    case '"':
        cut->in_string = true;
        cut->string_at = cut->count;
        return true;
    case '[':
        if (cut->depth == 1 && cut->key_is_items)
            cut->in_items = true;
        cut->depth++;
        return true;
    case '{':
        if (cut->depth == 2 && cut->in_items)
            cut->item_at = cut->count - 1;
        cut->depth++;
        return true;
    case ']':
    case '}':
        if (cut->depth == 0)
            return false;
        cut->depth--;
        if (cut->depth == 2 && cut->item_at != SIZE_MAX) {
            size_t at = cut->item_at;
            cut->item_at = SIZE_MAX;
            bool more = cut->piece(cut->context, cut->bytes + at, cut->count - at);
            cut->count = at;
            return more;
        }
        if (cut->depth == 1) {
            cut->in_items = false;
            cut->key_is_items = false;
        }
        return true;
    case ',': /* drops what lies between items, or the commas would pile up */
        if (cut->depth == 1)
            cut->key_is_items = false;
        if (cut->depth == 2 && cut->in_items && cut->item_at == SIZE_MAX)
            cut->count--;
        return true;
    default:
        return true;
    }
}

static bool is_mark(char c)
{
    return c == '"' || c == '{' || c == '}' || c == '[' || c == ']' || c == ',';
}

bool stream_cut_list(stream_cut *cut, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count;) {
        size_t from = i;
        if (cut->escaped) {
            cut->escaped = false;
            i++;
        } else if (cut->in_string) {
            i += plain_bytes(bytes + i, count - i);
            if (i < count) {
                cut->escaped = bytes[i] == '\\';
                bool ends = bytes[i++] == '"';
                if (!append(cut, bytes + from, i - from))
                    return false;
                if (ends)
                    end_string(cut);
                continue;
            }
        } else {
            while (i < count && !is_mark(bytes[i]))
                i++;
            if (i < count) {
                i++;
                if (!append(cut, bytes + from, i - from) || !take_mark(cut, bytes[i - 1]))
                    return false;
                continue;
            }
        }
        if (!append(cut, bytes + from, i - from))
            return false;
    }
    return true;
}

void stream_cut_reset(stream_cut *cut)
{
    cut->count = 0;
    cut->item_at = SIZE_MAX;
    cut->depth = 0;
    cut->in_string = cut->escaped = cut->key_is_items = cut->in_items = false;
}

const char *stream_cut_list_end(stream_cut *cut)
{
    if (cut->depth != 0 || cut->in_string || cut->count == 0)
        return NULL;
    cut->bytes[cut->count] = '\0';
    return cut->bytes;
}

void stream_cut_free(stream_cut *cut)
{
    free(cut->bytes);
    cut->bytes = NULL;
    cut->count = cut->capacity = 0;
}
