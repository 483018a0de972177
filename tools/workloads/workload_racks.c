/* The workload `racks`: equal nodes in racks of twenty, which are topology domains; racks lie
 * within zones. Apps have heavy-tailed sizes. By the number of the app, its pods are spread evenly
 * over racks, are spread if possible, avoid racks with another of its pods, or prefer the racks of
 * another app.
 *
 * Running pods belong to apps without a rule that could be broken. */
#include <inttypes.h>

#include "cli/words.h"
#include "workloads/workload_kinds.h"

enum {
    RACK_NODES = 20,
    NODE_CPU_MILLI = 64000,
    NODE_MEM_MIB = 256 * 1024,
    NODE_PODS = 110,
    PODS_AN_APP = 128,
    RULES = 4, /* app % RULES: the rule of its pods */
    MUST_SPREAD = 0,
    MAY_SPREAD,
    AVOIDS_ITSELF,
    ABOUT_APP = 56, /* purpose passed to workload_hash */
};

static const char zone_key[] = "topology.kubernetes.io/zone";
static const char rack_key[] = "topology.example.com/rack";

/* Nodes are dealt to zones in turn; each zone fills its racks one after the other. */
static uint64_t rack_of(const workload_spec *spec, uint32_t idx)
{
    return idx / (RACK_NODES * spec->zones) * spec->zones + idx % spec->zones;
}

static void make_node(const workload_spec *spec, uint32_t idx, draft *d, workload_room *room)
{
    const berth_str name = draft_text(d, "node-%" PRIu32, idx);
    draft_node(d, name);
    draft_label(d, "kubernetes.io/hostname", name);
    draft_label(d, zone_key, draft_text(d, "zone-%" PRIu64, idx % spec->zones));
    draft_label(d, rack_key, draft_text(d, "rack-%" PRIu64, rack_of(spec, idx)));
    draft_resource(d, "cpu", draft_milli(NODE_CPU_MILLI));
    draft_resource(d, "memory", draft_mebibytes(NODE_MEM_MIB));
    draft_resource(d, "pods", draft_units(NODE_PODS));
    *room =
        (workload_room){.cpu_milli = NODE_CPU_MILLI, .mem_mib = NODE_MEM_MIB, .pods = NODE_PODS};
}

static void add_rule(uint32_t app, berth_str label, berth_str other, draft *d)
{
    switch (app % RULES) {
    case MUST_SPREAD:
        draft_spread(d, rack_key, 2, "DoNotSchedule", "app", label);
        break;
    case MAY_SPREAD:
        draft_spread(d, rack_key, 1, "ScheduleAnyway", "app", label);
        break;
    case AVOIDS_ITSELF:
        draft_pod_term(d, DRAFT_ANTI_PREFERRED, 100, rack_key, "app", label);
        break;
    default:
        draft_pod_term(d, DRAFT_AFFINITY_PREFERRED, 50, rack_key, "app", other);
        break;
    }
}

static void make_pod(const workload_spec *spec, workload_pod which, workload_random *random,
                     draft *d, workload_need *need)
{
    static const int32_t cpus_milli[] = {100, 250, 500, 1000, 2000};
    uint32_t app = workload_choose_app(workload_app_count(spec, PODS_AN_APP), random);
    if (which.running && app % RULES == MUST_SPREAD)
        app += MAY_SPREAD - MUST_SPREAD;
    workload_random own = {workload_hash(spec->seed, ABOUT_APP, app)};
    const berth_str label = draft_text(d, "app-%" PRIu32, app);
    need->app = app;
    need->alike = true;
    need->cpu_milli = cpus_milli[workload_random_below(&own, 5)];
    need->mem_mib = 1024 << workload_random_below(&own, 3);
    draft_pod(d, words_of("default"),
              draft_text(d, "%s-%" PRIu64, which.running ? "running" : "pod", which.idx));
    draft_label(d, "app", label);
    draft_image(d, draft_text(d, "example.com/app-%" PRIu32 ":v1", app));
    draft_resource(d, "cpu", draft_milli(need->cpu_milli));
    draft_resource(d, "memory", draft_mebibytes(need->mem_mib));
    add_rule(app, label, draft_text(d, "app-%" PRIu32, app - 1), d);
}

const workload workload_racks = {.node = make_node, .pod = make_pod};
