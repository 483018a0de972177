/* One transfer at a time on a multi handle, which keeps the connection.
 * Source: kube-scheduler v1.37, extender.go, send. */
#include "live/extenders/extender_http.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "live/transport/curl_easy.h"
#include "live/writes/write_json.h"

struct extender_http {
    const extender_access *access;
    int64_t timeout_ns;
    extender_wait wait;
    CURLM *multi;
    curl_request *last; /* the request whose answer is lent to the caller; NULL: none */
};

extender_http *extender_http_create(const extender_access *access, int64_t timeout_ns,
                                    extender_wait wait)
{
    extender_http *http = heap_new(1, sizeof(*http));
    *http = (extender_http){access, timeout_ns, wait, curl_multi_init(), NULL};
    if (http->multi != NULL)
        return http;
    free(http);
    return NULL;
}

static void drop_last(extender_http *http)
{
    if (http->last != NULL)
        curl_request_free(http->last);
    http->last = NULL;
}

void extender_http_destroy(extender_http *http)
{
    if (http == NULL)
        return;
    drop_last(http);
    curl_multi_cleanup(http->multi);
    free(http);
}

static bool goes_on(const extender_http *http)
{
    return http->wait.goes_on == NULL || http->wait.goes_on(http->wait.context);
}

/* Carry out a transfer. */
static CURLcode perform(const extender_http *http, CURL *easy)
{
    CURLcode code = CURLE_ABORTED_BY_CALLBACK;
    int running = 1, left;
    if (curl_multi_add_handle(http->multi, easy) != CURLM_OK)
        return CURLE_OUT_OF_MEMORY;
    while (running > 0 && goes_on(http) && curl_multi_perform(http->multi, &running) == CURLM_OK)
        if (running > 0)
            (void)curl_multi_poll(http->multi, NULL, 0, 250, NULL);
    const CURLMsg *message = curl_multi_info_read(http->multi, &left);
    if (message != NULL && message->msg == CURLMSG_DONE)
        code = message->data.result;
    curl_multi_remove_handle(http->multi, easy);
    return code;
}

bool extender_http_post(extender_http *http, const char *verb, berth_str body, berth_str *answer,
                        berth_error *error)
{
    live_answer got;
    char *path = write_path("/%s", verb);
    const live_request request = {.method = "POST",
                                  .path = path,
                                  .content_type = "application/json",
                                  .body = body,
                                  .body_max = EXTENDER_BODY_MAX,
                                  .timeout_ns = http->timeout_ns};
    drop_last(http);
    http->last = curl_request_create(&request, event_loop_now());
    free(path);
    CURL *easy = curl_handle_create(&http->access->server);
    if (easy == NULL) {
        (void)error_set(error, BERTH_E_NOMEM, NULL, "out of memory");
        return false;
    }
    curl_request_prepare(http->last, easy, &http->access->server, NULL, event_loop_now());
    curl_request_answer(http->last, perform(http, easy), &got);
    const char *target = http->last->target != NULL ? http->last->target : "";
    if (got.outcome != LIVE_ANSWERED) {
        (void)error_set(error, BERTH_E_IO, NULL, "Post \"%s%s\": %s", http->last->url, target,
                        got.why);
        return false;
    }
    *answer = got.body;
    if (got.status == 200)
        return true;
    (void)error_set(error, BERTH_E_IO, NULL, "failed %s with extender at URL %s%s, code %d", verb,
                    http->last->url, target, got.status);
    return false;
}
