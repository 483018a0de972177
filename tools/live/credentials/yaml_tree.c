/* Builds a tree from libyaml's events. Aliases share the value that they name; so a short text
 * cannot expand without bound. */
#include "live/credentials/yaml_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "cli/exits.h"

enum { DEPTH_MAX = 100, ANCHORS_MAX = 64 };

typedef struct composer {
    yaml_parser_t yaml;
    yaml_event_t event; /* the current event */
    const char *source;
    berth_error *error;
    struct {
        char *name;
        json_t *value;
    } anchors[ANCHORS_MAX];
    size_t anchor_count;
    int depth;
} composer;

static json_t *compose(composer *c);

static void fault(composer *c, yaml_mark_t mark, const char *what)
{
    error_set(c->error, BERTH_E_PARSE, c->source, "%s", what);
    c->error->line = (uint32_t)mark.line + 1;
    c->error->column = (uint32_t)mark.column + 1;
}

static bool next_event(composer *c)
{
    yaml_event_delete(&c->event);
    if (yaml_parser_parse(&c->yaml, &c->event))
        return true;
    memset(&c->event, 0, sizeof(c->event));
    fault(c, c->yaml.problem_mark, c->yaml.problem != NULL ? c->yaml.problem : "not YAML");
    return false;
}

static bool keep_anchor(composer *c, const yaml_char_t *name, json_t *value)
{
    if (name == NULL)
        return true;
    if (c->anchor_count == ANCHORS_MAX) {
        fault(c, c->event.start_mark, "more than 64 anchors");
        return false;
    }
    c->anchors[c->anchor_count].name = strdup((const char *)name);
    c->anchors[c->anchor_count++].value = json_incref(value);
    return true;
}

static json_t *follow_alias(composer *c)
{
    const char *name = (const char *)c->event.data.alias.anchor;
    for (size_t i = c->anchor_count; i-- > 0;)
        if (strcmp(c->anchors[i].name, name) == 0)
            return json_incref(c->anchors[i].value);
    fault(c, c->event.start_mark, "an alias of an anchor that is not defined before it");
    return NULL;
}

static json_t *compose_scalar(composer *c)
{
    const char *text = (const char *)c->event.data.scalar.value;
    size_t length = c->event.data.scalar.length;
    json_t *value;
    bool plain = c->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (plain &&
        (strcmp(text, "true") == 0 || strcmp(text, "True") == 0 || strcmp(text, "TRUE") == 0))
        value = json_true();
    else if (plain && (strcmp(text, "false") == 0 || strcmp(text, "False") == 0 ||
                       strcmp(text, "FALSE") == 0))
        value = json_false();
    else if (plain && (length == 0 || strcmp(text, "~") == 0 || strcmp(text, "null") == 0))
        value = json_null();
    else
        value = json_stringn(text, length);
    if (value == NULL)
        fault(c, c->event.start_mark, "not UTF-8");
    else if (!keep_anchor(c, c->event.data.scalar.anchor, value)) {
        json_decref(value);
        value = NULL;
    }
    return value;
}

static json_t *compose_sequence(composer *c)
{
    json_t *array = json_array();
    char *anchor = c->event.data.sequence_start.anchor != NULL
                       ? strdup((const char *)c->event.data.sequence_start.anchor)
                       : NULL;
    bool good = true;
    while ((good = next_event(c)) && c->event.type != YAML_SEQUENCE_END_EVENT) {
        json_t *item = compose(c);
        good = item != NULL && json_array_append_new(array, item) == 0;
        if (!good)
            break;
    }
    good = good && keep_anchor(c, (const yaml_char_t *)anchor, array);
    free(anchor);
    if (good)
        return array;
    json_decref(array);
    return NULL;
}

/* Members of the object itself win over those that `<<` merges in. */
static bool merge(composer *c, json_t *object, json_t *from, yaml_mark_t mark)
{
    if (json_is_array(from)) {
        size_t i;
        json_t *item;
        json_array_foreach(from, i, item) if (!json_is_object(item) ||
                                              json_object_update_missing(object, item) != 0) break;
        if (i == json_array_size(from))
            return true;
    } else if (json_is_object(from) && json_object_update_missing(object, from) == 0)
        return true;
    fault(c, mark, "`<<` merges a mapping or a list of mappings");
    return false;
}

static bool compose_member(composer *c, json_t *object, json_t **merged, yaml_mark_t *merge_mark)
{
    yaml_mark_t mark = c->event.start_mark;
    if (c->event.type != YAML_SCALAR_EVENT) {
        fault(c, mark, "a key is expected to be a string");
        return false;
    }
    char *key = strdup((const char *)c->event.data.scalar.value);
    bool is_merge = strcmp(key, "<<") == 0 && c->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    json_t *value = next_event(c) ? compose(c) : NULL;
    bool good = value != NULL;
    if (good && is_merge) {
        json_decref(*merged);
        *merged = value;
        *merge_mark = mark;
    } else if (good && json_object_set_new(object, key, value) != 0) {
        fault(c, mark, "the key is not UTF-8");
        good = false;
    }
    free(key);
    return good;
}

static json_t *compose_mapping(composer *c)
{
    json_t *object = json_object(), *merged = NULL;
    yaml_mark_t merge_mark = c->event.start_mark;
    char *anchor = c->event.data.mapping_start.anchor != NULL
                       ? strdup((const char *)c->event.data.mapping_start.anchor)
                       : NULL;
    bool good;
    while ((good = next_event(c)) && c->event.type != YAML_MAPPING_END_EVENT)
        if (!(good = compose_member(c, object, &merged, &merge_mark)))
            break;
    good = good && (merged == NULL || merge(c, object, merged, merge_mark));
    good = good && keep_anchor(c, (const yaml_char_t *)anchor, object);
    free(anchor);
    json_decref(merged);
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

/* Returns the value that begins with the current event. Afterwards the current event is its last
 * one. */
static json_t *compose(composer *c)
{
    if (c->depth == DEPTH_MAX) {
        fault(c, c->event.start_mark, "nested more than 100 deep");
        return NULL;
    }
    c->depth++;
    json_t *value = NULL;
    switch (c->event.type) {
    case YAML_ALIAS_EVENT:
        value = follow_alias(c);
        break;
    case YAML_SCALAR_EVENT:
        value = compose_scalar(c);
        break;
    case YAML_SEQUENCE_START_EVENT:
        value = compose_sequence(c);
        break;
    case YAML_MAPPING_START_EVENT:
        value = compose_mapping(c);
        break;
    default:
        fault(c, c->event.start_mark, "a value is expected");
    }
    c->depth--;
    return value;
}

static json_t *compose_document(composer *c)
{
    do {
        if (!next_event(c))
            return NULL;
        if (c->event.type == YAML_STREAM_END_EVENT) {
            fault(c, c->event.start_mark, "there is no document");
            return NULL;
        }
    } while (c->event.type != YAML_DOCUMENT_START_EVENT);
    return next_event(c) ? compose(c) : NULL;
}

json_t *yaml_tree_read(berth_str text, const char *source, berth_error *error)
{
    berth_error unused = {.code = BERTH_OK};
    composer c = {.source = source, .error = error != NULL ? error : &unused};
    if (!yaml_parser_initialize(&c.yaml)) {
        error_set(c.error, BERTH_E_NOMEM, source, "no memory for a YAML parser");
        return NULL;
    }
    yaml_parser_set_encoding(&c.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&c.yaml, (const unsigned char *)text.data, text.len);
    json_t *tree = compose_document(&c);
    yaml_event_delete(&c.event);
    yaml_parser_delete(&c.yaml);
    for (size_t i = 0; i < c.anchor_count; i++) {
        free(c.anchors[i].name);
        json_decref(c.anchors[i].value);
    }
    return tree;
}

const char *yaml_tree_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL && text[0] != '\0' ? text : NULL;
}
