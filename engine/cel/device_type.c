/* The fields of `device`: attributes are maps of any or dyn, capacities are maps of quantities. */
#include "cel/device_type.h"
#include "base/text.h"

static const berth__cel_type *map_of(berth__cel_types *types, const berth__cel_type *value)
{
    return berth__cel_type_make(types, BERTH__CEL_TYPE_MAP,
                                berth__cel_type_of(BERTH__CEL_TYPE_STRING), value);
}

const berth__cel_type *berth__cel_device_field(berth__cel_types *types, berth__cel_release release,
                                               berth_str field)
{
    if (berth__str_is(field, "driver"))
        return berth__cel_type_of(BERTH__CEL_TYPE_STRING);
    if (berth__str_is(field, "allowMultipleAllocations"))
        return berth__cel_type_of(BERTH__CEL_TYPE_BOOL);
    if (berth__str_is(field, "attributes"))
        return map_of(types, map_of(types, berth__cel_type_of(release >= BERTH__CEL_1_37
                                                                  ? BERTH__CEL_TYPE_DYN
                                                                  : BERTH__CEL_TYPE_ANY)));
    if (berth__str_is(field, "capacity"))
        return map_of(types, map_of(types, berth__cel_type_of(BERTH__CEL_TYPE_QUANTITY)));
    return NULL;
}

const berth__cel_type *berth__cel_named_type(berth__cel_types *types, berth_str name)
{
    static const berth__cel_type_kind plain[] = {
        BERTH__CEL_TYPE_BOOL,   BERTH__CEL_TYPE_INT,   BERTH__CEL_TYPE_UINT, BERTH__CEL_TYPE_DOUBLE,
        BERTH__CEL_TYPE_STRING, BERTH__CEL_TYPE_BYTES, BERTH__CEL_TYPE_NULL,
    };
    const berth__cel_type *dyn = berth__cel_type_of(BERTH__CEL_TYPE_DYN);
    const berth__cel_type *type = NULL;
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        if (berth__str_is(name, berth__cel_type_name(plain[i], true)))
            type = berth__cel_type_of(plain[i]);
    }
    if (berth__str_is(name, "list"))
        type = berth__cel_type_make(types, BERTH__CEL_TYPE_LIST, dyn, NULL);
    if (berth__str_is(name, "map"))
        type = berth__cel_type_make(types, BERTH__CEL_TYPE_MAP, dyn, dyn);
    if (berth__str_is(name, "optional_type"))
        type = berth__cel_type_make(types, BERTH__CEL_TYPE_OPTIONAL, dyn, NULL);
    if (berth__str_is(name, "type"))
        type = berth__cel_type_make(types, BERTH__CEL_TYPE_TYPE, dyn, NULL);
    return type == NULL ? NULL : berth__cel_type_make(types, BERTH__CEL_TYPE_TYPE, type, NULL);
}
