/* Short names of nodes for tables. Clouds give all nodes one long domain, which makes tables wider
 * than the terminal, so tables can omit a domain that all their nodes share. */
#ifndef BERTH_TOOLS_NODE_NAMES_H
#define BERTH_TOOLS_NODE_NAMES_H

#include <stdbool.h>
#include <stdio.h>

#include "berth/status.h"

/* Zeroed: no node seen. */
typedef struct node_names {
    berth_str domain; /* the shared domain with its first dot; empty: they share none */
    bool seen;
} node_names;

/* Owner: the name is borrowed for as long as `n` is used. */
void node_names_add(node_names *n, berth_str name);

/* The name without the shared domain. */
berth_str node_names_short(const node_names *n, berth_str name);

/* Print a line below the table that names the domain. */
void node_names_tell(const node_names *n, FILE *file);

#endif
