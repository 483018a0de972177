/* Borrowed text: comparing it, naming constants, and numbering distinct texts. */
#ifndef BERTH_TOOLS_WORDS_H
#define BERTH_TOOLS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "berth/status.h"

berth_str words_of(const char *text);
bool words_equal(berth_str a, berth_str b);
/* Order by bytes; negative, 0 or positive. */
int words_compare(berth_str a, berth_str b);

/* Equal texts have equal hashes; different texts almost never do. */
uint64_t words_hash(berth_str text);

typedef struct word {
    char *text;
    uint32_t len;
} word;

/* Distinct texts, each copied once and numbered from 0 in the order of first appearance. Zeroed:
 * empty. */
typedef struct word_table {
    word *words;
    size_t count;
    size_t capacity;
    uint32_t *slots; /* number + 1; 0: free */
    size_t slot_count;
} word_table;

uint32_t word_table_add(word_table *table, berth_str text);
/* Whether the table contains a text; if so, `*number` receives its number. */
bool word_table_find(const word_table *table, berth_str text, uint32_t *number);
berth_str word_table_get(const word_table *table, uint32_t number);
void word_table_free(word_table *table);

#endif
