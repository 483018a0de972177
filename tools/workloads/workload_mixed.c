/* A cluster with many kinds of machines and pods.
 *
 * Machines: the shapes of the Google traces of 2011 and 2019, and for one in sixteen the two most
 * common GPU machines of Alibaba's 2023 trace. Some are tainted for batch work, some have a
 * PreferNoSchedule taint, are cordoned, or lack a fast disk.
 *
 * Pods belong to apps. The number of pods of an app is heavy-tailed (the n-th app gets about 1/n of
 * the first one's), and so are requests: most ask for a fraction of a core, a few for most of a
 * machine. Everything about an app follows from the seed and its number, so its pods are alike. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/words.h"
#include "workloads/machine_shapes.h"
#include "workloads/workload_kinds.h"

enum {
    PODS_AN_APP = 20,
    IMAGES = 40,
    NODE_PODS = 110,
    TEAMS = 8,
    /* traits of a node */
    TRAIT_SSD = 1,
    TRAIT_BATCH = 2,
    TRAIT_GPU = 4,
    TRAIT_CORDONED = 8,
    /* purposes passed to workload_hash */
    ABOUT_NODE = 16,
    ABOUT_APP,
    ABOUT_IMAGE,
};

static const char zone_key[] = "topology.kubernetes.io/zone";
static const char host_key[] = "kubernetes.io/hostname";
static const char disk_key[] = "example.com/disk";
static const char trace_key[] = "example.com/trace";
static const char gpu_key[] = "nvidia.com/gpu";
static const char gpu_model_key[] = "nvidia.com/gpu.product";

static bool one_in(workload_random *random, uint32_t count)
{
    return workload_random_below(random, count) == 0;
}

static berth_str image_name(draft *d, uint32_t image)
{
    return draft_text(d, "example.com/app-%" PRIu32 ":v1", image);
}

static void add_images(const workload_spec *spec, workload_random *random, draft *d)
{
    uint32_t image = workload_random_below(random, IMAGES);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t mebibytes = 20 + workload_hash(spec->seed, ABOUT_IMAGE, image) % 1500;
        draft_node_image(d, image_name(d, image), (int64_t)mebibytes * 1024 * 1024);
        image = (image + 7) % IMAGES;
    }
}

static void make_node(const workload_spec *spec, uint32_t idx, draft *d, workload_room *room)
{
    workload_random random = {workload_hash(spec->seed, ABOUT_NODE, idx)};
    const machine_shape *machine = NULL;
    if (one_in(&random, 16))
        machine = choose_machine(&random, MACHINES_GPU);
    else if (workload_random_below(&random, 2) == 0)
        machine = choose_machine(&random, MACHINES_2011);
    else
        machine = choose_machine(&random, MACHINES_2019);
    *room = (workload_room){.cpu_milli = machine->cores * 1000,
                            .mem_mib = machine->gib * 1024,
                            .pods = NODE_PODS,
                            .gpus = machine->gpus};
    berth_str name = draft_text(d, "node-%" PRIu32, idx);
    draft_node(d, name);
    draft_label(d, host_key, name);
    draft_label(d, "kubernetes.io/os", words_of("linux"));
    draft_label(d, "kubernetes.io/arch", words_of("amd64"));
    draft_label(d, zone_key, draft_text(d, "zone-%" PRIu64, idx % spec->zones));
    draft_label(d, trace_key, words_of(machine->trace));
    draft_resource(d, "cpu", draft_milli(room->cpu_milli));
    draft_resource(d, "memory", draft_mebibytes(room->mem_mib));
    draft_resource(d, "pods", draft_units(NODE_PODS));
    if (machine->gpus > 0) {
        draft_label(d, gpu_model_key, words_of(machine->gpu_model));
        draft_resource(d, gpu_key, draft_units(machine->gpus));
        draft_taint(d, gpu_key, "present", "NoSchedule");
        room->traits |= TRAIT_GPU;
    }
    bool ssd = workload_random_below(&random, 5) < 3;
    draft_label(d, disk_key, words_of(ssd ? "ssd" : "hdd"));
    room->traits |= ssd ? TRAIT_SSD : 0;
    if (one_in(&random, 20)) {
        draft_taint(d, "example.com/dedicated", "batch", "NoSchedule");
        room->traits |= TRAIT_BATCH;
    }
    if (one_in(&random, 20))
        draft_taint(d, "example.com/spot", "true", "PreferNoSchedule");
    if (one_in(&random, 100)) {
        d->node.unschedulable = true;
        room->traits |= TRAIT_CORDONED;
    }
    add_images(spec, &random, d);
}

/* Requests: `share` percent for each size; cpu in milli, memory in MiB per core. */
static void add_requests(workload_random *random, draft *d, workload_need *need)
{
    static const struct {
        uint8_t share;
        uint16_t cpu_milli;
    } sizes[] = {{12, 25},  {16, 50},  {20, 100}, {18, 250},  {13, 500}, {9, 1000},
                 {5, 2000}, {3, 4000}, {2, 8000}, {1, 16000}, {1, 32000}};
    static const int32_t mebibytes_a_core[] = {512, 1024, 2048, 4096, 4096, 8192, 16384};
    uint32_t drawn = workload_random_below(random, 100);
    uint32_t i = 0;
    for (; drawn >= sizes[i].share; i++)
        drawn -= sizes[i].share;
    uint32_t ratio = workload_random_below(random, 7);
    bool best_effort = one_in(random, 25);
    uint32_t odd_milli = one_in(random, 4) ? workload_random_below(random, sizes[i].cpu_milli) : 0;
    if (best_effort)
        return;
    need->cpu_milli = (int32_t)(sizes[i].cpu_milli + odd_milli);
    need->mem_mib = (int32_t)((int64_t)need->cpu_milli * mebibytes_a_core[ratio] / 1000);
    if (need->mem_mib < 16)
        need->mem_mib = 16;
    draft_resource(d, "cpu", draft_milli(need->cpu_milli));
    draft_resource(d, "memory", draft_mebibytes(need->mem_mib));
}

/* Of 100 GPU pods, 94 request one GPU, 3 two, 2 four, 1 eight. */
static void add_gpus(workload_random *random, draft *d, workload_need *need)
{
    uint32_t drawn = workload_random_below(random, 100);
    need->gpus = drawn < 94 ? 1 : drawn < 97 ? 2 : drawn < 99 ? 4 : 8;
    need->traits_needed |= TRAIT_GPU;
    draft_resource(d, gpu_key, draft_units(need->gpus));
    draft_tolerate(d, gpu_key, "present", "NoSchedule");
    if (one_in(random, 2)) {
        const berth_str models[] = {words_of("G2"), words_of("T4")};
        draft_require_node(d, gpu_model_key, models, 1 + workload_random_below(random, 2));
    }
}

/* Where an app's pods may run or prefer to run. */
static void add_node_rules(const workload_spec *spec, workload_random *random, draft *d,
                           workload_need *need)
{
    bool batch = one_in(random, 10);
    bool ssd = one_in(random, 10);
    bool zonal = one_in(random, 20);
    bool modern = one_in(random, 10);
    uint32_t zone = workload_random_below(random, (uint32_t)spec->zones);
    if (batch)
        draft_tolerate(d, "example.com/dedicated", "batch", "NoSchedule");
    else
        need->traits_refused |= TRAIT_BATCH;
    if (ssd) {
        draft_select_node(d, disk_key, words_of("ssd"));
        need->traits_needed |= TRAIT_SSD;
    }
    if (zonal && spec->zones > 1) {
        berth_str wanted = draft_text(d, "zone-%" PRIu32, zone);
        draft_require_node(d, zone_key, &wanted, 1);
        need->zone = (int32_t)zone;
    }
    if (modern)
        draft_prefer_node(d, 50, trace_key, words_of("google-2019"));
}

/* How an app's pods relate to each other and to the next app's. */
static void add_pod_rules(workload_random *random, uint32_t app, berth_str label, draft *d,
                          workload_need *need)
{
    uint32_t drawn = workload_random_below(random, 20);
    int32_t max_skew = 1 + (int32_t)workload_random_below(random, 5);
    if (drawn < 3) {
        draft_spread(d, zone_key, max_skew, "DoNotSchedule", "app", label);
    } else if (drawn < 6) {
        draft_spread(d, zone_key, max_skew, "ScheduleAnyway", "app", label);
        draft_spread(d, host_key, 1, "ScheduleAnyway", "app", label);
    } else if (drawn < 9) {
        draft_pod_term(d, DRAFT_ANTI_PREFERRED, 100, host_key, "app", label);
    } else if (drawn == 9) {
        draft_pod_term(d, DRAFT_AFFINITY_PREFERRED, 50, zone_key, "app",
                       draft_text(d, "app-%" PRIu32, app + 1));
    } else if (drawn == 10 && app >= 16) {
        /* not for the largest apps, which may have more pods than there are nodes */
        draft_pod_term(d, DRAFT_ANTI_REQUIRED, 0, host_key, "app", label);
        need->one_per_node = true;
    }
}

static void make_pod(const workload_spec *spec, workload_pod which, workload_random *random,
                     draft *d, workload_need *need)
{
    uint32_t app = workload_choose_app(workload_app_count(spec, PODS_AN_APP), random);
    workload_random own = {workload_hash(spec->seed, ABOUT_APP, app)};
    draft_pod(d, words_of("default"),
              draft_text(d, "%s-%" PRIu64, which.running ? "running" : "pod", which.idx));
    berth_str label = draft_text(d, "app-%" PRIu32, app);
    need->app = app;
    need->alike = true;
    need->traits_refused = TRAIT_CORDONED;
    draft_label(d, "app", label);
    draft_label(d, "team", draft_text(d, "team-%" PRIu32, workload_random_below(&own, TEAMS)));
    draft_label(d, "tier", words_of(one_in(&own, 3) ? "backend" : "frontend"));
    draft_image(d, image_name(d, workload_random_below(&own, IMAGES)));
    add_requests(&own, d, need);
    if (one_in(&own, 30))
        add_gpus(&own, d, need);
    else
        need->traits_refused |= TRAIT_GPU;
    add_node_rules(spec, &own, d, need);
    add_pod_rules(&own, app, label, d, need);
    if (one_in(&own, 100))
        draft_host_port(d, (int32_t)(20000 + app));
    if (d->container.port_count > 0)
        need->one_per_node = true;
}

const workload workload_mixed = {.node = make_node, .pod = make_pod};
