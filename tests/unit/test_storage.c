/* The store of volumes: shelves compared with a plain list, objects and reservations added and
 * removed, and every step with each allocation failing in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "columns/volume_use.h"
#include "store/in_tree_handle.h"
#include "store/storage.h"
#include "store/storage_rows.h"

#define TEXT(text)               \
    {                            \
        (text), sizeof(text) - 1 \
    }

/* ---- an allocator that fails once ---- */

typedef struct failing {
    uint64_t until_failure; /* 0: never */
    int64_t held;           /* bytes */
} failing;

static void *failing_allocate(void *context, size_t bytes, size_t align)
{
    failing *own = context;
    void *memory = NULL;
    if (own->until_failure > 0 && --own->until_failure == 0)
        return NULL;
    if (posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, bytes) != 0)
        return NULL;
    own->held += (int64_t)bytes;
    return memory;
}

static void failing_release(void *context, void *memory, size_t bytes)
{
    ((failing *)context)->held -= (int64_t)bytes;
    free(memory);
}

/* ---- shelves ---- */

enum { LABELS = 3, VALUES = 4, OBJECTS = 60 };

typedef struct object {
    bool there, lent;
    uint32_t owner;
    bool everywhere;
    berth__interned_requirement requirements[2];
    berth__sym values[2][VALUES];
    berth__node_term terms[2];
    berth__interned_node_selector chooses;
    berth__shelf_item item;
} object;

/* One or two terms of one In or Exists requirement each. */
static void make_object(object *o, berth__random *random, uint64_t arrival)
{
    *o = (object){.owner = 1 + berth__random_below(random, 2)};
    o->everywhere = berth__random_below(random, 5) == 0;
    o->chooses = (berth__interned_node_selector){o->terms, 1 + berth__random_below(random, 2)};
    for (uint32_t t = 0; t < 2; t++) {
        berth__interned_requirement *r = &o->requirements[t];
        r->key = 1 + berth__random_below(random, LABELS);
        r->op = berth__random_below(random, 6) == 0 ? BERTH__OP_EXISTS : BERTH__OP_IN;
        for (berth__sym v = 1; v <= VALUES; v++)
            if (berth__random_below(random, 2) == 0)
                o->values[t][r->value_count++] = v;
        if (r->value_count == 0)
            o->values[t][r->value_count++] = 1;
        r->values = o->values[t];
        o->terms[t] = (berth__node_term){
            .valid = berth__random_below(random, 8) > 0, .expressions = r, .expression_count = 1};
    }
    o->item = (berth__shelf_item){.amount = berth__random_below(random, 4),
                                  .arrival = arrival,
                                  .traits = berth__random_below(random, 4),
                                  .object = o};
}

static const berth__interned_node_selector *choice_of(const object *o)
{
    return o->everywhere ? NULL : &o->chooses;
}

/* The smallest object that a node with these labels finds, according to the shelves. */
static const object *find_shelved(const berth__shelves *shelves, const berth__intern *strings,
                                  uint32_t owner, berth__labels labels, int amount)
{
    const berth__shelf_set *set = berth__shelves_find(shelves, owner);
    const object *best = NULL;
    for (uint32_t s = 0; set != NULL && s <= set->label_count; s++) {
        const berth__shelf *shelf = &set->open;
        if (s < set->label_count)
            shelf =
                berth__shelf_find(set, set->labels[s], berth__labels_get(labels, set->labels[s]));
        for (uint32_t i = shelf != NULL ? berth__shelf_from(shelf, amount) : 0;
             shelf != NULL && i < shelf->count; i++) {
            const object *o = shelf->items[i].object;
            assert_true(i == 0 || shelf->items[i - 1].amount <= shelf->items[i].amount);
            bool reached =
                o->everywhere || berth__node_selector_meets(strings, &o->chooses, 0, labels);
            assert_true(reached || !shelf->items[i].reached);
            assert_int_equal(shelf->items[i].traits, o->item.traits);
            if (reached &&
                (best == NULL || o->item.amount < best->item.amount ||
                 (o->item.amount == best->item.amount && o->item.arrival < best->item.arrival)))
                best = o;
        }
    }
    return best;
}

static const object *find_plainly(const object *objects, const berth__intern *strings,
                                  uint32_t owner, berth__labels labels, int amount)
{
    const object *best = NULL;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        const object *o = &objects[i];
        if (o->there && !o->lent && o->owner == owner && o->item.amount >= amount &&
            (o->everywhere || berth__node_selector_meets(strings, &o->chooses, 0, labels)) &&
            (best == NULL || o->item.amount < best->item.amount ||
             (o->item.amount == best->item.amount && o->item.arrival < best->item.arrival)))
            best = o;
    }
    return best;
}

static void change_object(berth__shelves *shelves, object *o, berth__random *random,
                          uint64_t *arrivals)
{
    const berth__interned_node_selector *chooses = choice_of(o);
    if (!o->there) {
        make_object(o, random, ++*arrivals);
        assert_true(berth__shelves_add(shelves, o->owner, choice_of(o), &o->item));
        o->there = true;
    } else if (o->lent && berth__random_below(random, 2) == 0) {
        berth__shelves_give_up(shelves, o->owner, chooses);
        *o = (object){0};
    } else if (o->lent) {
        berth__shelves_return(shelves, o->owner, chooses, &o->item);
        o->lent = false;
    } else if (berth__random_below(random, 3) == 0) { /* it changes, but not its place */
        const berth__shelf_item former = o->item;
        o->item.traits = berth__random_below(random, 4);
        assert_true(berth__shelves_add(shelves, o->owner, chooses, &o->item));
        berth__shelves_remove(shelves, o->owner, chooses, &former);
    } else if (berth__random_below(random, 2) == 0) {
        berth__shelves_lend(shelves, o->owner, chooses, &o->item);
        o->lent = true;
    } else {
        berth__shelves_remove(shelves, o->owner, chooses, &o->item);
        *o = (object){0};
    }
}

static void test_shelves(void **state)
{
    failing memory = {0};
    const berth_allocator allocator = {&memory, failing_allocate, failing_release};
    static object objects[OBJECTS];
    berth__intern strings;
    berth__shelves shelves;
    uint64_t arrivals = 0;
    berth__random random = {7};
    (void)state;
    memset(objects, 0, sizeof(objects));
    assert_int_equal(berth__intern_init(&strings, &allocator), BERTH_OK);
    assert_int_equal(berth__shelves_init(&shelves, &allocator), BERTH_OK);
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t changes = berth__random_below(&random, 30);
        for (uint32_t i = 0; i < changes; i++)
            change_object(&shelves, &objects[berth__random_below(&random, OBJECTS)], &random,
                          &arrivals);
        berth__shelves_settle(&shelves);
        berth__label items[LABELS];
        berth__labels labels = {items, 0};
        for (berth__sym key = 1; key <= LABELS; key++)
            if (berth__random_below(&random, 4) > 0)
                items[labels.count++] =
                    (berth__label){key, 1 + berth__random_below(&random, VALUES)};
        uint32_t owner = 1 + berth__random_below(&random, 3);
        int amount = (int)berth__random_below(&random, 5);
        assert_ptr_equal(find_shelved(&shelves, &strings, owner, labels, amount),
                         find_plainly(objects, &strings, owner, labels, amount));
    }
    berth__shelves_destroy(&shelves);
    berth__intern_destroy(&strings);
    assert_int_equal(memory.held, 0);
}

/* ---- objects and failures ---- */

static const berth_str zone_values[] = {TEXT("z1"), TEXT("z2")};
static const berth_requirement zone_in[] = {{TEXT("zone"), TEXT("In"), {zone_values, 2}}};
static const berth_node_selector_term zone_term[] = {{.match_expressions = {zone_in, 1}}};
static const berth_node_selector in_zones = {zone_term, 1};
static const berth_str once[] = {TEXT("ReadWriteOnce")};
static const berth_key_value zone_label[] = {{TEXT("topology.kubernetes.io/zone"), TEXT("a-b-c")}};
static const berth_csi_node_driver limited[] = {
    {TEXT("pd.csi.storage.gke.io"), TEXT("x"), true, 3, NULL}};
static const berth_label_selector host_one = {.match_labels = {zone_label, 1}};

static const berth_storage_class local_class = {.meta = {.name = TEXT("local")},
                                                .provisioner = TEXT("drv"),
                                                .binding_mode = TEXT("WaitForFirstConsumer")};
static const berth_csi_driver driver = {.meta = {.name = TEXT("drv")}, .storage_capacity = true};
static const berth_csi_node csi_node = {
    .meta = {.name = TEXT("n1")}, .drivers = limited, .driver_count = 1};
static const berth_csi_storage_capacity capacity = {.meta = {.name = TEXT("k")},
                                                    .storage_class = TEXT("local"),
                                                    .node_topology = &host_one,
                                                    .has_capacity = true,
                                                    .capacity = {.units = 5}};
static const berth_persistent_volume volumes[] = {
    {.meta = {.name = TEXT("pv1")},
     .capacity = {.units = 2},
     .access_modes = {once, 1},
     .storage_class = TEXT("local"),
     .node_affinity = &in_zones,
     .phase = TEXT("Available")},
    {.meta = {.name = TEXT("pv2"), .labels = {zone_label, 1}},
     .capacity = {.units = 3},
     .storage_class = TEXT("local"),
     .source = {.kind = BERTH_VOLUME_GCE_PD, .handle = TEXT("disk")},
     .has_claim_ref = true,
     .claim_namespace = TEXT("default"),
     .claim_name = TEXT("c2"),
     .node_affinity = &in_zones,
     .phase = TEXT("Bound")},
};
static const berth_persistent_volume_claim claims[] = {
    {.meta = {.name = TEXT("c1")}, .storage_class = TEXT("local"), .request = {.units = 1}},
    {.meta = {.name = TEXT("c2")},
     .storage_class = TEXT("local"),
     .volume_name = TEXT("pv2"),
     .request = {.units = 1}},
};
static const berth_volume_attachment attachment = {.meta = {.name = TEXT("va")},
                                                   .attacher = TEXT("drv"),
                                                   .node_name = TEXT("n1"),
                                                   .persistent_volume = TEXT("pv2")};

static const berth_object objects_in[] = {
    {.kind = BERTH_KIND_PERSISTENT_VOLUME_CLAIM, .as.persistent_volume_claim = &claims[0]},
    {.kind = BERTH_KIND_PERSISTENT_VOLUME_CLAIM, .as.persistent_volume_claim = &claims[1]},
    {.kind = BERTH_KIND_PERSISTENT_VOLUME, .as.persistent_volume = &volumes[0]},
    {.kind = BERTH_KIND_PERSISTENT_VOLUME, .as.persistent_volume = &volumes[1]},
    {.kind = BERTH_KIND_STORAGE_CLASS, .as.storage_class = &local_class},
    {.kind = BERTH_KIND_CSI_DRIVER, .as.csi_driver = &driver},
    {.kind = BERTH_KIND_CSI_NODE, .as.csi_node = &csi_node},
    {.kind = BERTH_KIND_CSI_STORAGE_CAPACITY, .as.csi_storage_capacity = &capacity},
    {.kind = BERTH_KIND_VOLUME_ATTACHMENT, .as.volume_attachment = &attachment},
};
enum { OBJECTS_IN = sizeof(objects_in) / sizeof(objects_in[0]) };

typedef struct store {
    failing memory;
    berth_allocator allocator;
    berth__model model;
    berth__cow_owner cow;
    berth__storage *storage;
    berth__volume_use *use;
} store;

static berth__sym sym_of(store *s, const char *text)
{
    bool ok = true;
    berth__sym sym =
        berth__intern_add(&s->model.strings, (berth_str){text, (uint32_t)strlen(text)}, &ok);
    assert_true(ok);
    return sym;
}

static bool open_store(store *s)
{
    s->allocator = (berth_allocator){&s->memory, failing_allocate, failing_release};
    if (berth__model_init(&s->model, &s->allocator, NULL) != BERTH_OK)
        return false;
    berth__cow_owner_init(&s->cow, &s->allocator, &s->model);
    if (berth__storage_create(&s->model, &s->cow, &s->storage) == BERTH_OK) {
        if (berth__volume_use_create(s->storage, &s->use) == BERTH_OK)
            return true;
        berth__storage_destroy(s->storage);
    }
    berth__model_destroy(&s->model);
    return false;
}

static void close_store(store *s)
{
    berth__volume_use_destroy(s->use);
    berth__storage_destroy(s->storage);
    berth__model_destroy(&s->model);
    assert_int_equal(s->memory.held, 0);
}

static const berth__shelf *zone_shelf(store *s, const char *zone)
{
    berth__shelves_settle(&s->storage->free_volumes);
    const berth__shelf_set *set =
        berth__shelves_find(&s->storage->free_volumes, sym_of(s, "local"));
    return set != NULL ? berth__shelf_find(set, sym_of(s, "zone"), sym_of(s, zone)) : NULL;
}

/* Add everything. An addition without memory changes nothing and succeeds afterwards. */
static void add_all(store *s, bool replace)
{
    for (uint32_t i = 0; i < OBJECTS_IN; i++) {
        berth_error error;
        uint64_t news = s->storage->journal_end;
        berth_status status = berth__storage_add(s->storage, &objects_in[i], replace, &error);
        if (status == BERTH_OK)
            continue;
        assert_int_equal(status, BERTH_E_NOMEM);
        assert_int_equal(s->storage->journal_end, news);
        s->memory.until_failure = 0;
        assert_int_equal(berth__storage_add(s->storage, &objects_in[i], replace, &error), BERTH_OK);
    }
}

/* Pods on node 0 with both claims and an inline disk. */
static void use_volumes(store *s)
{
    const berth__pod_volume items[] = {
        {.kind = BERTH_VOLUME_CLAIM, .handle = sym_of(s, "c1")},
        {.kind = BERTH_VOLUME_CLAIM, .handle = sym_of(s, "c2")},
        {.kind = BERTH_VOLUME_GCE_PD, .handle = sym_of(s, "disk")},
    };
    const berth__volume_list list = {
        .namespace_name = sym_of(s, "default"), .items = items, .count = 3};
    for (uint32_t round = 0; round < 2; round++)
        if (berth__volume_use_add(s->use, 0, &list) != BERTH_OK) {
            s->memory.until_failure = 0;
            assert_int_equal(berth__volume_use_add(s->use, 0, &list), BERTH_OK);
        }
    uint32_t ids[] = {0};
    berth__node_record node = {.name = sym_of(s, "n1")};
    berth__cow_directory directory = {.pages = {(char *)&node}};
    berth__cow_directory *root[] = {&directory};
    const berth__cow_array nodes = {.directories = root,
                                    .directory_count = 1,
                                    .item_bytes = sizeof(node),
                                    .page_shift = BERTH__NODE_PAGE_SHIFT};
    const berth__layout layout = {.count = 1, .epoch = 1, .nodes = ids};
    if (!berth__volume_use_refresh(s->use, &layout, &nodes)) {
        s->memory.until_failure = 0;
        assert_true(berth__volume_use_refresh(s->use, &layout, &nodes));
    }
    const berth__node_volumes *state = berth__volume_use_of(s->use, 0);
    assert_int_equal(state->ref_count, 3);
    /* The volume of c2 lies in a zone, so it differs from the inline disk. c1 has a class with a
     * driver. */
    assert_int_equal(berth__volumes_attached(state, sym_of(s, "pd.csi.storage.gke.io")), 2);
    assert_int_equal(berth__volumes_attached(state, sym_of(s, "drv")), 1);
    berth__volume_use_remove(s->use, 0, &list);
    assert_int_equal(state->ref_count, 3);
    berth__volume_use_remove(s->use, 0, &list);
    assert_int_equal(state->ref_count + state->attached_count + state->driver_count, 0);
}

static void reserve_volume(store *s)
{
    berth__claim *claim = berth__storage_claim(s->storage, sym_of(s, "default"), sym_of(s, "c1"));
    const berth__shelf *shelf = zone_shelf(s, "z2");
    assert_int_equal(shelf->count, 1);
    berth__pv *volume = shelf->items[0].object;
    const berth__volume_choice choice = {claim, volume};
    if (berth__storage_reserve(s->storage, 9, &choice, 1, sym_of(s, "n1")) != BERTH_OK) {
        assert_null(volume->reserved);
        s->memory.until_failure = 0;
        assert_int_equal(berth__storage_reserve(s->storage, 9, &choice, 1, sym_of(s, "n1")),
                         BERTH_OK);
    }
    s->memory.until_failure = 0;
    assert_true(berth__pv_is_for(volume, claim));
    assert_int_equal(zone_shelf(s, "z2")->count, 0);
    /* An existing reservation is not made again, so it is not released, either. */
    assert_int_equal(berth__storage_reserve(s->storage, 8, &choice, 1, sym_of(s, "n1")), BERTH_OK);
    berth__storage_unreserve(s->storage, 8);
    assert_true(berth__pv_is_for(volume, claim));
    berth__storage_unreserve(s->storage, 9);
    berth__storage_unreserve(s->storage, 9);
    assert_false(berth__pv_is_for(volume, claim));
    assert_int_equal(zone_shelf(s, "z2")->count, 1);
}

static void remove_all(store *s)
{
    for (uint32_t i = 0; i < OBJECTS_IN; i++) {
        const berth_metadata *meta = objects_in[i].as.any;
        berth_error error;
        assert_int_equal(berth__storage_remove(s->storage, objects_in[i].kind, (berth_str){0},
                                               meta->name, &error),
                         BERTH_OK);
        assert_int_equal(berth__storage_remove(s->storage, objects_in[i].kind, (berth_str){0},
                                               meta->name, &error),
                         BERTH_E_NOT_FOUND);
        assert_int_equal(berth__storage_add(s->storage, &objects_in[i], true, &error),
                         BERTH_E_NOT_FOUND);
    }
    assert_int_equal(zone_shelf(s, "z1")->count, 0);
    assert_int_equal(zone_shelf(s, "z2")->count, 0);
}

static void test_objects(void **state)
{
    (void)state;
    for (uint64_t nth = 0; nth < 400; nth++) {
        store s = {.memory = {.until_failure = nth}};
        if (!open_store(&s)) {
            assert_int_equal(s.memory.held, 0);
            continue;
        }
        add_all(&s, false);
        add_all(&s, true);
        s.memory.until_failure = 0;
        sym_of(&s, "default"); /* these strings exist before allocations are counted again */
        s.memory.until_failure = nth % 40;
        use_volumes(&s);
        s.memory.until_failure = nth % 40;
        reserve_volume(&s);
        s.memory.until_failure = 0;
        berth_error error;
        assert_int_equal(berth__storage_add(s.storage, &objects_in[0], false, &error),
                         BERTH_E_EXISTS);
        remove_all(&s);
        close_store(&s);
    }
}

/* Many pods reserve and release, and nothing is left. */
static void test_reservations(void **state)
{
    store s = {.memory = {.until_failure = 0}};
    berth__random random = {3};
    (void)state;
    assert_true(open_store(&s));
    add_all(&s, false);
    berth__claim *claim = berth__storage_claim(s.storage, sym_of(&s, "default"), sym_of(&s, "c1"));
    berth__sym nodes[] = {sym_of(&s, "n1"), sym_of(&s, "n2")};
    uint32_t holder = UINT32_MAX;
    for (uint32_t round = 0; round < 2000; round++) {
        uint32_t pod = berth__random_below(&random, 4);
        const berth__volume_choice choice = {claim, NULL};
        if (berth__random_below(&random, 2) == 0) {
            berth__storage_unreserve(s.storage, pod);
            holder = holder == pod ? UINT32_MAX : holder;
            bool undecided = holder == UINT32_MAX;
            assert_int_equal(berth__storage_reserve(s.storage, pod, &choice, 1,
                                                    nodes[berth__random_below(&random, 2)]),
                             BERTH_OK);
            holder = undecided ? pod : holder;
        } else {
            berth__storage_unreserve(s.storage, pod);
            holder = holder == pod ? UINT32_MAX : holder;
        }
        assert_int_equal(berth__claim_node(claim) != 0, holder != UINT32_MAX);
    }
    close_store(&s);
}

/* A branch's store frees a record for which its snapshot has a row. It never writes rows, so it
 * does not note which ones to clear. */
static void test_follower_sweeps(void **state)
{
    static const berth__stored_rows none;
    store s = {.memory = {.until_failure = 0}};
    berth__stored_rows rows;
    berth__storage *follower;
    berth_error error;
    (void)state;
    assert_true(open_store(&s));
    berth__stored_rows_init(&rows);
    assert_int_equal(berth__storage_create(&s.model, NULL, &follower), BERTH_OK);
    assert_int_equal(berth__storage_add(s.storage, &objects_in[0], false, &error), BERTH_OK);
    assert_int_equal(berth__storage_remove(s.storage, objects_in[0].kind, (berth_str){0},
                                           claims[0].meta.name, &error),
                     BERTH_OK);
    assert_true(berth__storage_show(s.storage, &rows, &s.cow));
    uint32_t shown = rows.count;
    assert_int_not_equal(shown, 0);
    assert_int_equal(berth__storage_follow(follower, &none, &rows), BERTH_OK);
    assert_int_not_equal(follower->in_use, 0);
    berth__storage_sweep(follower);
    assert_int_equal(follower->in_use, 0);
    assert_int_equal(follower->gone_count, 0);
    /* The rows' owner notes it, and the next record gets the row. */
    berth__storage_sweep(s.storage);
    assert_int_equal(s.storage->gone_count, 1);
    assert_int_equal(berth__storage_add(s.storage, &objects_in[0], false, &error), BERTH_OK);
    assert_true(berth__storage_show(s.storage, &rows, &s.cow));
    assert_int_equal(s.storage->gone_count, 0);
    assert_int_equal(rows.count, shown);
    berth__storage_destroy(follower);
    berth__cow_array_retire(&rows.table, &s.cow);
    close_store(&s);
}

/* Whichever allocation fails: a translation says so, or its words are whole. The zones are too long
 * for one chunk of the arena. */
static void test_regions_without_memory(void **state)
{
    enum { ZONES = 500 };
    static char zones[8 * ZONES];
    size_t len = 0;
    (void)state;
    for (int i = 0; i < ZONES; i++)
        len += (size_t)snprintf(zones + len, sizeof(zones) - len, "%sa-%c-x", i > 0 ? "__" : "",
                                'p' + i % 3);
    const berth__in_tree_volume volume = {
        .plugin = BERTH__IN_TREE_GCE_PD, .handle = TEXT("d"), .zones = {zones, (uint32_t)len}};
    bool ok = false;
    for (uint64_t fail_at = 1; !ok; fail_at++) {
        static const char words[] =
            "failed to get region from zones: multiple or no regions gotten "
            "from zones, got: map[a-p:{} a-q:{} a-r:{}]";
        failing memory = {.until_failure = fail_at};
        const berth_allocator allocator = {&memory, failing_allocate, failing_release};
        berth__arena arena;
        berth__arena_init(&arena, &allocator);
        ok = true;
        const berth__in_tree_handle found = berth__in_tree_translate(&arena, &volume, &ok);
        if (ok) {
            assert_int_equal(found.problem.len, sizeof(words) - 1);
            assert_memory_equal(found.problem.data, words, sizeof(words) - 1);
        }
        assert_true(ok || fail_at < 10);
        berth__arena_destroy(&arena);
        assert_int_equal(memory.held, 0);
    }
}

/* The limits of a node with more drivers than fit into the memory of most nodes' facts. */
static void test_many_drivers(void **state)
{
    enum { DRIVERS = 128 };
    static char names[DRIVERS][8];
    berth_csi_node_driver drivers[DRIVERS];
    const berth_csi_node node = {
        .meta = {.name = TEXT("n1")}, .drivers = drivers, .driver_count = DRIVERS};
    const berth_object added = {.kind = BERTH_KIND_CSI_NODE, .as.csi_node = &node};
    store s = {.memory = {0}};
    (void)state;
    for (int i = 0; i < DRIVERS; i++) {
        const int len = snprintf(names[i], sizeof(names[i]), "d%d", i);
        drivers[i] = (berth_csi_node_driver){
            .name = {names[i], (uint32_t)len}, .has_count = true, .count = i};
    }
    assert_true(open_store(&s));
    assert_int_equal(berth__storage_add(s.storage, &added, false, NULL), BERTH_OK);
    const berth__csi_node_facts *facts =
        berth__storage_node_find(s.storage, sym_of(&s, "n1"))->facts;
    assert_int_equal(facts->limit_count, DRIVERS);
    for (int i = 0; i < DRIVERS; i++) {
        assert_true(berth__csi_installed(facts, sym_of(&s, names[i])));
        assert_int_equal(berth__csi_limit(facts, sym_of(&s, names[i]))->count, i);
    }
    close_store(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shelves),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_reservations),
        cmocka_unit_test(test_follower_sweeps),
        cmocka_unit_test(test_regions_without_memory),
        cmocka_unit_test(test_many_drivers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
