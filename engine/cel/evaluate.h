/* Evaluation of a checked expression. */
#ifndef BERTH_CEL_EVALUATE_H
#define BERTH_CEL_EVALUATE_H

#include "cel/syntax.h"

/* The value of a select or an index, for the operator and for the macro has(). If `present` is set:
 * only whether the value exists, and its absence is not an error. */
berth__cel_value berth__cel_member(berth__cel_run *run, berth__cel_value of, berth__cel_value key,
                                   bool *present);

/* Folds and binds. */
berth__cel_value berth__cel_fold_value(berth__cel_run *run, const berth__cel_node *node);
berth__cel_value berth__cel_bind_value(berth__cel_run *run, const berth__cel_node *node);

#endif
