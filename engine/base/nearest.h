/* Finds the word most like a misspelled one. */
#ifndef BERTH_BASE_NEAREST_H
#define BERTH_BASE_NEAREST_H

#include "berth/status.h"

typedef struct berth__nearest {
    berth_str word;
    berth_str found; /* absent: no word is near */
    uint32_t distance;
} berth__nearest;

berth__nearest berth__nearest_begin(berth_str word);

/* Take a candidate if it is nearer than those before. A candidate is near if at most one letter
 * (two if the word has eight or more letters, none if it has fewer than three) is missing, extra,
 * wrong or exchanged with its neighbour. Case does not count. */
void berth__nearest_try(berth__nearest *nearest, berth_str candidate);

#endif
