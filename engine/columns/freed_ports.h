/* Host ports that count as free although a pod on the node has them.
 *
 * kube-scheduler keeps the used ports of a node as a set. The first pod that leaves takes its ports
 * out of the set, even if another pod has the same port. For a node with a slot, the tile stores
 * that set. For a node without a slot (not laid out yet, or absent), the set is all ports of its
 * pods except those listed here: ports of pods that left while another pod had them, too. Such
 * ports are rare. */
#ifndef BERTH_COLUMNS_FREED_PORTS_H
#define BERTH_COLUMNS_FREED_PORTS_H

#include "columns/view.h"

typedef struct berth__freed_port {
    uint32_t node; /* id */
    berth__host_port port;
} berth__freed_port;

/* The ports of all nodes. A view without any has NULL or an empty list. Entries of a node with a
 * slot are ignored. */
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

/* Whether the list may change when a pod of this class arrives on such a node or leaves it. */
bool berth__freed_ports_change(const berth__view *view, const berth__node_record *node,
                               const berth__class *cls);

/* Make the list writable, with room for `more` ports. Returns false when out of memory; nothing has
 * changed then. */
bool berth__freed_ports_reserve(berth__view *view, uint32_t more);

/* A pod of the class arrives on a node without a slot; or the pod, which is on the node's list,
 * leaves it. There is room for all of its ports. */
void berth__freed_ports_come(berth__view *view, uint32_t node, const berth__class *cls);
void berth__freed_ports_leave(berth__view *view, uint32_t pod, const berth__pods *pods);

/* Call before the node in `slot` stops counting pods: lists the ports that its pods have and its
 * tile lacks. There must be room for all ports of its pods, whose number `most` returns. */
uint32_t berth__freed_ports_most(const berth__view *view, uint32_t node, const berth__pods *pods);
void berth__freed_ports_keep(berth__view *view, uint32_t slot, const berth__pods *pods);

/* Take a node's listed ports out of the set of a slot that was filled from the list of the node's
 * pods. */
void berth__freed_ports_apply(const berth__view *view, uint32_t slot, berth__port_set *set);

/* For undoing: restore the list. */
void berth__freed_ports_restore(berth__view *view, const berth__freed_port *items, uint32_t count);

/* Free the list with its view. */
void berth__freed_ports_destroy(berth__view *view);

#endif
