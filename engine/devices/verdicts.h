/* Verdicts of selectors on devices: an expression is compiled once, and evaluated once for each
 * kind of device that it can distinguish. Verdicts hold as long as contents keep their numbers.
 * Source: dynamic-resource-allocation v0.36, cel; structured/internal/incubating. */
#ifndef BERTH_DEVICES_VERDICTS_H
#define BERTH_DEVICES_VERDICTS_H

#include "base/limit.h"
#include "cel/cel.h"
#include "devices/catalog.h"

typedef enum berth__device_verdict {
    BERTH__VERDICT_UNKNOWN, /* not evaluated yet */
    BERTH__VERDICT_NO,
    BERTH__VERDICT_YES,
    BERTH__VERDICT_FAILED, /* an error; berth__device_program_problem returns its text */
} berth__device_verdict;

/* A device that was evaluated, and its verdict, which holds for all devices that the expression
 * cannot tell apart from it. */
typedef struct berth__device_likeness {
    struct berth__device_likeness *next;
    uint64_t hash;
    const berth__offer *offer;
    berth__device_verdict verdict;
} berth__device_likeness;

enum { BERTH__LIKENESS_BUCKETS = 256 };

typedef struct berth__device_program {
    berth__keymap_entry entry; /* by text */
    char *text;
    uint32_t text_bytes;
    berth__cel *cel;
    uint64_t numbering;  /* that of the contents for the following members */
    uint8_t *by_content; /* verdicts */
    uint32_t content_capacity;
    uint64_t closings;                 /* the state of the catalog for `likeness` */
    berth__device_likeness **likeness; /* by hash */
} berth__device_program;

typedef struct berth__verdicts {
    berth__model *model;
    berth__keymap programs;
    berth__cel_room room;
    berth__arena arena;   /* holds the devices of `likeness` */
    berth__arena scratch; /* for one evaluation */
    uint64_t numbering;   /* the catalog's */
    uint64_t closings;    /* the catalog's */
    uint32_t asked;       /* evaluations so far */
} berth__verdicts;

/* The maximum number of programs to keep. */
enum { BERTH__PROGRAMS_MAX = BERTH__LIMIT(1024, 4) };

berth_status berth__verdicts_init(berth__verdicts *verdicts, berth__model *model);
void berth__verdicts_destroy(berth__verdicts *verdicts);

/* The catalog may have changed: forget devices that are gone, and if contents have new numbers, all
 * verdicts. */
void berth__verdicts_follow(berth__verdicts *verdicts, const berth__catalog *catalog);

/* Call this between questions: frees programs if there are too many. */
void berth__verdicts_trim(berth__verdicts *verdicts);

/* The program of an expression, compiled if it is new; NULL when out of memory. Valid until the
 * next trim. */
berth__device_program *berth__device_program_get(berth__verdicts *verdicts, berth__sym expression);

/* A program's verdict on a device. Sets `*ok` to false when out of memory. */
berth__device_verdict berth__device_program_ask(berth__verdicts *verdicts,
                                                berth__device_program *program,
                                                const berth__offer *offer, bool *ok);

/* The error of a program that failed on a device: "CEL compile error: TEXT" or "CEL runtime error:
 * TEXT"; absent when out of memory. Valid until the next evaluation. */
berth_str berth__device_program_problem(berth__verdicts *verdicts, berth__device_program *program,
                                        const berth__offer *offer);

#endif
