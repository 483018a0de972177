/* NodePorts, and PodFitsHostPorts of v1.15: a wanted host port must be free on the node.
 * Source: kube-scheduler v1.32, plugins/nodeports; framework/types.go, HostPortInfo; v1.15.3,
 * predicates.PodFitsHostPorts. */
#include "base/bits.h"
#include "columns/port_set.h"
#include "plugins/registry.h"

static berth__outcome node_ports_prepare(berth__prepare *prepare)
{
    return prepare->cycle->cls->ports == NULL ? BERTH__SKIP : BERTH__ACTIVE;
}

static bool fits(const berth__model *model, const berth__port_list *wanted,
                 const berth__port_set *used)
{
    return used == NULL || !berth__host_ports_conflict(wanted->items, wanted->count, used->items,
                                                       used->count, model->known.any_ip);
}

static void node_ports_filter(const berth__question *cycle, const void *instance, const void *state,
                              uint32_t tile, berth__mask *mask)
{
    (void)instance;
    (void)state;
    const berth__tile *own = cycle->view->tiles[tile];
    berth__mask held = own->ports_held;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        held.words[w] &= mask->words[w];
    BERTH__MASK_EACH(&held, s)
    {
        if (!fits(cycle->view->model, cycle->cls->ports, own->ports[s]))
            berth__bit_clear(mask->words, s);
    }
}

static bool node_ports_filter_slot(const berth__question *cycle, const void *instance,
                                   const void *state, uint32_t slot)
{
    (void)instance;
    (void)state;
    return fits(cycle->view->model, cycle->cls->ports,
                cycle->view->tiles[slot / BERTH__TILE]->ports[slot % BERTH__TILE]);
}

/* Wake if a pod frees a port that conflicts with a wanted one, or a node is added. */
static bool node_ports_wakes(berth__wake *wake, const berth__waiter *waiter, const void *instance)
{
    (void)instance;
    if ((wake->bits & BERTH_WAKE_NODE_ADD) != 0)
        return true;
    const berth__port_list *wanted = waiter->cls->ports, *freed = wake->before->ports;
    return wanted != NULL && freed != NULL &&
           berth__host_ports_conflict(wanted->items, wanted->count, freed->items, freed->count,
                                      wake->view->model->known.any_ip);
}

BERTH__EXPLAIN_ALWAYS(node_ports_explain, BERTH_CODE_UNSCHEDULABLE,
                      "node(s) didn't have free ports for the requested pod ports")

/* v1.15 has no preFilter whose state may be missing. */
#define NODE_PORTS(rule, missed)                                                           \
    {                                                                                      \
        .name = (rule), .flags = BERTH__ALWAYS_UNSCHEDULABLE,                              \
        .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_POD_REMOVE, .wakes = node_ports_wakes, \
        .filter_misses = (missed), .prepare_filter = node_ports_prepare,                   \
        .filter = node_ports_filter, .filter_slot = node_ports_filter_slot,                \
        .explain = node_ports_explain,                                                     \
    }

const berth__plugin_ops berth__plugin_node_ports =
    NODE_PORTS("NodePorts", "reading \"PreFilterNodePorts\" from cycleState: not found");
const berth__plugin_ops berth__plugin_pod_fits_host_ports = NODE_PORTS("PodFitsHostPorts", NULL);
