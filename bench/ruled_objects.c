/* Nodes and pods that give every default plugin work. */
#include "ruled_objects.h"

#include <inttypes.h>

#include "cli/words.h"

enum { ZONES = 3 };

static const char zone_key[] = "topology.kubernetes.io/zone";
static const char host_key[] = "kubernetes.io/hostname";

void ruled_node(draft *d, uint32_t idx)
{
    draft_reset(d);
    berth_str name = draft_text(d, "node-%" PRIu32, idx);
    draft_node(d, name);
    draft_label(d, host_key, name);
    draft_label(d, "kubernetes.io/os", words_of("linux"));
    draft_label(d, zone_key, draft_text(d, "zone-%" PRIu32, idx % ZONES));
    draft_label(d, "disk", words_of(idx % 2 == 0 ? "ssd" : "hdd"));
    draft_resource(d, "cpu", draft_milli(32000));
    draft_resource(d, "memory", draft_mebibytes(256 * 1024));
    draft_resource(d, "pods", draft_units(110));
    if (idx % 8 == 3)
        draft_taint(d, "soft", "yes", "PreferNoSchedule");
    if (idx % 16 == 7)
        draft_taint(d, "hard", "yes", "NoSchedule");
    if (idx % 32 == 15)
        draft_taint(d, "other", "yes", "NoSchedule");
    if (idx % 4 == 1)
        draft_node_image(d, words_of("registry/app:1"), INT64_C(400) << 20);
    d->node.unschedulable = idx % 64 == 63;
}

static void add_rules(draft *d, uint64_t owner)
{
    const berth_str linux_only = words_of("linux");
    berth_str app = draft_text(d, "app-%" PRIu64, owner);
    draft_label(d, "app", app);
    draft_require_node(d, "kubernetes.io/os", &linux_only, 1);
    draft_prefer_node(d, 10, "disk", words_of("ssd"));
    draft_tolerate(d, "hard", "yes", "NoSchedule");
    draft_host_port(d, 8080);
    draft_spread(d, zone_key, 100000, "DoNotSchedule", "app", app);
    draft_spread(d, host_key, 1, "ScheduleAnyway", "app", app);
    draft_pod_term(d, DRAFT_ANTI_REQUIRED, 0, host_key, "app", app);
    draft_pod_term(d, DRAFT_AFFINITY_PREFERRED, 50, zone_key, "app",
                   draft_text(d, "app-%" PRIu64, (owner + 1) % RULED_OWNERS));
}

void ruled_pod(draft *d, uint64_t idx, bool rules, uint32_t on_node)
{
    draft_reset(d);
    draft_pod(d, words_of("default"), draft_text(d, "pod-%" PRIu64, idx));
    draft_image(d, words_of("registry/app:1"));
    draft_resource(d, "cpu", draft_milli(100 + (int64_t)idx));
    draft_resource(d, "memory", draft_mebibytes(128));
    if (rules)
        add_rules(d, idx % RULED_OWNERS);
    if (on_node != UINT32_MAX)
        d->pod.node_name = draft_text(d, "node-%" PRIu32, on_node);
}
