/* Schedulers whose callbacks are in Go. Each call has its own berth_error until it is over, because
 * callbacks may make other calls on the engine. */
#include <string.h>

#include "_cgo_export.h"
#include "glue.h"

/* The context of the callbacks is a handle, that is, a number. */
static uintptr_t handle_of(void *context)
{
    return (uintptr_t)context;
}

static berth_answer on_bind(void *context, const berth_binding *binding)
{
    return (berth_answer)bgGoBind(handle_of(context), binding->id, binding->pod, binding->node);
}

static void on_unbind(void *context, const berth_binding *binding, berth_unbind_reason reason)
{
    bgGoUnbind(handle_of(context), binding->id, binding->pod, binding->node, reason);
}

static berth_answer on_evict(void *context, const berth_eviction *eviction)
{
    return (berth_answer)bgGoEvict(handle_of(context), eviction->preemptor, eviction->node,
                                   eviction->victim);
}

static void on_report(void *context, berth_trouble trouble, const berth_error *error)
{
    bgGoReport(handle_of(context), trouble, (berth_error *)error);
}

static void on_notify(void *context)
{
    bgGoNotify(handle_of(context));
}

int bg_scheduler_make(bg_box *box, const bg_scheduler_open *open)
{
    berth_scheduler_options options;
    berth_scheduler_options_init(&options);
    if (box->backoff.initial_seconds > 0) {
        options.backoff_initial_ns = box->backoff.initial_seconds * 1000000000;
        options.backoff_max_ns = box->backoff.max_seconds * 1000000000;
    }
    if (open->backoff_initial_ns >= 0)
        options.backoff_initial_ns = open->backoff_initial_ns;
    if (open->backoff_max_ns >= 0)
        options.backoff_max_ns = open->backoff_max_ns;
    if (open->unschedulable_max_ns >= 0)
        options.unschedulable_max_ns = open->unschedulable_max_ns;
    if (open->bind_timeout_ns >= 0)
        options.bind_timeout_ns = open->bind_timeout_ns;
    options.now_ns = open->now_ns;
    options.pace_evictions = open->pace_evictions;
    options.callbacks = (berth_scheduler_callbacks){
        .context = (void *)open->handle,
        .bind = open->has_bind ? on_bind : NULL,
        .unbind = open->has_unbind ? on_unbind : NULL,
        .evict = open->has_evict ? on_evict : NULL,
        .report = open->has_report ? on_report : NULL,
        .notify = open->has_notify ? on_notify : NULL,
    };
    return berth_scheduler_create(box->engine, &options, &box->scheduler, &box->error);
}

int bg_scheduler_change(bg_box *box, int64_t now_ns, uint32_t kind, const void *object, bool update)
{
    berth_error error;
    berth_object given = {.kind = (berth_kind)kind};
    berth_object_id id = {.node = BERTH_NODE_NONE, .pod = BERTH_POD_NONE};
    given.as.any = object;
    berth_status status = update ? berth_scheduler_update(box->scheduler, now_ns, &given, &error)
                                 : berth_scheduler_add(box->scheduler, now_ns, &given, &id, &error);
    box->node = id.node;
    box->pod = id.pod;
    if (status != BERTH_OK)
        box->error = error;
    return status;
}

int bg_scheduler_add_pods(bg_box *box, int64_t now_ns, const berth_pod *pods, uint32_t count,
                          uint64_t *ids)
{
    berth_error error;
    berth_status status = BERTH_OK;
    uint32_t done;
    for (done = 0; done < count; done++) {
        berth_pod_id id;
        status = berth_scheduler_add_pod(box->scheduler, now_ns, &pods[done], &id, &error);
        if (status != BERTH_OK)
            break;
        if (ids != NULL)
            ids[done] = id;
    }
    box->done = done;
    if (status != BERTH_OK)
        box->error = error;
    return status;
}

static bg_step step_of(const berth_step *from)
{
    return (bg_step){
        .pod = from->pod,
        .placement = {.verdict = from->placement.verdict,
                      .node = from->placement.node,
                      .feasible_count = from->placement.feasible_count,
                      .best_count = from->placement.best_count,
                      .total = from->placement.total,
                      .path = from->placement.path},
        .binding = from->binding,
        .waited_ns = from->waited_ns,
        .kind = from->kind,
        .nominated = from->nominated,
        .victim_count = from->victim_count,
        .attempt = from->attempt,
    };
}

int bg_scheduler_steps(bg_box *box, int64_t now_ns, bg_step *out, uint32_t capacity)
{
    berth_error error;
    berth_status status = BERTH_OK;
    uint32_t done = 0;
    while (done < capacity && !box->callback_broke) {
        berth_step step;
        memset(&step, 0, sizeof(step));
        status = berth_scheduler_step(box->scheduler, now_ns, &step, &error);
        if (status != BERTH_OK || step.kind == BERTH_STEP_IDLE)
            break;
        out[done++] = step_of(&step);
    }
    box->done = done;
    if (status != BERTH_OK)
        box->error = error;
    return status;
}

int bg_post(berth_scheduler *scheduler, uint32_t kind, const void *object, bool update,
            berth_error *error)
{
    berth_object given = {.kind = (berth_kind)kind};
    given.as.any = object;
    return update ? berth_scheduler_post_update(scheduler, &given, error)
                  : berth_scheduler_post_add(scheduler, &given, error);
}
