/* The type of the variable `device`, and the names of types. */
#ifndef BERTH_CEL_DEVICE_TYPE_H
#define BERTH_CEL_DEVICE_TYPE_H

#include "cel/cel.h"
#include "cel/types.h"

/* The type of a field. NULL: there is no such field. */
const berth__cel_type *berth__cel_device_field(berth__cel_types *types, berth__cel_release release,
                                               berth_str field);

/* The type of a name that denotes a type (the type of `int` is type(int)). NULL: the name denotes
 * no type. */
const berth__cel_type *berth__cel_named_type(berth__cel_types *types, berth_str name);

#endif
