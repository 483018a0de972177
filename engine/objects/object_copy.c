/* Deep copies of objects, field by field. A copy begins as the struct's own bytes; then everything
 * it points to is copied and its pointers are replaced. */
#include "objects/object_copy.h"

#include <string.h>

#include "base/error.h"
#include "objects/copying.h"
#include "objects/sized_object.h"

/* ---- parts ---- */

void *berth__copy_array(berth__copying *own, const void *items, uint32_t count, size_t item_bytes)
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

void berth__copy_str(berth__copying *own, berth_str *text)
{
    *text = berth__arena_str(own->arena, *text, &own->ok);
}

void berth__copy_strs(berth__copying *own, berth_strs *list)
{
    BERTH__COPY_EACH(own, berth_str, list->items, list->count, item)
    berth__copy_str(own, item);
}

static void copy_map(berth__copying *own, berth_map *map)
{
    BERTH__COPY_EACH(own, berth_key_value, map->entries, map->count, entry)
    {
        berth__copy_str(own, &entry->key);
        berth__copy_str(own, &entry->value);
    }
}

void berth__copy_resources(berth__copying *own, berth_resources *resources)
{
    BERTH__COPY_EACH(own, berth_resource, resources->items, resources->count, item)
    berth__copy_str(own, &item->name);
}

static void copy_requirements(berth__copying *own, berth_requirements *list)
{
    BERTH__COPY_EACH(own, berth_requirement, list->items, list->count, item)
    {
        berth__copy_str(own, &item->key);
        berth__copy_str(own, &item->op);
        berth__copy_strs(own, &item->values);
    }
}

static const berth_label_selector *copy_label_selector(berth__copying *own,
                                                       const berth_label_selector *selector)
{
    berth_label_selector *copy = berth__copy_array(own, selector, 1, sizeof(*selector));
    if (copy == NULL)
        return NULL;
    copy_map(own, &copy->match_labels);
    copy_requirements(own, &copy->match_expressions);
    return copy;
}

static void copy_node_term(berth__copying *own, berth_node_selector_term *term)
{
    copy_requirements(own, &term->match_expressions);
    copy_requirements(own, &term->match_fields);
}

const berth_node_selector *berth__copy_node_selector(berth__copying *own,
                                                     const berth_node_selector *selector)
{
    berth_node_selector *copy = berth__copy_array(own, selector, 1, sizeof(*selector));
    if (copy == NULL)
        return NULL;
    BERTH__COPY_EACH(own, berth_node_selector_term, copy->terms, copy->count, term)
    copy_node_term(own, term);
    return copy;
}

void berth__copy_metadata(berth__copying *own, berth_metadata *meta)
{
    berth__copy_str(own, &meta->name);
    berth__copy_str(own, &meta->namespace_name);
    berth__copy_str(own, &meta->uid);
    copy_map(own, &meta->labels);
    copy_map(own, &meta->annotations);
    BERTH__COPY_EACH(own, berth_owner, meta->owners, meta->owner_count, owner)
    {
        berth__copy_str(own, &owner->api_version);
        berth__copy_str(own, &owner->kind);
        berth__copy_str(own, &owner->name);
        berth__copy_str(own, &owner->uid);
    }
}

void berth__copy_conditions(berth__copying *own, const berth_condition **field, uint32_t count)
{
    BERTH__COPY_EACH(own, berth_condition, *field, count, condition)
    {
        berth__copy_str(own, &condition->type);
        berth__copy_str(own, &condition->status);
        berth__copy_str(own, &condition->reason);
    }
}

void berth__copy_tolerations(berth__copying *own, const berth_toleration **field, uint32_t count)
{
    BERTH__COPY_EACH(own, berth_toleration, *field, count, toleration)
    {
        berth__copy_str(own, &toleration->key);
        berth__copy_str(own, &toleration->op);
        berth__copy_str(own, &toleration->value);
        berth__copy_str(own, &toleration->effect);
    }
}

void berth__copy_taints(berth__copying *own, const berth_taint **field, uint32_t count)
{
    BERTH__COPY_EACH(own, berth_taint, *field, count, taint)
    {
        berth__copy_str(own, &taint->key);
        berth__copy_str(own, &taint->value);
        berth__copy_str(own, &taint->effect);
    }
}

static void copy_volume_source(berth__copying *own, berth_volume_source *source)
{
    berth__copy_str(own, &source->handle);
    berth__copy_str(own, &source->driver);
    berth__copy_str(own, &source->pool);
    berth__copy_strs(own, &source->monitors);
    berth__copy_str(own, &source->uri);
}

/* ---- Node ---- */

static void copy_node(berth__copying *own, berth_node *node)
{
    berth__copy_metadata(own, &node->meta);
    berth__copy_taints(own, &node->taints, node->taint_count);
    berth__copy_resources(own, &node->allocatable);
    BERTH__COPY_EACH(own, berth_image, node->images, node->image_count, image)
    berth__copy_strs(own, &image->names);
    berth__copy_conditions(own, &node->conditions, node->condition_count);
    berth__copy_strs(own, &node->declared_features);
}

/* ---- Pod ---- */

static const berth_container *copy_containers(berth__copying *own,
                                              const berth_container *containers, uint32_t count)
{
    BERTH__COPY_EACH(own, berth_container, containers, count, container)
    {
        berth__copy_str(own, &container->name);
        berth__copy_str(own, &container->image);
        berth__copy_resources(own, &container->requests);
        berth__copy_resources(own, &container->limits);
        BERTH__COPY_EACH(own, berth_port, container->ports, container->port_count, port)
        {
            berth__copy_str(own, &port->host_ip);
            berth__copy_str(own, &port->protocol);
        }
    }
    return containers;
}

static const berth_container_status *
copy_container_statuses(berth__copying *own, const berth_container_status *statuses, uint32_t count)
{
    BERTH__COPY_EACH(own, berth_container_status, statuses, count, status)
    {
        berth__copy_str(own, &status->name);
        berth__copy_resources(own, &status->requests);
        berth__copy_resources(own, &status->allocated);
    }
    return statuses;
}

static void copy_pod_claim(berth__copying *own, berth_pod_claim *claim)
{
    berth__copy_str(own, &claim->name);
    berth__copy_str(own, &claim->claim);
    berth__copy_str(own, &claim->claim_template);
}

static void copy_pod_claims(berth__copying *own, berth_pod *pod)
{
    BERTH__COPY_EACH(own, berth_pod_claim, pod->resource_claims, pod->resource_claim_count, claim)
    {
        copy_pod_claim(own, claim);
    }
    BERTH__COPY_EACH(own, berth_pod_claim, pod->resource_claim_statuses,
                     pod->resource_claim_status_count, status)
    {
        copy_pod_claim(own, status);
    }
}

static void copy_node_affinity(berth__copying *own, berth_node_affinity *affinity)
{
    affinity->required = berth__copy_node_selector(own, affinity->required);
    BERTH__COPY_EACH(own, berth_preferred_node_term, affinity->preferred, affinity->preferred_count,
                     term)
    copy_node_term(own, &term->preference);
}

static const berth_pod_affinity_term *
copy_pod_terms(berth__copying *own, const berth_pod_affinity_term *terms, uint32_t count)
{
    BERTH__COPY_EACH(own, berth_pod_affinity_term, terms, count, term)
    {
        term->label_selector = copy_label_selector(own, term->label_selector);
        berth__copy_strs(own, &term->namespaces);
        term->namespace_selector = copy_label_selector(own, term->namespace_selector);
        berth__copy_str(own, &term->topology_key);
    }
    return terms;
}

static void copy_pod_affinity(berth__copying *own, berth_pod_affinity *affinity)
{
    affinity->required = copy_pod_terms(own, affinity->required, affinity->required_count);
    affinity->preferred = copy_pod_terms(own, affinity->preferred, affinity->preferred_count);
}

static void copy_spreads(berth__copying *own, berth_pod *pod)
{
    BERTH__COPY_EACH(own, berth_topology_spread, pod->spreads, pod->spread_count, spread)
    {
        berth__copy_str(own, &spread->topology_key);
        berth__copy_str(own, &spread->when_unsatisfiable);
        spread->label_selector = copy_label_selector(own, spread->label_selector);
        berth__copy_str(own, &spread->node_affinity_policy);
        berth__copy_str(own, &spread->node_taints_policy);
        berth__copy_strs(own, &spread->match_label_keys);
    }
}

static void copy_volumes(berth__copying *own, berth_pod *pod)
{
    BERTH__COPY_EACH(own, berth_volume, pod->volumes, pod->volume_count, volume)
    {
        berth__copy_str(own, &volume->name);
        copy_volume_source(own, &volume->source);
    }
}

static void copy_pod(berth__copying *own, berth_pod *pod)
{
    berth__copy_metadata(own, &pod->meta);
    berth__copy_str(own, &pod->node_name);
    berth__copy_str(own, &pod->scheduler_name);
    berth__copy_str(own, &pod->preemption_policy);
    pod->containers = copy_containers(own, pod->containers, pod->container_count);
    pod->init_containers = copy_containers(own, pod->init_containers, pod->init_container_count);
    berth__copy_resources(own, &pod->overhead);
    copy_map(own, &pod->node_selector);
    copy_node_affinity(own, &pod->node_affinity);
    copy_pod_affinity(own, &pod->pod_affinity);
    copy_pod_affinity(own, &pod->pod_anti_affinity);
    berth__copy_tolerations(own, &pod->tolerations, pod->toleration_count);
    copy_spreads(own, pod);
    copy_volumes(own, pod);
    berth__copy_strs(own, &pod->scheduling_gates);
    berth__copy_str(own, &pod->phase);
    berth__copy_str(own, &pod->nominated_node_name);
    berth__copy_conditions(own, &pod->conditions, pod->condition_count);
    berth__copy_resources(own, &pod->pod_requests);
    berth__copy_resources(own, &pod->pod_limits);
    copy_pod_claims(own, pod);
    pod->container_statuses =
        copy_container_statuses(own, pod->container_statuses, pod->container_status_count);
    pod->init_container_statuses = copy_container_statuses(own, pod->init_container_statuses,
                                                           pod->init_container_status_count);
    berth__copy_resources(own, &pod->status_requests);
    berth__copy_resources(own, &pod->status_allocated);
    berth__copy_str(own, &pod->pod_group);
}

/* ---- storage ---- */

static void copy_persistent_volume(berth__copying *own, berth_persistent_volume *volume)
{
    berth__copy_metadata(own, &volume->meta);
    berth__copy_strs(own, &volume->access_modes);
    berth__copy_str(own, &volume->storage_class);
    berth__copy_str(own, &volume->volume_mode);
    berth__copy_str(own, &volume->volume_attributes_class);
    berth__copy_str(own, &volume->claim_namespace);
    berth__copy_str(own, &volume->claim_name);
    berth__copy_str(own, &volume->claim_uid);
    volume->node_affinity = berth__copy_node_selector(own, volume->node_affinity);
    copy_volume_source(own, &volume->source);
    berth__copy_str(own, &volume->phase);
}

static void copy_persistent_volume_claim(berth__copying *own, berth_persistent_volume_claim *claim)
{
    berth__copy_metadata(own, &claim->meta);
    berth__copy_strs(own, &claim->access_modes);
    berth__copy_str(own, &claim->storage_class);
    berth__copy_str(own, &claim->volume_name);
    berth__copy_str(own, &claim->volume_mode);
    berth__copy_str(own, &claim->volume_attributes_class);
    claim->selector = copy_label_selector(own, claim->selector);
    berth__copy_str(own, &claim->phase);
}

static void copy_storage_class(berth__copying *own, berth_storage_class *storage_class)
{
    berth__copy_metadata(own, &storage_class->meta);
    berth__copy_str(own, &storage_class->provisioner);
    berth__copy_str(own, &storage_class->binding_mode);
    BERTH__COPY_EACH(own, berth_topology_term, storage_class->allowed_topologies,
                     storage_class->allowed_topology_count, term)
    copy_requirements(own, &term->expressions);
}

static void copy_csi_node(berth__copying *own, berth_csi_node *node)
{
    berth__copy_metadata(own, &node->meta);
    BERTH__COPY_EACH(own, berth_csi_node_driver, node->drivers, node->driver_count, driver)
    {
        berth__copy_str(own, &driver->name);
        berth__copy_str(own, &driver->node_id);
    }
}

static void copy_csi_driver(berth__copying *own, berth_csi_driver *driver)
{
    berth__copy_metadata(own, &driver->meta);
}

static void copy_csi_storage_capacity(berth__copying *own, berth_csi_storage_capacity *capacity)
{
    berth__copy_metadata(own, &capacity->meta);
    berth__copy_str(own, &capacity->storage_class);
    capacity->node_topology = copy_label_selector(own, capacity->node_topology);
}

static void copy_volume_attachment(berth__copying *own, berth_volume_attachment *attachment)
{
    berth__copy_metadata(own, &attachment->meta);
    berth__copy_str(own, &attachment->attacher);
    berth__copy_str(own, &attachment->node_name);
    berth__copy_str(own, &attachment->persistent_volume);
}

/* ---- other kinds ---- */

static void copy_service(berth__copying *own, berth_service *service)
{
    berth__copy_metadata(own, &service->meta);
    copy_map(own, &service->selector);
}

static void copy_controller(berth__copying *own, berth_controller *controller)
{
    berth__copy_metadata(own, &controller->meta);
    controller->selector = copy_label_selector(own, controller->selector);
}

static void copy_replication_controller(berth__copying *own, berth_controller *controller)
{
    copy_controller(own, controller);
}

static void copy_replica_set(berth__copying *own, berth_controller *controller)
{
    copy_controller(own, controller);
}

static void copy_stateful_set(berth__copying *own, berth_controller *controller)
{
    copy_controller(own, controller);
}

static void copy_namespace_object(berth__copying *own, berth_namespace *object)
{
    berth__copy_metadata(own, &object->meta);
}

static void copy_pod_disruption_budget(berth__copying *own, berth_pod_disruption_budget *budget)
{
    berth__copy_metadata(own, &budget->meta);
    budget->selector = copy_label_selector(own, budget->selector);
    berth__copy_strs(own, &budget->disrupted_pods);
}

static void copy_pod_group(berth__copying *own, berth_pod_group *group)
{
    berth__copy_metadata(own, &group->meta);
    berth__copy_str(own, &group->priority_class);
    berth__copy_str(own, &group->preemption_policy);
    berth__copy_strs(own, &group->topology_keys);
    berth__copy_str(own, &group->parent);
}

static void copy_resource_slice(berth__copying *own, berth_resource_slice *slice)
{
    berth__copy_resource_slice(own, slice);
}

static void copy_device_class(berth__copying *own, berth_device_class *device_class)
{
    berth__copy_device_class(own, device_class);
}

static void copy_device_taint_rule(berth__copying *own, berth_device_taint_rule *rule)
{
    berth__copy_device_taint_rule(own, rule);
}

static void copy_resource_claim(berth__copying *own, berth_resource_claim *claim)
{
    berth__copy_resource_claim(own, claim);
}

/* ---- any kind ---- */

berth_status berth__object_copy_into(berth__arena *arena, const berth_object *object,
                                     berth_object *out)
{
    berth__copying own = {.arena = arena, .ok = true};
    berth_object copy = {.kind = object->kind, .size = berth__object_size(object->kind)};
    switch (object->kind) {
#define X(name, member, type, text)                                                \
    case BERTH_KIND_##name: {                                                      \
        type *made = berth__copy_array(&own, object->as.member, 1, sizeof(*made)); \
        if (made != NULL)                                                          \
            copy_##member(&own, made);                                             \
        copy.as.member = made;                                                     \
        break;                                                                     \
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
