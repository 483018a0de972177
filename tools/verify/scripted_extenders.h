/* The scripted extenders of a scenario (tests/vectors/README.md): what they answer follows from a
 * hash of names, as in the oracle. */
#ifndef BERTH_TOOLS_SCRIPTED_EXTENDERS_H
#define BERTH_TOOLS_SCRIPTED_EXTENDERS_H

#include "berth/berth.h"

typedef struct scripted_extenders scripted_extenders;

/* Read the member "extenders" of a scenario (no data: none; then `*out` is NULL). Errors:
 * BERTH_E_PARSE, BERTH_E_INVALID. */
berth_status scripted_extenders_read(berth_str text, scripted_extenders **out, berth_error *error);
/* Accepts NULL. Call it after the engine is destroyed. */
void scripted_extenders_free(scripted_extenders *all);

/* What an engine's configuration gets; NULL and 0 without extenders. */
const berth_extender *const *scripted_extenders_tables(const scripted_extenders *all,
                                                       uint32_t *count);
/* The engine that asks them, for names. */
void scripted_extenders_serve(scripted_extenders *all, const berth_engine *engine);

#endif
