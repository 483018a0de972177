/* The kind of an object: its own, or the kind that its list states for all elements. */
#ifndef BERTH_TEXT_HEADING_H
#define BERTH_TEXT_HEADING_H

#include "text/json.h"

enum { BERTH__KIND_TEXT_MAX = 128 };

/* The kind of a list's elements, if the list states it and they do not. */
typedef struct berth__heading {
    char kind[BERTH__KIND_TEXT_MAX];
    char api_version[BERTH__KIND_TEXT_MAX];
} berth__heading;

/* A string's text. Absent for any other value. */
berth_str berth__json_text(const berth__json *value);

/* Read what a list states about its elements: "Pod" for a PodList, nothing for a List. Returns
 * false if it is not a list. */
bool berth__heading_read(const berth__json *list, berth__heading *out);

/* The kind and apiVersion of an object in `list`. `default_kind` (or NULL) is the kind if neither
 * the object nor the list states one. The texts belong to the tree, the heading or the caller. */
berth_str berth__heading_kind(const berth__heading *list, const char *default_kind,
                              const berth__json *object, berth_str *api_version);

#endif
