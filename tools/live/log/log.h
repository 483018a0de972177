/* The log of a running scheduler on standard error: klog's lines, or JSON, a record each.
 *
 * Threads: any; a record is written by one call, so that records never mix. */
#ifndef BERTH_LIVE_LOG_H
#define BERTH_LIVE_LOG_H

#include <stdbool.h>

typedef enum log_severity {
    LOG_SEVERITY_INFO = 0,
    LOG_SEVERITY_WARNING,
    LOG_SEVERITY_ERROR
} log_severity;

/* Call once, before other threads are there. `verbosity` is --v: records of a higher level are left
 * out. */
void log_setup(bool json, int verbosity);

/* Whether records of that level are written: to spare what they would cost. */
bool log_enabled(int level);

/* Write a record: a message, then keys and values in turn, all const char *, ended by NULL. Keys
 * are plain words. Records of more than some 4,000 bytes are cut. Never hand it a credential. */
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
