/* Which of several words is nearest to one that was written wrong. */
#ifndef BERTH_TEXT_NEAREST_H
#define BERTH_TEXT_NEAREST_H

#include "berth/status.h"

typedef struct berth__nearest {
    berth_str word;
    berth_str found; /* absent: none is near */
    uint32_t distance;
} berth__nearest;

berth__nearest berth__nearest_begin(berth_str word);

/* Take a candidate if it is nearer than those before: at most two letters of eight or more, or one
 * of three or more, are missing, too many, wrong, or exchanged; case does not count. */
void berth__nearest_try(berth__nearest *nearest, berth_str candidate);

#endif
