/* Filling of caller-owned errors. */
#ifndef BERTH_BASE_ERROR_H
#define BERTH_BASE_ERROR_H

#include "berth/status.h"

/* Set code and message (printf style) and clear everything else; returns `code`. `error`
 * may be NULL. */
berth_status berth__error_set(berth_error *error, berth_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add where: the object ("Pod default/x") or the field path, printf style, to an error
 * already set. */
void berth__error_object(berth_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void berth__error_field(berth_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Add the object by kind and name, unless there is one already. Cluster-scoped: no namespace. */
void berth__error_named(berth_error *error, const char *kind, berth_str namespace_name,
                        berth_str name);

/* Out of memory; returns BERTH_E_NOMEM. */
berth_status berth__error_no_memory(berth_error *error);

/* Out of memory, or any other failure that is known by its status alone; returns `code`. */
berth_status berth__error_plain(berth_error *error, berth_status code);

/* Pass a failure on. Only while nothing is held that would leak. A function that takes a
 * berth_error sets it whenever it fails; BERTH_TRY_PLAIN is for what it calls that takes none. */
#define BERTH_TRY(expression)                    \
    do {                                         \
        berth_status try_status_ = (expression); \
        if (try_status_ != BERTH_OK)             \
            return try_status_;                  \
    } while (0)
#define BERTH_TRY_PLAIN(expression, error)                   \
    do {                                                     \
        berth_status try_status_ = (expression);             \
        if (try_status_ != BERTH_OK)                         \
            return berth__error_plain((error), try_status_); \
    } while (0)

#endif
