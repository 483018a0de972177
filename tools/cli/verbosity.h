/* How much is said on standard error beside errors: -q and -v of every command. */
#ifndef BERTH_TOOLS_VERBOSITY_H
#define BERTH_TOOLS_VERBOSITY_H

#include <stdbool.h>

/* Settled once, by the options. */
void verbosity_set(bool quiet, bool verbose);

/* Errors alone: no progress, no warnings. */
bool verbosity_quiet(void);

/* Say a line if -v was given. */
void verbosity_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
