/* Applies an object's text to the state that is known of it. */
#ifndef BERTH_LIVE_REFLECTOR_APPLY_H
#define BERTH_LIVE_REFLECTOR_APPLY_H

#include "live/watch/reflector.h"

typedef enum reflector_source {
    REFLECTOR_LISTED = 0, /* an item of a list */
    REFLECTOR_CHANGED,    /* ADDED or MODIFIED: the server may confuse the two */
    REFLECTOR_DELETED,
} reflector_source;

/* Compare with the known state, report the difference, and record the new state. */
void reflector_apply(reflector *r, reflector_source source, berth_str object);

/* Call after the last page of a list: objects that were not in it are gone. */
void reflector_sweep(reflector *r);

#endif
