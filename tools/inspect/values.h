/* Finds values that an API server would refuse, in objects that no API server has seen. */
#ifndef BERTH_TOOLS_VALUES_H
#define BERTH_TOOLS_VALUES_H

#include "berth/berth.h"
#include "inspect/findings.h"

/* Check one object; `origin` is its place. */
void values_check(const berth_object *object, const berth_error *origin, findings *f);

#endif
