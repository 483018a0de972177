/* Durations of a configuration, which have a least value. */
#include <inttypes.h>

#include "berth/kube.h"
#include "config/config.h"

static const int64_t SECOND_NS = INT64_C(1000000000);

berth_status berth__config_duration(berth__config_tree *tree, const berth__json *object,
                                    const char *key, int64_t least_ns, int64_t *out_ns)
{
    berth_str text = {0};
    int64_t ns = 0;
    if (berth__config_member(object, key) == NULL)
        return BERTH_OK;
    BERTH_TRY(berth__config_string(tree, object, key, &text));
    if (berth_duration_parse(text, &ns, NULL) == BERTH_OK && ns >= least_ns) {
        *out_ns = ns;
        return BERTH_OK;
    }
    berth__config_enter(tree, key);
    if (least_ns == INT64_MIN)
        return berth__config_fail(tree, BERTH_E_INVALID,
                                  "must be a duration such as 15s, not \"%.*s\"", (int)text.len,
                                  text.data);
    return berth__config_fail(tree, BERTH_E_INVALID,
                              "must be a duration of %" PRId64 "s or more, not \"%.*s\"",
                              least_ns / SECOND_NS, (int)text.len, text.data);
}
