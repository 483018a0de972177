/* Writes amounts and remarks of rows as text for people. */
#ifndef BERTH_TOOLS_TOP_WORDS_H
#define BERTH_TOOLS_TOP_WORDS_H

#include <stdio.h>

#include "top/top.h"

enum { TOP_AMOUNT_BYTES = 48 };

/* Writes a rounded amount: "250m", "12.5", "25.3Gi". */
void top_amount_text(berth_str resource, int64_t amount, char *out, size_t size);

/* Writes an exact amount for machines: cores with a decimal point ("0.25"), bytes, or a plain
 * number. */
void top_plain_text(berth_str resource, int64_t amount, char *out, size_t size);

/* The unit of these numbers: "cores", "bytes", or nothing. */
const char *top_unit(berth_str resource);

/* Writes a part and its whole: "3.1/3.9", "10.2/14.4Gi". */
void top_share_text(berth_str resource, int64_t part, int64_t all, char *out, size_t size);

/* Writes a row's limits of a resource; "-" if no container has one. */
void top_limits_text(const top *t, const top_row *row, uint32_t resource, char *out, size_t size);

/* The percentage; 0 if `all` is 0. */
double top_percent(int64_t part, int64_t all);

/* Whether a resource is shown: it was asked for, or the cluster has or requests some. */
bool top_is_shown(const top *t, uint32_t resource);

/* Write remarks: for a node, why it accepts no pods; for a namespace or owner, pending pods,
 * missing limits and quotas; and resources that have no column. Errors: those of
 * node_state_notes. */
berth_status top_notes_write(const top *t, const top_row *row, FILE *file, berth_error *error);

#endif
