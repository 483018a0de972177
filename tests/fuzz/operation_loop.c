/* Fuzzed operations: the scheduler over an engine, and the answers of its callbacks. */
#include "operation_side.h"

#define MILLISECOND INT64_C(1000000)

/* The answer depends on a number that is the same on every side. */
static berth_answer answer_of(uint64_t number)
{
    static const berth_answer answers[] = {BERTH_ANSWER_DONE, BERTH_ANSWER_DONE, BERTH_ANSWER_LATER,
                                           BERTH_ANSWER_LATER, BERTH_ANSWER_FAILED};
    number *= UINT64_C(0x9e3779b97f4a7c15);
    return answers[(number >> 33) % 5];
}

static berth_answer on_bind(void *context, const berth_binding *binding)
{
    operation_side *side = context;
    berth_answer answer = answer_of(binding->pod + binding->id);
    operation_note(side, binding->pod);
    if (answer == BERTH_ANSWER_LATER && side->binding_count < SIDE_LATER)
        side->late_bindings[side->binding_count++] = binding->id;
    return answer;
}

static void on_unbind(void *context, const berth_binding *binding, berth_unbind_reason reason)
{
    operation_note(context, binding->pod);
    operation_note(context, reason);
}

static berth_answer on_evict(void *context, const berth_eviction *eviction)
{
    operation_side *side = context;
    berth_answer answer = answer_of(eviction->victim * 3 + eviction->preemptor);
    operation_note(side, eviction->victim);
    operation_note(side, eviction->preemptor);
    if (answer == BERTH_ANSWER_LATER && side->victim_count < SIDE_LATER)
        side->late_victims[side->victim_count++] = eviction->victim;
    return answer;
}

static void on_report(void *context, berth_trouble trouble, const berth_error *error)
{
    operation_note(context, trouble);
    operation_note(context, error != NULL ? error->code : BERTH_OK);
}

static void on_unnominated(void *context, berth_pod_id pod)
{
    operation_note(context, pod);
}

static berth_status make_or_end(operation_side *side, const uint8_t *argument)
{
    berth_scheduler_options options;
    if (side->scheduler != NULL) {
        berth_scheduler_destroy(side->scheduler);
        side->scheduler = NULL;
        side->binding_count = side->victim_count = 0;
        return BERTH_OK;
    }
    berth_scheduler_options_init(&options);
    options.now_ns = side->now_ns;
    options.bind_timeout_ns = argument[0] % 2 == 0 ? 3000 * MILLISECOND : BERTH_TIME_NEVER;
    options.callbacks = (berth_scheduler_callbacks){.context = side,
                                                    .bind = on_bind,
                                                    .unbind = on_unbind,
                                                    .evict = on_evict,
                                                    .report = on_report};
    options.unnominated = on_unnominated;
    options.explanation = argument[0] % 8 == 1 ? side->explanation : NULL;
    return berth_scheduler_create(side->engine, &options, &side->scheduler, &side->error);
}

static berth_status step(operation_side *side, const uint8_t *argument)
{
    berth_step out;
    side->now_ns += argument[0] * 4 * MILLISECOND;
    berth_status status = berth_scheduler_step(side->scheduler, side->now_ns, &out, &side->error);
    const uint32_t target = side->target;
    side->target = 0; /* node names are those of the engine, not of a branch */
    operation_note(side, out.kind);
    operation_note(side, out.pod);
    if (status == BERTH_OK && out.kind != BERTH_STEP_IDLE)
        operation_note_placement(side, &out.placement);
    operation_note_node(side, out.nominated);
    operation_note(side, out.victim_count);
    operation_note(side, out.attempt);
    operation_note(side, (uint64_t)out.waited_ns);
    side->target = target;
    return status;
}

static berth_status answer(operation_side *side, const uint8_t *argument)
{
    const berth_answer how = argument[0] % 4 == 0 ? BERTH_ANSWER_FAILED : BERTH_ANSWER_DONE;
    if (argument[1] % 2 == 0 && side->binding_count > 0) {
        const uint32_t i = argument[2] % side->binding_count;
        const berth_binding_id binding = side->late_bindings[i];
        side->late_bindings[i] = side->late_bindings[--side->binding_count];
        return berth_scheduler_bind_done(side->scheduler, binding, how, &side->error);
    }
    if (side->victim_count > 0) {
        const uint32_t i = argument[2] % side->victim_count;
        const berth_pod_id victim = side->late_victims[i];
        side->late_victims[i] = side->late_victims[--side->victim_count];
        return berth_scheduler_evict_done(side->scheduler, victim, how, &side->error);
    }
    return berth_scheduler_bind_done(side->scheduler, argument[0], how, &side->error);
}

static berth_status post(operation_side *side, const uint8_t *argument)
{
    const operation_pool *pool = side->pool;
    const berth_pod *pod = pool->pods[argument[0] % POOL_PODS][argument[1] % POOL_VERSIONS];
    const berth_node *node = pool->node[argument[0] % pool->nodes][argument[1] % POOL_VERSIONS];
    const berth_object object = argument[2] % 4 == 0
                                    ? (berth_object){.kind = BERTH_KIND_NODE, .as.node = node}
                                    : (berth_object){.kind = BERTH_KIND_POD, .as.pod = pod};
    const berth_metadata *meta = object.as.any;
    switch (argument[2] / 4 % 4) {
    case 0:
        return berth_scheduler_post_remove(side->scheduler, object.kind,
                                           object.kind == BERTH_KIND_POD ? naive_namespace(meta)
                                                                         : (berth_str){0},
                                           meta->name, &side->error);
    case 1:
        return berth_scheduler_post_update(side->scheduler, &object, &side->error);
    default:
        return berth_scheduler_post_add(side->scheduler, &object, &side->error);
    }
}

berth_status operation_loop(operation_side *side, operation_verb verb, const uint8_t *argument)
{
    if (verb == OPERATION_SCHEDULER)
        return make_or_end(side, argument);
    if (side->scheduler == NULL)
        return BERTH_OK;
    switch (verb) {
    case OPERATION_STEP:
        return step(side, argument);
    case OPERATION_ANSWER:
        return answer(side, argument);
    case OPERATION_POST:
        return post(side, argument);
    default:
        side->now_ns += argument[0] * 16 * MILLISECOND;
        return berth_scheduler_advance(side->scheduler, side->now_ns, &side->error);
    }
}
