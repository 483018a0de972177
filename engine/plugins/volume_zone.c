/* VolumeZone: the node must have the zone and region labels of a bound volume.
 * Source: kube-scheduler v1.32, plugins/volumezone. */
#include "base/bits.h"
#include "plugins/claim_lookup.h"
#include "plugins/registry.h"

/* The columns of node labels that a label of a volume refers to. Beta labels may also match under
 * their current names. */
typedef struct zone_rule {
    const berth__sym *column;
    const berth__sym *fallback; /* NULL: none */
    const berth__zone_set *zones;
    /* For a rule with one zone, by tile: the slots with that zone, those that lack the label, and
     * those with the zone under the fallback label. NULL: compare the columns. */
    const berth__mask *own, *lacking, *other;
} zone_rule;

typedef struct filter_state {
    const berth__sym *columns[BERTH__ZONE_LABELS];
    const berth__mask *none[BERTH__ZONE_LABELS]; /* slots without the label; NULL: compare */
    zone_rule *rules;
    uint32_t rule_count;
    const berth__reasons *refusal; /* the refusal of every node, if preFilter did not run */
} filter_state;

/* Whether a claim may be unbound; if not, adds a reason. */
static bool may_be_unbound(const berth__view *view, const berth__claim *claim,
                           berth__reasons *reasons)
{
    berth_str name = berth__text(view->model, claim->facts->class_name);
    if (claim->facts->class_name == 0) {
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "PersistentVolumeClaim had no pv name and storageClass name");
        return false;
    }
    const berth__storage_class_facts *class_facts = berth__claim_class(view, claim);
    if (class_facts == NULL)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "storageclass.storage.k8s.io \"%.*s\" not found", (int)name.len, name.data);
    else if (class_facts->mode == BERTH__BINDING_UNSET)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "VolumeBindingMode not set for StorageClass \"%.*s\"", (int)name.len,
                      name.data);
    else if (class_facts->mode != BERTH__BINDING_WAIT)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "PersistentVolume had no name");
    else
        return true;
    return false;
}

static berth__sym label_of(const berth__view *view, int label)
{
    const berth__sym keys[BERTH__ZONE_LABELS] = {
        [BERTH__ZONE_BETA] = view->model->known.zone_beta,
        [BERTH__REGION_BETA] = view->model->known.region_beta,
        [BERTH__ZONE] = view->model->known.zone,
        [BERTH__REGION] = view->model->known.region,
    };
    return keys[label];
}

/* Find masks in place of columns, for a rule about one zone. */
static void find_masks(berth__view *view, const filter_state *own, int label, int fallback,
                       zone_rule *rule)
{
    if (rule->zones->count != 1)
        return;
    const berth__sym zone = rule->zones->values[0];
    rule->own = berth__layout_value(view->layout, &view->nodes, label_of(view, label), zone);
    if (fallback < 0)
        return;
    rule->lacking = own->none[label];
    rule->other = berth__layout_value(view->layout, &view->nodes, label_of(view, fallback), zone);
    if (rule->lacking == NULL || rule->other == NULL)
        rule->own = NULL;
}

/* Find the columns, unless they are known. False: out of memory. */
static bool find_columns(berth__view *view, filter_state *own)
{
    for (int i = 0; i < BERTH__ZONE_LABELS; i++) {
        const berth__sym key = label_of(view, i);
        if (own->columns[i] != NULL)
            continue;
        own->columns[i] = berth__layout_column(view->layout, &view->nodes, key);
        own->none[i] = berth__layout_value(view->layout, &view->nodes, key, 0);
        if (own->columns[i] == NULL)
            return false;
    }
    return true;
}

/* Add a rule for each label of a volume. Columns are made for volumes with such labels alone,
 * because making one reads all nodes. False: out of memory. */
static bool add_rules(berth__view *view, const berth__pv_facts *volume, filter_state *own)
{
    static const int fallback[BERTH__ZONE_LABELS] = {
        [BERTH__ZONE_BETA] = BERTH__ZONE,
        [BERTH__REGION_BETA] = BERTH__REGION,
        [BERTH__ZONE] = -1,
        [BERTH__REGION] = -1,
    };
    for (int i = 0; i < BERTH__ZONE_LABELS; i++) {
        if (volume->zones[i].values == NULL)
            continue;
        if (!find_columns(view, own))
            return false;
        zone_rule *rule = &own->rules[own->rule_count++];
        *rule = (zone_rule){.column = own->columns[i],
                            .fallback = fallback[i] >= 0 ? own->columns[fallback[i]] : NULL,
                            .zones = &volume->zones[i]};
        find_masks(view, own, i, fallback[i], rule);
    }
    return true;
}

static berth__outcome find_rules(berth__prepare *prepare)
{
    berth__view *view = prepare->cycle->view;
    const berth__volume_list *list = prepare->cycle->cls->volumes;
    filter_state *own = prepare->state;
    prepare->stays = list == NULL;
    if (list == NULL)
        return BERTH__SKIP;
    own->rules = berth__arena_alloc(prepare->arena,
                                    list->count * BERTH__ZONE_LABELS * sizeof(*own->rules), 8);
    prepare->ok = own->rules != NULL;
    if (!prepare->ok)
        return BERTH__SKIP;
    BERTH__NAMED_CLAIM_VOLUMES(list, volume)
    {
        const berth__claim *claim =
            berth__claim_find_or_reason(view, list, volume, prepare->reasons);
        if (claim == NULL)
            return BERTH__REFUSE;
        if (claim->facts->volume_name == 0) {
            if (!may_be_unbound(view, claim, prepare->reasons))
                return BERTH__REFUSE;
            continue;
        }
        const berth__pv_facts *facts = berth__claim_volume(claim);
        if (facts == NULL) {
            berth_str name = berth__text(view->model, claim->facts->volume_name);
            berth__reason(prepare->reasons, BERTH_CODE_UNRESOLVABLE,
                          "persistentvolume \"%.*s\" not found", (int)name.len, name.data);
            return BERTH__REFUSE;
        }
        prepare->ok = add_rules(view, facts, own);
        if (!prepare->ok)
            return BERTH__SKIP;
    }
    return own->rule_count > 0 ? BERTH__ACTIVE : BERTH__SKIP;
}

static berth__outcome volume_zone_prepare(berth__prepare *prepare)
{
    filter_state *own = prepare->state;
    berth__outcome outcome = find_rules(prepare);
    if (!prepare->bare || outcome != BERTH__REFUSE)
        return outcome;
    own->refusal = prepare->reasons;
    return BERTH__ACTIVE;
}

/* Add the slots whose label is one of the rule's zones. */
static void add_meeting(const zone_rule *rule, const berth__kernels *kernels, uint32_t tile,
                        berth__mask *out)
{
    size_t first = (size_t)tile * BERTH__TILE;
    if (rule->own != NULL) {
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            out->words[w] |=
                rule->own[tile].words[w] |
                (rule->lacking != NULL ? rule->lacking[tile].words[w] & rule->other[tile].words[w]
                                       : 0);
        return;
    }
    berth__mask lacking = {{0}};
    if (rule->fallback != NULL)
        lacking = kernels->equal(rule->column + first, 0);
    for (uint32_t i = 0; i < rule->zones->count; i++) {
        berth__sym value = rule->zones->values[i];
        const berth__mask own = kernels->equal(rule->column + first, value);
        berth__mask other = {{0}};
        if (!berth__mask_empty(&lacking))
            other = kernels->equal(rule->fallback + first, value);
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            out->words[w] |= own.words[w] | (lacking.words[w] & other.words[w]);
    }
}

/* The slots without any zone or region label. */
static berth__mask unlabelled(const filter_state *own, const berth__kernels *kernels, uint32_t tile)
{
    berth__mask out = {{UINT64_MAX, UINT64_MAX}};
    for (uint32_t i = 0; i < BERTH__ZONE_LABELS && !berth__mask_empty(&out); i++) {
        const berth__mask none =
            own->none[i] != NULL ? own->none[i][tile]
                                 : kernels->equal(own->columns[i] + (size_t)tile * BERTH__TILE, 0);
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            out.words[w] &= none.words[w];
    }
    return out;
}

static void volume_zone_filter(const berth__question *cycle, const void *instance,
                               const void *opaque, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    const filter_state *own = opaque;
    const berth__kernels *kernels = cycle->view->kernels;
    if (own->refusal != NULL) {
        *mask = (berth__mask){{0}};
        return;
    }
    const berth__mask passing = unlabelled(own, kernels, tile);
    for (uint32_t i = 0; i < own->rule_count; i++) {
        berth__mask meeting = passing;
        add_meeting(&own->rules[i], kernels, tile, &meeting);
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            mask->words[w] &= meeting.words[w];
    }
}

static bool volume_zone_verdict_key(const berth__question *cycle, const void *instance,
                                    const void *opaque, berth__verdict_key *key)
{
    (void)cycle;
    (void)instance;
    const filter_state *own = opaque;
    bool known = own->refusal == NULL;
    for (uint32_t i = 0; i < own->rule_count && known; i++) {
        const zone_rule *rule = &own->rules[i];
        known = rule->own != NULL;
        berth__verdict_word(key, (uintptr_t)rule->own);
        berth__verdict_word(key, (uintptr_t)rule->lacking);
        berth__verdict_word(key, (uintptr_t)rule->other);
    }
    return known;
}

static void volume_zone_explain(const berth__question *cycle, const void *instance,
                                const void *state, uint32_t slot, berth__reasons *reasons)
{
    (void)cycle;
    (void)instance;
    (void)slot;
    const filter_state *own = state;
    if (own->refusal == NULL)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "node(s) had no available volume zone");
    for (uint32_t i = 0; own->refusal != NULL && i < own->refusal->count; i++)
        berth__reason(reasons, own->refusal->code, "%.*s", (int)own->refusal->items[i].len,
                      own->refusal->items[i].data);
}

/* Wake for claims only if they are the pod's own. */
static bool volume_zone_wakes(berth__wake *wake, const berth__waiter *waiter, const void *instance)
{
    (void)instance;
    return (wake->bits & BERTH_WAKE_CLAIM) == 0 || berth__wake_is_own_claim(wake, waiter);
}

const berth__plugin_ops berth__plugin_volume_zone = {
    .name = "VolumeZone",
    .flags = BERTH__PREPARE_EACH | BERTH__ALWAYS_UNRESOLVABLE | BERTH__FILTERS_LATE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_LABELS | BERTH_WAKE_CLAIM | BERTH_WAKE_VOLUME |
               BERTH_WAKE_STORAGE_CLASS,
    .wakes = volume_zone_wakes,
    .filter_state_bytes = sizeof(filter_state),
    .prepare_filter = volume_zone_prepare,
    .filter = volume_zone_filter,
    .verdict_key = volume_zone_verdict_key,
    .explain = volume_zone_explain,
    /* Pods on nodes do not matter. */
    .adjust = berth__plugin_adjust_nothing,
};
