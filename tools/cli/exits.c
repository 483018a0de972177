/* How the program ends: exit codes, and diagnostics on standard error. */
#include "cli/exits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/plain_text.h"
#include "cli/progress.h"

/* Longer lines are cut. */
enum { LINE_BYTES = 8192 };

int exit_usage(const char *command, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    progress_hide();
    fprintf(stderr, "berth%s%s: ", command[0] != '\0' ? " " : "", command);
    plain_text_write(stderr, text, strlen(text));
    fprintf(stderr, "\nTry 'berth%s%s --help'.\n", command[0] != '\0' ? " " : "", command);
    return EXIT_USAGE;
}

static int code_of(berth_status status)
{
    switch (status) {
    case BERTH_OK:
        return EXIT_DONE;
    case BERTH_E_PARSE:
    case BERTH_E_INVALID:
    case BERTH_E_EXISTS:
    case BERTH_E_NOT_FOUND:
    case BERTH_E_RANGE:
    case BERTH_E_UNSUPPORTED:
    case BERTH_E_IO:
    case BERTH_E_CONFLICT:
        return EXIT_INPUT;
    case BERTH_E_ARG:
    case BERTH_E_STATE:
    case BERTH_E_NOMEM:
    case BERTH_E_INTERNAL:
    case BERTH_E_CANCELLED:
        break;
    }
    return EXIT_INTERNAL;
}

int exit_error(const char *command, const berth_error *error)
{
    char text[LINE_BYTES];
    berth_error_format(error, text, sizeof(text));
    progress_hide();
    fprintf(stderr, "berth %s: ", command);
    plain_text_write(stderr, text, strlen(text)); /* needs no memory of its own */
    fputc('\n', stderr);
    return code_of(error->code);
}

int exit_status(const char *command, const char *doing, berth_status status)
{
    progress_hide();
    fprintf(stderr, "berth %s: %s: %s\n", command, doing, berth_status_text(status));
    return code_of(status);
}

berth_status error_set(berth_error *error, berth_status code, const char *source,
                       const char *format, ...)
{
    if (error == NULL)
        return code;
    memset(error, 0, sizeof(*error));
    error->code = code;
    error->offset = UINT64_MAX;
    if (source != NULL)
        snprintf(error->source, sizeof(error->source), "%s", source);
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof(error->message), format, args);
    va_end(args);
    return code;
}

void error_object(berth_error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->object, sizeof(error->object), format, args);
    va_end(args);
}

void error_place(berth_error *error, const berth_error *origin)
{
    memcpy(error->source, origin->source, sizeof(error->source));
    error->line = origin->line;
    error->column = origin->column;
    error->offset = origin->offset;
    if (error->object[0] == '\0')
        memcpy(error->object, origin->object, sizeof(error->object));
}
