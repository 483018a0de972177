/* Types of all nodes; what names and functions stand for. */
#ifndef BERTH_CEL_CHECKER_H
#define BERTH_CEL_CHECKER_H

#include "cel/syntax.h"

/* Faults are added. Returns what is wrong with the type of the whole, if nothing else is; else
 * empty. */
berth_str berth__cel_check(berth__cel_source *source, const berth_allocator *allocator,
                           berth__cel_node *root);

#endif
