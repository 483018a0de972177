/* A server of pages under test, and requests to it by libcurl, which accepts any certificate. */
#ifndef BERTH_TESTS_SERVING_CLIENT_H
#define BERTH_TESTS_SERVING_CLIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#include "live/serving/serving.h"

static serving *server;
static metrics *counted;

static char body[262144]; /* of the last answer */
static size_t body_bytes;

/* For cmocka: the end of each test. */
static int stop(void **state)
{
    (void)state;
    serving_stop(server);
    metrics_destroy(counted);
    return 0;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    (void)context;
    if (body_bytes + size * count >= sizeof(body))
        return 0;
    memcpy(body + body_bytes, bytes, size * count);
    body_bytes += size * count;
    body[body_bytes] = '\0';
    return size * count;
}

/* A request to the server, to which the caller adds what it wants. */
static CURL *request_to(const char *host, const char *scheme, const char *method, const char *path)
{
    char url[256];
    CURL *curl = curl_easy_init();
    snprintf(url, sizeof(url), "%s://%s:%d%s", scheme, host, serving_port(server), path);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 20L);
    return curl;
}

/* Sends the request and frees it. Returns the status of the answer; 0: no answer. */
static long answer_to(CURL *request)
{
    long status = 0;
    body[0] = '\0';
    body_bytes = 0;
    if (curl_easy_perform(request) == CURLE_OK)
        curl_easy_getinfo(request, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_cleanup(request);
    return status;
}

#endif
