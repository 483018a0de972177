/* DynamicResources: devices for the claims of a pod. A pod without claims is none of its business;
 * one whose claims are not there yet is refused; for one that has some the attempt ends with an
 * error, as which devices it would get is not decided here. What it says at postFilter is preemption's to write (decide/preemption.c).
 * Source: kube-scheduler v1.36, plugins/dynamicresources. */
#include "plugins/registry.h"

static berth__outcome dynamic_resources_prepare_filter(berth__prepare *prepare)
{
    const berth__class *cls = prepare->cycle->cls;
    if (!cls->claims)
        return BERTH__SKIP;
    if (cls->unclaimed != 0) {
        berth_str pod = berth__text(prepare->cycle->view->model, cls->unclaimed);
        berth__reason(prepare->reasons, BERTH_CODE_UNRESOLVABLE,
                      "pod \"%.*s\": ResourceClaim not created yet", (int)pod.len, pod.data);
        return BERTH__REFUSE;
    }
    berth__reason(prepare->reasons, BERTH_CODE_UNRESOLVABLE,
                  "pod uses resourceClaims: devices are not decided by this version of Berth");
    return BERTH__FAIL;
}

static berth__outcome dynamic_resources_prepare_score(berth__prepare *prepare)
{
    prepare->uniform = 0;
    return BERTH__UNIFORM;
}

const berth__plugin_ops berth__plugin_dynamic_resources = {
    .name = "DynamicResources",
    .flags = BERTH__STATIC_FILTER | BERTH__STATIC_SCORE,
    .wake_on = BERTH__WAKE_POD_SELF,
    .filter_misses = "not found",
    .prepare_filter = dynamic_resources_prepare_filter,
    .prepare_score = dynamic_resources_prepare_score,
};
