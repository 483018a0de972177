/* How the program ends: exit codes, and the diagnostics on standard error that go with them. */
#ifndef BERTH_TOOLS_EXITS_H
#define BERTH_TOOLS_EXITS_H

#include "berth/status.h"

enum {
    EXIT_DONE = 0,
    EXIT_NEGATIVE = 1, /* the work was done and its answer is no */
    EXIT_USAGE = 2,    /* the command line is wrong */
    EXIT_INPUT = 3,    /* a file or an object is wrong, or cannot be read */
    EXIT_INTERNAL = 4, /* memory, output, or a broken invariant */
};

/* Say what is wrong with the command line of `command`, and where its help is. Returns
 * EXIT_USAGE. */
int exit_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Say what went wrong. Returns the exit code of the error's kind. */
int exit_error(const char *command, const berth_error *error);

/* The same for a call that fills no error. */
int exit_status(const char *command, const char *doing, berth_status status);

/* Fill `error` (NULL: nobody asks) as the library would: code, source (NULL: none) and message.
 * Returns `code`. */
berth_status error_set(berth_error *error, berth_status code, const char *source,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Say where the object stands that was refused, as its reader tells it. */
void error_place(berth_error *error, const berth_error *origin);

/* Name the object that an error is about. */
void error_object(berth_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Hand a failure on while nothing is held. */
#define TRY(expression)                           \
    do {                                          \
        berth_status tried_status = (expression); \
        if (tried_status != BERTH_OK)             \
            return tried_status;                  \
    } while (0)

#endif
