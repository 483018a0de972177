/* Sequences: scenarios with events. Objects come, change and go between decisions, and what a
 * decision brings about happens: victims are evicted, nodes are kept for pods, and a pod that
 * waits may try again. Source: tests/vectors/README.md, "Sequences". */
#ifndef BERTH_TOOLS_SEQUENCE_H
#define BERTH_TOOLS_SEQUENCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "berth/berth.h"

typedef struct sequence {
    berth_str events; /* JSON text; zeroed: the scenario has none, and a nomination is its end */
    size_t at;        /* of the next event in it */
} sequence;

typedef struct sequence_event {
    bool deletes; /* else the object is added, or replaced */
    berth_kind kind;
    berth_str object; /* JSON text */
} sequence_event;

/* Whether the scenario has events. */
bool sequence_is(const sequence *s);

/* The next event before the pending pod `pending`; `*due` is false when there is none.
 * Errors: E_PARSE. */
berth_status sequence_next(sequence *s, size_t pending, sequence_event *out, bool *due,
                           berth_error *error);

/* Add the object of an event, or replace the one of its name; or remove that one, if it is there.
 * Errors: those of the engine. */
berth_status sequence_apply(berth_engine *engine, const berth_object *object, bool deletes,
                            berth_error *error);

/* Let come what the vector says of a decision on a pod that was not placed. Errors: those of the
 * engine; E_NOT_FOUND, a node that is not there. */
berth_status sequence_follow(berth_engine *engine, const json_t *decision, berth_pod_id pod,
                             berth_error *error);

#endif
