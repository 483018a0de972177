/* GET requests to an API server, one after another: each is waited for. */
#ifndef BERTH_LIVE_API_READS_H
#define BERTH_LIVE_API_READS_H

#include "live/credentials/credentials.h"
#include "live/credentials/kubeconfig_files.h"

/* How a request ended. Owner: the texts are the reads', until the next request. */
typedef struct api_answer {
    bool answered;
    int status;     /* of HTTP; 0: not answered */
    berth_str body; /* not of a 200 whose bytes went to `data` */
    const char *why;
} api_answer;

typedef struct api_reads {
    kubeconfig config;
    event_loop *loop;
    credentials *access;
    curl_transport *curl;
    const live_transport *transport;
    /* of the request under way */
    bool is_over;
    live_outcome outcome;
    int status;
    int64_t retry_after_ns;
    char *body;
    size_t body_bytes;
    char why[256];
} api_reads;

/* Find the kubeconfig and get ready; nothing is sent. Errors: those of kubeconfig_find, E_IO.
 * Owner: api_reads_close in any case. `reads` must not move meanwhile. */
berth_status api_reads_open(api_reads *reads, const kubeconfig_search *search, berth_error *error);
void api_reads_close(api_reads *reads);

/* GET `path`. `data` (or NULL: the body is collected) takes the body of a 200, and `restart` is
 * called before an attempt is repeated. The request is repeated where the server says that it is
 * busy (429, 503, 504), and once if an answer breaks off. */
api_answer api_reads_get(api_reads *reads, const char *path, live_data_fn data,
                         void (*restart)(void *context), void *context);

/* Errors of an answer that is not 200: who did not answer, or refused what. `doing`: "list pods".
 * Returns E_IO. */
berth_status api_reads_failed(const api_reads *reads, const api_answer *answer, const char *doing,
                              berth_error *error);

#endif
