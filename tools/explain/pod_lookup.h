/* The pod that a command line names: NAME, or NAMESPACE/NAME. */
#ifndef BERTH_TOOLS_POD_LOOKUP_H
#define BERTH_TOOLS_POD_LOOKUP_H

#include "berth/read.h"
#include "explain/finished_pods.h"

/* Call for every pod of an engine, whatever node it is on. */
typedef void (*each_pod_fn)(void *context, berth_pod_id pod, berth_str namespace_name,
                            berth_str name);
void pod_lookup_each(berth_engine *engine, each_pod_fn each, void *context);

/* Find it. A name alone is one of `namespace_name` (absent: of "default", else of the only
 * namespace that has it). Errors: E_NOT_FOUND, which says that the pod has finished or suggests
 * what is spelled like it; E_CONFLICT (several namespaces have that name; the error lists them);
 * E_NOMEM. */
berth_status pod_lookup(berth_engine *engine, const finished_pods *finished,
                        berth_str namespace_name, const char *text, berth_pod_id *out,
                        berth_error *error);

#endif
