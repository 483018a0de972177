/* Fresh objects, which no API server has seen. They have no uid, or one that the reader made up to
 * connect owners. */
#ifndef BERTH_TOOLS_FRESH_H
#define BERTH_TOOLS_FRESH_H

#include <string.h>

#include "berth/berth.h"

/* Whether the reader made up a uid; those of API servers do not begin like this. */
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
