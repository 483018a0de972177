/* Pod records: in pages, found by a hash of namespace and name, on intrusive lists. */
#include "model/pod.h"

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"

enum { SLOT_SHIFT = 10, SLOTS_MIN = 1 << SLOT_SHIFT, NAME_MAX_BYTES = (1 << 30) - 1 };

/* The hash is stored with the index, so a search touches no pod record but the one that it
 * finds. */
typedef struct slot {
    uint32_t held; /* index + 1, 0 free */
    uint32_t hash;
} slot;

static slot *slot_at(const berth__cow_array *slots, uint32_t at)
{
    return berth__cow_array_item(slots, at, sizeof(slot), SLOT_SHIFT);
}

/* Make an empty hash table, a page at a time. Returns false, with everything freed, when out of
 * memory. */
static bool make_slots(berth__cow_owner *cow, berth__cow_array *slots, uint32_t count)
{
    BERTH_ASSERT(count > 0);
    berth__cow_array_init(slots, sizeof(slot), SLOT_SHIFT);
    for (uint32_t at = 0; at < count; at += SLOTS_MIN)
        if (!berth__cow_array_add(slots, cow, at)) {
            berth__cow_array_retire(slots, cow);
            return false;
        }
    return true;
}

berth_status berth__pods_init(berth__pods *pods, berth__cow_owner *cow)
{
    *pods = (berth__pods){.cow = cow,
                          .first_free = BERTH_POD_INDEX_NONE,
                          .slot_count = SLOTS_MIN,
                          .first_pending = BERTH_POD_INDEX_NONE,
                          .last_pending = BERTH_POD_INDEX_NONE};
    berth__cow_array_init(&pods->records, sizeof(berth__pod_record), BERTH__POD_PAGE_SHIFT);
    return make_slots(cow, &pods->slots, SLOTS_MIN) ? BERTH_OK : BERTH_E_NOMEM;
}

/* ---- memory of records ---- */

/* A pod's name in memory. `born` is the stamp of the copy-on-write owner that gave the record its
 * class and its name, so these are always replaced together. */
typedef struct name_block {
    uint64_t born;
    char text[];
} name_block;

static size_t name_bytes(uint32_t name_len)
{
    return sizeof(name_block) + (size_t)name_len + 1;
}

static name_block *name_of(const berth__pod_record *pod)
{
    return (name_block *)(void *)(pod->name - offsetof(name_block, text));
}

static void release_class(const berth_allocator *allocator, void *context, void *object,
                          size_t bytes)
{
    (void)allocator;
    (void)bytes;
    berth__class_release_later(context, object);
}

static bool is_writable(const berth__cow_owner *cow, uint64_t born)
{
    return !cow->shared || born == cow->stamp;
}

static void retire_class(berth__cow_owner *cow, berth__model *model, berth__class *cls,
                         uint64_t born)
{
    if (is_writable(cow, born) && !cow->branch)
        berth__class_release(model, cls);
    else
        berth__cow_owner_retire(cow, born, release_class, cls, 0);
}

void berth__pods_destroy(berth__pods *pods, berth__model *model)
{
    berth__cow_owner *cow = pods->cow;
    if (cow == NULL)
        return;
    for (uint32_t index = 0; index < pods->record_count; index++) {
        berth__pod_record *pod = berth__pod_at(pods, index);
        if (pod->cls == NULL)
            continue;
        berth__class_release(model, pod->cls);
        berth__free(cow->allocator, name_of(pod), name_bytes(pod->name_len));
    }
    berth__cow_array_retire(&pods->records, cow);
    berth__cow_array_retire(&pods->slots, cow);
    *pods = (berth__pods){0};
}

/* ---- finding ---- */

static uint32_t hash_of(berth__sym namespace_name, berth_str name)
{
    return (uint32_t)berth__hash_secret(name.data, name.len, namespace_name);
}

static uint32_t hash_of_pod(const berth__pod_record *pod)
{
    return hash_of(pod->cls->identity->namespace_name, berth__pod_name(pod));
}

/* The slot that holds the pod, or the free slot for it. `hash` combines namespace and name. */
static uint32_t probe(const berth__pods *pods, uint32_t hash, berth__sym namespace_name,
                      berth_str name)
{
    uint32_t mask = pods->slot_count - 1;
    for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
        const slot *here = slot_at(&pods->slots, at);
        if (here->held == 0)
            return at;
        if (here->hash != hash)
            continue;
        const berth__pod_record *pod = berth__pod_at(pods, here->held - 1);
        if (pod->cls->identity->namespace_name == namespace_name &&
            berth__str_eq(berth__pod_name(pod), name))
            return at;
    }
}

static uint32_t probe_pod(const berth__pods *pods, const berth__pod_record *pod)
{
    return probe(pods, hash_of_pod(pod), pod->cls->identity->namespace_name, berth__pod_name(pod));
}

uint32_t berth__pods_find(const berth__pods *pods, berth__sym namespace_name, berth_str name)
{
    uint32_t at = probe(pods, hash_of(namespace_name, name), namespace_name, name);
    return slot_at(&pods->slots, at)->held - 1; /* 0 - 1: BERTH_POD_INDEX_NONE */
}

static bool grow_slots(berth__pods *pods)
{
    uint32_t old_count = pods->slot_count;
    berth__cow_array old = pods->slots, grown;
    uint32_t notes =
        pods->cow->shared ? berth__cow_array_blocks(&old) + old_count / SLOTS_MIN * 2 + 8 : 0;
    if (!berth__cow_owner_reserve(pods->cow, notes) ||
        !make_slots(pods->cow, &grown, old_count * 2))
        return false;
    pods->slots = grown;
    pods->slot_count = old_count * 2;
    for (uint32_t i = 0; i < old_count; i++) {
        slot moved = *slot_at(&old, i);
        if (moved.held == 0)
            continue;
        uint32_t at = moved.hash & (pods->slot_count - 1);
        while (slot_at(&grown, at)->held != 0)
            at = (at + 1) & (pods->slot_count - 1);
        *slot_at(&grown, at) = moved;
    }
    berth__cow_array_retire(&old, pods->cow);
    return true;
}

/* Linear probing without tombstones: fill the gap with a later entry that may move there, and
 * repeat for the gap that this leaves. */
static void close_gap(berth__pods *pods, uint32_t gap)
{
    uint32_t mask = pods->slot_count - 1;
    slot moved;
    for (uint32_t at = (gap + 1) & mask; (moved = *slot_at(&pods->slots, at)).held != 0;
         at = (at + 1) & mask) {
        if (((at - moved.hash) & mask) >= ((at - gap) & mask)) {
            *slot_at(&pods->slots, gap) = moved;
            gap = at;
        }
    }
    *slot_at(&pods->slots, gap) = (slot){0, 0};
}

/* ---- making writable ---- */

berth_status berth__pods_make_writable(berth__pods *pods, uint32_t index)
{
    return index == BERTH_POD_INDEX_NONE ||
                   berth__cow_array_make_writable(&pods->records, pods->cow, index)
               ? BERTH_OK
               : BERTH_E_NOMEM;
}

berth_status berth__pods_make_linked_writable(berth__pods *pods, uint32_t index)
{
    if (!pods->cow->shared)
        return BERTH_OK;
    BERTH_TRY(berth__pods_make_writable(pods, index));
    BERTH_TRY(berth__pods_make_writable(pods, berth__pod_at(pods, index)->next));
    return berth__pods_make_writable(pods, berth__pod_at(pods, index)->previous);
}

berth_status berth__pods_make_last_writable(berth__pods *pods, const berth__node_record *node)
{
    const uint32_t last = node->first_pod;
    if (!pods->cow->shared || last == BERTH_POD_INDEX_NONE)
        return BERTH_OK;
    BERTH_TRY(berth__pods_make_writable(pods, last));
    return berth__pods_make_writable(pods, berth__pod_at(pods, last)->next);
}

berth_status berth__pods_prepare_removal(berth__pods *pods, uint32_t index)
{
    if (!pods->cow->shared)
        return BERTH_OK;
    BERTH_TRY(berth__pods_make_linked_writable(pods, index));
    const berth__pod_record *pod = berth__pod_at(pods, index);
    uint32_t at = probe_pod(pods, pod);
    for (; slot_at(&pods->slots, at)->held != 0; at = (at + 1) & (pods->slot_count - 1))
        if (!berth__cow_array_make_writable(&pods->slots, pods->cow, at))
            return BERTH_E_NOMEM;
    return berth__cow_owner_reserve(pods->cow, 2) ? BERTH_OK : BERTH_E_NOMEM;
}

/* ---- records ---- */

static bool add_page(berth__pods *pods)
{
    uint32_t first = pods->record_count;
    if (!berth__cow_array_add(&pods->records, pods->cow, first))
        return false;
    for (uint32_t i = 0; i < BERTH__PODS_A_PAGE; i++)
        berth__pod_at(pods, first + i)->next =
            i + 1 < BERTH__PODS_A_PAGE ? first + i + 1 : pods->first_free;
    pods->record_count += BERTH__PODS_A_PAGE;
    pods->first_free = first;
    return true;
}

static name_block *copy_name(const berth__cow_owner *cow, berth_str name)
{
    if (name.len > NAME_MAX_BYTES)
        return NULL;
    name_block *copy = berth__alloc(cow->allocator, name_bytes(name.len), 8);
    if (copy == NULL)
        return NULL;
    copy->born = cow->stamp;
    if (name.len > 0)
        memcpy(copy->text, name.data, name.len);
    copy->text[name.len] = '\0';
    return copy;
}

berth_status berth__pods_add(berth__pods *pods, berth__class *cls, berth_str name, uint32_t *out)
{
    if (pods->first_free == BERTH_POD_INDEX_NONE && !add_page(pods))
        return BERTH_E_NOMEM;
    if (pods->count + 1 > pods->slot_count / 4 * 3 && !grow_slots(pods))
        return BERTH_E_NOMEM;
    uint32_t index = pods->first_free;
    uint32_t hash = hash_of(cls->identity->namespace_name, name);
    uint32_t at = probe(pods, hash, cls->identity->namespace_name, name);
    BERTH_ASSERT(slot_at(&pods->slots, at)->held == 0);
    BERTH_TRY(berth__pods_make_writable(pods, index));
    if (!berth__cow_array_make_writable(&pods->slots, pods->cow, at) ||
        !berth__cow_owner_reserve(pods->cow, 2))
        return BERTH_E_NOMEM;
    name_block *copy = copy_name(pods->cow, name);
    if (copy == NULL)
        return BERTH_E_NOMEM;
    berth__pod_record *pod = berth__pod_at(pods, index);
    pods->first_free = pod->next;
    *pod = (berth__pod_record){.cls = cls,
                               .name = copy->text,
                               .name_len = name.len & NAME_MAX_BYTES,
                               .generation = pod->generation,
                               .node = BERTH_NODE_NONE,
                               .next = BERTH_POD_INDEX_NONE,
                               .previous = BERTH_POD_INDEX_NONE};
    berth__cow_owner_note_made(pods->cow, berth__release_block, copy, name_bytes(name.len));
    berth__cow_owner_note_made(pods->cow, release_class, cls, 0);
    *slot_at(&pods->slots, at) = (slot){index + 1, hash};
    pods->count++;
    *out = index;
    return BERTH_OK;
}

/* Free a record that is no longer in the table. */
static void put_on_free_list(berth__pods *pods, uint32_t index, uint32_t generation)
{
    *berth__pod_at(pods, index) =
        (berth__pod_record){.generation = generation, .next = pods->first_free};
    pods->first_free = index;
    pods->count--;
}

static void leave_table(berth__pods *pods, const berth__pod_record *pod)
{
    close_gap(pods, probe_pod(pods, pod));
}

void berth__pods_take(berth__pods *pods, uint32_t index, berth__pod_record *out)
{
    *out = *berth__pod_at(pods, index);
    leave_table(pods, out);
    put_on_free_list(pods, index, out->generation + 1);
}

void berth__pods_put_back(berth__pods *pods, uint32_t index, const berth__pod_record *taken)
{
    BERTH_ASSERT(pods->first_free == index);
    uint32_t at = probe_pod(pods, taken);
    BERTH_ASSERT(slot_at(&pods->slots, at)->held == 0);
    pods->first_free = berth__pod_at(pods, index)->next;
    *berth__pod_at(pods, index) = *taken;
    *slot_at(&pods->slots, at) = (slot){index + 1, hash_of_pod(taken)};
    pods->count++;
}

void berth__pods_discard(berth__pods *pods, berth__model *model, berth__pod_record *taken)
{
    name_block *name = name_of(taken);
    retire_class(pods->cow, model, taken->cls, name->born);
    berth__cow_owner_retire(pods->cow, name->born, berth__release_block, name,
                            name_bytes(taken->name_len));
}

void berth__pods_remove(berth__pods *pods, berth__model *model, uint32_t index)
{
    berth__pod_record taken;
    berth__pods_take(pods, index, &taken);
    berth__pods_discard(pods, model, &taken);
}

void berth__pods_unadd(berth__pods *pods, berth__model *model, uint32_t index)
{
    berth__pod_record taken = *berth__pod_at(pods, index);
    leave_table(pods, &taken);
    put_on_free_list(pods, index, taken.generation);
    berth__pods_discard(pods, model, &taken);
}

/* ---- another class ---- */

berth_status berth__pods_reserve_class(berth__pods *pods, uint32_t index, char **name)
{
    const berth__pod_record *pod = berth__pod_at(pods, index);
    *name = NULL;
    if (!pods->cow->shared)
        return BERTH_OK;
    if (!berth__cow_owner_reserve(pods->cow, 4))
        return BERTH_E_NOMEM;
    if (is_writable(pods->cow, name_of(pod)->born))
        return BERTH_OK;
    name_block *copy = copy_name(pods->cow, berth__pod_name(pod));
    if (copy == NULL)
        return BERTH_E_NOMEM;
    *name = copy->text;
    return BERTH_OK;
}

void berth__pods_unreserve_class(berth__pods *pods, uint32_t index, char *name)
{
    const berth__pod_record *pod = berth__pod_at(pods, index);
    if (name != NULL)
        berth__free(pods->cow->allocator, name - offsetof(name_block, text),
                    name_bytes(pod->name_len));
}

void berth__pods_take_class(berth__pods *pods, uint32_t index, char *name)
{
    berth__pod_record *pod = berth__pod_at(pods, index);
    berth__cow_owner_note_made(pods->cow, release_class, pod->cls, 0);
    if (name == NULL)
        return;
    pod->name = name;
    berth__cow_owner_note_made(pods->cow, berth__release_block, name_of(pod),
                               name_bytes(pod->name_len));
}

void berth__pods_drop_class(berth__pods *pods, berth__model *model, const berth__pod_record *former,
                            bool renamed)
{
    name_block *name = name_of(former);
    uint64_t born = name->born;
    if (renamed)
        berth__cow_owner_retire(pods->cow, born, berth__release_block, name,
                                name_bytes(former->name_len));
    retire_class(pods->cow, model, former->cls, born);
}

void berth__pods_return_class(berth__pods *pods, berth__model *model, uint32_t index,
                              const berth__pod_record *former)
{
    berth__pod_record *pod = berth__pod_at(pods, index);
    berth__pod_record given = *pod;
    pod->cls = former->cls;
    pod->name = former->name;
    berth__pods_drop_class(pods, model, &given, given.name != former->name);
}

/* ---- lists ---- */

void berth__pods_append_pending(berth__pods *pods, uint32_t index)
{
    berth__pod_record *pod = berth__pod_at(pods, index);
    pod->next = BERTH_POD_INDEX_NONE;
    pod->previous = pods->last_pending;
    if (pods->last_pending == BERTH_POD_INDEX_NONE)
        pods->first_pending = index;
    else
        berth__pod_at(pods, pods->last_pending)->next = index;
    pods->last_pending = index;
    pods->pending_count++;
}

/* Unlink from a doubly linked list with the given head. */
static void unlink_pod(berth__pods *pods, uint32_t *first, uint32_t *last, uint32_t index)
{
    berth__pod_record *pod = berth__pod_at(pods, index);
    if (pod->previous == BERTH_POD_INDEX_NONE)
        *first = pod->next;
    else
        berth__pod_at(pods, pod->previous)->next = pod->next;
    if (pod->next != BERTH_POD_INDEX_NONE)
        berth__pod_at(pods, pod->next)->previous = pod->previous;
    else if (last != NULL)
        *last = pod->previous;
    pod->next = pod->previous = BERTH_POD_INDEX_NONE;
}

void berth__pods_remove_pending(berth__pods *pods, uint32_t index)
{
    unlink_pod(pods, &pods->first_pending, &pods->last_pending, index);
    pods->pending_count--;
}

void berth__pods_bound_priority(const berth__pods *pods, berth__node_record *node, uint32_t index)
{
    int32_t priority = berth__pod_at(pods, index)->priority;
    if (priority < node->lowest_priority)
        node->lowest_priority = priority;
}

/* Link behind `previous`, or at the front of the list with that head. */
static void insert_pod(berth__pods *pods, uint32_t *first, uint32_t *last, uint32_t index,
                       uint32_t previous)
{
    berth__pod_record *pod = berth__pod_at(pods, index);
    uint32_t *link =
        previous == BERTH_POD_INDEX_NONE ? first : &berth__pod_at(pods, previous)->next;
    pod->previous = previous;
    pod->next = *link;
    *link = index;
    if (pod->next != BERTH_POD_INDEX_NONE)
        berth__pod_at(pods, pod->next)->previous = index;
    else if (last != NULL)
        *last = index;
}

void berth__pods_insert_pending(berth__pods *pods, uint32_t index, uint32_t previous)
{
    insert_pod(pods, &pods->first_pending, &pods->last_pending, index, previous);
    pods->pending_count++;
}

void berth__pods_insert_attached(berth__pods *pods, berth__node_record *node, uint32_t node_id,
                                 uint32_t index, uint32_t previous, uint32_t last)
{
    const bool filled_gap = previous != BERTH_POD_INDEX_NONE && previous != last;
    if (filled_gap)
        unlink_pod(pods, &node->first_pod, NULL, last);
    berth__pod_at(pods, index)->node = node_id;
    insert_pod(pods, &node->first_pod, NULL, index, previous);
    if (filled_gap)
        insert_pod(pods, &node->first_pod, NULL, last, BERTH_POD_INDEX_NONE);
    node->pod_count++;
    berth__pods_bound_priority(pods, node, index);
}

void berth__pods_attach(berth__pods *pods, berth__node_record *node, uint32_t node_id,
                        uint32_t index)
{
    berth__pod_at(pods, index)->node = node_id;
    insert_pod(pods, &node->first_pod, NULL, index, BERTH_POD_INDEX_NONE);
    node->pod_count++;
    berth__pods_bound_priority(pods, node, index);
}

void berth__pods_detach(berth__pods *pods, berth__node_record *node, uint32_t index)
{
    const uint32_t last = node->first_pod;
    if (last != index) {
        unlink_pod(pods, &node->first_pod, NULL, last);
        insert_pod(pods, &node->first_pod, NULL, last, index);
    }
    unlink_pod(pods, &node->first_pod, NULL, index);
    berth__pod_at(pods, index)->node = BERTH_NODE_NONE;
    if (--node->pod_count == 0)
        node->lowest_priority = INT32_MAX;
}
