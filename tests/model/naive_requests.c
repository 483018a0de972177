/* The amounts that pods request and hold: filters.md §6, and v1.36.md §3 for pods resized in
 * place and for resources of the pod as a whole. */
#include <string.h>

#include "naive.h"

/* ---- names ---- */

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

/* May spec.resources name this resource? */
static bool pod_level_name(berth_str name)
{
    return naive_is(name, "cpu") || naive_is(name, "memory") || naive_starts(name, "hugepages-");
}

/* ---- amounts that may be absent ---- */

typedef struct amount {
    naive_nanos nanos;
    bool present;
} amount;

static amount listed(berth_resources list, berth_str name)
{
    amount found;
    found.present = naive_resource(list, name, &found.nanos);
    return found;
}

static amount larger(amount a, amount b)
{
    amount out = {a.nanos > b.nanos ? a.nanos : b.nanos, a.present || b.present};
    return a.present && b.present ? out : a.present ? a : b;
}

static amount plus(amount a, amount b)
{
    return (amount){a.nanos + b.nanos, a.present || b.present};
}

static amount missing_counts_as(berth_str name)
{
    if (naive_is(name, "cpu")) {
        return (amount){(naive_nanos)100 * 1000000, true};
    }
    if (naive_is(name, "memory")) {
        return (amount){(naive_nanos)200 * 1024 * 1024 * 1000000000, true};
    }
    return (amount){0};
}

/* ---- containers ---- */

/* The kubelet cannot give the pod its new requests. */
static bool resize_infeasible(const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->condition_count; i++) {
        if (naive_is(pod->conditions[i].type, "PodResizePending")) {
            return naive_is(pod->conditions[i].reason, "Infeasible");
        }
    }
    return false;
}

static const berth_container_status *status_of(const berth_pod *pod, berth_str container)
{
    for (uint32_t i = 0; i < pod->container_status_count; i++) {
        if (naive_same(pod->container_statuses[i].name, container)) {
            return &pod->container_statuses[i];
        }
    }
    for (uint32_t i = 0; i < pod->init_container_status_count; i++) {
        if (naive_same(pod->init_container_statuses[i].name, container)) {
            return &pod->init_container_statuses[i];
        }
    }
    return NULL;
}

/* The source of amounts: v1.37 sums each source separately and takes the largest sum. If a status
 * lacks an amount, the one before it applies. */
typedef enum source {
    SPECIFIED,
    ALLOCATED,
    ACTUATED,
    ALL_IN_ONE, /* the largest of each container: before v1.37 */
} source;

/* The amount of a container of a pod on a node by one source. */
static amount sourced(const berth_pod *pod, const berth_container *container, berth_str name,
                      source of)
{
    const berth_container_status *status = of != SPECIFIED ? status_of(pod, container->name) : NULL;
    if (of == ACTUATED && status != NULL && status->has_resources && status->requests.count > 0) {
        return listed(status->requests, name);
    }
    if (status != NULL && status->allocated.count > 0) {
        return listed(status->allocated, name);
    }
    return of != SPECIFIED && resize_infeasible(pod) ? (amount){0}
                                                     : listed(container->requests, name);
}

/* The larger of the amounts that a container of a pod on a node holds and requests. */
static amount held_by(const berth_pod *pod, const berth_container *container, berth_str name)
{
    const berth_container_status *status = status_of(pod, container->name);
    amount asked = listed(container->requests, name);
    if (status == NULL || !status->has_resources) {
        return asked;
    }
    amount held = larger(listed(status->requests, name), listed(status->allocated, name));
    return resize_infeasible(pod) ? held : larger(asked, held);
}

static bool is_held(naive_ask ask)
{
    return ask == NAIVE_HELD || ask == NAIVE_HELD_SCORED;
}

/* The sum over containers that run at the same time. `substitute`: a container without an amount
 * gets a default. */
static amount of_containers_by(uint32_t kubernetes, const berth_pod *pod, berth_str name,
                               naive_ask ask, bool substitute, source of)
{
    bool by_status = is_held(ask) && kubernetes >= 33;
    amount sum = {0}, side = {0}, peak = {0};
    for (uint32_t i = 0; i < pod->container_count; i++) {
        const berth_container *c = &pod->containers[i];
        amount r = of != ALL_IN_ONE ? sourced(pod, c, name, of)
                   : by_status      ? held_by(pod, c, name)
                                    : listed(c->requests, name);
        sum = plus(sum, !r.present && substitute ? missing_counts_as(name) : r);
    }
    for (uint32_t i = 0; i < pod->init_container_count; i++) {
        const berth_container *c = &pod->init_containers[i];
        amount r = of != ALL_IN_ONE                 ? sourced(pod, c, name, of)
                   : by_status && c->restart_always ? held_by(pod, c, name)
                                                    : listed(c->requests, name);
        r = !r.present && substitute ? missing_counts_as(name) : r;
        if (c->restart_always) {
            sum = plus(sum, r);
            side = plus(side, r);
            peak = larger(peak, side);
        } else {
            peak = larger(peak, plus(r, side));
        }
    }
    return larger(sum, peak);
}

/* A status of the pod as a whole replaces those of its containers. */
static amount by_source(uint32_t kubernetes, const berth_pod *pod, berth_str name, naive_ask ask,
                        bool substitute, source of)
{
    if (of != SPECIFIED && pod->has_status_resources && pod->status_requests.count > 0 &&
        pod->status_allocated.count > 0) {
        return listed(of == ALLOCATED ? pod->status_allocated : pod->status_requests, name);
    }
    return of_containers_by(kubernetes, pod, name, ask, substitute, of);
}

static amount of_containers(uint32_t kubernetes, const berth_pod *pod, berth_str name,
                            naive_ask ask, bool substitute)
{
    if (kubernetes < 37 || !is_held(ask)) {
        return of_containers_by(kubernetes, pod, name, ask, substitute, ALL_IN_ONE);
    }
    amount held = larger(by_source(kubernetes, pod, name, ask, substitute, ALLOCATED),
                         by_source(kubernetes, pod, name, ask, substitute, ACTUATED));
    return resize_infeasible(pod)
               ? held
               : larger(by_source(kubernetes, pod, name, ask, substitute, SPECIFIED), held);
}

/* ---- pods ---- */

static bool has_pod_level(uint32_t kubernetes, const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->pod_requests.count && kubernetes >= 34; i++) {
        if (pod_level_name(pod->pod_requests.items[i].name)) {
            return true;
        }
    }
    return false;
}

/* The amount that the pod as a whole (spec.resources) requests or holds. It does not count in the
 * scores of a pod that is to be placed. */
static amount of_pod_level(uint32_t kubernetes, const berth_pod *pod, berth_str name, naive_ask ask)
{
    amount asked = listed(pod->pod_requests, name);
    if (kubernetes >= 37 && is_held(ask) && pod_level_name(name) &&
        has_pod_level(kubernetes, pod)) {
        if (!pod->has_status_resources) {
            return asked;
        }
        amount held =
            larger(listed(pod->status_requests, name), listed(pod->status_allocated, name));
        return resize_infeasible(pod) ? held : larger(asked, held);
    }
    if (kubernetes < 34 || ask == NAIVE_INCOMING_SCORED || !pod_level_name(name) ||
        !asked.present) {
        return (amount){0};
    }
    if (kubernetes < 36 || !is_held(ask) || !pod->has_status_resources) {
        return asked;
    }
    amount held = larger(listed(pod->status_requests, name), listed(pod->status_allocated, name));
    held.present = true;
    return resize_infeasible(pod) ? held : larger(asked, held);
}

static amount of_pod(uint32_t kubernetes, const berth_pod *pod, berth_str name, naive_ask ask,
                     bool substitute)
{
    amount total = of_containers(kubernetes, pod, name, ask, substitute);
    amount level = of_pod_level(kubernetes, pod, name, ask);
    return plus(level.present ? level : total, listed(pod->overhead, name));
}

int64_t naive_pod_request(uint32_t kubernetes, const berth_pod *pod, berth_str name, naive_ask ask)
{
    bool scored = ask == NAIVE_INCOMING_SCORED || ask == NAIVE_HELD_SCORED;
    amount total = of_pod(kubernetes, pod, name, ask, false);
    /* On a node the request of the pod as a whole counts, whatever its containers lack. */
    bool whole = ask == NAIVE_HELD_SCORED && has_pod_level(kubernetes, pod) && total.present;
    if (scored && !whole) {
        total = of_pod(kubernetes, pod, name, ask, true);
    }
    return naive_is(name, "cpu") ? naive_milli_value(total.nanos) : naive_value(total.nanos);
}

/* ---- nodes ---- */

int64_t naive_node_request(const naive_attempt *a, const berth_node *node, berth_str name,
                           bool scored)
{
    int64_t sum = 0;
    for (size_t i = 0; i < a->cluster->pod_count; i++) {
        if (naive_on(&a->cluster->pods[i], node)) {
            sum += naive_pod_request(a->cluster->kubernetes, a->cluster->pods[i].pod, name,
                                     scored ? NAIVE_HELD_SCORED : NAIVE_HELD);
        }
    }
    return sum;
}

int64_t naive_allocatable(const berth_node *node, berth_str name, bool *present)
{
    amount total = listed(node->allocatable, name);
    *present = total.present;
    return naive_is(name, "cpu") ? naive_milli_value(total.nanos) : naive_value(total.nanos);
}
