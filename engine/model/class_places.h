/* Small numbers that identify pod classes, for tables indexed by class. The number of a freed class
 * is used again. */
#ifndef BERTH_MODEL_CLASS_PLACES_H
#define BERTH_MODEL_CLASS_PLACES_H

#include "model/model.h"

/* Take a number for one more class and reserve memory to give it back. Returns false when out of
 * memory. */
bool berth__class_place_take(berth__model *model, uint32_t *out);
void berth__class_place_return(berth__model *model, uint32_t place);

#endif
