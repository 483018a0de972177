/* Host ports that are free although a pod of the node has them.
 *
 * kube-scheduler keeps the ports in use on a node as a set, from which a port goes with the first
 * pod that had it, whoever else has it too. The tile has that set where the node has a slot. Where
 * it has none (it is not laid out yet, or absent) the set is what its pods have but for the ports
 * that are listed here: those of pods that left while another pod had them, too. Hardly a cluster
 * has any. */
#ifndef BERTH_COLUMNS_FREED_PORTS_H
#define BERTH_COLUMNS_FREED_PORTS_H

#include "columns/view.h"

typedef struct berth__freed_port {
    uint32_t node; /* id */
    berth__host_port port;
} berth__freed_port;

/* Of all nodes; a view without any has NULL, or an empty one. What a node with a slot has here is
 * of no account. */
struct berth__freed_ports {
    uint64_t stamp; /* of the copy-on-write owner that may change it */
    uint32_t count;
    uint32_t capacity;
    berth__freed_port items[];
};

static inline uint32_t berth__freed_ports_count(const berth__view *view)
{
    return view->freed_ports != NULL ? view->freed_ports->count : 0;
}

/* Whether a pod that comes to such a node, or leaves it, may change the list. */
bool berth__freed_ports_change(const berth__view *view, const berth__node_record *node,
                               const berth__class *cls);

/* Make the list writable, with room for so many more. Returns false when out of memory; nothing has
 * changed then. */
bool berth__freed_ports_reserve(berth__view *view, uint32_t more);

/* A pod of the class comes to a node without a slot; or the pod, which is on its list, leaves it.
 * There is room for as many as it has. */
void berth__freed_ports_come(berth__view *view, uint32_t node, const berth__class *cls);
void berth__freed_ports_leave(berth__view *view, uint32_t pod, const berth__pods *pods);

/* The node in `slot` is about to count no pods: what its pods have and its tile has not. There is
 * room for all that they have, which `most` tells. */
uint32_t berth__freed_ports_most(const berth__view *view, uint32_t node, const berth__pods *pods);
void berth__freed_ports_keep(berth__view *view, uint32_t slot, const berth__pods *pods);

/* Take them out of the set of a slot that has been filled from the list of the node's pods. */
void berth__freed_ports_apply(const berth__view *view, uint32_t slot, berth__port_set *set);

/* For undoing: the list as it was. */
void berth__freed_ports_restore(berth__view *view, const berth__freed_port *items, uint32_t count);

/* Free it with its view. */
void berth__freed_ports_destroy(berth__view *view);

#endif
