/* Preemption for a PodGroup: which pods and groups of lower priority must be evicted so that enough
 * of its pods fit. All of them are removed in a simulation, the group is placed again, and victims
 * return one unit after the other, most important first, as long as each placed pod still passes
 * its filters on its node. All of this happens in a transaction that is rolled back.
 * Source: kube-scheduler v1.37, framework/preemption/podgrouppreemption.go, types.go, util.go. */
#include <stdio.h>
#include <string.h>

#include "api/pod_group.h"
#include "base/error.h"
#include "base/go_sort.h"
#include "decide/one_node.h"
#include "plugins/registry.h"
#include "whatif/victim_groups.h"

/* Pods that are evicted together: a single pod, or all pods of a group whose mode is All. */
typedef struct unit {
    uint32_t first, count; /* in victim_search.pods */
    int32_t priority;
    berth__victim_rank rank;
    bool stays;         /* it was reprieved */
    uint32_t violating; /* pods whose eviction violates a budget */
    int64_t start_ns;   /* the earliest of its pods; INT64_MAX: none has started */
    uint32_t place;     /* number in the order in which units were found */
} unit;

typedef struct victim_search {
    berth__group_cycle *cycle;
    berth__victim_groups groups;
    bool *listed; /* by the index of a group's first pod in `groups`: its unit exists */
    berth__cluster *cluster;
    uint32_t *pods;  /* indexes, by unit */
    uint32_t *nodes; /* the node of each of `pods` */
    uint32_t pod_count, pod_capacity, node_capacity;
    unit *units;
    uint32_t unit_count, unit_capacity;
    berth_code code; /* the code of `words`: UNRESOLVABLE ends postFilter */
    berth_str words; /* preemption's message, without the plugin's name */
} victim_search;

/* ---- units of eviction ---- */

static berth_status add_pod(victim_search *own, uint32_t pod)
{
    const berth_allocator *allocator = own->cycle->engine->allocator;
    if (!berth__grow(allocator, &own->pods, &own->pod_capacity, own->pod_count + 1,
                     sizeof(*own->pods)) ||
        !berth__grow(allocator, &own->nodes, &own->node_capacity, own->pod_count + 1,
                     sizeof(*own->nodes)))
        return BERTH_E_NOMEM;
    own->pods[own->pod_count] = pod;
    own->nodes[own->pod_count++] = berth__pod_at(&own->cluster->pods, pod)->node;
    return BERTH_OK;
}

static int64_t earliest_start(const victim_search *own, uint32_t first, uint32_t count)
{
    int64_t earliest = INT64_MAX;
    for (uint32_t i = first; i < first + count; i++) {
        const int64_t start = berth__pod_at(&own->cluster->pods, own->pods[i])->start_time_ns;
        if (start != 0 && start < earliest)
            earliest = start;
    }
    return earliest;
}

/* Add the unit of a pod on a node, if its priority is lower than the group's. */
static berth_status add_unit(victim_search *own, uint32_t pod)
{
    const berth__pod_record *record = berth__pod_at(&own->cluster->pods, pod);
    const int32_t priority = berth__victim_priority(&own->cluster->view, record);
    uint32_t count;
    const berth__grouped_pod *together = berth__victim_groups_of(&own->groups, record->cls, &count);
    bool *listed = count > 0 ? &own->listed[together - own->groups.items] : NULL;
    if (priority >= own->cycle->facts->priority || (listed != NULL && *listed))
        return BERTH_OK;
    if (listed != NULL)
        *listed = true;
    if (!berth__grow(own->cycle->engine->allocator, &own->units, &own->unit_capacity,
                     own->unit_count + 1, sizeof(*own->units)))
        return BERTH_E_NOMEM;
    const uint32_t first = own->pod_count;
    if (count == 0)
        BERTH_TRY(add_pod(own, pod));
    for (uint32_t i = 0; i < count; i++)
        BERTH_TRY(add_pod(own, together[i].pod));
    own->units[own->unit_count] =
        (unit){.first = first,
               .count = own->pod_count - first,
               .priority = priority,
               .rank = berth__victim_rank_of(record->cls, count > 0 ? together : NULL),
               .start_ns = earliest_start(own, first, own->pod_count - first),
               .place = own->unit_count};
    own->unit_count++;
    return BERTH_OK;
}

/* Visit the pods of a node in kube-scheduler's order, which is the reverse of its list. */
static berth_status add_units_on(victim_search *own, const berth__node_record *node)
{
    const berth__pods *pods = &own->cluster->pods;
    uint32_t last = node->first_pod;
    while (last != BERTH_POD_INDEX_NONE && berth__pod_at(pods, last)->next != BERTH_POD_INDEX_NONE)
        last = berth__pod_at(pods, last)->next;
    for (uint32_t pod = last; pod != BERTH_POD_INDEX_NONE; pod = berth__pod_at(pods, pod)->previous)
        BERTH_TRY(add_unit(own, pod));
    return BERTH_OK;
}

static berth_status find_units(victim_search *own)
{
    const berth__layout *layout = own->cluster->view.layout;
    BERTH_TRY(berth__victim_groups_gather(&own->groups, &own->cluster->view, &own->cluster->pods));
    own->listed = berth__arena_alloc_zero(&own->cycle->arena, own->groups.count, 1);
    if (own->listed == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t slot = 0; slot < layout->count; slot++)
        BERTH_TRY(add_units_on(own, berth__view_node(&own->cluster->view, slot)));
    return BERTH_OK;
}

/* ---- the order of units ---- */

/* Units that have not started count as starting now, in the order in which they were found. */
static bool is_more_important(void *context, size_t i, size_t k)
{
    const victim_search *own = context;
    const unit *a = &own->units[i], *b = &own->units[k];
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->rank != b->rank)
        return a->rank > b->rank;
    if (a->count != b->count)
        return a->count > b->count;
    if (a->start_ns == INT64_MAX && b->start_ns == INT64_MAX)
        return a->place < b->place;
    return a->start_ns < b->start_ns;
}

static void swap_units(void *context, size_t i, size_t k)
{
    victim_search *own = context;
    const unit moved = own->units[i];
    own->units[i] = own->units[k];
    own->units[k] = moved;
}

static void sort_units(victim_search *own)
{
    berth__go_sort(&(berth__go_sort_items){own, is_more_important, swap_units}, own->unit_count);
}

static berth_status find_violating(victim_search *own)
{
    berth__disruption *disruption = own->cluster->disruption;
    if (disruption->budgets.count == 0)
        return BERTH_OK;
    berth__disruption_begin(disruption);
    for (uint32_t i = 0; i < own->unit_count; i++)
        for (uint32_t k = 0; k < own->units[i].count; k++) {
            const berth__pod_record *record =
                berth__pod_at(&own->cluster->pods, own->pods[own->units[i].first + k]);
            bool violates = false;
            BERTH_TRY(berth__disruption_violates(disruption, record->cls->identity,
                                                 berth__pod_name(record), &violates));
            own->units[i].violating += violates;
        }
    return BERTH_OK;
}

/* ---- taking away and putting back ---- */

static berth_pod_id id_of(const victim_search *own, uint32_t pod)
{
    return berth__cluster_pod_id(own->cluster, pod);
}

static berth_status take_unit(const victim_search *own, const unit *one)
{
    for (uint32_t i = one->first; i < one->first + one->count; i++)
        BERTH_TRY(
            berth__engine_unbind(own->cycle->engine, id_of(own, own->pods[i]), own->cycle->error));
    return BERTH_OK;
}

/* Put a pod on a node to see what fits beside it. Plugins are notified, but may not refuse. */
static berth_status suppose(const victim_search *own, berth_pod_id pod, berth_node_id node)
{
    berth_engine *engine = own->cycle->engine;
    engine->decider.supposes = true;
    berth_status status = berth__engine_bind(engine, pod, node, own->cycle->error);
    engine->decider.supposes = false;
    return status;
}

static berth_status put_unit(const victim_search *own, const unit *one)
{
    for (uint32_t i = one->first; i < one->first + one->count; i++)
        BERTH_TRY(suppose(own, id_of(own, own->pods[i]), own->nodes[i]));
    return BERTH_OK;
}

/* ---- the members ---- */

/* The member's nomination for a node that exists, or NULL. */
static const berth__nomination *nomination_of(const victim_search *own,
                                              const berth__group_member *member)
{
    const berth__nomination *kept =
        berth__nominations_find(&own->cluster->nominations, member->pod);
    return kept != NULL && berth__node_present(berth__cluster_node(own->cluster, kept->node))
               ? kept
               : NULL;
}

/* Remember the nominations of members. A member that is nominated and on its node counts twice:
 * kube-scheduler ends no nomination while it tries what fits. So each such member gets a shadow, a
 * pending pod that has the nomination meanwhile. No pod of an API server has such a name. */
static berth_status make_shadows(const victim_search *own)
{
    const berth__group_cycle *cycle = own->cycle;
    for (uint32_t i = 0; i < cycle->count; i++) {
        berth__group_member *member = &cycle->members[i];
        const berth__nomination *kept = nomination_of(own, member);
        char name[32];
        if (kept == NULL)
            continue;
        member->kept = kept->node;
        const int len = snprintf(name, sizeof(name), "/%u", (unsigned)i);
        BERTH_TRY(berth__engine_add_like(cycle->engine, member->id,
                                         (berth_str){name, (uint32_t)len}, &member->shadow,
                                         cycle->error));
    }
    return BERTH_OK;
}

static berth_status put_member(const victim_search *own, const berth__group_member *member)
{
    berth_engine *engine = own->cycle->engine;
    BERTH_TRY(suppose(own, member->id, member->node));
    return member->shadow == BERTH_POD_NONE
               ? BERTH_OK
               : berth__engine_nominate(engine, member->shadow, member->kept, own->cycle->error);
}

static berth_status take_member(const victim_search *own, const berth__group_member *member)
{
    berth_engine *engine = own->cycle->engine;
    berth_error *error = own->cycle->error;
    BERTH_TRY(berth__engine_unbind(engine, member->id, error));
    if (member->shadow == BERTH_POD_NONE)
        return BERTH_OK;
    BERTH_TRY(berth__engine_nominate(engine, member->shadow, BERTH_NODE_NONE, error));
    return berth__engine_nominate(engine, member->id, member->kept, error);
}

/* The member that is placed at this point in the order. */
static const berth__group_member *member_at(const victim_search *own, uint32_t i)
{
    return &own->cycle->members[own->cycle->order[i]];
}

/* Take the first `count` members in the order of placing off their nodes, the last one first. */
static berth_status take_members(const victim_search *own, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;)
        if (member_at(own, i)->node != BERTH_NODE_NONE)
            BERTH_TRY(take_member(own, member_at(own, i)));
    return BERTH_OK;
}

/* ---- PodTopologySpread's counts ---- */

/* The filter of the profile, or `filter_count`. */
static uint32_t find_spread(const berth__ready_profile *profile)
{
    uint32_t i = 0;
    while (i < profile->filter_count &&
           profile->filters[i].plugin != &berth__plugin_pod_topology_spread)
        i++;
    return i;
}

static berth__question question_of(const berth__group_cycle *cycle,
                                   const berth__group_member *member)
{
    berth__cluster *cluster = &cycle->engine->cluster;
    return (berth__question){.view = &cluster->view,
                             .cls = berth__pod_at(&cluster->pods, member->pod)->cls,
                             .pods = &cluster->pods,
                             .pod = member->pod,
                             .required_node = BERTH_NODE_NONE};
}

berth_status berth__pod_group_note_spread(berth__group_cycle *cycle, berth__group_member *member)
{
    const berth__ready_profile *profile = berth__pod_group_profile(cycle);
    const uint32_t filter = find_spread(profile);
    const berth__question question = question_of(cycle, member);
    member->spread = (berth__spread_hooks){0};
    if (filter >= profile->filter_count || (member->skipped >> filter & 1) != 0)
        return BERTH_OK;
    if (!berth__spread_hooks_note(&question, profile->filters[filter].instance, &cycle->arena,
                                  &member->spread))
        return berth__error_no_memory(cycle->error);
    if (member->spread.count > 0) /* from now on, berth__spread_hooks_fit decides for it */
        member->skipped |= (berth__filter_set)1 << filter;
    return BERTH_OK;
}

/* Apply the pods of a unit to the hooks of all placed members. */
static berth_status tell_hooks(const victim_search *own, const unit *one, int change)
{
    const berth__group_cycle *cycle = own->cycle;
    for (uint32_t m = 0; m < cycle->count; m++) {
        berth__group_member *member = &cycle->members[m];
        if (member->node == BERTH_NODE_NONE || member->spread.count == 0)
            continue;
        const berth__ready_profile *profile = berth__pod_group_profile(cycle);
        const void *instance = profile->filters[find_spread(profile)].instance;
        const berth__question question = question_of(cycle, member);
        for (uint32_t i = one->first; i < one->first + one->count; i++) {
            const uint32_t slot = berth__cluster_node(own->cluster, own->nodes[i])->slot;
            const berth__class *cls = berth__pod_at(&own->cluster->pods, own->pods[i])->cls;
            if (slot != BERTH__SLOT_NONE &&
                !berth__spread_hooks_move(&question, instance, &member->spread, cls, slot, change))
                return berth__error_no_memory(cycle->error);
        }
    }
    return BERTH_OK;
}

/* Let the copy of a member's hooks count the other pods of at least its priority that are nominated
 * for its node. `*any`: there are some. */
static bool count_nominated(const victim_search *own, const berth__group_member *member,
                            const berth__question *question, const void *instance, uint32_t slot,
                            berth__spread_hooks *hooks, bool *any)
{
    const berth__nomination *one = berth__nominations_on(&own->cluster->nominations, member->node);
    *any = false;
    for (; one != NULL; one = one->next) {
        if (one->pod == member->pod || one->priority < own->cycle->facts->priority)
            continue;
        if (!*any &&
            !berth__spread_hooks_copy(&member->spread, &own->cycle->engine->decider.arena, hooks))
            return false;
        *any = true;
        if (!berth__spread_hooks_move(question, instance, hooks, one->cls, slot, 1))
            return false;
    }
    return true;
}

/* Whether a member passes PodTopologySpread with the pods nominated for its node, and without. */
static berth_status hooks_fit(const victim_search *own, const berth__group_member *member,
                              bool *fit)
{
    const uint32_t slot = berth__cluster_node(own->cluster, member->node)->slot;
    if (member->spread.count == 0 || slot == BERTH__SLOT_NONE)
        return BERTH_OK;
    const berth__ready_profile *profile = berth__pod_group_profile(own->cycle);
    const void *instance = profile->filters[find_spread(profile)].instance;
    const berth__question question = question_of(own->cycle, member);
    berth__spread_hooks with;
    bool any;
    bool ok = count_nominated(own, member, &question, instance, slot, &with, &any);
    if (ok && any)
        ok = berth__spread_hooks_fit(&question, instance, &with, slot, fit);
    if (ok && *fit)
        ok = berth__spread_hooks_fit(&question, instance, &member->spread, slot, fit);
    return ok ? BERTH_OK : berth__error_no_memory(own->cycle->error);
}

/* ---- what may stay ---- */

/* Whether all placed members pass their filters, each with the ones before it on their nodes. They
 * are pending again afterwards. */
static berth_status members_fit(const victim_search *own, bool *fit)
{
    const berth__group_cycle *cycle = own->cycle;
    uint32_t i = 0;
    *fit = true;
    for (; i < cycle->count; i++) {
        const berth__group_member *member = member_at(own, i);
        if (member->node == BERTH_NODE_NONE)
            continue;
        BERTH_TRY(berth__decider_still_fits(&cycle->engine->decider, member->pod, member->node,
                                            member->skipped, fit, cycle->error));
        if (*fit)
            BERTH_TRY(hooks_fit(own, member, fit));
        if (!*fit)
            break;
        BERTH_TRY(put_member(own, member));
    }
    return take_members(own, i);
}

/* Put a unit back if the members still fit. */
static berth_status reprieve(const victim_search *own, unit *one)
{
    BERTH_TRY(put_unit(own, one));
    BERTH_TRY(tell_hooks(own, one, 1));
    BERTH_TRY(members_fit(own, &one->stays));
    if (one->stays)
        return BERTH_OK;
    BERTH_TRY(tell_hooks(own, one, -1));
    return take_unit(own, one);
}

/* Units whose eviction violates a budget come first. */
static berth_status reprieve_all(const victim_search *own)
{
    for (int violating = 1; violating >= 0; violating--)
        for (uint32_t i = 0; i < own->unit_count; i++)
            if ((own->units[i].violating > 0) == (violating != 0))
                BERTH_TRY(reprieve(own, &own->units[i]));
    return BERTH_OK;
}

/* ---- the whole search ---- */

/* Pods that fitted take part like those that were placed, even if their PodGroup was not. */
static void count_proposed(const berth__group_cycle *cycle)
{
    for (uint32_t i = 0; i < cycle->count; i++)
        if (cycle->members[i].node == BERTH_NODE_NONE)
            cycle->members[i].node = cycle->members[i].proposed;
}

/* Place the members as if all units were gone, then find out which may stay. The caller rolls
 * back. */
static berth_status find_victims(victim_search *own)
{
    berth__group_cycle *cycle = own->cycle;
    BERTH_TRY(make_shadows(own));
    for (uint32_t i = 0; i < own->unit_count; i++)
        BERTH_TRY(take_unit(own, &own->units[i]));
    BERTH_TRY(berth__pod_group_place(cycle));
    if (cycle->verdict != BERTH_VERDICT_PLACED)
        return BERTH_OK;
    BERTH_TRY(take_members(own, cycle->count));
    count_proposed(cycle);
    sort_units(own);
    BERTH_TRY(find_violating(own));
    return reprieve_all(own);
}

/* List the victims; those that are leaving already are only counted, for the message. */
static berth_status list_victims(victim_search *own)
{
    berth__group_cycle *cycle = own->cycle;
    uint32_t count = 0;
    char text[80];
    bool ok = true;
    cycle->victims = berth__arena_alloc(&cycle->arena, own->pod_count * sizeof(berth_pod_id), 8);
    if (cycle->victims == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < own->unit_count; i++)
        for (uint32_t k = 0; !own->units[i].stays && k < own->units[i].count; k++, count++)
            if (!berth__pod_at(&own->cluster->pods, own->pods[own->units[i].first + k])
                     ->cls->deleting)
                cycle->victims[cycle->victim_count++] =
                    id_of(own, own->pods[own->units[i].first + k]);
    const int len =
        snprintf(text, sizeof(text), "found a placement for podgroup, preempting %u victims",
                 (unsigned)count);
    own->words = berth__arena_str(&cycle->arena, (berth_str){text, (uint32_t)len}, &ok);
    return ok ? BERTH_OK : BERTH_E_NOMEM;
}

/* Set whether images count. The members' kept scores by images are then computed again. */
static void count_images(const victim_search *own, bool count)
{
    const berth__group_cycle *cycle = own->cycle;
    berth__decider *decider = &cycle->engine->decider;
    own->cluster->view.images.uncounted = !count;
    for (uint32_t i = 0; i < cycle->count; i++) {
        const berth__class *cls = berth__pod_at(&own->cluster->pods, cycle->members[i].pod)->cls;
        berth__prepared_forget(&decider->prepared, cls, berth__decider_profile(decider, cls));
    }
}

/* Search in a transaction of its own. The rotation advances, as kube-scheduler's does. */
static berth_status search_in_transaction(victim_search *own)
{
    berth__group_cycle *cycle = own->cycle;
    berth_engine *engine = cycle->engine;
    const berth_str before = cycle->message;
    const berth_path path = engine->decider.path;
    BERTH_TRY(berth__engine_begin(engine, cycle->error));
    count_images(own, false);
    engine->decider.path = BERTH_PATH_SCAN;
    berth_status status = find_victims(own);
    engine->decider.path = path;
    count_images(own, true);
    const berth__progress progress = berth__decider_progress(&engine->decider);
    berth__transaction_rollback(&engine->transactions);
    berth__decider_set_progress(&engine->decider, &progress);
    if (status != BERTH_OK)
        return status;
    own->words = cycle->message; /* even without the victims the group does not fit */
    cycle->message = before;
    cycle->preempts = cycle->verdict == BERTH_VERDICT_PLACED;
    if (cycle->verdict == BERTH_VERDICT_PLACED)
        cycle->verdict = BERTH_VERDICT_UNSCHEDULABLE;
    return cycle->preempts ? list_victims(own) : BERTH_OK;
}

/* ---- whether to preempt at all ---- */

static bool never_preempts(const berth__group_cycle *cycle)
{
    const berth__cluster *cluster = &cycle->engine->cluster;
    if (cluster->model->behaviours.pod_group_policies)
        return cycle->facts->never_preempts;
    for (uint32_t i = 0; i < cycle->count; i++)
        if (!berth__pod_at(&cluster->pods, cycle->members[i].pod)->cls->preempts)
            return true;
    return false;
}

/* Whether pods of lower priority are leaving a node for which a member is nominated. */
static bool waits_for_victims(const victim_search *own)
{
    const berth__cluster *cluster = own->cluster;
    for (uint32_t i = 0; i < own->cycle->count; i++) {
        const berth__nomination *kept = nomination_of(own, &own->cycle->members[i]);
        if (kept == NULL)
            continue;
        uint32_t pod = berth__cluster_node(cluster, kept->node)->first_pod;
        for (; pod != BERTH_POD_INDEX_NONE; pod = berth__pod_at(&cluster->pods, pod)->next) {
            const berth__pod_record *record = berth__pod_at(&cluster->pods, pod);
            if (berth__victim_priority(&cluster->view, record) < own->cycle->facts->priority &&
                record->disrupted && record->cls->deleting)
                return true;
        }
    }
    return false;
}

static void keep_nominations(const victim_search *own)
{
    berth__group_cycle *cycle = own->cycle;
    for (uint32_t i = 0; i < cycle->count; i++) {
        const berth__nomination *kept = nomination_of(own, &cycle->members[i]);
        cycle->members[i].node = kept != NULL ? kept->node : BERTH_NODE_NONE;
    }
    cycle->preempts = true;
}

/* DefaultPreemption: fills the message and its code. */
static berth_status preempt(victim_search *own)
{
    own->code = BERTH_CODE_UNSCHEDULABLE;
    if (never_preempts(own->cycle)) {
        own->words = BERTH_STR("not eligible due to preemptionPolicy=Never.");
        return BERTH_OK;
    }
    if (waits_for_victims(own)) {
        keep_nominations(own);
        own->words = BERTH_STR("ongoing preemption on nominated nodes");
        return BERTH_OK;
    }
    BERTH_TRY(find_units(own));
    if (own->unit_count > 0)
        return search_in_transaction(own);
    own->code = BERTH_CODE_UNRESOLVABLE;
    own->words = BERTH_STR("No preemption victims found for incoming preemptor");
    return BERTH_OK;
}

/* ---- postFilter ---- */

static const berth_str OF_CLAIMS = {"deallocation and deletion of ResourceClaims completed", 53};

/* DynamicResources has no state for the group if it did not see any of its pods. */
static berth_status fail_without_claims(berth__group_cycle *cycle)
{
    cycle->verdict = BERTH_VERDICT_ERROR;
    cycle->message =
        BERTH_STR("error in \"DynamicResources\" PodGroupPostFilter plugins: not found");
    return BERTH_OK;
}

static berth_status say(berth__group_cycle *cycle, berth_str more)
{
    return berth__pod_group_say(&cycle->arena, &cycle->more, more);
}

static berth_status say_preemption(const victim_search *own)
{
    static const char prefix[] = "pod group preemption: ";
    const uint32_t bytes = sizeof(prefix) - 1;
    char *text = berth__arena_alloc(&own->cycle->arena, (size_t)bytes + own->words.len, 1);
    if (text == NULL)
        return BERTH_E_NOMEM;
    memcpy(text, prefix, bytes);
    memcpy(text + bytes, own->words.data, own->words.len);
    return say(own->cycle, (berth_str){text, bytes + own->words.len});
}

/* Whether DynamicResources runs for the group. It ignores composite groups, and groups with
 * schedulingConstraints. */
static bool deallocates(const victim_search *own, const berth__post_filters *post)
{
    return post->deallocates && !own->cycle->tree.parts[0].composite &&
           (!own->cycle->facts->constrained ||
            !own->cluster->model->behaviours.pod_group_placements);
}

/* The search for victims failed, for example because of a plugin. */
static berth_status fail_in_preemption(const victim_search *own)
{
    berth__group_cycle *cycle = own->cycle;
    cycle->message = berth__pod_group_words(
        &cycle->arena,
        "error in \"DefaultPreemption\" PodGroupPostFilter plugins: pod group preemption: %.*s",
        (int)own->words.len, own->words.data);
    return cycle->message.data != NULL ? BERTH_OK : BERTH_E_NOMEM;
}

/* The message about claims is lost if preemption succeeds or is hopeless. */
static berth_status post_filter(victim_search *own)
{
    berth__group_cycle *cycle = own->cycle;
    const berth__post_filters *post = &berth__pod_group_profile(cycle)->groups.post;
    const bool claims = deallocates(own, post), claims_last = post->deallocates_last;
    if (claims && !cycle->sees_claims && !claims_last)
        return fail_without_claims(cycle);
    if (!post->preempts)
        return say(cycle, claims ? OF_CLAIMS : BERTH_STR(""));
    BERTH_TRY(preempt(own));
    if (cycle->verdict == BERTH_VERDICT_ERROR)
        return fail_in_preemption(own);
    const bool both = claims && !cycle->preempts && own->code != BERTH_CODE_UNRESOLVABLE;
    if (both && !claims_last)
        BERTH_TRY(say(cycle, OF_CLAIMS));
    BERTH_TRY(say_preemption(own));
    if (!both || !claims_last)
        return BERTH_OK;
    return cycle->sees_claims ? say(cycle, OF_CLAIMS) : fail_without_claims(cycle);
}

berth_status berth__pod_group_preempt(berth__group_cycle *cycle)
{
    const berth_allocator *allocator = cycle->engine->allocator;
    victim_search own = {
        .cycle = cycle, .groups = {.allocator = allocator}, .cluster = &cycle->engine->cluster};
    berth_status status = post_filter(&own);
    berth__victim_groups_destroy(&own.groups);
    berth__free(allocator, own.pods, own.pod_capacity * sizeof(*own.pods));
    berth__free(allocator, own.nodes, own.node_capacity * sizeof(*own.nodes));
    berth__free(allocator, own.units, own.unit_capacity * sizeof(*own.units));
    return status;
}
