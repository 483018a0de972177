/* Shared by the tests of the reader: objects printed as text, one line each, in the order of
 * arrival. */
#ifndef BERTH_TESTS_READER_CHECK_H
#define BERTH_TESTS_READER_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "berth/kube.h"
#include "kube/reader_state.h"

/* How many bytes of text a helper thread hands over at once, in all readers of this file; 0: no
 * helper. */
#if !defined(READER_CHECK_BATCH_BYTES)
#define READER_CHECK_BATCH_BYTES 0
#endif

#define STR(s) (int)(s).len, (s).data != NULL ? (s).data : ""

typedef struct sheet {
    char text[1 << 18];
    size_t len;
    berth_error origin; /* of the last object */
    uint32_t count[BERTH_KIND_COUNT];
    uint32_t refuse_at; /* the callback fails after that many objects; 0: never */
} sheet;

static sheet got;

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(got.text + got.len, sizeof(got.text) - got.len, format, args);
    va_end(args);
    assert_true(len >= 0 && got.len + (size_t)len < sizeof(got.text));
    got.len += (size_t)len;
}

static void put_str(const char *name, berth_str text)
{
    if (text.data != NULL)
        put(" %s=%.*s", name, STR(text));
}

static void put_strs(const char *name, berth_strs strs)
{
    if (strs.items == NULL)
        return;
    put(" %s=[", name);
    for (uint32_t i = 0; i < strs.count; i++)
        put("%s%.*s", i > 0 ? "," : "", STR(strs.items[i]));
    put("]");
}

static void put_map(const char *name, berth_map map)
{
    if (map.entries == NULL)
        return;
    put(" %s={", name);
    for (uint32_t i = 0; i < map.count; i++)
        put("%s%.*s=%.*s", i > 0 ? "," : "", STR(map.entries[i].key), STR(map.entries[i].value));
    put("}");
}

static void put_quantity(const char *name, berth_quantity amount)
{
    char text[64];
    berth_quantity_format(amount, true, text, sizeof(text));
    put(" %s=%s", name, text);
}

static void put_resources(const char *name, berth_resources resources)
{
    if (resources.items == NULL)
        return;
    put(" %s={", name);
    for (uint32_t i = 0; i < resources.count; i++) {
        char text[64];
        berth_quantity_format(resources.items[i].amount, true, text, sizeof(text));
        put("%s%.*s=%s", i > 0 ? "," : "", STR(resources.items[i].name), text);
    }
    put("}");
}

static void put_requirements(berth_requirements list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        put("(%.*s %.*s", STR(list.items[i].key), STR(list.items[i].op));
        put_strs("", list.items[i].values);
        put(")");
    }
}

static void put_selector(const char *name, const berth_label_selector *selector)
{
    if (selector == NULL)
        return;
    put(" %s<", name);
    put_map("labels", selector->match_labels);
    put_requirements(selector->match_expressions);
    put(">");
}

static void put_term(const berth_node_selector_term *term)
{
    put("<");
    put_requirements(term->match_expressions);
    if (term->match_fields.items != NULL)
        put(" fields");
    put_requirements(term->match_fields);
    put(">");
}

static void put_node_selector(const char *name, const berth_node_selector *selector)
{
    if (selector == NULL)
        return;
    put(" %s[", name);
    for (uint32_t i = 0; i < selector->count; i++)
        put_term(&selector->terms[i]);
    put("]");
}

static void put_source(const berth_volume_source *source)
{
    put(" source=%d", (int)source->kind);
    put_str("handle", source->handle);
    put_str("driver", source->driver);
    put_str("pool", source->pool);
    put_str("disk kind", source->disk_kind);
    put_strs("monitors", source->monitors);
    if (source->read_only)
        put(" read-only");
}

static void put_conditions(const berth_condition *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put(" condition(%.*s %.*s %.*s)", STR(items[i].type), STR(items[i].status),
            STR(items[i].reason));
}

static void put_meta(const berth_metadata *meta)
{
    put_str("uid", meta->uid);
    put_map("labels", meta->labels);
    put_map("annotations", meta->annotations);
    for (uint32_t i = 0; i < meta->owner_count; i++)
        put(" owner(%.*s %.*s %.*s %.*s%s)", STR(meta->owners[i].api_version),
            STR(meta->owners[i].kind), STR(meta->owners[i].name), STR(meta->owners[i].uid),
            meta->owners[i].controller ? " controller" : "");
    if (meta->creation_time_ns != 0)
        put(" created=%lld", (long long)meta->creation_time_ns);
    if (meta->deleting)
        put(" deleting");
}

static void put_node(const berth_node *node)
{
    if (node->unschedulable)
        put(" unschedulable");
    for (uint32_t i = 0; i < node->taint_count; i++)
        put(" taint(%.*s=%.*s:%.*s)", STR(node->taints[i].key), STR(node->taints[i].value),
            STR(node->taints[i].effect));
    put_resources("allocatable", node->allocatable);
    for (uint32_t i = 0; i < node->image_count; i++) {
        put(" image(%lld", (long long)node->images[i].size_bytes);
        put_strs("names", node->images[i].names);
        put(")");
    }
    put_conditions(node->conditions, node->condition_count);
    put_strs("features", node->declared_features);
}

static void put_containers(const char *name, const berth_container *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put(" %s(%.*s", name, STR(items[i].name));
        put_str("image", items[i].image);
        put_resources("requests", items[i].requests);
        put_resources("limits", items[i].limits);
        if (items[i].restarts_all)
            put(" restarts-all");
        for (uint32_t p = 0; p < items[i].port_count; p++)
            put(" port(%.*s %.*s %d %d)", STR(items[i].ports[p].host_ip),
                STR(items[i].ports[p].protocol), items[i].ports[p].host_port,
                items[i].ports[p].container_port);
        put("%s)", items[i].restart_always ? " always" : "");
    }
}

static void put_affinity_terms(const char *name, const berth_pod_affinity_term *terms,
                               uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put(" %s(%d %.*s", name, terms[i].weight, STR(terms[i].topology_key));
        put_selector("selector", terms[i].label_selector);
        put_strs("namespaces", terms[i].namespaces);
        put_selector("namespace-selector", terms[i].namespace_selector);
        put(")");
    }
}

static void put_affinity(const char *name, const berth_pod_affinity *affinity)
{
    if (!affinity->present)
        return;
    put(" %s", name);
    put_affinity_terms("required", affinity->required, affinity->required_count);
    put_affinity_terms("preferred", affinity->preferred, affinity->preferred_count);
}

static void put_placing(const berth_pod *pod)
{
    put_map("node-selector", pod->node_selector);
    put_node_selector("required", pod->node_affinity.required);
    for (uint32_t i = 0; i < pod->node_affinity.preferred_count; i++) {
        put(" preferred(%d ", pod->node_affinity.preferred[i].weight);
        put_term(&pod->node_affinity.preferred[i].preference);
        put(")");
    }
    put_affinity("affinity", &pod->pod_affinity);
    put_affinity("anti-affinity", &pod->pod_anti_affinity);
    for (uint32_t i = 0; i < pod->toleration_count; i++)
        put(" toleration(%.*s %.*s %.*s %.*s)", STR(pod->tolerations[i].key),
            STR(pod->tolerations[i].op), STR(pod->tolerations[i].value),
            STR(pod->tolerations[i].effect));
    for (uint32_t i = 0; i < pod->spread_count; i++) {
        const berth_topology_spread *spread = &pod->spreads[i];
        put(" spread(%d %d %.*s %.*s", spread->max_skew, spread->min_domains,
            STR(spread->topology_key), STR(spread->when_unsatisfiable));
        put_selector("selector", spread->label_selector);
        put_str("affinity", spread->node_affinity_policy);
        put_str("taints", spread->node_taints_policy);
        put_strs("keys", spread->match_label_keys);
        put(")");
    }
}

static void put_statuses(const char *name, const berth_container_status *statuses, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put(" %s(%.*s", name, STR(statuses[i].name));
        if (statuses[i].has_resources)
            put_resources("holds", statuses[i].requests);
        put_resources("allocated", statuses[i].allocated);
        put(")");
    }
}

/* Fields that came with Kubernetes 1.33 to 1.36. */
static void put_newer(const berth_pod *pod)
{
    put_resources("pod-requests", pod->pod_requests);
    put_resources("pod-limits", pod->pod_limits);
    if (pod->host_network)
        put(" host-network");
    if (pod->host_users_off)
        put(" host-users-off");
    for (uint32_t i = 0; i < pod->resource_claim_count; i++)
        put(" devices(%.*s %.*s %.*s)", STR(pod->resource_claims[i].name),
            STR(pod->resource_claims[i].claim), STR(pod->resource_claims[i].claim_template));
    put_statuses("status", pod->container_statuses, pod->container_status_count);
    put_statuses("init-status", pod->init_container_statuses, pod->init_container_status_count);
    if (pod->has_status_resources)
        put_resources("pod-holds", pod->status_requests);
    put_resources("pod-allocated", pod->status_allocated);
}

static void put_pod(const berth_pod *pod)
{
    put_str("node", pod->node_name);
    put_str("scheduler", pod->scheduler_name);
    if (pod->has_priority)
        put(" priority=%d", pod->priority);
    put_str("preemption", pod->preemption_policy);
    put_containers("container", pod->containers, pod->container_count);
    put_containers("init", pod->init_containers, pod->init_container_count);
    put_resources("overhead", pod->overhead);
    put_placing(pod);
    for (uint32_t i = 0; i < pod->volume_count; i++) {
        put(" volume(%.*s", STR(pod->volumes[i].name));
        put_source(&pod->volumes[i].source);
        put(")");
    }
    put_strs("gates", pod->scheduling_gates);
    put_str("phase", pod->phase);
    put_str("nominated", pod->nominated_node_name);
    if (pod->start_time_ns != 0)
        put(" started=%lld", (long long)pod->start_time_ns);
    put_conditions(pod->conditions, pod->condition_count);
    put_newer(pod);
}

static void put_volume(const berth_persistent_volume *volume)
{
    put_quantity("capacity", volume->capacity);
    put_strs("modes", volume->access_modes);
    put_str("class", volume->storage_class);
    put_str("mode", volume->volume_mode);
    put_str("attributes", volume->volume_attributes_class);
    if (volume->has_claim_ref)
        put(" claim(%.*s %.*s %.*s)", STR(volume->claim_namespace), STR(volume->claim_name),
            STR(volume->claim_uid));
    put_node_selector("affinity", volume->node_affinity);
    put_source(&volume->source);
    put_str("phase", volume->phase);
}

static void put_claim(const berth_persistent_volume_claim *claim)
{
    put_strs("modes", claim->access_modes);
    put_str("class", claim->storage_class);
    put_str("volume", claim->volume_name);
    put_str("mode", claim->volume_mode);
    put_str("attributes", claim->volume_attributes_class);
    put_selector("selector", claim->selector);
    put_quantity("request", claim->request);
    put_str("phase", claim->phase);
}

static void put_storage_class(const berth_storage_class *class)
{
    put_str("provisioner", class->provisioner);
    put_str("binding", class->binding_mode);
    for (uint32_t i = 0; i < class->allowed_topology_count; i++) {
        put(" topology");
        put_requirements(class->allowed_topologies[i].expressions);
    }
}

static void put_csi(const berth_object *object)
{
    if (object->kind == BERTH_KIND_CSI_DRIVER)
        put(" capacity=%d", object->as.csi_driver->storage_capacity);
    for (uint32_t i = 0;
         object->kind == BERTH_KIND_CSI_NODE && i < object->as.csi_node->driver_count; i++) {
        const berth_csi_node_driver *driver = &object->as.csi_node->drivers[i];
        put(" driver(%.*s %.*s %d %d)", STR(driver->name), STR(driver->node_id), driver->has_count,
            driver->count);
    }
    if (object->kind != BERTH_KIND_CSI_STORAGE_CAPACITY)
        return;
    const berth_csi_storage_capacity *capacity = object->as.csi_storage_capacity;
    put_str("class", capacity->storage_class);
    put_selector("topology", capacity->node_topology);
    if (capacity->has_capacity)
        put_quantity("capacity", capacity->capacity);
    if (capacity->has_maximum_volume_size)
        put_quantity("maximum", capacity->maximum_volume_size);
}

static void put_object(const berth_object *object)
{
    const berth_metadata *meta = object->as.any;
    put("%s %.*s/%.*s", berth_kind_name(object->kind), STR(meta->namespace_name), STR(meta->name));
    put_meta(meta);
    switch (object->kind) {
    case BERTH_KIND_NODE:
        put_node(object->as.node);
        break;
    case BERTH_KIND_POD:
        put_pod(object->as.pod);
        break;
    case BERTH_KIND_PERSISTENT_VOLUME:
        put_volume(object->as.persistent_volume);
        break;
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        put_claim(object->as.persistent_volume_claim);
        break;
    case BERTH_KIND_STORAGE_CLASS:
        put_storage_class(object->as.storage_class);
        break;
    case BERTH_KIND_VOLUME_ATTACHMENT:
        put_str("attacher", object->as.volume_attachment->attacher);
        put_str("node", object->as.volume_attachment->node_name);
        put_str("volume", object->as.volume_attachment->persistent_volume);
        break;
    case BERTH_KIND_SERVICE:
        put("%s", object->as.service->has_selector ? " selects" : "");
        put_map("selector", object->as.service->selector);
        break;
    case BERTH_KIND_REPLICATION_CONTROLLER:
    case BERTH_KIND_REPLICA_SET:
    case BERTH_KIND_STATEFUL_SET:
        put_selector("selector", object->as.replica_set->selector);
        break;
    case BERTH_KIND_POD_DISRUPTION_BUDGET:
        put_selector("selector", object->as.pod_disruption_budget->selector);
        put(" allowed=%d", object->as.pod_disruption_budget->disruptions_allowed);
        put_strs("disrupted", object->as.pod_disruption_budget->disrupted_pods);
        break;
    default:
        put_csi(object);
        break;
    }
    put("\n");
}

/* ---- reading ---- */

static uint32_t objects_got(void)
{
    uint32_t sum = 0;
    for (int i = 0; i < BERTH_KIND_COUNT; i++)
        sum += got.count[i];
    return sum;
}

static berth_status collect(void *context, const berth_object *object, const berth_error *origin,
                            berth_error *error)
{
    bool names_only = *(const bool *)context;
    if (got.refuse_at != 0 && objects_got() + 1 == got.refuse_at) {
        snprintf(error->message, sizeof(error->message), "refused");
        return BERTH_E_CONFLICT;
    }
    got.count[object->kind]++;
    got.origin = *origin;
    if (names_only)
        put("%s\n", origin->object);
    else
        put_object(object);
    return BERTH_OK;
}

static void clear_sheet(void)
{
    got.len = 0;
    got.text[0] = '\0';
    memset(got.count, 0, sizeof(got.count));
}

static bool whole_objects = false;
static bool names_only = true;

static berth_reader *make_reader(bool apply_defaults, const char *default_kind)
{
    berth_reader *reader;
    berth_read_options options = {.size = sizeof(options),
                                  .apply_defaults = apply_defaults,
                                  .default_kind = default_kind,
                                  .threads = READER_CHECK_BATCH_BYTES == 0 ? 1 : 2};
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    if (READER_CHECK_BATCH_BYTES != 0)
        reader->batch_bytes = READER_CHECK_BATCH_BYTES;
    clear_sheet();
    return reader;
}

/* Reads a text to the end and destroys the reader. A failure is reported in the error, too. */
__attribute__((unused)) static berth_status finish_reading(berth_reader *reader, berth_str text,
                                                           bool *what)
{
    berth_error error;
    berth_status status = berth_reader_text(reader, text, "t", collect, what, &error);
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, NULL, collect, what, &error);
    if (status != BERTH_OK)
        assert_int_equal(error.code, status);
    berth_reader_destroy(reader);
    return status;
}

/* Read one text to the end; afterwards got.text has the objects or their names. */
static berth_status read_all(const char *text, bool apply_defaults, bool *what, berth_error *error)
{
    berth_reader *reader = make_reader(apply_defaults, NULL);
    size_t len = strlen(text);
    char *exact = malloc(len > 0 ? len : 1);
    assert_non_null(exact);
    memcpy(exact, text, len);
    berth_status status =
        berth_reader_text(reader, (berth_str){exact, (uint32_t)len}, "test", collect, what, error);
    free(exact);
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, NULL, collect, what, error);
    berth_reader_destroy(reader);
    return status;
}

__attribute__((unused)) static void expect_objects(const char *text, bool apply_defaults,
                                                   bool *what, const char *expected)
{
    berth_error error;
    char shown[1200];
    if (read_all(text, apply_defaults, what, &error) != BERTH_OK) {
        berth_error_format(&error, shown, sizeof(shown));
        fail_msg("%s\n%s", shown, text);
    }
    assert_string_equal(got.text, expected);
}

__attribute__((unused)) static void expect_fault(const char *text, bool apply_defaults,
                                                 berth_status status, const char *expected)
{
    berth_error error;
    char shown[1200] = "";
    berth_status found = read_all(text, apply_defaults, &names_only, &error);
    if (found != BERTH_OK)
        berth_error_format(&error, shown, sizeof(shown));
    assert_string_equal(shown, expected);
    assert_int_equal(found, status);
    assert_int_equal(error.code, status);
    assert_int_equal(read_all(text, apply_defaults, &names_only, NULL), status);
}

#endif
