/* Traces: events of a cluster over time. Pods come and go, nodes fail and return. Readers pass on
 * one event after the other, ordered by time. */
#ifndef BERTH_TOOLS_TRACE_H
#define BERTH_TOOLS_TRACE_H

#include <stdint.h>

#include "berth/objects.h"

typedef enum trace_verb {
    TRACE_ADD,
    TRACE_UPDATE,
    TRACE_REMOVE,
    TRACE_FAIL,   /* a node is lost with all of its pods, and may return */
    TRACE_RETURN, /* a failed node returns unchanged, without pods */
} trace_verb;

/* "Never" for times, "no end" for durations. */
#define TRACE_NEVER INT64_MAX

/* The sum of a time and a span; TRACE_NEVER if either is, or if the sum is too large. */
static inline int64_t trace_later(int64_t time_ns, int64_t span_ns)
{
    return span_ns > TRACE_NEVER - time_ns ? TRACE_NEVER : time_ns + span_ns;
}

/* Times count from the start of the trace. */
typedef struct trace_event {
    int64_t time_ns;
    trace_verb verb;
    berth_kind kind;
    berth_object object; /* for TRACE_ADD and TRACE_UPDATE */
    /* An object that differs from `object` only in name and namespace, and lives until the reader
     * is closed; or NULL. */
    const berth_object *made_of;
    berth_str namespace_name; /* for the others: the object */
    berth_str name;
    /* a pod leaves so long after it was bound; a failed node returns after this time */
    int64_t duration_ns;
    int64_t leave_ns; /* a pod leaves at this time, whether it ever ran or not */
} trace_event;

/* Called with each event; the event and its texts are valid until the call returns. `origin` is its
 * place (source and line), or NULL. Any status but BERTH_OK ends the reading with that status; the
 * callee fills `error`. */
typedef berth_status (*trace_event_fn)(void *context, const trace_event *event,
                                       const berth_error *origin, berth_error *error);

/* The names of an object. A pod without a namespace is in "default". */
static inline const berth_metadata *trace_meta(const trace_event *event)
{
    return event->object.as.any;
}

#endif
