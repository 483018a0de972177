/* The store of volumes, claims and storage classes: its life, its records, objects by name.
 * storage_exchange.c puts facts in and takes them out. */
#include "store/storage.h"

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/text.h"
#include "store/device_facts.h"

/* The size of the records, by kind; 0: the kind is not kept. */
static const size_t record_bytes[BERTH_KIND_COUNT] = {
    [BERTH_KIND_STORAGE_CLASS] = sizeof(berth__storage_class_record),
    [BERTH_KIND_CSI_DRIVER] = sizeof(berth__csi_driver_record),
    [BERTH_KIND_CSI_NODE] = sizeof(berth__storage_node),
    [BERTH_KIND_CSI_STORAGE_CAPACITY] = sizeof(berth__capacity),
    [BERTH_KIND_PERSISTENT_VOLUME] = sizeof(berth__pv),
    [BERTH_KIND_PERSISTENT_VOLUME_CLAIM] = sizeof(berth__claim),
    [BERTH_KIND_VOLUME_ATTACHMENT] = sizeof(berth__listed_attachment),
    [BERTH_KIND_RESOURCE_SLICE] = sizeof(berth__slice),
    [BERTH_KIND_DEVICE_CLASS] = sizeof(berth__device_class),
    [BERTH_KIND_RESOURCE_CLAIM] = sizeof(berth__device_claim),
    [BERTH_KIND_DEVICE_TAINT_RULE] = sizeof(berth__taint_rule),
};

bool berth__storage_keeps(berth_kind kind)
{
    return (unsigned)kind < BERTH_KIND_COUNT && record_bytes[kind] != 0;
}

size_t berth__storage_record_bytes(berth_kind kind)
{
    return record_bytes[kind];
}

static bool is_namespaced(berth_kind kind)
{
    return kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM || kind == BERTH_KIND_CSI_STORAGE_CAPACITY ||
           kind == BERTH_KIND_RESOURCE_CLAIM;
}

/* ---- life ---- */

static bool init_tables(berth__storage *storage)
{
    const berth_allocator *allocator = storage->model->allocator;
    bool ok = true;
    for (uint32_t kind = 0; kind < BERTH_KIND_COUNT && ok; kind++)
        if (record_bytes[kind] != 0)
            ok = berth__keymap_init(&storage->tables[kind], allocator) == BERTH_OK;
    return ok && berth__keymap_init(&storage->disks, allocator) == BERTH_OK &&
           berth__keymap_init(&storage->reservations, allocator) == BERTH_OK &&
           berth__shelves_init(&storage->free_volumes, allocator) == BERTH_OK &&
           berth__shelves_init(&storage->capacities, allocator) == BERTH_OK;
}

berth_status berth__storage_create(berth__model *model, berth__cow_owner *cow, berth__storage **out)
{
    berth__storage *storage =
        berth__alloc_zero(model->allocator, sizeof(*storage), _Alignof(berth__storage));
    if (storage == NULL)
        return BERTH_E_NOMEM;
    storage->model = model;
    storage->cow = cow;
    storage->sweep_at = BERTH__STORAGE_SWEEP_MIN;
    berth__arena_init(&storage->arena, model->allocator);
    storage->journal =
        berth__alloc(model->allocator, BERTH__STORAGE_JOURNAL * sizeof(*storage->journal), 64);
    storage->device_journal = berth__alloc(
        model->allocator, BERTH__DEVICE_JOURNAL * sizeof(*storage->device_journal), 64);
    bool ok = storage->device_journal != NULL;
    for (uint32_t i = 1; ok && i < BERTH__IN_TREE_COUNT && cow != NULL;
         i++) /* kept, because plugins hold them */
        (void)berth__storage_in_tree_driver(storage, (berth__in_tree)i, &ok);
    if (storage->journal == NULL || !ok || !init_tables(storage)) {
        berth__storage_destroy(storage);
        return BERTH_E_NOMEM;
    }
    *out = storage;
    return BERTH_OK;
}

void berth__stored_facts_free(berth__stored_facts *facts)
{
    if (facts == NULL)
        return;
    berth__arena arena = facts->arena; /* the facts are part of it */
    berth__arena_destroy(&arena);
}

berth__stored_facts *berth__storage_facts(const berth__stored *record)
{
    const void *any = record;
    switch ((berth_kind)record->kind) {
    case BERTH_KIND_STORAGE_CLASS:
        return (berth__stored_facts *)((const berth__storage_class_record *)any)->facts;
    case BERTH_KIND_CSI_DRIVER:
        return (berth__stored_facts *)((const berth__csi_driver_record *)any)->facts;
    case BERTH_KIND_CSI_NODE:
        return (berth__stored_facts *)((const berth__storage_node *)any)->facts;
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
        return (berth__stored_facts *)((const berth__capacity *)any)->facts;
    case BERTH_KIND_PERSISTENT_VOLUME:
        return (berth__stored_facts *)((const berth__pv *)any)->facts;
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        return (berth__stored_facts *)((const berth__claim *)any)->facts;
    case BERTH_KIND_VOLUME_ATTACHMENT:
        return (berth__stored_facts *)((const berth__listed_attachment *)any)->facts;
    case BERTH_KIND_RESOURCE_SLICE:
        return (berth__stored_facts *)((const berth__slice *)any)->facts;
    case BERTH_KIND_DEVICE_CLASS:
        return (berth__stored_facts *)((const berth__device_class *)any)->facts;
    case BERTH_KIND_RESOURCE_CLAIM:
        return (berth__stored_facts *)((const berth__device_claim *)any)->facts;
    case BERTH_KIND_DEVICE_TAINT_RULE:
        return (berth__stored_facts *)((const berth__taint_rule *)any)->facts;
    default:
        return NULL;
    }
}

static void free_reservations(berth__storage *storage)
{
    berth__keymap *map = &storage->reservations;
    for (uint32_t b = 0; map->buckets != NULL && b < map->bucket_count; b++)
        while (map->buckets[b] != NULL)
            berth__storage_forget(storage, *(const uint32_t *)map->buckets[b]->key); /* pod */
    const berth__numbered *claims = &storage->device_claims;
    for (uint32_t i = 0; i < claims->count; i++)
        berth__device_choice_drop(storage, ((berth__device_claim *)claims->items[i])->chosen);
}

static void free_numbered(const berth_allocator *allocator, berth__numbered *list)
{
    berth__free(allocator, list->items, list->capacity * sizeof(*list->items));
}

void berth__storage_destroy(berth__storage *storage)
{
    if (storage == NULL)
        return;
    const berth_allocator *allocator = storage->model->allocator;
    berth__cow_owner *cow = storage->cow;
    storage->cow = NULL; /* no snapshot shows these allocations */
    free_reservations(storage);
    storage->cow = cow;
    for (uint32_t kind = 0; kind < BERTH_KIND_COUNT; kind++) {
        berth__keymap *table = &storage->tables[kind];
        for (uint32_t b = 0; table->buckets != NULL && b < table->bucket_count; b++)
            for (berth__keymap_entry *entry = table->buckets[b]; entry != NULL; entry = entry->next)
                if (storage->cow != NULL)
                    berth__stored_facts_free(berth__storage_facts((berth__stored *)entry));
        berth__keymap_destroy(table);
    }
    for (uint32_t i = 0; i < storage->disk_count; i++)
        if (storage->disk_list[i] != NULL)
            berth__storage_free_disk(storage, storage->disk_list[i]);
    berth__keymap_destroy(&storage->disks);
    berth__keymap_destroy(&storage->reservations);
    berth__shelves_destroy(&storage->free_volumes);
    berth__shelves_destroy(&storage->capacities);
    free_numbered(allocator, &storage->claims);
    free_numbered(allocator, &storage->nodes);
    berth__free(allocator, storage->disk_list,
                storage->disk_capacity * sizeof(*storage->disk_list));
    berth__free(allocator, storage->free_disks,
                storage->free_disk_capacity * sizeof(*storage->free_disks));
    berth__free(allocator, storage->gone, storage->gone_capacity * sizeof(*storage->gone));
    berth__free(allocator, storage->journal, BERTH__STORAGE_JOURNAL * sizeof(*storage->journal));
    berth__free(allocator, storage->device_journal,
                BERTH__DEVICE_JOURNAL * sizeof(*storage->device_journal));
    free_numbered(allocator, &storage->slices);
    free_numbered(allocator, &storage->device_classes);
    free_numbered(allocator, &storage->device_claims);
    berth__arena_destroy(&storage->arena);
    berth__free(allocator, storage, sizeof(*storage));
}

/* ---- records ---- */

static berth__stored *record_find(const berth__storage *storage, berth_kind kind,
                                  berth__sym namespace_name, berth__sym name)
{
    const berth__sym key[2] = {namespace_name, name};
    return (berth__stored *)berth__keymap_find(&storage->tables[kind], key, sizeof(key));
}

/* ---- undoing an arrival: the record keeps its name and loses everything else ---- */

uint64_t *berth__storage_arrival(berth__stored *record)
{
    void *any = record;
    switch ((berth_kind)record->kind) {
    case BERTH_KIND_PERSISTENT_VOLUME:
        return &((berth__pv *)any)->arrival;
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
        return &((berth__capacity *)any)->arrival;
    default:
        return NULL;
    }
}

typedef struct former_arrival {
    berth__stored *record;
    uint64_t arrival;
} former_arrival;

static void undo_arrival(void *owner, void *payload)
{
    berth__storage *storage = owner;
    const former_arrival *former = payload;
    uint64_t *arrival = berth__storage_arrival(former->record);
    BERTH_ASSERT(*arrival == storage->arrivals);
    *arrival = former->arrival;
    storage->arrivals--;
    berth__storage_touch(storage, former->record);
}

static const berth__undo_kind arrived = {undo_arrival, NULL};

static void arrive(berth__storage *storage, berth__stored *record)
{
    uint64_t *arrival = berth__storage_arrival(record);
    former_arrival *payload = storage->undo == NULL ? NULL
                                                    : berth__undo_push(storage->undo, &arrived,
                                                                       storage, sizeof(*payload));
    if (payload != NULL)
        *payload = (former_arrival){record, *arrival};
    *arrival = ++storage->arrivals;
    berth__storage_touch(storage, record);
}

/* An object is added: its record gets a place in the order of arrival, if its kind has one. A name
 * that was removed and comes again is last, whether or not its record still exists. */
static void see_arrival(berth__storage *storage, berth__stored *record)
{
    if (berth__storage_arrival(record) != NULL && berth__storage_facts(record) == NULL)
        arrive(storage, record);
}

uint32_t *berth__storage_number(berth__stored *record)
{
    void *any = record;
    switch ((berth_kind)record->kind) {
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        return &((berth__claim *)any)->id;
    case BERTH_KIND_CSI_NODE:
        return &((berth__storage_node *)any)->id;
    case BERTH_KIND_RESOURCE_SLICE:
        return &((berth__slice *)any)->id;
    case BERTH_KIND_DEVICE_CLASS:
        return &((berth__device_class *)any)->id;
    case BERTH_KIND_RESOURCE_CLAIM:
        return &((berth__device_claim *)any)->id;
    default:
        return NULL;
    }
}

/* The list of all records of a kind, by their numbers; NULL: the kind has no numbers. */
static berth__numbered *numbered_of(berth__storage *storage, berth_kind kind)
{
    switch (kind) {
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        return &storage->claims;
    case BERTH_KIND_CSI_NODE:
        return &storage->nodes;
    case BERTH_KIND_RESOURCE_SLICE:
        return &storage->slices;
    case BERTH_KIND_DEVICE_CLASS:
        return &storage->device_classes;
    case BERTH_KIND_RESOURCE_CLAIM:
        return &storage->device_claims;
    default:
        return NULL;
    }
}

/* Number a record that others refer to by number. */
static bool number(berth__storage *storage, berth_kind kind, berth__stored *record)
{
    berth__numbered *list = numbered_of(storage, kind);
    if (list == NULL)
        return true;
    if (!berth__grow(storage->model->allocator, &list->items, &list->capacity, list->count + 1,
                     sizeof(*list->items)))
        return false;
    record->kind = (uint8_t)kind;
    *berth__storage_number(record) = list->count;
    list->items[list->count++] = record;
    return true;
}

/* A new record with its number, perhaps a freed one; NULL when out of memory. */
static berth__stored *new_record(berth__storage *storage, berth_kind kind)
{
    berth__stored *record = storage->free[kind];
    if (record != NULL) {
        storage->free[kind] = record->next_changed;
        record->next_changed = NULL;
        return record;
    }
    record = berth__arena_alloc_zero(&storage->arena, record_bytes[kind], 16);
    return record != NULL && number(storage, kind, record) ? record : NULL;
}

berth__stored *berth__storage_named(berth__storage *storage, berth_kind kind,
                                    berth__sym namespace_name, berth__sym name)
{
    berth__stored *record = record_find(storage, kind, namespace_name, name);
    if (record != NULL)
        return record;
    record = new_record(storage, kind);
    if (record == NULL)
        return NULL;
    storage->in_use++;
    storage->nodes_named += kind == BERTH_KIND_CSI_NODE;
    record->kind = (uint8_t)kind;
    record->key.namespace_name = namespace_name;
    record->key.name = name;
    record->entry.key = &record->key;
    record->entry.key_bytes = sizeof(record->key);
    berth__keymap_add(&storage->tables[kind], &record->entry);
    return record;
}

berth__stored *berth__storage_make_record(berth__storage *storage, berth_kind kind,
                                          berth__sym namespace_name, berth__sym name)
{
    berth__stored *record = berth__storage_named(storage, kind, namespace_name, name);
    if (record != NULL)
        see_arrival(storage, record);
    return record;
}

berth__device_claim *berth__storage_device_claim(const berth__storage *storage,
                                                 berth__sym namespace_name, berth__sym name)
{
    return (berth__device_claim *)record_find(storage, BERTH_KIND_RESOURCE_CLAIM, namespace_name,
                                              name);
}

berth__device_class *berth__storage_device_class(const berth__storage *storage, berth__sym name)
{
    return (berth__device_class *)record_find(storage, BERTH_KIND_DEVICE_CLASS, 0, name);
}

berth__claim *berth__storage_claim(const berth__storage *storage, berth__sym namespace_name,
                                   berth__sym name)
{
    return (berth__claim *)record_find(storage, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, namespace_name,
                                       name);
}

berth__claim *berth__storage_claim_make(berth__storage *storage, berth__sym namespace_name,
                                        berth__sym name)
{
    return (berth__claim *)berth__storage_named(storage, BERTH_KIND_PERSISTENT_VOLUME_CLAIM,
                                                namespace_name, name);
}

berth__storage_class_record *berth__storage_class_find(const berth__storage *storage,
                                                       berth__sym name)
{
    return (berth__storage_class_record *)record_find(storage, BERTH_KIND_STORAGE_CLASS, 0, name);
}

berth__csi_driver_record *berth__storage_driver(const berth__storage *storage, berth__sym name)
{
    return (berth__csi_driver_record *)record_find(storage, BERTH_KIND_CSI_DRIVER, 0, name);
}

berth__storage_node *berth__storage_node_find(const berth__storage *storage, berth__sym name)
{
    return (berth__storage_node *)record_find(storage, BERTH_KIND_CSI_NODE, 0, name);
}

/* ---- disks ---- */

/* Words of a key. The first monitors distinguish RBD volumes, even if there are a thousand. */
enum { DISK_KEY_MAX = 1024 };

static uint32_t disk_key(const berth__pod_volume *volume, uint32_t *key)
{
    uint32_t count = 0;
    key[count++] = (uint32_t)volume->kind;
    key[count++] = volume->handle;
    key[count++] = volume->pool;
    key[count++] = volume->uri;
    key[count++] = volume->disk_kind;
    key[count++] = volume->read_only;
    for (uint32_t i = 0; i < volume->monitor_count && count < DISK_KEY_MAX; i++)
        key[count++] = volume->monitors[i];
    return count * (uint32_t)sizeof(*key);
}

berth__disk *berth__storage_disk_find(const berth__storage *storage,
                                      const berth__pod_volume *volume)
{
    uint32_t key[DISK_KEY_MAX];
    uint32_t key_bytes = disk_key(volume, key);
    return (berth__disk *)berth__keymap_find(&storage->disks, key, key_bytes);
}

/* Identify the disk for counting, from the characters of its texts. */
static bool identify(berth__storage *storage, berth__disk *disk)
{
    bool ok = true;
    /* relaxed: a removal that matters happened before this thread's state got the ids */
    disk->removals = atomic_load_explicit(&storage->model->removals, memory_order_relaxed);
    berth__storage_identify_disk(storage, disk, &ok);
    return ok;
}

/* A branch's store may outlive its branch, and so the texts of its disks may be removed and their
 * ids reused. That cannot happen in the engine's store, whose texts sweeps mark. */
static bool is_outdated(const berth__storage *storage, const berth__disk *disk)
{
    /* relaxed: as above */
    return storage->cow == NULL &&
           disk->removals != atomic_load_explicit(&storage->model->removals, memory_order_relaxed);
}

/* An id that no disk has, with room reserved to give it back; false when out of memory. */
static bool take_disk_id(berth__storage *storage, uint32_t *out)
{
    const berth_allocator *allocator = storage->model->allocator;
    uint32_t need = storage->disk_count + 1;
    if (storage->free_disk_count > 0) {
        *out = storage->free_disks[--storage->free_disk_count];
        return true;
    }
    if (!berth__grow(allocator, &storage->disk_list, &storage->disk_capacity, need,
                     sizeof(*storage->disk_list)) ||
        !berth__grow(allocator, &storage->free_disks, &storage->free_disk_capacity, need,
                     sizeof(*storage->free_disks)))
        return false;
    *out = storage->disk_count;
    storage->disk_list[storage->disk_count++] = NULL;
    return true;
}

static size_t disk_bytes(const berth__disk *disk)
{
    return sizeof(*disk) + disk->entry.key_bytes +
           disk->volume.monitor_count * sizeof(*disk->volume.monitors);
}

void berth__storage_free_disk(berth__storage *storage, berth__disk *disk)
{
    berth__free(storage->model->allocator, disk, disk_bytes(disk));
}

static berth__disk *make_disk(berth__storage *storage, const berth__pod_volume *volume)
{
    uint32_t key[DISK_KEY_MAX], id;
    uint32_t key_bytes = disk_key(volume, key);
    size_t monitor_bytes = volume->monitor_count * sizeof(*volume->monitors);
    size_t bytes = sizeof(berth__disk) + key_bytes + monitor_bytes;
    berth__disk *disk = berth__alloc_zero(storage->model->allocator, bytes, _Alignof(berth__disk));
    if (disk == NULL)
        return NULL;
    memcpy(disk->words, key, key_bytes);
    disk->entry = (berth__keymap_entry){.key = disk->words, .key_bytes = key_bytes};
    disk->volume = *volume;
    disk->volume.name = 0;
    disk->volume.monitors = disk->words + key_bytes / sizeof(*key);
    if (monitor_bytes > 0)
        memcpy(disk->words + key_bytes / sizeof(*key), volume->monitors, monitor_bytes);
    if (!identify(storage, disk) || !take_disk_id(storage, &id)) {
        berth__storage_free_disk(storage, disk);
        return NULL;
    }
    disk->id = id;
    storage->disk_list[id] = disk;
    storage->in_use++;
    berth__keymap_add(&storage->disks, &disk->entry);
    return disk;
}

/* Takes the lock, because decisions call this, and branches share the interned texts. */
berth__disk *berth__storage_disk_make(berth__storage *storage, const berth__pod_volume *volume)
{
    berth__disk *disk = berth__storage_disk_find(storage, volume);
    if (disk != NULL && !is_outdated(storage, disk))
        return disk;
    berth__model_lock(storage->model);
    if (disk == NULL)
        disk = make_disk(storage, volume);
    else if (!identify(storage, disk))
        disk = NULL;
    berth__model_unlock(storage->model);
    return disk;
}

/* ---- objects ---- */

static berth_str namespace_of(berth_kind kind, berth_str namespace_name)
{
    if (!is_namespaced(kind))
        return (berth_str){0};
    return namespace_name.len > 0 ? namespace_name : BERTH_STR("default");
}

static berth_status no_memory(berth_error *error)
{
    return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
}

berth_status berth__storage_add(berth__storage *storage, const berth_object *object, bool replace,
                                berth_error *error)
{
    berth_kind kind = object->kind;
    BERTH_ASSERT(berth__storage_keeps(kind));
    const berth_metadata *meta = object->as.any; /* every object begins with its metadata */
    bool ok = true;
    berth__intern *strings = &storage->model->strings;
    berth__sym space = berth__intern_add(strings, namespace_of(kind, meta->namespace_name), &ok);
    berth__sym name = berth__intern_add(strings, meta->name, &ok);
    if (!ok)
        return no_memory(error);
    berth__stored *record = record_find(storage, kind, space, name);
    bool present = record != NULL && berth__storage_facts(record) != NULL;
    if (present && !replace)
        return berth__error_set(error, BERTH_E_EXISTS, "an object of this name is already there");
    if (!present && replace)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no object of this name");
    record = berth__storage_make_record(storage, kind, space, name);
    berth__stored_facts *facts = record != NULL ? berth__storage_compile(storage, object) : NULL;
    if (facts == NULL)
        return no_memory(error);
    if (!berth__storage_replace_facts(storage, record, facts)) {
        berth__stored_facts_free(facts);
        return no_memory(error);
    }
    return BERTH_OK;
}

berth_status berth__storage_remove(berth__storage *storage, berth_kind kind,
                                   berth_str namespace_name, berth_str name, berth_error *error)
{
    BERTH_ASSERT(berth__storage_keeps(kind));
    const berth__intern *strings = &storage->model->strings;
    berth__sym space = berth__intern_find(strings, namespace_of(kind, namespace_name));
    berth__sym sym = berth__intern_find(strings, name);
    berth__stored *record = sym != 0 ? record_find(storage, kind, space, sym) : NULL;
    if (record == NULL || berth__storage_facts(record) == NULL)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no object of this name");
    return berth__storage_replace_facts(storage, record, NULL) ? BERTH_OK : no_memory(error);
}
