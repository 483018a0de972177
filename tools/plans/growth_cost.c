/* Adds up exact prices. */
#include "plans/growth_cost.h"

#include <inttypes.h>

static bool has_prices(const growth_answer *a)
{
    return a->prices->path != NULL;
}

static money cost_of(const growth *g, const growth_plan *plan)
{
    money sum = 0;
    for (size_t s = 0; s < g->shapes->count; s++)
        sum += g->shapes->items[s].exact * plan->counts[s];
    return sum;
}

/* Adds up the prices of the nodes that could be removed; counts those without a price. */
static money saved_by(const growth_answer *a, uint32_t *unpriced)
{
    money sum = 0;
    *unpriced = 0;
    for (uint32_t i = 0; i < a->shrink->count; i++) {
        money price = 0;
        if (a->shrink->nodes[i].verdict != SHRINK_GOES)
            continue;
        if (prices_of_node(a->prices, a->growth->engine, a->shrink->nodes[i].node, &price))
            sum += price;
        else
            ++*unpriced;
    }
    return sum;
}

void growth_cost_print_plan(const growth_answer *a, FILE *file)
{
    if (!has_prices(a))
        return;
    fputs("Cost         ", file);
    money_print(cost_of(a->growth, &a->growth->best), file);
    fprintf(file, " of %d hours\n", MONEY_HOURS_A_MONTH);
}

void growth_cost_print_alone(const growth_answer *a, FILE *file)
{
    const growth *g = a->growth;
    const growth_plan *cheapest = NULL;
    size_t shape = 0;
    if (!has_prices(a) || g->shapes->count < 2)
        return;
    for (size_t s = 0; s < g->shapes->count; s++) {
        const growth_plan *alone = &g->alone[s];
        if (!alone->tried || alone->placed < g->best.placed ||
            (cheapest != NULL && cost_of(g, alone) >= cost_of(g, cheapest)))
            continue;
        cheapest = alone;
        shape = s;
    }
    if (cheapest == NULL) {
        fputs("Alone        no single shape would do\n", file);
        return;
    }
    fprintf(file, "Alone        %s is the cheapest: %" PRIu64 " node%s at ",
            g->shapes->items[shape].name, cheapest->nodes, cheapest->nodes == 1 ? "" : "s");
    money_print(cost_of(g, cheapest), file);
    fputc('\n', file);
}

void growth_cost_print_saved(const growth_answer *a, FILE *file)
{
    uint32_t unpriced = 0;
    if (!has_prices(a) || a->shrink->going == 0)
        return;
    fputs("  They cost  ", file);
    money_print(saved_by(a, &unpriced), file);
    if (unpriced > 0)
        fprintf(file, ", without %" PRIu32 " that ha%s no price", unpriced,
                unpriced == 1 ? "s" : "ve");
    fputc('\n', file);
}

void growth_cost_write_plan(const growth_answer *a, output *o)
{
    if (!has_prices(a))
        return;
    money hour = cost_of(a->growth, &a->growth->best);
    money_write(o, "perHour", hour);
    money_write(o, "perMonth", money_month(hour));
}

void growth_cost_write_saved(const growth_answer *a, output *o)
{
    uint32_t unpriced = 0;
    if (!has_prices(a))
        return;
    money hour = saved_by(a, &unpriced);
    money_write(o, "savedPerHour", hour);
    money_write(o, "savedPerMonth", money_month(hour));
    output_pair_int(o, "goingWithoutPrice", unpriced);
}
