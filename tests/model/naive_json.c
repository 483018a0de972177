/* Converts scenarios of the decision vectors into public structs, with a JSON library that the
 * engine does not use. Objects are taken as the API server serves them; no defaults are applied. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "naive_json.h"

typedef naive_region region;

static void die(const char *what, const char *detail)
{
    fprintf(stderr, "naive_json: %s: %s\n", what, detail);
    exit(3);
}

/* ---- plain values ---- */

static berth_str text_value(const json_t *v)
{
    return json_is_string(v) ? (berth_str){json_string_value(v), (uint32_t)json_string_length(v)}
                             : (berth_str){0};
}

const json_t *naive_json_get(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_null(v) ? NULL : v;
}

berth_str naive_json_text(const json_t *o, const char *key)
{
    return text_value(naive_json_get(o, key));
}

bool naive_json_flag(const json_t *o, const char *key)
{
    return json_is_true(naive_json_get(o, key));
}

static int32_t number(const json_t *o, const char *key)
{
    return (int32_t)json_integer_value(naive_json_get(o, key));
}

static int64_t date_ns(berth_str s)
{
    struct tm tm = {0};
    if (s.len == 0 || strptime(s.data, "%Y-%m-%dT%H:%M:%SZ", &tm) == NULL) {
        return 0;
    }
    return (int64_t)timegm(&tm) * 1000000000;
}

static berth_str str_item(region *r, const json_t *v)
{
    (void)r;
    return text_value(v);
}

berth_strs naive_json_strs(region *r, const json_t *v)
{
    berth_strs out;
    out.items = NAIVE_JSON_LIST(r, berth_str, v, out.count, str_item);
    return out;
}

static berth_map map(region *r, const json_t *v)
{
    const char *key;
    json_t *value;
    uint32_t count = 0;
    if (v == NULL) {
        return (berth_map){0};
    }
    berth_key_value *entries = naive_alloc(r, (json_object_size(v) + 1) * sizeof(*entries));
    void *iter = json_object_iter((json_t *)(uintptr_t)v);
    for (; iter != NULL; iter = json_object_iter_next((json_t *)(uintptr_t)v, iter)) {
        key = json_object_iter_key(iter);
        value = json_object_iter_value(iter);
        entries[count++] = (berth_key_value){naive_str(key), text_value(value)};
    }
    return (berth_map){entries, count};
}

/* ---- quantities ---- */

static naive_nanos power(int base, int exponent)
{
    naive_nanos p = 1;
    while (exponent-- > 0) {
        p *= base;
    }
    return p;
}

/* The multiplier of a suffix: binary^`*binary` or 10^`*decimal`. */
static void suffix_value(const char *s, int *binary, int *decimal)
{
    static const char *const units[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    *binary = 0;
    *decimal = 0;
    if ((s[0] == 'e' || s[0] == 'E') && s[1] != '\0' && strcmp(s, "Ei") != 0) {
        *decimal = atoi(s + 1);
        return;
    }
    if (strcmp(s, "Ki") == 0) {
        *binary = 10;
        return;
    }
    for (int i = 0; i < 10; i++) {
        size_t n = strlen(units[i]);
        if (strcmp(s, units[i]) == 0) {
            *decimal = 3 * (i - 3);
            return;
        }
        if (i > 4 && strncmp(s, units[i], n) == 0 && strcmp(s + n, "i") == 0) {
            *binary = 10 * (i - 3);
            return;
        }
    }
    die("quantity suffix", s);
}

berth_quantity naive_json_quantity(const json_t *v)
{
    char buffer[64];
    if (json_is_real(v)) {
        snprintf(buffer, sizeof(buffer), "%.15g", json_real_value(v));
    } else if (json_is_integer(v)) {
        snprintf(buffer, sizeof(buffer), "%lld", (long long)json_integer_value(v));
    } else {
        snprintf(buffer, sizeof(buffer), "%s", json_is_string(v) ? json_string_value(v) : "0");
    }
    const char *s = buffer;
    bool negative = *s == '-';
    s += *s == '-' || *s == '+';
    naive_nanos digits = 0;
    int fraction = 0, binary, decimal;
    for (bool point = false; (*s >= '0' && *s <= '9') || *s == '.'; s++) {
        if (*s == '.') {
            point = true;
        } else {
            digits = digits * 10 + (*s - '0');
            fraction += point;
        }
    }
    suffix_value(s, &binary, &decimal);
    digits *= power(2, binary);
    decimal += 9 - fraction;
    naive_nanos nanos = digits * power(10, decimal > 0 ? decimal : 0);
    naive_nanos divisor = power(10, decimal < 0 ? -decimal : 0);
    nanos = nanos / divisor + (nanos % divisor != 0);
    nanos = negative ? -nanos : nanos;
    return (berth_quantity){(int64_t)(nanos / 1000000000), (int32_t)(nanos % 1000000000)};
}

berth_resources naive_json_resources(region *r, const json_t *v)
{
    uint32_t count = 0;
    berth_resource *items = naive_alloc(r, (json_object_size(v) + 1) * sizeof(*items));
    void *iter = json_object_iter((json_t *)(uintptr_t)v);
    for (; iter != NULL; iter = json_object_iter_next((json_t *)(uintptr_t)v, iter)) {
        items[count++] = (berth_resource){naive_str(json_object_iter_key(iter)),
                                          naive_json_quantity(json_object_iter_value(iter))};
    }
    return (berth_resources){items, count};
}

/* ---- selectors and affinity ---- */

static berth_requirement requirement(region *r, const json_t *v)
{
    return (berth_requirement){naive_json_text(v, "key"), naive_json_text(v, "operator"),
                               naive_json_strs(r, naive_json_get(v, "values"))};
}

static berth_requirements requirements(region *r, const json_t *v)
{
    berth_requirements out;
    out.items = NAIVE_JSON_LIST(r, berth_requirement, v, out.count, requirement);
    return out;
}

static const berth_label_selector *label_selector(region *r, const json_t *v)
{
    if (v == NULL) {
        return NULL;
    }
    berth_label_selector *s = naive_alloc(r, sizeof(*s));
    s->match_labels = map(r, naive_json_get(v, "matchLabels"));
    s->match_expressions = requirements(r, naive_json_get(v, "matchExpressions"));
    return s;
}

static berth_node_selector_term node_term(region *r, const json_t *v)
{
    return (berth_node_selector_term){requirements(r, naive_json_get(v, "matchExpressions")),
                                      requirements(r, naive_json_get(v, "matchFields"))};
}

const berth_node_selector *naive_json_node_selector(region *r, const json_t *v)
{
    if (v == NULL) {
        return NULL;
    }
    berth_node_selector *s = naive_alloc(r, sizeof(*s));
    s->terms = NAIVE_JSON_LIST(r, berth_node_selector_term, naive_json_get(v, "nodeSelectorTerms"),
                               s->count, node_term);
    return s;
}

static berth_preferred_node_term preferred_node_term(region *r, const json_t *v)
{
    return (berth_preferred_node_term){number(v, "weight"),
                                       node_term(r, naive_json_get(v, "preference"))};
}

static berth_node_affinity node_affinity(region *r, const json_t *v)
{
    berth_node_affinity a = {0};
    a.required = naive_json_node_selector(
        r, naive_json_get(v, "requiredDuringSchedulingIgnoredDuringExecution"));
    a.preferred =
        NAIVE_JSON_LIST(r, berth_preferred_node_term,
                        naive_json_get(v, "preferredDuringSchedulingIgnoredDuringExecution"),
                        a.preferred_count, preferred_node_term);
    return a;
}

static berth_pod_affinity_term pod_term(region *r, const json_t *v)
{
    berth_pod_affinity_term t = {0};
    t.label_selector = label_selector(r, naive_json_get(v, "labelSelector"));
    t.namespaces = naive_json_strs(r, naive_json_get(v, "namespaces"));
    t.namespace_selector = label_selector(r, naive_json_get(v, "namespaceSelector"));
    t.topology_key = naive_json_text(v, "topologyKey");
    return t;
}

static berth_pod_affinity_term weighted_pod_term(region *r, const json_t *v)
{
    berth_pod_affinity_term t = pod_term(r, naive_json_get(v, "podAffinityTerm"));
    t.weight = number(v, "weight");
    return t;
}

static berth_pod_affinity pod_affinity(region *r, const json_t *v)
{
    berth_pod_affinity a = {.present = v != NULL};
    a.required =
        NAIVE_JSON_LIST(r, berth_pod_affinity_term,
                        naive_json_get(v, "requiredDuringSchedulingIgnoredDuringExecution"),
                        a.required_count, pod_term);
    a.preferred =
        NAIVE_JSON_LIST(r, berth_pod_affinity_term,
                        naive_json_get(v, "preferredDuringSchedulingIgnoredDuringExecution"),
                        a.preferred_count, weighted_pod_term);
    return a;
}

static berth_topology_spread spread(region *r, const json_t *v)
{
    berth_topology_spread s = {0};
    s.max_skew = number(v, "maxSkew");
    s.min_domains = number(v, "minDomains");
    s.topology_key = naive_json_text(v, "topologyKey");
    s.when_unsatisfiable = naive_json_text(v, "whenUnsatisfiable");
    s.label_selector = label_selector(r, naive_json_get(v, "labelSelector"));
    s.node_affinity_policy = naive_json_text(v, "nodeAffinityPolicy");
    s.node_taints_policy = naive_json_text(v, "nodeTaintsPolicy");
    s.match_label_keys = naive_json_strs(r, naive_json_get(v, "matchLabelKeys"));
    return s;
}

/* ---- metadata, nodes ---- */

static berth_owner owner(region *r, const json_t *v)
{
    (void)r;
    return (berth_owner){naive_json_text(v, "apiVersion"), naive_json_text(v, "kind"),
                         naive_json_text(v, "name"),       naive_json_text(v, "uid"),
                         naive_json_flag(v, "controller"), NULL};
}

berth_metadata naive_json_metadata(region *r, const json_t *object)
{
    const json_t *v = naive_json_get(object, "metadata");
    berth_metadata m = {0};
    m.name = naive_json_text(v, "name");
    m.namespace_name = naive_json_text(v, "namespace");
    m.uid = naive_json_text(v, "uid");
    m.labels = map(r, naive_json_get(v, "labels"));
    m.annotations = map(r, naive_json_get(v, "annotations"));
    m.owners =
        NAIVE_JSON_LIST(r, berth_owner, naive_json_get(v, "ownerReferences"), m.owner_count, owner);
    m.creation_time_ns = date_ns(naive_json_text(v, "creationTimestamp"));
    m.deleting = naive_json_get(v, "deletionTimestamp") != NULL;
    return m;
}

berth_taint naive_json_taint(region *r, const json_t *v)
{
    (void)r;
    return (berth_taint){naive_json_text(v, "key"), naive_json_text(v, "value"),
                         naive_json_text(v, "effect"), NULL};
}

static berth_image image(region *r, const json_t *v)
{
    return (berth_image){naive_json_strs(r, naive_json_get(v, "names")),
                         json_integer_value(naive_json_get(v, "sizeBytes")), NULL};
}

berth_condition naive_json_condition(region *r, const json_t *v)
{
    (void)r;
    return (berth_condition){naive_json_text(v, "type"), naive_json_text(v, "status"),
                             naive_json_text(v, "reason"), NULL};
}

static void *node(region *r, const json_t *v)
{
    const json_t *spec = naive_json_get(v, "spec"), *status = naive_json_get(v, "status");
    berth_node *n = naive_alloc(r, sizeof(*n));
    n->meta = naive_json_metadata(r, v);
    n->unschedulable = naive_json_flag(spec, "unschedulable");
    n->taints = NAIVE_JSON_LIST(r, berth_taint, naive_json_get(spec, "taints"), n->taint_count,
                                naive_json_taint);
    n->allocatable = naive_json_resources(r, naive_json_get(status, "allocatable"));
    n->images =
        NAIVE_JSON_LIST(r, berth_image, naive_json_get(status, "images"), n->image_count, image);
    n->conditions = NAIVE_JSON_LIST(r, berth_condition, naive_json_get(status, "conditions"),
                                    n->condition_count, naive_json_condition);
    n->declared_features = naive_json_strs(r, naive_json_get(status, "declaredFeatures"));
    return n;
}

/* ---- pods ---- */

static berth_port port(region *r, const json_t *v)
{
    (void)r;
    return (berth_port){naive_json_text(v, "hostIP"), naive_json_text(v, "protocol"),
                        number(v, "hostPort"), number(v, "containerPort"), NULL};
}

static bool restarts_all(const json_t *rules)
{
    for (size_t i = 0; i < json_array_size(rules); i++) {
        if (naive_is(naive_json_text(json_array_get(rules, i), "action"), "RestartAllContainers")) {
            return true;
        }
    }
    return false;
}

static berth_container container(region *r, const json_t *v)
{
    berth_container c = {0};
    c.name = naive_json_text(v, "name");
    c.image = naive_json_text(v, "image");
    c.requests =
        naive_json_resources(r, naive_json_get(naive_json_get(v, "resources"), "requests"));
    c.limits = naive_json_resources(r, naive_json_get(naive_json_get(v, "resources"), "limits"));
    c.ports = NAIVE_JSON_LIST(r, berth_port, naive_json_get(v, "ports"), c.port_count, port);
    c.restart_always = naive_is(naive_json_text(v, "restartPolicy"), "Always");
    c.restarts_all = restarts_all(naive_json_get(v, "restartPolicyRules"));
    return c;
}

static berth_container_status container_status(region *r, const json_t *v)
{
    const json_t *held = naive_json_get(v, "resources");
    return (berth_container_status){
        naive_json_text(v, "name"), held != NULL,
        naive_json_resources(r, naive_json_get(held, "requests")),
        naive_json_resources(r, naive_json_get(v, "allocatedResources")), NULL};
}

static berth_pod_claim pod_claim(region *r, const json_t *v)
{
    (void)r;
    return (berth_pod_claim){naive_json_text(v, "name"), naive_json_text(v, "resourceClaimName"),
                             naive_json_text(v, "resourceClaimTemplateName"), NULL};
}

berth_toleration naive_json_toleration(region *r, const json_t *v)
{
    (void)r;
    return (berth_toleration){naive_json_text(v, "key"), naive_json_text(v, "operator"),
                              naive_json_text(v, "value"), naive_json_text(v, "effect"), NULL};
}

static berth_volume_source volume_source(region *r, const json_t *v)
{
    static const struct {
        const char *member, *handle;
        berth_volume_kind kind;
    } kinds[] = {
        {"persistentVolumeClaim", "claimName", BERTH_VOLUME_CLAIM},
        {"ephemeral", "", BERTH_VOLUME_EPHEMERAL},
        {"gcePersistentDisk", "pdName", BERTH_VOLUME_GCE_PD},
        {"awsElasticBlockStore", "volumeID", BERTH_VOLUME_AWS_EBS},
        {"iscsi", "iqn", BERTH_VOLUME_ISCSI},
        {"rbd", "image", BERTH_VOLUME_RBD},
        {"azureDisk", "diskName", BERTH_VOLUME_AZURE_DISK},
        {"cinder", "volumeID", BERTH_VOLUME_CINDER},
        {"portworxVolume", "volumeID", BERTH_VOLUME_PORTWORX},
        {"image", "reference", BERTH_VOLUME_IMAGE},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const json_t *s = naive_json_get(v, kinds[i].member);
        if (s != NULL) {
            return (berth_volume_source){
                .kind = kinds[i].kind,
                .handle = naive_json_text(s, kinds[i].handle),
                .pool = naive_json_text(s, "pool"),
                .disk_kind = naive_json_text(s, "kind"),
                .monitors = naive_json_strs(r, naive_json_get(s, "monitors")),
                .read_only = naive_json_flag(s, "readOnly"),
            };
        }
    }
    return (berth_volume_source){0};
}

static berth_volume volume(region *r, const json_t *v)
{
    return (berth_volume){naive_json_text(v, "name"), volume_source(r, v)};
}

static berth_str gate(region *r, const json_t *v)
{
    (void)r;
    return naive_json_text(v, "name");
}

static void pod_status(region *r, const json_t *status, berth_pod *p)
{
    const json_t *held = naive_json_get(status, "resources");
    p->phase = naive_json_text(status, "phase");
    p->nominated_node_name = naive_json_text(status, "nominatedNodeName");
    p->start_time_ns = date_ns(naive_json_text(status, "startTime"));
    p->conditions = NAIVE_JSON_LIST(r, berth_condition, naive_json_get(status, "conditions"),
                                    p->condition_count, naive_json_condition);
    p->container_statuses =
        NAIVE_JSON_LIST(r, berth_container_status, naive_json_get(status, "containerStatuses"),
                        p->container_status_count, container_status);
    p->init_container_statuses =
        NAIVE_JSON_LIST(r, berth_container_status, naive_json_get(status, "initContainerStatuses"),
                        p->init_container_status_count, container_status);
    p->resource_claim_statuses =
        NAIVE_JSON_LIST(r, berth_pod_claim, naive_json_get(status, "resourceClaimStatuses"),
                        p->resource_claim_status_count, pod_claim);
    p->has_status_resources = held != NULL;
    p->status_requests = naive_json_resources(r, naive_json_get(held, "requests"));
    p->status_allocated = naive_json_resources(r, naive_json_get(status, "allocatedResources"));
}

static void *pod(region *r, const json_t *v)
{
    const json_t *spec = naive_json_get(v, "spec"), *whole = naive_json_get(spec, "resources");
    const json_t *affinity = naive_json_get(spec, "affinity");
    berth_pod *p = naive_alloc(r, sizeof(*p));
    p->meta = naive_json_metadata(r, v);
    p->node_name = naive_json_text(spec, "nodeName");
    p->scheduler_name = naive_json_text(spec, "schedulerName");
    p->has_priority = naive_json_get(spec, "priority") != NULL;
    p->priority = number(spec, "priority");
    p->preemption_policy = naive_json_text(spec, "preemptionPolicy");
    p->containers = NAIVE_JSON_LIST(r, berth_container, naive_json_get(spec, "containers"),
                                    p->container_count, container);
    p->init_containers = NAIVE_JSON_LIST(r, berth_container, naive_json_get(spec, "initContainers"),
                                         p->init_container_count, container);
    p->overhead = naive_json_resources(r, naive_json_get(spec, "overhead"));
    p->node_selector = map(r, naive_json_get(spec, "nodeSelector"));
    p->node_affinity = node_affinity(r, naive_json_get(affinity, "nodeAffinity"));
    p->pod_affinity = pod_affinity(r, naive_json_get(affinity, "podAffinity"));
    p->pod_anti_affinity = pod_affinity(r, naive_json_get(affinity, "podAntiAffinity"));
    p->tolerations = NAIVE_JSON_LIST(r, berth_toleration, naive_json_get(spec, "tolerations"),
                                     p->toleration_count, naive_json_toleration);
    p->spreads =
        NAIVE_JSON_LIST(r, berth_topology_spread, naive_json_get(spec, "topologySpreadConstraints"),
                        p->spread_count, spread);
    p->volumes =
        NAIVE_JSON_LIST(r, berth_volume, naive_json_get(spec, "volumes"), p->volume_count, volume);
    p->scheduling_gates.items = NAIVE_JSON_LIST(
        r, berth_str, naive_json_get(spec, "schedulingGates"), p->scheduling_gates.count, gate);
    p->pod_requests = naive_json_resources(r, naive_json_get(whole, "requests"));
    p->pod_limits = naive_json_resources(r, naive_json_get(whole, "limits"));
    p->host_network = naive_json_flag(spec, "hostNetwork");
    p->host_users_off = json_is_false(naive_json_get(spec, "hostUsers"));
    p->resource_claims = NAIVE_JSON_LIST(r, berth_pod_claim, naive_json_get(spec, "resourceClaims"),
                                         p->resource_claim_count, pod_claim);
    pod_status(r, naive_json_get(v, "status"), p);
    return p;
}

/* ---- storage and the rest ---- */

static void *persistent_volume(region *r, const json_t *v)
{
    const json_t *spec = naive_json_get(v, "spec"), *claim = naive_json_get(spec, "claimRef"),
                 *csi = naive_json_get(spec, "csi");
    berth_persistent_volume *p = naive_alloc(r, sizeof(*p));
    p->meta = naive_json_metadata(r, v);
    p->capacity = naive_json_quantity(naive_json_get(naive_json_get(spec, "capacity"), "storage"));
    p->access_modes = naive_json_strs(r, naive_json_get(spec, "accessModes"));
    p->storage_class = naive_json_text(spec, "storageClassName");
    p->volume_mode = naive_json_text(spec, "volumeMode");
    p->volume_attributes_class = naive_json_text(spec, "volumeAttributesClassName");
    p->has_claim_ref = claim != NULL;
    p->claim_namespace = naive_json_text(claim, "namespace");
    p->claim_name = naive_json_text(claim, "name");
    p->claim_uid = naive_json_text(claim, "uid");
    p->node_affinity = naive_json_node_selector(
        r, naive_json_get(naive_json_get(spec, "nodeAffinity"), "required"));
    p->source = volume_source(r, spec);
    if (csi != NULL) {
        p->source.kind = BERTH_VOLUME_CSI;
        p->source.driver = naive_json_text(csi, "driver");
        p->source.handle = naive_json_text(csi, "volumeHandle");
    }
    p->phase = naive_json_text(naive_json_get(v, "status"), "phase");
    return p;
}

static void *claim(region *r, const json_t *v)
{
    const json_t *spec = naive_json_get(v, "spec");
    berth_persistent_volume_claim *c = naive_alloc(r, sizeof(*c));
    c->meta = naive_json_metadata(r, v);
    c->access_modes = naive_json_strs(r, naive_json_get(spec, "accessModes"));
    c->storage_class = naive_json_text(spec, "storageClassName");
    c->volume_name = naive_json_text(spec, "volumeName");
    c->volume_mode = naive_json_text(spec, "volumeMode");
    c->volume_attributes_class = naive_json_text(spec, "volumeAttributesClassName");
    c->selector = label_selector(r, naive_json_get(spec, "selector"));
    c->request = naive_json_quantity(
        naive_json_get(naive_json_get(naive_json_get(spec, "resources"), "requests"), "storage"));
    c->phase = naive_json_text(naive_json_get(v, "status"), "phase");
    return c;
}

static berth_requirement topology_expression(region *r, const json_t *v)
{
    return (berth_requirement){naive_json_text(v, "key"), naive_str("In"),
                               naive_json_strs(r, naive_json_get(v, "values"))};
}

static berth_topology_term topology_term(region *r, const json_t *v)
{
    berth_topology_term t;
    t.expressions.items =
        NAIVE_JSON_LIST(r, berth_requirement, naive_json_get(v, "matchLabelExpressions"),
                        t.expressions.count, topology_expression);
    return t;
}

static void *storage_class(region *r, const json_t *v)
{
    berth_storage_class *c = naive_alloc(r, sizeof(*c));
    c->meta = naive_json_metadata(r, v);
    c->provisioner = naive_json_text(v, "provisioner");
    c->binding_mode = naive_json_text(v, "volumeBindingMode");
    c->allowed_topologies =
        NAIVE_JSON_LIST(r, berth_topology_term, naive_json_get(v, "allowedTopologies"),
                        c->allowed_topology_count, topology_term);
    return c;
}

static berth_csi_node_driver csi_node_driver(region *r, const json_t *v)
{
    (void)r;
    const json_t *count = naive_json_get(naive_json_get(v, "allocatable"), "count");
    return (berth_csi_node_driver){naive_json_text(v, "name"), naive_json_text(v, "nodeID"),
                                   count != NULL, (int32_t)json_integer_value(count), NULL};
}

static void *csi_node(region *r, const json_t *v)
{
    berth_csi_node *n = naive_alloc(r, sizeof(*n));
    n->meta = naive_json_metadata(r, v);
    n->drivers = NAIVE_JSON_LIST(r, berth_csi_node_driver,
                                 naive_json_get(naive_json_get(v, "spec"), "drivers"),
                                 n->driver_count, csi_node_driver);
    return n;
}

static void *csi_driver(region *r, const json_t *v)
{
    const json_t *spec = naive_json_get(v, "spec");
    berth_csi_driver *d = naive_alloc(r, sizeof(*d));
    d->meta = naive_json_metadata(r, v);
    d->storage_capacity = naive_json_flag(spec, "storageCapacity");
    d->prevent_pod_scheduling_if_missing = naive_json_flag(spec, "preventPodSchedulingIfMissing");
    return d;
}

static void *csi_storage_capacity(region *r, const json_t *v)
{
    const json_t *maximum = naive_json_get(v, "maximumVolumeSize");
    berth_csi_storage_capacity *c = naive_alloc(r, sizeof(*c));
    c->meta = naive_json_metadata(r, v);
    c->storage_class = naive_json_text(v, "storageClassName");
    c->node_topology = label_selector(r, naive_json_get(v, "nodeTopology"));
    c->has_capacity = naive_json_get(v, "capacity") != NULL;
    c->has_maximum_volume_size = maximum != NULL;
    if (c->has_capacity) {
        c->capacity = naive_json_quantity(naive_json_get(v, "capacity"));
    }
    if (maximum != NULL) {
        c->maximum_volume_size = naive_json_quantity(maximum);
    }
    return c;
}

static void *volume_attachment(region *r, const json_t *v)
{
    const json_t *spec = naive_json_get(v, "spec");
    berth_volume_attachment *a = naive_alloc(r, sizeof(*a));
    a->meta = naive_json_metadata(r, v);
    a->attacher = naive_json_text(spec, "attacher");
    a->node_name = naive_json_text(spec, "nodeName");
    a->persistent_volume = naive_json_text(naive_json_get(spec, "source"), "persistentVolumeName");
    return a;
}

static void *service(region *r, const json_t *v)
{
    const json_t *selector = naive_json_get(naive_json_get(v, "spec"), "selector");
    berth_service *s = naive_alloc(r, sizeof(*s));
    s->meta = naive_json_metadata(r, v);
    s->has_selector = selector != NULL;
    s->selector = map(r, selector);
    return s;
}

static void *controller(region *r, const json_t *v)
{
    berth_controller *c = naive_alloc(r, sizeof(*c));
    c->meta = naive_json_metadata(r, v);
    c->selector = label_selector(r, naive_json_get(naive_json_get(v, "spec"), "selector"));
    return c;
}

static void *replication_controller(region *r, const json_t *v)
{
    berth_controller *c = naive_alloc(r, sizeof(*c));
    berth_label_selector *s = naive_alloc(r, sizeof(*s));
    c->meta = naive_json_metadata(r, v);
    s->match_labels = map(r, naive_json_get(naive_json_get(v, "spec"), "selector"));
    c->selector = s;
    return c;
}

static void *namespace_object(region *r, const json_t *v)
{
    berth_namespace *n = naive_alloc(r, sizeof(*n));
    n->meta = naive_json_metadata(r, v);
    return n;
}

static void *disruption_budget(region *r, const json_t *v)
{
    berth_pod_disruption_budget *b = naive_alloc(r, sizeof(*b));
    b->meta = naive_json_metadata(r, v);
    b->selector = label_selector(r, naive_json_get(naive_json_get(v, "spec"), "selector"));
    b->disruptions_allowed = number(naive_json_get(v, "status"), "disruptionsAllowed");
    const berth_map disrupted =
        map(r, naive_json_get(naive_json_get(v, "status"), "disruptedPods"));
    berth_str *names = naive_alloc(r, (disrupted.count + 1) * sizeof(*names));
    for (uint32_t i = 0; i < disrupted.count; i++) {
        names[i] = disrupted.entries[i].key;
    }
    b->disrupted_pods = (berth_strs){names, disrupted.count};
    return b;
}

/* ---- configuration ---- */

static berth_weighted_resource weighted_resource(region *r, const json_t *v)
{
    (void)r;
    return (berth_weighted_resource){naive_json_text(v, "name"),
                                     json_integer_value(naive_json_get(v, "weight"))};
}

static berth_shape_point shape_point(region *r, const json_t *v)
{
    (void)r;
    return (berth_shape_point){number(v, "utilization"), number(v, "score")};
}

static void fit_args(region *r, const json_t *v, berth_fit_args *fit)
{
    const json_t *strategy = naive_json_get(v, "scoringStrategy");
    berth_str type = naive_json_text(strategy, "type");
    fit->ignored_resources = naive_json_strs(r, naive_json_get(v, "ignoredResources"));
    fit->ignored_resource_groups = naive_json_strs(r, naive_json_get(v, "ignoredResourceGroups"));
    fit->strategy = naive_is(type, "MostAllocated") ? BERTH_FIT_MOST_ALLOCATED
                    : naive_is(type, "RequestedToCapacityRatio")
                        ? BERTH_FIT_REQUESTED_TO_CAPACITY_RATIO
                        : BERTH_FIT_LEAST_ALLOCATED;
    fit->resources =
        NAIVE_JSON_LIST(r, berth_weighted_resource, naive_json_get(strategy, "resources"),
                        fit->resource_count, weighted_resource);
    fit->shape = NAIVE_JSON_LIST(
        r, berth_shape_point,
        naive_json_get(naive_json_get(strategy, "requestedToCapacityRatio"), "shape"),
        fit->shape_count, shape_point);
}

/* The args of one plugin of a profile; NULL if the profile has none. */
static const berth_plugin_args *plugin_args(region *r, const json_t *profile, const char *name)
{
    const json_t *list = naive_json_get(profile, "pluginConfig");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i), *v = naive_json_get(item, "args");
        if (!naive_is(naive_json_text(item, "name"), name)) {
            continue;
        }
        berth_plugin_args *args = naive_alloc(r, sizeof(*args));
        const json_t *hard = naive_json_get(v, "hardPodAffinityWeight");
        fit_args(r, v, &args->fit);
        if (args->fit.shape_count == 0) { /* VolumeBinding's */
            args->fit.shape = NAIVE_JSON_LIST(r, berth_shape_point, naive_json_get(v, "shape"),
                                              args->fit.shape_count, shape_point);
        }
        args->balanced.resources =
            NAIVE_JSON_LIST(r, berth_weighted_resource, naive_json_get(v, "resources"),
                            args->balanced.resource_count, weighted_resource);
        args->node_affinity.added_affinity = node_affinity(r, naive_json_get(v, "addedAffinity"));
        args->inter_pod_affinity.hard_pod_affinity_weight =
            hard != NULL ? (int32_t)json_integer_value(hard) : 1;
        args->inter_pod_affinity.ignore_preferred_terms_of_existing_pods =
            naive_json_flag(v, "ignorePreferredTermsOfExistingPods");
        args->spread.list_defaulting = naive_is(naive_json_text(v, "defaultingType"), "List");
        args->spread.default_constraints =
            NAIVE_JSON_LIST(r, berth_topology_spread, naive_json_get(v, "defaultConstraints"),
                            args->spread.default_constraint_count, spread);
        return args;
    }
    return NULL;
}

static const json_t *named(const json_t *list, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (naive_is(naive_json_text(item, "name"), name) ||
            naive_is(naive_json_text(item, "name"), "*")) {
            return item;
        }
    }
    return NULL;
}

/* A plugin of an extension point of the default profile. */
typedef struct default_plugin {
    const char *name;
    uint32_t since; /* this version of Kubernetes */
    int32_t weight;
} default_plugin;

/* One extension point: the defaults without the disabled ones, and explicitly enabled ones with
 * their weight. This is enough for the vectors, which enable and disable default plugins for each
 * point. */
static berth_plugin_list point(region *r, uint32_t kubernetes, const json_t *profile,
                               const char *name, const default_plugin *defaults)
{
    const json_t *set = naive_json_get(naive_json_get(profile, "plugins"), name);
    berth_plugin_ref *items = naive_alloc(r, 32 * sizeof(*items));
    uint32_t count = 0;
    for (size_t i = 0; defaults[i].name != NULL; i++) {
        const json_t *enabled = named(naive_json_get(set, "enabled"), defaults[i].name);
        bool disabled =
            enabled == NULL && named(naive_json_get(set, "disabled"), defaults[i].name) != NULL;
        if (disabled || defaults[i].since > kubernetes) {
            continue;
        }
        int32_t weight = defaults[i].weight;
        if (enabled != NULL && number(enabled, "weight") != 0) {
            weight = number(enabled, "weight");
        }
        items[count++] = (berth_plugin_ref){
            .name = naive_str(defaults[i].name),
            .weight = weight,
            .args = plugin_args(r, profile, defaults[i].name),
        };
    }
    return (berth_plugin_list){items, count};
}

static const default_plugin pre_filters[] = {
    {"NodeName", 37, 0},
    {"NodeUnschedulable", 37, 0},
    {"TaintToleration", 37, 0},
    {"NodeAffinity", 0, 0},
    {"NodePorts", 0, 0},
    {"NodeResourcesFit", 0, 0},
    {"VolumeRestrictions", 0, 0},
    {"NodeVolumeLimits", 0, 0},
    {"VolumeBinding", 0, 0},
    {"VolumeZone", 0, 0},
    {"PodTopologySpread", 0, 0},
    {"InterPodAffinity", 0, 0},
    {"DynamicResources", 34, 0},
    {"NodeDeclaredFeatures", 36, 0},
    {0},
};
/* (Since v1.37 NodeName comes first. The order of the two makes no difference: both refuse for
 * good, and no pod that names an existing node is still to be placed.) */
static const default_plugin filters[] = {
    {"NodeUnschedulable", 0, 0},
    {"NodeName", 0, 0},
    {"TaintToleration", 0, 0},
    {"NodeAffinity", 0, 0},
    {"NodePorts", 0, 0},
    {"NodeResourcesFit", 0, 0},
    {"VolumeRestrictions", 0, 0},
    {"NodeVolumeLimits", 0, 0},
    {"VolumeBinding", 0, 0},
    {"VolumeZone", 0, 0},
    {"PodTopologySpread", 0, 0},
    {"InterPodAffinity", 0, 0},
    {"DynamicResources", 34, 0},
    {"NodeDeclaredFeatures", 36, 0},
    {0},
};
static const default_plugin post_filters[] = {
    {"DynamicResources", 34, 0},
    {"DefaultPreemption", 0, 0},
    {0},
};
static const default_plugin pre_scores[] = {
    {"TaintToleration", 0, 0},
    {"NodeAffinity", 0, 0},
    {"NodeResourcesFit", 0, 0},
    {"VolumeBinding", 0, 0},
    {"PodTopologySpread", 0, 0},
    {"InterPodAffinity", 0, 0},
    {"NodeResourcesBalancedAllocation", 0, 0},
    {0},
};
static const default_plugin scores[] = {
    {"TaintToleration", 0, 3},
    {"NodeAffinity", 0, 2},
    {"NodeResourcesFit", 0, 1},
    {"VolumeBinding", 37, 1}, /* earlier, behind a feature gate */
    {"PodTopologySpread", 0, 2},
    {"InterPodAffinity", 0, 2},
    {"DynamicResources", 35, 2}, /* scores since v1.35 */
    {"NodeResourcesBalancedAllocation", 0, 1},
    {"ImageLocality", 0, 1},
    {0},
};

static const berth_profile *make_profile(region *r, uint32_t kubernetes, const json_t *config,
                                         bool all_nodes)
{
    const json_t *profile = json_array_get(naive_json_get(config, "profiles"), 0);
    berth_profile *p = naive_alloc(r, sizeof(*p));
    p->scheduler_name = naive_str("default-scheduler");
    p->percentage_of_nodes_to_score = all_nodes ? 100 : number(config, "percentageOfNodesToScore");
    berth_plugin_list *points = naive_alloc(r, BERTH_POINT_COUNT * sizeof(*points));
    p->points = points;
    p->point_count = BERTH_POINT_COUNT;
    points[BERTH_POINT_PRE_FILTER] = point(r, kubernetes, profile, "preFilter", pre_filters);
    points[BERTH_POINT_FILTER] = point(r, kubernetes, profile, "filter", filters);
    points[BERTH_POINT_POST_FILTER] = point(r, kubernetes, profile, "postFilter", post_filters);
    points[BERTH_POINT_PRE_SCORE] = point(r, kubernetes, profile, "preScore", pre_scores);
    points[BERTH_POINT_SCORE] = point(r, kubernetes, profile, "score", scores);
    return p;
}

/* ---- scenarios ---- */

typedef void *(*decode_fn)(region *r, const json_t *v);

static const struct {
    const char *key;
    berth_kind kind;
    decode_fn decode;
} sections[] = {
    {"namespaces", BERTH_KIND_NAMESPACE, namespace_object},
    {"storageClasses", BERTH_KIND_STORAGE_CLASS, storage_class},
    {"csiDrivers", BERTH_KIND_CSI_DRIVER, csi_driver},
    {"csiNodes", BERTH_KIND_CSI_NODE, csi_node},
    {"csiStorageCapacities", BERTH_KIND_CSI_STORAGE_CAPACITY, csi_storage_capacity},
    {"volumeAttachments", BERTH_KIND_VOLUME_ATTACHMENT, volume_attachment},
    {"persistentVolumes", BERTH_KIND_PERSISTENT_VOLUME, persistent_volume},
    {"persistentVolumeClaims", BERTH_KIND_PERSISTENT_VOLUME_CLAIM, claim},
    {"services", BERTH_KIND_SERVICE, service},
    {"replicationControllers", BERTH_KIND_REPLICATION_CONTROLLER, replication_controller},
    {"replicaSets", BERTH_KIND_REPLICA_SET, controller},
    {"statefulSets", BERTH_KIND_STATEFUL_SET, controller},
    {"podDisruptionBudgets", BERTH_KIND_POD_DISRUPTION_BUDGET, disruption_budget},
    {"resourceSlices", BERTH_KIND_RESOURCE_SLICE, naive_json_resource_slice},
    {"deviceTaintRules", BERTH_KIND_DEVICE_TAINT_RULE, naive_json_device_taint_rule},
    {"deviceClasses", BERTH_KIND_DEVICE_CLASS, naive_json_device_class},
    {"resourceClaims", BERTH_KIND_RESOURCE_CLAIM, naive_json_resource_claim},
    {"nodes", BERTH_KIND_NODE, node},
    {"pods", BERTH_KIND_POD, pod},
    {"pending", BERTH_KIND_POD, pod},
};

/* 36 for "1.36". Vectors without a version are of v1.32, or of v1.15 if a run has no mode. */
static uint32_t version(const json_t *expected)
{
    const char *given = json_string_value(naive_json_get(expected, "version"));
    if (given == NULL) {
        return naive_json_get(expected, "mode") != NULL ? 32 : 0;
    }
    if (strncmp(given, "1.", 2) != 0) {
        die("version", given);
    }
    return (uint32_t)atoi(given + 2);
}

/* Vectors of "1.36" come from 1.36.2. */
static bool is_early_patch(const json_t *expected)
{
    const char *given = json_string_value(naive_json_get(expected, "version"));
    return given != NULL && strcmp(given, "1.36") == 0;
}

void naive_scenario_read(const char *line, naive_scenario *out)
{
    json_error_t error;
    json_t *root = json_loads(line, 0, &error);
    if (root == NULL) {
        die("not JSON", error.text);
    }
    const json_t *scenario = naive_json_get(root, "scenario");
    memset(out, 0, sizeof(*out));
    out->root = root;
    out->expected = naive_json_get(root, "expected");
    out->name = json_string_value(naive_json_get(scenario, "name"));
    out->cluster.kubernetes = version(out->expected);
    out->cluster.early_patch = is_early_patch(out->expected);
    out->profile =
        make_profile(&out->region, out->cluster.kubernetes, naive_json_get(scenario, "config"),
                     naive_is(naive_json_text(out->expected, "mode"), "all-nodes"));
    for (size_t s = 0; s < sizeof(sections) / sizeof(sections[0]); s++) {
        const json_t *list = naive_json_get(scenario, sections[s].key);
        for (size_t i = 0; i < json_array_size(list); i++) {
            berth_object object = {.kind = sections[s].kind};
            object.as.any = sections[s].decode(&out->region, json_array_get(list, i));
            naive_add(&out->cluster, &object);
            if (strcmp(sections[s].key, "pending") == 0) {
                out->pending = naive_grow(&out->region, out->pending, out->pending_count,
                                          sizeof(*out->pending));
                out->pending[out->pending_count++] = object.as.pod;
            }
        }
    }
}

void naive_scenario_free(naive_scenario *scenario)
{
    naive_cluster_free(&scenario->cluster);
    naive_region_free(&scenario->region);
    json_decref(scenario->root);
}
