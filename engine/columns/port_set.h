/* Host ports as sets: in order of port, protocol and address, so that one is found by halves. */
#ifndef BERTH_COLUMNS_PORT_SET_H
#define BERTH_COLUMNS_PORT_SET_H

#include "columns/tile.h"

/* Whether a list in order, such as a class's or a set's, has a port. */
bool berth__host_ports_have(const berth__host_port *items, uint32_t count,
                            const berth__host_port *port);

/* Whether one of the wanted ports conflicts with one of those in use, which are in order: `any_ip`
 * conflicts with every address, other addresses with it and with themselves. */
bool berth__host_ports_conflict(const berth__host_port *wanted, uint32_t wanted_count,
                                const berth__host_port *used, uint32_t used_count,
                                berth__sym any_ip);

/* Add the ports of a list, or take them out. There is room. */
void berth__port_set_add(berth__port_set *set, const berth__port_list *ports);
void berth__port_set_remove(berth__port_set *set, const berth__host_port *items, uint32_t count);

#endif
