/* Public structs whose size is in their first member or passed as an argument: a caller compiled
 * with another version of the headers has a shorter or longer struct than this library.
 *
 * New members are added at the end, behind the size that the struct had before; not in the padding
 * of its last word, which older callers do not clear. A member whose bytes are all zero counts as
 * not set. */
#ifndef BERTH_BASE_SIZED_H
#define BERTH_BASE_SIZED_H

#include "berth/status.h"

/* Fill a caller's struct of `size` bytes from `defaults` of `known` bytes. Members that both know
 * are copied, members that only the caller knows are zeroed, and the first member becomes
 * `size`. */
void berth__sized_init(void *caller, size_t size, const void *defaults, size_t known);

/* Copy a caller's struct over `out`, which holds `known` bytes of defaults. Members that the caller
 * lacks keep their defaults, and out's first member stays `known`. `name` is the struct's. Errors:
 * BERTH_E_ARG (the size is missing, or the caller set a member that this library does not know). */
berth_status berth__sized_read(void *out, size_t known, const void *caller, const char *name,
                               berth_error *error);

/* Check that a caller's struct, which is going to be filled, states its size. Errors:
 * BERTH_E_ARG. */
berth_status berth__sized_check(const void *caller, const char *name, berth_error *error);

/* Fill a caller's struct, whose size was checked, from `own` of `known` bytes. Members that both
 * know are copied, except for the size. Members that only the caller knows are zeroed. */
void berth__sized_write(void *caller, const void *own, size_t known);

/* ---- structs that do not begin with their size: it is an argument ---- */

/* Copy a caller's struct of `size` bytes. Members that it lacks become zero. `name` is the
 * struct's, or says what it stands for.
 * Errors: BERTH_E_ARG (it is longer than any struct, or the caller set a member that this library
 * does not know). */
berth_status berth__sized_take(void *out, size_t known, const void *caller, size_t size,
                               const char *name, berth_error *error);

/* Fill a caller's struct of `size` bytes from `own` of `known` bytes. Members that only the caller
 * knows are zeroed. */
void berth__sized_give(void *caller, size_t size, const void *own, size_t known);

/* The same for entry `i` of a caller's array, whose entries have `size` bytes. */
void berth__sized_give_at(void *array, uint64_t i, size_t size, const void *own, size_t known);

#endif
