/* What an input says of itself while it is read: what is missing in it, odd, or passed over. */
#ifndef BERTH_TOOLS_INSPECTION_H
#define BERTH_TOOLS_INSPECTION_H

#include "berth/berth.h"
#include "inspect/findings.h"
#include "inspect/places.h"
#include "inspect/references.h"

/* Zeroed, and what `references` says: nothing read. */
typedef struct inspection {
    findings findings;
    references references;
    places places;
    /* Called with objects of kinds that `whole_kinds` of the reader's options lists; or NULL. */
    void (*on_whole)(void *context, const berth_note *note);
    void *context;
} inspection;

/* The reader's notes; `context` is the inspection. */
void inspection_note(void *context, const berth_note *note);

/* Say on standard error what is odd about a scheduler configuration (NULL: there is none), for
 * commands that read no cluster. */
void inspection_config(const berth_scheduler_config *config, const char *command);

/* An object that is about to be added. */
void inspection_object(inspection *in, const berth_object *object, const berth_error *origin);

/* Once everything has been read: say what was found, on standard error. Errors: E_INVALID if there
 * are warnings and `strict` is set. */
berth_status inspection_end(inspection *in, const char *command, bool strict, berth_error *error);

void inspection_free(inspection *in);

#endif
