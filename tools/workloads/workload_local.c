/* The workload `local`: basic pods whose volumes are on the node that runs them. Of the pods to
 * place, every second one claims a volume that exists and that one node reaches; for the others, a
 * driver makes a volume on any node that has enough capacity left, which it publishes. Running pods
 * have no volumes.
 *
 * Each node has volumes of three sizes in turn, in all at least two for each pod that claims one.
 * Claims are named after their pods. */
#include <inttypes.h>

#include "cli/words.h"
#include "workloads/workload_kinds.h"

enum {
    VOLUMES_A_NODE_MIN = 2,
    SIZES = 3,
    CAPACITY_GIB = 2000, /* and some more, by node */
    ABOUT_SIZE = 60,     /* the purpose passed to workload_hash */
};

static const int64_t sizes_gib[SIZES] = {10, 20, 40};
static const char host_key[] = "kubernetes.io/hostname";
static const char driver[] = "lvm.csi.example.com";
static const char existing[] = "local", made[] = "lvm";
static const char namespace_name[] = "default";

static uint64_t volumes_a_node(const workload_spec *spec)
{
    const uint64_t volumes = (spec->pods + spec->nodes - 1) / spec->nodes;
    return volumes > VOLUMES_A_NODE_MIN ? volumes : VOLUMES_A_NODE_MIN;
}

static uint64_t count_storage(const workload_spec *spec)
{
    return 3 + spec->nodes + spec->nodes * volumes_a_node(spec) + spec->pods;
}

static berth_str node_name(draft *d, uint64_t node)
{
    return draft_text(d, "node-%" PRIu64, node);
}

static void make_capacity(uint64_t node, draft *d)
{
    draft_capacity(d, words_of(namespace_name), draft_text(d, "lvm-%" PRIu64, node),
                   CAPACITY_GIB + (int64_t)(node % 50));
    draft_use_class(d, words_of(made));
    draft_reach(d, host_key, node_name(d, node));
}

static void make_volume(uint64_t idx, uint64_t node, draft *d)
{
    const berth_str host = node_name(d, node);
    draft_volume(d, draft_text(d, "pv-local-%" PRIu64, idx), words_of("local.example.com"),
                 sizes_gib[idx % SIZES]);
    draft_use_class(d, words_of(existing));
    draft_require_node(d, host_key, &host, 1);
}

static berth_str claim_name(draft *d, uint64_t pod)
{
    return draft_text(d, "data-pod-%" PRIu64, pod);
}

/* A claim for an existing volume is small enough for one of the two larger sizes. */
static void make_claim(const workload_spec *spec, uint64_t pod, draft *d)
{
    const uint64_t drawn = workload_hash(spec->seed, ABOUT_SIZE, pod);
    draft_claim(d, words_of(namespace_name), claim_name(d, pod), sizes_gib[drawn % 2]);
    draft_use_class(d, words_of(pod % 2 == 0 ? existing : made));
}

/* Makes the classes, the driver, its capacities, volumes, or claims. */
static void make_storage(const workload_spec *spec, uint64_t idx, draft *d)
{
    const uint64_t volumes = spec->nodes * volumes_a_node(spec);
    if (workload_is_among(&idx, 1)) {
        draft_storage_class(d, words_of(existing), words_of("kubernetes.io/no-provisioner"));
    } else if (workload_is_among(&idx, 1)) {
        draft_storage_class(d, words_of(made), words_of(driver));
    } else if (workload_is_among(&idx, 1)) {
        draft_csi_driver(d, words_of(driver));
        d->csi_driver.storage_capacity = true;
    } else if (workload_is_among(&idx, spec->nodes)) {
        make_capacity(idx, d);
    } else if (workload_is_among(&idx, volumes)) {
        make_volume(idx, idx % spec->nodes, d);
    } else {
        make_claim(spec, idx, d);
    }
}

static void make_pod(const workload_spec *spec, workload_pod which, workload_random *random,
                     draft *d, workload_need *need)
{
    workload_basic.pod(spec, which, random, d, need);
    if (!which.running)
        draft_mount(d, words_of("data"), claim_name(d, which.idx));
}

static void make_node(const workload_spec *spec, uint32_t idx, draft *d, workload_room *room)
{
    workload_basic.node(spec, idx, d, room);
}

const workload workload_local = {
    .storage_count = count_storage,
    .storage = make_storage,
    .node = make_node,
    .pod = make_pod,
};
