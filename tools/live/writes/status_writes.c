/* An entry for each object whose status was written. It is either working or resting: then it only
 * records what was written until the watch shows it. */
#include "live/writes/status_writes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "live/log/log.h"
#include "live/writes/text_map.h"

enum { IN_FLIGHT = 8, TRIES_MAX = 4, KEY_BYTES = 640 };

static const int64_t first_backoff_ns = 10000000, last_backoff_ns = INT64_C(30000000000);

typedef struct status_entry {
    write_task task; /* must be first: task and status_entry are cast to each other */
    status_writes *all;
    struct status_entry *before, *next;
    char *key;
    uint64_t wanted;  /* hash of the last requested state */
    uint64_t carried; /* hash of the state in the task's body */
    uint64_t version; /* resting: version of the object after the write */
    char *condition;  /* JSON; NULL: unchanged */
    nomination nomination;
    char *node;
    char *uid;
    unsigned errors;
    bool held;           /* the last requested status was True */
    bool works, changed; /* queued, sent or waiting; request changed since it was sent */
} status_entry;

const status_kind status_of_pods = {.lane = "patch pods/status",
                                    .base = "/api/v1",
                                    .resource = "pods",
                                    .condition = "PodScheduled",
                                    .probes = true};
const status_kind status_of_pod_groups = {.lane = "patch podgroups/status",
                                          .base = "/apis/scheduling.k8s.io/v1beta1",
                                          .resource = "podgroups",
                                          .condition = "PodGroupInitiallyScheduled"};

struct status_writes {
    const status_kind *kind;
    write_lane lane;
    bool observed_generation;
    text_map by_object;
    status_entry *first;
};

status_writes *status_writes_create(write_gate *gate, const status_kind *kind,
                                    bool observed_generation)
{
    status_writes *s = heap_new(1, sizeof(*s));
    s->kind = kind;
    write_lane_open(&s->lane, gate, LIVE_WRITES, IN_FLIGHT, kind->lane);
    s->observed_generation = observed_generation;
    return s;
}

static void free_entry(status_entry *e)
{
    write_task_clear(&e->task);
    free(e->key);
    free(e->condition);
    free(e->node);
    free(e->uid);
    free(e);
}

static void remove_entry(status_entry *e)
{
    status_writes *s = e->all;
    *(e->before != NULL ? &e->before->next : &s->first) = e->next;
    if (e->next != NULL)
        e->next->before = e->before;
    text_map_remove(&s->by_object, write_str(e->key));
    free_entry(e);
}

void status_writes_destroy(status_writes *s)
{
    if (s == NULL)
        return;
    for (status_entry *e = s->first, *next; e != NULL; e = next) {
        next = e->next;
        free_entry(e);
    }
    text_map_free(&s->by_object);
    write_lane_close(&s->lane);
    free(s);
}

static berth_str key_of(char buffer[KEY_BYTES], const write_pod *pod)
{
    snprintf(buffer, KEY_BYTES, "%.*s/%.*s/%.*s", WRITE_ARG(pod->namespace_name),
             WRITE_ARG(pod->name), WRITE_ARG(pod->uid));
    return write_str(buffer);
}

/* ---- current and wanted state ---- */

static uint64_t mix(uint64_t hash, berth_str text)
{
    return (hash ^ text_map_hash(text)) * 0xd6e8feb86659fd93U;
}

static uint64_t hash_of(const wanted_condition *condition, berth_str nominated)
{
    return mix(mix(mix(1 + condition->holds, write_str(condition->reason)), condition->message),
               nominated);
}

static const char *status_of(const wanted_condition *condition)
{
    return condition->holds ? "True" : "False";
}

/* The condition that the watch shows, and since when it has the wanted status. */
typedef struct shown_condition {
    json_t *root;
    berth_str reason, message;
    bool same;         /* its status is as wanted */
    const char *since; /* NULL: it is not */
} shown_condition;

static shown_condition read_shown(const write_pod *pod, const wanted_condition *condition)
{
    shown_condition shown = {.root = NULL};
    if (pod->scheduled.len > 0)
        shown.root = json_loadb(pod->scheduled.data, pod->scheduled.len, 0, NULL);
    const char *status = json_string_value(json_object_get(shown.root, "status"));
    shown.reason = write_str(json_string_value(json_object_get(shown.root, "reason")));
    shown.message = write_str(json_string_value(json_object_get(shown.root, "message")));
    shown.same = status != NULL && strcmp(status, status_of(condition)) == 0;
    if (shown.same)
        shown.since = json_string_value(json_object_get(shown.root, "lastTransitionTime"));
    return shown;
}

static berth_str nominated_after(const write_pod *pod, const wanted_condition *condition)
{
    if (condition->nomination == NOMINATION_STAYS)
        return pod->nominated;
    return condition->nomination == NOMINATION_SET ? condition->node : (berth_str){0};
}

/* Whether the watch already shows the requested state. */
static bool is_shown(const write_pod *pod, const wanted_condition *condition,
                     const shown_condition *shown)
{
    bool same = condition->reason == NULL ||
                (shown->same && write_str_equal(shown->reason, write_str(condition->reason)) &&
                 write_str_equal(shown->message, condition->message));
    return same && write_str_equal(nominated_after(pod, condition), pod->nominated);
}

/* ---- the patch ---- */

static char *condition_text(const status_writes *s, const write_pod *pod,
                            const wanted_condition *condition, const shown_condition *shown)
{
    char now[WRITE_TIME_BYTES];
    write_time(now, live_wall(s->lane.gate->transport));
    json_t *c = s->kind->probes ? json_pack("{sn}", "lastProbeTime") : json_object();
    json_object_update_new(c, json_pack("{ss so ss ss ss}", "lastTransitionTime",
                                        shown->since != NULL ? shown->since : now, "message",
                                        write_json_str(condition->message), "reason",
                                        condition->reason, "status", status_of(condition), "type",
                                        s->kind->condition));
    if (s->observed_generation && pod->generation > 0)
        json_object_set_new(c, "observedGeneration", json_integer(pod->generation));
    return write_json_text(c);
}

static char *patch_body(const status_entry *e)
{
    json_t *status = json_object();
    if (e->condition != NULL) {
        json_t *conditions = json_array();
        json_array_append_new(conditions, json_loads(e->condition, 0, NULL));
        json_object_set_new(status, "conditions", conditions);
    }
    if (e->nomination != NOMINATION_STAYS)
        json_object_set_new(status, "nominatedNodeName",
                            e->nomination == NOMINATION_SET ? write_json_str(write_str(e->node))
                                                            : json_null());
    json_t *patch = json_pack("{so}", "status", status);
    if (e->uid[0] != '\0')
        json_object_set_new(patch, "metadata",
                            json_pack("{so}", "uid", write_json_str(write_str(e->uid))));
    return write_json_text(patch);
}

static void renew_body(status_entry *e)
{
    free(e->task.body);
    e->task.body = patch_body(e);
    e->carried = e->wanted;
}

/* The write succeeded: keep only that fact and the version. */
static void rest(status_entry *e, berth_str body)
{
    json_t *pod = json_loadb(body.data, body.len, 0, NULL);
    const char *version =
        json_string_value(json_object_get(json_object_get(pod, "metadata"), "resourceVersion"));
    e->version = version != NULL ? strtoull(version, NULL, 10) : 0;
    json_decref(pod);
    if (e->version == 0) {
        remove_entry(e);
        return;
    }
    free(e->condition);
    free(e->node);
    free(e->task.body);
    e->condition = e->node = e->task.body = NULL;
    e->nomination = NOMINATION_STAYS;
    e->works = false;
}

static void try_again(status_entry *e, const live_answer *answer)
{
    int64_t delay_ns = first_backoff_ns;
    for (unsigned i = 1; i < e->task.tries && delay_ns < last_backoff_ns; i++)
        delay_ns *= 5;
    if (delay_ns > last_backoff_ns)
        delay_ns = last_backoff_ns;
    if (answer->retry_after_ns > delay_ns)
        delay_ns = answer->retry_after_ns;
    write_task_again(&e->task, delay_ns);
}

static void give_up(status_entry *e, const live_answer *answer)
{
    server_status status;
    server_status_read(&status, answer->body);
    LOG_INFO(1, "a status was not written", e->all->kind->resource, e->key, "message",
             status.message);
    remove_entry(e);
}

/* Whether no further attempt is needed for the last requested state. */
static bool is_final(status_entry *e, write_result result)
{
    switch (result) {
    case WRITE_GONE:
    case WRITE_BAD: /* 422: another uid */
        return true;
    case WRITE_DENIED:
        return !e->changed;
    case WRITE_CONFLICT:
    case WRITE_ERROR:
        return !e->changed && ++e->errors >= TRIES_MAX;
    default:
        return false;
    }
}

static void on_patched(write_task *task, const live_answer *answer)
{
    status_entry *e = (status_entry *)task;
    write_result result = write_result_of(answer);
    if (is_final(e, result)) {
        give_up(e, answer);
    } else if (e->changed) {
        e->changed = false;
        e->errors = 0;
        e->task.tries = 0;
        renew_body(e);
        write_lane_put(&e->all->lane, task, false);
    } else if (result == WRITE_DONE) {
        rest(e, answer->body);
    } else {
        try_again(e, answer);
    }
}

/* ---- requests ---- */

static status_entry *new_entry(status_writes *s, const write_pod *pod, berth_str key)
{
    status_entry *e = heap_new(1, sizeof(*e));
    e->all = s;
    e->key = heap_text(key.data, key.len);
    e->uid = heap_text(pod->uid.data, pod->uid.len);
    e->task = (write_task){.method = "PATCH",
                           .content_type = "application/strategic-merge-patch+json",
                           .path = write_path("%s/namespaces/%.*s/%s/%.*s/status", s->kind->base,
                                              WRITE_ARG(pod->namespace_name), s->kind->resource,
                                              WRITE_ARG(pod->name)),
                           .answered = on_patched};
    e->next = s->first;
    if (s->first != NULL)
        s->first->before = e;
    s->first = e;
    text_map_add(&s->by_object, key, e);
    return e;
}

/* Stores the requested state; members that it leaves unchanged stay as requested before. */
static void take_over(status_entry *e, const write_pod *pod, const wanted_condition *condition,
                      const shown_condition *shown)
{
    if (condition->reason != NULL) {
        free(e->condition);
        e->condition = condition_text(e->all, pod, condition, shown);
    }
    if (condition->nomination != NOMINATION_STAYS) {
        free(e->node);
        e->nomination = condition->nomination;
        e->node = heap_text(condition->node.data, condition->node.len);
    }
}

static bool put(status_writes *s, const write_pod *pod, const wanted_condition *condition,
                const shown_condition *shown)
{
    char buffer[KEY_BYTES];
    berth_str key = key_of(buffer, pod);
    status_entry *e = text_map_get(&s->by_object, key);
    uint64_t wanted = hash_of(condition, nominated_after(pod, condition));
    bool stale = e != NULL && (e->works || pod->version < e->version);
    if (e != NULL && e->held && !condition->holds)
        return false;
    if (stale ? e->wanted == wanted : is_shown(pod, condition, shown))
        return false;
    if (e == NULL)
        e = new_entry(s, pod, key);
    e->wanted = wanted;
    e->held = condition->holds;
    take_over(e, pod, condition, shown);
    if (e->works && write_task_is_sent(&e->task)) {
        e->changed = wanted != e->carried; /* false if it changed and changed back */
        return e->changed;
    }
    renew_body(e);
    if (!e->works) {
        e->works = true;
        e->task.tries = 0;
        e->errors = 0;
        write_lane_put(&s->lane, &e->task, false);
    }
    return true;
}

bool status_writes_put(status_writes *s, const write_pod *pod, const wanted_condition *condition)
{
    shown_condition shown = read_shown(pod, condition);
    bool sends = put(s, pod, condition, &shown);
    json_decref(shown.root);
    return sends;
}

void status_writes_drop(status_writes *s, const write_pod *pod)
{
    char buffer[KEY_BYTES];
    status_entry *e = text_map_get(&s->by_object, key_of(buffer, pod));
    if (e != NULL)
        remove_entry(e);
}

bool status_writes_is_pending(const status_writes *s, const write_pod *pod)
{
    char buffer[KEY_BYTES];
    const status_entry *e = text_map_get(&s->by_object, key_of(buffer, pod));
    return e != NULL && e->works;
}

size_t status_writes_pending(const status_writes *s)
{
    return s->lane.queued + s->lane.sent + s->lane.waiting;
}

bool status_writes_denied(const status_writes *s)
{
    return s->lane.denied;
}

write_lane *status_writes_lane(status_writes *s)
{
    return &s->lane;
}
