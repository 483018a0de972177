/* The workloads with equal nodes: basic, and basic with one kind of constraint.
 *
 * Pods to place: requests and app are drawn at random, as in the published kube-scheduler figures.
 * Running pods have the same constraints and satisfy them. Their apps follow from their numbers: of
 * Z zones, Z consecutive pods, one in each zone, belong to one app, so zones are balanced. In
 * `anti`, running pods have apps of their own, each on at most half of the nodes, because an app on
 * every node would leave no room for another of its pods. In `preempt`, every pod requests an
 * eighth of a node, and pods to place have the higher priority. */
#include <inttypes.h>

#include "cli/words.h"
#include "workloads/workload_kinds.h"

enum {
    NODE_CPU_MILLI = 32000,
    NODE_MEM_MIB = 256 * 1024,
    NODE_PODS = 110,
    APPS = 10,
    FULL_NODE_PODS = 8,
};

static const char zone_key[] = "topology.kubernetes.io/zone";
static const char host_key[] = "kubernetes.io/hostname";

static void make_node(const workload_spec *spec, uint32_t idx, draft *d, workload_room *room)
{
    berth_str name = draft_text(d, "node-%" PRIu32, idx);
    draft_node(d, name);
    draft_label(d, host_key, name);
    draft_label(d, "kubernetes.io/os", words_of("linux"));
    draft_label(d, "kubernetes.io/arch", words_of("amd64"));
    draft_label(d, zone_key, draft_text(d, "zone-%" PRIu64, idx % spec->zones));
    draft_resource(d, "cpu", draft_milli(NODE_CPU_MILLI));
    draft_resource(d, "memory", draft_mebibytes(NODE_MEM_MIB));
    draft_resource(d, "pods", draft_units(NODE_PODS));
    *room =
        (workload_room){.cpu_milli = NODE_CPU_MILLI, .mem_mib = NODE_MEM_MIB, .pods = NODE_PODS};
}

/* Make a pod of `app` with the needs in `need`; returns the app's label value. */
static berth_str make_pod_of(workload_pod which, uint32_t app, draft *d, workload_need *need)
{
    need->app = app;
    draft_pod(d, words_of("default"),
              draft_text(d, "%s-%" PRIu64, which.running ? "running" : "pod", which.idx));
    berth_str label = draft_text(d, "app-%" PRIu32, app);
    draft_label(d, "app", label);
    draft_image(d, words_of("pause:3.10"));
    draft_resource(d, "cpu", draft_milli(need->cpu_milli));
    draft_resource(d, "memory", draft_mebibytes(need->mem_mib));
    return label;
}

/* Make a basic pod of `app`; returns the app's label value. */
static berth_str make_pod(workload_pod which, workload_random *random, uint32_t app, draft *d,
                          workload_need *need)
{
    static const int32_t cpus_milli[] = {100, 250, 500, 1000, 2000};
    static const int32_t mems_mib[] = {128, 500, 1024, 4096};
    need->cpu_milli = cpus_milli[workload_random_below(random, 5)];
    need->mem_mib = mems_mib[workload_random_below(random, 4)];
    return make_pod_of(which, app, d, need);
}

static uint32_t choose_app(const workload_spec *spec, workload_pod which, workload_random *random)
{
    uint32_t drawn = workload_random_below(random, APPS);
    return which.running ? (uint32_t)(which.idx / spec->zones % APPS) : drawn;
}

static void make_basic(const workload_spec *spec, workload_pod which, workload_random *random,
                       draft *d, workload_need *need)
{
    make_pod(which, random, choose_app(spec, which, random), d, need);
}

/* Requests follow from the number. The step through the memory sizes is odd, so each cpu size meets
 * all of them before a pair repeats. */
static void make_distinct(const workload_spec *spec, workload_pod which, workload_random *random,
                          draft *d, workload_need *need)
{
    enum { CPUS = 2000, MEMORIES = 4096, STEP = 1237 };
    need->cpu_milli = 100 + (int32_t)(which.idx % CPUS);
    need->mem_mib = 128 + (int32_t)((which.idx / CPUS + which.idx * STEP) % MEMORIES);
    make_pod_of(which, choose_app(spec, which, random), d, need);
}

static void make_spread(const workload_spec *spec, workload_pod which, workload_random *random,
                        draft *d, workload_need *need)
{
    berth_str app = make_pod(which, random, choose_app(spec, which, random), d, need);
    draft_spread(d, zone_key, 5, "DoNotSchedule", "app", app);
    need->zone = which.running ? (int32_t)(which.idx % spec->zones) : -1;
}

static void make_anti(const workload_spec *spec, workload_pod which, workload_random *random,
                      draft *d, workload_need *need)
{
    uint32_t chosen = choose_app(spec, which, random);
    uint64_t half = spec->nodes > 1 ? spec->nodes / 2 : 1;
    if (which.running)
        chosen = APPS + (uint32_t)(which.idx / half);
    berth_str app = make_pod(which, random, chosen, d, need);
    draft_pod_term(d, DRAFT_ANTI_REQUIRED, 0, host_key, "app", app);
    need->one_per_node = true;
}

static void make_affinity(const workload_spec *spec, workload_pod which, workload_random *random,
                          draft *d, workload_need *need)
{
    uint32_t chosen = choose_app(spec, which, random);
    berth_str app = make_pod(which, random, chosen, d, need);
    draft_pod_term(d, DRAFT_AFFINITY_REQUIRED, 0, zone_key, "app", app);
    need->zone = (int32_t)(chosen % spec->zones);
}

static void make_preferred(const workload_spec *spec, workload_pod which, workload_random *random,
                           draft *d, workload_need *need)
{
    uint32_t chosen = choose_app(spec, which, random);
    berth_str app = make_pod(which, random, chosen, d, need);
    berth_str other = draft_text(d, "app-%" PRIu32, (chosen + 1) % APPS);
    draft_spread(d, zone_key, 5, "ScheduleAnyway", "app", app);
    draft_pod_term(d, DRAFT_ANTI_PREFERRED, 100, host_key, "app", app);
    draft_pod_term(d, DRAFT_AFFINITY_PREFERRED, 50, zone_key, "app", other);
}

/* Make a pod of an eighth of a node. */
static void make_preempt(const workload_spec *spec, workload_pod which, workload_random *random,
                         draft *d, workload_need *need)
{
    uint32_t app = choose_app(spec, which, random);
    need->cpu_milli = NODE_CPU_MILLI / FULL_NODE_PODS;
    need->mem_mib = NODE_MEM_MIB / FULL_NODE_PODS;
    need->app = app;
    draft_pod(d, words_of("default"),
              draft_text(d, "%s-%" PRIu64, which.running ? "running" : "pod", which.idx));
    draft_label(d, "app", draft_text(d, "app-%" PRIu32, app));
    draft_image(d, words_of("pause:3.10"));
    draft_resource(d, "cpu", draft_milli(need->cpu_milli));
    draft_resource(d, "memory", draft_mebibytes(need->mem_mib));
    d->pod.has_priority = true;
    d->pod.priority = which.running ? 0 : 1000;
}

const workload workload_basic = {.node = make_node, .pod = make_basic};
const workload workload_distinct = {.node = make_node, .pod = make_distinct};
const workload workload_spread = {.node = make_node, .pod = make_spread};
const workload workload_anti = {.node = make_node, .pod = make_anti};
const workload workload_affinity = {.node = make_node, .pod = make_affinity};
const workload workload_preferred = {.node = make_node, .pod = make_preferred};
const workload workload_preempt = {
    .node = make_node, .pod = make_preempt, .running_a_node = FULL_NODE_PODS};
