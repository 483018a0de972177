/* Each claim is a task with one patch. */
#include "live/writes/claim_frees.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/heap.h"
#include "live/writes/device_claim.h"

static const int64_t first_backoff_ns = 200000000, last_backoff_ns = INT64_C(5000000000);

enum { IN_FLIGHT = 8, TRIES = 10 };

typedef struct release {
    write_task task; /* must be first: task and release are cast to each other */
    claim_frees *all;
    struct release *before, *next;
} release;

struct claim_frees {
    write_lane lane;
    release *first;
};

claim_frees *claim_frees_create(write_gate *gate)
{
    claim_frees *f = heap_new(1, sizeof(*f));
    write_lane_open(&f->lane, gate, LIVE_WRITES, IN_FLIGHT, "patch resourceclaims/status");
    return f;
}

static void drop_release(release *r)
{
    write_task_clear(&r->task);
    free(r);
}

static void remove_release(release *r)
{
    *(r->before != NULL ? &r->before->next : &r->all->first) = r->next;
    if (r->next != NULL)
        r->next->before = r->before;
    drop_release(r);
}

void claim_frees_end(claim_frees *f)
{
    release *next, *r = f->first;
    f->first = NULL;
    for (; r != NULL; r = next) {
        next = r->next;
        drop_release(r);
    }
}

void claim_frees_destroy(claim_frees *f)
{
    if (f == NULL)
        return;
    claim_frees_end(f);
    write_lane_close(&f->lane);
    free(f);
}

/* If a patch succeeded but its answer was lost, repeating it is a conflict, because the version has
 * changed. */
static void on_answer(write_task *task, const live_answer *answer)
{
    switch (write_result_of(answer)) {
    case WRITE_DONE:
    case WRITE_GONE:
    case WRITE_CONFLICT:
    case WRITE_BAD:
        break;
    default:
        if (task->tries >= TRIES)
            break;
        write_task_retry(task, answer, task->tries, first_backoff_ns, last_backoff_ns);
        return;
    }
    remove_release((release *)task);
}

static char *body_of(const freed_claim *claim)
{
    char version[24];
    snprintf(version, sizeof(version), "%" PRIu64, claim->version);
    return device_claim_free(claim->uid, write_str(version));
}

void claim_frees_put(claim_frees *f, const freed_claim *claim)
{
    release *r = heap_new(1, sizeof(*r));
    r->all = f;
    r->next = f->first;
    if (f->first != NULL)
        f->first->before = r;
    f->first = r;
    r->task.method = "PATCH";
    r->task.content_type = "application/merge-patch+json";
    r->task.path = write_path("/apis/resource.k8s.io/v1/namespaces/%.*s/resourceclaims/%.*s/status",
                              WRITE_ARG(claim->namespace_name), WRITE_ARG(claim->name));
    r->task.body = body_of(claim);
    r->task.answered = on_answer;
    write_lane_put(&f->lane, &r->task, false);
}
