/* Feature gates of kube-scheduler that change no decision. */
#ifndef BERTH_MODEL_OTHER_GATES_H
#define BERTH_MODEL_OTHER_GATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/nearest.h"
#include "berth/status.h"

/* A feature gate, and the versions that have it. */
typedef struct berth__other_gate {
    const char *name;
    uint8_t first, last;  /* Kubernetes 1.`first` to 1.`last` */
    uint8_t locked_since; /* from this version on; 0: never */
    bool locked_to;
} berth__other_gate;

/* The gate of a name in Kubernetes 1.`minor`; NULL: that version has none, or the gate changes
 * decisions. */
const berth__other_gate *berth__other_gate_find(berth_str name, uint32_t minor);

/* Try the names of all gates of Kubernetes 1.`minor` here. */
void berth__other_gates_try(berth__nearest *nearest, uint32_t minor);

#endif
