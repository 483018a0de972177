/* The pod that a command line names: NAME, or NAMESPACE/NAME. */
#ifndef BERTH_TOOLS_POD_LOOKUP_H
#define BERTH_TOOLS_POD_LOOKUP_H

#include "berth/read.h"

/* Find it. A name alone is one of `namespace_name` (absent: of "default", else of the only
 * namespace that has it). Errors: E_NOT_FOUND, with what is spelled like it; E_CONFLICT (several
 * namespaces have that name, which are told); E_NOMEM. */
berth_status pod_lookup(berth_engine *engine, berth_str namespace_name, const char *text,
                        berth_pod_id *out, berth_error *error);

#endif
