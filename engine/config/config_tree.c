/* Strict reading of a configuration's tree: members by name and type; errors name the field's
 * path. */
#include "config/config_tree.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/text.h"

berth_status berth__config_fail(berth__config_tree *tree, berth_status code, const char *format,
                                ...)
{
    char message[sizeof(((berth_error *)0)->message)];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    berth__error_set(tree->error, code, "%s", message);
    berth__error_field(tree->error, "%s", tree->path);
    if (tree->error != NULL)
        snprintf(tree->error->source, sizeof(tree->error->source), "%s", tree->source);
    return code;
}

berth_status berth__config_nomem(berth__config_tree *tree)
{
    return berth__config_fail(tree, BERTH_E_NOMEM, "out of memory");
}

/* ---- path ---- */

/* A path that does not fit the buffer is cut. Its length is still counted, so that leaving
 * works. */
static size_t extend(berth__config_tree *tree, int written)
{
    size_t before = tree->path_len;
    tree->path_len += written > 0 ? (size_t)written : 0;
    return before;
}

/* The end of the path, and the room left there; for a full buffer, its last byte. */
static char *path_end(berth__config_tree *tree, size_t *room)
{
    size_t last = sizeof(tree->path) - 1;
    size_t at = tree->path_len < last ? tree->path_len : last;
    *room = sizeof(tree->path) - at;
    return tree->path + at;
}

size_t berth__config_enter(berth__config_tree *tree, const char *member)
{
    size_t room;
    char *at = path_end(tree, &room);
    return extend(tree, snprintf(at, room, "%s%s", tree->path_len > 0 ? "." : "", member));
}

size_t berth__config_enter_at(berth__config_tree *tree, uint32_t index)
{
    size_t room;
    char *at = path_end(tree, &room);
    return extend(tree, snprintf(at, room, "[%" PRIu32 "]", index));
}

void berth__config_leave(berth__config_tree *tree, size_t before)
{
    BERTH_ASSERT(before <= tree->path_len);
    tree->path_len = before;
    if (before < sizeof(tree->path))
        tree->path[before] = '\0';
}

/* ---- types ---- */

static const char *type_name(const berth__json *value)
{
    switch (value->type) {
    case BERTH__JSON_NULL:
        return "null";
    case BERTH__JSON_BOOL:
        return "a boolean";
    case BERTH__JSON_NUMBER:
        return "a number";
    case BERTH__JSON_STRING:
        return "a string";
    case BERTH__JSON_ARRAY:
        return "a list";
    case BERTH__JSON_OBJECT:
        return "an object";
    }
    return "unknown";
}

static berth_status wrong_type(berth__config_tree *tree, const berth__json *value,
                               const char *wanted)
{
    return berth__config_fail(tree, BERTH_E_INVALID, "must be %s, not %s", wanted,
                              type_name(value));
}

static berth_status refuse_member(berth__config_tree *tree, berth_str key, const char *why)
{
    char name[64];
    snprintf(name, sizeof(name), "%.*s", (int)key.len, key.data);
    berth__config_enter(tree, name);
    return berth__config_fail(tree, BERTH_E_INVALID, "%s", why);
}

berth_status berth__config_object(berth__config_tree *tree, const berth__json *value,
                                  const char *const *known)
{
    if (value->type != BERTH__JSON_OBJECT)
        return wrong_type(tree, value, "an object");
    uint64_t seen = 0;
    for (uint32_t i = 0; i < value->count; i++) {
        berth_str key = value->as.members[i].key;
        uint32_t k = 0;
        while (known[k] != NULL && !berth__str_is(key, known[k]))
            k++;
        BERTH_ASSERT(k < 64);
        if (known[k] == NULL)
            return refuse_member(tree, key, "unknown field");
        if (seen >> k & 1)
            return refuse_member(tree, key, "the field is given twice");
        seen |= UINT64_C(1) << k;
    }
    return BERTH_OK;
}

const berth__json *berth__config_member(const berth__json *object, const char *key)
{
    const berth__json *value = berth__json_get(object, key);
    return value == NULL || value->type == BERTH__JSON_NULL ? NULL : value;
}

static berth_status copy_string(berth__config_tree *tree, const berth__json *value, berth_str *out)
{
    if (value->type != BERTH__JSON_STRING)
        return wrong_type(tree, value, "a string");
    bool ok = true;
    berth_str text = value->as.text.data != NULL ? value->as.text : BERTH_STR("");
    berth_str copy = berth__arena_str(tree->arena, text, &ok);
    if (!ok)
        return berth__config_nomem(tree);
    *out = copy;
    return BERTH_OK;
}

berth_status berth__config_string(berth__config_tree *tree, const berth__json *object,
                                  const char *key, berth_str *out)
{
    const berth__json *value = berth__config_member(object, key);
    if (value == NULL)
        return BERTH_OK;
    size_t before = berth__config_enter(tree, key);
    BERTH_TRY(copy_string(tree, value, out));
    berth__config_leave(tree, before);
    return BERTH_OK;
}

berth_status berth__config_name(berth__config_tree *tree, const berth__json *object,
                                const char *key, berth_str *out)
{
    berth_str text = {0};
    BERTH_TRY(berth__config_string(tree, object, key, &text));
    if (berth__str_empty(text)) {
        berth__config_enter(tree, key);
        return berth__config_fail(tree, BERTH_E_INVALID, "must be given and not empty");
    }
    *out = text;
    return BERTH_OK;
}

berth_status berth__config_bool(berth__config_tree *tree, const berth__json *object,
                                const char *key, bool *out)
{
    const berth__json *value = berth__config_member(object, key);
    if (value == NULL)
        return BERTH_OK;
    if (value->type != BERTH__JSON_BOOL) {
        berth__config_enter(tree, key);
        return wrong_type(tree, value, "a boolean");
    }
    *out = value->count != 0;
    return BERTH_OK;
}

/* Read digits with an optional minus sign and nothing else; false also if int64 can't hold the
 * number. A number of JSON or YAML is never a sign alone. The value is computed as a negative
 * number, because negative numbers have the larger range. */
static bool read_integer(berth_str text, int64_t *out)
{
    bool negative = text.len > 0 && text.data[0] == '-';
    int64_t value = 0;
    for (uint32_t at = negative ? 1 : 0; at < text.len; at++) {
        int digit = text.data[at] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value))
            return false;
    }
    if (!negative && value == INT64_MIN)
        return false;
    *out = negative ? value : -value;
    return true;
}

berth_status berth__config_int(berth__config_tree *tree, const berth__json *object, const char *key,
                               berth__config_range range, int64_t *out)
{
    const berth__json *value = berth__config_member(object, key);
    if (value == NULL)
        return BERTH_OK;
    size_t before = berth__config_enter(tree, key);
    if (value->type != BERTH__JSON_NUMBER)
        return wrong_type(tree, value, "an integer");
    int64_t number = 0;
    if (!read_integer(value->as.text, &number))
        return berth__config_fail(tree, BERTH_E_INVALID, "must be an integer of 64 bits, not %.*s",
                                  (int)value->as.text.len, value->as.text.data);
    if (number < range.min || number > range.max)
        return berth__config_fail(tree, BERTH_E_INVALID,
                                  "must be between %" PRId64 " and %" PRId64 ", not %" PRId64,
                                  range.min, range.max, number);
    *out = number;
    berth__config_leave(tree, before);
    return BERTH_OK;
}

berth_status berth__config_int32(berth__config_tree *tree, const berth__json *object,
                                 const char *key, berth__config_range range, int32_t *out)
{
    BERTH_DASSERT(range.min >= INT32_MIN && range.max <= INT32_MAX);
    int64_t number = *out;
    BERTH_TRY(berth__config_int(tree, object, key, range, &number));
    *out = (int32_t)number;
    return BERTH_OK;
}

berth_status berth__config_list(berth__config_tree *tree, const berth__json *object,
                                const char *key, const berth__json **out)
{
    const berth__json *value = berth__config_member(object, key);
    *out = value;
    if (value == NULL)
        return BERTH_OK;
    size_t before = berth__config_enter(tree, key);
    if (value->type != BERTH__JSON_ARRAY)
        return wrong_type(tree, value, "a list");
    berth__config_leave(tree, before);
    return BERTH_OK;
}

berth_status berth__config_short_list(berth__config_tree *tree, const berth__json *object,
                                      const char *key, const berth__json **out)
{
    BERTH_TRY(berth__config_list(tree, object, key, out));
    if (*out == NULL || (*out)->count <= BERTH__CONFIG_SHORT_MAX)
        return BERTH_OK;
    berth__config_enter(tree, key);
    return berth__config_fail(tree, BERTH_E_INVALID, "has %" PRIu32 " entries, more than %d",
                              (*out)->count, BERTH__CONFIG_SHORT_MAX);
}

berth_status berth__config_strings(berth__config_tree *tree, const berth__json *object,
                                   const char *key, berth_strs *out)
{
    const berth__json *list;
    BERTH_TRY(berth__config_list(tree, object, key, &list));
    if (list == NULL)
        return BERTH_OK;
    berth_str *items = berth__config_array(tree, list->count, sizeof(*items));
    if (items == NULL)
        return BERTH_E_NOMEM;
    size_t outer = berth__config_enter(tree, key);
    for (uint32_t i = 0; i < list->count; i++) {
        size_t before = berth__config_enter_at(tree, i);
        BERTH_TRY(copy_string(tree, &list->as.items[i], &items[i]));
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    *out = (berth_strs){items, list->count};
    return BERTH_OK;
}

void *berth__config_array(berth__config_tree *tree, uint32_t count, size_t element_bytes)
{
    void *memory = berth__arena_alloc_zero(tree->arena, count * element_bytes, 16);
    if (memory == NULL)
        berth__config_nomem(tree);
    return memory;
}

/* ---- text of a tree ---- */

typedef struct writer {
    char *out; /* NULL: only compute the length */
    size_t len;
} writer;

static void put(writer *w, const char *bytes, size_t len)
{
    if (w->out != NULL)
        memcpy(w->out + w->len, bytes, len);
    w->len += len;
}

static void put_string(writer *w, berth_str text)
{
    put(w, "\"", 1);
    for (uint32_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        char escaped[8];
        if (c == '"' || c == '\\')
            put(w, escaped, (size_t)snprintf(escaped, sizeof(escaped), "\\%c", c));
        else if ((unsigned char)c < 0x20)
            put(w, escaped, (size_t)snprintf(escaped, sizeof(escaped), "\\u%04x", (unsigned)c));
        else
            put(w, &c, 1);
    }
    put(w, "\"", 1);
}

/* Recurses as deep as the parser allowed. */
static void put_value(writer *w, const berth__json *value)
{
    switch (value->type) {
    case BERTH__JSON_NULL:
        put(w, "null", 4);
        break;
    case BERTH__JSON_BOOL:
        put(w, value->count != 0 ? "true" : "false", value->count != 0 ? 4 : 5);
        break;
    case BERTH__JSON_NUMBER:
        put(w, value->as.text.data, value->as.text.len);
        break;
    case BERTH__JSON_STRING:
        put_string(w, value->as.text);
        break;
    case BERTH__JSON_ARRAY:
        put(w, "[", 1);
        for (uint32_t i = 0; i < value->count; i++) {
            put(w, ",", i > 0 ? 1 : 0);
            put_value(w, &value->as.items[i]);
        }
        put(w, "]", 1);
        break;
    case BERTH__JSON_OBJECT:
        put(w, "{", 1);
        for (uint32_t i = 0; i < value->count; i++) {
            put(w, ",", i > 0 ? 1 : 0);
            put_string(w, value->as.members[i].key);
            put(w, ":", 1);
            put_value(w, &value->as.members[i].value);
        }
        put(w, "}", 1);
        break;
    }
}

berth_status berth__config_json_text(berth__config_tree *tree, const berth__json *value,
                                     berth_str *out)
{
    writer measure = {0};
    put_value(&measure, value);
    if (measure.len > UINT32_MAX - 1)
        return berth__config_fail(tree, BERTH_E_INVALID, "is longer than 4 GiB");
    writer w = {.out = berth__arena_alloc(tree->arena, measure.len + 1, 1)};
    if (w.out == NULL)
        return berth__config_nomem(tree);
    put_value(&w, value);
    BERTH_ASSERT(w.len == measure.len);
    w.out[w.len] = '\0';
    *out = (berth_str){w.out, (uint32_t)w.len};
    return BERTH_OK;
}
