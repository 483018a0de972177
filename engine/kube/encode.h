/* From C structs back to JSON, by the tables that decode.h reads with: what is written is what is
 * read. Absent fields, and those that are zero, are left out; maps are in the order of their keys,
 * as Kubernetes writes them. Of a time that is only known to be set the beginning of 1970 is
 * written. */
#ifndef BERTH_KUBE_ENCODE_H
#define BERTH_KUBE_ENCODE_H

#include "kube/decode.h"

/* A text that grows. */
struct berth__encoder {
    const berth_allocator *allocator;
    char *bytes;
    size_t count, capacity;
    bool ok; /* false: out of memory, and the text is of no use */
};

void berth__encoder_init(berth__encoder *encoder, const berth_allocator *allocator);
void berth__encoder_destroy(berth__encoder *encoder);

/* Bytes as they are; text in quotes. */
void berth__encode_raw(berth__encoder *encoder, berth_str bytes);
void berth__encode_str(berth__encoder *encoder, berth_str text);

/* The name of the next member of an object, and begin and end of the items of a list. */
void berth__encode_key(berth__encoder *encoder, berth_str key);
void berth__encode_item(berth__encoder *encoder);

/* A value as it was read; below so many levels null stands for it. */
void berth__encode_tree(berth__encoder *encoder, const berth__json *value, unsigned depth);

/* The members of a struct, without brackets. */
void berth__encode_fields(berth__encoder *encoder, const berth__field *fields, const void *from);

/* The value of one field, however little it says. */
void berth__encode_value(berth__encoder *encoder, const berth__field *field, const void *from);

/* A whole object, its apiVersion and kind first. */
void berth__encode_object(berth__encoder *encoder, const berth_object *object);

#endif
