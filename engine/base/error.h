/* Filling errors that the caller owns. */
#ifndef BERTH_BASE_ERROR_H
#define BERTH_BASE_ERROR_H

#include "berth/status.h"

/* Set code and message (printf style) and clear everything else. Returns `code`. `error` may be
 * NULL. */
berth_status berth__error_set(berth_error *error, berth_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add the place to an error that is already set: the object ("Pod default/x") or the field path,
 * printf style. */
void berth__error_object(berth_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void berth__error_field(berth_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Add the object by kind and name, unless the error already names one. Cluster-scoped objects have
 * no namespace. */
void berth__error_named(berth_error *error, const char *kind, berth_str namespace_name,
                        berth_str name);

/* Report that memory ran out. Returns BERTH_E_NOMEM. */
berth_status berth__error_no_memory(berth_error *error);

/* Report a failure that its status alone describes, such as lack of memory. Returns `code`. */
berth_status berth__error_plain(berth_error *error, berth_status code);

/* Pass a failure on. Use it only while the function holds nothing that would leak. A function that
 * takes a berth_error sets it whenever it fails; BERTH_TRY_PLAIN is for calls that take none. */
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
