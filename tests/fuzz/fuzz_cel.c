/* Selectors of devices: any text compiles or is refused with a reason; its result for a device is
 * the same when repeated, and for every equal device. */
#include "fuzz.h"

#include <string.h>

#include "cel/cel.h"

#define UNITS(n) ((__int128)(n)*1000000000)
#define DOMAIN BERTH_STR("gpu.nvidia.com")

static const berth__cel_attribute attributes[] = {
    {DOMAIN, BERTH_STR("type"), true, BERTH__CEL_STRING, 0, BERTH_STR("gpu")},
    {DOMAIN, BERTH_STR("index"), true, BERTH__CEL_INT, 7, {0}},
    {DOMAIN, BERTH_STR("whole"), true, BERTH__CEL_BOOL, 1, {0}},
    {DOMAIN, BERTH_STR("driverVersion"), true, BERTH__CEL_VERSION, 0, BERTH_STR("550.54.15")},
    {BERTH_STR("other.io"), BERTH_STR("label"), false, BERTH__CEL_STRING, 0,
     BERTH_STR("h\xc3\xa9llo")},
};
static const berth__cel_attribute others[] = {
    {DOMAIN, BERTH_STR("driverVersion"), true, BERTH__CEL_VERSION, 0, BERTH_STR("550.54.15")},
    {DOMAIN, BERTH_STR("type"), true, BERTH__CEL_STRING, 0, BERTH_STR("gpu")},
    {DOMAIN, BERTH_STR("index"), true, BERTH__CEL_INT, 8, {0}},
};
static const berth__cel_capacity capacities[] = {
    {DOMAIN, BERTH_STR("memory"), UNITS(INT64_C(40) << 30)},
    {DOMAIN, BERTH_STR("bandwidth"), 1500000000},
};
static const berth__cel_device devices[] = {
    {DOMAIN, false, attributes, 5, capacities, 2},
    {DOMAIN, false, others, 3, capacities, 1},
    {BERTH_STR("dra.net"), true, NULL, 0, NULL, 0},
};
enum { DEVICES = sizeof(devices) / sizeof(devices[0]), ERROR_MAX = 256 };

typedef struct saying {
    berth__cel_verdict verdict;
    char error[ERROR_MAX];
} saying;

static saying ask(const berth__cel *cel, int device, berth__cel_room *room)
{
    berth_str error = {0};
    saying out = {.verdict = berth__cel_evaluate(cel, &devices[device], room, &error)};
    uint32_t kept = error.len < ERROR_MAX - 1 ? error.len : ERROR_MAX - 1;
    if (kept > 0)
        memcpy(out.error, error.data, kept);
    FUZZ_CHECK(out.verdict != BERTH__CEL_NO_MEMORY);
    FUZZ_CHECK((out.verdict > BERTH__CEL_TRUE) == (error.len > 0));
    FUZZ_CHECK((out.verdict == BERTH__CEL_COMPILE_ERROR) == (berth__cel_problem(cel).len > 0));
    return out;
}

static void check_same(const saying *a, const saying *b)
{
    FUZZ_CHECK(a->verdict == b->verdict);
    FUZZ_CHECK(strcmp(a->error, b->error) == 0);
}

static void try_as(berth__cel_release release, berth_str text)
{
    berth__cel *cel;
    berth__cel_room room;
    saying said[DEVICES];
    FUZZ_CHECK(berth__cel_compile(berth__allocator_default(), release, text, &cel) == BERTH_OK);
    berth__cel_room_init(&room, berth__allocator_default());
    for (int i = 0; i < DEVICES; i++)
        said[i] = ask(cel, i, &room);
    for (int i = 0; i < DEVICES; i++) {
        saying again = ask(cel, i, &room);
        check_same(&said[i], &again);
        FUZZ_CHECK(berth__cel_alike(cel, &devices[i], &devices[i]));
        for (int k = 0; k < i; k++) {
            bool alike = berth__cel_alike(cel, &devices[i], &devices[k]);
            FUZZ_CHECK(alike == berth__cel_alike(cel, &devices[k], &devices[i]));
            if (!alike)
                continue;
            FUZZ_CHECK(berth__cel_hash(cel, &devices[i]) == berth__cel_hash(cel, &devices[k]));
            check_same(&said[i], &said[k]);
        }
    }
    berth__cel_room_destroy(&room);
    berth__cel_destroy(cel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    berth_str text = {(const char *)data, (uint32_t)size};
    try_as(BERTH__CEL_1_36, text);
    try_as(BERTH__CEL_1_37, text);
    return 0;
}
