/* The public function that places a PodGroup, or the groups of a composite one: the members one by
 * one in a transaction, then, if they are too few, preemption. */
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

berth_status berth__pod_group_say(berth__arena *arena, berth_str *message, berth_str more)
{
    const berth_str before = *message;
    if (more.data == NULL)
        return BERTH_E_NOMEM;
    if (before.data == NULL) {
        *message = more;
        return BERTH_OK;
    }
    char *text = berth__arena_alloc(arena, (size_t)before.len + 2 + more.len, 1);
    if (text == NULL)
        return BERTH_E_NOMEM;
    memcpy(text, before.data, before.len);
    memcpy(text + before.len, ", ", 2);
    if (more.len > 0)
        memcpy(text + before.len + 2, more.data, more.len);
    *message = (berth_str){text, before.len + 2 + more.len};
    return BERTH_OK;
}

void berth__pod_group_refuse(berth__group_part *part)
{
    part->verdict = BERTH_VERDICT_UNSCHEDULABLE;
    part->message = BERTH_STR("pod group is unschedulable");
}

/* Give up, because the minimum can't be reached any more: so many pods, or groups below, have their
 * places, and so many are left. The message begins with the statement that the group is
 * unschedulable only if no pod was tried yet. */
static berth_status too_few(berth__group_cycle *cycle, berth__group_part *part, uint32_t scheduled,
                            uint32_t remaining)
{
    berth__pod_group_refuse(part);
    if (part->composite || remaining < part->count)
        part->message = (berth_str){0};
    return berth__pod_group_say(
        &cycle->arena, &part->message,
        berth__pod_group_words(&cycle->arena,
                               "minCount (%" PRId32 ") cannot be satisfied: %u scheduled, %u "
                               "remaining",
                               part->facts->min_count, (unsigned)scheduled, (unsigned)remaining));
}

berth_status berth__pod_group_fail(berth__group_part *part, berth_str text)
{
    part->verdict = BERTH_VERDICT_ERROR;
    part->message = text;
    return text.data != NULL ? BERTH_OK : BERTH_E_NOMEM;
}

/* ---- placing the members ---- */

static berth__group_part *part_of(const berth__group_cycle *cycle,
                                  const berth__group_member *member)
{
    return &cycle->tree.parts[member->part];
}

/* kube-scheduler takes one snapshot for a group, so images count as they did when the cycle began.
 * A member for which a plugin refuses to reserve is treated like one that fits nowhere. */
static berth_status bind_member(berth__group_cycle *cycle, berth__group_member *member)
{
    berth__cluster *cluster = &cycle->engine->cluster;
    const uint64_t refreshed = berth__cluster_node(cluster, member->node)->refreshed;
    berth_status status = berth__engine_bind(cycle->engine, member->id, member->node, cycle->error);
    if (status == BERTH_OK) {
        berth__cluster_node(cluster, member->node)->refreshed = refreshed;
        part_of(cycle, member)->placed++;
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
            part_of(cycle, member),
            berth__pod_group_words(&cycle->arena,
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

static void begin_member(const berth__group_cycle *cycle, berth__group_member *member)
{
    member->node = member->proposed = BERTH_NODE_NONE;
    if (cycle->refused)
        return;
    member->tried = false; /* it may have been placed in another domain */
    member->placement = (berth_placement){.node = BERTH_NODE_NONE};
}

static berth_status try_members(berth__group_cycle *cycle, berth__group_part *part)
{
    for (uint32_t tried = 0; tried <= part->count; tried++) {
        const uint32_t remaining = part->count - tried, scheduled = part->already + part->placed;
        if ((int64_t)scheduled + remaining < part->facts->min_count)
            return too_few(cycle, part, scheduled, remaining);
        if (tried == part->count)
            break;
        BERTH_TRY(place_member(cycle, &cycle->members[part->members[tried]]));
        if (part->verdict == BERTH_VERDICT_ERROR)
            return BERTH_OK;
    }
    return BERTH_OK;
}

/* ---- placing the groups below a composite one ---- */

/* The pods below a group that was not placed leave their nodes again, but keep them in mind. */
static void propose(const berth__group_cycle *cycle, const berth__group_part *part)
{
    for (const berth__group_part *one = part; one < cycle->tree.parts + part->end; one++)
        for (uint32_t i = 0; i < one->count; i++) {
            berth__group_member *member = &cycle->members[one->members[i]];
            if (member->node != BERTH_NODE_NONE)
                member->proposed = member->node;
            member->node = BERTH_NODE_NONE;
        }
}

static berth_status place_child(berth__group_cycle *cycle, berth__group_part *child)
{
    BERTH_TRY(berth__engine_begin(cycle->engine, cycle->error));
    berth_status status = berth__pod_group_place_in_domain(cycle, child);
    const bool placed = status == BERTH_OK && child->verdict == BERTH_VERDICT_PLACED;
    berth__pod_group_end_transaction(cycle->engine, placed);
    if (!placed) {
        propose(cycle, child);
        child->placed = 0;
    }
    return status;
}

static uint32_t count_children(const berth__group_cycle *cycle, const berth__group_part *part)
{
    uint32_t count = 0;
    const uint32_t own = (uint32_t)(part - cycle->tree.parts);
    for (uint32_t i = own + 1; i < part->end; i = cycle->tree.parts[i].end)
        count++;
    return count;
}

static berth_status try_children(berth__group_cycle *cycle, berth__group_part *part)
{
    uint32_t remaining = count_children(cycle, part), scheduled = 0;
    uint32_t at = (uint32_t)(part - cycle->tree.parts) + 1;
    for (;; remaining--) {
        if ((int64_t)scheduled + remaining < part->facts->min_count)
            return too_few(cycle, part, scheduled, remaining);
        if (at == part->end)
            return BERTH_OK;
        berth__group_part *child = &cycle->tree.parts[at];
        BERTH_TRY(place_child(cycle, child));
        if (child->verdict == BERTH_VERDICT_ERROR)
            return berth__pod_group_fail(
                part,
                berth__pod_group_words(
                    &cycle->arena, "composite pod group evaluation failed due to child error: %.*s",
                    (int)child->message.len, child->message.data));
        scheduled += child->verdict == BERTH_VERDICT_PLACED;
        part->placed += child->placed;
        at = child->end;
    }
}

void berth__pod_group_forget_below(berth__group_cycle *cycle, const berth__group_part *part)
{
    for (uint32_t i = (uint32_t)(part - cycle->tree.parts) + 1; i < part->end; i++)
        cycle->tree.parts[i].judged = false;
}

berth_status berth__pod_group_try(berth__group_cycle *cycle, berth__group_part *part)
{
    for (berth__group_part *one = part; one < cycle->tree.parts + part->end; one++) {
        one->judged = false;
        one->placed = 0;
        for (uint32_t i = 0; i < one->count; i++)
            begin_member(cycle, &cycle->members[one->members[i]]);
    }
    part->judged = true;
    part->verdict = BERTH_VERDICT_PLACED;
    part->message = (berth_str){0};
    return part->composite ? try_children(cycle, part) : try_members(cycle, part);
}

/* ---- the whole tree ---- */

/* A group that was not reached, or that was placed below one that was not, fails as that one did:
 * none of its pods counts as tried. */
static void inherit(const berth__group_cycle *cycle, berth__group_part *part)
{
    const berth__group_part *above = &cycle->tree.parts[part->parent];
    part->source = (uint32_t)(part - cycle->tree.parts);
    if (part->judged &&
        !(above->verdict != BERTH_VERDICT_PLACED && part->verdict == BERTH_VERDICT_PLACED))
        return;
    part->source = above->source;
    part->verdict = above->verdict;
    part->message = above->message;
    part->placed = 0;
    for (uint32_t i = 0; i < part->count && !cycle->refused; i++)
        begin_member(cycle, &cycle->members[part->members[i]]);
}

berth_status berth__pod_group_place(berth__group_cycle *cycle)
{
    const bool domains = cycle->engine->cluster.model->behaviours.pod_group_placements;
    berth__group_part *root = &cycle->tree.parts[0];
    BERTH_TRY(domains ? berth__pod_group_place_in_domain(cycle, root)
                      : berth__pod_group_try(cycle, root));
    if (root->verdict == BERTH_VERDICT_PLACED && root->placed == 0)
        berth__pod_group_refuse(root); /* enough pods were on nodes before, but no member fits */
    if (root->verdict != BERTH_VERDICT_PLACED)
        propose(cycle, root);
    for (uint32_t i = 1; i < cycle->tree.count; i++)
        inherit(cycle, &cycle->tree.parts[i]);
    cycle->verdict = root->verdict;
    cycle->message = root->message;
    cycle->placed = root->verdict == BERTH_VERDICT_PLACED ? root->placed : 0;
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
        if (berth__pod_at(&cluster->pods, pod)->cls->identity->pod_group == 0)
            return berth__error_set(cycle->error, BERTH_E_INVALID,
                                    "the pod in entry %u has no spec.schedulingGroup", (unsigned)i);
        cycle->members[i] = (berth__group_member){.pod = pod,
                                                  .id = pods[i],
                                                  .node = BERTH_NODE_NONE,
                                                  .proposed = BERTH_NODE_NONE,
                                                  .placement = {.node = BERTH_NODE_NONE},
                                                  .shadow = BERTH_POD_NONE};
    }
    return BERTH_OK;
}

static const berth__identity *identity_of(const berth__group_cycle *cycle, uint32_t member)
{
    return berth__pod_at(&cycle->engine->cluster.pods, cycle->members[member].pod)->cls->identity;
}

/* Find the PodGroup of each member in the tree of the first one's. */
static berth_status find_parts(berth__group_cycle *cycle)
{
    berth__group_tree *tree = &cycle->tree;
    for (uint32_t i = 0; i < cycle->count; i++) {
        const berth__identity *identity = identity_of(cycle, i);
        const uint32_t part = identity->namespace_name == tree->namespace_name
                                  ? berth__group_tree_leaf(tree, identity->pod_group)
                                  : UINT32_MAX;
        if (part == UINT32_MAX)
            return berth__error_set(cycle->error, BERTH_E_INVALID,
                                    "the pod in entry %u is of another group than the first",
                                    (unsigned)i);
        cycle->members[i].part = part;
        tree->parts[part].count++;
    }
    return BERTH_OK;
}

/* Give each PodGroup the list of its members. */
static berth_status list_members(berth__group_cycle *cycle)
{
    uint32_t *all = berth__arena_alloc(&cycle->arena, cycle->count * sizeof(*all), 8);
    if (all == NULL)
        return berth__error_no_memory(cycle->error);
    cycle->order = all;
    for (uint32_t i = 0; i < cycle->tree.count; i++) {
        berth__group_part *part = &cycle->tree.parts[i];
        part->members = all;
        all += part->count;
        part->count = 0;
    }
    for (uint32_t i = 0; i < cycle->count; i++) {
        berth__group_part *part = part_of(cycle, &cycle->members[i]);
        part->members[part->count++] = i;
    }
    return BERTH_OK;
}

static berth_status find_groups(berth__group_cycle *cycle)
{
    const berth__cluster *cluster = &cycle->engine->cluster;
    const berth__identity *first = identity_of(cycle, 0);
    BERTH_TRY(berth__group_tree_make(&cycle->tree, cluster->model, cluster->view.related,
                                     &cycle->arena, first->namespace_name, first->pod_group,
                                     cycle->error));
    cycle->facts = cycle->tree.parts[0].facts;
    BERTH_TRY(find_parts(cycle));
    return list_members(cycle);
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
    berth__group_part *root = &cycle->tree.parts[0];
    if (record->cls->scheduler_name != all->scheduler_name) {
        const berth_str own = berth__text(cluster->model, record->cls->scheduler_name);
        const berth_str first = berth__text(cluster->model, all->scheduler_name);
        return berth__pod_group_fail(
            root, berth__pod_group_words(&cycle->arena,
                                         "all pods in a single pod group should have the same "
                                         ".spec.schedulerName set, got: \"%.*s\" and \"%.*s\"",
                                         (int)own.len, own.data, (int)first.len, first.data));
    }
    if (record->priority != cycle->facts->priority)
        return berth__pod_group_fail(
            root, berth__pod_group_words(
                      &cycle->arena,
                      "all pods in a single pod group should have the same priority as "
                      "the pod group's priority, got %" PRId32 " and %" PRId32,
                      record->priority, cycle->facts->priority));
    if (record->cls->preempts != all->preempts)
        return berth__pod_group_fail(
            root, berth__pod_group_words(
                      &cycle->arena,
                      "all pods in a single pod group should have the same preemption policy%s, "
                      "got %s and %s",
                      cluster->model->behaviours.pod_group_policies
                          ? " as the pod group's preemption policy"
                          : "",
                      policy_word(record->cls->preempts), policy_word(all->preempts)));
    return BERTH_OK;
}

/* Count a pod on a node for its PodGroup and all groups above it. */
static berth_status count_on_node(berth__group_cycle *cycle, uint32_t leaf,
                                  const berth__pod_record *record)
{
    for (uint32_t i = leaf;; i = cycle->tree.parts[i].parent) {
        cycle->tree.parts[i].already++;
        BERTH_TRY(berth__pod_group_note_domain(cycle, &cycle->tree.parts[i], record));
        if (i == 0)
            return BERTH_OK;
    }
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
    berth__group_part *root = &cycle->tree.parts[0];
    root->verdict = BERTH_VERDICT_PLACED;
    for (uint32_t i = 0; i < cycle->count && root->verdict != BERTH_VERDICT_ERROR; i++)
        BERTH_TRY_PLAIN(check_pod(cycle, &all, cycle->members[i].pod), cycle->error);
    for (uint32_t pod = 0; pod < cluster->pods.record_count && !cycle->first; pod++) {
        const berth__pod_record *record = berth__pod_at(&cluster->pods, pod);
        if (record->cls == NULL || record->node == BERTH_NODE_NONE ||
            record->cls->identity->pod_group == 0 ||
            record->cls->identity->namespace_name != cycle->tree.namespace_name)
            continue;
        const uint32_t leaf =
            berth__group_tree_leaf(&cycle->tree, record->cls->identity->pod_group);
        if (leaf == UINT32_MAX)
            continue;
        BERTH_TRY_PLAIN(count_on_node(cycle, leaf, record), cycle->error);
        if (root->verdict != BERTH_VERDICT_ERROR)
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

static berth_status attempt(berth__group_cycle *cycle)
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

/* Let all groups of the tree fail with the root's error. */
static void fail_all(berth__group_cycle *cycle)
{
    const berth__group_part *root = &cycle->tree.parts[0];
    for (uint32_t i = 1; i < cycle->tree.count; i++)
        inherit(cycle, &cycle->tree.parts[i]);
    cycle->verdict = root->verdict;
    cycle->message = root->message;
}

/* Keep the outcomes of the first attempt, which preemption does not change. */
static berth_status keep_refusals(berth__group_cycle *cycle)
{
    cycle->outcomes =
        berth__arena_alloc(&cycle->arena, cycle->tree.count * sizeof(*cycle->outcomes), 8);
    if (cycle->outcomes == NULL)
        return berth__error_no_memory(cycle->error);
    memcpy(cycle->outcomes, cycle->tree.parts, cycle->tree.count * sizeof(*cycle->outcomes));
    cycle->refused = true;
    cycle->refusal = cycle->message;
    return BERTH_OK;
}

berth_status berth__pod_group_run(berth__group_cycle *cycle, const berth_pod_id *pods)
{
    BERTH_TRY(find_members(cycle, pods));
    BERTH_TRY(refuse_repeated(cycle));
    BERTH_TRY(find_groups(cycle));
    BERTH_TRY(check_askable(cycle));
    BERTH_TRY(check_pods(cycle));
    if (cycle->tree.parts[0].verdict == BERTH_VERDICT_ERROR) {
        fail_all(cycle);
        return BERTH_OK;
    }
    berth__images_begin_cycle(&cycle->engine->cluster.view.images);
    BERTH_TRY(attempt(cycle));
    for (uint32_t i = 0; i < cycle->count; i++)
        cycle->members[i].fits = cycle->members[i].node != BERTH_NODE_NONE ||
                                 cycle->members[i].proposed != BERTH_NODE_NONE;
    if (cycle->verdict != BERTH_VERDICT_UNSCHEDULABLE)
        return BERTH_OK;
    BERTH_TRY(keep_refusals(cycle));
    BERTH_TRY(berth__pod_group_preempt(cycle));
    if (cycle->verdict == BERTH_VERDICT_ERROR)
        return BERTH_OK;
    cycle->message = berth__pod_group_message(cycle, 0);
    return cycle->message.data != NULL ? BERTH_OK : berth__error_no_memory(cycle->error);
}

const berth__group_part *berth__pod_group_outcome(const berth__group_cycle *cycle, uint32_t part)
{
    return cycle->outcomes != NULL ? &cycle->outcomes[part] : &cycle->tree.parts[part];
}

bool berth__pod_group_ends_nomination(const berth__group_cycle *cycle,
                                      const berth__group_member *member)
{
    if (cycle->verdict == BERTH_VERDICT_ERROR || cycle->engine->cluster.view.layout->count == 0)
        return true;
    return berth__pod_group_outcome(cycle, member->part)->verdict == BERTH_VERDICT_UNSCHEDULABLE &&
           !cycle->preempts && member->fits;
}

/* kube-scheduler adds the words of preemption once for each group to the status that the group has,
 * which groups without an outcome share with the one above them. */
static uint32_t count_sharing(const berth__group_cycle *cycle, uint32_t source)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cycle->tree.count; i++)
        count += cycle->outcomes[i].source == source;
    return count;
}

berth_str berth__pod_group_message(berth__group_cycle *cycle, uint32_t part)
{
    if (cycle->verdict == BERTH_VERDICT_ERROR)
        return cycle->message;
    const berth__group_part *outcome = berth__pod_group_outcome(cycle, part);
    berth_str message = outcome->message;
    if (cycle->outcomes == NULL)
        return message;
    for (uint32_t i = count_sharing(cycle, outcome->source); i > 0 && cycle->more.data != NULL; i--)
        if (berth__pod_group_say(&cycle->arena, &message, cycle->more) != BERTH_OK)
            return (berth_str){0};
    return message;
}

/* Cut to fit. */
static void copy_text(char *to, uint32_t capacity, berth_str text)
{
    if (to == NULL || capacity == 0)
        return;
    const uint32_t len = text.len < capacity ? text.len : capacity - 1;
    if (len > 0)
        memcpy(to, text.data, len);
    to[len] = '\0';
}

static void tell(const berth__group_cycle *cycle, berth_pod_group_outcome *own)
{
    const bool placed = cycle->verdict == BERTH_VERDICT_PLACED;
    own->verdict = cycle->verdict;
    own->placed = placed ? cycle->placed : 0;
    own->minimum = cycle->facts->min_count > 0 ? (uint32_t)cycle->facts->min_count : 0;
    own->already = cycle->tree.parts[0].already;
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
    copy_text(own->message, own->message_capacity, placed ? BERTH_STR("") : cycle->message);
}

/* Call the caller's function for each PodGroup. */
static berth_status tell_of_groups(berth__group_cycle *cycle, const berth_pod_group_outcome *own)
{
    const berth__model *model = cycle->engine->cluster.model;
    for (uint32_t i = 0; own->of_group != NULL && i < cycle->tree.count; i++) {
        const berth__group_part *part = &cycle->tree.parts[i];
        if (part->composite)
            continue;
        berth_pod_group_result result = {.namespace_name =
                                             berth__text(model, cycle->tree.namespace_name),
                                         .name = berth__text(model, part->name),
                                         .verdict = cycle->verdict,
                                         .already = part->already};
        if (cycle->verdict != BERTH_VERDICT_ERROR)
            result.verdict = berth__pod_group_outcome(cycle, i)->verdict;
        if (result.verdict == BERTH_VERDICT_PLACED)
            result.placed = part->placed;
        else
            result.message = berth__pod_group_message(cycle, i);
        if (result.verdict != BERTH_VERDICT_PLACED && result.message.data == NULL)
            return BERTH_E_NOMEM;
        own->of_group(own->context, &result);
    }
    return BERTH_OK;
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
    if (status == BERTH_OK) {
        tell(&cycle, own);
        status = tell_of_groups(&cycle, own);
    } else {
        engine->decider.rotation = own->start;
    }
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
