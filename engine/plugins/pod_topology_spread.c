/* PodTopologySpread: keeps the numbers of matching pods in topology domains close to one another.
 * Both phases read domain counters (columns/pod_counts.h) and visit no pod.
 * Source: kube-scheduler v1.32, plugins/podtopologyspread. */
#include <string.h>

#include "base/go_log.h"
#include "plugins/registry.h"
#include "plugins/spread_rules.h"

/* ---- filter ---- */

typedef struct filter_state {
    const berth__spreads *spreads;
    int64_t *limits; /* by constraint: the maximum number of pods that a domain may already have */
    /* By constraint, in a what-if: pods on the slot that kube-scheduler's hooks count although the
     * counters do not. */
    int64_t *extras;
} filter_state;

/* The smallest count among domains other than the slot's; INT64_MAX if there is no other. */
static int64_t lowest_of_others(const berth__view *view, const berth__domain_counts *counts,
                                uint32_t slot)
{
    const uint32_t *domains = counts->topology->domains;
    int64_t lowest = INT64_MAX;
    for (uint32_t other = 0; other < view->layout->count; other++) {
        if (domains[other] == 0 || domains[other] == domains[slot] ||
            (counts->inclusion != NULL && !berth__bit_get(counts->inclusion->slots, other)))
            continue;
        int64_t count = berth__domain_counts_slot(counts, other);
        lowest = count < lowest ? count : lowest;
    }
    return lowest;
}

/* The smallest count of a domain, if the slot's domain had `extra` more pods. */
static int64_t lowest_with(const berth__view *view, const berth__domain_counts *counts,
                           uint32_t slot, int64_t extra)
{
    int64_t lowest = berth__domain_counts_lowest(counts);
    if (extra == 0)
        return lowest;
    int64_t own = (int64_t)berth__domain_counts_slot(counts, slot);
    if (extra > 0 && own == lowest)
        lowest = lowest_of_others(view, counts, slot);
    return own + extra < lowest ? own + extra : lowest;
}

/* The maximum number of pods that a domain may already have. If no domain counts, a constraint
 * requires only the key. */
static int64_t limit_of(const berth__view *view, const berth__spread *spread, uint32_t slot,
                        int64_t extra)
{
    const berth__domain_counts *counts = spread->counts;
    if (counts->domain_count == 0)
        return INT64_MAX;
    int64_t lowest =
        counts->domain_count < spread->min_domains ? 0 : lowest_with(view, counts, slot, extra);
    return spread->max_skew - spread->self + lowest - extra;
}

/* Whether a pod on a slot counts in a what-if, although the counters ignore it. */
static bool counts_extra(const berth__question *cycle, const berth__spread *spread,
                         const berth__class *cls, uint32_t slot)
{
    const berth__inclusion *inclusion = spread->counts->inclusion;
    if (!berth__bit_get(spread->counts->topology->present, slot) ||
        (inclusion != NULL && !berth__bit_get(inclusion->slots, slot)))
        return false;
    if (spread->everything)
        return cls->identity->namespace_name == cycle->cls->identity->namespace_name;
    return cls->deleting &&
           berth__population_matches(cycle->view, spread->counts->population, cls->identity);
}

/* kube-scheduler's hooks also count pods that are being deleted, and all pods if the selector is
 * empty. */
static void pod_topology_spread_adjust(const berth__question *cycle, const void *instance,
                                       void *opaque, const berth__class *cls, uint32_t slot,
                                       int change)
{
    (void)instance;
    filter_state *own = opaque;
    bool counts = berth__spread_has_all_keys(own->spreads, slot);
    for (uint32_t i = 0; i < own->spreads->count; i++) {
        const berth__spread *spread = &own->spreads->items[i];
        if (counts && counts_extra(cycle, spread, cls, slot))
            own->extras[i] += change;
        own->limits[i] = limit_of(cycle->view, spread, slot, own->extras[i]);
    }
}

static berth__outcome fail_with(berth__prepare *prepare, const char *prefix, berth_str problem)
{
    berth__reason(prepare->reasons, BERTH_CODE_UNRESOLVABLE, "%s topology spread constraints: %.*s",
                  prefix, (int)problem.len, problem.data);
    return BERTH__FAIL;
}

static berth__outcome pod_topology_spread_prepare_filter(berth__prepare *prepare)
{
    filter_state *own = prepare->state;
    if (!berth__spread_resolve(prepare->cycle, prepare->instance, true, &own->spreads)) {
        prepare->ok = false;
        return BERTH__SKIP;
    }
    prepare->stays = own->spreads == NULL;
    if (own->spreads == NULL)
        return BERTH__SKIP;
    if (own->spreads->problem.data != NULL)
        return fail_with(prepare, "get constraints from pod: obtaining pod's hard",
                         own->spreads->problem);
    uint32_t count = own->spreads->count;
    own->limits = berth__arena_alloc_zero(prepare->arena, 2 * count * sizeof(int64_t), 8);
    if (own->limits == NULL) {
        prepare->ok = false;
        return BERTH__SKIP;
    }
    own->extras = own->limits + count;
    for (uint32_t i = 0; i < count; i++)
        own->limits[i] = limit_of(prepare->cycle->view, &own->spreads->items[i], 0, 0);
    return BERTH__ACTIVE;
}

static void pod_topology_spread_filter(const berth__question *cycle, const void *instance,
                                       const void *opaque, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    const filter_state *own = opaque;
    const berth__kernels *kernels = cycle->view->kernels;
    for (uint32_t i = 0; i < own->spreads->count && !berth__mask_empty(mask); i++) {
        const berth__domain_counts *counts = own->spreads->items[i].counts;
        const uint64_t *present = counts->topology->present + (size_t)tile * BERTH__TILE_WORDS;
        int64_t limit = own->limits[i];
        uint32_t scratch[BERTH__TILE];
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            mask->words[w] &= limit >= 0 ? present[w] : 0;
        if (limit >= 0 && limit < UINT32_MAX)
            kernels->at_most(berth__domain_counts_tile(kernels, counts, tile, scratch),
                             (uint32_t)limit, mask);
    }
}

static void pod_topology_spread_gate(const berth__question *cycle, const void *instance,
                                     const void *opaque, berth__gates *gates)
{
    (void)cycle;
    (void)instance;
    const filter_state *own = opaque;
    for (uint32_t i = 0; i < own->spreads->count; i++) {
        int64_t limit = own->limits[i];
        berth__gates_add(gates, own->spreads->items[i].counts, limit < 0,
                         limit < 0            ? 0
                         : limit > UINT32_MAX ? UINT32_MAX
                                              : (uint32_t)limit,
                         true);
    }
}

static void pod_topology_spread_explain(const berth__question *cycle, const void *instance,
                                        const void *opaque, uint32_t slot, berth__reasons *reasons)
{
    (void)cycle;
    (void)instance;
    const filter_state *own = opaque;
    for (uint32_t i = 0; i < own->spreads->count; i++) {
        const berth__domain_counts *counts = own->spreads->items[i].counts;
        if (!berth__bit_get(counts->topology->present, slot)) {
            berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                          "node(s) didn't match pod topology spread constraints "
                          "(missing required label)");
            return;
        }
        if ((int64_t)berth__domain_counts_slot(counts, slot) > own->limits[i])
            break;
    }
    berth__reason(reasons, BERTH_CODE_UNSCHEDULABLE,
                  "node(s) didn't match pod topology spread constraints");
}

/* ---- score ---- */

/* The state of a constraint after the rank phase. */
typedef struct ranked {
    double weight;
    double skew; /* maxSkew - 1 */
    /* Counts by domain that replace the constraint's own counts: if constraints share a key, or if
     * nodes without the key count as the domain of the empty value. */
    const uint32_t *counts;
} ranked;

typedef struct score_state {
    const berth__spreads *spreads;
    ranked *ranked;
    bool small; /* values fit into int32 */
} score_state;

static berth__outcome pod_topology_spread_prepare_score(berth__prepare *prepare)
{
    score_state *own = prepare->state;
    if (!berth__spread_resolve(prepare->cycle, prepare->instance, false, &own->spreads)) {
        prepare->ok = false;
        return BERTH__SKIP;
    }
    prepare->stays = own->spreads == NULL;
    if (own->spreads == NULL || prepare->cycle->view->layout->count == 0)
        return BERTH__SKIP;
    if (own->spreads->problem.data != NULL)
        return fail_with(prepare, "calculating preScoreState: obtaining pod's soft",
                         own->spreads->problem);
    own->ranked = berth__arena_alloc_zero(prepare->arena, own->spreads->count * sizeof(ranked), 8);
    prepare->ok = own->ranked != NULL;
    return BERTH__ACTIVE;
}

/* The slots of a mask that are scored: if all keys are required, those that have all keys. */
static berth__mask scored(const berth__spreads *spreads, uint32_t tile, const berth__mask *mask)
{
    berth__mask out = *mask;
    for (uint32_t i = 0; spreads->require_all && i < spreads->count; i++)
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            out.words[w] &=
                spreads->items[i].counts->topology->present[(size_t)tile * BERTH__TILE_WORDS + w];
    return out;
}

/* The feasible nodes in the rank phase: masks of all of them by tile, or a sample. */
typedef struct ranking {
    const berth__view *view;
    const berth__spreads *spreads;
    const berth__mask *feasible; /* NULL: use the sample */
    const berth__score_sample *sample;
} ranking;

/* Count the feasible nodes that are scored, and those that also have a key. A sample counts only
 * the former. */
static void count_feasible(const ranking *among, const berth__topology *topology, uint32_t *all,
                           uint32_t *having)
{
    *all = *having = 0;
    if (among->feasible == NULL) {
        *all = *having = among->sample->having_count;
        return;
    }
    for (uint32_t tile = 0; tile < among->view->layout->tile_count; tile++) {
        if (berth__mask_empty(&among->feasible[tile]))
            continue;
        berth__mask mask = scored(among->spreads, tile, &among->feasible[tile]);
        *all += berth__mask_count(&mask);
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            mask.words[w] &= topology->present[(size_t)tile * BERTH__TILE_WORDS + w];
        *having += berth__mask_count(&mask);
    }
}

/* Mark the domains of the feasible nodes that are scored (0: no such key). Returns how many differ;
 * ends early once all `most` of them are seen. */
static uint32_t mark_domains(const ranking *among, const berth__topology *topology, uint32_t most,
                             uint8_t *seen)
{
    uint32_t count = 0;
    for (uint32_t tile = 0; tile < among->view->layout->tile_count && count < most; tile++) {
        const uint32_t *domains = topology->domains + (size_t)tile * BERTH__TILE;
        if (berth__mask_empty(&among->feasible[tile]))
            continue;
        berth__mask mask = scored(among->spreads, tile, &among->feasible[tile]);
        BERTH__MASK_EACH(&mask, s)
        {
            count += !seen[domains[s]];
            seen[domains[s]] = 1;
        }
    }
    return count;
}

/* The same for a sample. */
static uint32_t mark_sample(const ranking *among, const berth__topology *topology, uint8_t *seen)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < among->sample->count; i++) {
        uint32_t slot = among->sample->slots[i], domain = topology->domains[slot];
        if (among->spreads->require_all && !berth__spread_has_all_keys(among->spreads, slot))
            continue;
        count += !seen[domain];
        seen[domain] = 1;
    }
    return count;
}

/* How many domains the feasible nodes are in; nodes without the key are in the domain of "". */
static bool domains_of(berth__prepare *prepare, const ranking *among,
                       const berth__topology *topology, uint32_t *out)
{
    uint32_t all, having;
    if (among->feasible != NULL && topology->unique && topology->empty_domain == 0) {
        count_feasible(among, topology, &all, &having);
        *out = having + (all > having);
        return true;
    }
    bool lacking =
        topology->present_count < among->view->layout->count && !among->spreads->require_all;
    uint8_t *seen = berth__arena_alloc_zero(prepare->arena, (size_t)topology->domain_count + 1, 1);
    if (seen == NULL)
        return false;
    *out = among->feasible != NULL
               ? mark_domains(among, topology, topology->domain_count + lacking, seen)
               : mark_sample(among, topology, seen);
    *out -= seen[0] && seen[topology->empty_domain] && topology->empty_domain != 0;
    return true;
}

static void add_counts(const berth__view *view, const berth__domain_counts *counts, uint32_t *out)
{
    const berth__topology *topology = counts->topology;
    for (uint32_t d = 1; counts->counts != NULL && d <= topology->domain_count; d++)
        out[d] += counts->counts[d];
    for (uint32_t slot = 0; counts->counts == NULL && slot < view->layout->count; slot++)
        out[topology->domains[slot]] += berth__domain_counts_slot(counts, slot);
}

/* The sums of counts, by domain, over all constraints with the same key. NULL when out of
 * memory. */
static uint32_t *merged_counts(berth__prepare *prepare, const berth__spreads *spreads,
                               const berth__spread *spread)
{
    const berth__topology *topology = spread->counts->topology;
    uint32_t *out = berth__arena_alloc_zero(prepare->arena,
                                            ((size_t)topology->domain_count + 1) * sizeof(*out), 8);
    for (uint32_t i = 0; out != NULL && i < spreads->count; i++) {
        const berth__domain_counts *counts = spreads->items[i].counts;
        if (counts->topology != topology)
            continue;
        add_counts(prepare->cycle->view, counts, out);
        if (!spreads->require_all && topology->empty_domain != 0)
            out[topology->empty_domain] += (uint32_t)counts->absent;
    }
    if (out != NULL)
        out[0] = 0;
    return out;
}

static bool rank_one(berth__prepare *prepare, const ranking *among, const berth__spread *spread,
                     ranked *out)
{
    const berth__spreads *spreads = among->spreads;
    const berth__topology *topology = spread->counts->topology;
    uint32_t size = 0, having;
    *out = (ranked){.skew = (double)(spread->max_skew - 1)};
    if (spread->by_node)
        count_feasible(among, topology, &size, &having);
    else if (!spread->repeats && !domains_of(prepare, among, topology, &size))
        return false;
    out->weight = berth__go_log((double)size + 2);
    if (spread->by_node ||
        !(spread->shared || (!spreads->require_all && topology->empty_domain != 0)))
        return true;
    out->counts = merged_counts(prepare, spreads, spread);
    return out->counts != NULL;
}

static berth__outcome rank_all(berth__prepare *prepare, const ranking *among)
{
    score_state *own = prepare->state;
    const berth__spreads *spreads = own->spreads;
    double pods = 0, most = 0;
    for (uint32_t i = 0; i < spreads->count; i++)
        pods += (double)spreads->items[i].counts->population->total;
    for (uint32_t i = 0; i < spreads->count && prepare->ok; i++) {
        prepare->ok = rank_one(prepare, among, &spreads->items[i], &own->ranked[i]);
        double skew = own->ranked[i].skew;
        most += pods * own->ranked[i].weight + (skew < 0 ? -skew : skew);
    }
    own->small = most < INT32_MAX;
    prepare->small = most < BERTH__NARROW_MAX;
    return BERTH__ACTIVE;
}

static berth__outcome pod_topology_spread_rank(berth__prepare *prepare, const berth__mask *feasible,
                                               uint32_t count)
{
    (void)count;
    const score_state *own = prepare->state;
    const ranking among = {prepare->cycle->view, own->spreads, feasible, NULL};
    return rank_all(prepare, &among);
}

static berth__outcome pod_topology_spread_rank_sample(berth__prepare *prepare,
                                                      const berth__score_sample *sample)
{
    const score_state *own = prepare->state;
    const ranking among = {prepare->cycle->view, own->spreads, NULL, sample};
    return rank_all(prepare, &among);
}

/* Whether a constraint adds 0 to every slot of a tile. */
static bool adds_nothing(const berth__spread *spread, const ranked *by, uint32_t tile)
{
    bool by_slot = spread->by_node || (by->counts == NULL && spread->counts->counts == NULL);
    return by->skew == 0 && by_slot &&
           berth__slot_pods_spare(&spread->counts->population->slots, tile);
}

/* The number of pods that a constraint counts for each slot of a tile. */
static const uint32_t *counted(const berth__kernels *kernels, const berth__spread *spread,
                               const ranked *by, uint32_t tile, uint32_t *scratch)
{
    if (spread->by_node)
        return berth__slot_pods_tile(&spread->counts->population->slots, tile, scratch);
    if (by->counts == NULL)
        return berth__domain_counts_tile(kernels, spread->counts, tile, scratch);
    const berth__topology *topology = spread->counts->topology;
    kernels->gather(by->counts, topology->domain_count + 1,
                    topology->domains + (size_t)tile * BERTH__TILE, scratch);
    return scratch;
}

/* Round half away from zero. The fraction is exact. */
static int64_t rounded(double sum)
{
    int64_t whole = (int64_t)sum;
    double fraction = sum - (double)whole;
    return whole + (fraction >= 0.5) - (fraction <= -0.5);
}

static void round_large(const double *sums, int64_t *out)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] = rounded(sums[s]);
}

/* The slots of the mask that are ignored. */
static berth__mask unscored(const berth__spreads *spreads, uint32_t tile, const berth__mask *mask)
{
    berth__mask out = scored(spreads, tile, mask);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        out.words[w] = mask->words[w] & ~out.words[w];
    return out;
}

/* Sum over the constraints, skipping those that add 0 everywhere. Returns whether any is left. */
static bool sum_constraints(const berth__kernels *kernels, const score_state *own, uint32_t tile,
                            double *sums)
{
    bool any = false;
    _Alignas(64) uint32_t scratch[BERTH__TILE];
    for (uint32_t i = 0; i < own->spreads->count; i++) {
        const berth__spread *spread = &own->spreads->items[i];
        if (adds_nothing(spread, &own->ranked[i], tile))
            continue;
        if (!any)
            memset(sums, 0, BERTH__TILE * sizeof(*sums));
        any = true;
        kernels->spread_add(counted(kernels, spread, &own->ranked[i], tile, scratch),
                            own->ranked[i].weight, own->ranked[i].skew,
                            spread->counts->topology->present + (size_t)tile * BERTH__TILE_WORDS,
                            sums);
    }
    return any;
}

static void pod_topology_spread_score(const berth__question *cycle, const void *instance,
                                      const void *opaque, uint32_t tile, const berth__mask *mask,
                                      int64_t *out)
{
    (void)instance;
    const score_state *own = opaque;
    const berth__kernels *kernels = cycle->view->kernels;
    const berth__mask ignored = unscored(own->spreads, tile, mask);
    _Alignas(64) double sums[BERTH__TILE];
    if (!sum_constraints(kernels, own, tile, sums))
        kernels->clear(out);
    else if (own->small)
        kernels->round_small(sums, out);
    else
        round_large(sums, out);
    BERTH__MASK_EACH(&ignored, s)
    {
        out[s] = BERTH__SCORE_IGNORED;
    }
}

static void pod_topology_spread_score_kept(const berth__question *cycle, const void *instance,
                                           const void *opaque, uint32_t tile,
                                           const berth__mask *mask, int16_t *kept)
{
    (void)instance;
    const score_state *own = opaque;
    const berth__mask ignored = unscored(own->spreads, tile, mask);
    _Alignas(64) double sums[BERTH__TILE];
    _Alignas(64) int64_t rounded[BERTH__TILE];
    if (sum_constraints(cycle->view->kernels, own, tile, sums)) {
        cycle->view->kernels->round_small(sums, rounded);
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            kept[s] = (int16_t)rounded[s];
    } else {
        memset(kept, 0, BERTH__TILE * sizeof(*kept));
    }
    BERTH__MASK_EACH(&ignored, s)
    {
        kept[s] = BERTH__NARROW_IGNORED;
    }
}

/* If all keys are required, nodes that lack one are not scored, and the weight of a constraint by
 * node follows from the number of the others. */
static void add_keys(const berth__spreads *spreads, uint32_t node_count, berth__score_parts *parts)
{
    for (uint32_t i = 0; i < spreads->count; i++) {
        const berth__topology *topology = spreads->items[i].counts->topology;
        if (topology->present_count == node_count)
            continue;
        berth__score_parts_add_presence(parts, topology);
        if (spreads->require_all)
            berth__score_parts_require(parts, topology);
    }
}

static void pod_topology_spread_score_parts(const berth__question *cycle, const void *instance,
                                            const void *opaque, berth__score_parts *parts)
{
    (void)instance;
    const score_state *own = opaque;
    add_keys(own->spreads, cycle->view->layout->count, parts);
    for (uint32_t i = 0; i < own->spreads->count; i++) {
        const berth__spread *spread = &own->spreads->items[i];
        if (!spread->by_node)
            berth__score_parts_add_domain(parts, spread->counts->topology);
        else if (!spread->counts->topology->unique)
            parts->ok = false;
        else if (spread->counts->total > 0)
            berth__score_parts_add_node(parts, spread->counts);
    }
}

/* Add what a constraint contributes to the sums of some slots. */
static void add_constraint(const berth__spread *spread, const ranked *by, const uint32_t *slots,
                           uint32_t count, double *sums)
{
    const berth__domain_counts *counts = spread->counts;
    const berth__topology *topology = counts->topology;
    const uint32_t *by_domain = by->counts != NULL ? by->counts : counts->counts;
    const double weight = by->weight, skew = by->skew;
    for (uint32_t s = 0; s < count; s++) {
        if (!berth__bit_get(topology->present, slots[s]))
            continue;
        const uint32_t pods = by_domain != NULL ? by_domain[topology->domains[slots[s]]]
                                                : berth__domain_counts_slot(counts, slots[s]);
        sums[s] += (double)pods * weight + skew;
    }
}

static void pod_topology_spread_score_sample(const berth__question *cycle, const void *instance,
                                             const void *opaque, const berth__score_sample *sample,
                                             int64_t *out)
{
    (void)cycle;
    (void)instance;
    const score_state *own = opaque;
    const berth__spreads *spreads = own->spreads;
    double sums[BERTH__TILE];
    for (uint32_t first = 0, count; first < sample->count; first += count) {
        const uint32_t *slots = sample->slots + first;
        count = sample->count - first < BERTH__TILE ? sample->count - first : BERTH__TILE;
        memset(sums, 0, count * sizeof(*sums));
        for (uint32_t i = 0; i < spreads->count; i++)
            add_constraint(&spreads->items[i], &own->ranked[i], slots, count, sums);
        for (uint32_t s = 0; s < count; s++)
            out[first + s] = spreads->require_all && !berth__spread_has_all_keys(spreads, slots[s])
                                 ? BERTH__SCORE_IGNORED
                                 : rounded(sums[s]);
    }
}

/* 100 * (highest + lowest - value) / highest; ignored nodes get 0. */
static void pod_topology_spread_normalize(const berth__kernels *kernels, int64_t lowest,
                                          int64_t highest, const berth__mask *mask, int64_t *values)
{
    if (highest > 0 && lowest >= 0 && highest + lowest <= INT32_MAX) {
        kernels->spread_normalize(lowest, highest, berth__mask_end(mask), values);
        return;
    }
    BERTH__MASK_EACH(mask, s)
    {
        if (values[s] == BERTH__SCORE_IGNORED)
            values[s] = 0;
        else if (highest <= 0)
            values[s] = BERTH__SCORE_MAX;
        else
            values[s] = BERTH__SCORE_MAX * (highest + lowest - values[s]) / highest;
    }
}

/* ---- waking ---- */

static bool is_counted(const berth__wake *wake, const berth__pod_rules *rules,
                       const berth__class *cls)
{
    for (uint32_t i = 0; cls != NULL && i < rules->spread_count; i++)
        if (rules->spreads[i].hard &&
            berth__selector_matches(&wake->view->model->strings, &rules->spreads[i].selector,
                                    cls->identity->labels))
            return true;
    return false;
}

static bool is_in_domains(const berth__pod_rules *rules, const berth__node_facts *facts)
{
    for (uint32_t i = 0; facts != NULL && i < rules->spread_count; i++)
        if (rules->spreads[i].hard &&
            berth__labels_get(berth__node_labels(facts), rules->spreads[i].topology_key) == 0)
            return false;
    return facts != NULL;
}

/* Wake for pods in the waiting pod's namespace that a constraint selects, and for nodes with every
 * topology key. Default constraints select by services, so with them every such change wakes. */
static bool pod_topology_spread_wakes(berth__wake *wake, const berth__waiter *waiter,
                                      const void *instance)
{
    (void)instance;
    const uint32_t by_pods = BERTH_WAKE_POD_ADD | BERTH_WAKE_POD_REMOVE | BERTH_WAKE_POD_LABELS;
    const berth__pod_rules *rules = waiter->cls->pod_rules;
    const berth__class *pod = wake->before != NULL ? wake->before : wake->after;
    bool defaults = rules == NULL || rules->spread_count == 0;
    if ((wake->bits & by_pods) == 0)
        return defaults || (wake->bits & BERTH_WAKE_RELATED) != 0 ||
               is_in_domains(rules, wake->old_facts) || is_in_domains(rules, wake->new_facts);
    if (pod->identity->namespace_name != waiter->cls->identity->namespace_name)
        return false;
    return defaults || is_counted(wake, rules, wake->before) ||
           is_counted(wake, rules, wake->after);
}

const berth__plugin_ops berth__plugin_pod_topology_spread = {
    .name = "PodTopologySpread",
    .flags = BERTH__PREPARE_EACH,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_REMOVE | BERTH_WAKE_NODE_LABELS |
               BERTH_WAKE_NODE_TAINTS | BERTH_WAKE_POD_ADD | BERTH_WAKE_POD_REMOVE |
               BERTH_WAKE_POD_LABELS | BERTH__WAKE_POD_SELF | BERTH_WAKE_RELATED,
    .wakes = pod_topology_spread_wakes,
    .instance_bytes = sizeof(berth__spread_defaults),
    .configure = berth__spread_configure,
    .filter_misses = "reading \"PreFilterPodTopologySpread\" from cycleState: not found",
    .filter_state_bytes = sizeof(filter_state),
    .prepare_filter = pod_topology_spread_prepare_filter,
    .filter = pod_topology_spread_filter,
    .gate = pod_topology_spread_gate,
    .explain = pod_topology_spread_explain,
    .adjust = pod_topology_spread_adjust,
    .score_misses = "error reading \"PreScorePodTopologySpread\" from cycleState: not found",
    .score_state_bytes = sizeof(score_state),
    .prepare_score = pod_topology_spread_prepare_score,
    .rank = pod_topology_spread_rank,
    .score_parts = pod_topology_spread_score_parts,
    .rank_sample = pod_topology_spread_rank_sample,
    .score_sample = pod_topology_spread_score_sample,
    .score = pod_topology_spread_score,
    .score_kept = pod_topology_spread_score_kept,
    .normalize = BERTH__NORMALIZATION_OF_PLUGIN,
    .normalize_own = pod_topology_spread_normalize,
};
