/* The level of messages: quiet, normal, or verbose. */
#include "cli/verbosity.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/plain_text.h"
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
    char text[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    plain_text_line(stderr, "berth: %s", text);
}
