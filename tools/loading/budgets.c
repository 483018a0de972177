/* Matches selectors against the labels that the engine keeps. */
#include "loading/budgets.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/heap.h"
#include "cli/object_names.h"

static berth_str namespace_of(const berth_pod_disruption_budget *one)
{
    return one->meta.namespace_name.len > 0 ? one->meta.namespace_name : words_of("default");
}

void budgets_add(budgets *b, const berth_object *object)
{
    if (object->kind != BERTH_KIND_POD_DISRUPTION_BUDGET)
        return;
    const berth_metadata *meta = &object->as.pod_disruption_budget->meta;
    uint32_t number = object_names_add(&b->names, (berth_str){0}, meta->namespace_name, meta->name);
    if (number < b->count) {
        berth_object_destroy(b->items[number].object);
        b->items[number].object = heap_object(object);
        return;
    }
    b->items = heap_grow(b->items, &b->capacity, b->count + 1, sizeof(*b->items));
    b->items[b->count++] = (budget){.object = heap_object(object)};
}

void budgets_begin(budgets *b)
{
    for (size_t i = 0; i < b->count; i++)
        b->items[i].left = b->items[i].object->as.pod_disruption_budget->disruptions_allowed;
}

/* ---- which pods ---- */

static bool has_value(berth_strs values, berth_str value)
{
    for (uint32_t i = 0; i < values.count; i++)
        if (words_equal(values.items[i], value))
            return true;
    return false;
}

static bool meets(const berth_requirement *one, berth_str value)
{
    bool present = value.data != NULL;
    if (words_equal(one->op, words_of("Exists")))
        return present;
    if (words_equal(one->op, words_of("DoesNotExist")))
        return !present;
    if (words_equal(one->op, words_of("NotIn")))
        return !present || !has_value(one->values, value);
    return words_equal(one->op, words_of("In")) && present && has_value(one->values, value);
}

/* An empty selector covers every pod of the namespace; an absent one covers none. */
static bool selects(const berth_label_selector *selector, const berth_engine *engine,
                    berth_pod_id pod)
{
    if (selector == NULL)
        return false;
    for (uint32_t i = 0; i < selector->match_labels.count; i++) {
        const berth_key_value *label = &selector->match_labels.entries[i];
        berth_str value = berth_engine_pod_label(engine, pod, label->key);
        if (value.data == NULL || !words_equal(value, label->value))
            return false;
    }
    for (uint32_t i = 0; i < selector->match_expressions.count; i++) {
        const berth_requirement *one = &selector->match_expressions.items[i];
        if (!meets(one, berth_engine_pod_label(engine, pod, one->key)))
            return false;
    }
    return true;
}

bool budget_selects(const budget *one, const berth_engine *engine, berth_pod_id pod)
{
    const berth_pod_disruption_budget *source = one->object->as.pod_disruption_budget;
    berth_str namespace_name = {0};
    berth_str name = {0};
    berth_engine_pod_name(engine, pod, &namespace_name, &name);
    return words_equal(namespace_of(source), namespace_name) &&
           selects(source->selector, engine, pod);
}

int budgets_of(const budgets *b, const berth_engine *engine, berth_pod_id pod)
{
    berth_str namespace_name = {0};
    berth_str name = {0};
    int found = BUDGET_NONE;
    if (b->count == 0)
        return found;
    berth_engine_pod_name(engine, pod, &namespace_name, &name);
    for (size_t i = 0; i < b->count; i++) {
        const berth_pod_disruption_budget *one = b->items[i].object->as.pod_disruption_budget;
        if (!words_equal(namespace_of(one), namespace_name) ||
            has_value(one->disrupted_pods, name) || !selects(one->selector, engine, pod))
            continue;
        if (found != BUDGET_NONE)
            return BUDGET_SEVERAL;
        found = (int)i;
    }
    return found;
}

/* ---- evictions ---- */

bool budgets_take(budgets *b, int place)
{
    if (place == BUDGET_NONE)
        return true;
    if (place == BUDGET_SEVERAL || b->items[place].left <= 0)
        return false;
    b->items[place].left--;
    return true;
}

void budgets_give(budgets *b, int place)
{
    if (place >= 0)
        b->items[place].left++;
}

berth_str budgets_name(const budgets *b, int place)
{
    return place >= 0 ? word_table_get(&b->names, (uint32_t)place) : (berth_str){0};
}

void budgets_free(budgets *b)
{
    for (size_t i = 0; i < b->count; i++)
        berth_object_destroy(b->items[i].object);
    free(b->items);
    word_table_free(&b->names);
}
