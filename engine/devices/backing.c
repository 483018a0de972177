/* Which DeviceClass backs an extended resource. */
#include "devices/backing.h"

#include <stdlib.h>

#include "base/text.h"

berth_status berth__backing_init(berth__backing *backing, const berth__storage *storage)
{
    const berth_allocator *allocator = storage->model->allocator;
    backing->storage = storage;
    backing->seen = UINT64_MAX;
    berth__arena_init(&backing->arena, allocator);
    return berth__keymap_init(&backing->by_resource, allocator) == BERTH_OK &&
                   berth__keymap_init(&backing->by_pod, allocator) == BERTH_OK
               ? BERTH_OK
               : BERTH_E_NOMEM;
}

void berth__backing_destroy(berth__backing *backing)
{
    if (backing->storage == NULL)
        return;
    const berth_allocator *allocator = backing->storage->model->allocator;
    for (uint32_t i = 0; i < backing->written_capacity; i++)
        if (backing->written[i] != NULL)
            berth__free(allocator, backing->written[i], sizeof(*backing->written[i]));
    berth__free(allocator, backing->written, backing->written_capacity * sizeof(*backing->written));
    if (backing->by_pod.allocator != NULL)
        berth__keymap_destroy(&backing->by_pod);
    if (backing->by_resource.allocator != NULL)
        berth__keymap_destroy(&backing->by_resource);
    berth__arena_destroy(&backing->arena);
}

/* ---- classes ---- */

static berth_str name_of(const berth__backing *backing, const berth__device_class *of)
{
    return berth__text(backing->storage->model, of->record.key.name);
}

static int by_name(const void *a, const void *b, void *backing)
{
    return berth__str_cmp(name_of(backing, ((const berth__backing_class *)a)->of),
                          name_of(backing, ((const berth__backing_class *)b)->of));
}

static bool list_classes(berth__backing *backing)
{
    const berth__storage *storage = backing->storage;
    backing->classes = berth__arena_alloc_zero(
        &backing->arena, (storage->device_classes.count + 1) * sizeof(*backing->classes), 8);
    if (backing->classes == NULL)
        return false;
    for (uint32_t i = 0; i < storage->device_classes.count; i++) {
        const berth__device_class *of = berth__storage_device_class_at(storage, i);
        if (of->facts != NULL && of->facts->extended_resource != 0)
            backing->classes[backing->class_count++] =
                (berth__backing_class){.resource = of->facts->extended_resource, .of = of};
    }
    qsort_r(backing->classes, backing->class_count, sizeof(*backing->classes), by_name, backing);
    return true;
}

static berth__backing_class *first_behind(const berth__backing *backing, berth__sym resource)
{
    return (berth__backing_class *)berth__keymap_find(&backing->by_resource, &resource,
                                                      sizeof(resource));
}

/* Enter a class as the one that backs its resource, unless a class that is at least as new does so
 * already. `known` of a class that is not entered stays false. */
static void enter(berth__backing *backing, berth__backing_class *one)
{
    berth__backing_class *before = first_behind(backing, one->resource);
    if (before != NULL && before->of->facts->created_ns >= one->of->facts->created_ns)
        return;
    if (before != NULL)
        berth__keymap_remove(&backing->by_resource, &before->entry);
    one->known = true;
    one->entry.key = &one->resource;
    one->entry.key_bytes = sizeof(one->resource);
    berth__keymap_add(&backing->by_resource, &one->entry);
}

bool berth__backing_follow(berth__backing *backing)
{
    if (backing->seen == backing->storage->class_changes)
        return true;
    for (uint32_t i = 0; i < backing->class_count; i++)
        if (first_behind(backing, backing->classes[i].resource) == &backing->classes[i])
            berth__keymap_remove(&backing->by_resource, &backing->classes[i].entry);
    backing->class_count = 0;
    backing->epoch++;
    berth__arena_reset(&backing->arena);
    if (!list_classes(backing))
        return false;
    for (uint32_t i = 0; i < backing->class_count; i++)
        enter(backing, &backing->classes[i]);
    backing->seen = backing->storage->class_changes;
    return true;
}

/* Whether a class backs the resource that is named after it. */
static bool is_known(const berth__backing *backing, const berth__device_class *of)
{
    for (uint32_t i = 0; i < backing->class_count; i++)
        if (backing->classes[i].of == of)
            return backing->classes[i].known;
    return true;
}

const berth__device_class *berth__backing_find(const berth__backing *backing, berth__sym resource)
{
    const berth__model *model = backing->storage->model;
    const berth__backing_class *found = first_behind(backing, resource);
    berth_str class_name;
    if (found != NULL)
        return found->of;
    if (!berth__resource_class_name(berth__text(model, resource), &class_name))
        return NULL;
    berth__sym name = berth__intern_find(&model->strings, class_name);
    const berth__device_class *of =
        name != 0 ? berth__storage_device_class(backing->storage, name) : NULL;
    return of != NULL && of->facts != NULL && is_known(backing, of) ? of : NULL;
}

/* ---- written claims ---- */

static void take_out(berth__backing *backing, uint32_t id)
{
    berth__written_claim *one = backing->written[id];
    if (one == NULL)
        return;
    berth__keymap_remove(&backing->by_pod, &one->entry);
    berth__free(backing->storage->model->allocator, one, sizeof(*one));
    backing->written[id] = NULL;
}

bool berth__backing_note_claim(berth__backing *backing, const berth__device_claim *claim)
{
    const berth_allocator *allocator = backing->storage->model->allocator;
    uint32_t before = backing->written_capacity;
    bool counts = claim->facts != NULL && claim->facts->extended && claim->facts->owner_name != 0;
    if (claim->id < before)
        take_out(backing, claim->id);
    if (!counts)
        return true;
    if (!berth__grow(allocator, &backing->written, &backing->written_capacity, claim->id + 1,
                     sizeof(*backing->written)))
        return false;
    for (uint32_t i = before; i < backing->written_capacity; i++)
        backing->written[i] = NULL;
    berth__written_claim *one = berth__alloc_zero(allocator, sizeof(*one), 8);
    if (one == NULL)
        return false;
    one->id = claim->id;
    one->key.namespace_name = claim->record.key.namespace_name;
    one->key.pod = claim->facts->owner_name;
    one->entry.key = &one->key;
    one->entry.key_bytes = sizeof(one->key);
    berth__keymap_add(&backing->by_pod, &one->entry);
    backing->written[claim->id] = one;
    return true;
}

berth__device_claim *berth__backing_written(const berth__backing *backing,
                                            berth__sym namespace_name, berth_str pod)
{
    berth__written_claim wanted = {
        .key = {namespace_name, berth__intern_find(&backing->storage->model->strings, pod)}};
    const berth__written_claim *found = wanted.key.pod != 0
                                            ? (const berth__written_claim *)berth__keymap_find(
                                                  &backing->by_pod, &wanted.key, sizeof(wanted.key))
                                            : NULL;
    return found != NULL ? berth__storage_device_claim_at(backing->storage, found->id) : NULL;
}
