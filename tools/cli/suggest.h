/* "Did you mean": finds the word whose spelling is closest to a given one. */
#ifndef BERTH_TOOLS_SUGGEST_H
#define BERTH_TOOLS_SUGGEST_H

#include <stdint.h>

/* The best word so far. Owner: the wanted word is borrowed; offered words are copied. */
typedef struct suggestion {
    const char *wanted;
    uint32_t distance; /* of `best` */
    char best[300];
} suggestion;

void suggestion_begin(suggestion *s, const char *wanted);

/* Offer a valid word; of equally close words, the first is kept. Words that have no room in `best`
 * are passed over. */
void suggestion_offer(suggestion *s, const char *word);

/* The best word, or NULL if none is close enough. Borrowed from `s`. */
const char *suggestion_end(const suggestion *s);

/* The same for a list of words that ends with NULL. Borrowed from the list. */
const char *suggest_among(const char *wanted, const char *const *words);

#endif
