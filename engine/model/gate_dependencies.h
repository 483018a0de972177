/* Feature gates that need others. */
#ifndef BERTH_MODEL_GATE_DEPENDENCIES_H
#define BERTH_MODEL_GATE_DEPENDENCIES_H

#include <stdint.h>

#include "berth/status.h"
#include "model/gate_switches.h"

/* Errors: BERTH_E_INVALID (a gate of Kubernetes 1.`minor` is on and one that it needs is off). */
berth_status berth__gate_dependencies_check(berth_str switches, uint32_t minor, berth_error *error);

#endif
