/* Synthetic clusters as manifest text in memory: what the benchmarks of reading read. */
#ifndef BERTH_BENCH_MANIFEST_TEXT_H
#define BERTH_BENCH_MANIFEST_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct manifest_text {
    char *data; /* freed with free */
    size_t bytes;
} manifest_text;

/* The List that berth generate writes for a specification as --synthetic takes it, one object a
 * line; with `wide` as kubectl prints it, one value a line. False if the specification is wrong
 * or memory is short. */
bool manifest_text_make(const char *specification, bool wide, manifest_text *out);

#endif
