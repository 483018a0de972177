/* What a plan costs per hour and month, and what nodes that could go would save. */
#ifndef BERTH_TOOLS_GROWTH_COST_H
#define BERTH_TOOLS_GROWTH_COST_H

#include "plans/growth_report.h"

/* Nothing of all this is said without --prices. */
void growth_cost_print_plan(const growth_answer *a, FILE *file);

/* The shape that would do alone at the lowest price, if there are several. */
void growth_cost_print_alone(const growth_answer *a, FILE *file);

/* What the nodes that could go cost. */
void growth_cost_print_saved(const growth_answer *a, FILE *file);

/* Members of the plan, and of the summary. */
void growth_cost_write_plan(const growth_answer *a, output *o);
void growth_cost_write_saved(const growth_answer *a, output *o);

#endif
