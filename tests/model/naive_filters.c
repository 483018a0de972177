/* Filters that look at one node and its pods: filters.md §1 to §6. */
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
    return naive_refuse(a, r, true,
                        naive_print(a->region, "node(s) had untolerated taint {%.*s: %.*s}",
                                    NAIVE_TEXT(taint->key), NAIVE_TEXT(taint->value)));
}

/* ---- NodeAffinity ---- */

static bool names_node(const berth_requirement *r)
{
    return naive_is(r->key, "metadata.name") && naive_is(r->op, "In");
}

/* Whether `name` is in every metadata.name In list of the term. */
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
    for (uint32_t t = 0; t < required->count; t++) {
        const berth_node_selector_term *term = &required->terms[t];
        const berth_requirement *first = NULL;
        for (uint32_t i = 0; i < term->match_fields.count && first == NULL; i++) {
            first = names_node(&term->match_fields.items[i]) ? &term->match_fields.items[i] : NULL;
        }
        if (first == NULL) {
            a->allowed_count = 0;
            return NAIVE_GO_ON;
        }
        for (uint32_t i = 0; i < first->values.count; i++) {
            if (term_names(term, first->values.items[i])) {
                allow(a, first->values.items[i]);
            }
        }
    }
    a->allow_listed = true;
    if (a->allowed_count == 0) {
        naive_refuse(a, r, true, "pod affinity terms conflict");
        return NAIVE_REFUSE;
    }
    return NAIVE_GO_ON;
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
    (void)ref;
    (void)r;
    for (uint32_t c = 0; c < a->pod->container_count; c++) {
        for (uint32_t i = 0; i < a->pod->containers[c].port_count; i++) {
            if (a->pod->containers[c].ports[i].host_port > 0) {
                return NAIVE_GO_ON;
            }
        }
    }
    return NAIVE_SKIP;
}

static bool port_taken(const naive_attempt *a, const berth_node *node, const berth_port *wanted)
{
    berth_str ip = wanted->host_ip.len > 0 ? wanted->host_ip : naive_str("0.0.0.0");
    berth_str protocol = wanted->protocol.len > 0 ? wanted->protocol : naive_str("TCP");
    for (size_t i = 0; i < a->cluster->port_count; i++) {
        const naive_port *used = &a->cluster->ports[i];
        if (naive_same(used->node, node->meta.name) && used->number == wanted->host_port &&
            naive_same(used->protocol, protocol) &&
            (naive_is(ip, "0.0.0.0") || naive_is(used->ip, "0.0.0.0") ||
             naive_same(used->ip, ip))) {
            return true;
        }
    }
    return false;
}

bool naive_ports(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                 naive_refusal *r)
{
    (void)ref;
    for (uint32_t c = 0; c < a->pod->container_count; c++) {
        for (uint32_t i = 0; i < a->pod->containers[c].port_count; i++) {
            const berth_port *port = &a->pod->containers[c].ports[i];
            if (port->host_port > 0 && port_taken(a, node, port)) {
                return naive_refuse(a, r, false,
                                    "node(s) didn't have free ports for the requested pod ports");
            }
        }
    }
    return true;
}

/* ---- NodeResourcesFit ---- */

bool naive_extended_name(berth_str name)
{
    char text[400];
    if (!naive_contains(name, "/") || naive_contains(name, "kubernetes.io/") ||
        naive_starts(name, "requests.") || name.len + 9 >= sizeof(text)) {
        return false;
    }
    memcpy(text, "requests.", 9);
    memcpy(text + 9, name.data, name.len);
    return naive_qualified_name((berth_str){text, name.len + 9});
}

bool naive_scalar_name(berth_str name)
{
    return naive_extended_name(name) || naive_starts(name, "hugepages-") ||
           naive_starts(name, "attachable-volumes-") || naive_contains(name, "kubernetes.io/");
}

static naive_nanos container_request(const berth_container *c, berth_str name, bool substitute)
{
    naive_nanos amount;
    if (!naive_resource(c->requests, name, &amount) && substitute) {
        amount = naive_is(name, "cpu")      ? (naive_nanos)100 * 1000000
                 : naive_is(name, "memory") ? (naive_nanos)200 * 1024 * 1024 * 1000000000
                                            : 0;
    }
    return amount;
}

static naive_nanos larger(naive_nanos a, naive_nanos b)
{
    return a > b ? a : b;
}

int64_t naive_pod_request(const berth_pod *pod, berth_str name, bool substitute)
{
    naive_nanos sum = 0, side = 0, peak = 0, overhead;
    for (uint32_t i = 0; i < pod->container_count; i++) {
        sum += container_request(&pod->containers[i], name, substitute);
    }
    for (uint32_t i = 0; i < pod->init_container_count; i++) {
        naive_nanos r = container_request(&pod->init_containers[i], name, substitute);
        if (pod->init_containers[i].restart_always) {
            sum += r;
            side += r;
            peak = larger(peak, side);
        } else {
            peak = larger(peak, r + side);
        }
    }
    naive_resource(pod->overhead, name, &overhead);
    naive_nanos total = larger(sum, peak) + overhead;
    return naive_is(name, "cpu") ? naive_milli_value(total) : naive_value(total);
}

int64_t naive_node_request(const naive_attempt *a, const berth_node *node, berth_str name,
                           bool substitute)
{
    int64_t sum = 0;
    for (size_t i = 0; i < a->cluster->pod_count; i++) {
        if (naive_on(&a->cluster->pods[i], node)) {
            sum += naive_pod_request(a->cluster->pods[i].pod, name, substitute);
        }
    }
    return sum;
}

int64_t naive_allocatable(const berth_node *node, berth_str name, bool *present)
{
    naive_nanos amount;
    *present = naive_resource(node->allocatable, name, &amount);
    return naive_is(name, "cpu") ? naive_milli_value(amount) : naive_value(amount);
}

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

static void check_resource(naive_attempt *a, const berth_node *node, berth_str name,
                           naive_refusal *r)
{
    bool present;
    int64_t request = naive_pod_request(a->pod, name, false);
    int64_t free_amount =
        naive_allocatable(node, name, &present) - naive_node_request(a, node, name, false);
    if (request > 0 && request > free_amount) {
        naive_refuse(a, r, false, naive_print(a->region, "Insufficient %.*s", NAIVE_TEXT(name)));
    }
}

/* Check the scalars of one list, each name once in the whole attempt on a node. */
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
    return r->reason_count == 0;
}
