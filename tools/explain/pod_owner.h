/* The workload that a command line names (deploy/web), and the pods that belong to it. */
#ifndef BERTH_TOOLS_POD_OWNER_H
#define BERTH_TOOLS_POD_OWNER_H

#include <stdbool.h>

#include "berth/read.h"
#include "explain/finished_pods.h"

typedef struct pod_owner {
    const char *kind;         /* "Deployment" */
    berth_str namespace_name; /* absent until it is found, if none was named */
    berth_str name;
} pod_owner;

/* Read KIND/NAME or KIND/NAMESPACE/NAME, where KIND is a kind of workload in kubectl's short,
 * singular or plural form, with or without its API group. `namespace_name` counts if the text names
 * none. Returns false if the text does not begin with such a kind. Texts are borrowed. */
bool pod_owner_parse(const char *text, berth_str namespace_name, pod_owner *out);

/* Whether a word is such a kind by itself, as in `berth explain deploy`, which lacks a name. */
bool pod_owner_is_kind(const char *text);

/* Say that a name is missing, and which workloads of the kind the input has, in `namespace_name` or
 * (absent) in all. Returns E_NOT_FOUND. */
berth_status pod_owner_no_name(const char *kind, berth_str namespace_name, berth_engine *engine,
                               berth_error *error);

/* Whether the text names a Service: svc/NAME and kubectl's other forms. */
bool pod_owner_is_service(const char *text);

/* The pods of the workload, and how many of its pods have finished. The ids are freed by the
 * caller. Completes the namespace: that of "default", else the only one that has such a workload.
 * Errors: E_NOT_FOUND, with a suggestion; E_CONFLICT (several namespaces have one of the name). */
berth_status pod_owner_find(pod_owner *owner, berth_engine *engine, const finished_pods *finished,
                            berth_pod_id **pods, uint32_t *count, uint32_t *finished_count,
                            berth_error *error);

#endif
