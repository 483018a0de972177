/* Class maps: built from cells and counts, repaired, and cached. */
#include "index/class_maps.h"

#include <string.h>

#include "base/bits.h"
#include "base/limit.h"

enum {
    MAPS_CACHED = BERTH__LIMIT(1 << 16, 2),
    /* Maps that serve fewer decisions get no block for each tile. */
    GETS_BEFORE_ORDER = BERTH__LIMIT(16, 2),
};
static const size_t MAP_BYTES_MAX = (size_t)256 << 20;

/* ---- the cache ---- */

berth_status berth__class_maps_init(berth__class_maps *maps, const berth_allocator *allocator)
{
    *maps = (berth__class_maps){.allocator = allocator};
    return berth__keymap_init(&maps->map, allocator);
}

/* Groups of tiles, and one more. */
static uint32_t group_ends(uint32_t tiles)
{
    return (tiles + BERTH__FOREST_FAN - 1) / BERTH__FOREST_FAN + 1;
}

static size_t tile_bytes(uint32_t tiles)
{
    return (size_t)tiles * (sizeof(berth__mask) + sizeof(uint32_t)) +
           group_ends(tiles) * sizeof(uint32_t);
}

static size_t moves_bytes(uint32_t tiles)
{
    return berth__class_moves(tiles) * sizeof(uint32_t);
}

/* The memory that a map takes besides its blocks: the struct and the arrays by tile. */
static size_t fixed_bytes(uint32_t tiles)
{
    return tile_bytes(tiles) + sizeof(berth__class_map);
}

static void free_ids(berth__class_maps *maps, berth__class_map *map)
{
    const size_t blocks = map->block_capacity * sizeof(*map->blocks);
    berth__free(maps->allocator, map->with, tile_bytes(map->tile_count));
    berth__free(maps->allocator, map->blocks, blocks);
    if (map->tile_count > 0)
        maps->bytes -= fixed_bytes(map->tile_count);
    if (map->moved != NULL)
        maps->bytes -= moves_bytes(map->tile_count);
    berth__free(maps->allocator, map->moved, moves_bytes(map->tile_count));
    maps->bytes -= blocks;
    map->moved = NULL;
    map->with = NULL;
    map->block_of = NULL;
    map->blocks = NULL;
    map->block_count = map->block_capacity = 0;
    map->tile_count = 0;
}

static berth__class_map *oldest(const berth__class_maps *maps)
{
    return (berth__class_map *)maps->order.oldest;
}

static void drop(berth__class_maps *maps, berth__class_map *map)
{
    berth__use_remove(&maps->order, &map->used);
    maps->epoch++;
    berth__keymap_remove(&maps->map, &map->used.entry);
    free_ids(maps, map);
    berth__free(maps->allocator, map->slots, map->slot_capacity * sizeof(*map->slots));
    berth__free(maps->allocator, map->members, map->member_capacity * sizeof(*map->members));
    berth__free(maps->allocator, map->newest, map->newest_capacity * sizeof(*map->newest));
    berth__free(maps->allocator, map->peopled, map->peopled_capacity * sizeof(*map->peopled));
    berth__free(maps->allocator, map->listed, map->listed_capacity * sizeof(*map->listed));
    berth__free(maps->allocator, map, sizeof(*map));
}

void berth__class_maps_destroy(berth__class_maps *maps)
{
    if (maps->allocator == NULL)
        return;
    while (maps->order.oldest != NULL)
        drop(maps, oldest(maps));
    berth__keymap_destroy(&maps->map);
}

static void trim(berth__class_maps *maps, const berth__class_map *but, size_t more)
{
    while (oldest(maps) != but &&
           (maps->map.count > MAPS_CACHED || maps->bytes + more > MAP_BYTES_MAX))
        drop(maps, oldest(maps));
}

/* Counts are identified by their serials: as long as a count keeps its serial, it changes only by
 * what its population logs. The number of words says how many counts there are. */
static uint32_t key_of(const berth__decision *decision, const berth__cells_ask *ask,
                       uint64_t *words)
{
    uint32_t count = berth__score_cells_key(decision, ask, words);
    for (uint32_t i = 0; i < ask->parts->by_node_count; i++)
        words[count++] = ask->parts->by_node[i]->serial;
    return count;
}

static berth__class_map *add(berth__class_maps *maps, const uint64_t *key, uint32_t bytes)
{
    berth__class_map *map = berth__alloc_zero(maps->allocator, sizeof(*map), 8);
    if (map == NULL)
        return NULL;
    memcpy(map->key, key, bytes);
    map->used.entry.key = map->key;
    map->used.entry.key_bytes = bytes;
    berth__keymap_add(&maps->map, &map->used.entry);
    berth__use_add(&maps->order, &map->used);
    trim(maps, map, 0);
    return map;
}

static berth__class_map *find_or_add(berth__class_maps *maps, berth__prepared_memory *memory,
                                     const uint64_t *key, uint32_t words)
{
    uint32_t bytes = words * (uint32_t)sizeof(*key);
    berth__class_map *map = memory->map;
    if (map == NULL || memory->map_epoch != maps->epoch || map->used.entry.key_bytes != bytes ||
        memcmp(map->key, key, bytes) != 0)
        map = (berth__class_map *)berth__keymap_find(&maps->map, key, bytes);
    if (map == NULL)
        map = add(maps, key, bytes);
    else
        berth__use_again(&maps->order, &map->used);
    memory->map = map;
    memory->map_epoch = maps->epoch;
    return map;
}

static bool allocate(berth__class_maps *maps, berth__class_map *map, uint32_t tiles)
{
    if (map->tile_count == tiles)
        return true;
    free_ids(maps, map);
    trim(maps, map, fixed_bytes(tiles));
    map->with = berth__alloc(maps->allocator, tile_bytes(tiles), 64);
    if (map->with == NULL)
        return false;
    map->block_of = (uint32_t *)(void *)(map->with + tiles);
    map->listed_from = map->block_of + tiles;
    map->tile_count = tiles;
    maps->bytes += fixed_bytes(tiles);
    return true;
}

/* ---- classes ---- */

/* A map under repair. */
typedef struct mapping {
    berth__class_maps *maps;
    berth__class_map *map;
    const berth__score_parts *parts;
    const berth__score_cells *cells;
    bool lists; /* a new map lists the slots with pods */
    bool ok;    /* false: out of memory */
} mapping;

/* Whether two classes of a cell are the same. */
static bool same(const berth__peopled *a, const berth__peopled *b, uint32_t parts)
{
    uint32_t differ = 0;
    for (uint32_t i = 0; i < parts; i++)
        differ |= a->pods[i] ^ b->pods[i];
    return differ == 0;
}

/* Make room for facts about `count` classes. */
static bool reserve_classes(const mapping *to, uint32_t count)
{
    berth__class_map *map = to->map;
    const berth_allocator *allocator = to->maps->allocator;
    return berth__grow(allocator, &map->slots, &map->slot_capacity, count, sizeof(*map->slots)) &&
           berth__grow(allocator, &map->members, &map->member_capacity, count,
                       sizeof(*map->members));
}

/* The class with these pods in this cell; 0: there is none yet. */
static uint32_t find_class(const mapping *to, const berth__peopled *own)
{
    const berth__class_map *map = to->map;
    uint32_t id = map->newest[own->cell];
    while (id != 0 && !same(&map->peopled[id - map->cell_count], own, to->parts->by_node_count))
        id = map->peopled[id - map->cell_count].next;
    return id;
}

/* Whether another class is allowed. Of many classes, most must have slots, because each decision
 * looks at all of them. */
static bool may_add(const berth__class_map *map)
{
    const uint32_t slots = map->tile_count * BERTH__TILE;
    return map->count < berth__cells_allowed(slots, BERTH__CLASSES_FEW, BERTH__CLASSES_MAX) &&
           (map->count < BERTH__CLASSES_FEW || map->empty <= map->count / 2);
}

/* Add a class and return its id. If there are too many classes, or no memory, the map's count
 * becomes 0. */
static uint32_t add_class(mapping *to, const berth__peopled *own)
{
    berth__class_map *map = to->map;
    uint32_t peopled = map->count - map->cell_count;
    if (!may_add(map)) {
        map->count = 0;
        return 0;
    }
    if (!berth__grow(to->maps->allocator, &map->peopled, &map->peopled_capacity, peopled + 1,
                     sizeof(*map->peopled)) ||
        !reserve_classes(to, map->count + 1)) {
        to->ok = false;
        map->count = 0;
        return 0;
    }
    map->peopled[peopled] = *own;
    map->peopled[peopled].next = map->newest[own->cell];
    map->newest[own->cell] = map->count;
    map->members[map->count] = 0;
    map->empty++;
    return map->count++;
}

/* Give all tiles a block, in their order, so that searches read adjacent memory. If there is no
 * memory, they stay as they are. */
static void fill_blocks(mapping *to)
{
    berth__class_map *map = to->map;
    const berth_allocator *allocator = to->maps->allocator;
    const size_t bytes = map->tile_count * sizeof(*map->blocks);
    if (bytes == 0)
        return;
    uint16_t(*blocks)[BERTH__TILE] = berth__alloc(allocator, bytes, 64);
    if (blocks == NULL)
        return;
    for (uint32_t tile = 0; tile < map->tile_count; tile++) {
        memcpy(blocks[tile], berth__class_map_tile(map, to->cells, tile), sizeof(*blocks));
        map->block_of[tile] = tile + 1;
    }
    to->maps->bytes += bytes;
    to->maps->bytes -= map->block_capacity * sizeof(*map->blocks);
    berth__free(allocator, map->blocks, map->block_capacity * sizeof(*map->blocks));
    map->blocks = blocks;
    map->block_count = map->block_capacity = map->tile_count;
    map->in_order = true;
}

/* A tile's class ids, for writing. If the tile has no block yet, it gets one with a copy of its
 * cells' ids. NULL when out of memory. */
static uint16_t *own_ids(mapping *to, uint32_t tile)
{
    berth__class_map *map = to->map;
    const uint32_t capacity = map->block_capacity;
    if (map->block_of[tile] == 0) {
        if (!berth__grow(to->maps->allocator, &map->blocks, &map->block_capacity,
                         map->block_count + 1, sizeof(*map->blocks))) {
            to->ok = false;
            map->count = 0;
            return NULL;
        }
        to->maps->bytes += (map->block_capacity - capacity) * sizeof(*map->blocks);
        memcpy(map->blocks[map->block_count], to->cells->ids + (size_t)tile * BERTH__TILE,
               sizeof(*map->blocks));
        map->block_of[tile] = ++map->block_count;
        if (map->block_count > map->tile_count / 2 && map->block_count < map->tile_count)
            fill_blocks(to);
    }
    return map->blocks[map->block_of[tile] - 1];
}

static void enter(berth__class_map *map, uint32_t id)
{
    map->empty -= id >= map->cell_count && map->members[id] == 0;
    map->members[id]++;
}

static void leave(berth__class_map *map, uint32_t id)
{
    map->members[id]--;
    map->empty += id >= map->cell_count && map->members[id] == 0;
}

/* Where a slot stands in the list, or would stand. */
static uint32_t find_listed(const berth__class_map *map, uint32_t slot)
{
    const uint32_t group = slot / (BERTH__FOREST_FAN * BERTH__TILE);
    uint32_t low = map->listed_from[group], high = map->listed_from[group + 1];
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (map->listed[middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Move the groups behind a slot's by one place in the list. */
static void move_groups(berth__class_map *map, uint32_t slot, uint32_t by)
{
    const uint32_t ends = group_ends(map->tile_count);
    for (uint32_t i = slot / (BERTH__FOREST_FAN * BERTH__TILE) + 1; i < ends; i++)
        map->listed_from[i] += by;
}

static void unlist(berth__class_map *map, uint32_t slot)
{
    const uint32_t at = find_listed(map, slot);
    move_groups(map, slot, UINT32_MAX);
    map->listed_count--;
    memmove(map->listed + at, map->listed + at + 1,
            (map->listed_count - at) * sizeof(*map->listed));
}

/* More slots are not listed: twice what searches look at one by one, because some may leave. */
static uint32_t listed_max(const berth__class_map *map)
{
    const uint32_t most = 2 * BERTH__LISTED_PER_TILE * map->tile_count;
    return most < BERTH__PEOPLED_LISTED_MAX ? most : BERTH__PEOPLED_LISTED_MAX;
}

/* List a slot with its class. Without memory there is no list. */
static void enlist(mapping *to, uint32_t slot, uint32_t id, bool is_new)
{
    berth__class_map *map = to->map;
    const uint16_t cell = (uint16_t)berth__class_map_cell(map, id);
    if (is_new && (map->listed_count == listed_max(map) ||
                   !berth__grow(to->maps->allocator, &map->listed, &map->listed_capacity,
                                map->listed_count + 1, sizeof(*map->listed)))) {
        map->unlisted = true;
        return;
    }
    const uint32_t at = find_listed(map, slot);
    if (is_new) {
        move_groups(map, slot, 1);
        memmove(map->listed + at + 1, map->listed + at,
                (map->listed_count - at) * sizeof(*map->listed));
        map->listed_count++;
    }
    map->listed[at] = (berth__peopled_slot){slot, (uint16_t)id, cell};
}

/* Bring the list up to date after a slot has changed its class. */
static void note(mapping *to, uint32_t slot, uint32_t id, bool had_pods, bool has_pods)
{
    berth__class_map *map = to->map;
    if (map->unlisted)
        return;
    if (has_pods)
        enlist(to, slot, id, !had_pods);
    else if (had_pods)
        unlist(map, slot);
}

/* Remember a move for forests by class. Where there are none, or no memory, it is only counted. */
static void note_move(mapping *to, uint32_t slot)
{
    berth__class_map *map = to->map;
    const uint32_t most = berth__class_moves(map->tile_count);
    const uint64_t move = map->moves++;
    if (berth__class_map_lists_few(map)) {
        map->recalled = 0;
        return;
    }
    if (map->moved == NULL) {
        map->moved = berth__alloc(to->maps->allocator, moves_bytes(map->tile_count), 4);
        if (map->moved == NULL)
            return;
        to->maps->bytes += moves_bytes(map->tile_count);
    }
    map->moved[move % most] = slot;
    map->recalled += map->recalled < most;
}

/* Put a slot into its class. */
static void place(mapping *to, uint32_t slot)
{
    berth__class_map *map = to->map;
    const berth__score_parts *parts = to->parts;
    berth__peopled own = {.cell = to->cells->ids[slot]};
    uint32_t any = 0, id = own.cell;
    for (uint32_t i = 0; i < parts->by_node_count; i++)
        any |= own.pods[i] = berth__domain_counts_slot(parts->by_node[i], slot);
    if (any != 0) {
        id = find_class(to, &own);
        id = id != 0 ? id : add_class(to, &own);
    }
    const uint32_t tile = slot / BERTH__TILE;
    uint16_t *ids = map->count > 0 ? own_ids(to, tile) : NULL;
    if (ids == NULL)
        return;
    if (ids[slot % BERTH__TILE] != id)
        note_move(to, slot);
    leave(map, ids[slot % BERTH__TILE]);
    enter(map, id);
    ids[slot % BERTH__TILE] = (uint16_t)id;
    uint64_t *word = &map->with[tile].words[slot % BERTH__TILE / 64];
    uint64_t bit = UINT64_C(1) << slot % 64;
    note(to, slot, id, (*word & bit) != 0, any != 0);
    *word = any != 0 ? *word | bit : *word & ~bit;
    map->slots[id] = slot;
}

/* ---- making and repairing ---- */

/* The slots of a tile with pods of any of the counts. */
static berth__mask peopled_of(const berth__score_parts *parts, const berth__kernels *kernels,
                              uint32_t tile)
{
    _Alignas(64) uint32_t scratch[BERTH__TILE];
    berth__mask out = {{0}};
    for (uint32_t i = 0; i < parts->by_node_count; i++) {
        const berth__slot_pods *pods = &parts->by_node[i]->population->slots;
        if (berth__slot_pods_spare(pods, tile))
            continue;
        const berth__mask none = kernels->equal(berth__slot_pods_tile(pods, tile, scratch), 0);
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            out.words[w] |= ~none.words[w];
    }
    return out;
}

static void make(mapping *to, const berth__view *view)
{
    berth__class_map *map = to->map;
    map->cells = to->cells->serial;
    map->serial = ++to->maps->made;
    map->cell_count = map->count = to->cells->count;
    to->ok = reserve_classes(to, map->count) &&
             berth__grow(to->maps->allocator, &map->newest, &map->newest_capacity, map->cell_count,
                         sizeof(*map->newest));
    if (!to->ok)
        return;
    memset(map->newest, 0, map->cell_count * sizeof(*map->newest));
    memcpy(map->slots, to->cells->slots, map->count * sizeof(*map->slots));
    memset(map->with, 0, tile_bytes(map->tile_count)); /* also block_of and listed_from */
    map->block_count = map->empty = 0;
    map->in_order = false;
    map->gets = 0;
    map->listed_count = 0;
    map->unlisted = !to->lists;
    memcpy(map->members, to->cells->members, map->count * sizeof(*map->members));
    for (uint32_t i = 0; i < to->parts->by_node_count; i++)
        map->seen[i] = to->parts->by_node[i]->population->changes;
    for (uint32_t tile = 0; tile < map->tile_count && map->count > 0; tile++) {
        const berth__mask peopled = peopled_of(to->parts, view->kernels, tile);
        BERTH__MASK_EACH(&peopled, s)
        {
            if (map->count > 0)
                place(to, tile * BERTH__TILE + s);
        }
    }
}

static bool is_behind(const mapping *of)
{
    for (uint32_t i = 0; i < of->parts->by_node_count; i++)
        if (of->parts->by_node[i]->population->changes - of->map->seen[i] > BERTH__POPULATION_LOG)
            return true;
    return false;
}

/* Apply the changes since the last use. Classes that have become empty are kept until there are too
 * many classes; then the map is rebuilt. */
static void follow(mapping *to, const berth__view *view)
{
    for (uint32_t i = 0; i < to->parts->by_node_count && to->map->count > 0; i++) {
        const berth__population *population = to->parts->by_node[i]->population;
        uint64_t *seen = &to->map->seen[i];
        for (; *seen != population->changes && to->map->count > 0; ++*seen)
            place(to, population->changed[*seen % BERTH__POPULATION_LOG]);
    }
    if (to->map->count == 0 && to->ok)
        make(to, view);
}

bool berth__class_maps_serve_forests(const berth__decision *decision)
{
    const berth__layout *layout = decision->cycle->view->layout;
    return layout->tile_count >= BERTH__FOREST_TILES_MIN ||
           (layout->tile_count >= BERTH__FOREST_ALL_TILES_MIN &&
            berth__profile_limit(decision->profile, layout->count) >= layout->count);
}

const berth__class_map *berth__class_maps_get(berth__class_maps *maps,
                                              const berth__decision *decision,
                                              const berth__cells_ask *ask,
                                              const berth__score_cells *cells)
{
    uint64_t key[BERTH__CLASS_WORDS];
    const berth__view *view = decision->cycle->view;
    uint32_t words = key_of(decision, ask, key);
    berth__class_map *map = find_or_add(maps, &decision->prepared->memory, key, words);
    if (map == NULL)
        return NULL;
    const bool lists = berth__class_maps_serve_forests(decision);
    mapping to = {maps, map, ask->parts, cells, lists, true};
    const bool made = map->cells == cells->serial;
    if (!made && !allocate(maps, map, view->layout->tile_count))
        to.ok = false;
    else if (!made || is_behind(&to))
        make(&to, view);
    else if (map->count > 0)
        follow(&to, view);
    if (++map->gets == GETS_BEFORE_ORDER && !map->in_order &&
        map->tile_count < BERTH__FOREST_TILES_MIN)
        fill_blocks(&to);
    if (to.ok)
        return map;
    drop(maps, map);
    return NULL;
}
