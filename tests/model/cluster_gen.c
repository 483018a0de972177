/* The random generator: pods and their parts draw from small pools of names, so that selectors
 * match, ports collide and topology domains fill up often. */
#include "cluster_gen.h"

#include <string.h>

#define ZONE "topology.kubernetes.io/zone"
#define REGION "topology.kubernetes.io/region"
#define BETA_ZONE "failure-domain.beta.kubernetes.io/zone"
#define HOSTNAME "kubernetes.io/hostname"

/* One item of a pool of texts. */
#define PICK(g, ...)                                                                \
    ({                                                                              \
        static const char *const pool_[] = {__VA_ARGS__};                           \
        naive_str(pool_[gen_below(g, (uint32_t)(sizeof(pool_) / sizeof(*pool_)))]); \
    })

/* An array of up to `max` items of type T, each made by `one`. */
#define SOME(g, type, max, count_out, one)                                 \
    ({                                                                     \
        uint32_t n_ = gen_below(g, (max) + 1);                             \
        type *items_ = naive_alloc(&(g)->region, (n_ + 1) * sizeof(type)); \
        for (uint32_t i_ = 0; i_ < n_; i_++) {                             \
            items_[i_] = one(g);                                           \
        }                                                                  \
        (count_out) = n_;                                                  \
        items_;                                                            \
    })

/* ---- numbers and text ---- */

void gen_init(cluster_gen *g, uint64_t seed, unsigned features)
{
    *g = (cluster_gen){.state = seed, .features = features};
    g->node_names = gen_chance(g, 15) ? 110 + gen_below(g, 120) : 2 + gen_below(g, 40);
    g->zones = 1 + gen_below(g, 4);
}

void gen_free(cluster_gen *g)
{
    naive_region_free(&g->region);
}

uint64_t gen_next(cluster_gen *g)
{
    uint64_t z = (g->state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

uint32_t gen_below(cluster_gen *g, uint32_t bound)
{
    return (uint32_t)((gen_next(g) >> 32) * bound >> 32);
}

bool gen_chance(cluster_gen *g, uint32_t percent)
{
    return gen_below(g, 100) < percent;
}

static berth_str numbered(cluster_gen *g, const char *prefix, uint32_t number)
{
    return naive_str(naive_print(&g->region, "%s%u", prefix, number));
}

static berth_str random_name(cluster_gen *g, const char *prefix, uint32_t count)
{
    return numbered(g, prefix, gen_below(g, count));
}

static void add_label(cluster_gen *g, berth_map *map, const char *key, berth_str value)
{
    berth_key_value *more = naive_alloc(&g->region, (map->count + 1) * sizeof(*more));
    for (uint32_t i = 0; i < map->count; i++) {
        more[i] = map->entries[i];
    }
    more[map->count] = (berth_key_value){naive_str(key), value};
    *map = (berth_map){more, map->count + 1};
}

static void add_resource(cluster_gen *g, berth_resources *list, const char *name,
                         berth_quantity amount)
{
    berth_resource *more = naive_alloc(&g->region, (list->count + 1) * sizeof(*more));
    for (uint32_t i = 0; i < list->count; i++) {
        more[i] = list->items[i];
    }
    more[list->count] = (berth_resource){naive_str(name), amount};
    *list = (berth_resources){more, list->count + 1};
}

static berth_quantity milli(uint32_t amount)
{
    return (berth_quantity){amount / 1000, (int32_t)(amount % 1000) * 1000000};
}

static berth_quantity mebi(uint32_t amount)
{
    return (berth_quantity){(int64_t)amount << 20, 0};
}

static berth_str namespace_name(cluster_gen *g)
{
    return PICK(g, "default", "default", "default", "prod", "dev");
}

/* ---- nodes ---- */

static berth_str image_name(cluster_gen *g)
{
    return PICK(g, "nginx:1.25", "redis:7", "busybox", "busybox:latest", "big/model:v3",
                "host:5000/tool", "host:5000/tool:latest");
}

static berth_image node_image(cluster_gen *g)
{
    static const int64_t sizes[] = {4199230, 47188769, 167775806, 524288000, 1468006539};
    berth_image image = {.size_bytes = sizes[gen_below(g, 5)] + gen_below(g, 3)};
    berth_str *names = naive_alloc(&g->region, 2 * sizeof(*names));
    names[0] = image_name(g);
    names[1] = gen_chance(g, 50) ? names[0] : image_name(g);
    image.names = (berth_strs){names, 1 + gen_below(g, 2)};
    return image;
}

static berth_taint node_taint(cluster_gen *g)
{
    return (berth_taint){
        PICK(g, "dedicated", "spot"), PICK(g, "", "gpu", "infra"),
        PICK(g, "NoSchedule", "PreferNoSchedule", "PreferNoSchedule", "NoExecute")};
}

static berth_map node_labels(cluster_gen *g, berth_str name)
{
    berth_map labels = {0};
    if (gen_chance(g, 90)) {
        add_label(g, &labels, HOSTNAME, name);
    }
    if (gen_chance(g, 85)) {
        add_label(g, &labels, ZONE, random_name(g, "z", g->zones));
    }
    if (gen_chance(g, 10)) {
        add_label(g, &labels, BETA_ZONE, random_name(g, "z", g->zones));
    }
    if (gen_chance(g, 20)) {
        add_label(g, &labels, REGION, PICK(g, "r1", "r2"));
    }
    if (gen_chance(g, 70)) {
        add_label(g, &labels, "rack", random_name(g, "k", 5));
    }
    if (gen_chance(g, 60)) {
        add_label(g, &labels, "disk", PICK(g, "ssd", "hdd", ""));
    }
    if (gen_chance(g, 60)) {
        add_label(g, &labels, "gen", PICK(g, "1", "3", "5", "-2", "x"));
    }
    return labels;
}

static berth_resources node_allocatable(cluster_gen *g)
{
    berth_resources list = {0};
    if (gen_chance(g, 97)) {
        add_resource(g, &list, "cpu", milli(gen_chance(g, 3) ? 0 : 500 * (1 + gen_below(g, 16))));
    }
    if (gen_chance(g, 97)) {
        add_resource(g, &list, "memory", mebi(gen_chance(g, 3) ? 0 : 1024 << gen_below(g, 5)));
    }
    if (gen_chance(g, 98)) {
        add_resource(g, &list, "pods", milli(1000 * (gen_chance(g, 5) ? gen_below(g, 4) : 110)));
    }
    if (gen_chance(g, 70)) {
        add_resource(g, &list, "ephemeral-storage", mebi(10240 * (1 + gen_below(g, 5))));
    }
    if (gen_chance(g, 30)) {
        add_resource(g, &list, "nvidia.com/gpu", milli(1000 * gen_below(g, 9)));
    }
    if (gen_chance(g, 20)) {
        add_resource(g, &list, "example.com/fpga", milli(2000));
    }
    if (gen_chance(g, 20)) {
        add_resource(g, &list, "hugepages-2Mi", mebi(512));
    }
    return list;
}

static berth_condition node_condition(cluster_gen *g)
{
    return (berth_condition){.type = PICK(g, "Ready", "MemoryPressure", "DiskPressure",
                                          "PIDPressure", "NetworkUnavailable"),
                             .status = PICK(g, "True", "True", "False", "Unknown")};
}

const berth_node *gen_node(cluster_gen *g, uint32_t index)
{
    berth_node *node = naive_alloc(&g->region, sizeof(*node));
    node->meta.name = numbered(g, "n", index);
    node->meta.uid = numbered(g, "node-", index);
    node->meta.labels = node_labels(g, node->meta.name);
    node->unschedulable = gen_chance(g, 5);
    node->allocatable = node_allocatable(g);
    if (gen_chance(g, 40)) {
        node->taints = SOME(g, berth_taint, 2, node->taint_count, node_taint);
    }
    node->images = SOME(g, berth_image, 4, node->image_count, node_image);
    if (gen_chance(g, 20)) {
        node->conditions = SOME(g, berth_condition, 2, node->condition_count, node_condition);
    }
    if (gen_chance(g, 10)) {
        add_label(g, &node->meta.annotations, "scheduler.alpha.kubernetes.io/preferAvoidPods",
                  naive_str("{\"preferAvoidPods\": [{\"podSignature\": {\"podController\": "
                            "{\"kind\": \"ReplicaSet\", \"uid\": \"ctl-uid\"}}}]}"));
    }
    return node;
}

/* ---- selectors ---- */

static berth_str pod_label_value(cluster_gen *g, berth_str key)
{
    return naive_is(key, "app") ? PICK(g, "web", "db", "cache", "api") : PICK(g, "dev", "prod");
}

static berth_map pod_labels(cluster_gen *g)
{
    berth_map labels = {0};
    if (gen_chance(g, 85)) {
        add_label(g, &labels, "app", pod_label_value(g, naive_str("app")));
    }
    if (gen_chance(g, 60)) {
        add_label(g, &labels, "env", pod_label_value(g, naive_str("env")));
    }
    return labels;
}

static berth_strs values(cluster_gen *g, berth_str (*one)(cluster_gen *), uint32_t least)
{
    berth_strs list = {.count = least + gen_below(g, 2)};
    berth_str *items = naive_alloc(&g->region, 3 * sizeof(*items));
    for (uint32_t i = 0; i < list.count; i++) {
        items[i] = one(g);
    }
    list.items = items;
    return list;
}

static berth_str app_value(cluster_gen *g)
{
    return pod_label_value(g, naive_str("app"));
}

static berth_requirement label_requirement(cluster_gen *g)
{
    berth_requirement r = {
        PICK(g, "app", "app", "env"), PICK(g, "In", "NotIn", "Exists", "DoesNotExist"), {0}};
    if (naive_is(r.op, "In") || naive_is(r.op, "NotIn")) {
        r.values = values(g, app_value, 1);
    }
    return r;
}

/* NULL, empty, or with requirements. */
static const berth_label_selector *label_selector(cluster_gen *g)
{
    berth_label_selector *s = naive_alloc(&g->region, sizeof(*s));
    if (gen_chance(g, 6)) {
        return NULL;
    }
    if (gen_chance(g, 70)) {
        add_label(g, &s->match_labels, "app", app_value(g));
    }
    if (gen_chance(g, 25)) {
        s->match_expressions.items =
            SOME(g, berth_requirement, 2, s->match_expressions.count, label_requirement);
    }
    return s;
}

static berth_str node_value(cluster_gen *g)
{
    return PICK(g, "z0", "z1", "z2", "k0", "k1", "ssd", "hdd", "", "1", "3", "5", "n1", "n2");
}

static berth_requirement node_requirement(cluster_gen *g)
{
    berth_requirement r = {PICK(g, ZONE, "rack", "disk", "gen", "gen", "missing", HOSTNAME),
                           PICK(g, "In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
                           {0}};
    if (naive_is(r.op, "Gt") || naive_is(r.op, "Lt")) {
        r.key = naive_str("gen");
        r.values = values(g, node_value, gen_chance(g, 90) ? 1 : 0);
        berth_str *operand = naive_alloc(&g->region, 2 * sizeof(*operand));
        operand[0] = PICK(g, "0", "2", "4", "007", "-5", "x");
        operand[1] = naive_str("1");
        r.values.items = operand;
    } else if (naive_is(r.op, "In") || naive_is(r.op, "NotIn")) {
        r.values = values(g, node_value, gen_chance(g, 95) ? 1 : 0);
    }
    if (gen_chance(g, 2)) {
        r.op = naive_str("Unknown");
    }
    return r;
}

static berth_str some_node(cluster_gen *g)
{
    return random_name(g, "n", g->node_names + 1);
}

static berth_requirement field_requirement(cluster_gen *g)
{
    berth_requirement r = {PICK(g, "metadata.name", "metadata.name", "metadata.name", "other"),
                           PICK(g, "In", "In", "In", "NotIn"),
                           {0}};
    r.values = values(g, some_node, 1);
    if (gen_chance(g, 80)) {
        r.values.count = 1;
    }
    return r;
}

static berth_node_selector_term node_term(cluster_gen *g)
{
    berth_node_selector_term t = {0};
    t.match_expressions.items =
        SOME(g, berth_requirement, 2, t.match_expressions.count, node_requirement);
    if (gen_chance(g, 15)) {
        t.match_fields.items =
            SOME(g, berth_requirement, 2, t.match_fields.count, field_requirement);
    }
    return t;
}

/* Without terms that cannot be read: they would make the decision an error. */
static berth_preferred_node_term preferred_node_term(cluster_gen *g)
{
    static const int32_t weights[] = {1, 10, 50, 100};
    berth_preferred_node_term t = {.weight = weights[gen_below(g, 4)]};
    do {
        t.preference = node_term(g);
    } while (!naive_term_valid(&t.preference));
    return t;
}

static berth_node_affinity node_affinity(cluster_gen *g)
{
    berth_node_affinity a = {0};
    if (gen_chance(g, 50)) {
        berth_node_selector *s = naive_alloc(&g->region, sizeof(*s));
        s->terms = SOME(g, berth_node_selector_term, 3, s->count, node_term);
        a.required = s;
    }
    if (gen_chance(g, 60)) {
        a.preferred = SOME(g, berth_preferred_node_term, 3, a.preferred_count, preferred_node_term);
    }
    return a;
}

/* ---- pods ---- */

static berth_str topology_key(cluster_gen *g)
{
    return PICK(g, HOSTNAME, ZONE, ZONE, "rack");
}

static berth_topology_spread spread(cluster_gen *g)
{
    static const berth_str keys[] = {{"env", 3}};
    berth_topology_spread s = {
        .max_skew = 1 + (int32_t)gen_below(g, 3),
        .topology_key = topology_key(g),
        .when_unsatisfiable = PICK(g, "DoNotSchedule", "ScheduleAnyway"),
        .label_selector = label_selector(g),
    };
    if (naive_is(s.when_unsatisfiable, "DoNotSchedule") && gen_chance(g, 30)) {
        s.min_domains = 1 + (int32_t)gen_below(g, 4);
    }
    if (gen_chance(g, 30)) {
        s.node_affinity_policy = PICK(g, "Honor", "Ignore");
    }
    if (gen_chance(g, 30)) {
        s.node_taints_policy = PICK(g, "Honor", "Ignore");
    }
    if (gen_chance(g, 25) && s.label_selector != NULL) {
        s.match_label_keys = (berth_strs){keys, 1};
    }
    return s;
}

/* The API server refuses two constraints of one key and action. */
static void add_spreads(cluster_gen *g, berth_pod *pod)
{
    berth_topology_spread *list = naive_alloc(&g->region, 4 * sizeof(*list));
    uint32_t wanted = 1 + gen_below(g, 3);
    for (uint32_t i = 0; i < wanted; i++) {
        berth_topology_spread s = spread(g);
        bool repeated = false;
        for (uint32_t k = 0; k < pod->spread_count; k++) {
            repeated = repeated || (naive_same(list[k].topology_key, s.topology_key) &&
                                    naive_same(list[k].when_unsatisfiable, s.when_unsatisfiable));
        }
        if (!repeated) {
            list[pod->spread_count++] = s;
        }
    }
    pod->spreads = list;
}

static berth_pod_affinity_term pod_term(cluster_gen *g)
{
    static const int32_t weights[] = {1, 10, 60, 100};
    berth_pod_affinity_term t = {
        .label_selector = label_selector(g),
        .topology_key = topology_key(g),
        .weight = weights[gen_below(g, 4)],
    };
    if (gen_chance(g, 20)) {
        t.namespaces = values(g, namespace_name, 1);
    }
    if (gen_chance(g, 20)) {
        berth_label_selector *s = naive_alloc(&g->region, sizeof(*s));
        if (gen_chance(g, 60)) {
            add_label(g, &s->match_labels, "team", PICK(g, "a", "b"));
        }
        t.namespace_selector = s;
    }
    return t;
}

static berth_pod_affinity pod_affinity(cluster_gen *g, uint32_t required_max)
{
    berth_pod_affinity a = {.present = true};
    a.required = SOME(g, berth_pod_affinity_term, required_max, a.required_count, pod_term);
    a.preferred = SOME(g, berth_pod_affinity_term, 2, a.preferred_count, pod_term);
    return a;
}

static berth_toleration toleration(cluster_gen *g)
{
    berth_toleration t = {PICK(g, "dedicated", "spot", "", "node.kubernetes.io/unschedulable"),
                          PICK(g, "Exists", "Equal", "", "Odd"), PICK(g, "", "gpu", "infra"),
                          PICK(g, "", "NoSchedule", "PreferNoSchedule", "NoExecute")};
    return t;
}

static berth_port host_port(cluster_gen *g)
{
    static const int32_t numbers[] = {0, 80, 443, 8080};
    return (berth_port){PICK(g, "", "", "0.0.0.0", "127.0.0.1", "10.0.0.1", "::"),
                        PICK(g, "", "TCP", "TCP", "UDP", "SCTP"), numbers[gen_below(g, 4)], 80};
}

static berth_resources requests(cluster_gen *g)
{
    static const uint32_t cpu[] = {0, 50, 100, 250, 500, 1000, 2000};
    static const uint32_t memory[] = {0, 64, 128, 256, 1024, 2048};
    berth_resources list = {0};
    if (gen_chance(g, 80)) {
        add_resource(g, &list, "cpu", milli(cpu[gen_below(g, 7)]));
    } else if (gen_chance(g, 30)) {
        add_resource(g, &list, "cpu", (berth_quantity){0, 100000 * (1 + (int32_t)gen_below(g, 9))});
    }
    if (gen_chance(g, 80)) {
        add_resource(g, &list, "memory", mebi(memory[gen_below(g, 6)]));
    } else if (gen_chance(g, 30)) {
        add_resource(g, &list, "memory", (berth_quantity){102, 400000000});
    }
    if (gen_chance(g, 15)) {
        add_resource(g, &list, "ephemeral-storage", mebi(1024 * (1 + gen_below(g, 8))));
    }
    if (gen_chance(g, 8)) {
        add_resource(g, &list, "nvidia.com/gpu", milli(1000 * gen_below(g, 3)));
    }
    if (gen_chance(g, 5)) {
        add_resource(g, &list, "example.com/fpga", milli(1000));
    }
    if (gen_chance(g, 4)) {
        add_resource(g, &list, "hugepages-2Mi", mebi(64));
    }
    if (gen_chance(g, 2)) {
        add_resource(g, &list, "unknown", milli(1000));
    }
    return list;
}

static berth_container container(cluster_gen *g)
{
    berth_container c = {.name = naive_str("c"), .image = image_name(g), .requests = requests(g)};
    if (gen_chance(g, 15)) {
        c.ports = SOME(g, berth_port, 2, c.port_count, host_port);
    }
    c.restart_always = gen_chance(g, 40);
    return c;
}

static berth_volume volume(cluster_gen *g)
{
    static const berth_str monitors[] = {{"m1", 2}, {"m2", 2}, {"m3", 2}};
    static const berth_volume_kind kinds[] = {
        BERTH_VOLUME_CLAIM, BERTH_VOLUME_CLAIM,  BERTH_VOLUME_CLAIM,
        BERTH_VOLUME_CLAIM, BERTH_VOLUME_GCE_PD, BERTH_VOLUME_AWS_EBS,
        BERTH_VOLUME_ISCSI, BERTH_VOLUME_RBD,    BERTH_VOLUME_OTHER};
    berth_volume v = {.name = random_name(g, "v", 3)};
    v.source.kind = kinds[gen_below(g, 9)];
    v.source.read_only = gen_chance(g, 40);
    if (v.source.kind == BERTH_VOLUME_CLAIM) {
        v.source.handle = random_name(g, "claim", gen_chance(g, 3) ? 99 : 10);
    } else if (v.source.kind != BERTH_VOLUME_OTHER) {
        v.source.handle = random_name(g, "disk", 6);
    }
    if (v.source.kind == BERTH_VOLUME_RBD) {
        v.source.pool = PICK(g, "p", "q");
        v.source.monitors = (berth_strs){&monitors[gen_below(g, 2)], 2};
    }
    return v;
}

static bool competes(const cluster_gen *g)
{
    return (g->features & GEN_CLAIMS) == GEN_CLAIMS;
}

/* One of the claims that are not bound from the beginning. */
static berth_volume late_claim(cluster_gen *g)
{
    berth_volume v = {.name = random_name(g, "v", 3)};
    v.source.kind = BERTH_VOLUME_CLAIM;
    v.source.handle = numbered(g, "claim", 5 + gen_below(g, 5));
    return v;
}

static void add_owner(cluster_gen *g, berth_pod *pod)
{
    berth_owner *owner = naive_alloc(&g->region, sizeof(*owner));
    uint32_t kind = gen_below(g, 3);
    *owner = (berth_owner){
        .api_version = naive_str(kind == 0 ? "v1" : "apps/v1"),
        .kind = naive_str(kind == 0   ? "ReplicationController"
                          : kind == 1 ? "ReplicaSet"
                                      : "StatefulSet"),
        .name = random_name(g, "ctl", 2),
        .uid = naive_str("ctl-uid"),
        .controller = gen_chance(g, 90),
    };
    pod->meta.owners = owner;
    pod->meta.owner_count = 1;
}

static void add_constraints(cluster_gen *g, berth_pod *pod)
{
    if (gen_chance(g, 15)) {
        add_label(g, &pod->node_selector, gen_chance(g, 70) ? "disk" : "rack",
                  PICK(g, "ssd", "hdd", "k1", ""));
    }
    if (gen_chance(g, 25)) {
        pod->node_affinity = node_affinity(g);
    }
    if (gen_chance(g, 50)) {
        pod->tolerations = SOME(g, berth_toleration, 3, pod->toleration_count, toleration);
    }
    if ((g->features & GEN_SPREAD) != 0 && gen_chance(g, 30)) {
        add_spreads(g, pod);
    }
    if ((g->features & GEN_AFFINITY) != 0 && gen_chance(g, 25)) {
        pod->pod_affinity = pod_affinity(g, gen_chance(g, 40) ? 2 : 0);
    }
    if ((g->features & GEN_AFFINITY) != 0 && gen_chance(g, 25)) {
        pod->pod_anti_affinity = pod_affinity(g, gen_chance(g, 50) ? 2 : 0);
    }
    if (competes(g) && gen_chance(g, 70)) {
        pod->volumes = SOME(g, berth_volume, 2, pod->volume_count, late_claim);
    } else if ((g->features & GEN_VOLUMES) != 0 && gen_chance(g, 25)) {
        pod->volumes = SOME(g, berth_volume, 3, pod->volume_count, volume);
    }
}

static void fill_pod(cluster_gen *g, berth_pod *pod)
{
    static const int32_t priorities[] = {0, 0, 10, 100, 1000};
    berth_container *c = naive_alloc(&g->region, 2 * sizeof(*c));
    pod->container_count = 1 + gen_below(g, 2);
    for (uint32_t i = 0; i < pod->container_count; i++) {
        c[i] = container(g);
        c[i].restart_always = false;
    }
    pod->containers = c;
    if (gen_chance(g, 15)) {
        pod->init_containers = SOME(g, berth_container, 3, pod->init_container_count, container);
    }
    if (gen_chance(g, 10)) {
        add_resource(g, &pod->overhead, "cpu", milli(250));
        add_resource(g, &pod->overhead, "memory", mebi(120));
    }
    pod->meta.labels = pod_labels(g);
    add_constraints(g, pod);
    if (gen_chance(g, 25)) {
        add_owner(g, pod);
    }
    if ((g->features & GEN_PREEMPTION) != 0) {
        pod->has_priority = true;
        pod->priority = priorities[gen_below(g, 5)];
        pod->preemption_policy = gen_chance(g, 10) ? naive_str("Never") : (berth_str){0};
    }
}

/* What earlier preemptions have left in a pod's status. */
static void add_preemption_status(cluster_gen *g, berth_pod *pod)
{
    static const berth_condition disrupted = {
        {"DisruptionTarget", 16}, {"True", 4}, {"PreemptionByScheduler", 21}};
    bool victim = pod->meta.deleting && gen_chance(g, 60);
    bool nominated = pod->node_name.len == 0 && gen_chance(g, 15);
    pod->conditions = victim ? &disrupted : NULL;
    pod->condition_count = victim ? 1 : 0;
    pod->nominated_node_name =
        nominated ? numbered(g, "n", gen_below(g, g->node_names + 1)) : (berth_str){0};
}

/* Start times differ: which of two equal pods is evicted is left open. */
const berth_pod *gen_pod(cluster_gen *g, uint32_t serial, berth_str node, uint32_t scheduler_count)
{
    berth_pod *pod = naive_alloc(&g->region, sizeof(*pod));
    const berth_pod *model = g->templates[gen_below(g, 6)];
    if (model != NULL && gen_chance(g, 60)) {
        *pod = *model;
        pod->meta.labels = gen_chance(g, 90) ? pod->meta.labels : pod_labels(g);
        pod->meta.deleting = false;
    } else {
        fill_pod(g, pod);
        pod->meta.namespace_name = competes(g) ? naive_str("default") : namespace_name(g);
        g->templates[gen_below(g, 6)] = pod;
    }
    pod->meta.name = numbered(g, "p", serial);
    pod->meta.uid = numbered(g, "pod-", serial);
    pod->scheduler_name = random_name(g, "s", scheduler_count);
    pod->node_name = node;
    pod->phase = naive_str(node.len > 0 ? "Running" : "Pending");
    pod->start_time_ns = 1000000000 * (int64_t)(1 + serial * 7 % 100003);
    pod->meta.deleting = node.len > 0 && gen_chance(g, 5);
    if ((g->features & GEN_PREEMPTION) != 0) {
        add_preemption_status(g, pod);
    }
    return pod;
}

/* ---- other objects ---- */

uint32_t gen_object_names(berth_kind kind)
{
    switch (kind) {
    case BERTH_KIND_NAMESPACE:
    case BERTH_KIND_STORAGE_CLASS:
    case BERTH_KIND_SERVICE:
        return 3;
    case BERTH_KIND_REPLICATION_CONTROLLER:
    case BERTH_KIND_REPLICA_SET:
    case BERTH_KIND_STATEFUL_SET:
    case BERTH_KIND_POD_DISRUPTION_BUDGET:
        return 2;
    case BERTH_KIND_PERSISTENT_VOLUME:
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
    case BERTH_KIND_CSI_NODE:
        return 10;
    case BERTH_KIND_CSI_DRIVER:
        return 1;
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
    case BERTH_KIND_VOLUME_ATTACHMENT:
        return 4;
    default:
        return 0;
    }
}

static berth_strs access_modes(cluster_gen *g)
{
    berth_str *mode = naive_alloc(&g->region, sizeof(*mode));
    *mode = competes(g)
                ? naive_str("ReadWriteOnce")
                : PICK(g, "ReadWriteOnce", "ReadWriteOnce", "ReadOnlyMany", "ReadWriteOncePod");
    return (berth_strs){mode, 1};
}

/* Volumes pv0 to pv4 belong to claims of the same number, the others are free and local. Their
 * capacities differ, so that the smallest is one only, but where pods are to compete. */
static void *gen_volume(cluster_gen *g, uint32_t index)
{
    berth_persistent_volume *v = naive_alloc(&g->region, sizeof(*v));
    berth_node_selector *s = naive_alloc(&g->region, sizeof(*s));
    berth_node_selector_term *t = naive_alloc(&g->region, sizeof(*t));
    berth_requirement *r = naive_alloc(&g->region, sizeof(*r));
    v->capacity = mebi(1024 + 512 * gen_below(g, 3) + (competes(g) ? 0 : index));
    v->access_modes = access_modes(g);
    v->storage_class = naive_str(index < 5 ? "class0" : "class2");
    v->has_claim_ref = index < 5;
    v->phase = naive_str(index < 5 ? "Bound" : "Available");
    v->source.kind = BERTH_VOLUME_OTHER;
    if (v->has_claim_ref) {
        v->claim_namespace = naive_str("default");
        v->claim_name = numbered(g, "claim", index);
        v->claim_uid = numbered(g, "claim-uid-", index);
        v->source.kind = gen_chance(g, 70) ? BERTH_VOLUME_CSI : BERTH_VOLUME_GCE_PD;
        v->source.driver = naive_str("driver0");
        v->source.handle = numbered(g, "handle", index);
        if (gen_chance(g, 50)) {
            add_label(g, &v->meta.labels, ZONE,
                      PICK(g, "z0", "z1", "z0__z1", " z1 __z2", "z0__", "a-b-c__a-b-d"));
        }
    }
    if (gen_chance(g, competes(g) ? 20 : 60)) {
        bool zonal = gen_chance(g, 50);
        *r = (berth_requirement){naive_str(zonal ? ZONE : "rack"), naive_str("In"), {0}};
        r->values = values(g, node_value, 1);
        t->match_expressions = (berth_requirements){r, 1};
        *s = (berth_node_selector){t, 1};
        v->node_affinity = s;
    }
    return v;
}

static void *gen_claim(cluster_gen *g, uint32_t index)
{
    berth_persistent_volume_claim *c = naive_alloc(&g->region, sizeof(*c));
    c->meta.namespace_name = naive_str("default");
    c->meta.uid = numbered(g, "claim-uid-", index);
    c->access_modes = access_modes(g);
    c->request = mebi(512 * (1 + gen_below(g, 4)));
    c->storage_class = naive_str(index < 5 ? "class0" : index < 8 ? "class2" : "class1");
    c->phase = naive_str(index < 5 ? "Bound" : "Pending");
    c->meta.deleting = gen_chance(g, 2);
    if (index < 5) {
        c->volume_name = numbered(g, "pv", index);
        add_label(g, &c->meta.annotations, "pv.kubernetes.io/bind-completed", naive_str("yes"));
    } else if (gen_chance(g, 5)) {
        c->storage_class = PICK(g, "", "class0", "absent");
    }
    return c;
}

static berth_str zone_value(cluster_gen *g)
{
    return random_name(g, "z", 4);
}

/* class0: immediate; class1: provisioned late; class2: local volumes only. */
static void *gen_class(cluster_gen *g, uint32_t index)
{
    berth_storage_class *c = naive_alloc(&g->region, sizeof(*c));
    c->provisioner = naive_str(index == 2 ? "kubernetes.io/no-provisioner" : "driver0");
    c->binding_mode = naive_str(index == 0 ? "Immediate" : "WaitForFirstConsumer");
    if (index == 1 && gen_chance(g, 50)) {
        berth_topology_term *t = naive_alloc(&g->region, sizeof(*t));
        berth_requirement *r = naive_alloc(&g->region, sizeof(*r));
        *r = (berth_requirement){naive_str(ZONE), naive_str("In"), values(g, zone_value, 1)};
        t->expressions = (berth_requirements){r, gen_chance(g, 90)};
        c->allowed_topologies = t;
        c->allowed_topology_count = 1;
    }
    return c;
}

static void *gen_csi_node(cluster_gen *g)
{
    berth_csi_node *n = naive_alloc(&g->region, sizeof(*n));
    berth_csi_node_driver *d = naive_alloc(&g->region, 2 * sizeof(*d));
    d[0] = (berth_csi_node_driver){naive_str("driver0"), naive_str("x"), gen_chance(g, 90),
                                   1 + (int32_t)gen_below(g, 3)};
    d[1] = (berth_csi_node_driver){naive_str("pd.csi.storage.gke.io"), naive_str("x"), true, 2};
    n->drivers = d;
    n->driver_count = 1 + gen_below(g, 2);
    return n;
}

static void *gen_capacity(cluster_gen *g, uint32_t index)
{
    berth_csi_storage_capacity *c = naive_alloc(&g->region, sizeof(*c));
    berth_label_selector *s = naive_alloc(&g->region, sizeof(*s));
    c->meta.namespace_name = naive_str("default");
    c->storage_class = naive_str("class1");
    add_label(g, &s->match_labels, ZONE, numbered(g, "z", index));
    c->node_topology = gen_chance(g, 90) ? s : NULL;
    c->has_capacity = gen_chance(g, 90);
    c->capacity = mebi(512 * gen_below(g, 6));
    c->has_maximum_volume_size = gen_chance(g, 30);
    c->maximum_volume_size = mebi(512 * gen_below(g, 6));
    return c;
}

static void *gen_attachment(cluster_gen *g)
{
    berth_volume_attachment *a = naive_alloc(&g->region, sizeof(*a));
    a->attacher = naive_str("driver0");
    a->node_name = some_node(g);
    a->persistent_volume = random_name(g, "pv", 5);
    return a;
}

static void *gen_service(cluster_gen *g)
{
    berth_service *s = naive_alloc(&g->region, sizeof(*s));
    s->meta.namespace_name = namespace_name(g);
    s->has_selector = gen_chance(g, 90);
    if (s->has_selector && gen_chance(g, 95)) {
        add_label(g, &s->selector, "app", app_value(g));
    }
    return s;
}

static void *gen_controller(cluster_gen *g, bool map_only)
{
    berth_controller *c = naive_alloc(&g->region, sizeof(*c));
    berth_label_selector *s = naive_alloc(&g->region, sizeof(*s));
    c->meta.namespace_name = namespace_name(g);
    add_label(g, &s->match_labels, "env", pod_label_value(g, naive_str("env")));
    c->selector = map_only ? s : label_selector(g);
    return c;
}

static void *gen_budget(cluster_gen *g)
{
    berth_pod_disruption_budget *b = naive_alloc(&g->region, sizeof(*b));
    b->meta.namespace_name = namespace_name(g);
    b->selector = label_selector(g);
    b->disruptions_allowed = (int32_t)gen_below(g, 3);
    return b;
}

static void *gen_namespace(cluster_gen *g)
{
    berth_namespace *n = naive_alloc(&g->region, sizeof(*n));
    if (gen_chance(g, 80)) {
        add_label(g, &n->meta.labels, "team", PICK(g, "a", "b"));
    }
    return n;
}

static void *gen_driver(cluster_gen *g)
{
    berth_csi_driver *d = naive_alloc(&g->region, sizeof(*d));
    d->storage_capacity = gen_chance(g, 60);
    return d;
}

/* Whether a kind matters to what is generated. */
static bool wanted_kind(const cluster_gen *g, berth_kind kind)
{
    if (kind >= BERTH_KIND_STORAGE_CLASS && kind <= BERTH_KIND_VOLUME_ATTACHMENT) {
        return (g->features & GEN_VOLUMES) != 0;
    }
    if (kind >= BERTH_KIND_SERVICE && kind <= BERTH_KIND_STATEFUL_SET) {
        return (g->features & GEN_SPREAD) != 0;
    }
    if (kind == BERTH_KIND_POD_DISRUPTION_BUDGET) {
        return (g->features & GEN_PREEMPTION) != 0;
    }
    return kind != BERTH_KIND_NAMESPACE || (g->features & GEN_AFFINITY) != 0;
}

bool gen_object(cluster_gen *g, berth_kind kind, uint32_t index, berth_object *out)
{
    static const char *const namespaces[] = {"default", "prod", "dev"};
    static const struct {
        berth_kind kind;
        const char *prefix;
    } prefixes[] = {
        {BERTH_KIND_STORAGE_CLASS, "class"},
        {BERTH_KIND_PERSISTENT_VOLUME, "pv"},
        {BERTH_KIND_PERSISTENT_VOLUME_CLAIM, "claim"},
        {BERTH_KIND_CSI_NODE, "n"},
        {BERTH_KIND_CSI_DRIVER, "driver"},
        {BERTH_KIND_CSI_STORAGE_CAPACITY, "capacity"},
        {BERTH_KIND_VOLUME_ATTACHMENT, "attachment"},
        {BERTH_KIND_SERVICE, "service"},
        {BERTH_KIND_REPLICATION_CONTROLLER, "ctl"},
        {BERTH_KIND_REPLICA_SET, "ctl"},
        {BERTH_KIND_STATEFUL_SET, "ctl"},
        {BERTH_KIND_POD_DISRUPTION_BUDGET, "budget"},
    };
    void *made = NULL;
    if (!wanted_kind(g, kind)) {
        return false;
    }
    switch (kind) {
    case BERTH_KIND_NAMESPACE:
        made = gen_namespace(g);
        break;
    case BERTH_KIND_STORAGE_CLASS:
        made = gen_class(g, index);
        break;
    case BERTH_KIND_CSI_DRIVER:
        made = gen_driver(g);
        break;
    case BERTH_KIND_CSI_NODE:
        made = gen_csi_node(g);
        break;
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
        made = gen_capacity(g, index);
        break;
    case BERTH_KIND_PERSISTENT_VOLUME:
        made = gen_volume(g, index);
        break;
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        made = gen_claim(g, index);
        break;
    case BERTH_KIND_VOLUME_ATTACHMENT:
        made = gen_attachment(g);
        break;
    case BERTH_KIND_SERVICE:
        made = gen_service(g);
        break;
    case BERTH_KIND_REPLICATION_CONTROLLER:
        made = gen_controller(g, true);
        break;
    case BERTH_KIND_REPLICA_SET:
    case BERTH_KIND_STATEFUL_SET:
        made = gen_controller(g, false);
        break;
    case BERTH_KIND_POD_DISRUPTION_BUDGET:
        made = gen_budget(g);
        break;
    default:
        return false;
    }
    berth_metadata *meta = made;
    if (kind == BERTH_KIND_NAMESPACE) {
        meta->name = naive_str(namespaces[index]);
    }
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (prefixes[i].kind == kind) {
            meta->name = numbered(g, prefixes[i].prefix, index);
        }
    }
    out->kind = kind;
    out->as.any = made;
    return true;
}

/* ---- profiles ---- */

static void fit_args(cluster_gen *g, berth_fit_args *fit)
{
    static const berth_shape_point shapes[][3] = {
        {{0, 0}, {100, 10}, {0, 0}}, {{0, 10}, {100, 0}, {0, 0}}, {{10, 3}, {40, 9}, {95, 1}}};
    static const uint32_t counts[] = {2, 2, 3};
    static const char *const names[] = {"cpu", "memory", "nvidia.com/gpu", "ephemeral-storage",
                                        "hugepages-2Mi"};
    static const berth_str ignored[] = {{"example.com/fpga", 16}};
    static const berth_str groups[] = {{"nvidia.com", 10}};
    uint32_t shape = gen_below(g, 3);
    fit->strategy = (berth_fit_strategy)gen_below(g, 3);
    fit->shape = shapes[shape];
    fit->shape_count = counts[shape];
    if (fit->strategy != BERTH_FIT_REQUESTED_TO_CAPACITY_RATIO) {
        fit->shape = NULL;
        fit->shape_count = 0;
    }
    if (gen_chance(g, 70)) {
        berth_weighted_resource *r = naive_alloc(&g->region, 5 * sizeof(*r));
        for (uint32_t i = 0; i < 5; i++) {
            if (i == 0 || gen_chance(g, 40)) {
                r[fit->resource_count++] =
                    (berth_weighted_resource){naive_str(names[i]), 1 + gen_below(g, 5)};
            }
        }
        fit->resources = r;
    }
    fit->ignored_resources = (berth_strs){ignored, gen_chance(g, 30)};
    fit->ignored_resource_groups = (berth_strs){groups, gen_chance(g, 20)};
}

static void balanced_args(cluster_gen *g, berth_balanced_args *balanced)
{
    berth_weighted_resource *r = naive_alloc(&g->region, 3 * sizeof(*r));
    r[0] = (berth_weighted_resource){naive_str("cpu"), 1};
    r[1] = (berth_weighted_resource){naive_str("memory"), 1};
    r[2] = (berth_weighted_resource){naive_str("nvidia.com/gpu"), 1};
    balanced->resources = r;
    balanced->resource_count = 1 + gen_below(g, 3);
}

static void spread_args(cluster_gen *g, berth_spread_args *args)
{
    berth_topology_spread *list = naive_alloc(&g->region, 2 * sizeof(*list));
    args->list_defaulting = true;
    for (uint32_t i = 0; i < 2; i++) {
        list[i] = (berth_topology_spread){
            .max_skew = 1 + (int32_t)gen_below(g, 2),
            .topology_key = naive_str(i == 0 ? ZONE : "rack"),
            .when_unsatisfiable = PICK(g, "DoNotSchedule", "ScheduleAnyway"),
        };
    }
    args->default_constraints = list;
    args->default_constraint_count = gen_below(g, 3);
}

static const berth_plugin_args *plugin_args(cluster_gen *g, berth_str name)
{
    berth_plugin_args *args = naive_alloc(&g->region, sizeof(*args));
    if (!gen_chance(g, 60)) {
        return NULL;
    }
    args->inter_pod_affinity.hard_pod_affinity_weight = 1;
    if (naive_is(name, "NodeResourcesFit")) {
        fit_args(g, &args->fit);
    } else if (naive_is(name, "NodeResourcesBalancedAllocation")) {
        balanced_args(g, &args->balanced);
    } else if (naive_is(name, "NodeAffinity") && gen_chance(g, 40)) {
        args->node_affinity.added_affinity = node_affinity(g);
        const berth_node_selector *required = args->node_affinity.added_affinity.required;
        for (uint32_t i = 0; required != NULL && i < required->count; i++) {
            if (!naive_term_valid(&required->terms[i])) {
                args->node_affinity.added_affinity.required = NULL; /* refused by a configuration */
                break;
            }
        }
        if (required != NULL && required->count == 0) {
            args->node_affinity.added_affinity.required = NULL;
        }
    } else if (naive_is(name, "InterPodAffinity")) {
        args->inter_pod_affinity.hard_pod_affinity_weight = (int32_t)gen_below(g, 4) * 30;
        args->inter_pod_affinity.ignore_preferred_terms_of_existing_pods = gen_chance(g, 40);
    } else if (naive_is(name, "PodTopologySpread")) {
        spread_args(g, &args->spread);
    } else if (naive_is(name, "DefaultPreemption")) {
        args->preemption = (berth_preemption_args){100, 1000}; /* every node is tried */
    } else {
        return NULL;
    }
    return args;
}

/* What is left out is left out at every point that a decision reads. */
static void add_refs(cluster_gen *g, const berth_profile *base, const bool *kept,
                     const berth_plugin_ref *all, uint32_t all_count, berth_profile *out)
{
    for (int p = 0; p < BERTH_POINT_COUNT; p++) {
        const berth_plugin_list *from = &base->points[p];
        berth_plugin_ref *to = naive_alloc(&g->region, (from->count + 1) * sizeof(*to));
        uint32_t count = 0;
        for (uint32_t i = 0; i < from->count; i++) {
            for (uint32_t k = 0; k < all_count; k++) {
                if (kept[k] && naive_same(all[k].name, from->items[i].name)) {
                    to[count] = from->items[i];
                    to[count].args = all[k].args;
                    to[count].weight = p == BERTH_POINT_SCORE ? all[k].weight : 0;
                    count++;
                }
            }
        }
        out->points[p] = (berth_plugin_list){to, count};
    }
}

berth_profile *gen_profile(cluster_gen *g, uint32_t index, const berth_profile *base,
                           gen_has_fn has, void *context)
{
    static const int32_t percentages[] = {0, 0, 100, 100, 5, 20, 50, 70};
    berth_profile *out = naive_alloc(&g->region, sizeof(*out));
    berth_plugin_ref all[64];
    bool kept[64];
    uint32_t count = 0;
    bool plain = gen_chance(g, 25); /* the default profile as it is */
    for (int p = 0; p < BERTH_POINT_COUNT; p++) {
        for (uint32_t i = 0; i < base->points[p].count; i++) {
            const berth_plugin_ref *ref = &base->points[p].items[i];
            uint32_t k = 0;
            while (k < count && !naive_same(all[k].name, ref->name)) {
                k++;
            }
            if (k == count) {
                all[count++] = (berth_plugin_ref){.name = ref->name};
            }
            all[k].weight = p == BERTH_POINT_SCORE ? ref->weight : all[k].weight;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        kept[k] = has(context, all[k].name) && (plain || gen_chance(g, 90));
        if (!plain) {
            all[k].args = plugin_args(g, all[k].name);
            all[k].weight = gen_chance(g, 40) ? 1 + (int32_t)gen_below(g, 9) : all[k].weight;
            all[k].weight = all[k].weight > 0 ? all[k].weight : 1;
        }
        if (naive_is(all[k].name, "PrioritySort") || naive_is(all[k].name, "DefaultBinder")) {
            kept[k] = true;
        }
    }
    add_refs(g, base, kept, all, count, out);
    if (gen_chance(g, 3)) {
        out->points[BERTH_POINT_SCORE].count = 0; /* the first feasible node will do */
        out->points[BERTH_POINT_PRE_SCORE].count = 0;
    }
    out->scheduler_name = numbered(g, "s", index);
    out->percentage_of_nodes_to_score = percentages[gen_below(g, 8)];
    out->min_feasible_nodes = gen_chance(g, 60) ? 1 + (int32_t)gen_below(g, 8) : 0;
    uint32_t tie = gen_below(g, 100);
    out->tie = tie < 35 ? BERTH_TIE_FIRST : tie < 80 ? BERTH_TIE_KUBERNETES : BERTH_TIE_RANDOM;
    return out;
}

/* In the order in which v1.15 evaluates them. */
static const struct {
    const char *name;
    unsigned feature;
} predicates[] =
    {
        {"CheckNodeCondition", 0},
        {"CheckNodeUnschedulable", 0},
        {"GeneralPredicates", 0},
        {"HostName", 0},
        {"PodFitsHostPorts", 0},
        {"MatchNodeSelector", 0},
        {"PodFitsResources", 0},
        {"NoDiskConflict", GEN_VOLUMES},
        {"PodToleratesNodeTaints", 0},
        {"CheckNodeLabelPresence", 0},
        {"CheckServiceAffinity", GEN_SPREAD},
        {"MaxEBSVolumeCount", GEN_VOLUMES},
        {"MaxGCEPDVolumeCount", GEN_VOLUMES},
        {"CheckNodeMemoryPressure", 0},
        {"CheckNodePIDPressure", 0},
        {"CheckNodeDiskPressure", 0},
        {"MatchInterPodAffinity", GEN_AFFINITY},
},
  priorities[] = {
      {"LeastRequestedPriority", 0},
      {"MostRequestedPriority", 0},
      {"BalancedResourceAllocation", 0},
      {"SelectorSpreadPriority", GEN_SPREAD},
      {"ServiceSpreadingPriority", GEN_SPREAD},
      {"ServiceAntiAffinityPriority", GEN_SPREAD},
      {"ImageLocalityPriority", 0},
      {"NodeAffinityPriority", 0},
      {"TaintTolerationPriority", 0},
      {"InterPodAffinityPriority", GEN_AFFINITY},
      {"NodePreferAvoidPodsPriority", 0},
      {"NodeLabelPriority", 0},
      {"RequestedToCapacityRatioPriority", 0},
      {"EqualPriority", 0},
};

static const berth_plugin_args *legacy_args(cluster_gen *g)
{
    static const berth_shape_point shape[] = {{0, 2}, {50, 10}, {100, 1}};
    static const berth_str labels[] = {{"rack", 4}, {"disk", 4}};
    berth_plugin_args *args = naive_alloc(&g->region, sizeof(*args));
    args->label.labels = (berth_strs){&labels[gen_below(g, 2)], 1};
    args->label.presence = gen_chance(g, 60);
    args->inter_pod_affinity.hard_pod_affinity_weight = (int32_t)gen_below(g, 3) * 20;
    args->fit.shape = shape;
    args->fit.shape_count = 3;
    return args;
}

berth_profile *gen_legacy_profile(cluster_gen *g, uint32_t index, gen_has_fn has, void *context)
{
    const uint32_t predicate_count = sizeof(predicates) / sizeof(predicates[0]);
    const uint32_t priority_count = sizeof(priorities) / sizeof(priorities[0]);
    berth_profile *out = naive_alloc(&g->region, sizeof(*out));
    berth_plugin_ref *filters = naive_alloc(&g->region, predicate_count * sizeof(*filters));
    berth_plugin_ref *scores = naive_alloc(&g->region, priority_count * sizeof(*scores));
    uint32_t filter_count = 0, score_count = 0;
    for (uint32_t i = 0; i < predicate_count; i++) {
        berth_str name = naive_str(predicates[i].name);
        unsigned feature = predicates[i].feature;
        if (gen_chance(g, 60) && (g->features & feature) == feature && has(context, name)) {
            filters[filter_count++] = (berth_plugin_ref){.name = name, .args = legacy_args(g)};
        }
    }
    for (uint32_t i = 0; i < priority_count; i++) {
        berth_str name = naive_str(priorities[i].name);
        unsigned feature = priorities[i].feature;
        if (gen_chance(g, 60) && (g->features & feature) == feature && has(context, name)) {
            scores[score_count++] = (berth_plugin_ref){
                .name = name, .weight = 1 + (int32_t)gen_below(g, 5), .args = legacy_args(g)};
        }
    }
    out->points[BERTH_POINT_FILTER] = (berth_plugin_list){filters, filter_count};
    out->points[BERTH_POINT_SCORE] = (berth_plugin_list){scores, score_count};
    out->scheduler_name = numbered(g, "s", index);
    out->era = BERTH_ERA_V1ALPHA1;
    out->percentage_of_nodes_to_score = (int32_t[]){100, 100, 100, 0, 10, 60}[gen_below(g, 6)];
    out->min_feasible_nodes = gen_chance(g, 60) ? 1 + (int32_t)gen_below(g, 8) : 0;
    out->always_check_all = gen_chance(g, 50);
    out->tie = gen_chance(g, 50) ? BERTH_TIE_ROUND_ROBIN : BERTH_TIE_FIRST;
    return out;
}
