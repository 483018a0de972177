#include "api/group_preemption.h"

#include "base/error.h"
#include "base/memory.h"
#include "versions/engine_state.h"

/* Whether a victim is one of the first `count` pods of the group, which do not evict each other. */
static bool is_of_group(const berth__group_preemption *p, uint32_t count, berth_pod_id victim)
{
    for (uint32_t i = 0; i < count; i++)
        if (p->pods[i] == victim)
            return true;
    return false;
}

/* Note the victims of the explanation after the evictions so far, without counting them. `*count`
 * receives their number; 0: evictions do not help, or a pod of the group would have to leave. */
static berth_status note_victims(berth__group_preemption *p, uint32_t index, uint32_t *count,
                                 berth_error *error)
{
    const berth_node_id node = berth_explanation_nominated(p->why);
    const uint32_t found = berth_explanation_victim_count(p->why);
    *count = 0;
    if (node == BERTH_NODE_NONE)
        return BERTH_OK;
    if (!berth__grow(p->engine->allocator, &p->evictions, &p->capacity, p->count + found,
                     sizeof(*p->evictions)))
        return berth__error_set(error, BERTH_E_NOMEM, "no memory for the list of victims");
    for (uint32_t i = 0; i < found; i++) {
        const berth_pod_id victim = berth_explanation_victim(p->why, i);
        if (is_of_group(p, index, victim))
            return BERTH_OK;
        p->evictions[p->count + i] = (berth__group_eviction){victim, node, index};
    }
    *count = found;
    return BERTH_OK;
}

/* Take the noted victims off their node, and place the pod, which tries this node first. */
static berth_status replace(berth__group_preemption *p, uint32_t index, uint32_t count,
                            berth_placement *placement, berth_error *error)
{
    const berth__group_eviction *noted = &p->evictions[p->count];
    for (uint32_t i = 0; i < count; i++)
        BERTH_TRY(berth_engine_unbind(p->engine, noted[i].victim, error));
    BERTH_TRY(berth_engine_nominate(p->engine, p->pods[index], noted[0].node, error));
    return berth_engine_schedule(p->engine, p->pods[index], placement, error);
}

berth_status berth__group_preempt(berth__group_preemption *p, uint32_t index,
                                  berth_placement *placement, berth_error *error)
{
    berth_placement refused, placed = {.verdict = BERTH_VERDICT_UNSCHEDULABLE};
    uint32_t count;
    if (p->why == NULL)
        BERTH_TRY(berth_explanation_create(p->engine->allocator, &p->why, error));
    const berth_decide_options how = {
        .size = sizeof(how), .flags = BERTH_DECIDE_KEEP_ROTATION, .explanation = p->why};
    BERTH_TRY(berth_engine_decide(p->engine, p->pods[index], &how, &refused, error));
    BERTH_TRY(note_victims(p, index, &count, error));
    if (count == 0)
        return BERTH_OK;
    BERTH_TRY(berth_engine_begin(p->engine, error));
    const berth_status status = replace(p, index, count, &placed, error);
    if (status != BERTH_OK || placed.verdict != BERTH_VERDICT_PLACED) {
        (void)berth_engine_rollback(p->engine, NULL);
        return status;
    }
    (void)berth_engine_commit(p->engine, NULL);
    p->count += count;
    *placement = placed;
    return BERTH_OK;
}

void berth__group_preemption_tell(const berth__group_preemption *p, berth_group_evicted evicted,
                                  void *context)
{
    for (uint32_t i = 0; i < p->count; i++)
        evicted(context, p->evictions[i].victim, p->evictions[i].node, p->evictions[i].preemptor);
}

void berth__group_preemption_free(berth__group_preemption *p)
{
    berth_explanation_destroy(p->why);
    berth__free(p->engine->allocator, p->evictions, p->capacity * sizeof(*p->evictions));
}
