/* What happens to a cluster over time, as traces tell it: pods come and go, nodes fail and return.
 * Readers hand out one event after the other, in the order of their times. */
#ifndef BERTH_TOOLS_TRACE_H
#define BERTH_TOOLS_TRACE_H

#include <stdint.h>

#include "berth/objects.h"

typedef enum trace_verb {
    TRACE_ADD,
    TRACE_UPDATE,
    TRACE_REMOVE,
    TRACE_FAIL,   /* of a node: it goes with all that runs on it, and may return */
    TRACE_RETURN, /* of a failed node: it is back, empty, as it was */
} trace_verb;

/* "Never", for times, and "no end", for durations. */
#define TRACE_NEVER INT64_MAX

/* A time and a span of time; TRACE_NEVER if either is, or if that is too far off to tell. */
static inline int64_t trace_later(int64_t time_ns, int64_t span_ns)
{
    return span_ns > TRACE_NEVER - time_ns ? TRACE_NEVER : time_ns + span_ns;
}

/* Times count from the start of the trace. */
typedef struct trace_event {
    int64_t time_ns;
    trace_verb verb;
    berth_kind kind;
    berth_object object; /* of TRACE_ADD and TRACE_UPDATE */
    /* An object that differs from `object` in its name and namespace alone, and lives until the
     * reader is closed; or NULL. */
    const berth_object *made_of;
    berth_str namespace_name; /* of the others: which object */
    berth_str name;
    /* A pod leaves when it has run this long since it was bound; a failed node returns after it. */
    int64_t duration_ns;
    int64_t leave_ns; /* a pod leaves at this time, whether it ever ran or not */
} trace_event;

/* Called with each event; it and its texts live until the call returns. `origin` says where it
 * stands (source and line), or is NULL. Anything but BERTH_OK ends the reading with that status,
 * `error` being the caller's to fill. */
typedef berth_status (*trace_event_fn)(void *context, const trace_event *event,
                                       const berth_error *origin, berth_error *error);

/* The names of an object. "default" stands for an absent namespace of a pod. */
static inline const berth_metadata *trace_meta(const trace_event *event)
{
    return event->object.as.any;
}

#endif
