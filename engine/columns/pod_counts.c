/* Counts of pods by selector and topology domain: the set of counters as a whole, its topologies
 * and inclusion sets, and how it follows the cluster. */
#include "columns/pod_counts.h"

#include <inttypes.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/limit.h"
#include "model/related.h"

enum {
    RULES = BERTH__LIMIT(4096, 8),
    /* Populations of held terms before the first sweep of unheld ones. */
    HOLDERS_MIN = BERTH__LIMIT(1024, 4),
};

/* ---- create and destroy ---- */

static void free_tables(berth__pod_counts *counts)
{
    const berth_allocator *allocator = counts->model->allocator;
    for (uint32_t i = 0; counts->rules != NULL && i < RULES; i++)
        berth__free(allocator, counts->rules[i].items,
                    counts->rules[i].capacity * sizeof(*counts->rules[i].items));
    berth__free(allocator, counts->rules, RULES * sizeof(*counts->rules));
    berth__keymap_destroy(&counts->populations);
    berth__keymap_destroy(&counts->topologies);
    berth__keymap_destroy(&counts->inclusions);
    berth__keymap_destroy(&counts->plans);
    berth__keymap_destroy(&counts->groups);
    berth__keymap_destroy(&counts->group_keys);
    berth__label_index_destroy(&counts->matching);
    berth__label_index_destroy(&counts->holders);
    berth__free(allocator, counts->words, counts->word_capacity * sizeof(*counts->words));
    berth__free(allocator, counts, sizeof(*counts));
}

berth_status berth__pod_counts_create(berth__model *model, berth__pod_counts **out)
{
    const berth_allocator *allocator = model->allocator;
    berth__pod_counts *counts =
        berth__alloc_zero(allocator, sizeof(*counts), _Alignof(berth__pod_counts));
    if (counts == NULL)
        return BERTH_E_NOMEM;
    counts->model = model;
    counts->membership_epoch = counts->holders_epoch = 1;
    counts->holder_limit = HOLDERS_MIN;
    if (berth__keymap_init(&counts->populations, allocator) != BERTH_OK ||
        berth__keymap_init(&counts->topologies, allocator) != BERTH_OK ||
        berth__keymap_init(&counts->inclusions, allocator) != BERTH_OK ||
        berth__keymap_init(&counts->plans, allocator) != BERTH_OK ||
        berth__keymap_init(&counts->groups, allocator) != BERTH_OK ||
        berth__keymap_init(&counts->group_keys, allocator) != BERTH_OK ||
        berth__label_index_init(&counts->matching, allocator) != BERTH_OK ||
        berth__label_index_init(&counts->holders, allocator) != BERTH_OK) {
        free_tables(counts);
        return BERTH_E_NOMEM;
    }
    *out = counts;
    return BERTH_OK;
}

void berth__pod_counts_destroy(berth__pod_counts *counts)
{
    if (counts == NULL)
        return;
    berth__view view = {.model = counts->model, .counts = counts};
    berth__groups_stop(counts);
    berth__pod_counts_release_full(counts, NULL);
    berth__plans_clear(&view);
    while (counts->first != NULL)
        berth__population_drop(&view, counts->first);
    BERTH_ASSERT(counts->topologies.count == 0 && counts->inclusions.count == 0);
    free_tables(counts);
}

/* ---- topologies ---- */

berth__topology *berth__pod_counts_topology(berth__view *view, berth__sym key)
{
    berth__pod_counts *counts = view->counts;
    const berth_allocator *allocator = counts->model->allocator;
    berth__topology *topology =
        (berth__topology *)berth__keymap_find(&counts->topologies, &key, sizeof(key));
    bool fresh = topology == NULL;
    if (fresh) {
        topology = berth__alloc_zero(allocator, sizeof(*topology), _Alignof(berth__topology));
        if (topology == NULL)
            return NULL;
        topology->key = key;
        topology->epoch = topology->since = BERTH__EPOCH_NONE;
        topology->entry.key = &topology->key;
        topology->entry.key_bytes = sizeof(topology->key);
        berth__keymap_add(&counts->topologies, &topology->entry);
    }
    topology->users++;
    if (berth__topology_refresh(topology, view->layout, &view->nodes, counts->model->known.empty))
        return topology;
    berth__pod_counts_release_topology(counts, topology);
    return NULL;
}

void berth__pod_counts_release_topology(berth__pod_counts *counts, berth__topology *topology)
{
    BERTH_ASSERT(topology->users > 0);
    if (--topology->users > 0)
        return;
    berth__keymap_remove(&counts->topologies, &topology->entry);
    berth__topology_clear(topology, counts->model->allocator);
    berth__free(counts->model->allocator, topology, sizeof(*topology));
}

/* ---- inclusion sets ---- */

static size_t inclusion_bytes(uint32_t tile_count)
{
    return (size_t)tile_count * BERTH__TILE / 8;
}

static berth__inclusion *make_inclusion(berth__pod_counts *counts, const uint32_t *words,
                                        size_t key_bytes)
{
    berth__inclusion *inclusion = berth__alloc_zero(
        counts->model->allocator, sizeof(*inclusion) + key_bytes, _Alignof(berth__inclusion));
    if (inclusion == NULL)
        return NULL;
    memcpy(inclusion + 1, words, key_bytes);
    inclusion->entry.key = inclusion + 1;
    inclusion->entry.key_bytes = (uint32_t)key_bytes;
    inclusion->epoch = inclusion->since = BERTH__EPOCH_NONE;
    berth__keymap_add(&counts->inclusions, &inclusion->entry);
    return inclusion;
}

berth__inclusion *berth__pod_counts_inclusion(berth__view *view, const uint32_t *words,
                                              uint32_t word_count)
{
    berth__pod_counts *counts = view->counts;
    const berth_allocator *allocator = counts->model->allocator;
    size_t key_bytes = word_count * sizeof(*words);
    uint32_t tile_count = view->layout->tile_count;
    berth__inclusion *inclusion =
        (berth__inclusion *)berth__keymap_find(&counts->inclusions, words, key_bytes);
    if (inclusion == NULL)
        inclusion = make_inclusion(counts, words, key_bytes);
    if (inclusion == NULL)
        return NULL;
    inclusion->users++;
    if (inclusion->slots != NULL && inclusion->tile_count == tile_count)
        return inclusion;
    berth__free(allocator, inclusion->slots, inclusion_bytes(inclusion->tile_count));
    inclusion->slots = berth__alloc_zero(allocator, inclusion_bytes(tile_count), 64);
    inclusion->tile_count = tile_count;
    inclusion->epoch = inclusion->since = BERTH__EPOCH_NONE;
    if (inclusion->slots != NULL)
        return inclusion;
    berth__pod_counts_release_inclusion(counts, inclusion);
    return NULL;
}

void berth__pod_counts_release_inclusion(berth__pod_counts *counts, berth__inclusion *inclusion)
{
    const berth_allocator *allocator = counts->model->allocator;
    BERTH_ASSERT(inclusion->users > 0);
    if (--inclusion->users > 0)
        return;
    berth__keymap_remove(&counts->inclusions, &inclusion->entry);
    berth__free(allocator, inclusion->slots, inclusion_bytes(inclusion->tile_count));
    berth__free(allocator, inclusion, sizeof(*inclusion) + inclusion->entry.key_bytes);
}

void berth__pod_counts_release_full(berth__pod_counts *counts, berth__inclusion *inclusion)
{
    if (counts->full != NULL)
        berth__pod_counts_release_inclusion(counts, counts->full);
    counts->full = inclusion;
}

/* ---- held terms ---- */

bool berth__membership_add(berth__pod_counts *counts, berth__membership *to,
                           berth__population *population)
{
    if (!berth__grow(counts->model->allocator, &to->items, &to->capacity, to->count + 1,
                     sizeof(*to->items)))
        return false;
    to->items[to->count++] = population;
    return true;
}

/* kube-scheduler ignores a whole list of terms if it cannot parse one of them. */
static bool is_readable(const berth__pod_terms *terms)
{
    for (uint32_t i = 0; i < terms->count; i++)
        if (terms->items[i].selector.kind == BERTH__SELECTOR_INVALID ||
            terms->items[i].namespace_selector.kind == BERTH__SELECTOR_INVALID)
            return false;
    return true;
}

static bool register_terms(berth__view *view, const berth__pod_terms *terms,
                           berth__population_kind kind, berth__membership *to)
{
    bool weighs =
        kind == BERTH__HOLDERS_PREFERRED_AFFINITY || kind == BERTH__HOLDERS_PREFERRED_ANTI_AFFINITY;
    if (!is_readable(terms))
        return true;
    for (uint32_t i = 0; i < terms->count; i++) {
        const berth__pod_term *term = &terms->items[i];
        const berth__pod_filter filter = berth__pod_filter_of(term);
        berth__population *population = berth__population_intern(
            view, kind, weighs ? term->weight : 0, term->topology_key, &filter, 1);
        if (population == NULL || !berth__membership_add(view->counts, to, population))
            return false;
    }
    return true;
}

/* Populations of held terms accumulate as workloads come and go: drop those without pods. */
static void sweep_holders(berth__view *view)
{
    berth__pod_counts *counts = view->counts;
    if (counts->held || counts->holder_count < counts->holder_limit)
        return;
    for (berth__population *population = counts->first, *next; population != NULL;
         population = next) {
        next = population->next;
        if (population->kind >= BERTH__HOLDERS_REQUIRED_AFFINITY && population->users == 0 &&
            population->valid && population->total == 0)
            berth__population_drop(view, population);
    }
    counts->holder_limit =
        counts->holder_count < HOLDERS_MIN / 2 ? HOLDERS_MIN : counts->holder_count * 2;
}

const berth__membership *berth__pod_counts_of_rules(berth__view *view,
                                                    const berth__pod_rules *rules)
{
    berth__pod_counts *counts = view->counts;
    if (counts->rules == NULL)
        counts->rules =
            berth__alloc_zero(counts->model->allocator, RULES * sizeof(*counts->rules), 64);
    if (counts->rules == NULL)
        return NULL;
    berth__membership *place = &counts->rules[rules->part.serial % RULES];
    if (place->serial == rules->part.serial && place->epoch == counts->membership_epoch)
        return place;
    sweep_holders(view);
    place->serial = 0;
    place->count = 0;
    if (!register_terms(view, &rules->required_affinity, BERTH__HOLDERS_REQUIRED_AFFINITY, place) ||
        !register_terms(view, &rules->required_anti_affinity, BERTH__HOLDERS_REQUIRED_ANTI_AFFINITY,
                        place) ||
        !register_terms(view, &rules->preferred_affinity, BERTH__HOLDERS_PREFERRED_AFFINITY,
                        place) ||
        !register_terms(view, &rules->preferred_anti_affinity,
                        BERTH__HOLDERS_PREFERRED_ANTI_AFFINITY, place))
        return NULL;
    place->serial = rules->part.serial;
    place->epoch = counts->membership_epoch;
    return place;
}

typedef struct holder_visit {
    const berth__view *view;
    const berth__identity *identity;
    bool (*visit)(void *context, berth__population *population);
    void *context;
} holder_visit;

static bool visit_if_concerned(void *context, void *item)
{
    const holder_visit *own = context;
    return !berth__population_concerns(own->view, item, own->identity) ||
           own->visit(own->context, item);
}

void berth__pod_counts_visit_holders(const berth__view *view, const berth__identity *identity,
                                     bool (*visit)(void *context, berth__population *population),
                                     void *context)
{
    holder_visit own = {view, identity, visit, context};
    berth__label_index_visit(&view->counts->holders, identity->namespace_name, identity->labels,
                             visit_if_concerned, &own);
}

bool berth__pod_counts_newly_concerned(const berth__view *view, uint64_t seen,
                                       const berth__identity *identity)
{
    const berth__pod_counts *counts = view->counts;
    if (counts == NULL)
        return false;
    if (counts->holders_added - seen > BERTH__NEW_HOLDERS)
        return true;
    for (uint64_t i = seen; i < counts->holders_added; i++)
        if (berth__population_concerns(view, counts->new_holders[i % BERTH__NEW_HOLDERS], identity))
            return true;
    return false;
}

/* ---- following the cluster ---- */

void berth__pod_counts_follow_namespaces(berth__view *view)
{
    berth__pod_counts *counts = view->counts;
    uint64_t now = view->related != NULL ? view->related->namespace_epoch : 0;
    if (BERTH_LIKELY(now == counts->namespace_epoch))
        return;
    counts->namespace_epoch = now;
    counts->membership_epoch++;
    counts->holders_epoch++;
    for (berth__population *population = counts->first; population != NULL;
         population = population->next)
        if (population->asks_namespaces && population->kind <= BERTH__PODS_STAYING)
            berth__population_void(counts, population);
}

static bool holds_terms(const berth__class *cls)
{
    const berth__pod_rules *rules = cls->pod_rules;
    return rules != NULL && rules->required_affinity.count + rules->required_anti_affinity.count +
                                    rules->preferred_affinity.count +
                                    rules->preferred_anti_affinity.count >
                                0;
}

bool berth__pod_counts_hold(berth__pod_counts *counts, bool held)
{
    bool before = counts->held;
    counts->held = held;
    return before;
}

bool berth__pod_counts_register(berth__view *view, const berth__class *cls)
{
    return !holds_terms(cls) || view->counts == NULL ||
           berth__pod_counts_of_rules(view, cls->pod_rules) != NULL;
}

/* Memory is short: invalidate the counts of held terms, so that they are counted again when
 * needed. */
static void void_held(berth__pod_counts *counts)
{
    counts->lost = true;
    for (berth__population *population = counts->first; population != NULL;
         population = population->next)
        if (population->kind >= BERTH__HOLDERS_REQUIRED_AFFINITY)
            berth__population_void(counts, population);
}

void berth__pod_counts_change(berth__view *view, uint32_t slot, const berth__class *cls, int change)
{
    berth__pod_counts *counts = view->counts;
    if (counts == NULL)
        return;
    berth__pod_counts_follow_namespaces(view);
    if (counts->grouping)
        berth__groups_change(view, slot, cls, change);
    if (!holds_terms(cls))
        return;
    const berth__membership *of = berth__pod_counts_of_rules(view, cls->pod_rules);
    for (uint32_t i = 0; of != NULL && i < of->count; i++)
        berth__population_change(view, of->items[i], slot, change);
    if (of == NULL)
        void_held(counts);
}

void berth__pod_counts_move(berth__view *view, const berth__layout *from, const uint32_t *slots,
                            const berth__pods *pods)
{
    berth__pod_counts *counts = view->counts;
    uint32_t staying = 0;
    counts->pods = pods;
    while (slots != NULL && staying < from->count && slots[staying] == staying)
        staying++;
    const bool all_stay = slots != NULL && staying == from->count;
    if (!all_stay)
        berth__groups_move(view, slots, from->count);
    if (all_stay && from->tile_count == view->layout->tile_count)
        return;
    for (berth__population *population = counts->first; population != NULL;
         population = population->next)
        berth__population_move(view, population, slots, from->count, staying);
}

void berth__pod_counts_forget_domains(berth__pod_counts *counts)
{
    for (berth__population *population = counts->first; population != NULL;
         population = population->next)
        for (berth__domain_counts *one = population->domains; one != NULL; one = one->next)
            one->since = BERTH__EPOCH_NONE;
    for (berth__plan *plan = counts->newest; plan != NULL; plan = plan->older)
        plan->resolved = false;
}

void berth__pod_counts_suppose(berth__view *view, bool begins)
{
    BERTH_DASSERT(view->counts->supposing != begins);
    view->counts->supposing = begins;
}

/* ---- checking ---- */

static berth_status differs(berth_error *error, const char *what, uint64_t kept, uint64_t counted)
{
    return berth__error_set(error, BERTH_E_INTERNAL,
                            "%s is kept as %" PRIu64 " but a recount gives %" PRIu64, what, kept,
                            counted);
}

static berth_status check_population(berth__view *view, const berth__population *kept,
                                     berth__population *recount, berth_error *error)
{
    if (!berth__population_walk(view, recount))
        return berth__error_no_memory(error);
    if (kept->total != recount->total)
        return differs(error, "a population", kept->total, recount->total);
    for (uint32_t slot = 0; slot < view->layout->count; slot++) {
        const uint32_t is = berth__slot_pods_at(&kept->slots, slot);
        const uint32_t should = berth__slot_pods_at(&recount->slots, slot);
        if (is != should)
            return differs(error, "a population on a node", is, should);
    }
    return BERTH_OK;
}

static berth_status compare_domains(berth__view *view, const berth__domain_counts *kept,
                                    const berth__domain_counts *recount, berth_error *error)
{
    if (kept->total != recount->total)
        return differs(error, "a sum over domains", kept->total, recount->total);
    if (kept->absent != recount->absent)
        return differs(error, "a sum outside of domains", kept->absent, recount->absent);
    for (uint32_t slot = 0; slot < view->layout->count; slot++)
        if (berth__domain_counts_slot(kept, slot) != berth__domain_counts_slot(recount, slot))
            return differs(error, "a domain's count", berth__domain_counts_slot(kept, slot),
                           berth__domain_counts_slot(recount, slot));
    if (!kept->lowest_wanted)
        return BERTH_OK;
    if (kept->domain_count != recount->domain_count)
        return differs(error, "a number of domains", kept->domain_count, recount->domain_count);
    if (kept->domain_count > 0 &&
        berth__domain_counts_lowest(kept) != berth__domain_counts_lowest(recount))
        return differs(error, "a lowest count", berth__domain_counts_lowest(kept),
                       berth__domain_counts_lowest(recount));
    return BERTH_OK;
}

/* Sums the recounted population in a second set of domain counts that is on no list, and
 * compares. */
static berth_status check_domains(berth__view *view, const berth__domain_counts *kept,
                                  berth__population *population, berth_error *error)
{
    berth__domain_counts recount = {.population = population,
                                    .topology = kept->topology,
                                    .inclusion = kept->inclusion,
                                    .since = BERTH__EPOCH_NONE,
                                    .lowest_wanted = kept->lowest_wanted};
    berth_status status = berth__domain_counts_renew(view, &recount)
                              ? compare_domains(view, kept, &recount, error)
                              : berth__error_no_memory(error);
    const berth_allocator *allocator = view->model->allocator;
    berth__free(allocator, recount.counts, recount.count_capacity * sizeof(*recount.counts));
    berth__free(allocator, recount.histogram,
                recount.histogram_capacity * sizeof(*recount.histogram));
    return status;
}

berth_status berth__pod_counts_check(berth__view *view, berth_error *error)
{
    berth__pod_counts_follow_namespaces(view);
    const bool held = berth__pod_counts_hold(view->counts, true); /* so that none is dropped */
    berth_status status = berth__groups_check(view, error);
    for (const berth__population *kept = view->counts->first; kept != NULL && status == BERTH_OK;
         kept = kept->next) {
        if (!kept->valid)
            continue;
        berth__population recount = {.kind = kept->kind,
                                     .filters = kept->filters,
                                     .filter_count = kept->filter_count,
                                     .same = kept};
        status = check_population(view, kept, &recount, error);
        for (const berth__domain_counts *one = kept->domains; one != NULL && status == BERTH_OK;
             one = one->next)
            if (berth__domain_counts_ready(view, one))
                status = check_domains(view, one, &recount, error);
        berth__population_void(view->counts, &recount);
    }
    (void)berth__pod_counts_hold(view->counts, held);
    return status == BERTH_E_NOMEM ? berth__error_set(error, status, "out of memory") : status;
}
