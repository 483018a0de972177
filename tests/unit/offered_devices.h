/* Slices and claims of devices as short texts, for the tests of the allocator.
 *
 * A slice: offer("a.x", "p", "s1", "d0 k=1 uses=6; d1 multi m:10"). Each device is a name followed
 * by its properties: NAME=VALUE is an attribute, NAME:AMOUNT a capacity, uses=N consumes counters
 * of the set "c"; also taint, taint=VALUE, multi, binds, on=NODE. A request: "r 2", "r all",
 * "r two:2 one:1" (first available), and admin, tolerates, m:3, if=EXPR. */
#ifndef BERTH_TESTS_UNIT_OFFERED_DEVICES_H
#define BERTH_TESTS_UNIT_OFFERED_DEVICES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "berth/kube.h"
#include "devices/device_search.h"

enum { SLICES_MAX = 16, WANTS_MAX = 8, PARTS_MAX = 40 };

static const berth_allocator *model_memory; /* NULL: the default */
static uint32_t of_release;                 /* the release whose allocator is used; 0: the newest */
static berth__model model;
static berth__arena arena, plan, scratch;
static berth__device_uses uses;
static berth__cow_owner nodes_owner;
static berth__cow_array node_ids; /* of the nodes that tests may ask about: see number_nodes */
static berth__catalog catalog;
static berth__verdicts verdicts;
static berth__changed_slice slices[SLICES_MAX];
static uint32_t slice_count;
static berth__device_want wants[WANTS_MAX];
static uint32_t want_count;
static uint32_t work_max;

static void *make(size_t count, size_t bytes)
{
    void *out = berth__arena_alloc_zero(&arena, count * bytes + 1, 16);
    assert_non_null(out);
    return out;
}

static berth__sym sym(const char *text)
{
    bool ok = true;
    berth__sym out = berth__intern_add(&model.strings, berth__text_of(text), &ok);
    assert_true(ok);
    return out;
}

static berth__device_name name_of(const char *text)
{
    const char *slash = strchr(text, '/');
    char domain[64];
    if (slash == NULL)
        return (berth__device_name){0, sym(text)};
    (void)snprintf(domain, sizeof(domain), "%.*s", (int)(slash - text), text);
    return (berth__device_name){sym(domain), sym(slash + 1)};
}

static __int128 amount(const char *text)
{
    const berth_str quantity = {text, (uint32_t)strcspn(text, "~")}; /* "~": with a policy */
    berth_quantity found;
    assert_int_equal(berth_quantity_parse(quantity, &found, NULL), BERTH_OK);
    return berth__amount_nanos(found);
}

/* Splits a text at separators; the parts are copies. */
static uint32_t split(const char *text, const char *separators, char **parts)
{
    uint32_t count = 0;
    char *copy = make(strlen(text) + 1, 1);
    char *rest = NULL;
    (void)snprintf(copy, strlen(text) + 1, "%s", text);
    for (char *part = strtok_r(copy, separators, &rest); part != NULL;
         part = strtok_r(NULL, separators, &rest)) {
        assert_true(count < PARTS_MAX);
        parts[count++] = part;
    }
    return count;
}

/* ---- slices ---- */

static berth__counter_set *counters_of(const char *set, const char *value)
{
    berth__device_counter *counter = make(1, sizeof(*counter));
    berth__counter_set *out = make(1, sizeof(*out));
    *counter = (berth__device_counter){sym("n"), amount(value)};
    *out = (berth__counter_set){sym(set), counter, 1};
    return out;
}

static void add_attribute(berth__device *device, const char *name, const char *value)
{
    berth__device_attribute *all = make(device->attribute_count + 1u, sizeof(*all));
    if (device->attribute_count > 0)
        memcpy(all, device->attributes, device->attribute_count * sizeof(*all));
    berth__device_attribute *added = &all[device->attribute_count++];
    *added = (berth__device_attribute){.name = name_of(name), .kind = BERTH__ATTRIBUTE_STRING};
    if (value[0] >= '0' && value[0] <= '9') {
        added->kind = BERTH__ATTRIBUTE_INT;
        added->number = strtol(value, NULL, 10);
    } else {
        added->text = sym(value);
    }
    device->attributes = all;
}

static berth__device_capacity *add_capacity(berth__device *device, const char *name,
                                            const char *value)
{
    berth__device_capacity *all = make(device->capacity_count + 1u, sizeof(*all));
    if (device->capacity_count > 0)
        memcpy(all, device->capacities, device->capacity_count * sizeof(*all));
    berth__device_capacity *added = &all[device->capacity_count++];
    *added = (berth__device_capacity){.name = name_of(name), .value = amount(value)};
    device->capacities = all;
    return added;
}

/* The request policy of "m:10": default 2, range 2 to 8 in steps of 2. */
static void add_policy(berth__device_capacity *capacity)
{
    capacity->policy = BERTH__CAPACITY_RANGE;
    capacity->has_policy = capacity->has_default = true;
    capacity->has_min = capacity->has_max = capacity->has_step = true;
    capacity->fallback = capacity->min = capacity->step = amount("2");
    capacity->max = amount("8");
}

static void add_part(berth__device *device, char *part)
{
    char *equals = strchr(part, '=');
    char *colon = strchr(part, ':');
    if (equals != NULL)
        *equals++ = '\0';
    else if (colon != NULL)
        *colon++ = '\0';
    if (strcmp(part, "multi") == 0) {
        device->allow_multiple = true;
    } else if (strcmp(part, "taint") == 0) {
        berth__device_taint *taint = make(1, sizeof(*taint));
        *taint =
            (berth__device_taint){sym("t"), sym(equals != NULL ? equals : "v"), sym("NoSchedule")};
        device->taints = taint;
        device->taint_count = 1;
    } else if (strcmp(part, "binds") == 0) {
        berth__sym *condition = make(1, sizeof(*condition));
        *condition = sym("Ready");
        device->binding_conditions = condition;
        device->binding_condition_count = 1;
    } else if (strcmp(part, "uses") == 0) {
        device->consumes = counters_of("c", equals);
        device->consume_count = 1;
    } else if (strcmp(part, "on") == 0) {
        device->reach.node_name = sym(equals);
    } else if (equals != NULL) {
        add_attribute(device, part, equals);
    } else {
        assert_non_null(colon);
        berth__device_capacity *added = add_capacity(device, part, colon);
        if (strchr(colon, '~') != NULL)
            add_policy(added);
    }
}

static berth__slice_facts *offer(const char *driver, const char *pool, const char *name,
                                 const char *devices)
{
    char *texts[PARTS_MAX];
    char *parts[PARTS_MAX];
    berth__slice_facts *facts = make(1, sizeof(*facts));
    uint32_t count = split(devices, ";", texts);
    berth__device *items = make(count, sizeof(*items));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t part_count = split(texts[i], " ", parts);
        items[i].name = sym(parts[0]);
        for (uint32_t k = 1; k < part_count; k++)
            add_part(&items[i], parts[k]);
    }
    *facts = (berth__slice_facts){.driver = sym(driver),
                                  .pool = sym(pool),
                                  .generation = 1,
                                  .slice_count = 1,
                                  .reach = {.node_name = sym("n")},
                                  .devices = items,
                                  .device_count = count};
    for (uint32_t i = 0; i < slice_count; i++)
        if (slices[i].facts->driver == facts->driver && slices[i].facts->pool == facts->pool) {
            berth__slice_facts *other;
            memcpy(&other, &slices[i].facts, sizeof(other)); /* our own copy, which is not const */
            facts->slice_count = ++other->slice_count;
        }
    assert_true(slice_count < SLICES_MAX);
    slices[slice_count] = (berth__changed_slice){slice_count, sym(name), facts};
    slice_count++;
    return facts;
}

/* A slice with the counter set "c" of this value. */
static inline berth__slice_facts *offer_counters(const char *driver, const char *pool,
                                                 const char *name, const char *value)
{
    berth__slice_facts *facts = offer(driver, pool, name, "");
    facts->shared_counters = counters_of("c", value);
    facts->shared_counter_count = 1;
    return facts;
}

/* ---- claims ---- */

static void select_by(berth__device_ask *ask, const char *expression)
{
    berth__device_selector *selector = make(1, sizeof(*selector));
    *selector = (berth__device_selector){sym(expression), true};
    ask->selectors = selector;
    ask->selector_count = 1;
}

static void add_word(berth__device_request *request, berth__device_ask *asks, char *word)
{
    char *colon = strchr(word, ':');
    if (strcmp(word, "all") == 0) {
        asks[0].mode = BERTH__ALLOCATE_ALL;
    } else if (strcmp(word, "admin") == 0) {
        asks[0].admin_access = true;
    } else if (strncmp(word, "if=", 3) == 0) {
        select_by(&asks[0], word + 3);
    } else if (strcmp(word, "tolerates") == 0) {
        berth__device_toleration *all = make(1, sizeof(*all));
        *all = (berth__device_toleration){.exists = true};
        asks[0].tolerations = all;
        asks[0].toleration_count = 1;
    } else if (strncmp(word, "m:", 2) == 0) {
        berth__capacity_ask *capacity = make(1, sizeof(*capacity));
        *capacity = (berth__capacity_ask){name_of("m"), amount(word + 2)};
        asks[0].capacities = capacity;
        asks[0].capacity_count = 1;
    } else if (colon != NULL) {
        *colon = '\0';
        asks[request->first_available ? request->ask_count++ : 0] = (berth__device_ask){
            .name = sym(word), .class_name = sym("class"), .count = strtol(colon + 1, NULL, 10)};
        request->first_available = true;
    } else {
        asks[0].count = strtol(word, NULL, 10);
    }
}

/* A claim; commas separate its requests. */
static inline berth__device_want *want(const char *requests)
{
    char *texts[PARTS_MAX];
    char *words[PARTS_MAX];
    uint32_t count = split(requests, ",", texts);
    berth__device_request *items = make(count, sizeof(*items));
    for (uint32_t r = 0; r < count; r++) {
        uint32_t word_count = split(texts[r], " ", words);
        berth__device_ask *asks = make(PARTS_MAX, sizeof(*asks));
        asks[0] = (berth__device_ask){.class_name = sym("class"), .count = 1};
        items[r] = (berth__device_request){.name = sym(words[0]), .asks = asks, .ask_count = 1};
        for (uint32_t w = 1; w < word_count; w++)
            add_word(&items[r], asks, words[w]);
    }
    assert_true(want_count < WANTS_MAX);
    berth__device_want *out = &wants[want_count++];
    *out = (berth__device_want){.namespace_name = BERTH_STR("default"),
                                .name = BERTH_STR("claim"),
                                .requests = items,
                                .request_count = count};
    return out;
}

static inline void constrain(berth__device_want *claim, const char *match, const char *distinct)
{
    berth__device_constraint *constraint = make(1, sizeof(*constraint));
    if (match != NULL)
        constraint->match = name_of(match);
    if (distinct != NULL)
        constraint->distinct = name_of(distinct);
    claim->constraints = constraint;
    claim->constraint_count = 1;
}

/* ---- allocation ---- */

static const berth__device_class_facts *find_class(const void *context, berth__sym name)
{
    static berth__device_class_facts facts;
    (void)context;
    return name == sym("class") ? &facts : NULL;
}

static void write_amount(char *text, size_t size, __int128 value)
{
    (void)snprintf(text + strlen(text), size - strlen(text), "{%lld}",
                   (long long)(value / 1000000000));
}

static void write_taken(const berth__device_search *search, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t i = 0; i < search->taken_count; i++) {
        const berth__taken_device *taken = &search->taken[i];
        const berth__device *device = taken->offer->device;
        berth_str name = berth__text(&model, device->name);
        (void)snprintf(text + strlen(text), size - strlen(text), "%s%.*s", i > 0 ? " " : "",
                       (int)name.len, name.data);
        for (uint32_t k = 0; taken->shares && k < device->capacity_count; k++)
            write_amount(text, size, search->amounts[taken->consumed + k]);
        if (search->lines[taken->line].ask->admin_access)
            (void)snprintf(text + strlen(text), size - strlen(text), "!");
    }
}

static void write_outcome(const berth__device_search *search, berth__devices_outcome outcome,
                          char *text, size_t size)
{
    static const char *const OTHERS[] = {
        [BERTH__DEVICES_NONE] = "none",
        [BERTH__DEVICES_INVALID] = "invalid",
        [BERTH__DEVICES_TOO_LONG] = "too long",
        [BERTH__DEVICES_NO_MEMORY] = "no memory",
    };
    if (outcome == BERTH__DEVICES_FOUND)
        write_taken(search, text, size);
    else if (outcome == BERTH__DEVICES_FAILED)
        (void)snprintf(text, size, "%.*s", (int)search->problem.len, search->problem.data);
    else
        (void)snprintf(text, size, "%s", OTHERS[outcome]);
}

/* Builds the catalog of the devices that were offered. */
static inline void build_catalog(void)
{
    assert_true(berth__catalog_change(&catalog, slices, slice_count));
    berth__verdicts_follow(&verdicts, &catalog);
}

/* How many devices differ in their contents. */
static inline uint32_t contents_of_all(void)
{
    for (uint32_t i = 0; i < slice_count; i++)
        assert_true(berth__offer_pool_open(&catalog, catalog.slices[slices[i].id]->pool));
    return catalog.contents.count - catalog.contents.removed;
}

/* A search for the claims in the catalog. */
static inline berth__device_search new_search(void)
{
    berth__device_search search = {.model = &model,
                                   .verdicts = &verdicts,
                                   .wants = wants,
                                   .want_count = want_count,
                                   .find_class = find_class,
                                   .plan = &plan,
                                   .arena = &scratch,
                                   .work_max = work_max};
    assert_true(berth__device_search_begin(&search));
    return search;
}

/* What the allocator finds for the claims on node `n`. */
static inline const char *found(void)
{
    static char text[512];
    berth__offer_node node = {.id = 0, .name = sym("n")};
    build_catalog();
    const berth__node_offers *offers = berth__node_offers_of(&catalog, &node);
    assert_non_null(offers);
    berth__device_search search = new_search();
    for (int twice = 0; twice < 2; twice++) { /* a search must leave nothing behind */
        char before[sizeof(text)];
        (void)snprintf(before, sizeof(before), "%s", text);
        write_outcome(&search, berth__device_search_run(&search, &node, offers), text,
                      sizeof(text));
        if (twice > 0)
            assert_string_equal(text, before);
    }
    return text;
}

/* Mark the device as allocated to another claim: a share of it, or for NULL the whole. */
static inline void hold_as(const char *driver, const char *pool, const char *device,
                           const char *share)
{
    berth__device_result *result = make(1, sizeof(*result));
    berth__device_allocation *allocation = make(1, sizeof(*allocation));
    *result =
        (berth__device_result){.driver = sym(driver), .pool = sym(pool), .device = sym(device)};
    if (share != NULL)
        result->share_id = sym(share);
    *allocation = (berth__device_allocation){.results = result, .result_count = 1};
    assert_true(berth__device_uses_add(&uses, allocation));
    const berth__offer_pool *of = berth__catalog_pool(&catalog, result->driver, result->pool);
    if (of != NULL)
        berth__node_offers_note_use(&catalog, of);
}

static inline void hold(const char *driver, const char *pool, const char *device)
{
    hold_as(driver, pool, device, NULL);
}

static bool number_node(const char *name, uint32_t id)
{
    const berth__sym key = sym(name);
    bool ok = berth__cow_array_add(&node_ids, &nodes_owner, key);
    if (ok)
        *(uint32_t *)berth__cow_array_find(&node_ids, key) = id + 1;
    return ok;
}

static bool number_nodes(void)
{
    static const struct {
        const char *name;
        uint32_t id;
    } nodes[] = {{"n", 0}, {"m", 1}, {"n0", 0}, {"n1", 1}, {"n2", 2}, {"n3", 3}, {"n4", 4}};
    bool ok = true;
    berth__cow_owner_init(&nodes_owner, berth__allocator_default(), NULL);
    berth__cow_array_init(&node_ids, sizeof(uint32_t), 10);
    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
        ok = ok && number_node(nodes[i].name, nodes[i].id);
    berth__catalog_name_nodes(&catalog, &node_ids);
    return ok;
}

static int set_up(void **state)
{
    (void)state;
    slice_count = want_count = 0;
    work_max = BERTH__DEVICE_WORK_MAX;
    memset(&catalog, 0, sizeof(catalog));
    memset(&verdicts, 0, sizeof(verdicts));
    berth__arena_init(&arena, berth__allocator_default());
    berth__arena_init(&plan, berth__allocator_default());
    berth__arena_init(&scratch, berth__allocator_default());
    const berth_allocator *memory =
        model_memory != NULL ? model_memory : berth__allocator_default();
    berth__behaviours behaviours;
    if (berth__behaviours_make(of_release, (berth_str){0}, &behaviours, NULL) != BERTH_OK ||
        berth__model_init(&model, memory, &behaviours) != BERTH_OK)
        return -1;
    return berth__device_uses_init(&uses, model.allocator) == BERTH_OK &&
                   berth__catalog_init(&catalog, &model, &uses) == BERTH_OK &&
                   berth__verdicts_init(&verdicts, &model) == BERTH_OK && number_nodes()
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    berth__verdicts_destroy(&verdicts);
    berth__catalog_destroy(&catalog);
    berth__device_uses_destroy(&uses);
    berth__cow_array_retire(&node_ids, &nodes_owner);
    berth__cow_owner_destroy(&nodes_owner);
    berth__model_destroy(&model);
    berth__arena_destroy(&arena);
    berth__arena_destroy(&plan);
    berth__arena_destroy(&scratch);
    return 0;
}

#endif
