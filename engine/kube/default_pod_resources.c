/* The API server's defaults of a pod's own resources (spec.resources), as far as placement reads
 * them: its requests. (The API server also fills in limits of huge pages, equal to what the
 * containers request.)
 * Source: kubernetes v1.36 pkg/apis/core/v1/defaults.go, setDefaultPodLevelResources. */
#include "base/text.h"
#include "kube/reader_state.h"
#include "model/model.h"

static bool find(berth_resources list, berth_str name, __int128 *nanos)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (!berth__str_eq(list.items[i].name, name))
            continue;
        *nanos = berth__amount_nanos(list.items[i].amount);
        return true;
    }
    return false;
}

static __int128 larger(__int128 a, __int128 b)
{
    return a > b ? a : b;
}

/* The sum of the containers' requests; false if none names the resource. */
static bool sum_of_containers(const berth_pod *pod, berth_str name, __int128 *sum)
{
    __int128 regular = 0, sidecars = 0, peak = 0;
    bool named = false;
    for (uint32_t i = 0; i < pod->container_count; i++) {
        __int128 amount = 0;
        named |= find(pod->containers[i].requests, name, &amount);
        regular += amount;
    }
    for (uint32_t i = 0; i < pod->init_container_count; i++) {
        __int128 amount = 0;
        named |= find(pod->init_containers[i].requests, name, &amount);
        sidecars += pod->init_containers[i].restart_always ? amount : 0;
        peak = larger(peak, sidecars + (pod->init_containers[i].restart_always ? 0 : amount));
    }
    *sum = larger(regular + sidecars, peak);
    return named;
}

static berth_quantity quantity_of(__int128 nanos)
{
    const __int128 unit = 1000000000, most = (__int128)INT64_MAX * unit;
    nanos = nanos > most ? most : nanos;
    return (berth_quantity){(int64_t)(nanos / unit), (int32_t)(nanos % unit)};
}

static bool is_supported(berth_str name)
{
    static const char huge[] = "hugepages-";
    return berth__str_is(name, "cpu") || berth__str_is(name, "memory") ||
           (name.len >= sizeof(huge) - 1 &&
            berth__str_eq((berth_str){name.data, sizeof(huge) - 1}, BERTH_STR("hugepages-")));
}

bool berth__default_pod_requests(berth__arena *arena, berth_pod *pod)
{
    static const berth_str summed[] = {BERTH_STR("cpu"), BERTH_STR("memory")};
    uint32_t count = pod->pod_requests.count;
    __int128 nanos = 0;
    if (pod->pod_limits.count == 0)
        return true;
    berth_resource *items =
        berth__arena_alloc(arena, (count + 2 + pod->pod_limits.count) * sizeof(*items), 8);
    if (items == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        items[i] = pod->pod_requests.items[i];
    for (int i = 0; i < 2; i++)
        if (!find((berth_resources){items, count}, summed[i], &nanos) &&
            sum_of_containers(pod, summed[i], &nanos))
            items[count++] = (berth_resource){summed[i], quantity_of(nanos)};
    for (uint32_t i = 0; i < pod->pod_limits.count; i++) {
        const berth_resource *limit = &pod->pod_limits.items[i];
        if (is_supported(limit->name) &&
            !find((berth_resources){items, count}, limit->name, &nanos))
            items[count++] = *limit;
    }
    pod->pod_requests = (berth_resources){items, count};
    return true;
}
