/* Runs a command that prints credentials (client.authentication.k8s.io) without blocking the
 * loop. */
#ifndef BERTH_LIVE_EXEC_PLUGIN_H
#define BERTH_LIVE_EXEC_PLUGIN_H

#include <jansson.h>

#include "live/credentials/kubeconfig.h"
#include "live/transport/event_loop.h"

/* What the command printed, or why it failed. Owner: borrowed until the callback returns. */
typedef struct exec_credential {
    const char *token;       /* NULL: none */
    const char *certificate; /* PEM; NULL: none, and no key either */
    const char *key;
    int64_t expires_unix_ns; /* INT64_MAX: never */
    const char *failure;     /* NULL: success; otherwise ignore the members above */
} exec_credential;

typedef void (*exec_done_fn)(void *context, const exec_credential *credential);

typedef struct exec_plugin exec_plugin;

/* Run the command; `done` is called once, later. After `timeout_ns` the command is killed and
 * counts as failed. Owner: `config` is borrowed until `done`; the run frees itself. */
exec_plugin *exec_plugin_run(event_loop *loop, const exec_config *config, int64_t timeout_ns,
                             exec_done_fn done, void *context);

/* Kill the command without calling `done`. Accepts NULL. Do not call it after `done`. */
void exec_plugin_kill(exec_plugin *plugin);

/* Read what a plugin printed. Owner: the texts belong to `*tree`, which the caller frees. */
void exec_credential_read(const char *text, size_t length, const char *api_version,
                          exec_credential *out, json_t **tree);

/* Convert RFC 3339 to nanoseconds since 1970. Returns false if `text` is not a time. */
bool time_read(const char *text, int64_t *unix_ns);

#endif
