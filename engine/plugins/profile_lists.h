/* The plugins that run by default, since v1.32. The configuration reader builds profiles from this
 * table. */
#ifndef BERTH_PLUGINS_PROFILE_LISTS_H
#define BERTH_PLUGINS_PROFILE_LISTS_H

#include "berth/profile.h"

/* A plugin of kube-scheduler's default set in Kubernetes 1.`release` (0: the newest). */
typedef struct berth__plugin_info {
    berth_str name;
    uint32_t points; /* bit 1 << berth_point for each point that it implements */
    int32_t weight;  /* configured default weight; 0 if none is written */
} berth__plugin_info;

/* The default multiPoint list, in its order, without plugins behind feature gates. */
const berth__plugin_info *berth__plugin_infos(uint32_t release, uint32_t *count);

/* What feature gates append to that list: plugins that run only for groups of pods. */
const berth__plugin_info *berth__plugin_infos_gated(uint32_t release, uint32_t *count);

/* The entry of a name in the first or in the second list; NULL if the list does not have it. */
const berth__plugin_info *berth__plugin_info_find(uint32_t release, berth_str name);
const berth__plugin_info *berth__plugin_info_find_gated(uint32_t release, berth_str name);

/* Whether a version has a point; plugins of the default set may be absent there. */
bool berth__plugin_point_exists(uint32_t release, berth_point point);

/* Whether every version since 1.32 rejects this name because the plugin was removed. */
bool berth__plugin_info_removed(berth_str name);

#endif
