/* The command's question and its plan. cmd_drain.c makes the plan, drain_answer.c prints it. */
#ifndef BERTH_COMMANDS_DRAIN_H
#define BERTH_COMMANDS_DRAIN_H

#include "cli/listing.h"
#include "plans/drain_plan.h"

typedef struct drain {
    engine_setup setup;
    cluster_input input;
    bool list_moves;
    listing list;
    drain_plan plan;
} drain;

/* The number of nodes whose pods all fit elsewhere and may leave. */
size_t drain_fitting(const drain *d);

/* Print the results in the requested form, as the command of that name. */
void drain_show(const drain *d, const char *command);

#endif
