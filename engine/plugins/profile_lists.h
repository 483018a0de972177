/* What runs by default: the table of the plugins since v1.32. The configuration reader builds
 * profiles from it. */
#ifndef BERTH_PLUGINS_PROFILE_LISTS_H
#define BERTH_PLUGINS_PROFILE_LISTS_H

#include "berth/profile.h"

/* A plugin of kube-scheduler's default set of Kubernetes 1.`minor` (0: the newest). */
typedef struct berth__plugin_info {
    berth_str name;
    uint32_t points; /* bit 1 << berth_point of every point that it implements */
    int32_t weight;  /* default weight as configured; 0 where none is written */
} berth__plugin_info;

/* The default multiPoint list, in its order. */
const berth__plugin_info *berth__plugin_infos(uint32_t release, uint32_t *count);

/* The entry of a name; NULL for a plugin that the table does not know. */
const berth__plugin_info *berth__plugin_info_find(uint32_t release, berth_str name);

/* Whether every version since 1.32 refuses this name because the plugin left the tree. */
bool berth__plugin_info_removed(berth_str name);

#endif
