/* Numbers of pod classes, given again when one has gone: for tables by class. */
#ifndef BERTH_MODEL_CLASS_PLACES_H
#define BERTH_MODEL_CLASS_PLACES_H

#include "model/model.h"

/* A place for one more class; there is then room to give it back. Returns false when out of
 * memory. */
bool berth__class_place_take(berth__model *model, uint32_t *out);
void berth__class_place_return(berth__model *model, uint32_t place);

#endif
