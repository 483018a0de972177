/* Deep copies of objects, field by field. A copy begins as the struct's own bytes; then whatever
 * it points to is copied and pointed to anew. */
#include "model/object_copy.h"

#include <string.h>

#include "base/error.h"
#include "model/sized_object.h"

typedef struct copying {
    berth__arena *arena;
    bool ok; /* false: out of memory */
} copying;

/* ---- pieces ---- */

static void *copy_array(copying *own, const void *items, uint32_t count, size_t item_bytes)
{
    if (items == NULL || !own->ok)
        return NULL;
    size_t bytes = count * item_bytes;
    void *copy = berth__arena_alloc(own->arena, bytes > 0 ? bytes : 1, 16);
    own->ok = copy != NULL;
    if (copy != NULL && bytes > 0)
        memcpy(copy, items, bytes);
    return copy;
}

/* Point `field`, of type `const TYPE *`, to a copy of its items, which `var` then runs over. */
#define COPY_EACH(own, type, field, count, var)                            \
    type *const var##_items = copy_array(own, field, count, sizeof(type)); \
    (field) = var##_items;                                                 \
    for (type *var = var##_items; var##_items != NULL && var < var##_items + (count); var++)

static void copy_str(copying *own, berth_str *text)
{
    *text = berth__arena_str(own->arena, *text, &own->ok);
}

static void copy_strs(copying *own, berth_strs *list)
{
    COPY_EACH(own, berth_str, list->items, list->count, item)
    copy_str(own, item);
}

static void copy_map(copying *own, berth_map *map)
{
    COPY_EACH(own, berth_key_value, map->entries, map->count, entry)
    {
        copy_str(own, &entry->key);
        copy_str(own, &entry->value);
    }
}

static void copy_resources(copying *own, berth_resources *resources)
{
    COPY_EACH(own, berth_resource, resources->items, resources->count, item)
    copy_str(own, &item->name);
}

static void copy_requirements(copying *own, berth_requirements *list)
{
    COPY_EACH(own, berth_requirement, list->items, list->count, item)
    {
        copy_str(own, &item->key);
        copy_str(own, &item->op);
        copy_strs(own, &item->values);
    }
}

static const berth_label_selector *copy_label_selector(copying *own,
                                                       const berth_label_selector *selector)
{
    berth_label_selector *copy = copy_array(own, selector, 1, sizeof(*selector));
    if (copy == NULL)
        return NULL;
    copy_map(own, &copy->match_labels);
    copy_requirements(own, &copy->match_expressions);
    return copy;
}

static void copy_node_term(copying *own, berth_node_selector_term *term)
{
    copy_requirements(own, &term->match_expressions);
    copy_requirements(own, &term->match_fields);
}

static const berth_node_selector *copy_node_selector(copying *own,
                                                     const berth_node_selector *selector)
{
    berth_node_selector *copy = copy_array(own, selector, 1, sizeof(*selector));
    if (copy == NULL)
        return NULL;
    COPY_EACH(own, berth_node_selector_term, copy->terms, copy->count, term)
    copy_node_term(own, term);
    return copy;
}

static void copy_metadata(copying *own, berth_metadata *meta)
{
    copy_str(own, &meta->name);
    copy_str(own, &meta->namespace_name);
    copy_str(own, &meta->uid);
    copy_map(own, &meta->labels);
    copy_map(own, &meta->annotations);
    COPY_EACH(own, berth_owner, meta->owners, meta->owner_count, owner)
    {
        copy_str(own, &owner->api_version);
        copy_str(own, &owner->kind);
        copy_str(own, &owner->name);
        copy_str(own, &owner->uid);
    }
}

/* Conditions of nodes and pods. */
static const berth_condition *copy_conditions(copying *own, const berth_condition *conditions,
                                              uint32_t count)
{
    COPY_EACH(own, berth_condition, conditions, count, condition)
    {
        copy_str(own, &condition->type);
        copy_str(own, &condition->status);
        copy_str(own, &condition->reason);
    }
    return conditions;
}

static void copy_volume_source(copying *own, berth_volume_source *source)
{
    copy_str(own, &source->handle);
    copy_str(own, &source->driver);
    copy_str(own, &source->pool);
    copy_strs(own, &source->monitors);
    copy_str(own, &source->uri);
}

/* ---- Node ---- */

static void copy_node(copying *own, berth_node *node)
{
    copy_metadata(own, &node->meta);
    COPY_EACH(own, berth_taint, node->taints, node->taint_count, taint)
    {
        copy_str(own, &taint->key);
        copy_str(own, &taint->value);
        copy_str(own, &taint->effect);
    }
    copy_resources(own, &node->allocatable);
    COPY_EACH(own, berth_image, node->images, node->image_count, image)
    copy_strs(own, &image->names);
    node->conditions = copy_conditions(own, node->conditions, node->condition_count);
    copy_strs(own, &node->declared_features);
}

/* ---- Pod ---- */

static const berth_container *copy_containers(copying *own, const berth_container *containers,
                                              uint32_t count)
{
    COPY_EACH(own, berth_container, containers, count, container)
    {
        copy_str(own, &container->name);
        copy_str(own, &container->image);
        copy_resources(own, &container->requests);
        copy_resources(own, &container->limits);
        COPY_EACH(own, berth_port, container->ports, container->port_count, port)
        {
            copy_str(own, &port->host_ip);
            copy_str(own, &port->protocol);
        }
    }
    return containers;
}

static const berth_container_status *
copy_container_statuses(copying *own, const berth_container_status *statuses, uint32_t count)
{
    COPY_EACH(own, berth_container_status, statuses, count, status)
    {
        copy_str(own, &status->name);
        copy_resources(own, &status->requests);
        copy_resources(own, &status->allocated);
    }
    return statuses;
}

static void copy_pod_claim(copying *own, berth_pod_claim *claim)
{
    copy_str(own, &claim->name);
    copy_str(own, &claim->claim);
    copy_str(own, &claim->claim_template);
}

static void copy_pod_claims(copying *own, berth_pod *pod)
{
    COPY_EACH(own, berth_pod_claim, pod->resource_claims, pod->resource_claim_count, claim)
    {
        copy_pod_claim(own, claim);
    }
    COPY_EACH(own, berth_pod_claim, pod->resource_claim_statuses, pod->resource_claim_status_count,
              status)
    {
        copy_pod_claim(own, status);
    }
}

static void copy_node_affinity(copying *own, berth_node_affinity *affinity)
{
    affinity->required = copy_node_selector(own, affinity->required);
    COPY_EACH(own, berth_preferred_node_term, affinity->preferred, affinity->preferred_count, term)
    copy_node_term(own, &term->preference);
}

static const berth_pod_affinity_term *
copy_pod_terms(copying *own, const berth_pod_affinity_term *terms, uint32_t count)
{
    COPY_EACH(own, berth_pod_affinity_term, terms, count, term)
    {
        term->label_selector = copy_label_selector(own, term->label_selector);
        copy_strs(own, &term->namespaces);
        term->namespace_selector = copy_label_selector(own, term->namespace_selector);
        copy_str(own, &term->topology_key);
    }
    return terms;
}

static void copy_pod_affinity(copying *own, berth_pod_affinity *affinity)
{
    affinity->required = copy_pod_terms(own, affinity->required, affinity->required_count);
    affinity->preferred = copy_pod_terms(own, affinity->preferred, affinity->preferred_count);
}

static void copy_spreads(copying *own, berth_pod *pod)
{
    COPY_EACH(own, berth_topology_spread, pod->spreads, pod->spread_count, spread)
    {
        copy_str(own, &spread->topology_key);
        copy_str(own, &spread->when_unsatisfiable);
        spread->label_selector = copy_label_selector(own, spread->label_selector);
        copy_str(own, &spread->node_affinity_policy);
        copy_str(own, &spread->node_taints_policy);
        copy_strs(own, &spread->match_label_keys);
    }
}

static void copy_tolerations(copying *own, berth_pod *pod)
{
    COPY_EACH(own, berth_toleration, pod->tolerations, pod->toleration_count, toleration)
    {
        copy_str(own, &toleration->key);
        copy_str(own, &toleration->op);
        copy_str(own, &toleration->value);
        copy_str(own, &toleration->effect);
    }
}

static void copy_volumes(copying *own, berth_pod *pod)
{
    COPY_EACH(own, berth_volume, pod->volumes, pod->volume_count, volume)
    {
        copy_str(own, &volume->name);
        copy_volume_source(own, &volume->source);
    }
}

static void copy_pod(copying *own, berth_pod *pod)
{
    copy_metadata(own, &pod->meta);
    copy_str(own, &pod->node_name);
    copy_str(own, &pod->scheduler_name);
    copy_str(own, &pod->preemption_policy);
    pod->containers = copy_containers(own, pod->containers, pod->container_count);
    pod->init_containers = copy_containers(own, pod->init_containers, pod->init_container_count);
    copy_resources(own, &pod->overhead);
    copy_map(own, &pod->node_selector);
    copy_node_affinity(own, &pod->node_affinity);
    copy_pod_affinity(own, &pod->pod_affinity);
    copy_pod_affinity(own, &pod->pod_anti_affinity);
    copy_tolerations(own, pod);
    copy_spreads(own, pod);
    copy_volumes(own, pod);
    copy_strs(own, &pod->scheduling_gates);
    copy_str(own, &pod->phase);
    copy_str(own, &pod->nominated_node_name);
    pod->conditions = copy_conditions(own, pod->conditions, pod->condition_count);
    copy_resources(own, &pod->pod_requests);
    copy_resources(own, &pod->pod_limits);
    copy_pod_claims(own, pod);
    pod->container_statuses =
        copy_container_statuses(own, pod->container_statuses, pod->container_status_count);
    pod->init_container_statuses = copy_container_statuses(own, pod->init_container_statuses,
                                                           pod->init_container_status_count);
    copy_resources(own, &pod->status_requests);
    copy_resources(own, &pod->status_allocated);
}

/* ---- storage ---- */

static void copy_persistent_volume(copying *own, berth_persistent_volume *volume)
{
    copy_metadata(own, &volume->meta);
    copy_strs(own, &volume->access_modes);
    copy_str(own, &volume->storage_class);
    copy_str(own, &volume->volume_mode);
    copy_str(own, &volume->volume_attributes_class);
    copy_str(own, &volume->claim_namespace);
    copy_str(own, &volume->claim_name);
    copy_str(own, &volume->claim_uid);
    volume->node_affinity = copy_node_selector(own, volume->node_affinity);
    copy_volume_source(own, &volume->source);
    copy_str(own, &volume->phase);
}

static void copy_persistent_volume_claim(copying *own, berth_persistent_volume_claim *claim)
{
    copy_metadata(own, &claim->meta);
    copy_strs(own, &claim->access_modes);
    copy_str(own, &claim->storage_class);
    copy_str(own, &claim->volume_name);
    copy_str(own, &claim->volume_mode);
    copy_str(own, &claim->volume_attributes_class);
    claim->selector = copy_label_selector(own, claim->selector);
    copy_str(own, &claim->phase);
}

static void copy_storage_class(copying *own, berth_storage_class *storage_class)
{
    copy_metadata(own, &storage_class->meta);
    copy_str(own, &storage_class->provisioner);
    copy_str(own, &storage_class->binding_mode);
    COPY_EACH(own, berth_topology_term, storage_class->allowed_topologies,
              storage_class->allowed_topology_count, term)
    copy_requirements(own, &term->expressions);
}

static void copy_csi_node(copying *own, berth_csi_node *node)
{
    copy_metadata(own, &node->meta);
    COPY_EACH(own, berth_csi_node_driver, node->drivers, node->driver_count, driver)
    {
        copy_str(own, &driver->name);
        copy_str(own, &driver->node_id);
    }
}

static void copy_csi_driver(copying *own, berth_csi_driver *driver)
{
    copy_metadata(own, &driver->meta);
}

static void copy_csi_storage_capacity(copying *own, berth_csi_storage_capacity *capacity)
{
    copy_metadata(own, &capacity->meta);
    copy_str(own, &capacity->storage_class);
    capacity->node_topology = copy_label_selector(own, capacity->node_topology);
}

static void copy_volume_attachment(copying *own, berth_volume_attachment *attachment)
{
    copy_metadata(own, &attachment->meta);
    copy_str(own, &attachment->attacher);
    copy_str(own, &attachment->node_name);
    copy_str(own, &attachment->persistent_volume);
}

/* ---- the others ---- */

static void copy_service(copying *own, berth_service *service)
{
    copy_metadata(own, &service->meta);
    copy_map(own, &service->selector);
}

static void copy_controller(copying *own, berth_controller *controller)
{
    copy_metadata(own, &controller->meta);
    controller->selector = copy_label_selector(own, controller->selector);
}

static void copy_replication_controller(copying *own, berth_controller *controller)
{
    copy_controller(own, controller);
}

static void copy_replica_set(copying *own, berth_controller *controller)
{
    copy_controller(own, controller);
}

static void copy_stateful_set(copying *own, berth_controller *controller)
{
    copy_controller(own, controller);
}

static void copy_namespace_object(copying *own, berth_namespace *object)
{
    copy_metadata(own, &object->meta);
}

static void copy_pod_disruption_budget(copying *own, berth_pod_disruption_budget *budget)
{
    copy_metadata(own, &budget->meta);
    budget->selector = copy_label_selector(own, budget->selector);
    copy_strs(own, &budget->disrupted_pods);
}

/* ---- any of them ---- */

berth_status berth__object_copy_into(berth__arena *arena, const berth_object *object,
                                     berth_object *out)
{
    copying own = {.arena = arena, .ok = true};
    berth_object copy = {.kind = object->kind, .size = berth__object_size(object->kind)};
    switch (object->kind) {
#define X(name, member, type, text)                                         \
    case BERTH_KIND_##name: {                                               \
        type *made = copy_array(&own, object->as.member, 1, sizeof(*made)); \
        if (made != NULL)                                                   \
            copy_##member(&own, made);                                      \
        copy.as.member = made;                                              \
        break;                                                              \
    }
        BERTH_KIND_LIST(X)
#undef X
    default:
        return BERTH_E_ARG;
    }
    if (!own.ok)
        return BERTH_E_NOMEM;
    *out = copy;
    return BERTH_OK;
}
