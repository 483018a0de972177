/* The table-driven writer of objects as JSON. A comma is due unless the text ends with an opening
 * bracket: nothing else that it writes ends with one. */
#include "kube/encode.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "berth/kube.h"
#include "kube/forms.h"
#include "kube/kind_info.h"
#include "text/timestamp.h"

/* ---- the text ---- */

void berth__encoder_init(berth__encoder *encoder, const berth_allocator *allocator)
{
    *encoder = (berth__encoder){.allocator = allocator, .ok = true};
}

void berth__encoder_destroy(berth__encoder *encoder)
{
    if (encoder->bytes != NULL)
        berth__free(encoder->allocator, encoder->bytes, encoder->capacity);
    encoder->bytes = NULL;
}

static bool grow(berth__encoder *encoder, size_t more)
{
    size_t capacity = encoder->capacity > 0 ? encoder->capacity : 4096;
    while (capacity - encoder->count < more)
        capacity *= 2;
    if (capacity == encoder->capacity)
        return true;
    char *bytes = berth__alloc(encoder->allocator, capacity, 16);
    if (bytes == NULL) {
        encoder->ok = false;
        return false;
    }
    if (encoder->count > 0)
        memcpy(bytes, encoder->bytes, encoder->count);
    berth__encoder_destroy(encoder);
    encoder->bytes = bytes;
    encoder->capacity = capacity;
    return true;
}

void berth__encode_raw(berth__encoder *encoder, berth_str bytes)
{
    if (bytes.len == 0 || !encoder->ok || !grow(encoder, bytes.len))
        return;
    memcpy(encoder->bytes + encoder->count, bytes.data, bytes.len);
    encoder->count += bytes.len;
}

static void raw(berth__encoder *encoder, const char *text)
{
    berth__encode_raw(encoder, berth__text_of(text));
}

static void put_escaped(berth__encoder *encoder, unsigned char byte)
{
    char text[8];
    if (byte == '"' || byte == '\\')
        snprintf(text, sizeof(text), "\\%c", byte);
    else if (byte == '\n' || byte == '\t')
        snprintf(text, sizeof(text), "\\%c", byte == '\n' ? 'n' : 't');
    else
        snprintf(text, sizeof(text), "\\u%04x", byte);
    raw(encoder, text);
}

/* Bytes of 128 and more are UTF-8 and are copied. */
void berth__encode_str(berth__encoder *encoder, berth_str text)
{
    uint32_t from = 0;
    raw(encoder, "\"");
    for (uint32_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7f)
            continue;
        berth__encode_raw(encoder, (berth_str){text.data + from, i - from});
        put_escaped(encoder, byte);
        from = i + 1;
    }
    if (from < text.len)
        berth__encode_raw(encoder, (berth_str){text.data + from, text.len - from});
    raw(encoder, "\"");
}

/* ---- objects and lists ---- */

void berth__encode_item(berth__encoder *encoder)
{
    char last = encoder->ok && encoder->count > 0 ? encoder->bytes[encoder->count - 1] : '{';
    if (last != '{' && last != '[')
        raw(encoder, ", ");
}

void berth__encode_key(berth__encoder *encoder, berth_str key)
{
    berth__encode_item(encoder);
    berth__encode_str(encoder, key);
    raw(encoder, ": ");
}

static void encode_strs(berth__encoder *encoder, const berth_strs *strs)
{
    raw(encoder, "[");
    for (uint32_t i = 0; i < strs->count; i++) {
        berth__encode_item(encoder);
        berth__encode_str(encoder, strs->items[i]);
    }
    raw(encoder, "]");
}

static void encode_list(berth__encoder *encoder, const berth__field *field, const char *items,
                        uint32_t count)
{
    raw(encoder, "[");
    for (uint32_t i = 0; i < count; i++) {
        berth__encode_item(encoder);
        raw(encoder, "{");
        berth__encode_fields(encoder, field->fields, items + (size_t)i * field->size);
        raw(encoder, "}");
    }
    raw(encoder, "]");
}

/* Items begin with their keys, which become the member names. */
static void encode_table(berth__encoder *encoder, const berth__field *field, const char *items,
                         uint32_t count)
{
    raw(encoder, "{");
    for (uint32_t i = 0; i < count; i++) {
        const char *item = items + (size_t)i * field->size;
        berth_str key;
        memcpy(&key, item, sizeof(key));
        berth__encode_key(encoder, key);
        raw(encoder, "{");
        berth__encode_fields(encoder, field->fields, item);
        raw(encoder, "}");
    }
    raw(encoder, "}");
}

static void encode_struct(berth__encoder *encoder, const berth__field *fields, const void *from)
{
    raw(encoder, "{");
    berth__encode_fields(encoder, fields, from);
    raw(encoder, "}");
}

/* ---- maps, in the order of their keys ---- */

/* Entries begin with their keys. */
static int by_key(const void *a, const void *b)
{
    const berth_str *one = *(const berth_str *const *)a, *other = *(const berth_str *const *)b;
    int order = berth__str_cmp(*one, *other);
    return order != 0 ? order : (one > other) - (one < other);
}

static_assert(offsetof(berth_key_value, key) == 0 && offsetof(berth_resource, name) == 0,
              "entries of maps begin with their keys");

/* How a map is written. Of entries with the same key one counts, as in decoding: the last text, the
 * first amount. */
typedef struct map_kind {
    size_t size; /* of an entry */
    bool last_counts;
    void (*value)(berth__encoder *encoder, const void *entry);
} map_kind;

static void encode_entries(berth__encoder *encoder, const void *items, uint32_t count,
                           const map_kind *kind)
{
    size_t bytes = (count + (size_t)1) * sizeof(const berth_str *);
    const berth_str **order = berth__alloc(encoder->allocator, bytes, 16);
    encoder->ok &= order != NULL;
    if (order == NULL)
        return;
    for (uint32_t i = 0; i < count; i++)
        order[i] = (const berth_str *)(const void *)((const char *)items + i * kind->size);
    if (count > 1)
        qsort(order, count, sizeof(*order), by_key);
    raw(encoder, "{");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = kind->last_counts ? i + 1 : i - 1; /* may be outside the array */
        if (other < count && berth__str_eq(*order[i], *order[other]))
            continue;
        berth__encode_key(encoder, *order[i]);
        kind->value(encoder, order[i]);
    }
    raw(encoder, "}");
    berth__free(encoder->allocator, order, bytes);
}

static void encode_text_of(berth__encoder *encoder, const void *entry)
{
    berth__encode_str(encoder, ((const berth_key_value *)entry)->value);
}

static bool is_binary(berth_str resource)
{
    return berth__str_is(resource, "memory") || berth__str_is(resource, "ephemeral-storage") ||
           berth__str_is(resource, "storage") || berth__str_starts(resource, "hugepages-");
}

static void encode_quantity(berth__encoder *encoder, berth_quantity amount, bool binary)
{
    char text[64];
    berth_quantity_format(amount, binary, text, sizeof(text));
    berth__encode_str(encoder, berth__text_of(text));
}

static void encode_amount_of(berth__encoder *encoder, const void *entry)
{
    const berth_resource *resource = entry;
    encode_quantity(encoder, resource->amount, is_binary(resource->name));
}

static void encode_map(berth__encoder *encoder, const berth_map *map)
{
    static const map_kind texts = {sizeof(berth_key_value), true, encode_text_of};
    encode_entries(encoder, map->entries, map->count, &texts);
}

static void encode_resources(berth__encoder *encoder, const berth_resources *resources)
{
    static const map_kind amounts = {sizeof(berth_resource), false, encode_amount_of};
    encode_entries(encoder, resources->items, resources->count, &amounts);
}

/* ---- scalars ---- */

static void encode_integer(berth__encoder *encoder, int64_t value)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRId64, value);
    raw(encoder, text);
}

static void encode_count(berth__encoder *encoder, const berth_count_or_percent *count)
{
    char text[24];
    snprintf(text, sizeof(text), count->percent ? "\"%" PRId32 "%%\"" : "%" PRId32, count->value);
    raw(encoder, text);
}

static void encode_time(berth__encoder *encoder, int64_t time_ns)
{
    char text[BERTH__TIMESTAMP_BYTES];
    berth__timestamp_format(time_ns, text);
    berth__encode_str(encoder, berth__text_of(text));
}

static void encode_keys(berth__encoder *encoder, const berth_strs *keys)
{
    raw(encoder, "{");
    for (uint32_t i = 0; i < keys->count; i++) {
        berth__encode_key(encoder, keys->items[i]);
        encode_time(encoder, 0);
    }
    raw(encoder, "}");
}

/* ---- JSON as it was read ---- */

void berth__encode_tree(berth__encoder *encoder, const berth__json *value, unsigned depth)
{
    bool is_array = value->type == BERTH__JSON_ARRAY;
    if (value->type == BERTH__JSON_STRING) {
        berth__encode_str(encoder, value->as.text);
    } else if (value->type == BERTH__JSON_NUMBER) {
        berth__encode_raw(encoder, value->as.text);
    } else if (value->type == BERTH__JSON_BOOL) {
        raw(encoder, value->count ? "true" : "false");
    } else if (value->type == BERTH__JSON_NULL || depth == 0) {
        raw(encoder, "null");
    } else {
        raw(encoder, is_array ? "[" : "{");
        for (uint32_t i = 0; i < value->count; i++) {
            if (is_array)
                berth__encode_item(encoder);
            else
                berth__encode_key(encoder, value->as.members[i].key);
            berth__encode_tree(
                encoder, is_array ? &value->as.items[i] : &value->as.members[i].value, depth - 1);
        }
        raw(encoder, is_array ? "]" : "}");
    }
}

/* ---- tables ---- */

/* What a field reads: where the value is for its type, and whether it is set. */
typedef struct source {
    const void *at;
    const void *items; /* of a list, or what a pointer refers to */
    uint32_t count;
    bool says;
} source;

static source source_of(const berth__field *field, const void *from)
{
    source s = {.at = (const char *)from + field->offset, .says = true};
    switch ((berth__field_type)field->type) {
    case BERTH__FIELD_STR:
        s.says = ((const berth_str *)s.at)->data != NULL;
        break;
    case BERTH__FIELD_BOOL:
        s.says = *(const bool *)s.at;
        break;
    case BERTH__FIELD_INT32:
        s.says = *(const int32_t *)s.at != 0;
        break;
    case BERTH__FIELD_INT64:
    case BERTH__FIELD_TIME:
        s.says = *(const int64_t *)s.at != 0;
        break;
    case BERTH__FIELD_COUNT:
        s.says = ((const berth_count_or_percent *)s.at)->given;
        break;
    case BERTH__FIELD_QUANTITY:
        s.says = ((const berth_quantity *)s.at)->units != 0 ||
                 ((const berth_quantity *)s.at)->nanos != 0;
        break;
    case BERTH__FIELD_RESOURCES:
        s.says = ((const berth_resources *)s.at)->count > 0;
        break;
    case BERTH__FIELD_MAP:
        s.says = ((const berth_map *)s.at)->count > 0;
        break;
    case BERTH__FIELD_KEYS:
    case BERTH__FIELD_STRS:
        s.says = ((const berth_strs *)s.at)->count > 0;
        break;
    case BERTH__FIELD_POINTER:
        memcpy(&s.items, s.at, sizeof(s.items));
        s.says = s.items != NULL;
        break;
    case BERTH__FIELD_LIST:
    case BERTH__FIELD_TABLE:
        memcpy(&s.items, s.at, sizeof(s.items));
        memcpy(&s.count, (const char *)from + field->count_offset, sizeof(s.count));
        s.says =
            s.count > 0 || ((field->traits & BERTH__FIELD_TELLS_EMPTY) != 0 && s.items != NULL);
        break;
    default:
        break;
    }
    return s;
}

static void encode_value(berth__encoder *encoder, const berth__field *field, const source *s)
{
    switch ((berth__field_type)field->type) {
    case BERTH__FIELD_STR:
        berth__encode_str(encoder, *(const berth_str *)s->at);
        break;
    case BERTH__FIELD_BOOL:
        raw(encoder, *(const bool *)s->at ? "true" : "false");
        break;
    case BERTH__FIELD_INT32:
        encode_integer(encoder, *(const int32_t *)s->at);
        break;
    case BERTH__FIELD_INT64:
        encode_integer(encoder, *(const int64_t *)s->at);
        break;
    case BERTH__FIELD_TIME:
        encode_time(encoder, *(const int64_t *)s->at);
        break;
    case BERTH__FIELD_COUNT:
        encode_count(encoder, s->at);
        break;
    case BERTH__FIELD_QUANTITY:
        encode_quantity(encoder, *(const berth_quantity *)s->at, true);
        break;
    case BERTH__FIELD_RESOURCES:
        encode_resources(encoder, s->at);
        break;
    case BERTH__FIELD_MAP:
        encode_map(encoder, s->at);
        break;
    case BERTH__FIELD_KEYS:
        encode_keys(encoder, s->at);
        break;
    case BERTH__FIELD_STRS:
        encode_strs(encoder, s->at);
        break;
    case BERTH__FIELD_STRUCT:
        encode_struct(encoder, field->fields, s->at);
        break;
    case BERTH__FIELD_POINTER:
        encode_struct(encoder, field->fields, s->items);
        break;
    case BERTH__FIELD_LIST:
        encode_list(encoder, field, s->items, s->count);
        break;
    case BERTH__FIELD_TABLE:
        encode_table(encoder, field, s->items, s->count);
        break;
    default:
        encode_time(encoder, 0); /* it is set, but its value is unknown */
        break;
    }
}

void berth__encode_value(berth__encoder *encoder, const berth__field *field, const void *from)
{
    const source s = source_of(field, from);
    encode_value(encoder, field, &s);
}

/* Write the member of a form, unless the form writes nothing. */
static void encode_form(berth__encoder *encoder, const berth__field *field, const void *from)
{
    const size_t before = encoder->count;
    berth__encode_key(encoder, (berth_str){field->key, field->key_len});
    const size_t value = encoder->count;
    if (berth__forms[field->form].write != NULL)
        berth__forms[field->form].write(encoder, field, from);
    if (encoder->ok && encoder->count == value)
        encoder->count = before;
}

/* Write a member, unless it is empty and may be left out. */
static void encode_member(berth__encoder *encoder, const berth__field *field, const void *from,
                          bool required)
{
    const source s = source_of(field, from);
    if (!s.says && !required)
        return;
    size_t before = encoder->count;
    berth__encode_key(encoder, (berth_str){field->key, field->key_len});
    size_t value = encoder->count;
    encode_value(encoder, field, &s);
    bool empty = field->type == BERTH__FIELD_STRUCT && encoder->count == value + 2;
    if (encoder->ok && empty && !required)
        encoder->count = before;
}

static void encode_field(berth__encoder *encoder, const berth__field *field, const void *from)
{
    const bool tells = field->has_offset_and_1 != 0 || field->type == BERTH__FIELD_PRESENT;
    const size_t flag =
        field->type == BERTH__FIELD_PRESENT ? field->offset : field->has_offset_and_1 - 1u;
    const bool present = tells && *((const bool *)from + flag);
    if (!tells || present)
        encode_member(encoder, field, from, present);
}

void berth__encode_fields(berth__encoder *encoder, const berth__field *fields, const void *from)
{
    for (const berth__field *field = fields; field->type > BERTH__FIELD_UNREAD; field++) {
        if (field->form == BERTH__FORM_PLAIN)
            encode_field(encoder, field, from);
        else if (field->key != NULL)
            encode_form(encoder, field, from);
        else if (berth__forms[field->form].write != NULL)
            berth__forms[field->form].write(encoder, field, from);
    }
}

void berth__encode_object(berth__encoder *encoder, const berth_object *object)
{
    raw(encoder, "{");
    berth__encode_key(encoder, BERTH_STR("apiVersion"));
    berth__encode_str(encoder, berth__kind_info_of(object->kind)->api_version);
    berth__encode_key(encoder, BERTH_STR("kind"));
    berth__encode_str(encoder, berth__text_of(berth_kind_name(object->kind)));
    berth__encode_fields(encoder, berth__fields_of(object->kind), object->as.any);
    raw(encoder, "}");
}
