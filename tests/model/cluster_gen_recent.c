/* Features of objects since Kubernetes 1.33: pods resized in place, resources of the pod as a
 * whole, image volumes, attribute classes, declared features. For an older version, or none, the
 * generator makes none of this and draws no random number for it. */
#include "cluster_gen_parts.h"

static bool recent(const cluster_gen *g)
{
    return g->kubernetes >= 33;
}

/* ---- nodes ---- */

void gen_recent_node(cluster_gen *g, berth_node *node)
{
    static const berth_str features[] = {{"AFeatureOfTheFuture", 19},
                                         {"RestartAllContainersOnContainerExits", 36},
                                         {"UserNamespacesHostNetworkSupport", 32}};
    if (!recent(g)) {
        return;
    }
    uint32_t first = gen_below(g, 3);
    node->declared_features = (berth_strs){&features[first], gen_below(g, 4 - first)};
    if (gen_chance(g, 10)) { /* a number that tolerations could compare */
        berth_taint *taint = naive_alloc(&g->region, sizeof(*taint));
        *taint = (berth_taint){naive_str("spot"), naive_str("7"), naive_str("NoSchedule"), NULL};
        node->taints = taint;
        node->taint_count = 1;
    }
}

/* ---- pods ---- */

static berth_resources pod_level(cluster_gen *g)
{
    static const uint32_t cpu[] = {0, 100, 500, 1500, 3000};
    static const uint32_t memory[] = {0, 128, 512, 3000};
    berth_resources list = {0};
    if (gen_chance(g, 60)) {
        gen_add_resource(g, &list, "cpu", gen_milli(cpu[gen_below(g, 5)]));
    }
    if (gen_chance(g, 60)) {
        gen_add_resource(g, &list, "memory", gen_mebi(memory[gen_below(g, 4)]));
    }
    if (gen_chance(g, 10)) {
        gen_add_resource(g, &list, "hugepages-2Mi", gen_mebi(64 * gen_below(g, 4)));
    }
    if (gen_chance(g, 5)) { /* a resource that a pod as a whole must not request */
        gen_add_resource(g, &list, "ephemeral-storage", gen_mebi(1024));
    }
    if (gen_chance(g, 5)) {
        gen_add_resource(g, &list, "nvidia.com/gpu", gen_milli(1000));
    }
    return list;
}

/* Requests more than any node has. */
static void ask_too_much(cluster_gen *g, berth_resources *list)
{
    switch (gen_below(g, 4)) {
    case 0:
        gen_add_resource(g, list, "cpu", gen_milli(100000));
        break;
    case 1:
        gen_add_resource(g, list, "memory", gen_mebi(1 << 20));
        break;
    case 2:
        gen_add_resource(g, list, "nvidia.com/gpu", gen_milli(50000));
        break;
    default:
        gen_add_resource(g, list, "hugepages-2Mi", gen_mebi(4096));
        break;
    }
}

static const berth_container *recent_containers(cluster_gen *g, const berth_container *list,
                                                uint32_t count, const char *prefix, bool idle)
{
    berth_container *out = naive_alloc(&g->region, (count + 1) * sizeof(*out));
    for (uint32_t i = 0; i < count; i++) {
        out[i] = list[i];
        out[i].name = gen_numbered(g, prefix, i);
        out[i].requests = idle ? (berth_resources){0} : out[i].requests;
        out[i].restarts_all = gen_chance(g, 3);
    }
    return out;
}

static void add_volume(cluster_gen *g, berth_pod *pod, berth_volume_kind kind, berth_str handle)
{
    berth_volume *more = naive_alloc(&g->region, (pod->volume_count + 1) * sizeof(*more));
    for (uint32_t i = 0; i < pod->volume_count; i++) {
        more[i] = pod->volumes[i];
    }
    more[pod->volume_count] = (berth_volume){.name = gen_numbered(g, "more", pod->volume_count)};
    more[pod->volume_count].source.kind = kind;
    more[pod->volume_count].source.handle = handle;
    pod->volumes = more;
    pod->volume_count++;
}

/* Feature gates disable comparing tolerations, so these accept no taint. */
static void compare_taint(cluster_gen *g, berth_pod *pod)
{
    berth_toleration *t = naive_alloc(&g->region, sizeof(*t));
    *t = (berth_toleration){naive_str("spot"), PICK(g, "Lt", "Gt"), PICK(g, "5", "9"), {0}, NULL};
    pod->tolerations = t;
    pod->toleration_count = 1;
}

void gen_recent_pod(cluster_gen *g, berth_pod *pod)
{
    if (!recent(g)) {
        return;
    }
    bool idle = gen_chance(g, 12); /* its containers request nothing */
    pod->containers = recent_containers(g, pod->containers, pod->container_count, "c", idle);
    pod->init_containers =
        recent_containers(g, pod->init_containers, pod->init_container_count, "i", idle);
    if (idle && gen_chance(g, 70)) {
        pod->overhead = (berth_resources){0};
    }
    if (gen_chance(g, 20)) {
        pod->pod_requests = pod_level(g);
        pod->pod_limits = pod_level(g);
    }
    if (gen_chance(g, 4)) {
        ask_too_much(g, gen_chance(g, 30) ? &pod->pod_requests : &pod->overhead);
    }
    if (gen_chance(g, 15)) {
        add_volume(g, pod, BERTH_VOLUME_IMAGE, gen_image_name(g));
    }
    if ((g->features & GEN_VOLUMES) != 0 && gen_chance(g, 6)) {
        add_volume(g, pod, BERTH_VOLUME_PORTWORX, gen_random_name(g, "px", 4));
    }
    if (gen_chance(g, 5)) {
        compare_taint(g, pod);
    }
    pod->host_network = gen_chance(g, 8);
    pod->host_users_off = gen_chance(g, pod->host_network ? 40 : 10);
}

/* ---- pods resized in place ---- */

static berth_resources some_requests(cluster_gen *g)
{
    return gen_chance(g, 80) ? gen_requests(g) : (berth_resources){0};
}

static const berth_container_status *statuses(cluster_gen *g, const berth_container *list,
                                              uint32_t count, uint32_t *status_count)
{
    berth_container_status *out = naive_alloc(&g->region, (count + 1) * sizeof(*out));
    *status_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (gen_chance(g, 85)) {
            out[(*status_count)++] = (berth_container_status){
                .name = list[i].name,
                .has_resources = gen_chance(g, 80),
                .requests = gen_chance(g, 40) ? list[i].requests : some_requests(g),
                .allocated = gen_chance(g, 40) ? list[i].requests : some_requests(g),
            };
        }
    }
    return out;
}

/* Puts its condition before or after the existing ones. */
static void add_resize(cluster_gen *g, berth_pod *pod)
{
    berth_condition *more = naive_alloc(&g->region, (pod->condition_count + 1) * sizeof(*more));
    uint32_t at = gen_chance(g, 50) ? 0 : pod->condition_count;
    for (uint32_t i = 0; i < pod->condition_count; i++) {
        more[i + (i >= at)] = pod->conditions[i];
    }
    more[at] = (berth_condition){
        .type = PICK(g, "PodResizePending", "PodResizePending", "PodResizeInProgress"),
        .status = naive_str("True"),
        .reason = PICK(g, "Infeasible", "Infeasible", "Deferred", "Error"),
    };
    pod->conditions = more;
    pod->condition_count++;
}

void gen_recent_status(cluster_gen *g, berth_pod *pod)
{
    if (!recent(g)) {
        return;
    }
    pod->container_statuses = NULL;
    pod->init_container_statuses = NULL;
    pod->container_status_count = 0;
    pod->init_container_status_count = 0;
    pod->has_status_resources = false;
    pod->status_requests = (berth_resources){0};
    pod->status_allocated = (berth_resources){0};
    if (pod->node_name.len == 0 || gen_chance(g, 60)) {
        return;
    }
    pod->container_statuses =
        statuses(g, pod->containers, pod->container_count, &pod->container_status_count);
    pod->init_container_statuses = statuses(g, pod->init_containers, pod->init_container_count,
                                            &pod->init_container_status_count);
    pod->has_status_resources = gen_chance(g, 50);
    pod->status_requests = gen_chance(g, 80) ? pod_level(g) : (berth_resources){0};
    pod->status_allocated = gen_chance(g, 80) ? pod_level(g) : (berth_resources){0};
    if (gen_chance(g, 50)) {
        add_resize(g, pod);
    }
}

/* ---- selectors of namespaces ---- */

static berth_str team(cluster_gen *g)
{
    return PICK(g, "a", "b");
}

/* Mostly only negations, which an empty set of labels matches, too. */
void gen_recent_namespaces(cluster_gen *g, berth_label_selector *selector)
{
    if (!recent(g) || gen_chance(g, 50)) {
        return;
    }
    berth_requirement *r = naive_alloc(&g->region, 2 * sizeof(*r));
    uint32_t count = 1 + gen_below(g, 2);
    for (uint32_t i = 0; i < count; i++) {
        r[i] = (berth_requirement){
            PICK(g, "team", "tier"), PICK(g, "NotIn", "NotIn", "DoesNotExist", "Exists"), {0}};
        if (naive_is(r[i].op, "NotIn")) {
            r[i].values = gen_values(g, team, 1);
        }
    }
    *selector = (berth_label_selector){.match_expressions = {r, count}};
}

/* ---- storage ---- */

static berth_str attributes_class(cluster_gen *g)
{
    return gen_chance(g, 30) ? PICK(g, "gold", "silver") : (berth_str){0};
}

void gen_recent_volume(cluster_gen *g, berth_persistent_volume *volume)
{
    if (!recent(g)) {
        return;
    }
    volume->volume_attributes_class = attributes_class(g);
    if (volume->has_claim_ref && gen_chance(g, 20)) {
        volume->source.kind = BERTH_VOLUME_PORTWORX;
    }
}

/* Before v1.34 the API server drops the class of a claim. */
void gen_recent_claim(cluster_gen *g, berth_persistent_volume_claim *claim)
{
    if (g->kubernetes >= 34) {
        claim->volume_attributes_class = attributes_class(g);
    }
}

void gen_recent_csi_node(cluster_gen *g, berth_csi_node *node)
{
    if (!recent(g)) {
        return;
    }
    berth_csi_node_driver *more = naive_alloc(&g->region, (node->driver_count + 1) * sizeof(*more));
    for (uint32_t i = 0; i < node->driver_count; i++) {
        more[i] = node->drivers[i];
    }
    more[node->driver_count] = (berth_csi_node_driver){
        naive_str("pxd.portworx.com"), naive_str("x"), true, 1 + (int32_t)gen_below(g, 2), NULL};
    node->drivers = more;
    node->driver_count++;
    if (gen_chance(g, 40)) {
        gen_add_label(g, &node->meta.annotations, "storage.alpha.kubernetes.io/migrated-plugins",
                      naive_str("kubernetes.io/aws-ebs,kubernetes.io/portworx-volume"));
    }
}
