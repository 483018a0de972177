/* JSON text to a tree of values. Only this module knows the JSON library; decoders read the tree.
 * YAML is turned into the same tree (yaml.h). */
#ifndef BERTH_TEXT_JSON_H
#define BERTH_TEXT_JSON_H

#include <string.h>

#include "base/arena.h"
#include "berth/status.h"

typedef enum berth__json_type {
    BERTH__JSON_NULL = 0,
    BERTH__JSON_BOOL,
    BERTH__JSON_NUMBER, /* text: as written, so that 0.1 stays exact */
    BERTH__JSON_STRING, /* text: unescaped UTF-8 */
    BERTH__JSON_ARRAY,
    BERTH__JSON_OBJECT,
} berth__json_type;

typedef struct berth__json_member berth__json_member;

typedef struct berth__json {
    uint32_t type : 8;  /* a berth__json_type */
    uint32_t line : 24; /* in YAML: where it, or the key in front of it, begins; 0: unknown */
    uint32_t count;     /* elements or members; 1 for true, 0 for false */
    union {
        berth_str text;
        const struct berth__json *items;
        const berth__json_member *members;
    } as;
} berth__json;

struct berth__json_member {
    berth_str key;
    berth__json value;
};

/* A parser keeps its buffers from one text to the next. */
typedef struct berth__json_parser berth__json_parser;
berth_status berth__json_parser_create(const berth_allocator *allocator, berth__json_parser **out);
void berth__json_parser_destroy(berth__json_parser *parser);

/* Parse one value that fills `text`. The tree lives in `arena`, strings included (strings without
 * escapes may point into `text`). Errors: BERTH_E_PARSE (with line, column and offset within
 * `text`; also for nesting deeper than 1024), BERTH_E_NOMEM. */
berth_status berth__json_parse(berth__json_parser *parser, berth__arena *arena, berth_str text,
                               const berth__json **out, berth_error *error);

/* The same for a text that is followed by BERTH__JSON_PADDING zero bytes. Strings point into it. */
enum { BERTH__JSON_PADDING = 64 };
berth_status berth__json_parse_padded(berth__json_parser *parser, berth__arena *arena,
                                      berth_str text, const berth__json **out, berth_error *error);

/* Whether a key equals the `len` bytes at `name`, len > 0. Compares the first byte first, because
 * most keys of equal length differ there. */
static inline bool berth__json_key_is(berth_str key, const char *name, size_t len)
{
    return key.len == len && key.data[0] == name[0] && memcmp(key.data, name, len) == 0;
}

/* The member `key`, of `len` bytes, of an object (the last one, if repeated), or NULL. A `value`
 * that is NULL or not an object has no members. A member that is JSON null counts as absent, as in
 * Go. */
const berth__json *berth__json_member_of(const berth__json *value, const char *key, size_t len);

static inline const berth__json *berth__json_get(const berth__json *value, const char *key)
{
    return berth__json_member_of(value, key, strlen(key));
}

/* The line of the value that an error's path ("spec.containers[0].image") leads to from `value`, or
 * of the nearest known value above it; 0 if that is unknown, as in JSON. */
uint32_t berth__json_line_of(const berth__json *value, const char *path);

#endif
