/* What nodes cost per hour, by their instance types: the file of --prices.
 *
 * The file is a table of comma-separated values or a map.
 *   table  rows "INSTANCE TYPE,PRICE[,CAPACITY TYPE[,ZONE]]". A first row of titles may name the
 *          columns in another order: "instance type", "price" or "price per hour", "capacity type",
 *          "zone" or "region". The capacity type is spot or on-demand.
 *   map    "INSTANCE TYPE: PRICE" a line, or the same as an object of JSON.
 * Empty lines, and lines that begin with #, are ignored. A price has up to 9 decimals. A row that
 * leaves capacity type or zone empty is for every one; of several that a node fits, one for its
 * zone counts before one for its region, and that before the capacity type. */
#ifndef BERTH_TOOLS_PRICES_H
#define BERTH_TOOLS_PRICES_H

#include "berth/berth.h"
#include "cli/options.h"
#include "cli/words.h"
#include "inspect/findings.h"
#include "prices/money.h"

enum { PRICES_BYTES_MAX = 64 << 20 }; /* of a file */

#define PRICES_TYPE_LABEL "node.kubernetes.io/instance-type"

/* As whole units: no hour of a node costs more. */
#define PRICES_HIGHEST 1000000000

typedef struct price_row {
    money price;
    uint32_t line;
} price_row;

typedef struct prices {
    const char *path; /* NULL: there are none, and nothing is said of money */
    word_table keys;  /* "TYPE\nCAPACITY\nZONE" */
    price_row *rows;  /* one for each key */
    size_t capacity;
} prices;

/* What the texts of commands say about prices. */
#define PRICES_HELP                                                                      \
    "The price of a node is that of its label\n" PRICES_TYPE_LABEL                       \
    " in FILE. Rows for the node's zone or capacity\n"                                   \
    "type win over general rows. Nodes without a price are reported and left out. The\n" \
    "currency does not matter; a month has 730 hours.\n"

/* The option, for the table of a command. */
option prices_option(prices *p);

/* Read the file, if one is named. Errors: E_IO; E_PARSE and E_INVALID, with the line. */
berth_status prices_read(prices *p, berth_error *error);

/* What a node's labels say about its price; texts are borrowed. */
typedef struct price_labels {
    berth_str type; /* the instance type; empty: none */
    bool spot;
    berth_str zone;
    berth_str region;
} price_labels;

price_labels price_labels_of_node(const berth_engine *engine, berth_node_id node);
price_labels price_labels_of_list(berth_map labels);

/* Whether there is a price; if so `*out` is it. */
bool prices_find(const prices *p, const price_labels *labels, money *out);
bool prices_of_node(const prices *p, const berth_engine *engine, berth_node_id node, money *out);

/* Note which nodes have no price, by their instance types. */
void prices_inspect(const prices *p, const berth_engine *engine, findings *f);

void prices_free(prices *p);

#endif
