/* A command that prints credentials (client.authentication.k8s.io): run beside the loop, which goes
 * on meanwhile. */
#ifndef BERTH_LIVE_EXEC_PLUGIN_H
#define BERTH_LIVE_EXEC_PLUGIN_H

#include <jansson.h>

#include "live/credentials/kubeconfig.h"
#include "live/transport/event_loop.h"

/* What it printed, or why there is nothing. Owner: borrowed until the callback returns. */
typedef struct exec_credential {
    const char *token;       /* NULL: none */
    const char *certificate; /* PEM; NULL: none, as the key */
    const char *key;
    int64_t expires_unix_ns; /* INT64_MAX: never */
    const char *failure;     /* NULL: all is well, else nothing above counts */
} exec_credential;

typedef void (*exec_done_fn)(void *context, const exec_credential *credential);

typedef struct exec_plugin exec_plugin;

/* Run it; `done` is called once, later. After `timeout_ns` it is killed, and failed. Owner:
 * `config` is borrowed until then; the run frees itself. */
exec_plugin *exec_plugin_run(event_loop *loop, const exec_config *config, int64_t timeout_ns,
                             exec_done_fn done, void *context);

/* Kill it without a word. Accepts NULL; not to be called after `done`. */
void exec_plugin_kill(exec_plugin *plugin);

/* Read what a plugin printed. Owner: the texts are those of `*tree`, which is the caller's. */
void exec_credential_read(const char *text, size_t length, const char *api_version,
                          exec_credential *out, json_t **tree);

/* RFC 3339 to nanoseconds since 1970; false: it is no time. */
bool time_read(const char *text, int64_t *unix_ns);

#endif
