/* The log of a running scheduler on standard error, one record a line: klog's format or JSON.
 *
 * Threads: any; each record is written by one call, so records never mix. */
#ifndef BERTH_LIVE_LOG_H
#define BERTH_LIVE_LOG_H

#include <stdbool.h>

typedef enum log_severity {
    LOG_SEVERITY_INFO = 0,
    LOG_SEVERITY_WARNING,
    LOG_SEVERITY_ERROR
} log_severity;

/* Call this once, before other threads start. `verbosity` is --v: records of a higher level are
 * dropped. */
void log_setup(bool json, int verbosity);

/* Change the level, or read it. Threads: any. */
void log_set_level(int verbosity);
int log_level(void);

/* Whether records of that level are written; lets callers avoid the cost of building one. */
bool log_enabled(int level);

/* Write a record: a message, then alternating keys and values, all const char *, ended by NULL.
 * Keys are plain words. Records over about 4,000 bytes are cut off. Never pass a credential. */
void log_write(const char *file, int line, int level, log_severity severity, const char *message,
               ...) __attribute__((sentinel));

#define LOG_INFO(level, ...)                                                       \
    do {                                                                           \
        if (log_enabled(level))                                                    \
            log_write(__FILE__, __LINE__, (level), LOG_SEVERITY_INFO, __VA_ARGS__, \
                      (const char *)NULL);                                         \
    } while (0)
#define LOG_WARNING(...) \
    log_write(__FILE__, __LINE__, 0, LOG_SEVERITY_WARNING, __VA_ARGS__, (const char *)NULL)
#define LOG_ERROR(...) \
    log_write(__FILE__, __LINE__, 0, LOG_SEVERITY_ERROR, __VA_ARGS__, (const char *)NULL)

#endif
