/* Finds the nodes of a report that accept pods, and the free amounts. */
#include "report/report_nodes.h"

#include <stdlib.h>

#include "cli/amounts.h"
#include "cli/exits.h"
#include "cli/heap.h"
#include "loading/node_list.h"

static void write_note(void *context, const char *note)
{
    output_text(context, note);
}

berth_status report_nodes_notes(const cluster_side *side, berth_node_id node, output *o,
                                berth_error *error)
{
    output_array(o);
    TRY(node_state_notes(side->engine, node, write_note, o, error));
    output_array_end(o);
    return BERTH_OK;
}

berth_status report_nodes_make(report_nodes *n, const cluster_side *side, berth_error *error)
{
    TRY(node_list_make(side->engine, &n->ids, &n->count, error));
    n->states = heap_new(n->count, sizeof(*n->states));
    for (uint32_t i = 0; i < n->count; i++) {
        TRY(node_state_read(side->engine, n->ids[i], &n->states[i], error));
        n->state_nodes[n->states[i]]++;
    }
    return BERTH_OK;
}

void report_nodes_release(report_nodes *n)
{
    free(n->ids);
    free(n->states);
    *n = (report_nodes){0};
}

report_free report_nodes_free(const report_nodes *n, const cluster_side *side, uint32_t resource)
{
    const replay_load *l = &side->load;
    report_free result = {.most = 0};
    for (uint32_t i = 0; i < n->count; i++) {
        size_t at = (size_t)n->ids[i] * l->width + resource;
        int64_t amount = amount_difference(l->allocatable[at], l->requested[at]);
        if (amount <= 0)
            continue;
        result.amounts[n->states[i]] = amount_sum(result.amounts[n->states[i]], amount);
        if (n->states[i] == NODE_STATE_OPEN && amount > result.most)
            result.most = amount;
    }
    return result;
}
