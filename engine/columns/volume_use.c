/* Volumes in use on each node, counted as pods come and go. */
#include "columns/volume_use.h"

#include <string.h>

#include "base/assert.h"
#include "base/limit.h"

/* ---- create and destroy ---- */

berth_status berth__volume_use_create(berth__storage *storage, berth__volume_use **out)
{
    const berth_allocator *allocator = storage->model->allocator;
    berth__volume_use *use = berth__alloc_zero(allocator, sizeof(*use), 64);
    if (use == NULL)
        return BERTH_E_NOMEM;
    use->allocator = allocator;
    use->storage = storage;
    berth__arena_init(&use->states, allocator);
    berth__volume_offers_init(&use->offers, allocator);
    *out = use;
    return BERTH_OK;
}

static void state_destroy(const berth_allocator *allocator, berth__node_volumes *volumes)
{
    if (volumes == NULL)
        return;
    berth__free(allocator, volumes->refs, volumes->ref_capacity * sizeof(*volumes->refs));
    berth__free(allocator, volumes->attached,
                volumes->attached_capacity * sizeof(*volumes->attached));
    berth__free(allocator, volumes->drivers, volumes->driver_capacity * sizeof(*volumes->drivers));
}

void berth__volume_use_destroy(berth__volume_use *use)
{
    if (use == NULL)
        return;
    for (uint32_t i = 0; i < use->node_capacity; i++)
        state_destroy(use->allocator, use->nodes[i]);
    berth__arena_destroy(&use->states);
    berth__driver_fills_destroy(use);
    berth__attached_volumes_destroy(&use->attached, use->allocator);
    berth__volume_offers_destroy(&use->offers);
    berth__free(use->allocator, use->nodes, use->node_capacity * sizeof(*use->nodes));
    berth__free(use->allocator, use->claims, use->claim_capacity * sizeof(*use->claims));
    berth__free(use->allocator, use->node_of_record,
                use->record_capacity * sizeof(*use->node_of_record));
    berth__free(use->allocator, use, sizeof(*use));
}

/* Grow an array and clear the new elements. */
static bool grow_zero(const berth_allocator *allocator, void *array, uint32_t *capacity,
                      uint32_t need, size_t element_bytes)
{
    uint32_t before = *capacity;
    if (!berth__grow(allocator, array, capacity, need, element_bytes))
        return false;
    unsigned char *bytes = *(void **)array;
    if (*capacity > before)
        memset(bytes + before * element_bytes, 0, (*capacity - before) * element_bytes);
    return true;
}

static berth__node_volumes *state_make(berth__volume_use *use, uint32_t node_id)
{
    if (!grow_zero(use->allocator, &use->nodes, &use->node_capacity, node_id + 1,
                   sizeof(*use->nodes)))
        return NULL;
    if (use->nodes[node_id] == NULL)
        use->nodes[node_id] = berth__arena_alloc_zero(&use->states, sizeof(berth__node_volumes), 8);
    return use->nodes[node_id];
}

/* ---- attachments ---- */

/* All lists of a node are sorted for binary search. The functions return the place where an entry
 * is or would be. */
#define DEFINE_PLACE(name, type, list, list_count, field)              \
    static uint32_t name(const berth__node_volumes *volumes, type key) \
    {                                                                  \
        uint32_t low = 0, high = volumes->list_count;                  \
        while (low < high) {                                           \
            uint32_t middle = (low + high) / 2;                        \
            if (volumes->list[middle].field < key)                     \
                low = middle + 1;                                      \
            else                                                       \
                high = middle;                                         \
        }                                                              \
        return low;                                                    \
    }
DEFINE_PLACE(attached_place, berth__attachment, attached, attached_count, attachment)
DEFINE_PLACE(driver_place, berth__sym, drivers, driver_count, driver)
DEFINE_PLACE(ref_place, uint32_t, refs, ref_count, id)

static berth__attached *find_attached(const berth__node_volumes *volumes,
                                      berth__attachment attachment)
{
    uint32_t at = attached_place(volumes, attachment);
    return at < volumes->attached_count && volumes->attached[at].attachment == attachment
               ? &volumes->attached[at]
               : NULL;
}

static berth__driver_count *find_driver(const berth__node_volumes *volumes, berth__sym driver)
{
    uint32_t at = driver_place(volumes, driver);
    return at < volumes->driver_count && volumes->drivers[at].driver == driver
               ? &volumes->drivers[at]
               : NULL;
}

/* Make a gap in a list, or close one. There must be room. */
#define OPEN(list, count, at) \
    memmove(&(list)[(at) + 1], &(list)[at], ((count)++ - (at)) * sizeof((list)[0]))
#define CLOSE(list, count, at) \
    memmove(&(list)[at], &(list)[(at) + 1], (--(count) - (at)) * sizeof((list)[0]))

bool berth__volume_is_attached(const berth__node_volumes *volumes, berth__attachment attachment)
{
    const berth__attached *found = find_attached(volumes, attachment);
    return found != NULL && found->refs > 0;
}

uint32_t berth__volumes_attached(const berth__node_volumes *volumes, berth__sym driver)
{
    const berth__driver_count *found = find_driver(volumes, driver);
    return found != NULL ? found->count : 0;
}

/* Make room for `more` attachments. */
static bool reserve_attached(berth__volume_use *use, berth__node_volumes *volumes, uint32_t more)
{
    return berth__grow(use->allocator, &volumes->attached, &volumes->attached_capacity,
                       volumes->attached_count + more, sizeof(*volumes->attached)) &&
           berth__grow(use->allocator, &volumes->drivers, &volumes->driver_capacity,
                       volumes->driver_count + more, sizeof(*volumes->drivers)) &&
           berth__attached_volumes_reserve(&use->attached, use->allocator, more);
}

/* The entry of an attachment, made if there is none. There must be room. */
static berth__attached *enter(berth__node_volumes *volumes, berth__attachment attachment)
{
    berth__attached *entry = find_attached(volumes, attachment);
    if (entry != NULL)
        return entry;
    berth__sym driver = berth__attachment_driver(attachment);
    berth__driver_count *count = find_driver(volumes, driver);
    if (count == NULL) {
        BERTH_ASSERT(volumes->driver_count < volumes->driver_capacity);
        uint32_t at = driver_place(volumes, driver);
        OPEN(volumes->drivers, volumes->driver_count, at);
        count = &volumes->drivers[at];
        *count = (berth__driver_count){driver, 0};
    }
    count->count++;
    BERTH_ASSERT(volumes->attached_count < volumes->attached_capacity);
    uint32_t at = attached_place(volumes, attachment);
    OPEN(volumes->attached, volumes->attached_count, at);
    entry = &volumes->attached[at];
    *entry = (berth__attached){.attachment = attachment};
    return entry;
}

static void leave_if_unused(berth__node_volumes *volumes, berth__attached *entry)
{
    if (entry->refs + entry->listed > 0)
        return;
    berth__driver_count *count = find_driver(volumes, berth__attachment_driver(entry->attachment));
    if (--count->count == 0)
        CLOSE(volumes->drivers, volumes->driver_count, (size_t)(count - volumes->drivers));
    CLOSE(volumes->attached, volumes->attached_count, (size_t)(entry - volumes->attached));
}

static void count_ref(berth__volume_use *use, berth__node_volumes *volumes, berth__volume_ref *ref,
                      berth__attachments counted)
{
    ref->counted = counted;
    for (uint32_t i = 0; i < 2; i++)
        if (counted.items[i] != 0 && enter(volumes, counted.items[i])->refs++ == 0)
            berth__attached_volumes_add(&use->attached, counted.items[i]);
}

static void uncount_ref(berth__volume_use *use, berth__node_volumes *volumes,
                        berth__volume_ref *ref)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (ref->counted.items[i] == 0)
            continue;
        berth__attached *entry = find_attached(volumes, ref->counted.items[i]);
        BERTH_ASSERT(entry != NULL && entry->refs > 0);
        if (--entry->refs == 0)
            berth__attached_volumes_remove(&use->attached, entry->attachment);
        leave_if_unused(volumes, entry);
    }
}

berth__attachments berth__volume_ref_attachments(const berth__volume_use *use,
                                                 const berth__node_volumes *volumes, uint32_t id)
{
    const berth__storage *storage = use->storage;
    if (id & BERTH__DISK_BIT)
        return berth__storage_disk_attachments(storage, storage->disk_list[id & ~BERTH__DISK_BIT],
                                               volumes->record);
    return berth__storage_claim_attachments(storage, berth__storage_claim_at(storage, id),
                                            volumes->record);
}

/* ---- pods in and out ---- */

static berth__volume_ref *find_ref(const berth__node_volumes *volumes, uint32_t id)
{
    uint32_t at = ref_place(volumes, id);
    return at < volumes->ref_count && volumes->refs[at].id == id ? &volumes->refs[at] : NULL;
}

static bool is_claim(const berth__pod_volume *volume)
{
    return volume->kind == BERTH_VOLUME_CLAIM || volume->kind == BERTH_VOLUME_EPHEMERAL;
}

/* Make sure that every volume has its record in the store and its place here. */
static bool prepare_room(berth__volume_use *use, berth__node_volumes *volumes,
                         const berth__volume_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const berth__pod_volume *volume = &list->items[i];
        bool ok = is_claim(volume) ? berth__storage_claim_make(use->storage, list->namespace_name,
                                                               volume->handle) != NULL
                                   : berth__storage_disk_make(use->storage, volume) != NULL;
        if (!ok)
            return false;
    }
    return grow_zero(use->allocator, &use->claims, &use->claim_capacity, use->storage->claims.count,
                     sizeof(*use->claims)) &&
           berth__grow(use->allocator, &volumes->refs, &volumes->ref_capacity,
                       volumes->ref_count + list->count, sizeof(*volumes->refs)) &&
           reserve_attached(use, volumes, 2 * list->count);
}

/* The id of a volume in these lists. Its record exists. */
static uint32_t ref_id(const berth__volume_use *use, const berth__volume_list *list,
                       const berth__pod_volume *volume)
{
    if (!is_claim(volume))
        return berth__storage_disk_find(use->storage, volume)->id | BERTH__DISK_BIT;
    return berth__storage_claim(use->storage, list->namespace_name, volume->handle)->id;
}

static void use_claim(berth__volume_use *use, uint32_t claim, uint32_t node_id, bool by_name)
{
    berth__claim_use *entry = &use->claims[claim];
    if (entry->refs == 0)
        entry->node = node_id;
    else if (entry->node != node_id)
        entry->node = BERTH_NODE_NONE;
    entry->refs++;
    entry->pods += by_name;
}

/* The ref for one more use of a volume, made if there is none; the caller counts a new ref. There
 * must be room. */
static berth__volume_ref *use_volume(berth__volume_use *use, berth__node_volumes *volumes,
                                     uint32_t node_id, const berth__volume_list *list,
                                     const berth__pod_volume *volume)
{
    uint32_t id = ref_id(use, list, volume);
    if (!(id & BERTH__DISK_BIT))
        use_claim(use, id, node_id, volume->kind == BERTH_VOLUME_CLAIM);
    berth__volume_ref *ref = find_ref(volumes, id);
    if (ref == NULL) {
        BERTH_ASSERT(volumes->ref_count < volumes->ref_capacity);
        uint32_t at = ref_place(volumes, id);
        OPEN(volumes->refs, volumes->ref_count, at);
        ref = &volumes->refs[at];
        *ref = (berth__volume_ref){.id = id};
        volumes->disk_count += (id & BERTH__DISK_BIT) != 0;
    }
    ref->uses++;
    return ref;
}

berth_status berth__volume_use_add(berth__volume_use *use, uint32_t node_id,
                                   const berth__volume_list *list)
{
    berth__node_volumes *volumes = state_make(use, node_id);
    if (volumes == NULL || !prepare_room(use, volumes, list))
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < list->count; i++) {
        berth__volume_ref *ref = use_volume(use, volumes, node_id, list, &list->items[i]);
        if (ref->uses == 1)
            count_ref(use, volumes, ref, berth__volume_ref_attachments(use, volumes, ref->id));
    }
    berth__driver_fills_change(use, node_id);
    return BERTH_OK;
}

void berth__volume_use_restore(berth__volume_use *use, uint32_t node_id,
                               const berth__volume_list *list)
{
    berth__node_volumes *volumes = use->nodes[node_id];
    BERTH_ASSERT(volumes != NULL);
    for (uint32_t i = 0; i < list->count; i++) {
        berth__volume_ref *ref = use_volume(use, volumes, node_id, list, &list->items[i]);
        if (ref->uses > 1)
            continue;
        if (reserve_attached(use, volumes, 2))
            count_ref(use, volumes, ref, berth__volume_ref_attachments(use, volumes, ref->id));
        else
            berth__storage_note_all(use->storage);
    }
    berth__driver_fills_change(use, node_id);
}

void berth__volume_use_remove(berth__volume_use *use, uint32_t node_id,
                              const berth__volume_list *list)
{
    berth__node_volumes *volumes = use->nodes[node_id];
    BERTH_ASSERT(volumes != NULL);
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t id = ref_id(use, list, &list->items[i]);
        if (!(id & BERTH__DISK_BIT)) {
            use->claims[id].refs--;
            use->claims[id].pods -= list->items[i].kind == BERTH_VOLUME_CLAIM;
        }
        berth__volume_ref *ref = find_ref(volumes, id);
        BERTH_ASSERT(ref != NULL);
        if (--ref->uses > 0)
            continue;
        uncount_ref(use, volumes, ref);
        volumes->disk_count -= (id & BERTH__DISK_BIT) != 0;
        CLOSE(volumes->refs, volumes->ref_count, (size_t)(ref - volumes->refs));
    }
    berth__driver_fills_change(use, node_id);
}

void berth__volume_use_forget_node(berth__volume_use *use, uint32_t node_id)
{
    berth__node_volumes *volumes = node_id < use->node_capacity ? use->nodes[node_id] : NULL;
    if (volumes == NULL)
        return;
    BERTH_ASSERT(volumes->ref_count == 0);
    if (volumes->record != NULL && volumes->record->id < use->record_count)
        use->node_of_record[volumes->record->id] = BERTH_NODE_NONE;
    volumes->record = NULL;
    volumes->synced = false;
    volumes->attached_count = volumes->driver_count = 0;
    berth__driver_fills_change(use, node_id);
}

/* ---- removal of records ---- */

static void keep_refs(const berth__storage *storage, const berth__node_volumes *volumes)
{
    for (uint32_t i = 0; i < volumes->ref_count; i++) {
        uint32_t id = volumes->refs[i].id;
        if (id & BERTH__DISK_BIT)
            storage->disk_list[id & ~BERTH__DISK_BIT]->kept = true;
        else
            berth__storage_keep(&berth__storage_claim_at(storage, id)->record);
    }
}

void berth__volume_use_sweep(const berth__volume_use *use)
{
    for (uint32_t i = 0; i < use->node_capacity; i++) {
        const berth__node_volumes *volumes = use->nodes[i];
        if (volumes == NULL)
            continue;
        keep_refs(use->storage, volumes);
        if (volumes->record != NULL)
            berth__storage_keep(&berth__storage_node_at(use->storage, volumes->record->id)->record);
    }
    berth__storage_sweep(use->storage);
}

/* ---- following the store ---- */

static bool recount_ref(berth__volume_use *use, berth__node_volumes *volumes,
                        berth__volume_ref *ref)
{
    berth__attachments now = berth__volume_ref_attachments(use, volumes, ref->id);
    if (memcmp(&now, &ref->counted, sizeof(now)) == 0)
        return true;
    if (!reserve_attached(use, volumes, 2))
        return false;
    uncount_ref(use, volumes, ref);
    count_ref(use, volumes, ref, now);
    return true;
}

/* Count everything on a node again. */
static bool recount(berth__volume_use *use, uint32_t node_id)
{
    berth__node_volumes *volumes = use->nodes[node_id];
    const berth__storage_node *record = volumes->record;
    uint32_t listed_count = record != NULL ? record->attachment_count : 0;
    volumes->synced = false;
    if (!reserve_attached(use, volumes, 2 * volumes->ref_count + listed_count))
        return false;
    for (uint32_t i = 0; i < volumes->attached_count; i++)
        if (volumes->attached[i].refs > 0)
            berth__attached_volumes_remove(&use->attached, volumes->attached[i].attachment);
    volumes->attached_count = volumes->driver_count = 0;
    for (uint32_t i = 0; i < volumes->ref_count; i++)
        count_ref(use, volumes, &volumes->refs[i],
                  berth__volume_ref_attachments(use, volumes, volumes->refs[i].id));
    const berth__listed_attachment *listed = record != NULL ? record->first_attachment : NULL;
    for (; listed != NULL; listed = listed->next_of_node) {
        berth__attachment attachment = berth__storage_listed_attachment(use->storage, listed);
        if (attachment != 0)
            enter(volumes, attachment)->listed++;
    }
    volumes->synced = record != NULL;
    berth__driver_fills_change(use, node_id);
    return true;
}

static bool recount_claim_on(berth__volume_use *use, uint32_t node_id, uint32_t claim)
{
    berth__node_volumes *volumes = use->nodes[node_id];
    berth__volume_ref *ref = volumes != NULL ? find_ref(volumes, claim) : NULL;
    if (ref != NULL && !recount_ref(use, volumes, ref))
        return false;
    berth__driver_fills_change(use, node_id);
    return true;
}

/* To follow a claim that may be in use on several nodes, all are asked; so many that counting all
 * nodes again would cost less. */
enum { SHARED_MAX = BERTH__LIMIT(8, 1) };

static bool is_used(const berth__volume_use *use, uint32_t claim)
{
    return claim < use->claim_capacity && use->claims[claim].refs > 0;
}

static bool is_shared(const berth__volume_use *use, uint32_t claim)
{
    return is_used(use, claim) && use->claims[claim].node == BERTH_NODE_NONE;
}

static bool follow_claim(berth__volume_use *use, uint32_t claim)
{
    if (!is_used(use, claim))
        return true;
    if (!is_shared(use, claim))
        return recount_claim_on(use, use->claims[claim].node, claim);
    for (uint32_t i = 0; i < use->node_capacity; i++)
        if (!recount_claim_on(use, i, claim))
            return false;
    return true;
}

static bool follow_node(berth__volume_use *use, uint32_t record)
{
    uint32_t node_id = record < use->record_count ? use->node_of_record[record] : BERTH_NODE_NONE;
    return node_id == BERTH_NODE_NONE || recount(use, node_id);
}

static bool recount_all(berth__volume_use *use)
{
    for (uint32_t i = 0; i < use->node_capacity; i++)
        if (use->nodes[i] != NULL && !recount(use, i))
            return false;
    use->seen = use->storage->journal_end;
    return true;
}

static bool follow_journal(berth__volume_use *use)
{
    const berth__storage *storage = use->storage;
    if (storage->journal_end - use->seen > BERTH__STORAGE_JOURNAL)
        return recount_all(use);
    uint32_t shared = 0;
    for (; use->seen < storage->journal_end; use->seen++) {
        uint32_t entry = storage->journal[use->seen % BERTH__STORAGE_JOURNAL];
        if ((entry & BERTH__STORAGE_NODE_BIT) != 0) {
            if (!follow_node(use, entry & ~BERTH__STORAGE_NODE_BIT))
                return false;
        } else if (is_shared(use, entry) && ++shared > SHARED_MAX) {
            return recount_all(use);
        } else if (!follow_claim(use, entry)) {
            return false;
        }
    }
    return true;
}

/* The store's record of a node, or NULL. `*ahead` is by how much the number of the record that was
 * found last exceeds its node's id. Lists of nodes and of CSINodes have the same order, so the next
 * record is mostly as far ahead, and no look-up by name is needed. */
static const berth__storage_node *find_record(const berth__storage *storage, berth__sym name,
                                              uint32_t node_id, uint32_t *ahead)
{
    const uint32_t likely = node_id + *ahead;
    if (likely < storage->nodes.count) {
        const berth__storage_node *record = berth__storage_node_at(storage, likely);
        if (record->record.key.name == name)
            return record;
    }
    const berth__storage_node *record = berth__storage_node_find(storage, name);
    if (record != NULL)
        *ahead = record->id - node_id;
    return record;
}

/* Link nodes that have been added since then to their records in the store, if it has any. */
static bool find_records(berth__volume_use *use, const berth__layout *layout,
                         const berth__cow_array *nodes)
{
    uint32_t record_count = use->storage->nodes.count;
    if (!berth__grow(use->allocator, &use->node_of_record, &use->record_capacity, record_count,
                     sizeof(*use->node_of_record)))
        return false;
    for (uint32_t i = use->record_count; i < record_count; i++)
        use->node_of_record[i] = BERTH_NODE_NONE;
    use->record_count = record_count;
    uint32_t ahead = 0;
    for (uint32_t slot = 0; record_count > 0 && slot < layout->count; slot++) {
        uint32_t node_id = layout->nodes[slot];
        const berth__node_volumes *known = berth__volume_use_of(use, node_id);
        if (known != NULL && known->synced)
            continue;
        const berth__storage_node *record =
            find_record(use->storage, berth__node_at(nodes, node_id)->name, node_id, &ahead);
        if (record == NULL)
            continue;
        berth__node_volumes *volumes = state_make(use, node_id);
        if (volumes == NULL)
            return false;
        volumes->record = record;
        use->node_of_record[record->id] = node_id;
        if (!recount(use, node_id))
            return false;
    }
    use->order = layout->order_epoch;
    use->records_named = use->storage->nodes_named;
    return true;
}

static bool has_new_records(const berth__volume_use *use, const berth__layout *layout)
{
    return use->records_named != use->storage->nodes_named || use->order != layout->order_epoch;
}

bool berth__volume_use_refresh(berth__volume_use *use, const berth__layout *layout,
                               const berth__cow_array *nodes)
{
    use->behind = 0;
    if (has_new_records(use, layout) && !find_records(use, layout, nodes))
        return false;
    return use->seen == use->storage->journal_end || follow_journal(use);
}

/* Following the journal costs what the changes cost, and must happen before it runs over. Looking
 * for records costs as much as all nodes, so it waits for as many calls. */
void berth__volume_use_keep_up(berth__volume_use *use, const berth__layout *layout,
                               const berth__cow_array *nodes)
{
    uint32_t enough = BERTH__STORAGE_JOURNAL / 4;
    if (has_new_records(use, layout) && enough < layout->count)
        enough = layout->count;
    if (++use->behind >= enough)
        (void)berth__volume_use_refresh(use, layout, nodes);
}
