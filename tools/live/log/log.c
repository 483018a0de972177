/* Records of the log, put together on the stack and written at once. */
#include "live/log/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int enabled_level; /* written before other threads are there */

void log_setup(bool json, int verbosity)
{
    (void)json;
    enabled_level = verbosity;
}

bool log_enabled(int level)
{
    return level <= enabled_level;
}

void log_write(const char *file, int line, log_severity severity, const char *message, ...)
{
    static const char letters[] = "IWE";
    struct timespec now;
    struct tm local;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    const char *slash = strrchr(file, '/');
    char text[4096];
    int at = snprintf(text, sizeof(text), "%c%02d%02d %02d:%02d:%02d.%06ld %7ld %s:%d] \"%s\"",
                      letters[severity], local.tm_mon + 1, local.tm_mday, local.tm_hour,
                      local.tm_min, local.tm_sec, now.tv_nsec / 1000, syscall(SYS_gettid),
                      slash != NULL ? slash + 1 : file, line, message);
    va_list pairs;
    va_start(pairs, message);
    for (const char *key; (key = va_arg(pairs, const char *)) != NULL;) {
        const char *value = va_arg(pairs, const char *);
        if (at < (int)sizeof(text))
            at += snprintf(text + at, sizeof(text) - (size_t)at, " %s=\"%s\"", key, value);
    }
    va_end(pairs);
    if (at > (int)sizeof(text) - 2)
        at = (int)sizeof(text) - 2;
    text[at] = '\n';
    if (write(STDERR_FILENO, text, (size_t)at + 1) < 0)
        return; /* nobody is left to tell */
}
