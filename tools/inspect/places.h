/* The places of objects in the input, so that the error about a duplicate can name both. */
#ifndef BERTH_TOOLS_PLACES_H
#define BERTH_TOOLS_PLACES_H

#include "berth/berth.h"
#include "cli/words.h"

typedef struct placed_object {
    uint64_t hash; /* hash of kind, namespace and name */
    uint32_t source;
    uint32_t line;
} placed_object;

/* Zeroed: none. */
typedef struct places {
    word_table sources;
    bool source_known; /* all objects come from `source` */
    uint32_t source;
    placed_object *items;
    size_t count;
    size_t capacity;
} places;

/* From here on, objects come from one source, with the reader's name for it; NULL: from any. */
void places_source(places *p, const char *source);

/* Record an object that was added. */
void places_add(places *p, const berth_object *object, const berth_error *origin);

/* Add the place of the first such object to an "already exists" error. */
void places_cite(const places *p, const berth_object *object, berth_error *error);

void places_free(places *p);

#endif
