/* Replaces filters and scores that a profile runs without the preFilter or preScore that writes
 * their state: every call is an error. The instance is the error's text. */
#include "plugins/registry.h"

static berth__outcome stateless_prepare_filter(berth__prepare *prepare)
{
    prepare->may_fail = true;
    return BERTH__ACTIVE;
}

static void stateless_filter(const berth__question *cycle, const void *instance, const void *state,
                             uint32_t tile, berth__mask *mask)
{
    (void)cycle;
    (void)instance;
    (void)state;
    (void)tile;
    *mask = (berth__mask){{0}};
}

static void stateless_explain(const berth__question *cycle, const void *instance, const void *state,
                              uint32_t slot, berth__reasons *reasons)
{
    (void)cycle;
    (void)state;
    (void)slot;
    berth__reason_missed(reasons, instance);
}

static berth__outcome stateless_prepare_score(berth__prepare *prepare)
{
    berth__reason(prepare->reasons, BERTH_CODE_UNRESOLVABLE, "%s", (const char *)prepare->instance);
    return BERTH__FAIL;
}

const berth__plugin_ops berth__plugin_stateless = {
    .name = "",
    .prepare_filter = stateless_prepare_filter,
    .filter = stateless_filter,
    .explain = stateless_explain,
    .prepare_score = stateless_prepare_score,
};
