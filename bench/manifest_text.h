/* Synthetic clusters as manifest text in memory: the input of the reading benchmarks. */
#ifndef BERTH_BENCH_MANIFEST_TEXT_H
#define BERTH_BENCH_MANIFEST_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct manifest_text {
    char *data; /* freed with free */
    size_t bytes;
} manifest_text;

/* Make the List that berth generate writes for a specification in the form of --synthetic: one
 * object a line, or with `wide` one value a line, as kubectl prints it. Returns false if the
 * specification is wrong or there is no memory. */
bool manifest_text_make(const char *specification, bool wide, manifest_text *out);

#endif
