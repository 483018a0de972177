/* What nodes cost, and whose share of it is how large.
 *
 * A pod's share of its node's price is the mean of its share of the node's cpu and of its memory,
 * by requests and what is allocatable. What the shares of a node's pods leave of its price is
 * idle. So the shares and what is idle add up to the prices. */
#ifndef BERTH_TOOLS_TOP_COST_H
#define BERTH_TOOLS_TOP_COST_H

#include "top/top.h"

bool top_cost_shown(const top *t);

/* Per hour; 0: the node has no price, or there are none. */
money top_cost_node(const top *t, berth_node_id node);
bool top_cost_known(const top *t, berth_node_id node);

/* A pod's share of the price of its node. */
money top_cost_pod(const top *t, berth_pod_id pod, berth_node_id node);

/* Whether the price of the row is known: a node may have none. */
bool top_cost_is_known(const top *t, const top_row *row);

/* "0.096", or "-" for a node without a price. */
void top_cost_text(const top *t, const top_row *row, money amount, char out[MONEY_BYTES]);

/* The lines of the summary, and the member "cost" of the document's. Nothing without prices. */
void top_cost_print(const top *t, FILE *file);
void top_cost_write(const top *t, output *o);

#endif
