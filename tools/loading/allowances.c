/* Counts a budget's pods by controller: percentages refer to the replicas that a controller wants,
 * not to the pods that exist. */
#include "loading/allowances.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/object_names.h"
#include "cli/text_buffer.h"
#include "loading/controllers.h"

/* ---- collecting ---- */

/* A pod without a Ready condition counts as ready. */
static bool is_ready(const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->condition_count; i++)
        if (words_equal(pod->conditions[i].type, words_of("Ready")))
            return words_equal(pod->conditions[i].status, words_of("True"));
    return true;
}

void allowances_pod(allowances *a, const berth_pod *pod, berth_pod_id id)
{
    const berth_owner *owner = controller_of(&pod->meta);
    if (id == BERTH_POD_NONE)
        return;
    if (owner != NULL) {
        uint32_t number =
            object_names_add(&a->owners, owner->kind, pod->meta.namespace_name, owner->name);
        a->owned = heap_grow(a->owned, &a->owned_capacity, a->owned_count + 1, sizeof(*a->owned));
        a->owned[a->owned_count++] = (counted_pod){id, number};
    }
    if (!pod->meta.deleting && is_ready(pod))
        return;
    a->unhealthy = heap_grow(a->unhealthy, &a->unhealthy_capacity, a->unhealthy_count + 1,
                             sizeof(*a->unhealthy));
    a->unhealthy[a->unhealthy_count++] = id;
}

void allowances_note(allowances *a, const berth_note *note)
{
    if (note->workload == NULL)
        return;
    uint32_t number = object_names_add(&a->workloads, note->kind, note->namespace_name, note->name);
    a->replicas =
        heap_grow(a->replicas, &a->replicas_capacity, (size_t)number + 1, sizeof(*a->replicas));
    a->replicas[number] = note->workload->wanted;
}

/* ---- computing one budget ---- */

/* Find the number of replicas that a controller wants, and what sets it; unknown numbers stay as
 * they are. The Deployment behind a ReplicaSet is found by
 * name: the ReplicaSet's name begins with it. */
static void find_replicas(const allowances *a, berth_str owner, berth_str *scaled, int64_t *out)
{
    static const char set[] = "ReplicaSet ";
    const size_t set_len = sizeof(set) - 1;
    uint32_t number;
    const char *dash = owner.len > set_len && memcmp(owner.data, set, set_len) == 0
                           ? memrchr(owner.data, '-', owner.len)
                           : NULL;
    if (dash != NULL) {
        text_buffer deployment = {0};
        text_add_str(&deployment, words_of("Deployment "));
        text_add_str(&deployment, (berth_str){owner.data + set_len,
                                              (uint32_t)(dash - owner.data) - (uint32_t)set_len});
        const bool found = word_table_find(&a->workloads, text_str(&deployment), &number);
        text_free(&deployment);
        if (found) {
            *scaled = word_table_get(&a->workloads, number);
            *out = a->replicas[number];
            return;
        }
    }
    *scaled = owner;
    if (word_table_find(&a->workloads, owner, &number))
        *out = a->replicas[number];
}

/* Whether a kind has a number of replicas; percentages need one. */
static bool is_scaled(berth_str owner)
{
    static const char *const others[] = {"DaemonSet ", "Job ", "Node "};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (owner.len > strlen(others[i]) && memcmp(owner.data, others[i], strlen(others[i])) == 0)
            return false;
    return true;
}

/* The pods of one budget. */
typedef struct count {
    word_table scaled; /* their controllers, each once */
    uint64_t *met;     /* pods of each */
    int64_t *replicas; /* wanted replicas of each controller; -1: not known */
    size_t met_capacity, replicas_capacity;
    int64_t pods, running, healthy;
    bool unscaled; /* some pod's controller has no number of replicas */
} count;

static void count_owner(const allowances *a, count *c, berth_str owner)
{
    berth_str scaled;
    int64_t replicas = -1;
    if (!is_scaled(owner)) {
        c->unscaled = true;
        return;
    }
    find_replicas(a, owner, &scaled, &replicas);
    uint32_t before = c->scaled.count, number = word_table_add(&c->scaled, scaled);
    c->met = heap_grow(c->met, &c->met_capacity, (size_t)number + 1, sizeof(*c->met));
    c->replicas =
        heap_grow(c->replicas, &c->replicas_capacity, (size_t)number + 1, sizeof(*c->replicas));
    if (number == before)
        c->met[number] = 0;
    c->met[number]++;
    c->replicas[number] = replicas;
}

static int by_id(const void *a, const void *b)
{
    const berth_pod_id left = *(const berth_pod_id *)a, right = *(const berth_pod_id *)b;
    return (left > right) - (left < right);
}

static int by_counted_id(const void *a, const void *b)
{
    const counted_pod *left = a, *right = b;
    return (left->pod > right->pod) - (left->pod < right->pod);
}

static void count_pod(const allowances *a, const budget *one, const berth_engine *engine,
                      berth_pod_id pod, bool runs, count *c)
{
    const berth_pod_disruption_budget *source = one->object->as.pod_disruption_budget;
    berth_str namespace_name = {0}, name = {0};
    if (!budget_selects(one, engine, pod))
        return;
    c->pods++;
    c->running += runs;
    const counted_pod wanted = {.pod = pod};
    const counted_pod *owned = a->owned_count > 0 ? bsearch(&wanted, a->owned, a->owned_count,
                                                            sizeof(*a->owned), by_counted_id)
                                                  : NULL;
    if (owned != NULL)
        count_owner(a, c, word_table_get(&a->owners, owned->owner));
    berth_engine_pod_name(engine, pod, &namespace_name, &name);
    bool disrupted = false;
    for (uint32_t i = 0; i < source->disrupted_pods.count; i++)
        disrupted = disrupted || words_equal(source->disrupted_pods.items[i], name);
    c->healthy += runs && !disrupted &&
                  (a->unhealthy_count == 0 || bsearch(&pod, a->unhealthy, a->unhealthy_count,
                                                      sizeof(*a->unhealthy), by_id) == NULL);
}

static void count_pods(const allowances *a, const budget *one, const berth_engine *engine, count *c)
{
    berth_node_id limit = berth_engine_node_limit(engine);
    for (berth_node_id node = 0; node <= limit; node++) {
        berth_node_id of = node < limit ? node : BERTH_NODE_NONE;
        berth_pod_id pod = berth_engine_next_pod(engine, of, BERTH_POD_NONE);
        for (; pod != BERTH_POD_NONE; pod = berth_engine_next_pod(engine, of, pod))
            count_pod(a, one, engine, pod, of != BERTH_NODE_NONE, c);
    }
}

/* Replicas that the controllers want together. */
static int64_t expected_of(const count *c)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < c->scaled.count; i++)
        sum += c->replicas[i] >= 0 ? c->replicas[i] : (int64_t)c->met[i];
    return sum;
}

/* Percentages are rounded up. */
static int64_t part_of(berth_count_or_percent bound, int64_t whole)
{
    return bound.percent ? (whole * bound.value + 99) / 100 : bound.value;
}

/* The number of pods that must stay; `*expected` receives the number that should exist. */
static int64_t desired_of(const berth_pod_disruption_budget *source, const count *c,
                          int64_t *expected)
{
    *expected = expected_of(c);
    if (source->max_unavailable.given) {
        int64_t rest = *expected - part_of(source->max_unavailable, *expected);
        return rest > 0 ? rest : 0;
    }
    if (source->min_available.given && source->min_available.percent)
        return part_of(source->min_available, *expected);
    *expected = source->min_available.given ? c->pods : 0;
    return source->min_available.value;
}

static void tell(const berth_pod_disruption_budget *source, const count *c, int64_t desired,
                 int32_t allowed, findings *f)
{
    text_buffer text = {0};
    (void)text_name(&text, words_of("PodDisruptionBudget"), source->meta.namespace_name,
                    source->meta.name);
    text_add(&text,
             " has no status: of its %" PRId64 " pods %" PRId64 " are healthy and %" PRId64
             " must stay, so that %" PRId32 " may go at a time",
             c->pods, c->healthy, desired, allowed);
    findings_add(f, FINDING_COMPUTED, text_str(&text), NULL, 1);
    text_free(&text);
}

static berth_status complete(const allowances *a, budget *one, berth_engine *engine, findings *f,
                             berth_error *error)
{
    berth_pod_disruption_budget changed = *one->object->as.pod_disruption_budget;
    const berth_object object = {.kind = BERTH_KIND_POD_DISRUPTION_BUDGET,
                                 .as.pod_disruption_budget = &changed};
    count c = {.pods = 0};
    int64_t expected;
    count_pods(a, one, engine, &c);
    const int64_t desired = desired_of(&changed, &c, &expected);
    const bool share = changed.max_unavailable.given || changed.min_available.percent;
    int64_t allowed = c.healthy - desired;
    if (allowed < 0 || expected <= 0 || (share && c.unscaled))
        allowed = 0;
    changed.disruptions_allowed = allowed < INT32_MAX ? (int32_t)allowed : INT32_MAX;
    changed.status_absent = false;
    if (c.running > 0) /* if all are pending, there is nothing to evict */
        tell(&changed, &c, desired, changed.disruptions_allowed, f);
    word_table_free(&c.scaled);
    free(c.met);
    free(c.replicas);
    TRY(berth_engine_update(engine, &object, error));
    berth_object *kept = heap_object(&object);
    berth_object_destroy(one->object);
    one->object = kept;
    return BERTH_OK;
}

berth_status allowances_end(allowances *a, budgets *b, berth_engine *engine, findings *f,
                            berth_error *error)
{
    if (a->unhealthy_count > 0)
        qsort(a->unhealthy, a->unhealthy_count, sizeof(*a->unhealthy), by_id);
    if (b->count > 0 && a->owned_count > 0)
        qsort(a->owned, a->owned_count, sizeof(*a->owned), by_counted_id);
    for (size_t i = 0; i < b->count; i++)
        if (b->items[i].object->as.pod_disruption_budget->status_absent)
            TRY(complete(a, &b->items[i], engine, f, error));
    return BERTH_OK;
}

void allowances_free(allowances *a)
{
    word_table_free(&a->owners);
    word_table_free(&a->workloads);
    free(a->owned);
    free(a->unhealthy);
    free(a->replicas);
}
