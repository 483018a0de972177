/* Collects score parts, each once; topologies have the same order whichever scorer adds them. */
#include "plugins/score_parts.h"

#include <string.h>

void berth__score_parts_add_node(berth__score_parts *parts, const berth__domain_counts *counts)
{
    for (uint32_t i = 0; i < parts->by_node_count; i++)
        if (parts->by_node[i] == counts)
            return;
    if (parts->by_node_count == BERTH__SCORE_PARTS_MAX)
        parts->ok = false;
    else
        parts->by_node[parts->by_node_count++] = counts;
}

void berth__score_parts_add_domain(berth__score_parts *parts, const berth__topology *topology)
{
    uint32_t at = 0;
    while (at < parts->topology_count && parts->topologies[at]->key < topology->key)
        at++;
    if (at < parts->topology_count && parts->topologies[at] == topology)
        return;
    if (parts->topology_count == BERTH__SCORE_PARTS_MAX) {
        parts->ok = false;
        return;
    }
    memmove(parts->topologies + at + 1, parts->topologies + at,
            (parts->topology_count - at) * sizeof(*parts->topologies));
    parts->topologies[at] = topology;
    parts->topology_count++;
}
