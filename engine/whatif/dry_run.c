/* Dry run of one node: takes pods off it and puts pods on it in the view, runs the filters, and
 * undoes everything. */
#include "whatif/dry_run.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/error.h"
#include "columns/pod_counts.h"

/* ---- life ---- */

void berth__dry_run_init(berth__dry_run *dry_run, const berth_allocator *allocator,
                         const berth__pods *pods, const berth__nominations *nominations,
                         const berth__disruption *disruption)
{
    *dry_run = (berth__dry_run){.allocator = allocator,
                                .pods = pods,
                                .nominations = nominations,
                                .disruption = disruption,
                                .slot = BERTH__SLOT_NONE};
    berth__dry_run_memos_init(&dry_run->memos, allocator);
    berth__arena_init(&dry_run->arena, allocator);
}

void berth__dry_run_destroy(berth__dry_run *dry_run)
{
    const berth_allocator *allocator = dry_run->allocator;
    if (allocator == NULL)
        return;
    berth__free(allocator, dry_run->stages, dry_run->stage_capacity * sizeof(*dry_run->stages));
    berth__free(allocator, dry_run->asked, dry_run->asked_capacity * sizeof(*dry_run->asked));
    berth__free(allocator, dry_run->nominated,
                dry_run->nominated_capacity * sizeof(*dry_run->nominated));
    berth__free(allocator, dry_run->ports, dry_run->port_capacity * sizeof(*dry_run->ports));
    berth__dry_run_memos_destroy(&dry_run->memos);
    berth__arena_destroy(&dry_run->arena);
    *dry_run = (berth__dry_run){0};
}

/* ---- the question ---- */

static bool is_static(const berth__stage *stage)
{
    return (stage->plugin->flags & BERTH__STATIC_FILTER) != 0;
}

/* A filter that prepares at every decision reads properties of other pods. Unless it can adjust its
 * state to single pods, it prepares again for each dry run. */
static bool is_renewed(const berth__stage *stage)
{
    return (stage->plugin->flags & BERTH__PREPARE_EACH) != 0 && stage->plugin->adjust == NULL;
}

static uint32_t own_slot(const berth__dry_run *dry_run, const berth__question *cycle)
{
    const berth__nomination *own = berth__nominations_find(dry_run->nominations, cycle->pod);
    const berth__node_record *node =
        own != NULL ? berth__node_at(&cycle->view->nodes, own->node) : NULL;
    return node != NULL && node->facts != NULL ? node->slot : BERTH__SLOT_NONE;
}

berth_status berth__dry_run_ask_few(berth__dry_run *dry_run, const berth__decision *decision)
{
    const berth__question *cycle = decision->cycle;
    const berth__ready_profile *profile = decision->profile;
    if (!berth__grow(dry_run->allocator, &dry_run->stages, &dry_run->stage_capacity,
                     profile->filter_count, sizeof(*dry_run->stages)) ||
        !berth__grow(dry_run->allocator, &dry_run->asked, &dry_run->asked_capacity,
                     profile->filter_count, sizeof(*dry_run->asked)))
        return BERTH_E_NOMEM;
    dry_run->decision = *decision;
    dry_run->priority = berth__pod_at(dry_run->pods, cycle->pod)->priority;
    dry_run->own_slot = own_slot(dry_run, cycle);
    dry_run->memo = NULL;
    dry_run->renews = dry_run->adjusts = false;
    dry_run->passed_over = 0;
    dry_run->asked_count = 0;
    for (uint32_t i = 0; i < profile->filter_count; i++) {
        const berth__stage *stage = &profile->filters[i];
        if (decision->prepared->filters[i].outcome != BERTH__ACTIVE)
            continue;
        dry_run->renews |= is_renewed(stage);
        dry_run->adjusts |= stage->plugin->adjust != NULL;
        if (!is_static(stage))
            dry_run->asked[dry_run->asked_count++] = i;
    }
    return BERTH_OK;
}

berth_status berth__dry_run_ask(berth__dry_run *dry_run, const berth__decision *decision)
{
    BERTH_TRY(berth__dry_run_ask_few(dry_run, decision));
    dry_run->memo = berth__dry_run_memo_get(&dry_run->memos, decision, dry_run->priority,
                                            dry_run->disruption->epoch);
    return BERTH_OK;
}

/* ---- nominated pods ---- */

static const berth__nomination *nominations_on(const berth__dry_run *dry_run, uint32_t slot)
{
    return berth__nominations_on(dry_run->nominations,
                                 dry_run->decision.cycle->view->layout->nodes[slot]);
}

static bool counts(const berth__dry_run *dry_run, const berth__nomination *nomination)
{
    return nomination->priority >= dry_run->priority &&
           nomination->pod != dry_run->decision.cycle->pod;
}

bool berth__dry_run_concerns(const berth__dry_run *dry_run, uint32_t slot)
{
    const berth__nomination *one = nominations_on(dry_run, slot);
    while (one != NULL && !counts(dry_run, one))
        one = one->next;
    return one != NULL;
}

static bool collect_nominated(berth__dry_run *dry_run, uint32_t slot)
{
    dry_run->nominated_count = dry_run->nominated_in = 0;
    for (const berth__nomination *one = nominations_on(dry_run, slot); one != NULL;
         one = one->next) {
        if (!counts(dry_run, one))
            continue;
        if (!berth__grow(dry_run->allocator, &dry_run->nominated, &dry_run->nominated_capacity,
                         dry_run->nominated_count + 1, sizeof(*dry_run->nominated)))
            return false;
        dry_run->nominated[dry_run->nominated_count++] = one->cls;
    }
    return true;
}

/* ---- one slot ---- */

static berth__port_set *ports_of(const berth__dry_run *dry_run, uint32_t slot)
{
    return dry_run->decision.cycle->view->tiles[slot >> BERTH__TILE_SHIFT]
        ->ports[slot % BERTH__TILE];
}

/* Host ports are a set: a port that two pods share disappears with the first of them and does not
 * return with it. So the set is saved. */
static bool save_ports(berth__dry_run *dry_run, uint32_t slot)
{
    const berth__port_set *set = ports_of(dry_run, slot);
    dry_run->port_count = set != NULL ? set->count : 0;
    if (!berth__grow(dry_run->allocator, &dry_run->ports, &dry_run->port_capacity,
                     dry_run->port_count, sizeof(*dry_run->ports)))
        return false;
    if (set != NULL && set->count > 0)
        memcpy(dry_run->ports, set->items, dry_run->port_count * sizeof(*set->items));
    return true;
}

static void restore_ports(const berth__dry_run *dry_run, uint32_t slot,
                          const berth__host_port *ports, uint32_t count)
{
    berth__port_set *set = ports_of(dry_run, slot);
    if (set == NULL)
        return;
    BERTH_ASSERT(set->capacity >= count);
    size_t bytes = count * sizeof(*set->items);
    /* If no pod came or went, the set may be shared, so it must not be written. */
    if (set->count == count && (bytes == 0 || memcmp(set->items, ports, bytes) == 0))
        return;
    if (count > 0)
        memcpy(set->items, ports, bytes);
    set->count = count;
}

/* Make a slot writable, with room for the ports of all its pods. */
static berth_status make_writable(const berth__dry_run *dry_run, uint32_t slot)
{
    berth__view *view = dry_run->decision.cycle->view;
    uint32_t ports = 0;
    BERTH_TRY(berth__view_make_writable(view, slot));
    if (ports_of(dry_run, slot) == NULL)
        return BERTH_OK;
    for (uint32_t index = berth__view_node(view, slot)->first_pod; index != BERTH_POD_INDEX_NONE;) {
        const berth__pod_record *pod = berth__pod_at(dry_run->pods, index);
        ports += pod->cls->ports != NULL ? pod->cls->ports->count : 0;
        index = pod->next;
    }
    return berth__view_reserve_ports(view, slot, ports) ? BERTH_OK : BERTH_E_NOMEM;
}

berth_status berth__dry_run_make_writable(const berth__dry_run *dry_run)
{
    return make_writable(dry_run, dry_run->slot);
}

/* The record of another slot, made at the first change. Once it has been NULL for lack of memory,
 * it stays NULL: nothing may be put on a slot from which nothing was taken. */
static berth__other_slot *other_slot(berth__dry_run *dry_run, uint32_t slot)
{
    berth__other_slot *other = dry_run->others;
    while (other != NULL && other->slot != slot)
        other = other->next;
    if (other != NULL || dry_run->others_full)
        return other;
    const berth__port_set *set = ports_of(dry_run, slot);
    const uint32_t count = set != NULL ? set->count : 0;
    other = berth__arena_alloc_zero(&dry_run->arena, sizeof(*other), _Alignof(berth__other_slot));
    berth__host_port *ports = berth__arena_alloc(&dry_run->arena, count * sizeof(*ports), 8);
    if (other == NULL || ports == NULL) {
        dry_run->others_full = true;
        return NULL;
    }
    if (count > 0)
        memcpy(ports, set->items, count * sizeof(*ports));
    *other = (berth__other_slot){.next = dry_run->others,
                                 .slot = slot,
                                 .port_count = count,
                                 .ports = ports,
                                 .writable = make_writable(dry_run, slot) == BERTH_OK};
    dry_run->others = other;
    return other;
}

berth_status berth__dry_run_begin(berth__dry_run *dry_run, uint32_t slot)
{
    BERTH_DASSERT(dry_run->slot == BERTH__SLOT_NONE);
    uint32_t tile = slot >> BERTH__TILE_SHIFT;
    if (!save_ports(dry_run, slot) || !collect_nominated(dry_run, slot))
        return BERTH_E_NOMEM;
    dry_run->slot = slot;
    dry_run->statics_pass =
        berth__bit_get(berth__prepared_mask(&dry_run->decision, tile)->words, slot % BERTH__TILE);
    dry_run->wide = dry_run->decision.cycle->view->wide;
    dry_run->balance = 0;
    dry_run->stale = dry_run->failed = false;
    dry_run->ok = true;
    berth__pod_counts_suppose(dry_run->decision.cycle->view, true);
    berth__arena_reset(&dry_run->arena);
    dry_run->others = NULL;
    dry_run->others_full = false;
    memcpy(dry_run->stages, dry_run->decision.prepared->filters,
           dry_run->decision.profile->filter_count * sizeof(*dry_run->stages));
    return BERTH_OK;
}

berth_status berth__dry_run_end(berth__dry_run *dry_run)
{
    BERTH_ASSERT(dry_run->balance == 0);
    restore_ports(dry_run, dry_run->slot, dry_run->ports, dry_run->port_count);
    for (const berth__other_slot *other = dry_run->others; other != NULL; other = other->next)
        restore_ports(dry_run, other->slot, other->ports, other->port_count);
    dry_run->others = NULL;
    berth__pod_counts_suppose(dry_run->decision.cycle->view, false);
    dry_run->ok &= !dry_run->decision.cycle->view->counts->lost;
    dry_run->decision.cycle->view->wide = dry_run->wide;
    dry_run->slot = BERTH__SLOT_NONE;
    return dry_run->ok ? BERTH_OK : BERTH_E_NOMEM;
}

/* ---- pods come and go ---- */

static void adjust(const berth__dry_run *dry_run, const berth__class *cls, uint32_t slot, int by)
{
    const berth__ready_profile *profile = dry_run->decision.profile;
    for (uint32_t i = 0; dry_run->adjusts && i < profile->filter_count; i++) {
        const berth__stage *stage = &profile->filters[i];
        if (stage->plugin->adjust != NULL && dry_run->stages[i].outcome == BERTH__ACTIVE)
            stage->plugin->adjust(dry_run->decision.cycle, stage->instance,
                                  dry_run->stages[i].state, cls, slot, by);
    }
}

static void note_change(berth__dry_run *dry_run, const berth__class *cls, uint32_t slot, int by)
{
    dry_run->balance += slot == dry_run->slot ? by : 0;
    dry_run->stale = true;
    adjust(dry_run, cls, slot, by);
}

/* False: memory ran out, and nothing has changed. */
static bool change(berth__dry_run *dry_run, const berth__class *cls, uint32_t slot, int by)
{
    if (berth__view_suppose(dry_run->decision.cycle->view, slot, cls, by) != BERTH_OK) {
        dry_run->ok = false;
        return false;
    }
    note_change(dry_run, cls, slot, by);
    return true;
}

static void put_back(berth__dry_run *dry_run, const berth__class *cls, uint32_t slot)
{
    berth__view_suppose_return(dry_run->decision.cycle->view, slot, cls);
    note_change(dry_run, cls, slot, 1);
}

/* Whether pods of the slot may come and go. */
static bool may_change(berth__dry_run *dry_run, uint32_t slot)
{
    if (slot == dry_run->slot)
        return true;
    const berth__other_slot *other = other_slot(dry_run, slot);
    const bool may = other != NULL && other->writable;
    dry_run->ok &= may;
    return may;
}

void berth__dry_run_take(berth__dry_run *dry_run, const berth__class *cls)
{
    (void)change(dry_run, cls, dry_run->slot, -1);
}

void berth__dry_run_put_back(berth__dry_run *dry_run, const berth__class *cls)
{
    put_back(dry_run, cls, dry_run->slot);
}

void berth__dry_run_take_from(berth__dry_run *dry_run, const berth__class *cls, uint32_t slot)
{
    if (may_change(dry_run, slot))
        (void)change(dry_run, cls, slot, -1);
}

void berth__dry_run_put_back_on(berth__dry_run *dry_run, const berth__class *cls, uint32_t slot)
{
    if (may_change(dry_run, slot))
        put_back(dry_run, cls, slot);
}

void berth__dry_run_put_nominated(berth__dry_run *dry_run)
{
    while (dry_run->nominated_in < dry_run->nominated_count &&
           change(dry_run, dry_run->nominated[dry_run->nominated_in], dry_run->slot, 1))
        dry_run->nominated_in++;
}

void berth__dry_run_take_nominated(berth__dry_run *dry_run)
{
    while (dry_run->nominated_in > 0)
        (void)change(dry_run, dry_run->nominated[--dry_run->nominated_in], dry_run->slot, -1);
}

/* ---- verdicts ---- */

static void renew(berth__dry_run *dry_run)
{
    const berth__ready_profile *profile = dry_run->decision.profile;
    for (uint32_t i = 0; i < profile->filter_count; i++)
        if (dry_run->decision.prepared->filters[i].outcome == BERTH__ACTIVE &&
            is_renewed(&profile->filters[i]) &&
            !berth__prepare_filter(dry_run->decision.cycle, &profile->filters[i], &dry_run->arena,
                                   &dry_run->stages[i]))
            dry_run->ok = false;
    dry_run->stale = false;
}

static bool filter_passes(const berth__dry_run *dry_run, uint32_t filter)
{
    const berth__stage *stage = &dry_run->decision.profile->filters[filter];
    const void *state = dry_run->stages[filter].state;
    if (stage->plugin->filter_slot != NULL)
        return stage->plugin->filter_slot(dry_run->decision.cycle, stage->instance, state,
                                          dry_run->slot);
    uint32_t at = dry_run->slot % BERTH__TILE;
    berth__mask alone = berth__mask_range(at, at + 1);
    stage->plugin->filter(dry_run->decision.cycle, stage->instance, state,
                          dry_run->slot >> BERTH__TILE_SHIFT, &alone);
    return !berth__mask_empty(&alone);
}

/* Whether a filter lets the slot pass. Its outcome may have changed when it was prepared again. */
static bool lets_pass(const berth__dry_run *dry_run, uint32_t filter)
{
    berth__outcome outcome = dry_run->stages[filter].outcome;
    if (filter < 64 && (dry_run->passed_over >> filter & 1) != 0)
        return true;
    return outcome == BERTH__SKIP || (outcome == BERTH__ACTIVE && filter_passes(dry_run, filter));
}

uint32_t berth__dry_run_refuser(berth__dry_run *dry_run, uint32_t from)
{
    uint32_t filter_count = dry_run->decision.profile->filter_count;
    if (dry_run->stale && dry_run->renews)
        renew(dry_run);
    if (dry_run->statics_pass) {
        for (uint32_t k = 0; k < dry_run->asked_count; k++)
            if (dry_run->asked[k] >= from && !lets_pass(dry_run, dry_run->asked[k]))
                return dry_run->asked[k];
        return filter_count;
    }
    for (uint32_t i = from; i < filter_count; i++)
        if (!lets_pass(dry_run, i))
            return i;
    return filter_count;
}

/* Rewrite an error as kube-scheduler's framework words it. */
static void name_error(const berth__stage *stage, berth__reasons *reasons)
{
    const size_t prefix = sizeof(BERTH__ERROR_PREFIX) - 1;
    const berth_str last = reasons->items[--reasons->count];
    berth__reason_error(reasons, "Filter", stage->name,
                        (berth_str){last.data + prefix, last.len - (uint32_t)prefix});
}

void berth__dry_run_explain(const berth__dry_run *dry_run, uint32_t filter, berth__reasons *reasons)
{
    const berth__stage *stage = &dry_run->decision.profile->filters[filter];
    const berth__prepared_stage *prepared = &dry_run->stages[filter];
    if (prepared->outcome == BERTH__ACTIVE) {
        stage->plugin->explain(dry_run->decision.cycle, stage->instance, prepared->state,
                               dry_run->slot, reasons);
        if (reasons->failed && reasons->ok && reasons->count > 0 &&
            dry_run->decision.profile->behaviours->error_texts_name_plugins)
            name_error(stage, reasons);
        return;
    }
    for (uint32_t i = 0; i < prepared->reasons.count; i++)
        berth__reason(reasons, prepared->reasons.code, "%.*s", (int)prepared->reasons.items[i].len,
                      prepared->reasons.items[i].data);
}

static bool passes_now(berth__dry_run *dry_run, berth__reasons *reasons)
{
    uint32_t refuser = berth__dry_run_refuser(dry_run, 0);
    if (refuser == dry_run->decision.profile->filter_count)
        return true;
    berth__reasons unheard = {.arena = &dry_run->arena, .ok = true};
    if (reasons == NULL)
        reasons = dry_run->stages[refuser].may_fail ? &unheard : NULL;
    if (reasons == NULL)
        return false;
    berth__dry_run_explain(dry_run, refuser, reasons);
    dry_run->failed = reasons->failed;
    dry_run->ok &= reasons->ok;
    return false;
}

bool berth__dry_run_passes(berth__dry_run *dry_run, berth__reasons *reasons)
{
    dry_run->failed = false;
    if (dry_run->nominated_count > 0) {
        berth__dry_run_put_nominated(dry_run);
        bool passes = passes_now(dry_run, reasons);
        berth__dry_run_take_nominated(dry_run);
        if (!passes)
            return false;
    }
    return passes_now(dry_run, reasons);
}

/* ---- kept nodes ---- */

static berth_code code_of(berth__dry_run *dry_run, uint32_t filter)
{
    uint32_t flags = dry_run->decision.profile->filters[filter].plugin->flags;
    if ((flags & BERTH__ALWAYS_UNSCHEDULABLE) != 0)
        return BERTH_CODE_UNSCHEDULABLE;
    if ((flags & BERTH__ALWAYS_UNRESOLVABLE) != 0)
        return BERTH_CODE_UNRESOLVABLE;
    berth__reasons reasons = {.arena = &dry_run->arena, .ok = true};
    berth__dry_run_explain(dry_run, filter, &reasons);
    dry_run->ok &= reasons.ok;
    return reasons.code;
}

/* Verdict with the nominated pods, then without them. */
static berth__kept_verdict ask_both(berth__dry_run *dry_run)
{
    for (int with_them = 1; with_them >= 0; with_them--) {
        if (with_them)
            berth__dry_run_put_nominated(dry_run);
        uint32_t refuser = berth__dry_run_refuser(dry_run, 0);
        bool passes = refuser == dry_run->decision.profile->filter_count;
        berth_code code = passes ? BERTH_CODE_UNSCHEDULABLE : code_of(dry_run, refuser);
        if (with_them)
            berth__dry_run_take_nominated(dry_run);
        if (!passes)
            return code == BERTH_CODE_UNRESOLVABLE ? BERTH__KEPT_UNRESOLVABLE
                                                   : BERTH__KEPT_UNSCHEDULABLE;
    }
    return BERTH__KEPT_PASSES;
}

berth_status berth__dry_run_ask_kept(berth__dry_run *dry_run, uint32_t slot,
                                     berth__kept_verdict *out)
{
    *out = BERTH__KEPT_PLAIN;
    if (berth__dry_run_concerns(dry_run, slot)) {
        BERTH_TRY(berth__dry_run_begin(dry_run, slot));
        *out = ask_both(dry_run);
        BERTH_TRY(berth__dry_run_end(dry_run));
    }
    if (berth__dry_run_remembers(dry_run, slot))
        dry_run->memo->kept[slot] = (uint8_t)*out;
    return BERTH_OK;
}
