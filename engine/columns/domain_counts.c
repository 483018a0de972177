/* Counts of pods by topology domain: sums over the slots of a domain, updated as single pods come
 * and go, and read by tile. */
#include <string.h>

#include "base/assert.h"
#include "columns/pod_counts.h"

/* ---- create and destroy ---- */

static berth__domain_counts *find(const berth__population *population, berth__sym topology_key,
                                  const berth__inclusion *inclusion)
{
    berth__domain_counts *one = population->domains;
    while (one != NULL && (one->topology->key != topology_key || one->inclusion != inclusion))
        one = one->next;
    return one;
}

berth__domain_counts *berth__domain_counts_intern(berth__view *view, berth__population *population,
                                                  berth__sym topology_key,
                                                  berth__inclusion *inclusion)
{
    berth__domain_counts *one = find(population, topology_key, inclusion);
    if (one != NULL) {
        one->users++;
        return one;
    }
    one = berth__alloc_zero(view->model->allocator, sizeof(*one), _Alignof(berth__domain_counts));
    if (one == NULL)
        return NULL;
    one->topology = berth__pod_counts_topology(view, topology_key);
    if (one->topology == NULL) {
        berth__free(view->model->allocator, one, sizeof(*one));
        return NULL;
    }
    one->population = population;
    one->inclusion = inclusion;
    one->users = 1;
    one->since = BERTH__EPOCH_NONE;
    one->next = population->domains;
    population->domains = one;
    population->users++;
    if (inclusion != NULL)
        inclusion->users++;
    return one;
}

static void free_counts(const berth_allocator *allocator, berth__domain_counts *one)
{
    berth__free(allocator, one->counts, one->count_capacity * sizeof(*one->counts));
    one->counts = NULL;
    one->count_capacity = 0;
}

static void free_histogram(const berth_allocator *allocator, berth__domain_counts *one)
{
    berth__free(allocator, one->histogram, one->histogram_capacity * sizeof(*one->histogram));
    one->histogram = NULL;
    one->histogram_capacity = 0;
}

void berth__domain_counts_release(berth__view *view, berth__domain_counts *one)
{
    berth__pod_counts *counts = view->counts;
    const berth_allocator *allocator = counts->model->allocator;
    BERTH_ASSERT(one->users > 0);
    if (--one->users > 0)
        return;
    berth__population *population = one->population;
    berth__domain_counts **link = &population->domains;
    while (*link != one)
        link = &(*link)->next;
    *link = one->next;
    berth__pod_counts_release_topology(counts, one->topology);
    if (one->inclusion != NULL)
        berth__pod_counts_release_inclusion(counts, one->inclusion);
    free_counts(allocator, one);
    free_histogram(allocator, one);
    berth__free(allocator, one, sizeof(*one));
    if (--population->users == 0 && population->kind < BERTH__HOLDERS_REQUIRED_AFFINITY)
        berth__population_drop(view, population);
}

/* ---- the smallest count ---- */

void berth__domain_counts_want_lowest(berth__domain_counts *counts)
{
    if (!counts->lowest_wanted)
        counts->since = BERTH__EPOCH_NONE;
    counts->lowest_wanted = true;
}

static bool is_few(const berth__domain_counts *one)
{
    return one->counts != NULL && one->topology->domain_count <= BERTH__FEW_DOMAINS;
}

static bool reserve_histogram(const berth_allocator *allocator, berth__domain_counts *one,
                              uint32_t count)
{
    uint32_t before = one->histogram_capacity;
    if (count < before)
        return true;
    if (!berth__grow(allocator, &one->histogram, &one->histogram_capacity, count + 1,
                     sizeof(*one->histogram)))
        return false;
    memset(one->histogram + before, 0,
           (one->histogram_capacity - before) * sizeof(*one->histogram));
    return true;
}

static bool count_domain(const berth_allocator *allocator, berth__domain_counts *one,
                         uint32_t count)
{
    if (!reserve_histogram(allocator, one, count))
        return false;
    BERTH_ASSERT(one->histogram != NULL);
    one->histogram[count]++;
    one->domain_count++;
    if (count < one->lowest)
        one->lowest = count;
    return true;
}

static bool is_included(const berth__domain_counts *one, uint32_t slot)
{
    return one->inclusion == NULL || berth__bit_get(one->inclusion->slots, slot);
}

/* For few domains, if every slot is included: every domain has a slot, so all domains count. */
static void count_all_domains(berth__domain_counts *one)
{
    one->domain_count = one->topology->domain_count;
    one->domain_bits = berth__low_bits(one->domain_count);
}

/* Find the domains with an included slot by a walk over the slots. */
static bool count_domains(berth__view *view, berth__domain_counts *one, uint64_t *seen)
{
    const berth__topology *topology = one->topology;
    for (uint32_t slot = 0; slot < view->layout->count; slot++) {
        if (is_few(one) && one->domain_count == topology->domain_count)
            return true; /* all domains have been seen */
        uint32_t domain = topology->domains[slot];
        if (domain == 0 || !is_included(one, slot))
            continue;
        if (!topology->unique) {
            if (berth__bit_get(seen, domain - 1))
                continue;
            berth__bit_set(seen, domain - 1);
        }
        if (is_few(one))
            one->domain_count++;
        else if (!count_domain(view->model->allocator, one, berth__domain_counts_slot(one, slot)))
            return false;
    }
    return true;
}

static bool find_lowest(berth__view *view, berth__domain_counts *one)
{
    const berth_allocator *allocator = view->model->allocator;
    size_t words = one->topology->domain_count / 64 + 1;
    uint64_t *seen = &one->domain_bits;
    one->domain_count = 0;
    one->domain_bits = 0;
    one->lowest = UINT32_MAX;
    if (is_few(one)) {
        free_histogram(allocator, one);
        if (one->inclusion != NULL)
            return count_domains(view, one, seen);
        count_all_domains(one);
        return true;
    }
    if (one->histogram != NULL)
        memset(one->histogram, 0, one->histogram_capacity * sizeof(*one->histogram));
    seen = berth__alloc_zero(allocator, words * sizeof(*seen), 64);
    bool ok = seen != NULL && count_domains(view, one, seen);
    berth__free(allocator, seen, words * sizeof(*seen));
    return ok;
}

uint32_t berth__domain_counts_lowest(const berth__domain_counts *counts)
{
    BERTH_ASSERT(counts->lowest_wanted && counts->domain_count > 0);
    if (counts->domain_bits == 0)
        return counts->lowest;
    uint32_t lowest = UINT32_MAX;
    for (uint64_t bits = counts->domain_bits; bits != 0; bits &= bits - 1) {
        uint32_t count = counts->counts[__builtin_ctzll(bits) + 1];
        lowest = count < lowest ? count : lowest;
    }
    return lowest;
}

/* A domain changed from `before` to `after` pods. */
static bool move_domain(const berth_allocator *allocator, berth__domain_counts *one,
                        uint32_t before, uint32_t after)
{
    if (one->domain_bits != 0)
        return true;
    if (!reserve_histogram(allocator, one, after))
        return false;
    BERTH_ASSERT(one->histogram[before] > 0);
    one->histogram[before]--;
    one->histogram[after]++;
    if (after < one->lowest)
        one->lowest = after;
    while (one->histogram[one->lowest] == 0)
        one->lowest++;
    return true;
}

/* ---- summing ---- */

static bool reserve_counts(const berth_allocator *allocator, berth__domain_counts *one)
{
    if (one->topology->unique) {
        free_counts(allocator, one);
        return true;
    }
    if (!berth__grow(allocator, &one->counts, &one->count_capacity, one->topology->domain_count + 1,
                     sizeof(*one->counts)))
        return false;
    memset(one->counts, 0, one->count_capacity * sizeof(*one->counts));
    return true;
}

static void sum_slot(void *context, uint32_t slot, uint32_t count)
{
    berth__domain_counts *one = context;
    if (!is_included(one, slot))
        return;
    const uint32_t domain = one->topology->domains[slot];
    *(domain != 0 ? &one->total : &one->absent) += count;
    if (domain != 0 && one->counts != NULL)
        one->counts[domain] += count;
}

bool berth__domain_counts_renew(berth__view *view, berth__domain_counts *one)
{
    const berth_allocator *allocator = view->model->allocator;
    if (!berth__population_renew(view, one->population) ||
        !berth__topology_refresh(one->topology, view->layout, &view->nodes,
                                 view->model->known.empty))
        return false;
    BERTH_ASSERT(one->inclusion == NULL ||
                 one->inclusion->epoch == berth__inclusion_epoch(view->layout, one->inclusion));
    if (berth__domain_counts_hold(one))
        return true; /* other facts changed */
    one->since = BERTH__EPOCH_NONE;
    if (!reserve_counts(allocator, one))
        return false;
    one->total = one->absent = 0;
    berth__slot_pods_each(&one->population->slots, sum_slot, one);
    if (one->lowest_wanted && !find_lowest(view, one))
        return false;
    one->since = one->topology->since;
    one->included_since = one->inclusion != NULL ? one->inclusion->since : 0;
    one->serial = ++view->counts->serial;
    return true;
}

void berth__domain_counts_change(berth__view *view, berth__domain_counts *one, uint32_t slot,
                                 uint32_t before, int change)
{
    if (!berth__domain_counts_hold(one) || one->topology->order != view->layout->order_epoch ||
        !is_included(one, slot))
        return;
    uint32_t domain = one->topology->domains[slot];
    *(domain != 0 ? &one->total : &one->absent) += (uint64_t)(int64_t)change;
    if (domain == 0)
        return;
    if (one->counts != NULL) {
        before = one->counts[domain];
        one->counts[domain] = before + (uint32_t)change;
    }
    if (one->lowest_wanted &&
        !move_domain(view->model->allocator, one, before, before + (uint32_t)change))
        one->since = BERTH__EPOCH_NONE;
}

/* ---- reading ---- */

uint32_t berth__domain_counts_slot(const berth__domain_counts *counts, uint32_t slot)
{
    uint32_t domain = counts->topology->domains[slot];
    if (domain == 0)
        return 0;
    if (counts->counts != NULL)
        return counts->counts[domain];
    if (!is_included(counts, slot))
        return 0;
    return berth__slot_pods_at(&counts->population->slots, slot);
}

const uint32_t *berth__domain_counts_tile(const berth__kernels *kernels,
                                          const berth__domain_counts *counts, uint32_t tile,
                                          uint32_t *scratch)
{
    const berth__topology *topology = counts->topology;
    if (counts->counts != NULL) {
        kernels->gather(counts->counts, topology->domain_count + 1,
                        topology->domains + (size_t)tile * BERTH__TILE, scratch);
        return scratch;
    }
    const uint32_t *pods = berth__slot_pods_tile(&counts->population->slots, tile, scratch);
    const uint64_t *present = topology->present + (size_t)tile * BERTH__TILE_WORDS;
    if (counts->inclusion == NULL && (present[0] & present[1]) == UINT64_MAX)
        return pods;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
        uint64_t bits = present[w];
        if (counts->inclusion != NULL)
            bits &= counts->inclusion->slots[(size_t)tile * BERTH__TILE_WORDS + w];
        for (uint32_t b = 0; b < 64; b++)
            scratch[w * 64 + b] = pods[w * 64 + b] & (0 - (uint32_t)(bits >> b & 1));
    }
    return scratch;
}
