/* Names made of a prefix and a number: "n7". */
#ifndef BERTH_NUMBERED_H
#define BERTH_NUMBERED_H

#include <stdio.h>

#include "base/text.h"

enum { NUMBERED_ROOM = 32 };

/* Writes into `room`, which has NUMBERED_ROOM bytes. */
static inline berth_str numbered(char *room, const char *prefix, uint32_t number)
{
    snprintf(room, NUMBERED_ROOM, "%s%u", prefix, (unsigned)number);
    return berth__text_of(room);
}

#endif
