/* Sorted sets of host ports: merging and binary search. */
#include "columns/port_set.h"

#include <string.h>

#include "base/assert.h"
#include "base/search.h"

static bool equal(const berth__host_port *a, const berth__host_port *b)
{
    return berth__host_port_order(a, b) == 0;
}

/* Where a port is, or would be. */
static uint32_t place_of(const berth__host_port *items, uint32_t count,
                         const berth__host_port *port)
{
    uint32_t place;
    BERTH__SEARCH(place, count, i, berth__host_port_order(&items[i], port) < 0);
    return place;
}

bool berth__host_ports_have(const berth__host_port *items, uint32_t count,
                            const berth__host_port *port)
{
    uint32_t at = place_of(items, count, port);
    return at < count && equal(&items[at], port);
}

static bool conflicts(const berth__host_port *wanted, const berth__host_port *used, uint32_t count,
                      berth__sym any_ip)
{
    berth__host_port sought = *wanted;
    sought.ip = wanted->ip == any_ip ? 0 : any_ip; /* 0: the first of that port and protocol */
    uint32_t at = place_of(used, count, &sought);
    if (at < count && used[at].port == wanted->port && used[at].protocol == wanted->protocol &&
        (wanted->ip == any_ip || used[at].ip == any_ip))
        return true;
    return wanted->ip != any_ip && berth__host_ports_have(used, count, wanted);
}

bool berth__host_ports_conflict(const berth__host_port *wanted, uint32_t wanted_count,
                                const berth__host_port *used, uint32_t used_count,
                                berth__sym any_ip)
{
    for (uint32_t i = 0; used_count > 0 && i < wanted_count; i++)
        if (conflicts(&wanted[i], used, used_count, any_ip))
            return true;
    return false;
}

/* How many ports of a list the set lacks. A port that is listed twice counts once. */
static uint32_t count_new(const berth__port_set *set, const berth__port_list *ports)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ports->count; i++)
        count += (i == 0 || !equal(&ports->items[i - 1], &ports->items[i])) &&
                 !berth__host_ports_have(set->items, set->count, &ports->items[i]);
    return count;
}

/* Merges from the end, because the free room is there. */
void berth__port_set_add(berth__port_set *set, const berth__port_list *ports)
{
    uint32_t more = count_new(set, ports), old = set->count, from = ports->count;
    BERTH_ASSERT(set->count + more <= set->capacity);
    set->count += more;
    for (uint32_t to = set->count; to > old;) {
        const berth__host_port *next = &ports->items[from - 1];
        int order = old > 0 ? berth__host_port_order(&set->items[old - 1], next) : -1;
        if (order > 0)
            set->items[--to] = set->items[--old];
        else if (order < 0 && (to == set->count || !equal(&set->items[to], next)))
            set->items[--to] = ports->items[--from];
        else
            from--;
    }
}

void berth__port_set_remove(berth__port_set *set, const berth__host_port *items, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (!berth__host_ports_have(items, count, &set->items[i]))
            set->items[kept++] = set->items[i];
    set->count = kept;
}
