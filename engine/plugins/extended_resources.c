/* Extended resources backed by devices. */
#include "plugins/extended_resources.h"

#include "base/text.h"

static berth__backing *backing_of(const berth__view *view, const berth__class *cls)
{
    return cls->extended != NULL && view->devices != NULL ? &view->devices->backing : NULL;
}

bool berth__backing_refresh(const berth__view *view, const berth__class *cls)
{
    berth__backing *backing = backing_of(view, cls);
    return backing == NULL ||
           (berth__backing_follow(backing) &&
            (!berth__asks_backed(view, cls) || berth__devices_refresh(view->devices, view)));
}

uint64_t berth__backing_epoch(const berth__view *view, const berth__class *cls)
{
    const berth__backing *backing = backing_of(view, cls);
    return backing != NULL ? backing->epoch : 0;
}

const berth__device_class *berth__resource_backing(const berth__view *view, const berth__class *cls,
                                                   uint32_t resource)
{
    const berth__backing *backing = backing_of(view, cls);
    return backing != NULL
               ? berth__backing_find(backing, berth__resource_name(view->model, resource))
               : NULL;
}

bool berth__asks_backed(const berth__view *view, const berth__class *cls)
{
    const berth__request *request = cls->request;
    for (uint32_t i = 0; cls->extended != NULL && i < request->scalar_count; i++)
        if (request->scalars[i].ask != 0 &&
            berth__resource_backing(view, cls, request->scalars[i].resource) != NULL)
            return true;
    return false;
}

bool berth__class_backs(const berth__wake *wake, const berth__class *cls)
{
    const berth__model *model = wake->view->model;
    berth__sym name = berth__intern_find(&model->strings, wake->name);
    const berth__device_class *of = name != 0 && wake->view->storage != NULL
                                        ? berth__storage_device_class(wake->view->storage, name)
                                        : NULL;
    const berth__request *request = cls->request;
    for (uint32_t i = 0; cls->extended != NULL && i < request->scalar_count; i++) {
        berth__sym resource = berth__resource_name(model, request->scalars[i].resource);
        berth_str class_name;
        bool own = berth__resource_class_name(berth__text(model, resource), &class_name) &&
                   berth__str_eq(class_name, wake->name);
        if (own || (of != NULL && of->facts != NULL && of->facts->extended_resource == resource))
            return true;
    }
    return false;
}

/* ---- amounts ---- */

/* Whether the class accepts a device. `*problem` is set if that can't be evaluated. */
static bool takes(berth__devices *devices, const berth__device_class_facts *facts,
                  const berth__offer *offer, bool *problem)
{
    for (uint32_t i = 0; i < facts->selector_count; i++) {
        bool ok = true;
        if (!facts->selectors[i].cel)
            continue;
        berth__device_program *program =
            berth__device_program_get(&devices->verdicts, facts->selectors[i].expression);
        berth__device_verdict verdict =
            program != NULL ? berth__device_program_ask(&devices->verdicts, program, offer, &ok)
                            : BERTH__VERDICT_FAILED;
        devices->lost |= program == NULL || !ok;
        *problem |= !ok || verdict == BERTH__VERDICT_FAILED;
        if (verdict != BERTH__VERDICT_YES)
            return false;
    }
    return true;
}

/* Whether a slice is for the node. A slice that names no nodes is for all. */
static bool is_for(const berth__model *model, const berth__slice_facts *slice,
                   const berth__offer_node *node, bool *problem)
{
    const berth__device_reach *reach = &slice->reach;
    berth_str why = {0};
    if (slice->per_device || (reach->node_name == 0 && !reach->all_nodes && !reach->has_selector))
        return true;
    bool met = berth__reach_meets(model, reach, node, &why);
    *problem |= why.len > 0;
    return met;
}

static void count_slice(berth__devices *devices, const berth__device_class_facts *facts,
                        const berth__offer_slice *slice, const berth__offer_node *node,
                        berth__backed_amounts *out, bool *problem)
{
    if (!is_for(devices->model, slice->facts, node, problem))
        return;
    if (!berth__offer_pool_open(&devices->catalog, slice->pool)) {
        devices->lost = *problem = true;
        return;
    }
    for (uint32_t i = 0; i < slice->facts->device_count && !*problem; i++) {
        const berth__offer *offer = &slice->offers[i];
        berth_str why = {0};
        if (slice->facts->per_device &&
            !berth__reach_meets(devices->model, &offer->device->reach, node, &why)) {
            *problem |= why.len > 0;
            continue;
        }
        if (takes(devices, facts, offer, problem)) {
            out->capacity++;
            out->used += berth__device_use_any(offer->use);
        }
    }
}

berth__backed_amounts berth__backed_amounts_of(const berth__view *view,
                                               const berth__device_class *of, uint32_t slot)
{
    berth__devices *devices = view->devices;
    const berth__node_record *record = berth__view_node(view, slot);
    const berth__offer_node node = {.id = view->layout->nodes[slot],
                                    .name = record->name,
                                    .labels = berth__node_labels(record->facts)};
    berth__backed_amounts out = {0};
    bool problem = false;
    (void)pthread_mutex_lock(&devices->lock);
    const berth__catalog *catalog = &devices->catalog;
    for (const berth__offer_slice *slice = berth__catalog_named(catalog, node.name);
         slice != NULL && !problem; slice = slice->links[BERTH__OF_NODE].next)
        if (!slice->facts->per_device)
            count_slice(devices, of->facts, slice, &node, &out, &problem);
    for (uint32_t i = 0; i < catalog->unnamed_count && !problem; i++)
        count_slice(devices, of->facts, catalog->unnamed[i], &node, &out, &problem);
    (void)pthread_mutex_unlock(&devices->lock);
    if (problem)
        out = (berth__backed_amounts){0};
    return out;
}
