/* Pod records: pages, a hash by namespace and name, intrusive lists. */
#include "model/pod.h"

#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/text.h"

enum { SLOTS_MIN = 64, NAME_MAX_BYTES = (1 << 30) - 1 };

berth_status berth__pods_init(berth__pods *pods, const berth_allocator *allocator)
{
    *pods = (berth__pods){.allocator = allocator,
                          .first_free = BERTH__POD_NONE,
                          .slot_count = SLOTS_MIN,
                          .first_pending = BERTH__POD_NONE,
                          .last_pending = BERTH__POD_NONE};
    pods->slots = berth__alloc_zero(allocator, SLOTS_MIN * sizeof(uint32_t), 64);
    return pods->slots == NULL ? BERTH_E_NOMEM : BERTH_OK;
}

static void free_name(berth__pods *pods, berth__pod *pod)
{
    berth__free(pods->allocator, pod->name, (size_t)pod->name_len + 1);
}

void berth__pods_destroy(berth__pods *pods, berth__model *model)
{
    if (pods->allocator == NULL)
        return;
    for (uint32_t page = 0; page < pods->page_count; page++) {
        for (uint32_t i = 0; i < BERTH__PODS_A_PAGE; i++) {
            berth__pod *pod = &pods->pages[page][i];
            if (pod->cls == NULL)
                continue;
            berth__class_release(model, pod->cls);
            free_name(pods, pod);
        }
        berth__free(pods->allocator, pods->pages[page], BERTH__PODS_A_PAGE * sizeof(berth__pod));
    }
    berth__free(pods->allocator, pods->pages, pods->page_capacity * sizeof(*pods->pages));
    berth__free(pods->allocator, pods->slots, pods->slot_count * sizeof(uint32_t));
    *pods = (berth__pods){0};
}

/* ---- finding ---- */

static uint32_t home_of(const berth__pods *pods, berth__sym namespace_name, berth_str name)
{
    return (uint32_t)berth__hash_bytes(name.data, name.len, namespace_name) &
           (pods->slot_count - 1);
}

static uint32_t home_of_pod(const berth__pods *pods, const berth__pod *pod)
{
    return home_of(pods, pod->cls->identity->namespace_name, berth__pod_name(pod));
}

/* The slot that holds the pod, or the free one where it would go. */
static uint32_t probe(const berth__pods *pods, berth__sym namespace_name, berth_str name)
{
    uint32_t at = home_of(pods, namespace_name, name);
    for (; pods->slots[at] != 0; at = (at + 1) & (pods->slot_count - 1)) {
        const berth__pod *pod = berth__pod_at(pods, pods->slots[at] - 1);
        if (pod->cls->identity->namespace_name == namespace_name &&
            berth__str_eq(berth__pod_name(pod), name))
            return at;
    }
    return at;
}

uint32_t berth__pods_find(const berth__pods *pods, berth__sym namespace_name, berth_str name)
{
    return pods->slots[probe(pods, namespace_name, name)] - 1; /* 0 - 1 is BERTH__POD_NONE */
}

static bool grow_slots(berth__pods *pods)
{
    uint32_t old_count = pods->slot_count;
    uint32_t *old = pods->slots;
    uint32_t *slots =
        berth__alloc_zero(pods->allocator, (size_t)old_count * 2 * sizeof(uint32_t), 64);
    if (slots == NULL)
        return false;
    pods->slots = slots;
    pods->slot_count = old_count * 2;
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i] == 0)
            continue;
        uint32_t at = home_of_pod(pods, berth__pod_at(pods, old[i] - 1));
        while (slots[at] != 0)
            at = (at + 1) & (pods->slot_count - 1);
        slots[at] = old[i];
    }
    berth__free(pods->allocator, old, old_count * sizeof(uint32_t));
    return true;
}

/* Linear probing without tombstones: entries behind the gap that may move into it do. */
static void close_gap(berth__pods *pods, uint32_t gap)
{
    uint32_t mask = pods->slot_count - 1;
    for (uint32_t at = (gap + 1) & mask; pods->slots[at] != 0; at = (at + 1) & mask) {
        uint32_t home = home_of_pod(pods, berth__pod_at(pods, pods->slots[at] - 1));
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            pods->slots[gap] = pods->slots[at];
            gap = at;
        }
    }
    pods->slots[gap] = 0;
}

/* ---- records ---- */

static bool add_page(berth__pods *pods)
{
    if (!berth__grow(pods->allocator, &pods->pages, &pods->page_capacity, pods->page_count + 1,
                     sizeof(*pods->pages)))
        return false;
    berth__pod *page =
        berth__alloc_zero(pods->allocator, BERTH__PODS_A_PAGE * sizeof(*page), 64);
    if (page == NULL)
        return false;
    uint32_t first = pods->page_count * BERTH__PODS_A_PAGE;
    for (uint32_t i = 0; i < BERTH__PODS_A_PAGE; i++)
        page[i].next = i + 1 < BERTH__PODS_A_PAGE ? first + i + 1 : pods->first_free;
    pods->pages[pods->page_count++] = page;
    pods->first_free = first;
    return true;
}

static char *copy_name(berth__pods *pods, berth_str name)
{
    if (name.len > NAME_MAX_BYTES)
        return NULL;
    char *copy = berth__alloc(pods->allocator, (size_t)name.len + 1, 1);
    if (copy == NULL)
        return NULL;
    if (name.len > 0)
        memcpy(copy, name.data, name.len);
    copy[name.len] = '\0';
    return copy;
}

berth_status berth__pods_add(berth__pods *pods, berth__class *cls, berth_str name, uint32_t *out)
{
    if (pods->first_free == BERTH__POD_NONE && !add_page(pods))
        return BERTH_E_NOMEM;
    if (pods->count + 1 > pods->slot_count / 4 * 3 && !grow_slots(pods))
        return BERTH_E_NOMEM;
    char *copy = copy_name(pods, name);
    if (copy == NULL)
        return BERTH_E_NOMEM;
    uint32_t index = pods->first_free;
    berth__pod *pod = berth__pod_at(pods, index);
    uint32_t at = probe(pods, cls->identity->namespace_name, name);
    BERTH_ASSERT(pods->slots[at] == 0);
    pods->first_free = pod->next;
    *pod = (berth__pod){.cls = cls,
                        .name = copy,
                        .name_len = name.len & NAME_MAX_BYTES,
                        .generation = pod->generation,
                        .node = BERTH__NODE_NONE,
                        .next = BERTH__POD_NONE,
                        .previous = BERTH__POD_NONE};
    pods->slots[at] = index + 1;
    pods->count++;
    *out = index;
    return BERTH_OK;
}

/* Free a record that is out of the table. */
static void put_on_free_list(berth__pods *pods, uint32_t index, uint32_t generation)
{
    *berth__pod_at(pods, index) =
        (berth__pod){.generation = generation, .next = pods->first_free};
    pods->first_free = index;
    pods->count--;
}

static void leave_table(berth__pods *pods, const berth__pod *pod)
{
    close_gap(pods, probe(pods, pod->cls->identity->namespace_name, berth__pod_name(pod)));
}

void berth__pods_take(berth__pods *pods, uint32_t index, berth__pod *out)
{
    *out = *berth__pod_at(pods, index);
    leave_table(pods, out);
    put_on_free_list(pods, index, out->generation + 1);
}

void berth__pods_put_back(berth__pods *pods, uint32_t index, const berth__pod *taken)
{
    BERTH_ASSERT(pods->first_free == index);
    uint32_t at = probe(pods, taken->cls->identity->namespace_name, berth__pod_name(taken));
    BERTH_ASSERT(pods->slots[at] == 0);
    pods->first_free = berth__pod_at(pods, index)->next;
    *berth__pod_at(pods, index) = *taken;
    pods->slots[at] = index + 1;
    pods->count++;
}

void berth__pods_discard(berth__pods *pods, berth__model *model, berth__pod *taken)
{
    berth__class_release(model, taken->cls);
    free_name(pods, taken);
}

void berth__pods_remove(berth__pods *pods, berth__model *model, uint32_t index)
{
    berth__pod taken;
    berth__pods_take(pods, index, &taken);
    berth__pods_discard(pods, model, &taken);
}

void berth__pods_unadd(berth__pods *pods, berth__model *model, uint32_t index)
{
    berth__pod taken = *berth__pod_at(pods, index);
    leave_table(pods, &taken);
    put_on_free_list(pods, index, taken.generation);
    berth__pods_discard(pods, model, &taken);
}

/* ---- lists ---- */

void berth__pods_append_pending(berth__pods *pods, uint32_t index)
{
    berth__pod *pod = berth__pod_at(pods, index);
    pod->next = BERTH__POD_NONE;
    pod->previous = pods->last_pending;
    if (pods->last_pending == BERTH__POD_NONE)
        pods->first_pending = index;
    else
        berth__pod_at(pods, pods->last_pending)->next = index;
    pods->last_pending = index;
    pods->pending_count++;
}

/* Unlink from a doubly linked list with the given head. */
static void unlink_pod(berth__pods *pods, uint32_t *first, uint32_t *last, uint32_t index)
{
    berth__pod *pod = berth__pod_at(pods, index);
    if (pod->previous == BERTH__POD_NONE)
        *first = pod->next;
    else
        berth__pod_at(pods, pod->previous)->next = pod->next;
    if (pod->next != BERTH__POD_NONE)
        berth__pod_at(pods, pod->next)->previous = pod->previous;
    else if (last != NULL)
        *last = pod->previous;
    pod->next = pod->previous = BERTH__POD_NONE;
}

void berth__pods_remove_pending(berth__pods *pods, uint32_t index)
{
    unlink_pod(pods, &pods->first_pending, &pods->last_pending, index);
    pods->pending_count--;
}

void berth__pods_attach(berth__pods *pods, berth__node *node, uint32_t node_id, uint32_t index)
{
    berth__pod *pod = berth__pod_at(pods, index);
    pod->node = node_id;
    pod->previous = BERTH__POD_NONE;
    pod->next = node->first_pod;
    if (node->first_pod != BERTH__POD_NONE)
        berth__pod_at(pods, node->first_pod)->previous = index;
    node->first_pod = index;
    node->pod_count++;
}

void berth__pods_detach(berth__pods *pods, berth__node *node, uint32_t index)
{
    unlink_pod(pods, &node->first_pod, NULL, index);
    berth__pod_at(pods, index)->node = BERTH__NODE_NONE;
    node->pod_count--;
}

/* Link behind `previous`, or to the front of the list with that head. */
static void insert_pod(berth__pods *pods, uint32_t *first, uint32_t *last, uint32_t index,
                       uint32_t previous)
{
    berth__pod *pod = berth__pod_at(pods, index);
    uint32_t *link = previous == BERTH__POD_NONE ? first : &berth__pod_at(pods, previous)->next;
    pod->previous = previous;
    pod->next = *link;
    *link = index;
    if (pod->next != BERTH__POD_NONE)
        berth__pod_at(pods, pod->next)->previous = index;
    else if (last != NULL)
        *last = index;
}

void berth__pods_insert_pending(berth__pods *pods, uint32_t index, uint32_t previous)
{
    insert_pod(pods, &pods->first_pending, &pods->last_pending, index, previous);
    pods->pending_count++;
}

void berth__pods_insert_attached(berth__pods *pods, berth__node *node, uint32_t node_id,
                                 uint32_t index, uint32_t previous)
{
    berth__pod_at(pods, index)->node = node_id;
    insert_pod(pods, &node->first_pod, NULL, index, previous);
    node->pod_count++;
}
