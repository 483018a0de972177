/* Places the PodGroups of berth schedule, and the composite groups above them. */
#include "commands/schedule_groups.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"

enum { MESSAGE_MAX = 1024 };

/* ---- finding groups ---- */

static int compare_texts(berth_str a, berth_str b)
{
    const uint32_t len = a.len < b.len ? a.len : b.len;
    const int order = len > 0 ? memcmp(a.data, b.data, len) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int by_group(const void *a, const void *b)
{
    const grouped_outcome *one = a, *other = b;
    int order = compare_texts(one->namespace_name, other->namespace_name);
    if (order == 0)
        order = one->composite - other->composite;
    if (order == 0)
        order = compare_texts(one->group, other->group);
    return order != 0 ? order : (one->at > other->at) - (one->at < other->at);
}

/* The group with which a pod is placed; `at` is 0. */
static grouped_outcome group_of(const berth_pod_info *pod)
{
    const bool composite = pod->composite_group.len > 0;
    return (grouped_outcome){pod->namespace_name, composite ? pod->composite_group : pod->pod_group,
                             composite, 0};
}

berth_status schedule_groups_find(schedule_groups *groups, const schedule *s, berth_error *error)
{
    size_t capacity = 0;
    *groups = (schedule_groups){0};
    for (uint64_t i = 0; i < s->outcome_count; i++) {
        berth_pod_info pod = {.size = sizeof(pod)};
        TRY(berth_engine_pod_info(s->engine, s->outcomes[i].pod, &pod, error));
        if (pod.pod_group.len == 0 || cluster_input_skipped(&s->input, s->outcomes[i].pod) != NULL)
            continue;
        groups->items =
            heap_grow(groups->items, &capacity, groups->count + 1, sizeof(*groups->items));
        groups->items[groups->count] = group_of(&pod);
        groups->items[groups->count++].at = i;
    }
    if (groups->count == 0)
        return BERTH_OK;
    groups->decided = heap_new(s->outcome_count, sizeof(*groups->decided));
    qsort(groups->items, groups->count, sizeof(*groups->items), by_group);
    return BERTH_OK;
}

void schedule_groups_free(schedule_groups *groups)
{
    free(groups->items);
    free(groups->decided);
    *groups = (schedule_groups){0};
}

/* The pending pods of one group. */
static const grouped_outcome *find(const schedule_groups *groups, const berth_pod_info *pod,
                                   uint32_t *count)
{
    const grouped_outcome wanted = group_of(pod);
    uint64_t low = 0, high = groups->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (by_group(&groups->items[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    for (; low + *count < groups->count; ++*count) {
        grouped_outcome one = groups->items[low + *count];
        one.at = 0;
        if (by_group(&one, &wanted) != 0)
            break;
    }
    return &groups->items[low];
}

/* ---- placing one ---- */

typedef struct group_message {
    char *group, *text;
} group_message;

/* A group in progress: its pods, and what became of them. */
typedef struct placing {
    schedule *schedule;
    const grouped_outcome *members;
    uint32_t count;
    berth_pod_id *pods;
    berth_node_id *nodes, *nominated;
    char message[MESSAGE_MAX];
    berth_pod_group_outcome outcome;
    group_message *messages; /* of the PodGroups that were not placed */
    size_t message_count, message_capacity;
} placing;

/* The engine's function that tells of each PodGroup. */
static void keep_message(void *context, const berth_pod_group_result *result)
{
    placing *p = context;
    if (result->verdict == BERTH_VERDICT_PLACED)
        return;
    p->messages =
        heap_grow(p->messages, &p->message_capacity, p->message_count + 1, sizeof(*p->messages));
    p->messages[p->message_count++] =
        (group_message){heap_text(result->name.data, result->name.len),
                        heap_text(result->message.data, result->message.len)};
}

/* The message of a pod's own PodGroup; NULL: that one was placed. */
static const char *message_of(const placing *p, uint32_t member)
{
    const schedule *s = p->schedule;
    berth_pod_info pod = {.size = sizeof(pod)};
    if (berth_engine_pod_info(s->engine, s->outcomes[p->members[member].at].pod, &pod, NULL) !=
        BERTH_OK)
        return NULL;
    for (size_t i = 0; i < p->message_count; i++)
        if (compare_texts(words_of(p->messages[i].group), pod.pod_group) == 0)
            return p->messages[i].text;
    return NULL;
}

static void say(const placing *p, const char *message)
{
    schedule *s = p->schedule;
    for (uint32_t i = 0; i < p->count; i++)
        schedule_note_refusal(s, &s->outcomes[p->members[i].at], words_of(message));
}

/* Say of each pod what its own PodGroup says. */
static void say_by_group(const placing *p)
{
    schedule *s = p->schedule;
    for (uint32_t i = 0; i < p->count; i++) {
        const char *message = message_of(p, i);
        schedule_note_refusal(s, &s->outcomes[p->members[i].at],
                              words_of(message != NULL ? message : p->message));
    }
}

/* The first member names the victims, because they are evicted for the whole group. */
static void note_victims(const placing *p)
{
    schedule *s = p->schedule;
    outcome *first = &s->outcomes[p->members[0].at];
    for (uint32_t i = 0; i < p->count; i++)
        s->preempting_count += p->nominated[i] != BERTH_NODE_NONE;
    first->first_victim = s->victim_count;
    first->victim_count = p->outcome.victim_count;
    s->victims = heap_grow(s->victims, &s->victim_capacity, s->victim_count + first->victim_count,
                           sizeof(*s->victims));
    memcpy(&s->victims[s->victim_count], p->outcome.victims,
           first->victim_count * sizeof(*s->victims));
    s->victim_count += first->victim_count;
}

/* A member that was left out: outside its group's domain, or now that the others are placed, it may
 * fit. */
static berth_status explain_left_out(schedule *s, outcome *result, berth_error *error)
{
    const berth_decide_options options = {
        .size = sizeof(options), .flags = BERTH_DECIDE_KEEP_ROTATION | BERTH_DECIDE_SEARCH_ONLY};
    berth_placement alone;
    TRY(berth_engine_decide(s->engine, result->pod, &options, &alone, error));
    if (alone.verdict != BERTH_VERDICT_PLACED)
        return schedule_explain(s, result, error);
    schedule_note_refusal(s, result,
                          words_of("left out by its PodGroup; by itself it would fit a node"));
    return BERTH_OK;
}

static berth_status note_placed(const placing *p, berth_error *error)
{
    schedule *s = p->schedule;
    s->last.valid = false;
    for (uint32_t i = 0; i < p->count; i++) {
        outcome *result = &s->outcomes[p->members[i].at];
        result->node = p->nodes[i];
        const char *message = result->node == BERTH_NODE_NONE ? message_of(p, i) : NULL;
        if (message != NULL)
            schedule_note_refusal(s, result, words_of(message));
        else if (result->node == BERTH_NODE_NONE)
            TRY(explain_left_out(s, result, error));
        else
            TRY(claim_book_placed(&s->input.claims, s->engine, result->pod, error));
        s->bound_count += result->node != BERTH_NODE_NONE;
    }
    return BERTH_OK;
}

static berth_status note(placing *p, berth_error *error)
{
    if (p->outcome.verdict == BERTH_VERDICT_PLACED)
        return note_placed(p, error);
    for (uint32_t i = 0; i < p->count; i++)
        p->schedule->outcomes[p->members[i].at].nominated = p->nominated[i];
    if (p->outcome.preempts)
        note_victims(p);
    say_by_group(p);
    return BERTH_OK;
}

/* A pod whose PodGroup, or a group above that, does not exist waits for it. */
static berth_status wait_for_group(placing *p)
{
    const grouped_outcome *group = &p->members[0];
    snprintf(p->message, sizeof(p->message),
             group->composite
                 ? "waiting for composite pod group \"%.*s\""
                 : "waiting for pods's pod group \"%.*s\" to appear in scheduling queue",
             (int)group->group.len, group->group.data);
    say(p, p->message);
    return BERTH_OK;
}

static berth_status place(placing *p, berth_error *error)
{
    schedule *s = p->schedule;
    berth_counts counts;
    berth_engine_counts(s->engine, &counts);
    const size_t pods_max = (size_t)counts.pods_running + 1;
    p->outcome = (berth_pod_group_outcome){.size = sizeof(p->outcome),
                                           .victim_capacity = (uint32_t)pods_max,
                                           .nodes = p->nodes,
                                           .nominated = p->nominated,
                                           .victims = heap_new(pods_max, sizeof(berth_pod_id)),
                                           .message = p->message,
                                           .message_capacity = sizeof(p->message),
                                           .of_group = keep_message,
                                           .context = p,
                                           .waits = true};
    berth_status status =
        berth_engine_schedule_pod_group(s->engine, p->pods, p->count, &p->outcome, error);
    if (status == BERTH_OK)
        status = note(p, error);
    else if (status == BERTH_E_NOT_FOUND)
        status = wait_for_group(p);
    else if (status == BERTH_E_INVALID) { /* a tree that no scheduler would place */
        say(p, error->message);
        status = BERTH_OK;
    }
    free(p->outcome.victims);
    return status;
}

berth_status schedule_groups_place(schedule_groups *groups, schedule *s, uint64_t at, bool *alone,
                                   berth_error *error)
{
    berth_pod_info pod = {.size = sizeof(pod)};
    *alone = false;
    if (groups->count > 0)
        TRY(berth_engine_pod_info(s->engine, s->outcomes[at].pod, &pod, error));
    if (pod.pod_group.len == 0 || cluster_input_skipped(&s->input, s->outcomes[at].pod) != NULL) {
        *alone = true;
        return BERTH_OK;
    }
    if (groups->decided[at])
        return BERTH_OK;
    placing p = {.schedule = s};
    p.members = find(groups, &pod, &p.count);
    p.pods = heap_new(p.count, sizeof(*p.pods));
    p.nodes = heap_new(p.count, sizeof(*p.nodes));
    p.nominated = heap_new(p.count, sizeof(*p.nominated));
    for (uint32_t i = 0; i < p.count; i++) {
        groups->decided[p.members[i].at] = true;
        s->outcomes[p.members[i].at].of_group = true;
        p.pods[i] = s->outcomes[p.members[i].at].pod;
    }
    berth_status status = place(&p, error);
    for (size_t i = 0; i < p.message_count; i++) {
        free(p.messages[i].group);
        free(p.messages[i].text);
    }
    free(p.messages);
    free(p.pods);
    free(p.nodes);
    free(p.nominated);
    return status;
}
