/* Resolves terms of pod (anti-)affinity to counters, once for equal pods.
 * Source: kube-scheduler v1.36, plugins/interpodaffinity and framework/types.go. */
#include "plugins/affinity_rules.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

typedef struct resolving {
    const berth__question *cycle;
    const berth__affinity_args *args;
    berth__plan *plan;
    berth__affinity *body;
    bool ok; /* false: out of memory */
} resolving;

/* ---- lists in the plan's arena ---- */

static bool grow(berth__arena *arena, void *array, uint32_t *capacity, uint32_t need,
                 size_t element_bytes)
{
    void **slot = array;
    if (need <= *capacity)
        return true;
    uint32_t grown = *capacity < 4 ? 4 : *capacity * 2;
    void *memory = berth__arena_alloc(arena, grown * element_bytes, 8);
    if (memory == NULL)
        return false;
    if (*slot != NULL)
        memcpy(memory, *slot, *capacity * element_bytes);
    *slot = memory;
    *capacity = grown;
    return true;
}

/* Append domain counts; NULL means that memory for them ran out. */
static void keep(resolving *own, berth__count_list *list, const berth__domain_counts *counts)
{
    own->ok = own->ok && counts != NULL &&
              grow(&own->plan->arena, &list->items, &list->capacity, list->count + 1,
                   sizeof(*list->items));
    if (own->ok)
        list->items[list->count++] = counts;
}

static void keep_soft(resolving *own, const berth__domain_counts *counts, int64_t weight)
{
    berth__affinity *body = own->body;
    own->ok = own->ok && counts != NULL &&
              grow(&own->plan->arena, &body->soft, &body->soft_capacity, body->soft_count + 1,
                   sizeof(*body->soft));
    if (own->ok)
        body->soft[body->soft_count++] = (berth__soft_affinity){counts, weight};
}

/* ---- invalid selectors ---- */

const berth__selector *berth__affinity_unreadable(const berth__pod_terms *terms)
{
    for (uint32_t i = 0; i < terms->count; i++) {
        if (terms->items[i].selector.kind == BERTH__SELECTOR_INVALID)
            return &terms->items[i].selector;
        if (terms->items[i].namespace_selector.kind == BERTH__SELECTOR_INVALID)
            return &terms->items[i].namespace_selector;
    }
    return NULL;
}

/* Describe all term lists with invalid selectors, each with its first problem; in brackets if there
 * are several. */
static void describe_problems(resolving *own, const berth__pod_rules *rules)
{
    const struct {
        const char *name;
        const berth__pod_terms *terms;
    } lists[] = {{"requiredAffinityTerms", &rules->required_affinity},
                 {"requiredAntiAffinityTerms", &rules->required_anti_affinity},
                 {"preferredAffinityTerms", &rules->preferred_affinity},
                 {"preferredAntiAffinityTerms", &rules->preferred_anti_affinity}};
    const berth__selector *problems[4];
    size_t bytes = 3;
    uint32_t count = 0;
    for (size_t i = 0; i < 4; i++) {
        problems[i] = berth__affinity_unreadable(lists[i].terms);
        bytes += problems[i] != NULL ? problems[i]->problem.len + strlen(lists[i].name) + 4 : 0;
        count += problems[i] != NULL;
    }
    char *text = berth__arena_alloc(&own->plan->arena, bytes, 1);
    own->ok &= text != NULL;
    size_t len = 0;
    for (size_t i = 0; text != NULL && i < 4; i++)
        if (problems[i] != NULL)
            len += (size_t)snprintf(text + len, bytes - len, "%s%s: %.*s",
                                    len > 0     ? ", "
                                    : count > 1 ? "["
                                                : "",
                                    lists[i].name, (int)problems[i]->problem.len,
                                    problems[i]->problem.data);
    if (text != NULL && count > 1)
        text[len++] = ']';
    own->body->problem = (berth_str){text, (uint32_t)len};
    own->body->has_preferred =
        rules->preferred_affinity.count + rules->preferred_anti_affinity.count > 0;
}

/* ---- the pod's own terms ---- */

/* Whether the selector matches a namespace without labels: each requirement says that a label is
 * absent or has another value. */
static bool only_excludes(const berth__selector *selector)
{
    for (uint32_t i = 0; i < selector->count; i++)
        if (selector->items[i].op != BERTH__OP_NOT_IN &&
            selector->items[i].op != BERTH__OP_NOT_EXISTS)
            return false;
    return selector->kind == BERTH__SELECTOR_REQUIREMENTS;
}

/* kube-scheduler (1.34 to 1.36) resolves a namespace selector to names, but also applies it to
 * every pod in another namespace, as if that namespace had no labels. */
berth__pod_filter berth__affinity_own_filter(const berth__model *model, const berth__pod_term *term)
{
    berth__pod_filter filter = berth__pod_filter_of(term);
    if (model->behaviours.own_namespaces_open && only_excludes(&term->namespace_selector))
        filter.namespace_selector = (berth__selector){.kind = BERTH__SELECTOR_EVERYTHING};
    return filter;
}

static berth__domain_counts *count_term(resolving *own, const berth__pod_term *term)
{
    const berth__pod_filter filter = berth__affinity_own_filter(own->cycle->view->model, term);
    return berth__plan_count(own->cycle->view, own->plan,
                             &(berth__counted){.kind = BERTH__PODS_MATCHING,
                                               .filters = &filter,
                                               .filter_count = 1,
                                               .topology_key = term->topology_key});
}

/* A running pod satisfies required affinity only if it matches every term. The node must then have
 * every term's key. */
static void resolve_wanted(resolving *own, const berth__pod_terms *terms)
{
    berth__view *view = own->cycle->view;
    if (terms->count == 0 || berth__affinity_unreadable(terms) != NULL)
        return;
    berth__pod_filter *filters =
        berth__arena_alloc(&own->plan->arena, terms->count * sizeof(*filters), 8);
    own->ok = filters != NULL;
    for (uint32_t i = 0; own->ok && i < terms->count; i++)
        filters[i] = berth__affinity_own_filter(view->model, &terms->items[i]);
    const berth__counted first = {.kind = BERTH__PODS_MATCHING,
                                  .filters = filters,
                                  .filter_count = terms->count,
                                  .topology_key = terms->items[0].topology_key};
    if (own->ok)
        keep(own, &own->body->wanted, berth__plan_count(view, own->plan, &first));
    for (uint32_t i = 1; own->ok && i < terms->count; i++)
        keep(own, &own->body->wanted,
             berth__plan_count_population(view, own->plan, own->body->wanted.items[0]->population,
                                          terms->items[i].topology_key, NULL));
    if (own->ok)
        own->body->self = berth__population_matches(view, own->body->wanted.items[0]->population,
                                                    own->cycle->cls->identity);
}

static void resolve_soft(resolving *own, const berth__pod_terms *terms, int64_t sign)
{
    if (berth__affinity_unreadable(terms) != NULL)
        return;
    for (uint32_t i = 0; own->ok && i < terms->count; i++)
        keep_soft(own, count_term(own, &terms->items[i]), sign * terms->items[i].weight);
}

static void resolve_own(resolving *own, const berth__pod_rules *rules)
{
    const berth__pod_terms *unwanted = &rules->required_anti_affinity;
    own->body->has_required = rules->required_affinity.count + unwanted->count > 0;
    own->body->has_preferred =
        rules->preferred_affinity.count + rules->preferred_anti_affinity.count > 0;
    resolve_wanted(own, &rules->required_affinity);
    bool readable = berth__affinity_unreadable(unwanted) == NULL;
    for (uint32_t i = 0; own->ok && readable && i < unwanted->count; i++)
        keep(own, &own->body->unwanted, count_term(own, &unwanted->items[i]));
    resolve_soft(own, &rules->preferred_affinity, 1);
    resolve_soft(own, &rules->preferred_anti_affinity, -1);
}

/* ---- terms of running pods ---- */

static int64_t held_weight(const resolving *own, const berth__population *population)
{
    switch (population->kind) {
    case BERTH__HOLDERS_REQUIRED_AFFINITY:
        return own->args->hard_weight;
    case BERTH__HOLDERS_PREFERRED_AFFINITY:
        return population->weight;
    case BERTH__HOLDERS_PREFERRED_ANTI_AFFINITY:
        return -(int64_t)population->weight;
    default:
        return 0;
    }
}

static bool resolve_held(void *context, berth__population *population)
{
    resolving *own = context;
    if (population->kind == BERTH__HOLDERS_REQUIRED_AFFINITY && own->args->hard_weight <= 0)
        return true;
    berth__domain_counts *counts = berth__plan_count_population(
        own->cycle->view, own->plan, population, population->topology_key, NULL);
    if (population->kind == BERTH__HOLDERS_REQUIRED_ANTI_AFFINITY)
        keep(own, &own->body->against, counts);
    else
        keep_soft(own, counts, held_weight(own, population));
    return own->ok;
}

/* ---- all terms ---- */

static bool resolve(const berth__question *cycle, const berth__affinity_args *args,
                    berth__plan *plan)
{
    const berth__pod_rules *rules = cycle->cls->pod_rules;
    resolving own = {.cycle = cycle, .args = args, .plan = plan, .ok = true};
    own.body = berth__plan_begin(plan, sizeof(*own.body));
    if (own.body == NULL)
        return false;
    own.body->holders_seen = cycle->view->counts->holders_added;
    if (rules != NULL && rules->malformed &&
        cycle->view->model->behaviours.refuses_malformed_terms) {
        describe_problems(&own, rules);
    } else {
        if (rules != NULL)
            resolve_own(&own, rules);
        if (own.ok)
            berth__pod_counts_visit_holders(cycle->view, cycle->cls->identity, resolve_held, &own);
    }
    if (own.ok)
        berth__plan_end(cycle->view, plan);
    return own.ok;
}

static bool has_terms(const berth__pod_rules *rules)
{
    return rules != NULL && rules->required_affinity.count + rules->required_anti_affinity.count +
                                    rules->preferred_affinity.count +
                                    rules->preferred_anti_affinity.count >
                                0;
}

/* Whether a plan that was resolved needs no other counters since, although pods with other terms
 * may have come. */
static bool still_resolved(const berth__question *cycle, berth__plan *plan)
{
    berth__affinity *body = plan->body;
    const uint64_t added = cycle->view->counts->holders_added;
    if (plan->resolved && body->holders_seen != added) {
        plan->resolved = !berth__pod_counts_newly_concerned(cycle->view, body->holders_seen,
                                                            cycle->cls->identity);
        body->holders_seen = added;
    }
    return plan->resolved;
}

bool berth__affinity_resolve(const berth__question *cycle, const berth__affinity_args *args,
                             const berth__plan **out)
{
    berth__view *view = cycle->view;
    const berth__class *cls = cycle->cls;
    *out = NULL;
    if (view->counts->holder_count == 0 && !has_terms(cls->pod_rules))
        return true;
    berth__pod_counts_follow_namespaces(view);
    const berth__plan_key key = {
        args,
        {cls->identity->part.serial, cls->pod_rules != NULL ? cls->pod_rules->part.serial : 0, 0}};
    const berth__plan_epochs epochs = {.epoch = view->layout->label_epoch,
                                       .namespace_epoch = view->counts->namespace_epoch,
                                       .holders_epoch = view->counts->holders_epoch};
    berth__plan *plan = berth__plan_get(view, &key, &epochs);
    if (plan == NULL || (!still_resolved(cycle, plan) && !resolve(cycle, args, plan)) ||
        !berth__plan_renew(view, plan))
        return false;
    *out = plan;
    return true;
}
