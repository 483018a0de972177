/* Each claim is a task that reads the claim, and then removes its finalizer or deletes it. */
#include "live/writes/claim_deletions.h"

#include <stdlib.h>

#include "cli/heap.h"
#include "live/writes/device_claim.h"
#include "live/writes/extended_claim.h"

static const int64_t first_backoff_ns = 200000000, last_backoff_ns = INT64_C(5000000000);

enum { IN_FLIGHT = 8, TRIES = 10 };

typedef struct deletion {
    write_task task; /* must be first: task and deletion are cast to each other */
    claim_deletions *all;
    struct deletion *before, *next;
    char *path; /* of the claim */
    char *uid, *pod_uid;
    unsigned rounds; /* how often the claim was read */
} deletion;

struct claim_deletions {
    write_lane lane;
    deletion *first;
    size_t count;
};

claim_deletions *claim_deletions_create(write_gate *gate)
{
    claim_deletions *d = heap_new(1, sizeof(*d));
    write_lane_open(&d->lane, gate, LIVE_WRITES, IN_FLIGHT, "get, patch, delete resourceclaims");
    return d;
}

static void drop_deletion(deletion *one)
{
    write_task_clear(&one->task);
    free(one->path);
    free(one->uid);
    free(one->pod_uid);
    free(one);
}

static void remove_deletion(deletion *one)
{
    *(one->before != NULL ? &one->before->next : &one->all->first) = one->next;
    if (one->next != NULL)
        one->next->before = one->before;
    one->all->count--;
    drop_deletion(one);
}

void claim_deletions_end(claim_deletions *d)
{
    while (d->first != NULL)
        remove_deletion(d->first);
}

void claim_deletions_destroy(claim_deletions *d)
{
    if (d == NULL)
        return;
    claim_deletions_end(d);
    write_lane_close(&d->lane);
    free(d);
}

/* ---- steps ---- */

static void on_claim(write_task *task, const live_answer *answer);

/* Turns the task into another request. */
static void become(deletion *one, const char *method, const char *content_type, char *body,
                   void (*answered)(write_task *, const live_answer *))
{
    free(one->task.path);
    free(one->task.body);
    one->task.method = method;
    one->task.content_type = content_type;
    one->task.path = write_path("%s", one->path);
    one->task.body = body;
    one->task.tries = 0;
    one->task.answered = answered;
}

static void retry(deletion *one, const live_answer *answer)
{
    if (one->task.tries >= TRIES)
        remove_deletion(one);
    else
        write_task_retry(&one->task, answer, one->task.tries, first_backoff_ns, last_backoff_ns);
}

static void read_claim(deletion *one, int64_t delay_ns)
{
    if (++one->rounds > TRIES) {
        remove_deletion(one);
        return;
    }
    become(one, "GET", NULL, NULL, on_claim);
    write_task_again(&one->task, delay_ns);
}

/* If a write was not answered, reading the claim shows whether it took effect. */
static void on_finalizer(write_task *task, const live_answer *answer)
{
    deletion *one = (deletion *)task;
    switch (write_result_of(answer)) {
    case WRITE_DONE:
    case WRITE_CONFLICT:
        read_claim(one, 0);
        break;
    case WRITE_UNSURE:
        read_claim(one, first_backoff_ns);
        break;
    case WRITE_GONE:
    case WRITE_BAD:
        remove_deletion(one);
        break;
    default:
        retry(one, answer);
    }
}

static void on_deleted(write_task *task, const live_answer *answer)
{
    deletion *one = (deletion *)task;
    switch (write_result_of(answer)) {
    case WRITE_DONE:
    case WRITE_GONE:
    case WRITE_CONFLICT: /* another claim has that name */
    case WRITE_BAD:
        remove_deletion(one);
        break;
    case WRITE_UNSURE:
        read_claim(one, first_backoff_ns);
        break;
    default:
        retry(one, answer);
    }
}

static void take_step(deletion *one, const json_t *claim)
{
    const json_t *meta = json_object_get(claim, "metadata");
    const char *uid = json_string_value(json_object_get(meta, "uid"));
    if (!write_str_equal(write_str(uid), write_str(one->uid)) ||
        !extended_claim_is_of(claim, write_str(one->pod_uid))) {
        remove_deletion(one);
        return;
    }
    char *body = device_claim_unprotect(claim);
    if (body != NULL)
        become(one, "PATCH", "application/merge-patch+json", body, on_finalizer);
    else
        become(one, "DELETE", "application/json",
               write_json_text(json_pack("{s{so}}", "preconditions", "uid",
                                         write_json_str(write_str(one->uid)))),
               on_deleted);
    write_lane_put(&one->all->lane, &one->task, true);
}

static void on_claim(write_task *task, const live_answer *answer)
{
    deletion *one = (deletion *)task;
    switch (write_result_of(answer)) {
    case WRITE_DONE: {
        json_t *claim = json_loadb(answer->body.data, answer->body.len, 0, NULL);
        take_step(one, claim);
        json_decref(claim);
        break;
    }
    case WRITE_GONE:
        remove_deletion(one);
        break;
    default:
        retry(one, answer);
    }
}

static bool is_known(const claim_deletions *d, const deleted_claim *claim)
{
    for (const deletion *one = d->first; one != NULL; one = one->next)
        if (write_str_equal(write_str(one->uid), claim->uid))
            return true;
    return false;
}

void claim_deletions_put(claim_deletions *d, const deleted_claim *claim)
{
    if (is_known(d, claim))
        return;
    deletion *one = heap_new(1, sizeof(*one));
    one->all = d;
    one->next = d->first;
    if (d->first != NULL)
        d->first->before = one;
    d->first = one;
    d->count++;
    one->path = write_path("/apis/resource.k8s.io/v1/namespaces/%.*s/resourceclaims/%.*s",
                           WRITE_ARG(claim->namespace_name), WRITE_ARG(claim->name));
    one->uid = heap_text(claim->uid.data, claim->uid.len);
    one->pod_uid = heap_text(claim->pod_uid.data, claim->pod_uid.len);
    become(one, "GET", NULL, NULL, on_claim);
    write_lane_put(&d->lane, &one->task, false);
}

size_t claim_deletions_count(const claim_deletions *d)
{
    return d->count;
}
