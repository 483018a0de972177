/* How much is printed on standard error in addition to errors: -q and -v of every command. */
#ifndef BERTH_TOOLS_VERBOSITY_H
#define BERTH_TOOLS_VERBOSITY_H

#include <stdbool.h>

/* Set once, by the options. */
void verbosity_set(bool quiet, bool verbose);

/* Whether only errors are printed: no progress bar, no warnings. */
bool verbosity_quiet(void);

/* Print a line if -v was given. */
void verbosity_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
