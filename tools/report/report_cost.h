/* The costs of a report's nodes, and their idle part. */
#ifndef BERTH_TOOLS_REPORT_COST_H
#define BERTH_TOOLS_REPORT_COST_H

#include "report/report_nodes.h"

/* Write the member "cost"; nothing without prices. The idle part of a node is the mean of the
 * shares of its cpu and memory that nothing requests. */
void report_cost_write(const cluster_side *side, const report_nodes *nodes, output *o);

#endif
