/* Synthetic clusters, made object by object without storing them: objects for the pods' volumes and
 * devices, nodes, running pods, and pods to place. The same specification always makes the same
 * objects. */
#ifndef BERTH_TOOLS_WORKLOADS_H
#define BERTH_TOOLS_WORKLOADS_H

#include <stdbool.h>

#include "berth/objects.h"
#include "cli/options.h"

typedef struct workload workload;

typedef struct workload_spec {
    int kind; /* index in workload_names */
    uint64_t nodes;
    uint64_t zones;
    uint64_t pods;    /* to place */
    uint64_t running; /* on nodes */
    uint64_t apps;    /* of workloads ordinary and churn, all of one size; 0: heavy-tailed sizes */
    uint64_t seed;
} workload_spec;

enum {
    WORKLOAD_NODE_COUNT_MAX = 4000000,
    WORKLOAD_ZONE_COUNT_MAX = 10000,
};
#define WORKLOAD_APP_COUNT_MAX UINT64_C(10000000)
#define WORKLOAD_POD_COUNT_MAX UINT64_C(1000000000)

/* The name of each workload, and its lines in the help text. */
#define WORKLOAD_LIST(X)                                                                           \
    X(ordinary,                                                                                    \
      "  ordinary   machines of a published trace; Deployments behind Services, spread\n"          \
      "             by default, some with preferences, a tenth with volumes\n")                    \
    X(basic, "  basic      one container, cpu 100m to 2, memory 128Mi to 4Gi, ten apps;\n"         \
             "             nodes of 32 cpu, 256Gi, 110 pods\n")                                    \
    X(spread, "  spread     basic, each app spread over zones: maxSkew 5, DoNotSchedule\n")        \
    X(anti, "  anti       basic, no two pods of an app on one node\n")                             \
    X(affinity, "  affinity   basic, all pods of an app in one zone\n")                            \
    X(preferred, "  preferred  basic, with soft spread, affinity and anti-affinity\n")             \
    X(mixed, "  mixed      machines of published traces, some with GPUs; taints; heavy-\n"         \
             "             tailed requests; all kinds of constraints\n")                           \
    X(distinct, "  distinct   basic, but no two pods have the same requests\n")                    \
    X(volumes, "  volumes    basic, one persistent volume a pod, 25 a node: half of them bound\n"  \
               "             in a zone, half to be made in one of two zones\n")                    \
    X(local,                                                                                       \
      "  local      basic, a volume on its node for each pod: half of them exist, half are\n"      \
      "             made by a driver that publishes its capacity\n")                               \
    X(gpu, "  gpu        nodes of eight GPUs, some with network cards or partitioned; pods\n"      \
           "             with a claim of their own for one or several\n")                          \
    X(racks,                                                                                       \
      "  racks      nodes in racks of twenty; apps that spread over racks, avoid racks with\n"     \
      "             another of their pods, or prefer those of another app\n")                      \
    X(churn, "  churn      ordinary; each pod leaves when half of all pods have come after it\n")  \
    X(preempt, "  preempt    nodes full of pods of 4 cpu (8 a node unless --running says other-\n" \
               "             wise), pods of 4 cpu and a higher priority to place\n")

#define WORKLOAD_HELP_LINES(name, lines) lines
#define WORKLOAD_HELP WORKLOAD_LIST(WORKLOAD_HELP_LINES)

/* The words of --workload; ends with NULL. */
extern const char *const workload_names[];

/* 5,000 nodes in 3 zones, 20,000 mixed pods to place, none running. */
workload_spec workload_spec_default(void);

/* The options for a specification without its seed: their number, and a function that fills them
 * in. */
enum { WORKLOAD_OPTIONS = 6 };
void workload_spec_options(workload_spec *spec, option options[WORKLOAD_OPTIONS]);

/* Whether the specification's members go together; if not, explains in `reason`. */
bool workload_spec_check(const workload_spec *spec, char *reason, size_t reason_size);

/* Parse "nodes=5000,zones=3,pods=20000,running=0,workload=mixed,seed=0" into `spec`; missing keys
 * keep their values. On failure explains in `reason` and returns false. */
bool workload_spec_parse(const char *text, workload_spec *spec, char *reason, size_t reason_size);

/* A part of a cluster. */
typedef enum workload_part {
    WORKLOAD_STORAGE, /* objects for the pods' volumes and devices */
    WORKLOAD_NODES,
    WORKLOAD_RUNNING, /* pods with a node */
    WORKLOAD_PENDING, /* pods without a node */
    WORKLOAD_PART_COUNT,
} workload_part;

typedef struct workload_source workload_source;

/* Called with each object, which lives until the call returns. */
typedef berth_status (*workload_object_fn)(void *context, const berth_object *object,
                                           berth_error *error);

/* The number of running pods: the specification's or, if it gives none, as many as the workload
 * needs. */
uint64_t workload_running_count(const workload_spec *spec);

/* Whether pods to place only find room by preemption. */
bool workload_preempts(const workload_spec *spec);

/* Whether each pod to place leaves when half of them have come after it. */
bool workload_churns(const workload_spec *spec);

/* The number of objects that a specification makes. */
uint64_t workload_object_count(const workload_spec *spec);

workload_source *workload_source_create(const workload_spec *spec);
void workload_source_destroy(workload_source *source);

/* Make the objects of one part. Call once for each part, in the order above. Errors: the
 * callback's, and BERTH_E_RANGE if the running pods do not fit on the nodes. */
berth_status workload_source_make(workload_source *source, workload_part part,
                                  workload_object_fn each, void *context, berth_error *error);

/* Make all parts. */
berth_status workload_source_make_all(workload_source *source, workload_object_fn each,
                                      void *context, berth_error *error);

#endif
