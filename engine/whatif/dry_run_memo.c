/* Memos of the results of dry runs, by kind of pod and slot: found, emptied, brought up to date. */
#include "whatif/dry_run_memo.h"

#include <string.h>

#include "plugins/extended_resources.h"

/* Beyond this many bytes, memos are freed when another one is needed. */
static const size_t BYTES_MAX = (size_t)64 << 20;

void berth__dry_run_memos_init(berth__dry_run_memos *memos, const berth_allocator *allocator)
{
    *memos = (berth__dry_run_memos){.allocator = allocator};
}

static size_t memo_bytes(const berth__dry_run_memo *memo)
{
    return memo->slot_count * (sizeof(*memo->kept) + sizeof(*memo->candidates));
}

static void give_up(berth__dry_run_memos *memos, berth__dry_run_memo *memo)
{
    berth__free(memos->allocator, memo->kept, memo->slot_count * sizeof(*memo->kept));
    berth__free(memos->allocator, memo->candidates, memo->slot_count * sizeof(*memo->candidates));
    *memo = (berth__dry_run_memo){0};
}

void berth__dry_run_memos_destroy(berth__dry_run_memos *memos)
{
    for (uint32_t i = 0; memos->allocator != NULL && i < BERTH__MEMOS; i++)
        give_up(memos, &memos->items[i]);
    memos->allocator = NULL;
}

/* ---- one memo ---- */

static void forget_all(berth__dry_run_memo *memo, const berth__view *view)
{
    memset(memo->kept, 0, memo->slot_count * sizeof(*memo->kept));
    memset(memo->candidates, 0, memo->slot_count * sizeof(*memo->candidates));
    memo->epoch = view->layout->epoch;
    memo->journal_seen = view->journal_end;
    memo->lists_seen = view->lists_end;
}

static void forget(berth__dry_run_memo *memo, uint32_t slot)
{
    memo->kept[slot] = BERTH__KEPT_UNKNOWN;
    memo->candidates[slot].state = BERTH__TRIED_NOT;
}

/* Forget the results for slots that have changed. */
static void catch_up(berth__dry_run_memo *memo, const berth__view *view, uint64_t disruption_epoch)
{
    if (memo->epoch != view->layout->epoch || memo->disruption_epoch != disruption_epoch ||
        view->journal_end - memo->journal_seen > BERTH__JOURNAL ||
        view->lists_end - memo->lists_seen > BERTH__LIST_JOURNAL) {
        memo->disruption_epoch = disruption_epoch;
        forget_all(memo, view);
        return;
    }
    for (; memo->journal_seen < view->journal_end; memo->journal_seen++)
        forget(memo, view->journal[memo->journal_seen % BERTH__JOURNAL]);
    for (; memo->lists_seen < view->lists_end; memo->lists_seen++)
        forget(memo, view->journal[BERTH__JOURNAL + memo->lists_seen % BERTH__LIST_JOURNAL]);
}

static bool reserve(berth__dry_run_memos *memos, berth__dry_run_memo *memo, const berth__view *view)
{
    uint32_t slot_count = view->layout->tile_count * BERTH__TILE;
    if (memo->slot_count >= slot_count)
        return true;
    berth__memo_key key = memo->key;
    uint64_t used = memo->used;
    give_up(memos, memo);
    uint8_t *kept = berth__alloc(memos->allocator, slot_count * sizeof(*kept), 64);
    berth__candidate *candidates =
        berth__alloc(memos->allocator, slot_count * sizeof(*candidates), 64);
    if (kept == NULL || candidates == NULL) {
        berth__free(memos->allocator, kept, slot_count * sizeof(*kept));
        berth__free(memos->allocator, candidates, slot_count * sizeof(*candidates));
        return false;
    }
    *memo = (berth__dry_run_memo){
        .key = key, .used = used, .slot_count = slot_count, .kept = kept, .candidates = candidates};
    forget_all(memo, view);
    return true;
}

/* ---- all memos ---- */

static bool depends_on_slot_alone(const berth__decision *decision)
{
    const berth__ready_profile *profile = decision->profile;
    if (berth__asks_backed(decision->cycle->view, decision->cycle->cls))
        return false;
    for (uint32_t i = 0; i < profile->filter_count; i++) {
        const berth__plugin_ops *plugin = profile->filters[i].plugin;
        if (decision->prepared->filters[i].outcome == BERTH__ACTIVE &&
            (plugin->flags & BERTH__STATIC_FILTER) == 0 &&
            (plugin->filter_slot == NULL || (plugin->flags & BERTH__PREPARE_EACH) != 0))
            return false;
    }
    return true;
}

/* The memo with that key, or else the least recently used one, emptied. */
static berth__dry_run_memo *place_for(berth__dry_run_memos *memos, const berth__memo_key *key)
{
    berth__dry_run_memo *oldest = &memos->items[0];
    size_t bytes = 0;
    for (uint32_t i = 0; i < BERTH__MEMOS; i++) {
        berth__dry_run_memo *memo = &memos->items[i];
        if (memo->used != 0 && memcmp(&memo->key, key, sizeof(*key)) == 0)
            return memo;
        bytes += memo_bytes(memo);
        oldest = memo->used < oldest->used ? memo : oldest;
    }
    for (uint32_t i = 0; bytes > BYTES_MAX && i < BERTH__MEMOS; i++)
        give_up(memos, &memos->items[i]);
    oldest->key = *key;
    oldest->epoch = UINT64_MAX;
    return oldest;
}

berth__dry_run_memo *berth__dry_run_memo_get(berth__dry_run_memos *memos,
                                             const berth__decision *decision, int32_t priority,
                                             uint64_t disruption_epoch)
{
    const berth__view *view = decision->cycle->view;
    const berth__class *cls = decision->cycle->cls;
    if (!depends_on_slot_alone(decision) || decision->profile->behaviours->pod_groups)
        return NULL; /* a group that is evicted as a whole is on other nodes, too */
    const berth__memo_key key = {.request = cls->request->part.serial,
                                 .node_rules =
                                     cls->node_rules != NULL ? cls->node_rules->part.serial : 0,
                                 .ports = cls->ports != NULL ? cls->ports->part.serial : 0,
                                 .profile = (uint64_t)(uintptr_t)decision->profile,
                                 .priority = priority};
    berth__dry_run_memo *memo = place_for(memos, &key);
    memo->used = ++memos->clock;
    if (!reserve(memos, memo, view)) {
        give_up(memos, memo);
        return NULL;
    }
    catch_up(memo, view, disruption_epoch);
    return memo;
}
