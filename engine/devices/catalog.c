/* The catalog of ResourceSlices, by pool and by node. */
#include "devices/catalog.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "devices/contents.h"
#include "devices/node_model.h"

/* The slices for one node alone. */
typedef struct node_slices {
    berth__keymap_entry entry;
    berth__sym name;
    berth__offer_slice *first;
    berth__offer_slice *first_named; /* see berth__catalog_named */
} node_slices;

berth_str berth__device_text(berth__arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = len < 0 ? NULL : berth__arena_alloc(arena, (size_t)len + 1, 1);
    if (text == NULL)
        return (berth_str){0};
    va_start(args, format);
    (void)vsnprintf(text, (size_t)len + 1, format, args);
    va_end(args);
    return (berth_str){text, (uint32_t)len};
}

berth_status berth__catalog_init(berth__catalog *catalog, berth__model *model)
{
    catalog->model = model;
    berth__arena_init(&catalog->arena, model->allocator);
    berth__arena_init(&catalog->nodes_arena, model->allocator);
    berth__arena_init_sized(&catalog->scratch, model->allocator, 4096);
    BERTH_TRY(berth__keymap_init(&catalog->pools, model->allocator));
    BERTH_TRY(berth__keymap_init(&catalog->models, model->allocator));
    return berth__keymap_init(&catalog->nodes, model->allocator);
}

static void forget_nodes(berth__catalog *catalog)
{
    berth__arena_reset(&catalog->nodes_arena);
    catalog->common = NULL;
    for (uint32_t i = 0; i < catalog->node_capacity; i++)
        catalog->by_node[i] = NULL;
}

static void clear_table(berth__keymap *table)
{
    for (uint32_t b = 0; b < table->bucket_count; b++)
        table->buckets[b] = NULL;
    table->count = 0;
}

static void forget(berth__catalog *catalog)
{
    forget_nodes(catalog);
    clear_table(&catalog->pools);
    clear_table(&catalog->models);
    clear_table(&catalog->nodes);
    catalog->slice_count = catalog->choosy_count = catalog->everywhere_count = 0;
    catalog->unnamed_count = 0;
    catalog->offer_count = catalog->content_count = 0;
    berth__arena_reset(&catalog->arena);
}

void berth__catalog_destroy(berth__catalog *catalog)
{
    if (catalog->model == NULL)
        return;
    if (catalog->pools.allocator != NULL)
        berth__keymap_destroy(&catalog->pools);
    if (catalog->models.allocator != NULL)
        berth__keymap_destroy(&catalog->models);
    if (catalog->nodes.allocator != NULL)
        berth__keymap_destroy(&catalog->nodes);
    berth__arena_destroy(&catalog->arena);
    berth__arena_destroy(&catalog->nodes_arena);
    berth__arena_destroy(&catalog->scratch);
    berth__free(catalog->model->allocator, catalog->by_node,
                catalog->node_capacity * sizeof(*catalog->by_node));
}

void berth__catalog_follow(berth__catalog *catalog, uint64_t layout_epoch)
{
    if (catalog->layout_epoch == layout_epoch)
        return;
    forget_nodes(catalog);
    catalog->layout_epoch = layout_epoch;
}

/* ---- building ---- */

static int by_name(const void *a, const void *b, void *model)
{
    const berth__named_slice *x = a;
    const berth__named_slice *y = b;
    return berth__str_cmp(berth__text(model, x->name), berth__text(model, y->name));
}

berth__offer_pool *berth__catalog_pool(const berth__catalog *catalog, berth__sym driver,
                                       berth__sym name)
{
    const berth__sym key[2] = {driver, name};
    void *found = berth__keymap_find(&catalog->pools, key, sizeof(key));
    return found;
}

static berth__offer_pool *get_pool(berth__catalog *catalog, const berth__slice_facts *facts)
{
    berth__offer_pool *pool = berth__catalog_pool(catalog, facts->driver, facts->pool);
    if (pool != NULL)
        return pool;
    pool = berth__arena_alloc_zero(&catalog->arena, sizeof(*pool), 16);
    if (pool == NULL)
        return NULL;
    pool->key.driver = facts->driver;
    pool->key.name = facts->pool;
    pool->entry.key = &pool->key;
    pool->entry.key_bytes = sizeof(pool->key);
    berth__keymap_add(&catalog->pools, &pool->entry);
    return pool;
}

/* The slices for the node of that name alone; NULL when out of memory. */
static node_slices *get_node(berth__catalog *catalog, berth__sym name)
{
    void *found = berth__keymap_find(&catalog->nodes, &name, sizeof(name));
    node_slices *node = found;
    if (node != NULL)
        return node;
    node = berth__arena_alloc_zero(&catalog->arena, sizeof(*node), 16);
    if (node == NULL)
        return NULL;
    node->name = name;
    node->entry.key = &node->name;
    node->entry.key_bytes = sizeof(node->name);
    berth__keymap_add(&catalog->nodes, &node->entry);
    return node;
}

static bool add_to_node(berth__catalog *catalog, berth__offer_slice *slice)
{
    node_slices *node = get_node(catalog, slice->facts->reach.node_name);
    if (node == NULL)
        return false;
    slice->next_on_node = node->first;
    node->first = slice;
    return true;
}

/* List a slice by the name of its node if it is for this one alone, otherwise with the unnamed. */
static bool add_by_name(berth__catalog *catalog, berth__offer_slice *slice)
{
    const berth__device_reach *reach = &slice->facts->reach;
    if (reach->node_name == 0 || slice->facts->per_device) {
        catalog->unnamed[catalog->unnamed_count++] = slice;
        return true;
    }
    node_slices *node = get_node(catalog, reach->node_name);
    if (node == NULL)
        return false;
    slice->next_named = node->first_named;
    node->first_named = slice;
    return true;
}

const berth__offer_slice *berth__catalog_named(const berth__catalog *catalog, berth__sym node)
{
    void *found = berth__keymap_find(&catalog->nodes, &node, sizeof(node));
    const node_slices *slices = found;
    return slices != NULL ? slices->first_named : NULL;
}

static bool is_tainted_by(const berth__slice_facts *slice, const berth__device *device,
                          const berth__taint_rule_facts *rule)
{
    return (rule->driver == 0 || rule->driver == slice->driver) &&
           (rule->pool == 0 || rule->pool == slice->pool) &&
           (rule->device == 0 || rule->device == device->name);
}

/* The device with the taints of rules added to its own; NULL when out of memory. */
static const berth__device *tainted(berth__catalog *catalog, const berth__slice_facts *slice,
                                    const berth__device *device, const berth__taint_rules *rules)
{
    uint32_t more = 0;
    for (uint32_t i = 0; i < rules->count; i++)
        more += is_tainted_by(slice, device, rules->items[i]);
    if (more == 0)
        return device;
    berth__device *copy = berth__arena_alloc(&catalog->arena, sizeof(*copy), 16);
    berth__device_taint *taints = berth__arena_alloc(
        &catalog->arena, ((size_t)device->taint_count + more) * sizeof(*taints), 8);
    if (copy == NULL || taints == NULL)
        return NULL;
    *copy = *device;
    copy->taints = taints;
    for (uint32_t i = 0; i < device->taint_count; i++)
        taints[i] = device->taints[i];
    for (uint32_t i = 0; i < rules->count; i++)
        if (is_tainted_by(slice, device, rules->items[i]))
            taints[copy->taint_count++] = rules->items[i]->taint;
    return copy;
}

static bool add_offers(berth__catalog *catalog, berth__device_uses *uses, berth__offer_slice *slice,
                       const berth__taint_rules *rules)
{
    const berth__slice_facts *facts = slice->facts;
    slice->offers =
        berth__arena_alloc(&catalog->arena, facts->device_count * sizeof(*slice->offers), 8);
    if (slice->offers == NULL)
        return false;
    for (uint32_t i = 0; i < facts->device_count; i++) {
        const berth__device *device = tainted(catalog, facts, &facts->devices[i], rules);
        if (device == NULL)
            return false;
        berth__device_use *use =
            berth__device_use_get(uses, facts->driver, facts->pool, device->name);
        if (use == NULL)
            return false;
        use->offered = true;
        slice->offers[i] = (berth__offer){.device = device, .slice = slice, .use = use};
    }
    catalog->offer_count += facts->device_count;
    return true;
}

static bool add_slice(berth__catalog *catalog, berth__device_uses *uses,
                      const berth__named_slice *named, const berth__taint_rules *rules)
{
    const berth__device_reach *reach = &named->facts->reach;
    berth__offer_slice *slice = &catalog->slices[catalog->slice_count++];
    *slice = (berth__offer_slice){.facts = named->facts, .name = named->name};
    slice->pool = get_pool(catalog, named->facts);
    if (slice->pool == NULL || !add_offers(catalog, uses, slice, rules) ||
        !add_by_name(catalog, slice))
        return false;
    slice->pool->slice_count++;
    if (named->facts->left_out)
        return true;
    slice->everywhere =
        (named->facts->shared_counter_count > 0 && !catalog->model->behaviours.counters_by_node) ||
        (reach->node_name == 0 && reach->all_nodes);
    if (slice->everywhere)
        return true;
    if (reach->node_name != 0)
        return add_to_node(catalog, slice);
    if (reach->has_selector || named->facts->per_device)
        catalog->choosy[catalog->choosy_count++] = slice;
    return true;
}

/* List the slices of each pool, and the pools with slices that every node sees. */
static bool fill_pools(berth__catalog *catalog)
{
    catalog->everywhere =
        berth__arena_alloc(&catalog->arena, catalog->pools.count * sizeof(*catalog->everywhere), 8);
    if (catalog->everywhere == NULL)
        return false;
    catalog->mark++;
    for (uint32_t i = 0; i < catalog->slice_count; i++) {
        berth__offer_slice *slice = &catalog->slices[i];
        berth__offer_pool *pool = slice->pool;
        if (pool->slices == NULL) {
            pool->slices =
                berth__arena_alloc(&catalog->arena, pool->slice_count * sizeof(*pool->slices), 8);
            pool->slice_count = 0;
        }
        if (pool->slices == NULL)
            return false;
        pool->slices[pool->slice_count++] = slice;
        if (slice->everywhere && pool->seen != catalog->mark) {
            pool->seen = catalog->mark;
            catalog->everywhere[catalog->everywhere_count++] = pool;
        }
    }
    return true;
}

static bool build(berth__catalog *catalog, berth__device_uses *uses, berth__named_slice *slices,
                  uint32_t count, const berth__taint_rules *rules)
{
    catalog->slices =
        berth__arena_alloc(&catalog->arena, (count + 1) * sizeof(*catalog->slices), 8);
    catalog->choosy =
        berth__arena_alloc(&catalog->arena, (count + 1) * sizeof(*catalog->choosy), 8);
    catalog->unnamed =
        berth__arena_alloc(&catalog->arena, (count + 1) * sizeof(*catalog->unnamed), 8);
    if (catalog->slices == NULL || catalog->choosy == NULL || catalog->unnamed == NULL)
        return false;
    qsort_r(slices, count, sizeof(*slices), by_name, catalog->model);
    for (uint32_t i = 0; i < count; i++)
        if (!add_slice(catalog, uses, &slices[i], rules))
            return false;
    return fill_pools(catalog) && berth__contents_number(catalog, &catalog->content_count);
}

static void unlist(berth__device_uses *uses)
{
    for (uint32_t b = 0; b < uses->table.bucket_count; b++)
        for (void *entry = uses->table.buckets[b]; entry != NULL;
             entry = ((berth__keymap_entry *)entry)->next)
            ((berth__device_use *)entry)->offered = false;
}

bool berth__catalog_build(berth__catalog *catalog, berth__device_uses *uses,
                          berth__named_slice *slices, uint32_t count,
                          const berth__taint_rules *rules)
{
    forget(catalog);
    unlist(uses);
    bool ok = build(catalog, uses, slices, count, rules);
    catalog->build++;
    if (!ok)
        forget(catalog);
    berth__device_uses_trim(uses);
    return ok;
}

/* ---- offers of a node ---- */

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
    node_slices *local = found;
    uint32_t most = catalog->choosy_count;
    for (berth__offer_slice *slice = local != NULL ? local->first : NULL; slice != NULL;
         slice = slice->next_on_node)
        most++;
    own->items = berth__arena_alloc(&catalog->nodes_arena, (most + 1) * sizeof(*own->items), 8);
    if (own->items == NULL)
        return false;
    catalog->mark++;
    for (berth__offer_slice *slice = local != NULL ? local->first : NULL; slice != NULL;
         slice = slice->next_on_node)
        see(catalog, slice, own);
    for (uint32_t i = 0; i < catalog->choosy_count && problem->len == 0; i++)
        if (chooses(catalog, catalog->choosy[i], node, problem))
            see(catalog, catalog->choosy[i], own);
    return true;
}

/* The view of a pool with the slices of the newest generation that a node sees. */
static const berth__pool_view *own_view(berth__catalog *catalog, berth__offer_pool *pool, bool own)
{
    berth__arena *arena = &catalog->nodes_arena;
    const berth__offer_slice **kept =
        berth__arena_alloc(arena, (pool->slice_count + 1) * sizeof(*kept), 8);
    uint32_t count = 0;
    if (kept == NULL)
        return NULL;
    for (uint32_t i = 0; i < pool->slice_count; i++) {
        const berth__offer_slice *slice = pool->slices[i];
        if (!slice->everywhere && !(own && slice->seen == catalog->mark))
            continue;
        if (count > 0 && slice->facts->generation < kept[0]->facts->generation)
            continue;
        if (count > 0 && slice->facts->generation > kept[0]->facts->generation)
            count = 0;
        kept[count++] = slice;
    }
    return berth__pool_view_get(catalog, pool, kept, count);
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

const berth__node_offers *berth__catalog_of(berth__catalog *catalog, const berth__offer_node *node)
{
    uint32_t before = catalog->node_capacity;
    if (!berth__grow(catalog->model->allocator, &catalog->by_node, &catalog->node_capacity,
                     node->id + 1, sizeof(*catalog->by_node)))
        return NULL;
    for (uint32_t i = before; i < catalog->node_capacity; i++)
        catalog->by_node[i] = NULL;
    if (catalog->by_node[node->id] == NULL)
        catalog->by_node[node->id] = make_list(catalog, node);
    return catalog->by_node[node->id];
}
