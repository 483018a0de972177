/* The catalog of ResourceSlices: which slices there are, by pool and by node. */
#include "devices/catalog.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "devices/node_offers.h"

enum {
    DROPPED_MIN = 4096, /* lists that may be dropped before all are, besides one for each node */
    REMOVED_MIN = 4096, /* contents and models that may be removed before all are numbered anew */
};

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

/* ---- life ---- */

berth_status berth__catalog_init(berth__catalog *catalog, berth__model *model,
                                 berth__device_uses *uses)
{
    catalog->model = model;
    catalog->uses = uses;
    catalog->use_changes = 1;
    catalog->contents.allocator = model->allocator;
    berth__arena_init(&catalog->arena, model->allocator);
    berth__arena_init(&catalog->many_arena, model->allocator);
    berth__arena_init(&catalog->nodes_arena, model->allocator);
    berth__arena_init(&catalog->models_arena, model->allocator);
    berth__arena_init_sized(&catalog->scratch, model->allocator, 4096);
    BERTH_TRY(berth__keymap_init(&catalog->pools, model->allocator));
    BERTH_TRY(berth__keymap_init(&catalog->models, model->allocator));
    return berth__keymap_init(&catalog->nodes, model->allocator);
}

/* Run `use` over the objects of a table, which may remove them. */
static void for_each(berth__catalog *catalog, const berth__keymap *table,
                     void (*use)(berth__catalog *, void *))
{
    for (uint32_t b = 0; table->buckets != NULL && b < table->bucket_count; b++)
        for (berth__keymap_entry *entry = table->buckets[b], *next; entry != NULL; entry = next) {
            next = entry->next;
            use(catalog, entry);
        }
}

static void free_pool(berth__catalog *catalog, void *any)
{
    berth__offer_pool *pool = any;
    if (pool->open)
        berth__arena_destroy(&pool->arena);
    berth__free(catalog->model->allocator, pool, sizeof(*pool));
}

static void free_node(berth__catalog *catalog, void *any)
{
    berth__free(catalog->model->allocator, any, sizeof(berth__named_node));
}

void berth__catalog_destroy(berth__catalog *catalog)
{
    if (catalog->model == NULL)
        return;
    const berth_allocator *allocator = catalog->model->allocator;
    for_each(catalog, &catalog->pools, free_pool);
    for_each(catalog, &catalog->nodes, free_node);
    if (catalog->pools.allocator != NULL)
        berth__keymap_destroy(&catalog->pools);
    if (catalog->models.allocator != NULL)
        berth__keymap_destroy(&catalog->models);
    if (catalog->nodes.allocator != NULL)
        berth__keymap_destroy(&catalog->nodes);
    berth__contents_destroy(&catalog->contents);
    berth__arena_destroy(&catalog->arena);
    berth__arena_destroy(&catalog->many_arena);
    berth__arena_destroy(&catalog->nodes_arena);
    berth__arena_destroy(&catalog->models_arena);
    berth__arena_destroy(&catalog->scratch);
    berth__free(allocator, catalog->slices, catalog->slice_capacity * sizeof(*catalog->slices));
    berth__free(allocator, catalog->by_node, catalog->node_capacity * sizeof(*catalog->by_node));
    berth__free(allocator, catalog->stale, catalog->stale_capacity * sizeof(*catalog->stale));
}

/* ---- what a change makes stale ---- */

/* The node sees other devices, if it has seen any. */
static void drop_node(berth__catalog *catalog, const berth__named_node *node)
{
    const uint32_t *id = berth__cow_array_find(catalog->node_ids, node->name);
    if (id == NULL || *id == 0 || !berth__node_offers_forget_node(catalog, *id - 1))
        return;
    if (berth__grow(catalog->model->allocator, &catalog->stale, &catalog->stale_capacity,
                    catalog->stale_count + 1, sizeof(*catalog->stale)))
        catalog->stale[catalog->stale_count++] = *id - 1;
    else
        catalog->build++;
}

/* A slice of the pool comes or goes. */
static void disturb(berth__catalog *catalog, berth__offer_pool *pool)
{
    if (!pool->open)
        return;
    for (berth__offer_slice *slice = pool->first; slice != NULL && pool->many_count == 0;
         slice = slice->links[BERTH__OF_POOL].next)
        drop_node(catalog, slice->node);
    catalog->all_stale |= pool->many_count > 0;
    berth__offer_pool_close(catalog, pool);
}

static void close_pool(berth__catalog *catalog, void *any)
{
    berth__offer_pool *pool = any;
    berth__offer_pool_close(catalog, pool);
}

static void close_all(berth__catalog *catalog)
{
    for_each(catalog, &catalog->pools, close_pool);
    catalog->all_stale = true;
}

/* Any node may see other devices. */
static void drop_all_if_stale(berth__catalog *catalog)
{
    if (!catalog->all_stale && catalog->dropped <= DROPPED_MIN + catalog->node_capacity)
        return;
    berth__node_offers_forget(catalog);
    catalog->all_stale = false;
    catalog->build++;
}

/* ---- places of slices ---- */

static void link(berth__offer_slice **first, berth__offer_slice *slice, int list)
{
    slice->links[list] = (berth__slice_link){*first, first};
    if (*first != NULL)
        (*first)->links[list].from = &slice->links[list].next;
    *first = slice;
}

static void unlink_from(berth__offer_slice *slice, int list)
{
    const berth__slice_link place = slice->links[list];
    if (place.from == NULL)
        return;
    *place.from = place.next;
    if (place.next != NULL)
        place.next->links[list].from = place.from;
    slice->links[list] = (berth__slice_link){0};
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
    pool = berth__alloc_zero(catalog->model->allocator, sizeof(*pool), 16);
    if (pool == NULL)
        return NULL;
    pool->key.driver = facts->driver;
    pool->key.name = facts->pool;
    pool->entry.key = &pool->key;
    pool->entry.key_bytes = sizeof(pool->key);
    berth__keymap_add(&catalog->pools, &pool->entry);
    return pool;
}

static berth__named_node *find_node(const berth__catalog *catalog, berth__sym name)
{
    void *found = berth__keymap_find(&catalog->nodes, &name, sizeof(name));
    return found;
}

static berth__named_node *get_node(berth__catalog *catalog, berth__sym name)
{
    berth__named_node *node = find_node(catalog, name);
    if (node != NULL)
        return node;
    node = berth__alloc_zero(catalog->model->allocator, sizeof(*node), 16);
    if (node == NULL)
        return NULL;
    node->name = name;
    node->entry.key = &node->name;
    node->entry.key_bytes = sizeof(node->name);
    berth__keymap_add(&catalog->nodes, &node->entry);
    return node;
}

const berth__offer_slice *berth__catalog_named(const berth__catalog *catalog, berth__sym node)
{
    const berth__named_node *named = find_node(catalog, node);
    return named != NULL ? named->first : NULL;
}

/* Remember a pool and a node (NULL: none) that may have no slices after this change. */
static void note_empty(berth__catalog *catalog, berth__offer_pool *pool, berth__named_node *node)
{
    if (pool->first == NULL && !pool->emptied) {
        pool->emptied = true;
        pool->next_emptied = catalog->emptied_pools;
        catalog->emptied_pools = pool;
    }
    if (node != NULL && node->first == NULL && !node->emptied) {
        node->emptied = true;
        node->next_emptied = catalog->emptied_nodes;
        catalog->emptied_nodes = node;
    }
}

/* Free the pools and nodes that have no slices now. */
static void free_empty(berth__catalog *catalog)
{
    for (berth__offer_pool *pool = catalog->emptied_pools, *next; pool != NULL; pool = next) {
        next = pool->next_emptied;
        pool->emptied = false;
        if (pool->first != NULL)
            continue;
        berth__keymap_remove(&catalog->pools, &pool->entry);
        free_pool(catalog, pool);
    }
    for (berth__named_node *node = catalog->emptied_nodes, *next; node != NULL; node = next) {
        next = node->next_emptied;
        node->emptied = false;
        if (node->first != NULL)
            continue;
        berth__keymap_remove(&catalog->nodes, &node->entry);
        free_node(catalog, node);
    }
    catalog->emptied_pools = NULL;
    catalog->emptied_nodes = NULL;
}

/* ---- changes ---- */

static void remove_slice(berth__catalog *catalog, berth__offer_slice *slice)
{
    berth__offer_pool *pool = slice->pool;
    disturb(catalog, pool);
    catalog->all_stale |= slice->many;
    for (int list = 0; list < BERTH__SLICE_LISTS; list++)
        unlink_from(slice, list);
    pool->slice_count--;
    pool->many_count -= slice->many;
    catalog->many_count -= slice->many;
    catalog->many_changed |= slice->many;
    note_empty(catalog, pool, slice->node);
    *slice = (berth__offer_slice){0};
}

/* Give a new slice its places. Returns false when out of memory. */
static bool add_slice(berth__catalog *catalog, berth__offer_slice *slice,
                      const berth__changed_slice *change)
{
    const berth__slice_facts *facts = change->facts;
    const berth__device_reach *reach = &facts->reach;
    berth__offer_pool *pool = get_pool(catalog, facts);
    if (pool == NULL)
        return false;
    berth__named_node *node = reach->node_name != 0 ? get_node(catalog, reach->node_name) : NULL;
    if (reach->node_name != 0 && node == NULL) {
        note_empty(catalog, pool, NULL);
        return false;
    }
    disturb(catalog, pool);
    *slice = (berth__offer_slice){.facts = facts, .name = change->name, .pool = pool, .node = node};
    slice->generation = facts->generation;
    slice->left_out = facts->left_out;
    slice->everywhere =
        !facts->left_out &&
        ((facts->shared_counter_count > 0 && !catalog->model->behaviours.counters_by_node) ||
         (node == NULL && reach->all_nodes));
    slice->many = node == NULL || facts->per_device || slice->everywhere;
    link(&pool->first, slice, BERTH__OF_POOL);
    if (node != NULL)
        link(&node->first, slice, BERTH__OF_NODE);
    if (slice->many)
        link(&catalog->many, slice, BERTH__OF_MANY);
    pool->slice_count++;
    pool->many_count += slice->many;
    catalog->many_count += slice->many;
    catalog->many_changed |= slice->many;
    if (slice->many)
        catalog->all_stale = true;
    else
        drop_node(catalog, node);
    return true;
}

/* Make the lists of slices that several nodes may see. Returns false when out of memory. */
static bool list_many(berth__catalog *catalog)
{
    berth__arena *arena = &catalog->many_arena;
    const size_t bytes = (catalog->many_count + 1) * sizeof(berth__offer_slice *);
    berth__arena_reset(arena);
    catalog->unnamed_count = catalog->choosy_count = catalog->everywhere_count = 0;
    catalog->unnamed = berth__arena_alloc(arena, bytes, 8);
    catalog->choosy = berth__arena_alloc(arena, bytes, 8);
    catalog->everywhere = berth__arena_alloc(arena, bytes, 8);
    if (catalog->unnamed == NULL || catalog->choosy == NULL || catalog->everywhere == NULL)
        return false;
    catalog->mark++;
    for (berth__offer_slice *slice = catalog->many; slice != NULL;
         slice = slice->links[BERTH__OF_MANY].next) {
        const berth__slice_facts *facts = slice->facts;
        if (slice->node == NULL || facts->per_device)
            catalog->unnamed[catalog->unnamed_count++] = slice;
        if (slice->everywhere && slice->pool->seen != catalog->mark) {
            slice->pool->seen = catalog->mark;
            catalog->everywhere[catalog->everywhere_count++] = slice->pool;
        }
        if (!slice->everywhere && !facts->left_out && slice->node == NULL &&
            (facts->reach.has_selector || facts->per_device))
            catalog->choosy[catalog->choosy_count++] = slice;
    }
    berth__slices_sort(catalog, catalog->choosy, catalog->choosy_count);
    catalog->many_changed = false;
    return true;
}

/* Number contents and models anew if most numbers are of no use any more. */
static void number_anew(berth__catalog *catalog)
{
    const berth__contents *contents = &catalog->contents;
    if (contents->removed < REMOVED_MIN + contents->count / 2 &&
        catalog->models.count < REMOVED_MIN + 4 * catalog->nodes.count)
        return;
    close_all(catalog);
    berth__contents_clear(&catalog->contents);
    for (uint32_t b = 0; b < catalog->models.bucket_count; b++)
        catalog->models.buckets[b] = NULL;
    catalog->models.count = 0;
    berth__arena_reset(&catalog->models_arena);
    catalog->numbering++;
}

/* The place of that number; NULL when out of memory. */
static berth__offer_slice *place_of(berth__catalog *catalog, uint32_t id)
{
    uint32_t before = catalog->slice_capacity;
    if (!berth__grow(catalog->model->allocator, &catalog->slices, &catalog->slice_capacity, id + 1,
                     sizeof(*catalog->slices)))
        return NULL;
    for (uint32_t i = before; i < catalog->slice_capacity; i++)
        catalog->slices[i] = NULL;
    if (catalog->slices[id] == NULL)
        catalog->slices[id] =
            berth__arena_alloc_zero(&catalog->arena, sizeof(*catalog->slices[id]), 16);
    return catalog->slices[id];
}

bool berth__catalog_change(berth__catalog *catalog, const berth__changed_slice *changes,
                           uint32_t count)
{
    bool ok = true;
    /* First remove all, so that no key is left whose text may be gone. */
    for (uint32_t i = 0; i < count; i++)
        if (changes[i].id < catalog->slice_capacity && catalog->slices[changes[i].id] != NULL &&
            catalog->slices[changes[i].id]->pool != NULL)
            remove_slice(catalog, catalog->slices[changes[i].id]);
    for (uint32_t i = 0; i < count && ok; i++) {
        berth__offer_slice *slice =
            changes[i].facts != NULL ? place_of(catalog, changes[i].id) : NULL;
        ok = changes[i].facts == NULL ||
             (slice != NULL && (slice->pool != NULL || add_slice(catalog, slice, &changes[i])));
    }
    free_empty(catalog);
    number_anew(catalog);
    drop_all_if_stale(catalog);
    return ok && (!catalog->many_changed || list_many(catalog));
}

bool berth__catalog_foresee(berth__catalog *catalog, uint32_t id)
{
    const berth__offer_slice *slice = id < catalog->slice_capacity ? catalog->slices[id] : NULL;
    return slice == NULL || slice->pool == NULL || berth__node_offers_foresee(catalog, slice->pool);
}

bool berth__catalog_foresee_node(berth__catalog *catalog, berth__sym name)
{
    const uint32_t *id = berth__cow_array_find(catalog->node_ids, name);
    if (id == NULL || *id == 0 || catalog->choosy_count > 0 ||
        berth__node_offers_has(catalog, *id - 1) || berth__catalog_named(catalog, name) == NULL)
        return true;
    const berth__offer_node node = {.id = *id - 1, .name = name};
    return berth__node_offers_of(catalog, &node) != NULL &&
           berth__node_offers_listed(catalog, node.id) != NULL;
}

void berth__catalog_taint(berth__catalog *catalog, berth__taint_rules rules)
{
    catalog->rules = rules;
    close_all(catalog);
    drop_all_if_stale(catalog);
}

void berth__catalog_follow(berth__catalog *catalog, uint64_t layout_epoch)
{
    if (catalog->layout_epoch == layout_epoch)
        return;
    if (catalog->choosy_count > 0)
        berth__node_offers_forget(catalog);
    catalog->layout_epoch = layout_epoch;
}
