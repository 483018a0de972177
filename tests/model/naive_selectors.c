/* Evaluates a selector on a device, with the code of the engine: a second implementation of the
 * language would prove little. */
#include "naive_devices.h"

#include "base/memory.h"
#include "cel/cel.h"

/* A name without a domain belongs to the domain of the driver. */
static void split(berth_str name, berth_str driver, berth_str *domain, berth_str *id, bool *bare)
{
    for (uint32_t i = 0; i < name.len; i++) {
        if (name.data[i] == '/') {
            *domain = (berth_str){name.data, i};
            *id = (berth_str){name.data + i + 1, name.len - i - 1};
            *bare = false;
            return;
        }
    }
    *domain = driver;
    *id = name;
    *bare = true;
}

static berth__cel_attribute attribute(const berth_slice_attribute *from, berth_str driver)
{
    static const berth__cel_attribute_kind kinds[] = {
        [BERTH_ATTRIBUTE_NONE] = BERTH__CEL_UNSUPPORTED,
        [BERTH_ATTRIBUTE_INT] = BERTH__CEL_INT,
        [BERTH_ATTRIBUTE_BOOL] = BERTH__CEL_BOOL,
        [BERTH_ATTRIBUTE_STRING] = BERTH__CEL_STRING,
        [BERTH_ATTRIBUTE_VERSION] = BERTH__CEL_VERSION,
        [BERTH_ATTRIBUTE_LIST] = BERTH__CEL_UNSUPPORTED,
    };
    berth__cel_attribute out = {
        .kind = kinds[from->kind], .number = from->number, .text = from->text};
    split(from->name, driver, &out.domain, &out.id, &out.bare);
    return out;
}

static berth__cel_device whole_device(naive_region *region, const naive_device *device)
{
    const berth_slice_device *d = device->device;
    berth_str driver = device->slice->driver;
    berth__cel_attribute *attributes =
        naive_alloc(region, (d->attribute_count + 1) * sizeof(*attributes));
    berth__cel_capacity *capacities =
        naive_alloc(region, (d->capacity_count + 1) * sizeof(*capacities));
    for (uint32_t i = 0; i < d->attribute_count; i++) {
        attributes[i] = attribute(&d->attributes[i], driver);
    }
    for (uint32_t i = 0; i < d->capacity_count; i++) {
        bool bare;
        split(d->capacities[i].name, driver, &capacities[i].domain, &capacities[i].id, &bare);
        capacities[i].nanos = naive_amount(d->capacities[i].value);
    }
    return (berth__cel_device){.driver = driver,
                               .allow_multiple = d->allow_multiple_allocations,
                               .attributes = attributes,
                               .attribute_count = d->attribute_count,
                               .capacities = capacities,
                               .capacity_count = d->capacity_count};
}

bool naive_selects(naive_region *region, uint32_t kubernetes, berth_str expression,
                   const naive_device *device, const char **problem)
{
    berth__cel *cel;
    berth__cel_room room;
    berth_str error = {0};
    const berth__cel_device whole = whole_device(region, device);
    if (berth__cel_compile(berth__allocator_default(),
                           kubernetes >= 37 ? BERTH__CEL_1_37 : BERTH__CEL_1_36, expression,
                           &cel) != BERTH_OK) {
        *problem = "out of memory";
        return false;
    }
    berth__cel_room_init(&room, berth__allocator_default());
    berth__cel_verdict verdict = berth__cel_evaluate(cel, &whole, &room, &error);
    if (verdict != BERTH__CEL_TRUE && verdict != BERTH__CEL_FALSE) {
        *problem = naive_print(region, "CEL %s error: %.*s",
                               verdict == BERTH__CEL_COMPILE_ERROR ? "compile" : "runtime",
                               NAIVE_TEXT(error));
    }
    berth__cel_room_destroy(&room);
    berth__cel_destroy(cel);
    return verdict == BERTH__CEL_TRUE;
}
