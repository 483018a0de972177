/* CheckServiceAffinity of v1.15: the pods of a Service run on nodes with equal values of some
 * labels. The pod's nodeSelector states the values; for other labels, the node of a running pod
 * with the same labels does. v1.15 uses the pod that happens to come first in a map; here it is the
 * one on the first node in search order. A nominated pod counts as running on its node while that
 * node is tried with it. v1.15 puts it last in its list, and fails if it is alone there.
 * Source: Kubernetes v1.15.3, algorithm/predicates/predicates.go, ServiceAffinity. */
#include "columns/pod_counts.h"
#include "legacy/legacy_labels.h"
#include "legacy/legacy_registry.h"
#include "model/related.h"
#include "plugins/node_match.h"

/* The body of a plan. */
typedef struct siblings {
    const berth__domain_counts *counts; /* NULL: no Service matches the pod */
} siblings;

typedef struct filter_state {
    berth__node_match match;
} filter_state;

/* ---- pods with the same labels ---- */

typedef struct service_visit {
    const berth__model *model;
    berth__labels labels;
    bool found;
} service_visit;

static bool visit_service(void *context, void *item)
{
    service_visit *own = context;
    const berth__related_object *service = item;
    own->found = berth__selector_matches(&own->model->strings, &service->selector, own->labels);
    return !own->found;
}

static bool has_service(const berth__question *cycle)
{
    const berth__identity *identity = cycle->cls->identity;
    service_visit own = {.model = cycle->view->model, .labels = identity->labels};
    berth__related_visit_services(cycle->view->related, identity->namespace_name, identity->labels,
                                  visit_service, &own);
    return own.found;
}

/* A selector of the pods that have all labels of the pod. */
static berth__selector own_labels(const berth__identity *identity, berth__arena *arena, bool *ok)
{
    berth__selector selector = {.kind = BERTH__SELECTOR_EVERYTHING};
    const berth__labels labels = identity->labels;
    if (labels.count == 0)
        return selector;
    berth__interned_requirement *items = berth__arena_alloc_zero(
        arena, labels.count * sizeof(*items), _Alignof(berth__interned_requirement));
    *ok = items != NULL;
    for (uint32_t i = 0; *ok && i < labels.count; i++) {
        items[i].key = labels.items[i].key;
        items[i].op = BERTH__OP_IN;
        items[i].values = &labels.items[i].value;
        items[i].value_count = 1;
    }
    return (berth__selector){BERTH__SELECTOR_REQUIREMENTS, labels.count, items, {0}};
}

static bool resolve(const berth__question *cycle, berth__plan *plan, berth__sym topology_key)
{
    const berth__identity *identity = cycle->cls->identity;
    siblings *body = berth__plan_begin(plan, sizeof(*body));
    bool ok = body != NULL;
    if (ok && has_service(cycle)) {
        const berth__pod_filter filter = {.namespaces = &identity->namespace_name,
                                          .namespace_count = 1,
                                          .selector = own_labels(identity, &plan->arena, &ok)};
        if (ok)
            body->counts = berth__plan_count(cycle->view, plan,
                                             &(berth__counted){.kind = BERTH__PODS_MATCHING,
                                                               .filters = &filter,
                                                               .filter_count = 1,
                                                               .topology_key = topology_key});
        ok = body->counts != NULL;
    }
    if (ok)
        berth__plan_end(cycle->view, plan);
    return ok;
}

static void take_lower(void *context, uint32_t slot, uint32_t count)
{
    uint32_t *lowest = context;
    (void)count;
    *lowest = slot < *lowest ? slot : *lowest;
}

/* The first slot with such a pod; BERTH__SLOT_NONE, the highest number, if there is none. */
static uint32_t first_slot(const berth__population *pods)
{
    uint32_t lowest = BERTH__SLOT_NONE;
    berth__slot_pods_each(&pods->slots, take_lower, &lowest);
    return lowest;
}

/* Find the slot whose labels provide the values that the pod does not state. `*followed`: there may
 * be such a slot, now or with nominated pods. Returns false when out of memory. */
static bool find_example(const berth__prepare *prepare, uint32_t *slot, bool *followed)
{
    const berth__question *cycle = prepare->cycle;
    const berth__legacy_labels *labels = prepare->instance;
    berth__view *view = cycle->view;
    *slot = BERTH__SLOT_NONE;
    if (view->counts == NULL)
        return true;
    const berth__plan_key key = {prepare->instance, {cycle->cls->identity->part.serial, 0, 0}};
    const berth__plan_epochs epochs = {.related_epoch = view->related->epoch};
    berth__plan *plan = berth__plan_get(view, &key, &epochs);
    if (plan == NULL || (!plan->resolved && !resolve(cycle, plan, labels->keys[0])) ||
        !berth__plan_renew(view, plan))
        return false;
    const siblings *body = plan->body;
    *followed = body->counts != NULL;
    if (*followed)
        *slot = first_slot(body->counts->population);
    return true;
}

/* ---- filter ---- */

/* Collect the pairs that a node must have: from the nodeSelector, otherwise from the example. */
static uint32_t choose_pairs(const berth__prepare *prepare, const berth__sym **columns,
                             uint32_t example, berth__label *pairs, const berth__sym **kept)
{
    const berth__legacy_labels *labels = prepare->instance;
    const berth__node_rules *rules = prepare->cycle->cls->node_rules;
    uint32_t count = 0;
    for (uint32_t i = 0; i < labels->count; i++) {
        berth__sym value = rules != NULL ? berth__labels_get(rules->selector, labels->keys[i]) : 0;
        if (value == 0 && example != BERTH__SLOT_NONE)
            value = columns[i][example];
        if (value == 0)
            continue;
        pairs[count] = (berth__label){labels->keys[i], value};
        kept[count++] = columns[i];
    }
    return count;
}

static berth__outcome legacy_service_affinity_prepare(berth__prepare *prepare)
{
    const berth__legacy_labels *labels = prepare->instance;
    const berth__node_rules *rules = prepare->cycle->cls->node_rules;
    filter_state *own = prepare->state;
    const berth__sym **columns =
        berth__legacy_label_columns(prepare->cycle->view, prepare->arena, labels);
    const berth__sym **kept = berth__arena_alloc(prepare->arena, labels->count * sizeof(*kept), 8);
    berth__label *pairs = berth__arena_alloc(prepare->arena, labels->count * sizeof(*pairs), 8);
    uint32_t named = 0, example = BERTH__SLOT_NONE;
    bool followed = false;
    for (uint32_t i = 0; rules != NULL && i < labels->count; i++)
        named += berth__labels_get(rules->selector, labels->keys[i]) != 0;
    prepare->ok = columns != NULL && kept != NULL && pairs != NULL &&
                  (named == labels->count || find_example(prepare, &example, &followed));
    if (!prepare->ok)
        return BERTH__SKIP;
    uint32_t count = choose_pairs(prepare, columns, example, pairs, kept);
    own->match = (berth__node_match){.pairs = {pairs, count}, .pair_columns = kept};
    return count > 0 || followed ? BERTH__ACTIVE : BERTH__SKIP;
}

static void legacy_service_affinity_filter(const berth__question *cycle, const void *instance,
                                           const void *opaque, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    const filter_state *own = opaque;
    berth__node_match_tile(cycle->view, &own->match, tile, mask);
}

BERTH__EXPLAIN_ALWAYS(legacy_service_affinity_explain, BERTH_CODE_UNSCHEDULABLE,
                      "node(s) didn't match service affinity")

const berth__plugin_ops berth__plugin_check_service_affinity = {
    .name = "CheckServiceAffinity",
    .flags = BERTH__PREPARE_EACH | BERTH__ALWAYS_UNSCHEDULABLE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_LABELS | BERTH_WAKE_POD_ADD |
               BERTH_WAKE_POD_REMOVE | BERTH_WAKE_POD_LABELS | BERTH_WAKE_NODE_REMOVE |
               BERTH_WAKE_RELATED,
    .instance_bytes = sizeof(berth__legacy_labels),
    .configure = berth__legacy_labels_configure,
    .filter_state_bytes = sizeof(filter_state),
    .prepare_filter = legacy_service_affinity_prepare,
    .filter = legacy_service_affinity_filter,
    .explain = legacy_service_affinity_explain,
};
