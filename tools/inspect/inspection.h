/* Inspects an input while it is read: what is missing, odd, or ignored. */
#ifndef BERTH_TOOLS_INSPECTION_H
#define BERTH_TOOLS_INSPECTION_H

#include "berth/berth.h"
#include "inspect/findings.h"
#include "inspect/places.h"
#include "inspect/references.h"

/* Starts zeroed, except for the options of `references`. */
typedef struct inspection {
    findings findings;
    references references;
    places places;
    /* Called for objects of the kinds in `whole_kinds` of the reader's options; or NULL. */
    void (*on_whole)(void *context, const berth_note *note);
    void *context;
} inspection;

/* Takes the reader's notes; `context` is the inspection. */
void inspection_note(void *context, const berth_note *note);

/* Report on standard error what is odd about a scheduler configuration (NULL: none), for commands
 * that read no cluster. */
void inspection_config(const berth_scheduler_config *config, const char *command);

/* Inspect an object that is about to be added. */
void inspection_object(inspection *in, const berth_object *object, const berth_error *origin);

/* Call once everything has been read: reports the findings on standard error. Errors:
 * BERTH_E_INVALID if there are warnings and `strict` is set. */
berth_status inspection_end(inspection *in, const char *command, bool strict, berth_error *error);

void inspection_free(inspection *in);

#endif
