/* The random generator: pods and their parts draw from small pools of names, so selectors often
 * match, ports collide and topology domains fill up. */
#include "berth/engine.h"
#include "cluster_gen_parts.h"

/* ---- numbers and text ---- */

void gen_init(cluster_gen *g, uint64_t seed, unsigned features)
{
    *g = (cluster_gen){.state = seed, .features = features};
    g->node_names = gen_chance(g, 15) ? 110 + gen_below(g, 120) : 2 + gen_below(g, 40);
    g->zones = 1 + gen_below(g, 4);
    g->devices = (features & GEN_VOLUMES) != 0 && seed % 4 == 2;
}

void gen_set_release(cluster_gen *g, uint64_t pick)
{
    static const uint32_t releases[] = {32, 33, 34, 35, BERTH_KUBERNETES(36, 2), 36, 37};
    g->release = releases[pick % (sizeof(releases) / sizeof(releases[0]))];
    g->kubernetes = g->release & UINT16_MAX;
    g->early_patch = g->release == BERTH_KUBERNETES(36, 2);
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

berth_str gen_numbered(cluster_gen *g, const char *prefix, uint32_t number)
{
    return naive_str(naive_print(&g->region, "%s%u", prefix, number));
}

berth_str gen_random_name(cluster_gen *g, const char *prefix, uint32_t count)
{
    return gen_numbered(g, prefix, gen_below(g, count));
}

void gen_add_label(cluster_gen *g, berth_map *map, const char *key, berth_str value)
{
    berth_key_value *more = naive_alloc(&g->region, (map->count + 1) * sizeof(*more));
    for (uint32_t i = 0; i < map->count; i++) {
        more[i] = map->entries[i];
    }
    more[map->count] = (berth_key_value){naive_str(key), value};
    *map = (berth_map){more, map->count + 1};
}

void gen_add_resource(cluster_gen *g, berth_resources *list, const char *name,
                      berth_quantity amount)
{
    berth_resource *more = naive_alloc(&g->region, (list->count + 1) * sizeof(*more));
    for (uint32_t i = 0; i < list->count; i++) {
        more[i] = list->items[i];
    }
    more[list->count] = (berth_resource){naive_str(name), amount};
    *list = (berth_resources){more, list->count + 1};
}

berth_quantity gen_milli(uint32_t amount)
{
    return (berth_quantity){amount / 1000, (int32_t)(amount % 1000) * 1000000};
}

berth_quantity gen_mebi(uint32_t amount)
{
    return (berth_quantity){(int64_t)amount << 20, 0};
}

berth_str gen_namespace_name(cluster_gen *g)
{
    return PICK(g, "default", "default", "default", "prod", "dev");
}

/* ---- nodes ---- */

berth_str gen_image_name(cluster_gen *g)
{
    return PICK(g, "nginx:1.25", "redis:7", "busybox", "busybox:latest", "big/model:v3",
                "host:5000/tool", "host:5000/tool:latest");
}

static berth_image node_image(cluster_gen *g)
{
    static const int64_t sizes[] = {4199230,   47188769,   167775806,
                                    524288000, 1468006539, 6442450945};
    berth_image image = {.size_bytes = sizes[gen_below(g, 6)] + gen_below(g, 3)};
    berth_str *names = naive_alloc(&g->region, 2 * sizeof(*names));
    names[0] = gen_image_name(g);
    names[1] = gen_chance(g, 50) ? names[0] : gen_image_name(g);
    image.names = (berth_strs){names, 1 + gen_below(g, 2)};
    return image;
}

static berth_taint node_taint(cluster_gen *g)
{
    return (berth_taint){PICK(g, "dedicated", "spot"), PICK(g, "", "gpu", "infra"),
                         PICK(g, "NoSchedule", "PreferNoSchedule", "PreferNoSchedule", "NoExecute"),
                         NULL};
}

static berth_map node_labels(cluster_gen *g, berth_str name)
{
    berth_map labels = {0};
    if (gen_chance(g, 90)) {
        gen_add_label(g, &labels, HOSTNAME, name);
    }
    if (gen_chance(g, 85)) {
        gen_add_label(g, &labels, ZONE, gen_random_name(g, "z", g->zones));
    }
    if (gen_chance(g, 10)) {
        gen_add_label(g, &labels, BETA_ZONE, gen_random_name(g, "z", g->zones));
    }
    if (gen_chance(g, 20)) {
        gen_add_label(g, &labels, REGION, PICK(g, "r1", "r2"));
    }
    if (gen_chance(g, 70)) {
        gen_add_label(g, &labels, "rack", gen_random_name(g, "k", 5));
    }
    if (gen_chance(g, 60)) {
        gen_add_label(g, &labels, "disk", PICK(g, "ssd", "hdd", ""));
    }
    if (gen_chance(g, 60)) {
        gen_add_label(g, &labels, "gen", PICK(g, "1", "3", "5", "-2", "x"));
    }
    return labels;
}

static berth_resources node_allocatable(cluster_gen *g)
{
    berth_resources list = {0};
    if (gen_chance(g, 97)) {
        gen_add_resource(g, &list, "cpu",
                         gen_milli(gen_chance(g, 3) ? 0 : 500 * (1 + gen_below(g, 16))));
    }
    if (gen_chance(g, 97)) {
        gen_add_resource(g, &list, "memory",
                         gen_mebi(gen_chance(g, 3) ? 0 : 1024 << gen_below(g, 5)));
    }
    if (gen_chance(g, 98)) {
        gen_add_resource(g, &list, "pods",
                         gen_milli(1000 * (gen_chance(g, 5) ? gen_below(g, 4) : 110)));
    }
    if (gen_chance(g, 70)) {
        gen_add_resource(g, &list, "ephemeral-storage", gen_mebi(10240 * (1 + gen_below(g, 5))));
    }
    if (gen_chance(g, 30)) {
        gen_add_resource(g, &list, "nvidia.com/gpu", gen_milli(1000 * gen_below(g, 9)));
    }
    if (gen_chance(g, 20)) {
        gen_add_resource(g, &list, "example.com/fpga", gen_milli(2000));
    }
    if (gen_chance(g, 20)) {
        gen_add_resource(g, &list, "hugepages-2Mi", gen_mebi(512));
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
    node->meta.name = gen_numbered(g, "n", index);
    node->meta.uid = gen_numbered(g, "node-", index);
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
        gen_add_label(g, &node->meta.annotations, "scheduler.alpha.kubernetes.io/preferAvoidPods",
                      naive_str("{\"preferAvoidPods\": [{\"podSignature\": {\"podController\": "
                                "{\"kind\": \"ReplicaSet\", \"uid\": \"ctl-uid\"}}}]}"));
    }
    gen_recent_node(g, node);
    return node;
}

/* ---- selectors ---- */

berth_str gen_pod_label_value(cluster_gen *g, berth_str key)
{
    return naive_is(key, "app") ? PICK(g, "web", "db", "cache", "api") : PICK(g, "dev", "prod");
}

static berth_map pod_labels(cluster_gen *g)
{
    berth_map labels = {0};
    if (gen_chance(g, 85)) {
        gen_add_label(g, &labels, "app", gen_pod_label_value(g, naive_str("app")));
    }
    if (gen_chance(g, 60)) {
        gen_add_label(g, &labels, "env", gen_pod_label_value(g, naive_str("env")));
    }
    return labels;
}

berth_strs gen_values(cluster_gen *g, berth_str (*one)(cluster_gen *), uint32_t least)
{
    berth_strs list = {.count = least + gen_below(g, 2)};
    berth_str *items = naive_alloc(&g->region, 3 * sizeof(*items));
    for (uint32_t i = 0; i < list.count; i++) {
        items[i] = one(g);
    }
    list.items = items;
    return list;
}

berth_str gen_app_value(cluster_gen *g)
{
    return gen_pod_label_value(g, naive_str("app"));
}

static berth_requirement label_requirement(cluster_gen *g)
{
    berth_requirement r = {
        PICK(g, "app", "app", "env"), PICK(g, "In", "NotIn", "Exists", "DoesNotExist"), {0}};
    if (naive_is(r.op, "In") || naive_is(r.op, "NotIn")) {
        r.values = gen_values(g, gen_app_value, 1);
    }
    return r;
}

/* Returns NULL, an empty selector, or one with requirements. */
const berth_label_selector *gen_label_selector(cluster_gen *g)
{
    berth_label_selector *s = naive_alloc(&g->region, sizeof(*s));
    if (gen_chance(g, 6)) {
        return NULL;
    }
    if (gen_chance(g, 70)) {
        gen_add_label(g, &s->match_labels, "app", gen_app_value(g));
    }
    if (gen_chance(g, 25)) {
        s->match_expressions.items =
            SOME(g, berth_requirement, 2, s->match_expressions.count, label_requirement);
    }
    return s;
}

berth_str gen_node_value(cluster_gen *g)
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
        r.values = gen_values(g, gen_node_value, gen_chance(g, 90) ? 1 : 0);
        berth_str *operand = naive_alloc(&g->region, 2 * sizeof(*operand));
        operand[0] = PICK(g, "0", "2", "4", "007", "-5", "x");
        operand[1] = naive_str("1");
        r.values.items = operand;
    } else if (naive_is(r.op, "In") || naive_is(r.op, "NotIn")) {
        r.values = gen_values(g, gen_node_value, gen_chance(g, 95) ? 1 : 0);
    }
    if (gen_chance(g, 2)) {
        r.op = naive_str("Unknown");
    }
    return r;
}

berth_str gen_some_node(cluster_gen *g)
{
    return gen_random_name(g, "n", g->node_names + 1);
}

static berth_requirement field_requirement(cluster_gen *g)
{
    berth_requirement r = {PICK(g, "metadata.name", "metadata.name", "metadata.name", "other"),
                           PICK(g, "In", "In", "In", "NotIn"),
                           {0}};
    r.values = gen_values(g, gen_some_node, 1);
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

/* Makes no unreadable terms: they would make the decision an error. */
static berth_preferred_node_term preferred_node_term(cluster_gen *g)
{
    static const int32_t weights[] = {1, 10, 50, 100};
    berth_preferred_node_term t = {.weight = weights[gen_below(g, 4)]};
    do {
        t.preference = node_term(g);
    } while (!naive_term_valid(&t.preference));
    return t;
}

berth_node_affinity gen_node_affinity(cluster_gen *g)
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
        .max_skew = gen_chance(g, 4) ? INT32_MAX : 1 + (int32_t)gen_below(g, 3),
        .topology_key = topology_key(g),
        .when_unsatisfiable = PICK(g, "DoNotSchedule", "ScheduleAnyway"),
        .label_selector = gen_label_selector(g),
    };
    if (naive_is(s.when_unsatisfiable, "DoNotSchedule") && gen_chance(g, 30)) {
        s.min_domains = gen_chance(g, 5) ? INT32_MAX : 1 + (int32_t)gen_below(g, 4);
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
        .label_selector = gen_label_selector(g),
        .topology_key = topology_key(g),
        .weight = weights[gen_below(g, 4)],
    };
    if (gen_chance(g, 20)) {
        t.namespaces = gen_values(g, gen_namespace_name, 1);
    }
    if (gen_chance(g, 20)) {
        berth_label_selector *s = naive_alloc(&g->region, sizeof(*s));
        if (gen_chance(g, 60)) {
            gen_add_label(g, &s->match_labels, "team", PICK(g, "a", "b"));
        }
        gen_recent_namespaces(g, s);
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
                          PICK(g, "", "NoSchedule", "PreferNoSchedule", "NoExecute"), NULL};
    return t;
}

static berth_port host_port(cluster_gen *g)
{
    static const int32_t numbers[] = {0, 80, 443, 8080};
    return (berth_port){PICK(g, "", "", "0.0.0.0", "127.0.0.1", "10.0.0.1", "::"),
                        PICK(g, "", "TCP", "TCP", "UDP", "SCTP"), numbers[gen_below(g, 4)], 80,
                        NULL};
}

berth_resources gen_requests(cluster_gen *g)
{
    static const uint32_t cpu[] = {0, 50, 100, 250, 500, 1000, 2000};
    static const uint32_t memory[] = {0, 64, 128, 256, 1024, 2048};
    berth_resources list = {0};
    if (gen_chance(g, 80)) {
        gen_add_resource(g, &list, "cpu", gen_milli(cpu[gen_below(g, 7)]));
    } else if (gen_chance(g, 30)) {
        gen_add_resource(g, &list, "cpu",
                         (berth_quantity){0, 100000 * (1 + (int32_t)gen_below(g, 9))});
    }
    if (gen_chance(g, 80)) {
        gen_add_resource(g, &list, "memory", gen_mebi(memory[gen_below(g, 6)]));
    } else if (gen_chance(g, 30)) {
        gen_add_resource(g, &list, "memory", (berth_quantity){102, 400000000});
    }
    if (gen_chance(g, 15)) {
        gen_add_resource(g, &list, "ephemeral-storage", gen_mebi(1024 * (1 + gen_below(g, 8))));
    }
    if (gen_chance(g, 8)) {
        gen_add_resource(g, &list, "nvidia.com/gpu", gen_milli(1000 * gen_below(g, 3)));
    }
    if (gen_chance(g, 5)) {
        gen_add_resource(g, &list, "example.com/fpga", gen_milli(1000));
    }
    if (gen_chance(g, 4)) {
        gen_add_resource(g, &list, "hugepages-2Mi", gen_mebi(64));
    }
    if (gen_chance(g, 2)) {
        gen_add_resource(g, &list, "unknown", gen_milli(1000));
    }
    gen_class_requests(g, &list);
    return list;
}

static berth_container container(cluster_gen *g)
{
    berth_container c = {
        .name = naive_str("c"), .image = gen_image_name(g), .requests = gen_requests(g)};
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
    berth_volume v = {.name = gen_random_name(g, "v", 3)};
    v.source.kind = kinds[gen_below(g, 9)];
    v.source.read_only = gen_chance(g, 40);
    if (v.source.kind == BERTH_VOLUME_CLAIM) {
        v.source.handle = gen_random_name(g, "claim", gen_chance(g, 3) ? 99 : 10);
    } else if (v.source.kind != BERTH_VOLUME_OTHER) {
        v.source.handle = gen_random_name(g, "disk", 6);
    }
    if (v.source.kind == BERTH_VOLUME_RBD) {
        v.source.pool = PICK(g, "p", "q");
        v.source.monitors = (berth_strs){&monitors[gen_below(g, 2)], 2};
    }
    return v;
}

bool gen_competes(const cluster_gen *g)
{
    return (g->features & GEN_CLAIMS) == GEN_CLAIMS;
}

/* A claim that is not bound at the start. */
static berth_volume late_claim(cluster_gen *g)
{
    berth_volume v = {.name = gen_random_name(g, "v", 3)};
    v.source.kind = BERTH_VOLUME_CLAIM;
    v.source.handle = gen_numbered(g, "claim", 5 + gen_below(g, 5));
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
        .name = gen_random_name(g, "ctl", 2),
        .uid = naive_str("ctl-uid"),
        .controller = gen_chance(g, 90),
    };
    pod->meta.owners = owner;
    pod->meta.owner_count = 1;
}

static void add_constraints(cluster_gen *g, berth_pod *pod)
{
    if (gen_chance(g, 15)) {
        gen_add_label(g, &pod->node_selector, gen_chance(g, 70) ? "disk" : "rack",
                      PICK(g, "ssd", "hdd", "k1", ""));
    }
    if (gen_chance(g, 25)) {
        pod->node_affinity = gen_node_affinity(g);
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
    if ((gen_competes(g) || g->late_claims) && gen_chance(g, 70)) {
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
        gen_add_resource(g, &pod->overhead, "cpu", gen_milli(250));
        gen_add_resource(g, &pod->overhead, "memory", gen_mebi(120));
    }
    pod->meta.labels = pod_labels(g);
    add_constraints(g, pod);
    if (gen_chance(g, 25)) {
        add_owner(g, pod);
    }
    if ((g->features & GEN_PREEMPTION) != 0) {
        pod->has_priority = true;
        pod->priority = gen_chance(g, 4) ? (gen_chance(g, 50) ? INT32_MIN : INT32_MAX)
                                         : priorities[gen_below(g, 5)];
        pod->preemption_policy = gen_chance(g, 10) ? naive_str("Never") : (berth_str){0};
    }
    gen_recent_pod(g, pod);
    gen_pod_devices(g, pod);
}

/* Adds the traces of earlier preemptions to the status of a pod. */
static void add_preemption_status(cluster_gen *g, berth_pod *pod)
{
    static const berth_condition disrupted = {
        {"DisruptionTarget", 16}, {"True", 4}, {"PreemptionByScheduler", 21}, NULL};
    bool victim = pod->meta.deleting && gen_chance(g, 60);
    bool nominated = pod->node_name.len == 0 && gen_chance(g, 15);
    pod->conditions = victim ? &disrupted : NULL;
    pod->condition_count = victim ? 1 : 0;
    pod->nominated_node_name =
        nominated ? gen_numbered(g, "n", gen_below(g, g->node_names + 1)) : (berth_str){0};
}

/* One pod in four has not started; one started in the same second as others of its rollout. */
static int64_t start_time(uint32_t serial)
{
    const int64_t second = 1000000000;
    if (serial % 4 == 1)
        return 0;
    return second * (int64_t)(serial % 4 == 2 ? 1 + serial / 16 % 3 : 1 + serial * 7 % 100003);
}

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
        pod->meta.namespace_name =
            gen_competes(g) || g->late_claims ? naive_str("default") : gen_namespace_name(g);
        g->templates[gen_below(g, 6)] = pod;
    }
    pod->meta.name = gen_numbered(g, "p", serial);
    pod->meta.uid = gen_numbered(g, "pod-", serial);
    pod->scheduler_name = gen_random_name(g, "s", scheduler_count);
    pod->node_name = node;
    pod->phase = naive_str(node.len > 0 ? "Running" : "Pending");
    pod->start_time_ns = start_time(serial);
    pod->meta.deleting = node.len > 0 && gen_chance(g, 5);
    if ((g->features & GEN_PREEMPTION) != 0) {
        add_preemption_status(g, pod);
    }
    gen_recent_status(g, pod);
    return pod;
}
