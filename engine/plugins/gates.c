/* Gates: collects the verdicts of filters about other pods for the index, without gates that let
 * every node pass. */
#include "plugins/gates.h"

static void add_slot_gate(berth__gates *gates, const berth__domain_counts *counts, uint32_t lowest,
                          uint32_t highest, bool present)
{
    bool everywhere = !present || counts->topology->present_count == gates->node_count;
    if (everywhere && lowest == 0 && counts->total <= highest)
        return;
    if (gates->slot_count == BERTH__GATES_MAX) {
        gates->ok = false;
        return;
    }
    gates->slots[gates->slot_count++] = (berth__slot_gate){counts, lowest, highest, present};
}

/* The gate of a topology, added if there is none; a new gate lets every node pass. NULL: there are
 * too many gates. */
static berth__domain_gate *domain_gate(berth__gates *gates, const berth__topology *topology)
{
    for (uint32_t i = 0; i < gates->domain_count; i++)
        if (gates->domains[i].topology == topology)
            return &gates->domains[i];
    if (gates->domain_count == BERTH__GATES_MAX)
        return NULL;
    berth__domain_gate *gate = &gates->domains[gates->domain_count++];
    *gate = (berth__domain_gate){topology, berth__low_bits(topology->domain_count), true};
    return gate;
}

static void add_domain_gate(berth__gates *gates, const berth__domain_counts *counts,
                            uint32_t lowest, uint32_t highest, bool present)
{
    const berth__topology *topology = counts->topology;
    berth__domain_gate *gate = domain_gate(gates, topology);
    if (gate == NULL) {
        gates->ok = false;
        return;
    }
    gate->absent_passes &= !present && lowest == 0;
    for (uint32_t d = 1; d <= topology->domain_count; d++)
        if (counts->counts[d] < lowest || counts->counts[d] > highest)
            gate->passing &= ~(UINT64_C(1) << (d - 1));
}

void berth__gates_add(berth__gates *gates, const berth__domain_counts *counts, uint32_t lowest,
                      uint32_t highest, bool present)
{
    if (counts->counts == NULL)
        add_slot_gate(gates, counts, lowest, highest, present);
    else if (counts->topology->domain_count <= BERTH__FEW_DOMAINS)
        add_domain_gate(gates, counts, lowest, highest, present);
    else
        gates->ok = false;
}

void berth__gates_settle(berth__gates *gates)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < gates->domain_count; i++) {
        const berth__domain_gate *gate = &gates->domains[i];
        bool everywhere = gate->absent_passes || gate->topology->present_count == gates->node_count;
        if (!everywhere || gate->passing != berth__low_bits(gate->topology->domain_count))
            gates->domains[kept++] = *gate;
    }
    gates->domain_count = kept;
}

bool berth__gates_leave_one(const berth__gates *gates, const berth__topology *topology)
{
    if (topology->domain_count == 1 && topology->present_count == gates->node_count)
        return true;
    for (uint32_t i = 0; i < gates->domain_count; i++)
        if (gates->domains[i].topology == topology)
            return !gates->domains[i].absent_passes &&
                   __builtin_popcountll(gates->domains[i].passing) == 1;
    return false;
}
