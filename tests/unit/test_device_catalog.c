/* The catalog of devices and the programs of selectors without memory; and that a selector is
 * compiled once and needs no more memory for each device. */
#include <time.h>

#include "arena_pieces.h"
#include "base/random.h"
#include "counted_memory.h"
#include "offered_devices.h"

static counted memory;
static berth_allocator failing = {&memory, counted_allocate, counted_release};

static int set_up_failing(void **state)
{
    memory = (counted){0};
    model_memory = &failing;
    return set_up(state);
}

static int tear_down_failing(void **state)
{
    int status = tear_down(state);
    assert_int_equal(memory.bytes, 0);
    return status;
}

/* From here on, the number of the call that fails, from 1; 0: none. */
static void fail_call(unsigned call)
{
    memory.calls = 0;
    memory.fail_at = call;
}

static bool was_refused(void)
{
    bool refused = memory.fail_at != 0 && memory.calls >= memory.fail_at;
    memory.fail_at = 0;
    return refused;
}

/* ---- the catalog ---- */

enum { OFFERED = 6 * 16 + 2 };

static void offer_many(void)
{
    static const char *const pools[] = {"p0", "p1", "p2", "p3", "p4", "p5"};
    offer_counters("a.x", "p0", "c", "100");
    for (uint32_t i = 0; i < 6; i++)
        offer("a.x", pools[i], pools[i], "d0 uses=1;d1;d2;d3;d4;d5;d6;d7;d8;d9;da;db;dc;dd;de;df");
    berth__slice_facts *choosy = offer("a.x", "p6", "t", "d0 on=n; d1 on=m");
    choosy->reach = (berth__device_reach){0};
    choosy->per_device = true;
}

static uint32_t offers_of(const berth__catalog *own)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < slice_count; i++)
        count += own->slices[slices[i].id]->offer_count;
    return count;
}

static bool open_all(berth__catalog *own)
{
    for (uint32_t i = 0; i < slice_count; i++)
        if (!berth__offer_pool_open(own, own->slices[slices[i].id]->pool))
            return false;
    return true;
}

/* Fills a catalog while that call fails; returns false if the call was not made. */
static bool fill_without(unsigned call)
{
    berth__catalog own = {0};
    berth__device_uses own_uses = {0};
    berth__offer_node node = {.id = 0, .name = sym("n")};
    assert_int_equal(berth__device_uses_init(&own_uses, &failing), BERTH_OK);
    assert_int_equal(berth__catalog_init(&own, &model, &own_uses), BERTH_OK);
    berth__catalog_name_nodes(&own, &node_ids);
    fail_call(call);
    bool filled = berth__catalog_change(&own, slices, slice_count) && open_all(&own);
    bool refused = was_refused();
    assert_true(filled || refused); /* a table that could not grow is slower, but complete */
    if (!filled)
        assert_true(berth__catalog_change(&own, slices, slice_count) && open_all(&own));
    assert_int_equal(offers_of(&own), OFFERED);
    assert_int_equal(own_uses.pools.count, 7);
    assert_non_null(berth__node_offers_of(&own, &node));
    for (uint32_t i = 0; i < slice_count; i++)
        slices[i].facts = NULL;
    assert_true(berth__catalog_change(&own, slices, slice_count));
    assert_int_equal(own_uses.pools.count + own.pools.count + own.nodes.count, 0);
    berth__catalog_destroy(&own);
    berth__device_uses_destroy(&own_uses);
    slice_count = 0;
    offer_many();
    return refused;
}

static void test_catalog_is_filled_without_memory(void **state)
{
    (void)state;
    offer_many();
    unsigned call = 1;
    while (fill_without(call))
        call++;
    assert_true(call > OFFERED);
}

/* ---- changes ---- */

enum { NODES = 5, PLACES = 12, CHANGES = 400, TEXT = 4096 };

static berth__slice_facts *random_slice(berth__random *random, uint32_t place)
{
    static const char *const pools[] = {"p", "q", "r"};
    static const char *const devices[] = {"d0", "d0 k=1; d1", "d1 k=2 uses=1", "d2 taint; d0 m:5",
                                          "d0 on=n1; d3 on=n2"};
    static const char *const names[] = {"n0", "n1", "n2", "n3", "n4"};
    char name[16];
    (void)snprintf(name, sizeof(name), "s%u", (unsigned)place);
    slice_count = 0;
    const char *pool = berth__random_below(random, 2) > 0 ? names[place % NODES]
                                                          : pools[berth__random_below(random, 3)];
    const char *listed = devices[berth__random_below(random, 5)];
    berth__slice_facts *facts = berth__random_below(random, 8) == 0
                                    ? offer_counters("a.x", pool, name, "10")
                                    : offer("a.x", pool, name, listed);
    facts->generation = 1 + berth__random_below(random, 2);
    facts->slice_count = 1 + berth__random_below(random, 3);
    facts->left_out = berth__random_below(random, 10) == 0;
    facts->reach = (berth__device_reach){0};
    switch (berth__random_below(random, 12)) {
    case 0:
        facts->reach.all_nodes = true;
        break;
    case 1:
        facts->per_device = true;
        break;
    default:
        facts->reach.node_name =
            sym(names[berth__random_below(random, 4) > 0 ? place % NODES
                                                         : berth__random_below(random, NODES)]);
        break;
    }
    return facts;
}

static void write_view(const berth__pool_view *view, char *text)
{
    berth_str pool = berth__text(&model, view->pool->key.name);
    (void)snprintf(text + strlen(text), TEXT - strlen(text), "%.*s%s%s:", (int)pool.len, pool.data,
                   view->incomplete ? " incomplete" : "", view->invalid ? " invalid" : "");
    for (uint32_t i = 0; i < view->offer_count + view->other_count; i++) {
        const berth__offer *offer =
            i < view->offer_count ? view->offers[i] : view->others[i - view->offer_count];
        berth_str device = berth__text(&model, offer->device->name);
        berth_str slice = berth__text(&model, offer->slice->name);
        (void)snprintf(text + strlen(text), TEXT - strlen(text), " %s%.*s/%.*s k=%u t=%u",
                       i < view->offer_count ? "" : "beside ", (int)slice.len, slice.data,
                       (int)device.len, device.data, (unsigned)offer->device->attribute_count,
                       (unsigned)offer->device->taint_count);
    }
    (void)snprintf(text + strlen(text), TEXT - strlen(text), " counters=%u\n",
                   (unsigned)view->counter_count);
}

/* What a node sees in a catalog. */
static void write_offers(berth__catalog *own, uint32_t id, char text[TEXT])
{
    static const char *const names[] = {"n0", "n1", "n2", "n3", "n4"};
    const berth__offer_node node = {.id = id, .name = sym(names[id])};
    const berth__node_offers *offers = berth__node_offers_of(own, &node);
    assert_non_null(offers);
    text[0] = '\0';
    for (uint32_t p = 0; p < offers->count; p++)
        write_view(offers->pools[p], text);
}

static void write_anew(const berth__changed_slice *all, uint32_t id, char text[TEXT])
{
    berth__catalog own = {0};
    berth__device_uses own_uses = {0};
    assert_int_equal(berth__device_uses_init(&own_uses, model.allocator), BERTH_OK);
    assert_int_equal(berth__catalog_init(&own, &model, &own_uses), BERTH_OK);
    berth__catalog_name_nodes(&own, &node_ids);
    assert_true(berth__catalog_change(&own, all, PLACES));
    write_offers(&own, id, text);
    berth__catalog_destroy(&own);
    berth__device_uses_destroy(&own_uses);
}

static bool is_stale(uint32_t id)
{
    for (uint32_t i = 0; i < catalog.stale_count; i++)
        if (catalog.stale[i] == id)
            return true;
    return false;
}

/* The former facts of changed slices are overwritten before the catalog hears of the change. */
static void change_some(berth__random *random, berth__changed_slice *all)
{
    berth__changed_slice changes[4];
    const uint32_t count = 1 + berth__random_below(random, 4);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = berth__random_below(random, PLACES);
        berth__slice_facts *former = NULL;
        memcpy(&former, &all[place].facts, sizeof(former)); /* our own, which is not const */
        if (former != NULL)
            memset(former, 0xee, sizeof(*former));
        all[place].facts = berth__random_below(random, 4) > 0 ? random_slice(random, place) : NULL;
        changes[i].id = place;
    }
    for (uint32_t i = 0; i < count; i++)
        changes[i] = all[changes[i].id];
    assert_true(berth__catalog_change(&catalog, changes, count));
}

/* After each change the catalog equals one that is made anew, and a node that sees something else
 * than before is reported. */
static void test_changes_equal_a_new_catalog(void **state)
{
    static char before[NODES][TEXT], now[TEXT], anew[TEXT];
    berth__changed_slice all[PLACES];
    const char *given = getenv("BERTH_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    berth__random random = {seed};
    (void)state;
    print_message("BERTH_TEST_SEED=%llu\n", (unsigned long long)seed);
    for (uint32_t i = 0; i < PLACES; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "s%u", (unsigned)i);
        all[i] = (berth__changed_slice){i, sym(name), NULL};
    }
    memset(before, 0, sizeof(before));
    for (int change = 0; change < CHANGES; change++) {
        const uint64_t build = catalog.build;
        change_some(&random, all);
        for (uint32_t id = 0; id < NODES; id++) {
            const bool told = catalog.build != build || is_stale(id);
            write_offers(&catalog, id, now);
            write_anew(all, id, anew);
            assert_string_equal(now, anew);
            if (!told && change > 0)
                assert_string_equal(now, before[id]);
            memcpy(before[id], now, sizeof(now));
        }
        catalog.stale_count = 0;
    }
}

/* A change on one node leaves the lists of the others alone. */
static void test_change_of_one_node(void **state)
{
    static const char *const names[] = {"n0", "n1", "n2", "n3", "n4"};
    const berth__node_offers *lists[NODES];
    (void)state;
    for (uint32_t i = 0; i < NODES; i++)
        offer("a.x", names[i], names[i], "d0; d1")->reach.node_name = sym(names[i]);
    assert_true(berth__catalog_change(&catalog, slices, slice_count));
    for (uint32_t i = 0; i < NODES; i++)
        lists[i] =
            berth__node_offers_of(&catalog, &(berth__offer_node){.id = i, .name = sym(names[i])});
    const uint64_t build = catalog.build;
    assert_true(berth__catalog_change(&catalog, &slices[2], 1));
    assert_int_equal(catalog.build, build);
    assert_int_equal(catalog.stale_count, 1);
    assert_int_equal(catalog.stale[0], 2);
    for (uint32_t i = 0; i < NODES; i++)
        assert_int_equal(catalog.by_node[i].offers == lists[i], i != 2);
}

/* Nodes without slices of their own share a list. */
static void test_list_of_shared_pools(void **state)
{
    static const char *const names[] = {"n0", "n1", "n2"};
    const berth__node_offers *lists[3];
    (void)state;
    offer("a.x", "p", "s", "d0")->reach = (berth__device_reach){.all_nodes = true};
    offer("a.x", "q", "t", "d0")->reach.node_name = sym(names[1]);
    assert_true(berth__catalog_change(&catalog, slices, slice_count));
    for (uint32_t i = 0; i < 3; i++)
        lists[i] =
            berth__node_offers_of(&catalog, &(berth__offer_node){.id = i, .name = sym(names[i])});
    assert_int_equal(lists[0]->count, 1);
    assert_int_equal(lists[1]->count, 2);
    assert_ptr_equal(lists[2], lists[0]);
}

/* Lists outlast a change of node facts, unless labels decide about them; not a node's id. */
static void test_lists_outlast_other_facts(void **state)
{
    const berth__offer_node node = {.id = 0, .name = sym("n")};
    (void)state;
    offer("a.x", "p", "s", "d0");
    assert_true(berth__catalog_change(&catalog, slices, slice_count));
    const berth__node_offers *list = berth__node_offers_of(&catalog, &node);
    berth__catalog_follow(&catalog, 7);
    assert_ptr_equal(catalog.by_node[0].offers, list);
    assert_true(berth__node_offers_forget_node(&catalog, 0));
    assert_false(berth__node_offers_has(&catalog, 0));
    assert_false(berth__node_offers_forget_node(&catalog, 0));
    assert_false(berth__node_offers_forget_node(&catalog, 1u << 20));
    offer("a.x", "q", "t", "d0")->reach = (berth__device_reach){.has_selector = true};
    assert_true(berth__catalog_change(&catalog, &slices[1], 1));
    assert_non_null(berth__node_offers_of(&catalog, &node));
    berth__catalog_follow(&catalog, 7);
    assert_true(berth__node_offers_has(&catalog, 0));
    berth__catalog_follow(&catalog, 8);
    assert_false(berth__node_offers_has(&catalog, 0));
}

/* The view that a node's list will have is made in advance. */
static void test_view_is_foreseen(void **state)
{
    const berth__offer_node node = {.id = 0, .name = sym("n")};
    (void)state;
    offer("a.x", "p", "s", "d0");
    offer("a.x", "p", "t", "d1");
    offer("a.x", "q", "u", "d0")->reach = (berth__device_reach){.all_nodes = true};
    assert_true(berth__catalog_change(&catalog, slices, slice_count));
    for (uint32_t i = 0; i < slice_count; i++)
        assert_true(berth__catalog_foresee(&catalog, slices[i].id));
    assert_true(berth__catalog_foresee(&catalog, 1u << 20)); /* there is none */
    const berth__offer_pool *own = catalog.slices[slices[0].id]->pool;
    const berth__offer_pool *common = catalog.slices[slices[2].id]->pool;
    assert_true(own->open && common->open);
    assert_non_null(own->views);
    assert_null(common->views);
    const berth__pool_view *view = own->views;
    assert_ptr_equal(berth__node_offers_of(&catalog, &node)->pools[0], view);
    assert_null(view->next);
}

static void test_foreseen_view_is_without_what_is_left_out(void **state)
{
    const berth__offer_node node = {.id = 0, .name = sym("n")};
    (void)state;
    offer("a.x", "p", "s", "d0");
    offer("a.x", "p", "t", "d1")->left_out = true;
    assert_true(berth__catalog_change(&catalog, slices, slice_count));
    assert_true(berth__catalog_foresee(&catalog, slices[0].id));
    const berth__pool_view *view = catalog.slices[slices[0].id]->pool->views;
    assert_non_null(view);
    assert_int_equal(view->kept_count, 1);
    assert_non_null(berth__node_offers_of(&catalog, &node));
    assert_null(view->next);
    assert_ptr_equal(catalog.slices[slices[0].id]->pool->views, view);
}

/* A node's list is made in advance only if slices name the node and no labels decide. */
static void test_list_is_foreseen(void **state)
{
    const berth__sym named = sym("n"), other = sym("m"), without_id = sym("p");
    (void)state;
    offer("a.x", "p", "s", "d0");
    offer("a.x", "q", "t", "d0")->reach.node_name = without_id;
    assert_true(berth__catalog_change(&catalog, slices, slice_count));
    assert_true(berth__catalog_foresee_node(&catalog, without_id));
    assert_true(berth__catalog_foresee_node(&catalog, other));
    assert_false(berth__node_offers_has(&catalog, 1));
    assert_true(berth__catalog_foresee_node(&catalog, named));
    assert_true(berth__node_offers_has(&catalog, 0));
    const berth__node_offers *list = catalog.by_node[0].offers;
    assert_int_equal(list->count, 1);
    assert_int_equal(catalog.by_node[0].used_at, catalog.use_changes);
    assert_true(berth__catalog_foresee_node(&catalog, named));
    assert_ptr_equal(catalog.by_node[0].offers, list);
    offer("a.x", "r", "u", "d0")->reach = (berth__device_reach){.has_selector = true};
    assert_true(berth__catalog_change(&catalog, &slices[2], 1));
    assert_true(berth__catalog_foresee_node(&catalog, named));
    assert_false(berth__node_offers_has(&catalog, 0));
}

/* A slice with a malformed selector is a problem of every node until it goes, although its pool was
 * never opened. */
static void test_problem_goes(void **state)
{
    const berth__offer_node node = {.id = 0, .name = sym("n")};
    (void)state;
    offer("a.x", "p", "s", "d0");
    offer("a.x", "q", "t", "d0")->reach =
        (berth__device_reach){.has_selector = true, .problem = BERTH_STR("malformed")};
    assert_true(berth__catalog_change(&catalog, slices, slice_count));
    assert_true(berth__node_offers_of(&catalog, &node)->problem.len > 0);
    slices[1].facts = NULL;
    assert_true(berth__catalog_change(&catalog, &slices[1], 1));
    assert_int_equal(berth__node_offers_of(&catalog, &node)->problem.len, 0);
}

/* Numbers of contents that come and go do not grow without bound. */
static void test_contents_are_numbered_anew(void **state)
{
    berth__offer_node node = {.id = 0, .name = sym("n")};
    (void)state;
    offer("a.x", "p", "s", "d0 k=1; d1 k=2");
    for (int i = 0; i < 20000; i++) {
        assert_true(berth__catalog_change(&catalog, slices, slice_count));
        assert_non_null(berth__node_offers_of(&catalog, &node));
        assert_true(catalog.contents.count < 12000);
        catalog.stale_count = 0;
    }
    assert_true(catalog.numbering > 0);
    assert_string_equal((want("r 2"), found()), "d0 d1");
}

static void test_memory_of_a_pool_is_that_of_its_devices(void **state)
{
    (void)state;
    offer_many();
    build_catalog();
    berth__offer_pool *pool = catalog.slices[slices[1].id]->pool;
    assert_false(pool->open);
    const size_t before = memory.bytes;
    assert_true(berth__offer_pool_open(&catalog, pool));
    assert_true(memory.bytes - before < 64 << 10);
}

/* ---- programs ---- */

static void test_program_is_compiled_once(void **state)
{
    (void)state;
    static const char *const texts[] = {"true", "false", "device.driver == \"a.x\"", ""};
    berth__device_program *programs[4];
    for (uint32_t i = 0; i < 4; i++) {
        programs[i] = berth__device_program_get(&verdicts, sym(texts[i]));
        assert_non_null(programs[i]);
        assert_int_equal(verdicts.programs.count, i + 1);
    }
    for (uint32_t i = 0; i < 4; i++)
        assert_ptr_equal(berth__device_program_get(&verdicts, sym(texts[i])), programs[i]);
    assert_int_equal(verdicts.programs.count, 4);
}

static void test_many_programs_are_given_up(void **state)
{
    (void)state;
    char text[32];
    for (int i = 0; i < BERTH__PROGRAMS_MAX; i++) {
        (void)snprintf(text, sizeof(text), "%d == 1", i);
        assert_non_null(berth__device_program_get(&verdicts, sym(text)));
    }
    berth__verdicts_trim(&verdicts);
    assert_int_equal(verdicts.programs.count, BERTH__PROGRAMS_MAX);
    assert_non_null(berth__device_program_get(&verdicts, sym("true")));
    berth__verdicts_trim(&verdicts);
    assert_int_equal(verdicts.programs.count, 0);
    assert_non_null(berth__device_program_get(&verdicts, sym("true")));
    assert_int_equal(verdicts.programs.count, 1);
}

static void test_program_without_memory(void **state)
{
    (void)state;
    berth__sym text = sym("device.driver == \"a.x\"");
    unsigned call = 1;
    for (;; call++) {
        fail_call(call);
        berth__device_program *program = berth__device_program_get(&verdicts, text);
        bool refused = was_refused();
        assert_int_equal(program == NULL, refused);
        assert_int_equal(verdicts.programs.count, refused ? 0 : 1);
        if (!refused)
            break;
    }
    assert_true(call > 2);
}

/* What one evaluation needs is not kept for the next one, whichever devices are asked. */
static void test_evaluations_use_the_same_memory(void **state)
{
    (void)state;
    enum { POOLS = SLICES_MAX, DEVICES = 16 };
    for (int i = 0; i < POOLS; i++) {
        char *name = make(8, 1), *devices = make(256, 1);
        size_t at = 0;
        (void)snprintf(name, 8, "p%d", i);
        for (int k = 0; k < DEVICES; k++)
            at += (size_t)snprintf(devices + at, 256 - at, "%sd%d k=%d", k > 0 ? "; " : "", k,
                                   i * DEVICES + k);
        offer("a.x", name, name, devices);
    }
    build_catalog();
    berth__device_program *program = berth__device_program_get(
        &verdicts, sym("\"k\" in device.attributes[\"a.x\"] && device.attributes[\"a.x\"].k > 9"));
    assert_non_null(program);
    const void *used = NULL;
    (void)contents_of_all();
    for (uint32_t i = 0; i < slice_count; i++)
        for (uint32_t k = 0; k < DEVICES; k++) {
            const berth__offer *one = &catalog.slices[i]->offers[k];
            bool ok = true;
            const bool wanted = one->device->attributes[0].number > 9;
            assert_int_equal(berth__device_program_ask(&verdicts, program, one, &ok),
                             wanted ? BERTH__VERDICT_YES : BERTH__VERDICT_NO);
            assert_true(ok);
            if (used == NULL)
                used = verdicts.scratch.chunks;
            assert_ptr_equal(verdicts.scratch.chunks, used);
        }
    assert_non_null(used);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_failing, tear_down_failing)

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        TEST(test_catalog_is_filled_without_memory),
        TEST(test_changes_equal_a_new_catalog),
        TEST(test_change_of_one_node),
        TEST(test_list_of_shared_pools),
        TEST(test_lists_outlast_other_facts),
        TEST(test_view_is_foreseen),
        TEST(test_foreseen_view_is_without_what_is_left_out),
        TEST(test_list_is_foreseen),
        TEST(test_problem_goes),
        TEST(test_contents_are_numbered_anew),
        TEST(test_memory_of_a_pool_is_that_of_its_devices),
        TEST(test_program_is_compiled_once),
        TEST(test_many_programs_are_given_up),
        TEST(test_program_without_memory),
        TEST(test_evaluations_use_the_same_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
