/* Finds the workload that a command line names (deploy/web), and its pods. */
#ifndef BERTH_TOOLS_POD_OWNER_H
#define BERTH_TOOLS_POD_OWNER_H

#include <stdbool.h>

#include "berth/read.h"
#include "explain/finished_pods.h"

typedef struct pod_owner {
    const char *kind;         /* "Deployment" */
    berth_str namespace_name; /* absent until found, if none was given */
    berth_str name;
} pod_owner;

/* Parse KIND/NAME or KIND/NAMESPACE/NAME, where KIND is a kind of workload in kubectl's short,
 * singular or plural form, with or without its API group. `namespace_name` is used if the text
 * names none. Returns false if the text does not begin with such a kind. Texts are borrowed. */
bool pod_owner_parse(const char *text, berth_str namespace_name, pod_owner *out);

/* Whether a word is only a kind, without a name, as in `berth explain deploy`. */
bool pod_owner_is_kind(const char *text);

/* Report that a name is missing, and list the workloads of the kind in `namespace_name` (absent: in
 * all namespaces). Returns BERTH_E_NOT_FOUND. */
berth_status pod_owner_no_name(const char *kind, berth_str namespace_name, berth_engine *engine,
                               berth_error *error);

/* Whether the text names a Service: svc/NAME and kubectl's other forms. */
bool pod_owner_is_service(const char *text);

/* Find the pods of the workload, and how many have finished. The caller frees the ids. Completes
 * the namespace: "default", or else the only one with such a workload. Errors: BERTH_E_NOT_FOUND,
 * with a suggestion; BERTH_E_CONFLICT (several namespaces have one of that name). */
berth_status pod_owner_find(pod_owner *owner, berth_engine *engine, const finished_pods *finished,
                            berth_pod_id **pods, uint32_t *count, uint32_t *finished_count,
                            berth_error *error);

#endif
