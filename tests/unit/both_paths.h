/* A cluster twice: one engine decides by the index, the other by a scan, and they must agree. */
#ifndef BERTH_TESTS_UNIT_BOTH_PATHS_H
#define BERTH_TESTS_UNIT_BOTH_PATHS_H

#include <time.h>

#include "base/random.h"
#include "rule_cluster.h"

/* Objects have the same ids in both. */
typedef struct both_paths {
    small_cluster c[2]; /* by index, by scan */
    uint64_t seed;
    berth__random source;
} both_paths;

/* Open the engines, with another seed each time; BERTH_TEST_SEED replays one. */
static inline void both_open(both_paths *b, const berth_profile *profile)
{
    const char *given = getenv("BERTH_TEST_SEED");
    b->seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    b->source = (berth__random){b->seed};
    for (uint32_t k = 0; k < 2; k++) {
        berth_engine_config config;
        berth_engine_config_init(&config);
        config.path = k == 0 ? BERTH_PATH_INDEX : BERTH_PATH_SCAN;
        config.profiles = profile;
        config.profile_count = 1;
        small_open_as(&b->c[k], config);
    }
}

static inline void both_close(both_paths *b)
{
    small_close(&b->c[0]);
    small_close(&b->c[1]);
}

static inline uint32_t both_below(both_paths *b, uint32_t bound)
{
    return berth__random_below(&b->source, bound);
}

/* Add the objects of a text that is made as by printf. Returns the id of the last one. */
static inline uint64_t both_addf(both_paths *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline uint64_t both_addf(both_paths *b, const char *format, ...)
{
    char text[SMALL_TEXT];
    va_list args;
    va_start(args, format);
    small_print(text, format, args);
    va_end(args);
    const uint64_t id = small_add(&b->c[0], text);
    assert_true(small_add(&b->c[1], text) == id);
    return id;
}

static inline bool both_bound(const both_paths *b, berth_pod_id pod)
{
    return berth_engine_pod_node(b->c[0].engine, pod) != BERTH_NODE_NONE;
}

static inline void both_bind(both_paths *b, berth_pod_id pod, berth_node_id node)
{
    for (uint32_t k = 0; k < 2; k++)
        assert_int_equal(berth_engine_bind(b->c[k].engine, pod, node, NULL), BERTH_OK);
}

static inline void both_unbind(both_paths *b, berth_pod_id pod)
{
    for (uint32_t k = 0; k < 2; k++)
        assert_int_equal(berth_engine_unbind(b->c[k].engine, pod, NULL), BERTH_OK);
}

/* Decide on a pod, which is not bound, and compare. */
static inline void both_decide(both_paths *b, berth_pod_id pod)
{
    berth_placement got[2];
    for (uint32_t k = 0; k < 2; k++)
        assert_int_equal(berth_engine_decide(b->c[k].engine, pod, NULL, &got[k], NULL), BERTH_OK);
    assert_int_equal(got[0].path, BERTH_PATH_INDEX);
    assert_int_equal(got[1].path, BERTH_PATH_SCAN);
    if (got[0].node != got[1].node || got[0].total != got[1].total ||
        got[0].best_count != got[1].best_count || got[0].feasible_count != got[1].feasible_count)
        fail_msg("pod %llu: by index node %u, one of %u with %lld, of %u; by scan node %u, one of "
                 "%u with %lld, of %u; BERTH_TEST_SEED=%llu",
                 (unsigned long long)pod, (unsigned)got[0].node, (unsigned)got[0].best_count,
                 (long long)got[0].total, (unsigned)got[0].feasible_count, (unsigned)got[1].node,
                 (unsigned)got[1].best_count, (long long)got[1].total,
                 (unsigned)got[1].feasible_count, (unsigned long long)b->seed);
}

/* Place a pod, and compare. */
static inline void both_schedule(both_paths *b, berth_pod_id pod)
{
    berth_placement got[2];
    both_decide(b, pod);
    for (uint32_t k = 0; k < 2; k++)
        assert_int_equal(berth_engine_schedule(b->c[k].engine, pod, &got[k], NULL), BERTH_OK);
    assert_int_equal(got[0].node, got[1].node);
}

#endif
