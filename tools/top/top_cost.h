/* The costs of nodes, and the pods' shares of them.
 *
 * A pod's share of its node's price is the mean of its shares of the node's cpu and memory,
 * requests divided by allocatable amounts. The part of the price that the node's pods do not use is
 * idle. So shares and idle parts add up to the prices. */
#ifndef BERTH_TOOLS_TOP_COST_H
#define BERTH_TOOLS_TOP_COST_H

#include "top/top.h"

bool top_cost_shown(const top *t);

/* The price of a node per hour; 0: it has none, or there are no prices. */
money top_cost_node(const top *t, berth_node_id node);
bool top_cost_known(const top *t, berth_node_id node);

/* A pod's share of the price of its node. */
money top_cost_pod(const top *t, berth_pod_id pod, berth_node_id node);

/* Whether the price of the row is known; a node may have none. */
bool top_cost_is_known(const top *t, const top_row *row);

/* Writes "0.096", or "-" for a node without a price. */
void top_cost_text(const top *t, const top_row *row, money amount, char out[MONEY_BYTES]);

/* Print the lines of the summary; write the member "cost" of a document. Nothing without prices. */
void top_cost_print(const top *t, FILE *file);
void top_cost_write(const top *t, output *o);

#endif
