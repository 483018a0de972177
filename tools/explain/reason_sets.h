/* Why pods were not placed, those that were refused for the same set of reasons together. */
#ifndef BERTH_TOOLS_REASON_SETS_H
#define BERTH_TOOLS_REASON_SETS_H

#include "berth/engine.h"
#include "cli/output.h"
#include "cli/words.h"
#include "explain/text_buffer.h"

/* A reason, and how many nodes gave it: of the pods of a set, the least and the most. */
typedef struct set_reason {
    uint32_t word; /* in `words` */
    uint32_t least;
    uint32_t most;
} set_reason;

typedef struct reason_set {
    set_reason *reasons;
    uint32_t count;
    uint64_t pods;
} reason_set;

/* Zeroed: empty. */
typedef struct reason_sets {
    word_table words; /* of reasons */
    word_table keys;  /* of sets: the numbers of their words */
    reason_set *items;
    size_t count;
    size_t capacity;
} reason_sets;

/* Count a pod that was not placed; returns the number of its set. */
uint32_t reason_sets_add(reason_sets *sets, const berth_explanation *why);
/* Count another pod that was refused in the same way as the last pod of that set. */
void reason_sets_repeat(reason_sets *sets, uint32_t set);
void reason_sets_free(reason_sets *sets);

/* The sets, that of most pods first; freed by the caller. */
uint32_t *reason_sets_ranked(const reason_sets *sets);

/* "Insufficient memory (4,433 nodes), cpu (2,800)". */
void reason_set_text(const reason_sets *sets, uint32_t set, text_buffer *out);

/* The same of one pod alone. */
void reasons_text(const berth_explanation *why, text_buffer *out);

/* As lines of a summary: how many pods, and why; at most `most` lines. */
void reason_sets_print(const reason_sets *sets, size_t most, FILE *file);

/* The reasons of one set as an array of {reason, leastNodes, mostNodes}. */
void reason_set_write(const reason_sets *sets, uint32_t number, output *o);

/* As an array of {pods, reasons: [{reason, leastNodes, mostNodes}]}. */
void reason_sets_write(const reason_sets *sets, output *o);

#endif
