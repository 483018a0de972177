/* Sequences: scenarios with events. Objects come, change and go between decisions, and the
 * consequences of decisions happen: victims are evicted, nodes are nominated for pods, and a
 * waiting pod may try again. Source: tests/vectors/README.md, "Sequences". */
#ifndef BERTH_TOOLS_SEQUENCE_H
#define BERTH_TOOLS_SEQUENCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "berth/berth.h"

typedef struct sequence {
    berth_str events; /* JSON text; zeroed: no events, and a nomination ends the scenario */
    size_t at;        /* position of the next event */
} sequence;

typedef struct sequence_event {
    bool deletes; /* remove the object; otherwise add or replace it */
    berth_kind kind;
    berth_str object; /* JSON text */
} sequence_event;

/* Whether the scenario has events. */
bool sequence_is(const sequence *s);

/* Read the next event before the pending pod `pending`; `*due` is false if there is none. Errors:
 * BERTH_E_PARSE. */
berth_status sequence_next(sequence *s, size_t pending, sequence_event *out, bool *due,
                           berth_error *error);

/* Apply an event: add its object or replace the one of that name, or remove that one if it exists.
 * Errors: those of the engine. */
berth_status sequence_apply(berth_engine *engine, const berth_object *object, bool deletes,
                            berth_error *error);

/* Apply the consequences that the vector records for a decision on an unplaced pod. Errors: those
 * of the engine; BERTH_E_NOT_FOUND: a node does not exist. */
berth_status sequence_follow(berth_engine *engine, const json_t *decision, berth_pod_id pod,
                             berth_error *error);

#endif
