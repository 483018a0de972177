/* columns/facts_news.h: which notes have come since an epoch, for data of each kind and in copies;
 * and that a node with another label, taint or image costs no tree, but is seen by each
 * decision. */
#include "base/text.h"
#include "both_paths.h"
#include "columns/facts_news.h"
#include "versions/engine_state.h"

/* ---- notes ---- */

static berth__layout *make_layout(uint64_t epoch)
{
    berth__layout *layout = berth__layout_create(berth__allocator_default(), 10);
    assert_non_null(layout);
    berth__layout_begin(layout, epoch);
    return layout;
}

/* The slots with one of these changes since an epoch, as text; "?" if they are not known. */
static const char *since(const berth__layout *layout, berth__facts_kind kind, uint64_t epoch,
                         uint32_t changes)
{
    static char out[200];
    size_t length = 0;
    berth__facts_news news;
    if (!berth__facts_news_since(layout, kind, epoch, &news))
        return "?";
    out[0] = '\0';
    for (const berth__facts_note *note;
         (note = berth__facts_news_next(layout, &news, changes)) != NULL;)
        length += (size_t)snprintf(out + length, sizeof(out) - length, "%u ", (unsigned)note->slot);
    return out;
}

#define ALL BERTH__FACTS_ANY

static void test_kinds(void **state)
{
    (void)state;
    berth__layout *layout = make_layout(100);
    assert_string_equal(since(layout, BERTH__ON_ALL, 100, ALL), "?"); /* nothing has happened */
    berth__facts_news_add(layout, 1, BERTH__FACTS_IMAGES, 0, 101);
    berth__facts_news_add(layout, 2, BERTH__FACTS_RULES, 0, 102);
    berth__facts_news_add(layout, 3, BERTH__FACTS_LABELS, 0, 103);
    berth__facts_news_add(layout, 4, BERTH__FACTS_LABELS | BERTH__FACTS_RULES, 0, 104);
    assert_true(layout->epoch == 104 && layout->rule_epoch == 104 && layout->label_epoch == 104);
    assert_true(layout->order_epoch == 100);
    assert_string_equal(since(layout, BERTH__ON_ALL, 100, ALL), "1 2 3 4 ");
    assert_string_equal(since(layout, BERTH__ON_ALL, 102, ALL), "3 4 ");
    assert_string_equal(since(layout, BERTH__ON_ALL, 100, BERTH__FACTS_RULES), "2 4 ");
    assert_string_equal(since(layout, BERTH__ON_ALL, 104, ALL), "?");
    /* 101 was never an epoch of rules, and 102 never one of labels. */
    assert_string_equal(since(layout, BERTH__ON_RULES, 100, ALL), "2 3 4 ");
    assert_string_equal(since(layout, BERTH__ON_RULES, 101, ALL), "?");
    assert_string_equal(since(layout, BERTH__ON_RULES, 102, ALL), "3 4 ");
    assert_string_equal(since(layout, BERTH__ON_LABELS, 100, ALL), "3 4 ");
    assert_string_equal(since(layout, BERTH__ON_LABELS, 102, ALL), "?");
    assert_string_equal(since(layout, BERTH__ON_LABELS, 103, ALL), "4 ");
    berth__layout_destroy(layout);
}

static void test_changes_of_some_news(void **state)
{
    (void)state;
    berth__layout *layout = make_layout(1);
    berth__facts_news news;
    berth__facts_news_add(layout, 1, BERTH__FACTS_IMAGES, 0, 2);
    berth__facts_news_add(layout, 2, BERTH__FACTS_RULES, 0, 3);
    berth__facts_news_moved(layout, 4);
    assert_true(berth__facts_news_since(layout, BERTH__ON_ALL, 1, &news));
    assert_int_equal(news.changes, BERTH__FACTS_IMAGES | BERTH__FACTS_RULES | BERTH__FACTS_MOVED);
    assert_true(berth__facts_news_since(layout, BERTH__ON_ALL, 2, &news));
    assert_int_equal(news.changes, BERTH__FACTS_RULES | BERTH__FACTS_MOVED);
    assert_true(berth__facts_news_since(layout, BERTH__ON_ALL, 3, &news));
    assert_int_equal(news.changes, BERTH__FACTS_MOVED);
    assert_string_equal(since(layout, BERTH__ON_ALL, 3, ALL), "");
    assert_true(layout->rule_epoch == 3 && layout->label_epoch == 1);
    berth__layout_destroy(layout);
}

static void test_ends(void **state)
{
    (void)state;
    berth__layout *layout = make_layout(1);
    for (uint64_t epoch = 2; epoch < BERTH__FACTS_NOTES + 2; epoch++)
        berth__facts_news_add(layout, epoch % 10, BERTH__FACTS_RULES, 0, epoch);
    assert_string_not_equal(since(layout, BERTH__ON_ALL, 250, ALL), "?");
    berth__facts_news news;
    assert_true(berth__facts_news_since(layout, BERTH__ON_ALL, 1, &news));
    assert_true(news.end - news.next == BERTH__FACTS_NOTES);
    berth__facts_news_add(layout, 7, BERTH__FACTS_RULES, 0, BERTH__FACTS_NOTES + 2);
    assert_false(berth__facts_news_since(layout, BERTH__ON_ALL, 1, &news));
    assert_true(berth__facts_news_since(layout, BERTH__ON_ALL, 2, &news));
    assert_true(news.end - news.next == BERTH__FACTS_NOTES);

    berth__layout *copy = berth__layout_copy(layout);
    assert_non_null(copy);
    assert_string_equal(since(copy, BERTH__ON_RULES, BERTH__FACTS_NOTES + 1, ALL), "7 ");
    berth__facts_news_lose(copy, 1000);
    assert_string_equal(since(copy, BERTH__ON_ALL, BERTH__FACTS_NOTES + 1, ALL), "?");
    assert_true(copy->epoch == 1000 && copy->rule_epoch == BERTH__FACTS_NOTES + 2);
    berth__facts_news_add(copy, 5, BERTH__FACTS_LABELS, 0, 1001);
    assert_string_equal(since(copy, BERTH__ON_ALL, 1000, ALL), "5 ");
    berth__layout_begin(copy, 2000);
    assert_string_equal(since(copy, BERTH__ON_ALL, 1000, ALL), "?");
    assert_true(copy->order_epoch == 2000 && copy->label_epoch == 2000);
    berth__layout_destroy(copy);
    berth__layout_destroy(layout);
}

/* ---- decisions ---- */

enum { NODES = 300, KINDS = 3 };

static berth_status update(void *context, const berth_object *object, const berth_error *origin,
                           berth_error *error)
{
    (void)origin;
    return berth_engine_update(context, object, error);
}

/* Add the object of a text to both engines, or replace it. */
static void put_text(both_paths *b, const char *text, bool replace)
{
    berth_error error = {.code = BERTH_OK};
    const berth_str all = {text, (uint32_t)strlen(text)};
    for (uint32_t k = 0; k < 2; k++)
        if (replace)
            small_require(
                berth_reader_text(b->c[k].reader, all, "test", update, b->c[k].engine, &error),
                &error);
        else
            (void)small_add(&b->c[k], text);
}

/* A node of 300; `labels` and `spec` are appended to what all have. */
static void put_node(both_paths *b, uint32_t number, bool replace, const char *labels,
                     const char *spec)
{
    static char text[600];
    (void)snprintf(
        text, sizeof(text),
        "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n%u\", "
        "\"labels\": {\"kubernetes.io/hostname\": \"n%u\", \"topology.kubernetes.io/zone\": "
        "\"z%u\"%s}}, \"spec\": {%s}, \"status\": {\"allocatable\": {\"cpu\": \"4\", \"memory\": "
        "\"16Gi\", \"pods\": \"20\"}}}",
        (unsigned)number, (unsigned)number, (unsigned)number % 3, labels, spec);
    put_text(b, text, replace);
}

/* Pods that spread, ask for a label, and prefer nodes without taints. */
static const char *const specs[KINDS] = {
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, "
    "whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: a}}}], ",
    "nodeSelector: {disk: ssd}, ",
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
    "kubernetes.io/hostname, labelSelector: {matchLabels: {app: a}}}]}}, ",
};

static berth_pod_id add_pod(both_paths *b, uint32_t kind, uint32_t number)
{
    return both_addf(b,
                     "apiVersion: v1\nkind: Pod\nmetadata: {name: p%u-%u, labels: {app: a}}\n"
                     "spec: {%scontainers: [{name: c, image: i, resources: {requests: {cpu: "
                     "100m}}}]}\n",
                     (unsigned)kind, (unsigned)number, specs[kind]);
}

/* Decide for a pod of each kind in both ways; how many nodes each fits. */
static void decide_all(both_paths *b, const berth_pod_id *pods, uint32_t fits[KINDS])
{
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        berth_placement got[2];
        for (uint32_t k = 0; k < 2; k++) {
            berth_error error = {.code = BERTH_OK};
            berth_decide_options options;
            berth_decide_options_init(&options);
            options.flags = BERTH_DECIDE_KEEP_ROTATION;
            small_require(
                berth_engine_decide(b->c[k].engine, pods[kind], &options, &got[k], &error), &error);
        }
        assert_int_equal(got[0].path, BERTH_PATH_INDEX);
        assert_int_equal(got[0].node, got[1].node);
        assert_int_equal(got[0].feasible_count, got[1].feasible_count);
        assert_int_equal(got[0].best_count, got[1].best_count);
        fits[kind] = got[0].feasible_count;
    }
}

static uint64_t trees_built(const both_paths *b)
{
    berth_statistics statistics = {.size = sizeof(statistics)};
    assert_int_equal(berth_engine_statistics(b->c[0].engine, &statistics, NULL), BERTH_OK);
    return statistics.trees_built;
}

#define SSD ", \"disk\": \"ssd\""
#define TAINTED "\"taints\": [{\"key\": \"a\", \"effect\": \"NoSchedule\"}]"

static void test_changed_nodes(void **state)
{
    (void)state;
    both_paths b;
    berth_profile profile = *berth_profile_default();
    profile.percentage_of_nodes_to_score = 100;
    both_open(&b, &profile);
    for (uint32_t i = 0; i < NODES; i++)
        put_node(&b, i, false, i < 100 ? SSD : "", "");
    berth_pod_id pods[KINDS];
    uint32_t fits[KINDS];
    for (uint32_t kind = 0; kind < KINDS; kind++)
        pods[kind] = add_pod(&b, kind, 0);
    decide_all(&b, pods, fits);
    assert_int_equal(fits[0], NODES);
    assert_int_equal(fits[1], 100);
    const uint64_t built = trees_built(&b);
    assert_int_equal(built, 2); /* two kinds differ only in rules about other pods */
    static const struct {
        uint32_t node;
        const char *labels, *spec;
        uint32_t fits[KINDS];
    } steps[] = {
        {5, SSD ", \"note\": \"x\"", "", {300, 100, 300}},     /* a label nobody reads */
        {6, SSD, "\"unschedulable\": true", {299, 99, 299}},   /* cordoned */
        {150, "", TAINTED, {298, 99, 298}},                    /* a taint, in another tile */
        {150, SSD, "", {299, 100, 299}},                       /* no taint, but a label */
        {6, SSD, "", {300, 101, 300}},                         /* open again */
        {7, "", "", {300, 100, 300}},                          /* without the label */
        {8, SSD ", \"note\": \"y\"", TAINTED, {299, 99, 299}}, /* both at once */
        {8, SSD, "", {300, 100, 300}},
    };
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        put_node(&b, steps[i].node, true, steps[i].labels, steps[i].spec);
        decide_all(&b, pods, fits);
        for (uint32_t kind = 0; kind < KINDS; kind++)
            assert_int_equal(fits[kind], steps[i].fits[kind]);
    }
    assert_true(trees_built(&b) == built);
    both_close(&b);
}

/* Decisions see a change of a topology that their rules use, and pods counted meanwhile. */
static void test_moved_domains(void **state)
{
    (void)state;
    both_paths b;
    berth_profile profile = *berth_profile_default();
    both_open(&b, &profile);
    for (uint32_t i = 0; i < NODES; i++)
        put_node(&b, i, false, SSD, "");
    berth_pod_id pods[KINDS];
    uint32_t fits[KINDS];
    for (uint32_t kind = 0; kind < KINDS; kind++)
        pods[kind] = add_pod(&b, kind, 0);
    for (uint32_t i = 1; i <= 60; i++) {
        static char zone[80];
        const uint32_t node = both_below(&b, NODES);
        const berth_pod_id pod = add_pod(&b, i % KINDS, i);
        decide_all(&b, pods, fits);
        (void)snprintf(zone, sizeof(zone),
                       i % 4 == 0 ? SSD ", \"topology.kubernetes.io/region\": \"r%u\""
                                  : SSD ", \"note\": \"%u\"",
                       (unsigned)both_below(&b, 2));
        put_node(&b, node, true, zone, "");
        for (uint32_t k = 0; k < 2; k++) /* counted before the change is looked at */
            small_require(berth_engine_bind(b.c[k].engine, pod, 0, NULL), NULL);
        decide_all(&b, pods, fits);
        berth_error error = {.code = BERTH_OK};
        small_require(berth_engine_check(b.c[0].engine, &error), &error);
    }
    both_close(&b);
}

/* ---- images ---- */

/* A node with some images: pairs of a name and a number of MiB, such as "a 300, b 20". */
static void put_images(both_paths *b, uint32_t number, bool replace, const char *images)
{
    static char text[800];
    char list[400];
    size_t length = 0;
    for (const char *at = images; *at != '\0';) {
        char name[8];
        unsigned size = 0;
        int read = 0;
        assert_int_equal(sscanf(at, "%7s %u%n", name, &size, &read), 2);
        length += (size_t)snprintf(list + length, sizeof(list) - length,
                                   "%s{\"names\": [\"%s:latest\"], \"sizeBytes\": %u000000}",
                                   length > 0 ? ", " : "", name, size);
        at += read + strspn(at + read, ", ");
    }
    list[length] = '\0';
    (void)snprintf(
        text, sizeof(text),
        "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n%u\"}, "
        "\"status\": {\"allocatable\": {\"cpu\": \"4\", \"memory\": \"16Gi\", \"pods\": \"20\"}, "
        "\"images\": [%s]}}",
        (unsigned)number, list);
    put_text(b, text, replace);
}

/* A pod whose image is a, b or d. */
static berth_pod_id add_imaged(both_paths *b, uint32_t kind)
{
    static const char *const own[KINDS] = {"a", "b", "d"};
    return both_addf(b,
                     "apiVersion: v1\nkind: Pod\nmetadata: {name: p%u}\n"
                     "spec: {containers: [{name: c, image: %s}]}\n",
                     (unsigned)kind, own[kind]);
}

/* Whether the last note of the engine says that an image may have changed. */
static bool noted(const both_paths *b, const char *name)
{
    const berth_engine *engine = b->c[0].engine;
    const berth__layout *layout = engine->cluster.view.layout;
    const berth__facts_note *note = &layout->notes[(layout->note_end - 1) % BERTH__FACTS_NOTES];
    const berth__sym sym =
        berth__intern_find(&engine->cluster.model->strings, berth__text_of(name));
    return (note->changes & BERTH__FACTS_IMAGES) != 0 &&
           (note->images & berth__image_bit(sym)) != 0;
}

static void test_changed_images(void **state)
{
    (void)state;
    both_paths b;
    berth_profile profile = *berth_profile_default();
    profile.percentage_of_nodes_to_score = 100;
    both_open(&b, &profile);
    for (uint32_t i = 0; i < NODES; i++)
        put_images(&b, i, false, i == 9 ? "a 900, b 500" : i % 4 == 0 ? "a 900" : "c 700, d 30");
    berth_pod_id pods[KINDS];
    uint32_t fits[KINDS];
    for (uint32_t kind = 0; kind < KINDS; kind++)
        pods[kind] = add_imaged(&b, kind);
    decide_all(&b, pods, fits);
    const uint64_t built = trees_built(&b);
    put_images(&b, 50, true, "c 700, d 30, e 1"); /* one that no pod has */
    assert_true(noted(&b, "e:latest"));
    decide_all(&b, pods, fits);
    assert_true(trees_built(&b) == built);
    put_images(&b, 51, true, "a 900, c 700"); /* one more, and one less */
    assert_true(noted(&b, "a:latest") && noted(&b, "d:latest"));
    decide_all(&b, pods, fits);
    const uint64_t again = trees_built(&b);
    assert_true(again > built); /* with 77 nodes instead of 76, the image is worth a point more, */
    put_images(&b, 53, true, "a 900, c 700, d 30");
    assert_true(noted(&b, "a:latest"));
    decide_all(&b, pods, fits);
    assert_true(trees_built(&b) == again);   /* and with 78 as much as with 77 */
    put_images(&b, 9, true, "a 800, b 400"); /* it alone has b */
    assert_true(noted(&b, "b:latest"));
    decide_all(&b, pods, fits);
    for (uint32_t i = 0; i < 80; i++) {
        static const char *const lists[] = {"a 900", "b 500, d 30", "c 700", "a 900, c 700, e 4"};
        put_images(&b, both_below(&b, NODES), true, lists[both_below(&b, 4)]);
        decide_all(&b, pods, fits);
        if (i % 3 == 0)
            for (uint32_t k = 0; k < 2; k++) {
                const berth_pod_id pod =
                    small_addf(&b.c[k],
                               "apiVersion: v1\nkind: Pod\nmetadata: {name: q%u}\n"
                               "spec: {containers: [{name: c, image: a}]}\n",
                               (unsigned)i);
                small_require(berth_engine_bind(b.c[k].engine, pod, i, NULL), NULL);
            }
    }
    both_close(&b);
}

/* Images of a transaction are taken back: what the pods' images are worth is as before. */
static void test_rolled_back_images(void **state)
{
    (void)state;
    both_paths b;
    berth_profile profile = *berth_profile_default();
    profile.percentage_of_nodes_to_score = 100;
    both_open(&b, &profile);
    for (uint32_t i = 0; i < 20; i++)
        put_images(&b, i, false, i % 2 == 0 ? "a 900" : "c 700");
    berth_pod_id pods[KINDS];
    uint32_t fits[KINDS];
    for (uint32_t kind = 0; kind < KINDS; kind++)
        pods[kind] = add_imaged(&b, kind);
    for (uint32_t i = 0; i < 40; i++) {
        decide_all(&b, pods, fits);
        for (uint32_t k = 0; k < 2; k++)
            small_require(berth_engine_begin(b.c[k].engine, NULL), NULL);
        for (uint32_t n = 0; n < 3; n++)
            put_images(&b, both_below(&b, 20), true, n == 0 ? "a 900, b 500, d 600" : "c 700");
        decide_all(&b, pods, fits);
        for (uint32_t k = 0; k < 2; k++)
            small_require(i % 8 == 7 ? berth_engine_commit(b.c[k].engine, NULL)
                                     : berth_engine_rollback(b.c[k].engine, NULL),
                          NULL);
    }
    both_close(&b);
}

/* ---- scorers ---- */

static bool is_green(const berth_cycle *cycle, uint32_t slot)
{
    return berth_cycle_node_label(cycle, slot, (berth_str)TEXT("green")).data != NULL;
}

static berth_prepared prepare_green(berth_preparation *preparation)
{
    for (uint32_t slot = 0; slot < berth_cycle_slot_count(preparation->cycle); slot++)
        if (is_green(preparation->cycle, slot))
            return BERTH_PREPARED_ACTIVE;
    return BERTH_PREPARED_SKIP;
}

static void score_green(const berth_cycle *cycle, const void *instance, const void *plugin_state,
                        const berth_slice *slice, int64_t *values)
{
    (void)instance;
    (void)plugin_state;
    for (uint32_t i = 0; i < slice->count; i++)
        values[i] = is_green(cycle, slice->index * BERTH_SLICE + i) ? 100 : 0;
}

static berth_node_id best_node(const small_cluster *c, berth_pod_id pod)
{
    berth_error error = {.code = BERTH_OK};
    berth_placement placement;
    small_require(berth_engine_decide(c->engine, pod, NULL, &placement, &error), &error);
    assert_int_equal(placement.best_count, 1);
    return placement.node;
}

/* With another taint and label of one node, another scorer takes part instead of the one before:
 * what was kept of that one's values is not taken for the other's. */
static void test_another_scorer(void **state)
{
    static const berth_plugin green = {.size = sizeof(green),
                                       .flags = BERTH_PLUGIN_STATIC,
                                       .name = "Green",
                                       .prepare_score = prepare_green,
                                       .score = score_green};
    static const char changed[] = "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {green: "
                                  "'1'}}\nstatus: {allocatable: {cpu: '4', pods: '110'}}\n";
    const berth_plugin_ref filter = {.name = TEXT("NodeResourcesFit")};
    const berth_plugin_ref scorers[] = {{.name = TEXT("TaintToleration"), .weight = 1},
                                        {.name = TEXT("Green"), .weight = 1}};
    berth_plugin_list points[BERTH_POINT_COUNT] = {
        [BERTH_POINT_FILTER] = {&filter, 1}, [BERTH_POINT_SCORE] = {scorers, 2}};
    const berth_profile profile = {.points = points, .point_count = BERTH_POINT_COUNT};
    const berth_plugin *const plugin = &green;
    berth_engine_config config;
    berth_error error = {.code = BERTH_OK};
    small_cluster c;
    (void)state;
    berth_engine_config_init(&config);
    config.profiles = &profile;
    config.profile_count = 1;
    config.plugins = &plugin;
    config.plugin_count = 1;
    config.path = BERTH_PATH_SCAN;
    small_open_as(&c, config);
    const berth_node_id a = (berth_node_id)small_add(
        &c, "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec: {taints: [{key: k, effect: "
            "PreferNoSchedule}]}\nstatus: {allocatable: {cpu: '4', pods: '110'}}\n");
    const berth_node_id b = small_node(&c, "b", "");
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", "containers: [{name: c}]");
    for (int i = 0; i < 4; i++)
        assert_int_equal(best_node(&c, pod), b);
    small_require(
        berth_reader_text(c.reader, (berth_str)TEXT(changed), "test", update, c.engine, &error),
        &error);
    for (int i = 0; i < 4; i++)
        assert_int_equal(best_node(&c, pod), a);
    small_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_changes_of_some_news),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_changed_nodes),
        cmocka_unit_test(test_moved_domains),
        cmocka_unit_test(test_changed_images),
        cmocka_unit_test(test_rolled_back_images),
        cmocka_unit_test(test_another_scorer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
