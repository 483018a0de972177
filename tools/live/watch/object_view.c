/* Walks over JSON text and copies the fields to keep. The rest of the text is not validated; the
 * reader of objects validates the fields that are kept. */
#include "live/watch/object_view.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "live/watch/kept_fields.h"

enum { NESTED_MAX = 64 };

typedef struct walk {
    const char *end;
    object_view *view;
    berth_str facts[FACT_COUNT];
} walk;

/* ---- values ---- */

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

/* What begins or ends a string or a nested value. */
static const bool marks[256] = {
    ['"'] = true, ['{'] = true, ['}'] = true, ['['] = true, [']'] = true};

/* Returns the position behind the string that begins at `at`; NULL if the string does not end. A
 * quote ends it unless an odd number of backslashes is in front. */
static const char *skip_string(const char *at, const char *end)
{
    const char *from = ++at; /* no backslash before it counts */
    while ((at = memchr(at, '"', (size_t)(end - at))) != NULL) {
        const char *back = at;
        while (back > from && back[-1] == '\\')
            back--;
        if ((at - back) % 2 == 0)
            return at + 1;
        from = ++at;
    }
    return NULL;
}

/* Returns the position behind the object or array that begins at `at`; NULL if it does not end. */
static const char *skip_nested(const char *at, const char *end)
{
    uint32_t depth = 0;
    while (at < end) {
        while (at < end && !marks[(unsigned char)*at])
            at++;
        if (at >= end)
            return NULL;
        if (*at == '"') {
            at = skip_string(at, end);
            if (at == NULL)
                return NULL;
            continue;
        }
        depth += *at == '{' || *at == '[' ? 1 : UINT32_MAX;
        at++;
        if (depth == 0)
            return at;
    }
    return NULL;
}

/* Returns the position behind the value that begins at `at`; NULL if the value does not end. */
static const char *skip_value(const char *at, const char *end)
{
    const char *from = at;
    if (at < end && *at == '"')
        return skip_string(at, end);
    if (at < end && (*at == '{' || *at == '['))
        return skip_nested(at, end);
    while (at < end && *at != ',' && *at != '}' && *at != ']' && skip_space(at, end) == at)
        at++;
    return at > from ? at : NULL;
}

/* The next member of an object: its key (without quotes) and the start of its value. `*at` is
 * behind the opening brace or behind a value. Returns 1, 0 at the end, -1 if the text is
 * malformed. */
static int next_member(const char **at, const char *end, berth_str *key)
{
    const char *now = skip_space(*at, end);
    if (now < end && *now == ',')
        now = skip_space(now + 1, end);
    if (now < end && *now == '}') {
        *at = now + 1;
        return 0;
    }
    if (now >= end || *now != '"')
        return -1;
    const char *behind = skip_string(now, end);
    if (behind == NULL)
        return -1;
    *key = (berth_str){now + 1, (uint32_t)(behind - now - 2)};
    now = skip_space(behind, end);
    if (now >= end || *now != ':')
        return -1;
    *at = skip_space(now + 1, end);
    return *at < end ? 1 : -1;
}

berth_str json_member(berth_str object, const char *key)
{
    const char *end = object.data + object.len, *at = skip_space(object.data, end);
    berth_str found;
    size_t length = strlen(key);
    if (at >= end || *at++ != '{')
        return (berth_str){0};
    while (next_member(&at, end, &found) == 1) {
        const char *from = at;
        at = skip_value(at, end);
        if (at == NULL)
            break;
        if (found.len == length && memcmp(found.data, key, length) == 0)
            return (berth_str){from, (uint32_t)(at - from)};
    }
    return (berth_str){0};
}

berth_str json_plain_string(berth_str value)
{
    if (value.len < 2 || value.data[0] != '"' || memchr(value.data, '\\', value.len) != NULL)
        return (berth_str){0};
    return (berth_str){value.data + 1, value.len - 2};
}

/* ---- kept fields ---- */

static void put(object_view *view, const char *bytes, size_t count)
{
    view->kept = heap_grow(view->kept, &view->kept_capacity, view->kept_bytes + count + 1, 1);
    memcpy(view->kept + view->kept_bytes, bytes, count);
    view->kept_bytes += count;
}

static const kept_field *find_field(const kept_field *fields, berth_str key)
{
    for (; fields->key != NULL; fields++)
        if (fields->key_bytes == key.len && memcmp(fields->key, key.data, key.len) == 0)
            return fields;
    return NULL;
}

static const char *keep_value(walk *w, const char *at, const kept_field *field, int depth);

static const char *keep_object(walk *w, const char *at, const kept_field *fields, int depth)
{
    berth_str key;
    bool first = true;
    int more;
    put(w->view, "{", 1);
    at++;
    while ((more = next_member(&at, w->end, &key)) == 1) {
        const kept_field *field = find_field(fields, key);
        if (field == NULL) {
            at = skip_value(at, w->end);
        } else {
            if (!first && !field->fact_only)
                put(w->view, ",", 1);
            if (!field->fact_only) {
                first = false;
                put(w->view, key.data - 1, key.len + 2);
                put(w->view, ":", 1);
            }
            at = keep_value(w, at, field, depth + 1);
        }
        if (at == NULL)
            return NULL;
    }
    put(w->view, "}", 1);
    return more == 0 ? at : NULL;
}

static bool is(berth_str text, const char *word)
{
    return text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

static void note_condition(walk *w, berth_str element)
{
    berth_str type = json_plain_string(json_member(element, "type"));
    if (is(type, "PodScheduled") || is(type, "PodGroupInitiallyScheduled"))
        w->facts[FACT_SCHEDULED] = element;
}

/* Read an array of conditions without keeping it. */
static const char *note_conditions(walk *w, const char *at)
{
    at = skip_space(at + 1, w->end);
    while (at < w->end && *at != ']') {
        const char *from = at;
        at = skip_value(at, w->end);
        if (at == NULL)
            return NULL;
        note_condition(w, (berth_str){from, (uint32_t)(at - from)});
        at = skip_space(at, w->end);
        if (at < w->end && *at == ',')
            at = skip_space(at + 1, w->end);
    }
    return at < w->end ? at + 1 : NULL;
}

static const char *keep_array(walk *w, const char *at, const kept_field *field, int depth)
{
    bool first = true;
    put(w->view, "[", 1);
    at = skip_space(at + 1, w->end);
    while (at < w->end && *at != ']') {
        if (!first) {
            if (*at != ',')
                return NULL;
            put(w->view, ",", 1);
            at = skip_space(at + 1, w->end);
        }
        const char *from = at;
        kept_field element = *field;
        element.fact = FACT_NONE;
        at = keep_value(w, at, &element, depth + 1);
        if (at == NULL)
            return NULL;
        if (field->fact == FACT_CONDITIONS)
            note_condition(w, (berth_str){from, (uint32_t)(at - from)});
        first = false;
        at = skip_space(at, w->end);
    }
    if (at >= w->end)
        return NULL;
    put(w->view, "]", 1);
    return at + 1;
}

static const char *keep_value(walk *w, const char *at, const kept_field *field, int depth)
{
    if (depth > NESTED_MAX || at >= w->end)
        return NULL;
    if (field->inner != NULL && *at == '{')
        return keep_object(w, at, field->inner, depth);
    if (field->inner != NULL && *at == '[')
        return keep_array(w, at, field, depth);
    if (field->fact == FACT_CONDITIONS && *at == '[')
        return note_conditions(w, at);
    const char *behind = skip_value(at, w->end);
    if (behind == NULL)
        return NULL;
    if (field->fact != FACT_NONE)
        w->facts[field->fact] = (berth_str){at, (uint32_t)(behind - at)};
    if (!field->fact_only)
        put(w->view, at, (size_t)(behind - at));
    return behind;
}

/* ---- the view ---- */

/* A 64-bit hash of a text: eight bytes at a time, multiplied and folded. */
static uint64_t hash_of(const char *bytes, size_t count)
{
    uint64_t hash = 0x9e3779b97f4a7c15U ^ count;
    while (count > 0) {
        uint64_t word = 0;
        size_t taken = count < 8 ? count : 8;
        memcpy(&word, bytes, taken);
        hash = (hash ^ word) * 0xd6e8feb86659fd93U;
        hash ^= hash >> 32;
        bytes += taken;
        count -= taken;
    }
    hash *= 0xd6e8feb86659fd93U;
    return hash ^ (hash >> 29);
}

static uint64_t number_of(berth_str digits)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < digits.len; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9' || number > UINT64_MAX / 10 - 1)
            return 0;
        number = number * 10 + (uint64_t)(digits.data[i] - '0');
    }
    return number;
}

static void take_facts(object_view *view, const berth_str *facts)
{
    view->name = json_plain_string(facts[FACT_NAME]);
    view->namespace_name = json_plain_string(facts[FACT_NAMESPACE]);
    view->uid = json_plain_string(facts[FACT_UID]);
    view->version = number_of(json_plain_string(facts[FACT_VERSION]));
    view->generation = (int64_t)number_of(facts[FACT_GENERATION]);
    view->node_name = json_plain_string(facts[FACT_NODE_NAME]);
    view->scheduler_name = json_plain_string(facts[FACT_SCHEDULER_NAME]);
    view->nominated_node_name = json_plain_string(facts[FACT_NOMINATED]);
    view->scheduled = facts[FACT_SCHEDULED];
}

bool object_view_read(object_view *view, berth_kind kind, const char *text, size_t length)
{
    walk w = {.end = text + length, .view = view};
    const kept_kind *kept = kept_fields_of(kind);
    const char *at = skip_space(text, w.end);
    if (at >= w.end || *at != '{' || length > UINT32_MAX)
        return false;
    view->kept_bytes = 0;
    put(view, kept->heading, strlen(kept->heading));
    size_t body = view->kept_bytes;
    at = keep_object(&w, at, kept->fields, 0);
    if (at == NULL || skip_space(at, w.end) != w.end)
        return false;
    take_facts(view, w.facts);
    if (view->name.len == 0)
        return false;
    view->hash = hash_of(view->kept + body, view->kept_bytes - body);
    /* The heading ends with a brace and a comma, and every kind keeps its name: blank out the
     * object's own brace. */
    view->kept[body] = ' ';
    return true;
}

void object_view_free(object_view *view)
{
    free(view->kept);
    *view = (object_view){0};
}

/* The object of a watch event as the API server writes it: with the type first and nothing behind
 * the object. Then its end is that of the line, and need not be searched for. Returns false for
 * other events. */
static bool read_usual_event(berth_str line, berth_str *type, berth_str *object)
{
    const char *end = line.data + line.len, *at = skip_space(line.data, end);
    berth_str key;
    if (at >= end || *at++ != '{' || next_member(&at, end, &key) != 1 || !is(key, "type"))
        return false;
    const char *from = at;
    at = skip_value(at, end);
    if (at == NULL)
        return false;
    *type = json_plain_string((berth_str){from, (uint32_t)(at - from)});
    if (next_member(&at, end, &key) != 1 || !is(key, "object"))
        return false;
    while (end > at && skip_space(end - 1, end) == end)
        end--;
    if (end - at < 3 || end[-1] != '}' || end[-2] != '}')
        return false;
    *object = (berth_str){at, (uint32_t)(end - 1 - at)};
    return true;
}

bool watch_event_read(const char *text, size_t length, berth_str *type, berth_str *object)
{
    const berth_str line = {text, (uint32_t)length};
    if (length > UINT32_MAX)
        return false;
    if (!read_usual_event(line, type, object)) {
        *type = json_plain_string(json_member(line, "type"));
        *object = json_member(line, "object");
    }
    return type->data != NULL && object->len > 1 && object->data[0] == '{';
}
