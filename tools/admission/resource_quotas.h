/* ResourceQuotas: limits on the total requests and the number of a namespace's pods, applied as the
 * admission plugin does. Source: kubernetes v1.36 plugin/pkg/admission/resourcequota and
 * pkg/quota/v1/evaluator/core/pods.go. */
#ifndef BERTH_TOOLS_RESOURCE_QUOTAS_H
#define BERTH_TOOLS_RESOURCE_QUOTAS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "berth/berth.h"
#include "cli/text_buffer.h"

/* One resource of a quota. Amounts are the engine's: cpu in milli, all else in units. */
typedef struct quota_entry {
    char *shown;    /* its name in the quota: "requests.cpu" */
    char *resource; /* its name in pods; NULL: the number of pods */
    int64_t hard;
    int64_t used;
    int64_t saved;   /* saved value of `used` */
    bool used_given; /* the API server reports `used` */
} quota_entry;

typedef struct resource_quota {
    char *namespace_name;
    char *name;
    quota_entry *entries;
    size_t count;
    size_t capacity;
} resource_quota;

/* Zeroed: none. */
typedef struct resource_quotas {
    resource_quota *items;
    size_t count;
    size_t capacity;
} resource_quotas;

/* Take a ResourceQuota. Returns its part that is not applied ("scopes", "limits.cpu"), or NULL. */
const char *resource_quotas_add(resource_quotas *q, berth_str namespace_name, berth_str name,
                                const json_t *object);

/* Whether a namespace has a quota. */
bool resource_quotas_cover(const resource_quotas *q, berth_str namespace_name);

/* Count an existing pod, for quotas from `first` on. `is_new`: the API server's count does not
 * include it. */
void resource_quotas_count(resource_quotas *q, size_t first, const berth_engine *engine,
                           berth_pod_id pod, bool is_new);

/* Count a new pod, unless a quota refuses it; then `reason` explains the refusal in the plugin's
 * words. `lacks` lists the resources that some container does not request: "cpu,memory". */
bool resource_quotas_refuse(resource_quotas *q, const berth_engine *engine, berth_pod_id pod,
                            const char *lacks, text_buffer *reason);

/* Save the present use, and return to it. */
void resource_quotas_save(resource_quotas *q);
void resource_quotas_restore(resource_quotas *q);

void resource_quotas_free(resource_quotas *q);

#endif
