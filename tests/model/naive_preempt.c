/* DefaultPreemption: cycle.md §9. Tries every potential node, as kube-scheduler does for up to
 * 100. */
#include <string.h>

#include "base/go_sort.h"
#include "naive.h"

/* A node on which the pod would fit without some pods of lower priority. */
typedef struct candidate {
    const berth_node *node;
    const berth_pod **victims; /* most important first */
    size_t count;
    int64_t violations;
} candidate;

static bool disrupted_for_preemption(const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->condition_count; i++) {
        const berth_condition *c = &pod->conditions[i];
        if (naive_is(c->type, "DisruptionTarget") && naive_is(c->status, "True") &&
            naive_is(c->reason, "PreemptionByScheduler")) {
            return pod->meta.deleting;
        }
    }
    return false;
}

/* Is an earlier preemption for this pod still in progress on its nominated node? */
static bool must_wait(const naive_attempt *a, const naive_refusal *refusals, size_t count)
{
    const berth_node *node = naive_find_node(a->cluster, a->pod->nominated_node_name);
    bool unresolvable = true;
    for (size_t i = 0; i < count; i++) {
        if (refusals[i].node == node) {
            unresolvable = refusals[i].unresolvable;
        }
    }
    if (a->pod->nominated_node_name.len == 0 || node == NULL || unresolvable) {
        return false;
    }
    for (size_t i = 0; i < a->cluster->pod_count; i++) {
        const naive_pod *p = &a->cluster->pods[i];
        if (naive_on(p, node) && p->pod->priority < a->pod->priority &&
            disrupted_for_preemption(p->pod)) {
            return true;
        }
    }
    return false;
}

static int64_t start_of(const berth_pod *pod)
{
    return pod->start_time_ns != 0 ? pod->start_time_ns : INT64_MAX;
}

/* The pods of one node, and facts about each. */
typedef struct lower_pods {
    naive_pod **pods;
    uint64_t *places; /* before any pod was removed */
    bool *violating;
    size_t count;
    uint32_t kubernetes;
} lower_pods;

static void swap_pods(void *context, size_t a, size_t b)
{
    lower_pods *l = context;
    naive_pod *pod = l->pods[a];
    uint64_t place = l->places[a];
    bool violating = l->violating[a];
    l->pods[a] = l->pods[b];
    l->places[a] = l->places[b];
    l->violating[a] = l->violating[b];
    l->pods[b] = pod;
    l->places[b] = place;
    l->violating[b] = violating;
}

/* The clock is read for each comparison, so of two pods that have not started the first is older;
 * since v1.37 it is read once for each pod, in their order on the node. */
static bool more_important(void *context, size_t i, size_t k)
{
    const lower_pods *l = context;
    const berth_pod *a = l->pods[i]->pod, *b = l->pods[k]->pod;
    if (a->priority != b->priority) {
        return a->priority > b->priority;
    }
    if (a->start_time_ns == 0 && b->start_time_ns == 0) {
        return l->kubernetes < 37 || l->places[i] < l->places[k];
    }
    return start_of(a) < start_of(b);
}

/* Sorts as Go does: the order of equal pods depends on the algorithm. */
static void sort_pods(lower_pods *l, size_t count)
{
    berth__go_sort(&(berth__go_sort_items){l, more_important, swap_pods}, count);
}

static lower_pods no_pods(const naive_attempt *a)
{
    size_t room = a->cluster->pod_count + 1;
    lower_pods l = {.count = 0, .kubernetes = a->cluster->kubernetes};
    l.pods = naive_alloc(a->region, room * sizeof(*l.pods));
    l.places = naive_alloc(a->region, room * sizeof(*l.places));
    l.violating = naive_alloc(a->region, room);
    return l;
}

static lower_pods pods_below(naive_attempt *a, const berth_node *node)
{
    naive_cluster *cluster = a->cluster;
    lower_pods l = no_pods(a);
    for (size_t i = 0; i < cluster->pod_count; i++) {
        naive_pod *p = &cluster->pods[i];
        if (!naive_on(p, node) || p->pod->priority >= a->pod->priority) {
            continue;
        }
        size_t at = l.count++;
        for (; at > 0 && l.places[at - 1] > p->place; at--) {
            swap_pods(&l, at, at - 1);
        }
        l.pods[at] = p;
        l.places[at] = p->place;
    }
    return l;
}

/* No budget covers a pod without labels, whatever its selector; one with an invalid selector covers
 * none. */
static bool covered_by(const berth_pod_disruption_budget *pdb, const berth_pod *pod)
{
    return naive_same(naive_namespace(&pdb->meta), naive_namespace(&pod->meta)) &&
           pod->meta.labels.count > 0 && !naive_selector_empty(pdb->selector) &&
           naive_selector_valid(pdb->selector) &&
           naive_selector_matches(pdb->selector, pod->meta.labels) &&
           !naive_in(pdb->disrupted_pods, pod->meta.name);
}

static bool named_before(const naive_objects *budgets, size_t i, size_t k)
{
    const berth_pod_disruption_budget *a = budgets->items[i], *b = budgets->items[k];
    size_t common = a->meta.name.len < b->meta.name.len ? a->meta.name.len : b->meta.name.len;
    int order = memcmp(a->meta.name.data, b->meta.name.data, common);
    return order != 0 ? order < 0 : a->meta.name.len < b->meta.name.len;
}

/* Use one disruption of each matching budget; since v1.37, stop at the first by name that has none
 * left. Returns true if one of them had none left. */
static bool violates(uint32_t kubernetes, const naive_objects *budgets, int64_t *left,
                     const berth_pod *pod)
{
    size_t first = budgets->count;
    for (size_t i = 0; i < budgets->count; i++) {
        bool exhausted = left[i] <= 0 && covered_by(budgets->items[i], pod);
        if (exhausted && (first == budgets->count || named_before(budgets, i, first))) {
            first = i;
        }
    }
    for (size_t i = 0; i < budgets->count; i++) {
        bool behind = kubernetes >= 37 && first < budgets->count && named_before(budgets, first, i);
        if (covered_by(budgets->items[i], pod) && !behind) {
            left[i]--;
        }
    }
    return first < budgets->count;
}

/* Dry run. Returns true if `out` is a candidate; otherwise `refusal` has the reason. */
static bool dry_run(naive_attempt *original, const berth_node *node, candidate *out,
                    naive_refusal *refusal)
{
    naive_attempt *a = naive_attempt_copy(original);
    naive_cluster *cluster = a->cluster;
    const naive_objects *budgets = &cluster->objects[BERTH_KIND_POD_DISRUPTION_BUDGET];
    lower_pods lower = pods_below(a, node);
    *refusal = (naive_refusal){.node = node};
    for (size_t i = 0; i < lower.count; i++) {
        naive_try_off(a, lower.pods[i], node);
    }
    if (lower.count == 0) {
        return naive_refuse(a, refusal, true, "No preemption victims found for incoming pod");
    }
    if (!naive_passes(a, node, refusal)) {
        return false;
    }
    sort_pods(&lower, lower.count);
    int64_t *left = naive_alloc(a->region, (budgets->count + 1) * sizeof(*left));
    for (size_t i = 0; i < budgets->count; i++) {
        const berth_pod_disruption_budget *pdb = budgets->items[i];
        left[i] = pdb->disruptions_allowed;
    }
    size_t violating_count = 0;
    for (size_t i = 0; i < lower.count; i++) {
        lower.violating[i] = violates(cluster->kubernetes, budgets, left, lower.pods[i]->pod);
        violating_count += lower.violating[i];
    }
    lower_pods victims = no_pods(a);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < lower.count; i++) {
            naive_refusal ignored;
            if (lower.violating[i] != (pass == 0)) {
                continue;
            }
            naive_try_on(a, lower.pods[i], node);
            if (!naive_passes(a, node, &ignored)) {
                naive_try_off(a, lower.pods[i], node);
                victims.pods[victims.count] = lower.pods[i];
                victims.places[victims.count++] = lower.places[i];
                out->violations += lower.violating[i];
            }
        }
    }
    if (violating_count > 0 && violating_count < lower.count) {
        sort_pods(&victims, victims.count);
    }
    out->node = node;
    out->victims = naive_alloc(a->region, (lower.count + 1) * sizeof(*out->victims));
    for (size_t i = 0; i < victims.count; i++) {
        out->victims[out->count++] = victims.pods[i]->pod;
    }
    return true;
}

static int64_t earliest_start(const candidate *c)
{
    int64_t earliest = INT64_MAX;
    for (size_t i = 0; i < c->count; i++) {
        if (c->victims[i]->priority == c->victims[0]->priority &&
            start_of(c->victims[i]) < earliest) {
            earliest = start_of(c->victims[i]);
        }
    }
    return earliest;
}

static int64_t priority_sum(const candidate *c)
{
    int64_t sum = 0;
    for (size_t i = 0; i < c->count; i++) {
        sum += (int64_t)c->victims[i]->priority + 2147483648;
    }
    return sum;
}

/* Is a strictly better than b? */
static bool better(const candidate *a, const candidate *b)
{
    if (a->violations != b->violations) {
        return a->violations < b->violations;
    }
    if (a->count == 0 || b->count == 0) {
        return a->count < b->count;
    }
    if (a->victims[0]->priority != b->victims[0]->priority) {
        return a->victims[0]->priority < b->victims[0]->priority;
    }
    if (priority_sum(a) != priority_sum(b)) {
        return priority_sum(a) < priority_sum(b);
    }
    if (a->count != b->count) {
        return a->count < b->count;
    }
    return earliest_start(a) > earliest_start(b);
}

/* Lists each error once; several in brackets. */
static const char *error_message(naive_region *region, const naive_histogram *errors)
{
    const char *text = errors->reasons[0];
    for (size_t i = 1; i < errors->count; i++) {
        text = naive_print(region, "%s, %s", text, errors->reasons[i]);
    }
    return naive_print(region, errors->count > 1 ? "preemption: [%s]" : "preemption: %s", text);
}

const char *naive_preempt(naive_attempt *a, const naive_refusal *refusals, size_t refusal_count,
                          naive_decision *out)
{
    const char *unhelpful = "Preemption is not helpful for scheduling";
    if (naive_is(a->pod->preemption_policy, "Never")) {
        return "preemption: not eligible due to preemptionPolicy=Never.";
    }
    if (must_wait(a, refusals, refusal_count)) {
        return "preemption: not eligible due to a terminating pod on the nominated node.";
    }
    naive_histogram h = {0};
    candidate best = {0};
    size_t tried = 0;
    naive_histogram errors = {0};
    for (size_t i = 0; i < refusal_count; i++) {
        candidate c = {0};
        naive_refusal refusal;
        if (refusals[i].unresolvable) {
            continue;
        }
        tried++;
        if (dry_run(a, refusals[i].node, &c, &refusal)) {
            best = best.node == NULL || better(&c, &best) ? c : best;
            continue;
        }
        for (size_t k = 0; k < refusal.reason_count; k++) {
            naive_histogram_add(a->region, refusal.error ? &errors : &h, refusal.reasons[k], 1);
        }
    }
    out->preemption_error = errors.count > 0 && best.node == NULL;
    if (best.node != NULL) {
        out->nominated = best.node;
        out->victims = best.victims;
        for (size_t i = 0; i < best.count; i++) {
            bool spared = a->cluster->kubernetes >= 35 && best.victims[i]->meta.deleting;
            if (!spared) { /* pods that are already terminating are not evicted */
                out->victims[out->victim_count++] = best.victims[i];
            }
        }
        return a->cluster->kubernetes < 37
                   ? NULL
                   : naive_print(a->region,
                                 "preemption: found a potential placement for pod on node %.*s, "
                                 "preempting %zu victims",
                                 NAIVE_TEXT(best.node->meta.name), best.count);
    }
    if (out->preemption_error) {
        return error_message(a->region, &errors);
    }
    if (tried < a->node_count) {
        naive_histogram_add(a->region, &h, unhelpful, a->node_count - tried);
    }
    return naive_print(a->region, "preemption: %s",
                       naive_histogram_message(a->region, &h, a->node_count));
}
