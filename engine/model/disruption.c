/* PodDisruptionBudgets by name and by selector, and what evictions take from them. */
#include "model/disruption.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/text.h"
#include "objects/object_copy.h"

/* ---- life ---- */

berth_status berth__disruption_create(berth__model *model, berth__disruption **out)
{
    berth__disruption *disruption =
        berth__alloc_zero(model->allocator, sizeof(*disruption), _Alignof(berth__disruption));
    if (disruption == NULL)
        return BERTH_E_NOMEM;
    disruption->model = model;
    disruption->epoch = berth__model_next_epoch(model);
    if (berth__keymap_init(&disruption->budgets, model->allocator) != BERTH_OK ||
        berth__label_index_init(&disruption->selectors, model->allocator) != BERTH_OK) {
        berth__disruption_destroy(disruption);
        return BERTH_E_NOMEM;
    }
    *out = disruption;
    return BERTH_OK;
}

static void free_budget(berth__budget *budget)
{
    berth__arena arena = budget->arena; /* the budget is part of it */
    berth__arena_destroy(&arena);
}

void berth__disruption_destroy(berth__disruption *disruption)
{
    if (disruption == NULL)
        return;
    const berth__keymap *budgets = &disruption->budgets;
    for (uint32_t i = 0; budgets->buckets != NULL && i < budgets->bucket_count; i++)
        for (berth__keymap_entry *entry = budgets->buckets[i], *next; entry != NULL; entry = next) {
            next = entry->next;
            free_budget((berth__budget *)entry);
        }
    berth__label_index_destroy(&disruption->selectors);
    berth__keymap_destroy(&disruption->budgets);
    berth__free(disruption->model->allocator, disruption->covering,
                disruption->covering_capacity * sizeof(berth__budget *));
    berth__free(disruption->model->allocator, disruption, sizeof(*disruption));
}

/* ---- objects ---- */

static bool copy_disrupted(berth__budget *budget, const berth_strs *names)
{
    bool ok = true;
    berth_str *copies = berth__arena_alloc(&budget->arena, names->count * sizeof(*copies), 8);
    if (copies == NULL)
        return false;
    for (uint32_t i = 0; i < names->count; i++)
        copies[i] = berth__arena_str(&budget->arena, names->items[i], &ok);
    budget->disrupted = copies;
    budget->disrupted_count = names->count;
    return ok;
}

/* Compile an object, without entering it. NULL when out of memory. */
static berth__budget *make(berth__disruption *disruption, const berth_object *object)
{
    const berth_pod_disruption_budget *source = object->as.pod_disruption_budget;
    berth__model *model = disruption->model;
    berth_str space = source->meta.namespace_name;
    berth__arena arena;
    bool ok = true;
    berth__arena_init_sized(&arena, model->allocator, 512);
    berth__budget *budget =
        berth__arena_alloc_zero(&arena, sizeof(*budget), _Alignof(berth__budget));
    if (budget == NULL)
        return NULL;
    budget->arena = arena;
    budget->key.namespace_name = space.len > 0 ? berth__intern_add(&model->strings, space, &ok)
                                               : model->known.default_namespace;
    budget->key.name = berth__intern_add(&model->strings, source->meta.name, &ok);
    budget->entry.key = &budget->key;
    budget->entry.key_bytes = sizeof(budget->key);
    budget->allowed = source->disruptions_allowed;
    if (ok)
        budget->selector =
            berth__selector_make(&model->strings, &budget->arena, source->selector, &ok);
    if (ok && copy_disrupted(budget, &source->disrupted_pods) &&
        berth__object_keep(model->keep_objects, &budget->arena, object, &budget->kept))
        return budget;
    free_budget(budget);
    return NULL;
}

/* Unlike elsewhere, an empty selector covers no pod here; nor does a nil or an invalid one. */
static bool covers_some(const berth__budget *budget)
{
    return budget->selector.kind == BERTH__SELECTOR_REQUIREMENTS;
}

static bool enter(berth__disruption *disruption, berth__budget *budget)
{
    if (covers_some(budget) &&
        !berth__label_index_add(&disruption->selectors, budget->key.namespace_name,
                                &budget->selector, budget))
        return false;
    berth__keymap_add(&disruption->budgets, &budget->entry);
    disruption->epoch = berth__model_next_epoch(disruption->model);
    return true;
}

static void leave(berth__disruption *disruption, berth__budget *budget)
{
    if (covers_some(budget))
        berth__label_index_remove(&disruption->selectors, budget->key.namespace_name,
                                  &budget->selector, budget);
    berth__keymap_remove(&disruption->budgets, &budget->entry);
    free_budget(budget);
    disruption->epoch = berth__model_next_epoch(disruption->model);
}

/* ---- undoing: a record is the budget's address ---- */

static void undo_enter(void *owner, void *record)
{
    leave(owner, *(berth__budget **)record);
}

static void undo_lend(void *owner, void *record)
{
    berth__disruption *disruption = owner;
    berth__budget *budget = *(berth__budget **)record;
    if (covers_some(budget))
        berth__label_index_return(&disruption->selectors, budget->key.namespace_name,
                                  &budget->selector, budget);
    berth__keymap_add(&disruption->budgets, &budget->entry);
    disruption->epoch = berth__model_next_epoch(disruption->model);
}

static void keep_lend(void *owner, void *record)
{
    berth__disruption *disruption = owner;
    berth__budget *budget = *(berth__budget **)record;
    if (covers_some(budget))
        berth__label_index_give_up(&disruption->selectors, budget->key.namespace_name,
                                   &budget->selector, budget);
    free_budget(budget);
}

static const berth__undo_kind entered = {undo_enter, NULL};
static const berth__undo_kind lent = {undo_lend, keep_lend};

static berth__budget **push(berth__disruption *disruption, const berth__undo_kind *kind)
{
    return disruption->undo == NULL
               ? NULL
               : berth__undo_push(disruption->undo, kind, disruption, sizeof(berth__budget *));
}

/* Remove the budget. If this may be undone, the budget and its places are kept. */
static void take_out(berth__disruption *disruption, berth__budget *budget)
{
    berth__budget **record = push(disruption, &lent);
    if (record == NULL) {
        leave(disruption, budget);
        return;
    }
    *record = budget;
    if (covers_some(budget))
        berth__label_index_lend(&disruption->selectors, budget->key.namespace_name,
                                &budget->selector, budget);
    berth__keymap_remove(&disruption->budgets, &budget->entry);
    disruption->epoch = berth__model_next_epoch(disruption->model);
}

static berth__budget *find(const berth__disruption *disruption, berth_str namespace_name,
                           berth_str name)
{
    const berth__model *model = disruption->model;
    const berth__sym key[2] = {namespace_name.len > 0
                                   ? berth__intern_find(&model->strings, namespace_name)
                                   : model->known.default_namespace,
                               berth__intern_find(&model->strings, name)};
    return (berth__budget *)berth__keymap_find(&disruption->budgets, key, sizeof(key));
}

berth_status berth__disruption_add(berth__disruption *disruption, const berth_object *object,
                                   bool replace, berth_error *error)
{
    BERTH_ASSERT(object->kind == BERTH_KIND_POD_DISRUPTION_BUDGET);
    const berth_pod_disruption_budget *source = object->as.pod_disruption_budget;
    berth__budget *old = find(disruption, source->meta.namespace_name, source->meta.name);
    if (replace && old == NULL)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no object of this name");
    if (!replace && old != NULL)
        return berth__error_set(error, BERTH_E_EXISTS, "an object of this name is already there");
    berth__budget *budget = make(disruption, object);
    if (budget == NULL || !enter(disruption, budget)) {
        if (budget != NULL)
            free_budget(budget);
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    }
    berth__budget **record = push(disruption, &entered);
    if (record != NULL)
        *record = budget;
    if (old != NULL)
        take_out(disruption, old);
    return BERTH_OK;
}

berth_status berth__disruption_remove(berth__disruption *disruption, berth_kind kind,
                                      berth_str namespace_name, berth_str name, berth_error *error)
{
    BERTH_ASSERT(kind == BERTH_KIND_POD_DISRUPTION_BUDGET);
    berth__budget *budget = find(disruption, namespace_name, name);
    if (budget == NULL)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no object of this name");
    take_out(disruption, budget);
    return BERTH_OK;
}

/* ---- copying ---- */

static berth__budget *copy_budget(const berth__disruption *disruption, const berth__budget *source)
{
    berth__arena arena;
    bool ok = true;
    berth__arena_init_sized(&arena, disruption->model->allocator, 512);
    berth__budget *budget =
        berth__arena_alloc_zero(&arena, sizeof(*budget), _Alignof(berth__budget));
    if (budget == NULL)
        return NULL;
    budget->arena = arena;
    budget->key = source->key;
    budget->entry.key = &budget->key;
    budget->entry.key_bytes = sizeof(budget->key);
    budget->allowed = source->allowed;
    budget->selector = berth__selector_copy(&budget->arena, &source->selector, &ok);
    const berth_strs names = {source->disrupted, source->disrupted_count};
    if (ok && copy_disrupted(budget, &names) &&
        (source->kept == NULL || berth__object_keep(disruption->model->keep_objects, &budget->arena,
                                                    source->kept, &budget->kept)))
        return budget;
    free_budget(budget);
    return NULL;
}

berth__disruption *berth__disruption_copy(const berth__disruption *disruption)
{
    berth__disruption *copy;
    if (berth__disruption_create(disruption->model, &copy) != BERTH_OK)
        return NULL;
    const berth__keymap *budgets = &disruption->budgets;
    for (uint32_t i = 0; i < budgets->bucket_count; i++)
        for (const berth__keymap_entry *entry = budgets->buckets[i]; entry != NULL;
             entry = entry->next) {
            berth__budget *budget = copy_budget(copy, (const berth__budget *)entry);
            if (budget == NULL || !enter(copy, budget)) {
                if (budget != NULL)
                    free_budget(budget);
                berth__disruption_destroy(copy);
                return NULL;
            }
        }
    copy->epoch = disruption->epoch;
    return copy;
}

void berth__disruption_release(const berth_allocator *allocator, void *context, void *object,
                               size_t bytes)
{
    (void)allocator;
    (void)context;
    (void)bytes;
    berth__disruption_destroy(object);
}

/* ---- simulated evictions ---- */

void berth__disruption_begin(berth__disruption *disruption)
{
    disruption->round++;
}

typedef struct eviction {
    berth__disruption *disruption;
    const berth__identity *identity;
    berth_str pod_name;
    bool violates;
    bool no_memory;
} eviction;

static bool is_counted_already(const berth__budget *budget, berth_str pod_name)
{
    for (uint32_t i = 0; i < budget->disrupted_count; i++)
        if (berth__str_eq(budget->disrupted[i], pod_name))
            return true;
    return false;
}

/* Take one; returns whether the budget had none left. */
static bool spend(const berth__disruption *disruption, berth__budget *budget)
{
    if (budget->round != disruption->round) {
        budget->round = disruption->round;
        budget->left = budget->allowed;
    }
    return --budget->left < 0;
}

static bool keep_covering(eviction *own, berth__budget *budget)
{
    berth__disruption *disruption = own->disruption;
    own->no_memory = !berth__grow(disruption->model->allocator, &disruption->covering,
                                  &disruption->covering_capacity, disruption->covering_count + 1,
                                  sizeof(*disruption->covering));
    if (!own->no_memory)
        disruption->covering[disruption->covering_count++] = budget;
    return !own->no_memory;
}

static bool take_one(void *context, void *item)
{
    eviction *own = context;
    berth__budget *budget = item;
    const berth__model *model = own->disruption->model;
    if (!berth__selector_matches(&model->strings, &budget->selector, own->identity->labels))
        return true;
    if (!model->behaviours.spends_budgets) {
        own->violates |= budget->allowed <= 0;
        return true;
    }
    if (is_counted_already(budget, own->pod_name))
        return true;
    if (model->behaviours.spends_first_budget)
        return keep_covering(own, budget);
    own->violates |= spend(own->disruption, budget);
    return true;
}

static int by_name(const void *a, const void *b, void *model)
{
    return berth__str_cmp(berth__text(model, (*(berth__budget *const *)a)->key.name),
                          berth__text(model, (*(berth__budget *const *)b)->key.name));
}

static bool spend_in_order(berth__disruption *disruption)
{
    if (disruption->covering_count > 1)
        qsort_r(disruption->covering, disruption->covering_count, sizeof(*disruption->covering),
                by_name, disruption->model);
    for (uint32_t i = 0; i < disruption->covering_count; i++)
        if (spend(disruption, disruption->covering[i]))
            return true;
    return false;
}

berth_status berth__disruption_violates(berth__disruption *disruption,
                                        const berth__identity *identity, berth_str pod_name,
                                        bool *violates)
{
    eviction own = {.disruption = disruption, .identity = identity, .pod_name = pod_name};
    disruption->covering_count = 0;
    /* If the pod has no labels, kube-scheduler looks for no budgets, even if some select all
     * pods. */
    if (disruption->budgets.count > 0 && identity->labels.count > 0)
        berth__label_index_visit(&disruption->selectors, identity->namespace_name, identity->labels,
                                 take_one, &own);
    *violates = own.violates || spend_in_order(disruption);
    return own.no_memory ? BERTH_E_NOMEM : BERTH_OK;
}
