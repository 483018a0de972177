/* The address of the API server and the client's credentials, read from a kubeconfig file or from
 * what a pod finds in its file system. This neither connects to anything nor reads token files. */
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
    const char *const *environment; /* "NAME=VALUE", ended by NULL: variables to add */
    const char *install_hint;
    char *cluster_json; /* spec.cluster for the plugin; NULL: do not pass it */
} exec_config;

typedef struct kubeconfig {
    server_access access; /* without what the plugin adds */
    const char *token;    /* NULL: none */
    const char *token_file;
    exec_config exec;
    const char *namespace_name; /* of the context, or "default" */
    /* everything above points into these */
    char **texts;
    size_t text_count, text_capacity;
    const char **lists[3];
} kubeconfig;

/* Which part of a kubeconfig to use. */
typedef struct kubeconfig_choice {
    const char *context; /* NULL: the current one */
    const char *server;  /* replaces the cluster's server; NULL: does not */
} kubeconfig_choice;

/* Read a file. If `choice` is NULL, its current context is used unchanged.
 * Errors: BERTH_E_IO, BERTH_E_PARSE, BERTH_E_INVALID (names the field), BERTH_E_UNSUPPORTED
 * (username and password, auth-provider, interactive exec). After an error there is nothing to
 * free. */
berth_status kubeconfig_read_file(kubeconfig *config, const char *path,
                                  const kubeconfig_choice *choice, berth_error *error);

/* The same from memory; relative paths are relative to `folder`. */
berth_status kubeconfig_read_text(kubeconfig *config, berth_str text, const char *source,
                                  const char *folder, const kubeconfig_choice *choice,
                                  berth_error *error);

/* The same from a document that is already parsed (yaml_tree.h). */
berth_status kubeconfig_read_tree(kubeconfig *config, const json_t *root, const char *source,
                                  const char *folder, const kubeconfig_choice *choice,
                                  berth_error *error);

/* Only a server, without credentials. Errors: BERTH_E_INVALID. */
berth_status kubeconfig_of_server(kubeconfig *config, const char *server, berth_error *error);

/* Configure the program as it runs in a pod: the address comes from the environment, token and CA
 * from `folder` (NULL: the folder of a service account). Errors: BERTH_E_NOT_FOUND (not in a pod),
 * BERTH_E_IO. */
berth_status kubeconfig_in_cluster(kubeconfig *config, const char *folder, berth_error *error);

void kubeconfig_free(kubeconfig *config);

/* Decode base64 (line breaks are ignored) into `out`, which needs room for 3/4 of the text. Returns
 * the decoded length, or -1. */
long base64_decode(const char *text, char *out);

/* Read a whole file; the text ends with a zero byte, and the caller frees it. Returns NULL with
 * errno set; EFBIG for more than 1 MiB. */
char *small_file_read(const char *path, size_t *length);

/* The folder of a path, "" for a file of the current folder. The caller frees it. */
char *folder_of(const char *path);

#endif
