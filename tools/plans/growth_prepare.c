/* Prepares a growth before the search: kinds of pods, the shapes that take them, and the room that
 * a node of each shape has beside its DaemonSets' pods. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/text_buffer.h"
#include "plans/growth.h"
#include "plans/plan_pods.h"
#include "traces/id_table.h"

enum { RESOURCES_MAX = 256 };

/* ---- resources and kinds ---- */

static void list_resources(growth *g)
{
    berth_str names[RESOURCES_MAX];
    uint32_t count = berth_engine_resource_names(g->engine, names, RESOURCES_MAX);
    for (uint32_t i = 0; i < count && i < RESOURCES_MAX; i++)
        word_table_add(&g->resources, names[i]);
    for (size_t s = 0; s < g->shapes->count; s++) {
        const berth_node *node = g->shapes->items[s].object->as.node;
        for (uint32_t i = 0; i < node->allocatable.count; i++)
            word_table_add(&g->resources, node->allocatable.items[i].name);
    }
    word_table_add(&g->resources, words_of("pods"));
}

static berth_status describe_kind(growth *g, growth_kind *kind, berth_error *error)
{
    berth_object *object = NULL;
    kind->requests = heap_new(g->resources.count, sizeof(*kind->requests));
    for (uint32_t r = 0; r < g->resources.count; r++)
        TRY(berth_engine_pod_resource(g->engine, kind->sample, word_table_get(&g->resources, r),
                                      &kind->requests[r], error));
    TRY(berth_engine_pod_object(g->engine, kind->sample, NULL, &object, error));
    const berth_pod *pod = object->as.pod;
    kind->conditional = pod->spread_count > 0 || pod->pod_affinity.required_count > 0;
    berth_object_destroy(object);
    return BERTH_OK;
}

static berth_status list_pods(growth *g, const berth_pod_id *pods, size_t count, berth_error *error)
{
    id_table numbers = {0};
    berth_status status = BERTH_OK;
    g->pods = heap_new(count, sizeof(*g->pods));
    g->placed = heap_new(count, sizeof(*g->placed));
    for (size_t i = 0; i < count && status == BERTH_OK; i++) {
        berth_pod_info info = {.size = sizeof(info)};
        status = berth_engine_pod_info(g->engine, pods[i], &info, error);
        uint32_t number = id_table_find(&numbers, info.kind);
        if (status == BERTH_OK && number == ID_TABLE_NONE) {
            number = (uint32_t)g->kind_count;
            g->kinds = heap_grow(g->kinds, &g->kind_capacity, g->kind_count + 1, sizeof(*g->kinds));
            g->kinds[g->kind_count++] = (growth_kind){.sample = pods[i]};
            id_table_add(&numbers, info.kind, number);
            status = describe_kind(g, &g->kinds[number], error);
        }
        g->pods[g->pod_count++] = (growth_pod){pods[i], number};
        if (status == BERTH_OK)
            g->kinds[number].count++;
    }
    id_table_free(&numbers);
    g->refused = heap_new(g->kind_count, sizeof(*g->refused));
    return status;
}

/* ---- DaemonSets ---- */

static bool is_known(const growth *g, const berth_pod_info *info)
{
    for (size_t i = 0; i < g->daemon_count; i++) {
        const berth_metadata *meta = &g->daemons[i].object->as.pod->meta;
        if (words_equal(meta->name, info->owner_name) &&
            words_equal(meta->namespace_name, info->namespace_name))
            return true;
    }
    return false;
}

/* Make a DaemonSet's pod into its template again: remove the node's name, with which the controller
 * pins each pod. Terms that require nothing else are dropped; if none remains, there is no
 * requirement. */
static berth_object *unpin(const berth_pod *source, berth_str name)
{
    berth_pod pod = *source;
    const berth_node_selector *required = source->node_affinity.required;
    berth_node_selector_term *terms = NULL;
    berth_node_selector selector = {0};
    pod.meta.name = name;
    pod.node_name = (berth_str){0};
    pod.node_affinity.required = NULL;
    if (required != NULL && required->count > 0) {
        terms = heap_new(required->count, sizeof(*terms));
        for (uint32_t i = 0; i < required->count; i++)
            if (required->terms[i].match_expressions.count > 0)
                terms[selector.count++].match_expressions = required->terms[i].match_expressions;
        selector.terms = terms;
        pod.node_affinity.required = selector.count > 0 ? &selector : NULL;
    }
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &pod};
    berth_object *copy = heap_object(&object);
    free(terms);
    return copy;
}

static berth_status note_daemon(growth *g, berth_pod_id pod, berth_error *error)
{
    berth_pod_info info = {.size = sizeof(info)};
    berth_object *object = NULL;
    TRY(berth_engine_pod_info(g->engine, pod, &info, error));
    if (!words_equal(info.owner_kind, words_of("DaemonSet")) || info.deleting || is_known(g, &info))
        return BERTH_OK;
    TRY(berth_engine_pod_object(g->engine, pod, NULL, &object, error));
    g->daemons =
        heap_grow(g->daemons, &g->daemon_capacity, g->daemon_count + 1, sizeof(*g->daemons));
    g->daemons[g->daemon_count++] = (growth_daemon){unpin(object->as.pod, info.owner_name), 0};
    berth_object_destroy(object);
    return BERTH_OK;
}

static berth_status list_daemons(growth *g, berth_error *error)
{
    const berth_engine *engine = g->engine;
    berth_node_id limit = berth_engine_node_limit(engine);
    for (berth_node_id node = 0; node < limit; node++)
        for (berth_pod_id pod = berth_engine_next_pod(engine, node, BERTH_POD_NONE);
             pod != BERTH_POD_NONE; pod = berth_engine_next_pod(engine, node, pod))
            TRY(note_daemon(g, pod, error));
    return BERTH_OK;
}

/* Find out whether a DaemonSet's controller would put a pod on the node; room does not matter to
 * it. */
static berth_status try_daemon(growth *g, growth_daemon *daemon, size_t shape, berth_node_id node,
                               berth_error *error)
{
    berth_object_id id;
    berth_fit fit = {.size = sizeof(fit)};
    TRY(berth_engine_add(g->engine, daemon->object, &id, error));
    berth_status status = berth_engine_fits(g->engine, id.pod, node, 0, &fit, error);
    if (status == BERTH_E_NOT_FOUND) { /* a pod of another scheduler, whose rules are not known */
        fit.verdict = BERTH_VERDICT_PLACED;
        status = BERTH_OK;
    }
    if (fit.verdict == BERTH_VERDICT_PLACED ||
        words_equal(fit.plugin, words_of("NodeResourcesFit")) ||
        words_equal(fit.plugin, words_of("NodePorts")))
        daemon->runs_on |= UINT64_C(1) << shape;
    return status;
}

static berth_status try_daemons(growth *g, size_t shape, berth_error *error)
{
    TRY(berth_engine_begin(g->engine, error));
    g->added_count = 0;
    berth_status status = growth_add_nodes(g, shape, 1, error);
    for (size_t i = 0; i < g->daemon_count && status == BERTH_OK; i++)
        status = try_daemon(g, &g->daemons[i], shape, g->added[0], error);
    berth_engine_rollback(g->engine, NULL);
    return status;
}

/* ---- shapes ---- */

static void add_refusal(growth_kind *kind, const char *shape, const berth_fit *fit)
{
    text_buffer reason = {0}, refusal = {0};
    for (uint32_t i = 0; i < fit->reason_count; i++) {
        text_add_str(&reason, words_of(i > 0 ? ", " : ""));
        text_add_str(&reason, fit->reasons[i]);
    }
    const berth_str text = text_str(&reason);
    kind->differs =
        kind->differs || (kind->reason != NULL && !words_equal(words_of(kind->reason), text));
    if (kind->reason == NULL)
        kind->reason = heap_text(text.data, text.len);
    text_add(&refusal, "%s%s%s: ", kind->refusal != NULL ? kind->refusal : "",
             kind->refusal != NULL ? "; " : "", shape);
    text_add_str(&refusal, text);
    text_free(&reason);
    free(kind->refusal);
    kind->refusal = refusal.text;
}

/* If all shapes refuse a kind for the same reason, keep the reason only once. */
static void shorten_refusal(const growth *g, growth_kind *kind)
{
    text_buffer refusal = {0};
    if (kind->fits != 0 || kind->reason == NULL || kind->differs || g->shapes->count < 2)
        return;
    text_add(&refusal, "every shape: %s", kind->reason);
    free(kind->refusal);
    kind->refusal = refusal.text;
}

static bool may_change(const berth_fit *fit)
{
    return words_equal(fit->plugin, words_of("InterPodAffinity")) ||
           words_equal(fit->plugin, words_of("PodTopologySpread"));
}

static berth_status try_kinds(growth *g, size_t shape, berth_error *error)
{
    berth_node_id node = g->added[0];
    for (uint32_t r = 0; r < g->resources.count; r++) {
        int64_t allocatable = 0;
        int64_t requested = 0;
        TRY(berth_engine_node_resource(g->engine, node, word_table_get(&g->resources, r),
                                       &allocatable, &requested, error));
        g->room[shape * g->resources.count + r] =
            allocatable > requested ? allocatable - requested : 0;
    }
    for (size_t k = 0; k < g->kind_count; k++) {
        growth_kind *kind = &g->kinds[k];
        berth_fit fit = {.size = sizeof(fit)};
        TRY(berth_engine_fits(g->engine, kind->sample, node, BERTH_FIT_REASONS, &fit, error));
        if (fit.verdict == BERTH_VERDICT_PLACED || (kind->conditional && may_change(&fit)))
            kind->fits |= UINT64_C(1) << shape;
        else
            add_refusal(kind, g->shapes->items[shape].name, &fit);
    }
    return BERTH_OK;
}

static berth_status try_shape(growth *g, size_t shape, berth_error *error)
{
    TRY(try_daemons(g, shape, error));
    TRY(berth_engine_begin(g->engine, error));
    g->added_count = 0;
    berth_status status = growth_add_nodes(g, shape, 1, error);
    if (status == BERTH_OK)
        status = try_kinds(g, shape, error);
    berth_engine_rollback(g->engine, NULL);
    g->added_count = 0;
    return status;
}

berth_status growth_prepare(growth *g, const berth_pod_id *pods, size_t count, berth_error *error)
{
    list_resources(g);
    TRY(list_pods(g, pods, count, error));
    TRY(list_daemons(g, error));
    g->room = heap_new(g->shapes->count * g->resources.count, sizeof(*g->room));
    for (size_t s = 0; s < g->shapes->count; s++)
        TRY(try_shape(g, s, error));
    for (size_t k = 0; k < g->kind_count; k++) {
        shorten_refusal(g, &g->kinds[k]);
        g->target += g->kinds[k].fits != 0 ? g->kinds[k].count : 0;
    }
    return BERTH_OK;
}

void growth_free(growth *g)
{
    for (size_t k = 0; k < g->kind_count; k++) {
        free(g->kinds[k].requests);
        free(g->kinds[k].refusal);
        free(g->kinds[k].reason);
    }
    for (size_t i = 0; i < g->daemon_count; i++)
        berth_object_destroy(g->daemons[i].object);
    free(g->daemons);
    free(g->kinds);
    free(g->pods);
    free(g->room);
    free(g->placed);
    free(g->refused);
    free(g->added);
    free(g->added_shapes);
    word_table_free(&g->resources);
}
