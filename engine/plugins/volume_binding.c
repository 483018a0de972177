/* VolumeBinding: every claim of the pod is bound to a volume that reaches the node, or finds such a
 * volume, or one can be provisioned. Since v1.37 it scores nodes by how much of the available
 * capacity its volumes use, by default preferring low use.
 * Source: kube-scheduler v1.32 and v1.37, plugins/volumebinding. */
#include <math.h>

#include "base/error.h"
#include "plugins/registry.h"
#include "plugins/resource_score.h"
#include "plugins/same_shelves.h"
#include "plugins/volume_binder.h"

/* ---- configuration ---- */

typedef struct volume_shape {
    const berth_shape_point *shape; /* scores times 10 */
    uint32_t shape_count;
} volume_shape;

static berth_status volume_binding_configure(berth__model *model, berth__arena *arena,
                                             const berth_plugin_args *args, void *opaque,
                                             berth_error *error)
{
    static const berth_shape_point prefers_empty[] = {{0, 100}, {100, 0}};
    volume_shape *own = opaque;
    *own = (volume_shape){prefers_empty, sizeof(prefers_empty) / sizeof(prefers_empty[0])};
    if (args == NULL || args->fit.shape_count == 0)
        return BERTH_OK;
    if (!model->behaviours.volume_capacity_scores)
        return berth__error_set(error, BERTH_E_INVALID,
                                "VolumeBinding: shape needs the feature gate "
                                "StorageCapacityScoring, which is off");
    own->shape_count = args->fit.shape_count;
    berth_shape_point *shape = berth__arena_alloc(arena, own->shape_count * sizeof(*shape), 8);
    own->shape = shape;
    if (shape == NULL)
        return berth__error_no_memory(error);
    for (uint32_t i = 0; i < own->shape_count; i++)
        shape[i] =
            (berth_shape_point){args->fit.shape[i].utilization, args->fit.shape[i].score * 10};
    return BERTH_OK;
}

/* ---- checks before any node ---- */

/* Refuse a pod with a claim that is missing, lost, being deleted, or owned by another pod. */
static berth__outcome check_claim(const berth__view *view, const berth__volume_list *list,
                                  const berth__pod_volume *volume, berth__reasons *reasons)
{
    berth_str name = berth__text(view->model, volume->handle);
    const berth__claim *claim = berth__claim_find(view, list, volume);
    bool ephemeral = volume->kind == BERTH_VOLUME_EPHEMERAL;
    if (claim == NULL && !ephemeral) {
        berth__reason_no_claim(reasons, view, volume);
    } else if (claim == NULL) {
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "waiting for ephemeral volume controller to create the "
                      "persistentvolumeclaim \"%.*s\"",
                      (int)name.len, name.data);
    } else if (claim->facts->lost) {
        berth_str volume_name = berth__text(view->model, claim->facts->volume_name);
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "persistentvolumeclaim \"%.*s\" bound to non-existent persistentvolume "
                      "\"%.*s\"",
                      (int)name.len, name.data, (int)volume_name.len,
                      volume_name.len > 0 ? volume_name.data : "");
    } else if (claim->facts->deleting) {
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "persistentvolumeclaim \"%.*s\" is being deleted", (int)name.len, name.data);
    } else if (ephemeral && !berth__claim_is_owned(claim, list)) {
        berth__reason_not_owned(reasons, view, list, volume, "");
    } else {
        return BERTH__ACTIVE;
    }
    return BERTH__REFUSE;
}

/* Whether all claims are bound or may be bound by the scheduler. */
static berth__outcome check_states(const berth__view *view, const berth__volume_list *list,
                                   berth__reasons *reasons)
{
    bool immediate = false;
    BERTH__CLAIM_VOLUMES(list, volume)
    {
        const berth__claim *claim = berth__claim_find(view, list, volume);
        berth__claim_state state = berth__claim_state_of(view, claim);
        if (state == BERTH__CLAIM_UNDEFINED) {
            berth_str name = berth__text(view->model, claim->facts->class_name);
            berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                          "VolumeBindingMode not set for StorageClass \"%.*s\"", (int)name.len,
                          name.data);
            return BERTH__FAIL;
        }
        immediate |= state == BERTH__CLAIM_IMMEDIATE;
    }
    if (!immediate)
        return BERTH__ACTIVE;
    berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                  "pod has unbound immediate PersistentVolumeClaims");
    return BERTH__REFUSE;
}

static berth__outcome make_binder(berth__view *view, const berth__volume_list *list,
                                  berth__arena *arena, berth__reasons *reasons,
                                  berth__binder *binder, bool *ok)
{
    bool any = false;
    if (list == NULL)
        return BERTH__SKIP;
    BERTH__CLAIM_VOLUMES(list, volume)
    {
        any = true;
        berth__outcome outcome = check_claim(view, list, volume, reasons);
        if (outcome != BERTH__ACTIVE)
            return outcome;
    }
    berth__outcome outcome = any ? check_states(view, list, reasons) : BERTH__SKIP;
    if (outcome != BERTH__ACTIVE)
        return outcome;
    if (berth__volume_binder_make(view, arena, list, binder, ok))
        return BERTH__ACTIVE;
    berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                  "a pod with more than %d unbound claims can't be decided",
                  (int)BERTH__UNBOUND_CLAIMS_MAX);
    return BERTH__FAIL;
}

static berth__outcome volume_binding_prepare(berth__prepare *prepare)
{
    berth__view *view = prepare->cycle->view;
    const berth__volume_list *list = prepare->cycle->cls->volumes;
    berth__binder *binder = prepare->state;
    prepare->stays = list == NULL;
    berth__outcome outcome =
        make_binder(view, list, prepare->arena, prepare->reasons, binder, &prepare->ok);
    prepare->may_fail = binder->problem.len > 0 || binder->untranslated;
    if (outcome == BERTH__ACTIVE && prepare->ok)
        prepare->ok = berth__volumes_refresh(view);
    return outcome;
}

/* ---- score ---- */

/* The requests of a pod's claims of one storage class, and the capacity for them. */
typedef struct class_use {
    berth__sym class_name;
    int64_t requested, capacity;
} class_use;

/* Until v1.36 preScore skips the plugin, and without preScore every node scores 0. The same holds
 * if there is no volume to find. */
static berth__outcome volume_binding_prepare_score(berth__prepare *prepare)
{
    berth__view *view = prepare->cycle->view;
    const berth__volume_list *list = prepare->cycle->cls->volumes;
    berth__binder *binder = prepare->state;
    prepare->uniform = 0;
    if (!view->model->behaviours.volume_capacity_scores)
        return BERTH__UNIFORM;
    prepare->stays = list == NULL;
    if (list == NULL || make_binder(view, list, prepare->arena, prepare->reasons, binder,
                                    &prepare->ok) != BERTH__ACTIVE)
        return BERTH__UNIFORM;
    return berth__volume_binder_compares(binder) ? BERTH__ACTIVE : BERTH__UNIFORM;
}

static int64_t whole_units(__int128 nanos)
{
    const __int128 unit = 1000000000;
    return (int64_t)((nanos + unit - 1) / unit);
}

static class_use *use_of(class_use *uses, uint32_t *count, berth__sym class_name)
{
    uint32_t i = 0;
    while (i < *count && uses[i].class_name != class_name)
        i++;
    if (i == *count)
        uses[(*count)++] = (class_use){.class_name = class_name};
    return &uses[i];
}

/* Add a chosen volume. Usually its item says enough, and the volume itself is not read. */
static void add_volume(const berth__volume_choice *choice, const berth__shelf_item *item,
                       class_use *uses, uint32_t *count)
{
    const bool told = item != NULL && (item->traits & BERTH__ITEM_TELLS) != 0;
    class_use *use =
        use_of(uses, count,
               told ? choice->claim->facts->class_name : choice->volume->facts->specified_class);
    use->requested += whole_units(choice->claim->facts->request);
    use->capacity += whole_units(told ? item->amount : choice->volume->facts->capacity);
}

static int64_t room_of(const berth__shelf_item *item)
{
    const berth__capacity *capacity = item->object;
    return item->traits & BERTH__ITEM_TELLS ? (int64_t)item->amount : capacity->facts->capacity;
}

/* Sum by spec.storageClassName, ignoring the annotation: the volumes that were found or, if there
 * are none, the capacities of drivers. */
static uint32_t uses_of(const berth__open_binding *binding, class_use *uses)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < binding->choice_count; i++) {
        const berth__volume_choice *choice = &binding->choices[i];
        if (choice->volume != NULL)
            add_volume(choice, binding->found[i], uses, &count);
    }
    for (uint32_t i = 0, found = count; i < binding->choice_count && found == 0; i++) {
        if (binding->found[i] == NULL)
            continue;
        class_use *use = use_of(uses, &count, binding->choices[i].claim->facts->specified_class);
        use->requested += whole_units(binding->choices[i].claim->facts->request);
        use->capacity = room_of(binding->found[i]); /* shared by all claims of the class */
    }
    return count;
}

static int64_t score_of(const volume_shape *own, const class_use *use)
{
    int64_t utilization = 100;
    if (use->capacity != 0 && use->requested <= use->capacity)
        utilization = (int64_t)((uint64_t)use->requested * 100) / use->capacity;
    return berth__shape_at(own->shape, own->shape_count, utilization);
}

static int64_t slot_value(const berth__view *view, const volume_shape *own,
                          const berth__binder *binder, uint32_t slot)
{
    berth__open_binding binding;
    class_use uses[BERTH__UNBOUND_CLAIMS_MAX];
    int64_t sum = 0;
    berth__volume_binder_bind(view, binder, slot, &binding);
    const uint32_t count = berth__binding_fits(&binding) ? uses_of(&binding, uses) : 0;
    for (uint32_t i = 0; i < count; i++)
        sum += score_of(own, &uses[i]);
    return count > 0 ? (int64_t)round((double)sum / (double)count) : 0;
}

static void volume_binding_score(const berth__question *cycle, const void *instance,
                                 const void *state, uint32_t tile, const berth__mask *mask,
                                 int64_t *out)
{
    berth__same_shelves same;
    berth__same_shelves_begin(&same, state);
    BERTH__MASK_EACH(mask, s)
    {
        bool known;
        int64_t *value = berth__same_shelves_result(&same, tile * BERTH__TILE + s, &known);
        if (!known)
            *value = slot_value(cycle->view, instance, state, tile * BERTH__TILE + s);
        out[s] = *value;
    }
}

static bool volume_binding_value_key(const berth__question *cycle, const void *instance,
                                     const void *state, berth__verdict_key *key)
{
    (void)cycle;
    (void)instance; /* identified by the profile */
    return berth__volume_binder_key(state, key);
}

/* ---- filter ---- */

static void volume_binding_filter(const berth__question *cycle, const void *instance,
                                  const void *state, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    berth__volume_binder_filter(cycle->view, state, tile, mask);
}

static bool volume_binding_verdict_key(const berth__question *cycle, const void *instance,
                                       const void *state, berth__verdict_key *key)
{
    (void)cycle;
    (void)instance;
    return berth__volume_binder_key(state, key);
}

static void volume_binding_explain(const berth__question *cycle, const void *instance,
                                   const void *state, uint32_t slot, berth__reasons *reasons)
{
    (void)instance;
    berth__open_binding binding;
    const berth__binder *binder = state;
    berth__volume_binder_bind(cycle->view, binder, slot, &binding);
    const char *conflict = cycle->view->model->behaviours.volume_texts_new
                               ? "node(s) didn't match PersistentVolume's node affinity"
                               : "node(s) had volume node affinity conflict";
    if (!berth__volume_binder_explain(binder, &binding, conflict, reasons))
        return;
    if (binding.no_space)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "node(s) did not have enough free storage");
    if (binding.volume_missing)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
}

/* ---- reserve ---- */

static berth_status choose_and_reserve(const berth__question *cycle,
                                       const berth__pod_placement *placement)
{
    berth__view *view = cycle->view;
    berth__arena *arena = &view->model->scratch;
    berth__arena_reset(arena);
    berth__reasons reasons = {.arena = arena, .ok = true};
    berth__binder binder = {0};
    bool ok = true;
    berth__outcome outcome = make_binder(view, cycle->cls->volumes, arena, &reasons, &binder, &ok);
    if (!ok || !reasons.ok)
        return BERTH_E_NOMEM;
    if (outcome != BERTH__ACTIVE)
        return BERTH_OK;
    return berth__volume_binder_reserve(view, &binder, cycle->pod, placement->slot);
}

static berth_status volume_binding_reserve(const berth__question *cycle, const void *instance,
                                           const berth__pod_placement *placement)
{
    (void)instance;
    return berth__volume_binder_reserve_locked(cycle, placement, choose_and_reserve);
}

/* Wake for a pod that leaves its node only if it has volumes: it may free some that were
 * reserved. */
static bool volume_binding_wakes(berth__wake *wake, const berth__waiter *waiter,
                                 const void *instance)
{
    (void)waiter;
    (void)instance;
    return (wake->bits & BERTH_WAKE_POD_REMOVE) == 0 || wake->before->volumes != NULL;
}

const berth__plugin_ops berth__plugin_volume_binding = {
    .name = "VolumeBinding",
    .flags = BERTH__PREPARE_EACH | BERTH__ALWAYS_UNRESOLVABLE | BERTH__FILTERS_LATE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_LABELS | BERTH_WAKE_POD_REMOVE |
               (BERTH__WAKE_STORAGE & ~BERTH_WAKE_ATTACHMENT),
    .wakes = volume_binding_wakes,
    .instance_bytes = sizeof(volume_shape),
    .configure = volume_binding_configure,
    .filter_misses = "not found",
    .filter_state_bytes = sizeof(berth__binder),
    .prepare_filter = volume_binding_prepare,
    .filter = volume_binding_filter,
    .verdict_key = volume_binding_verdict_key,
    .explain = volume_binding_explain,
    /* The state points into the view, so it needs no adjusting. */
    .adjust = berth__plugin_adjust_nothing,
    .score_state_bytes = sizeof(berth__binder),
    .prepare_score = volume_binding_prepare_score,
    .score = volume_binding_score,
    .value_key = volume_binding_value_key,
    .reserve = volume_binding_reserve,
    .unreserve = berth__volume_binder_unreserve,
};
