/* CEL as selectors of devices use it: an expression compiled once, asked about any number of
 * devices.
 *
 * The language is what kube-scheduler v1.36 gives to DeviceClasses and ResourceClaims: static
 * types, with attributes of type any; errors that && and || absorb; optionals, macros, strings,
 * lists, sets, regular expressions, quantities and semantic versions. Texts of errors are its
 * texts.
 *
 * Nothing that an expression can say costs more than a fixed amount of work, memory or stack: the
 * depth of an expression, the size of types, the units of an evaluation and its memory are all
 * limited.
 *
 * Source: k8s.io/dynamic-resource-allocation/cel v0.36, cel-go v0.26. */
#ifndef BERTH_CEL_CEL_H
#define BERTH_CEL_CEL_H

#include "base/arena.h"

/* ---- a device ---- */

typedef enum berth__cel_attribute_kind {
    BERTH__CEL_INT,
    BERTH__CEL_BOOL,
    BERTH__CEL_STRING,
    BERTH__CEL_VERSION,
    BERTH__CEL_UNSUPPORTED, /* a list, or nothing: every selector errs at the device */
} berth__cel_attribute_kind;

typedef struct berth__cel_attribute {
    berth_str domain; /* the driver's where the name was bare */
    berth_str id;
    bool bare; /* the name was written without its domain */
    berth__cel_attribute_kind kind;
    int64_t number; /* of an int or bool */
    berth_str text; /* of a string or version */
} berth__cel_attribute;

typedef struct berth__cel_capacity {
    berth_str domain; /* as above */
    berth_str id;
    __int128 nanos;
} berth__cel_capacity;

/* Borrowed for the length of a call. */
typedef struct berth__cel_device {
    berth_str driver;
    bool allow_multiple; /* allowMultipleAllocations */
    const berth__cel_attribute *attributes;
    uint32_t attribute_count;
    const berth__cel_capacity *capacities;
    uint32_t capacity_count;
} berth__cel_device;

/* ---- an expression ---- */

/* A compiled expression. Threads: any, any number at a time. */
typedef struct berth__cel berth__cel;

/* Compile. A text that is no selector is compiled, too: into one whose verdict is always
 * BERTH__CEL_COMPILE_ERROR. Keeps its own copy of `text`. Fails with BERTH_E_NOMEM alone.
 * Cost: at most in the order of a millisecond for the 10240 bytes that an expression may have; a
 * longer one does not compile. */
berth_status berth__cel_compile(const berth_allocator *allocator, berth_str text, berth__cel **out);

/* Accepts NULL. */
void berth__cel_destroy(berth__cel *cel);

/* Why it doesn't compile; empty: it does. Lives as long as `cel`. */
berth_str berth__cel_problem(const berth__cel *cel);

/* Scratch memory of evaluations: one for each thread, used again and again. */
typedef struct berth__cel_room {
    berth__arena arena;
} berth__cel_room;

void berth__cel_room_init(berth__cel_room *room, const berth_allocator *allocator);
void berth__cel_room_destroy(berth__cel_room *room);

typedef enum berth__cel_verdict {
    BERTH__CEL_FALSE,
    BERTH__CEL_TRUE,
    BERTH__CEL_COMPILE_ERROR, /* `*error`: what follows "CEL compile error: " */
    BERTH__CEL_RUNTIME_ERROR, /* `*error`: what follows "CEL runtime error: " */
    BERTH__CEL_NO_MEMORY,
} berth__cel_verdict;

/* Ask about a device. `*error` is set with the two verdicts that say so, and lives until the room
 * is used again or destroyed, or the expression is. Cost: some microseconds for what clusters use;
 * at most 1,000,000 units of work. */
berth__cel_verdict berth__cel_evaluate(const berth__cel *cel, const berth__cel_device *device,
                                       berth__cel_room *room, berth_str *error);

/* ---- what an expression reads ---- */

/* Whether two devices agree in all that an expression reads of them, so that they get one verdict
 * (and one text, but for its naming an attribute that no selector can read). Sound, not
 * complete. */
bool berth__cel_alike(const berth__cel *cel, const berth__cel_device *a,
                      const berth__cel_device *b);

/* A hash that is equal for devices that are alike. */
uint64_t berth__cel_hash(const berth__cel *cel, const berth__cel_device *device);

#endif
