/* The text that sets feature gates: "Name=true,Other=false". */
#ifndef BERTH_MODEL_GATE_SWITCHES_H
#define BERTH_MODEL_GATE_SWITCHES_H

#include "berth/status.h"

/* One entry as it stands, and its parts; `value` is empty without '='. */
typedef struct berth__gate_switch {
    berth_str entry, name, value;
} berth__gate_switch;

/* The first entry of a text that is not empty, which then begins after it. */
berth__gate_switch berth__gate_switch_next(berth_str *rest);

#endif
