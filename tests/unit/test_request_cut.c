/* Requests of pods with many resources: each resource has the value of a pod that has only that
 * one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/text.h"
#include "model/pod_class.h"

enum { RESOURCES = 12, CONTAINERS = 8, ROUNDS = 300 };

static char names[RESOURCES][32], container_names[CONTAINERS][8];

/* Draws a list of some of the resources, or, unless `only` is UINT32_MAX, its entry for that
 * resource. */
static berth_resources draw_list(berth__random *random, berth_resource *items, uint32_t only)
{
    uint32_t count = 0;
    bool any = false;
    for (uint32_t r = 0; r < RESOURCES; r++) {
        bool listed = berth__random_below(random, 3) != 0;
        int64_t amount = berth__random_below(random, 9);
        any |= listed;
        if (listed && (only == UINT32_MAX || only == r))
            items[count++] = (berth_resource){berth__text_of(names[r]), {amount, 0}};
    }
    if (any) /* since v1.37 it matters whether a list is empty */
        items[count++] = (berth_resource){BERTH_STR("cpu"), {0, 0}};
    return (berth_resources){items, count};
}

typedef struct drawn {
    berth_pod pod;
    berth_container containers[2][CONTAINERS];
    berth_container_status statuses[2][CONTAINERS];
    berth_resource items[6 * CONTAINERS + 4][RESOURCES + 1];
    berth_condition refused;
} drawn;

static void draw_containers(berth__random *random, drawn *out, bool init, uint32_t only,
                            uint32_t *lists, uint32_t *count, uint32_t *status_count)
{
    *count = 1 + berth__random_below(random, CONTAINERS);
    *status_count = 0;
    for (uint32_t i = 0; i < *count; i++) {
        berth_str name = berth__text_of(container_names[i]);
        out->containers[init][i] =
            (berth_container){.name = name,
                              .requests = draw_list(random, out->items[(*lists)++], only),
                              .restart_always = berth__random_below(random, 2) == 0};
        bool has_status = berth__random_below(random, 2) == 0;
        bool has_resources = berth__random_below(random, 4) != 0;
        berth_resources requests = draw_list(random, out->items[(*lists)++], only);
        berth_resources allocated = draw_list(random, out->items[(*lists)++], only);
        if (has_status)
            out->statuses[init][(*status_count)++] =
                (berth_container_status){.name = name,
                                         .has_resources = has_resources,
                                         .requests = requests,
                                         .allocated = allocated};
    }
}

/* Draws the pod of a seed, complete or with one resource. */
static void draw_pod(uint64_t seed, uint32_t only, drawn *out)
{
    berth__random random = {seed};
    uint32_t lists = 0;
    memset(out, 0, sizeof(*out));
    berth_pod *pod = &out->pod;
    draw_containers(&random, out, false, only, &lists, &pod->container_count,
                    &pod->container_status_count);
    draw_containers(&random, out, true, only, &lists, &pod->init_container_count,
                    &pod->init_container_status_count);
    pod->containers = out->containers[0];
    pod->init_containers = out->containers[1];
    pod->container_statuses = out->statuses[0];
    pod->init_container_statuses = out->statuses[1];
    pod->overhead = draw_list(&random, out->items[lists++], only);
    pod->pod_requests = draw_list(&random, out->items[lists++], only);
    pod->has_status_resources = berth__random_below(&random, 2) == 0;
    pod->status_requests = draw_list(&random, out->items[lists++], only);
    pod->status_allocated = draw_list(&random, out->items[lists++], only);
    out->refused =
        (berth_condition){.type = BERTH_STR("PodResizePending"), .reason = BERTH_STR("Infeasible")};
    pod->conditions = &out->refused;
    pod->condition_count = berth__random_below(&random, 4) == 0;
}

static void check(berth__model *model, uint64_t seed)
{
    static drawn whole, part;
    berth__request all, one;
    berth_error error;
    uint32_t found = 0;
    draw_pod(seed, UINT32_MAX, &whole);
    assert_int_equal(berth__request_compute(model, &whole.pod, &all, &error), BERTH_OK);
    for (uint32_t r = 0; r < RESOURCES; r++) {
        draw_pod(seed, r, &part);
        assert_int_equal(berth__request_compute(model, &part.pod, &one, &error), BERTH_OK);
        if (one.scalar_count == 0)
            continue;
        assert_int_equal(one.scalar_count, 1);
        assert_true(found < all.scalar_count);
        const berth__scalar_request *own = one.scalars;
        const berth__scalar_request *same = NULL;
        for (uint32_t i = 0; i < all.scalar_count; i++)
            if (all.scalars[i].resource == own->resource)
                same = &all.scalars[i];
        assert_non_null(same);
        assert_int_equal(same->ask, own->ask);
        assert_int_equal(same->use, own->use);
        assert_int_equal(same->scored, own->scored);
        found++;
    }
    assert_int_equal(found, all.scalar_count);
}

static void a_resource_counts_by_itself(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < RESOURCES; r++)
        snprintf(names[r], sizeof(names[r]), r % 4 == 3 ? "hugepages-%uMi" : "example.com/r%u",
                 (unsigned)r);
    for (uint32_t i = 0; i < CONTAINERS; i++)
        snprintf(container_names[i], sizeof(container_names[i]), "c%u", (unsigned)i);
    static const uint32_t versions[] = {15, 32, 33, 34, 36, 37};
    for (uint32_t v = 0; v < sizeof(versions) / sizeof(versions[0]); v++) {
        berth__behaviours behaviours;
        berth__model model;
        assert_int_equal(berth__behaviours_make(versions[v], (berth_str){0}, &behaviours, NULL),
                         BERTH_OK);
        assert_int_equal(berth__model_init(&model, berth__allocator_default(), &behaviours),
                         BERTH_OK);
        for (uint64_t seed = 1; seed <= ROUNDS; seed++)
            check(&model, seed);
        berth__model_destroy(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_resource_counts_by_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
