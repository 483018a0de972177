/* InterPodAffinity: required and preferred (anti-)affinity between the pod and running pods. Both
 * phases read domain counters (columns/pod_counts.h) and visit no pod. v1.15 has the same rules as
 * MatchInterPodAffinity, which lets the first pod of a series go anywhere, and
 * InterPodAffinityPriority, whose range of values always includes 0.
 * Source: kube-scheduler v1.32, plugins/interpodaffinity; v1.15.3,
 * predicates.InterPodAffinityMatches, priorities/interpod_affinity.go. */
#include <string.h>

#include "plugins/affinity_rules.h"
#include "plugins/registry.h"

static berth_status inter_pod_affinity_configure(berth__model *model, berth__arena *arena,
                                                 const berth_plugin_args *args, void *instance,
                                                 berth_error *error)
{
    (void)model;
    (void)arena;
    (void)error;
    berth__affinity_args *own = instance;
    own->hard_weight = 1;
    if (args == NULL)
        return BERTH_OK;
    own->hard_weight = args->inter_pod_affinity.hard_pod_affinity_weight;
    own->ignore_preferred_of_existing =
        args->inter_pod_affinity.ignore_preferred_terms_of_existing_pods;
    return BERTH_OK;
}

/* ---- filter ---- */

typedef struct filter_state {
    const berth__plan *plan;
    /* No running pod satisfies the pod's required affinity, but the pod itself would: the first pod
     * of a series may go to any node with the keys. */
    bool is_first;
    bool anywhere; /* even to nodes without the keys */
    /* v1.15: invalid required affinity terms refuse every node, with an error that ends the attempt
     * if any pod runs. Invalid anti-affinity terms refuse every node if any pod runs. */
    bool pods_run, unreadable_affinity, unreadable_anti_affinity;
} filter_state;

static bool is_empty(const berth__count_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i]->total > 0)
            return false;
    return true;
}

static berth__outcome inter_pod_affinity_prepare_filter(berth__prepare *prepare)
{
    filter_state *own = prepare->state;
    prepare->ok = berth__affinity_resolve(prepare->cycle, prepare->instance, &own->plan);
    prepare->stays = own->plan == NULL;
    if (!prepare->ok || own->plan == NULL)
        return BERTH__SKIP;
    const berth__affinity *affinity = berth__affinity_of(own->plan);
    prepare->stays = affinity->against.count == 0;
    if (affinity->problem.data != NULL) {
        berth__reason(prepare->reasons, BERTH_CODE_UNRESOLVABLE, "parsing pod: %.*s",
                      (int)affinity->problem.len, affinity->problem.data);
        return BERTH__REFUSE;
    }
    if (!affinity->has_required && is_empty(&affinity->against))
        return BERTH__SKIP;
    own->is_first = affinity->self && is_empty(&affinity->wanted);
    return BERTH__ACTIVE;
}

static bool refuses_all(const filter_state *own)
{
    return own->unreadable_affinity || own->unreadable_anti_affinity;
}

/* Clear the slots whose domain has a pod, or those whose domain has none. */
static void clear_counted(const berth__view *view, const berth__domain_counts *counts,
                          uint32_t tile, bool counted, berth__mask *mask)
{
    _Alignas(64) uint32_t scratch[BERTH__TILE];
    berth__mask none = *mask;
    if (counts->counts == NULL && berth__slot_pods_spare(&counts->population->slots, tile)) {
        if (!counted)
            *mask = (berth__mask){{0}};
        return;
    }
    view->kernels->at_most(berth__domain_counts_tile(view->kernels, counts, tile, scratch), 0,
                           &none);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask->words[w] &= counted ? none.words[w] : ~none.words[w];
}

static void inter_pod_affinity_filter(const berth__question *cycle, const void *instance,
                                      const void *opaque, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    const filter_state *own = opaque;
    const berth__affinity *affinity = berth__affinity_of(own->plan);
    if (refuses_all(own)) {
        *mask = (berth__mask){{0}};
        return;
    }
    for (uint32_t i = 0; i < affinity->wanted.count && !own->anywhere; i++) {
        const berth__domain_counts *counts = affinity->wanted.items[i];
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            mask->words[w] &= counts->topology->present[(size_t)tile * BERTH__TILE_WORDS + w];
        if (!own->is_first)
            clear_counted(cycle->view, counts, tile, false, mask);
    }
    const berth__count_list *avoided[] = {&affinity->unwanted, &affinity->against};
    for (uint32_t list = 0; list < 2; list++)
        for (uint32_t i = 0; i < avoided[list]->count; i++)
            if (avoided[list]->items[i]->total > 0)
                clear_counted(cycle->view, avoided[list]->items[i], tile, true, mask);
}

static bool is_wanted(const filter_state *own, uint32_t slot)
{
    const berth__count_list *wanted = &berth__affinity_of(own->plan)->wanted;
    for (uint32_t i = 0; i < wanted->count && !own->anywhere; i++)
        if (!berth__bit_get(wanted->items[i]->topology->present, slot) ||
            (!own->is_first && berth__domain_counts_slot(wanted->items[i], slot) == 0))
            return false;
    return true;
}

static bool any_on(const berth__count_list *list, uint32_t slot)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (berth__domain_counts_slot(list->items[i], slot) > 0)
            return true;
    return false;
}

static void inter_pod_affinity_gate(const berth__question *cycle, const void *instance,
                                    const void *opaque, berth__gates *gates)
{
    (void)cycle;
    (void)instance;
    const filter_state *own = opaque;
    const berth__affinity *affinity = berth__affinity_of(own->plan);
    gates->ok &= !refuses_all(own);
    for (uint32_t i = 0; i < affinity->wanted.count && !own->anywhere; i++)
        berth__gates_add(gates, affinity->wanted.items[i], own->is_first ? 0 : 1, UINT32_MAX, true);
    const berth__count_list *avoided[] = {&affinity->unwanted, &affinity->against};
    for (uint32_t list = 0; list < 2; list++)
        for (uint32_t i = 0; i < avoided[list]->count; i++)
            if (avoided[list]->items[i]->total > 0)
                berth__gates_add(gates, avoided[list]->items[i], 0, 0, false);
}

static void inter_pod_affinity_explain(const berth__question *cycle, const void *instance,
                                       const void *opaque, uint32_t slot, berth__reasons *reasons)
{
    (void)cycle;
    (void)instance;
    const filter_state *own = opaque;
    if (!is_wanted(own, slot))
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "node(s) didn't match pod affinity rules");
    else if (any_on(&berth__affinity_of(own->plan)->unwanted, slot))
        berth__reason(reasons, BERTH_CODE_UNSCHEDULABLE,
                      "node(s) didn't match pod anti-affinity rules");
    else
        berth__reason(reasons, BERTH_CODE_UNSCHEDULABLE,
                      "node(s) didn't satisfy existing pods anti-affinity rules");
}

/* ---- score ---- */

/* By domain: what all terms about one topology with few domains (zones, for instance) add to a
 * node's score. */
typedef struct summed_terms {
    struct summed_terms *next;
    const berth__topology *topology;
    int32_t sums[BERTH__FEW_DOMAINS + 1];
    int16_t kept[BERTH__FEW_DOMAINS + 1]; /* the same, if they are small */
} summed_terms;

typedef struct score_state {
    const berth__plan *plan;
    summed_terms *summed;
} score_state;

/* Whether a term is summed by domain; the sums then fit into int32. */
static bool is_summed(const berth__affinity *affinity, const berth__soft_affinity *soft)
{
    const berth__domain_counts *counts = soft->counts;
    uint64_t weight = (uint64_t)(soft->weight < 0 ? -soft->weight : soft->weight);
    return counts->counts != NULL && counts->topology->domain_count <= BERTH__FEW_DOMAINS &&
           counts->total * weight <= INT32_MAX / affinity->soft_count;
}

/* The sums of a topology, created at first use; NULL when out of memory. */
static summed_terms *summed_on(berth__prepare *prepare, score_state *own,
                               const berth__topology *topology)
{
    for (summed_terms *one = own->summed; one != NULL; one = one->next)
        if (one->topology == topology)
            return one;
    summed_terms *fresh = berth__arena_alloc_zero(prepare->arena, sizeof(*fresh), 8);
    if (fresh == NULL)
        return NULL;
    fresh->topology = topology;
    fresh->next = own->summed;
    own->summed = fresh;
    return fresh;
}

/* Sum the terms once by domain, so that scoring need not look up each term for each node. Returns
 * false when out of memory. */
static bool sum_terms(berth__prepare *prepare, const berth__affinity *affinity, score_state *own)
{
    for (uint32_t i = 0; i < affinity->soft_count; i++) {
        const berth__soft_affinity *soft = &affinity->soft[i];
        const berth__topology *topology = soft->counts->topology;
        if (soft->counts->total == 0 || !is_summed(affinity, soft))
            continue;
        summed_terms *summed = summed_on(prepare, own, topology);
        if (summed == NULL)
            return false;
        for (uint32_t d = 1; d <= topology->domain_count; d++)
            summed->sums[d] += (int32_t)(soft->weight * (int64_t)soft->counts->counts[d]);
    }
    return true;
}

static bool has_room(int32_t sum)
{
    return sum >= -BERTH__NARROW_MAX && sum <= BERTH__NARROW_MAX;
}

/* Whether the score consists of the sums of one topology, and these are small. */
static bool keep_sums(const berth__affinity *affinity, score_state *own)
{
    summed_terms *summed = own->summed;
    if (summed == NULL || summed->next != NULL)
        return false;
    for (uint32_t i = 0; i < affinity->soft_count; i++)
        if (affinity->soft[i].counts->total > 0 && !is_summed(affinity, &affinity->soft[i]))
            return false;
    bool small = true;
    for (uint32_t d = 0; d <= summed->topology->domain_count; d++) {
        small &= has_room(summed->sums[d]);
        summed->kept[d] = (int16_t)summed->sums[d];
    }
    return small;
}

/* Whether any pod satisfies any term. */
static bool any_counts(const berth__affinity *affinity)
{
    for (uint32_t i = 0; i < affinity->soft_count; i++)
        if (affinity->soft[i].counts->total > 0)
            return true;
    return false;
}

static berth__outcome inter_pod_affinity_prepare_score(berth__prepare *prepare)
{
    const berth__affinity_args *args = prepare->instance;
    score_state *own = prepare->state;
    prepare->ok = berth__affinity_resolve(prepare->cycle, args, &own->plan);
    prepare->stays = own->plan == NULL;
    if (!prepare->ok || own->plan == NULL)
        return BERTH__SKIP;
    const berth__affinity *affinity = berth__affinity_of(own->plan);
    prepare->stays = affinity->soft_count == 0;
    if (args->ignore_preferred_of_existing && !affinity->has_preferred)
        return BERTH__SKIP;
    if (affinity->problem.data != NULL) { /* only if the filter is disabled; it would check this */
        berth__reason(prepare->reasons, BERTH_CODE_UNRESOLVABLE, "failed to parse pod: %.*s",
                      (int)affinity->problem.len, affinity->problem.data);
        return BERTH__FAIL;
    }
    if (!any_counts(affinity))
        return BERTH__SKIP;
    prepare->ok = sum_terms(prepare, affinity, own);
    prepare->small = prepare->ok && keep_sums(affinity, own);
    return BERTH__ACTIVE;
}

static void inter_pod_affinity_score(const berth__question *cycle, const void *instance,
                                     const void *opaque, uint32_t tile, const berth__mask *mask,
                                     int64_t *out)
{
    (void)instance;
    (void)mask;
    const score_state *own = opaque;
    const berth__kernels *kernels = cycle->view->kernels;
    const berth__affinity *affinity = berth__affinity_of(own->plan);
    uint32_t scratch[BERTH__TILE];
    kernels->clear(out);
    for (const summed_terms *summed = own->summed; summed != NULL; summed = summed->next)
        kernels->gather_add(summed->sums, summed->topology->domain_count + 1,
                            summed->topology->domains + (size_t)tile * BERTH__TILE, out);
    for (uint32_t i = 0; i < affinity->soft_count; i++) {
        const berth__soft_affinity *soft = &affinity->soft[i];
        if (soft->counts->total == 0 || is_summed(affinity, soft))
            continue;
        kernels->affinity_add(berth__domain_counts_tile(kernels, soft->counts, tile, scratch),
                              soft->weight, out);
    }
}

static void inter_pod_affinity_score_kept(const berth__question *cycle, const void *instance,
                                          const void *opaque, uint32_t tile,
                                          const berth__mask *mask, int16_t *kept)
{
    (void)instance;
    (void)mask;
    const score_state *own = opaque;
    const berth__topology *topology = own->summed->topology;
    cycle->view->kernels->gather_kept(own->summed->kept, topology->domain_count + 1,
                                      topology->domains + (size_t)tile * BERTH__TILE, kept);
}

/* Map `low` to 0 and `high` to `most`, with Go's arithmetic. */
static void normalize_between(int64_t low, int64_t high, int64_t most, const berth__mask *mask,
                              int64_t *values)
{
    BERTH__MASK_EACH(mask, s)
    {
        double share = high > low ? (double)(values[s] - low) / (double)(high - low) : 0.0;
        values[s] = (int64_t)((double)most * share);
    }
}

static void inter_pod_affinity_normalize(const berth__kernels *kernels, int64_t lowest,
                                         int64_t highest, const berth__mask *mask, int64_t *values)
{
    if (highest > lowest && highest - lowest <= INT32_MAX)
        kernels->affinity_normalize(lowest, highest, berth__mask_end(mask), values);
    else
        normalize_between(lowest, highest, BERTH__SCORE_MAX, mask, values);
}

static void inter_pod_affinity_score_parts(const berth__question *cycle, const void *instance,
                                           const void *opaque, berth__score_parts *parts)
{
    (void)cycle;
    (void)instance;
    const score_state *own = opaque;
    const berth__affinity *affinity = berth__affinity_of(own->plan);
    for (uint32_t i = 0; i < affinity->soft_count; i++) {
        const berth__domain_counts *counts = affinity->soft[i].counts;
        if (counts->total > 0 && counts->counts == NULL)
            berth__score_parts_add_node(parts, counts);
        else if (counts->total > 0)
            berth__score_parts_add_domain(parts, counts->topology);
    }
}

static void inter_pod_affinity_score_sample(const berth__question *cycle, const void *instance,
                                            const void *opaque, const berth__score_sample *sample,
                                            int64_t *out)
{
    (void)cycle;
    (void)instance;
    const score_state *own = opaque;
    const berth__affinity *affinity = berth__affinity_of(own->plan);
    memset(out, 0, sample->count * sizeof(*out));
    for (uint32_t i = 0; i < affinity->soft_count; i++) {
        const berth__soft_affinity *soft = &affinity->soft[i];
        for (uint32_t s = 0; s < sample->count; s++)
            out[s] +=
                soft->weight * (int64_t)berth__domain_counts_slot(soft->counts, sample->slots[s]);
    }
}

/* All nodes of one domain have the same sums. */
static bool inter_pod_affinity_is_level(const berth__question *cycle, const void *instance,
                                        const void *opaque, const berth__gates *gates)
{
    (void)cycle;
    (void)instance;
    const score_state *own = opaque;
    const berth__affinity *affinity = berth__affinity_of(own->plan);
    for (uint32_t i = 0; i < affinity->soft_count; i++) {
        const berth__domain_counts *counts = affinity->soft[i].counts;
        if (counts->total > 0 && !berth__gates_leave_one(gates, counts->topology))
            return false;
    }
    return true;
}

/* ---- waking ---- */

/* Whether a term selects pods of a class; `own`: the term belongs to the waiting pod. */
static bool any_term_matches(const berth__wake *wake, const berth__pod_terms *terms, bool own,
                             const berth__class *cls)
{
    for (uint32_t i = 0; i < terms->count; i++) {
        const berth__pod_term *term = &terms->items[i];
        const berth__pod_filter filter =
            own ? berth__affinity_own_filter(wake->view->model, term) : berth__pod_filter_of(term);
        if (berth__pod_filter_matches(wake->view, &filter, cls->identity, false))
            return true;
    }
    return false;
}

/* Whether a required term of either pod makes adding or removing the other pod matter to the
 * waiting one. */
static bool bears_on(const berth__wake *wake, const berth__class *waiting,
                     const berth__class *other)
{
    const berth__pod_rules *own = waiting->pod_rules;
    if (other == NULL)
        return false;
    if (own != NULL && (any_term_matches(wake, &own->required_affinity, true, other) ||
                        any_term_matches(wake, &own->required_anti_affinity, true, other)))
        return true;
    return other->pod_rules != NULL &&
           any_term_matches(wake, &other->pod_rules->required_anti_affinity, false, waiting);
}

static bool inter_pod_affinity_wakes(berth__wake *wake, const berth__waiter *waiter,
                                     const void *instance)
{
    (void)instance;
    const uint32_t by_pods = BERTH_WAKE_POD_ADD | BERTH_WAKE_POD_REMOVE | BERTH_WAKE_POD_LABELS;
    if ((wake->bits & by_pods) == 0)
        return true;
    return bears_on(wake, waiter->cls, wake->before) || bears_on(wake, waiter->cls, wake->after);
}

enum {
    WAKE_ON = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_REMOVE | BERTH_WAKE_NODE_LABELS |
              BERTH_WAKE_POD_ADD | BERTH_WAKE_POD_REMOVE | BERTH_WAKE_POD_LABELS |
              BERTH_WAKE_NAMESPACE
};

const berth__plugin_ops berth__plugin_inter_pod_affinity = {
    .name = "InterPodAffinity",
    .flags = BERTH__PREPARE_EACH,
    .wake_on = WAKE_ON,
    .wakes = inter_pod_affinity_wakes,
    .instance_bytes = sizeof(berth__affinity_args),
    .configure = inter_pod_affinity_configure,
    .filter_misses = "error reading \"PreFilterInterPodAffinity\" from cycleState: not found",
    .filter_state_bytes = sizeof(filter_state),
    .prepare_filter = inter_pod_affinity_prepare_filter,
    .filter = inter_pod_affinity_filter,
    .gate = inter_pod_affinity_gate,
    .explain = inter_pod_affinity_explain,
    .score_misses = "failed to read \"PreScoreInterPodAffinity\" from cycleState: not found",
    .score_state_bytes = sizeof(score_state),
    .prepare_score = inter_pod_affinity_prepare_score,
    .score = inter_pod_affinity_score,
    .score_kept = inter_pod_affinity_score_kept,
    .is_level = inter_pod_affinity_is_level,
    .score_parts = inter_pod_affinity_score_parts,
    .score_sample = inter_pod_affinity_score_sample,
    .normalize = BERTH__NORMALIZATION_OF_PLUGIN,
    .normalize_own = inter_pod_affinity_normalize,
};

/* ---- v1.15 ---- */

static bool any_pod_runs(const berth__view *view)
{
    for (uint32_t slot = 0; slot < view->layout->count; slot++)
        if (berth__counted_pods(view, slot) != BERTH_POD_INDEX_NONE)
            return true;
    return false;
}

/* v1.15 never skips this predicate, because nominated pods may be the only ones with terms against
 * the pod. */
static berth__outcome inter_pod_affinity_prepare_predicate(berth__prepare *prepare)
{
    filter_state *own = prepare->state;
    const berth__question *cycle = prepare->cycle;
    const berth__pod_rules *rules = cycle->cls->pod_rules;
    berth__outcome outcome = inter_pod_affinity_prepare_filter(prepare);
    own->anywhere = own->is_first;
    if (outcome == BERTH__SKIP && prepare->ok && !prepare->stays)
        outcome = BERTH__ACTIVE;
    if (!prepare->ok || rules == NULL || !rules->malformed)
        return outcome;
    own->pods_run = any_pod_runs(cycle->view);
    own->unreadable_affinity = berth__affinity_unreadable(&rules->required_affinity) != NULL;
    own->unreadable_anti_affinity =
        own->pods_run && berth__affinity_unreadable(&rules->required_anti_affinity) != NULL;
    prepare->may_fail = own->pods_run && own->unreadable_affinity;
    prepare->stays = false;
    return outcome;
}

/* Add v1.15's error for a node. */
static void explain_unreadable(const berth__question *cycle, uint32_t slot, berth__reasons *reasons)
{
    const berth__model *model = cycle->view->model;
    const berth__class *cls = cycle->cls;
    berth_str problem = berth__affinity_unreadable(&cls->pod_rules->required_affinity)->problem;
    berth_str space = berth__text(model, cls->identity->namespace_name);
    berth_str pod = berth__pod_name(berth__pod_at(cycle->view->counts->pods, cycle->pod));
    berth_str node = berth__text(model, berth__view_node(cycle->view, slot)->name);
    berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                  BERTH__ERROR_PREFIX "Cannot schedule pod %.*s/%.*s onto node %.*s, because of "
                                      "PodAffinity: %.*s",
                  (int)space.len, space.data, (int)pod.len, pod.data, (int)node.len, node.data,
                  (int)problem.len, problem.data);
    reasons->failed = true;
}

static void inter_pod_affinity_explain_predicate(const berth__question *cycle, const void *instance,
                                                 const void *opaque, uint32_t slot,
                                                 berth__reasons *reasons)
{
    (void)instance;
    const filter_state *own = opaque;
    bool against = any_on(&berth__affinity_of(own->plan)->against, slot);
    if (!against && own->unreadable_affinity && own->pods_run) {
        explain_unreadable(cycle, slot, reasons);
        return;
    }
    berth__reason(reasons, BERTH_CODE_UNSCHEDULABLE,
                  "node(s) didn't match pod affinity/anti-affinity");
    if (against)
        berth__reason(reasons, BERTH_CODE_UNSCHEDULABLE,
                      "node(s) didn't satisfy existing pods anti-affinity rules");
    else if (own->unreadable_affinity || (!own->unreadable_anti_affinity && !is_wanted(own, slot)))
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "node(s) didn't match pod affinity rules");
    else
        berth__reason(reasons, BERTH_CODE_UNSCHEDULABLE,
                      "node(s) didn't match pod anti-affinity rules");
}

static berth__outcome inter_pod_affinity_prepare_priority(berth__prepare *prepare)
{
    const berth__pod_rules *rules = prepare->cycle->cls->pod_rules;
    const berth__selector *unreadable = NULL;
    if (rules != NULL && rules->malformed)
        unreadable = berth__affinity_unreadable(&rules->preferred_affinity);
    if (rules != NULL && rules->malformed && unreadable == NULL)
        unreadable = berth__affinity_unreadable(&rules->preferred_anti_affinity);
    if (unreadable != NULL && any_pod_runs(prepare->cycle->view)) {
        berth__reason(prepare->reasons, BERTH_CODE_UNRESOLVABLE, "%.*s",
                      (int)unreadable->problem.len, unreadable->problem.data);
        return BERTH__FAIL;
    }
    prepare->uniform = 0;
    return inter_pod_affinity_prepare_score(prepare) == BERTH__ACTIVE ? BERTH__ACTIVE
                                                                      : BERTH__UNIFORM;
}

static void inter_pod_affinity_normalize_priority(const berth__kernels *kernels, int64_t lowest,
                                                  int64_t highest, const berth__mask *mask,
                                                  int64_t *values)
{
    (void)kernels;
    normalize_between(lowest < 0 ? lowest : 0, highest > 0 ? highest : 0, BERTH__SCORE_MAX_LEGACY,
                      mask, values);
}

const berth__plugin_ops berth__plugin_match_inter_pod_affinity = {
    .name = "MatchInterPodAffinity",
    .flags = BERTH__PREPARE_EACH,
    .wake_on = WAKE_ON,
    .wakes = inter_pod_affinity_wakes,
    .instance_bytes = sizeof(berth__affinity_args),
    .configure = inter_pod_affinity_configure,
    .filter_state_bytes = sizeof(filter_state),
    .prepare_filter = inter_pod_affinity_prepare_predicate,
    .filter = inter_pod_affinity_filter,
    .gate = inter_pod_affinity_gate,
    .explain = inter_pod_affinity_explain_predicate,
};

const berth__plugin_ops berth__plugin_inter_pod_affinity_priority = {
    .name = "InterPodAffinityPriority",
    .flags = BERTH__PREPARE_EACH,
    .instance_bytes = sizeof(berth__affinity_args),
    .configure = inter_pod_affinity_configure,
    .score_state_bytes = sizeof(score_state),
    .prepare_score = inter_pod_affinity_prepare_priority,
    .score = inter_pod_affinity_score,
    .score_kept = inter_pod_affinity_score_kept,
    .score_parts = inter_pod_affinity_score_parts,
    .score_sample = inter_pod_affinity_score_sample,
    .normalize = BERTH__NORMALIZATION_OF_PLUGIN,
    .normalize_own = inter_pod_affinity_normalize_priority,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};
