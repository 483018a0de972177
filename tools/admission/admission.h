/* Applies LimitRanges and ResourceQuotas of the input to the pods of manifests, as the admission of
 * an API server would. (The reader applies RuntimeClasses and PriorityClasses.) */
#ifndef BERTH_TOOLS_ADMISSION_H
#define BERTH_TOOLS_ADMISSION_H

#include "admission/limit_ranges.h"
#include "admission/resource_quotas.h"
#include "inspect/findings.h"

/* The kinds whose whole objects the reader must pass on (berth_read_options). */
#define ADMISSION_KINDS "LimitRange,ResourceQuota"

/* Resources that some container of a pod does not request. */
typedef struct admission_lacks {
    bool cpu;
    bool memory;
} admission_lacks;

/* A pod that no API server has seen. */
typedef struct fresh_pod {
    berth_pod_id pod;
    admission_lacks lacks;
    bool refused; /* refused, so the pod does not exist */
    bool runs;    /* has a node */
} fresh_pod;

/* Starts zeroed. */
typedef struct admission {
    limit_ranges ranges;
    resource_quotas quotas;
    fresh_pod *pods;
    size_t count;
    size_t capacity;
    /* The numbers of pods, ranges and quotas that the last admission_end handled. */
    size_t settled_pods;
    size_t settled_ranges;
    size_t settled_quotas;
} admission;

/* Take a LimitRange or a ResourceQuota; other notes are ignored. */
void admission_note(admission *a, const berth_note *note, findings *f);

/* Apply defaults to `*pod`, a copy of a pod that is about to be added. Returns whether anything
 * changed; the result is then valid until the next call. `reason` receives why the pod is
 * refused, or nothing. */
bool admission_pod(admission *a, berth_pod *pod, findings *f, text_buffer *reason);

/* Call after a pod was added as admission_pod left it; `refused`: admission_pod refused it. */
void admission_added(admission *a, const berth_pod *pod, berth_pod_id id, bool refused);

/* Call once all is read, and again after reading more: calls `refused` for each further fresh pod
 * that a quota refuses. Reports LimitRanges that came too late. */
void admission_end(admission *a, const berth_engine *engine, findings *f,
                   void (*refused)(void *context, berth_pod_id pod, berth_str reason),
                   void *context);

admission_lacks admission_lacks_of(const berth_pod *pod);

/* Whether a quota refuses one more pod; if not, the pod counts from now on. `reason` then explains
 * the refusal in the plugin's words. Call after admission_end. */
bool admission_refuses(admission *a, const berth_engine *engine, berth_pod_id pod,
                       admission_lacks lacks, text_buffer *reason);

/* Save the present use of the quotas, and return to it. */
void admission_save(admission *a);
void admission_restore(admission *a);

void admission_free(admission *a);

#endif
