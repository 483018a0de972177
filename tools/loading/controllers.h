/* The controller of an object: the owner that made it. */
#ifndef BERTH_TOOLS_CONTROLLERS_H
#define BERTH_TOOLS_CONTROLLERS_H

#include <stddef.h>

#include "berth/berth.h"

/* Returns NULL if it has none. Borrowed from `meta`. */
static inline const berth_owner *controller_of(const berth_metadata *meta)
{
    for (uint32_t i = 0; i < meta->owner_count; i++)
        if (meta->owners[i].controller)
            return &meta->owners[i];
    return NULL;
}

#endif
