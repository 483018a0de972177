/* Decodes JSON trees into C structs, by tables: a table lists the fields of one JSON object that
 * the rules read, with their types and their places in the struct. Members that no table names are
 * ignored. A member of the wrong type is an error with the member's whole path. */
#ifndef BERTH_KUBE_DECODE_H
#define BERTH_KUBE_DECODE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "berth/objects.h"
#include "text/json.h"

/* The position of a value, for errors: member names and indices, linked from the inside out. */
typedef struct berth__field_path {
    const struct berth__field_path *up; /* NULL: this is the object itself */
    berth_str key;                      /* absent: use `index` */
    uint32_t index;
} berth__field_path;

typedef struct berth__decoder {
    berth__arena *arena;
    berth_error *error;
} berth__decoder;

typedef enum berth__field_type {
    BERTH__FIELD_END = 0,
    BERTH__FIELD_STR,       /* berth_str */
    BERTH__FIELD_BOOL,      /* bool */
    BERTH__FIELD_INT32,     /* int32_t */
    BERTH__FIELD_INT64,     /* int64_t */
    BERTH__FIELD_TIME,      /* int64_t, RFC 3339 to nanoseconds */
    BERTH__FIELD_PRESENT,   /* bool: the member is present and not null */
    BERTH__FIELD_QUANTITY,  /* berth_quantity, not negative */
    BERTH__FIELD_RESOURCES, /* berth_resources, not negative */
    BERTH__FIELD_MAP,       /* berth_map */
    BERTH__FIELD_KEYS,      /* berth_strs: an object's keys */
    BERTH__FIELD_STRS,      /* berth_strs */
    BERTH__FIELD_STRUCT,    /* an object, decoded into the struct at the offset */
    BERTH__FIELD_POINTER,   /* an object, decoded into a new struct; NULL if the member is absent */
    BERTH__FIELD_LIST,      /* a list of objects: pointer and count; non-NULL even if empty */
    BERTH__FIELD_TABLE,     /* an object of objects: a list of items that begin with their keys */
    BERTH__FIELD_CUSTOM,    /* decoded by `custom` at the offset */
} berth__field_type;

typedef struct berth__field berth__field;
typedef struct berth__encoder berth__encoder; /* encode.h */
typedef berth_status (*berth__decode_fn)(berth__decoder *decoder, const berth__field_path *path,
                                         const berth__json *value, void *out);
/* The reverse: write the value at the offset, or its members if the field has no key. Writes
 * nothing if there is no value. */
typedef void (*berth__encode_fn)(berth__encoder *encoder, const void *from);

struct berth__field {
    const char *key; /* NULL: the object itself (CUSTOM) */
    uint8_t key_len;
    uint8_t type;
    uint16_t offset;
    uint16_t count_offset;      /* LIST, TABLE */
    uint16_t size;              /* POINTER, LIST, TABLE: size of the struct */
    const berth__field *fields; /* STRUCT, POINTER, LIST, TABLE */
    bool tells_empty;           /* LIST: an empty list differs from an absent one */
    berth__decode_fn custom;
    berth__encode_fn encode; /* CUSTOM; NULL: writes nothing */
};

#define BERTH__FIELD(k, kind, type_, member)                               \
    {                                                                      \
        .key = (k), .key_len = sizeof(k) - 1, .type = BERTH__FIELD_##kind, \
        .offset = offsetof(type_, member)                                  \
    }
/* The fields of a nested object, decoded into the same struct. */
#define BERTH__FIELD_SAME(k, table)                                                          \
    {                                                                                        \
        .key = (k), .key_len = sizeof(k) - 1, .type = BERTH__FIELD_STRUCT, .fields = (table) \
    }
#define BERTH__FIELD_IN(k, type_, member, table)                           \
    {                                                                      \
        .key = (k), .key_len = sizeof(k) - 1, .type = BERTH__FIELD_STRUCT, \
        .offset = offsetof(type_, member), .fields = (table)               \
    }
#define BERTH__FIELD_TO(k, type_, member, table, pointee)                             \
    {                                                                                 \
        .key = (k), .key_len = sizeof(k) - 1, .type = BERTH__FIELD_POINTER,           \
        .offset = offsetof(type_, member), .size = sizeof(pointee), .fields = (table) \
    }
#define BERTH__FIELD_MANY(k, type_, member, count, table, element)                 \
    {                                                                              \
        .key = (k), .key_len = sizeof(k) - 1, .type = BERTH__FIELD_LIST,           \
        .offset = offsetof(type_, member), .count_offset = offsetof(type_, count), \
        .size = sizeof(element), .fields = (table)                                 \
    }
/* An object whose members are objects; the key of each is the first member of its struct. */
#define BERTH__FIELD_KEYED(k, type_, member, count, table, element)                \
    {                                                                              \
        .key = (k), .key_len = sizeof(k) - 1, .type = BERTH__FIELD_TABLE,          \
        .offset = offsetof(type_, member), .count_offset = offsetof(type_, count), \
        .size = sizeof(element), .fields = (table)                                 \
    }
/* The same as MANY, but an empty list differs from an absent one. */
#define BERTH__FIELD_MANY_OR_NONE(k, type_, member, count, table, element)         \
    {                                                                              \
        .key = (k), .key_len = sizeof(k) - 1, .type = BERTH__FIELD_LIST,           \
        .offset = offsetof(type_, member), .count_offset = offsetof(type_, count), \
        .size = sizeof(element), .fields = (table), .tells_empty = true            \
    }
#define BERTH__FIELD_BY(k, type_, member, function, back)                         \
    {                                                                             \
        .key = (k), .key_len = sizeof(k) - 1, .type = BERTH__FIELD_CUSTOM,        \
        .offset = offsetof(type_, member), .custom = (function), .encode = (back) \
    }
/* A field that is read from the whole object instead of one member. */
#define BERTH__FIELD_SELF(type_, member, function, back)                                      \
    {                                                                                         \
        .type = BERTH__FIELD_CUSTOM, .offset = offsetof(type_, member), .custom = (function), \
        .encode = (back)                                                                      \
    }
#define BERTH__FIELD_LAST        \
    {                            \
        .type = BERTH__FIELD_END \
    }

/* Fill the zeroed struct `out` from `value`, which is an object, or NULL: then there is nothing to
 * fill. Errors: BERTH_E_INVALID (a type; a negative amount), BERTH_E_PARSE and BERTH_E_RANGE (an
 * amount, a time, an integer); `error->field` is the path. */
berth_status berth__decode_fields(berth__decoder *decoder, const berth__field_path *path,
                                  const berth__json *value, const berth__field *fields, void *out);

/* The decoders of the types, for custom fields. */
berth_status berth__decode_value(berth__decoder *decoder, const berth__field_path *path,
                                 const berth__json *value, const berth__field *field, void *out);
typedef struct berth__decoded_list {
    const void *items;
    uint32_t count;
} berth__decoded_list;
berth_status berth__decode_list(berth__decoder *decoder, const berth__field_path *path,
                                const berth__json *value, const berth__field *fields, size_t size,
                                berth__decoded_list *out);

/* Report a fault at `path`. Returns `code`. */
/* Reads 3, or "50%"; false: neither. */
bool berth__count_or_percent_read(const berth__json *value, berth_count_or_percent *out);

berth_status berth__decode_fault(berth__decoder *decoder, const berth__field_path *path,
                                 berth_status code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
berth_status berth__decode_no_memory(berth__decoder *decoder);

#endif
