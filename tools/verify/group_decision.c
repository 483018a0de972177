/* Replays decisions about PodGroups. */
#include "verify/group_decision.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"
#include "verify/decision_json.h"

enum { VICTIMS_MAX = 4096, MESSAGE_MAX = 4096 };

const json_t *group_decision_members(const json_t *decision)
{
    return json_object_get(decision, "members");
}

/* ---- comparing ---- */

static json_t *node_text(const berth_engine *engine, berth_node_id node)
{
    return node == BERTH_NODE_NONE ? json_null()
                                   : decision_json_text(berth_engine_node_name(engine, node));
}

static json_t *pod_text(const berth_engine *engine, berth_pod_id pod)
{
    char text[1024];
    berth_str space, name;
    berth_engine_pod_name(engine, pod, &space, &name);
    snprintf(text, sizeof(text), "%.*s/%.*s", (int)space.len, space.data, (int)name.len, name.data);
    return json_string(text);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(json_string_value(*(json_t *const *)a), json_string_value(*(json_t *const *)b));
}

/* The list with its texts sorted; it takes over the list. */
static json_t *sorted(json_t *list)
{
    const size_t count = json_array_size(list);
    json_t **items = heap_new(count + 1, sizeof(json_t *));
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++)
        items[i] = json_array_get(list, i);
    qsort(items, count, sizeof(json_t *), by_text);
    for (size_t i = 0; i < count; i++)
        json_array_append(out, items[i]);
    free(items);
    json_decref(list);
    return out;
}

static json_t *member_text(const json_t *member, const char *key)
{
    json_t *value = json_object_get(member, key);
    return value != NULL ? json_incref(value) : json_null();
}

static json_t *or_nothing(const json_t *decision, const char *key)
{
    json_t *value = json_object_get(decision, key);
    return value != NULL ? json_deep_copy(value) : json_array();
}

static json_t *expected_of(const json_t *decision)
{
    json_t *bound = json_array(), *nominated = json_array(), *ended = json_array();
    size_t index;
    json_t *member;
    json_array_foreach(group_decision_members(decision), index, member)
    {
        json_array_append_new(bound, member_text(member, "bound"));
        json_array_append_new(nominated, member_text(member, "nominated"));
        json_array_append_new(ended, json_boolean(json_is_true(json_object_get(member, "ended"))));
    }
    json_t *message = json_object_get(decision, "messages");
    if (message == NULL)
        message = json_object_get(decision, "message");
    return json_pack("{sOsOsososososo}", "start", json_object_get(decision, "start"), "next",
                     json_object_get(decision, "next"), "bound", bound, "nominated", nominated,
                     "ended", ended, "victims", sorted(or_nothing(decision, "victims")), "message",
                     message != NULL ? json_incref(message) : json_string(""));
}

static void note_message(void *context, const berth_pod_group_result *result)
{
    const berth_str text = result->message.data != NULL ? result->message : (berth_str){"", 0};
    json_object_setn_new(context, result->name.data, result->name.len, decision_json_text(text));
}

/* `messages`: by PodGroup; NULL: the decision is about a single one. It is taken over. */
static json_t *found_of(const berth_engine *engine, const berth_pod_group_outcome *outcome,
                        size_t count, json_t *messages)
{
    json_t *bound = json_array(), *nominated = json_array(), *ended = json_array();
    json_t *victims = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(bound, node_text(engine, outcome->nodes[i]));
        json_array_append_new(nominated, node_text(engine, outcome->nominated[i]));
        json_array_append_new(ended, json_boolean(outcome->ended[i]));
    }
    for (uint32_t i = 0; i < outcome->victim_count && i < outcome->victim_capacity; i++)
        json_array_append_new(victims, pod_text(engine, outcome->victims[i]));
    return json_pack("{sIsIsososososo}", "start", (json_int_t)outcome->start, "next",
                     (json_int_t)outcome->next, "bound", bound, "nominated", nominated, "ended",
                     ended, "victims", sorted(victims), "message",
                     messages != NULL ? json_incref(messages) : json_string(outcome->message));
}

berth_status group_decision_take(berth_engine *engine, const json_t *decision,
                                 const berth_pod_id *pods, json_t **expected, json_t **found,
                                 berth_error *error)
{
    const size_t count = json_array_size(group_decision_members(decision));
    berth_node_id *nodes = heap_new(2 * count + 1, sizeof(*nodes));
    berth_pod_id *victims = heap_new(VICTIMS_MAX, sizeof(*victims));
    char *message = heap_new(MESSAGE_MAX, 1);
    bool *ended = heap_new(count + 1, sizeof(*ended));
    berth_pod_group_outcome outcome = {.size = sizeof(outcome),
                                       .victim_capacity = VICTIMS_MAX,
                                       .nodes = nodes,
                                       .nominated = nodes + count,
                                       .ended = ended,
                                       .victims = victims,
                                       .message = message,
                                       .message_capacity = MESSAGE_MAX};
    json_t *messages = NULL;
    if (json_object_get(decision, "messages") != NULL) {
        outcome.of_group = note_message;
        outcome.context = messages = json_object();
    }
    berth_status status =
        berth_engine_schedule_pod_group(engine, pods, (uint32_t)count, &outcome, error);
    if (status == BERTH_OK) {
        *expected = expected_of(decision);
        *found = found_of(engine, &outcome, count, messages);
    }
    json_decref(messages);
    free(nodes);
    free(victims);
    free(ended);
    free(message);
    return status;
}

/* ---- consequences ---- */

static berth_status find_node(const berth_engine *engine, const json_t *member, const char *key,
                              berth_node_id *out, berth_error *error)
{
    const char *name = json_string_value(json_object_get(member, key));
    *out = BERTH_NODE_NONE;
    if (name == NULL)
        return BERTH_OK;
    *out = berth_engine_find_node(engine, words_of(name));
    return *out != BERTH_NODE_NONE
               ? BERTH_OK
               : error_set(error, BERTH_E_NOT_FOUND, NULL, "%s: there is no node '%s'", key, name);
}

static berth_status put_member(berth_engine *engine, const json_t *member, berth_pod_id pod,
                               berth_error *error)
{
    berth_node_id node, nominated;
    const berth_node_id now = berth_engine_pod_node(engine, pod);
    TRY(find_node(engine, member, "bound", &node, error));
    TRY(find_node(engine, member, "nominated", &nominated, error));
    if (now != node && now != BERTH_NODE_NONE)
        TRY(berth_engine_unbind(engine, pod, error));
    if (now != node && node != BERTH_NODE_NONE)
        return berth_engine_bind(engine, pod, node, error);
    if (node == BERTH_NODE_NONE &&
        (nominated != BERTH_NODE_NONE || json_is_true(json_object_get(member, "ended"))))
        return berth_engine_nominate(engine, pod, nominated, error);
    return BERTH_OK;
}

/* The API server confirms the bindings one by one, after all of them were assumed: each pod leaves
 * the list of its node and comes back at its end, so the list can change its order. */
static berth_status confirm(berth_engine *engine, berth_pod_id pod, berth_error *error)
{
    const berth_node_id node = berth_engine_pod_node(engine, pod);
    if (node == BERTH_NODE_NONE)
        return BERTH_OK;
    TRY(berth_engine_unbind(engine, pod, error));
    return berth_engine_bind(engine, pod, node, error);
}

berth_status group_decision_follow(berth_engine *engine, const json_t *decision,
                                   const berth_pod_id *pods, berth_error *error)
{
    size_t index;
    json_t *member;
    json_array_foreach(group_decision_members(decision), index, member)
        TRY(put_member(engine, member, pods[index], error));
    for (size_t i = 0; i < index; i++)
        TRY(confirm(engine, pods[i], error));
    return BERTH_OK;
}
