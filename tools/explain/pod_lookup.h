/* Finds the pod that a command line names: NAME, or NAMESPACE/NAME; and names one in a document. */
#ifndef BERTH_TOOLS_POD_LOOKUP_H
#define BERTH_TOOLS_POD_LOOKUP_H

#include "berth/read.h"
#include "cli/output.h"
#include "explain/finished_pods.h"

/* Call `each` for every pod of an engine, with or without a node. */
typedef void (*each_pod_fn)(void *context, berth_pod_id pod, berth_str namespace_name,
                            berth_str name);
void pod_lookup_each(berth_engine *engine, each_pod_fn each, void *context);

/* Find the pod. A name alone means `namespace_name` (absent: "default", or else the only namespace
 * with such a pod). Errors: BERTH_E_NOT_FOUND, which says that the pod has finished, or suggests a
 * similar name; BERTH_E_CONFLICT (several namespaces have the name; the error lists them);
 * BERTH_E_NOMEM. */
berth_status pod_lookup(berth_engine *engine, const finished_pods *finished,
                        berth_str namespace_name, const char *text, berth_pod_id *out,
                        berth_error *error);

/* Write the members `namespace` and `name` of a pod. */
void pod_lookup_write(const berth_engine *engine, berth_pod_id pod, output *o);

#endif
