/* What a text of an object means for what is known of it. */
#ifndef BERTH_LIVE_REFLECTOR_APPLY_H
#define BERTH_LIVE_REFLECTOR_APPLY_H

#include "live/watch/reflector.h"

typedef enum reflector_source {
    REFLECTOR_LISTED = 0, /* an item of a list */
    REFLECTOR_CHANGED,    /* ADDED or MODIFIED: the server may take the one for the other */
    REFLECTOR_DELETED,
} reflector_source;

/* Compare with what is known, tell the difference, know it. */
void reflector_apply(reflector *r, reflector_source source, berth_str object);

/* After the last page of a list: what was not in it is gone. */
void reflector_sweep(reflector *r);

#endif
