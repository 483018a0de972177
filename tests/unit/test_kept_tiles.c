/* A new order of nodes keeps the tiles before the first node that moves (columns/relayout.c): with
 * snapshots that show them, in transactions that are rolled back, and with nodes that leave in the
 * middle, both paths decide alike, counts are right, and snapshots stay as they are. */
#include "both_paths.h"

enum { NODES = 400, STEPS = 12 };

static void add_node(both_paths *b, uint32_t number)
{
    (void)both_addf(b,
                    "apiVersion: v1\nkind: Node\nmetadata: {name: n%1$u, labels: "
                    "{kubernetes.io/hostname: n%1$u, topology.kubernetes.io/zone: z%2$u}}\n"
                    "status: {allocatable: {cpu: 4, memory: 16Gi, pods: 20}}\n",
                    (unsigned)number, (unsigned)number % 2);
}

static void remove_node(const both_paths *b, uint32_t number)
{
    char name[16];
    const int length = snprintf(name, sizeof(name), "n%u", (unsigned)number);
    for (uint32_t k = 0; k < 2; k++)
        small_require(berth_engine_remove(b->c[k].engine, BERTH_KIND_NODE, (berth_str){0},
                                          (berth_str){name, (uint32_t)length}, NULL),
                      NULL);
}

/* Place pods that spread and have a port, which nodes keep in sets of their own. */
static void place(both_paths *b, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        const berth_pod_id pod = both_addf(
            b,
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p%u, labels: {app: a}}\n"
            "spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, "
            "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: a}}}], "
            "containers: [{name: c, image: i, ports: [{containerPort: 1, hostPort: %u}]}]}\n",
            (unsigned)i, 80 + (unsigned)i % 2);
        berth_placement got[2];
        for (uint32_t k = 0; k < 2; k++)
            small_require(berth_engine_schedule(b->c[k].engine, pod, &got[k], NULL), NULL);
        assert_int_equal(got[0].verdict, BERTH_VERDICT_PLACED);
        assert_int_equal(got[0].node, got[1].node);
        assert_int_equal(got[0].feasible_count, got[1].feasible_count);
    }
}

static void check(const both_paths *b)
{
    berth_error error = {.code = BERTH_OK};
    for (uint32_t k = 0; k < 2; k++)
        small_require(berth_engine_check(b->c[k].engine, &error), &error);
    assert_true(berth_engine_digest(b->c[0].engine) == berth_engine_digest(b->c[1].engine));
}

static void open_nodes(both_paths *b)
{
    both_open(b, berth_profile_default());
    for (uint32_t i = 0; i < NODES; i++)
        add_node(b, i);
    place(b, 0, 200);
}

/* Nodes come behind the others, and leave anywhere. */
static void change_nodes(both_paths *b, uint32_t step)
{
    add_node(b, NODES + step);
    place(b, 200 + 20 * step, 10);
    if (step % 3 == 2)
        remove_node(b, both_below(b, NODES / 4) * 4 + step / 3);
    place(b, 210 + 20 * step, 10);
    check(b);
}

static void test_changes(void **state)
{
    (void)state;
    both_paths b;
    open_nodes(&b);
    for (uint32_t step = 0; step < STEPS; step++)
        change_nodes(&b, step);
    both_close(&b);
}

static void test_snapshots(void **state)
{
    (void)state;
    both_paths b;
    berth_snapshot *pinned[STEPS];
    uint64_t digests[STEPS];
    open_nodes(&b);
    const berth_engine *engine = b.c[0].engine;
    for (uint32_t step = 0; step < STEPS; step++) {
        small_require(berth_engine_publish(b.c[0].engine, NULL), NULL);
        pinned[step] = berth_engine_pin(engine);
        digests[step] = berth_snapshot_digest(pinned[step]);
        change_nodes(&b, step);
        if (step % 2 == 1) { /* the older one of two, so that others still show its tiles */
            berth_snapshot_unpin(pinned[step - 1]);
            pinned[step - 1] = NULL;
        }
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        berth_error error = {.code = BERTH_OK};
        if (pinned[step] == NULL)
            continue;
        small_require(berth_snapshot_check(pinned[step], &error), &error);
        assert_true(berth_snapshot_digest(pinned[step]) == digests[step]);
        berth_snapshot_unpin(pinned[step]);
    }
    both_close(&b);
}

static void test_rollbacks(void **state)
{
    (void)state;
    both_paths b;
    open_nodes(&b);
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint64_t digest = berth_engine_digest(b.c[0].engine);
        for (uint32_t k = 0; k < 2; k++)
            small_require(berth_engine_begin(b.c[k].engine, NULL), NULL);
        change_nodes(&b, step);
        for (uint32_t k = 0; k < 2; k++)
            small_require(step % 4 == 3 ? berth_engine_commit(b.c[k].engine, NULL)
                                        : berth_engine_rollback(b.c[k].engine, NULL),
                          NULL);
        check(&b);
        if (step % 4 != 3)
            assert_true(berth_engine_digest(b.c[0].engine) == digest);
    }
    both_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_snapshots),
        cmocka_unit_test(test_rollbacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
