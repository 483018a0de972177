/* v1.15's checks before any predicate runs: the pod's claims exist and are not being deleted. No
 * Policy can disable them, so the configuration reader lists them separately from the predicates.
 * Source: Kubernetes v1.15.3, core/generic_scheduler.go, podPassesBasicChecks. */
#include "legacy/legacy_registry.h"
#include "plugins/claim_lookup.h"

static berth__outcome legacy_basic_checks_prepare(berth__prepare *prepare)
{
    const berth__view *view = prepare->cycle->view;
    const berth__volume_list *list = prepare->cycle->cls->volumes;
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        if (list->items[i].kind != BERTH_VOLUME_CLAIM)
            continue;
        const berth__claim *claim =
            berth__claim_find_or_reason(view, list, &list->items[i], prepare->reasons);
        if (claim == NULL)
            return BERTH__FAIL;
        if (claim->facts->deleting) {
            berth_str name = berth__text(view->model, list->items[i].handle);
            berth__reason(prepare->reasons, BERTH_CODE_UNRESOLVABLE,
                          "persistentvolumeclaim \"%.*s\" is being deleted", (int)name.len,
                          name.data);
            return BERTH__FAIL;
        }
    }
    return BERTH__SKIP;
}

const berth__plugin_ops berth__plugin_basic_checks = {
    .name = "PodPassesBasicChecks",
    .flags = BERTH__PREPARE_EACH,
    .wake_on = BERTH__WAKE_STORAGE,
    .prepare_filter = legacy_basic_checks_prepare,
};
