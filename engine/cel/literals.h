/* Parts of an expression that are known before there is a device: patterns, and conversions of
 * literals. */
#ifndef BERTH_CEL_LITERALS_H
#define BERTH_CEL_LITERALS_H

#include "cel/compiled.h"

/* Compile the patterns that are literals, and add faults for invalid patterns. Sets the
 * expression's problem if a literal cannot be converted. Returns BERTH_OK or BERTH_E_NOMEM. */
berth_status berth__cel_literals_prepare(berth__cel *cel, berth__cel_source *source,
                                         berth__cel_node *root);

#endif
