/* Numbers of pod classes: a stack of the numbers that were given back. */
#include "model/class_places.h"

bool berth__class_place_take(berth__model *model, uint32_t *out)
{
    berth__class_places *places = &model->class_places;
    if (places->free_count == 0 && !berth__grow(model->allocator, &places->free, &places->capacity,
                                                places->end + 1, sizeof(*places->free)))
        return false;
    *out = places->free_count > 0 ? places->free[--places->free_count] : places->end++;
    return true;
}

void berth__class_place_return(berth__model *model, uint32_t place)
{
    berth__class_places *places = &model->class_places;
    places->free[places->free_count++] = place;
}
