/* Reads an object's JSON text: its identity, and a shorter text with only the fields that some
 * plugin reads. The hash of that text shows whether any of them has changed. */
#ifndef BERTH_LIVE_OBJECT_VIEW_H
#define BERTH_LIVE_OBJECT_VIEW_H

#include <stdbool.h>

#include "berth/objects.h"

/* Owner: texts point into the object's text; `kept` is the view's. Absent texts have no data. */
typedef struct object_view {
    berth_str name, namespace_name, uid;
    uint64_t version; /* metadata.resourceVersion; 0: absent or not a number */
    int64_t generation;
    /* for a pod */
    berth_str node_name, scheduler_name, nominated_node_name;
    berth_str scheduled; /* its condition PodScheduled, or PodGroupInitiallyScheduled, as JSON */
    /* the shorter text */
    char *kept;
    size_t kept_bytes, kept_capacity;
    uint64_t hash;
} object_view;

/* Read an object of a kind; returns false if the text is not an object with a name. `view` is
 * zeroed before the first use and can be reused. Cost: linear in the text. */
bool object_view_read(object_view *view, berth_kind kind, const char *text, size_t length);

/* Free what the view owns. */
void object_view_free(object_view *view);

/* Read a watch event's type and the text of its object. Returns false if the text is not an event.
 */
bool watch_event_read(const char *text, size_t length, berth_str *type, berth_str *object);

/* The value of a member of an object's text; no data: absent. Strings come with their quotes. */
berth_str json_member(berth_str object, const char *key);

/* A string's text without its quotes; no data if it is not a string, or has escapes. */
berth_str json_plain_string(berth_str value);

#endif
