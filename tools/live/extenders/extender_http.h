/* Posts a question to an HTTP extender and waits for the answer.
 *
 * Threads: each by one thread at a time; the deciding thread's, which has nothing else to do until
 * the pod is decided. Connections are kept from call to call. */
#ifndef BERTH_LIVE_EXTENDER_HTTP_H
#define BERTH_LIVE_EXTENDER_HTTP_H

#include "live/extenders/extender_access.h"

/* The longest answer: 5,000 nodes of 12 kB. */
enum { EXTENDER_BODY_MAX = 64 << 20 };

typedef struct extender_http extender_http;

/* What happens while an answer is awaited. */
typedef struct extender_wait {
    bool (*goes_on)(void *context); /* called every second at least; false: give up */
    void *context;
} extender_wait;

/* Owner: `access` must outlive it; `wait` is copied. NULL: libcurl has no memory. */
extender_http *extender_http_create(const extender_access *access, int64_t timeout_ns,
                                    extender_wait wait);
void extender_http_destroy(extender_http *http);

/* Post `body` to the verb's path. Returns whether the extender answered with status 200; then
 * `*answer` is its body, borrowed until the next call. Otherwise `error` is filled with
 * kube-scheduler's words. */
bool extender_http_post(extender_http *http, const char *verb, berth_str body, berth_str *answer,
                        berth_error *error);

#endif
