/* Writes C structs as JSON, by the tables of objects/field.h, so that it writes what decoding
 * reads. Fields that are absent or zero are left out. The keys of maps are sorted, as Kubernetes
 * does. If a time is only known to be set, the beginning of 1970 is written. */
#ifndef BERTH_KUBE_ENCODE_H
#define BERTH_KUBE_ENCODE_H

#include "kube/decode.h"

/* A text that grows. */
typedef struct berth__encoder {
    const berth_allocator *allocator;
    char *bytes;
    size_t count, capacity;
    bool ok; /* false: out of memory, and the text is unusable */
} berth__encoder;

void berth__encoder_init(berth__encoder *encoder, const berth_allocator *allocator);
void berth__encoder_destroy(berth__encoder *encoder);

/* Append bytes as they are; append a text in quotes. */
void berth__encode_raw(berth__encoder *encoder, berth_str bytes);
void berth__encode_str(berth__encoder *encoder, berth_str text);

/* Append the name of the next member of an object; begin and end a list of items. */
void berth__encode_key(berth__encoder *encoder, berth_str key);
void berth__encode_item(berth__encoder *encoder);

/* Append a value as it was read; null replaces values nested deeper than `depth`. */
void berth__encode_tree(berth__encoder *encoder, const berth__json *value, unsigned depth);

/* Append the members of a struct, without brackets. */
void berth__encode_fields(berth__encoder *encoder, const berth__field *fields, const void *from);

/* Append the value of one plain field, even if it is zero. */
void berth__encode_value(berth__encoder *encoder, const berth__field *field, const void *from);

/* Append a whole object, its apiVersion and kind first. */
void berth__encode_object(berth__encoder *encoder, const berth_object *object);

#endif
