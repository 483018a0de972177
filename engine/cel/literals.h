/* What of an expression is known before there is a device: patterns, conversions of literals. */
#ifndef BERTH_CEL_LITERALS_H
#define BERTH_CEL_LITERALS_H

#include "cel/compiled.h"

/* Compile the patterns that are literals; faults are added where they are none, and the
 * expression's problem is set where a literal can't be converted. BERTH_OK or BERTH_E_NOMEM. */
berth_status berth__cel_literals_prepare(berth__cel *cel, berth__cel_source *source,
                                         berth__cel_node *root);

#endif
