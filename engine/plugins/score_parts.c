/* Collects score parts, each once; splits have the same order whichever scorer adds them. */
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

static void add_split(berth__score_parts *parts, const berth__topology *topology, bool presence)
{
    uint32_t at = 0;
    while (at < parts->split_count && parts->splits[at].topology->key < topology->key)
        at++;
    if (at < parts->split_count && parts->splits[at].topology == topology) {
        parts->splits[at].presence &= presence; /* nodes of one domain agree about that, too */
        return;
    }
    if (parts->split_count == BERTH__SCORE_PARTS_MAX) {
        parts->ok = false;
        return;
    }
    memmove(parts->splits + at + 1, parts->splits + at,
            (parts->split_count - at) * sizeof(*parts->splits));
    parts->splits[at] = (berth__score_split){topology, presence};
    parts->split_count++;
}

void berth__score_parts_add_domain(berth__score_parts *parts, const berth__topology *topology)
{
    add_split(parts, topology, false);
}

void berth__score_parts_add_presence(berth__score_parts *parts, const berth__topology *topology)
{
    add_split(parts, topology, true);
}

void berth__score_parts_require(berth__score_parts *parts, const berth__topology *topology)
{
    if (parts->required_count == BERTH__SCORE_PARTS_MAX)
        parts->ok = false;
    else
        parts->required[parts->required_count++] = topology;
}
