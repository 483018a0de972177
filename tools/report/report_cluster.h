/* Writes the data of a cluster's report: nodes, zones, resources, and pods without a node. */
#ifndef BERTH_TOOLS_REPORT_CLUSTER_H
#define BERTH_TOOLS_REPORT_CLUSTER_H

#include <stdio.h>

#include "plans/cluster_side.h"

/* Write the data of a side made by cluster_side_make. Errors: those of the engine. */
berth_status report_cluster_write(const cluster_side *side, const char *title, FILE *file,
                                  berth_error *error);

#endif
