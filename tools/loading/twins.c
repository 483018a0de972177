/* Decides which object counts if a manifest and the cluster, or two manifests, have the same
 * one. */
#include "loading/twins.h"

#include "cli/object_names.h"
#include "inspect/fresh.h"
#include "loading/controllers.h"

static const berth_metadata *meta_of(const berth_object *object)
{
    return object->as.any; /* every object begins with it */
}

/* False for nodes, which are never settled, and for pods of controllers, which changes.h settles by
 * workload. Both are many. */
static bool is_watched(const berth_object *object)
{
    return object->kind != BERTH_KIND_NODE &&
           (object->kind != BERTH_KIND_POD || controller_of(meta_of(object)) == NULL);
}

void twins_added(twins *t, const berth_object *object)
{
    const berth_metadata *meta = meta_of(object);
    if (is_fresh(meta) && is_watched(object))
        (void)object_names_add(&t->fresh, words_of(berth_kind_name(object->kind)),
                               meta->namespace_name, meta->name);
}

/* Whether an existing object of this kind cannot be changed by a manifest. */
static bool stays_as_it_is(berth_kind kind)
{
    return kind == BERTH_KIND_POD || kind == BERTH_KIND_PERSISTENT_VOLUME ||
           kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM || kind == BERTH_KIND_RESOURCE_CLAIM;
}

static berth_status replace(berth_engine *engine, const berth_object *object, berth_object_id *id)
{
    const berth_metadata *meta = meta_of(object);
    if (object->kind != BERTH_KIND_POD)
        return berth_engine_update(engine, object, NULL);
    if (berth_engine_remove(engine, object->kind, meta->namespace_name, meta->name, NULL) !=
        BERTH_OK)
        return BERTH_E_NOT_FOUND;
    return berth_engine_add(engine, object, id, NULL);
}

twins_answer twins_settle(twins *t, berth_engine *engine, const berth_object *object,
                          berth_object_id *id)
{
    uint32_t number;
    const berth_metadata *meta = meta_of(object);
    const bool fresh = is_fresh(meta);
    const bool other_fresh = object_names_find(&t->fresh, words_of(berth_kind_name(object->kind)),
                                               meta->namespace_name, meta->name, &number);
    if (object->kind == BERTH_KIND_NODE)
        return TWINS_REFUSED;
    if (fresh == other_fresh)
        return fresh && object->kind != BERTH_KIND_POD && replace(engine, object, id) == BERTH_OK
                   ? TWINS_REPLACED
                   : TWINS_REFUSED;
    if (fresh == stays_as_it_is(object->kind)) { /* the one that was added first counts */
        if (object->kind == BERTH_KIND_POD)
            id->pod = berth_engine_find_pod(engine, meta->namespace_name, meta->name);
        return TWINS_SETTLED;
    }
    if (replace(engine, object, id) != BERTH_OK)
        return TWINS_REFUSED;
    twins_added(t, object);
    return TWINS_SETTLED;
}

void twins_free(twins *t)
{
    word_table_free(&t->fresh);
    *t = (twins){0};
}
