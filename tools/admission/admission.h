/* What the admission of an API server would do to the pods of manifests: LimitRanges and
 * ResourceQuotas, where the input has them. (RuntimeClasses and PriorityClasses the reader
 * applies.) */
#ifndef BERTH_TOOLS_ADMISSION_H
#define BERTH_TOOLS_ADMISSION_H

#include "admission/limit_ranges.h"
#include "admission/resource_quotas.h"
#include "inspect/findings.h"

/* The kinds that a reader is to hand over whole (berth_read_options). */
#define ADMISSION_KINDS "LimitRange,ResourceQuota"

/* What some container of a pod does not request. */
typedef struct admission_lacks {
    bool cpu;
    bool memory;
} admission_lacks;

/* A pod that never met an API server. */
typedef struct fresh_pod {
    berth_pod_id pod;
    admission_lacks lacks;
    bool refused; /* there is no such pod */
    bool runs;    /* has a node */
} fresh_pod;

/* Zeroed: nothing is applied. */
typedef struct admission {
    limit_ranges ranges;
    resource_quotas quotas;
    fresh_pod *pods;
    size_t count;
    size_t capacity;
    /* Of each, how many the last admission_end saw. */
    size_t settled_pods;
    size_t settled_ranges;
    size_t settled_quotas;
} admission;

/* Take a LimitRange or a ResourceQuota; others are passed over. */
void admission_note(admission *a, const berth_note *note, findings *f);

/* A pod that is about to be added: `*pod` is a copy of it, into which defaults go. Returns whether
 * anything was changed; it is good until the next call then. `reason` says why it is refused, or is
 * empty. */
bool admission_pod(admission *a, berth_pod *pod, findings *f, char *reason, size_t size);

/* A pod has been added, as it was after admission_pod; `refused` if that said so. */
void admission_added(admission *a, const berth_pod *pod, berth_pod_id id, bool refused);

/* Once all is read, or more: `refused` is called for each further fresh pod that a quota does not
 * let in. LimitRanges that came too late are told of. */
void admission_end(admission *a, const berth_engine *engine, findings *f,
                   void (*refused)(void *context, berth_pod_id pod, berth_str reason),
                   void *context);

admission_lacks admission_lacks_of(const berth_pod *pod);

/* Whether a quota does not let in one more pod; otherwise it counts from now on. `reason` says why
 * not, in the plugin's words. After admission_end. */
bool admission_refuses(admission *a, const berth_engine *engine, berth_pod_id pod,
                       admission_lacks lacks, char *reason, size_t size);

/* Note how much of the quotas is used, and go back to that. */
void admission_save(admission *a);
void admission_restore(admission *a);

void admission_free(admission *a);

#endif
