/* NoVolumeZoneConflict of v1.15: the zone and region of bound volumes, by beta labels only. A claim
 * that is missing, or not bound in time, is an error on nodes that have such labels.
 * Source: Kubernetes v1.15.3, algorithm/predicates/predicates.go, VolumeZoneChecker. */
#include "base/bits.h"
#include "legacy/legacy_registry.h"
#include "plugins/claim_lookup.h"

enum { LABELS = 2 };

/* The values that one label of a volume allows a node. */
typedef struct zone_rule {
    const berth__sym *column;
    const berth__zone_set *zones;
} zone_rule;

/* Volumes are checked in order, so an error occurs only after all rules before it. */
typedef struct filter_state {
    const berth__sym *columns[LABELS];
    zone_rule *rules;
    uint32_t rule_count;
    berth__reasons error; /* of the first volume with an error */
} filter_state;

static void add_rules(const berth__pv_facts *volume, filter_state *own)
{
    static const int labels[LABELS] = {BERTH__ZONE_BETA, BERTH__REGION_BETA};
    for (uint32_t i = 0; i < LABELS; i++)
        if (volume->zones[labels[i]].values != NULL)
            own->rules[own->rule_count++] = (zone_rule){own->columns[i], &volume->zones[labels[i]]};
}

static void note_error(filter_state *own, const berth__model *model, const char *what,
                       const char *mark, berth__sym name)
{
    berth_str text = berth__text(model, name);
    berth__reason(&own->error, BERTH_CODE_UNRESOLVABLE, BERTH__ERROR_PREFIX "%s%s%.*s%s", what,
                  mark, (int)text.len, text.len > 0 ? text.data : "", mark);
}

/* Whether a claim may be unbound: only if its class waits for the first consumer. */
static bool may_be_unbound(const berth__view *view, const berth__claim *claim, filter_state *own)
{
    const berth__storage_class_facts *facts = berth__claim_class(view, claim);
    if (facts != NULL && facts->mode == BERTH__BINDING_WAIT)
        return true;
    if (facts != NULL && facts->mode == BERTH__BINDING_UNSET)
        note_error(own, view->model, "VolumeBindingMode not set for StorageClass ", "\"",
                   claim->facts->class_name);
    else
        note_error(own, view->model, "PersistentVolumeClaim was not found: ", "\"",
                   claim->record.key.name);
    return false;
}

/* Add the rules of one claim; returns false if an error ends the walk. */
static bool add_claim(const berth__view *view, const berth__volume_list *list,
                      const berth__pod_volume *volume, filter_state *own)
{
    const berth__claim *claim = berth__claim_find(view, list, volume);
    if (claim == NULL) {
        berth_str space = berth__text(view->model, list->namespace_name);
        berth_str name = berth__text(view->model, volume->handle);
        berth__reason(&own->error, BERTH_CODE_UNRESOLVABLE,
                      BERTH__ERROR_PREFIX "Unable to find persistent volume claim: %.*s/%.*s",
                      (int)space.len, space.data, (int)name.len, name.len > 0 ? name.data : "");
        return false;
    }
    if (claim->facts->volume_name == 0)
        return may_be_unbound(view, claim, own);
    const berth__pv_facts *facts = berth__claim_volume(claim);
    if (facts == NULL) {
        note_error(own, view->model, "Unable to find persistent volume: ", "",
                   claim->facts->volume_name);
        return false;
    }
    add_rules(facts, own);
    return true;
}

static berth__outcome legacy_volume_zone_prepare(berth__prepare *prepare)
{
    berth__view *view = prepare->cycle->view;
    const berth__volume_list *list = prepare->cycle->cls->volumes;
    const berth__sym keys[LABELS] = {view->model->known.zone_beta, view->model->known.region_beta};
    filter_state *own = prepare->state;
    if (list == NULL)
        return BERTH__SKIP;
    own->error = (berth__reasons){.arena = prepare->arena, .ok = true};
    own->rules =
        berth__arena_alloc(prepare->arena, (size_t)list->count * LABELS * sizeof(*own->rules), 8);
    prepare->ok = own->rules != NULL;
    for (uint32_t i = 0; i < LABELS && prepare->ok; i++) {
        own->columns[i] = berth__layout_column(view->layout, &view->nodes, keys[i]);
        prepare->ok = own->columns[i] != NULL;
    }
    for (uint32_t i = 0; i < list->count && prepare->ok; i++)
        if (list->items[i].kind == BERTH_VOLUME_CLAIM &&
            !add_claim(view, list, &list->items[i], own))
            break;
    prepare->ok &= own->error.ok;
    prepare->may_fail = own->error.count > 0;
    return own->rule_count > 0 || prepare->may_fail ? BERTH__ACTIVE : BERTH__SKIP;
}

/* Whether a node meets a rule. A node without the label has "", which is in no set. */
static bool meets(const zone_rule *rule, uint32_t slot)
{
    for (uint32_t i = 0; i < rule->zones->count; i++)
        if (rule->zones->values[i] == rule->column[slot])
            return true;
    return false;
}

static bool conflicts(const filter_state *own, uint32_t slot)
{
    for (uint32_t i = 0; i < own->rule_count; i++)
        if (!meets(&own->rules[i], slot))
            return true;
    return false;
}

static void legacy_volume_zone_filter(const berth__question *cycle, const void *instance,
                                      const void *opaque, uint32_t tile, berth__mask *mask)
{
    (void)cycle;
    (void)instance;
    const filter_state *own = opaque;
    BERTH__MASK_EACH(mask, s)
    {
        uint32_t slot = tile * BERTH__TILE + s;
        if ((own->columns[0][slot] | own->columns[1][slot]) != 0 &&
            (own->error.count > 0 || conflicts(own, slot)))
            berth__bit_clear(mask->words, s);
    }
}

static void legacy_volume_zone_explain(const berth__question *cycle, const void *instance,
                                       const void *opaque, uint32_t slot, berth__reasons *reasons)
{
    (void)cycle;
    (void)instance;
    const filter_state *own = opaque;
    if (conflicts(own, slot)) {
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "node(s) had no available volume zone");
        return;
    }
    berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "%.*s", (int)own->error.items[0].len,
                  own->error.items[0].data);
    reasons->failed = true;
}

const berth__plugin_ops berth__plugin_no_volume_zone_conflict = {
    .name = "NoVolumeZoneConflict",
    .flags = BERTH__PREPARE_EACH | BERTH__ALWAYS_UNRESOLVABLE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_LABELS | BERTH__WAKE_STORAGE,
    .filter_state_bytes = sizeof(filter_state),
    .prepare_filter = legacy_volume_zone_prepare,
    .filter = legacy_volume_zone_filter,
    .explain = legacy_volume_zone_explain,
    /* The state points into the view, and other pods do not matter. */
    .adjust = berth__plugin_adjust_nothing,
};
