/* A configuration with one embedder's plugin after NodeResourcesFit; and helpers of such plugins,
 * to compare texts and to refuse nodes. */
#ifndef BERTH_TESTS_UNIT_ONE_PLUGIN_H
#define BERTH_TESTS_UNIT_ONE_PLUGIN_H

#include <stdbool.h>
#include <string.h>

#include "berth/berth.h"

/* What the configuration points to. */
typedef struct one_plugin {
    const berth_plugin *plugin;
    berth_plugin_ref filters[2];
    berth_plugin_list points[BERTH_POINT_FILTER + 1];
    berth_profile profile;
    berth_engine_config config;
} one_plugin;

/* Fill `room` with a configuration for one thread; the caller may change it further. */
static inline berth_engine_config *one_plugin_config(one_plugin *room, const berth_plugin *plugin)
{
    *room = (one_plugin){.plugin = plugin};
    room->filters[0].name = (berth_str){"NodeResourcesFit", 16};
    room->filters[1].name = (berth_str){plugin->name, (uint32_t)strlen(plugin->name)};
    room->points[BERTH_POINT_FILTER] = (berth_plugin_list){room->filters, 2};
    room->profile.points = room->points;
    room->profile.point_count = BERTH_POINT_FILTER + 1;
    berth_engine_config_init(&room->config);
    room->config.threads = 1;
    room->config.profiles = &room->profile;
    room->config.profile_count = 1;
    room->config.plugins = &room->plugin;
    room->config.plugin_count = 1;
    return &room->config;
}

static inline bool same_text(berth_str a, berth_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool is_asked(const berth_slice *slice, uint32_t i)
{
    return (slice->mask[i / 64] >> i % 64 & 1) != 0;
}

static inline void refuse(berth_slice *slice, uint32_t i)
{
    slice->mask[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* A filter that refuses every node. */
static inline void refuse_all(const berth_cycle *cycle, const void *instance,
                              const void *plugin_state, berth_slice *slice)
{
    (void)cycle;
    (void)instance;
    (void)plugin_state;
    memset(slice->mask, 0, sizeof(slice->mask));
}

#endif
