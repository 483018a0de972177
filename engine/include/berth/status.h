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

/* Version of these headers; berth_version tells the library's. */
#define BERTH_VERSION_MAJOR 0
#define BERTH_VERSION_MINOR 1
#define BERTH_VERSION_PATCH 0

/* Outcome of a call. Append only: the numbers are part of the ABI. A pod that fits nowhere
 * is not a status but a verdict (engine.h). */
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
    X(12, E_INTERNAL, "internal error")

typedef enum berth_status {
#define X(number, name, text) BERTH_##name = (number),
    BERTH_STATUS_LIST(X)
#undef X
} berth_status;

/* Borrowed text, not zero-terminated. `data` NULL means the field is absent, which differs from
 * present and empty. Whoever fills one keeps the bytes alive until the call it is given to
 * returns. */
typedef struct berth_str {
    const char *data;
    uint32_t len;
} berth_str;

/* A berth_str of a string literal: BERTH_STR("cpu"). */
#ifdef __cplusplus
#define BERTH_STR(literal) (berth_str{"" literal, (uint32_t)(sizeof("" literal) - 1)})
#else
#define BERTH_STR(literal) ((berth_str){"" literal, (uint32_t)(sizeof("" literal) - 1)})
#endif

/* Exact decimal amount, units + nanos / 1e9; both parts carry the same sign and |nanos| < 1e9.
 * Source of the rule: Kubernetes apimachinery v0.32, api/resource/quantity.go. */
typedef struct berth_quantity {
    int64_t units;
    int32_t nanos;
} berth_quantity;

/* What went wrong, where, and what was expected. Owned by the caller; every call that can fail
 * takes one as its last argument and accepts NULL. Filled whenever the status is not BERTH_OK
 * (`code` is that status, `message` is not empty), and left alone otherwise. Texts are cut to fit
 * and always terminated. */
typedef struct berth_error {
    berth_status code;
    uint32_t line;        /* 1-based, 0 if unknown */
    uint32_t column;      /* 1-based, 0 if unknown */
    uint64_t offset;      /* bytes from the start of the input, UINT64_MAX if unknown */
    char source[256];     /* file name, "" if unknown */
    char object[320];     /* "Pod default/web-0", "" if none */
    char field[192];      /* "spec.containers[0].resources.requests.cpu", "" if none */
    char message[320];    /* a sentence: what was found and what was expected */
    uint64_t reserved[4]; /* 0; for members that come later */
} berth_error;

/* The name ("BERTH_E_ARG") and the English text of a status. Never NULL, never freed.
 * Threads: any. */
BERTH_API const char *berth_status_name(berth_status status);
BERTH_API const char *berth_status_text(berth_status status);

/* Write "SOURCE:LINE:COLUMN: OBJECT: FIELD: MESSAGE" (parts that are unknown left out) into `out`,
 * cut to `size` bytes and terminated. Returns the length the whole text has. Threads: any. */
BERTH_API size_t berth_error_format(const berth_error *error, char *out, size_t size);

/* The library's version, "MAJOR.MINOR.PATCH". Threads: any. */
BERTH_API const char *berth_version(void);

/* Called when the library finds an invariant broken or is misused in a way that a call says stops
 * the program: where, and which condition did not hold, or a sentence that says what was misused.
 * The program is aborted once it returns. */
typedef void (*berth_abort_fn)(const char *file, int line, const char *condition);

/* Have `hook` called instead of the line that is written to standard error; NULL brings the line
 * back. For the whole process. Threads: any; the hook is called on the thread that found it. */
BERTH_API void berth_abort_hook_set(berth_abort_fn hook);

/* Where memory comes from. `allocate` returns memory aligned to `align` (a power of two), or NULL;
 * `release` is told the bytes that were asked for. Both may be called from any thread.
 *
 * An engine, its scheduler, its snapshots and branches take all of their own memory there, and so
 * does what takes an allocator of its own (reader, explanation, copy of an object). Elsewhere lie
 * what the parts that Berth is made of keep for themselves (simdjson's and libyaml's parsers, zlib,
 * hwloc's topology, RE2's patterns), the stacks of threads, and what the C library needs to sort;
 * and a berth_scheduler_config, which is malloc's. */
typedef struct berth_allocator {
    void *context;
    void *(*allocate)(void *context, size_t bytes, size_t align);
    void (*release)(void *context, void *memory, size_t bytes);
} berth_allocator;

#ifdef __cplusplus
}
#endif

#endif
