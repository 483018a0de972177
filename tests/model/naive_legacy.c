/* The rules of the v1.15 scheduler: predicates (filters.md, "Legacy predicates") and priorities
 * with scores from 0 to 10 (scores.md, "Legacy priorities"). If a predicate fails with an error,
 * its reason begins with "error: ". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive.h"

#define ZONE "failure-domain.beta.kubernetes.io/zone"
#define REGION "failure-domain.beta.kubernetes.io/region"

/* ---- resources ---- */

static int64_t container_amount(const berth_container *c, berth_str name, bool substitute)
{
    naive_nanos amount;
    if (!naive_resource(c->requests, name, &amount) && substitute) {
        return naive_is(name, "cpu") ? 100 : naive_is(name, "memory") ? 200 * 1024 * 1024 : 0;
    }
    return naive_is(name, "cpu") ? naive_milli_value(amount) : naive_value(amount);
}

/* Counts only regular containers, each rounded separately. */
static int64_t regular_request(const berth_pod *pod, berth_str name, bool substitute)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < pod->container_count; i++) {
        sum += container_amount(&pod->containers[i], name, substitute);
    }
    return sum;
}

static int64_t request_with_init(const berth_pod *pod, berth_str name)
{
    int64_t request = regular_request(pod, name, false);
    for (uint32_t i = 0; i < pod->init_container_count; i++) {
        int64_t amount = container_amount(&pod->init_containers[i], name, false);
        request = amount > request ? amount : request;
    }
    return request;
}

int64_t naive_legacy_request(const naive_attempt *a, const berth_node *node, berth_str name,
                             bool substitute)
{
    int64_t sum = 0;
    for (size_t i = 0; i < a->cluster->pod_count; i++) {
        if (naive_on(&a->cluster->pods[i], node)) {
            sum += regular_request(a->cluster->pods[i].pod, name, substitute);
        }
    }
    return sum;
}

/* The scalar names that the pod's containers request; an init container's 0 has no effect. */
static berth_strs scalar_names(naive_attempt *a)
{
    berth_str *names = NULL;
    size_t count = 0;
    uint32_t regular = a->pod->container_count;
    for (uint32_t i = 0; i < regular + a->pod->init_container_count; i++) {
        const berth_container *c =
            i < regular ? &a->pod->containers[i] : &a->pod->init_containers[i - regular];
        for (uint32_t k = 0; k < c->requests.count; k++) {
            berth_str name = c->requests.items[k].name;
            if (naive_scalar_name(name) && (i < regular || container_amount(c, name, false) > 0) &&
                !naive_in((berth_strs){names, (uint32_t)count}, name)) {
                names = naive_grow(a->region, names, count, sizeof(*names));
                names[count++] = name;
            }
        }
    }
    return (berth_strs){names, (uint32_t)count};
}

static void check_amount(naive_attempt *a, const berth_node *node, berth_str name, naive_refusal *r)
{
    bool present;
    if (naive_allocatable(node, name, &present) <
        request_with_init(a->pod, name) + naive_legacy_request(a, node, name, false)) {
        naive_refuse(a, r, false, naive_print(a->region, "Insufficient %.*s", NAIVE_TEXT(name)));
    }
}

static bool pod_fits_resources(naive_attempt *a, const berth_plugin_ref *ref,
                               const berth_node *node, naive_refusal *r)
{
    static const char *const basic[] = {"cpu", "memory", "ephemeral-storage"};
    (void)ref;
    size_t before = r->reason_count;
    int64_t pods = 0, asked = 0;
    bool present;
    for (size_t i = 0; i < a->cluster->pod_count; i++) {
        pods += naive_on(&a->cluster->pods[i], node);
    }
    if (pods + 1 > naive_allocatable(node, naive_str("pods"), &present)) {
        naive_refuse(a, r, false, "Insufficient pods");
    }
    berth_strs scalars = scalar_names(a);
    for (int i = 0; i < 3; i++) {
        asked += request_with_init(a->pod, naive_str(basic[i]));
    }
    for (int i = 0; i < 3 && (asked > 0 || scalars.count > 0); i++) {
        check_amount(a, node, naive_str(basic[i]), r);
    }
    for (uint32_t i = 0; i < scalars.count; i++) {
        check_amount(a, node, scalars.items[i], r);
    }
    return r->reason_count == before;
}

/* ---- simple predicates ---- */

static bool host_name(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                      naive_refusal *r)
{
    (void)ref;
    if (a->pod->node_name.len > 0 && !naive_same(a->pod->node_name, node->meta.name)) {
        return naive_refuse(a, r, true, "node(s) didn't match the requested hostname");
    }
    return true;
}

static bool match_node_selector(naive_attempt *a, const berth_plugin_ref *ref,
                                const berth_node *node, naive_refusal *r)
{
    (void)ref;
    return naive_wants_node(a->pod, node) ||
           naive_refuse(a, r, true, "node(s) didn't match node selector");
}

static bool tolerates_taints(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                             naive_refusal *r)
{
    (void)ref;
    return naive_untolerated(a->pod, node) == NULL ||
           naive_refuse(a, r, true, "node(s) had taints that the pod didn't tolerate");
}

/* Checks all four; the refusal is resolvable only if all failures are. */
static bool general(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                    naive_refusal *r)
{
    bool unresolvable = false, passes = true;
    static naive_filter_fn *const parts[] = {pod_fits_resources, host_name, naive_ports,
                                             match_node_selector};
    for (int i = 0; i < 4; i++) {
        if (!parts[i](a, ref, node, r)) {
            unresolvable = unresolvable || r->unresolvable;
            passes = false;
        }
    }
    r->unresolvable = unresolvable;
    return passes;
}

/* The last entry of the type counts. */
static berth_str pressure(const berth_node *node, const char *type)
{
    berth_str status = {0};
    for (uint32_t i = 0; i < node->condition_count; i++) {
        if (naive_is(node->conditions[i].type, type)) {
            status = node->conditions[i].status;
        }
    }
    return status;
}

/* Does any entry of the type have another status? */
static bool condition_differs(const berth_node *node, const char *type, const char *status)
{
    for (uint32_t i = 0; i < node->condition_count; i++) {
        if (naive_is(node->conditions[i].type, type) &&
            !naive_is(node->conditions[i].status, status)) {
            return true;
        }
    }
    return false;
}

static bool node_condition(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                           naive_refusal *r)
{
    (void)ref;
    if (condition_differs(node, "Ready", "True")) {
        naive_refuse(a, r, true, "node(s) were not ready");
    }
    if (condition_differs(node, "NetworkUnavailable", "False")) {
        naive_refuse(a, r, true, "node(s) had unavailable network");
    }
    if (node->unschedulable) {
        naive_refuse(a, r, true, "node(s) were unschedulable");
    }
    return r->reason_count == 0;
}

static bool best_effort(const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->container_count; i++) {
        const berth_resources *lists[2] = {&pod->containers[i].requests,
                                           &pod->containers[i].limits};
        for (int k = 0; k < 2; k++) {
            naive_nanos cpu, memory;
            naive_resource(*lists[k], naive_str("cpu"), &cpu);
            naive_resource(*lists[k], naive_str("memory"), &memory);
            if (cpu > 0 || memory > 0) {
                return false;
            }
        }
    }
    return true;
}

static bool memory_pressure(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                            naive_refusal *r)
{
    (void)ref;
    return !best_effort(a->pod) || !naive_is(pressure(node, "MemoryPressure"), "True") ||
           naive_refuse(a, r, true, "node(s) had memory pressure");
}

static bool disk_pressure(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                          naive_refusal *r)
{
    (void)ref;
    return !naive_is(pressure(node, "DiskPressure"), "True") ||
           naive_refuse(a, r, true, "node(s) had disk pressure");
}

static bool pid_pressure(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                         naive_refusal *r)
{
    (void)ref;
    return !naive_is(pressure(node, "PIDPressure"), "True") ||
           naive_refuse(a, r, true, "node(s) had pid pressure");
}

static bool label_presence(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                           naive_refusal *r)
{
    const berth_label_args *args = &ref->args->label;
    for (uint32_t i = 0; i < args->labels.count; i++) {
        bool there = naive_label(node->meta.labels, args->labels.items[i]) != NULL;
        if (there != args->presence) {
            return naive_refuse(a, r, true, "node(s) didn't have the requested labels");
        }
    }
    return true;
}

/* ---- services ---- */

static bool same_namespace(const berth_metadata *a, const berth_metadata *b)
{
    return naive_same(naive_namespace(a), naive_namespace(b));
}

static bool service_selects(const berth_service *service, const berth_pod *pod)
{
    return service->has_selector && same_namespace(&service->meta, &pod->meta) &&
           naive_map_matches(service->selector, pod->meta.labels);
}

/* The `n`-th service of the pod, or NULL. */
static const berth_service *service_of(const naive_attempt *a, size_t n)
{
    const naive_objects *list = &a->cluster->objects[BERTH_KIND_SERVICE];
    for (size_t i = 0; i < list->count; i++) {
        if (service_selects(list->items[i], a->pod) && n-- == 0) {
            return list->items[i];
        }
    }
    return NULL;
}

/* The node of the first similar pod; NULL if there is none. v1.15 finds pods in the order of a map;
 * this takes the first in the order of nodes. */
static const berth_node *node_of_sibling(const naive_attempt *a)
{
    for (size_t n = 0; n < a->node_count; n++) {
        for (size_t i = 0; i < a->cluster->pod_count; i++) {
            const naive_pod *p = &a->cluster->pods[i];
            if (naive_on(p, a->nodes[n]) && same_namespace(&p->pod->meta, &a->pod->meta) &&
                naive_map_matches(a->pod->meta.labels, p->pod->meta.labels)) {
                return a->nodes[n];
            }
        }
    }
    return NULL;
}

static bool service_affinity(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                             naive_refusal *r)
{
    const berth_strs *keys = &ref->args->label.labels;
    const berth_node *sample = service_of(a, 0) != NULL ? node_of_sibling(a) : NULL;
    for (uint32_t i = 0; i < keys->count; i++) {
        const berth_str *wanted = naive_label(a->pod->node_selector, keys->items[i]);
        if (wanted == NULL && sample != NULL) {
            wanted = naive_label(sample->meta.labels, keys->items[i]);
        }
        const berth_str *got = naive_label(node->meta.labels, keys->items[i]);
        if (wanted != NULL && (got == NULL || !naive_same(*wanted, *got))) {
            return naive_refuse(a, r, false, "node(s) didn't match service affinity");
        }
    }
    return true;
}

/* ---- volumes ---- */

static bool disk_conflict(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                          naive_refusal *r)
{
    (void)ref;
    return !naive_disks_taken(a, node) ||
           naive_refuse(a, r, false, "node(s) had no available disk");
}

static bool fail(naive_attempt *a, naive_refusal *r, const char *text)
{
    a->error = true;
    return naive_refuse(a, r, true, naive_print(a->region, "error: %s", text));
}

static const berth_persistent_volume_claim *claim_of(const naive_attempt *a, const berth_pod *pod,
                                                     const berth_volume *volume)
{
    return naive_find(a->cluster, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, naive_namespace(&pod->meta),
                      volume->source.handle);
}

static bool waits_for_consumer(const naive_attempt *a, const berth_persistent_volume_claim *claim)
{
    const berth_storage_class *class = claim->storage_class.len == 0
                                           ? NULL
                                           : naive_find(a->cluster, BERTH_KIND_STORAGE_CLASS,
                                                        (berth_str){0}, claim->storage_class);
    return class != NULL && naive_is(class->binding_mode, "WaitForFirstConsumer");
}

static bool volume_zone(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                        naive_refusal *r)
{
    static const char *const keys[2] = {ZONE, REGION};
    (void)ref;
    if (naive_label(node->meta.labels, naive_str(ZONE)) == NULL &&
        naive_label(node->meta.labels, naive_str(REGION)) == NULL) {
        return true;
    }
    for (uint32_t v = 0; v < a->pod->volume_count; v++) {
        const berth_volume *volume = &a->pod->volumes[v];
        berth_str name = volume->source.handle;
        if (volume->source.kind != BERTH_VOLUME_CLAIM) {
            continue;
        }
        const berth_persistent_volume_claim *claim = claim_of(a, a->pod, volume);
        if (claim == NULL) {
            return fail(a, r,
                        naive_print(a->region, "Unable to find persistent volume claim: %.*s/%.*s",
                                    NAIVE_TEXT(naive_namespace(&a->pod->meta)), NAIVE_TEXT(name)));
        }
        if (claim->volume_name.len == 0 && waits_for_consumer(a, claim)) {
            continue;
        }
        if (claim->volume_name.len == 0) {
            return fail(a, r,
                        naive_print(a->region, "PersistentVolumeClaim was not found: \"%.*s\"",
                                    NAIVE_TEXT(name)));
        }
        const berth_persistent_volume *pv = naive_find(a->cluster, BERTH_KIND_PERSISTENT_VOLUME,
                                                       (berth_str){0}, claim->volume_name);
        if (pv == NULL) {
            return fail(a, r,
                        naive_print(a->region, "Unable to find persistent volume: %.*s",
                                    NAIVE_TEXT(claim->volume_name)));
        }
        for (int k = 0; k < 2; k++) {
            const berth_str *zones = naive_label(pv->meta.labels, naive_str(keys[k]));
            const berth_str *here = naive_label(node->meta.labels, naive_str(keys[k]));
            if (zones != NULL && naive_zones_valid(*zones) &&
                !naive_zones_contain(*zones, here != NULL ? *here : naive_str(""))) {
                return naive_refuse(a, r, true, "node(s) had no available volume zone");
            }
        }
    }
    return true;
}

/* Collects disks of one kind, each id once. A claim without a volume counts under its own id. */
static void collect_disks(naive_attempt *a, const berth_pod *pod, berth_volume_kind kind,
                          berth_strs *ids)
{
    for (uint32_t v = 0; v < pod->volume_count; v++) {
        const berth_volume_source *source = &pod->volumes[v].source;
        const berth_persistent_volume *pv = NULL;
        berth_str id = source->handle;
        if (source->kind == BERTH_VOLUME_CLAIM) {
            const berth_persistent_volume_claim *claim = claim_of(a, pod, &pod->volumes[v]);
            if (claim != NULL && claim->volume_name.len > 0) {
                pv = naive_find(a->cluster, BERTH_KIND_PERSISTENT_VOLUME, (berth_str){0},
                                claim->volume_name);
            }
            id = pv != NULL ? pv->source.handle
                            : naive_str(naive_print(a->region, "unknown %.*s/%.*s",
                                                    NAIVE_TEXT(naive_namespace(&pod->meta)),
                                                    NAIVE_TEXT(source->handle)));
        }
        bool counts = source->kind == BERTH_VOLUME_CLAIM ? pv == NULL || pv->source.kind == kind
                                                         : source->kind == kind;
        if (counts && !naive_in(*ids, id)) {
            berth_str *more = naive_alloc(a->region, (ids->count + 1) * sizeof(*more));
            for (uint32_t i = 0; i < ids->count; i++) {
                more[i] = ids->items[i];
            }
            more[ids->count] = id;
            *ids = (berth_strs){more, ids->count + 1};
        }
    }
}

static int64_t default_disks(const berth_node *node, berth_volume_kind kind)
{
    static const char *const small[] = {"c5", "m5", "r5"};
    const char *env = getenv("KUBE_MAX_PD_VOLS");
    const berth_str *type =
        naive_label(node->meta.labels, naive_str("beta.kubernetes.io/instance-type"));
    if (env != NULL && atoi(env) > 0) {
        return atoi(env);
    }
    if (kind != BERTH_VOLUME_AWS_EBS) {
        return kind == BERTH_VOLUME_CINDER ? 256 : 16;
    }
    for (int i = 0; i < 3 && type != NULL; i++) {
        if (naive_starts(*type, small[i])) {
            return 25;
        }
    }
    return type != NULL && (naive_contains(*type, "t3") || naive_contains(*type, "z1d")) ? 25 : 39;
}

/* The predicates that limit the disks of a node: the kind of disks, and the resource that has the
 * node's own limit. */
static const struct {
    const char *predicate;
    berth_volume_kind kind;
    const char *resource;
} disk_limits[] = {
    {"MaxEBSVolumeCount", BERTH_VOLUME_AWS_EBS, "attachable-volumes-aws-ebs"},
    {"MaxGCEPDVolumeCount", BERTH_VOLUME_GCE_PD, "attachable-volumes-gce-pd"},
    {"MaxAzureDiskVolumeCount", BERTH_VOLUME_AZURE_DISK, "attachable-volumes-azure-disk"},
    {"MaxCinderVolumeCount", BERTH_VOLUME_CINDER, "attachable-volumes-cinder"},
};

static bool disk_count(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                       naive_refusal *r)
{
    berth_strs wanted = {0}, all = {0};
    bool present;
    size_t which = 0;
    while (!naive_same(ref->name, naive_str(disk_limits[which].predicate))) {
        which++;
    }
    const berth_volume_kind kind = disk_limits[which].kind;
    collect_disks(a, a->pod, kind, &wanted);
    if (wanted.count == 0) {
        return true;
    }
    for (size_t i = 0; i < a->cluster->pod_count; i++) {
        if (naive_on(&a->cluster->pods[i], node)) {
            collect_disks(a, a->cluster->pods[i].pod, kind, &all);
        }
    }
    collect_disks(a, a->pod, kind, &all);
    int64_t limit = naive_allocatable(node, naive_str(disk_limits[which].resource), &present);
    if ((int64_t)all.count > (present ? limit : default_disks(node, kind))) {
        return naive_refuse(a, r, false, "node(s) exceed max volume count");
    }
    return true;
}

/* ---- pod affinity ---- */

static bool term_matches(const berth_pod_affinity_term *term, const berth_pod *owner,
                         const berth_pod *pod)
{
    berth_str ns = naive_namespace(&pod->meta);
    bool named = term->namespaces.count == 0 ? same_namespace(&owner->meta, &pod->meta)
                                             : naive_in(term->namespaces, ns);
    return named && naive_selector_matches(term->label_selector, pod->meta.labels);
}

/* Do both nodes have the key, with equal values? */
static bool same_domain(const berth_node *a, const berth_node *b, berth_str key)
{
    const berth_str *left = naive_label(a->meta.labels, key);
    const berth_str *right = naive_label(b->meta.labels, key);
    return key.len > 0 && left != NULL && right != NULL && naive_same(*left, *right);
}

/* The node of the i-th pod; NULL if it is on none that exists. */
static const berth_node *node_of(const naive_attempt *a, size_t i)
{
    const naive_pod *p = &a->cluster->pods[i];
    return p->node.len > 0 ? naive_find_node(a->cluster, p->node) : NULL;
}

static bool existing_refuse(const naive_attempt *a, const berth_node *node)
{
    for (size_t i = 0; i < a->cluster->pod_count; i++) {
        const berth_pod *pod = a->cluster->pods[i].pod;
        const berth_node *there = node_of(a, i);
        for (uint32_t t = 0; there != NULL && t < pod->pod_anti_affinity.required_count; t++) {
            const berth_pod_affinity_term *term = &pod->pod_anti_affinity.required[t];
            if (term_matches(term, pod, a->pod) && same_domain(node, there, term->topology_key)) {
                return true;
            }
        }
    }
    return false;
}

static bool matches_all(const naive_attempt *a, const berth_pod *pod)
{
    for (uint32_t t = 0; t < a->pod->pod_affinity.required_count; t++) {
        if (!term_matches(&a->pod->pod_affinity.required[t], a->pod, pod)) {
            return false;
        }
    }
    return true;
}

static bool affinity_met(const naive_attempt *a, const berth_node *node)
{
    const berth_pod_affinity *want = &a->pod->pod_affinity;
    bool all_here = true, nobody = true;
    for (uint32_t t = 0; t < want->required_count; t++) {
        bool here = false;
        for (size_t i = 0; i < a->cluster->pod_count; i++) {
            const berth_node *there = node_of(a, i);
            berth_str key = want->required[t].topology_key;
            if (there == NULL || !matches_all(a, a->cluster->pods[i].pod)) {
                continue;
            }
            nobody = nobody && naive_label(there->meta.labels, key) == NULL;
            here = here || same_domain(node, there, key);
        }
        all_here = all_here && here;
    }
    return all_here || (nobody && matches_all(a, a->pod));
}

static bool anti_affinity_met(const naive_attempt *a, const berth_node *node)
{
    for (uint32_t t = 0; t < a->pod->pod_anti_affinity.required_count; t++) {
        const berth_pod_affinity_term *term = &a->pod->pod_anti_affinity.required[t];
        for (size_t i = 0; i < a->cluster->pod_count; i++) {
            const berth_node *there = node_of(a, i);
            if (there != NULL && term_matches(term, a->pod, a->cluster->pods[i].pod) &&
                same_domain(node, there, term->topology_key)) {
                return false;
            }
        }
    }
    return true;
}

static bool inter_pod_affinity(naive_attempt *a, const berth_plugin_ref *ref,
                               const berth_node *node, naive_refusal *r)
{
    (void)ref;
    const char *more = NULL;
    bool unresolvable = false;
    if (existing_refuse(a, node)) {
        more = "node(s) didn't satisfy existing pods anti-affinity rules";
    } else if (!affinity_met(a, node)) {
        more = "node(s) didn't match pod affinity rules";
        unresolvable = true;
    } else if (!anti_affinity_met(a, node)) {
        more = "node(s) didn't match pod anti-affinity rules";
    } else {
        return true;
    }
    naive_refuse(a, r, unresolvable, "node(s) didn't match pod affinity/anti-affinity");
    return naive_refuse(a, r, unresolvable, more);
}

/* ---- priorities: resources ---- */

static int64_t asked_and_used(const naive_attempt *a, const berth_node *node, const char *name)
{
    return regular_request(a->pod, naive_str(name), true) +
           naive_legacy_request(a, node, naive_str(name), true);
}

static int64_t capacity_of(const berth_node *node, const char *name)
{
    bool present;
    return naive_allocatable(node, naive_str(name), &present);
}

/* What a priority makes of the use of one resource, from 0 to 10. */
typedef int64_t use_score_fn(const berth_plugin_args *args, int64_t capacity, int64_t used);

/* The mean of the scores of cpu and memory. */
static bool score_use(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                      size_t count, int64_t *values, use_score_fn *score)
{
    static const char *const names[2] = {"cpu", "memory"};
    for (size_t n = 0; n < count; n++) {
        values[n] = 0;
        for (int i = 0; i < 2; i++) {
            values[n] += score(ref->args, capacity_of(nodes[n], names[i]),
                               asked_and_used(a, nodes[n], names[i]));
        }
        values[n] /= 2;
    }
    return true;
}

static int64_t score_of_rest(const berth_plugin_args *args, int64_t capacity, int64_t used)
{
    (void)args;
    return capacity == 0 || used > capacity ? 0 : (capacity - used) * 10 / capacity;
}

static bool least_requested(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                            size_t count, int64_t *values)
{
    return score_use(a, ref, nodes, count, values, score_of_rest);
}

static int64_t score_of_use(const berth_plugin_args *args, int64_t capacity, int64_t used)
{
    (void)args;
    return capacity == 0 || used > capacity ? 0 : used * 10 / capacity;
}

static bool most_requested(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                           size_t count, int64_t *values)
{
    return score_use(a, ref, nodes, count, values, score_of_use);
}

static int64_t shape_at(const berth_shape_point *p, uint32_t count, int64_t u)
{
    for (uint32_t i = 0; i < count; i++) {
        if (u <= p[i].utilization) {
            return i == 0 ? p[0].score
                          : p[i - 1].score + (p[i].score - p[i - 1].score) *
                                                 (u - p[i - 1].utilization) /
                                                 (p[i].utilization - p[i - 1].utilization);
        }
    }
    return p[count - 1].score;
}

static int64_t score_of_shape(const berth_plugin_args *args, int64_t capacity, int64_t used)
{
    static const berth_shape_point standard[2] = {{0, 10}, {100, 0}};
    bool given = args != NULL && args->fit.shape_count > 0;
    return shape_at(given ? args->fit.shape : standard, given ? args->fit.shape_count : 2,
                    capacity == 0 || used > capacity ? 100
                                                     : 100 - (capacity - used) * 100 / capacity);
}

static bool capacity_ratio(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                           size_t count, int64_t *values)
{
    return score_use(a, ref, nodes, count, values, score_of_shape);
}

static bool balanced(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                     size_t count, int64_t *values)
{
    static const char *const names[2] = {"cpu", "memory"};
    (void)ref;
    for (size_t n = 0; n < count; n++) {
        double f[2];
        for (int i = 0; i < 2; i++) {
            int64_t c = capacity_of(nodes[n], names[i]);
            f[i] = c == 0 ? 1 : (double)asked_and_used(a, nodes[n], names[i]) / (double)c;
        }
        values[n] = f[0] >= 1 || f[1] >= 1 ? 0 : (int64_t)((1 - __builtin_fabs(f[0] - f[1])) * 10);
    }
    return true;
}

/* ---- priorities: spreading ---- */

/* Does every selector of the pod being placed match `pod`? `any`: there is a selector. For a pod
 * without labels the lookup of controllers fails and finds none. */
static bool alike(const naive_attempt *a, const berth_pod *pod, bool services_only, bool *any)
{
    static const berth_kind kinds[3] = {BERTH_KIND_REPLICATION_CONTROLLER, BERTH_KIND_REPLICA_SET,
                                        BERTH_KIND_STATEFUL_SET};
    const berth_service *service;
    bool all = true;
    *any = false;
    for (size_t i = 0; (service = service_of(a, i)) != NULL; i++) {
        *any = true;
        all = all && naive_map_matches(service->selector, pod->meta.labels);
    }
    for (int k = 0; k < 3 && !services_only && a->pod->meta.labels.count > 0; k++) {
        const naive_objects *list = &a->cluster->objects[kinds[k]];
        for (size_t i = 0; i < list->count; i++) {
            const berth_controller *c = list->items[i];
            if (same_namespace(&c->meta, &a->pod->meta) && !naive_selector_empty(c->selector) &&
                naive_selector_matches(c->selector, a->pod->meta.labels)) {
                *any = true;
                all = all && naive_selector_matches(c->selector, pod->meta.labels);
            }
        }
    }
    return all;
}

static int64_t count_alike(const naive_attempt *a, const berth_node *node, bool services_only)
{
    int64_t count = 0;
    for (size_t i = 0; i < a->cluster->pod_count; i++) {
        const naive_pod *p = &a->cluster->pods[i];
        bool any;
        if (naive_on(p, node) && same_namespace(&p->pod->meta, &a->pod->meta) &&
            !p->pod->meta.deleting && alike(a, p->pod, services_only, &any) && any) {
            count++;
        }
    }
    return count;
}

static berth_str beta(const berth_node *node, const char *key)
{
    const berth_str *value = naive_label(node->meta.labels, naive_str(key));
    return value != NULL ? *value : naive_str("");
}

static bool zoned(const berth_node *node)
{
    return beta(node, ZONE).len > 0 || beta(node, REGION).len > 0;
}

static bool same_zone(const berth_node *a, const berth_node *b)
{
    return naive_same(beta(a, ZONE), beta(b, ZONE)) && naive_same(beta(a, REGION), beta(b, REGION));
}

static bool spread_score(naive_attempt *a, const berth_node **nodes, size_t count, int64_t *values,
                         bool services_only)
{
    const double weight = 2.0 / 3.0;
    int64_t most = 0, zone_most = 0;
    int64_t *own = naive_alloc(a->region, (count + 1) * sizeof(*own));
    int64_t *zone = naive_alloc(a->region, (count + 1) * sizeof(*zone));
    bool zones = false;
    for (size_t n = 0; n < count; n++) {
        own[n] = count_alike(a, nodes[n], services_only);
        most = own[n] > most ? own[n] : most;
        zones = zones || zoned(nodes[n]);
    }
    for (size_t n = 0; n < count; n++) {
        for (size_t m = 0; m < count && zoned(nodes[n]); m++) {
            zone[n] += same_zone(nodes[n], nodes[m]) ? own[m] : 0;
        }
        zone_most = zone[n] > zone_most ? zone[n] : zone_most;
    }
    for (size_t n = 0; n < count; n++) {
        double f = most == 0 ? 10 : 10.0 * ((double)(most - own[n]) / (double)most);
        if (zones && zoned(nodes[n])) {
            double g =
                zone_most == 0 ? 10 : 10.0 * ((double)(zone_most - zone[n]) / (double)zone_most);
            f = f * (1.0 - weight) + weight * g;
        }
        values[n] = (int64_t)f;
    }
    return true;
}

static bool selector_spread(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                            size_t count, int64_t *values)
{
    (void)ref;
    return spread_score(a, nodes, count, values, false);
}

static bool service_spread(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                           size_t count, int64_t *values)
{
    (void)ref;
    return spread_score(a, nodes, count, values, true);
}

static int64_t count_first_service(const naive_attempt *a, const berth_node *node)
{
    const berth_service *service = service_of(a, 0);
    int64_t count = 0;
    for (size_t i = 0; i < a->cluster->pod_count && service != NULL; i++) {
        const naive_pod *p = &a->cluster->pods[i];
        count += naive_on(p, node) && same_namespace(&p->pod->meta, &a->pod->meta) &&
                 !p->pod->meta.deleting &&
                 naive_map_matches(service->selector, p->pod->meta.labels);
    }
    return count;
}

static bool service_anti_affinity(naive_attempt *a, const berth_plugin_ref *ref,
                                  const berth_node **nodes, size_t count, int64_t *values)
{
    berth_str key = ref->args->label.labels.items[0];
    int64_t total = 0;
    for (size_t n = 0; n < count; n++) {
        total += count_first_service(a, nodes[n]);
    }
    for (size_t n = 0; n < count; n++) {
        int64_t here = 0;
        for (size_t m = 0; m < count; m++) {
            here += same_domain(nodes[n], nodes[m], key) ? count_first_service(a, nodes[m]) : 0;
        }
        values[n] = naive_label(nodes[n]->meta.labels, key) == NULL ? 0
                    : total == 0                                    ? 10
                                 : (int64_t)(10.0 * ((double)(total - here) / (double)total));
    }
    return true;
}

/* ---- priorities: affinity, taints, images, the rest ---- */

static int64_t terms_weight(const berth_pod_affinity_term *terms, uint32_t count, int64_t fixed,
                            const berth_pod *owner, const berth_pod *pod, const berth_node *there,
                            const berth_node *node)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (term_matches(&terms[i], owner, pod) &&
            same_domain(node, there, terms[i].topology_key)) {
            sum += fixed != 0 ? fixed : terms[i].weight;
        }
    }
    return sum;
}

static bool affinity_score(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                           size_t count, int64_t *values)
{
    const berth_pod *in = a->pod;
    int64_t lo = 0, hi = 0;
    int64_t hard = ref->args != NULL ? ref->args->inter_pod_affinity.hard_pod_affinity_weight : 1;
    for (size_t n = 0; n < count; n++) {
        values[n] = 0;
        for (size_t i = 0; i < a->cluster->pod_count; i++) {
            const berth_pod *e = a->cluster->pods[i].pod;
            const berth_node *there = node_of(a, i), *here = nodes[n];
            if (there == NULL) {
                continue;
            }
            const berth_pod_affinity *mine = &in->pod_affinity, *my_anti = &in->pod_anti_affinity;
            const berth_pod_affinity *its = &e->pod_affinity, *its_anti = &e->pod_anti_affinity;
            values[n] +=
                terms_weight(mine->preferred, mine->preferred_count, 0, in, e, there, here);
            values[n] -=
                terms_weight(my_anti->preferred, my_anti->preferred_count, 0, in, e, there, here);
            values[n] += hard == 0 ? 0
                                   : terms_weight(its->required, its->required_count, hard, e, in,
                                                  there, here);
            values[n] += terms_weight(its->preferred, its->preferred_count, 0, e, in, there, here);
            values[n] -=
                terms_weight(its_anti->preferred, its_anti->preferred_count, 0, e, in, there, here);
        }
        lo = values[n] < lo ? values[n] : lo;
        hi = values[n] > hi ? values[n] : hi;
    }
    for (size_t n = 0; n < count; n++) {
        values[n] = hi == lo ? 0 : (int64_t)(10.0 * ((double)(values[n] - lo) / (double)(hi - lo)));
    }
    return true;
}

/* Ignores matchFields. */
static bool node_affinity_score(naive_attempt *a, const berth_plugin_ref *ref,
                                const berth_node **nodes, size_t count, int64_t *values)
{
    (void)ref;
    for (size_t n = 0; n < count; n++) {
        values[n] = 0;
        for (uint32_t i = 0; i < a->pod->node_affinity.preferred_count; i++) {
            const berth_preferred_node_term *t = &a->pod->node_affinity.preferred[i];
            berth_node_selector_term term = {.match_expressions = t->preference.match_expressions};
            a->error = a->error || (t->weight != 0 && !naive_term_valid(&term));
            if (naive_term_matches(&term, nodes[n]->meta.labels, nodes[n]->meta.name)) {
                values[n] += t->weight;
            }
        }
    }
    naive_normalize(values, count, 10, false);
    return true;
}

static bool taint_score(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                        size_t count, int64_t *values)
{
    (void)ref;
    for (size_t n = 0; n < count; n++) {
        values[n] = 0;
        for (uint32_t i = 0; i < nodes[n]->taint_count; i++) {
            values[n] += naive_is(nodes[n]->taints[i].effect, "PreferNoSchedule") &&
                         !naive_tolerates(a->pod, &nodes[n]->taints[i]);
        }
    }
    naive_normalize(values, count, 10, true);
    return true;
}

static bool image_score(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                        size_t count, int64_t *values)
{
    (void)ref;
    const int64_t lo = 23 * 1024 * 1024, hi = 1000 * 1024 * 1024;
    for (size_t n = 0; n < count; n++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < a->pod->container_count; i++) {
            sum += naive_image_size(a, nodes[n], a->pod->containers[i].image);
        }
        sum = sum < lo ? lo : sum > hi ? hi : sum;
        values[n] = 10 * (sum - lo) / (hi - lo);
    }
    return true;
}

/* Does the node's annotation, a JSON text, name a pod controller of this kind and uid? Parses just
 * enough JSON for this: both pairs within one "podController" object. */
static bool avoids(berth_str json, const berth_owner *owner)
{
    char text[4096], want[512];
    if (json.len >= sizeof(text)) {
        return false;
    }
    size_t len = 0;
    for (uint32_t i = 0; i < json.len; i++) {
        if (json.data[i] != ' ' && json.data[i] != '\n' && json.data[i] != '\t') {
            text[len++] = json.data[i];
        }
    }
    text[len] = '\0';
    for (char *at = strstr(text, "\"podController\":{"); at != NULL;
         at = strstr(at + 1, "\"podController\":{")) {
        char object[4096];
        snprintf(object, sizeof(object), "%.*s", (int)strcspn(at + 17, "}"), at + 17);
        snprintf(want, sizeof(want), "\"kind\":\"%.*s\"", NAIVE_TEXT(owner->kind));
        bool kind = strstr(object, want) != NULL;
        snprintf(want, sizeof(want), "\"uid\":\"%.*s\"", NAIVE_TEXT(owner->uid));
        if (kind && strstr(object, want) != NULL) {
            return true;
        }
    }
    return false;
}

static bool prefer_avoid(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                         size_t count, int64_t *values)
{
    (void)ref;
    const berth_owner *owner = NULL;
    for (uint32_t i = 0; i < a->pod->meta.owner_count; i++) {
        owner = a->pod->meta.owners[i].controller ? &a->pod->meta.owners[i] : owner;
    }
    if (owner != NULL && !naive_is(owner->kind, "ReplicationController") &&
        !naive_is(owner->kind, "ReplicaSet")) {
        owner = NULL;
    }
    for (size_t n = 0; n < count; n++) {
        const berth_str *text = naive_label(
            nodes[n]->meta.annotations, naive_str("scheduler.alpha.kubernetes.io/preferAvoidPods"));
        values[n] = owner != NULL && text != NULL && avoids(*text, owner) ? 0 : 10;
    }
    return true;
}

static bool label_preference(naive_attempt *a, const berth_plugin_ref *ref,
                             const berth_node **nodes, size_t count, int64_t *values)
{
    (void)a;
    const berth_label_args *args = &ref->args->label;
    for (size_t n = 0; n < count; n++) {
        bool there = naive_label(nodes[n]->meta.labels, args->labels.items[0]) != NULL;
        values[n] = there == args->presence ? 10 : 0;
    }
    return true;
}

static bool equal_score(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                        size_t count, int64_t *values)
{
    (void)a;
    (void)ref;
    (void)nodes;
    for (size_t n = 0; n < count; n++) {
        values[n] = 1;
    }
    return true;
}

/* ---- the table ---- */

static const naive_plugin plugins[] = {
    {"CheckNodeCondition", NULL, node_condition, NULL},
    {"CheckNodeUnschedulable", NULL, naive_node_unschedulable, NULL},
    {"GeneralPredicates", NULL, general, NULL},
    {"HostName", NULL, host_name, NULL},
    {"PodFitsHostPorts", NULL, naive_ports, NULL},
    {"MatchNodeSelector", NULL, match_node_selector, NULL},
    {"PodFitsResources", NULL, pod_fits_resources, NULL},
    {"NoDiskConflict", NULL, disk_conflict, NULL},
    {"PodToleratesNodeTaints", NULL, tolerates_taints, NULL},
    {"CheckNodeLabelPresence", NULL, label_presence, NULL},
    {"CheckServiceAffinity", NULL, service_affinity, NULL},
    {"MaxEBSVolumeCount", NULL, disk_count, NULL},
    {"MaxGCEPDVolumeCount", NULL, disk_count, NULL},
    {"MaxAzureDiskVolumeCount", NULL, disk_count, NULL},
    {"MaxCinderVolumeCount", NULL, disk_count, NULL},
    {"NoVolumeZoneConflict", NULL, volume_zone, NULL},
    {"CheckNodeMemoryPressure", NULL, memory_pressure, NULL},
    {"CheckNodePIDPressure", NULL, pid_pressure, NULL},
    {"CheckNodeDiskPressure", NULL, disk_pressure, NULL},
    {"MatchInterPodAffinity", NULL, inter_pod_affinity, NULL},
    {"LeastRequestedPriority", NULL, NULL, least_requested},
    {"MostRequestedPriority", NULL, NULL, most_requested},
    {"RequestedToCapacityRatioPriority", NULL, NULL, capacity_ratio},
    {"BalancedResourceAllocation", NULL, NULL, balanced},
    {"SelectorSpreadPriority", NULL, NULL, selector_spread},
    {"ServiceSpreadingPriority", NULL, NULL, service_spread},
    {"ServiceAntiAffinityPriority", NULL, NULL, service_anti_affinity},
    {"InterPodAffinityPriority", NULL, NULL, affinity_score},
    {"NodeAffinityPriority", NULL, NULL, node_affinity_score},
    {"TaintTolerationPriority", NULL, NULL, taint_score},
    {"ImageLocalityPriority", NULL, NULL, image_score},
    {"NodePreferAvoidPodsPriority", NULL, NULL, prefer_avoid},
    {"NodeLabelPriority", NULL, NULL, label_preference},
    {"EqualPriority", NULL, NULL, equal_score},
};

const naive_plugin *naive_legacy_plugin(berth_str name)
{
    for (size_t i = 0; i < sizeof(plugins) / sizeof(plugins[0]); i++) {
        if (naive_is(name, plugins[i].name)) {
            return &plugins[i];
        }
    }
    return NULL;
}
