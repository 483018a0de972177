/* Fuzzed operations that read from an engine, and the checks of everything made from it. */
#include "operation_side.h"

static void read_nodes(operation_side *side, const uint8_t *argument)
{
    enum { NODES = 12 };
    berth_engine *engine = operation_target(side);
    berth_node_id order[NODES];
    uint32_t count = 0;
    operation_note(side, berth_engine_node_order(engine, order, NODES, &count, &side->error));
    for (uint32_t i = 0; i < count && i < NODES; i++)
        operation_note_node(side, order[i]);
    berth_node_id node = operation_node(side, argument[1]);
    berth_node_info info = {.size = sizeof(info)};
    berth_key_value labels[4];
    berth_taint taints[4];
    berth_amount amounts[8];
    berth_pod_id pods[8];
    int64_t amount[2];
    if (berth_engine_node_info(engine, node, &info, NULL) != BERTH_OK)
        return;
    operation_note(side, info.pod_count);
    operation_note(side, info.unschedulable + 2u * info.closed);
    operation_note(side, berth_engine_node_labels(engine, node, labels, 4));
    operation_note(side, berth_engine_node_taints(engine, node, taints, 4));
    operation_note(side, berth_engine_node_allocatable(engine, node, amounts, 8));
    for (uint32_t i = 0; i < info.resource_count && i < 8; i++) {
        (void)berth_engine_node_resource(engine, node, amounts[i].resource, &amount[0], &amount[1],
                                         NULL);
        operation_note_text(side, amounts[i].resource);
        operation_note(side, (uint64_t)amount[0]);
        operation_note(side, (uint64_t)amount[1]);
    }
    count = berth_engine_node_pods(engine, node, pods, 8);
    for (uint32_t i = 0; i < count && i < 8; i++)
        operation_note(side, pods[i]);
}

static void read_pods(operation_side *side, const uint8_t *argument)
{
    const berth_engine *engine = operation_target(side);
    berth_pod_id pod = operation_pod(side, argument[0]), pending[8];
    uint64_t count = 0;
    berth_pod_info info = {.size = sizeof(info)};
    berth_claim_choice claims[4];
    operation_note(side, berth_engine_pending(engine, pending, 8, &count, NULL));
    for (uint64_t i = 0; i < count && i < 8; i++)
        operation_note(side, pending[i]);
    operation_note(side, berth_engine_rotation(engine));
    operation_note_node(side, berth_engine_pod_nominated(engine, pod));
    if (berth_engine_pod_info(engine, pod, &info, NULL) != BERTH_OK)
        return;
    operation_note_node(side, info.node);
    operation_note(side, (uint64_t)info.priority);
    operation_note(side, info.label_count);
    count = berth_engine_pod_claims(engine, pod, claims, 4);
    for (uint64_t i = 0; i < count && i < 4; i++) {
        operation_note_text(side, claims[i].claim_name);
        operation_note_text(side, claims[i].volume);
    }
}

static berth_status count_object(void *context, const berth_object *object, berth_error *error)
{
    operation_side *side = context;
    (void)error;
    operation_note_text(side, ((const berth_metadata *)object->as.any)->name);
    return BERTH_OK;
}

berth_status operation_read(operation_side *side, operation_verb verb, const uint8_t *argument)
{
    berth_engine *engine = operation_target(side);
    berth_counts counts;
    if (verb == OPERATION_OBJECTS)
        return berth_engine_objects(engine, (berth_kind)(argument[0] % BERTH_KIND_COUNT),
                                    count_object, side, &side->error);
    berth_engine_counts(engine, &counts);
    operation_note(side, counts.nodes);
    operation_note(side, counts.pods_running);
    operation_note(side, counts.pods_pending);
    operation_note(side, counts.pods_orphaned);
    operation_note(side, berth_engine_digest(engine));
    static void (*const readers[])(operation_side *, const uint8_t *) = {
        read_nodes, read_pods, operation_read_devices, operation_read_requests};
    readers[argument[2] % 4](side, argument);
    return BERTH_OK;
}

const char *operation_side_check(operation_side *side)
{
    if (side->broken != NULL)
        return side->broken;
    if (berth_engine_check(side->engine, &side->error) != BERTH_OK)
        return "berth_engine_check";
    for (uint32_t i = 0; i < SIDE_BRANCHES; i++)
        if (side->branches[i] != NULL &&
            berth_engine_check(side->branches[i], &side->error) != BERTH_OK)
            return "berth_engine_check of a branch";
    if (side->scheduler != NULL && berth_engine_depth(side->engine) == 0 &&
        berth_scheduler_check(side->scheduler, &side->error) != BERTH_OK)
        return "berth_scheduler_check";
    for (uint32_t i = 0; i < SIDE_PINS; i++) {
        if (side->pins[i] == NULL)
            continue;
        if (berth_snapshot_check(side->pins[i], &side->error) != BERTH_OK)
            return "berth_snapshot_check";
        if (berth_snapshot_digest(side->pins[i]) != side->pin_digests[i])
            return "a pinned snapshot has changed";
    }
    return NULL;
}
