/* Which pods of a cluster's input are new, and which are skipped: found by id, whatever their
 * order was; and claims that several of its pods share. */
#include "rule_cluster.h"

#include "loading/claim_book.h"
#include "loading/cluster_input.h"
#include "loading/planned.h"

/* Every id of the list is found, and none beside one. */
static void fresh_pods(void **state)
{
    static berth_pod_id ids[] = {3, 5, 9, 200, 70000, UINT32_C(0x80000001), UINT32_C(0xfffffff0)};
    const size_t count = sizeof(ids) / sizeof(ids[0]);
    (void)state;
    for (size_t first = 0; first <= count; first++) {
        const cluster_input input = {.fresh = ids, .fresh_count = first};
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(cluster_input_is_fresh(&input, ids[i]), i < first);
            assert_false(cluster_input_is_fresh(&input, ids[i] - 1));
            assert_false(cluster_input_is_fresh(&input, ids[i] + 1));
        }
    }
}

/* They are sorted once all is admitted. */
static void skipped_pods(void **state)
{
    static const berth_pod_id orders[][4] = {
        {1, 2, 3, 4}, {4, 3, 2, 1}, {3, 1, 4, 2}, {2, 4, 1, 3}};
    small_cluster c;
    (void)state;
    small_open(&c, NULL);
    for (size_t order = 0; order < 4; order++)
        for (size_t count = 0; count <= 4; count++) {
            cluster_skip skips[4];
            for (size_t i = 0; i < count; i++)
                skips[i] = (cluster_skip){.pod = orders[order][i] * 10,
                                          .reason = (uint32_t)orders[order][i]};
            cluster_input input = {.skips = skips, .skip_count = count};
            cluster_input_admit(&input, c.engine);
            for (size_t i = 0; i < 4; i++) {
                const berth_pod_id pod = orders[order][i] * 10;
                const cluster_skip *found = cluster_input_skipped(&input, pod);
                assert_int_equal(found != NULL, i < count);
                if (found != NULL)
                    assert_int_equal(found->reason, orders[order][i]);
                assert_null(cluster_input_skipped(&input, pod + 5));
            }
        }
    small_close(&c);
}

/* The ordinal of a StatefulSet's pod is the number behind the last dash. */
static void ordinals(void **state)
{
    static const struct {
        berth_str name;
        int64_t wanted;
    } cases[] = {
        {BERTH_STR("web-0"), 0},   {BERTH_STR("web-10"), 10}, {BERTH_STR("web-3-7"), 7},
        {BERTH_STR("web-"), -1},   {BERTH_STR("web"), -1},    {BERTH_STR("web7"), -1},
        {BERTH_STR("7"), -1},      {BERTH_STR("-7"), 7},      {BERTH_STR(""), -1},
        {BERTH_STR("web-7a"), -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_true(planned_ordinal(cases[i].name) == cases[i].wanted);
}

/* ---- claims that several pods share ---- */

typedef struct sharing {
    small_cluster c;
    claim_book book;
} sharing;

static berth_status see(void *context, const berth_object *object, const berth_error *origin,
                        berth_error *error)
{
    sharing *own = context;
    (void)origin;
    claim_book_see(&own->book, object);
    return berth_engine_add(own->c.engine, object, &own->c.last_id, error);
}

/* A pod that is placed is written into the claim behind those for which it is reserved. */
static void shared_claim(void **state)
{
#define USER(name)                                                                            \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name "}\nspec: {containers: [{name: c}], " \
    "resourceClaims: [{name: r, resourceClaimName: shared}]}\n---\n"
    static const char text[] =
        "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n---\n"
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {pods: 9}}\n---\n"
        "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: "
        "x, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: "
        "d}]}\n---\n"
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: shared}\nspec: "
        "{devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}\nstatus: "
        "{reservedFor: [{resource: pods, name: first}, {resource: pods, name: "
        "second}]}\n---\n" USER("first") USER("second") USER("third");
    static const char *const users[] = {"first", "second", "third"};
    const berth_metadata claim = {.namespace_name = TEXT("default"), .name = TEXT("shared")};
    sharing own = {.book = {.claim_count = 0}};
    berth_error error = {.code = BERTH_OK};
    berth_placement placement;
    (void)state;
    small_open(&own.c, NULL);
    small_require(berth_reader_text(own.c.reader, (berth_str)TEXT(text), "test", see, &own, &error),
                  &error);
    const berth_pod_id third = small_last(&own.c);
    small_require(berth_engine_schedule(own.c.engine, third, &placement, &error), &error);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    small_require(claim_book_placed(&own.book, own.c.engine, third, &error), &error);
    const berth_resource_claim *written = claim_book_written(&own.book, &claim);
    assert_non_null(written);
    assert_int_equal(written->reserved_for_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_text(written->reserved_for[i].resource, "pods");
        assert_text(written->reserved_for[i].name, users[i]);
    }
    claim_book_free(&own.book);
    small_close(&own.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_pods), cmocka_unit_test(skipped_pods),
                                       cmocka_unit_test(ordinals), cmocka_unit_test(shared_claim)};
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
