/* Finds the types of all nodes, and what names and functions refer to. */
#ifndef BERTH_CEL_CHECKER_H
#define BERTH_CEL_CHECKER_H

#include "cel/syntax.h"

/* Check a tree and add its faults. If there are none, returns what is wrong with the type of the
 * whole expression, or an empty text. */
berth_str berth__cel_check(berth__cel_source *source, const berth_allocator *allocator,
                           berth__cel_node *root);

#endif
