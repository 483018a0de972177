/* Binds one pod's claims on one node: checks bound volumes, and matches or provisions others. */
#include "plugins/volume_binder.h"

#include "base/bits.h"
#include "base/text.h"
#include "plugins/claim_lookup.h"
#include "plugins/same_shelves.h"

/* ---- classifying the claims ---- */

berth__claim_state berth__claim_state_of(const berth__view *view, const berth__claim *claim)
{
    const berth__claim_facts *facts = claim->facts;
    if (facts->volume_name != 0 && facts->bind_completed)
        return BERTH__CLAIM_BOUND;
    const berth__storage_class_facts *class_facts = berth__claim_class(view, claim);
    if (class_facts == NULL)
        return BERTH__CLAIM_IMMEDIATE;
    if (class_facts->mode == BERTH__BINDING_UNSET)
        return BERTH__CLAIM_UNDEFINED;
    return class_facts->mode == BERTH__BINDING_WAIT && facts->volume_name == 0
               ? BERTH__CLAIM_WAITS
               : BERTH__CLAIM_IMMEDIATE;
}

static bool match_affinity(berth__view *view, berth__arena *arena, bool present,
                           const berth__interned_node_selector *affinity, berth__node_match *out)
{
    return berth__node_match_make(view, arena, (berth__labels){0}, present ? affinity : NULL, out);
}

static bool add_bound(berth__view *view, berth__arena *arena, const berth__claim *claim,
                      berth__binder *binder)
{
    const berth__pv_facts *facts = berth__claim_volume(claim);
    berth__bound_volume *bound = &binder->bound[binder->bound_count++];
    *bound = (berth__bound_volume){.facts = facts};
    if (facts == NULL)
        return true;
    if (!match_affinity(view, arena, facts->has_affinity, &facts->affinity, &bound->match))
        return false;
    binder->untranslated |= facts->untranslated.len > 0;
    return facts->in_tree == BERTH__IN_TREE_NONE ||
           match_affinity(view, arena, facts->has_migrated_affinity, &facts->migrated_affinity,
                          &bound->migrated);
}

/* Make the shelves of a class, with the columns of their labels. */
static bool make_reach(berth__view *view, berth__arena *arena, const berth__shelves *shelves,
                       berth__sym class_name, berth__reach *out)
{
    const berth__shelf_set *set = berth__shelves_find(shelves, class_name);
    uint32_t label_count = set != NULL ? set->label_count : 0;
    const berth__sym **columns = berth__arena_alloc(arena, label_count * sizeof(*columns), 8);
    if (columns == NULL)
        return false;
    for (uint32_t i = 0; i < label_count; i++) {
        columns[i] = berth__layout_column(view->layout, &view->nodes, set->labels[i]);
        if (columns[i] == NULL)
            return false;
    }
    *out = (berth__reach){set, columns};
    return true;
}

static bool fill_unbound(berth__view *view, berth__arena *arena, berth__claim *claim, bool legacy,
                         berth__unbound_claim *out)
{
    const berth__claim_facts *facts = claim->facts;
    const berth__storage_class_facts *class_facts = berth__claim_class(view, claim);
    *out = (berth__unbound_claim){.claim = claim, .class_facts = class_facts};
    if (!make_reach(view, arena, &view->storage->free_volumes, facts->class_name,
                    &out->free_volumes) ||
        !match_affinity(view, arena, class_facts->restricted, &class_facts->topologies,
                        &out->topologies))
        return false;
    const berth__csi_driver_record *driver =
        legacy || !class_facts->provisions
            ? NULL
            : berth__storage_driver(view->storage, class_facts->provisioner);
    out->needs_capacity = driver != NULL && driver->facts != NULL &&
                          driver->facts->storage_capacity && facts->request > 0;
    const __int128 nanos = 1000000000;
    out->request_units = (facts->request + nanos - 1) / nanos;
    return !out->needs_capacity ||
           make_reach(view, arena, &view->storage->capacities, facts->class_name, &out->capacities);
}

/* Insert a claim, keeping unbound claims in ascending order of request; equal ones stay in the
 * order of the pod's volumes. */
static void insert_unbound(berth__binder *binder, const berth__unbound_claim *claim)
{
    uint32_t at = binder->unbound_count++;
    for (; at > 0 && claim->claim->facts->request < binder->unbound[at - 1].claim->facts->request;
         at--)
        binder->unbound[at] = binder->unbound[at - 1];
    binder->unbound[at] = *claim;
}

static bool allocate(berth__arena *arena, uint32_t count, berth__binder *binder)
{
    binder->bound = berth__arena_alloc(arena, count * sizeof(*binder->bound), 16);
    binder->decided = berth__arena_alloc(arena, count * sizeof(*binder->decided), 16);
    binder->unbound = berth__arena_alloc(arena, count * sizeof(*binder->unbound), 16);
    return binder->bound != NULL && binder->decided != NULL && binder->unbound != NULL;
}

bool berth__volume_binder_make(berth__view *view, berth__arena *arena,
                               const berth__volume_list *list, berth__binder *binder, bool *ok)
{
    berth__shelves_settle(&view->storage->free_volumes);
    berth__shelves_settle(&view->storage->capacities);
    *ok &= allocate(arena, list->count, binder);
    for (uint32_t i = 0; *ok && i < list->count; i++) {
        const berth__pod_volume *volume = &list->items[i];
        if (!berth__uses_claim(volume) ||
            (binder->legacy && volume->kind == BERTH_VOLUME_EPHEMERAL))
            continue;
        berth__claim *claim = berth__claim_find(view, list, volume);
        if (berth__claim_state_of(view, claim) == BERTH__CLAIM_BOUND) {
            *ok = add_bound(view, arena, claim, binder);
            continue;
        }
        if (binder->decided_count + binder->unbound_count == BERTH__UNBOUND_CLAIMS_MAX)
            return false;
        berth__unbound_claim unbound;
        *ok = fill_unbound(view, arena, claim, binder->legacy, &unbound);
        if (!*ok)
            break;
        if (berth__claim_node(claim) != 0) {
            binder->decided[binder->decided_count++] = unbound;
            continue;
        }
        insert_unbound(binder, &unbound);
    }
    for (uint32_t i = 0; i < binder->unbound_count && binder->problem.len == 0; i++)
        binder->problem = binder->unbound[i].claim->facts->problem;
    return true;
}

/* ---- on a node ---- */

static bool meets(const berth__view *view, const berth__node_match *match, uint32_t slot)
{
    for (uint32_t t = 0; t < match->term_count; t++) {
        const berth__term_match *term = &match->terms[t];
        bool met = term->term->valid && !term->term->empty;
        for (uint32_t i = 0; met && i < term->term->expression_count; i++)
            met = berth__requirement_meets(&view->model->strings, term->expressions[i].requirement,
                                           term->expressions[i].column[slot]);
        if (met)
            return true;
    }
    return !match->has_terms;
}

static bool is_migrated(const berth__view *view, berth__in_tree in_tree, uint32_t slot)
{
    const berth__node_volumes *volumes = berth__slot_volumes(view, slot);
    return volumes != NULL && volumes->record != NULL && volumes->record->facts != NULL &&
           (volumes->record->facts->migrated & 1u << in_tree) != 0;
}

/* Check the bound volumes; the first claim that fails decides. */
static void check_bound(const berth__view *view, const berth__binder *binder, uint32_t slot,
                        berth__open_binding *out)
{
    for (uint32_t i = 0; i < binder->bound_count; i++) {
        const berth__bound_volume *bound = &binder->bound[i];
        if (bound->facts == NULL) {
            out->volume_missing = true;
            return;
        }
        bool migrated = !binder->legacy && bound->facts->in_tree != BERTH__IN_TREE_NONE &&
                        is_migrated(view, bound->facts->in_tree, slot);
        if (migrated && bound->facts->untranslated.len > 0) {
            out->untranslated = bound->facts;
            return;
        }
        if (!meets(view, migrated ? &bound->migrated : &bound->match, slot)) {
            out->node_conflict = true;
            return;
        }
    }
}

static bool is_chosen(const berth__open_binding *binding, const berth__pv *volume)
{
    for (uint32_t i = 0; i < binding->choice_count; i++)
        if (binding->choices[i].volume == volume)
            return true;
    return false;
}

static bool volume_reaches(const berth__view *view, const berth__pv_facts *volume, uint32_t slot)
{
    const berth__node_record *node = berth__view_node(view, slot);
    return !volume->has_affinity ||
           berth__node_selector_meets(&view->model->strings, &volume->affinity, node->name,
                                      berth__node_labels(node->facts));
}

static bool offers_modes(const berth__pv_facts *volume, const berth__claim_facts *claim)
{
    for (uint32_t i = 0; i < claim->access_mode_count; i++) {
        bool offered = false;
        for (uint32_t k = 0; k < volume->access_mode_count && !offered; k++)
            offered = volume->access_modes[k] == claim->access_modes[i];
        if (!offered)
            return false;
    }
    return true;
}

static bool same_attributes(const berth__pv_facts *volume, const berth__claim_facts *claim)
{
    return !volume->attributes.unsupported && volume->attributes.name == claim->attributes.name;
}

/* A volume that already belongs to the claim and could serve it, or NULL. */
static berth__pv *own_volume(const berth__claim *claim, const berth__open_binding *binding)
{
    const berth__claim_facts *facts = claim->facts;
    for (berth__pv *volume = claim->first_pv; volume != NULL; volume = volume->next_of_claim) {
        const berth__pv_facts *offer = volume->facts;
        if (berth__pv_is_for(volume, claim) && offer->class_name == facts->class_name &&
            offer->capacity >= facts->request && offer->block == facts->block &&
            same_attributes(offer, facts) && !offer->deleting && !is_chosen(binding, volume))
            return volume;
    }
    return NULL;
}

static bool offers_all(const berth__view *view, const berth__pv_facts *offer,
                       const berth__claim_facts *claim)
{
    return offer->block == claim->block && same_attributes(offer, claim) &&
           offers_modes(offer, claim) &&
           (!claim->has_selector ||
            berth__selector_matches(&view->model->strings, &claim->selector, offer->labels));
}

/* Whether a free volume that is large enough and of the class suits the claim. Usually its item
 * says enough, and the volume itself is not read. */
static bool suits(const berth__view *view, const berth__shelf_item *item,
                  const berth__claim_facts *claim, const berth__open_binding *binding,
                  uint32_t slot)
{
    const berth__pv *volume = item->object;
    const bool offered = claim->asks_more
                             ? offers_all(view, volume->facts, claim)
                             : (item->traits & (claim->asks | BERTH__OFFERS_EQUAL)) == claim->asks;
    return offered && !is_chosen(binding, volume) &&
           (item->reached || volume_reaches(view, volume->facts, slot));
}

static const berth__shelf *shelf_of(const berth__reach *reach, uint32_t i, uint32_t slot)
{
    if (i == reach->set->label_count)
        return &reach->set->open;
    berth__sym value = reach->columns[i][slot];
    return value != 0 ? berth__shelf_find(reach->set, reach->set->labels[i], value) : NULL;
}

/* The smallest free volume that suits, or NULL; among equals the first that arrived. */
static const berth__shelf_item *free_volume(const berth__view *view,
                                            const berth__unbound_claim *unbound,
                                            const berth__open_binding *binding, uint32_t slot)
{
    const berth__claim_facts *claim = unbound->claim->facts;
    const berth__reach *reach = &unbound->free_volumes;
    const berth__shelf_item *best = NULL;
    for (uint32_t s = 0; reach->set != NULL && s <= reach->set->label_count; s++) {
        const berth__shelf *shelf = shelf_of(reach, s, slot);
        if (shelf == NULL)
            continue;
        for (uint32_t i = berth__shelf_from(shelf, claim->request); i < shelf->count; i++) {
            const berth__shelf_item *item = &shelf->items[i];
            if (best != NULL && (item->amount > best->amount ||
                                 (item->amount == best->amount && item->arrival >= best->arrival)))
                break;
            if (suits(view, item, claim, binding, slot)) {
                best = item;
                break;
            }
        }
    }
    return best;
}

static bool capacity_reaches(const berth__view *view, const berth__capacity *capacity,
                             uint32_t slot)
{
    const berth__node_record *node = berth__view_node(view, slot);
    return capacity->facts->everywhere ||
           berth__node_term_meets(&view->model->strings, &capacity->facts->term, node->name,
                                  berth__node_labels(node->facts));
}

/* The smallest capacity of the driver that suffices for the claim, or NULL; among equals the first
 * that arrived. kube-scheduler takes an arbitrary one. */
static const berth__shelf_item *room_for(const berth__view *view,
                                         const berth__unbound_claim *unbound, uint32_t slot)
{
    const berth__shelf_item *best = NULL;
    const berth__reach *reach = &unbound->capacities;
    for (uint32_t s = 0; reach->set != NULL && s <= reach->set->label_count; s++) {
        const berth__shelf *shelf = shelf_of(reach, s, slot);
        if (shelf == NULL)
            continue;
        for (uint32_t i = berth__shelf_from(shelf, unbound->request_units); i < shelf->count; i++) {
            const berth__shelf_item *item = &shelf->items[i];
            if (best != NULL && (item->amount > best->amount ||
                                 (item->amount == best->amount && item->arrival >= best->arrival)))
                break;
            if (item->reached || capacity_reaches(view, item->object, slot)) {
                best = item;
                break;
            }
        }
    }
    return best;
}

static void choose(berth__open_binding *out, berth__claim *claim, berth__pv *volume,
                   const berth__shelf_item *found)
{
    out->found[out->choice_count] = found;
    out->choices[out->choice_count++] = (berth__volume_choice){claim, volume};
}

/* Provision a claim for the node. Returns false if that is impossible. */
static bool provision(const berth__view *view, const berth__unbound_claim *unbound, uint32_t slot,
                      berth__open_binding *out)
{
    if (!unbound->class_facts->provisions || !meets(view, &unbound->topologies, slot)) {
        out->no_volume = true;
        return false;
    }
    const berth__shelf_item *room = unbound->needs_capacity ? room_for(view, unbound, slot) : NULL;
    if (unbound->needs_capacity && room == NULL) {
        out->no_space = true;
        return false;
    }
    choose(out, unbound->claim, NULL, room);
    return true;
}

void berth__volume_binder_bind(const berth__view *view, const berth__binder *binder, uint32_t slot,
                               berth__open_binding *out)
{
    uint64_t left[BERTH__UNBOUND_CLAIMS_MAX / 64] = {0}; /* unbound claims to provision */
    out->node_conflict = out->no_volume = out->no_space = out->volume_missing = false;
    out->failed = false;
    out->untranslated = NULL;
    out->choice_count = 0;
    check_bound(view, binder, slot, out);
    for (uint32_t i = 0; i < binder->decided_count; i++)
        if (berth__claim_node(binder->decided[i].claim) != berth__view_node(view, slot)->name) {
            out->no_volume = true;
            return;
        }
    if (binder->problem.len > 0) {
        out->failed = true;
        return;
    }
    for (uint32_t i = 0; i < binder->unbound_count; i++) {
        const berth__unbound_claim *unbound = &binder->unbound[i];
        berth__pv *own = own_volume(unbound->claim, out);
        const berth__shelf_item *item = own == NULL ? free_volume(view, unbound, out, slot) : NULL;
        if (item != NULL)
            choose(out, unbound->claim, item->object, item);
        else if (own != NULL && volume_reaches(view, own->facts, slot))
            choose(out, unbound->claim, own, NULL);
        else
            left[i / 64] |= UINT64_C(1) << (i % 64);
    }
    for (uint32_t i = 0; i < binder->decided_count; i++)
        if (!provision(view, &binder->decided[i], slot, out))
            return;
    for (uint32_t i = 0; i < binder->unbound_count; i++)
        if ((left[i / 64] >> (i % 64) & 1) && !provision(view, &binder->unbound[i], slot, out))
            return;
}

/* Whether the claim has no volume and is provisioned wherever its class allows. Its verdict then
 * depends on the node alone, not on the volumes of other claims. */
static bool goes_by_class(const berth__unbound_claim *unbound)
{
    return unbound->claim->first_pv == NULL && unbound->free_volumes.set == NULL &&
           unbound->class_facts->provisions && !unbound->needs_capacity;
}

bool berth__volume_binder_compares(const berth__binder *binder)
{
    bool compares = false;
    for (uint32_t i = 0; i < binder->decided_count; i++)
        compares |= binder->decided[i].needs_capacity;
    for (uint32_t i = 0; i < binder->unbound_count; i++)
        compares |= binder->unbound[i].needs_capacity ||
                    binder->unbound[i].claim->first_pv != NULL ||
                    binder->unbound[i].free_volumes.set != NULL;
    return compares;
}

/* Clear the slots that the class of an unbound claim excludes, a tile at a time. Returns whether
 * claims that are not bound need no further check. */
static bool filter_unbound(const berth__view *view, const berth__binder *binder, uint32_t tile,
                           berth__mask *mask)
{
    bool all = binder->decided_count == 0 && binder->problem.len == 0;
    for (uint32_t i = 0; i < binder->unbound_count && all; i++)
        all = goes_by_class(&binder->unbound[i]);
    for (uint32_t i = 0; i < binder->unbound_count && all; i++)
        berth__node_match_tile(view, &binder->unbound[i].topologies, tile, mask);
    return all;
}

/* Clear the slots that a bound volume does not reach, a tile at a time; skips volumes whose rules
 * may be translated on some nodes. Returns whether bound volumes need no further check. */
static bool filter_bound(const berth__view *view, const berth__binder *binder, uint32_t tile,
                         berth__mask *mask)
{
    bool all = true;
    for (uint32_t i = 0; i < binder->bound_count; i++) {
        const berth__bound_volume *bound = &binder->bound[i];
        if (bound->facts == NULL)
            *mask = (berth__mask){{0}};
        else if (binder->legacy || bound->facts->in_tree == BERTH__IN_TREE_NONE)
            berth__node_match_tile(view, &bound->match, tile, mask);
        else
            all = false;
    }
    return all;
}

/* Add what decides on a claim's volume, besides node facts and offers. */
static bool add_claim(const berth__unbound_claim *unbound, berth__verdict_key *key)
{
    const berth__claim_facts *claim = unbound->claim->facts;
    const bool by_class = goes_by_class(unbound);
    berth__verdict_word(key, by_class);
    if (by_class)
        return berth__node_match_key(&unbound->topologies, key);
    if (unbound->claim->first_pv != NULL || claim->has_selector)
        return false;
    berth__verdict_word(key, (uint64_t)claim->class_name << 32 | claim->specified_class);
    berth__verdict_word(key, (uint64_t)claim->attributes.name << 32 |
                                 (uint64_t)claim->access_mode_count << 3 | claim->block << 2 |
                                 unbound->class_facts->provisions << 1 | unbound->needs_capacity);
    berth__verdict_word(key, (uint64_t)claim->request);
    berth__verdict_word(key, (uint64_t)(claim->request >> 64));
    for (uint32_t i = 0; i < claim->access_mode_count; i++)
        berth__verdict_word(key, claim->access_modes[i]);
    key->offers |= berth__offer_class(claim->class_name);
    return berth__node_match_key(&unbound->topologies, key);
}

bool berth__volume_binder_key(const berth__binder *binder, berth__verdict_key *key)
{
    bool known = !binder->legacy && binder->decided_count == 0 && binder->problem.len == 0;
    berth__verdict_word(key, (uint64_t)binder->bound_count << 32 | binder->unbound_count);
    for (uint32_t i = 0; i < binder->bound_count && known; i++) {
        const berth__bound_volume *bound = &binder->bound[i];
        known = bound->facts != NULL && bound->facts->in_tree == BERTH__IN_TREE_NONE &&
                berth__node_match_key(&bound->match, key);
    }
    for (uint32_t i = 0; i < binder->unbound_count && known; i++)
        known = add_claim(&binder->unbound[i], key);
    return known;
}

static void fetch_reach(const berth__reach *reach, uint32_t tile)
{
    for (uint32_t i = 0; reach->set != NULL && i < reach->set->label_count; i++)
        berth__shelves_fetch(reach->set, reach->set->labels[i],
                             reach->columns[i] + tile * BERTH__TILE, BERTH__TILE);
}

/* Where each node reads shelves of its own (host names), have those of a tile fetched at once. */
static void fetch_shelves(const berth__binder *binder, uint32_t tile)
{
    for (uint32_t i = 0; i < binder->unbound_count; i++) {
        fetch_reach(&binder->unbound[i].free_volumes, tile);
        if (binder->unbound[i].needs_capacity)
            fetch_reach(&binder->unbound[i].capacities, tile);
    }
}

void berth__volume_binder_filter(const berth__view *view, const berth__binder *binder,
                                 uint32_t tile, berth__mask *mask)
{
    berth__open_binding binding;
    berth__same_shelves same;
    bool all = filter_bound(view, binder, tile, mask);
    if (filter_unbound(view, binder, tile, mask) && all)
        return;
    berth__same_shelves_begin(&same, binder);
    if (berth__mask_count(mask) > BERTH__TILE / 8)
        fetch_shelves(binder, tile);
    BERTH__MASK_EACH(mask, s)
    {
        bool known;
        int64_t *fits = berth__same_shelves_result(&same, tile * BERTH__TILE + s, &known);
        if (!known) {
            berth__volume_binder_bind(view, binder, tile * BERTH__TILE + s, &binding);
            *fits = berth__binding_fits(&binding);
        }
        if (*fits == 0)
            berth__bit_clear(mask->words, s);
    }
}

bool berth__volume_binder_explain(const berth__binder *binder, const berth__open_binding *binding,
                                  const char *conflict, berth__reasons *reasons)
{
    if (binding->untranslated != NULL) {
        const berth_str why = binding->untranslated->untranslated;
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      BERTH__ERROR_PREFIX "could not translate pv: %.*s", (int)why.len, why.data);
        reasons->failed = true;
        return false;
    }
    if (binding->failed) {
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, BERTH__ERROR_PREFIX "%.*s",
                      (int)binder->problem.len, binder->problem.data);
        reasons->failed = true;
        return false;
    }
    if (binding->node_conflict)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "%s", conflict);
    if (binding->no_volume)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "node(s) didn't find available persistent volumes to bind");
    return true;
}

/* ---- reserving ---- */

berth_status berth__volume_binder_reserve(berth__view *view, const berth__binder *binder,
                                          uint32_t pod, uint32_t slot)
{
    berth__open_binding binding;
    if (!berth__volumes_refresh(view))
        return BERTH_E_NOMEM;
    berth__volume_binder_bind(view, binder, slot, &binding);
    if (!berth__binding_fits(&binding))
        return BERTH_OK;
    return berth__storage_reserve(view->storage, pod, binding.choices, binding.choice_count,
                                  berth__view_node(view, slot)->name);
}

berth_status berth__volume_binder_reserve_locked(
    const berth__question *cycle, const berth__pod_placement *placement,
    berth_status (*reserve)(const berth__question *cycle, const berth__pod_placement *placement))
{
    berth__model *model = cycle->view->model;
    berth__model_lock(model);
    berth_status status = reserve(cycle, placement);
    berth__model_unlock(model);
    return status;
}

void berth__volume_binder_unreserve(const berth__question *cycle, const void *instance,
                                    const berth__pod_placement *placement)
{
    (void)instance;
    (void)placement;
    if (cycle->view->storage != NULL) /* NULL in a branch until a pod has volumes */
        berth__storage_unreserve(cycle->view->storage, cycle->pod);
}
