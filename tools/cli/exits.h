/* How the program ends: exit codes and their diagnostics on standard error. */
#ifndef BERTH_TOOLS_EXITS_H
#define BERTH_TOOLS_EXITS_H

#include "berth/status.h"

enum {
    EXIT_DONE = 0,
    EXIT_NEGATIVE = 1, /* the work was done and its answer is no */
    EXIT_USAGE = 2,    /* the command line is wrong */
    EXIT_INPUT = 3,    /* a file or an object is wrong, or cannot be read */
    EXIT_INTERNAL = 4, /* no memory, output failed, or a broken invariant */
};

/* Report what is wrong with the command line of `command`, and how to get help. Returns
 * EXIT_USAGE. */
int exit_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Report an error. Returns the exit code for its kind. */
int exit_error(const char *command, const berth_error *error);

/* The same for a call that fills no error. */
int exit_status(const char *command, const char *doing, berth_status status);

/* Fill `error` (may be NULL) as the library would: code, source (may be NULL) and message. Returns
 * `code`. */
berth_status error_set(berth_error *error, berth_status code, const char *source,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Add the place of the object that was refused, as its reader reported it. */
void error_place(berth_error *error, const berth_error *origin);

/* Name the object that an error is about. */
void error_object(berth_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Return a failure to the caller. Use it only where no resource has to be released. */
#define TRY(expression)                           \
    do {                                          \
        berth_status tried_status = (expression); \
        if (tried_status != BERTH_OK)             \
            return tried_status;                  \
    } while (0)

#endif
