/* The distance between two words: optimal string alignment, row by row. */
#include "base/nearest.h"

#include <string.h>

enum { LENGTH_MAX = 64 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The number of letters to change, insert, delete or exchange with their neighbours. */
static uint32_t distance(berth_str a, berth_str b)
{
    uint32_t rows[3][LENGTH_MAX + 1];
    for (uint32_t k = 0; k <= b.len; k++)
        rows[0][k] = k;
    for (uint32_t i = 1; i <= a.len; i++) {
        uint32_t *row = rows[i % 3];
        const uint32_t *above = rows[(i - 1) % 3];
        row[0] = i;
        for (uint32_t k = 1; k <= b.len; k++) {
            char from = lower(a.data[i - 1]);
            char to = lower(b.data[k - 1]);
            row[k] = least(above[k - 1] + (from != to), least(above[k], row[k - 1]) + 1);
            if (i > 1 && k > 1 && from == lower(b.data[k - 2]) && lower(a.data[i - 2]) == to)
                row[k] = least(row[k], rows[(i - 2) % 3][k - 2] + 1);
        }
    }
    return rows[a.len % 3][b.len];
}

berth__nearest berth__nearest_begin(berth_str word)
{
    uint32_t allowed = word.len >= 8 ? 2 : word.len >= 3 ? 1 : 0;
    return (berth__nearest){.word = word, .distance = allowed + 1};
}

void berth__nearest_try(berth__nearest *nearest, berth_str candidate)
{
    berth_str word = nearest->word;
    if (word.len > LENGTH_MAX || candidate.len > LENGTH_MAX || candidate.len + 2 < word.len ||
        word.len + 2 < candidate.len)
        return;
    uint32_t found = distance(word, candidate);
    if (found < nearest->distance) {
        nearest->distance = found;
        nearest->found = candidate;
    }
}
