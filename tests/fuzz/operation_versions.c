/* Fuzzed operations: transactions, snapshots and branches. */
#include "operation_side.h"

static berth_status begin(operation_side *side)
{
    berth_engine *engine = operation_target(side);
    const uint32_t depth = berth_engine_depth(engine);
    if (depth == SIDE_DEPTH)
        return berth_engine_rollback(engine, &side->error);
    side->digests[side->target][depth] = berth_engine_digest(engine);
    return berth_engine_begin(engine, &side->error);
}

static berth_status roll_back(operation_side *side)
{
    berth_engine *engine = operation_target(side);
    const uint32_t depth = berth_engine_depth(engine);
    berth_status status = berth_engine_rollback(engine, &side->error);
    if (status == BERTH_OK && side->digests[side->target][depth - 1] != berth_engine_digest(engine))
        side->broken = "a rollback does not bring pods back to where they were";
    return status;
}

/* Fills a free place, or empties a taken one. */
static berth_status pin(operation_side *side, const uint8_t *argument)
{
    const uint32_t i = argument[0] % SIDE_PINS;
    if (side->pins[i] != NULL) {
        if (berth_snapshot_digest(side->pins[i]) != side->pin_digests[i])
            side->broken = "a pinned snapshot has changed";
        berth_snapshot_unpin(side->pins[i]);
        side->pins[i] = NULL;
        return BERTH_OK;
    }
    side->pins[i] = berth_engine_pin(side->engine);
    if (side->pins[i] != NULL)
        side->pin_digests[i] = berth_snapshot_digest(side->pins[i]);
    operation_note(side, side->pins[i] != NULL ? side->pin_digests[i] : 0);
    operation_note(side, side->pins[i] != NULL ? berth_snapshot_number(side->pins[i]) : 0);
    return BERTH_OK;
}

static berth_status branch(operation_side *side, const uint8_t *argument)
{
    const uint32_t i = argument[0] % SIDE_BRANCHES;
    const uint32_t from = argument[1] % SIDE_PINS;
    if (side->branches[i] != NULL) {
        berth_branch_drop(side->branches[i]);
        side->branches[i] = NULL;
        side->target = side->target == i + 1 ? 0 : side->target;
        return BERTH_OK;
    }
    if (side->pins[from] == NULL)
        return BERTH_OK;
    berth_status status = berth_branch_create(side->pins[from], &side->branches[i], &side->error);
    if (status == BERTH_OK && berth_engine_digest(side->branches[i]) != side->pin_digests[from])
        side->broken = "a branch does not begin as its snapshot";
    side->target = status == BERTH_OK ? i + 1 : side->target;
    return status;
}

static berth_status commit_branch(operation_side *side, const uint8_t *argument)
{
    enum { CONFLICTS = 4 };
    berth_conflict conflicts[CONFLICTS];
    uint32_t count = 0;
    berth_engine *from = side->branches[argument[0] % SIDE_BRANCHES];
    if (from == NULL)
        return BERTH_OK;
    berth_status status = berth_branch_commit(from, conflicts, CONFLICTS, &count, &side->error);
    operation_note(side, count);
    for (uint32_t i = 0; status == BERTH_OK && i < count && i < CONFLICTS; i++) {
        operation_note(side, conflicts[i].pod);
        operation_note(side, conflicts[i].kind);
        operation_note_text(side, berth_engine_node_name(from, conflicts[i].node));
    }
    return status;
}

static berth_status aim(operation_side *side, const uint8_t *argument)
{
    const uint32_t target = argument[0] % (1 + SIDE_BRANCHES);
    side->target = target > 0 && side->branches[target - 1] == NULL ? 0 : target;
    return BERTH_OK;
}

berth_status operation_versions(operation_side *side, operation_verb verb, const uint8_t *argument)
{
    switch (verb) {
    case OPERATION_BEGIN:
        return begin(side);
    case OPERATION_COMMIT:
        return berth_engine_commit(operation_target(side), &side->error);
    case OPERATION_ROLLBACK:
        return roll_back(side);
    case OPERATION_PUBLISH:
        return berth_engine_publish(operation_target(side), &side->error);
    case OPERATION_PIN:
        return pin(side, argument);
    case OPERATION_BRANCH:
        return branch(side, argument);
    case OPERATION_COMMIT_BRANCH:
        return commit_branch(side, argument);
    case OPERATION_TRIM:
        berth_engine_trim(side->engine);
        return BERTH_OK;
    default:
        return aim(side, argument);
    }
}

void operation_end_versions(operation_side *side)
{
    for (uint32_t i = 0; i < SIDE_BRANCHES; i++)
        berth_branch_drop(side->branches[i]);
    for (uint32_t i = 0; i < SIDE_PINS; i++)
        berth_snapshot_unpin(side->pins[i]);
}
