/* The tree of an expression, and its faults. */
#ifndef BERTH_CEL_SYNTAX_H
#define BERTH_CEL_SYNTAX_H

#include "cel/value.h"

typedef enum berth__cel_node_kind {
    BERTH__CEL_NODE_CONSTANT,
    BERTH__CEL_NODE_NAME,
    BERTH__CEL_NODE_SELECT, /* args[0].name */
    BERTH__CEL_NODE_CALL,   /* name(args), or args[0].name(args[1]...); operators are called, too */
    BERTH__CEL_NODE_LIST,
    BERTH__CEL_NODE_MAP,  /* key, value, key, value ... */
    BERTH__CEL_NODE_FOLD, /* a macro over a range: args[0]; then what it does with each element */
    BERTH__CEL_NODE_BIND, /* cel.bind: args[0] is bound in args[1]; optMap: args[0] optional */
} berth__cel_node_kind;

typedef enum berth__cel_fold {
    BERTH__CEL_FOLD_ALL,
    BERTH__CEL_FOLD_EXISTS,
    BERTH__CEL_FOLD_EXISTS_ONE,
    BERTH__CEL_FOLD_LIST,      /* map, filter, transformList */
    BERTH__CEL_FOLD_MAP,       /* transformMap */
    BERTH__CEL_FOLD_MAP_ENTRY, /* transformMapEntry */
    BERTH__CEL_FOLD_BIND,
    BERTH__CEL_FOLD_OPT_MAP,
    BERTH__CEL_FOLD_OPT_FLAT_MAP,
} berth__cel_fold;

typedef struct berth__cel_function berth__cel_function;
typedef struct berth__cel_pattern berth__cel_pattern;

typedef struct berth__cel_node berth__cel_node;
struct berth__cel_node {
    berth__cel_node_kind kind;
    berth__cel_fold fold;
    uint32_t at; /* the byte of the text that messages point to */
    uint16_t depth;
    bool member;   /* call: a member of args[0] */
    bool optional; /* select, index: may be absent; constant, name: a marked element */
    bool test;     /* select: only whether it exists */
    bool two;      /* fold: two variables */
    bool filters;  /* fold: args[1] filters, args[2] maps */
    bool mapped;   /* an entry or element of a literal that is marked optional */
    berth_str name;
    berth__cel_value constant;
    berth__cel_node **args;
    uint32_t arg_count;
    berth_str variables[2]; /* for a fold or bind */
    uint32_t slot;          /* name: the variable, UINT32_MAX: device; fold: its first variable */
    const berth__cel_type *type;
    const berth__cel_function *function;
    berth__cel_pattern *pattern; /* if it is constant */
};

typedef struct berth__cel_fault {
    uint32_t at;
    berth_str message;
} berth__cel_fault;

enum {
    BERTH__CEL_TEXT_MAX = 10240,
    BERTH__CEL_DEPTH_MAX = 250,
    BERTH__CEL_FAULTS_MAX = 100,
};

/* The state of a compilation. */
typedef struct berth__cel_source {
    berth__arena *arena;
    berth__cel_release release;
    berth_str text;
    berth__cel_fault faults[BERTH__CEL_FAULTS_MAX];
    uint32_t fault_count; /* including those not kept */
    bool no_memory;
    uint32_t slot_count; /* variables that exist at the same time */
} berth__cel_source;

void berth__cel_fault_add(berth__cel_source *source, uint32_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The text of all faults, in cel-go's layout. */
berth_str berth__cel_faults_text(berth__cel_source *source);

/* ---- tokens ---- */

typedef enum berth__cel_token_kind {
    BERTH__CEL_END,
    BERTH__CEL_WORD,   /* identifier */
    BERTH__CEL_NUMBER, /* 12, 0xC, 7u, 1.5 */
    BERTH__CEL_TEXT,   /* string or bytes */
    BERTH__CEL_SIGN,   /* bracket, or operator (also `in`), of one or two characters */
    BERTH__CEL_BROKEN, /* no memory */
} berth__cel_token_kind;

typedef struct berth__cel_token {
    berth__cel_token_kind kind;
    uint32_t at;
    berth_str text; /* as written */
    berth__cel_value value;
    const char *bad; /* why it is not a valid literal, or NULL */
} berth__cel_token;

/* The next token at or after `*at`, which moves past it. Adds faults for invalid characters. */
berth__cel_token berth__cel_lex(berth__cel_source *source, uint32_t *at);

/* ---- tree ---- */

/* Parse. NULL: faults were added, or memory ran out. */
berth__cel_node *berth__cel_parse(berth__cel_source *source);

berth__cel_node *berth__cel_node_make(berth__cel_source *source, berth__cel_node_kind kind,
                                      uint32_t at, uint32_t arg_count);

/* Replace a call by its macro. `call` is complete. Returns the replacement: `call` itself if it is
 * not a macro, NULL after a fault. */
berth__cel_node *berth__cel_expand(berth__cel_source *source, berth__cel_node *call);

/* ---- functions ---- */

typedef berth__cel_value berth__cel_call(berth__cel_run *run, const berth__cel_node *node,
                                         const berth__cel_value *args);

/* Signatures, separated by blanks: "." for a member, types of arguments, ">", type of the result.
 * Letters of types: b i u d s y bool to bytes, n null, Q quantity, V semver, D dyn, Lx list, Mxy
 * map, Ox optional, Tx type; A to C are parameters. The arguments of a strict function are checked
 * when it is called. */
struct berth__cel_function {
    const char *name;
    const char *signatures;
    bool strict;
    berth__cel_call *call;
};

const berth__cel_function *berth__cel_function_find(berth_str name);

/* Whether the values fit one of the signatures of a strict function. */
bool berth__cel_function_takes(const berth__cel_function *function, const berth__cel_value *args,
                               uint32_t count);

berth__cel_value berth__cel_node_value(berth__cel_run *run, const berth__cel_node *node);

#endif
