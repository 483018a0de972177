/* Gates: the verdicts of a filter about other pods, in the form in which a search tree
 * (index/index.h) stores them. A domain gate lets whole topology domains pass, according to the
 * current counters. A slot gate counts pods by node, so its verdict on a node changes only with
 * that node's own pods.
 *
 * Threads: as the prepare phases. */
#ifndef BERTH_PLUGINS_GATES_H
#define BERTH_PLUGINS_GATES_H

#include "base/limit.h"
#include "columns/pod_counts.h"

enum { BERTH__GATES_MAX = BERTH__LIMIT(6, 2) };

/* A gate for a topology that is not unique and has at most BERTH__FEW_DOMAINS domains. */
typedef struct berth__domain_gate {
    const berth__topology *topology;
    uint64_t passing;   /* domain d: bit d - 1 */
    bool absent_passes; /* slots without the key pass, too */
} berth__domain_gate;

/* A gate for a unique topology. */
typedef struct berth__slot_gate {
    const berth__domain_counts *counts;
    uint32_t lowest, highest; /* bounds for the number of pods on a node that passes */
    bool present;             /* the node must have the key */
} berth__slot_gate;

typedef struct berth__gates {
    berth__domain_gate domains[BERTH__GATES_MAX];
    uint32_t domain_count;
    berth__slot_gate slots[BERTH__GATES_MAX];
    uint32_t slot_count;
    uint64_t node_count; /* nodes of the layout */
    bool ok;             /* false: some filter can't be expressed as gates */
} berth__gates;

/* Begin with no gates, for the nodes of a view. */
static inline void berth__gates_begin(berth__gates *gates, const berth__view *view)
{
    gates->domain_count = gates->slot_count = 0;
    gates->node_count = view->layout->count;
    gates->ok = true;
}

/* Let a slot pass if lowest <= count <= highest and, if `present`, it has the key. A slot without
 * the key has count 0. Gates that let every node pass are left out. */
void berth__gates_add(berth__gates *gates, const berth__domain_counts *counts, uint32_t lowest,
                      uint32_t highest, bool present);

/* Call this after adding the last gate: it drops domain gates that let every node pass. */
void berth__gates_settle(berth__gates *gates);

/* Whether all nodes that pass lie in one domain of a topology. */
bool berth__gates_leave_one(const berth__gates *gates, const berth__topology *topology);

static inline bool berth__domain_gate_passes(const berth__domain_gate *gate, uint32_t slot)
{
    uint32_t domain = gate->topology->domains[slot];
    return domain == 0 ? gate->absent_passes : gate->passing >> (domain - 1) & 1;
}

static inline bool berth__slot_gate_passes(const berth__slot_gate *gate, uint32_t slot)
{
    if (gate->present && !berth__bit_get(gate->counts->topology->present, slot))
        return false;
    uint32_t count = berth__domain_counts_slot(gate->counts, slot);
    return count >= gate->lowest && count <= gate->highest;
}

#endif
