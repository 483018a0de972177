/* Quiet, as usual, or verbose. */
#include "cli/verbosity.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/progress.h"

static bool is_quiet;
static bool is_verbose;

void verbosity_set(bool quiet, bool verbose)
{
    is_quiet = quiet;
    is_verbose = verbose && !quiet;
}

bool verbosity_quiet(void)
{
    return is_quiet;
}

void verbosity_note(const char *format, ...)
{
    if (!is_verbose)
        return;
    progress_hide();
    fputs("berth: ", stderr);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}
