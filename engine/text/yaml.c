/* YAML documents to trees, from libyaml's events. Kubernetes' own YAML reader descends from
 * libyaml, so both accept the same texts. Values are collected on a stack and copied to the arena
 * when their container closes. */
#include "text/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/names.h"
#include "base/text.h"
#include "text/json_fault.h"
#include "text/yaml_scalar.h"

enum { DEPTH_MAX = 1024, EXPANDED_MAX = 1000000, LINE_MAX_KEPT = (1 << 24) - 1 };

typedef struct anchor {
    berth_str name;
    berth__json value;
    uint64_t weight; /* number of values in it, including those reached by aliases */
} anchor;

typedef struct composer {
    yaml_parser_t yaml;
    yaml_event_t event; /* the current event */
    bool has_event;
    berth__arena *arena;
    berth_error *error;
    berth_str text;
    berth__json_member *stack;
    uint32_t stack_count;
    uint32_t stack_capacity;
    anchor *anchors;
    uint32_t anchor_count;
    uint32_t anchor_capacity;
    berth__names anchor_names;
    uint64_t weight;   /* values composed so far in this document */
    uint64_t expanded; /* values that came from aliases, in all documents */
    unsigned depth;
} composer;

/* libyaml counts characters, but an error needs bytes. */
static size_t byte_offset(berth_str text, size_t characters)
{
    size_t at = 0;
    while (at < text.len && characters > 0) {
        at++;
        while (at < text.len && (text.data[at] & 0xc0) == 0x80)
            at++;
        characters--;
    }
    return at;
}

static berth_status fault_at(composer *c, yaml_mark_t mark, const char *message, const char *detail)
{
    berth__error_set(c->error, BERTH_E_PARSE, "%s%s", message, detail);
    if (c->error != NULL) {
        c->error->line = (uint32_t)mark.line + 1;
        c->error->column = (uint32_t)mark.column + 1;
        c->error->offset = byte_offset(c->text, mark.index);
    }
    return BERTH_E_PARSE;
}

static berth_status no_memory(composer *c)
{
    return berth__error_set(c->error, BERTH_E_NOMEM, "out of memory while reading YAML");
}

static berth_status library_fault(composer *c)
{
    yaml_parser_t *y = &c->yaml;
    char text[256];
    if (y->error == YAML_MEMORY_ERROR)
        return no_memory(c);
    if (y->error == YAML_READER_ERROR) {
        berth__error_set(c->error, BERTH_E_PARSE, "not YAML: %s", y->problem);
        if (c->error != NULL) {
            c->error->offset = y->problem_offset;
            berth__text_position(c->text.data, y->problem_offset, &c->error->line,
                                 &c->error->column);
        }
        return BERTH_E_PARSE;
    }
    snprintf(text, sizeof(text), "%s%s%s", y->problem != NULL ? y->problem : "malformed",
             y->context != NULL ? ", " : "", y->context != NULL ? y->context : "");
    return fault_at(c, y->problem_mark, "not YAML: ", text);
}

static berth_status next_event(composer *c)
{
    if (c->has_event)
        yaml_event_delete(&c->event);
    c->has_event = yaml_parser_parse(&c->yaml, &c->event) != 0;
    return c->has_event ? BERTH_OK : library_fault(c);
}

static uint32_t line_of(yaml_mark_t mark)
{
    return mark.line < LINE_MAX_KEPT ? (uint32_t)mark.line + 1 : LINE_MAX_KEPT;
}

static berth_str c_str(const yaml_char_t *text)
{
    if (text == NULL)
        return (berth_str){0};
    return berth__text_of((const char *)text);
}

static berth_status push(composer *c, const berth__json_member *member)
{
    if (!berth__grow(c->arena->allocator, &c->stack, &c->stack_capacity, c->stack_count + 1,
                     sizeof(*c->stack)))
        return no_memory(c);
    c->stack[c->stack_count++] = *member;
    return BERTH_OK;
}

/* ---- anchors and aliases ---- */

static berth_status keep_anchor(composer *c, berth_str name, const berth__json *value,
                                uint64_t weight)
{
    if (name.data == NULL)
        return BERTH_OK;
    if (!berth__grow(c->arena->allocator, &c->anchors, &c->anchor_capacity, c->anchor_count + 1,
                     sizeof(*c->anchors)))
        return no_memory(c);
    c->anchors[c->anchor_count++] = (anchor){name, *value, weight};
    if (!berth__names_follow(c->arena, &c->anchor_names, c->anchors, sizeof(*c->anchors),
                             c->anchor_count))
        return no_memory(c);
    berth__names_put(&c->anchor_names);
    return BERTH_OK;
}

static berth_status follow_alias(composer *c, berth__json *out)
{
    berth_str name = c_str(c->event.data.alias.anchor);
    uint32_t found = berth__names_find(&c->anchor_names, name);
    if (found == BERTH__NAMES_NONE)
        return fault_at(c, c->event.start_mark,
                        "alias of an anchor that is not defined before it: *", name.data);
    const anchor *a = &c->anchors[found];
    c->weight += a->weight;
    c->expanded += a->weight;
    if (c->expanded > EXPANDED_MAX)
        return fault_at(c, c->event.start_mark, "aliases expand to more than a million values", "");
    *out = a->value;
    return BERTH_OK;
}

/* ---- values ---- */

static berth_status compose(composer *c, berth__json *out);

static berth_status compose_scalar(composer *c, berth__json *out)
{
    bool ok = true;
    bool plain = c->event.data.scalar.plain_implicit;
    berth_str tag = c_str(c->event.data.scalar.tag);
    berth_str text = {(const char *)c->event.data.scalar.value,
                      (uint32_t)c->event.data.scalar.length};
    /* A tag decides the type even of quoted text. With any other tag libyaml says that the text is
     * not plain, so it stays a string. */
    if (berth__str_is(tag, YAML_INT_TAG) || berth__str_is(tag, YAML_FLOAT_TAG) ||
        berth__str_is(tag, YAML_BOOL_TAG) || berth__str_is(tag, YAML_NULL_TAG))
        plain = true;
    text = berth__arena_str(c->arena, text, &ok);
    if (!ok)
        return no_memory(c);
    *out = (berth__json){.type = BERTH__JSON_STRING, .as.text = text};
    if (plain && !berth__yaml_scalar(c->arena, text, out))
        return no_memory(c);
    return BERTH_OK;
}

static berth_status compose_sequence(composer *c, berth__json *out)
{
    uint32_t base = c->stack_count;
    for (;;) {
        berth__json_member element = {0};
        BERTH_TRY(next_event(c));
        if (c->event.type == YAML_SEQUENCE_END_EVENT)
            break;
        BERTH_TRY(compose(c, &element.value));
        BERTH_TRY(push(c, &element));
    }
    uint32_t count = c->stack_count - base;
    berth__json *items =
        berth__arena_alloc(c->arena, count * sizeof(*items), _Alignof(berth__json));
    if (items == NULL)
        return no_memory(c);
    for (uint32_t i = 0; i < count; i++)
        items[i] = c->stack[base + i].value;
    c->stack_count = base;
    *out = (berth__json){.type = BERTH__JSON_ARRAY, .count = count, .as.items = items};
    return BERTH_OK;
}

/* The text of the current key. JSON knows only string keys, so numbers and booleans become text. */
static berth_status compose_key(composer *c, berth_str *out, bool *merge)
{
    berth__json key;
    yaml_mark_t mark = c->event.start_mark;
    *merge = c->event.type == YAML_SCALAR_EVENT && c->event.data.scalar.plain_implicit &&
             berth__str_is(c_str(c->event.data.scalar.value), "<<");
    BERTH_TRY(compose(c, &key));
    switch (key.type) {
    case BERTH__JSON_STRING:
    case BERTH__JSON_NUMBER:
        *out = key.as.text;
        return BERTH_OK;
    case BERTH__JSON_BOOL:
        *out = key.count ? BERTH_STR("true") : BERTH_STR("false");
        return BERTH_OK;
    default:
        return fault_at(c, mark, "a key must be a string, a number or a boolean", "");
    }
}

static berth_status push_members(composer *c, const berth__json *from, yaml_mark_t mark)
{
    if (from->type != BERTH__JSON_OBJECT)
        return fault_at(c, mark, "`<<` merges a mapping or a list of mappings", "");
    for (uint32_t i = 0; i < from->count; i++)
        BERTH_TRY(push(c, &from->as.members[i]));
    return BERTH_OK;
}

/* Of members with one key, the last one counts. So a merged list is pushed back to front. */
static berth_status push_merged(composer *c, const berth__json *from, yaml_mark_t mark)
{
    if (from->type != BERTH__JSON_ARRAY)
        return push_members(c, from, mark);
    for (uint32_t i = from->count; i-- > 0;)
        BERTH_TRY(push_members(c, &from->as.items[i], mark));
    return BERTH_OK;
}

/* By key, and members with one key in their order. */
static int by_key(const void *a, const void *b)
{
    const berth__json_member *left = *(const berth__json_member *const *)a;
    const berth__json_member *right = *(const berth__json_member *const *)b;
    const int order = berth__str_cmp(left->key, right->key);
    return order != 0 ? order : left < right ? -1 : 1;
}

/* Leave out each of the first `extra` members, which are merged, that a later one replaces. */
static berth_status drop_replaced(composer *c, berth__json_member *members, uint32_t extra,
                                  uint32_t *count)
{
    const berth__json_member **sorted =
        berth__arena_alloc(c->arena, *count * sizeof(const void *), _Alignof(void *));
    const uint32_t replaced = UINT32_MAX; /* longer than any text */
    uint32_t kept = 0;
    if (sorted == NULL)
        return no_memory(c);
    for (uint32_t i = 0; i < *count; i++)
        sorted[i] = &members[i];
    qsort(sorted, *count, sizeof(const void *), by_key);
    for (uint32_t i = 0; i + 1 < *count; i++) {
        berth__json_member *one = &members[sorted[i] - members];
        if (one < members + extra && berth__str_eq(one->key, sorted[i + 1]->key))
            one->key.len = replaced;
    }
    for (uint32_t i = 0; i < *count; i++)
        if (members[i].key.len != replaced)
            members[kept++] = members[i];
    *count = kept;
    return BERTH_OK;
}

/* Copy the members above `base` to the arena: first the merged ones, then the mapping's own. */
static berth_status close_mapping(composer *c, uint32_t base, const berth__json *merged,
                                  yaml_mark_t mark, berth__json *out)
{
    uint32_t own = c->stack_count;
    if (merged->type != BERTH__JSON_NULL)
        BERTH_TRY(push_merged(c, merged, mark));
    uint32_t count = c->stack_count - base;
    uint32_t extra = c->stack_count - own;
    berth__json_member *members =
        berth__arena_alloc(c->arena, count * sizeof(*members), _Alignof(berth__json_member));
    if (members == NULL)
        return no_memory(c);
    if (count > 0) {
        memcpy(members, c->stack + own, extra * sizeof(*members));
        memcpy(members + extra, c->stack + base, (own - base) * sizeof(*members));
    }
    if (extra > 0)
        BERTH_TRY(drop_replaced(c, members, extra, &count));
    c->stack_count = base;
    *out = (berth__json){.type = BERTH__JSON_OBJECT, .count = count, .as.members = members};
    return BERTH_OK;
}

static berth_status compose_mapping(composer *c, berth__json *out)
{
    uint32_t base = c->stack_count;
    berth__json merged = {0};
    yaml_mark_t merge_mark = {0};
    for (;;) {
        berth__json_member member = {0};
        bool merge;
        BERTH_TRY(next_event(c));
        if (c->event.type == YAML_MAPPING_END_EVENT)
            return close_mapping(c, base, &merged, merge_mark, out);
        yaml_mark_t mark = c->event.start_mark;
        BERTH_TRY(compose_key(c, &member.key, &merge));
        BERTH_TRY(next_event(c));
        BERTH_TRY(compose(c, &member.value));
        member.value.line = line_of(mark);
        if (merge) {
            merged = member.value;
            merge_mark = mark;
        } else {
            BERTH_TRY(push(c, &member));
        }
    }
}

/* Compose the value that begins with the current event. */
static berth_status compose(composer *c, berth__json *out)
{
    bool ok = true;
    uint64_t before = c->weight++;
    const yaml_event_t *event = &c->event;
    uint32_t line = line_of(event->start_mark);
    const yaml_char_t *raw_name =
        event->type == YAML_SCALAR_EVENT           ? event->data.scalar.anchor
        : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.anchor
        : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.anchor
                                                   : NULL;
    berth_str name = berth__arena_str(c->arena, c_str(raw_name), &ok);
    if (!ok)
        return no_memory(c);
    if (c->depth == DEPTH_MAX)
        return fault_at(c, event->start_mark, "more than 1024 levels of nesting", "");
    c->depth++;
    berth_status status = BERTH_E_INTERNAL;
    if (event->type == YAML_ALIAS_EVENT)
        status = follow_alias(c, out);
    else if (event->type == YAML_SCALAR_EVENT)
        status = compose_scalar(c, out);
    else if (event->type == YAML_SEQUENCE_START_EVENT)
        status = compose_sequence(c, out);
    else if (event->type == YAML_MAPPING_START_EVENT)
        status = compose_mapping(c, out);
    c->depth--;
    if (status == BERTH_OK)
        out->line = line;
    return status != BERTH_OK ? status : keep_anchor(c, name, out, c->weight - before);
}

static berth_status compose_documents(composer *c, berth__yaml_fn each, void *context)
{
    for (;;) {
        BERTH_TRY(next_event(c));
        if (c->event.type == YAML_STREAM_END_EVENT)
            return BERTH_OK;
        if (c->event.type != YAML_DOCUMENT_START_EVENT)
            continue;
        c->anchor_count = 0;
        c->anchor_names = (berth__names){0};
        c->weight = 0;
        berth__json *root = berth__arena_alloc(c->arena, sizeof(*root), _Alignof(berth__json));
        if (root == NULL)
            return no_memory(c);
        BERTH_TRY(next_event(c));
        uint32_t line = (uint32_t)c->event.start_mark.line + 1;
        BERTH_TRY(compose(c, root));
        BERTH_TRY(each(context, root, line, c->error));
    }
}

berth_status berth__yaml_parse(berth__arena *arena, berth_str text, berth__yaml_fn each,
                               void *context, berth_error *error)
{
    composer c = {.arena = arena, .error = error, .text = text};
    if (yaml_parser_initialize(&c.yaml) == 0)
        return no_memory(&c);
    yaml_parser_set_encoding(&c.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&c.yaml, (const unsigned char *)text.data, text.len);
    berth_status status = compose_documents(&c, each, context);
    if (c.has_event)
        yaml_event_delete(&c.event);
    yaml_parser_delete(&c.yaml);
    berth__free(arena->allocator, c.stack, c.stack_capacity * sizeof(*c.stack));
    berth__free(arena->allocator, c.anchors, c.anchor_capacity * sizeof(*c.anchors));
    return status;
}
