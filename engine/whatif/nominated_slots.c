/* Follows the journal to know for which slots pods are nominated. */
#include "whatif/nominated_slots.h"

#include <string.h>

#include "base/bits.h"

void berth__nominated_slots_init(berth__nominated_slots *nominated)
{
    *nominated = (berth__nominated_slots){.epoch = BERTH__EPOCH_NONE};
}

void berth__nominated_slots_destroy(berth__nominated_slots *nominated,
                                    const berth_allocator *allocator)
{
    berth__free(allocator, nominated->slots, nominated->tile_capacity * sizeof(*nominated->slots));
    berth__free(allocator, nominated->tiles, nominated->word_capacity * sizeof(*nominated->tiles));
    berth__nominated_slots_init(nominated);
}

static void put(berth__nominated_slots *nominated, uint32_t slot, bool any)
{
    const uint32_t tile = slot / BERTH__TILE;
    berth__bit_put(nominated->slots[tile].words, slot % BERTH__TILE, any);
    berth__bit_put(nominated->tiles, tile, !berth__mask_empty(&nominated->slots[tile]));
}

static bool find_all(berth__nominated_slots *nominated, const berth__dry_run *dry_run,
                     const berth__view *view)
{
    const berth__keymap *map = &dry_run->nominations->by_pod;
    const uint32_t tiles = view->layout->tile_count, words = (tiles + 63) / 64;
    nominated->epoch = BERTH__EPOCH_NONE;
    if (!berth__grow(dry_run->allocator, &nominated->slots, &nominated->tile_capacity, tiles,
                     sizeof(*nominated->slots)) ||
        !berth__grow(dry_run->allocator, &nominated->tiles, &nominated->word_capacity, words,
                     sizeof(*nominated->tiles)))
        return false;
    memset(nominated->slots, 0, tiles * sizeof(*nominated->slots));
    memset(nominated->tiles, 0, words * sizeof(*nominated->tiles));
    for (uint32_t i = 0; i < map->bucket_count; i++)
        for (const berth__keymap_entry *entry = map->buckets[i]; entry != NULL;
             entry = entry->next) {
            const berth__nomination *one = (const berth__nomination *)entry;
            const berth__node_record *node = berth__node_at(&view->nodes, one->node);
            if (one->awake && node->facts != NULL && node->slot != BERTH__SLOT_NONE)
                put(nominated, node->slot, true);
        }
    nominated->epoch = view->layout->epoch;
    nominated->journal_seen = view->journal_end;
    return true;
}

berth_status berth__nominated_slots_follow(berth__nominated_slots *nominated,
                                           berth__dry_run *dry_run)
{
    const berth__view *view = dry_run->decision.cycle->view;
    nominated->dry_run = dry_run;
    nominated->failed = false;
    if (nominated->epoch != view->layout->epoch ||
        view->journal_end - nominated->journal_seen > BERTH__JOURNAL)
        return find_all(nominated, dry_run, view) ? BERTH_OK : BERTH_E_NOMEM;
    for (; nominated->journal_seen != view->journal_end; nominated->journal_seen++) {
        const uint32_t slot = view->journal[nominated->journal_seen % BERTH__JOURNAL];
        put(nominated, slot,
            berth__nominations_on(dry_run->nominations, view->layout->nodes[slot]) != NULL);
    }
    return BERTH_OK;
}

void berth__nominated_slots_keep(berth__nominated_slots *nominated, uint32_t tile,
                                 berth__mask *slots)
{
    berth__mask asked = *slots;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        asked.words[w] &= nominated->slots[tile].words[w];
    BERTH__MASK_EACH(&asked, s)
    {
        berth__kept_verdict kept;
        if (berth__dry_run_kept(nominated->dry_run, tile * BERTH__TILE + s, &kept) != BERTH_OK)
            nominated->failed = true;
        else if (kept != BERTH__KEPT_PLAIN && kept != BERTH__KEPT_PASSES)
            berth__bit_clear(slots->words, s);
    }
}
