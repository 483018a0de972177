/* Computes and prints costs of nodes and pods' shares of them. */
#include "top/top_cost.h"

#include <inttypes.h>

#include "top/top_words.h"

bool top_cost_shown(const top *t)
{
    return t->input->prices.path != NULL;
}

bool top_cost_known(const top *t, berth_node_id node)
{
    money price = 0;
    return top_cost_shown(t) && prices_of_node(&t->input->prices, t->engine, node, &price);
}

money top_cost_node(const top *t, berth_node_id node)
{
    money price = 0;
    if (top_cost_shown(t))
        (void)prices_of_node(&t->input->prices, t->engine, node, &price);
    return price;
}

money top_cost_pod(const top *t, berth_pod_id pod, berth_node_id node)
{
    static const char *const names[] = {"cpu", "memory"};
    money price = top_cost_node(t, node);
    money sum = 0;
    for (size_t i = 0; i < 2 && price > 0; i++) {
        int64_t asked = 0;
        int64_t allocatable = 0;
        int64_t requested = 0;
        (void)berth_engine_pod_resource(t->engine, pod, words_of(names[i]), &asked, NULL);
        (void)berth_engine_node_resource(t->engine, node, words_of(names[i]), &allocatable,
                                         &requested, NULL);
        sum += money_share(price, asked, allocatable);
    }
    return sum / 2;
}

bool top_cost_is_known(const top *t, const top_row *row)
{
    return t->by != TOP_BY_NODE || row->node == BERTH_NODE_NONE || top_cost_known(t, row->node);
}

void top_cost_text(const top *t, const top_row *row, money amount, char out[MONEY_BYTES])
{
    if (!top_cost_is_known(t, row))
        snprintf(out, MONEY_BYTES, "-");
    else
        money_rounded(amount, 4, 4, out);
}

static double percent_of(money part, money all)
{
    return all > 0 ? 100.0 * (double)part / (double)all : 0.0;
}

static void print_amount(const char *title, money hour, money all, FILE *file)
{
    fprintf(file, "%-13s", title);
    money_print(hour, file);
    if (hour != all)
        fprintf(file, " (%.1f%%)", percent_of(hour, all));
}

void top_cost_print(const top *t, FILE *file)
{
    if (!top_cost_shown(t))
        return;
    print_amount("Cost", t->nodes.price, t->nodes.price, file);
    fprintf(file, " of %d hours", MONEY_HOURS_A_MONTH);
    if (t->unpriced > 0)
        fprintf(file, ", without %" PRIu64 " node%s that ha%s no price", t->unpriced,
                t->unpriced == 1 ? "" : "s", t->unpriced == 1 ? "s" : "ve");
    fputc('\n', file);
    if (t->nodes.price == 0)
        return;
    print_amount("Requested", t->nodes.used, t->nodes.price, file);
    fputc('\n', file);
    print_amount("Idle", t->nodes.idle, t->nodes.price, file);
    fputc('\n', file);
}

void top_cost_write(const top *t, output *o)
{
    if (!top_cost_shown(t))
        return;
    output_key(o, "cost");
    output_object(o);
    money_write(o, "perHour", t->nodes.price);
    money_write(o, "requestedPerHour", t->nodes.used);
    money_write(o, "idlePerHour", t->nodes.idle);
    money_write(o, "perMonth", money_month(t->nodes.price));
    money_write(o, "requestedPerMonth", money_month(t->nodes.used));
    money_write(o, "idlePerMonth", money_month(t->nodes.idle));
    output_pair_int(o, "nodesWithoutPrice", (int64_t)t->unpriced);
    output_object_end(o);
}
