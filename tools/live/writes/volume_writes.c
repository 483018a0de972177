/* Each claim is a task: a patch, then reads of volume and claim until the claim is bound. */
#include "live/writes/volume_writes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

static const int64_t second_ns = 1000000000;

enum { IN_FLIGHT = 8, TIMEOUT_S = 600, POLL_MAX_S = 4 };

static const char selected_node[] = "volume.kubernetes.io/selected-node";
static const char bind_completed[] = "pv.kubernetes.io/bind-completed";
static const char by_controller[] = "pv.kubernetes.io/bound-by-controller";

typedef struct job job;

typedef struct claim_task {
    write_task task; /* must be first: task and claim_task are cast to each other */
    job *of;
    char *namespace_name, *name, *uid, *volume; /* volume NULL: the claim is provisioned */
    bool done, written;
    unsigned polls;
} claim_task;

struct job {
    volume_writes *all;
    job *before, *next;
    uint64_t id;
    write_pod *pod;
    char *node;
    live_id timer;
    size_t count, waits; /* `count`: claims; `waits`: claims that are not bound */
    claim_task claims[];
};

struct volume_writes {
    write_lane lane;
    volumes_settled_fn settled;
    void *context;
    job *first;
};

volume_writes *volume_writes_create(write_gate *gate, volumes_settled_fn settled, void *context)
{
    volume_writes *v = heap_new(1, sizeof(*v));
    write_lane_open(&v->lane, gate, LIVE_WRITES, IN_FLIGHT,
                    "get, patch persistentvolumes, persistentvolumeclaims");
    v->settled = settled;
    v->context = context;
    return v;
}

static void free_job(job *j)
{
    live_timer_stop(j->all->lane.gate->transport, j->timer);
    for (size_t i = 0; i < j->count; i++) {
        write_task_clear(&j->claims[i].task);
        free(j->claims[i].namespace_name);
        free(j->claims[i].name);
        free(j->claims[i].uid);
        free(j->claims[i].volume);
    }
    free(j->pod);
    free(j->node);
    free(j);
}

/* Unlinks the job and cancels its requests. */
static void take_out(job *j)
{
    volume_writes *v = j->all;
    for (size_t i = 0; i < j->count; i++)
        write_task_clear(&j->claims[i].task);
    *(j->before != NULL ? &j->before->next : &v->first) = j->next;
    if (j->next != NULL)
        j->next->before = j->before;
}

static void remove_job(job *j)
{
    take_out(j);
    free_job(j);
}

void volume_writes_end(volume_writes *v)
{
    for (job *j = v->first, *next; j != NULL; j = next) {
        next = j->next;
        free_job(j);
    }
    v->first = NULL;
}

void volume_writes_destroy(volume_writes *v)
{
    if (v == NULL)
        return;
    volume_writes_end(v);
    write_lane_close(&v->lane);
    free(v);
}

/* The callback may drop the same id at once. */
static void settle(job *j, const char *why)
{
    const volume_outcome outcome = {.id = j->id,
                                    .pod = j->pod,
                                    .node = write_str(j->node),
                                    .bound = why == NULL,
                                    .why = why != NULL ? why : ""};
    take_out(j);
    j->all->settled(j->all->context, &outcome);
    free_job(j);
}

/* ---- requests ---- */

static void on_volume(write_task *task, const live_answer *answer);
static void on_claim(write_task *task, const live_answer *answer);

static char *claim_path(const claim_task *c)
{
    return write_path("/api/v1/namespaces/%s/persistentvolumeclaims/%s", c->namespace_name,
                      c->name);
}

static char *volume_path(const claim_task *c)
{
    return write_path("/api/v1/persistentvolumes/%s", c->volume);
}

/* Turns the task into a read of the chosen volume or of the claim. */
static void ask_for(claim_task *c, bool volume)
{
    write_task *task = &c->task;
    free(task->path);
    task->method = "GET";
    task->content_type = NULL;
    task->path = volume ? volume_path(c) : claim_path(c);
    task->answered = volume ? on_volume : on_claim;
}

/* Not before the server's Retry-After, if the last answer had one. */
static void ask_later(claim_task *c, const live_answer *answer)
{
    ask_for(c, c->volume != NULL);
    write_task_retry(&c->task, answer, ++c->polls, second_ns / 4, POLL_MAX_S * second_ns);
}

/* Whether there is no answer to read; if so, the read is repeated. */
static bool is_no_answer(claim_task *c, write_result result, const live_answer *answer)
{
    if (result == WRITE_DONE || result == WRITE_GONE)
        return false;
    ask_later(c, answer);
    return true;
}

/* ---- state of volume and claim ---- */

static const char *text_at(const json_t *object, const char *first, const char *second,
                           const char *third)
{
    const json_t *value = json_object_get(json_object_get(object, first), second);
    const char *text = json_string_value(third != NULL ? json_object_get(value, third) : value);
    return text != NULL ? text : "";
}

/* Checks that the volume is still meant for the claim. */
static void on_volume(write_task *task, const live_answer *answer)
{
    claim_task *c = (claim_task *)task;
    write_result result = write_result_of(answer);
    if (is_no_answer(c, result, answer))
        return;
    json_t *volume = json_loadb(answer->body.data, answer->body.len, 0, NULL);
    bool ours = strcmp(text_at(volume, "spec", "claimRef", "uid"), c->uid) == 0;
    json_decref(volume);
    if (result == WRITE_GONE || !ours) {
        settle(c->of, result == WRITE_GONE ? "the volume that was chosen is gone"
                      : c->written         ? "the volume's claimRef got reset"
                                           : "the volume that was chosen has changed");
        return;
    }
    c->written = true;
    ask_for(c, false);
    write_lane_put(&c->of->all->lane, task, true);
}

/* Returns why the claim cannot be bound, or NULL if it still may be. */
static const char *claim_trouble(const claim_task *c, const json_t *claim)
{
    const char *node = text_at(claim, "metadata", "annotations", selected_node);
    if (strcmp(text_at(claim, "metadata", "uid", NULL), c->uid) != 0)
        return "the claim is another one by now";
    if (c->volume != NULL || strcmp(node, c->of->node) == 0)
        return NULL;
    return c->written ? "the claim's selected-node was removed: provisioning failed"
                      : "the claim has changed";
}

static bool is_bound(const json_t *claim)
{
    return text_at(claim, "spec", "volumeName", NULL)[0] != '\0' &&
           json_object_get(json_object_get(json_object_get(claim, "metadata"), "annotations"),
                           bind_completed) != NULL;
}

static void on_claim(write_task *task, const live_answer *answer)
{
    claim_task *c = (claim_task *)task;
    job *j = c->of;
    write_result result = write_result_of(answer);
    if (is_no_answer(c, result, answer))
        return;
    json_t *claim = json_loadb(answer->body.data, answer->body.len, 0, NULL);
    bool bound = is_bound(claim);
    const char *trouble = result == WRITE_GONE ? "the claim is gone" : claim_trouble(c, claim);
    json_decref(claim);
    if (trouble != NULL) {
        settle(j, trouble);
    } else if (!bound) {
        c->written = true;
        ask_later(c, answer);
    } else {
        c->done = true;
        if (--j->waits == 0)
            settle(j, NULL);
    }
}

/* ---- writes ---- */

static void on_patched(write_task *task, const live_answer *answer)
{
    claim_task *c = (claim_task *)task;
    server_status status;
    switch (write_result_of(answer)) {
    case WRITE_DONE:
        c->written = true;
        ask_later(c, answer);
        break;
    case WRITE_CONFLICT: /* the object has changed, perhaps by an earlier attempt of ours */
        ask_for(c, c->volume != NULL);
        write_lane_put(&c->of->all->lane, task, true);
        break;
    case WRITE_GONE:
    case WRITE_BAD:
        server_status_read(&status, answer->body);
        settle(c->of, status.message);
        break;
    default:
        write_task_retry(task, answer, task->tries, second_ns / 5, 5 * second_ns);
    }
}

static json_t *version_value(uint64_t version)
{
    return json_sprintf("%" PRIu64, version);
}

static char *claim_body(const volume_choice *choice, berth_str node)
{
    return write_json_text(json_pack("{s{so so s{so}}}", "metadata", "resourceVersion",
                                     version_value(choice->claim_version), "uid",
                                     write_json_str(choice->claim_uid), "annotations",
                                     selected_node, write_json_str(node)));
}

static char *volume_body(const volume_choice *choice)
{
    json_t *claim =
        json_pack("{ss so so so ss so}", "kind", "PersistentVolumeClaim", "namespace",
                  write_json_str(choice->claim_namespace), "name",
                  write_json_str(choice->claim_name), "uid", write_json_str(choice->claim_uid),
                  "apiVersion", "v1", "resourceVersion", version_value(choice->claim_version));
    return write_json_text(json_pack("{s{so s{ss}} s{so}}", "metadata", "resourceVersion",
                                     version_value(choice->volume_version), "annotations",
                                     by_controller, "yes", "spec", "claimRef", claim));
}

static void on_timeout(void *context)
{
    job *j = context;
    j->timer = 0;
    settle(j, "timed out waiting for the volumes to be bound");
}

static void fill_claim(claim_task *c, job *j, const volume_choice *choice)
{
    bool provision = choice->volume_name.len == 0;
    c->of = j;
    c->namespace_name = heap_text(choice->claim_namespace.data, choice->claim_namespace.len);
    c->name = heap_text(choice->claim_name.data, choice->claim_name.len);
    c->uid = heap_text(choice->claim_uid.data, choice->claim_uid.len);
    if (!provision)
        c->volume = heap_text(choice->volume_name.data, choice->volume_name.len);
    c->task = (write_task){.method = "PATCH",
                           .content_type = "application/merge-patch+json",
                           .path = provision ? claim_path(c) : volume_path(c),
                           .body = provision ? claim_body(choice, write_str(j->node))
                                             : volume_body(choice),
                           .answered = on_patched};
}

void volume_writes_put(volume_writes *v, const volume_job *plan)
{
    job *j = heap_new(1, sizeof(*j) + plan->choice_count * sizeof(j->claims[0]));
    int64_t timeout_ns = plan->timeout_ns != 0 ? plan->timeout_ns : TIMEOUT_S * second_ns;
    j->all = v;
    j->id = plan->id;
    j->pod = write_pod_copy(plan->pod);
    j->node = heap_text(plan->node.data, plan->node.len);
    j->count = j->waits = plan->choice_count;
    j->next = v->first;
    if (v->first != NULL)
        v->first->before = j;
    v->first = j;
    j->timer = live_timer_set(v->lane.gate->transport,
                              live_now(v->lane.gate->transport) + timeout_ns, on_timeout, j);
    for (size_t i = 0; i < j->count; i++)
        fill_claim(&j->claims[i], j, &plan->choices[i]);
    for (size_t i = 0; i < j->count; i++)
        write_lane_put(&v->lane, &j->claims[i].task, false);
}

/* ---- news from the watch ---- */

void volume_writes_drop(volume_writes *v, uint64_t id)
{
    job *j = v->first;
    while (j != NULL && j->id != id)
        j = j->next;
    if (j != NULL)
        remove_job(j);
}

/* No orders are taken meanwhile (orders_gone), so nothing can drop the next job. */
void volume_writes_node_gone(volume_writes *v, berth_str node)
{
    for (job *j = v->first, *next; j != NULL; j = next) {
        next = j->next;
        if (write_str_equal(write_str(j->node), node))
            settle(j, "the node is gone");
    }
}

void volume_writes_claim_seen(volume_writes *v, berth_str namespace_name, berth_str name)
{
    for (job *j = v->first; j != NULL; j = j->next)
        for (size_t i = 0; i < j->count; i++) {
            claim_task *c = &j->claims[i];
            if (c->task.timer == 0 || !c->written || !write_str_equal(write_str(c->name), name) ||
                !write_str_equal(write_str(c->namespace_name), namespace_name))
                continue;
            write_task_drop(&c->task);
            write_lane_put(&v->lane, &c->task, true);
        }
}
