/* Counts of pods by topology domain for an embedder's plugins: resolves their selections to the
 * counters that Kubernetes' own rules about other pods use.
 *
 * Texts of a selection are looked up, not added: a text that no object ever had matches no existing
 * pod. So each prepare resolves its selections again, with the texts known by then. */
#include "base/sized.h"
#include "base/text.h"
#include "berth/plugin.h"
#include "columns/pod_counts.h"
#include "plugins/plugin.h"

typedef struct compiling {
    const berth__view *view;
    berth__arena *arena;
    bool ok;
} compiling;

static void *take(compiling *own, uint32_t count, size_t size)
{
    void *memory = berth__arena_alloc(own->arena, (count + (size_t)1) * size, 8);
    own->ok &= memory != NULL;
    return memory;
}

static berth__sym find(const compiling *own, berth_str text)
{
    return berth__intern_find(&own->view->model->strings, text.data != NULL ? text : BERTH_STR(""));
}

/* Those of the texts that are interned, sorted. */
static const berth__sym *find_all(compiling *own, berth_strs texts, uint32_t *count)
{
    berth__sym *syms = take(own, texts.count, sizeof(*syms));
    *count = 0;
    for (uint32_t i = 0; own->ok && i < texts.count; i++) {
        berth__sym sym = find(own, texts.items[i]);
        uint32_t at = *count;
        if (sym == 0)
            continue;
        for (; at > 0 && syms[at - 1] > sym; at--)
            syms[at] = syms[at - 1];
        syms[at] = sym;
        (*count)++;
    }
    return syms;
}

/* ---- selectors ---- */

/* What a requirement of a selection amounts to. */
typedef enum meaning { SAYS, SAYS_NOTHING, MATCHES_NOBODY, MEANS_NOTHING } meaning;

static meaning compile_requirement(compiling *own, const berth_requirement *source,
                                   berth__interned_requirement *out)
{
    bool in = berth__str_is(source->op, "In"), exists = berth__str_is(source->op, "Exists");
    bool not_in = berth__str_is(source->op, "NotIn");
    *out = (berth__interned_requirement){.key = find(own, source->key)};
    if (!in && !exists && !not_in && !berth__str_is(source->op, "DoesNotExist"))
        return MEANS_NOTHING;
    if ((in || not_in) != (source->values.count > 0))
        return MEANS_NOTHING;
    out->values = find_all(own, source->values, &out->value_count);
    out->op = in       ? BERTH__OP_IN
              : exists ? BERTH__OP_EXISTS
              : not_in ? BERTH__OP_NOT_IN
                       : BERTH__OP_NOT_EXISTS;
    bool unknown = out->key == 0 || ((in || not_in) && out->value_count == 0);
    if (!unknown)
        return SAYS;
    return in || exists ? MATCHES_NOBODY : SAYS_NOTHING;
}

static berth_requirement requirement_at(const berth_label_selector *selector, uint32_t i)
{
    uint32_t pairs = selector->match_labels.count;
    if (i >= pairs)
        return selector->match_expressions.items[i - pairs];
    const berth_key_value *pair = &selector->match_labels.entries[i];
    return (berth_requirement){pair->key, BERTH_STR("In"), {&pair->value, 1}};
}

static berth__selector compile_selector(compiling *own, const berth_label_selector *selector)
{
    const berth__selector nobody = {.kind = BERTH__SELECTOR_NOTHING};
    uint32_t count = 0, end;
    if (selector == NULL)
        return nobody;
    end = selector->match_labels.count + selector->match_expressions.count;
    berth__interned_requirement *items = take(own, end, sizeof(*items));
    for (uint32_t i = 0; own->ok && i < end; i++) {
        const berth_requirement source = requirement_at(selector, i);
        meaning says = compile_requirement(own, &source, &items[count]);
        if (says == MATCHES_NOBODY || says == MEANS_NOTHING)
            return nobody;
        count += says == SAYS;
    }
    if (count == 0)
        return (berth__selector){.kind = BERTH__SELECTOR_EVERYTHING};
    return (berth__selector){BERTH__SELECTOR_REQUIREMENTS, count, items, {0}};
}

/* ---- selections ---- */

static berth__pod_filter compile(compiling *own, const berth__question *cycle,
                                 const berth_pod_selection *what)
{
    berth__pod_filter filter = {.namespaces = &cycle->cls->identity->namespace_name,
                                .namespace_count = 1};
    if (what->namespaces.count > 0 || what->namespace_selector != NULL)
        filter.namespaces = find_all(own, what->namespaces, &filter.namespace_count);
    filter.namespace_selector = compile_selector(own, what->namespace_selector);
    filter.selector = compile_selector(own, what->selector);
    return filter;
}

static const berth__domain_counts *resolve(const berth__question *cycle, berth__plan *plan,
                                           const berth_pod_selection *what)
{
    if (berth__plan_begin(plan, sizeof(uint64_t)) == NULL)
        return NULL;
    compiling own = {cycle->view, &plan->arena, true};
    const berth__pod_filter filter = compile(&own, cycle, what);
    const berth__counted counted = {.kind = BERTH__PODS_MATCHING,
                                    .filters = &filter,
                                    .filter_count = 1,
                                    .topology_key = find(&own, what->topology_key)};
    const berth__domain_counts *counts =
        own.ok ? berth__plan_count(cycle->view, plan, &counted) : NULL;
    if (counts == NULL)
        return NULL;
    berth__plan_end(cycle->view, plan);
    return berth__plan_renew(cycle->view, plan) ? counts : NULL;
}

/* The most counts of a plugin in a question: far fewer than plans are kept
 * (columns/pod_counts_plan.c), so that none is dropped while it is read. */
enum { COUNTS_MAX = 64 };

/* How many counts the plugin has requested here; those for scores are numbered from UINT16_MAX. */
static uint32_t counts_so_far(const berth__prepare *prepare)
{
    return prepare->counts_asked % UINT16_MAX;
}

const berth_domain_count *berth_preparation_count(berth_preparation *preparation,
                                                  const berth_pod_selection *what)
{
    berth__prepare *prepare = preparation->reserved;
    const berth__question *cycle = prepare->cycle;
    const berth__plan_epochs always = {.epoch = cycle->view->layout->epoch};
    berth_pod_selection own = {.size = sizeof(own)};
    if (!prepare->counts_pods || counts_so_far(prepare) == COUNTS_MAX ||
        berth__sized_read(&own, sizeof(own), what, "berth_pod_selection", NULL) != BERTH_OK)
        return NULL;
    berth__pod_counts_follow_namespaces(cycle->view);
    const berth__plan_key key = {prepare->instance,
                                 {cycle->cls->identity->part.serial, ++prepare->counts_asked, 0}};
    berth__plan *plan = berth__plan_get(cycle->view, &key, &always);
    return plan != NULL ? (const berth_domain_count *)resolve(cycle, plan, &own) : NULL;
}

uint32_t berth_cycle_domain_pods(const berth_cycle *cycle, const berth_domain_count *count,
                                 uint32_t slot)
{
    (void)cycle;
    return berth__domain_counts_slot((const berth__domain_counts *)count, slot);
}
