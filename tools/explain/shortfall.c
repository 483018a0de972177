/* Makes reasons exact. The engine reports which rule refused a node; what the node lacks is
 * computed from the node and the pod. If this does not fit in one line, the rule's own words are
 * used. */
#include "explain/shortfall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "cli/words.h"
#include "explain/device_lacks.h"
#include "loading/usage.h"

enum { REQUESTS_MAX = 64, NODE_TAINTS_MAX = 64 };

static bool is_one_of(berth_str name, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++)
        if (words_equal(name, words_of(names[i])))
            return true;
    return false;
}

bool refused_for_resources(berth_str plugin)
{
    static const char *const names[] = {"NodeResourcesFit", "PodFitsResources", "GeneralPredicates",
                                        NULL};
    return is_one_of(plugin, names);
}

bool refused_for_taints(berth_str plugin)
{
    static const char *const names[] = {"TaintToleration", "PodToleratesNodeTaints", NULL};
    return is_one_of(plugin, names);
}

bool refused_for_labels(berth_str plugin)
{
    static const char *const names[] = {"NodeAffinity", "MatchNodeSelector", "PodMatchNodeSelector",
                                        "GeneralPredicates", NULL};
    return is_one_of(plugin, names);
}

bool refused_for_spread(berth_str plugin)
{
    static const char *const names[] = {"PodTopologySpread", "EvenPodsSpread", NULL};
    return is_one_of(plugin, names);
}

bool refused_as_cordoned(berth_str plugin)
{
    static const char *const names[] = {"NodeUnschedulable", "CheckNodeUnschedulable", NULL};
    return is_one_of(plugin, names);
}

bool refused_for_devices(berth_str plugin)
{
    return words_equal(plugin, words_of("DynamicResources"));
}

/* ---- amounts ---- */

static void note_shortage(const berth_engine *engine, berth_node_id node, berth_amount amount,
                          shortage *out, uint32_t *count)
{
    int64_t allocatable = 0;
    int64_t requested = 0;
    (void)berth_engine_node_resource(engine, node, amount.resource, &allocatable, &requested, NULL);
    int64_t free_amount = allocatable - requested;
    if (amount.amount <= 0 || amount.amount <= free_amount || *count == SHORTAGES_MAX)
        return;
    out[(*count)++] = (shortage){amount.resource, amount.amount, free_amount, allocatable,
                                 amount.amount - free_amount};
}

uint32_t shortages_of(const berth_engine *engine, berth_pod_id pod, berth_node_id node,
                      shortage out[SHORTAGES_MAX])
{
    berth_amount requests[REQUESTS_MAX];
    uint32_t asked = berth_engine_pod_requests(engine, pod, requests, REQUESTS_MAX);
    uint32_t count = 0;
    for (uint32_t i = 0; i < asked && i < REQUESTS_MAX; i++)
        note_shortage(engine, node, requests[i], out, &count);
    note_shortage(engine, node, (berth_amount){words_of("pods"), 1}, out, &count);
    return count;
}

/* ---- taints ---- */

/* Source: k8s.io/api core/v1, Toleration.ToleratesTaint. */
static bool tolerates(const berth_toleration *toleration, const berth_taint *taint)
{
    if (toleration->effect.len > 0 && !words_equal(toleration->effect, taint->effect))
        return false;
    if (toleration->key.len > 0 && !words_equal(toleration->key, taint->key))
        return false;
    if (words_equal(toleration->op, words_of("Exists")))
        return true;
    return (toleration->op.len == 0 || words_equal(toleration->op, words_of("Equal"))) &&
           words_equal(toleration->value, taint->value);
}

uint32_t untolerated_of(const berth_engine *engine, const berth_pod *pod, berth_node_id node,
                        berth_taint out[TAINTS_MAX])
{
    berth_taint taints[NODE_TAINTS_MAX];
    uint32_t found = berth_engine_node_taints(engine, node, taints, NODE_TAINTS_MAX);
    uint32_t count = 0;
    for (uint32_t i = 0; i < found && i < NODE_TAINTS_MAX && count < TAINTS_MAX; i++) {
        bool tolerated = words_equal(taints[i].effect, words_of("PreferNoSchedule"));
        for (uint32_t k = 0; k < pod->toleration_count && !tolerated; k++)
            tolerated = tolerates(&pod->tolerations[k], &taints[i]);
        if (!tolerated)
            out[count++] = taints[i];
    }
    return count;
}

void taint_text(text_buffer *out, const berth_taint *taint)
{
    text_add_str(out, taint->key);
    if (taint->value.len > 0)
        text_add(out, "=%.*s", (int)taint->value.len, taint->value.data);
    text_add(out, ":%.*s", (int)taint->effect.len, taint->effect.data);
}

/* ---- labels ---- */

/* Add the labels that a requirement misses on a node; false if no label can help. */
static bool note_missing(const berth_engine *engine, berth_node_id node,
                         const berth_requirement *wanted, berth_key_value *out, uint32_t *count)
{
    berth_str value = berth_engine_node_label(engine, node, wanted->key);
    if (words_equal(wanted->op, words_of("In"))) {
        for (uint32_t i = 0; i < wanted->values.count && value.data != NULL; i++)
            if (words_equal(wanted->values.items[i], value))
                return true;
        if (wanted->values.count == 0 || *count == MISSING_MAX)
            return false;
        out[(*count)++] = (berth_key_value){wanted->key, wanted->values.items[0]};
        return true;
    }
    if (words_equal(wanted->op, words_of("Exists"))) {
        if (value.data == NULL && *count < MISSING_MAX)
            out[(*count)++] = (berth_key_value){wanted->key, words_of("")};
        return true;
    }
    if (words_equal(wanted->op, words_of("DoesNotExist")))
        return value.data == NULL;
    if (!words_equal(wanted->op, words_of("NotIn")))
        return false;
    for (uint32_t i = 0; i < wanted->values.count && value.data != NULL; i++)
        if (words_equal(wanted->values.items[i], value))
            return false;
    return true;
}

/* Append the labels that a term misses; false if labels are not enough. */
static bool note_term(const berth_engine *engine, berth_node_id node,
                      const berth_node_selector_term *term, berth_key_value *out, uint32_t *count)
{
    berth_str name = berth_engine_node_name(engine, node);
    for (uint32_t i = 0; i < term->match_fields.count; i++) {
        const berth_requirement *wanted = &term->match_fields.items[i];
        bool in = words_equal(wanted->op, words_of("In"));
        if (!in || wanted->values.count != 1 || !words_equal(wanted->values.items[0], name))
            return false;
    }
    for (uint32_t i = 0; i < term->match_expressions.count; i++)
        if (!note_missing(engine, node, &term->match_expressions.items[i], out, count))
            return false;
    return term->match_expressions.count + term->match_fields.count > 0;
}

uint32_t missing_labels_of(const berth_engine *engine, const berth_pod *pod, berth_node_id node,
                           berth_key_value out[MISSING_MAX], bool *all)
{
    const berth_node_selector *required = pod->node_affinity.required;
    uint32_t count = 0;
    for (uint32_t i = 0; i < pod->node_selector.count && count < MISSING_MAX; i++) {
        const berth_key_value *wanted = &pod->node_selector.entries[i];
        berth_str value = berth_engine_node_label(engine, node, wanted->key);
        if (value.data == NULL || !words_equal(value, wanted->value))
            out[count++] = *wanted;
    }
    *all = required == NULL;
    uint32_t base = count;
    berth_key_value best[MISSING_MAX] = {{{0}, {0}}};
    uint32_t best_count = UINT32_MAX;
    for (uint32_t t = 0; required != NULL && t < required->count; t++) {
        berth_key_value own[MISSING_MAX];
        uint32_t own_count = 0;
        if (!note_term(engine, node, &required->terms[t], own, &own_count) ||
            own_count >= best_count || base + own_count > MISSING_MAX)
            continue;
        memcpy(best, own, own_count * sizeof(*own));
        best_count = own_count;
        *all = true;
    }
    for (uint32_t i = 0; *all && required != NULL && i < best_count; i++)
        out[count++] = best[i];
    return count;
}

/* ---- words ---- */

/* Writes an amount for reading. A tenth of a unit is exact enough here, even though a request that
 * is to fit must be exact. */
static void amount_text(berth_str resource, int64_t amount, char out[64])
{
    usage_amount(resource, amount, out, 64);
    size_t len = strlen(out);
    bool odd = len > 2 && out[len - 1] == 'i' && (out[len - 2] == 'K' || out[len - 2] == 'M');
    if (odd && amount >= INT64_C(1) << 30)
        snprintf(out, 64, "%.1fGi", (double)amount / (double)(INT64_C(1) << 30));
}

static void tell_shortages(text_buffer *text, const shortage *all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const shortage *s = &all[i];
        char less[64], asked[64], has[64], whole[64];
        text_add(text, "%s", i > 0 ? "; " : "");
        if (words_equal(s->resource, words_of("pods"))) {
            text_add(text, "no room for another pod (%lld of %lld taken)",
                     (long long)(s->allocatable - s->free), (long long)s->allocatable);
            continue;
        }
        amount_text(s->resource, s->less, less);
        amount_text(s->resource, s->asked, asked);
        amount_text(s->resource, s->free, has);
        amount_text(s->resource, s->allocatable, whole);
        text_add(text, "%s %.*s short (asks %s, %s of %s free)", less, (int)s->resource.len,
                 s->resource.data, asked, has, whole);
    }
}

static void tell_reasons(text_buffer *text, const berth_explanation *why, uint32_t refusal,
                         uint32_t count)
{
    for (uint32_t r = 0; r < count; r++) {
        text_add(text, "%s", r > 0 ? ", " : "");
        text_add_str(text, berth_explanation_reason(why, refusal, r));
    }
}

static void tell_taints(text_buffer *text, const berth_taint *taints, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        text_add(text, "%s", i > 0 ? ", taint " : "taint ");
        taint_text(text, &taints[i]);
    }
}

static void tell_labels(text_buffer *text, const berth_engine *engine, berth_node_id node,
                        const berth_key_value *missing, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        berth_str has = berth_engine_node_label(engine, node, missing[i].key);
        text_add(text, "%slabel %.*s", i > 0 ? ", " : "no ", (int)missing[i].key.len,
                 missing[i].key.data);
        if (missing[i].value.len > 0)
            text_add(text, "=%.*s", (int)missing[i].value.len, missing[i].value.data);
        if (has.data != NULL)
            text_add(text, " (it is %.*s)", (int)has.len, has.data);
    }
}

/* Write the topology keys of spread constraints for which the node has no label; returns how
 * many. */
static uint32_t tell_topology(text_buffer *text, const berth_engine *engine, const berth_pod *pod,
                              berth_node_id node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pod->spread_count; i++) {
        const berth_topology_spread *spread = &pod->spreads[i];
        if (!words_equal(spread->when_unsatisfiable, words_of("DoNotSchedule")) ||
            berth_engine_node_label(engine, node, spread->topology_key).data != NULL)
            continue;
        text_add(text, "%s%.*s", count++ > 0 ? ", " : "no label ", (int)spread->topology_key.len,
                 spread->topology_key.data);
    }
    if (count > 0)
        text_add(text, ", which a topology spread constraint requires");
    return count;
}

/* Distances of nodes that were refused for something other than amounts. */
enum { FAR_TAINT = 100, FAR_LABELS = 200, FAR_OTHER = 300, FAR_NEVER = 400 };

/* Write what the node's devices lack; negative if there is nothing to say. */
static double tell_devices(text_buffer *text, berth_engine *engine, berth_pod_id pod,
                           berth_node_id node)
{
    device_lacks lacks;
    double distance = -1.0;
    device_lacks_make(&lacks, engine, pod, node);
    if (lacks.count > 0)
        distance = device_lacks_tell(&lacks, text);
    device_lacks_free(&lacks);
    return distance;
}

/* Describe one refusal; returns the distance that it adds. */
static double tell(text_buffer *text, berth_engine *engine, berth_pod_id id, const berth_pod *pod,
                   const berth_explanation *why, uint32_t i)
{
    berth_refusal refusal = berth_explanation_refusal(why, i);
    shortage shortages[SHORTAGES_MAX];
    berth_taint taints[TAINTS_MAX];
    berth_key_value missing[MISSING_MAX];
    uint32_t count = 0;
    bool enough = false;
    if (refused_for_resources(refusal.plugin) &&
        (count = shortages_of(engine, id, refusal.node, shortages)) > 0) {
        double distance = 0.0;
        for (uint32_t k = 0; k < count; k++)
            distance += (double)shortages[k].less / (double)shortages[k].asked;
        tell_shortages(text, shortages, count);
        return distance;
    }
    if (refused_for_taints(refusal.plugin) &&
        (count = untolerated_of(engine, pod, refusal.node, taints)) > 0) {
        tell_taints(text, taints, count);
        return FAR_TAINT + count;
    }
    if (refused_for_labels(refusal.plugin) &&
        (count = missing_labels_of(engine, pod, refusal.node, missing, &enough)) > 0) {
        tell_labels(text, engine, refusal.node, missing, count);
        return FAR_LABELS + count;
    }
    if (refused_for_spread(refusal.plugin) && refusal.code == BERTH_CODE_UNRESOLVABLE &&
        (count = tell_topology(text, engine, pod, refusal.node)) > 0)
        return FAR_LABELS + count;
    if (refused_for_devices(refusal.plugin)) {
        double distance = tell_devices(text, engine, id, refusal.node);
        if (distance >= 0.0)
            return distance;
    }
    if (refused_as_cordoned(refusal.plugin))
        text_add(text, "cordoned");
    else
        tell_reasons(text, why, i, refusal.reason_count);
    return refusal.code == BERTH_CODE_UNSCHEDULABLE ? FAR_OTHER : FAR_NEVER;
}

static int by_distance(const void *a, const void *b)
{
    const refused_node *left = a;
    const refused_node *right = b;
    if (left->distance < right->distance || left->distance > right->distance)
        return left->distance < right->distance ? -1 : 1;
    return left->first < right->first ? -1 : left->first > right->first;
}

void shortfalls_make(shortfalls *s, berth_engine *engine, berth_pod_id id, const berth_pod *pod,
                     const berth_explanation *why)
{
    uint32_t refusals = berth_explanation_refusal_count(why);
    text_buffer text = {0};
    *s = (shortfalls){.nodes = heap_new(refusals, sizeof(*s->nodes))};
    for (uint32_t i = 0; i < refusals;) {
        refused_node *node = &s->nodes[s->count++];
        *node = (refused_node){.node = berth_explanation_refusal(why, i).node, .first = i};
        text_clear(&text);
        while (i < refusals && berth_explanation_refusal(why, i).node == node->node) {
            text_add(&text, "%s", node->count++ > 0 ? "; " : "");
            node->distance += tell(&text, engine, id, pod, why, i++);
        }
        node->lack = heap_text(text.len > 0 ? text.text : "", text.len);
    }
    text_free(&text);
    if (s->count > 0)
        qsort(s->nodes, s->count, sizeof(*s->nodes), by_distance);
}

void shortfalls_free(shortfalls *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        free(s->nodes[i].lack);
    free(s->nodes);
    *s = (shortfalls){0};
}
