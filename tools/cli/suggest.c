/* Spelling distance: letters left out, inserted, changed, or two neighbours exchanged (restricted
 * Damerau-Levenshtein distance), computed with three rows of a table. */
#include "cli/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS_MAX = 120 };

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Returns UINT32_MAX if one of the words is too long. */
static uint32_t spelling_distance(const char *a, const char *b)
{
    size_t a_len = strlen(a);
    size_t b_len = strlen(b);
    uint32_t rows[3][LETTERS_MAX + 1];
    if (a_len > LETTERS_MAX || b_len > LETTERS_MAX)
        return UINT32_MAX;
    for (uint32_t j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (uint32_t i = 1; i <= a_len; i++) {
        uint32_t *now = rows[i % 3];
        const uint32_t *above = rows[(i - 1) % 3];
        now[0] = i;
        for (uint32_t j = 1; j <= b_len; j++) {
            now[j] = above[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = least(now[j], least(above[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], rows[(i + 1) % 3][j - 2] + 1);
        }
    }
    return rows[a_len % 3][b_len];
}

void suggestion_begin(suggestion *s, const char *wanted)
{
    *s = (suggestion){.wanted = wanted, .distance = UINT32_MAX};
}

void suggestion_offer(suggestion *s, const char *word)
{
    size_t len = strlen(s->wanted);
    if (strlen(word) >= sizeof(s->best))
        return;
    bool begun = len >= 3 && strncmp(s->wanted, word, len) == 0; /* the given word is a prefix */
    uint32_t distance = begun ? 1 : spelling_distance(s->wanted, word);
    if (distance >= s->distance)
        return;
    s->distance = distance;
    snprintf(s->best, sizeof(s->best), "%s", word);
}

/* A third of the letters may be wrong; in short words, one letter. */
const char *suggestion_end(const suggestion *s)
{
    uint32_t allowed = (uint32_t)strlen(s->wanted) / 3;
    return s->distance <= (allowed > 0 ? allowed : 1) ? s->best : NULL;
}

const char *suggest_among(const char *wanted, const char *const *words)
{
    suggestion s;
    suggestion_begin(&s, wanted);
    for (size_t i = 0; words[i] != NULL; i++)
        suggestion_offer(&s, words[i]);
    const char *best = suggestion_end(&s);
    for (size_t i = 0; best != NULL && words[i] != NULL; i++)
        if (strcmp(words[i], best) == 0)
            return words[i];
    return NULL;
}
