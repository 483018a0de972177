/* Strict reading of a configuration's tree: members by name and type; errors name the path of the
 * present field ("profiles[0].plugins.score.enabled[2].weight"). As in Go, null counts as
 * absent. */
#ifndef BERTH_CONFIG_CONFIG_TREE_H
#define BERTH_CONFIG_CONFIG_TREE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "text/json.h"

/* The longest list whose entries are compared with each other. */
enum { BERTH__CONFIG_SHORT_MAX = 256 };

typedef struct berth__config_tree {
    berth__arena *arena; /* of the result: holds copies of strings and lists */
    berth_error *error;  /* may be NULL */
    uint32_t release;    /* selects the defaults; as berth_engine_config.kubernetes */
    bool extenders;      /* extenders are read; otherwise they are refused */
    const char *source;
    size_t path_len;
    char path[192];
} berth__config_tree;

/* Fill the error with the current path and return `code`. */
berth_status berth__config_fail(berth__config_tree *tree, berth_status code, const char *format,
                                ...) __attribute__((format(printf, 3, 4)));
berth_status berth__config_nomem(berth__config_tree *tree);

/* Step into a member or a list element. To step out, pass the result to berth__config_leave. */
size_t berth__config_enter(berth__config_tree *tree, const char *member);
size_t berth__config_enter_at(berth__config_tree *tree, uint32_t index);
void berth__config_leave(berth__config_tree *tree, size_t before);

/* Check that `value` is an object whose members are all in `known` (at most 63 names, then NULL),
 * each at most once. */
berth_status berth__config_object(berth__config_tree *tree, const berth__json *value,
                                  const char *const *known);

/* A member, unless it is absent or null; else NULL. */
const berth__json *berth__config_member(const berth__json *object, const char *key);

typedef struct berth__config_range {
    int64_t min;
    int64_t max;
} berth__config_range;

/* Read a member of a type. If it is absent, `*out` keeps its value, and a list is NULL. */
berth_status berth__config_string(berth__config_tree *tree, const berth__json *object,
                                  const char *key, berth_str *out);
berth_status berth__config_bool(berth__config_tree *tree, const berth__json *object,
                                const char *key, bool *out);
berth_status berth__config_int(berth__config_tree *tree, const berth__json *object, const char *key,
                               berth__config_range range, int64_t *out);
berth_status berth__config_int32(berth__config_tree *tree, const berth__json *object,
                                 const char *key, berth__config_range range, int32_t *out);
berth_status berth__config_list(berth__config_tree *tree, const berth__json *object,
                                const char *key, const berth__json **out);
berth_status berth__config_short_list(berth__config_tree *tree, const berth__json *object,
                                      const char *key, const berth__json **out);
berth_status berth__config_strings(berth__config_tree *tree, const berth__json *object,
                                   const char *key, berth_strs *out);

/* Read a member that must be present and not empty. */
berth_status berth__config_name(berth__config_tree *tree, const berth__json *object,
                                const char *key, berth_str *out);

/* Zeroed memory of the arena for `count` elements; NULL, with the error filled, when out of
 * memory. */
void *berth__config_array(berth__config_tree *tree, uint32_t count, size_t element_bytes);

/* The tree as JSON text, in the arena. */
berth_status berth__config_json_text(berth__config_tree *tree, const berth__json *value,
                                     berth_str *out);

#endif
