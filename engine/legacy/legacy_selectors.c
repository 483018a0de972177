/* Selectors of v1.15's spreading priorities: from a pod's labels to counters of its siblings, once
 * for equal pods.
 * Source: Kubernetes v1.15.3, algorithm/priorities/metadata.go, getSelectors; client-go/listers,
 * GetPodServices and the like. */
#include "legacy/legacy_selectors.h"

#include "model/related.h"

typedef struct collection {
    const berth__question *cycle;
    berth__arena *arena;
    const berth__sym *namespace_name;
    berth__pod_filter *filters;
    uint32_t count;
    uint32_t capacity;
    bool ok;
} collection;

static bool matches_pod(const collection *own, const berth__related_object *object)
{
    return berth__selector_matches(&own->cycle->view->model->strings, &object->selector,
                                   own->cycle->cls->identity->labels);
}

/* Add a selector. The list is in an arena; when it grows, its old copy is not freed. */
static void add(collection *own, const berth__selector *selector)
{
    if (own->count == own->capacity) {
        uint32_t capacity = own->capacity * 2 + 4;
        berth__pod_filter *filters = berth__arena_alloc(own->arena, capacity * sizeof(*filters), 8);
        own->ok &= filters != NULL;
        for (uint32_t i = 0; own->ok && i < own->count; i++)
            filters[i] = own->filters[i];
        if (!own->ok)
            return;
        own->filters = filters;
        own->capacity = capacity;
    }
    own->filters[own->count++] = (berth__pod_filter){
        .namespaces = own->namespace_name, .namespace_count = 1, .selector = *selector};
}

static const berth__related_object *first_of(const collection *own, berth_kind kind)
{
    return berth__related_first(own->cycle->view->related, kind, *own->namespace_name);
}

static void add_services(collection *own, bool first_only)
{
    const berth__related_object *service = first_of(own, BERTH_KIND_SERVICE);
    for (; service != NULL && own->ok; service = service->next) {
        if (!matches_pod(own, service))
            continue;
        add(own, &service->selector);
        if (first_only)
            return;
    }
}

/* Whether all selectors of a list are valid; one invalid selector makes the whole list unusable. */
static bool is_readable(const berth__related_object *first)
{
    for (; first != NULL; first = first->next)
        if (first->selector.kind == BERTH__SELECTOR_INVALID)
            return false;
    return true;
}

static void add_controllers(collection *own, berth_kind kind)
{
    const berth__related_object *object = first_of(own, kind);
    if (!is_readable(object))
        return;
    for (; object != NULL && own->ok; object = object->next)
        if (object->selector.kind == BERTH__SELECTOR_REQUIREMENTS && matches_pod(own, object))
            add(own, &object->selector);
}

/* Collect the selectors. A pod without labels has no controllers, even if their selectors match
 * everything. */
static void collect(collection *own, berth__siblings which)
{
    add_services(own, which == BERTH__SIBLINGS_FIRST_SERVICE);
    if (which != BERTH__SIBLINGS_ALL || own->cycle->cls->identity->labels.count == 0)
        return;
    add_controllers(own, BERTH_KIND_REPLICATION_CONTROLLER);
    add_controllers(own, BERTH_KIND_REPLICA_SET);
    add_controllers(own, BERTH_KIND_STATEFUL_SET);
}

/* The body of a plan. */
typedef struct siblings {
    const berth__domain_counts *counts;
} siblings;

static bool resolve(const berth__question *cycle, berth__plan *plan, berth__siblings which,
                    berth__sym topology_key)
{
    siblings *body = berth__plan_begin(plan, sizeof(*body));
    collection own = {.cycle = cycle,
                      .arena = &plan->arena,
                      .namespace_name = &cycle->cls->identity->namespace_name,
                      .ok = true};
    if (body == NULL)
        return false;
    collect(&own, which);
    if (own.ok && own.count > 0) {
        body->counts = berth__plan_count(cycle->view, plan,
                                         &(berth__counted){.kind = BERTH__PODS_STAYING,
                                                           .filters = own.filters,
                                                           .filter_count = own.count,
                                                           .topology_key = topology_key});
        own.ok = body->counts != NULL;
    }
    if (own.ok)
        berth__plan_end(cycle->view, plan);
    return own.ok;
}

bool berth__legacy_siblings(const berth__question *cycle, const void *owner, berth__siblings which,
                            berth__sym topology_key, const berth__domain_counts **out)
{
    berth__view *view = cycle->view;
    *out = NULL;
    if (view->counts == NULL)
        return true;
    const berth__plan_key key = {owner, {cycle->cls->identity->part.serial, topology_key, 0}};
    const berth__plan_epochs epochs = {.related_epoch = view->related->epoch};
    berth__plan *plan = berth__plan_get(view, &key, &epochs);
    if (plan == NULL || (!plan->resolved && !resolve(cycle, plan, which, topology_key)) ||
        !berth__plan_renew(view, plan))
        return false;
    const siblings *body = plan->body;
    *out = body->counts;
    return true;
}
