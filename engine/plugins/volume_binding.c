/* VolumeBinding: every claim of the pod has, finds or will get a volume that reaches the node.
 * Source: kube-scheduler v1.32, plugins/volumebinding. */
#include "plugins/registry.h"
#include "plugins/volume_binder.h"

/* Refuse a pod with a claim that is not there, lost, going, or of another pod. */
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
    if (berth__binder_make(view, arena, list, binder, ok))
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
    prepare->may_fail = binder->problem.len > 0;
    if (outcome == BERTH__ACTIVE && prepare->ok)
        prepare->ok = berth__volumes_refresh(view);
    return outcome;
}

/* Without preScore, which would skip it, it gives all nodes nothing. */
static berth__outcome volume_binding_prepare_score(berth__prepare *prepare)
{
    prepare->uniform = 0;
    return BERTH__UNIFORM;
}

/* The state points into the view. */
static void volume_binding_adjust(const berth__question *cycle, const void *instance, void *state,
                                  const berth__class *cls, uint32_t slot, int change)
{
    (void)cycle;
    (void)instance;
    (void)state;
    (void)cls;
    (void)slot;
    (void)change;
}

static void volume_binding_filter(const berth__question *cycle, const void *instance,
                                  const void *state, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    berth__binder_filter(cycle->view, state, tile, mask);
}

static void volume_binding_explain(const berth__question *cycle, const void *instance,
                                   const void *state, uint32_t slot, berth__reasons *reasons)
{
    (void)instance;
    berth__open_binding binding;
    const berth__binder *binder = state;
    berth__binder_bind(cycle->view, binder, slot, &binding);
    if (binding.failed) {
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, BERTH__ERROR_PREFIX "%.*s",
                      (int)binder->problem.len, binder->problem.data);
        reasons->failed = true;
        return;
    }
    if (binding.node_conflict)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "%s",
                      cycle->view->model->behaviours.volume_texts_new
                          ? "node(s) didn't match PersistentVolume's node affinity"
                          : "node(s) had volume node affinity conflict");
    if (binding.no_volume)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "node(s) didn't find available persistent volumes to bind");
    if (binding.no_space)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "node(s) did not have enough free storage");
    if (binding.volume_missing)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                      "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
}

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
    return berth__binder_reserve(view, &binder, cycle->pod, placement->slot);
}

static berth_status volume_binding_reserve(const berth__question *cycle, const void *instance,
                                           const berth__pod_placement *placement)
{
    (void)instance;
    return berth__binder_reserve_locked(cycle, placement, choose_and_reserve);
}

/* A pod that is taken off its node gives back the volumes reserved for it. */
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
    .filter_misses = "not found",
    .filter_state_bytes = sizeof(berth__binder),
    .prepare_filter = volume_binding_prepare,
    .filter = volume_binding_filter,
    .explain = volume_binding_explain,
    .adjust = volume_binding_adjust,
    .prepare_score = volume_binding_prepare_score,
    .reserve = volume_binding_reserve,
    .unreserve = berth__binder_unreserve,
};
