/* The table-driven decoder from a JSON tree to C structs. It walks the table instead of the object:
 * both are short, and several entries may read one member. */
#include "kube/decode.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/names.h"
#include "base/text.h"
#include "berth/kube.h"
#include "kube/forms.h"
#include "text/timestamp.h"

enum { MAP_ENTRIES_MAX = 16384, SHOWN_MAX = 64 };

static const char *const type_names[] = {
    [BERTH__JSON_NULL] = "null",       [BERTH__JSON_BOOL] = "a boolean",
    [BERTH__JSON_NUMBER] = "a number", [BERTH__JSON_STRING] = "a string",
    [BERTH__JSON_ARRAY] = "a list",    [BERTH__JSON_OBJECT] = "an object",
};

/* ---- errors ---- */

/* Append the path, outermost part first; names with dots or slashes are put in brackets. */
static void write_path(const berth__field_path *path, char *out, size_t size)
{
    if (path == NULL)
        return;
    write_path(path->up, out, size);
    size_t at = strlen(out);
    if (path->key.data == NULL)
        snprintf(out + at, size - at, "[%" PRIu32 "]", path->index);
    else if (memchr(path->key.data, '.', path->key.len) != NULL ||
             memchr(path->key.data, '/', path->key.len) != NULL)
        snprintf(out + at, size - at, "[%.*s]", (int)path->key.len, path->key.data);
    else
        snprintf(out + at, size - at, "%s%.*s", at > 0 ? "." : "", (int)path->key.len,
                 path->key.data);
}

berth_status berth__decode_fault(berth__decoder *decoder, const berth__field_path *path,
                                 berth_status code, const char *format, ...)
{
    char message[sizeof(decoder->error->message)];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    berth__error_set(decoder->error, code, "%s", message);
    if (decoder->error != NULL)
        write_path(path, decoder->error->field, sizeof(decoder->error->field));
    return code;
}

berth_status berth__decode_no_memory(berth__decoder *decoder)
{
    return berth__error_set(decoder->error, BERTH_E_NOMEM, "out of memory while reading an object");
}

static berth_status expect(berth__decoder *decoder, const berth__field_path *path,
                           const berth__json *value, berth__json_type type)
{
    if (BERTH_LIKELY(value->type == type))
        return BERTH_OK;
    berth__decode_fault(decoder, path, BERTH_E_INVALID, "expected %s, found %s", type_names[type],
                        type_names[value->type]);
    return BERTH_E_INVALID;
}

/* ---- scalars ---- */

/* As in Go, null leaves a text empty. */
static berth_status decode_str(berth__decoder *decoder, const berth__field_path *path,
                               const berth__json *value, berth_str *out)
{
    if (value->type == BERTH__JSON_NULL) {
        *out = BERTH_STR("");
        return BERTH_OK;
    }
    BERTH_TRY(expect(decoder, path, value, BERTH__JSON_STRING));
    *out = value->as.text;
    return BERTH_OK;
}

static bool parse_integer(berth_str text, int64_t *out)
{
    uint32_t i = text.data[0] == '-' ? 1 : 0;
    int64_t value = 0;
    for (; i < text.len; i++) {
        int digit = text.data[i] - '0';
        if (digit < 0 || digit > 9)
            return false;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value))
            return false;
    }
    if (text.data[0] != '-' && value == INT64_MIN)
        return false;
    *out = text.data[0] == '-' ? value : -value;
    return true;
}

static bool is_whole(berth_str text)
{
    for (uint32_t i = 0; i < text.len; i++) {
        if (text.data[i] != '-' && (text.data[i] < '0' || text.data[i] > '9'))
            return false;
    }
    return true;
}

static berth_status decode_integer(berth__decoder *decoder, const berth__field_path *path,
                                   const berth__json *value, int bits, int64_t *out)
{
    BERTH_TRY(expect(decoder, path, value, BERTH__JSON_NUMBER));
    berth_str text = value->as.text;
    int shown = text.len < SHOWN_MAX ? (int)text.len : SHOWN_MAX;
    if (!is_whole(text))
        return berth__decode_fault(decoder, path, BERTH_E_INVALID,
                                   "expected an integer, found %.*s", shown, text.data);
    if (!parse_integer(text, out) || (bits == 32 && (int32_t)*out != *out))
        return berth__decode_fault(decoder, path, BERTH_E_RANGE,
                                   "%.*s is out of the range of %d-bit integers", shown, text.data,
                                   bits);
    return BERTH_OK;
}

bool berth__count_or_percent_read(const berth__json *value, berth_count_or_percent *out)
{
    const bool percent = value->type == BERTH__JSON_STRING;
    if (!percent && value->type != BERTH__JSON_NUMBER)
        return false;
    berth_str text = value->as.text;
    uint32_t digits = percent && text.len > 0 ? text.len - 1 : text.len;
    if (digits == 0 || (percent && text.data[digits] != '%'))
        return false;
    int64_t number = 0;
    for (uint32_t i = 0; i < digits; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        number = number * 10 + (text.data[i] - '0');
        if (number > INT32_MAX)
            return false;
    }
    *out = (berth_count_or_percent){.given = true, .percent = percent, .value = (int32_t)number};
    return true;
}

static berth_status decode_time(berth__decoder *decoder, const berth__field_path *path,
                                const berth__json *value, int64_t *out)
{
    BERTH_TRY(expect(decoder, path, value, BERTH__JSON_STRING));
    if (berth__timestamp_parse(value->as.text, out))
        return BERTH_OK;
    return berth__decode_fault(decoder, path, BERTH_E_PARSE,
                               "expected a time such as 2006-01-02T15:04:05Z, found \"%.*s\"",
                               value->as.text.len < SHOWN_MAX ? (int)value->as.text.len : SHOWN_MAX,
                               value->as.text.data);
}

static berth_status decode_quantity(berth__decoder *decoder, const berth__field_path *path,
                                    const berth__json *value, berth_quantity *out)
{
    *out = (berth_quantity){0};
    if (value->type == BERTH__JSON_NULL)
        return BERTH_OK;
    if (value->type != BERTH__JSON_NUMBER)
        BERTH_TRY(expect(decoder, path, value, BERTH__JSON_STRING));
    berth_str text = value->as.text;
    int shown = text.len < SHOWN_MAX ? (int)text.len : SHOWN_MAX;
    berth_status status = berth_quantity_parse(text, out, NULL);
    if (status == BERTH_E_RANGE)
        return berth__decode_fault(decoder, path, status, "quantity \"%.*s\" is out of range",
                                   shown, text.data);
    if (status != BERTH_OK)
        return berth__decode_fault(decoder, path, status,
                                   "expected a quantity such as 500m, 2 or 1.5Gi, found \"%.*s\"",
                                   shown, text.data);
    if (out->units < 0 || out->nanos < 0)
        return berth__decode_fault(decoder, path, BERTH_E_INVALID,
                                   "must not be negative, found \"%.*s\"", shown, text.data);
    return BERTH_OK;
}

static berth_status decode_count(berth__decoder *decoder, const berth__field_path *path,
                                 const berth__json *value, berth_count_or_percent *out)
{
    if (value->type == BERTH__JSON_NULL || berth__count_or_percent_read(value, out))
        return BERTH_OK;
    return berth__decode_fault(decoder, path, BERTH_E_INVALID,
                               "expected a number of pods, or a percentage such as \"25%%\"");
}

/* ---- objects as maps ---- */

/* Whether a later member has the same key; then only that one counts. */
static bool is_repeated(const berth__names *keys, const berth__json *object, uint32_t i)
{
    return berth__names_find(keys, object->as.members[i].key) != i;
}

/* Check that `value` can be read as a map, and allocate as many elements as it has members. */
static berth_status open_map(berth__decoder *decoder, const berth__field_path *path,
                             const berth__json *value, size_t size, berth__names *keys, void **out)
{
    BERTH_TRY(expect(decoder, path, value, BERTH__JSON_OBJECT));
    if (value->count > MAP_ENTRIES_MAX) {
        berth__decode_fault(decoder, path, BERTH_E_RANGE, "more than %d entries", MAP_ENTRIES_MAX);
        return BERTH_E_RANGE;
    }
    *out = berth__arena_alloc(decoder->arena, value->count * size, 8);
    if (*out != NULL &&
        berth__names_make(decoder->arena, value->as.members, sizeof(*value->as.members),
                          value->count, value->count, keys))
        return BERTH_OK;
    berth__decode_no_memory(decoder);
    return BERTH_E_NOMEM;
}

static berth_status decode_pair(berth__decoder *decoder, const berth__field_path *path,
                                const berth__json_member *member, void *out)
{
    berth_key_value *pair = out;
    pair->key = member->key;
    return decode_str(decoder, path, &member->value, &pair->value);
}

static berth_status decode_resource(berth__decoder *decoder, const berth__field_path *path,
                                    const berth__json_member *member, void *out)
{
    berth_resource *resource = out;
    resource->name = member->key;
    return decode_quantity(decoder, path, &member->value, &resource->amount);
}

typedef berth_status (*decode_entry_fn)(berth__decoder *decoder, const berth__field_path *path,
                                        const berth__json_member *member, void *out);

/* Decode each member of a map into `size` bytes. */
static berth_status decode_entries(berth__decoder *decoder, const berth__field_path *path,
                                   const berth__json *value, size_t size,
                                   decode_entry_fn decode_entry, berth__decoded_list *out)
{
    berth__names keys;
    void *memory = NULL;
    uint32_t count = 0;
    BERTH_TRY(open_map(decoder, path, value, size, &keys, &memory));
    for (uint32_t i = 0; i < value->count; i++) {
        const berth__json_member *member = &value->as.members[i];
        berth__field_path at = {.up = path, .key = member->key};
        if (!is_repeated(&keys, value, i))
            BERTH_TRY(decode_entry(decoder, &at, member, (char *)memory + count++ * size));
    }
    *out = (berth__decoded_list){memory, count};
    return BERTH_OK;
}

static berth_status decode_keys(berth__decoder *decoder, const berth__field_path *path,
                                const berth__json *value, berth_strs *out)
{
    void *memory = NULL;
    berth__names keys;
    BERTH_TRY(open_map(decoder, path, value, sizeof(berth_str), &keys, &memory));
    berth_str *items = memory;
    uint32_t count = 0;
    for (uint32_t i = 0; i < value->count; i++) {
        if (!is_repeated(&keys, value, i))
            items[count++] = value->as.members[i].key;
    }
    *out = (berth_strs){items, count};
    return BERTH_OK;
}

/* ---- lists ---- */

static berth_status decode_strs(berth__decoder *decoder, const berth__field_path *path,
                                const berth__json *value, berth_strs *out)
{
    BERTH_TRY(expect(decoder, path, value, BERTH__JSON_ARRAY));
    berth_str *items = berth__arena_alloc(decoder->arena, value->count * sizeof(*items), 8);
    if (items == NULL)
        return berth__decode_no_memory(decoder);
    for (uint32_t i = 0; i < value->count; i++) {
        berth__field_path at = {.up = path, .index = i};
        BERTH_TRY(decode_str(decoder, &at, &value->as.items[i], &items[i]));
    }
    *out = (berth_strs){items, value->count};
    return BERTH_OK;
}

berth_status berth__decode_list(berth__decoder *decoder, const berth__field_path *path,
                                const berth__json *value, const berth__field *fields, size_t size,
                                berth__decoded_list *out)
{
    BERTH_TRY(expect(decoder, path, value, BERTH__JSON_ARRAY));
    char *items = berth__arena_alloc_zero(decoder->arena, value->count * size, 8);
    if (items == NULL)
        return berth__decode_no_memory(decoder);
    for (uint32_t i = 0; i < value->count; i++) {
        berth__field_path at = {.up = path, .index = i};
        if (value->as.items[i].type != BERTH__JSON_NULL)
            BERTH_TRY(
                berth__decode_fields(decoder, &at, &value->as.items[i], fields, items + i * size));
    }
    *out = (berth__decoded_list){items, value->count};
    return BERTH_OK;
}

/* Decode a list into a struct's pointer and count. */
static berth_status decode_list_field(berth__decoder *decoder, const berth__field_path *path,
                                      const berth__json *value, const berth__field *field,
                                      void *out)
{
    berth__decoded_list list;
    BERTH_TRY(berth__decode_list(decoder, path, value, field->fields, field->size, &list));
    memcpy((char *)out + field->offset, &list.items, sizeof(list.items));
    memcpy((char *)out + field->count_offset, &list.count, sizeof(list.count));
    return BERTH_OK;
}

/* Decode an object's members as a list; each item begins with its key. */
static berth_status decode_table(berth__decoder *decoder, const berth__field_path *path,
                                 const berth__json *value, const berth__field *field, void *out)
{
    void *memory = NULL;
    berth__names keys;
    uint32_t count = 0;
    BERTH_TRY(open_map(decoder, path, value, field->size, &keys, &memory));
    for (uint32_t i = 0; i < value->count; i++) {
        const berth__json_member *member = &value->as.members[i];
        berth__field_path at = {.up = path, .key = member->key};
        if (is_repeated(&keys, value, i))
            continue;
        char *item = (char *)memory + (size_t)count++ * field->size;
        memset(item, 0, field->size);
        memcpy(item, &member->key, sizeof(member->key));
        if (member->value.type != BERTH__JSON_NULL)
            BERTH_TRY(berth__decode_fields(decoder, &at, &member->value, field->fields, item));
    }
    memcpy((char *)out + field->offset, &memory, sizeof(memory));
    memcpy((char *)out + field->count_offset, &count, sizeof(count));
    return BERTH_OK;
}

static berth_status decode_pointer(berth__decoder *decoder, const berth__field_path *path,
                                   const berth__json *value, const berth__field *field,
                                   const void **out)
{
    void *memory = berth__arena_alloc_zero(decoder->arena, field->size, 8);
    if (memory == NULL)
        return berth__decode_no_memory(decoder);
    *out = memory;
    return berth__decode_fields(decoder, path, value, field->fields, memory);
}

/* ---- tables ---- */

static berth_status decode_plain(berth__decoder *decoder, const berth__field_path *path,
                                 const berth__json *value, const berth__field *field, void *out)
{
    void *to = (char *)out + field->offset;
    int64_t integer = 0;
    berth__decoded_list entries;
    switch ((berth__field_type)field->type) {
    case BERTH__FIELD_STR:
        return decode_str(decoder, path, value, to);
    case BERTH__FIELD_BOOL:
        BERTH_TRY(expect(decoder, path, value, BERTH__JSON_BOOL));
        *(bool *)to = value->count != 0;
        return BERTH_OK;
    case BERTH__FIELD_INT32:
        BERTH_TRY(decode_integer(decoder, path, value, 32, &integer));
        *(int32_t *)to = (int32_t)integer;
        return BERTH_OK;
    case BERTH__FIELD_INT64:
        return decode_integer(decoder, path, value, 64, to);
    case BERTH__FIELD_TIME:
        return decode_time(decoder, path, value, to);
    case BERTH__FIELD_PRESENT:
        *(bool *)to = true;
        return BERTH_OK;
    case BERTH__FIELD_COUNT:
        return decode_count(decoder, path, value, to);
    case BERTH__FIELD_QUANTITY:
        return decode_quantity(decoder, path, value, to);
    case BERTH__FIELD_RESOURCES:
        BERTH_TRY(decode_entries(decoder, path, value, sizeof(berth_resource), decode_resource,
                                 &entries));
        *(berth_resources *)to = (berth_resources){entries.items, entries.count};
        return BERTH_OK;
    case BERTH__FIELD_MAP:
        BERTH_TRY(
            decode_entries(decoder, path, value, sizeof(berth_key_value), decode_pair, &entries));
        *(berth_map *)to = (berth_map){entries.items, entries.count};
        return BERTH_OK;
    case BERTH__FIELD_KEYS:
        return decode_keys(decoder, path, value, to);
    case BERTH__FIELD_STRS:
        return decode_strs(decoder, path, value, to);
    case BERTH__FIELD_STRUCT:
        return berth__decode_fields(decoder, path, value, field->fields, to);
    case BERTH__FIELD_POINTER:
        return decode_pointer(decoder, path, value, field, to);
    case BERTH__FIELD_LIST:
        return decode_list_field(decoder, path, value, field, out);
    case BERTH__FIELD_TABLE:
        return decode_table(decoder, path, value, field, out);
    case BERTH__FIELD_NOTHING:
    case BERTH__FIELD_UNREAD:
    case BERTH__FIELD_END:
        break;
    }
    return BERTH_OK;
}

berth_status berth__decode_value(berth__decoder *decoder, const berth__field_path *path,
                                 const berth__json *value, const berth__field *field, void *out)
{
    if (BERTH_LIKELY(field->form == BERTH__FORM_PLAIN))
        return decode_plain(decoder, path, value, field, out);
    berth__form_read_fn *read = berth__forms[field->form].read;
    return read != NULL ? read(decoder, path, value, field, out) : BERTH_OK;
}

/* The last member of that name that is not null. */
static const berth__json *find(const berth__json *object, const berth__field *field)
{
    for (uint32_t i = object->count; i-- > 0;) {
        const berth__json_member *member = &object->as.members[i];
        if (berth__json_key_is(member->key, field->key, field->key_len))
            return member->value.type == BERTH__JSON_NULL ? NULL : &member->value;
    }
    return NULL;
}

static berth_status decode_field(berth__decoder *decoder, const berth__field_path *path,
                                 const berth__json *object, const berth__field *field, void *out)
{
    const berth__json *found = find(object, field);
    if (found == NULL)
        return BERTH_OK;
    if (field->has_offset_and_1 != 0)
        *((bool *)out + field->has_offset_and_1 - 1) = true;
    berth__field_path at = {.up = path, .key = {field->key, field->key_len}};
    return berth__decode_value(decoder, &at, found, field, out);
}

berth_status berth__decode_fields(berth__decoder *decoder, const berth__field_path *path,
                                  const berth__json *value, const berth__field *fields, void *out)
{
    if (value == NULL)
        return BERTH_OK;
    BERTH_TRY(expect(decoder, path, value, BERTH__JSON_OBJECT));
    for (const berth__field *field = fields; field->type > BERTH__FIELD_UNREAD; field++)
        BERTH_TRY(field->key != NULL ? decode_field(decoder, path, value, field, out)
                                     : berth__decode_value(decoder, path, value, field, out));
    return BERTH_OK;
}
