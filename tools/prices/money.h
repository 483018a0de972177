/* Amounts of money, of whichever currency, as exact decimals. */
#ifndef BERTH_TOOLS_MONEY_H
#define BERTH_TOOLS_MONEY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "berth/status.h"
#include "cli/output.h"

enum { MONEY_BYTES = 64, MONEY_DECIMALS = 9, MONEY_HOURS_A_MONTH = 730 };

/* One of whatever is paid with. */
#define MONEY_UNIT INT64_C(1000000000)

typedef __int128 money; /* in billionths */

/* Read a plain decimal number: digits, and a point with up to 9 more. False: it is something else,
 * or has more than 15 digits in front of the point. */
bool money_parse(berth_str text, money *out);

/* "12.34": all decimals without zeros at the end. */
void money_text(money amount, char out[MONEY_BYTES]);

/* The same, rounded to `most` decimals, and with at least `least`. For people. */
void money_rounded(money amount, uint32_t least, uint32_t most, char out[MONEY_BYTES]);

/* "0.096 per hour, 70.08 per month". */
void money_print(money hour, FILE *file);

/* A price of an hour, for a month of 730 hours. */
money money_month(money hour);

/* `amount` times part / all, rounded to the nearest; 0 where `all` is. */
money money_share(money amount, int64_t part, int64_t all);

/* A key and an exact number. */
void money_write(output *o, const char *key, money amount);

#endif
