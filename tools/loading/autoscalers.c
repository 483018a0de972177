/* Finds the pods of each autoscaler's target, and adds or removes pods to reach the wanted
 * number. */
#include "loading/autoscalers.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/object_names.h"
#include "loading/planned.h"
#include "loading/pod_copies.h"

const char *const scale_goal_names[] = {"current", "min", "max", NULL};

/* ---- reading ---- */

static void tell(findings *f, const berth_error *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void tell(findings *f, const berth_error *place, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    findings_add(f, FINDING_AUTOSCALER, words_of(text), place, 1);
}

/* Returns what is wrong with a specification, or NULL. */
static const char *fault_of(const json_t *spec, const json_t *reference)
{
    const json_t *most = json_object_get(spec, "maxReplicas");
    const json_t *fewest = json_object_get(spec, "minReplicas");
    const bool says_fewest = fewest != NULL && !json_is_null(fewest);
    if (!json_is_string(json_object_get(reference, "kind")) ||
        !json_is_string(json_object_get(reference, "name")))
        return "scaleTargetRef needs a kind and a name";
    if (!json_is_integer(most) || json_integer_value(most) < 1 ||
        json_integer_value(most) > AUTOSCALER_PODS_MAX)
        return "maxReplicas is not a whole number from 1 to 1000000";
    if (says_fewest && (!json_is_integer(fewest) || json_integer_value(fewest) < 0 ||
                        json_integer_value(fewest) > json_integer_value(most)))
        return "minReplicas is not a whole number from 0 to maxReplicas";
    return NULL;
}

static char *copy_text(const json_t *text)
{
    return heap_text(json_string_value(text), json_string_length(text));
}

static void add_autoscaler(autoscalers *a, const berth_note *note, const json_t *spec, findings *f)
{
    const json_t *reference = json_object_get(spec, "scaleTargetRef");
    const json_t *fewest = json_object_get(spec, "minReplicas");
    const char *fault = fault_of(spec, reference);
    if (fault != NULL) {
        tell(f, note->place, "it is not applied: %s", fault);
        return;
    }
    autoscaler one = {
        .name = heap_text(note->name.data, note->name.len),
        .namespace_name = heap_text(note->namespace_name.data, note->namespace_name.len),
        .kind = copy_text(json_object_get(reference, "kind")),
        .target = copy_text(json_object_get(reference, "name")),
        .fewest = json_is_integer(fewest) ? (uint64_t)json_integer_value(fewest) : 1,
        .most = (uint64_t)json_integer_value(json_object_get(spec, "maxReplicas")),
    };
    const size_t known = a->targets.count;
    const uint32_t number = object_names_add(&a->targets, words_of(one.kind),
                                             words_of(one.namespace_name), words_of(one.target));
    if (number < known && strcmp(a->items[number].name, one.name) != 0) {
        tell(f, NULL, "HPA %s and HPA %s of namespace %s both scale %s %s: neither is applied",
             a->items[number].name, one.name, one.namespace_name, one.kind, one.target);
        a->items[number].ambiguous = true;
    }
    if (number < known) { /* a duplicate, as in a dump and a manifest: the last one counts */
        a->items[number].fewest = one.fewest;
        a->items[number].most = one.most;
        free(one.name);
        free(one.namespace_name);
        free(one.kind);
        free(one.target);
        return;
    }
    a->items = heap_grow(a->items, &a->capacity, a->count + 1, sizeof(*a->items));
    a->items[a->count++] = one;
}

void autoscalers_note(autoscalers *a, const berth_note *note, findings *f)
{
    if (a->goal == SCALE_CURRENT)
        return;
    if (note->workload != NULL)
        (void)object_names_add(&a->workloads, note->kind, note->namespace_name, note->name);
    if (!words_equal(note->kind, words_of(AUTOSCALER_KIND)) || note->text.len == 0)
        return;
    json_t *object = json_loadb(note->text.data, note->text.len, 0, NULL);
    if (object == NULL)
        return;
    add_autoscaler(a, note, json_object_get(object, "spec"), f);
    json_decref(object);
}

/* ---- pods of targets ---- */

static void add_pod(autoscalers *a, berth_str kind, const berth_pod_info *info, berth_str name,
                    berth_pod_id pod)
{
    uint32_t number = 0;
    if (!object_names_find(&a->targets, kind, info->namespace_name, name, &number))
        return;
    a->pods = heap_grow(a->pods, &a->pod_capacity, a->pod_count + 1, sizeof(*a->pods));
    a->pods[a->pod_count++] = (scaled_pod){number, pod};
}

/* The Deployment of a ReplicaSet. The ReplicaSet's name is the Deployment's name and a hash, which
 * the pod carries as a label. */
static berth_str deployment_behind(const berth_engine *engine, berth_pod_id pod, berth_str set)
{
    berth_str hash = berth_engine_pod_label(engine, pod, words_of("pod-template-hash"));
    if (hash.len == 0 || hash.len + 1 >= set.len || set.data[set.len - hash.len - 1] != '-' ||
        memcmp(set.data + set.len - hash.len, hash.data, hash.len) != 0)
        return (berth_str){0};
    return (berth_str){set.data, set.len - hash.len - 1};
}

static berth_status look_at_pod(autoscalers *a, const berth_engine *engine, berth_pod_id pod,
                                berth_error *error)
{
    berth_pod_info info = {.size = sizeof(info)};
    TRY(berth_engine_pod_info(engine, pod, &info, error));
    if (info.deleting || info.owner_kind.len == 0)
        return BERTH_OK;
    add_pod(a, info.owner_kind, &info, info.owner_name, pod);
    if (words_equal(info.owner_kind, words_of("ReplicaSet"))) {
        berth_str deployment = deployment_behind(engine, pod, info.owner_name);
        if (deployment.len > 0)
            add_pod(a, words_of("Deployment"), &info, deployment, pod);
    }
    return BERTH_OK;
}

static int64_t number_in_name(const berth_engine *engine, berth_pod_id pod)
{
    berth_str namespace_name, name;
    berth_engine_pod_name(engine, pod, &namespace_name, &name);
    return planned_ordinal(name);
}

/* Sorts by target; within one, pods that stay longest come first. */
static int by_staying(const void *a, const void *b, void *context)
{
    const scaled_pod *left = a, *right = b;
    const berth_engine *engine = context;
    if (left->target != right->target)
        return left->target < right->target ? -1 : 1;
    const bool left_waits = berth_engine_pod_node(engine, left->pod) == BERTH_NODE_NONE;
    const bool right_waits = berth_engine_pod_node(engine, right->pod) == BERTH_NODE_NONE;
    if (left_waits != right_waits)
        return left_waits ? 1 : -1;
    return left->pod < right->pod ? -1 : left->pod > right->pod;
}

static int by_number(const void *a, const void *b, void *context)
{
    const scaled_pod *left = a, *right = b;
    const int64_t one = number_in_name(context, left->pod);
    const int64_t other = number_in_name(context, right->pod);
    return one < other ? -1 : one > other;
}

static berth_status list_pods(autoscalers *a, berth_engine *engine, berth_error *error)
{
    const berth_node_id limit = berth_engine_node_limit(engine);
    for (berth_node_id at = 0; at <= limit; at++) {
        const berth_node_id node = at < limit ? at : BERTH_NODE_NONE;
        for (berth_pod_id pod = berth_engine_next_pod(engine, node, BERTH_POD_NONE);
             pod != BERTH_POD_NONE; pod = berth_engine_next_pod(engine, node, pod))
            TRY(look_at_pod(a, engine, pod, error));
    }
    if (a->pod_count > 0)
        qsort_r(a->pods, a->pod_count, sizeof(*a->pods), by_staying, engine);
    return BERTH_OK;
}

/* ---- scaling ---- */

static void tell_missing(const autoscalers *a, const autoscaler *one, uint32_t number, findings *f)
{
    const berth_str key = word_table_get(&a->targets, number);
    uint32_t known = 0;
    if (word_table_find(&a->workloads, key, &known))
        tell(f, NULL, "HPA %s is not applied: %.*s has no pods in the input (--expand makes them)",
             one->name, (int)key.len, key.data);
    else
        tell(f, NULL,
             "HPA %s is not applied: its target %.*s is not in the input, or has no replicas",
             one->name, (int)key.len, key.data);
}

static berth_status remove_pods(berth_engine *engine, const scaled_pod *pods, uint64_t count,
                                berth_error *error)
{
    for (uint64_t i = 0; i < count; i++) {
        berth_str namespace_name, name;
        berth_engine_pod_name(engine, pods[i].pod, &namespace_name, &name);
        TRY(berth_engine_remove(engine, BERTH_KIND_POD, namespace_name, name, error));
    }
    return BERTH_OK;
}

/* Whether a pod can serve as the sample for further pods. */
static berth_status check_sample(const berth_engine *engine, berth_pod_id pod, bool *possible,
                                 berth_error *error)
{
    berth_object *object = NULL;
    TRY(berth_engine_pod_object(engine, pod, NULL, &object, error));
    *possible = pod_copies_possible(object->as.pod);
    berth_object_destroy(object);
    return BERTH_OK;
}

typedef struct scaling {
    berth_engine *engine;
    changes *c;
    findings *f;
    pod_copies copies;
} scaling;

/* Scale one target, whose pods are `pods` (at least one). */
static berth_status scale(const autoscalers *a, const autoscaler *one, scaled_pod *pods,
                          uint64_t count, scaling *s, berth_error *error)
{
    const uint64_t wanted = a->goal == SCALE_MAX ? one->most : one->fewest;
    const uint64_t more = wanted > count ? wanted - count : 0;
    const uint64_t fewer = count > wanted ? count - wanted : 0;
    bool possible = true;
    if (strcmp(one->kind, "StatefulSet") == 0)
        qsort_r(pods, count, sizeof(*pods), by_number, s->engine);
    if (more > 0)
        TRY(check_sample(s->engine, pods[0].pod, &possible, error));
    if (!possible) {
        tell(s->f, NULL,
             "HPA %s is not applied: pods of %s %s/%s have volumes or claims that go with each pod",
             one->name, one->kind, one->namespace_name, one->target);
        return BERTH_OK;
    }
    changes_scaled(s->c, s->f,
                   &(workload_change){.kind = one->kind,
                                      .namespace_name = one->namespace_name,
                                      .name = one->target,
                                      .running = count,
                                      .wanted = wanted,
                                      .made = more,
                                      .leaving = fewer,
                                      .autoscaler = one->name,
                                      .at_most = a->goal == SCALE_MAX});
    if (more > 0) {
        berth_pod_info info = {.size = sizeof(info)};
        TRY(berth_engine_pod_info(s->engine, pods[0].pod, &info, error));
        s->copies.kind = words_of(one->kind);
        char *name = heap_text(info.owner_name.data, info.owner_name.len);
        s->copies.name = words_of(name);
        berth_status status = pod_copies_add(&s->copies, pods[0].pod, more, error);
        free(name);
        return status;
    }
    return remove_pods(s->engine, pods + wanted, fewer, error);
}

berth_status autoscalers_apply(autoscalers *a, berth_engine *engine, changes *c, findings *f,
                               berth_status (*add)(void *context, const berth_object *object,
                                                   berth_error *error),
                               void *context, berth_error *error)
{
    scaling s = {.engine = engine,
                 .c = c,
                 .f = f,
                 .copies = {.engine = engine, .add = add, .context = context}};
    size_t at = 0;
    if (a->goal == SCALE_CURRENT)
        return BERTH_OK;
    if (a->count == 0)
        tell(f, NULL,
             "the input has no " AUTOSCALER_KIND " that could be applied: --scale changes "
             "nothing");
    TRY(list_pods(a, engine, error));
    for (uint32_t number = 0; number < a->count; number++) {
        const autoscaler *one = &a->items[number];
        const size_t first = at;
        while (at < a->pod_count && a->pods[at].target == number)
            at++;
        if (one->ambiguous)
            continue;
        if (at == first)
            tell_missing(a, one, number, f);
        else
            TRY(scale(a, one, a->pods + first, at - first, &s, error));
    }
    return BERTH_OK;
}

void autoscalers_free(autoscalers *a)
{
    for (size_t i = 0; i < a->count; i++) {
        free(a->items[i].name);
        free(a->items[i].namespace_name);
        free(a->items[i].kind);
        free(a->items[i].target);
    }
    free(a->items);
    free(a->pods);
    word_table_free(&a->targets);
    word_table_free(&a->workloads);
}
