/* Computes a pod's limits: the maximum of the containers and sidecars that run together, and of
 * each init container with the sidecars that start before it. Limits of the pod as a whole replace
 * the sums; overhead is added if there is a limit. Source of the rule: component-helpers v0.36
 * resource/helpers.go, PodLimits. */
#include "top/pod_limits.h"

#include <stdlib.h>

#include "cli/amounts.h"
#include "cli/heap.h"

typedef struct limit_sum {
    int64_t together; /* containers and sidecars */
    int64_t sidecars; /* sidecars started so far */
    int64_t most;     /* largest of one init container with the sidecars before it */
    bool set;         /* some container names the resource */
} limit_sum;

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Rounds up, as Kubernetes does. */
static int64_t amount_of(const berth_resource *resource)
{
    berth_quantity q = resource->amount;
    if (!words_equal(resource->name, words_of("cpu")))
        return q.nanos > 0 ? amount_sum(q.units, 1) : q.units;
    if (q.units >= INT64_MAX / 1000)
        return INT64_MAX;
    return q.units * 1000 + (q.nanos + 999999) / 1000000;
}

static limit_sum *sum_of(pod_limits *l, berth_str resource)
{
    uint32_t number = word_table_add(&l->resources, resource);
    l->sums = heap_grow(l->sums, &l->sum_capacity, (size_t)number + 1, sizeof(*l->sums));
    for (; l->sum_count <= number; l->sum_count++)
        l->sums[l->sum_count] = (limit_sum){0};
    return &l->sums[number];
}

static void add_container(pod_limits *l, const berth_container *container)
{
    for (uint32_t i = 0; i < container->limits.count; i++) {
        limit_sum *sum = sum_of(l, container->limits.items[i].name);
        sum->together = amount_sum(sum->together, amount_of(&container->limits.items[i]));
        sum->set = true;
    }
}

static void add_init_container(pod_limits *l, const berth_container *container)
{
    for (uint32_t i = 0; i < container->limits.count; i++) {
        limit_sum *sum = sum_of(l, container->limits.items[i].name);
        int64_t with_sidecars = amount_sum(sum->sidecars, amount_of(&container->limits.items[i]));
        sum->most = larger(sum->most, with_sidecars);
        sum->set = true;
        if (container->restart_always)
            sum->sidecars = with_sidecars;
    }
    if (container->restart_always)
        add_container(l, container);
}

static bool names(const berth_resources *resources, const char *name)
{
    for (uint32_t i = 0; i < resources->count; i++)
        if (words_equal(resources->items[i].name, words_of(name)))
            return true;
    return false;
}

static void count_container(const berth_pod *pod, const berth_container *container, pod_limit *out)
{
    out->containers++;
    out->without_cpu += !names(&container->limits, "cpu") && !names(&pod->pod_limits, "cpu");
    out->without_memory +=
        !names(&container->limits, "memory") && !names(&pod->pod_limits, "memory");
}

static void add_containers(pod_limits *l, const berth_pod *pod, pod_limit *out)
{
    for (uint32_t i = 0; i < pod->container_count; i++) {
        add_container(l, &pod->containers[i]);
        count_container(pod, &pod->containers[i], out);
    }
    for (uint32_t i = 0; i < pod->init_container_count; i++) {
        add_init_container(l, &pod->init_containers[i]);
        if (pod->init_containers[i].restart_always)
            count_container(pod, &pod->init_containers[i], out);
    }
    for (uint32_t i = 0; i < pod->pod_limits.count; i++)
        *sum_of(l, pod->pod_limits.items[i].name) =
            (limit_sum){.together = amount_of(&pod->pod_limits.items[i]), .set = true};
    for (uint32_t i = 0; i < pod->overhead.count; i++) {
        limit_sum *sum = sum_of(l, pod->overhead.items[i].name);
        sum->together = larger(sum->together, sum->most);
        if (sum->set)
            sum->together = amount_sum(sum->together, amount_of(&pod->overhead.items[i]));
    }
}

void pod_limits_add(pod_limits *l, const berth_pod *pod, berth_pod_id id)
{
    pod_limit one = {.pod = id, .first = l->amount_count};
    if (id == BERTH_POD_NONE)
        return;
    add_containers(l, pod, &one);
    l->amounts = heap_grow(l->amounts, &l->amount_capacity, l->amount_count + l->sum_count,
                           sizeof(*l->amounts));
    for (uint32_t r = 0; r < l->sum_count; r++) {
        if (l->sums[r].set) {
            l->amounts[l->amount_count++] =
                (limit_amount){r, larger(l->sums[r].together, l->sums[r].most)};
            one.count++;
        }
        l->sums[r] = (limit_sum){0};
    }
    l->pods = heap_grow(l->pods, &l->pod_capacity, l->pod_count + 1, sizeof(*l->pods));
    l->pods[l->pod_count++] = one;
}

static int by_id(const void *a, const void *b)
{
    const pod_limit *left = a;
    const pod_limit *right = b;
    return (left->pod > right->pod) - (left->pod < right->pod);
}

static int by_id_and_arrival(const void *a, const void *b)
{
    const pod_limit *left = a;
    const pod_limit *right = b;
    int order = by_id(a, b);
    return order != 0 ? order : (left->first > right->first) - (left->first < right->first);
}

/* A pod that appears twice in the input was added twice under one id; the first one stays. */
void pod_limits_sort(pod_limits *l)
{
    size_t kept = 0;
    if (l->pod_count > 0)
        qsort(l->pods, l->pod_count, sizeof(*l->pods), by_id_and_arrival);
    for (size_t i = 0; i < l->pod_count; i++)
        if (kept == 0 || l->pods[kept - 1].pod != l->pods[i].pod)
            l->pods[kept++] = l->pods[i];
    l->pod_count = kept;
}

const pod_limit *pod_limits_find(const pod_limits *l, berth_pod_id id)
{
    const pod_limit wanted = {.pod = id};
    if (l->pod_count == 0)
        return NULL;
    return bsearch(&wanted, l->pods, l->pod_count, sizeof(*l->pods), by_id);
}

void pod_limits_free(pod_limits *l)
{
    word_table_free(&l->resources);
    free(l->amounts);
    free(l->pods);
    free(l->sums);
    *l = (pod_limits){0};
}
