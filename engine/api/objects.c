/* The public functions that add, update and remove objects. */
#include "base/assert.h"
#include "base/error.h"
#include "base/sized.h"
#include "objects/sized_object.h"
#include "versions/engine_state.h"

/* After a failure, `*id` identifies no object. */
static berth_status add(berth_engine *engine, const berth_object *object, const uint32_t *sizes,
                        berth_object_id *id, berth_error *error)
{
    berth__sized_object fitted;
    uint64_t number;
    *id = (berth_object_id){object != NULL ? object->kind : BERTH_KIND_NODE, BERTH_NODE_NONE,
                            BERTH_POD_NONE};
    BERTH_TRY(berth__engine_enter(engine, error));
    berth_status status = berth__object_fit(&object, sizes, &fitted, error);
    if (status == BERTH_OK)
        status = berth__cluster_add(&engine->cluster, object, &number, error);
    BERTH_TRY(berth__engine_leave(engine, status));
    if (object->kind == BERTH_KIND_NODE)
        id->node = (berth_node_id)number;
    else if (object->kind == BERTH_KIND_POD)
        id->pod = number;
    return BERTH_OK;
}

berth_status berth_engine_add_sized(berth_engine *engine, const berth_object *object,
                                    const uint32_t *sizes, berth_object_id *id, size_t id_size,
                                    berth_error *error)
{
    if (BERTH_LIKELY(id != NULL && id_size == sizeof(*id)))
        return add(engine, object, sizes, id, error);
    berth_object_id own;
    berth_status status = add(engine, object, sizes, &own, error);
    if (id != NULL)
        berth__sized_give(id, id_size, &own, sizeof(own));
    return status;
}

/* In berth_object.size, 0 has another meaning, so pass UINT32_MAX, which is no object's size. */
static uint32_t checked(size_t size)
{
    return size > 0 && size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

berth_status berth_engine_add_node_sized(berth_engine *engine, const berth_node *node, size_t size,
                                         berth_node_id *id, berth_error *error)
{
    const berth_object object = {BERTH_KIND_NODE, checked(size), {.node = node}};
    berth_object_id added;
    berth_status status = add(engine, &object, NULL, &added, error);
    if (id != NULL)
        *id = added.node;
    return status;
}

berth_status berth_engine_add_pod_sized(berth_engine *engine, const berth_pod *pod, size_t size,
                                        berth_pod_id *id, berth_error *error)
{
    const berth_object object = {BERTH_KIND_POD, checked(size), {.pod = pod}};
    berth_object_id added;
    berth_status status = add(engine, &object, NULL, &added, error);
    if (id != NULL)
        *id = added.pod;
    return status;
}

berth_status berth_engine_update_sized(berth_engine *engine, const berth_object *object,
                                       const uint32_t *sizes, berth_error *error)
{
    berth__sized_object fitted;
    BERTH_TRY(berth__engine_enter(engine, error));
    berth_status status = berth__object_fit(&object, sizes, &fitted, error);
    if (status == BERTH_OK)
        status = berth__cluster_update(&engine->cluster, object, error);
    return berth__engine_leave(engine, status);
}

berth_status berth_engine_remove(berth_engine *engine, berth_kind kind, berth_str namespace_name,
                                 berth_str name, berth_error *error)
{
    BERTH_TRY(berth__engine_enter(engine, error));
    return berth__engine_leave(
        engine, berth__cluster_remove(&engine->cluster, kind, namespace_name, name, error));
}
