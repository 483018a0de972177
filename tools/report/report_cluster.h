/* Writes the data of a cluster's report: nodes, zones, resources, and pods without a place. */
#ifndef BERTH_TOOLS_REPORT_CLUSTER_H
#define BERTH_TOOLS_REPORT_CLUSTER_H

#include <stdio.h>

#include "plans/cluster_side.h"

/* Write the data of a side that cluster_side_make has made. Errors: those of the engine. */
berth_status report_cluster_write(const cluster_side *side, const char *title, FILE *file,
                                  berth_error *error);

#endif
