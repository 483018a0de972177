/* The offers of a node. */
#include "devices/node_offers.h"

#include <stdlib.h>

#include "base/text.h"
#include "devices/node_model.h"

void berth__node_offers_forget(berth__catalog *catalog)
{
    berth__arena_reset(&catalog->nodes_arena);
    catalog->common = NULL;
    for (uint32_t i = 0; i < catalog->node_capacity; i++)
        catalog->by_node[i].offers = NULL;
    catalog->dropped = 0;
}

bool berth__node_offers_forget_node(berth__catalog *catalog, uint32_t id)
{
    const bool had = berth__node_offers_has(catalog, id);
    if (had)
        catalog->by_node[id].offers = NULL;
    catalog->dropped += had;
    return had;
}

bool berth__reach_meets(const berth__model *model, const berth__device_reach *reach,
                        const berth__offer_node *node, berth_str *problem)
{
    if (reach->node_name != 0)
        return reach->node_name == node->name;
    if (reach->all_nodes || !reach->has_selector)
        return reach->all_nodes;
    if (reach->problem.len > 0) {
        *problem = reach->problem;
        return false;
    }
    return berth__node_selector_meets(&model->strings, &reach->selector, node->name, node->labels);
}

/* Whether a slice for some nodes includes this node. */
static bool chooses(berth__catalog *catalog, const berth__offer_slice *slice,
                    const berth__offer_node *node, berth_str *problem)
{
    const berth__slice_facts *facts = slice->facts;
    berth_str why = {0};
    bool met = false;
    if (facts->reach.has_selector)
        met = berth__reach_meets(catalog->model, &facts->reach, node, &why);
    uint32_t device = 0;
    for (; !facts->reach.has_selector && device < facts->device_count && !met; device++) {
        met = berth__reach_meets(catalog->model, &facts->devices[device].reach, node, &why);
        if (why.len > 0)
            break;
    }
    if (why.len == 0)
        return met;
    berth_str name = berth__text(catalog->model, slice->name);
    berth__arena *arena = &catalog->nodes_arena;
    if (facts->reach.has_selector) {
        *problem =
            berth__device_text(arena, "failed to perform node selection for slice %.*s: %.*s",
                               (int)name.len, name.data, (int)why.len, why.data);
        return false;
    }
    berth_str id = berth__text(catalog->model, facts->devices[device].name);
    *problem = berth__device_text(
        arena, "failed to perform node selection for device %.*s in slice %.*s: %.*s", (int)id.len,
        id.data, (int)name.len, name.data, (int)why.len, why.data);
    return false;
}

/* The pools that have slices which this node sees but some other node does not; these slices are
 * marked. */
typedef struct own_pools {
    berth__offer_pool **items;
    uint32_t count;
} own_pools;

static void see(berth__catalog *catalog, berth__offer_slice *slice, own_pools *own)
{
    slice->seen = catalog->mark;
    if (slice->pool->seen == catalog->mark)
        return;
    slice->pool->seen = catalog->mark;
    own->items[own->count++] = slice->pool;
}

static bool collect(berth__catalog *catalog, const berth__offer_node *node, own_pools *own,
                    berth_str *problem)
{
    void *found = berth__keymap_find(&catalog->nodes, &node->name, sizeof(node->name));
    const berth__named_node *named = found;
    berth__offer_slice *first = named != NULL ? named->first : NULL;
    uint32_t most = catalog->choosy_count;
    for (berth__offer_slice *slice = first; slice != NULL;
         slice = slice->links[BERTH__OF_NODE].next)
        most++;
    own->items = berth__arena_alloc(&catalog->nodes_arena, (most + 1) * sizeof(*own->items), 8);
    if (own->items == NULL)
        return false;
    catalog->mark++;
    for (berth__offer_slice *slice = first; slice != NULL;
         slice = slice->links[BERTH__OF_NODE].next)
        if (!slice->everywhere && !slice->left_out)
            see(catalog, slice, own);
    for (uint32_t i = 0; i < catalog->choosy_count && problem->len == 0; i++)
        if (chooses(catalog, catalog->choosy[i], node, problem))
            see(catalog, catalog->choosy[i], own);
    return true;
}

/* The view of a pool with the slices of the newest generation that a node sees. */
static const berth__pool_view *own_view(berth__catalog *catalog, berth__offer_pool *pool, bool own)
{
    uint32_t count = 0;
    berth__arena_reset(&catalog->scratch);
    const berth__offer_slice **kept =
        berth__arena_alloc(&catalog->scratch, (pool->slice_count + 1) * sizeof(*kept), 8);
    if (kept == NULL || !berth__offer_pool_open(catalog, pool))
        return NULL;
    for (uint32_t i = 0; i < pool->slice_count; i++) {
        const berth__offer_slice *slice = pool->slices[i];
        if (!slice->everywhere && !(own && slice->seen == catalog->mark))
            continue;
        if (count > 0 && slice->generation < kept[0]->generation)
            continue;
        if (count > 0 && slice->generation > kept[0]->generation)
            count = 0;
        kept[count++] = slice;
    }
    return berth__pool_view_get(catalog, pool, kept, count);
}

bool berth__node_offers_foresee(berth__catalog *catalog, berth__offer_pool *pool)
{
    bool sees = false;
    if (!berth__offer_pool_open(catalog, pool))
        return false;
    catalog->mark++;
    for (uint32_t i = 0; i < pool->slice_count; i++) {
        berth__offer_slice *slice = pool->slices[i];
        if (slice->node == NULL || slice->node != pool->slices[0]->node)
            return true;
        if (slice->left_out)
            continue;
        slice->seen = catalog->mark;
        sees = true;
    }
    return !sees || own_view(catalog, pool, true) != NULL;
}

/* Order views by driver and pool; views with binding conditions come last. */
static int by_pool(const void *a, const void *b, void *model)
{
    const berth__pool_view *x = *(const berth__pool_view *const *)a;
    const berth__pool_view *y = *(const berth__pool_view *const *)b;
    if (x->binding != y->binding)
        return x->binding ? 1 : -1;
    int order = berth__str_cmp(berth__text(model, x->pool->key.driver),
                               berth__text(model, y->pool->key.driver));
    return order != 0 ? order
                      : berth__str_cmp(berth__text(model, x->pool->key.name),
                                       berth__text(model, y->pool->key.name));
}

/* Add a view to a list, unless it makes no difference to an allocator. */
static bool put(const berth__pool_view *view, const berth__pool_view **views, uint32_t *count)
{
    if (view != NULL && !view->obsolete &&
        (view->incomplete || view->invalid || view->offer_count > 0))
        views[(*count)++] = view;
    return view != NULL;
}

/* Note that the node, or (NULL) every node, sees devices of the pool. */
static void watch(const berth__pool_view *view, berth__offer_pool *pool, const uint32_t *node)
{
    if (view == NULL || view->offer_count == 0)
        return;
    pool->watched_by_many |= node == NULL || (pool->watched && pool->watcher != *node);
    pool->watcher = node != NULL ? *node : pool->watcher;
    pool->watched = true;
}

static bool put_own(berth__catalog *catalog, berth__offer_pool *pool, const uint32_t *node,
                    const berth__pool_view **views, uint32_t *count)
{
    const berth__pool_view *view = own_view(catalog, pool, node != NULL);
    watch(view, pool, node);
    return put(view, views, count);
}

/* A new list with room for `most` views. */
static berth__node_offers *new_list(berth__catalog *catalog, uint32_t most,
                                    const berth__pool_view ***views)
{
    berth__node_offers *list = berth__arena_alloc_zero(&catalog->nodes_arena, sizeof(*list), 8);
    *views = berth__arena_alloc(&catalog->nodes_arena, (most + 1) * sizeof(**views), 8);
    if (list == NULL || *views == NULL)
        return NULL;
    list->pools = *views;
    return list;
}

/* The list for nodes without slices of their own. */
static const berth__node_offers *common(berth__catalog *catalog)
{
    const berth__pool_view **views;
    if (catalog->common != NULL)
        return catalog->common;
    berth__node_offers *list = new_list(catalog, catalog->everywhere_count, &views);
    if (list == NULL)
        return NULL;
    for (uint32_t i = 0; i < catalog->everywhere_count; i++)
        if (!put_own(catalog, catalog->everywhere[i], NULL, views, &list->count))
            return NULL;
    qsort_r(views, list->count, sizeof(*views), by_pool, catalog->model);
    list->model = berth__node_model(catalog, list);
    catalog->common = list;
    return list;
}

/* The list of the node's own pools, and of the other pools that every node sees. */
static berth__node_offers *list_views(berth__catalog *catalog, const own_pools *own, uint32_t node,
                                      const berth__node_offers *others)
{
    const berth__pool_view **views;
    berth__node_offers *list = new_list(catalog, own->count + others->count, &views);
    if (list == NULL)
        return NULL;
    for (uint32_t i = 0; i < own->count; i++)
        if (!put_own(catalog, own->items[i], &node, views, &list->count))
            return NULL;
    for (uint32_t i = 0; i < others->count; i++)
        if (own->count == 0 || others->pools[i]->pool->seen != catalog->mark)
            views[list->count++] = others->pools[i];
    qsort_r(views, list->count, sizeof(*views), by_pool, catalog->model);
    list->model = berth__node_model(catalog, list);
    return list;
}

static const berth__node_offers *make_list(berth__catalog *catalog, const berth__offer_node *node)
{
    own_pools own = {0};
    berth_str problem = {0};
    const berth__node_offers *others = common(catalog);
    if (others == NULL || !collect(catalog, node, &own, &problem))
        return NULL;
    if (own.count == 0 && problem.len == 0)
        return others;
    berth__node_offers *list = list_views(catalog, &own, node->id, others);
    if (list != NULL)
        list->problem = problem;
    return list;
}

bool berth__node_offers_reserve(berth__catalog *catalog, uint32_t count)
{
    uint32_t before = catalog->node_capacity;
    if (!berth__grow(catalog->model->allocator, &catalog->by_node, &catalog->node_capacity, count,
                     sizeof(*catalog->by_node)))
        return false;
    for (uint32_t i = before; i < catalog->node_capacity; i++)
        catalog->by_node[i] = (berth__listed_node){0};
    return true;
}

const berth__node_offers *berth__node_offers_of(berth__catalog *catalog,
                                                const berth__offer_node *node)
{
    if (!berth__node_offers_reserve(catalog, node->id + 1))
        return NULL;
    berth__listed_node *listed = &catalog->by_node[node->id];
    if (listed->offers == NULL)
        *listed = (berth__listed_node){.offers = make_list(catalog, node)};
    return listed->offers;
}

/* Fetch what the views of the slices' pools consist of. Inline, because gcc drops calls of a
 * function that does nothing but fetch. */
static inline __attribute__((always_inline)) void
fetch_views(const berth__offer_slice *const *slices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const berth__offer_pool *pool = slices[i]->pool;
        __builtin_prefetch(pool);
        __builtin_prefetch(&pool->open);
        __builtin_prefetch(&pool->views);
    }
    for (uint32_t i = 0; i < count; i++) {
        const berth__offer_pool *pool = slices[i]->pool;
        __builtin_prefetch(pool->slices);
        __builtin_prefetch(pool->used);
    }
    for (uint32_t i = 0; i < count; i++) {
        const berth__pool_view *view = slices[i]->pool->views;
        __builtin_prefetch(view);
        if (view != NULL)
            __builtin_prefetch(&view->model);
    }
    for (uint32_t i = 0; i < count; i++)
        if (slices[i]->pool->views != NULL)
            __builtin_prefetch(slices[i]->pool->views->kept);
}

/* Keep of these slices those that have a next one on their nodes' lists, and go on to it. */
static uint32_t go_on(const berth__offer_slice **slices, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (slices[i]->links[BERTH__OF_NODE].next != NULL)
            slices[kept++] = slices[i]->links[BERTH__OF_NODE].next;
    for (uint32_t i = 0; i < kept; i++)
        __builtin_prefetch(slices[i]);
    return kept;
}

/* Each loop follows one pointer of each node, so that many loads are in flight at once. */
void berth__node_offers_expect(const berth__catalog *catalog, const berth__sym *names,
                               uint32_t count)
{
    enum { DEEP = 3 }; /* slices of a node that are worth it */
    const berth__offer_slice *slices[BERTH__EXPECTED_MAX];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        slices[kept] = berth__catalog_named(catalog, names[i]);
        if (slices[kept] != NULL)
            __builtin_prefetch(slices[kept++]);
    }
    for (int i = 0; i < DEEP && kept > 0; i++) {
        fetch_views(slices, kept);
        kept = go_on(slices, kept);
    }
}

/* ---- devices in use ---- */

/* Find the devices in use. Returns false if bits do not tell all, because some are shared. */
static bool find_uses(const berth__node_offers *offers, uint64_t *in_use)
{
    uint32_t count = 0;
    *in_use = 0;
    for (uint32_t p = 0; p < offers->count; p++) {
        const berth__pool_view *view = offers->pools[p];
        if (view->offer_count > 0 && view->pool->used->busy == 0) {
            count += view->offer_count;
            continue;
        }
        for (uint32_t i = 0; i < view->offer_count; i++, count++) {
            const berth__device_use *use = view->offers[i]->use;
            if (use->shared > 0)
                return false;
            *in_use |= (uint64_t)(use->whole > 0) << count;
        }
    }
    return true;
}

const berth__listed_node *berth__node_offers_listed(const berth__catalog *catalog, uint32_t id)
{
    if (!berth__node_offers_has(catalog, id))
        return NULL;
    berth__listed_node *listed = &catalog->by_node[id];
    if (listed->used_at == catalog->use_changes)
        return listed;
    const berth__node_offers *offers = listed->offers;
    bool told =
        offers->model != 0 && offers->problem.len == 0 && find_uses(offers, &listed->in_use);
    listed->model = told ? offers->model : 0;
    listed->used_at = catalog->use_changes;
    return listed;
}

void berth__node_offers_note_use(berth__catalog *catalog, const berth__offer_pool *pool)
{
    if (pool->watched_by_many)
        catalog->use_changes++;
    else if (pool->watched)
        catalog->by_node[pool->watcher].used_at = 0;
}
