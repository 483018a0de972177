/* A piece of the input and what has been made of it before its turn: nothing at all, its tree, its
 * object, or the finding that it is a replica. Whoever takes it makes the rest. */
#ifndef BERTH_KUBE_READY_PIECE_H
#define BERTH_KUBE_READY_PIECE_H

#include "berth/objects.h"
#include "kube/pattern.h"
#include "text/heading.h"
#include "text/json.h"
#include "text/split.h"

/* All of it lives until the function it is given to returns. */
typedef struct berth__ready_piece {
    berth__piece piece;
    bool padded;             /* its text is (json.h) */
    const berth__json *tree; /* NULL: not parsed */
    void *object;            /* of `kind`, decoded as it stands; NULL: not decoded */
    berth_kind kind;
    bool is_replica;           /* its text is the pattern's, but for the words in `gaps` */
    berth__pattern_id pattern; /* of a replica; else what the text itself has become, if anything */
    berth__gaps gaps;
} berth__ready_piece;

typedef berth_status (*berth__ready_fn)(void *context, const berth__ready_piece *piece);

/* Give the piece a padded copy of its text in `arena`. Returns false when out of memory. */
bool berth__piece_copy(berth__arena *arena, berth__ready_piece *out);

/* Parse a padded piece, decode what has been parsed; both into `arena`. What cannot be done,
 * for want of memory or because the text is wrong, is left undone. `list` is the heading of the
 * list that the piece stands in. */
void berth__piece_parse(berth__json_parser *json, berth__arena *arena, berth__ready_piece *out);
void berth__piece_decode(berth__arena *arena, const berth__heading *list, const char *default_kind,
                         berth__ready_piece *out);

/* Whether the piece is a replica (FOUND: it says so then), or should be registered. */
berth__pattern_verdict berth__piece_match(berth__patterns *patterns, berth__ready_piece *out);

/* Make a pattern of a piece that has been decoded as a pod and says itself that it is one: then
 * what it is does not depend on the list around it. */
void berth__piece_register(berth__patterns *patterns, berth__ready_piece *out);

#endif
