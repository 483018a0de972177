/* A piece of the input, and what has been made of it before its turn: nothing, its tree, its
 * object, or the finding that it is a replica. The taker makes the rest. */
#ifndef BERTH_KUBE_READY_PIECE_H
#define BERTH_KUBE_READY_PIECE_H

#include "berth/objects.h"
#include "kube/pattern.h"
#include "text/heading.h"
#include "text/json.h"
#include "text/split.h"

/* All of it lives until the function that received it returns. */
typedef struct berth__ready_piece {
    berth__piece piece;
    bool padded;             /* the text is padded (json.h) */
    const berth__json *tree; /* NULL: not parsed */
    void *object;            /* of `kind`, decoded but not yet changed; NULL: not decoded */
    berth_kind kind;
    bool is_replica;           /* the text equals the pattern's, except for the words in `gaps` */
    berth__pattern_id pattern; /* of a replica; else the pattern made from this text, if any */
    berth__gaps gaps;
} berth__ready_piece;

typedef berth_status (*berth__ready_fn)(void *context, const berth__ready_piece *piece);

/* Give the piece a padded copy of its text in `arena`. Returns false when out of memory. */
bool berth__piece_copy(berth__arena *arena, berth__ready_piece *out);

/* Parse a padded piece; decode a parsed one; both into `arena`. If this fails, for lack of memory
 * or because of a fault in the text, the piece stays as it was. `list` is the heading of the list
 * around the piece. */
void berth__piece_parse(berth__json_parser *json, berth__arena *arena, berth__ready_piece *out);
void berth__piece_decode(berth__arena *arena, const berth__heading *list, const char *default_kind,
                         berth__ready_piece *out);

/* Whether the piece is a replica (FOUND: the piece is marked as one), or should be registered. */
berth__pattern_verdict berth__piece_match(berth__patterns *patterns, berth__ready_piece *out);

/* Make a pattern from a decoded pod whose own text says that it is a pod: then its kind does not
 * depend on the list around it. */
void berth__piece_register(berth__patterns *patterns, berth__ready_piece *out);

#endif
