/* The workload `ordinary`: a typical cluster; and `churn`, the same with pods that leave.
 *
 * Machines of Google's trace of 2019, some to be avoided (PreferNoSchedule); Deployments behind
 * Services, whose pods kube-scheduler's defaults spread over zones and nodes; every tenth pod
 * belongs to an app whose pods have a volume each.
 *
 * The number of pods of an app is heavy-tailed. Requests have the steps that people write, small
 * ones more often than large ones, and are the same for all pods of an app. One app in five prefers
 * a kind of machine, one in five prefers not to have two pods on a node, one in ten prefers the
 * zone of another app. Everything about an app follows from the seed and its number. */
#include <inttypes.h>

#include "cli/words.h"
#include "workloads/machine_shapes.h"
#include "workloads/workload_kinds.h"

enum {
    PODS_AN_APP = 128,
    CLAIM_SHARE = 10, /* every tenth pod has a volume */
    NODE_PODS = 110,
    TAINTED_SHARE = 20,
    /* purposes passed to workload_hash */
    ABOUT_NODE = 48,
    ABOUT_APP,
};

static const char zone_key[] = "topology.kubernetes.io/zone";
static const char host_key[] = "kubernetes.io/hostname";
static const char type_key[] = "node.kubernetes.io/instance-type";
static const char namespace_name[] = "default";

static berth_str machine_type(draft *d, const machine_shape *machine)
{
    return draft_text(d, "m%u-%u", (unsigned)machine->cores, (unsigned)machine->gib);
}

static void make_node(const workload_spec *spec, uint32_t idx, draft *d, workload_room *room)
{
    workload_random random = {workload_hash(spec->seed, ABOUT_NODE, idx)};
    const machine_shape *machine = choose_machine(&random, MACHINES_2019);
    *room = (workload_room){
        .cpu_milli = machine->cores * 1000, .mem_mib = machine->gib * 1024, .pods = NODE_PODS};
    berth_str name = draft_text(d, "node-%" PRIu32, idx);
    draft_node(d, name);
    draft_label(d, host_key, name);
    draft_label(d, "kubernetes.io/os", words_of("linux"));
    draft_label(d, "kubernetes.io/arch", words_of("amd64"));
    draft_label(d, zone_key, draft_text(d, "zone-%" PRIu64, idx % spec->zones));
    draft_label(d, type_key, machine_type(d, machine));
    draft_resource(d, "cpu", draft_milli(room->cpu_milli));
    draft_resource(d, "memory", draft_mebibytes(room->mem_mib));
    draft_resource(d, "pods", draft_units(NODE_PODS));
    if (workload_random_below(&random, TAINTED_SHARE) == 0)
        draft_taint(d, "example.com/spot", "true", "PreferNoSchedule");
}

/* ---- apps ---- */

static uint32_t app_count(const workload_spec *spec)
{
    const uint32_t drawn = workload_app_count(spec, PODS_AN_APP);
    return spec->apps > 0 ? (uint32_t)spec->apps : drawn + drawn / CLAIM_SHARE + 1;
}

/* Apps without volumes come first, then those with volumes. */
static uint32_t stateless_apps(const workload_spec *spec)
{
    const uint32_t count = app_count(spec);
    if (spec->apps > 0)
        return count - count / CLAIM_SHARE;
    return workload_app_count(spec, PODS_AN_APP);
}

/* The pods of apps of one size come in turn. */
static uint32_t next_app(const workload_spec *spec, workload_pod which)
{
    const uint32_t plain = stateless_apps(spec), with_volumes = app_count(spec) - plain;
    const uint64_t before = (which.idx + CLAIM_SHARE - 1) / CLAIM_SHARE; /* pods with a volume */
    if (which.idx % CLAIM_SHARE == 0 && with_volumes > 0)
        return plain + (uint32_t)(which.idx / CLAIM_SHARE % with_volumes);
    return (uint32_t)((which.idx - before) % plain);
}

static uint32_t choose_app(const workload_spec *spec, workload_pod which, workload_random *random)
{
    uint32_t plain = stateless_apps(spec);
    if (spec->apps > 0)
        return next_app(spec, which);
    return which.idx % CLAIM_SHARE != 0
               ? workload_choose_app(plain, random)
               : plain + workload_choose_app(app_count(spec) - plain, random);
}

static berth_str app_name(draft *d, uint32_t app)
{
    return draft_text(d, "app-%" PRIu32, app);
}

static berth_str replica_set_name(const workload_spec *spec, draft *d, uint32_t app)
{
    return draft_text(d, "app-%" PRIu32 "-%08" PRIx32, app,
                      (uint32_t)workload_hash(spec->seed, ABOUT_APP, app));
}

/* Counts a Service and a ReplicaSet for each app, and the storage of its pods. */
static uint64_t count_storage(const workload_spec *spec)
{
    return 2 * (uint64_t)app_count(spec) + workload_storage_count(spec, CLAIM_SHARE);
}

static void make_storage(const workload_spec *spec, uint64_t idx, draft *d)
{
    uint64_t apps = app_count(spec);
    if (idx < apps) {
        berth_str app = app_name(d, (uint32_t)idx);
        draft_service(d, words_of(namespace_name), app, "app", app);
    } else if (idx < 2 * apps) {
        uint32_t app = (uint32_t)(idx - apps);
        draft_replica_set(d, words_of(namespace_name), replica_set_name(spec, d, app), "app",
                          app_name(d, app));
    } else {
        workload_storage_make(spec, CLAIM_SHARE, idx - 2 * apps, d);
    }
}

/* ---- pods ---- */

static void add_requests(workload_random *random, draft *d, workload_need *need)
{
    static const int32_t cpus_milli[] = {50,  100, 100,  100,  200,  250,  250, 500,
                                         500, 500, 1000, 1000, 2000, 2000, 4000};
    static const int32_t mebibytes_a_core[] = {1024, 2048, 4096, 4096, 8192};
    need->cpu_milli = cpus_milli[workload_random_below(random, 15)];
    need->mem_mib = need->cpu_milli * mebibytes_a_core[workload_random_below(random, 5)] / 1000;
    draft_resource(d, "cpu", draft_milli(need->cpu_milli));
    draft_resource(d, "memory", draft_mebibytes(need->mem_mib));
}

static void add_preferences(const workload_spec *spec, workload_random *random, uint32_t app,
                            draft *d)
{
    uint32_t drawn = workload_random_below(random, 10);
    const machine_shape *machine = choose_machine(random, MACHINES_2019);
    uint32_t other = workload_random_below(random, app_count(spec));
    if (drawn < 2)
        draft_prefer_node(d, 50, type_key, machine_type(d, machine));
    else if (drawn < 4)
        draft_pod_term(d, DRAFT_ANTI_PREFERRED, 100, host_key, "app", app_name(d, app));
    else if (drawn == 4)
        draft_pod_term(d, DRAFT_AFFINITY_PREFERRED, 50, zone_key, "app", app_name(d, other));
}

static void make_pod(const workload_spec *spec, workload_pod which, workload_random *random,
                     draft *d, workload_need *need)
{
    uint32_t app = choose_app(spec, which, random);
    workload_random own = {workload_hash(spec->seed, ABOUT_APP, app)};
    draft_pod(d, words_of(namespace_name),
              draft_text(d, "%s-%" PRIu64, which.running ? "running" : "pod", which.idx));
    draft_label(d, "app", app_name(d, app));
    draft_own(d, replica_set_name(spec, d, app));
    draft_image(d, draft_text(d, "example.com/app-%" PRIu32 ":v1", app));
    need->app = app;
    need->alike = which.idx % CLAIM_SHARE != 0;
    add_requests(&own, d, need);
    add_preferences(spec, &own, app, d);
    workload_mount(spec, CLAIM_SHARE, which, d, need);
}

#define ORDINARY                                                                 \
    .takes_apps = true, .storage_count = count_storage, .storage = make_storage, \
    .node = make_node, .pod = make_pod

const workload workload_ordinary = {ORDINARY};
const workload workload_churn = {ORDINARY, .churns = true};
