/* Resolves topology spread constraints to counters, once for equal pods.
 * Source: kube-scheduler v1.32, plugins/podtopologyspread/common.go and plugin.go. */
#include "plugins/spread_rules.h"

#include "base/error.h"
#include "base/text.h"
#include "model/related.h"
#include "plugins/node_inclusion.h"

/* ---- arguments ---- */

enum { SYSTEM_RULES = 2 };

static berth__spread_rule *system_rules(const berth__model *model, berth__arena *arena)
{
    berth__spread_rule *rules = berth__arena_alloc_zero(arena, SYSTEM_RULES * sizeof(*rules), 8);
    if (rules == NULL)
        return NULL;
    rules[0] = (berth__spread_rule){.max_skew = 3, .topology_key = model->known.hostname};
    rules[1] = (berth__spread_rule){.max_skew = 5, .topology_key = model->known.zone};
    for (uint32_t i = 0; i < SYSTEM_RULES; i++) {
        rules[i].min_domains = 1;
        rules[i].soft = true;
        rules[i].honor_affinity = true;
    }
    return rules;
}

static berth__spread_rule *listed_rules(berth__model *model, berth__arena *arena,
                                        const berth_spread_args *args)
{
    bool ok = true;
    berth__spread_rule *rules =
        berth__arena_alloc_zero(arena, args->default_constraint_count * sizeof(*rules), 8);
    for (uint32_t i = 0; rules != NULL && i < args->default_constraint_count; i++) {
        const berth_topology_spread *source = &args->default_constraints[i];
        rules[i] = (berth__spread_rule){
            .max_skew = source->max_skew,
            .min_domains = source->min_domains > 0 ? source->min_domains : 1,
            .topology_key = berth__intern_add(&model->strings, source->topology_key, &ok),
            .hard = berth__str_is(source->when_unsatisfiable, "DoNotSchedule"),
            .soft = berth__str_is(source->when_unsatisfiable, "ScheduleAnyway")};
        berth__spread_rule_set_policies(&model->behaviours, source, &rules[i]);
    }
    return ok ? rules : NULL;
}

berth_status berth__spread_configure(berth__model *model, berth__arena *arena,
                                     const berth_plugin_args *args, void *instance,
                                     berth_error *error)
{
    berth__spread_defaults *own = instance;
    own->system = args == NULL || !args->spread.list_defaulting;
    own->count = own->system ? SYSTEM_RULES : args->spread.default_constraint_count;
    own->rules =
        own->system ? system_rules(model, arena) : listed_rules(model, arena, &args->spread);
    if (own->rules == NULL)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < own->count; i++) {
        own->any_hard |= own->rules[i].hard;
        own->any_soft |= own->rules[i].soft;
    }
    return BERTH_OK;
}

/* ---- which constraints apply ---- */

/* The constraints to choose from. Default constraints share one selector. */
typedef struct source {
    const berth__spread_rule *rules;
    uint32_t count;
    bool hard;
    bool defaults;
    berth__selector selector;
} source;

static bool applies(const berth__spread_rule *rule, bool hard)
{
    return hard ? rule->hard : rule->soft;
}

static bool any_applies(const source *from)
{
    for (uint32_t i = 0; i < from->count; i++)
        if (applies(&from->rules[i], from->hard))
            return true;
    return false;
}

/* Find the constraints to resolve, as far as possible without searching services. */
static bool find_source(const berth__question *cycle, const berth__spread_defaults *defaults,
                        bool hard, source *out)
{
    const berth__pod_rules *own = cycle->cls->pod_rules;
    *out = (source){.hard = hard};
    if (own != NULL && own->spread_count > 0) {
        out->rules = own->spreads;
        out->count = own->spread_count;
        return any_applies(out);
    }
    out->defaults = true;
    out->rules = defaults->rules;
    out->count = defaults->count;
    return (hard ? defaults->any_hard : defaults->any_soft) && cycle->view->related != NULL &&
           berth__related_may_select(cycle->view->related, cycle->cls->identity);
}

/* ---- resolving ---- */

typedef struct resolving {
    const berth__question *cycle;
    berth__plan *plan;
    const source *from;
    berth__spreads *body;
    berth__spread *items;
    const berth__sym *keys; /* of the constraints that apply */
    /* The nodes that count, by the policies that a rule honors (taints, affinity). Rules with the
     * same policies share them. */
    berth__inclusion *inclusions[2][2];
    bool included[2][2];
} resolving;

static const berth__selector *selector_of(const source *from, const berth__spread_rule *rule)
{
    return from->defaults ? &from->selector : &rule->selector;
}

/* An empty selector counts no pods, although it matches the pod itself. */
static berth__domain_counts *count_pods(const resolving *own, const berth__spread_rule *rule,
                                        berth__inclusion *inclusion)
{
    const berth__identity *identity = own->cycle->cls->identity;
    berth__pod_filter filter = {.namespaces = &identity->namespace_name,
                                .namespace_count = 1,
                                .selector = *selector_of(own->from, rule)};
    if (filter.selector.kind == BERTH__SELECTOR_EVERYTHING)
        filter.selector = (berth__selector){.kind = BERTH__SELECTOR_NOTHING};
    return berth__plan_count(own->cycle->view, own->plan,
                             &(berth__counted){.kind = BERTH__PODS_STAYING,
                                               .filters = &filter,
                                               .filter_count = 1,
                                               .topology_key = rule->topology_key,
                                               .inclusion = inclusion});
}

/* Find the nodes that count for a rule: those that all constraints of this kind require. The
 * constraint's own key needs no check, because a node without it is in no domain. */
static bool include_nodes(resolving *own, const berth__spread_rule *rule, berth__inclusion **out)
{
    bool *known = &own->included[rule->honor_taints][rule->honor_affinity];
    berth__inclusion **kept = &own->inclusions[rule->honor_taints][rule->honor_affinity];
    const berth__inclusion_rule ask = {
        .keys = own->keys,
        .key_count = own->body->require_all && own->body->count > 1 ? own->body->count : 0,
        .honor_affinity = rule->honor_affinity,
        .honor_taints = rule->honor_taints};
    *known = *known || berth__node_inclusion(own->cycle->view, own->cycle->cls, &own->plan->arena,
                                             &ask, kept);
    *out = *kept;
    return *known;
}

static void release_nodes(const resolving *own)
{
    for (uint32_t i = 0; i < 4; i++)
        if (own->inclusions[i / 2][i % 2] != NULL)
            berth__pod_counts_release_inclusion(own->cycle->view->counts,
                                                own->inclusions[i / 2][i % 2]);
}

static bool resolve_one(resolving *own, const berth__spread_rule *rule, uint32_t at)
{
    berth__view *view = own->cycle->view;
    berth__spread *out = &own->items[at];
    berth__inclusion *inclusion = NULL;
    out->max_skew = rule->max_skew;
    out->min_domains = rule->min_domains;
    out->self = berth__selector_matches(&view->model->strings, selector_of(own->from, rule),
                                        own->cycle->cls->identity->labels);
    out->everything = selector_of(own->from, rule)->kind == BERTH__SELECTOR_EVERYTHING;
    out->by_node = !own->from->hard && rule->topology_key == view->model->known.hostname;
    for (uint32_t i = 0; i < own->body->count; i++) {
        bool same = own->keys[i] == rule->topology_key;
        out->shared |= same && i != at;
        out->repeats |= same && i < at;
    }
    if (!out->by_node && !include_nodes(own, rule, &inclusion))
        return false;
    berth__domain_counts *counts = count_pods(own, rule, inclusion);
    if (counts != NULL && own->from->hard)
        berth__domain_counts_want_lowest(counts);
    out->counts = counts;
    return counts != NULL;
}

/* The first invalid selector, or NULL. */
static const berth__selector *unreadable(const source *from)
{
    for (uint32_t i = 0; i < from->count && !from->defaults; i++)
        if (applies(&from->rules[i], from->hard) &&
            from->rules[i].selector.kind == BERTH__SELECTOR_INVALID)
            return &from->rules[i].selector;
    return NULL;
}

static bool resolve_all(resolving *own)
{
    const source *from = own->from;
    berth__arena *arena = &own->plan->arena;
    bool ok = true;
    const berth__selector *problem = unreadable(from);
    if (problem != NULL) {
        own->body->problem = berth__arena_str(arena, problem->problem, &ok);
        return ok;
    }
    berth__sym *keys = berth__arena_alloc(arena, from->count * sizeof(*keys), 8);
    own->items = berth__arena_alloc_zero(arena, from->count * sizeof(*own->items), 8);
    if (keys == NULL || own->items == NULL)
        return false;
    own->keys = keys;
    own->body->items = own->items;
    for (uint32_t i = 0; i < from->count; i++)
        if (applies(&from->rules[i], from->hard))
            keys[own->body->count++] = from->rules[i].topology_key;
    for (uint32_t i = 0, at = 0; i < from->count && ok; i++)
        if (applies(&from->rules[i], from->hard))
            ok = resolve_one(own, &from->rules[i], at++);
    release_nodes(own);
    return ok;
}

static bool resolve(const berth__question *cycle, const berth__spread_defaults *defaults,
                    berth__plan *plan, source *from)
{
    bool ok = true;
    berth__spreads *body = berth__plan_begin(plan, sizeof(*body));
    if (body == NULL)
        return false;
    body->require_all = !from->defaults || !defaults->system;
    if (from->defaults) {
        from->selector = berth__related_default_selector(cycle->view->related, &plan->arena,
                                                         cycle->cls->identity, &ok);
        if (from->selector.kind == BERTH__SELECTOR_EVERYTHING)
            from->count = 0;
    }
    resolving own = {.cycle = cycle, .plan = plan, .from = from, .body = body};
    if (!ok || !resolve_all(&own))
        return false;
    berth__plan_end(cycle->view, plan);
    return true;
}

bool berth__spread_resolve(const berth__question *cycle, const berth__spread_defaults *defaults,
                           bool hard, const berth__spreads **out)
{
    source from;
    berth__view *view = cycle->view;
    const berth__class *cls = cycle->cls;
    *out = NULL;
    if (!find_source(cycle, defaults, hard, &from))
        return true;
    /* Hard and soft constraints of a pod have separate plans. */
    const berth__plan_key key = {hard ? (const void *)defaults : (const void *)&defaults->rules,
                                 {cls->identity->part.serial,
                                  cls->pod_rules != NULL ? cls->pod_rules->part.serial : 0,
                                  cls->node_rules != NULL ? cls->node_rules->part.serial : 0}};
    const berth__plan_epochs epochs = {.epoch = view->layout->rule_epoch,
                                       .related_epoch = from.defaults ? view->related->epoch : 0};
    berth__plan *plan = berth__plan_get(view, &key, &epochs);
    if (plan == NULL || (!plan->resolved && !resolve(cycle, defaults, plan, &from)) ||
        !berth__plan_renew(view, plan))
        return false;
    const berth__spreads *body = plan->body;
    if (body->count > 0 || body->problem.data != NULL)
        *out = body;
    return true;
}
