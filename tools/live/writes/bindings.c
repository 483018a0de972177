/* Each binding is a task on the lane of bindings, whose limit is the flow window. */
#include "live/writes/bindings.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/heap.h"
#include "live/log/log.h"
#include "live/writes/json_text.h"

static const int64_t second_ns = 1000000000;

enum {
    ERRORS_MAX = 8,  /* after this many errors, read the pod instead */
    TRY_LIFE_S = 40, /* a request that is older than this can no longer take effect */
    BACKOFF_FIRST_MS = 200,
    BACKOFF_MAX_S = 5,
    EXTENDER_AT_ONCE = 64, /* requests to an extender at a time */
};

typedef struct binding {
    write_task task; /* must be first: task and binding are cast to each other */
    bindings *all;
    struct binding *before, *next;
    uint64_t id;
    write_pod *pod;
    char *node;
    int64_t put_ns, unsure_until_ns; /* until when an attempt may still take effect; 0: none may */
    unsigned errors;                 /* answers with an error */
    bool asks, seen, dropped, node_gone;
} binding;

struct bindings {
    write_lane lane;
    bind_extender extender;
    write_gate extender_gate; /* the extender is another server */
    write_lane extender_lane;
    flow_window window;
    bind_settled_fn settled;
    void *context;
    binding *first;
    size_t count;
};

bindings *bindings_create(write_gate *gate, bind_settled_fn settled, void *context)
{
    bindings *b = heap_new(1, sizeof(*b));
    flow_window_init(&b->window, live_now(gate->transport));
    write_lane_open(&b->lane, gate, LIVE_BINDINGS, b->window.size, "create pods/binding");
    b->settled = settled;
    b->context = context;
    return b;
}

void bindings_use_extender(bindings *b, const bind_extender *extender)
{
    b->extender = *extender;
    b->extender_gate =
        (write_gate){.transport = extender->transport, .fence_ns = b->lane.gate->fence_ns};
    write_lane_open(&b->extender_lane, &b->extender_gate, LIVE_BINDINGS, EXTENDER_AT_ONCE,
                    "bind by extender");
    b->extender_lane.timeout_ns = extender->timeout_ns;
}

void bindings_fence(bindings *b, int64_t fence_ns)
{
    if (b->extender.transport != NULL)
        write_gate_fence(&b->extender_gate, fence_ns);
}

static void free_binding(binding *x)
{
    write_task_clear(&x->task);
    free(x->pod);
    free(x->node);
    free(x);
}

/* Unlinks the binding and cancels its requests. */
static void take_out(binding *x)
{
    bindings *b = x->all;
    write_task_drop(&x->task);
    *(x->before != NULL ? &x->before->next : &b->first) = x->next;
    if (x->next != NULL)
        x->next->before = x->before;
    b->count--;
}

static void remove_binding(binding *x)
{
    take_out(x);
    free_binding(x);
}

void bindings_destroy(bindings *b)
{
    if (b == NULL)
        return;
    for (binding *x = b->first, *next; x != NULL; x = next) {
        next = x->next;
        free_binding(x);
    }
    write_lane_close(&b->lane);
    if (b->extender.transport != NULL)
        write_lane_close(&b->extender_lane);
    free(b);
}

static int64_t now_of(const bindings *b)
{
    return live_now(b->lane.gate->transport);
}

/* Reports the outcome, unless it was dropped, and frees the binding. The callback may drop the same
 * id at once, because the deciding thread then knows the outcome. */
static void settle(binding *x, bind_verdict verdict, const char *why)
{
    bindings *b = x->all;
    const bind_outcome outcome = {.id = x->id,
                                  .verdict = verdict,
                                  .pod = x->pod,
                                  .node = write_str(x->node),
                                  .why = verdict == BIND_BOUND ? "" : why,
                                  .tries = x->task.tries,
                                  .duration_ns = now_of(b) - x->put_ns};
    take_out(x);
    if (!x->dropped)
        b->settled(b->context, &outcome);
    free_binding(x);
}

/* Whether an earlier attempt may still take effect. */
static bool is_unsure(const binding *x)
{
    return now_of(x->all) < x->unsure_until_ns;
}

/* ---- reading the pod ---- */

static void on_asked(write_task *task, const live_answer *answer);

/* Read the pod once no attempt can take effect any more. */
static void ask_later(binding *x, int64_t delay_ns)
{
    int64_t rest_ns = x->unsure_until_ns - now_of(x->all);
    x->asks = true;
    write_task_again(&x->task, rest_ns > delay_ns ? rest_ns : delay_ns);
}

static void begin_asking(binding *x)
{
    x->task.method = "GET";
    x->task.content_type = NULL;
    x->task.answered = on_asked;
    free(x->task.path);
    x->task.path = write_path("/api/v1/namespaces/%.*s/pods/%.*s",
                              WRITE_ARG(x->pod->namespace_name), WRITE_ARG(x->pod->name));
    ask_later(x, 0);
}

static void take_pod(binding *x, berth_str body)
{
    json_t *pod = json_loadb(body.data, body.len, 0, NULL);
    const json_t *spec = json_object_get(pod, "spec");
    berth_str uid =
        write_str(json_string_value(json_object_get(json_object_get(pod, "metadata"), "uid")));
    berth_str node = write_str(json_string_value(json_object_get(spec, "nodeName")));
    bool is_pod = json_is_object(spec);
    bool same = x->pod->uid.len == 0 || write_str_equal(uid, x->pod->uid);
    bool ours = write_str_equal(node, write_str(x->node));
    bool has_node = node.len > 0;
    json_decref(pod);
    if (!is_pod)
        ask_later(x, BACKOFF_MAX_S * second_ns);
    else if (!same || (has_node && !ours))
        settle(x, BIND_REFUSED, same ? "the pod is on another node" : "it is another pod by now");
    else if (has_node)
        settle(x, BIND_BOUND, "");
    else
        settle(x, BIND_FAILED, "the API server answers with errors");
}

static void on_asked(write_task *task, const live_answer *answer)
{
    binding *x = (binding *)task;
    write_result result = write_result_of(answer);
    if (x->seen)
        settle(x, BIND_BOUND, "");
    else if (x->dropped || result == WRITE_GONE)
        settle(x, BIND_REFUSED, "the pod is gone");
    else if (result == WRITE_DONE)
        take_pod(x, answer->body);
    else
        ask_later(x, write_delay(x->all->lane.gate, BACKOFF_MAX_S * second_ns));
}

/* ---- writing ---- */

/* `already assigned to node "X"`, where X is our node. */
static bool is_ours_already(const binding *x, const char *message)
{
    static const char words[] = "already assigned to node \"";
    const char *node = strstr(message, words);
    size_t length = strlen(x->node);
    if (node == NULL)
        return false;
    node += sizeof(words) - 1;
    return strncmp(node, x->node, length) == 0 && node[length] == '"';
}

static void try_again(binding *x, const live_answer *answer, int64_t max_ns)
{
    write_task_retry(&x->task, answer, x->task.tries, BACKOFF_FIRST_MS * second_ns / 1000, max_ns);
}

/* This attempt has not bound the pod. */
static void not_done(binding *x, const live_answer *answer, write_result result)
{
    if (answer->status == 429)
        flow_window_pushback(&x->all->window, x->task.sent_ns, now_of(x->all));
    if (x->dropped || (x->all->lane.ends && !is_unsure(x))) {
        x->dropped = true;
        settle(x, BIND_FAILED, "");
        return;
    }
    if (result == WRITE_ERROR && ++x->errors >= ERRORS_MAX)
        begin_asking(x);
    else
        try_again(x, answer, BACKOFF_MAX_S * second_ns);
}

static void refused(binding *x, const live_answer *answer)
{
    server_status status;
    server_status_read(&status, answer->body);
    if (is_ours_already(x, status.message))
        settle(x, BIND_BOUND, "");
    else
        settle(x, BIND_REFUSED, status.message);
}

/* The server does not understand our request: a permanent error of ours. */
static void bad(binding *x, const live_answer *answer)
{
    server_status status;
    server_status_read(&status, answer->body);
    LOG_ERROR("the API server does not understand a binding", "message", status.message);
    settle(x, BIND_FAILED, status.message);
}

static bool is_bad(const live_answer *answer, write_result result)
{
    return result == WRITE_BAD ||
           (result == WRITE_ERROR && answer->status == 500 && answer->body.len > 0 &&
            memmem(answer->body.data, answer->body.len, "target.", 7) != NULL);
}

static void unsure(binding *x, const live_answer *answer)
{
    int64_t now_ns = now_of(x->all);
    x->unsure_until_ns = x->task.sent_ns + TRY_LIFE_S * second_ns;
    flow_window_pushback(&x->all->window, x->task.sent_ns, now_ns);
    if (x->dropped)
        settle(x, BIND_FAILED, "");
    else if (x->node_gone)
        settle(x, BIND_FAILED, "the node is gone");
    else
        try_again(x, answer, BACKOFF_MAX_S * second_ns);
}

static void on_posted(write_task *task, const live_answer *answer)
{
    binding *x = (binding *)task;
    bindings *b = x->all;
    write_result result = write_result_of(answer);
    if (result == WRITE_DONE)
        flow_window_success(&b->window, task->sent_ns, now_of(b));
    if (result == WRITE_DONE || x->seen)
        settle(x, BIND_BOUND, "");
    else if (result == WRITE_GONE)
        settle(x, BIND_REFUSED, "the pod is gone");
    else if (result == WRITE_CONFLICT)
        refused(x, answer);
    else if (is_bad(answer, result))
        bad(x, answer);
    else if (result == WRITE_UNSURE)
        unsure(x, answer);
    else if (x->node_gone)
        settle(x, BIND_FAILED, "the node is gone");
    else
        not_done(x, answer, result);
    b->lane.limit = b->window.size;
}

static char *binding_body(const write_pod *pod, berth_str node)
{
    json_text text = {0};
    json_text_pair(
        &text, "{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":", pod->name);
    json_text_pair(&text, ",\"namespace\":", pod->namespace_name);
    if (pod->uid.len > 0)
        json_text_pair(&text, ",\"uid\":", pod->uid);
    json_text_pair(&text, "},\"target\":{\"kind\":\"Node\",\"name\":", node);
    json_text_part(&text, "}}");
    return text.data;
}

/* ---- by extender ---- */

static char *extender_body(const write_pod *pod, berth_str node)
{
    return write_json_text(json_pack("{so so so so}", "PodName", write_json_str(pod->name),
                                     "PodNamespace", write_json_str(pod->namespace_name), "PodUID",
                                     write_json_str(pod->uid), "Node", write_json_str(node)));
}

/* The error in the extender's answer to a binding; "" if there is none. NULL: the answer is
 * malformed. */
static char *extender_error(berth_str body)
{
    json_t *result =
        json_loadb(body.data, body.len, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, NULL);
    const char *key, *error = NULL;
    json_t *value;
    json_object_foreach(result, key, value)
    {
        if (strcasecmp(key, "Error") == 0)
            error = json_string_value(value);
    }
    const bool is_result = json_is_object(result) || json_is_null(result);
    char *own = is_result ? write_path("%s", error != NULL ? error : "") : NULL;
    json_decref(result);
    return own;
}

/* In kube-scheduler's words. Owner: freed with free. */
static char *extender_failure(const binding *x, const live_answer *answer)
{
    if (answer->outcome != LIVE_ANSWERED)
        return write_path("Post \"%s\": %s", x->task.path, answer->why);
    if (answer->status != 200)
        return write_path("failed bind with extender at URL %s, code %d", x->task.path,
                          answer->status);
    char *error = extender_error(answer->body);
    return error != NULL ? error : write_path("the extender's answer is none");
}

static void ask_server(binding *x)
{
    free(x->task.path);
    free(x->task.body);
    x->task.path = write_path("/api/v1/namespaces/%.*s/pods/%.*s/binding",
                              WRITE_ARG(x->pod->namespace_name), WRITE_ARG(x->pod->name));
    x->task.body = binding_body(x->pod, write_str(x->node));
    x->task.answered = on_posted;
    write_lane_put(&x->all->lane, &x->task, false);
}

static void on_extended(write_task *task, const live_answer *answer)
{
    binding *x = (binding *)task;
    char *failure = x->seen ? NULL : extender_failure(x, answer);
    if (failure == NULL || failure[0] == '\0') {
        settle(x, BIND_BOUND, "");
    } else if (x->all->extender.ignorable && !x->dropped && !x->node_gone) {
        LOG_WARNING("an extender did not bind a pod and is left out", "error", failure);
        ask_server(x);
    } else {
        settle(x, BIND_FAILED, failure);
    }
    free(failure);
}

/* ---- orders ---- */

void bindings_put(bindings *b, uint64_t id, const write_pod *pod, berth_str node)
{
    const bool extended = pod->by_extender && b->extender.transport != NULL;
    binding *x = heap_new(1, sizeof(*x));
    x->all = b;
    x->id = id;
    x->pod = write_pod_copy(pod);
    x->node = heap_text(node.data, node.len);
    x->put_ns = now_of(b);
    x->task = (write_task){.method = "POST",
                           .content_type = "application/json",
                           .path = write_path("/api/v1/namespaces/%.*s/pods/%.*s/binding",
                                              WRITE_ARG(pod->namespace_name), WRITE_ARG(pod->name)),
                           .body = binding_body(pod, node),
                           .answered = on_posted};
    x->next = b->first;
    if (b->first != NULL)
        b->first->before = x;
    b->first = x;
    b->count++;
    if (extended) {
        free(x->task.path);
        free(x->task.body);
        x->task.path = write_path("%s", b->extender.path);
        x->task.body = extender_body(pod, node);
        x->task.answered = on_extended;
    }
    write_lane_put(extended ? &b->extender_lane : &b->lane, &x->task, false);
}

/* ---- news from the watch ---- */

void bindings_drop(bindings *b, uint64_t id)
{
    binding *x = b->first;
    while (x != NULL && x->id != id)
        x = x->next;
    if (x == NULL)
        return;
    x->dropped = true;
    if (!write_task_is_sent(&x->task))
        remove_binding(x);
}

void bindings_pod_seen(bindings *b, berth_str namespace_name, berth_str name, berth_str uid,
                       berth_str node)
{
    for (binding *x = b->first; x != NULL; x = x->next) {
        if (!write_str_equal(x->pod->name, name) ||
            !write_str_equal(x->pod->namespace_name, namespace_name) ||
            !write_str_equal(write_str(x->node), node) ||
            (x->pod->uid.len > 0 && uid.len > 0 && !write_str_equal(x->pod->uid, uid)))
            continue;
        x->seen = true;
        if (!write_task_is_sent(&x->task))
            settle(x, BIND_BOUND, "");
        return;
    }
}

void bindings_node_gone(bindings *b, berth_str node)
{
    binding *next;
    for (binding *x = b->first; x != NULL; x = next) {
        next = x->next;
        if (!write_str_equal(write_str(x->node), node))
            continue;
        x->node_gone = true;
        if (!write_task_is_sent(&x->task))
            settle(x, BIND_FAILED, "the node is gone");
    }
}

void bindings_end(bindings *b)
{
    binding *next;
    b->lane.ends = b->extender_lane.ends = true;
    for (binding *x = b->first; x != NULL; x = next) {
        next = x->next;
        if (x->task.tries == 0 || (!write_task_is_sent(&x->task) && !is_unsure(x)))
            remove_binding(x);
    }
}

/* ---- queries ---- */

size_t bindings_count(const bindings *b)
{
    return b->count;
}

size_t bindings_unsettled(const bindings *b)
{
    size_t count = 0;
    for (const binding *x = b->first; x != NULL; x = x->next)
        count += x->task.tries > 0;
    return count;
}

size_t bindings_window(const bindings *b)
{
    return b->window.size;
}

bool bindings_denied(const bindings *b)
{
    return b->lane.denied;
}

uint64_t bindings_requests(const bindings *b)
{
    return b->lane.asked;
}
