/* Decodes JSON trees into C structs, by the tables of objects/field.h. Members that no table names
 * are ignored. A member of the wrong type is an error with the member's whole path. */
#ifndef BERTH_KUBE_DECODE_H
#define BERTH_KUBE_DECODE_H

#include "base/arena.h"
#include "base/error.h"
#include "objects/field.h"
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

/* Fill the zeroed struct `out` from `value`, which is an object, or NULL: then there is nothing to
 * fill. Errors: BERTH_E_INVALID (a type; a negative amount), BERTH_E_PARSE and BERTH_E_RANGE (an
 * amount, a time, an integer); `error->field` is the path. */
berth_status berth__decode_fields(berth__decoder *decoder, const berth__field_path *path,
                                  const berth__json *value, const berth__field *fields, void *out);

/* The decoders of the types, for the forms (forms.h). `out` is the struct that has the field. */
berth_status berth__decode_value(berth__decoder *decoder, const berth__field_path *path,
                                 const berth__json *value, const berth__field *field, void *out);
typedef struct berth__decoded_list {
    const void *items;
    uint32_t count;
} berth__decoded_list;
berth_status berth__decode_list(berth__decoder *decoder, const berth__field_path *path,
                                const berth__json *value, const berth__field *fields, size_t size,
                                berth__decoded_list *out);

/* Reads 3, or "50%"; false: neither. */
bool berth__count_or_percent_read(const berth__json *value, berth_count_or_percent *out);

/* Report a fault at `path`. Returns `code`. */
berth_status berth__decode_fault(berth__decoder *decoder, const berth__field_path *path,
                                 berth_status code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
berth_status berth__decode_no_memory(berth__decoder *decoder);

#endif
