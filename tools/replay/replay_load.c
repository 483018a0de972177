/* Tracks how full the cluster of a replay is: sums and fragmentation, updated node by node. */
#include "replay/replay_load.h"

#include <stdlib.h>
#include <string.h>

#include "cli/amounts.h"
#include "cli/heap.h"

enum { WIDTH_FIRST = 8, NODES_FIRST = 64 };

/* ---- rows ---- */

/* Widen rows of `from` amounts to `to`; new cells are 0. */
static void widen(int64_t **rows, size_t count, uint32_t from, uint32_t to)
{
    int64_t *fresh = heap_new(count * to, sizeof(*fresh));
    for (size_t i = 0; i < count; i++)
        memcpy(fresh + i * to, *rows + i * from, from * sizeof(*fresh));
    free(*rows);
    *rows = fresh;
}

static void lengthen(void **items, size_t from, size_t to, size_t item_bytes)
{
    char *fresh = heap_new(to, item_bytes);
    if (from > 0)
        memcpy(fresh, *items, from * item_bytes);
    free(*items);
    *items = fresh;
}

#define LENGTHEN(items, from, to)                              \
    do {                                                       \
        void *lengthened = (items);                            \
        lengthen(&lengthened, (from), (to), sizeof(*(items))); \
        (items) = lengthened;                                  \
    } while (0)

static void grow_width(replay_load *l)
{
    uint32_t from = l->width;
    uint32_t to = from > 0 ? from * 2 : WIDTH_FIRST;
    widen(&l->allocatable, l->node_capacity, from, to);
    widen(&l->requested, l->node_capacity, from, to);
    widen(&l->free_seen, l->node_capacity, from, to);
    LENGTHEN(l->total_allocatable, from, to);
    LENGTHEN(l->total_requested, from, to);
    LENGTHEN(l->total_free, from, to);
    LENGTHEN(l->scratch, from, to);
    LENGTHEN(l->allocatable_seconds, from, to);
    LENGTHEN(l->requested_seconds, from, to);
    LENGTHEN(l->peak, from, to);
    LENGTHEN(l->asks, (size_t)from * LOAD_SORTS_MAX, (size_t)to * LOAD_SORTS_MAX);
    LENGTHEN(l->misfits, (size_t)from * LOAD_SORTS_MAX, (size_t)to * LOAD_SORTS_MAX);
    l->width = to;
}

static void grow_nodes(replay_load *l, uint32_t needed)
{
    uint32_t to = l->node_capacity > 0 ? l->node_capacity : NODES_FIRST;
    while (to < needed)
        to *= 2;
    size_t from = l->node_capacity;
    LENGTHEN(l->allocatable, from * l->width, (size_t)to * l->width);
    LENGTHEN(l->requested, from * l->width, (size_t)to * l->width);
    LENGTHEN(l->free_seen, from * l->width, (size_t)to * l->width);
    LENGTHEN(l->dirty, from, to);
    LENGTHEN(l->is_dirty, from, to);
    l->node_capacity = to;
}

static uint32_t add_resource(replay_load *l, berth_str name)
{
    if (l->resources.count == l->width)
        grow_width(l);
    return word_table_add(&l->resources, name);
}

void replay_load_init(replay_load *l)
{
    *l = (replay_load){0};
    add_resource(l, words_of("cpu"));
    add_resource(l, words_of("memory"));
    add_resource(l, words_of("pods"));
}

void replay_load_free(replay_load *l)
{
    word_table_free(&l->resources);
    id_table_free(&l->sorts);
    free(l->allocatable);
    free(l->requested);
    free(l->free_seen);
    free(l->dirty);
    free(l->is_dirty);
    free(l->total_allocatable);
    free(l->total_requested);
    free(l->total_free);
    free(l->scratch);
    free(l->allocatable_seconds);
    free(l->requested_seconds);
    free(l->peak);
    free(l->asks);
    free(l->misfits);
}

/* ---- nodes ---- */

static void mark(replay_load *l, berth_node_id node)
{
    if (l->is_dirty[node])
        return;
    l->is_dirty[node] = true;
    l->dirty[l->dirty_count++] = node;
}

static void set_allocatable(replay_load *l, berth_node_id node, uint32_t resource, int64_t amount)
{
    int64_t *cell = &l->allocatable[(size_t)node * l->width + resource];
    l->total_allocatable[resource] += (__int128)amount - *cell;
    *cell = amount;
}

bool replay_load_set_node(replay_load *l, const berth_engine *engine, berth_node_id node,
                          const berth_node *object)
{
    size_t known = l->resources.count;
    for (uint32_t i = 0; i < object->allocatable.count; i++)
        add_resource(l, object->allocatable.items[i].name);
    if (node >= l->node_capacity)
        grow_nodes(l, node + 1);
    if (node >= l->node_count)
        l->node_count = node + 1;
    for (uint32_t r = 0; r < l->resources.count; r++) {
        int64_t allocatable = 0;
        int64_t requested = 0;
        berth_engine_node_resource(engine, node, word_table_get(&l->resources, r), &allocatable,
                                   &requested, NULL);
        set_allocatable(l, node, r, allocatable);
    }
    mark(l, node);
    return l->resources.count > known;
}

void replay_load_drop_node(replay_load *l, berth_node_id node)
{
    for (uint32_t r = 0; r < l->resources.count; r++)
        set_allocatable(l, node, r, 0);
    mark(l, node);
}

/* ---- pods ---- */

void replay_load_pod(const replay_load *l, const berth_engine *engine, berth_pod_id pod,
                     int64_t *out)
{
    for (uint32_t r = 0; r < l->resources.count; r++) {
        out[r] = 0;
        berth_engine_pod_resource(engine, pod, word_table_get(&l->resources, r), &out[r], NULL);
    }
}

void replay_load_add(replay_load *l, berth_node_id node, const int64_t *amounts, int sign)
{
    int64_t *row = l->requested + (size_t)node * l->width;
    for (uint32_t r = 0; r < l->resources.count; r++) {
        uint64_t amount = (uint64_t)amounts[r];
        row[r] = (int64_t)((uint64_t)row[r] + (sign < 0 ? 0 - amount : amount)); /* as in Go */
        l->total_requested[r] += (__int128)sign * amounts[r];
    }
    mark(l, node);
}

/* ---- time ---- */

double replay_load_share(const replay_load *l, uint32_t resource)
{
    __int128 allocatable = l->total_allocatable[resource];
    return allocatable > 0 ? (double)l->total_requested[resource] / (double)allocatable : 0.0;
}

void replay_load_pass(replay_load *l, int64_t span_ns)
{
    double seconds = (double)span_ns / 1e9;
    for (uint32_t r = 0; r < l->resources.count; r++) {
        double share = replay_load_share(l, r);
        l->allocatable_seconds[r] += seconds * (double)l->total_allocatable[r];
        l->requested_seconds[r] += seconds * (double)l->total_requested[r];
        l->peak[r] = share > l->peak[r] ? share : l->peak[r];
    }
}

/* ---- fragmentation ---- */

static int64_t free_amount(const replay_load *l, berth_node_id node, uint32_t resource)
{
    size_t at = (size_t)node * l->width + resource;
    int64_t amount = amount_difference(l->allocatable[at], l->requested[at]);
    return amount > 0 ? amount : 0;
}

/* For each sort of pod: all bits set (-1) if it requests more of something than the row has, else
 * 0. */
static void find_misfits(const replay_load *l, const int64_t *row, int64_t *out)
{
    memset(out, 0, l->sort_count * sizeof(*out));
    for (uint32_t r = 0; r < l->resources.count; r++) {
        const int64_t *asks = l->asks + (size_t)r * LOAD_SORTS_MAX;
        const int64_t amount = row[r];
        for (uint32_t s = 0; s < l->sort_count; s++)
            out[s] |= -(int64_t)(asks[s] > amount);
    }
}

/* Update the sums of all sorts for a node whose free amounts have changed. */
static void catch_up(replay_load *l, berth_node_id node)
{
    int64_t before[LOAD_SORTS_MAX];
    int64_t after[LOAD_SORTS_MAX];
    int64_t *seen = l->free_seen + (size_t)node * l->width;
    find_misfits(l, seen, before);
    for (uint32_t r = 0; r < l->resources.count; r++) {
        l->scratch[r] = seen[r];
        seen[r] = free_amount(l, node, r);
        l->total_free[r] += seen[r] - l->scratch[r];
    }
    find_misfits(l, seen, after);
    for (uint32_t r = 0; r < l->resources.count; r++) {
        uint64_t *misfits = l->misfits + (size_t)r * LOAD_SORTS_MAX;
        for (uint32_t s = 0; s < l->sort_count; s++)
            misfits[s] += (uint64_t)((after[s] & seen[r]) - (before[s] & l->scratch[r]));
    }
}

/* Hashes only the amounts that are not 0, so that a resource that appears later changes nothing. */
static uint64_t hash_amounts(const int64_t *amounts, size_t count)
{
    uint64_t h = 1;
    for (size_t r = 0; r < count; r++) {
        if (amounts[r] == 0)
            continue;
        h = (h ^ (uint64_t)amounts[r] ^ (uint64_t)r << 56) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h;
}

/* Add a new sort of pod, with its misfits on all nodes. */
static uint32_t add_sort(replay_load *l, const int64_t *amounts)
{
    uint32_t sort = l->sort_count++;
    for (uint32_t r = 0; r < l->resources.count; r++)
        l->asks[(size_t)r * LOAD_SORTS_MAX + sort] = amounts[r];
    for (uint32_t node = 0; node < l->node_count; node++) {
        const int64_t *seen = l->free_seen + (size_t)node * l->width;
        bool misfit = false;
        for (uint32_t r = 0; r < l->resources.count; r++)
            misfit = misfit || amounts[r] > seen[r];
        for (uint32_t r = 0; misfit && r < l->resources.count; r++)
            l->misfits[(size_t)r * LOAD_SORTS_MAX + sort] += (uint64_t)seen[r];
    }
    return sort;
}

void replay_load_submit(replay_load *l, const int64_t *amounts)
{
    uint64_t hash = hash_amounts(amounts, l->resources.count);
    uint32_t sort = id_table_find(&l->sorts, hash);
    l->pods_seen++;
    if (sort == ID_TABLE_NONE) {
        if (l->sort_count == LOAD_SORTS_MAX)
            return;
        sort = add_sort(l, amounts);
        id_table_add(&l->sorts, hash, sort);
    }
    l->sort_pods[sort]++;
    l->pods_mixed++;
}

/* The free amount of a resource on nodes where a sort does not fit. */
static double misfit_amount(const replay_load *l, uint32_t resource, uint32_t sort)
{
    double sum = 0.0;
    if (l->total_free[resource] <= INT64_MAX)
        return (double)l->misfits[(size_t)resource * LOAD_SORTS_MAX + sort];
    for (uint32_t node = 0; node < l->node_count; node++) {
        const int64_t *seen = l->free_seen + (size_t)node * l->width;
        bool misfit = false;
        for (uint32_t r = 0; r < l->resources.count && !misfit; r++)
            misfit = l->asks[(size_t)r * LOAD_SORTS_MAX + sort] > seen[r];
        sum += misfit ? (double)seen[resource] : 0.0;
    }
    return sum;
}

void replay_load_fragments(replay_load *l, double *out)
{
    for (uint32_t i = 0; i < l->dirty_count; i++) {
        catch_up(l, l->dirty[i]);
        l->is_dirty[l->dirty[i]] = false;
    }
    l->dirty_count = 0;
    for (uint32_t r = 0; r < l->resources.count; r++) {
        const int64_t *asks = l->asks + (size_t)r * LOAD_SORTS_MAX;
        double unusable = 0.0;
        double pods = 0.0;
        for (uint32_t s = 0; s < l->sort_count; s++) {
            if (asks[s] == 0)
                continue;
            unusable += (double)l->sort_pods[s] * misfit_amount(l, r, s);
            pods += (double)l->sort_pods[s];
        }
        double all = pods * (double)l->total_free[r];
        out[r] = all > 0.0 ? unusable / all : 0.0;
    }
}
