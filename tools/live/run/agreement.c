/* Compares a placement with all nodes, not with the sample that a scheduler searches: the sample
 * depends on where its last search ended, which is not visible from outside. */
#include "live/run/agreement.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

static void copy(char *out, size_t size, berth_str text)
{
    snprintf(out, size, "%.*s", (int)text.len, text.data != NULL ? text.data : "");
}

static void keep(agreement *a, const disagreement *found)
{
    if (a->item_count == DISAGREEMENTS_MAX)
        return;
    a->items = heap_grow(a->items, &a->item_capacity, a->item_count + 1, sizeof(*a->items));
    a->items[a->item_count++] = *found;
}

/* Records why the node rejects the pod. */
static void explain(berth_engine *engine, berth_pod_id pod, berth_node_id node, disagreement *found)
{
    berth_fit fit = {.size = sizeof(fit)};
    if (berth_engine_fits(engine, pod, node, BERTH_FIT_REASONS, &fit, NULL) != BERTH_OK)
        return;
    berth_str reason = fit.reason_count > 0 ? fit.reasons[0] : (berth_str){"", 0};
    snprintf(found->reason, sizeof(found->reason), "%.*s: %.*s", (int)fit.plugin.len,
             fit.plugin.data != NULL ? fit.plugin.data : "", (int)reason.len, reason.data);
}

static agreement_verdict compare(agreement *a, berth_engine *engine, berth_pod_id pod,
                                 berth_node_id node, disagreement *found)
{
    uint32_t capacity = berth_engine_node_limit(engine), count = 0;
    size_t best = 0, its = SIZE_MAX;
    a->nodes = heap_grow(a->nodes, &a->node_capacity, capacity, sizeof(*a->nodes));
    a->totals = heap_grow(a->totals, &a->total_capacity, capacity, sizeof(*a->totals));
    if (node == BERTH_NODE_NONE || berth_engine_feasible_nodes(engine, pod, a->nodes, a->totals,
                                                               capacity, &count, NULL) != BERTH_OK)
        return AGREEMENT_UNKNOWN;
    for (uint32_t i = 0; i < count; i++) {
        if (a->totals[i] > a->totals[best])
            best = i;
        if (a->nodes[i] == node)
            its = i;
    }
    if (count > 0) {
        copy(found->our_node, sizeof(found->our_node),
             berth_engine_node_name(engine, a->nodes[best]));
        found->best = a->totals[best];
    }
    if (its == SIZE_MAX)
        return count > 0 ? AGREEMENT_NO_FIT : AGREEMENT_NOWHERE;
    found->total = a->totals[its];
    return found->total == found->best ? AGREEMENT_BEST : AGREEMENT_LOWER;
}

void agreement_note(agreement *a, berth_engine *engine, berth_pod_id pod, berth_str node_name)
{
    disagreement found = {.total = 0};
    berth_node_id node = berth_engine_find_node(engine, node_name);
    found.verdict = compare(a, engine, pod, node, &found);
    a->counts[found.verdict]++;
    if (found.verdict == AGREEMENT_BEST)
        return;
    berth_str space, name;
    berth_engine_pod_name(engine, pod, &space, &name);
    snprintf(found.pod, sizeof(found.pod), "%.*s/%.*s", (int)space.len, space.data, (int)name.len,
             name.data);
    copy(found.node, sizeof(found.node), node_name);
    if (found.verdict == AGREEMENT_NO_FIT || found.verdict == AGREEMENT_NOWHERE)
        explain(engine, pod, node, &found);
    keep(a, &found);
}

static void print_one(const disagreement *found, FILE *out)
{
    fprintf(out, "%s on %s: ", found->pod, found->node);
    switch (found->verdict) {
    case AGREEMENT_LOWER:
        fprintf(out, "scores %" PRId64 ", %s scores %" PRId64 "\n", found->total, found->our_node,
                found->best);
        return;
    case AGREEMENT_NO_FIT:
        fprintf(out, "does not fit there, %s; %s is the best\n", found->reason, found->our_node);
        return;
    case AGREEMENT_NOWHERE:
        fprintf(out, "fits nowhere; there, %s\n", found->reason);
        return;
    default:
        fprintf(out, "could not be decided\n");
    }
}

void agreement_print(const agreement *a, FILE *out)
{
    uint64_t all = 0, others = 0;
    for (int verdict = 0; verdict < AGREEMENT_COUNT; verdict++)
        all += a->counts[verdict];
    others = all - a->counts[AGREEMENT_BEST];
    fprintf(out, "Of %" PRIu64 " placements %" PRIu64 " were among Berth's best.\n", all,
            a->counts[AGREEMENT_BEST]);
    for (size_t i = 0; i < a->item_count; i++)
        print_one(&a->items[i], out);
    if (others > a->item_count)
        fprintf(out, "and %" PRIu64 " others\n", others - a->item_count);
}

void agreement_free(agreement *a)
{
    free(a->items);
    free(a->nodes);
    free(a->totals);
    *a = (agreement){.item_count = 0};
}
