/* Events of a scheduler: applied immediately, or posted from any thread and applied between two
 * decisions. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "objects/object_copy.h"
#include "objects/sized_object.h"
#include "queue/loop.h"

/* ---- applying ---- */

/* An update without a node does not take a pod off its node. */
static berth_status update_pod(berth_scheduler *scheduler, const berth_pod *pod, berth_error *error)
{
    berth_pod_id id =
        berth_engine_find_pod(scheduler->engine, pod->meta.namespace_name, pod->meta.name);
    uint32_t index = berth__cluster_pod(scheduler->cluster, id), node = BERTH_NODE_NONE;
    if (index != BERTH_POD_INDEX_NONE)
        node = berth__pod_at(&scheduler->cluster->pods, index)->node;
    berth_pod placed = *pod;
    scheduler->silent_on_node = pod->node_name.len == 0;
    if (node != BERTH_NODE_NONE && pod->node_name.len == 0)
        placed.node_name = berth_engine_node_name(scheduler->engine, node);
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &placed};
    berth_status status = berth__cluster_update(scheduler->cluster, &object, error);
    scheduler->silent_on_node = false;
    return status;
}

static berth_status update(berth_scheduler *scheduler, const berth_object *object,
                           berth_error *error)
{
    return object->kind == BERTH_KIND_POD && object->as.pod != NULL
               ? update_pod(scheduler, object->as.pod, error)
               : berth__cluster_update(scheduler->cluster, object, error);
}

static berth_status apply(berth_scheduler *scheduler, const berth__posted *event,
                          berth_error *error)
{
    uint64_t number; /* the new object's id, which is not needed */
    switch (event->kind) {
    case BERTH__POSTED_ADD:
        return berth__cluster_add(scheduler->cluster, &event->object, &number, error);
    case BERTH__POSTED_UPDATE:
        return update(scheduler, &event->object, error);
    case BERTH__POSTED_REMOVE:
        return berth__cluster_remove(scheduler->cluster, event->object.kind, event->namespace_name,
                                     event->name, error);
    case BERTH__POSTED_ANSWER:
        return berth__loop_answer(scheduler, event->binding, event->answer);
    case BERTH__POSTED_STAYS:
        berth__loop_victim_stays(scheduler, event->victim);
        return BERTH_OK;
    }
    return BERTH_OK;
}

berth_status berth__loop_apply_posted(berth_scheduler *scheduler, berth_error *error)
{
    const berth__posted *event;
    while ((event = berth__posted_events_first(&scheduler->posted)) != NULL) {
        berth_error trouble = {.code = BERTH_OK};
        berth_status status = apply(scheduler, event, &trouble);
        if (status == BERTH_E_NOMEM)
            return berth__error_set(error, status, "out of memory");
        scheduler->counters.events_posted++;
        if (status != BERTH_OK) {
            scheduler->counters.events_refused++;
            scheduler->trouble = trouble;
            berth__loop_report(scheduler, BERTH_TROUBLE_EVENT, &scheduler->trouble);
        }
        berth__posted_events_drop(&scheduler->posted);
    }
    return BERTH_OK;
}

/* ---- at once ---- */

berth_status berth_scheduler_add_sized(berth_scheduler *scheduler, int64_t now_ns,
                                       const berth_object *object, const uint32_t *sizes,
                                       berth_object_id *id, size_t id_size, berth_error *error)
{
    const berth_object_id none = {object->kind, BERTH_NODE_NONE, BERTH_POD_NONE};
    if (id != NULL)
        berth__sized_give(id, id_size, &none, sizeof(none));
    BERTH_TRY(berth_scheduler_advance(scheduler, now_ns, error));
    return berth_engine_add_sized(scheduler->engine, object, sizes, id, id_size, error);
}

berth_status berth_scheduler_add_node_sized(berth_scheduler *scheduler, int64_t now_ns,
                                            const berth_node *node, size_t size, berth_node_id *id,
                                            berth_error *error)
{
    if (id != NULL)
        *id = BERTH_NODE_NONE;
    BERTH_TRY(berth_scheduler_advance(scheduler, now_ns, error));
    return berth_engine_add_node_sized(scheduler->engine, node, size, id, error);
}

berth_status berth_scheduler_add_pod_sized(berth_scheduler *scheduler, int64_t now_ns,
                                           const berth_pod *pod, size_t size, berth_pod_id *id,
                                           berth_error *error)
{
    if (id != NULL)
        *id = BERTH_POD_NONE;
    BERTH_TRY(berth_scheduler_advance(scheduler, now_ns, error));
    return berth_engine_add_pod_sized(scheduler->engine, pod, size, id, error);
}

berth_status berth_scheduler_update_sized(berth_scheduler *scheduler, int64_t now_ns,
                                          const berth_object *object, const uint32_t *sizes,
                                          berth_error *error)
{
    berth__sized_object fitted;
    BERTH_TRY(berth_scheduler_advance(scheduler, now_ns, error));
    BERTH_TRY(berth__object_fit(&object, sizes, &fitted, error));
    BERTH_TRY(berth__use_enter(&scheduler->decider->use, error));
    return berth__use_leave(&scheduler->decider->use, update(scheduler, object, error));
}

static berth_str keep(char *at, berth_str text)
{
    if (text.len == 0)
        return text;
    memcpy(at, text.data, text.len);
    return (berth_str){at, text.len};
}

/* Posted events are applied first, and may remove the pod or node that owns the name the caller
 * passes, so copy the name. */
static berth_status remove_kept(berth_scheduler *scheduler, int64_t now_ns, berth_kind kind,
                                berth_str namespace_name, berth_str name, char *kept,
                                berth_error *error)
{
    namespace_name = keep(kept, namespace_name);
    name = keep(kept + namespace_name.len, name);
    BERTH_TRY(berth_scheduler_advance(scheduler, now_ns, error));
    return berth_engine_remove(scheduler->engine, kind, namespace_name, name, error);
}

berth_status berth_scheduler_remove(berth_scheduler *scheduler, int64_t now_ns, berth_kind kind,
                                    berth_str namespace_name, berth_str name, berth_error *error)
{
    char room[512]; /* names in Kubernetes are shorter */
    const size_t bytes = (size_t)namespace_name.len + name.len;
    if (bytes <= sizeof(room))
        return remove_kept(scheduler, now_ns, kind, namespace_name, name, room, error);
    char *kept = berth__alloc(scheduler->allocator, bytes, 1);
    if (kept == NULL)
        return berth__error_no_memory(error);
    berth_status status = remove_kept(scheduler, now_ns, kind, namespace_name, name, kept, error);
    berth__free(scheduler->allocator, kept, bytes);
    return status;
}

/* ---- posting ---- */

static berth_status no_kind(berth_kind kind, berth_error *error)
{
    return berth__error_set(error, BERTH_E_ARG, "there is no kind number %d", (int)kind);
}

/* Post an event that is `whole`; free an event whose parts did not fit in memory. */
static berth_status post(berth_scheduler *scheduler, berth__posted *event, bool whole,
                         berth_error *error)
{
    if (!whole) {
        berth__posted_free(scheduler->allocator, event);
        return berth__error_no_memory(error);
    }
    if (berth__posted_events_post(&scheduler->posted, event) && scheduler->callbacks.notify != NULL)
        scheduler->callbacks.notify(scheduler->callbacks.context);
    return BERTH_OK;
}

static berth_status post_object(berth_scheduler *scheduler, berth__posted_kind kind,
                                const berth_object *object, const uint32_t *sizes,
                                berth_error *error)
{
    berth__sized_object fitted;
    if ((unsigned)object->kind >= BERTH_KIND_COUNT)
        return no_kind(object->kind, error);
    if (object->as.any == NULL)
        return berth__error_set(error, BERTH_E_ARG, "the %s is NULL",
                                berth_kind_name(object->kind));
    BERTH_TRY(berth__object_fit(&object, sizes, &fitted, error));
    berth__posted *event = berth__posted_make(scheduler->allocator, kind);
    if (event == NULL)
        return berth__error_no_memory(error);
    bool whole = berth__object_copy_into(&event->arena, object, &event->object) == BERTH_OK;
    return post(scheduler, event, whole, error);
}

berth_status berth_scheduler_post_add_sized(berth_scheduler *scheduler, const berth_object *object,
                                            const uint32_t *sizes, berth_error *error)
{
    return post_object(scheduler, BERTH__POSTED_ADD, object, sizes, error);
}

berth_status berth_scheduler_post_update_sized(berth_scheduler *scheduler,
                                               const berth_object *object, const uint32_t *sizes,
                                               berth_error *error)
{
    return post_object(scheduler, BERTH__POSTED_UPDATE, object, sizes, error);
}

berth_status berth_scheduler_post_remove(berth_scheduler *scheduler, berth_kind kind,
                                         berth_str namespace_name, berth_str name,
                                         berth_error *error)
{
    if ((unsigned)kind >= BERTH_KIND_COUNT)
        return no_kind(kind, error);
    berth__posted *event = berth__posted_make(scheduler->allocator, BERTH__POSTED_REMOVE);
    if (event == NULL)
        return berth__error_no_memory(error);
    bool ok = true;
    event->object.kind = kind;
    event->namespace_name = berth__arena_str(&event->arena, namespace_name, &ok);
    event->name = berth__arena_str(&event->arena, name, &ok);
    return post(scheduler, event, ok, error);
}

berth_status berth_scheduler_bind_done(berth_scheduler *scheduler, berth_binding_id binding,
                                       berth_answer answer, berth_error *error)
{
    if (answer != BERTH_ANSWER_DONE && answer != BERTH_ANSWER_FAILED)
        return berth__error_set(error, BERTH_E_ARG, "a binding's outcome is DONE or FAILED");
    berth__posted *event = berth__posted_make(scheduler->allocator, BERTH__POSTED_ANSWER);
    if (event == NULL)
        return berth__error_no_memory(error);
    event->binding = binding;
    event->answer = answer;
    return post(scheduler, event, true, error);
}

berth_status berth_scheduler_evict_done(berth_scheduler *scheduler, berth_pod_id victim,
                                        berth_answer answer, berth_error *error)
{
    if (answer != BERTH_ANSWER_DONE && answer != BERTH_ANSWER_FAILED)
        return berth__error_set(error, BERTH_E_ARG, "an eviction's outcome is DONE or FAILED");
    if (answer == BERTH_ANSWER_DONE)
        return BERTH_OK;
    berth__posted *event = berth__posted_make(scheduler->allocator, BERTH__POSTED_STAYS);
    if (event == NULL)
        return berth__error_no_memory(error);
    event->victim = victim;
    return post(scheduler, event, true, error);
}
