/* Puts facts into the store's records and takes them out: the links between records that follow
 * from facts, the journal, and undoing. */
#include "base/assert.h"
#include "store/device_facts.h"
#include "store/storage.h"

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

void berth__storage_note_device(berth__storage *storage, berth__stored *record)
{
    const bool has_number = berth__storage_number(record) != NULL;
    uint32_t bits = record->kind == BERTH_KIND_RESOURCE_SLICE      ? BERTH__DEVICE_SLICE_BITS
                    : record->kind == BERTH_KIND_DEVICE_TAINT_RULE ? BERTH__DEVICE_RULE_BITS
                    : record->kind == BERTH_KIND_DEVICE_CLASS      ? BERTH__DEVICE_CLASS_BITS
                                                                   : BERTH__DEVICE_CLAIM_BITS;
    uint32_t *entry =
        &storage->device_journal[storage->device_journal_end++ % BERTH__DEVICE_JOURNAL];
    *entry = (has_number ? *berth__storage_number(record) : 0) | bits;
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

/* The record of the volume of that name (0: none); false when out of memory. */
static bool named_volume(berth__storage *storage, berth__sym name, berth__pv **out)
{
    *out = name == 0
               ? NULL
               : (berth__pv *)berth__storage_named(storage, BERTH_KIND_PERSISTENT_VOLUME, 0, name);
    return name == 0 || *out != NULL;
}

/* ---- facts of volumes ---- */

bool berth__pv_is_free(const berth__pv_facts *facts)
{
    return facts != NULL && facts->available && !facts->deleting &&
           !facts->attributes.unsupported && !facts->has_claim_ref;
}

berth__shelf_item berth__pv_item(berth__pv *volume, const berth__pv_facts *facts)
{
    return (berth__shelf_item){.amount = facts->capacity,
                               .arrival = volume->arrival,
                               .traits = facts->offers,
                               .object = volume};
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

/* How facts leave a record: permanently; for a while, so that they may come back; or because the
 * former facts come back. */
typedef enum departure { FOR_GOOD, FOR_A_WHILE, COMING_BACK } departure;

/* Take the old facts off their shelves, once the new facts are on theirs. */
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

/* The record of the claim in a volume's claimRef, whether or not the claim exists. */
static bool named_claim(berth__storage *storage, const berth__pv_facts *facts, berth__claim **out)
{
    bool names = facts != NULL && facts->has_claim_ref;
    *out = names ? berth__storage_claim_make(storage, facts->claim_namespace, facts->claim_name)
                 : NULL;
    return !names || *out != NULL;
}

/* Shelve the new facts, then take the old ones off: the steps that can fail come first. */
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

/* ---- facts of other kinds ---- */

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
    return (berth__shelf_item){.amount = facts->limit,
                               .arrival = capacity->arrival,
                               .traits = facts->limit == facts->capacity ? BERTH__ITEM_TELLS : 0,
                               .object = capacity};
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

/* ---- devices ---- */

/* Whether new facts end the reservation of the claim. */
static bool supersedes(const berth__device_claim *claim, const berth__device_claim_facts *facts)
{
    return facts == NULL || facts->allocation != NULL ||
           claim->record.holder == BERTH_POD_INDEX_NONE ||
           (claim->facts != NULL && claim->facts->uid != facts->uid);
}

static void replace_device_claim(berth__storage *storage, berth__device_claim *claim,
                                 berth__device_claim_facts *facts)
{
    if (claim->chosen != NULL && supersedes(claim, facts))
        berth__storage_supersede_devices(storage, claim);
    claim->facts = facts;
    berth__storage_note_device(storage, &claim->record);
}

/* Replace the record's facts (NULL: by none); the former ones are not freed. Returns false, with
 * nothing changed, when out of memory; removing facts does not fail. */
static bool exchange_facts(berth__storage *storage, void *record, void *facts, departure how)
{
    bool ok = true;
    berth__storage_touch(storage, record);
    switch ((berth_kind)((berth__stored *)record)->kind) {
    case BERTH_KIND_STORAGE_CLASS:
        ((berth__storage_class_record *)record)->facts = facts;
        berth__storage_note_all(storage); /* affects volumes that its claims will get */
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
    case BERTH_KIND_RESOURCE_SLICE:
        ((berth__slice *)record)->facts = facts;
        berth__storage_note_device(storage, record);
        break;
    case BERTH_KIND_DEVICE_TAINT_RULE:
        ((berth__taint_rule *)record)->facts = facts;
        berth__storage_note_device(storage, record);
        break;
    case BERTH_KIND_DEVICE_CLASS:
        ((berth__device_class *)record)->facts = facts;
        storage->class_changes++;
        berth__storage_note_device(storage, record);
        break;
    case BERTH_KIND_RESOURCE_CLAIM:
        replace_device_claim(storage, record, facts);
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

static berth__release release_facts;
static void release_facts(const berth_allocator *allocator, void *context, void *object,
                          size_t bytes)
{
    (void)allocator;
    (void)context;
    (void)bytes;
    berth__stored_facts_free(object);
}

/* The store no longer holds these facts, but snapshots may still show them. Room for the note was
 * reserved. */
static void let_go(berth__storage *storage, berth__stored_facts *facts)
{
    if (facts != NULL)
        berth__cow_owner_retire(storage->cow, facts->born, release_facts, facts, 0);
}

/* Facts that were replaced, and the reservation of the volume or claim that ended with them. */
typedef struct former_facts {
    berth__stored *record;
    berth__stored_facts *facts;
    berth__held held;
} former_facts;

/* Release the note that was reserved for the replaced facts. */
static void end_hold(berth__storage *storage, const former_facts *own)
{
    if (own->facts != NULL)
        berth__cow_owner_unhold(storage->cow, 1);
    berth__device_choice_drop(storage, own->held.chosen);
}

static void undo_exchange(void *owner, void *record)
{
    berth__storage *storage = owner;
    const former_facts *own = record;
    berth__stored_facts *fresh = berth__storage_facts(own->record);
    exchange_facts(storage, own->record, own->facts, COMING_BACK);
    let_go(storage, fresh); /* no snapshot shows them */
    if (own->record->reservation !=
        own->held.serial) /* a device claim's reservation may have survived the exchange */
        berth__storage_hold_again(storage, own->record, &own->held);
    end_hold(storage, own);
}

/* Free the places of facts that will not come back. */
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

/* Reserve the notes for the removal of facts, which happens now or once it can no longer be undone;
 * on a branch, also the notes for new facts. */
static bool reserve_note(berth__storage *storage, const berth__stored_facts *facts, bool undoable)
{
    if (storage->cow->branch && !berth__cow_owner_reserve(storage->cow, 2))
        return false;
    if (facts == NULL)
        return true;
    return undoable ? berth__cow_owner_hold(storage->cow, 1)
                    : berth__cow_owner_reserve(storage->cow, 1);
}

bool berth__storage_replace_facts(berth__storage *storage, berth__stored *record,
                                  berth__stored_facts *facts)
{
    const former_facts former = {record, berth__storage_facts(record), berth__storage_held(record)};
    bool undoable = storage->undo != NULL && storage->undo->recording;
    if (!reserve_note(storage, former.facts, undoable))
        return false;
    if (undoable)
        berth__device_choice_use(storage, former.held.chosen);
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
    if (facts != NULL)
        berth__cow_owner_note_made(storage->cow, release_facts, facts, 0);
    return true;
}
