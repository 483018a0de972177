/* After a publication, the first change of a part of the state copies it, and later changes write
 * to the copy: memory does not grow with the number of changes until the next publication. */
#include "branch_cluster.h"

enum { WARM = 4, ROUNDS = 40 };

static void fill(counted_cluster *t)
{
    small_node(&t->c, "a", ", labels: {failure-domain.beta.kubernetes.io/zone: z1}");
    small_node(&t->c, "b", ", labels: {failure-domain.beta.kubernetes.io/zone: z2}");
    small_pod(&t->c, "there", "a", ", labels: {app: x}", "containers: []");
    t->pods[0] = small_pod(&t->c, "p", NULL, ", labels: {app: x}", "containers: []");
}

static void update(counted_cluster *t, const char *name, const char *zone)
{
    const berth_key_value label = {TEXT("topology.kubernetes.io/zone"),
                                   {zone, (uint32_t)strlen(zone)}};
    const berth_node node = {
        .meta = {.name = {name, (uint32_t)strlen(name)}, .labels = {&label, 1}}};
    const berth_object object = {.kind = BERTH_KIND_NODE, .as.node = &node};
    assert_int_equal(berth_engine_update(t->c.engine, &object, NULL), BERTH_OK);
}

static void move_node(counted_cluster *t)
{
    update(t, "b", "z3");
    update(t, "b", "z4");
}

static void bind_and_unbind(counted_cluster *t)
{
    assert_int_equal(berth_engine_bind(t->c.engine, t->pods[0], 0, NULL), BERTH_OK);
    assert_int_equal(berth_engine_unbind(t->c.engine, t->pods[0], NULL), BERTH_OK);
}

static void pod_comes_and_goes(counted_cluster *t)
{
    small_pod(&t->c, "guest", "b", ", labels: {app: z}", "containers: []");
    remove_named(t->c.engine, BERTH_KIND_POD, "guest");
}

static void remove_from_default(counted_cluster *t, berth_kind kind)
{
    assert_int_equal(berth_engine_remove(t->c.engine, kind, (berth_str)TEXT("default"),
                                         (berth_str)TEXT("s"), NULL),
                     BERTH_OK);
}

static void service_comes_and_goes(counted_cluster *t)
{
    small_add(&t->c, "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: default}\n"
                     "spec: {selector: {app: x}}\n");
    remove_from_default(t, BERTH_KIND_SERVICE);
}

static void budget_comes_and_goes(counted_cluster *t)
{
    small_add(&t->c, "apiVersion: policy/v1\nkind: PodDisruptionBudget\n"
                     "metadata: {name: s, namespace: default}\n"
                     "spec: {selector: {matchLabels: {app: x}}}\n");
    remove_from_default(t, BERTH_KIND_POD_DISRUPTION_BUDGET);
}

static void cordon_and_uncordon(counted_cluster *t)
{
    assert_int_equal(berth_engine_cordon_node(t->c.engine, 0, true, NULL), BERTH_OK);
    assert_int_equal(berth_engine_cordon_node(t->c.engine, 0, false, NULL), BERTH_OK);
}

static void close_and_open(counted_cluster *t)
{
    assert_int_equal(berth_engine_close_node(t->c.engine, 0, true, NULL), BERTH_OK);
    assert_int_equal(berth_engine_close_node(t->c.engine, 0, false, NULL), BERTH_OK);
}

static const struct {
    const char *name;
    void (*change)(counted_cluster *t);
} changes[] = {
    {"a node moves", move_node},
    {"a pod is bound and unbound", bind_and_unbind},
    {"a pod comes and goes", pod_comes_and_goes},
    {"a service comes and goes", service_comes_and_goes},
    {"a budget comes and goes", budget_comes_and_goes},
    {"a node is cordoned", cordon_and_uncordon},
    {"a node is closed", close_and_open},
};

static void test_changes_are_owned_once(void **state)
{
    (void)state;
    static counted_cluster t;
    for (size_t which = 0; which < sizeof(changes) / sizeof(changes[0]); which++) {
        counted_open(&t, fill);
        assert_int_equal(berth_engine_node_order(t.c.engine, NULL, 0, NULL, NULL), BERTH_OK);
        assert_int_equal(berth_engine_publish(t.c.engine, NULL), BERTH_OK);
        for (int i = 0; i < WARM; i++)
            changes[which].change(&t);
        size_t bytes = atomic_load(&t.counted.bytes);
        for (int i = 0; i < ROUNDS; i++)
            changes[which].change(&t);
        if (atomic_load(&t.counted.bytes) != bytes)
            print_message("%s: %zu bytes more\n", changes[which].name,
                          atomic_load(&t.counted.bytes) - bytes);
        assert_int_equal(atomic_load(&t.counted.bytes), bytes);
        counted_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes_are_owned_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
