/* Makes pods and nodes with their own texts, from a number. */
#include "churn_objects.h"

#include <stdio.h>
#include <string.h>

const char *const churn_names[CHURN_FEATURE_COUNT] = {
#define X(name, text) [CHURN_##name] = text,
    CHURN_FEATURES(X)
#undef X
};

/* The texts of one object, valid while it is passed on. */
enum { TEXTS = 48, TEXT_BYTES = 64 };

typedef struct texts {
    char memory[TEXTS][TEXT_BYTES];
    uint32_t count;
    uint64_t number;
} texts;

/* Returns "WHAT-NUMBER", or "WHAT" if the object has no own text. */
static berth_str own(texts *t, const char *what, bool is_own)
{
    char *at = t->memory[t->count++ % TEXTS];
    int len = is_own ? snprintf(at, TEXT_BYTES, "%s-%llu", what, (unsigned long long)t->number)
                     : snprintf(at, TEXT_BYTES, "%s", what);
    return (berth_str){at, (uint32_t)len};
}

static berth_str text(const char *from)
{
    return (berth_str){from, (uint32_t)strlen(from)};
}

static berth_str space_of(texts *t, uint32_t features)
{
    return own(t, "space", churn_has(features, CHURN_SPACES));
}

/* ---- objects around a pod ---- */

/* The kinds of the objects around a pod. */
static const berth_kind related_kinds[] = {BERTH_KIND_NAMESPACE, BERTH_KIND_SERVICE,
                                           BERTH_KIND_REPLICA_SET,
                                           BERTH_KIND_POD_DISRUPTION_BUDGET};
static const berth_kind csi_kinds[] = {BERTH_KIND_CSI_DRIVER, BERTH_KIND_CSI_STORAGE_CAPACITY,
                                       BERTH_KIND_VOLUME_ATTACHMENT};
static const berth_kind claim_kinds[] = {BERTH_KIND_STORAGE_CLASS, BERTH_KIND_PERSISTENT_VOLUME,
                                         BERTH_KIND_PERSISTENT_VOLUME_CLAIM};

typedef struct surroundings {
    berth_key_value label;
    berth_label_selector selector;
    berth_namespace space;
    berth_service service;
    berth_controller controller;
    berth_pod_disruption_budget budget;
    berth_storage_class storage;
    berth_persistent_volume volume;
    berth_persistent_volume_claim claim;
    berth_str mode;
    berth_str hosts[2];
    berth_requirement on_hosts;
    berth_node_selector_term term;
    berth_node_selector affinity;
    berth_csi_driver driver;
    berth_csi_storage_capacity capacity;
    berth_volume_attachment attachment;
} surroundings;

/* The name of a node that exists when the pod with this number arrives. */
static berth_str host_of(texts *t, uint32_t features)
{
    texts host = {.number = churn_has(features, CHURN_NODES)
                                ? t->number / CHURN_NODE_EVERY + CHURN_NODE_COUNT - 2
                                : t->number % CHURN_NODE_COUNT};
    berth_str name = own(&host, "node", true);
    char *at = t->memory[t->count++ % TEXTS];
    memcpy(at, name.data, name.len);
    return (berth_str){at, name.len};
}

/* A waiting claim, and the volume that only it can use, on some host. */
static void fill_waiting(surroundings *out, texts *t, uint32_t features)
{
    out->hosts[0] = host_of(t, features);
    out->hosts[1] = own(t, "host", true);
    out->on_hosts =
        (berth_requirement){text("kubernetes.io/hostname"), text("In"), {out->hosts, 2}};
    out->term.match_expressions.items = &out->on_hosts;
    out->term.match_expressions.count = 1;
    out->affinity = (berth_node_selector){&out->term, 1};
    out->volume.node_affinity = &out->affinity;
    out->volume.has_claim_ref = false;
    out->volume.phase = text("Available");
    out->claim.volume_name = (berth_str){0};
    out->claim.meta.annotations = (berth_map){0};
    out->claim.phase = text("Pending");
}

static void fill_csi(surroundings *out, texts *t, uint32_t features)
{
    berth_metadata wide = {.name = own(t, "csi", true)};
    out->driver = (berth_csi_driver){.meta = wide, .storage_capacity = true};
    out->capacity =
        (berth_csi_storage_capacity){.meta = {.name = wide.name, .namespace_name = text("storage")},
                                     .storage_class = own(t, "wide", true),
                                     .node_topology = &out->selector,
                                     .has_capacity = true,
                                     .capacity = {1 << 30, 0}};
    out->attachment = (berth_volume_attachment){.meta = {.name = own(t, "attachment", true)},
                                                .attacher = wide.name,
                                                .node_name = host_of(t, features),
                                                .persistent_volume = own(t, "wide", true)};
}

static void fill_surroundings(surroundings *out, texts *t, uint32_t features)
{
    *out = (surroundings){.label = {text("app"), own(t, "app", true)},
                          .mode = text("ReadWriteOncePod")};
    out->selector.match_labels = (berth_map){&out->label, 1};
    berth_metadata meta = {.name = own(t, "related", true),
                           .namespace_name = space_of(t, features)};
    berth_metadata wide = {.name = own(t, "wide", true)};
    out->space.meta = (berth_metadata){.name = space_of(t, features), .labels = {&out->label, 1}};
    out->service = (berth_service){meta, true, {&out->label, 1}};
    out->controller = (berth_controller){meta, &out->selector};
    out->budget = (berth_pod_disruption_budget){.meta = meta, .selector = &out->selector};
    out->storage = (berth_storage_class){.meta = wide,
                                         .provisioner = own(t, "csi", true),
                                         .binding_mode = text("WaitForFirstConsumer")};
    out->volume = (berth_persistent_volume){.meta = wide,
                                            .capacity = {1 << 30, 0},
                                            .access_modes = {&out->mode, 1},
                                            .storage_class = own(t, "wide", true),
                                            .has_claim_ref = true,
                                            .claim_namespace = meta.namespace_name,
                                            .claim_name = own(t, "claim", true),
                                            .source = {.kind = BERTH_VOLUME_CSI,
                                                       .handle = own(t, "handle", true),
                                                       .driver = own(t, "csi", true)},
                                            .phase = text("Bound")};
    out->claim = (berth_persistent_volume_claim){
        .meta = {.name = own(t, "claim", true), .namespace_name = meta.namespace_name},
        .access_modes = {&out->mode, 1},
        .storage_class = own(t, "wide", true),
        .volume_name = wide.name,
        .request = {1 << 20, 0},
        .phase = text("Bound")};
    static const berth_key_value completed[] = {
        {{"pv.kubernetes.io/bind-completed", 31}, {"yes", 3}}};
    out->claim.meta.annotations = (berth_map){completed, 1};
    if (churn_has(features, CHURN_WAITING))
        fill_waiting(out, t, features);
    fill_csi(out, t, features);
}

static berth_object object_of(const surroundings *from, berth_kind kind)
{
    berth_object object = {.kind = kind};
    switch (kind) {
    case BERTH_KIND_NAMESPACE:
        object.as.namespace_object = &from->space;
        break;
    case BERTH_KIND_SERVICE:
        object.as.service = &from->service;
        break;
    case BERTH_KIND_REPLICA_SET:
        object.as.replica_set = &from->controller;
        break;
    case BERTH_KIND_POD_DISRUPTION_BUDGET:
        object.as.pod_disruption_budget = &from->budget;
        break;
    case BERTH_KIND_STORAGE_CLASS:
        object.as.storage_class = &from->storage;
        break;
    case BERTH_KIND_PERSISTENT_VOLUME:
        object.as.persistent_volume = &from->volume;
        break;
    case BERTH_KIND_CSI_DRIVER:
        object.as.csi_driver = &from->driver;
        break;
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
        object.as.csi_storage_capacity = &from->capacity;
        break;
    case BERTH_KIND_VOLUME_ATTACHMENT:
        object.as.volume_attachment = &from->attachment;
        break;
    default:
        object.as.persistent_volume_claim = &from->claim;
        break;
    }
    return object;
}

static berth_status put_kinds(const churn_target *to, const berth_kind *kinds, size_t count,
                              uint32_t features, uint64_t number, bool add, berth_error *error)
{
    texts t = {.number = number};
    surroundings all;
    fill_surroundings(&all, &t, features);
    for (size_t i = 0; i < count; i++) {
        berth_object object = object_of(&all, kinds[i]);
        const berth_metadata *meta = object.as.any;
        if (kinds[i] == BERTH_KIND_NAMESPACE && !churn_has(features, CHURN_SPACES))
            continue;
        berth_status status =
            add ? to->add(to->context, &object, NULL, error)
                : to->remove(to->context, kinds[i], meta->namespace_name, meta->name, error);
        if (status != BERTH_OK)
            return status;
    }
    return BERTH_OK;
}

static bool has_claims(uint32_t features)
{
    return churn_has(features, CHURN_CLAIMS) || churn_has(features, CHURN_WAITING);
}

static berth_status put_surroundings(const churn_target *to, uint32_t features, uint64_t number,
                                     bool add, berth_error *error)
{
    berth_status status = BERTH_OK;
    if (to->pods_alone)
        return BERTH_OK;
    if (churn_has(features, CHURN_RELATED))
        status = put_kinds(to, related_kinds, sizeof(related_kinds) / sizeof(*related_kinds),
                           features, number, add, error);
    if (status == BERTH_OK && churn_has(features, CHURN_CSI))
        status = put_kinds(to, csi_kinds, sizeof(csi_kinds) / sizeof(*csi_kinds), features, number,
                           add, error);
    if (status == BERTH_OK && has_claims(features))
        status = put_kinds(to, claim_kinds, sizeof(claim_kinds) / sizeof(*claim_kinds), features,
                           number, add, error);
    return status;
}

/* ---- pods ---- */

typedef struct pod_parts {
    texts t;
    berth_pod pod;
    berth_key_value labels[3];
    berth_key_value node_selector;
    berth_resource requests[3];
    berth_container container;
    berth_port port;
    berth_owner owner;
    berth_label_selector selector;
    berth_key_value selected;
    berth_requirement requirement;
    berth_str value;
    berth_pod_affinity_term term;
    berth_topology_spread spread;
    berth_node_selector_term node_term;
    berth_requirement node_requirement;
    berth_str node_values[2];
    berth_preferred_node_term preferred;
    berth_toleration toleration;
    berth_volume volumes[3];
    berth_str gate;
} pod_parts;

static void fill_rules(pod_parts *p, uint32_t features)
{
    texts *t = &p->t;
    berth_str key =
        churn_has(features, CHURN_KEYS) ? own(t, "key", true) : text("topology.kubernetes.io/zone");
    p->selected = (berth_key_value){text("app"), own(t, "app", true)};
    p->value = own(t, "tier", true);
    p->requirement = (berth_requirement){own(t, "tier", true), text("NotIn"), {&p->value, 1}};
    p->selector.match_labels = (berth_map){&p->selected, 1};
    p->selector.match_expressions.items = &p->requirement;
    p->selector.match_expressions.count = 1;
    p->term = (berth_pod_affinity_term){
        .label_selector = &p->selector, .topology_key = key, .weight = 10};
    p->spread = (berth_topology_spread){
        .max_skew = 1,
        .topology_key = key,
        .when_unsatisfiable = text(t->number % 2 == 0 ? "ScheduleAnyway" : "DoNotSchedule"),
        .label_selector = &p->selector};
    if (churn_has(features, CHURN_KEYS))
        p->spread.when_unsatisfiable = text("ScheduleAnyway");
    if (churn_has(features, CHURN_TERMS)) {
        p->pod.pod_anti_affinity.present = true;
        if (t->number % 2 == 0) {
            p->pod.pod_anti_affinity.required = &p->term;
            p->pod.pod_anti_affinity.required_count = 1;
        } else {
            p->pod.pod_anti_affinity.preferred = &p->term;
            p->pod.pod_anti_affinity.preferred_count = 1;
        }
    }
    if (churn_has(features, CHURN_SPREADS) || churn_has(features, CHURN_KEYS)) {
        p->pod.spreads = &p->spread;
        p->pod.spread_count = 1;
    }
}

static void fill_selectors(pod_parts *p)
{
    texts *t = &p->t;
    p->node_values[0] = own(t, "value", true);
    p->node_requirement =
        (berth_requirement){own(t, "node-key", true), text("NotIn"), {p->node_values, 1}};
    p->node_term.match_expressions.items = &p->node_requirement;
    p->node_term.match_expressions.count = 1;
    p->preferred = (berth_preferred_node_term){10, p->node_term};
    p->pod.node_affinity.preferred = &p->preferred;
    p->pod.node_affinity.preferred_count = 1;
    p->toleration = (berth_toleration){.key = own(t, "taint", true), .op = text("Exists")};
    p->pod.tolerations = &p->toleration;
    p->pod.toleration_count = 1;
}

static void fill_volumes(pod_parts *p, uint32_t features)
{
    texts *t = &p->t;
    uint32_t count = 0;
    if (has_claims(features))
        p->volumes[count++] = (berth_volume){
            own(t, "data", true), {.kind = BERTH_VOLUME_CLAIM, .handle = own(t, "claim", true)}};
    if (churn_has(features, CHURN_VOLUMES)) {
        p->volumes[count++] = (berth_volume){
            own(t, "disk", true), {.kind = BERTH_VOLUME_GCE_PD, .handle = own(t, "disk", true)}};
        p->volumes[count++] = (berth_volume){own(t, "rbd", true),
                                             {.kind = BERTH_VOLUME_RBD,
                                              .handle = own(t, "image", true),
                                              .pool = own(t, "pool", true)}};
    }
    p->pod.volumes = p->volumes;
    p->pod.volume_count = count;
}

static void fill_container(pod_parts *p, uint32_t features)
{
    texts *t = &p->t;
    int64_t milli = churn_has(features, CHURN_AMOUNTS) ? (int64_t)(t->number % 1000000) : 0;
    p->requests[0] =
        (berth_resource){text("cpu"), {0, (int32_t)(10 * 1000000 + milli % 90 * 1000)}};
    p->requests[1] = (berth_resource){text("memory"), {(1 << 20) + milli, 0}};
    p->requests[2] = (berth_resource){text(""), {1, 0}};
    p->container.requests = (berth_resources){p->requests, 2};
    p->container.image = own(t, "registry/image", churn_has(features, CHURN_IMAGES));
    /* Each resource name makes a column of all nodes, so few pods have one. */
    if (churn_has(features, CHURN_RESOURCES) && t->number % CHURN_NODE_EVERY == 1) {
        p->requests[2] = (berth_resource){own(t, "example.com/device", true), {0, 0}};
        p->container.requests.count = 3;
    }
    if (churn_has(features, CHURN_PORTS)) {
        p->port = (berth_port){own(t, "10.0.0.1", true), own(t, "UDP", true),
                               (int32_t)(t->number % 60000) + 1, 80, NULL};
        p->container.ports = &p->port;
        p->container.port_count = 1;
    }
    p->pod.containers = &p->container;
    p->pod.container_count = 1;
}

static void fill_pod(pod_parts *p, uint32_t features, uint64_t number)
{
    memset(p, 0, sizeof(*p));
    texts *t = &p->t;
    t->number = number;
    p->pod.meta.name = own(t, "pod", true);
    p->pod.meta.namespace_name = space_of(t, features);
    p->labels[0] = (berth_key_value){text("app"), own(t, "app", churn_has(features, CHURN_LABELS))};
    p->labels[1] = (berth_key_value){own(t, "own", churn_has(features, CHURN_LABELS)), text("yes")};
    p->pod.meta.labels = (berth_map){p->labels, 2};
    fill_container(p, features);
    fill_volumes(p, features);
    if (churn_has(features, CHURN_SELECTORS))
        fill_selectors(p);
    fill_rules(p, features);
    if (churn_has(features, CHURN_OWNERS)) {
        p->owner = (berth_owner){text("apps/v1"),
                                 text("ReplicaSet"),
                                 own(t, "related", true),
                                 own(t, "uid", true),
                                 true,
                                 NULL};
        p->pod.meta.owners = &p->owner;
        p->pod.meta.owner_count = 1;
    }
    if (churn_has(features, CHURN_ORPHANS) && number % 4 == 1)
        p->pod.node_name = own(t, "nowhere", true);
    if (churn_has(features, CHURN_GATES) && number % 8 == 3) {
        p->gate = own(t, "example.com/gate", true);
        p->pod.scheduling_gates = (berth_strs){&p->gate, 1};
    }
}

berth_status churn_add_pod(const churn_target *to, uint32_t features, uint64_t number,
                           berth_pod_id *id, berth_error *error)
{
    pod_parts parts;
    berth_object object = {.kind = BERTH_KIND_POD};
    berth_object_id made;
    fill_pod(&parts, features, number);
    object.as.pod = &parts.pod;
    if (to->place != NULL)
        parts.pod.node_name = to->place(to->context, number);
    berth_status status = put_surroundings(to, features, number, true, error);
    if (status == BERTH_OK)
        status = to->add(to->context, &object, &made, error);
    if (status == BERTH_OK && id != NULL)
        *id = made.pod;
    return status;
}

berth_status churn_remove_pod(const churn_target *to, uint32_t features, uint64_t number,
                              berth_error *error)
{
    texts t = {.number = number};
    berth_status status = to->remove(to->context, BERTH_KIND_POD, space_of(&t, features),
                                     own(&t, "pod", true), error);
    return status == BERTH_OK ? put_surroundings(to, features, number, false, error) : status;
}

/* ---- nodes ---- */

/* The number in the name of node number `number`. */
static uint64_t name_of(uint32_t features, uint64_t number)
{
    bool stays = churn_has(features, CHURN_UPDATES) && !churn_has(features, CHURN_NODES);
    return stays ? number % CHURN_NODE_COUNT : number;
}

berth_status churn_put_node(berth_status (*put)(void *context, const berth_object *object,
                                                berth_object_id *id, berth_error *error),
                            void *context, uint32_t features, uint64_t number, berth_error *error)
{
    texts t = {.number = number}, named = {.number = name_of(features, number)};
    bool is_own = churn_has(features, CHURN_NODES) || churn_has(features, CHURN_UPDATES);
    berth_str name = own(&named, "node", true);
    berth_key_value labels[] = {
        {text("kubernetes.io/hostname"), name},
        {text("topology.kubernetes.io/zone"), own(&t, "zone", is_own)},
        {own(&t, "node-key", is_own), own(&t, "value", is_own)},
    };
    berth_resource allocatable[] = {{text("cpu"), {64, 0}},
                                    {text("memory"), {INT64_C(64) << 30, 0}},
                                    {text("pods"), {500, 0}},
                                    {own(&t, "example.com/device", true), {4, 0}}};
    berth_str image_name = own(&t, "registry/image", is_own);
    berth_image image = {{&image_name, 1}, 1 << 20, NULL};
    berth_taint taint = {own(&t, "taint", true), own(&t, "value", true), text("PreferNoSchedule"),
                         NULL};
    berth_node node = {
        .meta = {.name = name, .labels = {labels, 3}},
        .allocatable = {allocatable, churn_has(features, CHURN_RESOURCES) ? 4 : 3},
        .images = &image,
        .image_count = 1,
        .taints = &taint,
        .taint_count = churn_has(features, CHURN_TAINTS) ? 1 : 0,
    };
    berth_object object = {.kind = BERTH_KIND_NODE};
    object.as.node = &node;
    return put(context, &object, NULL, error);
}

/* A CSINode with its own driver. */
static berth_status put_csi_node(const churn_target *to, uint64_t number, bool add,
                                 berth_error *error)
{
    texts t = {.number = number};
    berth_csi_node_driver driver = {.name = own(&t, "csi", true),
                                    .node_id = own(&t, "id", true),
                                    .has_count = true,
                                    .count = 3};
    berth_csi_node node = {
        .meta = {.name = own(&t, "node", true)}, .drivers = &driver, .driver_count = 1};
    berth_object object = {.kind = BERTH_KIND_CSI_NODE};
    object.as.csi_node = &node;
    return add ? to->add(to->context, &object, NULL, error)
               : to->remove(to->context, BERTH_KIND_CSI_NODE, (berth_str){0}, node.meta.name,
                            error);
}

berth_status churn_add_node(const churn_target *to, uint32_t features, uint64_t number,
                            berth_error *error)
{
    berth_status status = churn_put_node(to->add, to->context, features, number, error);
    return status == BERTH_OK && churn_has(features, CHURN_CSI)
               ? put_csi_node(to, name_of(features, number), true, error)
               : status;
}

berth_status churn_remove_node(const churn_target *to, uint32_t features, uint64_t number,
                               berth_error *error)
{
    texts t = {.number = name_of(features, number)};
    berth_status status =
        to->remove(to->context, BERTH_KIND_NODE, (berth_str){0}, own(&t, "node", true), error);
    return status == BERTH_OK && churn_has(features, CHURN_CSI)
               ? put_csi_node(to, t.number, false, error)
               : status;
}
