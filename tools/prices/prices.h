/* Prices of nodes per hour, by instance type: the file of --prices.
 *
 * The file is a table of comma-separated values or a map.
 *   table  rows "INSTANCE TYPE,PRICE[,CAPACITY TYPE[,ZONE]]". A first row of titles may name the
 *          columns in another order: "instance type", "price" or "price per hour", "capacity type",
 *          "zone" or "region". The capacity type is spot or on-demand.
 *   map    a line "INSTANCE TYPE: PRICE" for each type, or the same as a JSON object.
 * Empty lines and lines that begin with # are ignored. A price has up to 9 decimals. A row without
 * capacity type or zone applies to all of them. If several rows fit a node, a row for its zone
 * takes precedence over one for its region, and that over one for its capacity type. */
#ifndef BERTH_TOOLS_PRICES_H
#define BERTH_TOOLS_PRICES_H

#include "berth/berth.h"
#include "cli/options.h"
#include "cli/words.h"
#include "inspect/findings.h"
#include "prices/money.h"

enum { PRICES_BYTES_MAX = 64 << 20 }; /* the largest file */

#define PRICES_TYPE_LABEL "node.kubernetes.io/instance-type"

/* In whole units: the highest price of an hour. */
#define PRICES_HIGHEST 1000000000

typedef struct price_row {
    money price;
    uint32_t line;
} price_row;

typedef struct prices {
    const char *path; /* NULL: no prices; the output does not mention money */
    word_table keys;  /* "TYPE\nCAPACITY\nZONE" */
    price_row *rows;  /* one for each key */
    size_t capacity;
} prices;

/* The paragraph about prices in the help of commands. */
#define PRICES_HELP                                                                          \
    "The price of a node is looked up in FILE by its label\n" PRICES_TYPE_LABEL              \
    ". Rows for the node's zone or capacity type win over\n"                                 \
    "general rows. Nodes without a price are reported and left out. The currency does not\n" \
    "matter; a month has 730 hours.\n"

/* The option, for the table of a command. */
option prices_option(prices *p);

/* Read the file, if one is named. Errors: BERTH_E_IO; BERTH_E_PARSE and BERTH_E_INVALID, with the
 * line. */
berth_status prices_read(prices *p, berth_error *error);

/* The labels of a node that decide its price; texts are borrowed. */
typedef struct price_labels {
    berth_str type; /* the instance type; empty: none */
    bool spot;
    berth_str zone;
    berth_str region;
} price_labels;

price_labels price_labels_of_node(const berth_engine *engine, berth_node_id node);
price_labels price_labels_of_list(berth_map labels);

/* Find a price; returns false if there is none. */
bool prices_find(const prices *p, const price_labels *labels, money *out);
bool prices_of_node(const prices *p, const berth_engine *engine, berth_node_id node, money *out);

/* Record nodes without a price as findings, by instance type. */
void prices_inspect(const prices *p, const berth_engine *engine, findings *f);

void prices_free(prices *p);

#endif
