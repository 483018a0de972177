/* "Did you mean": the word that is spelled most like the one that was given. */
#ifndef BERTH_TOOLS_SUGGEST_H
#define BERTH_TOOLS_SUGGEST_H

#include <stdint.h>

/* The best one so far. Owner: the word asked about is borrowed; what was offered is copied. */
typedef struct suggestion {
    const char *wanted;
    uint32_t distance; /* of `best` */
    char best[300];
} suggestion;

void suggestion_begin(suggestion *s, const char *wanted);

/* One word that would have been right; of equals the first is kept. */
void suggestion_offer(suggestion *s, const char *word);

/* What is like enough to be worth saying, or NULL. Borrowed from `s`. */
const char *suggestion_end(const suggestion *s);

/* The same among words that end with NULL; NULL if none is like enough. Borrowed from the list. */
const char *suggest_among(const char *wanted, const char *const *words);

#endif
