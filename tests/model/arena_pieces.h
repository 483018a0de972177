/* Lets each piece of an arena count as an allocation, although most pieces lie in a chunk that is
 * there already; otherwise tests in which memory ends would hardly ever get to the code for the
 * pieces within. Programs that link `berth_arena_pieces` have the arena's functions wrapped. */
#ifndef BERTH_TESTS_MODEL_ARENA_PIECES_H
#define BERTH_TESTS_MODEL_ARENA_PIECES_H

#include <stdbool.h>

#include "base/memory.h"

/* Set it at the start: whether an allocator refuses the next piece. NULL: no piece is refused. */
extern bool (*arena_pieces_refuse)(const berth_allocator *allocator);

#endif
