/* Public structs that come with their size, in their first member or beside them: a caller compiled
 * with another version of the headers has a shorter or a longer one than this library.
 *
 * New members go to the end, behind the size that the struct had before: not into the padding of
 * its last word, which older callers leave as it is. A member whose bytes are all zero is one that
 * was not set. */
#ifndef BERTH_BASE_SIZED_H
#define BERTH_BASE_SIZED_H

#include "berth/status.h"

/* Fill a caller's struct of `size` bytes from `defaults` of `known` bytes: what both know is
 * copied, what only the caller knows is zeroed, and its first member becomes `size`. */
void berth__sized_init(void *caller, size_t size, const void *defaults, size_t known);

/* Copy a caller's struct over `out`, which holds the defaults, `known` bytes of them: what the
 * caller has not stays a default, and out's first member stays `known`. `name` is the struct's.
 * Errors: E_ARG (it has no size, or the caller set something that this library does not know). */
berth_status berth__sized_read(void *out, size_t known, const void *caller, const char *name,
                               berth_error *error);

/* Whether a caller's struct that is to be filled has said its size. Errors: E_ARG. */
berth_status berth__sized_check(const void *caller, const char *name, berth_error *error);

/* Fill a caller's struct, whose size was checked, from `own` of `known` bytes: what the caller
 * knows is copied but for the size, what only the caller knows is zeroed. */
void berth__sized_write(void *caller, const void *own, size_t known);

/* ---- structs that don't begin with their size, which stands beside them ---- */

/* Copy a caller's struct of `size` bytes: what it has not is zero. `name` is the struct's, or what
 * it stands for.
 * Errors: E_ARG (it is longer than any, or the caller set something that this library does not
 * know). */
berth_status berth__sized_take(void *out, size_t known, const void *caller, size_t size,
                               const char *name, berth_error *error);

/* Fill a caller's struct of `size` bytes from `own` of `known` bytes: what only the caller knows is
 * zeroed. */
void berth__sized_give(void *caller, size_t size, const void *own, size_t known);

/* The same for entry `i` of a caller's array, whose entries are of `size` bytes. */
void berth__sized_give_at(void *array, uint64_t i, size_t size, const void *own, size_t known);

#endif
