/* What runs by default: the table of v1.32's own plugins, and the names, evaluation order and
 * providers of v1.15. The configuration reader builds profiles from these. */
#ifndef BERTH_PLUGINS_PROFILE_LISTS_H
#define BERTH_PLUGINS_PROFILE_LISTS_H

#include "berth/profile.h"

/* ---- v1.32 and later ---- */

/* A plugin of kube-scheduler's default set of Kubernetes 1.`minor` (0: the newest). */
typedef struct berth__plugin_info {
    berth_str name;
    uint32_t points; /* bit 1 << berth_point of every point that it implements */
    int32_t weight;  /* default weight as configured; 0 where none is written */
} berth__plugin_info;

/* The default multiPoint list, in its order. */
const berth__plugin_info *berth__plugin_infos(uint32_t minor, uint32_t *count);

/* The entry of a name; NULL for a plugin that the table does not know. */
const berth__plugin_info *berth__plugin_info_find(uint32_t minor, berth_str name);

/* Whether every version since 1.32 refuses this name because the plugin left the tree. */
bool berth__plugin_info_removed(berth_str name);

/* ---- v1.15 ---- */

/* Which part of a Policy entry's `argument` a predicate or priority is made from. */
typedef enum berth__legacy_argument {
    BERTH__LEGACY_PLAIN = 0, /* takes none */
    BERTH__LEGACY_OPTIONAL,  /* has a default */
    BERTH__LEGACY_REQUIRED,
} berth__legacy_argument;

typedef struct berth__legacy_info {
    berth_str name;           /* as a Policy writes it */
    berth_str implementation; /* the registry's name */
    berth__legacy_argument argument;
} berth__legacy_info;

/* NULL for a name that v1.15 does not know. */
const berth__legacy_info *berth__legacy_predicate_find(berth_str name);
const berth__legacy_info *berth__legacy_priority_find(berth_str name);

/* The place of a predicate in the fixed evaluation order; UINT32_MAX if it has none. */
uint32_t berth__legacy_predicate_rank(berth_str name);

/* Predicates that run whatever a Policy says. */
berth_plugin_list berth__legacy_mandatory(void);

/* What is checked of a pod before any predicate runs, by both providers and every Policy. */
berth_plugin_list berth__legacy_checks(void);

/* The predicates of both providers in evaluation order. */
berth_plugin_list berth__legacy_predicates(void);

/* The priorities of a provider; NULL for a provider that does not exist. */
const berth_plugin_list *berth__legacy_priorities(berth_str provider);

#endif
