/* Asks an API server for its version until it answers, or a retry cannot help. */
#include "live/read/server_wait.h"

#include <stdio.h>
#include <string.h>

#include "cli/plain_text.h"
#include "live/log/log.h"

static const int64_t second_ns = 1000000000;
/* A server that has just started may not know its rules yet. */
static const int64_t denied_max_ns = 10 * second_ns;
static const int64_t pause_max_ns = 5 * second_ns;
static const int64_t timeout_ns = 10 * second_ns;

static void ask(void *context);

/* Errors that a retry cannot fix: the server answers, but one side rejects the other's credentials,
 * or the server is not an API server. */
static bool is_hopeless(const server_wait *wait, const live_answer *answer)
{
    if (answer->outcome != LIVE_ANSWERED)
        return strstr(answer->why, "certificate") != NULL || strstr(answer->why, "SSL") != NULL;
    return answer->status == 200 || answer->status == 401 || answer->status == 404 ||
           (answer->status == 403 && live_now(wait->transport) - wait->denied_ns >= denied_max_ns);
}

static const char *say_hopeless(const live_answer *answer)
{
    switch (answer->status) {
    case 401:
        return "the API server does not accept the credentials (401)";
    case 403:
        return "the API server does not let us read /version (403): the role lacks the verb get of "
               "the nonResourceURL /version (ClusterRole system:discovery has it)";
    case 200:
    case 404:
        return "what answers there is no API server: it has no /version";
    default:
        return answer->why;
    }
}

static void take_version(server_wait *wait)
{
    const server_version *version = &wait->version;
    if (version->rules != NULL)
        LOG_INFO(0, "connected", "server", wait->server, "kubernetes", version->text, "rules",
                 version->rules);
    else
        server_version_refuse(version, wait->command);
    wait->ended(wait->context, version->rules != NULL);
}

static void ask_later(server_wait *wait)
{
    wait->pause_ns = wait->pause_ns == 0 ? second_ns / 2 : wait->pause_ns * 2;
    if (wait->pause_ns > pause_max_ns)
        wait->pause_ns = pause_max_ns;
    (void)live_timer_set(wait->transport, live_now(wait->transport) + wait->pause_ns, ask, wait);
}

static void on_version(void *context, const live_answer *answer)
{
    server_wait *wait = context;
    if (answer->outcome == LIVE_ANSWERED && answer->status == 200 &&
        server_version_parse(answer->body, wait->rules, &wait->version)) {
        take_version(wait);
        return;
    }
    if (answer->status != 403)
        wait->denied_ns = -1;
    else if (wait->denied_ns < 0)
        wait->denied_ns = live_now(wait->transport);
    if (is_hopeless(wait, answer)) {
        plain_text_line(stderr, "berth %s: %s: %s", wait->command, wait->server,
                        say_hopeless(answer));
        wait->ended(wait->context, false);
        return;
    }
    char status[16];
    snprintf(status, sizeof(status), "%d", answer->status);
    LOG_WARNING("the API server does not answer", "server", wait->server, "status", status, "why",
                answer->why);
    ask_later(wait);
}

static void ask(void *context)
{
    server_wait *wait = context;
    (void)live_send(wait->transport, &(live_request){.connection = LIVE_READS,
                                                     .method = "GET",
                                                     .path = "/version",
                                                     .timeout_ns = timeout_ns,
                                                     .done = on_version,
                                                     .context = wait});
}

void server_wait_start(server_wait *wait)
{
    wait->pause_ns = 0;
    wait->denied_ns = -1;
    ask(wait);
}
