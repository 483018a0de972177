/* Values that an API server would refuse, in objects that never met one. */
#ifndef BERTH_TOOLS_VALUES_H
#define BERTH_TOOLS_VALUES_H

#include "berth/berth.h"
#include "inspect/findings.h"

/* Look at one object; `origin` says where it stands. */
void values_check(const berth_object *object, const berth_error *origin, findings *f);

#endif
