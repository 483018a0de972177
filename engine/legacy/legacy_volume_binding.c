/* CheckVolumeBinding of v1.15: every claim of the pod is bound to a volume that reaches the node,
 * or finds such a volume, or one can be provisioned. Differences from VolumeBinding: there are no
 * storage capacities and no ephemeral volumes, and reasons for which VolumeBinding refuses the
 * whole pod are errors on every node.
 * Source: Kubernetes v1.15.3, algorithm/predicates/predicates.go, VolumeBindingChecker;
 * controller/volume/scheduling/scheduler_binder.go. */
#include "base/bits.h"
#include "base/text.h"
#include "legacy/legacy_registry.h"
#include "plugins/volume_binder.h"

typedef struct filter_state {
    berth__binder binder;
    berth__reasons error; /* the error on every node that is visited */
} filter_state;

static bool is_claim(const berth__pod_volume *volume)
{
    return volume->kind == BERTH_VOLUME_CLAIM;
}

/* Record the error that prevents any verdict on the claims. */
static void check_claims(const berth__view *view, const berth__volume_list *list,
                         berth__reasons *error)
{
    bool immediate = false;
    for (uint32_t i = 0; i < list->count && error->count == 0; i++) {
        if (!is_claim(&list->items[i]))
            continue;
        const berth__claim *claim = berth__claim_find(view, list, &list->items[i]);
        berth_str space = berth__text(view->model, list->namespace_name);
        berth_str name = berth__text(view->model, list->items[i].handle);
        if (claim == NULL) {
            berth__reason(error, BERTH_CODE_UNRESOLVABLE,
                          BERTH__ERROR_PREFIX "error getting PVC \"%.*s/%.*s\": could not find "
                                              "v1.PersistentVolumeClaim \"%.*s/%.*s\"",
                          (int)space.len, space.data, (int)name.len, name.data, (int)space.len,
                          space.data, (int)name.len, name.data);
            return;
        }
        berth__claim_state state = berth__claim_state_of(view, claim);
        berth_str class_name = berth__text(view->model, claim->facts->class_name);
        immediate |= state == BERTH__CLAIM_IMMEDIATE;
        if (state == BERTH__CLAIM_UNDEFINED)
            berth__reason(error, BERTH_CODE_UNRESOLVABLE,
                          BERTH__ERROR_PREFIX "VolumeBindingMode not set for StorageClass \"%.*s\"",
                          (int)class_name.len, class_name.data);
    }
    if (immediate && error->count == 0)
        berth__reason(error, BERTH_CODE_UNRESOLVABLE,
                      BERTH__ERROR_PREFIX "pod has unbound immediate PersistentVolumeClaims");
}

/* Fill the state. Returns false if the pod has no claim, or when out of memory. */
static bool make_state(berth__view *view, const berth__volume_list *list, berth__arena *arena,
                       filter_state *out, bool *ok)
{
    bool any = false;
    *out = (filter_state){.binder = {.legacy = true}, .error = {.arena = arena, .ok = true}};
    for (uint32_t i = 0; list != NULL && i < list->count; i++)
        any |= is_claim(&list->items[i]);
    if (!any)
        return false;
    check_claims(view, list, &out->error);
    if (out->error.count == 0 && !berth__volume_binder_make(view, arena, list, &out->binder, ok))
        berth__reason(&out->error, BERTH_CODE_UNRESOLVABLE,
                      BERTH__ERROR_PREFIX "a pod with more than %d unbound claims can't be decided",
                      (int)BERTH__UNBOUND_CLAIMS_MAX);
    *ok &= out->error.ok && berth__volumes_refresh(view);
    return *ok;
}

static bool misses_volume(const berth__binder *binder)
{
    for (uint32_t i = 0; i < binder->bound_count; i++)
        if (binder->bound[i].facts == NULL)
            return true;
    return false;
}

static berth__outcome legacy_volume_binding_prepare(berth__prepare *prepare)
{
    filter_state *own = prepare->state;
    if (!make_state(prepare->cycle->view, prepare->cycle->cls->volumes, prepare->arena, own,
                    &prepare->ok))
        return BERTH__SKIP;
    prepare->may_fail =
        own->error.count > 0 || own->binder.problem.len > 0 || misses_volume(&own->binder);
    return BERTH__ACTIVE;
}

static void legacy_volume_binding_filter(const berth__question *cycle, const void *instance,
                                         const void *opaque, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    const filter_state *own = opaque;
    berth__open_binding binding;
    if (own->error.count > 0) {
        *mask = (berth__mask){{0}};
        return;
    }
    BERTH__MASK_EACH(mask, s)
    {
        berth__volume_binder_bind(cycle->view, &own->binder, tile * BERTH__TILE + s, &binding);
        if (!berth__binding_fits(&binding))
            berth__bit_clear(mask->words, s);
    }
}

static void explain_error(berth__reasons *reasons, berth_str text)
{
    berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "%.*s", (int)text.len, text.data);
    reasons->failed = true;
}

static void legacy_volume_binding_explain(const berth__question *cycle, const void *instance,
                                          const void *opaque, uint32_t slot,
                                          berth__reasons *reasons)
{
    (void)instance;
    const filter_state *own = opaque;
    berth__open_binding binding;
    if (own->error.count > 0) {
        explain_error(reasons, own->error.items[0]);
        return;
    }
    berth__volume_binder_bind(cycle->view, &own->binder, slot, &binding);
    if (binding.volume_missing) {
        explain_error(reasons, BERTH_STR(BERTH__ERROR_PREFIX
                                         "could not find the v1.PersistentVolume of a claim"));
        return;
    }
    berth__volume_binder_explain(&own->binder, &binding,
                                 "node(s) had volume node affinity conflict", reasons);
}

static berth_status choose_and_reserve(const berth__question *cycle,
                                       const berth__pod_placement *placement)
{
    berth__view *view = cycle->view;
    berth__arena *arena = &view->model->scratch;
    filter_state own;
    bool ok = true;
    berth__arena_reset(arena);
    if (!make_state(view, cycle->cls->volumes, arena, &own, &ok) || own.error.count > 0)
        return ok ? BERTH_OK : BERTH_E_NOMEM;
    return berth__volume_binder_reserve(view, &own.binder, cycle->pod, placement->slot);
}

static berth_status legacy_volume_binding_reserve(const berth__question *cycle,
                                                  const void *instance,
                                                  const berth__pod_placement *placement)
{
    (void)instance;
    return berth__volume_binder_reserve_locked(cycle, placement, choose_and_reserve);
}

const berth__plugin_ops berth__plugin_check_volume_binding = {
    .name = "CheckVolumeBinding",
    .flags = BERTH__PREPARE_EACH | BERTH__ALWAYS_UNRESOLVABLE,
    .wake_on =
        BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_LABELS | BERTH_WAKE_POD_REMOVE | BERTH__WAKE_STORAGE,
    .filter_state_bytes = sizeof(filter_state),
    .prepare_filter = legacy_volume_binding_prepare,
    .filter = legacy_volume_binding_filter,
    .explain = legacy_volume_binding_explain,
    /* The state points into the view, and other pods do not matter. */
    .adjust = berth__plugin_adjust_nothing,
    .reserve = legacy_volume_binding_reserve,
    .unreserve = berth__volume_binder_unreserve,
};
