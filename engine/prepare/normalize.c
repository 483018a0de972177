/* Normalization: the framework's methods, and a plugin's own.
 * Source: kube-scheduler v1.32, plugins/helper/normalize_score.go. */
#include "prepare/normalize.h"

static int64_t score_max(const berth__stage *stage)
{
    return stage->plugin->score_max != 0 ? stage->plugin->score_max : BERTH__SCORE_MAX;
}

static int64_t normalized(int64_t value, int64_t highest, int64_t max, bool reversed)
{
    int64_t scaled = highest > 0 ? max * value / highest : value;
    return !reversed ? scaled : highest > 0 ? max - scaled : max;
}

static void normalize_max(int64_t *values, const berth__mask *mask, int64_t highest, int64_t max,
                          bool reversed)
{
    BERTH__MASK_EACH(mask, s)
    {
        values[s] = normalized(values[s], highest, max, reversed);
    }
}

void berth__normalize(const berth__stage *stage, const berth__kernels *kernels,
                      const berth__scorer_range *range, const berth__mask *mask, int64_t *values)
{
    switch (stage->plugin->normalize) {
    case BERTH__NORMALIZATION_NONE:
        break;
    case BERTH__NORMALIZATION_MAX:
        normalize_max(values, mask, range->highest, score_max(stage), false);
        break;
    case BERTH__NORMALIZATION_MAX_REVERSED:
        normalize_max(values, mask, range->highest, score_max(stage), true);
        break;
    case BERTH__NORMALIZATION_OF_PLUGIN:
        stage->plugin->normalize_own(kernels, range->lowest, range->highest, mask, values);
        break;
    }
}

int64_t berth__normalize_ignored(const berth__stage *stage, const berth__scorer_range *range)
{
    berth__normalization how = stage->plugin->normalize;
    if (how == BERTH__NORMALIZATION_OF_PLUGIN)
        return 0;
    return normalized(0, range->highest, score_max(stage),
                      how == BERTH__NORMALIZATION_MAX_REVERSED);
}
