/* The public function that places a PodGroup, or the groups of a composite one: an attempt in a
 * transaction, then, if too few pods fit, preemption. */
#include "api/pod_group.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/sort.h"
#include "base/text.h"

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

berth_status berth__pod_group_fail(berth__group_part *part, berth_str text)
{
    part->verdict = BERTH_VERDICT_ERROR;
    part->message = text;
    return text.data != NULL ? BERTH_OK : BERTH_E_NOMEM;
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
        berth__group_part *part = &cycle->tree.parts[cycle->members[i].part];
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

/* Keep the outcomes of the first attempt, which preemption does not change. */
static berth_status keep_refusals(berth__group_cycle *cycle)
{
    cycle->outcomes =
        berth__arena_alloc(&cycle->arena, cycle->tree.count * sizeof(*cycle->outcomes), 8);
    if (cycle->outcomes == NULL)
        return berth__error_no_memory(cycle->error);
    memcpy(cycle->outcomes, cycle->tree.parts, cycle->tree.count * sizeof(*cycle->outcomes));
    cycle->refused = true;
    return BERTH_OK;
}

const berth__group_part *berth__pod_group_outcome(const berth__group_cycle *cycle, uint32_t part)
{
    return cycle->outcomes != NULL ? &cycle->outcomes[part] : &cycle->tree.parts[part];
}

berth_str berth__pod_group_message(const berth__group_cycle *cycle, uint32_t part)
{
    if (cycle->verdict == BERTH_VERDICT_ERROR)
        return cycle->message;
    const berth__group_part *outcome = berth__pod_group_outcome(cycle, part);
    return cycle->outcomes != NULL ? cycle->outcomes[outcome->source].whole : outcome->message;
}

/* kube-scheduler adds the words of preemption once for each group to the status that the group has,
 * which groups without an outcome share with the one above them. */
static berth_status complete_message(berth__group_cycle *cycle, berth__group_part *source)
{
    const berth_str before = source->message, more = cycle->more;
    const size_t bytes = before.len + (size_t)source->sharing * (2 + (size_t)more.len);
    char *text = bytes <= UINT32_MAX ? berth__arena_alloc(&cycle->arena, bytes, 1) : NULL;
    if (text == NULL)
        return BERTH_E_NOMEM;
    source->whole = (berth_str){text, (uint32_t)bytes};
    if (before.len > 0)
        memcpy(text, before.data, before.len);
    text += before.len;
    for (uint32_t i = 0; i < source->sharing; i++, text += 2 + more.len) {
        memcpy(text, ", ", 2);
        if (more.len > 0)
            memcpy(text + 2, more.data, more.len);
    }
    return BERTH_OK;
}

static berth_status complete_messages(berth__group_cycle *cycle)
{
    for (uint32_t i = 0; i < cycle->tree.count; i++)
        cycle->outcomes[cycle->outcomes[i].source].sharing++;
    for (uint32_t i = 0; i < cycle->tree.count; i++) {
        berth__group_part *part = &cycle->outcomes[i];
        part->whole = part->message;
        if (part->sharing > 0 && cycle->more.data != NULL)
            BERTH_TRY_PLAIN(complete_message(cycle, part), cycle->error);
    }
    cycle->message = berth__pod_group_message(cycle, 0);
    return BERTH_OK;
}

/* Whether as many pods, or groups right below it, are there as a group needs.
 * Source: kube-scheduler v1.37, plugins/gangscheduling, PreEnqueue. */
static bool is_ready(const berth__group_tree *tree, uint32_t at)
{
    const berth__group_part *part = &tree->parts[at];
    int64_t found = 0;
    if (!part->composite)
        return (int64_t)part->already + part->count >= part->facts->min_count;
    for (uint32_t child = at + 1; child < part->end; child = tree->parts[child].end)
        found += is_ready(tree, child);
    return found >= part->facts->min_count;
}

/* Let the group wait for its pods. */
static berth_status hold_back(berth__group_cycle *cycle)
{
    const berth__group_part *root = &cycle->tree.parts[0];
    const berth_str name = berth__text(cycle->engine->cluster.model, root->name);
    berth__pod_group_refuse(&cycle->tree.parts[0]);
    cycle->tree.parts[0].message =
        root->composite
            ? berth__pod_group_words(&cycle->arena,
                                     "waiting for composite pod group \"%.*s\" tree to meet quorum",
                                     (int)name.len, name.data)
            : BERTH_STR("waiting for minCount pods from a gang to appear in scheduling queue");
    berth__pod_group_settle(cycle);
    return cycle->message.data != NULL ? BERTH_OK : berth__error_no_memory(cycle->error);
}

berth_status berth__pod_group_run(berth__group_cycle *cycle, const berth_pod_id *pods)
{
    BERTH_TRY(find_members(cycle, pods));
    BERTH_TRY(refuse_repeated(cycle));
    BERTH_TRY(find_groups(cycle));
    BERTH_TRY(check_askable(cycle));
    BERTH_TRY(check_pods(cycle));
    if (cycle->tree.parts[0].verdict == BERTH_VERDICT_ERROR) {
        berth__pod_group_settle(cycle);
        return BERTH_OK;
    }
    if (cycle->waits && !is_ready(&cycle->tree, 0))
        return hold_back(cycle);
    berth__images_begin_cycle(&cycle->engine->cluster.view.images);
    BERTH_TRY(attempt(cycle));
    for (uint32_t i = 0; i < cycle->count; i++)
        cycle->members[i].fits = cycle->members[i].node != BERTH_NODE_NONE ||
                                 cycle->members[i].proposed != BERTH_NODE_NONE;
    if (cycle->verdict != BERTH_VERDICT_UNSCHEDULABLE)
        return BERTH_OK;
    BERTH_TRY(keep_refusals(cycle));
    BERTH_TRY(berth__pod_group_preempt(cycle));
    return cycle->verdict == BERTH_VERDICT_ERROR ? BERTH_OK : complete_messages(cycle);
}

bool berth__pod_group_ends_nomination(const berth__group_cycle *cycle,
                                      const berth__group_member *member)
{
    if (cycle->verdict == BERTH_VERDICT_ERROR || cycle->engine->cluster.view.layout->count == 0)
        return true;
    return berth__pod_group_outcome(cycle, member->part)->verdict == BERTH_VERDICT_UNSCHEDULABLE &&
           !cycle->preempts && member->fits;
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
static void tell_of_groups(const berth__group_cycle *cycle, const berth_pod_group_outcome *own)
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
        own->of_group(own->context, &result);
    }
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
    berth__group_cycle cycle = {
        .engine = engine, .count = count, .keeps = true, .waits = own->waits, .error = error};
    berth__arena_init(&cycle.arena, engine->allocator);
    own->start = engine->decider.rotation;
    berth_status status = berth__pod_group_run(&cycle, pods);
    if (status == BERTH_OK) {
        tell(&cycle, own);
        tell_of_groups(&cycle, own);
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
