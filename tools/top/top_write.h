/* Writes the results of berth top as JSON or YAML. */
#ifndef BERTH_TOOLS_TOP_WRITE_H
#define BERTH_TOOLS_TOP_WRITE_H

#include "cli/output.h"
#include "top/top.h"

/* Write the members into an open object; `summary_only`: without the rows. Errors: those of
 * node_state_notes. */
berth_status top_write(const top *t, bool summary_only, output *o, berth_error *error);

#endif
