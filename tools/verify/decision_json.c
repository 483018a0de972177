/* Converts decisions to JSON values in one normal form. If memory is short, packing returns NULL,
 * which jansson's setters refuse; then the member is missing and the comparison reports it. */
#include "verify/decision_json.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "cli/words.h"

json_t *decision_json_text(berth_str text)
{
    return text.data == NULL ? json_null() : json_stringn(text.data, text.len);
}

static int by_text(const void *a, const void *b)
{
    json_t *const *left = a;
    json_t *const *right = b;
    return strcmp(json_string_value(*left), json_string_value(*right));
}

/* A sorted copy of a list of texts; other items are dropped. */
static json_t *sorted_texts(const json_t *list)
{
    size_t count = json_array_size(list);
    json_t **texts = heap_new(count, sizeof(json_t *));
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        json_t *text = json_array_get(list, i);
        if (json_is_string(text))
            texts[used++] = text;
    }
    qsort(texts, used, sizeof(json_t *), by_text);
    json_t *sorted = json_array();
    for (size_t i = 0; i < used; i++)
        json_array_append(sorted, texts[i]);
    free(texts);
    return sorted;
}

/* ---- expected decisions ---- */

/* One refusal without its node, with sorted reasons: {plugin, code, reasons}. */
static json_t *normal_refusal(const json_t *refusal)
{
    json_t *normal = json_object();
    json_object_set(normal, "plugin", json_object_get(refusal, "plugin"));
    json_object_set(normal, "code", json_object_get(refusal, "code"));
    json_object_set_new(normal, "reasons", sorted_texts(json_object_get(refusal, "reasons")));
    return normal;
}

static json_t *normal_failed(const json_t *failed)
{
    json_t *normal = json_object();
    for (size_t i = 0; i < json_array_size(failed); i++) {
        const json_t *refusal = json_array_get(failed, i);
        const char *node = json_string_value(json_object_get(refusal, "node"));
        if (node != NULL)
            json_object_set_new(normal, node, normal_refusal(refusal));
    }
    return normal;
}

/* Set the member from the vector or, if it is missing there, to `otherwise` (a new reference). */
static void set_or(json_t *normal, const char *key, const json_t *decision, json_t *otherwise)
{
    json_t *value = json_object_get(decision, key);
    if (value != NULL)
        json_object_set(normal, key, value);
    else
        json_object_set(normal, key, otherwise);
    json_decref(otherwise);
}

json_t *decision_json_expected(const json_t *decision)
{
    json_t *normal = json_object();
    set_or(normal, "start", decision, json_null());
    set_or(normal, "next", decision, json_null());
    set_or(normal, "feasible", decision, json_array());
    set_or(normal, "scores", decision, json_object());
    set_or(normal, "total", decision, json_array());
    set_or(normal, "best", decision, json_array());
    set_or(normal, "preFilter", decision, json_null());
    set_or(normal, "message", decision, json_null());
    set_or(normal, "nominated", decision, json_null());
    json_object_set_new(normal, "failed", normal_failed(json_object_get(decision, "failed")));
    json_object_set_new(normal, "victims", sorted_texts(json_object_get(decision, "victims")));
    set_or(normal, "error", decision, json_null());
    return normal;
}

/* ---- actual decisions ---- */

static json_t *node_name(const berth_engine *engine, berth_node_id node)
{
    return node == BERTH_NODE_NONE ? json_null()
                                   : decision_json_text(berth_engine_node_name(engine, node));
}

/* Set feasible, total and best. */
static void set_feasible(json_t *normal, const berth_engine *engine,
                         const berth_explanation *explanation)
{
    json_t *feasible = json_array();
    json_t *totals = json_array();
    json_t *best = json_array();
    uint32_t count = berth_explanation_feasible_count(explanation);
    int64_t highest = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        int64_t total = 0;
        berth_node_id node = berth_explanation_feasible(explanation, i, &total);
        json_array_append_new(feasible, node_name(engine, node));
        json_array_append_new(totals, json_integer(total));
        if (total > highest)
            json_array_clear(best);
        highest = total > highest ? total : highest;
        if (total == highest)
            json_array_append_new(best, node_name(engine, node));
    }
    json_object_set_new(normal, "feasible", feasible);
    json_object_set_new(normal, "total", totals);
    json_object_set_new(normal, "best", best);
}

static json_t *scores_of(const berth_explanation *explanation)
{
    json_t *scores = json_object();
    uint32_t node_count = berth_explanation_feasible_count(explanation);
    uint32_t plugin_count = node_count > 0 ? berth_explanation_score_count(explanation) : 0;
    for (uint32_t p = 0; p < plugin_count; p++) {
        json_t *values = json_array();
        for (uint32_t i = 0; i < node_count; i++)
            json_array_append_new(values, json_integer(berth_explanation_score(explanation, p, i)));
        json_t *name = decision_json_text(berth_explanation_score_plugin(explanation, p));
        json_object_set_new(scores, json_string_value(name), values);
        json_decref(name);
    }
    return scores;
}

static json_t *reasons_of(const berth_explanation *explanation, uint32_t refusal, uint32_t count)
{
    json_t *reasons = json_array();
    for (uint32_t r = 0; r < count; r++)
        json_array_append_new(
            reasons, decision_json_text(berth_explanation_reason(explanation, refusal, r)));
    json_t *sorted = sorted_texts(reasons);
    json_decref(reasons);
    return sorted;
}

static json_t *failed_of(const berth_engine *engine, const berth_explanation *explanation)
{
    json_t *failed = json_object();
    uint32_t count = berth_explanation_refusal_count(explanation);
    for (uint32_t i = 0; i < count; i++) {
        berth_refusal refusal = berth_explanation_refusal(explanation, i);
        json_t *entry = json_object();
        json_object_set_new(entry, "plugin", decision_json_text(refusal.plugin));
        json_object_set_new(entry, "code",
                            json_string(refusal.code == BERTH_CODE_UNSCHEDULABLE
                                            ? "Unschedulable"
                                            : "UnschedulableAndUnresolvable"));
        json_object_set_new(entry, "reasons", reasons_of(explanation, i, refusal.reason_count));
        json_t *node = node_name(engine, refusal.node);
        json_object_set_new(failed, json_string_value(node), entry);
        json_decref(node);
    }
    return failed;
}

static bool was_placed(decision_json_placed placed, berth_pod_id pod)
{
    for (size_t i = 0; i < placed.count; i++)
        if (placed.pods[i] == pod)
            return true;
    return false;
}

static json_t *victims_of(const berth_engine *engine, const berth_explanation *explanation,
                          decision_json_placed placed)
{
    json_t *victims = json_array();
    uint32_t count = berth_explanation_victim_count(explanation);
    for (uint32_t i = 0; i < count; i++) {
        berth_pod_id victim = berth_explanation_victim(explanation, i);
        if (was_placed(placed, victim))
            continue;
        berth_str namespace_name = {0};
        berth_str name = {0};
        berth_engine_pod_name(engine, victim, &namespace_name, &name);
        json_array_append_new(victims, json_sprintf("%.*s/%.*s", (int)namespace_name.len,
                                                    namespace_name.data, (int)name.len, name.data));
    }
    json_t *sorted = sorted_texts(victims);
    json_decref(victims);
    return sorted;
}

json_t *decision_json_taken(const berth_engine *engine, const berth_placement *placement,
                            const berth_explanation *explanation, decision_json_placed placed)
{
    json_t *normal = json_object();
    json_object_set_new(normal, "start", json_integer(placement->start));
    json_object_set_new(normal, "next", json_integer(placement->next));
    set_feasible(normal, engine, explanation);
    json_object_set_new(normal, "scores", scores_of(explanation));
    json_object_set_new(normal, "failed", failed_of(engine, explanation));
    json_object_set_new(normal, "preFilter",
                        decision_json_text(berth_explanation_pre_filter(explanation)));
    json_object_set_new(normal, "message",
                        decision_json_text(berth_explanation_message(explanation)));
    json_object_set_new(normal, "nominated",
                        node_name(engine, berth_explanation_nominated(explanation)));
    json_object_set_new(normal, "victims", victims_of(engine, explanation, placed));
    json_object_set_new(normal, "error",
                        placement->verdict == BERTH_VERDICT_ERROR
                            ? decision_json_text(berth_explanation_message(explanation))
                            : json_null());
    return normal;
}

/* ---- v1.15 ---- */

/* Whether a predicate returned an error, which is then among the reasons. */
static bool any_error(json_t *failed)
{
    static const char mark[] = "error: ";
    const char *name = NULL;
    json_t *node = NULL;
    json_object_foreach(failed, name, node)
    {
        const char *predicate = NULL;
        json_t *reasons = NULL;
        json_object_foreach(node, predicate, reasons)
        {
            for (size_t i = 0; i < json_array_size(reasons); i++) {
                const char *reason = json_string_value(json_array_get(reasons, i));
                if (strncmp(reason, mark, sizeof(mark) - 1) == 0)
                    return true;
            }
        }
    }
    return false;
}

json_t *decision_json_expected_legacy(const json_t *decision, const berth_plugin_list *priorities)
{
    json_t *normal = json_object();
    json_t *failed = json_object();
    json_t *scores = json_object();
    const json_t *list = json_object_get(decision, "failed");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        json_t *predicates = json_object();
        const char *name = NULL;
        json_t *reasons = NULL;
        json_object_foreach(json_object_get(entry, "predicates"), name, reasons)
            json_object_set_new(predicates, name, sorted_texts(reasons));
        json_object_set_new(failed, json_string_value(json_object_get(entry, "node")), predicates);
    }
    const json_t *given = json_object_get(decision, "scores");
    for (uint32_t p = 0; p < priorities->count; p++) {
        json_t *name = decision_json_text(priorities->items[p].name);
        json_object_set(scores, json_string_value(name),
                        json_object_get(given, json_string_value(name)));
        json_decref(name);
    }
    set_or(normal, "feasible", decision, json_array());
    set_or(normal, "total", decision, json_array());
    json_object_set_new(normal, "best", sorted_texts(json_object_get(decision, "best")));
    json_object_set_new(normal, "error", json_boolean(any_error(failed)));
    json_object_set_new(normal, "failed", failed);
    json_object_set_new(normal, "scores", scores);
    return normal;
}

static json_t *failed_of_legacy(const berth_engine *engine, const berth_explanation *explanation)
{
    json_t *failed = json_object();
    uint32_t count = berth_explanation_refusal_count(explanation);
    for (uint32_t i = 0; i < count; i++) {
        berth_refusal refusal = berth_explanation_refusal(explanation, i);
        json_t *node = node_name(engine, refusal.node);
        json_t *predicate = decision_json_text(refusal.plugin);
        json_t *predicates = json_object_get(failed, json_string_value(node));
        if (predicates == NULL) {
            predicates = json_object();
            json_object_set_new(failed, json_string_value(node), predicates);
        }
        json_object_set_new(predicates, json_string_value(predicate),
                            reasons_of(explanation, i, refusal.reason_count));
        json_decref(node);
        json_decref(predicate);
    }
    return failed;
}

/* Divide each priority's values by its weight. */
static void unweight(json_t *scores, const berth_plugin_list *priorities)
{
    for (uint32_t p = 0; p < priorities->count; p++) {
        json_t *name = decision_json_text(priorities->items[p].name);
        json_t *values = json_object_get(scores, json_string_value(name));
        for (size_t i = 0; i < json_array_size(values); i++) {
            json_t *value = json_array_get(values, i);
            json_integer_set(value, json_integer_value(value) / priorities->items[p].weight);
        }
        json_decref(name);
    }
}

/* Reorders a list with one value for each feasible node. */
static json_t *reordered(const json_t *list, const size_t *order)
{
    json_t *out = json_array();
    for (size_t i = 0; i < json_array_size(list); i++)
        json_array_append(out, json_array_get(list, order[i]));
    return out;
}

/* The vectors of v1.15 list nodes by name. */
static void order_by_name(json_t *normal)
{
    json_t *feasible = json_object_get(normal, "feasible");
    json_t *scores = json_object_get(normal, "scores");
    json_t *sorted = sorted_texts(feasible);
    size_t count = json_array_size(feasible);
    size_t *order = heap_new(count, sizeof(*order));
    json_t *place = json_object();
    for (size_t i = 0; i < count; i++)
        json_object_set_new(place, json_string_value(json_array_get(feasible, i)),
                            json_integer((json_int_t)i));
    for (size_t i = 0; i < count; i++)
        order[i] = (size_t)json_integer_value(
            json_object_get(place, json_string_value(json_array_get(sorted, i))));
    const char *priority = NULL;
    json_t *values = NULL;
    json_object_foreach(scores, priority, values)
        json_object_set_new(scores, priority, reordered(values, order));
    json_object_set_new(normal, "total", reordered(json_object_get(normal, "total"), order));
    json_object_set_new(normal, "best", sorted_texts(json_object_get(normal, "best")));
    json_object_set_new(normal, "feasible", sorted);
    json_decref(place);
    free(order);
}

json_t *decision_json_taken_legacy(const berth_engine *engine, const berth_placement *placement,
                                   const berth_explanation *explanation,
                                   const berth_plugin_list *priorities)
{
    json_t *normal = json_object();
    json_t *scores = scores_of(explanation);
    unweight(scores, priorities);
    set_feasible(normal, engine, explanation);
    json_object_set_new(normal, "failed", failed_of_legacy(engine, explanation));
    json_object_set_new(normal, "scores", scores);
    json_object_set_new(normal, "error", json_boolean(placement->verdict == BERTH_VERDICT_ERROR));
    order_by_name(normal);
    return normal;
}

/* ---- outcomes ---- */

/* The expected node: where the recorded scheduler put the pod, if the vector says so because its
 * choice among the best is predictable; else the first of the best. */
static json_t *expected_node(const json_t *normal, const json_t *decision)
{
    json_t *bound = json_object_get(decision, "bound");
    return bound != NULL ? bound : json_array_get(json_object_get(normal, "best"), 0);
}

json_t *decision_json_outcome_expected(const json_t *normal, const json_t *decision)
{
    const json_t *best = json_object_get(normal, "best");
    size_t feasible_count = json_array_size(json_object_get(normal, "feasible"));
    json_t *outcome = json_object();
    json_t *node = expected_node(normal, decision);
    json_object_set(outcome, "node", node != NULL ? node : json_null());
    json_object_set_new(outcome, "feasible", json_integer((json_int_t)feasible_count));
    json_object_set_new(outcome, "best", json_integer((json_int_t)json_array_size(best)));
    return outcome;
}

json_t *decision_json_outcome_expected_legacy(const json_t *normal, const json_t *taken)
{
    json_t *outcome = decision_json_outcome_expected(normal, NULL);
    const json_t *best = json_object_get(normal, "best");
    json_t *node = json_object_get(taken, "node");
    if (json_is_true(json_object_get(normal, "error"))) {
        json_object_set_new(outcome, "node", json_null());
        json_object_set_new(outcome, "best", json_integer(0));
        return outcome;
    }
    for (size_t i = 0; i < json_array_size(best); i++)
        if (json_equal(json_array_get(best, i), node))
            json_object_set(outcome, "node", node);
    return outcome;
}

json_t *decision_json_outcome_taken(const berth_engine *engine, const berth_placement *placement)
{
    json_t *outcome = json_object();
    json_object_set_new(outcome, "node", node_name(engine, placement->node));
    json_object_set_new(outcome, "feasible", json_integer(placement->feasible_count));
    json_object_set_new(outcome, "best", json_integer(placement->best_count));
    return outcome;
}
