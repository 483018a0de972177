/* Fuzzed operations on one engine: objects, decisions, questions. */
#include "operation_side.h"

#include <stdlib.h>

#include "fuzz.h"

const char *const operation_names[OPERATION_VERBS] = {
#define X(name, weight) #name,
    OPERATION_LIST(X)
#undef X
};

#define X(name, weight) +(weight)
_Static_assert(0 OPERATION_LIST(X) <= 256, "the last verbs would never be chosen");
#undef X

operation_verb operation_of(uint8_t byte)
{
    static const uint8_t weights[] = {
#define X(name, weight) weight,
        OPERATION_LIST(X)
#undef X
    };
    uint32_t verb = 0, left = byte;
    while (left >= weights[verb]) {
        left -= weights[verb];
        verb = (verb + 1) % OPERATION_VERBS;
    }
    return (operation_verb)verb;
}

/* ---- what is noted ---- */

void operation_note(operation_side *side, uint64_t number)
{
    if (side->result->count < RESULT_MAX)
        side->result->numbers[side->result->count++] = number;
}

void operation_note_text(operation_side *side, berth_str text)
{
    uint64_t hash = UINT64_C(14695981039346656037) + text.len;
    for (uint32_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * UINT64_C(1099511628211);
    operation_note(side, hash);
}

/* Notes the node by its name, because the id of a new node depends on which ids could be swept. */
void operation_note_node(operation_side *side, berth_node_id node)
{
    operation_note_text(side, berth_engine_node_name(operation_target(side), node));
}

void operation_note_placement(operation_side *side, const berth_placement *placement)
{
    operation_note(side, placement->verdict);
    operation_note_node(side, placement->node);
    operation_note(side, placement->feasible_count);
    operation_note(side, placement->best_count);
    operation_note(side, placement->start);
    operation_note(side, placement->next);
    operation_note(side, (uint64_t)placement->total);
}

/* ---- what operations are about ---- */

berth_engine *operation_target(const operation_side *side)
{
    return side->target == 0 ? side->engine : side->branches[side->target - 1];
}

static bool on_scheduler(const operation_side *side, const uint8_t *argument)
{
    return side->target == 0 && side->scheduler != NULL && argument[2] % 2 == 0;
}

static berth_str numbered(const char *prefix, uint32_t number, char room[16])
{
    return (berth_str){room, (uint32_t)snprintf(room, 16, "%s%u", prefix, number)};
}

/* Most pods come from the pool; some are copies of those, and some came with nodes of a template.
 */
berth_pod_id operation_pod(const operation_side *side, uint8_t which)
{
    char room[16];
    const berth_engine *engine = operation_target(side);
    const berth_metadata *meta = &side->pool->pods[which % POOL_PODS][0]->meta;
    if (which < 192)
        return berth_engine_find_pod(engine, naive_namespace(meta), meta->name);
    if (which < 240)
        return berth_engine_find_pod(engine, naive_namespace(meta),
                                     numbered("like", which % 8, room));
    return berth_engine_find_pod(engine, naive_namespace(meta),
                                 numbered("daemon-cloud-", 1 + which % 4, room));
}

/* Returns the first pod from this one on that is pending (or, without `pending`, on a node); if
 * there is none, this one. Most operations are refused for pods in the other state. */
static berth_pod_id pod_that(const operation_side *side, uint8_t which, bool pending)
{
    const berth_engine *engine = operation_target(side);
    for (uint32_t i = 0; which < 160 && i < POOL_PODS; i++) {
        const berth_metadata *meta = &side->pool->pods[(which + i) % POOL_PODS][0]->meta;
        berth_pod_id pod = berth_engine_find_pod(engine, naive_namespace(meta), meta->name);
        if (pod != BERTH_POD_NONE &&
            (berth_engine_pod_node(engine, pod) == BERTH_NODE_NONE) == pending)
            return pod;
    }
    return operation_pod(side, which);
}

static berth_str node_name(const operation_side *side, uint8_t which, char room[16])
{
    if (which >= 240)
        return numbered("cloud-", 1 + which % 4, room);
    return side->pool->node[which % side->pool->nodes][0]->meta.name;
}

berth_node_id operation_node(const operation_side *side, uint8_t which)
{
    char room[16];
    return berth_engine_find_node(operation_target(side), node_name(side, which, room));
}

/* ---- objects ---- */

static berth_status add(operation_side *side, const uint8_t *argument, const berth_object *object)
{
    berth_object_id id = {0};
    berth_status status =
        on_scheduler(side, argument)
            ? berth_scheduler_add(side->scheduler, side->now_ns, object, &id, &side->error)
            : berth_engine_add(operation_target(side), object, &id, &side->error);
    operation_note(side, id.pod);
    operation_note_node(side, id.node);
    return status;
}

static berth_status update(operation_side *side, const uint8_t *argument,
                           const berth_object *object)
{
    if (on_scheduler(side, argument))
        return berth_scheduler_update(side->scheduler, side->now_ns, object, &side->error);
    return berth_engine_update(operation_target(side), object, &side->error);
}

static berth_status remove_named(operation_side *side, const uint8_t *argument, berth_kind kind,
                                 berth_str space, berth_str name)
{
    if (on_scheduler(side, argument))
        return berth_scheduler_remove(side->scheduler, side->now_ns, kind, space, name,
                                      &side->error);
    return berth_engine_remove(operation_target(side), kind, space, name, &side->error);
}

static berth_status remove_pod(operation_side *side, const uint8_t *argument)
{
    berth_str space, name;
    berth_pod_id pod = operation_pod(side, argument[0]);
    berth_engine_pod_name(operation_target(side), pod, &space, &name);
    return remove_named(side, argument, BERTH_KIND_POD, space, name);
}

/* An update leaves a pod where it is, or the engine refuses it. */
static berth_status update_pod(operation_side *side, const uint8_t *argument)
{
    const berth_pod *version =
        side->pool->pods[argument[0] % POOL_PODS][argument[1] % POOL_VERSIONS];
    berth_pod pod = *version;
    const berth_engine *engine = operation_target(side);
    berth_node_id node = berth_engine_pod_node(
        engine, berth_engine_find_pod(engine, naive_namespace(&pod.meta), pod.meta.name));
    if (argument[1] < 200 && node != BERTH_NODE_NONE)
        pod.node_name = berth_engine_node_name(engine, node);
    return update(side, argument, &(berth_object){.kind = BERTH_KIND_POD, .as.pod = &pod});
}

static berth_status change_other(operation_side *side, const uint8_t *argument)
{
    const operation_pool *pool = side->pool;
    const berth_kind kind = pool->kinds[argument[0] % pool->kind_count];
    const uint32_t name = argument[1] % pool->names[kind];
    const berth_object *object = &pool->others[kind][name][argument[2] / 4 % POOL_VERSIONS];
    const berth_metadata *meta = object->as.any;
    switch (argument[2] / 16 % 5) {
    case 0:
        return remove_named(side, argument, kind, meta->namespace_name, meta->name);
    case 1:
    case 2:
        return update(side, argument, object);
    default:
        return add(side, argument, object);
    }
}

static berth_status object_operation(operation_side *side, operation_verb verb,
                                     const uint8_t *argument)
{
    char room[16];
    const operation_pool *pool = side->pool;
    const berth_object pod = {.kind = BERTH_KIND_POD,
                              .as.pod =
                                  pool->pods[argument[0] % POOL_PODS][argument[1] % POOL_VERSIONS]};
    const berth_object node = {
        .kind = BERTH_KIND_NODE,
        .as.node = pool->node[argument[0] % pool->nodes][argument[1] % POOL_VERSIONS]};
    switch (verb) {
    case OPERATION_ADD_POD:
        return add(side, argument, &pod);
    case OPERATION_UPDATE_POD:
        return update_pod(side, argument);
    case OPERATION_REMOVE_POD:
        return remove_pod(side, argument);
    case OPERATION_ADD_NODE:
        return add(side, argument, &node);
    case OPERATION_UPDATE_NODE:
        return update(side, argument, &node);
    case OPERATION_REMOVE_NODE:
        return remove_named(side, argument, BERTH_KIND_NODE, (berth_str){0},
                            node_name(side, argument[0], room));
    default:
        return change_other(side, argument);
    }
}

/* ---- decisions ---- */

static berth_status decide(operation_side *side, operation_verb verb, const uint8_t *argument)
{
    berth_engine *engine = operation_target(side);
    berth_decide_options options;
    berth_placement placement;
    berth_pod_id pod = pod_that(side, argument[0], true);
    if (verb == OPERATION_SCHEDULE) {
        berth_status status = berth_engine_schedule(engine, pod, &placement, &side->error);
        operation_note_placement(side, &placement);
        return status;
    }
    berth_decide_options_init(&options);
    options.flags = argument[1] % 4;
    if (verb == OPERATION_EXPLAIN)
        options.explanation = side->explanation;
    berth_status status = berth_engine_decide(engine, pod, &options, &placement, &side->error);
    operation_note_placement(side, &placement);
    if (verb == OPERATION_EXPLAIN && status == BERTH_OK)
        operation_note_explanation(side);
    return status;
}

static void on_evicted(void *context, berth_pod_id victim, berth_node_id node, uint32_t preemptor)
{
    operation_side *side = context;
    operation_note(side, victim);
    operation_note_node(side, node);
    operation_note(side, preemptor);
}

static berth_status place_group(operation_side *side, const uint8_t *argument)
{
    enum { GROUP = 4 };
    berth_pod_id pods[GROUP];
    berth_placement placements[GROUP];
    uint32_t placed = 0;
    const uint32_t count = 1 + argument[1] % GROUP;
    const uint32_t preempts = argument[2] / 64 == 0 ? BERTH_GROUP_PREEMPT : 0;
    const berth_group_options options = {.size = sizeof(options),
                                         .flags = argument[1] / 4 % 4 | preempts,
                                         .minimum = argument[1] / 16 % GROUP,
                                         .evicted = on_evicted,
                                         .context = side};
    for (uint32_t i = 0; i < count; i++)
        pods[i] = pod_that(side, (uint8_t)(argument[0] + i * (1 + argument[2] % 5)), true);
    berth_engine *engine = operation_target(side);
    const bool all = argument[1] >= 192;
    berth_status status =
        all ? berth_engine_schedule_group(engine, pods, count, placements, &placed, &side->error)
            : berth_engine_schedule_pods(engine, pods, count, &options, placements, &placed,
                                         &side->error);
    operation_note(side, placed);
    /* The two calls report pods that were not tried differently. */
    for (uint32_t i = 0; status == BERTH_OK && i < count && (!all || i <= placed); i++) {
        operation_note(side, placements[i].verdict);
        operation_note_node(side, placements[i].node);
    }
    return status;
}

static berth_status count_fits(operation_side *side, const uint8_t *argument)
{
    enum { LIMIT = 4 };
    berth_node_id nodes[LIMIT];
    uint32_t count = 0;
    berth_status status =
        berth_engine_fit_count(operation_target(side), operation_pod(side, argument[0]),
                               1 + argument[1] % LIMIT, &count, nodes, NULL, &side->error);
    operation_note(side, count);
    for (uint32_t i = 0; status == BERTH_OK && i < count; i++)
        operation_note_node(side, nodes[i]);
    return status;
}

static berth_status ask_fit(operation_side *side, const uint8_t *argument)
{
    berth_fit fit = {.size = sizeof(fit)};
    berth_status status = berth_engine_fits(
        operation_target(side), operation_pod(side, argument[0]), operation_node(side, argument[1]),
        argument[2] % 4 == 0 ? BERTH_FIT_REASONS : 0, &fit, &side->error);
    operation_note(side, fit.verdict);
    operation_note(side, fit.code);
    operation_note_text(side, fit.plugin);
    for (uint32_t i = 0; i < fit.reason_count; i++)
        operation_note_text(side, fit.reasons[i]);
    return status;
}

static berth_status ask_feasible(operation_side *side, const uint8_t *argument)
{
    enum { NODES = 16 };
    berth_node_id nodes[NODES];
    int64_t totals[NODES];
    uint32_t count = 0;
    berth_status status = berth_engine_feasible_nodes(
        operation_target(side), pod_that(side, argument[0], true), nodes,
        argument[1] % 2 == 0 ? totals : NULL, NODES, &count, &side->error);
    operation_note(side, count);
    for (uint32_t i = 0; status == BERTH_OK && i < count && i < NODES; i++) {
        operation_note_node(side, nodes[i]);
        operation_note(side, argument[1] % 2 == 0 ? (uint64_t)totals[i] : 0);
    }
    return status;
}

static berth_status ask_forbidden(operation_side *side, const uint8_t *argument)
{
    enum { PODS = 6 };
    berth_pod_id pods[PODS];
    bool forbidden[PODS] = {false};
    for (uint32_t i = 0; i < PODS; i++)
        pods[i] = operation_pod(side, (uint8_t)(argument[0] + i));
    operation_note(side, berth_engine_forbidden(operation_target(side), pods, PODS, forbidden));
    for (uint32_t i = 0; i < PODS; i++)
        operation_note(side, forbidden[i]);
    return BERTH_OK;
}

static berth_status decision_operation(operation_side *side, operation_verb verb,
                                       const uint8_t *argument)
{
    switch (verb) {
    case OPERATION_GROUP:
        return place_group(side, argument);
    case OPERATION_FIT_COUNT:
        return count_fits(side, argument);
    case OPERATION_FITS:
        return ask_fit(side, argument);
    case OPERATION_FEASIBLE:
        return ask_feasible(side, argument);
    case OPERATION_FORBIDDEN:
        return ask_forbidden(side, argument);
    default:
        return decide(side, verb, argument);
    }
}

/* ---- pods and nodes by their ids ---- */

static berth_status add_like(operation_side *side, const uint8_t *argument)
{
    char room[16];
    berth_pod_id id = BERTH_POD_NONE;
    berth_status status =
        berth_engine_add_like(operation_target(side), operation_pod(side, argument[0]),
                              numbered("like", argument[1] % 8, room), &id, &side->error);
    operation_note(side, id);
    return status;
}

static berth_status add_nodes(operation_side *side, const uint8_t *argument)
{
    berth_node_id ids[2] = {BERTH_NODE_NONE, BERTH_NODE_NONE};
    berth_node node = *side->pool->node[argument[0] % side->pool->nodes][0];
    berth_pod pod = *side->pool->pods[argument[0] % POOL_PODS][0];
    node.meta.name = BERTH_STR("cloud");
    pod.meta.name = BERTH_STR("daemon");
    const berth_node_template from = {
        .size = sizeof(from), .pod_count = argument[1] % 2, .pods = &pod, .node = &node};
    if (operation_node(side, 240 + 3) != BERTH_NODE_NONE) /* only as many as can be removed again */
        return BERTH_OK;
    berth_status status = berth_engine_add_nodes(operation_target(side), &from,
                                                 1 + argument[1] / 2 % 2, ids, &side->error);
    operation_note_node(side, ids[0]);
    operation_note_node(side, ids[1]);
    return status;
}

static berth_status by_id(operation_side *side, operation_verb verb, const uint8_t *argument)
{
    berth_engine *engine = operation_target(side);
    berth_pod_id pod = pod_that(side, argument[0], verb != OPERATION_UNBIND);
    switch (verb) {
    case OPERATION_BIND:
        return berth_engine_bind(engine, pod, operation_node(side, argument[1]), &side->error);
    case OPERATION_UNBIND:
        return berth_engine_unbind(engine, pod, &side->error);
    case OPERATION_NOMINATE:
        return berth_engine_nominate(
            engine, pod, argument[2] % 4 == 0 ? BERTH_NODE_NONE : operation_node(side, argument[1]),
            &side->error);
    case OPERATION_CORDON:
        return berth_engine_cordon_node(engine, operation_node(side, argument[1]),
                                        argument[2] % 2 == 0, &side->error);
    case OPERATION_CLOSE:
        return berth_engine_close_node(engine, operation_node(side, argument[1]),
                                       argument[2] % 2 == 0, &side->error);
    case OPERATION_ROTATE:
        return berth_engine_set_rotation(engine, argument[0], &side->error);
    case OPERATION_ADD_NODES:
        return add_nodes(side, argument);
    default:
        return add_like(side, argument);
    }
}

/* ---- all of them ---- */

static berth_status dispatch(operation_side *side, operation_verb verb, const uint8_t *argument)
{
    switch (verb) {
    case OPERATION_ADD_POD:
    case OPERATION_UPDATE_POD:
    case OPERATION_REMOVE_POD:
    case OPERATION_ADD_NODE:
    case OPERATION_UPDATE_NODE:
    case OPERATION_REMOVE_NODE:
    case OPERATION_CHANGE_OTHER:
        return object_operation(side, verb, argument);
    case OPERATION_SCHEDULE:
    case OPERATION_DECIDE:
    case OPERATION_EXPLAIN:
    case OPERATION_GROUP:
    case OPERATION_FIT_COUNT:
    case OPERATION_FITS:
    case OPERATION_FEASIBLE:
    case OPERATION_FORBIDDEN:
        return decision_operation(side, verb, argument);
    case OPERATION_BIND:
    case OPERATION_UNBIND:
    case OPERATION_NOMINATE:
    case OPERATION_CORDON:
    case OPERATION_CLOSE:
    case OPERATION_ROTATE:
    case OPERATION_ADD_NODES:
    case OPERATION_ADD_LIKE:
        return by_id(side, verb, argument);
    case OPERATION_SCHEDULER:
    case OPERATION_STEP:
    case OPERATION_ADVANCE:
    case OPERATION_ANSWER:
    case OPERATION_POST:
        return operation_loop(side, verb, argument);
    case OPERATION_READ:
    case OPERATION_OBJECTS:
        return operation_read(side, verb, argument);
    default:
        return operation_versions(side, verb, argument);
    }
}

void operation_run(operation_side *side, const uint8_t *bytes, operation_result *out)
{
    out->count = 0;
    side->result = out;
    side->error = (berth_error){.code = BERTH_OK};
    out->status = dispatch(side, operation_of(bytes[0]), bytes + 1);
    if (out->status == BERTH_E_INTERNAL || out->status == BERTH_E_NOMEM)
        side->broken = "a call fails that can't";
    if (out->status != BERTH_OK && side->error.code != out->status)
        side->broken = "an error is not the status that was returned";
}

void operation_side_open(operation_side *side, const operation_pool *pool, berth_path path,
                         const berth_allocator *allocator)
{
    berth_engine_config config;
    *side = (operation_side){.pool = pool};
    berth_engine_config_init(&config);
    config.threads = 1;
    config.seed = pool->seed;
    config.kubernetes = pool->gen.kubernetes;
    config.path = path;
    config.profiles = pool->profiles;
    config.profile_count = POOL_PROFILES;
    config.allocator = allocator;
    config.keep_objects = pool->seed % 3 == 0;
    FUZZ_CHECK(berth_engine_create(&config, &side->engine, NULL) == BERTH_OK);
    FUZZ_CHECK(berth_explanation_create(allocator, &side->explanation, NULL) == BERTH_OK);
}

void operation_side_close(operation_side *side)
{
    operation_end_versions(side);
    berth_scheduler_destroy(side->scheduler);
    berth_explanation_destroy(side->explanation);
    berth_engine_destroy(side->engine);
}
