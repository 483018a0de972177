/* Shapes: kinds of nodes that could be added to a cluster, as given on the command line. */
#ifndef BERTH_TOOLS_NODE_SHAPE_H
#define BERTH_TOOLS_NODE_SHAPE_H

#include "berth/berth.h"
#include "cli/options.h"
#include "prices/prices.h"

enum { NODE_SHAPES_MAX = 64 };

/* The syntax of --shape, for help texts. */
#define NODE_SHAPE_HELP                                                                         \
    "NAME=KEY=VALUE,... or a file of Nodes, whose annotations price and max say those.\n"       \
    "Keys: cpu, memory, pods (110 unless given) and every other resource; price of a node;\n"   \
    "max, how many there may be; zone=A+B, a shape of its own in each; label:KEY=VALUE;\n"      \
    "type=TYPE, its instance type; taint:KEY=VALUE:EFFECT; like=NODE, which begins with what\n" \
    "that node of the cluster has.\n"

typedef struct node_shape {
    char *name;
    double price; /* of a node; 1 if no shape has a price */
    money exact;  /* the same price */
    bool priced;
    uint64_t max;         /* largest number of nodes; UINT32_MAX: no limit */
    berth_object *object; /* a Node named as the shape */
} node_shape;

typedef struct node_shapes {
    node_shape *items;
    size_t count;
    size_t capacity;
    bool priced; /* the shapes have prices */
} node_shapes;

/* Whether a text is a shape, "NAME=...", not the path of a file with shapes: a path has no '='
 * before its last slash. */
bool node_shape_is_spec(const char *text);

/* Read the given shapes; `engine` has the nodes on which some shapes are modelled. A shape without
 * a price gets that of its instance type in `list`, which may be empty. Errors: BERTH_E_INVALID,
 * naming the shape; those of a reader. */
berth_status node_shapes_read(node_shapes *shapes, const text_list *given, const prices *list,
                              berth_engine *engine, berth_error *error);
void node_shapes_free(node_shapes *shapes);

#endif
