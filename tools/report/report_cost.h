/* What the nodes of a report cost, and what of it is idle. */
#ifndef BERTH_TOOLS_REPORT_COST_H
#define BERTH_TOOLS_REPORT_COST_H

#include "report/report_nodes.h"

/* Write the member "cost"; nothing without prices. A node is idle by the mean of the shares of its
 * cpu and memory that nothing requests. */
void report_cost_write(const cluster_side *side, const report_nodes *nodes, output *o);

#endif
