/* The sets of nodes on which topology spread constraints count pods, computed a tile at a time.
 * Source: kube-scheduler v1.32, plugins/podtopologyspread/common.go. */
#include "plugins/node_inclusion.h"

#include "base/sort.h"
#include "columns/facts_news.h"
#include "plugins/node_match.h"

/* ---- taints ---- */

/* A bitset of the taint lists that keep the pod away; NULL when out of memory. */
static uint64_t *refused_lists(const berth__view *view, const berth__node_rules *rules,
                               berth__arena *arena, bool *any)
{
    const berth__model *model = view->model;
    const berth__layout *layout = view->layout;
    uint32_t list_count = layout->taint_end;
    uint64_t *refused = berth__arena_alloc_zero(arena, ((size_t)list_count + 63) / 64 * 8, 8);
    for (uint32_t id = 0; refused != NULL && id < list_count; id++) {
        bool refuses =
            berth__layout_has_taints(layout, id) &&
            berth__node_rules_refused_by(model, rules, berth__taints_at(model, id)) != NULL;
        berth__bit_put(refused, id, refuses);
        *any |= refuses;
    }
    return refused;
}

/* ---- filling ---- */

/* What decides the content of a set. */
typedef struct set_recipe {
    berth__topology **topologies;
    uint32_t topology_count;
    bool by_affinity;
    berth__node_match match;
    const uint64_t *refused; /* NULL: taints do not matter */
} set_recipe;

static berth__mask included(const berth__view *view, const set_recipe *recipe, uint32_t tile)
{
    uint32_t first = tile * BERTH__TILE, count = view->layout->count - first;
    berth__mask mask = berth__mask_range(0, count < BERTH__TILE ? count : BERTH__TILE);
    for (uint32_t i = 0; i < recipe->topology_count; i++)
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            mask.words[w] &= recipe->topologies[i]->present[tile * BERTH__TILE_WORDS + w];
    if (recipe->by_affinity)
        berth__node_match_tile(view, &recipe->match, tile, &mask);
    if (recipe->refused == NULL)
        return mask;
    const berth__mask before = mask;
    BERTH__MASK_EACH(&before, s)
    {
        if (berth__bit_get(recipe->refused, view->layout->taints[first + s]))
            berth__bit_clear(mask.words, s);
    }
    return mask;
}

static void fill(const berth__view *view, const set_recipe *recipe, berth__inclusion *out)
{
    uint32_t count = 0;
    for (uint32_t tile = 0; tile < view->layout->tile_count; tile++) {
        berth__mask mask = included(view, recipe, tile);
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            out->slots[tile * BERTH__TILE_WORDS + w] = mask.words[w];
        count += berth__mask_count(&mask);
    }
    out->all = count == view->layout->count;
    out->epoch = out->since = berth__inclusion_epoch(view->layout, out);
}

/* Whether the tiles of all slots with other facts are known to be as before. */
static bool follow_facts(const berth__view *view, const set_recipe *recipe,
                         const berth__inclusion *set)
{
    const berth__layout *layout = view->layout;
    berth__facts_news news;
    if (set->epoch == BERTH__EPOCH_NONE ||
        !berth__facts_news_since(layout, set->by_taints ? BERTH__ON_RULES : BERTH__ON_LABELS,
                                 set->epoch, &news))
        return false;
    for (const berth__facts_note *note;
         (note = berth__facts_news_next(layout, &news, BERTH__FACTS_ANY)) != NULL;) {
        const uint32_t tile = note->slot / BERTH__TILE;
        const berth__mask mask = included(view, recipe, tile);
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            if (set->slots[tile * BERTH__TILE_WORDS + w] != mask.words[w])
                return false;
    }
    return true;
}

/* ---- finding ---- */

static uint32_t put_serial(uint32_t *words, uint32_t at, uint64_t serial)
{
    words[at] = (uint32_t)serial;
    words[at + 1] = (uint32_t)(serial >> 32);
    return at + 2;
}

/* Write the words that identify the set: sorted keys, then the parts of the pod that matter.
 * `sorted` has room for the keys. */
static uint32_t describe(const set_recipe *recipe, const berth__node_rules *rules, uint64_t *sorted,
                         uint32_t *words)
{
    uint32_t count = 0;
    for (; count < recipe->topology_count; count++)
        sorted[count] = recipe->topologies[count]->key;
    berth__sort_words(sorted, count);
    for (uint32_t i = 0; i < count; i++)
        words[i] = (uint32_t)sorted[i];
    uint64_t serial = rules != NULL ? rules->part.serial : 0;
    count = put_serial(words, count, recipe->by_affinity ? serial : 0);
    words[count++] = recipe->refused != NULL;
    return put_serial(words, count, recipe->refused != NULL ? serial : 0);
}

/* Find the topologies of the keys, leaving out keys that every node has. */
static bool find_topologies(berth__view *view, const berth__inclusion_rule *rule, set_recipe *out)
{
    for (uint32_t i = 0; i < rule->key_count; i++) {
        berth__topology *topology = berth__pod_counts_topology(view, rule->keys[i]);
        if (topology == NULL)
            return false;
        if (topology->present_count == view->layout->count)
            berth__pod_counts_release_topology(view->counts, topology);
        else
            out->topologies[out->topology_count++] = topology;
    }
    return true;
}

static bool find_set(berth__view *view, const berth__node_rules *rules, berth__arena *arena,
                     set_recipe *recipe, uint32_t *words, berth__inclusion **out)
{
    *out = NULL;
    if (recipe->topology_count == 0 && !recipe->by_affinity && recipe->refused == NULL)
        return true;
    uint64_t *sorted = berth__arena_alloc(arena, recipe->topology_count * sizeof(*sorted), 8);
    if (sorted == NULL)
        return false;
    berth__inclusion *set =
        berth__pod_counts_inclusion(view, words, describe(recipe, rules, sorted, words));
    if (set == NULL)
        return false;
    bool ok = true;
    set->by_taints = recipe->refused != NULL;
    if (set->epoch != berth__inclusion_epoch(view->layout, set)) {
        if (recipe->by_affinity) {
            BERTH_ASSERT(rules != NULL);
            ok = berth__node_match_make(view, arena, rules->selector,
                                        rules->has_required ? &rules->required : NULL,
                                        &recipe->match);
        }
        if (ok && follow_facts(view, recipe, set))
            set->epoch = berth__inclusion_epoch(view->layout, set);
        else if (ok)
            fill(view, recipe, set);
    }
    if (ok && !set->all)
        *out = set;
    else if (ok)
        berth__pod_counts_release_full(view->counts, set);
    else
        berth__pod_counts_release_inclusion(view->counts, set);
    return ok;
}

bool berth__node_inclusion(berth__view *view, const berth__class *cls, berth__arena *arena,
                           const berth__inclusion_rule *rule, berth__inclusion **out)
{
    const berth__node_rules *rules = cls->node_rules;
    set_recipe recipe = {.by_affinity = rule->honor_affinity && rules != NULL &&
                                        (rules->has_selector || rules->has_required)};
    recipe.topologies = berth__arena_alloc(arena, rule->key_count * sizeof(*recipe.topologies), 8);
    uint32_t *words = berth__arena_alloc(arena, (rule->key_count + 5) * sizeof(*words), 8);
    bool ok = recipe.topologies != NULL && words != NULL, any = false;
    if (ok && rule->honor_taints) {
        recipe.refused = refused_lists(view, rules, arena, &any);
        ok = recipe.refused != NULL;
        if (!any)
            recipe.refused = NULL;
    }
    ok = ok && find_topologies(view, rule, &recipe) &&
         find_set(view, rules, arena, &recipe, words, out);
    for (uint32_t i = 0; i < recipe.topology_count; i++)
        berth__pod_counts_release_topology(view->counts, recipe.topologies[i]);
    return ok;
}
