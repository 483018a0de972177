/* Sweeping: marks the texts in use, collects the unmarked ones in batches, and removes the texts of
 * returned batches. */
#include "model/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "model/disruption.h"
#include "model/pod_class.h"
#include "model/related.h"

/* The least number of new texts, and of new names of resources, between two sweeps. */
enum { SWEEP_STEP = 4096, COLUMN_STEP = 64 };

bool berth__sweep_always;

/* Texts that no snapshot published from now on shows. */
typedef struct berth__sweep_batch {
    struct berth__sweep_batch *next;
    berth__model *model;
    uint32_t serial; /* `verdict` of its texts (berth__interned) */
    uint32_t count;
    berth__sym ids[];
} berth__sweep_batch;

static size_t batch_bytes(uint32_t count)
{
    return sizeof(berth__sweep_batch) + count * sizeof(berth__sym);
}

/* ---- when ---- */

static void set_next(berth__model *model, uint32_t held)
{
    uint32_t step = held > SWEEP_STEP ? held : SWEEP_STEP;
    model->sweep_at = model->strings.in_use + step;
    /* Let a sweep be due before the last free column is taken, because more columns are taken until
     * it has run. */
    uint32_t named = model->resources_named, left = BERTH__RESOURCES_MAX - named;
    uint32_t columns = named > COLUMN_STEP ? named : COLUMN_STEP;
    model->resource_sweep_at = named + (columns < left / 2 + 1 ? columns : left / 2 + 1);
    if (berth__sweep_always)
        model->sweep_at = 0;
}

void berth__sweep_keep_all(berth__model *model)
{
    model->kept_texts = model->strings.count;
    set_next(model, model->strings.in_use);
}

/* ---- marking ---- */

static size_t marks_bytes(const berth__sweep *sweep)
{
    return ((size_t)sweep->end + 63) / 64 * sizeof(uint64_t);
}

static void mark_all(berth__sweep *sweep, const berth__sym *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        berth__sweep_mark(sweep, ids[i]);
}

void berth__sweep_taints(berth__sweep *sweep, const berth__taint_list *list)
{
    berth__sweep_mark(sweep, list->text);
    for (uint32_t i = 0; i < list->count; i++) {
        berth__sweep_mark(sweep, list->items[i].key);
        berth__sweep_mark(sweep, list->items[i].value);
        berth__sweep_mark(sweep, list->items[i].effect);
    }
}

void berth__sweep_labels(berth__sweep *sweep, berth__labels labels)
{
    for (uint32_t i = 0; i < labels.count; i++) {
        berth__sweep_mark(sweep, labels.items[i].key);
        berth__sweep_mark(sweep, labels.items[i].value);
    }
}

static void mark_requirements(berth__sweep *sweep, const berth__interned_requirement *items,
                              uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        berth__sweep_mark(sweep, items[i].key);
        mark_all(sweep, items[i].values, items[i].value_count);
    }
}

void berth__sweep_selector(berth__sweep *sweep, const berth__selector *selector)
{
    mark_requirements(sweep, selector->items, selector->count);
}

void berth__sweep_node_term(berth__sweep *sweep, const berth__node_term *term)
{
    mark_requirements(sweep, term->expressions, term->expression_count);
    mark_requirements(sweep, term->fields, term->field_count);
}

void berth__sweep_node_selector(berth__sweep *sweep, const berth__interned_node_selector *selector)
{
    for (uint32_t i = 0; i < selector->count; i++)
        berth__sweep_node_term(sweep, &selector->terms[i]);
}

/* The words of a part's key contain every text of the part, except texts made of several. They also
 * contain numbers, some of which look like ids: that only keeps a text longer than necessary. The
 * words of a request are all numbers, so marking them would keep names of resources by their
 * columns. */
static void mark_part(berth__sweep *sweep, const berth__part *part)
{
    const uint32_t *words = part->entry.key;
    if (part->has_texts)
        mark_all(sweep, words, part->entry.key_bytes / sizeof(*words));
}

static void mark_class(berth__sweep *sweep, const berth__class *cls)
{
    berth__sweep_mark(sweep, cls->scheduler_name);
    berth__sweep_mark(sweep, cls->gates);
    for (uint32_t i = 0; i < cls->request->scalar_count; i++)
        berth__sweep_resource(sweep, cls->request->scalars[i].resource);
    for (uint32_t i = 0; cls->volumes != NULL && i < cls->volumes->count; i++)
        berth__sweep_mark(sweep, cls->volumes->items[i].handle);
}

static void mark_model(berth__sweep *sweep)
{
    const berth__model *model = sweep->model;
    for (berth__sym id = 0; id < model->kept_texts; id++)
        berth__sweep_mark(sweep, id);
    for (uint32_t b = 0; b < model->parts.bucket_count; b++)
        for (const berth__keymap_entry *at = model->parts.buckets[b]; at != NULL; at = at->next)
            mark_part(sweep, (const berth__part *)at);
    for (uint32_t b = 0; b < model->classes.bucket_count; b++)
        for (const berth__keymap_entry *at = model->classes.buckets[b]; at != NULL; at = at->next)
            mark_class(sweep, (const berth__class *)at);
}

void berth__sweep_related(berth__sweep *sweep, const berth__related *related)
{
    for (uint32_t b = 0; b < related->objects.bucket_count; b++)
        for (const berth__keymap_entry *at = related->objects.buckets[b]; at != NULL;
             at = at->next) {
            const berth__related_object *object = (const berth__related_object *)at;
            berth__sweep_mark(sweep, object->key.namespace_name);
            berth__sweep_mark(sweep, object->key.name);
            berth__sweep_mark(sweep, object->group.topology);
            berth__sweep_mark(sweep, object->group.parent); /* it need not exist yet */
            berth__sweep_labels(sweep, object->labels);
            berth__sweep_selector(sweep, &object->selector);
        }
}

void berth__sweep_disruption(berth__sweep *sweep, const berth__disruption *disruption)
{
    for (uint32_t b = 0; b < disruption->budgets.bucket_count; b++)
        for (const berth__keymap_entry *at = disruption->budgets.buckets[b]; at != NULL;
             at = at->next) {
            const berth__budget *budget = (const berth__budget *)at;
            berth__sweep_mark(sweep, budget->key.namespace_name);
            berth__sweep_mark(sweep, budget->key.name);
            berth__sweep_selector(sweep, &budget->selector);
        }
}

bool berth__sweep_begin(berth__sweep *sweep, berth__model *model)
{
    *sweep = (berth__sweep){.model = model, .end = model->strings.count};
    sweep->marks = berth__alloc_zero(model->allocator, marks_bytes(sweep), 64);
    if (sweep->marks == NULL) {
        set_next(model, model->strings.in_use);
        return false;
    }
    mark_model(sweep);
    return true;
}

static bool is_marked(const berth__sweep *sweep, berth__sym id)
{
    return id >= sweep->end || (sweep->marks[id / 64] >> id % 64 & 1) != 0;
}

/* ---- removing ---- */

static void remove_text(berth__model *model, berth__sym id)
{
    berth__intern_remove(&model->strings, id);
    /* Relaxed: a branch only compares values that it read itself. */
    atomic_fetch_add_explicit(&model->removals, 1, memory_order_relaxed);
}

/* berth__release of a batch: leaves it for the next sweep. */
static void return_batch(const berth_allocator *allocator, void *context, void *object,
                         size_t bytes)
{
    berth__model *model = context;
    berth__sweep_batch *batch = object;
    (void)allocator;
    (void)bytes;
    /* Relaxed: only a guess for the exchange; nobody follows the pointer yet. */
    batch->next = atomic_load_explicit(&model->batches, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&model->batches, &batch->next, batch,
                                                  memory_order_release,
                                                  memory_order_relaxed)) /* SWEEP-1 */
        ;
}

static berth__sweep_batch *take_batches(berth__model *model)
{
    return atomic_exchange_explicit(&model->batches, NULL, memory_order_acquire); /* SWEEP-1 */
}

static void free_batch(berth__model *model, berth__sweep_batch *batch)
{
    berth__free(model->allocator, batch, batch_bytes(batch->count));
}

/* Whether a text is removed with a batch. */
static bool leaves(const berth__sweep *sweep, const berth__sweep_batch *batch, berth__sym id)
{
    return id != 0 && !is_marked(sweep, id) &&
           berth__intern_place(&sweep->model->strings, id)->verdict == batch->serial;
}

/* Remove columns and lists before the texts that they depend on. */
static void forget_with(const berth__sweep *sweep, const berth__sweep_batch *batch)
{
    berth__model *model = sweep->model;
    berth__keymap *lists = &model->taint_lists;
    for (uint32_t i = BERTH__SCALARS; i < model->resource_count; i++)
        if (leaves(sweep, batch, berth__resource_name(model, i)))
            berth__resource_forget(model, i);
    for (uint32_t b = 0; b < lists->bucket_count; b++)
        for (berth__keymap_entry *at = lists->buckets[b], *next; at != NULL; at = next) {
            berth__taint_list *list = (berth__taint_list *)at;
            next = at->next;
            if (leaves(sweep, batch, list->text))
                berth__taints_forget(model, list);
        }
}

/* Remove the texts of returned batches, except those that were met again. */
static void judge_batches(berth__sweep *sweep)
{
    berth__model *model = sweep->model;
    for (berth__sweep_batch *batch = take_batches(model), *next; batch != NULL; batch = next) {
        next = batch->next;
        if (!berth__intern_reserve_removal(&model->strings, batch->count)) {
            return_batch(model->allocator, model, batch, 0);
            continue;
        }
        forget_with(sweep, batch);
        for (uint32_t i = 0; i < batch->count; i++)
            if (leaves(sweep, batch, batch->ids[i]))
                remove_text(model, batch->ids[i]);
        free_batch(model, batch);
    }
}

void berth__sweep_drop_batches(berth__model *model)
{
    for (berth__sweep_batch *batch = take_batches(model), *next; batch != NULL; batch = next) {
        next = batch->next;
        free_batch(model, batch);
    }
}

/* An unmarked text, and the first snapshot that may show it. */
typedef struct unheld {
    uint64_t born;
    berth__sym id;
} unheld;

static int by_birth(const void *a, const void *b)
{
    const unheld *first = a, *second = b;
    if (first->born != second->born)
        return first->born < second->born ? -1 : 1;
    return (first->id > second->id) - (first->id < second->id);
}

/* Condemn texts of the same birth. Returns false when out of memory. */
static bool condemn(berth__model *model, berth__cow_owner *cow, const unheld *texts, uint32_t count)
{
    if (!berth__cow_owner_reserve(cow, 1))
        return false;
    berth__sweep_batch *batch =
        berth__alloc(model->allocator, batch_bytes(count), _Alignof(berth__sweep_batch));
    if (batch == NULL)
        return false;
    if (++model->batch_serial == 0)
        model->batch_serial = 1;
    *batch = (berth__sweep_batch){.model = model, .serial = model->batch_serial, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        batch->ids[i] = texts[i].id;
        berth__intern_place(&model->strings, texts[i].id)->verdict = batch->serial;
    }
    berth__cow_owner_retire(cow, texts[0].born, return_batch, batch, batch_bytes(count));
    return true;
}

static void condemn_all(berth__model *model, berth__cow_owner *cow, unheld *texts, uint32_t count)
{
    qsort(texts, count, sizeof(*texts), by_birth);
    for (uint32_t i = 0, end; i < count; i = end) {
        end = i + 1;
        while (end < count && texts[end].born == texts[i].born)
            end++;
        if (!condemn(model, cow, &texts[i], end - i))
            return;
    }
}

/* The number of texts that are neither marked nor condemned; lists them in `out` if that is not
 * NULL. */
static uint32_t list_unheld(const berth__sweep *sweep, unheld *out)
{
    const berth__intern *strings = &sweep->model->strings;
    uint32_t count = 0;
    for (berth__sym id = sweep->model->kept_texts; id < sweep->end; id++) {
        berth__interned *text = berth__intern_place(strings, id);
        if (text->data == NULL)
            continue;
        if (is_marked(sweep, id)) {
            text->verdict = 0;
            continue;
        }
        if (text->verdict != 0)
            continue;
        if (out != NULL)
            out[count] = (unheld){strings->shared ? *berth__intern_born(strings, id) : 0, id};
        count++;
    }
    return count;
}

void berth__sweep_end(berth__sweep *sweep, berth__cow_owner *cow)
{
    berth__model *model = sweep->model;
    const berth_allocator *allocator = model->allocator;
    for (uint32_t i = 0; i < model->resource_count; i++)
        if ((sweep->resources[i / 64] >> i % 64 & 1) != 0)
            berth__sweep_mark(sweep, berth__resource_name(model, i));
    judge_batches(sweep); /* before list_unheld clears the verdicts of marked texts */
    uint32_t count = list_unheld(sweep, NULL);
    unheld *texts = berth__alloc(allocator, count * sizeof(*texts), 8);
    if (texts != NULL) {
        list_unheld(sweep, texts);
        condemn_all(model, cow, texts, count);
        judge_batches(sweep); /* a batch that no snapshot shows comes back right away */
    }
    berth__intern_settle(&model->strings);
    berth__free(allocator, texts, count * sizeof(*texts));
    berth__free(allocator, sweep->marks, marks_bytes(sweep));
    set_next(model, model->strings.in_use - (count < model->strings.in_use ? count : 0));
}
