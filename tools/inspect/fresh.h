/* Fresh objects: an API server has not seen them. Such have no uid, or one that the reader made up
 * to tell who owns what. */
#ifndef BERTH_TOOLS_FRESH_H
#define BERTH_TOOLS_FRESH_H

#include <string.h>

#include "berth/berth.h"

/* Whether the reader made a uid up: no API server's begins like that. */
static inline bool uid_is_made_up(berth_str uid)
{
    static const char prefix[] = "berth-";
    const size_t len = sizeof(prefix) - 1;
    return uid.len > len && memcmp(uid.data, prefix, len) == 0;
}

static inline bool is_fresh(const berth_metadata *meta)
{
    return meta->uid.len == 0 || uid_is_made_up(meta->uid);
}

#endif
