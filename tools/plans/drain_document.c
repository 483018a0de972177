/* The results of a drain as a document, and their sums. */
#include "explain/pod_lookup.h"
#include "plans/drain_plan.h"

const char *drain_verdict(const drained *node)
{
    if (node->placed < node->pods)
        return "does not fit";
    return node->forbidden > 0 ? "forbidden" : "fits";
}

drain_totals drain_plan_totals(const drain_plan *d)
{
    drain_totals sum = {0};
    for (size_t i = 0; i < d->node_count; i++) {
        const drained *node = &d->nodes[i];
        if (node->placed < node->pods)
            sum.unfit++;
        else if (node->forbidden > 0)
            sum.forbidden++;
        else
            sum.fit++;
        sum.pods += node->pods;
        sum.unplaced += node->pods - node->placed;
        sum.bare += node->bare;
        sum.local += node->local;
        sum.empty_dirs += node->empty_dirs;
        sum.forbidden_pods += node->forbidden;
        sum.stay += (uint64_t)node->stay[0] + node->stay[1] + node->stay[2];
    }
    return sum;
}

double drain_plan_rate(const drain_plan *d)
{
    return d->seconds > 0.0 ? (double)d->node_count / d->seconds : 0.0;
}

static void write_move(const drain_plan *d, const move *one, bool from, output *o)
{
    output_object(o);
    pod_lookup_write(d->engine, one->pod, o);
    if (from)
        output_pair_str(o, "from", berth_engine_node_name(d->engine, one->from));
    if (one->to != BERTH_NODE_NONE)
        output_pair_str(o, "node", berth_engine_node_name(d->engine, one->to));
    else
        output_pair_str(o, "message", word_table_get(&d->messages, one->message));
    if (one->bare) {
        output_key(o, "bare");
        output_bool(o, true);
    }
    if (one->volume.len > 0)
        output_pair_str(o, "localVolume", one->volume);
    if (one->empty_dir) {
        output_key(o, "emptyDir");
        output_bool(o, true);
    }
    if (one->turn == 0) {
        output_key(o, "forbidden");
        output_bool(o, true);
    }
    if (one->turn > 1)
        output_pair_int(o, "turn", one->turn);
    if (one->budget >= 0)
        output_pair_str(o, "budget", budgets_name(&d->input->budgets, one->budget));
    output_object_end(o);
}

/* Write the moves from `*at` on that leave one node, or all of them (NULL). */
static void write_moves(const drain_plan *d, const drained *node, size_t *at, output *o)
{
    output_key(o, "pods");
    output_array(o);
    for (; *at < d->move_count && (node == NULL || d->moves[*at].from == node->node); (*at)++)
        write_move(d, &d->moves[*at], node == NULL, o);
    output_array_end(o);
}

static void write_node(const drain_plan *d, const drained *node, size_t *at, output *o)
{
    output_object(o);
    output_pair_str(o, "node", berth_engine_node_name(d->engine, node->node));
    output_pair_text(o, "verdict", drain_verdict(node));
    output_pair_int(o, "moved", node->pods);
    output_pair_int(o, "placed", node->placed);
    output_pair_int(o, "daemons", node->stay[0]);
    output_pair_int(o, "mirrors", node->stay[1]);
    output_pair_int(o, "terminating", node->stay[2]);
    output_pair_int(o, "bare", node->bare);
    output_pair_int(o, "forbidden", node->forbidden);
    output_pair_int(o, "turns", node->turns);
    output_pair_int(o, "localVolumes", node->local);
    output_pair_int(o, "emptyDirs", node->empty_dirs);
    if (!d->together)
        write_moves(d, node, at, o);
    output_object_end(o);
}

static void write_summary(const drain_plan *d, output *o)
{
    drain_totals sum = drain_plan_totals(d);
    output_key(o, "summary");
    output_object(o);
    output_pair_int(o, "nodes", (int64_t)d->node_count);
    output_key(o, "together");
    output_bool(o, d->together);
    output_pair_int(o, "fit", (int64_t)sum.fit);
    output_pair_int(o, "forbidden", (int64_t)sum.forbidden);
    output_pair_int(o, "doNotFit", (int64_t)sum.unfit);
    output_pair_int(o, "podsMoved", (int64_t)sum.pods);
    output_pair_int(o, "podsWithoutPlace", (int64_t)sum.unplaced);
    output_pair_int(o, "podsForbidden", (int64_t)sum.forbidden_pods);
    output_pair_int(o, "podsLeftAside", (int64_t)sum.stay);
    output_pair_int(o, "podsBare", (int64_t)sum.bare);
    output_pair_int(o, "podsWithLocalVolumes", (int64_t)sum.local);
    output_pair_int(o, "podsWithEmptyDirs", (int64_t)sum.empty_dirs);
    output_pair_real(o, "seconds", d->seconds, 6);
    output_pair_real(o, "nodesPerSecond", drain_plan_rate(d), 0);
    output_object_end(o);
}

void drain_plan_write(const drain_plan *d, output *o)
{
    size_t at = 0;
    if (!d->summary_only) {
        output_key(o, "nodes");
        output_array(o);
        for (size_t i = 0; i < d->node_count; i++)
            write_node(d, &d->nodes[i], &at, o);
        output_array_end(o);
        if (d->together)
            write_moves(d, NULL, &at, o);
    }
    write_summary(d, o);
}
