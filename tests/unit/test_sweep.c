/* Sweeps (model/sweep.h, store/storage_sweep.c): a text that a field of an object holds stays
 * unchanged whatever else is added and removed; when the objects are removed, everything kept for
 * them is free again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "assert_text.h"
#include "berth/branch.h"
#include "berth/read.h"
#include "berth/snapshot.h"
#include "columns/volume_use.h"
#include "counted_memory.h"
#include "model/sweep.h"
#include "small_cluster.h"
#include "store/storage.h"
#include "versions/engine_state.h"

enum { OWN_MAX = 256, FILLERS = 300 };

/* Texts, each of which is in one field only. */
static struct {
    char letters[OWN_MAX][16];
    uint32_t count;
} owned;

static berth_str own(void)
{
    assert_true(owned.count < OWN_MAX);
    char *at = owned.letters[owned.count];
    int len = snprintf(at, sizeof(owned.letters[0]), "own-%u", (unsigned)owned.count);
    owned.count++;
    return (berth_str){at, (uint32_t)len};
}

/* ---- the objects ---- */

typedef struct everything {
    berth_str strs[64];
    uint32_t str_count;
    berth_key_value pairs[64];
    uint32_t pair_count;
    berth_requirement requirements[64];
    uint32_t requirement_count;
    berth_label_selector selectors[16];
    uint32_t selector_count;
    berth_node_selector_term terms[8];
    berth_node_selector affinity[4];
    berth_preferred_node_term preferred;
    berth_pod_affinity_term pod_terms[4];
    berth_topology_spread spread;
    berth_topology_term topology;
    berth_object objects[64];
    uint32_t count;
    berth_namespace space;
    berth_storage_class storage_class, in_tree_class;
    berth_csi_driver driver;
    berth_csi_node csi_node;
    berth_csi_node_driver limit;
    berth_csi_storage_capacity capacity;
    berth_persistent_volume volumes[2];
    berth_persistent_volume_claim claim;
    berth_volume_attachment attachment;
    berth_service service;
    berth_controller controllers[3];
    berth_pod_disruption_budget budget;
    berth_pod_group group;
    berth_composite_pod_group composite;
    berth_node node, unlaid;
    berth_taint taint, unlaid_taint;
    berth_resource amounts[4];
    berth_image image;
    berth_pod pods[2];
    berth_container container;
    berth_resource requests[2];
    berth_port port;
    berth_owner owners[2];
    berth_toleration toleration, device_toleration;
    berth_volume pod_volumes[8];
    berth_pod_claim device;
    berth_cel_selector expression, class_expression;
    berth_device_class device_class;
    berth_device_taint_rule rule;
    berth_slice_attribute attribute;
    berth_slice_capacity room;
    berth_resource counter;
    berth_slice_counters shared, consumed;
    berth_taint device_taint;
    berth_slice_device slice_device;
    berth_resource_slice counters_slice, slice;
    berth_exact_request ask;
    berth_claim_request request;
    berth_claim_constraint constraint;
    berth_claim_consumer consumer;
    berth_condition condition;
    berth_allocated_device result;
    berth_allocated_status device_status;
    berth_claim_allocation allocation;
    berth_resource_claim device_claim;
} everything;

static berth_strs one(everything *e, berth_str text)
{
    e->strs[e->str_count] = text;
    return (berth_strs){&e->strs[e->str_count++], 1};
}

static berth_map pair(everything *e, berth_str key, berth_str value)
{
    e->pairs[e->pair_count] = (berth_key_value){key, value};
    return (berth_map){&e->pairs[e->pair_count++], 1};
}

static berth_requirements require(everything *e)
{
    e->requirements[e->requirement_count] = (berth_requirement){own(), text("In"), one(e, own())};
    return (berth_requirements){&e->requirements[e->requirement_count++], 1};
}

static const berth_label_selector *selector(everything *e)
{
    berth_label_selector *made = &e->selectors[e->selector_count++];
    made->match_labels = pair(e, own(), own());
    made->match_expressions = require(e);
    return made;
}

static berth_metadata named(berth_str space)
{
    return (berth_metadata){.name = own(), .namespace_name = space};
}

static void put(everything *e, berth_kind kind, const void *object)
{
    e->objects[e->count] = (berth_object){.kind = kind};
    e->objects[e->count++].as.any = object;
}

static void make_related(everything *e)
{
    e->space = (berth_namespace){.meta = {.name = own(), .labels = pair(e, own(), own())}};
    e->service = (berth_service){
        .meta = named(own()), .has_selector = true, .selector = pair(e, own(), own())};
    e->budget = (berth_pod_disruption_budget){.meta = named(own()), .selector = selector(e)};
    put(e, BERTH_KIND_NAMESPACE, &e->space);
    put(e, BERTH_KIND_SERVICE, &e->service);
    put(e, BERTH_KIND_POD_DISRUPTION_BUDGET, &e->budget);
    static const berth_kind kinds[] = {BERTH_KIND_REPLICATION_CONTROLLER, BERTH_KIND_REPLICA_SET,
                                       BERTH_KIND_STATEFUL_SET};
    for (uint32_t i = 0; i < 3; i++) {
        e->controllers[i] = (berth_controller){.meta = named(own()), .selector = selector(e)};
        put(e, kinds[i], &e->controllers[i]);
    }
    e->group =
        (berth_pod_group){.meta = named(own()), .topology_keys = one(e, own()), .parent = own()};
    e->composite = (berth_composite_pod_group){
        .meta = named(own()), .topology_keys = one(e, own()), .parent = own()};
    put(e, BERTH_KIND_POD_GROUP, &e->group);
    put(e, BERTH_KIND_COMPOSITE_POD_GROUP, &e->composite);
}

static const berth_node_selector *affinity(everything *e, uint32_t i)
{
    e->terms[i].match_expressions = require(e);
    e->affinity[i] = (berth_node_selector){&e->terms[i], 1};
    return &e->affinity[i];
}

static void make_volumes(everything *e)
{
    e->volumes[0] = (berth_persistent_volume){
        .meta = {.name = own(),
                 .labels = pair(e, text("topology.kubernetes.io/zone"), text("zone-c__zone-d"))},
        .access_modes = one(e, own()),
        .storage_class = own(),
        .volume_attributes_class = own(),
        .has_claim_ref = true,
        .claim_namespace = own(),
        .claim_name = own(),
        .claim_uid = own(),
        .node_affinity = affinity(e, 0),
        .source = {.kind = BERTH_VOLUME_CSI, .driver = own(), .handle = own()}};
    /* An in-tree volume: its zones are translated. */
    e->volumes[1] =
        (berth_persistent_volume){.meta = {.name = own(),
                                           .labels = pair(e, text("topology.kubernetes.io/zone"),
                                                          text("a-east-1__a-east-2"))},
                                  .source = {.kind = BERTH_VOLUME_AWS_EBS, .handle = own()}};
    e->claim = (berth_persistent_volume_claim){.meta = named(own()),
                                               .access_modes = one(e, own()),
                                               .storage_class = own(),
                                               .volume_name = own(),
                                               .volume_attributes_class = own(),
                                               .selector = selector(e)};
    e->claim.meta.uid = own();
    e->claim.meta.annotations = pair(e, text("volume.kubernetes.io/selected-node"), own());
    e->owners[0] = (berth_owner){
        .api_version = own(), .kind = own(), .name = own(), .uid = own(), .controller = true};
    e->claim.meta.owners = &e->owners[0];
    e->claim.meta.owner_count = 1;
    put(e, BERTH_KIND_PERSISTENT_VOLUME, &e->volumes[0]);
    put(e, BERTH_KIND_PERSISTENT_VOLUME, &e->volumes[1]);
    put(e, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, &e->claim);
}

static void make_drivers(everything *e)
{
    e->topology.expressions = require(e);
    e->storage_class = (berth_storage_class){.meta = {.name = own()},
                                             .provisioner = own(),
                                             .allowed_topologies = &e->topology,
                                             .allowed_topology_count = 1};
    e->in_tree_class = (berth_storage_class){.meta = {.name = own()},
                                             .provisioner = text("kubernetes.io/aws-ebs")};
    put(e, BERTH_KIND_STORAGE_CLASS, &e->in_tree_class);
    e->driver.meta.name = own();
    e->limit =
        (berth_csi_node_driver){.name = own(), .node_id = own(), .has_count = true, .count = 3};
    e->csi_node =
        (berth_csi_node){.meta = {.name = own()}, .drivers = &e->limit, .driver_count = 1};
    e->capacity = (berth_csi_storage_capacity){.meta = named(own()),
                                               .storage_class = own(),
                                               .node_topology = selector(e),
                                               .has_capacity = true,
                                               .capacity = {1, 0}};
    e->attachment = (berth_volume_attachment){
        .meta = {.name = own()}, .attacher = own(), .node_name = own(), .persistent_volume = own()};
    put(e, BERTH_KIND_STORAGE_CLASS, &e->storage_class);
    put(e, BERTH_KIND_CSI_DRIVER, &e->driver);
    put(e, BERTH_KIND_CSI_NODE, &e->csi_node);
    put(e, BERTH_KIND_CSI_STORAGE_CAPACITY, &e->capacity);
    put(e, BERTH_KIND_VOLUME_ATTACHMENT, &e->attachment);
}

static void make_node(everything *e)
{
    berth_key_value *labels = &e->pairs[e->pair_count];
    e->pair_count += 3;
    labels[0] = (berth_key_value){own(), own()};
    labels[1] = (berth_key_value){text("topology.kubernetes.io/zone"), own()};
    labels[2] = (berth_key_value){text("failure-domain.beta.kubernetes.io/zone"), own()};
    e->taint = (berth_taint){.key = own(), .value = own(), .effect = own()};
    e->amounts[0] = (berth_resource){text("cpu"), {64, 0}};
    e->amounts[1] = (berth_resource){text("pods"), {10, 0}};
    e->amounts[2] = (berth_resource){text("example.com/own"), {5, 0}};
    e->image = (berth_image){.names = one(e, own()), .size_bytes = 1};
    e->node = (berth_node){.meta = {.name = own(), .labels = {labels, 3}},
                           .taints = &e->taint,
                           .taint_count = 1,
                           .allocatable = {e->amounts, 3},
                           .images = &e->image,
                           .image_count = 1};
    e->node.meta.annotations =
        pair(e, text("scheduler.alpha.kubernetes.io/preferAvoidPods"), own());
    put(e, BERTH_KIND_NODE, &e->node);
}

static void make_slices(everything *e)
{
    e->expression = (berth_cel_selector){.has_cel = true, .expression = text("'own' == 'OWN'")};
    e->class_expression =
        (berth_cel_selector){.has_cel = true, .expression = text("'class' == 'CLASS'")};
    e->device_class = (berth_device_class){.meta = {.name = own()},
                                           .selectors = &e->class_expression,
                                           .selector_count = 1,
                                           .extended_resource = own()};
    e->rule = (berth_device_taint_rule){
        .meta = {.name = own()},
        .has_selector = true,
        .driver = own(),
        .pool = own(),
        .device = own(),
        .taint = {.key = own(), .value = own(), .effect = text("NoSchedule")}};
    e->counter = (berth_resource){own(), {1, 0}};
    e->shared = (berth_slice_counters){.name = own(), .counters = {&e->counter, 1}};
    e->counters_slice = (berth_resource_slice){.meta = {.name = own()},
                                               .driver = own(),
                                               .pool = own(),
                                               .node_name = own(),
                                               .shared_counters = &e->shared,
                                               .shared_counter_count = 1};
    e->consumed = (berth_slice_counters){.name = own(), .counters = {&e->counter, 1}};
    e->attribute =
        (berth_slice_attribute){.name = own(), .kind = BERTH_ATTRIBUTE_STRING, .text = own()};
    e->room = (berth_slice_capacity){.name = own(), .value = {1, 0}};
    e->device_taint = (berth_taint){.key = own(), .value = own(), .effect = text("NoSchedule")};
    e->slice_device = (berth_slice_device){.name = own(),
                                           .attributes = &e->attribute,
                                           .attribute_count = 1,
                                           .capacities = &e->room,
                                           .capacity_count = 1,
                                           .consumes_counters = &e->consumed,
                                           .consumes_counter_count = 1,
                                           .node_selector = affinity(e, 2),
                                           .taints = &e->device_taint,
                                           .taint_count = 1,
                                           .binding_conditions = one(e, own()),
                                           .binding_failure_conditions = one(e, own())};
    e->slice = (berth_resource_slice){.meta = {.name = own()},
                                      .driver = own(),
                                      .pool = own(),
                                      .per_device_node_selection = true,
                                      .devices = &e->slice_device,
                                      .device_count = 1};
    put(e, BERTH_KIND_DEVICE_CLASS, &e->device_class);
    put(e, BERTH_KIND_DEVICE_TAINT_RULE, &e->rule);
    put(e, BERTH_KIND_RESOURCE_SLICE, &e->counters_slice);
    put(e, BERTH_KIND_RESOURCE_SLICE, &e->slice);
}

static void make_device_claim(everything *e)
{
    e->device_toleration.key = own();
    e->ask = (berth_exact_request){.class_name = own(),
                                   .selectors = &e->expression,
                                   .selector_count = 1,
                                   .allocation_mode = own(),
                                   .tolerations = &e->device_toleration,
                                   .toleration_count = 1,
                                   .capacity = {&e->counter, 1}};
    e->request = (berth_claim_request){.name = own(), .exactly = &e->ask};
    e->constraint = (berth_claim_constraint){.requests = one(e, own()), .match_attribute = own()};
    e->result = (berth_allocated_device){.request = own(),
                                         .driver = own(),
                                         .pool = own(),
                                         .device = own(),
                                         .binding_conditions = one(e, own()),
                                         .binding_failure_conditions = one(e, own()),
                                         .share_id = own(),
                                         .consumed_capacity = {&e->counter, 1}};
    e->allocation = (berth_claim_allocation){
        .results = &e->result, .result_count = 1, .node_selector = affinity(e, 3)};
    e->consumer = (berth_claim_consumer){.resource = text("pods"), .name = own(), .uid = own()};
    e->condition = (berth_condition){.type = own(), .status = text("True")};
    e->device_status = (berth_allocated_status){.driver = own(),
                                                .pool = own(),
                                                .device = own(),
                                                .conditions = &e->condition,
                                                .condition_count = 1};
    e->device_claim = (berth_resource_claim){.meta = named(own()),
                                             .requests = &e->request,
                                             .request_count = 1,
                                             .constraints = &e->constraint,
                                             .constraint_count = 1,
                                             .allocation = &e->allocation,
                                             .reserved_for = &e->consumer,
                                             .reserved_for_count = 1,
                                             .devices = &e->device_status,
                                             .device_count = 1};
    put(e, BERTH_KIND_RESOURCE_CLAIM, &e->device_claim);
}

/* A node that is not in the layout yet, in a zone by its topology.kubernetes.io labels only. */
static void make_unlaid_node(everything *e)
{
    berth_key_value *labels = &e->pairs[e->pair_count];
    e->pair_count += 2;
    labels[0] = (berth_key_value){text("topology.kubernetes.io/region"), own()};
    labels[1] = (berth_key_value){text("topology.kubernetes.io/zone"), own()};
    e->unlaid_taint = (berth_taint){.key = own(), .value = own(), .effect = own()};
    e->unlaid = (berth_node){.meta = {.name = own(), .labels = {labels, 2}},
                             .taints = &e->unlaid_taint,
                             .taint_count = 1};
    put(e, BERTH_KIND_NODE, &e->unlaid);
}

static void make_pod_terms(everything *e, berth_pod *pod)
{
    for (uint32_t i = 0; i < 4; i++)
        e->pod_terms[i] = (berth_pod_affinity_term){.label_selector = selector(e),
                                                    .namespaces = one(e, own()),
                                                    .topology_key = own(),
                                                    .weight = 1};
    e->pod_terms[0].namespace_selector = selector(e);
    pod->pod_affinity = (berth_pod_affinity){true, &e->pod_terms[0], 1, &e->pod_terms[1], 1};
    pod->pod_anti_affinity = (berth_pod_affinity){true, &e->pod_terms[2], 1, &e->pod_terms[3], 1};
    e->spread = (berth_topology_spread){.max_skew = 1,
                                        .topology_key = own(),
                                        .when_unsatisfiable = text("ScheduleAnyway"),
                                        .label_selector = selector(e)};
    pod->spreads = &e->spread;
    pod->spread_count = 1;
    e->preferred.weight = 1;
    e->preferred.preference.match_expressions = require(e);
    pod->node_affinity.required = affinity(e, 1);
    pod->node_affinity.preferred = &e->preferred;
    pod->node_affinity.preferred_count = 1;
    e->terms[1].match_fields = (berth_requirements){&e->requirements[e->requirement_count++], 1};
    e->requirements[e->requirement_count - 1] =
        (berth_requirement){text("metadata.name"), text("In"), one(e, own())};
}

static void make_pod_volumes(everything *e, berth_pod *pod)
{
    const berth_volume volumes[] = {
        {.name = own(), .source = {.kind = BERTH_VOLUME_CLAIM, .handle = own()}},
        {.name = text("v"), .source = {.kind = BERTH_VOLUME_EPHEMERAL}},
        {.name = own(), .source = {.kind = BERTH_VOLUME_GCE_PD, .handle = own()}},
        {.name = own(), .source = {.kind = BERTH_VOLUME_ISCSI, .handle = own()}},
        {.name = own(), .source = {.kind = BERTH_VOLUME_RBD, .handle = own(), .pool = own()}},
        {.name = own(),
         .source =
             {.kind = BERTH_VOLUME_AZURE_DISK, .handle = own(), .uri = own(), .disk_kind = own()}},
    };
    memcpy(e->pod_volumes, volumes, sizeof(volumes));
    e->pod_volumes[4].source.monitors = one(e, own());
    pod->volumes = e->pod_volumes;
    pod->volume_count = sizeof(volumes) / sizeof(*volumes);
}

/* Make a pod on the node, with disks, and a pod that waits for a gate and for its devices. */
static void make_pods(everything *e)
{
    berth_pod *pod = &e->pods[0];
    e->port =
        (berth_port){.host_ip = own(), .protocol = own(), .host_port = 80, .container_port = 80};
    e->requests[0] = (berth_resource){text("example.com/asked"), {1, 0}};
    e->container = (berth_container){
        .image = own(), .requests = {e->requests, 1}, .ports = &e->port, .port_count = 1};
    e->owners[1] = (berth_owner){
        .api_version = own(), .kind = own(), .name = own(), .uid = own(), .controller = true};
    e->toleration =
        (berth_toleration){.key = own(), .op = text("Equal"), .value = own(), .effect = own()};
    pod->meta = (berth_metadata){.name = own(),
                                 .namespace_name = own(),
                                 .uid = own(),
                                 .labels = pair(e, own(), own()),
                                 .owners = &e->owners[1],
                                 .owner_count = 1};
    pod->node_name = e->node.meta.name;
    pod->scheduler_name = own();
    pod->node_selector = pair(e, own(), own());
    pod->tolerations = &e->toleration;
    pod->toleration_count = 1;
    pod->containers = &e->container;
    pod->container_count = 1;
    make_pod_terms(e, pod);
    make_pod_volumes(e, pod);
    e->device = (berth_pod_claim){.name = text("device"), .claim_template = text("t")};
    e->pods[1] = (berth_pod){.meta = {.name = own(), .namespace_name = own()},
                             .scheduling_gates = one(e, own()),
                             .volumes = &e->pod_volumes[1], /* named after the pod */
                             .volume_count = 1,
                             .resource_claims = &e->device,
                             .resource_claim_count = 1};
    put(e, BERTH_KIND_POD, &e->pods[0]);
    put(e, BERTH_KIND_POD, &e->pods[1]);
}

/* ---- what the engine holds ---- */

typedef struct held {
    berth__sym id;
    char letters[128];
    uint32_t len;
} held;

/* Lists all texts that came with objects. */
static uint32_t list_held(const berth__model *model, held *out, uint32_t most)
{
    uint32_t count = 0;
    for (berth__sym id = model->kept_texts; id < model->strings.count; id++) {
        berth_str text = berth__text(model, id);
        if (text.data == NULL || text.len >= sizeof(out->letters) ||
            memmem(text.data, text.len, "filler-", 7) != NULL)
            continue;
        assert_true(count < most);
        out[count] = (held){.id = id, .len = text.len};
        memcpy(out[count++].letters, text.data, text.len);
    }
    return count;
}

static void fill(berth_engine *engine, uint32_t from)
{
    for (uint32_t i = from; i < from + FILLERS; i++) {
        char name[32];
        int len = snprintf(name, sizeof(name), "filler-%u", (unsigned)i);
        const berth_namespace space = {.meta = {.name = {name, (uint32_t)len}}};
        const berth_object object = {.kind = BERTH_KIND_NAMESPACE, .as.namespace_object = &space};
        assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
        if (i % 2 == 0)
            assert_int_equal(berth_engine_remove(engine, BERTH_KIND_NAMESPACE, (berth_str){0},
                                                 space.meta.name, NULL),
                             BERTH_OK);
    }
}

/* Renews the layout and with it the volumes of pods on nodes. */
static void lay_out(berth_engine *engine)
{
    berth_node_id order[4];
    uint32_t count;
    assert_int_equal(berth_engine_node_order(engine, order, 4, &count, NULL), BERTH_OK);
}

static void add_from(berth_engine *engine, const everything *e, uint32_t first)
{
    for (uint32_t i = first; i < e->count; i++) {
        berth_error error = {0};
        if (berth_engine_add(engine, &e->objects[i], NULL, &error) != BERTH_OK)
            fail_msg("object %u: %s %s", (unsigned)i, error.message, error.field);
    }
}

static counted pieces; /* of the engine that make_small has made */

static berth_engine *make_small(void)
{
    static const berth_allocator allocator = {&pieces, counted_allocate, counted_release};
    berth_engine_config config;
    berth_engine *engine;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.feature_gates =
        text("GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true");
    config.allocator = &allocator;
    berth__sweep_always = false;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    return engine;
}

static berth_engine *make(everything *e)
{
    berth_engine *engine = make_small();
    owned.count = 0;
    memset(e, 0, sizeof(*e));
    make_related(e);
    make_volumes(e);
    make_drivers(e);
    make_node(e);
    make_slices(e);
    make_device_claim(e);
    make_pods(e);
    add_from(engine, e, 0);
    lay_out(engine);
    uint32_t laid = e->count;
    make_unlaid_node(e);
    add_from(engine, e, laid);
    return engine;
}

static void begin_sweeps(berth_engine *engine)
{
    berth__sweep_always = true;
    engine->cluster.model->sweep_at = 0;
    engine->cluster.view.storage->sweep_at = 0;
}

/* The texts are unchanged after others were added and removed. */
static void expect_held(berth_engine *engine, const held *texts, uint32_t count)
{
    fill(engine, 0);
    for (uint32_t i = 0; i < count; i++) {
        berth_str now = berth__text(engine->cluster.model, texts[i].id);
        if (now.data == NULL || now.len != texts[i].len ||
            memcmp(now.data, texts[i].letters, now.len) != 0)
            fail_msg("text %u was %.*s, and is %.*s", (unsigned)texts[i].id, (int)texts[i].len,
                     texts[i].letters, now.data != NULL ? (int)now.len : 0,
                     now.data != NULL ? now.data : "");
    }
    assert_int_equal(berth_engine_check(engine, NULL), BERTH_OK);
}

static void test_held(void **state)
{
    static everything e;
    static held texts[2 * OWN_MAX];
    berth_engine *engine = make(&e);
    uint32_t count = list_held(engine->cluster.model, texts, 2 * OWN_MAX);
    (void)state;
    assert_true(count > owned.count - 12); /* all but pods' names and a few more */
    begin_sweeps(engine);
    expect_held(engine, texts, count);
    berth_engine_destroy(engine);
}

static void note_text(const berth__model *model, berth__sym id, held *out, uint32_t *count)
{
    berth_str text = berth__text(model, id);
    if (text.data == NULL || text.len == 0)
        return;
    out[*count] = (held){.id = id, .len = text.len};
    memcpy(out[*count].letters, text.data, text.len);
    ++*count;
}

/* Disks, and their texts, stay until a sweep finds that they are not needed. */
static void test_disks_outlive_pods(void **state)
{
    static everything e;
    static held texts[OWN_MAX];
    berth_engine *engine = make(&e);
    const berth__model *model = engine->cluster.model;
    const berth__storage *storage = engine->cluster.view.storage;
    uint32_t count = 0;
    (void)state;
    assert_int_equal(storage->disk_count, 4);
    for (uint32_t i = 0; i < storage->disk_count; i++) {
        const berth__disk *disk = storage->disk_list[i];
        note_text(model, disk->volume.handle, texts, &count);
        note_text(model, disk->volume.pool, texts, &count);
        note_text(model, disk->volume.uri, texts, &count);
        note_text(model, disk->volume.disk_kind, texts, &count);
        note_text(model, (berth__sym)disk->attachment, texts, &count);
        for (uint32_t k = 0; k < disk->volume.monitor_count; k++)
            note_text(model, disk->volume.monitors[k], texts, &count);
    }
    assert_true(count >= 8);
    begin_sweeps(engine);
    engine->cluster.view.storage->sweep_at = UINT32_MAX;
    const berth_metadata *pod = &e.pods[0].meta;
    assert_int_equal(
        berth_engine_remove(engine, BERTH_KIND_POD, pod->namespace_name, pod->name, NULL),
        BERTH_OK);
    expect_held(engine, texts, count);
    berth_engine_destroy(engine);
}

/* The slot of a removed node keeps its contents until the layout is renewed. */
static void test_slot_outlives_node(void **state)
{
    static everything e;
    berth_engine *engine = make(&e);
    const berth__layout *layout = engine->cluster.view.layout;
    (void)state;
    begin_sweeps(engine);
    assert_int_equal(layout->count, 1);
    assert_int_equal(
        berth_engine_remove(engine, BERTH_KIND_NODE, (berth_str){0}, e.node.meta.name, NULL),
        BERTH_OK);
    fill(engine, 0);
    const berth__taint_list *list = berth__taints_at(engine->cluster.model, layout->taints[0]);
    assert_non_null(list);
    assert_int_equal(list->count, 1);
    berth_engine_destroy(engine);
}

static void test_given_back(void **state)
{
    static everything e;
    static held texts[2 * OWN_MAX];
    berth_engine *engine = make(&e);
    const berth__model *model = engine->cluster.model;
    const berth__storage *storage = engine->cluster.view.storage;
    (void)state;
    assert_true(storage->in_use >= 16); /* objects, the names they refer to, and disks */
    assert_int_equal(model->resources_named, BERTH__SCALARS + 2);
    begin_sweeps(engine);
    for (uint32_t i = e.count; i-- > 0;) {
        const berth_metadata *meta = e.objects[i].as.any;
        assert_int_equal(
            berth_engine_remove(engine, e.objects[i].kind, meta->namespace_name, meta->name, NULL),
            BERTH_OK);
    }
    lay_out(engine);
    fill(engine, 0);
    /* Node ids are only swept when none is free, so one of the two may remain, with its name. */
    assert_true(list_held(model, texts, 2 * OWN_MAX) <= 1);
    assert_true(texts[0].len == e.node.meta.name.len &&
                memcmp(texts[0].letters, e.node.meta.name.data, texts[0].len) == 0);
    assert_int_equal(storage->in_use, 0);
    assert_int_equal(storage->free_disk_count, storage->disk_count);
    assert_int_equal(model->resources_named, BERTH__SCALARS);
    assert_int_equal(model->taint_lists.count, 1);
    assert_int_equal(model->free_taint_count, 2);
    assert_int_equal(berth_engine_check(engine, NULL), BERTH_OK);
    berth_engine_destroy(engine);
}

/* ---- reused records ---- */

static void put_csi_node(berth_engine *engine, const char *name, bool add)
{
    const berth_csi_node node = {.meta = {.name = text(name)}};
    const berth_object object = {.kind = BERTH_KIND_CSI_NODE, .as.csi_node = &node};
    assert_int_equal(
        add ? berth_engine_add(engine, &object, NULL, NULL)
            : berth_engine_remove(engine, object.kind, (berth_str){0}, node.meta.name, NULL),
        BERTH_OK);
}

/* The record that limits the node's volumes, by name, or NULL; checks the engine first. */
static const char *record_of(berth_engine *engine, const char *name)
{
    assert_int_equal(berth_engine_check(engine, NULL), BERTH_OK);
    const berth__node_volumes *volumes = berth__volume_use_of(
        engine->cluster.view.volume_use, berth_engine_find_node(engine, text(name)));
    return volumes == NULL || volumes->record == NULL
               ? NULL
               : berth__text(engine->cluster.model, volumes->record->record.key.name).data;
}

/* The record of a CSINode stays its node's while the node refers to it; then it may be reused. */
static void test_records_of_nodes(void **state)
{
    berth_engine *engine = make_small();
    small_node storage;
    berth_object object;
    (void)state;
    small_node_object(&storage, &object, "here", NULL);
    assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    lay_out(engine);
    begin_sweeps(engine);
    put_csi_node(engine, "elsewhere", true);
    assert_null(record_of(engine, "here"));
    put_csi_node(engine, "elsewhere", false);
    fill(engine, 0);
    assert_int_equal(engine->cluster.view.storage->in_use, 0);
    put_csi_node(engine, "here", true);
    assert_int_equal(engine->cluster.view.storage->nodes.count, 1);
    assert_string_equal(record_of(engine, "here"), "here");
    put_csi_node(engine, "here", false);
    fill(engine, FILLERS);
    put_csi_node(engine, "elsewhere", true);
    assert_int_equal(engine->cluster.view.storage->nodes.count, 2);
    assert_string_equal(record_of(engine, "here"), "here");
    berth_engine_destroy(engine);
}

/* ---- columns ---- */

enum { MANY = 600 };

/* A record that snapshots have shown leaves its row, which is cleared for the next record. */
static void test_rows_of_records(void **state)
{
    berth_engine *engine = make_small();
    const berth__storage *storage = engine->cluster.view.storage;
    (void)state;
    for (int round = 0; round < 3; round++) {
        put_csi_node(engine, "elsewhere", true);
        assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
        begin_sweeps(engine);
        put_csi_node(engine, "elsewhere", false);
        fill(engine, (uint32_t)round * FILLERS);
        assert_int_equal(storage->in_use, 0);
        assert_int_equal(storage->gone_count, 1);
        assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
        assert_int_equal(storage->gone_count, 0);
    }
    berth_engine_destroy(engine);
}

/* Adds a pod that requests `count` resources. There are too few columns for the resources of two
 * such pods. */
static void put_asking(berth_engine *engine, const char *name, uint32_t count)
{
    static char letters[MANY][40];
    static berth_resource asked[MANY];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(letters[i], sizeof(letters[i]), "example.com/%s-%u", name, (unsigned)i);
        asked[i] = (berth_resource){text(letters[i]), {1, 0}};
    }
    const berth_container container = {.requests = {asked, count}};
    const berth_pod pod = {
        .meta = {.name = text(name)}, .containers = &container, .container_count = 1};
    berth_error error = {0};
    if (berth_engine_add_pod(engine, &pod, NULL, &error) != BERTH_OK)
        fail_msg("%s: %s", name, error.message);
}

static void remove_pod(berth_engine *engine, const char *name)
{
    assert_int_equal(berth_engine_remove(engine, BERTH_KIND_POD, text("default"), text(name), NULL),
                     BERTH_OK);
}

/* Before a new resource is refused, a sweep frees those that are not needed. */
static void test_columns_run_short(void **state)
{
    berth_engine *engine = make_small();
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        char name[8];
        snprintf(name, sizeof(name), "p%u", (unsigned)i);
        put_asking(engine, name, MANY);
        remove_pod(engine, name);
    }
    assert_true(engine->cluster.model->resource_count <= BERTH__RESOURCES_MAX);
    berth_engine_destroy(engine);
}

/* A branch of an older snapshot may use a resource that the engine named later; its column stays
 * valid. */
static void test_branch_finds_column(void **state)
{
    berth_engine *engine = make_small(), *branch;
    small_node storage;
    berth_object object;
    int64_t allocatable, requested;
    (void)state;
    assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    assert_int_equal(berth_branch_create(snapshot, &branch, NULL), BERTH_OK);
    put_asking(engine, "p", 1);
    small_node_object(&storage, &object, "n", NULL);
    storage.allocatable[2] = (berth_resource){text("example.com/p-0"), {4, 0}};
    assert_int_equal(berth_engine_add(branch, &object, NULL, NULL), BERTH_OK);
    begin_sweeps(engine);
    remove_pod(engine, "p");
    fill(engine, 0);
    put_asking(engine, "q", 1);
    berth_node_id node = berth_engine_find_node(branch, text("n"));
    assert_int_equal(berth_engine_node_resource(branch, node, text("example.com/p-0"), &allocatable,
                                                &requested, NULL),
                     BERTH_OK);
    assert_int_equal(allocatable, 4);
    berth_branch_drop(branch);
    berth_snapshot_unpin(snapshot);
    berth_engine_destroy(engine);
}

/* A branch lists the resources of its snapshot first, even if a new one has an earlier column that
 * was free. */
static void test_branch_lists_resources(void **state)
{
    static const char *const names[] = {"cpu", "memory", "ephemeral-storage", "example.com/b-0",
                                        "example.com/c-0"};
    berth_engine *engine = make_small(), *branch;
    berth_str listed[8];
    (void)state;
    put_asking(engine, "a", 1);
    put_asking(engine, "b", 1);
    begin_sweeps(engine);
    remove_pod(engine, "a");
    fill(engine, 0);
    assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    assert_int_equal(berth_branch_create(snapshot, &branch, NULL), BERTH_OK);
    put_asking(branch, "c", 1);
    assert_int_equal(berth_engine_resource_names(branch, listed, 8), 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_text(listed[i], names[i]);
    berth_branch_drop(branch);
    berth_snapshot_unpin(snapshot);
    berth_engine_destroy(engine);
}

/* Nodes with ever new names take no more ids than one sweep frees. */
static void test_node_ids_are_given_again(void **state)
{
    (void)state;
    berth_engine *engine;
    assert_int_equal(berth_engine_create(NULL, &engine, NULL), BERTH_OK);
    for (int i = 0; i < 4000; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%d", i);
        const berth_node node = {.meta.name = text(name)};
        assert_int_equal(berth_engine_add_node(engine, &node, NULL, NULL), BERTH_OK);
        assert_int_equal(
            berth_engine_remove(engine, BERTH_KIND_NODE, (berth_str){0}, node.meta.name, NULL),
            BERTH_OK);
    }
    assert_true(engine->cluster.node_count <= BERTH__NODE_SWEEP_MIN + 1);
    assert_int_equal(berth_engine_check(engine, NULL), BERTH_OK);
    berth_engine_destroy(engine);
}

static void put_node(berth_engine *engine, const char *name)
{
    const berth_node node = {.meta.name = text(name)};
    assert_int_equal(berth_engine_add_node(engine, &node, NULL, NULL), BERTH_OK);
}

/* Give the node a label with this value; NULL: none. */
static void label_node(berth_engine *engine, const char *value)
{
    const berth_key_value label = {text("key"), text(value != NULL ? value : "")};
    const berth_node node = {
        .meta = {.name = text("node"), .labels = {&label, value != NULL ? 1 : 0}}};
    const berth_object object = {.kind = BERTH_KIND_NODE, .as.node = &node};
    assert_int_equal(berth_engine_update(engine, &object, NULL), BERTH_OK);
}

static berth_snapshot *snapshot_of(berth_engine *engine)
{
    assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
    return berth_engine_pin(engine);
}

/* A text that waits for the end of a snapshot to be removed, and is met again in between, stays as
 * long as a later snapshot has it. */
static void test_text_that_comes_back(void **state)
{
    (void)state;
    berth_engine *engine = make_small();
    put_node(engine, "node");
    label_node(engine, "tee");
    berth_snapshot *early = snapshot_of(engine);
    begin_sweeps(engine);
    label_node(engine, NULL);
    fill(engine, 0);
    berth__sweep_always = false; /* no sweep sees it in use */
    engine->cluster.model->sweep_at = UINT32_MAX;
    label_node(engine, "tee");
    berth_snapshot *late = snapshot_of(engine);
    label_node(engine, NULL);
    begin_sweeps(engine);
    berth_snapshot_unpin(early);
    for (uint32_t i = 0; i < 3; i++) {
        berth_snapshot_unpin(snapshot_of(engine));
        fill(engine, (i + 1) * FILLERS);
    }
    const berth_str value =
        berth_snapshot_node_label(late, berth_snapshot_find_node(late, text("node")), text("key"));
    assert_int_equal(value.len, 3);
    assert_memory_equal(value.data, "tee", 3);
    assert_int_equal(berth_snapshot_check(late, NULL), BERTH_OK);
    berth_snapshot_unpin(late);
    berth_engine_destroy(engine);
}

/* A removed node keeps its id while a pod is nominated for it. */
static void test_id_of_nominated_node(void **state)
{
    (void)state;
    berth_engine *engine = make_small();
    put_node(engine, "named");
    const berth_node_id named = berth_engine_find_node(engine, text("named"));
    const berth_pod pod = {.meta.name = text("p"), .nominated_node_name = text("named")};
    assert_int_equal(berth_engine_add_pod(engine, &pod, NULL, NULL), BERTH_OK);
    assert_int_equal(
        berth_engine_remove(engine, BERTH_KIND_NODE, (berth_str){0}, text("named"), NULL),
        BERTH_OK);
    for (int i = 0; i < 2 * BERTH__NODE_SWEEP_MIN; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%d", i);
        put_node(engine, name);
        assert_int_equal(
            berth_engine_remove(engine, BERTH_KIND_NODE, (berth_str){0}, text(name), NULL),
            BERTH_OK);
    }
    put_node(engine, "named");
    assert_int_equal(berth_engine_find_node(engine, text("named")), named);
    berth_engine_destroy(engine);
}

/* While nodes only come, they are swept each time their number has doubled. */
static void test_sweeps_of_many_nodes(void **state)
{
    (void)state;
    berth_engine *engine = make_small();
    for (int i = 0; i < 3 * BERTH__NODE_SWEEP_MIN; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%d", i);
        put_node(engine, name);
    }
    assert_int_equal(engine->cluster.node_sweep_at, 4 * BERTH__NODE_SWEEP_MIN);
    berth_engine_destroy(engine);
}

/* A sweep that gets no memory leaves everything as it is; a later one frees what the first could
 * not. */
static void test_no_memory(void **state)
{
    (void)state;
    berth_engine *engine = make_small();
    begin_sweeps(engine);
    const uint32_t before = engine->cluster.model->strings.in_use;
    for (unsigned fail = 0; fail < 6; fail++)
        for (int i = 0; i < 20; i++) {
            char name[16];
            snprintf(name, sizeof(name), "n%u-%d", fail, i);
            const berth_node node = {.meta.name = text(name)};
            assert_int_equal(berth_engine_add_node(engine, &node, NULL, NULL), BERTH_OK);
            atomic_store(&pieces.fail_at, fail > 0 ? atomic_load(&pieces.calls) + fail : 0);
            berth_status status =
                berth_engine_remove(engine, BERTH_KIND_NODE, (berth_str){0}, node.meta.name, NULL);
            assert_true(status == BERTH_OK || status == BERTH_E_NOMEM);
            atomic_store(&pieces.fail_at, 0);
            if (status != BERTH_OK)
                assert_int_equal(berth_engine_remove(engine, BERTH_KIND_NODE, (berth_str){0},
                                                     node.meta.name, NULL),
                                 BERTH_OK);
            assert_int_equal(berth_engine_check(engine, NULL), BERTH_OK);
        }
    const berth_node last = {.meta.name = text("last")};
    assert_int_equal(berth_engine_add_node(engine, &last, NULL, NULL), BERTH_OK);
    assert_true(engine->cluster.model->strings.in_use < before + 60);
    berth_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_text_that_comes_back),
        cmocka_unit_test(test_id_of_nominated_node),
        cmocka_unit_test(test_sweeps_of_many_nodes),
        cmocka_unit_test(test_disks_outlive_pods),
        cmocka_unit_test(test_slot_outlives_node),
        cmocka_unit_test(test_given_back),
        cmocka_unit_test(test_records_of_nodes),
        cmocka_unit_test(test_rows_of_records),
        cmocka_unit_test(test_columns_run_short),
        cmocka_unit_test(test_node_ids_are_given_again),
        cmocka_unit_test(test_branch_finds_column),
        cmocka_unit_test(test_branch_lists_resources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
