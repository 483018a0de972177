/* The devices of one engine or branch. */
#include "devices/devices.h"

#include <string.h>

#include "base/error.h"

/* The devices that a claim holds: a copy of its allocation as it was counted, because the
 * allocation itself may disappear before it is read again. */
typedef struct berth__held_devices {
    size_t bytes;
    berth__device_allocation allocation;
    berth__device_result results[];
} held_devices;

/* ---- life ---- */

static void free_held(berth__devices *devices, uint32_t id)
{
    held_devices *held = devices->held[id];
    if (held != NULL)
        berth__free(devices->model->allocator, held, held->bytes);
    devices->held[id] = NULL;
}

berth_status berth__devices_create(berth__storage *storage, berth__devices **out)
{
    const berth_allocator *allocator = storage->model->allocator;
    berth__devices *devices = berth__alloc_zero(allocator, sizeof(*devices), 64);
    if (devices == NULL)
        return BERTH_E_NOMEM;
    devices->storage = storage;
    devices->model = storage->model;
    devices->fresh = true;
    berth__arena_init(&devices->searches, allocator);
    if (pthread_mutex_init(&devices->lock, NULL) != 0) {
        berth__free(allocator, devices, sizeof(*devices));
        return BERTH_E_NOMEM;
    }
    if (berth__device_uses_init(&devices->uses, allocator) != BERTH_OK ||
        berth__catalog_init(&devices->catalog, storage->model, &devices->uses) != BERTH_OK ||
        berth__verdicts_init(&devices->verdicts, storage->model) != BERTH_OK ||
        berth__outcomes_init(&devices->outcomes, allocator) != BERTH_OK ||
        berth__backing_init(&devices->backing, storage) != BERTH_OK) {
        berth__devices_destroy(devices);
        return BERTH_E_NOMEM;
    }
    *out = devices;
    return BERTH_OK;
}

void berth__devices_destroy(berth__devices *devices)
{
    if (devices == NULL)
        return;
    const berth_allocator *allocator = devices->model->allocator;
    for (uint32_t i = 0; i < devices->held_capacity; i++)
        free_held(devices, i);
    berth__free(allocator, devices->held, devices->held_capacity * sizeof(*devices->held));
    berth__free(allocator, devices->changed_slices,
                devices->changed_capacity * sizeof(*devices->changed_slices));
    berth__free(allocator, devices->rules, devices->rule_capacity * sizeof(*devices->rules));
    berth__backing_destroy(&devices->backing);
    berth__outcomes_destroy(&devices->outcomes);
    berth__verdicts_destroy(&devices->verdicts);
    berth__catalog_destroy(&devices->catalog);
    berth__device_uses_destroy(&devices->uses);
    berth__arena_destroy(&devices->searches);
    (void)pthread_mutex_destroy(&devices->lock);
    berth__free(allocator, devices, sizeof(*devices));
}

/* ---- what claims hold ---- */

static held_devices *copy(const berth_allocator *allocator, const berth__device_allocation *source)
{
    size_t bytes = sizeof(held_devices) + source->result_count * sizeof(berth__device_result);
    size_t amounts_at = (bytes + 15) / 16 * 16;
    bytes = amounts_at;
    for (uint32_t i = 0; i < source->result_count; i++)
        bytes += source->results[i].consumed_count * sizeof(berth__consumed_capacity);
    held_devices *held = berth__alloc_zero(allocator, bytes, 16);
    if (held == NULL)
        return NULL;
    void *amounts_place = (char *)held + amounts_at;
    berth__consumed_capacity *amounts = amounts_place;
    held->bytes = bytes;
    held->allocation =
        (berth__device_allocation){.results = held->results, .result_count = source->result_count};
    for (uint32_t i = 0; i < source->result_count; i++) {
        const berth__device_result *from = &source->results[i];
        held->results[i] = (berth__device_result){.driver = from->driver,
                                                  .pool = from->pool,
                                                  .device = from->device,
                                                  .admin_access = from->admin_access,
                                                  .share_id = from->share_id,
                                                  .consumed = amounts,
                                                  .consumed_count = from->consumed_count};
        if (from->consumed_count > 0)
            memcpy(amounts, from->consumed, from->consumed_count * sizeof(*amounts));
        amounts += from->consumed_count;
    }
    return held;
}

static bool reserve_ids(berth__devices *devices, uint32_t count)
{
    uint32_t before = devices->held_capacity;
    if (!berth__grow(devices->model->allocator, &devices->held, &devices->held_capacity, count,
                     sizeof(*devices->held)))
        return false;
    for (uint32_t i = before; i < devices->held_capacity; i++)
        devices->held[i] = NULL;
    return true;
}

/* Note that the uses of these devices have changed. */
static void note(berth__devices *devices, const held_devices *held)
{
    for (uint32_t i = 0; held != NULL && i < held->allocation.result_count; i++) {
        const berth__device_result *result = &held->allocation.results[i];
        const berth__offer_pool *pool =
            berth__catalog_pool(&devices->catalog, result->driver, result->pool);
        if (pool == NULL)
            continue;
        berth__node_offers_note_use(&devices->catalog, pool);
        berth__outcomes_note(&devices->outcomes, pool);
    }
}

/* The devices held by a record that has no object: those chosen for a special claim that is not
 * written yet. */
static const berth__device_allocation *held_by_special(const berth__devices *devices,
                                                       const berth__device_claim *claim)
{
    berth_str pod;
    const berth__device_claim *written =
        claim->chosen != NULL && berth__device_claim_is_special(devices->storage, claim, &pod)
            ? berth__backing_written(&devices->backing, claim->record.key.namespace_name, pod)
            : NULL;
    bool has = written != NULL && written->facts != NULL && written->facts->allocation != NULL;
    return has ? NULL : claim->chosen;
}

/* Count the devices that a claim has now. */
static bool count_claim(berth__devices *devices, uint32_t id)
{
    const berth__device_claim *claim = berth__storage_device_claim_at(devices->storage, id);
    const berth__device_allocation *now = claim->facts != NULL
                                              ? berth__device_claim_allocation(claim)
                                              : held_by_special(devices, claim);
    held_devices *held = NULL;
    if (!reserve_ids(devices, id + 1))
        return false;
    if (now != NULL) {
        held = copy(devices->model->allocator, now);
        if (held == NULL)
            return false;
        if (!berth__device_uses_add(&devices->uses, &held->allocation)) {
            berth__free(devices->model->allocator, held, held->bytes);
            return false;
        }
    }
    note(devices, held);
    note(devices, devices->held[id]);
    if (devices->held[id] != NULL)
        berth__device_uses_remove(&devices->uses, &devices->held[id]->allocation);
    free_held(devices, id);
    devices->held[id] = held;
    return true;
}

/* Apply a change of a claim. A claim written for a pod's extended resources takes over the devices
 * that were chosen for these. */
static bool take_over_claim(berth__devices *devices, uint32_t id)
{
    berth__backing *backing = &devices->backing;
    const berth__device_claim *claim = berth__storage_device_claim_at(devices->storage, id);
    const berth__written_claim *former =
        id < backing->written_capacity ? backing->written[id] : NULL;
    bool was_written = former != NULL;
    berth__sym space = was_written ? former->key.namespace_name : 0;
    berth__sym pod = was_written ? former->key.pod : 0;
    if (!berth__backing_note_claim(backing, claim) || !count_claim(devices, id))
        return false;
    if (!was_written && id < backing->written_capacity && backing->written[id] != NULL) {
        was_written = true;
        space = backing->written[id]->key.namespace_name;
        pod = backing->written[id]->key.pod;
    }
    const berth__device_claim *special = NULL;
    if (was_written && !berth__storage_special_claim(devices->storage, space,
                                                     berth__text(devices->model, pod), &special))
        return false;
    return special == NULL || count_claim(devices, special->id);
}

/* ---- following the store ---- */

static bool note_slice(berth__devices *devices, uint32_t id)
{
    if (!berth__grow(devices->model->allocator, &devices->changed_slices,
                     &devices->changed_capacity, devices->changed_count + 1,
                     sizeof(*devices->changed_slices)))
        return false;
    devices->changed_slices[devices->changed_count++] = id;
    return true;
}

static bool take_over(berth__devices *devices, uint32_t entry)
{
    uint32_t id = entry & ~BERTH__DEVICE_KIND_BITS;
    switch (entry & BERTH__DEVICE_KIND_BITS) {
    case BERTH__DEVICE_CLAIM_BITS:
        return take_over_claim(devices, id);
    case BERTH__DEVICE_SLICE_BITS:
        return note_slice(devices, id);
    case BERTH__DEVICE_RULE_BITS:
        devices->rules_changed = true;
        return true;
    default:
        return true; /* classes are looked up when needed */
    }
}

static bool take_over_all(berth__devices *devices)
{
    const berth__storage *storage = devices->storage;
    for (uint32_t id = 0; id < storage->device_claims.count; id++)
        if (!take_over_claim(devices, id))
            return false;
    devices->changed_count = 0;
    for (uint32_t id = 0; id < storage->slices.count; id++)
        if (!note_slice(devices, id))
            return false;
    devices->rules_changed = true;
    devices->fresh = false;
    return true;
}

static bool follow_store(berth__devices *devices)
{
    const berth__storage *storage = devices->storage;
    if (storage->device_journal_end - devices->seen > BERTH__DEVICE_JOURNAL)
        devices->fresh = true;
    if (devices->fresh) {
        devices->seen = storage->device_journal_end;
        return take_over_all(devices);
    }
    for (; devices->seen < storage->device_journal_end; devices->seen++)
        if (!take_over(devices, storage->device_journal[devices->seen % BERTH__DEVICE_JOURNAL]))
            return false;
    return true;
}

/* List the rules that select devices, in the order of their records. Returns false when out of
 * memory. */
static bool list_rules(berth__devices *devices, berth__taint_rules *out)
{
    const berth__storage *storage = devices->storage;
    const berth__keymap *table = &storage->tables[BERTH_KIND_DEVICE_TAINT_RULE];
    *out = (berth__taint_rules){0};
    if (table->count == 0 || !storage->model->behaviours.device_taint_rules)
        return true;
    if (!berth__grow(devices->model->allocator, &devices->rules, &devices->rule_capacity,
                     table->count, sizeof(*devices->rules)))
        return false;
    out->items = devices->rules;
    for (uint32_t b = 0; b < table->bucket_count; b++)
        for (const void *at = table->buckets[b]; at != NULL;
             at = ((const berth__keymap_entry *)at)->next) {
            const berth__taint_rule *rule = at;
            if (rule->facts != NULL && rule->facts->selects)
                out->items[out->count++] = rule->facts;
        }
    return true;
}

static bool apply_rules(berth__devices *devices)
{
    berth__taint_rules rules;
    if (!devices->rules_changed)
        return true;
    if (!list_rules(devices, &rules))
        return false;
    berth__catalog_taint(&devices->catalog, rules);
    devices->rules_changed = false;
    return true;
}

static bool apply_slices(berth__devices *devices)
{
    berth__arena *arena = &devices->searches;
    const uint32_t count = devices->changed_count;
    if (count == 0)
        return true;
    berth__arena_reset(arena);
    berth__changed_slice *changes = berth__arena_alloc(arena, count * sizeof(*changes), 8);
    if (changes == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t id = devices->changed_slices[i];
        const berth__slice *slice = berth__storage_slice_at(devices->storage, id);
        changes[i] = (berth__changed_slice){id, slice->record.key.name, slice->facts};
    }
    if (!berth__catalog_change(&devices->catalog, changes, count))
        return false;
    devices->changed_count = 0;
    return true;
}

/* Tell those who keep results about the catalog. */
static void pass_on(berth__devices *devices)
{
    berth__catalog *catalog = &devices->catalog;
    berth__verdicts_follow(&devices->verdicts, catalog);
    for (uint32_t i = 0; i < catalog->stale_count; i++)
        berth__outcomes_note_node(&devices->outcomes, catalog->stale[i]);
    catalog->stale_count = 0;
}

/* Apply changes of the store. Returns false when out of memory. */
static bool follow(berth__devices *devices)
{
    if (!follow_store(devices) || !apply_rules(devices) || !apply_slices(devices))
        return false;
    pass_on(devices);
    return true;
}

void berth__devices_begin_question(berth__devices *devices)
{
    devices->lost = false; /* no worker is there */
    berth__verdicts_trim(&devices->verdicts);
    /* relaxed: a removal that matters happened before this thread's state got the ids */
    devices->removals = atomic_load_explicit(&devices->model->removals, memory_order_relaxed);
}

/* The nodes are those of the view from now on. */
static void meet(berth__devices *devices, const berth__view *view)
{
    berth__catalog_name_nodes(&devices->catalog, &view->node_of_name);
    (void)berth__node_offers_reserve(&devices->catalog,
                                     view->layout->count); /* it may grow later */
}

bool berth__devices_refresh(berth__devices *devices, const berth__view *view)
{
    const uint64_t layout_epoch = view->layout->epoch;
    meet(devices, view);
    if (!berth__backing_follow(&devices->backing) || !follow(devices))
        return false;
    berth__catalog_follow(&devices->catalog, layout_epoch);
    berth__outcomes_follow(&devices->outcomes, devices->catalog.build, layout_epoch,
                           devices->removals);
    return true;
}

/* Without memory, the first decision that looks at the node makes its list. */
static void foresee_node_of(berth__devices *devices, uint32_t slice_id)
{
    const berth__slice *slice = berth__storage_slice_at(devices->storage, slice_id);
    if (slice->facts != NULL)
        (void)berth__catalog_foresee_node(&devices->catalog, slice->facts->reach.node_name);
}

void berth__devices_keep_up(berth__devices *devices, const berth__view *view)
{
    const uint64_t behind = devices->storage->device_journal_end - devices->seen;
    if (behind < BERTH__DEVICE_JOURNAL / 2)
        return;
    meet(devices, view);
    if (!berth__backing_follow(&devices->backing) || !follow_store(devices))
        return;
    const uint32_t count = devices->changed_count;
    if (!follow(devices))
        return;
    /* Many slices have come, probably as a cluster is loaded: open their pools while they are in
     * the cache, rather than in the first decision that looks at all nodes. */
    for (uint32_t i = 0; i < count; i++)
        if (!berth__catalog_foresee(&devices->catalog, devices->changed_slices[i]))
            return;
    for (uint32_t i = 0; i < count; i++)
        foresee_node_of(devices, devices->changed_slices[i]);
}

void berth__devices_meet_node(berth__devices *devices, const berth__view *view, berth__sym name)
{
    if (devices == NULL)
        return;
    meet(devices, view);
    /* The facts of slices that have changed are gone, so the catalog must not be behind. */
    if (berth__backing_follow(&devices->backing) && follow(devices))
        (void)berth__catalog_foresee_node(&devices->catalog, name);
}

void berth__devices_forget_node(berth__devices *devices, uint32_t id)
{
    if (devices != NULL)
        (void)berth__node_offers_forget_node(&devices->catalog, id);
}
