/* Groups of running pods that no selector can tell apart, counted by slot; and how a new population
 * finds its groups.
 *
 * A filter requires a value under some label key. Groups are found by an index of that key, which
 * is made when a filter first uses the key. So labels that no filter uses, such as the name of a
 * pod, cost nothing. */
#include <inttypes.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/hash.h"
#include "columns/pod_counts.h"

/* ---- pods by slot ---- */

static void free_slots(const berth_allocator *allocator, berth__slot_counts *counts)
{
    berth__free(allocator, counts->items, counts->capacity * sizeof(*counts->items));
    *counts = (berth__slot_counts){0};
}

/* The entry of a slot, or the free entry for it. */
static struct berth__slot_count *probe(const berth__slot_counts *counts, uint32_t slot)
{
    uint32_t mask = counts->capacity - 1;
    uint32_t at = (uint32_t)berth__hash_word(slot) & mask;
    while (counts->items[at].slot != slot && counts->items[at].slot != BERTH__SLOT_NONE)
        at = (at + 1) & mask;
    return &counts->items[at];
}

/* A table for `need` entries that holds those of `from`, each at its new slot if `slots` is set. */
static bool rebuild(const berth_allocator *allocator, const berth__slot_counts *from, uint32_t need,
                    const uint32_t *slots, berth__slot_counts *out)
{
    *out = (berth__slot_counts){.capacity = 4};
    while (out->capacity * 3 < need * 4)
        out->capacity *= 2;
    out->items = berth__alloc(allocator, out->capacity * sizeof(*out->items), 8);
    if (out->items == NULL)
        return false;
    memset(out->items, 0xff, out->capacity * sizeof(*out->items)); /* BERTH__SLOT_NONE */
    for (uint32_t i = 0; i < from->capacity; i++) {
        if (from->items[i].slot == BERTH__SLOT_NONE || from->items[i].count == 0)
            continue;
        uint32_t slot = from->items[i].slot;
        if (slots != NULL)
            slot = slots[slot];
        if (slot == BERTH__SLOT_NONE)
            continue;
        *probe(out, slot) = (struct berth__slot_count){slot, from->items[i].count};
        out->used++;
    }
    return true;
}

static uint32_t live_entries(const berth__slot_counts *counts)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < counts->capacity; i++)
        live += counts->items[i].slot != BERTH__SLOT_NONE && counts->items[i].count > 0;
    return live;
}

static bool change_slot(const berth_allocator *allocator, berth__slot_counts *counts, uint32_t slot,
                        int change)
{
    struct berth__slot_count *entry = counts->capacity > 0 ? probe(counts, slot) : NULL;
    if (entry != NULL && entry->slot == slot) {
        BERTH_ASSERT(change > 0 || entry->count > 0);
        entry->count += (uint32_t)change;
        return true;
    }
    BERTH_ASSERT(change > 0);
    if ((counts->used + 1) * 4 > counts->capacity * 3) {
        berth__slot_counts larger;
        if (!rebuild(allocator, counts, (live_entries(counts) + 1) * 2, NULL, &larger))
            return false;
        free_slots(allocator, counts);
        *counts = larger;
        entry = probe(counts, slot);
    }
    BERTH_ASSERT(entry != NULL);
    *entry = (struct berth__slot_count){slot, (uint32_t)change};
    counts->used++;
    return true;
}

/* ---- groups by label ---- */

/* The groups that have the same value under a key. */
typedef struct value_groups {
    berth__keymap_entry entry;
    berth__sym value;
    berth__group **items;
    uint32_t count;
    uint32_t capacity;
} value_groups;

/* A label key by which groups are found. */
typedef struct group_key {
    berth__keymap_entry entry;
    berth__sym key;
    berth__keymap values;
} group_key;

static void free_value(const berth_allocator *allocator, value_groups *value)
{
    berth__free(allocator, value->items, value->capacity * sizeof(*value->items));
    berth__free(allocator, value, sizeof(*value));
}

static void free_key(const berth_allocator *allocator, group_key *key)
{
    for (uint32_t i = 0; key->values.buckets != NULL && i < key->values.bucket_count; i++)
        for (berth__keymap_entry *entry = key->values.buckets[i], *next; entry != NULL;
             entry = next) {
            next = entry->next;
            free_value(allocator, (value_groups *)entry);
        }
    berth__keymap_destroy(&key->values);
    berth__free(allocator, key, sizeof(*key));
}

static value_groups *find_value(const group_key *key, berth__sym value)
{
    return (value_groups *)berth__keymap_find(&key->values, &value, sizeof(value));
}

/* Enter a group under its value of a key, if it has the key. */
static bool enter_key(const berth_allocator *allocator, group_key *key, berth__group *group)
{
    berth__sym value = berth__labels_get(group->identity->labels, key->key);
    if (value == 0)
        return true;
    value_groups *of = find_value(key, value);
    if (of == NULL) {
        of = berth__alloc_zero(allocator, sizeof(*of), _Alignof(value_groups));
        if (of == NULL)
            return false;
        of->value = value;
        of->entry.key = &of->value;
        of->entry.key_bytes = sizeof(of->value);
        berth__keymap_add(&key->values, &of->entry);
    }
    if (!berth__grow(allocator, &of->items, &of->capacity, of->count + 1, sizeof(*of->items)))
        return false;
    of->items[of->count++] = group;
    return true;
}

static void leave_key(const berth_allocator *allocator, group_key *key, const berth__group *group)
{
    berth__sym value = berth__labels_get(group->identity->labels, key->key);
    value_groups *of = value != 0 ? find_value(key, value) : NULL;
    for (uint32_t i = 0; of != NULL && i < of->count; i++) {
        if (of->items[i] != group)
            continue;
        of->items[i] = of->items[--of->count];
        break;
    }
    if (of != NULL && of->count == 0) {
        berth__keymap_remove(&key->values, &of->entry);
        free_value(allocator, of);
    }
}

/* The index of a key, made if it is new; NULL when out of memory. */
static group_key *key_of(berth__pod_counts *counts, berth__sym name)
{
    const berth_allocator *allocator = counts->model->allocator;
    group_key *key = (group_key *)berth__keymap_find(&counts->group_keys, &name, sizeof(name));
    if (key != NULL)
        return key;
    key = berth__alloc_zero(allocator, sizeof(*key), _Alignof(group_key));
    if (key == NULL)
        return NULL;
    key->key = name;
    key->entry.key = &key->key;
    key->entry.key_bytes = sizeof(key->key);
    bool ok = berth__keymap_init(&key->values, allocator) == BERTH_OK;
    for (berth__group *group = counts->first_group; ok && group != NULL; group = group->next)
        ok = enter_key(allocator, key, group);
    if (ok) {
        berth__keymap_add(&counts->group_keys, &key->entry);
        return key;
    }
    free_key(allocator, key);
    return NULL;
}

/* Run the statement for each key. It must not change the table. */
#define EACH_KEY(counts, key)                                                                 \
    for (uint32_t bucket = 0; bucket < (counts)->group_keys.bucket_count; bucket++)           \
        for (group_key *key = (group_key *)(counts)->group_keys.buckets[bucket]; key != NULL; \
             key = (group_key *)key->entry.next)

static bool enter_keys(berth__pod_counts *counts, berth__group *group)
{
    bool ok = true;
    EACH_KEY(counts, key)
    ok = ok && enter_key(counts->model->allocator, key, group);
    return ok;
}

static void leave_keys(berth__pod_counts *counts, const berth__group *group)
{
    EACH_KEY(counts, key)
    leave_key(counts->model->allocator, key, group);
}

/* ---- the groups of a population ---- */

static const berth__interned_requirement *anchor_of(const berth__population *population)
{
    return berth__selector_anchor(&berth__population_leading(population)->selector);
}

typedef bool (*group_visit)(berth__view *view, berth__population *population, berth__group *group);

static bool visit_if_matched(berth__view *view, berth__population *population, berth__group *group,
                             group_visit visit)
{
    return !berth__population_matches(view, population, group->identity) ||
           visit(view, population, group);
}

/* Visit the groups that a population matches, until `visit` returns false. Returns false then, and
 * when out of memory. */
static bool visit_groups(berth__view *view, berth__population *population, group_visit visit)
{
    berth__pod_counts *counts = view->counts;
    const berth__interned_requirement *anchor = anchor_of(population);
    if (anchor == NULL) {
        for (berth__group *group = counts->first_group; group != NULL; group = group->next)
            if (!visit_if_matched(view, population, group, visit))
                return false;
        return true;
    }
    const group_key *key = key_of(counts, anchor->key);
    for (uint32_t v = 0; key != NULL && v < anchor->value_count; v++) {
        bool repeated = v > 0 && anchor->values[v] == anchor->values[v - 1];
        const value_groups *of = repeated ? NULL : find_value(key, anchor->values[v]);
        for (uint32_t i = 0; of != NULL && i < of->count; i++)
            if (!visit_if_matched(view, population, of->items[i], visit))
                return false;
    }
    return key != NULL;
}

static bool add_membership(berth__view *view, berth__population *population, berth__group *group)
{
    return group->of.epoch != view->counts->membership_epoch ||
           berth__membership_add(view->counts, &group->of, population);
}

static bool remove_membership(berth__view *view, berth__population *population, berth__group *group)
{
    berth__membership *of = &group->of;
    for (uint32_t i = 0; of->epoch == view->counts->membership_epoch && i < of->count; i++)
        if (of->items[i] == population) {
            of->items[i] = of->items[--of->count];
            break;
        }
    return true;
}

void berth__groups_enter(berth__view *view, berth__population *population)
{
    if (view->counts->grouping && !visit_groups(view, population, add_membership))
        view->counts->membership_epoch++;
}

void berth__groups_leave(berth__view *view, berth__population *population)
{
    if (view->counts->grouping && !visit_groups(view, population, remove_membership))
        view->counts->membership_epoch++;
}

static bool add_slots(berth__view *view, berth__population *population,
                      const berth__slot_counts *counts)
{
    for (uint32_t i = 0; i < counts->capacity; i++) {
        if (counts->items[i].slot == BERTH__SLOT_NONE || counts->items[i].count == 0)
            continue;
        uint32_t *counter = berth__population_counter(view, population, counts->items[i].slot);
        if (counter == NULL)
            return false;
        *counter += counts->items[i].count;
        population->total += counts->items[i].count;
    }
    return true;
}

static bool add_group(berth__view *view, berth__population *population, berth__group *group)
{
    return add_slots(view, population, &group->staying) &&
           (population->kind == BERTH__PODS_STAYING ||
            add_slots(view, population, &group->deleting));
}

bool berth__groups_sum(berth__view *view, berth__population *population)
{
    return visit_groups(view, population, add_group);
}

/* ---- creating and dropping a group ---- */

static void drop(berth__pod_counts *counts, berth__group *group)
{
    const berth_allocator *allocator = counts->model->allocator;
    berth__keymap_remove(&counts->groups, &group->entry);
    *(group->previous != NULL ? &group->previous->next : &counts->first_group) = group->next;
    if (group->next != NULL)
        group->next->previous = group->previous;
    free_slots(allocator, &group->staying);
    free_slots(allocator, &group->deleting);
    berth__free(allocator, group->of.items, group->of.capacity * sizeof(*group->of.items));
    berth__free(allocator, group, sizeof(*group));
}

/* NULL when out of memory; then the caller stops grouping, which drops what was made. */
static berth__group *make(berth__pod_counts *counts, const berth__identity *identity)
{
    berth__group *group =
        berth__alloc_zero(counts->model->allocator, sizeof(*group), _Alignof(berth__group));
    if (group == NULL)
        return NULL;
    group->identity = identity;
    group->of.serial = identity->part.serial;
    group->entry.key = &group->of.serial;
    group->entry.key_bytes = sizeof(group->of.serial);
    berth__keymap_add(&counts->groups, &group->entry);
    group->next = counts->first_group;
    if (counts->first_group != NULL)
        counts->first_group->previous = group;
    counts->first_group = group;
    return enter_keys(counts, group) ? group : NULL;
}

static berth__group *group_of(berth__pod_counts *counts, const berth__identity *identity)
{
    uint64_t serial = identity->part.serial;
    berth__group *group =
        (berth__group *)berth__keymap_find(&counts->groups, &serial, sizeof(serial));
    return group != NULL ? group : make(counts, identity);
}

typedef struct collection {
    berth__view *view;
    berth__group *group;
    bool ok;
} collection;

static bool collect(void *context, void *item)
{
    collection *own = context;
    if (berth__population_matches(own->view, item, own->group->identity))
        own->ok = berth__membership_add(own->view->counts, &own->group->of, item);
    return own->ok;
}

/* Determine which populations the group belongs to, unless that is up to date. */
static bool renew_membership(berth__view *view, berth__group *group)
{
    berth__pod_counts *counts = view->counts;
    if (group->of.epoch == counts->membership_epoch)
        return true;
    collection own = {view, group, true};
    group->of.count = 0;
    berth__label_index_visit(&counts->matching, group->identity->namespace_name,
                             group->identity->labels, collect, &own);
    if (own.ok)
        group->of.epoch = counts->membership_epoch;
    return own.ok;
}

/* ---- pods coming and going ---- */

/* Count a pod into its group only. NULL when out of memory. */
static berth__group *change_group(berth__pod_counts *counts, uint32_t slot, const berth__class *cls,
                                  int change)
{
    berth__group *group = group_of(counts, cls->identity);
    if (group == NULL ||
        !change_slot(counts->model->allocator, cls->deleting ? &group->deleting : &group->staying,
                     slot, change))
        return NULL;
    group->total += (uint64_t)(int64_t)change;
    return group;
}

void berth__groups_change(berth__view *view, uint32_t slot, const berth__class *cls, int change)
{
    berth__pod_counts *counts = view->counts;
    berth__group *group = change_group(counts, slot, cls, change);
    if (group == NULL || !renew_membership(view, group)) {
        berth__groups_stop(counts);
        return;
    }
    for (uint32_t i = 0; i < group->of.count; i++)
        if (group->of.items[i]->kind == BERTH__PODS_MATCHING || !cls->deleting)
            berth__population_change(view, group->of.items[i], slot, change);
    if (group->total > 0)
        return;
    leave_keys(counts, group);
    drop(counts, group);
}

bool berth__groups_start(berth__view *view)
{
    berth__pod_counts *counts = view->counts;
    if (counts->grouping)
        return true;
    if (counts->supposing)
        return false;
    counts->grouping = true;
    for (uint32_t slot = 0; slot < view->layout->count; slot++) {
        uint32_t index = berth__counted_pods(view, slot);
        for (; index != BERTH_POD_INDEX_NONE; index = berth__pod_at(counts->pods, index)->next)
            if (change_group(counts, slot, berth__pod_at(counts->pods, index)->cls, 1) == NULL) {
                berth__groups_stop(counts);
                return false;
            }
    }
    return true;
}

void berth__groups_foresee(berth__view *view)
{
    berth__pod_counts *counts = view->counts;
    if (counts == NULL || counts->foreseen || counts->supposing)
        return;
    counts->foreseen = true;
    (void)berth__groups_start(view);
}

void berth__groups_stop(berth__pod_counts *counts)
{
    const berth_allocator *allocator = counts->model->allocator;
    counts->grouping = false;
    counts->lost = true;
    while (counts->first_group != NULL)
        drop(counts, counts->first_group);
    for (uint32_t i = 0; i < counts->group_keys.bucket_count; i++)
        while (counts->group_keys.buckets[i] != NULL) {
            group_key *key = (group_key *)counts->group_keys.buckets[i];
            berth__keymap_remove(&counts->group_keys, &key->entry);
            free_key(allocator, key);
        }
    for (berth__population *population = counts->first; population != NULL;
         population = population->next)
        if (population->kind <= BERTH__PODS_STAYING)
            berth__population_void(counts, population);
}

static bool move_slots(const berth_allocator *allocator, berth__slot_counts *counts,
                       const uint32_t *slots)
{
    berth__slot_counts moved;
    if (counts->capacity == 0)
        return true;
    if (!rebuild(allocator, counts, live_entries(counts) + 1, slots, &moved))
        return false;
    free_slots(allocator, counts);
    *counts = moved;
    return true;
}

void berth__groups_move(berth__view *view, const uint32_t *slots, uint32_t slot_count)
{
    berth__pod_counts *counts = view->counts;
    (void)slot_count;
    if (!counts->grouping)
        return;
    bool ok = slots != NULL;
    for (berth__group *group = counts->first_group; ok && group != NULL; group = group->next)
        ok = move_slots(counts->model->allocator, &group->staying, slots) &&
             move_slots(counts->model->allocator, &group->deleting, slots);
    if (!ok)
        berth__groups_stop(counts);
}

/* ---- checking ---- */

static uint64_t sum_slots(const berth__slot_counts *counts)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < counts->capacity; i++)
        if (counts->items[i].slot != BERTH__SLOT_NONE)
            sum += counts->items[i].count;
    return sum;
}

static uint32_t slot_pods(const berth__slot_counts *counts, uint32_t slot)
{
    const struct berth__slot_count *entry = counts->capacity > 0 ? probe(counts, slot) : NULL;
    return entry != NULL && entry->slot == slot ? entry->count : 0;
}

/* The number of pods on the node that are like the pod at `index`, if it is the first of them;
 * otherwise 0. */
static uint32_t alike_pods(const berth__pods *pods, const berth__node_record *node, uint32_t index)
{
    const berth__class *cls = berth__pod_at(pods, index)->cls;
    uint32_t count = 0, at = node->first_pod;
    for (; at != BERTH_POD_INDEX_NONE; at = berth__pod_at(pods, at)->next) {
        const berth__class *other = berth__pod_at(pods, at)->cls;
        if (other->identity != cls->identity || other->deleting != cls->deleting)
            continue;
        if (count == 0 && at != index)
            return 0;
        count++;
    }
    return count;
}

static berth_status check_slot(berth__view *view, uint32_t slot, uint64_t *pods, berth_error *error)
{
    const berth__pod_counts *counts = view->counts;
    const berth__node_record *node = berth__view_node(view, slot);
    for (uint32_t at = berth__counted_pods(view, slot); at != BERTH_POD_INDEX_NONE;
         at = berth__pod_at(counts->pods, at)->next) {
        const berth__class *cls = berth__pod_at(counts->pods, at)->cls;
        uint64_t serial = cls->identity->part.serial;
        uint32_t alike = alike_pods(counts->pods, node, at);
        const berth__group *group =
            (const berth__group *)berth__keymap_find(&counts->groups, &serial, sizeof(serial));
        uint32_t kept =
            group == NULL ? 0 : slot_pods(cls->deleting ? &group->deleting : &group->staying, slot);
        if (alike > 0 && kept != alike)
            return berth__error_set(error, BERTH_E_INTERNAL,
                                    "a group on a node is kept as %" PRIu32
                                    " but a recount gives %" PRIu32,
                                    kept, alike);
        ++*pods;
    }
    return BERTH_OK;
}

berth_status berth__groups_check(berth__view *view, berth_error *error)
{
    uint64_t kept = 0, entries = 0, pods = 0;
    if (!view->counts->grouping)
        return BERTH_OK;
    for (uint32_t slot = 0; slot < view->layout->count; slot++)
        BERTH_TRY(check_slot(view, slot, &pods, error));
    for (const berth__group *group = view->counts->first_group; group != NULL;
         group = group->next) {
        kept += group->total;
        entries += sum_slots(&group->staying) + sum_slots(&group->deleting);
    }
    if (kept != pods || entries != pods)
        return berth__error_set(error, BERTH_E_INTERNAL,
                                "groups hold %" PRIu64 " pods in %" PRIu64
                                " entries, but there are %" PRIu64,
                                kept, entries, pods);
    return BERTH_OK;
}
