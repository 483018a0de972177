/* The costs of a plan per hour and month, and the savings from nodes that could be removed. */
#ifndef BERTH_TOOLS_GROWTH_COST_H
#define BERTH_TOOLS_GROWTH_COST_H

#include "plans/growth_report.h"

/* Print the plan's cost. All of these functions print nothing without --prices. */
void growth_cost_print_plan(const growth_answer *a, FILE *file);

/* Print the shape that works alone at the lowest price, if there are several. */
void growth_cost_print_alone(const growth_answer *a, FILE *file);

/* Print the cost of the nodes that could be removed. */
void growth_cost_print_saved(const growth_answer *a, FILE *file);

/* Write members of the plan, and of the summary. */
void growth_cost_write_plan(const growth_answer *a, output *o);
void growth_cost_write_saved(const growth_answer *a, output *o);

#endif
