/* Each claim is a task: it reads the claim and derives the next step from it. */
#include "live/writes/device_writes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "live/writes/device_claim.h"
#include "live/writes/extended_claim.h"

static const int64_t second_ns = 1000000000;

enum { IN_FLIGHT = 16, TIMEOUT_S = 600, POLL_S = 5, RELEASE_TRIES = 10 };

#define API "/apis/resource.k8s.io/v1"
#define MERGE "application/merge-patch+json"
#define STRATEGIC_MERGE "application/strategic-merge-patch+json"

typedef struct job job;

typedef struct claim_task {
    write_task task; /* must be first: task and claim_task are cast to each other */
    job *of;
    char *namespace_name, *name, *uid;
    json_t *allocation; /* NULL: the claim already had one */
    /* of the claim for extended resources, which has no name until it is created; or NULL */
    json_t *requests, *mappings;
    char *class_name;  /* the class being read; NULL: none */
    const char *doing; /* what the last write was for, as named in errors */
    char *version;     /* last seen while our pod alone waits for conditions; or NULL */
    bool done;
    bool reserved; /* we may have added the pod to reservedFor */
    bool told;     /* the pod's status names the claim */
} claim_task;

typedef enum job_phase { JOB_HELD, JOB_WRITES, JOB_SETTLED, JOB_GIVES_BACK } job_phase;

struct job {
    device_writes *all;
    job *before, *next;
    job_phase phase;
    uint64_t id;
    write_pod *pod;
    char *node;
    int64_t timeout_ns;
    bool waits_for_conditions, is_late; /* `is_late`: the conditions did not come in time */
    live_id timer;
    size_t count, waits; /* `count`: claims; `waits`: claims that are not ready */
    claim_task claims[];
};

struct device_writes {
    write_lane lane;
    claim_deletions *deletions;
    devices_settled_fn settled;
    devices_wait_fn waits;
    void *context;
    json_t *class_configs; /* by name; emptied when no job is left */
    job *first;
    size_t count;
};

device_writes *device_writes_create(write_gate *gate, claim_deletions *deletions,
                                    devices_settled_fn settled, devices_wait_fn waits,
                                    void *context)
{
    device_writes *d = heap_new(1, sizeof(*d));
    write_lane_open(&d->lane, gate, LIVE_WRITES, IN_FLIGHT,
                    "get, create, patch resourceclaims and resourceclaims/status, get "
                    "deviceclasses, patch pods/status");
    d->deletions = deletions;
    d->settled = settled;
    d->waits = waits;
    d->context = context;
    d->class_configs = json_object();
    return d;
}

static void free_job(job *j)
{
    live_timer_stop(j->all->lane.gate->transport, j->timer);
    for (size_t i = 0; i < j->count; i++) {
        claim_task *c = &j->claims[i];
        write_task_clear(&c->task);
        json_decref(c->allocation);
        json_decref(c->requests);
        json_decref(c->mappings);
        free(c->namespace_name);
        free(c->name);
        free(c->uid);
        free(c->class_name);
        free(c->version);
    }
    free(j->pod);
    free(j->node);
    free(j);
}

static void remove_job(job *j)
{
    device_writes *d = j->all;
    *(j->before != NULL ? &j->before->next : &d->first) = j->next;
    if (j->next != NULL)
        j->next->before = j->before;
    d->count--;
    if (d->count == 0)
        json_object_clear(d->class_configs);
    free_job(j);
}

void device_writes_end(device_writes *d)
{
    while (d->first != NULL)
        remove_job(d->first);
}

void device_writes_destroy(device_writes *d)
{
    if (d == NULL)
        return;
    device_writes_end(d);
    json_decref(d->class_configs);
    write_lane_close(&d->lane);
    free(d);
}

/* ---- release ---- */

static void given_back(job *j)
{
    if (--j->waits == 0)
        remove_job(j);
}

static void release(claim_task *c);

static void retry(claim_task *c, const live_answer *answer)
{
    write_task_retry(&c->task, answer, c->task.tries, second_ns / 5, 5 * second_ns);
}

/* After a permanent refusal there is nothing of ours left to release. */
static void on_released(write_task *task, const live_answer *answer)
{
    claim_task *c = (claim_task *)task;
    switch (write_result_of(answer)) {
    case WRITE_DONE:
    case WRITE_GONE:
    case WRITE_CONFLICT:
    case WRITE_BAD:
        given_back(c->of);
        break;
    default:
        if (task->tries >= RELEASE_TRIES)
            given_back(c->of);
        else
            retry(c, answer);
    }
}

static char *claim_path(const claim_task *c, const char *part)
{
    return write_path(API "/namespaces/%s/resourceclaims/%s%s", c->namespace_name, c->name, part);
}

/* Turns the task into another request. */
static void become(claim_task *c, const char *method, char *path,
                   void (*answered)(write_task *, const live_answer *))
{
    free(c->task.path);
    free(c->task.body);
    c->task.method = method;
    c->task.content_type = NULL;
    c->task.path = path;
    c->task.body = NULL;
    c->task.tries = 0;
    c->task.answered = answered;
}

/* After a conflict, the claim whose devices were to be freed has changed: release it instead. */
static void on_freed(write_task *task, const live_answer *answer)
{
    if (write_result_of(answer) == WRITE_CONFLICT)
        release((claim_task *)task);
    else
        on_released(task, answer);
}

static void release(claim_task *c)
{
    become(c, "PATCH", claim_path(c, "/status"), on_released);
    c->task.content_type = STRATEGIC_MERGE;
    c->task.body = device_claim_release(write_str(c->uid), c->of->pod->uid);
    write_lane_put(&c->of->all->lane, &c->task, true);
}

/* Frees devices that did not become ready in time; kube-scheduler does so at the pod's next
 * attempt. */
static void take_devices(claim_task *c)
{
    become(c, "PATCH", claim_path(c, "/status"), on_freed);
    c->task.content_type = MERGE;
    c->task.body = device_claim_free(write_str(c->uid), write_str(c->version));
    write_lane_put(&c->of->all->lane, &c->task, true);
}

/* A claim that was created is deleted, even if it cannot be reserved. */
static void delete_claim(const claim_task *c)
{
    if (c->name != NULL && c->uid != NULL)
        claim_deletions_put(c->of->all->deletions,
                            &(deleted_claim){.namespace_name = write_str(c->namespace_name),
                                             .name = write_str(c->name),
                                             .uid = write_str(c->uid),
                                             .pod_uid = c->of->pod->uid});
}

static bool is_being_created(const claim_task *c)
{
    return c->mappings != NULL && c->name == NULL && write_task_is_sent(&c->task);
}

static void give_back(job *j)
{
    j->phase = JOB_GIVES_BACK;
    j->waits = 1; /* until all requests are queued */
    for (size_t i = 0; i < j->count; i++) {
        claim_task *c = &j->claims[i];
        if (is_being_created(c)) {
            j->waits++; /* on_created deletes it */
            continue;
        }
        write_task_drop(&c->task);
        bool late = j->is_late && !c->done && c->version != NULL;
        if (c->mappings != NULL)
            delete_claim(c);
        if (c->mappings != NULL || (!c->reserved && !late))
            continue;
        j->waits++;
        if (late)
            take_devices(c);
        else
            release(c);
    }
    given_back(j);
}

/* ---- outcome ---- */

static void settle(job *j, const char *why)
{
    char *text = why != NULL ? heap_text(why, strlen(why)) : NULL;
    const device_outcome outcome = {.id = j->id,
                                    .pod = j->pod,
                                    .node = write_str(j->node),
                                    .ready = text == NULL,
                                    .why = text != NULL ? text : ""};
    live_timer_stop(j->all->lane.gate->transport, j->timer);
    j->timer = 0;
    j->phase = JOB_SETTLED;
    j->all->settled(j->all->context, &outcome);
    free(text);
}

static void on_timeout(void *context)
{
    job *j = context;
    char *why = NULL;
    j->timer = 0;
    j->is_late = j->waits_for_conditions;
    for (size_t i = 0; i < j->count && why == NULL; i++)
        if (!j->claims[i].done)
            why = write_path("device binding timeout: claim=%s",
                             j->claims[i].name != NULL ? j->claims[i].name : "");
    settle(j, why);
    free(why);
}

/* ---- steps of a claim ---- */

static void on_claim(write_task *task, const live_answer *answer);

static void read_claim(claim_task *c, int64_t delay_ns)
{
    become(c, "GET", claim_path(c, ""), on_claim);
    write_task_again(&c->task, delay_ns);
}

static void fail_with(claim_task *c, const live_answer *answer, const char *doing)
{
    server_status status;
    server_status_read(&status, answer->body);
    char *why = write_path("%s claim %s: %s", doing, c->name, status.message);
    settle(c->of, why);
    free(why);
}

/* If the outcome is unknown, reading the claim shows it. */
static void on_written(write_task *task, const live_answer *answer)
{
    claim_task *c = (claim_task *)task;
    switch (write_result_of(answer)) {
    case WRITE_DONE:
    case WRITE_CONFLICT:
    case WRITE_UNSURE:
        read_claim(c, 0);
        break;
    case WRITE_GONE:
    case WRITE_BAD:
        fail_with(c, answer, c->doing);
        break;
    default:
        retry(c, answer);
    }
}

static void write_claim(claim_task *c, const char *part, char *body, const char *doing)
{
    become(c, "PATCH", claim_path(c, part), on_written);
    c->task.content_type = MERGE;
    c->task.body = body;
    c->doing = doing;
    write_lane_put(&c->of->all->lane, &c->task, true);
}

static void on_class(write_task *task, const live_answer *answer)
{
    claim_task *c = (claim_task *)task;
    write_result result = write_result_of(answer);
    if (result != WRITE_DONE && result != WRITE_GONE) {
        retry(c, answer);
        return;
    }
    json_t *class_object = json_loadb(answer->body.data, answer->body.len, 0, NULL);
    json_t *configs = json_object_get(json_object_get(class_object, "spec"), "config");
    json_object_set_new(c->of->all->class_configs, c->class_name,
                        json_is_array(configs) ? json_incref(configs) : json_array());
    json_decref(class_object);
    read_claim(c, 0);
}

static void ask_class(claim_task *c, char *class_name)
{
    free(c->class_name);
    c->class_name = class_name;
    become(c, "GET", write_path(API "/deviceclasses/%s", class_name), on_class);
    write_lane_put(&c->of->all->lane, &c->task, true);
}

static void ready(claim_task *c)
{
    c->done = true;
    if (--c->of->waits == 0)
        settle(c->of, NULL);
}

/* The time limit for conditions starts with the first claim that waits for one. */
static void begin_to_wait(job *j)
{
    const live_transport *transport = j->all->lane.gate->transport;
    if (j->waits_for_conditions)
        return;
    j->waits_for_conditions = true;
    live_timer_stop(transport, j->timer);
    j->timer = live_timer_set(transport, live_now(transport) + j->timeout_ns, on_timeout, j);
    if (j->all->waits != NULL)
        j->all->waits(j->all->context, j->pod, write_str(j->node));
}

static void wait_for_conditions(claim_task *c, const json_t *claim)
{
    const json_t *version = json_object_get(json_object_get(claim, "metadata"), "resourceVersion");
    const char *text = json_string_value(version);
    free(c->version);
    c->version = text != NULL && device_claim_is_spare(claim, c->of->pod->uid)
                     ? heap_text(text, strlen(text))
                     : NULL;
    begin_to_wait(c->of);
    read_claim(c, POLL_S * second_ns);
}

/* ---- the pod's status ---- */

static void on_told(write_task *task, const live_answer *answer)
{
    claim_task *c = (claim_task *)task;
    server_status status;
    char *why;
    switch (write_result_of(answer)) {
    case WRITE_DONE:
        c->told = true;
        read_claim(c, 0);
        break;
    case WRITE_GONE:
    case WRITE_CONFLICT:
    case WRITE_BAD:
        server_status_read(&status, answer->body);
        why = write_path("update pod %.*s/%.*s ExtendedResourceClaimStatus: %s",
                         WRITE_ARG(c->of->pod->namespace_name), WRITE_ARG(c->of->pod->name),
                         status.message);
        settle(c->of, why);
        free(why);
        break;
    default: /* the patch may be repeated */
        retry(c, answer);
    }
}

/* Names the claim in the status of its pod. */
static void tell_pod(claim_task *c)
{
    const write_pod *pod = c->of->pod;
    become(c, "PATCH",
           write_path("/api/v1/namespaces/%.*s/pods/%.*s/status", WRITE_ARG(pod->namespace_name),
                      WRITE_ARG(pod->name)),
           on_told);
    c->task.content_type = STRATEGIC_MERGE;
    c->task.body = extended_claim_status(pod, write_str(c->name), c->mappings);
    write_lane_put(&c->of->all->lane, &c->task, true);
}

static void take_step(claim_task *c, const json_t *claim, device_claim_step step, char *text)
{
    bool is_written = step == DEVICE_CLAIM_WAITS || step == DEVICE_CLAIM_READY;
    if (is_written && c->mappings != NULL && !c->told) {
        tell_pod(c);
        return;
    }
    switch (step) {
    case DEVICE_CLAIM_CLASSES:
        ask_class(c, text);
        return;
    case DEVICE_CLAIM_FINALIZER:
        write_claim(c, "", text, "add finalizer to");
        return;
    case DEVICE_CLAIM_STATUS:
        c->reserved = true;
        write_claim(c, "/status", text,
                    c->allocation != NULL ? "add allocation and reservation to"
                                          : "add reservation to");
        return;
    case DEVICE_CLAIM_WAITS:
        wait_for_conditions(c, claim);
        break;
    case DEVICE_CLAIM_READY:
        ready(c);
        break;
    case DEVICE_CLAIM_FAILED:
        settle(c->of, text);
        break;
    }
    free(text);
}

static void next_step(claim_task *c, const json_t *claim)
{
    const job *j = c->of;
    char *text = NULL;
    const device_claim_plan plan = {.name = write_str(c->name),
                                    .uid = write_str(c->uid),
                                    .pod_name = j->pod->name,
                                    .pod_uid = j->pod->uid,
                                    .allocation = c->allocation,
                                    .class_configs = j->all->class_configs};
    device_claim_step step =
        device_claim_next(claim, &plan, live_wall(j->all->lane.gate->transport), &text);
    take_step(c, claim, step, text);
}

static void on_claim(write_task *task, const live_answer *answer)
{
    claim_task *c = (claim_task *)task;
    write_result result = write_result_of(answer);
    if (result != WRITE_DONE && result != WRITE_GONE) {
        retry(c, answer);
        return;
    }
    json_t *claim = result == WRITE_GONE ? json_object()
                                         : json_loadb(answer->body.data, answer->body.len, 0, NULL);
    next_step(c, claim);
    json_decref(claim);
}

/* ---- creation ---- */

static char *copy_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? heap_text(text, strlen(text)) : NULL;
}

/* Ends the attempt with kube-scheduler's message, which shows a claim without a name as
 * "NAMESPACE/". */
static void not_created(claim_task *c, const char *why)
{
    char *text = write_path("create claim for extended resources %s/: %s", c->namespace_name, why);
    settle(c->of, text);
    free(text);
}

static void refused(claim_task *c, const live_answer *answer)
{
    server_status status;
    server_status_read(&status, answer->body);
    if (c->of->phase == JOB_GIVES_BACK)
        given_back(c->of);
    else
        not_created(c, answer->outcome == LIVE_ANSWERED ? status.message : "no answer");
}

static void created(claim_task *c, const live_answer *answer)
{
    json_t *claim = json_loadb(answer->body.data, answer->body.len, 0, NULL);
    const json_t *meta = json_object_get(claim, "metadata");
    c->name = copy_of(meta, "name");
    c->uid = copy_of(meta, "uid");
    if (c->of->phase == JOB_GIVES_BACK) {
        delete_claim(c);
        given_back(c->of);
    } else if (c->name == NULL || c->uid == NULL) {
        not_created(c, "the server's answer has no name or uid");
    } else {
        next_step(c, claim);
    }
    json_decref(claim);
}

/* A creation without an answer is not repeated, because the server chooses the name. If it was
 * carried out, the pod's next attempt finds the claim by its owner, and deletes it. */
static void on_created(write_task *task, const live_answer *answer)
{
    claim_task *c = (claim_task *)task;
    switch (write_result_of(answer)) {
    case WRITE_DONE:
        created(c, answer);
        break;
    case WRITE_GONE:
    case WRITE_CONFLICT:
    case WRITE_BAD:
    case WRITE_UNSURE:
        refused(c, answer);
        break;
    default:
        if (c->of->phase == JOB_GIVES_BACK)
            given_back(c->of);
        else
            retry(c, answer);
    }
}

static void begin(claim_task *c)
{
    write_lane *lane = &c->of->all->lane;
    if (c->name != NULL) {
        become(c, "GET", claim_path(c, ""), on_claim);
    } else {
        become(c, "POST", write_path(API "/namespaces/%s/resourceclaims", c->namespace_name),
               on_created);
        c->task.content_type = "application/json";
        c->task.body = extended_claim_body(c->of->pod, c->requests);
    }
    write_lane_put(lane, &c->task, false);
}

/* ---- jobs ---- */

static json_t *json_of(berth_str text)
{
    return text.len > 0 ? json_loadb(text.data, text.len, 0, NULL) : NULL;
}

static void fill_claim(claim_task *c, job *j, const device_choice *choice)
{
    c->of = j;
    c->namespace_name = heap_text(choice->claim_namespace.data, choice->claim_namespace.len);
    if (choice->claim_name.len > 0) {
        c->name = heap_text(choice->claim_name.data, choice->claim_name.len);
        c->uid = heap_text(choice->claim_uid.data, choice->claim_uid.len);
    }
    c->allocation = json_of(choice->allocation);
    c->requests = json_of(choice->requests);
    c->mappings = json_of(choice->mappings);
}

void device_writes_put(device_writes *d, const device_job *plan)
{
    job *j = heap_new(1, sizeof(*j) + plan->choice_count * sizeof(j->claims[0]));
    j->all = d;
    j->id = plan->id;
    j->pod = write_pod_copy(plan->pod);
    j->node = heap_text(plan->node.data, plan->node.len);
    j->timeout_ns = plan->timeout_ns != 0 ? plan->timeout_ns : TIMEOUT_S * second_ns;
    j->count = j->waits = plan->choice_count;
    j->next = d->first;
    if (d->first != NULL)
        d->first->before = j;
    d->first = j;
    d->count++;
    for (size_t i = 0; i < j->count; i++)
        fill_claim(&j->claims[i], j, &plan->choices[i]);
}

static job *find(device_writes *d, uint64_t id)
{
    for (job *j = d->first; j != NULL; j = j->next)
        if (j->id == id && j->phase != JOB_GIVES_BACK)
            return j;
    return NULL;
}

bool device_writes_go(device_writes *d, uint64_t id)
{
    const live_transport *transport = d->lane.gate->transport;
    job *j = find(d, id);
    if (j == NULL)
        return false;
    j->phase = JOB_WRITES;
    j->timer =
        live_timer_set(transport, live_now(transport) + TIMEOUT_S * second_ns, on_timeout, j);
    for (size_t i = 0; i < j->count; i++)
        begin(&j->claims[i]);
    return true;
}

void device_writes_bound(device_writes *d, uint64_t id)
{
    job *j = find(d, id);
    if (j != NULL)
        remove_job(j);
}

void device_writes_drop(device_writes *d, uint64_t id)
{
    job *j = find(d, id);
    if (j == NULL)
        return;
    live_timer_stop(d->lane.gate->transport, j->timer);
    j->timer = 0;
    give_back(j);
}

void device_writes_claim_seen(device_writes *d, berth_str namespace_name, berth_str name)
{
    for (job *j = d->first; j != NULL; j = j->next)
        for (size_t i = 0; j->phase == JOB_WRITES && i < j->count; i++) {
            claim_task *c = &j->claims[i];
            if (c->task.timer == 0 || !c->reserved || c->task.answered != on_claim ||
                !write_str_equal(write_str(c->name), name) ||
                !write_str_equal(write_str(c->namespace_name), namespace_name))
                continue;
            write_task_drop(&c->task);
            write_lane_put(&d->lane, &c->task, true);
        }
}

void device_writes_node_gone(device_writes *d, berth_str node)
{
    for (job *j = d->first, *next; j != NULL; j = next) {
        next = j->next;
        if (j->phase == JOB_WRITES && write_str_equal(write_str(j->node), node))
            settle(j, "the node is gone");
    }
}

size_t device_writes_count(const device_writes *d)
{
    return d->count;
}
