/* Of what kind an object is: what it says itself, or what the list it stands in says of all its
 * elements. */
#ifndef BERTH_TEXT_HEADING_H
#define BERTH_TEXT_HEADING_H

#include "text/json.h"

enum { BERTH__KIND_TEXT_MAX = 128 };

/* The kind of a list's elements, where the list tells it and they do not. */
typedef struct berth__heading {
    char kind[BERTH__KIND_TEXT_MAX];
    char api_version[BERTH__KIND_TEXT_MAX];
} berth__heading;

/* A string's text; absent for any other value. */
berth_str berth__json_text(const berth__json *value);

/* What a list says of its elements: "Pod" of a PodList, nothing of a List. False if it is no
 * list. */
bool berth__heading_read(const berth__json *list, berth__heading *out);

/* The kind and the apiVersion of an object below `list`; `default_kind` (or NULL) is that of one
 * which neither has told. The texts belong to the tree, the heading or the caller. */
berth_str berth__heading_kind(const berth__heading *list, const char *default_kind,
                              const berth__json *object, berth_str *api_version);

#endif
