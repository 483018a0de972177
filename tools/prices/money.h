/* Amounts of money in any currency, as exact decimals. */
#ifndef BERTH_TOOLS_MONEY_H
#define BERTH_TOOLS_MONEY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "berth/status.h"
#include "cli/output.h"

enum { MONEY_BYTES = 64, MONEY_DECIMALS = 9, MONEY_HOURS_A_MONTH = 730 };

/* One unit of the currency. */
#define MONEY_UNIT INT64_C(1000000000)

typedef __int128 money; /* in billionths */

/* Read a plain decimal number: digits, and optionally a point with up to 9 decimals. Returns false
 * for anything else, or for more than 15 digits before the point. */
bool money_parse(berth_str text, money *out);

/* Writes "12.34": all decimals without trailing zeros. */
void money_text(money amount, char out[MONEY_BYTES]);

/* Writes the amount for people: rounded to `most` decimals, with at least `least`. */
void money_rounded(money amount, uint32_t least, uint32_t most, char out[MONEY_BYTES]);

/* Prints "0.096 per hour, 70.08 per month". */
void money_print(money hour, FILE *file);

/* The price of a month of 730 hours from that of an hour. */
money money_month(money hour);

/* `amount` times part / all, rounded to the nearest; 0 if `all` is 0. */
money money_share(money amount, int64_t part, int64_t all);

/* Write a key and an exact number. */
void money_write(output *o, const char *key, money amount);

#endif
