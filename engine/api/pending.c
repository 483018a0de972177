/* The public function that lists pending pods in the order of a scheduler's queue. */
#include <stdlib.h>

#include "base/error.h"
#include "versions/engine_state.h"

typedef struct waiting_pod {
    int32_t priority;
    uint32_t arrival;
    berth_pod_id id;
} waiting_pod;

static int by_priority(const void *a, const void *b)
{
    const waiting_pod *first = a, *second = b;
    if (first->priority != second->priority)
        return first->priority > second->priority ? -1 : 1;
    return (first->arrival > second->arrival) - (first->arrival < second->arrival);
}

static berth_status list_waiting(const berth_engine *engine, berth_pod_id *out, uint64_t capacity)
{
    const berth__pods *pods = &engine->cluster.pods;
    size_t bytes = pods->pending_count * sizeof(waiting_pod);
    waiting_pod *waiting = berth__alloc(engine->allocator, bytes, 8);
    if (waiting == NULL)
        return BERTH_E_NOMEM;
    uint32_t count = 0, index = pods->first_pending;
    for (; index != BERTH_POD_INDEX_NONE; index = berth__pod_at(pods, index)->next, count++)
        waiting[count] = (waiting_pod){berth__pod_at(pods, index)->priority, count,
                                       berth__cluster_pod_id(&engine->cluster, index)};
    qsort(waiting, count, sizeof(*waiting), by_priority);
    for (uint64_t i = 0; i < count && i < capacity; i++)
        out[i] = waiting[i].id;
    berth__free(engine->allocator, waiting, bytes);
    return BERTH_OK;
}

berth_status berth_engine_pending(const berth_engine *engine, berth_pod_id *out, uint64_t capacity,
                                  uint64_t *count, berth_error *error)
{
    if (count != NULL)
        *count = 0;
    if (engine == NULL)
        return berth__no_engine(error);
    uint64_t pending = engine->cluster.pods.pending_count;
    if (capacity > 0 && pending > 0 && list_waiting(engine, out, capacity) != BERTH_OK)
        return berth__error_no_memory(error);
    if (count != NULL)
        *count = pending;
    return BERTH_OK;
}
