/* Assertions: BERTH_ASSERT stays on in release builds, BERTH_DASSERT works in debug builds only. */
#ifndef BERTH_BASE_ASSERT_H
#define BERTH_BASE_ASSERT_H

/* Report a broken assertion to the abort hook (berth/status.h) or to standard error, then abort. */
_Noreturn void berth__assert_failed(const char *expression, const char *file, int line);

/* Stop the program because of a misuse that the called function documents as fatal. Does the same
 * as above, with a sentence that says what is wrong. */
_Noreturn void berth__stop(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define BERTH_LIKELY(x) __builtin_expect(!!(x), 1)
#define BERTH_UNLIKELY(x) __builtin_expect(!!(x), 0)

#ifdef BERTH_COVERAGE /* tests cannot cover the branch of a check that never fails */
static inline void berth__assert_holds(int holds, const char *expression, const char *file,
                                       int line)
{
    if (!holds)
        berth__assert_failed(expression, file, line);
}
#define BERTH_ASSERT(expression) \
    berth__assert_holds(!!(expression), #expression, __FILE__, __LINE__)
#else
#define BERTH_ASSERT(expression)                                   \
    do {                                                           \
        if (BERTH_UNLIKELY(!(expression)))                         \
            berth__assert_failed(#expression, __FILE__, __LINE__); \
    } while (0)
#endif

#ifdef BERTH_DEBUG
#define BERTH_DASSERT(expression) BERTH_ASSERT(expression)
#else
#define BERTH_DASSERT(expression) ((void)sizeof(!(expression)))
#endif

#endif
