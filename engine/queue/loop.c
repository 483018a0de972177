/* The scheduling loop: its life, its time, one step. */
#include "queue/loop.h"

#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/text.h"
#include "queue/rejectors.h"

#define SECOND_NS INT64_C(1000000000)

static const berth_scheduler_options default_options = {.size = sizeof(default_options),
                                                        .backoff_initial_ns = SECOND_NS,
                                                        .backoff_max_ns = 10 * SECOND_NS,
                                                        .unschedulable_max_ns = 300 * SECOND_NS,
                                                        .bind_timeout_ns = BERTH_TIME_NEVER};

void berth_scheduler_options_init_sized(berth_scheduler_options *options, size_t size)
{
    berth__sized_init(options, size, &default_options, sizeof(default_options));
}

/* ---- life ---- */

static berth_status check_options(const berth_scheduler_options *options, berth_error *error)
{
    if (options->backoff_initial_ns < 0 || options->backoff_max_ns < options->backoff_initial_ns)
        return berth__error_set(error, BERTH_E_ARG,
                                "backoff must be 0 <= backoff_initial_ns <= backoff_max_ns");
    if (options->unschedulable_max_ns < 0 || options->bind_timeout_ns < 0)
        return berth__error_set(error, BERTH_E_ARG, "a duration must not be negative");
    return BERTH_OK;
}

static berth_status check_engine(const berth__decider *decider, berth_error *error)
{
    if (decider->cluster->cow.branch)
        return berth__error_set(error, BERTH_E_STATE, "a branch has no scheduler");
    if (decider->cluster->watcher != NULL)
        return berth__error_set(error, BERTH_E_STATE, "the engine has a scheduler already");
    if (decider->cluster->undo.recording)
        return berth__error_set(error, BERTH_E_STATE, "a transaction is open on the engine");
    for (uint32_t i = 0; i < decider->profile_count; i++)
        if (decider->profiles[i].filter_stages > BERTH__STAGES_MAX)
            return berth__error_set(error, BERTH_E_UNSUPPORTED,
                                    "a profile of a scheduler has at most %d filters, not %u",
                                    (int)BERTH__STAGES_MAX,
                                    (unsigned)decider->profiles[i].filter_stages);
    return BERTH_OK;
}

/* Catch up with missed changes first: the new pod may get the index of a removed one. */
static berth_status reserve(void *context, uint32_t pod_bound)
{
    berth_scheduler *scheduler = context;
    BERTH_TRY(berth__loop_catch_up(scheduler));
    return berth__queue_reserve(&scheduler->queue, pod_bound);
}

/* Submit the pods that were pending before the scheduler existed. */
static berth_status submit_pending(berth_scheduler *scheduler)
{
    const berth__pods *pods = &scheduler->cluster->pods;
    for (uint32_t pod = pods->first_pending; pod != BERTH_POD_INDEX_NONE;
         pod = berth__pod_at(pods, pod)->next) {
        BERTH_TRY(berth__queue_reserve(&scheduler->queue, pods->record_count));
        berth__loop_submit(scheduler, pod);
    }
    return BERTH_OK;
}

static berth_status start(berth_scheduler *scheduler, const berth_scheduler_options *options)
{
    const berth__queue_times times = {options->backoff_initial_ns, options->backoff_max_ns,
                                      options->unschedulable_max_ns};
    scheduler->callbacks = options->callbacks;
    scheduler->bind_timeout_ns = options->bind_timeout_ns;
    scheduler->explanation = options->explanation;
    scheduler->unnominated = options->unnominated;
    scheduler->pace_evictions = options->pace_evictions;
    scheduler->pod_group = options->pod_group;
    berth__arena_init(&scheduler->group_steps.arena, scheduler->allocator);
    berth__posted_events_init(&scheduler->posted, scheduler->allocator);
    BERTH_TRY(berth__queue_init(&scheduler->queue, scheduler->allocator, &scheduler->cluster->pods,
                                &scheduler->cluster->view, scheduler->decider->profiles,
                                scheduler->decider->profile_count, &times));
    scheduler->queue.nominations = &scheduler->cluster->nominations;
    berth__queue_advance(&scheduler->queue, options->now_ns);
    BERTH_TRY(berth__loop_know_all(scheduler));
    BERTH_TRY(submit_pending(scheduler));
    scheduler->watcher = (berth__watcher){scheduler, reserve, berth__loop_hear, false};
    scheduler->cluster->watcher = &scheduler->watcher;
    return BERTH_OK;
}

static berth_status create(berth_engine *engine, const berth_scheduler_options *options,
                           berth_scheduler **out, berth_error *error)
{
    berth__decider *decider = berth__engine_decider(engine);
    berth_scheduler_options own = default_options;
    *out = NULL;
    if (options != NULL)
        BERTH_TRY(berth__sized_read(&own, sizeof(own), options, "berth_scheduler_options", error));
    options = &own;
    BERTH_TRY(check_options(options, error));
    BERTH_TRY(check_engine(decider, error));
    const berth_allocator *allocator = decider->cluster->model->allocator;
    berth_scheduler *scheduler =
        berth__alloc_zero(allocator, sizeof(*scheduler), _Alignof(berth_scheduler));
    if (scheduler == NULL)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    scheduler->allocator = allocator;
    scheduler->engine = engine;
    scheduler->decider = decider;
    scheduler->cluster = decider->cluster;
    berth_status status = start(scheduler, options);
    if (status != BERTH_OK) {
        berth_scheduler_destroy(scheduler);
        return berth__error_set(error, status, "out of memory");
    }
    *out = scheduler;
    return BERTH_OK;
}

berth_status berth_scheduler_create(berth_engine *engine, const berth_scheduler_options *options,
                                    berth_scheduler **out, berth_error *error)
{
    berth__use_word *use = &berth__engine_decider(engine)->use;
    BERTH_TRY(berth__use_enter(use, error));
    return berth__use_leave(use, create(engine, options, out, error));
}

void berth_scheduler_destroy(berth_scheduler *scheduler)
{
    if (scheduler == NULL)
        return;
    if (scheduler->calling)
        berth__stop(__FILE__, __LINE__, "a scheduler was destroyed in a callback of its own");
    if (scheduler->cluster->watcher == &scheduler->watcher)
        scheduler->cluster->watcher = NULL;
    berth__posted_events_destroy(&scheduler->posted);
    berth__queue_destroy(&scheduler->queue);
    berth__running_evictions_destroy(&scheduler->running, scheduler->allocator);
    berth__arena_destroy(&scheduler->group_steps.arena);
    berth__free(scheduler->allocator, scheduler->group_steps.items,
                scheduler->group_steps.capacity * sizeof(*scheduler->group_steps.items));
    berth__free(scheduler->allocator, scheduler->victims,
                scheduler->victim_capacity * sizeof(*scheduler->victims));
    berth__free(scheduler->allocator, scheduler, sizeof(*scheduler));
}

/* ---- time ---- */

/* Apply the events posted so far before time advances, so that an answer that has arrived is not
 * late. */
static berth_status advance(berth_scheduler *scheduler, int64_t now_ns, berth_error *error)
{
    if (scheduler->cluster->undo.recording)
        return berth__error_set(error, BERTH_E_STATE, "a transaction is open on the engine");
    if (now_ns > scheduler->queue.now_ns)
        scheduler->queue.now_ns = now_ns;
    if (berth__loop_catch_up(scheduler) != BERTH_OK)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    BERTH_TRY(berth__loop_apply_posted(scheduler, error));
    if (berth__loop_expire(scheduler) != BERTH_OK)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    berth__queue_advance(&scheduler->queue, now_ns);
    return BERTH_OK;
}

berth_status berth_scheduler_advance(berth_scheduler *scheduler, int64_t now_ns, berth_error *error)
{
    BERTH_TRY(berth__use_enter(&scheduler->decider->use, error));
    return berth__use_leave(&scheduler->decider->use, advance(scheduler, now_ns, error));
}

int64_t berth_scheduler_next(const berth_scheduler *scheduler)
{
    const int64_t next_ns = berth__queue_next(&scheduler->queue);
    if (scheduler->group_steps.next < scheduler->group_steps.count)
        return scheduler->queue.now_ns;
    if (scheduler->queue.deferred.count == 0)
        return next_ns;
    if (berth__loop_admits(scheduler))
        return scheduler->queue.now_ns;
    const int64_t pace_end_ns = berth__loop_pace_end(scheduler);
    return next_ns < pace_end_ns ? next_ns : pace_end_ns;
}

/* ---- one step ---- */

/* Source of what happens to the nominated node here and without nodes: clearNominatedNode in
 * kube-scheduler, schedule_one.go. */
static void fail_attempt(berth_scheduler *scheduler, berth__queue_item *item, berth_step *out)
{
    scheduler->counters.decisions++;
    scheduler->counters.errors++;
    out->kind = BERTH_STEP_ERROR;
    berth__loop_end_nomination(scheduler, item->pod);
    berth__queue_retry(&scheduler->queue, item);
}

static berth_status place(berth_scheduler *scheduler, berth__queue_item *item, berth_step *out,
                          berth_error *error)
{
    berth_status status = berth__loop_assume(scheduler, item, out->placement.node, out);
    if (status == BERTH_OK) {
        scheduler->counters.decisions++;
    } else if (status == BERTH_E_NOMEM) {
        berth__queue_put_back(&scheduler->queue, item);
        return berth__error_set(error, status, "out of memory");
    } else {
        fail_attempt(scheduler, item, out);
    }
    return BERTH_OK;
}

void berth__loop_note_rejectors(berth_scheduler *scheduler, berth__stage_set rejectors)
{
    berth__decider *decider = scheduler->decider;
    const berth__ready_profile *profile = decider->attempt.decision.profile;
    for (uint32_t i = 0; i < BERTH__STAGE_NO_NODES && rejectors >> i != 0; i++)
        if ((rejectors >> i & 1) != 0 && i < profile->filter_stages)
            berth__refusals_note(&decider->refusals,
                                 berth__text_of(profile->filters[i].plugin->name), (berth_str){0},
                                 BERTH_CODE_UNSCHEDULABLE);
    if ((rejectors >> BERTH__STAGE_EXTENDERS & 1) != 0)
        berth__refusals_note(&decider->refusals, BERTH_STR("Extender"), (berth_str){0},
                             BERTH_CODE_UNSCHEDULABLE);
}

static const berth_step idle = {.kind = BERTH_STEP_IDLE,
                                .pod = BERTH_POD_NONE,
                                .placement = {.node = BERTH_NODE_NONE},
                                .nominated = BERTH_NODE_NONE};

static berth_status reject(berth_scheduler *scheduler, berth__queue_item *item,
                           const berth__progress *before, berth_step *out, berth_error *error)
{
    berth__stage_set rejectors = berth__rejectors(scheduler->decider);
    bool waits = false;
    if ((rejectors >> BERTH__STAGE_NO_NODES & 1) != 0)
        berth__loop_end_nomination(scheduler, item->pod);
    berth_status status = berth__loop_preempt(scheduler, item, out, &waits);
    if (waits) { /* this decision does not count */
        berth__decider_set_progress(scheduler->decider, before);
        berth__queue_defer(&scheduler->queue, item);
        *out = idle;
        return BERTH_OK;
    }
    berth__loop_note_rejectors(scheduler, rejectors);
    scheduler->counters.decisions++;
    scheduler->counters.unplaced++;
    out->kind = BERTH_STEP_UNSCHEDULABLE;
    /* Without memory for preemption, the pod is tried again after its backoff. */
    berth__queue_reject(&scheduler->queue, item, status == BERTH_OK ? rejectors : 0);
    return status == BERTH_OK ? BERTH_OK : berth__error_set(error, status, "out of memory");
}

berth_status berth__loop_explain(berth_scheduler *scheduler, uint32_t pod, uint32_t start,
                                 bool preemption, berth_error *error)
{
    const berth_decide_options options = {.size = sizeof(options),
                                          .flags = BERTH_DECIDE_KEEP_ROTATION |
                                                   (preemption ? 0 : BERTH_DECIDE_SEARCH_ONLY),
                                          .explanation = scheduler->explanation};
    berth__decider *decider = scheduler->decider;
    const berth__progress after = berth__decider_progress(decider);
    berth_placement again;
    const berth_status status = berth__decide_again(decider, pod, start, &options, &again, error);
    berth__decider_set_progress(decider, &after);
    return status;
}

/* If `*out` is idle afterwards, the pod was deferred and another one can be taken. */
static berth_status decide(berth_scheduler *scheduler, berth__queue_item *item, berth_step *out,
                           berth_error *error)
{
    static const berth_decide_options options = {.size = sizeof(options)};
    const berth__progress before = berth__decider_progress(scheduler->decider);
    berth_status status =
        berth__decide(scheduler->decider, item->pod, &options, &out->placement, error);
    if (status == BERTH_OK && scheduler->explanation != NULL &&
        out->placement.verdict != BERTH_VERDICT_PLACED)
        status = berth__loop_explain(scheduler, item->pod, out->placement.start, true, error);
    if (status != BERTH_OK) {
        berth__queue_put_back(&scheduler->queue, item);
        return status;
    }
    switch (out->placement.verdict) {
    case BERTH_VERDICT_PLACED:
        return place(scheduler, item, out, error);
    case BERTH_VERDICT_UNSCHEDULABLE:
        return reject(scheduler, item, &before, out, error);
    default:
        fail_attempt(scheduler, item, out);
        return BERTH_OK;
    }
}

/* Let one deferred pod be taken if deferred pods need not wait any more, or once for each change
 * that they wait for. So each of them is tried again, however many other pods preempt. */
static void admit(berth_scheduler *scheduler)
{
    berth__queue *queue = &scheduler->queue;
    if (berth__loop_admits(scheduler))
        berth__queue_admit(queue);
    queue->reviews = queue->reviews > 0 && queue->deferred.count > 0 ? queue->reviews - 1 : 0;
}

static berth_status step(berth_scheduler *scheduler, int64_t now_ns, berth_step *out,
                         berth_error *error)
{
    berth_status status = BERTH_OK;
    *out = idle;
    if (berth__loop_next_of_group(scheduler, out))
        return BERTH_OK;
    BERTH_TRY(advance(scheduler, now_ns, error));
    admit(scheduler);
    while (status == BERTH_OK && out->kind == BERTH_STEP_IDLE) {
        berth__queue_item *item = berth__queue_take(&scheduler->queue);
        if (item == NULL)
            return BERTH_OK;
        if (item->pod == BERTH_POD_INDEX_NONE) {
            BERTH_TRY(berth__loop_decide_group(scheduler, item, error));
            (void)berth__loop_next_of_group(scheduler, out);
            return BERTH_OK;
        }
        out->pod = berth__cluster_pod_id(scheduler->cluster, item->pod);
        out->attempt = item->attempts;
        out->waited_ns = scheduler->queue.now_ns - item->submitted_ns;
        status = decide(scheduler, item, out, error);
    }
    if (status != BERTH_OK)
        *out = idle;
    return status;
}

/* Copy for a caller whose berth_placement may have another size, which moves the members behind
 * it. */
static void tell_step(const berth_step *own, berth_step *out, size_t size, size_t placement_size)
{
    enum {
        BEFORE = offsetof(berth_step, placement),
        BEHIND = offsetof(berth_step, placement) + sizeof(berth_placement)
    };
    size_t head = size < BEFORE ? size : BEFORE;
    size_t middle = size - head < placement_size ? size - head : placement_size;
    memcpy(out, own, head);
    berth__sized_give((char *)out + head, middle, &own->placement, sizeof(own->placement));
    berth__sized_give((char *)out + head + middle, size - head - middle, (const char *)own + BEHIND,
                      sizeof(*own) - BEHIND);
}

static berth_status take_step(berth_scheduler *scheduler, int64_t now_ns, berth_step *out,
                              berth_error *error)
{
    *out = idle;
    BERTH_TRY(berth__use_enter(&scheduler->decider->use, error));
    return berth__use_leave(&scheduler->decider->use, step(scheduler, now_ns, out, error));
}

berth_status berth_scheduler_step_sized(berth_scheduler *scheduler, int64_t now_ns, berth_step *out,
                                        size_t size, size_t placement_size, berth_error *error)
{
    if (BERTH_LIKELY(size == sizeof(*out) && placement_size == sizeof(out->placement)))
        return take_step(scheduler, now_ns, out, error);
    berth_step own;
    berth_status status = take_step(scheduler, now_ns, &own, error);
    tell_step(&own, out, size, placement_size);
    return status;
}
