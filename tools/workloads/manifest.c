/* Writes objects as Kubernetes manifests, field by field in the order of the API. */
#include "workloads/manifest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "berth/kube.h"
#include "cli/exits.h"
#include "cli/words.h"

void manifest_open(output *o, FILE *file, manifest_layout layout)
{
    bool indented = layout == MANIFEST_INDENTED;
    output_open(o, file, OUTPUT_JSON, indented ? OUTPUT_DEPTH_MAX : 2);
    if (indented)
        o->blanks = 4;
    output_object(o);
    output_pair_text(o, "apiVersion", "v1");
    output_pair_text(o, "kind", "List");
    output_key(o, "items");
    output_array(o);
}

void manifest_close(output *o)
{
    output_array_end(o);
    output_object_end(o);
    output_close(o);
}

static void write_map(output *o, const char *key, berth_map map)
{
    if (map.count == 0)
        return;
    output_key(o, key);
    output_object(o);
    for (uint32_t i = 0; i < map.count; i++) {
        output_key_str(o, map.entries[i].key);
        output_str(o, map.entries[i].value);
    }
    output_object_end(o);
}

static void write_optional(output *o, const char *key, berth_str value)
{
    if (value.data != NULL)
        output_pair_str(o, key, value);
}

static bool is_binary(berth_str resource)
{
    static const char huge[] = "hugepages-";
    return words_equal(resource, words_of("memory")) ||
           words_equal(resource, words_of("ephemeral-storage")) ||
           words_equal(resource, words_of("storage")) ||
           (resource.len >= sizeof(huge) - 1 &&
            words_equal((berth_str){resource.data, sizeof(huge) - 1}, words_of(huge)));
}

static void write_resources(output *o, const char *key, berth_resources resources)
{
    if (resources.count == 0)
        return;
    output_key(o, key);
    output_object(o);
    for (uint32_t i = 0; i < resources.count; i++) {
        char text[64];
        berth_str name = resources.items[i].name;
        berth_quantity_format(resources.items[i].amount, is_binary(name), text, sizeof(text));
        output_key_str(o, name);
        output_text(o, text);
    }
    output_object_end(o);
}

static void write_owners(output *o, const berth_metadata *meta)
{
    if (meta->owner_count == 0)
        return;
    output_key(o, "ownerReferences");
    output_array(o);
    for (uint32_t i = 0; i < meta->owner_count; i++) {
        const berth_owner *owner = &meta->owners[i];
        output_object(o);
        output_pair_str(o, "apiVersion", owner->api_version);
        output_pair_str(o, "kind", owner->kind);
        output_pair_str(o, "name", owner->name);
        output_pair_str(o, "uid", owner->uid);
        output_key(o, "controller");
        output_bool(o, owner->controller);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_metadata(output *o, const berth_metadata *meta)
{
    output_key(o, "metadata");
    output_object(o);
    output_pair_str(o, "name", meta->name);
    write_optional(o, "namespace", meta->namespace_name);
    write_map(o, "labels", meta->labels);
    write_map(o, "annotations", meta->annotations);
    write_owners(o, meta);
    output_object_end(o);
}

static void write_taints(output *o, const berth_node *node)
{
    if (node->taint_count == 0)
        return;
    output_key(o, "taints");
    output_array(o);
    for (uint32_t i = 0; i < node->taint_count; i++) {
        output_object(o);
        output_pair_str(o, "key", node->taints[i].key);
        output_pair_str(o, "value", node->taints[i].value);
        output_pair_str(o, "effect", node->taints[i].effect);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_texts(output *o, const char *key, berth_strs texts)
{
    output_key(o, key);
    output_array(o);
    for (uint32_t i = 0; i < texts.count; i++)
        output_str(o, texts.items[i]);
    output_array_end(o);
}

static void write_images(output *o, const berth_node *node)
{
    if (node->image_count == 0)
        return;
    output_key(o, "images");
    output_array(o);
    for (uint32_t i = 0; i < node->image_count; i++) {
        output_object(o);
        write_texts(o, "names", node->images[i].names);
        output_pair_int(o, "sizeBytes", node->images[i].size_bytes);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_node(output *o, const berth_node *node)
{
    write_metadata(o, &node->meta);
    output_key(o, "spec");
    output_object(o);
    if (node->unschedulable) {
        output_key(o, "unschedulable");
        output_bool(o, true);
    }
    write_taints(o, node);
    output_object_end(o);
    output_key(o, "status");
    output_object(o);
    write_resources(o, "capacity", node->allocatable);
    write_resources(o, "allocatable", node->allocatable);
    write_images(o, node);
    output_object_end(o);
}

/* Expressions of a storage class have no operator. */
static void write_expressions(output *o, const char *key, berth_requirements expressions)
{
    output_key(o, key);
    output_array(o);
    for (uint32_t i = 0; i < expressions.count; i++) {
        const berth_requirement *expression = &expressions.items[i];
        output_object(o);
        output_pair_str(o, "key", expression->key);
        if (strcmp(key, "matchExpressions") == 0)
            output_pair_str(o, "operator", expression->op);
        if (expression->values.count > 0)
            write_texts(o, "values", expression->values);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_node_selector(output *o, const char *key, const berth_node_selector *selector)
{
    output_key(o, key);
    output_object(o);
    output_key(o, "nodeSelectorTerms");
    output_array(o);
    for (uint32_t i = 0; i < selector->count; i++) {
        output_object(o);
        write_expressions(o, "matchExpressions", selector->terms[i].match_expressions);
        output_object_end(o);
    }
    output_array_end(o);
    output_object_end(o);
}

static void write_node_affinity(output *o, const berth_node_affinity *affinity)
{
    if (affinity->required == NULL && affinity->preferred_count == 0)
        return;
    output_key(o, "nodeAffinity");
    output_object(o);
    if (affinity->required != NULL)
        write_node_selector(o, "requiredDuringSchedulingIgnoredDuringExecution",
                            affinity->required);
    if (affinity->preferred_count > 0) {
        output_key(o, "preferredDuringSchedulingIgnoredDuringExecution");
        output_array(o);
        for (uint32_t i = 0; i < affinity->preferred_count; i++) {
            output_object(o);
            output_pair_int(o, "weight", affinity->preferred[i].weight);
            output_key(o, "preference");
            output_object(o);
            write_expressions(o, "matchExpressions",
                              affinity->preferred[i].preference.match_expressions);
            output_object_end(o);
            output_object_end(o);
        }
        output_array_end(o);
    }
    output_object_end(o);
}

static void write_selector(output *o, const char *key, const berth_label_selector *selector)
{
    if (selector == NULL)
        return;
    output_key(o, key);
    output_object(o);
    write_map(o, "matchLabels", selector->match_labels);
    output_object_end(o);
}

static void write_term(output *o, const berth_pod_affinity_term *term)
{
    write_selector(o, "labelSelector", term->label_selector);
    output_pair_str(o, "topologyKey", term->topology_key);
}

static void write_pod_affinity(output *o, const char *key, const berth_pod_affinity *affinity)
{
    if (!affinity->present)
        return;
    output_key(o, key);
    output_object(o);
    if (affinity->required_count > 0) {
        output_key(o, "requiredDuringSchedulingIgnoredDuringExecution");
        output_array(o);
        for (uint32_t i = 0; i < affinity->required_count; i++) {
            output_object(o);
            write_term(o, &affinity->required[i]);
            output_object_end(o);
        }
        output_array_end(o);
    }
    if (affinity->preferred_count > 0) {
        output_key(o, "preferredDuringSchedulingIgnoredDuringExecution");
        output_array(o);
        for (uint32_t i = 0; i < affinity->preferred_count; i++) {
            output_object(o);
            output_pair_int(o, "weight", affinity->preferred[i].weight);
            output_key(o, "podAffinityTerm");
            output_object(o);
            write_term(o, &affinity->preferred[i]);
            output_object_end(o);
            output_object_end(o);
        }
        output_array_end(o);
    }
    output_object_end(o);
}

static void write_affinity(output *o, const berth_pod *pod)
{
    const berth_node_affinity *node = &pod->node_affinity;
    if (node->required == NULL && node->preferred_count == 0 && !pod->pod_affinity.present &&
        !pod->pod_anti_affinity.present)
        return;
    output_key(o, "affinity");
    output_object(o);
    write_node_affinity(o, node);
    write_pod_affinity(o, "podAffinity", &pod->pod_affinity);
    write_pod_affinity(o, "podAntiAffinity", &pod->pod_anti_affinity);
    output_object_end(o);
}

static void write_tolerations(output *o, const berth_pod *pod)
{
    if (pod->toleration_count == 0)
        return;
    output_key(o, "tolerations");
    output_array(o);
    for (uint32_t i = 0; i < pod->toleration_count; i++) {
        const berth_toleration *toleration = &pod->tolerations[i];
        output_object(o);
        output_pair_str(o, "key", toleration->key);
        output_pair_str(o, "operator", toleration->op);
        output_pair_str(o, "value", toleration->value);
        output_pair_str(o, "effect", toleration->effect);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_spreads(output *o, const berth_pod *pod)
{
    if (pod->spread_count == 0)
        return;
    output_key(o, "topologySpreadConstraints");
    output_array(o);
    for (uint32_t i = 0; i < pod->spread_count; i++) {
        const berth_topology_spread *spread = &pod->spreads[i];
        output_object(o);
        output_pair_int(o, "maxSkew", spread->max_skew);
        output_pair_str(o, "topologyKey", spread->topology_key);
        output_pair_str(o, "whenUnsatisfiable", spread->when_unsatisfiable);
        write_selector(o, "labelSelector", spread->label_selector);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_container(output *o, const berth_container *container)
{
    output_object(o);
    output_pair_str(o, "name", container->name);
    output_pair_str(o, "image", container->image);
    if (container->port_count > 0) {
        output_key(o, "ports");
        output_array(o);
        for (uint32_t i = 0; i < container->port_count; i++) {
            output_object(o);
            output_pair_int(o, "containerPort", container->ports[i].container_port);
            output_pair_int(o, "hostPort", container->ports[i].host_port);
            output_pair_str(o, "protocol", container->ports[i].protocol);
            output_object_end(o);
        }
        output_array_end(o);
    }
    if (container->requests.count > 0) {
        output_key(o, "resources");
        output_object(o);
        write_resources(o, "limits", container->limits);
        write_resources(o, "requests", container->requests);
        output_object_end(o);
    }
    output_object_end(o);
}

/* Volumes of a draft's pod are always claims. */
static void write_pod_volumes(output *o, const berth_pod *pod)
{
    if (pod->volume_count == 0)
        return;
    output_key(o, "volumes");
    output_array(o);
    for (uint32_t i = 0; i < pod->volume_count; i++) {
        output_object(o);
        output_pair_str(o, "name", pod->volumes[i].name);
        output_key(o, "persistentVolumeClaim");
        output_object(o);
        output_pair_str(o, "claimName", pod->volumes[i].source.handle);
        output_object_end(o);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_pod_claims(output *o, const berth_pod *pod)
{
    if (pod->resource_claim_count == 0)
        return;
    output_key(o, "resourceClaims");
    output_array(o);
    for (uint32_t i = 0; i < pod->resource_claim_count; i++) {
        output_object(o);
        output_pair_str(o, "name", pod->resource_claims[i].name);
        write_optional(o, "resourceClaimName", pod->resource_claims[i].claim);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_pod(output *o, const berth_pod *pod)
{
    write_metadata(o, &pod->meta);
    output_key(o, "spec");
    output_object(o);
    write_optional(o, "nodeName", pod->node_name);
    if (pod->has_priority)
        output_pair_int(o, "priority", pod->priority);
    write_map(o, "nodeSelector", pod->node_selector);
    write_affinity(o, pod);
    write_tolerations(o, pod);
    write_spreads(o, pod);
    output_key(o, "containers");
    output_array(o);
    for (uint32_t i = 0; i < pod->container_count; i++)
        write_container(o, &pod->containers[i]);
    output_array_end(o);
    write_pod_volumes(o, pod);
    write_pod_claims(o, pod);
    output_object_end(o);
    if (pod->node_name.data != NULL) {
        output_key(o, "status");
        output_object(o);
        output_pair_text(o, "phase", "Running");
        output_object_end(o);
    }
}

/* ---- storage ---- */

static void write_storage_class(output *o, const berth_storage_class *class)
{
    write_metadata(o, &class->meta);
    output_pair_str(o, "provisioner", class->provisioner);
    output_pair_str(o, "volumeBindingMode", class->binding_mode);
    if (class->allowed_topology_count == 0)
        return;
    output_key(o, "allowedTopologies");
    output_array(o);
    for (uint32_t i = 0; i < class->allowed_topology_count; i++) {
        output_object(o);
        write_expressions(o, "matchLabelExpressions", class->allowed_topologies[i].expressions);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_csi_driver(output *o, const berth_csi_driver *driver)
{
    write_metadata(o, &driver->meta);
    output_key(o, "spec");
    output_object(o);
    output_key(o, "storageCapacity");
    output_bool(o, driver->storage_capacity);
    output_object_end(o);
}

static void write_csi_node(output *o, const berth_csi_node *node)
{
    write_metadata(o, &node->meta);
    output_key(o, "spec");
    output_object(o);
    output_key(o, "drivers");
    output_array(o);
    for (uint32_t i = 0; i < node->driver_count; i++) {
        output_object(o);
        output_pair_str(o, "name", node->drivers[i].name);
        output_pair_str(o, "nodeID", node->drivers[i].node_id);
        output_key(o, "allocatable");
        output_object(o);
        output_pair_int(o, "count", node->drivers[i].count);
        output_object_end(o);
        output_object_end(o);
    }
    output_array_end(o);
    output_object_end(o);
}

static void write_amount(output *o, const char *key, berth_quantity bytes)
{
    const berth_resource storage = {words_of("storage"), bytes};
    write_resources(o, key, (berth_resources){&storage, 1});
}

static void write_phase(output *o, berth_str phase)
{
    output_key(o, "status");
    output_object(o);
    output_pair_str(o, "phase", phase);
    output_object_end(o);
}

static void write_volume(output *o, const berth_persistent_volume *volume)
{
    write_metadata(o, &volume->meta);
    output_key(o, "spec");
    output_object(o);
    write_amount(o, "capacity", volume->capacity);
    write_texts(o, "accessModes", volume->access_modes);
    write_optional(o, "storageClassName", volume->storage_class);
    if (volume->has_claim_ref) {
        output_key(o, "claimRef");
        output_object(o);
        output_pair_str(o, "namespace", volume->claim_namespace);
        output_pair_str(o, "name", volume->claim_name);
        output_object_end(o);
    }
    output_key(o, "csi");
    output_object(o);
    output_pair_str(o, "driver", volume->source.driver);
    output_pair_str(o, "volumeHandle", volume->source.handle);
    output_object_end(o);
    if (volume->node_affinity != NULL) {
        output_key(o, "nodeAffinity");
        output_object(o);
        write_node_selector(o, "required", volume->node_affinity);
        output_object_end(o);
    }
    output_object_end(o);
    write_phase(o, volume->phase);
}

static void write_claim(output *o, const berth_persistent_volume_claim *claim)
{
    write_metadata(o, &claim->meta);
    output_key(o, "spec");
    output_object(o);
    write_texts(o, "accessModes", claim->access_modes);
    write_optional(o, "storageClassName", claim->storage_class);
    write_optional(o, "volumeName", claim->volume_name);
    output_key(o, "resources");
    output_object(o);
    write_amount(o, "requests", claim->request);
    output_object_end(o);
    output_object_end(o);
    write_phase(o, claim->phase);
}

static void write_service(output *o, const berth_service *service)
{
    write_metadata(o, &service->meta);
    output_key(o, "spec");
    output_object(o);
    write_map(o, "selector", service->selector);
    output_object_end(o);
}

static void write_replica_set(output *o, const berth_controller *replica_set)
{
    write_metadata(o, &replica_set->meta);
    output_key(o, "spec");
    output_object(o);
    output_pair_int(o, "replicas", 0); /* its pods are separate objects */
    write_selector(o, "selector", replica_set->selector);
    output_object_end(o);
}

/* ---- devices: written by the library ---- */

static bool is_of_devices(berth_kind kind)
{
    return kind == BERTH_KIND_RESOURCE_SLICE || kind == BERTH_KIND_DEVICE_CLASS ||
           kind == BERTH_KIND_RESOURCE_CLAIM;
}

static void write_json(output *o, json_t *value);

static void write_members(output *o, json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        output_key(o, key);
        write_json(o, value);
    }
}

static void write_json(output *o, json_t *value)
{
    if (json_is_object(value)) {
        output_object(o);
        write_members(o, value);
        output_object_end(o);
    } else if (json_is_array(value)) {
        output_array(o);
        for (size_t i = 0; i < json_array_size(value); i++)
            write_json(o, json_array_get(value, i));
        output_array_end(o);
    } else if (json_is_string(value)) {
        output_text(o, json_string_value(value));
    } else if (json_is_boolean(value)) {
        output_bool(o, json_is_true(value));
    } else {
        output_int(o, json_integer_value(value));
    }
}

static berth_status add_piece(void *context, berth_str piece, berth_error *error)
{
    (void)error;
    fwrite(piece.data, 1, piece.len, context);
    return BERTH_OK;
}

/* Write the whole object, with its kind. */
static void write_devices(output *o, const berth_object *object)
{
    char *text = NULL;
    size_t length = 0;
    berth_error error;
    FILE *file = open_memstream(&text, &length);
    if (file == NULL || berth_object_write(object, add_piece, file, &error) != BERTH_OK ||
        fclose(file) != 0)
        exit(exit_status("generate", "writing an object", BERTH_E_NOMEM));
    json_t *json = json_loadb(text, length, 0, NULL);
    free(text);
    write_json(o, json);
    json_decref(json);
}

static const char *version_of(berth_kind kind)
{
    if (kind == BERTH_KIND_REPLICA_SET)
        return "apps/v1";
    return kind == BERTH_KIND_STORAGE_CLASS || kind == BERTH_KIND_CSI_DRIVER ||
                   kind == BERTH_KIND_CSI_NODE
               ? "storage.k8s.io/v1"
               : "v1";
}

void manifest_write(output *o, const berth_object *object)
{
    if (is_of_devices(object->kind)) {
        write_devices(o, object);
        return;
    }
    output_object(o);
    output_pair_text(o, "apiVersion", version_of(object->kind));
    output_pair_text(o, "kind", berth_kind_name(object->kind));
    if (object->kind == BERTH_KIND_NODE)
        write_node(o, object->as.node);
    else if (object->kind == BERTH_KIND_POD)
        write_pod(o, object->as.pod);
    else if (object->kind == BERTH_KIND_STORAGE_CLASS)
        write_storage_class(o, object->as.storage_class);
    else if (object->kind == BERTH_KIND_CSI_DRIVER)
        write_csi_driver(o, object->as.csi_driver);
    else if (object->kind == BERTH_KIND_CSI_NODE)
        write_csi_node(o, object->as.csi_node);
    else if (object->kind == BERTH_KIND_PERSISTENT_VOLUME)
        write_volume(o, object->as.persistent_volume);
    else if (object->kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM)
        write_claim(o, object->as.persistent_volume_claim);
    else if (object->kind == BERTH_KIND_SERVICE)
        write_service(o, object->as.service);
    else if (object->kind == BERTH_KIND_REPLICA_SET)
        write_replica_set(o, object->as.replica_set);
    else
        assert(false);
    output_object_end(o);
}
