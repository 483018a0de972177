/* Makes changed copies of pods. Objects are const, so each array that changes is copied and freed
 * with the draft. */
#include "explain/pod_draft.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "cli/words.h"

/* Room for `count` items, the first `from_count` copied from `from`. */
static void *copy_items(pod_draft *draft, const void *from, size_t from_count, size_t count,
                        size_t bytes)
{
    char *items = heap_new(count, bytes);
    if (from_count > 0)
        memcpy(items, from, from_count * bytes);
    draft->owned = heap_grow(draft->owned, &draft->owned_capacity, draft->owned_count + 1,
                             sizeof(*draft->owned));
    draft->owned[draft->owned_count++] = items;
    return items;
}

/* Name the claims that were made from a template. They belong to another pod; by name they serve
 * this one, too. */
static void name_claims(pod_draft *draft)
{
    berth_pod *pod = &draft->pod;
    if (pod->resource_claim_status_count == 0)
        return;
    berth_pod_claim *entries = copy_items(draft, pod->resource_claims, pod->resource_claim_count,
                                          pod->resource_claim_count, sizeof(*entries));
    for (uint32_t i = 0; i < pod->resource_claim_count; i++)
        for (uint32_t k = 0; k < pod->resource_claim_status_count; k++) {
            const berth_pod_claim *made = &pod->resource_claim_statuses[k];
            if (entries[i].claim.data != NULL || made->claim.data == NULL ||
                !words_equal(entries[i].name, made->name))
                continue;
            entries[i].claim = made->claim;
            entries[i].claim_template = (berth_str){0};
        }
    pod->resource_claims = entries;
}

void pod_draft_open(pod_draft *draft, const berth_pod *from)
{
    *draft = (pod_draft){.pod = *from};
    name_claims(draft);
    draft->pod.template_id = 0;
    draft->pod.node_name = draft->pod.phase = (berth_str){0};
    draft->pod.start_time_ns = 0;
}

void pod_draft_close(pod_draft *draft)
{
    for (size_t i = 0; i < draft->owned_count; i++)
        free(draft->owned[i]);
    free(draft->owned);
    *draft = (pod_draft){0};
}

void pod_draft_tolerate(pod_draft *draft, const berth_taint *taints, uint32_t count)
{
    berth_pod *pod = &draft->pod;
    uint32_t had = pod->toleration_count;
    berth_toleration *all =
        copy_items(draft, pod->tolerations, had, (size_t)had + count, sizeof(*all));
    for (uint32_t i = 0; i < count; i++)
        all[had + i] = (berth_toleration){.key = taints[i].key,
                                          .op = words_of("Equal"),
                                          .value = taints[i].value,
                                          .effect = taints[i].effect};
    pod->tolerations = all;
    pod->toleration_count = had + count;
}

void pod_draft_drop_selector(pod_draft *draft, berth_str key)
{
    berth_map *map = &draft->pod.node_selector;
    berth_key_value *kept = copy_items(draft, map->entries, map->count, map->count, sizeof(*kept));
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->count; i++)
        if (!words_equal(map->entries[i].key, key))
            kept[count++] = map->entries[i];
    *map = (berth_map){kept, count};
}

void pod_draft_drop_node_affinity(pod_draft *draft)
{
    draft->pod.node_affinity.required = NULL;
}

static void drop_terms(pod_draft *draft, berth_pod_affinity *affinity, berth_str topology_key)
{
    berth_pod_affinity_term *kept = copy_items(draft, affinity->required, affinity->required_count,
                                               affinity->required_count, sizeof(*kept));
    uint32_t count = 0;
    for (uint32_t i = 0; i < affinity->required_count; i++)
        if (!words_equal(affinity->required[i].topology_key, topology_key))
            kept[count++] = affinity->required[i];
    affinity->required = kept;
    affinity->required_count = count;
}

void pod_draft_drop_affinity(pod_draft *draft, berth_str topology_key)
{
    drop_terms(draft, &draft->pod.pod_affinity, topology_key);
}

void pod_draft_drop_anti_affinity(pod_draft *draft, berth_str topology_key)
{
    drop_terms(draft, &draft->pod.pod_anti_affinity, topology_key);
}

void pod_draft_soften_spread(pod_draft *draft, berth_str topology_key)
{
    berth_pod *pod = &draft->pod;
    berth_topology_spread *all =
        copy_items(draft, pod->spreads, pod->spread_count, pod->spread_count, sizeof(*all));
    for (uint32_t i = 0; i < pod->spread_count; i++) {
        if (!words_equal(all[i].topology_key, topology_key))
            continue;
        all[i].when_unsatisfiable = words_of("ScheduleAnyway");
        all[i].min_domains = 0; /* only allowed with DoNotSchedule */
    }
    pod->spreads = all;
}

static const berth_container *without_ports(pod_draft *draft, const berth_container *containers,
                                            uint32_t count)
{
    berth_container *all = copy_items(draft, containers, count, count, sizeof(*all));
    for (uint32_t i = 0; i < count; i++)
        all[i].port_count = 0;
    return all;
}

void pod_draft_drop_host_ports(pod_draft *draft)
{
    berth_pod *pod = &draft->pod;
    pod->containers = without_ports(draft, pod->containers, pod->container_count);
    pod->init_containers = without_ports(draft, pod->init_containers, pod->init_container_count);
    pod->host_network = false;
}

void pod_draft_drop_gates(pod_draft *draft)
{
    draft->pod.scheduling_gates = (berth_strs){0};
}

void pod_draft_set_priority(pod_draft *draft, int32_t priority)
{
    draft->pod.has_priority = true;
    draft->pod.priority = priority;
}

/* ---- requests ---- */

/* Whole amounts: nanos are rounded up, as when requests are added up. */
static int64_t amount_of(const berth_resource *resource)
{
    const berth_quantity *q = &resource->amount;
    if (words_equal(resource->name, words_of("cpu")))
        return q->units * 1000 + (q->nanos + 999999) / 1000000;
    return q->units + (q->nanos > 0);
}

static berth_quantity quantity_of(berth_str name, int64_t amount)
{
    if (words_equal(name, words_of("cpu")))
        return (berth_quantity){amount / 1000, (int32_t)(amount % 1000) * 1000000};
    return (berth_quantity){amount, 0};
}

static int64_t asked(const berth_resources *resources, berth_str name)
{
    for (uint32_t i = 0; i < resources->count; i++)
        if (words_equal(resources->items[i].name, name))
            return amount_of(&resources->items[i]);
    return 0;
}

static void ask(pod_draft *draft, berth_resources *resources, berth_str name, int64_t amount)
{
    berth_resource *all =
        copy_items(draft, resources->items, resources->count, resources->count, sizeof(*all));
    for (uint32_t i = 0; i < resources->count; i++)
        if (words_equal(all[i].name, name))
            all[i].amount = quantity_of(name, amount);
    resources->items = all;
}

/* Set a request. The limit of an extended resource equals its request. */
static void ask_of(pod_draft *draft, berth_container *container, berth_str name, int64_t amount)
{
    int64_t before = asked(&container->requests, name);
    if (asked(&container->limits, name) == before && before > 0)
        ask(draft, &container->limits, name, amount);
    ask(draft, &container->requests, name, amount);
}

static berth_container *largest_of(berth_container *all, uint32_t count, berth_str name)
{
    berth_container *largest = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (largest == NULL || asked(&all[i].requests, name) > asked(&largest->requests, name))
            largest = &all[i];
    return largest;
}

void pod_draft_ask_less(pod_draft *draft, berth_str resource, int64_t total, int64_t less)
{
    berth_pod *pod = &draft->pod;
    int64_t left = less;
    int64_t allowed = total - less - asked(&pod->overhead, resource);
    berth_container *all = copy_items(draft, pod->containers, pod->container_count,
                                      pod->container_count, sizeof(*all));
    berth_container *first = copy_items(draft, pod->init_containers, pod->init_container_count,
                                        pod->init_container_count, sizeof(*first));
    for (uint32_t turn = 0; turn < pod->container_count && left > 0; turn++) {
        berth_container *largest = largest_of(all, pod->container_count, resource);
        int64_t has = asked(&largest->requests, resource);
        int64_t taken = has < left ? has : left;
        ask_of(draft, largest, resource, has - taken);
        left -= taken;
    }
    for (uint32_t i = 0; i < pod->init_container_count; i++)
        if (asked(&first[i].requests, resource) > allowed)
            ask_of(draft, &first[i], resource, allowed > 0 ? allowed : 0);
    pod->containers = all;
    pod->init_containers = first;
    if (asked(&pod->pod_requests, resource) > allowed)
        ask(draft, &pod->pod_requests, resource, allowed > 0 ? allowed : 0);
    pod->container_status_count = pod->init_container_status_count = 0;
    pod->has_status_resources = false;
}
