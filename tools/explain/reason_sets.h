/* Groups unplaced pods by their sets of reasons. */
#ifndef BERTH_TOOLS_REASON_SETS_H
#define BERTH_TOOLS_REASON_SETS_H

#include "berth/engine.h"
#include "cli/output.h"
#include "cli/text_buffer.h"
#include "cli/words.h"

/* A reason, and the smallest and largest number of nodes with it among the pods of a set. */
typedef struct set_reason {
    uint32_t word; /* index in `words` */
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
    word_table keys;  /* sets, as the numbers of their words */
    reason_set *items;
    size_t count;
    size_t capacity;
} reason_sets;

/* Count an unplaced pod; returns the number of its set. */
uint32_t reason_sets_add(reason_sets *sets, const berth_explanation *why);
/* Count another pod that was refused in the same way as the last pod of that set. */
void reason_sets_repeat(reason_sets *sets, uint32_t set);
void reason_sets_free(reason_sets *sets);

/* The sets, largest number of pods first; freed by the caller. */
uint32_t *reason_sets_ranked(const reason_sets *sets);

/* Writes "Insufficient memory (4,433 nodes), cpu (2,800)". */
void reason_set_text(const reason_sets *sets, uint32_t set, text_buffer *out);

/* Writes the same for one pod. */
void reasons_text(const berth_explanation *why, text_buffer *out);

/* Print lines of a summary: how many pods, and why; at most `most` lines. */
void reason_sets_print(const reason_sets *sets, size_t most, FILE *file);

/* Write the reasons of one set as an array of {reason, leastNodes, mostNodes}. */
void reason_set_write(const reason_sets *sets, uint32_t number, output *o);

/* Write all sets as an array of {pods, reasons: [{reason, leastNodes, mostNodes}]}. */
void reason_sets_write(const reason_sets *sets, output *o);

#endif
