/* Selects victims of preemption on one node: which pods of lower priority are evicted, and which
 * are reprieved. */
#include "whatif/victims.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/go_sort.h"

void berth__victims_init(berth__victims *victims, const berth_allocator *allocator,
                         berth__disruption *disruption)
{
    *victims = (berth__victims){
        .allocator = allocator, .disruption = disruption, .groups = {.allocator = allocator}};
}

void berth__victims_destroy(berth__victims *victims)
{
    if (victims->allocator != NULL)
        berth__free(victims->allocator, victims->lower,
                    victims->lower_capacity * sizeof(*victims->lower));
    berth__victim_groups_destroy(&victims->groups);
    *victims = (berth__victims){0};
}

berth_status berth__victims_begin(berth__victims *victims, const berth__view *view,
                                  const berth__pods *pods, bool follows_groups)
{
    victims->groups.count = 0;
    return follows_groups ? berth__victim_groups_gather(&victims->groups, view, pods) : BERTH_OK;
}

/* ---- pods of lower priority ---- */

static int64_t start_of(const berth__pod_record *pod)
{
    return pod->start_time_ns != 0 ? pod->start_time_ns : INT64_MAX;
}

static bool has_group(const berth__victims *victims, const berth__grouped_pod *together)
{
    for (uint32_t i = 0; i < victims->lower_count; i++)
        if (victims->lower[i].together == together)
            return true;
    return false;
}

/* Find the pods that are evicted together with that of an entry. */
static void find_group(berth__victims *victims, berth__lower_pod *made)
{
    made->together = berth__victim_groups_of(&victims->groups, made->cls, &made->together_count);
    if (made->together_count == 0)
        made->together = NULL;
    made->rank = berth__victim_rank_of(made->cls, made->together);
}

/* The entry stands for all of them: the first to start counts. */
static void find_start(const berth__pods *pods, berth__lower_pod *made)
{
    for (uint32_t i = 0; i < made->together_count; i++) {
        const int64_t start_ns = start_of(berth__pod_at(pods, made->together[i].pod));
        made->start_ns = start_ns < made->start_ns ? start_ns : made->start_ns;
    }
}

static bool add_lower(berth__victims *victims, const berth__dry_run *dry_run, uint32_t index)
{
    const berth__pod_record *pod = berth__pod_at(dry_run->pods, index);
    berth__lower_pod made = {
        .cls = pod->cls, .start_ns = start_of(pod), .pod = index, .priority = pod->priority};
    if (pod->cls->identity->pod_group != 0) {
        made.priority = berth__victim_priority(dry_run->decision.cycle->view, pod);
        find_group(victims, &made);
    }
    if (made.priority >= dry_run->priority ||
        (made.together != NULL && has_group(victims, made.together)))
        return true;
    find_start(dry_run->pods, &made);
    if (!berth__grow(victims->allocator, &victims->lower, &victims->lower_capacity,
                     victims->lower_count + 1, sizeof(*victims->lower)))
        return false;
    victims->lower[victims->lower_count++] = made;
    return true;
}

static void swap_lower(void *context, size_t a, size_t b)
{
    berth__lower_pod *lower = ((berth__victims *)context)->lower;
    const berth__lower_pod moved = lower[a];
    lower[a] = lower[b];
    lower[b] = moved;
}

/* Reverse the node's list, to get kube-scheduler's order. */
static void put_in_order(berth__victims *victims)
{
    for (uint32_t a = 0, b = victims->lower_count; a + 1 < b; a++, b--)
        swap_lower(victims, a, b - 1);
    for (uint32_t i = 0; i < victims->lower_count; i++)
        victims->lower[i].place = i;
}

static bool collect_lower(berth__victims *victims, const berth__dry_run *dry_run, uint32_t slot)
{
    const berth__pods *pods = dry_run->pods;
    const berth__node_record *node = berth__view_node(dry_run->decision.cycle->view, slot);
    uint32_t index = node->first_pod;
    victims->lower_count = 0;
    if (node->lowest_priority >= dry_run->priority && !victims->behaviours->pod_groups)
        return true;
    for (; index != BERTH_POD_INDEX_NONE; index = berth__pod_at(pods, index)->next)
        if ((berth__pod_at(pods, index)->priority < dry_run->priority ||
             victims->behaviours->pod_groups) &&
            !add_lower(victims, dry_run, index))
            return false;
    put_in_order(victims);
    return true;
}

/* Whether a pod has higher priority, is evicted with a composite group, is of a group, is one of
 * more that are evicted together, or started earlier, in this order. For a pod that has not
 * started, kube-scheduler uses the current time. Until v1.36 it reads the clock at each comparison,
 * so such a pod comes before every other one of this kind. Since v1.37 it reads the clock once for
 * each pod, in the order of the node's pods.
 * Source: kube-scheduler v1.36, util/utils.go, MoreImportantPod; v1.37,
 * framework/preemption/util.go, MoreImportantVictim. */
static bool is_more_important(void *context, size_t i, size_t k)
{
    const berth__victims *victims = context;
    const berth__lower_pod *a = &victims->lower[i];
    const berth__lower_pod *b = &victims->lower[k];
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->rank != b->rank)
        return a->rank > b->rank;
    if (a->together_count != b->together_count && berth__lower_count(a) != berth__lower_count(b))
        return berth__lower_count(a) > berth__lower_count(b);
    if (a->start_ns == INT64_MAX && b->start_ns == INT64_MAX)
        return !victims->behaviours->victims_read_clock_once || a->place < b->place;
    return a->start_ns < b->start_ns;
}

/* The sort must order equal pods as Go does, because reprieves depend on that order, too. */
static void sort_lower(berth__victims *victims, uint32_t count)
{
    berth__go_sort(&(berth__go_sort_items){victims, is_more_important, swap_lower}, count);
}

/* ---- budgets ---- */

/* Mark the pods whose eviction violates a budget. `*both_kinds`: there are pods of both kinds. */
static berth_status split_by_budgets(berth__victims *victims, const berth__pods *pods,
                                     bool *both_kinds)
{
    uint32_t violating = 0;
    *both_kinds = false;
    if (victims->disruption->budgets.count == 0)
        return BERTH_OK;
    berth__disruption_begin(victims->disruption);
    for (uint32_t i = 0; i < victims->lower_count; i++) {
        berth__lower_pod *one = &victims->lower[i];
        for (uint32_t k = 0; k < berth__lower_count(one); k++) {
            const berth__pod_record *pod = berth__pod_at(pods, berth__lower_at(one, k));
            bool violates = false;
            BERTH_TRY(berth__disruption_violates(victims->disruption, pod->cls->identity,
                                                 berth__pod_name(pod), &violates));
            one->violations += violates;
        }
        violating += one->violations > 0;
    }
    *both_kinds = violating > 0 && violating < victims->lower_count;
    return BERTH_OK;
}

/* ---- the order of victims ---- */

/* Put pods whose eviction violates a budget first, keeping the order within each kind. */
static void put_violating_first(berth__victims *victims)
{
    for (uint32_t i = 0, at = 0; i < victims->lower_count; i++) {
        if (victims->lower[i].violations == 0)
            continue;
        berth__lower_pod moved = victims->lower[i];
        for (uint32_t k = i; k > at; k--)
            victims->lower[k] = victims->lower[k - 1];
        victims->lower[at++] = moved;
    }
}

/* Move the victims to the front. Returns how many there are. */
static uint32_t put_leaving_first(berth__victims *victims)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < victims->lower_count; i++) {
        if (victims->lower[i].stays)
            continue;
        berth__lower_pod moved = victims->lower[i];
        victims->lower[i] = victims->lower[count]; /* their order does not matter */
        victims->lower[count++] = moved;
    }
    return count;
}

/* If there are pods of both kinds, the victims of one kind precede those of the other; sort them
 * again, except in v1.15. */
static void order_victims(berth__victims *victims, bool both_kinds)
{
    if (!both_kinds)
        return;
    put_violating_first(victims);
    if (victims->behaviours->spends_budgets)
        sort_lower(victims, put_leaving_first(victims));
}

/* ---- the dry run ---- */

static uint32_t slot_of(const berth__dry_run *dry_run, const berth__pod_record *pod)
{
    return berth__node_at(&dry_run->decision.cycle->view->nodes, pod->node)->slot;
}

/* Take the pod off the slot, and the pods that are evicted with it off theirs. */
static void take(berth__dry_run *dry_run, const berth__lower_pod *one)
{
    if (one->together_count == 0)
        berth__dry_run_take(dry_run, one->cls);
    for (uint32_t i = 0; i < one->together_count; i++) {
        const berth__pod_record *pod = berth__pod_at(dry_run->pods, one->together[i].pod);
        berth__dry_run_take_from(dry_run, pod->cls, slot_of(dry_run, pod));
    }
}

static void put_back(berth__dry_run *dry_run, const berth__lower_pod *one)
{
    if (one->together_count == 0)
        berth__dry_run_put_back(dry_run, one->cls);
    for (uint32_t i = 0; i < one->together_count; i++) {
        const berth__pod_record *pod = berth__pod_at(dry_run->pods, one->together[i].pod);
        berth__dry_run_put_back_on(dry_run, pod->cls, slot_of(dry_run, pod));
    }
}

/* Put pods back one by one as long as the preempting pod still fits, first those that a budget
 * protects. */
static void reprieve(berth__victims *victims, berth__dry_run *dry_run, bool violating)
{
    for (uint32_t i = 0; i < victims->lower_count; i++) {
        berth__lower_pod *one = &victims->lower[i];
        if ((one->violations > 0) != violating)
            continue;
        put_back(dry_run, one);
        one->stays = berth__dry_run_passes(dry_run, NULL);
        if (!one->stays)
            take(dry_run, one);
    }
}

/* Each victim counts with its own priority; `*highest` is the highest of the pods so far. */
static void weigh_pod(const berth__pod_record *pod, int32_t *highest, berth__candidate *out)
{
    const int64_t start_ns = start_of(pod);
    if (pod->priority > *highest || out->victim_count == 0) {
        *highest = pod->priority;
        out->start_ns = start_ns;
    } else if (pod->priority == *highest && start_ns < out->start_ns) {
        out->start_ns = start_ns;
    }
    if (out->victim_count == 0)
        out->priority = pod->priority;
    out->priority_sum += (int64_t)pod->priority - INT32_MIN;
    out->victim_count++;
}

static void weigh(const berth__victims *victims, const berth__pods *pods, berth__candidate *out)
{
    int32_t highest = INT32_MIN;
    out->priority = INT32_MIN;
    out->start_ns = INT64_MAX;
    for (uint32_t i = 0; i < victims->lower_count; i++) {
        const berth__lower_pod *one = &victims->lower[i];
        if (one->stays)
            continue;
        for (uint32_t k = 0; k < berth__lower_count(one); k++)
            weigh_pod(berth__pod_at(pods, berth__lower_at(one, k)), &highest, out);
        out->violations += one->violations;
    }
}

static void put_all_back(const berth__victims *victims, berth__dry_run *dry_run)
{
    for (uint32_t i = 0; i < victims->lower_count; i++)
        if (!victims->lower[i].stays)
            put_back(dry_run, &victims->lower[i]);
}

berth_status berth__victims_select(berth__victims *victims, berth__dry_run *dry_run, uint32_t slot,
                                   berth__candidate *out, berth__reasons *reasons)
{
    const berth__behaviours *behaviours = dry_run->decision.profile->behaviours;
    *out = (berth__candidate){.state = BERTH__TRIED_REFUSED};
    victims->behaviours = behaviours;
    if (!collect_lower(victims, dry_run, slot))
        return BERTH_E_NOMEM;
    if (victims->lower_count == 0 && behaviours->samples_candidates) {
        if (reasons != NULL)
            berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                          "No preemption victims found for incoming pod");
        return BERTH_OK;
    }
    BERTH_TRY(berth__dry_run_begin(dry_run, slot));
    if (berth__dry_run_make_writable(dry_run) != BERTH_OK) {
        (void)berth__dry_run_end(dry_run);
        return BERTH_E_NOMEM;
    }
    bool both_kinds = false;
    berth_status status = BERTH_OK;
    for (uint32_t i = 0; i < victims->lower_count; i++)
        take(dry_run, &victims->lower[i]);
    if (berth__dry_run_passes(dry_run, reasons)) {
        out->state = BERTH__TRIED_FITS;
        sort_lower(victims, victims->lower_count);
        status = split_by_budgets(victims, dry_run->pods, &both_kinds);
        reprieve(victims, dry_run, true);
        reprieve(victims, dry_run, false);
        order_victims(victims, both_kinds);
        weigh(victims, dry_run->pods, out);
    }
    if (dry_run->failed && out->state == BERTH__TRIED_REFUSED)
        out->state = BERTH__TRIED_FAILED;
    put_all_back(victims, dry_run);
    return berth__dry_run_end(dry_run) == BERTH_OK ? status : BERTH_E_NOMEM;
}

/* ---- comparing ---- */

void berth__candidate_weigh(const berth__pods *pods, const uint32_t *victims, uint32_t count,
                            berth__candidate *candidate)
{
    int32_t highest = INT32_MIN;
    for (uint32_t i = 0; i < count; i++)
        weigh_pod(berth__pod_at(pods, victims[i]), &highest, candidate);
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

int berth__candidate_compare(const berth__candidate *a, const berth__candidate *b)
{
    int order = compare(a->violations, b->violations);
    if (order == 0 && (a->victim_count == 0 || b->victim_count == 0))
        return compare(a->victim_count, b->victim_count); /* no victims on one of them */
    if (order == 0)
        order = compare(a->priority, b->priority);
    if (order == 0)
        order = compare(a->priority_sum, b->priority_sum);
    if (order == 0)
        order = compare(a->victim_count, b->victim_count);
    return order != 0 ? order : compare(b->start_ns, a->start_ns); /* a later start is better */
}
