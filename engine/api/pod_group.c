/* The public function that places a PodGroup: the members one by one in a transaction, then, if
 * they are too few, preemption. */
#include "api/pod_group.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/sort.h"
#include "base/text.h"
#include "decide/preemption.h"

/* ---- words ---- */

berth_str berth__pod_group_words(berth__arena *arena, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int len = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = berth__arena_alloc(arena, (size_t)len + 1, 1);
    if (text == NULL)
        return (berth_str){0};
    va_start(list, format);
    (void)vsnprintf(text, (size_t)len + 1, format, list);
    va_end(list);
    return (berth_str){text, (uint32_t)len};
}

berth_status berth__pod_group_say(berth__group_cycle *cycle, berth_str more)
{
    const berth_str before = cycle->message;
    if (more.data == NULL)
        return BERTH_E_NOMEM;
    if (before.data == NULL) {
        cycle->message = more;
        return BERTH_OK;
    }
    char *text = berth__arena_alloc(&cycle->arena, (size_t)before.len + 2 + more.len, 1);
    if (text == NULL)
        return BERTH_E_NOMEM;
    memcpy(text, before.data, before.len);
    memcpy(text + before.len, ", ", 2);
    if (more.len > 0)
        memcpy(text + before.len + 2, more.data, more.len);
    cycle->message = (berth_str){text, before.len + 2 + more.len};
    return BERTH_OK;
}

void berth__pod_group_refuse(berth__group_cycle *cycle)
{
    cycle->verdict = BERTH_VERDICT_UNSCHEDULABLE;
    cycle->message = BERTH_STR("pod group is unschedulable");
}

/* Give up, because the minimum can't be reached any more. The message begins with the statement
 * that the group is unschedulable only if no pod was tried yet. */
static berth_status too_few(berth__group_cycle *cycle, uint32_t remaining)
{
    berth__pod_group_refuse(cycle);
    if (remaining < cycle->count)
        cycle->message = (berth_str){0};
    return berth__pod_group_say(
        cycle,
        berth__pod_group_words(&cycle->arena,
                               "minCount (%" PRId32 ") cannot be satisfied: %u scheduled, %u "
                               "remaining",
                               cycle->facts->min_count, (unsigned)(cycle->already + cycle->placed),
                               (unsigned)remaining));
}

berth_status berth__pod_group_fail(berth__group_cycle *cycle, berth_str text)
{
    cycle->verdict = BERTH_VERDICT_ERROR;
    cycle->message = text;
    return text.data != NULL ? BERTH_OK : BERTH_E_NOMEM;
}

/* ---- placing the members ---- */

/* kube-scheduler takes one snapshot for a group, so images count as they did when the cycle began.
 * A member for which a plugin refuses to reserve is treated like one that fits nowhere. */
static berth_status bind_member(berth__group_cycle *cycle, berth__group_member *member)
{
    berth__cluster *cluster = &cycle->engine->cluster;
    const uint64_t refreshed = berth__cluster_node(cluster, member->node)->refreshed;
    berth_status status = berth__engine_bind(cycle->engine, member->id, member->node, cycle->error);
    if (status == BERTH_OK) {
        berth__cluster_node(cluster, member->node)->refreshed = refreshed;
        cycle->placed++;
    } else if (status != BERTH_E_NOMEM) {
        member->node = BERTH_NODE_NONE;
        status = BERTH_OK;
    }
    return status;
}

/* Fail with the error of a member's attempt, which is repeated to get the error's text. */
static berth_status fail_of(berth__group_cycle *cycle, const berth__group_member *member,
                            uint32_t start)
{
    berth_engine *engine = cycle->engine;
    berth_placement again;
    berth_decide_options options = {.size = sizeof(options), .flags = BERTH_DECIDE_KEEP_ROTATION};
    BERTH_TRY(berth_explanation_create(engine->allocator, &options.explanation, cycle->error));
    berth_status status =
        berth__decide_again(&engine->decider, member->pod, start, &options, &again, cycle->error);
    const berth_str why = berth_explanation_message(options.explanation);
    bool ok = true;
    cycle->failure = berth__arena_str(&cycle->arena, why, &ok);
    if (status == BERTH_OK && !ok)
        status = BERTH_E_NOMEM;
    if (status == BERTH_OK)
        status = berth__pod_group_fail(
            cycle, berth__pod_group_words(&cycle->arena,
                                          "failed to schedule other pod from a pod group: %.*s",
                                          (int)why.len, why.data != NULL ? why.data : ""));
    berth_explanation_destroy(options.explanation);
    return status;
}

static berth_status place_member(berth__group_cycle *cycle, berth__group_member *member)
{
    static const berth_decide_options options = {.size = sizeof(options)};
    berth__images *images = &cycle->engine->cluster.view.images;
    const uint64_t image_cycle = images->cycle;
    berth_placement placement;
    BERTH_TRY(
        berth__decide(&cycle->engine->decider, member->pod, &options, &placement, cycle->error));
    images->cycle = image_cycle;
    if (!cycle->refused) {
        member->placement = placement;
        member->tried = true;
    }
    const berth__attempt *attempt = &cycle->engine->decider.attempt;
    if (attempt->decision.prepared != NULL && !berth__attempt_misses_claims(attempt))
        cycle->sees_claims = true;
    if (placement.verdict == BERTH_VERDICT_ERROR)
        return fail_of(cycle, member, placement.start);
    if (placement.verdict != BERTH_VERDICT_PLACED)
        return cycle->refused || cycle->unplaced == NULL
                   ? BERTH_OK
                   : cycle->unplaced(cycle->context, (uint32_t)(member - cycle->members));
    member->node = placement.node;
    member->skipped = berth__decider_skipped(&cycle->engine->decider);
    if (cycle->refused && !cycle->trying)
        BERTH_TRY(berth__pod_group_note_spread(cycle, member));
    return bind_member(cycle, member);
}

berth_status berth__pod_group_try(berth__group_cycle *cycle)
{
    const int64_t minimum = cycle->facts->min_count;
    cycle->placed = 0;
    cycle->verdict = BERTH_VERDICT_PLACED;
    for (uint32_t i = 0; i < cycle->count; i++) {
        berth__group_member *member = &cycle->members[i];
        member->node = BERTH_NODE_NONE;
        if (cycle->refused)
            continue;
        member->tried = false; /* it may have been placed in another domain */
        member->placement = (berth_placement){.node = BERTH_NODE_NONE};
    }
    for (uint32_t tried = 0; tried <= cycle->count; tried++) {
        const uint32_t remaining = cycle->count - tried;
        if ((int64_t)cycle->already + cycle->placed + remaining < minimum)
            return too_few(cycle, remaining);
        if (tried == cycle->count)
            break;
        BERTH_TRY(place_member(cycle, &cycle->members[tried]));
        if (cycle->verdict == BERTH_VERDICT_ERROR)
            return BERTH_OK;
    }
    return BERTH_OK;
}

berth_status berth__pod_group_place(berth__group_cycle *cycle)
{
    const bool domains = cycle->engine->cluster.model->behaviours.pod_group_placements;
    BERTH_TRY(domains ? berth__pod_group_place_in_domain(cycle) : berth__pod_group_try(cycle));
    if (cycle->verdict == BERTH_VERDICT_PLACED && cycle->placed == 0)
        berth__pod_group_refuse(cycle); /* enough pods were on nodes before, but no member fits */
    return BERTH_OK;
}

/* ---- before the cycle ---- */

static int by_number(const void *a, const void *b)
{
    const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return (one > other) - (one < other);
}

static berth_status refuse_repeated(berth__group_cycle *cycle)
{
    uint32_t *sorted = berth__arena_alloc(&cycle->arena, cycle->count * sizeof(*sorted), 8);
    if (sorted == NULL)
        return berth__error_no_memory(cycle->error);
    for (uint32_t i = 0; i < cycle->count; i++)
        sorted[i] = cycle->members[i].pod;
    berth__sort(sorted, cycle->count, sizeof(*sorted), by_number);
    for (uint32_t i = 1; i < cycle->count; i++)
        if (sorted[i] == sorted[i - 1])
            return berth__error_set(cycle->error, BERTH_E_ARG, "pod \"%s\" is given twice",
                                    berth__pod_at(&cycle->engine->cluster.pods, sorted[i])->name);
    return BERTH_OK;
}

static berth_status find_members(berth__group_cycle *cycle, const berth_pod_id *pods)
{
    const berth__cluster *cluster = &cycle->engine->cluster;
    cycle->members = berth__arena_alloc(&cycle->arena, cycle->count * sizeof(*cycle->members), 8);
    if (cycle->members == NULL)
        return berth__error_no_memory(cycle->error);
    for (uint32_t i = 0; i < cycle->count; i++) {
        const uint32_t pod = berth__cluster_pod(cluster, pods[i]);
        if (pod == BERTH_POD_INDEX_NONE)
            return berth__error_set(cycle->error, BERTH_E_NOT_FOUND,
                                    "there is no pod with the id in entry %u", (unsigned)i);
        const berth__identity *identity = berth__pod_at(&cluster->pods, pod)->cls->identity;
        if (i == 0) {
            cycle->namespace_name = identity->namespace_name;
            cycle->name = identity->pod_group;
        }
        if (identity->pod_group == 0 || identity->namespace_name != cycle->namespace_name ||
            identity->pod_group != cycle->name)
            return berth__error_set(cycle->error, BERTH_E_INVALID,
                                    identity->pod_group == 0
                                        ? "the pod in entry %u has no spec.schedulingGroup"
                                        : "the pod in entry %u is of another group than the first",
                                    (unsigned)i);
        cycle->members[i] = (berth__group_member){.pod = pod,
                                                  .id = pods[i],
                                                  .node = BERTH_NODE_NONE,
                                                  .placement = {.node = BERTH_NODE_NONE},
                                                  .shadow = BERTH_POD_NONE};
    }
    return BERTH_OK;
}

static berth_status find_group(berth__group_cycle *cycle)
{
    const berth__cluster *cluster = &cycle->engine->cluster;
    cycle->facts =
        berth__related_pod_group(cluster->view.related, cycle->namespace_name, cycle->name);
    if (cycle->facts != NULL)
        return BERTH_OK;
    const berth_str space = berth__text(cluster->model, cycle->namespace_name);
    const berth_str name = berth__text(cluster->model, cycle->name);
    return berth__error_set(cycle->error, BERTH_E_NOT_FOUND, "there is no PodGroup %.*s/%.*s",
                            (int)space.len, space.data, (int)name.len, name.data);
}

/* ---- pods that contradict their group ---- */

static const char *policy_word(bool preempts)
{
    return preempts ? "PreemptLowerPriority" : "Never";
}

/* The group is checked before its pods are decided, so repeat here what each decision would
 * check. */
static berth_status check_askable(berth__group_cycle *cycle)
{
    const berth__cluster *cluster = &cycle->engine->cluster;
    const berth__class *first = berth__pod_at(&cluster->pods, cycle->members[0].pod)->cls;
    const berth__decider *decider = &cycle->engine->decider;
    const uint32_t profile = berth__decider_profile(decider, first);
    if (profile == UINT32_MAX) {
        const berth_str name = berth__text(cluster->model, first->scheduler_name);
        return berth__error_set(cycle->error, BERTH_E_NOT_FOUND,
                                "no profile serves scheduler \"%.*s\"", (int)name.len, name.data);
    }
    if (decider->profiles[profile].filter_count > BERTH__FILTER_SET_MAX)
        return berth__error_set(
            cycle->error, BERTH_E_UNSUPPORTED, "a profile of groups has at most %d filters, not %u",
            (int)BERTH__FILTER_SET_MAX, (unsigned)decider->profiles[profile].filter_count);
    for (uint32_t i = 0; i < cycle->count; i++)
        if (berth__pod_at(&cluster->pods, cycle->members[i].pod)->node != BERTH_NODE_NONE)
            return berth__error_set(cycle->error, BERTH_E_STATE, "the pod in entry %u is on a node",
                                    (unsigned)i);
    return BERTH_OK;
}

/* The properties of the first pod, which all others must share. */
typedef struct agreement {
    berth__sym scheduler_name;
    bool preempts;
} agreement;

/* Set the message if this pod contradicts its group. */
static berth_status check_pod(berth__group_cycle *cycle, const agreement *all, uint32_t pod)
{
    const berth__cluster *cluster = &cycle->engine->cluster;
    const berth__pod_record *record = berth__pod_at(&cluster->pods, pod);
    if (record->cls->scheduler_name != all->scheduler_name) {
        const berth_str own = berth__text(cluster->model, record->cls->scheduler_name);
        const berth_str first = berth__text(cluster->model, all->scheduler_name);
        return berth__pod_group_fail(
            cycle, berth__pod_group_words(&cycle->arena,
                                          "all pods in a single pod group should have the same "
                                          ".spec.schedulerName set, got: \"%.*s\" and \"%.*s\"",
                                          (int)own.len, own.data, (int)first.len, first.data));
    }
    if (record->priority != cycle->facts->priority)
        return berth__pod_group_fail(
            cycle, berth__pod_group_words(
                       &cycle->arena,
                       "all pods in a single pod group should have the same priority as "
                       "the pod group's priority, got %" PRId32 " and %" PRId32,
                       record->priority, cycle->facts->priority));
    if (record->cls->preempts != all->preempts)
        return berth__pod_group_fail(
            cycle, berth__pod_group_words(
                       &cycle->arena,
                       "all pods in a single pod group should have the same preemption policy%s, "
                       "got %s and %s",
                       cluster->model->behaviours.pod_group_policies
                           ? " as the pod group's preemption policy"
                           : "",
                       policy_word(record->cls->preempts), policy_word(all->preempts)));
    return BERTH_OK;
}

/* Check the members and the pods of the group that are on nodes; count the latter.
 * Source: kube-scheduler v1.37, schedule_one_podgroup.go, validatePodGroup. */
static berth_status check_pods(berth__group_cycle *cycle)
{
    const berth__cluster *cluster = &cycle->engine->cluster;
    const berth__class *first = berth__pod_at(&cluster->pods, cycle->members[0].pod)->cls;
    const agreement all = {first->scheduler_name, cluster->model->behaviours.pod_group_policies
                                                      ? !cycle->facts->never_preempts
                                                      : first->preempts};
    cycle->verdict = BERTH_VERDICT_PLACED;
    for (uint32_t i = 0; i < cycle->count && cycle->verdict != BERTH_VERDICT_ERROR; i++)
        BERTH_TRY_PLAIN(check_pod(cycle, &all, cycle->members[i].pod), cycle->error);
    for (uint32_t pod = 0; pod < cluster->pods.record_count && !cycle->first; pod++) {
        const berth__pod_record *record = berth__pod_at(&cluster->pods, pod);
        if (record->cls == NULL || record->cls->identity->pod_group != cycle->name ||
            record->cls->identity->namespace_name != cycle->namespace_name ||
            record->node == BERTH_NODE_NONE)
            continue;
        cycle->already++;
        BERTH_TRY_PLAIN(berth__pod_group_note_domain(cycle, record), cycle->error);
        if (cycle->verdict != BERTH_VERDICT_ERROR)
            BERTH_TRY_PLAIN(check_pod(cycle, &all, pod), cycle->error);
    }
    return BERTH_OK;
}

/* ---- the whole cycle ---- */

void berth__pod_group_end_transaction(berth_engine *engine, bool commit)
{
    const berth__progress progress = berth__decider_progress(&engine->decider);
    if (commit)
        berth__transaction_commit(&engine->transactions);
    else
        berth__transaction_rollback(&engine->transactions);
    berth__decider_set_progress(&engine->decider, &progress);
}

/* The nodes of the members are copied into the next snapshot. */
static void refresh_nodes(const berth__group_cycle *cycle)
{
    berth__view *view = &cycle->engine->cluster.view;
    for (uint32_t i = 0; i < cycle->count; i++) {
        if (cycle->members[i].node == BERTH_NODE_NONE)
            continue;
        berth__node_record *node =
            berth__cluster_node(&cycle->engine->cluster, cycle->members[i].node);
        node->refreshed = view->images.cycle;
        if (node->slot != BERTH__SLOT_NONE)
            berth__view_note(view, node->slot);
    }
}

static berth_status try_members(berth__group_cycle *cycle)
{
    berth_engine *engine = cycle->engine;
    BERTH_TRY(berth__engine_begin(engine, cycle->error));
    berth_status status = berth__pod_group_place(cycle);
    const bool kept = status == BERTH_OK && cycle->verdict == BERTH_VERDICT_PLACED && cycle->keeps;
    if (status == BERTH_E_NOMEM)
        berth__error_no_memory(cycle->error);
    berth__pod_group_end_transaction(engine, kept);
    if (kept)
        refresh_nodes(cycle);
    return status;
}

berth_status berth__pod_group_run(berth__group_cycle *cycle, const berth_pod_id *pods)
{
    BERTH_TRY(find_members(cycle, pods));
    BERTH_TRY(refuse_repeated(cycle));
    BERTH_TRY(find_group(cycle));
    BERTH_TRY(check_askable(cycle));
    BERTH_TRY(check_pods(cycle));
    if (cycle->verdict == BERTH_VERDICT_ERROR)
        return BERTH_OK;
    berth__images_begin_cycle(&cycle->engine->cluster.view.images);
    BERTH_TRY(try_members(cycle));
    for (uint32_t i = 0; i < cycle->count; i++)
        cycle->members[i].fits = cycle->members[i].node != BERTH_NODE_NONE;
    if (cycle->verdict != BERTH_VERDICT_UNSCHEDULABLE)
        return BERTH_OK;
    cycle->refused = true;
    cycle->refusal = cycle->message;
    return berth__pod_group_preempt(cycle);
}

bool berth__pod_group_ends_nomination(const berth__group_cycle *cycle,
                                      const berth__group_member *member)
{
    if (cycle->verdict == BERTH_VERDICT_ERROR || cycle->engine->cluster.view.layout->count == 0)
        return true;
    return cycle->verdict == BERTH_VERDICT_UNSCHEDULABLE && !cycle->preempts && member->fits;
}

static void tell(const berth__group_cycle *cycle, berth_pod_group_outcome *own)
{
    const bool placed = cycle->verdict == BERTH_VERDICT_PLACED;
    own->verdict = cycle->verdict;
    own->placed = placed ? cycle->placed : 0;
    own->minimum = cycle->facts->min_count > 0 ? (uint32_t)cycle->facts->min_count : 0;
    own->already = cycle->already;
    own->preempts = cycle->preempts;
    own->victim_count = cycle->victim_count;
    for (uint32_t i = 0; i < cycle->count; i++) {
        if (own->nodes != NULL)
            own->nodes[i] = placed ? cycle->members[i].node : BERTH_NODE_NONE;
        if (own->ended != NULL)
            own->ended[i] = berth__pod_group_ends_nomination(cycle, &cycle->members[i]);
        if (own->nominated != NULL)
            own->nominated[i] = cycle->preempts ? cycle->members[i].node : BERTH_NODE_NONE;
    }
    for (uint32_t i = 0;
         own->victims != NULL && i < cycle->victim_count && i < own->victim_capacity; i++)
        own->victims[i] = cycle->victims[i];
    if (own->message == NULL || own->message_capacity == 0)
        return;
    uint32_t len = placed ? 0 : cycle->message.len;
    if (len >= own->message_capacity)
        len = own->message_capacity - 1;
    if (len > 0)
        memcpy(own->message, cycle->message.data, len);
    own->message[len] = '\0';
}

static berth_status schedule_group(berth_engine *engine, const berth_pod_id *pods, uint32_t count,
                                   berth_pod_group_outcome *own, berth_error *error)
{
    if (!engine->cluster.model->behaviours.pod_groups)
        return berth__error_set(error, BERTH_E_STATE,
                                "the engine follows no PodGroups; it needs the feature gate "
                                "GenericWorkload=true");
    if (count == 0)
        return berth__error_set(error, BERTH_E_ARG, "a group of 0 pods");
    BERTH_TRY(berth__need(pods, "pods", error));
    berth__group_cycle cycle = {.engine = engine, .count = count, .keeps = true, .error = error};
    berth__arena_init(&cycle.arena, engine->allocator);
    own->start = engine->decider.rotation;
    berth_status status = berth__pod_group_run(&cycle, pods);
    if (status == BERTH_OK)
        tell(&cycle, own);
    else
        engine->decider.rotation = own->start;
    if (status == BERTH_E_NOMEM)
        berth__error_no_memory(error);
    own->next = engine->decider.rotation;
    berth__arena_destroy(&cycle.arena);
    return status;
}

berth_status berth_engine_schedule_pod_group(berth_engine *engine, const berth_pod_id *pods,
                                             uint32_t count, berth_pod_group_outcome *outcome,
                                             berth_error *error)
{
    berth_pod_group_outcome own = {.size = sizeof(own)};
    BERTH_TRY(berth__need(outcome, "outcome", error));
    BERTH_TRY(berth__sized_read(&own, sizeof(own), outcome, "berth_pod_group_outcome", error));
    own.verdict = BERTH_VERDICT_ERROR;
    berth_status status = berth__engine_enter(engine, error);
    if (status == BERTH_OK)
        status = berth__engine_leave(engine, schedule_group(engine, pods, count, &own, error));
    berth__sized_write(outcome, &own, sizeof(own));
    return status;
}
