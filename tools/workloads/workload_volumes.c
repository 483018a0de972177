/* Storage for clusters in which every so many-th pod has a persistent volume, and the workload
 * `volumes`: basic pods with a volume each.
 *
 * Volumes belong to a driver with a fixed limit per node. Each zone has a storage class that allows
 * volumes in that zone and the next, and binds a claim when its first pod has a node. Running pods
 * have their volumes. Of the pods to place with a claim, every second one has a volume in a zone
 * drawn for it; the others' claims are unbound. Claims are named after their pods, volumes after
 * their claims. */
#include <inttypes.h>

#include "cli/words.h"
#include "workloads/workload_kinds.h"

enum {
    VOLUMES_A_NODE = 25,
    VOLUME_GIB = 20,
    ABOUT_ZONE = 32, /* the purpose passed to workload_hash */
};

static const char zone_key[] = "topology.kubernetes.io/zone";
static const char driver[] = "ebs.csi.aws.com";
static const char namespace_name[] = "default";

/* Running pods are distributed over the zones in turn. Zones beyond the number of nodes have no
 * node. */
static uint64_t zone_of(const workload_spec *spec, workload_pod which)
{
    uint64_t zones = spec->zones < spec->nodes ? spec->zones : spec->nodes;
    uint64_t drawn = which.running ? which.idx : workload_hash(spec->seed, ABOUT_ZONE, which.idx);
    return drawn % zones;
}

/* Pod number `nth` among those with a claim. */
static workload_pod with_claim(uint64_t share, uint64_t nth, bool running)
{
    return (workload_pod){nth * share, running};
}

static bool is_bound(uint64_t share, workload_pod which)
{
    return which.running || which.idx / share % 2 == 0;
}

static uint64_t claims_of(uint64_t pods, uint64_t share)
{
    return (pods + share - 1) / share;
}

static uint64_t bound_pending(const workload_spec *spec, uint64_t share)
{
    return (claims_of(spec->pods, share) + 1) / 2;
}

static berth_str zone_name(draft *d, uint64_t zone)
{
    return draft_text(d, "zone-%" PRIu64, zone);
}

static berth_str class_name(draft *d, uint64_t zone)
{
    return draft_text(d, "ebs-%" PRIu64, zone);
}

static berth_str claim_name(draft *d, workload_pod which)
{
    return draft_text(d, "data-%s-%" PRIu64, which.running ? "running" : "pod", which.idx);
}

static berth_str volume_name(draft *d, workload_pod which)
{
    return draft_text(d, "pv-data-%s-%" PRIu64, which.running ? "running" : "pod", which.idx);
}

static void make_class(const workload_spec *spec, uint64_t zone, draft *d)
{
    const berth_str zones[] = {zone_name(d, zone), zone_name(d, (zone + 1) % spec->zones)};
    draft_storage_class(d, class_name(d, zone), words_of(driver));
    draft_allow_topology(d, zone_key, zones, spec->zones > 1 ? 2 : 1);
}

static void make_volume(const workload_spec *spec, workload_pod which, draft *d)
{
    uint64_t zone = zone_of(spec, which);
    berth_str zone_text = zone_name(d, zone);
    draft_volume(d, volume_name(d, which), words_of(driver), VOLUME_GIB);
    draft_label(d, zone_key, zone_text);
    draft_use_class(d, class_name(d, zone));
    draft_bind_volume(d, words_of(namespace_name), claim_name(d, which));
    draft_require_node(d, zone_key, &zone_text, 1);
}

static void make_claim(const workload_spec *spec, uint64_t share, workload_pod which, draft *d)
{
    draft_claim(d, words_of(namespace_name), claim_name(d, which), VOLUME_GIB);
    draft_use_class(d, class_name(d, zone_of(spec, which)));
    if (is_bound(share, which))
        draft_bind_claim(d, volume_name(d, which));
}

uint64_t workload_storage_count(const workload_spec *spec, uint64_t share)
{
    uint64_t running = claims_of(spec->running, share), pending = claims_of(spec->pods, share);
    uint64_t volumes = running + bound_pending(spec, share);
    return spec->zones + 1 + spec->nodes + volumes + running + pending;
}

/* Makes classes, the driver, its limit on each node, volumes, or claims. */
void workload_storage_make(const workload_spec *spec, uint64_t share, uint64_t idx, draft *d)
{
    uint64_t running = claims_of(spec->running, share);
    if (workload_is_among(&idx, spec->zones))
        make_class(spec, idx, d);
    else if (workload_is_among(&idx, 1))
        draft_csi_driver(d, words_of(driver));
    else if (workload_is_among(&idx, spec->nodes))
        draft_csi_node(d, draft_text(d, "node-%" PRIu64, idx), words_of(driver), VOLUMES_A_NODE);
    else if (workload_is_among(&idx, running))
        make_volume(spec, with_claim(share, idx, true), d);
    else if (workload_is_among(&idx, bound_pending(spec, share)))
        make_volume(spec, with_claim(share, idx * 2, false), d);
    else if (workload_is_among(&idx, running))
        make_claim(spec, share, with_claim(share, idx, true), d);
    else
        make_claim(spec, share, with_claim(share, idx, false), d);
}

void workload_mount(const workload_spec *spec, uint64_t share, workload_pod which, draft *d,
                    workload_need *need)
{
    if (which.idx % share != 0)
        return;
    draft_mount(d, words_of("data"), claim_name(d, which));
    need->zone = (int32_t)zone_of(spec, which);
}

/* ---- the workload ---- */

static uint64_t count_storage(const workload_spec *spec)
{
    return workload_storage_count(spec, 1);
}

static void make_storage(const workload_spec *spec, uint64_t idx, draft *d)
{
    workload_storage_make(spec, 1, idx, d);
}

static void make_node(const workload_spec *spec, uint32_t idx, draft *d, workload_room *room)
{
    workload_basic.node(spec, idx, d, room);
    room->pods = VOLUMES_A_NODE; /* each pod has a volume */
}

static void make_pod(const workload_spec *spec, workload_pod which, workload_random *random,
                     draft *d, workload_need *need)
{
    workload_basic.pod(spec, which, random, d, need);
    workload_mount(spec, 1, which, d, need);
}

const workload workload_volumes = {
    .storage_count = count_storage,
    .storage = make_storage,
    .node = make_node,
    .pod = make_pod,
};
