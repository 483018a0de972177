/* The pods of DaemonSets: one for each node that admits the template, pinned to the node as the
 * DaemonSet controller does it. Source: kubernetes v1.32 pkg/controller/daemon and its util. */
#include "kube/workload.h"

#include <string.h>

#include "api/daemon_nodes.h"
#include "base/text.h"

/* The tolerations that the DaemonSet controller adds to its pods; the last only with the host's
 * network. */
static const struct daemon_toleration {
    const char *key;
    const char *effect;
    bool host_network_only;
} daemon_tolerations[] = {
    {"node.kubernetes.io/not-ready", "NoExecute", false},
    {"node.kubernetes.io/unreachable", "NoExecute", false},
    {"node.kubernetes.io/disk-pressure", "NoSchedule", false},
    {"node.kubernetes.io/memory-pressure", "NoSchedule", false},
    {"node.kubernetes.io/pid-pressure", "NoSchedule", false},
    {"node.kubernetes.io/unschedulable", "NoSchedule", false},
    {"node.kubernetes.io/network-unavailable", "NoSchedule", true},
};

enum { DAEMON_TOLERATIONS = sizeof(daemon_tolerations) / sizeof(daemon_tolerations[0]) };

/* Add them to the template once, for all of its pods. */
static bool add_tolerations(berth__expansion *e)
{
    berth_pod *pod = &e->w.pod;
    const berth__json *host = berth__json_get(berth__workload_pod_spec(e->item), "hostNetwork");
    bool host_network = host != NULL && host->type == BERTH__JSON_BOOL && host->count != 0;
    size_t most = (size_t)pod->toleration_count + DAEMON_TOLERATIONS;
    berth_toleration *items = berth__arena_alloc_zero(&e->reader->object, most * sizeof(*items),
                                                      _Alignof(berth_toleration));
    if (items == NULL)
        return false;
    uint32_t count = pod->toleration_count;
    if (count > 0)
        memcpy(items, pod->tolerations, count * sizeof(*items));
    for (int i = 0; i < DAEMON_TOLERATIONS; i++) {
        if (daemon_tolerations[i].host_network_only && !host_network)
            continue;
        items[count++] = (berth_toleration){
            .key = berth__text_of(daemon_tolerations[i].key),
            .op = BERTH_STR("Exists"),
            .effect = berth__text_of(daemon_tolerations[i].effect),
        };
    }
    pod->tolerations = items;
    pod->toleration_count = count;
    return true;
}

/* Replace the required node affinity, which this node meets, by the node's name. */
static bool pin_to_node(berth__arena *arena, const berth_str *node, berth_pod *pod)
{
    struct pin {
        berth_node_selector selector;
        berth_node_selector_term term;
        berth_requirement name;
    } *pin = berth__arena_alloc_zero(arena, sizeof(*pin), _Alignof(struct pin));
    if (pin == NULL)
        return false;
    pin->name = (berth_requirement){BERTH_STR("metadata.name"), BERTH_STR("In"), {node, 1}};
    pin->term.match_fields = (berth_requirements){&pin->name, 1};
    pin->selector = (berth_node_selector){&pin->term, 1};
    pod->node_affinity.required = &pin->selector;
    return true;
}

static berth_status emit_daemon(const berth__expansion *e, berth_str node)
{
    bool ok = true;
    berth_pod pod;
    berth__arena *arena = &e->reader->pod;
    berth__arena_reset(arena);
    berth_str *kept = berth__arena_alloc(arena, sizeof(*kept), _Alignof(berth_str));
    berth_str base = e->w.meta.name;
    berth_str name = berth__arena_print(arena, &ok, "%.*s-%s-%.*s", (int)base.len, base.data,
                                        e->hash, (int)node.len, node.data);
    if (kept == NULL || !ok)
        return berth__reader_no_memory(e->reader);
    /* The engine's own text may move while the caller adds the pod. */
    *kept = berth__arena_str(arena, node, &ok);
    ok =
        ok && berth__expansion_pod(e, name, (berth_str){0}, &pod) && pin_to_node(arena, kept, &pod);
    return ok ? berth__expansion_emit(e, &pod) : berth__reader_no_memory(e->reader);
}

static berth_status emit_daemons(berth__expansion *e)
{
    berth_engine *engine = e->reader->engine;
    berth_counts present = {.nodes = 0};
    if (engine != NULL)
        berth_engine_counts(engine, &present);
    uint32_t count = present.nodes;
    berth_node_id *nodes =
        berth__arena_alloc(&e->reader->object, count * sizeof(*nodes), _Alignof(berth_node_id));
    if (nodes == NULL || !add_tolerations(e))
        return berth__reader_no_memory(e->reader);
    if (count > 0 && berth__daemon_nodes(engine, &e->w.pod, nodes, &count) != BERTH_OK)
        return berth__reader_no_memory(e->reader);
    if (count == 0 && present.nodes > 0)
        berth__note(e->reader, e->item, BERTH_NOTE_NO_DAEMONS, (berth_str){0}, (berth_str){0});
    for (uint32_t i = 0; i < count; i++)
        BERTH_TRY(emit_daemon(e, berth_engine_node_name(engine, nodes[i])));
    return BERTH_OK;
}

berth_status berth__workload_daemons(berth_reader *reader, const berth__item *item)
{
    return berth__expansion_of(reader, item, emit_daemons);
}
