/* Blocking GET requests to an API server, one after another. */
#ifndef BERTH_LIVE_API_READS_H
#define BERTH_LIVE_API_READS_H

#include "live/credentials/credentials.h"
#include "live/credentials/kubeconfig_files.h"

/* The result of a request. Owner: the texts belong to `reads` until the next request. */
typedef struct api_answer {
    bool answered;
    int status;     /* HTTP status; 0: no answer */
    berth_str body; /* empty if `data` took the bytes of a 200 */
    const char *why;
} api_answer;

typedef struct api_reads {
    kubeconfig config;
    event_loop *loop;
    credentials *access;
    curl_transport *curl;
    const live_transport *transport;
    /* the current request */
    bool is_over;
    live_outcome outcome;
    int status;
    int64_t retry_after_ns;
    char *body;
    size_t body_bytes;
    char why[256];
} api_reads;

/* Find the kubeconfig and prepare; nothing is sent. Errors: those of kubeconfig_find, BERTH_E_IO.
 * Owner: call api_reads_close in any case. Do not move `reads` in between. */
berth_status api_reads_open(api_reads *reads, const kubeconfig_search *search, berth_error *error);
void api_reads_close(api_reads *reads);

/* GET `path`. `data` receives the body of a 200 (NULL: the body is collected); `restart` is called
 * before an attempt is repeated. The request is repeated if the server is busy (429, 503, 504), and
 * once if an answer breaks off. */
api_answer api_reads_get(api_reads *reads, const char *path, live_data_fn data,
                         void (*restart)(void *context), void *context);

/* Set the error for an answer other than 200: no answer, or a refusal. `doing`: "list pods".
 * Returns BERTH_E_IO. */
berth_status api_reads_failed(const api_reads *reads, const api_answer *answer, const char *doing,
                              berth_error *error);

#endif
