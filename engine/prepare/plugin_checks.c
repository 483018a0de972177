/* Checks whether embedders' plugins keep the promises of their flags: compares kept answers with
 * fresh ones. */
#include "prepare/plugin_checks.h"

#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/limit.h"

/* The maximum number of kinds of pods to remember. */
enum { KINDS_MAX = BERTH__LIMIT(256, 4) };

/* A plugin's last answers: masks for a filter, values for a score. */
typedef struct kept_answers {
    bool filled;
    berth__mask *masks; /* by tile */
    int64_t *values;    /* by slot */
} kept_answers;

/* A kind of pods, as in berth__prepared_kind. */
typedef struct kept_kind {
    berth__used used;
    struct {
        uint64_t class_serial;
        uint64_t profile;
    } key;
    uint64_t epoch;
    uint64_t seen; /* journal entries applied */
    uint64_t names_epoch;
    berth__arena arena;
    kept_answers *filters, *scorers; /* by stage */
} kept_kind;

/* One run of the checks. */
typedef struct check {
    const berth__decision *decision;
    const berth__view *view;
    berth__arena *scratch;
    kept_kind *kind;
    berth__mask *present; /* by tile: slots of nodes that exist */
    berth__mask *changed; /* by tile: slots that changed */
    berth_error *error;
} check;

/* ---- life ---- */

berth_status berth__plugin_checks_create(const berth_allocator *allocator,
                                         berth__plugin_checks **out)
{
    berth__plugin_checks *checks = berth__alloc_zero(allocator, sizeof(*checks), 8);
    if (checks == NULL)
        return BERTH_E_NOMEM;
    checks->allocator = allocator;
    *out = checks;
    return berth__keymap_init(&checks->map, allocator);
}

static void drop_oldest(berth__plugin_checks *checks)
{
    kept_kind *kind = (kept_kind *)checks->order.oldest;
    berth__use_remove(&checks->order, &kind->used);
    berth__keymap_remove(&checks->map, &kind->used.entry);
    berth__arena_destroy(&kind->arena);
    berth__free(checks->allocator, kind, sizeof(*kind));
}

void berth__plugin_checks_destroy(berth__plugin_checks *checks)
{
    if (checks == NULL)
        return;
    while (checks->order.oldest != NULL)
        drop_oldest(checks);
    berth__keymap_destroy(&checks->map);
    berth__free(checks->allocator, checks, sizeof(*checks));
}

/* ---- kinds ---- */

static kept_kind *make_kind(berth__plugin_checks *checks, const berth__decision *decision)
{
    kept_kind *kind = berth__alloc_zero(checks->allocator, sizeof(*kind), _Alignof(kept_kind));
    if (kind == NULL)
        return NULL;
    kind->key.class_serial = decision->cycle->cls->serial;
    kind->key.profile = decision->profile_index;
    kind->used.entry.key = &kind->key;
    kind->used.entry.key_bytes = sizeof(kind->key);
    kind->epoch = UINT64_MAX;
    berth__arena_init(&kind->arena, checks->allocator);
    if (checks->map.count == KINDS_MAX)
        drop_oldest(checks);
    berth__keymap_add(&checks->map, &kind->used.entry);
    berth__use_add(&checks->order, &kind->used);
    return kind;
}

/* Nodes have changed, so earlier answers need not hold. */
static bool begin_epoch(kept_kind *kind, const berth__decision *decision)
{
    const berth__ready_profile *profile = decision->profile;
    const berth__view *view = decision->cycle->view;
    if (kind->epoch == view->layout->epoch && kind->names_epoch == view->names_epoch)
        return true;
    berth__arena_reset(&kind->arena);
    kind->epoch = UINT64_MAX;
    kind->filters =
        berth__arena_alloc_zero(&kind->arena, profile->filter_count * sizeof(*kind->filters), 8);
    kind->scorers =
        berth__arena_alloc_zero(&kind->arena, profile->scorer_count * sizeof(*kind->scorers), 8);
    if (kind->filters == NULL || kind->scorers == NULL)
        return false;
    kind->epoch = view->layout->epoch;
    kind->names_epoch = view->names_epoch;
    kind->seen = view->journal_end;
    return true;
}

static kept_kind *find_kind(berth__plugin_checks *checks, const berth__decision *decision)
{
    const uint64_t key[2] = {decision->cycle->cls->serial, decision->profile_index};
    berth__keymap_entry *found = berth__keymap_find(&checks->map, key, sizeof(key));
    kept_kind *kind = found != NULL ? (kept_kind *)found : make_kind(checks, decision);
    if (kind == NULL || !begin_epoch(kind, decision))
        return NULL;
    berth__use_again(&checks->order, &kind->used);
    return kind;
}

/* ---- slots ---- */

static bool list_slots(check *c)
{
    const berth__layout *layout = c->view->layout;
    size_t bytes = (size_t)layout->tile_count * sizeof(berth__mask);
    c->present = berth__arena_alloc_zero(c->scratch, bytes, 16);
    c->changed = berth__arena_alloc_zero(c->scratch, bytes, 16);
    if (c->present == NULL || c->changed == NULL)
        return false;
    for (uint32_t slot = 0; slot < layout->count; slot++)
        if (berth__view_node(c->view, slot)->facts != NULL)
            berth__bit_set(c->present[slot / BERTH__TILE].words, slot % BERTH__TILE);
    if (c->view->journal_end - c->kind->seen > BERTH__JOURNAL) {
        memset(c->changed, 0xff, bytes);
        return true;
    }
    for (uint64_t i = c->kind->seen; i != c->view->journal_end; i++) {
        uint32_t slot = c->view->journal[i % BERTH__JOURNAL];
        if (slot < layout->count)
            berth__bit_set(c->changed[slot / BERTH__TILE].words, slot % BERTH__TILE);
    }
    return true;
}

/* ---- one plugin ---- */

static bool is_static(const berth__stage *stage, bool filter)
{
    uint32_t flag = filter ? BERTH__STATIC_FILTER : BERTH__STATIC_SCORE;
    return (stage->plugin->flags & flag) != 0;
}

static bool is_local(const berth__stage *stage, bool filter)
{
    return filter ? stage->plugin->filter_slot != NULL : stage->plugin->score_slot != NULL;
}

static berth_status lied(const check *c, const berth__stage *stage, bool filter, uint32_t slot)
{
    const char *flag = is_static(stage, filter)  ? "BERTH_PLUGIN_STATIC"
                       : is_local(stage, filter) ? "BERTH_PLUGIN_NODE_LOCAL"
                                                 : "not BERTH_PLUGIN_EACH";
    const char *phase = filter ? "filter" : "score";
    if (slot == BERTH__SLOT_NONE)
        return berth__error_set(c->error, BERTH_E_INTERNAL,
                                "plugin %s is %s, but preparing its %s anew comes to something "
                                "else than what is kept",
                                stage->plugin->name, flag, phase);
    berth_str node = berth__text(c->view->model, berth__view_node(c->view, slot)->name);
    return berth__error_set(c->error, BERTH_E_INTERNAL,
                            "plugin %s is %s, but its %s now says something else about node "
                            "%.*s than what is kept",
                            stage->plugin->name, flag, phase, (int)node.len, node.data);
}

/* The plugin's answer for the nodes of a tile: a mask, or `values` if it scores. */
static berth__mask answer(const check *c, const berth__stage *stage, bool filter, const void *state,
                          uint32_t tile, int64_t *values)
{
    berth__mask mask = c->present[tile];
    if (filter)
        stage->plugin->filter(c->decision->cycle, stage->instance, state, tile, &mask);
    else
        stage->plugin->score(c->decision->cycle, stage->instance, state, tile, &mask, values);
    return mask;
}

/* The first slot of a tile whose answer changed but must not have; or BERTH__SLOT_NONE. */
static uint32_t find_change(const check *c, uint32_t tile, bool may_change, bool filter,
                            const berth__mask *then, const int64_t *values_then,
                            const berth__mask *now, const int64_t *values_now)
{
    BERTH__MASK_EACH(&c->present[tile], s)
    {
        if (may_change && berth__bit_get(c->changed[tile].words, s))
            continue;
        bool same = filter ? berth__bit_get(then->words, s) == berth__bit_get(now->words, s)
                           : values_then[s] == values_now[s];
        if (!same)
            return tile * BERTH__TILE + s;
    }
    return BERTH__SLOT_NONE;
}

/* Without either flag, every decision calls the plugin, but with a state that was prepared once:
 * compare this state with a fresh one. */
static berth_status check_state(const check *c, const berth__stage *stage, bool filter,
                                const void *kept, const void *fresh)
{
    for (uint32_t tile = 0; tile < c->view->layout->tile_count; tile++) {
        int64_t values[2][BERTH__TILE];
        berth__mask then = answer(c, stage, filter, kept, tile, values[0]);
        berth__mask now = answer(c, stage, filter, fresh, tile, values[1]);
        uint32_t slot = find_change(c, tile, false, filter, &then, values[0], &now, values[1]);
        if (slot != BERTH__SLOT_NONE)
            return lied(c, stage, filter, slot);
    }
    return BERTH_OK;
}

static bool make_answers(const check *c, kept_answers *kept, bool filter)
{
    size_t tiles = c->view->layout->tile_count;
    if (kept->masks == NULL)
        kept->masks = berth__arena_alloc_zero(&c->kind->arena, tiles * sizeof(berth__mask), 16);
    if (!filter && kept->values == NULL)
        kept->values = berth__arena_alloc_zero(&c->kind->arena,
                                               tiles * BERTH__TILE * sizeof(*kept->values), 64);
    return kept->masks != NULL && (filter || kept->values != NULL);
}

/* Compare before keeping: a wrong answer is reported until a node changes. */
static berth_status check_answers(const check *c, const berth__stage *stage, bool filter,
                                  kept_answers *kept, const void *state)
{
    uint32_t tiles = c->view->layout->tile_count;
    berth__mask *now = berth__arena_alloc(c->scratch, tiles * sizeof(*now), 16);
    size_t bytes = filter ? 0 : (size_t)tiles * BERTH__TILE * sizeof(int64_t);
    int64_t *values = berth__arena_alloc_zero(c->scratch, bytes, 64);
    if (now == NULL || values == NULL || !make_answers(c, kept, filter))
        return BERTH_E_NOMEM;
    bool may_change = !is_static(stage, filter);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        size_t at = filter ? 0 : (size_t)tile * BERTH__TILE;
        now[tile] = answer(c, stage, filter, state, tile, values + at);
        uint32_t slot =
            !kept->filled ? BERTH__SLOT_NONE
                          : find_change(c, tile, may_change, filter, &kept->masks[tile],
                                        filter ? NULL : kept->values + at, &now[tile], values + at);
        if (slot != BERTH__SLOT_NONE)
            return lied(c, stage, filter, slot);
    }
    memcpy(kept->masks, now, tiles * sizeof(*now));
    if (!filter)
        memcpy(kept->values, values, bytes);
    kept->filled = true;
    return BERTH_OK;
}

static berth_status check_stage(const check *c, const berth__stage *stage, bool filter,
                                const berth__prepared_stage *prepared, kept_answers *kept)
{
    const uint32_t flags = stage->plugin->flags;
    berth__prepared_stage fresh = {.outcome = BERTH__ACTIVE};
    if ((flags & BERTH__READS_CLASS) == 0 || (flags & BERTH__PREPARE_EACH) != 0)
        return BERTH_OK;
    if (filter ? !berth__prepare_filter(c->decision->cycle, stage, c->scratch, &fresh)
               : !berth__prepare_scorer(c->decision->cycle, stage, c->scratch, &fresh))
        return BERTH_E_NOMEM;
    if (fresh.outcome != prepared->outcome)
        return lied(c, stage, filter, BERTH__SLOT_NONE);
    if (fresh.outcome != BERTH__ACTIVE)
        return BERTH_OK;
    return is_static(stage, filter) || is_local(stage, filter)
               ? check_answers(c, stage, filter, kept, fresh.state)
               : check_state(c, stage, filter, prepared->state, fresh.state);
}

/* ---- all plugins ---- */

berth_status berth__plugin_checks_run(berth__plugin_checks *checks, const berth__decision *decision,
                                      berth__arena *scratch, berth_error *error)
{
    const berth__ready_profile *profile = decision->profile;
    check c = {.decision = decision,
               .view = decision->cycle->view,
               .scratch = scratch,
               .kind = find_kind(checks, decision),
               .error = error};
    if (c.kind == NULL || !list_slots(&c))
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < profile->filter_count; i++)
        BERTH_TRY(check_stage(&c, &profile->filters[i], true, &decision->prepared->filters[i],
                              &c.kind->filters[i]));
    for (uint32_t i = 0; i < profile->scorer_count; i++)
        BERTH_TRY(check_stage(&c, &profile->scorers[i], false, &decision->prepared->scorers[i],
                              &c.kind->scorers[i]));
    c.kind->seen = c.view->journal_end;
    return BERTH_OK;
}
