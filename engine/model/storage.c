/* The store of volumes and what belongs to them: records, objects in and out, links between
 * them. */
#include "model/storage.h"

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/text.h"

/* Kinds that are kept, and the size of their records. */
static const size_t record_bytes[BERTH_KIND_COUNT] = {
    [BERTH_KIND_STORAGE_CLASS] = sizeof(berth__storage_class_record),
    [BERTH_KIND_CSI_DRIVER] = sizeof(berth__csi_driver_record),
    [BERTH_KIND_CSI_NODE] = sizeof(berth__storage_node),
    [BERTH_KIND_CSI_STORAGE_CAPACITY] = sizeof(berth__capacity),
    [BERTH_KIND_PERSISTENT_VOLUME] = sizeof(berth__pv),
    [BERTH_KIND_PERSISTENT_VOLUME_CLAIM] = sizeof(berth__claim),
    [BERTH_KIND_VOLUME_ATTACHMENT] = sizeof(berth__listed_attachment),
};

bool berth__storage_keeps(berth_kind kind)
{
    return (unsigned)kind < BERTH_KIND_COUNT && record_bytes[kind] != 0;
}

static bool is_namespaced(berth_kind kind)
{
    return kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM || kind == BERTH_KIND_CSI_STORAGE_CAPACITY;
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
    berth__arena_init(&storage->arena, model->allocator);
    storage->journal =
        berth__alloc(model->allocator, BERTH__STORAGE_JOURNAL * sizeof(*storage->journal), 64);
    if (storage->journal == NULL || !init_tables(storage)) {
        berth__storage_destroy(storage);
        return BERTH_E_NOMEM;
    }
    *out = storage;
    return BERTH_OK;
}

static void facts_free(berth__stored_facts *facts)
{
    if (facts == NULL)
        return;
    berth__arena arena = facts->arena; /* the facts lie in it */
    berth__arena_destroy(&arena);
}

static berth__release release_facts;
static void release_facts(const berth_allocator *allocator, void *context, void *object,
                          size_t bytes)
{
    (void)allocator;
    (void)context;
    (void)bytes;
    facts_free(object);
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
    default:
        return NULL;
    }
}

static void free_reservations(berth__storage *storage)
{
    berth__keymap *map = &storage->reservations;
    for (uint32_t b = 0; map->buckets != NULL && b < map->bucket_count; b++)
        while (map->buckets[b] != NULL)
            berth__storage_forget(storage, *(const uint32_t *)map->buckets[b]->key);
}

void berth__storage_destroy(berth__storage *storage)
{
    if (storage == NULL)
        return;
    const berth_allocator *allocator = storage->model->allocator;
    free_reservations(storage);
    for (uint32_t kind = 0; kind < BERTH_KIND_COUNT; kind++) {
        berth__keymap *table = &storage->tables[kind];
        for (uint32_t b = 0; table->buckets != NULL && b < table->bucket_count; b++)
            for (berth__keymap_entry *entry = table->buckets[b]; entry != NULL; entry = entry->next)
                if (storage->cow != NULL)
                    facts_free(berth__storage_facts((berth__stored *)entry));
        berth__keymap_destroy(table);
    }
    berth__keymap_destroy(&storage->disks);
    berth__keymap_destroy(&storage->reservations);
    berth__shelves_destroy(&storage->free_volumes);
    berth__shelves_destroy(&storage->capacities);
    berth__free(allocator, storage->claims, storage->claim_capacity * sizeof(*storage->claims));
    berth__free(allocator, storage->nodes, storage->node_capacity * sizeof(*storage->nodes));
    berth__free(allocator, storage->disk_list,
                storage->disk_capacity * sizeof(*storage->disk_list));
    berth__free(allocator, storage->journal, BERTH__STORAGE_JOURNAL * sizeof(*storage->journal));
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

/* ---- undoing an arrival: the record keeps its name, but is as good as new ---- */

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

static void undo_arrival(void *owner, void *payload)
{
    berth__storage *storage = owner;
    berth__stored *record = *(berth__stored **)payload;
    uint64_t *arrival = berth__storage_arrival(record);
    BERTH_ASSERT(*arrival == storage->arrivals);
    *arrival = 0;
    storage->arrivals--;
    berth__storage_touch(storage, record);
}

static const berth__undo_kind arrived = {undo_arrival, NULL};

static void arrive(berth__storage *storage, berth__stored *record)
{
    berth__stored **payload = storage->undo == NULL ? NULL
                                                    : berth__undo_push(storage->undo, &arrived,
                                                                       storage, sizeof(*payload));
    if (payload != NULL)
        *payload = record;
    *berth__storage_arrival(record) = ++storage->arrivals;
    berth__storage_touch(storage, record);
}

/* Give a record its place in the order of arrival, if it has none, and its kind has such an
 * order. */
static void see_arrival(berth__storage *storage, berth__stored *record)
{
    const uint64_t *arrival = berth__storage_arrival(record);
    if (arrival != NULL && *arrival == 0)
        arrive(storage, record);
}

/* Give a record that others name by number its number. */
static bool number(berth__storage *storage, berth_kind kind, void *record)
{
    const berth_allocator *allocator = storage->model->allocator;
    if (kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM) {
        if (!berth__grow(allocator, &storage->claims, &storage->claim_capacity,
                         storage->claim_count + 1, sizeof(*storage->claims)))
            return false;
        ((berth__claim *)record)->id = storage->claim_count;
        storage->claims[storage->claim_count++] = record;
    } else if (kind == BERTH_KIND_CSI_NODE) {
        if (!berth__grow(allocator, &storage->nodes, &storage->node_capacity,
                         storage->node_count + 1, sizeof(*storage->nodes)))
            return false;
        ((berth__storage_node *)record)->id = storage->node_count;
        storage->nodes[storage->node_count++] = record;
    }
    return true;
}

berth__stored *berth__storage_named(berth__storage *storage, berth_kind kind,
                                    berth__sym namespace_name, berth__sym name)
{
    berth__stored *record = record_find(storage, kind, namespace_name, name);
    if (record != NULL)
        return record;
    record = berth__arena_alloc_zero(&storage->arena, record_bytes[kind], 16);
    if (record == NULL || !number(storage, kind, record))
        return NULL;
    record->kind = (uint8_t)kind;
    record->key.namespace_name = namespace_name;
    record->key.name = name;
    record->entry.key = &record->key;
    record->entry.key_bytes = sizeof(record->key);
    berth__keymap_add(&storage->tables[kind], &record->entry);
    return record;
}

/* The same for an object that comes, or that another names: it has its place in the order of
 * arrival then. */
static berth__stored *make_record(berth__storage *storage, berth_kind kind,
                                  berth__sym namespace_name, berth__sym name)
{
    berth__stored *record = berth__storage_named(storage, kind, namespace_name, name);
    if (record != NULL)
        see_arrival(storage, record);
    return record;
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

/* Words of a key. Of an RBD volume with a thousand monitors the first tell it apart. */
enum { DISK_KEY_MAX = 1024 };

static uint32_t disk_key(const berth__pod_volume *volume, uint32_t *key)
{
    uint32_t count = 0;
    key[count++] = (uint32_t)volume->kind;
    key[count++] = volume->handle;
    key[count++] = volume->pool;
    key[count++] = volume->uri;
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

/* Words of a list in the store's own memory; NULL when out of memory. */
static berth__sym *keep_words(berth__storage *storage, const void *words, size_t bytes)
{
    berth__sym *kept = berth__arena_alloc(&storage->arena, bytes, sizeof(berth__sym));
    if (kept != NULL && bytes > 0)
        memcpy(kept, words, bytes);
    return kept;
}

static berth__disk *make_disk(berth__storage *storage, const berth__pod_volume *volume)
{
    bool ok = true;
    uint32_t key[DISK_KEY_MAX];
    uint32_t key_bytes = disk_key(volume, key);
    berth__disk *disk =
        berth__arena_alloc_zero(&storage->arena, sizeof(*disk), _Alignof(berth__disk));
    const berth__sym *kept = keep_words(storage, key, key_bytes);
    const berth__sym *monitors =
        keep_words(storage, volume->monitors, volume->monitor_count * sizeof(berth__sym));
    if (disk == NULL || kept == NULL || monitors == NULL ||
        !berth__grow(storage->model->allocator, &storage->disk_list, &storage->disk_capacity,
                     storage->disk_count + 1, sizeof(*storage->disk_list)))
        return NULL;
    disk->volume = *volume;
    disk->volume.name = 0;
    disk->volume.monitors = monitors;
    berth__storage_identify_disk(storage, disk, &ok);
    if (!ok)
        return NULL;
    disk->id = storage->disk_count;
    storage->disk_list[storage->disk_count++] = disk;
    disk->entry.key = kept;
    disk->entry.key_bytes = key_bytes;
    berth__keymap_add(&storage->disks, &disk->entry);
    return disk;
}

/* Decisions come here, too, and what is interned is shared with branches. */
berth__disk *berth__storage_disk_make(berth__storage *storage, const berth__pod_volume *volume)
{
    berth__disk *disk = berth__storage_disk_find(storage, volume);
    if (disk != NULL)
        return disk;
    berth__model_lock(storage->model);
    disk = make_disk(storage, volume);
    berth__model_unlock(storage->model);
    return disk;
}

/* ---- the journal ---- */

static void note(berth__storage *storage, uint32_t entry)
{
    storage->journal[storage->journal_end++ % BERTH__STORAGE_JOURNAL] = entry;
}

static void note_claim(berth__storage *storage, const berth__claim *claim)
{
    note(storage, claim->id);
}

static void note_node(berth__storage *storage, const berth__storage_node *node)
{
    if (node != NULL)
        note(storage, node->id | BERTH__STORAGE_NODE_BIT);
}

void berth__storage_note_all(berth__storage *storage)
{
    storage->journal_end += BERTH__STORAGE_JOURNAL + 1;
}

static void note_pv(berth__storage *storage, const berth__pv *volume)
{
    for (const berth__claim *claim = volume->first_claim; claim != NULL; claim = claim->next_of_pv)
        note_claim(storage, claim);
    for (const berth__listed_attachment *listed = volume->first_attachment; listed != NULL;
         listed = listed->next_of_pv)
        note_node(storage, listed->node);
}

/* The record of a volume that is named (0: none is); false when out of memory. */
static bool named_volume(berth__storage *storage, berth__sym name, berth__pv **out)
{
    *out =
        name == 0 ? NULL : (berth__pv *)make_record(storage, BERTH_KIND_PERSISTENT_VOLUME, 0, name);
    return name == 0 || *out != NULL;
}

/* ---- volumes in and out ---- */

bool berth__pv_is_free(const berth__pv_facts *facts)
{
    return facts != NULL && facts->available && !facts->deleting && !facts->has_attributes_class &&
           !facts->has_claim_ref;
}

berth__shelf_item berth__pv_item(berth__pv *volume, const berth__pv_facts *facts)
{
    return (berth__shelf_item){facts->capacity, volume->arrival, volume};
}

static const berth__interned_node_selector *chooses(const berth__pv_facts *facts)
{
    return facts->has_affinity ? &facts->affinity : NULL;
}

void berth__pv_link(berth__pv *volume, berth__claim *claim)
{
    BERTH_ASSERT(volume->claim == NULL);
    volume->claim = claim;
    if (claim == NULL)
        return;
    berth__pv **link = &claim->first_pv;
    while (*link != NULL && (*link)->arrival < volume->arrival)
        link = &(*link)->next_of_claim;
    volume->next_of_claim = *link;
    *link = volume;
}

void berth__pv_unlink(berth__pv *volume)
{
    if (volume->claim == NULL)
        return;
    berth__pv **link = &volume->claim->first_pv;
    while (*link != volume)
        link = &(*link)->next_of_claim;
    *link = volume->next_of_claim;
    volume->claim = NULL;
    volume->next_of_claim = NULL;
}

/* How facts leave: for good; for a while, to come back; or coming back themselves in the place
 * of facts that were new. */
typedef enum departure { FOR_GOOD, FOR_A_WHILE, COMING_BACK } departure;

/* The old facts' shelves, once the new facts are on theirs. */
static void take_off(berth__shelves *shelves, berth__sym owner,
                     const berth__interned_node_selector *chooses, const berth__shelf_item *item,
                     departure how)
{
    if (how == FOR_A_WHILE)
        berth__shelves_lend(shelves, owner, chooses, item);
    else
        berth__shelves_remove(shelves, owner, chooses, item);
}

static bool put_on(berth__shelves *shelves, berth__sym owner,
                   const berth__interned_node_selector *chooses, const berth__shelf_item *item,
                   departure how)
{
    if (how != COMING_BACK)
        return berth__shelves_add(shelves, owner, chooses, item);
    berth__shelves_return(shelves, owner, chooses, item);
    return true;
}

/* The record of the claim that a volume's claimRef names, whether there is such a claim or not. */
static bool named_claim(berth__storage *storage, const berth__pv_facts *facts, berth__claim **out)
{
    bool names = facts != NULL && facts->has_claim_ref;
    *out = names ? berth__storage_claim_make(storage, facts->claim_namespace, facts->claim_name)
                 : NULL;
    return !names || *out != NULL;
}

/* Shelve the new facts, then take the old ones off: the only steps that can fail come first. */
static bool replace_pv(berth__storage *storage, berth__pv *volume, berth__pv_facts *facts,
                       departure how)
{
    berth__pv_facts *old = volume->facts;
    berth__claim *claim;
    if (!named_claim(storage, facts, &claim))
        return false;
    if (berth__pv_is_free(facts)) {
        berth__shelf_item item = berth__pv_item(volume, facts);
        if (!put_on(&storage->free_volumes, facts->class_name, chooses(facts), &item, how))
            return false;
    }
    berth__storage_supersede_pv(storage, volume);
    if (berth__pv_is_free(old)) {
        berth__shelf_item item = berth__pv_item(volume, old);
        take_off(&storage->free_volumes, old->class_name, chooses(old), &item, how);
    }
    berth__pv_unlink(volume);
    volume->facts = facts;
    volume->named = claim;
    berth__pv_link(volume, claim);
    note_pv(storage, volume);
    return true;
}

/* ---- the other kinds in and out ---- */

static void leave_volume(berth__claim *claim)
{
    if (claim->volume == NULL)
        return;
    berth__claim **link = &claim->volume->first_claim;
    while (*link != claim)
        link = &(*link)->next_of_pv;
    *link = claim->next_of_pv;
}

static bool replace_claim(berth__storage *storage, berth__claim *claim, berth__claim_facts *facts)
{
    berth__pv *volume;
    if (!named_volume(storage, facts != NULL ? facts->volume_name : 0, &volume))
        return false;
    leave_volume(claim);
    berth__storage_supersede_claim(storage, claim);
    claim->facts = facts;
    claim->volume = volume;
    claim->next_of_pv = NULL;
    if (volume != NULL) {
        claim->next_of_pv = volume->first_claim;
        volume->first_claim = claim;
    }
    note_claim(storage, claim);
    return true;
}

static const berth__interned_node_selector *reaches(const berth__capacity_facts *facts)
{
    return facts->everywhere ? NULL : &facts->chooses;
}

static berth__shelf_item capacity_item(berth__capacity *capacity,
                                       const berth__capacity_facts *facts)
{
    return (berth__shelf_item){facts->limit, capacity->arrival, capacity};
}

static bool replace_capacity(berth__storage *storage, berth__capacity *capacity,
                             berth__capacity_facts *facts, departure how)
{
    berth__capacity_facts *old = capacity->facts;
    if (facts != NULL && facts->usable) {
        berth__shelf_item item = capacity_item(capacity, facts);
        if (!put_on(&storage->capacities, facts->class_name, reaches(facts), &item, how))
            return false;
    }
    if (old != NULL && old->usable) {
        berth__shelf_item item = capacity_item(capacity, old);
        take_off(&storage->capacities, old->class_name, reaches(old), &item, how);
    }
    capacity->facts = facts;
    return true;
}

static void unlist(berth__listed_attachment *listed)
{
    if (listed->node != NULL) {
        berth__listed_attachment **link = &listed->node->first_attachment;
        while (*link != listed)
            link = &(*link)->next_of_node;
        *link = listed->next_of_node;
        listed->node->attachment_count--;
    }
    if (listed->volume != NULL) {
        berth__listed_attachment **link = &listed->volume->first_attachment;
        while (*link != listed)
            link = &(*link)->next_of_pv;
        *link = listed->next_of_pv;
    }
}

static void list(berth__listed_attachment *listed)
{
    if (listed->node != NULL) {
        listed->next_of_node = listed->node->first_attachment;
        listed->node->first_attachment = listed;
        listed->node->attachment_count++;
    }
    if (listed->volume != NULL) {
        listed->next_of_pv = listed->volume->first_attachment;
        listed->volume->first_attachment = listed;
    }
}

static bool replace_attachment(berth__storage *storage, berth__listed_attachment *listed,
                               berth__attachment_facts *facts)
{
    berth__sym node_name = facts != NULL ? facts->node_name : 0;
    berth__stored *node =
        node_name != 0 ? berth__storage_named(storage, BERTH_KIND_CSI_NODE, 0, node_name) : NULL;
    berth__pv *volume;
    if ((node_name != 0 && node == NULL) ||
        !named_volume(storage, facts != NULL ? facts->volume_name : 0, &volume))
        return false;
    note_node(storage, listed->node);
    unlist(listed);
    listed->facts = facts;
    listed->node = (berth__storage_node *)node;
    listed->volume = volume;
    list(listed);
    note_node(storage, listed->node);
    return true;
}

/* Put other facts (NULL: none) in the place of the record's, which are not freed. Returns false,
 * nothing changed, when out of memory; without new facts it does not fail. */
static bool exchange_facts(berth__storage *storage, void *record, void *facts, departure how)
{
    bool ok = true;
    berth__storage_touch(storage, record);
    switch ((berth_kind)((berth__stored *)record)->kind) {
    case BERTH_KIND_STORAGE_CLASS:
        ((berth__storage_class_record *)record)->facts = facts;
        berth__storage_note_all(storage); /* volumes of its claims yet to be provisioned */
        break;
    case BERTH_KIND_CSI_DRIVER:
        ((berth__csi_driver_record *)record)->facts = facts;
        break;
    case BERTH_KIND_CSI_NODE:
        ((berth__storage_node *)record)->facts = facts;
        note_node(storage, record);
        break;
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
        ok = replace_capacity(storage, record, facts, how);
        break;
    case BERTH_KIND_PERSISTENT_VOLUME:
        ok = replace_pv(storage, record, facts, how);
        break;
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        ok = replace_claim(storage, record, facts);
        break;
    case BERTH_KIND_VOLUME_ATTACHMENT:
        ok = replace_attachment(storage, record, facts);
        break;
    default:
        BERTH_ASSERT(!"a kind that is not kept here");
    }
    return ok;
}

bool berth__storage_borrow(berth__storage *storage, berth__stored *record,
                           berth__stored_facts *facts)
{
    BERTH_ASSERT(storage->cow == NULL);
    return exchange_facts(storage, record, facts, FOR_GOOD);
}

/* ---- undoing ---- */

/* Facts are no longer the store's; versions may show them yet. There is a note for it. */
static void let_go(berth__storage *storage, berth__stored_facts *facts)
{
    if (facts != NULL)
        berth__cow_owner_retire(storage->cow, facts->born, release_facts, facts, 0);
}

/* Facts that gave way, and the reservation of their volume or claim that they superseded. */
typedef struct former_facts {
    berth__stored *record;
    berth__stored_facts *facts;
    berth__held held;
} former_facts;

/* A note is held for facts that may go, or come back, yet. */
static void end_hold(berth__storage *storage, const former_facts *own)
{
    if (own->facts != NULL)
        berth__cow_owner_unhold(storage->cow, 1);
}

static void undo_exchange(void *owner, void *record)
{
    berth__storage *storage = owner;
    const former_facts *own = record;
    berth__stored_facts *fresh = berth__storage_facts(own->record);
    exchange_facts(storage, own->record, own->facts, COMING_BACK);
    end_hold(storage, own);
    let_go(storage, fresh); /* no version has shown them */
    berth__storage_hold_again(storage, own->record, &own->held);
}

/* The places of facts that do not come back are free. */
static void keep_exchange(void *owner, void *record)
{
    berth__storage *storage = owner;
    const former_facts *own = record;
    if (own->record->kind == BERTH_KIND_PERSISTENT_VOLUME) {
        const berth__pv_facts *old = (const berth__pv_facts *)own->facts;
        if (berth__pv_is_free(old))
            berth__shelves_give_up(&storage->free_volumes, old->class_name, chooses(old));
    } else if (own->record->kind == BERTH_KIND_CSI_STORAGE_CAPACITY) {
        const berth__capacity_facts *old = (const berth__capacity_facts *)own->facts;
        if (old != NULL && old->usable)
            berth__shelves_give_up(&storage->capacities, old->class_name, reaches(old));
    }
    end_hold(storage, own);
    let_go(storage, own->facts);
}

static const berth__undo_kind exchanged = {undo_exchange, keep_exchange};

/* Room to note that facts go, now or when it is sure that they do. */
static bool reserve_note(berth__storage *storage, const berth__stored_facts *facts, bool undoable)
{
    if (facts == NULL)
        return true;
    return undoable ? berth__cow_owner_hold(storage->cow, 1)
                    : berth__cow_owner_reserve(storage->cow, 1);
}

/* The same, and the former facts are let go or, while it may be undone, kept. */
static bool replace_facts(berth__storage *storage, berth__stored *record,
                          berth__stored_facts *facts)
{
    const former_facts former = {record, berth__storage_facts(record), berth__storage_held(record)};
    bool undoable = storage->undo != NULL && storage->undo->recording;
    if (!reserve_note(storage, former.facts, undoable))
        return false;
    if (facts != NULL)
        facts->born = storage->cow->stamp;
    if (!exchange_facts(storage, record, facts, undoable ? FOR_A_WHILE : FOR_GOOD)) {
        if (undoable)
            end_hold(storage, &former);
        return false;
    }
    if (undoable)
        *(former_facts *)berth__undo_push(storage->undo, &exchanged, storage, sizeof(former)) =
            former;
    else
        let_go(storage, former.facts);
    return true;
}

/* ---- objects ---- */

static berth_str namespace_of(berth_kind kind, berth_str namespace_name)
{
    if (!is_namespaced(kind))
        return (berth_str){0};
    return namespace_name.len > 0 ? namespace_name : BERTH_LITERAL("default");
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
    record = make_record(storage, kind, space, name);
    berth__stored_facts *facts = record != NULL ? berth__storage_compile(storage, object) : NULL;
    if (facts == NULL)
        return no_memory(error);
    if (!replace_facts(storage, record, facts)) {
        facts_free(facts);
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
    return replace_facts(storage, record, NULL) ? BERTH_OK : no_memory(error);
}
