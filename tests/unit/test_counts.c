/* columns/pod_counts.h: after any sequence of nodes, pods and namespaces added, changed and
 * removed, counters equal a naive recount, even if allocations fail in between. BERTH_TEST_SEED
 * replaces the seed of the random histories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/text.h"
#include "cluster/cluster.h"
#include "columns/pod_counts.h"
#include "model/related.h"

enum {
    NODES = 150, /* more than a tile */
    PODS = 400,
    SPACES = 3,
    APPS = 5,
    PLANS = 24,
    OPS = 1500,
    TERMS = 2,
};

static const char *const space_names[SPACES] = {"default", "dev", "prod"};
static const char *const app_names[APPS] = {"web", "db", "cache", "api", "job"};
static const char *const keys[] = {"topology.kubernetes.io/zone", "rack", "kubernetes.io/hostname"};
enum { KEYS = 3, ZONE = 0, RACK = 1, HOST = 2 };

typedef struct test_node {
    bool present;
    int32_t domain[KEYS]; /* -1: no such label */
    bool tainted;         /* excluded from inclusion sets */
} test_node;

/* A term that a pod holds. */
typedef struct test_term {
    uint32_t kind; /* 0: none, else 1 + the index of a held kind */
    uint32_t key;
    uint32_t filter;
    int32_t weight;
} test_term;

typedef struct test_pod {
    bool present;
    uint32_t node;
    uint32_t space;
    uint32_t app;
    bool deleting;
    test_term terms[TERMS];
} test_pod;

/* A filter: a namespace rule and a label rule, each of a few kinds. */
typedef struct test_filter {
    int32_t space; /* one namespace; -1: those with env=prod; -2: all; -3: the two last */
    uint32_t app;  /* app = this; APPS: everything; APPS + 1: app exists; APPS + 2: nothing;
                        * APPS + 3: one of the first two */
} test_filter;

static const test_filter filters[] = {
    {0, 0},  {1, 0},  {2, 1},     {0, APPS},     {-1, 0},       {-1, APPS + 1}, {-2, 2},
    {-2, 3}, {-3, 4}, {-3, APPS}, {0, APPS + 2}, {0, APPS + 3}, {-1, APPS + 3},
};
enum { FILTERS = sizeof(filters) / sizeof(filters[0]) };

typedef struct test_plan {
    berth__population_kind kind;
    uint32_t filter[2];
    uint32_t filter_count;
    uint32_t key;
    bool untainted; /* only nodes without the taint, and with a rack */
    bool lowest;
    berth__domain_counts *counts;
} test_plan;

typedef struct world {
    berth__cluster cluster;
    berth__random random;
    berth_allocator allocator;
    uint32_t fail_one_in; /* 0: never */
    uint64_t failed;
    berth__arena arena;
    berth__pod_filter compiled[FILTERS];
    test_node nodes[NODES];
    test_pod pods[PODS];
    int8_t space_env[SPACES]; /* -1: no such object, 1: env=prod */
    test_plan plans[PLANS];
    uint64_t op;
} world;

static uint32_t below(world *w, uint32_t bound)
{
    return berth__random_below(&w->random, bound);
}

/* ---- memory that fails now and then ---- */

static void *allocate(void *context, size_t bytes, size_t align)
{
    world *w = context;
    const berth_allocator *real = berth__allocator_default();
    if (w->fail_one_in > 0 && below(w, w->fail_one_in) == 0) {
        w->failed++;
        return NULL;
    }
    return real->allocate(real->context, bytes, align);
}

static void release(void *context, void *memory, size_t bytes)
{
    (void)context;
    const berth_allocator *real = berth__allocator_default();
    real->release(real->context, memory, bytes);
}

/* ---- the naive side ---- */

static bool space_selected(const world *w, const test_filter *filter, uint32_t space, bool held)
{
    if (filter->space >= 0)
        return (uint32_t)filter->space == space;
    if (filter->space == -1)
        return w->space_env[space] == 1; /* even if held: env=prod needs the label */
    (void)held;
    return filter->space == -2 || space > 0;
}

static bool filter_selects(const world *w, uint32_t which, const test_pod *pod)
{
    const test_filter *filter = &filters[which];
    if (!space_selected(w, filter, pod->space, false) || filter->app == APPS + 2)
        return false;
    if (filter->app == APPS + 3)
        return pod->app < 2;
    return filter->app >= APPS || filter->app == pod->app;
}

static bool counts_pod(const world *w, const test_plan *plan, const test_pod *pod)
{
    if (!pod->present || (plan->kind == BERTH__PODS_STAYING && pod->deleting))
        return false;
    for (uint32_t i = 0; i < plan->filter_count; i++)
        if (!filter_selects(w, plan->filter[i], pod))
            return false;
    return true;
}

static bool includes(const test_plan *plan, const test_node *node)
{
    return node->present && (!plan->untainted || (!node->tainted && node->domain[RACK] >= 0));
}

/* Domains are few and dense: the host domain is the number of the node. */
static int32_t domain_of(const test_plan *plan, const test_node *node)
{
    return node->domain[plan->key];
}

/* ---- objects ---- */

static berth_str number(char *room, const char *prefix, uint32_t value)
{
    snprintf(room, 32, "%s%u", prefix, (unsigned)value);
    return berth__text_of(room);
}

static berth_status put_node(world *w, uint32_t which, const test_node *node, bool replace)
{
    char name[32], values[KEYS][32];
    berth_key_value labels[KEYS];
    berth_resource pods = {BERTH_STR("pods"), {.units = 1000}};
    berth_node source = {.meta = {.name = number(name, "n", which), .labels = {labels, 0}},
                         .allocatable = {&pods, 1}};
    for (uint32_t k = 0; k < KEYS; k++)
        if (node->domain[k] >= 0)
            labels[source.meta.labels.count++] = (berth_key_value){
                berth__text_of(keys[k]), number(values[k], "v", (uint32_t)node->domain[k])};
    berth_taint taint = {BERTH_STR("t"), BERTH_STR(""), BERTH_STR("NoSchedule"), NULL};
    source.taints = &taint;
    source.taint_count = node->tainted;
    berth_object object = {.kind = BERTH_KIND_NODE, .as = {.node = &source}};
    return replace ? berth__cluster_update(&w->cluster, &object, NULL)
                   : berth__cluster_add(&w->cluster, &object, NULL, NULL);
}

/* A filter as a term of an object. */
typedef struct term_room {
    berth_str spaces[2];
    berth_key_value env;
    berth_label_selector space_selector;
    berth_requirement app;
    berth_str apps[2];
    berth_label_selector selector;
} term_room;

static void write_term(uint32_t which, term_room *room, berth_pod_affinity_term *out)
{
    const test_filter *filter = &filters[which];
    memset(room, 0, sizeof(*room));
    if (filter->space >= 0) {
        room->spaces[0] = berth__text_of(space_names[filter->space]);
        out->namespaces = (berth_strs){room->spaces, 1};
    } else if (filter->space == -3) {
        room->spaces[0] = berth__text_of(space_names[1]);
        room->spaces[1] = berth__text_of(space_names[2]);
        out->namespaces = (berth_strs){room->spaces, 2};
    } else {
        room->env = (berth_key_value){BERTH_STR("env"), BERTH_STR("prod")};
        room->space_selector.match_labels = (berth_map){&room->env, filter->space == -1};
        out->namespace_selector = &room->space_selector;
    }
    if (filter->app == APPS + 2)
        return; /* nil */
    out->label_selector = &room->selector;
    room->selector.match_expressions = (berth_requirements){&room->app, filter->app != APPS};
    room->app.key = BERTH_STR("app");
    room->app.op = filter->app == APPS + 1 ? BERTH_STR("Exists") : BERTH_STR("In");
    room->apps[0] = berth__text_of(app_names[filter->app < APPS ? filter->app : 0]);
    room->apps[1] = berth__text_of(app_names[1]);
    room->app.values = (berth_strs){room->apps, filter->app == APPS + 3   ? 2
                                                : filter->app == APPS + 1 ? 0
                                                                          : 1};
}

static berth_status put_pod(world *w, uint32_t which, const test_pod *pod, bool replace)
{
    char name[32], node[32];
    berth_key_value app = {BERTH_STR("app"), berth__text_of(app_names[pod->app])};
    term_room rooms[TERMS];
    berth_pod_affinity_term terms[4][TERMS] = {0};
    berth_pod source = {.meta = {.name = number(name, "p", which),
                                 .namespace_name = berth__text_of(space_names[pod->space]),
                                 .labels = {&app, 1},
                                 .deleting = pod->deleting},
                        .node_name = number(node, "n", pod->node)};
    uint32_t *lists[4] = {
        &source.pod_affinity.required_count, &source.pod_anti_affinity.required_count,
        &source.pod_affinity.preferred_count, &source.pod_anti_affinity.preferred_count};
    for (uint32_t i = 0; i < TERMS; i++) {
        const test_term *term = &pod->terms[i];
        if (term->kind == 0)
            continue;
        berth_pod_affinity_term *out = &terms[term->kind - 1][(*lists[term->kind - 1])++];
        out->topology_key = berth__text_of(keys[term->key]);
        out->weight = term->weight;
        write_term(term->filter, &rooms[i], out);
    }
    source.pod_affinity.required = terms[0];
    source.pod_anti_affinity.required = terms[1];
    source.pod_affinity.preferred = terms[2];
    source.pod_anti_affinity.preferred = terms[3];
    berth_object object = {.kind = BERTH_KIND_POD, .as = {.pod = &source}};
    return replace ? berth__cluster_update(&w->cluster, &object, NULL)
                   : berth__cluster_add(&w->cluster, &object, NULL, NULL);
}

static berth_status put_space(world *w, uint32_t which, int8_t env, bool replace)
{
    berth_key_value label = {BERTH_STR("env"), BERTH_STR("prod")};
    berth_namespace source = {
        {.name = berth__text_of(space_names[which]), .labels = {&label, env == 1}}};
    berth_object object = {.kind = BERTH_KIND_NAMESPACE, .as = {.namespace_object = &source}};
    return replace ? berth__cluster_update(&w->cluster, &object, NULL)
                   : berth__cluster_add(&w->cluster, &object, NULL, NULL);
}

static void check_status(const world *w, berth_status status)
{
    if (status != BERTH_OK)
        assert_int_equal(status, BERTH_E_NOMEM);
    if (w->fail_one_in == 0)
        assert_int_equal(status, BERTH_OK);
}

/* ---- operations ---- */

static void change_node(world *w)
{
    uint32_t which = below(w, NODES);
    test_node *node = &w->nodes[which], next = {.present = true};
    char name[32];
    if (node->present && below(w, 3) == 0) {
        assert_int_equal(berth__cluster_remove(&w->cluster, BERTH_KIND_NODE, (berth_str){0},
                                               number(name, "n", which), NULL),
                         BERTH_OK);
        node->present = false;
        return;
    }
    next.domain[ZONE] = (int32_t)below(w, 5) - 1;
    next.domain[RACK] = (int32_t)below(w, 90) - 10;
    next.domain[RACK] = next.domain[RACK] < 0 ? -1 : next.domain[RACK];
    next.domain[HOST] = below(w, 10) == 0 ? -1 : (int32_t)which;
    next.tainted = below(w, 4) == 0;
    berth_status status = put_node(w, which, &next, node->present);
    check_status(w, status);
    if (status == BERTH_OK)
        *node = next;
}

static void change_pod(world *w)
{
    uint32_t which = below(w, PODS);
    test_pod *pod = &w->pods[which], next = {.present = true};
    char name[32];
    if (pod->present && below(w, 2) == 0) {
        assert_int_equal(berth__cluster_remove(&w->cluster, BERTH_KIND_POD,
                                               berth__text_of(space_names[pod->space]),
                                               number(name, "p", which), NULL),
                         BERTH_OK);
        pod->present = false;
        return;
    }
    next.node = below(w, 4) == 0 ? below(w, 4) : below(w, NODES);
    next.space = pod->present ? pod->space : below(w, SPACES);
    next.app = below(w, APPS);
    next.deleting = below(w, 6) == 0;
    if (pod->present)
        next.node = pod->node;
    for (uint32_t i = 0; i < TERMS && below(w, 2) == 0; i++)
        next.terms[i] =
            (test_term){below(w, 5), below(w, KEYS), below(w, FILTERS), 1 + (int32_t)below(w, 2)};
    berth_status status = put_pod(w, which, &next, pod->present);
    check_status(w, status);
    if (status == BERTH_OK)
        *pod = next;
}

static void change_space(world *w)
{
    uint32_t which = below(w, SPACES);
    int8_t env = (int8_t)below(w, 3) - 1;
    if (env == -1 && w->space_env[which] != -1) {
        assert_int_equal(berth__cluster_remove(&w->cluster, BERTH_KIND_NAMESPACE, (berth_str){0},
                                               berth__text_of(space_names[which]), NULL),
                         BERTH_OK);
    } else if (env != -1) {
        berth_status status = put_space(w, which, env, w->space_env[which] != -1);
        check_status(w, status);
        if (status != BERTH_OK)
            return;
    }
    w->space_env[which] = env;
}

/* ---- plans ---- */

static void draw_plan(world *w, test_plan *plan)
{
    *plan = (test_plan){.kind = below(w, 2) == 0 ? BERTH__PODS_MATCHING : BERTH__PODS_STAYING,
                        .filter = {below(w, FILTERS), below(w, FILTERS)},
                        .filter_count = below(w, 4) == 0 ? 2 : 1,
                        .key = below(w, KEYS),
                        .untainted = below(w, 3) == 0,
                        .lowest = below(w, 2) == 0};
}

static bool fill_inclusion(world *w, const test_plan *plan, berth__inclusion *set)
{
    const berth__view *view = &w->cluster.view;
    memset(set->slots, 0, (size_t)view->layout->tile_count * BERTH__TILE / 8);
    for (uint32_t slot = 0; slot < view->layout->count; slot++) {
        berth_str name = berth__text(w->cluster.model, berth__view_node(view, slot)->name);
        uint32_t which = (uint32_t)strtoul(name.data + 1, NULL, 10);
        if (includes(plan, &w->nodes[which]))
            berth__bit_set(set->slots, slot);
    }
    set->by_taints = true;
    set->epoch = set->since = view->layout->rule_epoch;
    return true;
}

/* Resolves a plan as a plugin does. */
static bool resolve(world *w, test_plan *plan, berth__plan *of)
{
    berth__view *view = &w->cluster.view;
    const uint32_t words[1] = {1};
    berth__pod_filter ask[2];
    berth__inclusion *set = NULL;
    if (berth__plan_begin(of, 8) == NULL)
        return false;
    for (uint32_t i = 0; i < plan->filter_count; i++)
        ask[i] = w->compiled[plan->filter[i]];
    if (plan->untainted) {
        set = berth__pod_counts_inclusion(view, words, 1);
        if (set == NULL)
            return false;
        if (set->epoch != view->layout->rule_epoch)
            fill_inclusion(w, plan, set);
    }
    const berth__counted counted = {
        .kind = plan->kind,
        .filters = ask,
        .filter_count = plan->filter_count,
        .topology_key =
            berth__intern_find(&w->cluster.model->strings, berth__text_of(keys[plan->key])),
        .inclusion = set};
    plan->counts = berth__plan_count(view, of, &counted);
    if (set != NULL)
        berth__pod_counts_release_inclusion(view->counts, set);
    if (plan->counts == NULL)
        return false;
    if (plan->lowest)
        berth__domain_counts_want_lowest(plan->counts);
    berth__plan_end(view, of);
    return true;
}

static bool use_plan(world *w, test_plan *plan)
{
    berth__view *view = &w->cluster.view;
    if (berth__cluster_sync(&w->cluster) != BERTH_OK)
        return false;
    berth__pod_counts_follow_namespaces(view);
    const berth__plan_key key = {plan, {0}};
    const berth__plan_epochs epochs = {.epoch = view->layout->epoch};
    berth__plan *of = berth__plan_get(view, &key, &epochs);
    if (of == NULL || (!of->resolved && !resolve(w, plan, of)))
        return false;
    return berth__plan_renew(view, of);
}

/* ---- comparing ---- */

static void count_naively(const world *w, const test_plan *plan, uint32_t *sums, uint64_t *total,
                          uint64_t *absent)
{
    memset(sums, 0, NODES * sizeof(*sums));
    *total = *absent = 0;
    for (uint32_t p = 0; p < PODS; p++) {
        const test_node *node = &w->nodes[w->pods[p].node];
        if (!counts_pod(w, plan, &w->pods[p]) || !includes(plan, node))
            continue;
        int32_t domain = domain_of(plan, node);
        if (domain >= 0)
            sums[domain]++;
        *(domain >= 0 ? total : absent) += 1;
    }
}

static void check_lowest(const world *w, const test_plan *plan, const uint32_t *sums)
{
    bool seen[NODES] = {false};
    uint32_t domains = 0, lowest = UINT32_MAX;
    for (uint32_t n = 0; n < NODES; n++) {
        int32_t domain = domain_of(plan, &w->nodes[n]);
        if (!includes(plan, &w->nodes[n]) || domain < 0 || seen[domain])
            continue;
        seen[domain] = true;
        domains++;
        lowest = sums[domain] < lowest ? sums[domain] : lowest;
    }
    assert_int_equal(plan->counts->domain_count, domains);
    if (domains > 0)
        assert_int_equal(berth__domain_counts_lowest(plan->counts), lowest);
}

static void check_plan(world *w, const test_plan *plan)
{
    const berth__view *view = &w->cluster.view;
    uint32_t sums[NODES], scratch[BERTH__TILE];
    uint64_t total, absent;
    count_naively(w, plan, sums, &total, &absent);
    assert_int_equal(plan->counts->total, total);
    assert_int_equal(plan->counts->absent, absent);
    for (uint32_t slot = 0; slot < view->layout->count; slot++) {
        berth_str name = berth__text(w->cluster.model, berth__view_node(view, slot)->name);
        uint32_t which = (uint32_t)strtoul(name.data + 1, NULL, 10);
        int32_t domain = domain_of(plan, &w->nodes[which]);
        uint32_t wanted = domain >= 0 ? sums[domain] : 0;
        const uint32_t *tile =
            berth__domain_counts_tile(view->kernels, plan->counts, slot / BERTH__TILE, scratch);
        assert_int_equal(berth__bit_get(plan->counts->topology->present, slot), domain >= 0);
        assert_int_equal(berth__domain_counts_slot(plan->counts, slot), wanted);
        assert_int_equal(tile[slot % BERTH__TILE], wanted);
    }
    if (plan->lowest)
        check_lowest(w, plan, sums);
}

typedef struct holders {
    world *w;
    uint32_t kind, key;
    int64_t weights; /* summed over all slots */
    uint64_t pods;
} holders;

static bool add_holder(void *context, berth__population *population)
{
    holders *own = context;
    const world *w = own->w;
    berth_str key = berth__text(w->cluster.model, population->topology_key);
    if (population->kind != BERTH__HOLDERS_REQUIRED_AFFINITY + own->kind ||
        !berth__str_is(key, keys[own->key]))
        return true;
    assert_true(population->valid || w->failed > 0);
    own->pods += population->total;
    own->weights += (int64_t)population->total * population->weight;
    return true;
}

/* Checks the terms held that match pods of some identity. */
static void check_holders(world *w)
{
    berth__view *view = &w->cluster.view;
    uint32_t which = below(w, PODS);
    const test_pod *about = &w->pods[which];
    char name[32];
    if (!about->present)
        return;
    berth__sym space =
        berth__intern_find(&w->cluster.model->strings, berth__text_of(space_names[about->space]));
    uint32_t index = berth__pods_find(&w->cluster.pods, space, number(name, "p", which));
    const berth__identity *identity = berth__pod_at(&w->cluster.pods, index)->cls->identity;
    holders found = {.w = w, .kind = below(w, 4), .key = below(w, KEYS)};
    uint64_t pods = 0;
    int64_t weights = 0;
    for (uint32_t p = 0; p < PODS; p++)
        for (uint32_t t = 0; t < TERMS; t++) {
            const test_term *term = &w->pods[p].terms[t];
            if (!w->pods[p].present || !w->nodes[w->pods[p].node].present ||
                term->kind != found.kind + 1 || term->key != found.key ||
                !filter_selects(w, term->filter, about))
                continue;
            pods++;
            weights += found.kind >= 2 ? term->weight : 0;
        }
    for (berth__population *one = view->counts->first; one != NULL; one = one->next)
        assert_true(berth__population_renew(view, one));
    berth__pod_counts_visit_holders(view, identity, add_holder, &found);
    assert_int_equal(found.pods, pods);
    assert_int_equal(found.weights, weights);
}

static void check_state(world *w)
{
    berth_error error = {.code = BERTH_OK};
    if (berth__cluster_check(&w->cluster, &error) != BERTH_OK)
        fail_msg("%s", error.message);
    for (uint32_t i = 0; i < PLANS; i++) {
        assert_true(use_plan(w, &w->plans[i]));
        check_plan(w, &w->plans[i]);
    }
    check_holders(w);
}

/* ---- histories ---- */

static void compile_filters(world *w)
{
    bool ok = true;
    for (uint32_t i = 0; i < FILTERS; i++) {
        term_room room;
        berth_pod_affinity_term term = {.weight = 0};
        berth__intern *strings = &w->cluster.model->strings;
        write_term(i, &room, &term);
        berth__sym *spaces = berth__arena_alloc(&w->arena, 2 * sizeof(*spaces), 8);
        for (uint32_t s = 0; s < term.namespaces.count; s++)
            spaces[s] = berth__intern_add(strings, term.namespaces.items[s], &ok);
        w->compiled[i] = (berth__pod_filter){
            spaces, term.namespaces.count,
            berth__selector_make(strings, &w->arena, term.namespace_selector, &ok),
            berth__selector_make(strings, &w->arena, term.label_selector, &ok)};
    }
    for (uint32_t k = 0; k < KEYS; k++)
        berth__intern_add(&w->cluster.model->strings, berth__text_of(keys[k]), &ok);
    assert_true(ok);
}

static void step(world *w)
{
    uint32_t drawn = below(w, 100);
    if (drawn < 70) {
        change_pod(w);
    } else if (drawn < 80) {
        change_node(w);
    } else if (drawn < 83) {
        change_space(w);
    } else if (drawn < 97) {
        (void)use_plan(w, &w->plans[below(w, PLANS)]);
    } else {
        /* another rule replaces the plan */
        test_plan *plan = &w->plans[below(w, PLANS)];
        draw_plan(w, plan);
        const berth__plan_key key = {plan, {0}};
        const berth__plan_epochs stale = {.epoch = BERTH__EPOCH_NONE};
        (void)berth__plan_get(&w->cluster.view, &key, &stale);
    }
    w->op++;
}

static uint64_t base_seed(void)
{
    const char *text = getenv("BERTH_TEST_SEED");
    return text != NULL ? strtoull(text, NULL, 10) : 7;
}

static void run(uint64_t seed, uint32_t fail_one_in)
{
    world *w = calloc(1, sizeof(*w));
    assert_non_null(w);
    print_message("seed %llu, an allocation in %u fails\n", (unsigned long long)seed,
                  (unsigned)fail_one_in);
    w->allocator = (berth_allocator){w, allocate, release};
    w->random.state = seed;
    berth__arena_init(&w->arena, berth__allocator_default());
    assert_int_equal(berth__cluster_init(&w->cluster, &w->allocator, NULL), BERTH_OK);
    compile_filters(w);
    memset(w->space_env, -1, sizeof(w->space_env));
    for (uint32_t i = 0; i < PLANS; i++)
        draw_plan(w, &w->plans[i]);
    for (uint32_t op = 0; op < OPS; op++) {
        w->fail_one_in = fail_one_in;
        step(w);
        w->fail_one_in = 0;
        if (op % 16 == 0)
            check_state(w);
    }
    check_state(w);
    berth__cluster_destroy(&w->cluster);
    berth__arena_destroy(&w->arena);
    free(w);
}

static void test_histories(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 6; i++)
        run(base_seed() + i, 0);
}

static void test_histories_without_memory(void **state)
{
    (void)state;
    static const uint32_t rates[] = {4, 10, 40, 200};
    for (uint64_t i = 0; i < 8; i++)
        run(base_seed() + 100 + i, rates[i % 4]);
}

/* One filter with two requirements is told apart from two filters, of which the second one has the
 * numbers of the second requirement. */
static void test_filters_are_told_apart(void **state)
{
    const berth__sym one = 1;
    const berth__interned_requirement items[] = {
        {.key = 2, .op = BERTH__OP_IN, .values = &one, .value_count = 1},
        {.key = 1, .op = BERTH__OP_NOT_IN, .values = &one, .value_count = 1}};
    const berth__pod_filter both[] = {
        {.selector = {.kind = BERTH__SELECTOR_REQUIREMENTS, .count = 2, .items = items}}};
    const berth__pod_filter apart[] = {
        {.selector = {.kind = BERTH__SELECTOR_REQUIREMENTS, .count = 1, .items = items}},
        {.namespaces = &one,
         .namespace_count = 1,
         .namespace_selector = {.kind = BERTH__SELECTOR_EVERYTHING},
         .selector = {.kind = BERTH__SELECTOR_EVERYTHING}}};
    berth__cluster cluster;
    (void)state;
    assert_int_equal(berth__cluster_init(&cluster, berth__allocator_default(), NULL), BERTH_OK);
    const berth__population *of_both =
        berth__population_intern(&cluster.view, BERTH__PODS_MATCHING, 0, 0, both, 1);
    const berth__population *of_apart =
        berth__population_intern(&cluster.view, BERTH__PODS_MATCHING, 0, 0, apart, 2);
    assert_non_null(of_both);
    assert_non_null(of_apart);
    assert_ptr_not_equal(of_both, of_apart);
    berth__cluster_destroy(&cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histories),
        cmocka_unit_test(test_histories_without_memory),
        cmocka_unit_test(test_filters_are_told_apart),
    };
    return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
