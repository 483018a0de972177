/* Where the API server is and who we are, read from a kubeconfig file or from what a pod finds in
 * its file system. Nothing is connected to, no token is read: only what stands there. */
#ifndef BERTH_LIVE_KUBECONFIG_H
#define BERTH_LIVE_KUBECONFIG_H

#include <jansson.h>

#include "cli/options.h"
#include "live/transport/curl_transport.h"

/* A command that prints credentials. */
typedef struct exec_config {
    const char *command; /* NULL: none; with a slash: relative to the file */
    const char *api_version;
    const char *const *arguments;   /* the command first, ended by NULL */
    const char *const *environment; /* "NAME=VALUE", ended by NULL: what is added */
    const char *install_hint;
    char *cluster_json; /* spec.cluster of what it is told; NULL: it is not to be told */
} exec_config;

typedef struct kubeconfig {
    server_access access; /* without what exec brings */
    const char *token;    /* NULL: none */
    const char *token_file;
    exec_config exec;
    const char *namespace_name; /* of the context; "default" */
    /* everything above points into these */
    char **texts;
    size_t text_count, text_capacity;
    const char **lists[3];
} kubeconfig;

/* What is taken of a kubeconfig. */
typedef struct kubeconfig_choice {
    const char *context; /* NULL: the current one */
    const char *server;  /* replaces the cluster's; NULL: does not */
} kubeconfig_choice;

/* Read a file. `choice` NULL: its current context as it stands.
 * Errors: E_IO, E_PARSE, E_INVALID (the field is named), E_UNSUPPORTED (username and password,
 * auth-provider, interactive exec). Nothing needs to be freed then. */
berth_status kubeconfig_read_file(kubeconfig *config, const char *path,
                                  const kubeconfig_choice *choice, berth_error *error);

/* The same from memory; relative paths are relative to `folder`. */
berth_status kubeconfig_read_text(kubeconfig *config, berth_str text, const char *source,
                                  const char *folder, const kubeconfig_choice *choice,
                                  berth_error *error);

/* The same from a document that has been read (yaml_tree.h). */
berth_status kubeconfig_read_tree(kubeconfig *config, const json_t *root, const char *source,
                                  const char *folder, const kubeconfig_choice *choice,
                                  berth_error *error);

/* A server alone, without credentials. Errors: E_INVALID. */
berth_status kubeconfig_of_server(kubeconfig *config, const char *server, berth_error *error);

/* As in a pod: address from the environment, token and CA from `folder` (NULL: where a service
 * account's are). Errors: E_NOT_FOUND (not in a pod), E_IO. */
berth_status kubeconfig_in_cluster(kubeconfig *config, const char *folder, berth_error *error);

void kubeconfig_free(kubeconfig *config);

/* Decode base64 (line breaks are passed over) into `out`, which has room for 3/4 of it; the decoded
 * length, or -1. */
long base64_decode(const char *text, char *out);

/* The whole of a file, terminated, to be freed; NULL with errno set. More than 1 MiB: EFBIG. */
char *small_file_read(const char *path, size_t *length);

/* The folder of a path, to be freed: "" for a file of the current folder. */
char *folder_of(const char *path);

#endif
