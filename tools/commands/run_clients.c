#include "commands/run_clients.h"

#include <string.h>

#include "cli/exits.h"
#include "live/log/log.h"
#include "live/run/run_config.h"
#include "live/run/served.h"

enum { TIME_COUNT = 3 };

static struct {
    const char *kubeconfigs[2]; /* for authentication, for authorization */
    const char *client_ca_file, *always_allowed;
    const char *times[TIME_COUNT];
    kubeconfig read[2];
    bool is_read[2];
} clients;

static const option options[] = {
    {.name = "authentication-kubeconfig",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .target = &clients.kubeconfigs[0],
     .help = "where clients' tokens are reviewed (default: the\ncluster that is scheduled)"},
    {.name = "authorization-kubeconfig",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .target = &clients.kubeconfigs[1],
     .help = "where it is asked what clients may read (default: the\nsame)"},
    {.name = "authorization-always-allow-paths",
     .kind = OPTION_TEXT,
     .value = "LIST",
     .target = &clients.always_allowed,
     .help = "paths that everyone may read; /metrics* means all that\nbegin so "
             "(/healthz,/readyz,/livez)"},
    {.name = "client-ca-file",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .target = &clients.client_ca_file,
     .help = "who signs the certificates of clients (default: none\ncounts)"},
    {.name = "authentication-token-webhook-cache-ttl",
     .kind = OPTION_TEXT,
     .value = "TIME",
     .target = &clients.times[0],
     .help = "how long the user of a token is remembered (10s)"},
    {.name = "authorization-webhook-cache-authorized-ttl",
     .kind = OPTION_TEXT,
     .value = "TIME",
     .target = &clients.times[1],
     .help = "how long a permission is remembered (10s)"},
    {.name = "authorization-webhook-cache-unauthorized-ttl",
     .kind = OPTION_TEXT,
     .value = "TIME",
     .target = &clients.times[2],
     .help = "how long a refusal is remembered (10s)"},
};

option_group run_clients_options(void)
{
    return (option_group)OPTION_GROUP(options);
}

/* A time of 0 remembers nothing. */
static berth_status read_time(const char *name, const char *text, int64_t *out, berth_error *error)
{
    *out = 0;
    if (text == NULL)
        return BERTH_OK;
    if (!duration_read(text, out))
        return error_set(error, BERTH_E_ARG, NULL, "--%s: '%s' is no time such as 15s or 1m30s",
                         name, text);
    if (*out == 0)
        *out = -1;
    return BERTH_OK;
}

static berth_status read_kubeconfig(int which, const kubeconfig **out, berth_error *error)
{
    *out = NULL;
    if (clients.kubeconfigs[which] == NULL)
        return BERTH_OK;
    TRY(kubeconfig_read_file(&clients.read[which], clients.kubeconfigs[which], NULL, error));
    clients.is_read[which] = true;
    *out = &clients.read[which];
    return BERTH_OK;
}

/* As in kube-scheduler, only the end of a path may be left open. */
static berth_status check_paths(const char *list, berth_error *error)
{
    for (const char *star = list != NULL ? strchr(list, '*') : NULL; star != NULL;
         star = strchr(star + 1, '*'))
        if (star[1] != '\0' && star[1] != ',')
            return error_set(error, BERTH_E_ARG, NULL,
                             "--authorization-always-allow-paths: in '%s' a '*' is not at the end "
                             "of a path",
                             list);
    return BERTH_OK;
}

/* Over plain HTTP nobody is asked who a client is. */
static void warn_of_plain(const session_options *session)
{
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (*(const char *const *)options[i].target != NULL)
            LOG_WARNING("this option changes nothing over plain HTTP", "option", options[i].name,
                        "address", session->serve);
}

berth_status run_clients_read(session_options *session, berth_error *error)
{
    enum { FIRST_TIME = 4 };
    reviewing_options *to = &session->reviewing;
    int64_t *times[TIME_COUNT] = {&to->token_ns, &to->allowed_ns, &to->denied_ns};
    for (int i = 0; i < TIME_COUNT; i++)
        TRY(read_time(options[FIRST_TIME + i].name, clients.times[i], times[i], error));
    TRY(check_paths(clients.always_allowed, error));
    if (session->serve != NULL && served_is_plain(session->serve))
        warn_of_plain(session);
    to->always_allowed = clients.always_allowed;
    session->client_ca_file = clients.client_ca_file;
    TRY(read_kubeconfig(0, &to->authentication, error));
    return read_kubeconfig(1, &to->authorization, error);
}

void run_clients_free(void)
{
    for (int i = 0; i < 2; i++) {
        if (clients.is_read[i])
            kubeconfig_free(&clients.read[i]);
        clients.is_read[i] = false;
    }
}
