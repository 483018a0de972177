/* Evaluation of a checked expression. */
#ifndef BERTH_CEL_EVALUATE_H
#define BERTH_CEL_EVALUATE_H

#include "cel/syntax.h"

/* The value of a select or an index, as the operator and the macro has() see it. `present` set:
 * only whether it is there, and nothing is an error for its absence. */
berth__cel_value berth__cel_member(berth__cel_run *run, berth__cel_value of, berth__cel_value key,
                                   bool *present);

/* Folds and binds. */
berth__cel_value berth__cel_fold_value(berth__cel_run *run, const berth__cel_node *node);
berth__cel_value berth__cel_bind_value(berth__cel_run *run, const berth__cel_node *node);

#endif
