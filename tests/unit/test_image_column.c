/* columns/image_column.h and image_table.h: after all additions, changes and removals, in any order
 * of questions, the bits of an image are those of the nodes that list it; also in copies, with too
 * few columns, and without memory. BERTH_TEST_SEED replaces the seed of the random histories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "arena_pieces.h"
#include "base/random.h"
#include "base/text.h"
#include "cluster/cluster.h"
#include "columns/image_column.h"
#include "counted_memory.h"
#include "numbered.h"

enum {
    NODES = 300, /* three tiles, the last one partly filled */
    IMAGES = 6,
    EXTRA_IMAGES = BERTH__IMAGE_COLUMNS_MAX,
    OPS = 600,
    THREADS = 4,
};

typedef struct world {
    counted memory;
    berth_allocator allocator;
    berth__cluster cluster;
    berth__random random;
    bool present[NODES];
    bool has[NODES][IMAGES];
    uint32_t cordoned; /* a node; NODES: none */
    bool columns;
} world;

static uint32_t below(world *w, uint32_t bound)
{
    return berth__random_below(&w->random, bound);
}

/* Adds a node with the images that it has, or updates it. */
static void put_images(world *w, uint32_t which)
{
    char name[32], names[IMAGES][32];
    berth_str texts[IMAGES];
    berth_image images[IMAGES];
    berth_node node = {.meta.name = numbered(name, "n", which),
                       .unschedulable = which == w->cordoned,
                       .images = images};
    for (uint32_t i = 0; i < IMAGES; i++) {
        if (!w->has[which][i])
            continue;
        texts[i] = numbered(names[i], "image-", i);
        images[node.image_count++] = (berth_image){.names = {&texts[i], 1}, .size_bytes = 1 << 20};
    }
    berth_object object = {.kind = BERTH_KIND_NODE, .as = {.node = &node}};
    assert_int_equal(w->present[which] ? berth__cluster_update(&w->cluster, &object, NULL)
                                       : berth__cluster_add(&w->cluster, &object, NULL, NULL),
                     BERTH_OK);
    w->present[which] = true;
}

/* Adds a node with random images, or gives it others. */
static void put_node(world *w, uint32_t which)
{
    for (uint32_t i = 0; i < IMAGES; i++)
        w->has[which][i] = below(w, 3) == 0;
    put_images(w, which);
}

static void remove_node(world *w, uint32_t which)
{
    char name[32];
    if (!w->present[which])
        return;
    assert_int_equal(berth__cluster_remove(&w->cluster, BERTH_KIND_NODE, BERTH_STR(""),
                                           numbered(name, "n", which), NULL),
                     BERTH_OK);
    w->present[which] = false;
}

static void set_up(world *w, uint64_t seed)
{
    *w = (world){.random.state = seed, .cordoned = NODES};
    w->allocator = (berth_allocator){&w->memory, counted_allocate, counted_release};
    assert_int_equal(berth__cluster_init(&w->cluster, &w->allocator, NULL), BERTH_OK);
    for (uint32_t n = 0; n < NODES; n++)
        put_node(w, n);
    assert_int_equal(berth__cluster_sync(&w->cluster), BERTH_OK);
}

static void tear_down(world *w)
{
    berth__cluster_destroy(&w->cluster);
    assert_int_equal(w->memory.bytes, 0);
}

static berth__sym symbol(world *w, const char *prefix, uint32_t number)
{
    char room[32];
    bool ok = true;
    berth__sym sym =
        berth__intern_add(&w->cluster.view.model->strings, numbered(room, prefix, number), &ok);
    assert_true(ok);
    return sym;
}

static uint32_t number_of(const berth__cluster *cluster, uint32_t node_id)
{
    berth_str name = berth__text(cluster->view.model, berth__cluster_node(cluster, node_id)->name);
    uint32_t number = 0;
    for (uint32_t i = 1; i < name.len; i++)
        number = number * 10 + (uint32_t)(name.data[i] - '0');
    return number;
}

static void check_bits(world *w, const berth__layout *layout, berth__image_column *column,
                       uint32_t image, uint32_t tile)
{
    const berth__view *view = &w->cluster.view;
    const berth__sym name = symbol(w, "image-", image);
    /* one slot first, whose tile may not be known yet */
    const uint32_t one = tile * BERTH__TILE + below(w, BERTH__TILE);
    const bool has =
        one < layout->count && berth__image_column_has(layout, &view->nodes, column, name, one);
    berth__mask bits = berth__image_column_bits(layout, &view->nodes, column, name, tile);
    assert_int_equal(has, berth__bit_get(bits.words, one % BERTH__TILE));
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        uint32_t slot = tile * BERTH__TILE + s;
        bool wanted =
            slot < layout->count && w->has[number_of(&w->cluster, layout->nodes[slot])][image];
        assert_int_equal(wanted, berth__bit_get(bits.words, s));
        if (slot < layout->count) {
            assert_int_equal(wanted,
                             berth__image_column_has(layout, &view->nodes, column, name, slot));
            assert_int_equal(wanted,
                             berth__image_column_has(layout, &view->nodes, NULL, name, slot));
        }
    }
}

/* The column of an image, or NULL if the history runs without columns. */
static berth__image_column *column_of(world *w, berth__layout *layout, uint32_t image)
{
    return w->columns ? berth__image_column_get(layout, symbol(w, "image-", image)) : NULL;
}

static void check_some(world *w)
{
    berth__layout *layout = w->cluster.view.layout;
    uint32_t image = below(w, IMAGES);
    if (layout->tile_count > 0)
        check_bits(w, layout, column_of(w, layout, image), image, below(w, layout->tile_count));
}

static void check_copy(world *w)
{
    berth__layout *copy = berth__layout_copy(w->cluster.view.layout);
    assert_non_null(copy);
    for (uint32_t i = 0; i < IMAGES; i++)
        for (uint32_t tile = 0; tile < copy->tile_count; tile++)
            check_bits(w, copy, column_of(w, copy, i), i, tile);
    berth__layout_destroy(copy);
}

static void run_history(bool columns)
{
    const char *text = getenv("BERTH_TEST_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : 20261121;
    print_message("seed %llu\n", (unsigned long long)seed);
    static world w;
    set_up(&w, seed);
    w.columns = columns;
    for (uint32_t op = 0; op < OPS; op++) {
        uint32_t node = below(&w, NODES), what = below(&w, 20);
        if (what == 0)
            remove_node(&w, node);
        else if (what < 8)
            put_node(&w, node);
        assert_int_equal(berth__cluster_sync(&w.cluster), BERTH_OK);
        check_some(&w);
        if (op % 50 == 0)
            check_copy(&w);
    }
    tear_down(&w);
}

static void test_history(void **state)
{
    (void)state;
    run_history(true);
}

/* Tables of tiles take the place of columns. */
static void test_history_without_columns(void **state)
{
    (void)state;
    run_history(false);
}

enum { READS = 40 }; /* more than it takes until all tiles have a table */

static void read_often(world *w)
{
    for (uint32_t i = 0; i < READS; i++)
        for (uint32_t tile = 0; tile < w->cluster.view.layout->tile_count; tile++)
            check_bits(w, w->cluster.view.layout, NULL, i % IMAGES, tile);
}

/* A table lives as long as the images of its tile are the same, and only that tile's is lost. */
static void test_tables_last(void **state)
{
    (void)state;
    static world w;
    set_up(&w, 4);
    read_often(&w);
    const size_t with_tables = w.memory.bytes;
    w.cordoned = 7; /* the node's other facts change */
    put_images(&w, 7);
    assert_int_equal(berth__cluster_sync(&w.cluster), BERTH_OK);
    assert_int_equal(w.memory.bytes, with_tables);
    w.has[7][0] = !w.has[7][0];
    put_images(&w, 7);
    assert_int_equal(berth__cluster_sync(&w.cluster), BERTH_OK);
    const size_t without_one = w.memory.bytes;
    assert_true(without_one < with_tables);
    check_bits(&w, w.cluster.view.layout, NULL, 0, 0);
    assert_int_equal(w.memory.bytes, without_one);
    read_often(&w);
    assert_true(w.memory.bytes > without_one);
    tear_down(&w);
}

/* Copies share tables: they cost no memory, and outlive the layout that made them. */
static void test_copies_share_tables(void **state)
{
    (void)state;
    static world w;
    set_up(&w, 5);
    berth__layout *first = berth__layout_copy(w.cluster.view.layout);
    assert_non_null(first);
    const size_t one = w.memory.bytes;
    berth__layout_destroy(first);
    const size_t none = w.memory.bytes;
    read_often(&w);
    const size_t tables = w.memory.bytes - none;
    assert_true(tables > 0);
    first = berth__layout_copy(w.cluster.view.layout);
    assert_non_null(first);
    assert_int_equal(w.memory.bytes, one + tables);
    berth__layout *second = berth__layout_copy(first);
    assert_non_null(second);
    berth__layout_destroy(first);
    for (uint32_t tile = 0; tile < second->tile_count; tile++)
        check_bits(&w, second, NULL, 1, tile);
    assert_int_equal(w.memory.bytes, one + tables);
    berth__layout_destroy(second);
    tear_down(&w);
}

/* Without memory for a table (two pieces), the nodes are read. */
static void test_no_memory_for_tables(void **state)
{
    (void)state;
    static world w;
    set_up(&w, 6);
    const berth__view *view = &w.cluster.view;
    const size_t before = w.memory.bytes;
    for (uint32_t i = 0; i < READS; i++) {
        w.memory.fail_at = w.memory.calls + 1 + i % 2;
        const berth__mask bits = berth__image_column_bits(view->layout, &view->nodes, NULL,
                                                          symbol(&w, "image-", i % IMAGES), 0);
        w.memory.fail_at = 0;
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            assert_int_equal(w.has[number_of(&w.cluster, view->layout->nodes[s])][i % IMAGES],
                             berth__bit_get(bits.words, s));
        assert_int_equal(w.memory.bytes, before);
    }
    tear_down(&w);
}

/* Images after the last column are looked up in the nodes. */
static void test_columns_run_out(void **state)
{
    (void)state;
    static world w;
    set_up(&w, 1);
    berth__layout *layout = w.cluster.view.layout;
    for (uint32_t i = 0; i < EXTRA_IMAGES; i++)
        assert_non_null(berth__image_column_get(layout, symbol(&w, "extra-", i)));
    for (uint32_t i = 0; i < IMAGES; i++) {
        assert_null(berth__image_column_get(layout, symbol(&w, "image-", i)));
        check_bits(&w, layout, NULL, i, 1);
    }
    assert_non_null(berth__image_column_get(layout, symbol(&w, "extra-", 0)));
    tear_down(&w);
}

static void test_no_memory(void **state)
{
    (void)state;
    static world w;
    set_up(&w, 2);
    berth__layout *layout = w.cluster.view.layout;
    berth__sym first = symbol(&w, "image-", 0), second = symbol(&w, "image-", 1);
    w.memory.fail_at = w.memory.calls + 1;
    assert_null(berth__image_column_get(layout, first));
    check_bits(&w, layout, NULL, 0, 0);
    assert_non_null(berth__image_column_get(layout, first));
    assert_non_null(berth__image_column_get(layout, second));
    /* A copy fails as a whole, wherever memory ends. */
    berth__layout *copy = NULL;
    for (uint32_t n = 1; copy == NULL; n++) {
        size_t bytes = w.memory.bytes;
        w.memory.fail_at = w.memory.calls + n;
        copy = berth__layout_copy(layout);
        assert_true(copy != NULL || w.memory.bytes == bytes);
    }
    w.memory.fail_at = 0;
    berth__layout_destroy(copy);
    tear_down(&w);
}

/* Readers that share a layout add columns and fill tiles at the same time. */
static void *read_all(void *opaque)
{
    world *w = opaque;
    berth__view *view = &w->cluster.view;
    for (uint32_t read = 0; read < READS; read++) {
        char room[32];
        const uint32_t i = read % IMAGES;
        berth__sym name = berth__intern_find(&view->model->strings, numbered(room, "image-", i));
        for (uint32_t tile = 0; tile < view->layout->tile_count; tile++) {
            berth__image_column *column =
                w->columns ? berth__image_column_get(view->layout, name) : NULL;
            berth__mask bits =
                berth__image_column_bits(view->layout, &view->nodes, column, name, tile);
            for (uint32_t s = 0; s < BERTH__TILE; s++) {
                uint32_t slot = tile * BERTH__TILE + s;
                bool wanted = slot < view->layout->count &&
                              w->has[number_of(&w->cluster, view->layout->nodes[slot])][i];
                if (wanted != berth__bit_get(bits.words, s))
                    return w;
            }
        }
    }
    return NULL;
}

static void read_at_once(bool columns)
{
    static world w;
    set_up(&w, 3);
    w.columns = columns;
    pthread_t threads[THREADS];
    for (uint32_t t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, read_all, &w), 0);
    for (uint32_t t = 0; t < THREADS; t++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[t], &wrong), 0);
        assert_null(wrong);
    }
    tear_down(&w);
}

static void test_readers(void **state)
{
    (void)state;
    read_at_once(true);
}

/* The same while they make tables. */
static void test_readers_without_columns(void **state)
{
    (void)state;
    read_at_once(false);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_history_without_columns),
        cmocka_unit_test(test_tables_last),
        cmocka_unit_test(test_copies_share_tables),
        cmocka_unit_test(test_no_memory_for_tables),
        cmocka_unit_test(test_columns_run_out),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_readers),
        cmocka_unit_test(test_readers_without_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
