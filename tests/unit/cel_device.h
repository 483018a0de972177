/* A device for tests of expressions, and what an expression says about it. */
#ifndef BERTH_TESTS_UNIT_CEL_DEVICE_H
#define BERTH_TESTS_UNIT_CEL_DEVICE_H

#include <stdio.h>

#include "counted_memory.h"

#include "cel/cel.h"

#define GPU BERTH_STR("gpu.nvidia.com")
#define WHOLE(n) ((__int128)(n)*1000000000)

static const berth__cel_attribute cel_attributes[] = {
    {GPU, BERTH_STR("type"), true, BERTH__CEL_STRING, 0, BERTH_STR("gpu")},
    {GPU, BERTH_STR("uuid"), true, BERTH__CEL_STRING, 0, BERTH_STR("GPU-1")},
    {GPU, BERTH_STR("productName"), true, BERTH__CEL_STRING, 0, BERTH_STR("NVIDIA A100-SXM4-40GB")},
    {GPU, BERTH_STR("index"), true, BERTH__CEL_INT, 0, {0}},
    {GPU, BERTH_STR("driverVersion"), true, BERTH__CEL_VERSION, 0, BERTH_STR("550.54.15")},
};
enum { CEL_ATTRIBUTES = sizeof(cel_attributes) / sizeof(cel_attributes[0]) };

static const berth__cel_capacity cel_capacities[] = {
    {GPU, BERTH_STR("memory"), WHOLE(INT64_C(40) << 30)},
    {GPU, BERTH_STR("multiprocessors"), WHOLE(108)},
};

static const berth__cel_device cel_device = {
    GPU, false, cel_attributes, CEL_ATTRIBUTES, cel_capacities, 2};

/* Write what a compiled expression says about a device: "y" or "n"; "c" or "e", and the text of the
 * error when it was compiled or evaluated; "?" if there was no memory. */
static inline void cel_say(const berth__cel *cel, const berth__cel_device *device,
                           const berth_allocator *allocator, char *out, size_t size)
{
    berth_str error = {0};
    berth__cel_room room;
    berth__cel_room_init(&room, allocator);
    berth__cel_verdict verdict = berth__cel_evaluate(cel, device, &room, &error);
    snprintf(out, size, "%c%.*s", "nyce?"[verdict], (int)error.len, error.data);
    berth__cel_room_destroy(&room);
}

#endif
