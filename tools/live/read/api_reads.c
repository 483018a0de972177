/* Runs a loop until one request has ended. */
#include "live/read/api_reads.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cli/exits.h"
#include "cli/heap.h"

static const int64_t second_ns = 1000000000;
enum { TIMEOUT_SECONDS = 120, BUSY_TRIES = 6, BROKEN_TRIES = 2, WAIT_SECONDS_MAX = 30 };

berth_status api_reads_open(api_reads *reads, const kubeconfig_search *search, berth_error *error)
{
    *reads = (api_reads){0};
    TRY(kubeconfig_find(&reads->config, search, error));
    reads->loop = event_loop_create();
    if (reads->loop == NULL || !curl_transport_setup())
        return error_set(error, BERTH_E_IO, NULL, "the network can't be used: %s", strerror(errno));
    const credentials_options how = {.loop = reads->loop, .config = &reads->config};
    reads->access = credentials_create(&how);
    const curl_transport_options options = {
        .loop = reads->loop, .access = &credentials_access_ops, .access_self = reads->access};
    reads->curl = curl_transport_create(&options);
    reads->transport = curl_transport_interface(reads->curl);
    credentials_attach(reads->access, reads->curl);
    return BERTH_OK;
}

void api_reads_close(api_reads *reads)
{
    curl_transport_destroy(reads->curl);
    credentials_destroy(reads->access);
    if (reads->loop != NULL)
        event_loop_destroy(reads->loop);
    kubeconfig_free(&reads->config);
    free(reads->body);
}

static void on_done(void *context, const live_answer *answer)
{
    api_reads *reads = context;
    reads->is_over = true;
    reads->outcome = answer->outcome;
    reads->status = answer->status;
    reads->retry_after_ns = answer->retry_after_ns;
    free(reads->body);
    reads->body = heap_text(answer->body.data, answer->body.len);
    reads->body_bytes = answer->body.len;
    snprintf(reads->why, sizeof(reads->why), "%s", answer->why);
    event_loop_wake(reads->loop); /* makes a turn that is about to wait return at once */
}

/* The data callback's context differs from that of `on_done`. */
typedef struct attempt {
    api_reads *reads;
    live_data_fn data;
    void *context;
} attempt;

static bool on_data(void *context, const char *bytes, size_t count)
{
    attempt *a = context;
    return a->data(a->context, bytes, count);
}

static void on_attempt_done(void *context, const live_answer *answer)
{
    on_done(((attempt *)context)->reads, answer);
}

static void try_once(api_reads *reads, const char *path, live_data_fn data, void *context)
{
    attempt a = {reads, data, context};
    reads->is_over = false;
    (void)live_send(reads->transport, &(live_request){.connection = LIVE_READS,
                                                      .method = "GET",
                                                      .path = path,
                                                      .timeout_ns = TIMEOUT_SECONDS * second_ns,
                                                      .done = on_attempt_done,
                                                      .data = data != NULL ? on_data : NULL,
                                                      .context = &a});
    while (!reads->is_over)
        event_loop_turn(reads->loop, second_ns);
}

static void on_waited(void *context)
{
    *(bool *)context = true;
}

static void wait_ns(api_reads *reads, int64_t length_ns)
{
    bool is_over = false;
    (void)live_timer_set(reads->transport, live_now(reads->transport) + length_ns, on_waited,
                         &is_over);
    while (!is_over)
        event_loop_turn(reads->loop, second_ns);
}

/* How long to wait before the request is repeated; -1: do not repeat it. */
static int64_t pause_of(const api_reads *reads, int tries)
{
    const bool busy = reads->status == 429 || reads->status == 503 || reads->status == 504;
    if (reads->outcome == LIVE_UNKNOWN)
        return tries < BROKEN_TRIES ? second_ns / 2 : -1;
    if (reads->outcome == LIVE_NOT_SENT || !busy || tries >= BUSY_TRIES)
        return -1;
    const int64_t most_ns = WAIT_SECONDS_MAX * second_ns;
    const int64_t least_ns = second_ns / 2 * tries;
    const int64_t asked_ns = reads->retry_after_ns > least_ns ? reads->retry_after_ns : least_ns;
    return asked_ns < most_ns ? asked_ns : most_ns;
}

api_answer api_reads_get(api_reads *reads, const char *path, live_data_fn data,
                         void (*restart)(void *context), void *context)
{
    int tries = 1;
    try_once(reads, path, data, context);
    for (int64_t pause_ns; (pause_ns = pause_of(reads, tries)) >= 0; tries++) {
        wait_ns(reads, pause_ns);
        if (restart != NULL)
            restart(context);
        try_once(reads, path, data, context);
    }
    return (api_answer){.answered = reads->outcome == LIVE_ANSWERED,
                        .status = reads->status,
                        .body = {reads->body, (uint32_t)reads->body_bytes},
                        .why = reads->why};
}

/* The server's explanation of a failure: the message of a Status. */
static void read_message(const api_answer *answer, char *out, size_t size)
{
    json_t *root = json_loadb(answer->body.data, answer->body.len, 0, NULL);
    const char *message = json_string_value(json_object_get(root, "message"));
    out[0] = '\0';
    if (message != NULL)
        snprintf(out, size, ": %s", message);
    json_decref(root);
}

berth_status api_reads_failed(const api_reads *reads, const api_answer *answer, const char *doing,
                              berth_error *error)
{
    const char *server = reads->config.access.server;
    char message[200];
    if (!answer->answered)
        return error_set(error, BERTH_E_IO, server, "the API server does not answer: %s",
                         answer->why);
    if (answer->status == 401)
        return error_set(error, BERTH_E_IO, server,
                         "the API server does not accept the credentials (401)");
    read_message(answer, message, sizeof(message));
    return error_set(error, BERTH_E_IO, server, "the API server does not %s (%d)%s", doing,
                     answer->status, message);
}
