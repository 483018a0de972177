/* Reads a file of prices; private to this folder. */
#ifndef BERTH_TOOLS_PRICES_READ_H
#define BERTH_TOOLS_PRICES_READ_H

#include "prices/prices.h"

/* The texts of a row in the file. */
typedef struct price_words {
    berth_str type, price, capacity_type, zone;
} price_words;

/* Read a whole text. Errors: BERTH_E_PARSE and BERTH_E_INVALID, with the line. */
berth_status prices_read_text(prices *p, berth_str text, berth_error *error);

/* Makes the key of a row: with "spot", "on-demand" or "", and a zone, a region or "". Returns false
 * if it is too long. */
enum { PRICE_KEY_BYTES = 640 };
bool prices_key(berth_str type, const char *capacity_type, berth_str zone,
                char out[PRICE_KEY_BYTES]);

#endif
