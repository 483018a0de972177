/* Filters that look at one node and its pods: filters.md §1 to §6, v1.36.md §4. */
#include <string.h>

#include "naive.h"

/* ---- helpers of all filters ---- */

bool naive_refuse(naive_attempt *a, naive_refusal *refusal, bool unresolvable, const char *reason)
{
    refusal->unresolvable = unresolvable;
    refusal->reasons =
        naive_grow(a->region, refusal->reasons, refusal->reason_count, sizeof(*refusal->reasons));
    refusal->reasons[refusal->reason_count++] = reason;
    return false;
}

bool naive_on(const naive_pod *pod, const berth_node *node)
{
    return pod->node.len > 0 && naive_same(pod->node, node->meta.name);
}

int64_t naive_count_get(const naive_counts *counts, uint32_t which, berth_str key, berth_str value)
{
    for (size_t i = 0; i < counts->count; i++) {
        const naive_count *c = &counts->items[i];
        if (c->which == which && naive_same(c->value, value) && naive_same(c->key, key)) {
            return c->count;
        }
    }
    return 0;
}

void naive_count_add(naive_region *region, naive_counts *counts, uint32_t which, berth_str key,
                     berth_str value, int64_t n)
{
    for (size_t i = 0; i < counts->count; i++) {
        naive_count *c = &counts->items[i];
        if (c->which == which && naive_same(c->value, value) && naive_same(c->key, key)) {
            c->count += n;
            return;
        }
    }
    counts->items = naive_grow(region, counts->items, counts->count, sizeof(*counts->items));
    counts->items[counts->count++] = (naive_count){which, key, value, n};
}

/* ---- NodeUnschedulable, NodeName, TaintToleration ---- */

bool naive_node_unschedulable(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                              naive_refusal *r)
{
    (void)ref;
    berth_taint taint = {.key = naive_str("node.kubernetes.io/unschedulable"),
                         .effect = naive_str("NoSchedule")};
    if (node->unschedulable && !naive_tolerates(a->pod, &taint)) {
        return naive_refuse(a, r, true, "node(s) were unschedulable");
    }
    return true;
}

/* Since v1.37 the named node is the only one visited. */
naive_outcome naive_pre_node_name(naive_attempt *a, const berth_plugin_ref *ref, naive_refusal *r)
{
    (void)ref;
    (void)r;
    if (a->pod->node_name.len == 0 || a->cluster->kubernetes < 37) {
        return NAIVE_GO_ON;
    }
    a->allow_listed = true;
    a->allowed = naive_alloc(a->region, sizeof(*a->allowed));
    a->allowed[0] = a->pod->node_name;
    a->allowed_count = 1;
    return NAIVE_GO_ON;
}

bool naive_node_name(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                     naive_refusal *r)
{
    (void)ref;
    if (a->pod->node_name.len > 0 && !naive_same(a->pod->node_name, node->meta.name)) {
        return naive_refuse(a, r, true, "node(s) didn't match the requested node name");
    }
    return true;
}

bool naive_taints(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                  naive_refusal *r)
{
    (void)ref;
    const berth_taint *taint = naive_untolerated(a->pod, node);
    if (taint == NULL) {
        return true;
    }
    if (a->cluster->kubernetes >= 34) { /* v1.34.0 and v1.34.1 name the taint */
        return naive_refuse(a, r, true, "node(s) had untolerated taint(s)");
    }
    return naive_refuse(a, r, true,
                        naive_print(a->region, "node(s) had untolerated taint {%.*s: %.*s}",
                                    NAIVE_TEXT(taint->key), NAIVE_TEXT(taint->value)));
}

/* ---- NodeAffinity ---- */

static bool names_node(const berth_requirement *r)
{
    return naive_is(r->key, "metadata.name") && naive_is(r->op, "In");
}

/* Is `name` in every metadata.name In list of the term? */
static bool term_names(const berth_node_selector_term *term, berth_str name)
{
    for (uint32_t i = 0; i < term->match_fields.count; i++) {
        if (names_node(&term->match_fields.items[i]) &&
            !naive_in(term->match_fields.items[i].values, name)) {
            return false;
        }
    }
    return true;
}

static void allow(naive_attempt *a, berth_str name)
{
    berth_strs allowed = {a->allowed, (uint32_t)a->allowed_count};
    if (!naive_in(allowed, name)) {
        a->allowed = naive_grow(a->region, a->allowed, a->allowed_count, sizeof(*a->allowed));
        a->allowed[a->allowed_count++] = name;
    }
}

naive_outcome naive_pre_node_affinity(naive_attempt *a, const berth_plugin_ref *ref,
                                      naive_refusal *r)
{
    const berth_node_selector *required = a->pod->node_affinity.required;
    bool added = ref->args != NULL && ref->args->node_affinity.added_affinity.required != NULL;
    if (a->pod->node_selector.entries == NULL && required == NULL && !added) {
        return NAIVE_SKIP;
    }
    if (required == NULL || required->count == 0) {
        return NAIVE_GO_ON;
    }
    a->allowed_count = 0;
    for (uint32_t t = 0; t < required->count; t++) {
        const berth_node_selector_term *term = &required->terms[t];
        const berth_requirement *first = NULL;
        for (uint32_t i = 0; i < term->match_fields.count && first == NULL; i++) {
            first = names_node(&term->match_fields.items[i]) ? &term->match_fields.items[i] : NULL;
        }
        if (first == NULL) {
            a->allowed_count = 0;
            return naive_pre_node_name(a, ref, r);
        }
        for (uint32_t i = 0; i < first->values.count; i++) {
            if (term_names(term, first->values.items[i])) {
                allow(a, first->values.items[i]);
            }
        }
    }
    if (a->allowed_count == 0) {
        naive_refuse(a, r, true, "pod affinity terms conflict");
        return NAIVE_REFUSE;
    }
    a->affinity_listed = true;
    if (a->pod->node_name.len == 0 || a->cluster->kubernetes < 37) {
        a->allow_listed = true;
        return NAIVE_GO_ON;
    }
    if (!naive_in((berth_strs){a->allowed, (uint32_t)a->allowed_count}, a->pod->node_name)) {
        naive_refuse(a, r, true,
                     "node(s) didn't satisfy plugin(s) [NodeAffinity NodeName] simultaneously");
        return NAIVE_REFUSE;
    }
    return naive_pre_node_name(a, ref, r);
}

bool naive_node_affinity(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                         naive_refusal *r)
{
    const berth_node_selector *added =
        ref->args != NULL ? ref->args->node_affinity.added_affinity.required : NULL;
    if (added != NULL && !naive_node_selector_matches(added, node->meta.labels, node->meta.name)) {
        return naive_refuse(a, r, true, "node(s) didn't match scheduler-enforced node affinity");
    }
    if (!naive_wants_node(a->pod, node)) {
        return naive_refuse(a, r, true, "node(s) didn't match Pod's node affinity/selector");
    }
    return true;
}

/* ---- NodePorts ---- */

naive_outcome naive_pre_ports(naive_attempt *a, const berth_plugin_ref *ref, naive_refusal *r)
{
    size_t count;
    (void)ref;
    (void)r;
    naive_host_ports(a->region, a->cluster, a->pod, &count);
    return count > 0 ? NAIVE_GO_ON : NAIVE_SKIP;
}

static bool port_taken(const naive_attempt *a, const berth_node *node, const naive_port *wanted)
{
    for (size_t i = 0; i < a->cluster->port_count; i++) {
        const naive_port *used = &a->cluster->ports[i];
        if (naive_same(used->node, node->meta.name) && used->number == wanted->number &&
            naive_same(used->protocol, wanted->protocol) &&
            (naive_is(wanted->ip, "0.0.0.0") || naive_is(used->ip, "0.0.0.0") ||
             naive_same(used->ip, wanted->ip))) {
            return true;
        }
    }
    return false;
}

bool naive_ports(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                 naive_refusal *r)
{
    size_t count;
    const naive_port *ports = naive_host_ports(a->region, a->cluster, a->pod, &count);
    (void)ref;
    for (size_t i = 0; i < count; i++) {
        if (port_taken(a, node, &ports[i])) {
            return naive_refuse(a, r, false,
                                "node(s) didn't have free ports for the requested pod ports");
        }
    }
    return true;
}

/* ---- NodeResourcesFit ---- */

static bool ignored(const berth_plugin_ref *ref, berth_str name)
{
    if (ref->args == NULL || !naive_extended_name(name)) {
        return false;
    }
    const char *slash = memchr(name.data, '/', name.len);
    berth_str group = {name.data, (uint32_t)(slash - name.data)};
    return naive_in(ref->args->fit.ignored_resources, name) ||
           naive_in(ref->args->fit.ignored_resource_groups, group);
}

/* A resource that the node lacks may come from devices, which DynamicResources decides. */
static void check_resource(naive_attempt *a, const berth_node *node, berth_str name,
                           naive_refusal *r)
{
    bool present;
    uint32_t kubernetes = a->cluster->kubernetes;
    int64_t request = naive_pod_request(kubernetes, a->pod, name, NAIVE_INCOMING);
    int64_t allocatable = naive_allocatable(node, name, &present);
    if (allocatable <= 0 && naive_class_behind(a, name) != NULL) {
        return;
    }
    if (request > 0 && request > allocatable - naive_node_request(a, node, name, false)) {
        bool never = kubernetes >= 34 && request > allocatable;
        naive_refuse(a, r, r->unresolvable || never,
                     naive_print(a->region, "Insufficient %.*s", NAIVE_TEXT(name)));
    }
}

/* Check the scalars of one list, each name once for a node in the whole attempt. */
static void check_scalars(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                          berth_resources list, berth_str *seen, uint32_t *seen_count,
                          naive_refusal *r)
{
    for (uint32_t i = 0; i < list.count && *seen_count < 64; i++) {
        berth_str name = list.items[i].name;
        if (!naive_scalar_name(name) || naive_in((berth_strs){seen, *seen_count}, name)) {
            continue;
        }
        seen[(*seen_count)++] = name;
        if (!ignored(ref, name)) {
            check_resource(a, node, name, r);
        }
    }
}

bool naive_fit(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
               naive_refusal *r)
{
    int64_t pods_on_node = 0;
    berth_str seen[64];
    uint32_t seen_count = 0;
    bool present;
    for (size_t i = 0; i < a->cluster->pod_count; i++) {
        pods_on_node += naive_on(&a->cluster->pods[i], node);
    }
    if (pods_on_node + 1 > naive_allocatable(node, naive_str("pods"), &present)) {
        naive_refuse(a, r, false, "Too many pods");
    }
    check_resource(a, node, naive_str("cpu"), r);
    check_resource(a, node, naive_str("memory"), r);
    check_resource(a, node, naive_str("ephemeral-storage"), r);
    for (uint32_t i = 0; i < a->pod->container_count; i++) {
        check_scalars(a, ref, node, a->pod->containers[i].requests, seen, &seen_count, r);
    }
    for (uint32_t i = 0; i < a->pod->init_container_count; i++) {
        check_scalars(a, ref, node, a->pod->init_containers[i].requests, seen, &seen_count, r);
    }
    check_scalars(a, ref, node, a->pod->overhead, seen, &seen_count, r);
    check_scalars(a, ref, node, a->pod->pod_requests, seen, &seen_count, r);
    return r->reason_count == 0;
}

/* ---- NodeDeclaredFeatures ---- */

static const berth_str all_containers = {"RestartAllContainersOnContainerExits", 36};
static const berth_str host_users = {"UserNamespacesHostNetworkSupport", 32};

static bool restarts_all(const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->container_count; i++) {
        if (pod->containers[i].restarts_all) {
            return true;
        }
    }
    for (uint32_t i = 0; i < pod->init_container_count; i++) {
        if (pod->init_containers[i].restarts_all) {
            return true;
        }
    }
    return false;
}

static bool own_users_on_host_network(const berth_pod *pod)
{
    return pod->host_network && pod->host_users_off;
}

naive_outcome naive_pre_features(naive_attempt *a, const berth_plugin_ref *ref, naive_refusal *r)
{
    (void)ref;
    (void)r;
    return restarts_all(a->pod) || own_users_on_host_network(a->pod) ? NAIVE_GO_ON : NAIVE_SKIP;
}

bool naive_features(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                    naive_refusal *r)
{
    (void)ref;
    if ((restarts_all(a->pod) && !naive_in(node->declared_features, all_containers)) ||
        (own_users_on_host_network(a->pod) && !naive_in(node->declared_features, host_users))) {
        return naive_refuse(a, r, true, "node(s) didn't match Pod's required features");
    }
    return true;
}
