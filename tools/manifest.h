/* Objects out as Kubernetes manifests: a v1 List, one object a line, written as it comes. */
#ifndef BERTH_TOOLS_MANIFEST_H
#define BERTH_TOOLS_MANIFEST_H

#include "berth/objects.h"
#include "output.h"

/* Begin and end the List. */
void manifest_open(output *o, FILE *file);
void manifest_close(output *o);

/* Write an object of a kind that draft.h makes: the fields that it can set. Other kinds are a
 * programming error. */
void manifest_write(output *o, const berth_object *object);

#endif
