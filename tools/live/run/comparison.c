/* Compares nodes and pods only; errors in other kinds show in these. */
#include "live/run/comparison.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "live/log/log.h"

enum { TOLD_MAX = 20 };

static void tell(comparison *c, berth_str namespace_name, berth_str name, const char *what)
{
    char object[512];
    if (c->differences++ >= TOLD_MAX)
        return;
    snprintf(object, sizeof(object), "%.*s/%.*s", (int)namespace_name.len,
             namespace_name.len > 0 ? namespace_name.data : "", (int)name.len, name.data);
    LOG_WARNING("the server's list is different", "object", object, "what", what);
}

static bool is_same(berth_str a, berth_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static void note_pod(comparison *c, const berth_engine *engine, const berth_pod *pod)
{
    berth_pod_id id = berth_engine_find_pod(engine, pod->meta.namespace_name, pod->meta.name);
    c->pods++;
    if (id == BERTH_POD_NONE) {
        tell(c, pod->meta.namespace_name, pod->meta.name, "a pod that we don't know");
        return;
    }
    berth_node_id node = berth_engine_pod_node(engine, id);
    berth_str name =
        node != BERTH_NODE_NONE ? berth_engine_node_name(engine, node) : (berth_str){0};
    if (!is_same(name, pod->node_name))
        tell(c, pod->meta.namespace_name, pod->meta.name, "the pod is on another node");
}

void comparison_note(comparison *c, const berth_engine *engine, const berth_object *object)
{
    static const berth_str none = {0};
    if (object->kind == BERTH_KIND_POD)
        note_pod(c, engine, object->as.pod);
    if (object->kind != BERTH_KIND_NODE)
        return;
    c->nodes++;
    if (berth_engine_find_node(engine, object->as.node->meta.name) == BERTH_NODE_NONE)
        tell(c, none, object->as.node->meta.name, "a node that we don't know");
}

uint64_t comparison_end(comparison *c, const berth_engine *engine)
{
    berth_counts counts;
    char nodes[24], pods[24], differences[24];
    berth_engine_counts(engine, &counts);
    uint64_t ours = counts.pods_running + counts.pods_pending + counts.pods_orphaned;
    /* Objects that we have and the list lacks. */
    c->differences += counts.nodes > c->nodes ? counts.nodes - c->nodes : 0;
    c->differences += ours > c->pods ? ours - c->pods : 0;
    snprintf(nodes, sizeof(nodes), "%" PRIu64, c->nodes);
    snprintf(pods, sizeof(pods), "%" PRIu64, c->pods);
    snprintf(differences, sizeof(differences), "%" PRIu64, c->differences);
    LOG_INFO(0, "caches compared", "differences", differences, "nodes", nodes, "pods", pods);
    uint64_t found = c->differences;
    *c = (comparison){.nodes = 0};
    return found;
}
