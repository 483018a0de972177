/* Notes about input that is read although something is unusual: unknown kinds, fields and versions,
 * each with the probable meaning. */
#include <stdio.h>

#include "base/assert.h"
#include "base/nearest.h"
#include "base/text.h"
#include "kube/encode.h"
#include "kube/reader_state.h"

enum { DEPTH_MAX = 24 };

/* ---- reporting ---- */

/* Whether an API server has seen the item. */
static bool is_seen(const berth__item *item)
{
    if (item->object != NULL) /* decoded ahead; every object begins with its metadata */
        return !berth__str_empty(((const berth_metadata *)item->object)->uid);
    const berth__json *meta = berth__json_get(item->tree, "metadata");
    return !berth__str_empty(berth__json_text(berth__json_get(meta, "uid")));
}

/* `line`: of the field, 0 if unknown. */
static void tell(berth_reader *reader, const berth__item *item, const berth_note *about,
                 const char *field, uint32_t line)
{
    berth_error place = {.offset = item->offset};
    const berth__json *meta = berth__json_get(item->tree, "metadata");
    berth__error_source(&place, item->source);
    berth__error_item(&place, reader, item);
    snprintf(place.field, sizeof(place.field), "%s", field);
    place.line = line != 0 ? line : item->line;
    berth_note note = *about;
    note.size = sizeof(note);
    note.place = &place;
    note.kind = item->kind;
    note.seen = item->tree != NULL && is_seen(item);
    note.api_version = item->api_version;
    note.name = berth__json_text(berth__json_get(meta, "name"));
    note.namespace_name =
        berth__reader_namespace(reader, berth__json_text(berth__json_get(meta, "namespace")));
    reader->options.note(reader->options.note_context, &note);
}

void berth__note(berth_reader *reader, const berth__item *item, berth_note_kind what,
                 berth_str word, berth_str suggestion)
{
    berth_note note = {.what = what, .word = word, .suggestion = suggestion};
    if (reader->options.note != NULL)
        tell(reader, item, &note, "", item->tree != NULL ? item->tree->line : 0);
}

void berth__note_workload(berth_reader *reader, const berth__item *item, berth_note_kind what,
                          const berth_workload_note *workload)
{
    berth_note note = {.what = what, .workload = workload};
    if (reader->options.note != NULL)
        tell(reader, item, &note, "", item->tree != NULL ? item->tree->line : 0);
}

/* ---- fields ---- */

typedef struct lint {
    berth_reader *reader;
    const berth__item *item;
} lint;

/* The lengths are equal and above 0. Most keys have 4 to 16 bytes: these are compared as two words
 * that may overlap. */
static inline bool same_bytes(const char *a, const char *b, uint32_t len)
{
    uint32_t half[4];
    uint64_t words[4];
    if (len > 16)
        return memcmp(a, b, len) == 0;
    if (len < 4)
        return a[0] == b[0] && a[len - 1] == b[len - 1] && a[len / 2] == b[len / 2];
    if (len < 8) {
        memcpy(&half[0], a, 4);
        memcpy(&half[1], b, 4);
        memcpy(&half[2], a + len - 4, 4);
        memcpy(&half[3], b + len - 4, 4);
        return half[0] == half[1] && half[2] == half[3];
    }
    memcpy(&words[0], a, 8);
    memcpy(&words[1], b, 8);
    memcpy(&words[2], a + len - 8, 8);
    memcpy(&words[3], b + len - 8, 8);
    return words[0] == words[1] && words[2] == words[3];
}

static inline bool same_word(berth_str a, berth_str b)
{
    return a.len == b.len && a.len > 0 && same_bytes(a.data, b.data, a.len);
}

/* The key is not empty. A field without a key has none that long, nor has the end of a table. */
static inline bool is_field(const berth__field *field, berth_str key)
{
    return field->key_len == key.len && same_bytes(field->key, key.data, key.len);
}

/* The field of that key. Texts often have their fields in the order of the table, so the search
 * starts after the last field found. */
static const berth__field *find_field(const berth__field *fields, const berth__field *last,
                                      berth_str key)
{
    if (key.len == 0)
        return NULL;
    for (const berth__field *at = last; at->type != BERTH__FIELD_END; at++)
        if (is_field(at, key))
            return at;
    for (; fields != last; fields++)
        if (is_field(fields, key))
            return fields;
    return NULL;
}

/* The fields of a field's parts; NULL if it has none, or if Kubernetes knows more of them than the
 * table lists. */
static const berth__field *parts_of(const berth__field *field)
{
    const berth__field *end = field->fields;
    if (end == NULL || field->type == BERTH__FIELD_TABLE)
        return NULL;
    while (end->type != BERTH__FIELD_END)
        end++;
    return (end->traits & BERTH__FIELD_OPEN) == 0 ? field->fields : NULL;
}

/* `line`: of the object that has the member. */
static void tell_field(const lint *l, const berth__field *fields, const berth__field_path *path,
                       const berth__json_member *member, uint32_t line)
{
    berth_str key = member->key;
    berth_note note = {.what = BERTH_NOTE_UNKNOWN_FIELD, .word = key};
    berth_error at = {.code = BERTH_OK};
    berth__decoder decoder = {NULL, &at};
    berth__nearest nearest = berth__nearest_begin(key);
    for (; fields->type != BERTH__FIELD_END; fields++)
        if (fields->key != NULL)
            berth__nearest_try(&nearest, (berth_str){fields->key, fields->key_len});
    note.suggestion = nearest.found;
    berth__decode_fault(&decoder, path, BERTH_E_INVALID, "unknown field");
    tell(l->reader, l->item, &note, at.field, member->value.line != 0 ? member->value.line : line);
}

static void tell_duplicate(const lint *l, const berth__field_path *path,
                           const berth__json_member *member, uint32_t line)
{
    berth_note note = {.what = BERTH_NOTE_DUPLICATE_KEY, .word = member->key};
    berth_error at = {.code = BERTH_OK};
    berth__decoder decoder = {NULL, &at};
    const berth__field_path whole = {.up = path, .key = member->key};
    berth__decode_fault(&decoder, &whole, BERTH_E_INVALID, "given twice");
    tell(l->reader, l->item, &note, at.field, member->value.line != 0 ? member->value.line : line);
}

/* A map without fields of its own, such as labels. Long ones are not checked. */
static void look_at_map(const lint *l, const berth__json *value, const berth__field_path *path,
                        uint32_t line)
{
    enum { LONG = 64 };
    if (value->type != BERTH__JSON_OBJECT || value->count > LONG)
        return;
    for (uint32_t i = 1; i < value->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (same_word(value->as.members[i].key, value->as.members[k].key)) {
                tell_duplicate(l, path, &value->as.members[i], line);
                break;
            }
}

static void look_at(const lint *l, const berth__field *fields, const berth__json *value,
                    const berth__field_path *path, unsigned depth, uint32_t line);

static bool stood_before(const berth__json_member *first, const berth__json_member *member)
{
    for (; first < member; first++)
        if (same_word(first->key, member->key))
            return true;
    return false;
}

static void look_at_items(const lint *l, const berth__field *fields, const berth__json *list,
                          const berth__field_path *path, unsigned depth, uint32_t line)
{
    berth__field_path at = {.up = path};
    for (; at.index < list->count; at.index++)
        look_at(l, fields, &list->as.items[at.index], &at, depth + 1, line);
}

static void look_at_value(const lint *l, const berth__field *field,
                          const berth__json_member *member, const berth__field_path *path,
                          unsigned depth, uint32_t line)
{
    const berth__field_path at = {.up = path, .key = member->key};
    const berth__field *parts = parts_of(field);
    if (parts == NULL)
        look_at_map(l, &member->value, &at, line);
    else
        look_at(l, parts, &member->value, &at, depth + 1, line);
}

static void look_at(const lint *l, const berth__field *fields, const berth__json *value,
                    const berth__field_path *path, unsigned depth, uint32_t line)
{
    const berth__field *next = fields;
    line = value->line != 0 ? value->line : line;
    if (value->type == BERTH__JSON_ARRAY && depth < DEPTH_MAX)
        look_at_items(l, fields, value, path, depth, line);
    if (value->type != BERTH__JSON_OBJECT || depth >= DEPTH_MAX)
        return;
    const berth__json_member *end = value->as.members + value->count;
    uint64_t met = 0; /* fields seen, by place modulo 64: a set bit calls for a search */
    for (const berth__json_member *member = value->as.members; member < end; member++) {
        const berth__field *field = find_field(fields, next, member->key);
        if (field == NULL) {
            const berth__field_path at = {.up = path, .key = member->key};
            tell_field(l, fields, &at, member, line);
            continue;
        }
        const uint64_t bit = UINT64_C(1) << (field - fields) % 64;
        if ((met & bit) != 0 && stood_before(value->as.members, member))
            tell_duplicate(l, path, member, line);
        met |= bit;
        next = field + 1;
        if (BERTH_UNLIKELY(field->fields != NULL || member->value.type == BERTH__JSON_OBJECT))
            look_at_value(l, field, member, path, depth, line);
    }
}

/* ---- kinds ---- */

/* Source: kubernetes v1.32 to v1.36, api/discovery. */
static bool is_served(const berth__kind_info *known, berth_str version)
{
    return same_word(version, known->api_version) ||
           (known->of_devices && (berth__str_is(version, "resource.k8s.io/v1beta1") ||
                                  berth__str_is(version, "resource.k8s.io/v1beta2")));
}

/* Whether a kind belongs to a third party's API group, perhaps under the name of a Kubernetes kind:
 * Node of longhorn.io. Kubernetes' own groups have no dot or end with k8s.io. */
static bool is_foreign(berth_str api_version)
{
    static const char own[] = ".k8s.io";
    const char *slash = api_version.len > 0 ? memchr(api_version.data, '/', api_version.len) : NULL;
    if (slash == NULL)
        return false;
    const size_t len = (size_t)(slash - api_version.data), tail = sizeof(own) - 1;
    return memchr(api_version.data, '.', len) != NULL &&
           (len < tail || memcmp(slash - tail, own, tail) != 0);
}

void berth__note_item(berth_reader *reader, const berth__item *item)
{
    if (reader->options.note == NULL || reader->finishing)
        return;
    const berth__kind_info *known = reader->last_known;
    if (known == NULL || !same_word(known->name, item->kind))
        reader->last_known = known = berth__kind_info_named(item->kind);
    if (known == NULL || is_seen(item) || is_foreign(item->api_version))
        return;
    const lint l = {reader, item};
    if (!is_served(known, item->api_version)) {
        berth_note note = {.what = BERTH_NOTE_API_VERSION,
                           .word = item->api_version,
                           .suggestion = known->api_version};
        tell(reader, item, &note, "apiVersion", berth__json_line_of(item->tree, "apiVersion"));
    }
    look_at(&l, known->fields, item->tree, NULL, 0, 0);
}

static bool is_listed(const char *list, berth_str word)
{
    while (list != NULL && *list != '\0') {
        size_t len = strcspn(list, ",");
        if (berth__str_eq((berth_str){list, (uint32_t)len}, word))
            return true;
        list += len + (list[len] == ',');
    }
    return false;
}

void berth__note_passed_over(berth_reader *reader, const berth__item *item)
{
    berth_note note = {.what = BERTH_NOTE_PASSED_OVER};
    berth__encoder encoder;
    if (reader->options.note == NULL || berth__is_workload(item))
        return;
    berth__encoder_init(&encoder, reader->allocator);
    if (is_listed(reader->options.whole_kinds, item->kind)) {
        berth__encode_tree(&encoder, item->tree, DEPTH_MAX);
        if (encoder.ok)
            note.text = (berth_str){encoder.bytes, (uint32_t)encoder.count};
    }
    berth__nearest nearest = berth__nearest_begin(item->kind);
    bool is_known = berth__kind_info_named(item->kind) != NULL;
    for (uint32_t i = 0; !is_known && berth__kind_info_at(i) != NULL; i++)
        berth__nearest_try(&nearest, berth__kind_info_at(i)->name);
    note.suggestion = nearest.found;
    tell(reader, item, &note, "", item->tree != NULL ? item->tree->line : 0);
    berth__encoder_destroy(&encoder);
}
