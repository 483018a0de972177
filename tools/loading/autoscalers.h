/* HorizontalPodAutoscalers as what-ifs: each target with its most or fewest pods (--scale).
 *
 * Once all is read and workloads have been changed by manifests, the pods of each target are
 * counted. Missing ones are copies of one that is there, and pending. Of those that are too many
 * the pending ones leave first, then the ones that came last; of a StatefulSet, those with the
 * highest numbers. Targets are found by what owns the pods, so that workloads of a dump and of
 * manifests are alike. */
#ifndef BERTH_TOOLS_AUTOSCALERS_H
#define BERTH_TOOLS_AUTOSCALERS_H

#include "berth/berth.h"
#include "cli/words.h"
#include "inspect/findings.h"
#include "loading/changes.h"

enum { AUTOSCALER_PODS_MAX = 1000000 };

/* What targets are scaled to; the words of --scale. */
typedef enum scale_goal { SCALE_CURRENT, SCALE_MIN, SCALE_MAX } scale_goal;
extern const char *const scale_goal_names[];

#define AUTOSCALER_KIND "HorizontalPodAutoscaler"

typedef struct autoscaler {
    char *name, *namespace_name;
    char *kind, *target;
    uint64_t fewest, most;
    bool ambiguous; /* another one has the same target */
} autoscaler;

/* A pod of a target. */
typedef struct scaled_pod {
    uint32_t target; /* in `targets` */
    berth_pod_id pod;
} scaled_pod;

/* Zeroed: none. */
typedef struct autoscalers {
    int goal;           /* a scale_goal */
    word_table targets; /* "KIND NAMESPACE/NAME", one for each of `items` that counts */
    autoscaler *items;
    size_t count, capacity;
    word_table workloads; /* that the input has, in the same words */
    scaled_pod *pods;     /* by target, once all is read */
    size_t pod_count, pod_capacity;
} autoscalers;

/* A note of the reader: an autoscaler, whole, or a workload. Others are ignored. */
void autoscalers_note(autoscalers *a, const berth_note *note, findings *f);

/* Scale all targets. `add` takes a new object as one of the input; `c` (NULL: nobody asks) learns
 * what changes. Errors: those of the engine, which keeps objects, and of `add`. */
berth_status autoscalers_apply(autoscalers *a, berth_engine *engine, changes *c, findings *f,
                               berth_status (*add)(void *context, const berth_object *object,
                                                   berth_error *error),
                               void *context, berth_error *error);

void autoscalers_free(autoscalers *a);

#endif
