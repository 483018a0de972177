/* One request as libcurl carries it out: its parts, and the meaning of its end. */
#ifndef BERTH_LIVE_CURL_EASY_H
#define BERTH_LIVE_CURL_EASY_H

#include <curl/curl.h>

#include "live/transport/curl_transport.h"

typedef enum curl_request_state {
    REQUEST_NEW = 0,   /* to be started */
    REQUEST_WAITS,     /* for credentials */
    REQUEST_RUNS,      /* libcurl has it */
    REQUEST_ENDS,      /* a stream over a connection that is being given up */
    REQUEST_CANCELLED, /* to be removed */
} curl_request_state;

typedef struct curl_request {
    struct curl_request *next, *previous;
    live_id id;
    curl_request_state state;
    live_connection class;
    char *method, *path, *content_type; /* content_type NULL: no body */
    char *body;
    size_t body_bytes, answer_max;
    int64_t sent_ns, timeout_ns, not_after_ns;
    live_done_fn done;
    live_data_fn data;
    void *context;
    bool repeated; /* after a 401 */
    /* while libcurl has it */
    CURL *easy;
    struct connection *connection;
    struct curl_slist *headers, *connect_to;
    char *url, *target; /* target: the path; NULL: it is in the URL */
    char error[CURL_ERROR_SIZE];
    bool handed; /* a part of it may have reached the server */
    bool late;   /* its deadline had come before it was handed over */
    bool enough; /* its reader ended it */
    bool too_large;
    int64_t first_byte_ns;
    char *answer;
    size_t answer_bytes, answer_capacity;
} curl_request;

curl_request *curl_request_create(const live_request *request, int64_t now_ns);
void curl_request_free(curl_request *request);

/* An easy handle with all that requests to this server have in common; it may serve one request
 * after the other. NULL: libcurl has no memory. */
CURL *curl_handle_create(const server_access *access);

/* Fill a handle for the request, which owns it from now on. */
void curl_request_prepare(curl_request *request, CURL *easy, const server_access *access,
                          const char *bearer, int64_t now_ns);

/* Take the handle back, for another request. libcurl must have returned it. */
CURL *curl_request_take_handle(curl_request *request);

/* Forget what an attempt has left, so that another one can be made. */
void curl_request_reset(curl_request *request);

/* Turn the outcome of a transfer into an answer, which borrows from the request. */
void curl_request_answer(curl_request *request, CURLcode code, live_answer *out);

#endif
