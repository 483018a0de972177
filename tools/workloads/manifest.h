/* Writes objects as Kubernetes manifests: a v1 List, streamed. */
#ifndef BERTH_TOOLS_MANIFEST_H
#define BERTH_TOOLS_MANIFEST_H

#include "berth/objects.h"
#include "cli/output.h"

/* The layout of a List. */
typedef enum manifest_layout {
    MANIFEST_FLAT,     /* one object per line */
    MANIFEST_INDENTED, /* one value per line, four blanks per level, as kubectl prints it */
} manifest_layout;

/* Begin and end the List. */
void manifest_open(output *o, FILE *file, manifest_layout layout);
void manifest_close(output *o);

/* Write an object, with the fields that berth_object_write writes. */
void manifest_write(output *o, const berth_object *object);

#endif
