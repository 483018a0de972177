/* model/images.h: whatever nodes and pods are added, changed and removed, also in transactions, a
 * node sees the counts of its images at the beginning of the first cycle after its last change.
 * Compared with a table of those counts, node by node. BERTH_TEST_SEED replaces the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena_pieces.h"
#include "base/random.h"
#include "base/text.h"
#include "cluster/cluster.h"
#include "counted_memory.h"
#include "numbered.h"

enum { NODES = 24, IMAGES = 5, OPS = 60000, DEPTH = 3, PODS_MAX = 200 };

/* The plain version: the image counts of each node at its last copy. */
typedef struct copies {
    bool present[NODES];
    bool changed[NODES]; /* since its copy: the next cycle copies it again */
    bool has[NODES][IMAGES];
    uint32_t seen[NODES][IMAGES];
    uint32_t pods_on[NODES];
} copies;

typedef struct saved {
    copies copies;
    uint32_t log_top;
    uint64_t cycle;
} saved;

typedef struct world {
    counted memory;
    berth_allocator allocator;
    berth__cluster cluster;
    berth__random random;
    copies now;
    saved open[DEPTH];
    uint32_t depth;
    uint32_t rewrites;
} world;

static uint32_t below(world *w, uint32_t bound)
{
    return berth__random_below(&w->random, bound);
}

/* ---- the plain version ---- */

static uint32_t count_of(const copies *now, uint32_t image)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < NODES; n++)
        count += now->present[n] && now->has[n][image];
    return count;
}

static uint32_t seen_by(const copies *now, uint32_t node, uint32_t image)
{
    return now->changed[node] ? count_of(now, image) : now->seen[node][image];
}

static void copy_changed(copies *now)
{
    for (uint32_t n = 0; n < NODES; n++) {
        for (uint32_t i = 0; i < IMAGES; i++)
            now->seen[n][i] = seen_by(now, n, i);
        now->changed[n] = false;
    }
}

/* ---- operations ---- */

static void put_node(world *w, uint32_t which)
{
    char name[32], names[IMAGES][32];
    berth_str texts[IMAGES];
    berth_image images[IMAGES];
    berth_node node = {.meta.name = numbered(name, "n", which), .images = images};
    const bool anew = !w->now.present[which] || below(w, 3) > 0;
    for (uint32_t i = 0; i < IMAGES; i++) {
        if (anew)
            w->now.has[which][i] = below(w, 2) == 0;
        if (!w->now.has[which][i])
            continue;
        texts[i] = numbered(names[i], "image-", i);
        images[node.image_count++] = (berth_image){.names = {&texts[i], 1}, .size_bytes = 1 << 20};
    }
    berth_object object = {.kind = BERTH_KIND_NODE, .as = {.node = &node}};
    assert_int_equal(w->now.present[which] ? berth__cluster_update(&w->cluster, &object, NULL)
                                           : berth__cluster_add(&w->cluster, &object, NULL, NULL),
                     BERTH_OK);
    w->now.present[which] = true;
    w->now.changed[which] = true;
}

static void remove_node(world *w, uint32_t which)
{
    char name[32];
    if (!w->now.present[which])
        return;
    assert_int_equal(berth__cluster_remove(&w->cluster, BERTH_KIND_NODE, BERTH_STR(""),
                                           numbered(name, "n", which), NULL),
                     BERTH_OK);
    w->now.present[which] = false;
    memset(w->now.has[which], 0, sizeof(w->now.has[which]));
}

/* A pod comes to a node, or the newest one leaves it. */
static void move_pod(world *w, uint32_t node, bool comes)
{
    char pod_name[64], node_name[32];
    if (comes ? w->now.pods_on[node] == PODS_MAX : w->now.pods_on[node] == 0)
        return;
    const uint32_t number = comes ? w->now.pods_on[node]++ : --w->now.pods_on[node];
    snprintf(pod_name, sizeof(pod_name), "p%u-%u", (unsigned)node, (unsigned)number);
    berth_pod pod = {.meta.name = berth__text_of(pod_name),
                     .node_name = numbered(node_name, "n", node)};
    berth_object object = {.kind = BERTH_KIND_POD, .as = {.pod = &pod}};
    assert_int_equal(comes ? berth__cluster_add(&w->cluster, &object, NULL, NULL)
                           : berth__cluster_remove(&w->cluster, BERTH_KIND_POD, BERTH_STR(""),
                                                   pod.meta.name, NULL),
                     BERTH_OK);
    w->now.changed[node] = true;
}

static void begin(world *w)
{
    if (w->depth == DEPTH)
        return;
    w->cluster.undo.recording = true;
    w->open[w->depth++] = (saved){w->now, w->cluster.undo.top, w->cluster.view.images.cycle};
}

static void end(world *w, bool back)
{
    if (w->depth == 0)
        return;
    const saved *mark = &w->open[--w->depth];
    if (back) {
        berth__undo_to(&w->cluster.undo, mark->log_top);
        w->cluster.view.images.cycle = mark->cycle;
        w->now = mark->copies;
    }
    if (w->depth == 0) {
        berth__undo_keep(&w->cluster.undo);
        w->cluster.undo.recording = false;
    }
}

static void shorten(world *w)
{
    berth__images *images = &w->cluster.view.images;
    if (w->depth > 0)
        return;
    const uint32_t before = images->past_count;
    berth__images_rewrite(images, &w->cluster.view.nodes, w->cluster.node_count);
    assert_in_range(images->past_count, 0, before);
    w->rewrites += images->past_count < before;
}

/* ---- comparison ---- */

static uint32_t count_for(const berth__images *images, const berth__image_record *image,
                          uint64_t cycle)
{
    uint32_t count = image->node_count;
    uint64_t since = image->cycle;
    for (const berth__image_past *past = berth__image_before(images, image->past);
         past != NULL && since > cycle; past = berth__image_before(images, past->past)) {
        assert_true(past->cycle < since);
        assert_int_not_equal(past->node_count, count);
        count = past->node_count;
        since = past->cycle;
    }
    return count;
}

static void check(world *w)
{
    const berth__images *images = &w->cluster.view.images;
    for (uint32_t i = 0; i < IMAGES; i++) {
        char room[32];
        const berth__image_record *image = berth__image_find(
            images, berth__intern_find(&w->cluster.model->strings, numbered(room, "image-", i)));
        assert_int_equal(image != NULL ? image->node_count : 0, count_of(&w->now, i));
        for (uint32_t n = 0; n < NODES; n++) {
            if (!w->now.present[n] || !w->now.has[n][i])
                continue;
            const berth__node_record *node = berth__cluster_node(
                &w->cluster, berth__cluster_find_node(&w->cluster, numbered(room, "n", n)));
            assert_int_equal(count_for(images, image, node->refreshed), seen_by(&w->now, n, i));
        }
    }
}

static void step(world *w)
{
    uint32_t node = below(w, NODES);
    switch (below(w, 16)) {
    case 0:
        remove_node(w, node);
        break;
    case 1:
    case 2:
    case 3:
        put_node(w, node);
        break;
    case 4:
    case 5:
    case 6:
        move_pod(w, node, true);
        break;
    case 7:
    case 8:
        move_pod(w, node, false);
        break;
    case 9:
        begin(w);
        break;
    case 10:
        end(w, below(w, 3) > 0);
        break;
    case 11:
        if (below(w, 20) == 0)
            shorten(w);
        break;
    default:
        copy_changed(&w->now);
        berth__images_begin_cycle(&w->cluster.view.images);
    }
}

static void set_up(world *w, uint64_t seed)
{
    *w = (world){.random.state = seed};
    w->allocator = (berth_allocator){&w->memory, counted_allocate, counted_release};
    assert_int_equal(berth__cluster_init(&w->cluster, &w->allocator, NULL), BERTH_OK);
}

static void tear_down(world *w)
{
    while (w->depth > 0)
        end(w, true);
    berth__cluster_destroy(&w->cluster);
    assert_int_equal(w->memory.bytes, 0);
}

static void test_counts(void **state)
{
    (void)state;
    const char *text = getenv("BERTH_TEST_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : 20261124;
    print_message("seed %llu\n", (unsigned long long)seed);
    static world w;
    set_up(&w, seed);
    for (uint32_t op = 0; op < OPS; op++) {
        step(&w);
        check(&w);
    }
    assert_int_not_equal(w.rewrites, 0);
    tear_down(&w);
}

/* The record of the past is shortened along the way, so it does not grow with the cluster's age. */
static void test_bounded(void **state)
{
    (void)state;
    static world w;
    set_up(&w, 7);
    for (uint32_t op = 0; op < OPS; op++) {
        put_node(&w, below(&w, NODES));
        copy_changed(&w.now);
        berth__images_begin_cycle(&w.cluster.view.images);
        assert_in_range(w.cluster.view.images.past_count, 0, 1024 + 2 * IMAGES);
    }
    check(&w);
    tear_down(&w);
}

/* Without memory, the record of the past is not shortened, and stays correct. */
static void test_no_memory(void **state)
{
    (void)state;
    static world w;
    set_up(&w, 11);
    for (uint32_t op = 0; op < 300; op++)
        step(&w);
    while (w.depth > 0)
        end(&w, false);
    const uint32_t before = w.cluster.view.images.past_count;
    w.memory.fail_at = w.memory.calls + 1;
    berth__images_rewrite(&w.cluster.view.images, &w.cluster.view.nodes, w.cluster.node_count);
    w.memory.fail_at = 0;
    assert_int_equal(w.cluster.view.images.past_count, before);
    check(&w);
    shorten(&w);
    check(&w);
    tear_down(&w);
}

/* A snapshot has the records: whichever copy of them has no memory, all counts stay. */
static void test_no_memory_for_copies(void **state)
{
    (void)state;
    static world w;
    set_up(&w, 12);
    bool refused = true;
    for (uint32_t n = 1; refused; n++) {
        for (uint32_t op = 0; op < 300; op++) {
            step(&w);
            check(&w);
        }
        while (w.depth > 0)
            end(&w, false);
        w.cluster.cow.shared = true; /* as if it was published */
        w.cluster.cow.stamp++;
        w.memory.fail_at = w.memory.calls + n;
        berth__images_rewrite(&w.cluster.view.images, &w.cluster.view.nodes, w.cluster.node_count);
        refused = w.memory.calls >= w.memory.fail_at;
        w.memory.fail_at = 0;
        check(&w);
        assert_true(n > 2 || refused);
    }
    tear_down(&w);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_no_memory_for_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
