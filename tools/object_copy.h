/* Copies of nodes and pods that outlive the call that handed them out. */
#ifndef BERTH_TOOLS_OBJECT_COPY_H
#define BERTH_TOOLS_OBJECT_COPY_H

#include "berth/objects.h"

/* A node or a pod with everything it points to. */
typedef struct object_copy object_copy;

/* Copy a node or a pod; other kinds are a programming error. Freed by object_copy_free. */
object_copy *object_copy_of(const berth_object *object);
void object_copy_free(object_copy *copy);

/* The copies themselves; NULL for one of the other kind. The caller may put other names and labels
 * into the struct, but frees nothing. */
berth_node *object_copy_node(object_copy *copy);
berth_pod *object_copy_pod(object_copy *copy);

/* The copy as an object, borrowed. */
berth_object object_copy_object(const object_copy *copy);

#endif
