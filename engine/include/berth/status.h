/* Status codes, errors and the string and quantity types that every other public header uses. */
#ifndef BERTH_STATUS_H
#define BERTH_STATUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#error "Berth needs a POSIX system"
#endif

#if defined(__GNUC__)
#define BERTH_API __attribute__((visibility("default")))
#else
#define BERTH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers; berth_version and berth_version_number return the library's. */
#define BERTH_VERSION_MAJOR 0
#define BERTH_VERSION_MINOR 1
#define BERTH_VERSION_PATCH 0

/* A version as one number, which grows with the version: 1.2.3 is 1002003. */
#define BERTH_VERSION_MAKE(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define BERTH_VERSION_NUMBER \
    BERTH_VERSION_MAKE(BERTH_VERSION_MAJOR, BERTH_VERSION_MINOR, BERTH_VERSION_PATCH)

/* The outcome of a call. Append only: the numbers are part of the ABI. A pod that fits nowhere is
 * not an error; it has a verdict (engine.h). */
#define BERTH_STATUS_LIST(X)                                    \
    X(0, OK, "success")                                         \
    X(1, E_ARG, "invalid argument")                             \
    X(2, E_STATE, "not allowed in this state")                  \
    X(3, E_NOMEM, "out of memory")                              \
    X(4, E_PARSE, "malformed text")                             \
    X(5, E_INVALID, "invalid object")                           \
    X(6, E_EXISTS, "already exists")                            \
    X(7, E_NOT_FOUND, "not found")                              \
    X(8, E_RANGE, "value out of range")                         \
    X(9, E_UNSUPPORTED, "not supported")                        \
    X(10, E_IO, "input or output failed")                       \
    X(11, E_CONFLICT, "conflicts with a change made meanwhile") \
    X(12, E_INTERNAL, "internal error")                         \
    X(13, E_CANCELLED, "cancelled by the caller")

typedef enum berth_status {
#define X(number, name, text) BERTH_##name = (number),
    BERTH_STATUS_LIST(X)
#undef X
} berth_status;

/* Borrowed text, not zero-terminated. `data` NULL means that the field is absent, which differs
 * from present and empty. The bytes must stay alive until the call that receives the text
 * returns. */
typedef struct berth_str {
    const char *data;
    uint32_t len;
} berth_str;

/* A berth_str of a string literal: BERTH_STR("cpu"). */
#ifdef __cplusplus
#define BERTH_STR(literal) (berth_str{"" literal, static_cast<uint32_t>(sizeof("" literal) - 1)})
#else
#define BERTH_STR(literal) ((berth_str){"" literal, (uint32_t)(sizeof("" literal) - 1)})
#endif

/* The berth_str of a zero-terminated string, which it borrows; NULL becomes absent text. Threads:
 * any. Cost: linear in the string. */
static inline berth_str berth_str_of(const char *text)
{
    berth_str out = {text, 0};
    while (text != NULL && out.len < UINT32_MAX && text[out.len] != '\0')
        out.len++;
    return out;
}

/* An exact decimal amount, units + nanos / 1e9. Both parts have the same sign, and |nanos| < 1e9.
 * Source: Kubernetes apimachinery v0.32, api/resource/quantity.go. */
typedef struct berth_quantity {
    int64_t units;
    int32_t nanos;
} berth_quantity;

/* What went wrong, where, and what was expected. Owned by the caller. Every call that can fail
 * takes one as its last argument and accepts NULL. It is filled when the status is not BERTH_OK
 * (`code` is that status, `message` is not empty) and left alone otherwise. Texts are truncated to
 * fit and always terminated. */
typedef struct berth_error {
    berth_status code;
    uint32_t line;        /* 1-based, 0 if unknown */
    uint32_t column;      /* 1-based, 0 if unknown */
    uint64_t offset;      /* bytes from the start of the input, UINT64_MAX if unknown */
    char source[256];     /* file name, "" if unknown */
    char object[320];     /* "Pod default/web-0", "" if none */
    char field[192];      /* "spec.containers[0].resources.requests.cpu", "" if none */
    char message[320];    /* a sentence: what was found and what was expected */
    uint64_t reserved[4]; /* 0, for future members */
} berth_error;

/* The name ("BERTH_E_ARG") and the English text of a status. Never NULL, never freed.
 * Threads: any. */
BERTH_API const char *berth_status_name(berth_status status);
BERTH_API const char *berth_status_text(berth_status status);

/* Write "SOURCE:LINE:COLUMN: OBJECT: FIELD: MESSAGE" into `out`, without the parts that are
 * unknown, truncated to `size` bytes and terminated. Returns the length of the whole text. Threads:
 * any. */
BERTH_API size_t berth_error_format(const berth_error *error, char *out, size_t size);

/* The library's version, "MAJOR.MINOR.PATCH", and the same as BERTH_VERSION_MAKE makes it. The text
 * is never freed. Threads: any. */
BERTH_API const char *berth_version(void);
BERTH_API uint32_t berth_version_number(void);

/* Called when the library finds a broken invariant, or a misuse that is documented to stop the
 * program: with the place, and the condition that did not hold or a sentence about the misuse. When
 * the hook returns, the program is aborted. */
typedef void (*berth_abort_fn)(const char *file, int line, const char *condition);

/* Call `hook` instead of writing a line to standard error; NULL restores the line. For the whole
 * process. Threads: any; the hook is called on the thread that found the problem. */
BERTH_API void berth_abort_hook_set(berth_abort_fn hook);

/* Where memory comes from. `allocate` returns memory aligned to `align` (a power of two), or NULL;
 * `release` receives the number of bytes that was requested. Both may be called from any thread.
 *
 * An engine takes all of its memory from its allocator, including that of its scheduler, snapshots
 * and branches; readers, explanations and copies of objects that were created with an allocator do
 * the same. Not taken from it: the memory of the libraries that Berth uses (parsers of simdjson and
 * libyaml, zlib, hwloc's topology, RE2's patterns), thread stacks, what the C library needs for
 * sorting, and berth_scheduler_config, which uses malloc. */
typedef struct berth_allocator {
    void *context;
    void *(*allocate)(void *context, size_t bytes, size_t align);
    void (*release)(void *context, void *memory, size_t bytes);
} berth_allocator;

#ifdef __cplusplus
}
#endif

#endif
