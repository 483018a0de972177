/* PodTopologySpread and InterPodAffinity: filters.md §11, §12, scores.md §6, §7. */
#include <string.h>

#include "naive.h"

#define HOSTNAME "kubernetes.io/hostname"

/* ---- PodTopologySpread: constraints ---- */

static void add_pair(naive_region *region, berth_map *pairs, berth_str key, berth_str value)
{
    berth_key_value *more = naive_alloc(region, (pairs->count + 1) * sizeof(*more));
    for (uint32_t i = 0; i < pairs->count; i++) {
        more[i] = pairs->entries[i];
    }
    more[pairs->count] = (berth_key_value){key, value};
    *pairs = (berth_map){more, pairs->count + 1};
}

static void add_pairs(naive_region *region, berth_map *pairs, berth_map more)
{
    for (uint32_t i = 0; i < more.count; i++) {
        add_pair(region, pairs, more.entries[i].key, more.entries[i].value);
    }
}

static const berth_owner *controller_of(const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->meta.owner_count; i++) {
        if (pod->meta.owners[i].controller) {
            return &pod->meta.owners[i];
        }
    }
    return NULL;
}

/* The selector of default constraints: the pod's services AND its controller. */
static void default_selector(const naive_attempt *a, naive_spread *spread)
{
    const naive_objects *services = &a->cluster->objects[BERTH_KIND_SERVICE];
    berth_str ns = naive_namespace(&a->pod->meta);
    spread->selector_optional = true;
    for (size_t i = 0; i < services->count; i++) {
        const berth_service *service = services->items[i];
        if (service->has_selector && naive_same(naive_namespace(&service->meta), ns) &&
            naive_map_matches(service->selector, a->pod->meta.labels)) {
            add_pairs(a->region, &spread->pairs, service->selector);
        }
    }
    const berth_owner *owner = controller_of(a->pod);
    const berth_controller *controller = NULL;
    if (owner == NULL) {
        return;
    }
    if (naive_is(owner->kind, "ReplicationController") && naive_is(owner->api_version, "v1")) {
        controller = naive_find(a->cluster, BERTH_KIND_REPLICATION_CONTROLLER, ns, owner->name);
    } else if (naive_is(owner->kind, "ReplicaSet") && naive_is(owner->api_version, "apps/v1")) {
        controller = naive_find(a->cluster, BERTH_KIND_REPLICA_SET, ns, owner->name);
    } else if (naive_is(owner->kind, "StatefulSet") && naive_is(owner->api_version, "apps/v1")) {
        controller = naive_find(a->cluster, BERTH_KIND_STATEFUL_SET, ns, owner->name);
    }
    spread->selector = controller != NULL ? controller->selector : NULL;
}

static bool spread_matches(const naive_spread *s, berth_map labels)
{
    if (s->selector == NULL && !s->selector_optional) {
        return false;
    }
    return naive_map_matches(s->pairs, labels) &&
           (s->selector == NULL || naive_selector_matches(s->selector, labels));
}

static bool spread_empty(const naive_spread *s)
{
    return s->pairs.count == 0 &&
           (s->selector == NULL ? s->selector_optional : naive_selector_empty(s->selector));
}

static bool is_default(const naive_attempt *a)
{
    return a->pod->spread_count == 0;
}

static bool list_defaulting(const berth_plugin_ref *ref)
{
    return ref->args != NULL && ref->args->spread.list_defaulting;
}

/* Resolves the constraints with this whenUnsatisfiable and returns their number. */
static size_t constraints(naive_attempt *a, const berth_plugin_ref *ref, const char *action,
                          naive_spread **out)
{
    const berth_topology_spread system[2] = {
        {.max_skew = 3,
         .topology_key = naive_str(HOSTNAME),
         .when_unsatisfiable = naive_str("ScheduleAnyway")},
        {.max_skew = 5,
         .topology_key = naive_str("topology.kubernetes.io/zone"),
         .when_unsatisfiable = naive_str("ScheduleAnyway")},
    };
    const berth_topology_spread *list = a->pod->spreads;
    uint32_t list_count = a->pod->spread_count;
    if (is_default(a) && list_defaulting(ref)) {
        list = ref->args->spread.default_constraints;
        list_count = ref->args->spread.default_constraint_count;
    } else if (is_default(a)) {
        berth_topology_spread *copy = naive_alloc(a->region, sizeof(system));
        memcpy(copy, system, sizeof(system));
        list = copy;
        list_count = 2;
    }
    naive_spread *spreads = naive_alloc(a->region, (list_count + 1) * sizeof(*spreads));
    size_t count = 0;
    for (uint32_t i = 0; i < list_count; i++) {
        naive_spread spread = {.spread = &list[i], .selector = list[i].label_selector};
        for (uint32_t k = 0; k < list[i].match_label_keys.count; k++) {
            berth_str key = list[i].match_label_keys.items[k];
            const berth_str *value = naive_label(a->pod->meta.labels, key);
            if (value != NULL) {
                add_pair(a->region, &spread.pairs, key, *value);
            }
        }
        if (is_default(a)) {
            spread = (naive_spread){.spread = &list[i]};
            default_selector(a, &spread);
        }
        if (naive_is(list[i].when_unsatisfiable, action) &&
            !(is_default(a) && spread_empty(&spread))) {
            spreads[count++] = spread;
        }
    }
    *out = spreads;
    return count;
}

static bool has_all_keys(const naive_spread *spreads, size_t count, const berth_node *node)
{
    for (size_t i = 0; i < count; i++) {
        if (naive_label(node->meta.labels, spreads[i].spread->topology_key) == NULL) {
            return false;
        }
    }
    return true;
}

static bool included(const naive_attempt *a, const naive_spread *s, const berth_node *node)
{
    if (!naive_is(s->spread->node_affinity_policy, "Ignore") && !naive_wants_node(a->pod, node)) {
        return false;
    }
    return !naive_is(s->spread->node_taints_policy, "Honor") ||
           naive_untolerated(a->pod, node) == NULL;
}

static bool same_namespace(const berth_pod *a, const berth_pod *b)
{
    return naive_same(naive_namespace(&a->meta), naive_namespace(&b->meta));
}

static int64_t matching_pods(const naive_attempt *a, const naive_spread *s, const berth_node *node)
{
    int64_t count = 0;
    for (size_t i = 0; i < a->cluster->pod_count && !spread_empty(s); i++) {
        const naive_pod *p = &a->cluster->pods[i];
        count += naive_on(p, node) && same_namespace(p->pod, a->pod) && !p->pod->meta.deleting &&
                 spread_matches(s, p->pod->meta.labels);
    }
    return count;
}

/* ---- PodTopologySpread: filter ---- */

naive_outcome naive_pre_spread(naive_attempt *a, const berth_plugin_ref *ref, naive_refusal *r)
{
    (void)r;
    a->spread_count = constraints(a, ref, "DoNotSchedule", &a->spreads);
    if (a->spread_count == 0) {
        return NAIVE_SKIP;
    }
    for (size_t n = 0; n < a->node_count; n++) {
        const berth_node *node = a->nodes[n];
        if (!has_all_keys(a->spreads, a->spread_count, node)) {
            continue;
        }
        for (uint32_t c = 0; c < a->spread_count; c++) {
            const naive_spread *s = &a->spreads[c];
            if (included(a, s, node)) {
                naive_count_add(a->region, &a->spread_counts, c, s->spread->topology_key,
                                *naive_label(node->meta.labels, s->spread->topology_key),
                                matching_pods(a, s, node));
            }
        }
    }
    return NAIVE_GO_ON;
}

void naive_spread_change(naive_attempt *a, const berth_pod *pod, const berth_node *node, int sign)
{
    if (!same_namespace(pod, a->pod) || !has_all_keys(a->spreads, a->spread_count, node)) {
        return;
    }
    for (uint32_t c = 0; c < a->spread_count; c++) {
        const naive_spread *s = &a->spreads[c];
        if (included(a, s, node) && spread_matches(s, pod->meta.labels)) {
            naive_count_add(a->region, &a->spread_counts, c, s->spread->topology_key,
                            *naive_label(node->meta.labels, s->spread->topology_key), sign);
        }
    }
}

bool naive_spread_filter(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                         naive_refusal *r)
{
    (void)ref;
    for (uint32_t c = 0; c < a->spread_count; c++) {
        const naive_spread *s = &a->spreads[c];
        berth_str key = s->spread->topology_key;
        const berth_str *value = naive_label(node->meta.labels, key);
        if (value == NULL) {
            return naive_refuse(a, r, true,
                                "node(s) didn't match pod topology spread constraints "
                                "(missing required label)");
        }
        int64_t domains = 0, min = INT64_MAX;
        for (size_t i = 0; i < a->spread_counts.count; i++) {
            if (a->spread_counts.items[i].which == c) {
                domains++;
                min = a->spread_counts.items[i].count < min ? a->spread_counts.items[i].count : min;
            }
        }
        if (domains == 0) {
            continue;
        }
        if (domains < (s->spread->min_domains > 0 ? s->spread->min_domains : 1)) {
            min = 0;
        }
        int64_t self = spread_matches(s, a->pod->meta.labels);
        int64_t count = naive_count_get(&a->spread_counts, c, key, *value);
        if (count + self - min > s->spread->max_skew) {
            return naive_refuse(a, r, false,
                                "node(s) didn't match pod topology spread constraints");
        }
    }
    return true;
}

/* ---- PodTopologySpread: score ---- */

static bool is_hostname(const naive_spread *s)
{
    return naive_is(s->spread->topology_key, HOSTNAME);
}

static berth_str value_or_empty(const berth_node *node, berth_str key)
{
    const berth_str *value = naive_label(node->meta.labels, key);
    return value != NULL ? *value : naive_str("");
}

static bool registered(const naive_counts *pairs, berth_str key, berth_str value)
{
    for (size_t i = 0; i < pairs->count; i++) {
        if (naive_same(pairs->items[i].key, key) && naive_same(pairs->items[i].value, value)) {
            return true;
        }
    }
    return false;
}

static void normalize_spread(const bool *ignored, size_t count, int64_t *values)
{
    int64_t lo = INT64_MAX, hi = 0;
    for (size_t i = 0; i < count; i++) {
        if (!ignored[i]) {
            lo = values[i] < lo ? values[i] : lo;
            hi = values[i] > hi ? values[i] : hi;
        }
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = ignored[i] ? 0 : hi == 0 ? 100 : 100 * (hi + lo - values[i]) / hi;
    }
}

bool naive_spread_score(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                        size_t count, int64_t *values)
{
    naive_spread *list;
    size_t list_count = constraints(a, ref, "ScheduleAnyway", &list);
    if (list_count == 0 || a->node_count == 0) {
        return false;
    }
    bool require_all = !is_default(a) || list_defaulting(ref);
    bool *ignored = naive_alloc(a->region, count);
    double *weight = naive_alloc(a->region, list_count * sizeof(*weight));
    size_t *size = naive_alloc(a->region, list_count * sizeof(*size));
    size_t ignored_count = 0;
    naive_counts pairs = {0};
    for (size_t n = 0; n < count; n++) {
        ignored[n] = require_all && !has_all_keys(list, list_count, nodes[n]);
        ignored_count += ignored[n];
        for (size_t c = 0; c < list_count && !ignored[n]; c++) {
            berth_str key = list[c].spread->topology_key;
            berth_str value = value_or_empty(nodes[n], key);
            if (!is_hostname(&list[c]) && !registered(&pairs, key, value)) {
                naive_count_add(a->region, &pairs, 0, key, value, 0);
                size[c]++;
            }
        }
    }
    for (size_t c = 0; c < list_count; c++) {
        weight[c] = naive_ln((double)(is_hostname(&list[c]) ? count - ignored_count : size[c]) + 2);
    }
    for (size_t n = 0; n < a->node_count; n++) {
        const berth_node *node = a->nodes[n];
        if (require_all && !has_all_keys(list, list_count, node)) {
            continue;
        }
        for (size_t c = 0; c < list_count; c++) {
            berth_str key = list[c].spread->topology_key;
            berth_str value = value_or_empty(node, key);
            if (included(a, &list[c], node) && registered(&pairs, key, value)) {
                naive_count_add(a->region, &pairs, 0, key, value, matching_pods(a, &list[c], node));
            }
        }
    }
    for (size_t n = 0; n < count; n++) {
        double x = 0.0;
        for (size_t c = 0; c < list_count && !ignored[n]; c++) {
            const berth_str *value =
                naive_label(nodes[n]->meta.labels, list[c].spread->topology_key);
            if (value == NULL) {
                continue;
            }
            int64_t pods = is_hostname(&list[c])
                               ? matching_pods(a, &list[c], nodes[n])
                               : naive_count_get(&pairs, 0, list[c].spread->topology_key, *value);
            x = x + ((double)pods * weight[c] + (double)(list[c].spread->max_skew - 1));
        }
        values[n] = (int64_t)__builtin_round(x);
    }
    normalize_spread(ignored, count, values);
    return true;
}

/* ---- InterPodAffinity: terms ---- */

/* A term of the incoming pod (`own`) is compared with Namespace objects. A term of an existing pod
 * is compared with the labels of the incoming pod's namespace, which has none without such an
 * object. */
static bool namespace_selected(const naive_attempt *a, const berth_label_selector *selector,
                               berth_str ns, bool own)
{
    if (selector == NULL) {
        return false;
    }
    if (naive_selector_empty(selector)) {
        return true;
    }
    const berth_namespace *object =
        naive_find(a->cluster, BERTH_KIND_NAMESPACE, (berth_str){0}, ns);
    /* A bug of v1.34 to v1.36: an expanded selector is kept, and also compared with an empty set of
     * labels. */
    if (own && a->cluster->kubernetes >= 34 && a->cluster->kubernetes < 37 &&
        naive_selector_matches(selector, (berth_map){0})) {
        return true;
    }
    if (object == NULL && own) {
        return false;
    }
    return naive_selector_matches(selector, object != NULL ? object->meta.labels : (berth_map){0});
}

/* Does a term of `owner` match `pod`? */
static bool term_matches(const naive_attempt *a, const berth_pod_affinity_term *term,
                         const berth_pod *owner, const berth_pod *pod)
{
    berth_str ns = naive_namespace(&pod->meta);
    bool own = term->namespaces.count == 0 && term->namespace_selector == NULL;
    if (!(own && same_namespace(owner, pod)) && !naive_in(term->namespaces, ns) &&
        !namespace_selected(a, term->namespace_selector, ns, owner == a->pod)) {
        return false;
    }
    return naive_selector_matches(term->label_selector, pod->meta.labels);
}

static bool matches_all(const naive_attempt *a, const berth_pod *pod)
{
    for (uint32_t i = 0; i < a->pod->pod_affinity.required_count; i++) {
        if (!term_matches(a, &a->pod->pod_affinity.required[i], a->pod, pod)) {
            return false;
        }
    }
    return true;
}

static void count_term(naive_attempt *a, naive_counts *counts, const berth_pod_affinity_term *term,
                       const berth_node *node, int64_t n)
{
    const berth_str *value = naive_label(node->meta.labels, term->topology_key);
    if (value != NULL) {
        naive_count_add(a->region, counts, 0, term->topology_key, *value, n);
    }
}

/* ---- InterPodAffinity: filter ---- */

void naive_affinity_change(naive_attempt *a, const berth_pod *pod, const berth_node *node, int sign)
{
    const berth_pod_affinity *theirs = &pod->pod_anti_affinity;
    const berth_pod_affinity *want = &a->pod->pod_affinity;
    const berth_pod_affinity *avoid = &a->pod->pod_anti_affinity;
    for (uint32_t i = 0; i < theirs->required_count; i++) {
        if (term_matches(a, &theirs->required[i], pod, a->pod)) {
            count_term(a, &a->existing_counts, &theirs->required[i], node, sign);
        }
    }
    for (uint32_t i = 0; i < want->required_count && matches_all(a, pod); i++) {
        count_term(a, &a->affinity_counts, &want->required[i], node, sign);
    }
    for (uint32_t i = 0; i < avoid->required_count; i++) {
        if (term_matches(a, &avoid->required[i], a->pod, pod)) {
            count_term(a, &a->anti_counts, &avoid->required[i], node, sign);
        }
    }
}

naive_outcome naive_pre_affinity(naive_attempt *a, const berth_plugin_ref *ref, naive_refusal *r)
{
    (void)ref;
    (void)r;
    for (size_t i = 0; i < a->cluster->pod_count; i++) {
        const naive_pod *p = &a->cluster->pods[i];
        const berth_node *node = p->node.len > 0 ? naive_find_node(a->cluster, p->node) : NULL;
        if (node != NULL) {
            naive_affinity_change(a, p->pod, node, 1);
        }
    }
    bool idle = a->existing_counts.count == 0 && a->pod->pod_affinity.required_count == 0 &&
                a->pod->pod_anti_affinity.required_count == 0;
    return idle ? NAIVE_SKIP : NAIVE_GO_ON;
}

static bool affinity_satisfied(naive_attempt *a, const berth_node *node)
{
    const berth_pod_affinity *want = &a->pod->pod_affinity;
    bool all_positive = true, nobody_anywhere = true;
    for (uint32_t i = 0; i < want->required_count; i++) {
        berth_str key = want->required[i].topology_key;
        const berth_str *value = naive_label(node->meta.labels, key);
        if (value == NULL) {
            return false;
        }
        if (naive_count_get(&a->affinity_counts, 0, key, *value) <= 0) {
            all_positive = false;
        }
    }
    for (size_t i = 0; i < a->affinity_counts.count; i++) {
        nobody_anywhere = nobody_anywhere && a->affinity_counts.items[i].count == 0;
    }
    return all_positive || (nobody_anywhere && matches_all(a, a->pod));
}

bool naive_affinity_filter(naive_attempt *a, const berth_plugin_ref *ref, const berth_node *node,
                           naive_refusal *r)
{
    (void)ref;
    const berth_pod_affinity *avoid = &a->pod->pod_anti_affinity;
    if (!affinity_satisfied(a, node)) {
        return naive_refuse(a, r, true, "node(s) didn't match pod affinity rules");
    }
    for (uint32_t i = 0; i < avoid->required_count; i++) {
        berth_str key = avoid->required[i].topology_key;
        const berth_str *value = naive_label(node->meta.labels, key);
        if (value != NULL && naive_count_get(&a->anti_counts, 0, key, *value) > 0) {
            return naive_refuse(a, r, false, "node(s) didn't match pod anti-affinity rules");
        }
    }
    for (uint32_t i = 0; i < node->meta.labels.count; i++) {
        const berth_key_value *label = &node->meta.labels.entries[i];
        if (naive_count_get(&a->existing_counts, 0, label->key, label->value) > 0) {
            return naive_refuse(a, r, false,
                                "node(s) didn't satisfy existing pods anti-affinity rules");
        }
    }
    return true;
}

/* ---- InterPodAffinity: score ---- */

static void score_pod(naive_attempt *a, naive_counts *sums, int32_t hard_weight,
                      const berth_pod *pod, const berth_node *node)
{
    const berth_pod_affinity *mine[2] = {&a->pod->pod_affinity, &a->pod->pod_anti_affinity};
    const berth_pod_affinity *theirs[2] = {&pod->pod_affinity, &pod->pod_anti_affinity};
    for (int k = 0; k < 2; k++) {
        int64_t sign = k == 0 ? 1 : -1;
        for (uint32_t i = 0; i < mine[k]->preferred_count; i++) {
            const berth_pod_affinity_term *term = &mine[k]->preferred[i];
            if (term_matches(a, term, a->pod, pod)) {
                count_term(a, sums, term, node, sign * term->weight);
            }
        }
        for (uint32_t i = 0; i < theirs[k]->preferred_count; i++) {
            const berth_pod_affinity_term *term = &theirs[k]->preferred[i];
            if (term_matches(a, term, pod, a->pod)) {
                count_term(a, sums, term, node, sign * term->weight);
            }
        }
    }
    for (uint32_t i = 0; i < pod->pod_affinity.required_count && hard_weight > 0; i++) {
        if (term_matches(a, &pod->pod_affinity.required[i], pod, a->pod)) {
            count_term(a, sums, &pod->pod_affinity.required[i], node, hard_weight);
        }
    }
}

bool naive_affinity_score(naive_attempt *a, const berth_plugin_ref *ref, const berth_node **nodes,
                          size_t count, int64_t *values)
{
    bool soft =
        a->pod->pod_affinity.preferred_count > 0 || a->pod->pod_anti_affinity.preferred_count > 0;
    int32_t hard_weight = 1;
    naive_counts sums = {0};
    if (ref->args != NULL) {
        hard_weight = ref->args->inter_pod_affinity.hard_pod_affinity_weight;
        if (ref->args->inter_pod_affinity.ignore_preferred_terms_of_existing_pods && !soft) {
            return false;
        }
    }
    for (size_t i = 0; i < a->cluster->pod_count; i++) {
        const naive_pod *p = &a->cluster->pods[i];
        const berth_node *node = p->node.len > 0 ? naive_find_node(a->cluster, p->node) : NULL;
        if (node != NULL) {
            score_pod(a, &sums, hard_weight, p->pod, node);
        }
    }
    if (a->node_count == 0 || sums.count == 0) {
        return false;
    }
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (size_t n = 0; n < count; n++) {
        values[n] = 0;
        for (size_t i = 0; i < sums.count; i++) {
            const berth_str *value = naive_label(nodes[n]->meta.labels, sums.items[i].key);
            if (value != NULL && naive_same(*value, sums.items[i].value)) {
                values[n] += sums.items[i].count;
            }
        }
        lo = values[n] < lo ? values[n] : lo;
        hi = values[n] > hi ? values[n] : hi;
    }
    for (size_t n = 0; n < count; n++) {
        int64_t d = hi - lo;
        values[n] = d > 0 ? (int64_t)(100.0 * ((double)(values[n] - lo) / (double)d)) : 0;
    }
    return true;
}
