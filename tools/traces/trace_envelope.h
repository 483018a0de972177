/* One line of a trace: its event and its members. */
#ifndef BERTH_TOOLS_TRACE_ENVELOPE_H
#define BERTH_TOOLS_TRACE_ENVELOPE_H

#include "traces/line_file.h"
#include "traces/trace.h"

enum { TRACE_NAME_BYTES = 512 };

typedef enum event_kind {
    EVENT_POD_TEMPLATE,
    EVENT_NODE_TEMPLATE,
    EVENT_POD_ADD,
    EVENT_POD_UPDATE,
    EVENT_POD_REMOVE,
    EVENT_NODE_ADD,
    EVENT_NODE_UPDATE,
    EVENT_NODE_REMOVE,
    EVENT_NODE_FAIL,
    EVENT_NODE_RETURN,
    EVENT_OBJECT_ADD,
    EVENT_OBJECT_UPDATE,
    EVENT_OBJECT_REMOVE,
    EVENT_COUNT,
} event_kind;

/* Members of a line; also bits of a set of allowed members. */
typedef enum member {
    MEMBER_TIME,
    MEMBER_EVENT,
    MEMBER_OBJECT,
    MEMBER_TEMPLATE,
    MEMBER_NAME,
    MEMBER_NAMESPACE,
    MEMBER_LABELS,
    MEMBER_COUNT_OF,
    MEMBER_DURATION,
    MEMBER_KIND,
    MEMBER_COUNT,
} member;

/* The rules of an event: its word, what it does and to which kind of object, and the members that a
 * line may and must have. */
typedef struct event_rule {
    const char *name;
    trace_verb verb;
    berth_kind kind;  /* BERTH_KIND_COUNT: taken from the object */
    uint32_t allowed; /* bits of members, besides time and event */
    uint32_t needed;
} event_rule;

extern const event_rule trace_event_rules[EVENT_COUNT];

static inline bool trace_event_is_template(event_kind event)
{
    return event == EVENT_POD_TEMPLATE || event == EVENT_NODE_TEMPLATE;
}

/* One line, split into members. */
typedef struct trace_envelope {
    event_kind event;
    uint32_t given;                 /* bits of the given members */
    berth_str values[MEMBER_COUNT]; /* unchanged texts */
    char name[TRACE_NAME_BYTES];
    char namespace_name[TRACE_NAME_BYTES];
    char template_name[TRACE_NAME_BYTES];
    char kind[64];
    int64_t time_ns;
    int64_t duration_ns;
    uint64_t count;
} trace_envelope;

/* Split the current line of `lines`; its time must not be before `last_ns`. Errors: BERTH_E_PARSE,
 * BERTH_E_INVALID, with the line and the member. */
berth_status trace_envelope_read(const line_file *lines, int64_t last_ns, trace_envelope *line,
                                 berth_error *error);

static inline bool trace_envelope_has(const trace_envelope *line, member which)
{
    return (line->given & 1u << which) != 0;
}

/* Copy a JSON string's text to `out`, terminated; false if it is not a string, or does not fit. */
bool trace_string(berth_str value, char *out, size_t size);

/* Convert seconds from a JSON number to nanoseconds; false if it is not a number, below 0, or
 * beyond 199 years. Digits below the nanosecond are cut off. */
bool trace_seconds(berth_str text, int64_t *out_ns);

/* Set an error about a member of the current line. Returns `code`. */
berth_status trace_member_fail(const line_file *lines, berth_error *error, berth_status code,
                               member which, const char *message);

#endif
