/* CEL as used by device selectors: an expression is compiled once and evaluated for any number of
 * devices.
 *
 * The language is the one that kube-scheduler v1.36 or v1.37 offers to DeviceClasses and
 * ResourceClaims: static types, with attributes of type any (dyn since v1.37); errors that && and
 * || absorb; optionals, macros, strings, lists, sets, regular expressions, quantities and semantic
 * versions. Error texts are those of kube-scheduler.
 *
 * No expression can cost more than a fixed amount of work, memory or stack: the depth of an
 * expression, the size of types, the work of an evaluation and its memory are all limited.
 *
 * Source: k8s.io/dynamic-resource-allocation/cel v0.36 and v0.37, cel-go v0.26 and v0.29. */
#ifndef BERTH_CEL_CEL_H
#define BERTH_CEL_CEL_H

#include "base/arena.h"

/* ---- a device ---- */

typedef enum berth__cel_attribute_kind {
    BERTH__CEL_INT,
    BERTH__CEL_BOOL,
    BERTH__CEL_STRING,
    BERTH__CEL_VERSION,
    BERTH__CEL_UNSUPPORTED, /* a list, or nothing: every selector fails for the device */
} berth__cel_attribute_kind;

typedef struct berth__cel_attribute {
    berth_str domain; /* the driver's name if the attribute's name has no domain */
    berth_str id;
    bool bare; /* the name was written without its domain */
    berth__cel_attribute_kind kind;
    int64_t number; /* for an int or bool */
    berth_str text; /* for a string or version */
} berth__cel_attribute;

typedef struct berth__cel_capacity {
    berth_str domain; /* as above */
    berth_str id;
    __int128 nanos;
} berth__cel_capacity;

/* A device. Borrowed during a call. */
typedef struct berth__cel_device {
    berth_str driver;
    bool allow_multiple; /* allowMultipleAllocations */
    const berth__cel_attribute *attributes;
    uint32_t attribute_count;
    const berth__cel_capacity *capacities;
    uint32_t capacity_count;
} berth__cel_device;

/* ---- an expression ---- */

/* The release of Kubernetes whose language it is; earlier ones have that of 1.36. */
typedef enum berth__cel_release {
    BERTH__CEL_1_36,
    BERTH__CEL_1_37,
} berth__cel_release;

/* A compiled expression. Any number of threads may use it at a time. */
typedef struct berth__cel berth__cel;

/* Compile. A text that is not a valid selector compiles to an expression whose verdict is always
 * BERTH__CEL_COMPILE_ERROR. Keeps its own copy of `text`. The only failure is BERTH_E_NOMEM. Cost:
 * at most about a millisecond for the 10240 bytes that an expression may have; a longer one does
 * not compile. */
berth_status berth__cel_compile(const berth_allocator *allocator, berth__cel_release release,
                                berth_str text, berth__cel **out);

/* Accepts NULL. */
void berth__cel_destroy(berth__cel *cel);

/* Why the expression does not compile; empty if it does. Lives as long as `cel`. */
berth_str berth__cel_problem(const berth__cel *cel);

/* Scratch memory of evaluations: one for each thread, reused for each evaluation. */
typedef struct berth__cel_room {
    berth__arena arena;
} berth__cel_room;

void berth__cel_room_init(berth__cel_room *room, const berth_allocator *allocator);
void berth__cel_room_destroy(berth__cel_room *room);

typedef enum berth__cel_verdict {
    BERTH__CEL_FALSE,
    BERTH__CEL_TRUE,
    BERTH__CEL_COMPILE_ERROR, /* `*error`: the text after "CEL compile error: " */
    BERTH__CEL_RUNTIME_ERROR, /* `*error`: the text after "CEL runtime error: " */
    BERTH__CEL_NO_MEMORY,
} berth__cel_verdict;

/* Evaluate for a device. `*error` is set with the two error verdicts. It lives until the room is
 * used again or destroyed, or the expression is destroyed. Cost: a few microseconds for typical
 * expressions; at most 1,000,000 units of work. */
berth__cel_verdict berth__cel_evaluate(const berth__cel *cel, const berth__cel_device *device,
                                       berth__cel_room *room, berth_str *error);

/* ---- what an expression reads ---- */

/* Whether two devices agree in everything that an expression reads, so that they get the same
 * verdict (and the same error text, except for the name of an attribute that no selector can read).
 * Sound, but not complete: the result may be false for devices that get the same verdict. */
bool berth__cel_alike(const berth__cel *cel, const berth__cel_device *a,
                      const berth__cel_device *b);

/* A hash that is equal for devices that berth__cel_alike finds alike. */
uint64_t berth__cel_hash(const berth__cel *cel, const berth__cel_device *device);

#endif
