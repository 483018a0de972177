/* HorizontalPodAutoscalers as what-ifs: gives each target its largest or smallest number of pods
 * (--scale).
 *
 * The pods of each target are counted after the whole input was read and manifests have changed
 * workloads. Missing pods are added as pending copies of an existing one. Surplus pods are removed:
 * pending ones first, then the newest; of a StatefulSet, those with the highest ordinals. A pod's
 * owner leads to its target, so workloads of a dump and of manifests are treated the same way. */
#ifndef BERTH_TOOLS_AUTOSCALERS_H
#define BERTH_TOOLS_AUTOSCALERS_H

#include "berth/berth.h"
#include "cli/words.h"
#include "inspect/findings.h"
#include "loading/changes.h"

enum { AUTOSCALER_PODS_MAX = 1000000 };

/* The goals of scaling, in the order of the words of --scale. */
typedef enum scale_goal { SCALE_CURRENT, SCALE_MIN, SCALE_MAX } scale_goal;
extern const char *const scale_goal_names[];

#define AUTOSCALER_KIND "HorizontalPodAutoscaler"

typedef struct autoscaler {
    char *name, *namespace_name;
    char *kind, *target;
    uint64_t fewest, most;
    bool ambiguous; /* another autoscaler has the same target */
} autoscaler;

/* A pod of a target. */
typedef struct scaled_pod {
    uint32_t target; /* in `targets` */
    berth_pod_id pod;
} scaled_pod;

/* Zeroed: none. */
typedef struct autoscalers {
    int goal;           /* a scale_goal */
    word_table targets; /* "KIND NAMESPACE/NAME" of each item that counts */
    autoscaler *items;
    size_t count, capacity;
    word_table workloads; /* workloads of the input, named in the same way */
    scaled_pod *pods;     /* sorted by target once all is read */
    size_t pod_count, pod_capacity;
} autoscalers;

/* Take a note of the reader: an autoscaler with its whole object, or a workload. Other notes are
 * ignored. */
void autoscalers_note(autoscalers *a, const berth_note *note, findings *f);

/* Scale all targets. `add` adds a new object as if the input had it. `c` (may be NULL) records the
 * changes. Errors: those of the engine, which must keep objects, and of `add`. */
berth_status autoscalers_apply(autoscalers *a, berth_engine *engine, changes *c, findings *f,
                               berth_status (*add)(void *context, const berth_object *object,
                                                   berth_error *error),
                               void *context, berth_error *error);

void autoscalers_free(autoscalers *a);

#endif
