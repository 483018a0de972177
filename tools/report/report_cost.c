/* Adds up the costs of a report's nodes exactly. */
#include "report/report_cost.h"

#include "prices/prices.h"

/* The part of a node's price that its pods use. */
static money used_of(const cluster_side *side, berth_node_id node, money price)
{
    static const char *const names[] = {"cpu", "memory"};
    money sum = 0;
    for (size_t i = 0; i < 2; i++) {
        int64_t allocatable = 0;
        int64_t requested = 0;
        (void)berth_engine_node_resource(side->engine, node, words_of(names[i]), &allocatable,
                                         &requested, NULL);
        sum += money_share(price, requested, allocatable);
    }
    return sum / 2 < price ? sum / 2 : price;
}

void report_cost_write(const cluster_side *side, const report_nodes *nodes, output *o)
{
    money cost = 0;
    money used = 0;
    uint32_t unpriced = 0;
    if (side->input.prices.path == NULL)
        return;
    for (uint32_t i = 0; i < nodes->count; i++) {
        money price = 0;
        unpriced += !prices_of_node(&side->input.prices, side->engine, nodes->ids[i], &price);
        cost += price;
        used += used_of(side, nodes->ids[i], price);
    }
    output_key(o, "cost");
    output_object(o);
    money_write(o, "perHour", cost);
    money_write(o, "idlePerHour", cost - used);
    money_write(o, "perMonth", money_month(cost));
    money_write(o, "idlePerMonth", money_month(cost - used));
    output_pair_int(o, "nodesWithoutPrice", unpriced);
    output_object_end(o);
}
