/* The scheduler of v1.15, as the rest of the engine sees it: its predicates and priorities by name,
 * and their names, evaluation order and providers. This header is the only way into legacy/.
 *
 * A library may be built without it (BERTH_LEGACY=OFF). Then berth__legacy_built returns false, no
 * plugin is found, and the lists do not exist; config/config_legacy.c, which alone reads them, is
 * not built either. Other differences of v1.15 are behaviours of the common code
 * (model/behaviours.h). */
#ifndef BERTH_LEGACY_LEGACY_H
#define BERTH_LEGACY_LEGACY_H

#include <stdbool.h>

#include "berth/profile.h"
#include "plugins/plugin.h"

/* Whether this library includes v1.15. */
bool berth__legacy_built(void);

/* The predicate or priority of that name that only v1.15 has, or NULL. */
const berth__plugin_ops *berth__legacy_plugin_find(berth_str name);

/* ---- names, order, providers ---- */

/* Whether a predicate or priority takes a Policy entry's `argument`. */
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

/* Return NULL for a name that v1.15 does not know. */
const berth__legacy_info *berth__legacy_predicate_find(berth_str name);
const berth__legacy_info *berth__legacy_priority_find(berth_str name);

/* The position of a predicate in the fixed evaluation order; UINT32_MAX if it has none. */
uint32_t berth__legacy_predicate_rank(berth_str name);

/* The predicates that always run, regardless of the Policy. */
berth_plugin_list berth__legacy_mandatory(void);

/* The checks of a pod before any predicate runs, with both providers and every Policy. */
berth_plugin_list berth__legacy_checks(void);

/* The predicates of both providers in evaluation order. */
berth_plugin_list berth__legacy_predicates(void);

/* The priorities of a provider; NULL for a provider that does not exist. */
const berth_plugin_list *berth__legacy_priorities(berth_str provider);

#endif
