/* Sets of host ports, sorted by port, protocol and address for binary search. */
#ifndef BERTH_COLUMNS_PORT_SET_H
#define BERTH_COLUMNS_PORT_SET_H

#include "columns/tile.h"

/* Whether a sorted list, such as a class's or a set's, contains a port. */
bool berth__host_ports_have(const berth__host_port *items, uint32_t count,
                            const berth__host_port *port);

/* Whether a wanted port conflicts with a used one. The used ports are sorted. `any_ip` conflicts
 * with every address, other addresses conflict with `any_ip` and with themselves. */
bool berth__host_ports_conflict(const berth__host_port *wanted, uint32_t wanted_count,
                                const berth__host_port *used, uint32_t used_count,
                                berth__sym any_ip);

/* Add the ports of a list, or remove them. There must be room. */
void berth__port_set_add(berth__port_set *set, const berth__port_list *ports);
void berth__port_set_remove(berth__port_set *set, const berth__host_port *items, uint32_t count);

#endif
